// Files of motors and gearboxes: units, what a faulty file is refused for, with line and reason.
#include "support/check.h"

#include "limb/read.h"

#include <math.h>
#include <string.h>

static const char good[] =
  "schema: 1\n"
  "motors:\n"
  "  m: {rated_torque: 0.5 Nm, peak_torque: 1.5, rated_speed: 3000 rpm, max_speed: 500 rad/s,\n"
  "      inertia: 50 g*cm^2}\n"
  "  servo:\n"
  "    rated_curve: [[0, 0.4 Nm], [300, 0.2]]\n"
  "    peak_curve:\n"
  "      - [0 rpm, 1.2 Nm]\n"
  "      - [3000 rpm, 1.2]\n"
  "      - [5400 rpm, 300 mNm]\n"
  "gearboxes:\n"
  "  g: {ratio: 100, efficiency: 75 %, inertia: 1e-6, max_speed: 6000 rpm, mean_torque: 20 Nm,\n"
  "      peak_torque: 40 Nm}\n"
  "  screw: {lead: 5 mm, mean_force: 2 kN}\n"
  "joints:\n"
  "  elbow: {motor: m, gearbox: g}\n"
  "  slide: {motor: m, gearbox: screw}\n"
  "  wrist: m\n"
  "  hand: servo\n";

static limb_status read(const char* text, limb_reading** r)
{
  limb_error err = {0};
  return limb_read_motors_text(text, strlen(text), "motors.yaml", NULL, r, &err);
}

START_TEST(numbers)
{
  const double pi = 3.14159265358979323846;
  limb_reading* r = NULL;
  assert_ok(read(good, &r));
  const limb_gearmotor *elbow = limb_reading_motor(r, 0), *slide = limb_reading_motor(r, 1),
                       *wrist = limb_reading_motor(r, 2);
  assert_that(elbow && slide && wrist && !limb_reading_motor(r, 4) && !limb_reading_motor(r, -1));
  assert_that(strcmp(elbow->joint, "elbow") == 0 && strcmp(elbow->motor, "m") == 0 && strcmp(elbow->gearbox, "g") == 0);
  assert_that(elbow->line == 16 && !elbow->slides && slide->slides && !wrist->gearbox && wrist->ratio == 0);
  assert_that(elbow->rated_torque == 0.5 && elbow->peak_torque == 1.5 && elbow->max_speed == 500);
  assert_close(elbow->rated_speed, 100 * pi, 1e-15, 0);
  assert_close(elbow->inertia, 5e-6 + 1e-6, 1e-15, 0);
  assert_close(elbow->efficiency, 0.75, 1e-15, 0);
  assert_that(elbow->ratio == 100 && elbow->output_mean == 20 && elbow->output_peak == 40);
  assert_close(elbow->input_speed, 200 * pi, 1e-15, 0);
  assert_close(slide->ratio, 2 * pi / 5e-3, 1e-15, 0);
  assert_close(slide->output_mean, 2000, 1e-15, 0);
  const limb_torque_curve rated = limb_reading_motor(r, 3)->rated_curve, peak = limb_reading_motor(r, 3)->peak_curve;
  const double all[] = {0, 0.4, 300, 0.2, 0, 1.2, 100 * pi, 1.2, 180 * pi, 0.3};
  assert_that(elbow->rated_curve.count == 0 && rated.count == 2 && peak.count == 3);
  for (int k = 0; k < 4; k++) assert_close(rated.point[k], all[k], 1e-15, 0);
  for (int k = 0; k < 6; k++) assert_close(peak.point[k], all[4 + k], 1e-15, 0);
  assert_that(!limb_reading_builder(r) && !limb_reading_motor(NULL, 0));
  limb_reading_destroy(r);
}
END_TEST

// What is found, the first of it with its line.
static void refused(const char* text, const char* reason, int line)
{
  limb_reading* r = NULL;
  limb_finding x;
  assert_that(read(text, &r) != LIMB_OK);
  assert_that(limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR) > 0 && !limb_reading_motor(r, 0));
  int found = 0;
  for (int k = 0; limb_findings_get(limb_reading_findings(r), k, &x) == LIMB_OK; k++)
    found |= x.line == line && strstr(x.text, reason) != NULL;
  check_at("%s", text);
  assert_that(found);
  limb_reading_destroy(r);
}

