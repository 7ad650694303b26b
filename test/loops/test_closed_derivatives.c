// Derivatives of forward and inverse dynamics through the constraints, against the complex step through the
// equations of motion solved by plain elimination; and what is refused.
#include "limb/derivatives.h"
#include "limb/loops.h"

#include "loops/closed.h"
#include "loops/complex_loops.h"
#include "support/check.h"
#include "support/lean.h"

#include <string.h>

enum { SEEDS = CHECK_SANITIZED ? 1 : 3 };
#define CLOSE 1e-10 // of the largest entry
#define WIDTH 0.3   // of smooth friction

static double* room(size_t n)
{
  double* x = calloc(n + 1, sizeof *x);
  ck_assert_ptr_nonnull(x);
  return x;
}

static limb_environment surroundings(const limb_model* m)
{
  limb_environment env = limb_default_environment(m);
  env.coulomb_width = WIDTH;
  return env;
}

static const limb_terms all_terms = {true, true, true, WIDTH};

// ---- forward --------------------------------------------------------------------------------------------

typedef struct slopes {
  double *a, *lambda, *q, *v, *tau, *lq, *lv, *ltau;
} slopes;

static slopes slopes_make(const limb_model* m)
{
  const size_t n = (size_t)limb_nv(m), r = (size_t)limb_constraint_count(m);
  return (slopes){room(n), room(r), room(n * n), room(n * n), room(n * n), room(r * n), room(r * n), room(r * n)};
}

static void slopes_free(slopes* s)
{
  double* const all[] = {s->a, s->lambda, s->q, s->v, s->tau, s->lq, s->lv, s->ltau};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
}

// M a - Psi' lambda = tau - h,  Psi a = -bias: into c->x.
static void forward(cplx_robot* c, const double* tau, const double* dtau)
{
  const limb_model* m = c->m;
  memset(c->a, 0, (size_t)c->n * sizeof *c->a);
  cplx_rows(c);
  limb_kernels_c64.mass_matrix(m, m->k64, &c->space.ws, c->q, c->M);
  limb_kernels_c64.inverse_dynamics(m, m->k64, &c->space.ws, c->q, c->v, c->a, &all_terms, NULL, c->h);
  for (int i = 0; i < c->n; i++) c->h[i] = cplx_make(tau[i], dtau ? COMPLEX_STEP * dtau[i] : 0) - c->h[i];
  for (int r = 0; r < c->rows; r++) c->bias[r] = -c->bias[r];
  cplx_saddle(c, c->M, -1, c->h, c->bias);
}

// The user's row of a row in the order of the clusters.
static int user_row(const limb_model* m, int row)
{
  for (int l = 0; l < m->nloop; l++) {
    const int first = m->clusters.cluster[m->loop[l].cluster].row + m->loop[l].local;
    if (row >= first && row < first + m->loop[l].nrow) return m->loop[l].row + row - first;
  }
  abort();
}

static void compare_column(const cplx_robot* c, int k, const double* da, const double* dl, double size_a, double size_l)
{
  for (int i = 0; i < c->n; i++)
    assert_close(da[(ptrdiff_t)i * c->n + k], cimag(c->x[i]) / COMPLEX_STEP, 0, CLOSE * size_a);
  for (int r = 0; r < c->nlive; r++)
    assert_close(dl[(ptrdiff_t)user_row(c->m, c->live[r]) * c->n + k], cimag(c->x[c->n + r]) / COMPLEX_STEP, 0,
                 CLOSE * size_l);
}

// One plus the largest entry.
static double size_of(const double* A, int rows, int columns) { return 1 + largest(A, (size_t)rows * (size_t)columns); }

