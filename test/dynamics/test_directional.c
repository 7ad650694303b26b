// Derivatives along directions, against the complex step and against each other, with everything that
// enters: friction, springs, rotors, mimic joints, wrenches in all references, a moving base.
#include "limb/derivatives.h"

#include "dynamics/along.h"

#include <stdlib.h>

enum {
  STATES = CHECK_SANITIZED ? 2 : 12,
  COUNT = LIMB_DIRECTIONS + 2 // more than one pass
};

static limb_dual* workspace(const trial* t)
{
  limb_dual* w;
  assert_ok(limb_dual_create(t->m, LIMB_DUAL_VECTORS, NULL, &w));
  return w;
}

static limb_directions directions(trial* t, int count)
{
  return (limb_directions){.count = count, .dq = along_directions(t, count), .dv = along_directions(t, count)};
}

static void compare(along_oracle* o, int forward, const double* x, const limb_directions* along, const double* dx,
                    const double* got, double tolerance)
{
  const int n = o->t->nv;
  double* want = trial_doubles(o->t, (size_t)n);
  for (int k = 0; k < along->count; k++) {
    along_run(o, forward, x, along->dq + (ptrdiff_t)k * n, along->dv + (ptrdiff_t)k * n, dx + (ptrdiff_t)k * n);
    cplx_derivative(o->y, (size_t)n, want);
    assert_close_array(got + (ptrdiff_t)k * n, want, n, tolerance, tolerance);
  }
}

// ---- inverse dynamics ------------------------------------------------------------------------------

static void inverse(trial* t)
{
  if (trial_enough(t)) return;
  const limb_environment env = along_surroundings(t);
  limb_directions along = directions(t, COUNT);
  along.da = along_directions(t, COUNT);
  double* got = trial_doubles(t, (size_t)COUNT * (size_t)t->nv);
  limb_dual* w = workspace(t);
  assert_ok(limb_inverse_dynamics_along(w, t->q, t->v, t->a, &env, &along, got));
  limb_dual_destroy(w);
  along_oracle o = along_make(t, &env, 0);
  compare(&o, 0, t->a, &along, along.da, got, 1e-12);
  scalar_space_free(&o.s);
}

START_TEST(inverse_dynamics_is_the_complex_step) { trial_over(_i, STATES, inverse); }
END_TEST

// ---- forward dynamics ------------------------------------------------------------------------------

static void forward(trial* t)
{
  if (!trial_small(t)) return;
  const limb_environment env = along_surroundings(t);
  limb_directions along = directions(t, COUNT);
  along.dtau = along_directions(t, COUNT);
  double* got = trial_doubles(t, (size_t)COUNT * (size_t)t->nv);
  double* tau = trial_doubles(t, (size_t)t->nv);
  limb_dual* w = workspace(t);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &env, tau));
  assert_ok(limb_forward_dynamics_along(w, t->q, t->v, tau, &env, &along, got));
  limb_dual_destroy(w);
  along_oracle o = along_make(t, &env, 1);
  compare(&o, 1, tau, &along, along.dtau, got, t->solve);
  scalar_space_free(&o.s);
}

START_TEST(forward_dynamics_is_the_complex_step) { trial_over(_i, STATES, forward); }
END_TEST

// Inverse dynamics along what forward dynamics gives along (dq, dv, dtau) is dtau.
static void there_and_back(trial* t)
{
  if (trial_enough(t)) return;
  const size_t n = (size_t)t->nv, all = COUNT * n;
  const limb_environment env = along_surroundings(t);
  limb_directions along = directions(t, COUNT);
  const double* dtau = along_directions(t, COUNT);
  double *da = trial_doubles(t, all), *got = trial_doubles(t, all), *felt = trial_doubles(t, all);
  double *tau = trial_doubles(t, n), *a = trial_doubles(t, n);
  limb_dual* w = workspace(t);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &env, tau));
  assert_ok(limb_forward_dynamics(t->d, t->q, t->v, tau, &env, a));
  assert_ok(limb_inverse_dynamics_along(w, t->q, t->v, a, &env, &along, felt));
  along.dtau = dtau;
  assert_ok(limb_forward_dynamics_along(w, t->q, t->v, tau, &env, &along, da));
  along.dtau = NULL, along.da = da;
  assert_ok(limb_inverse_dynamics_along(w, t->q, t->v, a, &env, &along, got));
  limb_dual_destroy(w);
  assert_close_array(got, dtau, (int)all, 0, t->solve * (1 + largest(felt, all)));
}

