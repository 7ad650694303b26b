// What a robot exerts on its foundation: the wrenches of all joints and closures on the world.
#include "study/sizing.h"

#include <math.h>

// On the world: a moving base is not, nothing holds it there.
static int is_held(const limb_joint_info* x)
{
  return x->def.parent == LIMB_WORLD_BODY && x->def.type != LIMB_FREE && x->def.type != LIMB_PLANAR;
}

// The workspace, if anything is on the world.
limb_status sizing_open_base(limb_sizing* s)
{
  limb_joint_info x;
  limb_loop_info l;
  int joints = 0, loops = 0;
  for (int j = 0; limb_get_joint(s->model, j, &x) == LIMB_OK; j++) {
    if (!is_held(&x)) continue;
    s->base.point = x.def.placement.p;
    joints++;
  }
  for (int i = 0; limb_get_loop(s->model, i, &l) == LIMB_OK; i++)
    loops += l.def.body_a == LIMB_WORLD_BODY || l.def.body_b == LIMB_WORLD_BODY;
  if (joints + loops == 0) return LIMB_OK;
  if (joints != 1 || loops > 0) s->base.point = sp_v3(0, 0, 0);
  return limb_data_create(limb_spanning_tree(s->model), NULL, &s->base.data);
}

// Adds a wrench at the origin of a pose, in its axes, with moments about the point.
static void collect(const sizing_base* b, sp_force* sum, sp_pose X, sp_force w, double sign)
{
  X.p = sp_sub3(X.p, b->point);
  *sum = sp_addf(*sum, sp_scalef(sign, sp_force_out(X, w)));
}

// The wrench of a closure acts on b at its frame, in the axes of frame a.
static void collect_loop(const limb_sizing* s, sp_force* sum, int i, sp_force w)
{
  limb_loop_info l;
  sp_pose a, b;
  if (limb_get_loop(s->model, i, &l) != LIMB_OK || (l.def.body_a != LIMB_WORLD_BODY && l.def.body_b != LIMB_WORLD_BODY))
    return;
  if (limb_frame_pose(s->base.data, l.def.body_a, &a) != LIMB_OK ||
      limb_frame_pose(s->base.data, l.def.body_b, &b) != LIMB_OK)
    return;
  sp_pose at = sp_compose(a, l.def.pose_a);
  at.p = sp_compose(b, l.def.pose_b).p;
  collect(&s->base, sum, at, w, l.def.body_a == LIMB_WORLD_BODY ? -1 : 1);
}

void sizing_add_base(limb_sizing* s, const limb_sizing_row* row, int first)
{
  sizing_base* b = &s->base;
  limb_joint_info x;
  sp_pose X;
  sp_force w = {0};
  if (!b->data) return;
  const limb_status status = limb_kinematics(b->data, row->q, NULL, NULL);
  if (b->status == LIMB_OK) b->status = status;
  if (status != LIMB_OK) return;
  // joints act on the robot: the foundation gets the opposite
  for (int j = 0; limb_get_joint(s->model, j, &x) == LIMB_OK; j++)
    if (is_held(&x) && limb_frame_pose(b->data, x.def.child, &X) == LIMB_OK) collect(b, &w, X, row->load[j], -1);
  for (int i = 0; row->loop && i < limb_loop_count(s->model); i++) collect_loop(s, &w, i, row->loop[i]);
  sizing_add_load(&b->load, first, row->time, &w);
  const double part[6] = {w.m.x, w.m.y, w.m.z, w.f.x, w.f.y, w.f.z};
  for (int k = 0; k < 6; k++) {
    b->min[k] = first ? part[k] : fmin(b->min[k], part[k]);
    b->max[k] = first ? part[k] : fmax(b->max[k], part[k]);
  }
  b->across = fmax(b->across, hypot(w.f.x, w.f.y));
  b->tilting = fmax(b->tilting, hypot(w.m.x, w.m.y));
}

limb_status limb_sizing_get_base(const limb_sizing* s, limb_sizing_base* out)
{
  if (!s || !out) return LIMB_E_ARG;
  const sizing_base* b = &s->base;
  if (!b->data || s->rows == 0) return LIMB_E_UNSUPPORTED;
  if (b->status != LIMB_OK) return b->status;
  *out = (limb_sizing_base){.point = b->point, .load = b->load, .across = b->across, .tilting = b->tilting};
  for (int k = 0; k < 6; k++) out->min[k] = b->min[k], out->max[k] = b->max[k];
  return LIMB_OK;
}
