// `limb id`: inverse dynamics along a trajectory: torques, the sizing table, curves.
#include "limb/draw.h"

#include "base/command.h"
#include "base/output.h"
#include "commands/id.h"
#include "commands/id_curves.h"
#include "commands/ik.h"
#include "robot/robot.h"
#include "states/states.h"

#include <stdlib.h>
#include <string.h>

static const cli_option own_options[] = {
  {"", NULL, "what to do"},
  {"differentiate", NULL, "velocities and accelerations from the positions, by a quintic spline"},
  {"size", NULL, "print the sizing table: peaks, RMS, power, energy, limits, loads"},
  {"plot", "FILE", "draw curves over time, a panel each: .svg, .png, .pdf or .html"},
  {"curves", "LIST", "of --plot: torque, speed, power, load (default: torque)"},
  {"animate", "FILE.html", "draw the robot as it moves, for any browser; also FILE.svg"},
  {0},
};

static const cli_option path_options[] = {
  {"", NULL, "a path of a frame instead of joint positions (limb ik has more)"},
  {"frame", "NAME,...", "the table has poses of these frames, columns as for limb ik; implies --differentiate"},
  {"directions", "LIST", "what counts: some of wx,wy,wz,vx,vy,vz, or angular, or linear"},
  {"start", "FILE.csv", "where the search begins: the first row of a table"},
  {"q", "JOINT=X,...", "where the search begins, by joint, with units; overrides --start"},
  {"reference", "JOINT=X,...", "the posture that redundant robots stay nearest to; or FILE.csv"},
  {0},
};

static const cli_option output_options[] = {
  {"", NULL, "the output"},
  {"output", "FILE.csv", "torques (default: standard output, unless --size, --plot or --animate is given)"},
  {"format", "text|json|csv", "of the sizing table (default: text)"},
  {0},
};

static const cli_option* const options[] = {
  own_options,       path_options,       cli_model_options, cli_change_options,
  cli_world_options, cli_wrench_options, output_options,    NULL};

static const char about[] = //
  "Reads a table with the columns q.<joint>, v.<joint> and a.<joint> and writes one with time, if there is one, and "
  "tau.<joint>: what the actuators deliver. Joints with several components have suffixes (limb --conventions). - is "
  "standard input. Memory does not grow with the number of rows.\n"
  "External wrenches act on the robot: columns wrench.<frame>.mx .my .mz .fx .fy .fz, at the frame's origin, in "
  "world axes (see --wrench-ref); those that are missing are zero.\n"
  "Joints without a motor, such as a free base, have a tau as well: what must come from elsewhere for this motion, "
  "from the ground for example. A note reports it when it is not zero. limb eval --what hybrid or base_acc computes "
  "how they move when nothing does.\n"
  "For a robot with loops, tau are the torques of the motors with the loops closed, Gamma_c = G' Gamma_tr; with more "
  "motors than motions those of least norm. Columns of joints that follow from the others may be missing; positions "
  "are then those on the branch of the row before, in the first row on that of the start configuration (limb "
  "assemble). Rows that do not close the loops are errors, exit code 4. After --differentiate, rates of dependent "
  "joints follow from those of the others.\n"
  "--differentiate needs only time and q. v and a are the derivatives of a quintic spline: it passes through every "
  "row, is continuous up to the fourth derivative, and has not-a-knot ends. Rotations are differentiated as unit "
  "quaternions. Noise in positions grows: smooth it first. All rows are held in memory.\n"
  "--frame follows a path: the table has poses of frames, which inverse kinematics turns into positions of joints, "
  "each row from the one before.\n"
  "--size needs time. Peaks are the largest magnitudes and when they were, with the speed at the peak torque and the "
  "torque at the peak speed, against the limits of the model. RMS, mean power (of |tau v|) and energy (delivered and "
  "absorbed by the actuator) are integrals over the actual time steps by trapezoids. The load of a joint is the "
  "whole wrench through it, in its own axes at its origin: what bearings and flanges must carry; that of a closure "
  "is on its frame b, from a, in the axes of a at the origin of b. Mimic joints are measured against their own "
  "limits of position and speed; their torques are part of their leader's. Bearings carry the load without its driven "
  "component: axial and radial force and tilting moment, each with the mean that wears it as the whole motion does, "
  "cubic over the travel of the joint (ISO 281).\n"
  "--animate needs time. It draws a stick figure that moves, by itself in .svg, with play, time, speed and, for "
  "robots in space, turning and zooming in .html. Files load nothing and stay below 5 MB: what does not fit is "
  "thinned out evenly.";

