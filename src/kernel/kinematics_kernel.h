// Kinematics: pose, velocity and spatial acceleration of every link; joint axes, frames, wrenches.
//
// Reference: Lynch and Park 2017, (9.53)-(9.55), and Featherstone 2008, table 5.1, in link axes.
// Cost:      O(nlink).
//
//   X_i     pose in the world           X_i = X_p P_i
//   v_i     velocity, link axes         v_i = Ad v_p + S q'
//   a_i     spatial acceleration        a_i = Ad a_p + S q'' + v_i x S q'      a_v: the same with q'' = 0
//   P_i     transform across the joint; p: parent; S: axis of the joint
#ifndef LIMB_KERNEL_KINEMATICS_KERNEL_H
#define LIMB_KERNEL_KINEMATICS_KERNEL_H

#include "kernel/coordinates.h"
#include "kernel/inertia.h"

typedef struct link_arrays { // nlink each; v and the a's may be NULL
  pose* X;
  motion *v, *a, *a_v;
} link_arrays;

KERNEL motion motion_to_link(const joint_transform* P, motion v)
{
  return (motion){to_link(P, v.w), to_link(P, add3(v.v, cross_offset(P, v.w)))};
}

// S x
KERNEL motion along_joint(int joint_class, const link_const* k, const real* x)
{
  motion s = {zero3(), zero3()};
  if (is_turning(joint_class)) s.w.z = x[0];
  if (joint_class == CLASS_TRANS) s.v.z = x[0];
  if (joint_class == CLASS_SCREW) s.v.z = scale(k->pitch, x[0]);
  if (is_dense(joint_class)) s.w = v3(x[0], x[1], x[2]);
  if (joint_class == CLASS_FREE) s.v = v3(x[3], x[4], x[5]);
  return s;
}

KERNEL mat3 turn_matrix(const joint_transform* P)
{
  if (is_dense(P->joint_class)) return P->X.R;
  return columns(to_parent(P, v3(one(), zero(), zero())), to_parent(P, v3(zero(), one(), zero())),
                 to_parent(P, v3(zero(), zero(), one())));
}

KERNEL pose given_pose(const sp_pose* X) { return (pose){given_matrix(X->R.m), given3(X->p.x, X->p.y, X->p.z)}; }

KERNEL pose base_pose(const limb_model* m, int root) { return given_pose(&m->base[root]); }

// Of a link whose parent has the pose X.
KERNEL pose moved_pose(pose X, const joint_transform* P)
{
  return (pose){mulM(X.R, turn_matrix(P)), add3(X.p, mulv(X.R, offset(P)))};
}

KERNEL void link_motion_step(int joint_class, context ctx, int i, pose from, const real* v, const real* a,
                             const link_arrays* out)
{
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  const link_const* k = &ctx.k[i];
  const limb_link* link = link_of(ctx, i);
  const int p = link->parent;
  const motion rest = {zero3(), zero3()};
  out->X[i] = moved_pose(from, &P);
  if (!v) return;
  const motion joint = along_joint(joint_class, k, v + link->dof);
  out->v[i] = addm(p < 0 ? rest : motion_to_link(&P, out->v[p]), joint);
  const motion coriolis = crossm(out->v[i], joint);
  out->a_v[i] = addm(p < 0 ? rest : motion_to_link(&P, out->a_v[p]), coriolis);
  if (!a) return;
  const motion own = addm(coriolis, along_joint(joint_class, k, a + link->dof));
  out->a[i] = addm(p < 0 ? rest : motion_to_link(&P, out->a[p]), own);
}

KERNEL void link_motion(context ctx, const real* v, const real* a, const link_arrays* out)
{
  for (int i = 0; i < ctx.m->nlink; i++) {
    const limb_link* link = link_of(ctx, i);
    const pose from = link->parent < 0 ? base_pose(ctx.m, link->root) : out->X[link->parent];
    FOR_JOINT_CLASS(link->joint_class, link_motion_step(CLASS, ctx, i, from, v, a, out))
  }
}

// ---- the way to one link ---------------------------------------------------------------------------------

// Of a subtree with link `to`, the child of i that has it, or is it: links are numbered depth first.
KERNEL int next_on_way(const limb_model* m, int i, int to)
{
  for (i++; m->link[i].end <= to;) i = m->link[i].end;
  return i;
}

