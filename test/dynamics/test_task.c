// Task-space dynamics: identities over every fixture robot, and numbers that follow from a sketch.
#include "support/robots_impl.h"
#include "support/trial.h"

#include <math.h>
#include <string.h>

enum { TASKS = 3, ROWS = 6 * TASKS };

// Everything limb_task_dynamics gives, for a random stack of tasks.
typedef struct task_case {
  limb_task task[TASKS];
  limb_task_stack tasks;
  limb_task_space s;
  int k;
  double* work;
} task_case;

static unsigned random_directions(rng* r)
{
  const unsigned some = 1 + (unsigned)rng_below(r, LIMB_TWIST);
  return rng_chance(r, 0.5) ? some : some & (1 + (unsigned)rng_below(r, LIMB_TWIST));
}

// One block for all, because a state has room for few.
static void make_room(trial* t, task_case* c)
{
  const size_t k = ROWS, nv = (size_t)t->nv;
  limb_task_space* s = &c->s;
  double* x = trial_doubles(t, 2 * k * nv + nv * nv + 2 * k * k + 7 * k);
  s->J = x, s->Jbar = s->J + k * nv, s->N = s->Jbar + nv * k;
  s->mobility = s->N + nv * nv, s->Lambda = s->mobility + k * k;
  s->Jdot_v = s->Lambda + k * k, s->xdot = s->Jdot_v + k, s->sigma = s->xdot + k;
  s->mu = s->sigma + k, s->p = s->mu + k, s->eta = s->p + k, s->other = s->eta + k;
}

static void draw(trial* t, task_case* c)
{
  *c = (task_case){.tasks = {0, c->task}};
  const limb_ref refs[] = {LIMB_BODY, LIMB_WORLD, LIMB_ALIGNED};
  c->tasks.count = 1 + rng_below(&t->r, TASKS);
  for (int i = 0; i < c->tasks.count; i++) {
    c->task[i].frame = rng_below(&t->r, t->nframe);
    c->task[i].ref = refs[rng_below(&t->r, 3)];
    c->task[i].directions = random_directions(&t->r);
  }
  c->k = limb_task_rows(&c->tasks);
  c->work = trial_doubles(t, limb_task_work(t->m, c->k));
  make_room(t, c);
}

// What an inverse of that condition leaves of the digits.
static double tolerance(const trial* t, const task_case* c) { return t->solve + 1e-15 * c->s.condition; }