static const char* const examples[] = {
  "limb id ur5 move.csv --output torques.csv",
  "torques of the built-in UR5 along a trajectory",
  "limb id arm.urdf move.csv --size --plot torques.svg",
  "sizing table and curves",
  "limb id panda move.csv --animate panda.html",
  "the motion, to look at in a browser",
  "limb id arm.urdf positions.csv --differentiate --size --format json",
  "sizing from positions alone, for a program",
  "limb id planar_2r circle.csv --frame tip --q joint2=1",
  "torques for a path of the tip",
  NULL,
};

typedef struct id_run {
  const cli_args* args;
  cli_robot robot;
  cli_states states;
  cli_output torques, drawing, animated;
  limb_csv_writer* writer; // NULL: torques are not written
  limb_sizing* sizing;     // NULL: not requested
  id_curves curves;
  limb_animation* animation; // NULL: not requested
  limb_evaluator* e;
  int size, draw, animate, loops, differentiate;
  double* tau; // numbers of the evaluator: torques, then loads
  sp_force *load, *loop_load;
  double largest; // of all tau
  double unmet;   // of those of joints without motor
  int unmet_at;   // where that was, of v
} id_run;

static int out_of_memory(const id_run* r) { return cli_out_of_memory(r->args); }

// ---- rows ------------------------------------------------------------------------------------------

// Remembers what joints without motor would have to deliver.
static void watch_passive(id_run* r)
{
  for (int k = 0; k < r->robot.dofs.nv; k++) {
    const double size = fabs(r->tau[k]);
    r->largest = fmax(r->largest, size);
    if (!r->robot.dofs.v[k].passive || size <= r->unmet) continue;
    r->unmet = size;
    r->unmet_at = k;
  }
}

// Torques, and for --size the loads on joints and closures.
static int compute(id_run* r)
{
  cli_states* s = &r->states;
  limb_error err = {0};
  const limb_state state = {.q = s->q, .v = s->v, .a = s->a, .time = s->has_time ? s->time : 0, .env = &r->robot.env};
  const limb_status status = limb_evaluator_run(r->e, &state, r->tau);
  if (status == LIMB_OK) return EXIT_FINE;
  (void)limb_evaluator_failure(r->e, &err);
  return cli_states_failed(s, status, "inverse dynamics", err.text);
}

static void take_loads(const double* x, int n, sp_force* f)
{
  for (int k = 0; k < n; k++, x += 6) f[k] = sp_force_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5]));
}

static int needs_loads(const id_run* r) { return r->size || (r->curves.what & CURVES_LOAD) != 0; }

static int do_row(id_run* r)
{
  cli_states* s = &r->states;
  const int joints = limb_joint_count(r->robot.model), loops = limb_loop_count(r->robot.model);
  const int code = compute(r);
  if (code != EXIT_FINE) return code;
  if (!r->loops) watch_passive(r);
  const double* x = r->tau + r->robot.dofs.nv;
  if (needs_loads(r)) take_loads(x, joints, r->load);
  if (r->size) {
    take_loads(x + 6 * joints, loops, r->loop_load);
    limb_sizing_add(r->sizing,
                    &(limb_sizing_row){s->time, s->q, s->v, r->tau, r->load, r->loops ? r->loop_load : NULL});
  }
  if (r->draw) id_curves_add(&r->curves, s->has_time ? s->time : (double)s->count, s->v, r->tau, r->load);
  const limb_status shown = r->animate ? limb_animation_add(r->animation, s->time, s->q) : LIMB_OK;
  if (shown != LIMB_OK) return cli_states_failure(s, shown, "the animation");
  return r->writer ? cli_states_write_row(s, r->writer, r->tau) : EXIT_FINE;
}

