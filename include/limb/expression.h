// limb: robot dynamics in C. A small safe language for formulas and conditions.
//
//     2 Nm * sin(2*pi * 0.5 Hz * t) - 30 * (q.elbow - 90deg)
//     if(t < 1 s, 0, clamp(5*t, 0, 20 N))
//     q.theta1 = 150deg                      a condition
//
// Numbers are decimal, and may have a unit behind them, glued or after a space: a factor to SI, no more.
// Quantities are not checked for dimensions. Units may be multiplied, divided and raised to whole powers, all
// without spaces: 30 deg/s, 9.81m/s^2, 4 N*s/m. There are
//     rad deg rev   rpm   um mm cm m km   us ms s min h   g kg   mN N kN   mNm Nm kNm   Hz kHz
//     mJ J kJ   mW W kW   %
// (1 Hz is 1/s; rpm is 2 pi/60 rad/s.) An exponent behind a unit belongs to the unit: 5 m^2 is 5. A word that
// is a unit and a name as well is an error where it could be either.
//
// Operators, weakest first; the last is grouped from the right, the others from the left:
//     c ? a : b      or      and      not      < <= > >= = == !=      + -      * /      - +      ^
// so -2^2 is -4. Comparisons are 1 or 0 and cannot be chained (a < b and b < c); what is not 0 is true.
//
// Constants: pi, e. Functions:
//     sin cos tan asin acos atan sinh cosh tanh exp log log10 sqrt cbrt abs floor ceil round (of one x)
//     atan2(y, x)   hypot(x, y)   mod(x, y): x - y floor(x / y)   sign(x): -1, 0, 1
//     min(...) max(...): two or more   clamp(x, low, high)   if(c, a, b): as c ? a : b
//     step(x): 1 from 0 on, else 0   pulse(x, from, to): 1 from `from` until before `to`, else 0
//     smoothstep(x, from, to): 0, then 3 s^2 - 2 s^3 with s = (x - from) / (to - from), then 1
// Names are letters, digits, _ and dots inside (q.theta1, v.elbow.wx); any other in single quotes:
// 'q.my-joint'. What a name in quotes says is never a word of the language.
//
// A result that has no value (log(-1), 0/0) is NaN, and whatever uses it is NaN, too, but for the branch of a
// choice that is not taken. Nothing here reads the locale, files, time or the environment.
// docs/simulation.md. Link limb_sim.
//
// This header belongs to the library limb_sim.
#ifndef LIMB_EXPRESSION_H
#define LIMB_EXPRESSION_H

#include "limb/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A formula, compiled. It cannot change, and threads may share it.
typedef struct limb_expression limb_expression;

enum {
  LIMB_EXPRESSION_LONGEST = 4096, ///< characters of a text
  LIMB_EXPRESSION_DEEPEST = 64    ///< brackets within brackets, and values that wait for others
};

/// Which names there are.
typedef struct limb_expression_names {
  int (*find)(void* context, const char* name); ///< a number of the caller's choice; -1: no such
  const char* (*name)(void* context, int i);    ///< the i-th, NULL behind the last: only for
                                                ///< suggestions; NULL: none are made
  void* context;
} limb_expression_names;

/// Compiles a formula.
/// @param names  NULL: there are none
/// @param out    (output)
/// @param err    on LIMB_E_SYNTAX line and column in the text, and one sentence; NULL: not wanted
/// @return LIMB_OK; LIMB_E_SYNTAX; LIMB_E_ARG (text or out is NULL, half an allocator, names without find);
///         LIMB_E_NOMEM.
/// O(length), times the number of different names.
LIMB_NODISCARD LIMB_API limb_status limb_expression_parse(const char* text, const limb_expression_names* names,
                                                          const limb_allocator* alloc, limb_expression** out,
                                                          limb_error* err);

/// Compiles a condition: exactly one comparison of two formulas. Its value is left - right, which goes
/// through zero when the condition is met.
/// @param direction  1 for > and >= (rising), -1 for < and <= (falling), 0 for = and == (both) (output)
/// Everything else as limb_expression_parse.
LIMB_NODISCARD LIMB_API limb_status limb_condition_parse(const char* text, const limb_expression_names* names,
                                                         const limb_allocator* alloc, limb_expression** out,
                                                         int* direction, limb_error* err);

LIMB_API void limb_expression_destroy(limb_expression* e); ///< NULL is accepted

/// How many different names it uses; 0 for NULL, and for a constant.
LIMB_API int limb_expression_symbol_count(const limb_expression* e);

/// What `find` said of the i-th of them, in the order in which they come in the text; -1: no such.
LIMB_API int limb_expression_symbol(const limb_expression* e, int i);

/// Its value. Allocates nothing, leaves errno as it was; what is not finite is returned as it is. NaN when e
/// is NULL, or x is and it uses names. O(length).
/// @param x  values of its names, limb_expression_symbol_count of them
LIMB_API double limb_expression_value(const limb_expression* e, const double* x);

#ifdef __cplusplus
}
#endif

#endif
