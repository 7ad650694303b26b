// Files of motors and gearboxes, for sizing: two catalogues, and what drives which joint. docs/for-design.md has the
// keys.
#include "io/reading.h"
#include "io/yaml.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// A number of a motor or gearbox: above zero, at most `max` unless that is zero.
typedef struct motor_key {
  const char* key;
  size_t at;
  const char* unit;
  double max;
} motor_key;

#define AT(member) offsetof(limb_gearmotor, member)

static const motor_key motor_keys[] = {
  {"rated_torque", AT(rated_torque), "N*m", 0}, {"peak_torque", AT(peak_torque), "N*m", 0},
  {"rated_speed", AT(rated_speed), "rad/s", 0}, {"max_speed", AT(max_speed), "rad/s", 0},
  {"inertia", AT(inertia), "kg*m^2", 0},        {0}};

// With a lead the output slides: forces instead of torques.
static const motor_key gearbox_keys[] = {{"ratio", AT(ratio), "%", 0},
                                         {"efficiency", AT(efficiency), "%", 1},
                                         {"inertia", AT(inertia), "kg*m^2", 0},
                                         {"max_speed", AT(input_speed), "rad/s", 0},
                                         {"mean_torque", AT(output_mean), "N*m", 0},
                                         {"peak_torque", AT(output_peak), "N*m", 0},
                                         {"mean_force", AT(output_mean), "N", 0},
                                         {"peak_force", AT(output_peak), "N", 0},
                                         {0}};

static const char motor_words[] = "rated_torque peak_torque rated_speed max_speed inertia rated_curve peak_curve";
static const char gearbox_words[] =
  "ratio lead efficiency inertia max_speed mean_torque peak_torque mean_force peak_force";

enum { POINTS_MAX = 100 }; // of a curve

typedef struct motor_reader {
  limb_reporter report;
  memory_pool* pool;
  const yml_node *motors, *gearboxes;
  int out_of_memory;
} motor_reader;

// ---- catalogues ------------------------------------------------------------------------------------

static int in_range(motor_reader* r, const yml_node* n, double x, double max)
{
  if (x > 0 && (max == 0 || x <= max)) return 1;
  limb_report_error(&r->report, RULE_BAD_VALUE, n->pos,
                    max > 0 ? "%s must be above zero and at most %g" : "%s must be above zero", n->key, max);
  return 0;
}

static void take_numbers(motor_reader* r, const yml_node* map, const motor_key* keys, limb_gearmotor* out)
{
  for (const motor_key* k = keys; k->key; k++) {
    const yml_node* n = limb_yml_get(map, k->key);
    double x = 0, *to = (double*)(void*)((char*)out + k->at);
    if (n && limb_yml_quantity(&r->report, n, k->unit, &x) && in_range(r, n, x, k->max)) *to = x;
  }
}

// [speed, torque] after the point before it, whose speed is `last`; returns 1 if it is one.
static int take_point(motor_reader* r, const yml_node* n, double last, double point[2])
{
  if (n->kind != YML_LIST || n->count != 2) {
    limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "a point of a curve is [speed, torque]: [3000 rpm, 0.5 Nm]");
    return 0;
  }
  if (!limb_yml_quantity(&r->report, n->first, "rad/s", &point[0]) ||
      !limb_yml_quantity(&r->report, n->first->next, "N*m", &point[1]))
    return 0;
  if (point[0] > last && point[1] >= 0) return 1;
  limb_report_error(&r->report, RULE_BAD_VALUE, n->pos,
                    point[1] < 0   ? "the torque of a point is negative"
                    : point[0] < 0 ? "the speed of a point is negative"
                                   : "the speed of a point is not above that of the point before it");
  return 0;
}

