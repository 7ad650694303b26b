// Inputs of the caller: forces, wrenches, motions; sampled controllers.
//
// A sampled source is evaluated at t0 + k period. The result acts after its delay; until then it waits in a ring. Both
// times are breaks: steps end there. At a break an input has two values: steps that end there use the value before it.
#include "sim/sim_impl.h"

#include "base/numeric.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_WAITING = 65536 }; // samples of one source

// ---- adding inputs --------------------------------------------------------------------------------------

static limb_status check_source(const limb_sim* sim, const limb_sim_force* f)
{
  if (!sim || !f || !f->force) return LIMB_E_ARG;
  if (!(f->period >= 0 && f->period < HUGE_VAL && f->delay >= 0 && f->delay < HUGE_VAL)) return LIMB_E_ARG;
  if (f->period == 0 && f->delay != 0) return LIMB_E_ARG;
  if (f->period > 0 && f->delay / f->period > MAX_WAITING - 2) return LIMB_E_ARG;
  return sim->started ? LIMB_E_ORDER : LIMB_OK;
}

limb_status limb_sim_add_force(limb_sim* sim, const limb_sim_force* f)
{
  const limb_status s = check_source(sim, f);
  if (s != LIMB_OK) return s;
  sim_source source = {.f = *f};
  if (f->period > 0) {
    source.queue = (int)(f->delay / f->period) + 2;
    source.held = limb_sim_alloc(sim, (size_t)sim->nv, sizeof(double));
    source.waiting = limb_sim_alloc(sim, (size_t)source.queue * (size_t)sim->nv, sizeof(double));
    if (!source.held || !source.waiting) return LIMB_E_NOMEM;
  }
  if (!limb_sim_grow(sim, (void**)&sim->source, &sim->source_capacity, sim->nsource, sizeof *sim->source))
    return LIMB_E_NOMEM;
  sim->source[sim->nsource++] = source;
  sim->inputs = true;
  return LIMB_OK;
}

limb_status limb_sim_add_wrenches(limb_sim* sim, int count, limb_sim_wrench_fn* wrench, void* context,
                                  limb_sim_break_fn* next_break)
{
  if (!sim || count <= 0 || !wrench) return LIMB_E_ARG;
  if (sim->started) return LIMB_E_ORDER;
  if (!limb_sim_grow(sim, (void**)&sim->wrenches, &sim->wrenches_capacity, sim->nwrenches, sizeof *sim->wrenches))
    return LIMB_E_NOMEM;
  sim->wrenches[sim->nwrenches++] = (sim_wrenches){0, count, wrench, context, next_break};
  sim->inputs = true;
  return LIMB_OK;
}

static limb_status check_given(const limb_sim* sim, const unsigned char* given)
{
  for (int k = 0; k < sim->nv; k++) {
    if (given[k] != LIMB_FORCE_GIVEN && given[k] != LIMB_ACCELERATION_GIVEN) return LIMB_E_ARG;
  }
  for (int b = 0; b < sim->nblock; b++) {
    const unsigned char* g = given + sim->block[b].v;
    for (int k = 1; k < (sim->block[b].free ? 6 : 3); k++) {
      if (g[k] != g[0]) return LIMB_E_UNSUPPORTED;
    }
  }
  return LIMB_OK;
}

limb_status limb_sim_set_motion(limb_sim* sim, const unsigned char* given, limb_sim_motion_fn* motion, void* context,
                                limb_sim_break_fn* next_break)
{
  if (!sim || !given || !motion) return LIMB_E_ARG;
  if (sim->started || sim->motion.given) return LIMB_E_ORDER;
  const limb_status s = check_given(sim, given);
  if (s != LIMB_OK) return s;
  unsigned char* own = limb_sim_alloc(sim, (size_t)sim->nv, 1);
  if (!own) return LIMB_E_NOMEM;
  memcpy(own, given, (size_t)sim->nv);
  sim->motion = (sim_motion){own, motion, context, next_break};
  sim->o.loops.loops.held = own; // projections leave them alone
  sim->inputs = true;
  return LIMB_OK;
}

// ---- evaluating inputs ----------------------------------------------------------------------------------

static double before_bound(const limb_sim* sim, double t)
{
  return t < sim->bound ? t : nextafter(sim->bound, -HUGE_VAL);
}

