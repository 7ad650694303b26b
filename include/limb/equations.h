// limb: robot dynamics in C. The equations of motion of a small robot, as a person would write them.
//
//     M(q) a + C(q, v) v + g(q) = tau,      with loops  ... = tau + Psi(q)^T lambda,  Psi(q) v = 0
//
// With loops tau is not written alone: the rows of "tau" are called tau + Psi^T lambda.
// Lengths, masses and inertias are symbols; what is zero for this robot is left out. Sums of angles about
// parallel axes are written as such: c12 = cos(q1 + q2). Numbers are rounded to 13 digits in text and LaTeX,
// and complete in C. Every expression that is written has been evaluated in random states and compared with
// the library.
#ifndef LIMB_EQUATIONS_H
#define LIMB_EQUATIONS_H

#include "limb/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Values are pinned.
typedef enum limb_notation { LIMB_NOTATION_TEXT = 0, LIMB_NOTATION_LATEX = 1, LIMB_NOTATION_C = 2 } limb_notation;

/// Start from limb_default_equation_options(); NULL stands for that.
typedef struct limb_equation_options {
  size_t size;            ///< sizeof(limb_equation_options), set by the default function
  const char* what;       ///< of "M,C,g,h,tau,Psi"; NULL: M, C, g, and Psi if there are loops
  limb_notation notation; ///< default: text
  int numbers;            ///< not 0: the robot's numbers instead of symbols
  int most;               ///< terms of one entry of M, C, g or Psi (h and tau are sums of these),
                          ///< beyond which the robot is too large; default 2000
} limb_equation_options;

static inline limb_equation_options limb_default_equation_options(void)
{
  const limb_equation_options o = {sizeof(limb_equation_options), NULL, LIMB_NOTATION_TEXT, 0, 2000};
  return o;
}

/// Hands the equations to `text`, piece by piece, once they are complete.
/// @return LIMB_OK; LIMB_E_ARG (NULL, a quantity that is unknown or there twice, options that are none);
///         LIMB_E_UNSUPPORTED (too large to be read; ball and free joints; nothing moves); LIMB_E_NOMEM.
///         error, if given, says which and what to do.
LIMB_NODISCARD LIMB_API limb_status limb_equations_write(const limb_model* m, const limb_equation_options* options,
                                                         const limb_allocator* alloc, limb_text_fn* text, void* context,
                                                         limb_error* error);

#ifdef __cplusplus
}
#endif

#endif
