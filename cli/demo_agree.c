// The agreement of independent formulations: the same quantity by other equations, over random states.
#include "limb/verify.h"

#include "compare.h"
#include "demo.h"

#include <stdio.h>

enum { STATES = 200, NN = DEMO_MOST * DEMO_MOST };

static const double AGREED = 1e-10; // what limb promises for quantities with an inverse

typedef struct sample {
  double q[DEMO_MOST], v[DEMO_MOST], a[DEMO_MOST];
  double tau[DEMO_MOST]; // inverse dynamics of (q, v, a)
} sample;

typedef double comparison(demo_run* run, const demo_robot* r, const sample* x);

// Largest difference, relative to the largest number.
static double differ(int n, const double* x, const double* y)
{
  double off = 0, size = 0;
  for (int i = 0; i < n; i++) {
    off = fmax(off, fabs(x[i] - y[i]));
    size = fmax(size, fmax(fabs(x[i]), fabs(y[i])));
  }
  return size > 0 ? off / size : 0;
}

// ---- inverse dynamics ---------------------------------------------------------------------------

static double against_lie_form(demo_run* run, const demo_robot* r, const sample* x)
{
  double tau[DEMO_MOST];
  demo_keep(run, limb_reference_inverse_dynamics(r->model, x->q, x->v, x->a, NULL, tau, NULL));
  return differ(r->nv, x->tau, tau);
}

// rest = friction + springs
static void passive_forces(demo_run* run, const demo_robot* r, const sample* x, double* rest)
{
  double springs[DEMO_MOST];
  demo_keep(run, limb_friction_forces(r->data, x->v, NULL, rest));
  demo_keep(run, limb_spring_forces(r->data, x->q, springs));
  for (int i = 0; i < r->nv; i++) rest[i] += springs[i];
}

// sum = M a + rest
static void add_inertial(const demo_robot* r, const double* M, const double* a, double* sum)
{
  for (int i = 0; i < r->nv; i++)
    for (int j = 0; j < r->nv; j++) sum[i] += M[i * r->nv + j] * a[j];
}

static double against_mass_matrix(demo_run* run, const demo_robot* r, const sample* x)
{
  double M[NN], h[DEMO_MOST], sum[DEMO_MOST];
  demo_keep(run, limb_mass_matrix(r->data, x->q, M));
  demo_keep(run, limb_bias_forces(r->data, x->q, x->v, NULL, h));
  passive_forces(run, r, x, sum);
  for (int i = 0; i < r->nv; i++) sum[i] += h[i];
  add_inertial(r, M, x->a, sum);
  return differ(r->nv, x->tau, sum);
}

static double against_closed_form(demo_run* run, const demo_robot* r, const sample* x)
{
  double M[NN], c[DEMO_MOST], g[DEMO_MOST], sum[DEMO_MOST];
  demo_keep(run, limb_reference_closed_form(r->model, x->q, x->v, NULL, M, c, g));
  passive_forces(run, r, x, sum);
  for (int i = 0; i < r->nv; i++) sum[i] += c[i] + g[i];
  add_inertial(r, M, x->a, sum);
  return differ(r->nv, x->tau, sum);
}

static double mass_matrices(demo_run* run, const demo_robot* r, const sample* x)
{
  double M[NN], A[NN];
  demo_keep(run, limb_mass_matrix(r->data, x->q, M));
  demo_keep(run, limb_reference_closed_form(r->model, x->q, x->v, NULL, A, NULL, NULL));
  return differ(r->nv * r->nv, M, A);
}

// ---- forward dynamics ---------------------------------------------------------------------------

static double there_and_back(demo_run* run, const demo_robot* r, const sample* x)
{
  double a[DEMO_MOST];
  demo_keep(run, limb_forward_dynamics(r->data, x->q, x->v, x->tau, NULL, a));
  return differ(r->nv, x->a, a);
}

