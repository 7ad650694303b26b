// `limb identify --payload`: the load at a frame from a log, or from one with it and one without.
#include "limb/edit.h"
#include "limb/ident.h"

#include "base/command.h"
#include "base/output.h"
#include "base/print.h"
#include "commands/identify.h"
#include "robot/robot.h"
#include "states/states.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const cli_option cli_payload_options[] = {
  {"", NULL, "a load"},
  {"payload", "FRAME",
   "finds only the load that is fixed to this frame and not in the model; MASS@FRAME: a known load"},
  {"empty", "LOG.csv", "with --payload FRAME: the robot without it, best along the same motion: errors cancel"},
  {0},
};

// Below this product of step and bandwidth the filter follows the samples.
static const double COARSE = 0.5, FAR = 5, PI = 3.14159265358979323846;

static const char* const quantity[] = {"mass", "com.x", "com.y", "com.z", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};
static const char* const unit[] = {"kg", "m", "m", "m", "kg m^2", "kg m^2", "kg m^2", "kg m^2", "kg m^2", "kg m^2"};

enum { QUANTITIES = 10 };

typedef struct load_run {
  const cli_args* args;
  cli_robot* robot;
  int frame;
  limb_payload_options o;
} load_run;

// What was found: the estimate, and the load nearest to it that a rigid body can have.
typedef struct found_load {
  limb_payload_result estimate, body;
  double distance; // between them, in standard deviations
} found_load;

// ---- logs ------------------------------------------------------------------------------------------

// Three consecutive samples, for logs without velocities: time, q, tau of each.
typedef struct log_window {
  const load_run* r;
  limb_payload* x;
  int nq, nv, has_v, held, coarse;
  double last;                // time of the sample before
  double *time, *q, *v, *tau; // 3, 3 nq, nv, 3 nv
} log_window;

static limb_status step(log_window* w, double time, const double* q, const double* v, const double* tau)
{
  const double dt = time - w->last;
  w->last = time;
  if (isfinite(dt) && dt * w->r->o.gain > COARSE) limb_payload_gap(w->x), w->coarse++;
  return limb_payload_step(w->x, isfinite(dt) ? dt : 1, q, v, tau);
}

// v in the middle of the window by the chord: limb_difference is exact on the manifold.
static limb_status step_in_the_middle(log_window* w)
{
  const double span = w->time[2] - w->time[0];
  limb_status s = limb_difference(w->r->robot->model, w->q, w->q + 2 * w->nq, w->v);
  for (int j = 0; j < w->nv; j++) w->v[j] /= span;
  if (span * w->r->o.gain > 2 * COARSE) limb_payload_gap(w->x), w->coarse++;
  return s == LIMB_OK ? step(w, w->time[1], w->q + w->nq, w->v, w->tau + w->nv) : s;
}

static limb_status add(log_window* w, const cli_states* s)
{
  const size_t nq = (size_t)w->nq * sizeof(double), nv = (size_t)w->nv * sizeof(double);
  if (w->has_v) return step(w, s->time, s->q, s->v, s->tau);
  memmove(w->time, w->time + 1, 2 * sizeof *w->time);
  memmove(w->q, w->q + w->nq, 2 * nq), memmove(w->tau, w->tau + w->nv, 2 * nv);
  w->time[2] = s->time;
  memcpy(w->q + 2 * w->nq, s->q, nq), memcpy(w->tau + 2 * w->nv, s->tau, nv);
  w->held += w->held < 3;
  return w->held == 3 ? step_in_the_middle(w) : LIMB_OK;
}

static int read_rows(cli_states* s, log_window* w)
{
  int code = EXIT_FINE, got = 0;
  while (code == EXIT_FINE) {
    code = cli_interrupted() ? EXIT_USAGE : cli_states_next(s, &got);
    if (code != EXIT_FINE || !got) break;
    const limb_status status = add(w, s);
    if (status != LIMB_OK) code = cli_states_failure(s, status, "the log");
  }
  if (code == EXIT_FINE && w->coarse > 0)
    (void)fprintf(stderr, "%s: warning: %d steps are longer than %.3g s, and separate parts of the log\n", s->path,
                  w->coarse, COARSE / w->r->o.gain);
  return code;
}

