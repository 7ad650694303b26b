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

#include "limb/lagrange.h"

#include "base/numeric.h"
#include "dynamics/environment.h"
#include "dynamics/lagrange_impl.h"
#include "kernel/tables.h"
#include "kinematics/kinematics_impl.h"
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
  return n > LIMB_TENSOR3_MAX ? 0 : n * n * n;
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

// ---- Riemann ------------------------------------------------------------------------------------------------

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
  return n > LIMB_TENSOR4_MAX ? 0 : 2 * n * n * n;
}

limb_status limb_curvature(limb_data* d, const double* q, double* work, double* R)
{
  if (limb_has_loops(d) || (d && d->m->geared)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !work || !R) return LIMB_E_ARG;
  const limb_model* m = d->m;
  if (m->nv > LIMB_TENSOR4_MAX) return LIMB_E_UNSUPPORTED;
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
  if (m->naux > 0) add_structure(m, G, H, H + n, R); // H is scratch for two vectors until it is made
  s = limb_mass_matrix_solve(d, q, (int)(n * n), G, H);
  if (s != LIMB_OK) return s;
  const size_t n2 = n * n;
  for (size_t j = 1; j < n; j++)
    for (size_t i = 0; i < j; i++) add_products(n, G + i * n2, H + j * n2, R + (i * n + j) * n2, R + (j * n + i) * n2);
  return limb_finite((ptrdiff_t)all, R) ? LIMB_OK : LIMB_E_NONFINITE;
}

// ---- traces -------------------------------------------------------------------------------------------------

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
  return n > LIMB_TENSOR4_MAX ? 0 : n * n * n * n + limb_curvature_work(m);
}

limb_status limb_ricci_curvature(limb_data* d, const double* q, double* work, double* Ric)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !work || !Ric) return LIMB_E_ARG;
  if (d->m->nv > LIMB_TENSOR4_MAX) return LIMB_E_UNSUPPORTED;
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
  return n > LIMB_TENSOR4_MAX ? 0 : limb_ricci_curvature_work(m) + n * n;
}

limb_status limb_scalar_curvature(limb_data* d, const double* q, double* work, double* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !work || !out) return LIMB_E_ARG;
  if (d->m->nv > LIMB_TENSOR4_MAX) return LIMB_E_UNSUPPORTED;
  const size_t n = (size_t)d->m->nv;
  double *Ric = work, *Minv = work + n * n;
  limb_status s = limb_ricci_curvature(d, q, work + n * n, Ric);
  if (s == LIMB_OK) s = limb_mass_matrix_inverse(d, q, Minv);
  if (s != LIMB_OK) return s;
  *out = limb_dot(n * n, Minv, Ric);
  return isfinite(*out) ? LIMB_OK : LIMB_E_NONFINITE;
}

// ---- sectional curvature: a plane ---------------------------------------------------------------------------

// By Gauss's equation.
//
// Reference: C. F. Gauss, Disquisitiones generales circa superficies curvas, 1827; any text on submanifolds.
// Cost:      O(n), and two solves with M.
//
// A robot's configurations are a surface in the flat space of the positions of all particles, weighted by
// mass (and of the rotors' angles, which are linear in q). Let A(x, y) be the accelerations of the particles
// that velocities x and y cause together, at rates that stay as they are. The part along the surface is
// c(x, y) = <A(x, y), E>, the velocity forces; what stands out of it bends the surface. For u and w
// orthonormal in M
//
//   K = <A(u,u), A(w,w)> - <A(u,w), A(u,w)> - (c(u,u)' M^-1 c(w,w) - c(u,w)' M^-1 c(u,w))
//
// A and c are quadratic: A(u,w) = (A(u+w, u+w) - A(u,u) - A(w,w)) / 2. On a link with velocity (w; v) and
// spatial acceleration (al; a) of its origin the particle at r has a + w x v + al x r + w x (w x r): a field
// b + B r. Two of them have the product  m b1.b2 + b1.B2 h + b2.B1 h + tr(B1 Sigma B2'), with mass m, first
// moment h and second moments Sigma of the link.

