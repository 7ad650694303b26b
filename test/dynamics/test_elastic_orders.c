// Inverse dynamics of robots with shafts: how many derivatives are needed; what is refused, and how.
#include "dynamics/elastic_robots.h"

enum { MOST_ROWS = LIMB_ELASTIC_ORDER_MAX, ARM_V = 4 };

// ---- orders of derivatives ----------------------------------------------------------------------------

static limb_model* chain(int n, bool coupled, double damping)
{
  limb_builder* b = fixture_begin("chain");
  rng r = {7};
  int parent = LIMB_WORLD_BODY;
  limb_error err = {0};
  for (int i = 0; i < n; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "j%d", i);
    const sp_inertia Y = random_inertia(&r);
    const sp_vec3 axis = rng_direction(&r);
    parent = fixture_link(b, name, LIMB_REVOLUTE, parent, rng_pose(&r, 0.3), axis, Y);
  }
  for (int i = 0; i < n; i++) {
    limb_motor_def motor = limb_default_motor_def(i);
    motor.coupled = coupled, motor.rotor_inertia = 1e-3, motor.rotor_mass = coupled ? 0.2 : 0;
    motor.stiffness = 1000, motor.damping = damping, motor.ratio = 10;
    fixture_ok(limb_builder_add_motor(b, &motor, NULL, &err), &err);
  }
  return fixture_end(b);
}

static int order_of(limb_model* m)
{
  const int order = limb_elastic_order(m);
  limb_model_destroy(m);
  return order;
}

// The highest derivative matters.
static void order_matters(int n, bool coupled, double damping)
{
  limb_model* m = chain(n, coupled, damping);
  const int order = limb_elastic_order(m), nv = limb_nv(m);
  double d[MOST_ROWS * MOST_V];
  limb_series* w;
  motion path;
  state x, y;
  assert_ok(limb_series_create(m, NULL, &w));
  motion_random(m, 2, &path);
  motion_rows(&path, 0, order, d);
  const limb_trajectory along = {path.q0, order, d};
  assert_ok(limb_elastic_inverse(w, &along, NULL, x.q, x.v, x.a, x.tau));
  d[(order - 1) * nv + n - 1] += 1e8; // of the last link
  assert_ok(limb_elastic_inverse(w, &along, NULL, y.q, y.v, y.a, y.tau));
  assert_that(fabs(x.tau[n] - y.tau[n]) > 1e-12 * fabs(x.tau[n])); // of the first motor
  limb_series_destroy(w);
  limb_model_destroy(m);
}

START_TEST(orders_of_chains)
{
  ck_assert_int_eq(limb_elastic_order(NULL), -1);
  for (int n = 1; n <= 9; n++) {
    ck_assert_int_eq(order_of(chain(n, false, 0)), 4);
    ck_assert_int_eq(order_of(chain(n, false, 2)), 3);
    ck_assert_int_eq(order_of(chain(n, true, 0)), n <= 7 ? 2 * (n + 1) : -1);
    ck_assert_int_eq(order_of(chain(n, true, 2)), n + 2);
  }
}
END_TEST

START_TEST(highest_derivatives_matter)
{
  for (int i = 0; i < 12; i++) order_matters(1 + i % 3, i & 1, i & 2 ? 2 : 0);
}
END_TEST

// With friction switched off dampers do nothing, and more derivatives are needed.
START_TEST(dampers_count_with_friction_only)
{
  limb_model* m = chain(8, true, 2);
  limb_series* w;
  assert_ok(limb_series_create(m, NULL, &w));
  limb_environment env = limb_default_environment(m);
  double d[MOST_ROWS * 16] = {0}, q[16] = {0};
  state s;
  const limb_trajectory path = {q, MOST_ROWS, d};
  assert_ok(limb_elastic_inverse(w, &path, &env, s.q, s.v, s.a, s.tau));
  env.friction = 0;
  assert_status(limb_elastic_inverse(w, &path, &env, s.q, s.v, s.a, s.tau), LIMB_E_UNSUPPORTED);
  limb_series_destroy(w);
  limb_model_destroy(m);
  m = chain(2, true, 2);
  assert_ok(limb_series_create(m, NULL, &w));
  env.friction = 1;
  const limb_trajectory four = {q, 4, d};
  assert_ok(limb_elastic_inverse(w, &four, &env, s.q, s.v, s.a, s.tau));
  env.friction = 0;
  assert_status(limb_elastic_inverse(w, &four, &env, s.q, s.v, s.a, s.tau), LIMB_E_ARG);
  limb_series_destroy(w);
  limb_model_destroy(m);
}
END_TEST

