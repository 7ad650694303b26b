// All batch kernels over one scalar type: the kernels for one state over lanes (kernel/batch_kernel.h), and what
// makes them fail. A translation unit may define LANE_BITS before; BATCH_KERNELS fills a table.
#ifndef LIMB_KERNEL_BATCH_SET_H
#define LIMB_KERNEL_BATCH_SET_H

#include "kernel/batch_kernel.h"
#include "kernel/step_kernel.h"

KERNEL void step_inverse_dynamics(const limb_batch_space* s, block_of_states* b)
{
  const limb_batch_job* job = b->job;
  const limb_model* m = job->m;
  real* tau = output_for(b, job->out[0], m->nv, s->y);
  const real* wrench = forces_on_links(s, b, b->q);
  set_inverse_dynamics(m, job->k, &b->ws, b->q, b->v, b->x, &job->terms, wrench, tau);
  check_results(b, m->nv, tau);
  store_lanes(b, job->out[0], m->nv, tau);
}
BATCH_KERNEL(inverse_dynamics)

// ---- mass matrix -----------------------------------------------------------------------------------------

KERNEL ptrdiff_t entries_of(const limb_model* m) { return (ptrdiff_t)m->nv * m->nv; }

KERNEL void step_mass_matrix(const limb_batch_space* s, block_of_states* b)
{
  const limb_batch_job* job = b->job;
  const limb_model* m = job->m;
  real* M = output_for(b, job->out[0], entries_of(m), s->matrix[0]);
  set_mass_matrix(m, job->k, &b->ws, b->q, M);
  real sum = zero(); // entries are bounded by the diagonal: M_ij^2 <= M_ii M_jj
  for (ptrdiff_t i = 0; i < entries_of(m); i += m->nv + 1) sum = add(sum, M[i]);
  if (__builtin_expect(any_nonfinite(1, &sum), 0)) b->overflow |= nonfinite_of(entries_of(m), M);
  store_lanes(b, job->out[0], entries_of(m), M);
}
BATCH_KERNEL(mass_matrix)

KERNEL void step_packed_mass_matrix(const limb_batch_space* s, block_of_states* b)
{
  const limb_batch_job* job = b->job;
  const limb_model* m = job->m;
  const ptrdiff_t count = (ptrdiff_t)m->elim.packed;
  real* M = output_for(b, job->out[0], count, s->matrix[0]);
  load_coordinates(m, job->k, &b->ws, b->q);
  put_packed_rows(m, job->k, &b->ws, M);
  check_results(b, count, M);
  store_lanes(b, job->out[0], count, M);
}
BATCH_KERNEL(packed_mass_matrix)

// Numbers of the same lane, smallest and largest.
typedef struct range {
  real min, max;
} range;

KERNEL range range_with(range r, real x) { return (range){lesser(r.min, x), neg(lesser(neg(r.max), neg(x)))}; }

// Lanes with a number that is not positive and finite, or zero but for rounding (limb_factors_positive).
KERNEL state_bits not_positive(range r)
{
  const state_bits zero_one = (state_bits)(r.min < scale(constant(LIMB_ZERO_PIVOT), r.max));
  return ~(state_bits)(r.min > (lane_value)0) | zero_one |
         nonfinite_lanes(nonfinite_carry(r.min) | nonfinite_carry(r.max));
}

KERNEL state_bits inverse_not_positive(const limb_model* m, const real* Minv)
{
  if (m->nv == 0) return (state_bits){0};
  range r = {Minv[0], Minv[0]};
  for (ptrdiff_t i = 0; i < entries_of(m); i += m->nv + 1) r = range_with(r, Minv[i]);
  return not_positive(r);
}

KERNEL state_bits factors_not_positive(const limb_model* m, const real* L)
{
  const limb_elimination* e = &m->elim;
  range r = {L[0], L[0]};
  for (int k = 0; k < m->nv; k++) r = range_with(r, L[e->row[k] + e->depth[k]]);
  return not_positive(r);
}

