// `limb excite`: a motion that shows the parameters of a robot, for `limb identify`.
#include "limb/draw.h"
#include "limb/ident.h"
#include "limb/table.h"

#include "base/command.h"
#include "base/output.h"
#include "base/print.h"
#include "robot/robot.h"
#include "states/states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option own_options[] = {
  {"", NULL, "the motion"},
  {"duration", "S", "how long it takes (default: 10)"},
  {"harmonics", "N", "of the Fourier series; the first takes the whole duration (default: 5)"},
  {"max-acceleration", "X",
   "of every joint, beside those of the model [rad/s^2 or m/s^2] (default: none); limits of jerk are not kept"},
  {"share", "X", "the share of all limits that the motion may use (default: 0.9)"},
  {"keep", "FRAME=X,Y,Z;...",
   "keep frames in boxes, MIN:MAX in world axes [m]; either may be missing: tool=-0.5:0.5,:0.6,0.1:"},
  {"pose", "NAME", "where it starts and ends: a named pose of the model (default: chosen by the search)"},
  {"q", "JOINT=X,...", "the same by joint, with units; overrides --pose"},
  {"", NULL, "the search"},
  {"criterion", "condition|logdet", "what is optimised (default: condition)"},
  {"no-offset", NULL, "no constant torque per joint, as for limb identify"},
  {"no-rotors", NULL, "rotor inertias are not to be estimated"},
  {"springs", NULL, "springs of joints are to be estimated"},
  {"restarts", "N", "random motions from which the search begins (default: 8)"},
  {"max-iterations", "N", "of each (default: 120)"},
  {"seed", "N", "of the random motions (default: 1)"},
  {"threads", "N", "threads of the search (default: 0, one per processor); the motion does not depend on them"},
  {"", NULL, "the output"},
  {"output", "FILE.csv", "the motion: time, q, v, a, tau"},
  {"rate", "HZ", "of its rows (default: 100)"},
  {"plot", "FILE", "its curves and limits: .svg, .png, .pdf or .html"},
  {0},
};

static const cli_option* const options[] = {own_options, cli_model_options, cli_world_options, cli_format_options,
                                            NULL};

static const cli_written writes[] = {{"output", ".csv"}, {"plot", CLI_DRAWINGS}, {0}};

static const char about[] = //
  "Finds a motion in which the torques tell the parameters apart: Fourier series with polynomial ends, at rest at its "
  "start and end, which are the same pose. Its coefficients minimise the condition number of the equations of limb "
  "identify, after scaling of columns, or the log-determinant of their information matrix, by descents with analytic "
  "gradients from random motions, on all processors.\n"
  "The motion keeps the limits of the model for positions, speeds and torques (those of a model without limits: one "
  "turn or 2 m), --max-acceleration, and the boxes of --keep, between its samples, too. The answer has the condition "
  "beside that of random motions within the same limits, how much of each limit is used, and which parameters no "
  "motion can show. limb does not check self-collisions: view the motion before it runs (limb id MODEL motion.csv "
  "--animate motion.html), and keep frames in boxes.\n"
  "docs/identification.md has the way from the motion to the model.";

static const char* const examples[] = {
  "limb excite panda --max-acceleration 10 --output motion.csv --plot motion.svg",
  "a motion of 10 s for a Panda",
  "limb excite arm.urdf --keep 'flange=-0.6:0.6,-0.6:0.6,0.2:' --output motion.csv",
  "the flange stays above a table and between walls",
  NULL,
};

enum { BOXES = 32, NAME = 400, SAMPLES = 1 << 24 };

typedef struct excite_run {
  const cli_args* args;
  cli_robot robot;
  limb_excite_options o;
  limb_keep keep[BOXES];
  double rate, *start;
  limb_threads* threads;
  limb_excitation* motion;
  cli_output csv, drawing;
} excite_run;

// ---- options ---------------------------------------------------------------------------------------

