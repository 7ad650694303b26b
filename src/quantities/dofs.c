// Names and units of coordinates: the joint's name, and the suffix of the component where there are several.
#include "limb/dynamics.h"
#include "limb/model.h"

#include "base/memory.h"

#include <string.h>

struct limb_dofs {
  limb_allocator alloc;
  size_t size; // of the block that all of this is in
  int nq, nv;
  limb_dof_info *q, *v;
};

// Angles and angular rates have suffixes .r and .w, quaternions .q; the rest are lengths.
static int is_linear(limb_joint_type type, const char* suffix)
{
  return type == LIMB_PRISMATIC || (suffix[0] && (suffix[1] == 'p' || suffix[1] == 'v'));
}

// Writes one name and returns where the next begins.
static char* put(limb_dof_info* d, int joint, const limb_joint_info* info, int index, const char* suffix, char* text)
{
  const limb_joint_def* def = &info->def;
  const size_t name = strlen(def->name), rest = strlen(suffix);
  memcpy(text, def->name, name);
  memcpy(text + name, suffix, rest + 1);
  *d = (limb_dof_info){.name = text,
                       .joint = joint,
                       .index = index,
                       .linear = is_linear(def->type, suffix),
                       .quaternion = suffix[0] && suffix[1] == 'q',
                       .passive = info->passive};
  return text + name + rest + 1;
}

// ---- the base -------------------------------------------------------------------------------------------

// Whether nothing but fixed joints is between a body and the world. still: per body 1 yes, 0 no, -1 not known yet.
static int find_still(const limb_model* m, int body, signed char* still)
{
  int at = body;
  while (still[at] < 0) {
    limb_body_info link;
    limb_joint_info joint;
    if (limb_get_body(m, at, &link) != LIMB_OK || limb_get_joint(m, link.joint, &joint) != LIMB_OK) return 0;
    if (joint.def.type != LIMB_FIXED) return still[body] = 0;
    at = link.parent;
  }
  return still[body] = still[at];
}

// marks, still: scratch for nv marks, and for one number per body.
static limb_status find_base(const limb_model* m, limb_dofs* d, unsigned char* marks, signed char* still)
{
  const limb_status s = limb_given_for_base(m, marks);
  memset(still, -1, (size_t)limb_body_count(m));
  still[LIMB_WORLD_BODY] = 1;
  for (int k = 0; k < d->nv && s == LIMB_OK; k++) {
    limb_joint_info x;
    limb_dof_info* v = &d->v[k];
    v->base = marks[k] == LIMB_FORCE_GIVEN;
    if (limb_get_joint(m, v->joint, &x) != LIMB_OK) continue;
    v->root = find_still(m, x.def.parent, still);
    v->moves = v->base || (v->root && (x.def.type == LIMB_FREE || x.def.type == LIMB_PLANAR));
  }
  return s;
}

// ---- making ---------------------------------------------------------------------------------------------

static size_t text_size(const limb_model* m)
{
  size_t size = 1;
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    if (limb_get_joint(m, j, &info) != LIMB_OK) continue;
    const size_t each = strlen(info.def.name) + 1;
    for (int k = 0; k < info.nq; k++) size += each + strlen(limb_q_suffix(info.def.type, k));
    for (int k = 0; k < info.nv; k++) size += each + strlen(limb_v_suffix(info.def.type, k));
  }
  return size;
}

static void put_names(const limb_model* m, limb_dofs* d, char* text)
{
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    if (limb_get_joint(m, j, &info) != LIMB_OK) continue;
    for (int k = 0; k < info.nq; k++) text = put(&d->q[info.q + k], j, &info, k, limb_q_suffix(info.def.type, k), text);
    for (int k = 0; k < info.nv; k++) text = put(&d->v[info.v + k], j, &info, k, limb_v_suffix(info.def.type, k), text);
  }
}

limb_status limb_dofs_create(const limb_model* m, const limb_allocator* alloc, limb_dofs** out)
{
  if (!m || !out || (alloc && (!alloc->alloc || !alloc->free))) return LIMB_E_ARG;
  const limb_allocator a = alloc ? *alloc : limb_default_allocator();
  const size_t nq = (size_t)limb_nq(m), nv = (size_t)limb_nv(m), nb = (size_t)limb_body_count(m);
  const size_t text = text_size(m), size = sizeof(limb_dofs) + (nq + nv) * sizeof(limb_dof_info) + text + nv + nb;
  limb_dofs* d = limb_alloc(&a, size);
  if (!d) return LIMB_E_NOMEM;
  memset(d, 0, size);
  d->alloc = a, d->size = size;
  d->nq = (int)nq, d->nv = (int)nv;
  d->q = (limb_dof_info*)(void*)(d + 1), d->v = d->q + nq;
  char* names = (char*)(d->v + nv);
  put_names(m, d, names);
  const limb_status s = find_base(m, d, (unsigned char*)names + text, (signed char*)names + text + nv);
  if (s == LIMB_OK)
    *out = d;
  else
    limb_dofs_destroy(d);
  return s;
}

void limb_dofs_destroy(limb_dofs* d)
{
  if (!d) return;
  const limb_allocator a = d->alloc;
  limb_free(&a, d, d->size);
}

const limb_dof_info* limb_get_coordinate(const limb_dofs* d, int k)
{
  return d && k >= 0 && k < d->nq ? &d->q[k] : NULL;
}

const limb_dof_info* limb_get_velocity(const limb_dofs* d, int k) { return d && k >= 0 && k < d->nv ? &d->v[k] : NULL; }

// ---- units ----------------------------------------------------------------------------------------------

const char* limb_position_unit(const limb_dof_info* d) { return !d || d->quaternion ? "" : d->linear ? "m" : "rad"; }

const char* limb_velocity_unit(const limb_dof_info* d) { return !d ? "" : d->linear ? "m/s" : "rad/s"; }

const char* limb_acceleration_unit(const limb_dof_info* d) { return !d ? "" : d->linear ? "m/s^2" : "rad/s^2"; }

const char* limb_force_unit(const limb_dof_info* d) { return !d ? "" : d->linear ? "N" : "N m"; }
