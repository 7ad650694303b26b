// The workspace at rest: largest gravity torques and distances, by random configurations and coordinate ascent.
//
// With all other joints fixed, a gravity torque and the square of a distance are A cos q + B sin q + C in the angle q
// of one joint, and at most quadratic in the travel of a slide. Three values determine A, B and C; the largest value is
// at atan2(B, A), or at the end of the range that is nearest to it.
#include "limb/kinematics.h"
#include "limb/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 2000, SWEEPS = 40, MAX_VELOCITIES = 200 };

#define PI 3.14159265358979323846

typedef struct coordinate {
  int q, turns;
  double low, high;
} coordinate;

typedef struct search {
  const limb_model* m;
  limb_data* data;
  const limb_environment* env;
  int nq, nv, frames, coordinates;
  coordinate* c;
  double *q, *tau; // of the state at hand
  double* best_q;  // nv + 1 configurations
  double* best;    // nv + 1 magnitudes: torques, then the distance
  int frame;       // farthest at the best distance
  uint64_t seed;
} search;

// ---- values ----------------------------------------------------------------------------------------

// The farthest frame at q, or this one.
static limb_status distance(search* s, int only, double* out, int* frame)
{
  sp_pose X;
  *out = 0;
  for (int i = only >= 0 ? only : 1; i < (only >= 0 ? only + 1 : s->frames); i++) {
    const limb_status status = limb_frame_pose(s->data, i, &X);
    if (status != LIMB_OK) return status;
    const double far = sp_norm3(X.p);
    if (far > *out) *out = far, *frame = i;
  }
  return LIMB_OK;
}

// What is to be large at s->q: the square of the distance of the frame, or a torque times its sign.
static limb_status value(search* s, int k, double sign, double* out)
{
  int frame = s->frame;
  if (k < s->nv) {
    const limb_status status = limb_gravity_forces(s->data, s->q, s->env, s->tau);
    *out = sign * s->tau[k];
    return status;
  }
  limb_status status = limb_kinematics(s->data, s->q, NULL, NULL);
  if (status == LIMB_OK) status = distance(s, s->frame, out, &frame);
  *out *= *out;
  return status;
}

static void keep(search* s, int k, double x)
{
  if (!(fabs(x) > fabs(s->best[k]))) return;
  s->best[k] = x;
  memcpy(s->best_q + (size_t)k * (size_t)s->nq, s->q, (size_t)s->nq * sizeof *s->q);
}

// ---- random configurations -------------------------------------------------------------------------

// Uniform in [0, 1): the generator of Knuth and Lewis, upper bits.
static double uniform(search* s)
{
  s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(s->seed >> 11) / 9007199254740992.0;
}

static limb_status look(search* s)
{
  double far = 0;
  int frame = s->frame;
  limb_status status = limb_gravity_forces(s->data, s->q, s->env, s->tau);
  if (status == LIMB_OK) status = limb_kinematics(s->data, s->q, NULL, NULL);
  if (status == LIMB_OK) status = distance(s, -1, &far, &frame);
  if (status != LIMB_OK) return status;
  for (int k = 0; k < s->nv; k++) keep(s, k, s->tau[k]);
  if (far > s->best[s->nv]) s->frame = frame;
  keep(s, s->nv, far);
  return LIMB_OK;
}

static limb_status look_around(search* s)
{
  limb_status status = look(s); // at the start
  for (int i = 0; i < STATES && status == LIMB_OK && s->coordinates > 0; i++) {
    for (int k = 0; k < s->coordinates; k++) s->q[s->c[k].q] = s->c[k].low + uniform(s) * (s->c[k].high - s->c[k].low);
    status = look(s);
  }
  return status;
}

// ---- coordinate ascent -----------------------------------------------------------------------------

// The angle in the range at which A cos q + B sin q + C through three values is largest.
static double best_angle(const coordinate* c, double at, const double y[3])
{
  // at, at + 2 pi / 3, at - 2 pi / 3
  const double A = (2 * y[0] - y[1] - y[2]) / 3, B = (y[1] - y[2]) / sqrt(3);
  double q = at + atan2(B, A);
  q -= 2 * PI * floor((q - c->low) / (2 * PI)); // the first one above low
  if (q <= c->high) return q;
  return q - c->high < c->low - (q - 2 * PI) ? c->high : c->low;
}

