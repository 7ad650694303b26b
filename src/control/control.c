// Joint controllers.
//
// References: see limb/control.h.
// Cost:       that of one inverse dynamics, O(n); with loops that of one closed inverse dynamics.
//
//   paper           code       meaning
//   e, e'           e, e1      from q to the goal, in the tangent at q; its rate
//   a               a          the goal's acceleration, converted to the axes of the joints
//   Kp, Kd          kp, kd     gains, diagonal
//   X               X          pose of the goal in the child's frame (ball and free joints)
#include "control/control_impl.h"

#include "base/numeric.h"
#include "base/status.h"
#include "linalg/dense.h"

#include <math.h>

enum { TASK_ROWS = 6 };

// ---- errors ---------------------------------------------------------------------------------------------

// Angular first; a ball joint has no more.
static sp_motion read_motion(const double* x, int nv)
{
  return sp_motion_make(limb_read3(x), nv == 6 ? limb_read3(x + 3) : sp_v3(0, 0, 0));
}

static void write_motion(sp_motion a, int nv, double* x)
{
  limb_write3(a.w, x);
  if (nv == 6) limb_write3(a.v, x + 3);
}

// A free joint has its position before the quaternion, a ball joint none.
static sp_pose read_pose(const double* q, int nq)
{
  const double* r = q + nq - 4;
  const sp_quat turn = {r[0], r[1], r[2], r[3]};
  return sp_pose_make(sp_rot_quat(turn), nq == 7 ? limb_read3(q) : sp_v3(0, 0, 0));
}

// Ball and free joints: e1 and a hold the velocity and acceleration of the goal in its own axes (in and out).
//   e' = Ad_X v_goal - v,     a = Ad_X a_goal - v x Ad_X v_goal
static void convert_goal(const limb_joint_info* j, const double* q, const double* v, const double* q_goal, double* e1,
                         double* a)
{
  const sp_pose here = read_pose(q + j->q, j->nq), there = read_pose(q_goal + j->q, j->nq);
  const sp_pose X = sp_compose(sp_invert(here), there);
  const sp_motion now = read_motion(v + j->v, j->nv);
  const sp_motion V = sp_motion_out(X, read_motion(e1 + j->v, j->nv));
  const sp_motion A = sp_motion_out(X, read_motion(a + j->v, j->nv));
  write_motion(sp_addm(V, sp_scalem(-1, now)), j->nv, e1 + j->v);
  write_motion(sp_addm(A, sp_scalem(-1, sp_crm(now, V))), j->nv, a + j->v);
}

static limb_status errors(const limb_model* m, const double* q, const double* v, const limb_goal* goal,
                          const control_work* r)
{
  const int nv = limb_nv(m);
  if (!q || !v || !goal || !goal->q) return LIMB_E_ARG;
  if (!limb_finite(nv, v) || !limb_finite_if(nv, goal->v) || !limb_finite_if(nv, goal->a)) return LIMB_E_NONFINITE;
  limb_status s = limb_difference(m, q, goal->q, r->e);
  if (s != LIMB_OK) return s;
  const int flat = limb_nq(m) == nv; // no ball and free joints
  for (int k = 0; k < nv; k++) {
    r->e1[k] = goal->v ? goal->v[k] : 0;
    r->a[k] = goal->a ? goal->a[k] : 0;
    if (flat) r->e1[k] -= v[k];
  }
  for (int j = 0; !flat && j < limb_joint_count(m); j++) {
    limb_joint_info info;
    s = limb_get_joint(m, j, &info);
    if (s != LIMB_OK) return s;
    if (info.nq != info.nv)
      convert_goal(&info, q, v, goal->q, r->e1, r->a);
    else
      for (int k = 0; k < info.nv; k++) r->e1[info.v + k] -= v[info.v + k];
  }
  return LIMB_OK;
}

limb_status limb_goal_error(const limb_model* m, const double* q, const double* v, const limb_goal* goal, double* e,
                            double* e1, double* a)
{
  if (!m || !e || !e1 || !a) return LIMB_E_ARG;
  const control_work r = {.e = e, .e1 = e1, .a = a};
  const limb_status s = errors(m, q, v, goal, &r);
  if (s != LIMB_OK) return s;
  const int nv = limb_nv(m);
  return limb_finite(nv, e) && limb_finite(nv, e1) && limb_finite(nv, a) ? LIMB_OK : LIMB_E_NONFINITE;
}

// ---- common parts ---------------------------------------------------------------------------------------

limb_control limb_default_control(void) { return (limb_control){.size = sizeof(limb_control)}; }

