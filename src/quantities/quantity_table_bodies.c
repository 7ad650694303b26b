// The registry of quantities, second part: the Lagrangian, all bodies at once, the factors of closed forms.
#include "limb/verify.h"

#include "quantities/quantity_table.h"

// ---- scratch --------------------------------------------------------------------------------------------

static double bodies(const limb_evaluator* e) { return limb_body_count(e->model); }
static double numbers_2(const limb_evaluator* e) { return 2 * bodies(e); }
static double vectors_6(const limb_evaluator* e) { return 6 * bodies(e); }
static double poses(const limb_evaluator* e) { return 12 * bodies(e); }
static double jacobians(const limb_evaluator* e) { return 6 * bodies(e) * e->nv; }
static double factors(const limb_evaluator* e) { return (double)limb_reference_factors_work(e->model) + e->nq; }

static double articulated(const limb_evaluator* e)
{
  return (double)limb_reference_articulated_work(e->model) + 42 * bodies(e);
}

// ---- fields ---------------------------------------------------------------------------------------------

static const char* const energy_fields[] = {"kinetic", "gravity", NULL};
static const char* const moment_fields[] = {"I1", "I2", "I3", NULL};

// ---- the table ------------------------------------------------------------------------------------------

#define BODY    LIMB_AXIS_BODY
#define STACKED LIMB_AXIS_STACKED
#define REF     LIMB_NEEDS_REFERENCE

