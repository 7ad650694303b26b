// The builder's shafts, and series-elastic motors: a rotor, its joint and a shaft in one call.
#include "limb/builder.h"

#include "base/memory.h"
#include "base/status.h"
#include "model/builder_check.h"
#include "model/builder_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A shaft is called after the joint it drives.
static void name_shaft(const limb_builder* b, const char* kind, int joint, size_t size, char* where)
{
  if (joint >= 0 && joint < b->njoint)
    (void)snprintf(where, size, "%.10s of joint '%.60s'", kind, b->joint[joint].name);
  else
    (void)snprintf(where, size, "%s", kind);
}

// Room for one more shaft, and for the mark of the joint it drives.
static bool reserve(limb_builder* b, int joint)
{
  void* items = b->shaft;
  const int grown = limb_grow(&b->alloc, &items, &b->shaft_cap, b->nshaft, sizeof *b->shaft);
  b->shaft = items;
  if (!grown) return false;
  while (b->driven_cap <= joint) {
    const int before = b->driven_cap;
    void* marks = b->driven;
    if (!limb_grow(&b->alloc, &marks, &b->driven_cap, before, 1)) return false;
    b->driven = marks;
    memset(b->driven + before, 0, (size_t)(b->driven_cap - before));
  }
  return true;
}

limb_status limb_builder_add_shaft(limb_builder* b, const limb_shaft_def* def, limb_error* err)
{
  if (!b || !def) return limb_fail(err, LIMB_E_ARG, "shaft", "builder or definition is NULL");
  limb_shaft_def own = limb_default_shaft_def(-1, -1);
  limb_status s = limb_read_def(&own, def, sizeof own, offsetof(limb_shaft_def, ratio), "shaft", err);
  if (s) return s;
  char where[sizeof err->where];
  name_shaft(b, "shaft", own.joint, sizeof where, where);
  s = limb_check_shaft(b, &own, where, err);
  if (s) return s;
  if (!reserve(b, own.joint)) return limb_fail(err, LIMB_E_NOMEM, where, "out of memory");
  b->driven[own.joint] = 1;
  b->shaft[b->nshaft++] = own;
  return LIMB_OK;
}

int limb_builder_shaft_count(const limb_builder* b) { return b ? b->nshaft : 0; }

limb_status limb_builder_get_shaft(const limb_builder* b, int shaft, limb_shaft_def* out)
{
  if (!b || !out || shaft < 0 || shaft >= b->nshaft) return LIMB_E_ARG;
  *out = b->shaft[shaft];
  return LIMB_OK;
}

// ---- motors ---------------------------------------------------------------------------------------

// What the parts of a motor do not ask themselves.
static limb_status check_motor(const limb_builder* b, const limb_motor_def* def, const char* where, limb_error* err)
{
  if (def->joint < 0 || def->joint >= b->njoint)
    return limb_fail(err, LIMB_E_ARG, where, "joint is %d: there are %d joints so far", def->joint, b->njoint);
  if (!isfinite(def->rotor_inertia) || !isfinite(def->rotor_mass))
    return limb_fail(err, LIMB_E_NONFINITE, where, "%s is not finite",
                     isfinite(def->rotor_mass) ? "rotor_inertia" : "rotor_mass");
  if (def->rotor_inertia <= 0)
    return limb_fail(err, LIMB_E_ARG, where, "rotor_inertia is %.6g: without inertia the motor's angle has no equation",
                     def->rotor_inertia);
  if (def->coupled != 0 && def->coupled != 1)
    return limb_fail(err, LIMB_E_ARG, where, "coupled is %d instead of 0 or 1", def->coupled);
  if (def->coupled && def->rotor_mass <= 0)
    return limb_fail(err, LIMB_E_ARG, where, "rotor_mass is %.6g: a coupled rotor has a mass", def->rotor_mass);
  if (!def->coupled && def->rotor_mass != 0)
    return limb_fail(err, LIMB_E_ARG, where,
                     "rotor_mass is set, but the rotor is not coupled: its mass belongs to the "
                     "parent's inertia");
  return LIMB_OK;
}

