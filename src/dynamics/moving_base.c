// Floating robots: base velocity from momentum, generalised Jacobian, reaction-null space.
//
// Reference: Y. Umetani, K. Yoshida, Resolved motion rate control of space manipulators with generalized
//            Jacobian matrix, IEEE Transactions on Robotics and Automation 5, 1989; D. Nenchev, Y. Umetani,
//            K. Yoshida, Analysis of a redundant free-flying spacecraft/manipulator system, same journal 8,
//            1992. Khalil 2010, (84), (86): A_11 is M_bb here, A_12 is M_bm.
// Cost:      O(n depth) for M; nb^3 / 3 + 2 nb^2 nm for the generalised Jacobian; the singular values of an
//            nb x nm matrix and nm^2 rank for the reaction-null space.
//
//   paper        code   meaning
//   H_b          L      M_bb, by its Cholesky factor, nb x nb
//   H_bm         B      M_bm, nb x nm, or transposed
//   H_b^-1 H_bm  B      what the base does per unit of each arm velocity, with the sign changed

#include "limb/dynamics.h"

#include "base/numeric.h"
#include "dynamics/dynamics_impl.h"
#include "kinematics/kinematics_impl.h"
#include "linalg/dense.h"

#include <math.h>

#define SMALLEST_SINGULAR 1e-10 // of the largest: zero

typedef struct parts {
  const unsigned char* given;
  int nv, nb, nm;
  double* M;       // nv x nv
  double *L, *B;   // nb x nb and nb nm: together at most nv x nv
  double *b, *x;   // nv each
  double* columns; // 6 nv
} parts;

size_t limb_moving_base_work(const limb_model* m)
{
  if (!m) return 0;
  const size_t nv = (size_t)m->nv;
  return 1 + 2 * nv * nv + 8 * nv; // never 0: NULL is an error
}

static parts lay_out(const limb_model* m, const unsigned char* given, double* work)
{
  const ptrdiff_t nv = m->nv;
  parts p = {.given = given, .nv = m->nv};
  for (int k = 0; k < p.nv; k++) p.nb += given[k] == LIMB_FORCE_GIVEN;
  p.nm = p.nv - p.nb;
  p.M = work, p.L = p.M + nv * nv, p.B = p.L + (ptrdiff_t)p.nb * p.nb;
  p.b = p.L + nv * nv, p.x = p.b + nv, p.columns = p.x + nv;
  return p;
}

// The block of M whose rows and columns are marked so.
static void gather(const parts* p, limb_given rows, limb_given columns, double* out)
{
  for (ptrdiff_t i = 0; i < p->nv; i++) {
    for (ptrdiff_t j = 0; p->given[i] == rows && j < p->nv; j++) {
      if (p->given[j] == columns) *out++ = p->M[i * p->nv + j];
    }
  }
}

// Checks what the calls have in common, and makes M.
static limb_status begin(limb_data* d, const double* q, const unsigned char* given, double* work, parts* p)
{
  if (!d || !q || !work) return LIMB_E_ARG;
  const unsigned char* given_dofs = given ? given : d->base;
  if (!limb_given_valid(d->m, given_dofs)) return LIMB_E_ARG;
  *p = lay_out(d->m, given_dofs, work);
  return limb_mass_matrix(d, q, p->M);
}

// L: the Cholesky factor of M_bb.
static limb_status factor(const parts* p)
{
  gather(p, LIMB_FORCE_GIVEN, LIMB_FORCE_GIVEN, p->L);
  return limb_cholesky(p->nb, p->L) ? LIMB_OK : LIMB_E_SINGULAR;
}

