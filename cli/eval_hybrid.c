// The quantities of `limb eval`: what follows when of some joints the acceleration is given and of others the
// force, moving bases, elastic joints. The columns of the table decide what is given (states.h).
#include "eval.h"

#include <string.h>

static size_t squared(const eval_run* r) { return (size_t)r->dofs->nv * (size_t)r->dofs->nv; }

// ---- hybrid dynamics -------------------------------------------------------------------------------

static limb_status hybrid(eval_run* r, double* x)
{
  const cli_states* s = r->states;
  double *a = x, *tau = x + r->dofs->nv;
  return limb_hybrid_dynamics(r->robot->data, s->q, s->v, s->given.mark, s->given.x, &r->robot->env, a, tau);
}

static double reactions_room(const eval_run* r) { return r->dofs->nv + 6.0 * limb_joint_count(r->robot->model); }

static limb_status hybrid_reactions(eval_run* r, double* x)
{
  const cli_states* s = r->states;
  double *a = r->work, *work = a + r->dofs->nv;
  const limb_status status =
    limb_hybrid_dynamics(r->robot->data, s->q, s->v, s->given.mark, s->given.x, &r->robot->env, a, NULL);
  return status == LIMB_OK ? eval_reactions(r, a, work, x) : status;
}

static double two_matrices(const eval_run* r) { return 2 * (double)squared(r); }

static limb_status slopes(eval_run* r, const limb_hybrid_derivatives* out)
{
  const cli_states* s = r->states;
  const limb_hybrid in = {s->q, s->v, s->given.mark, s->given.x, &r->robot->env};
  return limb_hybrid_dynamics_derivatives(r->robot->data, &in, out);
}

static limb_status hybrid_by_q(eval_run* r, double* x)
{
  return slopes(r, &(limb_hybrid_derivatives){NULL, x, r->work, r->work + squared(r)});
}

static limb_status hybrid_by_v(eval_run* r, double* x)
{
  return slopes(r, &(limb_hybrid_derivatives){NULL, r->work, x, r->work + squared(r)});
}

static limb_status hybrid_by_x(eval_run* r, double* x)
{
  return slopes(r, &(limb_hybrid_derivatives){NULL, r->work, r->work + squared(r), x});
}

static const char* const hybrid_fields[] = {"a", "tau", NULL};

// ---- moving base -----------------------------------------------------------------------------------

static double nv_numbers(const eval_run* r) { return r->dofs->nv; }

// All accelerations, into work.
static limb_status floating_motion(eval_run* r)
{
  const cli_states* s = r->states;
  return limb_hybrid_dynamics(r->robot->data, s->q, s->v, s->base.mark, s->base.x, &r->robot->env, r->work, NULL);
}

static limb_status base_acc(eval_run* r, double* x)
{
  const cli_dofs* d = r->dofs;
  const limb_status s = floating_motion(r);
  for (int k = 0; k < d->nbase; k++) x[k] = r->work[d->split[k]];
  return s;
}

static limb_status base_acc_frame(eval_run* r, double* x)
{
  const cli_states* t = r->states;
  sp_motion A = {{0, 0, 0}, {0, 0, 0}};
  limb_status s = floating_motion(r);
  if (s == LIMB_OK) s = limb_kinematics(r->robot->data, t->q, t->v, r->work);
  if (s == LIMB_OK) s = limb_frame_classical_acceleration(r->robot->data, r->frame, r->ref, &A);
  if (s == LIMB_OK) s = eval_move(r); // other quantities are of the row's own accelerations
  return eval_put_columns(s, &A, 1, x);
}

static double jacobian_room(const eval_run* r)
{
  return 6.0 * r->dofs->nv + (double)limb_moving_base_work(r->robot->model);
}

static limb_status generalized_jacobian(eval_run* r, double* x)
{
  const cli_dofs* d = r->dofs;
  sp_motion* J = (sp_motion*)(void*)r->work;
  double* work = r->work + 6 * (size_t)d->nv;
  const limb_status s = limb_generalized_jacobian(r->robot->data, r->states->q, r->floating, r->frame, r->ref, work, J);
  return eval_put_columns(s, J, (size_t)(d->nv - d->nbase), x);
}

