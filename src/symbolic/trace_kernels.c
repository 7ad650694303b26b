// The kernels over symbols: the same texts as for numbers (dynamics/kernel_set.h), recorded.
#include "symbolic/trace_kernels.h"

KERNEL bool any_nonfinite(int n, const real* x)
{
  (void)n, (void)x;
  return false;
}

KERNEL bool any_nonfinite_input(int n, const real* x) { return any_nonfinite(n, x); }

KERNEL void sines(int n, const real* x, real* s, real* c)
{
  for (int i = 0; i < n; i++) s[i] = unary(OP_SIN, x[i]), c[i] = unary(OP_COS, x[i]);
}

KERNEL real sign_of(real x, double width)
{
  return width > 0 ? unary(OP_TANH, scale(constant(1 / width), x)) : unary(OP_SIGN, x);
}

#define BASE_CELL  limb_scalar
#define LINK_CONST limb_link_symbol
#include "linalg/spatial_ops.h"

#include "model/place.h"

// The shape of a link needs no arm of its own: the scalar removes what it fixes.
#undef FOR_SHAPE
#undef FOR_FEW_SHAPES
#undef FOR_ROOT_SHAPE
#define FOR_SHAPE(shape, ARM) \
  {                           \
    ARM(shape);               \
  }
#define FOR_FEW_SHAPES FOR_SHAPE
#define FOR_ROOT_SHAPE FOR_SHAPE

#if defined(__clang__) // loops that ask to be unrolled need not be, here
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
#define KERNEL_SET   limb_kernels_symbol
#define KERNEL_TABLE limb_trace_kernels
#include "dynamics/kernel_set.h"

// model/regroup.c over symbols: what stays with a link is what the kernels look at (moments_of), the rest
// moves as a composite body does with the joint at rest.
void limb_trace_regroup(const limb_model* m, const limb_ws* ws, limb_link_symbol* k)
{
  real *q = ws->q, *c = ws->c, *s = ws->s;
  for (int i = m->nlink - 1; i >= 0; i--) {
    const limb_link* link = &m->link[i];
    const limb_link_symbol own = k[i];
    const moments stays = moments_of(link->shape, &own);
    k[i].m = stays.m, k[i].hx = stays.hx, k[i].hy = stays.hy, k[i].hz = stays.hz;
    k[i].xx = stays.xx, k[i].xy = stays.xy, k[i].xz = stays.xz;
    k[i].yy = stays.yy, k[i].yz = stays.yz, k[i].zz = stays.zz;
    if (link->parent < 0) continue;
    const composite moves = {
      sub(own.m, stays.m),
      v3(sub(own.hx, stays.hx), sub(own.hy, stays.hy), sub(own.hz, stays.hz)),
      {sub(own.xx, stays.xx), sub(own.xy, stays.xy), sub(own.xz, stays.xz), sub(own.yy, stays.yy),
       sub(own.yz, stays.yz), sub(own.zz, stays.zz)}};
    const bool slides = link->shape == SHAPE_TRANS;
    q[i] = zero(), c[i] = slides ? own.ct : one(), s[i] = slides ? own.st : zero();
    const place P = place_of(link->shape, &own, ws, i, link->aux);
    const composite at = composite_out(&P, moves);
    limb_link_symbol* p = &k[link->parent];
    p->m = add(p->m, at.m);
    p->hx = add(p->hx, at.h.x), p->hy = add(p->hy, at.h.y), p->hz = add(p->hz, at.h.z);
    p->xx = add(p->xx, at.J.xx), p->xy = add(p->xy, at.J.xy), p->xz = add(p->xz, at.J.xz);
    p->yy = add(p->yy, at.J.yy), p->yz = add(p->yz, at.J.yz), p->zz = add(p->zz, at.J.zz);
  }
}
