// The load that a rigid body can have and that the log makes most likely.
//
// Reference: T. Lee, P. Wensing, F. Park, Geometric robot dynamic identification: a convex programming approach, IEEE
//            Trans. Robotics 36(2), 2020; S. Boyd, L. Vandenberghe, Convex optimization, 2004, sections 9.5 and 11.3.
// Cost:      some 50 Cholesky factorisations of 10 x 10.
//
//   min over phi:  |phi - phi^|^2_W / 2 + D(P(phi), P0),   W = C^-1
//
// phi^ and C are the estimate and its covariance, without what is hidden. P0 is a ball of water of that mass at that
// centre of mass: as D grows by 1/2 when a moment differs by its own size, the ball counts only where the motion shows
// little, and D keeps P positive.
#include "estimate/physical_impl.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

enum { STEPS = 60 };

static const double WATER = 1000, PI = 3.14159265358979323846; // [kg/m^3]

typedef struct problem {
  double W[BODY * BODY], phi[BODY]; // W: zero in hidden rows
  matrix4 prior;                    // P0^-1
  double weight;
} problem;

// W = C^-1 of what is not hidden. false: C is singular to working precision.
static bool invert_covariance(const limb_payload_result* r, double* W)
{
  double L[BODY * BODY], X[BODY * BODY], scale[BODY];
  int kept[BODY], n = 0;
  memset(W, 0, BODY * BODY * sizeof *W);
  for (int k = 0; k < BODY; k++) {
    if (r->hidden & 1U << k) continue;
    if (!(r->covariance[k * BODY + k] > 0)) return false;
    scale[n] = 1 / sqrt(r->covariance[k * BODY + k]), kept[n++] = k;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      L[i * n + j] = scale[i] * scale[j] * r->covariance[kept[i] * BODY + kept[j]] + (i == j ? 1e-12 : 0);
  if (n == 0 || !limb_cholesky(n, L)) return false;
  limb_cholesky_inverse(n, L, X);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) W[kept[i] * BODY + kept[j]] = scale[i] * scale[j] * X[i * n + j];
  return true;
}

// The ball, as parameters.
static void ball(const limb_payload_result* r, double t[BODY])
{
  const double mass = fmax(r->phi[0], fmax(r->mass_std, 1e-6)), radius = cbrt(3 * mass / (4 * PI * WATER));
  sp_inertia Y = limb_inertia_point(mass, r->phi[0] > 2 * r->mass_std ? r->load.com : sp_v3(0, 0, 0));
  Y.xx = Y.yy = Y.zz = 0.4 * mass * radius * radius;
  limb_inertia_to_parameters(&Y, t);
}

// |phi - phi^|^2_W
static double distance_of(const problem* p, const double* t)
{
  double sum = 0;
  for (int i = 0; i < BODY; i++)
    for (int j = 0; j < BODY; j++) sum += (t[i] - p->phi[i]) * p->W[i * BODY + j] * (t[j] - p->phi[j]);
  return sum;
}

static double value_of(const problem* p, const double* t)
{
  const matrix4 P = limb_pseudo_inertia(t);
  matrix4 inverse;
  double log_det;
  if (!limb_pseudo_invert(&P, &inverse, &log_det)) return HUGE_VAL;
  return distance_of(p, t) / 2 + p->weight * (limb_pseudo_trace(&p->prior, &P) - log_det);
}

static void differentiate(const problem* p, const double* t, double* g, double* H)
{
  memcpy(H, p->W, BODY * BODY * sizeof *H);
  for (int i = 0; i < BODY; i++) {
    g[i] = 0;
    for (int j = 0; j < BODY; j++) g[i] += p->W[i * BODY + j] * (t[j] - p->phi[j]);
  }
  limb_pseudo_divergence(&p->prior, t, p->weight, g, H, BODY);
}

// Damped Newton; H has a unit diagonal, so that units do not matter.
static bool descend(const problem* p, double t[BODY])
{
  double g[BODY], H[BODY * BODY], scale[BODY], d[BODY], next[BODY], value = value_of(p, t);
  for (int step = 0; step < STEPS; step++) {
    double slope = 0, length = 2, other = HUGE_VAL;
    differentiate(p, t, g, H);
    for (int k = 0; k < BODY; k++) scale[k] = 1 / sqrt(H[k * BODY + k]);
    for (int i = 0; i < BODY; i++) {
      d[i] = -scale[i] * g[i];
      for (int j = 0; j < BODY; j++) H[i * BODY + j] *= scale[i] * scale[j];
      H[i * BODY + i] += 1e-13;
    }
    if (!limb_cholesky(BODY, H)) return false;
    limb_cholesky_solve(BODY, H, d);
    for (int k = 0; k < BODY; k++) d[k] *= scale[k], slope += d[k] * g[k];
    if (-slope < 1e-9 * (1 + p->weight)) return true;
    do {
      length /= 2;
      if (length < 1e-12) return true; // less than rounding
      for (int k = 0; k < BODY; k++) next[k] = t[k] + length * d[k];
      other = value_of(p, next);
    } while (!(other <= value + 1e-4 * length * slope));
    if (!(other < value)) return true;
    value = other;
    memcpy(t, next, sizeof next);
  }
  return true; // a smaller weight goes on from here
}

limb_status limb_payload_physical(const limb_payload_result* r, limb_payload_result* out, double* distance)
{
  if (!r || !out) return LIMB_E_ARG;
  problem p;
  double t[BODY], g[BODY], H[BODY * BODY], log_det;
  memcpy(p.phi, r->phi, sizeof p.phi);
  ball(r, t);
  const matrix4 P0 = limb_pseudo_inertia(t);
  if (!invert_covariance(r, p.W) || !limb_pseudo_invert(&P0, &p.prior, &log_det)) return LIMB_E_SINGULAR;
  // From the ball to the log: by smaller and smaller weights of the divergence.
  p.weight = fmax(1, distance_of(&p, t));
  while (p.weight > 2) {
    if (!descend(&p, t)) return LIMB_E_NOCONV;
    p.weight /= 10;
  }
  p.weight = 1;
  if (!descend(&p, t)) return LIMB_E_NOCONV;
  if (distance) *distance = sqrt(fmax(distance_of(&p, t), 0));
  differentiate(&p, t, g, H);
  limb_payload_result found = *r;
  memcpy(found.phi, t, sizeof found.phi);
  if (!limb_cholesky(BODY, H)) return LIMB_E_NOCONV;
  limb_cholesky_inverse(BODY, H, found.covariance);
  limb_payload_interpret(&found);
  *out = found;
  return found.physical ? LIMB_OK : LIMB_E_NOCONV;
}
