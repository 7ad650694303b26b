// Base parameters at the edges: axes that are nearly parallel, robots of any size, overflow, memory,
// arguments.
#include "support/check.h"
#include "support/rng.h"
#include "support/robots_impl.h"

#include <stdlib.h>

enum { ONLY_BODIES = LIMB_BASE_NO_ROTORS | LIMB_BASE_NO_SPRINGS };

static limb_base_facts facts_of(const limb_base_parameters* b)
{
  limb_base_facts f = {0};
  assert_ok(limb_base_get_facts(b, &f));
  return f;
}

// ---- edges ------------------------------------------------------------------------------------------

// Axes a hair off parallel: between the structures nothing is certain, and that is said.
START_TEST(nearly_parallel)
{
  static const double twist[] = {1e-3, 1e-5, 1e-7, 1e-8, 3e-9, 1e-9, 1e-10, 1e-12};
  int uncertain = 0;
  for (int k = 0; k < 8; k++) {
    check_at("twist %g", twist[k]);
    rng r = {3};
    limb_builder* b = fixture_begin("nearly");
    int parent = LIMB_WORLD_BODY;
    for (int i = 0; i < 3; i++) {
      const char digit[2] = {(char)('1' + i), 0};
      const sp_inertia box = limb_inertia_box(2, 0.3, 0.4, 0.5);
      const sp_pose X = fixture_mdh(0, 0, i ? twist[k] : 0, i ? 0.5 : 0, 0, 0);
      parent =
        fixture_link(b, digit, LIMB_REVOLUTE, parent, X, sp_v3(0, 0, 1), limb_inertia_move(rng_pose(&r, 0.2), box));
    }
    limb_model* m = fixture_end(b);
    limb_base_parameters* base = NULL;
    const limb_status s = limb_base_create(m, NULL, ONLY_BODIES, NULL, &base);
    if (s == LIMB_OK) {
      const limb_base_facts f = facts_of(base);
      assert_that(f.residual < 1e-6);
      uncertain += !f.agree;
    } else {
      assert_status(s, LIMB_E_SINGULAR);
      uncertain++;
    }
    limb_base_destroy(base);
    limb_model_destroy(m);
  }
  assert_that(uncertain > 0 && uncertain < 8);
}
END_TEST

// Three skew axes. What the parameters are does not matter for their grouping: here they are zero.
static limb_model* make_large(double length)
{
  limb_builder* b = fixture_begin("large");
  int parent = LIMB_WORLD_BODY;
  for (int i = 0; i < 3; i++) {
    const char digit[2] = {(char)('1' + i), 0};
    const sp_pose X = i ? fixture_mdh(0, 0, 1.1, length, 0, 0.3 * length) : fixture_at(0, 0, 0);
    parent = fixture_link(b, digit, LIMB_REVOLUTE, parent, X, sp_v3(0, 0, 1), (sp_inertia){0});
  }
  return fixture_end(b);
}

// The same robot in any size, and gravity to scale: the numbers of the comparison are those of size 1.
START_TEST(any_size)
{
  const double length[] = {1e-100, 1e-60, 1, 1e76, 1e100, 1e150};
  for (int k = 0; k < 6; k++) {
    check_at("length %g", length[k]);
    limb_model* m = make_large(length[k]);
    limb_base_parameters* b = NULL;
    limb_environment env = limb_default_environment(m);
    env.gravity = sp_v3(0, 0, -10 * length[k]);
    assert_ok(limb_base_create(m, &env, LIMB_BASE_NO_SPRINGS, NULL, &b));
    const limb_base_facts f = facts_of(b);
    assert_that(f.agree && f.numeric == 23 && f.structure == 23);
    limb_base_destroy(b);
    limb_model_destroy(m);
  }
  limb_model* m = make_large(1e-160); // its square is no number
  limb_base_parameters* b = NULL;
  for (unsigned only = 0; only < 2; only++)
    assert_status(limb_base_create(m, NULL, only * LIMB_BASE_STRUCTURE_ONLY, NULL, &b), LIMB_E_NONFINITE);
  limb_model_destroy(m);
}
END_TEST

enum { CURL = 8, SLIDES = 20 };

