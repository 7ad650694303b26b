// Common parts of the SUNDIALS steppers.
//
//   q' of a ball joint   Q' = Q (w, 0) / 2 + (1 - |Q|^2) Q       the last term keeps the norm near 1
//   q' of a free joint   p' = R(Q) v, and the same
//
// Work is the integral of the power along a step. Explicit steps integrate it as one number of y. Implicit iterations
// would neglect it unless it also controlled the step; CVODE and IDA therefore leave it out, and it follows by Gauss
// quadrature over the solver's polynomial after each step. (The total power is the rate of the energy, as smooth as
// the motion.) Up to a time within the step, x in [-1, 1]:
//
//   W(x) = h/2 sum_i w_i p_i (1 + x + sum_k P_k(x_i) (P_k+1(x) - P_k-1(x))),   k = 1 .. n-1
//
// w_i, x_i Gauss weights (of sum 1) and nodes, P_k Legendre polynomials, p_i powers at the nodes.
#include "sim/sundials.h"

#include "base/numeric.h"

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- vectors --------------------------------------------------------------------------------------------

// Solvers copy vectors and matrices without looking whether there was memory for them. Copies therefore never fail: the
// spare one stands in, and the solver is stopped at its next evaluation or when it returns.

typedef struct content {
  struct _N_VectorContent_Serial serial; // first: what SUNDIALS sees
  sundials* owner;
} content;

static sundials* owner_of(N_Vector v) { return ((const content*)v->content)->owner; }

static void destroy_vector(N_Vector v)
{
  if (v != owner_of(v)->spare) N_VDestroy_Serial(v);
}

static N_Vector copy_vector(N_Vector like);
static N_Vector copy_empty(N_Vector like);

// Without numbers; NULL: out of memory.
static N_Vector empty_vector(sundials* s)
{
  N_Vector v = N_VNewEmpty_Serial(s->n, s->context);
  content* c = v ? realloc(v->content, sizeof *c) : NULL; // which N_VDestroy_Serial frees
  if (!c) {
    if (v) N_VDestroy_Serial(v);
    return NULL;
  }
  c->owner = s;
  v->content = c;
  v->ops->nvclone = copy_vector;
  v->ops->nvcloneempty = copy_empty;
  v->ops->nvdestroy = destroy_vector;
  return v;
}

N_Vector limb_sundials_vector(sundials* s)
{
  N_Vector v = empty_vector(s);
  double* x = v ? calloc((size_t)s->n, sizeof *x) : NULL; // likewise
  if (!x) {
    if (v) N_VDestroy_Serial(v);
    return NULL;
  }
  NV_DATA_S(v) = x;
  NV_OWN_DATA_S(v) = SUNTRUE;
  return v;
}

static N_Vector copied(sundials* s, N_Vector v)
{
  s->out_of_memory |= !v;
  return v ? v : s->spare;
}

static N_Vector copy_vector(N_Vector like) { return copied(owner_of(like), limb_sundials_vector(owner_of(like))); }

static N_Vector copy_empty(N_Vector like) { return copied(owner_of(like), empty_vector(owner_of(like))); }

// ---- matrices -------------------------------------------------------------------------------------------

typedef struct matrix_content {
  struct _SUNMatrixContent_Dense dense; // first
  sundials* owner;
} matrix_content;

static void destroy_matrix(SUNMatrix A)
{
  if (A != ((const matrix_content*)A->content)->owner->spare_matrix) SUNMatDestroy_Dense(A);
}

static SUNMatrix copy_matrix(SUNMatrix like);

// n x n; NULL: out of memory.
static SUNMatrix matrix_of(sundials* s)
{
  SUNMatrix A = SUNDenseMatrix(s->n, s->n, s->context);
  matrix_content* c = A ? realloc(A->content, sizeof *c) : NULL; // which SUNMatDestroy_Dense frees
  if (!c) {
    if (A) SUNMatDestroy_Dense(A);
    return NULL;
  }
  c->owner = s;
  A->content = c;
  A->ops->clone = copy_matrix;
  A->ops->destroy = destroy_matrix;
  return A;
}

