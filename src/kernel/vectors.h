// Vectors and matrices over `real`: 3-vectors, motions and forces, 3x3 matrices, turns about x and z.
//
// A translation unit includes its scalar vocabulary first (kernel/scalar_*.h); without one the scalar is double.
// Everything is by value and inlined into the caller, so that constants reach every line.
#ifndef LIMB_KERNEL_VECTORS_H
#define LIMB_KERNEL_VECTORS_H

#ifndef LIMB_SCALAR
#include "kernel/scalar_f64.h"
#endif
#include "kernel/target.h"

typedef struct vec3 {
  real x, y, z;
} vec3;

typedef struct kvec3 { // of parameters
  par x, y, z;
} kvec3;

typedef struct mat3 {
  real xx, xy, xz, yx, yy, yz, zx, zy, zz;
} mat3;

typedef struct sym3 {
  real xx, xy, xz, yy, yz, zz;
} sym3;

typedef struct motion {
  vec3 w, v;
} motion;

typedef struct force {
  vec3 n, f;
} force;

typedef struct pose {
  mat3 R;
  vec3 p;
} pose;

#if !defined(SETTLES) || !SETTLES
KERNEL real settled(real x) { return x; } // kernel/scalar_native.h
#endif

// ---- sums of products -----------------------------------------------------------------------------
//
// In the order in which they are written: a product is fused with the sum it is added to. Names with k have
// parameters for the first factors.

KERNEL real madd(real sum, real a, real b) { return add(sum, mul(a, b)); }                // sum + a b
KERNEL real msub(real sum, real a, real b) { return sub(sum, mul(a, b)); }                // sum - a b
KERNEL real kmadd(real sum, par k, real a) { return add(sum, scale(k, a)); }              // sum + k a
KERNEL real kmsub(real sum, par k, real a) { return sub(sum, scale(k, a)); }              // sum - k a
KERNEL real dot2(real a, real b, real c, real d) { return add(mul(a, b), mul(c, d)); }    // a b + c d
KERNEL real det2(real a, real b, real c, real d) { return sub(mul(a, b), mul(c, d)); }    // a b - c d
KERNEL real kdot2(par a, real b, par c, real d) { return add(scale(a, b), scale(c, d)); } // a b + c d
KERNEL real kdet2(par a, real b, par c, real d) { return sub(scale(a, b), scale(c, d)); } // a b - c d
KERNEL real minus(real a, par k) { return kmsub(a, k, number(constant(1))); }             // a - k

// a b + c d + e f  and  a b - c d - e f
KERNEL real kdot3(par a, real b, par c, real d, par e, real f) { return kmadd(kdot2(a, b, c, d), e, f); }
KERNEL real kdet3(par a, real b, par c, real d, par e, real f) { return kmsub(kdet2(a, b, c, d), e, f); }

// ---- vectors --------------------------------------------------------------------------------------

KERNEL vec3 v3(real x, real y, real z) { return (vec3){x, y, z}; }
KERNEL real zero(void) { return number(constant(0)); }
KERNEL real one(void) { return number(constant(1)); }
KERNEL vec3 zero3(void) { return v3(zero(), zero(), zero()); }
KERNEL vec3 add3(vec3 a, vec3 b) { return v3(add(a.x, b.x), add(a.y, b.y), add(a.z, b.z)); }
KERNEL vec3 sub3(vec3 a, vec3 b) { return v3(sub(a.x, b.x), sub(a.y, b.y), sub(a.z, b.z)); }
KERNEL vec3 scale3(real k, vec3 a) { return v3(mul(k, a.x), mul(k, a.y), mul(k, a.z)); }
KERNEL vec3 kscale3(par k, vec3 a) { return v3(scale(k, a.x), scale(k, a.y), scale(k, a.z)); }
KERNEL vec3 number3(kvec3 k) { return v3(number(k.x), number(k.y), number(k.z)); }

// Numbers of the robot that are kept in double whatever the scalar
KERNEL real given(double x) { return number(parameter(x)); }
KERNEL vec3 given3(double x, double y, double z) { return v3(given(x), given(y), given(z)); }