static int stream_rows(id_run* r)
{
  cli_states* s = &r->states;
  cli_progress progress = cli_progress_begin("id", s->bytes);
  int code = EXIT_FINE, got = 0;
  while (code == EXIT_FINE) {
    code = cli_interrupted() ? EXIT_USAGE : cli_states_next(s, &got);
    if (code != EXIT_FINE || !got) break;
    code = do_row(r);
    cli_progress_update(&progress, cli_states_bytes(s));
  }
  cli_progress_end(&progress);
  return code;
}

static int differentiate_rows(id_run* r)
{
  cli_track track;
  int code = cli_track_read(&track, &r->states);
  cli_progress progress = cli_progress_begin("id", track.rows);
  for (size_t i = 0; i < track.rows && code == EXIT_FINE; i++) {
    cli_track_row(&track, i);
    if (r->loops) code = cli_states_follow_rates(&r->states);
    if (code == EXIT_FINE) code = cli_interrupted() ? EXIT_USAGE : do_row(r);
    cli_progress_update(&progress, i);
  }
  cli_progress_end(&progress);
  cli_track_free(&track);
  return code;
}

// ---- columns and outputs ---------------------------------------------------------------------------

static int check_columns(id_run* r)
{
  cli_states* s = &r->states;
  const unsigned part = r->loops ? STATES_PART : 0;
  int code = EXIT_FINE;
  if (r->differentiate) {
    code = cli_states_need(s, STATES_Q | STATES_TIME | part, "--differentiate");
    if (code == EXIT_FINE && cli_states_has(s, STATES_V | STATES_A))
      (void)fprintf(stderr, "%s:1: warning: the columns v. and a. are not used: --differentiate\n", s->path);
    if (code == EXIT_FINE)
      (void)fprintf(stderr,
                    "%s: note: v and a are derivatives of a quintic spline through the rows, not-a-knot at its ends\n",
                    s->path);
  } else {
    code = cli_states_need(s, STATES_Q | STATES_V | STATES_A | part, "inverse dynamics");
    if (code != EXIT_FINE && !cli_states_has(s, STATES_V | STATES_A))
      (void)fprintf(stderr, "  --differentiate computes v and a from the positions\n");
  }
  if (code == EXIT_FINE && r->size) code = cli_states_need(s, STATES_TIME, "--size");
  if (code == EXIT_FINE && r->animate) code = cli_states_need(s, STATES_TIME, "--animate");
  if (code == EXIT_FINE && r->draw && s->has_time) code = cli_states_need(s, STATES_TIME, "--plot");
  return code;
}

static int check_options(const id_run* r)
{
  if (cli_has(r->args, "format") && !r->size)
    return cli_usage(r->args,
                     "--format is for the table of --size; torques are CSV (limb eval --what tau writes JSON)");
  return r->size ? cli_writes_to(r->args, "--size", "-", "") : EXIT_FINE;
}

static int open_outputs(id_run* r)
{
  const char *path = cli_get(r->args, "output"), *plot = cli_get(r->args, "plot");
  int code = EXIT_FINE;
  if (path || (!r->size && !r->draw && !r->animate)) {
    code = cli_output_open(&r->torques, cli_title(r->args), path);
    if (code == EXIT_FINE && limb_csv_create(r->torques.stream, NULL, &r->writer) != LIMB_OK) code = out_of_memory(r);
    if (code == EXIT_FINE) code = cli_states_write_head(&r->states, r->writer, "tau.");
  }
  if (code == EXIT_FINE && plot) code = cli_output_open_drawing(&r->drawing, cli_title(r->args), plot);
  if (code == EXIT_FINE && r->animate)
    code = cli_output_open(&r->animated, cli_title(r->args), cli_get(r->args, "animate"));
  return code;
}

