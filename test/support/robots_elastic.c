// Fixture robots: elastic joints, and roots that nobody drives.
#include "support/robots.h"

#include "support/robots_impl.h"

static const sp_vec3 axis_x = {1, 0, 0}, axis_y = {0, 1, 0}, axis_z = {0, 0, 1};

// A link of the arm: a rod of length z along z, its mass in the middle.
static sp_inertia rod(double mass, double z)
{
  return limb_inertia_move(fixture_at(0.01, -0.02, z / 2), limb_inertia_box(mass, 0.1, 0.08, z));
}

static void fixture_motor(limb_builder* b, const limb_motor_def* def)
{
  limb_error err;
  fixture_ok(limb_builder_add_motor(b, def, NULL, &err), &err);
}

// The joint of that name and the body behind it, with a property or two.
static int add_joint(limb_builder* b, const char* name, int parent, sp_pose placement, sp_vec3 axis, sp_inertia inertia,
                     const limb_joint_def* with)
{
  limb_joint_def def = *with;
  def.name = name;
  def.parent = parent;
  def.child = fixture_body(b, name, inertia);
  def.placement = placement;
  def.axis = axis;
  fixture_joint(b, &def);
  return def.child;
}

// Joints and motors take turns, so that the user's order is not the compiled one.
limb_model* robot_elastic_arm(void)
{
  limb_builder* b = fixture_begin("elastic_arm");
  limb_joint_def turns = limb_default_joint_def("", LIMB_REVOLUTE, 0, 0);
  turns.viscous = 0.7, turns.coulomb = 0.3;
  const int waist = add_joint(b, "waist", LIMB_WORLD_BODY, fixture_at(0, 0, 0.2), axis_z, rod(9, 0.3), &turns);

  const int upper = add_joint(b, "shoulder", waist, fixture_at(0.05, 0.1, 0.3), axis_y, rod(6, 0.5), &turns);
  limb_motor_def motor = limb_default_motor_def(limb_builder_find_joint(b, "shoulder"));
  motor.rotor_inertia = 2e-4, motor.ratio = -80; // Spong's model
  motor.stiffness = 900, motor.damping = 2.5, motor.rest = 0.03;
  motor.viscous = 1e-3, motor.coulomb = 2e-3;
  fixture_motor(b, &motor);

  limb_joint_def plain = limb_default_joint_def("", LIMB_REVOLUTE, 0, 0);
  const sp_pose tilted = {sp_rot_axis(sp_v3(0.6, 0, 0.8), 0.4), {0, 0.03, 0.5}};
  const int fore = add_joint(b, "elbow", upper, tilted, sp_v3(0.1, 1, -0.2), rod(4, 0.4), &plain);
  motor = limb_default_motor_def(limb_builder_find_joint(b, "elbow"));
  motor.coupled = 1, motor.rotor_mass = 0.35, motor.rotor_inertia = 3e-3, motor.ratio = 7;
  motor.axis = sp_v3(0.3, -0.2, 2), motor.centre = sp_v3(0.04, -0.05, -0.1);
  motor.stiffness = 400, motor.damping = 1.5, motor.rest = -0.02, motor.viscous = 4e-3;
  fixture_motor(b, &motor);

  limb_joint_def slides = limb_default_joint_def("", LIMB_PRISMATIC, 0, 0);
  slides.q_min = -0.2, slides.q_max = 0.3, slides.viscous = 3;
  const int quill = add_joint(b, "slide", fore, fixture_at(0.02, 0, 0.4), axis_z, rod(1.5, 0.2), &slides);
  motor = limb_default_motor_def(limb_builder_find_joint(b, "slide"));
  motor.rotor_inertia = 1e-4, motor.ratio = 250; // [rad/m]
  motor.stiffness = 3000, motor.damping = 6;
  fixture_motor(b, &motor);

  plain.drive = LIMB_DRIVE_PASSIVE; // lumped elasticity, Khalil 2010, section 6
  plain.stiffness = 35, plain.rest = 0.1, plain.viscous = 0.2;
  plain.rotor_inertia = 1e-3, plain.gear_ratio = 3;
  const int tool = add_joint(b, "flex", quill, fixture_at(0, 0, 0.2), axis_x, rod(0.8, 0.15), &plain);
  fixture_frame(b, "tip", tool, fixture_at(0, 0, 0.15));
  return fixture_end(b);
}

// A raft with a driven pendulum and its follower, and a floating body with an arm: neither root is driven.
limb_model* robot_two_roots(void)
{
  limb_builder* b = fixture_begin("two_roots");
  limb_joint_def plane = limb_default_joint_def("", LIMB_PLANAR, 0, 0);
  plane.drive = LIMB_DRIVE_PASSIVE;
  const int raft =
    add_joint(b, "raft", LIMB_WORLD_BODY, fixture_at(1, -0.5, 0.1), axis_z, limb_inertia_box(20, 1, 0.8, 0.1), &plane);
  limb_joint_def turns = limb_default_joint_def("", LIMB_REVOLUTE, 0, 0);
  add_joint(b, "swing", raft, fixture_at(0.1, 0, 0.3), axis_y, rod(2, -0.5), &turns);

  const int hull = fixture_link(b, "hull", LIMB_FREE, LIMB_WORLD_BODY, fixture_at(-1, 0.4, 2), axis_z,
                                limb_inertia_box(15, 0.6, 0.5, 0.4));
  const int arm = fixture_link(b, "arm", LIMB_REVOLUTE, hull, fixture_at(0.3, 0, 0.2), sp_v3(0, 1, 0.5), rod(3, 0.4));
  const int hand = fixture_link(b, "hand", LIMB_REVOLUTE, arm, fixture_at(0, 0, 0.4), axis_x, rod(1, 0.2));
  fixture_frame(b, "palm", hand, fixture_at(0.02, 0, 0.2));

  limb_motor_def motor = limb_default_motor_def(limb_builder_find_joint(b, "swing"));
  motor.rotor_inertia = 5e-3, motor.ratio = 12, motor.stiffness = 60, motor.damping = 0.4;
  fixture_motor(b, &motor);
  turns.mimic = limb_builder_find_joint(b, "swing"), turns.multiplier = -0.6, turns.offset = 0.2;
  add_joint(b, "follower", raft, fixture_at(-0.3, 0, 0.2), axis_y, rod(0.7, -0.3), &turns);
  return fixture_end(b);
}
