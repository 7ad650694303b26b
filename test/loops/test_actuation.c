// More motors than motions: torques of least norm, weighted, pulled towards preferred ones, between bounds.
#include "loops/closed_bench.h"

#include "linalg/dense.h"
#include "loops/closed.h"

// ---- by themselves: limb_balance_solve ------------------------------------------------------------------

enum { MOST = 4, TRIES = CHECK_SANITIZED ? 200 : 2000 };

typedef struct puzzle {
  int m, n;
  double E[MOST * MOST], b[MOST];
  double weight[MOST], preferred[MOST], lower[MOST], upper[MOST];
  double x[MOST];
  limb_balance p;
} puzzle;

static bool solve(puzzle* z)
{
  double work[256];
  int index[3 * MOST];
  unsigned char marks[2 * MOST];
  assert_that(limb_balance_work(z->m, z->n) <= sizeof work / sizeof work[0]);
  z->p = (limb_balance){.rows = z->m,
                        .columns = z->n,
                        .E = z->E,
                        .b = z->b,
                        .weight = z->weight,
                        .preferred = z->preferred,
                        .lower = z->lower,
                        .upper = z->upper,
                        .tolerance = 1e-9,
                        .x = z->x};
  return limb_balance_solve(&z->p, &(limb_balance_scratch){work, index, marks});
}

// A x = b, n x n, by elimination with row pivoting; both are destroyed.
static void eliminate(int n, double* A, double* b)
{
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    }
    for (int j = 0; j < n; j++) {
      const double x = A[k * n + j];
      A[k * n + j] = A[best * n + j], A[best * n + j] = x;
    }
    const double x = b[k];
    b[k] = b[best], b[best] = x;
    for (int i = k + 1; i < n; i++) {
      const double factor = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= A[i * n + j] * b[j];
    b[i] /= A[i * n + i];
  }
}

static double size_of_rest(const puzzle* z, const double* x)
{
  double sum = 0;
  for (int i = 0; i < z->m; i++) {
    double d = z->b[i];
    for (int j = 0; j < z->n; j++) d -= z->E[i * z->n + j] * x[j];
    sum += d * d;
  }
  return sum;
}

static double weighted_sum(const puzzle* z, const double* x)
{
  double sum = 0;
  for (int j = 0; j < z->n; j++) sum += z->weight[j] * (x[j] - z->preferred[j]) * (x[j] - z->preferred[j]);
  return sum;
}

// Both stages as one: the first with a large factor.
#define FACTOR 1e7

static double penalty(const puzzle* z, const double* x) { return FACTOR * size_of_rest(z, x) + weighted_sum(z, x); }

// The least penalty with every unknown free, at its lower or at its upper bound: state has two bits of each.
static bool try_state(const puzzle* z, int state, double* x)
{
  int list[MOST], n = 0;
  double A[MOST * MOST], rhs[MOST];
  for (int j = 0; j < z->n; j++) {
    const int of = state >> 2 * j & 3;
    if (of == 3 || (of == 1 && isinf(z->lower[j])) || (of == 2 && isinf(z->upper[j]))) return false;
    x[j] = of == 1 ? z->lower[j] : of == 2 ? z->upper[j] : 0;
    if (of == 0) list[n++] = j;
  }
  for (int r = 0; r < n; r++) {
    const int j = list[r];
    rhs[r] = z->weight[j] * z->preferred[j];
    for (int c = 0; c < n; c++) A[r * n + c] = r == c ? z->weight[j] : 0;
    for (int i = 0; i < z->m; i++) {
      double d = z->b[i];
      for (int k = 0; k < z->n; k++) d -= z->E[i * z->n + k] * x[k];
      rhs[r] += FACTOR * z->E[i * z->n + j] * d;
      for (int c = 0; c < n; c++) A[r * n + c] += FACTOR * z->E[i * z->n + j] * z->E[i * z->n + list[c]];
    }
  }
  eliminate(n, A, rhs);
  for (int r = 0; r < n; r++) {
    const int j = list[r];
    x[j] = rhs[r];
    if (x[j] < z->lower[j] || x[j] > z->upper[j]) return false;
  }
  return true;
}

static void brute_force(const puzzle* z, double* best)
{
  double least = HUGE_VAL, x[MOST];
  for (int state = 0; state < 1 << 2 * z->n; state++) {
    if (!try_state(z, state, x) || penalty(z, x) >= least) continue;
    least = penalty(z, x);
    memcpy(best, x, sizeof x);
  }
  assert_that(least < HUGE_VAL);
}

