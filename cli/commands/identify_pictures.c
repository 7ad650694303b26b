// Pictures of `limb identify`: measured torques beside predicted ones, and a report in HTML with everything.
#define _POSIX_C_SOURCE 200809L // open_memstream

#include "limb/draw.h"

#include "base/output.h"
#include "commands/identify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 120 };

// ---- curves ----------------------------------------------------------------------------------------

// Rows of all logs, one after the other; joints as many as fit, two curves each. *change: where validation begins.
static limb_status add_rows(limb_ident* x, int nv, int joints, limb_plot* plot, limb_plot_event* change)
{
  double* tau = calloc(4 * (size_t)nv + 1, sizeof *tau);
  double *predicted = tau + nv, *y = predicted + nv, shift = 0, last = 0;
  int log = -1;
  limb_ident_row r = {.tau = tau, .predicted = predicted};
  limb_status s = tau ? LIMB_OK : LIMB_E_NOMEM;
  for (int k = 0; s == LIMB_OK; k++) {
    s = limb_ident_get_row(x, k, &r);
    if (s != LIMB_OK) break;
    if (r.log != log) shift = log < 0 ? 0 : last - r.time, log = r.log;
    last = r.time + shift;
    if (!r.fitted && !change->label) *change = (limb_plot_event){last, "validation"};
    for (int j = 0; j < joints; j++) y[2 * j] = tau[j], y[2 * j + 1] = predicted[j];
    limb_plot_add(plot, last, y);
  }
  free(tau);
  return s == LIMB_E_ARG ? LIMB_OK : s; // there are no more rows
}

static int draw(const cli_args* args, const cli_robot* robot, limb_ident* x, FILE* out)
{
  const int nv = robot->dofs.nv, joints = nv > LIMB_PLOT_MAX / 2 ? LIMB_PLOT_MAX / 2 : nv;
  limb_plot_series series[LIMB_PLOT_MAX];
  char title[300], subtitle[200];
  limb_plot_event change = {0};
  limb_plot* plot = NULL;
  limb_ident_residual r;
  limb_ident_facts f;
  for (int j = 0; j < joints; j++) {
    const cli_dof* d = &robot->dofs.v[j];
    const limb_plot_series measured = {
      .name = "measured", .unit = limb_force_unit(d), .limit = HUGE_VAL, .panel = d->name};
    series[2 * j] = series[2 * j + 1] = measured;
    series[2 * j + 1].name = "predicted";
  }
  limb_status s = limb_plot_create(2 * joints, &plot);
  if (s == LIMB_OK) s = add_rows(x, nv, joints, plot, &change);
  const limb_ident_part part = limb_ident_theta(x) ? LIMB_IDENT_PHYSICAL_VALIDATION : LIMB_IDENT_VALIDATION;
  if (s == LIMB_OK) s = limb_ident_get_residual(x, -1, part, &r);
  if (s == LIMB_OK) s = limb_ident_get_facts(x, &f);
  if (s == LIMB_OK) {
    (void)snprintf(title, sizeof title, "%.200s: measured and predicted torques", limb_model_name(robot->model));
    (void)snprintf(subtitle, sizeof subtitle, "filtered alike; validation: residual %.3g of %.4g, %.2f %%%s", r.rms,
                   r.torque, r.torque > 0 ? 100 * r.rms / r.torque : 0, nv > joints ? "; only the first joints" : "");
    const limb_plot_labels labels = {.title = title,
                                     .subtitle = subtitle,
                                     .x_label = f.logs > 1 ? "time, logs one after the other [s]" : "time [s]",
                                     .event = &change,
                                     .events = change.label && f.logs == 1};
    limb_plot_write(plot, series, &labels, out);
  }
  limb_plot_destroy(plot);
  return s == LIMB_OK ? EXIT_FINE : cli_out_of_memory(args);
}

static int plot(const cli_args* args, const cli_robot* robot, limb_ident* x)
{
  cli_output o;
  int code = cli_output_open_drawing(&o, cli_title(args), cli_get(args, "plot"));
  if (code != EXIT_FINE) return code;
  code = draw(args, robot, x, o.stream);
  if (code == EXIT_FINE) return cli_output_commit(&o, cli_title(args));
  cli_output_abandon(&o);
  return code;
}

