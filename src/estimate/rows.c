// From filtered coordinates to the rows of a log: velocities of quaternions, loops that are closed again, instruments;
// what acts on the robot and is known: loads that it carries in some logs, wrenches that were measured.
//
// Reference: J. Diebel, Representing attitude, 2006 (rates of quaternions); W. Khalil, Dynamic modeling of robots using
//            recursive Newton-Euler techniques, ICINCO 2010, (56) (tau along the independent velocities); A. Janot, P.
//            Vandanjon, M. Gautier, A generic instrumental variable approach for industrial robot identification,
//            IEEE Trans. Control Systems Technology 22(1), 2014.
// Cost:      O(n) per row; loops as limb_project and limb_velocity_map.
//
//   A filtered quaternion p = s u is not of length 1:
//   w = 2 vec(p^ p') / s^2,   w' = 2 vec(p^ p'') / s^2 - 2 (s' / s) w,   s' / s = p . p' / s^2     (p^: conjugate)
//
//   Instruments are a motion without the noise of the log: its reference, or the rows through a narrow filter.
#include "limb/assemble.h"
#include "limb/edit.h"

#include "estimate/ident_impl.h"

#include "base/numeric.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- what is where ------------------------------------------------------------------------------------------

limb_status limb_rows_make(limb_ident* x)
{
  x->coordinate = malloc((size_t)x->nv * sizeof *x->coordinate);
  x->turn = calloc((size_t)x->nv, sizeof *x->turn);
  if (!x->coordinate || !x->turn) return LIMB_E_NOMEM;
  for (int v = 0; v < x->nv; v++) x->coordinate[v] = -1;
  for (int j = 0; j < limb_joint_count(x->m); j++) {
    limb_joint_info joint;
    const limb_status s = limb_get_joint(x->m, j, &joint);
    if (s != LIMB_OK) return s;
    for (int k = 0; k < joint.nv && joint.nq == joint.nv; k++) x->coordinate[joint.v + k] = joint.q + k;
    const bool moves = joint.nq == 7;
    if (joint.nq != joint.nv) x->turn[x->turns++] = (limb_turn){joint.q + (moves ? 3 : 0), joint.v, moves};
  }
  return LIMB_OK;
}

limb_status limb_check_quaternions(const limb_ident* x, const double* q, double time, limb_error* err)
{
  for (int k = 0; k < x->turns; k++) {
    const double* p = q + x->turn[k].quaternion;
    const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    if (fabs(length - 1) > 1e-3)
      return limb_fail(err, LIMB_E_ARG, limb_get_coordinate(x->dofs, x->turn[k].quaternion)->name,
                       "the length of its quaternion is %.6g at %.6g s, not 1", length, time);
  }
  return LIMB_OK;
}

void limb_keep_side(const limb_ident* x, const double* before, double* q)
{
  for (int k = 0; k < x->turns; k++) {
    const double* b = before + x->turn[k].quaternion;
    double* p = q + x->turn[k].quaternion;
    const double side = b[0] * p[0] + b[1] * p[1] + b[2] * p[2] + b[3] * p[3];
    for (int i = 0; i < 4 && side < 0; i++) p[i] = -p[i];
  }
}

// ---- velocities ---------------------------------------------------------------------------------------------

static sp_vec3 vec3(const double* x) { return sp_v3(x[0], x[1], x[2]); }
static void put3(sp_vec3 a, double* x) { x[0] = a.x, x[1] = a.y, x[2] = a.z; }

static double dot4(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]; }

// vec(p^ r)
static sp_vec3 conjugate_times(const double* p, const double* r)
{
  const sp_vec3 a = vec3(p), b = vec3(r);
  return sp_sub3(sp_sub3(sp_scale3(p[3], b), sp_scale3(r[3], a)), sp_cross3(a, b));
}