KERNEL int root_of_way(const limb_model* m, int to)
{
  int i = 0;
  while (m->link[i].end <= to) i = m->link[i].end;
  return i;
}

// Coordinates of link `to` and of those that carry it.
KERNEL void load_way(const limb_model* m, const link_const* k, const limb_ws* ws, const real* user, int to)
{
  if (m->nrun == 1) { // few others
    load_coordinates(m, k, ws, user);
    return;
  }
  for (int i = root_of_way(m, to), last = -1; last != to;) {
    int some[SOME_LINKS], count = 0;
    while (last != to && count < SOME_LINKS) {
      last = some[count++] = i;
      if (i != to) i = next_on_way(m, i, to);
    }
    load_some((context){m, k, ws}, user, some, count);
  }
}

KERNEL pose pose_step(int joint_class, context ctx, int i, pose from)
{
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  return moved_pose(from, &P);
}

// Poses in the world of link `to` and of those that carry it. Cost O(depth).
KERNEL_ENTRY void set_way_poses(const limb_model* m, const link_const* k, const limb_ws* ws, const real* user, int to,
                                real* poses)
{
  const context ctx = {m, k, ws};
  int i = root_of_way(m, to);
  pose X = base_pose(m, link_of(ctx, i)->root);
  load_way(m, k, ws, user, to);
  for (;; i = next_on_way(m, i, to)) {
    FOR_JOINT_CLASS(link_of(ctx, i)->joint_class, X = pose_step(CLASS, ctx, i, X))
    ((pose*)poses)[i] = X;
    if (i == to) return;
  }
}

// ---- joint axes as columns -----------------------------------------------------------------------------

// Column `axis` of a link with pose X: the motion of the link per unit of that velocity, in the axes that X
// is given in, at the point `at`.
KERNEL motion link_axis(const limb_link* link, const link_const* k, const pose* X, int axis, vec3 at)
{
  const vec3 e = column_of(X->R, link->ndof == 1 ? 2 : axis % 3);
  if (link->joint_class == CLASS_TRANS || axis >= 3) return (motion){zero3(), e};
  vec3 v = cross3(sub3(X->p, at), e);
  if (link->joint_class == CLASS_SCREW) v = add3(v, kscale3(k->pitch, e));
  return (motion){e, v};
}

// Column of an axis between the frames: world axes, at a point.
KERNEL motion loop_column(const limb_model* m, const link_const* k, const pose* X, const limb_loop_axis* axis, vec3 at)
{
  const int i = axis->link;
  return link_axis(&m->link[i], &k[i], &X[i], axis->k, at);
}

// ---- frames ----------------------------------------------------------------------------------------------

// Frames: poses and Jacobians from the poses of the links.
//
// Reference: K. Lynch, F. Park, Modern Robotics, chapter 5 (body and space Jacobians).
// Cost:      pose O(1), Jacobian O(nv + depth).
//
// A frame has the constant pose Y in its link, or in the world (link -1), and T = X Y in the world. Column k
// of its Jacobian is axis k of the links between the frame and the world, mult times for mimic joints:
//
//   J_k = R' S_k         S_k in world axes at the origin of the reference, R its axes
//
// the reference being the frame itself (BODY), the world (WORLD), or world axes at the frame's origin
// (ALIGNED). Columns are formed at that origin from the start, which loses nothing when the robot is far from
// the world's origin.

KERNEL pose frame_pose(const pose* X, int link, const sp_pose* in_link)
{
  const pose Y = given_pose(in_link);
  return link < 0 ? Y : compose(X[link], Y);
}

// ref is a constant where this is inlined.
KERNEL void frame_columns(const limb_model* m, const link_const* k, const pose* X, int link, const pose* T,
                          limb_ref ref, motion* J)
{
  const vec3 at = ref == LIMB_WORLD ? zero3() : T->p;
  for (int i = link; i >= 0; i = m->link[i].parent) {
    for (int r = 0; r < m->link[i].ndof; r++) {
      const limb_dof* dof = &m->dof[m->link[i].dof + r];
      const par mult = parameter(dof->mult);
      motion S = link_axis(&m->link[i], &k[i], &X[i], r, at);
      if (ref == LIMB_BODY) S = (motion){tmulv(T->R, S.w), tmulv(T->R, S.v)};
      if (m->has_mimic) S = addm(J[dof->v], (motion){kscale3(mult, S.w), kscale3(mult, S.v)});
      J[dof->v] = S;
    }
  }
}

