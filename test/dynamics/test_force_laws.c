// Force laws: constant ones are wrenches, a drag is the wrench made by hand from what the kinematics say,
// a law that carries the weight makes the robot weightless, fixed joints feel laws, too.
#include "limb/verify.h"
#include "dynamics/force_laws.h"
#include "kinematics/moving.h"
#include "support/robots_impl.h"
#include "support/trial.h"

#include <string.h>

enum { LAWS = TRIAL_WRENCHES, STATES = CHECK_SANITIZED ? 2 : 10 };

static drag sluggish(void) { return (drag){0.3, 0.7, {0.5, -0.25, 1}}; }

// Laws of drag on the frames and in the references of the trial's wrenches.
static void add_drag(trial* t, drag* context, limb_force_fn* force, limb_force_law law[LAWS], limb_environment* env)
{
  for (int k = 0; k < LAWS; k++) {
    const limb_wrench* w = &t->wrench[k];
    law[k] = (limb_force_law){w->frame, w->ref, force, context};
  }
  env->nlaw = LAWS;
  env->law = law;
}

// Every call in which wrenches enter answers the same for two surroundings.
static void same_answers(trial* t, const limb_environment* x, const limb_environment* y)
{
  const size_t n = (size_t)t->nv;
  const int joints = limb_joint_count(t->m);
  double *f = trial_doubles(t, n), *g = trial_doubles(t, n);
  const double scale = 1e-9; // of quantities that vanish
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, x, f));
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, y, g));
  assert_close_array(f, g, t->nv, TOL_ALGEBRA, TOL_ALGEBRA);
  assert_ok(limb_reference_inverse_dynamics(t->m, t->q, t->v, t->a, x, f, NULL));
  assert_close_array(f, g, t->nv, t->solve, scale);
  sp_force* F = trial_forces(t, 2 * (size_t)joints + 1);
  assert_ok(limb_joint_reactions(t->d, t->q, t->v, t->a, x, LIMB_BODY, F));
  assert_ok(limb_joint_reactions(t->d, t->q, t->v, t->a, y, LIMB_BODY, F + joints));
  assert_close_forces(F, F + joints, joints, TOL_ALGEBRA, TOL_ALGEBRA);
  assert_ok(limb_forward_dynamics(t->d, t->q, t->v, t->a, x, f));
  assert_ok(limb_forward_dynamics(t->d, t->q, t->v, t->a, y, g));
  assert_close_array(f, g, t->nv, t->solve, scale);
  if (trial_enough(t)) return;
  double* work = trial_doubles(t, n * n);
  assert_ok(limb_forward_dynamics_by_mass_matrix(t->d, t->q, t->v, t->a, x, work, f));
  assert_close_array(f, g, t->nv, t->solve, scale);
}

// The power of two surroundings is the same.
static void same_power(trial* t, const limb_environment* x, const limb_environment* y)
{
  limb_power p, o;
  assert_ok(limb_power_balance(t->d, t->q, t->v, t->a, x, &p));
  assert_ok(limb_power_balance(t->d, t->q, t->v, t->a, y, &o));
  const double size = fabs(o.actuators) + fabs(o.kinetic) + fabs(o.gravity) + fabs(o.wrenches) + 1;
  assert_close(p.wrenches, o.wrenches, 0, TOL_ALGEBRA * size);
  assert_close(p.actuators, o.actuators, 0, TOL_ALGEBRA * size);
  assert_close(p.residual, 0, 0, t->solve * size);
}

static void constant_law_is_wrench(trial* t)
{
  limb_force_law law[LAWS];
  sp_force context[LAWS];
  for (int k = 0; k < LAWS; k++) {
    context[k] = t->wrench[k].wrench;
    law[k] = (limb_force_law){t->wrench[k].frame, t->wrench[k].ref, law_constant, &context[k]};
  }
  limb_environment env = t->env;
  env.nwrench = 0, env.wrench = NULL;
  env.nlaw = LAWS, env.law = law;
  same_answers(t, &env, &t->env);
  same_power(t, &env, &t->env);
  env.nlaw = 1; // half as law, half as wrenches
  env.nwrench = LAWS - 1, env.wrench = &t->wrench[1];
  same_answers(t, &env, &t->env);
  same_power(t, &env, &t->env);
}

