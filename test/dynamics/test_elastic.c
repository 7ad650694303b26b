// Inverse dynamics of robots with shafts: against forward dynamics, finite differences along the motion, a
// simulation, Spong's closed formulas.
#include "dynamics/elastic_robots.h"
#include "support/trial.h"

enum { ROBOTS = CHECK_SANITIZED ? 40 : 400, MOST_ROWS = LIMB_ELASTIC_ORDER_MAX };

// ---- random robots --------------------------------------------------------------------------------------

typedef struct bench {
  limb_model* m;
  limb_data* d;
  limb_series* w;
  int nv, order;
  motion path;
  limb_wrench wrench[3];
  limb_environment env;
} bench;

// A wrench in every reference on bodies that no motor's angle moves.
static void add_wrenches(bench* b, rng* r)
{
  int n = 0;
  for (int tries = 0; tries < 30 && n < 3; tries++) {
    const int body = 1 + rng_below(r, limb_body_count(b->m) - 1);
    limb_body_info info;
    assert_ok(limb_get_body(b->m, body, &info));
    if (strstr(info.name, "_rotor")) continue;
    const sp_force F = {rng_vec3(r, 3), rng_vec3(r, 10)};
    b->wrench[n] = (limb_wrench){body, (limb_ref)n, F};
    n++;
  }
  b->env.nwrench = n, b->env.wrench = b->wrench;
}

// False when the robot needs more derivatives than there are.
static bool bench_begin(bench* b, uint64_t seed)
{
  rng r = {seed};
  b->m = elastic_random(seed, 2 + rng_below(&r, 5));
  b->nv = limb_nv(b->m), b->order = limb_elastic_order(b->m);
  b->env = limb_default_environment(b->m);
  b->env.coulomb_width = 0.3;
  check_at("random robot of seed %d, order %d", (int)seed, b->order);
  if (b->order < 0) {
    assert_status(limb_series_create(b->m, NULL, &b->w), LIMB_E_UNSUPPORTED);
    limb_model_destroy(b->m);
    return false;
  }
  assert_ok(limb_data_create(b->m, NULL, &b->d));
  assert_ok(limb_series_create(b->m, NULL, &b->w));
  motion_random(b->m, seed, &b->path);
  add_wrenches(b, &r);
  return true;
}

static void bench_end(bench* b)
{
  limb_series_destroy(b->w);
  limb_data_destroy(b->d);
  limb_model_destroy(b->m);
}

static bool damps(const bench* b, const limb_shaft_def* s) { return b->env.friction && s->damping > 0; }

// The answer at time t; damped motors stand where they would at that time, to the third order.
static void answer_at(const bench* b, double t, const state* now, state* out)
{
  double q[MOST_V], d[MOST_ROWS * MOST_V];
  motion_place(&b->path, t, q);
  motion_rows(&b->path, t, MOST_ROWS, d);
  for (int s = 0; s < limb_shaft_count(b->m); s++) {
    limb_shaft_def def;
    limb_joint_info motor;
    assert_ok(limb_get_shaft(b->m, s, &def));
    assert_ok(limb_get_joint(b->m, def.motor, &motor));
    if (!damps(b, &def))
      q[motor.q] = nan(""); // not looked at
    else if (now)
      q[motor.q] = now->q[motor.q] + t * (now->v[motor.v] + t / 2 * now->a[motor.v]);
    for (int n = 0; n < MOST_ROWS; n++) d[n * b->nv + motor.v] = nan("");
  }
  const limb_trajectory path = {q, MOST_ROWS, d};
  assert_ok(limb_elastic_inverse(b->w, &path, &b->env, out->q, out->v, out->a, out->tau));
}

static void forces_of(const bench* b)
{
  state x;
  double a[MOST_V];
  answer_at(b, 0, NULL, &x);
  assert_ok(limb_forward_dynamics(b->d, x.q, x.v, x.tau, &b->env, a));
  assert_close_array(a, x.a, b->nv, TOL_SOLVE, 0);
}

