// Checks of the linear parameter form and of the dynamics at a frame.
#include "verify.h"

#include <string.h>

// x = A y with columns of them
static void rows_times(const verify* t, int columns, const double* A, const double* y, double* x)
{
  for (int i = 0; i < t->nv; i++) {
    x[i] = 0;
    for (int k = 0; k < columns; k++) x[i] += A[(size_t)i * (size_t)columns + (size_t)k] * y[k];
  }
}

// ---- parameters ------------------------------------------------------------------------------------

static limb_status regressor(verify* t, double* off)
{
  limb_status s = limb_regressor(t->d, t->q, t->v, t->a, &t->env, t->big);
  rows_times(t, t->np, t->big, t->theta, t->x);
  *off = cli_differ((size_t)t->nv, t->tau, t->x, t->size.force);
  return s;
}

static limb_status base_regressor(verify* t, double* off)
{
  limb_status s = verify_base(t);
  if (s != LIMB_OK) return s;
  const int nb = limb_base_count(t->base);
  const size_t size = (size_t)t->nv * (size_t)t->np;
  double *work = t->big, *Y = work + size, *theta = Y + size;
  s = limb_base_regressor(t->base, t->d, t->q, t->v, t->a, work, Y);
  if (s == LIMB_OK) s = limb_base_values(t->base, NULL, theta);
  rows_times(t, nb, Y, theta, t->x);
  *off = cli_differ((size_t)t->nv, t->tau, t->x, t->size.force);
  return s;
}

static limb_status energy_regressor(verify* t, double* off)
{
  limb_energy e = {0};
  double sum = 0, size = VERIFY_PART * t->size.inertia * t->size.speed * t->size.speed;
  limb_status s = limb_energy_regressor(t->d, t->q, t->v, &t->env, t->big, NULL);
  if (s == LIMB_OK) s = limb_energies(t->d, t->q, t->v, &t->env, &e);
  for (int k = 0; k < t->np && s == LIMB_OK; k++) {
    sum += t->big[k] * t->theta[k];
    size = fmax(size, fabs(t->big[k] * t->theta[k]));
  }
  *off = cli_differ(1, &e.kinetic, &sum, size);
  return s;
}

// ---- the task: all directions of a frame -----------------------------------------------------------

enum { SIX = 6 };

typedef struct task_room {
  double Lambda[SIX * SIX], mobility[SIX * SIX], mu[SIX], p[SIX], other[SIX], Jdot_v[SIX];
  double *J, *Jbar;
  limb_task_space out;
} task_room;

// Damped as far as needed: then the equations hold, too. 0 in *moves: the frame cannot move.
static limb_status at_frame(verify* t, task_room* r, int* moves)
{
  const limb_task task = {t->frame, verify_ref(t), LIMB_TWIST};
  const limb_task_stack tasks = {1, &task};
  limb_task_options o = limb_default_task_options();
  o.raise_damping = 1, o.condition_limit = 1e4;
  r->J = t->big, r->Jbar = r->J + SIX * (size_t)t->nv;
  double* work = r->Jbar + SIX * (size_t)t->nv;
  r->out = (limb_task_space){.J = r->J,
                             .Jdot_v = r->Jdot_v,
                             .mobility = r->mobility,
                             .Lambda = r->Lambda,
                             .mu = r->mu,
                             .p = r->p,
                             .other = r->other,
                             .Jbar = r->Jbar};
  const limb_status s = limb_task_dynamics(t->d, t->q, t->v, &t->env, &tasks, &o, work, &r->out);
  *moves = s != LIMB_E_SINGULAR || verify_largest(SIX * t->nv, r->J) > 0;
  return *moves ? s : LIMB_OK;
}

// Lambda (J M^-1 J' + damping) = 1
static limb_status task_inertia(verify* t, double* off)
{
  task_room r;
  double product[SIX * SIX], unit[SIX * SIX];
  int moves = 0;
  const limb_status s = at_frame(t, &r, &moves);
  if (s != LIMB_OK || !moves) return s;
  for (int i = 0; i < SIX; i++) {
    for (int j = 0; j < SIX; j++) {
      const int ij = SIX * i + j;
      unit[ij] = i == j;
      product[ij] = r.Lambda[ij] * r.out.damping;
      for (int k = 0; k < SIX; k++) product[ij] += r.Lambda[SIX * i + k] * r.mobility[SIX * k + j];
    }
  }
  *off = cli_differ(SIX * SIX, product, unit, 0);
  return s;
}

// Jbar' tau = Lambda (J a + Jdot v) + mu + p + other
static limb_status task_equation(verify* t, double* off)
{
  task_room r;
  double F[SIX], sum[SIX], acceleration[SIX], size = 0;
  int moves = 0;
  const limb_status s = at_frame(t, &r, &moves);
  if (s != LIMB_OK || !moves) return s;
  for (size_t i = 0; i < SIX; i++) {
    F[i] = 0, acceleration[i] = r.Jdot_v[i];
    for (size_t k = 0; k < (size_t)t->nv; k++) {
      const double part = r.Jbar[k * SIX + i] * t->tau[k];
      F[i] += part;
      size = fmax(size, fabs(part));
      acceleration[i] += r.J[i * (size_t)t->nv + k] * t->a[k];
    }
  }
  for (int i = 0; i < SIX; i++) {
    sum[i] = r.mu[i] + r.p[i] + r.other[i];
    size = fmax(size, fmax(fabs(r.mu[i]), fabs(r.p[i])));
    for (int k = 0; k < SIX; k++) {
      const double part = r.Lambda[SIX * i + k] * acceleration[k];
      sum[i] += part;
      size = fmax(size, fabs(part));
    }
  }
  *off = cli_differ(SIX, F, sum, size);
  return s;
}

const verify_check verify_forms[] = {
  {"tau", "RNEA", "Y theta", VERIFY_ALGEBRA, 2, regressor, VERIFY_WIDE, NULL},
  {"tau", "RNEA", "Y theta of base parameters", VERIFY_ALGEBRA, 2, base_regressor, VERIFY_BASE,
   "its base parameters are not certain"},
  {"energy", "of the bodies", "regressor times theta", VERIFY_ALGEBRA, 1, energy_regressor, 0, NULL},
  {"Lambda", "times J M^-1 J'", "1", VERIFY_INVERSE, 2, task_inertia, 0, NULL},
  {"Lambda", "Lambda xddot + eta", "force of tau at the frame", VERIFY_INVERSE, 2, task_equation, 0, NULL},
  {0},
};
