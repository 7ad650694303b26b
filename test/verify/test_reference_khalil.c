// The recursions of Khalil 2010 for known and unknown joints and for moving bases: against the other reference,
// against the kernels, over all robots; their arguments and memory. test_known_unknown.c has the figures.
#include "limb/verify.h"

#include "base/memory.h"
#include "support/budget.h"
#include "support/robots_impl.h"
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = CHECK_SANITIZED ? 4 : TRIAL_STATES };

// ---- marks --------------------------------------------------------------------------------------

// Each velocity marked by a coin; what mimic joints follow is acceleration-given, as Khalil's form needs.
static unsigned char* random_marks(trial* t)
{
  unsigned char* given = (unsigned char*)trial_doubles(t, (size_t)t->nv);
  for (int k = 0; k < t->nv; k++) given[k] = rng_chance(&t->r, 0.5) ? 1 : 0;
  for (int j = 0; j < limb_joint_count(t->m); j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(t->m, j, &info));
    if (info.def.mimic >= 0) given[info.v] = LIMB_ACCELERATION_GIVEN;
  }
  return given;
}

// a and tau are x where x is theirs, and together they are a motion: inverse dynamics of a is tau. The
// error of an acceleration behind an inverse comes back in the forces, which may be small beside it.
static void is_solution(trial* t, const unsigned char* given, const double* x, const limb_environment* env,
                        const double* a, const double* tau)
{
  double *want = trial_doubles(t, (size_t)t->nv), *M = trial_doubles(t, (size_t)t->nv);
  limb_environment rest = limb_default_environment(t->m);
  rest.gravity = sp_v3(0, 0, 0);
  for (int k = 0; k < t->nv; k++) assert_that((given[k] ? a : tau)[k] == x[k]);
  assert_ok(limb_reference_inverse_dynamics(t->m, t->q, t->v, a, env, want, NULL));
  double size = 0;
  assert_ok(limb_inverse_dynamics(t->d, t->q, M, a, &rest, M));
  for (int k = 0; k < t->nv; k++) size = fmax(size, fabs(M[k]));
  assert_close_array(tau, want, t->nv, t->solve, t->solve * size);
}

static void mixed(trial* t, const limb_environment* env)
{
  double *x = trial_doubles(t, (size_t)t->nv), *a = trial_doubles(t, (size_t)t->nv);
  double *tau = trial_doubles(t, (size_t)t->nv), *a2 = trial_doubles(t, (size_t)t->nv);
  double* tau2 = trial_doubles(t, (size_t)t->nv);
  const unsigned char* given = random_marks(t);
  rng_fill(&t->r, 5, t->nv, x);
  assert_ok(limb_reference_hybrid(t->m, t->q, t->v, given, x, env, a, tau));
  is_solution(t, given, x, env, a, tau);
  assert_ok(limb_hybrid_dynamics(t->d, t->q, t->v, given, x, env, a2, tau2));
  assert_close_array(a2, a, t->nv, t->solve, 0);
  assert_close_array(tau2, tau, t->nv, t->solve, t->solve);
}

// Water: it slows a frame down and lifts it.
static sp_force water(void* context, const limb_frame_state* at)
{
  const double* drag = context;
  const sp_vec3 lift = sp_scale3(-at->pose.p.z, sp_v3(0, 0, 1));
  return sp_force_make(sp_scale3(-drag[0], at->velocity.w), sp_add3(sp_scale3(-drag[1], at->velocity.v), lift));
}

static void any_marks(trial* t)
{
  if (trial_enough(t)) return;
  mixed(t, NULL);
  mixed(t, &t->env);
  limb_environment moving = trial_moving_base(t);
  moving.coulomb_width = 0.1;
  mixed(t, &moving);
  double drag[2] = {0.3, 2};
  limb_force_law law[3];
  for (int i = 0; i < 3; i++) law[i] = (limb_force_law){rng_below(&t->r, t->nframe), (limb_ref)i, water, drag};
  moving.nlaw = 3, moving.law = law;
  mixed(t, &moving);
}