// Of friction and none, smooth and not.
START_TEST(forward_dynamics_gives_the_accelerations_back)
{
  bench b;
  for (uint64_t seed = 1; seed <= ROBOTS; seed++) {
    if (!bench_begin(&b, seed)) continue;
    forces_of(&b);
    b.env.coulomb_width = 0;
    forces_of(&b);
    b.env.friction = 0;
    forces_of(&b);
    bench_end(&b);
  }
}
END_TEST

// Fewer derivatives are refused, more change nothing.
START_TEST(order_is_what_is_needed)
{
  bench b;
  for (uint64_t seed = 1; seed <= ROBOTS / 4; seed++) {
    if (!bench_begin(&b, seed)) continue;
    double d[MOST_ROWS * MOST_V];
    state x, y;
    limb_trajectory path = {b.path.q0, b.order, d};
    motion_rows(&b.path, 0, MOST_ROWS, d);
    assert_ok(limb_elastic_inverse(b.w, &path, &b.env, x.q, x.v, x.a, x.tau));
    path.order = MOST_ROWS;
    assert_ok(limb_elastic_inverse(b.w, &path, &b.env, y.q, y.v, y.a, y.tau));
    assert_that(memcmp(x.tau, y.tau, (size_t)b.nv * sizeof(double)) == 0);
    path.order = b.order - 1;
    assert_status(limb_elastic_inverse(b.w, &path, &b.env, y.q, y.v, y.a, y.tau), LIMB_E_ARG);
    bench_end(&b);
  }
}
END_TEST

// v_motor = d q_motor / dt and a_motor = d v_motor / dt along the motion.
static void differences(const bench* b)
{
  const double h = 1e-4;
  state x, before, after;
  answer_at(b, 0, NULL, &x);
  answer_at(b, -h, &x, &before);
  answer_at(b, h, &x, &after);
  for (int s = 0; s < limb_shaft_count(b->m); s++) {
    limb_shaft_def def;
    limb_joint_info j;
    assert_ok(limb_get_shaft(b->m, s, &def));
    assert_ok(limb_get_joint(b->m, def.motor, &j));
    const double dq = (after.q[j.q] - before.q[j.q]) / (2 * h);
    const double dv = (after.v[j.v] - before.v[j.v]) / (2 * h), size = fmax(1, fabs(x.q[j.q]));
    assert_close(x.v[j.v], dq, TOL_FD, TOL_FD * size);
    assert_close(x.a[j.v], dv, TOL_FD, TOL_FD * fmax(size, fabs(x.v[j.v])));
  }
}

START_TEST(motors_move_as_they_are_said_to)
{
  bench b;
  for (uint64_t seed = 1; seed <= ROBOTS / 4; seed++) {
    if (!bench_begin(&b, seed)) continue;
    differences(&b);
    b.env.friction = 0;
    differences(&b);
    bench_end(&b);
  }
}
END_TEST

// ---- robots without shafts --------------------------------------------------------------------------------

static void rigid(trial* t)
{
  if (limb_shaft_count(t->m) > 0) return;
  const size_t nv = (size_t)t->nv;
  double *d = trial_doubles(t, 2 * nv), *tau = trial_doubles(t, nv), *got = trial_doubles(t, nv);
  double *q = trial_doubles(t, (size_t)t->nq), *v = trial_doubles(t, nv), *a = trial_doubles(t, nv);
  memcpy(d, t->v, nv * sizeof *d), memcpy(d + nv, t->a, nv * sizeof *d);
  limb_series* w;
  ck_assert_int_eq(limb_elastic_order(t->m), 2);
  assert_ok(limb_series_create(t->m, NULL, &w));
  const limb_trajectory path = {t->q, 2, d};
  assert_ok(limb_elastic_inverse(w, &path, &t->env, q, v, a, got));
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &t->env, tau));
  assert_close_array(got, tau, t->nv, TOL_ALGEBRA, 0);
  assert_that(memcmp(q, t->q, (size_t)t->nq * sizeof *q) == 0);
  limb_series_destroy(w);
}

