// The configuration manifold: exponential and logarithm against each other and against an integration
// in small steps, from tiny angles to half a turn; random configurations; refusals.
#include "limb/model.h"

#include "support/check.h"
#include "support/rng.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define PI 3.14159265358979323846

enum {
  NQ = 3 + 2 + 2 + 3 + 4 + 7,
  NV = 3 + 2 + 2 + 3 + 3 + 6,
  // where the joints' coordinates start
  PRISMATIC_Q = 1,
  CYLINDRICAL_Q = 3,
  PLANAR_Q = 7,
  BALL_Q = 10,
  FREE_Q = 14,
  BALL_V = 10,
  FREE_V = 13
};

// One joint of every type in a chain, a follower and a fixed joint among them.
static limb_model* every_joint(void)
{
  static const limb_joint_type type[] = {LIMB_REVOLUTE,    LIMB_PRISMATIC, LIMB_FIXED,  LIMB_HELICAL,   LIMB_REVOLUTE,
                                         LIMB_CYLINDRICAL, LIMB_UNIVERSAL, LIMB_PLANAR, LIMB_SPHERICAL, LIMB_FREE};
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_error err = {.status = LIMB_OK};
  assert_ok(limb_builder_create(NULL, &b));
  for (int i = 0; i < 10; i++) {
    char name[8] = {(char)('a' + i)};
    limb_body_def body = limb_default_body_def(name);
    body.inertia = limb_inertia_sphere(1, 0.1);
    assert_ok(limb_builder_add_body(b, &body, NULL, &err));
    limb_joint_def joint = limb_default_joint_def(name, type[i], i, i + 1);
    if (type[i] == LIMB_UNIVERSAL) joint.axis2 = sp_v3(1, 0, 0);
    if (i == 0) joint.q_min = 2, joint.q_max = 2.5;
    if (i == 1) joint.q_min = 7; // one limit alone does not bound
    if (i == 4) joint.mimic = 0, joint.multiplier = 2;
    assert_ok(limb_builder_add_joint(b, &joint, NULL, &err));
  }
  const limb_status s = limb_builder_build(b, &m, &err);
  ck_assert_msg(s == LIMB_OK, "%s: %s", err.where, err.text);
  limb_builder_destroy(b);
  assert_that(limb_nq(m) == NQ && limb_nv(m) == NV);
  return m;
}

static sp_pose free_pose(const double* q)
{
  const sp_quat r = {q[3], q[4], q[5], q[6]};
  return sp_pose_make(sp_rot_quat(r), sp_v3(q[0], q[1], q[2]));
}

static double quat_norm(const double* q) { return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]); }

// ---- points -----------------------------------------------------------------------------------------

START_TEST(neutral)
{
  limb_model* m = every_joint();
  double q[NQ];
  for (int i = 0; i < NQ; i++) q[i] = nan("");
  assert_ok(limb_neutral(m, q));
  for (int i = 0; i < NQ; i++) assert_that(q[i] == (i == BALL_Q + 3 || i == FREE_Q + 6));
  limb_model_destroy(m);
}
END_TEST

START_TEST(normalize)
{
  limb_model* m = every_joint();
  uint64_t seed = (uint64_t)_i;
  double q[NQ], scaled[NQ];
  assert_ok(limb_random(m, &seed, q));
  memcpy(scaled, q, sizeof q);
  const double k = _i % 2 ? 1e-200 : 1e200;
  for (int i = 0; i < 4; i++) {
    scaled[BALL_Q + i] *= k;
    scaled[FREE_Q + 3 + i] *= 1 + 1e-3;
  }
  assert_ok(limb_normalize(m, scaled));
  assert_close_array(scaled, q, NQ, 4 * DBL_EPSILON, 0);
  memset(&scaled[FREE_Q + 3], 0, 4 * sizeof(double));
  scaled[BALL_Q] = 5;
  assert_status(limb_normalize(m, scaled), LIMB_E_ARG);
  assert_that(scaled[BALL_Q] == 5); // nothing was written
  scaled[0] = nan("");
  assert_status(limb_normalize(m, scaled), LIMB_E_NONFINITE);
  limb_model_destroy(m);
}
END_TEST

// ---- random points ----------------------------------------------------------------------------------

