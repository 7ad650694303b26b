// Derivatives of positions, joint by joint.
#include "limb/control.h"
#include "limb/study.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct limb_track {
  const limb_model* model;
  size_t nq, rows, capacity;
  double* time;  // rows
  double* value; // rows x nq
  limb_signal* curve;
  double *d1, *d2; // nq: derivatives of the curve at a row
};

limb_status limb_track_create(const limb_model* m, limb_track** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (!m) return LIMB_E_ARG;
  limb_track* t = calloc(1, sizeof *t);
  if (!t) return LIMB_E_NOMEM;
  *t = (limb_track){.model = m, .nq = (size_t)limb_nq(m)};
  t->d1 = calloc(2 * t->nq + 1, sizeof *t->d1);
  if (!t->d1) {
    free(t);
    return LIMB_E_NOMEM;
  }
  t->d2 = t->d1 + t->nq;
  *out = t;
  return LIMB_OK;
}

void limb_track_destroy(limb_track* t)
{
  if (!t) return;
  limb_signal_destroy(t->curve);
  free(t->time);
  free(t->value);
  free(t->d1);
  free(t);
}

size_t limb_track_rows(const limb_track* t) { return t ? t->rows : 0; }

// ---- rows ------------------------------------------------------------------------------------------

static int grow(limb_track* t)
{
  if (t->rows < t->capacity) return 1;
  const size_t capacity = t->capacity ? 2 * t->capacity : 1024;
  double* time = realloc(t->time, capacity * sizeof *time);
  if (time) t->time = time;
  double* value = time ? realloc(t->value, (capacity * t->nq + 1) * sizeof *value) : NULL;
  if (!value) return 0;
  t->value = value;
  t->capacity = capacity;
  return 1;
}

static limb_status too_far(const limb_joint_info* x, int k, limb_error* err, const char* text)
{
  char name[sizeof err->where];
  (void)snprintf(name, sizeof name, "%s%s", x->def.name, limb_q_suffix(x->def.type, k));
  return limb_fail(err, LIMB_E_ARG, name, "%s", text);
}

// Unit norm, and of the two signs the one nearer to the row before: p, or NULL. The cosine of half the angle between.
static double straighten(const double* p, double* q)
{
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int k = 0; k < 4; k++) q[k] /= norm;
  if (!p) return 1;
  const double dot = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
  for (int k = 0; dot < 0 && k < 4; k++) q[k] = -q[k];
  return fabs(dot);
}

// Lengths have suffixes .p; angles .r or none.
static int is_angle(limb_joint_type type, int k)
{
  const char* suffix = limb_q_suffix(type, k);
  return type != LIMB_PRISMATIC && !(suffix[0] && suffix[1] == 'p');
}

// What no spline can follow. p: the row before; NULL: none.
static limb_status check_joint(const limb_joint_info* x, const double* p, double* q, limb_error* err)
{
  const int at = x->q + (x->def.type == LIMB_FREE ? 3 : 0);
  if (x->def.type == LIMB_FREE || x->def.type == LIMB_SPHERICAL) {
    if (straighten(p ? p + at : NULL, q + at) >= 0.7071) return LIMB_OK;
    return too_far(x, at - x->q, err,
                   "the rotation turns by more than 90 degrees from one row to the next: too few rows to "
                   "differentiate");
  }
  for (int k = 0; k < x->nq && p; k++) {
    if (!is_angle(x->def.type, k) || fabs(q[x->q + k] - p[x->q + k]) <= 3.1416) continue;
    return too_far(x, k, err,
                   "the angle jumps by more than half a turn from one row to the next: was it wrapped to one turn? "
                   "Unwrap it to differentiate");
  }
  return LIMB_OK;
}

limb_status limb_track_add(limb_track* t, double time, const double* q, limb_error* err)
{
  limb_status s = LIMB_OK;
  if (!t || !q || t->curve) return limb_fail(err, LIMB_E_ARG, "limb_track_add", "no track, or no q, or fitted already");
  if (!grow(t)) return limb_fail(err, LIMB_E_NOMEM, "limb_track_add", "out of memory");
  double *at = t->value + t->rows * t->nq, *before = t->rows > 0 ? at - t->nq : NULL;
  memcpy(at, q, t->nq * sizeof *at);
  t->time[t->rows] = time;
  for (int j = 0; j < limb_joint_count(t->model) && s == LIMB_OK; j++) {
    limb_joint_info x;
    if (limb_get_joint(t->model, j, &x) == LIMB_OK && x.nq > 0) s = check_joint(&x, before, at, err);
  }
  if (s == LIMB_OK) t->rows++;
  return s;
}

