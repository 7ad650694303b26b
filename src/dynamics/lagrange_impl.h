// The robot in one common frame, for the closed forms with Lie brackets.
//
// World axes, about the origin of the root link of each tree: a robot far from the world's origin has
// numbers of its own size. There
//
//   S_k        axis of a compiled degree of freedom: motion of its link per unit of velocity
//   I_i        composite inertia: link i and all that it carries
//   E_k        derivative with respect to q_k
//
//   E_k S_i = [S_k, S_i]   when link(k) is link(i) or above it, else 0       Park, Bobrow, Ploen 1995, (53)
//
// so that any scalar made of axes and of the composite of the deepest one, which does not change when all of
// it moves rigidly, has the derivative
//
//   E_k f(S_a, S_b, ...) = sum over the axes strictly above link(k) of f(.. S_a -> [S_a, S_k] ..),
//
// with the composite of the deepest of a, b, ... and k. [,] is the Lie bracket on se(3), sp_crm. Links are
// numbered depth first: of two on one path the smaller number is above.
//
// Rotors add constants to M: they have no part in derivatives.
#ifndef LIMB_LAGRANGE_IMPL_H
#define LIMB_LAGRANGE_IMPL_H

#include "kinematics/kinematics_impl.h"
#include "model/data_impl.h"

typedef struct limb_lie {
  const limb_model* m;
  const sp_pose* X;        // of links: world axes, origin of the tree's root link
  const limb_moments* I_c; // composites: the same axes, about the link's own origin
} limb_lie;

// An axis. link: -1 when there is none above.
typedef struct limb_axis {
  int link, k; // k-th of its link
  int v;       // the user's velocity
  double mult; // of which it is that much
  sp_motion S;
} limb_axis;

// Poses and composites at q, checked, in d->own.X and d->composite.
limb_status limb_lie_at(limb_data* d, const double* q, limb_lie* t);

// y_J += v_J x* x_J over the ball and free joints J, with v_J the joint's velocity and x_J its part of x: in
// components -sum_km c^m_kj v_k x_m.
void limb_add_turning(const limb_model* m, const double* v, const double* x, double* y);

static inline limb_axis limb_axis_of(const limb_lie* t, int link, int k)
{
  const limb_dof* dof = &t->m->dof[t->m->link[link].dof + k];
  const sp_vec3 origin = {0, 0, 0};
  const limb_axis a = {link, k, dof->v, dof->mult, limb_link_axis(t->m, link, k, &t->X[link], origin)};
  return a;
}

// The last axis of a link: with limb_axis_up all axes of the link and of those above it.
static inline limb_axis limb_axis_last(const limb_lie* t, int link)
{
  const limb_axis none = {.link = -1};
  return link < 0 ? none : limb_axis_of(t, link, t->m->link[link].ndof - 1);
}

static inline limb_axis limb_axis_up(const limb_lie* t, limb_axis a)
{
  return a.k > 0 ? limb_axis_of(t, a.link, a.k - 1) : limb_axis_last(t, t->m->link[a.link].parent);
}

// The first axis of a link: with limb_axis_next all axes of it and of the links that follow, up to the
// link `end`.
static inline limb_axis limb_axis_first(const limb_lie* t, int link, int end)
{
  const limb_axis none = {.link = end};
  return link < end ? limb_axis_of(t, link, 0) : none;
}

static inline limb_axis limb_axis_next(const limb_lie* t, limb_axis a, int end)
{
  return a.k + 1 < t->m->link[a.link].ndof ? limb_axis_of(t, a.link, a.k + 1) : limb_axis_first(t, a.link + 1, end);
}

// I_i S
static inline sp_force limb_lie_times(const limb_lie* t, int i, sp_motion S)
{
  const sp_vec3 p = t->X[i].p, origin = {0, 0, 0};
  const sp_motion there = {S.w, sp_add3(S.v, sp_cross3(S.w, p))};
  return limb_force_at(limb_moments_times(&t->I_c[i], there), p, origin);
}

// The force F with S_c . F = sum m u_c . (w_a x u_b) over the particles of composite i, where u = v + w x r
// is the velocity of a particle; antisymmetric in b and c. The brackets of Park, Bobrow, Ploen 1995, (55)-(57):
//   S_c . F = (<[a, b], c> + <[c, a], b> - <[b, c], a>) / 2
static inline sp_force limb_lie_bracket_force(const limb_lie* t, int i, sp_motion a, sp_motion b)
{
  const sp_force gyro = sp_addf(sp_crf(a, limb_lie_times(t, i, b)), sp_crf(b, limb_lie_times(t, i, a)));
  return sp_scalef(0.5, sp_addf(limb_lie_times(t, i, sp_crm(a, b)), gyro));
}

// Where a symbol goes. Of the pair (j, k) of G_ijk the outer axis is the one nearer to the root. Axes of one
// link: the connection has the outer as direction k, the symmetric symbols half of both.
typedef enum limb_symbols { LIMB_SYMMETRIC, LIMB_CONNECTION } limb_symbols;

typedef struct limb_shares {
  double inner_outer, outer_inner; // for (j, k) = (inner, outer) and (outer, inner)
} limb_shares;

static inline limb_shares limb_shares_of(limb_symbols kind, const limb_axis* outer, const limb_axis* inner)
{
  if (outer->link != inner->link) return (limb_shares){1, 1};
  return kind == LIMB_SYMMETRIC ? (limb_shares){0.5, 0.5} : (limb_shares){1, 0};
}

// G cleared and filled, nv^3 numbers.
void limb_lie_symbols(const limb_lie* t, limb_symbols kind, double* G);

// (l, i, j, k, x): one term of E_l G_ijk, in the user's indices.
typedef struct limb_symbol_sink {
  void (*add)(const struct limb_symbol_sink* s, const int lijk[4], double x);
  double* out;
  size_t nv;
} limb_symbol_sink;

// All terms of the derivatives of the symbols.
void limb_lie_symbol_derivatives(const limb_lie* t, limb_symbols kind, const limb_symbol_sink* out);

#endif
