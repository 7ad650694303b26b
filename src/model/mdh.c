// The compiled robot as a table of modified Denavit-Hartenberg parameters with the two parameters of trees
// (Khalil 2010, section 2.1): every link frame from its antecedent's by
//
//   Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)
//
// The compiler keeps a general offset p instead of b, d and r (model/link.h):
// p = Rz(gamma) (d, -r sin alpha, b + r cos alpha). Parallel axes leave b free: it is zero.

#include "model/model_impl.h"

// Pose of link i in its antecedent when the joint's own turn and slide are zero, for q = 0.
static sp_pose constant_pose(const limb_model* m, int i)
{
  const limb_link* link = &m->link[i];
  const limb_link_f64* k = &m->k64[i];
  sp_pose T;
  if (link->aux >= 0) {
    T = m->aux_pose[link->aux];
  } else {
    const sp_mat3 G = {{k->cg, -k->sg, 0, k->sg, k->cg, 0, 0, 0, 1}};
    const sp_mat3 A = {{1, 0, 0, 0, k->ca, -k->sa, 0, k->sa, k->ca}};
    const sp_mat3 C = {{k->ct, -k->st, 0, k->st, k->ct, 0, 0, 0, 1}};
    T = sp_pose_make(sp_mul3(sp_mul3(G, A), C), sp_v3(k->px, k->py, k->pz));
  }
  return link->parent < 0 ? sp_compose(m->base[link->root], T) : T;
}

// T = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)
static void decompose(const sp_pose* T, limb_mdh_row* row)
{
  const double* R = T->R.m;
  const sp_vec3 z = sp_v3(R[2], R[5], R[8]), p = T->p; // z = (sg sa, -cg sa, ca)
  double cg = 1, sg = 0, ca = z.z < 0 ? -1 : 1;
  double sa = hypot(z.x, z.y);
  if (sa >= LIMB_SQUARE) {
    cg = -z.y / sa, sg = z.x / sa, ca = z.z;
    if (cg < 0 || (cg == 0 && sg < 0)) cg = -cg, sg = -sg, sa = -sa; // gamma in (-90, 90] degrees
    row->r = (sg * p.x - cg * p.y) / sa;
    row->b = p.z - ca * row->r;
  } else {
    sa = 0;
    const double d = hypot(p.x, p.y);
    if (d > 0) cg = p.x / d, sg = p.y / d;
    if (cg < 0 || (cg == 0 && sg < 0)) cg = -cg, sg = -sg;
    row->r = ca * p.z;
    row->b = 0;
  }
  row->gamma = atan2(sg, cg);
  row->alpha = atan2(sa, ca);
  row->d = cg * p.x + sg * p.y;
  // first column of Rz(theta) = Rx(-alpha) Rz(-gamma) R
  const double x = cg * R[0] + sg * R[3], y = cg * R[3] - sg * R[0];
  row->theta = atan2(ca * y + sa * R[6], x);
}

static void to_parameters(const limb_moments* s, double theta[10])
{
  theta[0] = s->m;
  theta[1] = s->hx, theta[2] = s->hy, theta[3] = s->hz;
  theta[4] = s->yy + s->zz, theta[5] = 0 - s->xy, theta[6] = 0 - s->xz; // no -0
  theta[7] = s->xx + s->zz, theta[8] = 0 - s->yz, theta[9] = s->xx + s->yy;
}

static limb_joint_type type_of(uint8_t joint_class)
{
  switch (joint_class) {
  case CLASS_TRANS: return LIMB_PRISMATIC;
  case CLASS_SCREW: return LIMB_HELICAL;
  case CLASS_BALL: return LIMB_SPHERICAL;
  case CLASS_FREE: return LIMB_FREE;
  default: return LIMB_REVOLUTE;
  }
}

int limb_mdh_count(const limb_model* m) { return m ? m->nlink : 0; }

limb_status limb_get_mdh(const limb_model* m, int index, limb_mdh_row* out)
{
  if (!m || !out || index < 0 || index >= m->nlink) return LIMB_E_ARG;
  const limb_link* link = &m->link[index];
  const limb_link_f64* k = &m->k64[index];
  const limb_moments grouped = {k->m, k->hx, k->hy, k->hz, k->xx, k->xy, k->xz, k->yy, k->yz, k->zz};
  const sp_pose T = constant_pose(m, index);
  *out = (limb_mdh_row){.joint = link->joint,
                        .antecedent = link->parent,
                        .type = type_of(link->joint_class),
                        .q = link->q,
                        .multiplier = k->mult,
                        .pitch = k->pitch};
  decompose(&T, out);
  if (out->type == LIMB_PRISMATIC) {
    out->r += k->off;
  } else if (link->aux < 0) {
    out->theta = remainder(out->theta + k->off, 4 * acos(0.0)); // within half a turn
    out->r += k->pitch * k->off;
  }
  to_parameters(&m->inertia[index], out->inertia);
  to_parameters(&grouped, out->grouped);
  return LIMB_OK;
}
