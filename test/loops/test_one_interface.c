// One interface for trees and loops: what the plain calls answer for a robot with loops keeps them closed.
#include "loops/closed_bench.h"

#include "limb/batch.h"
#include "limb/derivatives.h"
#include "limb/dynamics.h"
#include "limb/lagrange.h"
#include "limb/regressor.h"
#include "limb/task.h"

#include "loops/closed.h"
#include "support/batch.h"

#include <stdbool.h>

enum { CASES = 18, WIDTH = 6 };

// A closed motion, asked by the plain calls.
typedef struct asked {
  bench* b;
  limb_data* d;
  int n;
  unsigned char* independent;
  double *M, *x, *y, *A, *B;
} asked;

static asked ask(bench* b)
{
  asked k = {.b = b, .n = b->nv};
  assert_ok(limb_data_create(b->c.m, NULL, &k.d));
  k.independent = calloc((size_t)k.n + 1, 1);
  k.M = numbers(k.n * k.n), k.x = numbers(6 * k.n), k.y = numbers(6 * k.n);
  k.A = numbers(4 * k.n * k.n), k.B = numbers(2 * k.n * k.n);
  assert_ok(limb_independent_velocities(k.d, b->c.q, NULL, k.independent));
  return k;
}

static void ask_end(asked* k)
{
  limb_data_destroy(k->d);
  free(k->independent), free(k->M), free(k->x), free(k->y), free(k->A), free(k->B);
}

static double product(int n, const double* x, const double* y)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static void assert_near(double got, double want, double size, double share)
{
  if (!(fabs(got - want) <= share * fmax(1, size))) ck_abort_msg("%.17g is not %.17g", got, want);
}

// ---- dynamics ---------------------------------------------------------------------------------------------

static void same_dynamics(bench* b, rng* r)
{
  asked k = ask(b);
  limb_closed_motion in = bench_motion(b);
  limb_closed_forces out = bench_forces(b);
  const limb_loop_settings keep = {.size = sizeof keep,
                                   .solver = limb_default_loop_solver(),
                                   .actuation = limb_default_actuation(),
                                   .multipliers = 1,
                                   .report = 1};
  assert_ok(limb_set_loops(k.d, &keep));
  // forward: the same bits as the method itself
  rng_fill(r, 5, k.n, b->tau);
  limb_closed_report report;
  const limb_status s = limb_closed_forward_dynamics(b->w, &in, b->tau, NULL, k.x, b->lambda, &report);
  assert_status(limb_forward_dynamics(k.d, b->c.q, b->c.v, b->tau, NULL, k.y), s);
  limb_loop_details details;
  if (s == LIMB_OK) {
    assert_same_bytes(k.y, k.x, (size_t)k.n * sizeof *k.x);
    assert_ok(limb_get_loop_details(k.d, &details));
    assert_same_bytes(details.lambda, b->lambda, (size_t)b->nc * sizeof *b->lambda);
    ck_assert_int_eq(details.redundant, report.redundant);
  }
  // inverse: where every motion is driven, the torques are the same; joints that no loop ties are as in a tree
  out.as_tree = 1;
  const limb_status inverse = limb_closed_inverse_dynamics(b->w, &in, NULL, NULL, &out);
  assert_status(limb_inverse_dynamics(k.d, b->c.q, b->c.v, b->a, NULL, k.y), inverse);
  if (inverse == LIMB_OK) assert_same_bytes(k.y, b->tau, (size_t)k.n * sizeof *k.y);
  ask_end(&k);
}

