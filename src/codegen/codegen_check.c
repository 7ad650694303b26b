// Comparison of generated expressions with the library, in random states (codegen_impl.h).
#include "codegen/codegen_impl.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"
#include "codegen/program.h"
#include "codegen/trace.h"

#include <math.h>
#include <string.h>

#define DIFFERENCE_MAX 1e-7  // beyond, it is another function; rounding of long chains stays below
#define SINGLE_MAX     1e-2  // rounding of float beyond which results are useless
#define ZERO           1e-13 // relative size that is nothing but rounding

// ---- states --------------------------------------------------------------------------------------------------------

// Magnitude of random inputs: velocities up to 2, accelerations to 5, forces to 20.
static double size_of(limb_input_kind kind)
{
  return kind == INPUT_V || kind == INPUT_TWIST ? 2 : kind == INPUT_TAU ? 20 : 5;
}

// Nearly relaxed shafts: with independent angles of motors and joints, the shaft springs would dominate everything.
static void relax_shafts(const limb_model* m, uint64_t* seed, double* q)
{
  for (int k = 0; k < limb_shaft_count(m); k++) {
    limb_shaft_def shaft;
    limb_joint_info joint, motor;
    if (limb_get_shaft(m, k, &shaft) != LIMB_OK || limb_get_joint(m, shaft.joint, &joint) != LIMB_OK ||
        limb_get_joint(m, shaft.motor, &motor) != LIMB_OK || motor.nq != 1)
      continue;
    const double turned = joint.multiplier * q[joint.q] + joint.offset + shaft.rest;
    q[motor.q] = shaft.ratio * turned + 1e-3 * limb_random_sign(seed);
  }
}

// Fills the inputs of one kind in all states.
static limb_status fill_inputs(const limb_model* m, limb_input_kind kind, const limb_input* in, const double* known,
                               uint64_t* seed, double* x)
{
  const size_t count = (size_t)in->count;
  for (size_t s = 0; s < LIMB_TRIAL_STATES; s++, x += count) {
    for (size_t i = 0; i < count && kind != INPUT_Q; i++)
      x[i] = known ? known[i] : size_of(kind) * limb_random_sign(seed);
    if (kind != INPUT_Q) continue;
    const limb_status status = limb_random(m, seed, x);
    if (status != LIMB_OK) return status;
    if (s % 2 == 1) relax_shafts(m, seed, x);
  }
  return LIMB_OK;
}

limb_status limb_trial_create(const limb_model* m, limb_program* p, bool random_gravity, limb_trial* out)
{
  uint64_t seed = 9;
  *out = (limb_trial){.states = LIMB_TRIAL_STATES};
  const size_t functions = (size_t)p->nfunction + LIMB_HELPERS;
  out->of = limb_program_alloc(p, functions, sizeof *out->of);
  if (!out->of) return LIMB_E_NOMEM;
  limb_status s = LIMB_OK;
  for (int k = 0; k < INPUT_KINDS && s == LIMB_OK; k++) {
    const limb_input* in = &p->input[k];
    const double* known = k == INPUT_GRAVITY && random_gravity ? NULL : in->value;
    out->input[k] = limb_program_alloc(p, LIMB_TRIAL_STATES * (size_t)in->count + 1, sizeof *out->input[k]);
    if (!out->input[k]) return LIMB_E_NOMEM;
    s = fill_inputs(m, (limb_input_kind)k, in, known, &seed, out->input[k]);
  }
  return s;
}

void limb_trial_close(limb_trial* t, const limb_program* p, limb_reference* x)
{
  enum { TRIES = 5, APART = 1000 };
  for (int s = 0; s < LIMB_TRIAL_STATES; s++) {
    double* input[INPUT_KINDS];
    for (int k = 0; k < INPUT_KINDS; k++) input[k] = t->input[k] + (size_t)s * (size_t)p->input[k].count;
    int tried = 0;
    while (tried < TRIES && limb_reference_state(x, (uint64_t)(1 + s + APART * tried), input) != LIMB_OK) tried++;
  }
}

// Pointers to the inputs of a state.
static void state_at(const limb_trial* t, const limb_program* p, int state, const double* input[INPUT_KINDS])
{
  for (int k = 0; k < INPUT_KINDS; k++) input[k] = t->input[k] + (size_t)state * (size_t)p->input[k].count;
}

// ---- reference values ----------------------------------------------------------------------------------------------

