// Sectional curvature by Gauss's equation.
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

#include "limb/geometry.h"

#include "dynamics/environment.h"
#include "kernel/tables.h"
#include "kinematics/whole_body.h"
#include "linalg/dense.h"

#include <string.h>

#define NO_PLANE 1e-16 // square of a sine

enum { X_SIZE = 12, MOTION_SIZE = 6, FIELDS = 3 }; // numbers

// ---- a plane ----------------------------------------------------------------------------------------

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

// ---- fields of acceleration -------------------------------------------------------------------------

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

// ---- curvature --------------------------------------------------------------------------------------

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
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
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
