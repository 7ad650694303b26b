// Adaptive multistep methods of SUNDIALS: Adams and BDF by CVODE, and IDA.
//
// CVODE integrates q and v. Adams, for smooth motion, iterates by fixed points; BDF, for stiff robots, by Newton's
// method with the analytic derivatives of the accelerations. IDA solves all equations at once: positions, velocities
// and multipliers lambda,
//
//   q' - rate(q, v) = 0
//   M(q) v' + h + friction + springs - x - Psi' lambda = 0      inverse dynamics: no matrix is inverted
//   Psi v' - gamma = 0                                          index 1: differentiated twice
//
// For held velocities the second is v' - a = 0, and redundant constraints have lambda = 0. Without loops the
// derivatives of IDA are analytic (inverse dynamics); with loops IDA takes differences, one inverse dynamics each.
//
// Between steps the solution is the solver's own polynomial. Loops: Baumgarte's terms keep the solver's state near the
// constraint manifold, and results are projected onto it. If it is off by more than 1000 tolerances, the solver
// restarts.
#include "sim/sundials.h"

#include "limb/derivatives.h"

#include "base/numeric.h"

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The state at the end of a step, its work, and its drift.
static limb_status finish_step(limb_sim* sim, const char* solver, int flag)
{
  const sundials* s = sim->state;
  limb_status status = limb_sundials_reached(sim, solver, flag);
  if (status == LIMB_OK) status = limb_sundials_get(sim, NV_DATA_S(s->y), sim->front.t, &sim->front);
  if (status == LIMB_OK) status = limb_sundials_work(sim);
  return status == LIMB_OK ? limb_sundials_check_drift(sim) : status;
}

// Without memory CVodeInit and IDAInit free the solver's vectors, which CVodeFree and IDAFree would free again. What is
// left is one block.
static void* drop(void* memory)
{
  free(memory);
  return NULL;
}

// ---- CVODE: Adams and BDF -------------------------------------------------------------------------------

static limb_status cvode_set_up(limb_sim* sim, sundials* s, int family)
{
  limb_sundials_put(sim, &sim->now, s->y);
  s->polynomial = CVodeGetDky;
  s->memory = CVodeCreate(family, s->context);
  if (!s->memory) return LIMB_E_NOMEM;
  const limb_sim_options* o = &sim->o;
  int flag = CVodeInit(s->memory, limb_sundials_rate, 0, s->y);
  if (flag == CV_MEM_FAIL) s->memory = drop(s->memory);
  if (!flag) flag = CVodeSetUserData(s->memory, sim);
  if (!flag) flag = CVodeSetErrHandlerFn(s->memory, limb_sundials_message, sim);
  if (!flag) flag = CVodeSVtolerances(s->memory, o->relative, s->tolerance);
  if (!flag && o->max_step > 0) flag = CVodeSetMaxStep(s->memory, o->max_step);
  if (!flag && o->order > 0) flag = CVodeSetMaxOrd(s->memory, (int)fmin(o->order, family == CV_ADAMS ? 12 : 5));
  if (!flag && s->linear) flag = CVodeSetLinearSolver(s->memory, s->linear, s->A);
  if (flag == CVLS_MEM_FAIL) flag = CV_MEM_FAIL;
  if (!flag && s->linear) flag = CVodeSetJacFn(s->memory, limb_sundials_jacobian);
  return limb_sundials_ready(sim, "CVODE", flag);
}

static limb_status create_adams(limb_sim* sim)
{
  sundials* s;
  limb_status status = limb_sundials_create(sim, sim->nq + sim->nv, false, &s);
  if (status == LIMB_OK) status = cvode_set_up(sim, s, CV_ADAMS);
  if (status != LIMB_OK) return status;
  s->iteration = SUNNonlinSol_FixedPoint(s->y, 0, s->context);
  if (!s->iteration) return LIMB_E_NOMEM;
  const int flag = CVodeSetNonlinearSolver(s->memory, s->iteration);
  return limb_sundials_ready(sim, "CVODE", flag);
}

static limb_status create_bdf(limb_sim* sim)
{
  sundials* s;
  const limb_status status = limb_sundials_create(sim, sim->nq + sim->nv, true, &s);
  return status == LIMB_OK ? cvode_set_up(sim, s, CV_BDF) : status;
}

static void cvode_destroy(limb_sim* sim)
{
  sundials* s = sim->state;
  if (s && s->memory) CVodeFree(&s->memory);
  limb_sundials_free(s);
}