static int reserve(id_run* r)
{
  r->tau = calloc(limb_evaluator_width(r->e) + 1, sizeof *r->tau);
  r->load = calloc((size_t)limb_joint_count(r->robot.model) + 1, sizeof *r->load);
  r->loop_load = calloc((size_t)limb_loop_count(r->robot.model) + 1, sizeof *r->loop_load);
  if (!r->tau || !r->load || !r->loop_load) return out_of_memory(r);
  if (r->size && limb_sizing_create(r->robot.model, &r->sizing) != LIMB_OK) return out_of_memory(r);
  if (r->draw && id_curves_open(&r->curves, &r->robot) != EXIT_FINE) return EXIT_USAGE;
  if (!r->animate) return EXIT_FINE;
  limb_animation_options o = limb_default_animation();
  const char* slash = strrchr(r->states.path, '/');
  o.subtitle = slash ? slash + 1 : r->states.path;
  const limb_status status = limb_animation_create(r->robot.model, &o, &r->animation);
  return status == LIMB_OK ? EXIT_FINE : cli_states_failure(&r->states, status, "the animation");
}

static int draw_animation(const id_run* r)
{
  const limb_picture kind = limb_picture_of(cli_get(r->args, "animate"));
  return limb_animation_write(r->animation, kind, r->animated.stream) == LIMB_OK ? EXIT_FINE : out_of_memory(r);
}

// ---- running ---------------------------------------------------------------------------------------

// A motion that needs a motor where there is none is not the robot's own.
static void report_unmet(const id_run* r)
{
  const cli_dof* at = &r->robot.dofs.v[r->unmet_at];
  if (r->unmet <= 1e-6 * r->largest) return;
  (void)fprintf(stderr,
                "%s: note: the motion takes up to %.3g %s at '%s', which has no motor: something "
                "else must deliver it; limb eval --what hybrid computes motions without\n",
                r->states.path, r->unmet, limb_force_unit(at), at->name);
}

// Files first: they are whole whatever becomes of the table.
static int finish(id_run* r)
{
  const char *title = cli_title(r->args), *format = cli_get(r->args, "format");
  int code = r->writer ? cli_states_write_end(&r->states, r->writer) : EXIT_FINE;
  if (code == EXIT_FINE && r->draw) code = id_curves_write(&r->curves, &r->states, r->drawing.stream);
  if (code == EXIT_FINE && r->animate) code = draw_animation(r);
  if (code == EXIT_FINE && r->writer) code = cli_output_commit(&r->torques, title);
  if (code == EXIT_FINE && r->draw) code = cli_output_commit(&r->drawing, title);
  if (code == EXIT_FINE && r->animate) code = cli_output_commit(&r->animated, title);
  if (code != EXIT_FINE || !r->size) return code;
  const cli_sizing table = {r->sizing, &r->robot, r->states.path};
  return cli_sizing_print(&table, format ? format : "text", stdout);
}

// Of a robot with loops, only motors have torques.
static int open_loops(id_run* r)
{
  const unsigned rates = r->differentiate ? 0 : STATES_V | STATES_A;
  int motors = 0;
  for (int k = 0; k < r->robot.dofs.nv; k++) motors += !r->robot.dofs.v[k].passive;
  if (motors == 0)
    (void)fprintf(stderr, "%s: note: no joint has a motor: there are no torques to write\n", r->states.path);
  r->states.only_active = 1;
  return cli_states_complete(&r->states, STATES_Q | rates);
}

