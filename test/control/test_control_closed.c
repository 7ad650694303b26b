// Control laws of robots with loops: the errors of what moves independently, and who is driven.
#include "limb/control.h"

#include "loops/closed.h"
#include "loops/closed_bench.h"

// A law with random gains, a goal near the state, and what it asks for.
typedef struct law_case {
  limb_control c;
  limb_goal goal;
  double *q, *x, *wanted, *work, *got;
  unsigned char *active, *independent;
  limb_mobility mobility;
} law_case;

static law_case draw(const bench* b, rng* r)
{
  law_case c = {.c = limb_default_control()};
  const int nv = b->nv;
  c.x = numbers(9 * nv), c.q = numbers(limb_nq(b->c.m)), c.work = numbers((int)limb_control_work(b->c.m));
  double *kp = c.x, *kd = kp + nv, *v = kd + nv, *a = v + nv, *e = a + nv, *e1 = e + nv;
  c.wanted = e1 + nv, c.got = c.wanted + nv;
  c.active = (unsigned char*)(c.got + nv);
  c.independent = (unsigned char*)numbers(nv);
  for (int k = 0; k < nv; k++)
    kp[k] = rng_uniform(r, 0, 50), kd[k] = rng_uniform(r, 0, 10), e[k] = rng_uniform(r, -0.2, 0.2);
  assert_ok(limb_integrate(b->c.m, b->c.q, e, 1, c.q));
  rng_fill(r, 2, nv, v), rng_fill(r, 5, nv, a);
  c.c.kp = kp, c.c.kd = kd, c.goal = (limb_goal){c.q, v, a};
  assert_ok(limb_goal_error(b->c.m, b->c.q, b->c.v, &c.goal, e, e1, c.wanted));
  for (int k = 0; k < nv; k++) c.wanted[k] += kd[k] * e1[k] + kp[k] * e[k];
  assert_ok(limb_given_for_passive(b->c.m, c.active));
  assert_ok(limb_independent_velocities(b->w, b->c.q, NULL, c.independent));
  assert_ok(limb_mobility_at(b->w, b->c.q, NULL, &c.mobility));
  return c;
}

static void release(law_case* c) { free(c->x), free(c->q), free(c->work), free(c->independent); }

static void forward(bench* b, const double* v, double* a)
{
  const limb_closed_motion in = {b->c.q, v, NULL, NULL};
  assert_ok(limb_closed_forward_dynamics(b->w, &in, b->tau, NULL, a, NULL, NULL));
}

static void undriven_at_passive(const bench* b, const law_case* c)
{
  for (int k = 0; k < b->nv; k++) assert_that(c->active[k] || b->tau[k] == 0);
}

static void computed_torque(bench* b, rng* r)
{
  law_case c = draw(b, r);
  const limb_status s = limb_computed_torque_control(b->closed, b->c.q, b->c.v, &c.goal, &c.c, c.work, b->tau);
  if (c.mobility.undriven > 0) {
    assert_status(s, LIMB_E_SINGULAR);
  } else {
    assert_ok(s);
    forward(b, b->c.v, c.got);
    for (int k = 0; k < b->nv; k++) c.wanted[k] = c.independent[k] ? c.wanted[k] : c.got[k];
    assert_close_array(c.got, c.wanted, b->nv, TOL_SOLVE, TOL_SOLVE);
    undriven_at_passive(b, &c);
  }
  release(&c);
}

START_TEST(computed_torque_linearises) { bench_over(_i, computed_torque); }
END_TEST