static void compare_forward(const closed_case* c, const double* tau, const slopes* s)
{
  const limb_model* m = c->m;
  const int n = limb_nv(m), rows = limb_constraint_count(m);
  cplx_robot z = cplx_robot_make(m);
  double* unit = room((size_t)n);
  cplx_move(&z, c->q, NULL), cplx_step(n, c->v, NULL, z.v), cplx_rows(&z), cplx_find_live(&z);
  for (int k = 0; k < n; k++) {
    unit[k] = 1;
    cplx_move(&z, c->q, unit), cplx_step(n, c->v, NULL, z.v), forward(&z, tau, NULL);
    for (int i = 0; i < n; i++) assert_close(s->a[i], creal(z.x[i]), 0, 1e-9 * size_of(s->a, n, 1));
    compare_column(&z, k, s->q, s->lq, size_of(s->q, n, n), size_of(s->lq, rows, n));
    cplx_move(&z, c->q, NULL), cplx_step(n, c->v, unit, z.v), forward(&z, tau, NULL);
    compare_column(&z, k, s->v, s->lv, size_of(s->v, n, n), size_of(s->lv, rows, n));
    cplx_step(n, c->v, NULL, z.v), forward(&z, tau, unit);
    compare_column(&z, k, s->tau, s->ltau, size_of(s->tau, n, n), size_of(s->ltau, rows, n));
    unit[k] = 0;
  }
  free(unit);
  cplx_robot_free(&z);
}

static bool suits(const closed_case* c) { return !(c->flags & (CLOSED_REDUNDANT | CLOSED_LAW | CLOSED_MIMIC)); }

START_TEST(forward_derivatives_are_those_of_the_complex_step)
{
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    closed_case c = closed_make(_i, seed);
    if (!suits(&c)) {
      closed_free(&c);
      continue;
    }
    const int n = limb_nv(c.m);
    limb_data* w = NULL;
    limb_dual* u = NULL;
    ck_assert_int_eq(limb_data_create(c.m, NULL, &w), LIMB_OK);
    ck_assert_int_eq(limb_dual_create(c.m, LIMB_DUAL_VECTORS, NULL, &u), LIMB_OK);
    double* tau = room((size_t)n);
    for (int i = 0; i < n; i++) tau[i] = 1 + 0.3 * i;
    slopes s = slopes_make(c.m);
    const limb_environment env = surroundings(c.m);
    const limb_closed_motion in = {c.q, c.v, NULL, &env};
    const limb_closed_derivatives out = {s.a, s.lambda, s.q, s.v, s.tau, s.lq, s.lv, s.ltau};
    const limb_status status = limb_closed_forward_dynamics_derivatives(w, u, &in, tau, NULL, &out);
    limb_mobility mobility;
    ck_assert_int_eq(limb_mobility_at(w, c.q, NULL, &mobility), LIMB_OK);
    if (mobility.redundant > mobility.idle) {    // random rows may happen to depend on each other
      ck_assert_int_eq(status, LIMB_E_SINGULAR); // because of the multipliers
    } else {
      ck_assert_msg(status == LIMB_OK, "%s: %s", c.name, limb_status_text(status));
      compare_forward(&c, tau, &s);
    }
    slopes_free(&s);
    free(tau);
    limb_dual_destroy(u);
    limb_data_destroy(w);
    closed_free(&c);
  }
}
END_TEST

// ---- inverse --------------------------------------------------------------------------------------------

// Dependent entries of x for which Psi x = b: by the rows of live and a unit row for every independent one.
static void complete(cplx_robot* c, const unsigned char* independent, const cplx* b, cplx* x)
{
  const ptrdiff_t n = c->n, wide = n + 1;
  ptrdiff_t row = 0;
  memset(c->K, 0, (size_t)(n * wide) * sizeof *c->K);
  for (int i = 0; i < c->n; i++) {
    if (!independent[i]) continue;
    c->K[row * wide + i] = 1, c->K[row * wide + n] = x[i];
    row++;
  }
  for (int r = 0; r < c->nlive; r++, row++) {
    for (int i = 0; i < c->n; i++) c->K[row * wide + i] = cplx_psi(c, c->live[r], i);
    c->K[row * wide + n] = b ? b[c->live[r]] : 0;
  }
  ck_assert_int_eq((int)row, c->n);
  cplx_eliminate(c->K, c->n, x);
}

// Torques of least norm at q, with the independent entries of v and a: S z + Psi' lambda = Gamma, Psi z = 0.
static void inverse(cplx_robot* c, const unsigned char* independent, const unsigned char* active)
{
  const limb_model* m = c->m;
  cplx* keep = cplx_room((size_t)c->n);
  memcpy(keep, c->a, (size_t)c->n * sizeof *keep);
  cplx_rows(c);
  complete(c, independent, NULL, c->v);
  memset(c->a, 0, (size_t)c->n * sizeof *c->a);
  cplx_rows(c);
  for (int r = 0; r < c->rows; r++) c->bias[r] = -c->bias[r];
  memcpy(c->a, keep, (size_t)c->n * sizeof *keep);
  complete(c, independent, c->bias, c->a);
  limb_kernels_c64.inverse_dynamics(m, m->k64, &c->space.ws, c->q, c->v, c->a, &all_terms, NULL, c->h);
  memset(c->M, 0, (size_t)c->n * (size_t)c->n * sizeof *c->M);
  for (ptrdiff_t i = 0; i < c->n; i++) c->M[i * c->n + i] = active[i];
  cplx_saddle(c, c->M, 1, c->h, NULL);
  free(keep);
}