static int read_log(const load_run* r, const char* path, limb_payload* x)
{
  static const char purpose[] = "a load";
  const cli_dofs* dofs = &r->robot->dofs;
  log_window w = {.r = r, .x = x, .nq = dofs->nq, .nv = dofs->nv, .last = (double)NAN};
  cli_states s;
  int code = cli_states_open(&s, r->args, r->robot, path);
  if (code != EXIT_FINE) return code;
  code = cli_states_need(&s, STATES_TIME | STATES_Q | STATES_TAU | STATES_IDLE, purpose);
  w.has_v = cli_states_has(&s, STATES_V);
  if (code == EXIT_FINE && w.has_v) code = cli_states_need(&s, STATES_V, purpose);
  double* window = calloc(3 + 3 * (size_t)w.nq + 4 * (size_t)w.nv, sizeof *window);
  if (!window) code = cli_out_of_memory(r->args);
  if (code == EXIT_FINE) {
    w.time = window, w.q = w.time + 3, w.tau = w.q + 3 * (size_t)w.nq, w.v = w.tau + 3 * (size_t)w.nv;
    code = read_rows(&s, &w);
  }
  free(window);
  cli_states_close(&s);
  return code;
}

static int estimate(const load_run* r, const char* path, limb_payload_result* out)
{
  limb_payload* x = NULL;
  limb_error err = {0};
  limb_status s = limb_payload_create(r->robot->model, r->frame, &r->o, &x);
  if (s == LIMB_E_ARG)
    return cli_usage(r->args, "--payload %s: no joint moves this frame", cli_get(r->args, "payload"));
  if (s == LIMB_E_UNSUPPORTED) return cli_usage(r->args, "--payload is for robots without loops");
  if (s != LIMB_OK) return cli_failed(r->args, path, s, NULL);
  int code = read_log(r, path, x);
  limb_payload_result found = {0};
  if (code == EXIT_FINE) {
    s = limb_payload_estimate(x, &found);
    if (s == LIMB_E_ORDER)
      code = cli_usage(r->args, "%s: too short for a load: it takes at least %.3g s of motion at %.3g Hz or more", path,
                       40 / r->o.gain, r->o.gain / COARSE);
    else if (s == LIMB_E_SINGULAR)
      code = cli_usage(r->args, "%s: the motion shows no load at '%s': move it faster, or log longer", path,
                       cli_get(r->args, "payload"));
    else if (s != LIMB_OK)
      code = cli_failed(r->args, path, s, &err);
  }
  limb_payload_destroy(x);
  *out = found;
  return code;
}

// ---- the answer ------------------------------------------------------------------------------------

static void numbers(const limb_payload_result* p, double value[QUANTITIES], double std[QUANTITIES])
{
  const sp_inertia* Y = &p->load;
  const double all[QUANTITIES] = {Y->mass, Y->com.x, Y->com.y, Y->com.z, Y->xx, Y->xy, Y->xz, Y->yy, Y->yz, Y->zz};
  memcpy(value, all, sizeof all);
  std[0] = p->mass_std;
  memcpy(std + 1, p->com_std, sizeof p->com_std), memcpy(std + 4, p->inertia_std, sizeof p->inertia_std);
}

static const char* verdict_of(const limb_payload_result* p, int k, double value, double std)
{
  if (p->hidden & 1U << k) return "hidden";
  return std > 0.3 * fabs(value) ? "uncertain" : "";
}

