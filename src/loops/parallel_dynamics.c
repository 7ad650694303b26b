// Velocities, Jacobian and dynamics of parallel robots in the space of the platform.
//
// Reference: Khalil 2010, (59)-(66), with J_p for the J_r of (62).
// Cost:      two motions of the links and one recursion of Newton and Euler, all O(n), the legs
//            (parallel_constraints.c), and the cube of the mobility; forward O(n^2) for B' M B.
//
// All velocities follow from the platform's, and that is free in N only, which holds what the legs forbid:
//
//     v = B V,   V = N y        a = B V' + a_0,   V' = N y' + V_0       (V' as in parallel_impl.h)
//
// With tree = M a + h the forces of legs and platform as if there were no closures,
//
//     (66)      F = F_p + sum J_vi' J_i^-T tau_i = B' tree,        N' B_a' tau = N' F
//     forward   N' (B' M B) N y' = N' B' (tau - h - M (B V_0 + a_0))
//
// B_a: rows of the active joints; (N' B_a')^-1 N' is J_p' where there are as many drives as motions.

#include "base/numeric.h"
#include "dynamics/environment.h"
#include "linalg/dense.h"
#include "loops/parallel_impl.h"

#include <math.h>
#include <string.h>

// How far a state may be from the loops, the pose or the motions that the legs allow [m, rad, or relative].
#define TOLERATED 1e-6

// ---- states -------------------------------------------------------------------------------------------------

static bool loops_are_closed(const limb_parallel* p)
{
  for (int i = 0; i < p->ngroup; i++) {
    if (limb_leg_gap(p, &p->leg[i]) > TOLERATED) return false;
  }
  return true;
}

static bool is_at(const limb_parallel* p, const sp_pose* pose)
{
  const sp_pose X = limb_platform_pose(p);
  double largest = sp_norm3(sp_sub3(X.p, pose->p)) / fmax(1, sp_norm3(X.p));
  for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(X.R.m[i] - pose->R.m[i]));
  return largest <= TOLERATED;
}

// Legs at q, which closes the loops; g is zero.
static limb_status stand(limb_parallel* p, const double* q)
{
  static const double none[PLATFORM] = {0};
  const limb_status s = limb_legs_at(p, q, NULL);
  if (s != LIMB_OK) return s;
  if (!loops_are_closed(p)) return LIMB_E_ARG;
  limb_legs_set(p, 0, p->w->phi, none);
  return LIMB_OK;
}

// g for accelerations at v, and what V' has without those of joints.
static limb_status set_gamma(limb_parallel* p, const double* q, const double* v, double* bias)
{
  static const double none[PLATFORM] = {0};
  const limb_status s = limb_constraints_at(p->w, q, v, 0, LIMB_NEED_GAMMA);
  if (s != LIMB_OK) return s;
  limb_motion_write(sp_motion_in(p->in_link, p->w->d->own.a_v[p->link]), bias);
  limb_legs_set(p, 1, p->w->gamma, none);
  return LIMB_OK;
}

// p->v, and with accelerations p->a, for a motion of the platform. B and g are left for it.
static limb_status move(limb_parallel* p, const double* q, const limb_platform_motion* motion, bool accelerate)
{
  double V[PLATFORM], A[PLATFORM], bias[PLATFORM];
  limb_motion_write(motion->velocity, V);
  limb_motion_write(motion->acceleration, A);
  if (!limb_finite(9, motion->pose.R.m) || !limb_finite(3, &motion->pose.p.x) || !limb_finite(PLATFORM, V) ||
      (accelerate && !limb_finite(PLATFORM, A)))
    return LIMB_E_NONFINITE;
  limb_status s = stand(p, q);
  if (s != LIMB_OK) return s;
  if (!is_at(p, &motion->pose) || limb_legs_resist(p, V) > TOLERATED) return LIMB_E_ARG;
  limb_legs_follow(p, V, p->v);
  if (!accelerate) return LIMB_OK;
  s = set_gamma(p, q, p->v, bias);
  if (s != LIMB_OK) return s;
  for (int c = 0; c < PLATFORM; c++) A[c] -= bias[c];
  if (limb_legs_resist(p, A) > TOLERATED) return LIMB_E_ARG;
  limb_legs_follow(p, A, p->a);
  return LIMB_OK;
}

