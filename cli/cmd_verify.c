// `limb verify`: the same quantities by independent formulations, and how far they disagree.
#include "cli.h"
#include "closure.h"
#include "commands.h"
#include "json.h"
#include "output.h"
#include "table.h"
#include "verify.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHECKS = 96, WHY_SPACE = 80 };

typedef struct outcome {
  double off;   // the largest disagreement
  int state;    // where; counted from 1
  int states;   // on how many
  int singular; // on how many it could not be made, because M was singular there
  limb_status status;
} outcome;

typedef struct comparison {
  const cli_args* args;
  const limb_model* m;
  verify t;
  int states;
  uint64_t seed;
  double tolerance;
  int count;
  const verify_check* checks[MOST_CHECKS];
  outcome outcomes[MOST_CHECKS];
} comparison;

static void collect(comparison* x, const verify_check* list)
{
  for (; list->quantity && x->count < MOST_CHECKS; list++) x->checks[x->count++] = list;
}

// ---- running ---------------------------------------------------------------------------------------

// On how many states a check is made: work that grows with powers of the size is bounded.
static int states_for(const comparison* x, const verify_check* c)
{
  const double n = fmax(1, fmax(x->t.nv, x->t.nbody));
  const double per_state = c->cost == 1   ? n
                           : c->cost == 2 ? n * n
                           : c->cost == 3 ? 36 * n * n * n
                                          : 100 * n * n * n * n;
  const double budget = c->cost == 1 ? 1e7 : c->cost == 2 ? 5e6 : 3e8;
  const double most = floor(budget / per_state);
  const double least = c->cost == 1 || (c->cost == 2 && n <= VERIFY_LARGE) ? 1 : 0;
  if (c->most && x->t.nv > c->most) return 0;
  return (int)fmin(x->states, fmax(most, least));
}

static void try_check(comparison* x, int k, int state)
{
  outcome* o = &x->outcomes[k];
  double off = 0;
  if (o->status != LIMB_OK || state > states_for(x, x->checks[k])) return;
  const limb_status s = x->checks[k]->run(&x->t, &off);
  if (s == LIMB_E_SINGULAR) {
    o->singular++;
    return;
  }
  o->status = s;
  if (s != LIMB_OK) {
    o->state = state;
    return;
  }
  o->states++;
  if (o->states > 1 && off <= o->off) return;
  o->off = off;
  o->state = state;
}

static limb_status run_states(comparison* x)
{
  cli_progress bar = cli_progress_begin("verify", (uint64_t)x->states * (uint64_t)x->count);
  limb_status s = LIMB_OK;
  for (int i = 1; i <= x->states && s == LIMB_OK; i++) {
    s = verify_next(&x->t);
    for (int k = 0; k < x->count && s == LIMB_OK; k++) {
      cli_progress_update(&bar, (uint64_t)(i - 1) * (uint64_t)x->count + (uint64_t)k);
      try_check(x, k, i);
    }
  }
  cli_progress_end(&bar);
  return s;
}

// ---- judging ---------------------------------------------------------------------------------------

// Inverting M loses as many digits as its condition number has; where that is not known, the robot is large,
// and so is it. Differences have their own error.
static double tolerance_of(const comparison* x, const verify_check* c)
{
  if (c->class == VERIFY_INVERSE)
    return fmax(x->tolerance, x->t.condition > 0 ? fmin(1e-4, 100 * DBL_EPSILON * x->t.condition) : 1e-4);
  return c->class == VERIFY_DIFFERENCES ? fmax(x->tolerance, 1e-6) : x->tolerance;
}

// "ok", "FAILED", "not applicable" or "skipped"; why (WHY_SPACE) gets the reason, if there is one.
static const char* judge(const comparison* x, int k, char* why)
{
  const outcome* o = &x->outcomes[k];
  const verify_check* c = x->checks[k];
  const char *text = "", *verdict = o->off <= tolerance_of(x, c) ? "ok" : "FAILED";
  if (o->status == LIMB_E_UNSUPPORTED) {
    verdict = "not applicable", text = c->unless ? c->unless : "not for this robot";
  } else if (o->states == 0 && o->singular > 0) {
    verdict = "not applicable";
    text = c->class == VERIFY_INVERSE ? "M is singular" : c->unless ? c->unless : "the robot has no mass";
  } else if (o->status != LIMB_OK) {
    verdict = "FAILED", text = limb_status_text(o->status);
  } else if (o->states == 0) {
    verdict = "skipped", text = "the robot is too large for work of this order";
  }
  (void)snprintf(why, WHY_SPACE, "%s", text);
  if (o->states == 0 && c->most && x->t.nv > c->most)
    (void)snprintf(why, WHY_SPACE, "not for more than %d velocities", c->most);
  return verdict;
}

static int exit_code(const comparison* x)
{
  int code = EXIT_FINE;
  char why[WHY_SPACE];
  for (int k = 0; k < x->count; k++) {
    if (strcmp(judge(x, k, why), "FAILED") != 0) continue;
    const int own = *why ? cli_exit_code(x->outcomes[k].status) : EXIT_FINDINGS;
    if (own > code) code = own;
  }
  return code;
}