// Torques; if needed the loads on joints, in their own axes, and for --size those on closures.
static int open_evaluator(id_run* r)
{
  static const char* const names[] = {"tau", "reactions@body", "loop_loads@body"};
  const int n = !needs_loads(r) ? 1 : r->size && r->loops ? 3 : 2;
  limb_error err = {0};
  limb_status s = limb_evaluator_create(r->robot.model, NULL, NULL, &r->e);
  for (int k = 0; k < n && s == LIMB_OK; k++) s = limb_evaluator_add(r->e, names[k], NULL, NULL, &err);
  return cli_failed(r->args, "inverse dynamics", s, &err);
}

static int run_states(id_run* r)
{
  int code = check_columns(r);
  if (code == EXIT_FINE && r->loops) code = open_loops(r);
  if (code == EXIT_FINE) code = open_evaluator(r);
  if (code == EXIT_FINE) code = reserve(r);
  if (code == EXIT_FINE) code = open_outputs(r);
  if (code == EXIT_FINE) code = r->differentiate ? differentiate_rows(r) : stream_rows(r);
  if (code == EXIT_FINE && r->states.count == 0 && (r->size || r->draw || r->animate))
    code = cli_usage(r->args, "%s: there are no rows", r->states.path);
  if (code == EXIT_FINE) code = finish(r);
  if (code == EXIT_FINE && !r->loops) report_unmet(r);
  if (code == EXIT_FINE && r->loops) cli_report_loops(r->e, r->robot.model, r->states.path);
  limb_evaluator_destroy(r->e);
  limb_csv_destroy(r->writer);
  cli_output_abandon(&r->torques);
  cli_output_abandon(&r->drawing);
  cli_output_abandon(&r->animated);
  limb_animation_destroy(r->animation);
  limb_sizing_destroy(r->sizing);
  id_curves_close(&r->curves);
  free(r->tau);
  free(r->load);
  free(r->loop_load);
  return code;
}

// The table of the second operand: of states, or of poses that become states.
static int open_table(id_run* r)
{
  const char *path = cli_operand(r->args, 1), *pose[] = {"directions", "start", "q", "reference"};
  for (size_t k = 0; k < sizeof pose / sizeof *pose && !cli_has(r->args, "frame"); k++)
    if (cli_has(r->args, pose[k])) return cli_usage(r->args, "--%s is for a table of poses: --frame NAME", pose[k]);
  if (!cli_has(r->args, "frame")) return cli_states_open(&r->states, r->args, &r->robot, path);
  FILE* joints = tmpfile();
  if (!joints) return cli_usage(r->args, "no temporary file can be made for the positions of the joints");
  const int code = ik_follow(r->args, &r->robot, joints);
  if (code == EXIT_FINE) {
    rewind(joints);
    return cli_states_open_stream(&r->states, r->args, &r->robot, strcmp(path, "-") == 0 ? "standard input" : path,
                                  joints);
  }
  (void)fclose(joints);
  return code;
}

static int run_id(const cli_args* args)
{
  id_run r = {.args = args,
              .size = cli_has(args, "size"),
              .draw = cli_has(args, "plot"),
              .animate = cli_has(args, "animate"),
              .differentiate = cli_has(args, "differentiate") || cli_has(args, "frame")};
  int code = id_curves_read(&r.curves, args);
  if (code == EXIT_FINE) code = check_options(&r);
  if (code == EXIT_FINE) code = cli_robot_open(args, cli_operand(args, 0), &r.robot);
  r.loops = limb_loop_count(r.robot.model) > 0;
  if (code == EXIT_FINE) code = open_table(&r);
  if (code == EXIT_FINE) code = run_states(&r);
  cli_states_close(&r.states);
  cli_robot_close(&r.robot);
  return code;
}

const cli_command cli_id = {
  .name = "id",
  .operands = "MODEL TRAJECTORY.csv",
  .summary = "inverse dynamics along a trajectory: torques, sizing, curves, animation",
  .about = about,
  .examples = examples,
  .options = options,
  .run = run_id,
  .writes = (const cli_written[]){{"output", ".csv"}, {"plot", CLI_DRAWINGS}, {"animate", ".svg .html"}, {0}},
};
