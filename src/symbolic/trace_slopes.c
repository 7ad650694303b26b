// Derivatives and the Coriolis matrix as functions.
//
// There are two ways: the kernels on the dof table (kernel/lane_columns_kernel.h), and derivatives of the expressions
// of inverse dynamics and of the mass matrix, term by term. The first shares more between links, the second
// begins with expressions from which whatever this robot has not is gone; the one that takes fewer operations
// is written down. Where numbers of the robot stay symbols only the second knows of them.
//
//   C_ij = 1/2 sum_k (d M_ij / d q_k + d M_ik / d q_j - d M_jk / d q_i) v_k        Christoffel symbols
#include "limb/derivatives.h"

#include "base/status.h"
#include "symbolic/derive.h"
#include "symbolic/trace_tree.h"

enum { DERIVED_MOST = 12 }; // velocities of a robot whose expressions are differentiated

// Of ball and free joints a derivative is along the velocity, and q has other components.
static bool can_derive(const limb_model* m) { return m->nq == m->nv && m->nv <= DERIVED_MOST; }

// The kernels on the dof table take the robot's own numbers.
static bool has_sheet(const limb_tracer* t) { return t->m->given && t->options.symbols == LIMB_SYMBOLS_NONE; }

static limb_status refuse(const limb_tracer* t, const limb_function* f)
{
  if (t->m->nv == 0) {
    return limb_fail(t->error, LIMB_E_UNSUPPORTED, f->name, "the robot cannot move");
  }
  if (!t->m->given) {
    return limb_fail(t->error, LIMB_E_UNSUPPORTED, f->name, "the robot has more than %d velocities",
                     LIMB_DERIVATIVES_MOST);
  }
  return limb_fail(t->error, LIMB_E_UNSUPPORTED, f->name,
                   "numbers of this robot cannot stay symbols here (ball and free joints, more than %d"
                   " velocities, forward dynamics); ask for it without them",
                   DERIVED_MOST);
}

// ---- derivatives of expressions -------------------------------------------------------------------------

// d of[i] / d x_j for all components of an input with nv: n x nv.
static limb_status derive(limb_tracer* t, const limb_scalar* of, size_t n, limb_input_kind by, limb_scalar* out)
{
  const size_t nv = (size_t)t->m->nv;
  limb_edge* edge = limb_program_take(t->program, n * (nv + 1) + 1, sizeof *edge);
  uint32_t* symbol = limb_program_take(t->program, nv + 1, sizeof *symbol);
  if (!edge || !symbol) return LIMB_E_NOMEM;
  limb_edge* slope = edge + n;
  for (size_t i = 0; i < n; i++) edge[i] = edge_of(t->graph, of[i]);
  for (size_t j = 0; j < nv; j++) symbol[j] = limb_symbol_of(by, (uint32_t)j);
  if (!limb_derive(t->graph, edge, n, symbol, nv, slope)) return LIMB_E_NOMEM;
  for (size_t i = 0; i < n * nv; i++) out[i] = of_edge(t->graph, slope[i]);
  return LIMB_OK;
}

static limb_status derived_coriolis(limb_tracer* t, limb_scalar* C)
{
  const size_t n = (size_t)t->m->nv;
  limb_scalar *M = limb_trace_scalars(t, n * n), *dM = limb_trace_scalars(t, n * n * n);
  if (!M || !dM) return LIMB_E_NOMEM;
  limb_trace_clear(t);
  limb_trace_kernels.mass_matrix(t->m, t->k, &t->ws, t->q, M);
  const limb_status s = derive(t, M, n * n, INPUT_Q, dM);
  if (s != LIMB_OK) return s;
#define DM(i, j, k) dM[((i)*n + (j)) * n + (k)]
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      limb_scalar sum = plain(0);
      for (size_t k = 0; k < n; k++) {
        const limb_scalar symbol = add(DM(i, j, k), sub(DM(i, k, j), DM(j, k, i)));
        sum = add(sum, mul(symbol, t->v[k]));
      }
      C[i * n + j] = mul(plain(0.5), sum);
    }
  }
#undef DM
  return LIMB_OK;
}

static limb_status derived_inverse(limb_tracer* t, limb_scalar* dq, limb_scalar* dv)
{
  const size_t n = (size_t)t->m->nv;
  limb_scalar* tau = limb_trace_scalars(t, n);
  if (!tau) return LIMB_E_NOMEM;
  limb_trace_clear(t);
  limb_trace_kernels.inverse_dynamics(t->m, t->k, &t->ws, t->q, t->v, t->a, &t->terms, NULL, tau);
  const limb_status s = derive(t, tau, n, INPUT_Q, dq);
  return s == LIMB_OK ? derive(t, tau, n, INPUT_V, dv) : s;
}