// ---- the report ------------------------------------------------------------------------------------

static void percent(char text[32], double part, double whole)
{
  (void)snprintf(text, 32, whole > 0 ? "%.2f %%" : "-", 100 * part / whole);
}

static void put_tiles(FILE* out, const limb_ident* x, const limb_ident_facts* f)
{
  char text[6][32] = {"", "", "-", "", "", ""};
  limb_ident_residual r;
  (void)snprintf(text[0], 32, "%llu", (unsigned long long)f->samples);
  (void)snprintf(text[1], 32, "%.3g Hz", f->cutoff);
  if (limb_ident_get_residual(x, -1, LIMB_IDENT_VALIDATION, &r) == LIMB_OK) percent(text[2], r.rms, r.torque);
  (void)snprintf(text[3], 32, "%d of %d", f->known, limb_ident_count(x));
  (void)snprintf(text[4], 32, "%d", f->essential);
  (void)snprintf(text[5], 32, "%.3g", f->condition);
  const char* const tiles[] = {
    "samples",   text[0], "cut-off",   text[1], "error of the validation", text[2], "known parameters", text[3],
    "essential", text[4], "condition", text[5]};
  limb_page_tiles(out, 6, tiles);
}

static int put_picture(const cli_args* args, const cli_robot* robot, limb_ident* x, FILE* out)
{
  char* svg = NULL;
  size_t size = 0;
  FILE* memory = open_memstream(&svg, &size);
  if (!memory) return cli_out_of_memory(args);
  int code = draw(args, robot, x, memory);
  if (fclose(memory) != 0) code = cli_out_of_memory(args);
  if (code == EXIT_FINE) limb_page_picture(out, svg, size, "measured and predicted torques of each joint over time");
  free(svg);
  return code;
}

static int put_page(const cli_args* args, const cli_robot* robot, limb_ident* x, FILE* out)
{
  limb_ident_facts f;
  char title[300], text[400];
  const char* note;
  if (limb_ident_get_facts(x, &f) != LIMB_OK) return EXIT_NUMERICAL;
  (void)snprintf(title, sizeof title, "Identification of %.200s", limb_model_name(robot->model));
  (void)snprintf(text, sizeof text, "%.200s%s: %d rows at %.3g Hz, %d of them fitted", cli_operand(args, 1),
                 f.logs > 1 ? " and others" : "", f.rows, f.row_rate, f.fitted);
  limb_page_begin(out, title, text);
  put_tiles(out, x, &f);
  for (int k = 0; (note = limb_ident_note(x, k)); k++) limb_page_text(out, LIMB_PAGE_BAD, note);
  limb_page_heading(out, 2, "Torques");
  int code = put_picture(args, robot, x, out);
  limb_page_heading(out, 2, "Residuals");
  cli_table t = cli_identify_residuals(robot, x, 0);
  cli_table_page(&t, out);
  limb_page_text(out, LIMB_PAGE_NOTE,
                 "* not white: correlated from row to row, so that something is not in the model.");
  limb_page_heading(out, 2, "Parameters");
  t = cli_identify_parameters(x);
  cli_table_page(&t, out);
  if (limb_ident_theta(x)) {
    (void)snprintf(text, sizeof text, "Physical parameters, weight of the model %g", f.weight);
    limb_page_heading(out, 2, text);
    t = cli_identify_residuals(robot, x, 1);
    cli_table_page(&t, out);
    t = cli_identify_standard(robot->model, x);
    cli_table_page(&t, out);
  }
  limb_page_end(out, "limb identify");
  return code;
}

static int report(const cli_args* args, const cli_robot* robot, limb_ident* x)
{
  cli_output o;
  int code = cli_output_open(&o, cli_title(args), cli_get(args, "report"));
  if (code != EXIT_FINE) return code;
  code = put_page(args, robot, x, o.stream);
  if (code == EXIT_FINE) return cli_output_commit(&o, cli_title(args));
  cli_output_abandon(&o);
  return code;
}

int cli_identify_pictures(const cli_args* args, const cli_robot* robot, limb_ident* x)
{
  int code = cli_has(args, "plot") ? plot(args, robot, x) : EXIT_FINE;
  if (code == EXIT_FINE && cli_has(args, "report")) code = report(args, robot, x);
  return code;
}
