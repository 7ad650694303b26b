// A Panda follows a path under computed torque, sampled at 500 Hz with a delay of one sample, while its hand is
// pushed. How far does it deviate, and does the energy balance?
//
// limb/sim.h integrates, limb/control.h computes the torques, a callback pushes; a condition reports when the
// elbow passes a line.
#include <limb/control.h>
#include <limb/limb.h>
#include <limb/read.h>
#include <limb/sim.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 7 };
static const double KP = 400,
                    KD = 40; // without delay, errors decay like (1 + 20 t) exp(-20 t)

typedef struct pilot {
  const limb_model* m;
  limb_data* d;
  double* work;
  double home[N];
} pilot;

// The path: every joint swings around its start, each at its own frequency.
static void path(const pilot* p, double t, double* q, double* v, double* a)
{
  for (int k = 0; k < N; k++) {
    const double w = 1 + 0.3 * k, s = 0.3 * sin(w * t) * sin(w * t); // starts at rest
    q[k] = p->home[k] + s;
    v[k] = 0.3 * w * sin(2 * w * t);
    a[k] = 0.6 * w * w * cos(2 * w * t);
  }
}

static limb_status torques(void* context, double t, const double* q, const double* v, double* tau)
{
  const pilot* p = context;
  double kp[N], kd[N], goal_q[N], goal_v[N], goal_a[N], out[N];
  for (int k = 0; k < N; k++) kp[k] = KP, kd[k] = KD;
  path(p, t, goal_q, goal_v, goal_a);
  const limb_goal goal = {goal_q, goal_v, goal_a};
  limb_control c = limb_default_control();
  c.kp = kp, c.kd = kd;
  const limb_status s = limb_computed_torque_control(p->d, q, v, &goal, &c, p->work, out);
  for (int k = 0; k < N; k++) tau[k] += out[k];
  return s;
}

// 20 N sideways on the hand, from 1 s to 1.5 s.
static limb_status push(void* context, double t, const double* q, const double* v, limb_wrench* w)
{
  const pilot* p = context;
  (void)q, (void)v;
  const sp_force none = {{0, 0, 0}, {0, 0, 0}}, force = {{0, 0, 0}, {0, 20, 0}};
  *w = (limb_wrench){limb_find_frame(p->m, "flange"), LIMB_ALIGNED, t >= 1 && t < 1.5 ? force : none};
  return LIMB_OK;
}

static double when_it_jumps(void* context, double t)
{
  (void)context;
  return t < 1 ? 1 : t < 1.5 ? 1.5 : HUGE_VAL;
}

static double elbow_above(void* context, const limb_sim_state* at)
{
  const pilot* p = context;
  return at->q[3] - p->home[3] - 0.2;
}

static double error_of(const pilot* p, const limb_sim_state* now)
{
  double q[N], v[N], a[N], most = 0;
  path(p, now->time, q, v, a);
  for (int k = 0; k < N; k++) most = fmax(most, fabs(q[k] - now->q[k]));
  return most;
}

static limb_status fly(limb_sim* sim, pilot* p)
{
  limb_sim_event e;
  limb_sim_state now;
  limb_status s = limb_sim_start(sim, 0, p->home, NULL, NULL);
  for (int k = 1; k <= 12 && s == LIMB_OK; k++) {
    while ((s = limb_sim_advance(sim, 0.25 * k, &e)) == LIMB_OK && e.kind != LIMB_EVENT_NONE)
      printf("%8.5f s  elbow passes the line\n", e.time);
    if (s == LIMB_OK) s = limb_sim_now(sim, &now);
    if (s == LIMB_OK) printf("%8.5f s  off by %.1e rad\n", now.time, error_of(p, &now));
  }
  return s;
}

static int report(limb_sim* sim, pilot* p)
{
  limb_sim_summary u;
  limb_sim_state now;
  if (limb_sim_summary_of(sim, &u) != LIMB_OK || limb_sim_now(sim, &now) != LIMB_OK) return 1;
  const double drift = u.energy - u.energy_start - u.work;
  printf("%s: %llu steps, %llu evaluations, %llu events\n", limb_sim_method_name(u.method), (unsigned long long)u.steps,
         (unsigned long long)u.evaluations, (unsigned long long)u.events);
  printf("energy %.4f J, work %.4f J, not accounted for %.1e J\n", u.energy - u.energy_start, u.work, drift);
  return !(fabs(drift) < 1e-6 && error_of(p, &now) < 5e-3 && u.events > 0);
}

int main(void)
{
  limb_model* m = NULL;
  limb_sim* sim = NULL;
  limb_error err;
  pilot p = {.home = {0, -0.5, 0, -2, 0, 1.6, 0.8}};
  if (limb_load("panda", NULL, &m, &err) != LIMB_OK) return 1;
  p.m = m, p.work = malloc(limb_control_work(m) * sizeof *p.work);
  limb_sim_options o = limb_default_sim_options(m);
  o.method = LIMB_SIM_RK4, o.step = 1e-3, o.work = 1;
  const limb_sim_force motors = {.force = torques, .context = &p, .period = 2e-3, .delay = 2e-3};
  const limb_sim_condition line = {.value = elbow_above, .context = &p, .direction = 1};
  limb_status s = p.work ? limb_data_create(m, NULL, &p.d) : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = limb_sim_create(m, &o, NULL, &sim, &err);
  if (s == LIMB_OK) s = limb_sim_add_force(sim, &motors);
  if (s == LIMB_OK) s = limb_sim_add_wrenches(sim, 1, push, &p, when_it_jumps);
  if (s == LIMB_OK) s = limb_sim_add_condition(sim, &line, NULL);
  if (s == LIMB_OK) s = fly(sim, &p);
  const int bad = s != LIMB_OK || report(sim, &p);
  if (s != LIMB_OK) printf("%s: %s\n", limb_status_text(s), sim ? limb_sim_error(sim) : "");
  limb_sim_destroy(sim);
  limb_data_destroy(p.d);
  free(p.work);
  limb_model_destroy(m);
  return bad;
}