// Which states in doubt have a singular M: each of them is judged by itself. Floats have no digits left then.
static __attribute__((noinline, cold)) state_bits judged(const limb_batch_space* s, const block_of_states* b,
                                                         const real* q, state_bits suspicious)
{
  for (int l = 0; l < STATES && LANE_BITS == 64; l++) {
    if (!suspicious[l] || b->first + l >= b->job->n || b->nonfinite[l] || b->bad[l]) continue;
    const int nq = b->job->m->nq;
    double* own = s->d->probe_q + nq;
    for (int i = 0; i < nq; i++) own[i] = (double)q[i][l];
    if (s->is_regular(s->d, own, NULL)) suspicious[l] = 0;
  }
  return suspicious;
}

KERNEL state_bits not_above_zero(real min_pivot) { return ~(state_bits)(min_pivot > (lane_value)0); }

// The lanes where M is singular, from the margin of its pivots at q.
KERNEL state_bits singular_lanes(const limb_batch_space* s, const block_of_states* b, const real* q, real min_pivot)
{
  state_bits suspicious = not_above_zero(min_pivot);
  if (b->job->m->singular) suspicious = ~(state_bits){0};
  return __builtin_expect(any_bits(suspicious), 0) ? judged(s, b, q, suspicious) : suspicious;
}

KERNEL void step_mass_matrix_inverse(const limb_batch_space* s, block_of_states* b)
{
  const limb_batch_job* job = b->job;
  const limb_model* m = job->m;
  real* Minv = output_for(b, job->out[0], entries_of(m), s->matrix[0]);
  const real min_pivot = set_invert(m, job->k, &b->ws, b->q, s->matrix[1], Minv);
  b->singular = singular_lanes(s, b, b->q, min_pivot) | inverse_not_positive(m, Minv);
  if (!*b->ws.table.finite) b->overflow |= nonfinite_of(entries_of(m), Minv);
  store_lanes(b, job->out[0], entries_of(m), Minv);
}
BATCH_KERNEL(mass_matrix_inverse)

// ---- forward dynamics ------------------------------------------------------------------------------------

// States in doubt, one by one and in double, as limb_forward_dynamics does it: the factors of M keep digits that other
// methods lose, and floats have none left. Returns those that are singular.
static __attribute__((noinline, cold)) state_bits accelerate_doubtful(const limb_batch_space* s,
                                                                      const block_of_states* b, const real* q,
                                                                      const real* v, const real* wrench,
                                                                      state_bits doubt, real* a)
{
  const limb_model* m = b->job->m;
  limb_ws* ws = &s->d->ws;
  double *base = ws->base, *lq = s->lane, *lv = lq + m->nq, *lx = lv + m->nv, *la = lx + m->nv, *lw = la + m->nv;
  const int turns = ws->base_turns, forces = wrench ? LIMB_WS_FORCE * m->nlink : 0;
  const limb_kernels_motion in = {lq, lv, lx, &b->job->terms, NULL, 0, NULL, 0};
  ws->base = b->ws.base, ws->base_turns = b->ws.base_turns;
  for (int l = 0; l < STATES; l++) {
    if (!doubt[l] || b->first + l >= b->job->n || b->nonfinite[l] || b->bad[l]) continue;
    for (int i = 0; i < m->nq; i++) lq[i] = (double)q[i][l];
    for (int i = 0; i < m->nv; i++) lv[i] = (double)v[i][l], lx[i] = (double)b->x[i][l];
    for (int i = 0; i < forces; i++) lw[i] = (double)wrench[i][l];
    const limb_status status = s->accelerate(s->d, &in, wrench ? lw : NULL, la);
    if (status == LIMB_E_SINGULAR) continue;
    for (int i = 0; i < m->nv; i++) a[i][l] = (lane_value)la[i];
    doubt[l] = 0;
  }
  ws->base = base, ws->base_turns = turns;
  return doubt;
}