// All entries of a function in one array; NULL when out of memory.
static limb_edge* edges_of(limb_program* p, const limb_function* f)
{
  limb_edge* list = limb_program_alloc(p, limb_entry_count(f) + 1, sizeof *list);
  for (uint32_t i = 0; list && i < limb_entry_count(f); i++) list[i] = limb_entry_edge(f, i, NULL, NULL);
  return list;
}

// The largest force or acceleration in the states, as a scale for rounding.
static limb_status find_largest(const limb_trial* t, limb_reference* x, limb_program* p, const char* name,
                                double* largest)
{
  limb_function f = {.inputs = 1U << INPUT_A | 1U << INPUT_TAU};
  f.kind = limb_find_generated(name, ROBOTS_TREES, &f.name);
  const int n = limb_nv(x->m);
  double* out = limb_program_alloc(p, (size_t)n + 1, sizeof *out);
  if (!out) return LIMB_E_NOMEM;
  for (int s = 0; s < t->states; s++) {
    const double* input[INPUT_KINDS];
    state_at(t, p, s, input);
    if (limb_reference_values(x, &f, input, out) != LIMB_OK) continue;
    for (int i = 0; i < n; i++) *largest = fmax(*largest, fabs(out[i]));
  }
  return LIMB_OK;
}

// Whether some output is zero up to rounding, relative to a size, in all states.
static bool is_zero_output(const limb_trial* t, const limb_function* f, int k, double size)
{
  const size_t all = limb_entry_count(f);
  size_t at = 0;
  bool any = false;
  for (int o = 0; o < f->noutput; o++) {
    const size_t n = (size_t)f->output[o].rows * (size_t)f->output[o].columns;
    double largest = 0;
    for (size_t i = 0; i < n * (size_t)t->states; i++)
      largest = fmax(largest, fabs(t->of[k].reference[i / n * all + at + i % n]));
    any = any || largest <= ZERO * size;
    at += n;
  }
  return any;
}

// Sets the scale of a function's rounding. Derivatives of accelerations are measured by accelerations only where they
// are zero.
static limb_status set_scale(limb_trial* t, limb_reference* x, limb_program* p, int k)
{
  const limb_function* f = &p->function[k];
  t->of[k].scale = 0;
  if (limb_has_fact(f, LIMB_MAY_VANISH)) {
    if (t->forces == 0 && find_largest(t, x, p, "tau", &t->forces) != LIMB_OK) return LIMB_E_NOMEM;
    t->of[k].scale = t->forces;
  }
  if (!limb_has_fact(f, LIMB_OF_ACCELERATIONS)) return LIMB_OK;
  double largest = 0;
  if (find_largest(t, x, p, "acc", &largest) != LIMB_OK) return LIMB_E_NOMEM;
  if (is_zero_output(t, f, k, largest)) t->of[k].scale = largest;
  return LIMB_OK;
}

limb_status limb_trial_judge(const limb_trial* t, limb_program* p, int k, bool single)
{
  limb_function* f = &p->function[k];
  if (!f->judged) return LIMB_OK;
  const limb_output* margin = &f->output[f->noutput];
  const size_t n = (size_t)margin->rows;
  double* x = limb_program_alloc(p, n, sizeof *x);
  if (!x) return LIMB_E_NOMEM;
  for (int s = 0; s < t->states && f->judged; s++) {
    const double* input[INPUT_KINDS];
    state_at(t, p, s, input);
    if (!(single ? limb_evaluate_single : limb_evaluate)(p->graph, margin->entry, n, input, x)) return LIMB_E_NOMEM;
    for (size_t i = 0; i < n; i++)
      if (!(x[i] > 0)) f->judged = 0;
  }
  if (!f->judged && !f->note) f->note = limb_not_judged;
  return LIMB_OK;
}

limb_status limb_trial_reference(limb_trial* t, limb_reference* x, limb_program* p, int k, limb_error* error)
{
  const limb_function* f = &p->function[k];
  const uint32_t n = limb_entry_count(f);
  const limb_edge* list = edges_of(p, f);
  t->of[k].reference = limb_program_alloc(p, (size_t)n * LIMB_TRIAL_STATES + 1, sizeof(double));
  if (!list || !t->of[k].reference) return LIMB_E_NOMEM;
  for (int s = 0; s < t->states; s++) {
    const double* input[INPUT_KINDS];
    double* out = t->of[k].reference + (size_t)s * n;
    state_at(t, p, s, input);
    limb_status status = limb_reference_values(x, f, input, out);
    t->of[k].from_library = status != LIMB_E_UNSUPPORTED;
    if (status == LIMB_E_UNSUPPORTED) status = limb_evaluate(p->graph, list, n, input, out) ? LIMB_OK : LIMB_E_NOMEM;
    for (uint32_t i = 0; i < n && status == LIMB_OK; i++) {
      if (!isfinite(out[i])) status = LIMB_E_SINGULAR;
    }
    if (status == LIMB_E_NOMEM) return status;
    if (status == LIMB_OK) continue;
    return limb_fail(error, LIMB_E_UNSUPPORTED, f->name,
                     "the library fails in a random state (%s): there is no closed form to write",
                     limb_status_text(status));
  }
  return set_scale(t, x, p, k);
}

