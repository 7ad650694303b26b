// Second derivatives of inverse and forward dynamics: the complex step of the first derivatives, and each
// form against the others, with everything that enters.
#include "limb/derivatives.h"

#include "dynamics/along.h"

// Of the largest entry; the issue of second derivatives asks for 1e-8.
#define TOL         1e-11
#define TOL_FORWARD 1e-9 // M^-1 enters twice

enum {
  STATES = CHECK_SANITIZED ? 1 : 2,
  COUNT = LIMB_DIRECTIONS + 1, // more than one pass
  INVERSE = 0,
  FORWARD = 1
};

// Work that grows with the third or fourth power of nv is done on smaller robots, once on larger ones.
static int too_much(const trial* t) { return !trial_small(t) || (t->nv > 40 && t->state > 0); }

// Forward dynamics of a large robot is left to the tests that need it.
static int last_kind(const trial* t) { return t->nv > 40 ? INVERSE : FORWARD; }

// A robot in a state, with what every test needs.
typedef struct scene {
  trial* t;
  limb_environment env;
  limb_dual* w;
  double* tau;
  along_oracle o;
} scene;

static scene begin_in(trial* t, limb_environment env)
{
  scene s = {.t = t, .env = env};
  s.tau = trial_doubles(t, (size_t)t->nv);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &s.env, s.tau));
  assert_ok(limb_dual_create(t->m, LIMB_DUAL_MATRICES, NULL, &s.w));
  s.o = along_make(t, &s.env, 1);
  return s;
}

static scene begin(trial* t) { return begin_in(t, along_surroundings(t)); }

static void end(scene* s)
{
  limb_dual_destroy(s->w);
  scalar_space_free(&s->o.s);
}

static const double* x_of(const scene* s, int kind) { return kind == FORWARD ? s->tau : s->t->a; }
static double tolerance(int kind) { return kind == FORWARD ? TOL_FORWARD : TOL; }

static limb_directions directions(trial* t, int kind, int count)
{
  limb_directions along = {.count = count, .dq = along_directions(t, count), .dv = along_directions(t, count)};
  *(kind == FORWARD ? &along.dtau : &along.da) = along_directions(t, count);
  return along;
}

static const double* row(const double* A, int k, int n) { return A ? A + (ptrdiff_t)k * n : NULL; }

// The oracle along row k.
static void run_oracle(scene* s, int kind, const limb_directions* d, int k)
{
  const int n = s->t->nv;
  const double* dx = kind == FORWARD ? d->dtau : d->da;
  along_run(&s->o, kind, x_of(s, kind), row(d->dq, k, n), row(d->dv, k, n), row(dx, k, n));
}

static void close_to(check_site site, const double* got, const cplx* x, size_t n, double* want, double rtol)
{
  cplx_derivative(x, n, want);
  check_close_matrix(site, got, want, (int)n, 1, rtol, rtol);
}

// ---- matrices along directions -----------------------------------------------------------------------

static void matrices(scene* s, int kind, int count)
{
  trial* t = s->t;
  const size_t n = (size_t)t->nv, nn = n * n, c = (size_t)count;
  const limb_directions along = directions(t, kind, count);
  double *y = trial_doubles(t, c * n), *dq = trial_doubles(t, c * nn);
  double *dv = trial_doubles(t, c * nn), *dx = trial_doubles(t, c * nn);
  double* want = trial_doubles(t, nn);
  if (kind == INVERSE) {
    const limb_id_derivatives out = {y, dq, dv, dx};
    assert_ok(limb_inverse_dynamics_derivatives_along(s->w, t->q, t->v, t->a, &s->env, &along, &out));
  } else {
    const limb_fd_derivatives out = {y, dq, dv, dx};
    assert_ok(limb_forward_dynamics_derivatives_along(s->w, t->q, t->v, s->tau, &s->env, &along, &out));
  }
  for (int k = 0; k < count; k++) {
    const size_t at = (size_t)k * nn;
    const double rtol = tolerance(kind);
    run_oracle(s, kind, &along, k);
    close_to(CHECK_SITE("y"), y + (size_t)k * n, s->o.y, n, want, rtol);
    close_to(CHECK_SITE("by q"), dq + at, s->o.dq, nn, want, rtol);
    close_to(CHECK_SITE("by v"), dv + at, s->o.dv, nn, want, rtol);
    close_to(CHECK_SITE("by x"), dx + at, s->o.dx, nn, want, rtol);
  }
}

