// Inverse dynamics of robots with shafts: motor angles and torques from a motion of the links, by the recursive
// Newton-Euler kernel over power series in time.
//
// Reference: A. De Luca, W. Book, Robots with flexible elements, Springer Handbook of Robotics, 2nd edition,
//            section 11.1; M. Spong, Modeling and control of elastic joint robots, 1987.
// Cost:      one pass of the Newton-Euler kernel over series for each level of coupled motors, and one over
//            numbers; a pass is O(n), and the square of the degree.
//
//   T        what a shaft does to its joint: the force in the joint's equation
//   N        ratio of the shaft; k, c its stiffness and damping
//   x        the motor's angle, a series
//
//   without damping    x = N (q + rest + T / k)
//   with damping       x' = N (v + (T - k (x / N - q - rest)) / c),  x(0) given
//
// In pass p the motors of level p are found: all others that their joints' equations contain are known by
// then, each to fewer derivatives than the one before. What is not known yet is zero and multiplied by none.
//
// A trajectory is q(0) and the derivatives of v. Coordinates that are not angles or displacements follow from
// q' = q w / 2 for the quaternion q of a ball or free joint, and p' = R(q) v for a free one's position.

#include "base/numeric.h"
#include "dynamics/elastic_impl.h"
#include "kinematics/kinematics_impl.h"

#include <string.h>

#include "kernel/scalar_series.h"

#define FEW_JOINT_CLASSES 1
#include "kernel/kinematics_kernel.h"

#include "kernel/rnea_kernel.h"

// ---- the trajectory -----------------------------------------------------------------------------------------

// x(0) + the integral of the rate
static void integrate(const real* rate, real* x)
{
  x->n = rate->n;
  for (int k = 0; k < x->n; k++) x->c[k + 1] = rate->c[k] / (double)(k + 1);
}

// u' = u w / 2 as quaternions x y z w
static void integrate_turning(const real* w, real* u)
{
  real *x = &u[0], *y = &u[1], *z = &u[2], *s = &u[3];
  const int n = w[0].n;
  const double size = sqrt(x->c[0] * x->c[0] + y->c[0] * y->c[0] + z->c[0] * z->c[0] + s->c[0] * s->c[0]);
  for (int i = 0; i < 4; i++) u[i] = (real){.c = {u[i].c[0] / size}, .n = n};
  for (int k = 0; k < n; k++) {
#define TIMES(a, b) convolution(a, b, 0, k)
    const double half = 0.5 / (double)(k + 1);
    x->c[k + 1] = half * (TIMES(s, &w[0]) + TIMES(y, &w[2]) - TIMES(z, &w[1]));
    y->c[k + 1] = half * (TIMES(s, &w[1]) + TIMES(z, &w[0]) - TIMES(x, &w[2]));
    z->c[k + 1] = half * (TIMES(s, &w[2]) + TIMES(x, &w[1]) - TIMES(y, &w[0]));
    s->c[k + 1] = -half * (TIMES(x, &w[0]) + TIMES(y, &w[1]) + TIMES(z, &w[2]));
#undef TIMES
  }
}

// R(u) v = v + s t + x cross t,  t = 2 x cross v
static vec3 turned_by_quaternion(const real* u, vec3 v)
{
  const vec3 x = v3(u[0], u[1], u[2]), t = kscale3(constant(2), cross3(x, v));
  return add3(v, add3(scale3(u[3], t), cross3(x, t)));
}

static void integrate_joint(const limb_joint* joint, const real* v, real* q)
{
  v += joint->v, q += joint->q;
  if (joint->def.type == LIMB_SPHERICAL) {
    integrate_turning(v, q);
  } else if (joint->def.type == LIMB_FREE) {
    integrate_turning(v, q + 3);
    const vec3 rate = turned_by_quaternion(q + 3, v3(v[3], v[4], v[5]));
    integrate(&rate.x, &q[0]), integrate(&rate.y, &q[1]), integrate(&rate.z, &q[2]);
  } else {
    for (int k = 0; k < joint->nv; k++) integrate(&v[k], &q[k]);
  }
}

