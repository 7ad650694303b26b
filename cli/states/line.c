// A state of the command line: --q elbow=1,shoulder=-30deg, and --v, --a and --tau likewise. Values are formulas with
// units, as in `limb sim`. "*=X" and a plain number stand for all joints. Joints that are not named are at the start of
// the model, at rest; accelerations and forces are zero where their option is there, and not given where it is not.
// When both --a and --tau name joints, each is given of those that it names only: known and unknown joints of hybrid.
//
// Of a robot with loops the loops are closed: what is named stays, and so do the motors that are not named; without any
// name the start is closed as a whole. Named values whose digits were rounded are closed, too; changes are reported.
#include "limb/control.h"
#include "limb/sim.h"

#include "base/command.h"
#include "robot/robot.h"
#include "states/states.h"

#include "limb/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const name_of[GROUP_Q_R] = {"q", "v", "a", "tau", "v_r", "a_r"};

const cli_option cli_state_options[] = {
  {"", NULL, "one state, instead of a table"},
  {"pose", "NAME", "a named pose of the model, as limb info lists them; --q overrides it"},
  {"q", "JOINT=X,...", "coordinates by joint, with units: elbow=1,shoulder=-30deg; others are at the start"},
  {"v", "JOINT=X,...", "velocities; others are zero"},
  {"a", "JOINT=X,...", "accelerations; others are zero. --a 0: all are"},
  {"tau", "JOINT=X,...", "forces; others are zero. --tau 0: all are"},
  {"v_r", "JOINT=X,...", "reference velocities of a controller; others are zero"},
  {"a_r", "JOINT=X,...", "their rates; others are zero"},
  {"branch", "K", "with loops: take number K of limb assemble --branches; start: say which the start leads to"},
  {0},
};

int cli_has_state_line(const cli_args* args)
{
  int any = cli_has(args, "branch") || cli_has(args, "pose");
  for (int g = 0; g < GROUP_Q_R; g++) any |= cli_has(args, name_of[g]);
  return any;
}

int cli_unit_number(const cli_args* args, const char* option, const char* joint, const char* text, const char* unit,
                    double* out)
{
  limb_error err = {0};
  const limb_status s = limb_formula_number(text, unit, out, &err);
  if (s != LIMB_OK)
    return cli_usage(args, "--%s: %.64s: '%.80s' is not a number: %s", option, joint, text,
                     *err.text ? err.text : limb_status_text(s));
  return isfinite(*out) ? EXIT_FINE : cli_usage(args, "--%s: %.64s: '%.80s' is not finite", option, joint, text);
}

static const cli_dof* dof_of(const cli_states* s, int g, int k) { return &(g == 0 ? s->dofs->q : s->dofs->v)[k]; }

// The unit of a number of a group.
static const char* unit_of(const cli_states* s, int g, int k)
{
  const cli_dof* d = dof_of(s, g, k);
  if (g == 0) return limb_position_unit(d);
  if (g == GROUP_TAU) return d->linear ? "N" : "Nm";
  return states_bit(g) & (STATES_A | STATES_A_R) ? limb_acceleration_unit(d) : limb_velocity_unit(d);
}

// All joints of a group but ball and free ones.
static int set_all(const cli_states* s, int g, const char* text, double* value)
{
  int code = cli_unit_number(s->args, name_of[g], "*", text, NULL, &(double){0});
  for (int k = 0; k < states_width(s->dofs, g) && code == EXIT_FINE; k++) {
    limb_joint_info joint;
    const cli_dof* d = dof_of(s, g, k);
    if (limb_get_joint(s->model, d->joint, &joint) != LIMB_OK) continue;
    if (g > 0 || joint.nq == joint.nv)
      code = cli_unit_number(s->args, name_of[g], d->name, text, unit_of(s, g, k), &value[k]);
  }
  return code;
}

