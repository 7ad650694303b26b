// Many states: by the kernels of batches where there is one, else state by state, on the threads of the pool.
#include "base/memory.h"
#include "base/status.h"
#include "quantities/evaluator_impl.h"

#include <math.h>
#include <string.h>

typedef struct job {
  limb_evaluator* e;
  const limb_states* states;
  double* const* out;
  limb_status* status; // n
  unsigned char* skip; // blocks that kernels of batches compute
  size_t part;         // states of a task
  int failed;          // 1: a state of a kernel failed
} job;

static const limb_status untouched = LIMB_E_IO; // no kernel says that

// ---- state by state -------------------------------------------------------------------------------------

// Wrenches that vary, behind those of the environment.
static const limb_environment* environment_of(limb_lane* w, const limb_states* s, size_t i)
{
  const limb_environment* all = s->env ? s->env : &w->e->env;
  if (s->nwrench == 0) return all;
  if (limb_copy_environment(w->e->model, all, &w->env_many) != LIMB_OK) return all; // refused where it is used
  for (int k = 0; k < all->nwrench; k++) w->wrench[k] = all->wrench[k];
  for (int k = 0; k < s->nwrench; k++) {
    const limb_batch_wrench* from = &s->wrench[k];
    const double* f = from->f64 + 6 * i;
    w->wrench[all->nwrench + k] =
      (limb_wrench){from->frame, from->ref, sp_force_make(sp_v3(f[0], f[1], f[2]), sp_v3(f[3], f[4], f[5]))};
  }
  w->env_many.nwrench = all->nwrench + s->nwrench;
  w->env_many.wrench = w->wrench;
  return &w->env_many;
}

static void take(limb_lane* w, const limb_states* s, size_t i)
{
  const size_t nq = (size_t)w->e->nq, nv = (size_t)w->e->nv;
  const limb_state one = {.q = s->q ? s->q + i * nq : NULL,
                          .v = s->v ? s->v + i * nv : NULL,
                          .a = s->a ? s->a + i * nv : NULL,
                          .tau = s->tau ? s->tau + i * nv : NULL,
                          .v_r = s->v_r ? s->v_r + i * nv : NULL,
                          .a_r = s->a_r ? s->a_r + i * nv : NULL,
                          .time = s->time ? s->time[i] : 0,
                          .env = environment_of(w, s, i)};
  limb_lane_take(w, &one);
}

static void one_part(void* argument, int index)
{
  const job* j = argument;
  limb_evaluator* e = j->e;
  limb_lane* w = &e->lane[index];
  const size_t from = (size_t)index * j->part, n = j->states->n;
  const size_t to = from + j->part < n ? from + j->part : n;
  for (size_t i = from; i < to; i++) {
    int failed = -1;
    take(w, j->states, i);
    const limb_status s = limb_lane_compute(w, j->skip, &failed);
    if (j->status[i] == LIMB_OK) j->status[i] = s;
    for (int k = 0; k < e->nitem; k++) {
      const limb_evaluator_item* item = &e->item[k];
      if (j->skip[item->block] || !j->out[k]) continue;
      memcpy(j->out[k] + i * item->size, w->value + e->block[item->block].offset + item->from,
             item->size * sizeof *w->value);
    }
  }
}

// ---- batches --------------------------------------------------------------------------------------------

// The item that is a whole block, and wanted; -1: none.
static int whole_item(const job* j, int block)
{
  const limb_evaluator* e = j->e;
  for (int k = 0; k < e->nitem; k++)
    if (e->item[k].block == block && e->item[k].size == e->block[block].size && j->out[k]) return k;
  return -1;
}

// Columns of 6 become 6 rows, state by state.
static void transpose(const limb_evaluator* e, size_t n, double* J)
{
  const size_t nv = (size_t)e->nv;
  double* work = e->lane[0].work;
  for (size_t i = 0; i < n; i++, J += 6 * nv) {
    memcpy(work, J, 6 * nv * sizeof *work);
    for (size_t k = 0; k < nv; k++)
      for (size_t r = 0; r < 6; r++) J[r * nv + k] = work[6 * k + r];
  }
}

static limb_status run_batch(const job* j, const limb_block* b, double* x, limb_status* status)
{
  limb_evaluator* e = j->e;
  const limb_states* s = j->states;
  limb_batch_environment env = limb_default_batch_environment();
  const char* name = b->row->about.name;
  env.all = s->env ? s->env : &e->env;
  env.nwrench = s->nwrench, env.wrench = s->wrench;
  if (strcmp(name, "tau") == 0) return limb_batch_inverse_dynamics(e->batch, s->n, s->q, s->v, s->a, &env, x, status);
  if (strcmp(name, "acc") == 0) return limb_batch_forward_dynamics(e->batch, s->n, s->q, s->v, s->tau, &env, x, status);
  if (strcmp(name, "h") == 0) return limb_batch_bias_forces(e->batch, s->n, s->q, s->v, &env, x, status);
  if (strcmp(name, "g") == 0) return limb_batch_gravity_forces(e->batch, s->n, s->q, &env, x, status);
  if (strcmp(name, "M") == 0) return limb_batch_mass_matrix(e->batch, s->n, s->q, x, status);
  if (strcmp(name, "Y") == 0) return limb_batch_regressor(e->batch, s->n, s->q, s->v, s->a, &env, x, status);
  if (strcmp(name, "Minv") == 0 || strcmp(name, "dacc_dtau") == 0)
    return limb_batch_mass_matrix_inverse(e->batch, s->n, s->q, x, status);
  if (strcmp(name, "C") == 0) return limb_batch_coriolis_matrix(e->batch, s->n, s->q, s->v, x, status);
  if (strcmp(name, "J") == 0) {
    const limb_status r = limb_batch_frame_jacobian(e->batch, s->n, s->q, b->frame, b->ref, x, status);
    transpose(e, s->n, x);
    return r;
  }
  limb_id_derivatives out = {0};
  if (strcmp(name, "dtau_dq") == 0)
    out.dtau_dq = x;
  else
    out.dtau_dv = x;
  return limb_batch_inverse_dynamics_derivatives(e->batch, s->n, s->q, s->v, s->a, &env, &out, status);
}

