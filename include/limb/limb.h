// limb: robot dynamics in C. Includes everything.
#ifndef LIMB_LIMB_H
#define LIMB_LIMB_H

#include "limb/assemble.h"
#include "limb/base.h"
#include "limb/base_parameters.h"
#include "limb/builder.h"
#include "limb/closed.h"
#include "limb/derivatives.h"
#include "limb/directional.h"
#include "limb/dynamics.h"
#include "limb/elastic.h"
#include "limb/geometry.h"
#include "limb/hybrid.h"
#include "limb/inertia.h"
#include "limb/kinematics.h"
#include "limb/kinematics_derivatives.h"
#include "limb/lagrange.h"
#include "limb/linearise.h"
#include "limb/loops.h"
#include "limb/model.h"
#include "limb/moving_base.h"
#include "limb/parallel.h"
#include "limb/recut.h"
#include "limb/reference.h"
#include "limb/regressor.h"
#include "limb/second_derivatives.h"
#include "limb/spatial.h"
#include "limb/task.h"
#include "limb/version.h"

#endif