limb_status limb_track_fit(limb_track* t, limb_error* err)
{
  if (!t || t->curve) return limb_fail(err, LIMB_E_ARG, "limb_track_fit", "no track, or fitted already");
  if (t->rows < LIMB_TRACK_MIN_ROWS)
    return limb_fail(err, LIMB_E_ARG, "limb_track_fit", "at least %d rows are needed, not %llu", LIMB_TRACK_MIN_ROWS,
                     (unsigned long long)t->rows);
  const limb_samples samples = {t->rows, t->time, (int)t->nq, t->value, t->nq};
  return limb_signal_create(LIMB_SIGNAL_SPLINE, &samples, NULL, &t->curve, err);
}

// ---- derivatives -----------------------------------------------------------------------------------

// Vector part of conj(n) s, for quaternions x y z w.
static sp_vec3 conjugate_times(const double* n, const double* s)
{
  const sp_vec3 u = sp_v3(n[0], n[1], n[2]), v = sp_v3(s[0], s[1], s[2]);
  return sp_sub3(sp_sub3(sp_scale3(n[3], v), sp_scale3(s[3], u)), sp_cross3(u, v));
}

static void put3(sp_vec3 v, double* x) { x[0] = v.x, x[1] = v.y, x[2] = v.z; }

// With n the normalised spline s, |s| = 1 at a sample, and r' = n . s':
//   w = 2 vec(n* s'),    w' = 2 vec(n* s'') - 2 r' w
static void rotate(const double* n, const double* d1, const double* d2, sp_vec3* w, sp_vec3* dw)
{
  const double r = n[0] * d1[0] + n[1] * d1[1] + n[2] * d1[2] + n[3] * d1[3];
  *w = sp_scale3(2, conjugate_times(n, d1));
  *dw = sp_sub3(sp_scale3(2, conjugate_times(n, d2)), sp_scale3(2 * r, *w));
}

// A free joint: v = R' p',  v' = R' p'' - w x v.
static void fly(const double* q, const double* d1, const double* d2, double* v, double* a)
{
  const sp_quat n = {q[3], q[4], q[5], q[6]};
  const sp_mat3 R = sp_rot_quat(n);
  sp_vec3 w, dw;
  rotate(q + 3, d1 + 3, d2 + 3, &w, &dw);
  const sp_vec3 u = sp_tmulv(R, sp_v3(d1[0], d1[1], d1[2]));
  const sp_vec3 du = sp_sub3(sp_tmulv(R, sp_v3(d2[0], d2[1], d2[2])), sp_cross3(w, u));
  put3(w, v), put3(u, v + 3);
  put3(dw, a), put3(du, a + 3);
}

// q: of the joint, as v and a
static void joint_rates(limb_joint_type type, int nv, const double* q, const double* d1, const double* d2, double* v,
                        double* a)
{
  if (type == LIMB_FREE) {
    fly(q, d1, d2, v, a);
  } else if (type == LIMB_SPHERICAL) {
    sp_vec3 w, dw;
    rotate(q, d1, d2, &w, &dw);
    put3(w, v), put3(dw, a);
  } else {
    for (int k = 0; k < nv; k++) v[k] = d1[k], a[k] = d2[k];
  }
}

limb_status limb_track_get(limb_track* t, size_t row, double* time, double* q, double* v, double* a)
{
  if (!t || row >= t->rows || !time || !q || !v || !a) return LIMB_E_ARG;
  if (!t->curve) return LIMB_E_ORDER;
  *time = t->time[row];
  memcpy(q, t->value + row * t->nq, t->nq * sizeof *q);
  const limb_status s = limb_signal_at(t->curve, *time, NULL, t->d1, t->d2);
  for (int j = 0; j < limb_joint_count(t->model) && s == LIMB_OK; j++) {
    limb_joint_info x;
    if (limb_get_joint(t->model, j, &x) != LIMB_OK || x.nq == 0) continue;
    joint_rates(x.def.type, x.nv, q + x.q, t->d1 + x.q, t->d2 + x.q, v + x.v, a + x.v);
  }
  return s;
}
