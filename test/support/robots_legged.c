// Fixture robots with legs or fingers. The numbers are our own, of a plausible size.
#include "support/robots_impl.h"

#include <stdio.h>

static const sp_vec3 axis_x = {1, 0, 0}, axis_y = {0, 1, 0}, axis_z = {0, 0, 1};

// Solid box centred at (x, y, z).
static sp_inertia box_at(double mass, double x, double y, double z, double lx, double ly, double lz)
{
  return limb_inertia_move(fixture_at(x, y, z), limb_inertia_box(mass, lx, ly, lz));
}

// Rod-like limb: a capsule along z centred at (x, y, z).
static sp_inertia limb_at(double mass, double x, double y, double z, double radius, double length)
{
  return limb_inertia_move(fixture_at(x, y, z), limb_inertia_capsule(mass, radius, length));
}

static int link_named(limb_builder* b, const char* prefix, const char* part, limb_joint_type type, int parent,
                      sp_vec3 at, sp_vec3 axis, sp_inertia inertia)
{
  char name[40];
  snprintf(name, sizeof name, "%s_%s", prefix, part);
  return fixture_link(b, name, type, parent, sp_pose_make(sp_identity3(), at), axis, inertia);
}

// ---- quadruped ----------------------------------------------------------------------------------

limb_model* robot_quadruped(void)
{
  static const char* const leg[4] = {"lf", "rf", "lh", "rh"};
  limb_builder* b = fixture_begin("quadruped");
  const int trunk = fixture_link(
    b, "trunk", LIMB_FREE, LIMB_WORLD_BODY, sp_pose_identity(), axis_z,
    limb_inertia_add(box_at(14.2, 0.01, 0, 0.02, 0.62, 0.26, 0.18), box_at(1.9, 0.31, 0.01, 0.09, 0.1, 0.12, 0.08)));
  fixture_frame(b, "imu", trunk, sp_pose_make(sp_rot_rpy(0, 0, 1.5), sp_v3(0.05, 0.01, 0.08)));
  for (int i = 0; i < 4; i++) {
    const double fore = i < 2 ? 1 : -1, left = i % 2 ? -1 : 1;
    const int hip = link_named(b, leg[i], "hip", LIMB_REVOLUTE, trunk, sp_v3(0.28 * fore, 0.11 * left, 0), axis_x,
                               box_at(1.6, 0.05 * fore, 0.01 * left, 0, 0.12, 0.1, 0.1));
    const int thigh = link_named(b, leg[i], "thigh", LIMB_REVOLUTE, hip, sp_v3(0.06 * fore, 0.08 * left, 0), axis_y,
                                 limb_at(1.9, 0, 0.03 * left, -0.13, 0.04, 0.2));
    const int shank = link_named(b, leg[i], "shank", LIMB_REVOLUTE, thigh, sp_v3(0, 0.03 * left, -0.29), axis_y,
                                 limb_at(0.45, 0.01 * fore, 0, -0.14, 0.015, 0.25));
    link_named(b, leg[i], "foot", LIMB_FIXED, shank, sp_v3(0, 0, -0.31), axis_z, limb_inertia_sphere(0.11, 0.022));
  }
  return fixture_end(b);
}

// ---- humanoid -----------------------------------------------------------------------------------

static void add_leg(limb_builder* b, const char* side, double s, int pelvis)
{
  const int yaw = link_named(b, side, "hip_yaw", LIMB_REVOLUTE, pelvis, sp_v3(0, 0.09 * s, -0.1), axis_z,
                             box_at(1.1, 0, 0.01 * s, -0.03, 0.09, 0.08, 0.08));
  const int roll = link_named(b, side, "hip_roll", LIMB_REVOLUTE, yaw, sp_v3(0, 0, -0.06), axis_x,
                              box_at(1.3, 0.02, 0, 0, 0.1, 0.09, 0.08));
  const int thigh = link_named(b, side, "thigh", LIMB_REVOLUTE, roll, sp_v3(0, 0, 0), axis_y,
                               limb_at(4.6, 0.005, 0.01 * s, -0.17, 0.065, 0.24));
  const int shank = link_named(b, side, "shank", LIMB_REVOLUTE, thigh, sp_v3(0, 0, -0.36), axis_y,
                               limb_at(2.7, 0.01, 0, -0.15, 0.045, 0.26));
  const int ankle = link_named(b, side, "ankle", LIMB_REVOLUTE, shank, sp_v3(0, 0, -0.36), axis_y,
                               box_at(0.4, 0, 0, 0, 0.05, 0.05, 0.05));
  const int foot = link_named(b, side, "foot", LIMB_REVOLUTE, ankle, sp_v3(0, 0, 0), axis_x,
                              box_at(1.2, 0.03, 0, -0.04, 0.22, 0.09, 0.04));
  char name[24];
  snprintf(name, sizeof name, "%s_sole", side);
  fixture_frame(b, name, foot, fixture_at(0.03, 0, -0.06));
}

