// Dynamics, matrices and kinematics of many states: entry points.
//
// Calls over double and over float differ in types only. Both make a limb_batch_call of their arguments, which one
// function answers; batch/batch_entries.h is the text of the public calls, compiled once for each type.

#include "limb/regressor.h"

#include "base/numeric.h"
#include "batch/batch_impl.h"
#include "kinematics/kinematics_impl.h"

#include <limits.h>

// A job from a call that has all it needs (complete), and its environment.
static limb_status prepare(const limb_batch_call* c, bool complete, limb_batch_job* job)
{
  const limb_status s = complete ? limb_batch_prepare(c, job) : LIMB_E_ARG;
  return s == LIMB_OK ? limb_batch_read_environment(c, job) : s;
}

// ---- dynamics -----------------------------------------------------------------------------------------------

static limb_status inverse_dynamics(const limb_batch_call* c)
{
  limb_batch_job job;
  const limb_status s = prepare(c, c->v && c->x && c->out[0], &job);
  return s == LIMB_OK ? limb_batch_go(c->b, &job, limb_batch_kernels_of(c)->inverse_dynamics) : s;
}

// Inverse dynamics of the bodies alone, without accelerations: no actuators, no wrenches.
static limb_status of_bodies(const limb_batch_call* c, limb_batch_job* job)
{
  job->terms = (limb_terms){0};
  job->nfixed = job->nvaried = 0;
  const limb_batch_kernels* k = limb_batch_kernels_of(c);
  return limb_batch_go(c->b, job, k->bias_forces ? k->bias_forces : k->inverse_dynamics);
}

static limb_status bias_forces(const limb_batch_call* c)
{
  limb_batch_job job;
  const limb_status s = prepare(c, c->v && c->out[0], &job);
  return s == LIMB_OK ? of_bodies(c, &job) : s;
}

static limb_status gravity_forces(const limb_batch_call* c)
{
  limb_batch_job job;
  limb_status s = c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s == LIMB_OK) s = limb_batch_read_gravity(c, &job);
  return s == LIMB_OK ? of_bodies(c, &job) : s;
}

static limb_status forward_dynamics(const limb_batch_call* c)
{
  limb_batch_job job;
  const limb_status s = prepare(c, c->v && c->x && c->out[0], &job);
  return s == LIMB_OK ? limb_batch_go(c->b, &job, limb_batch_kernels_of(c)->forward_dynamics) : s;
}

static limb_status take_steps(const limb_batch_call* c, const limb_batch_steps* steps)
{
  limb_batch_job job;
  if (!c->v || !steps || steps->count < 0 || !(steps->step > 0)) return LIMB_E_ARG;
  if (!limb_finite(1, &steps->step)) return LIMB_E_ARG;
  const limb_status s = prepare(c, true, &job);
  job.steps = steps;
  return s == LIMB_OK ? limb_batch_go(c->b, &job, limb_batch_kernels_of(c)->steps) : s;
}

// ---- matrices -----------------------------------------------------------------------------------------------

// Velocities from which single calls are faster, measured with eight lanes: matrices of states then leave the caches,
// and lanes that are dofs of a chain are all at work.
typedef struct singly_from {
  int chain, tree;
} singly_from;

static const singly_from singly_mass = {64, 100}, singly_coriolis = {24, 100}, singly_id = {40, 100},
                         singly_fd = {100, 100}, singly_regressor = {30, 30}, never = {INT_MAX, INT_MAX};

static int from_where(const limb_batch_call* c, singly_from s) { return c->b->m->nrun == 1 ? s.chain : s.tree; }

// The kernels of a call with matrices of nv x nv.
static const limb_batch_kernels* kernels_for(const limb_batch_call* c, singly_from s)
{
  return limb_batch_matrix_kernels(c, c->b->m->nv <= LIMB_BATCH_MATRICES_MAX, from_where(c, s));
}

// Whether there is a table for matrices made from others: not for robots with very many mimic joints.
static bool has_dof_table(const limb_batch_call* c) { return c->b->space[0].ws.table.cell != NULL; }

static limb_status mass_matrix(const limb_batch_call* c)
{
  limb_batch_job job;
  const limb_status s = c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s != LIMB_OK) return s;
  const limb_batch_kernels* k = kernels_for(c, singly_mass);
  return k ? limb_batch_go(c->b, &job, k->mass_matrix) : LIMB_E_UNSUPPORTED;
}

int limb_packed_count(const limb_model* m) { return m ? (int)m->elim.packed : 0; }

