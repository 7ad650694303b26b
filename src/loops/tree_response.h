// How the spanning tree gives way to forces of its closures: what the methods share that are linear in the number of
// links (loops/forward_tree.c).
#ifndef LIMB_TREE_RESPONSE_H
#define LIMB_TREE_RESPONSE_H

#include "loops/loops_impl.h"

enum { LIMB_LOOP_ENDS = 4 }; // links that a closure pushes, at most: those of a gear and what carries them

// In the arena of a workspace; NULL while it measures.
limb_response* limb_response_lay_out(limb_arena* a, const limb_model* m);

// Articulated inertias, nodes and wrenches at the configuration of the workspace: needs reach and the poses of the
// links. O(n + m). False when M may be singular.
bool limb_response_at(limb_loops* w);

// Whether the articulated inertias lose so many digits that what follows from them is to be corrected.
bool limb_response_in_doubt(const limb_loops* w);

// Multipliers act one after the other: clear, then add each, then settle.
void limb_response_clear(limb_loops* w);
void limb_response_push(limb_loops* w, int row, double lambda); // row: in the order of the clusters

// Psi M^-1 Psi' lambda of what was pushed, all constraints, in the order of the clusters: O(m). It consumes the forces:
// call limb_response_sweep before it and limb_response_clear after it.
void limb_response_settle(limb_loops* w, double* y);

// a += M^-1 (tau + Psi' lambda) of what was pushed: O(n). tau: nv, the user's; NULL: none.
void limb_response_sweep(limb_loops* w, const double* tau, double* a);

// The block of Psi M^-1 Psi' of one loop, by the nodes between its frames: nrow x nrow. Nothing may be pushed.
void limb_response_block(limb_loops* w, int loop, double* block);

#endif
