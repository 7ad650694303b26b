// A state of a robot in the coordinates of another cut: joint by joint, from the poses of the bodies where
// need be.
//
// A joint that is neither new nor turned round keeps its coordinates; turned round, too, where its type
// allows (recut.c). The others are read off: with X and V the pose and twist of child in parent at the joint,
// V in child axes,
//
//     placement^-1 X = M(q)      R of M about an axis n: angle atan2(n . vee(R - R') / 2, (trace R - 1) / 2)

#include "limb/assemble.h"

#include "kinematics/kinematics_impl.h"
#include "linalg/dense.h"
#include "model/data_impl.h"

#include <math.h>
#include <string.h>

typedef struct relative {
  sp_pose M;
  sp_motion V; // axes of the child, at its origin
} relative;

static sp_pose body_pose(const limb_data* d, int body)
{
  const limb_site s = limb_site_of(d->m, body);
  return limb_site_pose(&s, d->own.X);
}

// The same body in the model that was cut. Bodies behind its own are those that stand in between: they are
// fixed to a body by the joint of the same name.
static bool find_body(const limb_model* from, const limb_model* to, int body, int* given, sp_pose* in_given)
{
  *in_given = sp_pose_identity();
  *given = body;
  if (body < from->nbody) return true;
  for (int j = 0; j < to->njoint; j++) { // the body that it carries: X_body = X_child placement^-1
    const limb_joint_def* def = &to->joint[j].def;
    if (def->parent != body || def->type != LIMB_FIXED) continue;
    *given = def->child;
    *in_given = sp_invert(def->placement);
    return def->child < from->nbody;
  }
  return false;
}

static bool relative_of(const limb_data* d, const limb_model* to, const limb_joint_def* def, bool moves, relative* out)
{
  int body[2];
  sp_pose in[2], X[2];
  sp_motion V[2] = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
  for (int e = 0; e < 2; e++) {
    if (!find_body(d->m, to, e ? def->child : def->parent, &body[e], &in[e])) return false;
    X[e] = sp_compose(body_pose(d, body[e]), in[e]);
  }
  for (int e = 0; e < 2 && moves; e++) // both at the child's origin, world axes
    V[e] = limb_link_motion_at(d->own.X, d->own.v, d->m->body[body[e]].link, X[1].p);
  const sp_motion world = sp_motion_make(sp_sub3(V[1].w, V[0].w), sp_sub3(V[1].v, V[0].v));
  out->V = sp_motion_make(sp_tmulv(X[1].R, world.w), sp_tmulv(X[1].R, world.v));
  out->M = sp_compose(sp_invert(sp_compose(X[0], def->placement)), X[1]);
  return true;
}

static double angle_about(const sp_mat3* R, sp_vec3 n)
{
  const double* r = R->m;
  const sp_vec3 s = sp_v3(r[7] - r[5], r[2] - r[6], r[3] - r[1]);
  return atan2(sp_dot3(n, s) / 2, (r[0] + r[4] + r[8] - 1) / 2);
}

static void write_turn(sp_mat3 R, double* x)
{
  const sp_quat r = sp_quat_rot(R);
  x[0] = r.x, x[1] = r.y, x[2] = r.z, x[3] = r.w;
}

// M = R(x, q0) R(y, q1) with x, y at right angles: M y = cos q0 y + sin q0 z, and M' x = cos q1 x + sin q1 z.
// The first turns about M' x in child axes.
static void read_universal(const limb_joint_def* def, const relative* r, double* q, double* v)
{
  const sp_vec3 x = def->axis, y = def->axis2, z = sp_cross3(x, y);
  const sp_vec3 My = sp_mulv(r->M.R, y), Mx = sp_tmulv(r->M.R, x);
  q[0] = atan2(sp_dot3(My, z), sp_dot3(My, y));
  q[1] = atan2(sp_dot3(Mx, z), sp_dot3(Mx, x));
  v[0] = sp_dot3(r->V.w, Mx);
  v[1] = sp_dot3(r->V.w, y);
}

static void read_planar(const limb_joint_def* def, const relative* r, double* q, double* v)
{
  const sp_vec3 x = def->axis2, y = sp_cross3(def->axis, x); // at right angles in a model
  const sp_vec3 rate = sp_mulv(r->M.R, r->V.v);
  q[0] = sp_dot3(r->M.p, x), q[1] = sp_dot3(r->M.p, y);
  q[2] = angle_about(&r->M.R, def->axis);
  v[0] = sp_dot3(rate, x), v[1] = sp_dot3(rate, y);
  v[2] = sp_dot3(r->V.w, def->axis);
}