// Small whole numbers: several bounds are met at once, and columns depend on each other.
static puzzle whole_puzzle(rng* r)
{
  puzzle z = {.n = 1 + rng_below(r, MOST)};
  z.m = 1 + rng_below(r, MOST);
  for (int i = 0; i < MOST * MOST; i++) z.E[i] = rng_below(r, 3) - 1;
  for (int j = 0; j < MOST; j++) {
    z.b[j] = rng_below(r, 9) - 4;
    z.weight[j] = 1 + rng_below(r, 3);
    z.preferred[j] = rng_below(r, 3) - 1;
    z.lower[j] = rng_below(r, 4) - 3;
    z.upper[j] = z.lower[j] + rng_below(r, 4);
  }
  return z;
}

static puzzle random_puzzle(rng* r)
{
  puzzle z = {.n = 1 + rng_below(r, MOST)};
  z.m = 1 + rng_below(r, MOST);
  rng_fill(r, 1, MOST * MOST, z.E);
  rng_fill(r, 2, MOST, z.b);
  if (z.m > 1 && rng_chance(r, 0.2)) { // a row that depends on another
    for (int j = 0; j < z.n; j++) z.E[j] = -2 * z.E[z.n + j];
  }
  for (int j = 0; j < z.n; j++) {
    z.weight[j] = rng_uniform(r, 0.5, 2);
    z.preferred[j] = rng_chance(r, 0.5) ? 0 : rng_uniform(r, -2, 2);
    z.lower[j] = rng_chance(r, 0.3) ? -HUGE_VAL : rng_uniform(r, -2, 0.5);
    z.upper[j] = rng_chance(r, 0.3) ? HUGE_VAL : fmax(z.lower[j], -2) + rng_uniform(r, 0, 2);
    if (rng_chance(r, 0.05) && isfinite(z.lower[j])) z.upper[j] = z.lower[j];
  }
  return z;
}

START_TEST(against_all_active_sets)
{
  rng r = {11};
  int held = 0, impossible = 0;
  for (int k = 0; k < TRIES; k++) {
    check_at("try %d", k);
    puzzle z = k % 2 ? whole_puzzle(&r) : random_puzzle(&r);
    double want[MOST];
    assert_that(solve(&z));
    brute_force(&z, want);
    for (int j = 0; j < z.n; j++) {
      assert_that(z.lower[j] <= z.x[j] && z.x[j] <= z.upper[j]);
      held += z.x[j] == z.lower[j] || z.x[j] == z.upper[j];
    }
    // as near, and then as cheap, as any, but for what brute force gains by not being quite as near
    const double rest = size_of_rest(&z, z.x), best = size_of_rest(&z, want);
    assert_that(sqrt(rest) <= sqrt(best) + 1e-12);
    const double sum = weighted_sum(&z, z.x), other = weighted_sum(&z, want);
    assert_that(sum <= other + 4 * FACTOR * (best - rest) + 1e-6 * (1 + other));
    assert_that((z.p.left == 0) == (rest < 1e-22));
    impossible += rest > 1e-6;
  }
  assert_that(held > TRIES / 2 && impossible > TRIES / 10);
}
END_TEST

// Without bounds the answer has a form: x = p + W^-1 E' (E W^-1 E')^-1 (b - E p).
START_TEST(without_bounds)
{
  rng r = {5};
  for (int k = 0; k < TRIES; k++) {
    check_at("try %d", k);
    puzzle z = random_puzzle(&r);
    z.n = MOST, z.m = 1 + rng_below(&r, MOST);
    rng_fill(&r, 1, MOST * MOST, z.E);
    for (int j = 0; j < z.n; j++) {
      z.lower[j] = -HUGE_VAL, z.upper[j] = HUGE_VAL;
      z.weight[j] = rng_uniform(&r, 0.01, 10);
    }
    assert_that(solve(&z));
    assert_that(z.p.rank == z.m && z.p.left == 0);
    assert_close(sqrt(size_of_rest(&z, z.x)), 0, 0, 1e-12 * (2 + bench_largest(z.n, z.x)));
    double S[MOST * MOST], mu[MOST], want[MOST];
    for (int i = 0; i < z.m; i++) {
      mu[i] = z.b[i];
      for (int j = 0; j < z.n; j++) mu[i] -= z.E[i * z.n + j] * z.preferred[j];
      for (int c = 0; c < z.m; c++) {
        S[i * z.m + c] = 0;
        for (int j = 0; j < z.n; j++) S[i * z.m + c] += z.E[i * z.n + j] * z.E[c * z.n + j] / z.weight[j];
      }
    }
    eliminate(z.m, S, mu);
    for (int j = 0; j < z.n; j++) {
      want[j] = z.preferred[j];
      for (int i = 0; i < z.m; i++) want[j] += z.E[i * z.n + j] * mu[i] / z.weight[j];
    }
    assert_close_array(z.x, want, z.n, 1e-6, 1e-9);
  }
}
END_TEST

