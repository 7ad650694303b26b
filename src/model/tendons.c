// Tendons over joints, from their definition to the couplings of the model, which shafts become as well.
#include "model/compile_impl.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

enum { WHERE = sizeof((limb_error*)0)->where };

limb_tendon_def limb_default_tendon_def(const char* name)
{
  return (limb_tendon_def){.size = sizeof(limb_tendon_def), .name = name};
}

// ---- the builder --------------------------------------------------------------------------------------------

static limb_status check_numbers(const limb_tendon_def* def, const char* where, limb_error* err)
{
  const double x[] = {def->rest, def->stiffness, def->damping};
  static const char* const name[] = {"rest", "stiffness", "damping"};
  for (int i = 0; i < 3; i++) {
    if (!isfinite(x[i])) return limb_fail(err, LIMB_E_NONFINITE, where, "%s is not finite", name[i]);
    if (i > 0 && x[i] < 0) return limb_fail(err, LIMB_E_ARG, where, "%s is negative (%.6g)", name[i], x[i]);
  }
  return LIMB_OK;
}

static limb_status check_joints(const limb_builder* b, const limb_tendon_def* def, const char* where, limb_error* err)
{
  if (def->count < 1 || !def->joint || !def->coefficient)
    return limb_fail(err, LIMB_E_ARG, where, "it has no joints: set count, joint and coefficient");
  if (def->count > b->njoint)
    return limb_fail(err, LIMB_E_ARG, where, "it has %d joints, and there are %d so far", def->count, b->njoint);
  for (int k = 0; k < def->count; k++) {
    const double x = def->coefficient[k];
    const limb_status s = limb_check_one_dof(b, def->joint[k], "joint", "tendon", where, err);
    if (s) return s;
    if (!isfinite(x)) return limb_fail(err, LIMB_E_NONFINITE, where, "coefficient %d is not finite", k);
    if (x == 0) return limb_fail(err, LIMB_E_ARG, where, "coefficient %d is zero: leave the joint out", k);
    for (int i = 0; i < k; i++) {
      if (def->joint[i] == def->joint[k])
        return limb_fail(err, LIMB_E_ARG, where, "joint '%s' occurs twice", b->joint[def->joint[k]].name);
    }
  }
  return LIMB_OK;
}

// Of lists and name, which are copied to one block.
static size_t block_size(const limb_tendon_def* def)
{
  return (size_t)def->count * (sizeof(double) + sizeof(int)) + strlen(def->name) + 1;
}

limb_status limb_builder_add_tendon(limb_builder* b, const limb_tendon_def* def, int* tendon, limb_error* err)
{
  if (!b || !def) return limb_fail(err, LIMB_E_ARG, "tendon", "builder or definition is NULL");
  limb_tendon_def own = limb_default_tendon_def(NULL);
  char where[WHERE];
  limb_status s = limb_read_def(&own, def, sizeof own, offsetof(limb_tendon_def, stiffness), "tendon", err);
  if (!s) s = limb_check_name(own.name, "tendon", b->ntendon, where, err);
  if (!s) s = check_joints(b, &own, where, err);
  if (!s) s = check_numbers(&own, where, err);
  if (s) return s;
  void* items = b->tendon;
  const int grown = limb_grow(&b->alloc, &items, &b->tendon_cap, b->ntendon, sizeof *b->tendon);
  b->tendon = items;
  double* block = grown ? limb_alloc(&b->alloc, block_size(&own)) : NULL;
  if (!block) return limb_fail(err, LIMB_E_NOMEM, where, "out of memory");
  int* joint = (int*)(block + own.count);
  own.coefficient = memcpy(block, own.coefficient, (size_t)own.count * sizeof *block);
  own.joint = memcpy(joint, own.joint, (size_t)own.count * sizeof *joint);
  own.name = memcpy(joint + own.count, own.name, strlen(own.name) + 1);
  b->tendon[b->ntendon] = own;
  if (tendon) *tendon = b->ntendon;
  b->ntendon++;
  return LIMB_OK;
}

