// Torques from outside, observed by the momentum of the robot, without accelerations.
//
// Reference: A. De Luca, A. Albu-Schaeffer, S. Haddadin, G. Hirzinger, Collision detection and safe reaction with the
//            DLR-III lightweight manipulator arm, IROS 2006; S. Haddadin, A. De Luca, A. Albu-Schaeffer, Robot
//            collisions: a survey on detection, isolation, and identification, IEEE Trans. Robotics 33(6), 2017.
// Cost:      that of the matrices M and C, O(n depth).
//
//   p = M v,   p' = tau + C' v - g - friction - springs + tau_outside      (dM/dt = C + C')
//   r = K (p - p(0) - integral of (tau + C' v - g - friction - springs + r)),   so that r' = K (tau_outside - r)
//
// The integral takes the new r: the observer is stable for every step.
#include "limb/ident.h"

#include "base/numeric.h"

#include <math.h>

size_t limb_observer_work(const limb_model* m)
{
  const size_t nv = m ? (size_t)limb_nv(m) : 0;
  return nv * nv + 3 * nv;
}

// p = M v
static limb_status momentum(const limb_observer* o, const double* q, const double* v, double* p)
{
  const int nv = limb_nv(limb_data_model(o->d));
  const limb_status s = limb_mass_matrix(o->d, q, o->work);
  for (int i = 0; i < nv && s == LIMB_OK; i++) {
    p[i] = 0;
    for (int k = 0; k < nv; k++) p[i] += o->work[i * nv + k] * v[k];
  }
  return s;
}

// out = C' v - g - friction - springs
static limb_status drift(const limb_observer* o, const double* q, const double* v, double* out, double* term)
{
  const int nv = limb_nv(limb_data_model(o->d));
  limb_status s = limb_coriolis_matrix(o->d, q, v, o->work);
  for (int i = 0; i < nv && s == LIMB_OK; i++) {
    out[i] = 0;
    for (int k = 0; k < nv; k++) out[i] += o->work[k * nv + i] * v[k];
  }
  for (int part = 0; part < 3 && s == LIMB_OK; part++) {
    if (part == 0) s = limb_gravity_forces(o->d, q, o->env, term);
    if (part == 1) s = limb_friction_forces_at(o->d, q, v, o->env, term);
    if (part == 2) s = limb_spring_forces(o->d, q, term);
    for (int i = 0; i < nv && s == LIMB_OK; i++) out[i] -= term[i];
  }
  return s;
}

static int is_complete(const limb_observer* o, const double* q, const double* v)
{
  return o && o->d && o->integral && o->r && o->work && q && v && o->gain > 0 && isfinite(o->gain);
}

limb_status limb_observer_start(limb_observer* o, const double* q, const double* v)
{
  if (!is_complete(o, q, v)) return LIMB_E_ARG;
  if (limb_loop_count(limb_data_model(o->d)) > 0) return LIMB_E_UNSUPPORTED;
  const int nv = limb_nv(limb_data_model(o->d));
  for (int i = 0; i < nv; i++) o->r[i] = 0;
  return momentum(o, q, v, o->integral);
}

limb_status limb_observer_step(limb_observer* o, double dt, const double* q, const double* v, const double* tau)
{
  if (!is_complete(o, q, v) || !tau || !(dt > 0) || !isfinite(dt)) return LIMB_E_ARG;
  const int nv = limb_nv(limb_data_model(o->d));
  if (!limb_finite(nv, tau)) return LIMB_E_NONFINITE; // it would stay in the integral
  double *p = o->work + (size_t)nv * (size_t)nv, *rate = p + nv, *term = rate + nv;
  limb_status s = drift(o, q, v, rate, term);
  if (s == LIMB_OK) s = momentum(o, q, v, p);
  for (int i = 0; i < nv && s == LIMB_OK; i++) {
    o->integral[i] += dt * (tau[i] + rate[i]);
    o->r[i] = o->gain * (p[i] - o->integral[i]) / (1 + o->gain * dt);
    o->integral[i] += dt * o->r[i];
  }
  return s;
}
