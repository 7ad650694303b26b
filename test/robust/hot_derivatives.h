// Hot calls about derivatives and geometry, in the signature of hot_inputs.h.
#ifndef LIMB_TEST_HOT_DERIVATIVES_H
#define LIMB_TEST_HOT_DERIVATIVES_H

#include "robust/hot_inputs.h"

// ---- the Lagrangian form --------------------------------------------------------------------------

static limb_status mass_derivative(const inputs* i) { return limb_mass_matrix_derivative(i->d, i->q, i->out); }

static limb_status mass_derivative_times(const inputs* i)
{
  return limb_mass_matrix_derivative_times(i->d, i->q, i->third, i->out);
}

static limb_status mass_gradient(const inputs* i)
{
  return limb_mass_matrix_gradient(i->d, i->q, i->v, i->third, i->out);
}

static limb_status mass_rate(const inputs* i) { return limb_mass_matrix_rate(i->d, i->q, i->v, i->out); }

static limb_status christoffel(const inputs* i) { return limb_christoffel(i->d, i->q, i->out); }

static limb_status connection(const inputs* i) { return limb_connection(i->d, i->q, i->out); }

static limb_status polarised(const inputs* i) { return limb_christoffel_by_polarisation(i->d, i->q, i->work, i->out); }

static limb_status coriolis_christoffel(const inputs* i)
{
  return limb_coriolis_matrix_christoffel(i->d, i->q, i->v, i->out);
}

static limb_status potential_gravity(const inputs* i)
{
  return limb_gravity_from_potential(i->d, i->q, i->env, i->out);
}

static limb_status energy_derivatives(const inputs* i)
{
  return limb_energy_derivatives(i->d, i->q, i->v, i->env, i->out, NULL, i->work);
}

static limb_status lagrangian(const inputs* i)
{
  limb_lagrangian out = {.p = i->out};
  return limb_lagrangian_terms(i->d, i->q, i->v, i->env, i->out ? &out : NULL);
}

static limb_status second_kind(const inputs* i) { return limb_christoffel_second(i->d, i->q, i->work, i->out); }

static limb_status christoffel_derivative(const inputs* i) { return limb_christoffel_derivative(i->d, i->q, i->out); }

static limb_status connection_derivative(const inputs* i) { return limb_connection_derivative(i->d, i->q, i->out); }

static limb_status curvature(const inputs* i) { return limb_curvature(i->d, i->q, i->work, i->out); }

static limb_status ricci(const inputs* i) { return limb_ricci_curvature(i->d, i->q, i->work, i->out); }

static limb_status scalar(const inputs* i) { return limb_scalar_curvature(i->d, i->q, i->work, i->out); }

static limb_status sectional(const inputs* i)
{
  return limb_sectional_curvature(i->d, i->q, i->v, i->third, i->work, i->out);
}

// ---- derivatives --------------------------------------------------------------------------------

// Matrices and tensors one behind the other, from the output on.
static inline double* block(const inputs* i, int k) { return i->out ? (double*)i->out + k * i->block : NULL; }

static limb_status id_derivatives(const inputs* i)
{
  const limb_id_derivatives out = {block(i, 0), block(i, 1), block(i, 2), block(i, 3)};
  return limb_inverse_dynamics_derivatives(i->d, i->q, i->v, i->third, i->env, i->out ? &out : NULL);
}

static limb_status fd_derivatives(const inputs* i)
{
  const limb_fd_derivatives out = {block(i, 0), block(i, 1), block(i, 2), block(i, 3)};
  return limb_forward_dynamics_derivatives(i->d, i->q, i->v, i->third, i->env, i->out ? &out : NULL);
}

static limb_status id_by_wrench(const inputs* i)
{
  return limb_inverse_dynamics_by_wrench(i->d, i->q, i->frame, LIMB_BODY, i->out);
}

static limb_status id_by_gravity(const inputs* i) { return limb_inverse_dynamics_by_gravity(i->d, i->q, i->out); }

static limb_status fd_by_wrench(const inputs* i)
{
  return limb_forward_dynamics_by_wrench(i->d, i->q, i->frame, LIMB_WORLD, i->out);
}

static limb_status fd_by_gravity(const inputs* i) { return limb_forward_dynamics_by_gravity(i->d, i->q, i->out); }

static limb_status linearise(const inputs* i)
{
  return limb_linearise(i->d, i->q, i->v, i->third, i->env, i->out, i->work);
}

static limb_status linearise_affine(const inputs* i)
{
  return limb_linearise_affine(i->d, i->q, i->v, i->third, i->env, i->out, i->work);
}

static limb_status linearise_trajectory(const inputs* i)
{
  return limb_linearise_trajectory(i->d, 1, i->q, i->v, i->third, i->env, i->out, i->work);
}

