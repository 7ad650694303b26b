// The dof table (model/dof_table.h) as the lane kernels see it, and sums along the tree, a block of lanes at a time.
//
// Sums go by runs (limb_run): links in a row, neighbours on the dof table. Within a block all runs are summed at
// once, in steps of 1, 2 and 4 lanes that do not leave a run (GIVEN_UP, GIVEN_DOWN); then every run gets
// what it is attached to, or hands over what it carries. Links of several dofs are runs of their own. A robot that
// is one run needs none of this care, and one that fits into a block no loops either: these forms are
// instances of the same texts. Cost O(n).
#ifndef LIMB_KERNEL_DOF_TABLE_KERNEL_H
#define LIMB_KERNEL_DOF_TABLE_KERNEL_H

#include "kernel/context.h"
#include "kernel/inertia.h"
#include "kernel/lanes_one.h"
#include "model/dof_table.h"

enum { FORM_TREE, FORM_CHAIN, FORM_BLOCK };

typedef struct table {
  const limb_model* m;
  cell *cells, *base, *dense, *work;
  cell* factors; // the same table, or one beside it for the columns that are read one by one
  const double* given;
  int form; // a constant in every instance of a kernel
} table;

KERNEL table table_of(const limb_model* m, const limb_dof_table* s, int form)
{
  return (table){m, s->cell, s->base, s->dense, s->work, s->cell, m->given, form};
}

// A table of one block that is gone after the call: the compiler keeps what it can in registers.
enum { BLOCK_CELLS = ROW_COUNT * LIMB_LANES_MAX };

KERNEL table table_in(const limb_model* m, const limb_dof_table* s, cell* cells, cell* factors)
{
  return (table){m, cells, s->base, s->dense, s->work, factors, m->given, FORM_BLOCK};
}

enum { TREES_ONLY = LANES == 1 }; // the form of scalars that are no vectors

// The form of a block, where so few joints are not worth the code.
enum { BLOCK_PAYS = LANES >= 4 };

KERNEL int form_of(const limb_model* m, bool keep) // keep: the dof table is read afterwards
{
  if (TREES_ONLY || m->nrun != 1 || m->naux > 0) return FORM_TREE;
  return !BLOCK_PAYS || m->ncdof > LANES || keep ? FORM_CHAIN : FORM_BLOCK;
}

// Steps through the columns by blocks of lanes.
#define FOR_BLOCKS(i, t) for (int i = 0; i < ((t)->form == FORM_BLOCK ? LANES : (t)->m->ncdof); i += LANES)

KERNEL cell* column_at(const table* t, int i) { return t->cells + table_column(i, ROW_COUNT); }
KERNEL const double* given_at(const table* t, int i) { return t->given + limb_dof_table_at(i, GIVEN_COUNT); }

// ---- rows of a block: at is a column, k a row ------------------------------------------------------

KERNEL real get(const cell* at, int k) { return lanes_at(at + (ptrdiff_t)k * APART); }
KERNEL vec3 get3(const cell* at, int k) { return v3(get(at, k), get(at, k + 1), get(at, k + 2)); }
KERNEL motion get_motion(const cell* at, int k) { return (motion){get3(at, k), get3(at, k + 3)}; }
KERNEL force get_force(const cell* at, int k) { return (force){get3(at, k), get3(at, k + 3)}; }

KERNEL mat3 get_columns(const cell* at, int k) { return columns(get3(at, k), get3(at, k + 3), get3(at, k + 6)); }

KERNEL void set(cell* at, int k, real x) { put_lanes(at + (ptrdiff_t)k * APART, x); }

KERNEL void set3(cell* at, int k, vec3 x) { set(at, k, x.x), set(at, k + 1, x.y), set(at, k + 2, x.z); }

KERNEL void set_motion(cell* at, int k, motion x) { set3(at, k, x.w), set3(at, k + 3, x.v); }
KERNEL void set_force(cell* at, int k, force x) { set3(at, k, x.n), set3(at, k + 3, x.f); }

// Those of some lanes only.
KERNEL void set_in(lane_set s, cell* at, int k, real x) { set(at, k, choose(s, x, get(at, k))); }

KERNEL void set3_in(lane_set s, cell* at, int k, vec3 x)
{
  set_in(s, at, k, x.x), set_in(s, at, k + 1, x.y), set_in(s, at, k + 2, x.z);
}

