// Christoffel symbols of the second kind; curvature: Riemann's tensor, Ricci's, the scalar.
//
// Reference: Park, Bobrow, Ploen 1995, (66), in directions E_k that need not commute.
// Cost:      O(nv^5), and O(n depth^3) for the derivatives of the symbols.
//
// With the connection G_ijk = <nabla_k E_j, E_i> and [E_k, E_l] = sum_m c^m_kl E_m
//
//   R_ijkl = E_k G_ijl - E_l G_ijk + sum_r (G_ril H_rjk - G_rik H_rjl) - sum_m c^m_kl G_ijm
//
// where H = M^-1 G. In coordinates c is zero and this is (66), with its symbols' third index first.
// Columns of symbols lie side by side here: G_r of the pair (i, l) is at (i nv + l) nv + r.

#include "limb/geometry.h"

#include "base/numeric.h"
#include "dynamics/lagrange_impl.h"
#include "linalg/dense.h"

#include <string.h>

// (j, k, i) from (i, j, k)
static void to_columns(size_t n, const double* G, double* columns)
{
  for (size_t i = 0; i < n; i++)
    for (size_t jk = 0; jk < n * n; jk++) columns[jk * n + i] = G[i * n * n + jk];
}

static void from_columns(size_t n, const double* columns, double* G)
{
  for (size_t jk = 0; jk < n * n; jk++)
    for (size_t i = 0; i < n; i++) G[i * n * n + jk] = columns[jk * n + i];
}

size_t limb_christoffel_second_work(const limb_model* m)
{
  const size_t n = m ? (size_t)m->nv : 0;
  return n > LIMB_TENSOR3_MOST ? 0 : n * n * n;
}

limb_status limb_christoffel_second(limb_data* d, const double* q, double* work, double* G)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!work) return LIMB_E_ARG;
  limb_status s = limb_christoffel(d, q, G);
  if (s != LIMB_OK) return s;
  const size_t n = (size_t)d->m->nv;
  to_columns(n, G, work);
  s = limb_mass_matrix_solve(d, q, (int)(n * n), work, work);
  if (s == LIMB_OK) from_columns(n, work, G);
  return s;
}

// ---- Riemann ----------------------------------------------------------------------------------------

// E_l G_ijk is in R_ijlk, and in R_ijkl with a minus.
static void add_to_curvature(const limb_symbol_sink* s, const int lijk[4], double x)
{
  const size_t n = s->nv, l = (size_t)lijk[0], k = (size_t)lijk[3];
  double* Rij = s->out + ((size_t)lijk[1] * n + (size_t)lijk[2]) * n * n;
  Rij[l * n + k] += x;
  Rij[k * n + l] -= x;
}

// R_ijkl += sum_r (G_ril H_rjk - G_rik H_rjl) for one pair i < j and all k, l, and -R_jikl. Gi and Hj are the
// columns of G_r and H_r with first index i and j.
static void add_products(size_t n, const double* Gi, const double* Hj, double* Rij, double* Rji)
{
  for (size_t l = 1; l < n; l++) {
    for (size_t k = 0; k < l; k++) {
      const double x = limb_dot(n, Gi + l * n, Hj + k * n) - limb_dot(n, Gi + k * n, Hj + l * n);
      Rij[k * n + l] += x, Rji[l * n + k] += x;
      Rij[l * n + k] -= x, Rji[k * n + l] -= x;
    }
  }
}

// R_ijkl -= sum_m c^m_kl G_ijm within the ball and free joints. limb_add_turning has it per velocity:
// with v = e_k its l-th result is -sum_m c^m_kl x_m.
static void add_structure(const limb_model* m, const double* G, double* unit, double* x, double* R)
{
  const size_t n = (size_t)m->nv;
  memset(unit, 0, n * sizeof *unit);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      double* Rij = R + (i * n + j) * n * n;
      for (size_t k = 0; k < n; k++) x[k] = G[(j * n + k) * n + i];
      for (size_t k = 0; k < n; k++) {
        unit[k] = 1;
        limb_add_turning(m, unit, x, Rij + k * n);
        unit[k] = 0;
      }
    }
  }
}

size_t limb_curvature_work(const limb_model* m)
{
  const size_t n = m ? (size_t)m->nv : 0;
  return n > LIMB_TENSOR4_MOST ? 0 : 2 * n * n * n;
}

