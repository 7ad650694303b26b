// `limb identify`: the parameters of a robot from logs of its motion.
#include "limb/ident.h"

#include "base/command.h"
#include "base/output.h"
#include "commands/identify.h"
#include "robot/robot.h"
#include "states/states.h"

#include <string.h>

static const cli_option own_options[] = {
  {"", NULL, "the fit"},
  {"method", "weighted|ordinary|robust|likelihood|total|instrumental",
   "the estimator (default: weighted); instruments are along the columns q_r.<joint>, if they are there"},
  {"asymmetry", NULL, "viscous friction that depends on the direction"},
  {"stribeck", NULL, "more friction at low speed"},
  {"no-offset", NULL, "no constant torque per joint"},
  {"no-rotors", NULL, "do not estimate rotor inertias: those of the model are known"},
  {"springs", NULL, "estimate springs of joints; otherwise those of the model are known"},
  {"", NULL, "a robot"},
  {"physical", NULL, "also all masses and inertias, such that rigid bodies can have them, near those of the model"},
  {"weight", "X", "of the model against the log in that fit (default: chosen by cross-validation)"},
  {"l-curve", NULL, "choose that weight at the corner of the L-curve"},
  {"bound", "BODY.m=LOW:HIGH,...", "bounds of masses, and with .x .y .z of centres of mass in the body's axes"},
  {"inside-shapes", NULL, "centres of mass stay in the boxes around the shapes and meshes of the model"},
  {"output", "FILE", "the model with these parameters, .yaml or .urdf; a URDF is changed in place; implies --physical"},
  {"", NULL, "pictures"},
  {"plot", "FILE", "measured and predicted torques: .svg, .png, .pdf or .html"},
  {"report", "FILE.html", "everything on one page"},
  {"", NULL, "the log"},
  {"cutoff", "HZ", "of the filter (default: chosen from the motion)"},
  {"train", "SHARE", "the share of each log that is fitted, from its start on; the rest validates (default: 0.7)"},
  {"min-speed", "X", "below this speed the equations of a joint do not count [rad/s or m/s]"},
  {"gain", "JOINT=X,...", "multiply these columns tau, such as currents by the gains of drives"},
  {"current", "JOINT,...",
   "columns tau are currents, whose gains are estimated; all: of all motors. Requires logs with different loads "
   "(--load)"},
  {"load", "LOG=MASS@FRAME,...",
   "a known load that the robot carries in that log: b.csv=5kg@hand,com=(0,0,10cm),inertia=(xx,yy,zz)"},
  {"unmeasured", "JOINT,...", "joints whose torques are not measured: their equations do not count"},
  {0},
};

static const cli_option* const options[] = {
  own_options, cli_payload_options, cli_wrench_options, cli_model_options, cli_world_options, cli_format_options, NULL};

static const cli_written writes[] = {
  {"output", ".urdf .yaml .yml"}, {"plot", CLI_DRAWINGS}, {"report", ".html .htm"}, {0}};

static const char about[] = //
  "Reads logs of a motion, tables with the columns time, q.<joint>, tau.<joint> and, if they are measured, v.<joint>, "
  "and estimates the parameters that determine the torques: base parameters (limb base), rotors, viscous and Coulomb "
  "friction, a constant offset per joint. Several logs count as one experiment.\n"
  "A low-pass filter without phase smooths and differentiates. Its cut-off is ten times the frequency below which 99 "
  "% of the power of the velocities lies; the answer states it. Uneven steps are interpolated, gaps of more than ten "
  "steps separate windows.\n"
  "The last 30 % of each log (--train) are not fitted: they validate. Standard deviations account for the correlation "
  "of "
  "residuals in time. A parameter is uncertain if its standard deviation is above 30 % of its value, hidden if the "
  "motion does not show it, and essential if the fit without it is significantly worse.\n"
  "--physical fits all standard parameters such that every inertia is one that a rigid body can have, friction is "
  "positive, and what the motion does not show stays near the model (entropic divergence; Lee, Wensing, Park 2020). "
  "--output writes the model with these parameters; offsets are not in model files.\n"
  "--payload FRAME finds mass, centre of mass and inertia of what is fixed to a frame and not in the model, without "
  "accelerations, by the momentum observer; constant torques and friction that the model lacks are sought along. "
  "--output then writes the model with a body 'payload'.\n"
  "Warnings name what is suspicious in a log: units, exchanged columns, joints that do not move, torques that do not "
  "change, "
  "residuals that are not white. docs/identification.md has the whole way from a log to a model.";

