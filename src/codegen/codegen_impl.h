// What the files behind limb/codegen.h share: emitters, reference values of the library, and their comparison.
//
//   emit_expression.c, emit_statement.c   expressions, statements and lines; each language is a table
//   emit_c.c, emit_c_files.c, emit_c_split.c   C
//   emit_script.c                         the other languages; templates of all
//   reference_values.c, codegen_check.c   values of the library, and how far generated code is from them
#ifndef LIMB_CODEGEN_CODEGEN_IMPL_H
#define LIMB_CODEGEN_CODEGEN_IMPL_H

#include "limb/codegen.h"
#include "limb/parallel.h"
#include "limb/quantities.h"

#include "codegen/program.h"
#include "codegen/schedule.h"
#include "codegen/text.h"

enum { LIMB_LINE = 100 }; // columns

// The syntax of a language. In its strings, \v is a blank where a line may be broken.
typedef struct limb_syntax {
  limb_language language;
  int first; // index
  const char *comment, *comment_end;
  const char* indent;                // of statements
  const char *declare, *typed;       // before a new name: a keyword, and the type (%s); NULL: no type
  const char *assign, *end;          // t1 assign expression end
  const char *continuation, *margin; // at the end of a broken line, and at the begin of the next
  const char *open, *close;          // of an index of a vector
  const char* matrix;                // of a row and a column; NULL: one index, row by row
  const char *times, *over;          // NULL: a fraction
  const char* call[5];               // sine, cosine, root, sign, hyperbolic tangent; sign NULL: a function of ours
  bool wrapped;                      // expressions of several lines stand in brackets
  bool typed_calls;                  // f64::sin
  // Templates (limb_emit_template): the first lines of a file after its comment, begin and end of a function, zeros of
  // an output that is a vector or a matrix, a function for signs; NULL: nothing.
  // judge: what a function does where one of its margins is not positive; judged: the same in words.
  const char *opening, *begin, *finish, *zeros, *zero_rows, *sign, *judge, *judged;
} limb_syntax;

// A function that is ready to be written, with the facts for its comments.
typedef struct limb_emitted {
  const limb_function* f;
  limb_schedule schedule;
  limb_operations operations;
  uint32_t* given;      // index of each angle among those of the program
  double difference;    // relative difference from the reference, in the states tried
  bool by_acceleration; // the difference is relative to accelerations
  bool from_library;    // compared with the library, not with its own expressions
  long kept;            // bytes in arrays: own sines, values shared between parts
  long stack;           // bytes live at once, those included
  char name[160];       // in the text
} limb_emitted;

typedef struct limb_emitter {
  const limb_program* program;
  const limb_syntax* syntax;
  limb_codegen_options options;
  char prefix[96];
  const char* real; // "double"
  char value[128];  // type of inputs and outputs: real, or lanes of it
  limb_emitted* function;
  int nfunction;
  int inside;           // depth of fractions and roots: no line breaks inside
  uint32_t nangle;      // angles of the program, when sines are given
  int states;           // number of states tried
  limb_text* text;      // output
  limb_text scratch;    // a statement before its lines are broken
  unsigned char* named; // joints named so far in this function, per kind and index
  uint32_t* slot;       // 1 + index in w of each statement's value; 0: not shared (emit_c_split.c)
} limb_emitter;

// ---- any language (emit_expression.c, emit_statement.c) ------------------------------------------------------------

// Writes statements begin ... end - 1 with the stores that follow each, or lines begin ... end - 1.
void limb_emit_statements(limb_emitter* e, const limb_emitted* p, uint32_t begin, uint32_t end);
void limb_emit_lines(limb_emitter* e, const limb_emitted* p, uint32_t begin, uint32_t end);
// Whether a statement has no name: it is written directly into the one output that it computes.
bool limb_emit_is_inline(const limb_emitted* p, uint32_t at);
// Stores of constants, which follow all statements: their number, their entries, their text.
uint32_t limb_emit_number_count(const limb_emitted* p);
uint32_t limb_emit_number_entry(const limb_emitted* p, uint32_t i);
void limb_emit_numbers(limb_emitter* e, const limb_emitted* p, uint32_t begin, uint32_t end);

// Expressions, names and literals; written to scratch.
void limb_emit_expression(limb_emitter* e, const limb_emitted* p, uint32_t node);
void limb_emit_value(limb_emitter* e, const limb_emitted* p, uint32_t node);      // t12, s3
void limb_emit_array_sine(limb_emitter* e, const limb_emitted* p, uint32_t node); // sine[2]
void limb_emit_leaf(limb_emitter* e, const limb_emitted* p, uint32_t node);       // and q[2], 0.5
void limb_emit_literal(limb_emitter* e, double x);
void limb_emit_name(limb_emitter* e, const char* name); // of an input or output
void limb_emit_index(limb_emitter* e, const char* name, uint32_t index);
void limb_emit_wrap(limb_emitter* e, bool open); // brackets, if the statement spans several lines
void limb_emit_begin(limb_emitter* e);           // begins a statement in scratch
void limb_emit_flush(limb_emitter* e);           // writes scratch, broken into lines

