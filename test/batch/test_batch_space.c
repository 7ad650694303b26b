// Workspaces of batches: memory, options, robots without joints and robots too large for lanes.
#include "support/batch.h"

#include "base/memory.h"
#include "support/budget.h"
#include "support/robots_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- memory ----------------------------------------------------------------------------------------------

START_TEST(in_memory_of_the_caller)
{
  batch_states s = batch_states_make(robot_panda(), 21, 1);
  limb_batch *b = NULL, *own = batch_make(s.m, NULL);
  const size_t size = limb_batch_size(s.m, NULL);
  assert_that(size > 0);
  char* memory = batch_aligned(size);
  assert_status(limb_batch_init(s.m, NULL, memory, size - 1, &b), LIMB_E_NOMEM);
  assert_status(limb_batch_init(s.m, NULL, memory + 8, size, &b), LIMB_E_ARG);
  assert_status(limb_batch_init(s.m, NULL, NULL, size, &b), LIMB_E_ARG);
  assert_status(limb_batch_init(NULL, NULL, memory, size, &b), LIMB_E_ARG);
  assert_status(limb_batch_init(s.m, NULL, memory, size, NULL), LIMB_E_ARG);
  assert_that(b == NULL);
  assert_ok(limb_batch_init(s.m, NULL, memory, size, &b));
  assert_that(limb_batch_model(b) == s.m && limb_batch_model(NULL) == NULL);
  double *got = batch_aligned(21 * 7 * 8), *want = batch_aligned(21 * 7 * 8);
  assert_ok(limb_batch_inverse_dynamics(b, 21, s.q, s.v, s.a, NULL, got, NULL));
  assert_ok(limb_batch_inverse_dynamics(own, 21, s.q, s.v, s.a, NULL, want, NULL));
  assert_same_bytes(got, want, 21 * 7 * sizeof *got);
  limb_batch_destroy(b), limb_batch_destroy(own), limb_batch_destroy(NULL);
  free(memory), free(got), free(want);
  batch_states_free(&s);
}
END_TEST

static void nothing(void* context, int count, limb_pool_task* task, void* argument)
{
  (void)context, (void)count, (void)task, (void)argument;
}

static void refused(const limb_model* m, const limb_batch_options* o)
{
  limb_batch* b = NULL;
  static _Alignas(LIMB_DATA_ALIGN) char memory[LIMB_DATA_ALIGN];
  assert_that(limb_batch_size(m, o) == 0);
  assert_status(limb_batch_create(m, o, NULL, &b), LIMB_E_ARG);
  assert_status(limb_batch_init(m, o, memory, sizeof memory, &b), LIMB_E_ARG);
  assert_that(b == NULL);
}

START_TEST(options_that_are_none)
{
  limb_model* m = robot_panda();
  const limb_batch_options standard = limb_default_batch_options();
  limb_batch_options o = standard;
  limb_pool pool = {sizeof pool, 2, NULL, nothing};
  limb_batch* b = NULL;
  refused(NULL, NULL);
  o.size = 0, refused(m, &o);
  o.size = sizeof o - 1, refused(m, &o);
  o = standard, o.layout = (limb_batch_layout)2, refused(m, &o);
  o = standard, o.wrenches = -1, refused(m, &o);
  o = standard, o.pool = &pool;
  assert_that(limb_batch_size(m, &o) > limb_batch_size(m, NULL));
  pool.threads = 0, refused(m, &o);
  pool.threads = 1, pool.run = NULL, refused(m, &o);
  pool.run = nothing, pool.size = 0, refused(m, &o);
  assert_status(limb_batch_create(m, NULL, NULL, NULL), LIMB_E_ARG);
  assert_that(limb_batch_lanes(b) == 0 && limb_batch_lanes_f32(b) == 0);
  limb_model_destroy(m);
}
END_TEST

START_TEST(memory_that_is_not_there)
{
  limb_model* m = robot_panda();
  budget purse = {limb_default_allocator(), 0, 0};
  const limb_allocator alloc = {budget_alloc, budget_free, &purse}, half = {budget_alloc, NULL, NULL};
  limb_batch* b = NULL;
  assert_status(limb_batch_create(m, NULL, &alloc, &b), LIMB_E_NOMEM);
  assert_status(limb_batch_create(m, NULL, &half, &b), LIMB_E_ARG);
  assert_that(b == NULL && purse.live == 0);
  purse.left = 1;
  assert_ok(limb_batch_create(m, NULL, &alloc, &b));
  assert_that(purse.live == 1);
  limb_batch_destroy(b);
  assert_that(purse.live == 0);
  limb_model_destroy(m);
}
END_TEST

