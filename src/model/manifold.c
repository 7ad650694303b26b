// The configuration manifold: R^n for angles and displacements, SO(3) for ball joints, SE(3) for free
// ones. Velocities are in child axes, so increments multiply on the right: q (+) dq = q exp(dq).
//
// With theta = |w| and h = theta / 2,
//   exp(w) as a quaternion    (sin(h) / theta w, cos(h))
//   exp(w; v) on SE(3)        position V(w) v,   V = 1 + b [w] + c [w]^2,
//                             b = (1 - cos theta) / theta^2,   c = (theta - sin theta) / theta^3
//   log on SE(3)              v = V^-1 p,   V^-1 = 1 - [w] / 2 + k [w]^2,
//                             k = (1 - h cot h) / theta^2
// (Park, Bobrow, Ploen 1995, (15)-(17) with the angle kept in w). Every coefficient is computed without cancellation.

#include "limb/spatial.h"

#include "base/numeric.h"
#include "kernel/arc.h"
#include "linalg/dense.h"
#include "model/model_impl.h"

#include <math.h>

#define PI 3.14159265358979323846

// ---- rotations ----------------------------------------------------------------------------------------------

static sp_quat quat_read(const double* q) { return (sp_quat){q[0], q[1], q[2], q[3]}; }

static void quat_write(double* q, sp_quat a) { q[0] = a.x, q[1] = a.y, q[2] = a.z, q[3] = a.w; }

// Any size but zero, also where the squares over- or underflow.
static sp_quat quat_unit(sp_quat a)
{
  int e;
  (void)frexp(fmax(fmax(fabs(a.x), fabs(a.y)), fmax(fabs(a.z), fabs(a.w))), &e);
  const double x = ldexp(a.x, -e), y = ldexp(a.y, -e), z = ldexp(a.z, -e), w = ldexp(a.w, -e);
  const double k = 1 / sqrt(x * x + y * y + z * z + w * w);
  return (sp_quat){k * x, k * y, k * z, k * w};
}

