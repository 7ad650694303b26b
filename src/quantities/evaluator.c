// Evaluators: making them, adding names, what items are, one state.
#include "base/memory.h"
#include "base/status.h"
#include "quantities/evaluator_impl.h"

#include <stdio.h>
#include <string.h>

limb_evaluator_options limb_default_evaluator_options(void)
{
  return (limb_evaluator_options){
    .size = sizeof(limb_evaluator_options),
    .known = LIMB_NEEDS_Q | LIMB_NEEDS_V | LIMB_NEEDS_A | LIMB_NEEDS_TAU | LIMB_NEEDS_TIME,
    .frame = -1,
    .ref = LIMB_ALIGNED,
    .directions = LIMB_TWIST,
    .method = LIMB_LOOP_METHOD_AUTO,
  };
}

// ---- making ---------------------------------------------------------------------------------------------

static limb_status read_options(limb_evaluator* e, const limb_evaluator_options* given)
{
  const size_t min_size = sizeof(size_t) + sizeof(int);
  e->options = limb_default_evaluator_options();
  const limb_status s = given ? limb_sized_read(&e->options, sizeof e->options, given, min_size) : LIMB_OK;
  if (s != LIMB_OK) return s;
  const limb_evaluator_options* o = &e->options;
  const limb_task one = {.frame = 0, .ref = o->ref, .directions = o->directions};
  e->ntask = limb_task_rows(&(limb_task_stack){1, &one});
  e->task = limb_default_task_options();
  e->task.damping = o->damping;
  const int fine = o->frame >= -1 && o->frame < limb_frame_count(e->model) && (unsigned)o->ref <= LIMB_ALIGNED &&
                   e->ntask >= 0 && o->damping >= 0 && o->dt >= 0;
  if (!fine) return LIMB_E_ARG;
  const limb_status copied = limb_copy_environment(e->model, o->env, &e->env);
  if (copied != LIMB_OK) return copied;
  return !o->pool || (o->pool->size >= sizeof(limb_pool) && o->pool->threads > 0) ? LIMB_OK : LIMB_E_ARG;
}

// Marks: given of hybrid dynamics, the base, and both together.
static limb_status make_marks(limb_evaluator* e)
{
  const size_t nv = (size_t)e->nv;
  unsigned char* marks = limb_alloc(&e->alloc, 4 * nv + 1);
  if (!marks) return LIMB_E_NOMEM;
  e->given = marks, e->base = marks + nv, e->base_given = marks + 2 * nv, e->independent = marks + 3 * nv;
  limb_status s = LIMB_OK;
  if (e->options.given)
    memcpy(e->given, e->options.given, nv);
  else
    s = limb_given_for_passive(e->model, e->given);
  if (e->options.base)
    memcpy(e->base, e->options.base, nv);
  else if (s == LIMB_OK)
    s = limb_given_for_base(e->model, e->base);
  for (size_t k = 0; k < nv && s == LIMB_OK; k++) {
    if (e->given[k] > LIMB_ACCELERATION_GIVEN || e->base[k] > LIMB_ACCELERATION_GIVEN) s = LIMB_E_ARG;
    e->base[k] = e->base[k] == LIMB_FORCE_GIVEN;
    e->base_given[k] = e->base[k] ? LIMB_FORCE_GIVEN : e->given[k];
    e->nbase += e->base[k];
  }
  return s;
}

static size_t bodies_size(const limb_evaluator* e) { return (size_t)limb_body_count(e->model) * sizeof *e->body; }

static limb_status find_bodies(limb_evaluator* e)
{
  e->body = limb_alloc(&e->alloc, bodies_size(e));
  if (!e->body) return LIMB_E_NOMEM;
  e->nbody = limb_described_bodies(e->model, e->body);
  return LIMB_OK;
}

static limb_status make_lanes(limb_evaluator* e)
{
  const int n = e->options.pool ? e->options.pool->threads : 1;
  e->lane = limb_alloc(&e->alloc, (size_t)n * sizeof *e->lane);
  if (!e->lane) return LIMB_E_NOMEM;
  memset(e->lane, 0, (size_t)n * sizeof *e->lane);
  e->nlane = n;
  for (int i = 0; i < n; i++) e->lane[i].e = e;
  return LIMB_OK;
}