// A finger of skew hinges that all follow the first, and many slides beside it: a state has one equation for
// all that is in the finger, and it takes many states to tell its parameters apart.
static limb_model* make_finger(void)
{
  limb_builder* b = fixture_begin("finger");
  int parent = LIMB_WORLD_BODY, first = -1;
  rng r = {4};
  for (int i = 0; i < CURL + SLIDES; i++) {
    const char digits[3] = {(char)('0' + i / 10), (char)('0' + i % 10), 0};
    const int from = i < CURL ? parent : LIMB_WORLD_BODY;
    const sp_inertia box = limb_inertia_move(rng_pose(&r, 0.2), limb_inertia_box(1, 0.1, 0.2, 0.3));
    parent = fixture_body(b, digits, box);
    limb_joint_def joint = limb_default_joint_def(digits, i < CURL ? LIMB_REVOLUTE : LIMB_PRISMATIC, from, parent);
    joint.placement = rng_pose(&r, 0.5), joint.axis = rng_direction(&r);
    joint.viscous = 0.1, joint.coulomb = 0.2, joint.rotor_inertia = 0.3;
    if (i > 0 && i < CURL) joint.mimic = first, joint.multiplier = rng_uniform(&r, 0.4, 1.6);
    const int made = fixture_joint(b, &joint);
    if (i == 0) first = made;
  }
  return fixture_end(b);
}

// What was found at some random states holds at others.
START_TEST(many_parameters_in_one_equation)
{
  limb_model* m = make_finger();
  limb_data* d = NULL;
  limb_base_parameters* b = NULL;
  limb_environment env = limb_default_environment(m);
  env.coulomb_width = 0.1;
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_base_create(m, &env, 0, NULL, &b));
  enum { NV = 1 + SLIDES };
  const int nb = limb_base_count(b);
  assert_that(limb_nv(m) == NV && facts_of(b).residual < 1e-11);
  double* work = calloc(limb_base_work(b), sizeof(double));
  double *Y_b = calloc((size_t)(NV * nb), sizeof(double)), *theta = calloc((size_t)nb, sizeof(double));
  assert_that(work && Y_b && theta);
  assert_ok(limb_base_values(b, NULL, theta));
  rng r = {9};
  for (int k = 0; k < 20; k++) {
    double x[3][NV], tau[NV], sum[NV] = {0};
    rng_fill(&r, 2, 3 * NV, x[0]);
    assert_ok(limb_inverse_dynamics(d, x[0], x[1], x[2], &env, tau));
    assert_ok(limb_base_regressor(b, d, x[0], x[1], x[2], work, Y_b));
    for (int i = 0; i < NV * nb; i++) sum[i / nb] += Y_b[i] * theta[i % nb];
    assert_close_array(sum, tau, NV, 1e-9, 0);
  }
  free(work);
  free(Y_b);
  free(theta);
  limb_base_destroy(b);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

START_TEST(structure_only)
{
  limb_model* m = robot_panda();
  limb_base_parameters *b = NULL, *c = NULL;
  assert_ok(limb_base_create(m, NULL, LIMB_BASE_STRUCTURE_ONLY, NULL, &b));
  assert_ok(limb_base_create(m, NULL, 0, NULL, &c));
  const limb_base_facts f = facts_of(b);
  assert_that(f.numeric == -1 && f.agree == 0 && f.structure == limb_base_count(c));
  assert_that(limb_base_count(b) == limb_base_count(c));
  const int size = limb_base_count(b) * limb_parameter_count(m);
  assert_close_array(limb_base_matrix(b), limb_base_matrix(c), size, 0, 0);
  limb_base_destroy(b);
  limb_base_destroy(c);
  limb_model_destroy(m);
}
END_TEST

// Both are reported.
START_TEST(overflow)
{
  limb_model* m = robot_tree5();
  limb_data* d = NULL;
  limb_base_parameters* b = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_base_create(m, NULL, 0, NULL, &b));
  enum { NV = 5, NP = 15 * NV };
  double work[NV * NP], Y_b[NV * NP], q[NV], v[NV] = {0}, a[NV] = {0};
  for (int k = 0; k < NV; k++) q[k] = 0.3 * k;
  a[0] = a[3] = 1e307;
  assert_that(limb_base_work(b) <= NV * NP);
  assert_ok(limb_regressor(d, q, v, a, NULL, work));
  assert_ok(limb_base_regressor(b, d, q, v, a, work, Y_b));
  a[0] = a[3] = 6.166e307;
  assert_status(limb_regressor(d, q, v, a, NULL, work), LIMB_E_NONFINITE);
  assert_status(limb_base_regressor(b, d, q, v, a, work, Y_b), LIMB_E_NONFINITE);
  limb_base_destroy(b);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// An allocator that has no more after some calls.
typedef struct purse {
  int left, out;
} purse;