limb_status limb_sim_add_inputs(limb_sim* sim, double t, const double* q, const double* v, double* tau)
{
  for (int k = 0; k < sim->nsource; k++) {
    const sim_source* source = &sim->source[k];
    if (source->f.period > 0) {
      for (int i = 0; i < sim->nv; i++) tau[i] += source->held[i];
      continue;
    }
    const limb_status s = source->f.force(source->f.context, before_bound(sim, t), q, v, tau);
    if (s != LIMB_OK) return s;
  }
  return LIMB_OK;
}

limb_status limb_sim_set_wrenches(limb_sim* sim, double t, const double* q, const double* v)
{
  for (int k = 0; k < sim->nwrenches; k++) {
    const sim_wrenches* w = &sim->wrenches[k];
    const limb_status s = w->wrench(w->context, before_bound(sim, t), q, v, sim->wrench + w->first);
    if (s != LIMB_OK) return s;
  }
  return LIMB_OK;
}

// Whether the prescribed motion of a joint is finite; true for other joints.
static bool finite_motion(const limb_sim* sim, const limb_joint_info* j)
{
  bool finite = true, whole = false;
  for (int k = 0; k < j->nv; k++) {
    if (!sim->motion.given[j->v + k]) continue;
    finite = finite && limb_finite(1, sim->given_v + j->v + k) && limb_finite(1, sim->given_a + j->v + k);
    if (j->nq == j->nv) finite = finite && limb_finite(1, sim->given_q + j->q + k);
    whole = j->nq != j->nv;
  }
  return finite && (!whole || limb_finite(j->nq, sim->given_q + j->q));
}

static void impose_joint(const limb_sim* sim, const limb_joint_info* j, double* q, double* v)
{
  for (int k = 0; k < j->nv; k++) {
    if (!sim->motion.given[j->v + k]) continue;
    v[j->v + k] = sim->given_v[j->v + k];
    if (j->nq == j->nv) q[j->q + k] = sim->given_q[j->q + k];
  }
  if (j->nq != j->nv && sim->motion.given[j->v]) memcpy(q + j->q, sim->given_q + j->q, (size_t)j->nq * sizeof *q);
}

limb_status limb_sim_impose(limb_sim* sim, double t, double* q, double* v)
{
  limb_joint_info info;
  limb_status s =
    sim->motion.motion(sim->motion.context, before_bound(sim, t), sim->given_q, sim->given_v, sim->given_a);
  const int joints = limb_joint_count(sim->m);
  for (int j = 0; j < joints && s == LIMB_OK; j++) {
    s = limb_get_joint(sim->m, j, &info);
    if (s == LIMB_OK && info.nv && !finite_motion(sim, &info)) s = LIMB_E_NONFINITE;
  }
  for (int j = 0; j < joints && s == LIMB_OK; j++) {
    s = limb_get_joint(sim->m, j, &info);
    if (s == LIMB_OK && info.nv) impose_joint(sim, &info, q, v);
  }
  return s;
}

// ---- breaks ---------------------------------------------------------------------------------------------

static double sample_time(const limb_sim* sim, const sim_source* s, uint64_t k)
{
  return sim->t0 + (double)k * s->f.period;
}

static double earlier(double a, double b) { return b < a ? b : a; }

// Limits the bound to the break that the callback returns.
static limb_status limit_to_break(limb_sim* sim, limb_sim_break_fn* next, void* context)
{
  const double b = next ? next(context, sim->now.t) : HUGE_VAL;
  if (!(b > sim->now.t))
    return limb_sim_fail(sim, LIMB_E_ARG, "next_break of an input returned %.9g s, which is not after %.9g s", b,
                         sim->now.t);
  sim->bound = earlier(sim->bound, b);
  return LIMB_OK;
}

static void limit_to_samples(limb_sim* sim, const sim_source* s)
{
  const double begins = s->begun < s->samples ? sample_time(sim, s, s->begun) + s->f.delay : HUGE_VAL;
  sim->bound = earlier(sim->bound, earlier(sample_time(sim, s, s->samples), begins));
}