static limb_status cvode_begin_at(limb_sim* sim, const sim_point* p)
{
  sundials* s = sim->state;
  limb_sundials_put(sim, p, s->y);
  limb_sundials_begin(s, p);
  const int flag = CVodeReInit(s->memory, 0, s->y);
  return limb_sundials_ready(sim, "CVODE", flag);
}

static limb_status cvode_restart(limb_sim* sim) { return cvode_begin_at(sim, &sim->front); }

static limb_status cvode_step(limb_sim* sim, double t)
{
  sundials* s = sim->state;
  const limb_status status = limb_sundials_return(sim, cvode_begin_at);
  if (status != LIMB_OK) return status;
  const double stop = t - s->origin; // infinite: no stop; replaces the previous one
  double reached = s->to;
  int flag = CVodeSetStopTime(s->memory, stop);
  s->status = LIMB_OK;
  do {
    if (flag >= 0) flag = CVode(s->memory, fmin(stop, s->to + 1), s->y, &reached, CV_ONE_STEP);
  } while (limb_sundials_stalled(sim, flag, reached, t));
  long failures = s->failures, iterations = s->iterations;
  (void)CVodeGetNumErrTestFails(s->memory, &failures);
  (void)CVodeGetNumNonlinSolvIters(s->memory, &iterations);
  limb_sundials_count(sim, failures, iterations);
  return finish_step(sim, "CVODE", flag);
}

const sim_stepper limb_sim_adams = {LIMB_SIM_ADAMS, SIM_AHEAD,  create_adams,         cvode_destroy,
                                    cvode_restart,  cvode_step, limb_sundials_inside, limb_sundials_inside};
const sim_stepper limb_sim_bdf = {LIMB_SIM_BDF,  SIM_AHEAD,  create_bdf,           cvode_destroy,
                                  cvode_restart, cvode_step, limb_sundials_inside, limb_sundials_inside};

// ---- IDA ------------------------------------------------------------------------------------------------

typedef struct equations {
  sundials base;                 // first: sim->state points to both
  N_Vector slope;                // y'
  double *Psi, *gamma, *tau, *M; // nc x nv, nc, nv, nv x nv
  unsigned char* redundant;      // nc marks
} equations;

// ---- residuals ------------------------------------------------------------------------------------------

// Rows of the loops: lambda acts on the forces, and v' must satisfy the constraints.
static limb_status loop_rows(limb_sim* sim, equations* e, double t, const double* dv, double* forces, double* rows)
{
  const int nv = sim->nv;
  sim->o.loops.loops.time = t;
  const limb_loop_equations out = {NULL, e->Psi, NULL, e->gamma};
  const limb_status s = limb_loop_equations_at(sim->loops, e->base.q, e->base.v, &sim->o.loops.loops, &out);
  for (int i = 0; i < sim->nc && s == LIMB_OK; i++) {
    const double* row = e->Psi + (size_t)i * (size_t)nv;
    double sum = -e->gamma[i];
    for (int k = 0; k < nv; k++) sum += row[k] * dv[k], forces[k] -= row[k] * sim->lambda[i];
    rows[i] = e->redundant[i] ? sim->lambda[i] : sum;
  }
  return s;
}

static limb_status residual_at(limb_sim* sim, double t, const double* y, const double* dy, double* r)
{
  equations* e = sim->state;
  sundials* s = &e->base;
  const int nq = sim->nq, nv = sim->nv;
  const double* dv = dy + nq;
  sim_point at = {t, s->q, s->v, 0};
  limb_status status = limb_sundials_get(sim, y, t, &at);
  if (status == LIMB_OK) status = limb_sim_load(sim, t, s->q, s->v);
  if (status == LIMB_OK) status = limb_inverse_dynamics(sim->d, s->q, s->v, dv, &sim->env, e->tau);
  if (status != LIMB_OK) return status;
  memcpy(sim->lambda, y + nq + nv, (size_t)sim->nc * sizeof *y);
  if (sim->nc && (status = loop_rows(sim, e, t, dv, e->tau, r + nq + nv)) != LIMB_OK) return status;
  if (sim->nheld) limb_sim_split_holding(sim, s->v, e->tau);
  limb_sim_configuration_rate(sim, y, s->v, r);
  for (int i = 0; i < nq; i++) r[i] = dy[i] - r[i];
  for (int k = 0; k < nv; k++) r[nq + k] = sim->held[k] ? dv[k] - sim->x[k] : e->tau[k] - sim->x[k];
  return LIMB_OK;
}

