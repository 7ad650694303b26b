// Energies as functions of the state, and what the Euler-Lagrange equations want of them.
//
// Reference: Lynch and Park 2017, (9.5)-(9.21); Park, Bobrow, Ploen 1995, (58), (59) with g the acceleration of gravity
//            (it points down: the print has the sign of one that points up); G. Hamel, Die Lagrange-Eulerschen
//            Gleichungen der Mechanik, 1904, for velocities that are not rates of coordinates.
// Cost:      O(n).
//
//   T = v' M v / 2     dT/dv = p = M v,   dT/dq_k = [V_p, S_k] . h_k         (lagrange_mass.c)
//   U = -sum m g . c + sum k (q - rest)^2 / 2
//   dU/dq_k = -g . f,  (n; f) = I_k S_k                                      momentum of all that k carries
//   tau_i = dp_i/dt - sum_km c^m_ki v_k p_m - dT/dq_i + dU/dq_i              Hamel; c: structure constants

#include "limb/lagrange.h"

#include "base/numeric.h"
#include "dynamics/environment.h"
#include "dynamics/lagrange_impl.h"
#include "kernel/tables.h"

#include <string.h>

// out_k = -g . f_k
static void gravity_gradient(const limb_lie* t, sp_vec3 g, double* out)
{
  const int end = t->m->nlink;
  memset(out, 0, (size_t)t->m->nv * sizeof *out);
  for (limb_axis k = limb_axis_first(t, 0, end); k.link < end; k = limb_axis_next(t, k, end))
    out[k.v] -= k.mult * sp_dot3(g, limb_lie_times(t, k.link, k.S).f);
}

limb_status limb_gravity_from_potential(limb_data* d, const double* q, const limb_environment* env, double* tau)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !tau) return LIMB_E_ARG;
  limb_environment e;
  limb_lie t;
  limb_status s = limb_environment_read(d->m, env, &e);
  if (s == LIMB_OK) s = limb_lie_at(d, q, &t);
  if (s != LIMB_OK) return s;
  gravity_gradient(&t, e.gravity, tau);
  return limb_finite_v(d, tau) ? LIMB_OK : LIMB_E_NONFINITE;
}

// dU/dq: springs, then gravity beside them.
static limb_status potential_gradient(limb_data* d, const limb_lie* t, const double* q, sp_vec3 g, double* dU_dq)
{
  gravity_gradient(t, g, d->user_v);
  const limb_status s = limb_spring_forces(d, q, dU_dq);
  if (s != LIMB_OK) return s;
  for (int k = 0; k < d->m->nv; k++) dU_dq[k] += d->user_v[k];
  return limb_finite_v(d, dU_dq) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_energy_derivatives(limb_data* d, const double* q, const double* v, const limb_environment* env,
                                    double* dT_dq, double* dT_dv, double* dU_dq)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !v) return LIMB_E_ARG;
  limb_environment e;
  limb_lie t;
  limb_status s = limb_environment_read(d->m, env, &e);
  if (s == LIMB_OK) s = limb_check_state(d, q, v, NULL);
  if (s == LIMB_OK) s = limb_lie_at(d, q, &t);
  if (s == LIMB_OK && dU_dq) s = potential_gradient(d, &t, q, e.gravity, dU_dq);
  if (s == LIMB_OK && (dT_dq || dT_dv)) s = limb_kinetic_derivatives(d, &t, v, dT_dq, dT_dv);
  return s;
}

limb_status limb_lagrangian_terms(limb_data* d, const double* q, const double* v, const limb_environment* env,
                                  limb_lagrangian* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!out || (out->hamel && !out->p)) return LIMB_E_ARG;
  limb_status s = limb_energies(d, q, v, env, &out->energy);
  if (s == LIMB_OK) s = limb_energy_derivatives(d, q, v, env, out->dT_dq, out->p, out->dU_dq);
  if (s != LIMB_OK) return s;
  out->L = out->energy.kinetic - (out->energy.gravity + out->energy.springs);
  if (!isfinite(out->L)) return LIMB_E_NONFINITE;
  if (!out->hamel) return LIMB_OK;
  memset(out->hamel, 0, (size_t)d->m->nv * sizeof *out->hamel);
  limb_add_turning(d->m, v, out->p, out->hamel);
  return limb_finite_v(d, out->hamel) ? LIMB_OK : LIMB_E_NONFINITE;
}
