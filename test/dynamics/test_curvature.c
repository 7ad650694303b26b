// Curvature of the configuration space: symmetries, two ways, spaces whose curvature is known.
#include "dynamics/complex_step.h"
#include "support/robots_impl.h"

#include "limb/lagrange.h"

enum { STATES = CHECK_SANITIZED ? 1 : 2, MOST = 36 }; // velocities of robots whose nv^4 is looked at

static double at4(const double* R, size_t n, size_t i, size_t j, size_t k, size_t l)
{
  return R[((i * n + j) * n + k) * n + l];
}

static double* tensor(trial* t)
{
  const size_t n = (size_t)t->nv;
  double* R = trial_doubles(t, n * n * n * n);
  assert_ok(limb_curvature(t->d, t->q, trial_doubles(t, limb_curvature_work(t->m)), R));
  return R;
}

// ---- any robot --------------------------------------------------------------------------------------

// R_ijkl = -R_jikl = -R_ijlk = R_klij, and the first identity of Bianchi R_ijkl + R_iklj + R_iljk = 0.
static void symmetries(trial* t)
{
  if (t->nv > MOST) return;
  const size_t n = (size_t)t->nv, all = n * n * n * n;
  const double* R = tensor(t);
  double worst = 0;
  for (size_t x = 0; x < all; x++) {
    const size_t i = x / (n * n * n), j = x / (n * n) % n, k = x / n % n, l = x % n;
    worst = fmax(worst, fabs(R[x] + at4(R, n, j, i, k, l)));
    worst = fmax(worst, fabs(R[x] + at4(R, n, i, j, l, k)));
    worst = fmax(worst, fabs(R[x] - at4(R, n, k, l, i, j)));
    worst = fmax(worst, fabs(R[x] + at4(R, n, i, k, l, j) + at4(R, n, i, l, j, k)));
  }
  assert_that(worst <= t->solve * fmax(largest(R, all), 1));
}

START_TEST(symmetries_of_the_tensor) { trial_over(_i, STATES, symmetries); }
END_TEST

// M-product
static double product(const double* M, const double* x, const double* y, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) sum += x[i] * M[i * n + j] * y[j];
  return sum;
}

// <R(u, w) w, u>
static double along(const double* R, const double* u, const double* w, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < n; l++) sum += at4(R, n, i, j, k, l) * u[i] * w[j] * u[k] * w[l];
  return sum;
}

// Of the tensor (derivatives of symbols) and by Gauss's equation (accelerations of particles).
static void sections(trial* t)
{
  if (t->nv > MOST || t->nv < 2) return;
  const size_t n = (size_t)t->nv;
  const double *R = tensor(t), *u = t->v, *w = t->a;
  double *M = trial_doubles(t, n * n), K;
  double* work = trial_doubles(t, limb_sectional_curvature_work(t->m));
  assert_ok(limb_mass_matrix(t->d, t->q, M));
  const double uw = product(M, u, w, n);
  const double area2 = product(M, u, u, n) * product(M, w, w, n) - uw * uw;
  const double want = along(R, u, w, n) / area2;
  assert_ok(limb_sectional_curvature(t->d, t->q, u, w, work, &K));
  double size = 0; // of the terms that cancel
  for (size_t i = 0; i < n; i++) size += fabs(u[i]) * fabs(w[i]);
  assert_close(K, want, t->solve, t->solve * (1 + size * size * largest(R, n * n * n * n) / area2));
}

START_TEST(sectional_curvature_two_ways) { trial_over(_i, STATES, sections); }
END_TEST

// An orthonormal basis (Gram-Schmidt): row a is e_a.
static void orthonormal_basis(const double* M, size_t n, double* e)
{
  for (size_t a = 0; a < n; a++) {
    double* x = e + a * n;
    x[a] = 1;
    for (int round = 0; round < 2; round++) {
      for (size_t b = 0; b < a; b++) {
        const double s = product(M, x, e + b * n, n);
        for (size_t i = 0; i < n; i++) x[i] -= s * e[b * n + i];
      }
    }
    const double norm = sqrt(product(M, x, x, n));
    for (size_t i = 0; i < n; i++) x[i] /= norm;
  }
}

