// Facts about a robot: mass, composite inertia, reach, elastic joints, limits, loops.
#include "limb/study.h"

#include "limb/dynamics.h"
#include "limb/spatial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_MASS_MATRIX = 2000, // velocities: beyond that there are no frequencies
  MAX_VELOCITY_MAP = 3000 // velocities and constraints: beyond that joints that cannot move are not determined
};

static const double TURN = 6.283185307179586;

// ---- the robot as a whole --------------------------------------------------------------------------

// All bodies in the world, at the neutral configuration.
static limb_status composite(const limb_model* m, sp_inertia* whole)
{
  limb_data* data = NULL;
  double* q = calloc((size_t)limb_nq(m) + 1, sizeof *q);
  limb_status s = q ? limb_data_create(limb_spanning_tree(m), NULL, &data) : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = limb_neutral(m, q);
  if (s == LIMB_OK) s = limb_kinematics(data, q, NULL, NULL);
  *whole = (sp_inertia){0};
  for (int b = 0; b < limb_body_count(m) && s == LIMB_OK; b++) {
    limb_body_info body;
    sp_pose X;
    s = limb_get_body(m, b, &body);
    if (s == LIMB_OK) s = limb_frame_pose(data, b, &X);
    if (s == LIMB_OK) *whole = limb_inertia_add(*whole, limb_inertia_move(X, body.inertia));
  }
  limb_data_destroy(data);
  free(q);
  return s;
}

// How far a joint can move its child away from the joint frame's origin; -1: without limit.
static double travel(const limb_joint_def* def)
{
  switch (def->type) {
  case LIMB_PRISMATIC: {
    const double max = fmax(fabs(def->q_min), fabs(def->q_max));
    return isfinite(max) ? max : -1;
  }
  case LIMB_HELICAL: {
    const double max = fabs(def->pitch) * fmax(fabs(def->q_min), fabs(def->q_max));
    return isfinite(max) ? max : -1;
  }
  case LIMB_CYLINDRICAL:
  case LIMB_PLANAR:
  case LIMB_FREE: return -1;
  default: return 0;
  }
}

// Distances from joint to joint along the tree, and from bodies to the frames on them. Joints are in any
// order, so each path goes up to the first body that is known.
static limb_status measure_reach(const limb_model* m, double* along, int* stack, limb_facts* out)
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
      if (far < 0 && out->unlimited++ == 0) out->unlimited_joint = body.joint;
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

static void count(const limb_model* m, limb_facts* out)
{
  for (int b = 1; b < limb_body_count(m); b++) out->bodies += limb_stands_for(m, b) < 0;
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info x;
    out->joints += !limb_joint_is_auxiliary(m, j);
    if (limb_get_joint(m, j, &x) == LIMB_OK && x.passive) out->passive += x.nv;
  }
  out->frames = limb_frame_count(m) - limb_body_count(m);
}

limb_status limb_facts_of(const limb_model* m, limb_facts* out)
{
  if (!m || !out) return LIMB_E_ARG;
  const size_t n = (size_t)limb_body_count(m);
  *out = (limb_facts){.mass = limb_total_mass(m), .unlimited_joint = -1};
  count(m, out);
  double* along = calloc(n, sizeof *along);
  int* stack = calloc(n, sizeof *stack);
  limb_status s = along && stack ? LIMB_OK : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = measure_reach(m, along, stack, out);
  free(along);
  free(stack);
  out->has_inertia = out->mass > 0;
  return s == LIMB_OK && out->has_inertia ? composite(m, &out->inertia) : s;
}

// ---- elastic joints --------------------------------------------------------------------------------

// Inertia of a motor about its axis: of its joint, and of the body on it.
static double rotor_inertia(const limb_joint_info* motor, const sp_inertia* Y)
{
  const limb_joint_def* def = &motor->def;
  const sp_mat3 I = {{Y->xx, Y->xy, Y->xz, Y->xy, Y->yy, Y->yz, Y->xz, Y->yz, Y->zz}};
  const sp_vec3 arm = sp_cross3(def->axis, Y->com);
  const double own = def->gear_ratio * def->gear_ratio * def->rotor_inertia;
  if (def->type == LIMB_PRISMATIC) return own + Y->mass;
  return own + sp_dot3(def->axis, sp_mulv(I, def->axis)) + Y->mass * sp_dot3(arm, arm);
}