START_TEST(random_is_uniform)
{
  if (_i > 0) return;
  enum { N = 20000 };
  limb_model* m = every_joint();
  uint64_t seed = 1;
  double sum[NQ] = {0}, square[NQ] = {0}, low[NQ], high[NQ], q[NQ];
  for (int i = 0; i < NQ; i++) low[i] = HUGE_VAL, high[i] = -HUGE_VAL;
  for (int n = 0; n < N; n++) {
    assert_ok(limb_random(m, &seed, q));
    assert_close(quat_norm(q + BALL_Q), 1, 4 * DBL_EPSILON, 0);
    assert_close(quat_norm(q + FREE_Q + 3), 1, 4 * DBL_EPSILON, 0);
    for (int i = 0; i < NQ; i++) {
      sum[i] += q[i] / N;
      square[i] += q[i] * q[i] / N;
      low[i] = fmin(low[i], q[i]);
      high[i] = fmax(high[i], q[i]);
    }
  }
  for (int i = 0; i < NQ; i++) {
    const bool shift = i == PRISMATIC_Q || i == CYLINDRICAL_Q + 1 || i == PLANAR_Q || i == PLANAR_Q + 1 ||
                       (i >= FREE_Q && i < FREE_Q + 3);
    const bool quaternion = (i >= BALL_Q && i < BALL_Q + 4) || i >= FREE_Q + 3;
    const double a = i == 0 ? 2 : shift || quaternion ? -1 : -PI;
    const double b = i == 0 ? 2.5 : -a;
    const double variance = quaternion ? 0.25 : (b - a) * (b - a) / 12;
    check_at("coordinate %d", i);
    assert_that(low[i] >= a && high[i] <= b);
    assert_close(low[i], a, 0, 0.02 * (b - a));
    assert_close(high[i], b, 0, 0.02 * (b - a));
    assert_close(sum[i], (a + b) / 2, 0, 0.02 * (b - a));
    assert_close(square[i] - sum[i] * sum[i], variance, 0.03, 0);
  }
  limb_model_destroy(m);
}
END_TEST

START_TEST(random_rotations_have_no_preference)
{
  // Of a uniform rotation the density of the angle is (1 - cos) / pi: mean pi/2 + 2/pi.
  if (_i > 0) return;
  enum { N = 20000 };
  limb_model* m = every_joint();
  uint64_t seed = 5;
  double q[NQ], angle = 0;
  for (int n = 0; n < N; n++) {
    assert_ok(limb_random(m, &seed, q));
    angle += 2 * acos(fmin(fabs(q[BALL_Q + 3]), 1)) / N;
  }
  assert_close(angle, PI / 2 + 2 / PI, 0.01, 0);
  limb_model_destroy(m);
}
END_TEST

START_TEST(random_is_pinned)
{
  // The same seed must give these numbers on every machine and in every later version.
  limb_model* m = every_joint();
  uint64_t seed = 42;
  double q[NQ], again[NQ];
  assert_ok(limb_random(m, &seed, q));
  const double first[] = {0x1.2f75cc898bfaep+1, -0x1.5c40733136644p-1, 0x1.a3a392p-3, -0x1.9c6fd040135cfp-1};
  const int at[] = {0, PRISMATIC_Q, BALL_Q, FREE_Q + 6};
  for (int i = 0; i < 4; i++) assert_that(q[at[i]] == first[i]);
  assert_that(seed == UINT64_C(0x81af155173f23d8f));
  assert_ok(limb_random(m, &seed, again));
  assert_that(memcmp(q, again, sizeof q) != 0);
  seed = 42;
  assert_ok(limb_random(m, &seed, again));
  assert_that(memcmp(q, again, sizeof q) == 0);
  limb_model_destroy(m);
}
END_TEST

// ---- steps ------------------------------------------------------------------------------------------

// Angles from nothing to just below half a turn.
static double angle_of(int i)
{
  static const double some[] = {0,     1e-300, 1e-160, 1e-20, 1e-9,      1e-5,      1e-3,      0.1,
                                0.999, 1.001,  1.999,  2.001, PI - 1e-3, PI - 1e-7, PI - 1e-12};
  enum { N = sizeof some / sizeof some[0] };
  return i < N ? some[i] : PI * (i - N + 0.5) / (100 - N);
}

START_TEST(difference_inverts_integrate)
{
  limb_model* m = every_joint();
  rng r = {(uint64_t)_i + 1};
  uint64_t seed = (uint64_t)_i;
  double q[NQ], v[NV], q1[NQ], back[NV], q2[NQ];
  assert_ok(limb_random(m, &seed, q));
  rng_fill(&r, 1, NV, v);
  const sp_vec3 w0 = sp_scale3(angle_of(_i), rng_direction(&r));
  const sp_vec3 w1 = sp_scale3(angle_of(_i), rng_direction(&r));
  v[BALL_V] = w0.x, v[BALL_V + 1] = w0.y, v[BALL_V + 2] = w0.z;
  v[FREE_V] = w1.x, v[FREE_V + 1] = w1.y, v[FREE_V + 2] = w1.z;
  check_at("angle %g", angle_of(_i));

  assert_ok(limb_integrate(m, q, v, 1, q1));
  assert_close(quat_norm(q1 + BALL_Q), 1, 4 * DBL_EPSILON, 0);
  assert_close(quat_norm(q1 + FREE_Q + 3), 1, 4 * DBL_EPSILON, 0);
  assert_ok(limb_difference(m, q, q1, back));
  assert_close_array(back, v, NV, 1e-14, 0);
  assert_ok(limb_integrate(m, q, back, 1, q2));
  assert_close_array(q2, q1, NQ, 1e-14, 0);

  // From the neutral rotation small angles keep their relative accuracy.
  assert_ok(limb_neutral(m, q));
  assert_ok(limb_integrate(m, q, v, 1, q1));
  assert_ok(limb_difference(m, q, q1, back));
  assert_close_array(back + BALL_V, v + BALL_V, 3, 1e-14, 0);
  assert_close_array(back + FREE_V, v + FREE_V, 3, 1e-14, 0);

  assert_ok(limb_difference(m, q, q, back));
  for (int i = 0; i < NV; i++) assert_that(back[i] == 0);
  limb_model_destroy(m);
}
END_TEST

