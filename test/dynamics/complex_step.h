// The complex-step oracle of the Lagrangian form: the library's kernels over complex numbers, at a
// configuration with a tiny imaginary step along a tangent. Im f / h is the derivative, exact to rounding.
#ifndef LIMB_TEST_COMPLEX_STEP_H
#define LIMB_TEST_COMPLEX_STEP_H

#include "support/complex.h"

typedef struct complex_step {
  trial* t;
  scalar_space s; // of a base at rest without gravity
  cplx *q, *x, *y;
  double *unit, *dq;
} complex_step;

static inline complex_step step_begin(trial* t)
{
  complex_step c = {.t = t, .s = scalar_space_make(t->m, sizeof(cplx))};
  const size_t n = (size_t)t->nv, nq = (size_t)t->nq;
  for (int k = 0; k < t->m->nroot * LIMB_WS_STATE; k++) c.s.ws.base[k] = 0;
  c.q = cplx_zeros(t, nq), c.x = cplx_zeros(t, n), c.y = cplx_zeros(t, n);
  c.unit = trial_doubles(t, n), c.dq = trial_doubles(t, nq);
  return c;
}

static inline void step_end(complex_step* c) { scalar_space_free(&c->s); }

// The configuration with a step along the velocity u.
static inline void step_along(complex_step* c, const double* u) { cplx_configuration(c->t, u, c->dq, c->q); }

// The same along q_k.
static inline void step_along_axis(complex_step* c, int k)
{
  c->unit[k] = 1;
  step_along(c, c->unit);
  c->unit[k] = 0;
}

// d(M u)/dt along the step: the forces of accelerations u from rest, without rotors, which are constant.
static inline void step_mass_times(complex_step* c, const double* u, double* out)
{
  static const limb_terms none = {0};
  for (int i = 0; i < c->t->nv; i++) c->x[i] = u[i];
  cplx* rest = cplx_zeros(c->t, (size_t)c->t->nv);
  limb_kernels_c64.inverse_dynamics(c->t->m, c->t->m->k64, &c->s.ws, c->q, rest, c->x, &none, NULL, c->y);
  cplx_derivative(c->y, (size_t)c->t->nv, out);
}

// |got - want| <= tol times the largest entry of want, and of what else is given
#define assert_tensor(got, want, n, tol, scale) \
  check_close_matrix(CHECK_SITE(#got), got, want, (int)(n), 1, 0, (tol)*fmax(largest(want, n), scale))

static inline int has_quaternions(const trial* t) { return t->nq != t->nv; }

#endif
