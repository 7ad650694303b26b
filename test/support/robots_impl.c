// Shorthand for describing fixtures.
#include "support/robots_impl.h"

#include <stdio.h>
#include <stdlib.h>

#define HALF_PI 1.57079632679489661923

void fixture_ok(limb_status status, const limb_error* err)
{
  if (status == LIMB_OK) return;
  fprintf(stderr, "broken fixture: %s: %s %s\n", limb_status_text(status), err ? err->where : "", err ? err->text : "");
  abort();
}

limb_builder* fixture_begin(const char* name)
{
  limb_builder* b = NULL;
  fixture_ok(limb_builder_create(NULL, &b), NULL);
  fixture_ok(limb_builder_set_name(b, name), NULL);
  return b;
}

int fixture_body(limb_builder* b, const char* name, sp_inertia inertia)
{
  limb_body_def def = limb_default_body_def(name);
  def.inertia = inertia;
  int body = -1;
  limb_error err = {0};
  fixture_ok(limb_builder_add_body(b, &def, &body, &err), &err);
  return body;
}

int fixture_joint(limb_builder* b, const limb_joint_def* def)
{
  int joint = -1;
  limb_error err = {0};
  fixture_ok(limb_builder_add_joint(b, def, &joint, &err), &err);
  return joint;
}

void fixture_frame(limb_builder* b, const char* name, int body, sp_pose pose)
{
  limb_error err = {0};
  fixture_ok(limb_builder_add_frame(b, name, body, &pose, NULL, &err), &err);
}

void fixture_gravity(limb_builder* b, sp_vec3 gravity) { fixture_ok(limb_builder_set_gravity(b, gravity), NULL); }

int fixture_link(limb_builder* b, const char* name, limb_joint_type type, int parent, sp_pose placement, sp_vec3 axis,
                 sp_inertia inertia)
{
  const int body = fixture_body(b, name, inertia);
  limb_joint_def def = limb_default_joint_def(name, type, parent, body);
  def.placement = placement, def.axis = axis;
  fixture_joint(b, &def);
  return body;
}

limb_model* fixture_end(limb_builder* b)
{
  limb_model* m = NULL;
  limb_error err = {0};
  fixture_ok(limb_builder_build(b, &m, &err), &err);
  limb_builder_destroy(b);
  return m;
}

sp_inertia fixture_inertia(double mass, sp_vec3 com, const double I[6])
{
  const sp_inertia Y = {mass, com, I[0], I[1], I[2], I[3], I[4], I[5]};
  return Y;
}

// cos(angle), exact at multiples of a right angle.
static double exact_cos(double angle)
{
  const double c = cos(angle);
  if (fabs(c) < 1e-15) return 0;
  return fabs(fabs(c) - 1) < 1e-15 ? copysign(1, c) : c;
}

sp_mat3 fixture_rot_x(double angle)
{
  const double c = exact_cos(angle), s = exact_cos(angle - HALF_PI);
  const sp_mat3 R = {{1, 0, 0, 0, c, -s, 0, s, c}};
  return R;
}

sp_mat3 fixture_rot_z(double angle)
{
  const double c = exact_cos(angle), s = exact_cos(angle - HALF_PI);
  const sp_mat3 R = {{c, -s, 0, s, c, 0, 0, 0, 1}};
  return R;
}

sp_pose fixture_mdh(double gamma, double b, double alpha, double d, double theta, double r)
{
  const sp_pose first = sp_pose_make(fixture_rot_z(gamma), sp_v3(0, 0, b));
  const sp_pose second = sp_pose_make(fixture_rot_x(alpha), sp_v3(d, 0, 0));
  const sp_pose third = sp_pose_make(fixture_rot_z(theta), sp_v3(0, 0, r));
  return sp_compose(first, sp_compose(second, third));
}