limb_status limb_evaluator_create(const limb_model* m, const limb_evaluator_options* options,
                                  const limb_allocator* alloc, limb_evaluator** out)
{
  if (!m || !out || (alloc && (!alloc->alloc || !alloc->free))) return LIMB_E_ARG;
  const limb_allocator a = alloc ? *alloc : limb_default_allocator();
  limb_evaluator* e = limb_alloc(&a, sizeof *e);
  if (!e) return LIMB_E_NOMEM;
  *e = (limb_evaluator){
    .alloc = a, .model = m, .nq = limb_nq(m), .nv = limb_nv(m), .undriven = -1, .nindependent = -1, .failed = -1};
  limb_status s = read_options(e, options);
  if (e->options.tree) e->model = limb_spanning_tree(m);
  e->nc = limb_constraint_count(e->model);
  e->closed = limb_loop_count(e->model) > 0;
  if (s == LIMB_OK) s = limb_dofs_create(m, &e->alloc, &e->dofs);
  if (s == LIMB_OK) s = make_marks(e);
  if (s == LIMB_OK) s = find_bodies(e);
  if (s == LIMB_OK) s = make_lanes(e);
  if (s == LIMB_OK)
    *out = e;
  else
    limb_evaluator_destroy(e);
  return s;
}

void limb_evaluator_destroy(limb_evaluator* e)
{
  if (!e) return;
  limb_evaluator_keep(e, 0);
  limb_batch_destroy(e->batch);
  limb_lanes_free(e);
  limb_labels_free(e);
  limb_dofs_destroy(e->dofs);
  limb_free(&e->alloc, e->body, bodies_size(e));
  limb_free(&e->alloc, e->given, 4 * (size_t)e->nv + 1);
  limb_free(&e->alloc, e->block, (size_t)e->block_capacity * sizeof *e->block);
  limb_free(&e->alloc, e->item, (size_t)e->item_capacity * sizeof *e->item);
  const limb_allocator a = e->alloc;
  limb_free(&a, e, sizeof *e);
}

// ---- adding ---------------------------------------------------------------------------------------------

// Places of blocks and items, after some have come or gone.
static void lay_out(limb_evaluator* e)
{
  e->width = 0, e->block_width = 0, e->level = 0;
  for (int i = 0; i < e->nblock; i++) {
    limb_block* b = &e->block[i];
    b->size = 1;
    for (int axis = 0; axis < limb_quantity_rank(&b->row->about); axis++)
      b->size *= limb_axis_count(e, &b->row->about, axis);
    b->offset = e->block_width;
    e->block_width += b->size;
    if (b->row->level > e->level) e->level = b->row->level;
  }
  for (int i = 0; i < e->nitem; i++) {
    e->item[i].offset = e->width;
    e->width += e->item[i].size;
  }
}

void limb_evaluator_keep(limb_evaluator* e, int count)
{
  int blocks = 0;
  if (!e || count < 0) return;
  while (e->nitem > count) {
    limb_evaluator_item* item = &e->item[--e->nitem];
    limb_free(&e->alloc, item->name, item->name_size);
  }
  for (int i = 0; i < e->nitem; i++)
    if (e->item[i].block >= blocks) blocks = e->item[i].block + 1;
  e->nblock = blocks;
  lay_out(e);
}

// The block of a quantity at a frame in a reference: the one that is there, or a new one; -1: no memory.
static int block_of(limb_evaluator* e, const limb_parsed_name* p)
{
  const unsigned needs = p->row->about.needs;
  const limb_ref ref = needs & LIMB_NEEDS_REFERENCE ? p->ref : LIMB_ALIGNED;
  for (int i = 0; i < e->nblock; i++)
    if (e->block[i].row == p->row && e->block[i].frame == p->frame && e->block[i].ref == ref) return i;
  if (!limb_grow(&e->alloc, (void**)&e->block, &e->block_capacity, e->nblock, sizeof *e->block)) return -1;
  e->block[e->nblock] = (limb_block){.row = p->row, .frame = p->frame, .ref = ref};
  return e->nblock++;
}

