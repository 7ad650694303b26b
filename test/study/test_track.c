// Velocities and accelerations from positions: polynomials exactly, rotations against their formula, and what no spline
// can follow.
#include "support/check.h"

#include "limb/limb.h"
#include "limb/study.h"

#include <math.h>
#include <string.h>

static limb_model* make(limb_joint_type type)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_body_def body = limb_default_body_def("body");
  limb_joint_def joint = limb_default_joint_def("joint", type, 0, 1);
  body.inertia = limb_inertia_box(1, 0.1, 0.2, 0.3);
  assert_ok(limb_builder_create(NULL, &b));
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  return m;
}

static limb_track* begin(const limb_model* m)
{
  limb_track* t = NULL;
  assert_ok(limb_track_create(m, &t));
  return t;
}

START_TEST(polynomials_are_exact)
{
  limb_model* m = make(LIMB_REVOLUTE);
  limb_track* t = begin(m);
  for (int i = 0; i < 12; i++) {
    const double x = 0.1 * i + 0.02 * (i % 3), q = 1 - x + x * x * x - 2 * x * x * x * x * x;
    assert_ok(limb_track_add(t, x, &q, NULL));
  }
  assert_ok(limb_track_fit(t, NULL));
  assert_that(limb_track_rows(t) == 12);
  for (size_t i = 0; i < 12; i++) {
    double x, q, v, a;
    assert_ok(limb_track_get(t, i, &x, &q, &v, &a));
    assert_close(v, -1 + 3 * x * x - 10 * x * x * x * x, 1e-9, 1e-9);
    assert_close(a, 6 * x - 40 * x * x * x, 1e-7, 1e-7);
  }
  limb_track_destroy(t);
  limb_model_destroy(m);
}
END_TEST

// About an axis n by the angle x^2, seen from a point that moves along (x, 2 x, 3): w = 2 x n, dw = 2 n, and in the
// axes of the body v = R' p', dv = R' p'' - w x v. Signs of quaternions change from row to row.
START_TEST(rotations)
{
  limb_model* m = make(LIMB_FREE);
  limb_track* t = begin(m);
  const sp_vec3 n = {0.6, 0, 0.8};
  enum { ROWS = 200 };
  for (int i = 0; i < ROWS; i++) {
    const double x = 0.01 * i, c = cos(x * x / 2), s = sin(x * x / 2), sign = i % 2 ? -2 : 1;
    const double q[7] = {x, 2 * x, 3, sign * s * n.x, sign * s * n.y, sign * s * n.z, sign * c};
    assert_ok(limb_track_add(t, x, q, NULL));
  }
  assert_ok(limb_track_fit(t, NULL));
  for (size_t i = 0; i < ROWS; i++) {
    double x, q[7], v[6], a[6];
    assert_ok(limb_track_get(t, i, &x, q, v, a));
    const sp_mat3 R = sp_rot_quat((sp_quat){q[3], q[4], q[5], q[6]});
    const sp_vec3 w = sp_scale3(2 * x, n), u = sp_tmulv(R, sp_v3(1, 2, 0)), du = sp_scale3(-1, sp_cross3(w, u));
    assert_close_vec3(sp_v3(v[0], v[1], v[2]), w, 0, 1e-7);
    assert_close_vec3(sp_v3(v[3], v[4], v[5]), u, 0, 1e-9);
    assert_close_vec3(sp_v3(a[0], a[1], a[2]), sp_scale3(2, n), 0, 1e-4);
    assert_close_vec3(sp_v3(a[3], a[4], a[5]), du, 0, 1e-6);
  }
  limb_track_destroy(t);
  limb_model_destroy(m);
}
END_TEST

START_TEST(jumps_are_refused)
{
  limb_model *hinge = make(LIMB_REVOLUTE), *slide = make(LIMB_PRISMATIC), *ball = make(LIMB_SPHERICAL);
  limb_track *a = begin(hinge), *b = begin(slide), *c = begin(ball);
  const double low = -3, high = 3, one[4] = {0, 0, 0, 1}, half[4] = {1, 0, 0, 0.1};
  limb_error err;
  assert_ok(limb_track_add(a, 0, &low, &err));
  assert_status(limb_track_add(a, 1, &high, &err), LIMB_E_ARG);
  assert_that(strcmp(err.where, "joint") == 0 && strstr(err.text, "wrapped") && limb_track_rows(a) == 1);
  assert_ok(limb_track_add(b, 0, &low, &err)); // lengths may jump
  assert_ok(limb_track_add(b, 1, &high, &err));
  assert_ok(limb_track_add(c, 0, one, &err));
  assert_status(limb_track_add(c, 1, half, &err), LIMB_E_ARG);
  assert_that(strcmp(err.where, "joint.qx") == 0 && strstr(err.text, "90 degrees"));
  limb_track_destroy(a), limb_track_destroy(b), limb_track_destroy(c);
  limb_model_destroy(hinge), limb_model_destroy(slide), limb_model_destroy(ball);
}
END_TEST

START_TEST(arguments)
{
  limb_model* m = make(LIMB_REVOLUTE);
  limb_track* t = NULL;
  limb_error err;
  double x, q = 0, v, a;
  assert_status(limb_track_create(NULL, &t), LIMB_E_ARG);
  assert_status(limb_track_create(m, NULL), LIMB_E_ARG);
  t = begin(m);
  for (int i = 0; i < LIMB_TRACK_MIN_ROWS; i++) {
    assert_status(limb_track_fit(t, &err), LIMB_E_ARG); // too few
    assert_ok(limb_track_add(t, i, &q, &err));
  }
  assert_status(limb_track_get(t, 0, &x, &q, &v, &a), LIMB_E_ORDER);
  assert_status(limb_track_add(t, 9, NULL, &err), LIMB_E_ARG);
  assert_ok(limb_track_fit(t, &err));
  assert_status(limb_track_fit(t, &err), LIMB_E_ARG);
  assert_status(limb_track_add(t, 9, &q, &err), LIMB_E_ARG);
  assert_status(limb_track_get(t, LIMB_TRACK_MIN_ROWS, &x, &q, &v, &a), LIMB_E_ARG);
  limb_track_destroy(t);
  t = begin(m);
  for (int i = 0; i < 7; i++) assert_ok(limb_track_add(t, i < 5 ? i : 3, &q, &err)); // times that fall
  assert_status(limb_track_fit(t, &err), LIMB_E_ARG);
  limb_track_destroy(t);
  limb_track_destroy(NULL);
  assert_that(limb_track_rows(NULL) == 0);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("track", 1, polynomials_are_exact, rotations, jumps_are_refused, arguments)
