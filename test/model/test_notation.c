// The robot in the notations of books: rows and screws give the poses of the bodies, modified frames the same robot.

#include "support/check.h"
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double quarter = 1.5707963267948966; // of a turn

// ---- rows and poses ----------------------------------------------------------------------------------

START_TEST(poses_have_rows)
{
  rng r = {(uint64_t)_i + 7};
  for (int i = 0; i < 100; i++) {
    const limb_mdh k = {rng_uniform(&r, -1.5, 1.5), rng_uniform(&r, -1, 1), rng_uniform(&r, -3, 3),
                        rng_uniform(&r, -1, 1),     rng_uniform(&r, -3, 3), rng_uniform(&r, -1, 1)};
    const limb_dh s = {k.theta, k.r, k.d, i % 3 ? k.alpha : quarter};
    const limb_mdh back = limb_mdh_of_pose(limb_pose_of_mdh(k));
    limb_dh again;
    assert_close_array(&back.gamma, &k.gamma, 6, 1e-10, 0);
    assert_that(limb_dh_of_pose(limb_pose_of_dh(s), &again));
    assert_close_array(&again.theta, &s.theta, 4, 1e-12, 0);
    const sp_pose X = sp_pose_make(rng_rotation(&r), rng_vec3(&r, 1));
    assert_close_pose(limb_pose_of_mdh(limb_mdh_of_pose(X)), X, 1e-12, 1e-12);
    assert_that(!limb_dh_of_pose(X, &again)); // a random pose has no standard row
  }
  // As typed: twists of -90 degrees, parallel and opposite axes.
  const limb_mdh typed[] = {{0, 0, -1.5707963267948966, 0.0825, 0.3, 0.384},
                            {0, 0, 0, 0.4, 0.2, 0.1},
                            {0, 0, 3.141592653589793, -0.4, 0.2, 0.1},
                            {1.5707963267948966, 0.3, 1.5, 0.1, 0, 0}};
  for (int i = 0; i < 4; i++) {
    const limb_mdh back = limb_mdh_of_pose(limb_pose_of_mdh(typed[i]));
    assert_close_array(&back.gamma, &typed[i].gamma, 6, 0, 1e-15);
  }
  assert_that(!limb_dh_of_pose(sp_pose_identity(), NULL));
}
END_TEST

// ---- screws ------------------------------------------------------------------------------------------

// exp(S q) of a unit screw, by its axis and pitch.
static sp_pose exp_of(sp_motion S, double q)
{
  if (sp_norm3(S.w) == 0) return sp_pose_make(sp_identity3(), sp_scale3(q, S.v));
  const sp_mat3 R = sp_rot_axis(S.w, q);
  const sp_vec3 at = sp_cross3(S.w, S.v), along = sp_scale3(q * sp_dot3(S.w, S.v), S.w);
  return sp_pose_make(R, sp_add3(sp_sub3(at, sp_mulv(R, at)), along));
}

// Of joints with a ball or a free joint among their components the exponential is one of all of them.
static int is_plain(const limb_model* m, int body)
{
  limb_body_info x;
  limb_joint_info j;
  for (; body > 0; body = x.parent) {
    assert_ok(limb_get_body(m, body, &x));
    assert_ok(limb_get_joint(m, x.joint, &j));
    if (j.def.type == LIMB_SPHERICAL || j.def.type == LIMB_FREE) return 0;
  }
  return 1;
}

static void exponentials_give_poses(trial* t)
{
  assert_ok(limb_kinematics(t->d, t->q, NULL, NULL));
  const int step = t->nbody > 50 ? t->nbody / 7 : 1; // some bodies of a long chain
  for (int b = 1; b < t->nbody; b += step) {
    if (!is_plain(t->m, b)) continue;
    sp_pose X, home;
    limb_body_info body;
    limb_joint_info j;
    limb_screw_row row;
    assert_ok(limb_frame_pose(t->d, b, &X));
    assert_ok(limb_frame_home(t->m, b, &home));
    sp_pose product = home;
    for (int at = b; at > 0; at = body.parent) {
      assert_ok(limb_get_body(t->m, at, &body));
      assert_ok(limb_get_joint(t->m, body.joint, &j));
      const int n = j.nv > 0 ? j.nv : j.def.mimic >= 0 ? 1 : 0;
      for (int k = n - 1; k >= 0; k--) {
        assert_ok(limb_get_screw(t->m, body.joint, k, &row));
        product = sp_compose(exp_of(row.space, j.multiplier * t->q[j.q + k] + j.offset), product);
        assert_close_motion(sp_motion_out(row.home, row.body), row.space, 1e-12, 1e-12);
      }
    }
    assert_close_pose(product, X, 1e-12, 1e-12);
  }
}

START_TEST(screws) { trial_over(_i, TRIAL_FEW, exponentials_give_poses); }
END_TEST