// Ric(e_a, e_a) = sum_b K(e_a, e_b), scalar = sum_ab K(e_a, e_b)
static void traces(trial* t)
{
  if (t->nv > (CHECK_SANITIZED ? 9 : 20)) return;
  const size_t n = (size_t)t->nv;
  double *M = trial_doubles(t, n * n), *e = trial_doubles(t, n * n), *Ric = trial_doubles(t, n * n);
  double* work = trial_doubles(t, limb_scalar_curvature_work(t->m));
  double* small = trial_doubles(t, limb_sectional_curvature_work(t->m));
  double scalar, sum = 0, size = 0;
  assert_ok(limb_mass_matrix(t->d, t->q, M));
  orthonormal_basis(M, n, e);
  assert_ok(limb_ricci_curvature(t->d, t->q, work, Ric));
  assert_ok(limb_scalar_curvature(t->d, t->q, work, &scalar));
  for (size_t a = 0; a < n; a++) {
    double row = 0, row_size = 0;
    for (size_t b = 0; b < n; b++) {
      double K;
      if (a == b) continue;
      assert_ok(limb_sectional_curvature(t->d, t->q, e + a * n, e + b * n, small, &K));
      row += K, row_size += fabs(K);
    }
    const double ric = product(Ric, e + a * n, e + a * n, n);
    assert_close(ric, row, 0, 1e-9 * fmax(row_size, 1));
    sum += row, size += row_size;
  }
  assert_close(scalar, sum, 0, 1e-9 * fmax(size, 1));
}

START_TEST(ricci_and_scalar_are_sums_of_sections) { trial_over(_i, STATES, traces); }
END_TEST

// ---- spaces that are known --------------------------------------------------------------------------

enum { SIX = 6 };

typedef struct space {
  limb_model* m;
  limb_data* d;
  size_t n;
  double M[SIX * SIX], R[SIX * SIX * SIX * SIX], Ric[SIX * SIX], scalar;
} space;

static space space_at(limb_model* m, const double* q)
{
  static double work[SIX * SIX * SIX * SIX + 2 * SIX * SIX * SIX + SIX * SIX];
  space s = {.m = m, .n = (size_t)limb_nv(m)};
  check_at("%s", limb_model_name(m));
  ck_assert_uint_le(limb_scalar_curvature_work(m), sizeof work / sizeof *work);
  assert_ok(limb_data_create(m, NULL, &s.d));
  assert_ok(limb_mass_matrix(s.d, q, s.M));
  assert_ok(limb_curvature(s.d, q, work, s.R));
  assert_ok(limb_ricci_curvature(s.d, q, work, s.Ric));
  assert_ok(limb_scalar_curvature(s.d, q, work, &s.scalar));
  return s;
}

static void space_free(space* s)
{
  limb_data_destroy(s->d);
  limb_model_destroy(s->m);
}

static const sp_vec3 x_axis = {1, 0, 0}, y_axis = {0, 1, 0}, z_axis = {0, 0, 1};

// Pan and tilt of a point mass m at a distance r: a sphere, K = 1 / (m r^2).
static limb_model* pan_tilt(double mass, double r)
{
  limb_builder* b = fixture_begin("pan_tilt");
  const int pan = fixture_link(b, "pan", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(3, -2, 1), z_axis, (sp_inertia){0});
  fixture_link(b, "tilt", LIMB_REVOLUTE, pan, fixture_at(0, 0, 0), y_axis, limb_inertia_point(mass, sp_v3(r, 0, 0)));
  return fixture_end(b);
}

START_TEST(sphere)
{
  if (_i > 0) return;
  static const double q[2] = {0.4, -0.7}, u[2] = {1, 0.2}, w[2] = {-0.3, 2};
  const double radius[2] = {1, 0.5};
  for (int k = 0; k < 2; k++) {
    space s = space_at(pan_tilt(1, radius[k]), q);
    const double K = 1 / (radius[k] * radius[k]);
    const double det = s.M[0] * s.M[3] - s.M[1] * s.M[2];
    assert_close(s.M[3], radius[k] * radius[k], 1e-14, 0);
    assert_close(at4(s.R, 2, 0, 1, 0, 1) / det, K, 1e-13, 0);
    assert_close(s.scalar, 2 * K, 1e-13, 0);
    for (int i = 0; i < 4; i++) assert_close(s.Ric[i], K * s.M[i], 1e-13, 1e-14);
    double work[16 + 96], got;
    ck_assert_uint_eq(limb_sectional_curvature_work(s.m), sizeof work / sizeof *work);
    assert_ok(limb_sectional_curvature(s.d, q, u, w, work, &got));
    assert_close(got, K, 1e-13, 0);
    space_free(&s);
  }
}
END_TEST

