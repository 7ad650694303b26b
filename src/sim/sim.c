// A simulation: memory, creation, state and summary.
#include "sim/sim_impl.h"

#include "base/numeric.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- memory ---------------------------------------------------------------------------------------------

void* limb_sim_alloc(limb_sim* sim, size_t count, size_t size)
{
  enum { HEAD = 64 }; // keeps the alignment of limb_alloc
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

bool limb_sim_grow(limb_sim* sim, void** items, int* capacity, int count, size_t size)
{
  if (count < *capacity) return true;
  const int more = *capacity ? 2 * *capacity : 4;
  void* grown = limb_sim_alloc(sim, (size_t)more, size);
  if (!grown) return false;
  if (count) memcpy(grown, *items, (size_t)count * size);
  *items = grown, *capacity = more; // the old block is freed with the simulation
  return true;
}

static limb_status alloc_point(limb_sim* sim, sim_point* p)
{
  p->q = limb_sim_alloc(sim, (size_t)sim->nq, sizeof *p->q);
  p->v = limb_sim_alloc(sim, (size_t)sim->nv, sizeof *p->v);
  return p->q && p->v ? LIMB_OK : LIMB_E_NOMEM;
}

static limb_status alloc_vectors(limb_sim* sim)
{
  double** const of_nv[] = {&sim->x, &sim->y,    &sim->tau,    &sim->holding, &sim->given_v, &sim->given_a,
                            &sim->a, &sim->rest, &sim->answer, &sim->applied, &sim->shift};
  for (size_t k = 0; k < sizeof of_nv / sizeof of_nv[0]; k++) {
    *of_nv[k] = limb_sim_alloc(sim, (size_t)sim->nv, sizeof(double));
    if (!*of_nv[k]) return LIMB_E_NOMEM;
  }
  sim->given_q = limb_sim_alloc(sim, (size_t)sim->nq, sizeof(double));
  sim->held = limb_sim_alloc(sim, (size_t)sim->nv, 1);
  sim->lambda = limb_sim_alloc(sim, (size_t)sim->nc, sizeof(double));
  sim->rate = limb_sim_alloc(sim, (size_t)sim->nc, sizeof(double));
  if (!sim->given_q || !sim->held || !sim->lambda || !sim->rate) return LIMB_E_NOMEM;
  sim_point* const points[] = {&sim->now,   &sim->begin,     &sim->front,  &sim->probe,
                               &sim->spare, &sim->projected, &sim->shifted};
  for (size_t k = 0; k < sizeof points / sizeof points[0]; k++) {
    const limb_status s = alloc_point(sim, points[k]);
    if (s != LIMB_OK) return s;
  }
  return LIMB_OK;
}

static limb_status alloc_workspaces(limb_sim* sim)
{
  limb_status s = limb_data_create(limb_spanning_tree(sim->m), &sim->alloc, &sim->d);
  if (s != LIMB_OK || !limb_loop_count(sim->m)) return s;
  s = limb_data_create(sim->m, &sim->alloc, &sim->loops);
  if (s != LIMB_OK) return s;
  s = limb_sim_set_loops(sim, sim->o.loops.alpha, sim->o.loops.beta);
  if (s != LIMB_OK) return s;
  sim->responses = limb_sim_alloc(sim, limb_sim_responses_work(sim), sizeof(double));
  return sim->responses ? LIMB_OK : LIMB_E_NOMEM;
}

void limb_sim_destroy(limb_sim* sim)
{
  if (!sim) return;
  for (int k = 0; k < SIM_METHODS; k++) {
    const sim_stepper* stepper = limb_sim_stepper_of((limb_sim_method)k);
    if ((sim->state = sim->kept[k]) && stepper->destroy) stepper->destroy(sim);
  }
  limb_data_destroy(sim->loops);
  limb_data_destroy(sim->d);
  const limb_allocator alloc = sim->alloc;
  for (sim_memory* p = sim->memory; p;) {
    sim_memory* next = p->next;
    limb_free(&alloc, p, p->size);
    p = next;
  }
  limb_free(&alloc, sim, sizeof *sim);
}

// ---- create ---------------------------------------------------------------------------------------------

static limb_status fill(limb_sim* sim, const limb_sim_options* options, limb_error* err)
{
  limb_status s = limb_sim_read_options(sim, options, err);
  if (s != LIMB_OK) return s;
  if ((s = alloc_vectors(sim)) == LIMB_OK) s = alloc_workspaces(sim);
  if (s == LIMB_OK && (s = limb_sim_check_environment(sim, err)) != LIMB_OK) return s;
  if (s == LIMB_OK && (s = limb_sim_find_blocks(sim)) == LIMB_OK) s = limb_sim_find_modes(sim);
  return s == LIMB_OK ? s : limb_fail(err, s, "simulation", "%s", limb_status_text(s));
}

limb_status limb_sim_create(const limb_model* m, const limb_sim_options* options, const limb_allocator* alloc,
                            limb_sim** out, limb_error* err)
{
  if (out) *out = NULL;
  if (!m || !out || (alloc && (!alloc->alloc || !alloc->free)))
    return limb_fail(err, LIMB_E_ARG, NULL, "model or out is NULL, or the allocator is incomplete");
  const limb_allocator use = alloc ? *alloc : limb_default_allocator();
  limb_sim* sim = limb_alloc(&use, sizeof *sim);
  if (!sim) return limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory");
  *sim = (limb_sim){.m = m, .alloc = use, .nq = limb_nq(m), .nv = limb_nv(m), .nc = limb_constraint_count(m)};
  const limb_status s = fill(sim, options, err);
  if (s == LIMB_OK)
    *out = sim;
  else
    limb_sim_destroy(sim);
  return s;
}

// ---- errors and states ----------------------------------------------------------------------------------

limb_status limb_sim_fail(limb_sim* sim, limb_status status, const char* format, ...)
{
  va_list list;
  va_start(list, format);
  (void)vsnprintf(sim->error, sizeof sim->error, format, list);
  va_end(list);
  return status;
}

limb_status limb_sim_report(limb_sim* sim, limb_status status)
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

limb_status limb_sim_energy_at(limb_sim* sim, const sim_point* at, double* energy)
{
  limb_energy e;
  const limb_status s = limb_energies(sim->d, at->q, at->v, &sim->env, &e);
  *energy = e.kinetic + e.gravity + e.springs;
  if (s == LIMB_OK) sim->summary.kinetic = fmax(sim->summary.kinetic, e.kinetic);
  return s;
}

// ---- results --------------------------------------------------------------------------------------------

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
    if (s != LIMB_OK) return limb_sim_report(sim, s);
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
  const limb_status s = limb_sim_energy_at(sim, &sim->now, &sim->summary.energy);
  *out = sim->summary;
  out->method = sim->stepper->method;
  out->because = sim->because;
  out->work = sim->now.work;
  return s == LIMB_OK ? s : limb_sim_report(sim, s);
}
