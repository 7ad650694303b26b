// Quantities of robots with loops: by name against the calls of limb/loops.h, and the identities that the reduced
// matrices fulfil.
#include "limb/derivatives.h"
#include "limb/loops.h"

#include "loops/closed.h"
#include "quantities/station.h"

#include <math.h>

static const char* const robots[] = {"four_bar", "five_bar", "planar_3rrr", "delta", "gough_stewart"};

enum { ROBOTS = sizeof robots / sizeof *robots };

static void put_forces(const sp_force* f, int n, double* x)
{
  for (int k = 0; k < n; k++, x += 6) {
    const double one[] = {f[k].m.x, f[k].m.y, f[k].m.z, f[k].f.x, f[k].f.y, f[k].f.z};
    memcpy(x, one, sizeof one);
  }
}

static limb_closed_motion motion_of(const station* t) { return (limb_closed_motion){t->q, t->v, t->a, &t->env}; }

START_TEST(forces_and_accelerations)
{
  station t;
  sp_force f[STATION_NV], loop[STATION_NV];
  double lambda[STATION_NV * 2];
  station_open(&t, robots[_i], NULL);
  const limb_closed_motion in = motion_of(&t);
  limb_closed_forces out = {.tau = t.y, .lambda = lambda};
  assert_ok(limb_closed_inverse_dynamics(t.loops, &in, NULL, NULL, &out));
  (void)station_ask(&t, "tau"), assert_close_array(t.x, t.y, t.nv, 0, 0);
  (void)station_ask(&t, "lambda"), assert_close_array(t.x, lambda, t.nc, 0, 0);
  assert_ok(limb_closed_loads(t.loops, &in, lambda, LIMB_BODY, NULL, f, loop));
  limb_item i = station_ask(&t, "reactions@body");
  put_forces(f, limb_joint_count(t.m), t.y), assert_close_array(t.x, t.y, (int)i.size, 0, 0);
  i = station_ask(&t, "loop_loads@body");
  put_forces(loop, limb_loop_count(t.m), t.y), assert_close_array(t.x, t.y, (int)i.size, 0, 0);
  assert_ok(limb_closed_forward_dynamics(t.loops, &in, t.tau, NULL, t.y, lambda, NULL));
  (void)station_ask(&t, "acc"), assert_close_array(t.x, t.y, t.nv, 0, 0);
  t.s.a = NULL; // the forces decide
  (void)station_ask(&t, "lambda"), assert_close_array(t.x, lambda, t.nc, 0, 0);
  station_end(&t);
}
END_TEST

// The reduced equation in the independent velocities, and what is padded.
START_TEST(reduced)
{
  station t;
  double A[STATION_NV * STATION_NV], H[STATION_NV], M[STATION_NV * STATION_NV], sum[STATION_NV];
  unsigned char mark[STATION_NV];
  int ny = 0;
  station_open(&t, robots[_i], NULL);
  const int nv = t.nv;
  limb_environment env = t.env;
  env.nwrench = 0, env.friction = 0; // h has neither; these robots have no springs
  const limb_closed_motion in = {t.q, t.v, NULL, &env};
  assert_ok(limb_independent_velocities(t.loops, t.q, NULL, mark));
  (void)station_ask(&t, "independent");
  for (int k = 0; k < nv; k++) assert_that(t.x[k] == mark[k]);
  assert_ok(limb_closed_reduced_dynamics(t.loops, &in, mark, NULL, &ny, A, H));
  (void)station_ask(&t, "M");
  memcpy(M, t.x, (size_t)(nv * nv) * sizeof *M);
  for (int i = 0, r = 0; i < nv; r += mark[i++])
    for (int j = 0, c = 0; j < nv; c += mark[j++])
      assert_close(M[i * nv + j], mark[i] && mark[j] ? A[r * ny + c] : 0, 1e-9, 1e-10);
  (void)station_ask(&t, "h");
  for (int i = 0, r = 0; i < nv; r += mark[i++]) assert_close(t.x[i], mark[i] ? H[r] : 0, 1e-9, 1e-9);
  memcpy(sum, t.x, sizeof sum); // C v + g = h
  (void)station_ask(&t, "g");
  for (int i = 0; i < nv; i++) sum[i] -= t.x[i];
  (void)station_ask(&t, "C");
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) sum[i] -= t.x[i * nv + j] * t.v[j];
  for (int i = 0; i < nv; i++) assert_close(sum[i], 0, 0, 1e-9);
  (void)station_ask(&t, "Minv"); // M Minv = 1 among the independent ones
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) {
      double x = 0;
      for (int k = 0; k < nv; k++) x += M[i * nv + k] * t.x[k * nv + j];
      assert_close(x, i == j && mark[i], 0, 1e-8);
    }
  station_end(&t);
}
END_TEST