static void first_derivatives_along(trial* t)
{
  const int small = trial_small(t);
  if (!small && (t->state > 0 || CHECK_SANITIZED)) return; // hundreds of megabytes
  scene s = begin(t);
  matrices(&s, INVERSE, small ? COUNT : 1);
  if (small) matrices(&s, FORWARD, COUNT);
  end(&s);
}

START_TEST(first_derivatives_change_as_the_complex_step_says) { trial_over(_i, STATES, first_derivatives_along); }
END_TEST

// ---- tensors -----------------------------------------------------------------------------------------

static limb_second_derivatives tensors(trial* t, size_t n)
{
  return (limb_second_derivatives){trial_doubles(t, n), trial_doubles(t, n), trial_doubles(t, n), trial_doubles(t, n)};
}

static limb_status second_derivatives(scene* s, int kind, const limb_second_derivatives* out)
{
  trial* t = s->t;
  return kind == FORWARD ? limb_forward_dynamics_second_derivatives(s->w, t->q, t->v, s->tau, &s->env, out)
                         : limb_inverse_dynamics_second_derivatives(s->w, t->q, t->v, t->a, &s->env, out);
}

// Slice of a tensor: the last index is k, or the middle one.
static void slice(const double* T, size_t n, size_t k, int middle, double* out)
{
  for (size_t i = 0; i < n; i++) {
    for (size_t l = 0; l < n; l++) {
      out[i * n + l] = T[middle ? (i * n + k) * n + l : (i * n + l) * n + k];
    }
  }
}

static void compare_slices(scene* s, int kind, const limb_second_derivatives* T, int k)
{
  trial* t = s->t;
  const size_t n = (size_t)t->nv, nn = n * n, at = (size_t)k;
  const double rtol = tolerance(kind);
  double *got = trial_doubles(t, nn), *want = trial_doubles(t, nn), *unit = trial_doubles(t, n);
  unit[k] = 1;
  along_run(&s->o, kind, x_of(s, kind), unit, NULL, NULL);
  slice(T->dqdq, n, at, 0, got);
  close_to(CHECK_SITE("dqdq"), got, s->o.dq, nn, want, rtol);
  slice(T->dqdv, n, at, 1, got);
  close_to(CHECK_SITE("dqdv by q"), got, s->o.dv, nn, want, rtol);
  slice(T->dqdx, n, at, 1, got);
  close_to(CHECK_SITE("dqdx by q"), got, s->o.dx, nn, want, rtol);
  along_run(&s->o, kind, x_of(s, kind), NULL, unit, NULL);
  slice(T->dqdv, n, at, 0, got);
  close_to(CHECK_SITE("dqdv by v"), got, s->o.dq, nn, want, rtol);
  slice(T->dvdv, n, at, 0, got);
  close_to(CHECK_SITE("dvdv"), got, s->o.dv, nn, want, rtol);
  along_run(&s->o, kind, x_of(s, kind), NULL, NULL, unit);
  slice(T->dqdx, n, at, 0, got);
  close_to(CHECK_SITE("dqdx by x"), got, s->o.dq, nn, want, rtol);
}

static void compare_tensors(scene* s, int kind)
{
  trial* t = s->t;
  const size_t n = (size_t)t->nv;
  const limb_second_derivatives T = tensors(t, n * n * n);
  assert_ok(second_derivatives(s, kind, &T));
  const int step = 1 + t->nv / 6; // directions enough
  for (int k = rng_below(&t->r, step); k < t->nv; k += step) compare_slices(s, kind, &T, k);
}

static void all_tensors(trial* t)
{
  if (too_much(t)) return;
  scene s = begin(t);
  for (int kind = INVERSE; kind <= FORWARD; kind++) compare_tensors(&s, kind);
  end(&s);
}

// Without wrenches they are made in closed form.
static scene begin_unloaded(trial* t)
{
  limb_environment env = along_surroundings(t);
  env.nwrench = 0;
  return begin_in(t, env);
}

static void closed_tensors(trial* t)
{
  if (too_much(t)) return;
  scene s = begin_unloaded(t);
  for (int kind = INVERSE; kind <= last_kind(t); kind++) compare_tensors(&s, kind);
  end(&s);
}

START_TEST(closed_tensors_are_the_complex_step) { trial_over(_i, STATES, closed_tensors); }
END_TEST