// Slides in three directions: M is constant. With a wheel on top the plane turns, and stays flat: the
// centre of mass is on its axis. A planar joint with the mass off the axis is flat too, although its M
// changes: coordinates of the centre of mass make it constant.
static limb_model* gantry(int wheel)
{
  limb_builder* b = fixture_begin("gantry");
  const sp_inertia Y = limb_inertia_box(2, 0.1, 0.2, 0.3);
  int p = fixture_link(b, "x", LIMB_PRISMATIC, LIMB_WORLD_BODY, fixture_at(0, 0, 1), x_axis, Y);
  p = fixture_link(b, "y", LIMB_PRISMATIC, p, fixture_at(0.1, 0, 0), y_axis, Y);
  p = fixture_link(b, "z", LIMB_PRISMATIC, p, fixture_at(0, 0.1, 0), z_axis, Y);
  if (wheel) fixture_link(b, "wheel", LIMB_REVOLUTE, p, fixture_at(0, 0, 0.2), z_axis, Y);
  return fixture_end(b);
}

static limb_model* sledge(void)
{
  limb_builder* b = fixture_begin("sledge");
  static const double I[6] = {0.3, 0.01, 0, 0.4, 0, 0.5};
  limb_joint_def def = limb_default_joint_def("sledge", LIMB_PLANAR, LIMB_WORLD_BODY,
                                              fixture_body(b, "sledge", fixture_inertia(3, sp_v3(0.4, 0.2, 0.1), I)));
  def.axis = z_axis, def.axis2 = x_axis;
  fixture_joint(b, &def);
  return fixture_end(b);
}

START_TEST(flat)
{
  if (_i > 0) return;
  static const double q[4] = {0.3, -0.2, 0.5, 1.1};
  limb_model* const flat_robots[] = {gantry(0), gantry(1), sledge(), robot_pendulum()};
  for (int k = 0; k < 4; k++) {
    space s = space_at(flat_robots[k], q);
    assert_that(largest(s.R, s.n * s.n * s.n * s.n) <= 1e-14);
    assert_that(fabs(s.scalar) <= 1e-13);
    space_free(&s);
  }
}
END_TEST

// A body that turns about its centre of mass, principal moments a, b, c: SO(3) with a left-invariant metric.
// Reference: J. Milnor, Curvatures of left invariant metrics on Lie groups, 1976, theorem 4.3: with
// l_1 = sqrt(a / (b c)) etc. and m_i = (l_1 + l_2 + l_3) / 2 - l_i, Ric(e_1, e_1) = 2 m_2 m_3, and the
// scalar is 2 (m_1 m_2 + m_2 m_3 + m_3 m_1). A sphere has K = 1 / (4 J) in every plane. Free flight adds
// three flat directions, wherever the body's frame is.
static void turning_body(limb_joint_type type, sp_vec3 com, const double I[3])
{
  static const double q[7] = {0.2, -0.1, 0.4, 0.5, 0.5, -0.5, 0.5};
  limb_builder* b = fixture_begin(type == LIMB_FREE ? "free" : "ball");
  fixture_link(b, "body", type, LIMB_WORLD_BODY, fixture_at(1, 2, 3), z_axis,
               fixture_inertia(2, com, (const double[6]){I[0], 0, 0, I[1], 0, I[2]}));
  space s = space_at(fixture_end(b), type == LIMB_FREE ? q : q + 3);
  double m[3], total = 0;
  for (int k = 0; k < 3; k++) {
    m[k] = sqrt(I[k] / (I[(k + 1) % 3] * I[(k + 2) % 3]));
    total += m[k] / 2;
  }
  for (int k = 0; k < 3; k++) m[k] = total - m[k];
  assert_close(s.scalar, 2 * (m[0] * m[1] + m[1] * m[2] + m[2] * m[0]), 1e-12, 0);
  for (size_t k = 0; k < 3; k++) // Ric of E_k, which is sqrt(I_k) long about the centre of mass
    assert_close(s.Ric[k * s.n + k], 2 * m[(k + 1) % 3] * m[(k + 2) % 3] * I[k], 1e-12, 1e-14);
  double work[8 * SIX + 48], K;
  static const double u[SIX] = {1, 0.3, -0.2, 0, 0, 0}, w[SIX] = {-0.4, 2, 0.7, 0, 0, 0};
  assert_ok(limb_sectional_curvature(s.d, type == LIMB_FREE ? q : q + 3, u, w, work, &K));
  if (I[0] == I[1] && I[1] == I[2] && sp_norm3(com) == 0) assert_close(K, 1 / (4 * I[0]), 1e-12, 0);
  if (type == LIMB_FREE) {
    static const double slide[SIX] = {0, 0, 0, 1, -2, 0.5};
    assert_ok(limb_sectional_curvature(s.d, q, u, slide, work, &K));
    assert_that(fabs(K) <= 1e-12);
  }
  space_free(&s);
}

