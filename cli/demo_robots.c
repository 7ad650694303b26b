// The built-in robots, described with builder calls: an arm in a plane, a UR5, a quadruped on a free
// base, a hand whose fingers follow.
#include "demo.h"

#include <stdio.h>
#include <string.h>

static const sp_vec3 axis_x = {1, 0, 0}, axis_y = {0, 1, 0}, axis_z = {0, 0, 1};

// A description in progress: after the first failure nothing more is added.
typedef struct plan {
  limb_builder* b;
  limb_status status;
  limb_error err;
} plan;

static sp_pose at(double x, double y, double z)
{
  return sp_pose_make(sp_identity3(), sp_v3(x, y, z));
}

static sp_inertia box_at(double mass, sp_vec3 c, double x, double y, double z)
{
  return limb_inertia_move(sp_pose_make(sp_identity3(), c), limb_inertia_box(mass, x, y, z));
}

static sp_inertia capsule_at(double mass, sp_vec3 c, double radius, double length)
{
  const sp_pose X = sp_pose_make(sp_identity3(), c);
  return limb_inertia_move(X, limb_inertia_capsule(mass, radius, length));
}

static int add_body(plan* p, const char* name, sp_inertia inertia)
{
  limb_body_def def = limb_default_body_def(name);
  def.inertia = inertia;
  int body = LIMB_WORLD_BODY;
  if (p->status == LIMB_OK) p->status = limb_builder_add_body(p->b, &def, &body, &p->err);
  return body;
}

static int add_joint(plan* p, const limb_joint_def* def)
{
  int joint = -1;
  if (p->status == LIMB_OK) p->status = limb_builder_add_joint(p->b, def, &joint, &p->err);
  return joint;
}

// A body and the joint that carries it, of the same name. Returns the body.
static int add_link(plan* p, const char* name, limb_joint_type type, int parent, sp_pose placement,
                    sp_vec3 axis, sp_inertia inertia)
{
  const int body = add_body(p, name, inertia);
  limb_joint_def def = limb_default_joint_def(name, type, parent, body);
  def.placement = placement, def.axis = axis;
  (void)add_joint(p, &def);
  return body;
}

// ---- planar 2R: two links that turn in a vertical plane -----------------------------------------

static void describe_2r(plan* p)
{
  const sp_inertia one = {12.456, {0.773, 0, 0}, 0, 0, 0, 1.042, 0, 1.042};
  const sp_inertia two = {12.456, {0.583, 0, 0}, 0, 0, 0, 1.042, 0, 1.042};
  if (p->status == LIMB_OK) p->status = limb_builder_set_gravity(p->b, sp_v3(0, -9.81, 0));
  const int arm = add_link(p, "shoulder", LIMB_REVOLUTE, 0, sp_pose_identity(), axis_z, one);
  (void)add_link(p, "elbow", LIMB_REVOLUTE, arm, at(1, 0, 0), axis_z, two);
}

// ---- UR5 ----------------------------------------------------------------------------------------

// Figures of the book Modern Robotics, turned into bodies that are parallel to the world in the home
// position, each with its origin on its axis. Every link is symmetric about one direction.
static void describe_ur5(plan* p)
{
  static const char* const name[6] = {"pan", "lift", "elbow", "wrist1", "wrist2", "wrist3"};
  static const sp_vec3 axis[6] = {{0, 0, 1}, {0, 1, 0},  {0, 1, 0},
                                  {0, 1, 0}, {0, 0, -1}, {0, 1, 0}};
  static const sp_vec3 step[6] = {
    {0, 0, 0},       {0, 0, 0.089159},        {0.425, 0, 0},
    {0.39225, 0, 0}, {0, 0.10915, -0.089159}, {0, -0.10915, -0.005491}};
  static const sp_vec3 com[6] = {{0, 0, 0.089159}, {0.28, 0.13585, 0}, {0.25, 0.01615, 0},
                                 {0, 0.01615, 0},  {0, 0, 0.089159},   {0, 0.10915, 0}};
  static const double mass[6] = {3.7, 8.393, 2.275, 1.219, 1.219, 0.1879};
  static const double across[6] = {0.010267495893, 0.22689067591,  0.049443313556,
                                   0.111172755531, 0.111172755531, 0.0171364731454};
  static const double along[6] = {0.00666, 0.0151074, 0.004095, 0.21942, 0.21942, 0.033822};
  int parent = LIMB_WORLD_BODY;
  for (int i = 0; i < 6; i++) {
    const int lies = i == 1 || i == 2; // the long links are symmetric about x, the others about z
    const double xx = lies ? along[i] : across[i], zz = lies ? across[i] : along[i];
    const sp_inertia Y = {mass[i], com[i], xx, 0, 0, across[i], 0, zz};
    const sp_pose placement = sp_pose_make(sp_identity3(), step[i]);
    parent = add_link(p, name[i], LIMB_REVOLUTE, parent, placement, axis[i], Y);
  }
}