START_TEST(inverse_dynamics_undoes_forward_dynamics) { trial_over(_i, STATES, there_and_back); }
END_TEST

// ---- rows that are not there, numbers of directions ------------------------------------------------

static void parts(trial* t)
{
  const int n = t->nv;
  const limb_directions all = {
    .count = 1, .dq = along_directions(t, 1), .dv = along_directions(t, 1), .da = along_directions(t, 1)};
  const limb_directions part[] = {
    {.count = 1, .dq = all.dq}, {.count = 1, .dv = all.dv}, {.count = 1, .da = all.da}, {.count = 1}};
  double *sum = trial_doubles(t, (size_t)n), *got = trial_doubles(t, (size_t)n);
  double* whole = trial_doubles(t, (size_t)n);
  limb_dual* w = workspace(t);
  assert_that(limb_dual_model(w) == t->m);
  assert_ok(limb_inverse_dynamics_along(w, t->q, t->v, t->a, NULL, &all, whole));
  for (int k = 0; k < 4; k++) {
    assert_ok(limb_inverse_dynamics_along(w, t->q, t->v, t->a, NULL, &part[k], got));
    for (int i = 0; i < n; i++) sum[i] += got[i];
  }
  assert_close_array(got, trial_doubles(t, (size_t)n), n, 0, 0); // no direction, no change
  assert_close_array(sum, whole, n, TOL_ALGEBRA, TOL_ALGEBRA * largest(sum, (size_t)n));
  const limb_directions none = {.count = 0};
  assert_ok(limb_inverse_dynamics_along(w, t->q, t->v, t->a, NULL, &none, got));
  limb_dual_destroy(w);
}

START_TEST(directions_add_up) { trial_over(_i, STATES, parts); }
END_TEST

// ---- bad input -------------------------------------------------------------------------------------

static void bad_calls(trial* t)
{
  double* out = trial_doubles(t, (size_t)t->nv);
  double* dx = along_directions(t, 1);
  limb_directions along = {.count = 1, .dq = along_directions(t, 1)};
  limb_dual* w = workspace(t);
#define INVERSE limb_inverse_dynamics_along
#define FORWARD limb_forward_dynamics_along
  assert_status(INVERSE(NULL, t->q, t->v, t->a, NULL, &along, out), LIMB_E_ARG);
  assert_status(INVERSE(w, NULL, t->v, t->a, NULL, &along, out), LIMB_E_ARG);
  assert_status(INVERSE(w, t->q, NULL, t->a, NULL, &along, out), LIMB_E_ARG);
  assert_status(INVERSE(w, t->q, t->v, NULL, NULL, &along, out), LIMB_E_ARG);
  assert_status(INVERSE(w, t->q, t->v, t->a, NULL, NULL, out), LIMB_E_ARG);
  assert_status(INVERSE(w, t->q, t->v, t->a, NULL, &along, NULL), LIMB_E_ARG);
  assert_status(FORWARD(NULL, t->q, t->v, t->a, NULL, &along, out), LIMB_E_ARG);
  assert_status(FORWARD(w, NULL, t->v, t->a, NULL, &along, out), LIMB_E_ARG);
  assert_status(FORWARD(w, t->q, NULL, t->a, NULL, &along, out), LIMB_E_ARG);
  assert_status(FORWARD(w, t->q, t->v, NULL, NULL, &along, out), LIMB_E_ARG);
  assert_status(FORWARD(w, t->q, t->v, t->a, NULL, NULL, out), LIMB_E_ARG);
  assert_status(FORWARD(w, t->q, t->v, t->a, NULL, &along, NULL), LIMB_E_ARG);
  along.dtau = dx; // not of this function
  assert_status(INVERSE(w, t->q, t->v, t->a, NULL, &along, out), LIMB_E_ARG);
  along.dtau = NULL, along.da = dx;
  assert_status(FORWARD(w, t->q, t->v, t->a, NULL, &along, out), LIMB_E_ARG);
  dx[0] = nan("");
  assert_status(INVERSE(w, t->q, t->v, t->a, NULL, &along, out), LIMB_E_NONFINITE);
  dx[0] = HUGE_VAL;
  assert_status(INVERSE(w, t->q, t->v, t->a, NULL, &along, out), LIMB_E_NONFINITE);
  along.da = NULL, along.count = -1;
  assert_status(INVERSE(w, t->q, t->v, t->a, NULL, &along, out), LIMB_E_ARG);
  along.count = 1;
  limb_environment env = limb_default_environment(t->m);
  env.gravity.x = nan("");
  assert_status(FORWARD(w, t->q, t->v, t->a, &env, &along, out), LIMB_E_NONFINITE);
  t->v[0] = nan("");
  assert_status(INVERSE(w, t->q, t->v, t->a, NULL, &along, out), LIMB_E_NONFINITE);
  limb_dual_destroy(w);
}