START_TEST(constants) { trial_over(_i, STATES, constant_law_is_wrench); }
END_TEST

// The drag by hand: all in world axes first, from limb_frame_velocity and the base's velocity.
static limb_wrench drag_by_hand(trial* t, const limb_force_law* law, const limb_environment* env)
{
  sp_pose X;
  sp_motion V;
  assert_ok(limb_frame_pose(t->d, law->frame, &X));
  assert_ok(limb_frame_velocity(t->d, law->frame, LIMB_WORLD, &V));
  V = sp_addm(V, env->base_velocity);
  if (law->ref == LIMB_ALIGNED) V.v = sp_add3(V.v, sp_cross3(V.w, X.p));
  if (law->ref == LIMB_BODY) {
    V.v = sp_tmulv(X.R, sp_add3(V.v, sp_cross3(V.w, X.p)));
    V.w = sp_tmulv(X.R, V.w);
  }
  return (limb_wrench){law->frame, law->ref, drag_force(law->context, &X, V)};
}

// Laws besides the trial's wrenches, and the same made by hand; both on top of base.
static void drag_is_wrench_on(trial* t, const limb_environment* base)
{
  limb_force_law law[LAWS];
  limb_wrench both[2 * LAWS], told[LAWS];
  limb_environment env = *base, by_hand = *base;
  drag context = sluggish();
  add_drag(t, &context, law_drag, law, &env);
  assert_ok(limb_kinematics(t->d, t->q, t->v, NULL));
  memcpy(both, t->wrench, sizeof t->wrench);
  for (int k = 0; k < LAWS; k++) both[LAWS + k] = drag_by_hand(t, &law[k], base);
  by_hand.nwrench = 2 * LAWS, by_hand.wrench = both;
  assert_ok(limb_force_law_wrenches(t->d, t->q, t->v, &env, told));
  for (int k = 0; k < LAWS; k++) {
    const limb_wrench* hand = &both[LAWS + k];
    assert_that(told[k].frame == hand->frame && told[k].ref == hand->ref);
    assert_close_force(told[k].wrench, hand->wrench, t->solve, TOL_ALGEBRA);
  }
  memcpy(both + LAWS, told, sizeof told); // equal up to rounding, which a long chain magnifies
  same_answers(t, &env, &by_hand);
}

static void drag_is_wrench(trial* t)
{
  drag_is_wrench_on(t, &t->env);
  const limb_environment base = trial_moving_base(t);
  drag_is_wrench_on(t, &base);
}

START_TEST(drags) { trial_over(_i, STATES, drag_is_wrench); }
END_TEST

static void forward_undoes_inverse(trial* t)
{
  limb_force_law law[LAWS];
  limb_environment env = trial_moving_base(t);
  drag context = sluggish();
  add_drag(t, &context, law_drag, law, &env);
  double *tau = trial_doubles(t, (size_t)t->nv), *a = trial_doubles(t, (size_t)t->nv);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &env, tau));
  assert_ok(limb_forward_dynamics(t->d, t->q, t->v, tau, &env, a));
  assert_close_array(a, t->a, t->nv, t->solve, 0);
}

START_TEST(there_and_back) { trial_over(_i, STATES, forward_undoes_inverse); }
END_TEST

// Purely viscous laws: their power is what the frames' velocities say, and it is lost.
static void drag_power(trial* t)
{
  limb_force_law law[LAWS];
  drag viscous = {0.3, 0.7, {0, 0, 0}};
  limb_environment env = t->env;
  env.nwrench = 0, env.wrench = NULL;
  add_drag(t, &viscous, law_viscous, law, &env);
  assert_ok(limb_kinematics(t->d, t->q, t->v, NULL));
  double lost = 0;
  for (int k = 0; k < LAWS; k++) {
    sp_motion V;
    assert_ok(limb_frame_velocity(t->d, law[k].frame, law[k].ref, &V));
    lost += 0.3 * sp_dot3(V.w, V.w) + 0.7 * sp_dot3(V.v, V.v);
  }
  limb_power p;
  assert_ok(limb_power_balance(t->d, t->q, t->v, t->a, &env, &p));
  const double size = fabs(p.actuators) + fabs(p.kinetic) + fabs(p.gravity) + lost;
  assert_close(p.wrenches, -lost, t->solve, TOL_ALGEBRA * size);
  assert_close(p.residual, 0, 0, t->solve * size);
}

