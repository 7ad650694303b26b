// Options and methods of a simulation: names, checks, and the method that AUTO stands for.
//
// AUTO estimates the fastest rate near the start: the largest eigenvalue of the derivative J of (q', v') with respect
// to (q, v), by powers of J, which are differences of accelerations. Cost: 32 evaluations for any robot.
#include "sim/stops_and_friction.h"

#include "base/status.h"
#include "linalg/dense.h"
#include "sim/sim_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- names ----------------------------------------------------------------------------------------------

typedef struct method_row {
  const char *name, *meaning;
  int order;
} method_row;

static const method_row* row_of(limb_sim_method method)
{
#define LIMB_X(name, value, text, order, meaning) [value] = {(text), (meaning), (order)},
  static const method_row rows[] = {LIMB_SIM_METHOD_LIST(LIMB_X)};
#undef LIMB_X
  const size_t k = (size_t)method;
  return k < sizeof rows / sizeof rows[0] ? &rows[k] : NULL;
}

const char* limb_sim_method_name(limb_sim_method method)
{
  const method_row* r = row_of(method);
  return r ? r->name : NULL;
}

const char* limb_sim_method_meaning(limb_sim_method method)
{
  const method_row* r = row_of(method);
  return r ? r->meaning : NULL;
}

int limb_sim_method_order(limb_sim_method method)
{
  const method_row* r = row_of(method);
  return r ? r->order : 0;
}

const char* limb_event_kind_name(limb_event_kind kind)
{
#define LIMB_X(name, value, text) [value] = (text),
  static const char* const names[] = {LIMB_EVENT_LIST(LIMB_X)};
#undef LIMB_X
  const size_t k = (size_t)kind;
  return k < sizeof names / sizeof names[0] ? names[k] : NULL;
}

// ---- options --------------------------------------------------------------------------------------------

limb_sim_options limb_default_sim_options(const limb_model* m)
{
  const bool loops = m && limb_loop_count(m) > 0;
  return (limb_sim_options){.size = sizeof(limb_sim_options),
                            .method = LIMB_SIM_AUTO,
                            .step = 1e-3,
                            .relative = loops ? 1e-10 : 1e-8,
                            .absolute = loops ? 1e-12 : 1e-10,
                            .env = limb_default_environment(m),
                            .stiction = LIMB_STICTION_EXACT,
                            .stop = LIMB_STOP_NONE,
                            .restitution = 0.5,
                            .stop_stiffness = 1e4,
                            .stop_damping = 1e2,
                            .loops = limb_default_loop_solver(),
                            .project = 1e-13};
}

static bool within(double x, double min, double max) { return x >= min && x <= max; }

static limb_status check_steps(const limb_sim_options* o, limb_error* err)
{
  const char* where = "options";
  if (!row_of(o->method)) return limb_fail(err, LIMB_E_ARG, where, "unknown method %d", (int)o->method);
  if (!within(o->step, 0, HUGE_VAL) || (o->step == 0 && row_of(o->method)->order))
    return limb_fail(err, LIMB_E_ARG, where, "step must be positive");
  if (o->step > 1e100) return limb_fail(err, LIMB_E_ARG, where, "step must be at most 1e100 s");
  if (!within(o->relative, 1e-15, 0.1) || !within(o->absolute, 1e-300, 1))
    return limb_fail(err, LIMB_E_ARG, where, "relative must be in [1e-15, 0.1], absolute in [1e-300, 1]");
  if (!within(o->max_step, 0, HUGE_VAL) || o->order < 0)
    return limb_fail(err, LIMB_E_ARG, where, "max_step and order must not be negative");
  return LIMB_OK;
}

static limb_status check_stops(const limb_sim_options* o, limb_error* err)
{
  const char* where = "options";
  if ((int)o->stiction < 0 || o->stiction > LIMB_STICTION_SMOOTH)
    return limb_fail(err, LIMB_E_ARG, where, "unknown stiction %d", (int)o->stiction);
  if ((int)o->stop < 0 || o->stop > LIMB_STOP_END)
    return limb_fail(err, LIMB_E_ARG, where, "unknown stop %d", (int)o->stop);
  if (!within(o->restitution, 0, 1)) return limb_fail(err, LIMB_E_ARG, where, "restitution must be in [0, 1]");
  if (!within(o->stop_stiffness, 0, 1e300) || !within(o->stop_damping, 0, 1e300) || o->stop_stiffness == 0)
    return limb_fail(err, LIMB_E_ARG, where, "stiffness of stops must be positive, damping not negative");
  if (!(o->project >= 0) || !within(o->condition, 0, HUGE_VAL))
    return limb_fail(err, LIMB_E_ARG, where, "project and condition must not be negative");
  return LIMB_OK;
}

