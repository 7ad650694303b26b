// limb_verify: runs the checks in random states, and judges the differences.
#include "base/status.h"
#include "verify/verify_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CHECKS = 96, REASON_SIZE = 80 };

typedef struct outcome {
  const verify_check* check;
  bool closed;  // of robots with their loops closed
  double off;   // the largest difference
  int state;    // where; from 1
  int states;   // in how many
  int singular; // in how many a matrix was singular, or
  int rough;    // finite differences did not resolve the quantity
  limb_status status;
  char reason[REASON_SIZE];
} outcome;

struct limb_verification {
  limb_verify_options o;
  int nv, loops;
  double size;        // of the robot: the larger number of bodies or velocities
  double condition;   // of M, the largest
  double lost;        // share of accelerations that is rounding; 0: not known
  double closed_lost; // the same with the loops closed
  double lost_rates;  // the same of their rates by finite differences
  sp_vec3 gravity;
  double open; // residual of loops at the start
  int count;
  outcome outcomes[MAX_CHECKS];
};

limb_verify_options limb_default_verify(void)
{
  return (limb_verify_options){.size = sizeof(limb_verify_options), .states = 100, .seed = 1, .tolerance = 1e-9};
}

const char* limb_verdict_name(limb_verdict verdict)
{
  switch (verdict) {
  case LIMB_VERDICT_OK: return "ok";
  case LIMB_VERDICT_FAILED: return "FAILED";
  case LIMB_VERDICT_NOT_APPLICABLE: return "not applicable";
  case LIMB_VERDICT_SKIPPED: return "skipped";
  }
  return "?";
}

// ---- which checks ----------------------------------------------------------------------------------

// A check may be of several quantities: "acc, lambda".
static int is_of(const verify_check* c, const char* name)
{
  const size_t n = strlen(name);
  for (const char* at = c->quantity; at; at = strchr(at, ',')) {
    at += strspn(at, ", ");
    if (strncmp(at, name, n) == 0 && strcspn(at, ",") == n) return 1;
  }
  return 0;
}

static int is_wanted(const limb_verification* x, const verify_check* c)
{
  const char* const* q = x->o.quantities;
  while (q && *q && !is_of(c, *q)) q++;
  return !q || *q;
}

static void collect(limb_verification* x, const verify_check* list)
{
  for (; list->quantity && x->count < MAX_CHECKS; list++)
    if (is_wanted(x, list)) x->outcomes[x->count++].check = list;
}

static void collect_closed(limb_verification* x, const verify_check* list)
{
  const int first = x->count;
  collect(x, list);
  for (int k = first; k < x->count; k++) x->outcomes[k].closed = true;
}

static void collect_all(limb_verification* x)
{
  collect(x, verify_dynamics);
  collect(x, verify_hybrid);
  collect(x, verify_motion);
  collect(x, verify_derivatives);
  collect(x, verify_lagrange);
  collect(x, verify_forms);
  if (!x->loops) return;
  collect_closed(x, verify_loops);
  collect_closed(x, verify_other_forms);
}

// ---- running ---------------------------------------------------------------------------------------

// In how many states a check is made: work that grows with powers of the size is bounded.
static int states_for(const limb_verification* x, const verify_check* c)
{
  const double n = x->size;
  const double per_state = c->cost == 1   ? n
                           : c->cost == 2 ? n * n
                           : c->cost == 3 ? 36 * n * n * n
                                          : 100 * n * n * n * n;
  const double budget = c->cost == 1 ? 1e7 : c->cost == 2 ? 5e6 : 3e8;
  const double max = floor(budget / per_state);
  const double min = c->cost == 1 || (c->cost == 2 && n <= VERIFY_LARGE) ? 1 : 0;
  if (c->max_nv && x->nv > c->max_nv) return 0;
  return (int)fmin(x->o.states, fmax(max, min));
}

static void run_check(const limb_verification* x, verify* t, outcome* o, int state)
{
  double off = 0;
  t->unresolved = 0;
  if (o->status != LIMB_OK || state > states_for(x, o->check)) return;
  const limb_status s = o->check->run(t, &off);
  if (s == LIMB_E_SINGULAR) {
    o->singular++, o->rough += t->unresolved;
    return;
  }
  o->status = s;
  if (s != LIMB_OK) {
    o->state = state;
    return;
  }
  o->states++;
  if (o->states > 1 && off <= o->off) return;
  o->off = off;
  o->state = state;
}

