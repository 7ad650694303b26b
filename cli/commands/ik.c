// `limb ik`: configurations at which frames have given poses.
#include "commands/ik.h"
#include "base/output.h"
#include "states/states.h"

#include "limb/batch.h"

#include "limb/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BRANCHES = 10000, NAME_SIZE = CLI_NAME_SPACE };

static const cli_option goal_options[] = {
  {"", NULL, "the goals"},
  {"frame", "NAME,...", "bodies or frames that have targets (default: the last added frame of the model)"},
  {"target", "X,Y,Z[,QX,QY,QZ,QW]", "the pose in the world, in m; without a quaternion the position only"},
  {"rpy", "R,P,Y", "its rotation: Rz(Y) Ry(P) Rx(R), in rad"},
  {"directions", "LIST",
   "what counts: some of wx,wy,wz,vx,vy,vz, or angular, or linear (default: all that targets have)"},
  {"axes", "target|world", "axes of the directions (default: target)"},
  {"angular-weight", "W", "of errors in rad beside errors in m (default: 1)"},
  {0},
};

static const cli_option start_options[] = {
  {"", NULL, "the search"},
  {"start", "FILE.csv", "where to begin: the first row of a table (default: the start of the model)"},
  {"pose", "NAME", "where to begin: a named pose of the model"},
  {"q", "JOINT=X,...", "where to begin, by joint, with units; overrides --start and --pose"},
  {"reference", "JOINT=X,...", "the posture that redundant robots stay nearest to; or FILE.csv"},
  {"hold", "JOINT,...", "joints that stay where they begin"},
  {"branches", "N", "up to N different solutions, nearest to the reference or start first"},
  {"tolerance", "X", "largest error in m and rad (default: 1e-10)"},
  {"max-iterations", "N", "for each start (default: 200)"},
  {"restarts", "N", "random starts after the first (default: 200)"},
  {"seed", "N", "of the random starts (default: 0)"},
  {"ignore-limits", NULL, "joints may leave their limits"},
  {"threads", "N", "rows of a table on their own, each from the start, on N threads (0: one per processor)"},
  {0},
};

static const cli_option output_options[] = {
  {"", NULL, "the output"},
  {"format", "csv|json|text", "how results are printed (default: by the ending of --output, else csv)"},
  {"output", "FILE", "where to: .csv, .json or .txt (default: standard output)"},
  {"resume", NULL,
   "of a table: go on with OUTPUT.part, the rows of a run that was stopped (docs/scale.md); begins if there is none"},
  {0},
};

static const cli_option* const options[] = {goal_options,       start_options,  cli_model_options,
                                            cli_change_options, output_options, NULL};

static const char about[] = //
  "Finds joint positions at which frames have given poses, within the limits of the joints and with loops closed. "
  "The target is given by --target, or by each row of a table: columns pose.<frame>.position.x .y .z and "
  "pose.<frame>.quaternion.x .y .z .w as limb eval writes them; the name of the frame may be left out if there is "
  "only one. Without quaternions, only positions count. - is standard input. The output is a table with time, if "
  "there is one, and q.<joint>, which limb id --differentiate, eval and sim --start read.\n"
  "Each row begins at the solution of the row before, so that a path is followed continuously; a row that needed a "
  "random start is reported in a warning. With --threads, every row begins at the start instead, for any number of "
  "threads: this is for sets of poses, not for paths. If a target is not reached, the command ends with exit code 4 "
  "and explains why: how far the frames stay away, the nearest pose, joints at their limits. The rows before are "
  "kept; JSON has the nearest configuration.\n"
  "Two angular directions align an axis: --directions wx,wy,linear turns the z axis of the frame into that of the "
  "target and leaves the rotation about it free.";

static const char* const examples[] = {
  "limb ik panda --frame flange --target 0.4,0.1,0.5 --rpy 3.14159,0,0",
  "joint positions for a pose",
  "limb ik ur5 --target 0.4,0.2,0.3 --rpy 3,0,0 --branches 8 --format text",
  "all ways to reach it",
  "limb ik planar_2r circle.csv --frame tip --q joint2=1 | limb id planar_2r - --differentiate",
  "torques for a path of the tip",
  NULL,
};

// ---- options ---------------------------------------------------------------------------------------