// Bounds that leave one point, none, or only what is needed.
START_TEST(tight_bounds)
{
  puzzle z = {.m = 1, .n = 2, .E = {1, 1}, .b = {10}, .weight = {1, 1}};
  z.upper[0] = z.upper[1] = 5;
  assert_that(solve(&z));
  assert_that(z.p.left == 0 && z.p.rank == 1);
  assert_close_array(z.x, z.upper, 2, 1e-15, 0);
  z.upper[0] = 4;
  assert_that(solve(&z));
  assert_close(z.p.left, 1, 1e-15, 0);
  assert_that(z.x[0] == 4 && z.x[1] == 5);
  z.upper[0] = 20, z.upper[1] = 3;
  assert_that(solve(&z));
  assert_that(z.p.left == 0 && z.x[1] == 3);
  assert_close(z.x[0], 7, 1e-15, 0);
  // nothing drives this row
  z = (puzzle){.m = 1, .n = 1, .b = {3}, .weight = {1}, .preferred = {2}, .lower = {-9}, .upper = {9}};
  assert_that(solve(&z));
  assert_that(z.p.rank == 0 && z.p.left == 3 && z.x[0] == 2);
  z.n = 0;
  assert_that(solve(&z));
  assert_that(z.p.rank == 0 && z.p.left == 3);
}
END_TEST

// ---- in a robot -----------------------------------------------------------------------------------------

static const double q[3] = {0.7, 1.5237581508621456, -0.145652786822976}; // crank, rocker, coupler
static const double v[3] = {1.3, 0.11441346611865466, -1.7498541677143962};
static const double a[3] = {-0.6, 1.2677095240767216, 1.475717900419038};
static const double G[3] = {1, 0.08801035855281128, -1.3460416674726123};
#define GAMMA 4.367274542153184 // at the crank alone

typedef struct answer {
  limb_status status;
  double tau[3];
  limb_closed_forces f;
} answer;

// Of the four-bar with motors at all joints.
static answer ask(const limb_actuation* how)
{
  bench b = bench_with(bench_four_bar(7, 0), q, v, a);
  const limb_closed_motion in = bench_motion(&b);
  answer x = {.f = bench_forces(&b)};
  x.status = limb_closed_inverse_dynamics(b.w, &in, how, NULL, &x.f);
  memcpy(x.tau, b.tau, sizeof x.tau);
  bench_end(&b);
  return x;
}

START_TEST(least_norm)
{
  const answer x = ask(NULL);
  double want[3], square = 0;
  for (int k = 0; k < 3; k++) square += G[k] * G[k];
  for (int k = 0; k < 3; k++) want[k] = GAMMA * G[k] / square;
  assert_ok(x.status);
  assert_close_array(x.tau, want, 3, 1e-11, 0);
  assert_that(x.f.overdriven == 2 && x.f.undriven == 0 && x.f.unbalanced == 0);
}
END_TEST

START_TEST(weighted_and_preferred)
{
  static const double weight[3] = {2, 0.5, 10}, preferred[3] = {1, -2, 0.5};
  limb_actuation how = limb_default_actuation();
  how.weight = weight, how.preferred = preferred;
  const answer x = ask(&how);
  double want[3], square = 0, missing = GAMMA;
  for (int k = 0; k < 3; k++) square += G[k] * G[k] / weight[k], missing -= G[k] * preferred[k];
  for (int k = 0; k < 3; k++) want[k] = preferred[k] + missing * G[k] / weight[k] / square;
  assert_ok(x.status);
  assert_close_array(x.tau, want, 3, 1e-11, 0);
  // preferred torques that balance are taken as they are
  const double balanced[3] = {GAMMA - 3 * G[1] - 0.2 * G[2], 3, 0.2};
  how.preferred = balanced;
  const answer y = ask(&how);
  assert_ok(y.status);
  assert_close_array(y.tau, balanced, 3, 1e-11, 0);
}
END_TEST

