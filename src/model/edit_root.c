// Robots held by another link: how the root is attached to the world, and which body it is.
//
// A joint X = F M(q), the pose of its child in its parent, is turned round as in loops/recut.c:
//
//     X^-1 = M(q)^-1 F^-1 = F^-1 (F M(q)^-1 F^-1)
//
// a joint placed at F^-1 with its axes turned by F, if that moves no axis away from the origin; otherwise a body
// without mass stands at M(q)^-1, and the former parent is fixed to it at F^-1.
//
//     M(q)^-1 = M'(q)     axis' = -axis                  revolute, prismatic, helical, cylindrical
//                         axis' = -axis2, axis2' = -axis, coordinates in reverse order             universal
//     M(q)^-1 = M(q')     some q'                        spherical, planar
#include "model/edit_impl.h"

#include "base/status.h"

#include <string.h>

// ---- the base ---------------------------------------------------------------------------------------------

static bool is_base(limb_joint_type type) { return type == LIMB_FIXED || type == LIMB_FREE || type == LIMB_PLANAR; }

static limb_joint_def base_def(const char* name, limb_joint_type type, int child)
{
  limb_joint_def def = limb_default_joint_def(name, type, LIMB_WORLD_BODY, child);
  if (type == LIMB_PLANAR) def.drive = LIMB_DRIVE_PASSIVE; // as a free joint is by default
  return def;
}

// The only joint on the world; -1: there are several.
static int only_joint(const edit* e)
{
  int only = -1, count = 0;
  for (int j = 0; j < e->njoint; j++) {
    if (e->joint[j].parent != LIMB_WORLD_BODY) continue;
    only = j;
    count++;
  }
  return count == 1 ? only : -1;
}

// Moves what is on the world to a body of its own, which stands there. The index of its joint; -1: out of memory.
static int add_ground(edit* e, limb_joint_type type)
{
  const int njoint = e->njoint;
  const int ground = limb_edit_add_body(e, limb_edit_new_name(e, "ground", ""), NULL);
  if (ground < 0) return -1;
  for (int j = 0; j < njoint; j++)
    if (e->joint[j].parent == LIMB_WORLD_BODY && e->joint[j].type != LIMB_FREE) e->joint[j].parent = ground;
  for (int i = 0; i < e->nframe; i++)
    if (e->frame[i].body == LIMB_WORLD_BODY) e->frame[i].body = ground;
  for (int l = 0; l < e->nloop; l++) {
    if (e->loop[l].body_a == LIMB_WORLD_BODY) e->loop[l].body_a = ground;
    if (e->loop[l].body_b == LIMB_WORLD_BODY) e->loop[l].body_b = ground;
  }
  for (int i = 0; i < e->ntendon; i++)
    if (e->tendon[i].ground == LIMB_WORLD_BODY) e->tendon[i].ground = ground;
  const limb_joint_def base = base_def(limb_edit_new_name(e, "base", ""), type, ground);
  return limb_edit_add_joint(e, &base);
}

limb_status limb_builder_set_base(limb_builder* b, limb_joint_type type, limb_error* err)
{
  edit e;
  if (!b) return limb_fail(err, LIMB_E_ARG, "base", "builder is NULL");
  if (!is_base(type)) return limb_fail(err, LIMB_E_ARG, "base", "a base is fixed, planar or free");
  limb_status s = limb_edit_begin(&e, b, 1, NULL, err);
  if (s != LIMB_OK) return limb_edit_end(&e, s);
  const int only = only_joint(&e);
  if (only >= 0 && is_base(e.joint[only].type)) {
    const sp_pose placement = e.joint[only].placement;
    e.joint[only] = base_def(e.joint[only].name, type, e.joint[only].child);
    e.joint[only].placement = placement;
  } else if (type != LIMB_FIXED && add_ground(&e, type) < 0) {
    s = limb_edit_no_memory(&e);
  }
  return limb_edit_end(&e, s);
}

// ---- turning joints round ---------------------------------------------------------------------------------

// The velocities of ball, planar and free joints are in the axes of the child, which becomes the parent: their rotors
// and friction remain only if they are the same about all axes; of planar and free joints they change with the pose.
static bool keeps_forces(const limb_joint_def* def)
{
  bool same = true, none = true;
  for (int k = 0; k < LIMB_JOINT_DOFS; k++) {
    same = same && (k > 2 || def->damping[k] == def->damping[0]);
    none = none && def->damping[k] == 0 && def->armature[k] == 0;
  }
  return def->type == LIMB_SPHERICAL ? same : none || (def->type != LIMB_PLANAR && def->type != LIMB_FREE);
}