// A torque over the speed. torque: the largest that is given beside it, or 0; becomes the largest of the curve.
static void take_curve(motor_reader* r, const yml_node* map, const char* key, double* torque, limb_torque_curve* out)
{
  const yml_node* n = limb_yml_get(map, key);
  double highest = 0, last = -1;
  int count = 0;
  if (!n || !limb_yml_is(&r->report, n, YML_LIST)) return;
  if (n->count < 1 || n->count > POINTS_MAX) {
    limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "%s has 1 to %d points, [speed, torque]", key, POINTS_MAX);
    return;
  }
  double* point = limb_mempool_alloc(r->pool, 2 * (size_t)n->count * sizeof *point);
  if (!point) {
    r->out_of_memory = 1;
    return;
  }
  for (const yml_node* x = n->first; x; x = x->next, count++) {
    if (!take_point(r, x, last, &point[2 * count])) return;
    last = point[2 * count], highest = fmax(highest, point[2 * count + 1]);
  }
  if (!(highest > 0))
    limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "%s has no torque above zero", key);
  else if (*torque > 0 && highest > *torque)
    limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "%s reaches %g N m, which is above the torque of %g N m", key,
                      highest, *torque);
  *torque = highest;
  *out = (limb_torque_curve){count, point};
}

static void take_motor(motor_reader* r, const yml_node* n, limb_gearmotor* out)
{
  if (!limb_yml_is(&r->report, n, YML_MAP)) return;
  limb_yml_check_keys(&r->report, n, motor_words);
  take_numbers(r, n, motor_keys, out);
  double rated = out->rated_torque, peak = out->peak_torque;
  take_curve(r, n, "rated_curve", &rated, &out->rated_curve);
  take_curve(r, n, "peak_curve", &peak, &out->peak_curve);
  if (peak > 0 && rated > peak)
    limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "the rated torque of '%.64s' is above its peak torque",
                      n->key);
  const yml_node* bend = limb_yml_get(n, "rated_speed");
  if (bend && out->rated_curve.count > 0 && out->peak_curve.count > 0)
    limb_report_error(&r->report, RULE_BAD_VALUE, bend->key_pos,
                      "rated_speed has no effect beside rated_curve and peak_curve");
  if (out->max_speed > 0 && out->rated_speed > out->max_speed)
    limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "the rated speed of '%.64s' is above its maximum", n->key);
}

// 1 rev of the motor moves a slide by the lead: N = 2 pi / lead.
static void take_lead(motor_reader* r, const yml_node* map, limb_gearmotor* out)
{
  const yml_node* n = limb_yml_get(map, "lead");
  double x = 0;
  if (!n || !limb_yml_quantity(&r->report, n, "m", &x) || !in_range(r, n, x, 0)) return;
  out->ratio = (out->ratio > 0 ? out->ratio : 1) * 6.283185307179586 / x;
  out->slides = 1;
}

static void take_gearbox(motor_reader* r, const yml_node* n, limb_gearmotor* out)
{
  static const char* const turning[] = {"mean_torque", "peak_torque"};
  static const char* const sliding[] = {"mean_force", "peak_force"};
  if (!limb_yml_is(&r->report, n, YML_MAP)) return;
  limb_yml_check_keys(&r->report, n, gearbox_words);
  take_numbers(r, n, gearbox_keys, out);
  take_lead(r, n, out);
  if (!limb_yml_get(n, "lead")) (void)limb_yml_need(&r->report, n, "ratio");
  for (int k = 0; k < 2; k++) {
    const yml_node* wrong = limb_yml_get(n, out->slides ? turning[k] : sliding[k]);
    if (wrong)
      limb_report_error(&r->report, RULE_BAD_VALUE, wrong->key_pos, "%s is for a gearbox %s a lead: write %s",
                        wrong->key, out->slides ? "without" : "with", out->slides ? sliding[k] : turning[k]);
  }
}

// ---- joints ----------------------------------------------------------------------------------------

