// The complex step along a direction through the kernels of first derivatives: the oracle of directional
// and second derivatives. Wrenches, the base's motion and friction are those of an environment.
#ifndef LIMB_TEST_ALONG_H
#define LIMB_TEST_ALONG_H

#include "support/complex.h"

typedef struct along_oracle {
  trial* t;
  limb_environment env;
  limb_terms terms;
  scalar_space s;
  cplx *q, *v, *x;        // where we are, moved by i COMPLEX_STEP times the direction
  cplx *y, *dq, *dv, *dx; // results of the kernels; matrices only when asked for
  double* rate;           // of q
} along_oracle;

// The trial's wrenches, friction smooth in most states, and a base that moves in every other one.
static inline limb_environment along_surroundings(trial* t)
{
  limb_environment env = t->state % 2 ? trial_moving_base(t) : t->env;
  env.coulomb_width = t->state % 3 ? 0.3 : 0;
  return env;
}

static inline along_oracle along_make(trial* t, const limb_environment* env, int matrices)
{
  const size_t nv = (size_t)t->nv;
  along_oracle o = {
    .t = t, .env = *env, .terms = {true, true, true, env->coulomb_width}, .s = scalar_space_make(t->m, sizeof(cplx))};
  o.q = cplx_zeros(t, (size_t)t->nq), o.v = cplx_zeros(t, nv);
  o.x = cplx_zeros(t, nv), o.y = cplx_zeros(t, nv);
  o.rate = trial_doubles(t, (size_t)t->nq);
  if (matrices) {
    o.dq = cplx_zeros(t, nv * nv), o.dv = cplx_zeros(t, nv * nv);
    o.dx = cplx_zeros(t, nv * nv);
  }
  // The states of the base frames are those of the last call in these surroundings.
  assert_ok(limb_bias_forces(t->d, t->q, t->v, env, trial_doubles(t, nv)));
  memcpy(o.s.ws.base, t->d->ws.base, (size_t)t->m->nroot * LIMB_WS_STATE * sizeof(double));
  o.s.ws.base_turns = t->d->ws.base_turns;
  return o;
}

static inline void along_move(int n, const double* x, const double* d, cplx* out)
{
  for (int i = 0; i < n; i++) out[i] = cplx_make(x[i], d ? COMPLEX_STEP * d[i] : 0);
}

// Inverse (x: accelerations) or forward dynamics (x: forces) and derivatives, moved along (dq, dv, dx); a
// NULL is zero.
static inline void along_run(along_oracle* o, int forward, const double* x, const double* dq, const double* dv,
                             const double* dx)
{
  const limb_model* m = o->t->m;
  if (dq) configuration_rate(m, o->t->q, dq, o->rate);
  along_move(o->t->nq, o->t->q, dq ? o->rate : NULL, o->q);
  along_move(o->t->nv, o->t->v, dv, o->v);
  along_move(o->t->nv, x, dx, o->x);
  const limb_kernel_set_c64_motion in = {o->q, o->v, o->x, &o->terms, o->env.wrench, o->env.nwrench, NULL, 0};
  const limb_kernel_set_c64_slopes out = {o->y, o->dq, o->dv, o->dx};
  if (forward) {
    assert_that(creal(limb_kernels_c64.fd_derivatives(m, m->k64, &o->s.ws, &in, &out)) > 0);
  } else {
    limb_kernels_c64.id_derivatives(m, m->k64, &o->s.ws, &in, &out);
  }
}

// Count random directions, in rows.
static inline double* along_directions(trial* t, int count)
{
  double* d = trial_doubles(t, (size_t)count * (size_t)t->nv);
  rng_fill(&t->r, 1, count * t->nv, d);
  return d;
}

#endif
