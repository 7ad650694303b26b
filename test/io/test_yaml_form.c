// limb YAML with joints placed by rows or by screws, written and read again: the same robot; screws in the axes of a
// tool.
#include "limb/read.h"

#include "support/check.h"
#include "support/page.h"
#include "support/rng.h"
#include "support/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static limb_model* read_model(const char* text, size_t size, limb_form form)
{
  limb_reading* r = NULL;
  limb_model* m = NULL;
  limb_error err = {0};
  const limb_status status = limb_read_text(text, size, "written.limb.yaml", NULL, &r, &err);
  check_at("%d:%d: %s: %s\n%.2000s", err.line, err.column, err.where, err.text, text);
  assert_ok(status);
  ck_assert_int_eq(limb_findings_count_from(limb_reading_findings(r), LIMB_WARNING), 0);
  assert_that(limb_reading_form(r) == form);
  assert_ok(limb_builder_build(limb_reading_builder(r), &m, &err));
  limb_reading_destroy(r);
  return m;
}

static void compare(trial* t, limb_form form)
{
  page p = {0};
  limb_builder* b = NULL;
  limb_data* d = NULL;
  limb_error err = {0};
  assert_ok(form == LIMB_FORM_MDH ? limb_builder_with_mdh(t->m, NULL, &b) : limb_builder_from_model(t->m, NULL, &b));
  assert_ok(limb_write_form(b, form, page_put, &p, NULL, &err));
  limb_model* m = read_model(p.text, p.size, form);
  assert_ok(limb_data_create(m, NULL, &d));
  check_at("%s, form %d, state %d", t->robot->name, (int)form, t->state);
  ck_assert_int_eq(limb_nv(m), t->nv);
  double *tau = trial_doubles(t, (size_t)t->nv), *again = trial_doubles(t, (size_t)t->nv);
  const double tolerance = t->nbody > 100 ? 1e-9 : 1e-12;
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, NULL, tau));
  assert_ok(limb_inverse_dynamics(d, t->q, t->v, t->a, NULL, again));
  assert_close_array(again, tau, t->nv, tolerance, 0);
  assert_ok(limb_kinematics(t->d, t->q, NULL, NULL));
  assert_ok(limb_kinematics(d, t->q, NULL, NULL));
  for (int f = 0; f < t->nframe; f++) {
    limb_frame_info x;
    sp_pose X, Y;
    assert_ok(limb_get_frame(t->m, f, &x));
    const int other = limb_find_frame(m, x.name);
    if (other < 0 || limb_stands_for(t->m, x.body) >= 0) continue;
    assert_ok(limb_frame_pose(t->d, f, &X));
    assert_ok(limb_frame_pose(d, other, &Y));
    assert_close_pose(Y, X, tolerance, tolerance);
  }
  limb_data_destroy(d);
  limb_model_destroy(m);
  limb_builder_destroy(b);
  free(p.text);
}

static void same_by_rows(trial* t) { compare(t, LIMB_FORM_MDH); }
static void same_by_screws(trial* t) { compare(t, LIMB_FORM_POE); }

START_TEST(rows) { trial_over(_i, 1, same_by_rows); }
END_TEST

START_TEST(screws) { trial_over(_i, 1, same_by_screws); }
END_TEST

// The 7R arm of Lynch and Park, example 4.7 of the book: screws B in the axes of the end effector, L1 = 550,
// L2 = 300, L3 = 60, W1 = 45 mm. Its screws in world axes are those of the axes as drawn: all but the fourth pass
// through the z axis of the base.
START_TEST(screws_of_a_tool)
{
  static const double B[7][6] = {{0, 0, 1, 0, 0, 0},        {0, 1, 0, 0.91, 0, 0}, {0, 0, 1, 0, 0, 0},
                                 {0, 1, 0, 0.36, 0, 0.045}, {0, 0, 1, 0, 0, 0},    {0, 1, 0, 0.06, 0, 0},
                                 {0, 0, 1, 0, 0, 0}};
  static const double S[7][6] = {{0, 0, 1, 0, 0, 0},         {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0},
                                 {0, 1, 0, -0.55, 0, 0.045}, {0, 0, 1, 0, 0, 0}, {0, 1, 0, -0.85, 0, 0},
                                 {0, 0, 1, 0, 0, 0}};
  limb_model* m[2];
  limb_data* d[2];
  rng r = {(uint64_t)_i};
  double q[7];
  for (int i = 0; i < 2; i++) {
    page p = {0};
    char line[300];
    page_put(&p, i ? "limb: 1\npoe: space\nbodies:\n" : "limb: 1\npoe: tool\ntool: {xyz: [0, 0, 0.91]}\nbodies:\n");
    for (int k = 0; k < 7; k++) {
      (void)snprintf(line, sizeof line, "  - {name: b%d, mass: 1, solid: {sphere: 0.1}, home: {xyz: [0, 0, %g]}}\n", k,
                     0.13 * (k + 1));
      page_put(&p, line);
    }
    page_put(&p, "joints:\n");
    for (int k = 0; k < 7; k++) {
      const double* x = i ? S[k] : B[k];
      char parent[8] = "world";
      if (k > 0) (void)snprintf(parent, sizeof parent, "b%d", k - 1);
      (void)snprintf(line, sizeof line, "  - {name: j%d, parent: %s, child: b%d, screw: [%g, %g, %g, %g, %g, %g]}\n", k,
                     parent, k, x[0], x[1], x[2], x[3], x[4], x[5]);
      page_put(&p, line);
    }
    m[i] = read_model(p.text, p.size, LIMB_FORM_POE);
    assert_ok(limb_data_create(m[i], NULL, &d[i]));
    free(p.text);
  }
  for (int k = 0; k < 7; k++) q[k] = rng_uniform(&r, -3, 3);
  sp_pose X, Y;
  for (int i = 0; i < 2; i++) assert_ok(limb_kinematics(d[i], q, NULL, NULL));
  assert_ok(limb_frame_pose(d[0], limb_find_frame(m[0], "b6"), &X));
  assert_ok(limb_frame_pose(d[1], limb_find_frame(m[1], "b6"), &Y));
  assert_close_pose(X, Y, 1e-14, 1e-14);
  for (int i = 0; i < 2; i++) limb_data_destroy(d[i]), limb_model_destroy(m[i]);
}
END_TEST

START_TEST(what_cannot_be_written)
{
  limb_builder* b = NULL;
  limb_model* m = robot_panda();
  page p = {0};
  limb_error err = {0};
  assert_ok(limb_builder_from_model(m, NULL, &b));
  assert_status(limb_write_form(b, LIMB_FORM_DH, page_put, &p, NULL, &err), LIMB_E_UNSUPPORTED);
  assert_status(limb_write_form(b, (limb_form)9, page_put, &p, NULL, &err), LIMB_E_UNSUPPORTED);
  assert_status(limb_write_form(NULL, LIMB_FORM_POE, page_put, &p, NULL, &err), LIMB_E_ARG);
  assert_status(limb_write_form(b, LIMB_FORM_POE, NULL, &p, NULL, &err), LIMB_E_ARG);
  assert_that(p.size == 0 && limb_reading_form(NULL) == LIMB_FORM_POSES);
  limb_builder_destroy(b);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("yaml forms", trial_robots(), rows, screws, screws_of_a_tool, what_cannot_be_written)
