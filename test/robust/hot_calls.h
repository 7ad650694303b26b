// Every hot call, in the signature of hot_inputs.h, and what it takes.
#ifndef LIMB_TEST_HOT_CALLS_H
#define LIMB_TEST_HOT_CALLS_H

#include "robust/hot_hybrid.h"

// ---- dynamics -----------------------------------------------------------------------------------

static limb_status inverse(const inputs* i)
{
  return limb_inverse_dynamics(i->d, i->q, i->v, i->third, i->env, i->out);
}

static limb_status bias(const inputs* i) { return limb_bias_forces(i->d, i->q, i->v, i->env, i->out); }

static limb_status gravity(const inputs* i) { return limb_gravity_forces(i->d, i->q, i->env, i->out); }

static limb_status friction(const inputs* i) { return limb_friction_forces(i->d, i->v, i->env, i->out); }

static limb_status springs(const inputs* i) { return limb_spring_forces(i->d, i->q, i->out); }

static limb_status mass(const inputs* i) { return limb_mass_matrix(i->d, i->q, i->out); }

static limb_status coriolis(const inputs* i) { return limb_coriolis_matrix(i->d, i->q, i->v, i->out); }

static limb_status forward(const inputs* i)
{
  return limb_forward_dynamics(i->d, i->q, i->v, i->third, i->env, i->out);
}

static limb_status aba(const inputs* i)
{
  return limb_forward_dynamics_aba(i->d, i->q, i->v, i->third, i->env, i->out);
}

static limb_status by_mass(const inputs* i)
{
  return limb_forward_dynamics_by_mass_matrix(i->d, i->q, i->v, i->third, i->env, i->work, i->out);
}

static limb_status inverse_matrix(const inputs* i) { return limb_mass_matrix_inverse(i->d, i->q, i->out); }

static limb_status solve(const inputs* i) { return limb_mass_matrix_solve(i->d, i->q, 1, i->third, i->out); }

static limb_status energies(const inputs* i) { return limb_energies(i->d, i->q, i->v, i->env, i->out); }

static limb_status power(const inputs* i) { return limb_power_balance(i->d, i->q, i->v, i->third, i->env, i->out); }

static limb_status reactions(const inputs* i)
{
  return limb_joint_reactions(i->d, i->q, i->v, i->third, i->env, LIMB_WORLD, i->out);
}

static limb_status kinematics(const inputs* i) { return limb_kinematics(i->d, i->q, i->v, i->third); }

// ---- parameters and tasks -----------------------------------------------------------------------

static limb_status regressor(const inputs* i) { return limb_regressor(i->d, i->q, i->v, i->third, i->env, i->out); }

static limb_status generalized_momentum_regressor(const inputs* i)
{
  return limb_generalized_momentum_regressor(i->d, i->q, i->v, i->out);
}

static limb_status momentum_regressor(const inputs* i) { return limb_momentum_regressor(i->d, i->q, i->v, i->out); }

static limb_status energy_regressor(const inputs* i)
{
  return limb_energy_regressor(i->d, i->q, i->v, i->env, i->out, i->work);
}

static limb_status base_regressor(const inputs* i)
{
  return limb_base_regressor(i->base, i->d, i->q, i->v, i->third, i->work, i->out);
}

static limb_status task_dynamics(const inputs* i)
{
  const limb_task task = {i->frame, LIMB_ALIGNED, LIMB_LINEAR};
  const limb_task_stack tasks = {1, &task};
  limb_task_space out = {.Lambda = block(i, 0), .eta = block(i, 1), .N = block(i, 2)};
  return limb_task_dynamics(i->d, i->q, i->v, i->env, &tasks, NULL, i->work, i->out ? &out : NULL);
}

static limb_status task_acceleration(const inputs* i)
{
  const limb_task task = {i->frame, LIMB_ALIGNED, LIMB_LINEAR};
  const limb_task_stack tasks = {1, &task};
  return limb_task_acceleration(i->d, i->q, i->v, i->third, i->env, &tasks, i->work, i->out);
}

// ---- the table ----------------------------------------------------------------------------------

enum {
  QV = TAKES_Q | TAKES_V,
  QVX = TAKES_Q | TAKES_V | TAKES_THIRD,
  QVXE = TAKES_Q | TAKES_V | TAKES_THIRD | TAKES_ENV | TAKES_WRENCH,
};

