// The parameters of the geometry: elementary turns and shifts in the placement of joints. The robot is built once more
// with a joint at that place for every parameter: massless, at zero, at rest. Its coordinate is the parameter, so that
// the derivatives by q of limb/kinematics.h and limb/derivatives.h are the answer.
//
//   POSES  T(x, y, z) [x y z] Rz(yaw) [yaw] Ry(pitch) [pitch] Rx(roll) [roll]  joint
//   MDH    Rz(gamma) Tz(b) [gamma b] Rx(alpha) Tx(d) [alpha d] Rz(theta) Tz(r) [theta r]  joint about z
//   DH     Rz(theta) Tz(d) [theta d]  joint about z  Tx(a) Rx(alpha) [a alpha]
//   POE    M_p^-1 [axis] M_F  joint  M_F^-1 [axis]^-1 M_i: what follows is attached here;  [home]  the body
//
// [axis]^-1 are followers of the joints of [axis], with the opposite sign. M_F is the home of the joint frame.
// Reference: F. Park, J. Bobrow, S. Ploen, 1995; I.-M. Chen, G. Yang, C. Tan, S. Yeo, Local POE model for robot
// kinematic calibration, 2001. Cost: that of a robot with np more joints.
#include "base/memory.h"
#include "base/status.h"
#include "ident/geometry_impl.h"
#include "model/compile_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PER_JOINT = 12, WORD = 12, NAME_SIZE = 24 };

static const char* const words[] = {"x",       "y",       "z",      "roll",   "pitch",  "yaw",     "gamma",
                                    "b",       "alpha",   "d",      "theta",  "r",      "a",       "axis_rx",
                                    "axis_ry", "axis_rz", "axis_x", "axis_y", "axis_z", "home_rx", "home_ry",
                                    "home_rz", "home_x",  "home_y", "home_z"};
enum { X, Y, Z, ROLL, PITCH, YAW, GAMMA, B, ALPHA, D, THETA, R, A, AXIS, HOME = AXIS + 6 };

// ---- elementary motions -------------------------------------------------------------------------------------

static const sp_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

sp_pose limb_elementary(int motion, double x)
{
  if (motion >= PX) return sp_pose_make(sp_identity3(), sp_scale3(x, unit[motion - PX]));
  return sp_pose_make(sp_rot_axis(unit[motion], x), sp_v3(0, 0, 0));
}

sp_pose limb_turn_and_shift(int turn, double angle, double shift)
{
  return sp_compose(limb_elementary(turn, angle), limb_elementary(turn + PX, shift));
}

bool limb_has_screw(limb_joint_type type)
{
  return type == LIMB_REVOLUTE || type == LIMB_PRISMATIC || type == LIMB_HELICAL || type == LIMB_CYLINDRICAL;
}

// MDH: the joint frame turned so that z is on the axis.
sp_pose limb_onto_axis(const limb_joint_def* def)
{
  const bool has_axis = limb_has_screw(def->type) || def->type == LIMB_UNIVERSAL || def->type == LIMB_PLANAR;
  return sp_pose_make(has_axis ? limb_rotation_onto(def->axis) : sp_identity3(), sp_v3(0, 0, 0));
}

// The joint "NAME.offset" behind the auxiliary body that a joint moves; -1: there is none.
int limb_offset_joint(const limb_model* m, int joint)
{
  const int body = limb_stands_for(m, m->joint[joint].def.child);
  return body < 0 ? -1 : m->body[body].joint;
}

// ---- a chain of joints and constant poses -------------------------------------------------------------------

typedef struct chain {
  limb_geometry* g;
  limb_builder* b;
  int joint; // of the model
  int at;    // body
  sp_pose pending;
  limb_status status;
} chain;

static void fix(chain* c, sp_pose pose) { c->pending = sp_compose(c->pending, pose); }

static int new_body(chain* c)
{
  char name[NAME_SIZE];
  int body = 0;
  (void)snprintf(name, sizeof name, "\n%d", c->b->nbody);
  const limb_body_def def = limb_default_body_def(name);
  if (c->status == LIMB_OK) c->status = limb_builder_add_body(c->b, &def, &body, NULL);
  return body;
}

static int add_joint(chain* c, limb_joint_def* def)
{
  char name[NAME_SIZE];
  int joint = 0;
  (void)snprintf(name, sizeof name, "\n%d", c->b->njoint);
  def->name = name, def->parent = c->at, def->placement = c->pending;
  if (c->status == LIMB_OK) c->status = limb_builder_add_joint(c->b, def, &joint, NULL);
  def->name = ""; // the builder has its own copy
  c->at = def->child, c->pending = sp_pose_identity();
  return joint;
}

