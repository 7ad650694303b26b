// Force laws: what is refused, who asks them and how often, what they leave behind, threads.
#include "limb/verify.h"
#include "dynamics/force_laws.h"
#include "kinematics/moving.h"
#include "support/robots.h"
#include "support/robots_impl.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum { NV = 7, THREADS = 4, ROUNDS = 50 };

// A law that counts: how often it was asked, and the number that was due.
typedef struct tally {
  int* calls; // of all laws together
  int mine;   // the last call
  sp_force answer;
} tally;

static sp_force counted(void* context, const limb_frame_state* at)
{
  tally* t = context;
  (void)at;
  t->mine = ++*t->calls;
  return t->answer;
}

// A Panda in a random state, its surroundings, and two laws.
typedef struct bench {
  moving r;
  int calls;
  tally tally[2];
  limb_force_law law[2];
  limb_environment env;
} bench;

static void begin(bench* b)
{
  b->r = moving_begin(robot_panda(), 11);
  assert_that(b->r.nv == NV);
  b->calls = 0;
  for (int k = 0; k < 2; k++) {
    b->tally[k] = (tally){&b->calls, 0, {{1, 2 + k, 3}, {4, 5, 6 - k}}};
    b->law[k] = (limb_force_law){3 + 2 * k, LIMB_ALIGNED, counted, &b->tally[k]};
  }
  b->env = limb_default_environment(b->r.m);
  b->env.nlaw = 2, b->env.law = b->law;
}

static limb_status inverse(bench* b, double* tau)
{
  return limb_inverse_dynamics(b->r.d, b->r.q, b->r.v, b->r.a, &b->env, tau);
}

// ---- calls that take laws -----------------------------------------------------------------------------

typedef limb_status asking_fn(bench* b);

static limb_status ask_inverse(bench* b)
{
  double tau[NV];
  return inverse(b, tau);
}

static limb_status ask_forward(bench* b)
{
  double a[NV];
  return limb_forward_dynamics(b->r.d, b->r.q, b->r.v, b->r.a, &b->env, a);
}

static limb_status ask_aba(bench* b)
{
  double a[NV];
  return limb_forward_dynamics_aba(b->r.d, b->r.q, b->r.v, b->r.a, &b->env, a);
}

static limb_status ask_mass_matrix(bench* b)
{
  double a[NV], work[NV * NV];
  return limb_forward_dynamics_by_mass_matrix(b->r.d, b->r.q, b->r.v, b->r.a, &b->env, work, a);
}

static limb_status ask_hybrid(bench* b)
{
  const unsigned char given[NV] = {1, 0, 1, 0, 1, 0, 1};
  double a[NV], tau[NV];
  return limb_hybrid_dynamics(b->r.d, b->r.q, b->r.v, given, b->r.a, &b->env, a, tau);
}

static limb_status ask_reactions(bench* b)
{
  sp_force f[16];
  assert_that(limb_joint_count(b->r.m) <= 16);
  return limb_joint_reactions(b->r.d, b->r.q, b->r.v, b->r.a, &b->env, LIMB_BODY, f);
}

static limb_status ask_power(bench* b)
{
  limb_power p;
  return limb_power_balance(b->r.d, b->r.q, b->r.v, b->r.a, &b->env, &p);
}

static limb_status ask_reference(bench* b)
{
  double tau[NV];
  return limb_reference_inverse_dynamics(b->r.m, b->r.q, b->r.v, b->r.a, &b->env, tau, NULL);
}

static limb_status ask_wrenches(bench* b)
{
  limb_wrench w[2];
  return limb_force_law_wrenches(b->r.d, b->r.q, b->r.v, &b->env, w);
}

static limb_status task_other(bench* b, double* other)
{
  const limb_task task = {limb_find_frame(b->r.m, "flange"), LIMB_ALIGNED, LIMB_LINEAR};
  const limb_task_stack tasks = {1, &task};
  limb_task_space out = {.other = other};
  double work[256];
  assert_that(limb_task_work(b->r.m, 3) <= 256);
  return limb_task_dynamics(b->r.d, b->r.q, b->r.v, &b->env, &tasks, NULL, work, &out);
}

static limb_status ask_task(bench* b)
{
  double other[3];
  return task_other(b, other);
}

static asking_fn* const ASKING[] = {ask_inverse,   ask_forward, ask_aba,       ask_mass_matrix, ask_hybrid,
                                    ask_reactions, ask_power,   ask_reference, ask_wrenches,    ask_task};
enum { ASKERS = sizeof ASKING / sizeof ASKING[0] };

// ---- calls in which wrenches do not enter -----------------------------------------------------------------

static limb_status mute_bias(bench* b)
{
  double x[NV];
  return limb_bias_forces(b->r.d, b->r.q, b->r.v, &b->env, x);
}

