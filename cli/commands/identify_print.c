// What `limb identify` answers: facts, residuals, parameters, as text, JSON and CSV.
#include "limb/table.h"

#include "base/print.h"
#include "commands/identify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const verdicts[] = {"", "uncertain", "hidden"};

// ---- tables ----------------------------------------------------------------------------------------

static void cell_percent(cli_table* t, double part, double whole)
{
  if (whole > 0)
    cli_cell_json(t, cli_json_number(part / whole), "%.2f %%", 100 * part / whole);
  else
    cli_cell_json(t, json_null(), "-");
}

// Residuals of one joint, -1: of all: fitted, then validation; of the fit, or of the physical one.
static void put_residuals(cli_table* t, const limb_ident* x, int joint, int physical)
{
  for (int validation = 0; validation < 2; validation++) {
    limb_ident_residual r;
    const limb_ident_part part = (limb_ident_part)(2 * physical + validation);
    if (limb_ident_get_residual(x, joint, part, &r) != LIMB_OK || r.rows == 0) {
      for (int k = 0; k < (joint < 0 ? 4 : 5); k++) cli_cell_json(t, json_null(), "-");
      if (joint < 0) cli_cell_json(t, json_null(), "%s", "");
      continue;
    }
    cli_cell_number(t, r.torque), cli_cell_number(t, r.rms);
    cell_percent(t, r.rms, r.torque);
    cli_cell_json(t, cli_json_number(r.r_squared), "%.4f", r.r_squared);
    if (joint < 0)
      cli_cell_json(t, json_null(), "%s", "");
    else
      cli_cell_json(t, cli_json_number(r.correlation), "%.2f%s", r.correlation, r.white ? "" : " *");
  }
}

cli_table cli_identify_residuals(const cli_robot* robot, const limb_ident* x, int physical)
{
  cli_table t =
    cli_table_make("<joint;>torque=torque;>residual=rms;>relative=relative;>R^2=r_squared;<from row to row=correlation;"
                   ">validation: torque=validation_torque;>residual=validation_rms;>relative=validation_relative;"
                   ">R^2=validation_r_squared;<from row to row=validation_correlation");
  for (int j = 0; j < robot->dofs.nv; j++) {
    cli_cell(&t, "%s", robot->dofs.v[j].name);
    put_residuals(&t, x, j, physical);
  }
  cli_cell(&t, "all");
  put_residuals(&t, x, -1, physical);
  return t;
}

cli_table cli_identify_parameters(const limb_ident* x)
{
  cli_table t = cli_table_make("<parameter=name;>value;>std;>relative;>model;<verdict;<essential;<error moves with=;"
                               "=partner;=correlation;=formula;=why");
  limb_ident_parameter p, partner;
  for (int k = 0; limb_ident_get_parameter(x, k, &p) == LIMB_OK; k++) {
    const int hidden = p.verdict == LIMB_IDENT_HIDDEN;
    cli_cell(&t, "%s", p.name);
    cli_cell_number(&t, p.value);
    cli_cell_number(&t, hidden ? HUGE_VAL : p.std);
    cell_percent(&t, p.std, hidden ? 0 : fabs(p.value));
    cli_cell_number(&t, p.model);
    cli_cell(&t, "%s", verdicts[p.verdict]);
    cli_cell_json(&t, json_boolean(p.essential), "%s", p.essential ? "yes" : "no");
    const int moves = limb_ident_get_parameter(x, p.partner, &partner) == LIMB_OK && fabs(p.correlation) > 0.9;
    cli_cell(&t, "%s", hidden ? p.why : moves ? partner.name : "");
    cli_cell(&t, "%s", p.partner >= 0 ? partner.name : "");
    cli_cell_json(&t, cli_json_number(p.correlation), "%s", "");
    cli_cell(&t, "%s", p.formula);
    cli_cell(&t, "%s", p.why);
  }
  return t;
}

// Parameters of the physical fit beside those of the model.
cli_table cli_identify_standard(const limb_model* m, const limb_ident* x)
{
  cli_table t = cli_table_make("<parameter=name;>value;>model;<unit");
  const double* theta = limb_ident_theta(x);
  double* before = calloc((size_t)limb_parameter_count(m) + 1, sizeof *before);
  limb_parameter_info p;
  const int known = before && limb_parameters(m, before) == LIMB_OK;
  for (int k = 0; known && limb_get_parameter(m, k, &p) == LIMB_OK; k++) {
    if (theta[k] == 0 && before[k] == 0) continue;
    cli_cell(&t, "%s.%s", p.of, p.symbol);
    cli_cell_number(&t, theta[k]), cli_cell_number(&t, before[k]);
    cli_cell(&t, "%s", p.unit);
  }
  free(before);
  return t;
}

// ---- text ------------------------------------------------------------------------------------------

