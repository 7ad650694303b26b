// Which bodies and joints of a model have parameters, and where they act.
#ifndef LIMB_REGRESSOR_IMPL_H
#define LIMB_REGRESSOR_IMPL_H

#include "limb/regressor.h"

#include "model/data_impl.h"

// A moving joint carries the body; those fixed to it are part of it.
static inline bool limb_has_parameters(const limb_model* m, int body)
{
  return body != LIMB_WORLD_BODY && m->body[body].carrier == body;
}

static inline bool limb_has_actuator(const limb_model* m, int joint)
{
  return limb_type_nv(m->joint[joint].def.type) == 1;
}

#endif
