// Loops of a robot, and how it moves with them closed: text and JSON.
//
// Everything is told at the configuration that assembly from the start configuration ends at.
#include "dofs.h"
#include "info.h"

#include <stdlib.h>

enum { SHOWN = 12 }; // names in one line

// ---- the loops -------------------------------------------------------------------------------------

static const char* body_name(const limb_model* m, int body)
{
  limb_body_info x;
  return limb_get_body(m, body, &x) == LIMB_OK ? x.name : "?";
}

static const char* joint_name(const limb_model* m, int joint)
{
  limb_joint_info x;
  return limb_get_joint(m, joint, &x) == LIMB_OK ? x.def.name : "?";
}

static int has_law(const limb_time_law* law)
{
  return law->constant != 0 || law->rate != 0 || law->amplitude != 0 || law->fn != NULL;
}

void info_print_loops(const limb_model* m)
{
  static const char* const names[] = {"loop", "type", "between", "rows", "law"};
  limb_loop_info x;
  int laws = 0;
  if (limb_loop_count(m) == 0) return;
  for (int i = 0; i < limb_loop_count(m); i++) laws |= limb_get_loop(m, i, &x) == LIMB_OK && has_law(&x.def.law);
  cli_table t = cli_table_make(laws ? "lllrl" : "lllr");
  for (int k = 0; k < 4 + laws; k++) cli_cell(&t, "%s", names[k]);
  for (int i = 0; i < limb_loop_count(m); i++) {
    if (limb_get_loop(m, i, &x) != LIMB_OK) continue;
    const int joints = x.def.joint >= 0;
    cli_cell(&t, "%s", x.def.name);
    cli_cell(&t, "%s", limb_loop_kind_name(x.def.kind));
    cli_cell(&t, "%s%s, %s", joints ? "joints " : "", joints ? joint_name(m, x.def.joint) : body_name(m, x.def.body_a),
             joints ? joint_name(m, x.def.other) : body_name(m, x.def.body_b));
    cli_cell(&t, "%d", x.nrow);
    if (laws && has_law(&x.def.law))
      cli_cell(&t, "row %d", x.def.law.row);
    else if (laws)
      cli_cell(&t, "%s", "");
  }
  printf("\n%sloops%s (rows: equations of each)\n", cli_on(stdout, CLI_BOLD), cli_off(stdout, CLI_BOLD));
  cli_table_print(&t, stdout, "  ");
}

static json_t* law_json(const limb_time_law* law)
{
  json_t* r = json_object();
  (void)json_object_set_new(r, "row", json_integer(law->row));
  (void)json_object_set_new(r, "constant", cli_json_number(law->constant));
  (void)json_object_set_new(r, "rate", cli_json_number(law->rate));
  (void)json_object_set_new(r, "amplitude", cli_json_number(law->amplitude));
  (void)json_object_set_new(r, "frequency", cli_json_number(law->frequency));
  (void)json_object_set_new(r, "phase", cli_json_number(law->phase));
  return r;
}

static json_t* end_json(const limb_model* m, int body, sp_pose pose)
{
  json_t* r = cli_json_pose(pose);
  (void)json_object_set_new(r, "body", cli_json_text(body_name(m, body)));
  return r;
}