static char* copy_text(const limb_evaluator* e, const char* text, size_t* size)
{
  *size = strlen(text) + 1;
  char* r = limb_alloc(&e->alloc, *size);
  if (r) memcpy(r, text, *size);
  return r;
}

static limb_status name_item(limb_evaluator* e, limb_evaluator_item* item, const char* name, const limb_parsed_name* p)
{
  const size_t labels = strlen(p->labels);
  item->head = strlen(name) - labels - (labels > 0);
  item->name = copy_text(e, name, &item->name_size);
  return item->name ? LIMB_OK : LIMB_E_NOMEM;
}

static limb_status add_item(limb_evaluator* e, const char* name, const limb_parsed_name* p, int from_all,
                            limb_error* err)
{
  if (!limb_grow(&e->alloc, (void**)&e->item, &e->item_capacity, e->nitem, sizeof *e->item))
    return limb_fail(err, LIMB_E_NOMEM, p->row->about.name, "out of memory");
  limb_evaluator_item* item = &e->item[e->nitem];
  *item = (limb_evaluator_item){.from_all = from_all};
  limb_status s = limb_select(e, &p->row->about, p->labels, item, err);
  if (s != LIMB_OK) return s;
  s = name_item(e, item, name, p);
  e->nitem++; // its texts are freed with it from here on
  item->block = s == LIMB_OK ? block_of(e, p) : -1;
  if (item->block < 0) return limb_fail(err, LIMB_E_NOMEM, p->row->about.name, "out of memory");
  lay_out(e);
  return limb_lanes_ready(e, err);
}

static limb_status add_name(limb_evaluator* e, const char* name, limb_error* err)
{
  limb_parsed_name p;
  limb_status s = limb_parse_name(e, name, &p, err);
  if (s == LIMB_OK) s = limb_allows(e, p.row, p.frame, err);
  if (s == LIMB_OK) s = limb_labels_make(e, p.row, err);
  return s == LIMB_OK ? add_item(e, name, &p, 0, err) : s;
}

static int has_block(const limb_evaluator* e, const limb_parsed_name* p)
{
  const limb_ref ref = p->row->about.needs & LIMB_NEEDS_REFERENCE ? p->ref : LIMB_ALIGNED;
  for (int i = 0; i < e->nblock; i++)
    if (e->block[i].row == p->row && e->block[i].frame == p->frame && e->block[i].ref == ref) return 1;
  return 0;
}

// Everything that is defined, and not there yet; what would be too large is left out.
static limb_status add_all(limb_evaluator* e, limb_error* err)
{
  const limb_quantity_row* r;
  for (int k = 0; (r = limb_quantity_row_at(k)) != NULL; k++) {
    const unsigned needs = r->about.needs;
    const limb_parsed_name p = {
      .row = r, .frame = needs & LIMB_NEEDS_FRAME ? e->options.frame : -1, .ref = e->options.ref, .labels = ""};
    const int before = e->nitem;
    if (has_block(e, &p) || limb_allows(e, r, p.frame, NULL) != LIMB_OK || r->uses & USES_GEOMETRY) continue;
    if (limb_labels_make(e, r, NULL) != LIMB_OK) continue;
    const limb_status s = add_item(e, r->about.name, &p, 1, err);
    if (s != LIMB_OK) limb_evaluator_keep(e, before);
    if (s == LIMB_E_NOMEM) return s;
  }
  return LIMB_OK;
}

limb_status limb_evaluator_add(limb_evaluator* e, const char* name, int* first, int* count, limb_error* error)
{
  if (!e || !name) return limb_fail(error, LIMB_E_ARG, NULL, "evaluator or name is NULL");
  const int before = e->nitem;
  limb_status s = LIMB_OK;
  if (strlen(name) >= QUANTITY_NAME_SPACE)
    s = limb_fail(error, LIMB_E_ARG, NULL, "the name is too long");
  else
    s = strcmp(name, "all") == 0 ? add_all(e, error) : add_name(e, name, error);
  if (s != LIMB_OK) limb_evaluator_keep(e, before);
  if (first) *first = before;
  if (count) *count = e->nitem - before;
  return s;
}

// ---- items ----------------------------------------------------------------------------------------------

