// Inertias of simple solids and what is done with them: the textbook formulas (Lynch and Park 2017, chapter 9,
// Ghosal 2010), the parallel-axis theorem and the test for what a rigid body can have.
#include "limb/spatial.h"

#include "base/numeric.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

static sp_inertia centred(double mass, double xx, double yy, double zz)
{
  const sp_inertia Y = {.mass = mass, .xx = xx, .yy = yy, .zz = zz};
  return Y;
}

// Adds mass (|d|^2 1 - d d') to a rotational inertia.
static void add_offset(sp_inertia* Y, double mass, sp_vec3 d)
{
  Y->xx += mass * (d.y * d.y + d.z * d.z);
  Y->yy += mass * (d.x * d.x + d.z * d.z);
  Y->zz += mass * (d.x * d.x + d.y * d.y);
  Y->xy -= mass * d.x * d.y;
  Y->xz -= mass * d.x * d.z;
  Y->yz -= mass * d.y * d.z;
}

// ---- solids -------------------------------------------------------------------------------------------------

// The answer to NULL: no function here returns a status.
static sp_inertia not_a_number(void)
{
  const double x = (double)NAN;
  const sp_inertia r = {x, {x, x, x}, x, x, x, x, x, x};
  return r;
}

sp_inertia limb_inertia_box(double mass, double x, double y, double z)
{
  const double k = mass / 12;
  return centred(mass, k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y));
}

sp_inertia limb_inertia_cylinder(double mass, double radius, double length)
{
  const double across = mass / 12 * (3 * radius * radius + length * length);
  return centred(mass, across, across, mass / 2 * radius * radius);
}

sp_inertia limb_inertia_sphere(double mass, double radius)
{
  const double k = 0.4 * mass * radius * radius;
  return centred(mass, k, k, k);
}

sp_inertia limb_inertia_hollow_cylinder(double mass, double outer, double inner, double length)
{
  const double squares = outer * outer + inner * inner, across = mass / 12 * (3 * squares + length * length);
  return centred(mass, across, across, mass * squares / 2);
}

sp_inertia limb_inertia_cone(double mass, double radius, double height)
{
  const double r2 = radius * radius, across = 3 * mass / 80 * (4 * r2 + height * height);
  sp_inertia Y = centred(mass, across, across, 0.3 * mass * r2);
  Y.com.z = height / 4;
  return Y;
}

sp_inertia limb_inertia_hemisphere(double mass, double radius)
{
  // About the flat side 2/5 m r^2, as the whole sphere; less m (3/8 r)^2 across.
  const double k = mass * radius * radius, across = (0.4 - 9.0 / 64) * k;
  sp_inertia Y = centred(mass, across, across, 0.4 * k);
  Y.com.z = 0.375 * radius;
  return Y;
}

sp_inertia limb_inertia_ellipsoid(double mass, double x, double y, double z)
{
  const double k = mass / 5;
  return centred(mass, k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y));
}

sp_inertia limb_inertia_capsule(double mass, double radius, double length)
{
  // Volumes pi r^2 l and 4/3 pi r^3. A half sphere has its centre of mass 3/8 r from the flat side,
  // which turns the two halves' 2/5 r^2 into 2/5 r^2 + 3/8 r l + l^2 / 4 about the capsule's centre.
  const double r = radius, l = length, volume = l + 4 * r / 3;
  const double tube = volume > 0 ? mass * l / volume : 0, ends = mass - tube;
  const double across = tube * (r * r / 4 + l * l / 12) + ends * (0.4 * r * r + 0.375 * r * l + l * l / 4);
  return centred(mass, across, across, tube * r * r / 2 + 0.4 * ends * r * r);
}

sp_inertia limb_inertia_shell(double mass, double radius)
{
  const double k = 2 * mass * radius * radius / 3;
  return centred(mass, k, k, k);
}

sp_inertia limb_inertia_tube(double mass, double radius, double length)
{
  const double across = mass / 12 * (6 * radius * radius + length * length);
  return centred(mass, across, across, mass * radius * radius);
}

sp_inertia limb_inertia_rod(double mass, double length)
{
  const double across = mass / 12 * length * length;
  return centred(mass, across, across, 0);
}

sp_inertia limb_inertia_point(double mass, sp_vec3 at)
{
  const sp_inertia Y = {.mass = mass, .com = at};
  return Y;
}