static SUNMatrix copy_matrix(SUNMatrix like)
{
  sundials* s = ((const matrix_content*)like->content)->owner;
  SUNMatrix A = matrix_of(s);
  s->out_of_memory |= !A;
  return A ? A : s->spare_matrix;
}

// ---- memory ---------------------------------------------------------------------------------------------

limb_status limb_sundials_create(limb_sim* sim, int n, bool matrix, sundials** out)
{
  sim->state = *out = limb_sim_alloc(sim, 1, sizeof **out);
  return *out ? limb_sundials_fill(sim, n, matrix, *out) : LIMB_E_NOMEM;
}

limb_status limb_sundials_fill(limb_sim* sim, int n, bool matrix, sundials* s)
{
  const size_t nv = (size_t)sim->nv;
  s->n = n;
  s->q = limb_sim_alloc(sim, (size_t)sim->nq, sizeof(double));
  s->v = limb_sim_alloc(sim, nv, sizeof(double));
  s->a = limb_sim_alloc(sim, nv, sizeof(double));
  s->a_q = limb_sim_alloc(sim, matrix ? nv * nv : 0, sizeof(double));
  s->a_v = limb_sim_alloc(sim, matrix ? nv * nv : 0, sizeof(double));
  if (!s->q || !s->v || !s->a || !s->a_q || !s->a_v) return LIMB_E_NOMEM;
  if (SUNContext_Create(NULL, &s->context)) return LIMB_E_NOMEM;
  s->spare = limb_sundials_vector(s);
  s->y = limb_sundials_vector(s);
  s->rate = limb_sundials_vector(s);
  s->tolerance = limb_sundials_vector(s);
  if (s->spare) s->spare_data = NV_DATA_S(s->spare);
  if (!s->spare || !s->y || !s->rate || !s->tolerance) return LIMB_E_NOMEM;
  N_VConst(sim->o.absolute, s->tolerance);
  if (!matrix) return LIMB_OK;
  s->spare_matrix = matrix_of(s);
  s->A = matrix_of(s);
  s->linear = s->spare_matrix && s->A ? SUNLinSol_Dense(s->y, s->A, s->context) : NULL;
  if (!s->linear) return LIMB_E_NOMEM;
  return limb_sim_begin_derivatives(sim);
}

void limb_sundials_free(sundials* s)
{
  if (!s) return;
  if (s->iteration) (void)SUNNonlinSolFree(s->iteration);
  if (s->linear) (void)SUNLinSolFree(s->linear);
  if (s->A) SUNMatDestroy(s->A);
  if (s->spare_matrix) SUNMatDestroy_Dense(s->spare_matrix);
  if (s->tolerance) N_VDestroy(s->tolerance);
  if (s->rate) N_VDestroy(s->rate);
  if (s->y) N_VDestroy(s->y);
  if (s->spare) {
    NV_DATA_S(s->spare) = s->spare_data;
    N_VDestroy_Serial(s->spare);
  }
  if (s->context) (void)SUNContext_Free(&s->context);
}

// ---- states ---------------------------------------------------------------------------------------------

void limb_sundials_put(const limb_sim* sim, const sim_point* p, N_Vector y)
{
  double* x = NV_DATA_S(y);
  memcpy(x, p->q, (size_t)sim->nq * sizeof *x);
  memcpy(x + sim->nq, p->v, (size_t)sim->nv * sizeof *x);
}

limb_status limb_sundials_get(const limb_sim* sim, const double* y, double t, sim_point* p)
{
  memcpy(p->q, y, (size_t)sim->nq * sizeof *y);
  memcpy(p->v, y + sim->nq, (size_t)sim->nv * sizeof *y);
  p->t = t;
  return limb_normalize(sim->m, p->q);
}

// ---- rates ----------------------------------------------------------------------------------------------

int limb_sundials_code(sundials* s, limb_status status)
{
  if (status == LIMB_OK) return 0;
  s->status = status;
  return status == LIMB_E_NONFINITE || status == LIMB_E_SINGULAR || status == LIMB_E_NOCONV ? 1 : -1;
}