static cli_table table(const found_load* found)
{
  const limb_payload_result* p = &found->estimate;
  cli_table t =
    cli_table_make("<quantity=name;>value;>std;>of a rigid body=physical_value;>std=physical_std;<unit;<verdict");
  double value[QUANTITIES], std[QUANTITIES], body[QUANTITIES], body_std[QUANTITIES];
  numbers(p, value, std);
  numbers(&found->body, body, body_std);
  for (int k = 0; k < QUANTITIES; k++) {
    cli_cell(&t, "%s", quantity[k]);
    cli_cell_number(&t, value[k]);
    cli_cell_number(&t, p->hidden & 1U << k ? HUGE_VAL : std[k]);
    cli_cell_number(&t, body[k]), cli_cell_number(&t, body_std[k]);
    cli_cell(&t, "%s", unit[k]);
    cli_cell(&t, "%s", verdict_of(p, k, value[k], std[k]));
  }
  return t;
}

static limb_status write_csv(limb_csv_writer* w, const void* result)
{
  const found_load* found = result;
  double value[QUANTITIES], std[QUANTITIES], body[QUANTITIES], body_std[QUANTITIES];
  numbers(&found->estimate, value, std), numbers(&found->body, body, body_std);
  limb_status s =
    cli_csv_head(w, (const char* const[]){"name", "value", "std", "physical_value", "physical_std", NULL});
  for (int k = 0; k < QUANTITIES && s == LIMB_OK; k++) {
    s = limb_csv_text(w, quantity[k]);
    if (s == LIMB_OK) s = limb_csv_numbers(w, (const double[]){value[k], std[k], body[k], body_std[k]}, 4);
    if (s == LIMB_OK) s = limb_csv_end_row(w);
  }
  return s;
}

static int print(const load_run* r, const found_load* found)
{
  const limb_payload_result* p = &found->estimate;
  const char* frame = cli_get(r->args, "payload");
  cli_table t = table(found);
  if (cli_is(r->args, "format", "json")) {
    json_t* answer = cli_json_answer();
    cli_json_set(answer, "model frame samples equations residual before physical distance load",
                 cli_json_text(limb_model_name(r->robot->model)), cli_json_text(frame),
                 json_integer((json_int_t)p->samples), json_integer(p->equations), cli_json_number(p->residual),
                 cli_json_number(p->before), json_boolean(p->physical), cli_json_number(found->distance),
                 cli_table_json(&t));
    return cli_json_print(answer, stdout, cli_title(r->args));
  }
  if (cli_is(r->args, "format", "csv")) {
    cli_table_free(&t);
    return cli_csv_print(stdout, cli_title(r->args), write_csv, found);
  }
  printf("%s%s%s: a load at '%s', from %llu samples, %d equations per joint\n", cli_on(stdout, CLI_BOLD),
         limb_model_name(r->robot->model), cli_off(stdout, CLI_BOLD), frame, (unsigned long long)p->samples,
         p->equations);
  printf("torques beside those of the model, filtered: rms %.4g without the load, %.4g with it\n\n", p->before,
         p->residual);
  cli_table_print(&t, stdout, "");
  printf(
    "\nin the axes of the frame; the inertia is about the centre of mass. The rigid body is %.2g standard deviations\n"
    "from the estimate; where the motion shows little, it is a ball of water of that mass.\n",
    found->distance);
  return EXIT_FINE;
}

static void warn(const load_run* r, const found_load* found)
{
  const limb_payload_result* p = &found->estimate;
  const char* path = cli_operand(r->args, 1);
  const char* defect = limb_inertia_defect(&p->load);
  if (p->hidden)
    (void)fprintf(
      stderr, "%s: warning: the motion does not show all parameters of the load; the estimate counts those as zero\n",
      path);
  if (!p->physical)
    (void)fprintf(stderr,
                  "%s: warning: no rigid body can have this estimate (%s); the nearest one is beside it. A motion that "
                  "turns the load faster, about all axes, shows more\n",
                  path,
                  p->load.mass <= 0 ? "its mass is not positive"
                  : defect          ? defect
                                    : "");
  if (found->distance > FAR)
    (void)fprintf(stderr,
                  "%s: warning: the nearest load that a rigid body can have is %.2g standard deviations from the "
                  "estimate, which noise does not explain: is the model of the robot right (--empty)?\n",
                  path, found->distance);
  if (p->residual > 0.5 * p->before)
    (void)fprintf(stderr,
                  "%s: warning: the load explains less than half of what the model does not: is the model of the "
                  "robot right (limb identify), or is '%s' the wrong frame?\n",
                  path, cli_get(r->args, "payload"));
}

