// Checks of robots with loops, in states that close them.
#include "verify/verify_impl.h"

#include <string.h>

// ---- equations -------------------------------------------------------------------------------------

// A difference of fourth order of n numbers along q + h dq, v + h a: (8 (f(h) - f(-h)) - (f(2h) - f(-2h)))
// / 12 h.
typedef limb_status sample_fn(verify* t, double h, double* out);

static limb_status difference(verify* t, const double* dq, sample_fn* f, size_t n, double* rate, double* scratch)
{
  static const int at[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
  verify_closed* c = t->closed;
  limb_status s = LIMB_OK;
  memset(rate, 0, n * sizeof *rate);
  for (int i = 0; i < 4 && s == LIMB_OK; i++) {
    const double h = at[i] * c->step;
    for (int k = 0; k < t->nv; k++) c->vt[k] = c->v[k] + h * c->a[k];
    s = limb_integrate(t->m, c->q, dq, h, c->qt);
    if (s == LIMB_OK) s = f(t, h, scratch);
    for (size_t k = 0; k < n && s == LIMB_OK; k++) rate[k] += weight[i] * scratch[k] / (12 * c->step);
  }
  return s;
}

static void rows_times(const verify_closed* c, int nv, const double* x, double* out)
{
  for (size_t i = 0; i < (size_t)c->nc; i++) {
    out[i] = 0;
    for (size_t k = 0; k < (size_t)nv; k++) out[i] += c->Psi[i * (size_t)nv + k] * x[k];
  }
}

static limb_status sample_residual(verify* t, double h, double* out)
{
  (void)h;
  return limb_loop_equations_at(t->closed->w, t->closed->qt, NULL, NULL, &(limb_loop_equations){.residual = out});
}

// The residual changes by Psi v if v opens the loops. Constraints of velocities have none.
static limb_status psi(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_loop_info x;
  int holonomic = 0;
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = difference(t, t->v, sample_residual, (size_t)c->nc, c->row, c->other);
  if (s == LIMB_OK) s = limb_loop_equations_at(c->w, c->q, NULL, NULL, &(limb_loop_equations){.Psi = c->Psi});
  if (s != LIMB_OK) return s;
  rows_times(c, t->nv, t->v, c->other);
  for (int i = 0; i < limb_loop_count(t->m); i++) {
    if (limb_get_loop(t->m, i, &x) != LIMB_OK) continue;
    holonomic += x.holonomic;
    for (int r = x.row + x.holonomic; r < x.row + x.nrow; r++) c->row[r] = c->other[r] = 0;
  }
  *off = verify_differ((size_t)c->nc, c->row, c->other, t->size.speed);
  return holonomic > 0 ? LIMB_OK : LIMB_E_UNSUPPORTED;
}

static limb_status sample_rates(verify* t, double h, double* out)
{
  verify_closed* c = t->closed;
  const limb_status s = limb_loop_equations_at(c->w, c->qt, NULL, NULL, &(limb_loop_equations){.Psi = c->Psi});
  (void)h;
  if (s == LIMB_OK) rows_times(c, t->nv, t->v, out);
  return s;
}

// Psi v changes by what gamma is at rest, less gamma.
static limb_status gamma_rate(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = difference(t, t->v, sample_rates, (size_t)c->nc, c->rate, c->row);
  if (s == LIMB_OK) s = limb_loop_equations_at(c->w, c->q, NULL, NULL, &(limb_loop_equations){.gamma = c->row});
  if (s == LIMB_OK) s = limb_loop_equations_at(c->w, c->q, t->v, NULL, &(limb_loop_equations){.gamma = c->other});
  for (int i = 0; i < c->nc && s == LIMB_OK; i++) c->row[i] -= c->other[i];
  *off = verify_differ((size_t)c->nc, c->row, c->rate, t->size.speed * t->size.speed);
  return s;
}

// ---- forward dynamics ------------------------------------------------------------------------------

static limb_status forward_by(verify* t, limb_closed_method method, double* off)
{
  verify_closed* c = t->closed;
  const limb_closed_motion in = {.q = c->q, .v = c->v, .env = &t->env};
  limb_closed_options o = limb_default_closed_options();
  o.method = method;
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = limb_closed_forward_dynamics(c->w, &in, c->tau, &o, c->x, c->row, NULL);
  if (s != LIMB_OK) return s;
  *off = fmax(verify_differ((size_t)t->nv, c->x, c->acc, c->size_acc),
              verify_differ((size_t)c->nc, c->row, c->lambda, c->size_force));
  return s;
}

static limb_status by_clusters(verify* t, double* off) { return forward_by(t, LIMB_CLOSED_CLUSTERS, off); }

static limb_status by_schur(verify* t, double* off) { return forward_by(t, LIMB_CLOSED_SCHUR, off); }

static limb_status by_proximal(verify* t, double* off) { return forward_by(t, LIMB_CLOSED_PROXIMAL, off); }

// A_c a_i + H_c = G' tau for the independent ones.
static limb_status by_reduction(verify* t, double* off)
{
  verify_closed* c = t->closed;
  const limb_closed_motion in = {c->q, c->v, c->a, &t->env};
  int ny = 0, count = 0;
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = limb_independent_velocities(c->w, c->q, NULL, c->mark);
  if (s == LIMB_OK) s = limb_closed_reduced_dynamics(c->w, &in, c->mark, NULL, &ny, t->A, c->y);
  if (s == LIMB_OK) s = limb_velocity_map(c->w, c->q, c->mark, NULL, &count, t->B);
  if (s != LIMB_OK) return s;
  const size_t n = (size_t)ny;
  double size = c->size_force;
  for (size_t v = 0, k = 0; v < (size_t)t->nv; v++) { // k counts the independent ones
    for (size_t i = 0; i < n && c->mark[v]; i++) {
      const double part = t->A[i * n + k] * c->acc[v];
      c->y[i] += part;
      size = fmax(size, fabs(part));
    }
    k += c->mark[v];
  }
  for (size_t i = 0; i < n; i++) {
    c->z[i] = 0;
    for (size_t v = 0; v < (size_t)t->nv; v++) c->z[i] += t->B[v * n + i] * c->tau[v];
  }
  *off = verify_differ(n, c->y, c->z, size);
  return s;
}

// Psi a = gamma, by the method that is chosen.
static limb_status constraints_hold(verify* t, double* off)
{
  verify_closed* c = t->closed;
  const limb_closed_motion in = {.q = c->q, .v = c->v, .env = &t->env};
  const limb_loop_equations out = {.Psi = c->Psi, .gamma = c->row};
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = limb_closed_forward_dynamics(c->w, &in, c->tau, NULL, c->x, NULL, NULL);
  if (s == LIMB_OK) s = limb_loop_equations_at(c->w, c->q, c->v, NULL, &out);
  if (s != LIMB_OK) return s;
  rows_times(c, t->nv, c->x, c->other);
  *off = verify_differ((size_t)c->nc, c->row, c->other, verify_largest(t->nv, c->x));
  return s;
}

// ---- inverse dynamics ------------------------------------------------------------------------------

// The torques of a motion cause it. With as many motors as motions they are the given ones.
static limb_status inverse_forward(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_status s = verify_close(t);
  if (s != LIMB_OK) return s;
  const limb_closed_motion in = {c->q, c->v, c->acc, &t->env};
  limb_closed_forces f = {.tau = c->x, .lambda = c->row};
  s = limb_closed_inverse_dynamics(c->w, &in, NULL, NULL, &f);
  if (s == LIMB_OK) s = limb_closed_forward_dynamics(c->w, &in, c->x, NULL, c->y, NULL, NULL);
  if (s != LIMB_OK) return s;
  *off = verify_differ((size_t)t->nv, c->y, c->acc, c->size_acc);
  if (f.overdriven > 0) return s;
  *off = fmax(*off, verify_differ((size_t)t->nv, c->x, c->tau, c->size_force));
  *off = fmax(*off, verify_differ((size_t)c->nc, c->row, c->lambda, c->size_force));
  return s;
}

// The power of motors and prescribed motions is that of energy and friction.
static limb_status power(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_power p = {0};
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = limb_power_balance(t->d, c->q, c->v, c->acc, &t->env, &p);
  if (s == LIMB_OK) s = limb_loop_equations_at(c->w, c->q, NULL, NULL, &(limb_loop_equations){.rate = c->rate});
  if (s != LIMB_OK) return s;
  double supplied = 0, size = c->size_force * verify_largest(t->nv, c->v);
  for (int k = 0; k < t->nv; k++) supplied += c->tau[k] * c->v[k];
  for (int i = 0; i < c->nc; i++) supplied += c->lambda[i] * c->rate[i];
  const double gained = p.kinetic + p.gravity + p.springs + p.friction;
  size += fabs(p.kinetic) + fabs(p.gravity) + fabs(p.springs) + fabs(p.friction);
  *off = verify_differ(1, &supplied, &gained, size);
  return s;
}

// Wrenches of the world on the robot, through joints and closures, and its weight change the momentum.
static limb_status loads(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_status s = verify_close(t);
  if (s != LIMB_OK) return s;
  const limb_closed_motion in = {c->q, c->v, c->acc, &t->env};
  sp_force *joint = t->F, *loop = c->loads, sum = {{0, 0, 0}, {0, 0, 0}}, rate = sum;
  sp_vec3 com = {0, 0, 0};
  double size = c->size_force;
  s = limb_closed_loads(c->w, &in, c->lambda, LIMB_WORLD, NULL, joint, loop);
  if (s == LIMB_OK) s = limb_kinematics(t->d, c->q, c->v, c->acc);
  for (int j = 0; j < t->njoint && s == LIMB_OK; j++) {
    limb_joint_info info;
    s = limb_get_joint(t->m, j, &info);
    size = fmax(size, fmax(sp_norm3(joint[j].m), sp_norm3(joint[j].f)));
    if (s == LIMB_OK && info.def.parent == LIMB_WORLD_BODY) sum = sp_addf(sum, joint[j]);
  }
  for (int i = 0; i < limb_loop_count(t->m) && s == LIMB_OK; i++) {
    limb_loop_info x;
    sp_pose a, b;
    s = limb_get_loop(t->m, i, &x);
    if (s != LIMB_OK || x.def.body_a < 0) continue;
    if (x.def.body_a != LIMB_WORLD_BODY && x.def.body_b != LIMB_WORLD_BODY) continue;
    s = limb_frame_pose(t->d, x.def.body_a, &a);
    if (s == LIMB_OK) s = limb_frame_pose(t->d, x.def.body_b, &b);
    if (s != LIMB_OK) break;
    a = sp_compose(a, x.def.pose_a), b = sp_compose(b, x.def.pose_b);
    const sp_force out = sp_force_out(sp_pose_make(a.R, b.p), loop[i]); // axes of a, origin of b
    sum = sp_addf(sum, sp_scalef(x.def.body_b == LIMB_WORLD_BODY ? -1 : 1, out));
    size = fmax(size, fmax(sp_norm3(out.m), sp_norm3(out.f)));
  }
  if (s == LIMB_OK) s = limb_momentum_rate(t->d, 0, &rate);
  if (s == LIMB_OK) s = limb_center_of_mass(t->d, &com, NULL, NULL);
  const sp_vec3 weight = sp_scale3(limb_total_mass(t->m), t->env.gravity);
  sum = sp_addf(sum, sp_force_make(sp_cross3(com, weight), weight));
  *off = verify_differ(6, &sum.m.x, &rate.m.x, size);
  return s;
}

// Components of a wrench, in the axes of the joint, along its velocities: as many as it has, 0 for other
// types. x: 6.
static int along_joint(const limb_joint_info* info, sp_force f, double* x)
{
  const double all[6] = {f.m.x, f.m.y, f.m.z, f.f.x, f.f.y, f.f.z};
  switch (info->def.type) {
  case LIMB_REVOLUTE: x[0] = sp_dot3(info->def.axis, f.m); return 1;
  case LIMB_PRISMATIC: x[0] = sp_dot3(info->def.axis, f.f); return 1;
  case LIMB_SPHERICAL: memcpy(x, all, 3 * sizeof *x); return 3;
  case LIMB_FREE: memcpy(x, all, sizeof all); return 6;
  default: return 0;
  }
}

// Psi' lambda of the closures between bodies, which alone act as wrenches.
static limb_status closure_forces(verify* t, double* out)
{
  verify_closed* c = t->closed;
  const size_t nv = (size_t)t->nv;
  limb_loop_info x;
  limb_status s = limb_loop_equations_at(c->w, c->q, NULL, NULL, &(limb_loop_equations){.Psi = c->Psi});
  memset(out, 0, nv * sizeof *out);
  for (int i = 0; i < limb_loop_count(t->m) && s == LIMB_OK; i++) {
    s = limb_get_loop(t->m, i, &x);
    if (s != LIMB_OK || x.def.joint >= 0) continue;
    for (size_t r = (size_t)x.row; r < (size_t)(x.row + x.nrow); r++)
      for (size_t k = 0; k < nv; k++) out[k] += c->Psi[r * nv + k] * c->lambda[r];
  }
  return s;
}

// Adds sign times the loads t->F along the joints' axes to c->y; joints without axes count as balanced.
static limb_status add_loads(verify* t, double sign)
{
  verify_closed* c = t->closed;
  for (int j = 0; j < t->njoint; j++) {
    limb_joint_info info;
    double part[6] = {0};
    const limb_status s = limb_get_joint(t->m, j, &info);
    if (s != LIMB_OK) return s;
    if (info.def.mimic >= 0) return LIMB_E_UNSUPPORTED;
    const int n = along_joint(&info, t->F[j], part);
    for (int k = 0; k < info.nv && n == 0; k++) c->x[info.v + k] = 0;
    for (int k = 0; k < n; k++) c->y[info.v + k] += sign * part[k];
  }
  return LIMB_OK;
}

// Along its axes a joint of the cut tree transmits what it does with the loops closed, and Psi' lambda.
static limb_status loads_along_joints(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_status s = verify_close(t);
  const limb_closed_motion in = {c->q, c->v, c->acc, &t->env};
  if (s == LIMB_OK) s = closure_forces(t, c->x);
  if (s == LIMB_OK) s = limb_closed_loads(c->w, &in, c->lambda, LIMB_BODY, NULL, t->F, NULL);
  memset(c->y, 0, (size_t)t->nv * sizeof *c->y);
  if (s == LIMB_OK) s = add_loads(t, -1);
  if (s == LIMB_OK) s = limb_joint_reactions(t->d, c->q, c->v, c->acc, &t->env, LIMB_BODY, t->F);
  if (s == LIMB_OK) s = add_loads(t, 1);
  *off = verify_differ((size_t)t->nv, c->x, c->y, c->size_force);
  return s;
}

// M (v+ - v) = Psi' p: T(v) - T(v+) = T(v - v+) - p s'
static limb_status impact(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_energy before = {0}, after = {0}, lost = {0};
  const limb_loop_equations out = {.Psi = c->Psi, .rate = c->rate};
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = limb_closed_impulse(c->w, c->q, t->v, NULL, c->x, c->row, NULL);
  for (int k = 0; k < t->nv; k++) c->y[k] = t->v[k] - c->x[k];
  if (s == LIMB_OK) s = limb_energies(t->d, c->q, t->v, &t->env, &before);
  if (s == LIMB_OK) s = limb_energies(t->d, c->q, c->x, &t->env, &after);
  if (s == LIMB_OK) s = limb_energies(t->d, c->q, c->y, &t->env, &lost);
  if (s == LIMB_OK) s = limb_loop_equations_at(c->w, c->q, NULL, NULL, &out);
  if (s != LIMB_OK) return s;
  double gone = before.kinetic - after.kinetic, due = lost.kinetic;
  for (int i = 0; i < c->nc; i++) due -= c->row[i] * c->rate[i];
  rows_times(c, t->nv, c->x, c->other);
  *off = fmax(verify_differ(1, &gone, &due, before.kinetic),
              verify_differ((size_t)c->nc, c->other, c->rate, verify_largest(t->nv, t->v)));
  return s;
}

// ---- derivatives -----------------------------------------------------------------------------------

static limb_status sample_forward(verify* t, double h, double* out)
{
  verify_closed* c = t->closed;
  const limb_closed_motion in = {.q = c->qt, .v = c->vt, .env = &c->env};
  limb_closed_options o = limb_default_closed_options();
  o.method = LIMB_CLOSED_KKT;
  for (int k = 0; k < t->nv; k++) c->at[k] = (1 + h) * c->tau[k];
  return limb_closed_forward_dynamics(c->w, &in, c->at, &o, out, NULL, NULL);
}

// Along v for q, a for v, tau for itself.
static limb_status forward_derivatives(verify* t, double* off)
{
  verify_closed* c = t->closed;
  const limb_closed_derivatives out = {.da_dq = t->A, .da_dv = t->B, .da_dtau = t->M};
  const double* along[] = {c->v, c->a, c->tau};
  const double* of[] = {t->A, t->B, t->M};
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = verify_dual(t);
  if (s != LIMB_OK) return s;
  if (c->mobility.redundant > c->mobility.idle) return LIMB_E_SINGULAR;
  const limb_closed_motion in = {c->q, c->v, NULL, &c->env};
  s = limb_closed_forward_dynamics_derivatives(c->w, t->dual, &in, c->tau, NULL, &out);
  double size = c->size_acc;
  memset(c->x, 0, (size_t)t->nv * sizeof *c->x);
  for (int i = 0; i < 3 && s == LIMB_OK; i++) {
    verify_times(t, of[i], along[i], c->y);
    size = fmax(size, verify_largest(t->nv, c->y));
    for (int k = 0; k < t->nv; k++) c->x[k] += c->y[k];
  }
  if (s == LIMB_OK) s = difference(t, c->v, sample_forward, (size_t)t->nv, c->y, c->z);
  *off = verify_differ((size_t)t->nv, c->x, c->y, size);
  return s;
}

// The motion with constant accelerations of the independent ones, at a time: qt, vt, at.
static limb_status move_along(verify* t, double time)
{
  verify_closed* c = t->closed;
  limb_assembly how = limb_default_assembly();
  how.held = c->mark;
  for (int k = 0; k < t->nv; k++) {
    c->z[k] = c->v[k] + time * c->a[k] / 2;
    c->vt[k] = c->v[k] + time * c->a[k];
    c->at[k] = c->a[k];
  }
  limb_status s = limb_integrate(t->m, c->q, c->z, time, c->qt);
  if (s == LIMB_OK) s = limb_assemble(c->w, &how, c->qt, NULL);
  if (s == LIMB_OK) s = limb_complete_velocities(c->w, c->qt, c->mark, NULL, c->vt);
  if (s == LIMB_OK) s = limb_complete_accelerations(c->w, c->qt, c->vt, c->mark, NULL, c->at);
  return s;
}

static limb_status sample_inverse(verify* t, double h, double* out)
{
  verify_closed* c = t->closed;
  limb_closed_forces f = {0};
  f.tau = out;
  limb_status s = move_along(t, h);
  const limb_closed_motion in = {c->qt, c->vt, c->at, &c->env};
  return s == LIMB_OK ? limb_closed_inverse_dynamics(c->w, &in, NULL, NULL, &f) : s;
}

// Components of rotations are not coordinates: independent ones must be of joints that turn or slide.
static int can_be_held(const verify* t)
{
  limb_joint_info x;
  for (int j = 0; j < t->njoint; j++) {
    if (limb_get_joint(t->m, j, &x) != LIMB_OK) continue;
    if (x.def.type != LIMB_SPHERICAL && x.def.type != LIMB_FREE) continue;
    for (int k = 0; k < x.nv; k++)
      if (t->closed->mark[x.v + k]) return 0;
  }
  return 1;
}

static limb_status inverse_derivatives(verify* t, double* off)
{
  verify_closed* c = t->closed;
  const limb_closed_inverse_derivatives out = {.dtau_dy = t->A, .dtau_dydot = t->B};
  int ny = 0;
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = limb_independent_velocities(c->w, c->q, NULL, c->mark);
  if (s == LIMB_OK) s = verify_dual(t);
  if (s != LIMB_OK) return s;
  if (c->mobility.undriven > 0) return LIMB_E_SINGULAR;
  if (!can_be_held(t) || verify_has_prescribed_motion(t->m)) return LIMB_E_UNSUPPORTED;
  const limb_closed_motion in = {c->q, c->v, c->a, &c->env};
  s = limb_closed_inverse_dynamics_derivatives(c->w, t->dual, &in, c->mark, NULL, &ny, &out);
  if (s == LIMB_OK) s = difference(t, c->v, sample_inverse, (size_t)t->nv, c->y, c->x);
  if (s != LIMB_OK) return s;
  const size_t n = (size_t)ny;
  memset(c->x, 0, (size_t)t->nv * sizeof *c->x);
  for (size_t v = 0, k = 0; v < (size_t)t->nv; v++) { // k counts the independent ones
    for (size_t i = 0; i < (size_t)t->nv && c->mark[v]; i++)
      c->x[i] += t->A[i * n + k] * c->v[v] + t->B[i * n + k] * c->a[v];
    k += c->mark[v];
  }
  *off = verify_differ((size_t)t->nv, c->x, c->y, c->size_force);
  return s;
}

static const char no_positions[] = "its loops constrain velocities only";
static const char mimics[] = "not for mimic joints";
static const char redundant[] = "constraints of its loops are redundant";
static const char undriven[] = "motions without motor, redundant constraints, or rotations";

const verify_check verify_loops[] = {
  {"psi", "psi v", "rate of the residual by differences", VERIFY_DIFFERENCES, 2, psi, VERIFY_WIDE, no_positions},
  {"psi", "psi' v", "rate of psi v by differences", VERIFY_DIFFERENCES, 2, gamma_rate, VERIFY_WIDE, NULL},
  {"closed a", "psi a", "gamma", VERIFY_INVERSE, 2, constraints_hold, VERIFY_LARGE, NULL},
  {"closed a", "KKT", "reduced coordinates", VERIFY_INVERSE, 3, by_reduction, VERIFY_KKT, NULL},
  {"closed a, lambda", "KKT", "clusters of loops", VERIFY_INVERSE, 3, by_clusters, VERIFY_KKT, mimics},
  {"closed a, lambda", "KKT", "Schur complement", VERIFY_INVERSE, 3, by_schur, VERIFY_KKT, NULL},
  {"closed a, lambda", "KKT", "proximal iteration", VERIFY_INVERSE, 3, by_proximal, VERIFY_KKT, NULL},
  {"closed a, tau", "inverse, then forward", "as given", VERIFY_INVERSE, 2, inverse_forward, 0, NULL},
  {"closed energy", "tau v + lambda s'", "power stored and lost", VERIFY_INVERSE, 2, power, 0, NULL},
  {"closed loads", "of the world, with weight", "rate of momentum", VERIFY_INVERSE, 2, loads, 0, NULL},
  {"closed loads", "less those of the tree", "psi' lambda", VERIFY_INVERSE, 2, loads_along_joints, VERIFY_LARGE,
   mimics},
  {"impact", "energy lost", "energy of the lost velocity", VERIFY_INVERSE, 3, impact, VERIFY_WIDE, NULL},
  {"dclosed a", "along a direction", "differences", VERIFY_DIFFERENCES, 3, forward_derivatives, VERIFY_WIDE, redundant},
  {"dclosed tau", "along the motion", "differences", VERIFY_DIFFERENCES, 3, inverse_derivatives, VERIFY_WIDE, undriven},
  {0},
};
