// Hybrid dynamics against the dense partition of M a + b = tau: every pattern of marks on small random trees,
// many on the fixture robots; its two ends, inverse and forward dynamics; reactions and power of what it
// finds.
#include "limb/dynamics.h"

#include "support/partition.h"
#include "support/robots_impl.h"

#include <stdio.h>
#include <stdlib.h>

#define TOL_PARTITION 1e-11

// ---- one comparison ---------------------------------------------------------------------------------

// tau = M a + b of one state, with room for what is given and for all answers.
typedef struct equation {
  limb_data* d;
  int n;
  const double *q, *v;
  const limb_environment* env;
  double tolerance;
  unsigned char* given;
  double *x, *a, *tau, *want_a, *want_tau, *work, *M, *b;
  cplx *cM, *cb, *cx, *ca, *ctau, *cwork;
  void* block;
} equation;

static equation equation_make(limb_data* d, const double* q, const double* v, const limb_environment* env)
{
  const int n = limb_nv(limb_data_model(d));
  const size_t N = (size_t)n, nn = N * N;
  double* at = calloc(13 * N + 6 * nn + 1, sizeof *at);
  assert_that(at);
  equation e = {.d = d, .n = n, .q = q, .v = v, .env = env, .tolerance = TOL_PARTITION, .block = at};
  cplx* z = (cplx*)(void*)at;
  e.cM = z, e.cwork = z + nn, e.cb = e.cwork + nn;
  e.cx = e.cb + n, e.ca = e.cx + n, e.ctau = e.ca + n;
  e.x = at + 4 * nn + 8 * N;
  e.a = e.x + n, e.tau = e.a + n, e.want_a = e.tau + n, e.want_tau = e.want_a + n;
  e.M = e.x + 5 * n, e.work = e.M + nn;
  e.b = e.want_tau; // until the first answer
  e.given = calloc(N + 1, 1);
  assert_that(e.given);
  assert_ok(limb_mass_matrix(d, q, e.M));
  assert_ok(limb_inverse_dynamics(d, q, v, e.a, env, e.b)); // a = 0 yet
  for (size_t i = 0; i < nn; i++) e.cM[i] = e.M[i];
  for (size_t i = 0; i < N; i++) e.cb[i] = e.b[i];
  return e;
}

static void equation_free(equation* e)
{
  free(e->block);
  free(e->given);
}

static void compare_answers(const equation* e)
{
  const double size_a = largest(e->want_a, (size_t)e->n), size_tau = largest(e->want_tau, (size_t)e->n);
  assert_close_array(e->a, e->want_a, e->n, 0, e->tolerance * size_a);
  assert_close_array(e->tau, e->want_tau, e->n, 0, e->tolerance * size_tau);
  for (int k = 0; k < e->n; k++) assert_that((e->given[k] ? e->a : e->tau)[k] == e->x[k]);
}

// Both ways to the answer, against the partition, for the marks and the x in e.
static void compare(equation* e)
{
  const int n = e->n;
  for (int i = 0; i < n; i++) e->cx[i] = e->x[i];
  const partition p = {n, e->given, e->cM, e->cb, e->cx, e->cwork, e->ca, e->ctau};
  partition_solve(&p);
  for (int i = 0; i < n; i++) e->want_a[i] = creal(e->ca[i]), e->want_tau[i] = creal(e->ctau[i]);
  assert_ok(limb_hybrid_dynamics(e->d, e->q, e->v, e->given, e->x, e->env, e->a, e->tau));
  compare_answers(e);
  const limb_hybrid in = {e->q, e->v, e->given, e->x, e->env};
  assert_ok(limb_hybrid_dynamics_by_mass_matrix(e->d, &in, e->work, e->a, e->tau));
  compare_answers(e);
}

// ---- small trees, every pattern --------------------------------------------------------------------

enum { MOST_NV = 9, TREES = CHECK_SANITIZED ? 8 : 48 };

static const struct {
  limb_joint_type type;
  int nv;
} kinds[] = {{LIMB_REVOLUTE, 1},  {LIMB_PRISMATIC, 1}, {LIMB_HELICAL, 1},   {LIMB_CYLINDRICAL, 2},
             {LIMB_UNIVERSAL, 2}, {LIMB_PLANAR, 3},    {LIMB_SPHERICAL, 3}, {LIMB_FREE, 6}};

enum { KINDS = sizeof kinds / sizeof kinds[0], ONE_DOF = 3 };

static sp_inertia any_inertia(rng* r)
{
  const double s = rng_uniform(r, 0.1, 0.3);
  const sp_inertia box = limb_inertia_box(rng_uniform(r, 0.5, 3), s, 2 * s, 1.5 * s);
  return limb_inertia_move(rng_pose(r, 0.2), box);
}