START_TEST(any_marks_give_a_motion) { trial_over(_i, STATES, any_marks); }
END_TEST

static void all_alike(trial* t)
{
  if (trial_enough(t)) return;
  const size_t n = (size_t)t->nv;
  double *a = trial_doubles(t, n), *tau = trial_doubles(t, n), *want = trial_doubles(t, n);
  unsigned char* given = (unsigned char*)trial_doubles(t, n);
  const limb_environment env = trial_moving_base(t);
  memset(given, LIMB_ACCELERATION_GIVEN, n);
  assert_ok(limb_reference_hybrid(t->m, t->q, t->v, given, t->a, &env, a, tau));
  assert_ok(limb_reference_inverse_dynamics(t->m, t->q, t->v, t->a, &env, want, NULL));
  assert_close_array(tau, want, t->nv, TOL_ALGEBRA, 0);
  assert_close_array(a, t->a, t->nv, 0, 0);
  memset(given, LIMB_FORCE_GIVEN, n);
  if (t->robot->flags & ROBOT_MIMIC) {
    assert_status(limb_reference_hybrid(t->m, t->q, t->v, given, tau, &env, a, want), LIMB_E_UNSUPPORTED);
    return;
  }
  assert_ok(limb_reference_hybrid(t->m, t->q, t->v, given, tau, &env, a, want));
  assert_close_array(want, tau, t->nv, 0, 0);
  assert_close_array(a, t->a, t->nv, t->solve * 10, 0); // what inverse dynamics began with
}

START_TEST(all_alike_is_inverse_and_forward_dynamics) { trial_over(_i, STATES, all_alike); }
END_TEST

// ---- moving base --------------------------------------------------------------------------------

// The root joint is the only one on the world.
static int is_floating(const trial* t)
{
  if (!(t->robot->flags & ROBOT_FREE_BASE)) return 0;
  for (int j = 0, roots = 0; j < limb_joint_count(t->m); j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(t->m, j, &info));
    roots += info.def.parent == LIMB_WORLD_BODY;
    if (roots > 1) return 0;
  }
  return 1;
}

static limb_joint_info root_of(const trial* t)
{
  limb_joint_info info;
  for (int j = 0;; j++) {
    assert_ok(limb_get_joint(t->m, j, &info));
    if (info.def.parent == LIMB_WORLD_BODY) return info;
  }
}

// Against the kernels' answer for a (nv): Khalil's acceleration is the classical one of the base.
static void agrees(trial* t, const limb_environment* env, const double* a, const double* want,
                   const limb_reference_base* base)
{
  assert_close_array(a, want, t->nv, t->solve, 0);
  if (sp_norm3(env->base_velocity.w) > 0) return; // the tree's kinematics are against the world body
  sp_motion classical;
  assert_ok(limb_kinematics(t->d, t->q, t->v, want));
  assert_ok(limb_frame_classical_acceleration(t->d, root_of(t).def.child, LIMB_BODY, &classical));
  assert_close_motion(base->acceleration, classical, t->solve, 0);
}

static void floating(trial* t, const limb_environment* env)
{
  const size_t n = (size_t)t->nv;
  double *a = trial_doubles(t, n), *tau = trial_doubles(t, n), *x = trial_doubles(t, n);
  double *want_a = trial_doubles(t, n), *want_tau = trial_doubles(t, n);
  limb_reference_base base;
  const int v0 = root_of(t).v;
  memcpy(x, t->a, n * sizeof *x);
  memset(x + v0, 0, 6 * sizeof *x); // nothing pushes the base
  memcpy(a, t->a, n * sizeof *a);
  a[v0] = nan(""); // not looked at
  assert_ok(limb_reference_moving_base_inverse(t->m, t->q, t->v, a, env, tau, &base));
  assert_ok(limb_hybrid_dynamics(t->d, t->q, t->v, NULL, x, env, want_a, want_tau));
  assert_close_array(tau, want_tau, t->nv, t->solve, 0);
  agrees(t, env, a, want_a, &base);

  tau[v0] = nan("");
  assert_ok(limb_reference_moving_base_forward(t->m, t->q, t->v, tau, env, a, &base));
  tau[v0] = 0;
  assert_ok(limb_forward_dynamics(t->d, t->q, t->v, tau, env, want_a));
  agrees(t, env, a, want_a, &base);
}

