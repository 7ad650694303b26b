// Tangents of the configuration manifold, for derivatives with respect to q.
#ifndef LIMB_MANIFOLD_H
#define LIMB_MANIFOLD_H

#include "model/model_impl.h"

// d q / d t for velocities v: a step along it is what a derivative with respect to q means. The norm of
// a quaternion, which need not be 1, does not change.
void limb_configuration_rate(const limb_model* m, const double* q, const double* v, double* dq);

#endif