static double largest(const double* x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static double* unit(trial* t, int n)
{
  double* I = trial_doubles(t, (size_t)n * (size_t)n);
  for (int i = 0; i < n; i++) I[i * n + i] = 1;
  return I;
}

// C = A B for m x n and n x l matrices.
static double* product(trial* t, const double* A, const double* B, int m, int n, int l)
{
  double* C = trial_doubles(t, (size_t)m * (size_t)l);
  for (ptrdiff_t i = 0; i < m; i++) {
    for (ptrdiff_t k = 0; k < n; k++) {
      for (ptrdiff_t j = 0; j < l; j++) C[i * l + j] += A[i * n + k] * B[k * l + j];
    }
  }
  return C;
}

static double* transposed(trial* t, const double* A, int m, int n)
{
  double* B = trial_doubles(t, (size_t)m * (size_t)n);
  for (ptrdiff_t i = 0; i < m; i++) {
    for (ptrdiff_t j = 0; j < n; j++) B[j * m + i] = A[i * n + j];
  }
  return B;
}

// ---- the rows -------------------------------------------------------------------------------------------

static double component(sp_motion a, int c)
{
  const double x[6] = {a.w.x, a.w.y, a.w.z, a.v.x, a.v.y, a.v.z};
  return x[c];
}

// The rows of all tasks of what a kinematics call says about a frame.
typedef limb_status frame_fn(const limb_data* d, int frame, limb_ref ref, sp_motion* out);

static void gather(const trial* t, const task_case* c, frame_fn* f, frame_fn* aligned, double* rows)
{
  int r = 0;
  for (int i = 0; i < c->tasks.count; i++) {
    const limb_task* task = &c->task[i];
    sp_motion x;
    assert_ok((task->ref == LIMB_ALIGNED ? aligned : f)(t->d, task->frame, task->ref, &x));
    for (int j = 0; j < 6; j++) {
      if (task->directions & 1u << j) rows[r++] = component(x, j);
    }
  }
  ck_assert_int_eq(r, c->k);
}

// Either all is there, or the status says why not.
static int regular(trial* t, task_case* c, const limb_environment* env)
{
  const limb_status s = limb_task_dynamics(t->d, t->q, t->v, env, &c->tasks, NULL, c->work, &c->s);
  if (s != LIMB_OK) {
    assert_status(s, LIMB_E_SINGULAR);
    assert_that(c->s.condition > 1e12);
  } else {
    assert_that(c->s.condition >= 1 && c->s.condition <= 1e12);
    assert_that(c->k <= t->nv);
  }
  ck_assert_int_eq(c->s.rows, c->k);
  assert_that(c->s.damping == 0);
  return s == LIMB_OK;
}

// J, xdot and Jdot v are those of the kinematics calls, which the dynamics leave as they were.
static void rows(trial* t)
{
  task_case c;
  draw(t, &c);
  double *want = trial_doubles(t, ROWS), *got = trial_doubles(t, ROWS);
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  (void)regular(t, &c, &t->env);
  gather(t, &c, limb_frame_velocity, limb_frame_velocity, want);
  assert_close_array(c.s.xdot, want, c.k, TOL_ALGEBRA, TOL_ALGEBRA);
  gather(t, &c, limb_frame_acceleration, limb_frame_classical_acceleration, want);
  trial_times(c.s.J, t->a, c.k, t->nv, got);
  for (int i = 0; i < c.k; i++) got[i] += c.s.Jdot_v[i];
  assert_close_array(got, want, c.k, TOL_ALGEBRA, TOL_ALGEBRA);
  // sum of sigma^2 = sum of squares of J
  double squares = 0, sum = 0;
  for (int i = 0; i < c.k; i++) {
    sum += c.s.sigma[i] * c.s.sigma[i];
    assert_that(i == 0 || c.s.sigma[i] <= c.s.sigma[i - 1]);
    for (int k = 0; k < t->nv; k++) squares += c.s.J[i * t->nv + k] * c.s.J[i * t->nv + k];
  }
  assert_close(sum, squares, TOL_ALGEBRA, 0);
}

START_TEST(rows_are_those_of_the_frames) { trial_over(_i, TRIAL_STATES, rows); }
END_TEST

// ---- inverses -------------------------------------------------------------------------------------------

// mobility Lambda = 1, J Jbar = 1, M Jbar = J' Lambda, N N x = N x, J N x = 0
static void inverses(trial* t)
{
  if (trial_enough(t)) return;
  task_case c;
  draw(t, &c);
  if (!regular(t, &c, &t->env)) return;
  const int k = c.k, nv = t->nv;
  const double tol = tolerance(t, &c);
  double *I = unit(t, k), *M = trial_doubles(t, (size_t)nv * (size_t)nv);
  assert_close_matrix(product(t, c.s.mobility, c.s.Lambda, k, k, k), I, k, k, tol, 0);
  assert_close_matrix(product(t, c.s.J, c.s.Jbar, k, nv, k), I, k, k, tol, 0);
  assert_ok(limb_mass_matrix(t->d, t->q, M));
  const double* JL = product(t, transposed(t, c.s.J, k, nv), c.s.Lambda, nv, k, k);
  assert_close_matrix(product(t, M, c.s.Jbar, nv, nv, k), JL, nv, k, tol, 0);
  double *x = trial_doubles(t, (size_t)nv), *Nx = trial_doubles(t, (size_t)nv);
  double *NNx = trial_doubles(t, (size_t)nv), *JNx = trial_doubles(t, ROWS);
  rng_fill(&t->r, 1, nv, x);
  trial_times(c.s.N, x, nv, nv, Nx);
  trial_times(c.s.N, Nx, nv, nv, NNx);
  trial_times(c.s.J, Nx, k, nv, JNx);
  const double size = 1 + largest(c.s.N, nv * nv);
  assert_close_array(NNx, Nx, nv, tol, tol * size * size);
  assert_close_array(JNx, trial_doubles(t, ROWS), k, 0, tol * size * (1 + c.s.sigma[0]));
}

START_TEST(inverses_are_consistent_with_the_mass_matrix) { trial_over(_i, TRIAL_STATES, inverses); }
END_TEST

// ---- forces ---------------------------------------------------------------------------------------------

// Jbar' tau = Lambda (J a + Jdot v) + mu + p + other, with tau by inverse dynamics; and eta.
static void motion_to_force(trial* t, const limb_environment* env)
{
  task_case c;
  draw(t, &c);
  if (!regular(t, &c, env)) return;
  const int k = c.k, nv = t->nv;
  double *tau = trial_doubles(t, (size_t)nv), *F = trial_doubles(t, ROWS);
  double *xddot = trial_doubles(t, ROWS), *want = trial_doubles(t, ROWS);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, env, tau));
  trial_times(transposed(t, c.s.Jbar, nv, k), tau, k, nv, F);
  trial_times(c.s.J, t->a, k, nv, xddot);
  for (int i = 0; i < k; i++) xddot[i] += c.s.Jdot_v[i];
  trial_times(c.s.Lambda, xddot, k, k, want);
  double size = largest(want, k);
  for (int i = 0; i < k; i++) {
    size = fmax(size, fmax(fabs(c.s.eta[i]), fabs(c.s.other[i])));
    want[i] += c.s.mu[i] + c.s.p[i] + c.s.other[i];
    assert_close(c.s.eta[i], c.s.mu[i] + c.s.p[i], TOL_ALGEBRA, 0);
  }
  size = fmax(size, largest(c.s.Lambda, k * k) * largest(xddot, k));
  assert_close_array(F, want, k, 0, tolerance(t, &c) * size);
}

