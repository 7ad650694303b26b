// The complex-step oracle of kinematics: motion of all links over complex numbers, and what the calls of
// limb/kinematics.h make of it, written down once more from docs/conventions.md.
#ifndef LIMB_TEST_COMPLEX_MOTION_H
#define LIMB_TEST_COMPLEX_MOTION_H

#include "kinematics/kinematics_impl.h"
#include "support/complex.h"

#define TOL_DERIVATIVE 1e-12

typedef enum step_of { STEP_Q, STEP_V, STEP_A } step_of;

typedef struct complex_motion {
  trial* t;
  scalar_space space;
  const double* v;            // velocities in place of the trial's
  cplx *q, *u, *a;            // the state with its step
  cplx *X, *vel, *acc, *drop; // per link: R (9) and p (3), then motions (6)
  double *unit, *dq;
} complex_motion;

static inline complex_motion complex_motion_make(trial* t)
{
  const size_t nl = (size_t)t->m->nlink, nq = (size_t)t->nq, nv = (size_t)t->nv;
  complex_motion c = {.t = t, .v = t->v, .space = scalar_space_make(t->m, sizeof(cplx))};
  c.q = cplx_zeros(t, nq), c.u = cplx_zeros(t, nv), c.a = cplx_zeros(t, nv);
  c.X = cplx_zeros(t, 12 * nl);
  c.vel = cplx_zeros(t, 6 * nl), c.acc = cplx_zeros(t, 6 * nl), c.drop = cplx_zeros(t, 6 * nl);
  c.unit = trial_doubles(t, nv), c.dq = trial_doubles(t, nq);
  return c;
}

static inline void complex_motion_free(complex_motion* c) { scalar_space_free(&c->space); }

// Motion with a step of the k-th entry of q (tangent), v or a.
static inline void complex_motion_at(complex_motion* c, step_of what, int k)
{
  trial* t = c->t;
  c->unit[k] = 1;
  configuration_rate(t->m, t->q, c->unit, c->dq);
  c->unit[k] = 0;
  const double h = COMPLEX_STEP;
  for (int i = 0; i < t->nq; i++) c->q[i] = cplx_make(t->q[i], what == STEP_Q ? h * c->dq[i] : 0);
  for (int i = 0; i < t->nv; i++) {
    c->u[i] = cplx_make(c->v[i], what == STEP_V && i == k ? h : 0);
    c->a[i] = cplx_make(t->a[i], what == STEP_A && i == k ? h : 0);
  }
  limb_kernels_c64.link_motion(t->m, t->m->k64, &c->space.ws, c->q, c->u, c->a, c->X, c->vel, c->acc, c->drop);
}

// Every column of a small robot, four of a long one.
static inline int column_step(const trial* t) { return t->nv > 100 ? t->nv / 4 : 1; }

// Entry k of derivatives of n numbers each, against the complex ones, relative to the largest of all.
static inline void check_entry(const trial* t, const double* got, int k, int n, const cplx* x)
{
  double want[12], size = 1;
  for (int i = 0; i < n * t->nv; i++) size = fmax(size, fabs(got[i]));
  cplx_derivative(x, (size_t)n, want);
  assert_close_array(got + (ptrdiff_t)n * k, want, n, 0, TOL_DERIVATIVE * size);
}

// ---- vectors of three complex numbers ---------------------------------------------------------------

typedef struct cvec {
  cplx x[3];
} cvec;

static inline cvec cvec_of(const cplx* x) { return (cvec){{x[0], x[1], x[2]}}; }

static inline cvec cvec_real(sp_vec3 a) { return (cvec){{a.x, a.y, a.z}}; }

static inline cvec cvec_add(cvec a, cvec b) { return (cvec){{a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]}}; }

static inline cvec cvec_scale(cplx k, cvec a) { return (cvec){{k * a.x[0], k * a.x[1], k * a.x[2]}}; }

static inline cvec cvec_cross(cvec a, cvec b)
{
  return (cvec){
    {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

// R a and R' a for a row-major R.
static inline cvec cvec_turn(const cplx* R, cvec a)
{
  cvec r;
  for (int i = 0; i < 3; i++) r.x[i] = R[3 * i] * a.x[0] + R[3 * i + 1] * a.x[1] + R[3 * i + 2] * a.x[2];
  return r;
}

static inline cvec cvec_turn_back(const cplx* R, cvec a)
{
  cvec r;
  for (int i = 0; i < 3; i++) r.x[i] = R[i] * a.x[0] + R[3 + i] * a.x[1] + R[6 + i] * a.x[2];
  return r;
}

// ---- frames -----------------------------------------------------------------------------------------

typedef enum observed { VELOCITY, SPATIAL, CLASSICAL } observed;

// Pose of a site in the world: R (9), p (3).
static inline void complex_pose(const complex_motion* c, const limb_site* s, cplx out[12])
{
  const sp_pose Y = s->in_link;
  for (int i = 0; i < 9; i++) out[i] = Y.R.m[i];
  cvec p = cvec_real(Y.p);
  if (s->link >= 0) {
    const cplx* X = c->X + 12 * (ptrdiff_t)s->link;
    for (int j = 0; j < 3; j++) {
      const cvec e = cvec_turn(X, (cvec){{Y.R.m[j], Y.R.m[3 + j], Y.R.m[6 + j]}});
      for (int i = 0; i < 3; i++) out[3 * i + j] = e.x[i];
    }
    p = cvec_add(cvec_of(X + 9), cvec_turn(X, p));
  }
  for (int i = 0; i < 3; i++) out[9 + i] = p.x[i];
}

// A link motion (link axes and origin) in the reference of a site.
static inline void complex_in_reference(const complex_motion* c, const limb_site* s, const cplx* of_link, limb_ref ref,
                                        cvec out[2])
{
  const cplx *X = c->X + 12 * (ptrdiff_t)s->link, *x = of_link + 6 * (ptrdiff_t)s->link;
  cplx T[12];
  complex_pose(c, s, T);
  const cvec w = cvec_turn(X, cvec_of(x)), v = cvec_turn(X, cvec_of(x + 3));
  const cvec to = ref == LIMB_WORLD ? cvec_real(sp_v3(0, 0, 0)) : cvec_of(T + 9);
  const cvec r = cvec_add(to, cvec_scale(-1, cvec_of(X + 9)));
  const cvec moved = cvec_add(v, cvec_cross(w, r)); // at the origin of the reference
  out[0] = ref == LIMB_BODY ? cvec_turn_back(T, w) : w;
  out[1] = ref == LIMB_BODY ? cvec_turn_back(T, moved) : moved;
}

static inline void complex_observe(const complex_motion* c, const limb_site* s, limb_ref ref, observed what,
                                   cplx out[6])
{
  cvec v[2] = {0}, a[2] = {0};
  if (s->link >= 0) {
    complex_in_reference(c, s, c->vel, ref, v);
    complex_in_reference(c, s, c->acc, ref, a);
  }
  if (what == CLASSICAL) a[1] = cvec_add(a[1], cvec_cross(v[0], v[1]));
  const cvec* x = what == VELOCITY ? v : a;
  for (int i = 0; i < 6; i++) out[i] = x[i / 3].x[i % 3];
}

#endif
