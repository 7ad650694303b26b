// Parallel robots for tests: the Gough-Stewart platform of the numbers of Khalil 2010, and a delta.
#ifndef LIMB_TEST_PARALLEL_ROBOTS_H
#define LIMB_TEST_PARALLEL_ROBOTS_H

#include "support/check.h"
#include "support/closed_impl.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct gough_options {
  int hanging; // the platform hangs on the first leg by a ball joint
  int springs; // springs and friction at the joints of the legs
  int loose;   // the first leg ends in a ball at its foot, too: it can turn about itself
} gough_options;

enum { GOUGH_NAME = 24 };

static inline void gough_name(char name[GOUGH_NAME], const char* word, int leg)
{
  (void)snprintf(name, GOUGH_NAME, "%s%d", word, leg + 1);
}

static inline sp_vec3 gough_corner(double radius, double degrees, double height)
{
  const double angle = degrees * 3.14159265358979323846 / 180;
  return sp_v3(radius * cos(angle), radius * sin(angle), height);
}

// Joints u1, u2 and slide of a leg; the body at its end.
static inline int gough_leg(limb_builder* b, int k, const gough_options* o)
{
  static const double foot[6] = {15, 105, 135, 225, 255, 345};
  static const double I1[6] = {0.0008, 0, 0, 0.0007, 0, 0.0009};
  static const double I2[6] = {0.035, 0.0004, 0.0002, 0.004, 0.0003, 0.036};
  static const double I3[6] = {0.020, 0.0002, 0.0001, 0.021, 0.0001, 0.0015};
  const double pi = 3.14159265358979323846;
  const sp_pose place[3] = {fixture_mdh(foot[k] * pi / 180, 0, -pi / 2, 0.6, 0, 0), fixture_mdh(0, 0, pi / 2, 0, 0, 0),
                            fixture_mdh(0, 0, pi / 2, 0, 0, 0)};
  const sp_inertia Y[3] = {fixture_inertia(0.3, sp_v3(0, 0, 0.01), I1),
                           fixture_inertia(2.5, sp_v3(0.004, -0.18, 0.006), I2),
                           fixture_inertia(1.4, sp_v3(0.003, 0.002, -0.22), I3)};
  static const char* const word[3] = {"cross", "cylinder", "piston"};
  static const double start[3] = {-1.97, 1.8, 0.8};
  int parent = LIMB_WORLD_BODY;
  for (int i = 0; i < 3; i++) {
    char name[GOUGH_NAME];
    gough_name(name, word[i], k);
    const int body = fixture_body(b, name, Y[i]);
    const limb_joint_type type = i == 2                         ? LIMB_PRISMATIC
                                 : i == 0 && k == 0 && o->loose ? LIMB_SPHERICAL
                                                                : LIMB_REVOLUTE;
    limb_joint_def def = limb_default_joint_def(name, type, parent, body);
    def.placement = place[i];
    def.drive = i == 2 ? LIMB_DRIVE_ACTIVE : LIMB_DRIVE_PASSIVE;
    if (type != LIMB_SPHERICAL) def.start = start[i];
    if (i == 2) def.rotor_inertia = 3;
    if (o->springs && i == 1) def.stiffness = 4, def.rest = 1.5, def.viscous = 0.3;
    if (o->springs && i == 2) def.viscous = 2, def.coulomb = 1;
    fixture_joint(b, &def);
    parent = body;
  }
  return parent;
}

static inline limb_model* gough_robot(const char* called, gough_options o)
{
  static const double head[6] = {45, 75, 165, 195, 285, 315};
  static const double I[6] = {0.55, 0.01, -0.02, 0.60, 0.015, 0.95};
  limb_builder* b = fixture_begin(called);
  const int platform = fixture_body(b, "platform", fixture_inertia(12, sp_v3(0.01, -0.02, 0.03), I));
  int end[6];
  for (int k = 0; k < 6; k++) end[k] = gough_leg(b, k, &o);
  const sp_pose first = sp_pose_make(sp_identity3(), gough_corner(0.35, head[0], -0.05));
  if (o.hanging) { // its frame in that of the ball, whose origin is the ball's centre
    const int ball = fixture_body(b, "ball1", limb_default_body_def("").inertia);
    limb_joint_def wrist = limb_default_joint_def("wrist1", LIMB_SPHERICAL, end[0], ball);
    wrist.drive = LIMB_DRIVE_PASSIVE;
    fixture_joint(b, &wrist);
    limb_joint_def held = limb_default_joint_def("held", LIMB_FIXED, ball, platform);
    held.placement = sp_invert(first);
    fixture_joint(b, &held);
  } else {
    limb_joint_def free = limb_default_joint_def("platform", LIMB_FREE, LIMB_WORLD_BODY, platform);
    free.placement = fixture_at(0, 0, 0.75);
    fixture_joint(b, &free);
  }
  const int plate = fixture_body(b, "plate", limb_default_body_def("").inertia);
  limb_joint_def bolts = limb_default_joint_def("bolts", LIMB_FIXED, platform, plate);
  bolts.placement = sp_pose_make(sp_rot_rpy(0.2, -0.4, 0.7), sp_v3(0.05, 0.1, 0.2));
  fixture_joint(b, &bolts);
  for (int k = o.hanging; k < 6; k++) {
    char name[GOUGH_NAME];
    gough_name(name, "ball", k);
    const sp_pose at = sp_pose_make(sp_identity3(), gough_corner(0.35, head[k], -0.05));
    closed_join(b, name, LIMB_LOOP_BALL, end[k], sp_pose_identity(), platform, at);
  }
  return fixture_end(b);
}

