// A simulation: memory, start, what it shows.
#include "sim/sim_impl.h"

#include "base/finite.h"
#include "base/sized.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- names -----------------------------------------------------------------------------------------------

typedef struct method_row {
  const char *name, *meaning;
  int order;
} method_row;

static const method_row* row_of(limb_sim_method method)
{
#define LIMB_X(name, value, text, order, meaning) [value] = {(text), (meaning), (order)},
  static const method_row rows[] = {LIMB_SIM_METHOD_LIST(LIMB_X)};
#undef LIMB_X
  const size_t k = (size_t)method;
  return k < sizeof rows / sizeof rows[0] ? &rows[k] : NULL;
}

const char* limb_sim_method_name(limb_sim_method method)
{
  const method_row* r = row_of(method);
  return r ? r->name : NULL;
}

const char* limb_sim_method_meaning(limb_sim_method method)
{
  const method_row* r = row_of(method);
  return r ? r->meaning : NULL;
}

int limb_sim_method_order(limb_sim_method method)
{
  const method_row* r = row_of(method);
  return r ? r->order : 0;
}

const char* limb_event_kind_name(limb_event_kind kind)
{
#define LIMB_X(name, value, text) [value] = (text),
  static const char* const names[] = {LIMB_EVENT_LIST(LIMB_X)};
#undef LIMB_X
  const size_t k = (size_t)kind;
  return k < sizeof names / sizeof names[0] ? names[k] : NULL;
}

// ---- memory ----------------------------------------------------------------------------------------------

void* limb_sim_take(limb_sim* sim, size_t count, size_t size)
{
  enum { HEAD = 64 }; // keeps what follows aligned as limb_alloc does
  const size_t bytes = (count ? count : 1) * size + HEAD;
  if (size && count > (SIZE_MAX - HEAD) / size) return NULL;
  char* block = limb_alloc(&sim->alloc, bytes);
  if (!block) return NULL;
  memset(block, 0, bytes);
  sim_memory* head = (sim_memory*)(void*)block;
  *head = (sim_memory){sim->memory, bytes};
  sim->memory = head;
  return block + HEAD;
}

bool limb_sim_grow(limb_sim* sim, void** items, int* room, int count, size_t size)
{
  if (count < *room) return true;
  const int more = *room ? 2 * *room : 4;
  void* grown = limb_sim_take(sim, (size_t)more, size);
  if (!grown) return false;
  if (count) memcpy(grown, *items, (size_t)count * size);
  *items = grown, *room = more; // the old one is freed with the simulation
  return true;
}

static limb_status take_point(limb_sim* sim, sim_point* p)
{
  p->q = limb_sim_take(sim, (size_t)sim->nq, sizeof *p->q);
  p->v = limb_sim_take(sim, (size_t)sim->nv, sizeof *p->v);
  return p->q && p->v ? LIMB_OK : LIMB_E_NOMEM;
}

static limb_status take_vectors(limb_sim* sim)
{
  double** const of_nv[] = {&sim->x,     &sim->y, &sim->tau,  &sim->holding, &sim->law_v,
                            &sim->law_a, &sim->a, &sim->rest, &sim->answer,  &sim->aside};
  for (size_t k = 0; k < sizeof of_nv / sizeof of_nv[0]; k++) {
    *of_nv[k] = limb_sim_take(sim, (size_t)sim->nv, sizeof(double));
    if (!*of_nv[k]) return LIMB_E_NOMEM;
  }
  sim->law_q = limb_sim_take(sim, (size_t)sim->nq, sizeof(double));
  sim->held = limb_sim_take(sim, (size_t)sim->nv, 1);
  sim->lambda = limb_sim_take(sim, (size_t)sim->nc, sizeof(double));
  sim->rate = limb_sim_take(sim, (size_t)sim->nc, sizeof(double));
  if (!sim->law_q || !sim->held || !sim->lambda || !sim->rate) return LIMB_E_NOMEM;
  sim_point* const points[] = {&sim->now,   &sim->begin, &sim->front,
                               &sim->probe, &sim->spare, &sim->projected};
  for (size_t k = 0; k < sizeof points / sizeof points[0]; k++) {
    const limb_status s = take_point(sim, points[k]);
    if (s != LIMB_OK) return s;
  }
  return LIMB_OK;
}

static limb_status take_workspaces(limb_sim* sim)
{
  limb_status s = limb_data_create(sim->m, &sim->alloc, &sim->d);
  if (s != LIMB_OK || !limb_loop_count(sim->m)) return s;
  s = limb_loops_create(sim->m, LIMB_LOOPS_DENSE, &sim->alloc, &sim->loops);
  if (s != LIMB_OK) return s;
  sim->responses = limb_sim_take(sim, limb_sim_responses_work(sim), sizeof(double));
  return sim->responses ? LIMB_OK : LIMB_E_NOMEM;
}

