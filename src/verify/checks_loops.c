// Checks of robots with loops, in states that close them.
#include "verify/verify_impl.h"

#include <string.h>

// ---- equations -------------------------------------------------------------------------------------

// The state a time later, along constant velocities dq and accelerations a: qt, vt of verify_closed.
static limb_status move(verify* t, const double* dq, double h)
{
  verify_closed* c = t->closed;
  for (int k = 0; k < t->nv; k++) c->vt[k] = c->v[k] + h * c->a[k];
  return limb_integrate(t->m, c->q, dq, h, c->qt);
}

// The equations of the loops at q; v for gamma only.
static limb_status equations(verify_closed* c, const double* q, const double* v, limb_loop_equations out)
{
  return limb_loop_equations_at(c->d, q, v, NULL, &out);
}

static limb_status sample_residual(verify* t, double h, double* out)
{
  const limb_status s = move(t, t->v, h);
  return s == LIMB_OK ? equations(t->closed, t->closed->qt, NULL, (limb_loop_equations){.residual = out}) : s;
}

// The residual changes by Psi v if v opens the loops. Constraints of velocities have none.
static limb_status psi(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_loop_info x;
  int holonomic = 0;
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = verify_difference(t, c->step, t->size.speed, sample_residual, c->nc, c->row);
  if (s == LIMB_OK) s = equations(c, c->q, NULL, (limb_loop_equations){.Psi = c->Psi});
  if (s != LIMB_OK) return s;
  verify_times(c->nc, t->nv, c->Psi, t->v, c->other);
  for (int i = 0; i < limb_loop_count(t->m); i++) {
    if (limb_get_loop(t->m, i, &x) != LIMB_OK) continue;
    holonomic += x.holonomic;
    for (int r = x.constraint + x.holonomic; r < x.constraint + x.nconstraint; r++) c->row[r] = c->other[r] = 0;
  }
  s = verify_compare(s, off, c->nc, c->row, c->other, t->size.speed);
  return holonomic > 0 ? s : LIMB_E_UNSUPPORTED;
}

static limb_status sample_rates(verify* t, double h, double* out)
{
  verify_closed* c = t->closed;
  limb_status s = move(t, t->v, h);
  if (s == LIMB_OK) s = equations(c, c->qt, NULL, (limb_loop_equations){.Psi = c->Psi});
  if (s == LIMB_OK) verify_times(c->nc, t->nv, c->Psi, t->v, out);
  return s;
}

// Psi v changes by what gamma is at rest, less gamma.
static limb_status gamma_rate(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_status s = verify_close(t);
  const double size = t->size.speed * t->size.speed;
  if (s == LIMB_OK) s = verify_difference(t, c->step, size, sample_rates, c->nc, c->rate);
  if (s == LIMB_OK) s = equations(c, c->q, NULL, (limb_loop_equations){.gamma = c->row});
  if (s == LIMB_OK) s = equations(c, c->q, t->v, (limb_loop_equations){.gamma = c->other});
  for (int i = 0; i < c->nc && s == LIMB_OK; i++) c->row[i] -= c->other[i];
  return verify_compare(s, off, c->nc, c->row, c->rate, size);
}

// ---- forward dynamics ------------------------------------------------------------------------------

static limb_status forward_by(verify* t, limb_loop_method method, double* off)
{
  verify_closed* c = t->closed;
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = verify_multipliers(c, method);
  if (s == LIMB_OK) s = limb_forward_dynamics(c->d, c->q, c->v, c->tau, &t->env, c->x);
  verify_get_multipliers(c, c->row);
  s = verify_compare(s, off, t->nv, c->x, c->acc, c->size_acc);
  return verify_compare(s, off, c->nc, c->row, c->lambda, c->size_force);
}

static limb_status by_clusters(verify* t, double* off) { return forward_by(t, LIMB_LOOP_METHOD_CLUSTERS, off); }

static limb_status by_schur(verify* t, double* off) { return forward_by(t, LIMB_LOOP_METHOD_SCHUR, off); }

static limb_status by_mexx(verify* t, double* off) { return forward_by(t, LIMB_LOOP_METHOD_MEXX, off); }

// Psi M^-1 Psi' as it is squares the condition of Psi. An iteration may not converge then, and says so, or multipliers
// may have no digits: there is nothing to compare.
static limb_status by_iteration(verify* t, limb_loop_method method, double* off)
{
  limb_status s = verify_close(t);
  const double condition = t->closed->mobility.condition;
  if (s == LIMB_OK && verify_lost(t->condition * condition * condition) > VERIFY_LOST) return LIMB_E_SINGULAR;
  s = forward_by(t, method, off);
  return s == LIMB_E_NOCONV ? LIMB_E_SINGULAR : s;
}

