// Which stepper a method has, and which method AUTO stands for.
//
// AUTO looks at the fastest rate near the start: the largest eigenvalue of the derivative J of (q', v') by
// (q, v), by powers of J that are differences of accelerations. Cost: 32 evaluations, whatever the robot.
#include "sim/edges.h"

#include "linalg/dense.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const sim_stepper* limb_sim_stepper_of(limb_sim_method method)
{
  switch (method) {
  case LIMB_SIM_EULER: return &limb_sim_euler;
  case LIMB_SIM_SEMI_IMPLICIT: return &limb_sim_semi_implicit;
  case LIMB_SIM_RK4: return &limb_sim_rk4;
  case LIMB_SIM_VARIATIONAL: return &limb_sim_variational;
  case LIMB_SIM_IMPLICIT: return &limb_sim_rosenbrock;
#ifdef LIMB_HAVE_SUNDIALS
  case LIMB_SIM_ERK: return &limb_sim_erk;
  case LIMB_SIM_ADAMS: return &limb_sim_adams;
  case LIMB_SIM_BDF: return &limb_sim_bdf;
  case LIMB_SIM_IDA: return &limb_sim_ida;
#endif
  default: return NULL;
  }
}

// ---- the fastest rate ------------------------------------------------------------------------------------

typedef struct sim_rates {
  double *x, *y, *z;    // 2 nv: J^k x
  double *plus, *minus; // nv
} sim_rates;

static limb_status take_rates(limb_sim* sim)
{
  const size_t nv = (size_t)sim->nv;
  if (sim->rates) return LIMB_OK;
  sim_rates* r = limb_sim_take(sim, 1, sizeof *r);
  double* memory = limb_sim_take(sim, 8 * nv, sizeof *memory);
  if (!r || !memory) return LIMB_E_NOMEM;
  double** const part[] = {&r->x, &r->y, &r->z, &r->plus, &r->minus};
  const size_t size[] = {2 * nv, 2 * nv, 2 * nv, nv, nv};
  for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) *part[k] = memory, memory += size[k];
  sim->rates = r;
  return LIMB_OK;
}

// y = J x by differences, J = [0 1; da/dq da/dv]: what turns with ball joints is not what is stiff.
static limb_status times_slope(limb_sim* sim, const double* x, double* y)
{
  const double place = 1e-7, velocity = 1e-5; // the farthest that is looked
  const sim_rates* r = sim->rates;
  const size_t nv = (size_t)sim->nv;
  const double size = fmax(limb_largest(nv, x) / place, limb_largest(nv, x + nv) / velocity);
  const double e = size > 0 ? 1 / size : 1;
  limb_status s = limb_sim_beside(sim, &sim->now, x, e, limb_sim_accelerate, r->plus);
  if (s == LIMB_OK) s = limb_sim_beside(sim, &sim->now, x, -e, limb_sim_accelerate, r->minus);
  memcpy(y, x + nv, nv * sizeof *y);
  for (size_t k = 0; k < nv; k++) y[nv + k] = (r->plus[k] - r->minus[k]) / (2 * e);
  return s;
}

// The share of decay in the eigenvalue l that is largest, -Re l / |l|: l^2 + b l + c = 0 where J^2 x + b J x
// + c x is smallest, places being weighed as velocities.
static double decay_of(const limb_sim* sim, double rate)
{
  const sim_rates* r = sim->rates;
  const size_t nv = (size_t)sim->nv;
  const double* const all[3] = {r->x, r->y, r->z};
  double p[3][3];
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++)
      p[i][k] = rate * rate * limb_dot(nv, all[i], all[k]) + limb_dot(nv, all[i] + nv, all[k] + nv);
  }
  const double det = p[0][0] * p[1][1] - p[0][1] * p[0][1];
  if (!(det > 1e-6 * p[0][0] * p[1][1])) return p[0][1] > 0 ? -1 : 1; // one real eigenvalue
  const double b = (p[0][1] * p[0][2] - p[0][0] * p[1][2]) / det;
  const double c = (p[0][1] * p[1][2] - p[1][1] * p[0][2]) / det, d = b * b / 4 - c;
  if (d < 0) return b / 2 / sqrt(c);
  return b < 0 ? -1 : 1;
}