START_TEST(without_shafts_it_is_inverse_dynamics)
{
  for (int i = 0; i < trial_robots(); i++) trial_over(i, 3, rigid);
}
END_TEST

// ---- closed formulas ----------------------------------------------------------------------------------

// One joint: T = I q'' + m g l cos q and its derivatives.
static void one_joint(double damping, double ratio)
{
  const arm_options o = {300, damping, ratio, 0.05, false, 1, 0, 0};
  limb_model* m = elastic_arm(&o);
  limb_series* w;
  assert_ok(limb_series_create(m, NULL, &w));
  const int order = damping > 0 ? 3 : 4;
  ck_assert_int_eq(limb_elastic_order(m), order);
  // the lower arm is held: one body of inertia I about the joint and moment mgl
  const double reach = ARM_LENGTH[0] + ARM_LENGTH[1], l0 = ARM_LENGTH[0];
  const double I = ARM_MASS[0] * l0 * l0 + ARM_MASS[1] * reach * reach;
  const double G = ARM_GRAVITY * (ARM_MASS[0] * l0 + ARM_MASS[1] * reach);
  const double q = 0.4, v = -0.7, a = 0.9, j = 1.1, s = -2.3, at = 6, N = ratio, k = 300;
  const double d[12] = {v, 0, 0, a, 0, 0, j, 0, 0, s, 0, 0}, where[3] = {q, 0, at};
  const double T0 = I * a + G * cos(q), T1 = I * j - G * sin(q) * v;
  const double T2 = I * s - G * (cos(q) * v * v + sin(q) * a);
  double x = N * (q + 0.05 + T0 / k), dx = N * (v + T1 / k), ddx = N * (a + T2 / k);
  if (damping > 0) {
    x = at;
    dx = N * (v + (T0 - k * (x / N - q - 0.05)) / damping);
    ddx = N * (a + (T1 - k * (dx / N - v)) / damping);
  }
  state got;
  const limb_trajectory path = {where, order, d};
  assert_ok(limb_elastic_inverse(w, &path, NULL, got.q, got.v, got.a, got.tau));
  const double want[4] = {x, dx, ddx, ARM_ROTOR * ddx + T0 / N};
  const double have[4] = {got.q[2], got.v[2], got.a[2], got.tau[2]};
  assert_close_array(have, want, 4, TOL_ALGEBRA, 0);
  ck_assert(got.tau[0] == 0);
  limb_series_destroy(w);
  limb_model_destroy(m);
}

START_TEST(one_elastic_joint)
{
  one_joint(0, 1);
  one_joint(0, -30);
  one_joint(20, 1);
  one_joint(20, 30);
}
END_TEST

// Spong 1987: theta = q + K^-1 (M q'' + c + g), tau = J theta'' + K (theta - q), for two joints with gears.
// T(t) of the arm by its Lagrangian, with x = (cos q2, sin q2) and y = cos and sin of q1 and q1 + q2, each
// with two derivatives in time.
typedef struct jet {
  double x[3]; // value, first, second derivative
} jet;

static jet jet_add(jet a, jet b) { return (jet){{a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]}}; }

static jet jet_mul(jet a, jet b)
{
  return (jet){
    {a.x[0] * b.x[0], a.x[1] * b.x[0] + a.x[0] * b.x[1], a.x[2] * b.x[0] + 2 * a.x[1] * b.x[1] + a.x[0] * b.x[2]}};
}

static jet jet_scale(double k, jet a) { return (jet){{k * a.x[0], k * a.x[1], k * a.x[2]}}; }

static jet jet_cos(jet a)
{
  const double c = cos(a.x[0]), s = sin(a.x[0]);
  return (jet){{c, -s * a.x[1], -c * a.x[1] * a.x[1] - s * a.x[2]}};
}

static jet jet_sin(jet a)
{
  const double c = cos(a.x[0]), s = sin(a.x[0]);
  return (jet){{s, c * a.x[1], -s * a.x[1] * a.x[1] + c * a.x[2]}};
}