static size_t mark_doubles(const limb_model* m) { return (size_t)limb_nv(m) / sizeof(double) + 1; }

size_t limb_control_work(const limb_model* m)
{
  if (!m) return 0;
  const size_t nv = (size_t)limb_nv(m);
  return 5 * nv + 2 * TASK_ROWS * nv + limb_task_work(m, TASK_ROWS) + mark_doubles(m);
}

control_work limb_control_lay_out(const limb_model* m, double* work)
{
  const size_t nv = (size_t)limb_nv(m);
  control_work r;
  r.e = work, r.e1 = r.e + nv, r.a = r.e1 + nv, r.x = r.a + nv, r.y = r.x + nv;
  r.J = r.y + nv, r.Jbar = r.J + TASK_ROWS * nv, r.task = r.Jbar + TASK_ROWS * nv;
  r.active = (unsigned char*)(r.task + limb_task_work(m, TASK_ROWS));
  return r;
}

limb_status limb_control_mark(const limb_model* m, unsigned char* active, int* passive)
{
  const limb_status s = limb_given_for_passive(m, active);
  if (s != LIMB_OK) return s;
  *passive = limb_count_given(m, active, LIMB_FORCE_GIVEN);
  return LIMB_OK;
}

limb_status limb_control_check_gains(const limb_model* m, const double* gain)
{
  const int nv = limb_nv(m);
  if (!limb_finite_if(nv, gain)) return LIMB_E_NONFINITE;
  for (int k = 0; gain && k < nv; k++) {
    if (gain[k] < 0) return LIMB_E_ARG;
  }
  return LIMB_OK;
}

static limb_status read_control(const limb_model* m, const limb_control* given, limb_control* out)
{
  *out = limb_default_control();
  if (!given) return LIMB_E_ARG;
  const size_t min = offsetof(limb_control, saturate) + sizeof out->saturate;
  limb_status s = limb_sized_read(out, sizeof *out, given, min);
  if (s == LIMB_OK) s = limb_control_check_gains(m, out->kp);
  if (s == LIMB_OK) s = limb_control_check_gains(m, out->kd);
  return s;
}

limb_status limb_control_begin(const limb_model* m, const double* q, const double* v, const limb_goal* goal,
                               const limb_control* control, double* work, controller* out)
{
  if (!m || !work) return LIMB_E_ARG;
  out->m = m, out->nv = limb_nv(m);
  out->r = limb_control_lay_out(m, work);
  limb_status s = read_control(m, control, &out->c);
  if (s == LIMB_OK) s = limb_control_mark(m, out->r.active, &out->passive);
  return s == LIMB_OK ? errors(m, q, v, goal, &out->r) : s;
}

void limb_control_add_pd(const controller* t, const unsigned char* active, double* x)
{
  const double *kp = t->c.kp, *kd = t->c.kd;
  for (int k = 0; k < t->nv; k++) {
    if (active && !active[k]) continue;
    // Kp e + Kd e'
    x[k] += (kp ? kp[k] * t->r.e[k] : 0) + (kd ? kd[k] * t->r.e1[k] : 0);
  }
}

limb_status limb_limit_efforts(const limb_model* m, double* tau, int* limited)
{
  if (!m || !tau) return LIMB_E_ARG;
  int count = 0;
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    const limb_status s = limb_get_joint(m, j, &info);
    if (s != LIMB_OK) return s;
    if (info.nq == 0) continue; // fixed, mimic
    const double max = info.def.effort_max;
    for (int k = info.v; k < info.v + info.nv; k++) {
      if (fabs(tau[k]) <= max) continue;
      tau[k] = tau[k] > 0 ? max : -max;
      count++;
    }
  }
  if (limited) *limited = count;
  return LIMB_OK;
}

limb_status limb_control_finish(const limb_model* m, int saturate, double* tau)
{
  if (!limb_finite(limb_nv(m), tau)) return LIMB_E_NONFINITE;
  return saturate ? limb_limit_efforts(m, tau, NULL) : LIMB_OK;
}

// ---- controllers ----------------------------------------------------------------------------------------------

// Adds the PD terms to torques, which were computed with status s.
static limb_status finish_pd(const controller* t, limb_status s, double* tau)
{
  if (s != LIMB_OK) return s;
  limb_control_add_pd(t, t->r.active, tau);
  return limb_control_finish(t->m, t->c.saturate, tau);
}

// Options of loops at the time of the environment.
static limb_loop_options loops_at(const controller* t)
{
  limb_loop_options o = limb_default_loop_options();
  if (t->c.env) o.time = t->c.env->time;
  return o;
}

