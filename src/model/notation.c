// The robot in the notations of books: modified and standard Denavit-Hartenberg rows, screws of the product of
// exponentials. They are read from the joints as described; where the frames of the bodies are not of a notation, from
// the compiled links, which are on the common normals of the axes (links.c).
//
// Reference: Khalil 2010, section 2.1; Lynch and Park 2017, sections 4.1 and 8.3 of the book.
#include "model/builder_impl.h"
#include "model/compile_impl.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SPACE = 1024 };

static const double SAME = 1e-12; // what rounding leaves of a zero, relative to the lengths at hand

// ---- rows ---------------------------------------------------------------------------------------------------

static sp_pose about_z(double angle, double slide) { return sp_pose_make(sp_rot_rpy(0, 0, angle), sp_v3(0, 0, slide)); }

static sp_pose about_x(double angle, double slide) { return sp_pose_make(sp_rot_rpy(angle, 0, 0), sp_v3(slide, 0, 0)); }

sp_pose limb_pose_of_mdh(limb_mdh k)
{
  return sp_compose(sp_compose(about_z(k.gamma, k.b), about_x(k.alpha, k.d)), about_z(k.theta, k.r));
}

sp_pose limb_pose_of_dh(limb_dh k) { return sp_compose(about_z(k.theta, k.d), about_x(k.alpha, k.a)); }

// p = Rz(gamma) (d, -r sin alpha, b + r cos alpha)
limb_mdh limb_mdh_of_pose(sp_pose X)
{
  const double* R = X.R.m;
  const sp_vec3 z = sp_v3(R[2], R[5], R[8]), p = X.p; // z = (sg sa, -cg sa, ca)
  double cg = 1, sg = 0, ca = z.z < 0 ? -1 : 1;
  double sa = hypot(z.x, z.y);
  limb_mdh k = {0};
  if (sa >= LIMB_SQUARE) {
    cg = -z.y / sa, sg = z.x / sa, ca = z.z;
    if (fabs(cg) < LIMB_SQUARE) cg = 0, sg = sg > 0 ? 1 : -1;
    if (cg < 0 || (cg == 0 && sg < 0)) cg = -cg, sg = -sg, sa = -sa; // gamma in (-90, 90] degrees
    k.r = (sg * p.x - cg * p.y) / sa;
    k.b = p.z - ca * k.r;
  } else {
    sa = 0;
    const double d = hypot(p.x, p.y);
    if (d > 0) cg = p.x / d, sg = p.y / d;
    if (cg < 0 || (cg == 0 && sg < 0)) cg = -cg, sg = -sg;
    k.r = ca * p.z;
  }
  k.gamma = atan2(sg, cg);
  k.alpha = atan2(sa, ca);
  k.d = cg * p.x + sg * p.y;
  // first column of Rz(theta) = Rx(-alpha) Rz(-gamma) R
  const double x = cg * R[0] + sg * R[3], y = cg * R[3] - sg * R[0];
  k.theta = atan2(ca * y + sa * R[6], x);
  return k;
}

int limb_dh_of_pose(sp_pose X, limb_dh* out)
{
  const double *R = X.R.m, c = R[0], s = R[3]; // x axis: (cos theta, sin theta, 0)
  if (!out || fabs(R[6]) > SAME || fabs(c * X.p.y - s * X.p.x) > SAME * (1 + sp_norm3(X.p))) return 0;
  *out = (limb_dh){.theta = atan2(s, c), .d = X.p.z, .a = c * X.p.x + s * X.p.y, .alpha = atan2(R[7], R[8])};
  return 1;
}

// ---- what readers added -------------------------------------------------------------------------------------

// The child of a joint across an auxiliary body, and its pose in the joint frame at q = 0.
static int far_child(const limb_model* m, const limb_joint_def* def, sp_pose* offset)
{
  const int body = limb_stands_for(m, def->child);
  *offset = body < 0 ? sp_pose_identity() : m->joint[m->body[body].joint].def.placement;
  return body < 0 ? def->child : body;
}

static const limb_joint* described(const limb_model* m, int joint)
{
  return m && joint >= 0 && joint < m->njoint && !limb_joint_is_auxiliary(m, joint) ? &m->joint[joint] : NULL;
}

// ---- screws -------------------------------------------------------------------------------------------------