static void add_arm(limb_builder* b, const char* side, double s, int chest)
{
  const int one = link_named(b, side, "shoulder_pitch", LIMB_REVOLUTE, chest, sp_v3(0, 0.18 * s, 0.22), axis_y,
                             box_at(1.2, 0, 0.03 * s, 0, 0.08, 0.09, 0.08));
  const int two = link_named(b, side, "shoulder_roll", LIMB_REVOLUTE, one, sp_v3(0, 0.06 * s, 0), axis_x,
                             box_at(0.9, 0, 0, -0.03, 0.08, 0.08, 0.09));
  const int three = link_named(b, side, "upper_arm", LIMB_REVOLUTE, two, sp_v3(0, 0, -0.07), axis_z,
                               limb_at(1.4, 0, 0, -0.08, 0.04, 0.12));
  const int four = link_named(b, side, "elbow", LIMB_REVOLUTE, three, sp_v3(0.015, 0, -0.2), axis_y,
                              limb_at(0.8, 0, 0, -0.04, 0.035, 0.06));
  const int five = link_named(b, side, "forearm", LIMB_REVOLUTE, four, sp_v3(-0.015, 0, -0.09), axis_z,
                              limb_at(0.9, 0, 0, -0.06, 0.035, 0.1));
  const int six = link_named(b, side, "wrist", LIMB_REVOLUTE, five, sp_v3(0, 0, -0.15), axis_y,
                             box_at(0.25, 0, 0, 0, 0.04, 0.04, 0.04));
  const int hand = link_named(b, side, "hand", LIMB_REVOLUTE, six, sp_v3(0, 0, 0), axis_x,
                              box_at(0.55, 0.01, 0, -0.07, 0.08, 0.03, 0.14));
  char name[24];
  snprintf(name, sizeof name, "%s_palm", side);
  fixture_frame(b, name, hand, fixture_at(0, 0, -0.1));
}

limb_model* robot_humanoid(void)
{
  limb_builder* b = fixture_begin("humanoid");
  const int pelvis = fixture_link(b, "pelvis", LIMB_FREE, LIMB_WORLD_BODY, sp_pose_identity(), axis_z,
                                  box_at(8.3, -0.01, 0, -0.02, 0.16, 0.24, 0.16));
  add_leg(b, "l", 1, pelvis);
  add_leg(b, "r", -1, pelvis);
  const int yaw = fixture_link(b, "waist_yaw", LIMB_REVOLUTE, pelvis, fixture_at(0, 0, 0.08), axis_z,
                               box_at(0.9, 0, 0, 0.02, 0.1, 0.1, 0.06));
  const int roll = fixture_link(b, "waist_roll", LIMB_REVOLUTE, yaw, fixture_at(0, 0, 0.05), axis_x,
                                box_at(0.6, 0, 0, 0, 0.08, 0.08, 0.05));
  const int chest = fixture_link(b, "chest", LIMB_REVOLUTE, roll, fixture_at(0, 0, 0), axis_y,
                                 box_at(12.4, -0.01, 0, 0.16, 0.2, 0.28, 0.34));
  add_arm(b, "l", 1, chest);
  add_arm(b, "r", -1, chest);
  fixture_link(b, "head", LIMB_FIXED, chest, fixture_at(0.01, 0, 0.38), axis_z,
               limb_inertia_move(fixture_at(0.02, 0, 0.08), limb_inertia_sphere(3.1, 0.1)));
  return fixture_end(b);
}

// ---- hand ---------------------------------------------------------------------------------------

