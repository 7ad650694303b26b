// Derivatives of hybrid dynamics against the complex step through the dense partition, with everything that
// enters: smooth friction, springs, rotors, mimic joints, wrenches in all references, a moving base; and
// against each other.
#include "limb/derivatives.h"
#include "limb/dynamics.h"

#include "dynamics/along.h"
#include "support/partition.h"

enum { STATES = CHECK_SANITIZED ? 2 : 8, COUNT = LIMB_DIRECTIONS + 2 };

// ---- the oracle --------------------------------------------------------------------------------------

// M a + b = tau over complex numbers, by the kernel of inverse dynamics' derivatives at a = 0.
typedef struct oracle {
  along_oracle along;
  const double *zeros, *x;
  partition p;
  cplx* cx;
} oracle;

static oracle oracle_make(trial* t, const limb_environment* env, const unsigned char* given, const double* x)
{
  const size_t n = (size_t)t->nv;
  oracle o = {.along = along_make(t, env, 1), .zeros = trial_doubles(t, n), .x = x, .cx = cplx_zeros(t, n)};
  o.p = (partition){.n = t->nv,
                    .given = given,
                    .M = o.along.dx,
                    .b = o.along.y,
                    .x = o.cx,
                    .work = cplx_zeros(t, n * n),
                    .a = cplx_zeros(t, n),
                    .tau = cplx_zeros(t, n)};
  return o;
}

// dy along (dq, dv, dx); NULL is zero.
static void slope(oracle* o, const double* dq, const double* dv, const double* dx, double* dy)
{
  along_run(&o->along, 0, o->zeros, dq, dv, NULL);
  along_move(o->p.n, o->x, dx, o->cx);
  partition_solve(&o->p);
  for (int k = 0; k < o->p.n; k++) {
    dy[k] = cimag(o->p.given[k] ? o->p.tau[k] : o->p.a[k]) / COMPLEX_STEP;
  }
}

// ---- what is asked ------------------------------------------------------------------------------------

// A state with random marks, accelerations and forces that belong to them, and room for all slopes.
typedef struct asked {
  trial* t;
  limb_environment env;
  unsigned char* given;
  double *tau, *x;
  limb_hybrid in;
  limb_hybrid_derivatives out;
} asked;

static limb_hybrid_derivatives slopes_room(trial* t)
{
  const size_t n = (size_t)t->nv;
  return (limb_hybrid_derivatives){trial_doubles(t, n), trial_doubles(t, n * n), trial_doubles(t, n * n),
                                   trial_doubles(t, n * n)};
}

static void ask(trial* t, asked* k)
{
  const size_t n = (size_t)t->nv;
  *k = (asked){.t = t, .env = along_surroundings(t)};
  k->given = (unsigned char*)trial_doubles(t, n);
  k->tau = trial_doubles(t, n), k->x = trial_doubles(t, n);
  random_marks(&t->r, t->nv, k->given);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &k->env, k->tau));
  for (size_t i = 0; i < n; i++) k->x[i] = k->given[i] ? t->a[i] : k->tau[i];
  k->in = (limb_hybrid){t->q, t->v, k->given, k->x, &k->env};
}

static void ask_matrices(trial* t, asked* k)
{
  ask(t, k);
  k->out = slopes_room(t);
  assert_ok(limb_hybrid_dynamics_derivatives(t->d, &k->in, &k->out));
}

// ---- matrices ---------------------------------------------------------------------------------------