// Forgets which joints were named: before the first statement of a function.
void limb_emit_reset_joints(limb_emitter* e);
size_t limb_emit_joints_size(void); // bytes of `named`

bool limb_emit_sines_given(const limb_emitter* e, const limb_emitted* p); // takes arrays of sines

// Arguments of a function, or of one of its parts, to scratch.
typedef struct limb_arguments {
  unsigned inputs, outputs; // 1 << kind, 1 << output
  bool sines;               // arrays of sines and cosines
  bool reads, writes;       // w, the values that parts share
  uint32_t places;          // length of w
  bool types;               // with types and lengths where the language has them: for a definition
} limb_arguments;

void limb_emit_arguments(limb_emitter* e, const limb_emitted* p, const limb_arguments* a);

// All inputs, and the outputs where these are arguments.
limb_arguments limb_emit_all_arguments(const limb_emitter* e, const limb_emitted* p, bool types);

// Writes lines in which @ and a letter stand for what belongs to the robot, a function p and its output o: @N name of
// the function, @P prefix, @R real, @V type of values, @S suffix of float in C, @B the number whose sum rounds, @D
// from float in Rust, @A arguments, @T types of the outputs in Rust, @O names of the outputs, @( @) brackets where
// there are several, @< @> @{ @} the same of a result that may be none in Rust, @o @r @c name, rows and columns of the
// output, @F a field for each function.
void limb_emit_template(limb_emitter* e, const limb_emitted* p, int o, const char* lines);

// The name of an output of a function, distinct from those of its inputs.
void limb_emit_output_name(const limb_emitter* e, const limb_function* f, int o, char name[64]);

// A line with the inserted gravity, where the function depends on it.
void limb_emit_gravity(limb_emitter* e, const limb_function* f, const char* begin);

const char* limb_emit_reference(const limb_emitted* p); // what it was compared with, in words

bool limb_emit_takes_input(const limb_emitter* e, const limb_function* f, limb_input_kind kind);
bool limb_emit_uses(const limb_emitted* p, limb_op op); // whether some live node has this operation
bool limb_emit_any_uses(const limb_emitter* e, limb_op op);
static inline long limb_emit_bytes(const limb_emitter* e) // of a value, in all lanes
{
  return (long)(e->options.single ? sizeof(float) : sizeof(double)) * e->options.lanes;
}
static inline bool limb_emit_sines_in_arrays(const limb_emitter* e) // sines are read from arrays
{
  return e->options.sines != LIMB_SINES_LIBM;
}

// ---- languages -----------------------------------------------------------------------------------------------------

extern const limb_syntax limb_syntaxes[]; // by language (emit_expression.c)

void limb_emit_c_source(limb_emitter* e);
void limb_emit_c_header(limb_emitter* e);
void limb_emit_script(limb_emitter* e);

// Random states and reference values, for the comparison and the test program.
typedef struct limb_trial_of {
  double* reference; // states x entries
  double tolerance;  // of the test program, relative to the largest entry of an output
  double scale;      // differences are relative to at least this
  bool from_library;
} limb_trial_of;

typedef struct limb_trial {
  int states;
  double* input[INPUT_KINDS]; // states x count
  limb_trial_of* of;          // for each function
  double forces;              // largest joint force in the states
} limb_trial;

void limb_emit_c_test(limb_emitter* e, const limb_trial* t);

// ---- C -------------------------------------------------------------------------------------------------------------

// comments and prototypes (emit_c_files.c)
void limb_c_head_comment(limb_emitter* e, const char* what); // comment at the top of a file
void limb_c_lane_type(limb_emitter* e);                      // of lanes
void limb_c_prototype(limb_emitter* e, const limb_emitted* p, const char* end);
void limb_c_describe(limb_emitter* e, const limb_emitted* p); // comment above a prototype

// Length of the arrays of sines that a function reads: all of the program, or its own.
uint32_t limb_c_sine_count(const limb_emitter* e, const limb_emitted* p);

// sines in the text (emit_c.c)
enum { LIMB_SINES_PAD = 4 }; // angles are computed in groups of this size

void limb_c_define_sines(limb_emitter* e);

// functions in parts (emit_c_split.c)
typedef struct limb_c_parts {
  uint32_t count;               // number of parts, without the function that calls them
  uint32_t places;              // length of w
  uint32_t* begin;              // first line of part k; part 0 is the function itself
  uint32_t* last;               // last line that reads the value of a statement
  uint32_t* ending;             // 1 + first statement whose value dies on a line
  uint32_t* next;               // 1 + next statement whose value dies on the same line
  uint32_t *seen, *list, *free; // work arrays, one element for each statement
  uint32_t* memory;
  size_t size;
} limb_c_parts;

// Whether a function is split; the macro that declares its parts.
bool limb_c_is_split(const limb_emitter* e, const limb_emitted* p);
void limb_c_part_macro(limb_emitter* e);

