// Columns of the mass matrix on their way to the root, as many at a time as there are lanes.
//
// A column is the force F that a unit of acceleration takes. A link hands the columns of all that it
// carries to its parent in the same way, so that one instruction works on several of them. `lane_vec` is a
// vector of columns (base/lanes_f64.h), or one column (base/wide_one.h): then a bundle is a force, and
// bundle_out() is force_out().
#ifndef LIMB_COLUMN_KERNEL_H
#define LIMB_COLUMN_KERNEL_H

#ifndef LIMB_LANES_F64_H
#include "base/wide_one.h"
#endif

enum { SIDE = 8 }; // of the square in which a short chain's [M h] fits (linalg/square_kernel.h)

typedef struct wide3 {
  lane_vec x, y, z;
} wide3;

typedef struct bundle { // of forces
  wide3 n, f;
} bundle;

KERNEL lane_vec det2w(real a, lane_vec b, real c, lane_vec d) { return subw(mulw(a, b), mulw(c, d)); }
KERNEL lane_vec dot2w(real a, lane_vec b, real c, lane_vec d) { return addw(mulw(a, b), mulw(c, d)); }
KERNEL lane_vec kdet2w(par a, lane_vec b, par c, lane_vec d) { return subw(scalew(a, b), scalew(c, d)); }
KERNEL lane_vec kdot2w(par a, lane_vec b, par c, lane_vec d) { return addw(scalew(a, b), scalew(c, d)); }
KERNEL lane_vec maddw(lane_vec sum, real a, lane_vec b) { return addw(sum, mulw(a, b)); }
KERNEL lane_vec msubw(lane_vec sum, real a, lane_vec b) { return subw(sum, mulw(a, b)); }
KERNEL lane_vec kmaddw(lane_vec sum, par a, lane_vec b) { return addw(sum, scalew(a, b)); }
KERNEL lane_vec kmsubw(lane_vec sum, par a, lane_vec b) { return subw(sum, scalew(a, b)); }

KERNEL wide3 turn_zw(real c, real s, wide3 v) { return (wide3){det2w(c, v.x, s, v.y), dot2w(s, v.x, c, v.y), v.z}; }

KERNEL wide3 kturn_zw(par c, par s, wide3 v) { return (wide3){kdet2w(c, v.x, s, v.y), kdot2w(s, v.x, c, v.y), v.z}; }

KERNEL wide3 kturn_xw(par c, par s, wide3 v) { return (wide3){v.x, kdet2w(c, v.y, s, v.z), kdot2w(s, v.y, c, v.z)}; }

KERNEL wide3 mulvw(mat3 A, wide3 b)
{
  return (wide3){maddw(dot2w(A.xx, b.x, A.xy, b.y), A.xz, b.z), maddw(dot2w(A.yx, b.x, A.yy, b.y), A.yz, b.z),
                 maddw(dot2w(A.zx, b.x, A.zy, b.y), A.zz, b.z)};
}

// sum + a x b
KERNEL wide3 cross3w_onto(wide3 sum, vec3 a, wide3 b)
{
  return (wide3){msubw(maddw(sum.x, a.y, b.z), a.z, b.y), msubw(maddw(sum.y, a.z, b.x), a.x, b.z),
                 msubw(maddw(sum.z, a.x, b.y), a.y, b.x)};
}

// Forces given in the link, at its origin, expressed in the parent, at the parent's origin (force_out).
KERNEL bundle bundle_out(const place* P, bundle F)
{
  if (is_dense(P->shape)) {
    const wide3 f = mulvw(P->t.R, F.f);
    return (bundle){cross3w_onto(mulvw(P->t.R, F.n), P->t.x, f), f};
  }
  wide3 f = turn_zw(P->c, P->s, F.f), n = turn_zw(P->c, P->s, F.n);
  if (is_sliding(P->shape)) n = (wide3){msubw(n.x, P->r, f.y), maddw(n.y, P->r, f.x), n.z};
  n = (wide3){kmsubw(n.x, P->d, f.y), kmaddw(n.y, P->d, f.x), n.z};
  f = kturn_zw(P->cg, P->sg, kturn_xw(P->ca, P->sa, f));
  n = kturn_zw(P->cg, P->sg, kturn_xw(P->ca, P->sa, n));
  const kvec3 p = P->p; // n + p x f
  n = (wide3){kmaddw(n.x, p.y, f.z), kmaddw(n.y, p.z, f.x), kmaddw(n.z, p.x, f.y)};
  n = (wide3){kmsubw(n.x, p.z, f.y), kmsubw(n.y, p.x, f.z), kmsubw(n.z, p.y, f.x)};
  return (bundle){n, f};
}

// S' F for dof r of the link.
KERNEL lane_vec along(int shape, const link_const* k, bundle F, int r)
{
  if (shape == SHAPE_TRANS) return F.f.z;
  if (shape == SHAPE_SCREW) return addw(F.n.z, scalew(k->pitch, F.f.z));
  if (!is_dense(shape)) return F.n.z;
  const lane_vec row[6] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
  return row[r];
}

// Six rows of lanes.
KERNEL bundle bundle_at(const cell* x)
{
  return (bundle){{lanes_at(x), lanes_at(x + LANES), lanes_at(x + 2 * LANES)},
                  {lanes_at(x + 3 * LANES), lanes_at(x + 4 * LANES), lanes_at(x + 5 * LANES)}};
}

KERNEL void put_bundle(cell* to, bundle F)
{
  put_lanes(to, F.n.x), put_lanes(to + LANES, F.n.y), put_lanes(to + 2 * LANES, F.n.z);
  to += 3 * LANES;
  put_lanes(to, F.f.x), put_lanes(to + LANES, F.f.y), put_lanes(to + 2 * LANES, F.f.z);
}

KERNEL bundle bundle_of(force F)
{
  return (bundle){{every_lane(F.n.x), every_lane(F.n.y), every_lane(F.n.z)},
                  {every_lane(F.f.x), every_lane(F.f.y), every_lane(F.f.z)}};
}

KERNEL bundle no_bundle(void) { return bundle_of(zerof()); }

KERNEL wide3 choose3w(lane_set s, wide3 a, wide3 b)
{
  return (wide3){choose(s, a.x, b.x), choose(s, a.y, b.y), choose(s, a.z, b.z)};
}

// F with another force in one lane.
KERNEL bundle with_force(bundle F, int l, force own)
{
  const bundle G = bundle_of(own);
  return (bundle){choose3w(one_lane(l), G.n, F.n), choose3w(one_lane(l), G.f, F.f)};
}

// F with more force in one lane.
KERNEL bundle with_more(bundle F, int l, force own)
{
  const bundle G = bundle_of(own);
  const wide3 n = {addw(F.n.x, G.n.x), addw(F.n.y, G.n.y), addw(F.n.z, G.n.z)};
  const wide3 f = {addw(F.f.x, G.f.x), addw(F.f.y, G.f.y), addw(F.f.z, G.f.z)};
  return (bundle){choose3w(one_lane(l), n, F.n), choose3w(one_lane(l), f, F.f)};
}

#endif