// clang-format off
const limb_quantity_row limb_quantity_rows_of_bodies[] = {
  {{"T", "Lagrangian", "T = v' M v / 2", "kinetic energy, rotors included", {0}, NULL, "J", QV, ALL, "limb_energies",
    "energy.kinetic by the letter of textbooks"}, IS(T), .units = UNIT_FIXED},
  {{"U", "Lagrangian", "U = -sum m g . c + sum k (q - rest)^2 / 2", "potential energy of gravity and springs",
    {0}, NULL, "J", Q, ALL, "limb_energies", "energy.potential by a letter of textbooks"}, IS(U), .units = UNIT_FIXED},
  {{"L", "Lagrangian", "L = T - U", "the Lagrangian", {0}, NULL, "J", QV, ALL, "limb_energies", ""},
   IS(L), .units = UNIT_FIXED},
  {{"dT_dv", "Lagrangian", "p = dT/dv = M v", "generalised momentum",
    {V}, NULL, "N m s, N s", QV, TREES, "limb_energy_derivatives", "p = M v of textbooks; p here is Khatib's"},
   IS(dT_dv), .units = UNIT_NONE},
  {{"dT_dq", "Lagrangian", "dT/dq = (dM/dq v)' v / 2", "derivative of the kinetic energy",
    {V}, NULL, "N m, N", QV, TREES, "limb_energy_derivatives", ""}, IS(dT_dq), .units = UNIT_FORCE},
  {{"dU_dq", "Lagrangian", "dU/dq = g + springs", "derivative of the potential energy",
    {V}, NULL, "N m, N", Q, TREES, "limb_energy_derivatives", ""}, IS(dU_dq), .units = UNIT_FORCE},
  {{"body_energy", "Lagrangian", "K_i = V_i' I_i V_i / 2, P_i = -m_i g . c_i",
    "kinetic energy and potential energy of gravity of each body, without rotors",
    {BODY, LIMB_AXIS_FIELD}, energy_fields, "J", QV, ALL, "limb_body_energies", ""},
   IS(body_energy), .work = numbers_2, .units = UNIT_FIXED},

  {{"body_pose", "all bodies", "x_world = rotation x_body + position", "pose of each body",
    {BODY, LIMB_AXIS_POSE}, NULL, "m, -", Q, ALL, "limb_get_body_motions", ""},
   IS(body_pose), .work = poses, .level = 1, .units = UNIT_NONE},
  {{"body_velocity", "all bodies", "V_i = J_i v", "velocity of each body, angular first",
    {BODY, MOTION}, NULL, "rad/s, m/s", QV | REF, ALL, "limb_get_body_motions", ""},
   IS(body_velocity), .work = vectors_6, .level = 2, .units = UNIT_TWIST},
  {{"body_acceleration", "all bodies", "J_i a + dJ_i/dt v",
    "acceleration of each body: classical with @aligned, spatial with @body and @world",
    {BODY, MOTION}, NULL, "rad/s^2, m/s^2", QVA | REF, ALL, "limb_get_body_motions", ""},
   IS(body_acceleration), .work = vectors_6, .level = 3, .units = UNIT_TWIST_RATE},
  {{"body_J", "all bodies", "V_i = J_i v", "Jacobian of each body",
    {BODY, MOTION, V}, NULL, "-, m", Q | REF | CLOSED, ALL, "limb_get_body_motions", ""},
   IS(body_J), .work = jacobians, .level = 1, .units = UNIT_NONE},
  {{"net_wrench", "all bodies", "F_i = I_i a_i + v_i x* I_i v_i",
    "rate of momentum of each body: the sum of all wrenches on it, weight and reactions included",
    {BODY, FORCE}, NULL, "N m, N", QVA | REF, ALL, "limb_get_body_motions", "reactions has the wrenches at the joints"},
   IS(net_wrench), .work = vectors_6, .level = 3, .units = UNIT_WRENCH},
  {{"principal_moments", "all bodies", "R' I_c R = diag(I1, I2, I3)",
    "principal moments of inertia of each body about its centre of mass, ascending",
    {BODY, LIMB_AXIS_FIELD}, moment_fields, "kg m^2", 0, ALL, "limb_inertia_principal", ""},
   IS(principal_moments), .units = UNIT_FIXED},
  {{"principal_axes", "all bodies", "column k of R", "principal axes of inertia of each body, in its own axes",
    {BODY, VECTOR, LIMB_AXIS_FIELD}, moment_fields, "-", 0, ALL, "limb_inertia_principal", ""},
   IS(principal_axes), .units = UNIT_NONE},
  {{"articulated_inertia", "all bodies", "f_i = I^A_i a_i + p^A_i",
    "inertia of each body with all that its joints carry, if their forces are given; in its own axes at its origin",
    {BODY, FORCE, MOTION}, NULL, "kg m^2, kg m, kg", Q, TREES, "limb_reference_articulated", ""},
   IS(articulated_inertia), .work = articulated, .units = UNIT_NONE},
  {{"articulated_bias", "all bodies", "f_i = I^A_i a_i + p^A_i, a_i spatial and less gravity",
    "wrench that the joint of each body transmits to it without acceleration; in its own axes at its origin",
    {BODY, FORCE}, NULL, "N m, N", QVT, TREES, "limb_reference_articulated", ""},
   IS(articulated_bias), .work = articulated, .units = UNIT_WRENCH},

  {{"factor_A", "closed form", "M = A' L' G L A", "axes of the joints in the axes of their bodies, on the diagonal",
    {STACKED, V}, NULL, "-, m", Q, TREES, "limb_reference_factors", "rotors are not part of the product"},
   IS(factor_A), .work = factors, .units = UNIT_NONE},
  {{"factor_S", "closed form", "A_i = Ad(M_i^-1) S_i", "screw axes of the joints in the world, with all joints at zero",
    {STACKED, V}, NULL, "-, m", 0, TREES, "limb_reference_factors", ""},
   IS(factor_S), .work = factors, .units = UNIT_NONE},
  {{"factor_G", "closed form", "M = A' L' G L A", "inertias of the bodies at their origins, on the diagonal",
    {STACKED, STACKED}, NULL, "kg m^2, kg m, kg", 0, TREES, "limb_reference_factors", ""},
   IS(factor_G), .work = factors, .units = UNIT_NONE},
  {{"factor_Gamma", "closed form", "V = Gamma V + A v + V_base", "Ad of T_(i,p), from each body's parent p to body i",
    {STACKED, STACKED}, NULL, "-, m", Q, TREES, "limb_reference_factors", ""},
   IS(factor_Gamma), .work = factors, .units = UNIT_NONE},
  {{"factor_L", "closed form", "L = (1 - Gamma)^-1", "Ad of T_(i,j), from body j to all that it carries",
    {STACKED, STACKED}, NULL, "-, m", Q, TREES, "limb_reference_factors", ""},
   IS(factor_L), .work = factors, .units = UNIT_NONE},
  {{"factor_ad_Av", "closed form", "ad of A_i v_i", "ad of the velocity of each joint, on the diagonal",
    {STACKED, STACKED}, NULL, "rad/s, m/s", QV, TREES, "limb_reference_factors", ""},
   IS(factor_ad_Av), .work = factors, .units = UNIT_NONE},
  {{"factor_ad_V", "closed form", "ad of V_i", "ad of the velocity of each body, on the diagonal",
    {STACKED, STACKED}, NULL, "rad/s, m/s", QV, TREES, "limb_reference_factors", ""},
   IS(factor_ad_V), .work = factors, .units = UNIT_NONE},
  {.about = {.name = NULL}},
};
// clang-format on
