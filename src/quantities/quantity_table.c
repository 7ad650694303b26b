// The registry of quantities: one row each; quantity_table_bodies.c goes on. docs/quantities.md and `limb eval --list`
// are made from these tables.
#include "limb/derivatives.h"
#include "limb/dynamics.h"
#include "limb/lagrange.h"

#include "quantities/quantity_table.h"

#include <string.h>

// ---- scratch --------------------------------------------------------------------------------------------

static double power(const limb_evaluator* e, int exponent)
{
  double n = 1;
  for (int k = 0; k < exponent; k++) n *= e->nv;
  return n;
}

static double matrices_2(const limb_evaluator* e) { return 2 * power(e, 2); }
static double matrices_4(const limb_evaluator* e) { return 4 * power(e, 2); }
static double motions_1(const limb_evaluator* e) { return 6.0 * e->nv; }
static double motions_2(const limb_evaluator* e) { return 6 * power(e, 2); }
static double geometry_motions(const limb_evaluator* e) { return 6.0 * limb_geometry_count(e->geometry); }
static double geometry_columns(const limb_evaluator* e) { return e->nv * geometry_motions(e); }
static double coordinates(const limb_evaluator* e) { return e->nq; }
static double velocities(const limb_evaluator* e) { return e->nv; }
static double joint_forces(const limb_evaluator* e) { return e->nv + 6.0 * limb_joint_count(e->model); }
static double loop_forces(const limb_evaluator* e) { return 6.0 * limb_loop_count(e->model); }
static double constraint_rates(const limb_evaluator* e) { return (double)e->nc * (e->nv + 1); }
static double tensor_3(const limb_evaluator* e) { return power(e, 3); }
static double curvature(const limb_evaluator* e) { return 2 * power(e, 3); }
static double ricci(const limb_evaluator* e) { return power(e, 4) + 2 * power(e, 3); }
static double scalar(const limb_evaluator* e) { return ricci(e) + power(e, 2); }
static double task(const limb_evaluator* e) { return (double)limb_task_work(e->model, e->ntask) + e->nv; }
static double base_work(const limb_evaluator* e) { return (double)limb_base_work(e->base_parameters); }
static double null_space(const limb_evaluator* e) { return (double)limb_moving_base_work(e->model); }
static double generalized(const limb_evaluator* e) { return motions_1(e) + null_space(e); }
static double deflection(const limb_evaluator* e) { return power(e, 2) + 4.0 * e->nv + 2.0 * e->nq; }

static double sectional(const limb_evaluator* e)
{
  return (double)limb_sectional_curvature_work(e->model) + 2.0 * e->nv;
}

static double sampled(const limb_evaluator* e)
{
  return 10 * power(e, 2) + (double)limb_discretise_work(2 * e->nv, e->nv);
}

// ---- fields ---------------------------------------------------------------------------------------------

static const char* const energy_fields[] = {"kinetic", "potential", "gravity", "springs", NULL};
static const char* const power_fields[] = {"actuators", "wrenches", "kinetic",  "gravity",
                                           "springs",   "friction", "residual", NULL};
static const char* const hybrid_fields[] = {"a", "tau", NULL};
static const char* const d2tau_fields[] = {"dqdq", "dqdv", "dvdv", "dqda", NULL};
static const char* const d2acc_fields[] = {"dqdq", "dqdv", "dvdv", "dqdtau", NULL};
static const char* const passive_fields[] = {"v", "a", NULL};
static const char* const mobility_fields[] = {
  "nv",          "constraints", "rank",      "gruebler",          "mobility",
  "redundant",   "idle",        "active",    "passive",           "driven",
  "undriven",    "overdriven",  "condition", "condition_passive", "condition_active",
  "singularity", NULL};

// ---- the table ------------------------------------------------------------------------------------------

