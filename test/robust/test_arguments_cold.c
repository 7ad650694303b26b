// The calls around the hot ones reject what their headers say: workspaces, manifold, questions
// about the model, builder, reference formulations.
#include "base/memory.h"
#include "support/check.h"
#include "support/robots_impl.h"

#include "limb/verify.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NQ = 19, NV = 18 };

static void random_state(const limb_model* m, double* q, double* v)
{
  uint64_t seed = 9;
  assert_ok(limb_random(m, &seed, q));
  for (int k = 0; k < NV; k++) v[k] = 0.3 - 0.05 * k;
}

// ---- workspaces ---------------------------------------------------------------------------------

START_TEST(workspaces)
{
  limb_model* m = robot_quadruped();
  const size_t size = limb_data_size(m), all = (size + 2 * LIMB_DATA_ALIGN) / 64 * 64;
  assert_that(size > 0 && limb_data_size(NULL) == 0);
  char* block = aligned_alloc(LIMB_DATA_ALIGN, all);
  memset(block, 0x5a, all);
  limb_data* d = NULL;
  assert_status(limb_data_init(NULL, block, size, &d), LIMB_E_ARG);
  assert_status(limb_data_init(m, NULL, size, &d), LIMB_E_ARG);
  assert_status(limb_data_init(m, block, size, NULL), LIMB_E_ARG);
  for (int shift = 1; shift < LIMB_DATA_ALIGN; shift += 7) {
    assert_status(limb_data_init(m, block + shift, size, &d), LIMB_E_ARG);
  }
  assert_status(limb_data_init(m, block, size - 1, &d), LIMB_E_NOMEM);
  assert_status(limb_data_init(m, block, 0, &d), LIMB_E_NOMEM);
  // A block may be used again, and what lies behind the stated size is not touched.
  for (int again = 0; again < 2; again++) {
    double q[NQ], v[NV], tau[NV], a[NV];
    assert_ok(limb_data_init(m, block, size, &d));
    assert_that(limb_data_model(d) == m && limb_data_model(NULL) == NULL);
    random_state(m, q, v);
    assert_ok(limb_inverse_dynamics(d, q, v, v, NULL, tau));
    assert_ok(limb_forward_dynamics(d, q, v, tau, NULL, a));
    assert_close_array(a, v, NV, TOL_SOLVE, 0);
  }
  for (size_t i = size; i < all; i++) assert_that(block[i] == 0x5a);
  assert_status(limb_data_create(NULL, NULL, &d), LIMB_E_ARG);
  assert_status(limb_data_create(m, NULL, NULL), LIMB_E_ARG);
  limb_data_destroy(NULL);
  limb_model_destroy(NULL);
  limb_builder_destroy(NULL);
  free(block);
  limb_model_destroy(m);
}
END_TEST

START_TEST(workspaces_that_fail_are_null)
{
  limb_model* m = robot_quadruped();
  const limb_allocator usual = limb_default_allocator();
  limb_allocator broken[3] = {usual, usual, {0}};
  broken[0].alloc = NULL;
  broken[1].free = NULL;
  limb_data* const stale = (limb_data*)m; // anything but NULL
  for (int k = 0; k < 3; k++) {
    limb_data* d = stale;
    check_at("allocator %d", k);
    assert_status(limb_data_create(m, &broken[k], &d), LIMB_E_ARG);
    assert_that(d == NULL);
  }
  limb_data* d = stale;
  assert_status(limb_data_create(NULL, NULL, &d), LIMB_E_ARG);
  assert_that(d == NULL);
  _Alignas(LIMB_DATA_ALIGN) char block[LIMB_DATA_ALIGN];
  d = stale;
  assert_status(limb_data_init(m, block, sizeof block, &d), LIMB_E_NOMEM);
  assert_that(d == NULL);
  d = stale;
  assert_status(limb_data_init(m, NULL, sizeof block, &d), LIMB_E_ARG);
  assert_that(d == NULL);
  d = stale;
  assert_status(limb_data_init(m, block + 1, sizeof block - 1, &d), LIMB_E_ARG);
  assert_that(d == NULL);
  limb_model_destroy(m);
}
END_TEST

// ---- the configuration manifold -----------------------------------------------------------------