static int print_text(const cli_robot* robot, const limb_ident* x)
{
  limb_ident_facts f;
  if (limb_ident_get_facts(x, &f) != LIMB_OK) return EXIT_NUMERICAL;
  printf("%s%s%s: %llu samples at %.6g Hz, %d log%s, %d window%s without gaps\n", cli_on(stdout, CLI_BOLD),
         limb_model_name(robot->model), cli_off(stdout, CLI_BOLD), (unsigned long long)f.samples, f.rate, f.logs,
         f.logs == 1 ? "" : "s", f.windows, f.windows == 1 ? "" : "s");
  printf("filter without phase, cut-off %.3g Hz (the motion is below %.3g Hz): %d rows at %.3g Hz, %d of them fitted\n",
         f.cutoff, f.motion, f.rows, f.row_rate, f.fitted);
  printf("%d parameters: %d known, %d uncertain, %d hidden; %d essential; condition %.3g\n\n", limb_ident_count(x),
         f.known, f.uncertain, f.hidden, f.essential, f.condition);
  cli_table t = cli_identify_residuals(robot, x, 0);
  cli_table_print(&t, stdout, "");
  printf("\n");
  t = cli_identify_parameters(x);
  cli_table_print(&t, stdout, "");
  if (limb_ident_theta(x)) {
    printf("\nphysical: weight of the model %g\n\n", f.weight);
    t = cli_identify_residuals(robot, x, 1);
    cli_table_print(&t, stdout, "");
    printf("\n");
    t = cli_identify_standard(robot->model, x);
    cli_table_print(&t, stdout, "");
  }
  printf("\n* not white: the residual is correlated from row to row. limb base has the formulas of the parameters.\n");
  return EXIT_FINE;
}

// ---- for programs ----------------------------------------------------------------------------------

static int print_json(const cli_args* args, const cli_robot* robot, const limb_ident* x)
{
  limb_ident_facts f;
  if (limb_ident_get_facts(x, &f) != LIMB_OK) return EXIT_NUMERICAL;
  json_t *answer = cli_json_answer(), *notes = json_array();
  cli_table joints = cli_identify_residuals(robot, x, 0), all = cli_identify_parameters(x);
  const char* note;
  for (int k = 0; (note = limb_ident_note(x, k)); k++) (void)json_array_append_new(notes, cli_json_text(note));
  cli_json_set(answer, "model samples logs windows rate cutoff motion row_rate rows fitted condition",
               cli_json_text(limb_model_name(robot->model)), json_integer((json_int_t)f.samples), json_integer(f.logs),
               json_integer(f.windows), cli_json_number(f.rate), cli_json_number(f.cutoff), cli_json_number(f.motion),
               cli_json_number(f.row_rate), json_integer(f.rows), json_integer(f.fitted), cli_json_number(f.condition));
  cli_json_set(answer, "known uncertain hidden essential joints parameters notes", json_integer(f.known),
               json_integer(f.uncertain), json_integer(f.hidden), json_integer(f.essential), cli_table_json(&joints),
               cli_table_json(&all), notes);
  const int n = limb_ident_count(x);
  cli_json_set(answer, "covariance", cli_json_matrix(n, n, limb_ident_covariance(x)));
  if (limb_ident_theta(x)) {
    cli_table physical = cli_identify_residuals(robot, x, 1), theta = cli_identify_standard(robot->model, x);
    cli_json_set(answer, "physical",
                 cli_json_object("weight joints parameters", cli_json_number(f.weight), cli_table_json(&physical),
                                 cli_table_json(&theta)));
  }
  return cli_json_print(answer, stdout, cli_title(args));
}

static limb_status write_csv(limb_csv_writer* w, const void* ident)
{
  const limb_ident* x = ident;
  limb_ident_parameter p;
  limb_status s = cli_csv_head(w, (const char* const[]){"name", "verdict", "value", "std", "model", NULL});
  for (int k = 0; s == LIMB_OK && limb_ident_get_parameter(x, k, &p) == LIMB_OK; k++) {
    const double number[] = {p.value, p.std, p.model};
    s = limb_csv_text(w, p.name);
    if (s == LIMB_OK) s = limb_csv_text(w, *verdicts[p.verdict] ? verdicts[p.verdict] : "known");
    if (s == LIMB_OK) s = limb_csv_numbers(w, number, 3);
    if (s == LIMB_OK) s = limb_csv_end_row(w);
  }
  return s;
}

int cli_identify_print(const cli_args* args, const cli_robot* robot, const limb_ident* x)
{
  const char* format = cli_get(args, "format");
  if (format && strcmp(format, "json") == 0) return print_json(args, robot, x);
  if (format && strcmp(format, "csv") == 0) return cli_csv_print(stdout, cli_title(args), write_csv, x);
  return print_text(robot, x);
}
