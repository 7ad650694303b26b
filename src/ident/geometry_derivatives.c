// What is computed with geometric parameters (geometry_parameters.c): derivatives, and the robot with other values.
#include "base/status.h"
#include "dynamics/environment.h"
#include "ident/geometry_impl.h"
#include "model/compile_impl.h"

#include <math.h>
#include <string.h>

static const sp_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// ---- derivatives --------------------------------------------------------------------------------------------

// Frames: bodies keep their indices, added frames come after the bodies that were added.
static int frame_in(const limb_geometry* g, int frame)
{
  return frame < g->m->nbody ? frame : frame + limb_body_count(g->extended) - g->m->nbody;
}

// Coordinates, or velocities (from NULL: zero), of the joints of the robot; parameters stay at 0.
static void spread(const limb_geometry* g, bool q, const double* from, double* to)
{
  limb_joint_info x;
  memset(to, 0, (size_t)(q ? limb_nq(g->extended) : g->wide) * sizeof *to);
  for (int j = 0; j < g->m->njoint && from; j++) {
    const limb_joint* own = &g->m->joint[j];
    if (own->nv == 0 || limb_get_joint(g->extended, j, &x) != LIMB_OK) continue;
    memcpy(to + (q ? x.q : x.v), from + (q ? own->q : own->v), (size_t)(q ? own->nq : own->nv) * sizeof *to);
  }
}

static limb_status move(limb_geometry* g, const double* q, int frame)
{
  if (!g || !q || frame < 0 || frame >= limb_frame_count(g->m)) return LIMB_E_ARG;
  spread(g, true, q, g->q);
  return limb_kinematics(g->d, g->q, NULL, NULL);
}

limb_status limb_geometry_pose_derivative(limb_geometry* g, const double* q, int frame, limb_ref ref, sp_motion* out)
{
  limb_status s = out ? move(g, q, frame) : LIMB_E_ARG;
  if (s == LIMB_OK) s = limb_frame_jacobian(g->d, frame_in(g, frame), ref, g->column);
  for (int p = 0; s == LIMB_OK && p < g->np; p++) out[p] = g->column[g->parameter[p].column];
  return s;
}

// Column by column: d(J e_j)/dq_p.
limb_status limb_geometry_jacobian_derivative(limb_geometry* g, const double* q, int frame, limb_ref ref,
                                              sp_motion* out)
{
  limb_status s = out ? move(g, q, frame) : LIMB_E_ARG;
  for (int j = 0; s == LIMB_OK && j < g->nv; j++) {
    memset(g->v, 0, (size_t)g->nv * sizeof *g->v);
    g->v[j] = 1;
    spread(g, false, g->v, g->unit);
    s = limb_frame_jacobian_derivative_times(g->d, frame_in(g, frame), ref, g->unit, g->column);
    for (int p = 0; s == LIMB_OK && p < g->np; p++)
      out[(size_t)p * (size_t)g->nv + (size_t)j] = g->column[g->parameter[p].column];
  }
  return s;
}

limb_status limb_geometry_torque_derivative(limb_geometry* g, const double* q, const double* v, const double* a,
                                            const limb_environment* env, double* out)
{
  limb_environment own;
  limb_joint_info x;
  if (!g || !q || !v || !a || !out) return LIMB_E_ARG;
  limb_status s = limb_environment_read(g->m, env, &own);
  if (s != LIMB_OK) return s;
  if (own.nwrench > LIMB_GEOMETRY_WRENCHES) return LIMB_E_UNSUPPORTED;
  for (int k = 0; k < own.nwrench; k++) {
    g->wrench[k] = own.wrench[k];
    g->wrench[k].frame = frame_in(g, own.wrench[k].frame);
  }
  own.wrench = g->wrench;
  spread(g, true, q, g->q), spread(g, false, v, g->v), spread(g, false, a, g->a);
  const limb_id_derivatives wanted = {.dtau_dq = g->matrix};
  s = limb_inverse_dynamics_derivatives(g->d, g->q, g->v, g->a, &own, &wanted);
  for (int j = 0; j < g->m->njoint && s == LIMB_OK; j++) {
    const limb_joint* joint = &g->m->joint[j];
    if (joint->nv == 0 || limb_get_joint(g->extended, j, &x) != LIMB_OK) continue;
    for (int k = 0; k < joint->nv; k++)
      for (int p = 0; p < g->np; p++)
        out[(size_t)(joint->v + k) * (size_t)g->np + (size_t)p] =
          g->matrix[(size_t)(x.v + k) * (size_t)g->wide + (size_t)g->parameter[p].column];
  }
  return s;
}

// ---- other values -------------------------------------------------------------------------------------------

static sp_pose product(const double* x)
{
  sp_pose P = sp_pose_identity();
  for (int k = 0; k < 6; k++) P = sp_compose(P, limb_elementary(k, x[k]));
  return P;
}