START_TEST(bounds)
{
  double lower[3] = {-1, -HUGE_VAL, -1}, upper[3] = {1, HUGE_VAL, 1};
  limb_actuation how = limb_default_actuation();
  how.lower = lower, how.upper = upper;
  // crank and coupler do what they can, the rocker the rest
  answer x = ask(&how);
  const double want[3] = {1, (GAMMA - G[0] + G[2]) / G[1], -1};
  assert_ok(x.status);
  assert_close_array(x.tau, want, 3, 1e-10, 0);
  assert_that(x.f.bounded == 2 && x.f.unbalanced == 0);
  // not enough: nearest, and by how much
  lower[1] = -2, upper[1] = 2;
  x = ask(&how);
  const double most[3] = {1, 2, -1};
  assert_status(x.status, LIMB_E_SINGULAR);
  assert_close_array(x.tau, most, 3, 0, 0);
  assert_that(x.f.bounded == 3 && x.f.undriven == 0);
  bench b = bench_with(bench_four_bar(7, 0), q, v, a);
  double map[9], rest = GAMMA;
  int count;
  unsigned char y[3];
  assert_ok(limb_velocity_map(b.w, b.c.q, NULL, NULL, &count, map));
  assert_ok(limb_independent_velocities(b.w, b.c.q, NULL, y));
  bench_end(&b);
  for (int k = 0; k < 3; k++) rest -= G[k] * most[k];
  assert_close(x.f.unbalanced, fabs(rest * map[0]), 1e-10, 0);
}
END_TEST

// A joint in no loop: within its bounds, or not.
START_TEST(bounds_without_loops)
{
  bench b = bench_with(bench_beside_loop(robot_pendulum()), NULL, NULL, NULL);
  b.c.q[0] = 0.3, b.a[0] = 2;
  const limb_closed_motion in = bench_motion(&b);
  limb_closed_forces out = bench_forces(&b);
  assert_ok(limb_closed_inverse_dynamics(b.w, &in, NULL, NULL, &out));
  assert_that(b.tau[0] == b.tree[0] && out.bounded == 0);
  const double need = b.tau[0], half = 0.5 * fabs(need);
  const double minus[3] = {-half, -HUGE_VAL, -HUGE_VAL}, plus[3] = {half, HUGE_VAL, HUGE_VAL};
  limb_actuation how = limb_default_actuation();
  how.lower = minus, how.upper = plus;
  assert_status(limb_closed_inverse_dynamics(b.w, &in, &how, NULL, &out), LIMB_E_SINGULAR);
  assert_close(out.unbalanced, half, 1e-12, 0);
  assert_that(out.bounded == 1 && fabs(b.tau[0]) == half);
  bench_end(&b);
}
END_TEST