// M a + h = G' (inverse dynamics of the tree), v' M v / 2 is the kinetic energy, Minv M = 1
static void mass_and_bias(bench* b, rng* r)
{
  (void)r;
  asked k = ask(b);
  limb_environment env = limb_default_environment(b->c.m);
  env.friction = 0;
  int ny = 0;
  double* G = k.A;
  limb_energy energy;
  assert_ok(limb_mass_matrix(k.d, b->c.q, k.M));
  assert_ok(limb_bias_forces(k.d, b->c.q, b->c.v, &env, k.x));
  assert_ok(limb_energies(k.d, b->c.q, b->c.v, NULL, &energy));
  assert_ok(limb_velocity_map(b->w, b->c.q, NULL, NULL, &ny, G));
  assert_ok(limb_inverse_dynamics(b->d, b->c.q, b->c.v, b->a, &env, b->tree));
  assert_ok(limb_spring_forces(b->d, b->c.q, k.y));
  for (int i = 0; i < k.n; i++) b->tree[i] -= k.y[i];
  const double size = bench_largest(k.n, b->tree) + bench_largest(k.n, k.x);
  for (int i = 0, c = 0; i < k.n; i++) {
    const double Ma = product(k.n, k.M + (ptrdiff_t)i * k.n, b->a);
    double want = 0;
    for (int j = 0; k.independent[i] && j < k.n; j++) want += G[j * ny + c] * b->tree[j];
    c += k.independent[i];
    if (!(b->c.flags & CLOSED_LAW)) assert_near(Ma + k.x[i], want, size, 1e-9);
    for (int j = 0; j < k.n; j++) assert_near(k.M[i * k.n + j], k.M[j * k.n + i], fabs(k.M[i * k.n + j]), 1e-12);
  }
  if (!(b->c.flags & CLOSED_LAW)) {
    for (int i = 0; i < k.n; i++) k.y[i] = product(k.n, k.M + (ptrdiff_t)i * k.n, b->c.v);
    assert_near(product(k.n, k.y, b->c.v) / 2, energy.kinetic, energy.kinetic, 1e-10);
  }
  double* Minv = k.B;
  const limb_status s = limb_mass_matrix_inverse(k.d, b->c.q, Minv);
  for (int i = 0; s == LIMB_OK && i < k.n; i++) {
    for (int j = 0; j < k.n; j++) {
      double sum = 0;
      for (int l = 0; l < k.n; l++) sum += Minv[i * k.n + l] * k.M[l * k.n + j];
      assert_near(sum, i == j && k.independent[i], 1, 1e-7);
    }
  }
  ask_end(&k);
}

// C v = h - g, and dM/dt - 2 C is skew: the rate of the energy is the power of the forces
static void coriolis(bench* b, rng* r)
{
  (void)r;
  if (b->c.flags & CLOSED_LAW) return;
  asked k = ask(b);
  assert_ok(limb_coriolis_matrix(k.d, b->c.q, b->c.v, k.M));
  assert_ok(limb_bias_forces(k.d, b->c.q, b->c.v, NULL, k.x));
  assert_ok(limb_gravity_forces(k.d, b->c.q, NULL, k.y));
  const double size = bench_largest(k.n, k.x) + bench_largest(k.n, k.y);
  for (int i = 0; i < k.n; i++)
    assert_near(product(k.n, k.M + (ptrdiff_t)i * k.n, b->c.v), k.x[i] - k.y[i], size, 1e-9);
  ask_end(&k);
}

static void power(bench* b, rng* r)
{
  (void)r;
  asked k = ask(b);
  limb_power p;
  const limb_status s = limb_power_balance(k.d, b->c.q, b->c.v, b->a, NULL, &p);
  const double size = fabs(p.kinetic) + fabs(p.gravity) + fabs(p.actuators) + fabs(p.friction);
  if (s == LIMB_OK) {
    assert_near(p.residual, 0, size, 1e-9);
    if (!(b->c.flags & CLOSED_LAW)) assert_near(p.closures, 0, size, 1e-9);
  }
  ask_end(&k);
}

