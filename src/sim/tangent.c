// Local coordinates of the configuration manifold.
//
//   q = q0 (+) u,  u(0) = 0:     u' = v + [u, v] / 2 + (1 - theta/2 cot(theta/2)) / theta^2 [u, [u, v]] + ...
//
// This is complete on SO(3); on SE(3) the series continues, with a closed form in powers of ad(u) up to the fourth.
//
//   w, v         angular and linear part
//   [u, x]       (u_w x x_w; u_w x x_v + u_v x x_w)
//
// Reference: Hairer, Lubich, Wanner, Geometric numerical integration, 2nd edition, III.4 and IV.7; increments
//            multiply on the right here, which reverses the sign of ad. Coefficients on SE(3): F. Bullo,
//            R. Murray, Proportional derivative (PD) control on the Euclidean group, 1995, (2.16).
#include "sim/sim_impl.h"

#include "kernel/arc.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

limb_status limb_sim_find_blocks(limb_sim* sim)
{
  const int joints = limb_joint_count(sim->m);
  sim->block = limb_sim_alloc(sim, (size_t)joints, sizeof *sim->block);
  sim->coordinate = limb_sim_alloc(sim, (size_t)sim->nv, sizeof *sim->coordinate);
  if (!sim->block || !sim->coordinate) return LIMB_E_NOMEM;
  for (int j = 0; j < joints; j++) {
    limb_joint_info info;
    const limb_status s = limb_get_joint(sim->m, j, &info);
    if (s != LIMB_OK) return s;
    for (int k = 0; k < info.nv; k++) sim->coordinate[info.v + k] = info.nq == info.nv ? info.q + k : -1;
    if (info.nq == info.nv) continue;
    sim->block[sim->nblock++] = (sim_block){info.q, info.v, info.nv == 6};
  }
  return LIMB_OK;
}

// Coefficients of ad(u)^2 and ad(u)^4 in dexp^-1, for rotations by less than 2 pi.
static void coefficients(sp_motion u, double* second, double* fourth)
{
  const arc a = arc_of(sp_dot3(u.w, u.w));
  rate_coefficients(&a, second, fourth);
}

static sp_motion rate(sp_motion u, sp_motion v)
{
  double second, fourth;
  coefficients(u, &second, &fourth);
  const sp_motion a = sp_crm(u, v), b = sp_crm(u, a), c = sp_crm(u, sp_crm(u, b));
  return sp_addm(sp_addm(v, sp_scalem(0.5, a)), sp_addm(sp_scalem(second, b), sp_scalem(fourth, c)));
}

static sp_motion motion_at(const sim_block* b, const double* x)
{
  const double* y = x + b->v;
  return (sp_motion){limb_read3(y), b->free ? limb_read3(y + 3) : (sp_vec3){0, 0, 0}};
}

static sp_force force_at(const sim_block* b, const double* x)
{
  const double* y = x + b->v;
  return (sp_force){limb_read3(y), b->free ? limb_read3(y + 3) : (sp_vec3){0, 0, 0}};
}

static void put_force(const sim_block* b, sp_force f, double* x)
{
  limb_write3(f.m, x + b->v);
  if (b->free) limb_write3(f.f, x + b->v + 3);
}

void limb_sim_tangent_rate(const limb_sim* sim, const double* u, const double* v, double* du)
{
  if (du != v) memcpy(du, v, (size_t)sim->nv * sizeof *du);
  for (int k = 0; k < sim->nblock; k++) {
    const sim_block* b = &sim->block[k];
    const sp_motion r = rate(motion_at(b, u), motion_at(b, v));
    limb_write3(r.w, du + b->v);
    if (b->free) limb_write3(r.v, du + b->v + 3);
  }
}

limb_status limb_sim_displace(const limb_sim* sim, const double* q, const double* u, double h, double* out)
{
  if (sim->nblock) return limb_integrate(sim->m, q, u, h, out);
  for (int k = 0; k < sim->nv; k++) out[k] = q[k] + h * u[k];
  return LIMB_OK;
}

// (g + [c])^-1 x
static sp_vec3 solve_turn(double g, sp_vec3 c, sp_vec3 x)
{
  const sp_vec3 y = sp_sub3(sp_scale3(g * g, x), sp_scale3(g, sp_cross3(c, x)));
  return sp_scale3(1 / (g * (g * g + sp_dot3(c, c))), sp_add3(y, sp_scale3(sp_dot3(c, x), c)));
}

void limb_sim_tangent_solve(const limb_sim* sim, const double* v, double g, double* x)
{
  for (int k = 0; k < sim->nv; k++) {
    if (sim->coordinate[k] >= 0) x[k] /= g;
  }
  for (int k = 0; k < sim->nblock; k++) {
    const sim_block* b = &sim->block[k];
    const sp_motion c = sp_scalem(0.5, motion_at(b, v)), y = motion_at(b, x);
    const sp_vec3 w = solve_turn(g, c.w, y.w);
    limb_write3(w, x + b->v);
    if (b->free) limb_write3(solve_turn(g, c.w, sp_sub3(y.v, sp_cross3(c.v, w))), x + b->v + 3);
  }
}

