// Impedance control in task space.
//
// References: N. Hogan, Impedance control: an approach to manipulation, 1985; O. Khatib, 1987 (limb/task.h).
// Cost:       that of limb_task_dynamics with 6 rows and of one inverse dynamics.
//
//   paper          code       meaning
//   x              ...        components of the frame, k of six
//   e, e', x''     e, e1, a   error, its rate, acceleration of the goal: six components each
//   K, D, L        K, D, L    of the controlled components, k x k
//   Lambda, Jdot v Lambda, Jdot_v   of limb_task_dynamics
//
// In the axes of the frame (LIMB_BODY), w its angular velocity and R its rotation,
//   e' = R' v_goal - v,     x'' = R' a_goal - w x R' v_goal
#include "control/control_impl.h"

#include "base/numeric.h"
#include "base/status.h"
#include "linalg/dense.h"

enum { ROWS = 6, SQUARE = ROWS * ROWS };

typedef struct impedance {
  limb_impedance c;
  const limb_model* m;
  control_work r;
  int k, row[ROWS]; // the controlled components
  double e[ROWS], e1[ROWS], a[ROWS];
  double Lambda[SQUARE], Jdot_v[ROWS], F[ROWS];
} impedance;

// ---- arguments ------------------------------------------------------------------------------------------

static limb_status check_matrix(const limb_impedance* c, const double* A)
{
  const int n = c->full ? SQUARE : ROWS;
  if (!limb_finite_if(n, A)) return LIMB_E_NONFINITE;
  for (int i = 0; A && !c->full && i < n; i++) {
    if (A[i] < 0) return LIMB_E_ARG;
  }
  return LIMB_OK;
}