// No wrench that varies: none has room.
START_TEST(without_wrenches)
{
  batch_states s = batch_states_make(robot_panda(), 5, 1);
  limb_batch_options o = limb_default_batch_options();
  limb_batch_environment env = limb_default_batch_environment();
  o.wrenches = 0;
  limb_batch* b = batch_make(s.m, &o);
  double tau[5 * 7];
  assert_ok(limb_batch_inverse_dynamics(b, 5, s.q, s.v, s.a, &env, tau, NULL));
  env.nwrench = 1, env.wrench = s.varied;
  assert_status(limb_batch_inverse_dynamics(b, 5, s.q, s.v, s.a, &env, tau, NULL), LIMB_E_ARG);
  limb_batch_destroy(b);
  batch_states_free(&s);
}
END_TEST

// ---- no joints -------------------------------------------------------------------------------------------

// Every call of a robot that cannot move says what the call for one state says.
static void ask_stone(limb_batch* b, limb_data* d, batch_what what, bool f32)
{
  enum { STONES = 5 };
  double x[64 * STONES] = {0}, one[64];
  limb_status status[STONES];
  const int frame = 0;
  for (int i = 0; i < STONES; i++) status[i] = LIMB_E_ORDER;
  batch_ask ask = {.b = b, .what = what, .f32 = f32, .n = STONES, .q = x, .v = x, .x = x};
  ask.nframe = 1, ask.frame = &frame, ask.ref = LIMB_WORLD, ask.status = status;
  for (int k = 0; k < BATCH_OUTS; k++) ask.out[k] = x;
  batch_ask single = ask;
  for (int k = 0; k < BATCH_OUTS; k++) single.out[k] = one;
  check_at("no joints, %s%s", batch_name(what), f32 ? " over float" : "");
  const limb_status want = batch_answer_one(d, &single, NULL);
  assert_status(batch_answer(&ask), want);
  for (int i = 0; i < STONES; i++) assert_status(status[i], want);
}

START_TEST(no_joints)
{
  limb_model* m = fixture_end(fixture_begin("stone"));
  limb_batch* b = batch_make(m, NULL);
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  for (batch_what what = 0; what < BATCH_WHATS; what++) {
    ask_stone(b, d, what, false);
    ask_stone(b, d, what, true);
  }
  limb_data_destroy(d);
  limb_batch_destroy(b);
  limb_model_destroy(m);
}
END_TEST

// ---- too large for lanes ---------------------------------------------------------------------------------

enum { LONG = 300, FEW = 3 };

// Matrices of every kind, state by state.
static void ask_large(const batch_states* s, limb_batch* b, limb_data* d, batch_what what)
{
  batch_ask ask = batch_ask_for(s, what, false), one;
  double* want[BATCH_OUTS] = {NULL};
  limb_status status[FEW];
  check_at("chain of %d, %s", (int)LONG, batch_name(what));
  ask.b = b, ask.status = status;
  for (int k = 0; k < BATCH_OUTS; k++) {
    const size_t w = batch_width(s->m, what, ask.nframe, k);
    if (w > 0) ask.out[k] = calloc(FEW * w, sizeof(double)), want[k] = calloc(w, sizeof(double));
  }
  assert_ok(batch_answer(&ask));
  one = batch_ask_one(s, &ask, FEW - 1);
  for (int k = 0; k < BATCH_OUTS; k++) one.out[k] = want[k];
  assert_ok(batch_answer_one(d, &one, NULL));
  for (int k = 0; k < BATCH_OUTS && want[k]; k++) {
    const size_t w = batch_width(s->m, what, ask.nframe, k);
    assert_same((double*)ask.out[k] + (FEW - 1) * w, want[k], w);
  }
  s->q[s->nq + 5] = HUGE_VAL; // of the second state
  assert_status(batch_answer(&ask), LIMB_E_NONFINITE);
  assert_that(status[0] == LIMB_OK && status[1] == LIMB_E_NONFINITE && status[2] == LIMB_OK);
  const double* second = (double*)ask.out[0] + batch_width(s->m, what, ask.nframe, 0);
  assert_that(second[0] != second[0] && second[s->nv - 1] != second[s->nv - 1]);
  s->q[s->nq + 5] = 0;
  for (int k = 0; k < BATCH_OUTS; k++) free(ask.out[k]), free(want[k]);
}

