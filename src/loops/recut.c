// A loop cut elsewhere: the robot described again, with a closure and a joint exchanged.
//
// A joint between a body with frame F in it and a body with frame G in it is X = F M(q) G^-1: the pose of the
// second in the first. A joint of the tree has G = 1. Turned round, X^-1 = G M(q)^-1 F^-1, where
//
//     M(q)^-1 = M'(q)     axis' = -axis                  revolute, prismatic, helical, cylindrical
//                         axis' = -axis2, axis2' = -axis, coordinates in reverse order             universal
//     M(q)^-1 = M(q')     some q'                        spherical, planar, free
//
// and F M(q) G^-1 = (F G^-1) (G M(q) G^-1): a joint again, its axes turned by G, when G moves no axis away
// from the origin: when it does not shift, or M does not turn. Else a body without mass stands at M(q), and
// the second body is fixed to it at G^-1.

#include "limb/assemble.h"

#include "base/status.h"
#include "model/builder_impl.h"
#include "model/model_impl.h"

#include <math.h>
#include <stdio.h>

enum { NAME = 256 };

typedef struct cut {
  const limb_model* m;
  int loop, joint;
  int near_body, far_body; // of the closure: behind the joint, and not
  bool b_is_behind;        // frame b is on the near body
  limb_builder* b;
  limb_error* err;
  int nhelper;
} cut;

// name = word behind, followed by a number from 2 on.
static limb_status make_name(const cut* c, const char* word, const char* behind, int number, char* name)
{
  char digits[16] = "";
  if (number > 1) (void)snprintf(digits, sizeof digits, "%d", number);
  const int length = snprintf(name, NAME, "%s%s%s", word, behind, digits);
  if (length < NAME) return LIMB_OK;
  return limb_fail(c->err, LIMB_E_UNSUPPORTED, word, "this name is longer than %d letters", NAME - 1);
}

// ---- what may be cut ----------------------------------------------------------------------------------------

// The joint of a closure and the closure of a joint; false when there is none.
static bool joint_of_kind(limb_loop_kind kind, limb_joint_type* type)
{
  switch (kind) {
  case LIMB_LOOP_WELD: *type = LIMB_FIXED; return true;
  case LIMB_LOOP_PIN: *type = LIMB_REVOLUTE; return true;
  case LIMB_LOOP_SLIDER: *type = LIMB_PRISMATIC; return true;
  case LIMB_LOOP_CYLINDRICAL: *type = LIMB_CYLINDRICAL; return true;
  case LIMB_LOOP_BALL: *type = LIMB_SPHERICAL; return true;
  case LIMB_LOOP_UNIVERSAL: *type = LIMB_UNIVERSAL; return true;
  case LIMB_LOOP_PLANAR: *type = LIMB_PLANAR; return true;
  default: return false;
  }
}

static bool kind_of_joint(limb_joint_type type, limb_loop_kind* kind)
{
  for (int k = 0; limb_loop_kind_name((limb_loop_kind)k); k++) {
    limb_joint_type t;
    *kind = (limb_loop_kind)k;
    if (joint_of_kind(*kind, &t) && t == type) return true;
  }
  return false;
}

static limb_status check_loop(const limb_model* m, int loop, limb_error* err)
{
  const limb_loop_def* def = &m->loop[loop].def;
  const limb_prescribed_motion* law = &def->motion;
  limb_joint_type type;
  if (!joint_of_kind(def->kind, &type))
    return limb_fail(err, LIMB_E_UNSUPPORTED, def->name, "a closure of kind %s is not a joint",
                     limb_loop_kind_name(def->kind));
  if (law->fn || law->constant != 0 || law->rate != 0 || law->amplitude != 0)
    return limb_fail(err, LIMB_E_UNSUPPORTED, def->name, "the closure follows a law: a joint does not");
  return LIMB_OK;
}

// What else of the robot speaks of the joint; NULL: nothing.
static const char* who_needs(const limb_model* m, int joint)
{
  for (int j = 0; j < m->njoint; j++) {
    if (m->joint[j].def.mimic == joint) return "another joint mimics it";
  }
  for (int k = 0; k < m->nshaft; k++) {
    if (m->shaft[k].def.joint == joint || m->shaft[k].def.motor == joint) return "a shaft ends there";
  }
  for (int k = m->nshaft; k < m->ncoupling; k++) {
    const limb_coupling* x = &m->coupling[k];
    for (int i = 0; i < x->count; i++)
      if (m->link[x->pull[i].link].joint == joint) return "a tendon pulls it";
  }
  for (int l = 0; l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    if (limb_between_joints(loop) && (loop->def.joint == joint || loop->def.other == joint))
      return "a gear or polynomial names it";
  }
  return NULL;
}

