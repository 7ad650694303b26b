// Workspaces: one layout function that measures and lays out.
#include "limb/dynamics.h"

#include "base/memory.h"
#include "model/data_impl.h"
#include "model/dof_table.h"
#include "model/loop_calls.h"

#include <string.h>

static void take_motion(limb_arena* a, size_t nlink, limb_link_motion* out)
{
  out->X = limb_arena_take(a, nlink, sizeof *out->X);
  out->v = limb_arena_take(a, nlink, sizeof *out->v);
  out->a = limb_arena_take(a, nlink, sizeof *out->a);
  out->a_v = limb_arena_take(a, nlink, sizeof *out->a_v);
}

// loops: block of the part about loops
static limb_data* lay_out(limb_arena* a, const limb_model* m, limb_loops_use use, void** loops)
{
  const size_t nl = (size_t)m->nlink;
  limb_data* d = limb_arena_take(a, 1, sizeof *d);
  limb_data t = {.m = m};
  limb_ws_lay_out(a, m, sizeof(double), &t.ws);
  take_motion(a, nl, &t.motion);
  take_motion(a, nl, &t.own);
  t.body_force = limb_arena_take(a, (size_t)m->nbody, sizeof *t.body_force);
  t.link_force = limb_arena_take(a, nl, sizeof *t.link_force);
  t.composite = limb_arena_take(a, nl, sizeof *t.composite);
  t.carried = t.ws.aba; // neither is there when the other is made
  t.inverse = limb_arena_take(a, (size_t)m->nv, 1);
  t.base = limb_arena_take(a, (size_t)m->nv, 1);
  t.user_v = limb_arena_take(a, (size_t)m->nv, sizeof *t.user_v);
  t.zeros = limb_arena_take(a, (size_t)m->nv, sizeof *t.zeros);
  double** const probes[] = {&t.probe, &t.probe_x, &t.probe_a, &t.probe_tau};
  for (int i = 0; i < 4; i++) *probes[i] = limb_arena_take(a, (size_t)m->nv, sizeof(double));
  t.probe_base = limb_arena_take(a, (size_t)m->nroot * LIMB_WS_STATE, sizeof *t.probe_base);
  t.probe_q = limb_arena_take(a, 2 * (size_t)m->nq, sizeof *t.probe_q);
  *loops = NULL;
  if (m->loop_calls) {
    t.q = t.own_q = limb_arena_take(a, (size_t)m->nq, sizeof *t.q);
    t.v = t.own_v = limb_arena_take(a, (size_t)m->nv, sizeof *t.v);
    *loops = limb_arena_take(a, m->loop_calls->size(m, use), 1);
  }
  if (d) *d = t;
  return d;
}

static size_t size_for(const limb_model* m, limb_loops_use use)
{
  limb_arena a = {0};
  void* loops;
  if (m) (void)lay_out(&a, m, use, &loops);
  return a.used;
}

static limb_loops_use usual(const limb_model* m)
{
  return m && m->nv + m->nrow <= LIMB_LOOPS_DENSE_MAX ? LIMB_LOOPS_DENSE : LIMB_LOOPS_LINEAR;
}

size_t limb_data_size(const limb_model* m) { return size_for(m, usual(m)); }

size_t limb_data_dense_size(const limb_model* m) { return size_for(m, LIMB_LOOPS_DENSE); }

size_t limb_data_lean_size(const limb_model* m) { return size_for(m, LIMB_LOOPS_LINEAR); }

static limb_status init(const limb_model* m, limb_loops_use use, void* memory, size_t size, limb_data** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (!m || !memory || (uintptr_t)memory % LIMB_DATA_ALIGN) return LIMB_E_ARG;
  if (size < size_for(m, use)) return LIMB_E_NOMEM;
  limb_arena a = limb_arena_over(memory, size);
  void* loops;
  limb_data* d = lay_out(&a, m, use, &loops);
  memset(d->link_force, 0, (size_t)m->nlink * sizeof *d->link_force);
  memset(d->zeros, 0, (size_t)m->nv * sizeof *d->zeros);
  memset(d->probe_base, 0, (size_t)m->nroot * LIMB_WS_STATE * sizeof *d->probe_base);
  limb_dof_table_clear(m, sizeof(double), &d->ws.table);
  d->memory = (limb_memory){.block = memory, .size = size};
  limb_status s = limb_given_for_passive(m, d->inverse);
  if (s == LIMB_OK) s = limb_given_for_base(m, d->base);
  if (s == LIMB_OK && m->loop_calls) s = m->loop_calls->init(d, use, loops, &d->loops);
  if (s == LIMB_OK) *out = d;
  return s;
}