static void moving_base(trial* t)
{
  if (!is_floating(t)) return;
  limb_environment weightless = t->env, moving = trial_moving_base(t);
  weightless.gravity = sp_v3(0, 0, 0);
  floating(t, &t->env);
  floating(t, &weightless);
  floating(t, &moving);
}

START_TEST(a_moving_base_is_hybrid_dynamics) { trial_over(_i, STATES, moving_base); }
END_TEST

static double entry(const sp_force J[6], int row, int column)
{
  const sp_force c = J[column];
  const double x[6] = {c.m.x, c.m.y, c.m.z, c.f.x, c.f.y, c.f.z};
  return x[row];
}

// J_0^c is the base's block of M, (J_0^*)^-1 that of M^-1, and -beta_0^c the force that holds the base still
// while the joints move as they do.
static void composites(trial* t)
{
  if (!is_floating(t)) return;
  const size_t n = (size_t)t->nv;
  double *a = trial_doubles(t, n), *tau = trial_doubles(t, n), *M = trial_doubles(t, n * n);
  double *W = trial_doubles(t, n * n), got[36], want[36];
  limb_reference_base base;
  const int v0 = root_of(t).v;
  memcpy(a, t->a, n * sizeof *a);
  assert_ok(limb_reference_moving_base_inverse(t->m, t->q, t->v, a, NULL, tau, &base));
  assert_ok(limb_mass_matrix(t->d, t->q, M));
  for (int i = 0; i < 36; i++) {
    got[i] = entry(base.J, i / 6, i % 6);
    want[i] = M[(size_t)(v0 + i / 6) * n + (size_t)(v0 + i % 6)];
  }
  assert_close_matrix(got, want, 6, 6, TOL_ALGEBRA, 0);

  limb_environment weightless = limb_default_environment(t->m);
  weightless.gravity = sp_v3(0, 0, 0);
  const sp_vec3 w = {t->v[v0], t->v[v0 + 1], t->v[v0 + 2]};
  const sp_vec3 u = {t->v[v0 + 3], t->v[v0 + 4], t->v[v0 + 5]};
  const sp_vec3 wxu = sp_cross3(w, u); // classical acceleration zero: components fall by w x v
  const double still[6] = {0, 0, 0, -wxu.x, -wxu.y, -wxu.z};
  memcpy(a + v0, still, sizeof still);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, a, &weightless, tau));
  const sp_force hold = {{tau[v0], tau[v0 + 1], tau[v0 + 2]}, {tau[v0 + 3], tau[v0 + 4], tau[v0 + 5]}};
  assert_close_force(sp_scalef(-1, base.beta), hold, TOL_ALGEBRA, 0);

  assert_ok(limb_reference_moving_base_forward(t->m, t->q, t->v, t->a, NULL, a, &base));
  assert_ok(limb_mass_matrix_inverse(t->d, t->q, W));
  for (int i = 0; i < 36; i++) {
    got[i] = 0, want[i] = i / 6 == i % 6;
    for (int k = 0; k < 6; k++) got[i] += entry(base.J, i / 6, k) * W[(size_t)(v0 + k) * n + (size_t)(v0 + i % 6)];
  }
  assert_close_matrix(got, want, 6, 6, t->solve, 0);
}

START_TEST(composite_links_are_blocks_of_the_mass_matrix) { trial_over(_i, STATES, composites); }
END_TEST

// ---- arguments and memory -----------------------------------------------------------------------

// A floating body with a hinge.
static limb_model* make_small(const limb_allocator* alloc, limb_joint_type root)
{
  limb_builder* b;
  limb_model* m;
  assert_ok(limb_builder_create(alloc, &b));
  const int trunk =
    fixture_link(b, "trunk", root, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1), limb_inertia_sphere(1, 0.1));
  fixture_link(b, "rod", LIMB_REVOLUTE, trunk, sp_pose_identity(), sp_v3(0, 1, 0),
               limb_inertia_move(fixture_at(0, 0, 0.5), limb_inertia_rod(2, 1)));
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  return m;
}

