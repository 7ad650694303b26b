// A robot with elastic joints made of one without.
#ifndef BENCH_ELASTIC_H
#define BENCH_ELASTIC_H

#include "limb/limb.h"

/// The same robot with springs instead of motors in some joints: they are passive. Consumes rigid.
/// @param elastic    bit j: joint j
/// @param stiffness  [N m/rad]
/// @return the model; NULL when it cannot be made.
limb_model* bench_elastic(limb_model* rigid, unsigned elastic, double stiffness);

#endif