// ---- the quantities -------------------------------------------------------------------------------------

static limb_status put_coriolis(limb_tracer* t, limb_function* f, const limb_scalar* C)
{
  limb_function way = {.name = f->name};
  limb_status s = limb_trace_matrix(t, &way, "C", "Coriolis matrix, dM/dt - 2 C skew-symmetric", C);
  return s == LIMB_OK ? limb_trace_keep_cheaper(t, f, &way) : s;
}

limb_status limb_trace_coriolis(limb_tracer* t, limb_function* f)
{
  const size_t n = (size_t)t->m->nv;
  limb_scalar* C = limb_trace_scalars(t, n * n);
  if (!C) return LIMB_E_NOMEM;
  if (t->m->nv > LIMB_TRACE_SQUARE_MOST) return limb_trace_too_large(t, f);
  if (!has_sheet(t) && !can_derive(t->m)) return refuse(t, f);
  limb_trace_takes_no_gravity(t, f, 1U << INPUT_Q | 1U << INPUT_V);
  limb_status s = LIMB_OK;
  if (has_sheet(t)) {
    limb_trace_kernels.coriolis_matrix(t->m, t->k, &t->ws, t->q, t->v, SLOPES_SKEW, C);
    s = put_coriolis(t, f, C);
  }
  if (s != LIMB_OK || !can_derive(t->m)) return s;
  s = derived_coriolis(t, C);
  return s == LIMB_OK ? put_coriolis(t, f, C) : s;
}

static limb_status put_inverse(limb_tracer* t, limb_function* f, const limb_scalar* dq, const limb_scalar* dv)
{
  limb_function way = {.name = f->name};
  limb_status s = limb_trace_matrix(t, &way, "dtau_dq", "d tau / d q", dq);
  if (s == LIMB_OK) s = limb_trace_matrix(t, &way, "dtau_dv", "d tau / d v", dv);
  return s == LIMB_OK ? limb_trace_keep_cheaper(t, f, &way) : s;
}

limb_status limb_trace_inverse_slopes(limb_tracer* t, limb_function* f)
{
  const size_t n = (size_t)t->m->nv;
  limb_scalar *dq = limb_trace_scalars(t, n * n), *dv = limb_trace_scalars(t, n * n);
  if (!dq || !dv) return LIMB_E_NOMEM;
  if (t->m->nv > LIMB_TRACE_SQUARE_MOST) return limb_trace_too_large(t, f);
  if (!has_sheet(t) && !can_derive(t->m)) return refuse(t, f);
  limb_trace_takes(t, f, 1U << INPUT_Q | 1U << INPUT_V | 1U << INPUT_A);
  limb_status s = LIMB_OK;
  if (has_sheet(t)) {
    const limb_kernels_symbol_motion in = {t->q, t->v, t->a, &t->terms, NULL, 0, NULL, 0};
    const limb_kernels_symbol_slopes out = {NULL, dq, dv, NULL};
    limb_trace_kernels.id_derivatives(t->m, t->k, &t->ws, &in, &out);
    s = put_inverse(t, f, dq, dv);
  }
  if (s != LIMB_OK || !can_derive(t->m)) return s;
  s = derived_inverse(t, dq, dv);
  return s == LIMB_OK ? put_inverse(t, f, dq, dv) : s;
}

limb_status limb_trace_forward_slopes(limb_tracer* t, limb_function* f)
{
  const size_t n = (size_t)t->m->nv;
  const limb_kernels_symbol_slopes out = {limb_trace_scalars(t, n), limb_trace_scalars(t, n * n),
                                          limb_trace_scalars(t, n * n), limb_trace_scalars(t, n * n)};
  if (!out.y || !out.dq || !out.dv || !out.dx) return LIMB_E_NOMEM;
  if (!has_sheet(t)) return refuse(t, f);
  if (t->m->nv > LIMB_TRACE_CUBE_MOST) return limb_trace_too_large(t, f);
  limb_trace_takes(t, f, 1U << INPUT_Q | 1U << INPUT_V | 1U << INPUT_TAU);
  const limb_kernels_symbol_motion in = {t->q, t->v, t->tau, &t->terms, NULL, 0, NULL, 0};
  limb_trace_kernels.fd_derivatives(t->m, t->k, &t->ws, &in, &out);
  limb_status s = limb_trace_matrix(t, f, "da_dq", "d a / d q", out.dq);
  if (s == LIMB_OK) s = limb_trace_matrix(t, f, "da_dv", "d a / d v", out.dv);
  return s == LIMB_OK ? limb_trace_matrix(t, f, "da_dtau", "d a / d tau: M^-1", out.dx) : s;
}
