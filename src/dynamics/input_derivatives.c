// Derivatives of inverse and forward dynamics with respect to what acts from outside: a wrench, gravity.
//
// Reference: docs/conventions.md, tau = M a + h - sum J' wrench. Both are linear in wrench and gravity.
// Cost:      O(n); forward dynamics also six, or three, solves with M.
//
//   d tau / d wrench = -J'          d a / d wrench = M^-1 J'
//   d tau / d g      = -G'          d a / d g      = M^-1 G'
//
// J is the Jacobian of the frame, G that of the first moment of mass: the power of gravity is g . G v.

#include "limb/derivatives.h"

#include "base/numeric.h"
#include "kinematics/kinematics_impl.h"
#include "kinematics/whole_body.h"
#include "model/loop_calls.h"

static limb_status finished(const limb_model* m, int columns, const double* out)
{
  return limb_finite((ptrdiff_t)columns * m->nv, out) ? LIMB_OK : LIMB_E_NONFINITE;
}

// out = J', nv x 6: a column of J is a row, angular first.
static limb_status frame_rows(limb_data* d, const double* q, int frame, limb_ref ref, double* out)
{
  if (!d || !q || !out || !limb_ref_valid(ref)) return LIMB_E_ARG;
  const limb_model* m = d->m;
  if (frame < 0 || frame >= m->nbody + m->nframe) return LIMB_E_ARG;
  const limb_status s = limb_link_kinematics(d, q, NULL, NULL, &d->own);
  if (s != LIMB_OK) return s;
  const limb_site site = limb_site_of(m, frame);
  limb_site_jacobian(d, &site, d->own.X, ref, (sp_motion*)(void*)out);
  return finished(m, 6, out);
}

// out = G', nv x 3.
static limb_status mass_rows(limb_data* d, const double* q, double* out)
{
  if (!d || !q || !out) return LIMB_E_ARG;
  const limb_status s = limb_link_kinematics(d, q, NULL, NULL, &d->own);
  if (s != LIMB_OK) return s;
  limb_measure_from_root(d->m, q, d->own.X); // the Jacobian does not depend on where the robot is
  limb_first_moment_jacobian(d->m, d->own.X, d->composite, (sp_vec3*)(void*)out);
  return finished(d->m, 3, out);
}

// Forces of the actuators that hold against -x.
static limb_status hold(limb_data* d, const double* q, int columns, double* x)
{
  for (ptrdiff_t k = 0; k < (ptrdiff_t)columns * d->m->nv; k++) x[k] = -x[k];
  return d->loops ? d->m->loop_calls->drive(d->loops, q, columns, x) : LIMB_OK;
}

// Transposes a matrix in place, along the cycles of the permutation: entry s of rows x columns goes to
// s rows mod (size - 1). A cycle is turned when its least entry comes up.
static void transpose(ptrdiff_t rows, ptrdiff_t columns, double* x)
{
  const ptrdiff_t last = rows * columns - 1;
  for (ptrdiff_t start = 1; start < last; start++) {
    ptrdiff_t s = start * rows % last;
    while (s > start) s = s * rows % last;
    if (s < start) continue;
    double carried = x[start];
    do {
      s = s * rows % last;
      const double next = x[s];
      x[s] = carried;
      carried = next;
    } while (s != start);
  }
}

// x = M^-1 x for a matrix nv x columns. The solver takes right-hand sides as rows.
static limb_status solve(limb_data* d, const double* q, int columns, double* x)
{
  const int n = d->m->nv;
  if (d->loops) return d->m->loop_calls->accelerate(d->loops, q, columns, x);
  transpose(n, columns, x);
  const limb_status s = limb_mass_matrix_solve(d, q, columns, x, x);
  transpose(columns, n, x);
  return s;
}

limb_status limb_inverse_dynamics_by_wrench(limb_data* d, const double* q, int frame, limb_ref ref, double* out)
{
  const limb_status s = frame_rows(d, q, frame, ref, out);
  return s == LIMB_OK ? hold(d, q, 6, out) : s;
}

limb_status limb_inverse_dynamics_by_gravity(limb_data* d, const double* q, double* out)
{
  const limb_status s = mass_rows(d, q, out);
  return s == LIMB_OK ? hold(d, q, 3, out) : s;
}

limb_status limb_forward_dynamics_by_wrench(limb_data* d, const double* q, int frame, limb_ref ref, double* out)
{
  const limb_status s = frame_rows(d, q, frame, ref, out);
  return s == LIMB_OK ? solve(d, q, 6, out) : s;
}

limb_status limb_forward_dynamics_by_gravity(limb_data* d, const double* q, double* out)
{
  const limb_status s = mass_rows(d, q, out);
  return s == LIMB_OK ? solve(d, q, 3, out) : s;
}
