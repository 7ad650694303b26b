// Random states of the robot that is verified, and finite differences around them.
#include "linalg/dense.h"
#include "verify/verify_impl.h"

#include <stdlib.h>
#include <string.h>

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

// The most that a check uses of big.
static size_t big_size(const verify* t)
{
  const size_t nv = (size_t)t->nv, np = (size_t)t->np, cube = nv * nv * nv;
  size_t max = larger(np, limb_task_work(t->m, 6) + 12 * nv);
  if (t->nv <= VERIFY_WIDE) max = larger(max, 2 * nv * np + np);
  if (t->nv <= VERIFY_WIDE) max = larger(max, 6 * nv * nv);
  if (t->nv <= VERIFY_CUBE) max = larger(max, 3 * cube + nv * (nv + 1));
  if (t->nv <= VERIFY_FOUR) max = larger(max, 2 * nv * cube + 2 * cube);
  return larger(max, limb_sectional_curvature_work(t->m));
}

limb_status verify_create(verify* t, const limb_model* m, const limb_environment* env, uint64_t seed)
{
  *t = (verify){.m = m, .env = *env, .seed = seed};
  t->nq = limb_nq(t->m), t->nv = limb_nv(t->m);
  t->nbody = limb_body_count(t->m), t->njoint = limb_joint_count(t->m);
  t->nframe = limb_frame_count(t->m);
  t->step = 1e-3 / sqrt(1 + t->nv / 10.0); // speeds add up along a chain
  const size_t nq = (size_t)t->nq, nv = (size_t)t->nv;
  const size_t nn = t->nv > VERIFY_LARGE ? 0 : nv * nv;
  t->memory = calloc(2 * nq + 13 * nv + 3 * nn + 1, sizeof(double));
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
  double** const of_v[] = {&t->v,  &t->a,     &t->tau,    &t->x,        &t->y,       &t->z,   &t->w,
                           &t->vt, &t->mixed, &t->idle_a, &t->idle_tau, &t->nothing, &t->term};
  for (size_t i = 0; i < 2; i++) *of_q[i] = at, at += nq;
  for (size_t i = 0; i < sizeof of_v / sizeof *of_v; i++) *of_v[i] = at, at += nv;
  t->M = at, t->A = at + nn, t->B = at + 2 * nn;
  t->all_forces = t->given + nv, t->all_accelerations = t->given + 2 * nv;
  t->free_base = t->given + 3 * nv;
  memset(t->all_forces, LIMB_FORCE_GIVEN, nv);
  memset(t->all_accelerations, LIMB_ACCELERATION_GIVEN, nv);
  const limb_status s = limb_data_create(limb_spanning_tree(m), NULL, &t->d);
  return s == LIMB_OK ? limb_parameters(t->m, t->theta) : s;
}

void verify_free(verify* t)
{
  limb_data_destroy(t->d);
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

void verify_times(int rows, int columns, const double* A, const double* x, double* y)
{
  limb_matrix_product(rows, columns, 1, A, x, y);
}

double verify_sum(verify* t, const double* x, const double* y, const double* z, double* sum)
{
  const double* const matrix[] = {t->A, t->B, t->M};
  const double* const direction[] = {x, y, z};
  double size = 0;
  memset(sum, 0, (size_t)t->nv * sizeof *sum);
  for (int i = 0; i < 3; i++) {
    verify_times(t->nv, t->nv, matrix[i], direction[i], t->term);
    size = fmax(size, verify_largest(t->nv, t->term));
    for (int k = 0; k < t->nv; k++) sum[k] += t->term[k];
  }
  return size;
}

void verify_combine(int n, int width, const double* columns, const double* x, double* sum, double* size)
{
  for (int k = 0; k < n; k++)
    for (int i = 0; i < width; i++) {
      const double part = x[k] * columns[(size_t)k * (size_t)width + (size_t)i];
      sum[i] += part;
      *size = fmax(*size, fabs(part));
    }
}

limb_status verify_on_world(verify* t, sp_force* sum, double* size)
{
  limb_status s = LIMB_OK;
  for (int j = 0; j < t->njoint && s == LIMB_OK; j++) {
    limb_joint_info info;
    s = limb_get_joint(t->m, j, &info);
    if (s != LIMB_OK || info.def.parent != LIMB_WORLD_BODY) continue;
    *sum = sp_addf(*sum, t->F[j]);
    *size = fmax(*size, verify_largest(6, &t->F[j].m.x));
  }
  return s;
}

limb_status verify_weight(verify* t, sp_force* sum, double* size)
{
  sp_vec3 com = {0, 0, 0};
  const limb_status s = limb_center_of_mass(t->d, &com, NULL, NULL);
  const sp_vec3 weight = sp_scale3(limb_total_mass(t->m), t->env.gravity);
  const sp_force moved = sp_force_make(sp_cross3(com, weight), weight);
  *sum = sp_addf(*sum, moved);
  *size = fmax(*size, verify_largest(6, &moved.m.x));
  return s;
}

// Limits of 1e16 mean no limits: coordinates that large have no digits left to differ in.
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
  double max = 0;
  for (int k = 0; k < n; k++) max = fmax(max, fabs(x[k]));
  return max;
}