typedef struct inverse_case {
  const closed_case* c;
  const double* a;
  const double* G; // n x y
  unsigned char *independent, *active;
  int y;
  limb_closed_inverse_derivatives out;
} inverse_case;

// Column k: along dq, dv or da that is column k of G.
static void compare_inverse_column(cplx_robot* z, const inverse_case* x, int k)
{
  const int n = z->n;
  const closed_case* c = x->c;
  double *dir = room((size_t)n), *unit = room((size_t)n);
  for (int i = 0; i < n; i++) dir[i] = x->G[(ptrdiff_t)i * x->y + k];
  for (int i = 0, at = 0; i < n; i++) unit[i] = x->independent[i] && at++ == k;
  const double* const got[3] = {x->out.dtau_dy, x->out.dtau_dydot, x->out.dtau_dyddot};
  for (int what = 0; what < 3; what++) {
    cplx_move(z, c->q, what == 0 ? dir : NULL);
    cplx_step(n, c->v, what == 1 ? unit : NULL, z->v);
    cplx_step(n, x->a, what == 2 ? unit : NULL, z->a);
    inverse(z, x->independent, x->active);
    const double size = size_of(got[what], n, x->y);
    for (int i = 0; i < n; i++) {
      const cplx tau = x->active[i] ? z->x[i] : 0;
      assert_close(x->out.tau[i], creal(tau), 0, 1e-9 * size_of(x->out.tau, n, 1));
      assert_close(got[what][(ptrdiff_t)i * x->y + k], cimag(tau) / COMPLEX_STEP, 0, CLOSE * size);
    }
  }
  free(dir);
  free(unit);
}

static void mark_active(const limb_model* m, unsigned char* active)
{
  ck_assert_int_eq(limb_given_for_passive(m, active), LIMB_OK);
}

static void check_inverse(const closed_case* c)
{
  const size_t n = (size_t)limb_nv(c->m);
  limb_data* w = NULL;
  limb_dual* u = NULL;
  ck_assert_int_eq(limb_data_create(c->m, NULL, &w), LIMB_OK);
  ck_assert_int_eq(limb_dual_create(c->m, LIMB_DUAL_VECTORS, NULL, &u), LIMB_OK);
  limb_mobility mobility;
  ck_assert_int_eq(limb_mobility_at(w, c->q, NULL, &mobility), LIMB_OK);
  double *a = room(n), *G = room(n * n);
  closed_acceleration(c, 7, a);
  inverse_case x = {.c = c, .a = a, .G = G};
  x.independent = calloc(n + 1, 1), x.active = calloc(n + 1, 1);
  ck_assert(x.independent && x.active);
  x.out = (limb_closed_inverse_derivatives){room(n), room(n * n), room(n * n), room(n * n)};
  const limb_environment env = surroundings(c->m);
  const limb_closed_motion in = {c->q, c->v, a, &env};
  mark_active(c->m, x.active);
  ck_assert_int_eq(limb_independent_velocities(w, c->q, NULL, x.independent), LIMB_OK);
  ck_assert_int_eq(limb_velocity_map(w, c->q, x.independent, NULL, &x.y, G), LIMB_OK);
  int count = -1;
  const limb_status s = limb_closed_inverse_dynamics_derivatives(w, u, &in, NULL, NULL, &count, &x.out);
  if (mobility.undriven > 0) {
    ck_assert_int_eq(s, LIMB_E_SINGULAR);
  } else if (mobility.redundant == mobility.idle) { // else: test_redundant_derivatives.c
    ck_assert_msg(s == LIMB_OK, "%s: %s", c->name, limb_status_text(s));
    ck_assert_int_eq(count, x.y);
    cplx_robot z = cplx_robot_make(c->m);
    cplx_move(&z, c->q, NULL), cplx_step((int)n, c->v, NULL, z.v), cplx_rows(&z);
    cplx_find_live(&z);
    for (int k = 0; k < x.y; k++) compare_inverse_column(&z, &x, k);
    cplx_robot_free(&z);
  }
  double* const all[] = {a, G, x.out.tau, x.out.dtau_dy, x.out.dtau_dydot, x.out.dtau_dyddot};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
  free(x.independent);
  free(x.active);
  limb_dual_destroy(u);
  limb_data_destroy(w);
}

