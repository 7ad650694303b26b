// Identification of robots that are known: without noise the parameters come back; with noise they are within their
// standard deviations as often as these promise; logs with faults are named.
#include "estimate/motion.h"

#include <stdio.h>
#include <string.h>

// Of the slide of the SCARA the offset cannot be told from the weight: both are constant.
static const char* const robots[] = {"planar_2r", "ur5", "stanford", "scara", "panda", "tree5", "puma560"};

enum { ROBOTS = sizeof robots / sizeof *robots };

static limb_model* load(const char* name)
{
  limb_model* m = NULL;
  limb_error err = {0};
  assert_status(limb_load(name, NULL, &m, &err), LIMB_OK);
  return m;
}

static void log_motion(limb_ident* x, motion* log, double seconds, double rate, bool measured)
{
  limb_error err = {0};
  for (int i = 0; i < seconds * rate; i++) {
    motion_at(log, i / rate);
    const limb_ident_sample sample = {.time = i / rate, .q = log->q, .v = measured ? log->v : NULL, .tau = log->tau};
    assert_ok(limb_ident_add(x, &sample, &err));
  }
}

static double relative_error(const limb_ident* x, limb_ident_part part)
{
  limb_ident_residual r;
  assert_ok(limb_ident_get_residual(x, -1, part, &r));
  return r.rms / r.torque;
}

// Differentiated and filtered: what is left is that the wide filter takes away from the motion.
START_TEST(parameters_come_back)
{
  if (_i >= ROBOTS) return;
  limb_model* m = load(robots[_i]);
  motion log = motion_make(m, 7 + (uint64_t)_i);
  limb_ident_options o = limb_default_ident_options();
  limb_environment env = limb_default_environment(m);
  env.friction = 0;
  o.env = &env;
  for (int measured = 0; measured < 2; measured++) {
    limb_ident* x = NULL;
    limb_ident_parameter p;
    check_at("%s, velocities %s", robots[_i], measured ? "measured" : "derived");
    assert_ok(limb_ident_create(m, &o, &x));
    log_motion(x, &log, 30, 200, measured);
    assert_ok(limb_ident_fit(x, NULL));
    assert_that(relative_error(x, LIMB_IDENT_VALIDATION) < 1e-4);
    for (int k = 0; _i < 5 && limb_ident_get_parameter(x, k, &p) == LIMB_OK; k++)
      assert_close(p.value, p.model, 1e-2, 3e-2);
    limb_ident_destroy(x);
  }
  motion_end(&log);
  limb_model_destroy(m);
}
END_TEST

// One experiment with noise of known size: how many of the 95 % intervals have the value of the model.
static void draw(const limb_model* m, limb_ident_method method, uint64_t seed, int* inside, int* all)
{
  motion log = motion_make(m, 3);
  limb_ident* x = NULL;
  limb_ident_parameter p;
  limb_ident_options o = limb_default_ident_options();
  limb_environment env = limb_default_environment(m);
  env.friction = log.friction = (int)(seed % 2);
  o.env = &env, o.method = method;
  log.seed = seed, log.noise = 0.5;
  assert_ok(limb_ident_create(m, &o, &x));
  log_motion(x, &log, 40, 100, true);
  assert_ok(limb_ident_fit(x, NULL));
  for (int k = 0; limb_ident_get_parameter(x, k, &p) == LIMB_OK; k++) {
    if (p.verdict == LIMB_IDENT_HIDDEN) continue;
    *inside += fabs(p.value - p.model) < 1.96 * p.std, ++*all;
  }
  limb_ident_destroy(x);
  motion_end(&log);
}

// Few robots and draws unless all effort is asked for. Shares of small robots scatter: their intervals are fewer.
START_TEST(standard_deviations_are_honest)
{
  const limb_ident_method method[] = {LIMB_IDENT_WEIGHTED, LIMB_IDENT_ORDINARY, LIMB_IDENT_LIKELIHOOD};
  if (_i == 0 || _i > CHECK_EFFORT(1, 2, ROBOTS - 2)) return;
  limb_model* m = load(robots[_i]);
  for (int k = 0; k < 3; k++) {
    int inside = 0, all = 0;
    const int draws = CHECK_EFFORT(1, 4, 100);
    for (int i = 0; i < draws; i++) draw(m, method[k], 1000 + (uint64_t)i, &inside, &all);
    const double share = (double)inside / all;
    check_at("%s, method %d: %.1f %% of %d intervals hold", robots[_i], method[k], 100 * share, all);
    if (draws == 100) printf("%s, method %d: %.1f %%\n", robots[_i], method[k], 100 * share);
    assert_that(share > (draws == 100 ? 0.92 : 0.85));
    if (draws == 100) assert_that(share < 0.985); // of few all may hold
  }
  limb_model_destroy(m);
}
END_TEST

// ---- faults of logs ---------------------------------------------------------------------------------------

typedef void spoil_fn(motion* log, int sample);

static void degrees(motion* x, int i) { x->q[2] *= 57.29577951308232, (void)i; }
static void degrees_per_second(motion* x, int i) { x->v[1] *= 57.29577951308232, (void)i; }
static void swapped(motion* x, int i)
{
  const double tau = x->tau[0];
  x->tau[0] = x->tau[1], x->tau[1] = tau, (void)i;
}
static void swapped_rates(motion* x, int i)
{
  const double v = x->v[1];
  x->v[1] = x->v[2], x->v[2] = v, (void)i;
}
static void shifted(motion* x, int i)
{
  for (int j = 5; j > 0; j--) x->tau[j] = x->tau[j - 1];
  x->tau[0] = 0, (void)i;
}
static void constant(motion* x, int i) { x->tau[3] = 4.5, (void)i; }
static void opposite(motion* x, int i) { x->tau[1] = -x->tau[1], (void)i; }
static void millimetres(motion* x, int i) { x->tau[2] *= 1000, (void)i; }

