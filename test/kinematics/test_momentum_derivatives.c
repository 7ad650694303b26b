// Derivatives of momentum and centre of mass against the complex step, over every fixture robot; statuses.
#include "limb/kinematics.h"
#include "kinematics/complex_motion.h"

enum { STATES = CHECK_SANITIZED ? 2 : 10 };

// ---- the oracle: sums over the particles' moments, in complex numbers ---------------------------------

// Momentum of a link (moment, force) in its axes at its origin:
//   f = m v + w x h,   moment = (tr S - S) w + h x v
static void link_momentum(const limb_moments* Y, cvec w, cvec v, cvec out[2])
{
  const cvec h = cvec_real(sp_v3(Y->hx, Y->hy, Y->hz));
  const double S[9] = {Y->xx, Y->xy, Y->xz, Y->xy, Y->yy, Y->yz, Y->xz, Y->yz, Y->zz};
  const double trace = Y->xx + Y->yy + Y->zz;
  out[0] = cvec_cross(h, v);
  for (int i = 0; i < 3; i++) {
    out[0].x[i] += trace * w.x[i];
    for (int j = 0; j < 3; j++) out[0].x[i] -= S[3 * i + j] * w.x[j];
  }
  out[1] = cvec_add(cvec_scale(Y->m, v), cvec_cross(w, h));
}

// Adds a link's force (link axes and origin) about the world's origin.
static void add_force(const cplx* X, const cvec f[2], cvec sum[2])
{
  const cvec m = cvec_turn(X, f[0]), g = cvec_turn(X, f[1]);
  sum[0] = cvec_add(sum[0], cvec_add(m, cvec_cross(cvec_of(X + 9), g)));
  sum[1] = cvec_add(sum[1], g);
}

// Momentum, or its rate I a + v x* I v, about the world's origin or the centre of mass.
static void whole_momentum(const complex_motion* c, bool rate, bool centroidal, cplx out[6])
{
  const limb_model* m = c->t->m;
  cvec sum[2] = {0}, first = cvec_real(sp_v3(m->fixed.hx, m->fixed.hy, m->fixed.hz));
  for (int i = 0; i < m->nlink; i++) {
    const cplx *X = c->X + 12 * (ptrdiff_t)i, *x = c->vel + 6 * (ptrdiff_t)i;
    const cplx* y = c->acc + 6 * (ptrdiff_t)i;
    const limb_moments* Y = &m->inertia[i];
    const cvec w = cvec_of(x), v = cvec_of(x + 3);
    cvec h[2], f[2];
    link_momentum(Y, w, v, h);
    link_momentum(Y, cvec_of(y), cvec_of(y + 3), f);
    f[0] = cvec_add(f[0], cvec_add(cvec_cross(w, h[0]), cvec_cross(v, h[1])));
    f[1] = cvec_add(f[1], cvec_cross(w, h[1]));
    add_force(X, rate ? f : h, sum);
    const cvec place = cvec_turn(X, cvec_real(sp_v3(Y->hx, Y->hy, Y->hz)));
    first = cvec_add(first, cvec_add(place, cvec_scale(Y->m, cvec_of(X + 9))));
  }
  if (centroidal) {
    const cvec com = cvec_scale(1 / m->total_mass, first);
    sum[0] = cvec_add(sum[0], cvec_scale(-1, cvec_cross(com, sum[1])));
  }
  for (int i = 0; i < 6; i++) out[i] = sum[i / 3].x[i % 3];
}

// ---- comparisons --------------------------------------------------------------------------------------

typedef struct observed_sum {
  bool rate, centroidal;
  step_of by;
} observed_sum;

static void compare(complex_motion* c, observed_sum what, const sp_force* got)
{
  const trial* t = c->t;
  for (int k = 0; k < t->nv; k += column_step(t)) {
    cplx x[6];
    complex_motion_at(c, what.by, k);
    whole_momentum(c, what.rate, what.centroidal, x);
    check_entry(t, &got->m.x, k, 6, x);
  }
}

static void momenta(trial* t)
{
  const size_t n = (size_t)t->nv;
  sp_force *dq = trial_forces(t, n), *dv = trial_forces(t, n);
  complex_motion c = complex_motion_make(t);
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  for (int centroidal = 0; centroidal < 2; centroidal++) {
    const bool com = centroidal != 0;
    assert_ok(limb_momentum_derivative(t->d, centroidal, dq));
    compare(&c, (observed_sum){false, com, STEP_Q}, dq);
    assert_ok(limb_momentum_matrix(t->d, centroidal, dv));
    compare(&c, (observed_sum){false, com, STEP_V}, dv);
    compare(&c, (observed_sum){true, com, STEP_A}, dv);
    assert_ok(limb_momentum_rate_derivatives(t->d, centroidal, dq, dv));
    compare(&c, (observed_sum){true, com, STEP_Q}, dq);
    compare(&c, (observed_sum){true, com, STEP_V}, dv);
  }
  complex_motion_free(&c);
}

START_TEST(momentum_and_its_rate) { trial_over(_i, STATES, momenta); }
END_TEST

