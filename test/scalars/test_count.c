// Operation counts of the kernels, exactly.
//
// They pin what the classes of links and the regrouped parameters save: when a formula changes, so do
// the numbers below, and the change should be wanted. The published count of the recursive
// Newton-Euler algorithm without either is 130 n - 68 multiplications and 101 n - 56 additions
// (Park, Bobrow, Ploen 1995); code generated for one robot alone, its base at rest, takes 309 and 289 for the Panda,
// 181 and 153 for the UR5. The Coriolis matrix and the derivatives work on rows over all links, which
// machines compute several numbers at a time: they count more operations, and take less time.
#include "limb/dynamics.h"

#include "model/model_impl.h"
#include "support/count.h"
#include "support/robots_impl.h"
#include "support/trial.h"

#include <string.h>

typedef struct pinned {
  limb_model* (*make)(void);
  // mul, add, div, sqrt, sincos; id and fd: derivatives; hybrid: two forces given, the first ones
  limb_count rnea, crba, coriolis, aba, hybrid, id, fd;
} pinned;

static void check_count(limb_count got, limb_count want, const char* name)
{
  check_at("%s: %ld mul, %ld add, %ld div, %ld sqrt, %ld sincos", name, got.mul, got.add, got.div, got.sqrt,
           got.sincos);
  assert_that(got.mul == want.mul && got.add == want.add);
  assert_that(got.div == want.div && got.sqrt == want.sqrt && got.sincos == want.sincos);
}

START_TEST(counts_are_known)
{
  static const pinned table[] = {{.make = robot_planar_2r,
                                  .rnea = {72, 62, 0, 0, 2},
                                  .crba = {18, 26, 0, 0, 2},
                                  .coriolis = {559, 474, 0, 0, 1},
                                  .aba = {128, 112, 2, 0, 2},
                                  .hybrid = {128, 112, 2, 0, 2},
                                  .id = {950, 834, 0, 0, 2},
                                  .fd = {1020, 934, 2, 0, 2}},
                                 {.make = robot_ur5,
                                  .rnea = {301, 282, 0, 0, 6},
                                  .crba = {220, 195, 0, 0, 6},
                                  .coriolis = {1895, 1592, 0, 0, 5},
                                  .aba = {718, 696, 6, 0, 6},
                                  .hybrid = {702, 688, 2, 0, 6},
                                  .id = {3348, 2922, 0, 0, 6},
                                  .fd = {4002, 3666, 6, 0, 6}},
                                 {.make = robot_panda,
                                  .rnea = {362, 340, 0, 0, 7},
                                  .crba = {293, 250, 0, 0, 7},
                                  .coriolis = {2269, 1904, 0, 0, 6},
                                  .aba = {867, 834, 7, 0, 7},
                                  .hybrid = {849, 829, 2, 0, 7},
                                  .id = {4055, 3534, 0, 0, 7},
                                  .fd = {5035, 4619, 7, 0, 7}}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    limb_model* m = table[i].make();
    check_count(limb_count_rnea(m), table[i].rnea, limb_model_name(m));
    check_count(limb_count_crba(m), table[i].crba, limb_model_name(m));
    check_count(limb_count_coriolis(m), table[i].coriolis, limb_model_name(m));
    check_count(limb_count_aba(m), table[i].aba, limb_model_name(m));
    check_count(limb_count_hybrid(m, 2), table[i].hybrid, limb_model_name(m));
    check_count(limb_count_id_derivatives(m), table[i].id, limb_model_name(m));
    check_count(limb_count_fd_derivatives(m), table[i].fd, limb_model_name(m));
    limb_model_destroy(m);
  }
}
END_TEST

// ---- growth ---------------------------------------------------------------------------------------

// Chain of n equal links at no right angle.
static limb_model* equal_chain(int n)
{
  const double I[6] = {0.01, 0.001, 0.002, 0.02, 0.003, 0.03};
  const sp_inertia inertia = fixture_inertia(1.5, sp_v3(0.1, 0.02, 0.03), I);
  const sp_pose placement = fixture_mdh(0, 0, 0.7, 0.3, 0, 0.2);
  limb_builder* b = fixture_begin("equal chain");
  int parent = LIMB_WORLD_BODY;
  for (int i = 0; i < n; i++) {
    const char name[2] = {(char)('a' + i), 0};
    parent = fixture_link(b, name, LIMB_REVOLUTE, parent, placement, sp_v3(0, 0, 1), inertia);
  }
  return fixture_end(b);
}

enum { LONGEST = 12 };

typedef limb_count count_fn(const limb_model* m);

// Operations for 1 ... LONGEST links, and all differences of the given order: they must vanish from a
// few links on.
static void check_degree(count_fn* count, int degree)
{
  long x[LONGEST];
  for (int n = 1; n <= LONGEST; n++) {
    limb_model* m = equal_chain(n);
    const limb_count c = count(m);
    x[n - 1] = c.mul + c.add + c.div;
    const int turned = count == limb_count_coriolis ? n - 1 : n; // it is the same wherever the root turns
    assert_that(c.sincos == turned);
    limb_model_destroy(m);
  }
  for (int order = 0; order <= degree; order++) {
    for (int i = 0; i + 1 + order < LONGEST; i++) x[i] = x[i + 1] - x[i];
  }
  for (int i = 2; i + 1 + degree < LONGEST; i++) {
    check_at("degree %d, from %d links", degree, i + 1);
    assert_that(x[i] == 0);
  }
}

