// Adaptive explicit Runge-Kutta steps, by ARKODE.
//
// Tables are used through ARKStep: ERKStep 6.4 mistakes every table whose last stage is at the end of the step for one
// with the property "first same as last", and loses its order (llnl/sundials issue 311). The tolerance selects Verner's
// 6(5) or Dormand and Prince's 5(4), unless the options set the order. Fehlberg's 8(7), ARKODE's highest, is not used:
// its formulae weight each time within the step equally, so that its error estimate vanishes where forces depend on
// time only. After every step loops are closed and quaternions normalised. Steps end at requested times, because
// interpolation would have a lower order, and roots are located by repeating steps; interpolation only detects them.
#include "sim/sundials.h"

#include <arkode/arkode_arkstep.h>

static int set_table(const sundials* s, const limb_sim_options* o)
{
  ARKodeButcherTable table = limb_sundials_table(o->order ? o->order : o->relative < 1e-7 ? 6 : 5);
  if (!table) return ARK_MEM_FAIL;
  const int flag = ARKStepSetTables(s->memory, table->q, table->p, NULL, table);
  ARKodeButcherTable_Free(table);
  return flag == ARK_MEM_NULL ? ARK_MEM_FAIL : flag; // a table that could not be copied
}

// y and its rate include the work.
static void put(const limb_sim* sim, const sim_point* p, N_Vector y)
{
  limb_sundials_put(sim, p, y);
  NV_Ith_S(y, sim->nq + sim->nv) = p->work;
}

static limb_status get(const limb_sim* sim, N_Vector y, double t, sim_point* p)
{
  p->work = NV_Ith_S(y, sim->nq + sim->nv);
  return limb_sundials_get(sim, NV_DATA_S(y), t, p);
}

static int rate_of(double t, N_Vector y, N_Vector rate, void* user)
{
  limb_sim* sim = user;
  sundials* s = sim->state;
  const int code = limb_sundials_rate(t, y, rate, user);
  if (code) return code;
  return limb_sundials_code(s, limb_sim_power(sim, s->q, s->v, &NV_Ith_S(rate, sim->nq + sim->nv)));
}

// After a step: projects y onto the configuration and constraint manifolds.
static int settle(double t, N_Vector y, void* user)
{
  limb_sim* sim = user;
  sundials* s = sim->state;
  sim_point at = {s->origin + t, s->q, s->v, 0};
  limb_status status = get(sim, y, at.t, &at);
  if (status == LIMB_OK) status = limb_sim_correct(sim, &at);
  if (status == LIMB_OK) put(sim, &at, y);
  return limb_sundials_code(s, status);
}

static limb_status set_up(limb_sim* sim, sundials* s)
{
  put(sim, &sim->now, s->y);
  NV_Ith_S(s->tolerance, sim->nq + sim->nv) = 1e100; // work does not control the step
  s->polynomial = ARKStepGetDky;
  s->memory = ARKStepCreate(rate_of, NULL, 0, s->y, s->context);
  if (!s->memory) return LIMB_E_NOMEM;
  const limb_sim_options* o = &sim->o;
  int flag = ARKStepSetUserData(s->memory, sim);
  if (!flag) flag = ARKStepSetErrHandlerFn(s->memory, limb_sundials_message, sim);
  if (!flag) flag = set_table(s, o);
  if (!flag) flag = ARKStepSVtolerances(s->memory, o->relative, s->tolerance);
  if (!flag) flag = ARKStepSetPostprocessStepFn(s->memory, settle);
  if (!flag && o->max_step > 0) flag = ARKStepSetMaxStep(s->memory, o->max_step);
  return limb_sundials_ready(sim, "ARKODE", flag);
}

static limb_status create(limb_sim* sim)
{
  sundials* s;
  const limb_status status = limb_sundials_create(sim, sim->nq + sim->nv + 1, false, &s);
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
  double h = 0; // chosen by the solver at the start; later the last step
  if (sim->summary.steps) (void)ARKStepGetLastStep(s->memory, &h);
  put(sim, &sim->front, s->y);
  limb_sundials_begin(s, &sim->front);
  int flag = ARKStepReInit(s->memory, rate_of, NULL, 0, s->y);
  if (!flag) flag = ARKStepSetInitStep(s->memory, h);
  return limb_sundials_ready(sim, "ARKODE", flag);
}

// One step of the solver, or all steps to t.
static limb_status go(limb_sim* sim, double t, int task, sim_point* out)
{
  sundials* s = sim->state;
  const double stop = t - s->origin;
  double reached = s->to;
  s->status = LIMB_OK;
  int flag = ARKStepSetStopTime(s->memory, stop);
  do {
    if (flag >= 0) flag = ARKStepEvolve(s->memory, stop, s->y, &reached, task);
  } while (limb_sundials_stalled(sim, flag, reached, t));
  long failures = s->failures;
  (void)ARKStepGetNumErrTestFails(s->memory, &failures);
  limb_sundials_count(sim, failures, 0);
  const limb_status status = limb_sundials_reached(sim, "ARKODE", flag);
  return status == LIMB_OK ? get(sim, s->y, sim->front.t, out) : status;
}

static limb_status back_to_begin(limb_sim* sim)
{
  sundials* s = sim->state;
  put(sim, &sim->begin, s->y);
  s->origin = sim->begin.t, s->from = s->to = 0;
  const int flag = ARKStepReset(s->memory, 0, s->y);
  return limb_sundials_ready(sim, "ARKODE", flag);
}