static int residual(double t, N_Vector y, N_Vector dy, N_Vector r, void* user)
{
  limb_sim* sim = user;
  sundials* s = sim->state;
  if (s->out_of_memory) return limb_sundials_code(s, LIMB_E_NOMEM);
  sim->summary.evaluations++;
  sim->known = false;
  if (!limb_finite(s->n, NV_DATA_S(y)) || !limb_finite(s->n, NV_DATA_S(dy)))
    return limb_sundials_code(s, LIMB_E_NONFINITE);
  return limb_sundials_code(s, residual_at(sim, s->origin + t, NV_DATA_S(y), NV_DATA_S(dy), NV_DATA_S(r)));
}

// dr/dy + c dr/dy' of a tree, without the derivatives of forces that depend on the state: iterations compensate.
// NOLINTNEXTLINE(readability-function-size): the signature of IDA
static int jacobian(double t, double c, N_Vector y, N_Vector dy, N_Vector r, SUNMatrix J, void* user, N_Vector a,
                    N_Vector b, N_Vector d)
{
  (void)r, (void)a, (void)b, (void)d;
  limb_sim* sim = user;
  equations* e = sim->state;
  sundials* s = &e->base;
  const int nq = sim->nq, nv = sim->nv;
  sim_point at = {s->origin + t, s->q, s->v, 0};
  const limb_id_derivatives out = {.dtau_dq = s->a_q, .dtau_dv = s->a_v, .M = e->M};
  limb_status status = limb_sundials_get(sim, NV_DATA_S(y), at.t, &at);
  if (status == LIMB_OK) status = limb_sim_load(sim, at.t, s->q, s->v);
  if (status == LIMB_OK)
    status = limb_inverse_dynamics_derivatives(sim->d, s->q, s->v, NV_DATA_S(dy) + nq, &sim->env, &out);
  if (status != LIMB_OK) return limb_sundials_code(s, status);
  sim->summary.derivatives++;
  (void)SUNMatZero(J);
  for (int i = 0; i < nq; i++) SM_ELEMENT_D(J, i, i) = c;
  limb_sundials_coordinates(sim, s->q, -1, J);
  limb_sundials_by_coordinates(sim, s->q, s->a_q, nq, J);
  for (int i = 0; i < nv; i++) {
    for (int k = 0; k < nv; k++) {
      const size_t at_ik = (size_t)i * (size_t)nv + (size_t)k;
      SM_ELEMENT_D(J, nq + i, nq + k) = s->a_v[at_ik] + c * e->M[at_ik];
    }
    for (int k = 0; k < nq + nv && sim->held[i]; k++) SM_ELEMENT_D(J, nq + i, k) = k == nq + i ? c : 0;
  }
  return 0;
}

// ---- the solver -----------------------------------------------------------------------------------------

// Consistent y and y' from a state: lambda and v' by forward dynamics.
static limb_status consistent(limb_sim* sim, const sim_point* p)
{
  equations* e = sim->state;
  sundials* s = &e->base;
  double *y = NV_DATA_S(s->y), *dy = NV_DATA_S(e->slope);
  sim_point at = {p->t, s->q, s->v, p->work};
  limb_sim_copy(sim, p, &at);
  const limb_status status = limb_sim_accelerate(sim, p->t, s->q, s->v, dy + sim->nq);
  if (status != LIMB_OK) return status;
  limb_sundials_put(sim, p, s->y);
  limb_sim_configuration_rate(sim, y, s->v, dy);
  for (int i = 0; i < sim->nc; i++) {
    y[sim->nq + sim->nv + i] = e->redundant[i] ? 0 : sim->lambda[i];
    dy[sim->nq + sim->nv + i] = 0;
  }
  return LIMB_OK;
}

// Marks the components that have rates: all but the multipliers, which are excluded from the error test.
static int mark_multipliers(limb_sim* sim, sundials* s)
{
  N_VConst(1, s->rate);
  for (int i = 0; i < sim->nc; i++) NV_Ith_S(s->rate, sim->nq + sim->nv + i) = 0;
  const int flag = IDASetId(s->memory, s->rate);
  return flag ? flag : IDASetSuppressAlg(s->memory, 1);
}

