#include "model/sheet.h"

#include <string.h>

// Columns of a table, whole blocks; 0 for robots too large for one.
static size_t columns_of(int ncdof)
{
  const size_t lanes = LIMB_LANES_MOST;
  return ncdof <= LIMB_DERIVATIVES_MOST ? ((size_t)ncdof + lanes - 1) / lanes * lanes : 0;
}

void limb_sheet_lay_out(limb_arena* a, const limb_model* m, size_t scalar, limb_sheet* out)
{
  *out = (limb_sheet){0};
  if (m->ncdof > LIMB_DERIVATIVES_MOST) return;
  out->cell = limb_arena_take(a, ROW_COUNT * columns_of(m->ncdof), scalar);
  out->base = limb_arena_take(a, 12 * (size_t)m->nroot, scalar);
}

void limb_sheet_clear(const limb_model* m, size_t scalar, const limb_sheet* s)
{
  if (s->cell) memset(s->cell, 0, ROW_COUNT * columns_of(m->ncdof) * scalar);
}

double* limb_sheet_given(limb_arena* a, int ncdof)
{
  const size_t columns = columns_of(ncdof);
  return columns > 0 ? limb_arena_take(a, GIVEN_COUNT * columns, sizeof(double)) : NULL;
}

// What a joint's freedom k does: turns about its axis, slides along it, or both.
static void fill_freedom(const limb_model* m, int i, int k)
{
  const limb_link* link = &m->link[i];
  const bool slides = link->shape == SHAPE_TRANS || k >= 3;
  double* to = m->given + limb_sheet_at(link->dof + k, GIVEN_COUNT);
  to[GIVEN_TURN * LIMB_LANES_MOST] = slides ? 0 : 1;
  to[GIVEN_SLIDE * LIMB_LANES_MOST] = slides ? 1 : link->shape == SHAPE_SCREW ? m->k64[i].pitch : 0;
}

void limb_sheet_fill(limb_model* m)
{
  if (!m->given) return;
  memset(m->given, 0, GIVEN_COUNT * columns_of(m->ncdof) * sizeof *m->given);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const limb_link* link = &m->link[i];
    const limb_moments* s = &m->inertia[i];
    const double x[10] = {s->m, s->hx, s->hy, s->hz, s->xx, s->xy, s->xz, s->yy, s->yz, s->zz};
    double* to = m->given + limb_sheet_at(limb_slot(link), GIVEN_COUNT);
    for (int k = 0; k < 10; k++) to[k * LIMB_LANES_MOST] = x[k];
    double* mass = to + (ptrdiff_t)GIVEN_MASS * LIMB_LANES_MOST;
    *mass += s->m; // to what its children have left there
    for (int k = 0; k < link->ndof; k++) {
      fill_freedom(m, i, k);
      m->given[limb_sheet_at(link->dof + k, GIVEN_COUNT) + GIVEN_MASS * LIMB_LANES_MOST] = *mass;
    }
    if (link->parent < 0) continue;
    const int up = limb_slot(&m->link[link->parent]);
    m->given[limb_sheet_at(up, GIVEN_COUNT) + GIVEN_MASS * LIMB_LANES_MOST] += *mass;
  }
}
