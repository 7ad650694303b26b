// Completing and checking rows of robots with loops.
//
// Which of the given numbers the others follow from is found by elimination in G (limb_velocity_map): as
// many of its rows as there are motions, the largest pivots first. Given numbers beyond that are compared
// with what follows. Cost of a row with missing columns: O(nv ny^2) for ny motions, beside that of the
// library's calls.
#include "closing.h"
#include "cli.h"
#include "closure.h"
#include "states_columns.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TOLD = 10 };

static const double TURN = 6.283185307179586;
static const double LONGEST_STEP = 0.5; // [rad] or [m], of what follows, between rows
static const char* const prefix[CLOSING_GROUPS] = {"q.", "v.", "a."};

const cli_option cli_loop_options[] = {
  {"", NULL, "robots with loops"},
  {"loop-tolerance", "X",
   "how far the loops may be apart in a row [m, rad], also per s and s^2, relative to the largest "
   "v and a when these are above 1 (default: 1e-6)"},
  {0},
};

// ---- opening ---------------------------------------------------------------------------------------

static int out_of_memory(const cli_closing* c) { return cli_usage(c->states->args, "out of memory"); }

static int make_room(cli_closing* c)
{
  const limb_model* m = c->states->model;
  const size_t nq = (size_t)limb_nq(m) + 1, nv = (size_t)limb_nv(m) + 1;
  const size_t nc = (size_t)limb_row_count(m) + 1;
  int fine = 1, missing = 0;
  for (int g = 0; g < CLOSING_GROUPS; g++) fine &= (c->given[g] = calloc(nv, 1)) != NULL;
  c->chosen = calloc(nv, 1);
  c->q = calloc(nq, sizeof *c->q);
  c->goal = calloc(nq, sizeof *c->goal);
  c->delta = calloc(nv, sizeof *c->delta);
  c->lambda = calloc(nc, sizeof *c->lambda);
  c->wrench = calloc((size_t)limb_loop_count(m) + 1, sizeof *c->wrench);
  for (int g = 0; g < CLOSING_GROUPS; g++) {
    if (!(c->groups & 1U << g)) continue;
    for (int k = 0; k < states_width(c->states->dofs, g); k++) missing += c->states->column[g][k] < 0;
  }
  if (missing > 0) fine &= (c->G = calloc(nv * nv, sizeof *c->G)) != NULL;
  if (c->groups & STATES_A) {
    fine &= (c->Psi = calloc(nc * nv, sizeof *c->Psi)) != NULL;
    fine &= (c->gamma = calloc(nc, sizeof *c->gamma)) != NULL;
  }
  return fine && c->chosen && c->q && c->goal && c->delta && c->lambda && c->wrench;
}

// Marks the velocities of a joint whose columns are there. Of a quaternion all or none must be.
static int mark_joint(cli_closing* c, int g, const limb_joint_info* x)
{
  const cli_states* s = c->states;
  const int whole = g == 0 && (x->def.type == LIMB_SPHERICAL || x->def.type == LIMB_FREE);
  const int first = g == 0 ? x->q : x->v, n = g == 0 ? x->nq : x->nv;
  int there = 0;
  for (int k = 0; k < n; k++) there += s->column[g][first + k] >= 0;
  if (there < n) c->complete[g] = 0;
  if (whole && there > 0 && there < n)
    return cli_usage(s->args, "%s: some columns %s%s.* are missing: a rotation is given whole", s->path, prefix[g],
                     x->def.name);
  for (int k = 0; k < x->nv; k++) c->given[g][x->v + k] = whole ? there == n : s->column[g][first + k] >= 0;
  return EXIT_FINE;
}

static int mark_given(cli_closing* c)
{
  const limb_model* m = c->states->model;
  limb_joint_info x;
  int code = EXIT_FINE;
  for (int g = 0; g < CLOSING_GROUPS; g++) {
    c->complete[g] = 1;
    if (!(c->groups & 1U << g)) continue;
    for (int j = 0; j < limb_joint_count(m) && code == EXIT_FINE; j++)
      if (limb_get_joint(m, j, &x) == LIMB_OK) code = mark_joint(c, g, &x);
  }
  return code;
}

