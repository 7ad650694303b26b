// `limb verify`: the same quantities by independent formulations, and how far they differ.
#include "limb/verify.h"

#include "base/command.h"
#include "base/output.h"
#include "base/print.h"
#include "robot/robot.h"

#include <math.h>
#include <string.h>

// ---- text ------------------------------------------------------------------------------------------

// A row per check; how far formulations differ only where they were compared.
static cli_table checks(const limb_verification* v)
{
  cli_table t = cli_table_make("<quantity;<by;<and by=and_by;>difference=disagreement;>tolerance;>at state=state;"
                               ">states;<verdict=;=verdict;=class;=singular;=why");
  limb_verify_result r;
  for (int k = 0; limb_verification_get(v, k, &r) == LIMB_OK; k++) {
    const char* verdict = limb_verdict_name(r.verdict);
    const int compared = !*r.reason, digits = compared ? 16 : 0; // none: an empty cell
    char number[4][17];
    (void)snprintf(number[0], sizeof *number, "%.1e", r.difference);
    (void)snprintf(number[1], sizeof *number, "%.0e", r.tolerance);
    (void)snprintf(number[2], sizeof *number, "%d", r.state);
    (void)snprintf(number[3], sizeof *number, "%d", r.states);
    json_t* const value[] = {compared ? cli_json_number(r.difference) : json_null(), cli_json_number(r.tolerance),
                             json_integer(r.state), json_integer(r.states)};
    cli_cell(&t, "%s", r.quantity), cli_cell(&t, "%s", r.first), cli_cell(&t, "%s", r.second);
    for (int i = 0; i < 4; i++) cli_cell_json(&t, value[i], "%.*s", digits, number[i]);
    cli_cell(&t, "%s%s%s", verdict, compared ? "" : ": ", r.reason);
    cli_cell(&t, "%s", verdict), cli_cell(&t, "%s", r.kind), cli_cell_integer(&t, r.singular);
    cli_cell_json(&t, compared ? NULL : cli_json_text(r.reason), "-");
  }
  return t;
}

static void print_text(const limb_model* m, const limb_verify_options* o, const limb_verification* v)
{
  const limb_verify_summary sum = limb_verification_summary(v);
  const cli_colour colour = sum.failed ? CLI_RED : CLI_GREEN;
  const sp_vec3 g = sum.gravity;
  cli_table t = checks(v);
  printf("%s: nv %d, %d random state%s, seed %llu, gravity %.6g %.6g %.6g m/s^2\n\n", limb_model_name(m), limb_nv(m),
         o->states, o->states == 1 ? "" : "s", (unsigned long long)o->seed, g.x, g.y, g.z);
  cli_table_print(&t, stdout, "  ");
  if (sum.condition > 0) printf("\ncondition of M up to %.1e\n", sum.condition);
  if (limb_loop_count(m) > 0) printf("loops closed to %.1e", sum.open);
  if (limb_loop_count(m) > 0 && sum.open > 1e-12) printf("; %.1e may stay open", limb_model_loop_tolerance(m));
  if (limb_loop_count(m) > 0) printf("\n");
  printf("%s%s%s\n", cli_on(stdout, colour),
         sum.failed     ? "FORMULATIONS DISAGREE: see above."
         : sum.complete ? "All formulations agree."
                        : "The formulations that could be compared agree.",
         cli_off(stdout, colour));
}

// ---- JSON ------------------------------------------------------------------------------------------

static int print_json(const cli_args* args, const limb_model* m, const limb_verify_options* o,
                      const limb_verification* v)
{
  const limb_verify_summary sum = limb_verification_summary(v);
  json_t* answer = cli_json_answer();
  cli_table t = checks(v);
  cli_json_set(answer, "model gravity nv states seed tolerance condition agree checks",
               cli_json_text(limb_model_name(m)), cli_json_vec3(sum.gravity), json_integer(limb_nv(m)),
               json_integer(o->states), json_integer((json_int_t)o->seed), cli_json_number(o->tolerance),
               cli_json_number(sum.condition), json_boolean(sum.failed == 0), cli_table_json(&t));
  if (limb_loop_count(m) > 0)
    cli_json_set(answer, "open loop_tolerance", cli_json_number(sum.open),
                 cli_json_number(limb_model_loop_tolerance(m)));
  return cli_json_print(answer, stdout, cli_title(args));
}

