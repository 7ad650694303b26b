// Computations of quantities: frames, centre of mass, momentum, and what the robot is like at a frame.
#include "limb/kinematics.h"

#include "quantities/evaluator_impl.h"

#include <string.h>

static void put3(sp_vec3 v, double* x) { x[0] = v.x, x[1] = v.y, x[2] = v.z; }

static void put_motion(sp_motion m, double* x) { put3(m.w, x), put3(m.v, x + 3); }

// Results of calls that the first argument stands for.
static limb_status vector(limb_status s, const sp_vec3* v, double* x)
{
  put3(*v, x);
  return s;
}

static limb_status motion(limb_status s, const sp_motion* m, double* x)
{
  put_motion(*m, x);
  return s;
}

static limb_status force(limb_status s, const sp_force* f, double* x)
{
  put3(f->m, x), put3(f->f, x + 3);
  return s;
}

// Columns in memory, rows on paper.
limb_status limb_put_columns(limb_status s, const sp_motion* c, size_t n, double* x)
{
  for (size_t k = 0; s == LIMB_OK && k < n; k++) {
    double column[6];
    put_motion(c[k], column);
    for (size_t i = 0; i < 6; i++) x[i * n + k] = column[i];
  }
  return s;
}

static sp_motion* motions(const limb_lane* w) { return (sp_motion*)(void*)w->work; }

static limb_status columns(const limb_lane* w, limb_status s, double* x)
{
  return limb_put_columns(s, motions(w), (size_t)w->e->nv, x);
}

// ---- frames ---------------------------------------------------------------------------------------------

void limb_put_pose(sp_pose X, double* x)
{
  const sp_quat q = sp_quat_rot(X.R);
  put3(X.p, x);
  x[3] = q.x, x[4] = q.y, x[5] = q.z, x[6] = q.w;
  memcpy(x + 7, X.R.m, sizeof X.R.m);
}

limb_status limb_eval_pose(limb_lane* w, double* x)
{
  sp_pose X = sp_pose_identity();
  const limb_status s = limb_frame_pose(w->data, w->frame, &X);
  limb_put_pose(X, x);
  return s;
}

limb_status limb_eval_position(limb_lane* w, double* x)
{
  sp_pose X = sp_pose_identity();
  return vector(limb_frame_pose(w->data, w->frame, &X), &X.p, x);
}

limb_status limb_eval_velocity(limb_lane* w, double* x)
{
  sp_motion m = {0};
  return motion(limb_frame_velocity(w->data, w->frame, w->ref, &m), &m, x);
}

// J a + Jdot v, whatever the reference: docs/conventions.md.
limb_status limb_eval_acceleration(limb_lane* w, double* x)
{
  sp_motion m = {0};
  return motion(w->ref == LIMB_ALIGNED ? limb_frame_classical_acceleration(w->data, w->frame, w->ref, &m)
                                       : limb_frame_acceleration(w->data, w->frame, w->ref, &m),
                &m, x);
}

limb_status limb_eval_J(limb_lane* w, double* x)
{
  return columns(w, limb_frame_jacobian(w->data, w->frame, w->ref, motions(w)), x);
}

limb_status limb_eval_Jdot(limb_lane* w, double* x)
{
  return columns(w, limb_frame_jacobian_rate(w->data, w->frame, w->ref, motions(w)), x);
}

limb_status limb_eval_Jdotv(limb_lane* w, double* x)
{
  sp_motion m = {0};
  return motion(limb_frame_jacobian_rate_times_v(w->data, w->frame, w->ref, &m), &m, x);
}

// (i, j, k): component i of dJ_j/dq_k.
limb_status limb_eval_dJ_dq(limb_lane* w, double* x)
{
  const size_t nv = (size_t)w->e->nv;
  const sp_motion* H = motions(w);
  const limb_status s = limb_frame_jacobian_derivative(w->data, w->frame, w->ref, motions(w));
  for (size_t k = 0; s == LIMB_OK && k < nv; k++) {
    for (size_t j = 0; j < nv; j++) {
      double column[6];
      put_motion(H[k * nv + j], column);
      for (size_t i = 0; i < 6; i++) x[(i * nv + j) * nv + k] = column[i];
    }
  }
  return s;
}

limb_status limb_eval_dvelocity_dq(limb_lane* w, double* x)
{
  return columns(w, limb_frame_velocity_derivatives(w->data, w->frame, w->ref, motions(w), NULL), x);
}

// By q or by v; the other is NULL.
static limb_status acceleration_by(limb_lane* w, sp_motion* dq, sp_motion* dv, double* x)
{
  return columns(w,
                 w->ref == LIMB_ALIGNED
                   ? limb_frame_classical_acceleration_derivatives(w->data, w->frame, w->ref, dq, dv, NULL)
                   : limb_frame_acceleration_derivatives(w->data, w->frame, w->ref, dq, dv, NULL),
                 x);
}

limb_status limb_eval_dacceleration_dq(limb_lane* w, double* x) { return acceleration_by(w, motions(w), NULL, x); }

limb_status limb_eval_dacceleration_dv(limb_lane* w, double* x) { return acceleration_by(w, NULL, motions(w), x); }

// ---- the whole robot ------------------------------------------------------------------------------------

