// `limb eval --format json`: one object, with what the answers rest on and an array of one object per row.
#include "cli.h"
#include "eval.h"
#include "json.h"
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static json_t* dof_names(const cli_dofs* d)
{
  json_t* r = json_array();
  for (int k = 0; k < d->nv; k++) (void)json_array_append_new(r, cli_json_text(d->v[k].name));
  return r;
}

// Names along an axis of the first quantity that has it.
static void add_names(const eval_sheet* s, json_t* r, const char* key, eval_axis axis)
{
  for (int i = 0; i < s->count; i++) {
    const eval_quantity* e = s->quantity[i];
    for (int a = 0; a < eval_rank(e); a++) {
      if (e->axes[a] != axis) continue;
      json_t* names = json_array();
      const size_t n = eval_length(e, s->run, a);
      for (size_t k = 0; k < n; k++) {
        char text[600];
        eval_index_name(e, s->run, a, k, text, sizeof text);
        (void)json_array_append_new(names, cli_json_text(text));
      }
      (void)json_object_set_new(r, key, names);
      return;
    }
  }
}

// "a" or "tau" for each degree of freedom.
static json_t* given_names(const cli_given* given, int nv)
{
  json_t* r = json_array();
  for (int k = 0; k < nv; k++)
    (void)json_array_append_new(r, cli_json_text(given->mark[k] == LIMB_ACCELERATION_GIVEN ? "a" : "tau"));
  return r;
}

// What else the answers rest on, where they do.
static void add_axes(const eval_sheet* s, json_t* r)
{
  const unsigned of = eval_of(s);
  if (of & OF_TASK) (void)json_object_set_new(r, "damping", cli_json_number(s->run->task_options.damping));
  if (of & OF_STEP) (void)json_object_set_new(r, "dt", cli_json_number(s->run->dt));
  const cli_states* t = s->run->states;
  const int nv = s->run->dofs->nv;
  if (t->given.mark) (void)json_object_set_new(r, "given", given_names(&t->given, nv));
  if (t->base.mark) (void)json_object_set_new(r, "base_given", given_names(&t->base, nv));
  add_names(s, r, "coordinates", AXIS_Q);
  add_names(s, r, "active_dofs", AXIS_ACTIVE);
  add_names(s, r, "rows", AXIS_ROW);
  add_names(s, r, "base_dofs", AXIS_FLOATING);
  add_names(s, r, "arm_dofs", AXIS_ARM);
  add_names(s, r, "directions", AXIS_TASK);
  add_names(s, r, "parameters", AXIS_PARAMETER);
  add_names(s, r, "base_parameters", AXIS_BASE);
}

// Quantities that loops have no part in, of a robot that has some.
static json_t* tree_names(const eval_sheet* s)
{
  json_t* r = json_array();
  for (int i = 0; i < s->count; i++)
    if (eval_tree_only(s, i)) (void)json_array_append_new(r, cli_json_text(s->quantity[i]->name));
  return r;
}

static json_t* json_head(const eval_sheet* s)
{
  const eval_run* run = s->run;
  const limb_model* m = run->robot->model;
  json_t* r = cli_json_answer();
  (void)json_object_set_new(r, "model", cli_json_text(limb_model_name(m)));
  (void)json_object_set_new(r, "gravity", cli_json_vec3(run->robot->env.gravity));
  (void)json_object_set_new(r, "friction", json_boolean(run->robot->env.friction));
  (void)json_object_set_new(r, "coulomb_width", cli_json_number(run->robot->env.coulomb_width));
  (void)json_object_set_new(r, "mimic", json_boolean(!cli_has(s->args, "no-mimic")));
  (void)json_object_set_new(r, "base", cli_json_text(cli_base_name(m, run->dofs)));
  (void)json_object_set_new(r, "frame", cli_json_text(eval_frame_name(run)));
  (void)json_object_set_new(r, "ref", cli_json_text(eval_ref_name(run->ref)));
  (void)json_object_set_new(r, "joints", joint_names(m));
  (void)json_object_set_new(r, "dofs", dof_names(run->dofs));
  (void)json_object_set_new(r, "nq", json_integer(run->dofs->nq));
  (void)json_object_set_new(r, "nv", json_integer(run->dofs->nv));
  if (limb_loop_count(m) > 0) (void)json_object_set_new(r, "tree_only", tree_names(s));
  add_axes(s, r);
  return r;
}

static int json_failed(const eval_sheet* s) { return cli_unwritten(cli_title(s->args), "the JSON", "unknown error"); }

