// Computations of quantities: robots with loops, the loops closed (limb/loops.h, limb/closed.h).
//
// Matrices have the size that they have for trees. With G of limb_velocity_map, v = G v_i + ..., the rows and columns
// of independent velocities hold G' X G, and those of dependent ones are zero:
//
//     M = G' M_tree G     h = G' (h_tree + M_tree a_0)     J = J_tree G     a_0: accelerations with a_i = 0
#include "limb/assemble.h"

#include "quantities/evaluator_impl.h"

#include <math.h>
#include <string.h>

double limb_closed_vectors(const limb_evaluator* e)
{
  const int joints = limb_joint_count(e->model), loops = limb_loop_count(e->model);
  return 8.0 * e->nv + 2.0 * e->nc + 6.0 * (joints > loops ? joints : loops);
}

double limb_closed_matrices(const limb_evaluator* e)
{
  const double nv = e->nv;
  return limb_closed_vectors(e) + 3 * nv * nv + nv * e->nc + 18 * nv;
}

static limb_closed_options closed_options_of(const limb_lane* w)
{
  limb_closed_options o = limb_default_closed_options();
  o.loops = limb_lane_loop_options(w);
  o.method = w->e->options.method;
  return o;
}

static const char* loop_name(const limb_lane* w, int loop)
{
  limb_loop_info x;
  return limb_get_loop(w->e->model, loop, &x) == LIMB_OK ? x.def.name : "?";
}

// ---- what follows from what -----------------------------------------------------------------------------

// Marks of the independent velocities, in the first numbers of the scratch.
static limb_status independent(limb_lane* w, unsigned char** marks)
{
  const limb_loop_options o = limb_lane_loop_options(w);
  *marks = (unsigned char*)w->work;
  return limb_independent_velocities(w->loops, w->q, &o, *marks);
}

limb_status limb_eval_independent(limb_lane* w, double* x)
{
  unsigned char* marks = NULL;
  const limb_status s = independent(w, &marks);
  for (int k = 0; k < w->e->nv && s == LIMB_OK; k++) x[k] = marks[k];
  return s;
}

// ---- reduction to the independent velocities --------------------------------------------------------------

typedef struct reduction {
  const unsigned char* mark; // nv
  int ny;
  double *G, *S, *T; // nv x ny; scratch of nv x nv numbers each
  double* y;         // 6 nv: scratch
} reduction;

static limb_status reduce(limb_lane* w, reduction* r)
{
  const size_t nv = (size_t)w->e->nv;
  const limb_loop_options o = limb_lane_loop_options(w);
  unsigned char* mark = NULL;
  const limb_status s = independent(w, &mark);
  r->mark = mark;
  r->y = w->work + nv;
  r->G = w->work + (size_t)limb_closed_vectors(w->e);
  r->S = r->G + nv * nv;
  r->T = r->S + nv * nv;
  return s == LIMB_OK ? limb_velocity_map(w->loops, w->q, mark, &o, &r->ny, r->G) : s;
}

// x (nv) = G' f, padded.
static void project(const limb_lane* w, const reduction* r, const double* f, double* x)
{
  const size_t nv = (size_t)w->e->nv, ny = (size_t)r->ny;
  size_t j = 0;
  for (size_t k = 0; k < nv; k++) {
    x[k] = 0;
    if (!r->mark[k]) continue;
    for (size_t i = 0; i < nv; i++) x[k] += r->G[i * ny + j] * f[i];
    j++;
  }
}

// x (rows x nv) = A G, padded; A is rows x nv.
static void times_G(const limb_lane* w, const reduction* r, size_t rows, const double* A, double* x)
{
  const size_t nv = (size_t)w->e->nv, ny = (size_t)r->ny;
  memset(x, 0, rows * nv * sizeof *x);
  for (size_t i = 0; i < rows; i++) {
    size_t j = 0;
    for (size_t k = 0; k < nv; k++) {
      if (!r->mark[k]) continue;
      for (size_t l = 0; l < nv; l++) x[i * nv + k] += A[i * nv + l] * r->G[l * ny + j];
      j++;
    }
  }
}

