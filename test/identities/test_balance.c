// Energy, power, momentum, centre of mass and joint reactions, over every fixture robot.
#include "support/trial.h"

#include "limb/verify.h"

#include <math.h>

// ---- energy and power ---------------------------------------------------------------------------

static double spring_energy(const trial* t)
{
  double sum = 0;
  for (int j = 0; j < limb_joint_count(t->m); j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(t->m, j, &info));
    if (info.def.stiffness == 0) continue;
    const double x = info.multiplier * t->q[info.q] + info.offset - info.def.rest;
    sum += info.def.stiffness * x * x / 2;
  }
  for (int k = 0; k < limb_shaft_count(t->m); k++) {
    limb_shaft_def s;
    limb_joint_info joint, motor;
    assert_ok(limb_get_shaft(t->m, k, &s));
    assert_ok(limb_get_joint(t->m, s.joint, &joint));
    assert_ok(limb_get_joint(t->m, s.motor, &motor));
    const double x = t->q[motor.q] / s.ratio - t->q[joint.q] - s.rest;
    sum += s.stiffness * x * x / 2;
  }
  return sum;
}

static void energies(trial* t)
{
  const size_t n = (size_t)t->nv;
  double *M = trial_doubles(t, n * n), *momentum = trial_doubles(t, n);
  limb_environment env = t->env;
  env.gravity = rng_vec3(&t->r, 10);
  limb_energy e;
  assert_ok(limb_energies(t->d, t->q, t->v, &env, &e));
  assert_ok(limb_mass_matrix(t->d, t->q, M));
  trial_times(M, t->v, t->nv, t->nv, momentum);
  double kinetic = 0;
  for (int k = 0; k < t->nv; k++) kinetic += t->v[k] * momentum[k] / 2;
  assert_close(e.kinetic, kinetic, TOL_ALGEBRA, 0);
  assert_close(e.springs, spring_energy(t), TOL_ALGEBRA, 0);
  assert_ok(limb_kinematics(t->d, t->q, NULL, NULL));
  sp_vec3 com;
  assert_ok(limb_center_of_mass(t->d, &com, NULL, NULL));
  const double mass = limb_total_mass(t->m);
  assert_close(e.gravity, -mass * sp_dot3(env.gravity, com), TOL_ALGEBRA,
               TOL_ALGEBRA * mass * sp_norm3(env.gravity) * sp_norm3(com));
}

START_TEST(energies_by_mass_matrix_and_centre_of_mass) { trial_over(_i, TRIAL_STATES, energies); }
END_TEST

static void power(trial* t)
{
  double* tau = trial_doubles(t, (size_t)t->nv);
  limb_power p;
  assert_ok(limb_power_balance(t->d, t->q, t->v, t->a, &t->env, &p));
  const double size =
    fabs(p.actuators) + fabs(p.wrenches) + fabs(p.kinetic) + fabs(p.gravity) + fabs(p.springs) + fabs(p.friction);
  assert_close(p.residual, 0, 0, TOL_ALGEBRA * size);
  assert_close(p.actuators + p.wrenches, p.kinetic + p.gravity + p.springs + p.friction, 0, TOL_ALGEBRA * size);
  assert_that(p.friction >= 0);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &t->env, tau));
  double delivered = 0, friction = 0, wrenches = 0;
  for (int k = 0; k < t->nv; k++) delivered += tau[k] * t->v[k];
  assert_close(p.actuators, delivered, 0, TOL_ALGEBRA * size);
  assert_ok(limb_friction_forces(t->d, t->v, &t->env, tau));
  for (int k = 0; k < t->nv; k++) friction += tau[k] * t->v[k];
  assert_close(p.friction, friction, 0, TOL_ALGEBRA * size);
  assert_ok(limb_kinematics(t->d, t->q, t->v, NULL));
  for (int i = 0; i < TRIAL_WRENCHES; i++) {
    sp_motion v;
    assert_ok(limb_frame_velocity(t->d, t->wrench[i].frame, t->wrench[i].ref, &v));
    wrenches += sp_dot(v, t->wrench[i].wrench);
  }
  assert_close(p.wrenches, wrenches, 0, TOL_ALGEBRA * size);
}

