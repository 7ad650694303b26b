// First derivatives of real robots against an independent library's:
// $LIMB_SHARED/robots/<robot>/vectors.json. Skipped, with a message, when there are no such files.
#include "numbers/shared_bench.h"

#define TOL_DERIVATIVES 1e-9

// Matrices of ours, and room for one of the file.
typedef struct sheet {
  double a[MAX_NV * MAX_NV], b[MAX_NV * MAX_NV], c[MAX_NV * MAX_NV], want[MAX_NV * MAX_NV];
} sheet;

static void compare(const bench* b, const state* x, const char* key, const double* got, sheet* s)
{
  check_at("%s of robot %s", key, limb_model_name(b->m));
  matrix(b, x->s, key, s->want);
  assert_close_matrix(got, s->want, b->nv, b->nv, TOL_DERIVATIVES, 0);
}

static void compare_inverse(const bench* b, const state* x, sheet* s)
{
  double tau[MAX_NV], want[MAX_NV];
  const limb_id_derivatives out = {.tau = tau, .dtau_dq = s->a, .dtau_dv = s->b, .M = s->c};
  assert_ok(limb_inverse_dynamics_derivatives(b->d, x->q, x->v, x->a, NULL, &out));
  compare(b, x, "dtau_dq", s->a, s);
  compare(b, x, "dtau_dv", s->b, s);
  compare(b, x, "M", s->c, s);
  velocities(b, x->s, "tau_rnea", want);
  assert_close_array(tau, want, b->nv, TOL_DERIVATIVES, 0);
}

static void compare_forward(const bench* b, const state* x, sheet* s)
{
  double acc[MAX_NV], want[MAX_NV];
  const limb_fd_derivatives out = {.acc = acc, .dacc_dq = s->a, .dacc_dv = s->b, .dacc_dtau = s->c};
  assert_ok(limb_forward_dynamics_derivatives(b->d, x->q, x->v, x->tau, NULL, &out));
  compare(b, x, "ddq_dq", s->a, s);
  compare(b, x, "ddq_dv", s->b, s);
  compare(b, x, "Minv", s->c, s);
  velocities(b, x->s, "ddq_aba", want);
  assert_close_array(acc, want, b->nv, TOL_DERIVATIVES, 0);
}

// Column k of a derivative is one along a direction, by dual numbers.
static void compare_along(const bench* b, const state* x, sheet* s)
{
  limb_dual* w = NULL;
  double* unit = s->c;
  const limb_directions along[2] = {{.count = b->nv, .dq = unit}, {.count = b->nv, .dv = unit}};
  static const char* const inverse[] = {"dtau_dq", "dtau_dv"};
  static const char* const forward[] = {"ddq_dq", "ddq_dv"};
  memset(unit, 0, sizeof s->c);
  for (int k = 0; k < b->nv; k++) unit[k * b->nv + k] = 1;
  assert_ok(limb_dual_create(b->m, LIMB_DUAL_VECTORS, NULL, &w));
  for (int k = 0; k < 2; k++) {
    for (int by_tau = 0; by_tau < 2; by_tau++) {
      if (by_tau) {
        assert_ok(limb_forward_dynamics_along(w, x->q, x->v, x->tau, NULL, &along[k], s->a));
      } else {
        assert_ok(limb_inverse_dynamics_along(w, x->q, x->v, x->a, NULL, &along[k], s->a));
      }
      for (int i = 0; i < b->nv; i++)
        for (int j = 0; j < b->nv; j++) s->b[i * b->nv + j] = s->a[j * b->nv + i];
      compare(b, x, by_tau ? forward[k] : inverse[k], s->b, s);
    }
  }
  limb_dual_destroy(w);
}

START_TEST(agrees_with_another_library)
{
  json_t* file = shared_vectors(shared_robots[_i]);
  if (!file) return;
  bench b = bench_of(file);
  const json_t* states = json_object_get(file, "states");
  sheet* s = malloc(sizeof *s);
  assert_that(s != NULL);
  for (size_t i = 0; i < json_array_size(states); i++) {
    state x = {0};
    read_state(&b, json_array_get(states, i), &x);
    compare_inverse(&b, &x, s);
    compare_forward(&b, &x, s);
    compare_along(&b, &x, s);
  }
  free(s);
  bench_end(&b);
}
END_TEST

CHECK_MAIN("numbers/robots_derivatives", SHARED_ROBOTS, agrees_with_another_library)
