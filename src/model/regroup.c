// Fourth step of compiling: link inertias, and the parameters that have no effect of their own.
//
// Inertias are mass m, first moments h and second moments J = sum m r r' about the link origin: under
// a change of frame r = R r' + p they go over into
//
//   m,   h = R h' + m p,   J = R J' R' + (R h') p' + p (R h')' + m p p'
//
// What a joint's motion cannot distinguish from the parent moves to the parent (Khalil 2010; Gautier and Khalil's
// base parameters): for a rotation the part that sits on the axis (m, hz, Jzz), for a translation the
// whole of J, for a ball the mass. Joint forces, accelerations and the robot's momentum stay the same;
// joint reactions do not, so the ungrouped inertias are kept beside.

#include "model/compile_impl.h"

// Second moment along an axis from the moments of inertia about it and about the other two. (The larger of
// these is about the size of the first for a slender body: it is taken off first.)
static double along_axis(double about, double other1, double other2)
{
  return ((fmax(other1, other2) - about) + fmin(other1, other2)) / 2;
}

// Body inertia about its centre of mass, in frame b, as moments in a link where b has pose X.
static limb_moments moments_of(const sp_inertia* Y, const sp_pose* X)
{
  const sp_inertia I = limb_inertia_move(*X, *Y);
  const sp_vec3 c = I.com;
  const double m = I.mass;
  return (limb_moments){.m = m,
                        .hx = m * c.x,
                        .hy = m * c.y,
                        .hz = m * c.z,
                        .xx = along_axis(I.xx, I.yy, I.zz) + m * c.x * c.x,
                        .xy = -I.xy + m * c.x * c.y,
                        .xz = -I.xz + m * c.x * c.z,
                        .yy = along_axis(I.yy, I.zz, I.xx) + m * c.y * c.y,
                        .yz = -I.yz + m * c.y * c.z,
                        .zz = along_axis(I.zz, I.xx, I.yy) + m * c.z * c.z};
}

static void add_moments(limb_moments* sum, const limb_moments* x)
{
  sum->m += x->m;
  sum->hx += x->hx, sum->hy += x->hy, sum->hz += x->hz;
  sum->xx += x->xx, sum->xy += x->xy, sum->xz += x->xz;
  sum->yy += x->yy, sum->yz += x->yz, sum->zz += x->zz;
}

// Moments given in a child, expressed in the parent; X is the child's pose there.
static limb_moments move_moments(const sp_pose* X, const limb_moments* s)
{
  const sp_mat3 J = {{s->xx, s->xy, s->xz, s->xy, s->yy, s->yz, s->xz, s->yz, s->zz}};
  const sp_mat3 K = sp_mul3(sp_mul3(X->R, J), sp_transpose3(X->R));
  const sp_vec3 h = sp_mulv(X->R, sp_v3(s->hx, s->hy, s->hz)), p = X->p;
  const sp_vec3 g = sp_add3(h, sp_scale3(s->m, p)); // J = K + h p' + p g'
  return (limb_moments){.m = s->m,
                        .hx = g.x,
                        .hy = g.y,
                        .hz = g.z,
                        .xx = K.m[0] + h.x * p.x + p.x * g.x,
                        .xy = K.m[1] + h.x * p.y + p.x * g.y,
                        .xz = K.m[2] + h.x * p.z + p.x * g.z,
                        .yy = K.m[4] + h.y * p.y + p.y * g.y,
                        .yz = K.m[5] + h.y * p.z + p.y * g.z,
                        .zz = K.m[8] + h.z * p.z + p.z * g.z};
}

sp_pose limb_rest_pose(const limb_model* m, int i)
{
  const limb_link_f64* k = &m->k64[i];
  if (m->link[i].aux >= 0) return m->aux_pose[m->link[i].aux];
  const sp_mat3 G = {{k->cg, -k->sg, 0, k->sg, k->cg, 0, 0, 0, 1}};
  const sp_mat3 A = {{1, 0, 0, 0, k->ca, -k->sa, 0, k->sa, k->ca}};
  const sp_mat3 T = {{k->ct, -k->st, 0, k->st, k->ct, 0, 0, 0, 1}};
  return sp_pose_make(sp_mul3(sp_mul3(G, A), T), sp_v3(k->px, k->py, k->pz));
}

// Takes from s what the joint cannot distinguish from the parent.
static limb_moments take_indistinct(uint8_t joint_class, limb_moments* s)
{
  limb_moments moved = {0};
  if (joint_class <= CLASS_ROT_ANY) {
    moved = (limb_moments){.m = s->m, .hz = s->hz, .zz = s->zz};
    s->m = s->hz = s->zz = 0;
  } else if (joint_class == CLASS_TRANS) {
    moved = *s;
    moved.m = moved.hx = moved.hy = moved.hz = 0;
    s->xx = s->xy = s->xz = s->yy = s->yz = s->zz = 0;
  } else if (joint_class == CLASS_BALL) {
    moved.m = s->m;
    s->m = 0;
  }
  return moved;
}

static void store_grouped(limb_link_f64* k, const limb_moments* s)
{
  k->m = s->m, k->hx = s->hx, k->hy = s->hy, k->hz = s->hz;
  k->xx = s->xx, k->xy = s->xy, k->xz = s->xz, k->yy = s->yy, k->yz = s->yz, k->zz = s->zz;
}

// Sum of magnitudes: to distinguish rounding from zero.
static double magnitude(const limb_moments* s)
{
  return fabs(s->m) + fabs(s->hx) + fabs(s->hy) + fabs(s->hz) + fabs(s->xx) + fabs(s->xy) + fabs(s->xz) + fabs(s->yy) +
         fabs(s->yz) + fabs(s->zz);
}

void limb_regroup(limb_draft* t, limb_model* m)
{
  for (int i = 0; i < m->nlink; i++) m->inertia[i] = (limb_moments){0};
  for (int b = 0; b < m->nbody; b++) {
    const limb_body* body = &m->body[b];
    const limb_moments s = moments_of(&body->inertia, &body->in_link);
    add_moments(body->link < 0 ? &m->fixed : &m->inertia[body->link], &s);
    m->total_mass += body->inertia.mass;
  }
  for (int i = 0; i < m->nlink; i++) t->grouped[i] = m->inertia[i];
  for (int i = m->nlink - 1; i >= 0; i--) {
    limb_link* link = &m->link[i];
    const int p = link->parent;
    const double all = magnitude(&t->grouped[i]);
    const limb_moments indistinct = take_indistinct(link->joint_class, &t->grouped[i]);
    if (p >= 0) {
      const sp_pose X = limb_rest_pose(m, i);
      const limb_moments moved = move_moments(&X, &indistinct);
      add_moments(&t->grouped[p], &moved);
    }
    store_grouped(&m->k64[i], &t->grouped[i]);
    link->massive |= m->k64[i].m != 0;
    link->loaded |= magnitude(&t->grouped[i]) > 1e-15 * all;
    if (p >= 0) m->link[p].massive |= link->massive, m->link[p].loaded |= link->loaded;
  }
}