void limb_sim_destroy(limb_sim* sim)
{
  if (!sim) return;
  if (sim->stepper && sim->stepper->destroy) sim->stepper->destroy(sim);
  limb_dual_destroy(sim->slopes.dual);
  limb_loops_destroy(sim->loops);
  limb_data_destroy(sim->d);
  const limb_allocator alloc = sim->alloc;
  for (sim_memory* p = sim->memory; p;) {
    sim_memory* next = p->next;
    limb_free(&alloc, p, p->size);
    p = next;
  }
  limb_free(&alloc, sim, sizeof *sim);
}

// ---- options ---------------------------------------------------------------------------------------------

static bool within(double x, double least, double most) { return x >= least && x <= most; }

static limb_status check_steps(const limb_sim_options* o, limb_error* err)
{
  const char* where = "options";
  if (!row_of(o->method))
    return limb_fail(err, LIMB_E_ARG, where, "there is no method %d", (int)o->method);
  if (!within(o->step, 0, 1e100) || (o->step == 0 && row_of(o->method)->order))
    return limb_fail(err, LIMB_E_ARG, where, "step must be above zero");
  if (!within(o->relative, 1e-15, 0.1) || !within(o->absolute, 1e-300, 1))
    return limb_fail(err, LIMB_E_ARG, where,
                     "relative must be in [1e-15, 0.1], absolute in [1e-300, 1]");
  if (!within(o->longest, 0, HUGE_VAL) || o->order < 0)
    return limb_fail(err, LIMB_E_ARG, where, "longest and order must not be negative");
  return LIMB_OK;
}

static limb_status check_edges(const limb_sim_options* o, limb_error* err)
{
  const char* where = "options";
  if ((int)o->stiction < 0 || o->stiction > LIMB_STICTION_SMOOTH)
    return limb_fail(err, LIMB_E_ARG, where, "there is no stiction %d", (int)o->stiction);
  if ((int)o->stop < 0 || o->stop > LIMB_STOP_END)
    return limb_fail(err, LIMB_E_ARG, where, "there is no stop %d", (int)o->stop);
  if (!within(o->restitution, 0, 1))
    return limb_fail(err, LIMB_E_ARG, where, "restitution must be in [0, 1]");
  if (!within(o->stiffness, 0, 1e300) || !within(o->damping, 0, 1e300) || o->stiffness == 0)
    return limb_fail(err, LIMB_E_ARG, where,
                     "stiffness of stops must be above zero, damping not below");
  if (!(o->project >= 0) || !within(o->condition, 0, HUGE_VAL))
    return limb_fail(err, LIMB_E_ARG, where, "project and condition must not be negative");
  return LIMB_OK;
}

bool limb_sim_base_moves(const limb_environment* e)
{
  const sp_motion v = e->base_velocity, a = e->base_acceleration;
  return sp_norm3(v.w) + sp_norm3(v.v) + sp_norm3(a.w) + sp_norm3(a.v) != 0;
}

static limb_status read_options(limb_sim* sim, const limb_sim_options* options, limb_error* err)
{
  sim->o = limb_default_sim_options(sim->m);
  if (options) {
    const limb_status s =
      limb_sized_read(&sim->o, sizeof sim->o, options, offsetof(limb_sim_options, most_steps));
    if (s != LIMB_OK)
      return limb_fail(err, s, "options", "size: begin with limb_default_sim_options()");
  }
  sim->alpha = sim->o.closed.alpha, sim->beta = sim->o.closed.beta;
  limb_status s = check_steps(&sim->o, err);
  if (s == LIMB_OK) s = check_edges(&sim->o, err);
  if (s != LIMB_OK) return s;
  if (sim->o.work && limb_sim_base_moves(&sim->o.env))
    return limb_fail(err, LIMB_E_ARG, "options", "work is not defined while the base is moved");
  if (sim->o.method != LIMB_SIM_AUTO && !limb_sim_stepper_of(sim->o.method))
    return limb_fail(err, LIMB_E_UNSUPPORTED, "options",
                     "this build has no method %s: it lacks SUNDIALS", row_of(sim->o.method)->name);
  return LIMB_OK;
}

int limb_sim_has_method(limb_sim_method method)
{
  return method == LIMB_SIM_AUTO || (row_of(method) && limb_sim_stepper_of(method));
}

static limb_status fill(limb_sim* sim, const limb_sim_options* options, limb_error* err)
{
  limb_status s = read_options(sim, options, err);
  if (s != LIMB_OK) return s;
  if ((s = take_vectors(sim)) == LIMB_OK && (s = take_workspaces(sim)) == LIMB_OK &&
      (s = limb_sim_find_blocks(sim)) == LIMB_OK)
    s = limb_sim_begin_edges(sim);
  return s == LIMB_OK ? s : limb_fail(err, s, "simulation", "%s", limb_status_text(s));
}