static sp_quat quat_mul(sp_quat a, sp_quat b)
{
  return (sp_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                   a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static sp_quat quat_conj(sp_quat a) { return (sp_quat){-a.x, -a.y, -a.z, a.w}; }

static sp_quat quat_exp(sp_vec3 w, const arc* a)
{
  const double k = half_sine(a);
  return (sp_quat){k * w.x, k * w.y, k * w.z, a->c};
}

// Rotation vector of a unit quaternion, at most pi long. atan2 is accurate from tiny angles to pi.
static sp_vec3 quat_log(sp_quat a)
{
  const double sign = a.w < 0 ? -1 : 1;
  const sp_vec3 s = sp_v3(sign * a.x, sign * a.y, sign * a.z);
  const double n = sp_norm3(s);
  return sp_scale3(n > 0 ? 2 * atan2(n, fabs(a.w)) / n : 2, s);
}

// ---- screw motions ------------------------------------------------------------------------------------------

// (1 - h cot h) / theta^2 = (sin h - h cos h) / (4 h^2 sin h), where
// sin h - h cos h = h^3 / 3 (1 - h^2/10 (1 - h^2/28 (...))): the ratio of the terms k and k + 1 is
// -h^2 / (2k (2k+3))
static double coefficient_k(double theta)
{
  const double h = theta / 2;
  if (h > 1) return (1 - h * cos(h) / sin(h)) / (theta * theta);
  double sum = 1;
  for (int k = 9; k > 0; k--) sum = 1 - sum * h * h / (double)(2 * k * (2 * k + 3));
  return sum / 12 * (h > 0 ? h / sin(h) : 1);
}

// x + b w x x + c w x (w x x)
static sp_vec3 series(sp_vec3 w, double b, double c, sp_vec3 x)
{
  const sp_vec3 wx = sp_cross3(w, x);
  return sp_add3(x, sp_add3(sp_scale3(b, wx), sp_scale3(c, sp_cross3(w, wx))));
}

// V(w) v
static sp_vec3 screw_position(sp_vec3 w, const arc* a, sp_vec3 v)
{
  const double s = half_sine(a);
  return series(w, 2 * s * s, coefficient_c(a), v);
}

// V(w)^-1 p
static sp_vec3 screw_velocity(sp_vec3 w, sp_vec3 p) { return series(w, -0.5, coefficient_k(sp_norm3(w)), p); }

// ---- points -------------------------------------------------------------------------------------------------

// Where a joint's quaternion is in its part of q; -1: it has none. Mimic joints have no part.
static int quat_at(const limb_joint* j)
{
  if (j->nq == 0) return -1;
  return j->def.type == LIMB_SPHERICAL ? 0 : j->def.type == LIMB_FREE ? 3 : -1;
}

limb_status limb_neutral(const limb_model* m, double* q)
{
  if (!m || !q) return LIMB_E_ARG;
  for (int i = 0; i < m->nq; i++) q[i] = 0;
  for (int i = 0; i < m->njoint; i++) {
    const int at = quat_at(&m->joint[i]);
    if (at >= 0) q[m->joint[i].q + at + 3] = 1;
  }
  return LIMB_OK;
}

limb_status limb_start(const limb_model* m, double* q)
{
  const limb_status s = limb_neutral(m, q);
  if (s) return s;
  for (int i = 0; i < m->njoint; i++) { // joints with more than one coordinate have no start
    const limb_joint* j = &m->joint[i];
    if (j->nq == 1) q[j->q] = j->def.start;
  }
  return LIMB_OK;
}

limb_status limb_normalize(const limb_model* m, double* q)
{
  if (!m || !q) return LIMB_E_ARG;
  if (!limb_finite(m->nq, q)) return LIMB_E_NONFINITE;
  for (int pass = 0; pass < 2; pass++) { // first look, then write
    for (int i = 0; i < m->njoint; i++) {
      const int at = quat_at(&m->joint[i]);
      if (at < 0) continue;
      double* x = q + m->joint[i].q + at;
      if (x[0] == 0 && x[1] == 0 && x[2] == 0 && x[3] == 0) return LIMB_E_ARG;
      if (pass == 1) quat_write(x, quat_unit(quat_read(x)));
    }
  }
  return LIMB_OK;
}

// ---- random points ------------------------------------------------------------------------------------------
// The same on every machine: integer arithmetic, operations that are rounded once, and sums that are
// exact, so that fused multiply-adds change nothing. libm's sine and cosine differ and are not used.

static double uniform(uint64_t* seed, double low, double high)
{
  const double u = limb_unit_number(limb_random_bits(seed));
  const double x = 2 * fma(u, high / 2 - low / 2, low / 2); // halves: the width cannot overflow
  return fmin(fmax(x, low), high);
}

// A point of the unit disc on a grid of 2^-26: its squares and their sum are exact.
static double disc(uint64_t* seed, double* x, double* y)
{
  for (;;) {
    const uint64_t r = limb_random_bits(seed);
    *x = ((double)(r >> 39) + 0.5) * 0x1p-25 * (r & 1 ? 1 : -1);
    *y = ((double)(r << 25 >> 39) + 0.5) * 0x1p-25 * (r & 2 ? 1 : -1);
    const double s = *x * *x + *y * *y;
    if (s < 1) return s;
  }
}

// Uniform rotation from two points of the disc (Marsaglia 1972).
static void random_rotation(uint64_t* seed, double* q)
{
  const double s0 = disc(seed, &q[0], &q[1]);
  const double s1 = disc(seed, &q[2], &q[3]);
  const double k = sqrt((1 - s0) / s1);
  q[2] *= k;
  q[3] *= k;
}

static double random_angle(uint64_t* seed) { return uniform(seed, -PI, PI); }

static double random_shift(uint64_t* seed) { return uniform(seed, -1, 1); }

static void random_joint(const limb_joint_def* def, uint64_t* seed, double* q)
{
  switch (def->type) {
  case LIMB_FIXED: return;
  case LIMB_REVOLUTE:
  case LIMB_HELICAL:
  case LIMB_PRISMATIC:
    if (isfinite(def->q_min) && isfinite(def->q_max))
      q[0] = uniform(seed, def->q_min, def->q_max);
    else
      q[0] = def->type == LIMB_PRISMATIC ? random_shift(seed) : random_angle(seed);
    return;
  case LIMB_CYLINDRICAL:
    q[0] = random_angle(seed);
    q[1] = random_shift(seed);
    return;
  case LIMB_UNIVERSAL:
    q[0] = random_angle(seed);
    q[1] = random_angle(seed);
    return;
  case LIMB_PLANAR:
    q[0] = random_shift(seed);
    q[1] = random_shift(seed);
    q[2] = random_angle(seed);
    return;
  case LIMB_SPHERICAL: random_rotation(seed, q); return;
  case LIMB_FREE:
    for (int k = 0; k < 3; k++) q[k] = random_shift(seed);
    random_rotation(seed, q + 3);
    return;
  }
}

limb_status limb_random(const limb_model* m, uint64_t* seed, double* q)
{
  if (!m || !seed || !q) return LIMB_E_ARG;
  for (int i = 0; i < m->njoint; i++) {
    const limb_joint* j = &m->joint[i];
    if (j->nq > 0) random_joint(&j->def, seed, q + j->q);
  }
  return LIMB_OK;
}

// ---- steps --------------------------------------------------------------------------------------------------

static void integrate_joint(const limb_joint* j, const double* q, const double* v, double dt, double* out)
{
  const int at = quat_at(j);
  if (at < 0) {
    for (int k = 0; k < j->nq; k++) out[k] = q[k] + v[k] * dt;
    return;
  }
  const sp_vec3 w = sp_scale3(dt, limb_read3(v));
  const arc a = arc_of(sp_dot3(w, w));
  const sp_quat r = quat_unit(quat_read(q + at));
  if (j->def.type == LIMB_FREE) {
    const sp_vec3 step = screw_position(w, &a, sp_scale3(dt, limb_read3(v + 3)));
    limb_write3(sp_add3(limb_read3(q), sp_mulv(sp_rot_quat(r), step)), out);
  }
  quat_write(out + at, quat_unit(quat_mul(r, quat_exp(w, &a))));
}

limb_status limb_integrate(const limb_model* m, const double* q, const double* v, double dt, double* q_out)
{
  if (!m || !q || !v || !q_out) return LIMB_E_ARG;
  if (!isfinite(dt) || !limb_finite(m->nv, v)) return LIMB_E_NONFINITE;
  const limb_status s = limb_check_q(m, q);
  if (s) return s;
  for (int i = 0; i < m->njoint; i++) {
    const limb_joint* j = &m->joint[i];
    if (j->nq > 0) integrate_joint(j, q + j->q, v + j->v, dt, q_out + j->q);
  }
  return limb_finite(m->nq, q_out) ? LIMB_OK : LIMB_E_NONFINITE;
}

static void difference_joint(const limb_joint* j, const double* q0, const double* q1, double* v)
{
  const int at = quat_at(j);
  if (at < 0) {
    for (int k = 0; k < j->nv; k++) v[k] = q1[k] - q0[k];
    return;
  }
  const sp_quat r0 = quat_unit(quat_read(q0 + at)), r1 = quat_unit(quat_read(q1 + at));
  const sp_vec3 w = quat_log(quat_mul(quat_conj(r0), r1));
  if (j->def.type == LIMB_FREE) {
    const sp_vec3 step = sp_tmulv(sp_rot_quat(r0), sp_sub3(limb_read3(q1), limb_read3(q0)));
    limb_write3(screw_velocity(w, step), v + 3);
  }
  limb_write3(w, v);
}

limb_status limb_difference(const limb_model* m, const double* q0, const double* q1, double* v)
{
  if (!m || !q0 || !q1 || !v) return LIMB_E_ARG;
  limb_status s = limb_check_q(m, q0);
  if (!s) s = limb_check_q(m, q1);
  if (s) return s;
  for (int i = 0; i < m->njoint; i++) {
    const limb_joint* j = &m->joint[i];
    if (j->nq > 0) difference_joint(j, q0 + j->q, q1 + j->q, v + j->v);
  }
  return limb_finite(m->nv, v) ? LIMB_OK : LIMB_E_NONFINITE;
}

// ---- tangents -----------------------------------------------------------------------------------------------

// q' = q (w, 0) / 2
static void quat_rate(const double* q, const double* w, double* dq)
{
  quat_write(dq, quat_mul(quat_read(q), (sp_quat){w[0] / 2, w[1] / 2, w[2] / 2, 0}));
}

void limb_configuration_rate(const limb_model* m, const double* q, const double* v, double* dq)
{
  for (int i = 0; i < m->njoint; i++) {
    const limb_joint* joint = &m->joint[i];
    const double *qj = q + joint->q, *vj = v + joint->v;
    double* dqj = dq + joint->q;
    const int at = quat_at(joint);
    if (at < 0) {
      for (int k = 0; k < joint->nv; k++) dqj[k] = vj[k];
      continue;
    }
    quat_rate(qj + at, vj, dqj + at);
    if (joint->def.type == LIMB_FREE) {
      const sp_vec3 p = sp_mulv(sp_rot_quat(quat_read(qj + 3)), sp_v3(vj[3], vj[4], vj[5]));
      dqj[0] = p.x, dqj[1] = p.y, dqj[2] = p.z;
    }
  }
}

// ---- a quaternion from a rotation ---------------------------------------------------------------------------

// Roll follows from the last row. Yaw and pitch are then computed for this very roll, so that their product is R
// even near a pitch of +-90 degrees, where roll alone is mostly noise:
//   R Rx(-roll) e_y = (-sin yaw, cos yaw, 0),   Rz(-yaw) R e_x = (cos pitch, 0, -sin pitch)
sp_vec3 sp_rpy_rot(sp_mat3 R)
{
  const double* m = R.m;
  const double roll = m[7] == 0 && m[8] == 0 ? 0 : atan2(m[7], m[8]);
  const double cr = cos(roll), sr = sin(roll);
  const double yaw = atan2(sr * m[2] - cr * m[1], cr * m[4] - sr * m[5]);
  const double pitch = atan2(-m[6], cos(yaw) * m[0] + sin(yaw) * m[3]);
  return sp_v3(roll + 0.0, pitch + 0.0, yaw + 0.0);
}

sp_quat sp_quat_rot(sp_mat3 R)
{
  // Shepperd's method: 4 w^2 = 1 + trace and so on; the largest of the four is divided by.
  const double *m = R.m, xx = m[0], yy = m[4], zz = m[8];
  const double x = m[7] - m[5], y = m[2] - m[6], z = m[3] - m[1];
  const double xy = m[1] + m[3], xz = m[2] + m[6], yz = m[5] + m[7];
  sp_quat q = {x, y, z, 1 + xx + yy + zz};
  if (xx + yy + zz < fmax(xx, fmax(yy, zz))) {
    if (xx >= yy && xx >= zz)
      q = (sp_quat){1 + xx - yy - zz, xy, xz, x};
    else if (yy >= zz)
      q = (sp_quat){xy, 1 - xx + yy - zz, yz, y};
    else
      q = (sp_quat){xz, yz, 1 - xx - yy + zz, z};
  }
  const double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  const double k = q.w < 0 ? -1 / n : 1 / n;
  return (sp_quat){k * q.x, k * q.y, k * q.z, k * q.w};
}

// ---- poses, and maps as matrices ----------------------------------------------------------------------------

sp_pose sp_exp(sp_motion V)
{
  const arc a = arc_of(sp_dot3(V.w, V.w));
  return sp_pose_make(sp_rot_quat(quat_exp(V.w, &a)), screw_position(V.w, &a, V.v));
}

sp_motion sp_log(sp_pose X)
{
  const sp_vec3 w = quat_log(sp_quat_rot(X.R));
  return sp_motion_make(w, screw_velocity(w, X.p));
}

// The k-th unit motion, and a column of a matrix.
static sp_motion unit_motion(int k)
{
  return sp_motion_make(sp_v3(k == 0, k == 1, k == 2), sp_v3(k == 3, k == 4, k == 5));
}

static void put_column(double* A, int k, sp_vec3 x, sp_vec3 y)
{
  const double column[6] = {x.x, x.y, x.z, y.x, y.y, y.z};
  for (int i = 0; i < 6; i++) A[6 * i + k] = column[i];
}

void sp_adjoint_matrix(sp_pose X, double Ad[36])
{
  if (!Ad) return;
  for (int k = 0; k < 6; k++) {
    const sp_motion c = sp_motion_out(X, unit_motion(k));
    put_column(Ad, k, c.w, c.v);
  }
}

void sp_ad_matrix(sp_motion V, double ad[36])
{
  if (!ad) return;
  for (int k = 0; k < 6; k++) {
    const sp_motion c = sp_crm(V, unit_motion(k));
    put_column(ad, k, c.w, c.v);
  }
}

void sp_inertia_matrix(const sp_inertia* Y, double G[36])
{
  if (!G) return;
  const sp_vec3 none = sp_v3((double)NAN, (double)NAN, (double)NAN);
  for (int k = 0; k < 6; k++) {
    const sp_force c = Y ? sp_inertia_times(Y, unit_motion(k)) : sp_force_make(none, none);
    put_column(G, k, c.m, c.f);
  }
}