enum { NQ = 8, NV = 7 };

START_TEST(arguments)
{
  limb_model* m = make_small(NULL, LIMB_FREE);
  double q[NQ] = {0, 0, 0, 0, 0, 0, 1, 0.3}, v[NV] = {0}, x[NV] = {0}, a[NV] = {0}, tau[NV];
  unsigned char given[NV] = {0};
  limb_environment env = limb_default_environment(m);
#define HYBRID(q, v, x, env) limb_reference_hybrid(m, q, v, given, x, env, a, tau)
#define INVERSE(q, v, env)   limb_reference_moving_base_inverse(m, q, v, a, env, tau, NULL)
#define DIRECT(q, v, x, env) limb_reference_moving_base_forward(m, q, v, x, env, a, NULL)
  assert_status(limb_reference_hybrid(NULL, q, v, given, x, NULL, a, tau), LIMB_E_ARG);
  assert_status(limb_reference_hybrid(m, q, v, given, x, NULL, NULL, tau), LIMB_E_ARG);
  assert_status(limb_reference_hybrid(m, q, v, given, x, NULL, a, NULL), LIMB_E_ARG);
  assert_status(limb_reference_moving_base_inverse(NULL, q, v, a, NULL, tau, NULL), LIMB_E_ARG);
  assert_status(limb_reference_moving_base_inverse(m, q, v, NULL, NULL, tau, NULL), LIMB_E_ARG);
  assert_status(limb_reference_moving_base_inverse(m, q, v, a, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_reference_moving_base_forward(NULL, q, v, x, NULL, a, NULL), LIMB_E_ARG);
  assert_status(limb_reference_moving_base_forward(m, q, v, x, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(HYBRID(NULL, v, x, NULL), LIMB_E_ARG);
  assert_status(HYBRID(q, NULL, x, NULL), LIMB_E_ARG);
  assert_status(HYBRID(q, v, NULL, NULL), LIMB_E_ARG);
  assert_status(INVERSE(NULL, v, NULL), LIMB_E_ARG);
  assert_status(INVERSE(q, NULL, NULL), LIMB_E_ARG);
  assert_status(DIRECT(NULL, v, x, NULL), LIMB_E_ARG);
  assert_status(DIRECT(q, NULL, x, NULL), LIMB_E_ARG);
  assert_status(DIRECT(q, v, NULL, NULL), LIMB_E_ARG);
  given[6] = 2;
  assert_status(HYBRID(q, v, x, NULL), LIMB_E_ARG);
  given[6] = 0;
  env.nwrench = -1;
  assert_status(HYBRID(q, v, x, &env), LIMB_E_ARG);
  assert_status(INVERSE(q, v, &env), LIMB_E_ARG);
  assert_status(DIRECT(q, v, x, &env), LIMB_E_ARG);
  double* const cells[] = {&q[7], &v[6], &x[6]};
  for (int i = 0; i < 3; i++) {
    const double was = *cells[i];
    *cells[i] = i ? nan("") : HUGE_VAL;
    assert_status(HYBRID(q, v, x, NULL), LIMB_E_NONFINITE);
    assert_status(DIRECT(q, v, x, NULL), LIMB_E_NONFINITE);
    *cells[i] = was;
  }
  a[6] = nan("");
  assert_status(INVERSE(q, v, NULL), LIMB_E_NONFINITE);
  a[6] = 0, v[0] = 1e200;
  assert_status(INVERSE(q, v, NULL), LIMB_E_NONFINITE); // its square is too large
  v[0] = 0, q[6] = 1.1;
  assert_status(INVERSE(q, v, NULL), LIMB_E_ARG);
  q[6] = 1;
  assert_ok(INVERSE(q, v, NULL));
  limb_model_destroy(m);
}
END_TEST

START_TEST(what_is_no_moving_base)
{
  const double q[NQ] = {0, 0, 0, 0, 0, 0, 1, 0.3}, v[NV] = {0};
  double a[NV] = {0}, tau[NV] = {0};
  limb_model* arm = robot_planar_2r();
  assert_status(limb_reference_moving_base_inverse(arm, q, v, a, NULL, tau, NULL), LIMB_E_UNSUPPORTED);
  assert_status(limb_reference_moving_base_forward(arm, q, v, tau, NULL, a, NULL), LIMB_E_UNSUPPORTED);
  limb_model_destroy(arm);

  limb_builder* b = fixture_begin("two");
  const sp_inertia ball = limb_inertia_sphere(1, 0.1);
  fixture_link(b, "one", LIMB_FREE, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1), ball);
  fixture_link(b, "other", LIMB_REVOLUTE, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1), ball);
  limb_model* two = fixture_end(b);
  assert_status(limb_reference_moving_base_inverse(two, q, v, a, NULL, tau, NULL), LIMB_E_UNSUPPORTED);
  limb_model_destroy(two);

  limb_model* none = fixture_end(fixture_begin("empty"));
  assert_status(limb_reference_moving_base_inverse(none, q, v, a, NULL, tau, NULL), LIMB_E_UNSUPPORTED);
  assert_ok(limb_reference_hybrid(none, q, v, NULL, q, NULL, a, tau));
  limb_model_destroy(none);
}
END_TEST

START_TEST(bodies_without_mass)
{
  const double q[NQ] = {0, 0, 0, 0, 0, 0, 1, 0.3}, v[NV] = {0}, x[NV] = {0};
  const unsigned char force[1] = {LIMB_FORCE_GIVEN}, motion[1] = {LIMB_ACCELERATION_GIVEN};
  double a[NV] = {0}, tau[NV];
  limb_model* stick = robot_weightless();
  assert_status(limb_reference_hybrid(stick, q, v, force, x, NULL, a, tau), LIMB_E_SINGULAR);
  assert_ok(limb_reference_hybrid(stick, q, v, motion, x, NULL, a, tau));
  limb_model_destroy(stick);
  limb_builder* b = fixture_begin("ghost");
  fixture_link(b, "ghost", LIMB_FREE, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1), (sp_inertia){0});
  limb_model* ghost = fixture_end(b);
  assert_status(limb_reference_moving_base_inverse(ghost, q, v, a, NULL, tau, NULL), LIMB_E_SINGULAR);
  assert_status(limb_reference_hybrid(ghost, q, v, NULL, x, NULL, a, tau), LIMB_E_SINGULAR);
  limb_model_destroy(ghost);
}
END_TEST