START_TEST(mistakes)
{
#define HEAD "schema: 1\nmotors:\n"
#define TAIL "joints: {a: m}\n"
  refused("", "empty", 0);
  refused("- 1\n", "not a file of motors", 1);
  refused("motors: {}\njoints: {}\n", "schema: 1", 1);
  refused("schema: 2\njoints: {}\n", "supports 1", 1);
  refused(HEAD "  m: {}\n", "'joints' is missing", 1);
  refused(HEAD "  m: {rated_tork: 1}\n" TAIL, "unknown key 'rated_tork'", 3);
  refused(HEAD "  m: {rated_torque: 1 rpm}\n" TAIL, "a torque", 3);
  refused(HEAD "  m: {max_speed: 1 Nm}\n" TAIL, "an angular velocity", 3);
  refused(HEAD "  m: {max_speed: 50 Hz}\n" TAIL, "an angular velocity", 3);
  refused(HEAD "  m: {rated_torque: -1}\n" TAIL, "above zero", 3);
  refused(HEAD "  m: {rated_torque: .nan}\n" TAIL, "a number", 3);
  refused(HEAD "  m: {max_speed: .inf}\n" TAIL, "a number", 3);
  refused(HEAD "  m: {inertia: -.Inf}\n" TAIL, "a number", 3);
  refused(HEAD "  m: {peak_curve: [[0, 1], [.INF, 2]]}\n" TAIL, "a number", 3);
  refused(HEAD "  m: {peak_curve: 3}\n" TAIL, "a list", 3);
  refused(HEAD "  m: {peak_curve: []}\n" TAIL, "1 to 100 points", 3);
  refused(HEAD "  m: {peak_curve: [1, 2]}\n" TAIL, "[speed, torque]", 3);
  refused(HEAD "  m: {peak_curve: [[1, 2, 3]]}\n" TAIL, "[speed, torque]", 3);
  refused(HEAD "  m: {peak_curve: [[1 Nm, 2]]}\n" TAIL, "an angular velocity", 3);
  refused(HEAD "  m: {peak_curve: [[1, 2 rpm]]}\n" TAIL, "a torque", 3);
  refused(HEAD "  m:\n    peak_curve:\n    - [1, 2]\n    - [1, 2]\n" TAIL, "not above that of the point before", 6);
  refused(HEAD "  m: {peak_curve: [[-1, 2]]}\n" TAIL, "speed of a point is negative", 3);
  refused(HEAD "  m: {peak_curve: [[1, -2]]}\n" TAIL, "torque of a point is negative", 3);
  refused(HEAD "  m: {peak_curve: [[1, 0], [2, 0]]}\n" TAIL, "no torque above zero", 3);
  refused(HEAD "  m: {peak_curve: [[1, 3]], peak_torque: 2}\n" TAIL, "above the torque of 2 N m", 3);
  refused(HEAD "  m: {rated_curve: [[1, 3]], peak_curve: [[1, 2]]}\n" TAIL, "above its peak", 3);
  refused(HEAD "  m: {rated_curve: [[1, 1]], peak_curve: [[1, 2]], rated_speed: 1}\n" TAIL, "no effect", 3);
  refused(HEAD "  m: {rated_torque: 3, peak_torque: 2}\n" TAIL, "above its peak", 3);
  refused(HEAD "  m: {rated_speed: 3, max_speed: 2}\n" TAIL, "above its maximum", 3);
  refused(HEAD "  m: 3\n" TAIL, "a mapping", 3);
  refused(HEAD "  m: {}\njoints: {a: n}\n", "no motor 'n': there are m", 4);
  refused(HEAD "  m: {}\njoints: {a: {motor: m, gearbox: g}}\n", "no gearbox 'g'", 4);
  refused(HEAD "  m: {}\njoints: {a: {gearbox: g}}\n", "'motor' is missing", 4);
  refused(HEAD "  m: {}\ngearboxes: {g: {efficiency: 0.5}}\n" TAIL, "'ratio' is missing", 4);
  refused(HEAD "  m: {}\ngearboxes: {g: {ratio: 3, efficiency: 120 %}}\n" TAIL, "at most 1", 4);
  refused(HEAD "  m: {}\ngearboxes: {g: {lead: 1e-300, ratio: 1e300}}\njoints: {a: {motor: m, gearbox: g}}\n",
          "above 1.8e308", 5);
  refused(HEAD "  m: {}\ngearboxes: {g: {ratio: 0}}\n" TAIL, "above zero", 4);
  refused(HEAD "  m: {}\ngearboxes: {g: {ratio: 3 mm}}\n" TAIL, "a number without unit", 4);
  refused(HEAD "  m: {}\ngearboxes: {g: {lead: 3mm, peak_torque: 1}}\n" TAIL, "write peak_force", 4);
  refused(HEAD "  m: {}\ngearboxes: {g: {ratio: 3, mean_force: 1}}\n" TAIL, "write mean_torque", 4);
}
END_TEST

// A file that is cut anywhere is refused, or says less; nothing crashes.
START_TEST(truncated)
{
  for (size_t n = 0; n < sizeof good; n++) {
    limb_reading* r = NULL;
    const limb_status s = limb_read_motors_text(good, n, "cut", NULL, &r, NULL);
    assert_that((s == LIMB_OK) == (limb_reading_motor(r, 0) != NULL));
    limb_reading_destroy(r);
  }
  limb_reading* r = NULL;
  assert_status(limb_read_motors("/nowhere/motors.yaml", NULL, &r, NULL), LIMB_E_IO);
  limb_reading_destroy(r);
  assert_status(limb_read_motors(NULL, NULL, &r, NULL), LIMB_E_ARG);
}
END_TEST

CHECK_MAIN("motors", 1, numbers, mistakes, truncated)