void limb_free_tendons(limb_builder* b)
{
  for (int i = 0; i < b->ntendon; i++) {
    const limb_tendon_def* def = &b->tendon[i];
    void* block;
    memcpy(&block, &def->coefficient, sizeof block);
    limb_free(&b->alloc, block, block_size(def));
  }
  limb_free(&b->alloc, b->tendon, (size_t)b->tendon_cap * sizeof *b->tendon);
}

int limb_builder_tendon_count(const limb_builder* b) { return b ? b->ntendon : 0; }

limb_status limb_builder_get_tendon(const limb_builder* b, int tendon, limb_tendon_def* out)
{
  if (!b || !out || tendon < 0 || tendon >= b->ntendon) return LIMB_E_ARG;
  *out = b->tendon[tendon];
  return LIMB_OK;
}

// ---- the model ----------------------------------------------------------------------------------------------

int limb_tendon_count(const limb_model* m) { return m ? m->ncoupling - m->nshaft : 0; }

limb_status limb_get_tendon(const limb_model* m, int tendon, limb_tendon_def* out)
{
  if (!m || !out || tendon < 0 || tendon >= limb_tendon_count(m)) return LIMB_E_ARG;
  *out = m->tendon[tendon];
  return LIMB_OK;
}

void limb_lay_out_couplings(limb_arena* a, const limb_builder* b, limb_model* m)
{
  size_t ends = 0;
  for (int i = 0; i < b->ntendon; i++) ends += (size_t)b->tendon[i].count;
  m->ncoupling = b->nshaft + b->ntendon;
  m->coupling = limb_arena_take(a, (size_t)m->ncoupling, sizeof *m->coupling);
  m->tendon = limb_arena_take(a, (size_t)b->ntendon, sizeof *m->tendon);
  limb_pull* pull = limb_arena_take(a, 2 * (size_t)b->nshaft + ends, sizeof *pull);
  double* coefficient = limb_arena_take(a, ends, sizeof *coefficient);
  int* joint = limb_arena_take(a, ends, sizeof *joint);
  for (int i = 0; m->coupling && i < m->ncoupling; i++) {
    const limb_tendon_def* def = i < b->nshaft ? NULL : &b->tendon[i - b->nshaft];
    const int count = def ? def->count : 2;
    m->coupling[i] = (limb_coupling){.count = count, .pull = pull};
    pull += count;
    if (!def) continue;
    limb_tendon_def* own = &m->tendon[i - b->nshaft];
    *own = *def; // the name follows
    own->coefficient = memcpy(coefficient, def->coefficient, (size_t)count * sizeof *coefficient);
    own->joint = memcpy(joint, def->joint, (size_t)count * sizeof *joint);
    coefficient += count, joint += count;
  }
}

static limb_pull pull_of(const limb_model* m, int joint, double coefficient)
{
  const int link = m->joint[joint].link;
  return (limb_pull){link, m->link[link].dof, coefficient};
}

// A shaft pulls its motor by 1 / ratio and its joint by -1.
static void set_shaft(const limb_model* m, const limb_shaft_def* def, limb_coupling* x)
{
  x->pull[0] = pull_of(m, def->motor, 1 / def->ratio);
  x->pull[1] = pull_of(m, def->joint, -1);
  x->stiffness = def->stiffness, x->damping = def->damping, x->rest = def->rest;
}

static void set_tendon(const limb_model* m, const limb_tendon_def* def, limb_coupling* x)
{
  for (int k = 0; k < def->count; k++) x->pull[k] = pull_of(m, def->joint[k], def->coefficient[k]);
  x->stiffness = def->stiffness, x->damping = def->damping, x->rest = def->rest;
}

void limb_set_couplings(limb_model* m)
{
  for (int i = 0; i < m->ncoupling; i++) {
    limb_coupling* x = &m->coupling[i];
    if (i < m->nshaft)
      set_shaft(m, &m->shaft[i].def, x);
    else
      set_tendon(m, &m->tendon[i - m->nshaft], x);
    for (int k = 0; k < x->count; k++) // link frames choose their own zero
      x->rest += x->pull[k].coefficient * limb_shift_of(m, &m->joint[m->link[x->pull[k].link].joint]);
    m->has_actuators |= x->stiffness > 0 || x->damping > 0;
  }
}