static limb_status hessians_of(scene* s, int kind, const double* lambda, const limb_second_derivatives* out)
{
  trial* t = s->t;
  return kind == FORWARD ? limb_forward_dynamics_hessian(s->w, t->q, t->v, s->tau, &s->env, lambda, out)
                         : limb_inverse_dynamics_hessian(s->w, t->q, t->v, t->a, &s->env, lambda, out);
}

// Tensors, or Hessians with weights.
static limb_status second_of(scene* s, int kind, const double* lambda, const limb_second_derivatives* out)
{
  return lambda ? hessians_of(s, kind, lambda, out) : second_derivatives(s, kind, out);
}

// What is asked for alone is the same as among the others, and nothing of an older one is left. Tensors of forward
// dynamics without that by tau go another way: to the bit the others only.
static void alone_as_together(scene* s, int kind, const double* lambda)
{
  trial* t = s->t;
  const size_t n = (size_t)t->nv, count = lambda ? n * n : n * n * n;
  const limb_second_derivatives all = tensors(t, count);
  assert_ok(second_of(s, kind, lambda, &all));
  double* alone = trial_doubles(t, count);
  const double* const want[4] = {all.dqdq, all.dqdv, all.dvdv, all.dqdx};
  for (int k = 0; k < 4; k++) {
    limb_second_derivatives one = {0};
    *(k == 0 ? &one.dqdq : k == 1 ? &one.dqdv : k == 2 ? &one.dvdv : &one.dqdx) = alone;
    for (size_t i = 0; i < count; i++) alone[i] = (double)NAN;
    assert_ok(second_of(s, kind, lambda, &one));
    if (kind == INVERSE || lambda || k == 3) assert_that(!memcmp(alone, want[k], count * sizeof *alone));
    check_close_matrix(CHECK_SITE("alone"), alone, want[k], (int)count, 1, TOL_FORWARD, TOL_FORWARD);
  }
}

static void single_tensors(trial* t)
{
  if (!trial_small(t)) return;
  scene s = begin_unloaded(t);
  const double* lambda = along_directions(t, 1);
  for (int kind = INVERSE; kind <= FORWARD; kind++) {
    alone_as_together(&s, kind, NULL);
    alone_as_together(&s, kind, lambda);
  }
  end(&s);
}

START_TEST(tensors_alone_are_the_same) { trial_over(_i, STATES, single_tensors); }
END_TEST

START_TEST(tensors_are_the_complex_step) { trial_over(_i, STATES, all_tensors); }
END_TEST

// Along the velocities of one ball or free joint the order counts: d/dq_k d/dq_j - d/dq_j d/dq_k is the
// derivative along the bracket of the two. dy: the first derivatives.
static void add_brackets(const trial* t, const double* dy, double* T)
{
  const size_t n = (size_t)t->nv;
  for (int joint = 0; joint < limb_joint_count(t->m); joint++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(t->m, joint, &info));
    if (info.def.type != LIMB_SPHERICAL && info.def.type != LIMB_FREE) continue;
    for (int jk = 0; jk < info.nv * info.nv; jk++) {
      const int j = jk / info.nv, k = jk % info.nv;
      double x[2][6] = {{0}};
      x[0][j] = x[1][k] = 1;
      const sp_motion e_j = {{x[0][0], x[0][1], x[0][2]}, {x[0][3], x[0][4], x[0][5]}};
      const sp_motion e_k = {{x[1][0], x[1][1], x[1][2]}, {x[1][3], x[1][4], x[1][5]}};
      const sp_motion b = sp_crm(e_k, e_j);
      const double bracket[6] = {b.w.x, b.w.y, b.w.z, b.v.x, b.v.y, b.v.z};
      const size_t at = (size_t)info.v;
      for (size_t i = 0; i < n; i++) {
        double* entry = &T[(i * n + at + (size_t)j) * n + at + (size_t)k];
        for (size_t l = 0; l < (size_t)info.nv; l++) *entry += dy[i * n + at + l] * bracket[l];
      }
    }
  }
}

static void transpose(const double* T, size_t n, double* out)
{
  for (size_t i = 0; i < n * n * n; i++) out[i] = T[i / (n * n) * n * n + i % n * n + i / n % n];
}