static void fix_to(chain* c, int body)
{
  limb_joint_def def = limb_default_joint_def("", LIMB_FIXED, 0, body);
  (void)add_joint(c, &def);
}

// leader: the joint that it follows backwards; -1: none.
static int add_motion(chain* c, int motion, int leader)
{
  const limb_joint_type type = motion >= PX ? LIMB_PRISMATIC : LIMB_REVOLUTE;
  limb_joint_def def = limb_default_joint_def("", type, 0, new_body(c));
  def.axis = unit[motion % 3];
  if (leader >= 0) def.mimic = leader, def.multiplier = -1;
  return add_joint(c, &def);
}

// The parameter `slot` of the joint. Not all stand in the order in which they are listed.
static void add_parameter(chain* c, int slot, int word, int motion, double value)
{
  limb_geometry* g = c->g;
  geometry_parameter* p = &g->parameter[g->first[c->joint] + slot];
  *p = (geometry_parameter){.joint = c->joint, .motion = motion, .word = word, .value = value};
  p->extra = add_motion(c, motion, -1);
  g->np++;
}

// The joint itself stands at the end of the chain.
static void put_joint(chain* c)
{
  limb_joint_def* def = &c->b->joint[c->joint];
  def->parent = c->at, def->placement = c->pending;
  c->pending = sp_pose_identity();
}

// A body behind the joint, from which the chain goes on to its child.
static void go_behind(chain* c)
{
  limb_joint_def* def = &c->b->joint[c->joint];
  c->at = def->child;
  if (limb_offset_joint(c->g->m, c->joint) >= 0) return; // its auxiliary body
  c->at = new_body(c);
  c->b->joint[c->joint].child = c->at;
}

static void end_at_child(chain* c)
{
  const int offset = limb_offset_joint(c->g->m, c->joint);
  if (offset < 0) {
    fix_to(c, c->g->m->joint[c->joint].def.child);
    return;
  }
  c->b->joint[offset].parent = c->at, c->b->joint[offset].placement = c->pending;
}

// ---- the forms ----------------------------------------------------------------------------------------------

static void extend_pose(chain* c, const limb_joint_def* def)
{
  const sp_vec3 p = def->placement.p, rpy = sp_rpy_rot(def->placement.R);
  c->at = def->parent;
  fix(c, sp_pose_make(sp_identity3(), p));
  add_parameter(c, 0, X, PX, p.x), add_parameter(c, 1, Y, PY, p.y), add_parameter(c, 2, Z, PZ, p.z);
  fix(c, limb_elementary(RZ, rpy.z)), add_parameter(c, 5, YAW, RZ, rpy.z);
  fix(c, limb_elementary(RY, rpy.y)), add_parameter(c, 4, PITCH, RY, rpy.y);
  fix(c, limb_elementary(RX, rpy.x)), add_parameter(c, 3, ROLL, RX, rpy.x);
  put_joint(c);
}

static void extend_mdh(chain* c, const limb_joint_def* def)
{
  const sp_pose turn = limb_onto_axis(def);
  const limb_mdh k = limb_mdh_of_pose(sp_compose(def->placement, turn));
  c->at = def->parent;
  fix(c, limb_turn_and_shift(RZ, k.gamma, k.b));
  add_parameter(c, 0, GAMMA, RZ, k.gamma), add_parameter(c, 1, B, PZ, k.b);
  fix(c, limb_turn_and_shift(RX, k.alpha, k.d));
  add_parameter(c, 2, ALPHA, RX, k.alpha), add_parameter(c, 3, D, PX, k.d);
  fix(c, limb_turn_and_shift(RZ, k.theta, k.r));
  add_parameter(c, 4, THETA, RZ, k.theta), add_parameter(c, 5, R, PZ, k.r);
  fix(c, sp_invert(turn));
  put_joint(c);
}