// Three hinges one after the other, all with inertia, and shafts between them. A closed circle, a motor that
// carries its joint or drives two, cannot be solved; a joint that is the motor of the next can.
static limb_model* hinges(int shafts, const int (*ends)[2], bool in_a_row)
{
  limb_builder* b = fixture_begin("hinges");
  rng r = {9};
  limb_error err = {0};
  int parent = LIMB_WORLD_BODY;
  for (int i = 0; i < 3; i++) {
    const char name[] = {(char)('a' + i), '\0'};
    const sp_inertia Y = random_inertia(&r);
    const sp_vec3 axis = rng_direction(&r);
    const int body = fixture_link(b, name, LIMB_REVOLUTE, parent, rng_pose(&r, 0.3), axis, Y);
    if (in_a_row) parent = body;
  }
  for (int i = 0; i < shafts; i++) {
    limb_shaft_def s = limb_default_shaft_def(ends[i][0], ends[i][1]);
    s.stiffness = 100 + 50 * i, s.ratio = i == 0 ? 2 : -3;
    fixture_ok(limb_builder_add_shaft(b, &s, &err), &err);
  }
  return fixture_end(b);
}

START_TEST(shafts_that_need_each_other)
{
  static const int inner[][2] = {{1, 0}}, outer[][2] = {{0, 1}}, shared[][2] = {{0, 2}, {1, 2}};
  static const int train[][2] = {{0, 1}, {1, 2}};
  ck_assert_int_eq(order_of(hinges(1, inner, true)), -1);
  ck_assert_int_eq(order_of(hinges(1, outer, true)), -1);
  ck_assert_int_eq(order_of(hinges(2, shared, false)), -1);
  ck_assert_int_eq(order_of(hinges(1, inner, false)), 4);
  limb_model* m = hinges(2, train, false); // 2 drives 1, which drives 0
  limb_series* w;
  limb_data* d;
  state s;
  double rows[6 * 3], a[3];
  motion path;
  ck_assert_int_eq(limb_elastic_order(m), 6);
  assert_ok(limb_series_create(m, NULL, &w));
  assert_ok(limb_data_create(m, NULL, &d));
  motion_random(m, 11, &path);
  motion_rows(&path, 0, 6, rows);
  const limb_trajectory along = {path.q0, 6, rows};
  assert_ok(limb_elastic_inverse(w, &along, NULL, s.q, s.v, s.a, s.tau));
  ck_assert(s.tau[0] == 0 && s.tau[1] == 0);
  assert_ok(limb_forward_dynamics(d, s.q, s.v, s.tau, NULL, a));
  assert_close_array(a, s.a, 3, TOL_SOLVE, 0);
  ck_assert(s.a[0] == rows[3]);
  limb_data_destroy(d);
  limb_series_destroy(w);
  limb_model_destroy(m);
}
END_TEST

// ---- statuses -----------------------------------------------------------------------------------------

typedef struct fixture {
  limb_model* m;
  limb_series* w;
  double q[ARM_V], d[4 * ARM_V];
  state s;
} fixture;

static fixture fixture_make(double stiffness, double damping)
{
  const arm_options o = {stiffness, damping, 5, 0, false, 3, 0, 0};
  fixture f = {.m = elastic_arm(&o)};
  assert_ok(limb_series_create(f.m, NULL, &f.w));
  return f;
}

static limb_status ask(fixture* f, int order, const limb_environment* env)
{
  const limb_trajectory path = {f->q, order, f->d};
  return limb_elastic_inverse(f->w, &path, env, f->s.q, f->s.v, f->s.a, f->s.tau);
}

static void fixture_free(fixture* f)
{
  limb_series_destroy(f->w);
  limb_model_destroy(f->m);
}

START_TEST(null_and_bad_numbers)
{
  fixture f = fixture_make(100, 0);
  state* s = &f.s;
  const limb_trajectory path = {f.q, 4, f.d}, no_q = {NULL, 4, f.d}, no_d = {f.q, 4, NULL};
  assert_status(limb_elastic_inverse(NULL, &path, NULL, s->q, s->v, s->a, s->tau), LIMB_E_ARG);
  assert_status(limb_elastic_inverse(f.w, NULL, NULL, s->q, s->v, s->a, s->tau), LIMB_E_ARG);
  assert_status(limb_elastic_inverse(f.w, &no_q, NULL, s->q, s->v, s->a, s->tau), LIMB_E_ARG);
  assert_status(limb_elastic_inverse(f.w, &no_d, NULL, s->q, s->v, s->a, s->tau), LIMB_E_ARG);
  assert_status(limb_elastic_inverse(f.w, &path, NULL, NULL, s->v, s->a, s->tau), LIMB_E_ARG);
  assert_status(limb_elastic_inverse(f.w, &path, NULL, s->q, NULL, s->a, s->tau), LIMB_E_ARG);
  assert_status(limb_elastic_inverse(f.w, &path, NULL, s->q, s->v, NULL, s->tau), LIMB_E_ARG);
  assert_status(limb_elastic_inverse(f.w, &path, NULL, s->q, s->v, s->a, NULL), LIMB_E_ARG);
  assert_status(ask(&f, 3, NULL), LIMB_E_ARG);
  assert_status(ask(&f, -1, NULL), LIMB_E_ARG);
  assert_ok(ask(&f, 4, NULL));
  for (int i = 0; i < 4 * ARM_V; i++) {
    f.d[i] = i % 2 ? nan("") : HUGE_VAL;
    assert_status(ask(&f, 4, NULL), i % ARM_V < 2 ? LIMB_E_NONFINITE : LIMB_OK);
    f.d[i] = 0;
  }
  f.q[1] = nan("");
  assert_status(ask(&f, 4, NULL), LIMB_E_NONFINITE);
  f.q[1] = 0, f.d[12] = 1e308;
  assert_status(ask(&f, 4, NULL), LIMB_E_NONFINITE); // the answer is beyond all numbers
  fixture_free(&f);
}
END_TEST