static limb_count all_forces(const limb_model* m) { return limb_count_hybrid(m, limb_nv(m)); }

static limb_count no_forces(const limb_model* m) { return limb_count_hybrid(m, 0); }

START_TEST(recursions_are_linear_and_matrices_quadratic)
{
  check_degree(limb_count_rnea, 1);
  check_degree(limb_count_aba, 1);
  check_degree(all_forces, 1);
  check_degree(no_forces, 1);
  check_degree(limb_count_crba, 2);
  check_degree(limb_count_coriolis, 2);
  check_degree(limb_count_id_derivatives, 2);
  check_degree(limb_count_fd_derivatives, 3);
}
END_TEST

START_TEST(far_below_the_published_count)
{
  static const char* const arms[] = {"ur5", "panda", "chain30", "chain1000"};
  for (size_t i = 0; i < sizeof arms / sizeof arms[0]; i++) {
    const robot* r = robot_find(arms[i]);
    limb_model* m = r->make();
    const limb_count c = limb_count_rnea(m);
    check_at("%s: %ld mul, %ld add", r->name, c.mul, c.add);
    const double share = i < 2 ? 0.6 : 0.85; // right angles, any angles
    assert_that((double)c.mul < share * (130 * r->nv - 68));
    assert_that((double)c.add < share * (101 * r->nv - 56));
    limb_model_destroy(m);
  }
}
END_TEST

// ---- what is counted is the algorithm -------------------------------------------------------------

// Derivatives of inverse dynamics at a, of forward dynamics under the forces of it.
static void same_derivatives(trial* t)
{
  const size_t n = (size_t)t->nv, size = n + 3 * n * n;
  double *got = trial_doubles(t, size), *want = trial_doubles(t, size), *tau = trial_doubles(t, n);
  double *dq = want + n, *dv = dq + n * n, *dx = dv + n * n;
  const limb_id_derivatives id = {want, dq, dv, dx};
  assert_ok(limb_inverse_dynamics_derivatives(t->d, t->q, t->v, t->a, NULL, &id));
  memcpy(tau, want, n * sizeof *tau);
  (void)limb_counted_id_derivatives(t->m, t->q, t->v, t->a, got);
  for (size_t k = 0; k < 3; k++) assert_close_matrix(got + n + k * n * n, dq + k * n * n, t->nv, t->nv, TOL_ALGEBRA, 0);
  const limb_fd_derivatives fd = {want, dq, dv, dx};
  assert_ok(limb_forward_dynamics_derivatives(t->d, t->q, t->v, tau, NULL, &fd));
  (void)limb_counted_fd_derivatives(t->m, t->q, t->v, tau, got);
  assert_close_array(got, want, t->nv, t->solve, 0);
  for (size_t k = 0; k < 3; k++) assert_close_matrix(got + n + k * n * n, dq + k * n * n, t->nv, t->nv, t->solve, 0);
}

// Hybrid dynamics by articulated bodies, marks at random.
static void same_hybrid(trial* t)
{
  const size_t n = (size_t)t->nv;
  double *got = trial_doubles(t, 2 * n), *want = trial_doubles(t, 2 * n), *x = trial_doubles(t, n);
  unsigned char* given = (unsigned char*)trial_doubles(t, n);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, NULL, x));
  for (int k = 0; k < t->nv; k++) {
    given[k] = t->m->has_mimic || rng_chance(&t->r, 0.5);
    if (given[k]) x[k] = t->a[k];
  }
  assert_ok(limb_hybrid_dynamics(t->d, t->q, t->v, given, x, NULL, want, want + n));
  (void)limb_counted_hybrid(t->m, t->q, t->v, given, x, got);
  assert_close_array(got, want, t->nv, t->solve, 0);
  assert_close_array(got + n, want + n, t->nv, t->solve, 0);
}

static void same_answers(trial* t)
{
  const size_t n = (size_t)t->nv;
  double *tau = trial_doubles(t, n), *want = trial_doubles(t, n), *M = trial_doubles(t, n * n);
  double *want_M = trial_doubles(t, n * n), *a = trial_doubles(t, n);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, NULL, want));
  (void)limb_counted_rnea(t->m, t->q, t->v, t->a, tau);
  assert_close_array(tau, want, t->nv, TOL_ALGEBRA, 0);
  if (!(t->robot->flags & ROBOT_MIMIC)) {
    (void)limb_counted_aba(t->m, t->q, t->v, tau, a);
    assert_close_array(a, t->a, t->nv, t->solve, 0);
  }
  same_hybrid(t);
  if (!trial_small(t)) return;
  assert_ok(limb_mass_matrix(t->d, t->q, want_M));
  (void)limb_counted_crba(t->m, t->q, M);
  assert_close_matrix(M, want_M, t->nv, t->nv, TOL_ALGEBRA, 0);
  assert_ok(limb_coriolis_matrix(t->d, t->q, t->v, want_M));
  (void)limb_counted_coriolis(t->m, t->q, t->v, M);
  assert_close_matrix(M, want_M, t->nv, t->nv, TOL_ALGEBRA, 0);
  same_derivatives(t);
}

// A constant that was folded wrongly would change the answer.
START_TEST(counting_kernels_give_the_answers)
{
  for (int i = 0; i < trial_robots(); i++) trial_over(i, 2, same_answers);
}
END_TEST

CHECK_MAIN("scalars/count", 1, counts_are_known, recursions_are_linear_and_matrices_quadratic,
           far_below_the_published_count, counting_kernels_give_the_answers)