static limb_status check_gains(const impedance* t)
{
  const limb_impedance* c = &t->c;
  limb_status s = check_matrix(c, c->stiffness);
  if (s == LIMB_OK) s = check_matrix(c, c->damping);
  if (s == LIMB_OK) s = check_matrix(c, c->inertia);
  if (s == LIMB_OK) s = limb_control_check_gains(t->m, c->posture_kp);
  if (s == LIMB_OK) s = limb_control_check_gains(t->m, c->posture_kd);
  if (s != LIMB_OK) return s;
  return limb_finite3(c->measured.m) && limb_finite3(c->measured.f) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_impedance limb_default_impedance(int frame)
{
  return (limb_impedance){
    .size = sizeof(limb_impedance), .task = {frame, LIMB_ALIGNED, LIMB_TWIST}, .singular = limb_default_task_options()};
}

static limb_status begin(limb_data* d, const limb_impedance* given, double* work, impedance* t)
{
  if (!d || !given || !work) return LIMB_E_ARG;
  t->c = limb_default_impedance(0);
  const size_t min = offsetof(limb_impedance, saturate) + sizeof t->c.saturate;
  limb_status s = limb_sized_read(&t->c, sizeof t->c, given, min);
  if (s != LIMB_OK) return s;
  t->m = limb_data_model(d);
  t->r = limb_control_lay_out(t->m, work);
  if (t->c.task.ref != LIMB_ALIGNED && t->c.task.ref != LIMB_BODY) return LIMB_E_ARG;
  if (t->c.task.directions == 0 || t->c.task.directions > LIMB_TWIST) return LIMB_E_ARG;
  t->k = 0;
  for (int i = 0; i < ROWS; i++) {
    if (t->c.task.directions >> i & 1) t->row[t->k++] = i;
  }
  s = check_gains(t);
  int passive = 0;
  if (s == LIMB_OK) s = limb_control_mark(t->m, t->r.active, &passive);
  if (s != LIMB_OK) return s;
  return passive || limb_loop_count(t->m) > 0 ? LIMB_E_UNSUPPORTED : LIMB_OK;
}

// ---- errors ---------------------------------------------------------------------------------------------

static sp_force copy_state(void* context, const limb_frame_state* at)
{
  *(limb_frame_state*)context = *at;
  return sp_force_make(sp_v3(0, 0, 0), sp_v3(0, 0, 0));
}

// Pose and velocity of the frame, relative to the world. Force laws receive them without disturbing the results
// of limb_kinematics.
static limb_status frame_state(limb_data* d, const double* q, const double* v, const limb_task* task,
                               limb_frame_state* out)
{
  const limb_force_law law = {task->frame, LIMB_ALIGNED, copy_state, out};
  limb_environment env = limb_default_environment(limb_data_model(d));
  env.nlaw = 1, env.law = &law;
  limb_wrench none;
  return limb_force_law_wrenches(d, q, v, &env, &none);
}

// The shortest rotation: unit quaternions with w >= 0.
static sp_vec3 rotation_vector(sp_mat3 R)
{
  const sp_quat q = sp_quat_rot(R);
  const sp_vec3 s = sp_v3(q.x, q.y, q.z);
  const double n = sp_norm3(s);
  return sp_scale3(n > 0 ? 2 * atan2(n, q.w) / n : 2, s);
}

static void write6(sp_vec3 w, sp_vec3 v, double x[ROWS])
{
  x[0] = w.x, x[1] = w.y, x[2] = w.z;
  x[3] = v.x, x[4] = v.y, x[5] = v.z;
}

static bool is_rotation(sp_mat3 R)
{
  const sp_mat3 one = sp_identity3(), A = sp_mul3(sp_transpose3(R), R);
  double off = 0;
  for (int i = 0; i < 9; i++) off = fmax(off, fabs(A.m[i] - one.m[i]));
  return off < 1e-6;
}

static bool finite_motion(sp_motion v) { return limb_finite3(v.w) && limb_finite3(v.v); }

static limb_status errors(limb_data* d, const double* q, const double* v, const limb_frame_goal* goal, impedance* t)
{
  limb_frame_state now;
  if (!goal) return LIMB_E_ARG;
  if (!limb_finite(9, goal->pose.R.m) || !limb_finite3(goal->pose.p) || !finite_motion(goal->velocity) ||
      !finite_motion(goal->acceleration))
    return LIMB_E_NONFINITE;
  if (!is_rotation(goal->pose.R)) return LIMB_E_ARG;
  const limb_status s = frame_state(d, q, v, &t->c.task, &now);
  if (s != LIMB_OK) return s;
  const sp_mat3 R = now.pose.R;
  const sp_vec3 w = now.velocity.w, u = now.velocity.v;
  // in world axes
  sp_vec3 turn = sp_mulv(R, rotation_vector(sp_mul3(sp_transpose3(R), goal->pose.R)));
  sp_vec3 way = sp_sub3(goal->pose.p, now.pose.p);
  sp_vec3 w1 = sp_sub3(goal->velocity.w, w), u1 = sp_sub3(goal->velocity.v, u);
  sp_vec3 w2 = goal->acceleration.w, u2 = goal->acceleration.v;
  if (t->c.task.ref == LIMB_BODY) {
    turn = sp_tmulv(R, turn), way = sp_tmulv(R, way);
    w1 = sp_tmulv(R, w1), u1 = sp_tmulv(R, u1);
    // R' (a_goal - w x v_goal)
    w2 = sp_tmulv(R, sp_sub3(w2, sp_cross3(w, goal->velocity.w)));
    u2 = sp_tmulv(R, sp_sub3(u2, sp_cross3(w, goal->velocity.v)));
  }
  write6(turn, way, t->e), write6(w1, u1, t->e1), write6(w2, u2, t->a);
  return LIMB_OK;
}

// ---- forces ---------------------------------------------------------------------------------------------

// Entry i, j of a matrix or a diagonal, among the controlled components.
static double entry(const impedance* t, const double* A, int i, int j)
{
  if (!A) return 0;
  if (t->c.full) return A[ROWS * t->row[i] + t->row[j]];
  return i == j ? A[t->row[i]] : 0;
}

// F = D e' + K e
static void spring(impedance* t)
{
  for (int i = 0; i < t->k; i++) {
    t->F[i] = 0;
    for (int j = 0; j < t->k; j++) {
      t->F[i] += entry(t, t->c.damping, i, j) * t->e1[t->row[j]];
      t->F[i] += entry(t, t->c.stiffness, i, j) * t->e[t->row[j]];
    }
  }
}

static void measured(const impedance* t, double x[ROWS])
{
  double all[ROWS];
  write6(t->c.measured.m, t->c.measured.f, all);
  for (int i = 0; i < t->k; i++) x[i] = all[t->row[i]];
}

// F = Lambda (x''_goal - Jdot v) + D e' + K e,  or with inertia
// F = Lambda (x''_goal - Jdot v + L^-1 (D e' + K e + F_measured)) - F_measured
static limb_status task_force(impedance* t)
{
  double x[ROWS], outer[ROWS] = {0}, L[SQUARE];
  const int k = t->k;
  spring(t);
  for (int i = 0; i < k; i++) x[i] = t->a[t->row[i]] - t->Jdot_v[i];
  if (t->c.inertia) {
    measured(t, outer);
    for (int i = 0; i < k; i++) {
      for (int j = 0; j < k; j++) L[k * i + j] = entry(t, t->c.inertia, i, j);
    }
    if (!limb_cholesky(k, L)) return LIMB_E_SINGULAR;
    for (int i = 0; i < k; i++) t->F[i] += outer[i];
    limb_cholesky_solve(k, L, t->F);
    for (int i = 0; i < k; i++) x[i] += t->F[i], t->F[i] = -outer[i];
  }
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < k; j++) t->F[i] += t->Lambda[k * i + j] * x[j];
  }
  return LIMB_OK;
}

