// Loops of a robot, and how it moves with them closed: text and JSON.
//
// Mobility is reported at the configuration that assembly from the start configuration finds.
#include "commands/info.h"
#include "robot/robot.h"

#include <stdlib.h>

enum { SHOWN = 12 }; // names in one line

// ---- the loops -------------------------------------------------------------------------------------

static int has_prescribed_motion(const limb_prescribed_motion* law)
{
  return law->constant != 0 || law->rate != 0 || law->amplitude != 0 || law->fn != NULL;
}

void info_print_loops(const limb_model* m)
{
  limb_loop_info x;
  int prescribed = 0;
  if (limb_loop_count(m) == 0) return;
  for (int i = 0; i < limb_loop_count(m); i++)
    prescribed |= limb_get_loop(m, i, &x) == LIMB_OK && has_prescribed_motion(&x.def.motion);
  cli_table t = cli_table_make(prescribed ? "<loop;<type;<between;>constraints;<prescribed motion"
                                          : "<loop;<type;<between;>constraints");
  for (int i = 0; i < limb_loop_count(m); i++) {
    if (limb_get_loop(m, i, &x) != LIMB_OK) continue;
    const int joints = x.def.joint >= 0;
    cli_cell(&t, "%s", x.def.name);
    cli_cell(&t, "%s", limb_loop_kind_name(x.def.kind));
    cli_cell(&t, "%s%s, %s", joints ? "joints " : "",
             joints ? cli_joint_name(m, x.def.joint) : cli_body_name(m, x.def.body_a),
             joints ? cli_joint_name(m, x.def.other) : cli_body_name(m, x.def.body_b));
    cli_cell(&t, "%d", x.nconstraint);
    if (prescribed && has_prescribed_motion(&x.def.motion))
      cli_cell(&t, "of constraint %d", x.def.motion.constraint);
    else if (prescribed)
      cli_cell(&t, "%s", "");
  }
  info_heading("loops");
  printf("\n");
  cli_table_print(&t, stdout, "  ");
}

static json_t* law_json(const limb_prescribed_motion* law)
{
  return cli_json_object("constraint constant rate amplitude frequency phase", json_integer(law->constraint),
                         cli_json_number(law->constant), cli_json_number(law->rate), cli_json_number(law->amplitude),
                         cli_json_number(law->frequency), cli_json_number(law->phase));
}

static json_t* end_json(const limb_model* m, int body, sp_pose pose)
{
  json_t* r = cli_json_pose(pose);
  (void)json_object_set_new(r, "body", cli_json_text(cli_body_name(m, body)));
  return r;
}

static json_t* loop_json(const limb_model* m, const limb_loop_info* x)
{
  const limb_loop_def* def = &x->def;
  json_t* r = cli_json_object("name type", cli_json_text(def->name), cli_json_text(limb_loop_kind_name(def->kind)));
  if (def->joint >= 0) {
    cli_json_set(r, "joint other coefficients", cli_json_text(cli_joint_name(m, def->joint)),
                 cli_json_text(cli_joint_name(m, def->other)),
                 cli_json_numbers(LIMB_LOOP_COEFFICIENTS, def->coefficient));
  } else {
    cli_json_set(r, "a b", end_json(m, def->body_a, def->pose_a), end_json(m, def->body_b, def->pose_b));
  }
  if (def->kind == LIMB_LOOP_DISTANCE) (void)json_object_set_new(r, "length", cli_json_number(def->length));
  if (def->radius != 0) (void)json_object_set_new(r, "radius", cli_json_number(def->radius));
  cli_json_set(r, "constraint constraints holonomic", json_integer(x->constraint), json_integer(x->nconstraint),
               json_integer(x->holonomic));
  if (has_prescribed_motion(&def->motion)) (void)json_object_set_new(r, "law", law_json(&def->motion));
  return r;
}

json_t* info_json_loops(const limb_model* m)
{
  json_t* r = json_array();
  limb_loop_info x;
  for (int i = 0; i < limb_loop_count(m); i++)
    if (limb_get_loop(m, i, &x) == LIMB_OK) (void)json_array_append_new(r, loop_json(m, &x));
  return r;
}

// ---- how it moves ----------------------------------------------------------------------------------

static const char* s_of(int n) { return n == 1 ? "" : "s"; }

// "pin (3 of 5), ball (1 of 3)"
static void print_redundant(const limb_loop_facts* c)
{
  limb_loop_info x;
  int shown = 0, all = 0;
  for (int i = 0; i < limb_loop_count(c->model); i++) {
    const int n = limb_redundant_of(c, i);
    if (n == 0 || limb_get_loop(c->model, i, &x) != LIMB_OK || all++ >= SHOWN) continue;
    printf("%s%s (%d of %d)", shown++ ? ", " : " in ", x.def.name, n, x.nconstraint);
  }
  if (all > shown) printf(" and %d more", all - shown);
}