// One "JOINT=X", "*=X" or "X". named: marks of what was named.
static int read_pair(const cli_states* s, int g, char* text, double* value, unsigned char* named)
{
  char* equals = strchr(text, '=');
  const char* near = NULL;
  if (equals) *equals = '\0';
  if (!equals || strcmp(text, "*") == 0) return set_all(s, g, equals ? equals + 1 : text, value);
  const int k = cli_find_dof(s->dofs, text, g == 0, &near);
  if (k < 0)
    return cli_usage(s->args, "--%s: the model has no joint '%.64s'%s%s%s", name_of[g], text,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "; limb info names them");
  named[k] = 1;
  return cli_unit_number(s->args, name_of[g], text, equals + 1, unit_of(s, g, k), &value[k]);
}

static int read_group(const cli_states* s, int g, double* value, unsigned char* named)
{
  const char* list = cli_get(s->args, name_of[g]);
  int code = cli_check_names(s->args, name_of[g]);
  while (list && *list && code == EXIT_FINE) {
    const size_t length = strcspn(list, ",");
    char text[CLI_NAME_SPACE];
    if (length >= sizeof text) return cli_usage(s->args, "--%s: an entry is too long", name_of[g]);
    memcpy(text, list, length);
    text[length] = '\0';
    code = read_pair(s, g, text, value, named);
    list += length + (list[length] == ',');
  }
  return code;
}

// ---- columns ---------------------------------------------------------------------------------------

static int count(const unsigned char* marks, int n)
{
  int c = 0;
  for (int k = 0; k < n; k++) c += marks[k] != 0;
  return c;
}

// Which of a group are given, of a robot with loops: those that were named, with motors that were not as long as no
// other joint was named; all of them when none was, or
// the motors for --branch.
static void choose_given(const cli_states* s, int g, unsigned char* named)
{
  const cli_dof* dof = g == 0 ? s->dofs->q : s->dofs->v;
  const int n = states_width(s->dofs, g);
  int passive = 0;
  for (int k = 0; k < n; k++) passive += named[k] && dof[k].passive;
  const int all = count(named, n) == 0 && (g > 0 || !cli_has(s->args, "branch"));
  for (int k = 0; k < n; k++) named[k] = (unsigned char)(named[k] || all || (!passive && !dof[k].passive));
}

// The start, closed where there are loops.
static int find_start(cli_states* s, double* q)
{
  return cli_failed(s->args, "start", limb_closed_start(s->model, q), NULL);
}

// 1 when an option names joints, and none of its entries stands for all.
static int names_joints(const cli_args* args, int g)
{
  const char* list = cli_get(args, name_of[g]);
  int named = list != NULL && *list;
  while (list && *list) {
    const size_t length = strcspn(list, ",");
    named &= memchr(list, '=', length) && *list != '*';
    list += length + (list[length] == ',');
  }
  return named;
}

// Columns of the row: one per number that is given.
static int make_columns(cli_states* s, double* const* value, unsigned char* const* named)
{
  const int loops = limb_loop_count(s->model) > 0 && !cli_has(s->args, "tree");
  s->path = "the command line";
  for (int g = 0; g < GROUP_Q_R; g++) s->options += states_width(s->dofs, g);
  s->option = calloc((size_t)s->options + 1, sizeof *s->option);
  if (!s->option || !states_reserve(s)) return cli_out_of_memory(s->args);
  const int by_joint = names_joints(s->args, GROUP_A) && names_joints(s->args, GROUP_TAU);
  int column = 0;
  for (int k = 0; k < s->dofs->nq; k++) s->column[GROUP_Q_R][k] = -1;
  for (int g = 0; g < GROUP_Q_R; g++) {
    const int only_named = (loops && g < GROUP_TAU) || (by_joint && (g == GROUP_A || g == GROUP_TAU));
    const int there = g < 2 || cli_has(s->args, name_of[g]);
    if (loops && g < 3) choose_given(s, g, named[g]);
    for (int k = 0; k < states_width(s->dofs, g); k++) {
      s->option[column] = "";
      s->row[column] = value[g][k];
      s->column[g][k] = there && (!only_named || named[g][k]) ? column : -1;
      column++;
    }
  }
  s->time_column = -1;
  states_find_quaternions(s);
  return EXIT_FINE;
}