// The same of a base frame's state (limb_ws), which scalars that are symbols keep as such.
#ifdef BASE_CELL
typedef BASE_CELL base_cell;
KERNEL vec3 base3(const base_cell* b) { return v3(b[0], b[1], b[2]); }
#else
typedef double base_cell;
KERNEL vec3 base3(const base_cell* b) { return given3(b[0], b[1], b[2]); }
#endif

// a . b, sum + a . b, and k . a with a vector of parameters
KERNEL real dot3(vec3 a, vec3 b) { return madd(madd(mul(a.x, b.x), a.y, b.y), a.z, b.z); }
KERNEL real add_dot3(real sum, vec3 a, vec3 b) { return madd(madd(madd(sum, a.x, b.x), a.y, b.y), a.z, b.z); }
KERNEL real kdot(kvec3 k, vec3 a) { return kdot3(k.x, a.x, k.y, a.y, k.z, a.z); }

KERNEL vec3 cross3(vec3 a, vec3 b)
{
  return v3(det2(a.y, b.z, a.z, b.y), det2(a.z, b.x, a.x, b.z), det2(a.x, b.y, a.y, b.x));
}

// k x a and a x k with a vector of parameters
KERNEL vec3 kcross3(kvec3 k, vec3 a)
{
  return v3(kdet2(k.y, a.z, k.z, a.y), kdet2(k.z, a.x, k.x, a.z), kdet2(k.x, a.y, k.y, a.x));
}

KERNEL vec3 crossk3(vec3 a, kvec3 k)
{
  return v3(kdet2(k.z, a.y, k.y, a.z), kdet2(k.x, a.z, k.z, a.x), kdet2(k.y, a.x, k.x, a.y));
}

// sum + a x b, the sum first (see add_turn_z), and along z: sum + r z x a, z x a = (-a_y, a_x, 0)
KERNEL vec3 add_cross3(vec3 sum, vec3 a, vec3 b)
{
  return v3(msub(madd(sum.x, a.y, b.z), a.z, b.y), msub(madd(sum.y, a.z, b.x), a.x, b.z),
            msub(madd(sum.z, a.x, b.y), a.y, b.x));
}

KERNEL vec3 add_z_cross(vec3 sum, real r, vec3 a) { return v3(msub(sum.x, r, a.y), madd(sum.y, r, a.x), sum.z); }
KERNEL vec3 kadd_z_cross(vec3 sum, par r, vec3 a) { return v3(kmsub(sum.x, r, a.y), kmadd(sum.y, r, a.x), sum.z); }

// a x b of motions, and a x* F of a force: (a x b)' F = -b' (a x* F)
KERNEL motion crossm(motion a, motion b) { return (motion){cross3(a.w, b.w), add_cross3(cross3(a.w, b.v), a.v, b.w)}; }

KERNEL force crossf(motion a, force F) { return (force){add_cross3(cross3(a.w, F.n), a.v, F.f), cross3(a.w, F.f)}; }

KERNEL motion addm(motion a, motion b) { return (motion){add3(a.w, b.w), add3(a.v, b.v)}; }
KERNEL force addf(force a, force b) { return (force){add3(a.n, b.n), add3(a.f, b.f)}; }
KERNEL force subf(force a, force b) { return (force){sub3(a.n, b.n), sub3(a.f, b.f)}; }
KERNEL force zerof(void) { return (force){zero3(), zero3()}; }

// ---- matrices -------------------------------------------------------------------------------------

KERNEL vec3 column_x(mat3 A) { return v3(A.xx, A.yx, A.zx); }
KERNEL vec3 column_y(mat3 A) { return v3(A.xy, A.yy, A.zy); }
KERNEL vec3 column_z(mat3 A) { return v3(A.xz, A.yz, A.zz); }
KERNEL vec3 column_of(mat3 A, int k) { return k == 0 ? column_x(A) : k == 1 ? column_y(A) : column_z(A); }
KERNEL vec3 row_x(mat3 A) { return v3(A.xx, A.xy, A.xz); }
KERNEL vec3 row_y(mat3 A) { return v3(A.yx, A.yy, A.yz); }
KERNEL vec3 row_z(mat3 A) { return v3(A.zx, A.zy, A.zz); }