// Wrenches through the joints: torques are components of them.
static limb_status measure_forces(verify* t)
{
  limb_status s = limb_joint_reactions(t->d, t->q, t->v, t->a, &t->env, LIMB_BODY, t->F);
  double max = 0;
  for (int j = 0; j < t->njoint && s == LIMB_OK; j++) max = fmax(max, fmax(sp_norm3(t->F[j].m), sp_norm3(t->F[j].f)));
  if (s == LIMB_OK) s = limb_friction_forces_at(t->d, t->q, t->v, &t->env, t->x);
  if (s == LIMB_OK) max = fmax(max, verify_largest(t->nv, t->x));
  if (s == LIMB_OK) s = limb_spring_forces(t->d, t->q, t->x);
  if (s == LIMB_OK) max = fmax(max, verify_largest(t->nv, t->x));
  t->size.force = fmax(max, verify_largest(t->nv, t->tau));
  return s;
}

// A body may turn about the axis of any joint that carries it.
static limb_status measure_mass_matrix(verify* t)
{
  if (t->nv > VERIFY_LARGE) return LIMB_OK;
  const limb_status s = limb_mass_matrix(t->d, t->q, t->M);
  for (size_t k = 0; k < (size_t)t->nv && s == LIMB_OK; k++)
    t->size.inertia = fmax(t->size.inertia, t->M[k * ((size_t)t->nv + 1)]);
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
    // a centre of mass on the origin is there up to the rounding of lengths, such as radii of gyration
    t->size.moment += fabs(Y->mass) * c + sqrt(fabs(Y->mass) * (fabs(Y->xx) + fabs(Y->yy) + fabs(Y->zz)));
    t->size.inertia += fabs(Y->mass) * sp_dot3(Y->com, Y->com);
    t->size.inertia += fabs(Y->xx) + fabs(Y->yy) + fabs(Y->zz);
    spread += fabs(Y->mass) * c * c;
  }
  if (mass > 0) t->size.inertia += fmax(0, spread - sp_dot3(first, first) / mass);
  return s == LIMB_OK ? measure_mass_matrix(t) : s;
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

// Draws from a copy of the seed: the states do not depend on it.
static void choose_given(verify* t)
{
  uint64_t seed = t->seed;
  for (int k = 0; k < t->nv; k++) {
    t->given[k] = limb_random_sign(&seed) > 0 ? LIMB_ACCELERATION_GIVEN : LIMB_FORCE_GIVEN;
    t->mixed[k] = t->given[k] == LIMB_ACCELERATION_GIVEN ? t->a[k] : t->tau[k];
  }
}

limb_status verify_next(verify* t)
{
  limb_status s = limb_random(t->m, &t->seed, t->q);
  tame(t);
  for (int k = 0; k < t->nv; k++) t->v[k] = limb_random_sign(&t->seed), t->a[k] = limb_random_sign(&t->seed);
  t->frame = (int)((limb_random_sign(&t->seed) + 1) / 2 * t->nframe);
  if (s == LIMB_OK) s = limb_inverse_dynamics(t->d, t->q, t->v, t->a, &t->env, t->tau);
  choose_given(t);
  return s == LIMB_OK ? measure(t) : s;
}

// ---- condition -------------------------------------------------------------------------------------

double verify_norm(const verify* t, const double* A)
{
  double max = 0;
  for (int i = 0; i < t->nv; i++) {
    double sum = 0;
    for (int k = 0; k < t->nv; k++) sum += fabs(A[(size_t)i * (size_t)t->nv + (size_t)k]);
    max = fmax(max, sum);
  }
  return max;
}

limb_status verify_condition(verify* t, limb_data* d, const double* q, double force, double change)
{
  limb_status s = limb_mass_matrix(d, q, t->M);
  if (s == LIMB_OK) s = limb_mass_matrix_inverse(d, q, t->A);
  if (s != LIMB_OK) return s;
  const double inverse = verify_norm(t, t->A), condition = verify_norm(t, t->M) * inverse;
  double* lost = d == t->d ? &t->lost : &t->closed_lost;
  if (d == t->d) t->condition = fmax(t->condition, condition);
  *lost = fmax(*lost, verify_lost(condition));
  if (change > 0) *lost = fmax(*lost, VERIFY_FORCES * inverse * force / change);
  return LIMB_OK;
}