static const struct {
  spoil_fn* spoil;
  const char* sentence;
} faults[] = {
  {degrees, "q.elbow goes from"},
  {degrees_per_second, "times the rate of q.shoulder_lift: one of them is in degrees"},
  {swapped, "tau.shoulder_pan looks like the torque that the model predicts for joint 'shoulder_lift'"},
  {swapped_rates, "v.shoulder_lift is the rate of q.elbow, not of q.shoulder_lift"},
  {shifted, "tau.shoulder_lift looks like the torque that the model predicts for joint 'shoulder_pan'"},
  {constant, "tau.wrist_1 is 4.5 in every sample"},
  {opposite, "tau.shoulder_lift has the opposite sign"},
  {millimetres, "tau.elbow is 1e+03 times what the model predicts"},
};

enum { FAULTS = sizeof faults / sizeof *faults };

static bool has_note(const limb_ident* x, const char* sentence)
{
  const char* note;
  bool found = false;
  for (int k = 0; (note = limb_ident_note(x, k)); k++) {
    if (!found) check_at("%s", note);
    found = found || strstr(note, sentence);
  }
  return found;
}

START_TEST(faults_are_named)
{
  if (_i >= FAULTS) return;
  limb_model* m = load("ur5");
  motion log = motion_make(m, 5);
  limb_ident* x = NULL;
  assert_ok(limb_ident_create(m, NULL, &x));
  for (int i = 0; i < 3000; i++) {
    motion_at(&log, i / 100.0);
    faults[_i].spoil(&log, i);
    assert_ok(limb_ident_add(x, &(limb_ident_sample){.time = i / 100.0, .q = log.q, .v = log.v, .tau = log.tau}, NULL));
  }
  assert_ok(limb_ident_fit(x, NULL));
  assert_that(has_note(x, faults[_i].sentence));
  limb_ident_destroy(x);
  motion_end(&log);
  limb_model_destroy(m);
}
END_TEST

START_TEST(still_joint_is_named)
{
  if (_i) return;
  limb_model* m = load("ur5");
  motion log = motion_make(m, 5);
  limb_ident* x = NULL;
  limb_ident_parameter p;
  memset(log.amplitude[3], 0, sizeof log.amplitude[3]);
  assert_ok(limb_ident_create(m, NULL, &x));
  log_motion(x, &log, 30, 100, true);
  assert_ok(limb_ident_fit(x, NULL));
  assert_that(has_note(x, "joint 'wrist_1' never moves"));
  for (int k = 0; limb_ident_get_parameter(x, k, &p) == LIMB_OK; k++)
    if (strcmp(p.name, "Fv4") == 0) assert_that(p.verdict == LIMB_IDENT_HIDDEN);
  limb_ident_destroy(x);
  motion_end(&log);
  limb_model_destroy(m);
}
END_TEST

START_TEST(bad_calls_are_refused)
{
  if (_i) return;
  limb_model *m = load("planar_2r"), *closed = load("four_bar");
  limb_ident* x = NULL;
  limb_error err;
  double q[2] = {0, 0}, nan[2] = {0, (double)NAN};
  limb_ident_options o = limb_default_ident_options();
  unsigned char unmeasured[8] = {2};
  o.source = unmeasured;
  assert_status(limb_ident_create(closed, &o, &x), LIMB_E_UNSUPPORTED);
  unmeasured[1] = 2;
  assert_status(limb_ident_create(m, &o, &x), LIMB_E_ARG);
  o.source = NULL;
  o.train = 2;
  assert_status(limb_ident_create(m, &o, &x), LIMB_E_ARG);
  assert_ok(limb_ident_create(m, NULL, &x));
  assert_status(limb_ident_fit(x, &err), LIMB_E_ARG);
  assert_that(strstr(err.text, "record some seconds") != NULL);
  assert_ok(limb_ident_add(x, &(limb_ident_sample){.time = 1, .q = q, .v = q, .tau = q}, &err));
  assert_status(limb_ident_add(x, &(limb_ident_sample){.time = 1, .q = q, .v = q, .tau = q}, &err), LIMB_E_ARG);
  assert_that(strstr(err.text, "it runs backwards or stops: 1 s after 1 s") != NULL);
  assert_status(limb_ident_add(x, &(limb_ident_sample){.time = 2, .q = q, .v = NULL, .tau = q}, &err), LIMB_E_ARG);
  assert_status(limb_ident_add(x, &(limb_ident_sample){.time = 2, .q = nan, .v = q, .tau = q}, &err), LIMB_E_NONFINITE);
  assert_that(strcmp(err.where, "joint2") == 0);
  for (int i = 2; i < 4; i++)
    assert_ok(limb_ident_add(x, &(limb_ident_sample){.time = i, .q = q, .v = q, .tau = q}, &err));
  assert_status(limb_ident_fit(x, &err), LIMB_E_ARG);
  assert_that(strstr(err.text, "3 samples are 0 rows") != NULL);
  assert_that(limb_ident_count(x) == 0 && limb_ident_covariance(x) == NULL);
  limb_ident_destroy(x);
  limb_model_destroy(m);
  limb_model_destroy(closed);
}
END_TEST

CHECK_MAIN("ident", FAULTS, parameters_come_back, standard_deviations_are_honest, faults_are_named,
           still_joint_is_named, bad_calls_are_refused)