// Wheels and knife edges: where they came from is not in their equations.
static int refuse_rolling(const cli_closing* c)
{
  const cli_states* s = c->states;
  limb_loop_info x;
  for (int i = 0; i < limb_loop_count(s->model) && !c->complete[0]; i++) {
    if (limb_get_loop(s->model, i, &x) != LIMB_OK || x.holonomic == x.nrow) continue;
    return cli_usage(s->args,
                     "%s: all columns q. are needed: loop '%s' holds velocities, and no position "
                     "follows from it",
                     s->path, x.def.name);
  }
  return EXIT_FINE;
}

static void tell_missing(const cli_closing* c)
{
  const cli_states* s = c->states;
  int told = 0, missing = 0;
  for (int g = 0; g < CLOSING_GROUPS; g++) {
    const cli_dof* dof = g == 0 ? s->dofs->q : s->dofs->v;
    for (int k = 0; k < states_width(s->dofs, g); k++) {
      if (!(c->groups & 1U << g) || s->column[g][k] >= 0) continue;
      if (missing++ == 0) (void)fprintf(stderr, "%s: note: columns that follow from the loops: ", s->path);
      if (missing > MOST_TOLD) continue;
      (void)fprintf(stderr, "%s%s%s", told++ ? ", " : "", prefix[g], dof[k].name);
    }
  }
  if (missing > told) (void)fprintf(stderr, " and %d more", missing - told);
  if (missing > 0) (void)fprintf(stderr, "\n");
  if (!s->has_time && cli_has_laws(s->model))
    (void)fprintf(stderr, "%s: note: there is no column time: laws of loops are taken at time 0\n", s->path);
}

// The start configuration, closed, and how many motions have no motor there.
static limb_status find_start(cli_closing* c)
{
  cli_closure at;
  limb_status s = cli_closure_make(c->states->model, &at);
  if (s == LIMB_OK) s = cli_closure_assemble(&at, NULL);
  if (s == LIMB_OK && at.closed) s = limb_mobility_at(at.loops, at.q, NULL, &at.mobility);
  if (s == LIMB_OK) {
    memcpy(c->q, at.q, (size_t)limb_nq(c->states->model) * sizeof *c->q);
    c->start_closed = at.closed;
    c->undriven = at.closed ? at.mobility.undriven : 0;
  }
  cli_closure_free(&at);
  return s;
}

int cli_closing_open(cli_closing* c, cli_states* states, unsigned groups)
{
  *c = (cli_closing){.states = states, .groups = groups, .tolerance = 1e-6};
  c->options = limb_default_loop_options();
  if (cli_has(states->args, "loop-tolerance")) {
    if (!cli_numbers(states->args, "loop-tolerance", 1, &c->tolerance)) return EXIT_USAGE;
    if (c->tolerance <= 0) return cli_usage(states->args, "--loop-tolerance must be above zero");
  }
  if (!make_room(c)) return out_of_memory(c);
  int code = mark_given(c);
  if (code == EXIT_FINE) code = refuse_rolling(c);
  if (code != EXIT_FINE) return code;
  limb_status s = limb_loops_create(states->model, cli_loops_use(states->model), NULL, &c->loops);
  if (s == LIMB_OK) s = find_start(c);
  if (s != LIMB_OK) {
    (void)cli_usage(states->args, "loops: %s", limb_status_text(s));
    return cli_exit_code(s);
  }
  tell_missing(c);
  states->closing = c;
  return EXIT_FINE;
}

void cli_closing_free(cli_closing* c)
{
  if (c->states && c->states->closing == c) c->states->closing = NULL;
  limb_loops_destroy(c->loops);
  for (int g = 0; g < CLOSING_GROUPS; g++) free(c->given[g]);
  free(c->chosen);
  free(c->q);
  free(c->goal);
  free(c->delta);
  free(c->Psi);
  free(c->gamma);
  free(c->G);
  free(c->lambda);
  free(c->wrench);
  *c = (cli_closing){0};
}