limb_status limb_eval_closed_M(limb_lane* w, double* x)
{
  const size_t nv = (size_t)w->e->nv;
  reduction r = {0};
  limb_status s = reduce(w, &r);
  if (s == LIMB_OK) s = limb_mass_matrix(w->data, w->q, r.S);
  if (s != LIMB_OK) return s;
  times_G(w, &r, nv, r.S, r.T); // M G
  for (size_t k = 0; k < nv; k++) {
    for (size_t i = 0; i < nv; i++) r.y[i] = r.T[i * nv + k];
    project(w, &r, r.y, r.y + nv);
    for (size_t i = 0; i < nv; i++) x[i * nv + k] = r.y[nv + i];
  }
  return s;
}

// a_0: accelerations of all joints at velocities v when the independent ones are zero.
static limb_status velocity_accelerations(limb_lane* w, const reduction* r, const double* v, double* a)
{
  const limb_loop_options o = limb_lane_loop_options(w);
  memset(a, 0, (size_t)w->e->nv * sizeof *a);
  return limb_complete_accelerations(w->loops, w->q, v, r->mark, &o, a);
}

// h (nv) = G' (h_tree + M_tree a_0) at velocities v, with gravity or without. Uses 3 nv numbers of r->y.
static limb_status bias(limb_lane* w, const reduction* r, const double* v, int gravity, double* h)
{
  const size_t nv = (size_t)w->e->nv;
  double *a = r->y, *tau = a + nv, *springs = tau + nv;
  limb_environment env;
  limb_status s = limb_copy_environment(w->e->model, w->env, &env);
  env.nwrench = 0, env.nlaw = 0, env.friction = 0;
  if (!gravity) env.gravity = sp_v3(0, 0, 0);
  if (s == LIMB_OK) s = velocity_accelerations(w, r, v, a);
  if (s == LIMB_OK) s = limb_inverse_dynamics(w->data, w->q, v, a, &env, tau);
  if (s == LIMB_OK) s = limb_spring_forces(w->data, w->q, springs);
  for (size_t k = 0; k < nv; k++) tau[k] -= springs[k];
  if (s == LIMB_OK) project(w, r, tau, h);
  return s;
}

limb_status limb_eval_closed_h(limb_lane* w, double* x)
{
  reduction r = {0};
  const limb_status s = reduce(w, &r);
  return s == LIMB_OK ? bias(w, &r, w->v, 1, x) : s;
}

limb_status limb_eval_closed_g(limb_lane* w, double* x)
{
  reduction r = {0};
  limb_status s = reduce(w, &r);
  if (s == LIMB_OK) s = limb_gravity_forces(w->data, w->q, w->env, r.y);
  if (s == LIMB_OK) project(w, &r, r.y, x);
  return s;
}

// Half of the derivative of the velocity forces c, which are quadratic in v, by polarisation:
//   C_j = (c(v + G_j) - c(v) - c(G_j) + c(0)) / 2
limb_status limb_eval_closed_C(limb_lane* w, double* x)
{
  const size_t nv = (size_t)w->e->nv;
  reduction r = {0};
  limb_status s = reduce(w, &r);
  if (s != LIMB_OK) return s;
  const size_t ny = (size_t)r.ny;
  double *at_v = r.S, *at_0 = at_v + nv, *at_w = at_0 + nv, *at_sum = at_w + nv, *u = at_sum + nv;
  s = bias(w, &r, w->v, 0, at_v);
  if (s == LIMB_OK) s = bias(w, &r, w->zero, 0, at_0);
  memset(x, 0, nv * nv * sizeof *x);
  for (size_t k = 0, j = 0; k < nv && s == LIMB_OK; k++) {
    if (!r.mark[k]) continue;
    for (size_t i = 0; i < nv; i++) u[i] = r.G[i * ny + j];
    s = bias(w, &r, u, 0, at_w);
    for (size_t i = 0; i < nv; i++) u[i] += w->v[i];
    if (s == LIMB_OK) s = bias(w, &r, u, 0, at_sum);
    for (size_t i = 0; i < nv; i++) x[i * nv + k] = 0.5 * (at_sum[i] - at_v[i] - at_w[i] + at_0[i]);
    j++;
  }
  return s;
}