static int add_frame(ik_run* r, char* name)
{
  int frame;
  if (r->frames == IK_FRAMES_MAX) return cli_usage(r->args, "--frame: at most %d frames", IK_FRAMES_MAX);
  if (cli_find_frame(r->args, r->robot.model, name, &frame) != EXIT_FINE) return EXIT_USAGE;
  limb_frame_info x;
  if (limb_get_frame(r->robot.model, frame, &x) == LIMB_OK) r->frame[r->frames] = x.name;
  r->goal[r->frames++] = limb_default_ik_goal(frame);
  return EXIT_FINE;
}

static int read_frames(ik_run* r)
{
  const char* list = cli_get(r->args, "frame");
  int code = EXIT_FINE;
  limb_frame_info last;
  char name[NAME_SIZE];
  if (!list) {
    const int frames = limb_frame_count(r->robot.model);
    if (frames == limb_body_count(r->robot.model) || limb_get_frame(r->robot.model, frames - 1, &last) != LIMB_OK)
      return cli_usage(r->args, "name the body that has the target: --frame NAME; the model has no added frames");
    (void)snprintf(name, sizeof name, "%s", last.name);
    return add_frame(r, name);
  }
  while (list && code == EXIT_FINE) {
    const size_t length = strcspn(list, ",");
    (void)snprintf(name, sizeof name, "%.*s", (int)length, list);
    code = add_frame(r, name);
    list = list[length] ? list + length + 1 : NULL;
  }
  return code;
}

static int read_goals(ik_run* r)
{
  unsigned directions = LIMB_TWIST;
  double weight = 1;
  const char* axes = cli_get(r->args, "axes");
  int code = read_frames(r);
  if (code == EXIT_FINE) code = cli_directions(r->args, &directions);
  if (code != EXIT_FINE) return code;
  if (cli_positive(r->args, "angular-weight", &weight) != EXIT_FINE) return EXIT_USAGE;
  for (int k = 0; k < r->frames; k++) {
    r->goal[k].task.directions = directions;
    r->goal[k].task.ref = axes && strcmp(axes, "world") == 0 ? LIMB_ALIGNED : LIMB_BODY;
    r->goal[k].angular = weight;
  }
  return EXIT_FINE;
}

// "JOINT=X,..." in q.
static int read_pairs(ik_run* r, const char* option, const char* list, double* q)
{
  if (cli_check_names(r->args, option) != EXIT_FINE) return EXIT_USAGE;
  while (list) {
    const size_t length = strcspn(list, ",");
    char name[NAME_SIZE];
    const char* close = NULL;
    (void)snprintf(name, sizeof name, "%.*s", (int)length, list);
    char* value = strchr(name, '=');
    if (!value) return cli_usage(r->args, "--%s takes JOINT=X,..., not '%s'", option, name);
    *value++ = '\0';
    const int k = cli_find_dof(&r->robot.dofs, name, 1, &close);
    if (k < 0)
      return cli_usage(r->args, "--%s: the model has no joint '%s'%s%s%s", option, name,
                       close ? "; did you mean '" : "", close ? close : "", close ? "'?" : "");
    const int code = cli_unit_number(r->args, option, name, value, limb_position_unit(&r->robot.dofs.q[k]), &q[k]);
    if (code != EXIT_FINE) return code;
    list = list[length] ? list + length + 1 : NULL;
  }
  return EXIT_FINE;
}

// The first row of a table.
static int read_row(ik_run* r, const char* option, const char* path, double* q)
{
  cli_states s;
  int got = 0, code = cli_states_open(&s, r->args, &r->robot, path);
  if (code != EXIT_FINE) return code;
  code = cli_states_need(&s, STATES_Q | STATES_PART, option);
  if (code == EXIT_FINE) code = cli_states_next(&s, &got);
  if (code == EXIT_FINE && !got) code = cli_usage(r->args, "--%s: %s has no rows", option, path);
  for (int k = 0; k < r->robot.dofs.nq && code == EXIT_FINE; k++)
    if (s.column[0][k] >= 0) q[k] = s.q[k];
  cli_states_close(&s);
  return code;
}

