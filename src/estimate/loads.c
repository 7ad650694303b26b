// What acts on the robot and is known: loads that it carries in some logs, wrenches that were measured.
//
// A load is fixed to a body: with it the parameters theta are others, and so are the base parameters, by d = K dtheta:
//
//   tau = Y_b (theta_b + d)      so that      tau - Y_b d = Y_b theta_b
#include "limb/edit.h"

#include "estimate/ident_impl.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

// ---- loads --------------------------------------------------------------------------------------------------

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
