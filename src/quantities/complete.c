// Completing and checking states of robots with loops.
//
// Which of the given numbers the others follow from is found by elimination in G (limb_velocity_map): as many of its
// rows as there are motions, the largest pivots first. Given numbers beyond that are compared with what follows.
#include "limb/assemble.h"
#include "limb/model.h"

#include "base/memory.h"
#include "base/status.h"
#include "quantities/evaluator_impl.h"

#include <math.h>
#include <string.h>

enum { LEVELS = 3, RESTARTS = 20, DENSE_MAX = 3000 }; // levels: q, v, a

static const double turn = 6.283185307179586;
static const double longest_step = 0.5; // [rad] or [m], of what follows, from one state to the next
static const char* const prefix[LEVELS] = {"q", "v", "a"};

struct limb_completion {
  limb_allocator alloc;
  const limb_model* model;
  limb_dofs* dofs;
  limb_data* loops;
  limb_loop_options options; // the time of the state at hand
  double tolerance;
  int nq, nv, nc;
  int level[LEVELS];            // 1: states have it
  int complete[LEVELS];         // 1: all of it is given
  unsigned char* given_q;       // nq
  unsigned char* given[LEVELS]; // nv marks
  unsigned char* chosen;        // nv: those that the others follow from
  long count;                   // states so far
  double* q;                    // nq, of the state before; at first the start
  double *goal, *delta;         // nq, nv: scratch
  double *Psi, *gamma;          // nc x nv and nc, to check accelerations
  double* G;                    // nv x nv
  void* memory;
  size_t size;
  limb_completion_facts facts;
};

limb_completion_options limb_default_completion_options(void)
{
  return (limb_completion_options){
    .size = sizeof(limb_completion_options), .velocities = 1, .accelerations = 1, .tolerance = 1e-6};
}

int limb_has_prescribed_motion(const limb_model* m)
{
  limb_loop_info x;
  for (int i = 0; i < limb_loop_count(m); i++) {
    if (limb_get_loop(m, i, &x) != LIMB_OK) continue;
    if (x.def.motion.rate != 0 || x.def.motion.amplitude != 0 || x.def.motion.fn) return 1;
  }
  return 0;
}

// ---- making ---------------------------------------------------------------------------------------------

static limb_status reserve(limb_completion* c)
{
  const size_t nq = (size_t)c->nq + 1, nv = (size_t)c->nv + 1, nc = (size_t)c->nc + 1;
  const int missing = !c->complete[0] || !c->complete[1] || !c->complete[2];
  const size_t matrix = missing ? nv * nv : 0, rows = c->level[2] ? nc * (nv + 1) : 0;
  const size_t numbers = 2 * nq + nv + matrix + rows;
  c->size = numbers * sizeof(double) + nq + 4 * nv;
  c->memory = limb_alloc(&c->alloc, c->size);
  if (!c->memory) return LIMB_E_NOMEM;
  memset(c->memory, 0, c->size);
  c->q = c->memory, c->goal = c->q + nq, c->delta = c->goal + nq;
  c->G = c->delta + nv, c->Psi = c->G + matrix, c->gamma = c->Psi + (c->level[2] ? nc * nv : 0);
  unsigned char* marks = (unsigned char*)c->memory + numbers * sizeof(double);
  c->given_q = marks, c->chosen = marks + nq;
  for (int g = 0; g < LEVELS; g++) c->given[g] = c->chosen + (size_t)(g + 1) * nv;
  return LIMB_OK;
}

static int all_given(const unsigned char* given, int n)
{
  int all = 1;
  for (int k = 0; k < n && given; k++) all &= given[k] != 0;
  return all;
}

static int is_rotation(const limb_joint_info* x) { return x->def.type == LIMB_SPHERICAL || x->def.type == LIMB_FREE; }

// Velocities of a joint whose positions are given. Of a quaternion all or none must be.
static limb_status mark_joint(limb_completion* c, const limb_joint_info* x, limb_error* err)
{
  int there = 0;
  for (int k = 0; k < x->nq; k++) there += c->given_q[x->q + k];
  if (is_rotation(x) && there > 0 && there < x->nq)
    return limb_fail(err, LIMB_E_ARG, x->def.name, "some of q.%s are missing: a rotation is given whole", x->def.name);
  for (int k = 0; k < x->nv; k++) c->given[0][x->v + k] = is_rotation(x) ? there > 0 : c->given_q[x->q + k];
  return LIMB_OK;
}

