// What commands print: tables as text and JSON, colours on terminals, JSON, CSV.
#ifndef LIMB_CLI_PRINT_H
#define LIMB_CLI_PRINT_H

#include "limb/limb.h"
#include "limb/read.h"
#include "limb/table.h"
#include <jansson.h>

#include <stdio.h>

#define COUNT_OF(array) (int)(sizeof(array) / sizeof *(array))

// Rows of cells, made once and written as text, as JSON or both. Its form names the columns, separated by semicolons:
//
//   "<joint;>mass [kg]=mass;=index;>used="    <: to the left, >: to the right; =KEY: its key in JSON, else the heading
//                                              =KEY alone: only in JSON; = at the end: only in text
//
// Columns of text become as wide as their widest cell. Cells are UTF-8. Without any heading the first row is one.
typedef struct cli_table {
  const char* form;
  int columns;
  int count, capacity; // of cells
  struct cli_table_cell* cells;
  int failed; // memory ran out: nothing is printed
} cli_table;

cli_table cli_table_make(const char* form); // which must outlive it
void cli_table_free(cli_table* t);

// Adds the next cell, row by row: the text, which is a string in JSON, too.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cli_cell(cli_table* t, const char* format, ...);

// The same with a value in JSON, which it takes over; NULL: the row does not have that key.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void cli_cell_json(cli_table* t, json_t* value, const char* format, ...);

// A number in few digits, in JSON all of them; "-" for what is not finite, in JSON null.
void cli_cell_number(cli_table* t, double x);
void cli_cell_integer(cli_table* t, long long x);

// The rows as an array of objects; frees the table.
json_t* cli_table_json(cli_table* t);

// x, or zero where it is what rounding leaves of numbers of this size. For people; JSON, CSV and NPY have every digit.
double cli_clean(double x, double size);

// The largest finite one, without its sign: the size of what belongs together.
double cli_largest(const double* x, size_t count);

// Prints headings and rows, each after the indent, and frees the table.
void cli_table_print(cli_table* t, FILE* out, const char* indent);

// Writes it as a table of a page (limb/draw.h), and frees it. What ends in OVER is red, and "error".
void cli_table_page(cli_table* t, FILE* out);

// ---- colours ---------------------------------------------------------------------------------------

typedef enum cli_colour { CLI_BOLD, CLI_GREEN, CLI_YELLOW, CLI_RED, CLI_FAINT, CLI_PLAIN } cli_colour;

// 1 if a stream is a terminal with colours, and NO_COLOR (no-color.org) is not set.
int cli_has_colour(FILE* out);

// Sequences that switch a colour on and off on that stream; "" without colours.
const char* cli_on(FILE* out, cli_colour colour);
const char* cli_off(FILE* out, cli_colour colour);

// ---- json ------------------------------------------------------------------------------------------
//
// JSON output, by jansson. Numbers have 17 digits; those that are not finite are null. Bytes that are not UTF-8 (file
// names can be anything) are replaced.

json_t* cli_json_number(double x);
json_t* cli_json_text(const char* text); // NULL: null
json_t* cli_json_numbers(int n, const double* x);
json_t* cli_json_matrix(int rows, int columns, const double* x); // array of rows
json_t* cli_json_vec3(sp_vec3 x);
json_t* cli_json_pose(sp_pose X);              // {"position", "quaternion", "rotation"}, as in limb eval
json_t* cli_json_inertia(const sp_inertia* Y); // {"mass", "com", "inertia": [xx, xy, xz, yy, yz, zz]}

// Sets keys of an object, separated by spaces, to as many values (json_t*), which it takes over.
void cli_json_set(json_t* object, const char* keys, ...);
json_t* cli_json_object(const char* keys, ...); // a new one with these

// {"schema": 1}: the beginning of every answer.
json_t* cli_json_answer(void);

// Prints and frees; EXIT_FINE, or EXIT_USAGE with a message. root NULL: memory ran out.
int cli_json_print(json_t* root, FILE* out, const char* command);

// Prints a table by a function that adds its fields and rows. EXIT_FINE, or EXIT_USAGE after a message.
typedef limb_status cli_csv_fn(limb_csv_writer* w, const void* context);
int cli_csv_print(FILE* out, const char* command, cli_csv_fn* rows, const void* context);

// Adds fields of text, up to a NULL, and ends the row.
limb_status cli_csv_head(limb_csv_writer* w, const char* const* names);

// ---- json findings ---------------------------------------------------------------------------------
//
// Findings as JSON, each with the words of its rule.

json_t* cli_json_finding(const limb_finding* f);
json_t* cli_json_findings(const limb_findings* f, int from); // an array of those from an index on

#endif
