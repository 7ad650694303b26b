// Two vehicles that cannot slip, seen from above.
//
// A sled glides on one knife edge, which may go forth and turn and never sideways; its centre of mass is in
// front of the edge (S. A. Chaplygin, 1911). Pushed backwards it turns round, by itself, and then goes
// straight: as if there were friction, and there is none. Its motion is known in closed form.
//
// A robot rolls on two driven wheels. Both wheels forbid the same sideways motion, so that one equation of
// four is redundant: limb says so, and shares the side force evenly.
//
// Neither constraint restricts places. Runge and Kutta's steps leave the velocities a little off, and
// limb_project puts them back.
#include <limb/limb.h>
#include <limb/read.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 5, WIDE = 64, HIGH = 16 };
static const double DT = 1e-2;

typedef struct vehicle {
  limb_model* m;
  limb_data *d, *tree; // with the constraints; without
  int n;
  double q[MOST], v[MOST], tau[MOST];
  double lambda[4], given;   // forces of the ground; work of motors less friction [N, J]
  double before, after, off; // largest slip before and after projection [m/s]; of the energy [J]
  char page[HIGH][WIDE];
} vehicle;

// Slope of (v, given) at a state.
static limb_status slope(vehicle* x, const double* q, const double* v, double* a, double* power)
{
  double friction[MOST] = {0};
  limb_loop_details details = {.lambda = NULL};
  limb_status s = limb_forward_dynamics(x->d, q, v, x->tau, NULL, a);
  if (s == LIMB_OK) s = limb_get_loop_details(x->d, &details);
  if (s == LIMB_OK) memcpy(x->lambda, details.lambda, (size_t)limb_constraint_count(x->m) * sizeof *x->lambda);
  if (s == LIMB_OK) s = limb_friction_forces(x->d, v, NULL, friction);
  *power = 0;
  for (int i = 0; i < x->n; i++) *power += v[i] * (x->tau[i] - friction[i]);
  return s;
}