// Those of kinematics, after kinematics: all of them, one behind the other.
static limb_status kinematics_derivatives(const inputs* i)
{
  const sp_force f = {{1, 2, 3}, {4, 5, 6}};
  double* const x[4] = {block(i, 0), block(i, 1), block(i, 2), block(i, 3)};
  sp_motion* const m[3] = {(void*)x[0], (void*)x[1], (void*)x[2]};
  limb_data* d = i->d;
  limb_status s = limb_kinematics(d, i->q, i->v, i->third);
  if (s != LIMB_OK || !i->out) return s;
  if (!s) s = limb_frame_pose_derivative(d, i->frame, (sp_pose*)(void*)x[0]);
  if (!s) s = limb_frame_velocity_derivatives(d, i->frame, LIMB_BODY, m[0], m[1]);
  if (!s) s = limb_frame_acceleration_derivatives(d, i->frame, LIMB_WORLD, m[0], m[1], m[2]);
  if (!s) s = limb_frame_classical_acceleration_derivatives(d, i->frame, LIMB_ALIGNED, m[0], m[1], m[2]);
  if (!s) s = limb_frame_jacobian_derivative_times(d, i->frame, LIMB_BODY, i->v, m[0]);
  if (!s) s = limb_frame_jacobian_derivative_transposed(d, i->frame, LIMB_ALIGNED, f, x[1]);
  if (!s) s = limb_momentum_derivative(d, 0, (sp_force*)(void*)x[0]);
  if (!s) s = limb_momentum_rate_derivatives(d, 0, (sp_force*)(void*)x[1], (sp_force*)(void*)x[2]);
  if (!s) s = limb_center_of_mass_derivatives(d, (sp_vec3*)(void*)x[0], (sp_vec3*)(void*)x[1], (sp_vec3*)(void*)x[2]);
  return s ? s : limb_frame_jacobian_derivative(d, i->frame, LIMB_BODY, (sp_motion*)(void*)x[3]);
}

// ---- along directions ---------------------------------------------------------------------------

// Whatever lies in the scratch memory, zeros mostly, is a direction, too.
static inline limb_directions along_q_and_v(const inputs* i)
{
  return (limb_directions){.count = 1, .dq = i->work, .dv = i->work};
}

static limb_status id_along(const inputs* i)
{
  const limb_directions along = along_q_and_v(i);
  return limb_inverse_dynamics_along(i->w, i->q, i->v, i->third, i->env, &along, i->out);
}

static limb_status fd_along(const inputs* i)
{
  const limb_directions along = along_q_and_v(i);
  return limb_forward_dynamics_along(i->w, i->q, i->v, i->third, i->env, &along, i->out);
}

static limb_status id_derivatives_along(const inputs* i)
{
  const limb_directions along = along_q_and_v(i);
  const limb_id_derivatives out = {block(i, 0), block(i, 1), block(i, 2), block(i, 3)};
  return limb_inverse_dynamics_derivatives_along(i->w, i->q, i->v, i->third, i->env, &along, i->out ? &out : NULL);
}

static limb_status fd_derivatives_along(const inputs* i)
{
  const limb_directions along = along_q_and_v(i);
  const limb_fd_derivatives out = {block(i, 0), block(i, 1), block(i, 2), block(i, 3)};
  return limb_forward_dynamics_derivatives_along(i->w, i->q, i->v, i->third, i->env, &along, i->out ? &out : NULL);
}

static limb_status id_along_twice(const inputs* i)
{
  const limb_directions along = along_q_and_v(i);
  return limb_inverse_dynamics_along_twice(i->w, i->q, i->v, i->third, i->env, &along, &along, i->out);
}

static limb_status fd_along_twice(const inputs* i)
{
  const limb_directions along = along_q_and_v(i);
  return limb_forward_dynamics_along_twice(i->w, i->q, i->v, i->third, i->env, &along, &along, i->out);
}

static limb_status id_hessian_along(const inputs* i)
{
  const limb_directions along = along_q_and_v(i);
  const limb_gradients out = {block(i, 0), block(i, 1), block(i, 2)};
  return limb_inverse_dynamics_hessian_along(i->w, i->q, i->v, i->third, i->env, i->work, &along, i->out ? &out : NULL);
}

static limb_status fd_hessian_along(const inputs* i)
{
  const limb_directions along = along_q_and_v(i);
  const limb_gradients out = {block(i, 0), block(i, 1), block(i, 2)};
  return limb_forward_dynamics_hessian_along(i->w, i->q, i->v, i->third, i->env, i->work, &along, i->out ? &out : NULL);
}

static limb_status id_hessian(const inputs* i)
{
  const limb_second_derivatives out = {block(i, 0), block(i, 1), block(i, 2), block(i, 3)};
  return limb_inverse_dynamics_hessian(i->w, i->q, i->v, i->third, i->env, i->work, i->out ? &out : NULL);
}

static limb_status fd_hessian(const inputs* i)
{
  const limb_second_derivatives out = {block(i, 0), block(i, 1), block(i, 2), block(i, 3)};
  return limb_forward_dynamics_hessian(i->w, i->q, i->v, i->third, i->env, i->work, i->out ? &out : NULL);
}

static limb_status id_second(const inputs* i)
{
  const limb_second_derivatives out = {block(i, 0), block(i, 1), block(i, 2), block(i, 3)};
  return limb_inverse_dynamics_second_derivatives(i->w, i->q, i->v, i->third, i->env, i->out ? &out : NULL);
}

static limb_status fd_second(const inputs* i)
{
  const limb_second_derivatives out = {block(i, 0), block(i, 1), block(i, 2), block(i, 3)};
  return limb_forward_dynamics_second_derivatives(i->w, i->q, i->v, i->third, i->env, i->out ? &out : NULL);
}

#endif