// With every joint at 0.
static sp_pose home_of(const limb_model* m, int body)
{
  sp_pose M = sp_pose_identity();
  for (; body != LIMB_WORLD_BODY; body = m->body[body].parent)
    M = sp_compose(m->joint[m->body[body].joint].def.placement, M);
  return M;
}

limb_status limb_frame_home(const limb_model* m, int frame, sp_pose* out)
{
  limb_frame_info x;
  const limb_status s = out ? limb_get_frame(m, frame, &x) : LIMB_E_ARG;
  if (s == LIMB_OK) *out = sp_compose(home_of(m, x.body), x.pose);
  return s;
}

// The unit motion of component k in the joint frame; its kind in *type.
static sp_motion unit_motion(const limb_joint_def* def, int k, limb_joint_type* type)
{
  static const sp_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const sp_vec3 none = sp_v3(0, 0, 0);
  limb_step steps[MAX_STEPS];
  *type = def->type;
  if (limb_joint_steps(def, steps) == 0) return sp_motion_make(none, none);
  const uint8_t kind = steps[k % MAX_STEPS].joint_class;
  const bool slides = kind == CLASS_TRANS || (def->type == LIMB_FREE && k >= 3);
  const bool whole = def->type == LIMB_SPHERICAL || def->type == LIMB_FREE;
  const sp_vec3 n = whole ? unit[k % 3] : steps[k].axis;
  *type = slides ? LIMB_PRISMATIC : kind == CLASS_SCREW ? LIMB_HELICAL : LIMB_REVOLUTE;
  if (slides) return sp_motion_make(none, n);
  return sp_motion_make(n, kind == CLASS_SCREW ? sp_scale3(def->pitch, n) : none);
}

limb_status limb_get_screw(const limb_model* m, int joint, int component, limb_screw_row* out)
{
  const limb_joint* j = described(m, joint);
  const int count = j ? limb_type_nv(j->def.type) : 0;
  if (!j || !out || component < 0 || component >= (count > 0 ? count : 1)) return LIMB_E_ARG;
  sp_pose offset;
  *out = (limb_screw_row){.joint = joint, .component = component, .parent = j->def.parent};
  out->child = far_child(m, &j->def, &offset);
  const sp_motion s = unit_motion(&j->def, component, &out->type);
  const sp_pose above = home_of(m, j->def.parent), frame = sp_compose(above, j->def.placement);
  out->in_parent = sp_compose(j->def.placement, offset);
  out->home = sp_compose(above, out->in_parent);
  out->space = sp_motion_out(frame, s);
  out->body = sp_motion_in(offset, s);
  return LIMB_OK;
}

// ---- Denavit-Hartenberg rows as described -------------------------------------------------------------------

static bool one_axis(const limb_joint* j)
{
  return j->def.type == LIMB_REVOLUTE || j->def.type == LIMB_PRISMATIC || j->def.type == LIMB_HELICAL;
}

static bool along_z(sp_vec3 n) { return fabs(n.x) < SAME && fabs(n.y) < SAME && n.z > 0; }

limb_status limb_get_joint_mdh(const limb_model* m, int joint, limb_mdh* out)
{
  const limb_joint* j = described(m, joint);
  sp_pose offset;
  if (!j || !out) return LIMB_E_ARG;
  (void)far_child(m, &j->def, &offset);
  const sp_vec3 n = sp_tmulv(offset.R, j->def.axis), p = offset.p;
  const bool shifted = hypot(p.x, p.y) > SAME || (p.z != 0 && j->def.type != LIMB_FIXED);
  if (j->def.type != LIMB_FIXED && (!one_axis(j) || !along_z(n) || shifted)) return LIMB_E_UNSUPPORTED;
  *out = limb_mdh_of_pose(sp_compose(j->def.placement, offset));
  return LIMB_OK;
}

limb_status limb_get_joint_dh(const limb_model* m, int joint, limb_dh* out)
{
  const limb_joint* j = described(m, joint);
  sp_pose offset;
  if (!j || !out) return LIMB_E_ARG;
  (void)far_child(m, &j->def, &offset);
  const sp_vec3 n = sp_mulv(j->def.placement.R, j->def.axis), p = j->def.placement.p;
  const bool on_axis = j->def.type == LIMB_PRISMATIC || hypot(p.x, p.y) <= SAME * (1 + sp_norm3(p));
  if (j->def.type != LIMB_FIXED && (!one_axis(j) || !along_z(n) || !on_axis)) return LIMB_E_UNSUPPORTED;
  return limb_dh_of_pose(sp_compose(j->def.placement, offset), out) ? LIMB_OK : LIMB_E_UNSUPPORTED;
}

