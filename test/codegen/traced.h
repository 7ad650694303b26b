// Traced quantities evaluated at numbers, and compared with the library.
#ifndef LIMB_TEST_TRACED_H
#define LIMB_TEST_TRACED_H

#include "base/memory.h"
#include "codegen/codegen_impl.h"
#include "codegen/program.h"
#include "codegen/trace.h"

#include "support/check.h"
#include "support/closed_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A robot, what was traced of it, a state.
typedef struct traced {
  const limb_model* m;
  limb_program* p;
  limb_reference x;
  double* in[INPUT_KINDS];
} traced;

// p is NULL if the robot does not have the quantities.
static inline limb_status trace_with(const limb_model* m, limb_codegen_options o, traced* out, limb_error* err)
{
  *out = (traced){.m = m};
  const limb_status s = limb_trace(m, &o, NULL, &out->p, err);
  if (s != LIMB_OK) return s;
  assert_ok(limb_reference_begin(m, &o, out->p, &out->x));
  for (int k = 0; k < INPUT_KINDS; k++) {
    const limb_input* in = &out->p->input[k];
    out->in[k] = numbers(in->count);
    if (in->value) memcpy(out->in[k], in->value, (size_t)in->count * sizeof(double));
  }
  return s;
}

static inline limb_status trace_model(const limb_model* m, const char* what, const char* frame, traced* out,
                                      limb_error* err)
{
  limb_codegen_options o = limb_default_codegen_options();
  o.what = what, o.frame = frame;
  return trace_with(m, o, out, err);
}

static inline void traced_free(traced* t)
{
  limb_reference_end(&t->x);
  limb_program_free(t->p);
  for (int k = 0; k < INPUT_KINDS; k++) free(t->in[k]);
}

// ---- values -------------------------------------------------------------------------------------------

static inline int entries_in(const limb_function* f)
{
  int n = 0;
  for (int k = 0; k < f->noutput; k++) n += f->output[k].rows * f->output[k].columns;
  return n;
}

// Inputs that the function does not take are NULL.
static inline void traced_run(const traced* t, const limb_function* f, double* out)
{
  const double* in[INPUT_KINDS] = {NULL};
  for (int k = 0; k < INPUT_KINDS; k++) in[k] = f->inputs >> k & 1U ? t->in[k] : NULL;
  for (int k = 0; k < f->noutput; k++) {
    const limb_output* x = &f->output[k];
    const size_t n = (size_t)x->rows * (size_t)x->columns;
    assert_that(limb_evaluate(t->p->graph, x->entry, n, in, out));
    out += n;
  }
}

// What may be lost where a mass matrix is inverted, beside the equations themselves.
static inline double loss_in(const char* function)
{
  const double solved = TOL_SOLVE / TOL_ALGEBRA;
  if (strcmp(function, "acc_lambda") == 0) return 10 * solved; // from accelerations, once more solved for
  return strstr(function, "acc") ? solved : 1;
}

// tolerance: the wider one for the next functions. Where the choice of independent velocities is about to
// fail, G is large, and as much is lost.
static inline void compare_function(traced* t, const limb_function* f, double* tolerance)
{
  const int n = entries_in(f);
  double *got = numbers(n), *want = numbers(n), *x = got, *y = want;
  const double* in[INPUT_KINDS];
  for (int k = 0; k < INPUT_KINDS; k++) in[k] = t->in[k];
  const limb_status s = limb_reference_values(&t->x, f, in, want);
  if (s == LIMB_E_SINGULAR && t->m->nloop == 0) { // moves nothing
    free(got), free(want);
    return;
  }
  assert_ok(s);
  traced_run(t, f, got);
  for (int i = 0; i < n && strcmp(f->name, "G") == 0; i++) *tolerance = fmax(*tolerance, 1e-13 * want[i] * want[i]);
  for (int k = 0; k < f->noutput; k++) {
    const int size = f->output[k].rows * f->output[k].columns;
    const double loss = loss_in(f->name);
    check_close_matrix(CHECK_SITE(f->name), x, y, size, 1, loss * *tolerance, loss * TOL_ALGEBRA);
    x += size, y += size;
  }
  free(got), free(want);
}

static inline void compare_states(traced* t, int states)
{
  for (int s = 0; s < states; s++) {
    double tolerance = TOL_ALGEBRA;
    check_at("%s, state %d", limb_model_name(t->m), s);
    assert_ok(limb_reference_state(&t->x, (uint64_t)(s + 1), t->in));
    for (int f = 0; f < t->p->nfunction; f++) compare_function(t, &t->p->function[f], &tolerance);
  }
}

// Whether some motion has no motor, in a state.
static inline int is_undriven(const limb_model* m, const double* q)
{
  limb_data* w = NULL;
  limb_mobility is;
  assert_ok(limb_data_create(m, NULL, &w));
  assert_ok(limb_mobility_at(w, q, NULL, &is));
  limb_data_destroy(w);
  return is.undriven > 0;
}

// All quantities of a robot with loops; no inverse dynamics if some motion has no motor.
static inline void compare_loops(const limb_model* m, int states)
{
  traced t;
  limb_error err = {0};
  limb_status s = trace_model(m, "Psi,gamma,G,passive,acc,acc_lambda,reduced_M,reduced_h,tau", NULL, &t, &err);
  const int without = s == LIMB_E_UNSUPPORTED;
  if (without) s = trace_model(m, "Psi,gamma,G,passive,acc,acc_lambda,reduced_M,reduced_h", NULL, &t, &err);
  fixture_ok(s, &err);
  compare_states(&t, states);
  if (without) assert_that(is_undriven(m, t.in[INPUT_Q]));
  traced_free(&t);
}

static inline void compare_hybrid(const limb_model* m, int states)
{
  traced t;
  limb_error err = {0};
  fixture_ok(trace_model(m, limb_loop_count(m) > 0 ? "tree_hybrid" : "hybrid", NULL, &t, &err), &err);
  compare_states(&t, states);
  traced_free(&t);
}

#endif