int limb_sundials_rate(double t, N_Vector y, N_Vector rate, void* user)
{
  limb_sim* sim = user;
  sundials* s = sim->state;
  const double* x = NV_DATA_S(y);
  double* r = NV_DATA_S(rate);
  if (s->out_of_memory) return limb_sundials_code(s, LIMB_E_NOMEM);
  if (!limb_finite(s->n, x)) return limb_sundials_code(s, LIMB_E_NONFINITE);
  memcpy(s->q, x, (size_t)sim->nq * sizeof *x);
  memcpy(s->v, x + sim->nq, (size_t)sim->nv * sizeof *x);
  limb_status status = limb_normalize(sim->m, s->q);
  if (status == LIMB_OK) status = limb_sim_accelerate(sim, s->origin + t, s->q, s->v, r + sim->nq);
  if (status != LIMB_OK) return limb_sundials_code(s, status);
  limb_sim_configuration_rate(sim, x, s->v, r);
  return 0;
}

// ---- derivatives ----------------------------------------------------------------------------------------

// A tangent (w; v) of a free joint moves its coordinates by (R v; Q w / 2): conversely, w = 2 Q* dQ and v = R' dp.
void limb_sundials_by_coordinates(const limb_sim* sim, const double* q, const double* by_tangent, int row, SUNMatrix J)
{
  const int nv = sim->nv;
  for (int i = 0; i < nv; i++) {
    const double* d = by_tangent + (size_t)i * (size_t)nv;
    for (int k = 0; k < nv; k++) {
      if (sim->coordinate[k] >= 0) SM_ELEMENT_D(J, row + i, sim->coordinate[k]) = d[k];
    }
    for (int b = 0; b < sim->nblock; b++) {
      const sim_block* block = &sim->block[b];
      const double* w = d + block->v;
      const double* Q = q + block->q + (block->free ? 3 : 0);
      const int at = block->q + (block->free ? 3 : 0);
      SM_ELEMENT_D(J, row + i, at) = 2 * (w[0] * Q[3] - w[1] * Q[2] + w[2] * Q[1]);
      SM_ELEMENT_D(J, row + i, at + 1) = 2 * (w[0] * Q[2] + w[1] * Q[3] - w[2] * Q[0]);
      SM_ELEMENT_D(J, row + i, at + 2) = 2 * (-w[0] * Q[1] + w[1] * Q[0] + w[2] * Q[3]);
      SM_ELEMENT_D(J, row + i, at + 3) = -2 * (w[0] * Q[0] + w[1] * Q[1] + w[2] * Q[2]);
      if (!block->free) continue;
      const sp_mat3 R = sp_rot_quat((sp_quat){Q[0], Q[1], Q[2], Q[3]});
      const sp_vec3 p = sp_mulv(R, (sp_vec3){w[3], w[4], w[5]}); // row times R'
      SM_ELEMENT_D(J, row + i, block->q) = p.x;
      SM_ELEMENT_D(J, row + i, block->q + 1) = p.y;
      SM_ELEMENT_D(J, row + i, block->q + 2) = p.z;
    }
  }
}

// q' by v; the derivative of quaternion rates by q is omitted: it is not stiff, and iterations converge without it.
void limb_sundials_coordinates(const limb_sim* sim, const double* q, double factor, SUNMatrix J)
{
  double* e = sim->rest;
  memset(e, 0, (size_t)sim->nv * sizeof *e);
  for (int k = 0; k < sim->nv; k++) {
    if (sim->coordinate[k] >= 0) SM_ELEMENT_D(J, sim->coordinate[k], sim->nq + k) = factor;
  }
  for (int b = 0; b < sim->nblock; b++) {
    const sim_block* block = &sim->block[b];
    for (int k = 0; k < (block->free ? 6 : 3); k++) {
      double rate[7];
      e[block->v + k] = 1;
      limb_sim_block_rate(block, q, e, rate);
      e[block->v + k] = 0;
      for (int i = 0; i < (block->free ? 7 : 4); i++)
        SM_ELEMENT_D(J, block->q + i, sim->nq + block->v + k) = factor * rate[i];
    }
  }
}

