// Inverse dynamics of robots with shafts: motor angles and torques from a motion of the links.
//
// Reference: A. De Luca, W. Book, Robots with flexible elements, Springer Handbook of Robotics, 2nd edition,
//            section 11.1; M. Spong, Modeling and control of elastic joint robots, 1987.
// Cost:      one pass of the Newton-Euler kernel over series for each level of coupled motors, and one over
//            numbers.
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

#include "dynamics/elastic_impl.h"
#include "kernel/tables.h"
#include "kinematics/kinematics_impl.h"

#include <string.h>

typedef struct problem {
  limb_surroundings x;
  bool friction; // dampers work
  int order;
} problem;

static bool is_damped(const limb_shaft_def* def, bool friction) { return friction && def->damping > 0; }

// ---- what is asked ----------------------------------------------------------------------------------

static bool zero3(sp_vec3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }
static bool at_rest(const sp_motion* v) { return zero3(v->w) && zero3(v->v); }

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
  return p->order <= LIMB_ELASTIC_ORDER ? LIMB_OK : LIMB_E_UNSUPPORTED;
}

// The configuration without what is not looked at, in w->at.
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

// ---- motors -----------------------------------------------------------------------------------------

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
    limb_series_forces(w, &p->x);
    for (int s = 0; s < w->m->nshaft; s++) {
      if (w->levels.shaft[s].pass != pass) continue;
      find_torque(w, s);
      find_motor(w, p, s);
    }
  }
}

// ---- the answer -------------------------------------------------------------------------------------

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
  limb_series_forces(w, &p->x);
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
  limb_series_load(w, p.order - 2, path->d);
  forget_motors(w, p.order - 2);
  find_motors(w, &p);
  return answer(w, &p, q, v, a, tau);
}
