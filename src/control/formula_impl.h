// The compiled form of an expression, and the parser that makes it.
//
// A program for a machine with a stack: numbers and values of names are pushed, an operation takes its
// arguments from the top and leaves its result there. How high the stack grows is known when the program is
// made.
#ifndef LIMB_EXPRESSION_IMPL_H
#define LIMB_EXPRESSION_IMPL_H

#include "limb/expression.h"

#include <stdbool.h>

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

// X(ENUM, name, least, most, value): a are the arguments, n their number.
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
  X(MIN, "min", 2, MOST_ARGUMENTS, smallest(n, a))                \
  X(MAX, "max", 2, MOST_ARGUMENTS, largest(n, a))                 \
  X(CLAMP, "clamp", 3, 3, fmin(fmax(a[0], a[1]), a[2]))           \
  X(STEP, "step", 1, 1, a[0] >= 0)                                \
  X(PULSE, "pulse", 3, 3, a[0] >= a[1] && a[0] < a[2])            \
  X(SMOOTHSTEP, "smoothstep", 3, 3, smoothstep(a[0], a[1], a[2])) \
  X(SELECT, "if", 3, 3, a[0] != 0 ? a[1] : a[2])

enum { MOST_ARGUMENTS = LIMB_EXPRESSION_DEEPEST };

enum {
  OP_NUMBER, // pushes number[index]
  OP_SYMBOL, // pushes x[index]
#define LIMB_X(name, arguments, value) OP_##name,
  LIMB_OPERATOR_LIST(LIMB_X)
#undef LIMB_X
#define LIMB_X(name, text, least, most, value) OP_##name,
    LIMB_FUNCTION_LIST(LIMB_X)
#undef LIMB_X
};

typedef struct expression_step {
  uint8_t op;
  uint8_t count;  // of arguments
  uint16_t index; // into numbers or symbols
} expression_step;

struct limb_expression {
  limb_allocator alloc;
  size_t size; // of the one block that it is
  int nstep, nnumber, nsymbol;
  double* number;
  int* symbol; // what the caller calls them
  expression_step* step;
};

// ---- reading ----------------------------------------------------------------------------------------

enum { NAME_SPACE = 128 };

typedef struct expression_parser {
  const char* text;
  const char* at; // what is read next
  limb_expression_names names;
  limb_expression* e;
  limb_error* err;
  const char* what; // "expression" or "condition"
  int nesting;      // of brackets, signs, powers
  int waiting;      // values on the stack
} expression_parser;

// An error at a place of the text; always false.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool limb_expression_fail(const expression_parser* p, const char* at, const char* format, ...);

// Length of the name at a place, as names are without quotes; 0: there is none.
size_t limb_name_length(const char* s);

const char* limb_skip_space(const char* s);

// ---- words (formula_words.c) ------------------------------------------------------------------------

typedef struct expression_function {
  const char* name;
  int op, least, most; // arguments
} expression_function;

const expression_function* limb_find_function(const char* name);    // NULL: no such
int limb_find_symbol(const expression_parser* p, const char* name); // -1: no such
bool limb_is_keyword(const char* name);                             // and, or, not

// Errors that say what may have been meant; always false.
bool limb_no_such_word(const expression_parser* p, const char* at, const char* name);
bool limb_no_such_symbol(const expression_parser* p, const char* at, const char* name); // in quotes
bool limb_no_such_function(const expression_parser* p, const char* at, const char* name);

// ---- numbers (formula_units.c) ----------------------------------------------------------------------

#define EXPRESSION_PI 3.14159265358979323846

// A number and its unit.
bool limb_read_quantity(expression_parser* p, double* x);

// Whether a word is a unit.
bool limb_is_unit(const char* word, size_t length);

#endif
