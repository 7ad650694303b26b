// Base parameters: structure and numbers agree over all fixtures and joint types, Y_b theta_b = tau, counts
// from the literature.
#include "support/robots_impl.h"
#include "support/trial.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HALF_PI 1.57079632679489661923

enum {
  ONLY_BODIES = LIMB_BASE_NO_ROTORS | LIMB_BASE_NO_SPRINGS,
  STATES = CHECK_SANITIZED ? 3 : 10,
  LARGE = 40 // velocities: one such robot takes a second
};

static limb_base_facts facts_of(const limb_base_parameters* b)
{
  limb_base_facts f = {0};
  assert_ok(limb_base_get_facts(b, &f));
  return f;
}

// ---- all robots -------------------------------------------------------------------------------------

static bool has_mimic(const limb_model* m)
{
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info joint;
    assert_ok(limb_get_joint(m, j, &joint));
    if (joint.def.mimic >= 0) return true;
  }
  return false;
}

static void check_agreement(const limb_model* m, const limb_base_parameters* b)
{
  const limb_base_facts f = facts_of(b);
  assert_that(f.parameters == limb_parameter_count(m));
  assert_that(f.residual < 1e-11);
  // Smoothed friction of a slow mimic joint is next to viscous: only of such robots it may not be clear.
  const bool clear = f.kept > 1e-6 && f.dropped < 1e-11;
  if (has_mimic(m)) {
    assert_that(f.numeric <= f.structure && f.agree == (clear && f.numeric == f.structure));
    assert_that(limb_base_count(b) == (clear ? f.numeric : f.structure));
  } else {
    assert_that(clear && f.agree && f.structure == f.numeric);
    assert_that(limb_base_count(b) == f.numeric);
  }
}

// Y_b theta_b = tau, for the model's parameters and for any others.
static void check_regressor(trial* t, const limb_base_parameters* b, const limb_environment* env)
{
  const int np = limb_parameter_count(t->m), nb = limb_base_count(b);
  const size_t nv = (size_t)t->nv;
  double* theta = trial_doubles(t, (size_t)np);
  double* theta_b = trial_doubles(t, (size_t)nb);
  double* Y = trial_doubles(t, nv * (size_t)np);
  double* Y_b = trial_doubles(t, nv * (size_t)nb);
  double* work = trial_doubles(t, limb_base_work(b));
  double *got = trial_doubles(t, nv), *want = trial_doubles(t, nv);
  assert_that(limb_base_work(b) == nv * (size_t)np);
  assert_ok(limb_base_values(b, NULL, theta_b));
  assert_ok(limb_base_regressor(b, t->d, t->q, t->v, t->a, work, Y_b));
  trial_times(Y_b, theta_b, t->nv, nb, got);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, env, want));
  assert_close_array(got, want, t->nv, 1e-11, 0);
  rng_fill(&t->r, 1, np, theta);
  assert_ok(limb_base_values(b, theta, theta_b));
  trial_times(Y_b, theta_b, t->nv, nb, got);
  assert_ok(limb_regressor(t->d, t->q, t->v, t->a, env, Y));
  trial_times(Y, theta, t->nv, np, want);
  assert_close_array(got, want, t->nv, 1e-11, 0);
}

static limb_base_parameters* shared; // of the robot at hand

static void reduced_regressor(trial* t)
{
  if (!trial_small(t)) return;
  limb_environment env = limb_default_environment(t->m);
  if (t->state == 0) {
    limb_base_destroy(shared);
    assert_ok(limb_base_create(t->m, NULL, 0, NULL, &shared));
    check_agreement(t->m, shared);
  }
  // the next robot has another model: the object must not outlive this one
  check_regressor(t, shared, &env);
  if (t->state == STATES - 1) {
    limb_base_destroy(shared);
    shared = NULL;
  }
}

START_TEST(agree_and_reduce) { trial_over(_i, STATES, reduced_regressor); }
END_TEST

