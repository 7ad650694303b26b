// Common parts of controllers.
#ifndef LIMB_CONTROL_IMPL_H
#define LIMB_CONTROL_IMPL_H

#include "limb/control.h"

#include "base/number.h"

#include <stdbool.h>

// Arrays in the caller's `work`.
typedef struct control_work {
  double *e, *e1, *a;    // nv: errors, and the acceleration of the goal
  double *x, *y;         // nv: scratch
  double *J, *Jbar;      // 6 x nv, nv x 6
  double* task;          // of limb_task_dynamics
  unsigned char* active; // nv: 1 where there is a motor
} control_work;

control_work limb_control_lay_out(const limb_model* m, double* work);

// A joint controller: its checked arguments, and the errors.
typedef struct controller {
  const limb_model* m;
  int nv;
  int passive; // velocities without a motor
  limb_control c;
  control_work r;
} controller;

limb_status limb_control_begin(const limb_model* m, const double* q, const double* v, const limb_goal* goal,
                               const limb_control* control, double* work, controller* out);

// Marks the velocities with motors and counts those without.
limb_status limb_control_mark(const limb_model* m, unsigned char* active, int* passive);

// Checks that nv gains are finite and not negative; NULL is accepted.
limb_status limb_control_check_gains(const limb_model* m, const double* gain);

// Adds kp e + kd e1 to x where there is a motor; everywhere if active is NULL.
void limb_control_add_pd(const controller* t, const unsigned char* active, double* x);

// Checks that torques are finite, and limits them if requested.
limb_status limb_control_finish(const limb_model* m, int saturate, double* tau);

// ---- formulas -----------------------------------------------------------------------------------------------

// Formulas: the compiled form, and the parser that makes it.
//
// A formula is a program for a stack machine: numbers and values of names are pushed; an operation takes its
// arguments from the top and pushes its result. The parser bounds the height of the stack.

// X(ENUM, arguments, value): a are the arguments.
#define LIMB_OPERATOR_LIST(X)       \
  X(NEGATE, 1, -a[0])               \
  X(ADD, 2, a[0] + a[1])            \
  X(SUBTRACT, 2, a[0] - a[1])       \
  X(MULTIPLY, 2, a[0] * a[1])       \
  X(DIVIDE, 2, a[0] / a[1])         \
  X(POWER, 2, pow(a[0], a[1]))      \
  X(LESS, 2, a[0] < a[1])           \
  X(NOT_ABOVE, 2, a[0] <= a[1])     \
  X(ABOVE, 2, a[0] > a[1])          \
  X(NOT_LESS, 2, a[0] >= a[1])      \
  X(SAME, 2, a[0] == a[1])          \
  X(OTHER, 2, a[0] != a[1])         \
  X(AND, 2, a[0] != 0 && a[1] != 0) \
  X(OR, 2, a[0] != 0 || a[1] != 0)  \
  X(NOT, 1, a[0] == 0)

