// Joints in another order than along the arm: rows and columns of all matrices follow.
#include "limb/derivatives.h"

#include "support/check.h"
#include "support/rng.h"
#include "support/robots.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_NV = 30 };

// The same robot with its joints added in another order; order[i]: of the i-th new joint.
static limb_model* shuffled(const limb_model* m, rng* r, int* order)
{
  limb_builder *b = NULL, *to = NULL;
  limb_model* out = NULL;
  assert_ok(limb_builder_from_model(m, NULL, &b));
  assert_ok(limb_builder_create(NULL, &to));
  assert_ok(limb_builder_set_gravity(to, limb_builder_gravity(b)));
  const int n = limb_builder_joint_count(b);
  for (int i = 1; i < limb_builder_body_count(b); i++) {
    limb_body_def body;
    assert_ok(limb_builder_get_body(b, i, &body));
    assert_ok(limb_builder_add_body(to, &body, NULL, NULL));
  }
  for (int i = 0; i < n; i++) order[i] = i;
  for (int i = n - 1; i > 0; i--) {
    const int k = rng_below(r, i + 1), x = order[i];
    order[i] = order[k], order[k] = x;
  }
  for (int i = 0; i < n; i++) {
    limb_joint_def joint;
    assert_ok(limb_builder_get_joint(b, order[i], &joint));
    assert_ok(limb_builder_add_joint(to, &joint, NULL, NULL));
  }
  assert_ok(limb_builder_build(to, &out, NULL));
  limb_builder_destroy(b), limb_builder_destroy(to);
  return out;
}

// A matrix of the robot as it was, in the new order.
static void reorder(const double* A, const int* order, int n, double* out)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) out[i * n + j] = A[order[i] * n + order[j]];
}

typedef struct matrices {
  double M[MAX_NV * MAX_NV], C[MAX_NV * MAX_NV], inverse[MAX_NV * MAX_NV];
  double dq[MAX_NV * MAX_NV], dv[MAX_NV * MAX_NV], tau[MAX_NV * MAX_NV];
  double aq[MAX_NV * MAX_NV], av[MAX_NV * MAX_NV], acc[MAX_NV * MAX_NV];
} matrices;

static void compute(const limb_model* m, const double* q, const double* v, const double* a, matrices* out)
{
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_mass_matrix(d, q, out->M));
  assert_ok(limb_coriolis_matrix(d, q, v, out->C));
  assert_ok(limb_mass_matrix_inverse(d, q, out->inverse));
  const limb_id_derivatives inverse = {.dtau_dq = out->dq, .dtau_dv = out->dv, .M = out->tau};
  const limb_fd_derivatives forward = {.dacc_dq = out->aq, .dacc_dv = out->av, .dacc_dtau = out->acc};
  assert_ok(limb_inverse_dynamics_derivatives(d, q, v, a, NULL, &inverse));
  assert_ok(limb_forward_dynamics_derivatives(d, q, v, a, NULL, &forward));
  limb_data_destroy(d);
}

static void another_order(limb_model* m, uint64_t seed)
{
  rng r = {seed};
  int order[MAX_NV];
  double q[MAX_NV], v[MAX_NV], a[MAX_NV], Q[MAX_NV], V[MAX_NV], A[MAX_NV], want[MAX_NV * MAX_NV];
  matrices* x = calloc(2, sizeof *x);
  if (!x) abort();
  const int n = limb_nv(m);
  limb_model* other = shuffled(m, &r, order);
  for (int i = 0; i < n; i++)
    q[i] = rng_uniform(&r, -3, 3), v[i] = rng_uniform(&r, -2, 2), a[i] = rng_uniform(&r, -5, 5);
  for (int i = 0; i < n; i++) Q[i] = q[order[i]], V[i] = v[order[i]], A[i] = a[order[i]];
  compute(m, q, v, a, &x[0]);
  compute(other, Q, V, A, &x[1]);
  const double *was = x[0].M, *is = x[1].M;
  for (size_t k = 0; k < sizeof *x / sizeof x->M; k++) {
    reorder(was + k * MAX_NV * MAX_NV, order, n, want);
    double size = 1;
    for (int i = 0; i < n * n; i++) size = fmax(size, fabs(want[i]));
    assert_close_matrix(is + k * MAX_NV * MAX_NV, want, n, n, 1e-9, 1e-9 * size);
  }
  limb_model_destroy(m), limb_model_destroy(other);
  free(x);
}

START_TEST(arms)
{
  for (uint64_t seed = 1; seed <= 5; seed++) {
    another_order(robot_planar_2r(), seed);
    another_order(robot_ur5(), seed);
    another_order(robot_panda(), seed);
    another_order(robot_chain(9), seed);
    another_order(robot_chain(17), seed);
  }
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const all[] = {arms, NULL};
  return check_run("joint_order", 1, all);
}