// The matrix, the effects and the counts fit together; another gravity, friction with a width.
static void other_world(trial* t)
{
  if (t->nv > LARGE) return;
  limb_base_parameters* b = NULL;
  limb_environment env = limb_default_environment(t->m);
  env.gravity = sp_v3(1, -2, 3);
  env.coulomb_width = 0.4;
  assert_ok(limb_base_create(t->m, &env, 0, NULL, &b));
  check_agreement(t->m, b);
  check_regressor(t, b, &env);
  const int np = limb_parameter_count(t->m), nb = limb_base_count(b);
  const double* K = limb_base_matrix(b);
  for (int c = 0; c < np; c++) {
    int rows = 0;
    for (int r = 0; r < nb; r++) rows += K[(size_t)r * (size_t)np + (size_t)c] != 0;
    assert_that((limb_base_effect_of(b, c) == LIMB_EFFECT_NONE) == (rows == 0));
    assert_that(limb_base_effect_of(b, c) != LIMB_EFFECT_LEFT_OUT);
  }
  limb_base_destroy(b);
}

START_TEST(gravity_and_width) { trial_over(_i, 1, other_world); }
END_TEST

// ---- all joints -------------------------------------------------------------------------------------

static int add_link(limb_builder* b, rng* r, int i, limb_joint_type type, int parent)
{
  char name[16];
  (void)snprintf(name, sizeof name, "b%d", i);
  const sp_inertia box = limb_inertia_box(1, 0.3, 0.4, 0.5);
  const int body = fixture_body(b, name, limb_inertia_move(rng_pose(r, 0.3), box));
  limb_joint_def def = limb_default_joint_def(name, type, parent, body);
  def.placement = rng_pose(r, 0.5);
  if (type != LIMB_SPHERICAL && type != LIMB_FREE && type != LIMB_FIXED) def.axis = rng_direction(r);
  if (type == LIMB_UNIVERSAL) def.axis2 = rng_direction(r);
  if (type == LIMB_HELICAL) def.pitch = 0.2;
  (void)fixture_joint(b, &def);
  return body;
}

// One joint of each type on one of each type, with a rotation behind and one beside.
START_TEST(joint_types)
{
  const int first = _i / 9, second = _i % 9;
  rng r = {(uint64_t)_i};
  limb_builder* b = fixture_begin("types");
  check_at("joint types %d, %d", first, second);
  const int one = add_link(b, &r, 0, (limb_joint_type)first, LIMB_WORLD_BODY);
  const int two = add_link(b, &r, 1, (limb_joint_type)second, one);
  (void)add_link(b, &r, 2, LIMB_REVOLUTE, two);
  (void)add_link(b, &r, 3, LIMB_PRISMATIC, one);
  limb_model* m = fixture_end(b);
  limb_base_parameters* base = NULL;
  for (unsigned flags = 0; flags < 4; flags++) {
    if (CHECK_SANITIZED && flags != (unsigned)_i % 4) continue; // one of them for each pair
    assert_ok(limb_base_create(m, NULL, flags, NULL, &base));
    check_agreement(m, base);
    limb_base_destroy(base);
  }
  limb_model_destroy(m);
}
END_TEST

