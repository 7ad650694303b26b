// The start of a simulation: closing loops, checking the state, choosing the method.
#include "sim/sim_impl.h"

#include "base/numeric.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- closing loops --------------------------------------------------------------------------------------

typedef struct closing {
  const limb_model* m;
  int nv;
  const limb_start_given* given;
  limb_data* loops;
  limb_loop_options options;
  unsigned char* independent; // nv marks
  double* v;                  // nv: completed velocities
  double* moved;              // nv
  double* q;                  // nq: as given
  limb_error* err;
} closing;

static bool all_marked(int n, const unsigned char* marks)
{
  for (int k = 0; k < n; k++) {
    if (!marks[k]) return false;
  }
  return true;
}

// The given coordinate that moved farthest; its move. -1: none did.
static int largest_move(const closing* c, const double* q, double* move)
{
  int largest = -1;
  *move = 0;
  if (limb_difference(c->m, c->q, q, c->moved) != LIMB_OK) return -1;
  for (int k = 0; k < c->nv; k++) {
    if (c->given->q[k] && fabs(c->moved[k]) > *move) *move = fabs(c->moved[k]), largest = k;
  }
  return largest;
}

// The name of velocity k, as joint and suffix.
static const char* joint_of(const closing* c, int k, const char** suffix)
{
  limb_joint_info info = {0};
  int j = 0;
  while (limb_get_joint(c->m, j, &info) == LIMB_OK && !(info.nq > 0 && k >= info.v && k < info.v + info.nv)) j++;
  *suffix = limb_v_suffix(info.def.type, k - info.v);
  return info.def.name;
}

// The nearest closed configuration, if given coordinates move within the tolerance.
static limb_status close_nearby(closing* c, const char* loop, double residual, double* q)
{
  double move = 0;
  const char *name = "", *suffix = "";
  const limb_status s = limb_project(c->loops, &c->options, q, NULL, NULL);
  if (s != LIMB_OK)
    return limb_fail(c->err, s, "start",
                     "no way to close the loops was found with the given joints fixed: loop '%s' stays %.3g apart; "
                     "give fewer joints, or others",
                     loop, residual);
  const int k = largest_move(c, q, &move);
  if (k < 0 || move <= c->given->tolerance) return LIMB_OK;
  name = joint_of(c, k, &suffix);
  return limb_fail(
    c->err, LIMB_E_NOCONV, "start",
    "the given joints leave loop '%s' open by %.3g; to close it, '%s%s' would move by %.3g, more than the "
    "tolerance of the start, %.3g: give fewer joints, or others",
    loop, residual, name, suffix, move, c->given->tolerance);
}

static limb_status close_positions(closing* c, double* q)
{
  limb_assembly how = limb_default_assembly();
  limb_assembly_report report = {.loop = -1};
  limb_loop_info loop;
  how.held = c->given->q;
  how.time = c->given->time;
  how.restarts = c->given->restarts;
  const limb_status s = limb_assemble(c->loops, &how, q, &report);
  if (s != LIMB_E_NOCONV || limb_get_loop(c->m, report.loop, &loop) != LIMB_OK) return s;
  return close_nearby(c, loop.def.name, report.residual, q);
}

// Makes velocity k, which is given, independent in place of one that is not given.
static void exchange(const closing* c, const double* q, const double* v, int k)
{
  unsigned char* own = c->independent;
  for (int i = 0; i < c->nv && !own[k]; i++) {
    if (!own[i] || c->given->v[i]) continue;
    own[i] = 0, own[k] = 1;
    memcpy(c->v, v, (size_t)c->nv * sizeof *v);
    if (limb_complete_velocities(c->loops, q, own, &c->options, c->v) == LIMB_OK) return;
    own[i] = 1, own[k] = 0;
  }
}

static limb_status contradiction(const closing* c, int k, double given)
{
  const char *suffix = "", *name = joint_of(c, k, &suffix);
  return limb_fail(c->err, LIMB_E_NOCONV, "start",
                   "the velocity of '%s%s' is given as %.9g, but %.9g follows from the others with the loops closed",
                   name, suffix, given, c->v[k]);
}

