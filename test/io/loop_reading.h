// What tests of loops in model files share: loops and joints of a reading, and how a loop stands.
#ifndef LIMB_TEST_LOOP_READING_H
#define LIMB_TEST_LOOP_READING_H

#include "io/built.h"
#include "io/faults.h"

static inline limb_reading* read_with(limb_format format, const char* text, const limb_read_options* opt)
{
  limb_reading* r = NULL;
  limb_read_options o = opt ? *opt : limb_default_read_options();
  o.format = format;
  check_at("%.400s", text);
  const limb_status status = limb_read_text(text, strlen(text), "test", &o, &r, NULL);
  if (status) print_findings(r);
  assert_ok(status);
  return r;
}

static inline limb_loop_def loop_at(limb_reading* r, int i)
{
  limb_loop_def def = limb_default_loop_def(NULL, LIMB_LOOP_WELD, 0, 0);
  assert_ok(limb_builder_get_loop(limb_reading_builder(r), i, &def));
  return def;
}

static inline int loop_count(limb_reading* r) { return limb_builder_loop_count(limb_reading_builder(r)); }

static inline limb_joint_def joint_of(limb_reading* r, const char* name)
{
  limb_joint_def def = limb_default_joint_def(NULL, LIMB_FIXED, 0, 0);
  const limb_builder* b = limb_reading_builder(r);
  assert_ok(limb_builder_get_joint(b, limb_builder_find_joint(b, name), &def));
  return def;
}

static inline const char* body_at(limb_reading* r, int body)
{
  limb_body_def def = limb_default_body_def(NULL);
  assert_ok(limb_builder_get_body(limb_reading_builder(r), body, &def));
  return def.name;
}

static inline sp_pose end_pose(limb_reading* r, const rig* g, int body, sp_pose pose)
{
  sp_pose X;
  assert_ok(limb_frame_pose(g->d, limb_find_frame(g->m, body_at(r, body)), &X));
  return sp_compose(X, pose);
}

// Frame b of a loop, seen from its frame a, at a configuration.
static inline sp_pose closure(limb_reading* r, int i, const double* q)
{
  rig g = build(r);
  const limb_loop_def def = loop_at(r, i);
  assert_ok(limb_kinematics(g.d, q, NULL, NULL));
  const sp_pose A = end_pose(r, &g, def.body_a, def.pose_a);
  const sp_pose B = end_pose(r, &g, def.body_b, def.pose_b);
  rig_free(&g);
  return sp_compose(sp_invert(A), B);
}

static inline sp_pose at(double x, double y, double z) { return sp_pose_make(sp_identity3(), sp_v3(x, y, z)); }

static inline sp_vec3 column(sp_mat3 R, int j) { return sp_v3(R.m[j], R.m[3 + j], R.m[6 + j]); }

#endif
