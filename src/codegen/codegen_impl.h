// What the files behind limb/codegen.h share: emitters, reference values of the library, and their comparison.
//
//   emit_expression.c, emit_statement.c   expressions, statements and lines; each language is a table
//   emit_c.c, emit_c_files.c, emit_c_split.c   C
//   emit_script.c                         the other languages
//   reference_values.c, codegen_check.c   values of the library, and how far generated code is from them
#ifndef LIMB_CODEGEN_CODEGEN_IMPL_H
#define LIMB_CODEGEN_CODEGEN_IMPL_H

#include "limb/codegen.h"
#include "limb/dynamics.h"

#include "codegen/program.h"
#include "codegen/schedule.h"
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
typedef struct limb_emitted {
  const limb_function* f;
  limb_schedule schedule;
  limb_operations operations;
  uint32_t* given;      // of the angles: their index among those of the program
  double difference;    // relative, in the states that were tried
  bool by_acceleration; // beside accelerations: measured by these
  bool from_library;    // with whose answers it was compared
  long kept;            // bytes in arrays: own sines, what parts hand on
  long stack;           // bytes alive at once, those included
  char name[160];       // in the text
} limb_emitted;

typedef struct limb_emitter {
  const limb_program* program;
  const limb_syntax* syntax;
  limb_codegen_options options;
  char prefix[96];
  const char* real; // "double"
  char value[128];  // type of inputs and answers: real, or lanes of it
  limb_emitted* function;
  int nfunction;
  int inside;           // fractions and roots around what is being written: no line ends there
  uint32_t nangle;      // of the program, when sines are given
  int states;           // that were tried
  limb_text* text;      // where to
  limb_text scratch;    // a statement before its lines are broken
  unsigned char* named; // joints that were named in this function, per kind and index
  uint32_t* slot;       // of the piece's statements: where it is kept between parts; see emit_c_parts.c
} limb_emitter;

// ---- any language (emit.c, emit_statement.c) ----------------------------------------------------------

// The statements begin ... end - 1 of a piece with the stores that follow each; or lines begin ... end - 1.
void limb_emit_statements(limb_emitter* e, const limb_emitted* p, uint32_t begin, uint32_t end);
void limb_emit_lines(limb_emitter* e, const limb_emitted* p, uint32_t begin, uint32_t end);
// Whether a statement has no name: it is written into the one answer that it is for.
bool limb_emit_is_inline(const limb_emitted* p, uint32_t at);
// Stores of numbers, which follow all statements: how many, of which entry, and the text of some.
uint32_t limb_emit_number_count(const limb_emitted* p);
uint32_t limb_emit_number_entry(const limb_emitted* p, uint32_t i);
void limb_emit_numbers(limb_emitter* e, const limb_emitted* p, uint32_t begin, uint32_t end);

// What a node computes, and names and literals: to scratch.
void limb_emit_expression(limb_emitter* e, const limb_emitted* p, uint32_t node);
void limb_emit_value(limb_emitter* e, const limb_emitted* p, uint32_t node);      // t12, s3
void limb_emit_array_sine(limb_emitter* e, const limb_emitted* p, uint32_t node); // sine[2]
void limb_emit_leaf(limb_emitter* e, const limb_emitted* p, uint32_t node);       // and q[2], 0.5
void limb_emit_literal(limb_emitter* e, double x);
void limb_emit_name(limb_emitter* e, const char* name); // of an input or output
void limb_emit_index(limb_emitter* e, const char* name, uint32_t index);
void limb_emit_wrap(limb_emitter* e, bool open); // brackets, if the statement takes several lines
void limb_emit_begin(limb_emitter* e);           // a statement
void limb_emit_flush(limb_emitter* e);           // scratch, in lines

// Before the first statement of a function: no joint has been named.
void limb_emit_reset_joints(limb_emitter* e);
size_t limb_emit_joints_size(void); // bytes of met

// The name of an output of a function; another one than those of its inputs.
void limb_emit_output_name(const limb_emitter* e, const limb_function* f, int o, char name[64]);

// A line about gravity, where the function counts on it and it is no argument.
void limb_emit_gravity(limb_emitter* e, const limb_function* f, const char* begin);

// What may vanish for a robot, or for one of its states, and so has no size of its own: forces and their
// slopes. Differences are measured by the forces of ordinary motions, if these are larger.
bool limb_emit_may_be_zero(const limb_function* f);

// Whether it was asked for, and does not just serve the others.
bool limb_emit_is_quantity(const limb_function* f);

const char* limb_emit_reference(const limb_emitted* p); // what it was compared with

bool limb_emit_takes_input(const limb_emitter* e, const limb_function* f, limb_input_kind kind);
bool limb_emit_uses(const limb_emitted* p, limb_op op); // whether a live node is of that kind
bool limb_emit_any_uses(const limb_emitter* e, limb_op op);
static inline long limb_emit_bytes(const limb_emitter* e) // of a value, in all lanes
{
  return (long)(e->options.single ? sizeof(float) : sizeof(double)) * e->options.lanes;
}
static inline bool limb_emit_sines_in_arrays(const limb_emitter* e) // sines are read from arrays
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
  double** reference;         // of each piece: states x entries
  double* tolerance;          // of each piece, relative to the largest entry of an output
  double* scale;              // of each piece: what is large beside its rounding, where answers may vanish
  double forces;              // that the states take
  bool* from_library;         // of each piece
} limb_trial;

void limb_emit_c_test(limb_emitter* e, const limb_trial* t);

// ---- C ----------------------------------------------------------------------------------------------

// ---- words (emit_c_words.c) -----------------------------------------------------------------------------

