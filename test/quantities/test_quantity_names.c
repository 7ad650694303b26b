// The grammar of names, shapes, labels, columns and units; many states; memory.
#include "quantities/station.h"
#include "support/budget.h"
#include "support/watch.h"

#include <math.h>

// ---- names ----------------------------------------------------------------------------------------------

static void column_is(const station* t, int item, size_t entry, const char* want)
{
  char text[200];
  assert_that(limb_evaluator_column(t->e, item, entry, text, sizeof text) == strlen(want));
  ck_assert_str_eq(text, want);
}

START_TEST(selection)
{
  station t;
  station_open(&t, "ur5", NULL);
  const int nv = t.nv;
  limb_item i = station_ask(&t, "M");
  double M[36];
  memcpy(M, t.x, sizeof M);
  assert_that(i.rank == 2 && i.length[0] == (size_t)nv && i.length[1] == (size_t)nv);
  i = station_ask(&t, "M.elbow");
  assert_that(i.rank == 1 && i.size == (size_t)nv);
  assert_close_array(t.x, M + 2 * nv, nv, 0, 0);
  column_is(&t, 0, 1, "M.elbow.shoulder_lift");
  i = station_ask(&t, "M.elbow.wrist_1");
  assert_that(i.rank == 0 && i.size == 1 && t.x[0] == M[2 * nv + 3]);
  column_is(&t, 0, 0, "M.elbow.wrist_1");
  ck_assert_str_eq(limb_evaluator_unit(t.e, 0, 0), "kg m^2");
  i = station_ask(&t, "energy.kinetic");
  assert_that(i.rank == 0);
  ck_assert_str_eq(limb_evaluator_unit(t.e, 0, 0), "J");
  limb_frame_info frame;
  assert_ok(limb_get_frame(t.m, t.frame, &frame));
  char name[200], want[220];
  (void)snprintf(name, sizeof name, "velocity@body.%s.vx", frame.name);
  i = station_ask(&t, name);
  assert_that(i.rank == 0 && i.ref == LIMB_BODY && i.frame == t.frame);
  column_is(&t, 0, 0, name);
  ck_assert_str_eq(limb_evaluator_unit(t.e, 0, 0), "m/s");
  (void)snprintf(name, sizeof name, "pose.%s", frame.name);
  (void)snprintf(want, sizeof want, "%s.position.y", name);
  i = station_ask(&t, name);
  column_is(&t, 0, 1, want);
  i = station_ask(&t, "pose.position");
  assert_that(i.rank == 1 && i.size == 3);
  ck_assert_str_eq(limb_evaluator_label(t.e, 0, 0, 2), "position.z");
  i = station_ask(&t, "pose.Rzz"); // a former label
  column_is(&t, 0, 0, "pose.rotation.zz");
  i = station_ask(&t, "reactions.elbow.fz");
  ck_assert_str_eq(limb_evaluator_unit(t.e, 0, 0), "N");
  i = station_ask(&t, "A.q.elbow");
  assert_that(i.rank == 1 && i.size == 2 * (size_t)nv);
  i = station_ask(&t, "A.q"); // all that begin so
  assert_that(i.rank == 2 && i.length[0] == (size_t)nv);
  station_end(&t);
}
END_TEST

START_TEST(groups_and_notes)
{
  station t;
  station_open(&t, "space_arm", NULL);
  limb_item i = station_ask(&t, "v.base");
  assert_that(i.rank == 1 && i.size == 6);
  assert_close_array(t.x, t.v, 6, 0, 0);
  column_is(&t, 0, 5, "v.base.vz");
  ck_assert_str_eq(limb_evaluator_unit(t.e, 0, 5), "m/s");
  i = station_ask(&t, "q.base.qw");
  ck_assert_str_eq(limb_evaluator_unit(t.e, 0, 0), "");
  i = station_ask(&t, "pos");
  ck_assert_str_eq(i.quantity->name, "position");
  column_is(&t, 0, 0, "pos.x");
  station_end(&t);
  station_open(&t, "four_bar", NULL);
  i = station_ask(&t, "acc");
  column_is(&t, 0, 0, "acc.theta1");
  i = station_ask(&t, "lambda");
  assert_that(i.size == 2);
  station_end(&t);
}
END_TEST