// The two joint torques of the rigid arm: Lynch and Park 2017, after (9.8), as corrected in docs/books.md.
static void arm_torques(const jet q[2], const jet v[2], const jet a[2], jet T[2])
{
  const double m1 = ARM_MASS[0], m2 = ARM_MASS[1], L1 = ARM_LENGTH[0], L2 = ARM_LENGTH[1];
  const double g = ARM_GRAVITY, b = m2 * L1 * L2;
  const jet c2 = jet_cos(q[1]), s2 = jet_sin(q[1]);
  const jet g1 = jet_scale((m1 + m2) * g * L1, jet_cos(q[0]));
  const jet g2 = jet_scale(m2 * g * L2, jet_cos(jet_add(q[0], q[1])));
  const jet M11 = jet_add((jet){{m1 * L1 * L1 + m2 * (L1 * L1 + L2 * L2), 0, 0}}, jet_scale(2 * b, c2));
  const jet M12 = jet_add((jet){{m2 * L2 * L2, 0, 0}}, jet_scale(b, c2));
  const jet cross = jet_add(jet_scale(2, jet_mul(v[0], v[1])), jet_mul(v[1], v[1]));
  T[0] = jet_add(jet_mul(M11, a[0]), jet_mul(M12, a[1]));
  T[0] = jet_add(T[0], jet_add(jet_scale(-b, jet_mul(s2, cross)), jet_add(g1, g2)));
  T[1] = jet_add(jet_mul(M12, a[0]), jet_scale(m2 * L2 * L2, a[1]));
  T[1] = jet_add(T[1], jet_add(jet_scale(b, jet_mul(s2, jet_mul(v[0], v[0]))), g2));
}

START_TEST(two_joints_by_spong)
{
  const arm_options o = {900, 0, 40, 0, false, 3, 0, 0};
  limb_model* m = elastic_arm(&o);
  limb_series* w;
  assert_ok(limb_series_create(m, NULL, &w));
  ck_assert_int_eq(limb_elastic_order(m), 4);
  motion path;
  motion_random(m, 5, &path);
  double d[4 * 4], want[8], have[8];
  motion_rows(&path, 0, 4, d);
  jet q[2], v[2], a[2], T[2];
  for (int i = 0; i < 2; i++) {
    q[i] = (jet){{path.q0[i], d[i], d[4 + i]}};
    v[i] = (jet){{d[i], d[4 + i], d[8 + i]}};
    a[i] = (jet){{d[4 + i], d[8 + i], d[12 + i]}};
  }
  arm_torques(q, v, a, T);
  state got;
  const limb_trajectory along = {path.q0, 4, d};
  assert_ok(limb_elastic_inverse(w, &along, NULL, got.q, got.v, got.a, got.tau));
  for (int i = 0; i < 2; i++) {
    for (int n = 0; n < 3; n++) want[4 * i + n] = o.ratio * (q[i].x[n] + T[i].x[n] / o.stiffness);
    want[4 * i + 3] = ARM_ROTOR * want[4 * i + 2] + T[i].x[0] / o.ratio;
    const double x[4] = {got.q[2 + i], got.v[2 + i], got.a[2 + i], got.tau[2 + i]};
    memcpy(have + 4 * (ptrdiff_t)i, x, sizeof x);
  }
  assert_close_array(have, want, 8, TOL_ALGEBRA, 0);
  limb_series_destroy(w);
  limb_model_destroy(m);
}
END_TEST

// ---- a simulation -----------------------------------------------------------------------------------------

enum { ARM_V = 4 };

typedef struct run {
  limb_model* m;
  limb_data* d;
  limb_series* w;
  motion path;
} run;