static void extend_dh(chain* c, const limb_joint_def* def)
{
  limb_dh k;
  if (def->type == LIMB_FIXED) {
    extend_pose(c, def);
    return;
  }
  c->status = limb_get_joint_dh(c->g->m, c->joint, &k);
  if (c->status != LIMB_OK) return;
  c->at = def->parent;
  fix(c, limb_turn_and_shift(RZ, k.theta, k.d));
  add_parameter(c, 0, THETA, RZ, k.theta), add_parameter(c, 1, D, PZ, k.d);
  put_joint(c);
  c->b->joint[c->joint].axis = unit[2];
  go_behind(c);
  fix(c, limb_turn_and_shift(RX, k.alpha, k.a));
  add_parameter(c, 2, A, PX, k.a), add_parameter(c, 3, ALPHA, RX, k.alpha);
  end_at_child(c);
}

sp_pose limb_home_of(const limb_model* m, int body)
{
  sp_pose M = sp_pose_identity();
  (void)!limb_frame_home(m, body, &M); // the body is there
  return M;
}

int limb_far_child(const limb_model* m, int joint)
{
  const int behind = limb_stands_for(m, m->joint[joint].def.child);
  return behind >= 0 ? behind : m->joint[joint].def.child;
}

static void add_home(chain* c, int slot)
{
  for (int k = 0; k < 6; k++) add_parameter(c, slot + k, HOME + k, k, 0);
}

static void extend_poe(chain* c, const limb_joint_def* def)
{
  const limb_model* m = c->g->m;
  const int child = limb_far_child(m, c->joint), core = c->g->core[child];
  const sp_pose above = limb_home_of(m, def->parent), frame = sp_compose(above, def->placement);
  c->at = c->g->core[def->parent];
  if (def->type == LIMB_FIXED) {
    fix(c, def->placement), fix_to(c, core);
    add_home(c, 0);
    put_joint(c);
  } else if (!limb_has_screw(def->type)) {
    fix(c, def->placement);
    put_joint(c);
  } else {
    int leader[6];
    fix(c, sp_invert(above));
    for (int k = 0; k < 6; k++) {
      add_parameter(c, k, AXIS + k, k, 0);
      leader[k] = c->g->parameter[c->g->first[c->joint] + k].extra;
    }
    fix(c, frame);
    put_joint(c);
    go_behind(c);
    fix(c, sp_invert(frame));
    for (int k = 5; k >= 0; k--) (void)add_motion(c, k, leader[k]);
    fix(c, limb_home_of(m, child)), fix_to(c, core);
    add_home(c, 6);
    end_at_child(c);
  }
}

static limb_status extend(limb_geometry* g, limb_builder* b, limb_error* err)
{
  const limb_model* m = g->m;
  chain c = {.g = g, .b = b, .pending = sp_pose_identity()};
  for (int body = 0; body < m->nbody && g->form == LIMB_FORM_POE; body++) {
    const int joint = m->body[body].joint;
    const limb_joint_type type = joint < 0 ? LIMB_FREE : m->joint[joint].def.type;
    const bool placed = limb_has_screw(type) || type == LIMB_FIXED;
    g->core[body] = placed && limb_stands_for(m, body) < 0 ? new_body(&c) : body;
  }
  for (int j = 0; j < m->njoint && c.status == LIMB_OK; j++) {
    const limb_joint_def* def = &m->joint[j].def;
    c.joint = j, c.pending = sp_pose_identity();
    g->first[j] = g->np;
    const bool across = g->form == LIMB_FORM_DH || g->form == LIMB_FORM_POE;
    if (across && limb_joint_is_auxiliary(m, j)) continue; // part of the joint before
    switch (g->form) {
    case LIMB_FORM_POSES: extend_pose(&c, def); break;
    case LIMB_FORM_MDH: extend_mdh(&c, def); break;
    case LIMB_FORM_DH: extend_dh(&c, def); break;
    case LIMB_FORM_POE: extend_poe(&c, def); break;
    }
    if (c.status == LIMB_E_UNSUPPORTED)
      return limb_fail(err, c.status, def->name, "joint '%.80s' has no standard Denavit-Hartenberg row", def->name);
  }
  return c.status == LIMB_OK ? LIMB_OK : limb_fail(err, c.status, m->name, "%s", limb_status_text(c.status));
}

// ---- making -------------------------------------------------------------------------------------------------