// The centre of mass moves with the linear momentum.
static void compare_linear(complex_motion* c, bool rate, step_of by, const sp_vec3* got)
{
  const trial* t = c->t;
  for (int k = 0; k < t->nv; k += column_step(t)) {
    cplx x[6];
    complex_motion_at(c, by, k);
    whole_momentum(c, rate, false, x);
    for (int i = 3; i < 6; i++) x[i] /= t->m->total_mass;
    check_entry(t, &got->x, k, 3, x + 3);
  }
}

static void centre(trial* t)
{
  const size_t n = (size_t)t->nv;
  sp_vec3 *dv_dq = trial_vec3s(t, n), *da_dq = trial_vec3s(t, n), *da_dv = trial_vec3s(t, n);
  complex_motion c = complex_motion_make(t);
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  assert_ok(limb_center_of_mass_derivatives(t->d, dv_dq, da_dq, da_dv));
  compare_linear(&c, false, STEP_Q, dv_dq);
  compare_linear(&c, true, STEP_Q, da_dq);
  compare_linear(&c, true, STEP_V, da_dv);
  complex_motion_free(&c);
}

START_TEST(centre_of_mass) { trial_over(_i, STATES, centre); }
END_TEST

// The same without accelerations: what needs none does not look at them.
static void velocities_only(trial* t)
{
  const size_t n = (size_t)t->nv;
  sp_force *with = trial_forces(t, n), *without = trial_forces(t, n);
  sp_vec3 *a = trial_vec3s(t, n), *b = trial_vec3s(t, n);
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  assert_ok(limb_momentum_derivative(t->d, 1, with));
  assert_ok(limb_center_of_mass_derivatives(t->d, a, NULL, NULL));
  assert_ok(limb_kinematics(t->d, t->q, t->v, NULL));
  assert_ok(limb_momentum_derivative(t->d, 1, without));
  assert_ok(limb_center_of_mass_derivatives(t->d, b, NULL, NULL));
  assert_close_forces(without, with, t->nv, 0, 0);
  assert_close_array(&b->x, &a->x, 3 * t->nv, 0, 0);
}

START_TEST(without_accelerations) { trial_over(_i, 2, velocities_only); }
END_TEST

// ---- statuses -----------------------------------------------------------------------------------------

START_TEST(arguments)
{
  enum { N = 2 };
  limb_model* m = robot_planar_2r();
  limb_data* d = NULL;
  const double q[N] = {0.1, 0.2}, v[N] = {1, 1}, fast[N] = {1e200, 1e200};
  sp_force f[N];
  sp_vec3 c[N];
  assert_ok(limb_data_create(m, NULL, &d));
  assert_status(limb_momentum_derivative(d, 0, f), LIMB_E_ORDER);
  assert_ok(limb_kinematics(d, q, v, NULL));
  assert_status(limb_momentum_rate_derivatives(d, 0, f, f), LIMB_E_ORDER);
  assert_status(limb_center_of_mass_derivatives(d, NULL, c, NULL), LIMB_E_ORDER);
  assert_status(limb_center_of_mass_derivatives(d, NULL, NULL, c), LIMB_E_ORDER);
  assert_status(limb_momentum_derivative(NULL, 0, f), LIMB_E_ARG);
  assert_status(limb_momentum_derivative(d, 0, NULL), LIMB_E_ARG);
  assert_status(limb_momentum_rate_derivatives(NULL, 0, f, f), LIMB_E_ARG);
  assert_status(limb_center_of_mass_derivatives(NULL, c, c, c), LIMB_E_ARG);
  assert_ok(limb_kinematics(d, q, v, v));
  assert_ok(limb_momentum_rate_derivatives(d, 0, NULL, NULL));
  assert_ok(limb_center_of_mass_derivatives(d, NULL, NULL, NULL));
  assert_ok(limb_kinematics(d, q, fast, v));
  assert_status(limb_momentum_rate_derivatives(d, 0, f, NULL), LIMB_E_NONFINITE);
  assert_status(limb_center_of_mass_derivatives(d, NULL, c, NULL), LIMB_E_NONFINITE);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

START_TEST(without_mass)
{
  limb_model* m = robot_weightless();
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  const double x[1] = {1};
  sp_force f[1];
  sp_vec3 c[1];
  assert_ok(limb_kinematics(d, x, x, x));
  assert_ok(limb_momentum_derivative(d, 0, f));
  assert_status(limb_momentum_derivative(d, 1, f), LIMB_E_SINGULAR);
  assert_status(limb_momentum_rate_derivatives(d, 1, f, f), LIMB_E_SINGULAR);
  assert_status(limb_center_of_mass_derivatives(d, c, NULL, NULL), LIMB_E_SINGULAR);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const over_robots[] = {momentum_and_its_rate, centre_of_mass, without_accelerations, NULL};
  const TTest* const once[] = {arguments, without_mass, NULL};
  const int failed = check_run("kinematics/momentum_derivatives", trial_robots(), over_robots);
  return failed | check_run("kinematics/momentum_derivatives: statuses", 1, once);
}
