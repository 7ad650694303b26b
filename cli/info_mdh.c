// The compiled robot as a table of modified Denavit-Hartenberg parameters.
#include "info.h"

// Twelve digits; what rounding has left of a zero is one.
static void length_text(double x, char* text, size_t size)
{
  (void)snprintf(text, size, "%.12g", fabs(x) < 1e-14 ? 0.0 : x);
}

// Quarter turns by name.
static void angle_text(double x, char* text, size_t size)
{
  const double right = acos(0.0);
  static const char* const names[] = {"-pi", "-pi/2", "0", "pi/2", "pi"};
  for (int k = -2; k <= 2; k++) {
    if (fabs(x - k * right) > 1e-14) continue;
    (void)snprintf(text, size, "%s", names[k + 2]);
    return;
  }
  length_text(x, text, size);
}

// What is constant in theta and r, with the coordinate that is added: "q3 + pi/2", "-2 q0".
static void variable_cell(cli_table* t, const limb_mdh_row* row, double rate, const char* constant)
{
  char q[64];
  const int is_zero = constant[0] == '0' && !constant[1], is_negative = constant[0] == '-';
  if (rate == 1) {
    (void)snprintf(q, sizeof q, "q%d", row->q);
  } else {
    (void)snprintf(q, sizeof q, "%.6g q%d", rate, row->q);
  }
  if (is_zero) {
    cli_cell(t, "%s", q);
  } else {
    cli_cell(t, "%s %s %s", q, is_negative ? "-" : "+", constant + is_negative);
  }
}

static void geometry_row(cli_table* t, const limb_model* m, int i, const limb_mdh_row* row)
{
  char text[48];
  limb_joint_info joint;
  const int turns = row->type == LIMB_REVOLUTE || row->type == LIMB_HELICAL;
  const int slides = row->type == LIMB_PRISMATIC || row->type == LIMB_HELICAL;
  const double slide = row->type == LIMB_HELICAL ? row->pitch : 1;
  cli_cell(t, "%d", i + 1);
  cli_cell(t, "%d", row->antecedent + 1);
  if (row->type == LIMB_REVOLUTE || row->type == LIMB_PRISMATIC) {
    cli_cell(t, "%d", row->type == LIMB_PRISMATIC);
  } else {
    cli_cell(t, "%s", limb_joint_type_name(row->type));
  }
  const double angles[] = {row->gamma, row->alpha}, lengths[] = {row->b, row->d};
  for (int k = 0; k < 2; k++) {
    angle_text(angles[k], text, sizeof text);
    cli_cell(t, "%s", text);
    length_text(lengths[k], text, sizeof text);
    cli_cell(t, "%s", text);
  }
  angle_text(row->theta, text, sizeof text);
  if (turns) variable_cell(t, row, row->multiplier, text);
  if (!turns) cli_cell(t, "%s", text);
  length_text(row->r, text, sizeof text);
  if (slides) variable_cell(t, row, slide * row->multiplier, text);
  if (!slides) cli_cell(t, "%s", text);
  cli_cell(t, "%s", limb_get_joint(m, row->joint, &joint) == LIMB_OK ? joint.def.name : "?");
}

static void parameter_table(const limb_model* m, int grouped)
{
  static const char* const names[] = {"link", "m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};
  cli_table t = cli_table_make("rrrrrrrrrrr");
  limb_mdh_row row;
  for (int k = 0; k < 11; k++) cli_cell(&t, "%s", names[k]);
  for (int i = 0; i < limb_mdh_count(m); i++) {
    if (limb_get_mdh(m, i, &row) != LIMB_OK) continue;
    cli_cell(&t, "%d", i + 1);
    for (int k = 0; k < 10; k++) cli_cell_number(&t, grouped ? row.grouped[k] : row.inertia[k]);
  }
  cli_table_print(&t, stdout, "  ");
}

void info_print_mdh(const limb_model* m)
{
  static const char* const names[] = {"link", "ant", "sigma", "gamma", "b", "alpha", "d", "theta", "r", "joint"};
  cli_table t = cli_table_make("rrrrrrrrrl");
  limb_mdh_row row;
  printf("modified Denavit-Hartenberg table of the compiled robot\n"
         "  link in antecedent (0: world): Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)  [rad, m]\n"
         "  sigma 0: rotation about z, 1: translation along z; q0 is the first number of q\n"
         "  (17 digits: --format json)\n\n");
  for (int k = 0; k < 10; k++) cli_cell(&t, "%s", names[k]);
  for (int i = 0; i < limb_mdh_count(m); i++)
    if (limb_get_mdh(m, i, &row) == LIMB_OK) geometry_row(&t, m, i, &row);
  cli_table_print(&t, stdout, "  ");
  printf("\ninertial parameters about the origins of the links, fixed bodies merged\n");
  parameter_table(m, 0);
  printf("\nthe same, regrouped: what has no effect of its own has moved to the antecedent\n");
  parameter_table(m, 1);
}

static json_t* row_json(const limb_model* m, int i, const limb_mdh_row* row)
{
  limb_joint_info joint;
  json_t* r = json_object();
  const int known = limb_get_joint(m, row->joint, &joint) == LIMB_OK;
  (void)json_object_set_new(r, "link", json_integer(i + 1));
  (void)json_object_set_new(r, "joint", cli_json_text(known ? joint.def.name : ""));
  (void)json_object_set_new(r, "antecedent", json_integer(row->antecedent + 1));
  (void)json_object_set_new(r, "type", cli_json_text(limb_joint_type_name(row->type)));
  if (row->type == LIMB_REVOLUTE || row->type == LIMB_PRISMATIC)
    (void)json_object_set_new(r, "sigma", json_integer(row->type == LIMB_PRISMATIC));
  (void)json_object_set_new(r, "q", json_integer(row->q));
  const struct {
    const char* name;
    double value;
  } numbers[] = {
    {"multiplier", row->multiplier}, {"gamma", row->gamma}, {"b", row->b},        {"alpha", row->alpha}, {"d", row->d},
    {"theta", row->theta},           {"r", row->r},         {"pitch", row->pitch}};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    (void)json_object_set_new(r, numbers[k].name, cli_json_number(numbers[k].value));
  (void)json_object_set_new(r, "parameters", cli_json_numbers(10, row->inertia));
  (void)json_object_set_new(r, "regrouped", cli_json_numbers(10, row->grouped));
  return r;
}

json_t* info_json_mdh(const limb_model* m)
{
  json_t* r = json_array();
  limb_mdh_row row;
  for (int i = 0; i < limb_mdh_count(m); i++)
    if (limb_get_mdh(m, i, &row) == LIMB_OK) (void)json_array_append_new(r, row_json(m, i, &row));
  return r;
}
