// The forms in which `limb eval` prints: JSON, CSV, and text for people. All of them row by row.
#include "cli.h"
#include "eval.h"
#include "json.h"
#include "output.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// ---- what the answer rests on ----------------------------------------------------------------------

const char* eval_base_name(const limb_model* m)
{
  int roots = 0, floating = 0, planar = 0;
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    if (limb_get_joint(m, j, &info) != LIMB_OK || info.def.parent != LIMB_WORLD_BODY) continue;
    roots++;
    floating += info.def.type == LIMB_FREE;
    planar += info.def.type == LIMB_PLANAR;
  }
  if (floating + planar == 0) return "fixed";
  return floating == roots ? "floating" : planar == roots ? "planar" : "other";
}

const char* eval_ref_name(limb_ref ref)
{
  return ref == LIMB_BODY ? "body" : ref == LIMB_WORLD ? "world" : "aligned";
}

const char* eval_frame_name(const eval_run* run)
{
  limb_frame_info info;
  if (run->frame < 0 || limb_get_frame(run->robot->model, run->frame, &info) != LIMB_OK)
    return NULL;
  return info.name;
}

int eval_uses_ref(const eval_sheet* s)
{
  for (int i = 0; i < s->count; i++) {
    const eval_quantity* e = s->quantity[i];
    if (e->form == EVAL_REACTIONS || e->form == EVAL_JACOBIAN || e->form == EVAL_MOTION) return 1;
  }
  return 0;
}

// ---- JSON ------------------------------------------------------------------------------------------

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

static json_t* json_head(const eval_sheet* s)
{
  const eval_run* run = s->run;
  const limb_model* m = run->robot->model;
  json_t* r = cli_json_answer();
  (void)json_object_set_new(r, "model", cli_json_text(limb_model_name(m)));
  (void)json_object_set_new(r, "gravity", cli_json_vec3(run->robot->env.gravity));
  (void)json_object_set_new(r, "friction", json_boolean(run->robot->env.friction));
  (void)json_object_set_new(r, "mimic", json_boolean(!cli_has(s->args, "no-mimic")));
  (void)json_object_set_new(r, "base", cli_json_text(eval_base_name(m)));
  (void)json_object_set_new(r, "frame", cli_json_text(eval_frame_name(run)));
  (void)json_object_set_new(r, "ref", cli_json_text(eval_ref_name(run->ref)));
  (void)json_object_set_new(r, "joints", joint_names(m));
  (void)json_object_set_new(r, "dofs", dof_names(run->dofs));
  (void)json_object_set_new(r, "nq", json_integer(run->dofs->nq));
  (void)json_object_set_new(r, "nv", json_integer(run->dofs->nv));
  return r;
}

static int json_failed(const eval_sheet* s)
{
  return cli_unwritten(cli_title(s->args), "the JSON", "unknown error");
}

// The object without its closing brace: the results follow.
static int json_begin(eval_sheet* s)
{
  errno = 0;
  json_t* head = json_head(s);
  char* text = json_dumps(head, JSON_REAL_PRECISION(17));
  json_decref(head);
  const size_t length = text ? strlen(text) : 0;
  const int fine = length > 1 && fwrite(text, 1, length - 1, s->out) == length - 1 &&
                   fputs(",\n\"results\": [", s->out) >= 0;
  free(text);
  return fine ? EXIT_FINE : json_failed(s);
}

static json_t* json_record(const eval_quantity* e, const double* x)
{
  json_t* r = json_object();
  for (int k = 0; e->fields[k]; k++) {
    (void)json_object_set_new(r, e->fields[k], cli_json_number(x[k]));
  }
  return r;
}

static json_t* json_pose(const double* x)
{
  json_t* r = json_object();
  (void)json_object_set_new(r, "position", cli_json_numbers(3, x));
  (void)json_object_set_new(r, "quaternion", cli_json_numbers(4, x + 3));
  (void)json_object_set_new(r, "rotation", cli_json_matrix(3, 3, x + 7));
  return r;
}

static json_t* json_reactions(const limb_model* m, const double* x)
{
  json_t* r = json_object();
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    if (limb_get_joint(m, j, &info) != LIMB_OK) continue;
    if (json_object_set_new(r, info.def.name, cli_json_numbers(6, x + 6 * (size_t)j)) != 0) {
      json_decref(r);
      return NULL; // no memory, or a name that is not UTF-8
    }
  }
  return r;
}