static limb_status mark_given(limb_completion* c, const limb_completion_options* o, limb_error* err)
{
  const unsigned char* rates[LEVELS] = {NULL, o->given_v, o->given_a};
  limb_status s = LIMB_OK;
  for (int k = 0; k < c->nq; k++) c->given_q[k] = !o->given_q || o->given_q[k];
  for (int g = 1; g < LEVELS; g++)
    for (int k = 0; k < c->nv; k++) c->given[g][k] = !rates[g] || rates[g][k];
  for (int j = 0; j < limb_joint_count(c->model) && s == LIMB_OK; j++) {
    limb_joint_info x;
    if (limb_get_joint(c->model, j, &x) == LIMB_OK && x.nv > 0) s = mark_joint(c, &x, err);
  }
  return s;
}

// Wheels and knife edges: where they came from is not in their equations.
static limb_status refuse_rolling(const limb_completion* c, limb_error* err)
{
  limb_loop_info x;
  for (int i = 0; i < limb_loop_count(c->model) && !c->complete[0]; i++) {
    if (limb_get_loop(c->model, i, &x) != LIMB_OK || x.holonomic == x.nconstraint) continue;
    return limb_fail(err, LIMB_E_UNSUPPORTED, x.def.name,
                     "all of q is needed: loop '%s' holds velocities, and no position follows from it", x.def.name);
  }
  return LIMB_OK;
}

// The start configuration, closed, and how many motions have no motor there.
static limb_status find_start(limb_completion* c)
{
  limb_assembly how = limb_default_assembly();
  limb_mobility m = {0};
  how.restarts = RESTARTS;
  limb_status s = limb_start(c->model, c->q);
  if (s == LIMB_OK) s = limb_assemble(c->loops, &how, c->q, NULL);
  if (s == LIMB_E_NOCONV) return LIMB_OK;
  c->facts.start_closed = s == LIMB_OK;
  if (s == LIMB_OK) s = limb_mobility_at(c->loops, c->q, NULL, &m);
  c->facts.undriven = s == LIMB_OK ? m.undriven : 0;
  return s;
}

static limb_status prepare(limb_completion* c, const limb_completion_options* o, limb_error* err)
{
  limb_status s = reserve(c);
  if (s == LIMB_OK) s = limb_dofs_create(c->model, &c->alloc, &c->dofs);
  if (s != LIMB_OK) return limb_fail(err, s, "loops", "%s", limb_status_text(s));
  s = mark_given(c, o, err);
  if (s == LIMB_OK) s = refuse_rolling(c, err);
  if (s != LIMB_OK) return s;
  s = limb_data_create(c->model, &c->alloc, &c->loops);
  if (s == LIMB_OK) s = find_start(c);
  return s == LIMB_OK ? s : limb_fail(err, s, "loops", "%s", limb_status_text(s));
}

limb_status limb_completion_create(const limb_model* m, const limb_completion_options* options,
                                   const limb_allocator* alloc, limb_completion** out, limb_error* error)
{
  limb_completion_options o = limb_default_completion_options();
  const size_t min_size = sizeof(size_t) + 2 * sizeof(int);
  if (!m || !out || (alloc && (!alloc->alloc || !alloc->free)) ||
      (options && limb_sized_read(&o, sizeof o, options, min_size) != LIMB_OK) || !(o.tolerance > 0))
    return limb_fail(error, LIMB_E_ARG, "loops", "an argument is NULL, or the options are none");
  const limb_allocator a = alloc ? *alloc : limb_default_allocator();
  limb_completion* c = limb_alloc(&a, sizeof *c);
  if (!c) return limb_fail(error, LIMB_E_NOMEM, "loops", "out of memory");
  *c = (limb_completion){.alloc = a,
                         .model = m,
                         .options = limb_default_loop_options(),
                         .tolerance = fmax(o.tolerance, limb_model_loop_tolerance(m)),
                         .nq = limb_nq(m),
                         .nv = limb_nv(m),
                         .nc = limb_constraint_count(m),
                         .level = {1, o.velocities, o.accelerations}};
  c->complete[0] = all_given(o.given_q, c->nq);
  c->complete[1] = !o.velocities || all_given(o.given_v, c->nv);
  c->complete[2] = !o.accelerations || all_given(o.given_a, c->nv);
  const limb_status s = prepare(c, &o, error);
  if (s == LIMB_OK)
    *out = c;
  else
    limb_completion_destroy(c);
  return s;
}

