// limb YAML about drives, shafts, motors and bases: what becomes of each key, in any unit of angles; memory
// that runs out; the built-in robots that show them, against figures known from elsewhere.
#include "limb/limb.h"
#include "limb/read.h"

#include "io/faults.h"
#include "io/yaml_text.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

#define BODIES                                                                                \
  "limb: 1\nname: r\nbase: fixed\nbodies:\n  - {name: foot, mass: 4, solid: {sphere: 0.1}}\n" \
  "  - {name: arm, mass: 2, com: [0.2, 0, 0], solid: {box: [0.4, 0.1, 0.1]}}\n"               \
  "  - {name: wheel, mass: 1, solid: {cylinder: [0.1, 0.05]}}\n"
#define FIRST  "  - {name: hinge, type: revolute, parent: foot, child: arm, axis: [0, 1, 0]"
#define SECOND "  - {name: spin, type: revolute, parent: arm, child: wheel, axis: [0, 0, 1]"

static limb_shaft_def shaft_of(limb_reading* r, int index)
{
  limb_shaft_def def;
  assert_ok(limb_builder_get_shaft(limb_reading_builder(r), index, &def));
  return def;
}

static limb_model* model_of(const char* text)
{
  limb_reading* r = read_text(text);
  limb_model* m = NULL;
  assert_ok(limb_builder_build(limb_reading_builder(r), &m, NULL));
  limb_reading_destroy(r);
  return m;
}

static int is_passive(const limb_model* m, const char* joint)
{
  limb_joint_info info;
  check_at("joint %s", joint);
  assert_ok(limb_get_joint(m, limb_find_joint(m, joint), &info));
  return info.passive;
}

// ---- keys -------------------------------------------------------------------------------------------

START_TEST(drives)
{
  limb_reading* r = read_text("limb: 1\nbase: fixed\nbodies:\n  - {name: o, mass: 1, solid: {sphere: 0.1}}\n"
                              "  - {name: a, mass: 1, solid: {sphere: 0.1}}\n"
                              "  - {name: b, mass: 1, solid: {sphere: 0.1}}\n"
                              "  - {name: c, mass: 1, solid: {sphere: 0.1}}\n"
                              "  - {name: d, mass: 1, solid: {sphere: 0.1}}\njoints:\n"
                              "  - {name: a, type: revolute, parent: o, child: a, axis: [0, 0, 1], drive: passive}\n"
                              "  - {name: b, type: spherical, parent: a, child: b, drive: passive}\n"
                              "  - {name: c, type: free, parent: b, child: c, drive: active}\n"
                              "  - {name: d, type: revolute, parent: c, child: d, axis: [0, 0, 1], drive: auto}\n");
  static const limb_drive want[] = {LIMB_DRIVE_PASSIVE, LIMB_DRIVE_PASSIVE, LIMB_DRIVE_ACTIVE, LIMB_DRIVE_AUTO};
  limb_model* m = NULL;
  assert_ok(limb_builder_build(limb_reading_builder(r), &m, NULL));
  for (int i = 0; i < 4; i++) {
    const char name[2] = {(char)('a' + i), 0};
    assert_that(joint_of(r, name).drive == want[i]);
    ck_assert_int_eq(is_passive(m, name), i < 2);
  }
  limb_model_destroy(m);
  limb_reading_destroy(r);
}
END_TEST