START_TEST(manifold)
{
  limb_model* m = robot_quadruped();
  double q[NQ], v[NV], out[NQ];
  random_state(m, q, v);
  uint64_t seed = 1;
  assert_status(limb_neutral(NULL, q), LIMB_E_ARG);
  assert_status(limb_neutral(m, NULL), LIMB_E_ARG);
  assert_status(limb_start(NULL, q), LIMB_E_ARG);
  assert_status(limb_start(m, NULL), LIMB_E_ARG);
  assert_status(limb_random(NULL, &seed, q), LIMB_E_ARG);
  assert_status(limb_random(m, NULL, q), LIMB_E_ARG);
  assert_status(limb_random(m, &seed, NULL), LIMB_E_ARG);
  assert_status(limb_integrate(NULL, q, v, 1, out), LIMB_E_ARG);
  assert_status(limb_integrate(m, NULL, v, 1, out), LIMB_E_ARG);
  assert_status(limb_integrate(m, q, NULL, 1, out), LIMB_E_ARG);
  assert_status(limb_integrate(m, q, v, 1, NULL), LIMB_E_ARG);
  assert_status(limb_integrate(m, q, v, (double)NAN, out), LIMB_E_NONFINITE);
  assert_status(limb_integrate(m, q, v, HUGE_VAL, out), LIMB_E_NONFINITE);
  assert_status(limb_difference(NULL, q, q, v), LIMB_E_ARG);
  assert_status(limb_difference(m, NULL, q, v), LIMB_E_ARG);
  assert_status(limb_difference(m, q, NULL, v), LIMB_E_ARG);
  assert_status(limb_difference(m, q, q, NULL), LIMB_E_ARG);
  assert_status(limb_normalize(NULL, q), LIMB_E_ARG);
  assert_status(limb_normalize(m, NULL), LIMB_E_ARG);
  for (int k = 0; k < NQ; k++) {
    double bad[NQ], w[NV];
    memcpy(bad, q, sizeof bad);
    bad[k] = k % 2 ? (double)NAN : -HUGE_VAL;
    check_at("position %d", k);
    assert_status(limb_integrate(m, bad, v, 1, out), LIMB_E_NONFINITE);
    assert_status(limb_difference(m, bad, q, w), LIMB_E_NONFINITE);
    assert_status(limb_difference(m, q, bad, w), LIMB_E_NONFINITE);
    if (k >= NV) continue;
    memcpy(w, v, sizeof w);
    w[k] = (double)NAN;
    assert_status(limb_integrate(m, q, w, 1, out), LIMB_E_NONFINITE);
  }
  double zero[NQ];
  memcpy(zero, q, sizeof zero);
  memset(zero + 3, 0, 4 * sizeof *zero);
  assert_status(limb_integrate(m, zero, v, 1, out), LIMB_E_ARG);
  assert_status(limb_difference(m, zero, q, v), LIMB_E_ARG);
  assert_status(limb_difference(m, q, zero, v), LIMB_E_ARG);
  assert_status(limb_normalize(m, zero), LIMB_E_ARG);
  limb_model_destroy(m);
}
END_TEST

// ---- questions about the model ------------------------------------------------------------------

