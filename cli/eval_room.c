// Options of the task and of sampling, and memory for the answers of `limb eval`.
#include "cli.h"
#include "eval.h"

#include <stdlib.h>
#include <string.h>

static int out_of_memory(const eval_sheet* s) { return cli_usage(s->args, "out of memory"); }

unsigned eval_of(const eval_sheet* s)
{
  unsigned of = 0;
  for (int i = 0; i < s->count; i++) of |= s->quantity[i]->of;
  return of;
}

// ---- options ---------------------------------------------------------------------------------------

static unsigned direction(const char* word, size_t length)
{
  static const struct {
    const char* name;
    unsigned bits;
  } known[] = {{"wx", LIMB_WX}, {"wy", LIMB_WY}, {"wz", LIMB_WZ},         {"vx", LIMB_VX},
               {"vy", LIMB_VY}, {"vz", LIMB_VZ}, {"linear", LIMB_LINEAR}, {"angular", LIMB_ANGULAR}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i].name) == length && strncmp(word, known[i].name, length) == 0) return known[i].bits;
  return 0;
}

static int read_directions(eval_sheet* s)
{
  const char* list = cli_get(s->args, "directions");
  unsigned* bits = &s->run->task.directions;
  *bits = list ? 0 : LIMB_TWIST;
  while (list) {
    const size_t length = strcspn(list, ",");
    const unsigned one = direction(list, length);
    if (one == 0 || *bits & one)
      return cli_usage(s->args, "--directions: '%.*s' is %s wx, wy, wz, vx, vy, vz, angular, linear",
                       (int)(length < 40 ? length : 40), list, one == 0 ? "none of" : "there twice; they are");
    *bits |= one;
    list = list[length] ? list + length + 1 : NULL;
  }
  return EXIT_FINE;
}

// An option that nothing asks for is a mistake in --what.
static int refuse_idle(const eval_sheet* s)
{
  static const struct {
    const char *option, *of;
    unsigned bit;
  } known[] = {{"directions", "the task at a frame, as Lambda", OF_TASK},
               {"damping", "the task at a frame, as Lambda", OF_TASK},
               {"dt", "samples, as Ad and Bd", OF_STEP}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    if (cli_has(s->args, known[k].option) && !(eval_of(s) & known[k].bit))
      return cli_usage(s->args, "--%s has no effect: nothing in --what is of %s", known[k].option, known[k].of);
  }
  return EXIT_FINE;
}

int eval_read_task(eval_sheet* s)
{
  eval_run* run = s->run;
  run->task_options = limb_default_task_options();
  int code = refuse_idle(s);
  if (code == EXIT_FINE) code = read_directions(s);
  if (code != EXIT_FINE) return code;
  if (cli_has(s->args, "damping")) {
    if (!cli_numbers(s->args, "damping", 1, &run->task_options.damping)) return EXIT_USAGE;
    if (run->task_options.damping < 0) return cli_usage(s->args, "--damping must not be negative");
  }
  if (cli_has(s->args, "dt")) {
    if (!cli_numbers(s->args, "dt", 1, &run->dt)) return EXIT_USAGE;
    if (run->dt <= 0) return cli_usage(s->args, "--dt must be above zero");
  }
  for (int i = 0; i < s->count && run->dt == 0; i++) {
    if (s->quantity[i]->of & OF_STEP)
      return cli_usage(s->args, "'%s' is sampled: name the time between samples by --dt", s->quantity[i]->name);
  }
  return EXIT_FINE;
}

// ---- memory ----------------------------------------------------------------------------------------

// Numbers that are held at once, at most: 1 GiB of them.
static const double most_numbers = 134217728;

static int too_large(const eval_sheet* s, const eval_quantity* e, double numbers)
{
  return cli_usage(s->args,
                   "'%s' of a robot with %d velocities takes %.0f numbers (%.3g GB of memory); more "
                   "than %.0f are not computed at once",
                   e->name, s->run->dofs->nv, numbers, 8e-9 * numbers, most_numbers);
}

static int name_parameters(eval_sheet* s)
{
  eval_run* run = s->run;
  if (run->parameter) return EXIT_FINE; // known already
  run->np = limb_parameter_count(run->robot->model);
  run->parameter = calloc((size_t)run->np + 1, sizeof *run->parameter);
  if (!run->parameter) return out_of_memory(s);
  limb_status status = LIMB_OK;
  for (int k = 0; k < run->np && status == LIMB_OK; k++)
    status = limb_get_parameter(run->robot->model, k, &run->parameter[k]);
  return cli_exit_code(status);
}

static int find_base(eval_sheet* s)
{
  eval_run* run = s->run;
  if (run->base) return EXIT_FINE;
  limb_environment env = run->robot->env;
  env.nwrench = 0, env.wrench = NULL; // of the rows, which are still to come
  const limb_status status = limb_base_create(run->robot->model, &env, 0, NULL, &run->base);
  if (status == LIMB_OK) return EXIT_FINE;
  if (status == LIMB_E_UNSUPPORTED) {
    (void)cli_usage(s->args, "base parameters of a model with more than %d parameters: %s", LIMB_BASE_MOST,
                    limb_status_text(status));
  } else {
    (void)cli_usage(s->args, "base parameters: %s", limb_status_text(status));
  }
  return cli_exit_code(status);
}

