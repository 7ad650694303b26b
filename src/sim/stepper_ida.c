// All equations at once, by IDA: places, velocities and multipliers lambda,
//
//   q' - rate(q, v) = 0
//   M(q) v' + h + friction + springs - x - Psi' lambda = 0      (inverse dynamics: no matrix is inverted)
//   Psi v' - gamma = 0                               index 1: twice differentiated
//
// Held velocities: v' - a = 0. Redundant rows: lambda = 0 of these. Without loops the derivatives are
// analytic (those of inverse dynamics); with loops IDA takes differences, which cost an inverse dynamics
// each. What drifts from the surface of the constraints is put back as in stepper_cvode.c.
#include "sim/sundials.h"

#include "limb/derivatives.h"

#include "base/numeric.h"

#include <ida/ida.h>
#include <math.h>
#include <string.h>

typedef struct equations {
  sundials base;                 // first: sim->state is both
  N_Vector slope;                // y'
  double *Psi, *gamma, *tau, *M; // nc x nv, nc, nv, nv x nv
  unsigned char* redundant;      // nc marks
} equations;

// ---- residuals -------------------------------------------------------------------------------------------

// Rows of the loops: lambda acts, and v' has to fit.
static limb_status loop_rows(limb_sim* sim, equations* e, double t, const double* dv, double* forces, double* rows)
{
  const int nv = sim->nv;
  sim->o.closed.loops.time = t;
  const limb_loop_equations out = {NULL, e->Psi, NULL, e->gamma};
  const limb_status s = limb_loop_equations_at(sim->loops, e->base.q, e->base.v, &sim->o.closed.loops, &out);
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
  if (sim->nheld) limb_sim_share_holding(sim, s->v, e->tau);
  limb_sim_configuration_rate(sim, y, s->v, r);
  for (int i = 0; i < nq; i++) r[i] = dy[i] - r[i];
  for (int k = 0; k < nv; k++) r[nq + k] = sim->held[k] ? dv[k] - sim->x[k] : e->tau[k] - sim->x[k];
  return LIMB_OK;
}

static int residual(double t, N_Vector y, N_Vector dy, N_Vector r, void* user)
{
  limb_sim* sim = user;
  sundials* s = sim->state;
  sim->summary.evaluations++;
  sim->known = false;
  if (!limb_finite(s->n, NV_DATA_S(y)) || !limb_finite(s->n, NV_DATA_S(dy)))
    return limb_sundials_code(s, LIMB_E_NONFINITE);
  return limb_sundials_code(s, residual_at(sim, s->origin + t, NV_DATA_S(y), NV_DATA_S(dy), NV_DATA_S(r)));
}

// dr/dy + c dr/dy' of a tree. Slopes of forces that depend on the state are left out: iterations see to
// these.
// NOLINTNEXTLINE(readability-function-size): parameters as IDA has them
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
  limb_sundials_places(sim, s->q, -1, J);
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

// ---- the solver ------------------------------------------------------------------------------------------

// y and y' that fit to each other, from a state: lambda and v' by forward dynamics.
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

// Which components have rates: all but the multipliers, which are left out of the error test.
static int mark_multipliers(limb_sim* sim, sundials* s)
{
  N_VConst(1, s->rate);
  for (int i = 0; i < sim->nc; i++) NV_Ith_S(s->rate, sim->nq + sim->nv + i) = 0;
  const int flag = IDASetId(s->memory, s->rate);
  return flag ? flag : IDASetSuppressAlg(s->memory, 1);
}