static limb_status mute_gravity(bench* b)
{
  double x[NV];
  return limb_gravity_forces(b->r.d, b->r.q, &b->env, x);
}

static limb_status mute_friction(bench* b)
{
  double x[NV];
  return limb_friction_forces(b->r.d, b->r.v, &b->env, x);
}

static limb_status mute_energies(bench* b)
{
  limb_energy e;
  return limb_energies(b->r.d, b->r.q, b->r.v, &b->env, &e);
}

static limb_status mute_regressor(bench* b)
{
  double* Y = calloc(NV * (size_t)limb_parameter_count(b->r.m), sizeof *Y);
  assert_that(Y != NULL);
  const limb_status s = limb_regressor(b->r.d, b->r.q, b->r.v, b->r.a, &b->env, Y);
  free(Y);
  return s;
}

static asking_fn* const MUTE[] = {mute_bias, mute_gravity, mute_friction, mute_energies, mute_regressor};
enum { MUTES = sizeof MUTE / sizeof MUTE[0] };

START_TEST(asked_once_in_order)
{
  bench b;
  begin(&b);
  for (int k = 0; k < ASKERS; k++) {
    check_at("call %d", k);
    b.calls = 0;
    assert_ok(ASKING[k](&b));
    assert_that(b.calls == 2 && b.tally[0].mine == 1 && b.tally[1].mine == 2);
  }
  for (int k = 0; k < MUTES; k++) {
    check_at("call %d without wrenches", k);
    b.calls = 0;
    assert_ok(MUTE[k](&b));
    assert_that(b.calls == 0);
  }
  b.env.nlaw = 0, b.env.law = NULL;
  assert_ok(ask_inverse(&b));
  assert_that(b.calls == 0);
  moving_end(&b.r);
}
END_TEST

// Laws on the world and on what is fixed to it are asked as well.
START_TEST(asked_on_the_world)
{
  bench b;
  begin(&b);
  b.law[0].frame = LIMB_WORLD_BODY;
  for (int k = 0; k < ASKERS; k++) {
    check_at("call %d", k);
    b.calls = 0;
    assert_ok(ASKING[k](&b));
    assert_that(b.calls == 2 && b.tally[0].mine == 1);
  }
  moving_end(&b.r);
}
END_TEST

// ---- what is refused ------------------------------------------------------------------------------------

static void all_say(bench* b, limb_status want)
{
  for (int k = 0; k < ASKERS; k++) {
    check_at("call %d", k);
    assert_status(ASKING[k](b), want);
  }
  for (int k = 0; k < MUTES; k++) {
    check_at("call %d without wrenches", k);
    assert_status(MUTE[k](b), want);
  }
}

START_TEST(bad_laws)
{
  bench b;
  begin(&b);
  const limb_force_law fine = b.law[1];
  b.law[1].force = NULL;
  all_say(&b, LIMB_E_ARG);
  b.law[1] = fine, b.law[1].frame = -1;
  all_say(&b, LIMB_E_ARG);
  b.law[1].frame = limb_frame_count(b.r.m);
  all_say(&b, LIMB_E_ARG);
  b.law[1] = fine, b.law[1].ref = (limb_ref)3;
  all_say(&b, LIMB_E_ARG);
  b.law[1] = fine, b.env.nlaw = -1;
  all_say(&b, LIMB_E_ARG);
  b.env.nlaw = 2, b.env.law = NULL;
  all_say(&b, LIMB_E_ARG);
  assert_that(b.calls == 0);
  b.env.law = b.law;
  all_say(&b, LIMB_OK);
  moving_end(&b.r);
}
END_TEST

START_TEST(missing_arguments)
{
  bench b;
  begin(&b);
  const moving* r = &b.r;
  limb_wrench w[2];
  assert_status(limb_force_law_wrenches(NULL, r->q, r->v, &b.env, w), LIMB_E_ARG);
  assert_status(limb_force_law_wrenches(r->d, NULL, r->v, &b.env, w), LIMB_E_ARG);
  assert_status(limb_force_law_wrenches(r->d, r->q, NULL, &b.env, w), LIMB_E_ARG);
  assert_status(limb_force_law_wrenches(r->d, r->q, r->v, &b.env, NULL), LIMB_E_ARG);
  assert_ok(limb_force_law_wrenches(r->d, r->q, r->v, NULL, w)); // none
  assert_that(b.calls == 0);
  b.r.v[0] = nan("");
  assert_status(limb_force_law_wrenches(r->d, r->q, r->v, &b.env, w), LIMB_E_NONFINITE);
  for (int k = 0; k < NV; k++) b.r.v[k] = 1.7e308; // the hand is too fast for a double
  assert_status(limb_force_law_wrenches(r->d, r->q, r->v, &b.env, w), LIMB_E_NONFINITE);
  assert_that(b.calls <= 1);
  moving_end(&b.r);
}
END_TEST