// ---- comparing -------------------------------------------------------------------------------------

limb_status verify_compare(limb_status s, double* off, int n, const double* x, const double* y, double size)
{
  double max = 0;
  for (int i = 0; i < n && s == LIMB_OK; i++) {
    const double d = fabs(x[i] - y[i]);
    max = isfinite(d) ? fmax(max, d) : HUGE_VAL; // fmax would drop it
    size = fmax(size, fmax(fabs(x[i]), fabs(y[i])));
  }
  if (max > 0) *off = fmax(*off, isfinite(max) ? max / size : max);
  return s;
}

limb_status verify_move(verify* t, int with_a, double time)
{
  for (int k = 0; k < t->nv; k++) {
    const double change = with_a ? time * t->a[k] : 0;
    t->w[k] = t->v[k] + change / 2;
    t->vt[k] = t->v[k] + change;
  }
  return limb_integrate(t->m, t->q, t->w, time, t->qt);
}

// ---- finite differences ----------------------------------------------------------------------------

// A tenth of their tolerance.
static const double RESOLVED = 1e-7;

// The rates by steps of h and of h/2, whose errors differ: D(h) = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h
static limb_status differences(verify* t, double h, verify_sample* f, int n, double* by_h, double* by_half,
                               double* scratch)
{
  static const double at[] = {-2, -1, -0.5, 0.5, 1, 2};
  static const double weight[] = {1, -8, 0, 0, 8, -1}, half[] = {0, 2, -16, 16, -2, 0};
  limb_status s = LIMB_OK;
  memset(by_h, 0, (size_t)n * sizeof *by_h);
  memset(by_half, 0, (size_t)n * sizeof *by_half);
  for (int i = 0; i < 6 && s == LIMB_OK; i++) {
    s = f(t, at[i] * h, scratch);
    for (int k = 0; k < n && s == LIMB_OK; k++) {
      by_h[k] += weight[i] * scratch[k] / (12 * h);
      by_half[k] += half[i] * scratch[k] / (12 * h);
    }
  }
  return s;
}

// Steps that are too long do not see the curvature, those that are too short see rounding: the first is used that is
// neither. Loops that do not close a long step away may do so nearer.
static limb_status search(verify* t, double step, double size, verify_sample* f, int n, double* rate, double* scratch)
{
  static const double steps[] = {1, 0.25, 4, 0.0625, 16, 1.0 / 64, 64};
  double* other = scratch + n;
  limb_status failed = LIMB_OK;
  int seen = 0;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    double off = 0;
    limb_status s = differences(t, steps[i] * step, f, n, rate, other, scratch);
    s = verify_compare(s, &off, n, rate, other, size);
    t->used = steps[i] * step;
    if (s == LIMB_OK && off <= RESOLVED) return LIMB_OK;
    if (s != LIMB_OK && s != LIMB_E_NOCONV && s != LIMB_E_SINGULAR) return s;
    if (s != LIMB_OK) failed = s;
    seen |= s == LIMB_OK;
  }
  if (!seen) return failed;
  t->unresolved = 1;
  return LIMB_E_SINGULAR;
}

limb_status verify_difference(verify* t, double step, double size, verify_sample* f, int n, double* rate)
{
  double* scratch = calloc(2 * (size_t)n + 1, sizeof *scratch);
  if (!scratch) return LIMB_E_NOMEM;
  const limb_status s = search(t, step, size, f, n, rate, scratch);
  free(scratch);
  return s;
}

limb_status verify_rate(verify* t, double size, verify_sample* f, int n, double* rate)
{
  return verify_difference(t, t->step, size, f, n, rate);
}

// ---- joint forces that are not among the parameters ------------------------------------------------

// Tendons, rotors and viscous friction of joints with several degrees of freedom, written from limb/builder.h.

void verify_add_rotors(const limb_model* m, const double* a, double* tau)
{
  limb_joint_info joint;
  for (int j = 0; limb_get_joint(m, j, &joint) == LIMB_OK; j++)
    for (int k = 0; k < joint.nv; k++) tau[joint.v + k] += joint.def.armature[k] * a[joint.v + k];
}

static void add_damping(const limb_model* m, const double* v, double* tau)
{
  limb_joint_info joint;
  for (int j = 0; limb_get_joint(m, j, &joint) == LIMB_OK; j++)
    for (int k = 0; k < joint.nv; k++) tau[joint.v + k] += joint.def.damping[k] * v[joint.v + k];
}