// ---- frames ---------------------------------------------------------------------------------------------

limb_status limb_eval_closed_J(limb_lane* w, double* x)
{
  const size_t nv = (size_t)w->e->nv;
  reduction r = {0};
  limb_status s = reduce(w, &r);
  sp_motion* J = (sp_motion*)(void*)(r.T + nv * nv);
  double* rows = (double*)(J + nv);
  if (s == LIMB_OK) s = limb_frame_jacobian(w->data, w->frame, w->ref, J);
  s = limb_put_columns(s, J, nv, rows);
  if (s == LIMB_OK) times_G(w, &r, 6, rows, x);
  return s;
}

// acceleration - J a: what is left when the independent accelerations are zero.
limb_status limb_eval_closed_Jdotv(limb_lane* w, double* x)
{
  const size_t nv = (size_t)w->e->nv;
  sp_motion m = {{0, 0, 0}, {0, 0, 0}};
  reduction r = {0};
  limb_status s = reduce(w, &r);
  sp_motion* J = (sp_motion*)(void*)(r.T + nv * nv);
  if (s == LIMB_OK) s = velocity_accelerations(w, &r, w->v, r.y);
  if (s == LIMB_OK) s = limb_frame_jacobian(w->data, w->frame, w->ref, J);
  if (s == LIMB_OK) s = limb_frame_jacobian_rate_times_v(w->data, w->frame, w->ref, &m);
  for (size_t k = 0; k < nv && s == LIMB_OK; k++) m = sp_addm(m, sp_scalem(r.y[k], J[k]));
  return limb_put_columns(s, &m, 1, x);
}

// ---- forces and accelerations -----------------------------------------------------------------------------

static limb_closed_motion motion_of(const limb_lane* w) { return (limb_closed_motion){w->q, w->v, w->a, w->env}; }

// Motions that have no motor at the start either are counted, not refused; others are a singularity.
static limb_status solve_inverse(limb_lane* w)
{
  const limb_loop_options o = limb_lane_loop_options(w);
  const limb_closed_motion in = motion_of(w);
  const int allowed = w->e->options.tau_is_given ? w->e->nv : w->e->undriven;
  limb_closed_forces f = {.tau = w->inverse.x, .lambda = w->inverse.lambda};
  const limb_status s = limb_closed_inverse_dynamics(w->loops, &in, NULL, &o, &f);
  if (f.overdriven > w->facts.overdriven) w->facts.overdriven = f.overdriven;
  if (s != LIMB_E_SINGULAR) return s;
  if (f.undriven > 0 && f.undriven <= allowed) {
    w->facts.unbalanced = fmax(w->facts.unbalanced, f.unbalanced);
    return LIMB_OK;
  }
  if (f.undriven == 0) return limb_because(w, s, "no torques of the motors balance this motion");
  return limb_because(w, s, "%d motion%s here that no motor drives; %.3g of the forces is left without balance",
                      f.undriven, f.undriven == 1 ? "" : "s", f.unbalanced);
}

static limb_status solve_forward(limb_lane* w)
{
  const limb_closed_motion in = motion_of(w);
  const limb_closed_options o = closed_options_of(w);
  limb_closed_report report = {.loop = -1};
  const limb_status s =
    limb_closed_forward_dynamics(w->loops, &in, w->tau, &o, w->forward.x, w->forward.lambda, &report);
  if (report.redundant > w->facts.redundant) w->facts.redundant = report.redundant;
  if (s == LIMB_OK || report.loop < 0) return s;
  return limb_because(w, s, "%.3g is left of the accelerations of loop '%.64s'", report.residual,
                      loop_name(w, report.loop));
}

