// `limb id`: inverse dynamics along a trajectory: torques, the sizing table, curves.
#include "limb/draw.h"

#include "base/command.h"
#include "base/output.h"
#include "commands/id_curves.h"
#include "commands/ik.h"
#include "commands/motion.h"
#include "commands/sizing.h"
#include "robot/page.h"

#include <string.h>

static const cli_option own_options[] = {
  {"", NULL, "what to do"},
  {"differentiate", NULL, "velocities and accelerations from the positions, by a quintic spline"},
  {"size", NULL, "print the sizing table: peaks, RMS, power, energy, limits, loads"},
  {"plot", "FILE", "draw curves over time, a panel each: .svg, .png, .pdf or .html"},
  {"curves", "LIST", "of --plot: torque, speed, power, load (default: torque)"},
  {"animate", "FILE.html", "draw the robot as it moves, for any browser; also .svg, .png, .pdf"},
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
  {"output", "FILE",
   "torques, .csv, .npy, .arrow or .parquet (default: CSV on standard output, unless --size, --plot or --animate is "
   "given)"},
  {"format", "text|json|csv", "of the sizing table (default: text)"},
  {0},
};

static const cli_option* const options[] = {
  own_options,       path_options,       cli_motor_options, cli_model_options,  cli_change_options,
  cli_world_options, cli_wrench_options, output_options,    cli_thread_options, NULL};

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
  "--animate needs time. A .svg is a stick figure that moves by itself, of at most 5 MB: what does not fit is thinned "
  "out evenly; .png and .pdf show where it begins, and the path of its tool. A .html is the page of limb view, with a "
  "time line, curves, traces and torques as colours.";

static const char* const examples[] = {
  "limb id ur5 move.csv --output torques.csv",
  "torques of the built-in UR5 along a trajectory",
  "limb id arm.urdf move.csv --size --plot torques.svg",
  "sizing table and curves",
  "limb id panda move.csv --animate panda.svg",
  "the motion, to look at in a browser",
  "limb id arm.urdf positions.csv --differentiate --size --format json",
  "sizing from positions alone, for a program",
  "limb id planar_2r circle.csv --frame tip --q joint2=1",
  "torques for a path of the tip",
  NULL,
};

typedef struct id_run {
  const cli_args* args;
  cli_motion motion;
  cli_answers torques;
  int writes; // torques
  cli_output drawing, animated;
  limb_sizing* sizing;  // NULL: not requested
  limb_reading* motors; // the file of --motors; NULL: none
  id_curves curves;
  limb_animation* animation; // NULL: not requested, or a page
  limb_view_page* page;      // NULL: not requested
  int size, draw, animate;
} id_run;

static int out_of_memory(const id_run* r) { return cli_out_of_memory(r->args); }

static int do_row(void* context, const cli_motion* m)
{
  id_run* r = context;
  cli_states* s = &r->motion.states;
  const limb_sizing_row row = cli_motion_row(m);
  if (r->size) limb_sizing_add(r->sizing, &row);
  if (r->draw) id_curves_add(&r->curves, s->has_time ? s->time : (double)s->count, s->v, m->tau, m->load);
  limb_status shown = r->animation ? limb_animation_add(r->animation, s->time, s->q) : LIMB_OK;
  if (r->page) shown = limb_view_page_add(r->page, &(limb_view_row){s->time, s->q, s->v, s->a, m->tau, NULL});
  if (shown != LIMB_OK) return cli_states_failure(s, shown, "the animation");
  return r->writes ? cli_answers_row(&r->torques, m->tau) : EXIT_FINE;
}

// ---- outputs ---------------------------------------------------------------------------------------

// Torques are all that comes of the rows, each by itself: what --resume takes.
static int is_alone(const id_run* r) { return !r->size && !r->draw && !r->animate && !r->motion.differentiate; }

