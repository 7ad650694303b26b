// `limb assemble`: which joints of the configurations that were found are outside their limits.
#include "assemble.h"
#include "json.h"

enum { MOST_TOLD = 8 };

// Where joint j is outside its limits at q. Joints with one coordinate have limits, and those that follow
// one.
static int is_beyond(const limb_model* m, int j, const double* q, limb_joint_info* x, double* at)
{
  if (limb_get_joint(m, j, x) != LIMB_OK || (x->nv != 1 && x->def.mimic < 0)) return 0;
  *at = x->multiplier * q[x->q] + x->offset;
  return *at < x->def.q_min || *at > x->def.q_max;
}

static void tell_joint(const assemble_run* r, int row, const limb_joint_info* x, double at)
{
  const char* unit = x->def.type == LIMB_PRISMATIC ? "m" : "rad";
  (void)fprintf(stderr, "%s: %s: ", limb_reading_source(r->robot.reading), r->at.closed ? "warning" : "note");
  if (r->count > 1) (void)fprintf(stderr, "configuration %d: ", row + 1);
  (void)fprintf(stderr, "joint '%s' is at %.6g %s, outside its limits %.6g ... %.6g\n", x->def.name, at, unit,
                x->def.q_min, x->def.q_max);
}

void assemble_tell_limits(const assemble_run* r)
{
  const int joints = limb_joint_count(r->robot.model);
  limb_joint_info x;
  double at = 0;
  int told = 0;
  for (int i = 0; i < (r->count > 0 ? r->count : 1); i++) {
    const double* q = r->q + (size_t)i * (size_t)r->dofs.nq;
    for (int j = 0; j < joints; j++)
      if (is_beyond(r->robot.model, j, q, &x, &at) && told++ < MOST_TOLD) tell_joint(r, i, &x, at);
  }
  const char* name = limb_reading_source(r->robot.reading);
  if (told > MOST_TOLD) (void)fprintf(stderr, "%s: note: so are %d more\n", name, told - MOST_TOLD);
  if (told > 0 && r->at.closed)
    (void)fprintf(stderr, "%s: note: --within-limits looks for configurations without\n", name);
}

json_t* assemble_limits_json(const assemble_run* r, const double* q)
{
  json_t* list = json_array();
  limb_joint_info x;
  double at = 0;
  for (int j = 0; j < limb_joint_count(r->robot.model); j++) {
    if (!is_beyond(r->robot.model, j, q, &x, &at)) continue;
    json_t* one = json_object();
    (void)json_object_set_new(one, "joint", cli_json_text(x.def.name));
    (void)json_object_set_new(one, "position", cli_json_number(at));
    (void)json_object_set_new(one, "lower", cli_json_number(x.def.q_min));
    (void)json_object_set_new(one, "upper", cli_json_number(x.def.q_max));
    (void)json_array_append_new(list, one);
  }
  return list;
}