limb_status limb_sim_create(const limb_model* m, const limb_sim_options* options,
                            const limb_allocator* alloc, limb_sim** out, limb_error* err)
{
  if (out) *out = NULL;
  if (!m || !out || (alloc && (!alloc->alloc || !alloc->free)))
    return limb_fail(err, LIMB_E_ARG, NULL, "model or out is NULL, or half an allocator");
  const limb_allocator use = alloc ? *alloc : limb_default_allocator();
  limb_sim* sim = limb_alloc(&use, sizeof *sim);
  if (!sim) return limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory");
  *sim =
    (limb_sim){.m = m, .alloc = use, .nq = limb_nq(m), .nv = limb_nv(m), .nc = limb_row_count(m)};
  const limb_status s = fill(sim, options, err);
  if (s == LIMB_OK)
    *out = sim;
  else
    limb_sim_destroy(sim);
  return s;
}

// ---- start -----------------------------------------------------------------------------------------------

limb_status limb_sim_fail(limb_sim* sim, limb_status status, const char* format, ...)
{
  va_list list;
  va_start(list, format);
  (void)vsnprintf(sim->error, sizeof sim->error, format, list);
  va_end(list);
  return status;
}

void limb_sim_copy(const limb_sim* sim, const sim_point* from, sim_point* to)
{
  if (from == to) return;
  memcpy(to->q, from->q, (size_t)sim->nq * sizeof *to->q);
  memcpy(to->v, from->v, (size_t)sim->nv * sizeof *to->v);
  to->t = from->t, to->work = from->work;
}

// Loops must nearly be closed at the start; who begins far away should assemble.
static limb_status check_closed(limb_sim* sim, double t)
{
  enum { NEARLY = 1000000 }; // one part in
  if (!sim->loops) return LIMB_OK;
  limb_loop_gap gap;
  limb_loop_info loop;
  sim->o.closed.loops.time = t;
  limb_status s = limb_loop_gap_of(sim->loops, sim->now.q, sim->now.v, &sim->o.closed.loops, &gap);
  if (s != LIMB_OK) return limb_sim_fail(sim, s, "the loops at the start: %s", limb_status_text(s));
  const bool open = gap.place > 1.0 / NEARLY, moves = gap.velocity > 1.0 / NEARLY;
  if (!open && !moves) return LIMB_OK;
  if ((s = limb_get_loop(sim->m, open ? gap.place_loop : gap.velocity_loop, &loop)) != LIMB_OK)
    return s;
  return open ? limb_sim_fail(sim, LIMB_E_NOCONV,
                              "loop '%s' is open by %.3g at the start: assemble first",
                              loop.def.name, gap.place)
              : limb_sim_fail(
                  sim, LIMB_E_NOCONV,
                  "velocities at the start open loop '%s' at a rate of %.3g: project them first",
                  loop.def.name, gap.velocity);
}

static limb_status look_for_redundant_rows(limb_sim* sim)
{
  if (!sim->loops) return LIMB_OK;
  limb_mobility mobility;
  limb_status s = limb_mobility_at(sim->loops, sim->now.q, &sim->o.closed.loops, &mobility);
  sim->redundant = s == LIMB_OK && mobility.redundant > mobility.idle;
  if (s == LIMB_OK && sim->redundant) s = limb_sim_take_surface(sim);
  return s == LIMB_OK && sim->redundant ? limb_sim_choose_rows(sim, &sim->now) : s;
}

static void leave_stepper(limb_sim* sim)
{
  if (sim->stepper && sim->stepper->destroy) sim->stepper->destroy(sim);
  sim->stepper = NULL, sim->state = NULL;
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
  leave_stepper(sim);
  // Methods that are ahead remember: what is put back makes them begin anew.
  const bool pulls = next->pace == SIM_AHEAD && sim->alpha == 0 && sim->beta == 0;
  sim->o.closed.alpha = pulls ? 10 : sim->alpha, sim->o.closed.beta = pulls ? 10 : sim->beta;
  sim->stepper = next;
  const limb_status s = next->create ? next->create(sim) : LIMB_OK;
  if (s != LIMB_OK) leave_stepper(sim);
  return s;
}

static limb_status total_energy(limb_sim* sim, double* energy)
{
  limb_energy e;
  const limb_status s = limb_energies(sim->d, sim->now.q, sim->now.v, &sim->env, &e);
  *energy = e.kinetic + e.gravity + e.springs;
  return s;
}