static json_t* loop_json(const limb_model* m, const limb_loop_info* x)
{
  const limb_loop_def* def = &x->def;
  json_t* r = json_object();
  (void)json_object_set_new(r, "name", cli_json_text(def->name));
  (void)json_object_set_new(r, "type", cli_json_text(limb_loop_kind_name(def->kind)));
  if (def->joint >= 0) {
    (void)json_object_set_new(r, "joint", cli_json_text(joint_name(m, def->joint)));
    (void)json_object_set_new(r, "other", cli_json_text(joint_name(m, def->other)));
    (void)json_object_set_new(r, "coefficients", cli_json_numbers(LIMB_LOOP_COEFFICIENTS, def->coefficient));
  } else {
    (void)json_object_set_new(r, "a", end_json(m, def->body_a, def->pose_a));
    (void)json_object_set_new(r, "b", end_json(m, def->body_b, def->pose_b));
  }
  if (def->kind == LIMB_LOOP_DISTANCE) (void)json_object_set_new(r, "length", cli_json_number(def->length));
  if (def->radius != 0) (void)json_object_set_new(r, "radius", cli_json_number(def->radius));
  (void)json_object_set_new(r, "row", json_integer(x->row));
  (void)json_object_set_new(r, "rows", json_integer(x->nrow));
  (void)json_object_set_new(r, "holonomic", json_integer(x->holonomic));
  if (has_law(&def->law)) (void)json_object_set_new(r, "law", law_json(&def->law));
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
static void print_redundant(const cli_closure* c)
{
  limb_loop_info x;
  int told = 0, all = 0;
  for (int i = 0; i < limb_loop_count(c->model); i++) {
    const int n = cli_redundant_of(c, i);
    if (n == 0 || limb_get_loop(c->model, i, &x) != LIMB_OK || all++ >= SHOWN) continue;
    printf("%s%s (%d of %d)", told++ ? ", " : " in ", x.def.name, n, x.nrow);
  }
  if (all > told) printf(" and %d more", all - told);
}

static void print_still(const cli_closure* c)
{
  cli_dofs d;
  if (c->nstill <= 0 || !cli_dofs_make(c->model, &d)) return;
  printf("  stand still here, whatever moves:");
  for (int k = 0; k < c->nstill && k < SHOWN; k++) printf("%s %s", k ? "," : "", d.v[c->still[k]].name);
  if (c->nstill > SHOWN) printf(" and %d more", c->nstill - SHOWN);
  printf("\n");
  cli_dofs_free(&d);
}

// A condition that is beyond all numbers is "infinite".
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

void info_print_mobility(const cli_closure* c)
{
  const limb_mobility* x = &c->mobility;
  if (limb_loop_count(c->model) == 0) return;
  printf("\n%smobility%s", cli_on(stdout, CLI_BOLD), cli_off(stdout, CLI_BOLD));
  if (!c->closed) {
    printf(": not known, for the loops do not close: loop '%s' stays %.3g apart, at best of %d "
           "tries\n",
           cli_loop_name(c->model, c->report.loop), c->report.residual, c->report.tries);
    return;
  }
  printf(" (at the start configuration, closed to %.1e)\n", c->report.residual);
  printf("  Gruebler counts %d: %d velocities less %d row%s\n", x->gruebler, x->nv, x->rows, s_of(x->rows));
  printf("  truly %d motion%s: rank %d%s\n", x->mobility, s_of(x->mobility), x->rank,
         cli_is_locked(c) ? "; the mechanism is locked" : "");
  printf("  redundant: %d row%s", x->redundant, s_of(x->redundant));
  print_redundant(c);
  if (x->idle > 0) printf("; %d of all rows are idle, no joint ever moves them", x->idle);
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
  print_still(c);
}

// ---- the same for programs -------------------------------------------------------------------------

static json_t* redundant_json(const cli_closure* c)
{
  json_t* r = json_object();
  for (int i = 0; i < limb_loop_count(c->model); i++) {
    const int n = cli_redundant_of(c, i);
    if (n > 0) (void)json_object_set_new(r, cli_loop_name(c->model, i), json_integer(n));
  }
  return r;
}

// null: not known
static json_t* still_json(const cli_closure* c)
{
  cli_dofs d;
  if (c->nstill < 0 || !cli_dofs_make(c->model, &d)) return json_null();
  json_t* r = json_array();
  for (int k = 0; k < c->nstill; k++) (void)json_array_append_new(r, cli_json_text(d.v[c->still[k]].name));
  cli_dofs_free(&d);
  return r;
}

json_t* info_json_mobility(const cli_closure* c)
{
  const limb_mobility* x = &c->mobility;
  json_t* r = json_object();
  (void)json_object_set_new(r, "closed", json_boolean(c->closed));
  (void)json_object_set_new(r, "residual", cli_json_number(c->report.residual));
  (void)json_object_set_new(r, "loop", cli_json_text(cli_loop_name(c->model, c->report.loop)));
  (void)json_object_set_new(r, "q", cli_json_numbers(limb_nq(c->model), c->q));
  if (!c->closed) return r;
  const struct {
    const char* name;
    int value;
  } counts[] = {
    {"rows", x->rows},           {"rank", x->rank},         {"gruebler", x->gruebler},    {"mobility", x->mobility},
    {"redundant", x->redundant}, {"idle", x->idle},         {"active", x->active},        {"passive", x->passive},
    {"driven", x->driven},       {"undriven", x->undriven}, {"overdriven", x->overdriven}};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    (void)json_object_set_new(r, counts[k].name, json_integer(counts[k].value));
  (void)json_object_set_new(r, "redundant_in", redundant_json(c));
  (void)json_object_set_new(r, "condition", cli_json_number(x->condition));
  (void)json_object_set_new(r, "condition_passive", cli_json_number(x->condition_passive));
  (void)json_object_set_new(r, "condition_active", cli_json_number(x->condition_active));
  (void)json_object_set_new(r, "singularity", cli_json_text(cli_singularity_name(x->singularity)));
  (void)json_object_set_new(r, "locked", json_boolean(cli_is_locked(c)));
  (void)json_object_set_new(r, "still", still_json(c));
  return r;
}