// Joints that a table of rows is about.
static bool moves(const limb_model* m, int joint)
{
  return m->joint[joint].nlink > 0 && m->joint[joint].def.type != LIMB_FREE;
}

int limb_has_dh_frames(const limb_model* m)
{
  limb_dh row;
  bool any = false;
  for (int j = 0; m && j < m->njoint; j++) {
    if (!moves(m, j)) continue;
    if (limb_get_joint_dh(m, j, &row) != LIMB_OK) return 0;
    any = true;
  }
  return any;
}

static bool is_plain(const limb_mdh* k) { return fabs(k->gamma) < SAME && fabs(k->b) < SAME * (1 + fabs(k->r)); }

int limb_has_mdh_frames(const limb_model* m)
{
  limb_mdh row;
  bool any = false;
  for (int j = 0; m && j < m->njoint; j++) {
    if (!moves(m, j)) continue;
    if (limb_get_joint_mdh(m, j, &row) != LIMB_OK) return 0;
    any = true;
    const int parent = m->joint[j].def.parent;
    if (m->body[parent].carrier == LIMB_WORLD_BODY || is_plain(&row)) continue;
    bool plain = false; // another joint on the same body may be the one that its frame was laid for
    for (int k = 0; k < m->njoint && !plain; k++)
      plain = k != j && m->joint[k].def.parent == parent && moves(m, k) && limb_get_joint_mdh(m, k, &row) == LIMB_OK &&
              is_plain(&row);
    if (!plain) return 0;
  }
  return any;
}

// ---- the standard table of a chain --------------------------------------------------------------------------

// Links in series: between Rz(theta) Tz(r) of one and Rx(alpha) Tx(d) of the next stands Rz(gamma) Tz(b), which
// commutes with both about the same axis:
//   standard row i:  theta_i + gamma_(i+1),  d = r_i + b_(i+1),  a = d_(i+1),  alpha_(i+1)
limb_status limb_get_dh_table(const limb_model* m, sp_pose* base, int max, limb_dh_row* rows, int* count, sp_pose* tool)
{
  if (!m || !base || !count || !tool || max < 0 || (max > 0 && !rows)) return LIMB_E_ARG;
  *count = m->nlink;
  *base = *tool = sp_pose_identity();
  for (int i = 0; i < m->nlink; i++) {
    const uint8_t kind = m->link[i].joint_class;
    if (m->link[i].parent != i - 1 || kind > CLASS_TRANS) return LIMB_E_UNSUPPORTED;
  }
  for (int i = 0; i < m->nlink; i++) {
    limb_mdh_row own, next = {0};
    limb_status s = limb_get_mdh(m, i, &own);
    if (s == LIMB_OK && i + 1 < m->nlink) s = limb_get_mdh(m, i + 1, &next);
    if (s != LIMB_OK) return s;
    if (i == 0) *base = sp_compose(about_z(own.gamma, own.b), about_x(own.alpha, own.d));
    limb_dh_row out = {own.joint, own.type, own.q, own.multiplier,
                       (limb_dh){own.theta + next.gamma, own.r + next.b, next.d, next.alpha}};
    if (i + 1 == m->nlink) { // the frame of the last body, where it is of this form
      sp_pose offset;
      const sp_pose X = m->body[far_child(m, &m->joint[own.joint].def, &offset)].in_link;
      if (!limb_dh_of_pose(sp_compose(about_z(own.theta, own.r), X), &out.row)) *tool = X;
    }
    out.row.theta = remainder(out.row.theta, 4 * acos(0.0)); // within half a turn
    if (i < max) rows[i] = out;
  }
  return LIMB_OK;
}

// ---- modified frames ----------------------------------------------------------------------------------------

// Rounding of what is the identity counts as the identity.
static bool is_identity(const sp_pose* X)
{
  const sp_mat3 one = sp_identity3();
  double off = sp_norm3(X->p);
  for (int k = 0; k < 9; k++) off = fmax(off, fabs(X->R.m[k] - one.m[k]));
  return off < LIMB_SQUARE;
}

