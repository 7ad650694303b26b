// Run files: every key arrives with its place, every mistake is found with its line, and no text does harm.
#include "limb/run.h"
#include "limb/runner.h"

#include "io/faults.h"
#include "support/check.h"

static limb_reading* read_good(const limb_run** run)
{
  limb_reading* r = NULL;
  limb_error err = {0};
  const limb_status s = limb_read_run(LIMB_TEST_DIR "/io/run_good.yaml", NULL, &r, &err);
  if (s) print_findings(r);
  assert_ok(s);
  *run = limb_reading_run(r);
  ck_assert_ptr_nonnull(*run);
  ck_assert_ptr_null(limb_reading_builder(r));
  ck_assert_int_eq(limb_findings_count(limb_reading_findings(r)), 0);
  return r;
}

static void expect(const limb_run_value* v, const char* text, const char* key, int line, int column)
{
  check_at("%s: '%s' at %d:%d", key, v->text ? v->text : "nothing", v->line, v->column);
  ck_assert_ptr_nonnull(v->text);
  ck_assert_str_eq(v->text, text);
  ck_assert_str_eq(v->key, key);
  ck_assert_int_eq(v->line, line);
  ck_assert_int_eq(v->column, column);
}

START_TEST(how_the_model_is_read)
{
  static const char text[] =
    "schema: 1\nmodel: {name: arm.xacro, args: ['hand:=true', 'id:=left'], package_path: [a, /b],\n"
    "  any_file: true, srdf: arm.srdf, model_name: left}\nduration: 1\n";
  limb_reading* r = NULL;
  limb_read_options o = limb_default_read_options();
  assert_ok(limb_read_run_text(text, sizeof text - 1, "runs/fall.yaml", NULL, &r, NULL));
  const limb_run* run = limb_reading_run(r);
  assert_ok(limb_run_model_options(run, &o, NULL));
  assert_that(strcmp(o.xacro_arguments[0], "hand:=true") == 0 && strcmp(o.xacro_arguments[1], "id:=left") == 0);
  assert_that(!o.xacro_arguments[2] && strcmp(o.package_path, "runs/a:/b") == 0 && o.any_file);
  assert_that(strcmp(o.srdf, "runs/arm.srdf") == 0 && strcmp(o.model_name, "left") == 0);
  o = limb_default_read_options();
  o.package_path = "/mine"; // an option overrides the run
  assert_ok(limb_run_model_options(run, &o, NULL));
  assert_that(strcmp(o.package_path, "/mine") == 0);
  limb_reading_destroy(r);
  static const char bad[] = "schema: 1\nmodel: {name: arm.xacro, args: [hand=true]}\nduration: 1\n";
  assert_status(limb_read_run_text(bad, sizeof bad - 1, "fall.yaml", NULL, &r, NULL), LIMB_E_MODEL);
  assert_that(has_finding(r, "bad-value", 2, NULL));
  limb_reading_destroy(r);
}
END_TEST