// Joints transmit what the multipliers of the motion make them transmit, and so do closures.
static void loads(bench* b, rng* r)
{
  asked k = ask(b);
  const limb_ref ref = (limb_ref)rng_below(r, 3);
  const int joints = limb_joint_count(b->c.m), loops = limb_loop_count(b->c.m);
  sp_force* f[4];
  for (int i = 0; i < 4; i++) f[i] = (sp_force*)(void*)numbers(6 * (i % 2 ? loops : joints));
  const limb_closed_motion in = bench_motion(b);
  limb_closed_forces out = bench_forces(b);
  out.as_tree = 1;
  const limb_status s = limb_closed_inverse_dynamics(b->w, &in, NULL, NULL, &out);
  assert_status(limb_loop_loads(k.d, &(limb_loop_motion){b->c.q, b->c.v, b->a, NULL, NULL}, ref, f[0], f[1]), s);
  if (s == LIMB_OK) {
    assert_ok(limb_closed_loads(b->w, &in, b->lambda, ref, NULL, f[2], f[3]));
    assert_same_bytes(f[0], f[2], (size_t)joints * sizeof **f);
    assert_same_bytes(f[1], f[3], (size_t)loops * sizeof **f);
    assert_ok(limb_joint_reactions(k.d, b->c.q, b->c.v, b->a, NULL, ref, f[2]));
    assert_same_bytes(f[0], f[2], (size_t)joints * sizeof **f);
  }
  for (int i = 0; i < 4; i++) free(f[i]);
  ask_end(&k);
}

START_TEST(dynamics)
{
  if (_i >= closed_count()) return;
  bench_over(_i, same_dynamics);
  bench_over(_i, mass_and_bias);
  bench_over(_i, coriolis);
  bench_over(_i, power);
  bench_over(_i, loads);
}
END_TEST

// ---- kinematics -------------------------------------------------------------------------------------------

// The last frame moves with J v, and accelerates with J a + Jdot v.
static void jacobians(bench* b, rng* r)
{
  if (b->c.flags & CLOSED_LAW) return;
  asked k = ask(b);
  const int frame = limb_frame_count(b->c.m) - 1;
  const limb_ref ref = (limb_ref)rng_below(r, 3);
  sp_motion *J = (sp_motion*)(void*)k.x, *Jdot = (sp_motion*)(void*)k.y, v, a, rest;
  assert_ok(limb_kinematics(k.d, b->c.q, b->c.v, b->a));
  assert_ok(limb_frame_velocity(k.d, frame, ref, &v));
  assert_ok(ref == LIMB_ALIGNED ? limb_frame_classical_acceleration(k.d, frame, ref, &a)
                                : limb_frame_acceleration(k.d, frame, ref, &a));
  assert_ok(limb_frame_jacobian(k.d, frame, ref, J));
  assert_ok(limb_frame_jacobian_rate(k.d, frame, ref, Jdot));
  assert_ok(limb_frame_jacobian_rate_times_v(k.d, frame, ref, &rest));
  sp_motion Jv = {{0, 0, 0}, {0, 0, 0}}, Ja = rest, Jdot_v = Jv;
  for (int i = 0; i < k.n; i++) {
    Jv = sp_addm(Jv, sp_scalem(b->c.v[i], J[i]));
    Ja = sp_addm(Ja, sp_scalem(b->a[i], J[i]));
    Jdot_v = sp_addm(Jdot_v, sp_scalem(b->c.v[i], Jdot[i]));
  }
  const double *got[3] = {&Jv.w.x, &Ja.w.x, &Jdot_v.w.x}, *want[3] = {&v.w.x, &a.w.x, &rest.w.x};
  for (int i = 0; i < 3; i++) {
    const double size = bench_largest(WIDTH, want[i]) + bench_largest(k.n, b->a);
    for (int c = 0; c < WIDTH; c++) assert_near(got[i][c], want[i][c], size, 1e-8);
  }
  // centre of mass and momentum
  sp_vec3 of_com, Jc = {0, 0, 0}, *columns = (sp_vec3*)(void*)k.x;
  assert_ok(limb_center_of_mass_jacobian(k.d, columns));
  assert_ok(limb_center_of_mass(k.d, NULL, &of_com, NULL));
  for (int i = 0; i < k.n; i++) Jc = sp_add3(Jc, sp_scale3(b->c.v[i], columns[i]));
  assert_near(sp_norm3(sp_sub3(Jc, of_com)), 0, sp_norm3(of_com), 1e-9);
  ask_end(&k);
}

