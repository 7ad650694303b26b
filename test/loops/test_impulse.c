// Closures that begin to act: momentum, energy, and what goes wrong.
#include "loops/closed.h"
#include "loops/closed_bench.h"

// ---- over all closed fixtures ---------------------------------------------------------------------------

static double kinetic(const bench* b, const double* v)
{
  limb_energy e;
  assert_ok(limb_energies(b->d, b->c.q, v, NULL, &e));
  return e.kinetic;
}

// M (v_after - v) = Psi' p, Psi v_after = s'; Carnot: T - T_after = T(v_after - v) - s' . p
static void impact(bench* b, rng* r)
{
  const int n = b->nv, nc = b->nc;
  double *v = numbers(n), *after = numbers(n), *jump = numbers(n), *push = numbers(n);
  double *M = numbers(n * n), *Psi = numbers(nc * n), *rate = numbers(nc), *got = numbers(nc);
  const limb_loop_equations out = {.Psi = Psi, .rate = rate};
  limb_closed_report report;
  for (int i = 0; i < n; i++) v[i] = rng_uniform(r, -2, 2);
  assert_ok(limb_closed_impulse(b->w, b->c.q, v, NULL, after, b->lambda, &report));
  assert_ok(limb_loop_equations_at(b->w, b->c.q, NULL, NULL, &out));
  assert_ok(limb_mass_matrix(b->d, b->c.q, M));
  double power = 0, loss = kinetic(b, v) - kinetic(b, after);
  for (int i = 0; i < n; i++) jump[i] = after[i] - v[i];
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) push[i] += M[i * n + k] * jump[k];
    b->tree[i] = 0;
    for (int k = 0; k < nc; k++) b->tree[i] += Psi[k * n + i] * b->lambda[k];
  }
  for (int k = 0; k < nc; k++) {
    power += rate[k] * b->lambda[k];
    for (int i = 0; i < n; i++) got[k] += Psi[k * n + i] * after[i];
  }
  assert_close_array(push, b->tree, n, 1e-10, 1e-12);
  assert_close_array(got, rate, nc, 1e-12, 1e-12);
  assert_close(loss, kinetic(b, jump) - power, 1e-10, 1e-11 * kinetic(b, v));
  assert_that(report.residual <= 1e-12 && report.method == LIMB_LOOP_METHOD_SCHUR && report.loop >= 0);
  if (b->c.flags & CLOSED_REDUNDANT) assert_that(report.redundant > 0);
  double* const block[8] = {v, after, jump, push, M, Psi, rate, got};
  for (int k = 0; k < 8; k++) free(block[k]);
}

START_TEST(impacts) { bench_over(_i, impact); }
END_TEST

// A velocity that fits stays, also in place.
static void nothing_happens(bench* b, rng* r)
{
  (void)r;
  double* v = numbers(b->nv);
  memcpy(v, b->c.v, (size_t)b->nv * sizeof *v);
  assert_ok(limb_closed_impulse(b->w, b->c.q, v, NULL, v, b->lambda, NULL));
  assert_close_array(v, b->c.v, b->nv, 1e-11, 1e-15);
  assert_close(bench_largest(b->nc, b->lambda), 0, 0, 1e-8);
  free(v);
}

START_TEST(none) { bench_over(_i, nothing_happens); }
END_TEST

// ---- known impacts --------------------------------------------------------------------------------------

// Two carts on a line, coupled at once.
static limb_model* carts(double m1, double m2, int loops, double rate)
{
  limb_builder* b = fixture_begin("carts");
  const sp_vec3 x = {1, 0, 0};
  const char* const name[2] = {"one", "two"};
  const double mass[2] = {m1, m2};
  for (int k = 0; k < 2; k++)
    (void)fixture_link(b, name[k], LIMB_PRISMATIC, LIMB_WORLD_BODY, fixture_at(k, 0, 0), x,
                       limb_inertia_point(mass[k], sp_v3(0, 0, 0)));
  for (int k = 0; k < loops; k++) {
    limb_loop_def gear = limb_default_loop_def(name[k], LIMB_LOOP_GEAR, -1, -1);
    gear.joint = 0, gear.other = 1, gear.coefficient[1] = 1;
    gear.motion.rate = k ? rate : 0;
    closed_add_loop(b, &gear);
  }
  return fixture_end(b);
}