#define AGREES 1e-6 // given velocities with those that follow [rad/s, m/s]
#define EXACT  1e-9 // loops are closed: nothing is changed

// Given velocities determine the others. Those that are given and follow from others must agree.
static limb_status close_velocities(closing* c, const double* q, double* v)
{
  const size_t bytes = (size_t)c->nv * sizeof *v;
  limb_status s = limb_independent_velocities(c->loops, q, &c->options, c->independent);
  for (int k = 0; k < c->nv && s == LIMB_OK; k++) {
    if (c->given->v[k]) exchange(c, q, v, k);
  }
  memcpy(c->v, v, bytes);
  if (s == LIMB_OK) s = limb_complete_velocities(c->loops, q, c->independent, &c->options, c->v);
  if (s != LIMB_OK) return limb_fail(c->err, s, "start", "velocities at the start: %s", limb_status_text(s));
  for (int k = 0; k < c->nv; k++) {
    const double allowed = fmax(AGREES, c->given->tolerance * fmax(1, fabs(v[k])));
    if (c->given->v[k] && fabs(c->v[k] - v[k]) > allowed) return contradiction(c, k, v[k]);
  }
  memcpy(v, c->v, bytes);
  return LIMB_OK;
}

limb_status limb_sim_close_start(const limb_model* m, const limb_start_given* given, double* q, double* v,
                                 limb_error* err)
{
  if (!m || !given || !given->q || !given->v || !q || !v)
    return limb_fail(err, LIMB_E_ARG, NULL, "an argument is NULL");
  if (limb_loop_count(m) == 0) return LIMB_OK;
  const limb_allocator alloc = limb_default_allocator();
  const size_t nq = (size_t)limb_nq(m), nv = (size_t)limb_nv(m), size = (2 * nv + nq) * sizeof(double) + nv;
  closing c = {.m = m, .nv = limb_nv(m), .given = given, .options = limb_default_loop_options(), .err = err};
  c.options.time = given->time;
  c.v = limb_alloc(&alloc, size);
  if (!c.v) return limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory");
  c.moved = c.v + nv, c.q = c.moved + nv;
  c.independent = (unsigned char*)(c.q + nq);
  memcpy(c.q, q, nq * sizeof *q);
  limb_loop_gap gap = {0, 0, -1, -1};
  limb_status s = limb_data_create(m, NULL, &c.loops);
  if (s == LIMB_OK) s = limb_loop_gap_of(c.loops, q, NULL, &c.options, &gap);
  if (s == LIMB_OK && (gap.position > EXACT || !all_marked(c.nv, given->q))) s = close_positions(&c, q);
  if (s == LIMB_OK) s = limb_loop_gap_of(c.loops, q, v, &c.options, &gap);
  if (s == LIMB_OK && (gap.velocity > EXACT || !all_marked(c.nv, given->v))) s = close_velocities(&c, q, v);
  limb_data_destroy(c.loops);
  limb_free(&alloc, c.v, size);
  return s;
}

// ---- the start ------------------------------------------------------------------------------------------

// Loops must be nearly closed at the start; a start farther away needs limb_sim_close_start.
static limb_status check_closed(limb_sim* sim, double t)
{
  if (!sim->loops) return LIMB_OK;
  limb_loop_gap gap;
  limb_loop_info loop;
  sim->o.loops.loops.time = t;
  limb_status s = limb_loop_gap_of(sim->loops, sim->now.q, sim->now.v, &sim->o.loops.loops, &gap);
  if (s != LIMB_OK) return limb_sim_fail(sim, s, "loops at the start: %s", limb_status_text(s));
  const bool open = gap.position > fmax(1e-6, limb_model_loop_tolerance(sim->m)), moves = gap.velocity > 1e-6;
  if (!open && !moves) return LIMB_OK;
  if ((s = limb_get_loop(sim->m, open ? gap.position_loop : gap.velocity_loop, &loop)) != LIMB_OK) return s;
  return open ? limb_sim_fail(sim, LIMB_E_NOCONV, "loop '%s' is open by %.3g at the start; assemble it first",
                              loop.def.name, gap.position)
              : limb_sim_fail(sim, LIMB_E_NOCONV,
                              "velocities at the start open loop '%s' at a rate of %.3g; project them first",
                              loop.def.name, gap.velocity);
}