START_TEST(survives_without_memory)
{
  budget b = {limb_default_allocator(), 1000, 0};
  const limb_allocator alloc = {budget_alloc, budget_free, &b};
  limb_model* m = make_small(&alloc, LIMB_FREE);
  const double q[NQ] = {0, 0, 0, 0, 0, 0, 1, 0.3}, v[NV] = {0}, x[NV] = {0};
  double a[NV] = {0}, tau[NV];
  const int live = b.live;
  for (int left = 0; left < 2; left++) {
    const limb_status want = left ? LIMB_OK : LIMB_E_NOMEM;
    b.left = left;
    assert_status(limb_reference_hybrid(m, q, v, NULL, x, NULL, a, tau), want);
    b.left = left;
    assert_status(limb_reference_moving_base_inverse(m, q, v, a, NULL, tau, NULL), want);
    b.left = left;
    assert_status(limb_reference_moving_base_forward(m, q, v, x, NULL, a, NULL), want);
    assert_that(b.live == live);
  }
  limb_model_destroy(m);
  assert_that(b.live == 0);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const over_robots[] = {any_marks_give_a_motion, all_alike_is_inverse_and_forward_dynamics,
                                      a_moving_base_is_hybrid_dynamics, composite_links_are_blocks_of_the_mass_matrix,
                                      NULL};
  const TTest* const once[] = {arguments, what_is_no_moving_base, bodies_without_mass, survives_without_memory, NULL};
  const int failed = check_run("reference/khalil", trial_robots(), over_robots);
  return check_run("reference/khalil arguments", 1, once) | failed;
}