static limb_status find_bound(limb_sim* sim)
{
  const double old = sim->bound;
  limb_status s = LIMB_OK;
  sim->bound = HUGE_VAL;
  for (int k = 0; k < sim->nsource && s == LIMB_OK; k++) {
    const sim_source* source = &sim->source[k];
    if (source->f.period > 0)
      limit_to_samples(sim, source);
    else
      s = limit_to_break(sim, source->f.next_break, source->f.context);
  }
  for (int k = 0; k < sim->nwrenches && s == LIMB_OK; k++)
    s = limit_to_break(sim, sim->wrenches[k].next_break, sim->wrenches[k].context);
  if (s == LIMB_OK && sim->motion.given) s = limit_to_break(sim, sim->motion.next_break, sim->motion.context);
  if (s != LIMB_OK) sim->bound = old;
  return s;
}

// Times that differ by rounding are equal, such as the end of a delay and the next sample.
static bool due(const limb_sim* sim, double t)
{
  return t <= sim->now.t + 4 * DBL_EPSILON * fmax(fabs(sim->now.t), fabs(sim->t0));
}

// Takes the samples that are due; activates those whose delay is over.
static limb_status sample(limb_sim* sim, sim_source* s)
{
  const size_t nv = (size_t)sim->nv;
  while (due(sim, sample_time(sim, s, s->samples))) {
    double* next = s->waiting + (s->samples % (uint64_t)s->queue) * nv;
    memset(next, 0, nv * sizeof *next);
    const limb_status status = s->f.force(s->f.context, sim->now.t, sim->now.q, sim->now.v, next);
    if (status != LIMB_OK) return status;
    s->samples++;
  }
  while (s->begun < s->samples && due(sim, sample_time(sim, s, s->begun) + s->f.delay)) {
    memcpy(s->held, s->waiting + (s->begun % (uint64_t)s->queue) * nv, nv * sizeof *s->held);
    s->begun++;
  }
  return LIMB_OK;
}

limb_status limb_sim_pass_break(limb_sim* sim)
{
  for (int k = 0; k < sim->nsource; k++) {
    if (!sim->source[k].held) continue;
    const limb_status s = sample(sim, &sim->source[k]);
    if (s != LIMB_OK) return s;
  }
  return find_bound(sim);
}

static bool is_default(const limb_sim* sim)
{
  const limb_environment *e = &sim->env, other = limb_default_environment(sim->m);
  return !limb_sim_base_moves(e) && sp_norm3(sp_sub3(e->gravity, other.gravity)) == 0 && e->friction &&
         e->coulomb_width == other.coulomb_width && !e->nwrench && !e->nlaw;
}

// Wrenches of the environment, then those of callbacks, then capacity for those of force laws.
static limb_status gather_wrenches(limb_sim* sim)
{
  const limb_environment* e = &sim->o.env;
  sim->nwrench = e->nwrench;
  for (int k = 0; k < sim->nwrenches; k++) {
    sim->wrenches[k].first = sim->nwrench;
    sim->nwrench += sim->wrenches[k].count;
  }
  const int capacity = sim->nwrench + e->nlaw;
  if (!sim->wrench || capacity > sim->wrench_capacity) {
    sim->wrench_capacity = 0;
    sim->wrench = limb_sim_alloc(sim, (size_t)capacity, sizeof *sim->wrench);
    if (!sim->wrench) return LIMB_E_NOMEM;
    sim->wrench_capacity = capacity;
  }
  if (e->nwrench) memcpy(sim->wrench, e->wrench, (size_t)e->nwrench * sizeof *e->wrench);
  sim->env.nwrench = sim->nwrench, sim->env.wrench = sim->wrench;
  sim->env_arg = is_default(sim) ? NULL : &sim->env;
  return LIMB_OK;
}

limb_status limb_sim_begin_inputs(limb_sim* sim)
{
  limb_status s = gather_wrenches(sim);
  sim->bound = HUGE_VAL;
  for (int k = 0; k < sim->nsource; k++) {
    sim_source* source = &sim->source[k];
    source->samples = source->begun = 0;
    if (source->held) memset(source->held, 0, (size_t)sim->nv * sizeof *source->held);
  }
  memset(sim->held, LIMB_FORCE_GIVEN, (size_t)sim->nv);
  sim->nheld = 0;
  if (sim->motion.given) {
    memcpy(sim->held, sim->motion.given, (size_t)sim->nv);
    sim->nheld = limb_count_given(sim->m, sim->held, LIMB_ACCELERATION_GIVEN);
    if (s == LIMB_OK) s = limb_sim_impose(sim, sim->now.t, sim->now.q, sim->now.v);
  }
  return s == LIMB_OK ? limb_sim_pass_break(sim) : s;
}