int limb_sundials_jacobian(double t, N_Vector y, N_Vector rate, SUNMatrix J, void* user, N_Vector a, N_Vector b,
                           N_Vector c)
{
  (void)rate, (void)a, (void)b, (void)c;
  limb_sim* sim = user;
  sundials* s = sim->state;
  if (s->out_of_memory) return limb_sundials_code(s, LIMB_E_NOMEM);
  const int nq = sim->nq, nv = sim->nv;
  sim_point at = {s->origin + t, s->q, s->v, 0};
  limb_status status = limb_sundials_get(sim, NV_DATA_S(y), at.t, &at);
  if (status == LIMB_OK) status = limb_sim_derivatives(sim, &at, 0, NULL, s->a_q, s->a_v, NULL);
  if (status != LIMB_OK) return limb_sundials_code(s, status);
  (void)SUNMatZero(J);
  limb_sundials_coordinates(sim, s->q, 1, J);
  limb_sundials_by_coordinates(sim, s->q, s->a_q, nq, J);
  for (int i = 0; i < nv; i++) {
    for (int k = 0; k < nv; k++) SM_ELEMENT_D(J, nq + i, nq + k) = s->a_v[(size_t)i * (size_t)nv + (size_t)k];
  }
  return 0;
}

// ---- work -----------------------------------------------------------------------------------------------

static const double node[WORK_NODES] = {-0.93246951420315202781, -0.66120938646626451366, -0.23861918608319690863,
                                        0.23861918608319690863,  0.66120938646626451366,  0.93246951420315202781};
static const double weight[WORK_NODES] = {0.08566224618958517252, 0.18038078652406930378, 0.23395696728634552369,
                                          0.23395696728634552369, 0.18038078652406930378, 0.08566224618958517252};

// P_0 .. P_n at x
static void legendre(double x, double P[WORK_NODES + 1])
{
  P[0] = 1, P[1] = x;
  for (int k = 1; k < WORK_NODES; k++) P[k + 1] = ((2 * k + 1) * x * P[k] - k * P[k - 1]) / (k + 1);
}

// W from the beginning of the last step to `t`, in the solver's time.
static double work_until(const sundials* s, double t)
{
  const double h = s->to - s->from, x = h > 0 ? 2 * (t - s->from) / h - 1 : -1;
  double P[WORK_NODES + 1], at[WORK_NODES + 1], sum = 0;
  legendre(x, P);
  for (int i = 0; i < WORK_NODES; i++) {
    double share = 1 + x;
    legendre(node[i], at);
    for (int k = 1; k < WORK_NODES; k++) share += at[k] * (P[k + 1] - P[k - 1]);
    sum += weight[i] * s->power[i] * share;
  }
  return h / 2 * sum;
}

// The power at a time of the solver.
static limb_status power_at(limb_sim* sim, double t, double* power)
{
  sundials* s = sim->state;
  sim_point at = {s->origin + t, s->q, s->v, 0};
  if (s->polynomial(s->memory, t, 0, s->rate) < 0) return LIMB_E_NOCONV;
  limb_status status = limb_sundials_get(sim, NV_DATA_S(s->rate), at.t, &at);
  if (status == LIMB_OK) status = limb_sim_correct(sim, &at);
  if (status == LIMB_OK) status = limb_sim_accelerate(sim, at.t, at.q, at.v, s->a);
  return status == LIMB_OK ? limb_sim_power(sim, at.q, at.v, power) : status;
}

limb_status limb_sundials_work(limb_sim* sim)
{
  sundials* s = sim->state;
  limb_status status = LIMB_OK;
  for (int i = 0; i < WORK_NODES && sim->o.work && status == LIMB_OK; i++)
    status = power_at(sim, s->from + (s->to - s->from) * (1 + node[i]) / 2, &s->power[i]);
  sim->front.work = sim->begin.work + work_until(s, s->to);
  return status;
}

// ---- steps ----------------------------------------------------------------------------------------------

limb_status limb_sundials_check_drift(limb_sim* sim)
{
  sundials* s = sim->state;
  if (!sim->loops) return LIMB_OK;
  limb_loop_gap gap;
  const sim_point* f = &sim->front;
  sim->o.loops.loops.time = f->t;
  const limb_status status = limb_loop_gap_of(sim->loops, f->q, f->v, &sim->o.loops.loops, &gap);
  s->displaced = fmax(gap.position, gap.velocity) > 1000 * fmax(sim->o.relative, sim->o.absolute);
  return status;
}

