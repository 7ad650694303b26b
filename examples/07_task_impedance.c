// A soft hand: an arm with seven joints whose flange behaves like a mass on a spring, whatever its posture.
// It is held at a point by 400 N/m, pushed with 20 N for two seconds, and let go. The four motions that the
// arm can do without moving the flange go to holding its posture.
//
//     tau = J' (mu + p - K (x - x0) - D xdot) + N' (g - damping of the joints)
//
// Then Lambda xddot + D xdot + K (x - x0) = push: the flange must give way by 20 / 400 m, straight along
// the push, and come back.
#include <limb/limb.h>
#include <limb/read.h>
#include <stdio.h>

enum { NV = 7, K_ROWS = 3, WORK = 256 };
static const double DT = 1e-3, STIFFNESS = 400, DAMPING = 80, PUSH = 20; // [s, N/m, N s/m, N]

typedef struct hand {
  limb_data* d;
  limb_task position;
  sp_vec3 rest;
  double J[K_ROWS * NV], Jbar[NV * K_ROWS], Lambda[K_ROWS * K_ROWS];
  double mu[K_ROWS], p[K_ROWS], xdot[K_ROWS], work[WORK];
} hand;

static limb_status where(const hand* h, const double* q, sp_vec3* x)
{
  sp_pose X = sp_pose_identity();
  limb_status s = limb_kinematics(h->d, q, NULL, NULL);
  if (s == LIMB_OK) s = limb_frame_pose(h->d, h->position.frame, &X);
  *x = X.p;
  return s;
}

// One tick of the controller; away: how far the hand is from where it should rest.
static limb_status control(hand* h, const double* q, const double* v, sp_vec3* away, double* tau)
{
  const limb_task_stack tasks = {1, &h->position};
  limb_task_space t = {.J = h->J, .Jbar = h->Jbar, .Lambda = h->Lambda, .mu = h->mu, .p = h->p, .xdot = h->xdot};
  double F[K_ROWS], tau0[NV];
  sp_vec3 x;
  limb_status s = where(h, q, &x);
  if (s == LIMB_OK) s = limb_task_dynamics(h->d, q, v, NULL, &tasks, NULL, h->work, &t);
  if (s == LIMB_OK) s = limb_gravity_forces(h->d, q, NULL, tau0);
  if (s != LIMB_OK) return s;
  *away = sp_sub3(x, h->rest);
  const double e[K_ROWS] = {away->x, away->y, away->z};
  for (int i = 0; i < K_ROWS; i++) F[i] = h->mu[i] + h->p[i] - STIFFNESS * e[i] - DAMPING * h->xdot[i];
  for (int i = 0; i < NV; i++) tau0[i] -= 2 * v[i];
  return limb_task_torque(limb_data_model(h->d), &t, F, tau0, tau);
}

// Four seconds of it; gave: how far the hand gave way in the end of the push, left: what is left of it.
static limb_status simulate(hand* h, double* q, sp_vec3* gave, sp_vec3* left)
{
  limb_wrench push = {h->position.frame, LIMB_ALIGNED, {{0, 0, 0}, {0, PUSH, 0}}};
  limb_environment env = limb_default_environment(limb_data_model(h->d));
  double v[NV] = {0}, tau[NV], a[NV];
  for (int k = 0; k < 4000; k++) {
    env.nwrench = k < 2000, env.wrench = &push;
    limb_status s = control(h, q, v, left, tau);
    if (s == LIMB_OK) s = limb_forward_dynamics(h->d, q, v, tau, &env, a);
    if (s != LIMB_OK) return s;
    for (int i = 0; i < NV; i++) {
      v[i] += DT * a[i];
      q[i] += DT * v[i];
    }
    if (k < 2000) *gave = *left;
    if (k % 400 == 0)
      printf("%5.1f s  hand off by %7.2f %7.2f %7.2f mm\n", k * DT, 1e3 * left->x, 1e3 * left->y, 1e3 * left->z);
  }
  return LIMB_OK;
}

static limb_status load(limb_model** m, limb_data** d, limb_error* err)
{
  limb_reading* r = NULL;
  limb_status s = limb_read("panda", NULL, &r, err);
  if (s == LIMB_OK) s = limb_builder_build(limb_reading_builder(r), m, err);
  if (s == LIMB_OK) s = limb_data_create(*m, NULL, d);
  limb_reading_destroy(r);
  return s;
}

int main(void)
{
  double q[NV] = {0, -0.4, 0, -2, 0, 1.6, 0.8};
  hand h = {0};
  limb_model* m = NULL;
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  sp_vec3 gave = {0, 0, 0}, left = {0, 0, 0};
  limb_status s = load(&m, &h.d, &err);
  h.position = (limb_task){limb_find_frame(m, "flange"), LIMB_ALIGNED, LIMB_LINEAR};
  if (s == LIMB_OK && (limb_nv(m) != NV || limb_task_work(m, K_ROWS) > WORK)) s = LIMB_E_MODEL;
  if (s == LIMB_OK) s = where(&h, q, &h.rest);
  if (s == LIMB_OK) s = simulate(&h, q, &gave, &left);
  if (s != LIMB_OK) (void)fprintf(stderr, "%s: %s\n", limb_status_text(s), err.text);
  printf("mass of the hand, moved straight along x, y, z: %.2f, %.2f, %.2f kg\n", h.Lambda[0], h.Lambda[4],
         h.Lambda[8]);
  printf("pushed with %.0f N it gave way by %.3f mm, %.3f mm were expected; left %.3f mm\n", PUSH, 1e3 * gave.y,
         1e3 * PUSH / STIFFNESS, 1e3 * sp_norm3(left));
  const double wrong = sp_norm3(sp_sub3(gave, sp_v3(0, PUSH / STIFFNESS, 0)));
  limb_data_destroy(h.d);
  limb_model_destroy(m);
  return s == LIMB_OK && wrong < 1e-3 && sp_norm3(left) < 1e-3 ? 0 : 1;
}