sp_inertia limb_inertia_points(double mass, int count, const sp_vec3* at, const double* weight)
{
  // c = sum w r / sum w,   I = m / sum w  sum w (|d|^2 1 - d d'),   d = r - c
  sp_inertia Y = {0};
  double total = 0, largest = 0;
  if (count > 0 && !at) return not_a_number();
  for (int i = 0; i < count && weight; i++) largest = fmax(largest, fabs(weight[i]));
  const int scale = largest > 0 && isfinite(largest) ? -ilogb(largest) : 0; // sums of weights must not overflow
  for (int i = 0; i < count; i++) {
    const double w = weight ? ldexp(weight[i], scale) : 1;
    total += w;
    Y.com = sp_add3(Y.com, sp_scale3(w, at[i]));
  }
  if (count <= 0) return Y;
  Y.mass = mass;
  Y.com = sp_scale3(1 / total, Y.com);
  for (int i = 0; i < count; i++) {
    const double m = mass / total * (weight ? ldexp(weight[i], scale) : 1);
    const sp_vec3 d = sp_sub3(at[i], Y.com);
    Y.xx += m * (d.y * d.y + d.z * d.z), Y.yy += m * (d.x * d.x + d.z * d.z), Y.zz += m * (d.x * d.x + d.y * d.y);
    Y.xy -= m * d.x * d.y, Y.xz -= m * d.x * d.z, Y.yz -= m * d.y * d.z;
  }
  return Y;
}

sp_inertia limb_solid_inertia(limb_solid solid, double mass, const double* lengths)
{
  const double* s = lengths;
  if (!s) return not_a_number();
  switch (solid) {
  case LIMB_SOLID_BOX: return limb_inertia_box(mass, s[0], s[1], s[2]);
  case LIMB_SOLID_SPHERE: return limb_inertia_sphere(mass, s[0]);
  case LIMB_SOLID_SHELL: return limb_inertia_shell(mass, s[0]);
  case LIMB_SOLID_ROD: return limb_inertia_rod(mass, s[0]);
  case LIMB_SOLID_CYLINDER: return limb_inertia_cylinder(mass, s[0], s[1]);
  case LIMB_SOLID_CAPSULE: return limb_inertia_capsule(mass, s[0], s[1]);
  case LIMB_SOLID_TUBE: return limb_inertia_tube(mass, s[0], s[1]);
  case LIMB_SOLID_HOLLOW_CYLINDER: return limb_inertia_hollow_cylinder(mass, s[0], s[1], s[2]);
  case LIMB_SOLID_CONE: return limb_inertia_cone(mass, s[0], s[1]);
  case LIMB_SOLID_HEMISPHERE: return limb_inertia_hemisphere(mass, s[0]);
  case LIMB_SOLID_ELLIPSOID: return limb_inertia_ellipsoid(mass, s[0], s[1], s[2]);
  }
  return limb_inertia_point(0, sp_v3(0, 0, 0));
}

double limb_solid_volume(limb_solid solid, const double* lengths)
{
  const double pi = 3.14159265358979323846;
  const double* s = lengths;
  if (!s) return (double)NAN;
  switch (solid) {
  case LIMB_SOLID_BOX: return s[0] * s[1] * s[2];
  case LIMB_SOLID_SPHERE: return 4 * pi / 3 * s[0] * s[0] * s[0];
  case LIMB_SOLID_CYLINDER: return pi * s[0] * s[0] * s[1];
  case LIMB_SOLID_CAPSULE: return pi * s[0] * s[0] * (s[1] + 4 * s[0] / 3);
  case LIMB_SOLID_HOLLOW_CYLINDER: return pi * (s[0] - s[1]) * (s[0] + s[1]) * s[2];
  case LIMB_SOLID_CONE: return pi / 3 * s[0] * s[0] * s[1];
  case LIMB_SOLID_HEMISPHERE: return 2 * pi / 3 * s[0] * s[0] * s[0];
  case LIMB_SOLID_ELLIPSOID: return 4 * pi / 3 * s[0] * s[1] * s[2];
  case LIMB_SOLID_SHELL:
  case LIMB_SOLID_ROD:
  case LIMB_SOLID_TUBE: break;
  }
  return 0;
}

// ---- composition --------------------------------------------------------------------------------------------

