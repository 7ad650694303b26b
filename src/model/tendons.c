// Tendons over joints and through points, from their definition to the couplings of the model, which shafts become as
// well.
#include "model/compile_impl.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

enum { WHERE = sizeof((limb_error*)0)->where, POINTS_MAX = 10000 };

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
  if (!def->joint || !def->coefficient)
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

// A branch starts at the first point, and where a pulley is given.
static bool starts_branch(const limb_tendon_def* def, int k) { return k == 0 || def->point[k].pulley > 0; }

static limb_status check_point(const limb_builder* b, const limb_tendon_def* def, int k, const char* where,
                               limb_error* err)
{
  const limb_tendon_point* p = &def->point[k];
  if (p->body < 0 || p->body >= b->nbody)
    return limb_fail(err, LIMB_E_ARG, where, "point %d is on body %d, and there are %d so far", k, p->body, b->nbody);
  if (!limb_finite3(p->at) || !isfinite(p->pulley))
    return limb_fail(err, LIMB_E_NONFINITE, where, "point %d or its pulley is not finite", k);
  if (p->pulley < 0) return limb_fail(err, LIMB_E_ARG, where, "pulley %d is negative (%.6g)", k, p->pulley);
  if (starts_branch(def, k) && (k + 1 == def->points || starts_branch(def, k + 1)))
    return limb_fail(err, LIMB_E_ARG, where, "the branch that starts at point %d has no other point", k);
  return LIMB_OK;
}

static limb_status check_points(const limb_builder* b, const limb_tendon_def* def, const char* where, limb_error* err)
{
  if (def->count != 0 || !def->point)
    return limb_fail(err, LIMB_E_ARG, where, "set either joints and coefficients or points");
  if (def->points > POINTS_MAX)
    return limb_fail(err, LIMB_E_ARG, where, "it has %d points: more than %d", def->points, POINTS_MAX);
  limb_status s = LIMB_OK;
  for (int k = 0; k < def->points && !s; k++) s = check_point(b, def, k, where, err);
  return s;
}

static limb_status check_course(const limb_builder* b, const limb_tendon_def* def, const char* where, limb_error* err)
{
  if (def->points > 0) return check_points(b, def, where, err);
  if (def->count < 1 || def->points < 0)
    return limb_fail(err, LIMB_E_ARG, where,
                     "it has no joints and no points: set count, joint and coefficient, or points and point");
  return check_joints(b, def, where, err);
}

// Of lists and name, which are copied to one block.
static size_t block_size(const limb_tendon_def* def)
{
  return (size_t)def->points * sizeof *def->point + (size_t)def->count * (sizeof(double) + sizeof(int)) +
         strlen(def->name) + 1;
}

// The definition with its lists and its name in a block.
static limb_tendon_def tendon_in(void* block, const limb_tendon_def* def)
{
  limb_tendon_def own = *def;
  limb_tendon_point* point = block;
  double* coefficient = (double*)(void*)(point + def->points);
  int* joint = (int*)(void*)(coefficient + def->count);
  if (def->points > 0) memcpy(point, def->point, (size_t)def->points * sizeof *point);
  if (def->count > 0) memcpy(coefficient, def->coefficient, (size_t)def->count * sizeof *coefficient);
  if (def->count > 0) memcpy(joint, def->joint, (size_t)def->count * sizeof *joint);
  own.point = point, own.coefficient = coefficient, own.joint = joint;
  own.name = memcpy(joint + def->count, def->name, strlen(def->name) + 1);
  return own;
}