static inline limb_model* gough_floating(void) { return gough_robot("gough", (gough_options){0}); }

static inline limb_model* gough_hanging(void)
{
  return gough_robot("gough_hanging", (gough_options){.hanging = 1, .springs = 1});
}

static inline limb_model* gough_loose(void) { return gough_robot("gough_loose", (gough_options){.loose = 1}); }

// Three arms with friction and rotors; of each, two rods with universal joints to the platform, which cannot
// turn.
static inline limb_model* delta_robot(void)
{
  limb_builder* b = fixture_begin("delta");
  const double arm[6] = {0.001, 0, 0, 0.004, 0, 0.004}, rod[6] = {0.003, 0, 0, 0.003, 0, 1e-5};
  const double plate[6] = {0.001, 1e-4, 0, 0.001, 0, 0.002};
  const int platform = fixture_body(b, "platform", fixture_inertia(0.35, sp_v3(0, 0, -0.01), plate));
  limb_joint_def free = limb_default_joint_def("platform", LIMB_FREE, LIMB_WORLD_BODY, platform);
  free.placement = fixture_at(0, 0, -0.6);
  fixture_joint(b, &free);
  const sp_mat3 knee = {{0.8, 0, 0.6, 0, 1, 0, -0.6, 0, 0.8}};
  for (int k = 0; k < 3; k++) {
    char name[GOUGH_NAME];
    const sp_mat3 R = sp_rot_axis(sp_v3(0, 0, 1), 2.0943951023931953 * k);
    gough_name(name, "arm", k);
    const int upper = fixture_body(b, name, fixture_inertia(0.55, sp_v3(0.13, 0, 0), arm));
    limb_joint_def hinge = limb_default_joint_def(name, LIMB_REVOLUTE, LIMB_WORLD_BODY, upper);
    hinge.placement = sp_pose_make(R, sp_mulv(R, sp_v3(0.2, 0, 0)));
    hinge.axis = sp_v3(0, 1, 0);
    hinge.rotor_inertia = 6e-5, hinge.gear_ratio = 20, hinge.coulomb = 0.3, hinge.viscous = 0.05;
    fixture_joint(b, &hinge);
    for (int s = -1; s <= 1; s += 2) {
      gough_name(name, s < 0 ? "left" : "right", k);
      const int lower =
        closed_add(b, &(closed_link){.name = name,
                                     .type = LIMB_UNIVERSAL,
                                     .parent = upper,
                                     .placement = sp_pose_make(knee, sp_v3(0.3, 0.05 * s, 0)),
                                     .axis = sp_v3(0, 1, 0),
                                     .axis2 = sp_v3(1, 0, 0),
                                     .inertia = fixture_inertia(0.07, sp_v3(0, 0.002 * s, -0.375), rod)});
      const sp_vec3 at = sp_mulv(R, sp_v3(0.05, 0.05 * s, 0));
      closed_join(b, name, LIMB_LOOP_BALL, platform, sp_pose_make(sp_identity3(), at), lower, fixture_at(0, 0, -0.75));
    }
  }
  return fixture_end(b);
}

// A planar robot of three arms with two joints each; the platform on a planar joint, which holds it in its
// plane.
static inline limb_model* planar_robot(void)
{
  limb_builder* b = fixture_begin("planar_robot");
  const double I[6] = {0.01, 0, 0, 0.02, 0, 0.03};
  const sp_vec3 z = sp_v3(0, 0, 1);
  const int platform = closed_add(b, &(closed_link){.name = "platform",
                                                    .type = LIMB_PLANAR,
                                                    .parent = LIMB_WORLD_BODY,
                                                    .placement = sp_pose_identity(),
                                                    .axis = z,
                                                    .axis2 = sp_v3(1, 0, 0),
                                                    .inertia = fixture_inertia(2, sp_v3(0, 0, 0), I)});
  for (int k = 0; k < 3; k++) {
    const sp_mat3 R = sp_rot_axis(z, 2.0943951023931953 * k);
    char name[GOUGH_NAME];
    int parent = LIMB_WORLD_BODY;
    for (int i = 0; i < 2; i++) {
      const sp_pose at = i ? fixture_at(0.6, 0, 0) : sp_pose_make(R, sp_mulv(R, sp_v3(-1, 0, 0)));
      gough_name(name, i ? "lower" : "upper", k);
      parent = closed_add(b, &(closed_link){.name = name,
                                            .type = LIMB_REVOLUTE,
                                            .parent = parent,
                                            .placement = at,
                                            .axis = z,
                                            .inertia = fixture_inertia(1, sp_v3(0.3, 0, 0), I),
                                            .active = i == 0,
                                            .start = i ? -1.6 : 0.8});
    }
    closed_join(b, name, LIMB_LOOP_PIN, parent, fixture_at(0.6, 0, 0), platform,
                sp_pose_make(sp_identity3(), sp_mulv(R, sp_v3(-0.2, 0, 0))));
  }
  return fixture_end(b);
}

#endif