// ---- quadruped ----------------------------------------------------------------------------------

static void describe_quadruped(plan* p)
{
  static const char* const leg[4] = {"lf", "rf", "lh", "rh"};
  const sp_inertia body = box_at(14.2, sp_v3(0.01, 0, 0.02), 0.62, 0.26, 0.18);
  const sp_inertia head = box_at(1.9, sp_v3(0.31, 0.01, 0.09), 0.1, 0.12, 0.08);
  const int trunk = add_link(p, "trunk", LIMB_FREE, LIMB_WORLD_BODY, sp_pose_identity(), axis_z,
                             limb_inertia_add(body, head));
  for (int i = 0; i < 4; i++) {
    const double fore = i < 2 ? 1 : -1, left = i % 2 ? -1 : 1;
    char hip[16], thigh[16], shank[16], foot[16];
    (void)snprintf(hip, sizeof hip, "%s_hip", leg[i]);
    (void)snprintf(thigh, sizeof thigh, "%s_thigh", leg[i]);
    (void)snprintf(shank, sizeof shank, "%s_shank", leg[i]);
    (void)snprintf(foot, sizeof foot, "%s_foot", leg[i]);
    const int one = add_link(p, hip, LIMB_REVOLUTE, trunk, at(0.28 * fore, 0.11 * left, 0), axis_x,
                             box_at(1.6, sp_v3(0.05 * fore, 0.01 * left, 0), 0.12, 0.1, 0.1));
    const int two = add_link(p, thigh, LIMB_REVOLUTE, one, at(0.06 * fore, 0.08 * left, 0), axis_y,
                             capsule_at(1.9, sp_v3(0, 0.03 * left, -0.13), 0.04, 0.2));
    const int three = add_link(p, shank, LIMB_REVOLUTE, two, at(0, 0.03 * left, -0.29), axis_y,
                               capsule_at(0.45, sp_v3(0.01 * fore, 0, -0.14), 0.015, 0.25));
    (void)add_link(p, foot, LIMB_FIXED, three, at(0, 0, -0.31), axis_z,
                   limb_inertia_sphere(0.11, 0.022));
  }
}

// ---- hand ---------------------------------------------------------------------------------------

// Three phalanges: the first has a motor, a spring and friction; the second follows the first, the
// third follows the second.
static void describe_finger(plan* p, const char* name, int palm, sp_pose placement)
{
  static const double length[3] = {0.045, 0.028, 0.02}, mass[3] = {0.032, 0.018, 0.012};
  int parent = palm, before = -1;
  for (int i = 0; i < 3; i++) {
    char part[24];
    (void)snprintf(part, sizeof part, "%s%d", name, i + 1);
    const double l = length[i];
    const int body = add_body(p, part, capsule_at(mass[i], sp_v3(0, 0, l / 2), 0.008, l));
    limb_joint_def def = limb_default_joint_def(part, LIMB_REVOLUTE, parent, body);
    def.placement = i ? at(0, 0, length[i - 1]) : placement;
    def.axis = axis_y;
    if (i == 0) def.rotor_inertia = 2e-7, def.gear_ratio = 60, def.stiffness = 0.06;
    if (i > 0) def.mimic = before, def.multiplier = 0.8, def.offset = 0.1;
    def.viscous = 0.002, def.coulomb = 0.004;
    before = add_joint(p, &def);
    parent = body;
  }
  char nail[24];
  (void)snprintf(nail, sizeof nail, "%s_nail", name);
  (void)add_link(p, nail, LIMB_FIXED, parent, at(-0.002, 0, 0.02), axis_z,
                 limb_inertia_box(0.001, 0.001, 0.008, 0.01));
}