START_TEST(beyond_half_a_turn)
{
  // The difference is the short way round.
  limb_model* m = every_joint();
  rng r = {(uint64_t)_i + 1};
  double q[NQ], v[NV] = {0}, q1[NQ], back[NV];
  const double angle = PI + 0.01 + 3.1 * _i / 100;
  const sp_vec3 axis = rng_direction(&r);
  v[BALL_V] = angle * axis.x, v[BALL_V + 1] = angle * axis.y, v[BALL_V + 2] = angle * axis.z;
  assert_ok(limb_neutral(m, q));
  assert_ok(limb_integrate(m, q, v, 1, q1));
  assert_ok(limb_difference(m, q, q1, back));
  assert_close_vec3(sp_v3(back[BALL_V], back[BALL_V + 1], back[BALL_V + 2]), sp_scale3(angle - 2 * PI, axis), 1e-13,
                    1e-14);
  limb_model_destroy(m);
}
END_TEST

START_TEST(steps_add_up)
{
  // exp(v dt) is exact for constant v: two half steps make one, and so do a thousand small ones.
  limb_model* m = every_joint();
  rng r = {(uint64_t)_i + 1};
  uint64_t seed = (uint64_t)_i;
  double q0[NQ], v[NV], whole[NQ], q[NQ], steps[NQ];
  assert_ok(limb_random(m, &seed, q0));
  rng_fill(&r, 3, NV, v);
  assert_ok(limb_integrate(m, q0, v, 0.8, whole));
  assert_ok(limb_integrate(m, q0, v, 0.3, q));
  assert_ok(limb_integrate(m, q, v, 0.5, q));
  assert_close_array(q, whole, NQ, 1e-14, 0);
  memcpy(steps, q0, sizeof q0);
  for (int i = 0; i < 1000; i++) assert_ok(limb_integrate(m, steps, v, 0.8e-3, steps));
  assert_close_array(steps, whole, NQ, 1e-12, 0);
  assert_ok(limb_integrate(m, whole, v, -0.8, q));
  assert_close_array(q, q0, NQ, 1e-14, 0);
  limb_model_destroy(m);
}
END_TEST

START_TEST(free_joint_follows_its_twist)
{
  // dX/dt = X [v]: the step against the power series of the 4 x 4 matrix exponential.
  limb_model* m = every_joint();
  rng r = {(uint64_t)_i + 1};
  double q[NQ], v[NV] = {0}, q1[NQ];
  assert_ok(limb_neutral(m, q));
  const sp_vec3 w = sp_scale3(fmin(angle_of(_i), 3), rng_direction(&r)), u = rng_vec3(&r, 1);
  v[FREE_V] = w.x, v[FREE_V + 1] = w.y, v[FREE_V + 2] = w.z;
  v[FREE_V + 3] = u.x, v[FREE_V + 4] = u.y, v[FREE_V + 5] = u.z;
  assert_ok(limb_integrate(m, q, v, 1, q1));
  sp_vec3 column[4] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
  sp_vec3 term[4] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
  for (int k = 1; k < 40; k++) {
    for (int c = 0; c < 4; c++) {
      term[c] = sp_scale3(1.0 / k, sp_add3(sp_cross3(w, term[c]), c == 3 && k == 1 ? u : sp_v3(0, 0, 0)));
      column[c] = sp_add3(column[c], term[c]);
    }
  }
  const sp_pose X = free_pose(q1 + FREE_Q);
  check_at("angle %g", sp_norm3(w));
  assert_close_vec3(X.p, column[3], 1e-14, 0);
  for (int c = 0; c < 3; c++) {
    assert_close_vec3(sp_v3(X.R.m[c], X.R.m[3 + c], X.R.m[6 + c]), column[c], 1e-14, 0);
  }
  limb_model_destroy(m);
}
END_TEST