KERNEL vec3 choose3(lane_set s, vec3 a, vec3 b)
{
  return v3(choose(s, a.x, b.x), choose(s, a.y, b.y), choose(s, a.z, b.z));
}

KERNEL real get_given(const double* at, int k) { return given_lanes(at + (ptrdiff_t)k * LIMB_LANES_MAX); }

KERNEL vec3 get_given3(const double* at, int k)
{
  return v3(get_given(at, k), get_given(at, k + 1), get_given(at, k + 2));
}

KERNEL cell* entry_at(const table* t, int k, int i) { return column_at(t, i) + (ptrdiff_t)k * APART; }

// A lane's number in all lanes
KERNEL real spread(real x, int l) { return every_lane(lane(x, l)); }
KERNEL vec3 spread3(vec3 x, int l) { return v3(spread(x.x, l), spread(x.y, l), spread(x.z, l)); }

KERNEL real entry_spread(const table* t, int k, int i) { return every_lane(*entry_at(t, k, i)); }
KERNEL real factor_spread(const table* t, int k, int i)
{
  return every_lane(t->factors[table_column(i, ROW_COUNT) + (ptrdiff_t)k * APART]);
}

KERNEL vec3 entry3_spread(const table* t, int k, int i)
{
  return v3(entry_spread(t, k, i), entry_spread(t, k + 1, i), entry_spread(t, k + 2, i));
}

KERNEL vec3 factor3_spread(const table* t, int k, int i)
{
  return v3(factor_spread(t, k, i), factor_spread(t, k + 1, i), factor_spread(t, k + 2, i));
}

// ---- dofs of runs and links ------------------------------------------------------------------------

KERNEL int end_of_dofs(const limb_link* link) { return link->dof + link->ndof; }
KERNEL int end_of_run(const table* t, const limb_run* run) { return end_of_dofs(&t->m->link[run->end - 1]); }
KERNEL int block_of(int dof) { return (int)((unsigned)dof / LANES * LANES); }

enum { LANE_STEPS = LANES == 8 ? 3 : LANES / 2 }; // by 1, 2, 4 lanes

// ---- sums ------------------------------------------------------------------------------------------

// Over the lanes up to each one, within its run
KERNEL real sum_up(const table* t, const double* given, real x)
{
  const bool all = t->form != FORM_TREE;
  for (int k = 0; k < LANE_STEPS; k++) {
    const real below = lanes_up(x, 1 << k, zero());
    x = all ? add(x, below) : madd(x, get_given(given, GIVEN_UP + k), below);
  }
  return x;
}

// From each lane on
KERNEL real sum_down(const table* t, const double* given, real x)
{
  const bool all = t->form != FORM_TREE;
  for (int k = 0; k < LANE_STEPS; k++) {
    const real above = lanes_down(x, 1 << k, zero());
    x = all ? add(x, above) : madd(x, get_given(given, GIVEN_DOWN + k), above);
  }
  return x;
}

// Six rows of a run, summed within its blocks, and what it starts from.
KERNEL void sum_along(const table* t, const limb_run* run, cell* start, int sum, int before)
{
  const int end = end_of_run(t, run);
  for (int i = block_of(run->dof); i < end; i += LANES) {
    cell* at = column_at(t, i);
    const lane_set of_run = lanes_within(run->dof - i, end - i);
    for (int r = 0; r < 6; r++) {
      const real total = add(get(at, sum + r), every_lane(start[r]));
      set_in(of_run, at, sum + r, total);
      if (t->m->naux > 0) set_in(of_run, at, before + r, total); // stands in for the parent's
      start[r] = lane(total, LANES - 1);
    }
  }
}

// The same for one link of several dofs, whose rows are not summed yet; its parent's go to `before`. Whole
// rows are written: single cells would keep those who read the row waiting.
KERNEL void sum_over(const table* t, const limb_link* link, const cell* start, int sum, int before)
{
  const int end = end_of_dofs(link);
  for (int r = 0; r < 6; r++) {
    cell total = start[r];
    for (int i = link->dof; i < end; i++) total = add_cell(total, *entry_at(t, sum + r, i));
    for (int i = block_of(link->dof); i < end; i += LANES) {
      const lane_set of_link = lanes_within(link->dof - i, end - i);
      set_in(of_link, column_at(t, i), sum + r, every_lane(total));
      set_in(of_link, column_at(t, i), before + r, every_lane(start[r]));
    }
  }
}

