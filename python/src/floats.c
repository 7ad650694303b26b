// Kernels over floats (limb/batch.h) by the names of quantities.
#include <string.h>

#include "binding.h"

enum { TAU = 1, ACC, H, G, MASS, CORIOLIS, MINV, REGRESSOR, JACOBIAN, DTAU_DQ, DTAU_DV };

static const struct {
  const char* name;
  int kernel;
} kernels[] = {{"tau", TAU},         {"acc", ACC},        {"h", H},         {"g", G},        {"M", MASS},
               {"Minv", MINV},       {"dacc_dtau", MINV}, {"Y", REGRESSOR}, {"J", JACOBIAN}, {"dtau_dq", DTAU_DQ},
               {"dtau_dv", DTAU_DV}, {"C", CORIOLIS}};

static int kernel_of(const limb_quantity_info* q)
{
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
    if (strcmp(kernels[k].name, q->name) == 0) return kernels[k].kernel;
  return 0;
}

int floats_take(const limb_model* m, int count, const limb_item* item)
{
  for (int k = 0; k < count; k++) {
    int rank = 0;
    while (rank < LIMB_QUANTITY_AXES_MAX && item[k].quantity->axis[rank] != LIMB_AXIS_NONE) rank++;
    const int kernel = kernel_of(item[k].quantity);
    if (!kernel || item[k].rank != rank || (kernel == REGRESSOR && item[k].size > 32768)) return 0;
  }
  return count > 0 && limb_nv(m) <= LIMB_BATCH_MATRICES_MAX;
}

// Columns of 6 become 6 rows.
static void transpose(size_t n, size_t nv, float* J)
{
  float work[6 * LIMB_BATCH_MATRICES_MAX];
  for (size_t i = 0; i < n; i++, J += 6 * nv) {
    memcpy(work, J, 6 * nv * sizeof *work);
    for (size_t k = 0; k < nv; k++)
      for (size_t r = 0; r < 6; r++) J[r * nv + k] = work[6 * k + r];
  }
}

limb_status floats_run(limb_batch* b, const limb_item* item, const void* const in[INPUTS], const limb_rows* r, int k,
                       limb_status* status)
{
  const float *q = in[IN_Q], *v = in[IN_V], *a = in[IN_A], *tau = in[IN_TAU];
  const size_t n = r->n;
  limb_batch_environment env = limb_default_batch_environment();
  float* out = r->out[k];
  limb_status s = LIMB_E_UNSUPPORTED;
  const int kernel = kernel_of(item->quantity);
  const limb_id_derivatives_f32 d = {.dtau_dq = kernel == DTAU_DQ ? out : NULL,
                                     .dtau_dv = kernel == DTAU_DV ? out : NULL};
  env.all = r->env, env.nwrench = r->nwrench, env.wrench = r->wrench;
  switch (kernel) {
  case TAU: return limb_batch_inverse_dynamics_f32(b, n, q, v, a, &env, out, status);
  case ACC: return limb_batch_forward_dynamics_f32(b, n, q, v, tau, &env, out, status);
  case H: return limb_batch_bias_forces_f32(b, n, q, v, &env, out, status);
  case G: return limb_batch_gravity_forces_f32(b, n, q, &env, out, status);
  case MASS: return limb_batch_mass_matrix_f32(b, n, q, out, status);
  case CORIOLIS: return limb_batch_coriolis_matrix_f32(b, n, q, v, out, status);
  case MINV: return limb_batch_mass_matrix_inverse_f32(b, n, q, out, status);
  case REGRESSOR: return limb_batch_regressor_f32(b, n, q, v, a, &env, out, status);
  case DTAU_DQ:
  case DTAU_DV: return limb_batch_inverse_dynamics_derivatives_f32(b, n, q, v, a, &env, &d, status);
  case JACOBIAN:
    s = limb_batch_frame_jacobian_f32(b, n, q, item->frame, item->ref, out, status);
    if (s != LIMB_E_UNSUPPORTED) transpose(n, (size_t)limb_nv(limb_batch_model(b)), out);
  }
  return s;
}