START_TEST(refusals)
{
  static const struct {
    const char *name, *says;
    limb_status status;
  } wrong[] = {
    {"vellocity", "did you mean 'velocity'?", LIMB_E_ARG},
    {"zzzzz", "there is no quantity 'zzzzz'", LIMB_E_ARG},
    {"M@body", "no reference", LIMB_E_ARG},
    {"J@tool", "none of @body, @world and @aligned", LIMB_E_ARG},
    {"M.nobody", "there is no 'nobody' in 'M'", LIMB_E_ARG},
    {"M.elbow.wrist_1.x", "2 axes", LIMB_E_ARG},
    {"total_energy.x", "one number", LIMB_E_ARG},
    {"lambda", "of robots with loops, and 'ur5' has none", LIMB_E_UNSUPPORTED},
    {"base_acc", "moving base", LIMB_E_UNSUPPORTED},
    {"tau", "needs a, which is not known here", LIMB_E_ORDER},
    {"hybrid", "needs a or tau", LIMB_E_ORDER},
    {"Ad", "needs tau", LIMB_E_ORDER},
    {"", "no quantity ''", LIMB_E_ARG},
  };
  station t;
  limb_error err;
  limb_evaluator_options o = limb_default_evaluator_options();
  o.known = LIMB_NEEDS_Q | LIMB_NEEDS_V;
  station_open(&t, "ur5", &o);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    check_at("%s: %s", wrong[k].name, err.text);
    assert_status(limb_evaluator_add(t.e, wrong[k].name, NULL, NULL, &err), wrong[k].status);
    check_at("%s: %s", wrong[k].name, err.text);
    ck_assert_ptr_nonnull(strstr(err.text, wrong[k].says));
    assert_that(limb_evaluator_count(t.e) == 0);
  }
  limb_evaluator_destroy(t.e);
  o = limb_default_evaluator_options();
  assert_ok(limb_evaluator_create(t.m, &o, NULL, &t.e));
  assert_status(limb_evaluator_add(t.e, "J", NULL, NULL, &err), LIMB_E_ARG);
  ck_assert_ptr_nonnull(strstr(err.text, "name it, as in J.<frame>"));
  assert_status(limb_evaluator_add(t.e, "J.tol", NULL, NULL, &err), LIMB_E_ARG);
  ck_assert_ptr_nonnull(strstr(err.text, "no frame 'tol'"));
  assert_status(limb_evaluator_add(NULL, "M", NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_evaluator_run(t.e, NULL, t.x), LIMB_E_ARG);
  o.frame = 1000;
  limb_evaluator* e = NULL;
  assert_status(limb_evaluator_create(t.m, &o, NULL, &e), LIMB_E_ARG);
  assert_status(limb_evaluator_create(NULL, NULL, NULL, &e), LIMB_E_ARG);
  station_end(&t);
}
END_TEST

// What fails is NaN, the rest is computed, and the reason is told.
START_TEST(failure)
{
  station t;
  limb_error err;
  station_open(&t, "ur5", NULL);
  memset(t.q, 0, sizeof t.q); // stretched out
  assert_ok(limb_evaluator_add(t.e, "Lambda", NULL, NULL, &err));
  assert_ok(limb_evaluator_add(t.e, "M", NULL, NULL, &err));
  assert_status(limb_evaluator_run(t.e, &t.s, t.x), LIMB_E_SINGULAR);
  assert_that(isnan(t.x[0]) && isfinite(t.x[36]));
  assert_that(limb_evaluator_failure(t.e, &err) == 0);
  ck_assert_str_eq(err.where, "Lambda");
  ck_assert_ptr_nonnull(strstr(err.text, "cannot move in all of its 6 directions"));
  t.s.v = NULL;
  assert_ok(limb_evaluator_add(t.e, "C", NULL, NULL, &err));
  limb_evaluator_keep(t.e, 3);
  assert_that(limb_evaluator_run(t.e, &t.s, t.x) != LIMB_OK);
  station_end(&t);
}
END_TEST