// What a joint calls by its name; an unknown name is reported with those that exist.
static const yml_node* named(motor_reader* r, const yml_node* list, const yml_node* n, const char* kind)
{
  const char* name = NULL;
  char all[200] = "";
  size_t used = 0;
  if (!limb_yml_text(&r->report, n, &name)) return NULL;
  const yml_node* found = limb_yml_get(list, name);
  if (found) return found;
  for (const yml_node* x = list ? list->first : NULL; x && used < sizeof all - 1; x = x->next)
    used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : ": there are ", x->key);
  limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "there is no %s '%.64s'%s", kind, name, all);
  return NULL;
}

static void take_joint(motor_reader* r, const yml_node* n, limb_gearmotor* out)
{
  const yml_node *motor = n, *gearbox = NULL;
  *out = (limb_gearmotor){.joint = n->key, .line = n->key_pos.line};
  if (n->kind == YML_MAP) {
    limb_yml_check_keys(&r->report, n, "motor gearbox");
    motor = limb_yml_need(&r->report, n, "motor");
    gearbox = limb_yml_get(n, "gearbox");
  }
  motor = motor ? named(r, r->motors, motor, "motor") : NULL;
  gearbox = gearbox ? named(r, r->gearboxes, gearbox, "gearbox") : NULL;
  if (motor) take_motor(r, motor, out), out->motor = motor->key;
  const double rotor = out->inertia;
  out->inertia = 0;
  if (gearbox) take_gearbox(r, gearbox, out), out->gearbox = gearbox->key;
  out->inertia += rotor;
  if (!isfinite(out->inertia) || !isfinite(out->ratio))
    limb_report_error(&r->report, RULE_BAD_VALUE, n->key_pos, "the inertia or the ratio at '%.64s' is above 1.8e308",
                      n->key);
}

// Catalogue entries that no joint uses are checked as well.
static void check_unused(motor_reader* r, const yml_node* list,
                         void (*take)(motor_reader*, const yml_node*, limb_gearmotor*))
{
  if (!list || !limb_yml_is(&r->report, list, YML_MAP)) return;
  for (const yml_node* x = list->first; x; x = x->next) take(r, x, &(limb_gearmotor){0});
}

limb_status limb_read_motors_yaml(limb_source* src, limb_findings* findings, const limb_gearmotor** out, int* count)
{
  motor_reader r = {.report = {.findings = findings}, .pool = src->pool};
  const yml_node* root = NULL;
  const limb_status status = limb_yaml_parse(src->text, src->size, src->pool, &r.report, &root);
  if (status) return status;
  if (root->kind != YML_MAP) {
    limb_report_error(&r.report, RULE_WRONG_FORMAT, root->pos,
                      "this is not a file of motors: it is a mapping that begins with 'schema: 1'");
    return LIMB_E_SYNTAX;
  }
  limb_yml_check_schema(&r.report, root, "schema", 1, "motors");
  limb_yml_check_keys(&r.report, root, "schema motors gearboxes joints");
  r.motors = limb_yml_get(root, "motors"), r.gearboxes = limb_yml_get(root, "gearboxes");
  check_unused(&r, r.motors, take_motor);
  check_unused(&r, r.gearboxes, take_gearbox);
  const yml_node* joints = limb_yml_need(&r.report, root, "joints");
  if (r.out_of_memory) return LIMB_E_NOMEM;
  if (r.report.errors || !joints || !limb_yml_is(&r.report, joints, YML_MAP)) return LIMB_E_MODEL;
  limb_gearmotor* list = limb_mempool_alloc(src->pool, ((size_t)joints->count + 1) * sizeof *list);
  if (!list) return LIMB_E_NOMEM;
  for (const yml_node* x = joints->first; x; x = x->next) take_joint(&r, x, &list[(*count)++]);
  if (r.out_of_memory) return LIMB_E_NOMEM;
  if (r.report.errors) return LIMB_E_MODEL;
  *out = list;
  return LIMB_OK;
}