sp_inertia limb_inertia_add(sp_inertia a, sp_inertia b)
{
  // c = c_a + m_b / m d,   I = I_a + I_b + m_a m_b / m (|d|^2 1 - d d'),   d = c_b - c_a
  const double m = a.mass + b.mass;
  const sp_vec3 d = sp_sub3(b.com, a.com);
  sp_inertia r = {.mass = m,
                  .xx = a.xx + b.xx,
                  .xy = a.xy + b.xy,
                  .xz = a.xz + b.xz,
                  .yy = a.yy + b.yy,
                  .yz = a.yz + b.yz,
                  .zz = a.zz + b.zz};
  if (m == 0) return r;
  r.com = a.mass == 0 ? b.com : sp_add3(a.com, sp_scale3(b.mass / m, d));
  add_offset(&r, a.mass * (b.mass / m), d);
  return r;
}

sp_inertia limb_inertia_move(sp_pose X, sp_inertia b)
{
  // I_A = R I_B R'
  const sp_mat3 B = {{b.xx, b.xy, b.xz, b.xy, b.yy, b.yz, b.xz, b.yz, b.zz}};
  const sp_mat3 A = sp_mul3(X.R, sp_mul3(B, sp_transpose3(X.R)));
  const sp_inertia r = {.mass = b.mass,
                        .com = sp_point(X, b.com),
                        .xx = A.m[0],
                        .xy = 0.5 * (A.m[1] + A.m[3]),
                        .xz = 0.5 * (A.m[2] + A.m[6]),
                        .yy = A.m[4],
                        .yz = 0.5 * (A.m[5] + A.m[7]),
                        .zz = A.m[8]};
  return r;
}

// ---- parameters ---------------------------------------------------------------------------------------------

void limb_inertia_about_origin(const sp_inertia* Y, double I[6])
{
  if (!I) return;
  sp_inertia o = Y ? *Y : not_a_number();
  add_offset(&o, o.mass, o.com);
  I[0] = o.xx, I[1] = o.xy, I[2] = o.xz, I[3] = o.yy, I[4] = o.yz, I[5] = o.zz;
}

void limb_inertia_to_parameters(const sp_inertia* Y, double theta[10])
{
  if (!theta) return;
  const sp_inertia none = not_a_number();
  if (!Y) Y = &none;
  theta[0] = Y->mass;
  theta[1] = Y->mass * Y->com.x;
  theta[2] = Y->mass * Y->com.y;
  theta[3] = Y->mass * Y->com.z;
  limb_inertia_about_origin(Y, theta + 4);
}

sp_inertia limb_inertia_from_parameters(const double theta[10])
{
  if (!theta) return not_a_number();
  sp_inertia Y = {
    .mass = theta[0], .xx = theta[4], .xy = theta[5], .xz = theta[6], .yy = theta[7], .yz = theta[8], .zz = theta[9]};
  if (Y.mass == 0) return Y;
  Y.com = sp_v3(theta[1] / Y.mass, theta[2] / Y.mass, theta[3] / Y.mass);
  add_offset(&Y, -Y.mass, Y.com);
  return Y;
}

// ---- what a rigid body can have -----------------------------------------------------------------------------

typedef struct jacobi {
  double A[3][3]; // becomes diagonal
  double V[3][3]; // the product of the rotations: columns are axes
} jacobi;

// One rotation that makes entry (i, j) zero; k is the third index.
static void rotate(jacobi* p, int i, int j, int k)
{
  if (p->A[i][j] == 0) return;
  const double h = (p->A[j][j] - p->A[i][i]) / (2 * p->A[i][j]);
  const double t = copysign(1, h) / (fabs(h) + sqrt(1 + h * h));
  const double c = 1 / sqrt(1 + t * t), s = t * c;
  const double ik = p->A[i][k], jk = p->A[j][k];
  p->A[i][i] -= t * p->A[i][j];
  p->A[j][j] += t * p->A[i][j];
  p->A[i][j] = p->A[j][i] = 0;
  p->A[i][k] = p->A[k][i] = c * ik - s * jk;
  p->A[j][k] = p->A[k][j] = s * ik + c * jk;
  for (int row = 0; row < 3; row++) {
    const double vi = p->V[row][i], vj = p->V[row][j];
    p->V[row][i] = c * vi - s * vj;
    p->V[row][j] = s * vi + c * vj;
  }
}