static const struct {
  const char* name;
  hot_fn* call;
  int takes;
} hot[] = {
  {"inverse_dynamics", inverse, QVXE},
  {"bias_forces", bias, QV | TAKES_ENV},
  {"gravity_forces", gravity, TAKES_Q},
  {"friction_forces", friction, TAKES_V},
  {"spring_forces", springs, TAKES_Q},
  {"mass_matrix", mass, TAKES_Q},
  {"coriolis_matrix", coriolis, QV},
  {"forward_dynamics", forward, QVXE},
  {"forward_dynamics_aba", aba, QVXE},
  {"by_mass_matrix", by_mass, QVXE},
  {"mass_matrix_inverse", inverse_matrix, TAKES_Q},
  {"mass_matrix_solve", solve, TAKES_Q | TAKES_THIRD},
  {"energies", energies, QV},
  {"power_balance", power, QVX},
  {"joint_reactions", reactions, QVXE},
  {"kinematics", kinematics, QVX | TAKES_NULL | WANTS_NOTHING},
  {"mass_matrix_derivative", mass_derivative, TAKES_Q},
  {"mass_matrix_derivative_times", mass_derivative_times, TAKES_Q | TAKES_THIRD},
  {"mass_matrix_gradient", mass_gradient, QVX},
  {"mass_matrix_rate", mass_rate, QV},
  {"christoffel", christoffel, TAKES_Q},
  {"connection", connection, TAKES_Q},
  {"christoffel_by_polarisation", polarised, TAKES_Q},
  {"coriolis_matrix_christoffel", coriolis_christoffel, QV},
  {"gravity_from_potential", potential_gravity, TAKES_Q | TAKES_ENV | TAKES_WRENCH},
  {"lagrangian_terms", lagrangian, QV | TAKES_ENV | TAKES_WRENCH},
  {"energy_derivatives", energy_derivatives, QV | TAKES_ENV | TAKES_WRENCH | WANTS_NOTHING},
  {"christoffel_second", second_kind, TAKES_Q},
  {"christoffel_derivative", christoffel_derivative, TAKES_Q},
  {"connection_derivative", connection_derivative, TAKES_Q},
  {"curvature", curvature, TAKES_Q},
  {"ricci_curvature", ricci, TAKES_Q},
  {"scalar_curvature", scalar, TAKES_Q},
  {"sectional_curvature", sectional, QVX},
  {"inverse_dynamics_derivatives", id_derivatives, QVXE},
  {"forward_dynamics_derivatives", fd_derivatives, QVXE},
  {"inverse_dynamics_by_wrench", id_by_wrench, TAKES_Q},
  {"inverse_dynamics_by_gravity", id_by_gravity, TAKES_Q},
  {"forward_dynamics_by_wrench", fd_by_wrench, TAKES_Q},
  {"forward_dynamics_by_gravity", fd_by_gravity, TAKES_Q},
  {"kinematics_derivatives", kinematics_derivatives, QVX | TAKES_NULL | WANTS_NOTHING},
  {"linearise", linearise, QVXE},
  {"linearise_affine", linearise_affine, QVXE},
  {"linearise_trajectory", linearise_trajectory, QVXE},
  {"inverse_dynamics_along", id_along, QVXE},
  {"forward_dynamics_along", fd_along, QVXE},
  {"inverse_dynamics_derivatives_along", id_derivatives_along, QVXE},
  {"forward_dynamics_derivatives_along", fd_derivatives_along, QVXE},
  {"inverse_dynamics_along_twice", id_along_twice, QVXE},
  {"forward_dynamics_along_twice", fd_along_twice, QVXE},
  {"inverse_dynamics_hessian_along", id_hessian_along, QVXE},
  {"forward_dynamics_hessian_along", fd_hessian_along, QVXE},
  {"inverse_dynamics_hessian", id_hessian, QVXE},
  {"forward_dynamics_hessian", fd_hessian, QVXE},
  {"inverse_dynamics_second_derivatives", id_second, QVXE},
  {"forward_dynamics_second_derivatives", fd_second, QVXE},
  {"regressor", regressor, QVXE},
  {"generalized_momentum_regressor", generalized_momentum_regressor, QV},
  {"momentum_regressor", momentum_regressor, QV},
  {"energy_regressor", energy_regressor, QV | WANTS_NOTHING},
  {"base_regressor", base_regressor, QVX},
  {"task_dynamics", task_dynamics, QV | TAKES_ENV | TAKES_WRENCH},
  {"task_acceleration", task_acceleration, QVXE},
  {"hybrid_dynamics", hybrid, QVXE},
  {"hybrid_dynamics_by_mass_matrix", hybrid_by_mass, QVXE},
  {"hybrid_dynamics_derivatives", hybrid_derivatives, QVXE},
  {"hybrid_dynamics_along", hybrid_along, QVXE},
  {"hybrid_dynamics_by_wrench", hybrid_by_wrench, TAKES_Q},
  {"hybrid_dynamics_by_gravity", hybrid_by_gravity, TAKES_Q},
  {"base_velocity", base_velocity, TAKES_Q},
  {"generalized_jacobian", generalized_jacobian, TAKES_Q},
  {"reaction_null_space", reaction_null_space, TAKES_Q},
  {"static_deflection", static_deflection, TAKES_Q | TAKES_THIRD | TAKES_NULL | TAKES_ENV | TAKES_WRENCH},
  {"elastic_inverse", elastic_inverse, QVXE},
  {"force_law_wrenches", force_law_wrenches, QV | TAKES_ENV | TAKES_WRENCH},
};

enum { HOT = sizeof hot / sizeof hot[0] };

#endif