START_TEST(power_balance_closes) { trial_over(_i, TRIAL_STATES, power); }
END_TEST

// Energies at the configuration and velocity a time h away along v and a.
static limb_energy energy_at(trial* t, double h)
{
  double *q = trial_doubles(t, (size_t)t->nq), *v = trial_doubles(t, (size_t)t->nv);
  double* mean = trial_doubles(t, (size_t)t->nv);
  for (int k = 0; k < t->nv; k++) {
    v[k] = t->v[k] + h * t->a[k];
    mean[k] = t->v[k] + h / 2 * t->a[k];
  }
  limb_energy e;
  assert_ok(limb_integrate(t->m, t->q, mean, h, q));
  assert_ok(limb_energies(t->d, q, v, &t->env, &e));
  return e;
}

static void energy_rates(trial* t)
{
  const double h = 1e-5;
  limb_power p;
  assert_ok(limb_power_balance(t->d, t->q, t->v, t->a, &t->env, &p));
  const limb_energy after = energy_at(t, h), before = energy_at(t, -h);
  const double size = fabs(p.kinetic) + fabs(p.gravity) + fabs(p.springs);
  const double kinetic = (after.kinetic - before.kinetic) / (2 * h);
  const double gravity = (after.gravity - before.gravity) / (2 * h);
  const double springs = (after.springs - before.springs) / (2 * h);
  assert_close(p.kinetic, kinetic, TOL_FD, TOL_FD * size);
  assert_close(p.gravity, gravity, TOL_FD, TOL_FD * size);
  assert_close(p.springs, springs, TOL_FD, TOL_FD * size);
}

START_TEST(power_is_the_rate_of_energy) { trial_over(_i, TRIAL_STATES, energy_rates); }
END_TEST

// ---- momentum and centre of mass ----------------------------------------------------------------

static void momentum(trial* t)
{
  sp_force *A = trial_forces(t, (size_t)t->nv), *alone = trial_forces(t, (size_t)t->nv);
  sp_vec3 com, velocity;
  assert_ok(limb_kinematics(t->d, t->q, t->v, NULL));
  assert_ok(limb_center_of_mass(t->d, &com, &velocity, NULL));
  sp_force h[2];
  for (int centroidal = 0; centroidal < 2; centroidal++) {
    assert_ok(limb_momentum(t->d, centroidal, &h[centroidal]));
    assert_ok(limb_momentum_matrix(t->d, centroidal, A));
    assert_ok(limb_momentum_matrix_at(t->d, t->q, centroidal, alone));
    assert_close_forces(alone, A, t->nv, TOL_ALGEBRA, 0);
    sp_force sum = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < t->nv; k++) sum = sp_addf(sum, sp_scalef(t->v[k], A[k]));
    assert_close_force(h[centroidal], sum, TOL_ALGEBRA, 0);
  }
  // Moved from the centre of mass to the origin; the linear part is m times the velocity.
  const sp_force moved = sp_force_out(sp_pose_make(sp_identity3(), com), h[1]);
  assert_close_force(h[0], moved, TOL_ALGEBRA, 0);
  assert_close_vec3(h[1].f, sp_scale3(limb_total_mass(t->m), velocity), TOL_ALGEBRA, 0);
  sp_vec3* J = trial_vec3s(t, (size_t)t->nv);
  assert_ok(limb_center_of_mass_jacobian(t->d, J));
  sp_vec3 sum = {0, 0, 0};
  for (int k = 0; k < t->nv; k++) sum = sp_add3(sum, sp_scale3(t->v[k], J[k]));
  assert_close_vec3(velocity, sum, TOL_ALGEBRA, 0);
}

START_TEST(momentum_is_matrix_times_velocity) { trial_over(_i, TRIAL_STATES, momentum); }
END_TEST

// Momentum (about the origin and about the centre of mass) and centre of mass a time h away.
typedef struct whole {
  sp_force h[2];
  sp_vec3 com, velocity;
} whole;