START_TEST(inverse_derivatives_are_those_of_the_complex_step)
{
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    closed_case c = closed_make(_i, seed);
    if (suits(&c)) check_inverse(&c);
    closed_free(&c);
  }
}
END_TEST

// ---- refusals -------------------------------------------------------------------------------------------

START_TEST(what_cannot_be_differentiated_is_refused)
{
  closed_case c = closed_find("four_bar", 1), other = closed_find("bennett", 1);
  const size_t n = (size_t)limb_nv(c.m), no = (size_t)limb_nv(other.m);
  limb_data *w = NULL, *lean = NULL, *wo = NULL;
  limb_dual *u = NULL, *uo = NULL;
  ck_assert_int_eq(limb_data_create(c.m, NULL, &w), LIMB_OK);
  lean = closed_lean(c.m);
  ck_assert_int_eq(limb_data_create(other.m, NULL, &wo), LIMB_OK);
  ck_assert_int_eq(limb_dual_create(c.m, LIMB_DUAL_VECTORS, NULL, &u), LIMB_OK);
  ck_assert_int_eq(limb_dual_create(other.m, LIMB_DUAL_VECTORS, NULL, &uo), LIMB_OK);
  double *tau = room(n + no), *J = room(no * no);
  const limb_closed_motion in = {c.q, c.v, tau, NULL}, from = {other.q, other.v, tau, NULL};
  const limb_closed_derivatives out = {.da_dq = J}, multipliers = {.dlambda_dtau = J};
  const limb_closed_inverse_derivatives inverse_out = {.dtau_dy = J};
  int count = 0;
  limb_loop_solver o = limb_default_loop_solver();
  ck_assert_int_eq(limb_closed_forward_dynamics_derivatives(w, u, &in, tau, &o, &out), LIMB_OK);
  ck_assert_int_eq(limb_closed_forward_dynamics_derivatives(w, uo, &in, tau, &o, &out), LIMB_E_ARG);
  ck_assert_int_eq(limb_closed_forward_dynamics_derivatives(lean, u, &in, tau, &o, &out), LIMB_E_ORDER);
  ck_assert_int_eq(limb_closed_forward_dynamics_derivatives(w, u, &in, NULL, &o, &out), LIMB_E_ARG);
  ck_assert_int_eq(limb_closed_forward_dynamics_derivatives(w, u, &in, tau, &o, NULL), LIMB_E_ARG);
  o.alpha = 1;
  ck_assert_int_eq(limb_closed_forward_dynamics_derivatives(w, u, &in, tau, &o, &out), LIMB_E_ARG);
  // redundant rows: changes of the multipliers are not defined
  ck_assert_int_eq(limb_closed_forward_dynamics_derivatives(wo, uo, &from, tau, NULL, &multipliers), LIMB_E_SINGULAR);
  ck_assert_int_eq(limb_closed_inverse_dynamics_derivatives(lean, u, &in, NULL, NULL, &count, &inverse_out),
                   LIMB_E_ORDER);
  ck_assert_int_eq(limb_closed_inverse_dynamics_derivatives(w, u, &in, NULL, NULL, NULL, &inverse_out), LIMB_E_ARG);
  free(tau);
  free(J);
  limb_dual_destroy(u);
  limb_dual_destroy(uo);
  limb_data_destroy(w);
  limb_data_destroy(lean);
  limb_data_destroy(wo);
  closed_free(&c);
  closed_free(&other);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const robots[] = {forward_derivatives_are_those_of_the_complex_step,
                                 inverse_derivatives_are_those_of_the_complex_step, NULL};
  const TTest* const edges[] = {what_cannot_be_differentiated_is_refused, NULL};
  const int failed = check_run("loops/derivatives", closed_count(), robots);
  return check_run("loops/derivatives: edges", 1, edges) | failed;
}