static const char* const examples[] = {
  "limb identify panda log.csv",
  "parameters, their standard deviations, validation",
  "limb identify arm.urdf slow.csv fast.csv --stribeck --format json",
  "two logs, friction that rises at low speed, for a program",
  "limb identify panda log.csv --output identified.yaml",
  "a model with the parameters of the robot that was logged",
  "limb identify panda loaded.csv --payload flange --empty empty.csv",
  "what the gripper holds, from a short motion with it and without it",
  NULL,
};

// ---- options ---------------------------------------------------------------------------------------

static int read_options(const cli_args* args, const limb_environment* env, limb_ident_options* o)
{
  static const limb_ident_method method[] = {LIMB_IDENT_WEIGHTED,   LIMB_IDENT_ORDINARY, LIMB_IDENT_ROBUST,
                                             LIMB_IDENT_LIKELIHOOD, LIMB_IDENT_TOTAL,    LIMB_IDENT_INSTRUMENTAL};
  *o = limb_default_ident_options();
  o->env = env;
  o->method = method[cli_choice(args, "method")];
  if (cli_has(args, "no-offset")) o->friction = 0;
  if (cli_has(args, "asymmetry")) o->friction |= LIMB_IDENT_ASYMMETRY;
  if (cli_has(args, "stribeck")) o->friction |= LIMB_IDENT_STRIBECK;
  o->exclude =
    (cli_has(args, "no-rotors") ? LIMB_BASE_NO_ROTORS : 0U) | (cli_has(args, "springs") ? 0U : LIMB_BASE_NO_SPRINGS);
  int code = cli_positive(args, "cutoff", &o->cutoff);
  if (code == EXIT_FINE) code = cli_positive(args, "train", &o->train);
  if (code == EXIT_FINE) code = cli_positive(args, "min-speed", &o->min_speed);
  if (code == EXIT_FINE && o->train > 1) return cli_usage(args, "--train is a share of the log, at most 1");
  return code;
}

// ---- logs ------------------------------------------------------------------------------------------

static int read_rows(cli_states* s, const double* gain, limb_ident* x)
{
  cli_progress progress = cli_progress_begin("identify", s->bytes);
  const int has_v = cli_states_has(s, STATES_V), has_reference = cli_states_has(s, STATES_Q_R);
  int code = EXIT_FINE, got = 0;
  while (code == EXIT_FINE) {
    code = cli_interrupted() ? EXIT_USAGE : cli_states_next(s, &got);
    if (code != EXIT_FINE || !got) break;
    for (int k = 0; k < s->dofs->nv; k++) s->tau[k] *= gain[k];
    const limb_ident_sample sample = {.time = s->time,
                                      .q = s->q,
                                      .v = has_v ? s->v : NULL,
                                      .tau = s->tau,
                                      .reference = has_reference ? s->q_r : NULL,
                                      .nwrench = s->nwrench,
                                      .wrench = s->wrench};
    limb_error err = {0};
    const limb_status status = limb_ident_add(x, &sample, &err);
    if (status != LIMB_OK) code = cli_states_failed(s, status, "the log", err.text);
    cli_progress_update(&progress, cli_states_bytes(s));
  }
  cli_progress_end(&progress);
  return code;
}

