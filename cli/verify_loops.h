// What the checks of robots with loops share: states that close the loops, the same robot with its loops
// cut elsewhere, and as a platform on legs.
#ifndef LIMB_CLI_VERIFY_LOOPS_H
#define LIMB_CLI_VERIFY_LOOPS_H

#include "verify.h"

enum {
  VERIFY_CUTS = 16, // other cuts that are looked at, at most
  VERIFY_KKT = 200  // velocities for which all equations are solved at once
};

// The robot with one loop cut elsewhere.
typedef struct verify_cut {
  limb_model* m;
  limb_data* d;
  limb_loops* w;
  double *q, *v, *a, *tau; // q owns the memory of all
} verify_cut;

struct verify_closed {
  limb_loops* w;
  limb_environment env; // as verify's, Coulomb friction smooth: differences go over its step
  int nc;               // rows
  double* start;        // nq: closed
  // The state of verify's seed `seed`: q closed, v and a consistent, tau at joints with a motor.
  uint64_t seed;
  int made;
  limb_status status; // LIMB_OK when there is one
  limb_mobility mobility;
  double step; // of finite differences [s]: smaller where joints are fast, or a singularity is near
  double *q, *v, *a, *tau;
  // Forward dynamics under tau, by all equations at once up to VERIFY_KKT, and sizes of what cancels in it.
  double *acc, *lambda;
  double size_acc, size_force;
  // Scratch.
  double* memory;
  double *qt, *vt, *at, *x, *y, *z; // nq, then nv each
  double *row, *other, *rate;       // nc each
  double* Psi;                      // nc x nv, but for large robots
  unsigned char* mark;              // nv
  sp_force* loads;                  // one per loop
  // Made when first needed.
  int ncut, cuts_made;
  limb_model* pinned; // closures of planar loops as pins, which joints can take the place of; NULL: none
  limb_data* pinned_data;
  verify_cut cut[VERIFY_CUTS];
  limb_parallel* platform;
  int platform_made;
};

// The closed state that belongs to verify's. LIMB_OK, or why there is none.
limb_status verify_close(verify* t);

// Frees what verify_cuts.c made.
void verify_free_cuts(verify_closed* c);

#endif
