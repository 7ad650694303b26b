// Fifth step of compiling: in which order, and along which paths, L'DL eliminates the mass matrix.
//
// Without mimic joints the nonzeros of row k are the ancestors of dof k (Featherstone 2008, section
// 6.3: branch-induced sparsity), and elimination from the leaves makes no others. A mimic joint lends
// its row to another joint's coordinate; the rows' paths then follow the elimination tree (Liu 1986) of
// the graph that joins each dof with its ancestors up to where no follower is left.
// Rows are the independent coordinates in compiled order; row k's nonzeros all lie on its path.

#include "base/alloc.h"
#include "model/compile_impl.h"

#include <limits.h>
#include <string.h>

typedef struct work {
  int* link_of;  // ncdof
  int* skip;     // ncdof: the next dof towards the root whose row is another
  int* plain;    // ncdof: neither the dof nor any before it follows another
  int* ancestor; // nv
  int* start;    // nv + 1: edges by their lower row
  int* high;     // the higher rows of the edges
} work;

// The dof before cd on the way to the root; -1: none.
static int parent_dof(const limb_model* m, const work* w, int cd)
{
  const limb_link* link = &m->link[w->link_of[cd]];
  if (cd > link->dof) return cd - 1;
  if (link->parent < 0) return -1;
  const limb_link* p = &m->link[link->parent];
  return p->dof + p->ndof - 1;
}

static bool follows(const limb_model* m, const work* w, int cd)
{
  return m->joint[m->link[w->link_of[cd]].joint].def.mimic >= 0;
}

static void number_rows(limb_model* m, work* w)
{
  for (int i = 0; i < m->nlink; i++) {
    for (int c = 0; c < m->link[i].ndof; c++) w->link_of[m->link[i].dof + c] = i;
  }
  int rows = 0;
  int* row_of_v = w->ancestor;
  for (int cd = 0; cd < m->ncdof; cd++) {
    if (follows(m, w, cd)) continue;
    m->elim.v[rows] = m->dof[cd].v;
    row_of_v[m->dof[cd].v] = rows++;
  }
  for (int cd = 0; cd < m->ncdof; cd++) {
    m->elim.dof[cd] = row_of_v[m->dof[cd].v];
    const int p = parent_dof(m, w, cd);
    w->plain[cd] = !follows(m, w, cd) && (p < 0 || w->plain[p]);
    const bool same_row = p >= 0 && follows(m, w, p) && m->elim.dof[p] == m->elim.dof[cd];
    w->skip[cd] = same_row ? w->skip[p] : p;
  }
}

// Edges between the row of a dof and those of its nearest ancestors, up to the first with no follower
// among it and those before it. Counts them per lower row (high NULL), or stores the higher rows,
// moving start on.
static void visit_edges(const limb_model* m, const work* w, int* start, int* high)
{
  for (int cd = 0; cd < m->ncdof; cd++) {
    const int row = m->elim.dof[cd];
    for (int p = parent_dof(m, w, cd); p >= 0; p = w->skip[p]) {
      const int other = m->elim.dof[p];
      if (other != row) {
        const int low = row < other ? row : other;
        if (high) high[start[low]] = row + other - low;
        start[low]++;
      }
      if (w->plain[p]) break; // the rest of the path is already behind p
    }
  }
}

// Root of k's tree so far, with path compression.
static int climb(int* ancestor, int k)
{
  int top = k;
  while (ancestor[top] >= 0) top = ancestor[top];
  while (ancestor[k] >= 0) {
    const int next = ancestor[k];
    if (k != top) ancestor[k] = top;
    k = next;
  }
  return top;
}

// Liu's elimination tree; rows are eliminated from the last to the first.
static void build_tree(limb_model* m, work* w)
{
  for (int k = 0; k < m->nv; k++) m->elim.parent[k] = w->ancestor[k] = -1;
  for (int k = m->nv - 1; k >= 0; k--) {
    for (int e = w->start[k]; e < w->start[k + 1]; e++) {
      const int top = climb(w->ancestor, w->high[e]);
      if (top != k) m->elim.parent[top] = w->ancestor[top] = k;
    }
  }
}

static void set_depths(limb_model* m)
{
  limb_elimination* e = &m->elim;
  int64_t used = 0;
  for (int k = 0; k < m->nv; k++) {
    e->depth[k] = e->parent[k] < 0 ? 0 : e->depth[e->parent[k]] + 1;
    e->row[k] = used > INT_MAX ? INT_MAX : (int)used;
    used += e->depth[k] + 1;
  }
  e->packed = used > INT_MAX ? INT_MAX : (int)used;
}

limb_status limb_eliminate(limb_model* m)
{
  const size_t nv = (size_t)m->nv, ncdof = (size_t)m->ncdof;
  const size_t bytes = (3 * ncdof + 2 * nv + 1) * sizeof(int);
  int* block = limb_alloc(&m->alloc, bytes);
  if (!block) return LIMB_E_NOMEM;
  work w = {.link_of = block, .skip = block + ncdof, .plain = block + 2 * ncdof};
  w.ancestor = block + 3 * ncdof;
  w.start = w.ancestor + nv;
  number_rows(m, &w);

  memset(w.start, 0, (nv + 1) * sizeof(int));
  visit_edges(m, &w, w.start, NULL);
  int total = 0;
  for (int k = 0; k <= m->nv; k++) {
    const int count = w.start[k];
    w.start[k] = total;
    total += count;
  }
  const size_t edge_bytes = ((size_t)total + 1) * sizeof(int);
  w.high = limb_alloc(&m->alloc, edge_bytes);
  if (w.high) {
    visit_edges(m, &w, w.start, w.high);
    for (int k = m->nv; k > 0; k--) w.start[k] = w.start[k - 1]; // filling moved every start on
    w.start[0] = 0;
    build_tree(m, &w);
    set_depths(m);
  }
  const limb_status status = w.high ? LIMB_OK : LIMB_E_NOMEM;
  limb_free(&m->alloc, w.high, edge_bytes);
  limb_free(&m->alloc, block, bytes);
  return status;
}
