// Shapes of a builder: what a robot looks like. The compiler does not see them.
#include "limb/edit.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"
#include "model/builder_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WHERE = sizeof((limb_error*)0)->where, TEXTS = 4 };

#define LIMB_X(name, value, text, count) text,
static const char* const type_names[] = {LIMB_SHAPE_LIST(LIMB_X)};
#undef LIMB_X
#define LIMB_X(name, value, text, count) count,
static const unsigned char extents[] = {LIMB_SHAPE_LIST(LIMB_X)};
#undef LIMB_X

enum { TYPES = sizeof extents };

const char* limb_shape_type_name(limb_shape_type type) { return (unsigned)type < TYPES ? type_names[type] : NULL; }

limb_shape_def limb_default_shape_def(limb_shape_type type, int body)
{
  limb_shape_def def = {.size = sizeof def, .body = body, .use = LIMB_SHAPE_VISUAL, .type = type};
  def.name = def.mesh = def.path = def.texture = "";
  def.pose = sp_pose_identity();
  for (int k = 0; k < 3; k++) def.extent[k] = type == LIMB_SHAPE_MESH;
  return def;
}

// ---- adding ---------------------------------------------------------------------------------------------------

static limb_status check_numbers(const limb_shape_def* def, const char* where, limb_error* err)
{
  if (!limb_finite(3, def->extent) || !limb_finite(4, def->color))
    return limb_fail(err, LIMB_E_NONFINITE, where, "extent or color is not finite");
  for (int k = 0; k < extents[def->type]; k++) {
    const double x = def->extent[k];
    const int good = def->type == LIMB_SHAPE_MESH ? x != 0 : def->type == LIMB_SHAPE_PLANE ? x >= 0 : x > 0;
    if (!good) return limb_fail(err, LIMB_E_ARG, where, "extent %d of the %s is %.6g", k, type_names[def->type], x);
  }
  return LIMB_OK;
}

static limb_status check(const limb_builder* b, limb_shape_def* def, const char* where, limb_error* err)
{
  if (def->body < 0 || def->body >= b->nbody)
    return limb_fail(err, LIMB_E_ARG, where, "body is %d: there are bodies 0 to %d", def->body, b->nbody - 1);
  if ((unsigned)def->type >= TYPES || def->use == 0 || def->use > (LIMB_SHAPE_VISUAL | LIMB_SHAPE_COLLISION))
    return limb_fail(err, LIMB_E_ARG, where, "there is no such type or use");
  if (def->type == LIMB_SHAPE_MESH && !*def->mesh) return limb_fail(err, LIMB_E_ARG, where, "the mesh has no file");
  const limb_status s = check_numbers(def, where, err);
  return s ? s : limb_check_pose(&def->pose, where, err);
}

// The texts of a definition, in one block with it.
static const char** text_of(limb_shape_def* def, int k)
{
  const char** const texts[TEXTS] = {&def->name, &def->mesh, &def->path, &def->texture};
  return texts[k];
}

static size_t block_size(limb_shape_def* def)
{
  size_t size = 0;
  for (int k = 0; k < TEXTS; k++) size += strlen(*text_of(def, k)) + 1;
  return size;
}

static int copy_texts(const limb_builder* b, limb_shape_def* own)
{
  char* to = limb_alloc(&b->alloc, block_size(own));
  if (!to) return 0;
  for (int k = 0; k < TEXTS; k++) {
    const char** text = text_of(own, k);
    const size_t size = strlen(*text) + 1;
    *text = memcpy(to, *text, size);
    to += size;
  }
  return 1;
}

static limb_status add(limb_builder* b, limb_shape_def own, limb_error* err)
{
  void* items = b->shape;
  const int grown = limb_grow(&b->alloc, &items, &b->shape_cap, b->nshape, sizeof own);
  b->shape = items;
  if (!grown || !copy_texts(b, &own)) return limb_fail(err, LIMB_E_NOMEM, "shape", "out of memory");
  b->shape[b->nshape++] = own;
  return LIMB_OK;
}

