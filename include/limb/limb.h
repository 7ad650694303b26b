// limb: robot dynamics in C. Includes everything.
#ifndef LIMB_LIMB_H
#define LIMB_LIMB_H

#include "limb/base.h"
#include "limb/builder.h"
#include "limb/dynamics.h"
#include "limb/inertia.h"
#include "limb/kinematics.h"
#include "limb/model.h"
#include "limb/reference.h"
#include "limb/spatial.h"
#include "limb/version.h"

#endif