limb_status limb_velocity_from_momentum(limb_data* d, const double* q, const unsigned char* given, const double* p_b,
                                        double* work, double* v)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  parts p;
  if (!v) return LIMB_E_ARG;
  limb_status s = begin(d, q, given, work, &p);
  if (s == LIMB_OK && p_b && !limb_finite(p.nb, p_b)) s = LIMB_E_NONFINITE;
  if (s == LIMB_OK) s = factor(&p);
  if (s != LIMB_OK) return s;
  for (int k = 0; k < p.nv; k++) { // the arm's velocities, and zero for the base's
    p.x[k] = p.given[k] == LIMB_FORCE_GIVEN ? 0 : v[k];
  }
  if (!limb_finite(p.nv, p.x)) return LIMB_E_NONFINITE;

  // v_b = M_bb^-1 (p_b - M_bm v_m)
  for (int k = 0, i = 0; k < p.nv; k++) {
    if (p.given[k] != LIMB_FORCE_GIVEN) continue;
    const double pushed = limb_dot((size_t)p.nv, p.M + (ptrdiff_t)k * p.nv, p.x);
    p.b[i] = (p_b ? p_b[i] : 0) - pushed;
    i++;
  }
  limb_cholesky_solve(p.nb, p.L, p.b);
  if (!limb_finite(p.nb, p.b)) return LIMB_E_NONFINITE;
  for (int k = 0, i = 0; k < p.nv; k++) {
    if (p.given[k] == LIMB_FORCE_GIVEN) v[k] = p.b[i++];
  }
  return LIMB_OK;
}

// Column of J* for the arm's velocity j: J_j - J_b x with x = M_bb^-1 M_bj.
static sp_motion reduced(const parts* p, const sp_motion* J, int j, const double* x)
{
  sp_motion c = J[j];
  for (int k = 0, i = 0; k < p->nv; k++) {
    if (p->given[k] == LIMB_FORCE_GIVEN) c = sp_addm(c, sp_scalem(-x[i++], J[k]));
  }
  return c;
}

limb_status limb_generalized_jacobian(limb_data* d, const double* q, const unsigned char* given, int frame,
                                      limb_ref ref, double* work, sp_motion* J)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  parts p;
  if (!d || !J || frame < 0 || frame >= limb_frame_count(d->m) || !limb_ref_valid(ref)) return LIMB_E_ARG;
  limb_status s = begin(d, q, given, work, &p);
  if (s == LIMB_OK) s = factor(&p);
  if (s == LIMB_OK) s = limb_link_kinematics(d, q, NULL, NULL, &d->own);
  if (s != LIMB_OK) return s;
  const limb_site site = limb_site_of(d->m, frame);
  sp_motion* all = (sp_motion*)(void*)p.columns;
  limb_site_jacobian(d, &site, d->own.X, ref, all);

  gather(&p, LIMB_ACCELERATION_GIVEN, LIMB_FORCE_GIVEN, p.B); // a row of nb for each arm velocity
  double* x = p.B;
  for (int j = 0, c = 0; j < p.nv; j++) {
    if (p.given[j] == LIMB_FORCE_GIVEN) continue;
    limb_cholesky_solve(p.nb, p.L, x);
    J[c] = reduced(&p, all, j, x);
    if (!limb_finite3(J[c].w) || !limb_finite3(J[c].v)) return LIMB_E_NONFINITE;
    c++, x += p.nb;
  }
  return LIMB_OK;
}

// P -= r r' / r.r
static void take_out(int n, const double* r, double length, double* P)
{
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < n; j++) P[i * n + j] -= r[i] / length * (r[j] / length);
  }
}

limb_status limb_reaction_null_space(limb_data* d, const double* q, const unsigned char* given, double* work, double* P,
                                     int* rank)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  parts p;
  if (!P) return LIMB_E_ARG;
  const limb_status s = begin(d, q, given, work, &p);
  if (s != LIMB_OK) return s;
  gather(&p, LIMB_FORCE_GIVEN, LIMB_ACCELERATION_GIVEN, p.B);
  if (!limb_singular_values(p.nb, p.nm, p.B, p.x)) return LIMB_E_NOCONV;
  if (!limb_finite(p.nb, p.x)) return LIMB_E_NONFINITE;

  // P = 1 - sum of r r' over the right singular vectors r
  const ptrdiff_t nm = p.nm;
  int count = 0;
  for (ptrdiff_t i = 0; i < nm * nm; i++) P[i] = i % (nm + 1) == 0;
  for (ptrdiff_t i = 0; i < p.nb; i++) {
    const double* r = p.B + i * nm;
    const double length = sqrt(limb_dot((size_t)nm, r, r));
    if (!(length > SMALLEST_SINGULAR * p.x[0])) continue;
    take_out(p.nm, r, length, P);
    count++;
  }
  if (rank) *rank = count;
  return limb_finite(nm * nm, P) ? LIMB_OK : LIMB_E_NONFINITE;
}