static void columns(trial* t)
{
  if (!trial_small(t)) return;
  const size_t n = (size_t)t->nv;
  asked k;
  ask_matrices(t, &k);
  double *unit = trial_doubles(t, n), *want = trial_doubles(t, n), *got = trial_doubles(t, n);
  double* a = trial_doubles(t, n);
  assert_ok(limb_hybrid_dynamics(t->d, t->q, t->v, k.given, k.x, &k.env, a, want));
  for (size_t i = 0; i < n; i++) assert_that(k.out.y[i] == (k.given[i] ? want[i] : a[i]));
  oracle o = oracle_make(t, &k.env, k.given, k.x);
  const double* const A[3] = {k.out.dy_dq, k.out.dy_dv, k.out.dy_dx};
  for (size_t c = 0; c < n; c++) {
    unit[c] = 1;
    for (int by = 0; by < 3; by++) {
      check_at("%s, state %d, column %d by %c", t->robot->name, t->state, (int)c, "qvx"[by]);
      slope(&o, by == 0 ? unit : NULL, by == 1 ? unit : NULL, by == 2 ? unit : NULL, want);
      for (size_t i = 0; i < n; i++) got[i] = A[by][i * n + c];
      assert_close_array(got, want, t->nv, 0, t->solve * (1e-3 + largest(A[by], n * n)));
    }
    unit[c] = 0;
  }
  scalar_space_free(&o.along.s);
}

START_TEST(matrices_are_the_complex_step) { trial_over(_i, STATES, columns); }
END_TEST

// All accelerations given: those of inverse dynamics, bit for bit. All forces: those of forward dynamics.
static void ends(trial* t)
{
  if (!trial_small(t)) return;
  const size_t n = (size_t)t->nv, nn = n * n;
  asked k;
  ask(t, &k);
  k.out = slopes_room(t);
  const limb_hybrid_derivatives other = slopes_room(t);
  const limb_id_derivatives id = {other.y, other.dy_dq, other.dy_dv, other.dy_dx};
  memset(k.given, LIMB_ACCELERATION_GIVEN, n);
  k.in.x = t->a;
  assert_ok(limb_hybrid_dynamics_derivatives(t->d, &k.in, &k.out));
  assert_ok(limb_inverse_dynamics_derivatives(t->d, t->q, t->v, t->a, &k.env, &id));
  assert_close_array(k.out.y, other.y, t->nv, TOL_ALGEBRA, 0);
  assert_that(memcmp(k.out.dy_dq, other.dy_dq, nn * sizeof(double)) == 0);
  assert_that(memcmp(k.out.dy_dv, other.dy_dv, nn * sizeof(double)) == 0);
  assert_that(memcmp(k.out.dy_dx, other.dy_dx, nn * sizeof(double)) == 0);
  const limb_fd_derivatives fd = {other.y, other.dy_dq, other.dy_dv, other.dy_dx};
  memset(k.given, LIMB_FORCE_GIVEN, n);
  k.in.x = k.tau;
  assert_ok(limb_hybrid_dynamics_derivatives(t->d, &k.in, &k.out));
  assert_ok(limb_forward_dynamics_derivatives(t->d, t->q, t->v, k.tau, &k.env, &fd));
  assert_close_array(k.out.y, other.y, t->nv, t->solve, 0);
  assert_close_matrix(k.out.dy_dq, other.dy_dq, t->nv, t->nv, t->solve, 0);
  assert_close_matrix(k.out.dy_dv, other.dy_dv, t->nv, t->nv, t->solve, 0);
  assert_close_matrix(k.out.dy_dx, other.dy_dx, t->nv, t->nv, t->solve, 0);
}

START_TEST(inverse_and_forward_dynamics_are_its_ends) { trial_over(_i, STATES, ends); }
END_TEST

// C = A B
static void product(const double* A, const double* B, int n, double* C)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      C[i * n + j] = 0;
      for (int k = 0; k < n; k++) C[i * n + j] += A[i * n + k] * B[k * n + j];
    }
  }
}