static limb_joint_def any_joint(rng* r, int kind, const char* name, int parent, int child)
{
  limb_joint_def def = limb_default_joint_def(name, kinds[kind].type, parent, child);
  def.placement = rng_pose(r, 0.3);
  def.axis = rng_direction(r);
  if (def.type == LIMB_HELICAL) def.pitch = rng_uniform(r, -0.2, 0.2);
  if (def.type == LIMB_UNIVERSAL) {
    def.axis2 = sp_cross3(def.axis, rng_direction(r));
    def.axis2 = sp_add3(sp_scale3(1 / sp_norm3(def.axis2), def.axis2), sp_scale3(0.4, def.axis));
  }
  if (kind >= ONE_DOF) return def;
  if (rng_chance(r, 0.4)) def.coulomb = rng_uniform(r, 0, 1), def.viscous = rng_uniform(r, 0, 1);
  if (rng_chance(r, 0.4)) def.rotor_inertia = 1e-4, def.gear_ratio = rng_uniform(r, -50, 50);
  if (rng_chance(r, 0.4)) def.stiffness = rng_uniform(r, 1, 50), def.rest = rng_uniform(r, -1, 1);
  return def;
}

// A shaft between the last two joints that can have one.
static void any_shaft(rng* r, limb_builder* b, const int* free_joint, int count)
{
  if (count < 2) return;
  limb_shaft_def def = limb_default_shaft_def(free_joint[count - 1], free_joint[count - 2]);
  def.ratio = rng_uniform(r, 2, 20), def.stiffness = rng_uniform(r, 1, 100);
  def.damping = rng_uniform(r, 0, 1), def.rest = rng_uniform(r, -0.3, 0.3);
  assert_ok(limb_builder_add_shaft(b, &def, NULL));
}

// A tree of up to MOST_NV velocities with a joint of one kind, and others; in every third tree some joints
// follow others, and in every second two are coupled by a shaft.
static limb_model* small_tree(int number)
{
  rng r = {(uint64_t)number + 77};
  limb_builder* b = fixture_begin("small tree");
  int nv = 0, body = 0, one_dof[4 * MOST_NV], ones = 0;
  for (int i = 0; i < 2 * MOST_NV && nv < MOST_NV; i++) {
    const int kind = i == 0 ? number % KINDS : rng_below(&r, rng_chance(&r, 0.6) ? ONE_DOF : KINDS);
    const int follows = number % 3 == 0 && kind < ONE_DOF && ones > 0 && rng_chance(&r, 0.4);
    if (!follows && nv + kinds[kind].nv > MOST_NV) continue;
    char name[16];
    snprintf(name, sizeof name, "%d", i);
    const int parent = rng_chance(&r, 0.6) ? body : rng_below(&r, body + 1);
    const int child = fixture_body(b, name, any_inertia(&r));
    limb_joint_def def = any_joint(&r, kind, name, parent, child);
    if (follows) {
      def.mimic = one_dof[rng_below(&r, ones)];
      def.multiplier = rng_uniform(&r, 0.3, 1.5), def.offset = rng_uniform(&r, -0.3, 0.3);
    }
    const int joint = fixture_joint(b, &def);
    if (!follows && kind < ONE_DOF) one_dof[ones++] = joint;
    if (!follows) nv += kinds[kind].nv;
    body = child;
  }
  if (number % 2) any_shaft(&r, b, one_dof, ones);
  fixture_frame(b, "mark", body, rng_pose(&r, 0.3));
  return fixture_end(b);
}

START_TEST(every_pattern_of_marks)
{
  limb_model* m = small_tree(_i);
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  rng r = {(uint64_t)_i};
  const int n = limb_nv(m), frames = limb_frame_count(m);
  double q[2 * MOST_NV], v[MOST_NV];
  uint64_t seed = (uint64_t)_i;
  assert_that(n <= MOST_NV && limb_nq(m) <= 2 * MOST_NV);
  assert_ok(limb_random(m, &seed, q));
  rng_fill(&r, 2, n, v);
  const limb_wrench w[3] = {{frames - 1, LIMB_BODY, {rng_vec3(&r, 5), rng_vec3(&r, 20)}},
                            {frames - 1, LIMB_WORLD, {rng_vec3(&r, 5), rng_vec3(&r, 20)}},
                            {1, LIMB_ALIGNED, {rng_vec3(&r, 5), rng_vec3(&r, 20)}}};
  limb_environment env = limb_default_environment(m);
  env.nwrench = _i % 4, env.wrench = w;
  env.friction = _i % 5 > 0, env.coulomb_width = _i % 2 ? 0 : 0.3;
  if (_i % 3) env.base_velocity.w = rng_vec3(&r, 1), env.base_acceleration.v = rng_vec3(&r, 2);
  equation e = equation_make(d, q, v, &env);
  for (unsigned set = 0; set < 1u << n; set++) {
    check_at("tree %d of %d velocities, marks %x", _i, n, set);
    for (int k = 0; k < n; k++) e.given[k] = set >> k & 1;
    rng_fill(&r, 10, n, e.x);
    compare(&e);
  }
  equation_free(&e);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// ---- the fixture robots ------------------------------------------------------------------------------

enum { STATES = CHECK_SANITIZED ? 4 : 30 };

static limb_environment surroundings(trial* t)
{
  limb_environment env = t->state % 2 ? trial_moving_base(t) : t->env;
  env.coulomb_width = t->state % 3 ? 0.3 : 0;
  return env;
}

// No small inertias and springs of all strengths: forces that belong to moderate accelerations.
static void mixed_input(trial* t, const limb_environment* env, equation* e)
{
  double* tau = trial_doubles(t, (size_t)t->nv);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, env, tau));
  for (int k = 0; k < t->nv; k++) e->x[k] = e->given[k] ? t->a[k] : tau[k] + rng_uniform(&t->r, -1, 1);
}

