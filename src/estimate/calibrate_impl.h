// What the files of calibration share.
//
//   calibrate.c      the object, measurements, answers, the robot
//   calibrate_fit.c  equations, the parameters that they determine, Gauss-Newton's method
#ifndef LIMB_CALIBRATE_IMPL_H
#define LIMB_CALIBRATE_IMPL_H

#include "limb/edit.h"
#include "limb/kinematics.h"

#include <stdbool.h>
#include <stddef.h>

// Equations of a measurement: 3 of position, 3 of rotation, 1 of distance; parameters of a placement.
enum { MEASURED = 7, PLACEMENT = 6, KINDS = 3 };

typedef struct limb_calibration_state {
  double* offset;     // nv
  sp_pose* placement; // of the joints of the path
  sp_pose device, target;
} limb_calibration_state;

struct limb_calibration {
  const limb_model* m;
  limb_calibration_options o;
  limb_dofs* dofs;
  limb_data* d;    // of the tree, as in the model
  sp_pose in_body; // the frame
  int nq, nv;
  int joints; // on the path from the world to the frame
  int* path;
  int n; // parameters: device 6, target 6, offsets nv, placements 6 joints
  limb_calibration_state now;
  double *q, *pose; // of the measurements: nq, and 13: distance, position, rotation by rows
  unsigned* what;
  int count, capacity, fitted;
  bool done;
  double sigma[KINDS]; // of positions, rotations, distances
  int* column;         // found: parameters that are determined
  int found;
  double* change; // n
  double* std;    // n
  char (*name)[128];
  limb_calibration_facts facts;
  char (*note)[300];
  int notes;
  double *shifted, *scratch; // nq; columns of one measurement: MEASURED x n
  sp_pose* at;               // of the joints of the path, in the world: where they stand
};

// Where blocks of parameters begin.
static inline int limb_first_target(void) { return PLACEMENT; }
static inline int limb_first_offset(void) { return 2 * PLACEMENT; }
static inline int limb_first_placement(const limb_calibration* x) { return 2 * PLACEMENT + x->nv; }

// A copy in memory of its own.
bool limb_calibration_copy(const limb_calibration* x, const limb_calibration_state* from, limb_calibration_state* out);
void limb_calibration_state_free(limb_calibration_state* s);

// Joint j of the path.
limb_joint_info limb_calibration_joint(const limb_calibration* x, int j);

// Errors of measurement k, MEASURED numbers, 0 of what was not measured; A: their derivatives, MEASURED x n, the error
// falls by A times the change (NULL: not computed).
limb_status limb_calibration_errors(limb_calibration* x, int k, double e[MEASURED], double* A);

// Fits; sets facts, change, std, column.
limb_status limb_calibration_solve(limb_calibration* x, limb_error* err);

#endif