// The model with a body "payload" at the frame.
static int write_model(const load_run* r, const found_load* found)
{
  const char* path = cli_get(r->args, "output");
  limb_error err = {0};
  limb_builder* b = limb_reading_builder(r->robot->reading);
  const sp_inertia* load = &found->body.load;
  const limb_status s = limb_builder_add_payload(b, "payload", cli_get(r->args, "payload"), NULL, load, &err);
  return s == LIMB_OK ? cli_write_model(r->args, NULL, b, path) : cli_failed(r->args, path, s, &err);
}

static int identify_payload(load_run* r)
{
  static const char* const others[] = {"method",    "asymmetry", "stribeck",      "no-rotors", "springs", "physical",
                                       "weight",    "l-curve",   "bound",         "train",     "plot",    "report",
                                       "min-speed", "gain",      "inside-shapes", "current",   "load",    "unmeasured"};
  const cli_args* args = r->args;
  double cutoff = r->o.gain / (2 * PI);
  found_load found = {0};
  limb_payload_result empty, *loaded = &found.estimate;
  for (int k = 0; k < COUNT_OF(others); k++)
    if (cli_has(args, others[k])) return cli_usage(args, "--%s is not for --payload FRAME", others[k]);
  if (cli_operand_count(args) != 2) return cli_usage(args, "--payload takes one log; that without the load is --empty");
  int code = cli_find_frame(args, r->robot->model, cli_get(args, "payload"), &r->frame);
  if (code == EXIT_FINE) code = cli_positive(args, "cutoff", &cutoff);
  if (code != EXIT_FINE) return code;
  r->o.gain = 2 * PI * cutoff, r->o.env = &r->robot->env;
  if (cli_has(args, "no-offset")) r->o.friction &= ~(unsigned)LIMB_IDENT_OFFSET;
  code = estimate(r, cli_operand(args, 1), loaded);
  if (code == EXIT_FINE && cli_has(args, "empty")) {
    code = cli_reads(args, cli_get(args, "empty"));
    if (code == EXIT_FINE) code = estimate(r, cli_get(args, "empty"), &empty);
    if (code == EXIT_FINE && limb_payload_subtract(loaded, &empty, loaded) != LIMB_OK) code = EXIT_NUMERICAL;
  }
  if (code != EXIT_FINE) return code;
  const limb_status s = limb_payload_physical(loaded, &found.body, &found.distance);
  if (s != LIMB_OK) return cli_failed(args, "the load of a rigid body", s, NULL);
  warn(r, &found);
  if (cli_has(args, "output")) code = write_model(r, &found);
  return code == EXIT_FINE ? print(r, &found) : code;
}

int cli_seeks_payload(const cli_args* args)
{
  const char* value = cli_get(args, "payload");
  return value && !strchr(value, '@') && !isdigit((unsigned char)*value) && !strchr("+-.", *value);
}

// The option --payload is no change of the model here.
int cli_identify_payload(const cli_args* args)
{
  const limb_run none = {0};
  const cli_changes changes = {&none, NULL};
  cli_robot robot;
  load_run r = {.args = args, .robot = &robot, .o = limb_default_payload_options()};
  int code = cli_robot_open_as(args, cli_operand(args, 0), NULL, &changes, &robot);
  if (code != EXIT_FINE) return code;
  code = identify_payload(&r);
  cli_robot_close(&robot);
  return code;
}
