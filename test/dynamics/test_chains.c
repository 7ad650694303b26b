// Chains of joints with one degree of freedom: kernels that take several columns of the mass matrix at
// once, and forward dynamics of short chains through it. Lengths around every width of vectors, all joint
// types, rotors.

#include "limb/limb.h"

#include "support/check.h"
#include "support/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 33, GUARD = 16, STATES = 20 };

static const int lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 17, 24, MOST};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

static sp_inertia random_inertia(rng* r)
{
  const double mass = rng_uniform(r, 0.5, 1.5);
  return limb_inertia_move(rng_pose(r, 0.1), limb_inertia_box(mass, 0.1, 0.2, 0.15));
}

// Joint k: some at right angles, some with rotors, some with springs.
static limb_joint_def random_joint(rng* r, int k, int slides, const char* name)
{
  static const limb_joint_type types[5] = {LIMB_REVOLUTE, LIMB_REVOLUTE, LIMB_PRISMATIC, LIMB_REVOLUTE, LIMB_HELICAL};
  const int type = rng_below(r, 5);
  limb_joint_def def = limb_default_joint_def(name, slides ? types[type] : LIMB_REVOLUTE, k, k + 1);
  def.placement = rng_pose(r, 0.2);
  if (rng_chance(r, 0.5)) def.placement.R = sp_identity3();
  def.axis = rng_chance(r, 0.5) ? rng_direction(r) : sp_v3(0, k % 2, 1 - k % 2);
  if (def.type == LIMB_HELICAL) def.pitch = rng_uniform(r, -0.2, 0.2);
  if (rng_chance(r, 0.3)) def.rotor_inertia = 1e-4, def.gear_ratio = rng_uniform(r, 20, 50);
  if (rng_chance(r, 0.3)) def.viscous = 0.3, def.stiffness = 5, def.rest = 0.2;
  return def;
}

// seed: even: joints may slide and screw, too. turned: joints are added from the tip to the base, so that
// the user's order is not that of the links.
static limb_model* make(int n, uint64_t seed, int turned)
{
  rng r = {seed};
  limb_builder* b = NULL;
  limb_model* m = NULL;
  char name[MOST][16];
  limb_joint_def joint[MOST];
  assert_ok(limb_builder_create(NULL, &b));
  for (int k = 0; k < n; k++) {
    snprintf(name[k], sizeof name[k], "%d", k + 1);
    limb_body_def body = limb_default_body_def(name[k]);
    body.inertia = random_inertia(&r);
    assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
    joint[k] = random_joint(&r, k, seed % 2 == 0, name[k]);
  }
  for (int k = 0; k < n; k++) {
    assert_ok(limb_builder_add_joint(b, &joint[turned ? n - 1 - k : k], NULL, NULL));
  }
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  return m;
}

static limb_data* workspace(const limb_model* m)
{
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  return d;
}

// M in the middle of other people's numbers, which it leaves alone.
static void mass_matrix(limb_data* d, const double* q, int n, double* M)
{
  const size_t size = (size_t)n * (size_t)n;
  double* room = malloc((size + 2 * GUARD) * sizeof *room);
  assert_that(room);
  for (size_t i = 0; i < size + 2 * GUARD; i++) room[i] = 12345;
  assert_ok(limb_mass_matrix(d, q, room + GUARD));
  for (size_t i = 0; i < GUARD; i++) {
    assert_that(room[i] == 12345 && room[size + GUARD + i] == 12345);
  }
  memcpy(M, room + GUARD, size * sizeof *M);
  free(room);
}

// Column by column: M e_k is the force of a unit acceleration from rest, without gravity and springs.
static void columns_of(int n, uint64_t seed)
{
  limb_model* m = make(n, seed, 0);
  limb_data* d = workspace(m);
  double q[MOST], zero[MOST] = {0}, spring[MOST], M[MOST * MOST], want[MOST * MOST];
  rng r = {(uint64_t)n};
  limb_environment env = limb_default_environment(m);
  env.gravity = sp_v3(0, 0, 0);
  for (int s = 0; s < STATES; s++) {
    check_at("%d joints, state %d", n, s);
    rng_fill(&r, 3, n, q);
    mass_matrix(d, q, n, M);
    assert_ok(limb_spring_forces(d, q, spring));
    for (int k = 0; k < n; k++) {
      double unit[MOST] = {0}, tau[MOST];
      unit[k] = 1;
      assert_ok(limb_inverse_dynamics(d, q, zero, unit, &env, tau));
      for (int j = 0; j < n; j++) want[j * n + k] = tau[j] - spring[j];
    }
    assert_close_matrix(M, want, n, n, 1e-12, 0);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) assert_that(M[i * n + j] == M[j * n + i]);
    }
  }
  limb_data_destroy(d);
  limb_model_destroy(m);
}

START_TEST(columns_are_forces_of_unit_accelerations) { columns_of(lengths[_i], 40), columns_of(lengths[_i], 41); }
END_TEST

// Columns go through the same operations in whatever company: nothing but the last bits may differ, which
// compilers decide on.
static void in_company(int n, uint64_t seed)
{
  limb_model *m = make(n, seed, 0), *turned = make(n, seed, 1);
  limb_data *d = workspace(m), *e = workspace(turned);
  double q[MOST], p[MOST], M[MOST * MOST], turned_M[MOST * MOST], want[MOST * MOST];
  rng r = {(uint64_t)n};
  for (int s = 0; s < STATES; s++) {
    check_at("%d joints, state %d", n, s);
    rng_fill(&r, 3, n, q);
    for (int k = 0; k < n; k++) p[n - 1 - k] = q[k];
    mass_matrix(d, q, n, M);
    mass_matrix(e, p, n, turned_M);
    for (int i = 0; i < n * n; i++) want[i] = turned_M[n * n - 1 - i];
    assert_close_matrix(M, want, n, n, 2e-15, 0);
  }
  limb_data_destroy(d), limb_data_destroy(e);
  limb_model_destroy(m), limb_model_destroy(turned);
}

