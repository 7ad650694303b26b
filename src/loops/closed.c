// The calls of limb/dynamics.h, limb/derivatives.h and limb/kinematics.h for robots with loops: the loops stay closed.
//
// Reference: Khalil 2010, (55)-(58), as corrected in docs/books.md; Ghosal 2010, (12)-(20).
//
//   y, p         independent velocities, dependent ones
//   v = G y      limb_velocity_map; Ghat is G with a zero column for each dependent velocity, nv x nv
//
// What a tree has per velocity, a robot with loops has per independent velocity; entries of the others are zero:
//
//   generalised forces   Ghat' tau        mass matrix   Ghat' M Ghat        Jacobian   J Ghat
//   bias forces          Ghat' (M g + h), with g the accelerations that remain when the independent ones are zero
//   Coriolis matrix      Ghat' (C Ghat + M dGhat/dt)

#include "loops/loops_impl.h"

#include "base/numeric.h"
#include "base/status.h"
#include "dynamics/dynamics_impl.h"
#include "dynamics/environment.h"
#include "kernel/tables.h"
#include "kinematics/kinematics_impl.h"
#include "linalg/dense.h"
#include "model/loop_calls.h"

#include <string.h>

// ---- settings and details -----------------------------------------------------------------------------------

limb_loops* limb_data_loops(limb_data* d) { return d ? d->loops : NULL; }

limb_status limb_set_loops(limb_data* d, const limb_loop_settings* settings)
{
  if (!d) return LIMB_E_ARG;
  if (!d->loops) return LIMB_OK;
  limb_loop_settings own = limb_default_loop_settings();
  if (settings) {
    limb_status s = limb_sized_read(&own, sizeof own, settings, sizeof own.size);
    if (s == LIMB_OK) s = limb_loop_solver_read(&settings->solver, &own.solver);
    if (s == LIMB_OK) s = limb_actuation_read(d->loops, &settings->actuation, &own.actuation);
    if (s == LIMB_OK && own.independent && !limb_given_valid(d->m, own.independent)) s = LIMB_E_ARG;
    if (s != LIMB_OK) return s;
  }
  d->loops->settings = own;
  d->loops->has_details = false;
  return LIMB_OK;
}

limb_status limb_get_loop_details(const limb_data* d, limb_loop_details* out)
{
  if (!d || !out) return LIMB_E_ARG;
  if (!d->loops || !d->loops->has_details) return LIMB_E_ORDER;
  *out = d->loops->details;
  return LIMB_OK;
}

limb_status limb_loop_options_at(const limb_loops* w, const limb_environment* env, limb_loop_options* out)
{
  *out = w->settings.solver.loops;
  out->time = 0;
  if (!env) return LIMB_OK;
  limb_environment e;
  const limb_status s = limb_environment_read(w->m, env, &e);
  out->time = e.time;
  return s;
}

// ---- inverse dynamics ---------------------------------------------------------------------------------------

static limb_status inverse_dynamics(limb_loops* w, const double* q, const double* v, const double* a,
                                    const limb_environment* env, double* tau)
{
  const limb_closed_motion in = {q, v, a, env};
  limb_loop_options o;
  limb_closed_forces out = {.as_tree = true};
  out.tau = tau;
  limb_status s = limb_loop_options_at(w, env, &o);
  if (s == LIMB_OK) s = limb_check_state(w->d, q, v, a);
  if (s != LIMB_OK) return s;
  if (w->settings.multipliers) out.lambda = w->lambda;
  s = limb_closed_inverse_dynamics(w->owner, &in, &w->settings.actuation, &o, &out);
  w->has_details = w->settings.multipliers || w->settings.report;
  if (w->has_details)
    w->details = (limb_loop_details){.lambda = out.lambda,
                                     .loop = -1,
                                     .unbalanced = out.unbalanced,
                                     .undriven = out.undriven,
                                     .overdriven = out.overdriven,
                                     .bounded = out.bounded};
  return s;
}

// ---- along the independent velocities -----------------------------------------------------------------------