// Jacobi's method gets small moments right to the rounding of the large ones, where the characteristic polynomial
// loses half of the digits.
void limb_inertia_principal(const sp_inertia* Y, double moment[3], sp_mat3* axes)
{
  enum { SWEEPS = 12 }; // it converges quadratically: six are enough
  const sp_inertia none = not_a_number();
  if (!Y) Y = &none;
  jacobi p = {{{Y->xx, Y->xy, Y->xz}, {Y->xy, Y->yy, Y->yz}, {Y->xz, Y->yz, Y->zz}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  // Scaling by a power of two keeps huge and tiny numbers away from the ends of the range, without rounding.
  double size = 0;
  for (int i = 0; i < 9; i++) size = fmax(size, fabs(p.A[i / 3][i % 3]));
  const int exponent = size > 0 ? ilogb(size) : 0;
  for (int i = 0; i < 9; i++) p.A[i / 3][i % 3] = ldexp(p.A[i / 3][i % 3], -exponent);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    rotate(&p, 0, 1, 2);
    rotate(&p, 0, 2, 1);
    rotate(&p, 1, 2, 0);
  }
  int order[3] = {0, 1, 2};
  for (int pass = 0; pass < 3; pass++) {
    const int k = pass % 2;
    if (p.A[order[k]][order[k]] <= p.A[order[k + 1]][order[k + 1]]) continue;
    const int swap = order[k];
    order[k] = order[k + 1];
    order[k + 1] = swap;
  }
  for (int k = 0; k < 3; k++) {
    if (moment) moment[k] = ldexp(p.A[order[k]][order[k]], exponent);
    for (int row = 0; axes && row < 3; row++) axes->m[3 * row + k] = p.V[row][order[k]];
  }
}

sp_inertia limb_inertia_from_principal(sp_inertia Y, const double moment[3], const sp_mat3* axes)
{
  if (!moment || !axes) return not_a_number();
  Y.xx = Y.xy = Y.xz = Y.yy = Y.yz = Y.zz = 0;
  for (int k = 0; k < 3; k++) {
    const double x = axes->m[k], y = axes->m[3 + k], z = axes->m[6 + k];
    Y.xx += moment[k] * x * x;
    Y.xy += moment[k] * x * y;
    Y.xz += moment[k] * x * z;
    Y.yy += moment[k] * y * y;
    Y.yz += moment[k] * y * z;
    Y.zz += moment[k] * z * z;
  }
  return Y;
}

// A proof for the usual case, without principal moments: no moment reaches half the trace, and so none is
// negative either, if all pivots of (trace / 2) 1 - I lie well above rounding.
static bool clearly_physical(const sp_inertia* Y, double size)
{
  const double half = 0.5 * (Y->xx + Y->yy + Y->zz), threshold = 1e-9 * size;
  const double p0 = half - Y->xx;
  if (!(p0 > threshold)) return false;
  const double p1 = half - Y->yy - Y->xy * Y->xy / p0, r = Y->yz + Y->xy * Y->xz / p0;
  return p1 > threshold && half - Y->zz - Y->xz * Y->xz / p0 - r * r / p1 > threshold;
}

const char* limb_inertia_defect(const sp_inertia* Y)
{
  if (!Y) return "there is no inertia";
  const double size = fabs(Y->xx) + fabs(Y->xy) + fabs(Y->xz) + fabs(Y->yy) + fabs(Y->yz) + fabs(Y->zz);
  if (!isfinite(size) || !isfinite(Y->mass) || !limb_finite3(Y->com)) return "it is not finite";
  if (Y->mass < 0) return "the mass is negative";
  if (size == 0) return NULL;
  if (Y->mass == 0) return "it has an inertia, but no mass";
  if (clearly_physical(Y, size)) return NULL;
  // Rods, discs and point masses lie on the border: allow for rounding, and for nothing else.
  double moment[3];
  limb_inertia_principal(Y, moment, NULL);
  const double rounding = 32 * DBL_EPSILON * size;
  if (moment[0] < -rounding) return "a principal moment of inertia is negative";
  if (moment[2] - moment[1] - moment[0] > rounding)
    return "a principal moment of inertia is larger than the sum of the other two";
  return NULL;
}