// Columns that need not be there: torques that do not count. Any other will do in their place.
static void excuse_torques(cli_states* s, const unsigned char* source)
{
  for (int k = 0; k < s->dofs->nv; k++)
    if (source[k] == LIMB_IDENT_UNMEASURED && s->column[GROUP_TAU][k] < 0) s->column[GROUP_TAU][k] = s->time_column;
}

// What must be there; positions and velocities that are missing follow from loops.
static int need_columns(cli_states* s, const identify_inputs* in)
{
  static const char purpose[] = "identification";
  const unsigned v = cli_states_has(s, STATES_V) ? STATES_V : 0;
  int missing = 0;
  for (int k = 0; k < s->dofs->nq; k++) missing |= s->column[0][k] < 0;
  const int follows = missing && limb_loop_count(s->model) > 0;
  excuse_torques(s, in->source);
  int code = cli_states_need(s, STATES_TIME | STATES_Q | (follows ? STATES_PART : 0) | v, purpose);
  if (code == EXIT_FINE) code = cli_states_need(s, STATES_TAU | STATES_IDLE, purpose);
  if (code == EXIT_FINE && cli_states_has(s, STATES_Q_R)) code = cli_states_need(s, STATES_Q_R, purpose);
  return code == EXIT_FINE && follows ? cli_states_complete(s, STATES_Q | v) : code;
}

static int read_log(const cli_args* args, cli_robot* robot, const char* path, const identify_inputs* in, limb_ident* x)
{
  cli_states s;
  limb_error err = {0};
  int code = cli_identify_load(args, x, path);
  if (code == EXIT_FINE) code = cli_states_open(&s, args, robot, path);
  if (code != EXIT_FINE) return code;
  code = need_columns(&s, in);
  if (code == EXIT_FINE) code = read_rows(&s, in->gain, x);
  if (code == EXIT_FINE && limb_ident_end_log(x, &err) != LIMB_OK) code = cli_out_of_memory(args);
  cli_states_close(&s);
  return code;
}

// ---- a robot ---------------------------------------------------------------------------------------

// A URDF file as it is, whose numbers can be replaced.
static int is_plain(const cli_args* args, const limb_reading* r)
{
  static const char* const change[] = {"attach", "root", "lock", "payload", "base", "density", NULL};
  for (int k = 0; change[k]; k++)
    if (cli_has(args, change[k])) return 0;
  return r && limb_reading_format(r) == LIMB_FORMAT_URDF;
}

int cli_write_model(const cli_args* args, const limb_reading* source, const limb_builder* b, const char* path)
{
  const limb_format format = limb_format_of_name(path);
  cli_text text = {0};
  limb_error err = {0};
  limb_findings* findings = NULL;
  int written = 0;
  if (format != LIMB_FORMAT_URDF && format != LIMB_FORMAT_YAML)
    return cli_usage(args, "--output %s: models are written as .urdf or .yaml", path);
  limb_status s = limb_findings_create(NULL, &findings);
  if (s == LIMB_OK && format == LIMB_FORMAT_URDF && is_plain(args, source))
    s = limb_write_in_place(source, b, cli_text_add, &text, &err), written = s != LIMB_E_UNSUPPORTED;
  if ((s == LIMB_OK || s == LIMB_E_UNSUPPORTED) && !written)
    s = limb_write(b, format, cli_text_add, &text, findings, &err);
  int code = s == LIMB_OK ? EXIT_FINE : cli_failed(args, path, s, &err);
  if (code == EXIT_FINE) cli_print_findings(stderr, path, findings, LIMB_WARNING);
  if (code == EXIT_FINE) code = text.failed ? cli_out_of_memory(args) : cli_text_save(&text, cli_title(args), path);
  limb_findings_destroy(findings);
  cli_text_free(&text);
  return code;
}

