// Runs from C: the same motion as by hand, errors with their position, notes about tables.
#include "limb/runner.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct opened {
  limb_reading* reading;
  limb_model* robot;
  limb_runner* runner;
  limb_error err;
  limb_status status;
} opened;

static void open_with(opened* x, const char* text, const limb_runner_options* o)
{
  *x = (opened){.status = LIMB_OK};
  assert_ok(limb_read_run_text(text, strlen(text), "run.yaml", NULL, &x->reading, &x->err));
  const limb_run* run = limb_reading_run(x->reading);
  limb_read_options how = limb_default_read_options();
  assert_ok(limb_run_model_options(run, &how, &x->err));
  assert_ok(limb_load(run->model.name.text, &how, &x->robot, &x->err));
  x->status = limb_runner_create(run, x->robot, o, &x->runner, &x->err);
}

static void close_stage(opened* x)
{
  limb_runner_destroy(x->runner);
  limb_model_destroy(x->robot);
  limb_reading_destroy(x->reading);
}

// ---- the same as by hand -----------------------------------------------------------------------------------

static limb_status push(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)q;
  tau[1] += 3 * t - 0.5 * v[1];
  return LIMB_OK;
}

START_TEST(as_by_hand)
{
  opened x;
  open_with(&x,
            "schema: 1\nmodel: planar_2r\nstart: {time: 1, q: {joint1: 30deg}, v: {joint2: 2}}\nduration: 0.5\n"
            "inputs: {torques: {joint2: 3*t - 0.5*v.joint2}}\nsolver: {method: rk4, step: 1ms}\n",
            NULL);
  assert_ok(x.status);
  const limb_runner_setup* setup = limb_runner_setup_of(x.runner);
  assert_that(setup->start == 1 && setup->end == 1.5 && setup->max_drift < 0 && setup->conditions == 0);
  limb_sim_options o = limb_default_sim_options(x.robot);
  o.method = LIMB_SIM_RK4, o.step = 1e-3;
  o.work = setup->sim.work;
  limb_sim* sim = NULL;
  const limb_sim_force f = {.force = push};
  assert_ok(limb_sim_create(x.robot, &o, NULL, &sim, NULL));
  assert_ok(limb_sim_add_force(sim, &f));
  assert_ok(limb_sim_start(sim, 1, setup->q, setup->v, NULL));
  assert_ok(limb_runner_start(x.runner, NULL));
  limb_sim_event event;
  limb_sim_state a, b;
  assert_ok(limb_sim_advance(sim, 1.5, &event));
  assert_ok(limb_sim_advance(limb_runner_sim(x.runner), 1.5, &event));
  assert_ok(limb_sim_now(sim, &a));
  assert_ok(limb_sim_now(limb_runner_sim(x.runner), &b));
  assert_close_array(a.q, b.q, 2, 1e-13, 1e-13);
  assert_close_array(a.v, b.v, 2, 1e-13, 1e-13);
  assert_that(setup->q[0] == acos(-1) / 6 && setup->v[1] == 2);
  limb_sim_destroy(sim);
  close_stage(&x);
}
END_TEST

START_TEST(channels)
{
  opened x;
  char name[40];
  double number[3];
  limb_channels* c = NULL;
  limb_sim_state at;
  open_with(&x, "schema: 1\nmodel: planar_2r\nduration: 1\nevents: [{name: low, when: q.joint1 < -10deg}]\n", NULL);
  assert_ok(x.status);
  assert_ok(limb_channels_create(x.robot, &limb_runner_setup_of(x.runner)->sim.env, NULL, &c));
  assert_ok(limb_channels_add(c, "q", &x.err));
  assert_ok(limb_channels_add(c, "total_energy", &x.err));
  assert_that(limb_channels_count(c) == 3);
  limb_channels_name(c, 1, name, sizeof name);
  ck_assert_str_eq(name, "q.joint2");
  ck_assert_str_eq(limb_channels_unit(c, 2), "J");
  assert_that(limb_channels_add(c, "q.joint3", &x.err) == LIMB_E_ARG && *x.err.text);
  assert_ok(limb_runner_start(x.runner, NULL));
  limb_sim_event event;
  assert_ok(limb_sim_advance(limb_runner_sim(x.runner), 1, &event));
  assert_that(event.kind == LIMB_EVENT_CONDITION);
  ck_assert_str_eq(limb_runner_event_name(x.runner, &event), "low");
  assert_ok(limb_sim_now(limb_runner_sim(x.runner), &at));
  assert_ok(limb_channels_read(c, &at, number, NULL));
  assert_close_array(number, at.q, 2, 0, 0);
  assert_close_array(number, (const double[]){-acos(-1) / 18}, 1, 1e-9, 0);
  limb_channels_destroy(c);
  close_stage(&x);
}
END_TEST

// ---- what is wrong -----------------------------------------------------------------------------------------

