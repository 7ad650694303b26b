// Figures of a robot as a whole: mass, composite inertia, reach.
#include "info.h"

#include <stdlib.h>

// All bodies in the world, at the neutral configuration.
static limb_status composite(const cli_robot* r, sp_inertia* whole)
{
  double* q = calloc((size_t)limb_nq(r->model) + 1, sizeof *q);
  if (!q) return LIMB_E_NOMEM;
  limb_status s = limb_neutral(r->model, q);
  if (s == LIMB_OK) s = limb_kinematics(r->data, q, NULL, NULL);
  *whole = (sp_inertia){0};
  for (int b = 0; b < limb_body_count(r->model) && s == LIMB_OK; b++) {
    limb_body_info body;
    sp_pose X;
    s = limb_get_body(r->model, b, &body);
    if (s == LIMB_OK) s = limb_frame_pose(r->data, b, &X);
    if (s == LIMB_OK) *whole = limb_inertia_add(*whole, limb_inertia_move(X, body.inertia));
  }
  free(q);
  return s;
}

// How far a joint can move its child away from the joint frame's origin; -1: without limit.
static double travel(const limb_joint_def* def)
{
  switch (def->type) {
  case LIMB_PRISMATIC: {
    const double most = fmax(fabs(def->q_min), fabs(def->q_max));
    return isfinite(most) ? most : -1;
  }
  case LIMB_HELICAL: {
    const double most = fabs(def->pitch) * fmax(fabs(def->q_min), fabs(def->q_max));
    return isfinite(most) ? most : -1;
  }
  case LIMB_CYLINDRICAL:
  case LIMB_PLANAR:
  case LIMB_FREE: return -1;
  default: return 0;
  }
}

// Distances from joint to joint along the tree, and from bodies to the frames on them. Joints are in any
// order, so each body looks for its parent first; paths that were walked are not walked again.
static limb_status measure_reach(const limb_model* m, double* along, int* stack, info_facts* out)
{
  const int nbody = limb_body_count(m);
  along[0] = 0;
  for (int b = 1; b < nbody; b++) along[b] = -1;
  for (int b = 0; b < nbody; b++) {
    limb_body_info body;
    limb_joint_info joint;
    int top = 0;
    for (int i = b; along[i] < 0; i = body.parent) {
      stack[top++] = i;
      if (limb_get_body(m, i, &body) != LIMB_OK) return LIMB_E_ARG;
    }
    while (top > 0) {
      const int i = stack[--top];
      if (limb_get_body(m, i, &body) != LIMB_OK) return LIMB_E_ARG;
      if (limb_get_joint(m, body.joint, &joint) != LIMB_OK) return LIMB_E_ARG;
      const double far = travel(&joint.def);
      if (far < 0 && out->travelling++ == 0) out->travels = body.joint;
      along[i] = along[body.parent] + sp_norm3(joint.def.placement.p) + fmax(far, 0);
    }
  }
  for (int f = 0; f < limb_frame_count(m); f++) {
    limb_frame_info frame;
    if (limb_get_frame(m, f, &frame) != LIMB_OK) return LIMB_E_ARG;
    out->reach = fmax(out->reach, along[frame.body] + sp_norm3(frame.pose.p));
  }
  return LIMB_OK;
}

// Closed, if it can be, and looked at.
static limb_status close_loops(const limb_model* m, cli_closure* out)
{
  if (limb_loop_count(m) == 0) return LIMB_OK;
  limb_status s = cli_closure_make(m, out);
  if (s == LIMB_OK) s = cli_closure_assemble(out, NULL);
  return s == LIMB_OK && out->closed ? cli_closure_look(out, NULL) : s;
}

limb_status info_facts_of(const cli_robot* r, info_facts* out)
{
  const size_t n = (size_t)limb_body_count(r->model);
  *out = (info_facts){.mass = limb_total_mass(r->model), .travels = -1};
  double* along = calloc(n, sizeof *along);
  int* stack = calloc(n, sizeof *stack);
  limb_status s = along && stack ? LIMB_OK : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = measure_reach(r->model, along, stack, out);
  free(along);
  free(stack);
  if (s == LIMB_OK && out->mass > 0) {
    s = composite(r, &out->whole);
    out->has_com = 1;
  }
  if (s == LIMB_OK) out->diagonal = info_inertia_diagonal(r);
  if (s == LIMB_OK) s = close_loops(r->model, &out->closure);
  return s;
}

void info_facts_free(info_facts* facts)
{
  free(facts->diagonal);
  facts->diagonal = NULL;
  cli_closure_free(&facts->closure);
}