limb_status limb_data_init(const limb_model* m, void* memory, size_t size, limb_data** out)
{
  return init(m, size >= limb_data_dense_size(m) ? LIMB_LOOPS_DENSE : usual(m), memory, size, out);
}

limb_status limb_data_init_lean(const limb_model* m, void* memory, size_t size, limb_data** out)
{
  return init(m, LIMB_LOOPS_LINEAR, memory, size, out);
}

limb_status limb_data_create(const limb_model* m, const limb_allocator* alloc, limb_data** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (!m) return LIMB_E_ARG;
  limb_memory memory;
  limb_status s = limb_memory_take(alloc, limb_data_size(m), &memory);
  if (s != LIMB_OK) return s;
  s = limb_data_init(m, memory.block, memory.size, out);
  if (s == LIMB_OK)
    (*out)->memory = memory;
  else
    limb_memory_end(memory);
  return s;
}

void limb_data_destroy(limb_data* d)
{
  if (d) limb_memory_end(d->memory);
}

const limb_model* limb_data_model(const limb_data* d) { return d ? d->m : NULL; }

// ---- arrays of one scalar -----------------------------------------------------------------------------------

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
  out->state = limb_arena_take(a, (size_t)m->nkept * LIMB_WS_STATE, scalar);
  out->base = limb_arena_take(a, (size_t)m->nroot * LIMB_WS_STATE, sizeof(double));
  out->quaternions = m->has_ball_springs ? limb_arena_take(a, 4 * na, scalar) : NULL;
  out->cords = m->has_cords ? limb_arena_take(a, nl * LIMB_WS_POSE + 2 * nc, scalar) : NULL;
}

static size_t whole_blocks(size_t columns) { return (columns + LIMB_LANES_MAX - 1) / LIMB_LANES_MAX * LIMB_LANES_MAX; }

void limb_ws_lay_out(limb_arena* a, const limb_model* m, size_t scalar, limb_ws* out)
{
  const size_t nl = (size_t)m->nlink, nc = (size_t)m->ncdof, na = (size_t)m->naux;
  limb_ws_lay_out_recursion(a, m, scalar, out);
  out->aba = limb_arena_take(a, nl * LIMB_WS_LINK, scalar);
  out->aba_aux = limb_arena_take(a, na * LIMB_WS_ABA_AUX, scalar);
  out->partly = limb_arena_take(a, na * LIMB_WS_PARTLY, scalar);
  out->given = limb_arena_take(a, nc, 1);
  out->columns = limb_arena_take(a, whole_blocks(nc) * LIMB_WS_FORCE, scalar);
  out->artic = limb_arena_take(a, (size_t)m->nkept * LIMB_WS_ARTIC, scalar);
  limb_dof_table_lay_out(a, m, scalar, &out->table);
  out->packed = limb_arena_take(a, limb_ws_packed(m), scalar);
}

// ---- the dof table (model/dof_table.h) --------------------------------------------------------------------

// Columns of a table, whole blocks; 0 for robots too large for one.
static size_t columns_of(int ncdof)
{
  const size_t lanes = LIMB_LANES_MAX;
  return ncdof <= LIMB_DERIVATIVES_MAX ? ((size_t)ncdof + lanes - 1) / lanes * lanes : 0;
}

void limb_dof_table_lay_out(limb_arena* a, const limb_model* m, size_t scalar, limb_dof_table* out)
{
  *out = (limb_dof_table){0};
  if (m->ncdof > LIMB_DERIVATIVES_MAX) return;
  out->cell = limb_arena_take(a, ROW_COUNT * columns_of(m->ncdof), scalar);
  out->base = limb_arena_take(a, 12 * (size_t)m->nroot, scalar);
  out->dense = limb_arena_take(a, 12 * (size_t)m->naux, scalar);
  out->work = limb_arena_take(a, LIMB_LANES_MAX * columns_of(m->ncdof), scalar);
  if (scalar == sizeof(double) && m->elim.nrun > 0)
    out->rows = limb_arena_take(a, 2 * m->elim.wide + 3 * LIMB_LANES_MAX * (size_t)m->nv, scalar);
  out->list = limb_arena_take(a, 2 * (size_t)m->ncdof, sizeof *out->list);
  out->finite = limb_arena_take(a, 1, sizeof *out->finite);
  out->q = limb_arena_take(a, (size_t)m->ncdof, scalar);
}