static limb_status reduce(limb_loops* w, const double* q, int columns, double* x)
{
  const limb_status s = limb_constraints_at(w, q, NULL, 0, LIMB_NEED_PSI);
  return s == LIMB_OK ? limb_to_independent(w, columns, x) : s;
}

static limb_status bias_accelerations(limb_loops* w, const double* q, const double* v, double time, double* a)
{
  limb_loop_options o = w->settings.solver.loops;
  o.time = time;
  for (int k = 0; k < w->m->nv; k++) a[k] = 0;
  return limb_complete_accelerations(w->owner, q, v, w->settings.independent, &o, a);
}

static limb_status bias_accelerations_now(limb_loops* w, const double* q, const double* v, const double** a)
{
  *a = w->v4;
  if (w->has_prescribed) return LIMB_E_UNSUPPORTED; // they depend on time, which is not known here
  return bias_accelerations(w, q, v, 0, w->v4);
}

// Beyond what reduce_rate works in.
static sp_motion* columns(limb_loops* w) { return w->dense ? (sp_motion*)(void*)limb_dense_parts(w).part[3] : NULL; }

// Ghat' ID(q, v, g), rotors included, without friction, springs and wrenches
static limb_status bias_forces(limb_loops* w, const double* q, const double* v, const limb_environment* env,
                               double* tau)
{
  static const limb_terms rotors = {.rotors = true};
  const limb_model* m = w->d->m;
  limb_loop_options o;
  limb_call_environment x;
  limb_status s = limb_loop_options_at(w, env, &o);
  if (s == LIMB_OK) s = bias_accelerations(w, q, v, o.time, w->v4);
  if (s == LIMB_OK) s = limb_enter(w->d, env, NULL, NULL, &x);
  if (s != LIMB_OK) return s;
  limb_kernels_of(w->d)->inverse_dynamics(m, m->k64, &w->d->ws, q, v, w->v4, &rotors, NULL, tau);
  s = reduce(w, q, 1, tau);
  if (s != LIMB_OK) return s;
  return limb_finite(m->nv, tau) ? LIMB_OK : LIMB_E_NONFINITE;
}

static limb_status mass_matrix(limb_loops* w, const double* q, double* M)
{
  const int n = w->m->nv;
  limb_status s = limb_mass_matrix(w->d, q, M);
  if (s == LIMB_OK) s = reduce(w, q, n, M);
  if (s != LIMB_OK) return s;
  limb_transpose(n, n, M);
  s = limb_to_independent(w, n, M);
  if (s != LIMB_OK) return s;
  return limb_finite((ptrdiff_t)n * n, M) ? LIMB_OK : LIMB_E_NONFINITE;
}

// The block of the independent velocities of M, at its beginning: ny x ny. w->chosen marks them. Returns ny.
static int pack(const limb_loops* w, double* M)
{
  const ptrdiff_t n = w->m->nv;
  ptrdiff_t at = 0, ny = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    if (!w->chosen[i]) continue;
    for (ptrdiff_t j = 0; j < n; j++)
      if (w->chosen[j]) M[at++] = M[i * n + j];
    ny++;
  }
  return (int)ny;
}

static void unpack(const limb_loops* w, int ny, double* M)
{
  const ptrdiff_t n = w->m->nv;
  ptrdiff_t at = (ptrdiff_t)ny * ny;
  for (ptrdiff_t i = n - 1; i >= 0; i--) {
    for (ptrdiff_t j = n - 1; j >= 0; j--) M[i * n + j] = w->chosen[i] && w->chosen[j] ? M[--at] : 0;
  }
}

static limb_status mass_matrix_inverse(limb_loops* w, const double* q, double* Minv)
{
  if (!w->dense) return LIMB_E_UNSUPPORTED;
  const limb_status s = mass_matrix(w, q, w->dense);
  if (s != LIMB_OK) return s;
  const int ny = pack(w, w->dense);
  if (w->m->singular || !limb_cholesky(ny, w->dense)) return LIMB_E_SINGULAR;
  limb_cholesky_inverse(ny, w->dense, Minv);
  unpack(w, ny, Minv);
  return limb_finite((ptrdiff_t)w->m->nv * w->m->nv, Minv) ? LIMB_OK : LIMB_E_NONFINITE;
}

