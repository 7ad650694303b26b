// A base that moves: prescribed motion against gravity, against a free joint, against a heavy body.
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A base that accelerates by a is a base at rest under gravity g - a.
static void base_acceleration(trial* t)
{
  double *tau = trial_doubles(t, (size_t)t->nv), *want = trial_doubles(t, (size_t)t->nv);
  limb_environment moving = t->env, still = t->env;
  moving.base_acceleration.v = rng_vec3(&t->r, 5);
  moving.base_velocity.v = rng_vec3(&t->r, 5); // a constant velocity changes nothing
  still.gravity = sp_sub3(t->env.gravity, moving.base_acceleration.v);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &moving, tau));
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &still, want));
  assert_close_array(tau, want, t->nv, TOL_ALGEBRA, 0);
  assert_ok(limb_bias_forces(t->d, t->q, t->v, &moving, tau));
  assert_ok(limb_bias_forces(t->d, t->q, t->v, &still, want));
  assert_close_array(tau, want, t->nv, TOL_ALGEBRA, 0);
}

START_TEST(base_acceleration_is_gravity) { trial_over(_i, TRIAL_STATES, base_acceleration); }
END_TEST

// ---- the Panda on a base ------------------------------------------------------------------------

enum { ARM = 7, NQ = 7 + ARM, NV = 6 + ARM };

typedef struct pair {
  limb_model *fixed, *free;
  limb_data *on_fixed, *on_free;
  double q[NQ], v[NV], a[NV]; // of the robot with the free base
} pair;

static pair pair_make(double mass)
{
  pair p = {0};
  p.fixed = robot_panda_on_base(LIMB_FIXED, mass);
  p.free = robot_panda_on_base(LIMB_FREE, mass);
  assert_ok(limb_data_create(p.fixed, NULL, &p.on_fixed));
  assert_ok(limb_data_create(p.free, NULL, &p.on_free));
  assert_that(limb_nq(p.free) == NQ && limb_nv(p.free) == NV && limb_nv(p.fixed) == ARM);
  return p;
}

static void pair_draw(pair* p, rng* r)
{
  uint64_t seed = rng_next(r);
  assert_ok(limb_random(p->free, &seed, p->q));
  rng_fill(r, 2, NV, p->v);
  rng_fill(r, 5, NV, p->a);
}

static void pair_free(pair* p)
{
  limb_data_destroy(p->on_fixed);
  limb_data_destroy(p->on_free);
  limb_model_destroy(p->fixed);
  limb_model_destroy(p->free);
}

static sp_motion motion_of(const double* x) { return sp_motion_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5])); }

// A free base that moves as told asks the same torques as a base whose motion is prescribed. In the
// frame of the base gravity is turned; the derivative of a body velocity is a spatial acceleration,
// the classical one has w x v besides.
START_TEST(prescribed_base_motion_is_a_free_joint)
{
  rng r = {101};
  pair p = pair_make(8);
  for (int i = 0; i < TRIAL_STATES; i++) {
    check_at("panda on a free base, state %d", i);
    pair_draw(&p, &r);
    const sp_quat turn = {p.q[3], p.q[4], p.q[5], p.q[6]};
    const sp_motion v = motion_of(p.v), a = motion_of(p.a);
    limb_environment env = limb_default_environment(p.fixed);
    env.gravity = sp_tmulv(sp_rot_quat(turn), limb_model_gravity(p.free));
    env.base_velocity = v;
    env.base_acceleration = sp_motion_make(a.w, sp_add3(a.v, sp_cross3(v.w, v.v)));
    double want[NV], tau[ARM];
    assert_ok(limb_inverse_dynamics(p.on_free, p.q, p.v, p.a, NULL, want));
    assert_ok(limb_inverse_dynamics(p.on_fixed, p.q + 7, p.v + 6, p.a + 6, &env, tau));
    assert_close_array(tau, want + 6, ARM, TOL_ALGEBRA, 0);
    double back[ARM];
    assert_ok(limb_forward_dynamics(p.on_fixed, p.q + 7, p.v + 6, tau, &env, back));
    assert_close_array(back, p.a + 6, ARM, TOL_SOLVE, 0);
  }
  pair_free(&p);
}
END_TEST