static void turn_rates(const limb_turn* t, const double* q, const double* q1, const double* q2, double* v, double* a)
{
  const double *p = q + t->quaternion, *p1 = q1 + t->quaternion, *p2 = q2 + t->quaternion, square = dot4(p, p);
  const sp_vec3 w = sp_scale3(2 / square, conjugate_times(p, p1));
  const sp_vec3 wdot = sp_sub3(sp_scale3(2 / square, conjugate_times(p, p2)), sp_scale3(2 * dot4(p, p1) / square, w));
  put3(w, v + t->w), put3(wdot, a + t->w);
  if (!t->moves) return;
  // v = R' p',   a = R' p'' - w x v
  const sp_mat3 R = sp_rot_quat((sp_quat){p[0], p[1], p[2], p[3]});
  const sp_vec3 velocity = sp_tmulv(R, vec3(p1 - 3));
  put3(velocity, v + t->w + 3);
  put3(sp_sub3(sp_tmulv(R, vec3(p2 - 3)), sp_cross3(w, velocity)), a + t->w + 3);
}

static void normalise(const limb_ident* x, double* q)
{
  for (int k = 0; k < x->turns; k++) {
    double* p = q + x->turn[k].quaternion;
    const double length = sqrt(dot4(p, p));
    for (int i = 0; i < 4 && length > 0; i++) p[i] /= length;
  }
}

// v and a from the derivatives of q.
static void rates_of(const limb_ident* x, const double* q, const double* q1, double* v, double* a)
{
  const double* q2 = q1 + x->nq;
  for (int j = 0; j < x->nv; j++)
    if (x->coordinate[j] >= 0) v[j] = q1[x->coordinate[j]], a[j] = q2[x->coordinate[j]];
  for (int k = 0; k < x->turns; k++) turn_rates(&x->turn[k], q, q1, q2, v, a);
}

// ---- loops --------------------------------------------------------------------------------------------------

// Once, in the first row: the velocities along which equations are written, active ones first.
static limb_status choose_independent(limb_ident* x, const double* q)
{
  limb_loop_settings settings = limb_default_loop_settings();
  x->independent = calloc((size_t)x->nv, 1);
  if (!x->independent) return LIMB_E_NOMEM;
  limb_status s = limb_independent_velocities(x->d, q, NULL, x->independent);
  settings.independent = x->independent;
  if (s == LIMB_OK) s = limb_set_loops(x->d, &settings);
  for (int j = 0; j < x->nv && s == LIMB_OK; j++) {
    x->counts[j] = x->independent[j];
    if (x->independent[j] || x->source[j] != LIMB_IDENT_CURRENT) continue;
    limb_ident_report(x, "the current of '%s' cannot be used: it is not an independent velocity of the loops",
                      limb_get_velocity(x->dofs, j)->name);
    return LIMB_E_UNSUPPORTED;
  }
  return s;
}

static limb_status close(limb_ident* x, double* q, double* v, double* a)
{
  limb_status s = limb_project(x->d, NULL, q, v, NULL);
  if (s == LIMB_OK && !x->independent) s = choose_independent(x, q);
  return s == LIMB_OK ? limb_complete_accelerations(x->d, q, v, x->independent, NULL, a) : s;
}

// G' tau, in the places of the independent velocities.
static limb_status reduce(limb_ident* x, const double* q, double* tau)
{
  const int nv = x->nv;
  int count = 0;
  const limb_status s = limb_velocity_map(x->d, q, x->independent, NULL, &count, x->G);
  double* sum = x->Y; // its scratch is free here
  for (int c = 0; c < count && s == LIMB_OK; c++) {
    sum[c] = 0;
    for (int i = 0; i < nv; i++) sum[c] += x->G[i * count + c] * tau[i];
  }
  for (int i = 0, c = 0; i < nv && s == LIMB_OK; i++) tau[i] = x->independent[i] ? sum[c++] : 0;
  return s;
}

// ---- what is known --------------------------------------------------------------------------------------------
//
// Forces of the model that no column stands for: tendons, armature of joints with several degrees of freedom, springs
// and rotors that are not estimated. The torques of the rows are without them.

// out = inverse dynamics - Y_b theta_b of the model, on the spanning tree.
static limb_status beyond_columns(limb_ident* x, const double* q, const double* v, const double* a, double* out)
{
  const int nv = x->nv, nb = x->nb;
  limb_status s = limb_inverse_dynamics(x->tree, q, v, a, &x->env, out);
  if (s == LIMB_OK) s = limb_base_regressor(x->base, x->tree, q, v, a, x->Y + (size_t)nv * (size_t)nb, x->Y);
  for (int j = 0; j < nv && s == LIMB_OK; j++)
    for (int k = 0; k < nb; k++) out[j] -= x->Y[j * nb + k] * x->parameter[k].model;
  return s;
}