// All watched values are kept at now, to see what changes its sign. Conditions may have come since a start
// that failed.
static limb_status begin_watch(limb_sim* sim)
{
  const size_t count = (size_t)limb_sim_watch_count(sim);
  if (sim->queue && sim->nwatch == (int)count) return LIMB_OK;
  sim->queue = NULL;
  sim->watched = limb_sim_take(sim, count, sizeof(double));
  sim->watching = limb_sim_take(sim, count, sizeof(double));
  sim->between = limb_sim_take(sim, count, sizeof(double));
  sim->fired = limb_sim_take(sim, count, 1);
  if (!sim->watched || !sim->watching || !sim->between || !sim->fired) return LIMB_E_NOMEM;
  sim->queue = limb_sim_take(sim, count + (size_t)sim->ncondition, sizeof *sim->queue);
  sim->nwatch = (int)count;
  return sim->queue ? LIMB_OK : LIMB_E_NOMEM;
}

static limb_status begin(limb_sim* sim)
{
  limb_status s = check_closed(sim, sim->now.t);
  if (s != LIMB_OK) return s;
  if ((s = begin_watch(sim)) != LIMB_OK) return s;
  limb_sim_forget_modes(sim);
  if ((s = limb_sim_begin_inputs(sim)) != LIMB_OK) return s;
  if ((s = limb_sim_settle(sim, &sim->now)) != LIMB_OK) return s;
  if ((s = look_for_redundant_rows(sim)) != LIMB_OK) return s;
  if ((s = limb_sim_begin_modes(sim)) != LIMB_OK) return s;
  if ((s = total_energy(sim, &sim->summary.energy_start)) != LIMB_OK) return s;
  if ((s = choose_stepper(sim)) != LIMB_OK) return s;
  limb_sim_copy(sim, &sim->now, &sim->front);
  limb_sim_copy(sim, &sim->now, &sim->begin);
  if ((s = limb_sim_watch_now(sim, NULL)) != LIMB_OK) return s;
  return sim->stepper->restart ? sim->stepper->restart(sim) : LIMB_OK;
}

limb_status limb_sim_start(limb_sim* sim, double t, const double* q, const double* v,
                           limb_error* err)
{
  if (!sim || !q) return limb_fail(err, LIMB_E_ARG, NULL, "sim or q is NULL");
  sim->started = sim->over = sim->known = false;
  sim->error[0] = 0;
  sim->summary = (limb_sim_summary){0};
  sim->t0 = t;
  sim->leg_steps = 0, sim->crowd = 0, sim->queued = sim->told = 0;
  sim->crowd_begin = t;
  if (!limb_finite(1, &t) || !limb_finite(sim->nq, q) || !limb_finite_if(sim->nv, v))
    return limb_fail(err, LIMB_E_NONFINITE, "start", "time, q or v is not finite");
  memcpy(sim->now.q, q, (size_t)sim->nq * sizeof *q);
  if (v)
    memcpy(sim->now.v, v, (size_t)sim->nv * sizeof *v);
  else
    memset(sim->now.v, 0, (size_t)sim->nv * sizeof *v);
  sim->now.t = t, sim->now.work = 0;
  const limb_status s = begin(sim);
  if (s != LIMB_OK)
    return limb_fail(err, s, "start", "%s", sim->error[0] ? sim->error : limb_status_text(s));
  sim->started = true;
  return LIMB_OK;
}

// ---- looking ---------------------------------------------------------------------------------------------

const limb_model* limb_sim_model(const limb_sim* sim) { return sim ? sim->m : NULL; }

const char* limb_sim_error(const limb_sim* sim) { return sim ? sim->error : ""; }

limb_status limb_sim_now(limb_sim* sim, limb_sim_state* out)
{
  if (!sim || !out) return LIMB_E_ARG;
  if (!sim->started) return LIMB_E_ORDER;
  *out = (limb_sim_state){.time = sim->now.t, .q = sim->now.q, .v = sim->now.v};
  if (!sim->known) {
    const limb_status s = limb_sim_accelerate(sim, sim->now.t, sim->now.q, sim->now.v, sim->a);
    if (s != LIMB_OK) return s;
    sim->known = true;
  }
  *out = (limb_sim_state){sim->now.t,   sim->now.q, sim->now.v,
                          sim->a,       sim->tau,   sim->nc ? sim->lambda : NULL,
                          sim->nwrench, sim->wrench};
  return LIMB_OK;
}

limb_status limb_sim_summary_of(limb_sim* sim, limb_sim_summary* out)
{
  if (!sim || !out) return LIMB_E_ARG;
  if (!sim->started) return LIMB_E_ORDER;
  const limb_status s = total_energy(sim, &sim->summary.energy);
  *out = sim->summary;
  out->method = sim->stepper->method;
  out->because = sim->because;
  out->work = sim->now.work;
  return s;
}
