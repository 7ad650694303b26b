// First derivatives of inverse and forward dynamics against the complex step, with everything that enters:
// smoothed friction, springs, rotors, mimic joints, wrenches in all references, a moving base.
#include "limb/derivatives.h"

#include "kinematics/kinematics_impl.h"
#include "support/complex.h"

#include <stdlib.h>

#define TOL 1e-11 // of the largest entry; the issue of exact derivatives asks for 1e-10

enum { STATES = CHECK_SANITIZED ? 2 : 20 };

static const limb_terms smooth = {true, true, true, 0.3};

typedef struct oracle {
  trial* t;
  scalar_space s;
  cplx *q, *v, *x, *y, *X, *wrench, *work;
  double* rate; // of q
  limb_environment env;
} oracle;

static oracle oracle_make(trial* t, const limb_environment* env)
{
  const size_t nv = (size_t)t->nv, nl = (size_t)t->m->nlink;
  oracle o = {.t = t, .s = scalar_space_make(t->m, sizeof(cplx)), .env = *env};
  o.q = cplx_zeros(t, (size_t)t->nq), o.v = cplx_zeros(t, nv), o.x = cplx_zeros(t, nv);
  o.y = cplx_zeros(t, nv), o.X = cplx_zeros(t, 12 * nl), o.wrench = cplx_zeros(t, 6 * nl);
  o.work = cplx_zeros(t, t->m->elim.packed);
  o.rate = trial_doubles(t, (size_t)t->nq);
  // The states of the base frames are those of the last call in these surroundings.
  double* h = trial_doubles(t, nv);
  assert_ok(limb_bias_forces(t->d, t->q, t->v, env, h));
  memcpy(o.s.ws.base, t->d->ws.base, (size_t)t->m->nroot * LIMB_WS_STATE * sizeof(double));
  o.s.ws.base_turns = t->d->ws.base_turns;
  return o;
}

// y = (n; f) of a wrench in world axes, seen from a link: rotated back, and about the link's origin.
static void into_link(const cplx* X, const cplx* p, const limb_wrench* w, cplx* y)
{
  const double n[3] = {w->wrench.m.x, w->wrench.m.y, w->wrench.m.z};
  const double f[3] = {w->wrench.f.x, w->wrench.f.y, w->wrench.f.z};
  const cplx moment[3] = {n[0] + p[1] * f[2] - p[2] * f[1], n[1] + p[2] * f[0] - p[0] * f[2],
                          n[2] + p[0] * f[1] - p[1] * f[0]};
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++) {
      y[c] += X[3 * r + c] * moment[r];
      y[3 + c] += X[3 * r + c] * f[r];
    }
  }
}

// External wrenches on the links at the complex configuration.
static void set_wrenches(oracle* o)
{
  const limb_model* m = o->t->m;
  limb_kernels_c64.link_motion(m, m->k64, &o->s.ws, o->q, NULL, NULL, o->X, NULL, NULL, NULL);
  for (int i = 0; i < 6 * m->nlink; i++) o->wrench[i] = 0;
  for (int k = 0; k < o->env.nwrench; k++) {
    const limb_wrench* w = &o->env.wrench[k];
    const limb_site site = limb_site_of(m, w->frame);
    if (site.link < 0) continue;
    const cplx* X = o->X + (ptrdiff_t)12 * site.link;
    cplx* y = o->wrench + (ptrdiff_t)6 * site.link;
    if (w->ref == LIMB_BODY) {
      const sp_force F = sp_force_out(site.in_link, w->wrench);
      const double x[6] = {F.m.x, F.m.y, F.m.z, F.f.x, F.f.y, F.f.z};
      for (int r = 0; r < 6; r++) y[r] += x[r];
      continue;
    }
    cplx p[3]; // from the link's origin to where the wrench acts, world axes
    const double at[3] = {site.in_link.p.x, site.in_link.p.y, site.in_link.p.z};
    for (int r = 0; r < 3; r++) {
      p[r] = X[3 * r] * at[0] + X[3 * r + 1] * at[1] + X[3 * r + 2] * at[2];
      if (w->ref == LIMB_WORLD) p[r] = -X[9 + r];
    }
    into_link(X, p, w, y);
  }
}