static whole whole_at(trial* t, double h)
{
  double *q = trial_doubles(t, (size_t)t->nq), *v = trial_doubles(t, (size_t)t->nv);
  double* mean = trial_doubles(t, (size_t)t->nv);
  for (int k = 0; k < t->nv; k++) {
    v[k] = t->v[k] + h * t->a[k];
    mean[k] = t->v[k] + h / 2 * t->a[k];
  }
  whole w;
  assert_ok(limb_integrate(t->m, t->q, mean, h, q));
  assert_ok(limb_kinematics(t->d, q, v, NULL));
  assert_ok(limb_momentum(t->d, 0, &w.h[0]));
  assert_ok(limb_momentum(t->d, 1, &w.h[1]));
  assert_ok(limb_center_of_mass(t->d, &w.com, &w.velocity, NULL));
  return w;
}

static void rates(trial* t)
{
  const double h = 1e-5, k = 1 / (2 * h);
  const whole after = whole_at(t, h), before = whole_at(t, -h);
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  sp_vec3 velocity, acceleration;
  assert_ok(limb_center_of_mass(t->d, NULL, &velocity, &acceleration));
  assert_close_vec3(sp_scale3(k, sp_sub3(after.com, before.com)), velocity, TOL_FD, 1e-9);
  assert_close_vec3(sp_scale3(k, sp_sub3(after.velocity, before.velocity)), acceleration, TOL_FD, 1e-9);
  for (int centroidal = 0; centroidal < 2; centroidal++) {
    sp_force rate;
    assert_ok(limb_momentum_rate(t->d, centroidal, &rate));
    const sp_force fd = sp_scalef(k, sp_addf(after.h[centroidal], sp_scalef(-1, before.h[centroidal])));
    assert_close_force(fd, rate, TOL_FD, 1e-9);
  }
}

START_TEST(rates_by_differences) { trial_over(_i, TRIAL_STATES, rates); }
END_TEST

// ---- reactions ----------------------------------------------------------------------------------

// The forces at the joints that sit on the world, the wrenches and the weight change the momentum.
// Bodies fixed to the world weigh too: their joints carry them.
static void newton_euler_of_the_whole(trial* t)
{
  sp_force* f = trial_forces(t, (size_t)limb_joint_count(t->m));
  assert_ok(limb_joint_reactions(t->d, t->q, t->v, t->a, &t->env, LIMB_WORLD, f));
  sp_force sum = {{0, 0, 0}, {0, 0, 0}};
  for (int j = 0; j < limb_joint_count(t->m); j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(t->m, j, &info));
    if (info.def.parent == LIMB_WORLD_BODY) sum = sp_addf(sum, f[j]);
  }
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  for (int i = 0; i < TRIAL_WRENCHES; i++) {
    sp_pose X;
    limb_frame_info info;
    const limb_wrench* w = &t->wrench[i];
    assert_ok(limb_get_frame(t->m, w->frame, &info));
    if (info.body == LIMB_WORLD_BODY) continue; // the world takes it, no joint does
    assert_ok(limb_frame_pose(t->d, w->frame, &X));
    if (w->ref == LIMB_ALIGNED) X.R = sp_identity3();
    sum = sp_addf(sum, w->ref == LIMB_WORLD ? w->wrench : sp_force_out(X, w->wrench));
  }
  sp_vec3 com;
  sp_force rate;
  assert_ok(limb_center_of_mass(t->d, &com, NULL, NULL));
  const sp_vec3 weight = sp_scale3(limb_total_mass(t->m), t->env.gravity);
  sum = sp_addf(sum, sp_force_make(sp_cross3(com, weight), weight));
  assert_ok(limb_momentum_rate(t->d, 0, &rate));
  const double size = sp_norm3(weight) * (1 + sp_norm3(com));
  assert_close_force(sum, rate, TOL_ALGEBRA, TOL_ALGEBRA * size);
}

START_TEST(root_reactions_change_the_momentum) { trial_over(_i, TRIAL_STATES, newton_euler_of_the_whole); }
END_TEST

