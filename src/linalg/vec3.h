// Three numbers of a row as a vector, and back.
#ifndef LIMB_VEC3_H
#define LIMB_VEC3_H

#include "limb/spatial.h"

static inline sp_vec3 limb_read3(const double* x) { return sp_v3(x[0], x[1], x[2]); }

static inline void limb_write3(sp_vec3 a, double* x) { x[0] = a.x, x[1] = a.y, x[2] = a.z; }

#endif