void limb_completion_destroy(limb_completion* c)
{
  if (!c) return;
  const limb_allocator a = c->alloc;
  limb_data_destroy(c->loops);
  limb_dofs_destroy(c->dofs);
  limb_free(&a, c->memory, c->size);
  limb_free(&a, c, sizeof *c);
}

limb_status limb_completion_get_facts(const limb_completion* c, limb_completion_facts* out)
{
  if (!c || !out) return LIMB_E_ARG;
  *out = c->facts;
  return LIMB_OK;
}

// ---- what determines what -------------------------------------------------------------------------------

static limb_status broken(limb_status s, limb_error* err)
{
  return limb_fail(err, s, "loops", "%s%s", limb_status_text(s),
                   s == LIMB_E_SINGULAR ? ": the given joints do not determine the others here, or depend on each other"
                                        : "");
}

// The largest entry of the given rows of G that are not chosen yet; 0 when there is none.
static double largest_entry(const limb_completion* c, int g, size_t ny, size_t* row, size_t* column)
{
  double largest = 0;
  for (size_t v = 0; v < (size_t)c->nv; v++) {
    if (!c->given[g][v] || c->chosen[v]) continue;
    for (size_t k = 0; k < ny; k++) {
      if (fabs(c->G[v * ny + k]) <= largest) continue;
      largest = fabs(c->G[v * ny + k]);
      *row = v, *column = k;
    }
  }
  return largest;
}

// Chooses given velocities at a closed configuration.
static limb_status choose(limb_completion* c, int g, const double* q, limb_error* err)
{
  const size_t nv = (size_t)c->nv;
  int motions = 0;
  const limb_status s = limb_velocity_map(c->loops, q, NULL, &c->options, &motions, c->G);
  if (s != LIMB_OK) return broken(s, err);
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
  if (count == ny) return LIMB_OK;
  return limb_fail(err, LIMB_E_NOCONV, "loops", "the given %s determine %d of %d motions: give those of more joints",
                   prefix[g], (int)count, motions);
}

// Rotations and free joints are held as a whole. 1 when that holds more than the motions: a platform whose pose is
// given, and that has fewer of them than six.
static int round_up(limb_completion* c)
{
  limb_joint_info x;
  int more = 0;
  for (int j = 0; j < limb_joint_count(c->model); j++) {
    if (limb_get_joint(c->model, j, &x) != LIMB_OK || !is_rotation(&x)) continue;
    int some = 0;
    for (int k = 0; k < x.nv; k++) some += c->chosen[x.v + k];
    more |= some > 0 && some < x.nv;
    memset(c->chosen + x.v, some > 0, (size_t)x.nv);
  }
  return more;
}

// ---- positions ------------------------------------------------------------------------------------------

// 1 when something moved so far from one state to the next that it may be on another branch.
static int jumps(limb_completion* c)
{
  int far = 0;
  if (limb_difference(c->model, c->q, c->goal, c->delta) != LIMB_OK) return 1;
  for (int k = 0; k < c->nv; k++) far |= !c->given[0][k] && fabs(c->delta[k]) > longest_step;
  return far;
}

