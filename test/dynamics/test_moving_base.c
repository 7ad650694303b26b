// Floating robots: base velocity from momentum, generalised Jacobian, reaction-null space; over every fixture
// robot with any split into base and arm, then bases of every kind, edges and arguments.
#include "support/robots_impl.h"
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = CHECK_SANITIZED ? 3 : 30 };

// Work that grows with the cube of nv: no more of it.
static int spared(const trial* t) { return trial_enough(t) || (CHECK_SANITIZED && !trial_small(t)); }

// ---- any split of any robot ---------------------------------------------------------------------

typedef struct split {
  unsigned char* given;
  int nb, nm;
  double *work, *M, *all; // scratch, mass matrix, M v
} split;

static split draw_split(trial* t)
{
  const size_t n = (size_t)t->nv;
  split s = {.given = (unsigned char*)trial_doubles(t, n)};
  const double share = rng_uniform(&t->r, 0, 1);
  for (int k = 0; k < t->nv; k++) s.given[k] = rng_chance(&t->r, share) ? 1 : 0;
  for (int k = 0; k < t->nv; k++) s.nm += s.given[k];
  s.nb = t->nv - s.nm;
  s.work = trial_doubles(t, limb_moving_base_work(t->m));
  s.M = trial_doubles(t, n * n), s.all = trial_doubles(t, n);
  assert_ok(limb_mass_matrix(t->d, t->q, s.M));
  return s;
}

// The base's share of M v.
static void momentum_of_base(const trial* t, const split* s, const double* v, double* p)
{
  trial_times(s->M, v, t->nv, t->nv, s->all);
  for (int k = 0, i = 0; k < t->nv; k++) {
    if (!s->given[k]) p[i++] = s->all[k];
  }
}

static void base_velocities(trial* t)
{
  if (spared(t)) return;
  const split s = draw_split(t);
  double *v = trial_doubles(t, (size_t)t->nv), *p = trial_doubles(t, (size_t)t->nv);
  momentum_of_base(t, &s, t->v, p);
  for (int k = 0; k < t->nv; k++) v[k] = s.given[k] ? t->v[k] : nan(""); // not looked at
  assert_ok(limb_velocity_from_momentum(t->d, t->q, s.given, p, s.work, v));
  assert_close_array(v, t->v, t->nv, t->solve * 100, 0); // it is the one with that momentum
  assert_ok(limb_velocity_from_momentum(t->d, t->q, s.given, NULL, s.work, v));
  momentum_of_base(t, &s, v, p);
  double size = 0;
  for (int i = 0; i < t->nv * t->nv; i++) size = fmax(size, fabs(s.M[i]));
  for (int i = 0; i < s.nb; i++) assert_close(p[i], 0, 0, t->solve * size);
  for (int k = 0; k < t->nv; k++) assert_that(!s.given[k] || v[k] == t->v[k]);
}

// Without marks the base is that of limb_given_for_base: an elastic joint keeps the velocity it was given.
static void default_base(trial* t)
{
  if (spared(t)) return;
  const size_t n = (size_t)t->nv;
  double *v = trial_doubles(t, n), *want = trial_doubles(t, n);
  double* work = trial_doubles(t, limb_moving_base_work(t->m));
  unsigned char* given = (unsigned char*)trial_doubles(t, n);
  assert_ok(limb_given_for_base(t->m, given));
  for (size_t k = 0; k < n; k++) v[k] = want[k] = t->v[k];
  assert_ok(limb_velocity_from_momentum(t->d, t->q, NULL, NULL, work, v));
  assert_ok(limb_velocity_from_momentum(t->d, t->q, given, NULL, work, want));
  for (size_t k = 0; k < n; k++) {
    assert_that(v[k] == want[k]);
    if (given[k] == LIMB_ACCELERATION_GIVEN) assert_that(v[k] == t->v[k]);
  }
}

START_TEST(base_by_default) { trial_over(_i, 2, default_base); }
END_TEST