// An auxiliary body that nothing else refers to can be moved.
static bool is_free(const limb_model* m, int body)
{
  int users = 0;
  for (int j = 0; j < m->njoint; j++) users += m->joint[j].def.parent == body;
  for (int f = 0; f < m->nframe; f++) users += m->frame[f].body == body;
  for (int l = 0; l < m->nloop; l++) users += m->loop[l].def.body_a == body || m->loop[l].def.body_b == body;
  return users == 1;
}

limb_status limb_builder_add_axis(limb_builder* b, const char* name, int body, sp_pose X, int* axis)
{
  char text[NAME_SPACE];
  if (strlen(name) >= sizeof text - sizeof ".offset") return LIMB_E_ARG;
  (void)snprintf(text, sizeof text, "%s.axis", name);
  const limb_body_def massless = limb_default_body_def(text);
  limb_status s = limb_builder_add_body(b, &massless, axis, NULL);
  if (s != LIMB_OK) return s;
  (void)snprintf(text, sizeof text, "%s.offset", name);
  limb_joint_def weld = limb_default_joint_def(text, LIMB_FIXED, *axis, body);
  weld.placement = X;
  return limb_builder_add_joint(b, &weld, NULL, NULL);
}

// The frame of link i becomes that of a body, whose index goes into carrier[i].
static limb_status give_frame(const limb_model* m, limb_builder* b, int i, int* carrier)
{
  const int j = m->link[i].joint, child = m->joint[j].def.child;
  const int behind = limb_stands_for(m, child);
  const sp_pose X = m->body[child].in_link;
  carrier[i] = child;
  if (is_identity(&X)) return LIMB_OK;
  if (behind >= 0 && is_free(m, child)) {
    b->joint[m->body[behind].joint].placement = m->body[behind].in_link;
    return LIMB_OK;
  }
  const limb_status s = limb_builder_add_axis(b, m->body[child].name, child, X, &carrier[i]);
  if (s == LIMB_OK) b->joint[j].child = carrier[i];
  return s;
}

// Joint of link i in the frame of its antecedent, with the coordinate of the joint itself at 0.
static limb_status place(const limb_model* m, limb_builder* b, int i, const int* carrier)
{
  const limb_joint* joint = &m->joint[m->link[i].joint];
  limb_joint_def* def = &b->joint[m->link[i].joint];
  limb_mdh_row row;
  const limb_status s = limb_get_mdh(m, i, &row);
  if (s != LIMB_OK) return s;
  const bool slides = row.type == LIMB_PRISMATIC;
  const limb_mdh k = {row.gamma,
                      row.b,
                      row.alpha,
                      row.d,
                      row.theta - (slides ? 0 : joint->offset),
                      row.r - (slides ? 1 : row.pitch) * joint->offset};
  def->placement = limb_pose_of_mdh(k);
  def->axis = sp_v3(0, 0, 1);
  def->parent = LIMB_WORLD_BODY;
  if (row.antecedent < 0) return LIMB_OK;
  def->parent = carrier[row.antecedent];
  if (def->parent >= 0) return LIMB_OK;
  def->parent = m->joint[m->link[row.antecedent].joint].def.child; // a joint with several links, a ball, a free joint
  def->placement = sp_compose(sp_invert(m->body[def->parent].in_link), def->placement);
  return LIMB_OK;
}

limb_status limb_builder_with_mdh(const limb_model* m, const limb_allocator* alloc, limb_builder** out)
{
  limb_builder* b = NULL;
  limb_status s = limb_builder_from_model(m, alloc, out);
  if (s != LIMB_OK || limb_has_mdh_frames(m)) return s;
  b = *out;
  const size_t size = ((size_t)m->nlink + 1) * sizeof(int);
  int* carrier = limb_alloc(&b->alloc, size);
  if (!carrier) s = LIMB_E_NOMEM;
  for (int i = 0; i < m->nlink && s == LIMB_OK; i++) {
    carrier[i] = -1;
    if (one_axis(&m->joint[m->link[i].joint])) s = give_frame(m, b, i, carrier);
  }
  for (int i = 0; i < m->nlink && s == LIMB_OK; i++)
    if (carrier[i] >= 0) s = place(m, b, i, carrier);
  limb_free(&b->alloc, carrier, size);
  if (s == LIMB_OK) return s;
  limb_builder_destroy(b);
  *out = NULL;
  return s;
}