#define NO_PLANE 1e-16 // square of a sine

enum { X_SIZE = 12, MOTION_SIZE = 6, FIELDS = 3 }; // numbers

// M x, of a base at rest without gravity
static void mass_times(limb_data* d, const double* q, const double* x, double* Mx)
{
  const limb_terms rotors = {.rotors = true};
  limb_kernels_of(d)->inverse_dynamics(d->m, d->m->k64, &d->ws, q, d->zeros, x, &rotors, NULL, Mx);
}

// y = x / |x|; the square of the norm
static double unit(limb_data* d, const double* q, const double* x, double* Mx, double* y)
{
  const size_t n = (size_t)d->m->nv;
  mass_times(d, q, x, Mx);
  const double norm2 = limb_dot(n, x, Mx);
  for (size_t k = 0; k < n; k++) y[k] = x[k] / sqrt(norm2);
  return norm2;
}

// Orthonormal u and w from the user's (Gram-Schmidt, twice).
static limb_status orthonormal(limb_data* d, const double* q, double* u, double* w, double* Mx)
{
  const size_t n = (size_t)d->m->nv;
  double sine2 = 1;
  limb_enter_void(d);
  const double uu = unit(d, q, u, Mx, u), ww = unit(d, q, w, Mx, w);
  if (!isfinite(uu) || !isfinite(ww)) return LIMB_E_NONFINITE;
  if (!(uu > 0 && ww > 0)) return LIMB_E_SINGULAR;
  for (int round = 0; round < 2; round++) {
    mass_times(d, q, u, Mx);
    const double along = limb_dot(n, w, Mx);
    for (size_t k = 0; k < n; k++) w[k] -= along * u[k];
    sine2 *= unit(d, q, w, Mx, w);
    if (!(sine2 > NO_PLANE)) return LIMB_E_SINGULAR;
  }
  return limb_finite_v(d, u) && limb_finite_v(d, w) ? LIMB_OK : LIMB_E_NONFINITE;
}

// ---- sectional curvature: fields of acceleration ------------------------------------------------------------

// b + B r
typedef struct field {
  sp_vec3 b;
  sp_mat3 B;
} field;

static sp_motion read_motion(const double* x)
{
  return sp_motion_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5]));
}

// Accelerations of the particles of a link: motions as the kinematics kernel leaves them.
static field acceleration(const double* velocity, const double* spatial)
{
  const sp_motion V = read_motion(velocity), A = read_motion(spatial);
  const sp_vec3 w = V.w, al = A.w;
  const sp_mat3 W = {{0, -w.z, w.y, w.z, 0, -w.x, -w.y, w.x, 0}};
  field f = {sp_add3(A.v, sp_cross3(w, V.v)), sp_mul3(W, W)};
  f.B.m[1] -= al.z, f.B.m[2] += al.y, f.B.m[5] -= al.x;
  f.B.m[3] += al.z, f.B.m[6] -= al.y, f.B.m[7] += al.x;
  return f;
}

// (sum - x - y) / 2
static field mixed(const field* sum, const field* x, const field* y)
{
  field f = {sp_scale3(0.5, sp_sub3(sum->b, sp_add3(x->b, y->b))), sum->B};
  for (int k = 0; k < 9; k++) f.B.m[k] = (sum->B.m[k] - x->B.m[k] - y->B.m[k]) / 2;
  return f;
}

static double product(const limb_moments* Y, const field* x, const field* y)
{
  const sp_vec3 h = limb_moments_first(Y);
  const sp_mat3 Sigma = {{Y->xx, Y->xy, Y->xz, Y->xy, Y->yy, Y->yz, Y->xz, Y->yz, Y->zz}};
  const sp_mat3 BS = sp_mul3(x->B, Sigma);
  double sum = Y->m * sp_dot3(x->b, y->b);
  sum += sp_dot3(x->b, sp_mulv(y->B, h)) + sp_dot3(y->b, sp_mulv(x->B, h));
  for (int k = 0; k < 9; k++) sum += BS.m[k] * y->B.m[k]; // tr(B1 Sigma B2')
  return sum;
}