// posture_kp (posture - q) - posture_kd v; *out is NULL without gains.
static limb_status posture(const impedance* t, const double* q, const double* v, double** out)
{
  const double *kp = t->c.posture ? t->c.posture_kp : NULL, *kd = t->c.posture_kd;
  double* x = t->r.x;
  *out = kp || kd ? x : NULL;
  if (kp) {
    const limb_status s = limb_difference(t->m, q, t->c.posture, x);
    if (s != LIMB_OK) return s;
  }
  for (int i = 0; *out && i < limb_nv(t->m); i++) x[i] = (kp ? kp[i] * x[i] : 0) - (kd ? kd[i] * v[i] : 0);
  return LIMB_OK;
}

limb_status limb_impedance_control(limb_data* d, const double* q, const double* v, const limb_frame_goal* goal,
                                   const limb_impedance* given, double* work, double* tau)
{
  impedance t;
  if (!q || !v || !tau) return LIMB_E_ARG;
  limb_status s = begin(d, given, work, &t);
  if (s == LIMB_OK) s = errors(d, q, v, goal, &t);
  if (s != LIMB_OK) return s;
  const limb_task_stack tasks = {1, &t.c.task};
  limb_task_space space = {.J = t.r.J, .Jbar = t.r.Jbar, .Lambda = t.Lambda, .Jdot_v = t.Jdot_v};
  s = limb_task_dynamics(d, q, v, t.c.env, &tasks, &t.c.singular, t.r.task, &space);
  if (s == LIMB_OK) s = task_force(&t);
  double* tau0 = NULL;
  if (s == LIMB_OK) s = posture(&t, q, v, &tau0);
  if (s == LIMB_OK) s = limb_task_torque(t.m, &space, t.F, tau0, tau);
  if (s != LIMB_OK) return s;
  // h + friction + springs - sum J' wrench
  double *bias = t.r.y, *none = t.r.e;
  const int nv = limb_nv(t.m);
  for (int i = 0; i < nv; i++) none[i] = 0;
  s = limb_inverse_dynamics(d, q, v, none, t.c.env, bias);
  if (s != LIMB_OK) return s;
  for (int i = 0; i < nv; i++) tau[i] += bias[i];
  return limb_control_finish(t.m, t.c.saturate, tau);
}