static limb_status mass_matrix_solve(limb_loops* w, const double* q, int count, const double* B, double* X)
{
  if (!w->dense) return LIMB_E_UNSUPPORTED;
  const limb_status s = mass_matrix(w, q, w->dense);
  if (s != LIMB_OK) return s;
  const ptrdiff_t n = w->m->nv;
  const int ny = pack(w, w->dense);
  double* y = w->v1;
  if (w->m->singular || !limb_cholesky(ny, w->dense)) return LIMB_E_SINGULAR;
  for (ptrdiff_t r = 0; r < count; r++) {
    int k = 0;
    for (ptrdiff_t i = 0; i < n; i++)
      if (w->chosen[i]) y[k++] = B[r * n + i];
    limb_cholesky_solve(ny, w->dense, y);
    k = 0;
    for (ptrdiff_t i = 0; i < n; i++) X[r * n + i] = w->chosen[i] ? y[k++] : 0;
    if (!limb_finite(n, X + r * n)) return LIMB_E_NONFINITE;
  }
  return LIMB_OK;
}

// ---- rates --------------------------------------------------------------------------------------------------

// Columns of dGhat/dt at v, as rows: count x nv, for the independent velocities in their order. With ' for d/dt,
//   Psi G = 0, so Psi G' = -Psi' G
// G: nv x ny (limb_velocity_map)
static limb_status map_rate(limb_loops* w, const double* q, const double* v, int ny, const double* G, double* rate)
{
  const ptrdiff_t n = w->m->nv;
  const double tolerance = w->settings.solver.loops.tolerance;
  const limb_loop_point point = {{q, v, w->d->zeros, NULL}, NULL};
  const limb_directions along = {.count = 1, .dq = v};
  double *z = w->v4, *right = w->r3;
  limb_status s = LIMB_OK;
  for (ptrdiff_t d = 0; s == LIMB_OK && d < ny; d++) {
    for (ptrdiff_t i = 0; i < n; i++) z[i] = G[i * ny + d];
    const limb_loop_changes out = {.dPsi_z = right, .z = z};
    s = limb_loop_along(w, w->dual, &point, &along, &out);
    memset(rate + d * n, 0, (size_t)n * sizeof *rate);
    if (s == LIMB_OK) s = limb_follow_constraints(w, 1, tolerance, right, rate + d * n);
  }
  return s;
}

static limb_status reduce_rate(limb_loops* w, const double* q, const double* v, int columns, const double* x,
                               double* rate)
{
  if (!w->dense) return LIMB_E_UNSUPPORTED;
  const ptrdiff_t n = w->m->nv;
  const limb_dense dense = limb_dense_parts(w);
  double *G = dense.part[0], *Gdot = dense.part[1];
  int ny = 0;
  limb_status s = limb_velocity_map(w->owner, q, w->settings.independent, &w->settings.solver.loops, &ny, G);
  if (s == LIMB_OK) s = map_rate(w, q, v, ny, G, Gdot);
  if (s == LIMB_OK) s = reduce(w, q, columns, rate);
  if (s != LIMB_OK) return s;
  ptrdiff_t d = 0;
  for (ptrdiff_t y = 0; y < n; y++) {
    if (!w->chosen[y]) continue;
    for (ptrdiff_t i = 0; i < n; i++) {
      for (ptrdiff_t c = 0; c < columns; c++) rate[y * columns + c] += Gdot[d * n + i] * x[i * columns + c];
    }
    d++;
  }
  return LIMB_OK;
}