START_TEST(everything)
{
  static const char* const robot[] = {"ur5", "four_bar", "space_arm", "elastic2r", "cart_pole"};
  for (size_t k = 0; k < sizeof robot / sizeof *robot; k++) {
    station t;
    int count = 0;
    limb_error err;
    station_open(&t, robot[k], NULL);
    assert_ok(limb_evaluator_add(t.e, "all", NULL, &count, &err));
    assert_that(count > 30);
    assert_that(limb_evaluator_width(t.e) < STATION_NUMBERS);
    const limb_status done = limb_evaluator_run(t.e, &t.s, t.x);
    assert_that(done == LIMB_OK || done == LIMB_E_SINGULAR);
    for (int i = 0; i < count; i++) {
      limb_item item;
      assert_ok(limb_evaluator_get(t.e, i, &item));
      assert_that(item.from_all);
      check_at("%s: %s", robot[k], item.name);
      for (int axis = 0; axis < item.rank; axis++)
        for (size_t j = 0; j < item.length[axis]; j++) assert_that(limb_evaluator_label(t.e, i, axis, j) != NULL);
      // The task has more directions than some robots have velocities.
      if (!(item.quantity->needs & LIMB_NEEDS_DIRECTIONS) && item.size > 0) assert_that(!isnan(t.x[item.offset]));
    }
    station_end(&t);
  }
}
END_TEST

// A simulation has forces and accelerations, and formulas of inputs have neither.
START_TEST(simulated)
{
  limb_evaluator_options o = limb_default_evaluator_options();
  station t;
  o.tau_is_given = 1;
  station_open(&t, "ur5", &o);
  (void)station_ask(&t, "tau");
  assert_close_array(t.x, t.tau, t.nv, 0, 0);
  assert_that(limb_evaluator_needs(t.e) == LIMB_NEEDS_TAU);
  (void)station_ask(&t, "body");
  station_end(&t);
}
END_TEST

// ---- many states ----------------------------------------------------------------------------------------

START_TEST(many)
{
  static const char* const robot[] = {"ur5", "space_arm", "four_bar", "hand"};
  static const char* const name[] = {"tau",    "acc", "M",   "Minv", "h",    "g",      "dtau_dq",  "dtau_dv",
                                     "J@body", "C",   "M.0", "com",  "pose", "energy", "reactions"};
  enum { N = 13, NAMES = sizeof name / sizeof *name };
  for (size_t k = 0; k < 2 * sizeof robot / sizeof *robot; k++) {
    station t;
    limb_threads* threads = NULL;
    limb_evaluator_options o = limb_default_evaluator_options();
    double* out[NAMES] = {NULL};
    if (k % 2) assert_ok(limb_threads_create(2, NULL, &threads));
    o.pool = limb_threads_pool(threads);
    station_open(&t, robot[k / 2], &o);
    int items = 0;
    for (int i = 0; i < NAMES; i++) items += limb_evaluator_add(t.e, name[i], NULL, NULL, NULL) == LIMB_OK;
    assert_that(items == NAMES - 1); // no joint is called 0
    double *q = calloc((size_t)(N * t.nq), sizeof *q), *v = calloc((size_t)(3 * N * t.nv), sizeof *v), f[N][6];
    assert_that(q && v);
    double *a = v + N * t.nv, *tau = a + N * t.nv;
    rng r = {3};
    for (int i = 0; i < N; i++) {
      memcpy(q + i * t.nq, t.q, (size_t)t.nq * sizeof *q);
      for (int j = 0; j < t.nv; j++) { // multiples of a motion that closes the loops
        v[i * t.nv + j] = t.nc > 0 ? t.v[j] : (1 + 0.1 * i) * t.v[j];
        a[i * t.nv + j] = t.a[j], tau[i * t.nv + j] = (1 + i) * t.tau[j];
      }
      rng_fill(&r, 1, 6, f[i]);
    }
    for (int i = 0; i < items; i++) {
      limb_item item;
      assert_ok(limb_evaluator_get(t.e, i, &item));
      assert_that((out[i] = calloc(N * item.size + 1, sizeof **out)) != NULL);
    }
    const limb_batch_wrench wrench = {t.frame, LIMB_BODY, &f[0][0], NULL};
    const limb_states states = {
      .n = N, .q = q, .v = v, .a = a, .tau = tau, .env = &t.env, .nwrench = 1, .wrench = &wrench};
    limb_status status[N];
    assert_ok(limb_evaluator_run_many(t.e, &states, out, status));
    for (int i = 0; i < N; i++) {
      const limb_wrench both[] = {t.wrench,
                                  {t.frame, LIMB_BODY, {{f[i][0], f[i][1], f[i][2]}, {f[i][3], f[i][4], f[i][5]}}}};
      limb_environment env = t.env;
      env.nwrench = 2, env.wrench = both;
      const limb_state one = {
        .q = q + i * t.nq, .v = v + i * t.nv, .a = a + i * t.nv, .tau = tau + i * t.nv, .env = &env};
      assert_that(status[i] == LIMB_OK);
      assert_ok(limb_evaluator_run(t.e, &one, t.x));
      for (int j = 0; j < items; j++) {
        limb_item item;
        assert_ok(limb_evaluator_get(t.e, j, &item));
        check_at("%s: %s, state %d", robot[k / 2], item.name, i);
        assert_close_array(out[j] + (size_t)i * item.size, t.x + item.offset, (int)item.size, 1e-11, 1e-11);
      }
    }
    // A state that fails harms no other.
    q[3 * t.nq] = (double)NAN;
    assert_status(limb_evaluator_run_many(t.e, &states, out, status), LIMB_E_NONFINITE);
    assert_that(status[3] == LIMB_E_NONFINITE && status[2] == LIMB_OK && status[4] == LIMB_OK);
    assert_that(isnan(out[0][3 * t.nv]) && isfinite(out[0][4 * t.nv]));
    for (int i = 0; i < items; i++) free(out[i]);
    free(q), free(v);
    station_end(&t);
    limb_threads_destroy(threads);
  }
}
END_TEST

