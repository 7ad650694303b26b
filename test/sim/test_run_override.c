// Settings put over a run: what replaces, what is added, what is refused.
#include "limb/runner.h"
#include "support/check.h"

#include <string.h>

static const char text[] = "schema: 1\nmodel: planar_2r\nduration: 2\nsolver: {step: 1ms, method: rk4}\n"
                           "inputs: {torques: {joint1: 1, joint2: 2}}\n"
                           "controller: {type: pd_gravity, kp: 5, kd: {joint1: 6}}\n"
                           "events: [{when: energy < 1}]\n"
                           "outputs: [{file: a.csv, channels: [q]}, {plot: a.svg}]\n";

typedef struct opened {
  limb_reading* reading;
  limb_run_override* over;
  const limb_run* run;
  limb_error err;
  limb_status status;
} opened;

static opened put(const limb_run_setting* settings)
{
  opened x = {.status = LIMB_OK};
  assert_ok(limb_read_run_text(text, strlen(text), "run.yaml", NULL, &x.reading, &x.err));
  x.status = limb_run_override_create(limb_reading_run(x.reading), settings, &x.over, &x.err);
  x.run = limb_run_override_run(x.over);
  assert_that((x.status == LIMB_OK) == (x.run != NULL));
  return x;
}

static void finish(opened x)
{
  limb_run_override_destroy(x.over);
  limb_reading_destroy(x.reading);
}

static int same(const limb_run_value* v, const char* expected)
{
  return v->text ? expected && strcmp(v->text, expected) == 0 : !expected;
}

static const limb_run_value* named(const limb_run_values* list, const char* name)
{
  static const limb_run_value none = {0};
  for (int i = 0; i < list->count; i++)
    if (strcmp(list->value[i].name, name) == 0) return &list->value[i];
  return &none;
}

START_TEST(replaces_and_adds)
{
  const limb_run_setting settings[] = {{"end", "7s"},
                                       {"step", "2ms"},
                                       {"baumgarte", "on"},
                                       {"no-friction", ""},
                                       {"torque", "joint2=max(1, 2)*t,'a,b'=3"},
                                       {"controller", "kp.joint2=9,directions=vx vy,rate=1kHz"},
                                       {"stop-at", "energy < 1 ? 1 : 0;; top: q.joint1 > 1"},
                                       {"channels", "v,energy"},
                                       {"output", "b.csv,c.npy"},
                                       {NULL, NULL}};
  opened x = put(settings);
  assert_ok(x.status);
  const limb_run* r = x.run;
  assert_that(same(&r->end, "7s") && same(&r->duration, NULL));
  assert_that(strcmp(r->end.key, "--end") == 0 && strcmp(r->end.name, "end") == 0 && r->end.line == 0);
  assert_that(same(&r->solver.step, "2ms") && same(&r->solver.method, "rk4"));
  assert_that(same(&r->solver.baumgarte, "true") && same(&r->environment.no_friction, "true"));
  assert_that(r->inputs.torques.count == 3 && same(named(&r->inputs.torques, "joint1"), "1"));
  assert_that(same(named(&r->inputs.torques, "joint2"), "max(1, 2)*t"));
  assert_that(strcmp(named(&r->inputs.torques, "a,b")->key, "--torque a,b") == 0);
  assert_that(same(&r->controller.type, "pd_gravity") && same(named(&r->controller.kp, "joint2"), "9"));
  assert_that(r->controller.kp.count == 2 && r->controller.kd.count == 1 && r->controller.directions.count == 2);
  assert_that(r->nevent == 3 && same(&r->event[1].when, "energy < 1 ? 1 : 0") && same(&r->event[1].name, NULL));
  assert_that(same(&r->event[2].name, "top") && same(&r->event[2].when, "q.joint1 > 1"));
  assert_that(same(&r->event[2].action, "stop"));
  assert_that(r->noutput == 3 && same(&r->output[0].plot, "a.svg") && same(&r->output[2].file, "c.npy"));
  for (int i = 0; i < 3; i++) assert_that(r->output[i].channels.count == 2);
  // The run itself is as it was.
  const limb_run* file = limb_reading_run(x.reading);
  assert_that(file->inputs.torques.count == 2 && same(named(&file->inputs.torques, "joint2"), "2"));
  assert_that(file->noutput == 2 && file->nevent == 1 && same(&file->duration, "2") && file->controller.kp.count == 1);
  finish(x);
}
END_TEST

START_TEST(inputs_by_part)
{
  const limb_run_setting settings[] = {{"wrench", "tool.v2.fx=1N,tool.v2.mz=2"},
                                       {"wrench-ref", "body"},
                                       {"motion", "crank.rate=30rpm,crank.constant=1"},
                                       {"torques", "C:\\t.csv:spline"},
                                       {"start", "s.csv:12"},
                                       {"gravity", "0,0,-1.6"},
                                       {NULL, NULL}};
  limb_run_override* over = NULL;
  assert_ok(limb_run_override_create(NULL, settings, &over, NULL));
  const limb_run* r = limb_run_override_run(over);
  assert_that(r->inputs.nwrench == 1 && same(&r->inputs.wrench[0].frame, "tool.v2"));
  assert_that(same(&r->inputs.wrench[0].part[3], "1N") && same(&r->inputs.wrench[0].part[2], "2"));
  assert_that(same(&r->inputs.wrench[0].reference, "body"));
  assert_that(r->inputs.nmotion == 1 && same(&r->inputs.motion[0].rate, "30rpm"));
  assert_that(same(&r->inputs.table[0].file, "C:\\t.csv") && same(&r->inputs.table[0].interpolation, "spline"));
  assert_that(same(&r->start.file, "s.csv") && same(&r->start.row, "12"));
  assert_that(r->environment.gravity.count == 3 && same(&r->environment.gravity.value[2], "-1.6"));
  limb_run_override_destroy(over);
}
END_TEST

START_TEST(refusals)
{
  static const struct {
    limb_run_setting settings[3];
    const char* why; // part of the text
  } cases[] = {
    {{{"stepp", "1"}}, "is not a setting"},
    {{{"step", NULL}}, "has no text"},
    {{{"end", "1"}, {"duration", "1"}}, "exclude each other"},
    {{{"rate", "1"}, {"interval", "1"}}, "exclude each other"},
    {{{"torque", "joint1"}}, "name=formula"},
    {{{"q", "=1"}}, "name=formula"},
    {{{"wrench", "tool.fw=1"}}, "must be named <frame>.fx"},
    {{{"motion", "crank=1"}}, "must be named <joint>.q"},
    {{{"controller", "pd_gravity,kq=1"}}, "is no setting of a controller"},
    {{{"controller", "rate.x=1"}}, "is no setting of a controller"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    limb_run_setting list[4] = {cases[k].settings[0], cases[k].settings[1], {NULL, NULL}, {NULL, NULL}};
    opened x = put(list);
    assert_that(x.status == LIMB_E_ARG && strstr(x.err.text, cases[k].why) != NULL);
    finish(x);
  }
  limb_run_override* over = NULL;
  assert_that(limb_run_override_create(NULL, NULL, &over, NULL) == LIMB_E_ARG && !over);
  assert_that(limb_run_override_create(NULL, cases[0].settings, NULL, NULL) == LIMB_E_ARG);
  limb_run_override_destroy(NULL);
  assert_that(!limb_run_override_run(NULL));
}
END_TEST

CHECK_MAIN("sim/run_override", 1, replaces_and_adds, inputs_by_part, refusals)