// Once per state, whatever many quantities ask.
static limb_status inverse(limb_lane* w)
{
  if (!w->inverse.known) {
    w->inverse.status = solve_inverse(w);
    memcpy(w->inverse.because, w->because, sizeof w->because);
  }
  memcpy(w->because, w->inverse.because, sizeof w->because);
  w->inverse.known = 1;
  return w->inverse.status;
}

static limb_status forward(limb_lane* w)
{
  if (!w->forward.known) {
    w->forward.status = solve_forward(w);
    memcpy(w->forward.because, w->because, sizeof w->because);
  }
  memcpy(w->because, w->forward.because, sizeof w->because);
  w->forward.known = 1;
  return w->forward.status;
}

limb_status limb_eval_closed_tau(limb_lane* w, double* x)
{
  if (w->e->options.tau_is_given) return limb_eval_tau(w, x);
  const limb_status s = inverse(w);
  memcpy(x, w->inverse.x, (size_t)w->e->nv * sizeof *x);
  return s;
}

limb_status limb_eval_closed_acc(limb_lane* w, double* x)
{
  const limb_status s = forward(w);
  memcpy(x, w->forward.x, (size_t)w->e->nv * sizeof *x);
  return s;
}

// Multipliers of the state's motion, or of the one that its forces cause. *in is that motion.
static limb_status multipliers(limb_lane* w, const double** lambda, limb_closed_motion* in)
{
  *in = motion_of(w);
  *lambda = w->lambda ? w->lambda : w->a ? w->inverse.lambda : w->forward.lambda;
  if (w->lambda) return LIMB_OK;
  if (w->a) return inverse(w);
  in->a = w->forward.x;
  return forward(w);
}

limb_status limb_eval_lambda(limb_lane* w, double* x)
{
  const double* lambda = NULL;
  limb_closed_motion in;
  const limb_status s = multipliers(w, &lambda, &in);
  memcpy(x, lambda, (size_t)w->e->nc * sizeof *x);
  return s;
}

// Of the joints, or of the loops: count of them.
static limb_status loads(limb_lane* w, int of_joints, int count, double* x)
{
  const limb_loop_options o = limb_lane_loop_options(w);
  const double* lambda = NULL;
  sp_force* f = (sp_force*)(void*)w->work;
  limb_closed_motion in;
  limb_status s = multipliers(w, &lambda, &in);
  if (s == LIMB_OK)
    s = limb_closed_loads(w->loops, &in, lambda, w->ref, &o, of_joints ? f : NULL, of_joints ? NULL : f);
  return limb_put_forces(s, f, count, x);
}

limb_status limb_eval_closed_reactions(limb_lane* w, double* x)
{
  return loads(w, 1, limb_joint_count(w->e->model), x);
}

limb_status limb_eval_loop_loads(limb_lane* w, double* x) { return loads(w, 0, limb_loop_count(w->e->model), x); }

// ---- derivatives ----------------------------------------------------------------------------------------

static limb_status forward_derivatives(limb_lane* w, limb_closed_derivatives out)
{
  const limb_closed_motion in = {w->q, w->v ? w->v : w->zero, NULL, w->env};
  const limb_closed_options o = closed_options_of(w);
  const double* tau = w->tau ? w->tau : w->zero;
  const limb_status s = limb_closed_forward_dynamics_derivatives(w->loops, w->dual, &in, tau, &o, &out);
  if (s != LIMB_E_SINGULAR) return s;
  return limb_because(w, s,
                      "multipliers of equations that follow from others, or nothing has mass along a motion: there are "
                      "no derivatives; evaluate mobility");
}

limb_status limb_eval_closed_dacc_dq(limb_lane* w, double* x)
{
  return forward_derivatives(w, (limb_closed_derivatives){.da_dq = x});
}

limb_status limb_eval_closed_dacc_dv(limb_lane* w, double* x)
{
  return forward_derivatives(w, (limb_closed_derivatives){.da_dv = x});
}

// G (G' M G)^-1 G': of all joints, by forces at all joints.
limb_status limb_eval_closed_dacc_dtau(limb_lane* w, double* x)
{
  return forward_derivatives(w, (limb_closed_derivatives){.da_dtau = x});
}

