// A parallel robot taken apart, and what the files of the platform form share.
//
// V is the platform's twist, in its own axes at its own origin. The equations of a leg are
//
//     J v + J_V V = g        g: 0 for velocities, gamma for accelerations, -phi for steps that close the
//     loops
//
// with a row per constraint of the closures, and where the platform is attached to this leg six more, J_0 v - V = g:
// the leg carries it. (For accelerations V is V' less what the platform has without those of joints: nothing where it
// floats.) Reduced (linalg/dense.h), T [J J_V g] = [1 E T g; 0 E T g], they give
//
//     v = B V + T g,   B = -E   (first rows)            E V = T g   (the others: what the leg forbids)
//
// J is J_i of Khalil 2010, (63), -J_V is J_vi of (64), B is J_i^-1 J_vi.
#ifndef LIMB_PARALLEL_IMPL_H
#define LIMB_PARALLEL_IMPL_H

#include "limb/parallel.h"

#include "base/memory.h"
#include "loops/loops_impl.h"

enum { PLATFORM = 6 }; // velocities of the platform

// No more is left of a row than this share of its terms: it depends on others.
#define LIMB_DEPENDENT 1e-9

// A set of joints and closures that touches others in the world and the platform only. Behind the legs come
// sets that are not legs: a planar joint of the platform's own, and closures between platform and world.
typedef struct limb_leg {
  int nv, *v;         // the user's velocities, ascending
  int nloop, *loop;   // ascending
  signed char* side;  // nloop: 1, -1: V moves frame b, frame a of the closure; 0: both, or none
  bool carries;       // the platform is attached to it: its last six constraints
  int nrow;           // local constraints: of the loops, then those
  ptrdiff_t* at;      // nrow x nv: entry of Psi; -1: zero. Rows of loops only
  limb_reduction eqs; // nrow x (nv + 6 + nrow): [J J_V 1], reduced
  double* size;       // nrow: largest entry of J_V, or more if that may be rounding
  double* g;          // nrow
} limb_leg;

struct limb_parallel {
  const limb_model* m;
  limb_loops* w; // of a workspace without dense matrices, inside
  limb_memory memory;

  int platform;         // body
  int link;             // that it is part of
  sp_pose in_link;      // and where
  bool floats;          // on a free joint in the world; else it is attached to a leg
  sp_pose home;         // floats: pose of the link at coordinates of zero
  int mobility;         // at the start configuration; -1: not known
  int ngroup, nleg;     // legs are the first groups
  limb_leg* leg;        // ngroup
  bool forbids;         // some leg has more constraints than velocities
  int* of_link;         // nlink: leg; -1: the platform's own joint
  int nactive, *active; // the user's velocities with a motor, ascending

  double* B;                     // nv x 6: v = B V + ...
  double* terms;                 // nv: sizes of the terms that the entries of B are sums of; legs only
  limb_reduction allowed;        // what the legs forbid, reduced: up to rows x (6 + 1)
  double N[PLATFORM * PLATFORM]; // 6 x free: V = N y + ...; y: components allowed.pivot[rank ...]
  int free;                      // mobility here
  limb_reduction drives;         // scratch: the equations between V and the drives
  double *v, *a, *tree, *step;   // nv
  double *q, *q_try;             // nq
  double *M, *share;             // nv x nv; nactive x nactive
  double* rates;                 // nactive x 6
};

// Which group a joint or closure belongs to.
typedef struct limb_parts {
  int ngroup, nleg;
  int* of_link; // nlink; -1: the platform's own joint
  int* of_loop; // nloop
} limb_parts;

// ---- their equations (parallel_constraints.c) ---------------------------------------------------------------

// Where Psi and the constraints of each leg are: what does not change.
void limb_legs_prepare(limb_parallel* p);

// Equations of all legs at q, reduced, into B; LIMB_E_SINGULAR: leg *failed (may be NULL) does not follow the
// platform.
limb_status limb_legs_at(limb_parallel* p, const double* q, int* failed);

// g of all legs from the constraints of the workspace; carried: of the six constraints of the leg that carries the
// platform.
void limb_legs_set(limb_parallel* p, double factor, const double* rows, const double* carried);

// x = B V + T g, all velocities; V NULL: zero.
void limb_legs_follow(const limb_parallel* p, const double* V, double* x);

// What the legs forbid at their g, reduced: allowed, N and free.
void limb_legs_restrict(limb_parallel* p);

// Largest |E V - T g| of what the legs forbid, against the largest terms of any constraint.
double limb_legs_resist(const limb_parallel* p, const double* V);

sp_pose limb_platform_pose(const limb_parallel* p); // as limb_legs_at left the links

// Largest residual of a leg's closures; 2 for one that is turned round.
double limb_leg_gap(const limb_parallel* p, const limb_leg* leg);

// ---- in the space of the platform (parallel_dynamics.c) -----------------------------------------------------

static inline void limb_motion_write(sp_motion x, double* to)
{
  to[0] = x.w.x, to[1] = x.w.y, to[2] = x.w.z, to[3] = x.v.x, to[4] = x.v.y, to[5] = x.v.z;
}

static inline sp_motion limb_motion_read(const double* x)
{
  return (sp_motion){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

// Everything that forward dynamics needs at q, v: B, N, gamma in g; V: V' = N y' + V with y' = 0, and p->a, the
// accelerations that belong to it; bias: what the platform's acceleration has beside V'.
limb_status limb_platform_prepare(limb_parallel* p, const double* q, const double* v, double* V, double* bias);

void limb_platform_gather(const limb_parallel* p, const double* f, double* F);   // F = B' f
void limb_platform_inertia(const limb_parallel* p, double* Lambda);              // B' M B, 6 x 6, with M in p->M
void limb_platform_restrict(const limb_parallel* p, const double* F, double* y); // y = N' F
void limb_platform_expand(const limb_parallel* p, const double* y, double* V);   // V += N y

// H = N' Lambda N, free x free, as its Cholesky factor. False when it is not positive definite.
bool limb_platform_factor(const limb_parallel* p, const double* Lambda, double* H);

// x, nv numbers, to the user. LIMB_E_NONFINITE.
limb_status limb_platform_give(const limb_parallel* p, const double* x, double* out);

static inline ptrdiff_t limb_leg_wide(const limb_leg* leg) { return leg->nv + PLATFORM + leg->nrow; }

#endif