// What changes of inverse dynamics (forward: the other way round) along (dq, dv), by an imaginary step.
static void slope(oracle* o, const double* x, bool forward, const double* dq, const double* dv, double* out)
{
  trial* t = o->t;
  const limb_model* m = t->m;
  cplx_configuration(t, dq, o->rate, o->q);
  for (int i = 0; i < t->nv; i++) o->v[i] = cplx_make(t->v[i], COMPLEX_STEP * dv[i]), o->x[i] = x[i];
  set_wrenches(o);
  if (forward) {
    limb_kernels_c64.by_mass_matrix(m, m->k64, &o->s.ws, o->q, o->v, o->x, &smooth, o->wrench, o->work, o->y);
  } else {
    limb_kernels_c64.inverse_dynamics(m, m->k64, &o->s.ws, o->q, o->v, o->x, &smooth, o->wrench, o->y);
  }
  cplx_derivative(o->y, (size_t)t->nv, out);
}

// Column k of A against what the oracle has; every column of a small robot, four of a long one.
static void compare_columns(oracle* o, const double* x, bool forward, const double* by_q, const double* by_v,
                            double tolerance)
{
  trial* t = o->t;
  const size_t n = (size_t)t->nv;
  double *unit = trial_doubles(t, n), *none = trial_doubles(t, n);
  double *want = trial_doubles(t, n), *got = trial_doubles(t, n);
  const double size_q = 1 + largest(by_q, n * n), size_v = 1 + largest(by_v, n * n);
  const int step = trial_small(t) ? 1 : t->nv / 4;
  for (int k = rng_below(&t->r, step); k < t->nv; k += step) {
    const double* const A[2] = {by_q, by_v};
    unit[k] = 1;
    for (int side = 0; side < 2; side++) {
      check_at("column %d by %s", k, side ? "v" : "q");
      slope(o, x, forward, side ? none : unit, side ? unit : none, want);
      for (size_t i = 0; i < n; i++) got[i] = A[side][i * n + (size_t)k];
      assert_close_array(got, want, t->nv, 0, tolerance * (side ? size_v : size_q));
    }
    unit[k] = 0;
  }
}

static limb_environment surroundings(trial* t)
{
  limb_environment env = t->state % 2 ? trial_moving_base(t) : t->env;
  env.coulomb_width = smooth.width;
  return env;
}

// ---- inverse dynamics ------------------------------------------------------------------------------

static void inverse(trial* t)
{
  if (trial_enough(t)) return;
  const size_t n = (size_t)t->nv;
  const limb_environment env = surroundings(t);
  double *dq = trial_doubles(t, n * n), *dv = trial_doubles(t, n * n), *M = trial_doubles(t, n * n);
  double *tau = trial_doubles(t, n), *want = trial_doubles(t, n), *want_M = trial_doubles(t, n * n);
  const limb_id_derivatives out = {tau, dq, dv, M};
  assert_ok(limb_inverse_dynamics_derivatives(t->d, t->q, t->v, t->a, &env, &out));
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &env, want));
  assert_close_array(tau, want, t->nv, 0, 1e-12 * (1 + largest(want, n)));
  assert_ok(limb_mass_matrix(t->d, t->q, want_M));
  assert_close_array(M, want_M, (int)(n * n), 0, 1e-12 * largest(want_M, n * n));
  oracle o = oracle_make(t, &env);
  compare_columns(&o, t->a, false, dq, dv, TOL);
  scalar_space_free(&o.s);
}

START_TEST(inverse_dynamics) { trial_over(_i, STATES, inverse); }
END_TEST

// ---- forward dynamics ------------------------------------------------------------------------------

static void forward(trial* t)
{
  if (trial_enough(t) || !trial_small(t)) return; // the inverse of a long chain has no digits to spare
  const size_t n = (size_t)t->nv;
  const limb_environment env = surroundings(t);
  double *dq = trial_doubles(t, n * n), *dv = trial_doubles(t, n * n), *Minv = trial_doubles(t, n * n);
  double *acc = trial_doubles(t, n), *want = trial_doubles(t, n * n), *tau = trial_doubles(t, n);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &env, tau));
  const limb_fd_derivatives out = {acc, dq, dv, Minv};
  assert_ok(limb_forward_dynamics_derivatives(t->d, t->q, t->v, tau, &env, &out));
  assert_close_array(acc, t->a, t->nv, 0, t->solve * (1 + largest(t->a, n)));
  assert_ok(limb_mass_matrix_inverse(t->d, t->q, want));
  assert_close_array(Minv, want, (int)(n * n), 0, t->solve * largest(want, n * n));
  oracle o = oracle_make(t, &env);
  compare_columns(&o, tau, true, dq, dv, t->solve);
  scalar_space_free(&o.s);
}

START_TEST(forward_dynamics) { trial_over(_i, STATES, forward); }
END_TEST

