// A simulation: memory, start, what it shows. Options are checked in options.c.
#include "sim/sim_impl.h"

#include "base/numeric.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
  double** const of_nv[] = {&sim->x, &sim->y,    &sim->tau,    &sim->holding, &sim->law_v, &sim->law_a,
                            &sim->a, &sim->rest, &sim->answer, &sim->aside,   &sim->shift};
  for (size_t k = 0; k < sizeof of_nv / sizeof of_nv[0]; k++) {
    *of_nv[k] = limb_sim_take(sim, (size_t)sim->nv, sizeof(double));
    if (!*of_nv[k]) return LIMB_E_NOMEM;
  }
  sim->law_q = limb_sim_take(sim, (size_t)sim->nq, sizeof(double));
  sim->held = limb_sim_take(sim, (size_t)sim->nv, 1);
  sim->lambda = limb_sim_take(sim, (size_t)sim->nc, sizeof(double));
  sim->rate = limb_sim_take(sim, (size_t)sim->nc, sizeof(double));
  if (!sim->law_q || !sim->held || !sim->lambda || !sim->rate) return LIMB_E_NOMEM;
  sim_point* const points[] = {&sim->now,   &sim->begin,     &sim->front,  &sim->probe,
                               &sim->spare, &sim->projected, &sim->shifted};
  for (size_t k = 0; k < sizeof points / sizeof points[0]; k++) {
    const limb_status s = take_point(sim, points[k]);
    if (s != LIMB_OK) return s;
  }
  return LIMB_OK;
}

static limb_status take_workspaces(limb_sim* sim)
{
  limb_status s = limb_data_create(limb_spanning_tree(sim->m), &sim->alloc, &sim->d);
  if (s != LIMB_OK || !limb_loop_count(sim->m)) return s;
  s = limb_loops_create(sim->m, LIMB_LOOPS_DENSE, &sim->alloc, &sim->loops);
  if (s != LIMB_OK) return s;
  sim->responses = limb_sim_take(sim, limb_sim_responses_work(sim), sizeof(double));
  return sim->responses ? LIMB_OK : LIMB_E_NOMEM;
}

