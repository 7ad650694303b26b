// Fixture robots with loops: spatial and rolling ones, gravity along -z.
#include "support/closed_impl.h"

#include <stdio.h>

static const sp_vec3 axis_x = {1, 0, 0}, axis_y = {0, 1, 0}, axis_z = {0, 0, 1};

static sp_inertia solid(double mass, sp_vec3 com, double xx, double yy, double zz)
{
  const double I[6] = {xx, 0.1 * xx, -0.05 * xx, yy, 0.07 * xx, zz};
  return fixture_inertia(mass, com, I);
}

// Bennett's linkage: four turning joints in space, a / sin alpha = b / sin beta, no offsets. (G. Bennett,
// A new mechanism, Engineering 76, 1903.)
limb_model* closed_bennett(void)
{
  const double a = 0.6, alpha = 0.7, beta = 1.2, bb = a * sin(beta) / sin(alpha);
  const sp_pose first = fixture_mdh(0, 0, alpha, a, 0, 0), second = fixture_mdh(0, 0, beta, bb, 0, 0);
  limb_builder* b = fixture_begin("bennett");
  const sp_pose place[3] = {sp_pose_identity(), first, second};
  static const char* const name[3] = {"one", "two", "three"};
  int parent = LIMB_WORLD_BODY;
  for (int k = 0; k < 3; k++)
    parent = closed_add(b, &(closed_link){.name = name[k],
                                          .type = LIMB_REVOLUTE,
                                          .parent = parent,
                                          .placement = place[k],
                                          .axis = axis_z,
                                          .inertia = solid(1 + 0.2 * k, sp_v3(0.3, 0.02, -0.01), 0.02, 0.05, 0.04),
                                          .active = k == 0,
                                          .start = k == 1 ? 2 : 1});
  closed_join(b, "fourth", LIMB_LOOP_PIN, LIMB_WORLD_BODY, sp_invert(second), parent, first);
  return fixture_end(b);
}

static sp_vec3 corner(double radius, double angle) { return sp_v3(radius * cos(angle), radius * sin(angle), 0); }

// Six legs, each a universal joint, an active slide, and a ball joint on the platform.
limb_model* closed_gough_stewart(void)
{
  limb_builder* b = fixture_begin("gough_stewart");
  const int platform = closed_add(b, &(closed_link){.name = "platform",
                                                    .type = LIMB_FREE,
                                                    .parent = LIMB_WORLD_BODY,
                                                    .placement = fixture_at(0, 0, 1),
                                                    .inertia = solid(8, sp_v3(0.01, 0.02, 0.05), 0.3, 0.35, 0.5)});
  for (int k = 0; k < 6; k++) {
    const double sixty = 1.0471975511965976;
    const double pair = k % 2 ? 1 : -1, side = 2 * sixty * (k / 2);
    const sp_vec3 foot = corner(0.8, side + pair * 0.3), head = corner(0.5, side + pair * (sixty - 0.25));
    char name[3][24];
    snprintf(name[0], sizeof name[0], "cylinder%d", k + 1);
    snprintf(name[1], sizeof name[1], "piston%d", k + 1);
    snprintf(name[2], sizeof name[2], "ball%d", k + 1);
    const int cylinder = closed_add(b, &(closed_link){.name = name[0],
                                                      .type = LIMB_UNIVERSAL,
                                                      .parent = LIMB_WORLD_BODY,
                                                      .placement = sp_pose_make(sp_identity3(), foot),
                                                      .axis = axis_x,
                                                      .axis2 = axis_y,
                                                      .inertia = solid(2, sp_v3(0, 0, 0.3), 0.06, 0.06, 0.004)});
    const int piston = closed_add(b, &(closed_link){.name = name[1],
                                                    .type = LIMB_PRISMATIC,
                                                    .parent = cylinder,
                                                    .placement = fixture_at(0, 0, 1),
                                                    .axis = axis_z,
                                                    .inertia = solid(1, sp_v3(0, 0, -0.3), 0.04, 0.04, 0.001),
                                                    .active = 1});
    closed_join(b, name[2], LIMB_LOOP_BALL, piston, sp_pose_identity(), platform, sp_pose_make(sp_identity3(), head));
  }
  return fixture_end(b);
}

// A four-bar on a body that floats, an arm on its coupler: joints before, within, beside and behind a loop.
limb_model* closed_floating(void)
{
  limb_builder* b = fixture_begin("floating");
  const int base = closed_add(b, &(closed_link){.name = "base",
                                                .type = LIMB_FREE,
                                                .parent = LIMB_WORLD_BODY,
                                                .placement = sp_pose_identity(),
                                                .inertia = solid(6, sp_v3(0.1, 0, 0.02), 0.2, 0.3, 0.25)});
  static const struct {
    const char* name;
    int on; // number of an earlier one; -1: the base
    double x, start;
    int active;
  } link[6] = {{"crank", -1, 0.1, 0.7, 1}, {"coupler", 0, 0.35, -0.1, 0}, {"rocker", -1, 1.1, 1.5, 0},
               {"elbow", 1, 0.5, 0.3, 1},  {"hand", 3, 0.3, -0.4, 1},     {"tail", -1, -0.3, 0.2, 1}};
  int body[6];
  for (int k = 0; k < 6; k++)
    body[k] = closed_add(b, &(closed_link){.name = link[k].name,
                                           .type = LIMB_REVOLUTE,
                                           .parent = link[k].on < 0 ? base : body[link[k].on],
                                           .placement = fixture_at(link[k].x, 0, 0),
                                           .axis = k < 3 ? axis_z : axis_y,
                                           .inertia = solid(1, sp_v3(0.2, 0.02, 0.01), 0.01, 0.03, 0.03),
                                           .active = link[k].active,
                                           .start = link[k].start});
  closed_join(b, "closure", LIMB_LOOP_PIN, body[1], fixture_at(0.9, 0, 0), body[2], fixture_at(0.7, 0, 0));
  fixture_frame(b, "palm", body[4], fixture_at(0.2, 0, 0));
  return fixture_end(b);
}

