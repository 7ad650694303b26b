// The information of a motion about the parameters, and its gradient by the states.
//
// Reference: M. Gautier, W. Khalil, Exciting trajectories for the identification of base inertial parameters of
//            robots, Int. J. Robotics Research 11(4), 1992 (condition numbers); J. Swevers and others 1997
//            (log-determinant). The gradient is by the adjoint of the Newton-Euler equations.
// Cost:      per sample 3 nv n^2 and some 200 operations per pair of body and joint; once 16 n^3.
//
//   N = sum Y'Y,   C_ij = N_ij / sqrt(N_ii N_jj)
//
// The condition number of the scaled equations is sqrt(lambda_max / lambda_min) of C. What is minimised is a smooth
// bound of its logarithm, p = 8, or the log-determinant:
//
//   f = (log tr C^p + log tr C^-p) / (2 p),   df/dC = (C^(p-1) / tr C^p - C^(-p-1) / tr C^-p) / 2
//   f = -log det C / (2 n),                   df/dC = -C^-1 / (2 n)
//
// df/dY = 2 Y H with H = df/dN. A row i of G = df/dY counts as torque i of a robot with the parameters theta_i = E g_i,
// Y_base = Y E:  sum(G .* Y) = sum_i Y_i theta_i. Of body b that is, with J_i its Jacobian and V, A its velocity and
// acceleration without gravity, all in its own axes,
//
//   L = sum_i J_i . (I_i A + V x* I_i V)
//   dL/dA = sum I_i J_i,   dL/dV = -sum (J_i x* I_i V + I_i (V x J_i)),   dL/dJ_i = I_i A + V x* I_i V
#include "estimate/excite_impl.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// ---- the equations ----------------------------------------------------------------------------------------

limb_status limb_excite_equations(limb_excite_search* s, bool smooth, double* Y)
{
  const limb_excite_problem* p = s->p;
  const int nv = p->nv, np = p->np, n = p->n, kept = p->nb_kept;
  const limb_status status = limb_regressor(s->d, s->q, s->v, s->a, smooth ? &p->smooth : &p->env, s->work);
  memset(Y, 0, (size_t)nv * (size_t)n * sizeof *Y);
  for (int i = 0; i < nv && status == LIMB_OK; i++) {
    for (int l = 0; l < np; l++) {
      const double y = s->work[i * np + l], *E = p->expand + (size_t)l * (size_t)kept;
      for (int k = 0; k < kept && y != 0; k++) Y[i * n + k] += y * E[k];
    }
    for (int k = kept; k < n; k++) Y[i * n + k] = p->column[k] - p->nb == i;
  }
  return status;
}

// ---- the gradient by a state ------------------------------------------------------------------------------

// I x by the ten parameters of I about the origin.
static sp_force times(const double* theta, sp_motion x)
{
  const sp_vec3 mc = limb_read3(theta + 1);
  const double *I = theta + 4, m = theta[0];
  const sp_vec3 turned = sp_v3(I[0] * x.w.x + I[1] * x.w.y + I[2] * x.w.z, I[1] * x.w.x + I[3] * x.w.y + I[4] * x.w.z,
                               I[2] * x.w.x + I[4] * x.w.y + I[5] * x.w.z);
  return sp_force_make(sp_add3(turned, sp_cross3(mc, x.v)), sp_sub3(sp_scale3(m, x.v), sp_cross3(mc, x.w)));
}

// Derivatives of the motion of a body, gravity included, in its axes.
static limb_status differentiate(limb_excite_search* s, int body, sp_motion* V, sp_motion* A)
{
  const limb_excite_problem* p = s->p;
  sp_pose X;
  limb_status status = limb_frame_velocity(s->d, body, LIMB_BODY, V);
  if (status == LIMB_OK) status = limb_frame_acceleration(s->d, body, LIMB_BODY, A);
  if (status == LIMB_OK) status = limb_frame_pose(s->d, body, &X);
  if (status == LIMB_OK) status = limb_frame_velocity_derivatives(s->d, body, LIMB_BODY, s->dV, s->J);
  if (status == LIMB_OK) status = limb_frame_acceleration_derivatives(s->d, body, LIMB_BODY, s->Aq, s->Av, NULL);
  if (status == LIMB_OK) status = limb_frame_jacobian_derivative(s->d, body, LIMB_BODY, s->hess);
  if (status != LIMB_OK) return status;
  const sp_vec3 g = sp_tmulv(X.R, p->env.gravity); // its derivative by q_j is g x J_j.w
  A->v = sp_sub3(A->v, g);
  for (int j = 0; j < p->nv; j++) s->Aq[j].v = sp_sub3(s->Aq[j].v, sp_cross3(g, s->J[j].w));
  return LIMB_OK;
}

// theta: nv x np; the ten parameters of the body begin at first.
static limb_status body_gradient(limb_excite_search* s, int body, int first)
{
  const int nv = s->p->nv, np = s->p->np;
  sp_motion V, A;
  sp_force by_V = {0}, by_A = {0};
  const limb_status status = differentiate(s, body, &V, &A);
  for (int i = 0; i < nv && status == LIMB_OK; i++) {
    const double* theta = s->theta + (size_t)i * (size_t)np + first;
    const sp_motion J = s->J[i];
    if (sp_dot3(J.w, J.w) + sp_dot3(J.v, J.v) == 0) continue;
    const sp_force h = times(theta, V), by_J = sp_addf(times(theta, A), sp_crf(V, h));
    by_A = sp_addf(by_A, times(theta, J));
    by_V = sp_addf(by_V, sp_scalef(-1, sp_addf(sp_crf(J, h), times(theta, sp_crm(V, J)))));
    for (int j = 0; j < nv; j++) s->gq[j] += sp_dot(s->hess[(size_t)j * (size_t)nv + (size_t)i], by_J);
  }
  for (int j = 0; j < nv && status == LIMB_OK; j++) {
    s->gq[j] += sp_dot(s->dV[j], by_V) + sp_dot(s->Aq[j], by_A);
    s->gv[j] += sp_dot(s->J[j], by_V) + sp_dot(s->Av[j], by_A);
    s->ga[j] += sp_dot(s->J[j], by_A);
  }
  return status;
}