static void symmetric(trial* t)
{
  if (too_much(t)) return;
  const size_t n = (size_t)t->nv, nn = n * n, nnn = nn * n;
  scene s = begin(t);
  double *by_q = trial_doubles(t, nnn), *by_v = trial_doubles(t, nnn), *other = trial_doubles(t, nnn);
  double *dq = trial_doubles(t, nn), *dv = trial_doubles(t, nn), *dx = trial_doubles(t, nn);
  const limb_second_derivatives T = {.dqdq = by_q, .dvdv = by_v};
  for (int kind = INVERSE; kind <= last_kind(t); kind++) {
    const limb_id_derivatives id = {NULL, dq, dv, dx};
    const limb_fd_derivatives fd = {NULL, dq, dv, dx};
    assert_ok(second_derivatives(&s, kind, &T));
    assert_ok(kind == INVERSE ? limb_inverse_dynamics_derivatives(t->d, t->q, t->v, t->a, &s.env, &id)
                              : limb_forward_dynamics_derivatives(t->d, t->q, t->v, s.tau, &s.env, &fd));
    transpose(by_v, n, other);
    assert_close_array(by_v, other, (int)nnn, tolerance(kind), tolerance(kind));
    transpose(by_q, n, other);
    add_brackets(t, dq, other);
    assert_close_array(by_q, other, (int)nnn, tolerance(kind), tolerance(kind));
  }
  end(&s);
}

START_TEST(tensors_are_symmetric_up_to_brackets) { trial_over(_i, STATES, symmetric); }
END_TEST

// ---- two directions ----------------------------------------------------------------------------------

static void times(const double* A, const double* x, size_t n, double* y)
{
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
  }
}

// (dy/dq)' u_q + (dy/dv)' u_v + (dy/dx)' u_x along `then`, by the oracle
static void pairs(scene* s, int kind)
{
  trial* t = s->t;
  const size_t n = (size_t)t->nv;
  const limb_directions u = directions(t, kind, COUNT), then = directions(t, kind, COUNT);
  double *got = trial_doubles(t, COUNT * n), *A = trial_doubles(t, n * n);
  if (kind == FORWARD) {
    assert_ok(limb_forward_dynamics_along_twice(s->w, t->q, t->v, s->tau, &s->env, &u, &then, got));
  } else {
    assert_ok(limb_inverse_dynamics_along_twice(s->w, t->q, t->v, t->a, &s->env, &u, &then, got));
  }
  for (int k = 0; k < COUNT; k++) {
    double* want = trial_doubles(t, n);
    run_oracle(s, kind, &then, k);
    cplx_derivative(s->o.dq, n * n, A);
    times(A, row(u.dq, k, t->nv), n, want);
    cplx_derivative(s->o.dv, n * n, A);
    times(A, row(u.dv, k, t->nv), n, want);
    cplx_derivative(s->o.dx, n * n, A);
    times(A, row(kind == FORWARD ? u.dtau : u.da, k, t->nv), n, want);
    assert_close_array(row(got, k, t->nv), want, t->nv, tolerance(kind), tolerance(kind));
  }
}

static void two_directions(trial* t)
{
  if (!trial_small(t)) return;
  scene s = begin(t);
  pairs(&s, INVERSE);
  pairs(&s, FORWARD);
  end(&s);
}

START_TEST(pairs_of_directions_are_the_complex_step) { trial_over(_i, STATES, two_directions); }
END_TEST

// Forces are of second degree in the velocities: polarised, they are their second derivative.
static void polarised(trial* t)
{
  if (!trial_small(t)) return;
  const size_t n = (size_t)t->nv;
  limb_environment env = along_surroundings(t);
  env.friction = 0;
  const limb_directions u = {.count = 1, .dv = along_directions(t, 1)};
  const limb_directions then = {.count = 1, .dv = along_directions(t, 1)};
  double *got = trial_doubles(t, n), *want = trial_doubles(t, n), *h = trial_doubles(t, n);
  double* v = trial_doubles(t, n);
  limb_dual* w;
  assert_ok(limb_dual_create(t->m, LIMB_DUAL_MATRICES, NULL, &w));
  assert_ok(limb_inverse_dynamics_along_twice(w, t->q, t->v, t->a, &env, &u, &then, got));
  limb_dual_destroy(w);
  for (int k = 0; k < 4; k++) { // h(u + w) - h(u) - h(w) + h(0)
    for (size_t i = 0; i < n; i++) v[i] = (k & 1 ? u.dv[i] : 0) + (k & 2 ? then.dv[i] : 0);
    assert_ok(limb_bias_forces(t->d, t->q, v, &env, h));
    for (size_t i = 0; i < n; i++) want[i] += (k == 1 || k == 2 ? -1 : 1) * h[i];
  }
  assert_close_array(got, want, t->nv, TOL, TOL * (1 + largest(h, n)));
}