static void add_tendon(const limb_model* m, const limb_tendon_def* def, const double* q, const double* v, int friction,
                       double* tau)
{
  limb_joint_info joint;
  double length = 0, rate = 0;
  for (int k = 0; k < def->count && limb_get_joint(m, def->joint[k], &joint) == LIMB_OK; k++) {
    length += def->coefficient[k] * (joint.multiplier * q[joint.q] + joint.offset);
    rate += def->coefficient[k] * joint.multiplier * v[joint.v];
  }
  const double T = def->stiffness * (length - def->rest) + (friction ? def->damping * rate : 0);
  for (int k = 0; k < def->count && limb_get_joint(m, def->joint[k], &joint) == LIMB_OK; k++)
    tau[joint.v] += def->coefficient[k] * joint.multiplier * T;
}

// The line between two points of a tendon: its length, and its part of the row. line and peak are scratch.
static double add_line(verify* t, const limb_tendon_point* point, double pulley, double* row)
{
  double *line = row + t->nv, *peak = line + t->nv;
  sp_pose X[2];
  sp_vec3 p[2];
  for (int e = 0; e < 2; e++) {
    if (limb_frame_pose(t->d, point[e].body, &X[e]) != LIMB_OK) return 0;
    p[e] = sp_point(X[e], point[e].at);
  }
  const sp_vec3 d = sp_sub3(p[1], p[0]);
  const double size = sp_norm3(d);
  memset(line, 0, 2 * (size_t)t->nv * sizeof *line);
  for (int e = 0; e < 2; e++) {
    if (limb_frame_jacobian(t->d, point[e].body, LIMB_ALIGNED, t->J) != LIMB_OK) return 0;
    const sp_vec3 arm = sp_sub3(p[e], X[e].p);
    for (int k = 0; k < t->nv && size > 0; k++) {
      const sp_vec3 u = sp_add3(t->J[k].v, sp_cross3(t->J[k].w, arm));
      line[k] += (e ? 1 : -1) * sp_dot3(d, u) / (size * pulley);
      peak[k] = fmax(peak[k], sp_norm3(u) / pulley);
    }
  }
  for (int k = 0; k < t->nv; k++) // what moves both ends alike leaves only rounding
    row[k] += fabs(line[k]) > 1e-13 * peak[k] ? line[k] : 0;
  return size / pulley;
}

// The row of a tendon through points, by the Jacobians of its bodies, and twice as much scratch; its length.
static double tendon_row(verify* t, const limb_tendon_def* def, double* row)
{
  double length = 0, pulley = 1;
  memset(row, 0, (size_t)t->nv * sizeof *row);
  for (int n = 0; n < def->points; n++) {
    if (def->point[n].pulley > 0)
      pulley = def->point[n].pulley;
    else if (n > 0)
      length += add_line(t, &def->point[n - 1], pulley, row);
  }
  return length;
}

static void add_cord(verify* t, const limb_tendon_def* def, const double* q, const double* v, int friction, double* tau)
{
  double* row = malloc((3 * (size_t)t->nv + 1) * sizeof *row);
  if (row && limb_kinematics(t->d, q, NULL, NULL) == LIMB_OK) {
    double T = def->stiffness * (tendon_row(t, def, row) - def->rest);
    for (int k = 0; k < t->nv && friction; k++) T += def->damping * row[k] * v[k];
    for (int k = 0; k < t->nv; k++) tau[k] += row[k] * T;
  }
  free(row);
}

// Of ball joints: stiffness times the rotation vector.
static void add_ball_springs(const limb_model* m, const double* q, double* tau)
{
  limb_joint_info joint;
  for (int j = 0; limb_get_joint(m, j, &joint) == LIMB_OK; j++) {
    if (joint.def.type != LIMB_SPHERICAL || joint.def.stiffness == 0) continue;
    const double* u = q + joint.q;
    const double size = sp_norm3(sp_v3(u[0], u[1], u[2])), angle = 2 * atan2(size, fabs(u[3]));
    for (int k = 0; k < 3 && size > 0; k++)
      tau[joint.v + k] += joint.def.stiffness * (u[3] < 0 ? -angle : angle) * (u[k] / size);
  }
}

void verify_add_unlisted(verify* t, const double* q, const double* v, const double* a, int friction, double* tau)
{
  limb_tendon_def tendon;
  verify_add_rotors(t->m, a, tau);
  if (friction) add_damping(t->m, v, tau);
  add_ball_springs(t->m, q, tau);
  for (int k = 0; limb_get_tendon(t->m, k, &tendon) == LIMB_OK; k++) {
    if (tendon.points > 0)
      add_cord(t, &tendon, q, v, friction, tau);
    else
      add_tendon(t->m, &tendon, q, v, friction, tau);
  }
}