// Lynch and Park, Modern Robotics, example 4.5 and its body form: W1 = 109.15, W2 = 82.3, L1 = 425, L2 = 392.25,
// H1 = 89.159, H2 = 94.65 mm.
START_TEST(ur5_of_the_book)
{
  const double W1 = 0.10915, W2 = 0.0823, L1 = 0.425, L2 = 0.39225, H1 = 0.089159, H2 = 0.09465;
  const double S[6][6] = {{0, 0, 1, 0, 0, 0},         {0, 1, 0, -H1, 0, 0},        {0, 1, 0, -H1, 0, L1},
                          {0, 1, 0, -H1, 0, L1 + L2}, {0, 0, -1, -W1, L1 + L2, 0}, {0, 1, 0, H2 - H1, 0, L1 + L2}};
  const double B[6][6] = {{0, 1, 0, W1 + W2, 0, L1 + L2}, {0, 0, 1, H2, -L1 - L2, 0},
                          {0, 0, 1, H2, -L2, 0},          {0, 0, 1, H2, 0, 0},
                          {0, -1, 0, -W2, 0, 0},          {0, 0, 1, 0, 0, 0}};
  limb_model* m = robot_ur5();
  sp_pose M;
  assert_ok(limb_frame_home(m, limb_find_frame(m, "tip"), &M));
  assert_close_vec3(M.p, sp_v3(L1 + L2, W1 + W2, H1 - H2), 1e-15, 0);
  for (int i = 0; i < 6; i++) {
    limb_screw_row row;
    assert_ok(limb_get_screw(m, i + limb_joint_is_auxiliary(m, i), 0, &row));
    const sp_motion b = sp_motion_in(M, row.space);
    assert_close_array(&row.space.w.x, S[i], 6, 0, 1e-15);
    assert_close_array(&b.w.x, B[i], 6, 0, 1e-15);
  }
  limb_model_destroy(m);
}
END_TEST

// ---- standard tables of chains ---------------------------------------------------------------------

// base row_1 ... row_n tool
static sp_pose along(const limb_dh_row* rows, int n, sp_pose base, const double* q)
{
  sp_pose X = base;
  for (int i = 0; i < n; i++) {
    limb_dh k = rows[i].row;
    *(rows[i].type == LIMB_PRISMATIC ? &k.d : &k.theta) += rows[i].multiplier * q[rows[i].q];
    X = sp_compose(X, limb_pose_of_dh(k));
  }
  return X;
}

static void standard_rows_give_poses(trial* t)
{
  limb_dh_row rows[16];
  sp_pose base, tool, X;
  limb_joint_info last;
  int n = 0;
  const limb_status s = limb_get_dh_table(t->m, &base, 16, rows, &n, &tool);
  if (s != LIMB_OK || n > 16) return;
  assert_ok(limb_kinematics(t->d, t->q, NULL, NULL));
  assert_ok(limb_get_joint(t->m, rows[n - 1].joint, &last));
  int body = limb_stands_for(t->m, last.def.child);
  if (body < 0) body = last.def.child;
  assert_ok(limb_frame_pose(t->d, body, &X));
  assert_close_pose(sp_compose(along(rows, n, base, t->q), tool), X, 1e-12, 1e-12);
}

START_TEST(standard_tables) { trial_over(_i, TRIAL_FEW, standard_rows_give_poses); }
END_TEST

// Corke's table of the Puma 560 and the maker's of the Panda, as typed.
START_TEST(rows_as_typed)
{
  const double puma[6][4] = {{0, 0, 0, quarter},      {0, 0, 0.4318, 0},   {0, 0.15005, 0.0203, -quarter},
                             {0, 0.4318, 0, quarter}, {0, 0, 0, -quarter}, {0, 0, 0, 0}};
  const double panda[7][6] = {
    {0, 0, 0, 0, 0, 0.333},        {0, 0, -quarter, 0, 0, 0},           {0, 0, quarter, 0, 0, 0.316},
    {0, 0, quarter, 0.0825, 0, 0}, {0, 0, -quarter, -0.0825, 0, 0.384}, {0, 0, quarter, 0, 0, 0},
    {0, 0, quarter, 0.088, 0, 0}};
  limb_model *p = robot_puma560(), *f = robot_panda();
  limb_dh_row rows[6];
  sp_pose base, tool;
  int n = 0, row = 0;
  assert_ok(limb_get_dh_table(p, &base, 6, rows, &n, &tool));
  ck_assert_int_eq(n, 6);
  assert_that(limb_has_mdh_frames(f) && !limb_has_dh_frames(f));
  for (int j = 0; j < limb_joint_count(p) && limb_has_dh_frames(p); j++) {
    limb_dh k;
    if (limb_joint_is_auxiliary(p, j)) continue;
    assert_ok(limb_get_joint_dh(p, j, &k));
    assert_close_array(&k.theta, puma[row++], 4, 0, 1e-15);
  }
  for (int j = 0; j < 7; j++) {
    limb_mdh k;
    assert_ok(limb_get_joint_mdh(f, j, &k));
    assert_close_array(&k.gamma, panda[j], 6, 0, 1e-15);
  }
  limb_model_destroy(p);
  limb_model_destroy(f);
}
END_TEST