// |l| of the largest eigenvalue l of J, about, by powers of J^2; joints that stick are looked at as if they
// did not.
static limb_status fastest(limb_sim* sim, double* rate, double* decay)
{
  enum { POWERS = 8 };
  sim_rates* r = sim->rates;
  const size_t n = 2 * (size_t)sim->nv;
  const double slow = 1e-3;
  limb_status s = LIMB_OK;
  *rate = *decay = 0;
  limb_sim_mark_given(sim);
  for (size_t k = 0; k < n; k++) r->x[k] = sin((double)(k + 1));
  for (int p = 0; p < POWERS && n; p++) {
    const double size = limb_largest(n, r->x);
    for (size_t k = 0; k < n; k++) r->x[k] /= size;
    s = times_slope(sim, r->x, r->y);
    if (s == LIMB_OK) s = times_slope(sim, r->y, r->z);
    if (s != LIMB_OK) break;
    *rate = sqrt(limb_largest(n, r->z));
    if (*rate < slow) *rate = 0;
    if (*rate == 0) break;
    if (p == POWERS - 1) *decay = decay_of(sim, *rate);
    double* next = r->z;
    r->z = r->x, r->x = next;
  }
  limb_sim_mark_held(sim);
  return s;
}

// ---- the choice ------------------------------------------------------------------------------------------
//
// An explicit method has to follow the fastest rate l, though nothing moves so fast: some 2.6 |l| evaluations
// a second. An implicit one follows the motion: some steps a second, each for the price of evaluations,
// derivatives and factors. It pays where the first are more, and where what is fast decays; vibrations that
// stay have to be followed anyhow. Solvers with a tolerance come first. The variational method is never
// chosen: who wants no drift of the energy in a long run has to say so, because its error in time is larger.

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
explain(limb_sim* sim, const char* format, ...)
{
  va_list list;
  va_start(list, format);
  (void)vsnprintf(sim->because, sizeof sim->because, format, list);
  va_end(list);
}

// The length of fixed steps.
static double step_of(const limb_sim* sim)
{
  return sim->o.step > 0 ? sim->o.step : limb_default_sim_options(sim->m).step;
}

static double shortest_period(const limb_sim* sim)
{
  double least = HUGE_VAL;
  for (int k = 0; k < sim->nsource; k++) {
    const double period = sim->source[k].f.period;
    if (period > 0) least = fmin(least, period);
  }
  return least;
}

// Fixed steps: explicit ones explode where the fastest rate is too much for them.
static limb_sim_method choose_fixed(limb_sim* sim, double rate)
{
  const double step = step_of(sim);
  const bool follows = rate * step <= 2;
  explain(sim,
          follows ? "steps of %.2g s follow the fastest rate, about %.2g /s"
                  : "steps of %.2g s are too long for explicit ones: the fastest rate is about %.2g /s",
          step, rate);
  return follows ? LIMB_SIM_RK4 : LIMB_SIM_IMPLICIT;
}

static limb_sim_method choose_adaptive(limb_sim* sim, double rate, double decay)
{
  const double nv = sim->nv, steps = 100 * (1 + limb_largest((size_t)sim->nv, sim->now.v));
  const double follow = 2.6 * rate, step = 10, solve = nv * nv / 100; // all in evaluations
  if (follow <= steps * step) {
    explain(sim, "nothing is stiff: the fastest rate is about %.2g /s", rate);
    return LIMB_SIM_ERK;
  }
  if (decay < 0.05) {
    explain(sim, "vibrations of about %.2g rad/s hardly decay and have to be followed", rate);
    return LIMB_SIM_ERK;
  }
  if (follow <= steps * (step + solve)) {
    explain(sim, "%g velocities: rates of about %.2g /s are cheaper to follow than to solve for", nv, rate);
    return LIMB_SIM_ERK;
  }
  if (shortest_period(sim) <= 20 * step_of(sim)) {
    explain(sim, "something decays at about %.2g /s, and a multistep method would begin anew at every sample", rate);
    return LIMB_SIM_IMPLICIT;
  }
  explain(sim, "something decays at about %.2g /s, faster than the robot moves", rate);
  return LIMB_SIM_BDF;
}

limb_status limb_sim_choose(limb_sim* sim, limb_sim_method* method)
{
  const bool adaptive = limb_sim_stepper_of(LIMB_SIM_ERK);
  double rate, decay;
  const limb_status s = take_rates(sim);
  if (s != LIMB_OK) return s;
  if (fastest(sim, &rate, &decay) != LIMB_OK) {
    explain(sim, "there are no accelerations beside the start");
    *method = adaptive ? LIMB_SIM_ERK : LIMB_SIM_RK4;
  } else {
    *method = adaptive ? choose_adaptive(sim, rate, decay) : choose_fixed(sim, rate);
  }
  if (limb_sim_method_order(*method)) sim->o.step = step_of(sim);
  return LIMB_OK;
}
