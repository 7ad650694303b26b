// Forward dynamics by divide and conquer: parts of a robot, and what its two files share (reference_joins.c).
#ifndef LIMB_REFERENCE_JOINS_IMPL_H
#define LIMB_REFERENCE_JOINS_IMPL_H

#include "limb/batch.h"
#include "verify/reference_impl.h"

enum { SIX = 6, SOLVES = 6, TURN = 15, CROSS = 9, ADD3 = 3, ACROSS = 2 * TURN + CROSS + ADD3 }; // operations

typedef struct limb_joins_matrix {
  double at[SIX][SIX];
} limb_joins_matrix;

typedef double limb_joins_six[SIX];

// A part: one link, or two parts joined.
typedef struct limb_joins_node {
  int left, right;                        // parts that it joins; -1: it is one link
  int body;                               // of one link
  int carrier;                            // of the root of a chain: body that carries it
  int next;                               // root of the next chain on the same body; -1: none
  bool is_tip;                            // its last link is the last of the chain
  double ops;                             // of the last task; negative: it met a singular matrix
  sp_pose X, T;                           // pose of the tip in the base; pose of the base, of one link its own
  sp_motion v, a;                         // of the tip against the base, tip axes
  sp_motion V, A;                         // of the base, of one link its own
  sp_force G, more;                       // force of all links, at the base; on what follows, at the tip
  limb_joins_matrix I, Phi, Lambda, C, W; // C: its inverse
  limb_joins_six p, beta, h0;
  limb_joins_six acc, h; // of the base; on what follows
} limb_joins_node;

// A joint and its link.
typedef struct limb_joins_link {
  limb_reference_joint J;
  limb_joins_matrix Dinv, U; // n x n; columns
  limb_joins_six r, u;       // n: what is left of tau
  double rotor[6];
  int side;       // chains on its link: the first root; -1: none
  sp_motion link; // its acceleration in the solution
} limb_joins_link;

typedef struct limb_joins {
  const limb_model* m;
  limb_environment env;
  const limb_pool* pool;
  const double *q, *v, *tau;
  double *a, *passive, *r; // nv; r: rest of tau
  int nnode, nround;
  int *order, *round; // nodes by rounds; where each begins
  int *height, *rank; // nodes; bodies
  int* heavy;         // bodies: the child with which the chain goes on; -1: its end
  limb_joins_node* node;
  limb_joins_link* leaf; // by body
  sp_pose* T;            // by body
  sp_motion* V;
  sp_force* F;
  sp_inertia guess; // I*
  bool singular;
  limb_reference_joins_report* report;
} limb_joins;

static inline bool limb_joins_is_link(const limb_joins_node* n) { return n->left < 0; }

// Tasks on a node; they return their operations, or a negative number: singular. Up: factors, p and beta; down: the
// accelerations of the solution, which are added to a.
double limb_joins_factor(limb_joins* x, limb_joins_node* n);
double limb_joins_gather(limb_joins* x, limb_joins_node* n);
double limb_joins_spread(limb_joins* x, limb_joins_node* n);

#endif