// One number for all velocities, or one for each; tendons by the names of joints.
START_TEST(several_degrees_and_tendons)
{
  limb_reading* r =
    read_text(BODIES "joints:\n  - {name: ball, type: spherical, parent: foot, child: arm, rotor: {inertia: 0.5},\n"
                     "     friction: {viscous: [1, 2, 3]}}\n" SECOND "}\n"
                     "tendons:\n  - {name: cord, joints: {spin: 8mm}, stiffness: 70, damping: 2, rest: -0.1}\n");
  const limb_joint_def ball = joint_of(r, "ball");
  limb_tendon_def cord;
  for (int k = 0; k < LIMB_JOINT_DOFS; k++) {
    assert_close(ball.armature[k], k < 3 ? 0.5 : 0, 0, 0);
    assert_close(ball.damping[k], k < 3 ? k + 1 : 0, 0, 0);
  }
  ck_assert_int_eq(limb_builder_tendon_count(limb_reading_builder(r)), 1);
  assert_ok(limb_builder_get_tendon(limb_reading_builder(r), 0, &cord));
  ck_assert_str_eq(cord.name, "cord");
  ck_assert_int_eq(cord.joint[0], limb_builder_find_joint(limb_reading_builder(r), "spin"));
  assert_close(cord.coefficient[0], 0.008, 1e-15, 0);
  assert_close(cord.stiffness, 70, 0, 0);
  assert_close(cord.damping, 2, 0, 0);
  assert_close(cord.rest, -0.1, 0, 0);
  limb_reading_destroy(r);
}
END_TEST