// Accelerations, by the method of limb_forward_dynamics; returns the lanes where M is singular.
KERNEL state_bits accelerations_of(const limb_batch_space* s, const block_of_states* b, const real* q, const real* v,
                                   real* a)
{
  const limb_batch_job* job = b->job;
  const limb_model* m = job->m;
  const real* wrench = forces_on_links(s, b, q);
  const bool chain = limb_is_short_chain(m);
  if (m->has_mimic) {
    real* packed = b->ws.packed;
    const real min_pivot = set_by_mass_matrix(m, job->k, &b->ws, q, v, b->x, &job->terms, wrench, packed, a);
    return singular_lanes(s, b, q, min_pivot) | factors_not_positive(m, packed);
  }
  const real min_pivot = chain ? set_forward_chain(m, job->k, &b->ws, q, v, b->x, &job->terms, wrench, a)
                               : set_aba(m, job->k, &b->ws, q, v, b->x, &job->terms, wrench, a);
  if (m->singular) return ~(state_bits){0};
  state_bits doubt = not_above_zero(min_pivot);
  const real sum = chain ? sum_of(m->nv, a, zero()) : zero();
  if (__builtin_expect(any_nonfinite(1, &sum), 0)) doubt |= nonfinite_of(m->nv, a);
  if (__builtin_expect(!any_bits(doubt), 1)) return doubt;
  return accelerate_doubtful(s, b, q, v, wrench, doubt, a);
}

KERNEL void step_forward_dynamics(const limb_batch_space* s, block_of_states* b)
{
  const limb_batch_job* job = b->job;
  const limb_model* m = job->m;
  real* a = output_for(b, job->out[0], m->nv, s->y);
  b->singular = accelerations_of(s, b, b->q, b->v, a);
  check_results(b, m->nv, a);
  store_lanes(b, job->out[0], m->nv, a);
}
BATCH_KERNEL(forward_dynamics)

// ---- derivatives -----------------------------------------------------------------------------------------

KERNEL motion_in motion_of(const limb_batch_space* s, const block_of_states* b)
{
  const limb_batch_job* job = b->job;
  return (motion_in){b->q, b->v, b->x, &job->terms, job->fixed, job->nfixed, s->loads, job->nvaried};
}

// Where the vector and the matrices go, those that are wanted.
KERNEL slopes outputs_for(const limb_batch_space* s, const block_of_states* b)
{
  const limb_batch_job* job = b->job;
  const ptrdiff_t n = entries_of(job->m);
  slopes r = {NULL, NULL, NULL, NULL};
  if (job->out[0]) r.y = output_for(b, job->out[0], job->m->nv, s->y);
  if (job->out[1]) r.dq = output_for(b, job->out[1], n, s->matrix[0]);
  if (job->out[2]) r.dv = output_for(b, job->out[2], n, s->matrix[1]);
  if (job->out[3]) r.dx = output_for(b, job->out[3], n, s->matrix[2]);
  return r;
}

// fine: all matrices are finite.
KERNEL void store_slopes(block_of_states* b, const slopes* r, bool fine)
{
  const limb_batch_job* job = b->job;
  const ptrdiff_t n = entries_of(job->m);
  real* const matrix[3] = {r->dq, r->dv, r->dx};
  if (r->y) check_results(b, job->m->nv, r->y);
  for (int k = 0; k < 3 && !fine; k++)
    if (matrix[k]) b->overflow |= nonfinite_of(n, matrix[k]);
  if (r->y) store_lanes(b, job->out[0], job->m->nv, r->y);
  for (int k = 0; k < 3; k++)
    if (matrix[k]) store_lanes(b, job->out[k + 1], n, matrix[k]);
}

KERNEL void step_id_derivatives(const limb_batch_space* s, block_of_states* b)
{
  const limb_batch_job* job = b->job;
  const motion_in in = motion_of(s, b);
  const slopes out = outputs_for(s, b);
  store_slopes(b, &out, set_id_derivatives(job->m, job->k, &b->ws, &in, &out));
}
BATCH_KERNEL(id_derivatives)