// Whether there are such forces: at a state like any other.
limb_status limb_find_known(limb_ident* x)
{
  const int nv = x->nv;
  double *q = x->block, *step = q + x->nq, *known = step + nv, largest = 0; // the block is larger than that
  uint64_t seed = 1;
  limb_status s = limb_neutral(x->m, q);
  for (int j = 0; j < nv; j++) step[j] = 0.5 + 0.5 * fabs(limb_random_sign(&seed));
  if (s == LIMB_OK) s = limb_integrate(x->m, q, step, 1, q);
  if (s == LIMB_OK) s = limb_inverse_dynamics(x->tree, q, step, step, &x->env, known);
  for (int j = 0; j < nv && s == LIMB_OK; j++) largest = fmax(largest, fabs(known[j]));
  if (s == LIMB_OK) s = beyond_columns(x, q, step, step, known);
  for (int j = 0; j < nv && s == LIMB_OK; j++) {
    if (fabs(known[j]) <= 1e-9 * largest) continue;
    x->has_known = true;
    if (x->source[j] == LIMB_IDENT_CURRENT) return LIMB_E_UNSUPPORTED;
  }
  return s;
}

static limb_status subtract_known(limb_ident* x, const double* q, const double* v, const double* a, double* tau)
{
  double* known = x->known;
  const limb_status s = beyond_columns(x, q, v, a, known);
  for (int j = 0; j < x->nv && s == LIMB_OK; j++) tau[j] -= known[j];
  return s;
}

// ---- the row at hand ----------------------------------------------------------------------------------------

limb_status limb_row_finish(limb_ident* x)
{
  limb_log* log = &x->log;
  const int nq = x->nq, nv = x->nv;
  double *q = log->row + ROW_Q, *v = q + nq, *a = v + nv, *tau = a + nv, *reference = tau + nv;
  const double* rate = log->row + limb_row_size(log);
  limb_status s = LIMB_OK;
  if (!log->has_v) rates_of(x, q, rate, v, a);
  normalise(x, q);
  if (x->G) s = close(x, q, v, a);
  if (x->has_known && s == LIMB_OK) s = subtract_known(x, q, v, a, tau);
  if (x->G && s == LIMB_OK) s = reduce(x, q, tau);
  if (!log->has_reference || s != LIMB_OK) return s;
  rates_of(x, reference, rate + 2 * nq, reference + nq, reference + nq + nv);
  normalise(x, reference);
  return x->G ? close(x, reference, reference + nq, reference + nq + nv) : LIMB_OK;
}

// ---- instruments without a reference --------------------------------------------------------------------------

static const double NARROW = 2; // cut-off, by the frequency of the motion

// Mean of the rows of one window around one of them, by the taps of the filter that are inside.
static void smooth(const limb_ident* x, const limb_filter* f, int from, int to, int row)
{
  const size_t size = (size_t)x->nq + 2 * (size_t)x->nv;
  double *y = x->smooth + (size_t)row * size, sum = 0;
  memset(y, 0, size * sizeof *y);
  for (int m = 0; m <= 2 * f->half; m++) {
    const int other = row + m - f->half;
    if (other < from || other >= to) continue;
    const double* z = limb_log_row(x, other).q; // q, v, a
    for (size_t i = 0; i < size; i++) y[i] += f->h[0][m] * z[i];
    sum += f->h[0][m];
  }
  for (size_t i = 0; i < size; i++) y[i] /= sum;
  normalise(x, y);
}

limb_status limb_smooth_rows(limb_ident* x)
{
  const int rows = limb_log_rows(x);
  limb_filter f;
  const double dt = x->log.dt * x->log.every, cutoff = fmin(NARROW * x->log.motion, x->log.cutoff);
  limb_status s = limb_filter_make(cutoff > 0 ? cutoff : x->log.cutoff, dt, &f);
  x->smooth = calloc((size_t)rows * ((size_t)x->nq + 2 * (size_t)x->nv) + 1, sizeof *x->smooth);
  if (!x->smooth) s = LIMB_E_NOMEM;
  for (int from = 0, to; from < rows && s == LIMB_OK; from = to) {
    for (to = from; to < rows && limb_log_row(x, to).window == limb_log_row(x, from).window;) to++;
    for (int row = from; row < to; row++) smooth(x, &f, from, to, row);
  }
  for (int row = 0; row < rows && s == LIMB_OK && x->G; row++) {
    double* y = x->smooth + (size_t)row * ((size_t)x->nq + 2 * (size_t)x->nv);
    s = close(x, y, y + x->nq, y + x->nq + x->nv);
  }
  limb_filter_free(&f);
  return s;
}

