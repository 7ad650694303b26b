// Workspaces for kernels over other scalars.
#include "support/scalars.h"

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

// d q / d t of a quaternion (x, y, z, w) that turns with angular velocity w, in its own axes: q (w, 0) / 2
static void quaternion_rate(const double* q, const double* w, double* dq)
{
  dq[0] = (q[3] * w[0] - q[2] * w[1] + q[1] * w[2]) / 2;
  dq[1] = (q[2] * w[0] + q[3] * w[1] - q[0] * w[2]) / 2;
  dq[2] = (-q[1] * w[0] + q[0] * w[1] + q[3] * w[2]) / 2;
  dq[3] = (-q[0] * w[0] - q[1] * w[1] - q[2] * w[2]) / 2;
}

void configuration_rate(const limb_model* m, const double* q, const double* v, double* dq)
{
  for (int i = 0; i < m->njoint; i++) {
    const limb_joint* joint = &m->joint[i];
    const double *qj = q + joint->q, *vj = v + joint->v;
    double* dqj = dq + joint->q;
    if (joint->def.type == LIMB_SPHERICAL) {
      quaternion_rate(qj, vj, dqj);
    } else if (joint->def.type == LIMB_FREE) {
      const sp_mat3 R = sp_rot_quat((sp_quat){qj[3], qj[4], qj[5], qj[6]});
      const sp_vec3 p = sp_mulv(R, sp_v3(vj[3], vj[4], vj[5]));
      dqj[0] = p.x, dqj[1] = p.y, dqj[2] = p.z;
      quaternion_rate(qj + 3, vj, dqj + 3);
    } else {
      for (int k = 0; k < joint->nv; k++) dqj[k] = vj[k];
    }
  }
}