// Ghat' (C Ghat + M dGhat/dt): (Ghat' (C' Ghat ...)')' by the steps above
static limb_status coriolis_matrix(limb_loops* w, const double* q, const double* v, double* C)
{
  if (!w->dense) return LIMB_E_UNSUPPORTED;
  const ptrdiff_t n = w->m->nv;
  double* M = limb_dense_parts(w).part[2];
  limb_status s = limb_coriolis_matrix(w->d, q, v, C);
  if (s == LIMB_OK) s = limb_mass_matrix(w->d, q, M);
  if (s != LIMB_OK) return s;
  limb_transpose((int)n, (int)n, C);
  s = reduce_rate(w, q, v, (int)n, M, C); // (C Ghat + M dGhat/dt)', M being symmetric
  if (s != LIMB_OK) return s;
  limb_transpose((int)n, (int)n, C);
  s = limb_to_independent(w, (int)n, C);
  if (s != LIMB_OK) return s;
  return limb_finite(n * n, C) ? LIMB_OK : LIMB_E_NONFINITE;
}

// ---- loads --------------------------------------------------------------------------------------------------

static limb_status loads_of(limb_loops* w, const limb_loop_motion* motion, limb_ref ref, sp_force* joint,
                            sp_force* loop)
{
  const limb_closed_motion in = {motion->q, motion->v, motion->a, motion->env};
  const double* lambda = motion->lambda ? motion->lambda : w->lambda;
  limb_loop_options o;
  limb_closed_forces out = {.lambda = w->lambda, .as_tree = true};
  limb_status s = limb_loop_options_at(w, in.env, &o);
  if (s == LIMB_OK) s = limb_check_state(w->d, in.q, in.v, in.a);
  if (s == LIMB_OK && !motion->lambda)
    s = limb_closed_inverse_dynamics(w->owner, &in, &w->settings.actuation, &o, &out);
  return s == LIMB_OK ? limb_closed_loads(w->owner, &in, lambda, ref, &o, joint, loop) : s;
}

static limb_status joint_reactions(limb_loops* w, const double* q, const double* v, const double* a,
                                   const limb_environment* env, limb_ref ref, sp_force* f)
{
  const limb_loop_motion motion = {.q = q, .v = v, .a = a, .env = env};
  return loads_of(w, &motion, ref, f, NULL);
}

limb_status limb_loop_loads(limb_data* d, const limb_loop_motion* motion, limb_ref ref, sp_force* joint, sp_force* loop)
{
  if (!d || !motion || !motion->q || !motion->v || !motion->a || !limb_ref_valid(ref)) return LIMB_E_ARG;
  if (d->loops) return loads_of(d->loops, motion, ref, joint, loop);
  return joint ? limb_joint_reactions(d, motion->q, motion->v, motion->a, motion->env, ref, joint) : LIMB_OK;
}

// ---- derivatives --------------------------------------------------------------------------------------------

// nv x ny, for the independent velocities, becomes nv x nv.
static void spread(const limb_loops* w, int ny, double* x)
{
  const ptrdiff_t n = w->m->nv;
  ptrdiff_t at = n * ny;
  for (ptrdiff_t i = n - 1; x && i >= 0; i--) {
    for (ptrdiff_t j = n - 1; j >= 0; j--) x[i * n + j] = w->chosen[j] ? x[--at] : 0;
  }
}

// The independent velocities of a call, marked in w->chosen.
static limb_status choose(limb_loops* w, const double* q, const limb_loop_options* o)
{
  if (!w->settings.independent) return limb_independent_velocities(w->owner, q, o, w->chosen);
  memcpy(w->chosen, w->settings.independent, (size_t)w->m->nv);
  return LIMB_OK;
}

static limb_status inverse_dynamics_derivatives(limb_loops* w, const double* q, const double* v, const double* a,
                                                const limb_environment* env, const limb_id_derivatives* out)
{
  if (!w->dense) return LIMB_E_UNSUPPORTED;
  const limb_closed_motion in = {q, v, a, env};
  const limb_closed_inverse_derivatives x = {out->tau, out->dtau_dq, out->dtau_dv, out->M};
  limb_loop_options o;
  int ny = 0;
  limb_status s = limb_loop_options_at(w, env, &o);
  if (s == LIMB_OK) s = limb_check_state(w->d, q, v, a);
  if (s == LIMB_OK) s = choose(w, q, &o);
  if (s == LIMB_OK) s = limb_closed_inverse_dynamics_derivatives(w->owner, w->dual, &in, w->chosen, &o, &ny, &x);
  if (s != LIMB_OK) return s;
  spread(w, ny, out->dtau_dq), spread(w, ny, out->dtau_dv), spread(w, ny, out->M);
  return LIMB_OK;
}