// Links of the arm on their way; of motors the angle is x's.
static void arm_answer(const run* r, double t, const double* x, state* out)
{
  double q[ARM_V], d[MOST_ROWS * ARM_V];
  for (int k = 0; k < ARM_V; k++) { // q' = v, exactly
    const double w = r->path.rate[k], p = r->path.phase[k];
    q[k] = k < 2 ? r->path.q0[k] + r->path.size[k] / w * (sin(w * t + p) - sin(p)) : x[k];
  }
  motion_rows(&r->path, t, MOST_ROWS, d);
  const limb_trajectory path = {q, MOST_ROWS, d};
  assert_ok(limb_elastic_inverse(r->w, &path, NULL, out->q, out->v, out->a, out->tau));
}

static void arm_rate(const run* r, double t, const double* x, double* dx)
{
  state s;
  arm_answer(r, t, x, &s);
  memcpy(dx, x + ARM_V, ARM_V * sizeof *dx);
  assert_ok(limb_forward_dynamics(r->d, x, x + ARM_V, s.tau, NULL, dx + ARM_V));
}

// How far the links are off after a second of Runge-Kutta steps under the torques of the answer.
static double drift(const run* r, int steps)
{
  const double h = 1.0 / steps, at[4] = {0, h / 2, h / 2, h}, weight[4] = {h / 6, h / 3, h / 3, h / 6};
  double x[2 * ARM_V] = {0}, k[2 * ARM_V] = {0}, y[2 * ARM_V], sum[2 * ARM_V];
  state s;
  x[2] = x[3] = 0.5; // of damped motors
  arm_answer(r, 0, x, &s);
  memcpy(x, s.q, ARM_V * sizeof *x), memcpy(x + ARM_V, s.v, ARM_V * sizeof *x);
  for (int i = 0; i < steps; i++) {
    memset(sum, 0, sizeof sum), memset(k, 0, sizeof k);
    for (int n = 0; n < 4; n++) {
      for (int l = 0; l < 2 * ARM_V; l++) y[l] = x[l] + at[n] * k[l];
      arm_rate(r, i * h + at[n], y, k);
      for (int l = 0; l < 2 * ARM_V; l++) sum[l] += weight[n] * k[l];
    }
    for (int l = 0; l < 2 * ARM_V; l++) x[l] += sum[l];
  }
  arm_answer(r, 1, x, &s);
  double off = 0;
  for (int l = 0; l < 2; l++) off = fmax(off, fmax(fabs(x[l] - s.q[l]), fabs(x[ARM_V + l] - s.v[l])));
  return off;
}

START_TEST(simulated_links_stay_on_their_way)
{
  static const arm_options options[] = {{200, 0, 1, 0.1, false, 3, 0, 0},
                                        {200, 0, 8, 0.1, true, 3, 0, 0},
                                        {200, 8, 8, 0, false, 3, 0, 0.2},
                                        {200, 8, 8, 0, true, 3, 0, 0.2}};
  const int order[] = {4, 6, 3, 4}; // two coupled motors: 2 + 2 + 2, or 2 + 1 + 1 with dampers
  for (int i = 0; i < 4; i++) {
    run r;
    r.m = elastic_arm(&options[i]);
    assert_ok(limb_data_create(r.m, NULL, &r.d));
    assert_ok(limb_series_create(r.m, NULL, &r.w));
    ck_assert_int_eq(limb_elastic_order(r.m), order[i]);
    motion_random(r.m, 3, &r.path);
    const double coarse = drift(&r, 400), fine = drift(&r, 800), ratio = coarse / fine;
    check_at("arm %d: %.1e, %.1e after a second", i, coarse, fine);
    assert_that(fine < 1e-5);
    assert_that(ratio > 12 && ratio < 20);
    limb_series_destroy(r.w);
    limb_data_destroy(r.d);
    limb_model_destroy(r.m);
  }
}
END_TEST

CHECK_MAIN("elastic", 1, forward_dynamics_gives_the_accelerations_back, order_is_what_is_needed,
           motors_move_as_they_are_said_to, without_shafts_it_is_inverse_dynamics, one_elastic_joint,
           two_joints_by_spong, simulated_links_stay_on_their_way)