static json_t* json_quantity(const eval_quantity* e, const eval_run* run, const double* x)
{
  const int nv = run->dofs->nv;
  switch (e->form) {
  case EVAL_MATRIX: return cli_json_matrix(nv, nv, x);
  case EVAL_JACOBIAN: return cli_json_matrix(6, nv, x);
  case EVAL_POSE: return json_pose(x);
  case EVAL_RECORD: return json_record(e, x);
  case EVAL_REACTIONS: return json_reactions(run->robot->model, x);
  case EVAL_DOFS:
  case EVAL_MOTION:
  case EVAL_FORCE:
  case EVAL_VECTOR: break;
  }
  return cli_json_numbers((int)eval_size(e, run), x); // a few per joint at most
}

static int json_row(eval_sheet* s)
{
  const cli_states* states = s->run->states;
  json_t* r = json_object();
  int fine = 1;
  errno = 0;
  if (states->has_time) fine = json_object_set_new(r, "time", cli_json_number(states->time)) == 0;
  for (int i = 0; i < s->count && fine; i++) {
    const eval_quantity* e = s->quantity[i];
    fine = json_object_set_new(r, e->name, json_quantity(e, s->run, s->x[i])) == 0;
  }
  fine = fine && fputs(states->count > 1 ? ",\n" : "\n", s->out) >= 0 &&
         json_dumpf(r, s->out, JSON_REAL_PRECISION(17)) == 0;
  json_decref(r);
  return fine ? EXIT_FINE : json_failed(s);
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
  const int fine = fputs("\n],\n\"error\": ", s->out) >= 0 &&
                   json_dumpf(r, s->out, JSON_REAL_PRECISION(17)) == 0 && fputs("}\n", s->out) >= 0;
  json_decref(r);
  return fine ? EXIT_FINE : json_failed(s);
}

const eval_printer eval_json = {"json", json_begin, json_row, json_end, json_fail};

// ---- CSV -------------------------------------------------------------------------------------------

static int csv_status(const eval_sheet* s, limb_status status)
{
  if (status == LIMB_OK) return EXIT_FINE;
  return cli_unwritten(cli_title(s->args), "the CSV", limb_status_text(status));
}

static int csv_begin(eval_sheet* s)
{
  errno = 0;
  limb_status status = limb_csv_create(s->out, NULL, &s->writer);
  if (status == LIMB_OK && s->run->states->has_time) status = limb_csv_text(s->writer, "time");
  for (int i = 0; i < s->count; i++) {
    const eval_quantity* e = s->quantity[i];
    const size_t n = eval_size(e, s->run);
    for (size_t k = 0; k < n && status == LIMB_OK; k++) {
      char part[512], name[600];
      eval_name(e, s->run, k, part, sizeof part);
      (void)snprintf(name, sizeof name, "%s.%s", e->name, part);
      status = limb_csv_text(s->writer, name);
    }
  }
  if (status == LIMB_OK) status = limb_csv_end_row(s->writer);
  return csv_status(s, status);
}

static int csv_row(eval_sheet* s)
{
  const cli_states* states = s->run->states;
  limb_status status = LIMB_OK;
  errno = 0;
  if (states->has_time) status = limb_csv_number(s->writer, states->time);
  for (int i = 0; i < s->count; i++) {
    const size_t n = eval_size(s->quantity[i], s->run);
    for (size_t k = 0; k < n && status == LIMB_OK; k++) {
      status = limb_csv_number(s->writer, s->x[i][k]);
    }
  }
  if (status == LIMB_OK) status = limb_csv_end_row(s->writer);
  return csv_status(s, status);
}

static int csv_end(eval_sheet* s)
{
  errno = 0;
  return csv_status(s, limb_csv_finish(s->writer));
}

// The rows so far are a table.
static int csv_fail(eval_sheet* s, int code)
{
  (void)code;
  return csv_end(s);
}

const eval_printer eval_csv = {"csv", csv_begin, csv_row, csv_end, csv_fail};

// ---- text ------------------------------------------------------------------------------------------