START_TEST(sections)
{
  const limb_run* run;
  limb_reading* r = read_good(&run);
  expect(&run->title, "Everything that a run file can say", "title", 2, 8);
  expect(&run->model.name, "arm.urdf", "model.name", 3, 15);
  expect(&run->model.mimic, "false", "model.mimic", 3, 48);
  ck_assert_int_eq(run->environment.gravity.count, 3);
  expect(&run->environment.gravity.value[2], "-9.81", "environment.gravity", 4, 31);
  ck_assert_str_eq(run->environment.gravity.value[2].name, "z");
  expect(&run->environment.coulomb_width, "1e-3", "environment.coulomb_width", 4, 73);
  ck_assert_int_eq(run->start.q.count, 3);
  expect(&run->start.q.value[1], "1 mm", "start.q.slide & grip", 7, 40);
  ck_assert_str_eq(run->start.q.value[1].name, "slide & grip");
  ck_assert_str_eq(run->start.q.value[2].name, "base.qw");
  expect(&run->start.v.value[0], "30 deg/s", "start.v.elbow", 8, 14);
  expect(&run->start.row, "3", "start.row", 10, 8);
  ck_assert_int_eq(run->start.hold.count, 2);
  ck_assert_str_eq(run->start.hold.value[1].name, "elbow");
  expect(&run->duration, "10 s", "duration", 13, 11);
  ck_assert_ptr_null(run->end.text);
  expect(&run->solver.method, "implicit", "solver.method", 15, 11);
  expect(&run->solver.work, "true", "solver.work", 31, 9);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(inputs)
{
  const limb_run* run;
  limb_reading* r = read_good(&run);
  const limb_run_inputs* in = &run->inputs;
  ck_assert_int_eq(in->torques.count, 2);
  expect(&in->torques.value[0], "2 Nm * sin(2*pi*t)", "inputs.torques.elbow", 34, 12);
  ck_assert_int_eq(in->ntable, 2);
  ck_assert_str_eq(in->table[0].file.text, "torques.csv");
  ck_assert_str_eq(in->table[1].interpolation.text, "hold");
  ck_assert_int_eq(in->nwrench, 2);
  expect(&in->wrench[0].part[3], "5 N", "inputs.wrenches.fx", 40, 25);
  ck_assert_str_eq(in->wrench[0].part[2].text, "-0.1*body.tool.wz");
  ck_assert_ptr_null(in->wrench[1].part[3].text);
  ck_assert_int_eq(in->nmotion, 3);
  ck_assert_str_eq(in->motion[0].name, "crank");
  ck_assert_str_eq(in->motion[0].rate.text, "30 rpm");
  ck_assert_str_eq(in->motion[1].a.text, "0");
  ck_assert_str_eq(in->motion[2].file.text, "door.csv");
  limb_reading_destroy(r);
}
END_TEST

START_TEST(control_events_outputs)
{
  const limb_run* run;
  limb_reading* r = read_good(&run);
  const limb_run_controller* c = &run->controller;
  ck_assert_str_eq(c->type.text, "impedance");
  ck_assert_int_eq(c->kp.count, 1);
  ck_assert_str_eq(c->kp.value[0].name, "");
  expect(&c->kp.value[0], "500", "controller.kp", 52, 7);
  ck_assert_int_eq(c->kd.count, 2);
  ck_assert_str_eq(c->kd.value[1].name, "linear");
  ck_assert_str_eq(c->directions.value[2].text, "vz");
  expect(&c->q.value[0], "0.2*sin(t)", "controller.reference.q.elbow", 61, 16);
  ck_assert_int_eq(c->orientation.count, 4);
  ck_assert_str_eq(c->velocity.value[4].name, "vy");
  ck_assert_int_eq(run->nevent, 2);
  expect(&run->event[0].when, "q.elbow > 90deg", "events", 70, 5);
  ck_assert_str_eq(run->event[1].action.text, "stop");
  ck_assert_int_eq(run->noutput, 4);
  ck_assert_str_eq(run->output[0].file.text, "states.npy");
  ck_assert_int_eq(run->output[1].channels.count, 3);
  ck_assert_str_eq(run->output[1].directions.value[1].text, "vy");
  ck_assert_str_eq(run->output[2].channels.value[0].text, "energy");
  ck_assert_str_eq(run->output[3].animation.text, "out.html");
  limb_reading_destroy(r);
}
END_TEST

// ---- mistakes --------------------------------------------------------------------------------------------

typedef struct mistake {
  const char *text, *rule;
  int line;
  const char* says;
} mistake;

static const mistake mistakes[] = {
  {"", "empty-file", 0, "empty"},
  {"- 1\n", "wrong-format", 1, "begins with 'schema: 1'"},
  {"model: ur5\n", "missing-key", 1, "the first line of a run file must be 'schema: 1'"},
  {"schema: 2\nmodel: ur5\n", "unsupported", 1, "schema 2"},
  {"schema: one\nmodel: ur5\n", "bad-number", 1, "schema"},
  {"schema: 1\n", "missing-key", 1, "'model' is missing"},
  {"schema: 1\nmodel: {base: fixed}\n", "missing-key", 2, "'name' is missing"},
  {"schema: 1\nmodel: ur5\nslover: {}\n", "unknown-key", 3, "did you mean 'solver'?"},
  {"schema: 1\nmodel: ur5\nsolver: {stp: 1}\n", "unknown-key", 3, "did you mean 'step'?"},
  {"schema: 1\nmodel: ur5\nsolver: {closed: kkt}\n", "unknown-key", 3, "'closed' is now 'loop_method'"},
  {"schema: 1\nmodel: ur5\nstart: {keep: [a]}\n", "unknown-key", 3, "'keep' is now 'hold'"},
  {"schema: 1\nmodel: ur5\nsolver: 3\n", "bad-value", 3, "a mapping"},
  {"schema: 1\nmodel: ur5\nduration: 1\nend: 2\n", "bad-value", 4, "exclude each other"},
  {"schema: 1\nmodel: ur5\nduration: [1]\n", "bad-value", 3, "must be a single value"},
  {"schema: 1\nmodel: ur5\nstart: {q: [1, 2]}\n", "bad-value", 3, "a mapping"},
  {"schema: 1\nmodel: ur5\nstart: {q: {a: }}\n", "bad-value", 3, "a must be a single value"},
  {"schema: 1\nmodel: ur5\nstart: {row: 2}\n", "missing-key", 3, "'file' is missing"},
  {"schema: 1\nmodel: ur5\nenvironment: {gravity: [0, 0]}\n", "wrong-count", 3, "3 entries: x y z"},
  {"schema: 1\nmodel: ur5\ninputs: {torque: {}}\n", "unknown-key", 3, "did you mean 'torques'?"},
  {"schema: 1\nmodel: ur5\ninputs: {tables: a.csv}\n", "bad-value", 3, "a list"},
  {"schema: 1\nmodel: ur5\ninputs: {tables: [{}]}\n", "missing-key", 3, "'file' is missing"},
  {"schema: 1\nmodel: ur5\ninputs: {wrenches: [{fx: 1}]}\n", "missing-key", 3, "'frame' is missing"},
  {"schema: 1\nmodel: ur5\ninputs: {motion: {a: {}}}\n", "missing-key", 3, "motion of 'a' is empty"},
  {"schema: 1\nmodel: ur5\ninputs: {motion: {a: 3}}\n", "bad-value", 3, "a mapping"},
  {"schema: 1\nmodel: ur5\ncontroller: {kp: 3}\n", "missing-key", 3, "'type' is missing"},
  {"schema: 1\nmodel: ur5\ncontroller: {type: x, reference: {orientation: [1]}}\n", "wrong-count", 3,
   "4 entries: x y z w; found 1"},
  {"schema: 1\nmodel: ur5\nevents: [{name: a}]\n", "missing-key", 3, "'when' is missing"},
  {"schema: 1\nmodel: ur5\noutputs: [{channels: [q]}]\n", "missing-key", 3, "'file', 'plot' or 'animation'"},
  {"schema: 1\nmodel: ur5\noutputs: [{file: a.csv, plot: b.svg}]\n", "bad-value", 3, "exclude"},
  {"schema: 1\nmodel: ur5\noutputs: [{file: a.csv, rate: 1, interval: 1}]\n", "bad-value", 3, "exclude"},
  {"schema: 1\nmodel: ur5\noutputs: [{animation: a.svg, channels: [q]}]\n", "bad-value", 3, "has no channels"},
  {"schema: 1\nschema: 1\nmodel: ur5\n", "duplicate-key", 2, "schema"},
  {"schema: 1\nmodel: &a ur5\n", "unsupported", 2, "anchor"},
  {"schema: 1\nmodel: [ur5\n", "syntax", 0, ""},
};

START_TEST(faulty)
{
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    const mistake* m = &mistakes[i];
    limb_reading* r = NULL;
    limb_error err = {0};
    limb_finding f = {.text = ""};
    check_at("%s", m->text);
    const limb_status s = limb_read_run_text(m->text, strlen(m->text), "run", NULL, &r, &err);
    const limb_finding* found = find_finding(r, m->rule, m->line, NULL, &f);
    if (!found || !strstr(f.text, m->says)) print_findings(r);
    assert_that(s == LIMB_E_MODEL || s == LIMB_E_SYNTAX);
    ck_assert_ptr_nonnull(found);
    ck_assert_ptr_nonnull(strstr(f.text, m->says));
    ck_assert_ptr_null(limb_reading_run(r));
    assert_that(err.status == s && *err.text);
    limb_reading_destroy(r);
  }
}
END_TEST