// J v and J a + Jdotv are velocity and acceleration, of the independent velocities alone.
START_TEST(frames)
{
  station t;
  double J[6 * STATION_NV], rest[6];
  station_open(&t, robots[_i], NULL);
  (void)station_ask(&t, "J");
  memcpy(J, t.x, (size_t)(6 * t.nv) * sizeof *J);
  (void)station_ask(&t, "Jdotv");
  memcpy(rest, t.x, sizeof rest);
  (void)station_ask(&t, "velocity");
  for (int i = 0; i < 6; i++) {
    double x = 0;
    for (int k = 0; k < t.nv; k++) x += J[i * t.nv + k] * t.v[k];
    assert_close(x, t.x[i], 1e-9, 1e-9);
  }
  (void)station_ask(&t, "acceleration");
  for (int i = 0; i < 6; i++) {
    double x = rest[i];
    for (int k = 0; k < t.nv; k++) x += J[i * t.nv + k] * t.a[k];
    assert_close(x, t.x[i], 1e-8, 1e-8);
  }
  station_end(&t);
}
END_TEST

START_TEST(derivatives)
{
  station t;
  limb_dual* dual = NULL;
  unsigned char mark[STATION_NV];
  int ny = 0;
  station_open(&t, robots[_i], NULL);
  const int nv = t.nv;
  const limb_closed_motion in = motion_of(&t);
  const size_t nn = (size_t)nv * (size_t)nv;
  double *y = t.y, *z = y + nn, *u = z + nn;
  const limb_closed_derivatives out = {.da_dq = y, .da_dv = z, .da_dtau = u};
  assert_ok(limb_dual_create(limb_spanning_tree(t.m), LIMB_DUAL_MATRICES, NULL, &dual));
  assert_ok(limb_closed_forward_dynamics_derivatives(t.loops, dual, &in, t.tau, NULL, &out));
  (void)station_ask(&t, "dacc_dq"), assert_close_array(t.x, y, nv * nv, 1e-12, 1e-12);
  (void)station_ask(&t, "dacc_dv"), assert_close_array(t.x, z, nv * nv, 1e-12, 1e-12);
  (void)station_ask(&t, "dacc_dtau"), assert_close_array(t.x, u, nv * nv, 1e-12, 1e-12);
  // A wrench does what J' w does: dacc_dwrench of all directions, by forces of the tree.
  (void)station_ask(&t, "dacc_dwrench");
  assert_ok(limb_inverse_dynamics_by_wrench(t.tree, t.q, t.frame, LIMB_ALIGNED, y));
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < 6; j++) {
      double x = 0;
      for (int k = 0; k < nv; k++) x -= u[i * nv + k] * y[k * 6 + j];
      assert_close(t.x[i * 6 + j], x, 1e-10, 1e-10);
    }
  assert_ok(limb_independent_velocities(t.loops, t.q, NULL, mark));
  const limb_closed_inverse_derivatives by = {.dtau_dy = y, .dtau_dydot = z};
  assert_ok(limb_closed_inverse_dynamics_derivatives(t.loops, dual, &in, mark, NULL, &ny, &by));
  for (int both = 0; both < 2; both++) {
    const double* want = both ? z : y;
    (void)station_ask(&t, both ? "dtau_dv" : "dtau_dq");
    for (int i = 0; i < nv; i++)
      for (int k = 0, c = 0; k < nv; c += mark[k++])
        assert_close(t.x[i * nv + k], mark[k] ? want[i * ny + c] : 0, 1e-12, 1e-12);
  }
  limb_dual_destroy(dual);
  station_end(&t);
}
END_TEST