static limb_status forward_dynamics_derivatives(limb_loops* w, const double* q, const double* v, const double* tau,
                                                const limb_environment* env, const limb_fd_derivatives* out)
{
  if (!w->dense) return LIMB_E_UNSUPPORTED;
  const limb_closed_motion in = {q, v, NULL, env};
  const limb_closed_derivatives x = {
    .a = out->acc, .da_dq = out->dacc_dq, .da_dv = out->dacc_dv, .da_dtau = out->dacc_dtau};
  limb_loop_solver o = w->settings.solver;
  if (o.alpha != 0 || o.beta != 0) return LIMB_E_UNSUPPORTED;
  const limb_status s = limb_loop_options_at(w, env, &o.loops);
  return s == LIMB_OK ? limb_closed_forward_dynamics_derivatives(w->owner, w->dual, &in, tau, &o, &x) : s;
}

// X = A B' for A, X nv x nv and B ny x nv, in columns of the independent velocities; others are zero. work: nv
static void times_rows(const limb_loops* w, const double* A, const double* B, double* work, double* X)
{
  const ptrdiff_t n = w->m->nv;
  for (ptrdiff_t i = 0; i < n; i++) {
    memcpy(work, A + i * n, (size_t)n * sizeof *work);
    ptrdiff_t d = 0;
    for (ptrdiff_t j = 0; j < n; j++) X[i * n + j] = w->chosen[j] ? limb_dot((size_t)n, work, B + n * d++) : 0;
  }
}

static void clear_dependent(const limb_loops* w, double* A)
{
  const ptrdiff_t n = w->m->nv;
  for (ptrdiff_t i = 0; i < n; i++)
    if (!w->chosen[i]) memset(A + i * n, 0, (size_t)n * sizeof *A);
}

// With E for the rows of independent velocities, v = G y' and dv_d = (dG/dy_d) y':
//   d y'' / dy = E (da/dq G + da/dv dv/dy)      d y'' / dy' = E da/dv G      d y'' / dtau = E da/dtau
static limb_status close_derivatives(limb_loops* w, const double* q, const double* v, const limb_environment* env,
                                     double* da_dq, double* da_dv, double* da_dtau)
{
  if (!w->dense) return LIMB_E_UNSUPPORTED;
  const ptrdiff_t n = w->m->nv;
  const limb_dense dense = limb_dense_parts(w);
  double *G = dense.part[0], *dq = dense.part[1], *dv = dense.part[2], *right = dense.part[3], *sum = dense.part[4];
  limb_loop_options o;
  int ny = 0;
  limb_status s = limb_loop_options_at(w, env, &o);
  if (s == LIMB_OK) s = choose(w, q, &o);
  if (s == LIMB_OK) s = limb_velocity_map(w->owner, q, w->chosen, &o, &ny, G);
  if (s != LIMB_OK) return s;
  for (ptrdiff_t d = 0; d < ny; d++)
    for (ptrdiff_t i = 0; i < n; i++) dq[d * n + i] = G[i * ny + d];
  const limb_loop_point point = {{q, v, w->d->zeros, NULL}, NULL};
  const limb_directions along = {.count = ny, .dq = dq};
  const limb_loop_changes out = {.dPsi_z = right, .z = v};
  s = limb_loop_along(w, w->dual, &point, &along, &out);
  memset(dv, 0, (size_t)(n * ny) * sizeof *dv);
  if (s == LIMB_OK) s = limb_follow_constraints(w, ny, o.tolerance, right, dv);
  if (s != LIMB_OK) return s;
  times_rows(w, da_dv, dv, w->v1, sum);
  times_rows(w, da_dq, dq, w->v1, da_dq);
  for (ptrdiff_t k = 0; k < n * n; k++) da_dq[k] += sum[k];
  times_rows(w, da_dv, dq, w->v1, da_dv);
  clear_dependent(w, da_dq), clear_dependent(w, da_dv), clear_dependent(w, da_dtau);
  return LIMB_OK;
}