// X(ENUM, name, min, max, value): a are the arguments, n their number, from min to max.
#define LIMB_FUNCTION_LIST(X)                                     \
  X(SIN, "sin", 1, 1, sin(a[0]))                                  \
  X(COS, "cos", 1, 1, cos(a[0]))                                  \
  X(TAN, "tan", 1, 1, tan(a[0]))                                  \
  X(ASIN, "asin", 1, 1, asin(a[0]))                               \
  X(ACOS, "acos", 1, 1, acos(a[0]))                               \
  X(ATAN, "atan", 1, 1, atan(a[0]))                               \
  X(ATAN2, "atan2", 2, 2, atan2(a[0], a[1]))                      \
  X(SINH, "sinh", 1, 1, sinh(a[0]))                               \
  X(COSH, "cosh", 1, 1, cosh(a[0]))                               \
  X(TANH, "tanh", 1, 1, tanh(a[0]))                               \
  X(EXP, "exp", 1, 1, exp(a[0]))                                  \
  X(LOG, "log", 1, 1, log(a[0]))                                  \
  X(LOG10, "log10", 1, 1, log10(a[0]))                            \
  X(SQRT, "sqrt", 1, 1, sqrt(a[0]))                               \
  X(CBRT, "cbrt", 1, 1, cbrt(a[0]))                               \
  X(ABS, "abs", 1, 1, fabs(a[0]))                                 \
  X(SIGN, "sign", 1, 1, (a[0] > 0) - (a[0] < 0))                  \
  X(FLOOR, "floor", 1, 1, floor(a[0]))                            \
  X(CEIL, "ceil", 1, 1, ceil(a[0]))                               \
  X(ROUND, "round", 1, 1, round(a[0]))                            \
  X(MOD, "mod", 2, 2, modulo(a[0], a[1]))                         \
  X(HYPOT, "hypot", 2, 2, hypot(a[0], a[1]))                      \
  X(MIN, "min", 2, MAX_ARGUMENTS, smallest(n, a))                 \
  X(MAX, "max", 2, MAX_ARGUMENTS, largest(n, a))                  \
  X(CLAMP, "clamp", 3, 3, fmin(fmax(a[0], a[1]), a[2]))           \
  X(STEP, "step", 1, 1, a[0] >= 0)                                \
  X(PULSE, "pulse", 3, 3, a[0] >= a[1] && a[0] < a[2])            \
  X(SMOOTHSTEP, "smoothstep", 3, 3, smoothstep(a[0], a[1], a[2])) \
  X(SELECT, "if", 3, 3, a[0] != 0 ? a[1] : a[2])

enum { MAX_ARGUMENTS = LIMB_FORMULA_MAX_DEPTH };

enum {
  OP_NUMBER, // pushes number[index]
  OP_SYMBOL, // pushes x[index]
#define LIMB_X(name, arguments, value) OP_##name,
  LIMB_OPERATOR_LIST(LIMB_X)
#undef LIMB_X
#define LIMB_X(name, text, min, max, value) OP_##name,
    LIMB_FUNCTION_LIST(LIMB_X)
#undef LIMB_X
};

typedef struct formula_step {
  uint8_t op;
  uint8_t count;  // of arguments
  uint16_t index; // into numbers or symbols
} formula_step;

struct limb_formula {
  limb_allocator alloc;
  size_t size; // of the one block that it is
  int nstep, nnumber, nsymbol;
  double* number;
  int* symbol; // what names.find returned
  formula_step* step;
};

// ---- reading --------------------------------------------------------------------------------------------

enum { NAME_SIZE = 128 };

typedef struct formula_parser {
  const char* text;
  const char* at; // the next character
  limb_formula_names names;
  limb_formula* e;
  limb_error* err;
  const char* what; // "formula" or "condition", for messages
  int nesting;      // of brackets, signs, powers
  int height;       // of the stack

  const limb_dimension* expected; // NULL: any
  const char* odd;                // the first unit of another dimension; NULL: none
  int odd_length;
} formula_parser;

// An error at a position in the text; returns false.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool limb_formula_fail(const formula_parser* p, const char* at, const char* format, ...);

// Length of the unquoted name at s; 0: none.
size_t limb_name_length(const char* s);

const char* limb_skip_space(const char* s);

// The grammar: formula_parse.c. False after an error.
bool limb_parse_formula(formula_parser* p);
bool limb_parse_condition(formula_parser* p, int* direction);

// ---- words: formula_words.c -----------------------------------------------------------------------------

typedef struct formula_function {
  const char* name;
  int op, min, max; // arguments
} formula_function;

const formula_function* limb_find_function(const char* name);    // NULL: unknown
int limb_find_symbol(const formula_parser* p, const char* name); // -1: unknown
bool limb_is_keyword(const char* name);                          // and, or, not

// Errors with a suggestion; return false.
bool limb_no_such_word(const formula_parser* p, const char* at, const char* name);
bool limb_no_such_symbol(const formula_parser* p, const char* at, const char* name); // in quotes
bool limb_no_such_function(const formula_parser* p, const char* at, const char* name);

#define FORMULA_PI 3.14159265358979323846

// Reads a number and its unit.
bool limb_read_quantity(formula_parser* p, double* x);

#endif