static int check_options(const id_run* r)
{
  if ((cli_has(r->args, "motors") || cli_has(r->args, "safety")) && !r->size)
    return cli_usage(r->args, "--motors and --safety are for the table of --size");
  if (cli_has(r->args, "format") && !r->size)
    return cli_usage(r->args,
                     "--format is for the table of --size; torques are CSV (limb eval --what tau writes JSON)");
  if (cli_has(r->args, "resume") && (!is_alone(r) || cli_has(r->args, "frame")))
    return cli_usage(r->args, "--resume is for torques alone: what --size, --plot, --animate, --differentiate and "
                              "--frame make takes all rows");
  if (cli_is(r->args, "animate", "-")) return cli_usage(r->args, "--animate needs a file: .svg, .png, .pdf or .html");
  const int code = cli_page_check(r->args, cli_get(r->args, "animate"));
  return code == EXIT_FINE && r->size ? cli_writes_to(r->args, "--size", "-", "") : code;
}

static int open_outputs(id_run* r)
{
  const char *path = cli_get(r->args, "output"), *plot = cli_get(r->args, "plot");
  int code = EXIT_FINE;
  if (path || (!r->size && !r->draw && !r->animate)) {
    r->writes = 1;
    code = cli_answers_open(&r->torques, &r->motion.states, path, "tau.", is_alone(r));
  }
  if (code == EXIT_FINE && plot) code = cli_output_open_drawing(&r->drawing, cli_title(r->args), plot);
  if (code == EXIT_FINE && r->animation)
    code = cli_output_open_drawing(&r->animated, cli_title(r->args), cli_get(r->args, "animate"));
  return code;
}

static int open_page(id_run* r)
{
  const cli_robot* robot = &r->motion.robot;
  const limb_model* m = robot->model;
  const int code = cli_page_create(r->args, robot, NULL, &r->page);
  if (code != EXIT_FINE) return code;
  return limb_view_page_motion(r->page, limb_nq(m), limb_nv(m), 0) == LIMB_OK ? EXIT_FINE : out_of_memory(r);
}

static int reserve(id_run* r)
{
  const cli_robot* robot = &r->motion.robot;
  if (r->size && limb_sizing_create(robot->model, &r->sizing) != LIMB_OK) return out_of_memory(r);
  if (r->size && cli_take_motors(r->args, robot, r->motors, r->sizing) != EXIT_FINE) return EXIT_USAGE;
  if (r->draw && id_curves_open(&r->curves, robot) != EXIT_FINE) return EXIT_USAGE;
  if (!r->animate) return EXIT_FINE;
  if (cli_is_page(cli_get(r->args, "animate"))) return open_page(r);
  limb_animation_options o = limb_default_animation();
  o.still = limb_picture_of(cli_get(r->args, "animate")) != LIMB_PICTURE_SVG; // on paper nothing moves
  const char* slash = strrchr(r->motion.states.path, '/');
  o.subtitle = slash ? slash + 1 : r->motion.states.path;
  const limb_status status = limb_animation_create(robot->model, &o, &r->animation);
  return status == LIMB_OK ? EXIT_FINE : cli_states_failure(&r->motion.states, status, "the animation");
}

static int draw_animation(const id_run* r)
{
  const limb_status s = limb_animation_write(r->animation, LIMB_PICTURE_SVG, r->animated.stream);
  return s == LIMB_OK ? EXIT_FINE : out_of_memory(r);
}

// ---- running ---------------------------------------------------------------------------------------

// Files first: they are whole whatever becomes of the table.
static int finish(id_run* r)
{
  const char *title = cli_title(r->args), *format = cli_get(r->args, "format");
  int code = r->writes ? cli_answers_end(&r->torques) : EXIT_FINE;
  if (code == EXIT_FINE && r->draw) code = id_curves_write(&r->curves, &r->motion.states, r->drawing.stream);
  if (code == EXIT_FINE && r->animation) code = draw_animation(r);
  if (code == EXIT_FINE && r->writes) code = cli_output_commit(&r->torques.out, title);
  if (code == EXIT_FINE && r->draw) code = cli_output_commit(&r->drawing, title);
  if (code == EXIT_FINE && r->animation) code = cli_output_commit(&r->animated, title);
  if (code == EXIT_FINE && r->page) code = cli_page_save(r->args, r->page, cli_get(r->args, "animate"));
  if (code != EXIT_FINE || !r->size) return code;
  cli_sizing table = {.sizing = r->sizing, .robot = &r->motion.robot, .trajectory = r->motion.states.path};
  code = cli_sizing_open(&table, r->args);
  if (code == EXIT_FINE) code = cli_sizing_print(&table, format ? format : "text", stdout, title);
  cli_sizing_close(&table);
  return code;
}