// ---- printing --------------------------------------------------------------------------------------

static void print_row(const comparison* x, cli_table* t, int k)
{
  const outcome* o = &x->outcomes[k];
  const verify_check* c = x->checks[k];
  char why[WHY_SPACE];
  const char* verdict = judge(x, k, why);
  cli_cell(t, "%s", c->quantity);
  cli_cell(t, "%s", c->first);
  cli_cell(t, "%s", c->second);
  if (*why) {
    for (int i = 0; i < 4; i++) cli_cell(t, "%s", "");
    cli_cell(t, "%s: %s", verdict, why);
    return;
  }
  cli_cell(t, "%.1e", o->off);
  cli_cell(t, "%.0e", tolerance_of(x, c));
  cli_cell(t, "%d", o->state);
  cli_cell(t, "%d", o->states);
  cli_cell(t, "%s", verdict);
}

// 1 when every check that is for this robot was made, on all the states that were meant for it.
static int all_made(const comparison* x)
{
  for (int k = 0; k < x->count; k++) {
    const outcome* o = &x->outcomes[k];
    if (o->status != LIMB_E_UNSUPPORTED && (o->states == 0 || o->singular > 0)) return 0;
  }
  return 1;
}

static int print_text(const comparison* x)
{
  static const char* const names[] = {"quantity",  "by",       "and by", "disagreement",
                                      "tolerance", "at state", "states", "verdict"};
  const sp_vec3 g = x->t.env.gravity;
  cli_table t = cli_table_make("lllrrrrl");
  printf("%s: nv %d, %d random state%s, seed %llu, gravity %.6g %.6g %.6g m/s^2\n\n", limb_model_name(x->m), x->t.nv,
         x->states, x->states == 1 ? "" : "s", (unsigned long long)x->seed, g.x, g.y, g.z);
  for (int k = 0; k < 8; k++) cli_cell(&t, "%s", names[k]);
  for (int k = 0; k < x->count; k++) print_row(x, &t, k);
  cli_table_print(&t, stdout, "  ");
  if (x->t.condition > 0) printf("\ncondition of M up to %.1e\n", x->t.condition);
  const int fine = exit_code(x) == EXIT_FINE;
  const cli_colour colour = fine ? CLI_GREEN : CLI_RED;
  const int whole = all_made(x);
  printf("%s%s%s\n", cli_on(stdout, colour),
         !fine   ? "FORMULATIONS DISAGREE: see above."
         : whole ? "All formulations agree."
                 : "The formulations that could be compared agree.",
         cli_off(stdout, colour));
  return limb_cli_close_output(cli_title(x->args));
}

static json_t* check_json(const comparison* x, int k)
{
  static const char* const classes[] = {"algebra", "inverse", "differences"};
  const outcome* o = &x->outcomes[k];
  const verify_check* c = x->checks[k];
  char why[WHY_SPACE];
  const char* verdict = judge(x, k, why);
  json_t* r = json_object();
  (void)json_object_set_new(r, "quantity", cli_json_text(c->quantity));
  (void)json_object_set_new(r, "by", cli_json_text(c->first));
  (void)json_object_set_new(r, "and_by", cli_json_text(c->second));
  (void)json_object_set_new(r, "class", cli_json_text(classes[c->class]));
  (void)json_object_set_new(r, "verdict", cli_json_text(verdict));
  if (*why) (void)json_object_set_new(r, "why", cli_json_text(why));
  (void)json_object_set_new(r, "disagreement", *why ? json_null() : cli_json_number(o->off));
  (void)json_object_set_new(r, "tolerance", cli_json_number(tolerance_of(x, c)));
  (void)json_object_set_new(r, "state", json_integer(o->state));
  (void)json_object_set_new(r, "states", json_integer(o->states));
  (void)json_object_set_new(r, "singular", json_integer(o->singular));
  return r;
}

static int print_json(const comparison* x)
{
  json_t *answer = cli_json_answer(), *list = json_array();
  (void)json_object_set_new(answer, "model", cli_json_text(limb_model_name(x->m)));
  (void)json_object_set_new(answer, "gravity", cli_json_vec3(x->t.env.gravity));
  (void)json_object_set_new(answer, "nv", json_integer(x->t.nv));
  (void)json_object_set_new(answer, "states", json_integer(x->states));
  (void)json_object_set_new(answer, "seed", json_integer((json_int_t)x->seed));
  (void)json_object_set_new(answer, "tolerance", cli_json_number(x->tolerance));
  (void)json_object_set_new(answer, "condition", cli_json_number(x->t.condition));
  (void)json_object_set_new(answer, "agree", json_boolean(exit_code(x) == EXIT_FINE));
  for (int k = 0; k < x->count; k++) (void)json_array_append_new(list, check_json(x, k));
  (void)json_object_set_new(answer, "checks", list);
  if (cli_json_print(answer, stdout, cli_title(x->args)) != EXIT_FINE) return EXIT_USAGE;
  return limb_cli_close_output(cli_title(x->args));
}