limb_status limb_packed_entries(const limb_model* m, int* row, int* column)
{
  if (!m || !row || !column) return LIMB_E_ARG;
  const limb_elimination* e = &m->elim;
  for (int k = 0; k < m->nv; k++) {
    for (int a = k; a >= 0; a = e->parent[a]) {
      const ptrdiff_t at = e->row[k] + e->depth[a];
      row[at] = e->v[k], column[at] = e->v[a];
    }
  }
  return LIMB_OK;
}

static limb_status packed_mass_matrix(const limb_batch_call* c)
{
  limb_batch_job job;
  const limb_status s = c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s != LIMB_OK) return s;
  const bool fits = c->b->m->nv <= LIMB_BATCH_MATRICES_MAX;
  return fits ? limb_batch_go(c->b, &job, limb_batch_kernels_of(c)->packed_mass_matrix) : LIMB_E_UNSUPPORTED;
}

static limb_status mass_matrix_inverse(const limb_batch_call* c)
{
  limb_batch_job job;
  const limb_status s = c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s != LIMB_OK) return s;
  const bool lanes = c->b->m->nv <= LIMB_BATCH_MATRICES_MAX && has_dof_table(c);
  const limb_batch_kernels* k = limb_batch_matrix_kernels(c, lanes, never.tree);
  return k ? limb_batch_go(c->b, &job, k->mass_matrix_inverse) : LIMB_E_UNSUPPORTED;
}

static limb_status coriolis_matrix(const limb_batch_call* c)
{
  limb_batch_job job;
  const limb_status s = c->v && c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s != LIMB_OK) return s;
  const limb_batch_kernels* k = kernels_for(c, singly_coriolis);
  return k && has_dof_table(c) ? limb_batch_go(c->b, &job, k->coriolis_matrix) : LIMB_E_UNSUPPORTED;
}

// A call with derivatives, up to its kernels.
static limb_status prepare_derivatives(const limb_batch_call* c, limb_batch_job* job)
{
  const limb_status s = prepare(c, c->v && c->x, job);
  return s == LIMB_OK && (!kernels_for(c, never) || !has_dof_table(c)) ? LIMB_E_UNSUPPORTED : s;
}

static limb_status inverse_dynamics_derivatives(const limb_batch_call* c)
{
  limb_batch_job job;
  const limb_status s = prepare_derivatives(c, &job);
  return s == LIMB_OK ? limb_batch_go(c->b, &job, kernels_for(c, singly_id)->id_derivatives) : s;
}

static limb_status forward_dynamics_derivatives(const limb_batch_call* c)
{
  limb_batch_job job;
  if (!c->out[1] || !c->out[2] || !c->out[3]) return LIMB_E_ARG;
  const limb_status s = prepare_derivatives(c, &job);
  return s == LIMB_OK ? limb_batch_go(c->b, &job, kernels_for(c, singly_fd)->fd_derivatives) : s;
}

// Second derivatives, or Hessians of sums with weights lambda.
static limb_status second_derivatives(const limb_batch_call* c, const double* lambda, bool forward)
{
  limb_batch_job job;
  const limb_status s = prepare(c, c->v && c->x, &job);
  if (s != LIMB_OK) return s;
  const limb_batch_kernels* k = limb_batch_matrix_kernels(c, false, 0);
  if (c->b->m->nloop > 0 || !k) return LIMB_E_UNSUPPORTED;
  if (!c->b->space[0].w) return LIMB_E_ARG;
  job.lambda = lambda;
  return limb_batch_go(c->b, &job, forward ? k->fd_second : k->id_second);
}

static limb_status regressor(const limb_batch_call* c, int np)
{
  limb_batch_job job;
  const limb_status s = prepare(c, c->v && c->x && c->out[0], &job);
  if (s != LIMB_OK) return s;
  job.np = np;
  job.nfixed = job.nvaried = 0; // wrenches do not enter
  limb_batch_call unloaded = *c;
  unloaded.env = NULL;
  const limb_batch_kernels* k =
    limb_batch_matrix_kernels(&unloaded, limb_batch_regressor_fits(c->b->m, np), from_where(c, singly_regressor));
  return k ? limb_batch_go(c->b, &job, k->regressor) : LIMB_E_UNSUPPORTED;
}

// ---- frames -------------------------------------------------------------------------------------------------

static bool frames_valid(const limb_model* m, int nframe, const int* frame)
{
  const int all = m->nbody + m->nframe;
  if (nframe < 0 || nframe > all || (nframe > 0 && !frame)) return false;
  for (int k = 0; k < nframe; k++)
    if (frame[k] < 0 || frame[k] >= all) return false;
  return true;
}