// clang-format off
const limb_quantity_row limb_quantity_rows[] = {
  // name, group, equation, meaning, axes, fields, unit, needs, robots, functions, note
  {{"time", "state", "t", "time of the state", {0}, NULL, "s", LIMB_NEEDS_TIME, ALL, "", ""},
   IS(time), .units = UNIT_FIXED},
  {{"q", "state", "q", "coordinates of the state, including those that follow from the loops",
    {LIMB_AXIS_Q}, NULL, "rad, m", Q | CLOSED, ALL, "limb_complete_state", ""},
   IS(q), .units = UNIT_POSITION},
  {{"v", "state", "v = dq/dt", "velocities of the state; those of ball and free joints in the axes of the child",
    {V}, NULL, "rad/s, m/s", QV | CLOSED, ALL, "limb_complete_state", ""},
   IS(v), .units = UNIT_VELOCITY},
  {{"a", "state", "a = dv/dt", "accelerations of the state",
    {V}, NULL, "rad/s^2, m/s^2", QVA | CLOSED, ALL, "limb_complete_state", "acc computes accelerations from forces"},
   IS(a), .units = UNIT_ACCELERATION},

  {{"tau", "dynamics", "tau = M a + h + friction + springs - sum J' w",
    "inverse dynamics: actuator forces for a motion; zero at passive joints of loops; of least norm if there are more "
    "motors than motions",
    {V}, NULL, "N m, N", QVA | CLOSED, ALL, "limb_inverse_dynamics",
    "in a simulation tau is the force that acts; it is not computed from the motion"},
   IS(tau), .closed = limb_eval_closed_tau, .uses = USES_BATCH, .units = UNIT_FORCE},
  {{"acc", "dynamics", "a = M^-1 (tau - h - friction - springs + sum J' w)",
    "forward dynamics: accelerations caused by forces",
    {V}, NULL, "rad/s^2, m/s^2", QVT | CLOSED, ALL, "limb_forward_dynamics", ""},
   IS(acc), .closed = limb_eval_closed_acc, .uses = USES_BATCH, .units = UNIT_ACCELERATION},
  {{"M", "dynamics", "kinetic energy = v' M v / 2", "mass matrix, including reflected rotor inertias",
    {V, V}, NULL, "kg m^2, kg m, kg", Q | CLOSED, ALL, "limb_mass_matrix",
    "with loops G' M_tree G; rows and columns of dependent velocities are zero"},
   IS(M), .uses = USES_BATCH, .units = UNIT_MASS},
  {{"Minv", "dynamics", "M^-1", "inverse of the mass matrix, in the rows and columns of independent velocities",
    {V, V}, NULL, "1/(kg m^2), 1/(kg m), 1/kg", Q | CLOSED, ALL, "limb_mass_matrix_inverse", ""},
   IS(Minv), .uses = USES_BATCH, .units = UNIT_NONE},
  {{"h", "dynamics", "h = C v + g", "bias forces: Coriolis, centrifugal and gravity forces",
    {V}, NULL, "N m, N", QV | CLOSED, ALL, "limb_bias_forces",
    "no friction, springs or wrenches; not the angular momentum h of some books"},
   IS(h), .uses = USES_BATCH, .units = UNIT_FORCE},
  {{"g", "dynamics", "g = dU/dq, U = -sum m_i gravity . c_i", "gravity forces: actuator forces that balance gravity",
    {V}, NULL, "N m, N", Q | CLOSED, ALL, "limb_gravity_forces", "not the acceleration of gravity"},
   IS(g), .uses = USES_BATCH, .units = UNIT_FORCE},
  {{"C", "dynamics", "C v = h - g, dM/dt - 2 C skew-symmetric", "Coriolis matrix",
    {V, V}, NULL, "N m s, N s", QV | CLOSED, ALL, "limb_coriolis_matrix",
    "a matrix; some books use C for the vector C v"},
   IS(C), .uses = USES_BATCH, .units = UNIT_NONE},
  {{"friction", "dynamics", "friction = Fs sign(v) + Fv v",
    "friction forces: actuator forces that overcome friction at each joint",
    {V}, NULL, "N m, N", LIMB_NEEDS_V, ALL, "limb_friction_forces", ""},
   IS(friction), .units = UNIT_FORCE},
  {{"springs", "dynamics", "springs = k (q - rest)",
    "spring forces: actuator forces that balance the springs parallel to each joint",
    {V}, NULL, "N m, N", Q, ALL, "limb_spring_forces", ""},
   IS(springs), .units = UNIT_FORCE},
  {{"reactions", "dynamics", "f_j = sum over the bodies beyond joint j of (I a + v x* I v) - w",
    "wrench that each joint transmits to its child, at the joint; for a, or else for the acceleration caused by tau",
    {LIMB_AXIS_JOINT, FORCE}, NULL, "N m, N", QVM | LIMB_NEEDS_REFERENCE | CLOSED, ALL,
    "limb_joint_reactions", ""},
   IS(reactions), .closed = limb_eval_closed_reactions, .work = joint_forces, .units = UNIT_WRENCH},

  {{"energy", "energy", "kinetic = v' M v / 2, potential = gravity + springs", "energies of the robot",
    {FIELD}, energy_fields, "J", QV, ALL, "limb_energies", ""},
   IS(energy), .units = UNIT_FIXED},
  {{"total_energy", "energy", "kinetic + potential", "sum of kinetic and potential energy",
    {0}, NULL, "J", QV, ALL, "limb_energies", ""},
   IS(total_energy), .units = UNIT_FIXED},
  {{"power", "energy", "actuators + wrenches = kinetic + gravity + springs + friction + residual",
    "power balance: supplied, stored and dissipated power; residual is rounding error",
    {FIELD}, power_fields, "W", QVA | CLOSED, ALL, "limb_power_balance", ""},
   IS(power), .units = UNIT_FIXED},

  {{"pose", "frames", "x_world = rotation x_frame + position", "pose of the frame in the world",
    {LIMB_AXIS_POSE}, NULL, "m, -", Q | FRAME, ALL, "limb_frame_pose", ""},
   IS(pose), .level = 1, .units = UNIT_POSE},
  {{"position", "frames", "position of the origin", "position of the origin of the frame in the world",
    {VECTOR}, NULL, "m", Q | FRAME, ALL, "limb_frame_pose", ""},
   IS(position), .level = 1, .units = UNIT_FIXED},
  {{"velocity", "frames", "V = J v", "velocity of the frame, angular first",
    {MOTION}, NULL, "rad/s, m/s", QV | AT, ALL, "limb_frame_velocity", ""},
   IS(velocity), .level = 2, .units = UNIT_TWIST},
  {{"acceleration", "frames", "J a + dJ/dt v",
    "acceleration of the frame: classical with @aligned, spatial with @body and @world",
    {MOTION}, NULL, "rad/s^2, m/s^2", QVA | AT, ALL, "limb_frame_classical_acceleration, limb_frame_acceleration", ""},
   IS(acceleration), .level = 3, .units = UNIT_TWIST_RATE},
  {{"J", "frames", "V = J v", "Jacobian of the frame",
    {MOTION, V}, NULL, "-, m", Q | AT | CLOSED, ALL, "limb_frame_jacobian",
    "with loops J_tree G; columns of dependent velocities are zero"},
   IS(J), .work = motions_1, .level = 1, .uses = USES_BATCH,
   .units = UNIT_NONE},
  {{"Jdotv", "frames", "dJ/dt v", "part of the acceleration of the frame that does not depend on a",
    {MOTION}, NULL, "rad/s^2, m/s^2", QV | AT | CLOSED, ALL, "limb_frame_jacobian_rate_times_v", ""},
   IS(Jdotv), .level = 2, .units = UNIT_TWIST_RATE},
  {{"Jdot", "frames", "dJ/dt = sum_k dJ/dq_k v_k", "time derivative of the components of J",
    {MOTION, V}, NULL, "SI", QV | AT | CLOSED, ALL, "limb_frame_jacobian_rate", ""},
   IS(Jdot), .work = motions_1, .level = 2, .units = UNIT_NONE},
  {{"dJ_dq", "frames", "(i, j, k) = dJ_ij / dq_k", "derivative of the Jacobian: the kinematic Hessian",
    {MOTION, V, V}, NULL, "SI", Q | AT, TREES, "limb_frame_jacobian_derivative", ""},
   IS(dJ_dq), .work = motions_2, .level = 1, .units = UNIT_NONE},
  {{"dvelocity_dq", "frames", "dV/dq", "derivative of velocity with respect to q; with respect to v it is J",
    {MOTION, V}, NULL, "SI", QV | AT, TREES, "limb_frame_velocity_derivatives", ""},
   IS(dvelocity_dq), .work = motions_1, .level = 2, .units = UNIT_NONE},
  {{"dacceleration_dq", "frames", "d(J a + dJ/dt v)/dq",
    "derivative of acceleration with respect to q; with respect to a it is J",
    {MOTION, V}, NULL, "SI", QVA | AT, TREES,
    "limb_frame_classical_acceleration_derivatives, limb_frame_acceleration_derivatives", ""},
   IS(dacceleration_dq), .work = motions_1, .level = 3, .units = UNIT_NONE},
  {{"dacceleration_dv", "frames", "d(J a + dJ/dt v)/dv", "derivative of acceleration with respect to v",
    {MOTION, V}, NULL, "SI", QVA | AT, TREES,
    "limb_frame_classical_acceleration_derivatives, limb_frame_acceleration_derivatives", ""},
   IS(dacceleration_dv), .work = motions_1, .level = 3, .units = UNIT_NONE},

  {{"com", "whole robot", "c = sum m_i c_i / sum m_i", "centre of mass",
    {VECTOR}, NULL, "m", Q, ALL, "limb_center_of_mass", ""}, IS(com), .level = 1, .units = UNIT_FIXED},
  {{"vcom", "whole robot", "dc/dt", "velocity of the centre of mass",
    {VECTOR}, NULL, "m/s", QV, ALL, "limb_center_of_mass", ""}, IS(vcom), .level = 2, .units = UNIT_FIXED},
  {{"acom", "whole robot", "d2c/dt2", "acceleration of the centre of mass",
    {VECTOR}, NULL, "m/s^2", QVA, ALL, "limb_center_of_mass", ""}, IS(acom), .level = 3, .units = UNIT_FIXED},
  {{"momentum", "whole robot", "sum I_i V_i",
    "momentum in world axes, the angular part about the centre of mass; without rotors",
    {FORCE}, NULL, "N m s, N s", QV, ALL, "limb_momentum", ""}, IS(momentum), .level = 2, .units = UNIT_MOMENTUM},
  {{"momentum_rate", "whole robot", "d momentum / dt", "time derivative of momentum",
    {FORCE}, NULL, "N m, N", QVA, ALL, "limb_momentum_rate", ""},
   IS(momentum_rate), .level = 3, .units = UNIT_WRENCH},

  {{"Lambda", "task", "Lambda = (J M^-1 J')^-1, F = Lambda xddot + eta",
    "inertia at the frame, in the selected directions",
    {DIR, DIR}, NULL, "kg m^2, kg m, kg", Q | TASK | CLOSED, ALL, "limb_task_dynamics", ""},
   IS(Lambda), .work = task, .units = UNIT_NONE},
  {{"eta", "task", "eta = mu + p", "velocity and gravity forces at the frame",
    {DIR}, NULL, "N m, N", QV | TASK | CLOSED, ALL, "limb_task_dynamics", ""},
   IS(eta), .work = task, .units = UNIT_WRENCH},
  {{"mu", "task", "mu = Jbar' C v - Lambda dJ/dt v", "velocity forces at the frame",
    {DIR}, NULL, "N m, N", QV | TASK | CLOSED, ALL, "limb_task_dynamics",
    ""}, IS(mu), .work = task, .units = UNIT_WRENCH},
  {{"p", "task", "p = Jbar' g", "gravity forces at the frame",
    {DIR}, NULL, "N m, N", Q | TASK | CLOSED, ALL, "limb_task_dynamics", "Khatib's p; a position is called position"},
   IS(p), .work = task, .units = UNIT_WRENCH},
  {{"Jbar", "task", "Jbar = M^-1 J' Lambda", "dynamically consistent inverse of J",
    {V, DIR}, NULL, "SI", Q | TASK | CLOSED, ALL, "limb_task_dynamics",
    ""}, IS(Jbar), .work = task, .units = UNIT_NONE},
  {{"N", "task", "N = 1 - Jbar J", "null-space projector of velocities; its transpose projects torques",
    {V, V}, NULL, "SI", Q | TASK | CLOSED, ALL, "limb_task_dynamics", ""}, IS(N), .work = task, .units = UNIT_NONE},
  {{"condition", "task", "largest / smallest eigenvalue of J M^-1 J'",
    "condition number of the task, without damping; large near a singularity",
    {0}, NULL, "-", Q | TASK | CLOSED, ALL, "limb_task_dynamics", ""}, IS(condition), .work = task, .units = UNIT_NONE},

  {{"dtau_dq", "derivatives", "dtau/dq",
    "derivative of tau; with loops by the independent coordinates, with the loops closed",
    {V, V}, NULL, "SI", QVA | CLOSED, ALL,
    "limb_inverse_dynamics_derivatives", ""},
   IS(dtau_dq), .uses = USES_BATCH, .units = UNIT_NONE},
  {{"dtau_dv", "derivatives", "dtau/dv", "the same with respect to v; with respect to a it is M",
    {V, V}, NULL, "SI", QVA | CLOSED, ALL,
    "limb_inverse_dynamics_derivatives", ""},
   IS(dtau_dv), .uses = USES_BATCH, .units = UNIT_NONE},
  {{"dtau_dgravity", "derivatives", "dtau / d gravity", "derivative of tau with respect to the acceleration of gravity",
    {V, VECTOR}, NULL, "kg m, kg", Q | CLOSED, ALL, "limb_inverse_dynamics_by_gravity", ""},
   IS(dtau_dgravity), .units = UNIT_NONE},
  {{"dtau_dwrench", "derivatives", "dtau/dw = -J'", "derivative of tau with respect to a wrench on the frame",
    {V, FORCE}, NULL, "-, m", Q | AT | CLOSED, ALL, "limb_inverse_dynamics_by_wrench", ""},
   IS(dtau_dwrench), .units = UNIT_NONE},
  {{"dacc_dq", "derivatives", "dacc/dq",
    "derivative of acc; with loops by the coordinates of all joints, through the constraints",
    {V, V}, NULL, "SI", QVT | CLOSED, ALL,
    "limb_forward_dynamics_derivatives", ""},
   IS(dacc_dq), .work = matrices_2, .units = UNIT_NONE},
  {{"dacc_dv", "derivatives", "dacc/dv", "the same with respect to v",
    {V, V}, NULL, "SI", QVT | CLOSED, ALL,
    "limb_forward_dynamics_derivatives", ""},
   IS(dacc_dv), .work = matrices_2, .units = UNIT_NONE},
  {{"dacc_dtau", "derivatives", "dacc/dtau = M^-1, with loops G (G' M G)^-1 G'",
    "the same with respect to tau; with loops by the forces at all joints",
    {V, V}, NULL, "SI", Q | CLOSED, ALL, "limb_mass_matrix_inverse, limb_forward_dynamics_derivatives", ""},
   IS(dacc_dtau), .closed = limb_eval_closed_dacc_dtau, .work = matrices_2, .uses = USES_BATCH, .units = UNIT_NONE},
  {{"dacc_dgravity", "derivatives", "dacc / d gravity", "derivative of acc with respect to the acceleration of gravity",
    {V, VECTOR}, NULL, "SI", Q | CLOSED, ALL, "limb_forward_dynamics_by_gravity", ""},
   IS(dacc_dgravity), .units = UNIT_NONE},
  {{"dacc_dwrench", "derivatives", "dacc/dw = dacc/dtau J'", "derivative of acc with respect to a wrench on the frame",
    {V, FORCE}, NULL, "SI", Q | AT | CLOSED, ALL, "limb_forward_dynamics_by_wrench", ""},
   IS(dacc_dwrench), .units = UNIT_NONE},
  {{"geometry", "derivatives", "pose = product of elementary turns and shifts",
    "parameters of the geometry in the form of the options: MDH gamma b alpha d theta r, ...",
    {LIMB_AXIS_GEOMETRY}, NULL, "rad, m", 0, TREES, "limb_geometry_get", "all leaves these four out"},
   IS(geometry), .uses = USES_GEOMETRY, .units = UNIT_NONE},
  {{"dpose_dgeometry", "derivatives", "twist of the frame per unit of a parameter",
    "derivative of pose with respect to the parameters of the geometry",
    {MOTION, LIMB_AXIS_GEOMETRY}, NULL, "SI", Q | AT, TREES, "limb_geometry_pose_derivative", ""},
   IS(dpose_dgeometry), .work = geometry_motions, .uses = USES_GEOMETRY, .units = UNIT_NONE},
  {{"dJ_dgeometry", "derivatives", "(i, j, p) = dJ_ij / dp", "the same of the Jacobian",
    {MOTION, V, LIMB_AXIS_GEOMETRY}, NULL, "SI", Q | AT, TREES, "limb_geometry_jacobian_derivative", ""},
   IS(dJ_dgeometry), .work = geometry_columns, .uses = USES_GEOMETRY, .units = UNIT_NONE},
  {{"dtau_dgeometry", "derivatives", "dtau/dp", "the same of tau",
    {V, LIMB_AXIS_GEOMETRY}, NULL, "SI", QVA, TREES, "limb_geometry_torque_derivative", ""},
   IS(dtau_dgeometry), .uses = USES_GEOMETRY, .units = UNIT_NONE},
  {{"d2tau", "derivatives", "dqdv: (i, j, k) = d2tau_i / dq_j dv_k", "second derivatives of tau",
    {FIELD, V, V, V}, d2tau_fields, "SI", QVA, TREES, "limb_inverse_dynamics_second_derivatives", ""},
   IS(d2tau), .uses = USES_DUAL, .units = UNIT_NONE},
  {{"d2acc", "derivatives", "dqdv: (i, j, k) = d2acc_i / dq_j dv_k", "second derivatives of acc",
    {FIELD, V, V, V}, d2acc_fields, "SI", QVT, TREES, "limb_forward_dynamics_second_derivatives", ""},
   IS(d2acc), .uses = USES_DUAL, .units = UNIT_NONE},

  {{"A", "linear model", "x' = A x + B u, x = (dq; dv), u = dtau", "linear model along the motion: the state matrix",
    {STATE, STATE}, NULL, "SI", QVT | CLOSED, ALL, "limb_linearise",
    "not the A of articulated inertias or momentum matrices"},
   IS(A), .work = matrices_2, .units = UNIT_NONE},
  {{"B", "linear model", "x' = A x + B u", "linear model: the input matrix, zeros above M^-1",
    {STATE, V}, NULL, "SI", QVT | CLOSED, ALL, "limb_linearise", "not the actuation matrix"},
   IS(B), .work = matrices_4, .units = UNIT_NONE},
  {{"Ad", "linear model", "x(t + dt) = Ad x + Bd u, Ad = exp(A dt)",
    "linear model sampled exactly, for constant u: the state matrix",
    {STATE, STATE}, NULL, "SI", QVT | LIMB_NEEDS_DT | CLOSED, ALL, "limb_linearise, limb_discretise",
    "not the adjoint Ad"},
   IS(Ad), .work = sampled, .units = UNIT_NONE},
  {{"Bd", "linear model", "x(t + dt) = Ad x + Bd u", "input matrix of the sampled model",
    {STATE, V}, NULL, "SI", QVT | LIMB_NEEDS_DT | CLOSED, ALL, "limb_linearise, limb_discretise", ""},
   IS(Bd), .work = sampled, .units = UNIT_NONE},

  {{"Mdot", "geometry", "dM/dt = C + C'", "rate of change of M along v",
    {V, V}, NULL, "SI", QV, TREES, "limb_mass_matrix_rate", ""}, IS(Mdot), .units = UNIT_NONE},
  {{"dM_dq", "geometry", "(i, j, k) = dM_ij / dq_k", "derivative of M",
    {V, V, V}, NULL, "SI", Q, TREES, "limb_mass_matrix_derivative", ""}, IS(dM_dq), .units = UNIT_NONE},
  {{"christoffel", "geometry", "(C v)_i = sum_jk G_ijk v_j v_k",
    "Christoffel symbols of the first kind, symmetric in j and k",
    {V, V, V}, NULL, "SI", Q, TREES, "limb_christoffel", ""}, IS(christoffel), .units = UNIT_NONE},
  {{"christoffel2", "geometry", "G^i_jk = sum_h (M^-1)_ih G_hjk", "Christoffel symbols of the second kind",
    {V, V, V}, NULL, "SI", Q, TREES, "limb_christoffel_second", ""},
   IS(christoffel2), .work = tensor_3, .units = UNIT_NONE},
  {{"dchristoffel_dq", "geometry", "(i, j, k, l) = dG_ijk / dq_l", "derivative of christoffel",
    {V, V, V, V}, NULL, "SI", Q, TREES, "limb_christoffel_derivative", ""}, IS(dchristoffel_dq), .units = UNIT_NONE},
  {{"curvature", "geometry", "R_ijkl = <nabla_k nabla_l E_j - nabla_l nabla_k E_j - nabla_[E_k, E_l] E_j, E_i>",
    "Riemann's curvature tensor of the metric M, all indices lowered",
    {V, V, V, V}, NULL, "SI", Q, TREES, "limb_curvature", ""}, IS(curvature), .work = curvature, .units = UNIT_NONE},
  {{"ricci", "geometry", "Ric_jl = sum_ik (M^-1)_ik R_ijkl", "Ricci's curvature tensor",
    {V, V}, NULL, "SI", Q, TREES, "limb_ricci_curvature", ""}, IS(ricci), .work = ricci, .units = UNIT_NONE},
  {{"scalar_curvature", "geometry", "sum_jl (M^-1)_jl Ric_jl", "scalar curvature of the metric M",
    {0}, NULL, "SI", Q, TREES, "limb_scalar_curvature", ""},
   IS(scalar_curvature), .work = scalar, .units = UNIT_NONE},
  {{"sectional_curvature", "geometry", "K_ij = R_ijij / (M_ii M_jj - M_ij^2)",
    "sectional curvature of the planes of two velocities each; 0 on the diagonal, where there is no plane",
    {V, V}, NULL, "SI", Q, TREES, "limb_sectional_curvature", ""},
   IS(sectional_curvature), .work = sectional, .units = UNIT_NONE},
  {{"plane_curvature", "geometry", "K = <R(v, a) a, v> / (<v, v> <a, a> - <v, a>^2)",
    "sectional curvature of the plane of v and a, two directions of any choice",
    {0}, NULL, "SI", QVA, TREES, "limb_sectional_curvature", ""},
   IS(plane_curvature), .work = sectional, .units = UNIT_NONE},

  {{"Y", "parameters", "tau = Y theta",
    "regressor of all parameters, without wrenches; with loops for the forces along independent velocities",
    {V, LIMB_AXIS_PARAMETER}, NULL, "SI", QVA | CLOSED, ALL, "limb_regressor", ""},
   IS(Y), .uses = USES_PARAMETERS | USES_BATCH, .units = UNIT_NONE},
  {{"Y_r", "parameters", "Y_r theta = M a_r + C v_r + g + springs + friction(v_r)",
    "regressor of Slotine and Li, for adaptive control: velocity forces bilinear in v and v_r",
    {V, LIMB_AXIS_PARAMETER}, NULL, "SI", QV | LIMB_NEEDS_V_R | LIMB_NEEDS_A_R, TREES, "limb_slotine_li_regressor",
    "with v_r = v and a_r = a it is Y"},
   IS(Y_r), .uses = USES_PARAMETERS, .units = UNIT_NONE},
  {{"theta", "parameters", "m, mx ... Izz; rotor, viscous, coulomb, stiffness, offset",
    "parameters of the model, the same in all states",
    {LIMB_AXIS_PARAMETER}, NULL, "SI", 0, ALL, "limb_parameters", "not joint angles"},
   IS(theta), .uses = USES_PARAMETERS, .units = UNIT_PARAMETER},
  {{"Y_base", "parameters", "tau = Y_base theta_base", "regressor of the base parameters",
    {V, LIMB_AXIS_BASE}, NULL, "SI", QVA, TREES, "limb_base_regressor",
    "includes rotors and friction, and springs if the robot has any: the set that limb base lists"},
   IS(Y_base), .work = base_work, .uses = USES_BASE, .units = UNIT_NONE},
  {{"theta_base", "parameters", "theta_base = K theta", "base parameters of the model; limb base prints their formulas",
    {LIMB_AXIS_BASE}, NULL, "SI", 0, ALL, "limb_base_values", "the same set as that of Y_base"},
   IS(theta_base), .uses = USES_BASE, .units = UNIT_NONE},

  {{"hybrid", "known and unknown joints", "tau = M a + h + friction + springs - sum J' w",
    "accelerations and forces of all joints, computed from whichever of the two is given for each",
    {FIELD, V}, hybrid_fields, "SI", QVG, TREES, "limb_hybrid_dynamics", ""}, IS(hybrid), .units = UNIT_NONE},
  {{"hybrid_reactions", "known and unknown joints", "as reactions, with a of hybrid",
    "wrench that each joint transmits to its child",
    {LIMB_AXIS_JOINT, FORCE}, NULL, "N m, N", QVG | LIMB_NEEDS_REFERENCE, TREES,
    "limb_hybrid_dynamics, limb_joint_reactions", ""},
   IS(hybrid_reactions), .work = joint_forces, .units = UNIT_WRENCH},
  {{"dhybrid_dq", "known and unknown joints", "dy/dq, y: the one of a and tau that is computed",
    "derivative of the computed part of hybrid with respect to q",
    {V, V}, NULL, "SI", QVG, TREES, "limb_hybrid_dynamics_derivatives", ""},
   IS(dhybrid_dq), .work = matrices_2, .units = UNIT_NONE},
  {{"dhybrid_dv", "known and unknown joints", "dy/dv", "the same with respect to v",
    {V, V}, NULL, "SI", QVG, TREES, "limb_hybrid_dynamics_derivatives", ""},
   IS(dhybrid_dv), .work = matrices_2, .units = UNIT_NONE},
  {{"dhybrid_dx", "known and unknown joints", "dy/dx, x: the one of a and tau that is given",
    "the same with respect to the given part",
    {V, V}, NULL, "SI", QVG, TREES, "limb_hybrid_dynamics_derivatives", ""},
   IS(dhybrid_dx), .work = matrices_2, .units = UNIT_NONE},

  {{"base_acc", "moving base", "M_bb a_b + M_bm a_m + h_b = tau_b + (sum J' w)_b",
    "accelerations of a moving base (rates of its v) while the other joints move with a",
    {LIMB_AXIS_FLOATING}, NULL, "rad/s^2, m/s^2", QVB, BASE, "limb_hybrid_dynamics", ""},
   IS(base_acc), .work = velocities, .units = UNIT_ACCELERATION},
  {{"base_acc_frame", "moving base", "J a + dJ/dt v with that a",
    "classical acceleration of a frame in the same motion",
    {MOTION}, NULL, "rad/s^2, m/s^2", QVB | AT, BASE, "limb_hybrid_dynamics, limb_frame_classical_acceleration", ""},
   IS(base_acc_frame), .work = velocities, .units = UNIT_TWIST_RATE},
  {{"generalized_jacobian", "moving base", "J* = J_m - J_b M_bb^-1 M_bm",
    "Jacobian of the frame with respect to the other joints, for a base that floats without momentum",
    {MOTION, LIMB_AXIS_ARM}, NULL, "-, m", Q | AT, BASE, "limb_generalized_jacobian", ""},
   IS(generalized_jacobian), .work = generalized, .units = UNIT_NONE},
  {{"reaction_null_space", "moving base", "P = 1 - M_bm^+ M_bm",
    "projector onto joint velocities that do not move the base",
    {LIMB_AXIS_ARM, LIMB_AXIS_ARM}, NULL, "SI", Q, BASE, "limb_reaction_null_space", ""},
   IS(reaction_null_space), .work = null_space, .units = UNIT_NONE},

  {{"deflection", "elastic joints", "springs(q) + g(q) - sum J' w = 0 at elastic joints",
    "static deflection of elastic joints while all other joints are held",
    {V}, NULL, "rad, m", Q, ELASTIC, "limb_static_deflection", ""},
   IS(deflection), .work = deflection, .units = UNIT_POSITION},

  {{"independent", "loops", "v = G v_i", "1 for independent velocities, 0 for dependent ones",
    {V}, NULL, "-", Q | CLOSED, LOOPS, "limb_independent_velocities", ""},
   IS(independent), .work = coordinates, .units = UNIT_NONE},
  {{"Psi", "loops", "Psi v = s'(t)", "constraint Jacobian: the Jacobian of the loop equations",
    {ROWS, V}, NULL, "SI", Q, LOOPS, "limb_loop_equations_at", ""}, IS(Psi), .units = UNIT_NONE},
  {{"gamma", "loops", "Psi a = gamma", "the value of Psi a that keeps the loops closed",
    {ROWS}, NULL, "rad/s^2, m/s^2", QV, LOOPS, "limb_loop_equations_at", ""},
   IS(gamma), .units = UNIT_NONE},
  {{"loop_residual", "loops", "phi(q) - s(t)", "gap of the loops: the residual of each constraint",
    {ROWS}, NULL, "rad, m", Q, LOOPS, "limb_loop_equations_at", ""},
   IS(loop_residual), .units = UNIT_NONE},
  {{"loop_rate", "loops", "Psi v - s'(t)", "rate at which the gap of the loops grows, for each constraint",
    {ROWS}, NULL, "rad/s, m/s", QV, LOOPS, "limb_loop_equations_at", ""},
   IS(loop_rate), .work = constraint_rates, .units = UNIT_NONE},
  {{"mobility", "loops", "mobility = nv - rank(Psi)",
    "mobility with the loops closed, and conditioning; singularity: 0 none, 1 of the drives, 2 of the "
    "platform, 3 both, 4 of the closures",
    {FIELD}, mobility_fields, "-", Q | CLOSED, LOOPS, "limb_mobility_at", ""},
   IS(mobility), .units = UNIT_NONE},
  {{"passive", "loops", "v = G v_i, a = G a_i + a_0",
    "velocities and accelerations of all joints, computed from the independent ones",
    {FIELD, V}, passive_fields, "SI", QVA | CLOSED, LOOPS, "limb_complete_velocities, limb_complete_accelerations", ""},
   IS(passive), .units = UNIT_NONE},
  {{"G", "loops", "v = G v_i", "velocities of all joints by the independent ones",
    {V, LIMB_AXIS_INDEPENDENT}, NULL, "SI", Q | CLOSED, LOOPS, "limb_velocity_map",
    "not the inertias G of closed forms: factor_G"},
   IS(G), .work = matrices_2, .uses = USES_INDEPENDENT, .units = UNIT_NONE},
  {{"reduced_M", "loops", "A_c = G' M_tree G", "mass matrix of the independent velocities, without rows of zeros",
    {LIMB_AXIS_INDEPENDENT, LIMB_AXIS_INDEPENDENT}, NULL, "kg m^2, kg m, kg", Q | CLOSED, LOOPS,
    "limb_reduced_dynamics", "A_c of Khalil 2010, (58)"},
   IS(reduced_M), .work = matrices_2, .uses = USES_INDEPENDENT, .units = UNIT_NONE},
  {{"reduced_h", "loops", "tau_i = A_c a_i + H_c",
    "forces along the independent velocities that do not depend on a: bias, friction, springs, less wrenches",
    {LIMB_AXIS_INDEPENDENT}, NULL, "N m, N", QV | CLOSED, LOOPS, "limb_reduced_dynamics", "H_c of Khalil 2010, (58)"},
   IS(reduced_h), .work = matrices_2, .uses = USES_INDEPENDENT, .units = UNIT_NONE},
  {{"impulse", "loops", "M (v_after - v) = Psi' impulse, Psi v_after = s'(t)",
    "impulses of the closures if they all act at once on velocities that open them; of least norm",
    {ROWS}, NULL, "N m s, N s", QV, LOOPS, "limb_loop_impulse", ""},
   IS(impulse), .work = velocities, .units = UNIT_NONE},
  {{"v_after", "loops", "M (v_after - v) = Psi' impulse, Psi v_after = s'(t)", "velocities after that impact",
    {V}, NULL, "rad/s, m/s", QV, LOOPS, "limb_loop_impulse", ""}, IS(v_after), .units = UNIT_VELOCITY},
  {{"lambda", "loops", "M a + h + ... = tau + Psi' lambda",
    "multipliers: forces of the closures on frame b, one per constraint; of least norm if constraints are redundant; "
    "for a, or else for the acceleration caused by tau",
    {ROWS}, NULL, "N m, N", QVM | CLOSED, LOOPS, "limb_get_loop_details", ""},
   IS(lambda), .units = UNIT_NONE},
  {{"loop_loads", "loops", "wrench of lambda",
    "wrench of each closure on its frame b, at the origin of b; with @body in the axes of frame a, as lambda",
    {LIMB_AXIS_LOOP, FORCE}, NULL, "N m, N", QVM | LIMB_NEEDS_REFERENCE | CLOSED, LOOPS, "limb_loop_loads", ""},
   IS(loop_loads), .work = loop_forces, .units = UNIT_WRENCH},
  {{"loop_J", "loops", "loop_J' loop_loads = Psi' lambda",
    "Psi as the Jacobian of the velocity of frame b relative to frame a along the locked directions, at the origin of "
    "b; with @body in the axes of frame a, as Psi; zero for gears, polynomials, distances and rolling",
    {LIMB_AXIS_LOOP, MOTION, V}, NULL, "SI", Q | LIMB_NEEDS_REFERENCE, LOOPS, "limb_loop_equations_at",
    "Psi and lambda in the axes of the world are loop_J and loop_loads"},
   IS(loop_J), .work = constraint_rates, .level = 1, .units = UNIT_NONE},
  {.about = {.name = NULL}},
};
// clang-format on

const limb_quantity_alias* limb_find_alias(const char* name, size_t length)
{
  static const limb_quantity_alias alias[] = {
    {"t", "time"},
    {"pos", "position"},
    {"vel", "velocity@aligned"},
    {"body", "velocity@body"},
  };
  for (size_t k = 0; k < sizeof alias / sizeof *alias; k++)
    if (strlen(alias[k].name) == length && strncmp(alias[k].name, name, length) == 0) return &alias[k];
  return NULL;
}