// Accelerations through the factors of M, and derivatives as set_fd_derivatives makes them; all of out but y must be
// there. Returns the smallest margin of a pivot.
KERNEL real fd_derivatives_of(const limb_batch_space* s, const block_of_states* b, const motion_in* in,
                              const slopes* out, bool* fine)
{
  const limb_model* m = b->job->m;
  const link_const* k = b->job->k;
  const limb_ws* ws = &b->ws;
  const context ctx = {m, k, ws};
  const limb_dof_table* t = &ws->table;
  const real* wrench = forces_on_links(s, b, in->q);
  real *a = out->y ? out->y : s->other, *packed = limb_ws_packed(m) > 0 ? ws->packed : out->dq;
  const real min_pivot = set_factor(m, k, ws, in->q, packed);
  set_loaded_inverse_dynamics(m, k, ws, in->v, no_acceleration(ctx), in->terms, wrench, a);
  for (int i = 0; i < m->nv; i++) a[i] = sub(in->x[i], a[i]);
  set_solve(m, ws, packed, a);
  *fine = LANE_KERNELS.invert(&m->elim, m->nv, packed, out->dx, t->work, t->list);
  const lane_in rows = {.q = dof_coordinates(m, t, in->q),
                        .v = in_compiled_order(m, in->v, ws->v),
                        .a = in_compiled_order(m, a, ws->a),
                        .base = ws->base,
                        .base_turns = ws->base_turns,
                        .keep = loads_of(in) > 0};
  const slopes by_state = {NULL, out->dq, out->dv, NULL};
  const lane_out to = {NULL, NULL, out->dq, out->dv};
  clear_matrix(m, out->dq), clear_matrix(m, out->dv);
  LANE_KERNELS.inverse(m, t, &rows, &to);
  other_slopes(ctx, in, rows.v, &by_state);
  const limb_elimination* tree = m->ncoupling > 0 ? NULL : &m->elim; // couplings join any two
  *fine &= LANE_KERNELS.take_product(tree, m->nv, out->dx, out->dq, t->work, t->list);
  *fine &= LANE_KERNELS.take_product(tree, m->nv, out->dx, out->dv, t->work, t->list);
  return min_pivot;
}

KERNEL void step_fd_derivatives(const limb_batch_space* s, block_of_states* b)
{
  const limb_batch_job* job = b->job;
  const motion_in in = motion_of(s, b);
  const slopes out = outputs_for(s, b);
  bool fine;
  const real min_pivot = fd_derivatives_of(s, b, &in, &out, &fine);
  b->singular = singular_lanes(s, b, b->q, min_pivot) | inverse_not_positive(job->m, out.dx);
  const state_bits doubt = not_above_zero(min_pivot);
  if (out.y && __builtin_expect(any_bits(doubt), 0)) {
    const real* wrench = forces_on_links(s, b, b->q);
    b->singular |= accelerate_doubtful(s, b, b->q, b->v, wrench, doubt & ~b->singular, out.y);
  }
  store_slopes(b, &out, fine);
}
BATCH_KERNEL(fd_derivatives)

KERNEL void step_coriolis_matrix(const limb_batch_space* s, block_of_states* b)
{
  const limb_batch_job* job = b->job;
  const limb_model* m = job->m;
  real* C = output_for(b, job->out[0], entries_of(m), s->matrix[0]);
  if (!set_coriolis_matrix(m, job->k, &b->ws, b->q, b->v, SLOPES_SKEW, C))
    b->overflow |= nonfinite_of(entries_of(m), C);
  store_lanes(b, job->out[0], entries_of(m), C);
}
BATCH_KERNEL(coriolis_matrix)

// ---- kinematics, regressors ------------------------------------------------------------------------------

// Poses of all links.
KERNEL void all_poses(const limb_batch_space* s, const block_of_states* b)
{
  set_link_motion(b->job->m, b->job->k, &b->ws, b->q, NULL, NULL, s->X, NULL, NULL, NULL);
}

