// Forward dynamics with loops: every method against the equations and the others, over all closed fixtures.
#include "loops/closed.h"
#include "loops/closed_bench.h"

static const limb_loop_method methods[] = {
  LIMB_LOOP_METHOD_SCHUR, LIMB_LOOP_METHOD_KKT,        LIMB_LOOP_METHOD_PROXIMAL, LIMB_LOOP_METHOD_CLUSTERS,
  LIMB_LOOP_METHOD_MEXX,  LIMB_LOOP_METHOD_SEQUENTIAL, LIMB_LOOP_METHOD_AUTO};
enum { METHODS = sizeof methods / sizeof methods[0] };

static const double IN_GAMMA = 1e-12; // of what a row is made of

// What a method may be asked: clusters do not do mimic joints.
static int can(const bench* b, limb_loop_method method)
{
  const int all =
    method != LIMB_LOOP_METHOD_CLUSTERS && method != LIMB_LOOP_METHOD_MEXX && method != LIMB_LOOP_METHOD_SEQUENTIAL;
  return all || !(b->c.flags & CLOSED_MIMIC);
}

// Everything around a robot at once: wrenches, friction made smooth, a base that moves.
typedef struct around {
  limb_wrench wrench[2];
  limb_environment env;
} around;

static void surround(const bench* b, rng* r, around* x)
{
  x->env = limb_default_environment(b->c.m);
  for (int k = 0; k < 2; k++) {
    x->wrench[k].frame = rng_below(r, limb_body_count(b->c.m));
    x->wrench[k].ref = k ? LIMB_BODY : LIMB_ALIGNED;
    x->wrench[k].wrench = (sp_force){rng_vec3(r, 2), rng_vec3(r, 5)};
  }
  x->env.nwrench = 2, x->env.wrench = x->wrench;
  x->env.coulomb_width = 0.1;
  x->env.base_velocity = (sp_motion){rng_vec3(r, 0.5), rng_vec3(r, 0.5)};
  x->env.base_acceleration = (sp_motion){rng_vec3(r, 2), rng_vec3(r, 2)};
}

// Equations at the state of the bench.
typedef struct rows {
  double *Psi, *gamma;
} rows;

static rows rows_of(const bench* b)
{
  const rows x = {numbers(b->nc * b->nv), numbers(b->nc)};
  const limb_loop_equations out = {.Psi = x.Psi, .gamma = x.gamma};
  assert_ok(limb_loop_equations_at(b->w, b->c.q, b->c.v, NULL, &out));
  return x;
}

static void rows_end(rows* x)
{
  free(x->Psi);
  free(x->gamma);
}

// y += Psi' x
static void push(const bench* b, const rows* x, const double* lambda, double sign, double* y)
{
  for (int r = 0; r < b->nc; r++) {
    for (int i = 0; i < b->nv; i++) y[i] += sign * lambda[r] * x->Psi[r * b->nv + i];
  }
}

// Psi a - gamma, against what the rows are made of.
static void assert_rows_hold(const bench* b, const rows* x, const double* a, const limb_closed_report* report)
{
  double largest = 0, size = 0;
  for (int r = 0; r < b->nc; r++) {
    double sum = -x->gamma[r], most = fabs(x->gamma[r]);
    for (int i = 0; i < b->nv; i++) {
      sum += x->Psi[r * b->nv + i] * a[i];
      most += fabs(x->Psi[r * b->nv + i] * a[i]);
    }
    largest = fmax(largest, fabs(sum)), size = fmax(size, most);
  }
  assert_close(largest, 0, 0,
               IN_GAMMA * size + 1e-15); // rows of parts that cannot move are rounding
  assert_close(report->residual, largest, 0, 1e-14 * size + 1e-15);
}

// a, and b->lambda.
static limb_closed_report forward_by(const bench* b, limb_loop_method method, const limb_environment* env, double* a)
{
  const limb_closed_motion in = {.q = b->c.q, .v = b->c.v, .env = env};
  const limb_loop_solver o = bench_options(method);
  limb_closed_report report;
  check_at("%s, method %d", b->c.name, (int)method);
  assert_ok(limb_closed_forward_dynamics(b->w, &in, b->tau, &o, a, b->lambda, &report));
  return report;
}

// ---- the motion that forces were made for ---------------------------------------------------------------

// tau of a motion that fits the closures, less those of some multipliers, gives the motion and multipliers
// that do the same.
static void forward_undoes_inverse(bench* b, rng* r)
{
  around x;
  surround(b, r, &x);
  rows k = rows_of(b);
  double *a = numbers(b->nv), *mu = numbers(b->nc), *f = numbers(b->nv), *g = numbers(b->nv);
  assert_ok(limb_inverse_dynamics(b->d, b->c.q, b->c.v, b->a, &x.env, b->tau));
  const double scale = bench_largest(b->nv, b->tau) / (1 + bench_largest(b->nc * b->nv, k.Psi));
  for (int i = 0; i < b->nc; i++) mu[i] = scale * rng_uniform(r, -1, 1);
  push(b, &k, mu, -1, b->tau);
  push(b, &k, mu, 1, f);
  for (int i = 0; i < METHODS; i++) {
    if (!can(b, methods[i])) continue;
    const limb_closed_report report = forward_by(b, methods[i], &x.env, a);
    assert_close_array(a, b->a, b->nv, TOL_SOLVE, 0);
    memset(g, 0, (size_t)b->nv * sizeof *g);
    push(b, &k, b->lambda, 1, g);
    assert_close_array(g, f, b->nv, 1e-9, 1e-10 * bench_largest(b->nv, b->tau));
    assert_rows_hold(b, &k, a, &report);
  }
  free(a), free(mu), free(f), free(g);
  rows_end(&k);
}

