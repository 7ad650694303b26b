#include "model/workspace.h"

// Factors are kept at hand for mimic robots, which need them, and where they cost little.
size_t limb_ws_packed(const limb_model* m)
{
  const bool small = m->elim.packed / 32 <= (size_t)m->nv;
  return m->has_mimic || small ? m->elim.packed : 0;
}

void limb_ws_lay_out_recursion(limb_arena* a, const limb_model* m, size_t scalar, limb_ws* out)
{
  const size_t nl = (size_t)m->nlink, nc = (size_t)m->ncdof, na = (size_t)m->naux;
  out->q = limb_arena_take(a, nl + LIMB_WS_PAD, scalar);
  out->c = limb_arena_take(a, nl + LIMB_WS_PAD, scalar);
  out->s = limb_arena_take(a, nl + LIMB_WS_PAD, scalar);
  out->dense = limb_arena_take(a, na * LIMB_WS_POSE, scalar);
  out->v = limb_arena_take(a, nc, scalar);
  out->a = limb_arena_take(a, nc, scalar);
  out->tau = limb_arena_take(a, nc, scalar);
  out->force = limb_arena_take(a, (nl + 1) * LIMB_WS_FORCE, scalar);
  out->state = limb_arena_take(a, nl * LIMB_WS_STATE, scalar);
  out->base = limb_arena_take(a, (size_t)m->nroot * LIMB_WS_STATE, sizeof(double));
}

static size_t whole_blocks(size_t columns) { return (columns + LIMB_LANES_MAX - 1) / LIMB_LANES_MAX * LIMB_LANES_MAX; }

void limb_ws_lay_out(limb_arena* a, const limb_model* m, size_t scalar, limb_ws* out)
{
  const size_t nl = (size_t)m->nlink, nc = (size_t)m->ncdof, na = (size_t)m->naux;
  limb_ws_lay_out_recursion(a, m, scalar, out);
  out->aba = limb_arena_take(a, nl * LIMB_WS_ABA, scalar);
  out->aba_aux = limb_arena_take(a, na * LIMB_WS_ABA_AUX, scalar);
  out->partly = limb_arena_take(a, na * LIMB_WS_PARTLY, scalar);
  out->given = limb_arena_take(a, nc, 1);
  out->columns = limb_arena_take(a, whole_blocks(nc) * LIMB_WS_FORCE, scalar);
  out->artic = limb_arena_take(a, nl * LIMB_WS_ARTIC, scalar);
  limb_dof_table_lay_out(a, m, scalar, &out->table);
  out->packed = limb_arena_take(a, limb_ws_packed(m), scalar);
}
