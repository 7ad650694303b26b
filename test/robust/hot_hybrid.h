// Hot calls about known and unknown joints, elastic joints, moving bases and force laws, in the signature of
// hot_inputs.h. Marks are the model's own.
#ifndef LIMB_TEST_HOT_HYBRID_H
#define LIMB_TEST_HOT_HYBRID_H

#include "robust/hot_derivatives.h"

#include <string.h>

static limb_hybrid hybrid_in(const inputs* i) { return (limb_hybrid){i->q, i->v, NULL, i->third, i->env}; }

static limb_status hybrid(const inputs* i)
{
  return limb_hybrid_dynamics(i->d, i->q, i->v, NULL, i->third, i->env, block(i, 0), block(i, 1));
}

static limb_status hybrid_by_mass(const inputs* i)
{
  const limb_hybrid in = hybrid_in(i);
  return limb_hybrid_dynamics_by_mass_matrix(i->d, &in, i->work, block(i, 0), block(i, 1));
}

static limb_status hybrid_derivatives(const inputs* i)
{
  const limb_hybrid in = hybrid_in(i);
  const limb_hybrid_derivatives out = {block(i, 0), block(i, 1), block(i, 2), block(i, 3)};
  return limb_hybrid_dynamics_derivatives(i->d, &in, i->out ? &out : NULL);
}

static limb_status hybrid_along(const inputs* i)
{
  const limb_hybrid in = hybrid_in(i);
  limb_directions along = along_q_and_v(i);
  along.da = i->work, along.dtau = i->work;
  return limb_hybrid_dynamics_along(i->w, &in, &along, i->out);
}

static limb_status hybrid_by_wrench(const inputs* i)
{
  return limb_hybrid_dynamics_by_wrench(i->d, i->q, NULL, i->frame, LIMB_WORLD, i->work, i->out);
}

static limb_status hybrid_by_gravity(const inputs* i)
{
  return limb_hybrid_dynamics_by_gravity(i->d, i->q, NULL, i->work, i->out);
}

// ---- what is read and written -----------------------------------------------------------------------

// A copy of n numbers at the output; NULL when there is none.
static double* at_output(const inputs* i, const double* x, int n)
{
  if (!i->out || !x) return NULL;
  return memcpy(i->out, x, (size_t)n * sizeof *x);
}

static int nv_of(const inputs* i) { return i->d ? limb_nv(limb_data_model(i->d)) : 0; }

static limb_status base_velocity(const inputs* i)
{
  double* v = at_output(i, i->v, nv_of(i));
  return limb_velocity_from_momentum(i->d, i->q, NULL, NULL, i->work, v);
}

static limb_status generalized_jacobian(const inputs* i)
{
  return limb_generalized_jacobian(i->d, i->q, NULL, i->frame, LIMB_ALIGNED, i->work, i->out);
}

static limb_status reaction_null_space(const inputs* i)
{
  return limb_reaction_null_space(i->d, i->q, NULL, i->work, i->out, NULL);
}

static limb_status static_deflection(const inputs* i)
{
  double* q = at_output(i, i->q, i->d ? limb_nq(limb_data_model(i->d)) : 0);
  return limb_static_deflection(i->d, NULL, i->third, i->env, NULL, i->work, q);
}

// The path has velocity and acceleration; its higher derivatives are zero.
static limb_status elastic_inverse(const inputs* i)
{
  const size_t nv = (size_t)nv_of(i);
  limb_trajectory path = {i->q, LIMB_ELASTIC_ORDER_MAX, NULL};
  if (i->v && i->third) {
    memset(i->work, 0, LIMB_ELASTIC_ORDER_MAX * nv * sizeof *i->work);
    memcpy(i->work, i->v, nv * sizeof *i->work);
    memcpy(i->work + nv, i->third, nv * sizeof *i->work);
    path.d = i->work;
  }
  return limb_elastic_inverse(i->series, &path, i->env, block(i, 0), block(i, 1), block(i, 2), block(i, 3));
}

static limb_status force_law_wrenches(const inputs* i)
{
  return limb_force_law_wrenches(i->d, i->q, i->v, i->env, i->out);
}

#endif