START_TEST(what_cannot_be_computed_is_refused) { trial_over(_i, 1, bad_calls); }
END_TEST

// ---- workspaces ------------------------------------------------------------------------------------

static void* no_memory(void* context, size_t size, size_t align)
{
  (void)context, (void)size, (void)align;
  return NULL;
}

static void nothing_to_free(void* context, void* memory, size_t size) { (void)context, (void)memory, (void)size; }

static void workspaces(trial* t)
{
  const limb_dual_use unknown = (limb_dual_use)7, use = LIMB_DUAL_VECTORS;
  const size_t size = limb_dual_size(t->m, use);
  char* memory = aligned_alloc(LIMB_DATA_ALIGN, (size + 127) / 64 * 64);
  limb_dual* w;
  assert_that(memory && size > 0 && limb_dual_size(t->m, LIMB_DUAL_MATRICES) > size);
  assert_that(limb_dual_size(NULL, use) == 0 && limb_dual_size(t->m, unknown) == 0);
  assert_status(limb_dual_init(t->m, use, memory, size - 1, &w), LIMB_E_NOMEM);
  assert_status(limb_dual_init(t->m, use, memory + 8, size, &w), LIMB_E_ARG);
  assert_status(limb_dual_init(t->m, use, NULL, size, &w), LIMB_E_ARG);
  assert_status(limb_dual_init(t->m, unknown, memory, size, &w), LIMB_E_ARG);
  assert_status(limb_dual_init(NULL, use, memory, size, &w), LIMB_E_ARG);
  assert_status(limb_dual_init(t->m, use, memory, size, NULL), LIMB_E_ARG);
  const limb_allocator poor = {no_memory, nothing_to_free, NULL}, half = {no_memory, NULL, NULL};
  assert_status(limb_dual_create(t->m, use, &poor, &w), LIMB_E_NOMEM);
  assert_status(limb_dual_create(t->m, use, &half, &w), LIMB_E_ARG);
  assert_status(limb_dual_create(t->m, unknown, NULL, &w), LIMB_E_ARG);
  assert_status(limb_dual_create(NULL, use, NULL, &w), LIMB_E_ARG);
  assert_status(limb_dual_create(t->m, use, NULL, NULL), LIMB_E_ARG);
  assert_that(!w && !limb_dual_model(NULL));
  limb_dual_destroy(NULL);

  const limb_directions along = {.count = 1, .dq = along_directions(t, 1)};
  double *here = trial_doubles(t, (size_t)t->nv), *there = trial_doubles(t, (size_t)t->nv);
  assert_ok(limb_dual_init(t->m, use, memory, size, &w));
  assert_ok(limb_inverse_dynamics_along(w, t->q, t->v, t->a, &t->env, &along, here));
  limb_dual_destroy(w);
  free(memory);
  w = workspace(t);
  assert_ok(limb_inverse_dynamics_along(w, t->q, t->v, t->a, &t->env, &along, there));
  limb_dual_destroy(w);
  assert_close_array(here, there, t->nv, 0, 0);
}

START_TEST(workspaces_live_anywhere) { trial_over(_i, 1, workspaces); }
END_TEST

CHECK_MAIN("dynamics/directional", trial_robots(), inverse_dynamics_is_the_complex_step,
           forward_dynamics_is_the_complex_step, inverse_dynamics_undoes_forward_dynamics, directions_add_up,
           what_cannot_be_computed_is_refused, workspaces_live_anywhere)
