// Control laws of robots with loops: errors of the tree's coordinates, torques through the constraints.
//
// References: see limb/control.h and limb/closed.h.
// Cost:       that of one closed inverse dynamics, and of completing accelerations.
#include "control/control_impl.h"

// The torques of active joints for a motion that closes the loops.
static limb_status needed(limb_loops* w, const limb_closed_motion* in, const limb_loop_options* options, double* tau)
{
  limb_closed_forces out = {0};
  out.tau = tau;
  return limb_closed_inverse_dynamics(w, in, NULL, options, &out);
}

limb_status limb_closed_pd_gravity_control(limb_loops* w, const double* q, const double* v, const limb_goal* goal,
                                           const limb_control* control, const limb_loop_options* options, double* work,
                                           double* tau)
{
  control_law t;
  if (!tau) return LIMB_E_ARG;
  limb_status s = limb_control_begin(limb_loops_model(w), q, v, goal, control, work, &t);
  if (s != LIMB_OK) return s;
  // at rest, but for what laws move
  double *v0 = t.r.x, *a0 = t.r.y;
  for (int k = 0; k < t.nv; k++) v0[k] = a0[k] = 0;
  s = limb_complete_velocities(w, q, NULL, options, v0);
  if (s == LIMB_OK) s = limb_complete_accelerations(w, q, v0, NULL, options, a0);
  const limb_closed_motion still = {q, v0, a0, t.c.env};
  if (s == LIMB_OK) s = needed(w, &still, options, tau);
  if (s != LIMB_OK) return s;
  limb_control_add_pd(&t, t.r.active, tau);
  return limb_control_finish(t.m, t.c.saturate, tau);
}

limb_status limb_closed_computed_torque_control(limb_loops* w, const double* q, const double* v, const limb_goal* goal,
                                                const limb_control* control, const limb_loop_options* options,
                                                double* work, double* tau)
{
  control_law t;
  if (!tau) return LIMB_E_ARG;
  limb_status s = limb_control_begin(limb_loops_model(w), q, v, goal, control, work, &t);
  if (s != LIMB_OK) return s;
  // a_goal + Kd e' + Kp e of the independent ones, and what follows from them
  limb_control_add_pd(&t, NULL, t.r.a);
  s = limb_complete_accelerations(w, q, v, NULL, options, t.r.a);
  const limb_closed_motion in = {q, v, t.r.a, t.c.env};
  if (s == LIMB_OK) s = needed(w, &in, options, tau);
  return s == LIMB_OK ? limb_control_finish(t.m, t.c.saturate, tau) : s;
}