START_TEST(coupled_carts)
{
  if (_i > 0) return;
  const double m1 = 2, m2 = 3, q[2] = {0}, v[2] = {1.5, -0.5};
  const double both = (m1 * v[0] + m2 * v[1]) / (m1 + m2);
  for (int loops = 1; loops <= 2; loops++) {
    bench b = bench_with(carts(m1, m2, loops, 0), q, v, NULL);
    limb_closed_report report;
    assert_ok(limb_closed_impulse(b.w, q, v, NULL, b.a, b.lambda, &report));
    assert_close(b.a[0], both, 1e-14, 0);
    assert_close(b.a[1], both, 1e-14, 0);
    // q1 - q2 = 0: the impulse is that on the first cart, shared by closures that do the same
    for (int k = 0; k < loops; k++) assert_close(b.lambda[k], m1 * (both - v[0]) / loops, 1e-13, 0);
    assert_that(report.redundant == loops - 1);
    bench_end(&b);
  }
}
END_TEST

START_TEST(contradiction)
{
  if (_i > 0) return;
  const double q[2] = {0}, v[2] = {1, 2};
  bench b = bench_with(carts(1, 1, 2, 0.5), q, v, NULL);
  limb_closed_report report;
  assert_status(limb_closed_impulse(b.w, q, v, NULL, b.a, NULL, &report), LIMB_E_SINGULAR);
  assert_close(report.residual, 0.5, 1e-12, 0);
  bench_end(&b);
}
END_TEST

// ---- wrong use ------------------------------------------------------------------------------------------

START_TEST(arguments)
{
  if (_i > 0) return;
  bench b = bench_of(closed_find("four_bar", 1));
  const double *q = b.c.q, *v = b.c.v;
  assert_status(limb_closed_impulse(NULL, q, v, NULL, b.a, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_closed_impulse(b.w, NULL, v, NULL, b.a, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_closed_impulse(b.w, q, NULL, NULL, b.a, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_closed_impulse(b.w, q, v, NULL, NULL, NULL, NULL), LIMB_E_ARG);
  limb_loop_solver o = limb_default_loop_solver();
  o.max_iterations = -1;
  assert_status(limb_closed_impulse(b.w, q, v, &o, b.a, NULL, NULL), LIMB_E_ARG);
  b.c.v[1] = nan("");
  assert_status(limb_closed_impulse(b.w, q, v, NULL, b.a, NULL, NULL), LIMB_E_NONFINITE);
  b.c.v[1] = 0, b.c.q[0] = HUGE_VAL;
  assert_status(limb_closed_impulse(b.w, q, v, NULL, b.a, NULL, NULL), LIMB_E_NONFINITE);
  limb_data* w = closed_lean(b.c.m);
  assert_status(limb_closed_impulse(w, q, v, NULL, b.a, NULL, NULL), LIMB_E_ORDER);
  limb_data_destroy(w);
  bench_end(&b);
}
END_TEST

// Joints in no loop, and one without mass.
START_TEST(edges)
{
  if (_i > 0) return;
  const double q[4] = {0.1, 0.2}, v[4] = {3, 4};
  limb_closed_report report;
  bench open = bench_with(bench_beside_loop(robot_planar_2r()), q, v, NULL);
  assert_ok(limb_closed_impulse(open.w, q, v, NULL, open.a, open.lambda, &report));
  assert_that(open.a[0] == 3 && open.a[1] == 4);
  bench light = bench_with(carts(0, 0, 1, 0), q, v, NULL);
  assert_status(limb_closed_impulse(light.w, q, v, NULL, light.a, NULL, NULL), LIMB_E_SINGULAR);
  bench_end(&open), bench_end(&light);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const tests[] = {impacts, none, coupled_carts, contradiction, arguments, edges, NULL};
  return check_run("impulse", closed_count(), tests);
}