static limb_status by_proximal(verify* t, double* off) { return by_iteration(t, LIMB_LOOP_METHOD_PROXIMAL, off); }

static limb_status by_sequence(verify* t, double* off) { return by_iteration(t, LIMB_LOOP_METHOD_SEQUENTIAL, off); }

// A_c a_i + H_c = G' tau for the independent ones.
static limb_status by_reduction(verify* t, double* off)
{
  verify_closed* c = t->closed;
  int ny = 0, count = 0;
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = limb_independent_velocities(c->d, c->q, NULL, c->mark);
  if (s == LIMB_OK) s = limb_reduced_dynamics(c->d, c->q, c->v, &t->env, &ny, t->A, c->y);
  if (s == LIMB_OK) s = limb_velocity_map(c->d, c->q, c->mark, NULL, &count, t->B);
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
  return verify_compare(s, off, (int)n, c->y, c->z, size);
}

// Psi a = gamma, by the method that is chosen.
static limb_status constraints_hold(verify* t, double* off)
{
  verify_closed* c = t->closed;
  const limb_loop_equations out = {.Psi = c->Psi, .gamma = c->row};
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = verify_multipliers(c, LIMB_LOOP_METHOD_AUTO);
  if (s == LIMB_OK) s = limb_forward_dynamics(c->d, c->q, c->v, c->tau, &t->env, c->x);
  if (s == LIMB_OK) s = equations(c, c->q, c->v, out);
  if (s != LIMB_OK) return s;
  verify_times(c->nc, t->nv, c->Psi, c->x, c->other);
  // where nothing can move, accelerations cancel
  const double size = fmax(verify_largest(t->nv, c->x), VERIFY_PART * c->size_acc);
  return verify_compare(s, off, c->nc, c->row, c->other, size);
}

// ---- inverse dynamics ------------------------------------------------------------------------------

// The torques of a motion cause it. With as many motors as motions they are the given ones.
static limb_status inverse_forward(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_status s = verify_close(t);
  limb_loop_details details = {.overdriven = 0};
  if (s == LIMB_OK) s = verify_multipliers(c, LIMB_LOOP_METHOD_AUTO);
  if (s == LIMB_OK) s = limb_inverse_dynamics(c->d, c->q, c->v, c->acc, &t->env, c->x);
  if (s == LIMB_OK) s = limb_get_loop_details(c->d, &details);
  if (s != LIMB_OK) return s;
  verify_get_multipliers(c, c->row);
  s = limb_forward_dynamics(c->d, c->q, c->v, c->x, &t->env, c->y);
  s = verify_compare(s, off, t->nv, c->y, c->acc, c->size_acc);
  if (details.overdriven > 0) return s;
  s = verify_compare(s, off, t->nv, c->x, c->tau, c->size_force);
  return verify_compare(s, off, c->nc, c->row, c->lambda, c->size_force);
}

// The power of motors and prescribed motions is that of energy and friction.
static limb_status power(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_power p = {0};
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = limb_power_balance(t->d, c->q, c->v, c->acc, &t->env, &p);
  if (s == LIMB_OK) s = equations(c, c->q, NULL, (limb_loop_equations){.rate = c->rate});
  if (s != LIMB_OK) return s;
  double supplied = 0, size = c->size_force * verify_largest(t->nv, c->v);
  for (int k = 0; k < t->nv; k++) supplied += c->tau[k] * c->v[k];
  for (int i = 0; i < c->nc; i++) supplied += c->lambda[i] * c->rate[i];
  const double gained = p.kinetic + p.gravity + p.springs + p.friction;
  size += fabs(p.kinetic) + fabs(p.gravity) + fabs(p.springs) + fabs(p.friction);
  return verify_compare(s, off, 1, &supplied, &gained, size);
}

// Adds the wrenches c->loads of closures on the world, about its origin.
static limb_status add_closures(verify* t, sp_force* sum, double* size)
{
  limb_status s = LIMB_OK;
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
    const sp_force out = sp_force_out(sp_pose_make(a.R, b.p), t->closed->loads[i]); // axes of a, origin of b
    *sum = sp_addf(*sum, sp_scalef(x.def.body_b == LIMB_WORLD_BODY ? -1 : 1, out));
    *size = fmax(*size, verify_largest(6, &out.m.x));
  }
  return s;
}