// Its rows and columns of independent velocities, for those of G are the identity.
limb_status limb_eval_closed_Minv(limb_lane* w, double* x)
{
  const size_t nv = (size_t)w->e->nv;
  unsigned char* mark = NULL;
  limb_status s = limb_eval_closed_dacc_dtau(w, x);
  if (s == LIMB_OK) s = independent(w, &mark);
  for (size_t i = 0; i < nv && s == LIMB_OK; i++)
    for (size_t j = 0; j < nv; j++)
      if (!mark[i] || !mark[j]) x[i * nv + j] = 0;
  return s;
}

// x (nv x n) = -dacc_dtau dtau, with dtau (nv x n) of the tree; n is at most 6.
static limb_status through_forces(limb_lane* w, size_t n, limb_compute_fn* of_tree, double* x)
{
  const size_t nv = (size_t)w->e->nv;
  double *D = w->work + (size_t)limb_closed_vectors(w->e), *S = D + nv * nv;
  limb_status s = of_tree(w, S);
  if (s == LIMB_OK) s = limb_eval_closed_dacc_dtau(w, D);
  for (size_t i = 0; i < nv && s == LIMB_OK; i++) {
    for (size_t j = 0; j < n; j++) {
      x[i * n + j] = 0;
      for (size_t k = 0; k < nv; k++) x[i * n + j] -= D[i * nv + k] * S[k * n + j];
    }
  }
  return s;
}

limb_status limb_eval_closed_dacc_dgravity(limb_lane* w, double* x)
{
  return through_forces(w, 3, limb_eval_dtau_dgravity, x);
}

limb_status limb_eval_closed_dacc_dwrench(limb_lane* w, double* x)
{
  return through_forces(w, 6, limb_eval_dtau_dwrench, x);
}

// By independent coordinates, the loops staying closed; columns of dependent ones are zero.
static limb_status inverse_derivatives(limb_lane* w, int by_velocity, double* x)
{
  const size_t nv = (size_t)w->e->nv;
  const limb_loop_options o = limb_lane_loop_options(w);
  const limb_closed_motion in = motion_of(w);
  double* S = w->work + (size_t)limb_closed_vectors(w->e);
  unsigned char* mark = NULL;
  int count = 0;
  const limb_closed_inverse_derivatives out = {.dtau_dy = by_velocity ? NULL : S, .dtau_dydot = by_velocity ? S : NULL};
  limb_status s = independent(w, &mark);
  if (s == LIMB_OK) s = limb_closed_inverse_dynamics_derivatives(w->loops, w->dual, &in, mark, &o, &count, &out);
  const size_t ny = (size_t)count;
  for (size_t i = 0; i < nv && s == LIMB_OK; i++)
    for (size_t k = 0, j = 0; k < nv; k++) x[i * nv + k] = mark[k] ? S[i * ny + j++] : 0;
  return s;
}

limb_status limb_eval_closed_dtau_dq(limb_lane* w, double* x) { return inverse_derivatives(w, 0, x); }

limb_status limb_eval_closed_dtau_dv(limb_lane* w, double* x) { return inverse_derivatives(w, 1, x); }

// ---- the start ------------------------------------------------------------------------------------------

limb_status limb_count_undriven(const limb_evaluator* e, limb_loops* loops, int* out)
{
  enum { TRIES = 20 };
  double* q = e->lane[0].work; // at least as much as vectors take
  limb_assembly how = limb_default_assembly();
  limb_mobility m = {0};
  how.tries = TRIES;
  *out = 0;
  limb_status s = limb_start(e->model, q);
  if (s == LIMB_OK) s = limb_assemble(loops, &how, q, NULL);
  if (s == LIMB_OK) s = limb_mobility_at(loops, q, NULL, &m);
  if (s == LIMB_OK) *out = m.undriven;
  return s == LIMB_E_NOCONV || s == LIMB_E_SINGULAR ? LIMB_OK : s;
}