void limb_c_head_comment(limb_emitter* e, const char* what); // comment at the top
void limb_c_lane_type(limb_emitter* e);                      // of lanes
void limb_c_prototype(limb_emitter* e, const limb_emitted* p, const char* end);
void limb_c_describe(limb_emitter* e, const limb_emitted* p);          // comment above a prototype
bool limb_c_sines_given(const limb_emitter* e, const limb_emitted* p); // takes arrays of sines

// Length of the arrays of sines that a function reads: those of the program, or its own.
uint32_t limb_c_sine_count(const limb_emitter* e, const limb_emitted* p);

// ---- sines as text (emit_sines.c) -----------------------------------------------------------------------

enum { LIMB_SINES_PAD = 4 }; // angles are done in groups of so many

void limb_c_define_sines(limb_emitter* e);

// ---- functions in parts (emit_c_parts.c) ----------------------------------------------------------------

typedef struct limb_c_parts {
  uint32_t count;               // of parts, besides the function that calls them
  uint32_t places;              // in w
  uint32_t* begin;              // of part k: its first line; part 0 is the function itself
  uint32_t* last;               // of a statement: the last line that reads its value
  uint32_t* ending;             // of a line: 1 + first statement whose value ends there
  uint32_t* next;               // of a statement: 1 + the next one that ends there
  uint32_t *seen, *list, *free; // work arrays, one element for each statement
  uint32_t* memory;
  size_t size;
} limb_c_parts;

// Whether some function is in parts; the word that begins one.
bool limb_c_is_split(const limb_emitter* e, const limb_emitted* p);
void limb_c_part_macro(limb_emitter* e);

// Stores of numbers, in parts where they are many: before the function, and in it.
void limb_c_numbers_define(limb_emitter* e, const limb_emitted* p);
void limb_c_numbers_call(limb_emitter* e, const limb_emitted* p);

bool limb_c_parts_begin(limb_emitter* e, const limb_emitted* p,
                        limb_c_parts* out); // false: no memory
void limb_c_parts_define(limb_emitter* e, const limb_emitted* p, const limb_c_parts* parts);
void limb_c_parts_call(limb_emitter* e, const limb_emitted* p, const limb_c_parts* parts);
void limb_c_parts_end(limb_emitter* e, const limb_emitted* p, limb_c_parts* parts);

// ---- reference values of the library (reference_values.c) -------------------------------------------

typedef struct limb_loop_reference limb_loop_reference;

// For a program that was traced with these options, which must live as long. Memory is the program's; what
// workspaces have is freed by limb_loop_reference_end. LIMB_E_NOMEM, or what kept the robot's own calls from
// being made.
limb_status limb_loop_reference_begin(const limb_model* m, const limb_codegen_options* options, limb_program* p,
                                      limb_loop_reference** out);
void limb_loop_reference_end(limb_loop_reference* r); // NULL is accepted

// A state for every seed, as functions of loops want it: q closes the loops, v and a fit to it, and the twist
// of a platform to these; all else at random. For robots without loops q is anything. input: room for the
// components of every kind but gravity and parameters; those of forces and twists may be NULL.
// LIMB_E_NOCONV: no such state.
limb_status limb_loop_reference_state(limb_loop_reference* r, uint64_t seed, double* const input[INPUT_KINDS]);

// The outputs of a function, one behind the other. LIMB_E_UNSUPPORTED: it is none of
// these.
limb_status limb_loop_reference_values(limb_loop_reference* r, const limb_function* f,
                                       const double* const input[INPUT_KINDS], double* out);

typedef struct limb_reference {
  const limb_model* m;
  limb_allocator alloc;
  limb_data* d;
  limb_environment env;
  int frame;                  // of J and pose
  limb_loop_reference* loops; // NULL: the robot has none
} limb_reference;

// Entries of all outputs of f, one after the other, in one state. LIMB_E_UNSUPPORTED: no call of the library
// answers that; LIMB_E_SINGULAR and so on: the call did.
limb_status limb_reference_values(const limb_reference* x, const limb_function* f,
                                  const double* const input[INPUT_KINDS], double* out);

// ---- options and names (codegen_options.c) --------------------------------------------------------------

// LIMB_E_ARG with a sentence for options that do not go together; statements: too large for the language.
limb_status limb_codegen_check_options(const limb_codegen_options* o, limb_error* error);
limb_status limb_codegen_check_size(const limb_codegen_options* o, const limb_emitted* p, limb_error* error);

// The prefix: as asked for (LIMB_E_ARG when it is no identifier), or made from the name of the robot.
limb_status limb_codegen_make_prefix(const limb_codegen_options* o, const char* robot, char* prefix, size_t room,
                                     limb_error* error);

// ---- comparison with the library (codegen_check.c) ------------------------------------------------------

enum { LIMB_TRIAL_STATES = 5 };

// Random states and room for answers, in the program's memory. any_gravity: random as well, not the robot's
// own. LIMB_E_NOMEM.
limb_status limb_trial_create(const limb_model* m, limb_program* p, bool random_gravity, limb_trial* out);

// Makes states of a robot with loops such that these are closed, where that can be done.
void limb_trial_close(limb_trial* t, const limb_program* p, limb_loop_reference* loops);

// Answers to function number k: those of the library, or where no call of it answers, of the edges
// themselves. To be called before they are simplified. LIMB_E_UNSUPPORTED with a sentence when the quantity
// is singular.
limb_status limb_trial_reference(limb_trial* t, limb_reference* x, limb_program* p, int k, limb_error* error);

// Compares the edges with the answers: the largest relative difference, and the tolerance of the test
// program. LIMB_E_UNSUPPORTED when they are not the same.
limb_status limb_trial_compare(limb_trial* t, limb_program* p, int k, bool single, double* difference,
                               limb_error* error);

#endif
