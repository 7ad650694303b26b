// Estimates as a robot: inertias, rotors and friction of a builder.
//
// theta has one inertia for a body and all that is fixed to it. The body that it is named after takes the difference
// from what they have together; where that would not be physical, it takes all, and what is fixed to it has no mass.
#include "limb/edit.h"

#include "estimate/ident_impl.h"

#include "base/status.h"

#include <math.h>

enum { BODY = LIMB_BODY_PARAMETERS };

// The joint that carries a body; -1: none.
static int carrier(const limb_model* m, int body, limb_joint_info* out)
{
  for (int j = 0; j < limb_joint_count(m); j++)
    if (limb_get_joint(m, j, out) == LIMB_OK && out->def.child == body) return j;
  return -1;
}

// The body on a moving joint that a body is fixed to, or itself; the world for what does not move.
static int moved_with(const limb_model* m, int body)
{
  limb_joint_info joint;
  while (body != LIMB_WORLD_BODY && carrier(m, body, &joint) >= 0 && joint.def.type == LIMB_FIXED)
    body = joint.def.parent;
  return body;
}

static limb_status empty_others(const limb_ident* x, limb_builder* b, int body)
{
  const sp_inertia none = {0};
  limb_status s = LIMB_OK;
  for (int i = 1; i < limb_body_count(x->m) && s == LIMB_OK; i++)
    if (i != body && moved_with(x->m, i) == moved_with(x->m, body)) s = limb_builder_set_inertia(b, i, &none);
  return s;
}

static limb_status apply_body(const limb_ident* x, limb_builder* b, int body, const double* before, const double* theta)
{
  limb_body_def def;
  double own[BODY];
  limb_status s = limb_builder_get_body(b, body, &def);
  if (s != LIMB_OK) return s;
  limb_inertia_to_parameters(&def.inertia, own);
  for (int k = 0; k < BODY; k++) own[k] += theta[k] - before[k];
  sp_inertia Y = limb_inertia_from_parameters(own);
  if (!(Y.mass > 0) || limb_inertia_defect(&Y)) {
    Y = limb_inertia_from_parameters(theta);
    s = empty_others(x, b, body);
  }
  return s == LIMB_OK ? limb_builder_set_inertia(b, body, &Y) : s;
}

static limb_status apply_joint(limb_builder* b, const limb_parameter_info* info, double value, limb_error* err)
{
  limb_joint_def def;
  const limb_status s = limb_builder_get_joint(b, info->joint, &def);
  if (s != LIMB_OK) return s;
  switch (info->kind) {
  case LIMB_PARAMETER_ROTOR: def.rotor_inertia = value / (def.gear_ratio * def.gear_ratio); break;
  case LIMB_PARAMETER_VISCOUS: def.viscous = value; break;
  case LIMB_PARAMETER_COULOMB: def.coulomb = value; break;
  default: return LIMB_OK; // springs and shafts stay as they are
  }
  return limb_builder_set_joint(b, info->joint, &def, err);
}

limb_status limb_ident_apply(const limb_ident* x, limb_builder* b, limb_error* err)
{
  if (!x || !b) return limb_fail(err, LIMB_E_ARG, "robot", "there is none");
  if (!x->theta) return limb_fail(err, LIMB_E_ORDER, "robot", "there is no physical fit yet: limb_ident_fit_physical");
  if (limb_builder_body_count(b) != limb_body_count(x->m) || limb_builder_joint_count(b) != limb_joint_count(x->m))
    return limb_fail(err, LIMB_E_ARG, "robot", "it is another one than was identified");
  const int np = limb_parameter_count(x->m);
  double* before = x->block; // which is larger than np
  limb_status s = limb_parameters(x->m, before);
  for (int k = 0; k < np && s == LIMB_OK; k++) {
    limb_parameter_info info;
    s = limb_get_parameter(x->m, k, &info);
    if (s != LIMB_OK || x->theta[k] == before[k]) continue;
    if (info.body >= 0) {
      const int first = k - (int)info.kind;
      s = apply_body(x, b, info.body, before + first, x->theta + first);
      k = first + BODY - 1;
    } else {
      s = apply_joint(b, &info, x->theta[k], err);
    }
  }
  return s;
}
