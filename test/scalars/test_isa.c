// Every instruction set that was built and that this processor runs gives the same answers.
#include "limb/derivatives.h"
#include "limb/dynamics.h"

#include "kernel/tables.h"
#include "support/trial.h"

#define TOL_ISA 1e-13

// The sets from the oldest to the one the library chooses here; returns how many.
static int runnable(const limb_kernels** sets)
{
  const limb_kernels* const built[] = LIMB_TABLES(limb_kernels_f64);
  int n = 0;
  for (int i = 0; i <= limb_isa_here(); i++) {
    if (built[i]) sets[n++] = built[i];
  }
  return n;
}

START_TEST(the_chosen_set_was_built)
{
  const limb_kernels* sets[3];
  const int n = runnable(sets);
  check_at("%d sets", n);
  assert_that(sets[n - 1] == limb_kernels_here());
}
END_TEST

typedef struct answers {
  double *tau, *M, *C, *Minv, *a, *by_M, *aba, *hybrid_a, *hybrid_tau;
  limb_id_derivatives id; // of small robots
  limb_fd_derivatives fd;
  limb_hybrid_derivatives hybrid;
  sp_pose* X;
  sp_motion *v, *acc;
} answers;

// Marks in turn: force, acceleration, force, ...
static limb_hybrid half_given(trial* t, const double* tau)
{
  double* x = trial_doubles(t, (size_t)t->nv);
  unsigned char* given = (unsigned char*)trial_doubles(t, (size_t)t->nv);
  for (int k = 0; k < t->nv; k++) given[k] = k & 1, x[k] = given[k] ? t->a[k] : tau[k];
  return (limb_hybrid){t->q, t->v, given, x, &t->env};
}

// Derivatives: every form of the kernels on the dof table, with one lane and with several.
static void ask_derivatives(trial* t, const double* tau, answers* x)
{
  const size_t n = (size_t)t->nv, nn = n * n;
  x->id = (limb_id_derivatives){trial_doubles(t, n), trial_doubles(t, nn), trial_doubles(t, nn), trial_doubles(t, nn)};
  x->fd = (limb_fd_derivatives){trial_doubles(t, n), trial_doubles(t, nn), trial_doubles(t, nn), trial_doubles(t, nn)};
  assert_ok(limb_inverse_dynamics_derivatives(t->d, t->q, t->v, t->a, &t->env, &x->id));
  assert_ok(limb_forward_dynamics_derivatives(t->d, t->q, t->v, tau, &t->env, &x->fd));
  const limb_hybrid in = half_given(t, tau);
  x->hybrid =
    (limb_hybrid_derivatives){trial_doubles(t, n), trial_doubles(t, nn), trial_doubles(t, nn), trial_doubles(t, nn)};
  assert_ok(limb_hybrid_dynamics_derivatives(t->d, &in, &x->hybrid));
}

static answers ask(trial* t, const limb_kernels* set, const double* tau_given)
{
  const size_t n = (size_t)t->nv, nl = (size_t)t->m->nlink;
  answers x = {.tau = trial_doubles(t, n),
               .M = trial_doubles(t, n * n),
               .C = trial_doubles(t, n * n),
               .Minv = trial_doubles(t, n * n),
               .a = trial_doubles(t, n),
               .by_M = trial_doubles(t, n),
               .aba = trial_doubles(t, n),
               .hybrid_a = trial_doubles(t, n),
               .hybrid_tau = trial_doubles(t, n),
               .X = trial_poses(t, nl),
               .v = trial_motions(t, nl),
               .acc = trial_motions(t, nl)};
  double* work = trial_doubles(t, n * n);
  t->d->kernels = set;
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &t->env, x.tau));
  const double* tau = tau_given ? tau_given : x.tau;
  assert_ok(limb_mass_matrix(t->d, t->q, x.M));
  assert_ok(limb_coriolis_matrix(t->d, t->q, t->v, x.C));
  assert_ok(limb_forward_dynamics(t->d, t->q, t->v, tau, &t->env, x.a));
  const limb_hybrid in = half_given(t, tau);
  assert_ok(limb_hybrid_dynamics(t->d, t->q, t->v, in.given, in.x, &t->env, x.hybrid_a, x.hybrid_tau));
  if (trial_small(t)) {
    ask_derivatives(t, tau, &x);
    assert_ok(limb_mass_matrix_inverse(t->d, t->q, x.Minv));
    assert_ok(limb_forward_dynamics_by_mass_matrix(t->d, t->q, t->v, tau, &t->env, work, x.by_M));
  }
  if (!t->m->has_mimic) {
    assert_ok(limb_forward_dynamics_aba(t->d, t->q, t->v, tau, &t->env, x.aba));
  }
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  for (size_t i = 0; i < nl; i++) {
    x.X[i] = t->d->motion.X[i], x.v[i] = t->d->motion.v[i], x.acc[i] = t->d->motion.a[i];
  }
  return x;
}