void limb_sim_tangent_solve_row(const limb_sim* sim, const double* v, double g, double* x)
{
  for (int k = 0; k < sim->nv; k++) {
    if (sim->coordinate[k] >= 0) x[k] /= g;
  }
  for (int k = 0; k < sim->nblock; k++) {
    const sim_block* b = &sim->block[k];
    const sp_motion c = sp_scalem(-0.5, motion_at(b, v)), y = motion_at(b, x);
    const sp_vec3 l = solve_turn(g, c.w, y.v);
    limb_write3(solve_turn(g, c.w, sp_sub3(y.w, sp_cross3(c.v, l))), x + b->v);
    if (b->free) limb_write3(l, x + b->v + 3);
  }
}

// ---- coordinates ----------------------------------------------------------------------------------------

// Q' = Q (w, 0) / 2
static void quaternion_rate(const double* Q, const double* w, double* rate)
{
  rate[0] = 0.5 * (Q[3] * w[0] + Q[1] * w[2] - Q[2] * w[1]);
  rate[1] = 0.5 * (Q[3] * w[1] + Q[2] * w[0] - Q[0] * w[2]);
  rate[2] = 0.5 * (Q[3] * w[2] + Q[0] * w[1] - Q[1] * w[0]);
  rate[3] = -0.5 * (Q[0] * w[0] + Q[1] * w[1] + Q[2] * w[2]);
}

void limb_sim_block_rate(const sim_block* b, const double* q, const double* v, double* rate)
{
  const double *x = q + b->q, *w = v + b->v;
  if (!b->free) {
    quaternion_rate(x, w, rate);
    return;
  }
  const double *Q = x + 3, size = sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
  const sp_quat unit = {Q[0] / size, Q[1] / size, Q[2] / size, Q[3] / size};
  limb_write3(sp_mulv(sp_rot_quat(unit), limb_read3(w + 3)), rate);
  quaternion_rate(Q, w, rate + 3);
}

void limb_sim_configuration_rate(const limb_sim* sim, const double* q, const double* v, double* rate)
{
  for (int k = 0; k < sim->nv; k++) {
    if (sim->coordinate[k] >= 0) rate[sim->coordinate[k]] = v[k];
  }
  for (int k = 0; k < sim->nblock; k++) {
    const sim_block* b = &sim->block[k];
    limb_sim_block_rate(b, q, v, rate + b->q);
    const int at = b->q + (b->free ? 3 : 0);
    const double* Q = q + at;
    const double lacking = 1 - (Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
    for (int i = 0; i < 4; i++) rate[at + i] += lacking * Q[i];
  }
}

// ---- momenta of the variational method ------------------------------------------------------------------
//
// Transposes: ad(u)' f = -u x* f, f being a force.

static sp_force turn(sp_motion u, sp_force f) { return sp_scalef(-1, sp_crf(u, f)); }

// f dexp^-1(-u), as a row.
static sp_force rate_transposed(sp_motion u, sp_force f)
{
  double second, fourth;
  coefficients(u, &second, &fourth);
  const sp_force a = turn(u, f), b = turn(u, a), c = turn(u, turn(u, b));
  return sp_addf(sp_addf(f, sp_scalef(0.5, a)), sp_addf(sp_scalef(second, b), sp_scalef(fourth, c)));
}

// f tanh(ad(u) / 2), as a row: first and third powers of ad(u), whose fifth is a combination of these.
static sp_force tanh_transposed(sp_motion u, sp_force f)
{
  const double theta = sp_norm3(u.w), t2 = theta * theta;
  double first, third;
  if (theta < 0.2) {
    first = 0.5 - t2 * t2 / 240 - 17 * t2 * t2 * t2 / 20160;
    third = -1.0 / 24 - t2 / 120 - 17 * t2 * t2 / 13440;
  } else {
    const double c = cos(theta / 2), T = tan(theta / 2) / theta, S = 0.5 / (c * c);
    first = (3 * T - S) / 2, third = (T - S) / (2 * t2);
  }
  const sp_force a = turn(u, f), b = turn(u, turn(u, a));
  return sp_addf(sp_scalef(first, a), sp_scalef(third, b));
}

void limb_sim_add_bracket(const limb_sim* sim, const double* v, const double* P, double* Q)
{
  for (int k = 0; k < sim->nblock; k++) {
    const sim_block* b = &sim->block[k];
    const sp_force f = sp_crf(motion_at(b, v), force_at(b, P));
    put_force(b, sp_addf(force_at(b, Q), f), Q);
  }
}

void limb_sim_momentum(const limb_sim* sim, double side, const double* xi, double h, const double* P, const double* Q,
                       double* mu)
{
  for (int i = 0; i < sim->nv; i++) mu[i] = P[i] + side * h / 2 * Q[i];
  for (int k = 0; k < sim->nblock; k++) {
    const sim_block* b = &sim->block[k];
    const sp_motion v = motion_at(b, xi);
    const sp_force p = rate_transposed(sp_scalem(side * h, v), force_at(b, P));
    const sp_force q = force_at(b, Q), t = tanh_transposed(sp_scalem(h / 2, v), q);
    put_force(b, sp_addf(p, sp_scalef(side * h / 2, sp_addf(q, sp_scalef(side, t)))), mu);
  }
}
