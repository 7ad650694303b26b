// Prescribed motions of closures: true angles, through full turns, and true lengths; their rates; derivatives.
#include "loops/closed_bench.h"

#include "limb/sim.h"

enum { KINDS = 6 };

// A body that moves freely, and a closure that turns it about one axis.
static limb_model* turned_model(unsigned locked, int row, const limb_prescribed_motion* law)
{
  limb_builder* build = fixture_begin("turned");
  const int body = fixture_link(build, "body", LIMB_FREE, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1),
                                bench_flat(2, 0.1, 0.3));
  limb_loop_def loop = limb_default_loop_def("turn", LIMB_LOOP_LOCK, LIMB_WORLD_BODY, body);
  loop.locked = locked, loop.motion = *law, loop.motion.constraint = row;
  closed_add_loop(build, &loop);
  return fixture_end(build);
}

static sp_mat3 turn_about(int axis, double angle)
{
  const sp_vec3 e = sp_v3(axis == 0, axis == 1, axis == 2);
  return sp_rot_axis(e, angle);
}

typedef struct turn_case {
  unsigned locked;
  int row, axis;
  int before, after; // axes of the turns that are free, before and after the prescribed one; -1: none
} turn_case;

static const turn_case cases[KINDS] = {{LIMB_TURN_X | LIMB_TURN_Y | LIMB_TURN_Z, 0, 0, -1, -1},
                                       {LIMB_TURN_X | LIMB_TURN_Y | LIMB_TURN_Z, 2, 2, -1, -1},
                                       {LIMB_TURN_X | LIMB_TURN_Y, 0, 0, -1, 2},
                                       {LIMB_TURN_X | LIMB_TURN_Y, 1, 1, -1, 2},
                                       {LIMB_TURN_Z | LIMB_TURN_Y, 1, 2, -1, 0},
                                       {LIMB_TURN_Z, 0, 2, -1, 1}};

// The closure holds where the frame is turned by s, whatever s is, and where the free turns are anything.
START_TEST(angles_are_true)
{
  const turn_case* c = &cases[_i];
  for (double s = -9; s < 9; s += 0.7) {
    check_at("s = %g", s);
    const limb_prescribed_motion law = {.constant = s};
    bench b = bench_with(turned_model(c->locked, c->row, &law), NULL, NULL, NULL);
    sp_mat3 R = turn_about(c->axis, s);
    if (c->after >= 0) R = sp_mul3(R, turn_about(c->after, 1.9));
    const sp_quat Q = sp_quat_rot(R);
    const double q[7] = {0.3, -0.2, 0.5, Q.x, Q.y, Q.z, Q.w};
    limb_loop_gap gap;
    assert_ok(limb_loop_gap_of(b.w, q, NULL, NULL, &gap));
    assert_close(gap.position, 0, 0, 1e-14);
    const sp_quat P = sp_quat_rot(sp_mul3(R, turn_about(c->axis, 0.2)));
    if (c->after < 0) {
      const double off[7] = {0.3, -0.2, 0.5, P.x, P.y, P.z, P.w};
      assert_ok(limb_loop_gap_of(b.w, off, NULL, NULL, &gap));
      assert_close(gap.position, 0.2, 1e-13, 0);
    }
    bench_end(&b);
  }
}
END_TEST

typedef struct sample {
  double phi[6], speed[6];
} sample;