// A bad answer is a status, and nothing of the answers before it stays on the links.
START_TEST(bad_answers)
{
  bench b;
  begin(&b);
  double before[NV], after[NV];
  const limb_wrench elsewhere = {7, LIMB_BODY, {{0, 1, 0}, {1, 0, 2}}}; // makes forces on links count
  b.env.nwrench = 1, b.env.wrench = &elsewhere;
  b.env.nlaw = 0;
  assert_ok(inverse(&b, before));
  b.env.nlaw = 2;
  const double bad[] = {nan(""), HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < 6; k++) {
    sp_force* answer = &b.tally[1].answer;
    const sp_force fine = *answer;
    *(k < 3 ? &answer->m.y : &answer->f.z) = bad[k % 3];
    for (int i = 0; i < ASKERS; i++) {
      check_at("call %d, answer %d", i, k);
      assert_status(ASKING[i](&b), LIMB_E_NONFINITE);
      b.env.nlaw = 0;
      assert_ok(inverse(&b, after));
      assert_that(memcmp(before, after, sizeof before) == 0);
      b.env.nlaw = 2;
    }
    *answer = fine;
  }
  moving_end(&b.r);
}
END_TEST

// Laws leave nothing behind, and do not disturb what limb_kinematics left.
START_TEST(nothing_stays)
{
  bench b;
  begin(&b);
  double before[NV], after[NV], rest[NV] = {0};
  sp_motion x, y;
  const limb_wrench elsewhere = {7, LIMB_BODY, {{0, 1, 0}, {1, 0, 2}}}; // makes forces on links count
  b.env.nwrench = 1, b.env.wrench = &elsewhere;
  b.env.nlaw = 0;
  assert_ok(inverse(&b, before));
  assert_ok(limb_kinematics(b.r.d, rest, b.r.a, NULL));
  assert_ok(limb_frame_velocity(b.r.d, 7, LIMB_WORLD, &x));
  for (int k = 0; k < ASKERS; k++) {
    check_at("call %d", k);
    b.env.nlaw = 2;
    assert_ok(ASKING[k](&b));
    assert_ok(limb_frame_velocity(b.r.d, 7, LIMB_WORLD, &y));
    assert_that(memcmp(&x, &y, sizeof x) == 0);
    b.env.nlaw = 0;
    assert_ok(inverse(&b, after));
    assert_that(memcmp(before, after, sizeof before) == 0);
  }
  moving_end(&b.r);
}
END_TEST

// A caller who does not know of laws: what follows the struct as it was is not looked at.
START_TEST(older_caller)
{
  bench b;
  begin(&b);
  double plain[NV], old[NV];
  assert_ok(limb_inverse_dynamics(b.r.d, b.r.q, b.r.v, b.r.a, NULL, plain));
  b.env.size = offsetof(limb_environment, nlaw);
  assert_ok(inverse(&b, old));
  assert_that(b.calls == 0 && memcmp(plain, old, sizeof old) == 0);
  moving_end(&b.r);
}
END_TEST

// Forces of a task see the velocity that laws see, base included.
START_TEST(task_forces)
{
  bench b;
  begin(&b);
  drag context = {0.3, 0.7, {0.5, -0.25, 1}};
  for (int k = 0; k < 2; k++) b.law[k].force = law_drag, b.law[k].context = &context;
  b.env.base_velocity = sp_motion_make(sp_v3(0.3, -0.2, 0.5), sp_v3(1, 2, 3));
  double other[3], by_hand[3];
  limb_wrench w[2];
  assert_ok(task_other(&b, other));
  assert_ok(limb_force_law_wrenches(b.r.d, b.r.q, b.r.v, &b.env, w));
  b.env.nlaw = 0, b.env.nwrench = 2, b.env.wrench = w;
  assert_ok(task_other(&b, by_hand));
  assert_close_array(other, by_hand, 3, TOL_ALGEBRA, 0);
  moving_end(&b.r);
}
END_TEST

// ---- by hand --------------------------------------------------------------------------------------------