// A flat disc: J about the unit axis a, J / 2 across it, that is J (1 + a a') / 2.
static sp_inertia disc(double mass, double J, sp_vec3 a)
{
  const double h = J / 2;
  return (sp_inertia){.mass = mass,
                      .xx = h * (1 + a.x * a.x),
                      .xy = h * a.x * a.y,
                      .xz = h * a.x * a.z,
                      .yy = h * (1 + a.y * a.y),
                      .yz = h * a.y * a.z,
                      .zz = h * (1 + a.z * a.z)};
}

// The joint of the motor: beside the driven one, about its own axis.
static limb_joint_def motor_joint(const limb_joint_def* driven, const limb_motor_def* def, const char* name, int rotor)
{
  const sp_vec3 a = def->axis;
  limb_joint_def joint = limb_default_joint_def(name, LIMB_REVOLUTE, driven->parent, rotor);
  joint.placement = driven->placement;
  joint.placement.p = sp_add3(driven->placement.p, sp_mulv(driven->placement.R, def->centre));
  joint.axis = a.x == 0 && a.y == 0 && a.z == 0 ? driven->axis : a;
  joint.rotor_inertia = def->coupled ? 0 : def->rotor_inertia;
  joint.coulomb = def->coulomb;
  joint.viscous = def->viscous;
  joint.effort_max = def->effort_max;
  return joint;
}

// Rotor, joint and shaft, one after the other; what was added is taken back when the next one fails.
static limb_status add_parts(limb_builder* b, const limb_motor_def* def, const char* rotor_name, const char* motor_name,
                             limb_error* err)
{
  const limb_body_def rotor = limb_default_body_def(rotor_name);
  int body, motor;
  limb_status s = limb_builder_add_body(b, &rotor, &body, err);
  if (s) return s;
  const limb_joint_def joint = motor_joint(&b->joint[def->joint], def, motor_name, body);
  s = limb_builder_add_joint(b, &joint, &motor, err);
  if (s) {
    limb_drop_body(b);
    return s;
  }
  limb_shaft_def shaft = limb_default_shaft_def(def->joint, motor);
  shaft.ratio = def->ratio;
  shaft.stiffness = def->stiffness;
  shaft.damping = def->damping;
  shaft.rest = def->rest;
  s = limb_builder_add_shaft(b, &shaft, err);
  if (s) {
    limb_drop_joint(b);
    limb_drop_body(b);
    return s;
  }
  if (def->coupled) b->body[body].inertia = disc(def->rotor_mass, def->rotor_inertia, b->joint[motor].axis);
  return LIMB_OK;
}

limb_status limb_builder_add_motor(limb_builder* b, const limb_motor_def* def, int* motor, limb_error* err)
{
  if (!b || !def) return limb_fail(err, LIMB_E_ARG, "motor", "builder or definition is NULL");
  limb_motor_def own = limb_default_motor_def(-1);
  limb_status s = limb_read_def(&own, def, sizeof own, offsetof(limb_motor_def, coupled), "motor", err);
  if (s) return s;
  char where[sizeof err->where];
  name_shaft(b, "motor", own.joint, sizeof where, where);
  s = check_motor(b, &own, where, err);
  if (s) return s;

  const char* driven = b->joint[own.joint].name;
  const size_t size = strlen(driven) + sizeof "_rotor";
  char* names = limb_alloc(&b->alloc, 2 * size);
  if (!names) return limb_fail(err, LIMB_E_NOMEM, where, "out of memory");
  (void)snprintf(names, size, "%s_rotor", driven);
  (void)snprintf(names + size, size, "%s_motor", driven);
  s = add_parts(b, &own, names, names + size, err);
  limb_free(&b->alloc, names, 2 * size);
  if (!s && motor) *motor = b->njoint - 1;
  return s;
}