static int text_begin(eval_sheet* s)
{
  const cli_robot* r = s->run->robot;
  const sp_vec3 g = r->env.gravity;
  const char* frame = eval_frame_name(s->run);
  (void)fprintf(s->out, "%s: gravity (%g, %g, %g) m/s^2, friction %s", limb_model_name(r->model),
                g.x, g.y, g.z, r->env.friction ? "as in the model" : "left out");
  if (frame) (void)fprintf(s->out, ", frame '%s'", frame);
  if (eval_uses_ref(s)) (void)fprintf(s->out, ", reference %s", eval_ref_name(s->run->ref));
  (void)fprintf(s->out, "; SI units, angular parts first\n");
  return EXIT_FINE;
}

// A matrix with the names of its columns on top and those of its rows in front.
static void text_matrix(const eval_quantity* e, const eval_run* run, int rows, const double* x,
                        FILE* out)
{
  const int nv = run->dofs->nv;
  const char* const* part = eval_components(e->form);
  char* align = malloc((size_t)nv + 2);
  if (!align) return;
  memset(align, 'r', (size_t)nv + 1);
  align[0] = 'l';
  align[nv + 1] = '\0';
  cli_table t = cli_table_make(align);
  cli_cell(&t, "%s", e->name);
  for (int k = 0; k < nv; k++) cli_cell(&t, "%s", run->dofs->v[k].name);
  for (int i = 0; i < rows; i++) {
    cli_cell(&t, "%s", part ? part[i] : run->dofs->v[i].name);
    for (int k = 0; k < nv; k++) cli_cell_number(&t, x[i * nv + k]);
  }
  cli_table_print(&t, out, "  ");
  free(align);
}

static void text_list(const eval_quantity* e, const eval_run* run, const double* x, FILE* out)
{
  const size_t n = eval_size(e, run);
  char name[512];
  cli_table t = cli_table_make("lrl");
  cli_cell(&t, "%s", e->name), cli_cell(&t, "%s", ""), cli_cell(&t, "%s", "");
  for (size_t k = 0; k < n; k++) {
    eval_name(e, run, k, name, sizeof name);
    cli_cell(&t, "%s", name);
    cli_cell_number(&t, x[k]);
    cli_cell(&t, "%s", e->unit ? e->unit : "");
  }
  cli_table_print(&t, out, "  ");
}

// Six numbers per joint, a line each.
static void text_reactions(const eval_quantity* e, const eval_run* run, const double* x, FILE* out)
{
  const limb_model* m = run->robot->model;
  const char* const* part = eval_components(e->form);
  cli_table t = cli_table_make("lrrrrrr");
  cli_cell(&t, "%s", e->name);
  for (int k = 0; k < 6; k++) cli_cell(&t, "%s", part[k]);
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    cli_cell(&t, "%s", limb_get_joint(m, j, &info) == LIMB_OK ? info.def.name : "");
    for (int k = 0; k < 6; k++) cli_cell_number(&t, x[6 * (size_t)j + (size_t)k]);
  }
  cli_table_print(&t, out, "  ");
}

static int text_row(eval_sheet* s)
{
  const cli_states* states = s->run->states;
  (void)fprintf(s->out, "\nrow %llu", (unsigned long long)states->count);
  if (states->has_time) (void)fprintf(s->out, ", time %g", states->time);
  (void)fprintf(s->out, "\n");
  for (int i = 0; i < s->count; i++) {
    const eval_quantity* e = s->quantity[i];
    if (e->form == EVAL_MATRIX) {
      text_matrix(e, s->run, s->run->dofs->nv, s->x[i], s->out);
    } else if (e->form == EVAL_JACOBIAN) {
      text_matrix(e, s->run, 6, s->x[i], s->out);
    } else if (e->form == EVAL_REACTIONS) {
      text_reactions(e, s->run, s->x[i], s->out);
    } else {
      text_list(e, s->run, s->x[i], s->out);
    }
  }
  return EXIT_FINE;
}

static int text_end(eval_sheet* s)
{
  (void)s;
  return EXIT_FINE;
}

static int text_fail(eval_sheet* s, int code)
{
  (void)code;
  return text_end(s);
}

const eval_printer eval_text = {"text", text_begin, text_row, text_end, text_fail};
