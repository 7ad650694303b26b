// Tendons over joints and through points, rotors, friction and springs of joints with several degrees of freedom: by
// hand, over random robots, slopes by the complex step, what the builder refuses.
#include "support/check.h"
#include "support/complex.h"
#include "support/rng.h"
#include "support/robots.h"
#include "support/robots_impl.h"

#include "limb/batch.h"
#include "limb/edit.h"
#include "limb/regressor.h"
#include "limb/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 20 };

// ---- by hand --------------------------------------------------------------------------------------------

static const double PULLEY[3] = {0.5, -2, 0.3};

// Three slides of 1, 2 and 3 kg beside each other, without gravity, the third following the first.
static limb_builder* make_slides(int mimic)
{
  limb_builder* b = fixture_begin("slides");
  fixture_gravity(b, sp_v3(0, 0, 0));
  for (int k = 0; k < 3; k++) {
    const char name[2] = {(char)('a' + k), 0};
    limb_joint_def def = limb_default_joint_def(name, LIMB_PRISMATIC, 0, k + 1);
    (void)fixture_body(b, name, limb_inertia_point(k + 1, sp_v3(0, 0, 0)));
    if (mimic && k == 2) def.mimic = 0, def.multiplier = -1.5, def.offset = 0.4;
    (void)fixture_joint(b, &def);
  }
  return b;
}

static void add_tendon(limb_builder* b, double stiffness, double damping, double rest)
{
  static const int joint[3] = {0, 1, 2};
  limb_tendon_def def = limb_default_tendon_def("cord");
  limb_error err;
  def.count = 3, def.joint = joint, def.coefficient = PULLEY;
  def.stiffness = stiffness, def.damping = damping, def.rest = rest;
  fixture_ok(limb_builder_add_tendon(b, &def, NULL, &err), &err);
}