// From the given positions and what is near them. whole: more is held than there are motions, so that no branch can be
// followed, and what is held agrees only as well as it was written.
static limb_status assemble(limb_completion* c, int whole, limb_error* err)
{
  limb_assembly how = limb_default_assembly();
  limb_assembly_report report;
  how.held = c->chosen;
  how.time = c->options.time;
  how.restarts = c->count == 1 && !whole ? RESTARTS : 0;
  const limb_status s = limb_assemble(c->loops, &how, c->goal, &report);
  if (s != LIMB_OK && s != LIMB_E_NOCONV) return broken(s, err);
  if (s == LIMB_E_NOCONV && !(whole && report.residual <= c->tolerance))
    return limb_fail(err, LIMB_E_NOCONV, "loops", "no way to close them found: loop '%.64s' stays %.3g apart",
                     limb_name_of_loop(c->model, report.loop), report.residual);
  if (c->count > 1 && (!whole || jumps(c)))
    return limb_fail(err, LIMB_E_NOCONV, "loops",
                     "the branch of the state before does not lead here; with smaller steps it may");
  if (!whole) c->facts.other_branch = 1;
  memcpy(c->q, c->goal, (size_t)c->nq * sizeof *c->q);
  return LIMB_OK;
}

static void put_given(limb_completion* c, const double* q)
{
  for (int k = 0; k < c->nq; k++) c->goal[k] = c->given_q[k] ? q[k] : c->q[k];
}

// A number that was given, and follows from others: both must agree.
static limb_status disagree(const limb_completion* c, int g, int k, double by, limb_error* err)
{
  return limb_fail(err, LIMB_E_NOCONV, "loops",
                   "%s.%.64s is %.3g off what follows from the other joints; %.3g is allowed", prefix[g],
                   limb_get_velocity(c->dofs, k)->name, by, c->tolerance);
}

static limb_status compare_positions(limb_completion* c, const double* q, limb_error* err)
{
  put_given(c, q);
  const limb_status s = limb_difference(c->model, c->q, c->goal, c->delta);
  if (s != LIMB_OK) return broken(s, err);
  for (int k = 0; k < c->nv; k++) {
    const double x = limb_get_velocity(c->dofs, k)->linear ? c->delta[k] : remainder(c->delta[k], turn);
    if (c->given[0][k] && fabs(x) > c->tolerance) return disagree(c, 0, k, x, err);
  }
  return LIMB_OK;
}

// On the branch of the state before.
static limb_status follow(limb_completion* c, limb_error* err)
{
  const limb_status s = choose(c, 0, c->q, err);
  if (s != LIMB_OK) return s;
  if (round_up(c)) return assemble(c, 1, err);
  const limb_status followed = limb_follow_branch(c->loops, c->goal, c->chosen, &c->options, c->q);
  return followed == LIMB_OK ? LIMB_OK : assemble(c, 0, err);
}

// From a start that does not close; then it is to be seen whether the given ones determine all.
static limb_status begin(limb_completion* c, limb_error* err)
{
  memcpy(c->chosen, c->given[0], (size_t)c->nv);
  const limb_status s = assemble(c, 0, err);
  return s == LIMB_OK ? choose(c, 0, c->q, err) : s;
}

static limb_status complete_positions(limb_completion* c, double* q, limb_error* err)
{
  put_given(c, q);
  limb_status s = c->count == 1 && !c->facts.start_closed ? begin(c, err) : follow(c, err);
  if (s == LIMB_OK) s = compare_positions(c, q, err);
  if (s == LIMB_OK) memcpy(q, c->q, (size_t)c->nq * sizeof *q);
  return s;
}

static limb_status check_positions(limb_completion* c, const double* q, limb_error* err)
{
  limb_loop_gap gap;
  const limb_status s = limb_loop_gap_of(c->loops, q, NULL, &c->options, &gap);
  if (s != LIMB_OK) return broken(s, err);
  if (gap.position <= c->tolerance) return LIMB_OK;
  return limb_fail(err, LIMB_E_NOCONV, "loops",
                   "loop '%.64s' is %.3g apart; %.3g is allowed: limb assemble closes it, and so does leaving out "
                   "coordinates that follow from others",
                   limb_name_of_loop(c->model, gap.position_loop), gap.position, c->tolerance);
}

// ---- velocities and accelerations -----------------------------------------------------------------------

static double allowed(const limb_completion* c, const double* x)
{
  double largest = 1;
  for (int k = 0; k < c->nv; k++) largest = fmax(largest, fabs(x[k]));
  return c->tolerance * largest;
}

