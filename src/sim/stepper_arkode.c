// Adaptive explicit Runge-Kutta steps, by ARKODE.
//
// Tables are those of ARKStep: ERKStep 6.4 takes every table whose last stage is at the end of the step
// for one whose first stage is the last one of the step before, and loses its order (llnl/sundials issue
// 311). Order by the tolerance: Fehlberg's 8(7) where it is tight, else Dormand and Prince's 5(4), or as
// the options say. After every step loops are closed and quaternions scaled to unity. Steps end where
// somebody wants to look: no interpolation, which would have a lower order; roots are located by steps
// that are made again.
#ifdef LIMB_HAVE_SUNDIALS

#include "sim/sundials.h"

#include <arkode/arkode_arkstep.h>

static ARKODE_ERKTableID table_of(const limb_sim_options* o)
{
  const int order = o->order ? o->order : o->relative < 1e-7 ? 8 : 5;
  if (order <= 2) return ARKODE_HEUN_EULER_2_1_2;
  if (order == 3) return ARKODE_BOGACKI_SHAMPINE_4_2_3;
  if (order == 4) return ARKODE_ZONNEVELD_5_3_4;
  if (order == 5) return ARKODE_DORMAND_PRINCE_7_4_5;
  return order < 8 ? ARKODE_VERNER_8_5_6 : ARKODE_FEHLBERG_13_7_8;
}

// After a step: y back onto the manifold and the surface of the constraints.
static int settle(double t, N_Vector y, void* user)
{
  limb_sim* sim = user;
  sundials* s = sim->state;
  sim_point at = {t, s->q, s->v, 0};
  limb_status status = limb_sundials_get(sim, NV_DATA_S(y), t, &at);
  if (status == LIMB_OK) status = limb_sim_settle(sim, &at);
  if (status == LIMB_OK) limb_sundials_put(sim, &at, y);
  return limb_sundials_code(s, status);
}

static limb_status set_up(limb_sim* sim, sundials* s)
{
  limb_sundials_put(sim, &sim->now, s->y);
  s->memory = ARKStepCreate(limb_sundials_rate, NULL, sim->now.t, s->y, s->context);
  if (!s->memory) return LIMB_E_NOMEM;
  const limb_sim_options* o = &sim->o;
  int flag = ARKStepSetUserData(s->memory, sim);
  if (!flag) flag = ARKStepSetErrHandlerFn(s->memory, limb_sundials_listen, sim);
  if (!flag) flag = ARKStepSetTableNum(s->memory, ARKODE_DIRK_NONE, table_of(o));
  if (!flag) flag = ARKStepSVtolerances(s->memory, o->relative, s->tolerance);
  if (!flag) flag = ARKStepSetPostprocessStepFn(s->memory, settle);
  if (!flag && o->longest > 0) flag = ARKStepSetMaxStep(s->memory, o->longest);
  return flag ? limb_sundials_fail(sim, "ARKODE", flag) : LIMB_OK;
}

static limb_status create(limb_sim* sim)
{
  sundials* s;
  const limb_status status = limb_sundials_create(sim, false, &s);
  return status == LIMB_OK ? set_up(sim, s) : status;
}

static void destroy(limb_sim* sim)
{
  sundials* s = sim->state;
  if (s && s->memory) ARKStepFree(&s->memory);
  limb_sundials_free(s);
}

static limb_status restart(limb_sim* sim)
{
  sundials* s = sim->state;
  double h = 0; // found at the start; later on the last one
  if (sim->summary.steps) (void)ARKStepGetLastStep(s->memory, &h);
  limb_sundials_put(sim, &sim->front, s->y);
  s->status = s->trouble = LIMB_OK, s->elsewhere = false, s->failures = 0;
  int flag = ARKStepReInit(s->memory, limb_sundials_rate, NULL, sim->front.t, s->y);
  if (!flag) flag = ARKStepSetInitStep(s->memory, h);
  return flag ? limb_sundials_fail(sim, "ARKODE", flag) : LIMB_OK;
}

// One step of the solver, or all steps to t.
static limb_status go(limb_sim* sim, double t, int task, sim_point* out)
{
  sundials* s = sim->state;
  double reached = sim->begin.t;
  s->status = LIMB_OK;
  int flag = ARKStepSetStopTime(s->memory, t);
  if (flag >= 0) flag = ARKStepEvolve(s->memory, t, s->y, &reached, task);
  long failures = s->failures;
  (void)ARKStepGetNumErrTestFails(s->memory, &failures);
  limb_sundials_count(sim, failures);
  const limb_status status = limb_sundials_reached(sim, "ARKODE", flag, reached);
  return status == LIMB_OK ? limb_sundials_get(sim, NV_DATA_S(s->y), reached, out) : status;
}

static limb_status back_to(limb_sim* sim, const sim_point* p)
{
  sundials* s = sim->state;
  limb_sundials_put(sim, p, s->y);
  const int flag = ARKStepReset(s->memory, p->t, s->y);
  return flag ? limb_sundials_fail(sim, "ARKODE", flag) : LIMB_OK;
}

static limb_status step(limb_sim* sim, double t)
{
  sundials* s = sim->state;
  const limb_status status = s->elsewhere ? back_to(sim, &sim->begin) : LIMB_OK;
  s->elsewhere = false;
  return status == LIMB_OK ? go(sim, t, ARK_ONE_STEP, &sim->front) : status;
}

static limb_status inside(limb_sim* sim, double t, sim_point* out)
{
  sundials* s = sim->state;
  const limb_status status = back_to(sim, &sim->begin);
  s->elsewhere = true;
  return status == LIMB_OK ? go(sim, t, ARK_NORMAL, out) : status;
}

const sim_stepper limb_sim_erk = {LIMB_SIM_ERK, SIM_TO_STOP, create, destroy,
                                  restart,      step,        inside};

#endif
