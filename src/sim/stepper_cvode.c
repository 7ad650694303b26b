// Adaptive multistep methods, by CVODE: Adams for motion that is smooth, BDF for what is stiff.
//
// Adams iterates by fixed points; BDF by Newton with the analytic derivatives of the accelerations.
// Between steps the solution is the solver's own polynomial. Loops: Baumgarte's terms keep the solver's
// state near the surface of the constraints, and who looks sees it put back onto it. Should it be off by
// more than 1000 tolerances all the same, the solver begins anew.
#include "sim/sundials.h"

#include <cvode/cvode.h>
#include <math.h>

static limb_status set_up(limb_sim* sim, sundials* s, int family)
{
  limb_sundials_put(sim, &sim->now, s->y);
  s->polynomial = CVodeGetDky;
  s->memory = CVodeCreate(family, s->context);
  if (!s->memory) return LIMB_E_NOMEM;
  const limb_sim_options* o = &sim->o;
  int flag = CVodeInit(s->memory, limb_sundials_rate, 0, s->y);
  if (!flag) flag = CVodeSetUserData(s->memory, sim);
  if (!flag) flag = CVodeSetErrHandlerFn(s->memory, limb_sundials_listen, sim);
  if (!flag) flag = CVodeSVtolerances(s->memory, o->relative, s->tolerance);
  if (!flag && o->longest > 0) flag = CVodeSetMaxStep(s->memory, o->longest);
  if (!flag && o->order > 0) flag = CVodeSetMaxOrd(s->memory, (int)fmin(o->order, family == CV_ADAMS ? 12 : 5));
  if (!flag && s->linear) flag = CVodeSetLinearSolver(s->memory, s->linear, s->A);
  if (!flag && s->linear) flag = CVodeSetJacFn(s->memory, limb_sundials_jacobian);
  return flag ? limb_sundials_fail(sim, "CVODE", flag) : LIMB_OK;
}

static limb_status create_adams(limb_sim* sim)
{
  sundials* s;
  limb_status status = limb_sundials_create(sim, sim->nq + sim->nv, false, &s);
  if (status == LIMB_OK) status = set_up(sim, s, CV_ADAMS);
  if (status != LIMB_OK) return status;
  s->iteration = SUNNonlinSol_FixedPoint(s->y, 0, s->context);
  if (!s->iteration) return LIMB_E_NOMEM;
  const int flag = CVodeSetNonlinearSolver(s->memory, s->iteration);
  return flag ? limb_sundials_fail(sim, "CVODE", flag) : LIMB_OK;
}

static limb_status create_bdf(limb_sim* sim)
{
  sundials* s;
  const limb_status status = limb_sundials_create(sim, sim->nq + sim->nv, true, &s);
  return status == LIMB_OK ? set_up(sim, s, CV_BDF) : status;
}

static void destroy(limb_sim* sim)
{
  sundials* s = sim->state;
  if (s && s->memory) CVodeFree(&s->memory);
  limb_sundials_free(s);
}

static limb_status begin_at(limb_sim* sim, const sim_point* p)
{
  sundials* s = sim->state;
  limb_sundials_put(sim, p, s->y);
  limb_sundials_begin(s, p);
  const int flag = CVodeReInit(s->memory, 0, s->y);
  return flag ? limb_sundials_fail(sim, "CVODE", flag) : LIMB_OK;
}

static limb_status restart(limb_sim* sim) { return begin_at(sim, &sim->front); }

static limb_status step(limb_sim* sim, double t)
{
  sundials* s = sim->state;
  limb_status status = limb_sundials_come_back(sim, begin_at);
  if (status != LIMB_OK) return status;
  const double stop = t - s->origin; // infinite: none; an old one would stay
  double reached = s->to;
  int flag = CVodeSetStopTime(s->memory, stop);
  s->status = LIMB_OK;
  do {
    if (flag >= 0) flag = CVode(s->memory, fmin(stop, s->to + 1), s->y, &reached, CV_ONE_STEP);
  } while (limb_sundials_stands(sim, flag, reached, t));
  long failures = s->failures, iterations = s->iterations;
  (void)CVodeGetNumErrTestFails(s->memory, &failures);
  (void)CVodeGetNumNonlinSolvIters(s->memory, &iterations);
  limb_sundials_count(sim, failures, iterations);
  if ((status = limb_sundials_reached(sim, "CVODE", flag)) != LIMB_OK) return status;
  status = limb_sundials_get(sim, NV_DATA_S(s->y), sim->front.t, &sim->front);
  if (status == LIMB_OK) status = limb_sundials_work(sim);
  return status == LIMB_OK ? limb_sundials_mind_drift(sim) : status;
}

const sim_stepper limb_sim_adams = {LIMB_SIM_ADAMS, SIM_AHEAD, create_adams,         destroy,
                                    restart,        step,      limb_sundials_inside, limb_sundials_inside};
const sim_stepper limb_sim_bdf = {LIMB_SIM_BDF, SIM_AHEAD, create_bdf,           destroy,
                                  restart,      step,      limb_sundials_inside, limb_sundials_inside};