bool limb_sim_base_moves(const limb_environment* e)
{
  const sp_motion v = e->base_velocity, a = e->base_acceleration;
  return sp_norm3(v.w) + sp_norm3(v.v) + sp_norm3(a.w) + sp_norm3(a.v) != 0;
}

// Checks the lists here, and everything else by a call of the dynamics.
limb_status limb_sim_check_environment(limb_sim* sim, limb_error* err)
{
  const limb_environment* e = &sim->o.env;
  if (e->nwrench < 0 || e->nlaw < 0) return limb_fail(err, LIMB_E_ARG, "env", "nwrench and nlaw must not be negative");
  if ((e->nwrench && !e->wrench) || (e->nlaw && !e->law))
    return limb_fail(err, LIMB_E_ARG, "env", "nwrench or nlaw is positive, but the list is NULL");
  const limb_status s = limb_friction_forces(sim->d, sim->now.v, e, sim->y);
  if (s == LIMB_OK || s == LIMB_E_UNSUPPORTED) return LIMB_OK; // friction of tendons needs q, which was not checked
  return limb_fail(err, s, "env", "size, gravity, base motion, wrenches, force laws or coulomb_width: %s",
                   limb_status_text(s));
}

// Friction that jumps at zero velocity costs any method its order and makes adaptive ones crawl.
static limb_status check_smooth(const limb_sim* sim, limb_error* err)
{
  const limb_environment* e = &sim->o.env;
  if (sim->o.stiction != LIMB_STICTION_SMOOTH || !e->friction || e->coulomb_width > 0) return LIMB_OK;
  for (int j = 0; j < limb_joint_count(sim->m); j++) {
    limb_joint_info info;
    const limb_status s = limb_get_joint(sim->m, j, &info);
    if (s != LIMB_OK) return s;
    if (info.v >= 0 && info.def.coulomb > 0)
      return limb_fail(err, LIMB_E_ARG, "options",
                       "smooth stiction requires a positive coulomb_width: joint '%s' has Coulomb friction",
                       info.def.name);
  }
  return LIMB_OK;
}

limb_status limb_sim_read_options(limb_sim* sim, const limb_sim_options* options, limb_error* err)
{
  sim->o = limb_default_sim_options(sim->m);
  if (options) {
    const limb_status s = limb_sized_read(&sim->o, sizeof sim->o, options, offsetof(limb_sim_options, max_steps));
    if (s != LIMB_OK) return limb_fail(err, s, "options", "size: start from limb_default_sim_options()");
  }
  sim->alpha = sim->o.loops.alpha, sim->beta = sim->o.loops.beta;
  limb_status s = check_steps(&sim->o, err);
  if (s == LIMB_OK) s = check_stops(&sim->o, err);
  if (s != LIMB_OK) return s;
  if (sim->o.work && limb_sim_base_moves(&sim->o.env))
    return limb_fail(err, LIMB_E_ARG, "options", "work is not defined for a moving base");
  if (sim->o.method != LIMB_SIM_AUTO && !limb_sim_stepper_of(sim->o.method))
    return limb_fail(err, LIMB_E_UNSUPPORTED, "options", "method %s requires SUNDIALS, which this build lacks",
                     row_of(sim->o.method)->name);
  return check_smooth(sim, err);
}

int limb_sim_has_method(limb_sim_method method)
{
  return method == LIMB_SIM_AUTO || (row_of(method) && limb_sim_stepper_of(method));
}

// ---- methods --------------------------------------------------------------------------------------------

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

// ---- the fastest rate -----------------------------------------------------------------------------------

typedef struct sim_rates {
  double *x, *y, *z;    // 2 nv: J^k x
  double *plus, *minus; // nv
} sim_rates;

static limb_status alloc_rates(limb_sim* sim)
{
  const size_t nv = (size_t)sim->nv;
  if (sim->rates) return LIMB_OK;
  sim_rates* r = limb_sim_alloc(sim, 1, sizeof *r);
  double* memory = limb_sim_alloc(sim, 8 * nv, sizeof *memory);
  if (!r || !memory) return LIMB_E_NOMEM;
  double** const part[] = {&r->x, &r->y, &r->z, &r->plus, &r->minus};
  const size_t size[] = {2 * nv, 2 * nv, 2 * nv, nv, nv};
  for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) *part[k] = memory, memory += size[k];
  sim->rates = r;
  return LIMB_OK;
}