static limb_status step(limb_sim* sim, double t)
{
  sundials* s = sim->state;
  const limb_status status = s->displaced ? back_to_begin(sim) : LIMB_OK;
  s->displaced = false;
  return status == LIMB_OK ? go(sim, t, ARK_ONE_STEP, &sim->front) : status;
}

static limb_status inside(limb_sim* sim, double t, sim_point* out)
{
  sundials* s = sim->state;
  const double front = sim->front.t;
  limb_status status = back_to_begin(sim);
  s->displaced = true;
  if (status == LIMB_OK) status = go(sim, t, ARK_NORMAL, out);
  sim->front.t = front;
  return status;
}

// The polynomial belongs to the last step until that is repeated.
static limb_status look(limb_sim* sim, double t, sim_point* out)
{
  const sundials* s = sim->state;
  return s->displaced ? inside(sim, t, out) : limb_sundials_inside(sim, t, out);
}

const sim_stepper limb_sim_erk = {LIMB_SIM_ERK, SIM_TO_STOP, create, destroy, restart, step, inside, look};

// ---- tables of explicit methods -----------------------------------------------------------------------------

// Tables of embedded explicit Runge-Kutta methods. ARKODE has the same ones, but loads them without looking whether
// there is memory.

// Rows: c, A, b, and b of the error estimate.

// Heun and Euler: 2(1).
static double heun_euler[5][2] = {
  {0, 1}, {0, 0}, {1, 0}, {1.0 / 2, 1.0 / 2}, {1, 0},
};

// P. Bogacki, L. Shampine, A 3(2) pair of Runge-Kutta formulas, Applied Mathematics Letters 2, 1989: 3(2).
static double bogacki_shampine[7][4] = {
  {0, 1.0 / 2, 3.0 / 4, 1},
  {0, 0, 0, 0},
  {1.0 / 2, 0, 0, 0},
  {0, 3.0 / 4, 0, 0},
  {2.0 / 9, 1.0 / 3, 4.0 / 9, 0},
  {2.0 / 9, 1.0 / 3, 4.0 / 9, 0},
  {7.0 / 24, 1.0 / 4, 1.0 / 3, 1.0 / 8},
};

// J. Zonneveld, Automatic integration of ordinary differential equations, Amsterdam, 1963: 4(3).
static double zonneveld[8][5] = {
  {0, 1.0 / 2, 1.0 / 2, 1, 3.0 / 4},
  {0, 0, 0, 0, 0},
  {1.0 / 2, 0, 0, 0, 0},
  {0, 1.0 / 2, 0, 0, 0},
  {0, 0, 1, 0, 0},
  {5.0 / 32, 7.0 / 32, 13.0 / 32, -1.0 / 32, 0},
  {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6, 0},
  {-1.0 / 2, 7.0 / 3, 7.0 / 3, 13.0 / 6, -16.0 / 3},
};

// J. Dormand, P. Prince, A family of embedded Runge-Kutta formulae, Journal of Computational and Applied Mathematics 6,
// 1980: 5(4).
static double dormand_prince[10][7] = {
  {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
  {0, 0, 0, 0, 0, 0, 0},
  {1.0 / 5, 0, 0, 0, 0, 0, 0},
  {3.0 / 40, 9.0 / 40, 0, 0, 0, 0, 0},
  {44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0, 0, 0},
  {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0, 0, 0},
  {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0, 0},
  {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
  {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
  {5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40},
};

// J. Verner, Explicit Runge-Kutta methods with estimates of the local truncation error, SIAM Journal on Numerical
// Analysis 15, 1978: 6(5).
static double verner[11][8] = {
  {0, 1.0 / 6, 4.0 / 15, 2.0 / 3, 5.0 / 6, 1, 1.0 / 15, 1},
  {0, 0, 0, 0, 0, 0, 0, 0},
  {1.0 / 6, 0, 0, 0, 0, 0, 0, 0},
  {4.0 / 75, 16.0 / 75, 0, 0, 0, 0, 0, 0},
  {5.0 / 6, -8.0 / 3, 5.0 / 2, 0, 0, 0, 0, 0},
  {-165.0 / 64, 55.0 / 6, -425.0 / 64, 85.0 / 96, 0, 0, 0, 0},
  {12.0 / 5, -8, 4015.0 / 612, -11.0 / 36, 88.0 / 255, 0, 0, 0},
  {-8263.0 / 15000, 124.0 / 75, -643.0 / 680, -81.0 / 250, 2484.0 / 10625, 0, 0, 0},
  {3501.0 / 1720, -300.0 / 43, 297275.0 / 52632, -319.0 / 2322, 24068.0 / 84065, 0, 3850.0 / 26703, 0},
  {3.0 / 40, 0, 875.0 / 2244, 23.0 / 72, 264.0 / 1955, 0, 125.0 / 11592, 43.0 / 616},
  {13.0 / 160, 0, 2375.0 / 5984, 5.0 / 16, 12.0 / 85, 3.0 / 44, 0, 0},
};

static const struct {
  int stages, order, embedded;
  double* rows;
} tables[] = {
  {2, 2, 1, heun_euler[0]},     {4, 3, 2, bogacki_shampine[0]}, {5, 4, 3, zonneveld[0]},
  {7, 5, 4, dormand_prince[0]}, {8, 6, 5, verner[0]},
};

ARKodeButcherTable limb_sundials_table(int order)
{
  const int k = order < 2 ? 0 : order > 6 ? 4 : order - 2, s = tables[k].stages;
  double* c = tables[k].rows;
  return ARKodeButcherTable_Create(s, tables[k].order, tables[k].embedded, c, c + s, c + s + s * s, c + 2 * s + s * s);
}