limb_status limb_eval_com(limb_lane* w, double* x)
{
  sp_vec3 c = {0};
  return vector(limb_center_of_mass(w->data, &c, NULL, NULL), &c, x);
}

limb_status limb_eval_vcom(limb_lane* w, double* x)
{
  sp_vec3 c = {0};
  return vector(limb_center_of_mass(w->data, NULL, &c, NULL), &c, x);
}

limb_status limb_eval_acom(limb_lane* w, double* x)
{
  sp_vec3 c = {0};
  return vector(limb_center_of_mass(w->data, NULL, NULL, &c), &c, x);
}

limb_status limb_eval_momentum(limb_lane* w, double* x)
{
  sp_force h = {0};
  return force(limb_momentum(w->data, 1, &h), &h, x);
}

limb_status limb_eval_momentum_rate(limb_lane* w, double* x)
{
  sp_force h = {0};
  return force(limb_momentum_rate(w->data, 1, &h), &h, x);
}

// ---- the task at a frame --------------------------------------------------------------------------------

// Why there is no inverse.
static limb_status explain(limb_lane* w, const limb_task_space* t)
{
  limb_frame_info frame = {.name = "?"};
  if (w->e->ntask > w->e->nv)
    return limb_because(w, LIMB_E_SINGULAR,
                        "%d directions are more than the robot has velocities, %d: choose fewer directions, or damping",
                        w->e->ntask, w->e->nv);
  if (limb_get_frame(w->e->model, w->frame, &frame) != LIMB_OK) frame.name = "?";
  return limb_because(w, LIMB_E_SINGULAR,
                      "in this state '%.60s' cannot move in all of its %d directions: condition number %.3g, the "
                      "limit is %.0e; choose fewer directions, or damping",
                      frame.name, w->e->ntask, t->condition, w->e->task.condition_limit);
}

// v NULL: the result does not depend on it.
static limb_status task(limb_lane* w, const double* v, limb_task_space* out)
{
  const limb_task one = {.frame = w->frame, .ref = w->ref, .directions = w->e->options.directions};
  const limb_task_stack tasks = {1, &one};
  const limb_status s = limb_task_dynamics(w->data, w->q, v ? v : w->zero, w->env, &tasks, &w->e->task, w->work, out);
  // Is it the task that is singular, or the mass matrix?
  if (s != LIMB_E_SINGULAR || limb_mass_matrix_solve(w->data, w->q, 1, w->zero, w->work) != LIMB_OK) return s;
  return explain(w, out);
}

limb_status limb_eval_Lambda(limb_lane* w, double* x) { return task(w, NULL, &(limb_task_space){.Lambda = x}); }
limb_status limb_eval_eta(limb_lane* w, double* x) { return task(w, w->v, &(limb_task_space){.eta = x}); }
limb_status limb_eval_mu(limb_lane* w, double* x) { return task(w, w->v, &(limb_task_space){.mu = x}); }
limb_status limb_eval_p(limb_lane* w, double* x) { return task(w, NULL, &(limb_task_space){.p = x}); }
limb_status limb_eval_Jbar(limb_lane* w, double* x) { return task(w, NULL, &(limb_task_space){.Jbar = x}); }
limb_status limb_eval_N(limb_lane* w, double* x) { return task(w, NULL, &(limb_task_space){.N = x}); }

// A singular task has a condition number, too: infinite, or nearly so.
limb_status limb_eval_condition(limb_lane* w, double* x)
{
  limb_task_space t = {0};
  limb_status s = task(w, NULL, &t);
  if (s == LIMB_E_SINGULAR && *w->because) s = LIMB_OK;
  *w->because = '\0';
  *x = t.condition;
  return s;
}

// ---- by the parameters of the geometry ------------------------------------------------------------------

limb_status limb_eval_geometry(limb_lane* w, double* x)
{
  limb_geometry_info p = {NULL, 0, 0, 0};
  limb_status s = LIMB_OK;
  for (int k = 0; k < limb_geometry_count(w->geometry) && s == LIMB_OK; k++) {
    s = limb_geometry_get(w->geometry, k, &p);
    x[k] = p.value;
  }
  return s;
}

limb_status limb_eval_dpose_dgeometry(limb_lane* w, double* x)
{
  const size_t np = (size_t)limb_geometry_count(w->geometry);
  const limb_status s = limb_geometry_pose_derivative(w->geometry, w->q, w->frame, w->ref, motions(w));
  return limb_put_columns(s, motions(w), np, x);
}

// (i, j, p): component i of dJ_j/dp.
limb_status limb_eval_dJ_dgeometry(limb_lane* w, double* x)
{
  const size_t nv = (size_t)w->e->nv, np = (size_t)limb_geometry_count(w->geometry);
  const sp_motion* H = motions(w);
  const limb_status s = limb_geometry_jacobian_derivative(w->geometry, w->q, w->frame, w->ref, motions(w));
  for (size_t p = 0; s == LIMB_OK && p < np; p++) {
    for (size_t j = 0; j < nv; j++) {
      double column[6];
      put_motion(H[p * nv + j], column);
      for (size_t i = 0; i < 6; i++) x[(i * nv + j) * np + p] = column[i];
    }
  }
  return s;
}

limb_status limb_eval_dtau_dgeometry(limb_lane* w, double* x)
{
  return limb_geometry_torque_derivative(w->geometry, w->q, w->v, w->a, w->env, x);
}