void limb_sim_destroy(limb_sim* sim)
{
  if (!sim) return;
  for (int k = 0; k < SIM_METHODS; k++) {
    const sim_stepper* stepper = limb_sim_stepper_of((limb_sim_method)k);
    if ((sim->state = sim->kept[k]) && stepper->destroy) stepper->destroy(sim);
  }
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

// ---- create ----------------------------------------------------------------------------------------------

static limb_status fill(limb_sim* sim, const limb_sim_options* options, limb_error* err)
{
  limb_status s = limb_sim_read_options(sim, options, err);
  if (s != LIMB_OK) return s;
  if ((s = take_vectors(sim)) == LIMB_OK) s = take_workspaces(sim);
  if (s == LIMB_OK && (s = limb_sim_check_environment(sim, err)) != LIMB_OK) return s;
  if (s == LIMB_OK && (s = limb_sim_find_blocks(sim)) == LIMB_OK) s = limb_sim_begin_edges(sim);
  return s == LIMB_OK ? s : limb_fail(err, s, "simulation", "%s", limb_status_text(s));
}

limb_status limb_sim_create(const limb_model* m, const limb_sim_options* options, const limb_allocator* alloc,
                            limb_sim** out, limb_error* err)
{
  if (out) *out = NULL;
  if (!m || !out || (alloc && (!alloc->alloc || !alloc->free)))
    return limb_fail(err, LIMB_E_ARG, NULL, "model or out is NULL, or half an allocator");
  const limb_allocator use = alloc ? *alloc : limb_default_allocator();
  limb_sim* sim = limb_alloc(&use, sizeof *sim);
  if (!sim) return limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory");
  *sim = (limb_sim){.m = m, .alloc = use, .nq = limb_nq(m), .nv = limb_nv(m), .nc = limb_row_count(m)};
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

limb_status limb_sim_tell(limb_sim* sim, limb_status status)
{
  if (!sim->error[0]) (void)limb_sim_fail(sim, status, "after %.9g s: %s", sim->now.t, limb_status_text(status));
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
  if ((s = limb_get_loop(sim->m, open ? gap.place_loop : gap.velocity_loop, &loop)) != LIMB_OK) return s;
  return open ? limb_sim_fail(sim, LIMB_E_NOCONV, "loop '%s' is open by %.3g at the start: assemble first",
                              loop.def.name, gap.place)
              : limb_sim_fail(sim, LIMB_E_NOCONV,
                              "velocities at the start open loop '%s' at a rate of %.3g: project them first",
                              loop.def.name, gap.velocity);
}

// Motion that is given may be anywhere: the others close the loops there.
static limb_status settle_start(limb_sim* sim)
{
  limb_loop_gap gap;
  limb_loop_info loop;
  const limb_status s = limb_sim_settle(sim, &sim->now);
  if (s != LIMB_E_NOCONV || !sim->motion.given) return s;
  if (limb_loop_gap_of(sim->loops, sim->now.q, sim->now.v, &sim->o.closed.loops, &gap) != LIMB_OK) return s;
  const bool open = gap.place >= gap.velocity;
  if (limb_get_loop(sim->m, open ? gap.place_loop : gap.velocity_loop, &loop) != LIMB_OK) return s;
  return limb_sim_fail(sim, s,
                       "the motion that is given opens loop '%s' at the start, %s %.3g, and the "
                       "other joints are too far from where they would close it",
                       loop.def.name, open ? "by" : "at a rate of", open ? gap.place : gap.velocity);
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

// The state of a stepper that was in use before is used again.
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
  // Methods that are ahead remember: what is put back makes them begin anew.
  const bool pulls = next->pace == SIM_AHEAD && sim->alpha == 0 && sim->beta == 0;
  sim->o.closed.alpha = pulls ? 10 : sim->alpha, sim->o.closed.beta = pulls ? 10 : sim->beta;
  return enter_stepper(sim, next);
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
  sim->seen = limb_sim_take(sim, 3 * count, sizeof(double));
  sim->fired = limb_sim_take(sim, count, 1);
  if (!sim->watched || !sim->watching || !sim->between || !sim->seen || !sim->fired) return LIMB_E_NOMEM;
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
  if ((s = settle_start(sim)) != LIMB_OK) return s;
  if ((s = look_for_redundant_rows(sim)) != LIMB_OK) return s;
  if ((s = limb_sim_begin_modes(sim)) != LIMB_OK) return s;
  if ((s = total_energy(sim, &sim->summary.energy_start)) != LIMB_OK) return s;
  if ((s = choose_stepper(sim)) != LIMB_OK) return s;
  limb_sim_copy(sim, &sim->now, &sim->front);
  limb_sim_copy(sim, &sim->now, &sim->begin);
  if ((s = limb_sim_watch_now(sim, NULL)) != LIMB_OK) return s;
  return sim->stepper->restart ? sim->stepper->restart(sim) : LIMB_OK;
}

// q and v of the caller's become those of now; unit quaternions.
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
  sim->leg_steps = 0, sim->crowd = 0, sim->queued = sim->told = 0;
  sim->crowd_begin = t;
  limb_status s = take_state(sim, t, q, v);
  if (s == LIMB_OK) s = begin(sim);
  sim->started = s == LIMB_OK;
  if (sim->started)
    sim->error[0] = 0;
  else if (!sim->error[0])
    (void)limb_sim_fail(sim, s, "%s", limb_status_text(s));
  return sim->started ? s : limb_fail(err, s, "start", "%s", sim->error);
}

// ---- looking ---------------------------------------------------------------------------------------------

const limb_model* limb_sim_model(const limb_sim* sim) { return sim ? sim->m : NULL; }

const char* limb_sim_error(const limb_sim* sim) { return sim ? sim->error : ""; }

int limb_sim_over(const limb_sim* sim) { return sim && sim->over; }

limb_status limb_sim_now(limb_sim* sim, limb_sim_state* out)
{
  if (!sim || !out) return LIMB_E_ARG;
  if (!sim->started) return LIMB_E_ORDER;
  *out = (limb_sim_state){.time = sim->now.t, .q = sim->now.q, .v = sim->now.v};
  if (!sim->known) {
    const limb_status s = limb_sim_accelerate(sim, sim->now.t, sim->now.q, sim->now.v, sim->a);
    if (s != LIMB_OK) return limb_sim_tell(sim, s);
    sim->known = true;
  }
  *out = (limb_sim_state){sim->now.t,   sim->now.q, sim->now.v, sim->a, sim->tau, sim->nc ? sim->lambda : NULL,
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
  return s == LIMB_OK ? s : limb_sim_tell(sim, s);
}