// Wrenches of the world on the robot, through joints and closures, and its weight change the momentum.
static limb_status loads(verify* t, double* off)
{
  verify_closed* c = t->closed;
  sp_force sum = {0}, rate = {0};
  limb_status s = verify_close(t);
  if (s != LIMB_OK) return s;
  const limb_loop_motion motion = {c->q, c->v, c->acc, &t->env, c->lambda};
  double size = c->size_force;
  s = limb_loop_loads(c->d, &motion, LIMB_WORLD, t->F, NULL);
  if (s == LIMB_OK) s = limb_loop_loads(c->d, &motion, LIMB_BODY, NULL, c->loads);
  if (s == LIMB_OK) s = limb_kinematics(t->d, c->q, c->v, c->acc);
  if (s == LIMB_OK) s = verify_on_world(t, &sum, &size);
  if (s == LIMB_OK) s = add_closures(t, &sum, &size);
  if (s == LIMB_OK) s = limb_momentum_rate(t->d, 0, &rate);
  if (s == LIMB_OK) s = verify_weight(t, &sum, &size);
  return verify_compare(s, off, 6, &sum.m.x, &rate.m.x, size);
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
  limb_status s = equations(c, c->q, NULL, (limb_loop_equations){.Psi = c->Psi});
  memset(out, 0, nv * sizeof *out);
  for (int i = 0; i < limb_loop_count(t->m) && s == LIMB_OK; i++) {
    s = limb_get_loop(t->m, i, &x);
    if (s != LIMB_OK || x.def.joint >= 0) continue;
    for (size_t r = (size_t)x.constraint; r < (size_t)(x.constraint + x.nconstraint); r++)
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
  const limb_loop_motion motion = {c->q, c->v, c->acc, &t->env, c->lambda};
  if (s == LIMB_OK) s = closure_forces(t, c->x);
  if (s == LIMB_OK) s = limb_loop_loads(c->d, &motion, LIMB_BODY, t->F, NULL);
  memset(c->y, 0, (size_t)t->nv * sizeof *c->y);
  if (s == LIMB_OK) s = add_loads(t, -1);
  if (s == LIMB_OK) s = limb_joint_reactions(t->d, c->q, c->v, c->acc, &t->env, LIMB_BODY, t->F);
  if (s == LIMB_OK) s = add_loads(t, 1);
  return verify_compare(s, off, t->nv, c->x, c->y, c->size_force);
}

// M (v+ - v) = Psi' p: T(v) - T(v+) = T(v - v+) - p s'
static limb_status impact(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_energy before = {0}, after = {0}, lost = {0};
  const limb_loop_equations out = {.Psi = c->Psi, .rate = c->rate};
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = limb_loop_impulse(c->d, c->q, t->v, 0, c->x, c->row);
  for (int k = 0; k < t->nv; k++) c->y[k] = t->v[k] - c->x[k];
  if (s == LIMB_OK) s = limb_energies(t->d, c->q, t->v, &t->env, &before);
  if (s == LIMB_OK) s = limb_energies(t->d, c->q, c->x, &t->env, &after);
  if (s == LIMB_OK) s = limb_energies(t->d, c->q, c->y, &t->env, &lost);
  if (s == LIMB_OK) s = equations(c, c->q, NULL, out);
  if (s != LIMB_OK) return s;
  double gone = before.kinetic - after.kinetic, due = lost.kinetic;
  for (int i = 0; i < c->nc; i++) due -= c->row[i] * c->rate[i];
  verify_times(c->nc, t->nv, c->Psi, c->x, c->other);
  s = verify_compare(s, off, 1, &gone, &due, before.kinetic);
  return verify_compare(s, off, c->nc, c->other, c->rate, verify_largest(t->nv, t->v));
}

// ---- derivatives -----------------------------------------------------------------------------------

static limb_status sample_forward(verify* t, double h, double* out)
{
  verify_closed* c = t->closed;
  limb_status s = move(t, c->v, h);
  if (s == LIMB_OK) s = verify_multipliers(c, LIMB_LOOP_METHOD_KKT);
  for (int k = 0; k < t->nv; k++) c->at[k] = (1 + h) * c->tau[k];
  return s == LIMB_OK ? limb_forward_dynamics(c->d, c->qt, c->vt, c->at, &c->env, out) : s;
}

// Along v for q, a for v, tau for itself.
static limb_status forward_derivatives(verify* t, double* off)
{
  verify_closed* c = t->closed;
  const limb_fd_derivatives out = {.dacc_dq = t->A, .dacc_dv = t->B, .dacc_dtau = t->M};
  limb_status s = verify_close(t);
  if (s != LIMB_OK) return s;
  if (c->mobility.redundant > c->mobility.idle) return LIMB_E_SINGULAR;
  s = verify_multipliers(c, LIMB_LOOP_METHOD_AUTO);
  if (s == LIMB_OK) s = limb_forward_dynamics_derivatives(c->d, c->q, c->v, c->tau, &c->env, &out);
  const double size = fmax(c->size_acc, verify_sum(t, c->v, c->a, c->tau, c->x));
  if (s == LIMB_OK) s = verify_difference(t, c->step, size, sample_forward, t->nv, c->y);
  if (s == LIMB_OK) t->lost_rates = fmax(t->lost_rates, t->lost / VERIFY_SAFE / t->used);
  return verify_compare(s, off, t->nv, c->x, c->y, size);
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
  if (s == LIMB_OK) s = limb_assemble(c->d, &how, c->qt, NULL);
  if (s == LIMB_OK) s = limb_complete_velocities(c->d, c->qt, c->mark, NULL, c->vt);
  if (s == LIMB_OK) s = limb_complete_accelerations(c->d, c->qt, c->vt, c->mark, NULL, c->at);
  return s;
}

static limb_status sample_inverse(verify* t, double h, double* out)
{
  verify_closed* c = t->closed;
  const limb_status s = move_along(t, h);
  return s == LIMB_OK ? limb_inverse_dynamics(c->d, c->qt, c->vt, c->at, &c->env, out) : s;
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
  const limb_id_derivatives out = {.dtau_dq = t->A, .dtau_dv = t->B};
  const size_t n = (size_t)t->nv;
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = limb_independent_velocities(c->d, c->q, NULL, c->mark);
  if (s != LIMB_OK) return s;
  if (c->mobility.undriven > 0) return LIMB_E_SINGULAR;
  if (!can_be_held(t) || limb_has_prescribed_motion(t->m)) return LIMB_E_UNSUPPORTED;
  s = limb_inverse_dynamics_derivatives(c->d, c->q, c->v, c->a, &c->env, &out);
  if (s == LIMB_OK) s = verify_difference(t, c->step, c->size_force, sample_inverse, t->nv, c->y);
  if (s != LIMB_OK) return s;
  memset(c->x, 0, n * sizeof *c->x);
  for (size_t v = 0; v < n; v++) { // columns of dependent velocities are zero
    for (size_t i = 0; i < n; i++) c->x[i] += t->A[i * n + v] * c->v[v] + t->B[i * n + v] * c->a[v];
  }
  return verify_compare(s, off, t->nv, c->x, c->y, c->size_force);
}

static const char no_positions[] = "its loops constrain velocities only";
static const char mimics[] = "not for mimic joints";
static const char redundant[] = "constraints of its loops are redundant";
static const char undriven[] = "motions without motor, redundant constraints, or rotations";

const verify_check verify_loops[] = {
  {"Psi", "Psi v", "rate of the residual by differences", VERIFY_DIFFERENCES, 2, psi, VERIFY_WIDE, no_positions},
  {"gamma", "at rest, less gamma", "rate of Psi v by differences", VERIFY_DIFFERENCES, 2, gamma_rate, VERIFY_WIDE,
   NULL},
  {"acc", "Psi a", "gamma", VERIFY_INVERSE, 2, constraints_hold, VERIFY_LARGE, NULL},
  {"acc", "KKT", "reduced coordinates", VERIFY_INVERSE, 3, by_reduction, VERIFY_KKT, NULL},
  {"acc, lambda", "KKT", "clusters of loops", VERIFY_INVERSE, 3, by_clusters, VERIFY_KKT, mimics},
  {"acc, lambda", "KKT", "Schur complement", VERIFY_INVERSE, 3, by_schur, VERIFY_KKT, NULL},
  {"acc, lambda", "KKT", "proximal iteration", VERIFY_INVERSE, 3, by_proximal, VERIFY_KKT, NULL},
  {"acc, lambda", "KKT", "MEXX", VERIFY_INVERSE, 3, by_mexx, VERIFY_KKT, mimics},
  {"acc, lambda", "KKT", "sequential regularisation", VERIFY_INVERSE, 3, by_sequence, VERIFY_KKT, mimics},
  {"tau, acc", "inverse, then forward", "as given", VERIFY_INVERSE, 2, inverse_forward, 0, NULL},
  {"power", "tau v + lambda s'", "power stored and lost", VERIFY_INVERSE, 2, power, 0, NULL},
  {"loop_loads", "of the world, with weight", "rate of momentum", VERIFY_INVERSE, 2, loads, 0, NULL},
  {"reactions", "less those of the tree", "Psi' lambda", VERIFY_INVERSE, 2, loads_along_joints, VERIFY_LARGE, mimics},
  {"v", "after an impact: energy lost", "energy of the lost velocity", VERIFY_INVERSE, 3, impact, VERIFY_WIDE, NULL},
  {"dacc_dq", "dq, dv, dtau along a direction", "differences", VERIFY_INVERSE_DIFFERENCES, 3, forward_derivatives,
   VERIFY_WIDE, redundant},
  {"dtau_dq", "dq, dv along the motion", "differences", VERIFY_DIFFERENCES, 3, inverse_derivatives, VERIFY_WIDE,
   undriven},
  {0},
};