static void describe_hand(plan* p)
{
  const int palm = add_body(p, "palm", box_at(0.42, sp_v3(0, 0, 0.05), 0.03, 0.08, 0.1));
  limb_joint_def wrist = limb_default_joint_def("wrist", LIMB_UNIVERSAL, LIMB_WORLD_BODY, palm);
  wrist.placement = sp_pose_make(sp_rot_rpy(0, 1.2, 0), sp_v3(0, 0, 0.9));
  wrist.axis = axis_y, wrist.axis2 = axis_x;
  (void)add_joint(p, &wrist);
  describe_finger(p, "index", palm, at(0, 0.025, 0.1));
  describe_finger(p, "middle", palm, at(0, 0, 0.1));
  describe_finger(p, "ring", palm, at(0, -0.025, 0.1));
  describe_finger(p, "thumb", palm, sp_pose_make(sp_rot_rpy(1, 0, 1.5), sp_v3(0.01, 0.04, 0.03)));
}

// ---- all ----------------------------------------------------------------------------------------

static const struct {
  void (*describe)(plan*);
  demo_robot shown;
} table[DEMO_ROBOTS] = {
  {describe_2r,
   {.name = "2R",
    .about = "two links in a vertical plane",
    .move = "lift from hanging to level",
    .fall = "let go at rest at the end of that move",
    .start = {-1.5707963267948966, 0},
    .change = {1.5707963267948966, -0.5},
    .rows = 2}},
  {describe_ur5,
   {.name = "UR5",
    .about = "arm with six joints",
    .move = "reach out and turn",
    .fall = "let go at rest at the end of that move",
    .start = {0.1, -1.2, 1.4, -0.6, 0.9, -0.3},
    .change = {1.4, 0.9, -0.8, 0.7, -1, 1.5},
    .rows = 6}},
  {describe_quadruped,
   {.name = "quadruped",
    .about = "four legs on a free base",
    .move = "swing the legs as in a trot while a hoist holds the trunk",
    .fall = "thrown up, tumbling, with moving legs",
    .start = {[6] = 1, [8] = 0.6, -1.2, 0, 0.6, -1.2, 0, 0.6, -1.2, 0, 0.6, -1.2},
    .change = {[7] = -0.7, 0.9, 0, 0.5, -0.3, 0, 0.5, -0.3, 0, -0.7, 0.9},
    .fall_v = {0.8, 2, 0.5, 1, 0, 3, 0.5, -2, 3, -0.5, 2, -3, 0, 1, -1, 0, -1, 1},
    .rows = 9}},
  {describe_hand,
   {.name = "hand",
    .about = "four fingers with three phalanges each, of which two follow",
    .move = "bend the wrist and close the fingers",
    .fall = "let go: the wrist swings freely, springs open the fingers, friction brakes them",
    .change = {0.5, 0.3, 0.9, 0.9, 0.9, 0.7},
    .rows = 6}},
};

static limb_status make(int i, demo_robot* r)
{
  plan p = {.status = LIMB_OK};
  *r = table[i].shown;
  p.status = limb_builder_create(NULL, &p.b);
  if (p.status == LIMB_OK) p.status = limb_builder_set_name(p.b, r->name);
  table[i].describe(&p);
  if (p.status == LIMB_OK) p.status = limb_builder_build(p.b, &r->model, &p.err);
  if (p.status == LIMB_OK) p.status = limb_data_create(r->model, NULL, &r->data);
  limb_builder_destroy(p.b);
  if (p.status != LIMB_OK) {
    (void)fprintf(stderr, "limb: robot '%s': %s %s %s\n", r->name, limb_status_text(p.status),
                  p.err.where, p.err.text);
    return p.status;
  }
  r->nq = limb_nq(r->model), r->nv = limb_nv(r->model);
  return r->nq <= DEMO_MOST ? LIMB_OK : LIMB_E_MODEL;
}

limb_status demo_robots_make(demo_robot robots[DEMO_ROBOTS])
{
  memset(robots, 0, DEMO_ROBOTS * sizeof *robots);
  for (int i = 0; i < DEMO_ROBOTS; i++) {
    const limb_status s = make(i, &robots[i]);
    if (s != LIMB_OK) return s;
  }
  return LIMB_OK;
}

void demo_robots_free(demo_robot robots[DEMO_ROBOTS])
{
  for (int i = 0; i < DEMO_ROBOTS; i++) {
    limb_data_destroy(robots[i].data);
    limb_model_destroy(robots[i].model);
  }
}