// A free base of great mass, pushed by nothing, lets the arm move as a fixed base does: without
// gravity, which would make it fall. The difference goes with the ratio of the masses.
START_TEST(heavy_free_base_is_a_fixed_base)
{
  rng r = {102};
  pair p = pair_make(1e9);
  for (int i = 0; i < TRIAL_STATES; i++) {
    check_at("panda on a heavy base, state %d", i);
    pair_draw(&p, &r);
    static const double identity[7] = {0, 0, 0, 0, 0, 0, 1};
    memcpy(p.q, identity, sizeof identity);
    memset(p.v, 0, 6 * sizeof *p.v);
    limb_environment env = limb_default_environment(p.fixed);
    env.gravity = sp_v3(0, 0, 0);
    double tau[NV] = {0}, a[NV], want[ARM];
    rng_fill(&r, 20, ARM, tau + 6);
    assert_ok(limb_forward_dynamics(p.on_fixed, p.q + 7, p.v + 6, tau + 6, &env, want));
    assert_ok(limb_forward_dynamics(p.on_free, p.q, p.v, tau, &env, a));
    assert_close_array(a + 6, want, ARM, 1e-6, 0);
    const double none[6] = {0};
    assert_close_array(a, none, 6, 0, 1e-5);
  }
  pair_free(&p);
}
END_TEST

// ---- whole-robot laws of a free base ------------------------------------------------------------

// With no wrench and no force at the base, a robot falls: its centre of mass with g, and its
// angular momentum about it stays.
static void falling(trial* t)
{
  if (!(t->robot->flags & ROBOT_FREE_BASE)) return;
  double *tau = trial_doubles(t, (size_t)t->nv), *a = trial_doubles(t, (size_t)t->nv);
  rng_fill(&t->r, 10, t->nv - 6, tau + 6);
  assert_ok(limb_forward_dynamics(t->d, t->q, t->v, tau, NULL, a));
  assert_ok(limb_kinematics(t->d, t->q, t->v, a));
  sp_vec3 acceleration;
  sp_force rate;
  const sp_vec3 g = limb_model_gravity(t->m);
  assert_ok(limb_center_of_mass(t->d, NULL, NULL, &acceleration));
  assert_close_vec3(acceleration, g, t->solve, 0);
  assert_ok(limb_momentum_rate(t->d, 1, &rate));
  const sp_force want = sp_force_make(sp_v3(0, 0, 0), sp_scale3(limb_total_mass(t->m), g));
  assert_close_force(rate, want, t->solve, 0);
}

START_TEST(a_free_robot_falls) { trial_over(_i, TRIAL_STATES, falling); }
END_TEST

// The force at the root joint is zero exactly when the robot is in free fall.
static void root_reaction(trial* t)
{
  if (!(t->robot->flags & ROBOT_FREE_BASE)) return;
  double *tau = trial_doubles(t, (size_t)t->nv), *a = trial_doubles(t, (size_t)t->nv);
  sp_force* f = trial_forces(t, (size_t)limb_joint_count(t->m));
  rng_fill(&t->r, 10, t->nv - 6, tau + 6);
  assert_ok(limb_forward_dynamics(t->d, t->q, t->v, tau, NULL, a));
  assert_ok(limb_joint_reactions(t->d, t->q, t->v, a, NULL, LIMB_BODY, f));
  const double weight = limb_total_mass(t->m) * 9.81;
  const sp_force none = {{0, 0, 0}, {0, 0, 0}};
  assert_close_force(f[0], none, 0, t->solve * weight);
  // Pushed at the base, the joint feels the push.
  for (int k = 0; k < 6; k++) tau[k] = rng_uniform(&t->r, -50, 50);
  assert_ok(limb_forward_dynamics(t->d, t->q, t->v, tau, NULL, a));
  assert_ok(limb_joint_reactions(t->d, t->q, t->v, a, NULL, LIMB_BODY, f));
  const sp_motion push = motion_of(tau);
  assert_close_force(f[0], sp_force_make(push.w, push.v), 0, t->solve * weight);
}

START_TEST(nothing_holds_a_free_base) { trial_over(_i, TRIAL_STATES, root_reaction); }
END_TEST

int CHECK_NAME(void)
{
  const int all = check_run(
    "identities/base, every robot", trial_robots(),
    (const TTest* const[]){base_acceleration_is_gravity, a_free_robot_falls, nothing_holds_a_free_base, NULL});
  const int panda =
    check_run("identities/base, Panda", 1,
              (const TTest* const[]){prescribed_base_motion_is_a_free_joint, heavy_free_base_is_a_fixed_base, NULL});
  return all | panda;
}