static double null_space_room(const eval_run* r) { return (double)limb_moving_base_work(r->robot->model); }

static limb_status reaction_null_space(eval_run* r, double* x)
{
  return limb_reaction_null_space(r->robot->data, r->states->q, r->floating, r->work, x, NULL);
}

// ---- elastic joints --------------------------------------------------------------------------------

static double deflection_room(const eval_run* r) { return (double)squared(r) + 4.0 * r->dofs->nv + 2.0 * r->dofs->nq; }

static limb_status deflection(eval_run* r, double* x)
{
  const double* q0 = r->states->q;
  double *q = r->work, *work = r->work + r->dofs->nq;
  memcpy(q, q0, (size_t)r->dofs->nq * sizeof *q);
  const limb_status s = limb_static_deflection(r->robot->data, NULL, NULL, &r->robot->env, NULL, work, q);
  if (s == LIMB_OK) return limb_difference(r->robot->model, q0, q, x);
  if (s == LIMB_E_SINGULAR)
    (void)snprintf(r->because, sizeof r->because,
                   "nothing holds a joint that gives way, or the load outweighs its spring: "
                   "start elsewhere");
  if (s == LIMB_E_NOCONV)
    (void)snprintf(r->because, sizeof r->because,
                   "there is no equilibrium near this state: are the springs strong enough?");
  return s;
}

const eval_quantity eval_hybrid[] = {
  {.name = "hybrid",
   .meaning = "accelerations and forces of all joints, from the one that is given of each",
   .axes = {AXIS_FIELD, AXIS_DOF},
   .needs = EVAL_QVG,
   .fields = hybrid_fields,
   .compute = hybrid},
  {.name = "hybrid_reactions",
   .meaning = "wrench that each joint transmits to its child, as reactions, with the a of hybrid",
   .axes = {AXIS_JOINT, AXIS_FORCE},
   .needs = EVAL_QVG,
   .of = OF_REF,
   .compute = hybrid_reactions,
   .room = reactions_room},
  {.name = "dhybrid_dq",
   .meaning = "derivative of what hybrid computes, a or tau of each joint, with respect to q",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_QVG,
   .compute = hybrid_by_q,
   .room = two_matrices},
  {.name = "dhybrid_dv",
   .meaning = "the same with respect to v",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_QVG,
   .compute = hybrid_by_v,
   .room = two_matrices},
  {.name = "dhybrid_dx",
   .meaning = "the same with respect to what is given, a or tau of each joint",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_QVG,
   .compute = hybrid_by_x,
   .room = two_matrices},
  {.name = "base_acc",
   .meaning = "accelerations of a moving base, its rates of v, when the other joints move with a",
   .axes = {AXIS_FLOATING},
   .needs = EVAL_QVB,
   .of = OF_FLOATING,
   .compute = base_acc,
   .room = nv_numbers},
  {.name = "base_acc_frame",
   .meaning = "that motion at a frame, the base's say: classical acceleration in --ref",
   .axes = {AXIS_MOTION},
   .needs = EVAL_QVB,
   .of = OF_FLOATING | OF_FRAME | OF_REF,
   .compute = base_acc_frame,
   .room = nv_numbers},
  {.name = "generalized_jacobian",
   .meaning = "Jacobian of the frame by the other joints when the base floats without momentum",
   .axes = {AXIS_MOTION, AXIS_ARM},
   .needs = EVAL_Q,
   .of = OF_FLOATING | OF_FRAME | OF_REF,
   .compute = generalized_jacobian,
   .room = jacobian_room},
  {.name = "reaction_null_space",
   .meaning = "projector on joint velocities that leave a moving base alone",
   .axes = {AXIS_ARM, AXIS_ARM},
   .needs = EVAL_Q,
   .of = OF_FLOATING,
   .compute = reaction_null_space,
   .room = null_space_room},
  {.name = "deflection",
   .meaning = "how far elastic joints give way at rest while all others hold still",
   .axes = {AXIS_DOF},
   .needs = EVAL_Q,
   .of = OF_ELASTIC,
   .compute = deflection,
   .room = deflection_room},
  {0},
};
