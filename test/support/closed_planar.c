// Fixture robots with loops: planar ones, in the x-y plane, gravity along -y.
#include "support/closed_impl.h"

#include <stdio.h>

static const sp_vec3 axis_x = {1, 0, 0}, axis_z = {0, 0, 1};

// A rod along x whose centre of mass is at (x, y).
static sp_inertia rod(double mass, double x, double y, double Izz)
{
  const double I[6] = {0.1 * Izz, 0, 0, Izz, 0, Izz};
  return fixture_inertia(mass, sp_v3(x, y, 0), I);
}

int closed_hinge(limb_builder* b, const char* name, int parent, sp_pose at, sp_inertia inertia, int active,
                 double start)
{
  return closed_add(b, &(closed_link){.name = name,
                                      .type = LIMB_REVOLUTE,
                                      .parent = parent,
                                      .placement = at,
                                      .axis = axis_z,
                                      .inertia = inertia,
                                      .active = active,
                                      .start = start});
}

// Masses and inertias of the numbers of Khalil 2010.
static limb_builder* four_bar(const char* name, double ground, double crank, double coupler, double rocker,
                              sp_pose base)
{
  limb_builder* b = fixture_begin(name);
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  const int one = closed_hinge(b, "crank", LIMB_WORLD_BODY, base, rod(1.2, 0.16, 0, 0.02), 1, 0.7);
  const int two = closed_hinge(b, "coupler", one, fixture_at(crank, 0, 0), rod(2.1, 0.44, 0, 0.15), 0, -0.1);
  const int three = closed_hinge(b, "rocker", LIMB_WORLD_BODY, sp_compose(base, fixture_at(ground, 0, 0)),
                                 rod(1.6, 0.33, 0, 0.07), 0, 1.5);
  closed_join(b, "closure", LIMB_LOOP_PIN, two, fixture_at(coupler, 0, 0), three, fixture_at(rocker, 0, 0));
  return b;
}

limb_model* closed_four_bar(double ground, double crank, double coupler, double rocker)
{
  return fixture_end(four_bar("four_bar", ground, crank, coupler, rocker, sp_pose_identity()));
}

// In a plane of any direction: rows that no joint moves are zero up to rounding only.
limb_model* closed_four_bar_tilted(void)
{
  const sp_pose base = sp_pose_make(sp_rot_rpy(0.3, -0.8, 1.1), sp_v3(0.2, -0.1, 0.4));
  return fixture_end(four_bar("four_bar_tilted", 1, 0.35, 0.9, 0.7, base));
}

limb_model* closed_five_bar(void)
{
  limb_builder* b = fixture_begin("five_bar");
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  const int one = closed_hinge(b, "1", LIMB_WORLD_BODY, sp_pose_identity(), rod(1.2, 0.2, 0, 0.02), 1, 1.4);
  const int two = closed_hinge(b, "2", one, fixture_at(0.5, 0, 0), rod(1.4, 0.3, 0.02, 0.04), 0, -0.4);
  const int three = closed_hinge(b, "3", LIMB_WORLD_BODY, fixture_at(1, 0, 0), rod(1.1, 0.25, 0, 0.03), 1, 1.9);
  const int four = closed_hinge(b, "4", three, fixture_at(0.55, 0, 0), rod(1.3, 0.3, -0.01, 0.05), 0, 0.4);
  fixture_frame(b, "tip", two, fixture_at(0.6, 0, 0));
  closed_join(b, "closure", LIMB_LOOP_PIN, two, fixture_at(0.6, 0, 0), four, fixture_at(0.65, 0, 0));
  return fixture_end(b);
}

limb_model* closed_slider_crank(void)
{
  limb_builder* b = fixture_begin("slider_crank");
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  const int crank = closed_hinge(b, "crank", LIMB_WORLD_BODY, sp_pose_identity(), rod(1, 0.1, 0.01, 0.02), 1, 0.9);
  const int conrod = closed_hinge(b, "rod", crank, fixture_at(0.3, 0, 0), rod(0.8, 0.4, 0, 0.05), 0, -1.2);
  const int slider = closed_add(b, &(closed_link){.name = "slider",
                                                  .type = LIMB_PRISMATIC,
                                                  .parent = LIMB_WORLD_BODY,
                                                  .placement = fixture_at(0, 0.05, 0),
                                                  .axis = axis_x,
                                                  .inertia = rod(2, 0, 0.02, 0.01),
                                                  .start = 1});
  closed_join(b, "wrist", LIMB_LOOP_PIN, conrod, fixture_at(0.8, 0, 0), slider, fixture_at(0, 0, 0));
  return fixture_end(b);
}