// 1 if the joint is elastic. diagonal: of M at the neutral configuration; NULL: not known.
static int describe(const limb_model* m, int joint, const double* diagonal, limb_elastic_joint* out)
{
  limb_joint_info x, motor;
  limb_shaft_def shaft;
  limb_body_info rotor;
  if (limb_get_joint(m, joint, &x) != LIMB_OK) return 0;
  const limb_joint_def* def = &x.def;
  if (limb_get_shaft(m, x.shaft, &shaft) == LIMB_OK && limb_get_joint(m, shaft.motor, &motor) == LIMB_OK &&
      limb_get_body(m, motor.def.child, &rotor) == LIMB_OK) {
    *out = (limb_elastic_joint){.joint = joint,
                                .series = 1,
                                .stiffness = shaft.stiffness,
                                .rest = shaft.rest,
                                .damping = shaft.damping,
                                .rotor_inertia = rotor_inertia(&motor, &rotor.inertia),
                                .ratio = shaft.ratio,
                                .motor = shaft.motor,
                                .rotor_has_mass = rotor.inertia.mass > 0};
  } else if (x.passive && def->stiffness > 0) {
    *out = (limb_elastic_joint){.joint = joint,
                                .stiffness = def->stiffness,
                                .rest = def->rest,
                                .damping = def->viscous,
                                .rotor_inertia = def->gear_ratio * def->gear_ratio * def->rotor_inertia,
                                .motor = -1};
  } else {
    return 0;
  }
  out->frequency = diagonal ? sqrt(out->stiffness / diagonal[x.v]) / TURN : nan("");
  return 1;
}

// The diagonal of M at the neutral configuration, nv numbers; NULL: not known.
static double* mass_diagonal(const limb_model* m)
{
  const size_t nq = (size_t)limb_nq(m), nv = (size_t)limb_nv(m);
  double* M = nv > MAX_MASS_MATRIX ? NULL : calloc(nv * nv + nq + 1, sizeof *M);
  limb_data* data = NULL;
  if (!M) return NULL;
  double* q = M + nv * nv;
  limb_status s = limb_data_create(limb_spanning_tree(m), NULL, &data);
  if (s == LIMB_OK) s = limb_neutral(m, q);
  if (s == LIMB_OK) s = limb_mass_matrix(data, q, M);
  limb_data_destroy(data);
  for (size_t k = 0; k < nv; k++) M[k] = M[k * nv + k]; // never overtakes what is still to be read
  if (s == LIMB_OK) return M;
  free(M);
  return NULL;
}

limb_status limb_elastic_joints(const limb_model* m, int max, limb_elastic_joint* out, int* count)
{
  if (!m || !count || max < 0 || (max > 0 && !out)) return LIMB_E_ARG;
  double* diagonal = mass_diagonal(m);
  *count = 0;
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_elastic_joint x;
    if (!describe(m, j, diagonal, &x)) continue;
    if (*count < max) out[*count] = x;
    ++*count;
  }
  free(diagonal);
  return LIMB_OK;
}

// ---- limits ----------------------------------------------------------------------------------------

limb_status limb_outside_limits(const limb_model* m, const double* q, int max, limb_limit_violation* out, int* count)
{
  if (!m || !q || !count || max < 0 || (max > 0 && !out)) return LIMB_E_ARG;
  *count = 0;
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info x;
    if (limb_get_joint(m, j, &x) != LIMB_OK || (x.nv != 1 && x.def.mimic < 0)) continue;
    const double at = x.multiplier * q[x.q] + x.offset;
    if (at >= x.def.q_min && at <= x.def.q_max) continue;
    if (*count < max) out[*count] = (limb_limit_violation){j, at, x.def.q_min, x.def.q_max};
    ++*count;
  }
  return LIMB_OK;
}

// ---- loops -----------------------------------------------------------------------------------------

enum { RESTARTS = 20 };

