// Robots of the worked examples of Khalil 2010, and its vectors in our order.
#ifndef LIMB_TEST_KHALIL_ROBOTS_H
#define LIMB_TEST_KHALIL_ROBOTS_H

#include "numbers/numbers_data.h"
#include "support/robots_impl.h"

#include <string.h>

// The planar 2R with a spring at the second joint, which no motor moves.
static inline limb_model* elastic_2r(void)
{
  limb_builder* b = fixture_begin("elastic_2r");
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  const double I[6] = {0, 0, 0, 1.042, 0, 1.042};
  const int one = fixture_link(b, "1", LIMB_REVOLUTE, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1),
                               fixture_inertia(12.456, sp_v3(0.773, 0, 0), I));
  const int two = fixture_body(b, "2", fixture_inertia(12.456, sp_v3(0.583, 0, 0), I));
  limb_joint_def def = limb_default_joint_def("2", LIMB_REVOLUTE, one, two);
  def.placement = fixture_at(1, 0, 0), def.stiffness = 350, def.rest = 0.2;
  def.drive = LIMB_DRIVE_PASSIVE;
  fixture_joint(b, &def);
  return fixture_end(b);
}

// Three joints, two hinges and a slide, on a floating base.
static inline limb_model* arm_on_free_base(void)
{
  static const struct {
    double gamma, b, alpha, d, theta, r, mass;
    sp_vec3 com;
    double I[6], Ia;
  } link[3] = {
    {0.3, 0.2, 0.5, 0.25, 0, 0.1, 2, {0.15, 0.02, -0.01}, {0.02, 0.001, -0.002, 0.05, 0.0015, 0.045}, 0.05},
    {0, 0, -1.1, 0.4, 0, 0.05, 1.5, {0.2, -0.03, 0.02}, {0.01, 0.0005, 0.001, 0.03, -0.0008, 0.028}, 0.03},
    {0, 0, 0.9, 0.35, 0.4, 0.2, 0.8, {0.02, 0.03, 0.1}, {0.008, 0.0002, 0.0003, 0.009, -0.0004, 0.004}, 0.1}};
  static const double base[6] = {0.3, 0.01, -0.015, 0.35, 0.02, 0.4};
  limb_builder* b = fixture_begin("arm on a free base");
  int parent = fixture_link(b, "0", LIMB_FREE, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1),
                            fixture_inertia(6, sp_v3(0.03, -0.02, 0.05), base));
  for (int i = 0; i < 3; i++) {
    const char name[2] = {(char)('1' + i), 0};
    const int body = fixture_body(b, name, fixture_inertia(link[i].mass, link[i].com, link[i].I));
    limb_joint_def def = limb_default_joint_def(name, i == 2 ? LIMB_PRISMATIC : LIMB_REVOLUTE, parent, body);
    def.placement = fixture_mdh(link[i].gamma, link[i].b, link[i].alpha, link[i].d, link[i].theta, link[i].r);
    def.rotor_inertia = link[i].Ia;
    fixture_joint(b, &def);
    parent = body;
  }
  return fixture_end(b);
}

// The paper's acceleration of the base is the classical one of its origin, and linear comes first.
// Ours is the derivative of the body twist: less by w x v.
static inline void from_paper(const double* base, const double* joints, sp_vec3 wxv, double* x)
{
  const sp_motion m = sp_motion_from_linear_first(base);
  const double all[9] = {m.w.x,         m.w.y,     m.w.z,     m.v.x - wxv.x, m.v.y - wxv.y,
                         m.v.z - wxv.z, joints[0], joints[1], joints[2]};
  memcpy(x, all, sizeof all);
}

// q of the arm on its base.
static inline void base_configuration(double q[10])
{
  sp_mat3 R;
  memcpy(R.m, base_R, sizeof R.m);
  const sp_quat turn = sp_quat_rot(R);
  const double all[10] = {base_p[0], base_p[1], base_p[2], turn.x,    turn.y,
                          turn.z,    turn.w,    base_q[0], base_q[1], base_q[2]};
  memcpy(q, all, sizeof all);
}

#endif