static void patterns(trial* t)
{
  if (!trial_small(t)) return;
  const limb_environment env = surroundings(t);
  equation e = equation_make(t->d, t->q, t->v, &env);
  for (int pattern = 0; pattern < 4; pattern++) {
    random_marks(&t->r, t->nv, e.given);
    if (pattern == 3) assert_ok(limb_given_for_passive(t->m, e.given));
    mixed_input(t, &env, &e);
    compare(&e);
  }
  equation_free(&e);
}

START_TEST(fixture_robots_by_the_partition) { trial_over(_i, STATES, patterns); }
END_TEST

// What belongs together is found, from whichever half is given; the long chain, too.
static void completed(trial* t)
{
  if (trial_enough(t)) return;
  const size_t n = (size_t)t->nv;
  const limb_environment env = surroundings(t);
  double *tau = trial_doubles(t, n), *x = trial_doubles(t, n), *a = trial_doubles(t, n);
  double* felt = trial_doubles(t, n);
  unsigned char* given = (unsigned char*)trial_doubles(t, n);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &env, tau));
  random_marks(&t->r, t->nv, given);
  for (size_t k = 0; k < n; k++) x[k] = given[k] ? t->a[k] : tau[k];
  assert_ok(limb_hybrid_dynamics(t->d, t->q, t->v, given, x, &env, a, felt));
  assert_close_array(a, t->a, t->nv, t->solve, 0);
  assert_close_array(felt, tau, t->nv, t->solve, 0);
}

START_TEST(completes_what_belongs_together) { trial_over(_i, TRIAL_STATES, completed); }
END_TEST

// All accelerations given: inverse dynamics. All forces: articulated bodies, or M with mimic joints.
static void ends(trial* t)
{
  if (trial_enough(t)) return;
  const size_t n = (size_t)t->nv;
  const limb_environment env = surroundings(t);
  double *tau = trial_doubles(t, n), *a = trial_doubles(t, n), *want = trial_doubles(t, n);
  double* acc = trial_doubles(t, n);
  unsigned char* given = (unsigned char*)trial_doubles(t, n);
  memset(given, LIMB_ACCELERATION_GIVEN, n);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &env, want));
  assert_ok(limb_hybrid_dynamics(t->d, t->q, t->v, given, t->a, &env, acc, tau));
  assert_close_array(tau, want, t->nv, trial_small(t) ? 1e-13 : TOL_ALGEBRA, 0);
  assert_that(memcmp(acc, t->a, n * sizeof *acc) == 0);
  memset(given, LIMB_FORCE_GIVEN, n);
  memcpy(tau, want, n * sizeof *tau);
  assert_ok(limb_forward_dynamics(t->d, t->q, t->v, tau, &env, want));
  assert_ok(limb_hybrid_dynamics(t->d, t->q, t->v, given, tau, &env, a, acc));
  assert_close_array(a, want, t->nv, t->solve, 0); // rounding, magnified by the condition of M
  assert_that(memcmp(acc, tau, n * sizeof *acc) == 0);
}

START_TEST(inverse_and_forward_dynamics_are_its_ends) { trial_over(_i, TRIAL_STATES, ends); }
END_TEST