// With x = y and all marks turned round, y is x: dx/dy is the inverse of dy/dx, and dx/dq = -dx/dy dy/dq.
static void turned_round(trial* t)
{
  if (!trial_small(t)) return;
  const size_t n = (size_t)t->nv, nn = n * n;
  asked k;
  ask_matrices(t, &k);
  unsigned char* swapped = (unsigned char*)trial_doubles(t, n);
  double *one = trial_doubles(t, nn), *got = trial_doubles(t, nn);
  for (size_t i = 0; i < n; i++) swapped[i] = !k.given[i], one[i * (n + 1)] = 1;
  const limb_hybrid back = {t->q, t->v, swapped, k.out.y, &k.env};
  const limb_hybrid_derivatives other = slopes_room(t);
  assert_ok(limb_hybrid_dynamics_derivatives(t->d, &back, &other));
  assert_close_array(other.y, k.x, t->nv, t->solve, 0);
  const double size = largest(other.dy_dx, nn);
  product(k.out.dy_dx, other.dy_dx, t->nv, got);
  assert_close_matrix(got, one, t->nv, t->nv, 0, TOL_ALGEBRA * size * largest(k.out.dy_dx, nn));
  product(other.dy_dx, k.out.dy_dq, t->nv, got);
  for (size_t i = 0; i < nn; i++) got[i] = -got[i];
  assert_close_matrix(got, other.dy_dq, t->nv, t->nv, t->solve, TOL_ALGEBRA * size);
  product(other.dy_dx, k.out.dy_dv, t->nv, got);
  for (size_t i = 0; i < nn; i++) got[i] = -got[i];
  assert_close_matrix(got, other.dy_dv, t->nv, t->nv, t->solve, TOL_ALGEBRA * size);
}

START_TEST(turned_round_it_is_the_inverse) { trial_over(_i, STATES, turned_round); }
END_TEST

// ---- along directions -------------------------------------------------------------------------------

static limb_directions directions(trial* t)
{
  return (limb_directions){.count = COUNT,
                           .dq = along_directions(t, COUNT),
                           .dv = along_directions(t, COUNT),
                           .da = along_directions(t, COUNT),
                           .dtau = along_directions(t, COUNT)};
}

static double* along(const asked* k, const limb_directions* dir)
{
  limb_dual* w = NULL;
  double* dy = trial_doubles(k->t, (size_t)dir->count * (size_t)k->t->nv);
  assert_ok(limb_dual_create(k->t->m, LIMB_DUAL_VECTORS, NULL, &w));
  assert_ok(limb_hybrid_dynamics_along(w, &k->in, dir, dy));
  limb_dual_destroy(w);
  return dy;
}

// dy = dy/dq dq + dy/dv dv + dy/dx dx, and the complex step.
static void matrix_times(trial* t)
{
  if (!trial_small(t)) return;
  const size_t n = (size_t)t->nv;
  asked k;
  ask_matrices(t, &k);
  const limb_directions dir = directions(t);
  const double* dy = along(&k, &dir);
  oracle o = oracle_make(t, &k.env, k.given, k.x);
  double *dx = trial_doubles(t, n), *want = trial_doubles(t, n), *part = trial_doubles(t, n);
  const double size = largest(k.out.dy_dq, n * n) + largest(k.out.dy_dv, n * n) + largest(k.out.dy_dx, n * n);
  for (size_t row = 0; row < COUNT; row++) {
    const double *dq = dir.dq + row * n, *dv = dir.dv + row * n;
    for (size_t i = 0; i < n; i++) dx[i] = (k.given[i] ? dir.da : dir.dtau)[row * n + i];
    slope(&o, dq, dv, dx, want);
    assert_close_array(dy + row * n, want, t->nv, 0, t->solve * size);
    const double* const A[3] = {k.out.dy_dq, k.out.dy_dv, k.out.dy_dx};
    const double* const u[3] = {dq, dv, dx};
    memset(want, 0, n * sizeof *want);
    for (int by = 0; by < 3; by++) {
      trial_times(A[by], u[by], t->nv, t->nv, part);
      for (size_t i = 0; i < n; i++) want[i] += part[i];
    }
    assert_close_array(dy + row * n, want, t->nv, 0, t->solve * size);
  }
  scalar_space_free(&o.along.s);
}

START_TEST(directions_are_matrices_times_them) { trial_over(_i, STATES, matrix_times); }
END_TEST