// Derivatives, in rows of nv, as coefficients.
static real series_of(const double* d, int nv, int degree)
{
  real x = {.n = degree};
  double factorial = 1;
  for (int k = 0; k <= degree; k++) {
    if (k > 0) factorial *= (double)k;
    x.c[k] = d[(ptrdiff_t)k * nv] / factorial;
  }
  return x;
}

// q, v and a as series of that degree, from the configuration w->at and the derivatives d (degree + 2 rows of nv).
static void load(limb_series* w, int degree, const double* d)
{
  const limb_model* m = w->m;
  for (int k = 0; k < m->nv; k++) {
    w->v[k] = series_of(d + k, m->nv, degree);
    w->a[k] = series_of(d + m->nv + k, m->nv, degree);
  }
  for (int k = 0; k < m->nq; k++) w->q[k] = number(w->at[k]);
  for (int j = 0; j < m->njoint; j++) {
    if (m->joint[j].nv > 0) integrate_joint(&m->joint[j], w->v, w->q);
  }
}

// ---- forces -------------------------------------------------------------------------------------------------

// A wrench on a frame as a force on its link at X, in link axes at the link's origin.
static force on_link(const pose* X, const limb_site* site, const limb_wrench* w)
{
  if (w->ref == LIMB_BODY) {
    const sp_force F = sp_force_out(site->in_link, w->wrench);
    return (force){given3(F.m.x, F.m.y, F.m.z), given3(F.f.x, F.f.y, F.f.z)};
  }
  const sp_vec3 n = w->wrench.m, f = w->wrench.f, at = site->in_link.p;
  const vec3 fl = tmulv(X->R, given3(f.x, f.y, f.z)), nl = tmulv(X->R, given3(n.x, n.y, n.z));
  // from where it acts to the link's origin
  const vec3 arm = w->ref == LIMB_WORLD ? sub3(zero3(), tmulv(X->R, X->p)) : given3(at.x, at.y, at.z);
  return (force){add3(nl, cross3(arm, fl)), fl};
}

static void set_wrenches(limb_series* w, const limb_call_environment* x)
{
  const limb_model* m = w->m;
  pose* X = (pose*)w->X;
  force* on = (force*)w->wrench;
  const link_arrays out = {X, NULL, NULL, NULL};
  link_motion((context){m, m->k64, &w->ws}, NULL, NULL, &out);
  for (int i = 0; i < m->nlink; i++) on[i] = zerof();
  for (int k = 0; k < x->ngiven; k++) {
    const limb_site site = limb_site_of(m, x->given[k].frame);
    if (site.link < 0) continue; // on a body that cannot move
    on[site.link] = addf(on[site.link], on_link(&X[site.link], &site, &x->given[k]));
  }
}

// tau = M a + h + rotors + friction + springs - sum J' wrench as a series; shafts are left out.
static void find_forces(limb_series* w, const limb_call_environment* x)
{
  const limb_model* m = w->m;
  const context ctx = {m, m->k64, &w->ws};
  load_coordinates(m, m->k64, &w->ws, w->q);
  const real *v = in_compiled_order(m, w->v, ctx.ws->v), *a = in_compiled_order(m, w->a, ctx.ws->a);
  real* tau = ctx.ws->tau;
  rnea_outward(m, m->k64, &w->ws, v, a);
  if (x->ngiven > 0) {
    set_wrenches(w, x);
    subtract_wrenches(ctx, w->wrench);
  }
  rnea_inward(ctx, tau);
  add_joint_actuators(ctx, v, a, &x->terms, tau);
  in_user_order(m, tau, w->tau);
}

typedef struct problem {
  limb_call_environment x;
  bool friction; // dampers work
  int order;
} problem;

static bool is_damped(const limb_shaft_def* def, bool friction) { return friction && def->damping > 0; }

// ---- the request --------------------------------------------------------------------------------------------