static limb_status frame_poses(const limb_batch_call* c, int nframe, const int* frame)
{
  limb_batch_job job;
  const limb_status s = c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s != LIMB_OK) return s;
  if (!frames_valid(c->b->m, nframe, frame)) return LIMB_E_ARG;
  job.nframe = nframe, job.frame = frame;
  return limb_batch_go(c->b, &job, limb_batch_kernels_of(c)->frame_poses);
}

static limb_status frame_jacobian(const limb_batch_call* c, int frame, limb_ref ref)
{
  limb_batch_job job;
  const limb_status s = c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s != LIMB_OK) return s;
  if (!frames_valid(c->b->m, 1, &frame) || !limb_ref_valid(ref)) return LIMB_E_ARG;
  job.nframe = 1, job.frame = &frame, job.ref = ref;
  return limb_batch_go(c->b, &job, limb_batch_kernels_of(c)->frame_jacobian);
}

// ---- layouts ------------------------------------------------------------------------------------------------

// n rounded up to whole blocks, times width; 0: more than a size_t holds.
static size_t padded_size(size_t lanes, size_t n, size_t width)
{
  const size_t blocks = n / lanes + (n % lanes != 0);
  if (width && blocks > SIZE_MAX / lanes / width) return 0;
  return blocks * lanes * width;
}

static limb_status transpose(limb_batch_turn* how, size_t n, size_t width, const void* from, void* to)
{
  const size_t max = PTRDIFF_MAX;
  if (!from || !to || n > max || width > max) return LIMB_E_ARG;
  how((ptrdiff_t)n, (ptrdiff_t)width, from, to);
  return LIMB_OK;
}

// ---- second derivatives ---------------------------------------------------------------------------------------

// Over double only.
// NOLINTBEGIN(readability-non-const-parameter)

limb_status limb_batch_inverse_dynamics_second_derivatives(limb_batch* b, size_t n, const double* q, const double* v,
                                                           const double* a, const limb_batch_environment* env,
                                                           const limb_second_derivatives* out, limb_status* status)
{
  if (!out) return LIMB_E_ARG;
  const limb_batch_call c = {b, LIMB_BATCH_F64, n, q, v, a, env, {out->dqdq, out->dqdv, out->dvdv, out->dqdx}, status};
  return second_derivatives(&c, NULL, false);
}

limb_status limb_batch_forward_dynamics_second_derivatives(limb_batch* b, size_t n, const double* q, const double* v,
                                                           const double* tau, const limb_batch_environment* env,
                                                           const limb_second_derivatives* out, limb_status* status)
{
  if (!out) return LIMB_E_ARG;
  const limb_batch_call c = {b,     LIMB_BATCH_F64, n, q, v, tau, env, {out->dqdq, out->dqdv, out->dvdv, out->dqdx},
                             status};
  return second_derivatives(&c, NULL, true);
}

limb_status limb_batch_inverse_dynamics_hessian(limb_batch* b, size_t n, const double* q, const double* v,
                                                const double* a, const limb_batch_environment* env,
                                                const limb_batch_hessian* H, limb_status* status)
{
  if (!H || !H->lambda) return LIMB_E_ARG;
  const limb_second_derivatives* out = &H->out;
  const limb_batch_call c = {b, LIMB_BATCH_F64, n, q, v, a, env, {out->dqdq, out->dqdv, out->dvdv, out->dqdx}, status};
  return second_derivatives(&c, H->lambda, false);
}

limb_status limb_batch_forward_dynamics_hessian(limb_batch* b, size_t n, const double* q, const double* v,
                                                const double* tau, const limb_batch_environment* env,
                                                const limb_batch_hessian* H, limb_status* status)
{
  if (!H || !H->lambda) return LIMB_E_ARG;
  const limb_second_derivatives* out = &H->out;
  const limb_batch_call c = {b,     LIMB_BATCH_F64, n, q, v, tau, env, {out->dqdq, out->dqdv, out->dvdv, out->dqdx},
                             status};
  return second_derivatives(&c, H->lambda, true);
}

// NOLINTEND(readability-non-const-parameter)

// ---- the public calls ---------------------------------------------------------------------------------------

#define real       double
#define TYPE       LIMB_BATCH_F64
#define KERNELS    f64
#define OVER(name) name
#include "batch/batch_entries.h"

#define real       float
#define TYPE       LIMB_BATCH_F32
#define KERNELS    f32
#define OVER(name) name##_f32
#include "batch/batch_entries.h"
