// Closing loops, cluster by cluster: steps of least norm, and Levenberg and Marquardt's iteration on the
// manifold.
//
// What a closure asks for depends on the joints between its frames only, so that clusters are problems of
// their own.
// They are solved side by side: one pass over the tree serves all of them, and each has its own damping.
#ifndef LIMB_CLOSING_H
#define LIMB_CLOSING_H

#include "loops/loops_impl.h"

typedef enum limb_constraint_set { LIMB_CONSTRAINTS_ALL, LIMB_CONSTRAINTS_HOLONOMIC } limb_constraint_set;

// x = A' (A A' + mu)^-1 b: the velocities of a cluster, of least norm but for mu, by which its constraints change
// by b. A: the live rows of Psi in that set, without the columns of held velocities (marks; NULL: none).
// mu is damping times the largest row, squared, and never below what rounding needs. b in the order of the
// clusters. x: nv, of which only those of the cluster are written.
void limb_min_norm_step(limb_loops* w, int cluster, limb_constraint_set rows, const unsigned char* held, double damping,
                        const double* b, double* x);

typedef struct limb_closing {
  double time, tolerance;
  int iterations;
  double damping;            // to begin with
  const unsigned char* held; // NULL: none
  int kicks;                 // random steps away from where an iteration is stuck
  bool within_limits;
  uint64_t* seed; // of the kicks; NULL: there are none
} limb_closing;

// Residual [m, rad] that over-constrained loops may keep where least squares leave it: a file with eight digits of
// poses does not close them better.
#define LIMB_LEFT_OPEN 1e-7

// Of a cluster, in w->order.
enum { LIMB_CLUSTER_OPEN, LIMB_CLUSTER_CLOSED, LIMB_CLUSTER_STUCK };

// Closes the clusters that are marked as open, and marks them as closed or stuck. Uses v1, v4, q1, r1
// ... r3. Leaves the constraints at q, sines of turns beyond a right angle excepted. iterations: how many it took
// is added (may be NULL).
limb_status limb_close(limb_loops* w, const limb_closing* given, double* q, int* iterations);

// The tolerance of residuals, no less than what rounding leaves of positions so far from the world's origin.
// Needs the poses.
double limb_closing_tolerance(const limb_loops* w, double tolerance);

// All clusters get that state.
void limb_set_clusters(limb_loops* w, int state);

// Coordinates of the clusters in that state, held ones excepted, from one configuration to another.
void limb_copy_clusters(const limb_loops* w, int state, const unsigned char* held, const double* from, double* to);

// Largest |phi| of a cluster, in all its constraints. Needs limb_constraints_at.
double limb_cluster_residual(const limb_loops* w, int cluster);

// Held marks: of ball and free joints all or none. LIMB_OK or LIMB_E_ARG.
limb_status limb_check_held(const limb_model* m, const unsigned char* held);

#endif
