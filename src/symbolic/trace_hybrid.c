// Hybrid dynamics as a function: accelerations are given where a motor drives, forces elsewhere.
#include "symbolic/trace_tree.h"

#include "dynamics/dynamics_impl.h"

// Says what x holds. LIMB_E_NOMEM.
static limb_status note_given(const limb_tracer* t, const unsigned char* given, limb_function* f)
{
  const char** label = t->program->input[INPUT_V].label;
  f->noted = limb_program_take(t->program, (size_t)t->m->nv + 1, sizeof *f->noted);
  if (!f->noted) return LIMB_E_NOMEM;
  for (int v = 0; v < t->m->nv; v++) {
    if (!given[v]) f->noted[f->nnoted++] = label[v];
  }
  f->note = f->nnoted ? "x holds accelerations, but forces of the joints without motor:"
                      : "Every joint has a motor: x holds accelerations.";
  return LIMB_OK;
}

limb_status limb_trace_hybrid(limb_tracer* t, limb_function* f)
{
  const limb_model* m = t->m;
  const size_t nv = (size_t)m->nv;
  unsigned char* given = limb_program_take(t->program, nv + 1, 1);
  limb_scalar *a = limb_trace_scalars(t, nv), *tau = limb_trace_scalars(t, nv);
  limb_scalar* packed = limb_trace_scalars(t, m->elim.packed);
  if (!given || !a || !tau || !packed) return LIMB_E_NOMEM;
  limb_status s = limb_mark_passive(m, given);
  if (s == LIMB_OK) s = note_given(t, given, f);
  if (s != LIMB_OK) return s;
  limb_trace_takes(t, f, 1U << INPUT_Q | 1U << INPUT_V | 1U << INPUT_X);
  const limb_kernels_symbol_hybrid in = {t->q, t->v, given, t->x, &t->terms, NULL};
  if (f->nnoted == 0) { // inverse dynamics
    limb_trace_kernels.inverse_dynamics(m, t->k, &t->ws, t->q, t->v, t->x, &t->terms, NULL, tau);
    a = t->x;
  } else if (limb_given_sweeps(m, given)) {
    limb_trace_kernels.hybrid(m, t->k, &t->ws, &in, a, tau);
  } else {
    limb_trace_kernels.hybrid_by_mass_matrix(m, t->k, &t->ws, &in, packed, a, tau);
  }
  const limb_output of_a = {.name = "a", .meaning = "joint accelerations", .rows = m->nv, .columns = 1};
  const limb_output of_tau = {.name = "tau", .meaning = "joint forces", .rows = m->nv, .columns = 1};
  s = limb_trace_output(t, f, of_a, a);
  return s == LIMB_OK ? limb_trace_output(t, f, of_tau, tau) : s;
}
