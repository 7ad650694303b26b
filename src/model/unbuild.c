// A builder from a model: the robot as it was described, told again.
#include "model/model_impl.h"

static limb_status tell_bodies(const limb_model* m, limb_builder* b)
{
  limb_status s = LIMB_OK;
  for (int i = 1; !s && i < m->nbody; i++) {
    limb_body_def def = limb_default_body_def(m->body[i].name);
    def.inertia = m->body[i].inertia;
    s = limb_builder_add_body(b, &def, NULL, NULL);
  }
  return s;
}

limb_status limb_builder_from_model(const limb_model* m, const limb_allocator* alloc, limb_builder** out)
{
  if (out) *out = NULL;
  if (!m || !out) return LIMB_E_ARG;
  limb_builder* b = NULL;
  limb_status s = limb_builder_create(alloc, &b);
  if (!s) s = limb_builder_set_name(b, m->name);
  if (!s) s = limb_builder_set_gravity(b, m->gravity);
  if (!s) s = tell_bodies(m, b);
  for (int i = 0; !s && i < m->njoint; i++) s = limb_builder_add_joint(b, &m->joint[i].def, NULL, NULL);
  for (int i = 0; !s && i < m->nframe; i++)
    s = limb_builder_add_frame(b, m->frame[i].name, m->frame[i].body, &m->frame[i].pose, NULL, NULL);
  for (int i = 0; !s && i < m->nshaft; i++) s = limb_builder_add_shaft(b, &m->shaft[i].def, NULL);
  for (int i = 0; !s && i < m->nloop; i++) s = limb_builder_add_loop(b, &m->loop[i].def, NULL, NULL);
  if (s) {
    limb_builder_destroy(b);
    return s;
  }
  *out = b;
  return LIMB_OK;
}
