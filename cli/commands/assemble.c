// `limb assemble`: configurations that close the loops of a robot; branches; maps.
#include "commands/assemble.h"
#include "base/command.h"
#include "base/output.h"
#include "states/states.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_RESTARTS = 20, BRANCH_RESTARTS = 200, MAX_BRANCHES = 10000, NAME_SIZE = CLI_NAME_SPACE };

static const cli_option start_options[] = {
  {"", NULL, "where to begin"},
  {"start", "FILE.csv", "the first row of a table with columns q.<joint>; others begin at the start of the model"},
  {"pose", "NAME", "a named pose of the model, as limb info lists them"},
  {"q", "NAME=X,...", "coordinates to begin at: joints, or components such as base.px; overrides --start and --pose"},
  {"hold", "NAME,...", "joints that stay where they begin; NAME=X begins there"},
  {"time", "T", "time of prescribed motions in s (default: 0)"},
  {0},
};

static const cli_option search_options[] = {
  {"", NULL, "the search"},
  {"branches", "N", "look for up to N different configurations with the same held joints"},
  {"restarts", "N", "random starts after the given one (default: 20; for branches 200)"},
  {"seed", "N", "seed of the random starts (default: 0)"},
  {"within-limits", NULL, "only configurations within the limits of the joints"},
  {"tolerance", "X", "largest gap of a closed loop in m or rad (default: 1e-12)"},
  {0},
};

static const cli_option map_options[] = {
  {"", NULL, "maps"},
  {"map", "NAME:LOWER:UPPER:COUNT", "a grid of values of a coordinate, on the branch found"},
  {"map2", "NAME:LOWER:UPPER:COUNT", "the same for a second coordinate"},
  {"frame", "NAME", "add the pose of a body or frame"},
  {"plot", "FILE", "draw the map: .svg, .png, .pdf or .html"},
  {0},
};

static const cli_option output_options[] = {
  {"", NULL, "the output"},
  {"format", "csv|json|text", "output format (default: csv)"},
  {"output", "FILE", "output file (default: standard output)"},
  {0},
};

static const cli_option* const options[] = {start_options,     search_options,     map_options, output_options,
                                            cli_model_options, cli_change_options, NULL};

static const char about[] = //
  "Closes the loops of a robot by the Levenberg-Marquardt method, beginning at the start configuration of the model "
  "or at any other one. If that does not converge, random starts are tried. Prints a table with columns q.<joint>, "
  "which all commands read, and on standard error the largest remaining gap.\n"
  "If no configuration is found, the loop that stays open is reported with its gap, and the exit code is 4. The exit "
  "code is also 4 if the robot is locked: its loops close, but nothing can move. Joints outside their limits are "
  "reported; --within-limits excludes such configurations.\n"
  "--branches finds the different ways to close the loops while some joints are held in place: those of --hold, "
  "otherwise as many as there are motions, motors first. Each way is one row.\n"
  "--map computes a grid point by point from neighbour to neighbour, so that all points are on one branch. Its table "
  "has a row per point, the second coordinate changing fastest: the coordinates of the grid; closed, 1 or 0; "
  "mobility; condition, of the loops, condition_passive, of the columns of passive joints (near a singularity of the "
  "second kind it is large), condition_active, of the drives (the first kind); singularity, 0 regular, 1 drives, 2 "
  "platform, 3 both, 4 closure; the pose of --frame, px py pz qx qy qz qw; and q of the joints. Where the loops do "
  "not close, fields are empty.";

static const char* const examples[] = {
  "limb assemble four_bar",
  "a configuration that closes the loops, near the start of the model",
  "limb assemble four_bar --hold theta1=2 --branches 4",
  "all ways to close them at a position of the crank",
  "limb assemble five_bar --map left_shoulder:-1:3:61 --map2 right_shoulder:-1:3:61 --plot map.svg",
  "workspace and singularities over both motors",
  NULL,
};

// ---- names -----------------------------------------------------------------------------------------

