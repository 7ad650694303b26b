// Fifth step of compiling: in which order, and along which paths, L'DL eliminates the mass matrix.
//
// Without mimic joints the nonzeros of row k are the ancestors of dof k (Featherstone 2008, section
// 6.3: branch-induced sparsity), and elimination from the leaves makes no others. A mimic joint lends
// its row to another joint's coordinate; rows then follow the elimination tree (Liu 1986) of a graph in
// which the rows of any dof and any ancestor end up on one path:
//
//   an edge joins a dof with its ancestors up to the first that follows no other; that is enough where
//   the leader's row comes before the rows behind the follower;
//   where it does not, all rows from the first behind the follower to the leader's are strung together,
//   and so are, for a follower behind another one, those from the row before it to its leader's.
//
// Rows are the independent coordinates in compiled order; row k's nonzeros all lie on its path.

#include "base/memory.h"
#include "model/compile_impl.h"
#include "model/dof_table.h"

#include <string.h>

typedef struct work {
  int* link_of;  // ncdof
  int* skip;     // ncdof: the next dof towards the root whose row is another
  int* rank;     // ncdof + 1: rows of the dofs before
  int* before;   // ncdof: row of the nearest ancestor that follows no other; -1: none
  int* behind;   // ncdof: whether an ancestor follows another
  int* ancestor; // nv
  int* strung;   // nv + 2: changes of the number of strings that hold row k to row k - 1
  size_t* start; // nv + 1: edges by their lower row
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
    w->rank[cd] = rows;
    if (follows(m, w, cd)) continue;
    m->elim.v[rows] = m->dof[cd].v;
    row_of_v[m->dof[cd].v] = rows++;
  }
  w->rank[m->ncdof] = rows;
  for (int cd = 0; cd < m->ncdof; cd++) {
    m->elim.dof[cd] = row_of_v[m->dof[cd].v];
    const int p = parent_dof(m, w, cd);
    const bool same_row = p >= 0 && follows(m, w, p) && m->elim.dof[p] == m->elim.dof[cd];
    w->skip[cd] = same_row ? w->skip[p] : p;
    w->before[cd] = p < 0 ? -1 : follows(m, w, p) ? w->before[p] : m->elim.dof[p];
    w->behind[cd] = p >= 0 && (w->behind[p] || follows(m, w, p));
  }
}

static void string_rows(work* w, int first, int last)
{
  if (first >= last) return;
  w->strung[first + 1]++;
  w->strung[last + 1]--;
}

// Followers whose leader's row comes after the first row behind them.
static void string_late_leaders(const limb_model* m, work* w)
{
  for (int cd = 0; cd < m->ncdof; cd++) {
    if (!follows(m, w, cd)) continue;
    const limb_link* last = &m->link[m->link[w->link_of[cd]].end - 1];
    const int lo = w->rank[cd + 1], hi = w->rank[last->dof + last->ndof] - 1, row = m->elim.dof[cd];
    if (lo <= hi && row > lo) string_rows(w, lo, row > hi ? row : hi);
    if (w->behind[cd] && w->before[cd] >= 0) string_rows(w, w->before[cd], row);
  }
}

// Edges between the row of a dof and those of its ancestors up to the first that follows no other.
// Counts them per lower row (high NULL), or stores the higher rows, moving start on. Returns how many,
// or the limit when there are more.
static size_t visit_edges(const limb_model* m, const work* w, size_t limit, size_t* start, int* high)
{
  size_t count = 0;
  for (int cd = 0; cd < m->ncdof; cd++) {
    const int row = m->elim.dof[cd];
    for (int p = parent_dof(m, w, cd); p >= 0; p = w->skip[p]) {
      const int other = m->elim.dof[p];
      if (other != row) {
        const int low = row < other ? row : other;
        if (high) high[start[low]] = row + other - low;
        start[low]++;
        if (++count == limit) return limit;
      }
      if (!follows(m, w, p)) break;
    }
  }
  return count;
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
  for (int k = 1; k <= m->nv; k++) w->strung[k] += w->strung[k - 1];
  for (int k = m->nv - 1; k >= 0; k--) {
    for (size_t e = w->start[k]; w->high && e < w->start[k + 1]; e++) {
      const int top = climb(w->ancestor, w->high[e]);
      if (top != k) m->elim.parent[top] = w->ancestor[top] = k;
    }
    const int top = k + 1 < m->nv && w->strung[k + 1] > 0 ? climb(w->ancestor, k + 1) : k;
    if (top != k) m->elim.parent[top] = w->ancestor[top] = k;
  }
}

static void set_depths(limb_model* m)
{
  limb_elimination* e = &m->elim;
  e->chain = true;
  for (int k = 0; k < m->nv; k++) {
    e->chain &= e->v[k] == k && e->parent[k] == k - 1;
    e->depth[k] = e->parent[k] < 0 ? 0 : e->depth[e->parent[k]] + 1;
    e->row[k] = (ptrdiff_t)e->packed;
    e->packed += (size_t)e->depth[k] + 1;
  }
}

// A joint is loaded when any joint on its row is, or has a rotor.
static void spread_loads(limb_model* m, work* w)
{
  int* loaded = w->ancestor;
  for (int k = 0; k < m->nv; k++) loaded[k] = 0;
  for (int cd = 0; cd < m->ncdof; cd++) {
    const limb_link* link = &m->link[w->link_of[cd]];
    loaded[m->elim.dof[cd]] |= link->loaded || m->actuator[cd].rotor > 0;
  }
  for (int cd = 0; cd < m->ncdof; cd++) {
    m->link[w->link_of[cd]].loaded = (uint8_t)loaded[m->elim.dof[cd]];
  }
}

// ---- runs of rows --------------------------------------------------------------------------------------------