// ---- the command -----------------------------------------------------------------------------------

static int read_numbers(comparison* x)
{
  double states = 100, seed = 1, tolerance = 1e-9;
  const cli_args* args = x->args;
  if (cli_has(args, "states") && !cli_numbers(args, "states", 1, &states)) return EXIT_USAGE;
  if (cli_has(args, "seed") && !cli_numbers(args, "seed", 1, &seed)) return EXIT_USAGE;
  if (cli_has(args, "tolerance") && !cli_numbers(args, "tolerance", 1, &tolerance)) return EXIT_USAGE;
  if (states < 1 || states > 1e6 || states != floor(states))
    return cli_usage(args, "--states must be a whole number from 1 to 1000000");
  if (seed < 0 || seed > 9007199254740992.0 || seed != floor(seed))
    return cli_usage(args, "--seed must be a whole number from 0 to 2^53");
  if (tolerance <= 0) return cli_usage(args, "--tolerance must be above zero");
  x->states = (int)states;
  x->seed = (uint64_t)seed;
  x->tolerance = tolerance;
  return EXIT_FINE;
}

static void finish(comparison* x)
{
  verify_loops_free(&x->t);
  verify_free(&x->t);
}

// Loops that do not close are told here, with what is left open.
static limb_status close_loops(comparison* x, const cli_robot* r)
{
  limb_assembly_report report = {.loop = -1};
  const limb_status s = verify_loops_open(&x->t, &report);
  if (s != LIMB_E_NOCONV) return s;
  (void)cli_usage(x->args,
                  "%s: no configuration that closes the loops was found: loop '%s' stays %.3g apart; "
                  "limb assemble looks for one",
                  limb_reading_source(r->reading), cli_loop_name(x->m, report.loop), report.residual);
  finish(x);
  return s;
}

static int verify_robot(comparison* x, const cli_robot* r)
{
  const char* format = cli_get(x->args, "format");
  x->m = r->model;
  limb_status s = verify_create(&x->t, r, x->seed);
  if (s == LIMB_OK && limb_loop_count(x->m) > 0) s = close_loops(x, r);
  if (s == LIMB_E_NOCONV) return cli_exit_code(s);
  if (s == LIMB_OK) s = run_states(x);
  if (s != LIMB_OK) {
    (void)cli_usage(x->args, "%s: %s", limb_reading_source(r->reading), limb_status_text(s));
    finish(x);
    return cli_exit_code(s);
  }
  const int printed = format && strcmp(format, "json") == 0 ? print_json(x) : print_text(x);
  const int code = exit_code(x);
  finish(x);
  return printed == EXIT_FINE ? code : printed;
}

static int run(const cli_args* args)
{
  comparison x = {.args = args};
  cli_robot r;
  int code = read_numbers(&x);
  if (code == EXIT_FINE) code = cli_robot_open(args, cli_operand(args, 0), &r);
  if (code != EXIT_FINE) return code;
  collect(&x, verify_dynamics);
  collect(&x, verify_hybrid);
  collect(&x, verify_motion);
  collect(&x, verify_derivatives);
  collect(&x, verify_lagrange);
  collect(&x, verify_forms);
  if (limb_loop_count(r.model) > 0) {
    collect(&x, verify_loops);
    collect(&x, verify_other_forms);
  }
  code = verify_robot(&x, &r);
  cli_robot_close(&r);
  return code;
}

static const cli_option options[] = {
  {"", NULL, "the comparison"},
  {"states", "N", "number of random states (default: 100)"},
  {"seed", "N", "where the random numbers begin (default: 1)"},
  {"tolerance", "X",
   "largest relative disagreement (default: 1e-9); looser for finite differences, and where M is "
   "ill-conditioned"},
  {"format", "text|json", "how it is printed"},
  {0},
};

const cli_command cli_verify = {
  .name = "verify",
  .operands = "MODEL",
  .summary = "the same quantities by independent formulations, and how far they disagree",
  .about = (const char* const[]){"Random states lie within the limits of the joints, velocities and accelerations",
                                 "between -1 and 1. Of which joints hybrid dynamics is given the acceleration, and",
                                 "of which the force, is random, too. Disagreements are relative to the largest",
                                 "number of the quantity, or of the terms that it is the sum of, where they cancel.",
                                 "Derivatives are compared with dual numbers and with each other. Large robots are",
                                 "looked at in fewer states, and tensors of theirs are left out: the table says so,",
                                 "as it does of what is not for a robot. Most checks see the tree of joints; those of",
                                 "robots with loops come last, in states that close them: near where the model",
                                 "begins, with independent velocities and accelerations at random, and the others",
                                 "as they follow. The exit code is 1 when a disagreement is above its tolerance, 4",
                                 "when no configuration closes the loops.", NULL},
  .examples = (const char* const[]){"limb verify arm.urdf", "can the results for this robot be trusted?",
                                    "limb verify humanoid --base floating --states 1000",
                                    "more states, and a base that moves", NULL},
  .options = (const cli_option* const[]){options, cli_model_options, cli_world_options, NULL},
  .least = 1,
  .most = 1,
  .run = run,
};