limb_status limb_loop_facts_create(const limb_model* m, limb_loop_facts** out)
{
  if (!m || !out) return LIMB_E_ARG;
  limb_loop_facts* f = calloc(1, sizeof *f);
  if (!f) return LIMB_E_NOMEM;
  *f = (limb_loop_facts){.model = m, .report = {.loop = -1}};
  f->q = calloc((size_t)limb_nq(m) + 1, sizeof *f->q);
  f->redundant = calloc((size_t)limb_constraint_count(m) + 1, 1);
  f->still = calloc((size_t)limb_nv(m) + 1, sizeof *f->still);
  limb_status s = f->q && f->redundant && f->still ? limb_data_create(m, NULL, &f->data) : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = limb_start(m, f->q);
  if (s == LIMB_OK)
    *out = f;
  else
    limb_loop_facts_destroy(f);
  return s;
}

void limb_loop_facts_destroy(limb_loop_facts* f)
{
  if (!f) return;
  limb_data_destroy(f->data);
  free(f->q);
  free(f->redundant);
  free(f->still);
  free(f);
}

limb_status limb_close_loops(limb_loop_facts* f, const limb_assembly* how)
{
  limb_assembly o = limb_default_assembly();
  if (!f) return LIMB_E_ARG;
  o.restarts = RESTARTS;
  const limb_status s = limb_assemble(f->data, how ? how : &o, f->q, &f->report);
  f->closed = s == LIMB_OK;
  return s == LIMB_E_NOCONV ? LIMB_OK : s;
}

// A velocity stands still if its row of G is zero: no independent velocity changes it.
static limb_status find_still(limb_loop_facts* f, const limb_loop_options* options)
{
  const size_t nv = (size_t)limb_nv(f->model);
  int ny = 0;
  f->still_count = -1;
  if (limb_nv(f->model) + limb_constraint_count(f->model) > MAX_VELOCITY_MAP) return LIMB_OK;
  double* G = calloc(nv * nv + 1, sizeof *G);
  if (!G) return LIMB_E_NOMEM;
  const limb_status s = limb_velocity_map(f->data, f->q, NULL, options, &ny, G);
  if (s == LIMB_OK) f->still_count = 0;
  for (size_t v = 0; v < nv && s == LIMB_OK; v++) {
    double max = 0;
    for (size_t k = 0; k < (size_t)ny; k++) max = fmax(max, fabs(G[v * (size_t)ny + k]));
    if (max < 1e-9) f->still[f->still_count++] = (int)v;
  }
  free(G);
  return s;
}

limb_status limb_examine_loops(limb_loop_facts* f, const limb_loop_options* options)
{
  if (!f) return LIMB_E_ARG;
  limb_status s = limb_mobility_at(f->data, f->q, options, &f->mobility);
  if (s == LIMB_OK) s = limb_redundant_constraints(f->data, f->q, options, f->redundant);
  return s == LIMB_OK ? find_still(f, options) : s;
}

int limb_redundant_of(const limb_loop_facts* f, int loop)
{
  limb_loop_info x;
  int n = 0;
  if (!f || limb_get_loop(f->model, loop, &x) != LIMB_OK) return 0;
  for (int r = 0; r < x.nconstraint; r++) n += f->redundant[x.constraint + r];
  return n;
}

int limb_is_locked(const limb_loop_facts* f)
{
  return f && f->closed && limb_loop_count(f->model) > 0 && limb_nv(f->model) > 0 && f->mobility.mobility == 0 &&
         !limb_has_prescribed_motion(f->model);
}

limb_status limb_closed_start(const limb_model* m, double* q)
{
  if (!m || !q) return LIMB_E_ARG;
  limb_loop_facts* f = NULL;
  if (limb_loop_count(m) == 0) return limb_start(m, q);
  limb_status s = limb_loop_facts_create(m, &f);
  if (s == LIMB_OK) s = limb_close_loops(f, NULL);
  if (s == LIMB_OK) memcpy(q, f->q, (size_t)limb_nq(m) * sizeof *q);
  limb_loop_facts_destroy(f);
  return s;
}