// ---- edges -----------------------------------------------------------------------------------------

// A free robot a thousand kilometres away: moving it changes nothing but the wrenches' arms, and it has none.
START_TEST(distance_costs_no_digits)
{
  limb_model* m = robot_quadruped();
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  enum { MOST = 24 };
  double q[MOST + 1], v[MOST], a[MOST], close[MOST * MOST], distant[MOST * MOST];
  const int n = limb_nv(m);
  assert_that(n <= MOST);
  uint64_t seed = 5;
  rng r = {7};
  assert_ok(limb_random(m, &seed, q));
  rng_fill(&r, 2, n, v);
  rng_fill(&r, 2, n, a);
  const limb_id_derivatives here = {.dtau_dq = close}, there = {.dtau_dq = distant};
  assert_ok(limb_inverse_dynamics_derivatives(d, q, v, a, NULL, &here));
  q[0] += 1e6, q[2] -= 1e6;
  assert_ok(limb_inverse_dynamics_derivatives(d, q, v, a, NULL, &there));
  assert_close_array(distant, close, n * n, 0, 0);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// A body without mass behind a joint: M is singular, and is said to be.
START_TEST(a_singular_robot_is_refused)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_data* d = NULL;
  limb_error err;
  assert_ok(limb_builder_create(NULL, &b));
  for (int i = 0; i < 2; i++) {
    limb_body_def body = limb_default_body_def(i ? "ghost" : "arm");
    if (i == 0) body.inertia = limb_inertia_rod(1, 0.5);
    assert_ok(limb_builder_add_body(b, &body, NULL, &err));
    limb_joint_def joint = limb_default_joint_def(i ? "wrist" : "elbow", LIMB_REVOLUTE, i, i + 1);
    joint.axis = sp_v3(1, 0, 0);
    assert_ok(limb_builder_add_joint(b, &joint, NULL, &err));
  }
  assert_ok(limb_builder_build(b, &m, &err));
  assert_ok(limb_data_create(m, NULL, &d));
  const double q[2] = {0.1, 0.2}, v[2] = {0.3, 0.4}, tau[2] = {0.5, 0.6};
  double dq[4], dv[4], Minv[4];
  const limb_fd_derivatives out = {NULL, dq, dv, Minv};
  assert_status(limb_forward_dynamics_derivatives(d, q, v, tau, NULL, &out), LIMB_E_SINGULAR);
  limb_data_destroy(d);
  limb_model_destroy(m);
  limb_builder_destroy(b);
}
END_TEST

// Numbers so large that results overflow, and robots too large for matrices.
START_TEST(what_cannot_be_computed_is_refused)
{
  limb_model* m = robot_planar_2r();
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  const double q[2] = {0.1, 0.2}, v[2] = {1e200, 1e200}, none[2] = {0};
  double dq[4], dv[4], x[4];
  const limb_id_derivatives id = {.dtau_dq = dq};
  const limb_fd_derivatives fd = {NULL, dq, dv, x}, lacking = {NULL, dq, NULL, x};
  assert_status(limb_inverse_dynamics_derivatives(d, q, v, none, NULL, &id), LIMB_E_NONFINITE);
  assert_status(limb_forward_dynamics_derivatives(d, q, v, none, NULL, &fd), LIMB_E_NONFINITE);
  assert_status(limb_forward_dynamics_derivatives(d, q, none, none, NULL, &lacking), LIMB_E_ARG);
  assert_status(limb_inverse_dynamics_derivatives(d, q, none, none, NULL, NULL), LIMB_E_ARG);
  limb_data_destroy(d);
  limb_model_destroy(m);
  m = robot_chain(LIMB_DERIVATIVES_MAX + 1);
  assert_ok(limb_data_create(m, NULL, &d));
  double* zeros = calloc(LIMB_DERIVATIVES_MAX + 1, sizeof *zeros);
  assert_that(zeros);
  assert_status(limb_inverse_dynamics_derivatives(d, zeros, zeros, zeros, NULL, &id), LIMB_E_UNSUPPORTED);
  assert_status(limb_coriolis_matrix(d, zeros, zeros, x), LIMB_E_UNSUPPORTED);
  free(zeros);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const over_robots[] = {inverse_dynamics, forward_dynamics, NULL};
  const TTest* const edges[] = {distance_costs_no_digits, a_singular_robot_is_refused,
                                what_cannot_be_computed_is_refused, NULL};
  const int failed = check_run("dynamics/derivatives", trial_robots(), over_robots);
  return check_run("dynamics/derivatives: edges", 1, edges) | failed;
}