static bool has_forces(const limb_joint_def* def)
{
  bool any = def->rotor_inertia != 0 || def->coulomb != 0 || def->viscous != 0 || def->stiffness != 0;
  for (int k = 0; k < LIMB_JOINT_DOFS; k++) any |= def->armature[k] != 0 || def->damping[k] != 0;
  return any;
}

static limb_status check_joint(const limb_model* m, int joint, limb_error* err)
{
  const limb_joint_def* def = &m->joint[joint].def;
  limb_loop_kind kind;
  const char* why = NULL;
  if (!kind_of_joint(def->type, &kind))
    why = "no closure moves like this type of joint";
  else if (def->mimic >= 0)
    why = "it mimics another joint";
  else if (def->type != LIMB_FIXED && !m->joint[joint].passive)
    why = "it has a motor";
  else if (has_forces(def))
    why = "a closure has no rotor, friction or spring";
  else if (def->type == LIMB_UNIVERSAL && fabs(sp_dot3(def->axis, def->axis2)) > 1e-9)
    why = "its axes are not at right angles";
  else
    why = who_needs(m, joint);
  if (!why) return LIMB_OK;
  return limb_fail(err, LIMB_E_UNSUPPORTED, def->name, "the loop cannot be cut at this joint: %s", why);
}

// Whether the joint carries a body.
static bool is_behind(const limb_model* m, int joint, int body)
{
  for (; body > 0; body = m->body[body].parent) {
    if (m->body[body].joint == joint) return true;
  }
  return false;
}

// ---- joints between frames ----------------------------------------------------------------------------------

// Whether a joint F M(q) G^-1 needs a body in between.
static bool is_offset(limb_joint_type type, const sp_pose* G)
{
  const bool shifted = G->p.x != 0 || G->p.y != 0 || G->p.z != 0;
  return shifted && type != LIMB_PRISMATIC && type != LIMB_FIXED;
}

// A joint F M(q) G^-1; the body in between, if there must be one, is added now, and its fixed joint later.
static limb_status add_between(cut* c, limb_joint_def* def, int parent, const sp_pose* F, int child, const sp_pose* G)
{
  def->parent = parent, def->child = child;
  def->placement = *F;
  if (is_offset(def->type, G)) {
    def->child = c->m->nbody + c->nhelper++;
  } else {
    def->placement = sp_compose(*F, sp_invert(*G));
    def->axis = sp_mulv(G->R, def->axis), def->axis2 = sp_mulv(G->R, def->axis2);
  }
  return limb_builder_add_joint(c->b, def, NULL, c->err);
}

// The closure as a joint, from the far body to the near one.
static limb_status add_closure(cut* c)
{
  const limb_loop_def* loop = &c->m->loop[c->loop].def;
  char name[NAME];
  const int taken = limb_find_joint(c->m, loop->name);
  const bool clash = taken >= 0 && taken != c->joint;
  const limb_status s = make_name(c, loop->name, clash ? "_joint" : "", 1, name);
  if (s != LIMB_OK) return s;
  limb_joint_type type = LIMB_FIXED;
  (void)joint_of_kind(loop->kind, &type);
  limb_joint_def def = limb_default_joint_def(name, type, 0, 0);
  if (type != LIMB_FIXED) def.drive = LIMB_DRIVE_PASSIVE;
  if (type == LIMB_UNIVERSAL) def.axis = sp_v3(1, 0, 0), def.axis2 = sp_v3(0, 1, 0);
  const sp_pose *F = &loop->pose_a, *G = &loop->pose_b;
  if (c->b_is_behind) return add_between(c, &def, c->far_body, F, c->near_body, G);
  (void)limb_turn_joint(&def, &def); // a closure has no forces
  return add_between(c, &def, c->far_body, G, c->near_body, F);
}

static bool is_turned(const cut* c, int joint)
{
  return joint != c->joint && is_behind(c->m, c->joint, c->m->joint[joint].def.child) &&
         is_behind(c->m, joint, c->near_body);
}

