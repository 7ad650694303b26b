// Products on the dof table: every dof with those behind it, and with those before it. Cost O(n depth).
//
// Row j of a matrix, from the columns of kernel/lane_columns_kernel.h:
//
//   behind j (dof i of a deeper link)          before j (dof i of an ancestor, or of the same link)
//   M_ji     = S_j' T1_i                       M_ji     = S_i' T1_j
//   dq_ji    = S_j' T2_i                       dq_ji    = psi_i' T4_j + psidot_i' T1_j
//   dv_ji    = S_j' T3_i                       dv_ji    = S_i' T4_j + sigma_i' T1_j
//
// Dofs behind a link are neighbours; those before it come in runs, one for each branch on the way to the
// root. A block of lanes holds entries of either kind, or zeros.
#ifndef LIMB_KERNEL_LANE_PRODUCTS_KERNEL_H
#define LIMB_KERNEL_LANE_PRODUCTS_KERNEL_H

#include "kernel/lane_columns_kernel.h"

enum { WANT_M = 1, WANT_DQ = 2, WANT_DV = 4 };

// What is made; both are constants in the instances of the kernel that are used most.
typedef struct making {
  int want;
  limb_slopes kind;
} making;

// Where rows go, each `stride` after the one before: the user's matrices, or rows of whole blocks.
typedef struct sink {
  cell *M, *dq, *dv;
  ptrdiff_t stride;
} sink;

KERNEL int wanted(const lane_out* out)
{
  return (out->M ? WANT_M : 0) | (out->dq ? WANT_DQ : 0) | (out->dv ? WANT_DV : 0);
}

KERNEL sink sink_of(const table* t, const lane_out* out) { return (sink){out->M, out->dq, out->dv, t->m->nv}; }

// What row j multiplies blocks of columns with: its own column, in all lanes.
typedef struct factors {
  motion S;
  force T1;
  vec3 T4;
} factors;

KERNEL factors factors_of(const table* t, int j)
{
  return (factors){{factor3_spread(t, ROW_S, j), factor3_spread(t, ROW_S + 3, j)},
                   {factor3_spread(t, ROW_T1, j), factor3_spread(t, ROW_T1 + 3, j)},
                   factor3_spread(t, ROW_T4, j)};
}

KERNEL void put_factors(const table* t, int want)
{
  if (t->form != FORM_BLOCK) return;
  set_motion(t->factors, ROW_S, get_motion(t->cells, ROW_S));
  set_force(t->factors, ROW_T1, get_force(t->cells, ROW_T1));
  if (want & (WANT_DQ | WANT_DV)) set3(t->factors, ROW_T4, get3(t->cells, ROW_T4));
}

// A block of row j of the three matrices.
typedef struct triple {
  real M, dq, dv;
} triple;

// A block of columns.
typedef struct lane_block {
  motion S, psi, psidot, sigma;
  force T1, T2, T3;
} lane_block;

KERNEL lane_block block_at(const table* t, making w, int i)
{
  const cell* at = column_at(t, i);
  const motion none = {zero3(), zero3()};
  lane_block b = {get_motion(at, ROW_S), none, none, none, zerof(), zerof(), zerof()};
  if (w.want & WANT_M) b.T1 = get_force(at, ROW_T1);
  if (w.want & (WANT_DQ | WANT_DV)) b.psi = get_motion(at, ROW_PSI);
  if (w.want & WANT_DQ) b.psidot = get_motion(at, ROW_PSIDOT), b.T2 = get_force(at, ROW_T2);
  if (w.want & WANT_DV) b.T3 = get_force(at, ROW_T3);
  if (w.want & WANT_DV && has_sigma(t)) b.sigma = get_motion(at, ROW_SIGMA);
  return b;
}

KERNEL triple products_behind(making w, const factors* j, const lane_block* b)
{
  triple x = {zero(), zero(), zero()};
  if (w.want & WANT_M) x.M = dot6(j->S, b->T1);
  if (w.want & WANT_DQ) x.dq = dot6(j->S, b->T2);
  if (w.want & WANT_DV) x.dv = dot6(j->S, b->T3);
  return x;
}

KERNEL triple products_before(const table* t, making w, const factors* j, const lane_block* b)
{
  triple x = {zero(), zero(), zero()};
  if (w.want & WANT_M) x.M = dot6(b->S, j->T1);
  if (w.want & WANT_DQ) x.dq = add(dot3(b->psi.w, j->T4), dot6(b->psidot, j->T1));
  if (!(w.want & WANT_DV)) return x;
  if (has_sigma(t)) {
    x.dv = add(dot3(b->S.w, j->T4), dot6(b->sigma, j->T1));
  } else { // sigma is the share of psi
    x.dv = kmadd(dot3(b->S.w, j->T4), share_of(w.kind), dot6(b->psi, j->T1));
  }
  return x;
}

KERNEL triple choose_triple(lane_set s, triple a, triple b)
{
  return (triple){choose(s, a.M, b.M), choose(s, a.dq, b.dq), choose(s, a.dv, b.dv)};
}

// Lanes of the block from dof i on that stand behind a link, and before it: dofs of links whose subtree
// has it.
typedef struct sides {
  lane_set behind, before;
  bool any_behind, any_before;
} sides;