// The object without its closing brace: the results follow.
static int json_begin(eval_sheet* s)
{
  errno = 0;
  json_t* head = json_head(s);
  char* text = json_dumps(head, JSON_REAL_PRECISION(17));
  json_decref(head);
  const size_t length = text ? strlen(text) : 0;
  const int fine =
    length > 1 && fwrite(text, 1, length - 1, s->out) == length - 1 && fputs(",\n\"results\": [", s->out) >= 0;
  free(text);
  return fine ? EXIT_FINE : json_failed(s);
}

// ---- numbers ---------------------------------------------------------------------------------------

// Prints and frees. 1, or 0.
static int put(const eval_sheet* s, json_t* value)
{
  const int fine = value && json_dumpf(value, s->out, JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY) == 0;
  json_decref(value);
  return fine;
}

static int put_text(const eval_sheet* s, const char* text) { return fputs(text, s->out) >= 0; }

static int put_pose(const eval_sheet* s, const double* x)
{
  json_t* r = json_object();
  (void)json_object_set_new(r, "position", cli_json_numbers(3, x));
  (void)json_object_set_new(r, "quaternion", cli_json_numbers(4, x + 3));
  (void)json_object_set_new(r, "rotation", cli_json_matrix(3, 3, x + 7));
  return put(s, r);
}

// The numbers from an axis on, *x being the first of them and then what follows. Axes of fields, joints and
// loops are objects, others arrays. Only the last axis is held in memory as JSON.
static int put_from(const eval_sheet* s, const eval_quantity* e, int axis, const double** x)
{
  const eval_axis kind = e->axes[axis];
  const size_t n = eval_length(e, s->run, axis);
  const int named = kind == AXIS_FIELD || kind == AXIS_JOINT || kind == AXIS_LOOP;
  const int last = axis + 1 >= eval_rank(e);
  if (kind == AXIS_POSE) return put_pose(s, *x);
  if (last && !named) {
    const double* first = *x;
    *x += n;
    return put(s, kind == AXIS_NONE ? cli_json_number(*first) : cli_json_numbers((int)n, first));
  }
  int fine = put_text(s, named ? "{" : "[");
  for (size_t k = 0; k < n && fine; k++) {
    char name[600];
    if (k > 0) fine = put_text(s, ", ");
    eval_index_name(e, s->run, axis, k, name, sizeof name);
    if (named) fine = fine && put(s, cli_json_text(name)) && put_text(s, ": ");
    if (fine && last) fine = put(s, cli_json_number(*(*x)++));
    if (fine && !last) fine = put_from(s, e, axis + 1, x);
  }
  return fine && put_text(s, named ? "}" : "]");
}

static int json_row(eval_sheet* s)
{
  const cli_states* states = s->run->states;
  errno = 0;
  int fine = put_text(s, states->count > 1 ? ",\n{" : "\n{");
  if (states->has_time) fine = fine && put_text(s, "\"time\": ") && put(s, cli_json_number(states->time));
  for (int i = 0; i < s->count && fine; i++) {
    const double* x = s->x[i];
    if (i > 0 || states->has_time) fine = put_text(s, ", ");
    fine = fine && fprintf(s->out, "\"%s\": ", s->quantity[i]->name) >= 0;
    fine = fine && put_from(s, s->quantity[i], 0, &x);
  }
  return fine && put_text(s, "}") ? EXIT_FINE : json_failed(s);
}

static int json_end(eval_sheet* s)
{
  errno = 0;
  return fputs("\n]}\n", s->out) >= 0 ? EXIT_FINE : json_failed(s);
}

// What was computed so far stays readable, and says that it is not all.
static int json_fail(eval_sheet* s, int code)
{
  const cli_states* states = s->run->states;
  json_t* r = json_object();
  (void)json_object_set_new(r, "exit", json_integer(code));
  (void)json_object_set_new(r, "file", cli_json_text(states->path));
  (void)json_object_set_new(r, "line", json_integer(states->line));
  (void)json_object_set_new(r, "text", cli_json_text(states->error));
  errno = 0;
  const int fine = fputs("\n],\n\"error\": ", s->out) >= 0 && json_dumpf(r, s->out, JSON_REAL_PRECISION(17)) == 0 &&
                   fputs("}\n", s->out) >= 0;
  json_decref(r);
  return fine ? EXIT_FINE : json_failed(s);
}

const eval_printer eval_json = {"json", json_begin, json_row, json_end, json_fail};