int assemble_unknown(const assemble_run* r, const char* option, const char* name)
{
  enum { SHOWN = 8 };
  const char* close = NULL;
  char list[SHOWN * NAME_SIZE] = "";
  size_t used = 0;
  (void)cli_find_dof(&r->robot.dofs, name, 1, &close);
  for (int k = 0; k < r->robot.dofs.nq && k < SHOWN; k++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%.200s", k ? ", " : "", r->robot.dofs.q[k].name);
  if (close)
    (void)cli_usage(r->args, "--%s: the model has no coordinate '%s'; did you mean '%s'?", option, name, close);
  else
    (void)cli_usage(r->args, "--%s: the model has no coordinate '%s'; it has %s%s", option, name,
                    r->robot.dofs.nq > 0 ? list : "none",
                    r->robot.dofs.nq > SHOWN ? " and more: limb info names its joints" : "");
  return EXIT_USAGE;
}

// 1 if each coordinate of a joint has a velocity of its own.
static int is_plain(const limb_joint_info* x) { return x->def.type != LIMB_SPHERICAL && x->def.type != LIMB_FREE; }

// Holds a joint, or a component of one.
static int hold(assemble_run* r, const char* name)
{
  limb_joint_info x;
  const char* near = NULL;
  const int joint = limb_find_joint(r->robot.model, name), k = cli_find_dof(&r->robot.dofs, name, 1, &near);
  if (limb_get_joint(r->robot.model, joint, &x) == LIMB_OK && x.nv > 0) {
    memset(r->held + x.v, 1, (size_t)x.nv);
    return EXIT_FINE;
  }
  if (k < 0) return assemble_unknown(r, "hold", name);
  if (limb_get_joint(r->robot.model, r->robot.dofs.q[k].joint, &x) != LIMB_OK) return EXIT_FINE;
  if (!is_plain(&x))
    return cli_usage(r->args, "--hold: joint '%s' is held as a whole: name it without component", x.def.name);
  r->held[x.v + r->robot.dofs.q[k].index] = 1;
  return EXIT_FINE;
}

static int set(assemble_run* r, const char* option, const char* name, const char* value)
{
  const char* near = NULL;
  const int k = cli_find_dof(&r->robot.dofs, name, 1, &near);
  char* end = NULL;
  if (k < 0) return assemble_unknown(r, option, name);
  const double x = strtod(value, &end); // no locale is ever set
  if (end == value || *end || !isfinite(x))
    return cli_usage(r->args, "--%s: '%s' is not a number, for %s", option, value, name);
  r->at->q[k] = x;
  return EXIT_FINE;
}

// "a=1,b,c=2": names with a value are set; all are held if the option is --hold.
static int read_list(assemble_run* r, const char* option)
{
  const int holds = strcmp(option, "hold") == 0;
  const char* list = cli_get(r->args, option);
  int code = cli_check_names(r->args, option);
  while (list && code == EXIT_FINE) {
    const size_t length = strcspn(list, ",");
    char name[NAME_SIZE];
    if (length >= sizeof name) return cli_usage(r->args, "--%s: a name is too long", option);
    memcpy(name, list, length);
    name[length] = '\0';
    char* value = strrchr(name, '=');
    if (value) *value++ = '\0';
    if (!value && !holds) return cli_usage(r->args, "--q takes NAME=X, not '%s'", name);
    if (value) code = set(r, option, name, value);
    if (code == EXIT_FINE && holds) code = hold(r, name);
    list = list[length] ? list + length + 1 : NULL;
  }
  return code;
}

// ---- the start -------------------------------------------------------------------------------------

static int read_row(assemble_run* r, cli_states* s)
{
  int got = 0;
  int code = cli_states_need(s, STATES_Q | STATES_PART, "--start");
  if (code == EXIT_FINE) code = cli_states_next(s, &got);
  if (code == EXIT_FINE && !got) code = cli_usage(r->args, "--start: %s has no rows", s->path);
  for (int k = 0; k < r->robot.dofs.nq && code == EXIT_FINE; k++)
    if (s->column[0][k] >= 0) r->at->q[k] = s->q[k];
  return code;
}

// Quaternions that were set component by component.
static int check_rotations(const assemble_run* r)
{
  limb_joint_info x;
  for (int j = 0; j < limb_joint_count(r->robot.model); j++) {
    if (limb_get_joint(r->robot.model, j, &x) != LIMB_OK || is_plain(&x)) continue;
    const double* q = r->at->q + x.q + (x.def.type == LIMB_FREE ? 3 : 0);
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (fabs(norm - 1) <= 1e-3) continue;
    return cli_usage(r->args, "the quaternion of joint '%s' has norm %g; it must be 1", x.def.name, norm);
  }
  return EXIT_FINE;
}

static int read_start(assemble_run* r)
{
  const char* path = cli_get(r->args, "start");
  int code = EXIT_FINE;
  if (path) {
    cli_states s;
    code = cli_states_open(&s, r->args, &r->robot, path);
    if (code != EXIT_FINE) return code;
    code = read_row(r, &s);
    cli_states_close(&s);
  }
  if (code == EXIT_FINE) code = cli_take_pose(r->args, &r->robot, r->at->q, NULL);
  if (code == EXIT_FINE) code = read_list(r, "q");
  if (code == EXIT_FINE) code = read_list(r, "hold");
  for (int k = 0; k < r->robot.dofs.nv; k++) r->nheld += r->held[k];
  return code == EXIT_FINE ? check_rotations(r) : code;
}

static int read_search(assemble_run* r, double* branches)
{
  double restarts = DEFAULT_RESTARTS, seed = 0;
  r->how = limb_default_assembly();
  int code = cli_whole(r->args, "branches", 1, MAX_BRANCHES, branches);
  if (code == EXIT_FINE) code = cli_whole(r->args, "restarts", 0, 1e6, &restarts);
  if (code == EXIT_FINE) code = cli_whole(r->args, "seed", 0, 9007199254740992.0, &seed);
  if (code != EXIT_FINE) return code;
  if (cli_has(r->args, "time") && !cli_numbers(r->args, "time", 1, &r->how.time)) return EXIT_USAGE;
  if (cli_positive(r->args, "tolerance", &r->how.tolerance) != EXIT_FINE) return EXIT_USAGE;
  if (*branches > 0 && cli_has(r->args, "map"))
    return cli_usage(r->args, "--map follows one branch: leave --branches out");
  r->how.restarts = (int)restarts;
  r->how.seed = (uint64_t)seed;
  r->how.within_limits = cli_has(r->args, "within-limits");
  return EXIT_FINE;
}

// ---- assembling ------------------------------------------------------------------------------------

static int failed(const assemble_run* r, limb_status s)
{
  return cli_failed(r->args, limb_reading_source(r->robot.reading), s, NULL);
}

// Without --hold as many velocities as there are motions; of rotations and free joints all or none.
static limb_status hold_motions(assemble_run* r, const limb_loop_options* o)
{
  limb_joint_info x;
  const limb_status s = limb_independent_velocities(r->at->data, r->at->q, o, r->held);
  for (int j = 0; j < limb_joint_count(r->robot.model) && s == LIMB_OK; j++) {
    if (limb_get_joint(r->robot.model, j, &x) != LIMB_OK || is_plain(&x)) continue;
    int all = 1;
    for (int k = 0; k < x.nv; k++) all &= r->held[x.v + k];
    memset(r->held + x.v, all, (size_t)x.nv);
  }
  for (int k = 0; k < r->robot.dofs.nv; k++) r->nheld += r->held[k];
  return s;
}

static int find_branches(assemble_run* r, int max, const limb_loop_options* o)
{
  const size_t nq = (size_t)r->robot.dofs.nq;
  free(r->q);
  r->q = calloc((size_t)max * nq + 1, sizeof *r->q);
  if (!r->q) return cli_out_of_memory(r->args);
  limb_status s = r->nheld > 0 ? LIMB_OK : hold_motions(r, o);
  r->how.held = r->held;
  if (!cli_has(r->args, "restarts")) r->how.restarts = BRANCH_RESTARTS;
  if (s == LIMB_OK) s = limb_assembly_branches(r->at->data, r->at->q, &r->how, max, r->q, &r->count);
  if (s != LIMB_OK) return failed(r, s);
  if (r->nheld < r->at->mobility.mobility)
    (void)fprintf(stderr, "%s: note: %d of %d motions are held: connected branches count more than once\n",
                  limb_reading_source(r->robot.reading), r->nheld, r->at->mobility.mobility);
  return EXIT_FINE;
}

// The loops that lock the robot: those with constraints that others do not imply.
static void report_locked(const limb_loop_facts* c, const char* name)
{
  enum { SHOWN = 8 };
  limb_loop_info x;
  int holding = 0;
  (void)fprintf(stderr, "%s: error: the mechanism is locked: none of its %d velocities is left free by", name,
                c->mobility.nv);
  for (int i = 0; i < limb_loop_count(c->model); i++) {
    if (limb_get_loop(c->model, i, &x) != LIMB_OK || limb_redundant_of(c, i) == x.nconstraint) continue;
    if (holding++ < SHOWN) (void)fprintf(stderr, "%s '%s'", holding > 1 ? "," : " loop", x.def.name);
  }
  if (holding > SHOWN) (void)fprintf(stderr, " and %d more", holding - SHOWN);
  (void)fprintf(stderr, "; residual %.2g\n", c->report.residual);
}

// The result, on standard error.
static void report(const assemble_run* r)
{
  const limb_loop_facts* c = r->at;
  const char* name = limb_reading_source(r->robot.reading);
  if (limb_loop_count(c->model) == 0) {
    (void)fprintf(stderr, "%s: note: there are no loops: every configuration is closed\n", name);
    return;
  }
  if (!c->closed && c->report.limits) {
    (void)fprintf(stderr, "%s: error: the loops close, but only outside the limits of joints, in %d start%s\n", name,
                  c->report.starts, c->report.starts == 1 ? "" : "s");
    return;
  }
  if (!c->closed) {
    (void)fprintf(stderr, "%s: error: loop '%s': cannot be closed: it stays %.3g apart, at best of %d start%s\n", name,
                  cli_loop_name(c->model, c->report.loop), c->report.residual, c->report.starts,
                  c->report.starts == 1 ? "" : "s");
    return;
  }
  (void)fprintf(stderr, "%s: closed: residual %.2g in loop '%s'", name, c->report.residual,
                cli_loop_name(c->model, c->report.loop));
  if (c->report.starts > 1)
    (void)fprintf(stderr, ", from random start %d, not from the given one", c->report.starts - 1);
  (void)fprintf(stderr, "; %d motion%s, %d constraint%s redundant\n", c->mobility.mobility,
                c->mobility.mobility == 1 ? "" : "s", c->mobility.redundant, c->mobility.redundant == 1 ? "" : "s");
  for (int i = 0; i < limb_loop_count(c->model); i++) {
    limb_loop_info x;
    if (limb_get_loop(c->model, i, &x) == LIMB_OK && limb_redundant_of(c, i) == x.nconstraint)
      (void)fprintf(stderr, "%s: warning: loop '%s': is redundant: other loops imply all its constraints\n", name,
                    x.def.name);
  }
  if (limb_is_locked(c)) report_locked(c, name);
}

static int print(assemble_run* r)
{
  const char* title = cli_title(r->args);
  cli_output out;
  int code = cli_output_open(&out, title, cli_get(r->args, "output"));
  if (code != EXIT_FINE) return code;
  code = cli_has(r->args, "map") ? assemble_run_map(r, out.stream) : assemble_print(r, out.stream);
  if (code == EXIT_FINE) code = cli_output_commit(&out, title);
  cli_output_abandon(&out);
  return code;
}

static int run_search(assemble_run* r)
{
  double branches = 0;
  limb_loop_options o = limb_default_loop_options();
  int code = read_start(r);
  if (code == EXIT_FINE) code = read_search(r, &branches);
  if (code != EXIT_FINE) return code;
  o.time = r->how.time;
  r->how.held = r->nheld > 0 ? r->held : NULL;
  limb_status s = limb_close_loops(r->at, &r->how);
  if (s == LIMB_OK && r->at->closed) s = limb_examine_loops(r->at, &o);
  if (s != LIMB_OK) return failed(r, s);
  report(r);
  memcpy(r->q, r->at->q, (size_t)r->robot.dofs.nq * sizeof *r->q);
  r->count = r->at->closed;
  if (r->at->closed && branches > 0) code = find_branches(r, (int)branches, &o);
  if (code == EXIT_FINE && (r->at->closed || r->at->report.limits)) assemble_report_limits(r);
  const int shown = r->at->closed || (strcmp(r->format, "json") == 0 && !cli_has(r->args, "map"));
  if (code == EXIT_FINE && shown) code = print(r);
  return code != EXIT_FINE ? code : !r->at->closed || limb_is_locked(r->at) ? EXIT_NUMERICAL : EXIT_FINE;
}

static int check_options(const cli_args* args, const char* format)
{
  static const char* const need_map[] = {"map2", "frame", "plot"};
  for (int k = 0; k < 3 && !cli_has(args, "map"); k++)
    if (cli_has(args, need_map[k])) return cli_usage(args, "--%s needs --map", need_map[k]);
  if (cli_has(args, "map") && strcmp(format, "csv") != 0) return cli_usage(args, "--map prints CSV, not %s", format);
  return cli_has(args, "output") ? EXIT_FINE : cli_writes_to(args, "the table", "-", "");
}

static int run_assemble(const cli_args* args)
{
  assemble_run r = {.args = args, .format = cli_format(args, "csv")};
  int code = r.format ? check_options(args, r.format) : EXIT_USAGE;
  if (code == EXIT_FINE) code = cli_robot_open(args, cli_operand(args, 0), &r.robot);
  if (code != EXIT_FINE) return code;
  const limb_model* m = r.robot.model;
  const limb_status s = limb_loop_facts_create(m, &r.at);
  r.held = calloc((size_t)limb_nv(m) + 1, 1);
  r.q = calloc((size_t)limb_nq(m) + 1, sizeof *r.q);
  if (s != LIMB_OK)
    code = failed(&r, s);
  else
    code = r.held && r.q ? run_search(&r) : cli_out_of_memory(args);
  limb_loop_facts_destroy(r.at);
  cli_robot_close(&r.robot);
  free(r.held);
  free(r.q);
  return code;
}

const cli_command cli_assemble = {
  .name = "assemble",
  .operands = "MODEL",
  .summary = "close the loops of a robot: configurations, branches, maps",
  .about = about,
  .examples = examples,
  .options = options,
  .run = run_assemble,
  .writes = (const cli_written[]){{"output", ".csv .json .txt"}, {"plot", CLI_DRAWINGS}, {0}},
};