// The caller's definition, checked.
static limb_status take(const limb_builder* b, const limb_shape_def* def, int shape, limb_shape_def* own,
                        limb_error* err)
{
  char where[WHERE];
  const limb_status s = limb_read_def(own, def, sizeof *own, offsetof(limb_shape_def, mesh), "shape", err);
  for (int k = 0; k < TEXTS; k++)
    if (!*text_of(own, k)) *text_of(own, k) = "";
  (void)snprintf(where, sizeof where, "shape %d", shape);
  return s ? s : check(b, own, where, err);
}

limb_status limb_builder_add_shape(limb_builder* b, const limb_shape_def* def, int* shape, limb_error* err)
{
  if (!b || !def) return limb_fail(err, LIMB_E_ARG, "shape", "builder or definition is NULL");
  limb_shape_def own = limb_default_shape_def(LIMB_SHAPE_BOX, 0);
  limb_status s = take(b, def, b->nshape, &own, err);
  if (!s) s = add(b, own, err);
  if (!s && shape) *shape = b->nshape - 1;
  return s;
}

static void free_texts(const limb_builder* b, limb_shape_def* def)
{
  limb_free(&b->alloc, (void*)(uintptr_t)def->name, block_size(def));
}

limb_status limb_builder_set_shape(limb_builder* b, int shape, const limb_shape_def* def, limb_error* err)
{
  if (!b || !def || shape < 0 || shape >= b->nshape)
    return limb_fail(err, LIMB_E_ARG, "shape", "builder or definition is NULL, or there is no shape %d", shape);
  limb_shape_def own = limb_default_shape_def(LIMB_SHAPE_BOX, 0);
  const limb_status s = take(b, def, shape, &own, err);
  if (s) return s;
  if (!copy_texts(b, &own)) return limb_fail(err, LIMB_E_NOMEM, "shape", "out of memory");
  free_texts(b, &b->shape[shape]);
  b->shape[shape] = own;
  return LIMB_OK;
}

void limb_free_shapes(limb_builder* b)
{
  for (int i = 0; i < b->nshape; i++) free_texts(b, &b->shape[i]);
  limb_free(&b->alloc, b->shape, (size_t)b->shape_cap * sizeof *b->shape);
  b->shape = NULL;
  b->nshape = b->shape_cap = 0;
}

// ---- asking ---------------------------------------------------------------------------------------------------

int limb_builder_shape_count(const limb_builder* b) { return b ? b->nshape : 0; }

limb_status limb_builder_get_shape(const limb_builder* b, int shape, limb_shape_def* out)
{
  if (!b || !out || shape < 0 || shape >= b->nshape) return LIMB_E_ARG;
  *out = b->shape[shape];
  return LIMB_OK;
}

// ---- from one builder to another ------------------------------------------------------------------------------

limb_status limb_copy_shapes(limb_builder* to, const limb_builder* from, const int* body_at, sp_pose on_world)
{
  limb_status s = LIMB_OK;
  for (int i = 0; s == LIMB_OK && i < from->nshape; i++) {
    limb_shape_def def = from->shape[i];
    if (def.body == LIMB_WORLD_BODY) def.pose = sp_compose(on_world, def.pose);
    def.body = body_at[def.body];
    if (def.body >= 0) s = add(to, def, NULL);
  }
  return s;
}

limb_status limb_builder_take_shapes(limb_builder* b, const limb_builder* from)
{
  if (!b || !from) return LIMB_E_ARG;
  if (b == from) return LIMB_OK;
  const size_t size = (size_t)from->nbody * sizeof(int);
  int* body_at = limb_alloc(&b->alloc, size);
  if (!body_at) return LIMB_E_NOMEM;
  for (int i = 0; i < from->nbody; i++) body_at[i] = limb_builder_find_body(b, from->body[i].name);
  limb_free_shapes(b);
  const limb_status s = limb_copy_shapes(b, from, body_at, sp_pose_identity());
  limb_free(&b->alloc, body_at, size);
  return s;
}
