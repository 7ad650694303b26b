// `limb assemble`: the configurations that were found, as CSV, JSON and text.
#include "assemble.h"
#include "cli.h"
#include "json.h"
#include "output.h"
#include "table.h"

#include "limb/table.h"

#include <errno.h>
#include <string.h>

static int print_csv(const assemble_run* r, FILE* out)
{
  const int nq = r->dofs.nq;
  limb_csv_writer* w = NULL;
  errno = 0;
  limb_status s = limb_csv_create(out, NULL, &w);
  for (int k = 0; k < nq && s == LIMB_OK; k++) {
    char name[512];
    (void)snprintf(name, sizeof name, "q.%s", r->dofs.q[k].name);
    s = limb_csv_text(w, name);
  }
  if (s == LIMB_OK && nq > 0) s = limb_csv_end_row(w);
  for (int i = 0; i < r->count && nq > 0 && s == LIMB_OK; i++) {
    s = limb_csv_numbers(w, r->q + (size_t)i * (size_t)nq, nq);
    if (s == LIMB_OK) s = limb_csv_end_row(w);
  }
  if (s == LIMB_OK) s = limb_csv_finish(w);
  limb_csv_destroy(w);
  if (s == LIMB_OK) return EXIT_FINE;
  return cli_unwritten(cli_title(r->args), "the CSV", limb_status_text(s));
}

static json_t* names(int n, const cli_dof* d, const unsigned char* mark)
{
  json_t* list = json_array();
  for (int k = 0; k < n; k++)
    if (!mark || mark[k]) (void)json_array_append_new(list, cli_json_text(d[k].name));
  return list;
}

static int print_json(const assemble_run* r, FILE* out)
{
  const cli_closure* c = &r->at;
  const size_t nq = (size_t)r->dofs.nq;
  const int loops = limb_loop_count(c->model);
  json_t *x = cli_json_answer(), *list = json_array(), *beyond = json_array();
  (void)json_object_set_new(x, "model", cli_json_text(limb_model_name(c->model)));
  (void)json_object_set_new(x, "closed", json_boolean(c->closed));
  (void)json_object_set_new(x, "residual", cli_json_number(c->report.residual));
  (void)json_object_set_new(x, "loop", cli_json_text(loops > 0 ? cli_loop_name(c->model, c->report.loop) : NULL));
  (void)json_object_set_new(x, "iterations", json_integer(c->report.iterations));
  (void)json_object_set_new(x, "tries", json_integer(c->report.tries));
  (void)json_object_set_new(x, "limits", json_boolean(c->report.limits));
  if (c->closed) {
    (void)json_object_set_new(x, "mobility", json_integer(c->mobility.mobility));
    (void)json_object_set_new(x, "redundant", json_integer(c->mobility.redundant));
    (void)json_object_set_new(x, "locked", json_boolean(cli_is_locked(c)));
    (void)json_object_set_new(x, "singularity", cli_json_text(cli_singularity_name(c->mobility.singularity)));
  }
  (void)json_object_set_new(x, "held", names(r->dofs.nv, r->dofs.v, r->held));
  (void)json_object_set_new(x, "coordinates", names(r->dofs.nq, r->dofs.q, NULL));
  for (int i = 0; i < r->count; i++) {
    (void)json_array_append_new(list, cli_json_numbers(r->dofs.nq, r->q + (size_t)i * nq));
    (void)json_array_append_new(beyond, assemble_limits_json(r, r->q + (size_t)i * nq));
  }
  (void)json_object_set_new(x, "configurations", list);
  (void)json_object_set_new(x, "beyond_limits", beyond);
  if (!c->closed) {
    (void)json_object_set_new(x, "best", cli_json_numbers(r->dofs.nq, c->q));
    (void)json_object_set_new(x, "best_beyond_limits", assemble_limits_json(r, c->q));
  }
  return cli_json_print(x, out, cli_title(r->args));
}

// A line per coordinate, a column per configuration.
static int print_text(const assemble_run* r, FILE* out)
{
  enum { SHOWN = 10 };
  const int shown = r->count < SHOWN ? r->count : SHOWN;
  char align[SHOWN + 2] = "l";
  memset(align + 1, 'r', (size_t)shown); // the rest is zero
  cli_table t = cli_table_make(align);
  cli_cell(&t, "coordinate");
  for (int i = 0; i < shown; i++) cli_cell(&t, "%d", i + 1);
  for (int k = 0; k < r->dofs.nq; k++) {
    cli_cell(&t, "%s", r->dofs.q[k].name);
    for (int i = 0; i < shown; i++) cli_cell_number(&t, r->q[(size_t)i * (size_t)r->dofs.nq + (size_t)k]);
  }
  (void)fprintf(out, "%s: %d configuration%s (rad, m)\n", limb_model_name(r->at.model), r->count,
                r->count == 1 ? "" : "s");
  cli_table_print(&t, out, "  ");
  if (shown < r->count) (void)fprintf(out, "  ... and %d more: --format csv\n", r->count - shown);
  return EXIT_FINE;
}

int assemble_print(const assemble_run* r, FILE* out)
{
  const char* format = cli_get(r->args, "format");
  if (format && strcmp(format, "json") == 0) return print_json(r, out);
  if (format && strcmp(format, "text") == 0) return print_text(r, out);
  return print_csv(r, out);
}