static void compare_derivatives(const trial* t, const answers* got, const answers* want)
{
  const int n = t->nv;
  assert_close_array(got->id.tau, want->id.tau, n, TOL_ISA, 0);
  assert_close_matrix(got->id.dtau_dq, want->id.dtau_dq, n, n, TOL_ISA, 0);
  assert_close_matrix(got->id.dtau_dv, want->id.dtau_dv, n, n, TOL_ISA, 0);
  assert_close_matrix(got->id.M, want->id.M, n, n, TOL_ISA, 0);
  assert_close_array(got->fd.acc, want->fd.acc, n, t->solve, 0);
  assert_close_matrix(got->fd.dacc_dq, want->fd.dacc_dq, n, n, t->solve, 0);
  assert_close_matrix(got->fd.dacc_dv, want->fd.dacc_dv, n, n, t->solve, 0);
  assert_close_matrix(got->fd.dacc_dtau, want->fd.dacc_dtau, n, n, t->solve, 0);
  assert_close_array(got->hybrid.y, want->hybrid.y, n, t->solve, 0);
  assert_close_matrix(got->hybrid.dy_dq, want->hybrid.dy_dq, n, n, t->solve, 0);
  assert_close_matrix(got->hybrid.dy_dv, want->hybrid.dy_dv, n, n, t->solve, 0);
  assert_close_matrix(got->hybrid.dy_dx, want->hybrid.dy_dx, n, n, t->solve, 0);
}

// M^-1 magnifies the last bits in which the sets differ by its condition number.
static void compare(const trial* t, const answers* got, const answers* want)
{
  const int n = t->nv, nl = t->m->nlink;
  assert_close_array(got->tau, want->tau, n, TOL_ISA, 0);
  assert_close_matrix(got->M, want->M, n, n, TOL_ISA, 0);
  assert_close_matrix(got->C, want->C, n, n, TOL_ISA, 0);
  assert_close_matrix(got->Minv, want->Minv, n, n, t->solve, 0);
  assert_close_array(got->a, want->a, n, t->solve, 0);
  assert_close_array(got->by_M, want->by_M, n, t->solve, 0);
  assert_close_array(got->aba, want->aba, n, t->solve, 0);
  assert_close_array(got->hybrid_a, want->hybrid_a, n, t->solve, 0);
  assert_close_array(got->hybrid_tau, want->hybrid_tau, n, t->solve, 0);
  assert_close_matrix(&got->X->R.m[0], &want->X->R.m[0], nl, 12, TOL_ISA, 0);
  assert_close_motions(got->v, want->v, nl, TOL_ISA, 0);
  assert_close_motions(got->acc, want->acc, nl, TOL_ISA, 0);
  if (trial_small(t)) compare_derivatives(t, got, want);
}

static void all_sets(trial* t)
{
  const limb_kernels* sets[3];
  const int n = runnable(sets);
  const answers base = ask(t, sets[0], NULL);
  for (int i = 1; i < n; i++) {
    const answers other = ask(t, sets[i], base.tau);
    compare(t, &other, &base);
  }
}

START_TEST(every_set_gives_the_same_answers) { trial_over(_i, 10, all_sets); }
END_TEST

CHECK_MAIN("scalars/isa", trial_robots(), the_chosen_set_was_built, every_set_gives_the_same_answers)