int limb_evaluator_count(const limb_evaluator* e) { return e ? e->nitem : 0; }

static const limb_quantity_info* quantity_of(const limb_evaluator* e, const limb_evaluator_item* item)
{
  return &e->block[item->block].row->about;
}

limb_status limb_evaluator_get(const limb_evaluator* e, int index, limb_item* out)
{
  if (!e || !out || index < 0 || index >= e->nitem) return LIMB_E_ARG;
  const limb_evaluator_item* item = &e->item[index];
  const limb_block* b = &e->block[item->block];
  const limb_quantity_info* q = &b->row->about;
  *out = (limb_item){.name = item->name,
                     .quantity = q,
                     .frame = b->frame,
                     .ref = b->ref,
                     .rank = limb_quantity_rank(q) - item->fixed,
                     .size = item->size,
                     .offset = item->offset,
                     .from_all = item->from_all};
  for (int k = 0; k < out->rank; k++) {
    out->axis[k] = q->axis[item->fixed + k];
    out->length[k] = k == 0 ? item->length : limb_axis_count(e, q, item->fixed + k);
  }
  return LIMB_OK;
}

const char* limb_evaluator_label(const limb_evaluator* e, int index, int axis, size_t k)
{
  limb_item x;
  if (limb_evaluator_get(e, index, &x) != LIMB_OK || axis < 0 || axis >= x.rank || k >= x.length[axis]) return NULL;
  const limb_evaluator_item* item = &e->item[index];
  return limb_axis_label(e, x.quantity, item->fixed + axis, axis == 0 ? item->first + k : k);
}

// Indices of an entry of a block along all axes of the quantity.
static int split(const limb_evaluator* e, const limb_quantity_info* q, size_t entry,
                 size_t index[LIMB_QUANTITY_AXES_MAX])
{
  const int rank = limb_quantity_rank(q);
  for (int axis = rank - 1; axis >= 0; axis--) {
    const size_t n = limb_axis_count(e, q, axis);
    index[axis] = entry % n;
    entry /= n;
  }
  return rank;
}

size_t limb_evaluator_column(const limb_evaluator* e, int index, size_t entry, char* text, size_t size)
{
  size_t at[LIMB_QUANTITY_AXES_MAX], used = 0;
  if (!e || index < 0 || index >= e->nitem || entry >= e->item[index].size || !text || size == 0) return 0;
  const limb_evaluator_item* item = &e->item[index];
  const limb_quantity_info* q = quantity_of(e, item);
  const int rank = split(e, q, item->from + entry, at);
  for (int k = -1; k < rank; k++) {
    const char* word = k < 0 ? item->name : limb_axis_label(e, q, k, at[k]);
    const size_t n = k < 0 ? item->head : strlen(word);
    if (k >= 0 && used + 1 < size) text[used] = '.';
    used += k >= 0;
    for (size_t i = 0; i < n && used + i + 1 < size; i++) text[used + i] = word[i];
    used += n;
  }
  text[used < size ? used : size - 1] = '\0';
  return used;
}

// The velocity that an index along an axis counts; NULL: none.
static const limb_dof_info* dof_of(const limb_evaluator* e, limb_quantity_axis axis, size_t k)
{
  if (axis == LIMB_AXIS_V) return limb_get_velocity(e->dofs, (int)k);
  if (axis == LIMB_AXIS_Q) return limb_get_coordinate(e->dofs, (int)k);
  for (int i = 0; i < e->nv && axis == LIMB_AXIS_FLOATING; i++)
    if (e->base[i] && k-- == 0) return limb_get_velocity(e->dofs, i);
  return NULL;
}

static const char* mass_unit(const limb_dof_info* i, const limb_dof_info* j)
{
  const int linear = i->linear + j->linear;
  return linear == 0 ? "kg m^2" : linear == 1 ? "kg m" : "kg";
}

// 1 when a component of a motion or wrench is of the linear part; of directions by their letter.
static int is_linear(const limb_evaluator* e, const limb_quantity_info* q, int axis, size_t k)
{
  return q->axis[axis] == LIMB_AXIS_TASK ? *limb_axis_label(e, q, axis, k) == 'v' : k > 2;
}