START_TEST(base_velocity_has_the_momentum) { trial_over(_i, STATES, base_velocities); }
END_TEST

static sp_motion frame_velocity(trial* t, const double* v, int frame, limb_ref ref)
{
  sp_motion V;
  assert_ok(limb_kinematics(t->d, t->q, v, NULL));
  assert_ok(limb_frame_velocity(t->d, frame, ref, &V));
  return V;
}

// J* v_m is the frame's velocity without momentum; with momentum that of an arm at rest comes to it.
static void jacobians(trial* t)
{
  if (spared(t)) return;
  const split s = draw_split(t);
  double *v = trial_doubles(t, (size_t)t->nv), *p = trial_doubles(t, (size_t)t->nv);
  double* drift = trial_doubles(t, (size_t)t->nv);
  sp_motion* J = trial_motions(t, (size_t)s.nm);
  rng_fill(&t->r, 3, s.nb, p);
  memcpy(v, t->v, (size_t)t->nv * sizeof *v);
  assert_ok(limb_velocity_from_momentum(t->d, t->q, s.given, p, s.work, v));
  assert_ok(limb_velocity_from_momentum(t->d, t->q, s.given, p, s.work, drift));
  for (int ref = 0; ref < 3; ref++) {
    const int frame = rng_below(&t->r, t->nframe);
    const sp_motion got = frame_velocity(t, v, frame, (limb_ref)ref);
    sp_motion want = frame_velocity(t, drift, frame, (limb_ref)ref);
    assert_ok(limb_generalized_jacobian(t->d, t->q, s.given, frame, (limb_ref)ref, s.work, J));
    for (int k = 0, c = 0; k < t->nv; k++) {
      if (s.given[k]) want = sp_addm(want, sp_scalem(t->v[k], J[c++]));
    }
    double size = 1;
    for (int k = 0; k < t->nv; k++) size = fmax(size, fmax(fabs(v[k]), fabs(drift[k])));
    assert_close_motion(got, want, t->solve * 10, t->solve * size);
  }
}

START_TEST(generalized_jacobian_maps_to_frame_velocity) { trial_over(_i, STATES, jacobians); }
END_TEST

// P projects (P = P' = P P), does not disturb the base (M_bm P = 0), and loses no more than the rank.
static void null_spaces(trial* t)
{
  if (!trial_small(t)) return;
  const split s = draw_split(t);
  const int n = s.nm;
  double *P = trial_doubles(t, (size_t)(n * n)), *v = trial_doubles(t, (size_t)t->nv);
  double *PP = trial_doubles(t, (size_t)(n * n)), *p = trial_doubles(t, (size_t)t->nv);
  int rank = -1;
  assert_ok(limb_reaction_null_space(t->d, t->q, s.given, s.work, P, &rank));
  assert_that(rank >= 0 && rank <= s.nb && rank <= n);
  double trace = 0, size = 0;
  for (int i = 0; i < n; i++) {
    trace += P[i * n + i];
    for (int j = 0; j < n; j++) assert_that(P[i * n + j] == P[j * n + i]);
    trial_times(P, P + i * n, n, n, PP + i * n);
  }
  assert_close(trace, n - rank, 0, 1e-10);
  assert_close_matrix(PP, P, n, n, 0, 1e-12);
  for (int i = 0; i < t->nv * t->nv; i++) size = fmax(size, fabs(s.M[i]));
  for (int i = 0; i < n; i++) {
    for (int k = 0, j = 0; k < t->nv; k++) v[k] = s.given[k] ? P[i * n + j++] : 0;
    momentum_of_base(t, &s, v, p);
    for (int k = 0; k < s.nb; k++) assert_close(p[k], 0, 0, 2e-10 * size); // what counts as zero
  }
}

START_TEST(null_space_leaves_the_base_alone) { trial_over(_i, STATES, null_spaces); }
END_TEST