// Stores of constants, in parts if there are many: their definitions, and the calls.
void limb_c_numbers_define(limb_emitter* e, const limb_emitted* p);
void limb_c_numbers_call(limb_emitter* e, const limb_emitted* p);

bool limb_c_parts_begin(limb_emitter* e, const limb_emitted* p,
                        limb_c_parts* out); // false: no memory
void limb_c_parts_define(limb_emitter* e, const limb_emitted* p, const limb_c_parts* parts);
void limb_c_parts_call(limb_emitter* e, const limb_emitted* p, const limb_c_parts* parts);
void limb_c_parts_end(limb_emitter* e, const limb_emitted* p, limb_c_parts* parts);

// ---- reference values of the library (reference_values.c) ----------------------------------------------------------

// The library at hand for a robot: evaluators of the registry, of the robot and of its spanning tree, and what it has
// no names for.
typedef struct limb_reference {
  const limb_model* m;
  limb_environment env;
  limb_evaluator *closed, *tree;
  limb_data* d;            // of the spanning tree
  limb_data* w;            // loops closed; NULL: the robot has no loops, as the next one
  limb_parallel* parallel; // NULL: not a parallel robot
  limb_parallel_info platform;
  int ny;
  unsigned char* independent; // nv marks of generated code; all 1 where no choice holds everywhere
  double* work;               // scratch for calls that write more than is needed
} limb_reference;

// For a program traced with these options. Some memory is the program's. LIMB_E_NOMEM, or the status of the library's
// calls. To be ended in any case.
limb_status limb_reference_begin(const limb_model* m, const limb_codegen_options* options, limb_program* p,
                                 limb_reference* x);
void limb_reference_end(limb_reference* x);

// A random state for every seed in which q closes the loops, v and a satisfy them, and the twist of the platform
// matches. For robots without loops q is arbitrary. input: arrays for every kind but gravity and parameters; those of
// forces and twists may be NULL. LIMB_E_NOCONV: no such state was found.
limb_status limb_reference_state(limb_reference* x, uint64_t seed, double* const input[INPUT_KINDS]);

// Entries of all outputs of f, one after the other, in one state. LIMB_E_UNSUPPORTED: a helper, or the library has no
// such call; other statuses are those of the call.
limb_status limb_reference_values(limb_reference* x, const limb_function* f, const double* const input[INPUT_KINDS],
                                  double* out);

// Values of the functions that are not in the registry.
limb_status limb_reference_velocity_map(limb_reference* x, const double* const* input, double* out);
limb_status limb_reference_reduced_mass(limb_reference* x, const double* const* input, double* out);
limb_status limb_reference_reduced_bias(limb_reference* x, const double* const* input, double* out);
limb_status limb_reference_platform_tau(limb_reference* x, const double* const* input, double* out);
limb_status limb_reference_platform_acc(limb_reference* x, const double* const* input, double* out);
limb_status limb_reference_platform_jacobian(limb_reference* x, const double* const* input, double* out);

// ---- options and names (codegen_options.c) -------------------------------------------------------------------------

// LIMB_E_ARG with a message for options that exclude each other; LIMB_E_UNSUPPORTED for functions too large for the
// language.
limb_status limb_codegen_check_options(const limb_codegen_options* o, limb_error* error);
limb_status limb_codegen_check_size(const limb_codegen_options* o, const limb_emitted* p, limb_error* error);

// The prefix of the options (LIMB_E_ARG if it is not an identifier), or one made from the name of the robot.
limb_status limb_codegen_make_prefix(const limb_codegen_options* o, const char* robot, char* prefix, size_t size,
                                     limb_error* error);

// ---- comparison with the library (codegen_check.c) -----------------------------------------------------------------

enum { LIMB_TRIAL_STATES = 5 };

// Random states, in the program's memory. random_gravity: instead of the robot's own. LIMB_E_NOMEM.
limb_status limb_trial_create(const limb_model* m, limb_program* p, bool random_gravity, limb_trial* out);

// Replaces the states of a robot with loops by states that close them, where such states are found.
void limb_trial_close(limb_trial* t, const limb_program* p, limb_reference* x);

// Takes the status from function k if one of its margins is not positive in one of the states, none of which is
// singular: so does a light body far below all the inertia that its joint might carry. LIMB_E_NOMEM.
limb_status limb_trial_judge(const limb_trial* t, limb_program* p, int k, bool single);

// Reference values of function k: those of the library, or, where it has no such call, of the expressions themselves.
// To be called before they are simplified. LIMB_E_UNSUPPORTED with a message if the quantity is singular.
limb_status limb_trial_reference(limb_trial* t, limb_reference* x, limb_program* p, int k, limb_error* error);

// Compares the expressions with the reference values: the largest relative difference, and the tolerance of the test
// program. LIMB_E_UNSUPPORTED if they differ.
limb_status limb_trial_compare(limb_trial* t, limb_program* p, int k, bool single, double* difference,
                               limb_error* error);

#endif