// Along a unit velocity of coordinate k every joint's reaction works on the difference of the
// twists of its two bodies: together they do the work of tau_k less what friction, springs and
// rotors take.
static void work_of_reactions(trial* t)
{
  if (!trial_small(t)) return;
  const size_t n = (size_t)t->nv, joints = (size_t)limb_joint_count(t->m);
  sp_force* f = trial_forces(t, joints);
  sp_motion *child = trial_motions(t, n), *parent = trial_motions(t, n);
  double *want = trial_doubles(t, n), *got = trial_doubles(t, n);
  double *friction = trial_doubles(t, n), *springs = trial_doubles(t, n);
  assert_ok(limb_joint_reactions(t->d, t->q, t->v, t->a, &t->env, LIMB_WORLD, f));
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &t->env, want));
  assert_ok(limb_friction_forces(t->d, t->v, &t->env, friction));
  assert_ok(limb_spring_forces(t->d, t->q, springs));
  for (int k = 0; k < t->nv; k++) want[k] -= friction[k] + springs[k];
  assert_ok(limb_kinematics(t->d, t->q, NULL, NULL));
  for (int j = 0; j < (int)joints; j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(t->m, j, &info));
    assert_ok(limb_frame_jacobian(t->d, info.def.child, LIMB_WORLD, child));
    assert_ok(limb_frame_jacobian(t->d, info.def.parent, LIMB_WORLD, parent));
    for (int k = 0; k < t->nv; k++) {
      got[k] += sp_dot(sp_addm(child[k], sp_scalem(-1, parent[k])), f[j]);
    }
    if (info.def.rotor_inertia > 0) {
      const double rotor = info.def.gear_ratio * info.def.gear_ratio * info.def.rotor_inertia * info.multiplier;
      want[info.v] -= rotor * info.multiplier * t->a[info.v];
    }
  }
  assert_close_array(got, want, t->nv, TOL_ALGEBRA, 0);
}

START_TEST(reactions_do_the_work_of_the_torques) { trial_over(_i, TRIAL_STATES, work_of_reactions); }
END_TEST

static void against_reference(trial* t, const limb_environment* env)
{
  const int joints = limb_joint_count(t->m);
  double* tau = trial_doubles(t, (size_t)t->nv);
  sp_force *by_body = trial_forces(t, (size_t)t->nbody), *want = trial_forces(t, (size_t)joints);
  sp_force* got = trial_forces(t, (size_t)joints);
  assert_ok(limb_reference_inverse_dynamics(t->m, t->q, t->v, t->a, env, tau, by_body));
  assert_ok(limb_joint_reactions(t->d, t->q, t->v, t->a, env, LIMB_BODY, got));
  for (int j = 0; j < joints; j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(t->m, j, &info));
    want[j] = by_body[info.def.child];
  }
  assert_close_forces(got, want, joints, TOL_ALGEBRA, 0);
  // The other references are the same wrench elsewhere.
  sp_force *aligned = trial_forces(t, (size_t)joints), *world = trial_forces(t, (size_t)joints);
  assert_ok(limb_joint_reactions(t->d, t->q, t->v, t->a, env, LIMB_ALIGNED, aligned));
  assert_ok(limb_joint_reactions(t->d, t->q, t->v, t->a, env, LIMB_WORLD, world));
  assert_ok(limb_kinematics(t->d, t->q, NULL, NULL));
  for (int j = 0; j < joints; j++) {
    limb_joint_info info;
    sp_pose X;
    assert_ok(limb_get_joint(t->m, j, &info));
    assert_ok(limb_frame_pose(t->d, info.def.child, &X));
    const sp_force turned = sp_force_make(sp_mulv(X.R, got[j].m), sp_mulv(X.R, got[j].f));
    assert_close_force(aligned[j], turned, TOL_ALGEBRA, TOL_ALGEBRA);
    assert_close_force(world[j], sp_force_out(X, got[j]), TOL_ALGEBRA, TOL_ALGEBRA);
  }
}

static void reactions(trial* t)
{
  against_reference(t, NULL);
  against_reference(t, &t->env);
  const limb_environment moving = trial_moving_base(t);
  against_reference(t, &moving);
}

START_TEST(reactions_agree_with_the_reference) { trial_over(_i, TRIAL_STATES, reactions); }
END_TEST

CHECK_MAIN("identities/balance", trial_robots(), energies_by_mass_matrix_and_centre_of_mass, power_balance_closes,
           power_is_the_rate_of_energy, momentum_is_matrix_times_velocity, rates_by_differences,
           root_reactions_change_the_momentum, reactions_do_the_work_of_the_torques, reactions_agree_with_the_reference)
