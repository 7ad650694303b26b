// The kernels over symbols: the same text as for numbers (kernel/kernel_set.h), recorded.
#include "codegen/trace.h"

#include <math.h>
#include <string.h>

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

// Generated code cannot look at a state in doubt again, as dynamics/regular.c does: a pivot below this share of what it
// is a difference of, or of all the inertia that is carried, counts as zero, in double as in float.
#undef LIMB_DOUBT
#undef LIMB_DOUBT_SQUARE
#undef DOUBTS
#define LIMB_DOUBT        1e-6
#define DOUBTS            (LIMB_DOUBT / LIMB_DOUBT_SWEEP)
#define LIMB_DOUBT_SQUARE (LIMB_DOUBT / (DOUBTS * DOUBTS))

#define BASE_CELL               limb_scalar
#define LINK_CONST              limb_link_symbol
#define KERNEL_SET              limb_kernels_symbol
#define JOINT_CLASS_AT_RUN_TIME 1 // the scalar removes what the class of a joint fixes
#include "kernel/joint_transform.h"

#if defined(__clang__) // loops need not be unrolled here
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

// What a joint class moves to the parent is zero in a compiled model, unless it is kept on purpose (KEEP_ROUND).
KERNEL moments moments_as_given(int joint_class, const link_const* k)
{
  (void)joint_class;
  return (moments){k->m, k->hx, k->hy, k->hz, k->xx, k->xy, k->xz, k->yy, k->yz, k->zz};
}

#define moments_of moments_as_given
#include "kernel/kernel_set.h"
#undef moments_of

const limb_kernels_symbol limb_trace_kernels = {
  SET(link_motion),           SET(inverse_dynamics), SET(mass_matrix), SET(coriolis_matrix), SET(id_derivatives),
  SET(fd_derivatives),        SET(invert),           SET(aba),         SET(by_mass_matrix),  SET(hybrid),
  SET(hybrid_by_mass_matrix), SET(regressor),        SET(frame_pose),  SET(frame_jacobian),  SET(forward_chain)};

static bool is_zero(real x) { return !x.graph && x.x == 0; }

// Whether a link that turns about z is round: xx = yy and nothing else.
static bool is_round(const limb_link* link, const moments* s)
{
  if (link->joint_class > CLASS_ROT_ANY || s->xx.graph || s->yy.graph || is_zero(s->xx)) return false;
  return is_zero(s->hx) && is_zero(s->hy) && is_zero(s->xy) && is_zero(s->xz) && is_zero(s->yz) &&
         fabs(s->xx.x - s->yy.x) <= 1e-14 * fabs(s->xx.x);
}

// What moves then brings no product of inertia to the parent.
static bool is_right_angle(const limb_link_symbol* k) { return is_zero(k->ca) || is_zero(k->sa); }

// Adds to the inertia of a link what its child has passed to it.
static void gather(limb_link_symbol* p, const composite* x)
{
  p->m = add(p->m, x->m);
  p->hx = add(p->hx, x->h.x), p->hy = add(p->hy, x->h.y), p->hz = add(p->hz, x->h.z);
  p->xx = add(p->xx, x->J.xx), p->xy = add(p->xy, x->J.xy), p->xz = add(p->xz, x->J.xz);
  p->yy = add(p->yy, x->J.yy), p->yz = add(p->yz, x->J.yz), p->zz = add(p->zz, x->J.zz);
}

// What stays with a link is what the kernels look at (moments_of), the rest moves as a composite body does
// with the joint at rest.
void limb_trace_regroup(const limb_model* m, const limb_ws* ws, limb_regrouping how, limb_link_symbol* k)
{
  real *q = ws->q, *c = ws->c, *s = ws->s;
  for (int i = m->nlink - 1; i >= 0; i--) {
    const limb_link* link = &m->link[i];
    const limb_link_symbol own = k[i];
    if (link->joint_class == CLASS_BALL) continue; // its offset is in the model
    moments stays = moments_of(link->joint_class, &own);
    if (how == KEEP_ROUND && is_round(link, &stays) && is_right_angle(&own)) stays.zz = neg(stays.xx);
    k[i].m = stays.m, k[i].hx = stays.hx, k[i].hy = stays.hy, k[i].hz = stays.hz;
    k[i].xx = stays.xx, k[i].xy = stays.xy, k[i].xz = stays.xz;
    k[i].yy = stays.yy, k[i].yz = stays.yz, k[i].zz = stays.zz;
    if (link->parent < 0) continue;
    const composite moves = {sub(own.m, stays.m),
                             v3(sub(own.hx, stays.hx), sub(own.hy, stays.hy), sub(own.hz, stays.hz)),
                             {sub(own.xx, stays.xx), sub(own.xy, stays.xy), sub(own.xz, stays.xz),
                              sub(own.yy, stays.yy), sub(own.yz, stays.yz), sub(own.zz, stays.zz)}};
    const bool slides = link->joint_class == CLASS_TRANS;
    q[i] = zero(), c[i] = slides ? own.ct : one(), s[i] = slides ? own.st : zero();
    const joint_transform P = joint_transform_of(link->joint_class, (context){m, k, ws}, i);
    const composite at = composite_to_parent(&P, moves);
    gather(&k[link->parent], &at);
  }
}

size_t limb_trace_ws_size(const limb_model* m)
{
  limb_arena measure = {0};
  limb_ws ws;
  limb_ws_lay_out(&measure, m, sizeof(limb_scalar), &ws);
  return (measure.used + 63) / 64 * 64;
}

void limb_trace_ws_clear(const limb_model* m, void* memory, size_t ws_size, limb_scalar* base, limb_ws* ws)
{
  limb_arena_release(memory, ws_size);
  memset(memory, 0, ws_size);
  limb_arena arena = limb_arena_over(memory, ws_size);
  limb_ws_lay_out(&arena, m, sizeof(limb_scalar), ws);
  ws->base = (double*)(void*)base;
  ws->base_turns = 0;
}