START_TEST(errors)
{
  static const struct {
    const char *rest, *where, *text;
    int line;
  } all[] = {
    {"duration: 1\nstart: {q: {joint3: 1}}\n", "start.q.joint3", "no joint 'joint3'; did you mean 'joint1'?", 4},
    {"duration: -1\n", "duration", "must not be negative", 3},
    {"duration: 1\nsolver: {step: 0}\n", "solver.step", "must be positive", 4},
    {"duration: 1\nsolver: {method: rk5}\n", "solver.method", "did you mean 'rk4'?", 4},
    {"duration: 1\ninputs: {torques: {joint1: 2*nix}}\n", "inputs.torques.joint1", "nix", 4},
    {"duration: 1\ninputs: {tables: [nowhere.csv]}\n", "inputs.tables", "nowhere.csv", 4},
    {"duration: 1\ncontroller: {type: pd}\n", "controller.type", "pd_gravity", 4},
    {"duration: 1\nstart: {q: {elbow: 1}}\n", "start.q.elbow", "no joint 'elbow'", 4},
    {"duration: 1\nstart: {v: {elbow: 1}}\n", "start.v.elbow", "no joint 'elbow'", 4},
    {"duration: 1\nstart:\n  hold: [elbow]\n", "start.hold", "no joint 'elbow'", 5},
    {"duration: 1\nstart:\n  q: {joint1.px: 1}\n", "start.q.joint1.px", "joint1.px", 5},
    {"duration: 1\ninputs: {motion: {elbow: {constant: 1}}}\n", "elbow", "no joint 'elbow'", 4},
    {"duration: 1\nevents: [{when: 1}]\n", "events", "", 4},
    {"", "", "the duration is missing", 0},
  };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    char text[300];
    opened x;
    (void)snprintf(text, sizeof text, "schema: 1\nmodel: planar_2r\n%s", all[k].rest);
    open_with(&x, text, NULL);
    check_at("%s: %s: %s", all[k].rest, x.err.where, x.err.text);
    assert_that(x.status == LIMB_E_ARG && !x.runner && x.err.line == all[k].line);
    assert_that(strstr(x.err.where, all[k].where) && strstr(x.err.text, all[k].text));
    close_stage(&x);
  }
  assert_that(limb_runner_create(NULL, NULL, NULL, NULL, NULL) == LIMB_E_ARG);
  assert_that(!limb_runner_sim(NULL) && !limb_runner_setup_of(NULL) && !*limb_runner_error(NULL));
  limb_runner_destroy(NULL), limb_channels_destroy(NULL);
}
END_TEST

START_TEST(no_value)
{
  opened x;
  limb_sim_event event;
  open_with(&x, "schema: 1\nmodel: planar_2r\nduration: 1\ninputs: {torques: {joint1: sqrt(0.5 - t)}}\n", NULL);
  assert_ok(x.status);
  assert_ok(limb_runner_start(x.runner, NULL));
  assert_that(limb_sim_advance(limb_runner_sim(x.runner), 1, &event) == LIMB_E_NONFINITE);
  assert_that(limb_runner_error_is_own(x.runner) && strstr(limb_runner_error(x.runner), "sqrt(0.5 - t)"));
  close_stage(&x);
}
END_TEST

// ---- tables ------------------------------------------------------------------------------------------------

typedef struct notes {
  int count[3];
  char text[200];
} notes;

static void take_note(void* context, const char* file, const limb_finding* f)
{
  notes* n = context;
  n->count[f->severity]++;
  (void)snprintf(n->text, sizeof n->text, "%s:%d: %s", file ? file : "", f->line, f->text);
}

START_TEST(tables)
{
  char folder[200], path[220], run[220];
  const char* temporary = getenv("TMPDIR");
  opened x;
  notes n = {0};
  (void)snprintf(folder, sizeof folder, "%s/limb_runner_XXXXXX", temporary ? temporary : "/tmp");
  assert_that(mkdtemp(folder) != NULL);
  (void)snprintf(path, sizeof path, "%s/s.csv", folder);
  (void)snprintf(run, sizeof run, "%s/run.yaml", folder);
  FILE* f = fopen(path, "w");
  assert_that(f && fputs("time,q.joint1,q.joint2,tau.joint2,other\n3,1,2,5,0\n4,2,1,6,0\n", f) > 0 && fclose(f) == 0);
  limb_model* any = NULL;
  assert_ok(limb_load("planar_2r", NULL, &any, NULL));
  limb_runner_options o = limb_default_runner_options(any);
  o.path = run, o.note = take_note, o.context = &n;
  open_with(&x, "schema: 1\nmodel: planar_2r\nduration: 1\nstart: {file: s.csv, row: 2}\ninputs: {tables: [s.csv]}\n",
            &o);
  check_at("%s: %s", x.err.where, x.err.text);
  assert_ok(x.status);
  const limb_runner_setup* setup = limb_runner_setup_of(x.runner);
  assert_that(setup->start == 4 && setup->q[0] == 2 && setup->q[1] == 1);
  assert_that(n.count[LIMB_NOTE] == 1 && strstr(n.text, "s.csv:1: 3 columns are not used"));
  assert_ok(limb_runner_start(x.runner, NULL));
  limb_sim_state at;
  assert_ok(limb_sim_now(limb_runner_sim(x.runner), &at));
  assert_that(at.tau[0] == 0 && at.tau[1] == 6);
  close_stage(&x);
  open_with(&x, "schema: 1\nmodel: planar_2r\nduration: 1\nstart: {file: s.csv, row: 3}\n", &o);
  assert_that(x.status == LIMB_E_ARG && strstr(x.err.text, "has 2 rows"));
  close_stage(&x);
  limb_model_destroy(any);
  (void)remove(path), (void)remove(folder);
}
END_TEST

CHECK_MAIN("sim/runner", 1, as_by_hand, channels, errors, no_value, tables)