START_TEST(kinematics)
{
  if (_i >= closed_count()) return;
  bench_over(_i, jacobians);
}
END_TEST

// ---- derivatives ------------------------------------------------------------------------------------------

// A wrench is linear: its derivative is a difference.
static void by_wrench(bench* b, rng* r)
{
  asked k = ask(b);
  const int frame = limb_frame_count(b->c.m) - 1;
  limb_environment env = limb_default_environment(b->c.m);
  limb_wrench w = {frame, LIMB_ALIGNED, {{0, 0, 0}, {0, 0, 0}}};
  rng_fill(r, 3, k.n, b->tau);
  const limb_status s = limb_forward_dynamics(k.d, b->c.q, b->c.v, b->tau, NULL, b->tree);
  if (s == LIMB_OK && limb_forward_dynamics_by_wrench(k.d, b->c.q, frame, LIMB_ALIGNED, k.x) == LIMB_OK) {
    const int c = rng_below(r, WIDTH);
    (&w.wrench.m.x)[c] = 1;
    env.nwrench = 1, env.wrench = &w;
    assert_ok(limb_forward_dynamics(k.d, b->c.q, b->c.v, b->tau, &env, k.y));
    const double size = bench_largest(k.n, b->tree) + bench_largest(k.n, k.y);
    for (int i = 0; i < k.n; i++) assert_near(k.y[i] - b->tree[i], k.x[i * WIDTH + c], size, 1e-7);
  }
  ask_end(&k);
}

// A step of the independent coordinates, the others following: q, and the velocities that belong to it.
static int step(bench* b, const asked* k, const double* dy, double share, double* q, double* v)
{
  limb_loop_options o = limb_default_loop_options();
  double* along = numbers(k->n);
  o.held = k->independent;
  for (int i = 0; i < k->n; i++) along[i] = k->independent[i] ? share * dy[i] : 0;
  limb_status s = limb_complete_velocities(b->w, b->c.q, k->independent, NULL, along);
  if (s == LIMB_OK) s = limb_integrate(b->c.m, b->c.q, along, 1, q);
  if (s == LIMB_OK) s = limb_project(b->w, &o, q, NULL, NULL);
  memcpy(v, b->c.v, (size_t)k->n * sizeof *v);
  if (s == LIMB_OK) s = limb_complete_velocities(b->w, q, k->independent, NULL, v);
  free(along);
  return s == LIMB_OK;
}

// A of the linear model against differences of forward dynamics, along a random direction of y.
static void linear_model(bench* b, rng* r)
{
  if (b->c.flags & (CLOSED_LAW | CLOSED_RANDOM | CLOSED_FREE_BASE | CLOSED_REDUNDANT | CLOSED_NONHOLONOMIC)) return;
  asked k = ask(b);
  const int n = k.n;
  limb_environment env = limb_default_environment(b->c.m);
  env.coulomb_width = 0.5;
  rng_fill(r, 3, n, b->tau);
  const limb_status s = limb_linearise(k.d, b->c.q, b->c.v, b->tau, &env, k.A, k.B);
  if (s == LIMB_OK) {
    const double h = 1e-5;
    double *dy = numbers(n), *q = numbers(limb_nq(b->c.m)), *v = numbers(n), *a[2] = {numbers(n), numbers(n)};
    rng_fill(r, 1, n, dy);
    bool fine = true;
    for (int side = 0; fine && side < 2; side++) {
      fine = step(b, &k, dy, side ? h : -h, q, v) && limb_forward_dynamics(k.d, q, v, b->tau, &env, a[side]) == LIMB_OK;
    }
    const double size = bench_largest(n, a[0]) + bench_largest(2 * n * n, k.A + 2 * n * n);
    for (int i = 0; fine && i < n; i++) {
      double want = 0;
      for (int j = 0; j < n; j++) want += k.A[(n + i) * 2 * n + j] * (k.independent[j] ? dy[j] : 0);
      if (k.independent[i]) assert_near((a[1][i] - a[0][i]) / (2 * h), want, size, 1e-5);
    }
    free(dy), free(q), free(v), free(a[0]), free(a[1]);
  }
  ask_end(&k);
}