// phi and Psi v - s' at a time on a motion with constant acceleration: v = v0 + a t along q.
static sample sample_at(bench* b, const double* q0, const double* v0, const double* a, double t, double time)
{
  enum { STEPS = 64 };
  double q[7], v[6];
  sample x;
  memcpy(q, q0, sizeof q);
  for (int k = 0; k < STEPS; k++) { // midpoint rule on the manifold
    for (int i = 0; i < 6; i++) v[i] = v0[i] + a[i] * t * (k + 0.5) / STEPS;
    assert_ok(limb_integrate(b->c.m, q, v, t / STEPS, q));
  }
  for (int i = 0; i < 6; i++) v[i] = v0[i] + a[i] * t;
  double Psi[36], rate[6];
  const limb_loop_equations out = {x.phi, Psi, rate, NULL};
  limb_loop_options o = limb_default_loop_options();
  o.time = time + t;
  assert_ok(limb_loop_equations_at(b->w, q, v, &o, &out));
  for (int r = 0; r < b->nc; r++) {
    x.speed[r] = -rate[r];
    for (int i = 0; i < 6; i++) x.speed[r] += Psi[r * 6 + i] * v[i];
  }
  return x;
}

static void check_rates(limb_model* m, rng* r)
{
  const double h = 1e-4, time = 0.7;
  bench b = bench_with(m, NULL, NULL, NULL);
  double q[7], v[6], a[6], Psi[36], gamma[6];
  uint64_t seed = 11;
  assert_ok(limb_random(m, &seed, q));
  for (int i = 0; i < 6; i++) v[i] = rng_uniform(r, -1, 1), a[i] = rng_uniform(r, -1, 1);
  const sample low = sample_at(&b, q, v, a, -h, time), high = sample_at(&b, q, v, a, h, time);
  const sample here = sample_at(&b, q, v, a, 0, time);
  limb_loop_options o = limb_default_loop_options();
  o.time = time;
  const limb_loop_equations out = {NULL, Psi, NULL, gamma};
  assert_ok(limb_loop_equations_at(b.w, q, v, &o, &out));
  for (int k = 0; k < b.nc; k++) {
    double rest = -gamma[k]; // Psi a - gamma, the derivative of Psi v - s'
    for (int i = 0; i < 6; i++) rest += Psi[k * 6 + i] * a[i];
    assert_close(remainder(high.phi[k] - low.phi[k], 2 * acos(-1.0)) / (2 * h), here.speed[k], 0, 1e-6);
    assert_close((high.speed[k] - low.speed[k]) / (2 * h), rest, 0, 1e-6);
  }
  bench_end(&b);
}

// Psi v - s' is the rate of phi, and Psi a - gamma the rate of that, wherever the body is.
START_TEST(rates_are_derivatives)
{
  const limb_prescribed_motion law = {0, 0.3, -0.8, 0.4, 0.6, 0.2, NULL, NULL};
  rng r = {5};
  for (int k = 0; k < KINDS; k++) {
    check_at("case %d", k);
    check_rates(turned_model(cases[k].locked, cases[k].row, &law), &r);
  }
  limb_builder* build = fixture_begin("tied");
  const int body = fixture_link(build, "body", LIMB_FREE, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1),
                                bench_flat(2, 0.1, 0.3));
  limb_loop_def loop = limb_default_loop_def("rope", LIMB_LOOP_DISTANCE, LIMB_WORLD_BODY, body);
  loop.length = 1.5, loop.motion = law, loop.pose_b = fixture_at(0.2, 0.1, -0.3);
  closed_add_loop(build, &loop);
  check_rates(fixture_end(build), &r);
}
END_TEST

// A bar between two hinges, one of which is turned by the closure; or a mass on a rail, pulled to a length.
static limb_model* driven_model(int turns, const limb_prescribed_motion* law)
{
  limb_builder* build = fixture_begin("driven");
  fixture_gravity(build, sp_v3(0, -9.81, 0));
  const sp_vec3 z = sp_v3(0, 0, 1);
  const int one = fixture_link(build, "one", turns ? LIMB_REVOLUTE : LIMB_PRISMATIC, LIMB_WORLD_BODY,
                               fixture_at(0, 0, 0), turns ? z : sp_v3(1, 0, 0), bench_flat(1, 0.3, 0.1));
  (void)fixture_link(build, "two", LIMB_REVOLUTE, one, fixture_at(0.6, 0, 0), z, bench_flat(0.5, 0.2, 0.05));
  limb_loop_def loop =
    limb_default_loop_def("drive", turns ? LIMB_LOOP_LOCK : LIMB_LOOP_DISTANCE, LIMB_WORLD_BODY, one);
  if (turns) loop.locked = LIMB_TURN_Z;
  if (!turns) loop.length = 1;
  loop.motion = *law;
  closed_add_loop(build, &loop);
  return fixture_end(build);
}