// Points of bodies and of frames, whose pose comes first; the spring of a ball.
START_TEST(tendons_through_points)
{
  limb_reading* r = read_text(
    BODIES "joints:\n  - {name: ball, type: spherical, parent: foot, child: arm, spring: {stiffness: 4}}\n" SECOND "}\n"
           "frames:\n  - {name: hook, body: arm, xyz: [1, 0, 0], rpy: [0, 0, pi/2]}\n"
           "tendons:\n  - {name: cord, points: [{body: world, xyz: [0, 0, 2]}, {frame: hook, xyz: [0.5, 0, 0]},\n"
           "     {body: arm, pulley: 2}, {body: foot, xyz: [5mm, 0, 0]}], stiffness: 70, rest: 0.1}\n");
  limb_tendon_def cord;
  assert_close(joint_of(r, "ball").stiffness, 4, 0, 0);
  assert_ok(limb_builder_get_tendon(limb_reading_builder(r), 0, &cord));
  ck_assert_int_eq(cord.points, 4);
  ck_assert_int_eq(cord.count, 0);
  ck_assert_int_eq(cord.point[0].body, LIMB_WORLD_BODY);
  ck_assert_int_eq(cord.point[1].body, limb_builder_find_body(limb_reading_builder(r), "arm"));
  assert_close(cord.point[0].at.z, 2, 0, 0);
  assert_close(cord.point[1].at.x, 1, 1e-15, 1e-15);
  assert_close(cord.point[1].at.y, 0.5, 1e-15, 0);
  assert_close(cord.point[1].pulley, 0, 0, 0);
  assert_close(cord.point[2].pulley, 2, 0, 0);
  assert_close(cord.point[3].at.x, 0.005, 1e-15, 0);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(lumped)
{
  limb_reading* r =
    read_text(BODIES "joints:\n" FIRST ", elastic: {stiffness: 350, rest: -pi/4, damping: 0.5, inertia: 0.01},\n"
                     "     friction: {coulomb: 0.3}, drive: passive}\n" SECOND "}\n");
  const limb_joint_def hinge = joint_of(r, "hinge");
  const double got[] = {hinge.stiffness,     hinge.rest,       hinge.viscous,
                        hinge.rotor_inertia, hinge.gear_ratio, hinge.coulomb};
  const double want[] = {350, -PI / 4, 0.5, 0.01, 1, 0.3};
  assert_that(memcmp(got, want, sizeof want) == 0);
  assert_that(hinge.drive == LIMB_DRIVE_PASSIVE);
  assert_that(joint_of(r, "spin").drive == LIMB_DRIVE_AUTO);
  ck_assert_int_eq(limb_builder_shaft_count(limb_reading_builder(r)), 0);
  ck_assert_int_eq(limb_findings_count(limb_reading_findings(r)), 0);
  limb_reading_destroy(r);
}
END_TEST

// Motors come behind all joints, in their order; beside them a spring and friction at the joint are fine.
START_TEST(series)
{
  limb_reading* r = read_text(BODIES "joints:\n" FIRST ",\n     spring: {stiffness: 7, rest: 1}, "
                                     "friction: {viscous: 0.2},\n"
                                     "     elastic: {stiffness: 5000, damping: 4, rest: 0.1,\n"
                                     "               motor: {inertia: 6e-5, gear: -100, coulomb: 0.01,\n"
                                     "                       viscous: 0.02, effort: 1.5}}}\n" SECOND ",\n"
                                     "     elastic: {stiffness: 800, motor: {model: full, inertia: 8e-5, mass: "
                                     "0.25,\n"
                                     "               axis: [1, 0, 0], centre: [0, 0.1, 0.2]}}}\n");
  limb_builder* b = limb_reading_builder(r);
  ck_assert_int_eq(limb_builder_joint_count(b), 5); // base, two, two motors
  const int motor = limb_builder_find_joint(b, "hinge_motor");
  ck_assert_int_eq(motor, 3);
  ck_assert_int_eq(limb_builder_find_joint(b, "spin_motor"), 4);
  const limb_joint_def m = joint_of(r, "hinge_motor"), n = joint_of(r, "spin_motor"), hinge = joint_of(r, "hinge");
  assert_that(m.rotor_inertia == 6e-5 && m.gear_ratio == 1 && m.coulomb == 0.01 && m.viscous == 0.02 &&
              m.effort_max == 1.5 && m.parent == 1);
  assert_that(n.rotor_inertia == 0 && n.axis.x == 1 && n.placement.p.z == 0.2 && isinf(n.effort_max));
  assert_that(hinge.stiffness == 7 && hinge.rest == 1 && hinge.viscous == 0.2);
  limb_body_def rotor;
  assert_ok(limb_builder_get_body(b, limb_builder_find_body(b, "spin_rotor"), &rotor));
  assert_that(rotor.inertia.mass == 0.25 && rotor.inertia.xx == 8e-5 && rotor.inertia.yy == 4e-5);
  const limb_shaft_def s = shaft_of(r, 0);
  assert_that(s.joint == 1 && s.motor == 3 && s.ratio == -100 && s.stiffness == 5000 && s.damping == 4 &&
              s.rest == 0.1);
  ck_assert_int_eq(limb_reading_joint_line(r, motor), 12); // the block of the motor
  ck_assert_int_eq(limb_findings_count(limb_reading_findings(r)), 0);
  limb_model* model = NULL;
  assert_ok(limb_builder_build(b, &model, NULL));
  assert_that(is_passive(model, "hinge") && is_passive(model, "spin"));
  assert_that(!is_passive(model, "hinge_motor") && !is_passive(model, "spin_motor"));
  limb_model_destroy(model);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(shafts)
{
  limb_reading* r = read_text(BODIES "joints:\n" FIRST "}\n" SECOND "}\nshafts:\n"
                                     "  - {joint: spin, motor: hinge, ratio: 3, stiffness: 2, damping: 1, rest: "
                                     "pi/2}\n");
  const limb_shaft_def s = shaft_of(r, 0);
  assert_that(s.joint == 2 && s.motor == 1); // behind the base
  assert_that(s.ratio == 3 && s.stiffness == 2 && s.damping == 1 && s.rest == PI / 2);
  limb_reading_destroy(r);
  r = read_text(BODIES "joints:\n" FIRST "}\n" SECOND "}\nshafts:\n"); // none
  ck_assert_int_eq(limb_builder_shaft_count(limb_reading_builder(r)), 0);
  limb_reading_destroy(r);
}
END_TEST

// rest is an angle where the joint turns, and nothing else is converted.
START_TEST(degrees)
{
  limb_reading* r = read_text("limb: 1\nangles: degrees\nbase: fixed\nbodies:\n  - {name: o, mass: 0}\n"
                              "  - {name: a, mass: 0}\n  - {name: b, mass: 0}\n  - {name: c, mass: 0}\n"
                              "  - {name: d, mass: 0}\n  - {name: e, mass: 0}\n"
                              "joints:\n  - {name: a, type: revolute, parent: o, child: a, axis: [0, 0, 1],\n"
                              "     elastic: {stiffness: 90, rest: 90, damping: 90, inertia: 90}}\n"
                              "  - {name: b, type: prismatic, parent: a, child: b, axis: [0, 0, 1],\n"
                              "     elastic: {stiffness: 90, rest: 90}}\n"
                              "  - {name: c, type: helical, parent: b, child: c, axis: [0, 0, 1], pitch: 1,\n"
                              "     elastic: {stiffness: 90, rest: 90, motor: {inertia: 90, gear: 90}}}\n"
                              "  - {name: d, type: revolute, parent: c, child: d, axis: [0, 0, 1]}\n"
                              "  - {name: e, type: prismatic, parent: d, child: e, axis: [0, 0, 1]}\n"
                              "shafts:\n  - {joint: e, motor: d, ratio: 90, rest: 90}\n"
                              "  - {joint: d, motor: e, ratio: 90, rest: 90, stiffness: 90, damping: 90}\n");
  const limb_joint_def a = joint_of(r, "a"), b = joint_of(r, "b");
  assert_that(a.rest == PI / 2 && a.stiffness == 90 && a.viscous == 90 && a.rotor_inertia == 90);
  assert_that(b.rest == 90);
  const limb_shaft_def c = shaft_of(r, 0), e = shaft_of(r, 1), d = shaft_of(r, 2);
  assert_that(c.rest == PI / 2 && c.ratio == 90 && c.stiffness == 90);
  assert_that(e.rest == 90 && e.ratio == 90);
  assert_that(d.rest == PI / 2 && d.ratio == 90 && d.stiffness == 90 && d.damping == 90);
  limb_reading_destroy(r);
}
END_TEST

// A base that moves has no motor, whoever says that it moves.
START_TEST(bases)
{
  static const char* const text[] = {"limb: 1\nbase: planar\nbodies:\n  - {name: a, mass: 1, solid: {sphere: 1}}\n",
                                     "limb: 1\nbase: floating\nbodies:\n  - {name: a, mass: 1, solid: {sphere: 1}}\n"};
  static const limb_base asked[] = {LIMB_BASE_PLANAR, LIMB_BASE_FLOATING};
  static const char urdf[] = "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia "
                             "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
                             "</robot>";
  static const char mjcf[] = "<mujoco><worldbody><body name='a'><geom size='1'/></body></worldbody>"
                             "</mujoco>";
  for (int i = 0; i < 2; i++) {
    limb_model* m = model_of(text[i]);
    assert_that(is_passive(m, "base"));
    limb_model_destroy(m);
    for (int k = 0; k < 2; k++) {
      limb_read_options opt = limb_default_read_options();
      opt.base = asked[i];
      opt.format = k ? LIMB_FORMAT_MJCF : LIMB_FORMAT_URDF;
      limb_reading* r = NULL;
      const char* other = k ? mjcf : urdf;
      assert_ok(limb_read_text(other, strlen(other), "text", &opt, &r, NULL));
      assert_ok(limb_builder_build(limb_reading_builder(r), &m, NULL));
      assert_that(is_passive(m, "base"));
      limb_model_destroy(m);
      limb_reading_destroy(r);
    }
  }
}
END_TEST

// A free joint of MJCF is passive, a hinge without an actuator is not said to be.
START_TEST(mjcf)
{
  static const char text[] = "<mujoco><worldbody><body name='a'><freejoint name='f'/><geom size='1'/>"
                             "<body name='b'><joint name='h'/><geom size='1'/></body></body></worldbody></mujoco>";
  limb_read_options opt = limb_default_read_options();
  opt.format = LIMB_FORMAT_MJCF;
  limb_reading* r = NULL;
  limb_model* m = NULL;
  assert_ok(limb_read_text(text, sizeof text - 1, "text", &opt, &r, NULL));
  assert_ok(limb_builder_build(limb_reading_builder(r), &m, NULL));
  assert_that(is_passive(m, "f") && !is_passive(m, "h"));
  limb_model_destroy(m);
  limb_reading_destroy(r);
}
END_TEST

// ---- memory -----------------------------------------------------------------------------------------

START_TEST(out_of_memory)
{
  static const char text[] =
    BODIES "joints:\n" FIRST ", drive: passive}\n" SECOND
           ",\n     elastic: {stiffness: 800, motor: {model: full, inertia: 8e-5, mass: 0.25}}}\n"
           "shafts:\n  - {joint: hinge, motor: spin, stiffness: 1}\n";
  starve(LIMB_FORMAT_YAML, text, sizeof text - 1);
  static const char urdf[] = "<robot name='r'><limb><shaft joint='j' motor='k' stiffness='1'/></limb><link name='a'/>"
                             "<link name='b'/><link name='c'/><joint name='j' type='continuous'><parent link='a'/>"
                             "<child link='b'/><axis xyz='0 0 1'/><limb drive='passive'/></joint>"
                             "<joint name='k' type='continuous'><parent link='b'/><child link='c'/><axis xyz='0 0 1'/>"
                             "</joint></robot>";
  starve(LIMB_FORMAT_URDF, urdf, sizeof urdf - 1);
}
END_TEST

// ---- figures ----------------------------------------------------------------------------------------

static void check_torques(const char* robot, const double* q, const double* v, const double* a, const double* want)
{
  limb_model* m = NULL;
  limb_data* d = NULL;
  double tau[9];
  assert_ok(limb_load(robot, NULL, &m, NULL));
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_inverse_dynamics(d, q, v, a, NULL, tau));
  check_at("%s", robot);
  for (int k = 0; k < limb_nv(m); k++) assert_close(tau[k], want[k], 1e-12, 1e-12);
  limb_data_destroy(d);
  limb_model_destroy(m);
}

// The elastic joint and the base move so that no force is needed. Computed independently (Khalil's recursions
// and Lagrange's equations, which agree to 4e-15).
START_TEST(figures)
{
  check_torques("elastic2r", (const double[]){0.3, 0.45}, (const double[]){0.6, -0.9},
                (const double[]){1.2, -29.368696603750177}, (const double[]){-39.87533493634453, 0});
  // Rz(0.4) Ry(-0.3) Rx(0.6) as a quaternion
  const sp_quat o = sp_quat_rot(sp_rot_rpy(0.6, -0.3, 0.4));
  const double q[] = {0.1, -0.2, 0.5, o.x, o.y, o.z, o.w, 0.5, -0.8, 0.12};
  const double v[] = {0.5, -0.4, 0.8, 0.3, -0.1, 0.2, 1.1, -0.6, 0.25};
  const sp_vec3 w = {0.5, -0.4, 0.8}, u = {0.3, -0.1, 0.2},
                p = {-2.5492266426265857, -5.154521415784263, -7.496711781805794};
  const sp_vec3 du = sp_sub3(p, sp_cross3(w, u)); // of the components of the velocity
  const double a[] = {-1.376330821972569, -0.20023111588918172, 0.1157738055317314, du.x, du.y, du.z, 0.7, 1.5, -0.4};
  check_torques("space_arm", q, v, a,
                (const double[]){0, 0, 0, 0, 0, 0, 0.055455144378284, -0.300628111100342, -0.771378132995934});
}
END_TEST

CHECK_MAIN("yaml reader: drives", 1, drives, several_degrees_and_tendons, tendons_through_points, lumped, series,
           shafts, degrees, bases, mjcf, out_of_memory, figures)