START_TEST(questions)
{
  limb_model* m = robot_quadruped();
  limb_body_info body;
  limb_joint_info joint;
  limb_frame_info frame;
  limb_note note;
  assert_that(!limb_model_name(NULL) && limb_nq(NULL) == 0 && limb_nv(NULL) == 0);
  assert_that(limb_body_count(NULL) == 0 && limb_joint_count(NULL) == 0);
  assert_that(limb_frame_count(NULL) == 0 && limb_model_note_count(NULL) == 0);
  assert_that(limb_find_body(NULL, "trunk") == -1 && limb_find_body(m, NULL) == -1);
  assert_that(limb_find_joint(NULL, "trunk") == -1 && limb_find_joint(m, NULL) == -1);
  assert_that(limb_find_frame(NULL, "imu") == -1 && limb_find_frame(m, NULL) == -1);
  assert_that(limb_find_body(m, "nobody") == -1 && limb_find_joint(m, "") == -1);
  assert_that(sp_norm3(limb_model_gravity(NULL)) == 0 && limb_total_mass(NULL) == 0);
  assert_status(limb_get_body(NULL, 0, &body), LIMB_E_ARG);
  assert_status(limb_get_body(m, 0, NULL), LIMB_E_ARG);
  assert_status(limb_get_body(m, -1, &body), LIMB_E_ARG);
  assert_status(limb_get_body(m, limb_body_count(m), &body), LIMB_E_ARG);
  assert_status(limb_get_joint(NULL, 0, &joint), LIMB_E_ARG);
  assert_status(limb_get_joint(m, 0, NULL), LIMB_E_ARG);
  assert_status(limb_get_joint(m, -1, &joint), LIMB_E_ARG);
  assert_status(limb_get_joint(m, limb_joint_count(m), &joint), LIMB_E_ARG);
  assert_status(limb_get_frame(NULL, 0, &frame), LIMB_E_ARG);
  assert_status(limb_get_frame(m, 0, NULL), LIMB_E_ARG);
  assert_status(limb_get_frame(m, -1, &frame), LIMB_E_ARG);
  assert_status(limb_get_frame(m, limb_frame_count(m), &frame), LIMB_E_ARG);
  assert_status(limb_model_note(NULL, 0, &note), LIMB_E_ARG);
  assert_status(limb_model_note(m, -1, &note), LIMB_E_ARG);
  assert_status(limb_model_note(m, limb_model_note_count(m), &note), LIMB_E_ARG);
  assert_status(limb_model_report(NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_model_report(m, NULL, NULL), LIMB_E_ARG);
  assert_that(!limb_q_suffix(LIMB_FREE, 7) && !limb_q_suffix(LIMB_FREE, -1));
  assert_that(!limb_v_suffix(LIMB_FREE, 6) && !limb_v_suffix((limb_joint_type)99, 0));
  assert_that(!limb_joint_type_name((limb_joint_type)99));
  assert_that(!limb_note_kind_name((limb_note_kind)99) && !limb_note_kind_name((limb_note_kind)-1));
  assert_that(limb_status_text((limb_status)12345) != NULL);
  limb_model_destroy(m);
}
END_TEST

// ---- the builder --------------------------------------------------------------------------------

START_TEST(builder)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_error err;
  const limb_body_def body = limb_default_body_def("a");
  const limb_joint_def joint = limb_default_joint_def("j", LIMB_REVOLUTE, LIMB_WORLD_BODY, 1);
  const sp_pose here = sp_pose_identity();
  assert_status(limb_builder_create(NULL, NULL), LIMB_E_ARG);
  assert_ok(limb_builder_create(NULL, &b));
  assert_status(limb_builder_set_name(NULL, "x"), LIMB_E_ARG);
  assert_status(limb_builder_set_name(b, NULL), LIMB_E_ARG);
  assert_status(limb_builder_set_gravity(NULL, sp_v3(0, 0, 0)), LIMB_E_ARG);
  assert_status(limb_builder_set_gravity(b, sp_v3(0, (double)NAN, 0)), LIMB_E_NONFINITE);
  assert_status(limb_builder_add_body(NULL, &body, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_add_body(b, NULL, NULL, &err), LIMB_E_ARG);
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  assert_status(limb_builder_add_body(b, &body, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_add_joint(NULL, &joint, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_add_joint(b, NULL, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_add_frame(NULL, "f", 1, &here, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_add_frame(b, NULL, 1, &here, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_add_frame(b, "f", 2, &here, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_add_frame(b, "f", 1, NULL, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_build(NULL, &m, &err), LIMB_E_ARG);
  assert_status(limb_builder_build(b, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_build(b, &m, &err), LIMB_E_MODEL); // the body has no joint
  assert_that(err.status == LIMB_E_MODEL && err.text[0] && err.where[0]);
  assert_status(limb_builder_build(b, &m, NULL), LIMB_E_MODEL);
  // After all these failures the builder still works.
  assert_ok(limb_builder_add_joint(b, &joint, NULL, &err));
  assert_ok(limb_builder_build(b, &m, &err));
  assert_that(limb_builder_body_count(NULL) == 0 && limb_builder_joint_count(NULL) == 0);
  assert_that(limb_builder_frame_count(NULL) == 0 && limb_builder_find_body(NULL, "a") == -1);
  limb_model_destroy(m);
  limb_builder_destroy(b);
}
END_TEST

// Numbers that are not finite, in every member of the definitions that holds one.
START_TEST(definitions_hold_finite_numbers)
{
  limb_builder* b = NULL;
  limb_error err;
  assert_ok(limb_builder_create(NULL, &b));
  limb_body_def body = limb_default_body_def("a");
  for (size_t k = 0; k < sizeof(sp_inertia) / sizeof(double); k++) {
    limb_body_def bad = body;
    const double nan = (double)NAN;
    memcpy((char*)&bad.inertia + k * sizeof(double), &nan, sizeof nan);
    assert_status(limb_builder_add_body(b, &bad, NULL, &err), LIMB_E_NONFINITE);
  }
  assert_ok(limb_builder_add_body(b, &body, NULL, &err));
  const limb_joint_def good = limb_default_joint_def("j", LIMB_HELICAL, LIMB_WORLD_BODY, 1);
  static const size_t at[] = {offsetof(limb_joint_def, placement.R), offsetof(limb_joint_def, placement.p),
                              offsetof(limb_joint_def, axis),        offsetof(limb_joint_def, pitch),
                              offsetof(limb_joint_def, q_min),       offsetof(limb_joint_def, q_max),
                              offsetof(limb_joint_def, v_max),       offsetof(limb_joint_def, effort_max),
                              offsetof(limb_joint_def, gear_ratio),  offsetof(limb_joint_def, rotor_inertia),
                              offsetof(limb_joint_def, coulomb),     offsetof(limb_joint_def, viscous),
                              offsetof(limb_joint_def, stiffness),   offsetof(limb_joint_def, rest),
                              offsetof(limb_joint_def, start)};
  for (size_t k = 0; k < sizeof at / sizeof at[0]; k++) {
    limb_joint_def bad = good;
    const double nan = (double)NAN;
    memcpy((char*)&bad + at[k], &nan, sizeof nan);
    check_at("member at byte %zu", at[k]);
    assert_status(limb_builder_add_joint(b, &bad, NULL, &err), LIMB_E_NONFINITE);
  }
  assert_that(limb_builder_joint_count(b) == 0);
  assert_ok(limb_builder_add_joint(b, &good, NULL, &err));
  limb_builder_destroy(b);
}
END_TEST

// ---- reference formulations ---------------------------------------------------------------------

START_TEST(reference)
{
  limb_model* m = robot_quadruped();
  double q[NQ], v[NV], tau[NV], M[NV * NV];
  sp_pose X[32];
  random_state(m, q, v);
  assert_ok(limb_reference_inverse_dynamics(m, q, v, v, NULL, tau, NULL));
  assert_status(limb_reference_inverse_dynamics(NULL, q, v, v, NULL, tau, NULL), LIMB_E_ARG);
  assert_status(limb_reference_inverse_dynamics(m, NULL, v, v, NULL, tau, NULL), LIMB_E_ARG);
  assert_status(limb_reference_inverse_dynamics(m, q, NULL, v, NULL, tau, NULL), LIMB_E_ARG);
  assert_status(limb_reference_inverse_dynamics(m, q, v, NULL, NULL, tau, NULL), LIMB_E_ARG);
  assert_status(limb_reference_closed_form(NULL, q, v, NULL, M, tau, NULL), LIMB_E_ARG);
  assert_status(limb_reference_closed_form(m, NULL, v, NULL, M, tau, NULL), LIMB_E_ARG);
  assert_ok(limb_reference_closed_form(m, q, v, NULL, NULL, NULL, NULL));
  assert_status(limb_reference_poses(NULL, q, X), LIMB_E_ARG);
  assert_status(limb_reference_poses(m, NULL, X), LIMB_E_ARG);
  assert_status(limb_reference_poses(m, q, NULL), LIMB_E_ARG);
  q[8] = (double)NAN;
  assert_status(limb_reference_poses(m, q, X), LIMB_E_NONFINITE);
  assert_status(limb_reference_inverse_dynamics(m, q, v, v, NULL, tau, NULL), LIMB_E_NONFINITE);
  assert_status(limb_reference_closed_form(m, q, v, NULL, M, NULL, NULL), LIMB_E_NONFINITE);
  limb_model_destroy(m);
}
END_TEST

// The reference formulations read an environment as the fast calls do.
START_TEST(reference_environments)
{
  limb_model* m = robot_quadruped();
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  double q[NQ], v[NV], tau[NV];
  random_state(m, q, v);
  struct {
    limb_environment env;
    double more;
  } given[7];
  memset(given, 0, sizeof given);
  for (int k = 0; k < 7; k++) given[k].env = limb_default_environment(m);
  given[1].env.size = 0;
  given[2].env.size = (size_t)1 << 20;
  given[3].env.coulomb_width = -1;
  given[4].env.coulomb_width = (double)NAN;
  given[5].env.size = given[6].env.size = sizeof given[0];
  given[6].more = 1;
  static const limb_status want[7] = {LIMB_OK,          LIMB_E_ARG, LIMB_E_ARG,        LIMB_E_ARG,
                                      LIMB_E_NONFINITE, LIMB_OK,    LIMB_E_UNSUPPORTED};
  for (int k = 0; k < 7; k++) {
    const limb_environment* env = &given[k].env;
    check_at("environment %d", k);
    assert_status(limb_inverse_dynamics(d, q, v, v, env, tau), want[k]);
    assert_status(limb_reference_inverse_dynamics(m, q, v, v, env, tau, NULL), want[k]);
    assert_status(limb_reference_closed_form(m, q, v, env, NULL, tau, NULL), want[k]);
  }
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("robust/arguments_cold", 1, workspaces, workspaces_that_fail_are_null, manifold, questions, builder,
           definitions_hold_finite_numbers, reference, reference_environments)