// ---- loads --------------------------------------------------------------------------------------------------
//
// A load is fixed to a body: with it the parameters theta are others, and so are the base parameters, by d = K dtheta:
//
//   tau = Y_b (theta_b + d)      so that      tau - Y_b d = Y_b theta_b

// The parameters of the robot that carries it.
static limb_status parameters_with(const limb_ident* x, const char* frame, const sp_pose* pose, const sp_inertia* load,
                                   double* theta, limb_error* err)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_status s = limb_builder_from_model(x->m, NULL, &b);
  if (s == LIMB_OK) s = limb_builder_add_payload(b, "load of limb_ident", frame, pose, load, err);
  if (s == LIMB_OK) s = limb_builder_build(b, &m, err);
  if (s == LIMB_OK) s = limb_parameters(m, theta);
  limb_model_destroy(m);
  limb_builder_destroy(b);
  return s;
}

static limb_status take_load(limb_ident* x, const char* frame, const sp_pose* pose, const sp_inertia* load,
                             limb_error* err)
{
  const size_t nb = (size_t)x->nb, np = (size_t)limb_parameter_count(x->m);
  double* longer = realloc(x->load, ((size_t)x->loads + 1) * (nb + 1) * sizeof *longer);
  double* theta = malloc((2 * np + 1) * sizeof *theta);
  if (longer) x->load = longer;
  limb_status s = longer && theta ? limb_parameters(x->m, theta) : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = parameters_with(x, frame, pose, load, theta + np, err);
  for (size_t k = 0; k < np && s == LIMB_OK; k++) theta[k] = theta[np + k] - theta[k];
  if (s == LIMB_OK) s = limb_base_values(x->base, theta, x->load + (size_t)x->loads * nb);
  if (s == LIMB_OK) x->carried = x->loads++;
  free(theta);
  return s;
}

limb_status limb_ident_set_load(limb_ident* x, const char* frame, const sp_pose* pose, const sp_inertia* load,
                                limb_error* err)
{
  if (err) *err = (limb_error){0};
  if (!x || (frame && !load)) return limb_fail(err, LIMB_E_ARG, "load", "there is none");
  if (x->fitted || x->log.begun)
    return limb_fail(err, LIMB_E_ORDER, "load", "loads change between logs, before the fit");
  x->carried = -1;
  if (!frame) return LIMB_OK;
  const limb_status s = take_load(x, frame, pose, load, err);
  return s == LIMB_OK || (err && *err->text) ? s : limb_fail(err, s, frame, "%s", limb_status_text(s));
}

bool limb_end_load(limb_ident* x)
{
  int* longer = realloc(x->load_of, ((size_t)x->ended + 1) * sizeof *longer);
  if (!longer) return false;
  x->load_of = longer;
  x->load_of[x->ended++] = x->carried;
  return true;
}

const double* limb_load_of(const limb_ident* x, int log)
{
  const int load = log < x->ended ? x->load_of[log] : -1;
  return load < 0 ? NULL : x->load + (size_t)load * (size_t)x->nb;
}

// ---- wrenches -----------------------------------------------------------------------------------------------

// tau += sum J' wrench: inverse dynamics at rest without them and with them.
limb_status limb_add_wrenches(limb_ident* x, const limb_ident_sample* sample, double* tau)
{
  const int nv = x->nv;
  double *rest = x->Y, *without = rest + nv, *with = without + nv;
  limb_environment env = limb_default_environment(x->m);
  memset(rest, 0, (size_t)nv * sizeof *rest);
  limb_status s = sample->wrench ? limb_inverse_dynamics(x->tree, sample->q, rest, rest, &env, without) : LIMB_E_ARG;
  env.nwrench = sample->nwrench, env.wrench = sample->wrench;
  if (s == LIMB_OK) s = limb_inverse_dynamics(x->tree, sample->q, rest, rest, &env, with);
  for (int j = 0; j < nv && s == LIMB_OK; j++) tau[j] += without[j] - with[j];
  return s;
}
