// Writing a program down: one walk for all languages, each of which is a table.
//
//   emit.c, emit_statement.c: expressions, statements and lines of any language
//   emit_c.h, emit_c*.c, emit_sines.c: C
//   emit_script.c: the other languages
#ifndef LIMB_EMIT_H
#define LIMB_EMIT_H

#include "limb/codegen.h"

#include "codegen/order.h"
#include "codegen/text.h"

enum { LIMB_LINE = 100 }; // columns

// A language. In texts, \v is a blank where a line may be broken.
typedef struct limb_syntax {
  limb_language language;
  int first;                   // index
  const char *note, *note_end; // around a comment
  const char* indent;          // of statements
  const char *let, *typed;     // before a new name: a word, and the type (%s); typed NULL: none
  const char *is, *end;        // t1 is expression end
  const char *go_on, *margin;  // ends a line that goes on, begins the next one
  const char *open, *close;    // of an index of a vector
  const char* matrix;          // of a row and a column; NULL: one index, row by row
  const char *times, *over;    // NULL: a fraction
  const char* call[5];         // sine, cosine, root, sign, hyperbolic tangent; sign NULL: a function of ours
  bool wrapped;                // expressions of several lines stand in brackets
  bool typed_calls;            // f64::sin
} limb_syntax;

// One function, ready to be written, and what is to be said about it.
typedef struct limb_piece {
  const limb_function* f;
  limb_listing list;
  limb_operations operations;
  uint32_t* given;   // of the angles: their index among those of the program
  double disagrees;  // relative, in the states that were tried
  bool vanishes;     // beside accelerations: measured by these
  bool from_library; // with whose answers it was compared
  long kept;         // bytes in arrays: own sines, what parts hand on
  long stack;        // bytes alive at once, those included
  char name[160];    // in the text
} limb_piece;

typedef struct limb_emitter {
  const limb_program* program;
  const limb_syntax* syntax;
  limb_codegen_options options;
  char prefix[96];
  const char* real; // "double"
  char value[128];  // type of inputs and answers: real, or lanes of it
  limb_piece* piece;
  int npiece;
  int inside;         // fractions and roots around what is being written: no line ends there
  uint32_t nangle;    // of the program, when sines are given
  int states;         // that were tried
  limb_text* text;    // where to
  limb_text scratch;  // a statement before its lines are broken
  unsigned char* met; // joints that were named in this function, per kind and index
  uint32_t* slot;     // of the piece's statements: where it is kept between parts; see emit_c_parts.c
} limb_emitter;

// ---- any language (emit.c, emit_statement.c) ----------------------------------------------------------

// The statements begin ... end - 1 of a piece with the stores that follow each; or lines begin ... end - 1.
void limb_emit_statements(limb_emitter* e, const limb_piece* p, uint32_t begin, uint32_t end);
void limb_emit_lines(limb_emitter* e, const limb_piece* p, uint32_t begin, uint32_t end);
// Whether a statement has no name: it is written into the one answer that it is for.
bool limb_emit_is_whole(const limb_piece* p, uint32_t at);
// Stores of numbers, which follow all statements: how many, of which entry, and the text of some.
uint32_t limb_emit_number_count(const limb_piece* p);
uint32_t limb_emit_number_entry(const limb_piece* p, uint32_t i);
void limb_emit_numbers(limb_emitter* e, const limb_piece* p, uint32_t begin, uint32_t end);

// What a node computes, and names and literals: to scratch.
void limb_emit_expression(limb_emitter* e, const limb_piece* p, uint32_t node);
void limb_emit_value(limb_emitter* e, const limb_piece* p, uint32_t node);      // t12, s3
void limb_emit_array_sine(limb_emitter* e, const limb_piece* p, uint32_t node); // sine[2]
void limb_emit_leaf(limb_emitter* e, const limb_piece* p, uint32_t node);       // and q[2], 0.5
void limb_emit_literal(limb_emitter* e, double x);
void limb_emit_name(limb_emitter* e, const char* name); // of an input or output
void limb_emit_index(limb_emitter* e, const char* name, uint32_t index);
void limb_emit_wrap(limb_emitter* e, bool open); // brackets, if the statement takes several lines
void limb_emit_begin(limb_emitter* e);           // a statement
void limb_emit_flush(limb_emitter* e);           // scratch, in lines

// Before the first statement of a function: no joint has been named.
void limb_emit_forget(limb_emitter* e);
size_t limb_emit_met_room(void); // bytes of met

// The name of an output of a function; another one than those of its inputs.
void limb_emit_output_name(const limb_emitter* e, const limb_function* f, int o, char name[64]);

// A line about gravity, where the function counts on it and it is no argument.
void limb_emit_gravity(limb_emitter* e, const limb_function* f, const char* begin);

// What may vanish for a robot, or for one of its states, and so has no size of its own: forces and their
// slopes. Differences are measured by the forces of ordinary motions, if these are larger.
bool limb_emit_may_vanish(const limb_function* f);

// Whether it was asked for, and does not just serve the others.
bool limb_emit_is_quantity(const limb_function* f);

const char* limb_emit_reference(const limb_piece* p); // what it was compared with

bool limb_emit_takes(const limb_emitter* e, const limb_function* f, limb_input_kind kind);
bool limb_emit_uses(const limb_piece* p, limb_op op); // whether a live node is of that kind
bool limb_emit_any(const limb_emitter* e, limb_op op);
static inline long limb_emit_bytes(const limb_emitter* e) // of a value, in all lanes
{
  return (long)(e->options.single ? sizeof(float) : sizeof(double)) * e->options.lanes;
}
static inline bool limb_emit_arrays(const limb_emitter* e) // sines are read from arrays
{
  return e->options.sines != LIMB_SINES_LIBM;
}

// ---- languages ----------------------------------------------------------------------------------------

extern const limb_syntax limb_syntax_c;
const limb_syntax* limb_script_syntax(limb_language language); // NULL: none

void limb_emit_c_source(limb_emitter* e);
void limb_emit_c_header(limb_emitter* e);
void limb_emit_script(limb_emitter* e);

// States and answers for the test program.
typedef struct limb_trial {
  int states;
  double* input[INPUT_KINDS]; // states x count
  double** answer;            // of each piece: states x entries
  double* tolerance;          // of each piece, relative to the largest entry of an output
  double* least;              // of each piece: what is large beside its rounding, where answers may vanish
  double forces;              // that the states take
  bool* from_library;         // of each piece
} limb_trial;

void limb_emit_c_test(limb_emitter* e, const limb_trial* t);

#endif