// ---- forces from outside ------------------------------------------------------------------------------------

static limb_status drive(limb_loops* w, const double* q, int columns, double* x)
{
  const ptrdiff_t n = w->m->nv;
  limb_closed_forces out = {.as_tree = true};
  limb_status s = limb_constraints_at(w, q, NULL, 0, LIMB_NEED_PSI);
  for (ptrdiff_t c = 0; s == LIMB_OK && c < columns; c++) {
    for (ptrdiff_t i = 0; i < n; i++) w->v1[i] = x[i * columns + c];
    s = limb_share_torques(w, &w->settings.actuation, w->settings.solver.loops.tolerance, w->v1, w->v2, &out);
    for (ptrdiff_t i = 0; i < n; i++) x[i * columns + c] = w->v2[i];
  }
  return s;
}

static limb_status rows(const limb_model* m, const double* q, double* Psi)
{
  limb_data* d;
  limb_memory memory;
  limb_loop_equations out = {0};
  out.Psi = Psi;
  limb_status s = limb_memory_take(&m->alloc, limb_data_lean_size(m), &memory);
  if (s != LIMB_OK) return s;
  s = limb_data_init_lean(m, memory.block, memory.size, &d);
  if (s == LIMB_OK) s = limb_loop_equations_at(d, q, NULL, NULL, &out);
  limb_memory_end(memory);
  return s;
}

// Ghat (Ghat' M Ghat)^-1 Ghat' f
static limb_status accelerate(limb_loops* w, const double* q, int columns, double* x)
{
  if (!w->dense) return LIMB_E_UNSUPPORTED;
  const ptrdiff_t n = w->m->nv;
  double *f = w->v2, *y = w->v3;
  limb_status s = mass_matrix(w, q, w->dense);
  if (s != LIMB_OK) return s;
  const int ny = pack(w, w->dense);
  if (w->m->singular || !limb_cholesky(ny, w->dense)) return LIMB_E_SINGULAR;
  for (ptrdiff_t c = 0; s == LIMB_OK && c < columns; c++) {
    for (ptrdiff_t i = 0; i < n; i++) f[i] = x[i * columns + c];
    s = limb_to_independent(w, 1, f);
    int k = 0;
    for (ptrdiff_t i = 0; i < n; i++)
      if (w->chosen[i]) y[k++] = f[i];
    limb_cholesky_solve(ny, w->dense, y);
    k = 0;
    for (ptrdiff_t i = 0; i < n; i++) f[i] = w->chosen[i] ? y[k++] : 0;
    if (s == LIMB_OK) s = limb_from_independent(w, f);
    for (ptrdiff_t i = 0; i < n; i++) x[i * columns + c] = f[i];
  }
  return s;
}

const limb_loop_calls limb_loop_calls_closed = {.size = limb_loops_size,
                                                .init = limb_loops_init,
                                                .inverse_dynamics = inverse_dynamics,
                                                .forward_dynamics = limb_forward_dynamics_closed,
                                                .bias_forces = bias_forces,
                                                .mass_matrix = mass_matrix,
                                                .mass_matrix_inverse = mass_matrix_inverse,
                                                .mass_matrix_solve = mass_matrix_solve,
                                                .coriolis_matrix = coriolis_matrix,
                                                .joint_reactions = joint_reactions,
                                                .inverse_dynamics_derivatives = inverse_dynamics_derivatives,
                                                .forward_dynamics_derivatives = forward_dynamics_derivatives,
                                                .close_derivatives = close_derivatives,
                                                .reduce = reduce,
                                                .reduce_rate = reduce_rate,
                                                .bias_accelerations = bias_accelerations_now,
                                                .columns = columns,
                                                .rows = rows,
                                                .drive = drive,
                                                .accelerate = accelerate};
