// `limb eval --format json`: one object, with what the answers rest on and an array of one object per row.
#include "base/command.h"
#include "base/output.h"
#include "base/print.h"
#include "eval/eval.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int json_failed(const eval_run* r) { return cli_unwritten(cli_title(r->args), "the JSON", "unknown error"); }

// ---- what the answers rest on ----------------------------------------------------------------------

static json_t* joint_names(const limb_model* m)
{
  json_t* r = json_array();
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    if (limb_get_joint(m, j, &info) != LIMB_OK || info.nv == 0) continue;
    (void)json_array_append_new(r, cli_json_text(info.def.name));
  }
  return r;
}

// Labels along an axis of the first item that has all of it.
static void add_labels(const eval_run* r, json_t* out, const char* key, limb_quantity_axis axis)
{
  for (int i = 0; i < r->count; i++) {
    limb_item item;
    if (limb_evaluator_get(r->e, i, &item) != LIMB_OK) continue;
    for (int a = 0; a < item.rank; a++) {
      if (item.axis[a] != axis) continue;
      json_t* labels = json_array();
      for (size_t k = 0; k < item.length[a]; k++)
        (void)json_array_append_new(labels, cli_json_text(limb_evaluator_label(r->e, i, a, k)));
      (void)json_object_set_new(out, key, labels);
      return;
    }
  }
}

// "a" or "tau" for each velocity.
static json_t* given_names(const cli_given* given, int nv)
{
  json_t* r = json_array();
  for (int k = 0; k < nv; k++)
    (void)json_array_append_new(r, cli_json_text(given->mark[k] == LIMB_ACCELERATION_GIVEN ? "a" : "tau"));
  return r;
}

static void add_axes(const eval_run* r, json_t* out)
{
  const unsigned needs = limb_evaluator_needs(r->e);
  const cli_given *given = eval_given(r, 0), *base = eval_given(r, 1);
  if (needs & LIMB_NEEDS_DIRECTIONS) (void)json_object_set_new(out, "damping", cli_json_number(r->options.damping));
  if (needs & LIMB_NEEDS_DT) (void)json_object_set_new(out, "dt", cli_json_number(r->options.dt));
  if (given) (void)json_object_set_new(out, "given", given_names(given, r->robot.dofs.nv));
  if (base) (void)json_object_set_new(out, "base_given", given_names(base, r->robot.dofs.nv));
  add_labels(r, out, "coordinates", LIMB_AXIS_Q);
  add_labels(r, out, "constraints", LIMB_AXIS_CONSTRAINT);
  add_labels(r, out, "base_dofs", LIMB_AXIS_FLOATING);
  add_labels(r, out, "arm_dofs", LIMB_AXIS_ARM);
  add_labels(r, out, "directions", LIMB_AXIS_TASK);
  add_labels(r, out, "parameters", LIMB_AXIS_PARAMETER);
  add_labels(r, out, "base_parameters", LIMB_AXIS_BASE);
  add_labels(r, out, "stacked", LIMB_AXIS_STACKED);
  add_labels(r, out, "independent_dofs", LIMB_AXIS_INDEPENDENT);
  add_labels(r, out, "geometry_parameters", LIMB_AXIS_GEOMETRY);
}

static json_t* json_head(const eval_run* r)
{
  const limb_model* m = r->robot.model;
  json_t* out = cli_json_answer();
  cli_json_set(out, "model gravity friction coulomb_width mimic base frame ref joints dofs nq nv",
               cli_json_text(limb_model_name(m)), cli_json_vec3(r->robot.env.gravity),
               json_boolean(r->robot.env.friction), cli_json_number(r->robot.env.coulomb_width),
               json_boolean(!cli_has(r->args, "no-mimic")), cli_json_text(cli_base_name(m, &r->robot.dofs)),
               cli_json_text(eval_frame_name(r)), cli_json_text(limb_ref_text(r->options.ref)), joint_names(m),
               cli_json_dofs(r->robot.dofs.nv, r->robot.dofs.v, NULL), json_integer(r->robot.dofs.nq),
               json_integer(r->robot.dofs.nv));
  if (limb_loop_count(m) > 0) (void)json_object_set_new(out, "tree", json_boolean(r->options.tree));
  add_axes(r, out);
  return out;
}

// The object without its closing brace: the results follow.
static int json_begin(eval_run* r)
{
  errno = 0;
  json_t* head = json_head(r);
  char* text = json_dumps(head, JSON_REAL_PRECISION(17));
  json_decref(head);
  const size_t length = text ? strlen(text) : 0;
  const int fine =
    length > 1 && fwrite(text, 1, length - 1, r->out) == length - 1 && fputs(",\n\"results\": [", r->out) >= 0;
  free(text);
  return fine ? EXIT_FINE : json_failed(r);
}