// Coordinates and velocities of a joint from M and V.
static void read_off(const limb_joint_def* def, const relative* r, double* q, double* v)
{
  const sp_vec3 n = def->axis;
  switch (def->type) {
  case LIMB_FIXED: return;
  case LIMB_REVOLUTE:
  case LIMB_HELICAL: q[0] = angle_about(&r->M.R, n), v[0] = sp_dot3(r->V.w, n); return;
  case LIMB_PRISMATIC: q[0] = sp_dot3(r->M.p, n), v[0] = sp_dot3(r->V.v, n); return;
  case LIMB_CYLINDRICAL:
    q[0] = angle_about(&r->M.R, n), v[0] = sp_dot3(r->V.w, n);
    q[1] = sp_dot3(r->M.p, n), v[1] = sp_dot3(r->V.v, n);
    return;
  case LIMB_UNIVERSAL: read_universal(def, r, q, v); return;
  case LIMB_PLANAR: read_planar(def, r, q, v); return;
  case LIMB_SPHERICAL: write_turn(r->M.R, q), limb_write3(r->V.w, v); return;
  case LIMB_FREE:
    limb_write3(r->M.p, q), write_turn(r->M.R, q + 3);
    limb_write3(r->V.w, v), limb_write3(r->V.v, v + 3);
    return;
  }
}

// Whether a joint of the one is that of the other, turned round or not; and whether its coordinates are.
typedef enum kinship { KIN_SAME, KIN_REVERSED, KIN_OTHER } kinship;

static kinship kinship_of(const limb_joint_def* was, const limb_joint_def* is)
{
  if (strcmp(was->name, is->name) != 0 || was->type != is->type) return KIN_OTHER;
  if (was->parent == is->parent && was->child == is->child) return KIN_SAME;
  if (was->child != is->parent) return KIN_OTHER;
  switch (was->type) {
  case LIMB_UNIVERSAL: return KIN_REVERSED;
  case LIMB_SPHERICAL:
  case LIMB_PLANAR:
  case LIMB_FREE: return KIN_OTHER;
  default: return KIN_SAME;
  }
}

static limb_status map_joint(const limb_data* d, const limb_model* to, int j, const double* q, const double* v,
                             double* q_to, double* v_to)
{
  const limb_joint *was = &d->m->joint[j], *is = &to->joint[j];
  const kinship kin = kinship_of(&was->def, &is->def);
  double qj[7], vj[6] = {0};
  relative r;
  if (kin == KIN_OTHER) {
    if (!relative_of(d, to, &is->def, v != NULL, &r)) return LIMB_E_ARG;
    read_off(&is->def, &r, qj, vj);
  } else {
    memcpy(qj, q + was->q, (size_t)was->nq * sizeof *q);
    if (v) memcpy(vj, v + was->v, (size_t)was->nv * sizeof *v);
  }
  if (kin == KIN_REVERSED) {
    const double q0 = qj[0], v0 = vj[0];
    qj[0] = qj[1], qj[1] = q0;
    vj[0] = vj[1], vj[1] = v0;
  }
  memcpy(q_to + is->q, qj, (size_t)is->nq * sizeof *q);
  if (v) memcpy(v_to + is->v, vj, (size_t)is->nv * sizeof *v);
  return LIMB_OK;
}

limb_status limb_recut_state(limb_data* d, const limb_model* to, const double* q, const double* v, double* q_to,
                             double* v_to)
{
  if (!d || !to || !q || !q_to || (v && !v_to)) return LIMB_E_ARG;
  const limb_model* m = d->m;
  if (to->nbody < m->nbody || to->njoint < m->njoint) return LIMB_E_ARG;
  for (int i = 1; i < m->nbody; i++) {
    if (strcmp(m->body[i].name, to->body[i].name) != 0) return LIMB_E_ARG;
  }
  limb_status s = limb_link_kinematics(d, q, v, NULL, &d->own);
  for (int j = 0; s == LIMB_OK && j < m->njoint; j++) {
    if (to->joint[j].nq > 0) s = map_joint(d, to, j, q, v, q_to, v_to);
  }
  return s;
}
