// The quantities of `limb eval`: forces, accelerations, matrices, energy. One small function per call of
// the library.
#include "eval.h"

static limb_status tau(eval_run* r, double* x)
{
  const cli_states* s = r->states;
  return limb_inverse_dynamics(r->robot->data, s->q, s->v, s->a, &r->robot->env, x);
}

static limb_status acc(eval_run* r, double* x)
{
  const cli_states* s = r->states;
  return limb_forward_dynamics(r->robot->data, s->q, s->v, s->tau, &r->robot->env, x);
}

static limb_status mass_matrix(eval_run* r, double* x) { return limb_mass_matrix(r->robot->data, r->states->q, x); }

static limb_status mass_matrix_inverse(eval_run* r, double* x)
{
  return limb_mass_matrix_inverse(r->robot->data, r->states->q, x);
}

static limb_status bias(eval_run* r, double* x)
{
  return limb_bias_forces(r->robot->data, r->states->q, r->states->v, &r->robot->env, x);
}

static limb_status gravity(eval_run* r, double* x)
{
  return limb_gravity_forces(r->robot->data, r->states->q, &r->robot->env, x);
}

static limb_status coriolis(eval_run* r, double* x)
{
  return limb_coriolis_matrix(r->robot->data, r->states->q, r->states->v, x);
}

static limb_status friction(eval_run* r, double* x)
{
  return limb_friction_forces(r->robot->data, r->states->v, &r->robot->env, x);
}

static limb_status springs(eval_run* r, double* x) { return limb_spring_forces(r->robot->data, r->states->q, x); }

static limb_status energy(eval_run* r, double* x)
{
  limb_energy e = {0, 0, 0};
  const limb_status s = limb_energies(r->robot->data, r->states->q, r->states->v, &r->robot->env, &e);
  x[0] = e.kinetic, x[1] = e.gravity + e.springs, x[2] = e.gravity, x[3] = e.springs;
  return s;
}

static limb_status power(eval_run* r, double* x)
{
  const cli_states* s = r->states;
  limb_power p = {0};
  const limb_status status = limb_power_balance(r->robot->data, s->q, s->v, s->a, &r->robot->env, &p);
  x[0] = p.actuators, x[1] = p.wrenches, x[2] = p.kinetic, x[3] = p.gravity, x[4] = p.springs;
  x[5] = p.friction, x[6] = p.residual;
  return status;
}

static double joint_forces(const eval_run* r) { return 6.0 * limb_joint_count(r->robot->model); }

void eval_put_forces(limb_status s, const sp_force* f, int n, double* x)
{
  for (int j = 0; s == LIMB_OK && j < n; j++) {
    double* at = x + 6 * (size_t)j;
    at[0] = f[j].m.x, at[1] = f[j].m.y, at[2] = f[j].m.z;
    at[3] = f[j].f.x, at[4] = f[j].f.y, at[5] = f[j].f.z;
  }
}

limb_status eval_reactions(eval_run* r, const double* a, double* work, double* x)
{
  const cli_states* s = r->states;
  sp_force* f = (sp_force*)(void*)work;
  const limb_status status = limb_joint_reactions(r->robot->data, s->q, s->v, a, &r->robot->env, r->ref, f);
  eval_put_forces(status, f, limb_joint_count(r->robot->model), x);
  return status;
}

static limb_status reactions(eval_run* r, double* x) { return eval_reactions(r, r->states->a, r->work, x); }

static const char* const energy_fields[] = {"kinetic", "potential", "gravity", "springs", NULL};
static const char* const power_fields[] = {"actuators", "wrenches", "kinetic",  "gravity",
                                           "springs",   "friction", "residual", NULL};

const eval_quantity eval_dynamics[] = {
  {.name = "tau",
   .meaning = "torques and forces of the actuators",
   .axes = {AXIS_DOF},
   .needs = EVAL_QVA,
   .compute = tau},
  {.name = "acc", .meaning = "accelerations under tau", .axes = {AXIS_DOF}, .needs = EVAL_QVT, .compute = acc},
  {.name = "M", .meaning = "mass matrix", .axes = {AXIS_DOF, AXIS_DOF}, .needs = EVAL_Q, .compute = mass_matrix},
  {.name = "Minv",
   .meaning = "its inverse",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_Q,
   .compute = mass_matrix_inverse},
  {.name = "h", .meaning = "bias forces C v + g", .axes = {AXIS_DOF}, .needs = EVAL_QV, .compute = bias},
  {.name = "g", .meaning = "gravity forces", .axes = {AXIS_DOF}, .needs = EVAL_Q, .compute = gravity},
  {.name = "C",
   .meaning = "Coriolis matrix: C v = h - g, rate of M minus 2 C is skew",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_QV,
   .compute = coriolis},
  {.name = "friction",
   .meaning = "friction, as the actuators feel it",
   .axes = {AXIS_DOF},
   .needs = STATES_V,
   .compute = friction},
  {.name = "springs",
   .meaning = "springs beside the joints, as the actuators feel them",
   .axes = {AXIS_DOF},
   .needs = EVAL_Q,
   .compute = springs},
  {.name = "energy",
   .meaning = "kinetic, potential (gravity + springs), gravity, springs",
   .axes = {AXIS_FIELD},
   .needs = EVAL_QV,
   .unit = "J",
   .fields = energy_fields,
   .compute = energy},
  {.name = "power",
   .meaning = "actuators, wrenches; kinetic, gravity, springs, friction; residual",
   .axes = {AXIS_FIELD},
   .needs = EVAL_QVA,
   .unit = "W",
   .fields = power_fields,
   .compute = power},
  {.name = "reactions",
   .meaning = "wrench that each joint transmits to its child, at the joint, in --ref",
   .axes = {AXIS_JOINT, AXIS_FORCE},
   .needs = EVAL_QVA,
   .of = OF_REF,
   .compute = reactions,
   .room = joint_forces},
  {0},
};