KERNEL mat3 columns(vec3 x, vec3 y, vec3 z) { return (mat3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}; }
KERNEL mat3 rows(vec3 x, vec3 y, vec3 z) { return (mat3){x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z}; }

KERNEL mat3 full(sym3 A) { return (mat3){A.xx, A.xy, A.xz, A.xy, A.yy, A.yz, A.xz, A.yz, A.zz}; }
KERNEL sym3 upper(mat3 A) { return (sym3){A.xx, A.xy, A.xz, A.yy, A.yz, A.zz}; }

// A row times b, rounded as a b + c d and then one product more; dot3 adds one product after the other.
KERNEL real row_dot(vec3 row, vec3 b) { return madd(dot2(row.x, b.x, row.y, b.y), row.z, b.z); }

// A b, A' b, and A b of a symmetric matrix and with a vector of parameters
KERNEL vec3 mulv(mat3 A, vec3 b) { return v3(row_dot(row_x(A), b), row_dot(row_y(A), b), row_dot(row_z(A), b)); }

KERNEL vec3 tmulv(mat3 A, vec3 b)
{
  return v3(row_dot(column_x(A), b), row_dot(column_y(A), b), row_dot(column_z(A), b));
}

KERNEL vec3 symv(sym3 A, vec3 b) { return mulv(full(A), b); }
KERNEL vec3 mulk(mat3 A, kvec3 b) { return v3(kdot(b, row_x(A)), kdot(b, row_y(A)), kdot(b, row_z(A))); }

// sum + A b, the sum first
KERNEL vec3 add_mulv(vec3 sum, mat3 A, vec3 b)
{
  return v3(add_dot3(sum.x, row_x(A), b), add_dot3(sum.y, row_y(A), b), add_dot3(sum.z, row_z(A), b));
}

KERNEL sym3 adds(sym3 A, sym3 B)
{
  return (sym3){add(A.xx, B.xx), add(A.xy, B.xy), add(A.xz, B.xz), add(A.yy, B.yy), add(A.yz, B.yz), add(A.zz, B.zz)};
}

KERNEL sym3 subs(sym3 A, sym3 B)
{
  return (sym3){sub(A.xx, B.xx), sub(A.xy, B.xy), sub(A.xz, B.xz), sub(A.yy, B.yy), sub(A.yz, B.yz), sub(A.zz, B.zz)};
}

KERNEL mat3 addM(mat3 A, mat3 B)
{
  return (mat3){add(A.xx, B.xx), add(A.xy, B.xy), add(A.xz, B.xz), add(A.yx, B.yx), add(A.yy, B.yy),
                add(A.yz, B.yz), add(A.zx, B.zx), add(A.zy, B.zy), add(A.zz, B.zz)};
}

// A - a b', where that is symmetric, and of any matrix
KERNEL sym3 sub_outer_sym(sym3 A, vec3 a, vec3 b)
{
  return (sym3){msub(A.xx, a.x, b.x), msub(A.xy, a.x, b.y), msub(A.xz, a.x, b.z),
                msub(A.yy, a.y, b.y), msub(A.yz, a.y, b.z), msub(A.zz, a.z, b.z)};
}

KERNEL mat3 sub_outer(mat3 A, vec3 a, vec3 b)
{
  return rows(sub3(row_x(A), scale3(a.x, b)), sub3(row_y(A), scale3(a.y, b)), sub3(row_z(A), scale3(a.z, b)));
}

// A + h p' + p g', where that is symmetric; with a vector p of parameters
KERNEL sym3 add_outer_pair(sym3 A, vec3 h, vec3 p, vec3 g)
{
  return (sym3){madd(A.xx, p.x, add(h.x, g.x)),       madd(madd(A.xy, h.x, p.y), p.x, g.y),
                madd(madd(A.xz, h.x, p.z), p.x, g.z), madd(A.yy, p.y, add(h.y, g.y)),
                madd(madd(A.yz, h.y, p.z), p.y, g.z), madd(A.zz, p.z, add(h.z, g.z))};
}