KERNEL void step_frame_poses(const limb_batch_space* s, block_of_states* b)
{
  const limb_batch_job* job = b->job;
  const ptrdiff_t width = 12 * (ptrdiff_t)job->nframe;
  real* X = output_for(b, job->out[0], width, s->wide);
  all_poses(s, b);
  for (int f = 0; f < job->nframe; f++) {
    const limb_site site = limb_site_of(job->m, job->frame[f]);
    set_frame_pose(s->X, site.link, &site.in_link, X + 12 * (ptrdiff_t)f);
  }
  check_results(b, width, X);
  store_lanes(b, job->out[0], width, X);
}
BATCH_KERNEL(frame_poses)

KERNEL void step_frame_jacobian(const limb_batch_space* s, block_of_states* b)
{
  const limb_batch_job* job = b->job;
  const ptrdiff_t width = 6 * (ptrdiff_t)job->m->nv;
  real* J = output_for(b, job->out[0], width, s->wide);
  const limb_site site = limb_site_of(job->m, job->frame[0]);
  all_poses(s, b);
  set_frame_jacobian(job->m, job->k, s->X, site.link, &site.in_link, job->ref, J);
  check_results(b, width, J);
  store_lanes(b, job->out[0], width, J);
}
BATCH_KERNEL(frame_jacobian)

KERNEL void step_regressor(const limb_batch_space* s, block_of_states* b)
{
  const limb_batch_job* job = b->job;
  const ptrdiff_t width = (ptrdiff_t)job->m->nv * job->np;
  real* Y = output_for(b, job->out[0], width, s->regressor);
  const motion_in in = {b->q, b->v, b->x, &job->terms, NULL, 0, NULL, 0};
  if (!set_regressor(job->m, job->k, &b->ws, &in, job->np, Y)) b->overflow |= nonfinite_of(width, Y);
  store_lanes(b, job->out[0], width, Y);
}
BATCH_KERNEL(regressor)

// ---- steps in time ---------------------------------------------------------------------------------------

// Who asks for accelerations in the stages of a step.
typedef struct stage_context {
  const limb_batch_space* s;
  block_of_states* b;
} stage_context;

KERNEL void stage_accelerations(void* caller, const real* q, const real* v, real* a)
{
  const stage_context* x = caller;
  x->b->singular |= accelerations_of(x->s, x->b, q, v, a);
}

KERNEL void step_steps(const limb_batch_space* s, block_of_states* b)
{
  const limb_batch_job* job = b->job;
  const limb_model* m = job->m;
  stage_context x = {s, b};
  real *q = output_for(b, job->out[0], m->nq, s->q), *v = output_for(b, job->out[1], m->nv, s->v);
  for (int k = 0; k < job->steps->count; k++) rk4_step(m, job->steps->step, stage_accelerations, &x, q, v, s->stages);
  check_results(b, m->nq, q), check_results(b, m->nv, v);
  store_lanes(b, job->out[0], m->nq, q), store_lanes(b, job->out[1], m->nv, v);
}
BATCH_KERNEL(steps)

// ---- layouts ---------------------------------------------------------------------------------------------

KERNEL_ENTRY void batch_to_lanes(ptrdiff_t n, ptrdiff_t width, const void* rows, void* lanes)
{
  for (ptrdiff_t first = 0; first < n; first += STATES) {
    const state_block b = {width, first, n};
    states_to_whole_lanes(&b, rows, (real*)lanes + first / STATES * width);
  }
}

KERNEL_ENTRY void batch_to_rows(ptrdiff_t n, ptrdiff_t width, const void* lanes, void* rows)
{
  for (ptrdiff_t first = 0; first < n; first += STATES) {
    const state_block b = {width, first, n};
    whole_lanes_to_states(&b, (const real*)lanes + first / STATES * width, rows);
  }
}

#define BATCH_KERNELS                                                                                               \
  {                                                                                                                 \
    STATES, batch_to_lanes, batch_to_rows, batch_inverse_dynamics, batch_mass_matrix, batch_packed_mass_matrix,     \
      batch_mass_matrix_inverse, batch_forward_dynamics, batch_coriolis_matrix, batch_id_derivatives,               \
      batch_fd_derivatives, batch_frame_poses, batch_frame_jacobian, batch_regressor, batch_steps, NULL, NULL, NULL \
  }

#endif
