// How readers, writers and the doctor report. Reporting never fails: when memory runs out, the list remembers
// it (limb_findings_lost).
#ifndef LIMB_IO_FINDINGS_H
#define LIMB_IO_FINDINGS_H

#include "limb/read.h"

#include "base/names.h"
#include "base/number.h"
#include "io/rules.h"

#include <stdarg.h>

// A position in a file, 1-based; zeros when there is none. file: 0 for the source, or a number by
// limb_findings_add_file.
typedef struct file_pos {
  int line, column, file;
} file_pos;

static inline file_pos at_line(int line, int column) { return (file_pos){line, column, 0}; }

enum { LIMB_WHERE_SPACE = 96 };

// What a finding is about: a kind of thing and its name, such as ("link", "forearm"). name NULL: the kind
// alone; both NULL: the file.
typedef struct limb_subject {
  const char* kind;
  const char* name;
} limb_subject;

#if defined(__GNUC__)
#define LIMB_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LIMB_PRINTF(text, first)
#endif

// Adds a finding to a list; f NULL: does nothing.
LIMB_PRINTF(5, 6)
void limb_report(limb_findings* f, limb_rule rule, file_pos at, limb_subject about, const char* format, ...);
void limb_report_args(limb_findings* f, limb_rule rule, file_pos at, limb_subject about, const char* format,
                      va_list args);

// As limb_report, but only once for this rule and this name: "<gazebo> is ignored".
LIMB_PRINTF(5, 6)
void limb_report_once(limb_findings* f, limb_rule rule, file_pos at, limb_subject about, const char* format, ...);

// Adds a hint to the last finding: the likely cause in this case, or what to do. Changes its severity.
LIMB_PRINTF(2, 3) void limb_report_hint(limb_findings* f, const char* format, ...);
void limb_report_as(limb_findings* f, limb_severity severity);

// Makes warnings of the errors among the findings from an index on: about what the robot does not need.
void limb_report_mildly(limb_findings* f, int first);

// Gives all findings of a rule its severity, also those that limb_report_as changed.
void limb_report_in_full(limb_findings* f, limb_rule rule);

// Findings about one thing after the other, such as the joints of a file. Errors are counted: the list of
// findings is limited, this number is not.
typedef struct limb_reporter {
  limb_findings* findings;
  limb_subject about; // what is being read
  int errors;
  int file; // of positions that name none; 0: the source
} limb_reporter;

LIMB_PRINTF(4, 5)
void limb_report_error(limb_reporter* r, limb_rule rule, file_pos at, const char* format, ...);
LIMB_PRINTF(4, 5)
void limb_report_note(const limb_reporter* r, limb_rule rule, file_pos at, const char* format, ...); // not counted

// The number of a file beside the source, which findings then name; -1: out of memory. Its path; "" for the source.
int limb_findings_add_file(limb_findings* f, const char* path);
const char* limb_findings_file(const limb_findings* f, int file);

// 1 when a finding was lost because memory ran out.
int limb_findings_lost(const limb_findings* f);

// A part of a sentence, and a number: all digits, three of them, or those that are above the rounding of a larger
// number. Used as limb_show(x).text.
typedef struct limb_phrase {
  char text[LIMB_WHERE_SPACE];
} limb_phrase;

typedef struct number_text {
  char text[LIMB_NUMBER_SPACE];
} number_text;

number_text limb_show(double x);
number_text limb_show_rounded(double x);
number_text limb_show_beside(double x, double largest);

// "line 12", or "line 12 of 'parts.xacro'" for a position in another file than the one that is spoken of.
limb_phrase limb_show_line(const limb_findings* f, file_pos at, file_pos spoken_of);

// "; did you mean 'x'?" for the nearest of the names, or "" when none is near. After some hundred suggestions for the
// same findings it gives up, so that a hostile file cannot take much time.
limb_phrase limb_did_you_mean(limb_findings* f, const char* wrong, int count, limb_name_fn* name, const void* context);

// The same for words separated by blanks.
limb_phrase limb_suggest_word(limb_findings* f, const char* wrong, const char* words);

#endif