// No base: an ordinary robot. No arm: nothing to say, and the momentum alone moves the base.
static void nothing_and_all(trial* t)
{
  if (spared(t)) return;
  const size_t n = (size_t)t->nv;
  const int frame = rng_below(&t->r, t->nframe);
  double* work = trial_doubles(t, limb_moving_base_work(t->m));
  double *v = trial_doubles(t, n), *p = trial_doubles(t, n), *P = trial_doubles(t, n * n);
  sp_motion *J = trial_motions(t, n), *want = trial_motions(t, n);
  unsigned char* given = (unsigned char*)trial_doubles(t, n);
  int rank = -1;
  memset(given, LIMB_ACCELERATION_GIVEN, n);
  memcpy(v, t->v, n * sizeof *v);
  assert_ok(limb_velocity_from_momentum(t->d, t->q, given, NULL, work, v));
  assert_close_array(v, t->v, t->nv, 0, 0);
  assert_ok(limb_kinematics(t->d, t->q, NULL, NULL));
  assert_ok(limb_frame_jacobian(t->d, frame, LIMB_ALIGNED, want));
  assert_ok(limb_generalized_jacobian(t->d, t->q, given, frame, LIMB_ALIGNED, work, J));
  assert_close_motions(J, want, t->nv, 0, 0);
  assert_ok(limb_reaction_null_space(t->d, t->q, given, work, P, &rank));
  assert_that(rank == 0);
  for (int i = 0; i < t->nv * t->nv; i++) assert_that(P[i] == (i % (t->nv + 1) == 0));
  // the frame's Jacobian is the user's, from limb_kinematics, and still there
  assert_ok(limb_frame_jacobian(t->d, frame, LIMB_ALIGNED, J));
  assert_close_motions(J, want, t->nv, 0, 0);

  memset(given, LIMB_FORCE_GIVEN, n);
  assert_ok(limb_mass_matrix(t->d, t->q, P));
  trial_times(P, t->v, t->nv, t->nv, p);
  assert_ok(limb_velocity_from_momentum(t->d, t->q, given, p, work, v));
  assert_close_array(v, t->v, t->nv, t->solve * 100, 0);
  assert_ok(limb_generalized_jacobian(t->d, t->q, given, frame, LIMB_BODY, work, J));
  assert_ok(limb_reaction_null_space(t->d, t->q, given, work, P, &rank));
  assert_that(rank == 0);
}

START_TEST(no_base_and_no_arm) { trial_over(_i, CHECK_SANITIZED ? 2 : 5, nothing_and_all); }
END_TEST

// ---- the base's motion as an input --------------------------------------------------------------

// A base that is told how to move is the same three times: a free joint whose acceleration is given, the
// world body of the environment, and a free joint pushed with the force that it takes.
START_TEST(a_told_base_three_times)
{
  limb_model *floats = robot_panda_on_base(LIMB_FREE, 30), *rides = robot_panda_on_base(LIMB_FIXED, 30);
  limb_data *d, *e;
  assert_ok(limb_data_create(floats, NULL, &d));
  assert_ok(limb_data_create(rides, NULL, &e));
  rng r = {7};
  double q[14] = {0}, v[13], a[13], x[13], tau[13], want[7], got[13], forces[13];
  q[6] = 1; // the free joint at the world frame
  rng_fill(&r, 1, 7, q + 7);
  rng_fill(&r, 1, 13, v);
  rng_fill(&r, 2, 13, x);
  unsigned char given[13];
  memset(given, LIMB_ACCELERATION_GIVEN, sizeof given);
  assert_ok(limb_hybrid_dynamics(d, q, v, given, x, NULL, a, tau));

  limb_environment env = limb_default_environment(rides);
  const sp_vec3 w = {v[0], v[1], v[2]}, u = {v[3], v[4], v[5]};
  env.base_velocity = sp_motion_make(w, u);
  env.base_acceleration =
    sp_motion_make(sp_v3(x[0], x[1], x[2]), sp_add3(sp_v3(x[3], x[4], x[5]), sp_cross3(w, u))); // classical
  assert_ok(limb_inverse_dynamics(e, q + 7, v + 6, x + 6, &env, want));
  assert_close_array(tau + 6, want, 7, TOL_ALGEBRA, 0);

  limb_wrench push = {1, LIMB_BODY, {{tau[0], tau[1], tau[2]}, {tau[3], tau[4], tau[5]}}};
  env = limb_default_environment(floats);
  env.nwrench = 1, env.wrench = &push;
  memset(x, 0, 6 * sizeof *x);
  assert_ok(limb_hybrid_dynamics(d, q, v, NULL, x, &env, got, forces));
  assert_close_array(got, a, 13, TOL_SOLVE, 0);
  assert_close_array(forces + 6, tau + 6, 7, TOL_SOLVE, 0);
  limb_data_destroy(d), limb_data_destroy(e);
  limb_model_destroy(floats), limb_model_destroy(rides);
}
END_TEST