// Base, middle and tip of a finger: the base joint moves freely (with a spring and friction), the
// middle one follows it, the tip follows the middle one: a mimic of a mimic.
static int add_finger(limb_builder* b, const char* name, int palm, sp_pose placement, double size, int number)
{
  static const char* const part[3] = {"base", "middle", "tip"};
  static const double length[3] = {0.045, 0.028, 0.02}, mass[3] = {0.032, 0.018, 0.012};
  int parent = palm, joint = -1;
  for (int i = 0; i < 3; i++) {
    char full[40];
    snprintf(full, sizeof full, "%s_%s", name, part[i]);
    const double l = size * length[i];
    const int body = fixture_body(b, full, limb_at(size * mass[i], 0, 0, l / 2, 0.008, l));
    limb_joint_def def = limb_default_joint_def(full, LIMB_REVOLUTE, parent, body);
    def.placement = i ? fixture_at(0, 0, size * length[i - 1]) : placement;
    def.axis = axis_y;
    def.stiffness = i == 1 ? 0 : 0.05 + 0.01 * number, def.rest = 0.3;
    def.viscous = 0.002 * (i + 1), def.coulomb = i == 2 ? 0.004 : 0.01;
    def.rotor_inertia = i ? 0 : 2e-7, def.gear_ratio = i ? 1 : 60;
    if (i) def.mimic = joint, def.multiplier = i == 1 ? 0.85 : -0.67, def.offset = 0.1 * i;
    joint = fixture_joint(b, &def);
    parent = body;
  }
  return joint - 2;
}

limb_model* robot_hand(void)
{
  static const char* const name[4] = {"index", "middle", "ring", "little"};
  static const double size[4] = {1, 1.1, 1, 0.8};
  limb_builder* b = fixture_begin("hand");
  const int palm_body = fixture_body(b, "palm", box_at(0.42, 0, 0, 0.05, 0.03, 0.08, 0.1));
  limb_joint_def wrist = limb_default_joint_def("wrist", LIMB_UNIVERSAL, LIMB_WORLD_BODY, palm_body);
  wrist.placement = sp_pose_make(sp_rot_rpy(0.2, -0.4, 0.3), sp_v3(0.1, 0.2, 0.9));
  wrist.axis = axis_y, wrist.axis2 = axis_x;
  fixture_joint(b, &wrist);
  int index = -1;
  for (int i = 0; i < 4; i++) {
    const int joint = add_finger(b, name[i], palm_body, fixture_at(0, 0.03 - 0.02 * i, 0.1), size[i], i);
    if (i == 0) index = joint;
  }
  // The thumb turns freely at its root and bends like a finger.
  const int root = fixture_link(b, "thumb_root", LIMB_REVOLUTE, palm_body,
                                sp_pose_make(sp_rot_rpy(0.6, 0.3, 0), sp_v3(0.01, 0.04, 0.02)), axis_z,
                                box_at(0.05, 0, 0, 0.01, 0.02, 0.02, 0.03));
  add_finger(b, "thumb", root, fixture_at(0, 0, 0.03), 1.1, 4);
  // A tendon block that slides as the index finger bends: displacement follows angle.
  const int block = fixture_body(b, "tendon", limb_inertia_box(0.03, 0.01, 0.01, 0.02));
  limb_joint_def slide = limb_default_joint_def("tendon", LIMB_PRISMATIC, palm_body, block);
  slide.placement = fixture_at(-0.01, 0.03, 0.04);
  slide.mimic = index, slide.multiplier = 0.012, slide.offset = -0.003;
  slide.stiffness = 120, slide.rest = 0.001, slide.viscous = 0.8, slide.coulomb = 0.2;
  fixture_joint(b, &slide);
  // A joint of its own that nothing follows: a lever on the palm.
  fixture_link(b, "lever", LIMB_PRISMATIC, palm_body, fixture_at(0, -0.05, 0.03), axis_x,
               limb_inertia_box(0.02, 0.01, 0.01, 0.01));
  fixture_link(b, "nail", LIMB_FIXED, limb_builder_find_body(b, "index_tip"), fixture_at(0.002, 0, 0.02), axis_z,
               limb_inertia_box(0.001, 0.001, 0.008, 0.01));
  return fixture_end(b);
}
