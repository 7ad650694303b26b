// Products on the sheet: every dof with those behind it, and with those before it. Cost O(n depth).
//
// Row j of a matrix, from the columns of dynamics/row_kernel.h:
//
//   behind j (dof i of a deeper link)          before j (dof i of an ancestor, or of the same link)
//   M_ji     = S_j' T1_i                       M_ji     = S_i' T1_j
//   dq_ji    = S_j' T2_i                       dq_ji    = psi_i' T4_j + psidot_i' T1_j
//   dv_ji    = S_j' T3_i                       dv_ji    = S_i' T4_j + sigma_i' T1_j
//
// Dofs behind a link are neighbours; those before it come in runs, one for each branch on the way to the
// root. A block of lanes holds entries of either kind, or zeros.

enum { WANT_M = 1, WANT_DQ = 2, WANT_DV = 4, WANT_ALL = 7 };

typedef struct products {
  int want;          // a constant in every instance of the kernel
  cell *M, *dq, *dv; // nv x nv in the user's order, those that are wanted
} products;

// What row j multiplies blocks of columns with: its own column, in all lanes.
typedef struct factors {
  motion S;
  force T1;
  vec3 T4;
} factors;

KERNEL real all(const cell* at, int k) { return every_lane(at[(ptrdiff_t)k * LIMB_LANES_MOST]); }
KERNEL vec3 all3(const cell* at, int k) { return v3(all(at, k), all(at, k + 1), all(at, k + 2)); }

KERNEL factors factors_of(const limb_sheet* s, int j)
{
  const cell* at = column_at(s, j);
  return (factors){{all3(at, ROW_S), all3(at, ROW_S + 3)},
                   {all3(at, ROW_T1), all3(at, ROW_T1 + 3)},
                   all3(at, ROW_T4)};
}

// A block of row j of the three matrices.
typedef struct triple {
  real M, dq, dv;
} triple;

KERNEL triple products_behind(int want, const factors* j, const cell* at)
{
  triple x = {zero(), zero(), zero()};
  if (want & WANT_M) x.M = dot6(j->S, get_force(at, ROW_T1));
  if (want & WANT_DQ) x.dq = dot6(j->S, get_force(at, ROW_T2));
  if (want & WANT_DV) x.dv = dot6(j->S, get_force(at, ROW_T3));
  return x;
}

KERNEL triple products_before(int want, const factors* j, const cell* at)
{
  const motion S = get_motion(at, ROW_S);
  triple x = {zero(), zero(), zero()};
  if (want & WANT_M) x.M = dot6(S, j->T1);
  if (want & WANT_DQ)
    x.dq = add(dot3(get3(at, ROW_PSI), j->T4), dot6(get_motion(at, ROW_PSIDOT), j->T1));
  if (want & WANT_DV) x.dv = add(dot3(S.w, j->T4), dot6(get_motion(at, ROW_SIGMA), j->T1));
  return x;
}

KERNEL int end_of_dofs(const limb_link* link) { return link->dof + link->ndof; }

KERNEL triple choose_triple(lane_set s, triple a, triple b)
{
  return (triple){choose(s, a.M, b.M), choose(s, a.dq, b.dq), choose(s, a.dv, b.dv)};
}

// Lanes from dof i on that stand before a link or belong to it: runs of dofs, one per branch. False: none.
KERNEL bool lanes_before(const limb_model* m, const limb_link* link, int i, lane_set* lanes)
{
  bool any = false;
  *lanes = lanes_within(0, 0);
  while (link) {
    const limb_link* first = &m->link[link->first];
    any |= i < end_of_dofs(link) && i + LANES > first->dof;
    *lanes = lanes_in_either(*lanes, lanes_within(first->dof - i, end_of_dofs(link) - i));
    link = first->parent < 0 ? NULL : &m->link[first->parent];
  }
  return any;
}

// Row of a link's dof, the block from dof i on.
KERNEL triple block_of_row(const limb_model* m, const limb_sheet* s, int want,
                           const limb_link* link, const factors* row, int i)
{
  const int behind = end_of_dofs(link), last = end_of_dofs(&m->link[link->end - 1]);
  const cell* at = column_at(s, i);
  triple x = {zero(), zero(), zero()};
  lane_set lanes;
  if (i < last && i + LANES > behind) {
    x = choose_triple(lanes_within(behind - i, last - i), products_behind(want, row, at), x);
  }
  if (i < behind && lanes_before(m, link, i, &lanes)) {
    x = choose_triple(lanes, products_before(want, row, at), x);
  }
  return x;
}

// The same in a chain: all dofs up to j stand before, all others behind.
KERNEL triple block_of_chain(const limb_sheet* s, int want, int behind, const factors* row, int i)
{
  const cell* at = column_at(s, i);
  if (i >= behind) return products_behind(want, row, at);
  const triple before = products_before(want, row, at);
  if (i + LANES <= behind) return before;
  return choose_triple(lanes_within(0, behind - i), before, products_behind(want, row, at));
}

// Rows are put whole and in order: what a block puts behind the end of one, the next overwrites. left:
// room behind `at`, up to the end of the matrix.
KERNEL void put_blocks(const products* out, ptrdiff_t at, ptrdiff_t left, const triple* x)
{
  const int lanes = left < LANES ? (int)left : LANES;
  if (out->want & WANT_M) put_some(out->M + at, x->M, lanes);
  if (out->want & WANT_DQ) put_some(out->dq + at, x->dq, lanes);
  if (out->want & WANT_DV) put_some(out->dv + at, x->dv, lanes);
}

// Where compiled dofs are not the user's, entries are added.
KERNEL void add_block(const limb_model* m, cell* out, int j, int i, real x)
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

KERNEL void add_blocks(const limb_model* m, const products* out, int j, int i, const triple* x)
{
  if (out->want & WANT_M) add_block(m, out->M, j, i, x->M);
  if (out->want & WANT_DQ) add_block(m, out->dq, j, i, x->dq);
  if (out->want & WANT_DV) add_block(m, out->dv, j, i, x->dv);
}

KERNEL void products_of(const limb_model* m, const limb_sheet* s, const products* out)
{
  const ptrdiff_t n = m->nv, end = n * n;
  for (int l = 0; l < m->nlink; l++) {
    const limb_link* link = &m->link[l];
    const int behind = end_of_dofs(link);
    for (int j = link->dof; j < behind; j++) {
      const factors row = factors_of(s, j);
      FOR_BLOCKS(i, m->ncdof)
      {
        const triple x = m->serial ? block_of_chain(s, out->want, behind, &row, i)
                                   : block_of_row(m, s, out->want, link, &row, i);
        if (m->identity) {
          put_blocks(out, j * n + i, end - j * n - i, &x);
        } else {
          add_blocks(m, out, j, i, &x);
        }
      }
    }
  }
}

// Those that are wanted are not NULL; the usual cases have an instance of their own.
static void row_products(const limb_model* m, const limb_sheet* s, cell* M, cell* dq, cell* dv)
{
  const int want = (M ? WANT_M : 0) | (dq ? WANT_DQ : 0) | (dv ? WANT_DV : 0);
#define CASE(w)                            \
  case (w): {                              \
    const products out = {(w), M, dq, dv}; \
    products_of(m, s, &out);               \
  } break;
  switch (want) {
    CASE(WANT_ALL)
    CASE(WANT_DQ | WANT_DV)
    CASE(WANT_M)
    CASE(WANT_DV)
  default: {
    const products out = {want, M, dq, dv};
    products_of(m, s, &out);
  }
  }
#undef CASE
}