// The heavier the base, the more the robot is one on the ground: torques, accelerations and the generalised
// Jacobian differ by something that falls with the mass, to the first order.
START_TEST(a_heavy_base_is_the_ground)
{
  limb_model* ground = robot_panda_on_base(LIMB_FIXED, 1);
  limb_data *d, *e;
  assert_ok(limb_data_create(ground, NULL, &e));
  rng r = {11};
  double q[14] = {0}, v[13] = {0}, x[13] = {0}, a[13], tau[13], want[7], last[3] = {0};
  sp_motion J[7], fixed[7];
  q[6] = 1;
  rng_fill(&r, 1, 7, q + 7);
  rng_fill(&r, 1, 7, v + 6);
  rng_fill(&r, 2, 7, x + 6);
  limb_environment env = limb_default_environment(ground);
  env.gravity = sp_v3(0, 0, 0);
  assert_ok(limb_inverse_dynamics(e, q + 7, v + 6, x + 6, &env, want));
  assert_ok(limb_kinematics(e, q + 7, NULL, NULL));
  assert_ok(limb_frame_jacobian(e, limb_find_frame(ground, "flange"), LIMB_WORLD, fixed));
  for (int k = 0; k < 4; k++) {
    limb_model* m = robot_panda_on_base(LIMB_FREE, 1e4 * pow(10, k));
    assert_ok(limb_data_create(m, NULL, &d));
    double* work = calloc(limb_moving_base_work(m), sizeof *work);
    assert_ok(limb_hybrid_dynamics(d, q, v, NULL, x, &env, a, tau));
    assert_ok(limb_generalized_jacobian(d, q, NULL, limb_find_frame(m, "flange"), LIMB_WORLD, work, J));
    double off[3] = {0};
    for (int i = 0; i < 7; i++) {
      off[0] = fmax(off[0], fabs(tau[6 + i] - want[i]));
      off[1] = fmax(off[1], fabs(a[i < 6 ? i : 0]));
      off[2] = fmax(off[2], sp_norm3(sp_sub3(J[i].v, fixed[i].v)));
    }
    for (int i = 0; i < 3; i++) {
      if (k > 0) assert_close(last[i] / off[i], 10, 0.02, 0);
      last[i] = off[i];
    }
    free(work);
    limb_data_destroy(d);
    limb_model_destroy(m);
  }
  limb_data_destroy(e);
  limb_model_destroy(ground);
}
END_TEST

// ---- ranks that are known -----------------------------------------------------------------------

