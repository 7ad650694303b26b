// Tendons of a robot that is changed. A joint that is held takes its part of the length along:
//   length - rest = sum over the others + coefficient q - rest
#include "model/edit_impl.h"

#include "base/memory.h"

#include <string.h>

static void take_all(edit* e, const limb_builder* from, int shift)
{
  for (int i = 0; i < from->ntendon; i++) e->tendon[e->ntendon++] = (edit_tendon){from->tendon[i], shift};
}

limb_status limb_edit_take_tendons(edit* e, const limb_builder* other)
{
  e->tendon_cap = (size_t)(e->b->ntendon + (other ? other->ntendon : 0) + 1) * sizeof *e->tendon;
  e->tendon = limb_alloc(&e->b->alloc, e->tendon_cap);
  if (!e->tendon) return limb_edit_no_memory(e);
  take_all(e, e->b, 0);
  if (other) take_all(e, other, e->b->njoint);
  return LIMB_OK;
}

void limb_edit_hold_tendons(edit* e, int joint, double q)
{
  for (int i = 0; i < e->ntendon; i++) {
    limb_tendon_def* def = &e->tendon[i].def;
    for (int k = 0; k < def->count; k++)
      if (def->joint[k] + e->tendon[i].shift == joint) def->rest -= def->coefficient[k] * q;
  }
}

// One whose joints are removed goes with them, and one whose joints are all held has no effect.
static limb_status add(const edit* e, const edit_tendon* from, limb_builder* to, double* coefficient, int* joint)
{
  limb_tendon_def def = from->def;
  def.joint = joint, def.coefficient = coefficient, def.count = 0;
  for (int k = 0; k < from->def.count; k++) {
    const int own = from->def.joint[k] + from->shift;
    if (e->joint_at[own] < 0) return LIMB_OK;
    if (e->joint[own].type == LIMB_FIXED) continue;
    joint[def.count] = e->joint_at[own];
    coefficient[def.count++] = from->def.coefficient[k];
  }
  return def.count > 0 ? limb_builder_add_tendon(to, &def, NULL, e->err) : LIMB_OK;
}

limb_status limb_edit_add_tendons(const edit* e, limb_builder* to)
{
  const limb_allocator* a = &e->b->alloc;
  limb_status s = LIMB_OK;
  for (int i = 0; s == LIMB_OK && i < e->ntendon; i++) {
    const size_t count = (size_t)e->tendon[i].def.count, size = count * (sizeof(double) + sizeof(int));
    double* coefficient = limb_alloc(a, size);
    if (!coefficient) return limb_edit_no_memory(e);
    s = add(e, &e->tendon[i], to, coefficient, (int*)(coefficient + count));
    limb_free(a, coefficient, size);
  }
  return s;
}