KERNEL_ENTRY void set_frame_pose(const real* X, int link, const sp_pose* in_link, real* out)
{
  *(pose*)out = frame_pose((const pose*)X, link, in_link);
}

KERNEL_ENTRY void set_frame_jacobian(const limb_model* m, const link_const* k, const real* X, int link,
                                     const sp_pose* in_link, limb_ref ref, real* J)
{
  const pose T = frame_pose((const pose*)X, link, in_link);
  motion* to = (motion*)J;
  for (int i = 0; i < m->nv; i++) to[i] = (motion){zero3(), zero3()};
  switch (ref) {
  case LIMB_BODY: frame_columns(m, k, (const pose*)X, link, &T, LIMB_BODY, to); break;
  case LIMB_WORLD: frame_columns(m, k, (const pose*)X, link, &T, LIMB_WORLD, to); break;
  default: frame_columns(m, k, (const pose*)X, link, &T, LIMB_ALIGNED, to); break;
  }
}

// ---- momentum --------------------------------------------------------------------------------------------

// The momentum matrix: column k is what all that joint k carries has of momentum per unit of v_k, I^c S_k.
//
// Reference: D. Orin, A. Goswami, S.-H. Lee, Centroidal dynamics of a humanoid robot, Autonomous Robots 35, 2013.
// Cost:      O(nlink).
//
// In world axes, at the origin o of the first link, so that a robot far from the world's origin keeps its digits; then
// moved to the centre of mass c, or to the world's origin: n - (c - o) x f.

KERNEL composite given_moments(const limb_moments* s)
{
  return (composite){given(s->m),
                     given3(s->hx, s->hy, s->hz),
                     {given(s->xx), given(s->xy), given(s->xz), given(s->yy), given(s->yz), given(s->zz)}};
}

KERNEL composite add_composites(composite a, composite b)
{
  return (composite){add(a.m, b.m), add3(a.h, b.h), adds(a.J, b.J)};
}

KERNEL_ENTRY void set_momentum_matrix(const limb_model* m, const link_const* k, const real* poses, bool centroidal,
                                      real* scratch, real* A)
{
  const pose* X = (const pose*)poses;
  composite* C = (composite*)scratch;
  force* to = (force*)A;
  if (m->nlink == 0) return;
  const vec3 o = X[0].p;
  const composite fixed = given_moments(&m->fixed);
  vec3 h = sub3(fixed.h, scale3(fixed.m, o));
  for (int i = 0; i < m->nlink; i++) C[i] = composite_at(X[i].R, sub3(X[i].p, o), given_moments(&m->inertia[i]));
  for (int i = m->nlink - 1; i >= 0; i--) {
    const int p = m->link[i].parent;
    if (p >= 0) C[p] = add_composites(C[p], C[i]);
    if (p < 0) h = add3(h, C[i].h);
  }
  const vec3 c = centroidal ? scale3(given(1 / m->total_mass), h) : sub3(zero3(), o);
  for (int i = 0; i < m->nv && m->has_mimic; i++) to[i] = zerof();
  for (int i = 0; i < m->nlink; i++) {
    for (int r = 0; r < m->link[i].ndof; r++) {
      const limb_dof* dof = &m->dof[m->link[i].dof + r];
      const par mult = parameter(dof->mult);
      force F = inertia_times(C[i], link_axis(&m->link[i], &k[i], &X[i], r, o));
      F.n = sub3(F.n, cross3(c, F.f));
      if (m->has_mimic) F = addf(to[dof->v], (force){kscale3(mult, F.n), kscale3(mult, F.f)});
      to[dof->v] = F;
    }
  }
}

// The same from the coordinates: outwards poses and the centre of mass, inwards composites in link axes, whose
// parameters may be the regrouped ones: what these hand to the parent lies on the axis and does not move with it.

KERNEL composite no_composite(void)
{
  return (composite){zero(), zero3(), {zero(), zero(), zero(), zero(), zero(), zero()}};
}