// Cut off anywhere, or with a byte changed: a run, or errors; never both, never a crash.
static void any_text(const char* text, size_t size)
{
  limb_reading* r = NULL;
  const limb_status s = limb_read_run_text(text, size, "run", NULL, &r, NULL);
  const int errors = limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR);
  assert_that((s == LIMB_OK) == (errors == 0));
  assert_that((s == LIMB_OK) == (limb_reading_run(r) != NULL));
  limb_reading_destroy(r);
}

START_TEST(damaged)
{
  size_t size = 0;
  char* text = file_text("run_good.yaml", &size);
  const size_t step = CHECK_SANITIZED ? 7 : 1;
  for (size_t n = 0; n < size; n += step) any_text(text, n);
  for (size_t i = 0; i < size; i += step) {
    const char was = text[i];
    for (const char* c = "{[:-\n#x"; *c; c++) {
      text[i] = *c;
      any_text(text, size);
    }
    text[i] = was;
  }
  free(text);
}
END_TEST

START_TEST(arguments)
{
  limb_reading* r = NULL;
  limb_read_options small = limb_default_read_options();
  small.max_bytes = 5;
  assert_status(limb_read_run(NULL, NULL, &r, NULL), LIMB_E_ARG);
  assert_status(limb_read_run("", NULL, &r, NULL), LIMB_E_ARG);
  assert_status(limb_read_run("x", NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_read_run_text(NULL, 3, "x", NULL, &r, NULL), LIMB_E_ARG);
  assert_status(limb_read_run("/no/such/file", NULL, &r, NULL), LIMB_E_IO);
  limb_reading_destroy(r);
  assert_status(limb_read_run(LIMB_TEST_DIR, NULL, &r, NULL), LIMB_E_IO);
  limb_reading_destroy(r);
  assert_status(limb_read_run(LIMB_TEST_DIR "/io/run_good.yaml", &small, &r, NULL), LIMB_E_IO);
  assert_that(has_finding(r, "too-large", 0, NULL));
  limb_reading_destroy(r);
  ck_assert_ptr_null(limb_reading_run(NULL));
  ck_assert_int_eq(limb_is_run_file(LIMB_TEST_DIR "/io/run_good.yaml"), 1);
  ck_assert_int_eq(limb_is_run_file(LIMB_TEST_DIR "/io/yaml_good.limb.yaml"), 0);
  ck_assert_int_eq(limb_is_run_file(LIMB_TEST_DIR), 0);
  ck_assert_int_eq(limb_is_run_file("/no/such/file"), 0);
  ck_assert_int_eq(limb_is_run_file(NULL), 0);
}
END_TEST

// A model is no run, and a run is no model.
START_TEST(other_files)
{
  limb_reading* r = NULL;
  assert_status(limb_read_run(LIMB_TEST_DIR "/io/yaml_good.limb.yaml", NULL, &r, NULL), LIMB_E_MODEL);
  limb_reading_destroy(r);
  assert_status(limb_read(LIMB_TEST_DIR "/io/run_good.yaml", NULL, &r, NULL), LIMB_E_MODEL);
  ck_assert_ptr_null(limb_reading_run(r));
  limb_reading_destroy(r);
}
END_TEST

START_TEST(out_of_memory)
{
  size_t size = 0;
  char* text = file_text("run_good.yaml", &size);
  limb_status s = LIMB_E_NOMEM;
  for (long n = 0; n < 2000 && s != LIMB_OK; n++) {
    purse p = {n, 0};
    const limb_allocator alloc = {purse_alloc, purse_free, &p};
    limb_read_options opt = limb_default_read_options();
    limb_reading* r = NULL;
    opt.alloc = &alloc;
    check_at("%ld allocations", n);
    s = limb_read_run_text(text, size, "run", &opt, &r, NULL);
    assert_that(s == LIMB_OK || s == LIMB_E_NOMEM);
    limb_reading_destroy(r);
    ck_assert_int_eq(p.held, 0);
  }
  assert_ok(s);
  free(text);
}
END_TEST

CHECK_MAIN("run files", 1, sections, how_the_model_is_read, inputs, control_events_outputs, faulty, damaged, arguments,
           other_files, out_of_memory)