static void inverse(trial* t)
{
  if (trial_enough(t)) return;
  motion_to_force(t, &t->env);
  const limb_environment moving = trial_moving_base(t);
  motion_to_force(t, &moving);
  limb_environment light = t->env;
  light.coulomb_width = 0.3, light.gravity = rng_vec3(&t->r, 3);
  motion_to_force(t, &light);
  light.friction = 0, light.nwrench = 0;
  motion_to_force(t, &light);
}

START_TEST(forces_agree_with_inverse_dynamics) { trial_over(_i, TRIAL_STATES, inverse); }
END_TEST

// tau = J' (Lambda x'' + mu + p + other) + N' tau0 gives the task x'', by forward dynamics.
static void force_to_motion(trial* t, const limb_environment* env)
{
  task_case c;
  draw(t, &c);
  if (!regular(t, &c, env)) return;
  const int k = c.k, nv = t->nv;
  double *tau0 = trial_doubles(t, (size_t)nv), *tau = trial_doubles(t, (size_t)nv);
  double *want = trial_doubles(t, ROWS), *F = trial_doubles(t, ROWS);
  double *got = trial_doubles(t, ROWS), *a = trial_doubles(t, (size_t)nv);
  rng_fill(&t->r, 5, k, want);
  rng_fill(&t->r, 5, nv, tau0);
  trial_times(c.s.Lambda, want, k, k, F);
  for (int i = 0; i < k; i++) F[i] += c.s.eta[i] + c.s.other[i];
  assert_ok(limb_task_torque(t->m, &c.s, F, tau0, tau));
  assert_ok(limb_task_acceleration(t->d, t->q, t->v, tau, env, &c.tasks, c.work, got));
  assert_ok(limb_forward_dynamics(t->d, t->q, t->v, tau, env, a));
  const double size = largest(want, k) + largest(c.s.Jdot_v, k) + c.s.sigma[0] * largest(a, nv) +
                      largest(c.s.mobility, k * k) * largest(F, k);
  assert_close_array(got, want, k, 0, tolerance(t, &c) * size);
  // and that is the acceleration of the frames
  assert_ok(limb_kinematics(t->d, t->q, t->v, a));
  gather(t, &c, limb_frame_acceleration, limb_frame_classical_acceleration, want);
  assert_close_array(got, want, k, TOL_ALGEBRA, TOL_ALGEBRA * size);
}