START_TEST(quaternions_nearly_of_unit_norm)
{
  limb_model* m = every_joint();
  uint64_t seed = (uint64_t)_i;
  double q[NQ], off[NQ], v[NV] = {0}, q1[NQ], back[NV];
  assert_ok(limb_random(m, &seed, q));
  memcpy(off, q, sizeof q);
  for (int i = 0; i < 4; i++) off[BALL_Q + i] *= 1 + 9e-4, off[FREE_Q + 3 + i] *= -(1 - 9e-4);
  assert_ok(limb_integrate(m, off, v, 1, q1));
  assert_close(quat_norm(q1 + BALL_Q), 1, 4 * DBL_EPSILON, 0);
  assert_ok(limb_difference(m, q, off, back));
  for (int i = 0; i < NV; i++) assert_close(back[i], 0, 0, 1e-14);
  for (int i = 0; i < 4; i++) off[FREE_Q + 3 + i] *= 1 - 2e-4;
  assert_status(limb_integrate(m, off, v, 1, q1), LIMB_E_ARG);
  assert_status(limb_difference(m, q, off, back), LIMB_E_ARG);
  assert_status(limb_difference(m, off, q, back), LIMB_E_ARG);
  limb_model_destroy(m);
}
END_TEST

// ---- refusals ---------------------------------------------------------------------------------------

START_TEST(not_finite)
{
  if (_i > 0) return;
  limb_model* m = every_joint();
  double q[NQ], v[NV] = {0}, q1[NQ];
  assert_ok(limb_neutral(m, q));
  assert_status(limb_integrate(m, q, v, nan(""), q1), LIMB_E_NONFINITE);
  assert_status(limb_integrate(m, q, v, HUGE_VAL, q1), LIMB_E_NONFINITE);
  for (int i = 0; i < NQ; i++) {
    const double was = q[i];
    q[i] = i % 2 ? nan("") : HUGE_VAL;
    assert_status(limb_integrate(m, q, v, 1, q1), LIMB_E_NONFINITE);
    assert_ok(limb_neutral(m, q1));
    assert_status(limb_difference(m, q, q1, v), LIMB_E_NONFINITE);
    assert_status(limb_difference(m, q1, q, v), LIMB_E_NONFINITE);
    assert_status(limb_normalize(m, q), LIMB_E_NONFINITE);
    q[i] = was;
  }
  for (int i = 0; i < NV; i++) {
    memset(v, 0, sizeof v);
    v[i] = nan("");
    assert_status(limb_integrate(m, q, v, 1, q1), LIMB_E_NONFINITE);
    v[i] = 1e300; // finite, but not what comes out
    assert_status(limb_integrate(m, q, v, 1e10, q1), LIMB_E_NONFINITE);
  }
  q[0] = 1e308;
  q1[0] = -1e308;
  assert_status(limb_difference(m, q, q1, v), LIMB_E_NONFINITE);
  limb_model_destroy(m);
}
END_TEST

START_TEST(null_arguments)
{
  if (_i > 0) return;
  limb_model* m = every_joint();
  double q[NQ], v[NV] = {0};
  uint64_t seed = 1;
  assert_status(limb_neutral(NULL, q), LIMB_E_ARG);
  assert_status(limb_neutral(m, NULL), LIMB_E_ARG);
  assert_status(limb_random(NULL, &seed, q), LIMB_E_ARG);
  assert_status(limb_random(m, NULL, q), LIMB_E_ARG);
  assert_status(limb_random(m, &seed, NULL), LIMB_E_ARG);
  assert_status(limb_normalize(NULL, q), LIMB_E_ARG);
  assert_status(limb_normalize(m, NULL), LIMB_E_ARG);
  assert_status(limb_integrate(NULL, q, v, 1, q), LIMB_E_ARG);
  assert_status(limb_integrate(m, NULL, v, 1, q), LIMB_E_ARG);
  assert_status(limb_integrate(m, q, NULL, 1, q), LIMB_E_ARG);
  assert_status(limb_integrate(m, q, v, 1, NULL), LIMB_E_ARG);
  assert_status(limb_difference(NULL, q, q, v), LIMB_E_ARG);
  assert_status(limb_difference(m, NULL, q, v), LIMB_E_ARG);
  assert_status(limb_difference(m, q, NULL, v), LIMB_E_ARG);
  assert_status(limb_difference(m, q, q, NULL), LIMB_E_ARG);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("manifold", 100, neutral, normalize, random_is_uniform, random_rotations_have_no_preference,
           random_is_pinned, difference_inverts_integrate, beyond_half_a_turn, steps_add_up,
           free_joint_follows_its_twist, quaternions_nearly_of_unit_norm, not_finite, null_arguments)