KERNEL sym3 kadd_outer_pair(sym3 A, vec3 h, kvec3 p, vec3 g)
{
  return (sym3){kmadd(A.xx, p.x, add(h.x, g.x)),        kmadd(kmadd(A.xy, p.y, h.x), p.x, g.y),
                kmadd(kmadd(A.xz, p.z, h.x), p.x, g.z), kmadd(A.yy, p.y, add(h.y, g.y)),
                kmadd(kmadd(A.yz, p.z, h.y), p.y, g.z), kmadd(A.zz, p.z, add(h.z, g.z))};
}

// tr(A) 1 - A
KERNEL mat3 trace_less(mat3 A)
{
  return (mat3){add(A.yy, A.zz), neg(A.xy), neg(A.xz), neg(A.yx),      add(A.xx, A.zz),
                neg(A.yz),       neg(A.zx), neg(A.zy), add(A.xx, A.yy)};
}

KERNEL mat3 given_matrix(const double* m)
{
  return (mat3){given(m[0]), given(m[1]), given(m[2]), given(m[3]), given(m[4]),
                given(m[5]), given(m[6]), given(m[7]), given(m[8])};
}

// A B, A' B, A B': column by column, and row by row
KERNEL mat3 mulM(mat3 A, mat3 B) { return columns(mulv(A, column_x(B)), mulv(A, column_y(B)), mulv(A, column_z(B))); }
KERNEL mat3 tmulM(mat3 A, mat3 B)
{
  return columns(tmulv(A, column_x(B)), tmulv(A, column_y(B)), tmulv(A, column_z(B)));
}
KERNEL mat3 mulMT(mat3 A, mat3 B) { return rows(mulv(B, row_x(A)), mulv(B, row_y(A)), mulv(B, row_z(A))); }

// R A R'
KERNEL mat3 turned(mat3 R, mat3 A) { return mulMT(mulM(R, A), R); }
KERNEL sym3 turned_sym(mat3 R, sym3 A) { return upper(turned(R, full(A))); }

KERNEL pose no_pose(void)
{
  return (pose){columns(v3(one(), zero(), zero()), v3(zero(), one(), zero()), v3(zero(), zero(), one())), zero3()};
}

// A after B: r -> A.R (B.R r + B.p) + A.p
KERNEL pose compose(pose A, pose B) { return (pose){mulM(A.R, B.R), add_mulv(A.p, A.R, B.p)}; }

// ---- turns about z by an angle given as (c, s), and about x and z by constant ones ----------------

// Rz v and Rz' v
KERNEL vec3 turn_z(real c, real s, vec3 v) { return v3(det2(c, v.x, s, v.y), dot2(s, v.x, c, v.y), v.z); }
KERNEL vec3 back_z(real c, real s, vec3 v) { return v3(dot2(c, v.x, s, v.y), det2(c, v.y, s, v.x), v.z); }

KERNEL vec3 kturn_x(par c, par s, vec3 v) { return v3(v.x, kdet2(c, v.y, s, v.z), kdot2(s, v.y, c, v.z)); }
KERNEL vec3 kback_x(par c, par s, vec3 v) { return v3(v.x, kdot2(c, v.y, s, v.z), kdet2(c, v.z, s, v.y)); }
KERNEL vec3 kturn_z(par c, par s, vec3 v) { return v3(kdet2(c, v.x, s, v.y), kdot2(s, v.x, c, v.y), v.z); }
KERNEL vec3 kback_z(par c, par s, vec3 v) { return v3(kdot2(c, v.x, s, v.y), kdet2(c, v.y, s, v.x), v.z); }

// The same added to a sum. The sum goes first: the turned vector, which a recursion waits for, then
// passes two operations, not three.
KERNEL vec3 add_turn_z(vec3 sum, real c, real s, vec3 v)
{
  return v3(madd(msub(sum.x, s, v.y), c, v.x), madd(madd(sum.y, s, v.x), c, v.y), add(sum.z, v.z));
}

KERNEL vec3 add_back_z(vec3 sum, real c, real s, vec3 v)
{
  return v3(madd(madd(sum.x, s, v.y), c, v.x), madd(msub(sum.y, s, v.x), c, v.y), add(sum.z, v.z));
}