static limb_status check_velocities(limb_completion* c, const double* q, const double* v, limb_error* err)
{
  limb_loop_gap gap;
  const limb_status s = limb_loop_gap_of(c->loops, q, v, &c->options, &gap);
  if (s != LIMB_OK) return broken(s, err);
  if (gap.velocity <= allowed(c, v)) return LIMB_OK;
  return limb_fail(err, LIMB_E_NOCONV, "loops", "the velocities open loop '%.64s' at a rate of %.3g",
                   limb_name_of_loop(c->model, gap.velocity_loop), gap.velocity);
}

// Psi a = gamma
static limb_status check_accelerations(limb_completion* c, const double* q, const double* v, const double* a,
                                       limb_error* err)
{
  const size_t nv = (size_t)c->nv;
  const limb_loop_equations out = {.Psi = c->Psi, .gamma = c->gamma};
  limb_loop_info x;
  const limb_status s = limb_loop_equations_at(c->loops, q, v, &c->options, &out);
  if (s != LIMB_OK) return broken(s, err);
  for (int i = 0; i < limb_loop_count(c->model); i++) {
    if (limb_get_loop(c->model, i, &x) != LIMB_OK) continue;
    for (int r = x.constraint; r < x.constraint + x.nconstraint; r++) {
      double rest = -c->gamma[r];
      for (size_t k = 0; k < nv; k++) rest += c->Psi[(size_t)r * nv + k] * a[k];
      if (fabs(rest) > allowed(c, a))
        return limb_fail(err, LIMB_E_NOCONV, "loops", "the accelerations open loop '%.64s' by %.3g", x.def.name,
                         fabs(rest));
    }
  }
  return LIMB_OK;
}

// x is v or a, from the chosen ones, or from the independent ones when chosen is NULL.
static limb_status follow_rates(limb_completion* c, int g, const unsigned char* chosen, const double* q,
                                const double* v, double* x)
{
  if (g == 1) return limb_complete_velocities(c->loops, q, chosen, &c->options, x);
  return limb_complete_accelerations(c->loops, q, v, chosen, &c->options, x);
}

static limb_status complete_level(limb_completion* c, int g, const double* q, const double* v, double* x,
                                  limb_error* err)
{
  limb_status s = choose(c, g, q, err);
  if (s != LIMB_OK) return s;
  memcpy(c->delta, x, (size_t)c->nv * sizeof *x);
  s = follow_rates(c, g, c->chosen, q, v, x);
  if (s != LIMB_OK) return broken(s, err);
  for (int k = 0; k < c->nv; k++) {
    const double by = c->delta[k] - x[k];
    if (c->given[g][k] && fabs(by) > allowed(c, x)) return disagree(c, g, k, by, err);
  }
  return LIMB_OK;
}

limb_status limb_complete_state(limb_completion* c, double time, double* q, double* v, double* a, limb_error* error)
{
  if (!c || !q || (c->level[1] && !v) || (c->level[2] && !(v && a)))
    return limb_fail(error, LIMB_E_ARG, "loops", "an argument is NULL");
  c->options.time = time;
  c->count++;
  limb_status s = c->complete[0] ? check_positions(c, q, error) : complete_positions(c, q, error);
  if (s == LIMB_OK && c->level[1])
    s = c->complete[1] ? check_velocities(c, q, v, error) : complete_level(c, 1, q, v, v, error);
  if (s == LIMB_OK && c->level[2])
    s = c->complete[2] ? check_accelerations(c, q, v, a, error) : complete_level(c, 2, q, v, a, error);
  return s;
}

limb_status limb_complete_rates(limb_completion* c, double time, const double* q, double* v, double* a,
                                limb_error* error)
{
  if (!c || !q || !v || !a) return limb_fail(error, LIMB_E_ARG, "loops", "an argument is NULL");
  c->options.time = time;
  limb_status s = follow_rates(c, 1, NULL, q, v, v);
  if (s == LIMB_OK) s = follow_rates(c, 2, NULL, q, v, a);
  return s == LIMB_OK ? s : broken(s, error);
}