START_TEST(rigid_body)
{
  if (_i > 0) return;
  static const double even[3] = {0.4, 0.4, 0.4}, brick[3] = {0.3, 0.5, 0.65};
  const sp_vec3 centre = {0, 0, 0}, off = {0.3, -0.2, 0.5};
  turning_body(LIMB_SPHERICAL, centre, even);
  turning_body(LIMB_SPHERICAL, centre, brick);
  turning_body(LIMB_FREE, centre, even);
  turning_body(LIMB_FREE, centre, brick);
  turning_body(LIMB_FREE, off, brick);
}
END_TEST

// ---- edges ------------------------------------------------------------------------------------------

static void bad_arguments(trial* t)
{
  if (t->nv > MOST || t->nv < 2) return;
  const size_t n = (size_t)t->nv;
  double *R = trial_doubles(t, n * n * n * n), *u = trial_doubles(t, n), *w = trial_doubles(t, n);
  double* work = trial_doubles(t, limb_scalar_curvature_work(t->m));
  double* small = trial_doubles(t, limb_sectional_curvature_work(t->m));
  limb_status (*const calls[])(limb_data*, const double*, double*, double*) = {limb_curvature, limb_ricci_curvature,
                                                                               limb_scalar_curvature};
  for (int k = 0; k < 3; k++) {
    assert_status(calls[k](NULL, t->q, work, R), LIMB_E_ARG);
    assert_status(calls[k](t->d, NULL, work, R), LIMB_E_ARG);
    assert_status(calls[k](t->d, t->q, NULL, R), LIMB_E_ARG);
    assert_status(calls[k](t->d, t->q, work, NULL), LIMB_E_ARG);
  }
  u[0] = 1, w[1] = 1;
  assert_status(limb_sectional_curvature(NULL, t->q, u, w, small, R), LIMB_E_ARG);
  assert_status(limb_sectional_curvature(t->d, NULL, u, w, small, R), LIMB_E_ARG);
  assert_status(limb_sectional_curvature(t->d, t->q, NULL, w, small, R), LIMB_E_ARG);
  assert_status(limb_sectional_curvature(t->d, t->q, u, NULL, small, R), LIMB_E_ARG);
  assert_status(limb_sectional_curvature(t->d, t->q, u, w, NULL, R), LIMB_E_ARG);
  assert_status(limb_sectional_curvature(t->d, t->q, u, w, small, NULL), LIMB_E_ARG);
  assert_ok(limb_sectional_curvature(t->d, t->q, u, w, small, R));
  w[1] = 0;
  assert_status(limb_sectional_curvature(t->d, t->q, u, w, small, R), LIMB_E_SINGULAR);
  assert_status(limb_sectional_curvature(t->d, t->q, w, u, small, R), LIMB_E_SINGULAR);
  w[0] = -3;
  assert_status(limb_sectional_curvature(t->d, t->q, u, w, small, R), LIMB_E_SINGULAR);
  w[1] = 1e300;
  assert_status(limb_sectional_curvature(t->d, t->q, u, w, small, R), LIMB_E_NONFINITE);
  w[1] = nan("");
  assert_status(limb_sectional_curvature(t->d, t->q, u, w, small, R), LIMB_E_NONFINITE);
  t->q[t->nq - 1] = HUGE_VAL;
  for (int k = 0; k < 3; k++) assert_status(calls[k](t->d, t->q, work, R), LIMB_E_NONFINITE);
}

START_TEST(what_cannot_be_computed_is_refused) { trial_over(_i, 1, bad_arguments); }
END_TEST