// ---- what determines what --------------------------------------------------------------------------

// A state that is wrong, and not the model: exit code 4.
static int refuse(cli_closing* c, const char* because)
{
  return cli_states_failure_because(c->states, LIMB_E_UNSUPPORTED, "loops", because);
}

static int broken(cli_closing* c, limb_status s)
{
  const int singular = s == LIMB_E_SINGULAR;
  return cli_states_failure_because(
    c->states, s, "loops",
    singular ? "the given joints do not determine the others here, or depend on each other" : "");
}

// The largest entry of the given rows of G that are not chosen yet; 0 when there is none.
static double largest_entry(const cli_closing* c, int g, size_t ny, size_t* row, size_t* column)
{
  double most = 0;
  for (size_t v = 0; v < (size_t)c->states->dofs->nv; v++) {
    if (!c->given[g][v] || c->chosen[v]) continue;
    for (size_t k = 0; k < ny; k++) {
      if (fabs(c->G[v * ny + k]) <= most) continue;
      most = fabs(c->G[v * ny + k]);
      *row = v, *column = k;
    }
  }
  return most;
}

// Chooses given velocities at a closed configuration. EXIT_FINE, or an exit code after a message.
static int choose(cli_closing* c, int g, const double* q)
{
  const size_t nv = (size_t)c->states->dofs->nv;
  int motions = 0;
  const limb_status s = limb_velocity_map(c->loops, q, NULL, &c->options, &motions, c->G);
  if (s != LIMB_OK) return broken(c, s);
  memset(c->chosen, 0, nv);
  const size_t ny = (size_t)motions;
  size_t row = 0, column = 0, count = 0;
  double first = 0;
  for (; count < ny; count++) {
    const double pivot = largest_entry(c, g, ny, &row, &column);
    if (count == 0) first = pivot;
    if (pivot <= 1e-9 * first) break;
    c->chosen[row] = 1;
    for (size_t v = 0; v < nv; v++) {
      const double share = v == row ? 0 : c->G[v * ny + column] / c->G[row * ny + column];
      for (size_t k = 0; k < ny && share != 0; k++) c->G[v * ny + k] -= share * c->G[row * ny + k];
    }
  }
  if (count == ny) return EXIT_FINE;
  char text[160];
  (void)snprintf(text, sizeof text, "the columns %s determine %d of %d motions: give those of more joints", prefix[g],
                 (int)count, motions);
  return refuse(c, text);
}

// Rotations and free joints are held as a whole. 1 when that holds more than the motions: a platform whose
// pose is given, and that has fewer of them than six.
static int round_up(cli_closing* c)
{
  limb_joint_info x;
  int more = 0;
  for (int j = 0; j < limb_joint_count(c->states->model); j++) {
    if (limb_get_joint(c->states->model, j, &x) != LIMB_OK) continue;
    if (x.def.type != LIMB_SPHERICAL && x.def.type != LIMB_FREE) continue;
    int some = 0;
    for (int k = 0; k < x.nv; k++) some += c->chosen[x.v + k];
    more |= some > 0 && some < x.nv;
    memset(c->chosen + x.v, some > 0, (size_t)x.nv);
  }
  return more;
}

// ---- positions -------------------------------------------------------------------------------------

static void apart(const cli_closing* c, int loop, double residual, char* text, size_t size)
{
  (void)snprintf(text, size,
                 "loop '%.64s' is %.3g apart; %.3g is allowed: limb assemble closes it, and so does "
                 "leaving out columns q. that follow from others",
                 cli_loop_name(c->states->model, loop), residual, c->tolerance);
}

// 1 when something moved so far from one row to the next that it may be on another branch.
static int jumps(cli_closing* c)
{
  const cli_states* s = c->states;
  int far = 0;
  if (limb_difference(s->model, c->q, c->goal, c->delta) != LIMB_OK) return 1;
  for (int k = 0; k < s->dofs->nv; k++) far |= !c->given[0][k] && fabs(c->delta[k]) > LONGEST_STEP;
  return far;
}