static limb_status add_joints(cut* c)
{
  const sp_pose none = sp_pose_identity();
  limb_status s = LIMB_OK;
  for (int j = 0; s == LIMB_OK && j < c->m->njoint; j++) {
    const limb_joint_def* given = &c->m->joint[j].def;
    limb_joint_def def = *given;
    if (is_turned(c, j) && !limb_turn_joint(given, &def))
      return limb_fail(c->err, LIMB_E_UNSUPPORTED, given->name,
                       "the loop cannot be cut there: seen from its other end this joint has rotors or friction that "
                       "depend on its pose");
    if (j == c->joint)
      s = add_closure(c);
    else if (is_turned(c, j))
      s = add_between(c, &def, given->child, &none, given->parent, &given->placement);
    else
      s = limb_builder_add_joint(c->b, &def, NULL, c->err);
  }
  return s;
}

// ---- bodies in between --------------------------------------------------------------------------------------

// Calls f for each joint that add_between gave a body in between, in the same order: its name, the body that
// is then fixed to it, and G.
typedef limb_status helper_fn(cut* c, const char* name, int child, const sp_pose* G);

static limb_status each_helper(cut* c, helper_fn* f)
{
  const limb_loop_def* loop = &c->m->loop[c->loop].def;
  limb_status s = LIMB_OK;
  for (int j = 0; s == LIMB_OK && j < c->m->njoint; j++) {
    const limb_joint_def* def = &c->m->joint[j].def;
    const sp_pose* G = &def->placement;
    limb_joint_type type = def->type;
    if (j == c->joint) {
      G = c->b_is_behind ? &loop->pose_b : &loop->pose_a;
      (void)joint_of_kind(loop->kind, &type);
    } else if (!is_turned(c, j)) {
      continue;
    }
    if (!is_offset(type, G)) continue;
    const bool closure = j == c->joint;
    s = f(c, closure ? loop->name : def->name, closure ? c->near_body : def->parent, G);
  }
  return s;
}

// A name for both the body and its joint that nothing else has.
static limb_status helper_name(const cut* c, const char* of, char* name)
{
  limb_status s = make_name(c, of, "_turned", 1, name);
  for (int k = 2; s == LIMB_OK; k++) {
    if (limb_find_frame(c->m, name) < 0 && limb_find_joint(c->m, name) < 0) break;
    s = make_name(c, of, "_turned", k, name);
  }
  return s;
}

static limb_status add_helper_body(cut* c, const char* of, int child, const sp_pose* G)
{
  (void)child, (void)G;
  char name[NAME];
  const limb_status s = helper_name(c, of, name);
  const limb_body_def def = limb_default_body_def(name);
  return s == LIMB_OK ? limb_builder_add_body(c->b, &def, NULL, c->err) : s;
}

static limb_status add_helper_joint(cut* c, const char* of, int child, const sp_pose* G)
{
  char name[NAME];
  const limb_status s = helper_name(c, of, name);
  limb_joint_def def = limb_default_joint_def(name, LIMB_FIXED, limb_builder_find_body(c->b, name), child);
  def.placement = sp_invert(*G);
  return s == LIMB_OK ? limb_builder_add_joint(c->b, &def, NULL, c->err) : s;
}

// ---- the joint as a closure ---------------------------------------------------------------------------------