// Inverse dynamics along the completed change of a changes tau as completed; the long chain, too.
static void completed(trial* t)
{
  if (trial_enough(t)) return;
  const size_t n = (size_t)t->nv, all = COUNT * n;
  asked k;
  ask(t, &k);
  limb_directions dir = directions(t);
  const double* dy = along(&k, &dir);
  double *da = trial_doubles(t, all), *dtau = trial_doubles(t, all), *got = trial_doubles(t, all);
  double* a = trial_doubles(t, n);
  for (size_t i = 0; i < all; i++) {
    const int given = k.given[i % n];
    da[i] = (given ? dir.da : dy)[i], dtau[i] = (given ? dy : dir.dtau)[i];
  }
  dir.da = da, dir.dtau = NULL;
  limb_dual* w = NULL;
  assert_ok(limb_hybrid_dynamics(t->d, t->q, t->v, k.given, k.x, &k.env, a, NULL));
  assert_ok(limb_dual_create(t->m, LIMB_DUAL_VECTORS, NULL, &w));
  assert_ok(limb_inverse_dynamics_along(w, t->q, t->v, a, &k.env, &dir, got));
  limb_dual_destroy(w);
  assert_close_array(got, dtau, (int)all, t->solve, 0);
}

START_TEST(inverse_dynamics_agrees_along_directions) { trial_over(_i, STATES, completed); }
END_TEST

// ---- wrenches and gravity ---------------------------------------------------------------------------

// y(with) - y(without) = A u: both are linear.
static void difference(const asked* k, const limb_environment* with, const double* A, const double* u, int count)
{
  trial* t = k->t;
  const size_t n = (size_t)t->nv;
  double *y[2], *a = trial_doubles(t, n), *tau = trial_doubles(t, n), *got = trial_doubles(t, n);
  double size = 1;
  for (int side = 0; side < 2; side++) {
    y[side] = trial_doubles(t, n);
    const limb_environment* env = side ? with : &k->env;
    assert_ok(limb_hybrid_dynamics(t->d, t->q, t->v, k->given, k->x, env, a, tau));
    for (size_t i = 0; i < n; i++) y[side][i] = k->given[i] ? tau[i] : a[i];
    size = fmax(size, largest(y[side], n));
  }
  for (size_t i = 0; i < n; i++) y[1][i] -= y[0][i];
  trial_times(A, u, t->nv, count, got);
  assert_close_array(got, y[1], t->nv, 0, t->solve * size);
}

static void from_outside(trial* t)
{
  if (!trial_small(t)) return;
  const size_t n = (size_t)t->nv;
  asked k;
  ask(t, &k);
  double *work = trial_doubles(t, n * n), *A = trial_doubles(t, 6 * n);
  limb_environment env = k.env;
  limb_wrench w[TRIAL_WRENCHES + 1];
  memcpy(w, t->wrench, sizeof t->wrench);
  env.nwrench = TRIAL_WRENCHES + 1, env.wrench = w;
  for (int ref = LIMB_BODY; ref <= LIMB_ALIGNED; ref++) {
    const sp_force f = {rng_vec3(&t->r, 5), rng_vec3(&t->r, 5)};
    const double u[6] = {f.m.x, f.m.y, f.m.z, f.f.x, f.f.y, f.f.z};
    w[TRIAL_WRENCHES] = (limb_wrench){rng_below(&t->r, t->nframe), (limb_ref)ref, f};
    const int frame = w[TRIAL_WRENCHES].frame;
    assert_ok(limb_hybrid_dynamics_by_wrench(t->d, t->q, k.given, frame, (limb_ref)ref, work, A));
    difference(&k, &env, A, u, 6);
  }
  env = k.env;
  const sp_vec3 g = rng_vec3(&t->r, 10);
  const double u[3] = {g.x, g.y, g.z};
  env.gravity = sp_add3(env.gravity, g);
  assert_ok(limb_hybrid_dynamics_by_gravity(t->d, t->q, k.given, work, A));
  difference(&k, &env, A, u, 3);
}

START_TEST(by_wrench_and_gravity) { trial_over(_i, STATES, from_outside); }
END_TEST

CHECK_MAIN("dynamics/hybrid derivatives", trial_robots(), matrices_are_the_complex_step,
           inverse_and_forward_dynamics_are_its_ends, turned_round_it_is_the_inverse,
           directions_are_matrices_times_them, inverse_dynamics_agrees_along_directions, by_wrench_and_gravity)