static void forward(trial* t)
{
  if (trial_enough(t)) return;
  force_to_motion(t, &t->env);
  const limb_environment moving = trial_moving_base(t);
  force_to_motion(t, &moving);
}

START_TEST(a_wanted_acceleration_is_what_forward_dynamics_gives) { trial_over(_i, TRIAL_STATES, forward); }
END_TEST

// Damped: Lambda is smaller than 1 / delta and goes over into the exact one like delta Lambda^2.
static void damped(trial* t)
{
  if (trial_enough(t)) return;
  task_case c;
  draw(t, &c);
  if (!regular(t, &c, &t->env) || c.k == 0 || c.s.condition > 1e6) return;
  const int k = c.k;
  double *exact = trial_doubles(t, ROWS * ROWS), *L = c.s.Lambda;
  memcpy(exact, L, sizeof(double) * (size_t)(k * k));
  const double* square = product(t, exact, exact, k, k, k);
  const double size = largest(exact, k * k);
  limb_task_options o = limb_default_task_options();
  for (int i = 0; i < 3; i++) {
    o.damping = pow(10, -2 - 3 * i) / size;
    assert_ok(limb_task_dynamics(t->d, t->q, t->v, &t->env, &c.tasks, &o, c.work, &c.s));
    assert_that(c.s.damping == o.damping);
    assert_that(largest(L, k * k) <= (1 + 1e-9) / o.damping);
    // (A + delta)^-1 = A^-1 - delta A^-2 + O(delta^2)
    const double second = o.damping * size * k;
    for (int j = 0; j < k * k; j++)
      assert_close(L[j], exact[j] - o.damping * square[j], 0, size * (second * second + tolerance(t, &c)));
  }
}

START_TEST(damping_goes_over_into_the_exact_inverse) { trial_over(_i, TRIAL_STATES, damped); }
END_TEST

// A hinge that carries a frame at a distance whose square is no number: the row is large, not rounding.
START_TEST(far_frames)
{
  if (_i > 0) return;
  limb_builder* b = fixture_begin("lighthouse");
  const sp_inertia box = limb_inertia_box(6, 1, 1, 1); // 1 kg m^2 about the hinge
  const int lamp = fixture_link(b, "lamp", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(0, 0, 0), sp_v3(0, 0, 1), box);
  fixture_frame(b, "far", lamp, fixture_at(1e160, 0, 0));
  fixture_frame(b, "farther", lamp, fixture_at(1.5e308, 1.5e308, 0));
  limb_model* m = fixture_end(b);
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  limb_task task = {limb_find_frame(m, "far"), LIMB_ALIGNED, LIMB_LINEAR};
  const limb_task_stack tasks = {1, &task};
  const double q = 0, v = 0, tau = 1, want[3] = {0, 1e160, 0};
  double work[64], xddot[3];
  assert_ok(limb_task_acceleration(d, &q, &v, &tau, NULL, &tasks, work, xddot));
  assert_close_array(xddot, want, 3, 1e-14, 0);
  limb_task_space s = {0};
  task.directions = LIMB_VY; // J M^-1 J' is no number
  assert_status(limb_task_dynamics(d, &q, &v, NULL, &tasks, NULL, work, &s), LIMB_E_NONFINITE);
  const double turned = -0.785; // the frame is at (2.1e308, 0) then
  task.frame = limb_find_frame(m, "farther");
  assert_status(limb_task_acceleration(d, &turned, &v, &tau, NULL, &tasks, work, xddot), LIMB_E_NONFINITE);
  assert_status(limb_task_dynamics(d, &turned, &v, NULL, &tasks, NULL, work, &s), LIMB_E_NONFINITE);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("dynamics/task", trial_robots(), rows_are_those_of_the_frames, inverses_are_consistent_with_the_mass_matrix,
           forces_agree_with_inverse_dynamics, a_wanted_acceleration_is_what_forward_dynamics_gives,
           damping_goes_over_into_the_exact_inverse, far_frames)
