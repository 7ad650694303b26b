// Inverse dynamics of robots with closed loops, and the dynamics of their independent velocities.
//
// Reference: Khalil 2010, (55)-(58), corrected: (57) with the transpose, and H_c of (58) at the accelerations
//            that the passive joints have when the active ones have none.
// Cost:      O(n), and cubes of the clusters; the matrix A_c O(n^2 ny).
//
//   paper       code   meaning
//   Gamma_tr    tree   inverse dynamics of the tree
//   Gamma_c     tau    what the motors deliver
//   lambda      -      M a + h = tau + Psi' lambda, so Psi' lambda = Gamma_tr - tau

#include "base/numeric.h"
#include "dynamics/environment.h"
#include "linalg/dense.h"
#include "loops/closed_impl.h"

#include <math.h>
#include <string.h>

static bool motion_complete(const limb_closed_motion* in) { return in && in->q && in->v && in->a; }

// ---- inverse dynamics -----------------------------------------------------------------------------------

static double largest_wrench(const limb_environment* env)
{
  double most = 0;
  for (int k = 0; k < env->nwrench; k++) {
    const sp_force* f = &env->wrench[k].wrench;
    const double x[6] = {f->m.x, f->m.y, f->m.z, f->f.x, f->f.y, f->f.z};
    most = fmax(most, limb_largest(6, x));
  }
  return most;
}

// The size of the forces that cancel in a motion, against which rounding is measured: the weight and the
// wrenches at an arm of a metre, twice the kinetic energy, Coriolis forces, springs. work: nv
static limb_status force_scale(limb_loops* w, const limb_closed_motion* in, double* work, double* scale)
{
  const size_t nv = (size_t)w->m->nv;
  limb_environment e;
  limb_energy energy;
  limb_status s = limb_environment_read(w->m, in->env, &e);
  if (s == LIMB_OK) s = limb_energies(w->d, in->q, in->v, &e, &energy);
  if (s != LIMB_OK) return s;
  const sp_vec3 g = sp_sub3(e.gravity, e.base_acceleration.v);
  *scale = fmax(w->m->total_mass * sp_norm3(g), fmax(2 * energy.kinetic, largest_wrench(&e)));
  s = limb_bias_forces(w->d, in->q, in->v, &e, work);
  if (s != LIMB_OK) return s;
  *scale = fmax(*scale, limb_largest(nv, work));
  s = limb_spring_forces(w->d, in->q, work);
  *scale = fmax(*scale, limb_largest(nv, work));
  return s;
}

// Share of the forces' size that counts as rounding.
#define ROUNDING 1e-9

// Whether what is left of the balance is rounding.
static limb_status judge(limb_loops* w, const limb_closed_motion* in, const double* tree, double unbalanced)
{
  if (unbalanced <= ROUNDING * limb_largest((size_t)w->m->nv, tree)) return LIMB_OK;
  double scale;
  const limb_status s = force_scale(w, in, w->v3, &scale);
  if (s != LIMB_OK) return s;
  return unbalanced <= ROUNDING * scale ? LIMB_OK : LIMB_E_SINGULAR;
}

limb_status limb_closed_inverse_dynamics(limb_loops* w, const limb_closed_motion* in, const limb_actuation* actuation,
                                         const limb_loop_options* options, limb_closed_forces* out)
{
  if (!w || !motion_complete(in) || !out) return LIMB_E_ARG;
  const limb_model* m = w->m;
  const size_t size = (size_t)m->nv * sizeof(double);
  limb_loop_options o;
  limb_actuation how;
  limb_status s = limb_loop_options_read(options, &o);
  if (s == LIMB_OK) s = limb_actuation_read(w, actuation, &how);
  // Gamma_tr
  if (s == LIMB_OK) s = limb_inverse_dynamics(w->d, in->q, in->v, in->a, in->env, w->v1);
  if (s == LIMB_OK) s = limb_loop_rows_at(w, in->q, NULL, o.time, LIMB_ROWS_PSI);
  if (s != LIMB_OK) return s;
  // G_a' tau = G' Gamma_tr
  const limb_status shared = limb_share_torques(w, &how, o.tolerance, w->v1, w->v2, out);
  s = w->doubtful ? limb_check_distance(w, o.tolerance, NULL) : LIMB_OK;
  if (s != LIMB_OK) return s;
  // Psi' lambda = Gamma_tr - tau
  for (int v = 0; v < m->nv; v++) w->v3[v] = w->v1[v] - w->v2[v];
  if (out->lambda) limb_least_multipliers(w, w->v3, o.tolerance, w->r1);
  if (!limb_finite(m->nv, w->v2) || (out->lambda && !limb_finite(m->nrow, w->r1))) return LIMB_E_NONFINITE;
  if (out->lambda) limb_rows_to_user(w, w->r1, out->lambda);
  if (out->tau && m->nv > 0) memcpy(out->tau, w->v2, size);
  if (out->tree && m->nv > 0) memcpy(out->tree, w->v1, size);
  return shared == LIMB_OK ? judge(w, in, w->v1, out->unbalanced) : shared;
}

// ---- reduced dynamics -----------------------------------------------------------------------------------

// A = G' M G: ny x ny, from G nv x ny. MG: scratch, nv x ny
static void reduce_mass(int nv, int ny, const double* M, const double* G, double* MG, double* A)
{
  for (ptrdiff_t i = 0; i < nv; i++) {
    for (ptrdiff_t j = 0; j < ny; j++) {
      double sum = 0;
      for (ptrdiff_t k = 0; k < nv; k++) sum += M[i * nv + k] * G[k * ny + j];
      MG[i * ny + j] = sum;
    }
  }
  for (ptrdiff_t i = 0; i < ny; i++) {
    for (ptrdiff_t j = 0; j < ny; j++) {
      double sum = 0;
      for (ptrdiff_t k = 0; k < nv; k++) sum += G[k * ny + i] * MG[k * ny + j];
      A[i * ny + j] = sum;
    }
  }
}

limb_status limb_closed_reduced_dynamics(limb_loops* w, const limb_closed_motion* in, const unsigned char* independent,
                                         const limb_loop_options* options, int* count, double* A, double* H)
{
  if (!w || !in || !in->q || !in->v || !count || !A || !H) return LIMB_E_ARG;
  if (w->use != LIMB_LOOPS_DENSE) return LIMB_E_ORDER;
  const int nv = w->m->nv;
  const ptrdiff_t square = (ptrdiff_t)(nv + 1) * (nv + 1);
  double *G = w->dense, *M = G + square, *MG = M + square;
  double *a = MG, *tau = MG + nv; // before MG is needed
  limb_status s = limb_velocity_map(w, in->q, independent, options, count, G);
  // g: accelerations when the independent ones are zero
  for (int v = 0; v < nv; v++) a[v] = 0;
  if (s == LIMB_OK) s = limb_complete_accelerations(w, in->q, in->v, independent, options, a);
  if (s == LIMB_OK) s = limb_inverse_dynamics(w->d, in->q, in->v, a, in->env, tau);
  if (s == LIMB_OK) s = limb_mass_matrix(w->d, in->q, M);
  if (s != LIMB_OK) return s;
  const int ny = *count;
  // H = G' (M g + h)
  for (int j = 0; j < ny; j++) {
    H[j] = 0;
    for (ptrdiff_t v = 0; v < nv; v++) H[j] += G[v * ny + j] * tau[v];
  }
  reduce_mass(nv, ny, M, G, MG, A);
  return limb_finite(ny, H) && limb_finite((ptrdiff_t)ny * ny, A) ? LIMB_OK : LIMB_E_NONFINITE;
}