// The child lies at `offset` in the frame of the joint.
static limb_status put_offset(const limb_geometry* g, limb_builder* b, int joint, sp_pose offset)
{
  const int weld = limb_offset_joint(g->m, joint), child = b->joint[joint].child;
  const sp_mat3 one = sp_identity3();
  double off = sp_norm3(offset.p);
  for (int k = 0; k < 9; k++) off = fmax(off, fabs(offset.R.m[k] - one.m[k]));
  if (weld >= 0) b->joint[weld].placement = offset;
  if (weld >= 0 || off < LIMB_SQUARE) return LIMB_OK;
  int axis = 0;
  const limb_status s = limb_builder_add_axis(b, g->m->body[child].name, child, offset, &axis);
  if (s == LIMB_OK) b->joint[joint].child = axis;
  return s;
}

static limb_status place_dh(const limb_geometry* g, limb_builder* b, int joint, const double* x)
{
  limb_joint_def* def = &b->joint[joint];
  const sp_pose turned = limb_elementary(RX, x[3]), along = limb_elementary(PX, x[2]);
  def->placement = sp_compose(limb_turn_and_shift(RZ, x[0], x[1]), turned);
  def->axis = sp_tmulv(turned.R, unit[2]);
  return put_offset(g, b, joint, along);
}

// With the home of a body displaced in its own axes.
static sp_pose new_home(const limb_geometry* g, int body, const double* x)
{
  const int joint = g->m->body[body].joint;
  const sp_pose M = limb_home_of(g->m, body);
  if (joint < 0) return M;
  const int carrier = limb_joint_is_auxiliary(g->m, joint) ? g->m->body[g->m->body[body].parent].joint : joint;
  const limb_joint_type type = g->m->joint[carrier].def.type;
  if (!limb_has_screw(type) && type != LIMB_FIXED) return M;
  return sp_compose(M, product(x + g->first[carrier] + (type == LIMB_FIXED ? 0 : 6)));
}

static limb_status place_poe(const limb_geometry* g, limb_builder* b, int joint, const double* x)
{
  const limb_joint_def* def = &g->m->joint[joint].def;
  const int child = limb_far_child(g->m, joint);
  const sp_pose above = sp_invert(new_home(g, def->parent, x)), home = new_home(g, child, x);
  sp_pose frame = sp_compose(limb_home_of(g->m, def->parent), def->placement);
  if (def->type == LIMB_FIXED) frame = home;
  if (limb_has_screw(def->type)) frame = sp_compose(product(x + g->first[joint]), frame);
  b->joint[joint].placement = sp_compose(above, frame);
  return limb_has_screw(def->type) ? put_offset(g, b, joint, sp_compose(sp_invert(frame), home)) : LIMB_OK;
}

static limb_status place(const limb_geometry* g, limb_builder* b, int joint, const double* x)
{
  limb_joint_def* def = &b->joint[joint];
  const double* own = x + g->first[joint];
  const bool across = g->form == LIMB_FORM_DH || g->form == LIMB_FORM_POE;
  if (across && limb_joint_is_auxiliary(g->m, joint)) return LIMB_OK;
  if (g->form == LIMB_FORM_POE) return place_poe(g, b, joint, x);
  if (g->form == LIMB_FORM_DH && def->type != LIMB_FIXED) return place_dh(g, b, joint, own);
  if (g->form == LIMB_FORM_MDH) {
    const limb_mdh k = {own[0], own[1], own[2], own[3], own[4], own[5]};
    def->placement = sp_compose(limb_pose_of_mdh(k), sp_invert(limb_onto_axis(def)));
  } else {
    def->placement = sp_pose_make(sp_rot_rpy(own[3], own[4], own[5]), sp_v3(own[0], own[1], own[2]));
  }
  return LIMB_OK;
}

limb_status limb_geometry_build(const limb_geometry* g, const double* value, limb_model** out, limb_error* err)
{
  limb_builder* b = NULL;
  if (out) *out = NULL;
  if (!g || !value || !out) return limb_fail(err, LIMB_E_ARG, "geometry", "an argument is NULL");
  for (int p = 0; p < g->np; p++)
    if (!isfinite(value[p])) return limb_fail(err, LIMB_E_NONFINITE, g->name[p], "the value is not finite");
  limb_status s = limb_builder_from_model(g->m, &g->alloc, &b);
  for (int j = 0; j < g->m->njoint && s == LIMB_OK; j++) s = place(g, b, j, value);
  if (s != LIMB_OK) (void)limb_fail(err, s, g->m->name, "%s", limb_status_text(s));
  if (s == LIMB_OK) s = limb_builder_build(b, out, err);
  limb_builder_destroy(b);
  return s;
}