// A post fixed to the world carries what pulls at it: 3 N along x, 2 m above its joint.
START_TEST(fixed_joints)
{
  limb_builder* f = fixture_begin("post");
  const int post =
    fixture_link(f, "post", LIMB_FIXED, 0, fixture_at(1, 0, 0), sp_v3(0, 0, 1), limb_inertia_point(1, sp_v3(0, 0, 1)));
  const int arm = fixture_link(f, "arm", LIMB_REVOLUTE, post, fixture_at(0, 0, 1), sp_v3(0, 0, 1),
                               limb_inertia_point(1, sp_v3(0, 0, 0)));
  fixture_frame(f, "top", post, fixture_at(0, 0, 2));
  fixture_gravity(f, sp_v3(0, 0, 0));
  moving r = moving_begin(fixture_end(f), 1);
  sp_force pull = {{0, 0, 0}, {3, 0, 0}}, F[2];
  const limb_force_law law[2] = {{limb_find_frame(r.m, "top"), LIMB_ALIGNED, law_constant, &pull},
                                 {arm, LIMB_BODY, law_constant, &(sp_force){{0, 0, 7}, {0, 0, 0}}}};
  limb_environment env = limb_default_environment(r.m);
  env.nlaw = 2, env.law = law;
  const double none = 0;
  assert_ok(limb_joint_reactions(r.d, r.q, &none, &none, &env, LIMB_ALIGNED, F));
  assert_close_force(F[1], sp_force_make(sp_v3(0, 0, -7), sp_v3(0, 0, 0)), TOL_ALGEBRA, 1e-12);
  assert_close_force(F[0], sp_force_make(sp_v3(0, -6, -7), sp_v3(-3, 0, 0)), TOL_ALGEBRA, 1e-12);
  double tau;
  assert_ok(limb_inverse_dynamics(r.d, r.q, &none, &none, &env, &tau));
  assert_close(tau, -7, TOL_ALGEBRA, 0);
  moving_end(&r);
}
END_TEST

// A robot that cannot move, on a ship: the law still sees the ship's motion.
START_TEST(no_links)
{
  limb_builder* f = fixture_begin("block");
  (void)fixture_link(f, "block", LIMB_FIXED, 0, fixture_at(0, 2, 0), sp_v3(0, 0, 1),
                     limb_inertia_point(1, sp_v3(0, 0, 0)));
  limb_model* m = fixture_end(f);
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  drag context = {0, 2, {0, 0, 0}};
  const limb_force_law law = {1, LIMB_ALIGNED, law_drag, &context};
  limb_environment env = limb_default_environment(m);
  env.gravity = sp_v3(0, 0, 0);
  env.base_velocity = sp_motion_make(sp_v3(0, 0, 3), sp_v3(5, 0, 0));
  env.nlaw = 1, env.law = &law;
  const double none = 0;
  double tau = 0;
  sp_force F;
  assert_ok(limb_inverse_dynamics(d, &none, &none, &none, &env, &tau));
  // it moves with v + w x p = 5 - 3 * 2 along x and is dragged by 2 N; -m w^2 p keeps it on its circle
  assert_ok(limb_joint_reactions(d, &none, &none, &none, &env, LIMB_ALIGNED, &F));
  assert_close_force(F, sp_force_make(sp_v3(0, 0, 0), sp_v3(-2, -18, 0)), TOL_ALGEBRA, 1e-12);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// ---- threads --------------------------------------------------------------------------------------------

typedef struct job {
  const limb_model* m;
  const limb_environment* env;
  const moving* r;
  double a[NV];
  limb_status worst;
} job;

static void* work(void* argument)
{
  job* j = argument;
  limb_data* d = NULL;
  j->worst = limb_data_create(j->m, NULL, &d);
  for (int k = 0; k < ROUNDS && j->worst == LIMB_OK; k++)
    j->worst = limb_forward_dynamics(d, j->r->q, j->r->v, j->r->a, j->env, j->a);
  limb_data_destroy(d);
  return NULL;
}

START_TEST(threads)
{
  bench b;
  begin(&b);
  drag context = {0.3, 0.7, {0.5, -0.25, 1}};
  for (int k = 0; k < 2; k++) b.law[k].force = law_drag, b.law[k].context = &context;
  double alone[NV];
  assert_ok(limb_forward_dynamics(b.r.d, b.r.q, b.r.v, b.r.a, &b.env, alone));
  pthread_t thread[THREADS];
  job jobs[THREADS];
  for (int k = 0; k < THREADS; k++) {
    jobs[k] = (job){.m = b.r.m, .env = &b.env, .r = &b.r};
    assert_that(pthread_create(&thread[k], NULL, work, &jobs[k]) == 0);
  }
  for (int k = 0; k < THREADS; k++) {
    assert_that(pthread_join(thread[k], NULL) == 0);
    assert_ok(jobs[k].worst);
    assert_that(memcmp(jobs[k].a, alone, sizeof alone) == 0);
  }
  moving_end(&b.r);
}
END_TEST

CHECK_MAIN("force laws: arguments", 1, asked_once_in_order, asked_on_the_world, bad_laws, missing_arguments,
           bad_answers, nothing_stays, older_caller, task_forces, fixed_joints, no_links, threads)