// From the given positions and what is near them. whole: more is held than there are motions, so that no
// branch can be followed, and what is held agrees only as well as it was written.
static int assemble(cli_closing* c, int whole)
{
  cli_states* s = c->states;
  limb_assembly how = limb_default_assembly();
  limb_assembly_report report;
  char text[200];
  how.held = c->chosen;
  how.time = c->options.time;
  how.tries = s->count == 1 && !whole ? CLOSURE_TRIES : 1;
  const limb_status status = limb_assemble(c->loops, &how, c->goal, &report);
  if (status != LIMB_OK && status != LIMB_E_NOCONV) return broken(c, status);
  if (status == LIMB_E_NOCONV && !(whole && report.residual <= c->tolerance)) {
    (void)snprintf(text, sizeof text, "no way to close them found: loop '%.64s' stays %.3g apart",
                   cli_loop_name(s->model, report.loop), report.residual);
    return refuse(c, text);
  }
  if (s->count > 1 && (!whole || jumps(c)))
    return refuse(c, "the branch of the row before does not lead here; with smaller steps it may");
  if (!whole)
    (void)fprintf(stderr,
                  "%s: note: the first row is not on the branch of the start configuration; limb "
                  "assemble --branches lists the others\n",
                  s->path);
  memcpy(c->q, c->goal, (size_t)s->dofs->nq * sizeof *c->q);
  return EXIT_FINE;
}

static void put_given(cli_closing* c)
{
  const cli_states* s = c->states;
  memcpy(c->goal, c->q, (size_t)s->dofs->nq * sizeof *c->goal);
  for (int k = 0; k < s->dofs->nq; k++)
    if (s->column[0][k] >= 0) c->goal[k] = s->q[k];
}

// A number that was given, and follows from others: both must agree.
static int disagree(cli_closing* c, int g, int k, double by)
{
  char text[240];
  (void)snprintf(text, sizeof text, "%s%.64s is %.3g off what follows from the other columns; %.3g is allowed",
                 prefix[g], c->states->dofs->v[k].name, by, c->tolerance);
  return refuse(c, text);
}

static int compare_positions(cli_closing* c)
{
  const cli_states* s = c->states;
  put_given(c);
  const limb_status status = limb_difference(s->model, c->q, c->goal, c->delta);
  if (status != LIMB_OK) return broken(c, status);
  for (int k = 0; k < s->dofs->nv; k++) {
    const double x = s->dofs->v[k].linear ? c->delta[k] : remainder(c->delta[k], TURN);
    if (c->given[0][k] && fabs(x) > c->tolerance) return disagree(c, 0, k, x);
  }
  return EXIT_FINE;
}

// On the branch of the row before. EXIT_FINE, or an exit code after a message.
static int follow(cli_closing* c)
{
  const int code = choose(c, 0, c->q);
  if (code != EXIT_FINE) return code;
  if (round_up(c)) return assemble(c, 1);
  const limb_status s = limb_follow_branch(c->loops, c->goal, c->chosen, &c->options, c->q);
  return s == LIMB_OK ? EXIT_FINE : assemble(c, 0);
}

// From a start that does not close; then it is to be seen whether the given ones determine all.
static int begin(cli_closing* c)
{
  memcpy(c->chosen, c->given[0], (size_t)c->states->dofs->nv);
  const int code = assemble(c, 0);
  return code == EXIT_FINE ? choose(c, 0, c->q) : code;
}

static int complete_positions(cli_closing* c)
{
  cli_states* s = c->states;
  put_given(c);
  int code = s->count == 1 && !c->start_closed ? begin(c) : follow(c);
  if (code == EXIT_FINE) code = compare_positions(c);
  if (code == EXIT_FINE) memcpy(s->q, c->q, (size_t)s->dofs->nq * sizeof *s->q);
  return code;
}

static int check_positions(cli_closing* c)
{
  limb_loop_gap gap;
  char text[300];
  const limb_status s = limb_loop_gap_of(c->loops, c->states->q, NULL, &c->options, &gap);
  if (s != LIMB_OK) return broken(c, s);
  if (gap.place <= c->tolerance) return EXIT_FINE;
  apart(c, gap.place_loop, gap.place, text, sizeof text);
  return refuse(c, text);
}