// The model with the identified parameters.
static int write_model(const cli_args* args, cli_robot* robot, const limb_ident* x)
{
  const char* path = cli_get(args, "output");
  limb_builder* b = limb_reading_builder(robot->reading);
  limb_error err = {0};
  const limb_status s = limb_ident_apply(x, b, &err);
  return s == LIMB_OK ? cli_write_model(args, robot->reading, b, path) : cli_failed(args, path, s, &err);
}

static int fit_physical(const cli_args* args, cli_robot* robot, limb_ident* x)
{
  double weight = 0;
  limb_error err = {0};
  int code = cli_positive(args, "weight", &weight);
  if (code == EXIT_FINE && cli_has(args, "l-curve")) weight = LIMB_IDENT_L_CURVE;
  if (code != EXIT_FINE) return code;
  const limb_status s = limb_ident_fit_physical(x, weight, &err);
  if (s != LIMB_OK) return cli_failed(args, cli_operand(args, 1), s, &err);
  return cli_has(args, "output") ? write_model(args, robot, x) : EXIT_FINE;
}

// ---- the command -----------------------------------------------------------------------------------

static int is_physical(const cli_args* args)
{
  static const char* const implies[] = {"physical", "weight", "l-curve", "bound", "inside-shapes", "output", NULL};
  for (int k = 0; implies[k]; k++)
    if (cli_has(args, implies[k])) return 1;
  return 0;
}

static int identify(const cli_args* args, cli_robot* robot, const identify_inputs* in, limb_ident* x)
{
  limb_error err = {0};
  int code = cli_identify_bounds(args, robot->model, x);
  for (int k = 1; k < cli_operand_count(args) && code == EXIT_FINE; k++)
    code = read_log(args, robot, cli_operand(args, k), in, x);
  if (code != EXIT_FINE) return code;
  const limb_status status = limb_ident_fit(x, &err);
  const char* note;
  for (int k = 0; (note = limb_ident_note(x, k)); k++)
    (void)fprintf(stderr, "%s: warning: %s\n", cli_operand(args, 1), note);
  if (status != LIMB_OK) return cli_failed(args, cli_operand(args, 1), status, &err);
  if (is_physical(args)) code = fit_physical(args, robot, x);
  if (code == EXIT_FINE) code = cli_identify_pictures(args, robot, x);
  return code == EXIT_FINE ? cli_identify_print(args, robot, x) : code;
}

static int run(const cli_args* args)
{
  cli_robot robot;
  limb_ident* x = NULL;
  limb_ident_options o;
  if (cli_seeks_payload(args)) return cli_identify_payload(args);
  int code = cli_robot_open(args, cli_operand(args, 0), &robot);
  if (code != EXIT_FINE) return code;
  identify_inputs in = {0};
  if (cli_has(args, "empty")) code = cli_usage(args, "--empty is for --payload FRAME");
  if (code == EXIT_FINE) code = read_options(args, &robot.env, &o);
  if (code == EXIT_FINE) code = cli_identify_check_loads(args, robot.model);
  if (code == EXIT_FINE) code = cli_identify_sources(args, &robot, &in);
  o.source = in.source;
  if (code == EXIT_FINE) {
    const limb_status s = limb_ident_create(robot.model, &o, &x);
    if (s == LIMB_E_UNSUPPORTED)
      code = cli_usage(args,
                       "%s: identification takes a joint that moves, loops without prescribed motion, and with loops "
                       "all torques of motors",
                       cli_operand(args, 0));
    else if (s != LIMB_OK)
      code = cli_failed(args, cli_operand(args, 0), s, NULL);
  }
  if (code == EXIT_FINE) code = identify(args, &robot, &in, x);
  cli_identify_free(&in);
  limb_ident_destroy(x);
  cli_robot_close(&robot);
  return code;
}

const cli_command cli_identify = {
  .name = "identify",
  .operands = "MODEL LOG.csv...",
  .summary = "parameters of a robot from logs of its motion",
  .about = about,
  .examples = examples,
  .options = options,
  .run = run,
  .writes = writes,
};