// ---- comparison ----------------------------------------------------------------------------------------------------

// The largest difference of entries, relative to the largest entry of their output and to scale; NaN counts as
// infinite.
static double apart(const limb_function* f, const double* got, const double* want, double scale)
{
  double worst = 0;
  for (int o = 0; o < f->noutput; o++) {
    const int n = f->output[o].rows * f->output[o].columns;
    double size = scale, largest = 0;
    for (int i = 0; i < n; i++) {
      const double d = fabs(got[i] - want[i]);
      size = fmax(size, fabs(want[i]));
      largest = isnan(d) ? (double)INFINITY : fmax(largest, d);
    }
    worst = fmax(worst, size > 0 ? largest / size : largest);
    got += n, want += n;
  }
  return worst;
}

// Whether entries agree one by one: to ENTRY times the largest value that each takes in any state, or up to the
// rounding of the largest entry of its output. Divisions mean that a system is solved, which amplifies rounding.
#define ENTRY          1e-6
#define ROUNDED        1e-13
#define ROUNDED_SOLVED 1e-9

static bool entries_agree(const limb_trial* t, const limb_function* f, int k, const double* got, const double* want,
                          double rounded)
{
  const size_t all = limb_entry_count(f);
  size_t at = 0;
  for (int o = 0; o < f->noutput; o++) {
    const size_t n = (size_t)f->output[o].rows * (size_t)f->output[o].columns;
    double size = t->of[k].scale;
    for (size_t i = at; i < at + n; i++) size = fmax(size, fabs(want[i]));
    for (size_t i = at; i < at + n; i++) {
      double own = 0;
      for (int s = 0; s < t->states; s++) own = fmax(own, fabs(t->of[k].reference[(size_t)s * all + i]));
      if (!(fabs(got[i] - want[i]) <= ENTRY * own + rounded * size)) return false;
    }
    at += n;
  }
  return true;
}

limb_status limb_trial_compare(limb_trial* t, limb_program* p, int k, bool single, double* difference,
                               limb_error* error)
{
  const limb_function* f = &p->function[k];
  const uint32_t n = limb_entry_count(f);
  const limb_edge* list = edges_of(p, f);
  double* got = limb_program_alloc(p, (size_t)n + 1, sizeof *got);
  double rounding = 0;
  limb_operations c;
  if (!list || !got || !limb_count_operations(p->graph, f, &c)) return LIMB_E_NOMEM;
  const double rounded = c.div > 0 ? ROUNDED_SOLVED : ROUNDED;
  bool agree = true;
  *difference = 0;
  for (int s = 0; s < t->states; s++) {
    const double* input[INPUT_KINDS];
    const double* want = t->of[k].reference + (size_t)s * n;
    state_at(t, p, s, input);
    if (!limb_evaluate(p->graph, list, n, input, got)) return LIMB_E_NOMEM;
    *difference = fmax(*difference, apart(f, got, want, t->of[k].scale));
    agree = agree && entries_agree(t, f, k, got, want, rounded);
    if (!single) continue;
    if (!limb_evaluate_single(p->graph, list, n, input, got)) return LIMB_E_NOMEM;
    rounding = fmax(rounding, apart(f, got, want, t->of[k].scale));
  }
  if (!agree || !(*difference <= DIFFERENCE_MAX))
    return limb_fail(error, LIMB_E_UNSUPPORTED, f->name,
                     "the expressions differ from the library by %.1e, so nothing is written; please report this robot",
                     *difference);
  if (!isfinite(rounding))
    return limb_fail(error, LIMB_E_UNSUPPORTED, f->name, "its constants are beyond the range of float: use double");
  if (rounding > SINGLE_MAX)
    return limb_fail(
      error, LIMB_E_UNSUPPORTED, f->name,
      "float has too few digits: in a random state the result is off by %.1e of the largest entry; use double",
      rounding);
  if (single) *difference = rounding;
  // compilers may contract and sines differ: allow ten times the difference seen here
  t->of[k].tolerance = single ? fmax(1e-5, 10 * rounding) : fmax(1e-12, 10 * *difference);
  return LIMB_OK;
}