static limb_status step(vehicle* x)
{
  static const double at[4] = {0, 0.5, 0.5, 1}, share[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
  double q[MOST], v[MOST] = {0}, a[MOST] = {0}, dq[MOST] = {0}, dv[MOST] = {0}, power = 0;
  limb_loop_gap gap = {.velocity = 0};
  limb_status s = LIMB_OK;
  for (int k = 0; k < 4 && s == LIMB_OK; k++) {
    for (int i = 0; i < x->n; i++) q[i] = x->q[i] + at[k] * DT * v[i], v[i] = x->v[i] + at[k] * DT * a[i];
    s = slope(x, q, v, a, &power);
    for (int i = 0; i < x->n; i++) dq[i] += share[k] * DT * v[i], dv[i] += share[k] * DT * a[i];
    x->given += share[k] * DT * power;
  }
  for (int i = 0; i < x->n; i++) x->q[i] += dq[i], x->v[i] += dv[i];
  if (s == LIMB_OK) s = limb_loop_gap_of(x->d, x->q, x->v, NULL, &gap);
  x->before = fmax(x->before, gap.velocity);
  if (s == LIMB_OK) s = limb_project(x->d, NULL, x->q, x->v, NULL);
  if (s == LIMB_OK) s = limb_loop_gap_of(x->d, x->q, x->v, NULL, &gap);
  x->after = fmax(x->after, gap.velocity);
  return s;
}

static double kinetic(vehicle* x)
{
  limb_energy e = {0, 0, 0};
  return limb_energies(x->d, x->q, x->v, NULL, &e) == LIMB_OK ? e.kinetic : HUGE_VAL;
}

// Marks the place of the vehicle on a page of 8 m x 4 m around the origin.
static void mark(vehicle* x, char with)
{
  const int column = (int)floor(8 * (x->q[0] + 4)), line = (int)floor(4 * (2 - x->q[1]));
  if (column >= 0 && column < WIDE && line >= 0 && line < HIGH) x->page[line][column] = with;
}

static limb_status print_vehicle(vehicle* x)
{
  for (int i = 0; i < HIGH; i++) printf("%.*s\n", WIDE, x->page[i]);
  printf("Slip %.0e m/s before, %.0e m/s after projection; energy off by %.0e of %.2f J.\n\n", x->before, x->after,
         x->off, kinetic(x));
  return x->after < 1e-12 && x->off < 1e-6 * kinetic(x) ? LIMB_OK : LIMB_E_NOCONV;
}

// Forward speed u = V tanh(k t + c) and turning rate, with m u^2 + J w^2 = m V^2 and k = V m a / J.
static limb_status sled(vehicle* x)
{
  double M[9] = {0}, worst = 0;
  x->q[0] = 2.5, x->q[1] = 1, x->v[0] = -1.5, x->v[2] = 0.02;
  limb_status s = limb_mass_matrix(x->tree, x->q, M);
  const double m = M[0], ma = M[5], J = M[8], first = kinetic(x); // heading along x: M[5] = m a
  const double V = sqrt(2 * first / m), k = V * ma / J, c = atanh(x->v[0] / V);
  for (int i = 0; i <= 500 && s == LIMB_OK; i++) {
    const double u = x->v[0] * cos(x->q[2]) + x->v[1] * sin(x->q[2]), at = k * i * DT + c;
    worst = fmax(worst, fmax(fabs(u - V * tanh(at)), fabs(x->v[2] - V * sqrt(m / J) / cosh(at))));
    x->off = fmax(x->off, fabs(kinetic(x) - first));
    mark(x, u < 0 ? '<' : '>');
    if (i % 100 == 0) printf("%4.1f s: forward %6.3f m/s, turning %5.3f rad/s\n", i * DT, u, x->v[2]);
    s = step(x);
  }
  printf("A sled pushed backwards (<) turns round; off the closed form by %.0e.\n", worst);
  if (s == LIMB_OK) s = print_vehicle(x);
  return s != LIMB_OK || worst < 1e-6 ? s : LIMB_E_NOCONV;
}

// Torques that swing between the wheels.
static limb_status robot(vehicle* x)
{
  limb_mobility has = {.mobility = 0};
  double uneven = 0;
  x->q[0] = -3.5, x->q[1] = -0.5, x->q[2] = 0.3;
  limb_status s = limb_mobility_at(x->d, x->q, NULL, &has);
  printf("A robot on two wheels, pushed, then rolling on: %d equations, %d redundant\n", has.constraints,
         has.redundant);
  for (int i = 0; i < 700 && s == LIMB_OK; i++) {
    const double swing = 0.9 * cos(5 * i * DT), push = i < 250 ? 0.5 : 0;
    x->tau[3] = push - swing, x->tau[4] = push + swing;
    s = step(x);
    x->off = fmax(x->off, fabs(kinetic(x) - x->given));
    uneven = fmax(uneven, fabs(x->lambda[1] - x->lambda[3]));
    mark(x, 'o');
    if (i % 100 == 0)
      printf("%4.1f s: wheels %6.3f, %6.3f rad/s; side forces %6.3f, %6.3f N\n", i * DT, x->v[3], x->v[4], x->lambda[1],
             x->lambda[3]);
  }
  if (s == LIMB_OK) s = print_vehicle(x);
  return s != LIMB_OK || (has.mobility == 2 && uneven < 1e-12) ? s : LIMB_E_NOCONV;
}

static limb_status drive(const char* name, limb_status (*how)(vehicle*))
{
  vehicle x = {.m = NULL};
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  memset(x.page, '.', sizeof x.page);
  limb_status s = limb_load(name, NULL, &x.m, &err);
  if (s == LIMB_OK) s = limb_data_create(x.m, NULL, &x.d);
  if (s == LIMB_OK) s = limb_data_create(limb_spanning_tree(x.m), NULL, &x.tree);
  limb_loop_settings settings = limb_default_loop_settings();
  settings.multipliers = 1;
  if (s == LIMB_OK) s = limb_set_loops(x.d, &settings);
  x.n = limb_nv(x.m);
  if (s == LIMB_OK) s = x.n <= MOST ? how(&x) : LIMB_E_MODEL;
  if (s != LIMB_OK) (void)fprintf(stderr, "%s %s %s\n", name, limb_status_text(s), err.text);
  limb_data_destroy(x.tree);
  limb_data_destroy(x.d);
  limb_model_destroy(x.m);
  return s;
}

int main(void) { return drive("sled", sled) || drive("diff_drive", robot) ? 1 : 0; }