START_TEST(surroundings_that_are_refused)
{
  fixture f = fixture_make(100, 0);
  limb_environment env = limb_default_environment(f.m);
  env.base_velocity.w.z = 1;
  assert_status(ask(&f, 4, &env), LIMB_E_UNSUPPORTED);
  env = limb_default_environment(f.m);
  env.base_acceleration.v.x = 1;
  assert_status(ask(&f, 4, &env), LIMB_E_UNSUPPORTED);
  env = limb_default_environment(f.m);
  env.gravity.x = nan("");
  assert_status(ask(&f, 4, &env), LIMB_E_NONFINITE);
  env = limb_default_environment(f.m);
  limb_wrench w = {limb_find_frame(f.m, "lower_rotor"), LIMB_BODY, {{1, 0, 0}, {0, 0, 0}}};
  env.nwrench = 1, env.wrench = &w;
  ck_assert_int_ge(w.frame, 0);
  assert_status(ask(&f, 4, &env), LIMB_E_UNSUPPORTED);
  w.frame = limb_find_frame(f.m, "lower");
  assert_ok(ask(&f, 4, &env));
  w.frame = 0; // on the world
  assert_ok(ask(&f, 4, &env));
  fixture_free(&f);
}
END_TEST

static sp_force no_force(void* context, const limb_frame_state* at)
{
  (void)context, (void)at;
  return (sp_force){{0, 0, 0}, {0, 0, 0}};
}

START_TEST(force_laws_are_refused)
{
  fixture f = fixture_make(100, 0);
  limb_environment env = limb_default_environment(f.m);
  const limb_force_law law = {1, LIMB_BODY, no_force, NULL};
  env.nlaw = 1, env.law = &law;
  assert_status(ask(&f, 4, &env), LIMB_E_UNSUPPORTED);
  fixture_free(&f);
}
END_TEST

START_TEST(loose_shafts)
{
  fixture f = fixture_make(0, 0);
  assert_status(ask(&f, 4, NULL), LIMB_E_SINGULAR);
  fixture_free(&f);
  f = fixture_make(0, 2);
  limb_environment env = limb_default_environment(f.m);
  assert_ok(ask(&f, 4, &env)); // a damper will do
  env.friction = 0;
  assert_status(ask(&f, 4, &env), LIMB_E_SINGULAR);
  fixture_free(&f);
}
END_TEST

static void* refuse(void* context, size_t size, size_t align)
{
  (void)context, (void)size, (void)align;
  return NULL;
}

static void accept(void* context, void* memory, size_t size) { (void)context, (void)memory, (void)size; }

START_TEST(workspace)
{
  const arm_options o = {100, 0, 5, 0, false, 3, 0, 0};
  limb_model* m = elastic_arm(&o);
  char mark;
  limb_series* w = (limb_series*)(void*)&mark;
  const limb_allocator none = {refuse, accept, NULL}, half = {refuse, NULL, NULL};
  assert_status(limb_series_create(m, &none, &w), LIMB_E_NOMEM);
  ck_assert_ptr_null(w);
  assert_status(limb_series_create(m, &half, &w), LIMB_E_ARG);
  assert_status(limb_series_create(NULL, NULL, &w), LIMB_E_ARG);
  assert_status(limb_series_create(m, NULL, NULL), LIMB_E_ARG);
  limb_series_destroy(NULL);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("elastic_orders", 1, orders_of_chains, highest_derivatives_matter, dampers_count_with_friction_only,
           shafts_that_need_each_other, null_and_bad_numbers, surroundings_that_are_refused, force_laws_are_refused,
           loose_shafts, workspace)