limb_status limb_sundials_return(limb_sim* sim, limb_status (*begin_at)(limb_sim*, const sim_point*))
{
  const sundials* s = sim->state;
  if (!s->displaced) return LIMB_OK;
  sim->summary.restarts++;
  return begin_at(sim, &sim->begin);
}

void limb_sundials_count(limb_sim* sim, long failures, long iterations)
{
  sundials* s = sim->state;
  sim->summary.rejected += (uint64_t)(failures - s->failures);
  sim->summary.iterations += (uint64_t)(iterations - s->iterations);
  s->failures = failures, s->iterations = iterations;
}

// ---- time -----------------------------------------------------------------------------------------------

void limb_sundials_begin(sundials* s, const sim_point* p)
{
  s->status = s->first_failure = LIMB_OK;
  s->failures = s->iterations = 0, s->displaced = false;
  s->origin = p->t, s->from = s->to = 0;
}

bool limb_sundials_stalled(limb_sim* sim, int flag, double reached, double t)
{
  sundials* s = sim->state;
  sim->front.t = reached < t - s->origin ? fmin(s->origin + reached, t) : t;
  const bool moves = reached > s->to;
  s->from = s->to, s->to = reached;
  return flag >= 0 && moves && !(sim->front.t > sim->begin.t);
}

limb_status limb_sundials_inside(limb_sim* sim, double t, sim_point* out)
{
  sundials* s = sim->state;
  const double own = fmin(fmax(t - s->origin, s->from), s->to);
  if (s->polynomial(s->memory, own, 0, s->rate) < 0)
    return limb_sim_fail(sim, LIMB_E_NOCONV, "%.9g s is not within the last step: %s", t, s->text);
  out->work = sim->begin.work + work_until(s, own);
  return limb_sundials_get(sim, NV_DATA_S(s->rate), t, out);
}

// ---- messages -------------------------------------------------------------------------------------------

void limb_sundials_message(int code, const char* module, const char* function, char* text, void* user)
{
  const limb_sim* sim = user;
  sundials* s = sim->state;
  (void)code, (void)module, (void)function;
  (void)snprintf(s->text, sizeof s->text, "%s", text);
  for (char* c = s->text; *c; c++) {
    if (*c == '\n') *c = ' ';
  }
}

limb_status limb_sundials_fail(limb_sim* sim, const char* solver, int flag)
{
  const sundials* s = sim->state;
  if (s->out_of_memory || flag == (strcmp(solver, "IDA") == 0 ? IDA_MEM_FAIL : CV_MEM_FAIL))
    return limb_sim_fail(sim, LIMB_E_NOMEM, "%s is out of memory", solver);
  if (s->status != LIMB_OK)
    return limb_sim_fail(sim, s->status, "after %.9g s: %s", sim->now.t, limb_status_text(s->status));
  return limb_sim_fail(sim, LIMB_E_NOCONV, "%s failed after %.9g s with code %d: %s", solver, sim->now.t, flag,
                       s->text);
}

limb_status limb_sundials_ready(limb_sim* sim, const char* solver, int flag)
{
  const sundials* s = sim->state;
  return flag || s->out_of_memory ? limb_sundials_fail(sim, solver, flag) : LIMB_OK;
}

limb_status limb_sundials_reached(limb_sim* sim, const char* solver, int flag)
{
  sundials* s = sim->state;
  if (s->out_of_memory) return limb_sundials_fail(sim, solver, flag);
  if (s->status != LIMB_OK) s->first_failure = s->status;
  if (flag >= 0 && sim->front.t > sim->begin.t) return LIMB_OK;
  s->displaced = true; // the next step restarts
  if (flag < 0) return limb_sundials_fail(sim, solver, flag);
  const limb_status status = s->first_failure != LIMB_OK ? s->first_failure : LIMB_E_NOCONV;
  return limb_sim_fail(sim, status, "after %.9g s steps become too short for time to advance: %s", sim->begin.t,
                       limb_status_text(status));
}