const char* limb_evaluator_unit(const limb_evaluator* e, int index, size_t entry)
{
  size_t at[LIMB_QUANTITY_AXES_MAX] = {0};
  if (!e || index < 0 || index >= e->nitem || entry >= e->item[index].size) return "";
  const limb_evaluator_item* item = &e->item[index];
  const limb_quantity_row* row = e->block[item->block].row;
  const limb_quantity_info* q = &row->about;
  const int rank = split(e, q, item->from + entry, at), last = rank > 0 ? rank - 1 : 0;
  const limb_dof_info* dof = dof_of(e, q->axis[0], at[0]);
  const int linear = rank > 0 && is_linear(e, q, last, at[last]);
  switch (row->units) {
  case UNIT_FIXED: return q->unit;
  case UNIT_NONE: return "";
  case UNIT_POSITION: return limb_position_unit(dof);
  case UNIT_VELOCITY: return limb_velocity_unit(dof);
  case UNIT_ACCELERATION: return limb_acceleration_unit(dof);
  case UNIT_FORCE: return limb_force_unit(dof);
  case UNIT_MASS: return mass_unit(dof, dof_of(e, q->axis[1], at[1]));
  case UNIT_TWIST: return linear ? "m/s" : "rad/s";
  case UNIT_TWIST_RATE: return linear ? "m/s^2" : "rad/s^2";
  case UNIT_WRENCH: return linear ? "N" : "N m";
  case UNIT_MOMENTUM: return linear ? "N s" : "N m s";
  case UNIT_POSE: return at[0] < 3 ? "m" : "";
  case UNIT_PARAMETER: return e->parameter[at[0]].unit;
  }
  return "";
}

unsigned limb_evaluator_needs(const limb_evaluator* e)
{
  unsigned needs = 0;
  for (int i = 0; e && i < e->nblock; i++) {
    const limb_quantity_info* q = &e->block[i].row->about;
    needs |= e->options.tau_is_given && strcmp(q->name, "tau") == 0 ? LIMB_NEEDS_TAU : q->needs;
  }
  return e && e->closed ? needs : needs & ~(unsigned)LIMB_NEEDS_CLOSED;
}

size_t limb_evaluator_width(const limb_evaluator* e) { return e ? e->width : 0; }

const unsigned char* limb_evaluator_base(const limb_evaluator* e, int* count)
{
  if (!e) return NULL;
  if (count) *count = e->nbase;
  return e->base;
}

// ---- one state ------------------------------------------------------------------------------------------

limb_status limb_evaluator_run(limb_evaluator* e, const limb_state* state, double* x)
{
  int failed = -1;
  if (!e || !state || !x) return LIMB_E_ARG;
  limb_lane* w = &e->lane[0];
  e->failed = -1;
  e->failure = (limb_error){LIMB_OK, 0, 0, "", ""};
  if (e->nitem == 0) return LIMB_OK;
  limb_lane_take(w, state);
  const limb_status s = limb_lane_compute(w, NULL, &failed);
  for (int i = 0; i < e->nitem; i++) {
    const limb_evaluator_item* item = &e->item[i];
    memcpy(x + item->offset, w->value + e->block[item->block].offset + item->from, item->size * sizeof *x);
  }
  if (s != LIMB_OK) limb_explain(e, w, failed, s);
  return s;
}

int limb_evaluator_failure(const limb_evaluator* e, limb_error* out)
{
  if (!e) return -1;
  if (out) *out = e->failure;
  return e->failed;
}

limb_status limb_evaluator_get_facts(const limb_evaluator* e, limb_evaluator_facts* out)
{
  if (!e || !out) return LIMB_E_ARG;
  *out = (limb_evaluator_facts){.undriven = e->undriven > 0 ? e->undriven : 0};
  for (int i = 0; i < e->nlane; i++) {
    const limb_evaluator_facts* f = &e->lane[i].facts;
    if (f->unbalanced > out->unbalanced) out->unbalanced = f->unbalanced;
    if (f->overdriven > out->overdriven) out->overdriven = f->overdriven;
    if (f->redundant > out->redundant) out->redundant = f->redundant;
  }
  return LIMB_OK;
}