// ---- memory ---------------------------------------------------------------------------------------------

START_TEST(no_allocation)
{
#if CAN_WATCH
  static const char* const robot[] = {"ur5", "four_bar", "space_arm"};
  for (size_t k = 0; k < sizeof robot / sizeof *robot; k++) {
    station t;
    station_open(&t, robot[k], NULL);
    assert_ok(limb_evaluator_add(t.e, "all", NULL, NULL, NULL));
    calls = 0, watching = 1;
    const limb_status s = limb_evaluator_run(t.e, &t.s, t.x);
    watching = 0;
    (void)s;
    check_at("%s: %ld calls", robot[k], calls);
    assert_that(calls == 0);
    station_end(&t);
  }
#endif
}
END_TEST

static void* plain_alloc(void* context, size_t size, size_t align)
{
  (void)context;
  return aligned_alloc(align, (size + align - 1) / align * align);
}

static void plain_free(void* context, void* memory, size_t size)
{
  (void)context, (void)size;
  free(memory);
}

START_TEST(out_of_memory)
{
  static const char* const name[] = {"M", "tau", "theta_base", "Y", "lambda", "dacc_dq", "acc"};
  limb_model* m = NULL;
  assert_ok(limb_load("four_bar", NULL, &m, NULL));
  for (int left = 0, done = 0; !done; left++) {
    budget b = {{plain_alloc, plain_free, NULL}, left, 0};
    const limb_allocator alloc = {budget_alloc, budget_free, &b};
    limb_evaluator* e = NULL;
    limb_status s = limb_evaluator_create(m, NULL, &alloc, &e);
    for (size_t k = 0; k < sizeof name / sizeof *name && s == LIMB_OK; k++) {
      s = limb_evaluator_add(e, name[k], NULL, NULL, NULL);
      if (s == LIMB_E_UNSUPPORTED) s = LIMB_OK; // Y: trees
    }
    done = s == LIMB_OK;
    check_at("%d allocations", left);
    assert_that(s == LIMB_OK || s == LIMB_E_NOMEM);
    limb_evaluator_destroy(e);
    assert_that(b.live == 0);
  }
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("quantity_names", 1, selection, groups_and_notes, refusals, failure, everything, simulated, many,
           no_allocation, out_of_memory)