// "MIN:MAX", either may be missing. Where it ends; NULL: it is none.
static const char* read_interval(const char* text, double* min, double* max)
{
  char* end = NULL;
  *min = -HUGE_VAL, *max = HUGE_VAL;
  if (*text != ':') {
    *min = strtod(text, &end);
    if (end == text) return NULL;
    text = end;
  }
  if (*text != ':') return NULL;
  text++;
  if (*text == ',' || *text == ';' || *text == '\0') return text;
  *max = strtod(text, &end);
  return end == text ? NULL : end;
}

// FRAME=X0:X1,Y0:Y1,Z0:Z1
static int read_box(const excite_run* r, const char** text, limb_keep* out)
{
  char name[NAME];
  const size_t length = strcspn(*text, "=");
  if ((*text)[length] != '=' || length == 0 || length >= sizeof name)
    return cli_usage(r->args, "--keep '%.80s': write boxes as FRAME=X0:X1,Y0:Y1,Z0:Z1", *text);
  memcpy(name, *text, length), name[length] = '\0';
  int code = cli_find_frame(r->args, r->robot.model, name, &out->frame);
  const char* at = *text + length + 1;
  double *min = &out->min.x, *max = &out->max.x;
  for (int i = 0; i < 3 && code == EXIT_FINE; i++) {
    at = read_interval(at, &min[i], &max[i]);
    if (!at || *at != (i < 2 ? ',' : *at) || (i == 2 && *at && *at != ';') || isnan(min[i]) || isnan(max[i]))
      return cli_usage(r->args, "--keep: the box of '%.80s' needs three intervals MIN:MAX with commas between them",
                       name);
    at += i < 2;
  }
  if (code == EXIT_FINE) *text = at + (*at == ';');
  return code;
}

static int read_boxes(excite_run* r)
{
  const char* text = cli_get(r->args, "keep");
  int code = EXIT_FINE;
  while (text && *text && code == EXIT_FINE) {
    if (r->o.nkeep == BOXES) return cli_usage(r->args, "--keep takes at most %d boxes", BOXES);
    code = read_box(r, &text, &r->keep[r->o.nkeep++]);
  }
  r->o.keep = r->keep;
  return code;
}

static int read_start(excite_run* r)
{
  cli_states s;
  int got = 0;
  if (!cli_has(r->args, "pose") && !cli_has(r->args, "q")) return EXIT_FINE;
  int code = cli_states_line(&s, r->args, &r->robot);
  if (code != EXIT_FINE) return code;
  code = cli_states_need(&s, STATES_Q, "excite");
  if (code == EXIT_FINE) code = cli_states_next(&s, &got);
  r->start = calloc((size_t)r->robot.dofs.nq + 1, sizeof *r->start);
  if (!r->start) code = cli_out_of_memory(r->args);
  if (code == EXIT_FINE && got) memcpy(r->start, s.q, (size_t)r->robot.dofs.nq * sizeof *s.q), r->o.start = r->start;
  cli_states_close(&s);
  return code;
}

static int read_numbers(excite_run* r)
{
  const cli_args* args = r->args;
  limb_excite_options* o = &r->o;
  double harmonics = o->harmonics, starts = o->starts, steps = o->steps, seed = (double)o->seed, threads = 0;
  int code = cli_positive(args, "duration", &o->duration);
  if (code == EXIT_FINE) code = cli_whole(args, "harmonics", 1, 64, &harmonics);
  if (code == EXIT_FINE) code = cli_positive(args, "max-acceleration", &o->max_acceleration);
  if (code == EXIT_FINE) code = cli_positive(args, "share", &o->share);
  if (code == EXIT_FINE) code = cli_whole(args, "restarts", 1, 10000, &starts);
  if (code == EXIT_FINE) code = cli_whole(args, "max-iterations", 1, 100000, &steps);
  if (code == EXIT_FINE) code = cli_whole(args, "seed", 0, 9007199254740992.0, &seed);
  if (code == EXIT_FINE) code = cli_whole(args, "threads", 0, CLI_THREADS_MAX, &threads);
  if (code == EXIT_FINE) code = cli_positive(args, "rate", &r->rate);
  if (code != EXIT_FINE) return code;
  if (o->share > 1) return cli_usage(args, "--share is a share of the limits, at most 1");
  if (!(r->rate * o->duration >= 2 && r->rate * o->duration < SAMPLES))
    return cli_usage(args, "%g s at %g Hz are %.3g rows; 2 to %d are possible", o->duration, r->rate,
                     r->rate * o->duration, SAMPLES);
  o->harmonics = (int)harmonics, o->starts = (int)starts, o->steps = (int)steps, o->seed = (uint64_t)seed;
  const limb_status s = limb_threads_create((int)threads, NULL, &r->threads);
  if (s != LIMB_OK) return cli_failed(args, "--threads", s, NULL);
  o->pool = limb_threads_pool(r->threads);
  return EXIT_FINE;
}

