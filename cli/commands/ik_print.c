// What `limb ik` found, as JSON and text; and why there is no solution.
#include "base/print.h"
#include "commands/ik.h"

#include <math.h>
#include <string.h>

// ---- failures --------------------------------------------------------------------------------------

// "; joint 'elbow' is at its upper limit 1"
static void print_limits(const ik_run* r, FILE* out)
{
  enum { SHOWN = 8 };
  const signed char* limits = limb_ik_limits(r->ik);
  limb_joint_info x;
  int shown = 0;
  for (int j = 0; j < limb_joint_count(r->robot.model) && shown < SHOWN; j++) {
    if (limb_get_joint(r->robot.model, j, &x) != LIMB_OK || x.nv != 1 || limits[x.v] == 0) continue;
    const int upper = limits[x.v] > 0;
    (void)fprintf(out, "; joint '%s' is at its %s limit %.6g", x.def.name, upper ? "upper" : "lower", r->q[x.q]);
    shown++;
  }
}

int ik_explain(const ik_run* r)
{
  char position[IK_POSITION];
  (void)fprintf(stderr, "%s: error: ", r->path ? ik_position(r, position) : limb_reading_source(r->robot.reading));
  (void)fprintf(stderr, "%s", limb_ik_reason_text(r->report.reason));
  for (int k = 0; k < r->frames; k++) {
    limb_ik_result x;
    if (limb_ik_get_result(r->ik, k, &x) != LIMB_OK) continue;
    const sp_vec3 p = x.pose.p;
    const double size = sp_norm3(p);
    (void)fprintf(stderr, "%s frame '%s' stays %.6g m", k ? "," : ":", r->frame[k], x.position);
    if (r->goal[k].task.directions & LIMB_ANGULAR) (void)fprintf(stderr, " and %.6g rad", x.angle);
    (void)fprintf(stderr, " from its target, nearest at %.6g, %.6g, %.6g", cli_clean(p.x, size), cli_clean(p.y, size),
                  cli_clean(p.z, size));
  }
  print_limits(r, stderr);
  if (r->report.reason == LIMB_IK_LOOPS) (void)fprintf(stderr, "; they stay %.3g apart", r->report.loops);
  (void)fprintf(stderr, "; %d start%s, %d iterations\n", r->report.starts, r->report.starts == 1 ? "" : "s",
                r->report.iterations);
  return EXIT_NUMERICAL;
}

// ---- results ---------------------------------------------------------------------------------------

static json_t* limits_json(const ik_run* r)
{
  const signed char* limits = limb_ik_limits(r->ik);
  json_t* list = json_array();
  for (int k = 0; k < r->robot.dofs.nv; k++) {
    if (limits[k] == 0) continue;
    (void)json_array_append_new(list, cli_json_object("joint limit", cli_json_text(r->robot.dofs.v[k].name),
                                                      cli_json_text(limits[k] > 0 ? "upper" : "lower")));
  }
  return list;
}

static json_t* goals_json(const ik_run* r)
{
  json_t* list = json_array();
  for (int k = 0; k < r->frames; k++) {
    limb_ik_result x;
    json_t* one = json_object();
    if (limb_ik_get_result(r->ik, k, &x) == LIMB_OK) {
      const double error[6] = {x.error.w.x, x.error.w.y, x.error.w.z, x.error.v.x, x.error.v.y, x.error.v.z};
      cli_json_set(one, "frame target pose angle position error", cli_json_text(r->frame[k]),
                   cli_json_pose(r->target[k]), cli_json_pose(x.pose), cli_json_number(x.angle),
                   cli_json_number(x.position), cli_json_numbers(6, error));
    }
    (void)json_array_append_new(list, one);
  }
  return list;
}

static int print_json(const ik_run* r, FILE* out)
{
  json_t *x = cli_json_answer(), *list = json_array();
  const limb_ik_report* p = &r->report;
  for (int i = 0; i < r->count; i++)
    (void)json_array_append_new(list, cli_json_numbers(r->robot.dofs.nq, r->q + (size_t)i * (size_t)r->robot.dofs.nq));
  cli_json_set(x, "model solved coordinates configurations", cli_json_text(limb_model_name(r->robot.model)),
               json_boolean(p->reason == LIMB_IK_SOLVED), cli_json_dofs(r->robot.dofs.nq, r->robot.dofs.q, NULL), list);
  if (r->branches == 0)
    cli_json_set(x, "reason iterations starts angle position loops distance goals limits",
                 cli_json_text(limb_ik_reason_text(p->reason)), json_integer(p->iterations), json_integer(p->starts),
                 cli_json_number(p->angle), cli_json_number(p->position), cli_json_number(p->loops),
                 cli_json_number(p->distance), goals_json(r), limits_json(r));
  return cli_json_print(x, out, cli_title(r->args));
}

int ik_print(const ik_run* r, FILE* out)
{
  if (strcmp(r->format, "json") == 0) return print_json(r, out);
  cli_print_configurations(out, r->robot.model, &r->robot.dofs, r->count, r->q);
  return EXIT_FINE;
}