// Joints of every type in one place, their axes square or not, behind a screw: lengths are those of its pitch only,
// and offsets are zero, or what rounding has made of zero.
START_TEST(screws_in_one_place)
{
  static const sp_vec3 axes[] = {{0, 0, 1}, {0, 1, 1}, {1, 0, 0}, {1, -2, 3}};
  static const double pitches[] = {0.5, -0.1, 40};
  for (int k = 0; k < 36; k++) {
    limb_builder* b = fixture_begin("screws");
    check_at("joint type %d, screw %d", _i, k);
    for (int i = 0; i < 3; i++) {
      const sp_inertia box = limb_inertia_move(fixture_at(0.1, 0.2 * i, 0.3), limb_inertia_box(1, 0.3, 0.4, 0.5));
      (void)fixture_body(b, i == 0 ? "b1" : i == 1 ? "b2" : "b3", box);
    }
    for (int i = 0; i < 3; i++) {
      const limb_joint_type type = i == 0 ? LIMB_REVOLUTE : i == 1 ? LIMB_HELICAL : (limb_joint_type)_i;
      limb_joint_def def = limb_default_joint_def(i == 0 ? "j1" : i == 1 ? "j2" : "j3", type, i, i + 1);
      if (i == 1) def.axis = axes[k % 4], def.pitch = pitches[k / 12];
      if (i == 2 && type != LIMB_SPHERICAL && type != LIMB_FREE && type != LIMB_FIXED) def.axis = axes[k / 4 % 3];
      if (i == 2 && type == LIMB_HELICAL) def.pitch = 0.2;
      if (i == 2 && type == LIMB_UNIVERSAL) def.axis2 = sp_v3(0.3, 0.4, -0.2);
      (void)fixture_joint(b, &def);
    }
    limb_model* m = fixture_end(b);
    limb_base_parameters* base = NULL;
    assert_ok(limb_base_create(m, NULL, 0, NULL, &base));
    check_agreement(m, base);
    limb_base_destroy(base);
    limb_model_destroy(m);
  }
}
END_TEST

// Any robot: the set is right, and complete where the rank is clear.
START_TEST(any_robot)
{
  for (uint64_t seed = 1; seed <= CHECK_EFFORT(20, 200, 2000); seed++) {
    limb_model* m = robot_any(seed);
    limb_base_parameters* base = NULL;
    check_at("robot %llu", (unsigned long long)seed);
    assert_ok(limb_base_create(m, NULL, 0, NULL, &base));
    const limb_base_facts f = facts_of(base);
    assert_that(f.residual < 1e-9 && f.numeric <= f.structure);
    if (!has_mimic(m)) assert_that(f.agree || f.kept < 1e-6 || f.dropped > 1e-11);
    limb_base_destroy(base);
    limb_model_destroy(m);
  }
}
END_TEST

// ---- counts -----------------------------------------------------------------------------------------

static int count_of(limb_model* m, int gravity, unsigned flags)
{
  limb_base_parameters* b = NULL;
  limb_environment env = limb_default_environment(m);
  env.friction = 0;
  if (!gravity) env.gravity = sp_v3(0, 0, 0);
  assert_ok(limb_base_create(m, &env, flags, NULL, &b));
  check_agreement(m, b);
  const int count = limb_base_count(b);
  limb_base_destroy(b);
  return count;
}

static void expect(limb_model* m, int gravity, unsigned flags, int count)
{
  const int got = count_of(m, gravity, flags);
  if (got != count) ck_abort_msg("%s has %d base parameters, not %d", limb_model_name(m), got, count);
}

// A serial robot from a table of modified Denavit-Hartenberg parameters (Khalil): sigma, quarter turns of
// alpha, d, r.
typedef struct mdh {
  int prismatic, quarters;
  double d, r;
} mdh;

static limb_model* serial(const char* name, int n, const mdh* table)
{
  rng r = {5};
  limb_builder* b = fixture_begin(name);
  int parent = LIMB_WORLD_BODY;
  for (int i = 0; i < n; i++) {
    const char digit[2] = {(char)('1' + i), 0};
    const sp_inertia box = limb_inertia_box(2, 0.3, 0.4, 0.5);
    const limb_joint_type type = table[i].prismatic ? LIMB_PRISMATIC : LIMB_REVOLUTE;
    const sp_pose X = fixture_mdh(0, 0, table[i].quarters * HALF_PI, table[i].d, 0, table[i].r);
    parent = fixture_link(b, digit, type, parent, X, sp_v3(0, 0, 1), limb_inertia_move(rng_pose(&r, 0.2), box));
  }
  return fixture_end(b);
}

// Gautier and Khalil 1990: with n_r rotations and n_p translations, the first axis a rotation along
// gravity, in general position at most 7 n_r + 4 n_p - 3 - 1 - 2.
static int bound(int rotations, int translations) { return 7 * rotations + 4 * translations - 6; }

