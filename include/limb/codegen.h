// limb: robot dynamics in C. From a robot to source text: functions for this robot alone.
//
// The kernels of the library are run over symbols instead of numbers, and what they do is written down:
// straight-line code without branches, loops, memory or includes but math.h (sines of its own have a loop
// over the angles). Whatever is zero, one, or the same for this robot is gone from it.
//
//     limb_codegen_options o = limb_default_codegen_options();
//     o.what = "id,M";
//     limb_codegen* c;
//     limb_codegen_create(model, &o, NULL, &c, &error);
//     limb_codegen_write(c, LIMB_FILE_SOURCE, print, file);
//     limb_codegen_free(c);
//
// Before anything is handed out, the expressions are evaluated in random states and compared with the
// library's own answers; limb_codegen_create fails if they disagree.
#ifndef LIMB_CODEGEN_H
#define LIMB_CODEGEN_H

#include "limb/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Values are pinned.
typedef enum limb_language {
  LIMB_LANGUAGE_C = 0, ///< C99
  LIMB_LANGUAGE_PYTHON = 1,
  LIMB_LANGUAGE_MATLAB = 2, ///< and Octave
  LIMB_LANGUAGE_JULIA = 3,
  LIMB_LANGUAGE_RUST = 4,
  LIMB_LANGUAGE_LATEX = 5
} limb_language;

/// Where sines and cosines come from.
typedef enum limb_sines {
  LIMB_SINES_LIBM = 0,  ///< math.h
  LIMB_SINES_GIVEN = 1, ///< arguments of the functions: arrays of sines and cosines of the angles
  LIMB_SINES_OWN = 2    ///< polynomials in the text itself, for angles within +-1e5; C only
} limb_sines;

/// Which numbers of the robot stay symbols, and become an argument p. A function <prefix>_parameters, which
/// has no other arguments, gives this robot's own; docs/codegen.md tells what they are.
typedef enum limb_symbols {
  LIMB_SYMBOLS_NONE = 0,    ///< all are inserted
  LIMB_SYMBOLS_INERTIA = 1, ///< base (regrouped) inertial parameters that are not zero
  LIMB_SYMBOLS_ALL = 2      ///< lengths between joints as well
} limb_symbols;

/// What the order of statements, and of the terms of sums, is made for.
typedef enum limb_statement_order {
  LIMB_ORDER_AHEAD = 0,    ///< processors that work ahead: no value is waited for longer than it must be
  LIMB_ORDER_REGISTERS = 1 ///< small ones: as few values as possible are alive at once
} limb_statement_order;

typedef enum limb_codegen_file {
  LIMB_FILE_SOURCE = 0,
  LIMB_FILE_HEADER = 1, ///< C: prototypes, meaning of arguments, counts; others: empty
  LIMB_FILE_TEST = 2    ///< C: a program that compares with answers of the library; others: empty
} limb_codegen_file;

/// Start from limb_default_codegen_options(); NULL stands for that.
typedef struct limb_codegen_options {
  size_t size;            ///< sizeof(limb_codegen_options), set by the default function
  const char* what;       ///< quantities (limb_quantity_name), separated by commas; "all": those that the
                          ///< robot has; default "id"
  limb_language language; ///< default C
  limb_sines sines;
  limb_symbols symbols;
  const char* prefix; ///< of all names; NULL: made from the name of the robot
  const char* frame;  ///< of J and pose (NULL: the last body that is a leaf), and the platform
  int single;         ///< not 0: float instead of double (C, Rust)
  int lanes;          ///< states at once in vectors of GCC and clang: 1, 2, 4, 8 or 16; default 1 (C)
  int most;           ///< statements of a function, from 10 on; longer ones are split into parts, which
                      ///< the function calls; 0: never (C)
  int gravity;        ///< not 0: gravity is an argument
  int friction;       ///< not 0: friction counts in forces and what is made of them (limb_environment);
                      ///< default 1
  limb_statement_order order;
  double effort;        ///< time to look for fewer operations, about in seconds; default 1; 0: none
  double coulomb_width; ///< 1e-9 to 1e9: friction by tanh(v / width) instead of its sign; default
                        ///< 0: its sign
} limb_codegen_options;

static inline limb_codegen_options limb_default_codegen_options(void)
{
  const limb_codegen_options o = {sizeof(limb_codegen_options),
                                  "id",
                                  LIMB_LANGUAGE_C,
                                  LIMB_SINES_LIBM,
                                  LIMB_SYMBOLS_NONE,
                                  NULL,
                                  NULL,
                                  0,
                                  1,
                                  0,
                                  0,
                                  1,
                                  LIMB_ORDER_AHEAD,
                                  1,
                                  0};
  return o;
}

/// Quantities that can be asked for, in the order of the list in docs/codegen.md; NULL beyond the last.
LIMB_API const char* limb_quantity_name(int index);
LIMB_API const char* limb_quantity_meaning(int index);

/// Generated text, complete and checked.
typedef struct limb_codegen limb_codegen;

/// @return LIMB_OK; LIMB_E_ARG (NULL, unknown quantity or frame, options that do not go together);
///         LIMB_E_UNSUPPORTED (a quantity that this robot has not, or that has no closed form; too large;
///         float, where it has too few digits; a robot without a joint that moves);
///         LIMB_E_NOMEM. error, if given, says which and what to do.
LIMB_NODISCARD LIMB_API limb_status limb_codegen_create(const limb_model* m, const limb_codegen_options* options,
                                                        const limb_allocator* alloc, limb_codegen** out,
                                                        limb_error* error);
LIMB_API void limb_codegen_free(limb_codegen* c); ///< NULL is accepted

/// Of all names; NULL for NULL. Source, header and test expect to be called <prefix>.c, <prefix>.h and
/// <prefix>_test.c.
LIMB_API const char* limb_codegen_prefix(const limb_codegen* c);

/// Hands the text of a file to `text`, piece by piece.
LIMB_NODISCARD LIMB_API limb_status limb_codegen_write(const limb_codegen* c, limb_codegen_file file,
                                                       limb_text_fn* text, void* context);

/// What one function came to.
typedef struct limb_codegen_facts {
  const char* name; ///< of the function in the text
  const char* quantity;
  long mul, add, div; ///< add: subtractions as well
  long sines;         ///< angles whose sine and cosine are taken, or given
  long other;         ///< square roots, signs, hyperbolic tangents
  long statements;
  long stack;       ///< bytes of all intermediate results that live at once, at most
  double disagrees; ///< largest relative difference to the library in the states that were tried,
                    ///< in the precision of the text
} limb_codegen_facts;

/// Of functions: the quantities, and what serves them, "angles" before (sines given) and "parameters" behind
/// them (symbols).
LIMB_API int limb_codegen_count(const limb_codegen* c);
LIMB_NODISCARD LIMB_API limb_status limb_codegen_get(const limb_codegen* c, int function, limb_codegen_facts* out);

#ifdef __cplusplus
}
#endif

#endif