// Prescribed motion may begin anywhere: the other joints close the loops there.
static limb_status correct_start(limb_sim* sim)
{
  limb_loop_gap gap;
  limb_loop_info loop;
  const limb_status s = limb_sim_correct(sim, &sim->now);
  if (s != LIMB_E_NOCONV || !sim->motion.given) return s;
  if (limb_loop_gap_of(sim->loops, sim->now.q, sim->now.v, &sim->o.loops.loops, &gap) != LIMB_OK) return s;
  const bool open = gap.position >= gap.velocity;
  if (limb_get_loop(sim->m, open ? gap.position_loop : gap.velocity_loop, &loop) != LIMB_OK) return s;
  return limb_sim_fail(sim, s,
                       "the prescribed motion opens loop '%s' at the start, %s %.3g, and the "
                       "other joints are too far away to close it",
                       loop.def.name, open ? "by" : "at a rate of", open ? gap.position : gap.velocity);
}

static limb_status find_redundant_constraints(limb_sim* sim)
{
  if (!sim->loops) return LIMB_OK;
  limb_mobility mobility;
  limb_status s = limb_mobility_at(sim->loops, sim->now.q, &sim->o.loops.loops, &mobility);
  sim->redundant = s == LIMB_OK && mobility.redundant > mobility.idle;
  if (s == LIMB_OK && sim->redundant) s = limb_sim_create_constraints(sim);
  return s == LIMB_OK && sim->redundant ? limb_sim_choose_constraints(sim, &sim->now) : s;
}

// The state of a stepper that was used before is reused.
static limb_status enter_stepper(limb_sim* sim, const sim_stepper* next)
{
  void** kept = &sim->kept[next->method];
  sim->stepper = next, sim->state = *kept;
  if (*kept || !next->create) return LIMB_OK;
  const limb_status s = next->create(sim);
  if (s == LIMB_OK) {
    *kept = sim->state;
    return s;
  }
  if (next->destroy) next->destroy(sim);
  sim->stepper = NULL, sim->state = NULL;
  return s;
}

static limb_status choose_stepper(limb_sim* sim)
{
  limb_sim_method method = sim->o.method;
  sim->because[0] = 0;
  if (method == LIMB_SIM_AUTO) {
    const limb_status s = limb_sim_choose(sim, &method);
    if (s != LIMB_OK) return s;
  }
  const sim_stepper* next = limb_sim_stepper_of(method);
  if (next == sim->stepper) return LIMB_OK;
  // Multistep methods remember earlier states: a projection would make them restart. Baumgarte's terms keep them near.
  const bool stabilise = next->pace == SIM_AHEAD && sim->alpha == 0 && sim->beta == 0;
  sim->o.loops.alpha = stabilise ? 10 : sim->alpha, sim->o.loops.beta = stabilise ? 10 : sim->beta;
  const limb_status s = limb_sim_set_loops(sim, sim->o.loops.alpha, sim->o.loops.beta);
  return s == LIMB_OK ? enter_stepper(sim, next) : s;
}

// Memory for the watched values at now. Conditions may have been added after a start that failed.
static limb_status begin_watch(limb_sim* sim)
{
  const size_t count = (size_t)limb_sim_watch_count(sim);
  if (sim->queue && sim->nwatch == (int)count) return LIMB_OK;
  sim->queue = NULL;
  sim->watched = limb_sim_alloc(sim, count, sizeof(double));
  sim->watching = limb_sim_alloc(sim, count, sizeof(double));
  sim->between = limb_sim_alloc(sim, count, sizeof(double));
  sim->seen = limb_sim_alloc(sim, 3 * count, sizeof(double));
  sim->fired = limb_sim_alloc(sim, count, 1);
  if (!sim->watched || !sim->watching || !sim->between || !sim->seen || !sim->fired) return LIMB_E_NOMEM;
  sim->queue = limb_sim_alloc(sim, count + (size_t)sim->ncondition, sizeof *sim->queue);
  sim->nwatch = (int)count;
  return sim->queue ? LIMB_OK : LIMB_E_NOMEM;
}

