// The kernels of loops as the entry points see them: a table of functions per scalar type and instruction
// set.
//
// Rows and multipliers are in the order of the clusters: local row r of cluster c is number c.row + r.
#ifndef LIMB_LOOP_KERNELS_H
#define LIMB_LOOP_KERNELS_H

#include "linalg/row_reduce.h"
#include "model/kernels.h"

// name_in: q, v and a are the user's (gears and polynomials read them; a NULL: zero); X, vel and acc those
// of the links (limb_link_motion), vel and acc NULL: at rest. name_out: what is NULL is not wanted.
#define LIMB_LOOP_KERNEL_TYPES(name, real, link_const)                                                               \
  typedef struct name##_in {                                                                                         \
    const real *q, *v, *a;                                                                                           \
    const real *X, *vel, *acc;                                                                                       \
    const unsigned char* wanted; /* nloop: rows, by bits, the others stay as they are; NULL: all */                  \
  } name##_in;                                                                                                       \
  typedef struct name##_out {                                                                                        \
    real* Psi;   /* blocks of the clusters */                                                                        \
    real* phi;   /* nrow */                                                                                          \
    real* bias;  /* nrow: derivative of the rows' velocities, with acc and a */                                      \
    real* reach; /* 6 nrow: moment and force, world axes, of a unit multiplier at the origin */                      \
    /* of b; of gears the slopes by the two velocities */                                                            \
  } name##_out;                                                                                                      \
  typedef void name##_rows_fn(const limb_model* m, const link_const* k, const name##_in* in, const name##_out* out); \
  /* adds to wrench, 6 a link in link axes, and to tau, the user's */                                                \
  typedef void name##_forces_fn(const limb_model* m, const real* X, const real* reach, const real* lambda,           \
                                real* wrench, real* tau)

LIMB_LOOP_KERNEL_TYPES(limb_loop_kernels, double, limb_link_f64);

typedef struct limb_loop_kernels {
  LIMB_KERNEL(limb_loop_kernels, rows);
} limb_loop_kernels;

// Forward dynamics with clusters as joints (loops/cluster_kernel.h). v, tau and a are the user's. Needs
// the coordinates in the workspace, and poses. Not for mimic joints.
enum { LIMB_CLUSTER_DOF = 8 }; // numbers kept of a velocity, one of them for padding

// Numbers of scratch for a cluster of n velocities.
static inline size_t limb_cluster_room(size_t n) { return 4 * n * (n + 4) + 30 * n + 64; }

typedef struct limb_cluster_in {
  const limb_kernels* kernels;
  const double *v, *tau;
  const limb_terms* terms;
  const double* wrench;
  const double* X;
  const limb_reduction* reduced; // of every cluster, gamma carried along
  const int* column;             // ncdof: column in the cluster's block
  const int* first;              // clusters: velocities of those before
  double* room;                  // limb_cluster_room of the largest
  double* kept;                  // LIMB_CLUSTER_DOF times the velocities of all
} limb_cluster_in;

typedef struct limb_cluster_kernels {
  // limb_row_reduce_weighted; columns + extra: fastest as a multiple of LIMB_QUAD
  void (*reduce)(limb_reduction* r, const int* weight, double tolerance);
  // a; the least margin of a pivot
  double (*forward)(const limb_model* m, const limb_link_f64* k, const limb_ws* ws, const limb_cluster_in* in,
                    double* a);
  // the same for a robot that is one cluster on the world
  double (*forward_single)(const limb_model* m, const limb_link_f64* k, const limb_ws* ws, const limb_cluster_in* in,
                           double* a);
} limb_cluster_kernels;

LIMB_DECLARE_TABLES(limb_cluster_kernels, limb_cluster_kernels_f64);
LIMB_DECLARE_TABLES(limb_loop_kernels, limb_loop_kernels_f64);

// The fastest sets that this processor runs.
const limb_loop_kernels* limb_loop_kernels_here(void);
const limb_cluster_kernels* limb_cluster_kernels_here(void);

#endif