// No torques at passive joints; LIMB_E_SINGULAR when the motion needs some there.
static limb_status leave_passive(const controller* t, double* tau)
{
  double max = 0;
  for (int k = 0; k < t->nv; k++) max = fmax(max, fabs(tau[k]));
  for (int k = 0; k < t->nv; k++) {
    if (t->r.active[k]) continue;
    if (fabs(tau[k]) > 1e-9 * max) return LIMB_E_SINGULAR;
    tau[k] = 0;
  }
  return LIMB_OK;
}

static bool has_loops(const limb_data* d) { return limb_loop_count(limb_data_model(d)) > 0; }

// The same with loops: dependent joints follow.
static limb_status needed_in_loops(limb_data* d, const controller* t, const double* q, const double* v, const double* a,
                                   double* tau)
{
  const limb_loop_options o = loops_at(t);
  double* y = t->r.y;
  for (int k = 0; k < t->nv; k++) y[k] = a[k];
  limb_status s = limb_complete_accelerations(d, q, v, NULL, &o, y);
  if (s == LIMB_OK) s = limb_inverse_dynamics(d, q, v, y, t->c.env, tau);
  return s == LIMB_OK ? leave_passive(t, tau) : s;
}

// Torques for the accelerations a of the active joints; none at passive ones. y: nv, scratch.
static limb_status needed_torques(limb_data* d, const controller* t, const double* q, const double* v, const double* a,
                                  double* tau)
{
  if (has_loops(d)) return needed_in_loops(d, t, q, v, a, tau);
  if (t->passive == 0) return limb_inverse_dynamics(d, q, v, a, t->c.env, tau);
  double* y = t->r.y;
  for (int k = 0; k < t->nv; k++) y[k] = t->r.active[k] ? a[k] : 0;
  return limb_hybrid_dynamics(d, q, v, t->r.active, y, t->c.env, NULL, tau);
}

static const double* zeros(int nv, double* x)
{
  for (int k = 0; k < nv; k++) x[k] = 0;
  return x;
}

// Inverse dynamics at rest, except for prescribed motion of loops.
static limb_status holding_torques(limb_data* d, const controller* t, const double* q, double* tau)
{
  const double* none = zeros(t->nv, t->r.x);
  if (!has_loops(d)) return limb_inverse_dynamics(d, q, none, none, t->c.env, tau);
  const limb_loop_options o = loops_at(t);
  const limb_status s = limb_complete_velocities(d, q, NULL, &o, t->r.x);
  return s == LIMB_OK ? needed_in_loops(d, t, q, none, zeros(t->nv, t->r.a), tau) : s;
}

limb_status limb_pd_gravity_control(limb_data* d, const double* q, const double* v, const limb_goal* goal,
                                    const limb_control* control, double* work, double* tau)
{
  controller t;
  if (!tau) return LIMB_E_ARG;
  limb_status s = limb_control_begin(limb_data_model(d), q, v, goal, control, work, &t);
  if (s != LIMB_OK) return s;
  s = holding_torques(d, &t, q, tau);
  for (int k = 0; k < t.nv && s == LIMB_OK; k++) tau[k] = t.r.active[k] ? tau[k] : 0;
  return finish_pd(&t, s, tau);
}

limb_status limb_pd_feedforward_control(limb_data* d, const double* q, const double* v, const limb_goal* goal,
                                        const limb_control* control, double* work, double* tau)
{
  controller t;
  if (!tau) return LIMB_E_ARG;
  limb_status s = limb_control_begin(limb_data_model(d), q, v, goal, control, work, &t);
  if (s != LIMB_OK) return s;
  const double* none = zeros(t.nv, t.r.x);
  s = needed_torques(d, &t, goal->q, goal->v ? goal->v : none, goal->a ? goal->a : none, tau);
  return finish_pd(&t, s, tau);
}

limb_status limb_computed_torque_control(limb_data* d, const double* q, const double* v, const limb_goal* goal,
                                         const limb_control* control, double* work, double* tau)
{
  controller t;
  if (!tau) return LIMB_E_ARG;
  limb_status s = limb_control_begin(limb_data_model(d), q, v, goal, control, work, &t);
  if (s != LIMB_OK) return s;
  // a_goal + Kd e' + Kp e
  limb_control_add_pd(&t, NULL, t.r.a);
  s = needed_torques(d, &t, q, v, t.r.a, tau);
  return s == LIMB_OK ? limb_control_finish(t.m, t.c.saturate, tau) : s;
}