// ---- the command -----------------------------------------------------------------------------------

static int read_options(const cli_args* args, limb_verify_options* o)
{
  double states = o->states, seed = (double)o->seed;
  int code = cli_whole(args, "states", 1, 1e6, &states);
  if (code == EXIT_FINE) code = cli_whole(args, "seed", 0, 9007199254740992.0, &seed);
  if (code != EXIT_FINE) return code;
  if (cli_positive(args, "tolerance", &o->tolerance) != EXIT_FINE) return EXIT_USAGE;
  o->states = (int)states;
  o->seed = (uint64_t)seed;
  return EXIT_FINE;
}

// 1 if a difference is too large; the code of the status if a call failed.
static int exit_code(const cli_args* args, const limb_verification* v)
{
  limb_verify_result r;
  int code = EXIT_FINE;
  for (int k = 0; limb_verification_get(v, k, &r) == LIMB_OK; k++) {
    if (r.verdict != LIMB_VERDICT_FAILED) continue;
    if (r.status == LIMB_E_NOMEM) return cli_out_of_memory(args);
    const int own = r.status == LIMB_OK ? EXIT_FINDINGS : cli_exit_code(r.status);
    if (own > code) code = own;
  }
  return code;
}

static int verify_robot(const cli_args* args, const cli_robot* r, limb_verify_options* o)
{
  cli_progress bar = cli_progress_begin("verify", 1);
  limb_verification* v = NULL;
  limb_error err = {.status = LIMB_OK};
  o->env = &r->env, o->progress = cli_progress_report, o->context = &bar;
  const limb_status s = limb_verify(r->model, o, &v, &err);
  cli_progress_end(&bar);
  if (s != LIMB_OK) {
    (void)cli_usage(args, "%s: %s%s", limb_reading_source(r->reading), err.text,
                    s == LIMB_E_NOCONV ? "; limb assemble searches harder" : "");
    return cli_exit_code(s);
  }
  const int verdict = exit_code(args, v);
  int code = EXIT_FINE;
  if (cli_is_out_of_memory())
    code = EXIT_USAGE;
  else if (cli_is(args, "format", "json"))
    code = print_json(args, r->model, o, v);
  else
    print_text(r->model, o, v);
  limb_verification_destroy(v);
  return code == EXIT_FINE ? verdict : code;
}

static int run(const cli_args* args)
{
  limb_verify_options o = limb_default_verify();
  cli_robot r = {0};
  int code = read_options(args, &o);
  if (code == EXIT_FINE) code = cli_robot_open(args, cli_operand(args, 0), &r);
  if (code == EXIT_FINE) code = verify_robot(args, &r, &o);
  cli_robot_close(&r);
  return code;
}

static const cli_option options[] = {
  {"", NULL, "the comparison"},
  {"states", "N", "number of random states (default: 100)"},
  {"seed", "N", "seed of the random numbers (default: 1)"},
  {"tolerance", "X",
   "largest relative difference (default: 1e-9); looser for finite differences, and if M is ill-conditioned"},
  {"format", "text|json", "output format"},
  {0},
};

const cli_command cli_verify = {
  .name = "verify",
  .operands = "MODEL",
  .summary = "compare independent formulations of the same quantities",
  .about =
    "Random states lie within the limits of the joints, velocities and accelerations between -1 and 1. For hybrid "
    "dynamics the acceleration of some joints is given, and the force of the others, at random. Differences are "
    "relative to the largest number of the quantity or, where terms cancel, of its terms. Derivatives are compared "
    "with dual numbers and with each other. Large robots are checked in fewer states and without their tensors; the "
    "table shows this and lists checks that do not apply. Most checks are of the tree of joints. Checks of closed "
    "loops come last, in states that close them: near the start configuration, with random independent velocities "
    "and accelerations. The exit code is 1 if a difference is above its tolerance, and 4 if no configuration closes "
    "the loops.",
  .examples = (const char* const[]){"limb verify arm.urdf", "can the results for this robot be trusted?",
                                    "limb verify humanoid --base floating --states 1000",
                                    "more states, and a base that moves", NULL},
  .options = (const cli_option* const[]){options, cli_model_options, cli_change_options, cli_world_options, NULL},
  .run = run,
};
