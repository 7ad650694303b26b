// Workspaces for kernels over other scalars.
#include "support/scalars.h"

#include "model/model_impl.h"

#include <stdlib.h>
#include <string.h>

// States of the base frames: at rest, accelerated against gravity.
static void set_base(const limb_model* m, double* base)
{
  const sp_vec3 up = sp_scale3(-1, m->gravity);
  for (int r = 0; r < m->nroot; r++) {
    const sp_vec3 a = sp_tmulv(m->base[r].R, up);
    double* state = base + (ptrdiff_t)LIMB_WS_STATE * r;
    for (int i = 0; i < LIMB_WS_STATE; i++) state[i] = 0;
    state[6] = a.x, state[7] = a.y, state[8] = a.z;
  }
}

scalar_space scalar_space_make(const limb_model* m, size_t scalar)
{
  scalar_space s = {0};
  limb_arena measure = {0};
  limb_ws_lay_out(&measure, m, scalar, &s.ws);
  s.size = (measure.used + 63) / 64 * 64;
  s.block = aligned_alloc(64, s.size);
  if (!s.block) abort();
  memset(s.block, 0, s.size);
  limb_arena arena = limb_arena_over(s.block, s.size);
  limb_ws_lay_out(&arena, m, scalar, &s.ws);
  set_base(m, s.ws.base);
  return s;
}

void scalar_space_free(scalar_space* s)
{
  limb_arena_release(s->block, s->size);
  free(s->block);
  *s = (scalar_space){0};
}

limb_link_f32* link_constants_f32(const limb_model* m)
{
  enum { COUNT = sizeof(limb_link_f64) / sizeof(double) };
  _Static_assert(sizeof(limb_link_f32) == COUNT * sizeof(float), "constants are of one type");
  limb_link_f32* k = malloc(((size_t)m->nlink + 1) * sizeof *k);
  if (!k) abort();
  for (int i = 0; i < m->nlink; i++) {
    double from[COUNT];
    float to[COUNT];
    memcpy(from, &m->k64[i], sizeof from);
    for (int j = 0; j < COUNT; j++) to[j] = (float)from[j];
    memcpy(&k[i], to, sizeof to);
  }
  return k;
}

void configuration_rate(const limb_model* m, const double* q, const double* v, double* dq)
{
  limb_configuration_rate(m, q, v, dq);
}