START_TEST(power) { trial_over(_i, STATES, drag_power); }
END_TEST

// ---- a law that carries the weight of its body --------------------------------------------------------

typedef struct weight {
  const limb_model* m;
  sp_vec3 gravity;
} weight;

static sp_force carry(void* context, const limb_frame_state* at)
{
  const weight* w = context;
  limb_body_info body;
  if (limb_get_body(w->m, at->frame, &body) != LIMB_OK) return (sp_force){{0, 0, 0}, {0, 0, 0}};
  const sp_vec3 f = sp_scale3(-body.inertia.mass, w->gravity);
  return sp_force_make(sp_cross3(sp_mulv(at->pose.R, body.inertia.com), f), f);
}

static void carried_is_weightless(trial* t)
{
  const int joints = limb_joint_count(t->m), n = t->nbody;
  limb_force_law* law = calloc((size_t)n, sizeof *law);
  assert_that(law != NULL);
  limb_environment env = t->env, weightless = t->env;
  env.gravity = sp_v3(1, -2, -9);
  weight w = {t->m, env.gravity};
  for (int b = 0; b < n; b++) law[b] = (limb_force_law){b, LIMB_ALIGNED, carry, &w};
  env.nlaw = n, env.law = law;
  weightless.gravity = sp_v3(0, 0, 0);
  double *f = trial_doubles(t, (size_t)t->nv), *g = trial_doubles(t, (size_t)t->nv);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &env, f));
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &weightless, g));
  assert_close_array(f, g, t->nv, t->solve, TOL_SOLVE);
  // fixed joints included
  sp_force* F = trial_forces(t, 2 * (size_t)joints + 1);
  assert_ok(limb_joint_reactions(t->d, t->q, t->v, t->a, &env, LIMB_ALIGNED, F));
  assert_ok(limb_joint_reactions(t->d, t->q, t->v, t->a, &weightless, LIMB_ALIGNED, F + joints));
  assert_close_forces(F, F + joints, joints, t->solve, TOL_SOLVE);
  free(law);
}

START_TEST(weightless) { trial_over(_i, STATES / 2, carried_is_weightless); }
END_TEST

// ---- marks -------------------------------------------------------------------------------------------

// Hybrid dynamics: accelerations and forces fit together in inverse dynamics with the same laws.
static void hybrid_fits_inverse(trial* t)
{
  limb_force_law law[LAWS];
  limb_environment env = trial_moving_base(t);
  drag context = sluggish();
  add_drag(t, &context, law_drag, law, &env);
  double *a = trial_doubles(t, (size_t)t->nv), *tau = trial_doubles(t, (size_t)t->nv);
  double* back = trial_doubles(t, (size_t)t->nv);
  unsigned char* given = calloc((size_t)t->nv + 1, 1);
  assert_that(given != NULL);
  for (int k = 0; k < t->nv; k++) given[k] = (unsigned char)rng_below(&t->r, 2);
  assert_ok(limb_hybrid_dynamics(t->d, t->q, t->v, given, t->a, &env, a, tau));
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, a, &env, back));
  assert_close_array(tau, back, t->nv, t->solve, t->solve);
  free(given);
}

START_TEST(hybrid) { trial_over(_i, STATES, hybrid_fits_inverse); }
END_TEST

// ---- slopes by hand ----------------------------------------------------------------------------------