static bool is_zero3(sp_vec3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }
static bool at_rest(const sp_motion* v) { return is_zero3(v->w) && is_zero3(v->v); }

// Whether a motor's angle moves the frame: it would then be in equations that limb_levels does not count.
static bool on_rotor(const limb_series* w, int frame)
{
  const limb_model* m = w->m;
  for (int i = limb_site_of(m, frame).link; i >= 0; i = m->link[i].parent) {
    const limb_link* link = &m->link[i];
    if (link->ndof == 1 && w->levels.driving[m->dof[link->dof].v] >= 0) return true;
  }
  return false;
}

static limb_status read_surroundings(limb_series* w, const limb_environment* env, problem* p)
{
  limb_environment e;
  limb_status s = limb_environment_read(w->m, env, &e);
  if (s != LIMB_OK) return s;
  if (e.nlaw > 0 || !at_rest(&e.base_velocity) || !at_rest(&e.base_acceleration)) return LIMB_E_UNSUPPORTED;
  s = limb_enter(w->d, env, NULL, NULL, &p->x);
  if (s != LIMB_OK) return s;
  for (int k = 0; w->m->nshaft > 0 && k < p->x.ngiven; k++) {
    if (on_rotor(w, p->x.given[k].frame)) return LIMB_E_UNSUPPORTED;
  }
  p->friction = p->x.terms.friction;
  p->order = w->levels.order[p->friction];
  w->ws.base_turns = w->d->ws.base_turns;
  return p->order <= LIMB_ELASTIC_ORDER_MAX ? LIMB_OK : LIMB_E_UNSUPPORTED;
}

// The configuration without the angles of motors that follow from the motion, in w->at.
static limb_status read_configuration(limb_series* w, const problem* p, const double* q)
{
  const limb_model* m = w->m;
  memcpy(w->at, q, (size_t)m->nq * sizeof *q);
  for (int s = 0; s < m->nshaft; s++) {
    const limb_shaft_def* def = &m->shaft[s].def;
    if (!is_damped(def, p->friction)) w->at[m->joint[def->motor].q] = 0;
  }
  return limb_check_state(w->d, w->at, NULL, NULL);
}

// Rows of d, but for motors.
static bool finite_motion(const limb_series* w, int order, const double* d)
{
  const limb_model* m = w->m;
  for (int k = 0; k < m->nv; k++) {
    if (m->nshaft > 0 && w->levels.driving[k] >= 0) continue;
    for (int r = 0; r < order; r++) {
      if (!limb_finite(1, &d[(ptrdiff_t)r * m->nv + k])) return false;
    }
  }
  return true;
}

static void forget_motors(limb_series* w, int degree)
{
  const limb_model* m = w->m;
  for (int s = 0; s < m->nshaft; s++) {
    const limb_joint* motor = &m->joint[m->shaft[s].def.motor];
    const limb_series_number none = {.n = degree};
    w->q[motor->q] = w->v[motor->v] = w->a[motor->v] = none;
  }
}

// ---- motors -------------------------------------------------------------------------------------------------

// T, from the joint's equation; the joint may itself be the motor of another shaft, which it drives.
static void find_torque(limb_series* w, int s)
{
  const limb_model* m = w->m;
  const int behind = w->levels.shaft[s].behind;
  limb_series_number* T = &w->torque[s];
  *T = w->tau[m->joint[m->shaft[s].def.joint].v];
  if (behind < 0) return;
  const limb_series_number* of = &w->torque[behind];
  for (int k = 0; k <= LIMB_SERIES_DEGREE; k++) T->c[k] += of->c[k] / m->shaft[behind].def.ratio;
}