// Articulated bodies do not exist for mimic joints.
static double articulated_bodies(demo_run* run, const demo_robot* r, const sample* x)
{
  double a[DEMO_MOST], b[DEMO_MOST], work[NN];
  const limb_status s = limb_forward_dynamics_aba(r->data, x->q, x->v, x->tau, NULL, a);
  if (s == LIMB_E_UNSUPPORTED) return -1;
  demo_keep(run, s);
  demo_keep(run, limb_forward_dynamics_by_mass_matrix(r->data, x->q, x->v, x->tau, NULL, work, b));
  return differ(r->nv, a, b);
}

// a = M^-1 (tau - h - friction - springs)
static double by_solving(demo_run* run, const demo_robot* r, const sample* x)
{
  double h[DEMO_MOST], rest[DEMO_MOST], b[DEMO_MOST], a[DEMO_MOST];
  demo_keep(run, limb_bias_forces(r->data, x->q, x->v, NULL, h));
  passive_forces(run, r, x, rest);
  for (int i = 0; i < r->nv; i++) b[i] = x->tau[i] - h[i] - rest[i];
  demo_keep(run, limb_mass_matrix_solve(r->data, x->q, 1, b, b));
  demo_keep(run, limb_forward_dynamics(r->data, x->q, x->v, x->tau, NULL, a));
  return differ(r->nv, a, b);
}

// ---- the table ----------------------------------------------------------------------------------

static const struct {
  const char* text;
  comparison* compare;
} table[] = {
  {"inverse dynamics: RNEA, Lie-group recursion", against_lie_form},
  {"inverse dynamics: RNEA, M a + h", against_mass_matrix},
  {"inverse dynamics: RNEA, closed form A'L'GLA", against_closed_form},
  {"mass matrix: CRBA, closed form A'L'GLA", mass_matrices},
  {"forward dynamics: ABA, factors of M", articulated_bodies},
  {"forward dynamics: one call, M^-1 (tau - h)", by_solving},
  {"forward of inverse dynamics gives a again", there_and_back},
};

static void take_sample(demo_run* run, const demo_robot* r, uint64_t* seed, sample* x)
{
  demo_keep(run, limb_random(r->model, seed, x->q));
  for (int k = 0; k < r->nv; k++) x->v[k] = 2 * cli_draw(seed), x->a[k] = 5 * cli_draw(seed);
  demo_keep(run, limb_inverse_dynamics(r->data, x->q, x->v, x->a, NULL, x->tau));
}

static double largest(demo_run* run, const demo_robot* r, comparison* compare)
{
  uint64_t seed = 1;
  double most = -1;
  for (int i = 0; i < STATES && run->status == LIMB_OK; i++) {
    sample x;
    take_sample(run, r, &seed, &x);
    most = fmax(most, compare(run, r, &x));
  }
  return most;
}

void demo_show_agreement(demo_run* run, const demo_robot robots[DEMO_ROBOTS])
{
  demo_print(DEMO_BOLD, "Agreement");
  printf(" of independent formulations, %d random states each: largest relative difference\n\n", (int)STATES);
  printf("  %-44s", "");
  for (int i = 0; i < DEMO_ROBOTS; i++) printf(" %10s", robots[i].name);
  puts("");
  int failed = 0;
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    printf("  %-44s", table[k].text);
    for (int i = 0; i < DEMO_ROBOTS; i++) {
      const double off = largest(run, &robots[i], table[k].compare);
      const int bad = !(off <= AGREED);
      char text[24] = "          -";
      if (off == 0) (void)snprintf(text, sizeof text, "%11d", 0);
      if (off > 0) (void)snprintf(text, sizeof text, "%11.1e", off);
      failed += bad;
      demo_print(bad ? DEMO_BAD : DEMO_GOOD, text);
    }
    puts("");
  }
  run->findings += failed;
  printf("\n  limit %.0e: ", AGREED);
  demo_print(failed ? DEMO_BAD : DEMO_GOOD, failed ? "NOT kept" : "kept everywhere");
  puts(" (-: articulated bodies are not for robots with mimic joints)\n\n");
}