static limb_status set_up(limb_sim* sim)
{
  equations* e = sim->state;
  sundials* s = &e->base;
  const limb_sim_options* o = &sim->o;
  s->polynomial = IDAGetDky;
  s->memory = IDACreate(s->context);
  if (!s->memory) return LIMB_E_NOMEM;
  N_VConst(0, s->y), N_VConst(0, e->slope);
  int flag = IDAInit(s->memory, residual, 0, s->y, e->slope);
  if (!flag) flag = IDASetUserData(s->memory, sim);
  if (!flag) flag = IDASetErrHandlerFn(s->memory, limb_sundials_listen, sim);
  if (!flag) flag = IDASVtolerances(s->memory, o->relative, s->tolerance);
  if (!flag && o->longest > 0) flag = IDASetMaxStep(s->memory, o->longest);
  if (!flag && o->order > 0) flag = IDASetMaxOrd(s->memory, (int)fmin(o->order, 5));
  if (!flag) flag = mark_multipliers(sim, s);
  if (!flag) flag = IDASetLinearSolver(s->memory, s->linear, s->A);
  if (!flag && !sim->loops && !sim->o.env.nlaw) flag = IDASetJacFn(s->memory, jacobian);
  return flag ? limb_sundials_fail(sim, "IDA", flag) : LIMB_OK;
}

static limb_status create(limb_sim* sim)
{
  const size_t nv = (size_t)sim->nv, nc = (size_t)sim->nc;
  equations* e = limb_sim_take(sim, 1, sizeof *e);
  if (!e) return LIMB_E_NOMEM;
  sim->state = e;
  limb_status status = limb_sundials_fill(sim, sim->nq + sim->nv + sim->nc, true, &e->base);
  if (status != LIMB_OK) return status;
  e->slope = N_VNew_Serial(e->base.n, e->base.context);
  double** const part[] = {&e->Psi, &e->gamma, &e->tau, &e->M};
  const size_t size[] = {nc * nv, nc, nv, nv * nv};
  for (int k = 0; k < 4; k++) {
    if (!(*part[k] = limb_sim_take(sim, size[k], sizeof(double)))) return LIMB_E_NOMEM;
  }
  e->redundant = limb_sim_take(sim, nc, 1);
  return e->slope && e->redundant ? set_up(sim) : LIMB_E_NOMEM;
}

static void destroy(limb_sim* sim)
{
  equations* e = sim->state;
  if (!e) return;
  if (e->base.memory) IDAFree(&e->base.memory);
  if (e->slope) N_VDestroy(e->slope);
  limb_sundials_free(&e->base);
}

static limb_status begin_at(limb_sim* sim, const sim_point* p)
{
  equations* e = sim->state;
  sundials* s = &e->base;
  limb_status status = LIMB_OK;
  limb_sundials_begin(s, p);
  if (sim->nc) status = limb_sim_redundant_rows(sim, p->t, p->q, e->redundant);
  if (status == LIMB_OK) status = consistent(sim, p);
  if (status != LIMB_OK) return status;
  const int flag = IDAReInit(s->memory, 0, s->y, e->slope);
  return flag ? limb_sundials_fail(sim, "IDA", flag) : LIMB_OK;
}

static limb_status restart(limb_sim* sim) { return begin_at(sim, &sim->front); }

static limb_status step(limb_sim* sim, double t)
{
  equations* e = sim->state;
  sundials* s = &e->base;
  limb_status status = limb_sundials_come_back(sim, begin_at);
  if (status != LIMB_OK) return status;
  const double stop = t - s->origin; // infinite: none; an old one would stay
  double reached = s->to;
  int flag = IDASetStopTime(s->memory, stop);
  s->status = LIMB_OK;
  do {
    if (flag >= 0) flag = IDASolve(s->memory, fmin(stop, s->to + 1), &reached, s->y, e->slope, IDA_ONE_STEP);
  } while (limb_sundials_stands(sim, flag, reached, t));
  long failures = s->failures, iterations = s->iterations;
  (void)IDAGetNumErrTestFails(s->memory, &failures);
  (void)IDAGetNumNonlinSolvIters(s->memory, &iterations);
  limb_sundials_count(sim, failures, iterations);
  if ((status = limb_sundials_reached(sim, "IDA", flag)) != LIMB_OK) return status;
  status = limb_sundials_get(sim, NV_DATA_S(s->y), sim->front.t, &sim->front);
  if (status == LIMB_OK) status = limb_sundials_work(sim);
  return status == LIMB_OK ? limb_sundials_mind_drift(sim) : status;
}

const sim_stepper limb_sim_ida = {LIMB_SIM_IDA,         SIM_AHEAD,           create, destroy, restart, step,
                                  limb_sundials_inside, limb_sundials_inside};