static int read_options(excite_run* r)
{
  limb_excite_options* o = &r->o;
  *o = limb_default_excite_options();
  o->env = &r->robot.env;
  o->criterion = cli_choice(r->args, "criterion") ? LIMB_EXCITE_LOGDET : LIMB_EXCITE_CONDITION;
  if (cli_has(r->args, "no-offset")) o->friction = 0;
  o->exclude = (cli_has(r->args, "no-rotors") ? LIMB_BASE_NO_ROTORS : 0U) |
               (cli_has(r->args, "springs") ? 0U : LIMB_BASE_NO_SPRINGS);
  int code = read_numbers(r);
  if (code == EXIT_FINE) code = read_boxes(r);
  if (code == EXIT_FINE) code = read_start(r);
  return code;
}

// ---- files -----------------------------------------------------------------------------------------

typedef struct excite_files {
  limb_csv_writer* writer; // NULL: not written
  limb_plot* plot;
  double *x, *y; // q, v, a, tau; what is drawn
} excite_files;

static int write_head(const excite_run* r, limb_csv_writer* w)
{
  char name[CLI_NAME_SPACE];
  static const char* const group[] = {"q", "v", "a", "tau"};
  limb_status s = limb_csv_text(w, "time");
  for (int g = 0; g < 4; g++)
    for (int j = 0; j < r->robot.dofs.nv && s == LIMB_OK; j++) {
      (void)snprintf(name, sizeof name, "%s.%s", group[g], (g ? r->robot.dofs.v : r->robot.dofs.q)[j].name);
      s = limb_csv_text(w, name);
    }
  if (s == LIMB_OK) s = limb_csv_end_row(w);
  return s == LIMB_OK ? EXIT_FINE : cli_unwritten(cli_title(r->args), "the motion", limb_status_text(s));
}

// One row of the table and of the curves: positions and torques.
static limb_status add_row(const excite_run* r, const excite_files* f, double t)
{
  const int nv = r->robot.dofs.nv, drawn = 2 * nv < LIMB_PLOT_MAX ? nv : LIMB_PLOT_MAX / 2;
  double *q = f->x, *v = q + nv, *a = v + nv, *tau = a + nv;
  limb_status s = limb_excitation_at(r->motion, t, q, v, a);
  if (s == LIMB_OK) s = limb_inverse_dynamics(r->robot.data, q, v, a, &r->robot.env, tau);
  for (int j = 0; j < drawn; j++) f->y[j] = q[j], f->y[drawn + j] = tau[j];
  limb_plot_add(f->plot, t, f->y);
  if (s == LIMB_OK && f->writer) s = limb_csv_number(f->writer, t);
  if (s == LIMB_OK && f->writer) s = limb_csv_numbers(f->writer, q, 4 * nv);
  return s == LIMB_OK && f->writer ? limb_csv_end_row(f->writer) : s;
}