// ---- sectional curvature: the value -------------------------------------------------------------------------

// One velocity: its motion of the links and its forces c.
typedef struct probe {
  double *x, *c;       // nv
  double *vel, *acc_v; // MOTION_SIZE a link
} probe;

static void run_probe(limb_data* d, const double* q, const probe* p, double* X)
{
  const limb_model* m = d->m;
  const limb_kernels* k = limb_kernels_of(d);
  const limb_terms none = {0};
  k->inverse_dynamics(m, m->k64, &d->ws, q, p->x, d->zeros, &none, NULL, p->c);
  k->link_motion(m, m->k64, &d->ws, q, p->x, NULL, X, p->vel, NULL, p->acc_v);
}

// <A(u,u), A(w,w)> - <A(u,w), A(u,w)>
static double particle_part(const limb_model* m, const probe p[FIELDS])
{
  double sum = 0;
  for (int i = 0; i < m->nlink; i++) {
    field f[FIELDS];
    const ptrdiff_t at = (ptrdiff_t)MOTION_SIZE * i;
    for (int k = 0; k < FIELDS; k++) f[k] = acceleration(p[k].vel + at, p[k].acc_v + at);
    const field uw = mixed(&f[2], &f[0], &f[1]);
    sum += product(&m->inertia[i], &f[0], &f[1]) - product(&m->inertia[i], &uw, &uw);
  }
  return sum;
}

size_t limb_sectional_curvature_work(const limb_model* m)
{
  if (!m) return 0;
  return 8 * (size_t)m->nv + (X_SIZE + 2 * FIELDS * MOTION_SIZE) * (size_t)m->nlink;
}

limb_status limb_sectional_curvature(limb_data* d, const double* q, const double* u, const double* w, double* work,
                                     double* K)
{
  if (limb_has_loops(d) || (d && d->m->geared)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !u || !w || !work || !K) return LIMB_E_ARG;
  const limb_model* m = d->m;
  limb_status s = limb_check_state(d, q, u, w);
  if (s != LIMB_OK) return s;
  const size_t n = (size_t)m->nv, nlink = (size_t)m->nlink;
  double *c = work, *solved = work + FIELDS * n, *X = work + 8 * n;
  probe p[FIELDS]; // u, w and u + w
  for (size_t k = 0; k < FIELDS; k++) {
    double* motions = X + (X_SIZE + 2 * MOTION_SIZE * k) * nlink;
    p[k] = (probe){solved + 2 * n + k * n, c + k * n, motions, motions + MOTION_SIZE * nlink};
  }
  memcpy(p[0].x, u, n * sizeof *u);
  memcpy(p[1].x, w, n * sizeof *w);
  s = orthonormal(d, q, p[0].x, p[1].x, solved);
  if (s != LIMB_OK) return s;
  for (size_t i = 0; i < n; i++) p[2].x[i] = p[0].x[i] + p[1].x[i];
  for (int k = 0; k < FIELDS; k++) run_probe(d, q, &p[k], X);
  for (size_t i = 0; i < n; i++) p[2].c[i] = (p[2].c[i] - p[0].c[i] - p[1].c[i]) / 2; // c(u,w)
  s = limb_mass_matrix_solve(d, q, 2, p[1].c, solved); // M^-1 of c(w,w) and c(u,w), neighbours in c
  if (s != LIMB_OK) return s;
  *K = particle_part(m, p) - (limb_dot(n, p[0].c, solved) - limb_dot(n, p[2].c, solved + n));
  return isfinite(*K) ? LIMB_OK : LIMB_E_NONFINITE;
}
