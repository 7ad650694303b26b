// Random states of the robot that is verified, and finite differences around them.
#include "verify.h"

#include <stdlib.h>
#include <string.h>

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

// The most that a check carves out of big.
static size_t big_size(const verify* t)
{
  const size_t nv = (size_t)t->nv, np = (size_t)t->np, cube = nv * nv * nv;
  size_t most = larger(np, limb_task_work(t->m, 6) + 12 * nv);
  if (t->nv <= VERIFY_WIDE) most = larger(most, 2 * nv * np + np);
  if (t->nv <= VERIFY_WIDE) most = larger(most, 6 * nv * nv);
  if (t->nv <= VERIFY_CUBE) most = larger(most, 3 * cube + nv * (nv + 1));
  if (t->nv <= VERIFY_FOUR) most = larger(most, 2 * nv * cube + 2 * cube);
  return larger(most, limb_sectional_curvature_work(t->m));
}

limb_status verify_create(verify* t, const cli_robot* r, uint64_t seed)
{
  *t = (verify){.m = r->model, .d = r->data, .env = r->env, .seed = seed};
  t->nq = limb_nq(t->m), t->nv = limb_nv(t->m);
  t->nbody = limb_body_count(t->m), t->njoint = limb_joint_count(t->m);
  t->nframe = limb_frame_count(t->m);
  t->step = 1e-3 / sqrt(1 + t->nv / 10.0); // speeds add up along a chain
  const size_t nq = (size_t)t->nq, nv = (size_t)t->nv;
  const size_t nn = t->nv > VERIFY_LARGE ? 0 : nv * nv;
  t->memory = calloc(2 * nq + 12 * nv + 3 * nn + 1, sizeof(double));
  t->given = calloc(4 * nv + 1, 1);
  t->J = calloc(nv + 1, sizeof *t->J);
  t->F = calloc(nv + (size_t)t->njoint + 1, sizeof *t->F);
  t->c = calloc(nv + 1, sizeof *t->c);
  t->poses = calloc((size_t)t->nbody, sizeof *t->poses);
  t->np = limb_parameter_count(t->m);
  t->theta = calloc((size_t)t->np + 1, sizeof *t->theta);
  t->big = calloc(big_size(t), sizeof *t->big);
  if (!t->memory || !t->given || !t->J || !t->F || !t->c || !t->poses || !t->theta || !t->big) {
    verify_free(t);
    return LIMB_E_NOMEM;
  }
  double* at = t->memory;
  double** const of_q[] = {&t->q, &t->qt};
  double** const of_v[] = {&t->v, &t->a,  &t->tau,   &t->x,      &t->y,        &t->z,
                           &t->w, &t->vt, &t->mixed, &t->idle_a, &t->idle_tau, &t->nothing};
  for (size_t i = 0; i < 2; i++) *of_q[i] = at, at += nq;
  for (size_t i = 0; i < sizeof of_v / sizeof *of_v; i++) *of_v[i] = at, at += nv;
  t->M = at, t->A = at + nn, t->B = at + 2 * nn;
  t->all_forces = t->given + nv, t->all_accelerations = t->given + 2 * nv;
  t->free_base = t->given + 3 * nv;
  memset(t->all_forces, LIMB_FORCE_GIVEN, nv);
  memset(t->all_accelerations, LIMB_ACCELERATION_GIVEN, nv);
  return limb_parameters(t->m, t->theta);
}

void verify_free(verify* t)
{
  free(t->memory);
  free(t->given);
  free(t->J);
  free(t->F);
  free(t->c);
  free(t->poses);
  free(t->theta);
  free(t->big);
  limb_base_destroy(t->base);
  limb_dual_destroy(t->dual);
  *t = (verify){0};
}

limb_status verify_dual(verify* t)
{
  const limb_dual_use use = t->nv <= VERIFY_CUBE ? LIMB_DUAL_MATRICES : LIMB_DUAL_VECTORS;
  return t->dual ? LIMB_OK : limb_dual_create(limb_spanning_tree(t->m), use, NULL, &t->dual);
}

limb_status verify_base(verify* t) { return t->base ? LIMB_OK : limb_base_create(t->m, &t->env, 0, NULL, &t->base); }

limb_ref verify_ref(const verify* t) { return (limb_ref)(t->seed >> 33 & 1 ? 2 : t->seed >> 34 & 1); }

void verify_times(const verify* t, const double* A, const double* x, double* y)
{
  for (int i = 0; i < t->nv; i++) {
    y[i] = 0;
    for (int k = 0; k < t->nv; k++) y[i] += A[(size_t)i * (size_t)t->nv + (size_t)k] * x[k];
  }
}

// Limits of 1e16 mean that there are none: coordinates that large have no digits left to differ in.
static void tame(const verify* t)
{
  const double turn = 4 * acos(0.0);
  for (int j = 0; j < t->njoint; j++) {
    limb_joint_info info;
    if (limb_get_joint(t->m, j, &info) != LIMB_OK || info.nq != 1) continue;
    double* q = &t->q[info.q];
    if (fabs(*q) > 100) *q = info.def.type == LIMB_REVOLUTE ? fmod(*q, turn) : fmod(*q, 1.0);
  }
}

