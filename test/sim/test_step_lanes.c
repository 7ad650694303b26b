// The Runge-Kutta step of the batch over lanes of float: every lane goes the way that LIMB_SIM_RK4 goes from
// its state, and displacements are those of limb_integrate, lanes that hardly turn beside others that turn
// far.
#include "sim/runs.h"

#include "kernel/tables.h"

#define LANE_BITS 32
#include "kernel/scalar_states.h"

KERNEL void sines_of_lanes(real x, real* s, real* c) { sines(1, &x, s, c); }

#include "kernel/step_kernel.h"

static const char* const names[] = {"panda", "quadruped", "two_roots", "tree_9"};

enum { NAMES = sizeof names / sizeof names[0] };

// How fast the lanes are at first, or how far they turn: not at all, as good as not at all, below and above
// the limits of the series.
static const double fast[STATES] = {0, 1e-9, 1, 20}, far[STATES] = {0, 1e-9, 0.1, 2};

typedef struct crowd {
  limb_data* d;
  int nq, nv;
  limb_environment env;
} crowd;

static void from_lane(int n, const real* x, int l, double* out)
{
  for (int k = 0; k < n; k++) out[k] = (double)x[k][l];
}

static void into_lane(int n, const double* x, int l, real* out)
{
  for (int k = 0; k < n; k++) out[k][l] = (float)x[k];
}

static void fall(void* context, const real* q, const real* v, real* a)
{
  const crowd* c = context;
  const double none[RUN_MOST] = {0};
  for (int l = 0; l < STATES; l++) {
    double ql[RUN_MOST], vl[RUN_MOST], al[RUN_MOST];
    from_lane(c->nq, q, l, ql), from_lane(c->nv, v, l, vl);
    assert_ok(limb_forward_dynamics(c->d, ql, vl, none, &c->env, al));
    into_lane(c->nv, al, l, a);
  }
}

// d/dt of q0 (+) u at the rate du, in double.
static void speed_of(const stage* at, const double* u, const double* du, double* v)
{
  const double e = 1e-4;
  double to[2][RUN_MOST];
  for (int side = 0; side < 2; side++) {
    double x[RUN_MOST];
    for (int k = 0; k < at->nv; k++) x[k] = u[k] + (side ? e : -e) * du[k];
    assert_ok(limb_integrate(at->m, at->q, x, 1, to[side]));
  }
  assert_ok(limb_difference(at->m, to[0], to[1], v));
  for (int k = 0; k < at->nv; k++) v[k] /= 2 * e;
}

START_TEST(displacements_are_those_of_the_manifold)
{
  const stage at = stage_make(names[_i]);
  real q[RUN_MOST], v[RUN_MOST], u[RUN_MOST], to[RUN_MOST], du[RUN_MOST];
  for (int l = 0; l < STATES; l++) {
    double x[RUN_MOST];
    for (int k = 0; k < at.nv; k++) x[k] = far[l] * cos(k);
    into_lane(at.nq, at.q, l, q), into_lane(at.nv, at.v, l, v), into_lane(at.nv, x, l, u);
  }
  displace(at.m, q, u, v, to, du);
  for (int l = 0; l < STATES; l++) {
    double x[RUN_MOST], dx[RUN_MOST], got[RUN_MOST], want[RUN_MOST], speed[RUN_MOST];
    check_at("%s, lane %d", names[_i], l);
    from_lane(at.nv, u, l, x), from_lane(at.nv, du, l, dx), from_lane(at.nq, to, l, got);
    assert_ok(limb_integrate(at.m, at.q, x, 1, want));
    assert_close_array(got, want, at.nq, 1e-6, 0);
    speed_of(&at, x, dx, speed);
    assert_close_array(speed, at.v, at.nv, 1e-5, 0);
  }
  limb_model_destroy(at.m);
}
END_TEST

static stage start_of(const stage* at, int l)
{
  stage s = *at;
  for (int k = 0; k < at->nv; k++) s.v[k] *= fast[l];
  return s;
}

START_TEST(lanes_go_their_own_way)
{
  enum { STEPS = 4 };
  const double h = 4e-3;
  const stage at = stage_make(names[_i]);
  limb_sim_options o = run_options(&at, LIMB_SIM_RK4);
  crowd c = {.nq = at.nq, .nv = at.nv, .env = o.env};
  real q[RUN_MOST], v[RUN_MOST], room[8 * RUN_MOST];
  assert_ok(limb_data_create(at.m, NULL, &c.d));
  for (int l = 0; l < STATES; l++) {
    const stage s = start_of(&at, l);
    into_lane(at.nq, s.q, l, q), into_lane(at.nv, s.v, l, v);
  }
  for (int k = 0; k < STEPS; k++) rk4_step(at.m, h, fall, &c, q, v, room);
  o.step = h;
  for (int l = 0; l < STATES; l++) {
    const stage s = start_of(&at, l);
    stage got = at, want;
    check_at("%s, lane %d", names[_i], l);
    run_end(run_create(&s, &o), &s, STEPS * h, &want);
    from_lane(at.nq, q, l, got.q), from_lane(at.nv, v, l, got.v);
    double size = 1;
    for (int k = 0; k < at.nv; k++) size = fmax(size, fabs(want.v[k]));
    assert_close(stage_distance(&got, &want), 0, 0, 2e-5 * size);
  }
  limb_data_destroy(c.d);
  limb_model_destroy(at.m);
}
END_TEST

CHECK_MAIN("sim/step_lanes", NAMES, displacements_are_those_of_the_manifold, lanes_go_their_own_way)
