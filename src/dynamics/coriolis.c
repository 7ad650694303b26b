// Coriolis matrix: entry point.

#include "limb/dynamics.h"

#include "kernel/tables.h"
#include "model/loop_calls.h"

limb_status limb_coriolis_matrix(limb_data* d, const double* q, const double* v, double* C)
{
  if (!d || !q || !v || !C) return LIMB_E_ARG;
  if (d->loops) return d->m->loop_calls->coriolis_matrix(d->loops, q, v, C);
  if (!d->ws.table.cell) return LIMB_E_UNSUPPORTED;
  const limb_model* m = d->m;
  const limb_status s = limb_check_state(d, q, v, NULL);
  if (s != LIMB_OK) return s;
  const bool fine = limb_kernels_of(d)->coriolis_matrix(m, m->k64, &d->ws, q, v, SLOPES_SKEW, C);
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}