void limb_dof_table_clear(const limb_model* m, size_t scalar, const limb_dof_table* s)
{
  if (s->cell) memset(s->cell, 0, ROW_COUNT * columns_of(m->ncdof) * scalar);
}

double* limb_dof_table_given(limb_arena* a, int ncdof)
{
  const size_t columns = columns_of(ncdof);
  return columns > 0 ? limb_arena_take(a, GIVEN_COUNT * columns, sizeof(double)) : NULL;
}

static void put(const limb_model* m, int row, int column, double x)
{
  m->given[limb_dof_table_at(column, GIVEN_COUNT) + (ptrdiff_t)row * LIMB_LANES_MAX] = x;
}

static void put_all(const limb_model* m, int row, int column, int count, const double* x)
{
  for (int k = 0; k < count; k++) put(m, row + k, column, x[k]);
}

// What a joint's freedom k does: turns about its axis, slides along it, or both.
static void fill_freedom(const limb_model* m, int i, int k)
{
  const limb_link* link = &m->link[i];
  const bool slides = link->joint_class == CLASS_TRANS || k >= 3;
  const double pitch = link->joint_class == CLASS_SCREW ? m->k64[i].pitch : 0;
  put(m, GIVEN_TURN, link->dof + k, slides ? 0 : 1);
  put(m, GIVEN_SLIDE, link->dof + k, slides ? 1 : pitch);
}

// Coordinate and frame of a one-dof link: Z(gamma) X(alpha).
static void fill_transform(const limb_model* m, int i)
{
  const limb_link* link = &m->link[i];
  const limb_link_f64* k = &m->k64[i];
  double ca = k->ca, sa = k->sa, cg = 1, sg = 0;
  if (link->joint_class > CLASS_ROT_ANY || (link->joint_class == CLASS_ROT_ANY && link->parent >= 0)) {
    cg = k->cg, sg = k->sg;
  } else if (link->parent < 0) { // a turning root: its joint only
    ca = 1, sa = 0;
  }
  const double frame[8] = {cg, sg, -sg * ca, cg * ca, sa, sg * sa, -cg * sa, ca};
  const double origin[3] = {k->px, k->py, k->pz};
  put_all(m, GIVEN_FRAME, link->dof, 8, frame);
  if (link->parent >= 0 || link->joint_class > CLASS_ROT_ANY) put_all(m, GIVEN_ORIGIN, link->dof, 3, origin);
  put(m, GIVEN_MULT, link->dof, k->mult), put(m, GIVEN_OFF, link->dof, k->off);
  if (link->joint_class != CLASS_TRANS) return;
  put(m, GIVEN_COS, link->dof, k->ct), put(m, GIVEN_SIN, link->dof, k->st);
}

static void fill_runs(const limb_model* m)
{
  for (int b = 0; b < m->nrun; b++) {
    const limb_run* run = &m->run[b];
    const int begin = run->dof, end = begin + run->end - run->begin;
    if (m->link[run->begin].ndof != 1) continue;
    for (int c = begin; c < end; c++) {
      for (int k = 0; k < 3; k++) put(m, GIVEN_UP + k, c, c - (1 << k) >= begin);
    }
  }
}

void limb_dof_table_fill(limb_model* m)
{
  if (!m->given) return;
  memset(m->given, 0, GIVEN_COUNT * columns_of(m->ncdof) * sizeof *m->given);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const limb_link* link = &m->link[i];
    const limb_link* last = &m->link[link->end - 1];
    const limb_moments* s = &m->inertia[i];
    const int slot = limb_slot(link);
    const double moments[10] = {s->m, s->hx, s->hy, s->hz, s->xx, s->xy, s->xz, s->yy, s->yz, s->zz};
    put_all(m, GIVEN_MOMENTS, slot, 10, moments);
    if (link->ndof == 1) fill_transform(m, i);
    double* mass = m->given + limb_dof_table_at(slot, GIVEN_COUNT) + GIVEN_MASS * LIMB_LANES_MAX;
    *mass += s->m; // to what its children have left there
    for (int k = 0; k < link->ndof; k++) {
      fill_freedom(m, i, k);
      put(m, GIVEN_MASS, link->dof + k, *mass);
      put(m, GIVEN_BEGIN, link->dof + k, link->dof);
      put(m, GIVEN_END, link->dof + k, last->dof + last->ndof);
    }
    if (link->parent < 0) continue;
    const int up = limb_slot(&m->link[link->parent]);
    m->given[limb_dof_table_at(up, GIVEN_COUNT) + GIVEN_MASS * LIMB_LANES_MAX] += *mass;
  }
  fill_runs(m);
}
