// A stack of tasks as rows: for the calls of limb/task.h.
#ifndef LIMB_TASK_IMPL_H
#define LIMB_TASK_IMPL_H

#include "limb/task.h"

#include "model/data_impl.h"

// J and Jdot v of the motion in d->own, which must hold poses and velocities of the state q, v. LIMB_E_ARG for a
// frame or reference that does not exist, LIMB_E_NONFINITE when a number overflows.
//   columns  6 nv scratch;   J  k x nv;   Jdot_v  k, or NULL
limb_status limb_task_jacobian(const limb_data* d, const double* q, const double* v, const limb_task_stack* tasks,
                               double* columns, double* J, double* Jdot_v);

#endif
