// Small robots with friction and stops whose motion is known in closed form, and a simulation of one.
#ifndef LIMB_TEST_SLIDES_H
#define LIMB_TEST_SLIDES_H

#include "limb/limb.h"
#include "limb/sim.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// A joint, and the mass behind it.
typedef struct slide {
  limb_joint_type type;
  double mass, inertia; // inertia about the axis, of revolute joints
  double length;        // along x of the next joint, and of the centre of mass
  double coulomb, viscous, stiffness;
  double lower, upper; // 0, 0: no limits
} slide;

// A chain of them: prismatic along x, revolute about z; gravity along (gx, gy).
static inline limb_model* slides_build(int n, const slide* part, double gx, double gy)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_error err;
  char name[32];
  assert_ok(limb_builder_create(NULL, &b));
  assert_ok(limb_builder_set_gravity(b, sp_v3(gx, gy, 0)));
  for (int k = 0; k < n; k++) {
    (void)snprintf(name, sizeof name, "body%d", k);
    limb_body_def body = limb_default_body_def(name);
    body.inertia.mass = part[k].mass;
    body.inertia.com = sp_v3(part[k].length, 0, 0);
    body.inertia.xx = body.inertia.yy = body.inertia.zz = part[k].inertia;
    assert_ok(limb_builder_add_body(b, &body, NULL, &err));
  }
  for (int k = 0; k < n; k++) {
    (void)snprintf(name, sizeof name, "joint%d", k);
    limb_joint_def j = limb_default_joint_def(name, part[k].type, k, k + 1);
    if (k > 0) j.placement.p = sp_v3(part[k - 1].length, 0, 0);
    j.axis = part[k].type == LIMB_REVOLUTE ? sp_v3(0, 0, 1) : sp_v3(1, 0, 0);
    j.coulomb = part[k].coulomb, j.viscous = part[k].viscous, j.stiffness = part[k].stiffness;
    if (part[k].lower != 0 || part[k].upper != 0) j.q_min = part[k].lower, j.q_max = part[k].upper;
    assert_ok(limb_builder_add_joint(b, &j, NULL, &err));
  }
  assert_ok(limb_builder_build(b, &m, &err));
  limb_builder_destroy(b);
  return m;
}

// Options for tests of events: steps that are exact for constant forces.
static inline limb_sim_options slides_options(const limb_model* m)
{
  limb_sim_options o = limb_default_sim_options(m);
  o.method = LIMB_SIM_RK4;
  o.work = 1;
  return o;
}

static inline limb_sim* slides_start(const limb_model* m, const limb_sim_options* o, const double* q, const double* v)
{
  limb_sim* sim = NULL;
  assert_ok(limb_sim_create(m, o, NULL, &sim, NULL));
  assert_ok(limb_sim_start(sim, 0, q, v, NULL));
  return sim;
}

// The next event, which is of that kind, joint and side.
static inline limb_sim_event slides_next(limb_sim* sim, double end, limb_event_kind kind, int joint, int side)
{
  limb_sim_event e;
  const limb_status status = limb_sim_advance(sim, end, &e);
  check_at("%s", limb_sim_error(sim));
  assert_ok(status);
  check_at("%s of joint %d, side %d, at %.12g s", limb_event_kind_name(e.kind), e.joint, e.side, e.time);
  assert_that(e.kind == kind && e.joint == joint && e.side == side);
  return e;
}

// Nothing happens until then.
static inline void slides_quiet(limb_sim* sim, double end) { (void)slides_next(sim, end, LIMB_EVENT_NONE, -1, 0); }

static inline limb_sim_state slides_now(limb_sim* sim)
{
  limb_sim_state x;
  assert_ok(limb_sim_now(sim, &x));
  return x;
}

// Energy that is neither there nor has been done as work.
static inline double slides_missing(limb_sim* sim)
{
  limb_sim_summary x;
  assert_ok(limb_sim_summary_of(sim, &x));
  return x.energy - x.energy_start - x.work;
}

#endif