START_TEST(company_makes_no_difference) { in_company(lengths[_i], 50), in_company(lengths[_i], 51); }
END_TEST

// Forward dynamics undoes inverse dynamics: friction, springs, rotors, a wrench, a base that turns.
static void there_and_back(int n, uint64_t seed)
{
  limb_model* m = make(n, seed, 0);
  limb_data* d = workspace(m);
  double q[MOST], v[MOST], a[MOST], tau[MOST], got[MOST], aba[MOST];
  rng r = {(uint64_t)n};
  for (int s = 0; s < STATES; s++) {
    check_at("%d joints, state %d", n, s);
    rng_fill(&r, 3, n, q), rng_fill(&r, 2, n, v), rng_fill(&r, 5, n, a);
    limb_wrench wrench = {n, LIMB_WORLD, {rng_vec3(&r, 10), rng_vec3(&r, 10)}};
    limb_environment env = limb_default_environment(m);
    env.wrench = &wrench, env.nwrench = 1;
    if (s % 2) {
      env.base_velocity = (sp_motion){rng_vec3(&r, 1), rng_vec3(&r, 1)};
      env.base_acceleration = (sp_motion){rng_vec3(&r, 1), rng_vec3(&r, 1)};
    }
    assert_ok(limb_inverse_dynamics(d, q, v, a, &env, tau));
    assert_ok(limb_forward_dynamics(d, q, v, tau, &env, got));
    assert_ok(limb_forward_dynamics_aba(d, q, v, tau, &env, aba));
    assert_close_array(got, a, n, n <= 8 ? 1e-10 : 1e-8, 0);
    assert_close_array(aba, a, n, n <= 8 ? 1e-10 : 1e-8, 0);
  }
  limb_data_destroy(d);
  limb_model_destroy(m);
}

START_TEST(forward_dynamics_undoes_inverse_dynamics)
{
  there_and_back(lengths[_i], 60), there_and_back(lengths[_i], 61);
}
END_TEST

// A link at the tip that weighs nothing.
START_TEST(a_singular_chain_is_refused)
{
  const int n = lengths[_i];
  limb_builder* b = NULL;
  limb_model* m = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  for (int k = 0; k < n; k++) {
    char name[16];
    snprintf(name, sizeof name, "%d", k + 1);
    limb_body_def body = limb_default_body_def(name);
    if (k + 1 < n) body.inertia = limb_inertia_box(1, 0.1, 0.2, 0.3);
    assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
    limb_joint_def joint = limb_default_joint_def(name, LIMB_REVOLUTE, k, k + 1);
    joint.axis = sp_v3(k % 2, 1 - k % 2, 0);
    joint.placement.p = sp_v3(0, 0, 0.3);
    assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  }
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  limb_data* d = workspace(m);
  double q[MOST], zero[MOST] = {0}, a[MOST];
  rng r = {(uint64_t)n};
  rng_fill(&r, 3, n, q);
  check_at("%d joints", n);
  assert_status(limb_forward_dynamics(d, q, zero, zero, NULL, a), LIMB_E_SINGULAR);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// Numbers whose products overflow: a status, no answer.
START_TEST(overflow_is_told)
{
  limb_model* m = make(6, 3, 0);
  limb_data* d = workspace(m);
  double q[6] = {0}, v[6], tau[6] = {0}, a[6];
  for (int k = 0; k < 6; k++) v[k] = 1e200;
  assert_status(limb_forward_dynamics(d, q, v, tau, NULL, a), LIMB_E_NONFINITE);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// Inertias whose products leave the range of numbers are no reason to give up.
START_TEST(heavy_and_light_chains)
{
  static const double scale[] = {1e-170, 1e-100, 1e100, 1e170};
  for (int k = 0; k < 4; k++) {
    check_at("%g", scale[k]);
    limb_builder* b = NULL;
    limb_model* m = NULL;
    assert_ok(limb_builder_create(NULL, &b));
    for (int i = 0; i < 5; i++) {
      char name[16];
      snprintf(name, sizeof name, "%d", i + 1);
      limb_body_def body = limb_default_body_def(name);
      const double s = scale[k];
      body.inertia = (sp_inertia){s, {0, 0, 0}, s, 0, 0, s, 0, s};
      assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
      limb_joint_def joint = limb_default_joint_def(name, LIMB_REVOLUTE, i, i + 1);
      joint.axis = sp_v3(1, 0, 0);
      assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
    }
    assert_ok(limb_builder_build(b, &m, NULL));
    limb_builder_destroy(b);
    limb_data* d = workspace(m);
    const double zero[5] = {0}, one[5] = {1, 1, 1, 1, 1};
    double tau[5], a[5];
    limb_environment env = limb_default_environment(m);
    env.gravity = sp_v3(0, 0, 0);
    assert_ok(limb_inverse_dynamics(d, zero, zero, one, &env, tau));
    assert_ok(limb_forward_dynamics(d, zero, zero, tau, &env, a));
    assert_close_array(a, one, 5, 1e-12, 0);
    limb_data_destroy(d);
    limb_model_destroy(m);
  }
}
END_TEST

CHECK_MAIN("dynamics/chains", LENGTHS, columns_are_forces_of_unit_accelerations, company_makes_no_difference,
           forward_dynamics_undoes_inverse_dynamics, a_singular_chain_is_refused, overflow_is_told,
           heavy_and_light_chains)