// Places for the paths of all runs; robots that need more go without runs.
static size_t places_of_paths(int nv) { return 4 * (size_t)nv; }

void limb_lay_out_row_runs(limb_arena* a, int nv, limb_elimination* e)
{
  if (nv > LIMB_RUNS_MAX || nv < LIMB_LANES_MAX) return;
  e->run = limb_arena_take(a, (size_t)nv, sizeof *e->run);
  e->run_of = limb_arena_take(a, (size_t)nv, sizeof *e->run_of);
  e->wide_row = limb_arena_take(a, (size_t)nv, sizeof *e->wide_row);
  e->path = limb_arena_take(a, places_of_paths(nv), sizeof *e->path);
}

// Rows from k on that make a run. branches: rows that are the parent of several.
static int rows_of_run(const limb_elimination* e, int nv, int k, const int* branches)
{
  int count = 1;
  while (count < LIMB_RUN_ROWS && k + count < nv && e->parent[k + count] == k + count - 1 && !branches[k + count - 1])
    count++;
  return count;
}

// The path of a run: that of the run which carries it, where it ends the list already, or a copy of it; and its own
// rows. Returns the new end of the list; negative: it does not fit.
static int put_path(limb_elimination* e, int nv, limb_row_run* run, int end)
{
  const limb_row_run* up = run->up >= 0 ? &e->run[run->up] : NULL;
  const int above = up ? up->above + up->count : 0;
  const bool shared = up && up->path + above == end;
  if ((size_t)end + (shared ? 0 : (size_t)above) + (size_t)run->count > places_of_paths(nv)) return -1;
  run->above = above, run->path = shared ? up->path : end;
  for (int j = 0; j < above && !shared; j++) e->path[end++] = e->path[up->path + j];
  for (int i = 0; i < run->count; i++) e->path[end++] = e->v[run->first + i];
  return end;
}

static void find_row_runs(limb_model* m, int* branches)
{
  limb_elimination* e = &m->elim;
  const int nv = m->nv, whole = LIMB_LANES_MAX;
  int end = 0;
  if (!e->run || nv < whole || (e->chain && nv == whole)) return;
  for (int k = 0; k < nv; k++) branches[k] = 0;
  for (int k = 0; k < nv; k++)
    if (e->parent[k] >= 0) branches[e->parent[k]]++;
  for (int k = 0; k < nv; k++) branches[k] = branches[k] > 1;
  for (int k = 0; k < nv;) {
    limb_row_run* run = &e->run[e->nrun];
    *run = (limb_row_run){.first = k, .count = rows_of_run(e, nv, k, branches), .place = (ptrdiff_t)e->wide};
    run->up = e->parent[k] >= 0 ? e->run_of[e->v[e->parent[k]]] : -1;
    end = put_path(e, nv, run, end);
    if (end < 0) break;
    run->width = (run->above + 2 * whole - 1) / whole * whole;
    for (int i = 0; i < run->count; i++) {
      e->run_of[e->v[k + i]] = e->nrun;
      e->wide_row[e->v[k + i]] = (int)e->wide + i * run->width;
    }
    e->wide += (size_t)(run->count * run->width);
    e->nrun++, k += run->count;
  }
  if (end < 0) e->nrun = 0, e->wide = 0;
}

// Edges by lower row. A long chain of followers has very many: then all rows are strung together.
static limb_status collect_edges(limb_model* m, work* w, size_t* bytes)
{
  const size_t rows = (size_t)m->nv + 1, limit = 32 * (size_t)m->ncdof + 4096;
  memset(w->start, 0, rows * sizeof *w->start);
  if (visit_edges(m, w, limit, w->start, NULL) == limit) {
    memset(w->start, 0, rows * sizeof *w->start);
    string_rows(w, 0, m->nv - 1);
    return LIMB_OK;
  }
  size_t total = 0;
  for (size_t k = 0; k < rows; k++) {
    const size_t count = w->start[k];
    w->start[k] = total;
    total += count;
  }
  *bytes = (total + 1) * sizeof(int);
  w->high = limb_alloc(&m->alloc, *bytes);
  if (!w->high) return LIMB_E_NOMEM;
  (void)visit_edges(m, w, limit, w->start, w->high);
  for (size_t k = rows - 1; k > 0; k--) w->start[k] = w->start[k - 1]; // filling moved them on
  w->start[0] = 0;
  return LIMB_OK;
}

limb_status limb_eliminate(limb_model* m)
{
  const size_t nv = (size_t)m->nv, ncdof = (size_t)m->ncdof;
  const size_t bytes = (nv + 1) * sizeof(size_t) + (5 * ncdof + 1 + nv + nv + 2) * sizeof(int);
  size_t edge_bytes = 0;
  void* block = limb_alloc(&m->alloc, bytes);
  if (!block) return LIMB_E_NOMEM;
  work w = {.start = block};
  w.link_of = (int*)(w.start + nv + 1);
  w.skip = w.link_of + ncdof;
  w.rank = w.skip + ncdof;
  w.before = w.rank + ncdof + 1;
  w.behind = w.before + ncdof;
  w.ancestor = w.behind + ncdof;
  w.strung = w.ancestor + nv;
  memset(w.strung, 0, (nv + 2) * sizeof *w.strung);

  number_rows(m, &w);
  string_late_leaders(m, &w);
  const limb_status status = collect_edges(m, &w, &edge_bytes);
  if (status == LIMB_OK) {
    build_tree(m, &w);
    set_depths(m);
    find_row_runs(m, w.ancestor);
    spread_loads(m, &w);
  }
  limb_free(&m->alloc, w.high, edge_bytes);
  limb_free(&m->alloc, block, bytes);
  return status;
}