static limb_status run_states(limb_verification* x, verify* t)
{
  const uint64_t count = (uint64_t)x->count, total = (uint64_t)x->o.states * count;
  limb_status s = LIMB_OK;
  for (int i = 1; i <= x->o.states && s == LIMB_OK; i++) {
    s = verify_next(t);
    for (int k = 0; k < x->count && s == LIMB_OK; k++) {
      if (x->o.progress) x->o.progress(x->o.context, (uint64_t)(i - 1) * count + (uint64_t)k, total);
      run_check(x, t, &x->outcomes[k], i);
    }
  }
  return s;
}

// ---- judging ---------------------------------------------------------------------------------------

#define ROUNDED 1e-10 // [m, rad] less that stays open is rounding
#define OPEN    100   // per m or rad that stays open

static int inverts(const verify_check* c)
{
  return c->class == VERIFY_INVERSE || c->class == VERIFY_INVERSE_DIFFERENCES;
}

// Closures regularise a tree that has no mass in some direction, and may spoil another.
static double lost_by(const limb_verification* x, const outcome* o)
{
  return o->closed ? fmax(x->lost, x->closed_lost) : x->lost;
}

// Inverting M loses as many digits as its condition number has, or more where large forces cancel; where that is not
// known, the robot is large, and so is the number. Differences have an error of their own. Constraints that depend on
// each other but for what stays open of rounded loops contradict each other by a multiple of it.
static double tolerance_of(const limb_verification* x, const outcome* o)
{
  const verify_check* c = o->check;
  const double known = lost_by(x, o), lost = known > 0 ? fmin(VERIFY_LOST, known) : VERIFY_LOST;
  const double rates = c->class == VERIFY_INVERSE_DIFFERENCES ? fmin(VERIFY_LOST, x->lost_rates) : 0;
  const double open = o->closed && x->open > ROUNDED ? OPEN * x->open : 0;
  const double own = fmax(fmax(rates, open), c->class >= VERIFY_DIFFERENCES ? 1e-6 : 0);
  return fmax(x->o.tolerance, fmax(own, inverts(c) ? lost : 0));
}

static limb_verdict judge(const limb_verification* x, const outcome* o, const char** reason)
{
  const verify_check* c = o->check;
  *reason = "";
  if (o->status == LIMB_E_UNSUPPORTED) {
    *reason = c->unless ? c->unless : "not for this robot";
    return LIMB_VERDICT_NOT_APPLICABLE;
  }
  if (o->states == 0 && o->singular > 0) {
    *reason = o->rough > 0 ? "finite differences do not resolve it"
              : c->class == VERIFY_INVERSE
                ? (o->closed ? "M or the loops are singular or nearly so" : "M is singular or nearly so")
              : c->unless ? c->unless
                          : "the robot has no mass";
    return LIMB_VERDICT_NOT_APPLICABLE;
  }
  if (o->status != LIMB_OK) {
    *reason = limb_status_text(o->status);
    return LIMB_VERDICT_FAILED;
  }
  if (o->states == 0) {
    *reason = o->reason[0] ? o->reason : "the robot is too large for work of this order";
    return LIMB_VERDICT_SKIPPED;
  }
  if (o->off <= tolerance_of(x, o)) return LIMB_VERDICT_OK;
  if (!inverts(c) || lost_by(x, o) <= VERIFY_LOST) return LIMB_VERDICT_FAILED;
  *reason = "M is singular up to rounding: its inverse has no digits";
  return LIMB_VERDICT_NOT_APPLICABLE;
}

// Reasons that name a number.
static void write_reasons(limb_verification* x)
{
  for (int k = 0; k < x->count; k++) {
    outcome* o = &x->outcomes[k];
    const int max = o->check->max_nv;
    if (max && x->nv > max) (void)snprintf(o->reason, sizeof o->reason, "not for more than %d velocities", max);
  }
}

// ---- the calls -------------------------------------------------------------------------------------