// Moves one coordinate to its best place; 1 in *moved if that helped.
static limb_status improve(search* s, int k, double sign, const coordinate* c, double* now, int* moved)
{
  double y[3] = {*now, 0, 0}, there = 0;
  const double was = s->q[c->q];
  limb_status status = LIMB_OK;
  for (int i = 1; i < 3 && status == LIMB_OK; i++) {
    s->q[c->q] = c->turns ? was + (i == 1 ? 2 : -2) * PI / 3 : i == 1 ? c->low : c->high;
    status = value(s, k, sign, &y[i]);
  }
  if (status == LIMB_OK) {
    const double to = c->turns ? best_angle(c, was, y) : y[1] > y[2] ? c->low : c->high;
    s->q[c->q] = to;
    status = value(s, k, sign, &there);
  }
  if (status == LIMB_OK && there > *now + 1e-12 * fabs(*now))
    *now = there, *moved = 1;
  else
    s->q[c->q] = was;
  return status;
}

static limb_status climb(search* s, int k)
{
  const double sign = s->best[k] < 0 ? -1 : 1;
  double now = 0;
  int moved = 1;
  memcpy(s->q, s->best_q + (size_t)k * (size_t)s->nq, (size_t)s->nq * sizeof *s->q);
  if (s->best[k] == 0) return LIMB_OK;
  limb_status status = value(s, k, sign, &now);
  for (int sweep = 0; sweep < SWEEPS && moved && status == LIMB_OK; sweep++) {
    moved = 0;
    for (int i = 0; i < s->coordinates && status == LIMB_OK; i++) status = improve(s, k, sign, &s->c[i], &now, &moved);
  }
  if (status == LIMB_OK) keep(s, k, k < s->nv ? sign * now : sqrt(now));
  return status;
}

// ---- all of them -----------------------------------------------------------------------------------

static limb_status open_search(search* s, const limb_model* m)
{
  limb_joint_info x;
  *s = (search){.m = m, .nq = limb_nq(m), .nv = limb_nv(m), .frames = limb_frame_count(m), .frame = -1, .seed = 1};
  const size_t n = (size_t)s->nv + 1;
  s->c = calloc(n, sizeof *s->c);
  s->q = calloc((size_t)s->nq + 1, sizeof *s->q);
  s->tau = calloc(n, sizeof *s->tau);
  s->best = calloc(n, sizeof *s->best);
  s->best_q = calloc(n * (size_t)s->nq + 1, sizeof *s->best_q);
  if (!s->c || !s->q || !s->tau || !s->best || !s->best_q) return LIMB_E_NOMEM;
  for (int j = 0; limb_get_joint(m, j, &x) == LIMB_OK; j++) {
    const int turns = x.def.type == LIMB_REVOLUTE, bounded = isfinite(x.def.q_min) && isfinite(x.def.q_max);
    if (x.nv != 1 || (!turns && !(x.def.type == LIMB_PRISMATIC && bounded))) continue;
    s->c[s->coordinates++] = (coordinate){x.q, turns, bounded ? x.def.q_min : -PI, bounded ? x.def.q_max : PI};
  }
  const limb_status status = limb_start(m, s->q);
  return status == LIMB_OK ? limb_data_create(m, NULL, &s->data) : status;
}

static void close_search(search* s)
{
  limb_data_destroy(s->data);
  free(s->c);
  free(s->q);
  free(s->tau);
  free(s->best);
  free(s->best_q);
}

static void give(const search* s, int k, limb_extreme* out)
{
  out->value = s->best[k];
  out->frame = k < s->nv ? -1 : s->frame;
  if (out->q) memcpy(out->q, s->best_q + (size_t)k * (size_t)s->nq, (size_t)s->nq * sizeof *s->q);
}

limb_status limb_rest_extremes(const limb_model* m, const limb_environment* env, limb_extreme* torque,
                               limb_extreme* reach)
{
  search s;
  if (!m || (!torque && !reach)) return LIMB_E_ARG;
  if (limb_loop_count(m) > 0 || limb_nv(m) > MAX_VELOCITIES) return LIMB_E_UNSUPPORTED;
  limb_status status = open_search(&s, m);
  s.env = env;
  if (status == LIMB_OK) status = look_around(&s);
  for (int k = torque ? 0 : s.nv; k < s.nv + (reach != NULL) && status == LIMB_OK; k++) status = climb(&s, k);
  for (int k = 0; torque && k < s.nv && status == LIMB_OK; k++) give(&s, k, &torque[k]);
  if (reach && status == LIMB_OK) give(&s, s.nv, reach);
  close_search(&s);
  return status;
}
