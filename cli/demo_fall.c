// The fall: every robot moves for two seconds without torques; where does its energy go?
//
// Method: the classical Runge-Kutta scheme of fourth order on the configuration manifold (H.
// Munthe-Kaas, 1999): configurations are q0 exp(u), and u' follows from the body velocity v by
//
//   u' = v + [u, v] / 2 + [u, [u, v]] / 12        (the series' next term is of fourth order in u)
//
// where [u, v] is zero but for free joints. What friction takes is integrated beside, so that kinetic +
// gravity + springs + friction must stay what it was, up to the error of the integrator.
#include "demo.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const double STEP = 1e-3, DURATION = 2; // [s]
static const double BALANCED = 1e-6;           // error of the balance, relative to the energy moved

typedef struct fall_state {
  double q[DEMO_MOST], v[DEMO_MOST];
  double lost; // to friction [J]
} fall_state;

typedef struct slope {
  double u[DEMO_MOST], a[DEMO_MOST];
  double power; // of friction [W]
} slope;

// The velocity of u in q0 exp(u).
static void correct_free(const demo_robot* r, const double* u, double* du)
{
  for (int j = 0; j < limb_joint_count(r->model); j++) {
    limb_joint_info info;
    if (limb_get_joint(r->model, j, &info) != LIMB_OK || info.def.type != LIMB_FREE) continue;
    const double *x = u + info.v, *y = du + info.v;
    const sp_motion U = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    const sp_motion V = {{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
    const sp_motion UV = sp_crm(U, V), UUV = sp_crm(U, UV);
    const sp_motion sum = sp_addm(V, sp_addm(sp_scalem(0.5, UV), sp_scalem(1.0 / 12, UUV)));
    memcpy(du + info.v, &sum, sizeof sum);
  }
}

// Slope at q0 exp(u), v0 + dv.
static void evaluate(demo_run* run, const demo_robot* r, const limb_environment* env, const fall_state* at,
                     const double* u, const double* dv, slope* out)
{
  static const double none[DEMO_MOST] = {0};
  double q[DEMO_MOST], v[DEMO_MOST], friction[DEMO_MOST];
  for (int k = 0; k < r->nv; k++) out->u[k] = v[k] = at->v[k] + dv[k];
  demo_keep(run, limb_integrate(r->model, at->q, u, 1, q));
  demo_keep(run, limb_forward_dynamics(r->data, q, v, none, env, out->a));
  demo_keep(run, limb_friction_forces(r->data, v, env, friction));
  correct_free(r, u, out->u);
  out->power = 0;
  for (int k = 0; k < r->nv; k++) out->power += v[k] * friction[k];
}

static void runge_kutta(demo_run* run, const demo_robot* r, const limb_environment* env, fall_state* x)
{
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  slope k = {.power = 0};
  double sum_u[DEMO_MOST] = {0}, sum_a[DEMO_MOST] = {0}, sum_power = 0;
  for (int i = 0; i < 4; i++) {
    double u[DEMO_MOST] = {0}, dv[DEMO_MOST] = {0};
    for (int n = 0; n < r->nv; n++) {
      u[n] = STEP * node[i] * k.u[n], dv[n] = STEP * node[i] * k.a[n];
    }
    evaluate(run, r, env, x, u, dv, &k);
    for (int n = 0; n < r->nv; n++) {
      sum_u[n] += weight[i] / 6 * k.u[n], sum_a[n] += weight[i] / 6 * k.a[n];
    }
    sum_power += weight[i] / 6 * k.power;
  }
  demo_keep(run, limb_integrate(r->model, x->q, sum_u, STEP, x->q));
  for (int n = 0; n < r->nv; n++) x->v[n] += STEP * sum_a[n];
  x->lost += STEP * sum_power;
}

// ---- what is shown ------------------------------------------------------------------------------

static limb_energy energy_of(demo_run* run, const demo_robot* r, const limb_environment* env, const fall_state* x)
{
  limb_energy e = {0, 0, 0};
  demo_keep(run, limb_energies(r->data, x->q, x->v, env, &e));
  return e;
}

// A robot on a free base: its centre of mass must follow the parabola, its spin must stay.
typedef struct flight {
  sp_vec3 com, velocity;
  sp_force momentum;
} flight;

static flight flight_of(demo_run* run, const demo_robot* r, const fall_state* x)
{
  flight f = {.com = {0, 0, 0}};
  demo_keep(run, limb_kinematics(r->data, x->q, x->v, NULL));
  demo_keep(run, limb_center_of_mass(r->data, &f.com, &f.velocity, NULL));
  demo_keep(run, limb_momentum(r->data, 1, &f.momentum));
  return f;
}

static void print_flight(demo_run* run, const demo_robot* r, const flight* from, const flight* to)
{
  const sp_vec3 g = limb_model_gravity(r->model), one = from->momentum.m;
  const sp_vec3 path = sp_add3(sp_scale3(DURATION, from->velocity), sp_scale3(DURATION * DURATION / 2, g));
  const double off = sp_norm3(sp_sub3(to->com, sp_add3(from->com, path)));
  const double spin = sp_norm3(sp_sub3(to->momentum.m, one)) / sp_norm3(one);
  printf("    the centre of mass fell %.3f m, %.1e m off the parabola; the spin of %.3f kg m^2/s\n"
         "    changed by %.1e of itself\n",
         from->com.z - to->com.z, off, sp_norm3(one), spin);
  if (!(off <= BALANCED && spin <= BALANCED)) run->findings++;
}

// What a robot has besides kinetic and gravity energy, and whether it flies.
typedef struct traits {
  bool springs, friction, flies;
} traits;

static traits traits_of(const limb_model* m)
{
  traits t = {false, false, false};
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    if (limb_get_joint(m, j, &info) != LIMB_OK) continue;
    t.springs |= info.def.stiffness > 0 || info.shaft >= 0;
    t.friction |= info.def.coulomb > 0 || info.def.viscous > 0 || info.shaft >= 0;
    t.flies |= info.def.type == LIMB_FREE;
  }
  return t;
}

static void print_heading(traits has, const char* text)
{
  demo_print(DEMO_BOLD, "\n  Fall");
  printf(": %s\n    %8s %13s %13s", text, "time", "kinetic", "gravity");
  if (has.springs) printf(" %13s", "springs");
  if (has.friction) printf(" %13s", "to friction");
  printf(" %18s\n", "sum");
}

static void print_energies(traits has, double time, const limb_energy* e, double lost, double sum)
{
  printf("    %6.1f s %11.4f J %11.4f J", time, e->kinetic, e->gravity);
  if (has.springs) printf(" %11.4f J", e->springs);
  if (has.friction) printf(" %11.4f J", lost);
  printf(" %16.9f J\n", sum);
}

void demo_show_fall(demo_run* run, const demo_robot* r)
{
  const int steps = (int)(DURATION / STEP + 0.5), every = steps / 4;
  const traits has = traits_of(r->model);
  limb_environment env = limb_default_environment(r->model);
  env.coulomb_width = 0.05; // Coulomb friction without a jump: an integrator of this order needs it
  fall_state x = {.lost = 0};
  demo_keep(run, limb_integrate(r->model, r->start, r->change, 1, x.q));
  memcpy(x.v, r->fall_v, sizeof x.v);

  print_heading(has, r->fall);
  const flight before = flight_of(run, r, &x);
  const limb_energy begin = energy_of(run, r, &env, &x);
  const double first = begin.kinetic + begin.gravity + begin.springs;
  double moved = 0, drift = 0;
  for (int i = 0; i <= steps && run->status == LIMB_OK; i++) {
    if (i > 0) runge_kutta(run, r, &env, &x);
    const limb_energy e = energy_of(run, r, &env, &x);
    const double sum = e.kinetic + e.gravity + e.springs + x.lost;
    drift = fmax(drift, fabs(sum - first));
    moved = fmax(moved, fmax(e.kinetic, fabs(e.gravity - begin.gravity)));
    if (i % every == 0) print_energies(has, i * STEP, &e, x.lost, sum);
  }
  if (run->status != LIMB_OK) return;
  printf("    the sum is off by %.1e J at most, %.1e of the energy that moved (%d steps of %.0f ms)\n", drift,
         drift / moved, steps, STEP * 1e3);
  if (!(drift <= BALANCED * moved)) run->findings++;
  const flight after = flight_of(run, r, &x);
  if (has.flies) print_flight(run, r, &before, &after);
}