// The start and the reference. Without the one the search begins at the other; what the options do not name is at the
// start of the model, loops closed.
static int read_postures(ik_run* r)
{
  const char *reference = cli_get(r->args, "reference"), *row = cli_get(r->args, "start"), *q = cli_get(r->args, "q");
  const size_t bytes = (size_t)r->robot.dofs.nq * sizeof *r->start;
  const limb_status s = limb_closed_start(r->robot.model, r->start);
  int code = EXIT_FINE;
  if (s == LIMB_E_NOMEM) return cli_out_of_memory(r->args);
  if (s != LIMB_OK) return cli_usage(r->args, "start: %s", limb_status_text(s));
  if (r->reference) {
    memcpy(r->reference, r->start, bytes);
    const int pairs = strchr(reference, '=') != NULL;
    code = (pairs ? read_pairs : read_row)(r, "reference", reference, r->reference);
    if (!row && !q && !cli_has(r->args, "pose")) memcpy(r->start, r->reference, bytes);
  }
  if (code == EXIT_FINE && row) code = read_row(r, "start", row, r->start);
  if (code == EXIT_FINE) code = cli_take_pose(r->args, &r->robot, r->start, NULL);
  if (code == EXIT_FINE && q) code = read_pairs(r, "q", q, r->start);
  return code;
}

static int read_held(ik_run* r)
{
  const char* list = cli_get(r->args, "hold");
  limb_joint_info x;
  while (list) {
    const size_t length = strcspn(list, ",");
    char name[NAME_SIZE];
    (void)snprintf(name, sizeof name, "%.*s", (int)length, list);
    if (limb_get_joint(r->robot.model, limb_find_joint(r->robot.model, name), &x) != LIMB_OK)
      return cli_usage(r->args, "--hold: the model has no joint '%s'; limb info names them", name);
    memset(r->held + x.v, 1, (size_t)x.nv);
    list = list[length] ? list + length + 1 : NULL;
  }
  return EXIT_FINE;
}

static int read_search(ik_run* r)
{
  limb_ik_options* o = &r->options;
  double iterations = o->max_iterations, restarts = o->restarts, seed = 0, branches = 0, threads = 0;
  int code = cli_whole(r->args, "max-iterations", 1, 1e6, &iterations);
  if (code == EXIT_FINE) code = cli_whole(r->args, "restarts", 0, 1e6, &restarts);
  if (code == EXIT_FINE) code = cli_whole(r->args, "seed", 0, 9007199254740992.0, &seed);
  if (code == EXIT_FINE) code = cli_whole(r->args, "branches", 1, MAX_BRANCHES, &branches);
  if (code == EXIT_FINE) code = cli_whole(r->args, "threads", 0, CLI_THREADS_MAX, &threads);
  r->thread_count = (int)threads;
  if (code == EXIT_FINE && cli_has(r->args, "threads") && cli_operand_count(r->args) < 2)
    return cli_usage(r->args, "--threads is for a table of poses");
  if (code != EXIT_FINE) return code;
  if (cli_positive(r->args, "tolerance", &o->tolerance) != EXIT_FINE) return EXIT_USAGE;
  if (branches > 0 && cli_operand_count(r->args) > 1)
    return cli_usage(r->args, "--branches is for one target: --target");
  o->max_iterations = (int)iterations, o->restarts = (int)restarts, o->seed = (uint64_t)seed;
  o->ignore_limits = cli_has(r->args, "ignore-limits");
  o->held = r->held;
  o->reference = r->reference;
  r->branches = (int)branches;
  return EXIT_FINE;
}

static int read_options(ik_run* r)
{
  int code = read_goals(r);
  if (code == EXIT_FINE) code = read_postures(r);
  if (code == EXIT_FINE) code = read_held(r);
  if (code == EXIT_FINE) code = read_search(r);
  if (code == EXIT_FINE) code = ik_targets_open(r);
  if (code == EXIT_FINE && r->path && strcmp(r->format, "csv") != 0)
    code = cli_usage(r->args, "a table of poses becomes CSV, not %s", r->format);
  if (code == EXIT_FINE && !r->path && cli_has(r->args, "resume"))
    code = cli_usage(r->args, "--resume is for a table of poses");
  return code;
}

// ---- solving ---------------------------------------------------------------------------------------

int ik_failed(const ik_run* r, limb_status s)
{
  if (s == LIMB_E_NOMEM) return cli_out_of_memory(r->args);
  (void)cli_usage(r->args, "%s: %s", limb_reading_source(r->robot.reading), limb_status_text(s));
  return cli_exit_code(s);
}

// One target: r->q has the solutions, or the nearest configuration. EXIT_NUMERICAL: not reached.
static int solve_one(ik_run* r)
{
  r->count = 1;
  if (r->branches > 0) {
    const limb_status s = limb_ik_branches(r->ik, r->target, r->start, r->branches, r->q, &r->count);
    if (s != LIMB_E_NOCONV) return s == LIMB_OK ? EXIT_FINE : ik_failed(r, s);
    r->count = 1, r->branches = 0; // the reason
  }
  const limb_status s = limb_ik_solve(r->ik, r->target, r->start, r->q, &r->report);
  if (s == LIMB_OK) return EXIT_FINE;
  return s == LIMB_E_NOCONV ? ik_explain(r) : ik_failed(r, s);
}