// Out from the bases: six rows `sum` of what the joints add become those of motions. base: six numbers of
// every twelve; NULL: zeros.
KERNEL void sum_out(const table* t, const cell* base, int sum, int before)
{
  const bool all = t->form != FORM_TREE;
  real start[6];
  for (int r = 0; r < 6; r++) start[r] = zero();
  if (base && all)
    for (int r = 0; r < 6; r++) start[r] = every_lane(base[r]);
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    for (int r = 0; r < 6; r++) {
      real x = sum_up(t, given_at(t, i), get(at, sum + r));
      if (all) x = add(x, start[r]);
      set(at, sum + r, x);
      if (!all && t->m->naux > 0) set(at, before + r, x); // in columns of no run, too
      start[r] = spread(x, LANES - 1);
    }
  }
  for (int b = 0; b < t->m->nrun && !all; b++) {
    const limb_run* run = &t->m->run[b];
    const limb_link* link = &t->m->link[run->begin];
    cell from[6];
    for (int r = 0; r < 6; r++) {
      from[r] = run->parent >= 0 ? *entry_at(t, sum + r, limb_slot(&t->m->link[run->parent]))
                : base           ? base[12 * link->root + r]
                                 : lane(zero(), 0);
    }
    if (link->ndof == 1) {
      sum_along(t, run, from, sum, before);
    } else {
      sum_over(t, link, from, sum, before);
    }
  }
}

// Adds to rows first .. end - 1 of dofs begin .. last, all in one block, what dof i has there.
KERNEL void hand_over(const table* t, int i, int begin, int last, int first, int end)
{
  const int j = block_of(last);
  cell* at = column_at(t, j);
  const lane_set to = lanes_within(begin - j, last + 1 - j);
  for (int k = first; k < end; k++) set_in(to, at, k, add(get(at, k), entry_spread(t, k, i)));
}

// Back along a run, summed within its blocks: from block to block.
KERNEL void sum_back_along(const table* t, const limb_run* run, int first, int end)
{
  const int last = end_of_run(t, run) - 1;
  for (int i = block_of(last); i > run->dof; i -= LANES) {
    const int low = i - LANES < run->dof ? run->dof : i - LANES;
    hand_over(t, i, low, i - 1, first, end);
  }
}

// One link of several dofs: all get what its slot has.
KERNEL void sum_back_over(const table* t, const limb_link* link, int first, int end)
{
  const int slot = limb_slot(link), last = end_of_dofs(link);
  for (int i = block_of(link->dof); i < last; i += LANES) {
    cell* at = column_at(t, i);
    const lane_set of_link = lanes_within(link->dof - i, last - i);
    for (int k = first; k < end; k++) set_in(of_link, at, k, entry_spread(t, k, slot));
  }
}

// Each link's own rows become those of its subtree.
KERNEL void sum_back(const table* t, int first, int end)
{
  const limb_model* m = t->m;
  const bool all = t->form != FORM_TREE;
  const int last = t->form == FORM_BLOCK ? 0 : block_of(m->ncdof - 1);
#pragma GCC unroll 32
  for (int k = first; k < end; k++) {
    real rest = zero();
    for (int i = last; i >= 0; i -= LANES) {
      cell* at = column_at(t, i);
      real x = sum_down(t, given_at(t, i), get(at, k));
      if (all) x = add(x, rest);
      set(at, k, x);
      rest = spread(x, 0);
    }
  }
  for (int b = m->nrun - 1; b >= 0 && !all; b--) {
    const limb_run *run = &m->run[b], *up = run;
    const limb_link* link = &m->link[run->begin];
    if (link->ndof == 1) {
      sum_back_along(t, run, first, end);
    } else {
      sum_back_over(t, link, first, end);
    }
    if (run->parent < 0) continue;
    while (up->begin > run->parent) up--; // the run it is attached to
    const int to = limb_slot(&m->link[run->parent]), block = block_of(to);
    hand_over(t, limb_slot(link), up->dof > block ? up->dof : block, to, first, end);
  }
}

#endif