//   m q'' = tau - c T,   T = K (c . q - rest) + D c . q'
START_TEST(tension_by_hand)
{
  limb_builder* b = make_slides(0);
  add_tendon(b, 70, 3, 0.2);
  limb_model* m = fixture_end(b);
  limb_data* d = NULL;
  rng g = {5};
  assert_ok(limb_data_create(m, NULL, &d));
  for (int s = 0; s < STATES; s++) {
    double q[3], v[3], tau[3], a[3], felt[3], want[3], length = 0, rate = 0, springs[3], lost[3];
    limb_environment env = limb_default_environment(m);
    limb_energy e;
    rng_fill(&g, 1, 3, q), rng_fill(&g, 3, 3, v), rng_fill(&g, 5, 3, tau);
    env.friction = s % 2;
    for (int k = 0; k < 3; k++) length += PULLEY[k] * q[k], rate += PULLEY[k] * v[k];
    const double K = 70 * (length - 0.2), D = env.friction ? 3 * rate : 0;
    for (int k = 0; k < 3; k++) want[k] = (tau[k] - PULLEY[k] * (K + D)) / (k + 1);
    assert_ok(limb_forward_dynamics(d, q, v, tau, &env, a));
    assert_close_array(a, want, 3, TOL_ALGEBRA, TOL_ALGEBRA);
    assert_ok(limb_inverse_dynamics(d, q, v, want, &env, felt));
    assert_close_array(felt, tau, 3, TOL_ALGEBRA, TOL_ALGEBRA * fabs(K));
    assert_ok(limb_energies(d, q, v, &env, &e));
    assert_close(e.springs, 35 * (length - 0.2) * (length - 0.2), TOL_ALGEBRA, 0);
    assert_ok(limb_spring_forces(d, q, springs));
    assert_ok(limb_friction_forces(d, v, &env, lost));
    for (int k = 0; k < 3; k++) {
      assert_close(springs[k], PULLEY[k] * K, TOL_ALGEBRA, TOL_ALGEBRA);
      assert_close(lost[k], PULLEY[k] * D, TOL_ALGEBRA, TOL_ALGEBRA);
    }
  }
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// A tendon over a follower pulls its leader: c q3 = c (-1.5 q1 + 0.4).
START_TEST(tension_of_a_follower)
{
  limb_builder* b = make_slides(1);
  add_tendon(b, 70, 0, 0.2);
  limb_model* m = fixture_end(b);
  limb_data* d = NULL;
  const double q[2] = {0.3, -0.1}, zero[2] = {0, 0};
  const double c = PULLEY[0] - 1.5 * PULLEY[2], T = 70 * (c * q[0] + PULLEY[1] * q[1] + 0.4 * PULLEY[2] - 0.2);
  double tau[2];
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_inverse_dynamics(d, q, zero, zero, NULL, tau));
  assert_close(tau[0], c * T, TOL_ALGEBRA, 0);
  assert_close(tau[1], PULLEY[1] * T, TOL_ALGEBRA, 0);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// A ball with inertia 0.2 about all axes turns as one of 0.2 + 0.5, and is slowed by its damping.
START_TEST(rotors_of_a_ball)
{
  limb_builder* b = fixture_begin("ball");
  const double I[6] = {0.2, 0, 0, 0.2, 0, 0.2};
  limb_joint_def def = limb_default_joint_def("ball", LIMB_SPHERICAL, 0, 1);
  limb_data* d = NULL;
  (void)fixture_body(b, "ball", fixture_inertia(1, sp_v3(0, 0, 0), I));
  for (int k = 0; k < 3; k++) def.armature[k] = 0.5, def.damping[k] = k + 1;
  (void)fixture_joint(b, &def);
  limb_model* m = fixture_end(b);
  const double q[4] = {0.5, 0.5, 0.5, 0.5}, v[3] = {1, -2, 3}, tau[3] = {4, 5, 6};
  double a[3], M[9];
  limb_energy e;
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_forward_dynamics(d, q, v, tau, NULL, a));
  for (int k = 0; k < 3; k++) assert_close(a[k], (tau[k] - (k + 1) * v[k]) / 0.7, TOL_ALGEBRA, 0);
  assert_ok(limb_mass_matrix(d, q, M));
  for (int k = 0; k < 9; k++) assert_close(M[k], k % 4 == 0 ? 0.7 : 0, TOL_ALGEBRA, TOL_ALGEBRA);
  assert_ok(limb_energies(d, q, v, NULL, &e));
  assert_close(e.kinetic, 0.35 * 14, TOL_ALGEBRA, 0);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// What a locked joint adds to the length belongs to the rest; a robot that is attached brings its tendons along.
START_TEST(changed_robots_keep_their_tendons)
{
  limb_builder *b = make_slides(0), *other = make_slides(0);
  const double at = 0.7, q[5] = {0.3, -0.1, 0.4, 0.5, 0.6}, zero[5] = {0};
  double tau[5];
  limb_data* d = NULL;
  limb_error err;
  add_tendon(b, 70, 0, 0.2);
  add_tendon(other, 30, 0, 0.1);
  fixture_ok(limb_builder_lock(b, 2, &at, &err), &err);
  fixture_ok(limb_builder_attach(b, "a", other, "other_", &err), &err);
  limb_builder_destroy(other);
  limb_model* m = fixture_end(b);
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_inverse_dynamics(d, q, zero, zero, NULL, tau));
  const double T = 70 * (PULLEY[0] * q[0] + PULLEY[1] * q[1] + PULLEY[2] * at - 0.2);
  const double other_T = 30 * (PULLEY[0] * q[2] + PULLEY[1] * q[3] + PULLEY[2] * q[4] - 0.1);
  for (int k = 0; k < 2; k++) assert_close(tau[k], PULLEY[k] * T, TOL_ALGEBRA, 0);
  for (int k = 0; k < 3; k++) assert_close(tau[2 + k], PULLEY[k] * other_T, TOL_ALGEBRA, 0);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// Two slides along x, one above the other: from the floor over the first to the second, and by a pulley back to it.
static const limb_tendon_point COURSE[] = {
  {0, {0, 0, 0.3}, 0}, {1, {0.1, 0, 0}, 0}, {2, {0, 0.2, 0}, 0}, {2, {0, 0, 0}, 2}, {0, {0, 1, 0}, 0}};

static limb_model* make_corded_slides(void)
{
  limb_builder* b = fixture_begin("corded");
  fixture_gravity(b, sp_v3(0, 0, 0));
  for (int k = 0; k < 2; k++) {
    const char name[2] = {(char)('a' + k), 0};
    limb_joint_def def = limb_default_joint_def(name, LIMB_PRISMATIC, 0, k + 1);
    (void)fixture_body(b, name, limb_inertia_point(k + 1, sp_v3(0, 0, 0)));
    def.axis = sp_v3(1, 0, 0), def.placement = fixture_at(0, 0, k);
    (void)fixture_joint(b, &def);
  }
  limb_tendon_def def = limb_default_tendon_def("cord");
  def.points = sizeof COURSE / sizeof COURSE[0], def.point = COURSE;
  def.stiffness = 50, def.damping = 4, def.rest = 1.5;
  fixture_ok(limb_builder_add_tendon(b, &def, NULL, NULL), NULL);
  return fixture_end(b);
}

//   length = |(x + 0.1, 0, -0.3)| + |(y - x - 0.1, 0.2, 1)| + |(-y, 1, -1)| / 2
START_TEST(cord_by_hand)
{
  limb_model* m = make_corded_slides();
  limb_data* d = NULL;
  rng g = {7};
  assert_ok(limb_data_create(m, NULL, &d));
  for (int s = 0; s < STATES; s++) {
    double q[2], v[2], tau[2], a[2], felt[2], springs[2], lost[2];
    limb_environment env = limb_default_environment(m);
    limb_energy e;
    rng_fill(&g, 1, 2, q), rng_fill(&g, 3, 2, v), rng_fill(&g, 5, 2, tau);
    env.friction = s % 2;
    const double x = q[0] + 0.1, y = q[1], l1 = hypot(x, 0.3), l2 = sqrt((y - x) * (y - x) + 1.04),
                 l3 = sqrt(y * y + 2);
    const double J[2] = {x / l1 - (y - x) / l2, (y - x) / l2 + y / l3 / 2}, stretch = l1 + l2 + l3 / 2 - 1.5;
    const double T = 50 * stretch, D = 4 * (J[0] * v[0] + J[1] * v[1]);
    assert_ok(limb_forward_dynamics(d, q, v, tau, &env, a));
    for (int k = 0; k < 2; k++)
      assert_close(a[k], (tau[k] - J[k] * (T + (env.friction ? D : 0))) / (k + 1), TOL_ALGEBRA, TOL_ALGEBRA * fabs(T));
    assert_ok(limb_inverse_dynamics(d, q, v, a, &env, felt));
    assert_close_array(felt, tau, 2, TOL_ALGEBRA, TOL_ALGEBRA * fabs(T));
    assert_ok(limb_energies(d, q, v, &env, &e));
    assert_close(e.springs, 25 * stretch * stretch, TOL_ALGEBRA, TOL_ALGEBRA);
    assert_ok(limb_spring_forces(d, q, springs));
    assert_ok(limb_friction_forces_at(d, q, v, NULL, lost));
    for (int k = 0; k < 2; k++) {
      assert_close(springs[k], J[k] * T, TOL_ALGEBRA, TOL_ALGEBRA);
      assert_close(lost[k], J[k] * D, TOL_ALGEBRA, TOL_ALGEBRA);
    }
    assert_status(limb_friction_forces(d, v, &env, lost), env.friction ? LIMB_E_UNSUPPORTED : LIMB_OK);
  }
  limb_series* w = NULL;
  assert_status(limb_series_create(m, NULL, &w), LIMB_E_UNSUPPORTED);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// Where the points coincide the line has no direction, and nothing breaks.
START_TEST(cord_without_length)
{
  limb_builder* b = make_slides(0);
  const limb_tendon_point point[2] = {{1, {0, 0, 0}, 0}, {2, {0, 0, 0}, 0}};
  const double q[3] = {0.2, 0.2, 0}, v[3] = {1, 2, 3}, none[3] = {0};
  limb_tendon_def def = limb_default_tendon_def("cord");
  limb_data* d = NULL;
  double tau[3], A[9], B[9];
  def.points = 2, def.point = point, def.stiffness = 5, def.damping = 1, def.rest = 0.1;
  fixture_ok(limb_builder_add_tendon(b, &def, NULL, NULL), NULL);
  limb_model* m = fixture_end(b);
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_inverse_dynamics(d, q, v, none, NULL, tau));
  assert_close_array(tau, none, 3, 0, 0);
  const limb_id_derivatives all = {.dtau_dq = A, .dtau_dv = B};
  assert_ok(limb_inverse_dynamics_derivatives(d, q, v, none, NULL, &all));
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// Turned by an angle about an axis the spring gives K times it, the shorter way round; energy K angle^2 / 2.
START_TEST(spring_of_a_ball)
{
  const double K = 3, n[3] = {2 / 7.0, -3 / 7.0, 6 / 7.0}, v[3] = {1, -2, 3}, none[3] = {0};
  limb_builder* b = fixture_begin("ball");
  limb_joint_def def = limb_default_joint_def("ball", LIMB_SPHERICAL, 0, 1);
  limb_data* d = NULL;
  fixture_gravity(b, sp_v3(0, 0, 0));
  (void)fixture_body(b, "ball", limb_inertia_box(1, 1, 1, 1));
  def.stiffness = K, def.placement = fixture_at(1, 2, 3);
  (void)fixture_joint(b, &def);
  limb_model* m = fixture_end(b);
  assert_ok(limb_data_create(m, NULL, &d));
  static const double angles[] = {0, 1e-9, 0.3, 1, 3, 3.1415, -0.5, 3.2, 6};
  for (int k = 0; k < (int)(sizeof angles / sizeof angles[0]); k++) {
    const double s = sin(angles[k] / 2), turned = angles[k] > acos(-1) ? angles[k] - 2 * acos(-1) : angles[k];
    const double q[4] = {s * n[0], s * n[1], s * n[2], cos(angles[k] / 2)};
    double tau[3];
    limb_energy e;
    assert_ok(limb_spring_forces(d, q, tau));
    for (int i = 0; i < 3; i++) assert_close(tau[i], K * turned * n[i], TOL_ALGEBRA, 1e-15);
    assert_ok(limb_inverse_dynamics(d, q, none, none, NULL, tau));
    for (int i = 0; i < 3; i++) assert_close(tau[i], K * turned * n[i], TOL_ALGEBRA, 1e-15);
    assert_ok(limb_energies(d, q, v, NULL, &e));
    assert_close(e.springs, K * turned * turned / 2, TOL_ALGEBRA, 1e-15);
  }
  unsigned char given[3];
  assert_ok(limb_given_for_elastic(m, given));
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// A cord follows what it is fixed to: a joint that is locked, a robot that is attached elsewhere.
START_TEST(changed_robots_keep_their_cords)
{
  limb_builder *b = make_slides(0), *other = make_slides(0);
  const limb_tendon_point point[2] = {{0, {0, 0, -1}, 0}, {2, {0, 0, 0}, 0}};
  const double at = 0.7, q[5] = {0.3, -0.1, 0.4, 0.5, 0.6}, zero[5] = {0};
  limb_tendon_def def = limb_default_tendon_def("cord");
  limb_data* d = NULL;
  limb_error err;
  double tau[5];
  def.points = 2, def.point = point, def.stiffness = 10, def.rest = 0.25;
  fixture_ok(limb_builder_add_tendon(b, &def, NULL, &err), &err);
  fixture_ok(limb_builder_add_tendon(other, &def, NULL, &err), &err);
  fixture_ok(limb_builder_lock(b, 2, &at, &err), &err);
  fixture_ok(limb_builder_attach(b, "a", other, "other_", &err), &err);
  limb_builder_destroy(other);
  limb_model* m = fixture_end(b);
  ck_assert_int_eq(limb_tendon_count(m), 2);
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_inverse_dynamics(d, q, zero, zero, NULL, tau));
  const double want[5] = {0, 10 * (q[1] + 1 - 0.25), 0, 10 * (q[3] + 1 - 0.25), 0};
  assert_close_array(tau, want, 5, TOL_ALGEBRA, TOL_ALGEBRA);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// ---- over random robots ---------------------------------------------------------------------------------

// Free, ball and universal joints with rotors, with tendons over what is between: every formulation agrees.
static limb_model* make_tree(uint64_t seed)
{
  static const limb_joint_type types[] = {LIMB_FREE,   LIMB_REVOLUTE, LIMB_SPHERICAL, LIMB_PRISMATIC,
                                          LIMB_PLANAR, LIMB_REVOLUTE, LIMB_UNIVERSAL};
  enum { BODIES = sizeof types / sizeof types[0] };
  static const int joint[3] = {1, 3, 5};
  limb_builder* b = fixture_begin("geared tree");
  rng g = {seed};
  for (int k = 0; k < BODIES; k++) {
    const char name[2] = {(char)('a' + k), 0};
    limb_joint_def def = limb_default_joint_def(name, types[k], k == 0 ? 0 : 1 + rng_below(&g, k), k + 1);
    (void)fixture_body(b, name,
                       limb_inertia_move(rng_pose(&g, 0.3), limb_inertia_box(rng_uniform(&g, 1, 3), .3, .2, .1)));
    def.placement = rng_pose(&g, 0.4);
    def.axis = rng_direction(&g);
    if (types[k] == LIMB_UNIVERSAL) def.axis2 = sp_cross3(def.axis, rng_direction(&g));
    const int turns = types[k] == LIMB_SPHERICAL || types[k] == LIMB_FREE, several = k % 2 == 0;
    if (types[k] == LIMB_SPHERICAL) def.stiffness = 15;
    for (int i = 0; several && i < (types[k] == LIMB_UNIVERSAL ? 2 : 3); i++) {
      def.armature[i] = turns && i > 0 ? def.armature[0] : rng_uniform(&g, 0.01, 0.5);
      def.damping[i] = rng_uniform(&g, 0.1, 1);
    }
    (void)fixture_joint(b, &def);
  }
  limb_tendon_def def = limb_default_tendon_def("cord");
  def.count = 3, def.joint = joint, def.coefficient = PULLEY;
  def.stiffness = 20, def.damping = 2, def.rest = 0.3;
  fixture_ok(limb_builder_add_tendon(b, &def, NULL, NULL), NULL);
  limb_tendon_point point[6];
  for (int k = 0; k < 6; k++)
    point[k] = (limb_tendon_point){k == 3 ? 0 : rng_below(&g, BODIES + 1), rng_vec3(&g, 0.5), k == 4 ? 1.5 : 0};
  limb_tendon_def cord = limb_default_tendon_def("line");
  cord.points = 6, cord.point = point, cord.stiffness = 30, cord.damping = 3, cord.rest = 0.6;
  fixture_ok(limb_builder_add_tendon(b, &cord, NULL, NULL), NULL);
  return fixture_end(b);
}

// d tau / d q and d tau / d v of cords and springs, against the same kernels over complex numbers.
START_TEST(slopes_by_the_complex_step)
{
  limb_model* m = make_tree((uint64_t)_i + 50);
  const size_t nv = (size_t)limb_nv(m), nq = (size_t)limb_nq(m);
  const limb_terms terms = {true, true, true, 0};
  scalar_space space = scalar_space_make(m, sizeof(cplx));
  cplx *q = calloc(nq, sizeof *q), *v = calloc(nv, sizeof *v), *a = calloc(nv, sizeof *a),
       *tau = calloc(nv, sizeof *tau);
  double *x = calloc(2 * nq + 4 * nv + 2 * nv * nv, sizeof *x), *rate = x + nq, *y = rate + nq, *z = y + nv;
  double *step = z + nv, *got = step + nv, *dq = got + nv, *dv = dq + nv * nv;
  limb_data* d = NULL;
  uint64_t seed = (uint64_t)_i;
  rng g = {(uint64_t)_i};
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_random(m, &seed, x));
  rng_fill(&g, 2, (int)nv, y), rng_fill(&g, 2, (int)nv, z);
  const limb_id_derivatives all = {.dtau_dq = dq, .dtau_dv = dv};
  assert_ok(limb_inverse_dynamics_derivatives(d, x, y, z, NULL, &all));
  for (size_t k = 0; k < nq; k++) q[k] = x[k];
  for (size_t k = 0; k < nv; k++) v[k] = y[k], a[k] = z[k];
  memcpy(space.ws.base, d->ws.base, (size_t)m->nroot * LIMB_WS_STATE * sizeof(double));
  for (size_t c = 0; c < 2 * nv; c++) {
    const size_t k = c % nv;
    memset(step, 0, nv * sizeof *step);
    step[k] = 1;
    configuration_rate(m, x, step, rate);
    for (size_t i = 0; i < nq && c < nv; i++) q[i] = cplx_make(x[i], COMPLEX_STEP * rate[i]);
    for (size_t i = 0; i < nq && c >= nv; i++) q[i] = x[i];
    v[k] = cplx_make(y[k], c < nv ? 0 : COMPLEX_STEP);
    limb_kernels_c64.inverse_dynamics(m, m->k64, &space.ws, q, v, a, &terms, NULL, tau);
    v[k] = y[k];
    cplx_derivative(tau, nv, got);
    const double* A = c < nv ? dq : dv;
    const double size = largest(A, nv * nv);
    for (size_t i = 0; i < nv; i++) assert_close(A[i * nv + k], got[i], 0, 1e-13 * size);
  }
  scalar_space_free(&space);
  free(q), free(v), free(a), free(tau), free(x);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

START_TEST(formulations_agree)
{
  limb_model* m = make_tree((uint64_t)_i + 1);
  limb_verify_options options = limb_default_verify();
  limb_verification* x = NULL;
  limb_error err;
  limb_verify_result r;
  options.states = 5;
  const limb_status s = limb_verify(m, &options, &x, &err);
  ck_assert_msg(s == LIMB_OK, "%s", err.text);
  for (int k = 0; limb_verification_get(x, k, &r) == LIMB_OK; k++) {
    ck_assert_msg(r.verdict == LIMB_VERDICT_OK || r.verdict == LIMB_VERDICT_NOT_APPLICABLE, "%s: %s, %s: %g",
                  r.quantity, r.first, r.second, r.difference);
  }
  limb_verification_destroy(x);
  limb_model_destroy(m);
}
END_TEST

// Lanes compute what single calls do, derivatives included.
START_TEST(batches_agree)
{
  enum { N = 11 };
  limb_model* m = make_tree(99);
  limb_data* d = NULL;
  limb_batch* b = NULL;
  const size_t nv = (size_t)limb_nv(m), nq = (size_t)limb_nq(m), n2 = nv * nv;
  double *q = calloc(N * nq, 8), *v = calloc(N * nv, 8), *x = calloc(N * nv, 8), *y = calloc(N * nv, 8);
  double *A = calloc(2 * N * n2, 8), *B = calloc(2 * N * n2, 8), *y1 = calloc(nv, 8), *M = calloc(N * n2, 8);
  rng g = {3};
  uint64_t seed = 4;
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_batch_create(m, NULL, NULL, &b));
  for (size_t s = 0; s < N; s++) {
    assert_ok(limb_random(m, &seed, q + s * nq));
    rng_fill(&g, 2, (int)nv, v + s * nv), rng_fill(&g, 5, (int)nv, x + s * nv);
  }
  assert_ok(limb_batch_inverse_dynamics(b, N, q, v, x, NULL, y, NULL));
  for (size_t s = 0; s < N; s++) {
    assert_ok(limb_inverse_dynamics(d, q + s * nq, v + s * nv, x + s * nv, NULL, y1));
    assert_close_array(y + s * nv, y1, (int)nv, TOL_ALGEBRA, TOL_ALGEBRA);
  }
  const limb_fd_derivatives all = {.dacc_dq = A, .dacc_dv = A + N * n2, .dacc_dtau = M};
  const limb_fd_derivatives one = {.dacc_dq = B, .dacc_dv = B + n2, .dacc_dtau = B + 2 * n2};
  assert_ok(limb_batch_forward_dynamics(b, N, q, v, x, NULL, y, NULL));
  assert_ok(limb_batch_forward_dynamics_derivatives(b, N, q, v, x, NULL, &all, NULL));
  for (size_t s = 0; s < N; s++) {
    assert_ok(limb_forward_dynamics(d, q + s * nq, v + s * nv, x + s * nv, NULL, y1));
    assert_close_array(y + s * nv, y1, (int)nv, TOL_SOLVE, TOL_SOLVE);
    assert_ok(limb_forward_dynamics_derivatives(d, q + s * nq, v + s * nv, x + s * nv, NULL, &one));
    assert_close_array(A + s * n2, B, (int)n2, TOL_SOLVE, TOL_SOLVE);
    assert_close_array(A + (N + s) * n2, B + n2, (int)n2, TOL_SOLVE, TOL_SOLVE);
  }
  free(q), free(v), free(x), free(y), free(A), free(B), free(y1), free(M);
  limb_batch_destroy(b);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// ---- the builder ----------------------------------------------------------------------------------------

static void refused(limb_builder* b, limb_tendon_def def, limb_status status, const char* text)
{
  limb_error err;
  const int before = limb_builder_tendon_count(b);
  assert_status(limb_builder_add_tendon(b, &def, NULL, &err), status);
  ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
  ck_assert_int_eq(limb_builder_tendon_count(b), before);
}

START_TEST(tendons_are_checked)
{
  static const int twice[2] = {0, 0}, unknown[1] = {7}, good[2] = {0, 2};
  static const double one[2] = {1, 1}, none[2] = {1, 0}, wild[2] = {1, (double)NAN};
  limb_builder* b = make_slides(0);
  limb_tendon_def def = limb_default_tendon_def("cord"), x;
  int index;
  refused(b, def, LIMB_E_ARG, "it has no joints");
  def.count = 2, def.joint = twice, def.coefficient = one;
  refused(b, def, LIMB_E_ARG, "joint 'a' occurs twice");
  def.joint = good, def.coefficient = none;
  refused(b, def, LIMB_E_ARG, "coefficient 1 is zero");
  def.coefficient = wild;
  refused(b, def, LIMB_E_NONFINITE, "coefficient 1 is not finite");
  def.coefficient = one, def.stiffness = -1;
  refused(b, def, LIMB_E_ARG, "stiffness is negative");
  def.stiffness = HUGE_VAL;
  refused(b, def, LIMB_E_NONFINITE, "stiffness is not finite");
  def.stiffness = 1, def.name = "";
  refused(b, def, LIMB_E_ARG, "name");
  def.name = "cord", def.count = 1, def.joint = unknown;
  refused(b, def, LIMB_E_ARG, "there are 3 joints");
  def.count = 9, def.joint = good;
  refused(b, def, LIMB_E_ARG, "it has 9 joints");
  def.count = 2;
  assert_ok(limb_builder_add_tendon(b, &def, &index, NULL));
  ck_assert_int_eq(index, 0);
  assert_ok(limb_builder_get_tendon(b, 0, &x));
  ck_assert_int_eq(x.joint[1], 2);
  ck_assert(x.joint != def.joint && x.name != def.name);
  assert_status(limb_builder_get_tendon(b, 1, &x), LIMB_E_ARG);
  limb_model* m = fixture_end(b);
  ck_assert_int_eq(limb_tendon_count(m), 1);
  assert_ok(limb_get_tendon(m, 0, &x));
  ck_assert_str_eq(x.name, "cord");
  assert_close(x.coefficient[1], 1, 0, 0);
  limb_model_destroy(m);
}
END_TEST

static void points_refused(const limb_tendon_point* point, int points, limb_status status, const char* text)
{
  limb_builder* b = make_slides(0);
  limb_tendon_def def = limb_default_tendon_def("cord");
  def.points = points, def.point = point;
  refused(b, def, status, text);
  limb_builder_destroy(b);
}

START_TEST(cords_are_checked)
{
  const limb_tendon_point unknown[2] = {{0, {0, 0, 0}, 0}, {9, {0, 0, 0}, 0}};
  const limb_tendon_point wild[2] = {{0, {0, 0, 0}, 0}, {1, {(double)NAN, 0, 0}, 0}};
  const limb_tendon_point lonely[3] = {{0, {0, 0, 0}, 0}, {1, {0, 0, 0}, 0}, {2, {0, 0, 0}, 2}};
  const limb_tendon_point negative[2] = {{0, {0, 0, 0}, -1}, {1, {0, 0, 0}, 0}};
  points_refused(unknown, 2, LIMB_E_ARG, "point 1 is on body 9");
  points_refused(wild, 2, LIMB_E_NONFINITE, "point 1");
  points_refused(lonely, 3, LIMB_E_ARG, "point 2 has no other");
  points_refused(lonely, 1, LIMB_E_ARG, "point 0 has no other");
  points_refused(negative, 2, LIMB_E_ARG, "pulley 0 is negative");
  points_refused(NULL, 2, LIMB_E_ARG, "either joints");
  points_refused(lonely, -1, LIMB_E_ARG, "no joints and no points");
  limb_builder* b = make_slides(0);
  static const int joint[1] = {0};
  static const double one[1] = {1};
  limb_tendon_def both = limb_default_tendon_def("cord");
  both.points = 2, both.point = lonely, both.count = 1, both.joint = joint, both.coefficient = one;
  refused(b, both, LIMB_E_ARG, "either joints");
  limb_builder_destroy(b);
}
END_TEST

START_TEST(ball_springs_are_checked)
{
  limb_builder* b = fixture_begin("refused");
  limb_joint_def def = limb_default_joint_def("joint", LIMB_SPHERICAL, 0, 1);
  limb_error err;
  (void)fixture_body(b, "body", limb_inertia_box(1, 1, 1, 1));
  def.stiffness = -1;
  assert_status(limb_builder_add_joint(b, &def, NULL, &err), LIMB_E_ARG);
  def.stiffness = (double)NAN;
  assert_status(limb_builder_add_joint(b, &def, NULL, &err), LIMB_E_NONFINITE);
  def.stiffness = 1, def.rest = 1;
  assert_status(limb_builder_add_joint(b, &def, NULL, &err), LIMB_E_ARG);
  def.rest = 0, def.type = LIMB_FREE;
  assert_status(limb_builder_add_joint(b, &def, NULL, &err), LIMB_E_ARG);
  limb_builder_destroy(b);
}
END_TEST

static void joint_refused(limb_joint_type type, int entry, double armature, double damping, const char* text)
{
  limb_builder* b = fixture_begin("refused");
  limb_joint_def def = limb_default_joint_def("joint", type, 0, 1);
  limb_error err;
  (void)fixture_body(b, "body", limb_inertia_box(1, 1, 1, 1));
  def.axis2 = type == LIMB_UNIVERSAL ? sp_v3(1, 0, 0) : sp_v3(0, 0, 0);
  def.armature[entry] = armature, def.damping[entry] = damping;
  const limb_status s = limb_builder_add_joint(b, &def, NULL, &err);
  ck_assert(s == LIMB_E_ARG || s == LIMB_E_NONFINITE);
  ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
  limb_builder_destroy(b);
}

START_TEST(armature_is_checked)
{
  joint_refused(LIMB_REVOLUTE, 0, 1, 0, "set rotor_inertia");
  joint_refused(LIMB_REVOLUTE, 0, 0, 1, "set viscous");
  joint_refused(LIMB_UNIVERSAL, 2, 0, 1, "has 2 degrees of freedom");
  joint_refused(LIMB_FIXED, 0, 1, 0, "has 0 degrees of freedom");
  joint_refused(LIMB_SPHERICAL, 2, 1, 0, "the same about all axes");
  joint_refused(LIMB_FREE, 3, 1, 0, "none in translation");
  joint_refused(LIMB_SPHERICAL, 0, 0, -1, "damping[0] is negative");
  joint_refused(LIMB_PLANAR, 1, (double)NAN, 0, "armature[1] is not finite");
}
END_TEST

CHECK_MAIN("dynamics/tendons", 5, tension_by_hand, tension_of_a_follower, rotors_of_a_ball,
           changed_robots_keep_their_tendons, cord_by_hand, cord_without_length, spring_of_a_ball,
           changed_robots_keep_their_cords, slopes_by_the_complex_step, formulations_agree, batches_agree,
           tendons_are_checked, cords_are_checked, ball_springs_are_checked, armature_is_checked)