// ---- sizes -----------------------------------------------------------------------------------------

double verify_largest(int n, const double* x)
{
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
  return most;
}

// What goes through the joints, as a whole wrench each: torques are components of it.
static limb_status measure_forces(verify* t)
{
  limb_status s = limb_joint_reactions(t->d, t->q, t->v, t->a, &t->env, LIMB_BODY, t->F);
  double most = 0;
  for (int j = 0; j < t->njoint && s == LIMB_OK; j++) most = fmax(most, fmax(sp_norm3(t->F[j].m), sp_norm3(t->F[j].f)));
  if (s == LIMB_OK) s = limb_friction_forces(t->d, t->v, &t->env, t->x);
  if (s == LIMB_OK) most = fmax(most, verify_largest(t->nv, t->x));
  if (s == LIMB_OK) s = limb_spring_forces(t->d, t->q, t->x);
  if (s == LIMB_OK) most = fmax(most, verify_largest(t->nv, t->x));
  t->size.force = fmax(most, verify_largest(t->nv, t->tau));
  return s;
}

static limb_status measure_bodies(verify* t)
{
  limb_status s = limb_kinematics(t->d, t->q, NULL, NULL);
  double mass = 0, spread = 0;
  sp_vec3 first = {0, 0, 0}; // moment of the whole
  for (int b = 1; b < t->nbody && s == LIMB_OK; b++) {
    limb_body_info body;
    sp_pose X;
    s = limb_get_body(t->m, b, &body);
    if (s == LIMB_OK) s = limb_frame_pose(t->d, b, &X);
    if (s != LIMB_OK) break;
    const sp_inertia* Y = &body.inertia;
    const sp_vec3 at = sp_point(X, Y->com);
    const double c = sp_norm3(at);
    mass += fabs(Y->mass);
    first = sp_add3(first, sp_scale3(fabs(Y->mass), at));
    t->size.moment += fabs(Y->mass) * c;
    t->size.inertia += fabs(Y->mass) * sp_dot3(Y->com, Y->com);
    t->size.inertia += fabs(Y->xx) + fabs(Y->yy) + fabs(Y->zz);
    spread += fabs(Y->mass) * c * c;
  }
  if (mass > 0) t->size.inertia += fmax(0, spread - sp_dot3(first, first) / mass);
  return s;
}

static limb_status measure(verify* t)
{
  t->size = (verify_sizes){.speed = verify_largest(t->nv, t->v), .change = verify_largest(t->nv, t->a)};
  limb_status s = measure_forces(t);
  if (s == LIMB_OK) s = measure_bodies(t);
  const double rate = t->size.change + t->size.speed * t->size.speed;
  t->size.force = fmax(t->size.force, VERIFY_PART * t->size.inertia * rate);
  return s;
}

// Whatever is drawn here, the states are the same.
static void mark(verify* t)
{
  uint64_t seed = t->seed;
  for (int k = 0; k < t->nv; k++) {
    t->given[k] = cli_draw(&seed) > 0 ? LIMB_ACCELERATION_GIVEN : LIMB_FORCE_GIVEN;
    t->mixed[k] = t->given[k] == LIMB_ACCELERATION_GIVEN ? t->a[k] : t->tau[k];
  }
}

limb_status verify_next(verify* t)
{
  limb_status s = limb_random(t->m, &t->seed, t->q);
  tame(t);
  for (int k = 0; k < t->nv; k++) t->v[k] = cli_draw(&t->seed), t->a[k] = cli_draw(&t->seed);
  t->frame = (int)((cli_draw(&t->seed) + 1) / 2 * t->nframe);
  if (s == LIMB_OK) s = limb_inverse_dynamics(t->d, t->q, t->v, t->a, &t->env, t->tau);
  mark(t);
  return s == LIMB_OK ? measure(t) : s;
}

// ---- comparing -------------------------------------------------------------------------------------

// qt, vt: the state a time later (or earlier), with a constant acceleration or with none.
static limb_status move(verify* t, int with_a, double time)
{
  for (int k = 0; k < t->nv; k++) {
    const double change = with_a ? time * t->a[k] : 0;
    t->w[k] = t->v[k] + change / 2;
    t->vt[k] = t->v[k] + change;
  }
  return limb_integrate(t->m, t->q, t->w, time, t->qt);
}

// (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h
limb_status verify_rate(verify* t, int with_a, verify_sample* f, size_t n, double* rate, double* scratch)
{
  static const int at[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
  limb_status s = LIMB_OK;
  memset(rate, 0, n * sizeof *rate);
  for (int i = 0; i < 4 && s == LIMB_OK; i++) {
    s = move(t, with_a, at[i] * t->step);
    if (s == LIMB_OK) s = f(t, scratch);
    for (size_t k = 0; k < n && s == LIMB_OK; k++) rate[k] += weight[i] * scratch[k] / (12 * t->step);
  }
  return s;
}