// y = J x by differences, J = [0 1; da/dq da/dv]; the rotation of ball joints is not stiff.
static limb_status times_slope(limb_sim* sim, const double* x, double* y)
{
  const double position = 1e-7, velocity = 1e-5; // largest differences
  const sim_rates* r = sim->rates;
  const size_t nv = (size_t)sim->nv;
  const double size = fmax(limb_largest(nv, x) / position, limb_largest(nv, x + nv) / velocity);
  const double e = size > 0 ? 1 / size : 1;
  limb_status s = limb_sim_perturbed(sim, &sim->now, x, e, limb_sim_accelerate, r->plus);
  if (s == LIMB_OK) s = limb_sim_perturbed(sim, &sim->now, x, -e, limb_sim_accelerate, r->minus);
  memcpy(y, x + nv, nv * sizeof *y);
  for (size_t k = 0; k < nv; k++) y[nv + k] = (r->plus[k] - r->minus[k]) / (2 * e);
  return s;
}

// The decay of the largest eigenvalue l, -Re l / |l|: l^2 + b l + c = 0 where J^2 x + b J x + c x is smallest, with
// positions weighted as velocities.
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

// Approximate |l| of the largest eigenvalue l of J, by powers of J^2; joints that stick count as free.
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

// ---- the choice of AUTO ---------------------------------------------------------------------------------
//
// An explicit method must follow the fastest rate l, even if nothing moves that fast: about 2.6 |l| evaluations a
// second. An implicit method follows the motion: some steps a second, each at the cost of evaluations, derivatives
// and a factorisation. It pays where this is cheaper and fast modes decay; undamped vibrations must be followed
// anyway. Methods with a tolerance take precedence. The variational method is never chosen: it avoids energy drift in
// long runs at the price of a larger error in time.

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
  double min = HUGE_VAL;
  for (int k = 0; k < sim->nsource; k++) {
    const double period = sim->source[k].f.period;
    if (period > 0) min = fmin(min, period);
  }
  return min;
}

// Fixed steps: explicit ones become unstable if the fastest rate is too high.
static limb_sim_method choose_fixed(limb_sim* sim, double rate)
{
  const double step = step_of(sim);
  const bool follows = rate * step <= 2;
  explain(sim,
          follows ? "steps of %.2g s follow the fastest rate, about %.2g /s"
                  : "steps of %.2g s are too long for explicit methods: the fastest rate is about %.2g /s",
          step, rate);
  return follows ? LIMB_SIM_RK4 : LIMB_SIM_IMPLICIT;
}

static limb_sim_method choose_adaptive(limb_sim* sim, double rate, double decay)
{
  const double nv = sim->nv, steps = 100 * (1 + limb_largest((size_t)sim->nv, sim->now.v));
  const double follow = 2.6 * rate, step = 10, solve = nv * nv / 100; // all in evaluations
  if (follow <= steps * step) {
    explain(sim, "not stiff: the fastest rate is about %.2g /s", rate);
    return LIMB_SIM_ERK;
  }
  if (decay < 0.05) {
    explain(sim, "vibrations of about %.2g rad/s hardly decay and must be followed", rate);
    return LIMB_SIM_ERK;
  }
  if (follow <= steps * (step + solve)) {
    explain(sim, "%g velocities: rates of about %.2g /s are cheaper to follow than to solve for", nv, rate);
    return LIMB_SIM_ERK;
  }
  if (shortest_period(sim) <= 20 * step_of(sim)) {
    explain(sim, "stiff: decay at about %.2g /s; a multistep method would restart at every sample", rate);
    return LIMB_SIM_IMPLICIT;
  }
  explain(sim, "stiff: decay at about %.2g /s, faster than the robot moves", rate);
  return LIMB_SIM_BDF;
}

limb_status limb_sim_fastest_rate(limb_sim* sim, double* rate)
{
  double decay;
  const limb_status s = alloc_rates(sim);
  if (s == LIMB_OK && fastest(sim, rate, &decay) != LIMB_OK) *rate = 0;
  return s;
}

limb_status limb_sim_choose(limb_sim* sim, limb_sim_method* method)
{
  const bool adaptive = limb_sim_stepper_of(LIMB_SIM_ERK);
  double rate, decay;
  const limb_status s = alloc_rates(sim);
  if (s != LIMB_OK) return s;
  if (fastest(sim, &rate, &decay) != LIMB_OK) {
    explain(sim, "accelerations do not exist near the start");
    *method = adaptive ? LIMB_SIM_ERK : LIMB_SIM_RK4;
  } else {
    *method = adaptive ? choose_adaptive(sim, rate, decay) : choose_fixed(sim, rate);
  }
  if (limb_sim_method_order(*method)) sim->o.step = step_of(sim);
  return LIMB_OK;
}