START_TEST(by_velocities_forces_are_polarised) { trial_over(_i, 4 * STATES, polarised); }
END_TEST

// ---- weighted sums -----------------------------------------------------------------------------------

static void gradients(scene* s, int kind, const double* lambda)
{
  trial* t = s->t;
  const size_t n = (size_t)t->nv;
  const limb_directions along = directions(t, kind, COUNT);
  const limb_gradients g = {trial_doubles(t, COUNT * n), trial_doubles(t, COUNT * n), trial_doubles(t, COUNT * n)};
  if (kind == FORWARD) {
    assert_ok(limb_forward_dynamics_hessian_along(s->w, t->q, t->v, s->tau, &s->env, lambda, &along, &g));
  } else {
    assert_ok(limb_inverse_dynamics_hessian_along(s->w, t->q, t->v, t->a, &s->env, lambda, &along, &g));
  }
  double* want = trial_doubles(t, n);
  for (int k = 0; k < COUNT; k++) {
    run_oracle(s, kind, &along, k);
    const cplx* const A[3] = {s->o.dq, s->o.dv, s->o.dx};
    const double* const got[3] = {g.dq, g.dv, g.dx};
    for (int which = 0; which < 3; which++) {
      for (size_t l = 0; l < n; l++) {
        want[l] = 0;
        for (size_t i = 0; i < n; i++) {
          want[l] += lambda[i] * cimag(A[which][i * n + l]) / COMPLEX_STEP;
        }
      }
      assert_close_array(row(got[which], k, t->nv), want, t->nv, tolerance(kind), tolerance(kind));
    }
  }
}

// Its Hessian is the tensor, weighted.
static void hessians(scene* s, int kind, const double* lambda)
{
  trial* t = s->t;
  const size_t n = (size_t)t->nv, nn = n * n;
  const limb_second_derivatives H = tensors(t, nn), T = tensors(t, nn * n);
  assert_ok(hessians_of(s, kind, lambda, &H));
  assert_ok(second_derivatives(s, kind, &T));
  const double* const got[4] = {H.dqdq, H.dqdv, H.dvdv, H.dqdx};
  const double* const from[4] = {T.dqdq, T.dqdv, T.dvdv, T.dqdx};
  double* want = trial_doubles(t, nn);
  for (int which = 0; which < 4; which++) {
    memset(want, 0, nn * sizeof *want);
    for (size_t i = 0; i < n; i++) {
      for (size_t l = 0; l < nn; l++) want[l] += lambda[i] * from[which][i * nn + l];
    }
    assert_close_array(got[which], want, (int)nn, tolerance(kind), tolerance(kind));
  }
}

static void weighted_sums(trial* t)
{
  if (too_much(t)) return;
  scene s = begin(t);
  const double* lambda = along_directions(t, 1);
  for (int kind = INVERSE; kind <= last_kind(t); kind++) {
    gradients(&s, kind, lambda);
    hessians(&s, kind, lambda);
  }
  end(&s);
}

START_TEST(hessians_of_weighted_sums) { trial_over(_i, STATES, weighted_sums); }
END_TEST

static void closed_sums(trial* t)
{
  if (too_much(t)) return;
  scene s = begin_unloaded(t);
  const double* lambda = along_directions(t, 1);
  for (int kind = INVERSE; kind <= last_kind(t); kind++) hessians(&s, kind, lambda);
  end(&s);
}

START_TEST(closed_hessians_of_weighted_sums) { trial_over(_i, STATES, closed_sums); }
END_TEST

CHECK_MAIN("dynamics/second_derivatives", trial_robots(), first_derivatives_change_as_the_complex_step_says,
           tensors_are_the_complex_step, closed_tensors_are_the_complex_step, tensors_alone_are_the_same,
           tensors_are_symmetric_up_to_brackets, pairs_of_directions_are_the_complex_step,
           by_velocities_forces_are_polarised, hessians_of_weighted_sums, closed_hessians_of_weighted_sums)