// The columns of link i, which carries C; returns the composite of both in the parent. at: relative to poses X.
KERNEL composite momentum_step(int joint_class, context ctx, int i, const pose* X, vec3 at, composite C, force* A)
{
  const limb_link* link = link_of(ctx, i);
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  C = add_own(C, moments_of(joint_class, &ctx.k[i]), link->massive);
  const vec3 arm = sub3(X[i].p, at);
  for (int r = 0; r < dofs_of(joint_class); r++) {
    const limb_dof* dof = &ctx.m->dof[link->dof + r];
    const force F = column(joint_class, &ctx.k[i], C, r);
    const vec3 f = mulv(X[i].R, F.f);
    force out = {add3(mulv(X[i].R, F.n), cross3(arm, f)), f};
    if (ctx.m->has_mimic) {
      const par mult = parameter(dof->mult);
      out = addf(A[dof->v], (force){kscale3(mult, out.n), kscale3(mult, out.f)});
    }
    A[dof->v] = out;
  }
  if (link->parent < 0) return no_composite();
  return composite_to_parent(&P, link->massive ? C : massless(C));
}

KERNEL_ENTRY void set_momentum_matrix_at(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,
                                         bool centroidal, real* poses, real* A)
{
  const context ctx = {m, k, ws};
  const link_arrays out = {.X = (pose*)poses};
  composite* kept = ws->aba;
  force* to = (force*)A;
  vec3 o = zero3(), h = zero3();
  if (m->nlink == 0) return;
  load_coordinates(m, k, ws, q);
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = link_of(ctx, i);
    const limb_moments* own = &m->inertia[i];
    const pose from = link->parent < 0 ? base_pose(m, link->root) : out.X[link->parent];
    FOR_JOINT_CLASS(link->joint_class, link_motion_step(CLASS, ctx, i, from, NULL, NULL, &out))
    if (i == 0) o = out.X[0].p;
    if (link->parent < 0) out.X[i].p = sub3(out.X[i].p, o);
    h = add3(h, add3(mulv(out.X[i].R, given3(own->hx, own->hy, own->hz)), kscale3(parameter(own->m), out.X[i].p)));
    kept[i] = no_composite();
  }
  const limb_moments* fixed = &m->fixed;
  h = add3(h, sub3(given3(fixed->hx, fixed->hy, fixed->hz), kscale3(parameter(fixed->m), o)));
  const vec3 at = centroidal ? kscale3(parameter(1 / m->total_mass), h) : sub3(zero3(), o);
  for (int i = 0; i < m->nv && m->has_mimic; i++) to[i] = zerof();
  composite C = no_composite();
  for (int i = m->nlink - 1; i >= 0; i--) {
    const limb_link* link = link_of(ctx, i);
    const int p = link->parent;
    if (link->keep) C = add_composites(C, kept[i]);
    FOR_JOINT_CLASS(link->joint_class, C = momentum_step(CLASS, ctx, i, out.X, at, C, to))
    if (p == i - 1) continue;
    if (p >= 0) kept[p] = add_composites(kept[p], C);
    C = no_composite();
  }
}

// ---- external wrenches as forces on the links ----------------------------------------------------------

// External wrenches as forces on the links: link axes and origins.
//
// A wrench is given in the axes of its frame, or of the world, at the frame's origin or the world's; `on`
// has a force for every link, X its pose in the world. Cost O(1).

KERNEL force force_at(vec3 n, vec3 f, vec3 p) { return (force){add3(n, cross3(p, f)), f}; }

KERNEL_ENTRY void set_add_wrench(const limb_model* m, const real* X, int frame, limb_ref ref, const real* F, real* on)
{
  const limb_site site = limb_site_of(m, frame);
  if (site.link < 0) return; // on a body that cannot move
  const pose at = given_pose(&site.in_link), link = ((const pose*)X)[site.link];
  const force w = *(const force*)F;
  force* sum = (force*)on + site.link;
  if (ref == LIMB_BODY) {
    *sum = addf(*sum, force_at(mulv(at.R, w.n), mulv(at.R, w.f), at.p));
  } else if (ref == LIMB_WORLD) { // n - p x f: the moment about the link's origin
    *sum = addf(*sum, (force){tmulv(link.R, sub3(w.n, cross3(link.p, w.f))), tmulv(link.R, w.f)});
  } else {
    *sum = addf(*sum, force_at(tmulv(link.R, w.n), tmulv(link.R, w.f), at.p));
  }
}

#endif
