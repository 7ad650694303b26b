// Regressors of real robots against an independent library's: $LIMB_SHARED/robots/<robot>/vectors.json.
// Skipped, with a message, when there are no such files.
#include "numbers/shared_bench.h"

#define TOL_REGRESSOR 1e-9

enum { TEN = LIMB_BODY_PARAMETERS };

// Where the file has each of our ten parameters: m mx my mz Ixx Ixy Iyy Ixz Iyz Izz.
static const int theirs[TEN] = {0, 1, 2, 3, 4, 5, 7, 6, 8, 9};

static void compare_parameters(const bench* b, int np)
{
  const int columns = TEN * (int)json_array_size(b->joints);
  double *theta = calloc((size_t)np, sizeof *theta), *want = calloc((size_t)np, sizeof *want);
  double* list = calloc((size_t)columns, sizeof *list);
  assert_that(theta && want && list);
  numbers(b->file, "dynamic_parameters", columns, list);
  for (int c = 0; c < columns; c++) want[c] = list[c / TEN * TEN + theirs[c % TEN]];
  assert_ok(limb_parameters(b->m, theta));
  assert_close_array(theta, want, columns, TOL_REGRESSOR, 0);
  free(theta);
  free(want);
  free(list);
}

static void compare_regressor(const bench* b, const state* x, int np)
{
  const int columns = TEN * (int)json_array_size(b->joints), nv = b->nv;
  const size_t size = (size_t)nv * (size_t)np;
  double *Y = calloc(size, sizeof *Y), *want = calloc(size, sizeof *want);
  double* list = calloc((size_t)nv * (size_t)columns, sizeof *list);
  assert_that(Y && want && list && np >= columns);
  numbers(x->s, "regressor", nv * columns, list);
  assert_ok(limb_regressor(b->d, x->q, x->v, x->a, NULL, Y));
  for (int i = 0; i < nv; i++) {
    for (int c = 0; c < columns; c++) want[i * np + c] = list[b->theirs[i] * columns + c / TEN * TEN + theirs[c % TEN]];
    for (int c = columns; c < np; c++) want[i * np + c] = Y[i * np + c]; // theirs has no actuators
  }
  assert_close_matrix(Y, want, nv, np, TOL_REGRESSOR, 0);
  free(Y);
  free(want);
  free(list);
}

START_TEST(agrees_with_another_library)
{
  json_t* file = shared_vectors(shared_robots[_i]);
  if (!file) return;
  bench b = bench_of(file);
  const json_t* states = json_object_get(file, "states");
  const int np = limb_parameter_count(b.m);
  compare_parameters(&b, np);
  int compared = 0;
  for (size_t i = 0; i < json_array_size(states); i++) {
    check_at("robot %s, state %d of the file", shared_robots[_i], (int)i);
    json_t* s = json_array_get(states, i);
    if (!json_object_get(s, "regressor")) continue; // of large robots in some states only
    state x = {0};
    read_state(&b, s, &x);
    compare_regressor(&b, &x, np);
    compared++;
  }
  assert_that(compared > 0);
  bench_end(&b);
}
END_TEST

CHECK_MAIN("numbers/robots_regressor", SHARED_ROBOTS, agrees_with_another_library)