static int make_dual(eval_sheet* s)
{
  eval_run* run = s->run;
  const limb_status status =
    limb_dual_create(limb_spanning_tree(run->robot->model), LIMB_DUAL_MATRICES, NULL, &run->dual);
  if (status != LIMB_OK) (void)cli_usage(s->args, "second derivatives: %s", limb_status_text(status));
  return cli_exit_code(status);
}

// Room for all answers, and scratch for the one that needs most.
static int allocate(eval_sheet* s)
{
  eval_run* run = s->run;
  double sum = 0, most = 0;
  for (int i = 0; i < s->count; i++) {
    const eval_quantity* e = s->quantity[i];
    const double own = eval_size(e, run), work = e->room ? e->room(run) : 0;
    sum += own;
    if (work > most) most = work;
    if (sum + most > most_numbers) return too_large(s, e, own + work);
  }
  run->work = calloc((size_t)most + 1, sizeof *run->work);
  run->zero = calloc((size_t)run->dofs->nv + 1, sizeof *run->zero);
  int fine = run->work && run->zero;
  for (int i = 0; i < s->count && fine; i++) {
    s->x[i] = calloc((size_t)eval_size(s->quantity[i], run) + 1, sizeof **s->x);
    fine = s->x[i] != NULL;
  }
  return fine ? EXIT_FINE : out_of_memory(s);
}

// ---- the base --------------------------------------------------------------------------------------

// A base with motors: columns decide. marks: nv.
static void find_by_columns(const eval_run* run, unsigned char* marks)
{
  const cli_dofs* d = run->dofs;
  for (int k = 0; k < d->nv; k++) {
    const int force =
      d->v[k].root && cli_states_knows(run->states, STATES_TAU, k) && !cli_states_knows(run->states, STATES_A, k);
    marks[k] = force ? LIMB_FORCE_GIVEN : LIMB_ACCELERATION_GIVEN;
  }
}

static int no_base(const eval_sheet* s, const char* quantity)
{
  return cli_usage(s->args,
                   "'%s' is of a moving base, and '%s' has none: every joint on the world has a "
                   "motor; such a joint is one when the table has its tau. columns and not its a. "
                   "columns, or without motor: drive: passive in limb YAML, <limb "
                   "drive=\"passive\"/> in URDF; --base floating adds a free joint where the file "
                   "says nothing",
                   quantity, limb_model_name(s->run->robot->model));
}

int eval_find_floating(eval_sheet* s)
{
  eval_run* run = s->run;
  cli_dofs* d = run->dofs;
  const eval_quantity* e = NULL;
  for (int i = 0; i < s->count && !e; i++)
    if (s->quantity[i]->of & OF_FLOATING) e = s->quantity[i];
  if (!e) return EXIT_FINE;
  run->floating = calloc((size_t)d->nv + 1, 1);
  if (!run->floating) return out_of_memory(s);
  if (d->nbase == 0) {
    find_by_columns(run, run->floating);
    cli_dofs_set_base(d, run->floating);
  }
  if (d->nbase == 0) return no_base(s, e->name);
  for (int k = 0; k < d->nv; k++) run->floating[k] = d->v[k].base ? LIMB_FORCE_GIVEN : LIMB_ACCELERATION_GIVEN;
  return EXIT_FINE;
}

// ---- all of it -------------------------------------------------------------------------------------

// Where nothing is elastic the answer is right, and perhaps not what was meant.
static int tell_stiff(const eval_sheet* s)
{
  const limb_model* m = s->run->robot->model;
  unsigned char* marks = calloc((size_t)s->run->dofs->nv + 1, 1);
  if (!marks) return out_of_memory(s);
  const limb_status status = limb_mark_elastic(m, marks);
  if (status == LIMB_OK && limb_mark_count(m, marks, LIMB_FORCE_GIVEN) == 0)
    (void)fprintf(stderr, "%s: note: deflection is zero: '%s' has no elastic joint, nothing gives way\n",
                  s->run->states->path, limb_model_name(m));
  free(marks);
  return cli_exit_code(status);
}

int eval_name_axes(eval_sheet* s, unsigned of)
{
  const int code = of & OF_PARAMETER ? name_parameters(s) : EXIT_FINE;
  return code == EXIT_FINE && of & OF_BASE ? find_base(s) : code;
}

int eval_make_room(eval_sheet* s)
{
  const unsigned of = eval_of(s);
  int code = of & OF_ELASTIC ? tell_stiff(s) : EXIT_FINE;
  if (code == EXIT_FINE) code = eval_name_axes(s, of);
  if (code == EXIT_FINE) code = allocate(s); // refuses what is too large
  return code == EXIT_FINE && of & OF_DUAL ? make_dual(s) : code;
}

void eval_free(eval_sheet* s)
{
  eval_run* run = s->run;
  for (int i = 0; i < s->count; i++) free(s->x[i]);
  free(run->work);
  free(run->zero);
  free(run->floating);
  free(run->parameter);
  limb_base_destroy(run->base);
  limb_dual_destroy(run->dual);
  limb_csv_destroy(s->writer);
}