// Friction, rotors and springs: k k a, k k v, k sign(k v), k k q, k in the row of a joint.
static void term_gradient(limb_excite_search* s, const limb_line_term* t)
{
  const double theta = s->theta[(size_t)t->row * (size_t)s->p->np + (size_t)t->parameter], k = t->multiplier;
  const double width = s->p->smooth.coulomb_width, z = tanh(k * s->v[t->row] / width);
  switch (t->kind) {
  case LIMB_PARAMETER_ROTOR: s->ga[t->row] += k * k * theta; break;
  case LIMB_PARAMETER_VISCOUS: s->gv[t->row] += k * k * theta; break;
  case LIMB_PARAMETER_COULOMB: s->gv[t->row] += k * k * (1 - z * z) / width * theta; break;
  case LIMB_PARAMETER_STIFFNESS: s->gq[t->row] += k * k * theta; break;
  default: break; // constant
  }
}

limb_status limb_excite_equations_gradient(limb_excite_search* s, const double* G)
{
  const limb_excite_problem* p = s->p;
  const int nv = p->nv, np = p->np;
  for (int i = 0; i < nv; i++) // theta_i = E g_i
    for (int l = 0; l < np; l++)
      s->theta[i * np + l] =
        limb_dot((size_t)p->nb_kept, p->expand + (size_t)l * (size_t)p->nb_kept, G + (size_t)i * (size_t)p->n);
  limb_status status = limb_kinematics(s->d, s->q, s->v, s->a);
  for (int b = 0; b < p->bodies && status == LIMB_OK; b++)
    status = body_gradient(s, p->body[b], b * LIMB_BODY_PARAMETERS);
  for (int t = 0; t < p->terms; t++) term_gradient(s, &p->term[t]);
  return status;
}

// ---- the criterion ----------------------------------------------------------------------------------------

static double inner(int n, const double* A, const double* B) { return limb_dot((size_t)n * (size_t)n, A, B); }

// C = N after scaling; false: a column is zero.
static bool scale(const limb_excite_search* s, int n, double* C)
{
  const int wide = s->p->n;
  for (int i = 0; i < n; i++)
    if (!(s->N[i * wide + i] > 0)) return false;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) C[i * n + j] = s->N[i * wide + j] / sqrt(s->N[i * wide + i] * s->N[j * wide + j]);
  return true;
}

// The bound of the condition; D = df/dC. X: C^-1.
static double condition_bound(limb_excite_search* s, const double* X, double* D)
{
  const int n = s->p->n;
  const size_t size = (size_t)n * (size_t)n;
  double traces[2];
  for (int inverse = 0; inverse < 2; inverse++) {
    const double* C = inverse ? X : s->C;
    limb_matrix_product(n, n, n, C, C, s->A);       // C^2
    limb_matrix_product(n, n, n, s->A, s->A, s->B); // C^4
    const double trace = traces[inverse] = inner(n, s->B, s->B);
    limb_matrix_product(n, n, n, inverse ? s->B : s->A, C, s->H); // C^3, or C^-5
    limb_matrix_product(n, n, n, s->B, s->H, s->A);               // C^7, or C^-9
    for (size_t i = 0; i < size; i++) D[i] = (inverse ? D[i] : 0) + (inverse ? -0.5 : 0.5) / trace * s->A[i];
  }
  return (log(traces[0]) + log(traces[1])) / 16;
}

double limb_excite_criterion_of(limb_excite_search* s, bool gradient)
{
  const int n = s->p->n;
  const size_t size = (size_t)n * (size_t)n;
  double value = 0;
  if (!scale(s, n, s->C)) return HUGE_VAL;
  memcpy(s->A, s->C, size * sizeof *s->A);
  if (!limb_cholesky(n, s->A)) return HUGE_VAL;
  for (int i = 0; i < n; i++) value -= log(s->A[i * n + i]) / n;
  limb_cholesky_inverse(n, s->A, s->inv);
  if (s->p->o.criterion == LIMB_EXCITE_LOGDET)
    for (size_t i = 0; i < size; i++) s->D[i] = -s->inv[i] / (2 * n);
  else
    value = condition_bound(s, s->inv, s->D);
  if (!gradient || !isfinite(value)) return isfinite(value) ? value : HUGE_VAL;
  // H = S D S - diag(sum_k D_ik C_ik / N_ii),   S = diag(N)^-1/2
  for (int i = 0; i < n; i++) {
    const double Ni = s->N[i * n + i];
    for (int j = 0; j < n; j++) s->H[i * n + j] = s->D[i * n + j] / sqrt(Ni * s->N[j * n + j]);
    s->H[i * n + i] -= limb_dot((size_t)n, s->D + (size_t)i * (size_t)n, s->C + (size_t)i * (size_t)n) / Ni;
  }
  return value;
}

double limb_excite_condition(limb_excite_search* s, int n, double* logdet)
{
  *logdet = -HUGE_VAL;
  if (n == 0 || !scale(s, n, s->C)) return HUGE_VAL;
  double* sigma = s->A;
  if (!limb_singular_values(n, n, s->C, sigma) || !(sigma[n - 1] > 0)) return HUGE_VAL;
  *logdet = 0;
  for (int i = 0; i < n; i++) *logdet += log(sigma[i]);
  return sqrt(sigma[0] / sigma[n - 1]);
}