// A joint that moves no mass: M is singular, and there is no connection.
START_TEST(singular_mass_matrix)
{
  if (_i > 0) return;
  limb_builder* b = fixture_begin("massless");
  const int arm =
    fixture_link(b, "arm", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(0, 0, 0), z_axis, limb_inertia_box(1, 1, 1, 1));
  fixture_link(b, "ghost", LIMB_REVOLUTE, arm, fixture_at(1, 0, 0), y_axis, (sp_inertia){0});
  limb_model* m = fixture_end(b);
  limb_data* d;
  static const double q[2] = {0.1, 0.2}, u[2] = {1, 0}, w[2] = {0, 1};
  double x[16], work[16 + 96];
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_christoffel(d, q, x));
  assert_status(limb_christoffel_second(d, q, work, x), LIMB_E_SINGULAR);
  assert_status(limb_curvature(d, q, work, x), LIMB_E_SINGULAR);
  assert_status(limb_ricci_curvature(d, q, work, x), LIMB_E_SINGULAR);
  assert_status(limb_scalar_curvature(d, q, work, x), LIMB_E_SINGULAR);
  assert_status(limb_sectional_curvature(d, q, u, w, work, x), LIMB_E_SINGULAR);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// Two of them in a row, and an arm that is well beside them: what is behind the first zero pivot must not
// hide it.
START_TEST(singular_beside_a_regular_arm)
{
  if (_i > 0) return;
  limb_builder* b = fixture_begin("massless pair");
  fixture_link(b, "arm", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(0, 0, 0), z_axis, limb_inertia_box(1, 1, 1, 1));
  const int hook =
    fixture_link(b, "hook", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(1, 0, 0), y_axis, (sp_inertia){0});
  fixture_link(b, "eye", LIMB_REVOLUTE, hook, fixture_at(1, 0, 0), z_axis, (sp_inertia){0});
  limb_model* m = fixture_end(b);
  limb_data* d;
  static const double q[3] = {0.1, 0.2, 0.3};
  double x[81], work[81 + 54 + 9];
  assert_ok(limb_data_create(m, NULL, &d));
  assert_status(limb_mass_matrix_inverse(d, q, x), LIMB_E_SINGULAR);
  assert_status(limb_mass_matrix_solve(d, q, 1, q, x), LIMB_E_SINGULAR);
  assert_status(limb_christoffel_second(d, q, work, x), LIMB_E_SINGULAR);
  assert_status(limb_scalar_curvature(d, q, work, x), LIMB_E_SINGULAR);
  assert_status(limb_forward_dynamics(d, q, q, q, NULL, x), LIMB_E_SINGULAR);
  assert_status(limb_forward_dynamics_by_mass_matrix(d, q, q, q, NULL, work, x), LIMB_E_SINGULAR);
  assert_status(limb_linearise(d, q, q, q, NULL, x, work), LIMB_E_SINGULAR);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

START_TEST(too_large)
{
  if (_i > 0) return;
  limb_model* m = robot_chain(LIMB_TENSOR4_MAX + 1);
  limb_data* d;
  double q[LIMB_TENSOR4_MAX + 1] = {0}, x = 0;
  assert_ok(limb_data_create(m, NULL, &d));
  assert_status(limb_christoffel_derivative(d, q, &x), LIMB_E_UNSUPPORTED);
  assert_status(limb_connection_derivative(d, q, &x), LIMB_E_UNSUPPORTED);
  assert_status(limb_curvature(d, q, &x, &x), LIMB_E_UNSUPPORTED);
  assert_status(limb_ricci_curvature(d, q, &x, &x), LIMB_E_UNSUPPORTED);
  assert_status(limb_scalar_curvature(d, q, &x, &x), LIMB_E_UNSUPPORTED);
  ck_assert_uint_eq(limb_curvature_work(m), 0);
  ck_assert_uint_eq(limb_ricci_curvature_work(m), 0);
  ck_assert_uint_eq(limb_scalar_curvature_work(m), 0);
  ck_assert_uint_eq(limb_curvature_work(NULL), 0);
  ck_assert_uint_eq(limb_ricci_curvature_work(NULL), 0);
  ck_assert_uint_eq(limb_scalar_curvature_work(NULL), 0);
  ck_assert_uint_eq(limb_sectional_curvature_work(NULL), 0);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("dynamics/curvature", trial_robots(), symmetries_of_the_tensor, sectional_curvature_two_ways,
           ricci_and_scalar_are_sums_of_sections, sphere, flat, rigid_body, what_cannot_be_computed_is_refused,
           singular_mass_matrix, singular_beside_a_regular_arm, too_large)