static int draw(const excite_run* r, const limb_plot* plot, FILE* out)
{
  const int nv = r->robot.dofs.nv, drawn = 2 * nv < LIMB_PLOT_MAX ? nv : LIMB_PLOT_MAX / 2;
  limb_plot_series* series = calloc(2 * (size_t)drawn + 1, sizeof *series);
  limb_excitation_facts facts;
  char title[300], subtitle[300];
  if (!series) return cli_out_of_memory(r->args);
  for (int j = 0; j < drawn; j++) {
    const cli_dof* d = &r->robot.dofs.v[j];
    limb_joint_info joint;
    const int one = limb_get_joint(r->robot.model, d->joint, &joint) == LIMB_OK && joint.nv == 1;
    const double reach = fmax(fabs(joint.def.q_min), fabs(joint.def.q_max));
    series[j] = (limb_plot_series){.name = d->name, .unit = limb_position_unit(d), .limit = one ? reach : HUGE_VAL};
    series[drawn + j] =
      (limb_plot_series){.name = d->name, .unit = limb_force_unit(d), .limit = one ? joint.def.effort_max : HUGE_VAL};
  }
  const int known = limb_excitation_get_facts(r->motion, &facts) == LIMB_OK;
  (void)snprintf(title, sizeof title, "%.200s: a motion that shows the parameters", limb_model_name(r->robot.model));
  (void)snprintf(subtitle, sizeof subtitle, "positions and torques; condition %.3g, random motions %.3g",
                 known ? facts.condition : 0, known ? facts.random : 0);
  const limb_plot_labels labels = {.title = title, .subtitle = subtitle, .x_label = "time [s]"};
  limb_plot_write(plot, series, &labels, out);
  free(series);
  return EXIT_FINE;
}

static int fill_files(excite_run* r, excite_files* f)
{
  const int nv = r->robot.dofs.nv, steps = (int)ceil(r->rate * r->o.duration - 1e-9);
  const int drawn = 2 * nv < LIMB_PLOT_MAX ? nv : LIMB_PLOT_MAX / 2;
  int code = EXIT_FINE;
  limb_status s = LIMB_OK;
  f->x = calloc(4 * (size_t)nv + 1, sizeof *f->x), f->y = calloc(2 * (size_t)nv + 1, sizeof *f->y);
  if (!f->x || !f->y) return cli_out_of_memory(r->args);
  if (cli_has(r->args, "plot") && limb_plot_create(2 * drawn, &f->plot) != LIMB_OK) return cli_out_of_memory(r->args);
  if (cli_has(r->args, "output")) {
    if (limb_csv_create(r->csv.stream, NULL, &f->writer) != LIMB_OK) return cli_out_of_memory(r->args);
    code = write_head(r, f->writer);
  }
  for (int i = 0; i <= steps && code == EXIT_FINE && s == LIMB_OK; i++)
    s = add_row(r, f, fmin(i / r->rate, r->o.duration));
  if (s == LIMB_OK && f->writer) s = limb_csv_finish(f->writer);
  if (s != LIMB_OK) code = cli_unwritten(cli_title(r->args), "the motion", limb_status_text(s));
  if (code == EXIT_FINE && f->plot) code = draw(r, f->plot, r->drawing.stream);
  return code;
}

static int write_files(excite_run* r)
{
  const char *csv = cli_get(r->args, "output"), *plot = cli_get(r->args, "plot"), *title = cli_title(r->args);
  excite_files f = {.writer = NULL};
  int code = csv ? cli_output_open(&r->csv, title, csv) : EXIT_FINE;
  if (code == EXIT_FINE && plot) code = cli_output_open_drawing(&r->drawing, title, plot);
  if (code == EXIT_FINE) code = fill_files(r, &f);
  if (code == EXIT_FINE && csv) code = cli_output_commit(&r->csv, title);
  if (code == EXIT_FINE && plot) code = cli_output_commit(&r->drawing, title);
  limb_csv_destroy(f.writer);
  limb_plot_destroy(f.plot);
  free(f.x), free(f.y);
  return code;
}

// ---- the answer ------------------------------------------------------------------------------------

