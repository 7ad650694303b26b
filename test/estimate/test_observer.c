// The momentum observer: r follows the torques of a force from outside with the delay that its gain promises, and is
// zero without one.
#include "support/check.h"
#include "support/watch.h"

#include "limb/ident.h"
#include "limb/limb.h"
#include "limb/read.h"

#include <math.h>
#include <string.h>

static const char* const robots[] = {"planar_2r", "ur5", "stanford", "puma560", "tree5"};

enum { ROBOTS = sizeof robots / sizeof *robots, DOFS = 8 };

typedef struct plant {
  limb_model* m;
  limb_data* d;
  limb_environment env;
  limb_wrench push;
  int nv;
  double q[DOFS], v[DOFS], a[DOFS], tau[DOFS], outside[DOFS];
} plant;

// Torques that brake, and follow from nothing else; the force from outside is known from inverse dynamics.
static void advance(plant* p, double dt, int pushed)
{
  limb_environment env = p->env, free = p->env;
  double with[DOFS];
  env.nwrench = pushed, env.wrench = &p->push;
  assert_ok(limb_gravity_forces(p->d, p->q, &free, p->tau));
  for (int i = 0; i < p->nv; i++) p->tau[i] += -0.5 * p->v[i] + 0.4 * (i + 1);
  assert_ok(limb_forward_dynamics(p->d, p->q, p->v, p->tau, &env, p->a));
  assert_ok(limb_inverse_dynamics(p->d, p->q, p->v, p->a, &free, p->outside));
  assert_ok(limb_inverse_dynamics(p->d, p->q, p->v, p->a, &env, with));
  for (int i = 0; i < p->nv; i++) {
    p->outside[i] -= with[i]; // what the motors need less
    p->v[i] += dt * p->a[i], p->q[i] += dt * p->v[i];
  }
}

START_TEST(follows_forces)
{
  plant p = {0};
  double integral[DOFS], r[DOFS], work[DOFS * DOFS + 3 * DOFS];
  const double dt = 1e-4, gain = 100;
  assert_ok(limb_load(robots[_i], NULL, &p.m, NULL));
  assert_ok(limb_data_create(p.m, NULL, &p.d));
  p.nv = limb_nv(p.m), p.env = limb_default_environment(p.m), p.env.coulomb_width = 1;
  assert_that(p.nv <= DOFS && limb_observer_work(p.m) == (size_t)(p.nv * p.nv + 3 * p.nv));
  p.push = (limb_wrench){.frame = limb_body_count(p.m) - 1, .ref = LIMB_ALIGNED};
  p.push.wrench = sp_force_make(sp_v3(0.1, -0.2, 0.3), sp_v3(1, 2, -3));
  for (int i = 0; i < p.nv; i++) p.q[i] = 0.3 * (i + 1), p.v[i] = 0.2;
  limb_observer o = {p.d, &p.env, gain, integral, r, work};
  assert_ok(limb_observer_start(&o, p.q, p.v));
  for (int step = 0; step < 2000; step++) {
    const int pushed = step >= 1000;
    double size = 0;
    advance(&p, dt, pushed);
    assert_ok(limb_observer_step(&o, dt, p.q, p.v, p.tau));
    for (int i = 0; i < p.nv; i++) size = fmax(size, fabs(p.outside[i]));
    check_at("%s, step %d", robots[_i], step);
    if (step < 1000) assert_that(size < 1e-9);
    if (step < 1000 || step > 1900) assert_close_array(r, p.outside, p.nv, 0.02, 0.05);
  }
  limb_data_destroy(p.d);
  limb_model_destroy(p.m);
}
END_TEST

// A NaN among the torques is refused, and is not in r afterwards.
START_TEST(steps_neither_allocate_nor_keep_nan)
{
  limb_model* m = NULL;
  limb_data* d = NULL;
  double q[DOFS] = {0}, v[DOFS] = {0}, tau[DOFS] = {0}, integral[DOFS], r[DOFS], work[DOFS * DOFS + 3 * DOFS];
  assert_ok(limb_load(robots[_i], NULL, &m, NULL));
  assert_ok(limb_data_create(m, NULL, &d));
  limb_observer o = {d, NULL, 50, integral, r, work};
  watching = CAN_WATCH, calls = 0;
  const limb_status started = limb_observer_start(&o, q, v), stepped = limb_observer_step(&o, 1e-3, q, v, tau);
  watching = 0;
  assert_ok(started), assert_ok(stepped);
  assert_that(calls == 0);
  const double before = r[0];
  tau[0] = (double)NAN;
  assert_status(limb_observer_step(&o, 1e-3, q, v, tau), LIMB_E_NONFINITE);
  assert_that(r[0] == before);
  tau[0] = 0;
  assert_ok(limb_observer_step(&o, 1e-3, q, v, tau));
  assert_that(isfinite(r[0]));
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

START_TEST(bad_calls_are_refused)
{
  if (_i) return;
  limb_model *m = NULL, *closed = NULL;
  limb_data *d = NULL, *loop = NULL;
  double q[DOFS] = {0}, integral[DOFS], r[DOFS], work[DOFS * DOFS + 3 * DOFS];
  assert_ok(limb_load("planar_2r", NULL, &m, NULL));
  assert_ok(limb_load("four_bar", NULL, &closed, NULL));
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_data_create(closed, NULL, &loop));
  limb_observer o = {d, NULL, 0, integral, r, work};
  assert_status(limb_observer_start(&o, q, q), LIMB_E_ARG);
  o.gain = 10;
  assert_status(limb_observer_start(NULL, q, q), LIMB_E_ARG);
  assert_status(limb_observer_start(&o, q, NULL), LIMB_E_ARG);
  assert_ok(limb_observer_start(&o, q, q));
  assert_status(limb_observer_step(&o, 0, q, q, q), LIMB_E_ARG);
  assert_status(limb_observer_step(&o, 1e-3, q, q, NULL), LIMB_E_ARG);
  assert_ok(limb_observer_step(&o, 1e-3, q, q, q));
  o.d = loop;
  assert_status(limb_observer_start(&o, q, q), LIMB_E_UNSUPPORTED);
  limb_data_destroy(d), limb_data_destroy(loop);
  limb_model_destroy(m), limb_model_destroy(closed);
}
END_TEST

CHECK_MAIN("observer", ROBOTS, follows_forces, steps_neither_allocate_nor_keep_nan, bad_calls_are_refused)