// At rest at the goal it stays there; elsewhere the formula.
static void pd_gravity(bench* b, rng* r)
{
  law_case c = draw(b, r);
  double* none = numbers(b->nv);
  const limb_goal here = {b->c.q, NULL, NULL};
  if (c.mobility.undriven == 0 && !(b->c.flags & CLOSED_LAW)) {
    assert_ok(limb_pd_gravity_control(b->closed, b->c.q, none, &here, &c.c, c.work, b->tau));
    undriven_at_passive(b, &c);
    forward(b, none, c.got);
    assert_close_array(c.got, none, b->nv, 0, 1e-8);
  }
  if (c.mobility.undriven == 0) {
    double* hold = none;
    const limb_control bare = limb_default_control();
    assert_ok(limb_pd_gravity_control(b->closed, b->c.q, b->c.v, &c.goal, &bare, c.work, hold));
    assert_ok(limb_pd_gravity_control(b->closed, b->c.q, b->c.v, &c.goal, &c.c, c.work, b->tau));
    assert_ok(limb_goal_error(b->c.m, b->c.q, b->c.v, &c.goal, c.got, b->a, c.wanted));
    for (int k = 0; k < b->nv; k++) hold[k] += c.active[k] ? c.c.kp[k] * c.got[k] + c.c.kd[k] * b->a[k] : 0;
    assert_close_array(b->tau, hold, b->nv, TOL_ALGEBRA, TOL_ALGEBRA);
  }
  free(none);
  release(&c);
}

START_TEST(pd_with_gravity_holds) { bench_over(_i, pd_gravity); }
END_TEST

// The crank of a four-bar is all that moves by itself: its error dies out as a spring and damper's would.
START_TEST(a_four_bar_follows)
{
  bench b = bench_of(closed_find("four_bar", 3));
  law_case c = draw(&b, &(rng){9});
  double lone[3] = {100, 0, 0}, damp[3] = {20, 0, 0};
  c.c.kp = lone, c.c.kd = damp;
  c.goal.v = NULL, c.goal.a = NULL;
  const double e = c.q[0] - b.c.q[0];
  assert_ok(limb_computed_torque_control(b.closed, b.c.q, b.c.v, &c.goal, &c.c, c.work, b.tau));
  forward(&b, b.c.v, c.got);
  assert_close(c.got[0], 100 * e - 20 * b.c.v[0], 1e-10, 1e-10);
  assert_that(b.tau[0] != 0 && b.tau[1] == 0 && b.tau[2] == 0);
  release(&c);
  bench_end(&b);
}
END_TEST

START_TEST(bad_arguments)
{
  bench b = bench_of(closed_find("four_bar", 3));
  law_case c = draw(&b, &(rng){9});
  limb_data* d = b.closed;
  const double *q = b.c.q, *v = b.c.v, bad[3] = {0, nan(""), 0};
  limb_status (*const law[2])(limb_data*, const double*, const double*, const limb_goal*, const limb_control*, double*,
                              double*) = {limb_pd_gravity_control, limb_computed_torque_control};
  for (int i = 0; i < 2; i++) {
    assert_ok(law[i](d, q, v, &c.goal, &c.c, c.work, b.tau));
    assert_status(law[i](NULL, q, v, &c.goal, &c.c, c.work, b.tau), LIMB_E_ARG);
    assert_status(law[i](d, NULL, v, &c.goal, &c.c, c.work, b.tau), LIMB_E_ARG);
    assert_status(law[i](d, q, NULL, &c.goal, &c.c, c.work, b.tau), LIMB_E_ARG);
    assert_status(law[i](d, q, v, NULL, &c.c, c.work, b.tau), LIMB_E_ARG);
    assert_status(law[i](d, q, v, &c.goal, NULL, c.work, b.tau), LIMB_E_ARG);
    assert_status(law[i](d, q, v, &c.goal, &c.c, NULL, b.tau), LIMB_E_ARG);
    assert_status(law[i](d, q, v, &c.goal, &c.c, c.work, NULL), LIMB_E_ARG);
    assert_status(law[i](d, bad, v, &c.goal, &c.c, c.work, b.tau), LIMB_E_NONFINITE);
    assert_status(law[i](d, q, bad, &c.goal, &c.c, c.work, b.tau), LIMB_E_NONFINITE);
    assert_status(law[i](d, q, v, &(limb_goal){bad, NULL, NULL}, &c.c, c.work, b.tau), LIMB_E_NONFINITE);
  }
  release(&c);
  bench_end(&b);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const each[] = {computed_torque_linearises, pd_with_gravity_holds, NULL};
  const int failed = check_run("control_closed", closed_count(), each);
  return failed |
         check_run("control_closed, edges", 1, (const TTest* const[]){a_four_bar_follows, bad_arguments, NULL});
}