static int run_states(id_run* r)
{
  cli_states* s = &r->motion.states;
  int code = cli_motion_open(&r->motion, r->size                  ? "--size"
                                         : r->animate             ? "--animate"
                                         : r->draw && s->has_time ? "--plot"
                                                                  : NULL);
  if (code == EXIT_FINE) code = reserve(r);
  if (code == EXIT_FINE) code = open_outputs(r);
  if (code == EXIT_FINE) code = cli_motion_run(&r->motion, do_row, r);
  if (code == EXIT_FINE && s->count == 0 && (r->size || r->draw || r->animate))
    code = cli_usage(r->args, "%s: there are no rows", s->path);
  if (code == EXIT_FINE) code = finish(r);
  if (code == EXIT_FINE) cli_motion_report(&r->motion);
  if (code != EXIT_FINE && r->writes) cli_answers_stop(&r->torques);
  cli_answers_close(&r->torques);
  cli_output_abandon(&r->drawing);
  cli_output_abandon(&r->animated);
  limb_animation_destroy(r->animation);
  limb_view_page_destroy(r->page);
  limb_sizing_destroy(r->sizing);
  id_curves_close(&r->curves);
  return code;
}

// The table of the second operand: of states, or of poses that become states.
static int open_table(id_run* r)
{
  const char *path = cli_operand(r->args, 1), *pose[] = {"directions", "start", "q", "reference"};
  for (size_t k = 0; k < sizeof pose / sizeof *pose && !cli_has(r->args, "frame"); k++)
    if (cli_has(r->args, pose[k])) return cli_usage(r->args, "--%s is for a table of poses: --frame NAME", pose[k]);
  if (!cli_has(r->args, "frame")) return cli_states_open(&r->motion.states, r->args, &r->motion.robot, path);
  FILE* joints = tmpfile();
  if (!joints) return cli_usage(r->args, "no temporary file can be made for the positions of the joints");
  const int code = ik_follow(r->args, &r->motion.robot, joints);
  if (code == EXIT_FINE) {
    rewind(joints);
    return cli_states_open_stream(&r->motion.states, r->args, &r->motion.robot,
                                  strcmp(path, "-") == 0 ? "standard input" : path, joints);
  }
  (void)fclose(joints);
  return code;
}

static int run_id(const cli_args* args)
{
  id_run r = {
    .args = args, .size = cli_has(args, "size"), .draw = cli_has(args, "plot"), .animate = cli_has(args, "animate")};
  int code = id_curves_read(&r.curves, args);
  r.motion = (cli_motion){.args = args,
                          .loads = r.size || (r.curves.what & CURVES_LOAD) != 0,
                          .differentiate = cli_has(args, "differentiate") || cli_has(args, "frame")};
  if (code == EXIT_FINE) code = check_options(&r);
  if (code == EXIT_FINE && r.size) code = cli_read_motors(args, &r.motors);
  if (code == EXIT_FINE) code = cli_robot_open(args, cli_operand(args, 0), &r.motion.robot);
  if (code == EXIT_FINE) code = open_table(&r);
  if (code == EXIT_FINE) code = run_states(&r);
  cli_motion_close(&r.motion);
  limb_reading_destroy(r.motors);
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
  .writes = (const cli_written[]){{"output", CLI_TABLES}, {"plot", CLI_DRAWINGS}, {"animate", CLI_ANIMATIONS}, {0}},
};