// ---- velocities and accelerations ------------------------------------------------------------------

static double allowed(const cli_closing* c, const double* x)
{
  double most = 1;
  for (int k = 0; k < c->states->dofs->nv; k++) most = fmax(most, fabs(x[k]));
  return c->tolerance * most;
}

static int check_velocities(cli_closing* c)
{
  const cli_states* s = c->states;
  limb_loop_gap gap;
  char text[200];
  const limb_status status = limb_loop_gap_of(c->loops, s->q, s->v, &c->options, &gap);
  if (status != LIMB_OK) return broken(c, status);
  if (gap.velocity <= allowed(c, s->v)) return EXIT_FINE;
  (void)snprintf(text, sizeof text, "the velocities open loop '%.64s' at a rate of %.3g",
                 cli_loop_name(s->model, gap.velocity_loop), gap.velocity);
  return refuse(c, text);
}

// Psi a = gamma
static int check_accelerations(cli_closing* c)
{
  const cli_states* s = c->states;
  const size_t nv = (size_t)s->dofs->nv;
  const limb_loop_equations out = {.Psi = c->Psi, .gamma = c->gamma};
  limb_loop_info x;
  char text[200];
  const limb_status status = limb_loop_equations_at(c->loops, s->q, s->v, &c->options, &out);
  if (status != LIMB_OK) return broken(c, status);
  for (int i = 0; i < limb_loop_count(s->model); i++) {
    if (limb_get_loop(s->model, i, &x) != LIMB_OK) continue;
    for (int r = x.row; r < x.row + x.nrow; r++) {
      double rest = -c->gamma[r];
      for (size_t k = 0; k < nv; k++) rest += c->Psi[(size_t)r * nv + k] * s->a[k];
      if (fabs(rest) <= allowed(c, s->a)) continue;
      (void)snprintf(text, sizeof text, "the accelerations open loop '%.64s' by %.3g", x.def.name, fabs(rest));
      return refuse(c, text);
    }
  }
  return EXIT_FINE;
}

// v or a, from the chosen ones, or from the independent ones when chosen is NULL.
static limb_status follow_rates(cli_closing* c, int g, const unsigned char* chosen, double* x)
{
  const cli_states* s = c->states;
  if (g == 1) return limb_complete_velocities(c->loops, s->q, chosen, &c->options, x);
  return limb_complete_accelerations(c->loops, s->q, s->v, chosen, &c->options, x);
}

static int complete_rates(cli_closing* c, int g)
{
  cli_states* s = c->states;
  double* x = s->value[g];
  const size_t size = (size_t)s->dofs->nv * sizeof *x;
  const int code = choose(c, g, s->q);
  if (code != EXIT_FINE) return code;
  memcpy(c->delta, x, size);
  const limb_status status = follow_rates(c, g, c->chosen, x);
  if (status != LIMB_OK) return broken(c, status);
  for (int k = 0; k < s->dofs->nv; k++) {
    const double by = c->delta[k] - x[k];
    if (c->given[g][k] && fabs(by) > allowed(c, x)) return disagree(c, g, k, by);
  }
  return EXIT_FINE;
}

int cli_closing_row(cli_closing* c)
{
  cli_states* s = c->states;
  c->options.time = s->has_time ? s->time : 0;
  int code = c->complete[0] ? check_positions(c) : complete_positions(c);
  if (code == EXIT_FINE && c->groups & STATES_V) code = c->complete[1] ? check_velocities(c) : complete_rates(c, 1);
  if (code == EXIT_FINE && c->groups & STATES_A) code = c->complete[2] ? check_accelerations(c) : complete_rates(c, 2);
  return code;
}

int cli_closing_rates(cli_closing* c)
{
  c->options.time = c->states->has_time ? c->states->time : 0;
  limb_status s = follow_rates(c, 1, NULL, c->states->v);
  if (s == LIMB_OK) s = follow_rates(c, 2, NULL, c->states->a);
  return s == LIMB_OK ? EXIT_FINE : broken(c, s);
}