// A body on a joint of the given kind, with two hinges about z in a row.
static limb_model* arm_on(limb_joint_type root, sp_vec3 axis)
{
  limb_builder* b = fixture_begin("arm");
  limb_joint_def def =
    limb_default_joint_def("root", root, LIMB_WORLD_BODY, fixture_body(b, "base", limb_inertia_box(4, 1, 1, 1)));
  def.axis = axis, def.drive = LIMB_DRIVE_PASSIVE;
  if (root == LIMB_UNIVERSAL) def.axis2 = sp_v3(1, 0, 0);
  fixture_joint(b, &def);
  int parent = def.child;
  for (int i = 0; i < 2; i++) {
    const sp_pose at = i ? fixture_at(0.6, 0, 0) : fixture_at(0.5, 0.1, 0);
    parent = fixture_link(b, i ? "two" : "one", LIMB_REVOLUTE, parent, at, sp_v3(0, 0, 1),
                          limb_inertia_move(fixture_at(0.3, 0, 0), limb_inertia_sphere(2, 0.2)));
  }
  fixture_frame(b, "tip", parent, fixture_at(0.6, 0, 0));
  return fixture_end(b);
}

static int rank_of(limb_joint_type root, sp_vec3 axis)
{
  limb_model* m = arm_on(root, axis);
  limb_data* d;
  double q[9] = {0}, P[64];
  int rank = -1;
  assert_ok(limb_data_create(m, NULL, &d));
  double* work = calloc(limb_moving_base_work(m), sizeof *work);
  assert_ok(limb_neutral(m, q));
  q[limb_nq(m) - 2] = 0.4, q[limb_nq(m) - 1] = -0.9;
  assert_ok(limb_reaction_null_space(d, q, NULL, work, P, &rank));
  free(work);
  limb_data_destroy(d);
  limb_model_destroy(m);
  return rank;
}

// Hinges about z move mass in the plane only: they turn the base about z and push it along x and y. A rail
// along z feels nothing of them, one along x leaves one motion free.
START_TEST(ranks)
{
  const sp_vec3 x = {1, 0, 0}, z = {0, 0, 1};
  assert_that(rank_of(LIMB_FREE, z) == 2);
  assert_that(rank_of(LIMB_PLANAR, z) == 2);
  assert_that(rank_of(LIMB_SPHERICAL, z) == 1);
  assert_that(rank_of(LIMB_PRISMATIC, z) == 0);
  assert_that(rank_of(LIMB_PRISMATIC, x) == 1);
  assert_that(rank_of(LIMB_CYLINDRICAL, z) == 1);
  assert_that(rank_of(LIMB_UNIVERSAL, z) == 1);
  assert_that(rank_of(LIMB_REVOLUTE, x) == 0);
}
END_TEST

// ---- arguments ----------------------------------------------------------------------------------