static limb_status ida_set_up(limb_sim* sim)
{
  equations* e = sim->state;
  sundials* s = &e->base;
  const limb_sim_options* o = &sim->o;
  s->polynomial = IDAGetDky;
  s->memory = IDACreate(s->context);
  if (!s->memory) return LIMB_E_NOMEM;
  N_VConst(0, s->y), N_VConst(0, e->slope);
  int flag = IDAInit(s->memory, residual, 0, s->y, e->slope);
  if (flag == IDA_MEM_FAIL) s->memory = drop(s->memory);
  if (!flag) flag = IDASetUserData(s->memory, sim);
  if (!flag) flag = IDASetErrHandlerFn(s->memory, limb_sundials_message, sim);
  if (!flag) flag = IDASVtolerances(s->memory, o->relative, s->tolerance);
  if (!flag && o->max_step > 0) flag = IDASetMaxStep(s->memory, o->max_step);
  if (!flag && o->order > 0) flag = IDASetMaxOrd(s->memory, (int)fmin(o->order, 5));
  if (!flag) flag = mark_multipliers(sim, s);
  if (!flag) flag = IDASetLinearSolver(s->memory, s->linear, s->A);
  if (flag == IDALS_MEM_FAIL) flag = IDA_MEM_FAIL;
  if (!flag && !sim->loops && !sim->o.env.nlaw) flag = IDASetJacFn(s->memory, jacobian);
  return limb_sundials_ready(sim, "IDA", flag);
}

static limb_status ida_create(limb_sim* sim)
{
  const size_t nv = (size_t)sim->nv, nc = (size_t)sim->nc;
  equations* e = limb_sim_alloc(sim, 1, sizeof *e);
  if (!e) return LIMB_E_NOMEM;
  sim->state = e;
  limb_status status = limb_sundials_fill(sim, sim->nq + sim->nv + sim->nc, true, &e->base);
  if (status != LIMB_OK) return status;
  e->slope = limb_sundials_vector(&e->base);
  double** const part[] = {&e->Psi, &e->gamma, &e->tau, &e->M};
  const size_t size[] = {nc * nv, nc, nv, nv * nv};
  for (int k = 0; k < 4; k++) {
    if (!(*part[k] = limb_sim_alloc(sim, size[k], sizeof(double)))) return LIMB_E_NOMEM;
  }
  e->redundant = limb_sim_alloc(sim, nc, 1);
  return e->slope && e->redundant ? ida_set_up(sim) : LIMB_E_NOMEM;
}

static void ida_destroy(limb_sim* sim)
{
  equations* e = sim->state;
  if (!e) return;
  if (e->base.memory) IDAFree(&e->base.memory);
  if (e->slope) N_VDestroy(e->slope);
  limb_sundials_free(&e->base);
}

static limb_status ida_begin_at(limb_sim* sim, const sim_point* p)
{
  equations* e = sim->state;
  sundials* s = &e->base;
  limb_status status = LIMB_OK;
  limb_sundials_begin(s, p);
  if (sim->nc) status = limb_sim_redundant_constraints(sim, p->t, p->q, e->redundant);
  if (status == LIMB_OK) status = consistent(sim, p);
  if (status != LIMB_OK) return status;
  const int flag = IDAReInit(s->memory, 0, s->y, e->slope);
  return limb_sundials_ready(sim, "IDA", flag);
}

static limb_status ida_restart(limb_sim* sim) { return ida_begin_at(sim, &sim->front); }

static limb_status ida_step(limb_sim* sim, double t)
{
  equations* e = sim->state;
  sundials* s = &e->base;
  const limb_status status = limb_sundials_return(sim, ida_begin_at);
  if (status != LIMB_OK) return status;
  const double stop = t - s->origin; // infinite: no stop; replaces the previous one
  double reached = s->to;
  int flag = IDASetStopTime(s->memory, stop);
  s->status = LIMB_OK;
  do {
    if (flag >= 0) flag = IDASolve(s->memory, fmin(stop, s->to + 1), &reached, s->y, e->slope, IDA_ONE_STEP);
  } while (limb_sundials_stalled(sim, flag, reached, t));
  long failures = s->failures, iterations = s->iterations;
  (void)IDAGetNumErrTestFails(s->memory, &failures);
  (void)IDAGetNumNonlinSolvIters(s->memory, &iterations);
  limb_sundials_count(sim, failures, iterations);
  return finish_step(sim, "IDA", flag);
}

const sim_stepper limb_sim_ida = {LIMB_SIM_IDA, SIM_AHEAD, ida_create,           ida_destroy,
                                  ida_restart,  ida_step,  limb_sundials_inside, limb_sundials_inside};