// A rotation with z along the axis; universal: x along the first and y along the second.
static sp_mat3 axes_of(const limb_joint_def* def)
{
  sp_vec3 x, y, z;
  if (def->type == LIMB_FIXED || def->type == LIMB_SPHERICAL) return sp_identity3();
  if (def->type == LIMB_UNIVERSAL) {
    x = def->axis, y = def->axis2, z = sp_cross3(x, y);
  } else {
    z = def->axis;
    const sp_vec3 off = fabs(z.x) < 0.6 ? sp_v3(1, 0, 0) : sp_v3(0, 1, 0);
    y = sp_cross3(z, off), y = sp_scale3(1 / sp_norm3(y), y), x = sp_cross3(y, z);
  }
  return (sp_mat3){{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
}

static limb_status add_loops(cut* c)
{
  const limb_model* m = c->m;
  limb_status s = LIMB_OK;
  for (int l = 0; s == LIMB_OK && l < m->nloop; l++) {
    if (l != c->loop) {
      s = limb_builder_add_loop(c->b, &m->loop[l].def, NULL, c->err);
      continue;
    }
    const limb_joint_def* joint = &m->joint[c->joint].def;
    char name[NAME];
    const int taken = limb_find_loop(m, joint->name);
    const bool clash = taken >= 0 && taken != c->loop;
    s = make_name(c, joint->name, clash ? "_loop" : "", 1, name);
    if (s != LIMB_OK) return s;
    limb_loop_kind kind = LIMB_LOOP_WELD;
    (void)kind_of_joint(joint->type, &kind);
    limb_loop_def def = limb_default_loop_def(name, kind, joint->parent, joint->child);
    def.pose_b.R = axes_of(joint);
    def.pose_a = sp_compose(joint->placement, def.pose_b);
    s = limb_builder_add_loop(c->b, &def, NULL, c->err);
  }
  return s;
}

// ---- the robot ----------------------------------------------------------------------------------------------

static limb_status add_bodies(cut* c)
{
  const limb_model* m = c->m;
  limb_status s = LIMB_OK;
  for (int i = 1; s == LIMB_OK && i < m->nbody; i++) {
    limb_body_def def = limb_default_body_def(m->body[i].name);
    def.inertia = m->body[i].inertia;
    s = limb_builder_add_body(c->b, &def, NULL, c->err);
  }
  return s == LIMB_OK ? each_helper(c, add_helper_body) : s;
}

static limb_status describe(cut* c)
{
  const limb_model* m = c->m;
  limb_status s = limb_builder_set_name(c->b, m->name);
  if (s == LIMB_OK) s = limb_builder_set_gravity(c->b, m->gravity);
  if (s != LIMB_OK) return limb_fail(c->err, s, m->name, "%s", limb_status_text(s));
  s = add_bodies(c);
  if (s == LIMB_OK) s = add_joints(c);
  if (s == LIMB_OK) s = each_helper(c, add_helper_joint);
  for (int i = 0; s == LIMB_OK && i < m->nframe; i++)
    s = limb_builder_add_frame(c->b, m->frame[i].name, m->frame[i].body, &m->frame[i].pose, NULL, c->err);
  for (int i = 0; s == LIMB_OK && i < m->nshaft; i++) s = limb_builder_add_shaft(c->b, &m->shaft[i].def, c->err);
  for (int i = 0; s == LIMB_OK && i < limb_tendon_count(m); i++)
    s = limb_builder_add_tendon(c->b, &m->tendon[i], NULL, c->err);
  return s == LIMB_OK ? add_loops(c) : s;
}

limb_status limb_recut(const limb_model* m, int loop, int joint, const limb_allocator* alloc, limb_model** out,
                       limb_error* err)
{
  if (!out) return limb_fail(err, LIMB_E_ARG, NULL, "out is NULL");
  *out = NULL;
  if (!m || (alloc && (!alloc->alloc || !alloc->free)))
    return limb_fail(err, LIMB_E_ARG, NULL, "no model, or an incomplete allocator");
  if (loop < 0 || loop >= m->nloop || joint < 0 || joint >= m->njoint)
    return limb_fail(err, LIMB_E_ARG, m->name, "loop %d and joint %d: there are %d loops and %d joints", loop, joint,
                     m->nloop, m->njoint);
  limb_status s = check_loop(m, loop, err);
  if (s != LIMB_OK) return s;
  const limb_loop_def* def = &m->loop[loop].def;
  const bool a = is_behind(m, joint, def->body_a), b = is_behind(m, joint, def->body_b);
  if (a == b)
    return limb_fail(err, LIMB_E_ARG, m->joint[joint].def.name, "this joint is not on the loop of closure '%s'",
                     def->name);
  s = check_joint(m, joint, err);
  if (s != LIMB_OK) return s;
  cut c = {.m = m, .loop = loop, .joint = joint, .b_is_behind = b, .err = err};
  c.near_body = b ? def->body_b : def->body_a;
  c.far_body = b ? def->body_a : def->body_b;
  s = limb_builder_create(alloc, &c.b);
  if (s != LIMB_OK) return limb_fail(err, s, m->name, "%s", limb_status_text(s));
  s = describe(&c);
  if (s == LIMB_OK) s = limb_builder_build(c.b, out, err);
  limb_builder_destroy(c.b);
  return s;
}