START_TEST(derivatives)
{
  if (_i >= closed_count()) return;
  bench_over(_i, by_wrench);
  bench_over(_i, linear_model);
}
END_TEST

// ---- the tree, and what is refused ------------------------------------------------------------------------

START_TEST(spanning_tree)
{
  closed_case c = closed_find("four_bar", 1);
  const limb_model* tree = limb_spanning_tree(c.m);
  limb_data *d, *of_tree;
  double closed[8], open[8], tau[8] = {1, 2, 3};
  ck_assert_int_eq(limb_loop_count(tree), 0);
  ck_assert_int_eq(limb_constraint_count(tree), 0);
  ck_assert_int_eq(limb_nv(tree), limb_nv(c.m));
  ck_assert_int_eq(limb_find_loop(tree, "any"), -1);
  ck_assert_str_eq(limb_model_name(tree), limb_model_name(c.m));
  assert_that(limb_spanning_tree(tree) == tree && !limb_spanning_tree(NULL));
  assert_ok(limb_data_create(c.m, NULL, &d));
  assert_ok(limb_data_create(tree, NULL, &of_tree));
  assert_that(limb_data_loops(d) && !limb_data_loops(of_tree) && !limb_data_loops(NULL));
  assert_ok(limb_forward_dynamics(d, c.q, c.v, tau, NULL, closed));
  assert_ok(limb_forward_dynamics(of_tree, c.q, c.v, tau, NULL, open));
  assert_that(fabs(closed[0] - open[0]) > 1e-3);
  limb_data_destroy(d);
  limb_data_destroy(of_tree);
  closed_free(&c);
}
END_TEST

START_TEST(refusals)
{
  closed_case c = closed_find("four_bar", 1);
  limb_data* d;
  limb_dual* dual;
  double x[400] = {0}, tau[8] = {0};
  unsigned char given[8] = {0};
  const limb_directions none = {0};
  assert_ok(limb_data_create(c.m, NULL, &d));
  assert_status(limb_forward_dynamics_aba(d, c.q, c.v, tau, NULL, x), LIMB_E_UNSUPPORTED);
  assert_status(limb_forward_dynamics_by_mass_matrix(d, c.q, c.v, tau, NULL, x + 100, x), LIMB_E_UNSUPPORTED);
  assert_status(limb_hybrid_dynamics(d, c.q, c.v, given, tau, NULL, x, x + 8), LIMB_E_UNSUPPORTED);
  assert_status(limb_christoffel(d, c.q, x), LIMB_E_UNSUPPORTED);
  assert_status(limb_mass_matrix_rate(d, c.q, c.v, x), LIMB_E_UNSUPPORTED);
  assert_ok(limb_kinematics(d, c.q, c.v, NULL));
  assert_status(limb_frame_pose_derivative(d, 1, (sp_pose*)(void*)x), LIMB_E_UNSUPPORTED);
  assert_ok(limb_dual_create(c.m, LIMB_DUAL_VECTORS, NULL, &dual));
  assert_status(limb_inverse_dynamics_along(dual, c.q, c.v, tau, NULL, &none, x), LIMB_E_UNSUPPORTED);
  limb_loop_details details;
  assert_status(limb_get_loop_details(d, &details), LIMB_E_ORDER);
  limb_loop_settings s = limb_default_loop_settings();
  s.solver.alpha = -1;
  assert_status(limb_set_loops(d, &s), LIMB_E_ARG);
  assert_status(limb_set_loops(NULL, NULL), LIMB_E_ARG);
  limb_dual_destroy(dual);
  limb_data_destroy(d);
  closed_free(&c);
}
END_TEST

CHECK_MAIN("loops/one_interface", CASES, dynamics, kinematics, derivatives, spanning_tree, refusals)