KERNEL sides sides_of(const table* t, const limb_link* link, int i)
{
  const int end = end_of_dofs(link), last = end_of_dofs(&t->m->link[link->end - 1]);
  const double* given = given_at(t, i);
  sides s = {lanes_within(end - i, last - i), lanes_within(0, 0), i < last && i + LANES > end, false};
  if (i >= end) return s;
  s.before = given_around((double)link->dof, given + (ptrdiff_t)GIVEN_BEGIN * LIMB_LANES_MAX,
                          given + (ptrdiff_t)GIVEN_END * LIMB_LANES_MAX);
  s.any_before = any_lane(s.before);
  return s;
}

// Row of a link's dof j.
KERNEL triple block_of_row(const table* t, making w, const sides* s, const lane_block* b, int j)
{
  triple x = {zero(), zero(), zero()};
  if (!s->any_behind && !s->any_before) return x;
  const factors row = factors_of(t, j);
  if (s->any_behind) x = choose_triple(s->behind, products_behind(w, &row, b), x);
  if (s->any_before) x = choose_triple(s->before, products_before(t, w, &row, b), x);
  return x;
}

// The same in a chain: all dofs up to j stand before, all others behind.
KERNEL triple block_of_chain(const table* t, making w, int j, const factors* row, const lane_block* b, int i)
{
  if (t->form != FORM_BLOCK && i > j) return products_behind(w, row, b);
  const triple before = products_before(t, w, row, b);
  if (t->form != FORM_BLOCK && i + LANES <= j + 1) return before;
  return choose_triple(lanes_within(0, j + 1 - i), before, products_behind(w, row, b));
}

// The last blocks of all rows are put first, and the rows in order: what a block puts behind the end of its
// row, the next one overwrites. left: cells behind `at`, up to the end of the matrix.
KERNEL void put_blocks(const sink* out, int want, ptrdiff_t at, ptrdiff_t left, const triple* x)
{
  const int lanes = left < LANES ? (int)left : LANES;
  if (want & WANT_M) put_some(out->M + at, x->M, lanes);
  if (want & WANT_DQ) put_some(out->dq + at, x->dq, lanes);
  if (want & WANT_DV) put_some(out->dv + at, x->dv, lanes);
}

// Where several compiled dofs are one of the user's, entries are added. Rare: not a part of every instance.
KERNEL_ONCE void add_block(const limb_model* m, cell* out, int j, int i, real x)
{
  cell y[LANES];
  put_lanes(y, x);
  const limb_dof* r = &m->dof[j];
  for (int l = 0; l < LANES && i + l < m->ncdof; l++) {
    const limb_dof* c = &m->dof[i + l];
    cell* entry = &out[(size_t)r->v * (size_t)m->nv + (size_t)c->v];
    *entry = add_cell(*entry, scale_cell(parameter(r->mult * c->mult), y[l]));
  }
}

KERNEL void add_blocks(const limb_model* m, const sink* out, int want, int j, int i, const triple* x)
{
  if (want & WANT_M) add_block(m, out->M, j, i, x->M);
  if (want & WANT_DQ) add_block(m, out->dq, j, i, x->dq);
  if (want & WANT_DV) add_block(m, out->dv, j, i, x->dv);
}

// Where compiled dofs are the user's in another order, rows go to their places, and columns are moved at last.
KERNEL_ONCE void move_columns(const limb_model* m, cell* A, cell* work)
{
  const ptrdiff_t n = m->nv;
  int begin = 0, end = m->nv;
  while (begin < end && m->dof[begin].v == begin) begin++;
  while (end > begin && m->dof[end - 1].v == end - 1) end--;
  for (ptrdiff_t i = 0; i < n && A; i++) {
    cell* row = A + i * n;
    for (int k = begin; k < end; k++) work[k] = row[k];
    for (int k = begin; k < end; k++) row[m->dof[k].v] = work[k];
  }
}

// Returns the sum of what it puts: not finite when something in it is not.
KERNEL real put_row(const table* t, making w, const sink* out, int j, int i, triple x)
{
  const ptrdiff_t n = t->m->nv;
  if (t->m->identity) {
    const ptrdiff_t at = j * out->stride + i;
    put_blocks(out, w.want, at, n * out->stride - at, &x);
  } else if (!t->m->has_mimic) {
    put_blocks(out, w.want, t->m->dof[j].v * n + i, n - i, &x);
  } else {
    add_blocks(t->m, out, w.want, j, i, &x);
  }
  return add(add(x.M, x.dq), x.dv);
}

// False: something is not finite.
KERNEL bool lane_products(const table* t, making w, const sink* out)
{
  const limb_model* m = t->m;
  real sum = zero();
  for (int i = t->form == FORM_BLOCK ? 0 : block_of(m->ncdof - 1); i >= 0; i -= LANES) {
    const lane_block b = block_at(t, w, i);
    for (int j = 0; j < m->ncdof && t->form != FORM_TREE; j++) {
      const factors row = factors_of(t, j);
      sum = add(sum, put_row(t, w, out, j, i, block_of_chain(t, w, j, &row, &b, i)));
    }
    for (int l = 0; l < m->nlink && t->form == FORM_TREE; l++) {
      const limb_link* link = &m->link[l];
      const sides s = sides_of(t, link, i);
      for (int j = link->dof; j < end_of_dofs(link); j++) {
        sum = add(sum, put_row(t, w, out, j, i, block_of_row(t, w, &s, &b, j)));
      }
    }
  }
  if (!m->identity && !m->has_mimic) {
    if (w.want & WANT_M) move_columns(m, out->M, t->work);
    if (w.want & WANT_DQ) move_columns(m, out->dq, t->work);
    if (w.want & WANT_DV) move_columns(m, out->dv, t->work);
  }
  return finite_lanes(sum);
}

#endif