limb_status limb_builder_add_tendon(limb_builder* b, const limb_tendon_def* def, int* tendon, limb_error* err)
{
  if (!b || !def) return limb_fail(err, LIMB_E_ARG, "tendon", "builder or definition is NULL");
  limb_tendon_def own = limb_default_tendon_def(NULL);
  char where[WHERE];
  limb_status s = limb_read_def(&own, def, sizeof own, offsetof(limb_tendon_def, stiffness), "tendon", err);
  if (!s) s = limb_check_name(own.name, "tendon", b->ntendon, where, err);
  if (!s) s = check_course(b, &own, where, err);
  if (!s) s = check_numbers(&own, where, err);
  if (s) return s;
  void* items = b->tendon;
  const int grown = limb_grow(&b->alloc, &items, &b->tendon_cap, b->ntendon, sizeof *b->tendon);
  b->tendon = items;
  void* block = grown ? limb_alloc(&b->alloc, block_size(&own)) : NULL;
  if (!block) return limb_fail(err, LIMB_E_NOMEM, where, "out of memory");
  b->tendon[b->ntendon] = tendon_in(block, &own);
  if (tendon) *tendon = b->ntendon;
  b->ntendon++;
  return LIMB_OK;
}

void limb_free_tendons(limb_builder* b)
{
  for (int i = 0; i < b->ntendon; i++) {
    const limb_tendon_def* def = &b->tendon[i];
    void* block;
    memcpy(&block, &def->point, sizeof block);
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

// Takes the lists of the tendons of a builder for the model.
static void take_lists(limb_arena* a, const limb_tendon_def* def, limb_tendon_def* own, limb_coupling* x)
{
  const size_t count = (size_t)def->count, points = (size_t)def->points;
  double* coefficient = limb_arena_take(a, count, sizeof *coefficient);
  int* joint = limb_arena_take(a, count, sizeof *joint);
  limb_tendon_point* point = limb_arena_take(a, points, sizeof *point);
  limb_pull* pull = limb_arena_take(a, count, sizeof *pull);
  limb_cord_point* cord = limb_arena_take(a, points, sizeof *cord);
  if (!own) return;
  *own = *def; // the name follows
  if (count > 0) own->coefficient = memcpy(coefficient, def->coefficient, count * sizeof *coefficient);
  if (count > 0) own->joint = memcpy(joint, def->joint, count * sizeof *joint);
  if (points > 0) own->point = memcpy(point, def->point, points * sizeof *point);
  *x = (limb_coupling){.count = def->count, .npoint = def->points, .pull = pull, .point = cord};
}

void limb_lay_out_couplings(limb_arena* a, const limb_builder* b, limb_model* m)
{
  m->ncoupling = b->nshaft + b->ntendon;
  m->coupling = limb_arena_take(a, (size_t)m->ncoupling, sizeof *m->coupling);
  m->tendon = limb_arena_take(a, (size_t)b->ntendon, sizeof *m->tendon);
  limb_pull* pull = limb_arena_take(a, 2 * (size_t)b->nshaft, sizeof *pull);
  for (int i = 0; m->coupling && i < b->nshaft; i++) m->coupling[i] = (limb_coupling){.count = 2, .pull = pull + 2 * i};
  for (int i = 0; i < b->ntendon; i++)
    take_lists(a, &b->tendon[i], m->tendon ? &m->tendon[i] : NULL, m->coupling ? &m->coupling[b->nshaft + i] : NULL);
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

static void set_tendon(limb_model* m, const limb_tendon_def* def, limb_coupling* x)
{
  double share = 1;
  for (int k = 0; k < def->count; k++) x->pull[k] = pull_of(m, def->joint[k], def->coefficient[k]);
  for (int k = 0; k < def->points; k++) {
    const limb_tendon_point* p = &def->point[k];
    const limb_site site = limb_site_of(m, p->body);
    if (p->pulley > 0) share = 1 / p->pulley;
    x->point[k] = (limb_cord_point){site.link, sp_point(site.in_link, p->at), starts_branch(def, k) ? 0 : share};
  }
  x->stiffness = def->stiffness, x->damping = def->damping, x->rest = def->rest;
  m->has_cords |= def->points > 0;
}

void limb_set_couplings(limb_model* m)
{
  m->has_cords = false;
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