START_TEST(equations)
{
  station t;
  station_open(&t, robots[_i], NULL);
  const int nv = t.nv, nc = t.nc;
  double *Psi = t.y, *gamma = Psi + nc * nv, *residual = gamma + nc;
  const limb_loop_equations out = {.Psi = Psi, .gamma = gamma, .residual = residual};
  assert_ok(limb_loop_equations_at(t.loops, t.q, t.v, NULL, &out));
  (void)station_ask(&t, "Psi"), assert_close_array(t.x, Psi, nc * nv, 0, 0);
  (void)station_ask(&t, "gamma"), assert_close_array(t.x, gamma, nc, 0, 0);
  (void)station_ask(&t, "loop_residual"), assert_close_array(t.x, residual, nc, 0, 0);
  (void)station_ask(&t, "loop_rate");
  for (int k = 0; k < nc; k++) assert_close(t.x[k], 0, 0, 1e-9);
  limb_mobility m;
  assert_ok(limb_mobility_at(t.loops, t.q, NULL, &m));
  (void)station_ask(&t, "mobility.mobility"), assert_that((int)t.x[0] == m.mobility);
  (void)station_ask(&t, "passive");
  assert_close_array(t.x, t.v, nv, 1e-9, 1e-9);
  assert_close_array(t.x + nv, t.a, nv, 1e-9, 1e-9);
  station_end(&t);
}
END_TEST

// The spanning tree: what the plain calls answer.
START_TEST(tree)
{
  limb_evaluator_options o = limb_default_evaluator_options();
  limb_error err;
  station t;
  o.tree = 1;
  station_open(&t, robots[_i], &o);
  (void)station_ask(&t, "tau");
  assert_ok(limb_inverse_dynamics(t.tree, t.q, t.v, t.a, &t.env, t.y));
  assert_close_array(t.x, t.y, t.nv, 0, 0);
  (void)station_ask(&t, "christoffel");
  assert_status(limb_evaluator_add(t.e, "lambda", NULL, NULL, &err), LIMB_E_UNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(err.text, "spanning tree"));
  station_end(&t);
  station_open(&t, robots[_i], NULL);
  assert_status(limb_evaluator_add(t.e, "christoffel", NULL, NULL, &err), LIMB_E_UNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(err.text, "for its spanning tree"));
  station_end(&t);
}
END_TEST

// ---- completing states ----------------------------------------------------------------------------------

// Only the independent ones are given; the rest comes back.
START_TEST(completion)
{
  station t;
  unsigned char mark[STATION_NV], q_mark[STATION_NV];
  limb_completion_options o = limb_default_completion_options();
  limb_completion* c = NULL;
  limb_error err = {0};
  double q[STATION_NV], v[STATION_NV], a[STATION_NV];
  station_open(&t, robots[_i], NULL);
  assert_ok(limb_independent_velocities(t.loops, t.q, NULL, mark));
  memset(q_mark, 1, sizeof q_mark);
  if (t.nq == t.nv) memcpy(q_mark, mark, (size_t)t.nv);
  o.given_q = q_mark, o.given_v = mark, o.given_a = mark;
  assert_ok(limb_completion_create(t.m, &o, NULL, &c, &err));
  for (int k = 0; k < t.nq; k++) q[k] = q_mark[k] ? t.q[k] : (double)NAN;
  for (int k = 0; k < t.nv; k++) v[k] = mark[k] ? t.v[k] : 0, a[k] = mark[k] ? t.a[k] : 0;
  const limb_status s = limb_complete_state(c, 0, q, v, a, &err);
  check_at("%s: %s", robots[_i], err.text);
  assert_ok(s);
  assert_close_array(q, t.q, t.nq, 1e-9, 1e-9);
  assert_close_array(v, t.v, t.nv, 1e-8, 1e-8);
  assert_close_array(a, t.a, t.nv, 1e-7, 1e-7);
  limb_completion_destroy(c);
  // Everything given: checked.
  assert_ok(limb_completion_create(t.m, NULL, NULL, &c, &err));
  memcpy(q, t.q, sizeof q);
  assert_ok(limb_complete_state(c, 0, q, t.v, t.a, &err));
  t.v[0] += 0.1;
  assert_status(limb_complete_state(c, 0, q, t.v, t.a, &err), LIMB_E_NOCONV);
  ck_assert_ptr_nonnull(strstr(err.text, "velocities open loop"));
  limb_completion_destroy(c);
  assert_status(limb_completion_create(NULL, NULL, NULL, &c, &err), LIMB_E_ARG);
  station_end(&t);
}
END_TEST

CHECK_MAIN("quantities_of_loops", ROBOTS, forces_and_accelerations, reduced, frames, derivatives, equations, tree,
           completion)