// Half of the answer is the same half; no marks are the model's own.
static void halves(trial* t)
{
  const size_t n = (size_t)t->nv, size = n * sizeof(double);
  double *a = trial_doubles(t, n), *tau = trial_doubles(t, n), *half = trial_doubles(t, n);
  double* work = trial_doubles(t, trial_small(t) ? n * n : t->m->elim.packed);
  unsigned char* given = (unsigned char*)trial_doubles(t, n);
  assert_ok(limb_given_for_passive(t->m, given));
  assert_ok(limb_hybrid_dynamics(t->d, t->q, t->v, given, t->a, &t->env, a, tau));
  assert_ok(limb_hybrid_dynamics(t->d, t->q, t->v, NULL, t->a, &t->env, half, NULL));
  assert_that(memcmp(half, a, size) == 0);
  assert_ok(limb_hybrid_dynamics(t->d, t->q, t->v, NULL, t->a, &t->env, NULL, half));
  assert_that(memcmp(half, tau, size) == 0);
  const limb_hybrid in = {t->q, t->v, NULL, t->a, &t->env};
  assert_ok(limb_hybrid_dynamics_by_mass_matrix(t->d, &in, work, a, tau));
  assert_ok(limb_hybrid_dynamics_by_mass_matrix(t->d, &in, work, half, NULL));
  assert_that(memcmp(half, a, size) == 0);
  assert_ok(limb_hybrid_dynamics_by_mass_matrix(t->d, &in, work, NULL, half));
  assert_that(memcmp(half, tau, size) == 0);
}

START_TEST(half_of_the_answer_is_the_same) { trial_over(_i, 3, halves); }
END_TEST

// ---- what else is known of the motion it finds -------------------------------------------------------

// Reactions work on the differences of the bodies' twists: for each coordinate together as much as tau does,
// less friction, springs and rotors.
static void work_of_reactions(trial* t, const double* a, double* want)
{
  const int joints = limb_joint_count(t->m);
  sp_force* f = trial_forces(t, (size_t)joints);
  sp_motion *child = trial_motions(t, (size_t)t->nv), *parent = trial_motions(t, (size_t)t->nv);
  double *got = trial_doubles(t, (size_t)t->nv), *taken = trial_doubles(t, (size_t)t->nv);
  const double size = largest(want, (size_t)t->nv);
  assert_ok(limb_joint_reactions(t->d, t->q, t->v, a, &t->env, LIMB_WORLD, f));
  assert_ok(limb_friction_forces(t->d, t->v, &t->env, taken));
  for (int k = 0; k < t->nv; k++) want[k] -= taken[k];
  assert_ok(limb_spring_forces(t->d, t->q, taken));
  for (int k = 0; k < t->nv; k++) want[k] -= taken[k];
  assert_ok(limb_kinematics(t->d, t->q, NULL, NULL));
  for (int j = 0; j < joints; j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(t->m, j, &info));
    assert_ok(limb_frame_jacobian(t->d, info.def.child, LIMB_WORLD, child));
    assert_ok(limb_frame_jacobian(t->d, info.def.parent, LIMB_WORLD, parent));
    for (int k = 0; k < t->nv; k++) got[k] += sp_dot(sp_addm(child[k], sp_scalem(-1, parent[k])), f[j]);
    const double gear = info.def.gear_ratio * info.multiplier;
    if (info.def.rotor_inertia > 0) want[info.v] -= gear * gear * info.def.rotor_inertia * a[info.v];
  }
  assert_close_array(got, want, t->nv, 0, t->solve * size);
}

static void motion_found(trial* t)
{
  if (!trial_small(t)) return;
  const size_t n = (size_t)t->nv;
  double *a = trial_doubles(t, n), *tau = trial_doubles(t, n), delivered = 0;
  unsigned char* given = (unsigned char*)trial_doubles(t, n);
  random_marks(&t->r, t->nv, given);
  assert_ok(limb_hybrid_dynamics(t->d, t->q, t->v, given, t->a, &t->env, a, tau));
  limb_power p;
  assert_ok(limb_power_balance(t->d, t->q, t->v, a, &t->env, &p));
  const double size = fabs(p.actuators) + fabs(p.wrenches) + fabs(p.kinetic) + fabs(p.gravity) + fabs(p.springs) +
                      fabs(p.friction) + largest(tau, n);
  for (size_t k = 0; k < n; k++) delivered += tau[k] * t->v[k];
  assert_close(p.actuators, delivered, 0, t->solve * size);
  assert_close(p.residual, 0, 0, TOL_ALGEBRA * size);
  work_of_reactions(t, a, tau);
}

START_TEST(reactions_and_power_fit) { trial_over(_i, STATES, motion_found); }
END_TEST

int CHECK_NAME(void)
{
  const TTest* const trees[] = {every_pattern_of_marks, NULL};
  const TTest* const robots[] = {
    fixture_robots_by_the_partition, completes_what_belongs_together, inverse_and_forward_dynamics_are_its_ends,
    half_of_the_answer_is_the_same,  reactions_and_power_fit,         NULL};
  const int failed = check_run("identities/hybrid: every pattern", TREES, trees);
  return check_run("identities/hybrid", trial_robots(), robots) | failed;
}