START_TEST(inverse) { bench_over(_i, forward_undoes_inverse); }
END_TEST

// ---- the equations --------------------------------------------------------------------------------------

// Any tau: M a + h = tau + Psi' lambda, and the rows hold.
static void equations_hold(bench* b, rng* r)
{
  around x;
  surround(b, r, &x);
  rows k = rows_of(b);
  double* a = numbers(b->nv);
  for (int i = 0; i < b->nv; i++) b->tau[i] = rng_uniform(r, -5, 5);
  for (int i = 0; i < METHODS; i++) {
    if (!can(b, methods[i])) continue;
    const limb_closed_report report = forward_by(b, methods[i], &x.env, a);
    assert_ok(limb_inverse_dynamics(b->d, b->c.q, b->c.v, a, &x.env, b->tree));
    push(b, &k, b->lambda, -1, b->tree);
    assert_close_array(b->tree, b->tau, b->nv, 1e-10, 1e-10 * bench_largest(b->nc, b->lambda));
    assert_rows_hold(b, &k, a, &report);
    assert_that(report.method == methods[i] || methods[i] == LIMB_LOOP_METHOD_AUTO);
    assert_that(report.method != LIMB_LOOP_METHOD_AUTO && report.loop >= 0);
    assert_that((report.iterations > 0) == bench_iterates((int)methods[i]));
  }
  free(a);
  rows_end(&k);
}

START_TEST(equations) { bench_over(_i, equations_hold); }
END_TEST

// ---- each other -----------------------------------------------------------------------------------------

static void methods_agree(bench* b, rng* r)
{
  double *a = numbers(b->nv), *lambda = numbers(b->nc);
  limb_closed_report first, report;
  for (int i = 0; i < b->nv; i++) b->tau[i] = rng_uniform(r, -5, 5);
  for (int i = 0; i < METHODS; i++) {
    if (!can(b, methods[i])) continue;
    const limb_loop_solver o = bench_options(methods[i]);
    check_at("%s, method %d", b->c.name, (int)methods[i]);
    // other forces first, so that nothing of the method before is left in the workspace
    assert_ok(limb_closed_forward_dynamics(b->w, &(limb_closed_motion){.q = b->c.q, .v = b->c.v}, b->tree, NULL, a,
                                           lambda, NULL));
    assert_ok(limb_closed_forward_dynamics(b->w, &(limb_closed_motion){.q = b->c.q, .v = b->c.v}, b->tau, &o,
                                           i ? a : b->a, i ? lambda : b->lambda, i ? &report : &first));
    if (i == 0) continue;
    assert_close_array(a, b->a, b->nv, 1e-11, 0);
    assert_close_array(lambda, b->lambda, b->nc, 1e-11, 0);
    assert_that(report.redundant == first.redundant);
    // without multipliers and report, the same motion
    assert_ok(
      limb_closed_forward_dynamics(b->w, &(limb_closed_motion){.q = b->c.q, .v = b->c.v}, b->tau, &o, a, NULL, NULL));
    assert_close_array(a, b->a, b->nv, 1e-11, 0);
  }
  if (b->c.flags & CLOSED_REDUNDANT) assert_that(first.redundant > 0);
  free(a), free(lambda);
}

START_TEST(agree) { bench_over(_i, methods_agree); }
END_TEST

// Takes from x what lies along u, twice, so that rounding goes, too.
static void less_along(int n, const double* u, double* x)
{
  for (int pass = 0; pass < 2; pass++) {
    double dot = 0;
    for (int j = 0; j < n; j++) dot += x[j] * u[j];
    for (int j = 0; j < n; j++) x[j] -= dot * u[j];
  }
}

// Multipliers of least norm lie in the span of the columns of Psi: nothing is left of them beside an
// orthonormal basis of it (Gram and Schmidt).
static void multipliers_are_least(bench* b, rng* r)
{
  rows k = rows_of(b);
  for (int i = 0; i < b->nv; i++) b->tau[i] = rng_uniform(r, -5, 5);
  assert_ok(limb_closed_forward_dynamics(b->w, &(limb_closed_motion){.q = b->c.q, .v = b->c.v}, b->tau, NULL, b->a,
                                         b->lambda, NULL));
  const double most = bench_largest(b->nc, b->lambda), size = bench_largest(b->nc * b->nv, k.Psi);
  double* Q = numbers(b->nc * b->nv);
  for (int i = 0, n = 0; i < b->nv; i++) {
    double *u = Q + n * b->nc, norm = 0;
    for (int j = 0; j < b->nc; j++) u[j] = k.Psi[j * b->nv + i];
    for (int l = 0; l < n; l++) less_along(b->nc, Q + l * b->nc, u);
    for (int j = 0; j < b->nc; j++) norm += u[j] * u[j];
    if (sqrt(norm) < 1e-9 * size) continue;
    for (int j = 0; j < b->nc; j++) u[j] /= sqrt(norm);
    less_along(b->nc, u, b->lambda);
    n++;
  }
  assert_close(bench_largest(b->nc, b->lambda), 0, 0, 1e-9 * most);
  free(Q);
  rows_end(&k);
}

START_TEST(least) { bench_over(_i, multipliers_are_least); }
END_TEST

int CHECK_NAME(void)
{
  const TTest* const tests[] = {inverse, equations, agree, least, NULL};
  return check_run("closed_methods", closed_count(), tests);
}