#define ROUNDED 1e-3  // values may change by that much, as at the start of a simulation
#define SEEN    1e-12 // changes below are not reported

// Takes given values over into the row, and tells what changed.
static void take_closed(cli_states* s, int g, const double* closed, int* listed)
{
  for (int k = 0; k < states_width(s->dofs, g); k++) {
    const int column = s->column[g][k];
    if (column < 0) continue;
    const double change = closed[k] - s->row[column];
    if (fabs(change) > SEEN)
      (void)fprintf(stderr, "%s%s.%s by %.2g",
                    (*listed)++ ? ", " : "the command line: note: to close the loops, these changed: ", name_of[g],
                    (g == 0 ? s->dofs->q : s->dofs->v)[k].name, change);
    s->row[column] = s->value[g][k] = closed[k];
  }
}

// Positions, and velocities as well if they can be closed.
static limb_status close_values(const cli_states* s, int with_v, unsigned char* marks, double* q)
{
  const int nq = s->dofs->nq, nv = s->dofs->nv;
  for (int k = 0; k < nq + nv; k++) q[k] = k < nq || with_v ? s->row[k] : 0; // all numbers are there, given or not
  for (int i = 0; i < nq; i++)
    for (int k = 0; k < nv; k++) marks[k] |= s->column[0][i] >= 0 && s->dofs->q[i].joint == s->dofs->v[k].joint;
  for (int k = 0; k < nv; k++) marks[nv + k] = with_v && s->column[1][k] >= 0;
  const limb_start_given given = {.q = marks, .v = marks + nv, .tolerance = ROUNDED};
  return limb_sim_close_start(s->model, &given, q, q + nq, NULL);
}

int states_close_rounded(cli_states* s)
{
  const int nq = s->dofs->nq, nv = s->dofs->nv;
  double* q = calloc((size_t)(nq + nv) + 1, sizeof *q);
  unsigned char* marks = calloc(2 * (size_t)nv + 1, 1);
  limb_status status = LIMB_E_NOMEM;
  int listed = 0, with_v = (s->completed & STATES_V) != 0;
  if (q && marks) {
    status = close_values(s, with_v, marks, q);
    if (status != LIMB_OK && with_v) status = close_values(s, with_v = 0, marks, q);
  }
  if (status == LIMB_OK) take_closed(s, 0, q, &listed);
  if (status == LIMB_OK && with_v) take_closed(s, 1, q + nq, &listed);
  if (listed) (void)fprintf(stderr, "\n");
  free(q);
  free(marks);
  return status == LIMB_OK;
}

int cli_states_line(cli_states* s, const cli_args* args, cli_robot* robot)
{
  double* value[GROUP_Q_R] = {NULL};
  unsigned char* named[GROUP_Q_R] = {NULL};
  int code = EXIT_FINE;
  *s = (cli_states){.args = args, .model = robot->model, .dofs = &robot->dofs, .path = "the command line"};
  for (int g = 0; g < GROUP_Q_R; g++) {
    const size_t n = (size_t)states_width(&robot->dofs, g) + 1;
    value[g] = calloc(n, sizeof **value);
    named[g] = calloc(n, 1);
    if (!value[g] || !named[g]) code = cli_out_of_memory(args);
  }
  if (code == EXIT_FINE) code = find_start(s, value[0]);
  if (code == EXIT_FINE) code = cli_take_pose(args, robot, value[0], named[0]);
  for (int g = 0; g < GROUP_Q_R && code == EXIT_FINE; g++) code = read_group(s, g, value[g], named[g]);
  if (code == EXIT_FINE) code = make_columns(s, value, named);
  if (code == EXIT_FINE) code = states_find_branches(s);
  for (int g = 0; g < GROUP_Q_R; g++) free(value[g]), free(named[g]);
  if (code != EXIT_FINE) cli_states_close(s);
  return code;
}