// Robots with loops, many with motors in excess: bounds that are out of the way change nothing, weights make
// the weighted sum smaller, and a bound in the way makes it larger, or leaves a rest.
static void shares(bench* b, rng* r)
{
  const limb_closed_motion in = bench_motion(b);
  limb_closed_forces out = bench_forces(b);
  if (limb_closed_inverse_dynamics(b->w, &in, NULL, NULL, &out) != LIMB_OK) return;
  const int n = b->nv;
  double *weight = numbers(n), *lower = numbers(n), *upper = numbers(n), *first = numbers(n);
  memcpy(first, b->tau, (size_t)n * sizeof *first);
  const double size = bench_largest(n, b->tau);
  // bounds that the first answer keeps change nothing
  for (int k = 0; k < n; k++) {
    lower[k] = fmin(0, first[k]) - size, upper[k] = fmax(0, first[k]) + size;
    weight[k] = rng_uniform(r, 0.5, 2);
  }
  limb_actuation how = limb_default_actuation();
  how.lower = lower, how.upper = upper;
  assert_ok(limb_closed_inverse_dynamics(b->w, &in, &how, NULL, &out));
  assert_close_array(b->tau, first, n, 1e-13, 0);
  assert_that(out.bounded == 0 || size == 0);
  // where nothing is in excess, weights do not matter
  how.weight = weight;
  assert_ok(limb_closed_inverse_dynamics(b->w, &in, &how, NULL, &out));
  if (out.overdriven == 0) assert_close_array(b->tau, first, n, 1e-9, 0);
  double before = 0, now = 0;
  for (int k = 0; k < n; k++) before += weight[k] * first[k] * first[k], now += weight[k] * b->tau[k] * b->tau[k];
  assert_that(now <= before * (1 + 1e-9));
  // the largest torque is not allowed: others step in, where they can, and it costs more
  int most = 0;
  for (int k = 0; k < n; k++) most = fabs(b->tau[k]) > fabs(b->tau[most]) ? k : most;
  lower[most] = -0.8 * fabs(b->tau[most]), upper[most] = 0.8 * fabs(b->tau[most]);
  const limb_status s = limb_closed_inverse_dynamics(b->w, &in, &how, NULL, &out);
  assert_that(s == LIMB_OK || s == LIMB_E_SINGULAR);
  assert_that((s == LIMB_OK) == (out.unbalanced == 0));
  assert_that(lower[most] <= b->tau[most] && b->tau[most] <= upper[most]);
  assert_that(out.bounded > 0);
  double dearer = 0, rest = 0;
  for (int k = 0; k < n; k++) dearer += weight[k] * b->tau[k] * b->tau[k];
  if (s == LIMB_OK) assert_that(dearer >= now);
  double* Psi = numbers(b->nc * n);
  assert_ok(limb_loop_equations_at(b->w, b->c.q, NULL, NULL, &(limb_loop_equations){.Psi = Psi}));
  for (int k = 0; k < n; k++) {
    double left = b->tree[k] - b->tau[k];
    for (int i = 0; i < b->nc; i++) left -= Psi[i * n + k] * b->lambda[i];
    rest = fmax(rest, fabs(left));
  }
  assert_that((rest < 1e-9 * bench_largest(n, b->tree)) == (s == LIMB_OK));
  free(Psi);
  double* const block[4] = {weight, lower, upper, first};
  for (int k = 0; k < 4; k++) free(block[k]);
}

START_TEST(sharing) { bench_over(_i, shares); }
END_TEST

START_TEST(wrong_arguments)
{
  double x[3] = {1, 1, 1}, high[3] = {2, 2, 2};
  limb_actuation how = limb_default_actuation();
  how.size = 3;
  assert_status(ask(&how).status, LIMB_E_ARG);
  how = limb_default_actuation(), how.weight = x, x[1] = 0;
  assert_status(ask(&how).status, LIMB_E_ARG);
  x[1] = -1;
  assert_status(ask(&how).status, LIMB_E_ARG);
  x[1] = nan("");
  assert_status(ask(&how).status, LIMB_E_NONFINITE);
  x[1] = HUGE_VAL;
  assert_status(ask(&how).status, LIMB_E_NONFINITE);
  how = limb_default_actuation(), how.preferred = x;
  assert_status(ask(&how).status, LIMB_E_NONFINITE);
  how = limb_default_actuation(), how.lower = x;
  assert_status(ask(&how).status, LIMB_E_ARG); // + infinity
  x[1] = nan("");
  assert_status(ask(&how).status, LIMB_E_NONFINITE);
  x[1] = 3, how.upper = high; // above
  assert_status(ask(&how).status, LIMB_E_ARG);
  how.lower = NULL, high[2] = -HUGE_VAL;
  assert_status(ask(&how).status, LIMB_E_ARG);
  // of passive joints nothing is read
  static const double bad[3] = {1, -1, 0};
  how = limb_default_actuation(), how.weight = bad;
  bench b = bench_with(bench_four_bar(1, 0), q, v, a);
  const limb_closed_motion in = bench_motion(&b);
  limb_closed_forces out = bench_forces(&b);
  assert_ok(limb_closed_inverse_dynamics(b.w, &in, &how, NULL, &out));
  assert_close(b.tau[0], GAMMA, 1e-11, 0);
  bench_end(&b);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const once[] = {
    against_all_active_sets, without_bounds,  tight_bounds, least_norm, weighted_and_preferred, bounds,
    bounds_without_loops,    wrong_arguments, NULL};
  const TTest* const each[] = {sharing, NULL};
  const int failed = check_run("actuation", 1, once);
  return check_run("actuation_over", closed_count(), each) | failed;
}