// Three arms of two joints on the corners of a triangle; the platform hangs on the first.
limb_model* closed_3rrr(void)
{
  limb_builder* b = fixture_begin("3rrr");
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  static const char* const name[3][2] = {{"upper1", "lower1"}, {"upper2", "lower2"}, {"upper3", "lower3"}};
  int lower[3];
  for (int k = 0; k < 3; k++) {
    const double turn = 2.0943951023931953 * k;
    const sp_mat3 R = sp_rot_axis(axis_z, turn);
    const sp_pose base = sp_pose_make(R, sp_mulv(R, sp_v3(-1, 0, 0)));
    const int upper = closed_hinge(b, name[k][0], LIMB_WORLD_BODY, base, rod(1.1, 0.3, 0, 0.03), 1, 0.8);
    lower[k] = closed_hinge(b, name[k][1], upper, fixture_at(0.6, 0, 0), rod(0.9, 0.25, 0, 0.02), 0, -1.4);
  }
  const int platform = closed_hinge(b, "platform", lower[0], fixture_at(0.6, 0, 0), rod(2, 0.2, 0.03, 0.06), 0, 0.6);
  for (int k = 1; k < 3; k++) {
    const sp_mat3 R = sp_rot_axis(axis_z, 2.0943951023931953 * k);
    const sp_vec3 at = sp_add3(sp_v3(0.25, 0, 0), sp_mulv(R, sp_v3(-0.25, 0, 0)));
    closed_join(b, k == 1 ? "two" : "three", LIMB_LOOP_PIN, lower[k], fixture_at(0.6, 0, 0), platform,
                fixture_at(at.x, at.y, 0));
  }
  return fixture_end(b);
}

// Two wheels on an arm with a gear between them, and a cam that lifts a slide.
limb_model* closed_gear_pair(void)
{
  limb_builder* b = fixture_begin("gear_pair");
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  const int arm = closed_hinge(b, "arm", LIMB_WORLD_BODY, sp_pose_identity(), rod(1, 0.1, 0, 0.02), 1, 0);
  closed_hinge(b, "left", arm, fixture_at(0.1, 0, 0), rod(0.5, 0.01, 0, 0.003), 1, 0);
  closed_hinge(b, "right", arm, fixture_at(0.3, 0, 0), rod(0.7, 0, 0.02, 0.005), 0, 0);
  closed_add(b, &(closed_link){.name = "lift",
                               .type = LIMB_PRISMATIC,
                               .parent = LIMB_WORLD_BODY,
                               .placement = fixture_at(-0.2, 0, 0),
                               .axis = axis_x,
                               .inertia = rod(0.4, 0, 0, 0.01)});
  limb_loop_def gear = limb_default_loop_def("gear", LIMB_LOOP_GEAR, -1, -1);
  gear.joint = 2, gear.other = 1, gear.coefficient[1] = -1.7, gear.coefficient[0] = 0.2;
  closed_add_loop(b, &gear);
  limb_loop_def cam = limb_default_loop_def("cam", LIMB_LOOP_POLYNOMIAL, -1, -1);
  cam.joint = 3, cam.other = 1;
  cam.coefficient[0] = 0.05, cam.coefficient[1] = 0.1, cam.coefficient[2] = -0.04;
  cam.coefficient[3] = 0.02;
  closed_add_loop(b, &cam);
  return fixture_end(b);
}

// Cells stand on each other, each turned a little about the vertical.
limb_model* closed_ladder(int cells)
{
  limb_builder* b = fixture_begin("ladder");
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  const sp_mat3 up = fixture_rot_z(1.57079632679489661923);
  const sp_mat3 level = sp_transpose3(up);
  int rung = LIMB_WORLD_BODY;
  for (int k = 0; k < cells; k++) {
    char name[4][32];
    static const char* const word[4] = {"left", "rung", "right", "pin"};
    for (int i = 0; i < 4; i++) snprintf(name[i], sizeof name[i], "%s%d", word[i], k);
    const sp_pose cell = sp_pose_make(sp_rot_axis(sp_v3(0, 1, 0), k ? 0.3 : 0), sp_v3(0, 0, 0));
    const int left =
      closed_hinge(b, name[0], rung, sp_compose(cell, sp_pose_make(up, sp_v3(0, 0, 0))), rod(0.5, 0.2, 0, 0.01), 1, 0);
    const int right = closed_hinge(b, name[2], rung, sp_compose(cell, sp_pose_make(up, sp_v3(0.48, 0, 0))),
                                   rod(0.6, 0.2, 0, 0.012), 0, 0);
    rung = closed_hinge(b, name[1], left, sp_pose_make(level, sp_v3(0.4, 0, 0)), rod(0.8, 0.25, 0.01, 0.02), 0, 0);
    closed_join(b, name[3], LIMB_LOOP_PIN, rung, fixture_at(0.5, 0, 0), right, fixture_at(0.42, 0, 0));
  }
  return fixture_end(b);
}

limb_model* closed_ladder5(void) { return closed_ladder(5); }