// The motor's angle, velocity and acceleration, as far as they are known.
static void find_motor(limb_series* w, const problem* p, int s)
{
  const limb_model* m = w->m;
  const limb_shaft_def* def = &m->shaft[s].def;
  const limb_joint *joint = &m->joint[def->joint], *motor = &m->joint[def->motor];
  const double *T = w->torque[s].c, *q = w->q[joint->q].c, *v = w->v[joint->v].c;
  const double N = def->ratio, k = def->stiffness, c = def->damping;
  const int known = p->order - w->levels.shaft[s].cost[p->friction], degree = p->order - 2;
  double x[LIMB_SERIES_DEGREE + 4] = {0};
  if (is_damped(def, p->friction)) {
    x[0] = w->at[motor->q];
    for (int i = 0; i < known; i++) {
      const double wound = x[i] / N - q[i] - (i == 0 ? def->rest : 0);
      x[i + 1] = N * (v[i] + (T[i] - k * wound) / c) / (double)(i + 1);
    }
  } else {
    for (int i = 0; i <= known; i++) x[i] = N * (q[i] + (i == 0 ? def->rest : 0) + T[i] / k);
  }
  for (int i = 0; i <= degree; i++) {
    w->q[motor->q].c[i] = x[i];
    w->v[motor->v].c[i] = (double)(i + 1) * x[i + 1];
    w->a[motor->v].c[i] = (double)((i + 1) * (i + 2)) * x[i + 2];
  }
}

static void find_motors(limb_series* w, const problem* p)
{
  for (int pass = 1; pass <= w->levels.passes; pass++) {
    find_forces(w, &p->x);
    for (int s = 0; s < w->m->nshaft; s++) {
      if (w->levels.shaft[s].pass != pass) continue;
      find_torque(w, s);
      find_motor(w, p, s);
    }
  }
}

// ---- the answer ---------------------------------------------------------------------------------------------

static void keep_values(int n, limb_series_number* x)
{
  for (int i = 0; i < n; i++) x[i] = (limb_series_number){.c = {x[i].c[0]}};
}

static void values(int n, const limb_series_number* x, double* out)
{
  for (int i = 0; i < n; i++) out[i] = x[i].c[0];
}

// The state is complete: its forces, and those of the shafts.
static limb_status answer(limb_series* w, const problem* p, double* q, double* v, double* a, double* tau)
{
  const limb_model* m = w->m;
  keep_values(m->nq, w->q), keep_values(m->nv, w->v), keep_values(m->nv, w->a);
  find_forces(w, &p->x);
  values(m->nv, w->v, v), values(m->nv, w->a, a), values(m->nv, w->tau, tau);
  memcpy(q, w->at, (size_t)m->nq * sizeof *q);
  for (int s = 0; s < m->nshaft; s++) {
    const limb_shaft_def* def = &m->shaft[s].def;
    const limb_joint* motor = &m->joint[def->motor];
    q[motor->q] = w->q[motor->q].c[0];
    tau[motor->v] += w->torque[s].c[0] / def->ratio;
  }
  for (int s = 0; s < m->nshaft; s++) tau[m->joint[m->shaft[s].def.joint].v] = 0;
  const bool fine =
    limb_finite(m->nq, q) && limb_finite_v(w->d, v) && limb_finite_v(w->d, a) && limb_finite_v(w->d, tau);
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_elastic_inverse(limb_series* w, const limb_trajectory* path, const limb_environment* env, double* q,
                                 double* v, double* a, double* tau)
{
  if (!w || !path || !path->q || !path->d || !q || !v || !a || !tau) return LIMB_E_ARG;
  problem p;
  limb_status s = read_surroundings(w, env, &p);
  if (s != LIMB_OK) return s;
  if (path->order < p.order) return LIMB_E_ARG;
  s = read_configuration(w, &p, path->q);
  if (s != LIMB_OK) return s;
  if (!finite_motion(w, p.order, path->d)) return LIMB_E_NONFINITE;
  for (int i = 0; i < w->m->nshaft; i++) {
    const limb_shaft_def* def = &w->m->shaft[i].def;
    if (!(def->stiffness > 0) && !is_damped(def, p.friction)) return LIMB_E_SINGULAR;
  }
  load(w, p.order - 2, path->d);
  forget_motors(w, p.order - 2);
  find_motors(w, &p);
  return answer(w, &p, q, v, a, tau);
}
