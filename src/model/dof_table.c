#include "model/dof_table.h"

#include <string.h>

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
  out->work = limb_arena_take(a, LIMB_LANES_MAX * (size_t)m->ncdof, scalar);
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
      for (int k = 0; k < 3; k++) {
        put(m, GIVEN_UP + k, c, c - (1 << k) >= begin);
        put(m, GIVEN_DOWN + k, c, c + (1 << k) < end);
      }
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