static limb_status close_loops(verify* t, double* open, limb_error* err)
{
  limb_assembly_report report = {.loop = -1};
  limb_loop_info loop = {.def = {.name = "?"}};
  const limb_status s = verify_loops_open(t, &report);
  *open = report.residual;
  if (s != LIMB_E_NOCONV) return s;
  (void)!limb_get_loop(t->m, report.loop, &loop);
  return limb_fail(err, s, loop.def.name,
                   "no configuration that closes the loops was found: loop '%s' stays %.3g apart", loop.def.name,
                   report.residual);
}

static limb_status verify_all(limb_verification* x, const limb_model* m, limb_error* err)
{
  limb_environment env = x->o.env ? *x->o.env : limb_default_environment(m);
  verify t;
  env.nwrench = 0, env.wrench = NULL;
  x->nv = limb_nv(m), x->loops = limb_loop_count(m);
  x->size = fmax(1, fmax(x->nv, limb_body_count(m)));
  collect_all(x);
  limb_status s = verify_create(&t, m, &env, x->o.seed);
  if (s == LIMB_OK && x->loops > 0) s = close_loops(&t, &x->open, err);
  const int open = s == LIMB_E_NOCONV;
  if (s == LIMB_OK) s = run_states(x, &t);
  x->condition = t.condition, x->lost = t.lost, x->closed_lost = t.closed_lost, x->lost_rates = t.lost_rates;
  x->gravity = env.gravity;
  verify_loops_free(&t);
  verify_free(&t);
  write_reasons(x);
  return s == LIMB_OK || open ? s : limb_fail(err, s, limb_model_name(m), "%s", limb_status_text(s));
}

limb_status limb_verify(const limb_model* m, const limb_verify_options* options, limb_verification** out,
                        limb_error* err)
{
  limb_verify_options o = limb_default_verify();
  if (!out) return limb_fail(err, LIMB_E_ARG, "limb_verify", "out is NULL");
  *out = NULL;
  const size_t first = offsetof(limb_verify_options, context) + sizeof o.context;
  const limb_status read = options ? limb_sized_read(&o, sizeof o, options, first) : LIMB_OK;
  if (!m || read != LIMB_OK || o.states < 1 || !(o.tolerance > 0))
    return limb_fail(err, read != LIMB_OK ? read : LIMB_E_ARG, "limb_verify", "no model, or options out of range");
  limb_verification* x = calloc(1, sizeof *x);
  if (!x) return limb_fail(err, LIMB_E_NOMEM, limb_model_name(m), "out of memory");
  x->o = o;
  const limb_status s = verify_all(x, m, err);
  if (s == LIMB_OK)
    *out = x;
  else
    limb_verification_destroy(x);
  return s;
}

limb_status limb_verification_get(const limb_verification* v, int index, limb_verify_result* out)
{
  static const char* const kinds[] = {"algebra", "inverse", "differences", "differences"};
  if (!v || !out || index < 0 || index >= v->count) return LIMB_E_ARG;
  const outcome* o = &v->outcomes[index];
  const verify_check* c = o->check;
  *out = (limb_verify_result){.quantity = c->quantity,
                              .first = c->first,
                              .second = c->second,
                              .kind = kinds[c->class],
                              .difference = o->off,
                              .tolerance = tolerance_of(v, o),
                              .state = o->state,
                              .states = o->states,
                              .singular = o->singular,
                              .status = o->status};
  out->verdict = judge(v, o, &out->reason);
  return LIMB_OK;
}

limb_verify_summary limb_verification_summary(const limb_verification* v)
{
  limb_verify_summary sum = {.complete = 1};
  if (!v) return sum;
  sum.checks = v->count;
  sum.condition = v->condition;
  sum.gravity = v->gravity;
  sum.open = v->open;
  for (int k = 0; k < v->count; k++) {
    const outcome* o = &v->outcomes[k];
    const char* reason;
    sum.failed += judge(v, o, &reason) == LIMB_VERDICT_FAILED;
    if (o->status != LIMB_E_UNSUPPORTED && (o->states == 0 || o->singular > 0)) sum.complete = 0;
  }
  return sum;
}

void limb_verification_destroy(limb_verification* v) { free(v); }
