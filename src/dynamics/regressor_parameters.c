// The parameter vector of a model: how long it is, what its entries are, their values.

#include "limb/regressor.h"

#include "base/numeric.h"
#include "model/data_impl.h"

#include <stddef.h>

int limb_parameter_count(const limb_model* m)
{
  int count = 0;
  if (!m) return 0;
  for (int b = 0; b < m->nbody; b++)
    if (limb_has_parameters(m, b)) count += LIMB_BODY_PARAMETERS;
  for (int j = 0; j < m->njoint; j++)
    if (limb_has_actuator(m, j)) count += LIMB_JOINT_PARAMETERS;
  return count + LIMB_SHAFT_PARAMETERS * m->nshaft;
}

static const char* symbol_of(limb_parameter_kind kind)
{
  static const char* const symbol[] = {
#define LIMB_X(name, value, text) [value] = text,
    LIMB_PARAMETER_LIST(LIMB_X)
#undef LIMB_X
  };
  return symbol[kind];
}

// Of a parameter of a joint that turns or slides.
static const char* joint_unit(limb_parameter_kind kind, bool turns)
{
  switch (kind) {
  case LIMB_PARAMETER_ROTOR: return turns ? "kg m^2" : "kg";
  case LIMB_PARAMETER_SHAFT_DAMPING:
  case LIMB_PARAMETER_VISCOUS: return turns ? "N m s/rad" : "N s/m";
  case LIMB_PARAMETER_SHAFT_STIFFNESS:
  case LIMB_PARAMETER_STIFFNESS: return turns ? "N m/rad" : "N/m";
  default: return turns ? "N m" : "N"; // Coulomb friction, offsets
  }
}

static limb_parameter_info body_parameter(const limb_model* m, int body, int k)
{
  const char* unit = k == 0 ? "kg" : k < 4 ? "kg m" : "kg m^2";
  const limb_parameter_kind kind = (limb_parameter_kind)k;
  return (limb_parameter_info){kind, body, -1, m->body[body].name, symbol_of(kind), unit};
}

static limb_parameter_info joint_parameter(const limb_model* m, int joint, limb_parameter_kind kind)
{
  const limb_joint_def* def = &m->joint[joint].def;
  const char* unit = joint_unit(kind, def->type != LIMB_PRISMATIC);
  return (limb_parameter_info){kind, -1, joint, def->name, symbol_of(kind), unit};
}

limb_status limb_get_parameter(const limb_model* m, int index, limb_parameter_info* out)
{
  if (!m || !out || index < 0) return LIMB_E_ARG;
  int k = index;
  for (int b = 0; b < m->nbody; b++) {
    if (!limb_has_parameters(m, b)) continue;
    if (k < LIMB_BODY_PARAMETERS) {
      *out = body_parameter(m, b, k);
      return LIMB_OK;
    }
    k -= LIMB_BODY_PARAMETERS;
  }
  for (int j = 0; j < m->njoint; j++) {
    if (!limb_has_actuator(m, j)) continue;
    if (k < LIMB_JOINT_PARAMETERS) {
      *out = joint_parameter(m, j, (limb_parameter_kind)(LIMB_PARAMETER_ROTOR + k));
      return LIMB_OK;
    }
    k -= LIMB_JOINT_PARAMETERS;
  }
  const int shaft = k / LIMB_SHAFT_PARAMETERS, own = k % LIMB_SHAFT_PARAMETERS;
  if (shaft >= m->nshaft) return LIMB_E_ARG;
  *out = joint_parameter(m, m->shaft[shaft].def.joint, (limb_parameter_kind)(LIMB_PARAMETER_SHAFT_STIFFNESS + own));
  return LIMB_OK;
}

// Where the parameters of a body that has some begin.
static int first_parameter(const limb_model* m, int body)
{
  int before = 0;
  for (int b = 0; b < body; b++) before += limb_has_parameters(m, b);
  return before * LIMB_BODY_PARAMETERS;
}

// Adds the inertia of a body that is fixed to a moving one to the parameters of that one.
static void add_fixed_body(const limb_model* m, int body, double* theta)
{
  const limb_body* own = &m->body[body];
  const sp_pose X = sp_compose(sp_invert(m->body[own->carrier].in_link), own->in_link);
  const sp_inertia Y = limb_inertia_move(X, own->inertia);
  double part[LIMB_BODY_PARAMETERS];
  limb_inertia_to_parameters(&Y, part);
  double* sum = theta + first_parameter(m, own->carrier);
  for (int k = 0; k < LIMB_BODY_PARAMETERS; k++) sum[k] += part[k];
}

limb_status limb_parameters(const limb_model* m, double* theta)
{
  if (!m || !theta) return LIMB_E_ARG;
  double* at = theta;
  for (int b = 0; b < m->nbody; b++) {
    if (!limb_has_parameters(m, b)) continue;
    limb_inertia_to_parameters(&m->body[b].inertia, at);
    at += LIMB_BODY_PARAMETERS;
  }
  for (int b = 0; b < m->nbody; b++) {
    const int carrier = m->body[b].carrier;
    if (carrier != b && carrier != LIMB_WORLD_BODY) add_fixed_body(m, b, theta);
  }
  for (int j = 0; j < m->njoint; j++) {
    if (!limb_has_actuator(m, j)) continue;
    const limb_joint_def* def = &m->joint[j].def;
    at[0] = def->gear_ratio * def->gear_ratio * def->rotor_inertia;
    at[1] = def->viscous;
    at[2] = def->coulomb;
    at[3] = def->stiffness;
    at[4] = 0 - def->stiffness * def->rest; // no -0
    at += LIMB_JOINT_PARAMETERS;
  }
  for (int k = 0; k < m->nshaft; k++, at += LIMB_SHAFT_PARAMETERS) {
    const limb_shaft_def* def = &m->shaft[k].def;
    at[0] = def->stiffness;
    at[1] = def->damping;
    at[2] = 0 - def->stiffness * def->rest;
  }
  return limb_finite(at - theta, theta) ? LIMB_OK : LIMB_E_NONFINITE;
}