// ---- numbers ---------------------------------------------------------------------------------------

// Prints and frees. 1, or 0.
static int put(const eval_run* r, json_t* value)
{
  const int fine = value && json_dumpf(value, r->out, JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY) == 0;
  json_decref(value);
  return fine;
}

static int put_text(const eval_run* r, const char* text) { return fputs(text, r->out) >= 0; }

static int put_pose(const eval_run* r, const double** x)
{
  json_t* out = cli_json_object("position quaternion rotation", cli_json_numbers(3, *x), cli_json_numbers(4, *x + 3),
                                cli_json_matrix(3, 3, *x + 7));
  *x += 16;
  return put(r, out);
}

// The numbers from an axis on, *x being the first of them and then what follows. Axes of fields, joints, loops and
// bodies are objects, others arrays. Only the last axis is held in memory as JSON.
static int put_from(const eval_run* r, int i, const limb_item* item, int axis, const double** x)
{
  const limb_quantity_axis kind = axis < item->rank ? item->axis[axis] : LIMB_AXIS_NONE;
  const size_t n = axis < item->rank ? item->length[axis] : 1;
  const int keyed =
    kind == LIMB_AXIS_FIELD || kind == LIMB_AXIS_JOINT || kind == LIMB_AXIS_LOOP || kind == LIMB_AXIS_BODY;
  const int last = axis + 1 >= item->rank;
  if (kind == LIMB_AXIS_POSE && n == 16) return put_pose(r, x);
  if (kind == LIMB_AXIS_NONE) return put(r, cli_json_number(*(*x)++));
  if (last && !keyed) {
    const double* first = *x;
    *x += n;
    return put(r, cli_json_numbers((int)n, first));
  }
  int fine = put_text(r, keyed ? "{" : "[");
  for (size_t k = 0; k < n && fine; k++) {
    if (k > 0) fine = put_text(r, ", ");
    if (keyed) fine = fine && put(r, cli_json_text(limb_evaluator_label(r->e, i, axis, k))) && put_text(r, ": ");
    if (fine && last) fine = put(r, cli_json_number(*(*x)++));
    if (fine && !last) fine = put_from(r, i, item, axis + 1, x);
  }
  return fine && put_text(r, keyed ? "}" : "]");
}

// The key of an item: its name, with the labels that were selected.
static int put_key(const eval_run* r, int i, const limb_item* item)
{
  char name[CLI_NAME_SPACE];
  if (item->rank == 0 && limb_evaluator_column(r->e, i, 0, name, sizeof name) > 0)
    return put(r, cli_json_text(name)) && put_text(r, ": ");
  return put(r, cli_json_text(item->name)) && put_text(r, ": ");
}

static int json_row(eval_run* r)
{
  const cli_states* states = &r->states;
  errno = 0;
  int fine = put_text(r, states->count > 1 ? ",\n{" : "\n{");
  if (r->time_first) fine = fine && put_text(r, "\"time\": ") && put(r, cli_json_number(states->time));
  for (int i = 0; i < r->count && fine; i++) {
    limb_item item;
    fine = limb_evaluator_get(r->e, i, &item) == LIMB_OK;
    const double* x = r->x + (fine ? item.offset : 0);
    if (i > 0 || r->time_first) fine = fine && put_text(r, ", ");
    fine = fine && put_key(r, i, &item) && put_from(r, i, &item, 0, &x);
  }
  return fine && put_text(r, "}") ? EXIT_FINE : json_failed(r);
}

static int json_end(eval_run* r)
{
  errno = 0;
  return fputs("\n]}\n", r->out) >= 0 ? EXIT_FINE : json_failed(r);
}

// What was computed so far stays readable, with the reason why it is not all.
static int json_fail(eval_run* r, int code)
{
  const cli_states* states = &r->states;
  json_t* out = cli_json_object("exit file line text", json_integer(code), cli_json_text(states->path),
                                json_integer(states->line), cli_json_text(states->error));
  errno = 0;
  const int fine = fputs("\n],\n\"error\": ", r->out) >= 0 && json_dumpf(out, r->out, JSON_REAL_PRECISION(17)) == 0 &&
                   fputs("}\n", r->out) >= 0;
  json_decref(out);
  return fine ? EXIT_FINE : json_failed(r);
}

const eval_printer eval_json = {"json", json_begin, json_row, json_end, json_fail, LIMB_TABLE_NONE};