// How the drag's wrench changes along dq and dv: -c (J dv + d(J v)/dq dq), as it has no stiffness.
static sp_force drag_change(trial* t, const limb_force_law* law, const double* dq, const double* dv)
{
  const drag* c = law->context;
  sp_motion *by_q = trial_motions(t, (size_t)t->nv), *by_v = trial_motions(t, (size_t)t->nv);
  sp_motion dV = {{0, 0, 0}, {0, 0, 0}};
  assert_ok(limb_frame_velocity_derivatives(t->d, law->frame, law->ref, by_q, by_v));
  for (int k = 0; k < t->nv; k++) dV = sp_addm(dV, sp_addm(sp_scalem(dq[k], by_q[k]), sp_scalem(dv[k], by_v[k])));
  return sp_force_make(sp_scale3(-c->turn, dV.w), sp_scale3(-c->slide, dV.v));
}

static void shifted_forces(trial* t, const limb_environment* env, const double* dq, const double* dv, double h,
                           double* tau)
{
  double *q = trial_doubles(t, (size_t)t->nq), *v = trial_doubles(t, (size_t)t->nv);
  assert_ok(limb_integrate(t->m, t->q, dq, h, q));
  for (int k = 0; k < t->nv; k++) v[k] = t->v[k] + h * dv[k];
  assert_ok(limb_inverse_dynamics(t->d, q, v, t->a, env, tau));
}

// dtau = (with the wrenches held fixed) - J' dF, against differences of what laws do.
static void slopes_add_up(trial* t)
{
  if (!trial_small(t)) return;
  const size_t n = (size_t)t->nv;
  const double h = 1e-5;
  limb_wrench held[LAWS];
  limb_force_law law[LAWS];
  drag viscous = {0.3, 0.7, {0, 0, 0}};
  limb_environment env = t->env, fixed = t->env;
  add_drag(t, &viscous, law_viscous, law, &env);
  env.nwrench = 0, env.wrench = NULL, env.coulomb_width = 0.1;
  double *dq = trial_doubles(t, n), *dv = trial_doubles(t, n), *want = trial_doubles(t, n);
  double *lo = trial_doubles(t, n), *hi = trial_doubles(t, n), *J = trial_doubles(t, 6 * n);
  double *A = trial_doubles(t, n * n), *B = trial_doubles(t, n * n), *x = trial_doubles(t, n);
  rng_fill(&t->r, 1, t->nv, dq);
  rng_fill(&t->r, 1, t->nv, dv);
  assert_ok(limb_force_law_wrenches(t->d, t->q, t->v, &env, held));
  fixed.nwrench = LAWS, fixed.wrench = held, fixed.coulomb_width = 0.1;
  const limb_id_derivatives out = {NULL, A, B, NULL};
  assert_ok(limb_inverse_dynamics_derivatives(t->d, t->q, t->v, t->a, &fixed, &out));
  trial_times(A, dq, t->nv, t->nv, want);
  trial_times(B, dv, t->nv, t->nv, x);
  for (size_t i = 0; i < n; i++) want[i] += x[i];
  assert_ok(limb_kinematics(t->d, t->q, t->v, NULL));
  for (int k = 0; k < LAWS; k++) {
    const sp_force dF = drag_change(t, &law[k], dq, dv);
    const double f[6] = {dF.m.x, dF.m.y, dF.m.z, dF.f.x, dF.f.y, dF.f.z};
    assert_ok(limb_inverse_dynamics_by_wrench(t->d, t->q, law[k].frame, law[k].ref, J));
    trial_times(J, f, t->nv, 6, x);
    for (size_t i = 0; i < n; i++) want[i] += x[i];
  }
  shifted_forces(t, &env, dq, dv, -h, lo);
  shifted_forces(t, &env, dq, dv, h, hi);
  for (size_t i = 0; i < n; i++) x[i] = (hi[i] - lo[i]) / (2 * h);
  assert_close_array(x, want, t->nv, TOL_FD, TOL_FD);
}

START_TEST(slopes) { trial_over(_i, CHECK_SANITIZED ? 1 : 3, slopes_add_up); }
END_TEST

CHECK_MAIN("force laws", trial_robots(), constants, drags, there_and_back, power, weightless, hybrid, slopes)