bool limb_turn_joint(const limb_joint_def* def, limb_joint_def* out)
{
  limb_joint_def d = *def;
  d.axis = sp_scale3(-1, def->axis);
  if (def->type == LIMB_UNIVERSAL) {
    d.axis = sp_scale3(-1, def->axis2), d.axis2 = sp_scale3(-1, def->axis);
    for (int k = 0; k < 2; k++) d.armature[k] = def->armature[1 - k], d.damping[k] = def->damping[1 - k];
  }
  if (def->type == LIMB_PLANAR) d.axis = def->axis;
  d.parent = def->child, d.child = def->parent;
  *out = d;
  return keeps_forces(def);
}

// The axis of the joint that is turned round, with its former placement F, misses the former parent.
static bool is_offset(limb_joint_type type, const sp_pose* F)
{
  const bool shifted = F->p.x != 0 || F->p.y != 0 || F->p.z != 0;
  return shifted && type != LIMB_PRISMATIC && type != LIMB_FIXED;
}

static limb_status turn(edit* e, int j)
{
  const sp_pose F = e->joint[j].placement;
  limb_joint_def def;
  if (!limb_turn_joint(&e->joint[j], &def))
    return limb_fail(e->err, LIMB_E_UNSUPPORTED, e->joint[j].name,
                     "seen from its other end this joint has rotors or friction that depend on its pose");
  const int parent = e->joint[j].parent;
  if (!is_offset(def.type, &F)) {
    def.placement = sp_invert(F);
    def.axis = sp_mulv(F.R, def.axis), def.axis2 = sp_mulv(F.R, def.axis2);
    e->joint[j] = def;
    return LIMB_OK;
  }
  const char* name = e->body[parent].name;
  def.placement = sp_pose_identity();
  def.child = limb_edit_add_body(e, limb_edit_new_name(e, name, ".axis"), NULL);
  limb_joint_def weld = limb_default_joint_def(limb_edit_new_name(e, name, ".offset"), LIMB_FIXED, def.child, parent);
  weld.placement = sp_invert(F);
  e->joint[j] = def;
  return def.child < 0 || limb_edit_add_joint(e, &weld) < 0 ? limb_edit_no_memory(e) : LIMB_OK;
}

// ---- another root -----------------------------------------------------------------------------------------

// The joint on the world that carries a body; -1: none (a cycle, or a body without joint).
static int base_of(const edit* e, int body)
{
  int j = e->joint_of[body];
  for (int k = 0; k < e->nbody && j >= 0 && e->joint[j].parent != LIMB_WORLD_BODY; k++)
    j = e->joint_of[e->joint[j].parent];
  return j >= 0 && e->joint[j].parent == LIMB_WORLD_BODY ? j : -1;
}

// Whether the joint on the world is the base: it is free; or fixed, and nothing else but free joints is on the world.
static bool stands_alone(const edit* e, int base)
{
  bool alone = e->joint[base].type == LIMB_FIXED;
  if (e->joint[base].type == LIMB_FREE) return true;
  for (int j = 0; j < e->njoint; j++)
    alone = alone && (j == base || e->joint[j].parent != LIMB_WORLD_BODY || e->joint[j].type == LIMB_FREE);
  for (int l = 0; l < e->nloop; l++)
    alone = alone && e->loop[l].body_a != LIMB_WORLD_BODY && e->loop[l].body_b != LIMB_WORLD_BODY;
  for (int i = 0; i < e->ntendon; i++)
    for (int k = 0; k < e->tendon[i].def.points; k++)
      alone = alone && e->tendon[i].def.point[k].body != LIMB_WORLD_BODY;
  return alone;
}

static limb_status reroot(edit* e, int body)
{
  int base = base_of(e, body);
  if (base < 0)
    return limb_fail(e->err, LIMB_E_MODEL, e->body[body].name, "no chain of joints leads from it to the world");
  if (e->joint[base].type == LIMB_PLANAR)
    return limb_fail(e->err, LIMB_E_MODEL, e->joint[base].name,
                     "the base is planar, and another root could leave its plane: make it free or fixed first");
  if (!stands_alone(e, base)) base = add_ground(e, LIMB_FIXED);
  if (base < 0) return limb_edit_no_memory(e);
  limb_status s = LIMB_OK;
  for (int j = e->joint_of[body], next; s == LIMB_OK && j != base; j = next) {
    next = e->joint_of[e->joint[j].parent]; // turning j gives its parent another joint
    s = turn(e, j);
  }
  e->joint[base].child = body;
  return s;
}

limb_status limb_builder_reroot(limb_builder* b, int body, limb_error* err)
{
  edit e;
  if (!b) return limb_fail(err, LIMB_E_ARG, "body", "builder is NULL");
  if (body <= LIMB_WORLD_BODY || body >= b->nbody)
    return limb_fail(err, LIMB_E_ARG, "body", "body is %d: there are bodies 1 to %d", body, b->nbody - 1);
  limb_status s = limb_edit_begin(&e, b, b->nbody + 1, NULL, err);
  if (s == LIMB_OK) s = reroot(&e, body);
  return limb_edit_end(&e, s);
}