static void print_use(const char* what, double use)
{
  if (use > 0)
    printf(" %s %.1f %%,", what, 100 * use);
  else
    printf(" %s none,", what);
}

static int print_text(const excite_run* r, const limb_excitation_facts* f)
{
  const char* line;
  printf("%s%s%s: a motion of %.6g s, %.4g to %.4g Hz\n", cli_on(stdout, CLI_BOLD), limb_model_name(r->robot.model),
         cli_off(stdout, CLI_BOLD), f->duration, 1 / f->duration, r->o.harmonics / f->duration);
  printf("%d parameters: condition %.4g after scaling of columns (base parameters alone: %.4g)\n", f->parameters,
         f->condition, f->base_condition);
  printf("random motions within the same limits: %.4g (median of %d), %.4g (the best)\n", f->random, r->o.starts,
         f->random_best);
  printf("limits used:");
  print_use("position", f->position), print_use("speed", f->speed);
  print_use("acceleration", f->acceleration), print_use("torque", f->torque);
  printf(" at most %.4g %%\n", 100 * r->o.share);
  for (int k = 0; (line = limb_excitation_hidden(r->motion, k)); k++) printf("%s\n", line);
  return EXIT_FINE;
}

static int print_json(const excite_run* r, const limb_excitation_facts* f)
{
  json_t *answer = cli_json_answer(), *hidden = json_array();
  const char* line;
  for (int k = 0; (line = limb_excitation_hidden(r->motion, k)); k++)
    (void)json_array_append_new(hidden, cli_json_text(line));
  cli_json_set(answer, "model duration harmonics parameters condition base_condition logdet random random_best",
               cli_json_text(limb_model_name(r->robot.model)), cli_json_number(f->duration),
               json_integer(r->o.harmonics), json_integer(f->parameters), cli_json_number(f->condition),
               cli_json_number(f->base_condition), cli_json_number(f->logdet), cli_json_number(f->random),
               cli_json_number(f->random_best));
  cli_json_set(answer, "use hidden",
               cli_json_object("position speed acceleration torque", cli_json_number(f->position),
                               cli_json_number(f->speed), cli_json_number(f->acceleration), cli_json_number(f->torque)),
               hidden);
  return cli_json_print(answer, stdout, cli_title(r->args));
}

static int excite(excite_run* r)
{
  limb_error err = {0};
  limb_excitation_facts facts;
  if (cli_is(r->args, "format", "csv"))
    return cli_usage(r->args, "--format csv: the motion becomes CSV by --output; answers are text or json");
  int code = read_options(r);
  if (code != EXIT_FINE) return code;
  cli_progress bar = cli_progress_begin("excite", 1);
  r->o.progress = cli_progress_report, r->o.context = &bar;
  limb_status s = limb_excite(r->robot.model, &r->o, &r->motion, &err);
  cli_progress_end(&bar);
  if (s == LIMB_OK) s = limb_excitation_get_facts(r->motion, &facts);
  if (s != LIMB_OK) return cli_failed(r->args, cli_operand(r->args, 0), s, &err);
  code = write_files(r);
  if (code != EXIT_FINE) return code;
  return cli_is(r->args, "format", "json") ? print_json(r, &facts) : print_text(r, &facts);
}

static int run(const cli_args* args)
{
  excite_run r = {.args = args, .rate = 100};
  int code = cli_robot_open(args, cli_operand(args, 0), &r.robot);
  if (code != EXIT_FINE) return code;
  code = excite(&r);
  cli_output_abandon(&r.csv), cli_output_abandon(&r.drawing);
  limb_excitation_destroy(r.motion);
  limb_threads_destroy(r.threads);
  free(r.start);
  cli_robot_close(&r.robot);
  return code;
}

const cli_command cli_excite = {
  .name = "excite",
  .operands = "MODEL",
  .summary = "a motion that shows the parameters of a robot",
  .about = about,
  .examples = examples,
  .options = options,
  .run = run,
  .writes = writes,
};