static int has_kernel(const job* j, const limb_block* b)
{
  const limb_evaluator* e = j->e;
  const limb_environment* env = j->states->env ? j->states->env : &e->env;
  if (!(b->row->uses & USES_BATCH) || j->states->singly || e->closed || env->nlaw > 0) return 0;
  return !(e->options.tau_is_given && strcmp(b->row->about.name, "tau") == 0);
}

// 1 when a kernel has done it.
static int by_batch(job* j, int block, limb_status* status)
{
  const limb_evaluator* e = j->e;
  const limb_block* b = &e->block[block];
  const int whole = has_kernel(j, b) ? whole_item(j, block) : -1;
  const size_t n = j->states->n;
  if (whole < 0) return 0;
  status[0] = untouched; // it stays so when nothing is computed
  const limb_status s = run_batch(j, b, j->out[whole], status);
  if (s != LIMB_OK && status[0] == untouched) return 0; // not by this kernel
  for (size_t i = 0; i < n && s != LIMB_OK; i++)
    if (j->status[i] == LIMB_OK) j->status[i] = status[i];
  j->failed |= s != LIMB_OK;
  for (int k = 0; k < e->nitem; k++) {
    const limb_evaluator_item* item = &e->item[k];
    if (item->block != block || k == whole || !j->out[k]) continue;
    for (size_t i = 0; i < n; i++)
      memcpy(j->out[k] + i * item->size, j->out[whole] + i * b->size + item->from, item->size * sizeof *j->out[k]);
  }
  return 1;
}

// ---- all ------------------------------------------------------------------------------------------------

static limb_status make_ready(limb_evaluator* e, const limb_states* s)
{
  limb_batch_options o = limb_default_batch_options();
  limb_status status = LIMB_OK;
  const int all = (s->env ? s->env->nwrench : e->env.nwrench) + s->nwrench;
  o.pool = e->options.pool;
  if (s->nwrench > o.wrenches) o.wrenches = s->nwrench;
  if (!e->batch && !e->closed && !s->singly) status = limb_batch_create(e->model, &o, &e->alloc, &e->batch);
  for (int i = 0; i < e->nlane && status == LIMB_OK; i++) {
    limb_lane* w = &e->lane[i];
    if (w->wrench_capacity >= all) continue;
    limb_free(&e->alloc, w->wrench, (size_t)w->wrench_capacity * sizeof *w->wrench);
    w->wrench = limb_alloc(&e->alloc, (size_t)all * sizeof *w->wrench);
    w->wrench_capacity = w->wrench ? all : 0;
    if (!w->wrench) status = LIMB_E_NOMEM;
  }
  return status;
}

// 1 when there were blocks left to compute.
static int run_states(const job* j)
{
  limb_evaluator* e = j->e;
  int left = 0;
  for (int i = 0; i < e->nblock; i++) left += !j->skip[i];
  if (left == 0) return 0;
  job parts = *j;
  parts.part = (j->states->n + (size_t)e->nlane - 1) / (size_t)e->nlane;
  if (e->options.pool)
    e->options.pool->run(e->options.pool->context, e->nlane, one_part, &parts);
  else
    one_part(&parts, 0);
  return 1;
}

// The first state that failed, once more, to tell why.
static limb_status report(const job* j)
{
  limb_evaluator* e = j->e;
  size_t i = 0;
  int failed = -1;
  while (i < j->states->n && j->status[i] == LIMB_OK) i++;
  if (i == j->states->n) return LIMB_OK;
  take(&e->lane[0], j->states, i);
  const limb_status s = limb_lane_compute(&e->lane[0], NULL, &failed);
  if (s != LIMB_OK) limb_explain(e, &e->lane[0], failed, s);
  return j->status[i];
}

limb_status limb_evaluator_run_many(limb_evaluator* e, const limb_states* states, double* const* out,
                                    limb_status* status)
{
  if (!e || !states || !out || states->nwrench < 0 || (states->nwrench > 0 && !states->wrench)) return LIMB_E_ARG;
  const size_t n = states->n, blocks = (size_t)e->nblock;
  e->failed = -1;
  e->failure = (limb_error){LIMB_OK, 0, 0, "", ""};
  if (n == 0 || e->nitem == 0) return LIMB_OK;
  limb_status s = make_ready(e, states);
  if (s != LIMB_OK) return s;
  // Statuses of all states unless the caller takes them, those of one kernel, marks of blocks.
  const size_t own = status ? 0 : n, size = (own + n) * sizeof(limb_status) + blocks;
  limb_status* memory = limb_alloc(&e->alloc, size);
  if (!memory) return LIMB_E_NOMEM;
  job j = {.e = e, .states = states, .out = out, .status = memory, .part = n};
  if (status) j.status = status;
  j.skip = (unsigned char*)(memory + own + n);
  memset(j.status, 0, n * sizeof *j.status);
  for (int i = 0; i < e->nblock; i++) j.skip[i] = (unsigned char)by_batch(&j, i, memory + own);
  s = run_states(&j) || j.failed ? report(&j) : LIMB_OK;
  limb_free(&e->alloc, memory, size);
  return s;
}