// ---- rolling ----------------------------------------------------------------------------------------

// The axis of the disc is y of its body.
limb_model* closed_rolling_disc(void)
{
  limb_builder* b = fixture_begin("rolling_disc");
  const double mass = 2, r = 0.3;
  const double I[6] = {mass * r * r / 4, 0, 0, mass * r * r / 2, 0, mass * r * r / 4};
  const int disc = closed_add(b, &(closed_link){.name = "disc",
                                                .type = LIMB_FREE,
                                                .parent = LIMB_WORLD_BODY,
                                                .placement = fixture_at(0, 0, r),
                                                .inertia = fixture_inertia(mass, sp_v3(0, 0, 0), I)});
  limb_loop_def def = limb_default_loop_def("contact", LIMB_LOOP_ROLLING_DISC, LIMB_WORLD_BODY, disc);
  def.pose_b.R = fixture_rot_x(-1.57079632679489661923);
  def.radius = r;
  closed_add_loop(b, &def);
  return fixture_end(b);
}

static int planar_base(limb_builder* b, double height)
{
  return closed_add(b, &(closed_link){.name = "base",
                                      .type = LIMB_PLANAR,
                                      .parent = LIMB_WORLD_BODY,
                                      .placement = fixture_at(0, 0, height),
                                      .axis = axis_z,
                                      .axis2 = axis_x,
                                      .inertia = solid(5, sp_v3(0.05, 0.01, 0.1), 0.1, 0.2, 0.25)});
}

limb_model* closed_sled(void)
{
  limb_builder* b = fixture_begin("sled");
  const int base = planar_base(b, 0);
  closed_join(b, "blade", LIMB_LOOP_KNIFE_EDGE, LIMB_WORLD_BODY, sp_pose_identity(), base, fixture_at(-0.15, 0.02, 0));
  return fixture_end(b);
}

// Both wheels forbid the same motion across.
limb_model* closed_diff_drive(void)
{
  limb_builder* b = fixture_begin("diff_drive");
  const double r = 0.1;
  const int base = planar_base(b, r);
  for (int k = 0; k < 2; k++) {
    const int wheel = closed_add(b, &(closed_link){.name = k ? "right" : "left",
                                                   .type = LIMB_REVOLUTE,
                                                   .parent = base,
                                                   .placement = fixture_at(0, k ? -0.2 : 0.2, 0),
                                                   .axis = axis_y,
                                                   .inertia = solid(0.5, sp_v3(0, 0, 0), 0.002, 0.003, 0.002),
                                                   .active = 1});
    limb_loop_def def =
      limb_default_loop_def(k ? "right_contact" : "left_contact", LIMB_LOOP_WHEEL, LIMB_WORLD_BODY, wheel);
    def.pose_b.R = fixture_rot_x(-1.57079632679489661923);
    def.radius = r;
    closed_add_loop(b, &def);
  }
  return fixture_end(b);
}

// An arm whose tip stays in a plane that moves, and two of whose joints a gear turns against each other.
limb_model* closed_driven_arm(void)
{
  limb_builder* b = fixture_begin("driven_arm");
  int parent = LIMB_WORLD_BODY;
  static const char* const name[4] = {"one", "two", "three", "four"};
  for (int k = 0; k < 4; k++)
    parent = closed_add(b, &(closed_link){.name = name[k],
                                          .type = LIMB_REVOLUTE,
                                          .parent = parent,
                                          .placement = fixture_at(0.3, 0, 0.1),
                                          .axis = k % 2 ? axis_y : sp_v3(0.2, 0.3, 1),
                                          .inertia = solid(1.5 - 0.3 * k, sp_v3(0.15, 0.01, 0.02), 0.02, 0.03, 0.03),
                                          .active = k != 1,
                                          .start = 0.4 - 0.3 * k});
  limb_loop_def plane = limb_default_loop_def("plane", LIMB_LOOP_POINT_ON_PLANE, LIMB_WORLD_BODY, parent);
  plane.pose_a = sp_pose_make(sp_rot_rpy(0.1, -0.2, 0), sp_v3(0, 0, 0.5));
  plane.pose_b = fixture_at(0.2, 0, 0);
  plane.motion = (limb_prescribed_motion){0, 0.02, 0.3, 0.1, 0.5, 0.4, NULL, NULL};
  closed_add_loop(b, &plane);
  limb_loop_def gear = limb_default_loop_def("gear", LIMB_LOOP_GEAR, -1, -1);
  gear.joint = 3, gear.other = 2, gear.coefficient[1] = 0.8;
  gear.motion.rate = -0.4, gear.motion.amplitude = 0.2, gear.motion.frequency = 0.3;
  closed_add_loop(b, &gear);
  return fixture_end(b);
}
