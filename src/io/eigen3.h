// Principal moments and axes of a rotational inertia.
#ifndef LIMB_EIGEN3_H
#define LIMB_EIGEN3_H

#include "limb/spatial.h"

// Moments in ascending order; column k of axes (may be NULL) is the unit axis of moment k. The columns
// are a rotation up to a sign of one of them. All numbers must be finite.
void limb_principal(const sp_inertia* Y, double moment[3], sp_mat3* axes);

// The rotational part of Y made of moments about axes: sum of moment[k] axis_k axis_k'. Mass and centre
// of mass stay.
sp_inertia limb_from_principal(sp_inertia Y, const double moment[3], const sp_mat3* axes);

#endif