// Mayeda, Yoshida, Osuka 1990; Gautier, Khalil 1990: 36 inertial parameters without friction. Of the six
// rotors those of the first two axes are grouped, the other four stand alone.
START_TEST(puma_560)
{
  limb_model* m = robot_puma560();
  assert_that(bound(6, 0) == 36);
  expect(m, 1, ONLY_BODIES, 36);
  expect(m, 1, LIMB_BASE_NO_SPRINGS, 40);
  limb_model_destroy(m);
}
END_TEST

// Khalil, Dombre 2002, section 9.4: the RX-90 has 40 base parameters, Ia3 ... Ia6 among them.
START_TEST(staubli_rx90)
{
  static const mdh table[6] = {{0, 0, 0, 0},     {0, 1, 0, 0}, {0, 0, 0.45, 0},
                               {0, -1, 0, 0.45}, {0, 1, 0, 0}, {0, -1, 0, 0}};
  limb_model* m = serial("rx90", 6, table);
  expect(m, 1, ONLY_BODIES, 36);
  expect(m, 1, LIMB_BASE_NO_SPRINGS, 40);
  limb_model_destroy(m);
}
END_TEST

// Five rotations and a translation along the fourth axis: the bound of Gautier and Khalil is reached.
START_TEST(stanford_arm)
{
  static const mdh table[6] = {{0, 0, 0, 0}, {0, -1, 0, 0.15}, {1, 1, 0, 0}, {0, 0, 0, 0}, {0, -1, 0, 0}, {0, 1, 0, 0}};
  limb_model* m = serial("stanford", 6, table);
  assert_that(bound(5, 1) == 33);
  expect(m, 1, ONLY_BODIES, 33);
  expect(m, 1, LIMB_BASE_NO_SPRINGS, 37); // Ia1 and Ia2 are grouped
  limb_model_destroy(m);
}
END_TEST

// In a vertical plane ZZR1, MXR1, MY1, ZZ2, MX2, MY2; without gravity the first moments of the first link
// have no effect; the first rotor is grouped with ZZ1.
START_TEST(planar_2r)
{
  limb_model* m = robot_planar_2r();
  expect(m, 1, ONLY_BODIES, 6);
  expect(m, 0, ONLY_BODIES, 4);
  expect(m, 1, LIMB_BASE_NO_SPRINGS, 7);
  limb_model_destroy(m);
}
END_TEST

// ZZR1; ZZR2, MXR2, MYR2; MR3; ZZ4, MX4, MY4: all axes are vertical.
START_TEST(scara)
{
  limb_model* m = robot_scara();
  expect(m, 1, ONLY_BODIES, 8);
  expect(m, 1, LIMB_BASE_NO_SPRINGS, 11); // Ia2, Ia4; Ia3, because gravity tells the mass from it
  expect(m, 0, LIMB_BASE_NO_SPRINGS, 10); // without it they are one
  limb_model_destroy(m);
}
END_TEST

// A free body has its ten parameters; one on a ball joint all but the mass.
START_TEST(single_bodies)
{
  static const struct {
    limb_joint_type type;
    int count;
  } robots[] = {{LIMB_FREE, 10}, {LIMB_SPHERICAL, 9}, {LIMB_FIXED, 0}};
  for (int k = 0; k < 3; k++) {
    rng r = {3};
    limb_builder* b = fixture_begin("body");
    (void)add_link(b, &r, 0, robots[k].type, LIMB_WORLD_BODY);
    limb_model* m = fixture_end(b);
    expect(m, 1, 0, robots[k].count);
    limb_model_destroy(m);
  }
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const once[] = {puma_560, staubli_rx90, stanford_arm, planar_2r, scara, single_bodies, any_robot, NULL};
  const TTest* const robots[] = {agree_and_reduce, gravity_and_width, NULL};
  const TTest *const types[] = {joint_types, NULL}, *const screws[] = {screws_in_one_place, NULL};
  int failed = check_run("dynamics/base_parameters", 1, once);
  failed |= check_run("dynamics/base_parameters, robots", trial_robots(), robots);
  failed |= check_run("dynamics/base_parameters, joints", 81, types);
  failed |= check_run("dynamics/base_parameters, screws", 9, screws);
  return failed;
}