limb_status limb_curvature(limb_data* d, const double* q, double* work, double* R)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !work || !R) return LIMB_E_ARG;
  const limb_model* m = d->m;
  if (m->nv > LIMB_TENSOR4_MOST) return LIMB_E_UNSUPPORTED;
  limb_lie t;
  limb_status s = limb_lie_at(d, q, &t);
  if (s != LIMB_OK) return s;
  const size_t n = (size_t)m->nv, all = n * n * n * n;
  double *G = work, *H = work + n * n * n;
  const limb_symbol_sink out = {add_to_curvature, R, n};
  memset(R, 0, all * sizeof *R);
  limb_lie_symbol_derivatives(&t, LIMB_CONNECTION, &out);
  limb_lie_symbols(&t, LIMB_CONNECTION, H);
  to_columns(n, H, G);
  if (m->naux > 0) add_structure(m, G, H, H + n, R); // H has room for two vectors until it is made
  s = limb_mass_matrix_solve(d, q, (int)(n * n), G, H);
  if (s != LIMB_OK) return s;
  const size_t n2 = n * n;
  for (size_t j = 1; j < n; j++)
    for (size_t i = 0; i < j; i++) add_products(n, G + i * n2, H + j * n2, R + (i * n + j) * n2, R + (j * n + i) * n2);
  return limb_finite((ptrdiff_t)all, R) ? LIMB_OK : LIMB_E_NONFINITE;
}

// ---- traces -----------------------------------------------------------------------------------------

// M^-1, for traces: entries of R are differences of terms as large as M, and M^-1 multiplies their rounding
// errors twice. LIMB_E_SINGULAR when that leaves no digits. M: scratch, nv x nv.
static limb_status inverse_for_traces(limb_data* d, const double* q, double* M, double* Minv)
{
  limb_status s = limb_mass_matrix(d, q, M);
  if (s == LIMB_OK) s = limb_mass_matrix_inverse(d, q, Minv);
  if (s != LIMB_OK) return s;
  double large = 0, small = 0;
  for (int i = 0; i < d->m->nv; i++) {
    const ptrdiff_t ii = (ptrdiff_t)i * (d->m->nv + 1);
    large = fmax(large, M[ii]), small = fmax(small, Minv[ii]);
  }
  return large * small < 1e11 ? LIMB_OK : LIMB_E_SINGULAR;
}

size_t limb_ricci_curvature_work(const limb_model* m)
{
  const size_t n = m ? (size_t)m->nv : 0;
  return n > LIMB_TENSOR4_MOST ? 0 : n * n * n * n + limb_curvature_work(m);
}

limb_status limb_ricci_curvature(limb_data* d, const double* q, double* work, double* Ric)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !work || !Ric) return LIMB_E_ARG;
  if (d->m->nv > LIMB_TENSOR4_MOST) return LIMB_E_UNSUPPORTED;
  const size_t n = (size_t)d->m->nv;
  double *R = work, *Minv = work + n * n * n * n; // where the symbols were
  limb_status s = limb_curvature(d, q, Minv, R);
  if (s == LIMB_OK) s = inverse_for_traces(d, q, Minv + n * n, Minv);
  if (s != LIMB_OK) return s;
  memset(Ric, 0, n * n * sizeof *Ric);
  for (size_t i = 0; i < n; i++) // Ric_jl += M^-1_ik R_ijkl
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < n; l++) Ric[j * n + l] += Minv[i * n + k] * R[((i * n + j) * n + k) * n + l];
  return limb_finite((ptrdiff_t)(n * n), Ric) ? LIMB_OK : LIMB_E_NONFINITE;
}

size_t limb_scalar_curvature_work(const limb_model* m)
{
  const size_t n = m ? (size_t)m->nv : 0;
  return n > LIMB_TENSOR4_MOST ? 0 : limb_ricci_curvature_work(m) + n * n;
}

limb_status limb_scalar_curvature(limb_data* d, const double* q, double* work, double* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !work || !out) return LIMB_E_ARG;
  if (d->m->nv > LIMB_TENSOR4_MOST) return LIMB_E_UNSUPPORTED;
  const size_t n = (size_t)d->m->nv;
  double *Ric = work, *Minv = work + n * n;
  limb_status s = limb_ricci_curvature(d, q, work + n * n, Ric);
  if (s == LIMB_OK) s = limb_mass_matrix_inverse(d, q, Minv);
  if (s != LIMB_OK) return s;
  *out = limb_dot(n * n, Minv, Ric);
  return isfinite(*out) ? LIMB_OK : LIMB_E_NONFINITE;
}