static void* spend(void* context, size_t size, size_t align)
{
  purse* p = context;
  if (p->left-- <= 0) return NULL;
  p->out++;
  return aligned_alloc(align, (size + align - 1) / align * align);
}

static void give_back(void* context, void* memory, size_t size)
{
  (void)size;
  ((purse*)context)->out--;
  free(memory);
}

START_TEST(out_of_memory)
{
  limb_model* m = robot_hand(); // mimic joints: formulas are merged, too
  limb_base_parameters* b = NULL;
  int calls = 0;
  for (;; calls += CHECK_EFFORT(5, 1, 1)) {
    purse p = {calls, 0};
    const limb_allocator alloc = {spend, give_back, &p};
    const limb_status s = limb_base_create(m, NULL, 0, &alloc, &b);
    if (s == LIMB_OK) {
      limb_base_destroy(b);
      assert_that(p.out == 0);
      break;
    }
    assert_status(s, LIMB_E_NOMEM);
    assert_that(p.out == 0 && b == NULL);
  }
  assert_that(calls > 20);
  limb_model_destroy(m);
}
END_TEST

START_TEST(arguments)
{
  limb_model *m = robot_planar_2r(), *other = robot_scara(), *big = robot_chain1000();
  limb_base_parameters* b = NULL;
  limb_data *d = NULL, *foreign = NULL;
  const limb_allocator half = {spend, NULL, NULL};
  limb_environment env = limb_default_environment(m);
  double x[8] = {0}, work[60], Y[64];
  assert_status(limb_base_create(NULL, NULL, 0, NULL, &b), LIMB_E_ARG);
  assert_status(limb_base_create(m, NULL, 0, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_base_create(m, NULL, 8, NULL, &b), LIMB_E_ARG);
  assert_status(limb_base_create(m, NULL, 0, &half, &b), LIMB_E_ARG);
  assert_status(limb_base_create(big, NULL, 0, NULL, &b), LIMB_E_UNSUPPORTED);
  env.base_velocity.w.x = 1;
  assert_status(limb_base_create(m, &env, 0, NULL, &b), LIMB_E_ARG);
  env.base_velocity.w.x = 0, env.gravity.x = nan("");
  assert_status(limb_base_create(m, &env, 0, NULL, &b), LIMB_E_NONFINITE);
  assert_that(b == NULL);
  assert_ok(limb_base_create(m, NULL, 0, NULL, &b));
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_data_create(other, NULL, &foreign));
  assert_status(limb_base_regressor(NULL, d, x, x, x, work, Y), LIMB_E_ARG);
  assert_status(limb_base_regressor(b, NULL, x, x, x, work, Y), LIMB_E_ARG);
  assert_status(limb_base_regressor(b, foreign, x, x, x, work, Y), LIMB_E_ARG);
  assert_status(limb_base_regressor(b, d, NULL, x, x, work, Y), LIMB_E_ARG);
  assert_status(limb_base_regressor(b, d, x, x, x, NULL, Y), LIMB_E_ARG);
  assert_status(limb_base_regressor(b, d, x, x, x, work, NULL), LIMB_E_ARG);
  x[0] = nan("");
  assert_status(limb_base_regressor(b, d, x, x, x, work, Y), LIMB_E_NONFINITE);
  assert_status(limb_base_get_facts(b, NULL), LIMB_E_ARG);
  assert_status(limb_base_get_facts(NULL, &(limb_base_facts){0}), LIMB_E_ARG);
  assert_status(limb_base_values(b, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_base_values(NULL, NULL, Y), LIMB_E_ARG);
  assert_that(!limb_base_name(b, -1) && !limb_base_name(b, limb_base_count(b)));
  assert_that(!limb_base_name(NULL, 0) && !limb_base_formula(NULL, 0) && !limb_base_formula(b, 99));
  assert_that(!limb_base_matrix(NULL) && limb_base_count(NULL) == 0 && limb_base_work(NULL) == 0);
  assert_that(limb_base_effect_of(b, -1) == LIMB_EFFECT_NONE);
  limb_base_destroy(NULL);
  limb_base_destroy(b);
  limb_data_destroy(d);
  limb_data_destroy(foreign);
  limb_model_destroy(m);
  limb_model_destroy(other);
  limb_model_destroy(big);
}
END_TEST

CHECK_MAIN("dynamics/base_edges", 1, nearly_parallel, any_size, many_parameters_in_one_equation, structure_only,
           overflow, out_of_memory, arguments)