KERNEL vec3 add_kturn_x(vec3 sum, par c, par s, vec3 v)
{
  return v3(add(sum.x, v.x), kmadd(kmsub(sum.y, s, v.z), c, v.y), kmadd(kmadd(sum.z, c, v.z), s, v.y));
}

KERNEL vec3 add_kturn_z(vec3 sum, par c, par s, vec3 v)
{
  return v3(kmadd(kmsub(sum.x, s, v.y), c, v.x), kmadd(kmadd(sum.y, s, v.x), c, v.y), add(sum.z, v.z));
}

// What a turn about z changes in the upper left corner of a matrix: with D = xx - yy and S = xy + yx
//   along = s s D + s c S      leaves xx, goes to yy
//   across = s c D - s s S     goes to xy and yx
typedef struct corner_turn {
  real along, across;
} corner_turn;

KERNEL corner_turn corner_turn_of(real c, real s, real D, real S)
{
  const real ss = mul(s, s), sc = mul(s, c);
  return (corner_turn){dot2(ss, D, sc, S), det2(sc, D, ss, S)};
}

// Rz A Rz' of a symmetric matrix.
KERNEL sym3 turn_sym_z(real c, real s, sym3 A)
{
  const corner_turn t = corner_turn_of(c, s, sub(A.xx, A.yy), add(A.xy, A.xy));
  return (sym3){sub(A.xx, t.along), add(A.xy, t.across),    det2(c, A.xz, s, A.yz),
                add(A.yy, t.along), dot2(s, A.xz, c, A.yz), A.zz};
}

// The same by constant angles; written so that right angles leave plain permutations.
KERNEL sym3 kturn_sym_x(par c, par s, sym3 A)
{
  const real u = kdet2(c, A.yy, s, A.yz), w = kdet2(c, A.yz, s, A.zz);
  const real r = kdot2(s, A.yy, c, A.yz), t = kdot2(s, A.yz, c, A.zz);
  return (sym3){
    A.xx, kdet2(c, A.xy, s, A.xz), kdot2(s, A.xy, c, A.xz), kdet2(c, u, s, w), kdot2(s, u, c, w), kdot2(s, r, c, t)};
}

KERNEL sym3 kturn_sym_z(par c, par s, sym3 A)
{
  const real u = kdet2(c, A.xx, s, A.xy), w = kdet2(c, A.xy, s, A.yy);
  const real r = kdot2(s, A.xx, c, A.xy), t = kdot2(s, A.xy, c, A.yy);
  return (sym3){kdet2(c, u, s, w), kdot2(s, u, c, w),       kdet2(c, A.xz, s, A.yz),
                kdot2(s, r, c, t), kdot2(s, A.xz, c, A.yz), A.zz};
}

// Of a general matrix.
KERNEL mat3 turn_mat_z(real c, real s, mat3 A)
{
  const corner_turn t = corner_turn_of(c, s, sub(A.xx, A.yy), add(A.xy, A.yx));
  return (mat3){sub(A.xx, t.along),     add(A.xy, t.across),    det2(c, A.xz, s, A.yz),
                add(A.yx, t.across),    add(A.yy, t.along),     dot2(s, A.xz, c, A.yz),
                det2(c, A.zx, s, A.zy), dot2(s, A.zx, c, A.zy), A.zz};
}

// By constant angles: turn the rows, then the columns.
KERNEL mat3 kturn_mat_x(par c, par s, mat3 A)
{
  const mat3 T = rows(kturn_x(c, s, row_x(A)), kturn_x(c, s, row_y(A)), kturn_x(c, s, row_z(A)));
  return columns(kturn_x(c, s, column_x(T)), kturn_x(c, s, column_y(T)), kturn_x(c, s, column_z(T)));
}

KERNEL mat3 kturn_mat_z(par c, par s, mat3 A)
{
  const mat3 T = rows(kturn_z(c, s, row_x(A)), kturn_z(c, s, row_y(A)), kturn_z(c, s, row_z(A)));
  return columns(kturn_z(c, s, column_x(T)), kturn_z(c, s, column_y(T)), kturn_z(c, s, column_z(T)));
}

#endif