// A door that is opened at a constant rate goes through several turns; a length follows its sine.
START_TEST(motions_follow)
{
  const limb_prescribed_motion law[2] = {{.rate = 0.5}, {.amplitude = 0.2, .frequency = 0.25}};
  for (int k = 0; k < 2; k++) {
    limb_model* m = driven_model(k == 0, &law[k]);
    limb_sim_options o = limb_default_sim_options(m);
    limb_sim* sim;
    const double turn = acos(-1.0) / 2;
    const double q[2] = {k, 0}, v[2] = {k == 0 ? 0.5 : 0.2 * turn, 0};
    o.method = LIMB_SIM_RK4, o.step = 2e-3;
    assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
    assert_ok(limb_sim_start(sim, 0, q, v, NULL));
    for (double t = 0.5; t < 16; t += k == 0 ? 3.1 : 0.5) {
      assert_ok(limb_sim_advance(sim, t, NULL));
      limb_sim_state now;
      assert_ok(limb_sim_now(sim, &now));
      assert_close(now.q[0], k == 0 ? 0.5 * t : 1 + 0.2 * sin(turn * t), 1e-11, 0);
      assert_close(now.v[0], k == 0 ? 0.5 : 0.2 * turn * cos(turn * t), 1e-10, 1e-11);
    }
    limb_sim_destroy(sim);
    limb_model_destroy(m);
  }
}
END_TEST

// Derivatives of accelerations along the motion that the closure allows, against differences.
START_TEST(derivatives)
{
  const double h = 1e-5, tau[2] = {0, 0.3};
  for (int k = 0; k < 2; k++) {
    const limb_prescribed_motion law = {.constant = k == 0 ? 2.4 : 0.3, .rate = 0.7, .amplitude = 0.1, .frequency = 1};
    const double q[2] = {k == 0 ? 2.4 : 1.3, 0.8}, v[2] = {0.7 + 0.1 * 2 * acos(-1.0), -1.1};
    bench b = bench_with(driven_model(k == 0, &law), q, v, NULL);
    double a_q[4], a_v[4], low[2], high[2];
    limb_dual* dual;
    assert_ok(limb_dual_create(limb_spanning_tree(b.c.m), LIMB_DUAL_VECTORS, NULL, &dual));
    const limb_closed_derivatives out = {.da_dq = a_q, .da_dv = a_v};
    assert_ok(
      limb_closed_forward_dynamics_derivatives(b.w, dual, &(limb_closed_motion){.q = q, .v = v}, tau, NULL, &out));
    for (int by = 0; by < 2; by++) {
      for (int side = 0; side < 2; side++) {
        const double e = side ? h : -h;
        const double x[2] = {q[0], q[1] + (by ? 0 : e)}, y[2] = {v[0], v[1] + (by ? e : 0)};
        assert_ok(limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = x, .v = y}, tau, NULL, side ? high : low,
                                               NULL, NULL));
      }
      for (int i = 0; i < 2; i++) assert_close((by ? a_v : a_q)[2 * i + 1], (high[i] - low[i]) / (2 * h), 1e-7, 1e-7);
    }
    limb_dual_destroy(dual);
    bench_end(&b);
  }
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const kinds[] = {angles_are_true, NULL};
  const TTest* const all[] = {rates_are_derivatives, motions_follow, derivatives, NULL};
  const int failed = check_run("loops/prescribed: kinds", KINDS, kinds);
  return check_run("loops/prescribed", 1, all) | failed;
}