static limb_status reserve(limb_geometry* g)
{
  const size_t max_count = (size_t)g->m->njoint * PER_JOINT + 1, joints = (size_t)g->m->njoint + 1;
  size_t text = 0;
  for (int j = 0; j < g->m->njoint; j++) text += PER_JOINT * (strlen(g->m->joint[j].def.name) + WORD);
  const size_t bodies = (size_t)g->m->nbody;
  g->memory_size = max_count * (sizeof(geometry_parameter) + sizeof(char*)) + (joints + bodies) * sizeof(int) + text;
  g->parameter = limb_alloc(&g->alloc, g->memory_size);
  if (!g->parameter) return LIMB_E_NOMEM;
  memset(g->parameter, 0, g->memory_size);
  g->name = (char**)(g->parameter + max_count);
  g->first = (int*)(g->name + max_count);
  g->core = g->first + joints;
  return LIMB_OK;
}

static void write_names(limb_geometry* g)
{
  char* text = (char*)(g->core + g->m->nbody);
  for (int p = 0; p < g->np; p++) {
    const char* joint = g->m->joint[g->parameter[p].joint].def.name;
    const size_t size = strlen(joint) + WORD;
    g->name[p] = text;
    text += 1 + snprintf(text, size, "%s.%s", joint, words[g->parameter[p].word]);
  }
}

static limb_status make_state(limb_geometry* g)
{
  limb_joint_info x;
  g->wide = limb_nv(g->extended);
  const size_t n = (size_t)g->wide + 1, nq = (size_t)limb_nq(g->extended) + 1;
  if (g->wide > LIMB_DERIVATIVES_MAX) return LIMB_E_UNSUPPORTED;
  g->state_size = (nq + 3 * n + n * n) * sizeof(double) + n * sizeof(sp_motion);
  g->column = limb_alloc(&g->alloc, g->state_size);
  if (!g->column) return LIMB_E_NOMEM;
  memset(g->column, 0, g->state_size);
  g->q = (double*)(g->column + n), g->v = g->q + nq, g->a = g->v + n;
  g->unit = g->a + n, g->matrix = g->unit + n;
  for (int p = 0; p < g->np; p++)
    if (limb_get_joint(g->extended, g->parameter[p].extra, &x) == LIMB_OK) g->parameter[p].column = x.v;
  return limb_data_create(g->extended, &g->alloc, &g->d);
}

limb_status limb_geometry_create(const limb_model* m, limb_form form, const limb_allocator* alloc, limb_geometry** out,
                                 limb_error* err)
{
  if (out) *out = NULL;
  if (!m || !out || (alloc && (!alloc->alloc || !alloc->free)) || (unsigned)form > LIMB_FORM_POE)
    return limb_fail(err, LIMB_E_ARG, "geometry", "an argument is NULL, or there is no such form");
  const limb_allocator a = alloc ? *alloc : limb_default_allocator();
  limb_builder* b = NULL;
  limb_geometry* g = limb_alloc(&a, sizeof *g);
  if (!g) return limb_fail(err, LIMB_E_NOMEM, "geometry", "out of memory");
  *g = (limb_geometry){.alloc = a, .m = limb_spanning_tree(m), .form = form, .nq = limb_nq(m), .nv = limb_nv(m)};
  limb_status s = reserve(g);
  if (s == LIMB_OK) s = limb_builder_from_model(g->m, &a, &b);
  if (s != LIMB_OK) (void)limb_fail(err, s, m->name, "%s", limb_status_text(s));
  if (s == LIMB_OK) s = extend(g, b, err);
  if (s == LIMB_OK) s = limb_builder_build(b, &g->extended, err);
  limb_builder_destroy(b);
  if (s == LIMB_OK) {
    write_names(g);
    s = make_state(g);
    if (s != LIMB_OK) (void)limb_fail(err, s, m->name, "%s", limb_status_text(s));
  }
  if (s == LIMB_OK)
    *out = g;
  else
    limb_geometry_destroy(g);
  return s;
}

void limb_geometry_destroy(limb_geometry* g)
{
  if (!g) return;
  const limb_allocator a = g->alloc;
  limb_data_destroy(g->d);
  limb_model_destroy(g->extended);
  limb_free(&a, g->column, g->state_size);
  limb_free(&a, g->parameter, g->memory_size);
  limb_free(&a, g, sizeof *g);
}

int limb_geometry_count(const limb_geometry* g) { return g ? g->np : 0; }

limb_status limb_geometry_get(const limb_geometry* g, int index, limb_geometry_info* out)
{
  if (!g || !out || index < 0 || index >= g->np) return LIMB_E_ARG;
  const geometry_parameter* p = &g->parameter[index];
  *out = (limb_geometry_info){g->name[index], p->joint, p->motion < PX, p->value};
  return LIMB_OK;
}
