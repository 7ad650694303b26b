// limb_verify as it is called: results and summary, a choice of quantities, progress, arguments, loops that stay open.
#include "support/check.h"
#include "support/closed.h"
#include "support/robots.h"

#include "limb/verify.h"

#include <stdio.h>
#include <string.h>

static limb_verification* verified(const limb_model* m, const limb_verify_options* o)
{
  limb_verification* v = NULL;
  limb_error err = {.status = LIMB_OK};
  const limb_status s = limb_verify(m, o, &v, &err);
  check_at("%s: %s", limb_model_name(m), err.text);
  assert_ok(s);
  return v;
}

static limb_verify_options few(void)
{
  limb_verify_options o = limb_default_verify();
  o.states = 4;
  return o;
}

START_TEST(robots_agree)
{
  const char* const names[] = {"ur5", "tree5", "quadruped", "puma560"};
  limb_model* m = robot_find(names[_i])->make();
  const limb_verify_options o = few();
  limb_verification* v = verified(m, &o);
  const limb_verify_summary sum = limb_verification_summary(v);
  limb_verify_result r;
  int applies = 0, k = 0;
  for (; limb_verification_get(v, k, &r) == LIMB_OK; k++) {
    check_at("%s: %s by %s and %s", names[_i], r.quantity, r.first, r.second);
    assert_that(r.verdict == LIMB_VERDICT_OK || (r.verdict == LIMB_VERDICT_NOT_APPLICABLE && *r.reason));
    assert_that(r.verdict != LIMB_VERDICT_OK || (r.difference <= r.tolerance && r.states > 0 && !*r.reason));
    applies += r.verdict == LIMB_VERDICT_OK;
  }
  assert_that(k == sum.checks && sum.failed == 0 && applies > 45 && sum.condition >= 1);
  assert_close_vec3(sum.gravity, limb_model_gravity(m), 0, 1e-12);
  limb_verification_destroy(v);
  limb_model_destroy(m);
}
END_TEST

// What is too strict fails, and is reported as that.
START_TEST(tolerances_count)
{
  limb_model* m = robot_find("ur5")->make();
  limb_verify_options o = few();
  limb_verify_result r;
  o.tolerance = 1e-300;
  limb_verification* v = verified(m, &o);
  assert_that(limb_verification_summary(v).failed > 20);
  assert_ok(limb_verification_get(v, 0, &r));
  assert_that(r.verdict == LIMB_VERDICT_FAILED && r.status == LIMB_OK && r.difference > r.tolerance && r.state > 0);
  assert_that(strcmp(limb_verdict_name(r.verdict), "FAILED") == 0);
  limb_verification_destroy(v);
  limb_model_destroy(m);
}
END_TEST

static void count_calls(void* context, uint64_t done, uint64_t total)
{
  uint64_t* calls = context;
  assert_that(done == *calls && done < total);
  ++*calls;
}

START_TEST(quantities_and_progress)
{
  static const char* const wanted[] = {"M", "acc", NULL};
  limb_model* m = robot_find("ur5")->make();
  limb_verify_options o = few();
  uint64_t calls = 0;
  limb_verify_result r;
  o.quantities = wanted, o.progress = count_calls, o.context = &calls;
  limb_verification* v = verified(m, &o);
  const int n = limb_verification_summary(v).checks;
  assert_that(n == 7 && calls == 4 * (uint64_t)n);
  for (int k = 0; k < n; k++) {
    assert_ok(limb_verification_get(v, k, &r));
    assert_that(strcmp(r.quantity, "M") == 0 || strcmp(r.quantity, "acc") == 0);
  }
  assert_status(limb_verification_get(v, n, &r), LIMB_E_ARG);
  assert_status(limb_verification_get(v, -1, &r), LIMB_E_ARG);
  limb_verification_destroy(v);
  limb_model_destroy(m);
}
END_TEST

// Every quantity of a check is in the registry.
START_TEST(names_are_of_the_registry)
{
  closed_case x = closed_find("four_bar", 1);
  limb_verify_options o = few();
  limb_verify_result r;
  o.states = 1;
  limb_verification* v = verified(x.m, &o);
  for (int k = 0; limb_verification_get(v, k, &r) == LIMB_OK; k++) {
    char names[120];
    (void)snprintf(names, sizeof names, "%s", r.quantity);
    for (char* at = strtok(names, ", "); at; at = strtok(NULL, ", ")) {
      check_at("%s", at);
      assert_that(limb_find_quantity(at));
    }
  }
  limb_verification_destroy(v);
  closed_free(&x);
}
END_TEST