// Float, lanes, and wrenches that vary have no way for such matrices.
static void refuse_large(const batch_states* s, limb_batch* rows, limb_batch* lanes, batch_what what)
{
  limb_batch_environment env = limb_default_batch_environment();
  batch_ask ask = batch_ask_for(s, what, true);
  double* x = batch_aligned(16 * LONG * sizeof *x);
  check_at("chain of %d, %s", (int)LONG, batch_name(what));
  ask.b = rows;
  for (int k = 0; k < BATCH_OUTS; k++) ask.out[k] = x;
  assert_status(batch_answer(&ask), LIMB_E_UNSUPPORTED);
  ask.f32 = false, ask.b = lanes, ask.q = ask.v = ask.x = x;
  assert_status(batch_answer(&ask), LIMB_E_UNSUPPORTED);
  ask = batch_ask_for(s, what, false), ask.b = rows, ask.env = &env;
  for (int k = 0; k < BATCH_OUTS; k++) ask.out[k] = x;
  env.nwrench = 1, env.wrench = s->varied;
  const bool loaded =
    batch_moves(what) && what != BATCH_REGRESSOR && what != BATCH_INERTIAL && what != BATCH_CORIOLIS; // wrenches enter
  if (loaded) assert_status(batch_answer(&ask), LIMB_E_UNSUPPORTED);
  free(x);
}

START_TEST(too_large_for_lanes)
{
  static const batch_what whats[] = {BATCH_MASS,      BATCH_MASS_INVERSE, BATCH_CORIOLIS, BATCH_ID_SLOPES,
                                     BATCH_FD_SLOPES, BATCH_REGRESSOR,    BATCH_INERTIAL};
  batch_states s = batch_states_make(robot_chain(LONG), FEW, 1);
  limb_batch_options o = limb_default_batch_options();
  o.layout = LIMB_BATCH_BY_LANE;
  limb_batch *rows = batch_make(s.m, NULL), *lanes = batch_make(s.m, &o);
  limb_data* d = NULL;
  assert_ok(limb_data_create(s.m, NULL, &d));
  for (size_t k = 0; k < sizeof whats / sizeof whats[0]; k++) {
    ask_large(&s, rows, d, whats[k]);
    refuse_large(&s, rows, lanes, whats[k]);
  }
  float* tau = batch_aligned(FEW * LONG * sizeof *tau);
  assert_ok(limb_batch_inverse_dynamics_f32(rows, FEW, s.qf, s.vf, s.af, NULL, tau, NULL));
  free(tau);
  limb_data_destroy(d);
  limb_batch_destroy(rows), limb_batch_destroy(lanes);
  batch_states_free(&s);
}
END_TEST

// One velocity, and so many joints that follow that there is no room for matrices made from others.
static limb_model* many_mimics(void)
{
  limb_builder* b = fixture_begin("many_mimics");
  const sp_inertia rod = limb_inertia_box(1, 0.1, 0.1, 0.5);
  for (int i = 0; i <= LIMB_DERIVATIVES_MAX; i++) {
    char name[24];
    (void)snprintf(name, sizeof name, "b%d", i);
    const int body = fixture_body(b, name, rod);
    limb_joint_def def = limb_default_joint_def(name, LIMB_REVOLUTE, LIMB_WORLD_BODY, body);
    if (i > 0) def.mimic = 0, def.multiplier = 1;
    (void)fixture_joint(b, &def);
  }
  return fixture_end(b);
}

START_TEST(too_many_joints_follow)
{
  limb_model* m = many_mimics();
  limb_batch* b = batch_make(m, NULL);
  const double q[2] = {0.3, 0.4}, v[2] = {1, 2}, a[2] = {3, 4};
  double x[2] = {7, 7}, slope[2] = {7, 7};
  limb_status status[2] = {LIMB_E_IO, LIMB_E_IO};
  assert_ok(limb_batch_mass_matrix_inverse(b, 2, q, x, NULL));
  assert_that(x[0] > 0 && isfinite(x[1]));
  limb_id_derivatives out = {0};
  out.dtau_dq = slope;
  assert_status(limb_batch_inverse_dynamics_derivatives(b, 2, q, v, a, NULL, &out, status), LIMB_E_UNSUPPORTED);
  assert_that(slope[0] == 7 && slope[1] == 7);
  assert_that(status[0] == LIMB_E_IO && status[1] == LIMB_E_IO); // nothing is touched
  limb_batch_destroy(b);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("batch/space", 1, in_memory_of_the_caller, options_that_are_none, memory_that_is_not_there, without_wrenches,
           no_joints, too_large_for_lanes, too_many_joints_follow)