static void print_still(const info_run* r)
{
  const limb_loop_facts* c = r->closure;
  if (c->still_count <= 0) return;
  printf("  cannot move here:");
  for (int k = 0; k < c->still_count && k < SHOWN; k++)
    printf("%s %s", k ? "," : "", r->robot.dofs.v[c->still[k]].name);
  if (c->still_count > SHOWN) printf(" and %d more", c->still_count - SHOWN);
  printf("\n");
}

static void print_condition(const char* of, double x)
{
  if (isfinite(x))
    printf("%s %.3g", of, x);
  else
    printf("%s infinite", of);
}

static void print_singularity(limb_singularity s)
{
  static const char* const text[] = {
    "regular: no singularity",
    "singular, first kind: some motion of the drives is impossible",
    "singular, second kind: something moves though the active joints are held",
    "singular, both kinds: drives that cannot move, and motion that no drive holds",
    "singular: the loops lose rank here, branches of motion meet",
  };
  const int known = s >= LIMB_REGULAR && s <= LIMB_SINGULAR_CLOSURE;
  printf("  %s\n", known ? text[s] : "?");
}

void info_print_mobility(const info_run* r)
{
  static const double ROUNDING = 1e-12; // loops that can close are closed to that
  const limb_loop_facts* c = r->closure;
  if (!c) return;
  const limb_mobility* x = &c->mobility;
  info_heading("mobility");
  if (!c->closed) {
    printf(": not known, because the loops do not close: loop '%s' stays %.3g apart, at best of %d starts\n",
           cli_loop_name(c->model, c->report.loop), c->report.residual, c->report.starts);
    return;
  }
  printf(" (at the start configuration, closed to %.1e", c->report.residual);
  if (c->report.residual > ROUNDING) printf("; %.1e may stay open", limb_model_loop_tolerance(c->model));
  printf(")\n");
  printf("  Gruebler counts %d: %d velocities less %d constraint%s\n", x->gruebler, x->nv, x->constraints,
         s_of(x->constraints));
  printf("  actual mobility %d: rank %d%s\n", x->mobility, x->rank,
         limb_is_locked(c) ? "; the mechanism is locked" : "");
  printf("  redundant: %d constraint%s", x->redundant, s_of(x->redundant));
  print_redundant(c);
  if (x->idle > 0) printf("; %d of all constraints are idle: no joint ever moves them", x->idle);
  printf("\n  motors: %d active, %d passive velocities; %d of %d motion%s driven, %d undriven; "
         "%d motor%s in excess\n",
         x->active, x->passive, x->driven, x->mobility, s_of(x->mobility), x->undriven, x->overdriven,
         s_of(x->overdriven));
  printf("  conditions:");
  print_condition(" of the loops", x->condition);
  print_condition(", of their passive joints", x->condition_passive);
  print_condition(", of the drives", x->condition_active);
  printf("\n");
  print_singularity(x->singularity);
  print_still(r);
}

// ---- the same for programs -------------------------------------------------------------------------

static json_t* redundant_json(const limb_loop_facts* c)
{
  json_t* r = json_object();
  for (int i = 0; i < limb_loop_count(c->model); i++) {
    const int n = limb_redundant_of(c, i);
    if (n > 0) (void)json_object_set_new(r, cli_loop_name(c->model, i), json_integer(n));
  }
  return r;
}

// null: not known
static json_t* still_json(const info_run* run)
{
  const limb_loop_facts* c = run->closure;
  if (c->still_count < 0) return json_null();
  json_t* r = json_array();
  for (int k = 0; k < c->still_count; k++)
    (void)json_array_append_new(r, cli_json_text(run->robot.dofs.v[c->still[k]].name));
  return r;
}

json_t* info_json_mobility(const info_run* run)
{
  const limb_loop_facts* c = run->closure;
  const limb_mobility* x = &c->mobility;
  json_t* r =
    cli_json_object("closed residual loop q", json_boolean(c->closed), cli_json_number(c->report.residual),
                    cli_json_text(cli_loop_name(c->model, c->report.loop)), cli_json_numbers(limb_nq(c->model), c->q));
  if (!c->closed) return r;
  const struct {
    const char* name;
    int value;
  } counts[] = {
    {"constraints", x->constraints}, {"rank", x->rank},         {"gruebler", x->gruebler},    {"mobility", x->mobility},
    {"redundant", x->redundant},     {"idle", x->idle},         {"active", x->active},        {"passive", x->passive},
    {"driven", x->driven},           {"undriven", x->undriven}, {"overdriven", x->overdriven}};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    (void)json_object_set_new(r, counts[k].name, json_integer(counts[k].value));
  cli_json_set(r, "redundant_in condition condition_passive condition_active singularity locked still",
               redundant_json(c), cli_json_number(x->condition), cli_json_number(x->condition_passive),
               cli_json_number(x->condition_active), cli_json_text(limb_singularity_name(x->singularity)),
               json_boolean(limb_is_locked(c)), still_json(run));
  return r;
}
