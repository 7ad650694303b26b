// The dof table (model/dof_table.h) as the lane kernels see it, and sums along the tree, a block of lanes at a time.
//
// Sums along a tree turn the table over, so that a vector has several rows of one dof, and go link by link. A robot
// that is one run (limb_run), links of one dof in a row, sums within blocks, in steps of 1, 2 and 4 lanes; one that
// fits into a block needs no loops either. These forms are instances of the same texts. Cost O(n).
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

// ---- sums along a chain ----------------------------------------------------------------------------

// Over the lanes up to each one
KERNEL real sum_up(real x)
{
  for (int k = 0; k < LANE_STEPS; k++) x = add(x, lanes_up(x, 1 << k, zero()));
  return x;
}

// From each lane on
KERNEL real sum_down(real x)
{
  for (int k = 0; k < LANE_STEPS; k++) x = add(x, lanes_down(x, 1 << k, zero()));
  return x;
}

KERNEL void sum_out_chain(const table* t, const cell* base, int sum)
{
  real start[6];
  for (int r = 0; r < 6; r++) start[r] = base ? every_lane(base[r]) : zero();
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    for (int r = 0; r < 6; r++) {
      const real x = add(sum_up(get(at, sum + r)), start[r]);
      set(at, sum + r, x);
      start[r] = spread(x, LANES - 1);
    }
  }
}

KERNEL void sum_back_chain(const table* t, int first, int end)
{
  const int last = t->form == FORM_BLOCK ? 0 : block_of(t->m->ncdof - 1);
#pragma GCC unroll 32
  for (int k = first; k < end; k++) {
    real rest = zero();
    for (int i = last; i >= 0; i -= LANES) {
      cell* at = column_at(t, i);
      const real x = add(sum_down(get(at, k)), rest);
      set(at, k, x);
      rest = spread(x, 0);
    }
  }
}

// ---- sums along a tree -----------------------------------------------------------------------------

// Link by link, LANES rows of the table at a time: turned over, the rows of a dof are one vector, in t->work.

KERNEL cell* rows_of_dof(const table* t, int dof) { return t->work + dof * (ptrdiff_t)LANES; }
KERNEL real rows_of_link(const table* t, int link) { return lanes_at(rows_of_dof(t, limb_slot(&t->m->link[link]))); }

// Rows first ... first + count - 1, count <= LANES
KERNEL void take_turned_rows(const table* t, int first, int count)
{
  FOR_BLOCKS(i, t)
  {
    const cell* at = column_at(t, i);
    real x[LANES];
#pragma GCC unroll 8
    for (int r = 0; r < LANES; r++) x[r] = r < count ? get(at, first + r) : zero();
    turn_square(x);
#pragma GCC unroll 8
    for (int l = 0; l < LANES; l++) put_lanes(rows_of_dof(t, i + l), x[l]);
  }
}

KERNEL void put_turned_rows(const table* t, int first, int count)
{
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    real x[LANES];
#pragma GCC unroll 8
    for (int l = 0; l < LANES; l++) x[l] = lanes_at(rows_of_dof(t, i + l));
    turn_square(x);
#pragma GCC unroll 8
    for (int r = 0; r < LANES; r++)
      if (r < count) set(at, first + r, x[r]);
  }
}

KERNEL void put_rows_of_link(const table* t, const limb_link* link, real x)
{
  for (int c = link->dof; c < end_of_dofs(link); c++) put_lanes(rows_of_dof(t, c), x);
}

// Rows of what carries a link. base: as in sum_out, from the first of the rows on.
KERNEL real rows_of_parent(const table* t, const limb_link* link, const cell* base, int count)
{
  if (link->parent >= 0) return rows_of_link(t, link->parent);
  return base ? some_at(base + 12 * (ptrdiff_t)link->root, count) : zero();
}

KERNEL void sum_out_tree(const table* t, const cell* base, int sum, int count)
{
  const limb_model* m = t->m;
  real x = zero();
  take_turned_rows(t, sum, count);
  for (int l = 0; l < m->nlink; l++) {
    const limb_link* link = &m->link[l];
    if (link->parent != l - 1 || l == 0) x = rows_of_parent(t, link, base, count); // else those of the link before
    for (int c = link->dof; c < end_of_dofs(link); c++) x = add(x, lanes_at(rows_of_dof(t, c)));
    put_rows_of_link(t, link, x);
  }
  put_turned_rows(t, sum, count);
}

// After sum_out_tree: what the links' parents have. Links of one dof stand in for them.
KERNEL void put_parents(const table* t, const cell* base, int before, int count)
{
  for (int l = t->m->nlink - 1; l >= 0; l--) { // parents stay until the end
    const limb_link* link = &t->m->link[l];
    if (link->ndof > 1) put_rows_of_link(t, link, rows_of_parent(t, link, base, count));
  }
  put_turned_rows(t, before, count);
}

// Out from the bases: six rows `sum` of what the joints add become those of motions. base: six numbers of
// every twelve; NULL: zeros.
KERNEL void sum_out(const table* t, const cell* base, int sum, int before)
{
  if (t->form != FORM_TREE) {
    sum_out_chain(t, base, sum);
    return;
  }
#pragma GCC unroll 6
  for (int r = 0; r < 6; r += LANES) {
    const int count = 6 - r < LANES ? 6 - r : LANES;
    sum_out_tree(t, base ? base + r : NULL, sum + r, count);
    if (t->m->naux > 0) put_parents(t, base ? base + r : NULL, before + r, count);
  }
}

// Each link's own rows become those of its subtree.
KERNEL void sum_back(const table* t, int first, int end)
{
  const limb_model* m = t->m;
  if (t->form != FORM_TREE) {
    sum_back_chain(t, first, end);
    return;
  }
  for (int r = first; r < end; r += LANES) {
    const int count = end - r < LANES ? end - r : LANES;
    real behind = zero(); // what the link behind carries
    take_turned_rows(t, r, count);
    for (int l = m->nlink - 1; l >= 0; l--) {
      const limb_link* link = &m->link[l];
      const real x = add(rows_of_link(t, l), behind);
      put_rows_of_link(t, link, x);
      behind = link->parent == l - 1 ? x : zero();
      if (link->parent == l - 1 || link->parent < 0) continue;
      cell* to = rows_of_dof(t, limb_slot(&m->link[link->parent]));
      put_lanes(to, add(lanes_at(to), x));
    }
    put_turned_rows(t, r, count);
  }
}

#endif