static limb_status begin(limb_sim* sim)
{
  limb_status s = check_closed(sim, sim->now.t);
  if (s != LIMB_OK) return s;
  if ((s = begin_watch(sim)) != LIMB_OK) return s;
  limb_sim_reset_modes(sim);
  if ((s = limb_sim_begin_inputs(sim)) != LIMB_OK) return s;
  limb_sim_begin_passage(sim);
  if ((s = correct_start(sim)) != LIMB_OK) return s;
  if ((s = find_redundant_constraints(sim)) != LIMB_OK) return s;
  if ((s = limb_sim_begin_modes(sim)) != LIMB_OK) return s;
  if ((s = limb_sim_energy_at(sim, &sim->now, &sim->summary.energy_start)) != LIMB_OK) return s;
  if ((s = choose_stepper(sim)) != LIMB_OK) return s;
  if ((s = limb_sim_create_passage(sim)) != LIMB_OK) return s;
  limb_sim_copy(sim, &sim->now, &sim->front);
  limb_sim_copy(sim, &sim->now, &sim->begin);
  if ((s = limb_sim_watch_now(sim, NULL)) != LIMB_OK) return s;
  return sim->stepper->restart ? sim->stepper->restart(sim) : LIMB_OK;
}

#define RESOLVED 0.125 // of a step: largest distance of neighbouring times
#define FINEST   1e-3  // s: step of methods without one

limb_status limb_sim_check_clock(limb_sim* sim, double t)
{
  const double step = sim->o.step > 0 ? sim->o.step : FINEST, apart = DBL_EPSILON * fabs(t);
  if (apart <= RESOLVED * step) return LIMB_OK;
  return limb_sim_fail(
    sim, LIMB_E_ARG,
    "steps of %.2g s are too short: numbers near %.9g s are %.2g s apart; start at 0 and shift times "
    "afterwards, or use longer steps",
    step, t, apart);
}

// Copies the state of the caller; normalises quaternions.
static limb_status take_state(limb_sim* sim, double t, const double* q, const double* v)
{
  if (!q) return limb_sim_fail(sim, LIMB_E_ARG, "q is NULL");
  if (!limb_finite(1, &t) || !limb_finite(sim->nq, q) || !limb_finite_if(sim->nv, v))
    return limb_sim_fail(sim, LIMB_E_NONFINITE, "time, q or v is not finite");
  if (v)
    memcpy(sim->now.v, v, (size_t)sim->nv * sizeof *v);
  else
    memset(sim->now.v, 0, (size_t)sim->nv * sizeof *v);
  sim->now.t = t, sim->now.work = 0;
  const limb_status s = limb_integrate(sim->m, q, sim->now.v, 0, sim->now.q);
  return s == LIMB_OK ? s : limb_sim_fail(sim, s, "a quaternion of q is far from unit norm");
}

limb_status limb_sim_start(limb_sim* sim, double t, const double* q, const double* v, limb_error* err)
{
  if (!sim) return limb_fail(err, LIMB_E_ARG, NULL, "sim is NULL");
  sim->started = sim->over = sim->known = false;
  sim->error[0] = 0;
  sim->summary = (limb_sim_summary){0};
  sim->t0 = t;
  sim->leg_steps = 0, sim->burst = 0, sim->queued = sim->reported = 0;
  sim->burst_begin = t;
  limb_status s = take_state(sim, t, q, v);
  if (s == LIMB_OK) s = limb_sim_check_clock(sim, t);
  if (s == LIMB_OK) s = begin(sim);
  sim->started = s == LIMB_OK;
  if (sim->started)
    sim->error[0] = 0;
  else if (!sim->error[0])
    (void)limb_sim_fail(sim, s, "%s", limb_status_text(s));
  return sim->started ? s : limb_fail(err, s, "start", "%s", sim->error);
}