START_TEST(arguments)
{
  limb_model* m = robot_find("ur5")->make();
  limb_verification* v = NULL;
  limb_verify_options o = few();
  limb_error err;
  assert_status(limb_verify(NULL, &o, &v, &err), LIMB_E_ARG);
  assert_status(limb_verify(m, &o, NULL, NULL), LIMB_E_ARG);
  o.states = 0;
  assert_status(limb_verify(m, &o, &v, &err), LIMB_E_ARG);
  o = few(), o.tolerance = 0;
  assert_status(limb_verify(m, &o, &v, &err), LIMB_E_ARG);
  o = few(), o.size = 8;
  assert_status(limb_verify(m, &o, &v, &err), LIMB_E_ARG);
  assert_that(v == NULL && *err.text);
  assert_that(limb_verification_summary(NULL).checks == 0);
  limb_verification_destroy(NULL);
  limb_model_destroy(m);
}
END_TEST

// Checks of loops come last; a loop that no configuration closes is named.
START_TEST(loops)
{
  closed_case x = closed_find("four_bar", 1);
  const limb_verify_options o = few();
  limb_verification* v = verified(x.m, &o);
  limb_verify_result r;
  const limb_verify_summary sum = limb_verification_summary(v);
  assert_that(sum.failed == 0);
  assert_ok(limb_verification_get(v, sum.checks - 1, &r));
  assert_that(strcmp(r.quantity, "acc") == 0);
  limb_verification_destroy(v);
  closed_free(&x);

  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_error err;
  limb_body_def body = limb_default_body_def("bar");
  limb_joint_def joint = limb_default_joint_def("hinge", LIMB_REVOLUTE, 0, 1);
  limb_loop_def loop = limb_default_loop_def("far", LIMB_LOOP_PIN, 0, 1);
  body.inertia = limb_inertia_box(1, 0.1, 0.1, 0.1);
  loop.pose_a.p = sp_v3(3, 0, 0), loop.pose_b.p = sp_v3(1, 0, 0);
  assert_ok(limb_builder_create(NULL, &b));
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  assert_ok(limb_builder_add_loop(b, &loop, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  assert_status(limb_verify(m, &o, &v, &err), LIMB_E_NOCONV);
  assert_that(v == NULL && strcmp(err.where, "far") == 0 && strstr(err.text, "loop 'far' stays 2 apart"));
  limb_model_destroy(m);
  limb_builder_destroy(b);
}
END_TEST

// Nothing moves, or nothing but what is constant is to be compared: differences are rounding, and no mistake.
static limb_model* bars(limb_joint_type type, int rigid)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  for (int k = 0; k < 2; k++) {
    limb_body_def body = limb_default_body_def(k ? "right" : "left");
    body.inertia = limb_inertia_box(1.5, 0.8, 0.1, 0.1);
    body.inertia.com = sp_v3(0.5, 0.1, 0);
    limb_joint_def joint = limb_default_joint_def(k ? "j2" : "j1", type, rigid ? 0 : k, k + 1);
    joint.placement.p = sp_v3(k, 0, 0);
    joint.axis = rigid ? sp_v3(0, 1, 0) : sp_v3(k ? 0.6 : 1, k ? 0.8 : 0, 0);
    if (type != LIMB_FIXED) joint.start = k ? -2.0943951023931957 : -1.0471975511965976; // equilateral
    assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
    assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  }
  limb_loop_def loop = limb_default_loop_def("top", LIMB_LOOP_BALL, 1, 2);
  loop.pose_a.p = loop.pose_b.p = sp_v3(1, 0, 0);
  if (rigid) assert_ok(limb_builder_add_loop(b, &loop, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  return m;
}

START_TEST(no_false_alarms)
{
  limb_model* const robots[] = {bars(LIMB_REVOLUTE, 1), bars(LIMB_PRISMATIC, 0), bars(LIMB_FIXED, 0)};
  for (int k = 0; k < 3; k++) {
    limb_verify_options o = few();
    limb_environment env = limb_default_environment(robots[k]);
    limb_verify_result r;
    env.gravity = _i % 2 ? sp_v3(0, 0, 0) : env.gravity;
    o.env = &env, o.seed = (uint64_t)_i;
    limb_verification* v = verified(robots[k], &o);
    for (int i = 0; limb_verification_get(v, i, &r) == LIMB_OK; i++) {
      check_at("robot %d: %s by %s and %s", k, r.quantity, r.first, r.second);
      assert_that(r.verdict != LIMB_VERDICT_FAILED);
    }
    limb_verification_destroy(v);
    limb_model_destroy(robots[k]);
  }
}
END_TEST

CHECK_MAIN("verify_calls", 4, robots_agree, tolerances_count, quantities_and_progress, names_are_of_the_registry,
           arguments, loops, no_false_alarms)