// ---- modified frames -------------------------------------------------------------------------------

static void framed_robots_are_the_same(trial* t)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_data* d = NULL;
  limb_error err;
  if (t->nbody > 100 && t->state > 0) return;
  assert_ok(limb_builder_with_mdh(t->m, NULL, &b));
  assert_ok(limb_builder_build(b, &m, &err));
  assert_ok(limb_data_create(m, NULL, &d));
  double *tau = trial_doubles(t, (size_t)t->nv), *again = trial_doubles(t, (size_t)t->nv);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, NULL, tau));
  assert_ok(limb_inverse_dynamics(d, t->q, t->v, t->a, NULL, again));
  assert_close_array(again, tau, t->nv, t->nbody > 100 ? 1e-10 : 1e-12, 0);
  for (int k = 0; k < limb_joint_count(t->m); k++) {
    limb_joint_info x, y;
    limb_mdh row;
    assert_ok(limb_get_joint(t->m, k, &x));
    assert_ok(limb_get_joint(m, limb_find_joint(m, x.def.name), &y));
    assert_that(x.q == y.q && x.nv == y.nv && x.def.type == y.def.type);
    const int single = x.def.type == LIMB_REVOLUTE || x.def.type == LIMB_PRISMATIC || x.def.type == LIMB_HELICAL;
    sp_pose p = y.def.placement;
    row = limb_mdh_of_pose(p);
    if (single) assert_that(y.def.axis.x == 0 && y.def.axis.y == 0);
    assert_close_pose(limb_pose_of_mdh(row), p, 1e-12, 1e-12);
  }
  assert_ok(limb_kinematics(t->d, t->q, NULL, NULL));
  assert_ok(limb_kinematics(d, t->q, NULL, NULL));
  for (int f = 0; f < t->nframe; f++) {
    limb_frame_info x;
    sp_pose X, Y;
    assert_ok(limb_get_frame(t->m, f, &x));
    if (limb_stands_for(t->m, x.body) >= 0) continue;
    assert_ok(limb_frame_pose(t->d, f, &X));
    assert_ok(limb_frame_pose(d, limb_find_frame(m, x.name), &Y));
    assert_close_pose(Y, X, t->nbody > 100 ? 1e-9 : 1e-12, 1e-12);
  }
  limb_data_destroy(d);
  limb_model_destroy(m);
  limb_builder_destroy(b);
}

START_TEST(modified_frames) { trial_over(_i, 2, framed_robots_are_the_same); }
END_TEST

START_TEST(arguments_are_checked)
{
  limb_model *m = robot_panda(), *tree = robot_tree5();
  limb_screw_row row;
  limb_mdh mdh;
  limb_dh dh;
  sp_pose X;
  limb_builder* b = NULL;
  int n = 0;
  assert_status(limb_get_screw(NULL, 0, 0, &row), LIMB_E_ARG);
  assert_status(limb_get_screw(m, 0, 1, &row), LIMB_E_ARG);
  assert_status(limb_get_screw(m, -1, 0, &row), LIMB_E_ARG);
  assert_status(limb_get_screw(m, 0, 0, NULL), LIMB_E_ARG);
  assert_status(limb_get_joint_mdh(m, 99, &mdh), LIMB_E_ARG);
  assert_status(limb_get_joint_dh(NULL, 0, &dh), LIMB_E_ARG);
  assert_status(limb_get_joint_dh(m, 1, &dh), LIMB_E_UNSUPPORTED);
  assert_status(limb_frame_home(m, 999, &X), LIMB_E_ARG);
  assert_status(limb_frame_home(m, 0, NULL), LIMB_E_ARG);
  assert_status(limb_get_dh_table(tree, &X, 0, NULL, &n, &X), LIMB_E_UNSUPPORTED);
  assert_status(limb_get_dh_table(m, NULL, 0, NULL, &n, &X), LIMB_E_ARG);
  assert_ok(limb_get_dh_table(m, &X, 0, NULL, &n, &X));
  ck_assert_int_eq(n, 7);
  assert_status(limb_builder_with_mdh(NULL, NULL, &b), LIMB_E_ARG);
  assert_that(!limb_has_mdh_frames(NULL) && !limb_has_dh_frames(NULL) && limb_stands_for(NULL, 1) == -1);
  limb_model_destroy(m);
  limb_model_destroy(tree);
}
END_TEST

CHECK_MAIN("notation", trial_robots(), screws, standard_tables, modified_frames, poses_have_rows, ur5_of_the_book,
           rows_as_typed, arguments_are_checked)