static int solve_and_print(ik_run* r)
{
  const char* title = cli_title(r->args);
  cli_output out;
  const int solved = r->path ? EXIT_FINE : solve_one(r);
  if (solved != EXIT_FINE && (solved != EXIT_NUMERICAL || strcmp(r->format, "json") != 0)) return solved;
  int code = cli_output_open(&out, title, cli_get(r->args, "output"));
  if (code != EXIT_FINE) return code;
  code = strcmp(r->format, "csv") == 0 ? ik_print_csv(r, out.stream, &out) : ik_print(r, out.stream);
  if (code == EXIT_FINE) code = cli_output_commit(&out, title);
  if (code != EXIT_FINE) cli_kept_stop(&r->kept, (uint64_t)r->written);
  if (code == EXIT_NUMERICAL && !out.kept) cli_output_salvage(&out, title);
  cli_kept_close(&r->kept);
  cli_output_abandon(&out);
  return code != EXIT_FINE ? code : solved;
}

// ---- the command -----------------------------------------------------------------------------------

static int run_robot(ik_run* r)
{
  if (limb_nv(r->robot.model) == 0) {
    (void)cli_usage(r->args, "%s: no joint moves: there is nothing to solve", limb_model_name(r->robot.model));
    return EXIT_MODEL;
  }
  const size_t nq = (size_t)limb_nq(r->robot.model) + 1;
  r->start = calloc(nq, sizeof *r->start);
  r->reference = cli_has(r->args, "reference") ? calloc(nq, sizeof *r->reference) : NULL;
  r->held = calloc((size_t)limb_nv(r->robot.model) + 1, 1);
  if (!r->start || !r->held || (cli_has(r->args, "reference") && !r->reference)) return cli_out_of_memory(r->args);
  int code = read_options(r);
  if (code != EXIT_FINE) return code;
  r->q = calloc(nq * (size_t)(r->branches > 0 ? r->branches : 1), sizeof *r->q);
  if (!r->q) return cli_out_of_memory(r->args);
  limb_status s = LIMB_OK;
  if (cli_has(r->args, "threads")) {
    s = limb_threads_create(r->thread_count, NULL, &r->threads);
    if (s == LIMB_OK) r->options.pool = limb_threads_pool(r->threads);
  }
  if (s == LIMB_OK) s = limb_ik_create(r->robot.model, r->frames, r->goal, &r->options, NULL, &r->ik);
  if (s != LIMB_OK) return ik_failed(r, s);
  return r->out ? ik_print_csv(r, r->out, NULL) : solve_and_print(r);
}

// What run_robot made; not the robot.
static void release(ik_run* r)
{
  ik_targets_close(r);
  limb_ik_destroy(r->ik);
  limb_threads_destroy(r->threads);
  free(r->start), free(r->reference), free(r->held), free(r->q);
}

int ik_follow(const cli_args* args, const cli_robot* robot, FILE* out)
{
  ik_run r = {.args = args,
              .robot = *robot,
              .format = "csv",
              .options = limb_default_ik_options(),
              .time_column = -1,
              .out = out};
  const int code = run_robot(&r);
  release(&r);
  return code;
}

static int run_ik(const cli_args* args)
{
  ik_run r = {.args = args, .format = cli_format(args, "csv"), .options = limb_default_ik_options(), .time_column = -1};
  int code = r.format ? EXIT_FINE : EXIT_USAGE;
  if (code == EXIT_FINE && !cli_has(args, "output")) code = cli_writes_to(args, "the table", "-", "");
  if (code == EXIT_FINE) code = cli_robot_open(args, cli_operand(args, 0), &r.robot);
  if (code == EXIT_FINE) code = run_robot(&r);
  release(&r);
  cli_robot_close(&r.robot);
  return code;
}

const cli_command cli_ik = {
  .name = "ik",
  .operands = "MODEL [POSES.csv]",
  .summary = "inverse kinematics: joint positions for poses of frames",
  .about = about,
  .examples = examples,
  .options = options,
  .run = run_ik,
  .writes = (const cli_written[]){{"output", ".csv .json .txt"}, {0}},
};