limb_status limb_platform_give(const limb_parallel* p, const double* x, double* out)
{
  memcpy(out, x, (size_t)p->m->nv * sizeof *out);
  return limb_finite(p->m->nv, out) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_parallel_motion(limb_parallel* p, const double* q, const limb_platform_motion* motion, double* v,
                                 double* a)
{
  if (!p || !q || !motion || !v) return LIMB_E_ARG;
  limb_status s = move(p, q, motion, a != NULL);
  if (s == LIMB_OK) s = limb_platform_give(p, p->v, v);
  if (s == LIMB_OK && a) s = limb_platform_give(p, p->a, a);
  return s;
}

// ---- drives -------------------------------------------------------------------------------------------------

// p->rates = B_a N: velocity of drive k for motion t. Returns the least pivot that counts in it: a share of
// what the entries are sums of, not of what is left of them.
static double set_drive_rates(limb_parallel* p)
{
  double terms = 0;
  for (int t = 0; t < p->free; t++) {
    double size = 0;
    for (int c = 0; c < PLATFORM; c++) size += fabs(p->N[c * PLATFORM + t]);
    for (int k = 0; k < p->nactive; k++) {
      const double* B = p->B + (ptrdiff_t)p->active[k] * PLATFORM;
      double sum = 0;
      for (int c = 0; c < PLATFORM; c++) sum += B[c] * p->N[c * PLATFORM + t];
      p->rates[k * PLATFORM + t] = sum;
      terms = fmax(terms, size * p->terms[p->active[k]]);
    }
  }
  return LIMB_DEPENDENT * terms;
}

limb_status limb_parallel_jacobian(limb_parallel* p, const double* q, sp_motion* J)
{
  if (!p || !q || !J) return LIMB_E_ARG;
  limb_status s = stand(p, q);
  if (s != LIMB_OK) return s;
  limb_legs_restrict(p);
  const int n = p->nactive, free = p->free;
  if (n > free) return LIMB_E_UNSUPPORTED;
  if (n < free) return LIMB_E_SINGULAR;
  const double min_pivot = set_drive_rates(p);
  limb_reduction* r = &p->drives;
  r->rows = n, r->columns = free, r->extra = n;
  for (int k = 0; k < n; k++) {
    double* A = r->A + (ptrdiff_t)k * (free + n);
    for (int t = 0; t < free; t++) A[t] = p->rates[k * PLATFORM + t];
    for (int j = 0; j < n; j++) A[free + j] = j == k ? 1 : 0;
  }
  limb_row_reduce(r, NULL, LIMB_DEPENDENT);
  if (r->rank < free || !(r->min_pivot > min_pivot)) return LIMB_E_SINGULAR;
  for (int j = 0; j < n; j++) { // V = N (B_a N)^-1 v_a
    double V[PLATFORM] = {0};
    for (int k = 0; k < free; k++) {
      const double y = r->A[(ptrdiff_t)k * (free + n) + free + j];
      for (int c = 0; c < PLATFORM; c++) V[c] += p->N[c * PLATFORM + r->pivot[k]] * y;
    }
    J[j] = limb_motion_read(V);
  }
  return LIMB_OK;
}

// Least norm of x with x_p + A_y x_y = b: x_y = (1 + A_y' A_y)^-1 A_y' b. By pivot order, in x.
static bool share_out(const limb_reduction* r, double* work, double* x)
{
  const int rank = r->rank, more = r->columns - rank;
  const ptrdiff_t wide = r->columns + r->extra;
  for (int i = 0; i < more; i++) {
    const int ci = r->pivot[rank + i];
    double sum = 0;
    for (int k = 0; k < rank; k++) sum += r->A[k * wide + ci] * r->A[k * wide + r->columns];
    x[rank + i] = sum;
    for (int j = 0; j <= i; j++) {
      const int cj = r->pivot[rank + j];
      double a = i == j ? 1 : 0;
      for (int k = 0; k < rank; k++) a += r->A[k * wide + ci] * r->A[k * wide + cj];
      work[i * more + j] = a;
    }
  }
  if (more > 0 && !limb_cholesky(more, work)) return false;
  if (more > 0) limb_cholesky_solve(more, work, x + rank);
  for (int k = 0; k < rank; k++) {
    x[k] = r->A[k * wide + r->columns];
    for (int i = 0; i < more; i++) x[k] -= r->A[k * wide + r->pivot[rank + i]] * x[rank + i];
  }
  return true;
}

// tau at active joints, zero elsewhere, with N' B_a' tau = N' F.
static limb_status drive(limb_parallel* p, const double* F, double* tau)
{
  const int n = p->nactive;
  const double min_pivot = set_drive_rates(p);
  limb_reduction* r = &p->drives;
  r->rows = p->free, r->columns = n, r->extra = 1;
  for (int t = 0; t < p->free; t++) {
    double* A = r->A + (ptrdiff_t)t * (n + 1);
    for (int k = 0; k < n; k++) A[k] = p->rates[k * PLATFORM + t];
    A[n] = 0;
    for (int c = 0; c < PLATFORM; c++) A[n] += p->N[c * PLATFORM + t] * F[c];
  }
  limb_row_reduce(r, NULL, LIMB_DEPENDENT);
  double* x = p->step; // as many as drives
  if (r->rank < p->free || !(r->min_pivot > min_pivot) || !share_out(r, p->share, x)) return LIMB_E_SINGULAR;
  for (int i = 0; i < p->m->nv; i++) tau[i] = 0;
  for (int k = 0; k < n; k++) tau[p->active[r->pivot[k]]] = x[k];
  return limb_finite(p->m->nv, tau) ? LIMB_OK : LIMB_E_NONFINITE;
}

void limb_platform_gather(const limb_parallel* p, const double* f, double* F)
{
  for (int c = 0; c < PLATFORM; c++) F[c] = 0;
  for (int i = 0; i < p->m->nv; i++) {
    const double* B = p->B + (ptrdiff_t)i * PLATFORM;
    for (int c = 0; c < PLATFORM; c++) F[c] += B[c] * f[i];
  }
}

limb_status limb_parallel_inverse_dynamics(limb_parallel* p, const double* q, const limb_platform_motion* motion,
                                           const limb_environment* env, double* tau)
{
  if (!p || !q || !motion || !tau) return LIMB_E_ARG;
  limb_status s = move(p, q, motion, true);
  if (s == LIMB_OK) s = limb_inverse_dynamics(p->w->d, q, p->v, p->a, env, p->tree);
  if (s != LIMB_OK) return s;
  double F[PLATFORM];
  limb_platform_gather(p, p->tree, F);
  limb_legs_restrict(p);
  return drive(p, F, tau);
}

// ---- forward dynamics ---------------------------------------------------------------------------------------

// V_0: the dependent components, the others zero
static void smallest_acceleration(const limb_parallel* p, double* V)
{
  const limb_reduction* r = &p->allowed;
  for (int c = 0; c < PLATFORM; c++) V[c] = 0;
  for (int k = 0; k < r->rank; k++) V[r->pivot[k]] = r->A[k * (PLATFORM + 1) + PLATFORM];
}

void limb_platform_inertia(const limb_parallel* p, double* Lambda)
{
  const int nv = p->m->nv;
  double MB[PLATFORM];
  for (int k = 0; k < PLATFORM * PLATFORM; k++) Lambda[k] = 0;
  for (int i = 0; i < nv; i++) {
    for (int c = 0; c < PLATFORM; c++) MB[c] = 0;
    for (int j = 0; j < nv; j++) {
      const double x = p->M[(ptrdiff_t)i * nv + j];
      const double* B = p->B + (ptrdiff_t)j * PLATFORM;
      for (int c = 0; x != 0 && c < PLATFORM; c++) MB[c] += x * B[c];
    }
    for (int r = 0; r < PLATFORM; r++) {
      const double b = p->B[(ptrdiff_t)i * PLATFORM + r];
      for (int c = 0; c < PLATFORM; c++) Lambda[r * PLATFORM + c] += b * MB[c];
    }
  }
}

bool limb_platform_factor(const limb_parallel* p, const double* Lambda, double* H)
{
  const int free = p->free;
  for (int s = 0; s < free; s++) {
    for (int t = 0; t < free; t++) {
      double sum = 0;
      for (int r = 0; r < PLATFORM; r++) {
        for (int c = 0; c < PLATFORM; c++)
          sum += p->N[r * PLATFORM + s] * Lambda[r * PLATFORM + c] * p->N[c * PLATFORM + t];
      }
      H[s * free + t] = sum;
    }
  }
  return limb_cholesky(free, H);
}

void limb_platform_restrict(const limb_parallel* p, const double* F, double* y)
{
  for (int t = 0; t < p->free; t++) {
    y[t] = 0;
    for (int c = 0; c < PLATFORM; c++) y[t] += p->N[c * PLATFORM + t] * F[c];
  }
}

void limb_platform_expand(const limb_parallel* p, const double* y, double* V)
{
  for (int t = 0; t < p->free; t++) {
    for (int c = 0; c < PLATFORM; c++) V[c] += p->N[c * PLATFORM + t] * y[t];
  }
}

static bool is_consistent(limb_parallel* p, const double* v)
{
  double fastest = 0;
  for (int i = 0; i < p->m->nv; i++) fastest = fmax(fastest, fabs(v[i]));
  limb_psi_times(p->w, v, p->w->r1);
  for (int r = 0; r < p->m->nrow; r++) {
    if (fabs(p->w->r1[r]) > TOLERATED * fastest) return false;
  }
  return true;
}

limb_status limb_platform_prepare(limb_parallel* p, const double* q, const double* v, double* V, double* bias)
{
  limb_status s = stand(p, q);
  if (s != LIMB_OK) return s;
  if (!is_consistent(p, v)) return LIMB_E_ARG;
  s = set_gamma(p, q, v, bias);
  if (s != LIMB_OK) return s;
  limb_legs_restrict(p);
  smallest_acceleration(p, V);
  if (limb_legs_resist(p, V) > TOLERATED) return LIMB_E_SINGULAR;
  limb_legs_follow(p, V, p->a);
  return LIMB_OK;
}

limb_status limb_parallel_forward_dynamics(limb_parallel* p, const double* q, const double* v, const double* tau,
                                           const limb_environment* env, sp_motion* acceleration, double* a)
{
  if (!p || !q || !v || !tau) return LIMB_E_ARG;
  const int nv = p->m->nv;
  if (!limb_finite(nv, v) || !limb_finite(nv, tau)) return LIMB_E_NONFINITE;
  double V[PLATFORM], bias[PLATFORM], F[PLATFORM], y[PLATFORM];
  double Lambda[PLATFORM * PLATFORM], H[PLATFORM * PLATFORM];
  limb_status s = limb_platform_prepare(p, q, v, V, bias);
  if (s == LIMB_OK) s = limb_inverse_dynamics(p->w->d, q, v, p->a, env, p->tree);
  if (s == LIMB_OK) s = limb_mass_matrix(p->w->d, q, p->M);
  if (s != LIMB_OK) return s;
  for (int i = 0; i < nv; i++) p->tree[i] = tau[i] - p->tree[i];
  limb_platform_gather(p, p->tree, F);
  limb_platform_inertia(p, Lambda);
  if (!limb_platform_factor(p, Lambda, H)) return LIMB_E_SINGULAR;
  limb_platform_restrict(p, F, y); // y' = (N' Lambda N)^-1 N' F
  limb_cholesky_solve(p->free, H, y);
  limb_platform_expand(p, y, V);
  if (!limb_finite(PLATFORM, V)) return LIMB_E_NONFINITE;
  limb_legs_follow(p, V, p->a);
  if (acceleration) *acceleration = sp_addm(limb_motion_read(V), limb_motion_read(bias));
  return a ? limb_platform_give(p, p->a, a) : LIMB_OK;
}