START_TEST(arguments)
{
  limb_model* m = arm_on(LIMB_FREE, sp_v3(0, 0, 1));
  limb_data* d;
  assert_ok(limb_data_create(m, NULL, &d));
  double q[9] = {0, 0, 0, 0, 0, 0, 1, 0.4, -0.9}, v[8] = {0}, p[6] = {0}, P[64];
  double* work = calloc(limb_moving_base_work(m), sizeof *work);
  sp_motion J[8];
  unsigned char bad[8] = {0, 0, 0, 0, 0, 0, 0, 2};
  assert_that(limb_moving_base_work(NULL) == 0);
  assert_status(limb_velocity_from_momentum(NULL, q, NULL, p, work, v), LIMB_E_ARG);
  assert_status(limb_velocity_from_momentum(d, NULL, NULL, p, work, v), LIMB_E_ARG);
  assert_status(limb_velocity_from_momentum(d, q, bad, p, work, v), LIMB_E_ARG);
  assert_status(limb_velocity_from_momentum(d, q, NULL, p, NULL, v), LIMB_E_ARG);
  assert_status(limb_velocity_from_momentum(d, q, NULL, p, work, NULL), LIMB_E_ARG);
  assert_status(limb_generalized_jacobian(NULL, q, NULL, 1, LIMB_BODY, work, J), LIMB_E_ARG);
  assert_status(limb_generalized_jacobian(d, NULL, NULL, 1, LIMB_BODY, work, J), LIMB_E_ARG);
  assert_status(limb_generalized_jacobian(d, q, bad, 1, LIMB_BODY, work, J), LIMB_E_ARG);
  assert_status(limb_generalized_jacobian(d, q, NULL, -1, LIMB_BODY, work, J), LIMB_E_ARG);
  assert_status(limb_generalized_jacobian(d, q, NULL, 5, LIMB_BODY, work, J), LIMB_E_ARG);
  assert_status(limb_generalized_jacobian(d, q, NULL, 1, (limb_ref)3, work, J), LIMB_E_ARG);
  assert_status(limb_generalized_jacobian(d, q, NULL, 1, LIMB_BODY, NULL, J), LIMB_E_ARG);
  assert_status(limb_generalized_jacobian(d, q, NULL, 1, LIMB_BODY, work, NULL), LIMB_E_ARG);
  assert_status(limb_reaction_null_space(NULL, q, NULL, work, P, NULL), LIMB_E_ARG);
  assert_status(limb_reaction_null_space(d, NULL, NULL, work, P, NULL), LIMB_E_ARG);
  assert_status(limb_reaction_null_space(d, q, bad, work, P, NULL), LIMB_E_ARG);
  assert_status(limb_reaction_null_space(d, q, NULL, NULL, P, NULL), LIMB_E_ARG);
  assert_status(limb_reaction_null_space(d, q, NULL, work, NULL, NULL), LIMB_E_ARG);
  assert_ok(limb_reaction_null_space(d, q, NULL, work, P, NULL));

  double* const cells[] = {&q[8], &v[7], &p[3]};
  for (int i = 0; i < 3; i++) {
    const double was = *cells[i];
    *cells[i] = i ? nan("") : HUGE_VAL;
    assert_status(limb_velocity_from_momentum(d, q, NULL, p, work, v), LIMB_E_NONFINITE);
    *cells[i] = was;
  }
  q[8] = nan("");
  assert_status(limb_generalized_jacobian(d, q, NULL, 1, LIMB_BODY, work, J), LIMB_E_NONFINITE);
  assert_status(limb_reaction_null_space(d, q, NULL, work, P, NULL), LIMB_E_NONFINITE);
  q[8] = 0, q[6] = 1.1;
  assert_status(limb_velocity_from_momentum(d, q, NULL, p, work, v), LIMB_E_ARG);
  q[6] = 1, v[6] = v[7] = 1.7e308;
  assert_status(limb_velocity_from_momentum(d, q, NULL, p, work, v), LIMB_E_NONFINITE); // overflows
  assert_that(v[0] == 0); // the base's velocity is untouched
  free(work);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

START_TEST(base_without_mass)
{
  limb_model* m = robot_weightless();
  limb_data* d;
  assert_ok(limb_data_create(m, NULL, &d));
  const double q[1] = {0};
  const unsigned char force[1] = {LIMB_FORCE_GIVEN};
  double v[1] = {0}, work[16], P[1];
  sp_motion J[1];
  assert_that(limb_moving_base_work(m) <= 16);
  assert_status(limb_velocity_from_momentum(d, q, force, NULL, work, v), LIMB_E_SINGULAR);
  assert_status(limb_generalized_jacobian(d, q, force, 1, LIMB_BODY, work, J), LIMB_E_SINGULAR);
  assert_ok(limb_reaction_null_space(d, q, force, work, P, NULL)); // there is no arm to disturb it
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const over_robots[] = {base_by_default,
                                      base_velocity_has_the_momentum,
                                      generalized_jacobian_maps_to_frame_velocity,
                                      null_space_leaves_the_base_alone,
                                      no_base_and_no_arm,
                                      NULL};
  const TTest* const once[] = {
    a_told_base_three_times, a_heavy_base_is_the_ground, ranks, arguments, base_without_mass, NULL};
  const int failed = check_run("moving base", trial_robots(), over_robots);
  return check_run("moving base, kinds and arguments", 1, once) | failed;
}
