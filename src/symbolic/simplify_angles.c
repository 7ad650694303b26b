// Sums of angles about parallel axes: one exchange alone does not pay, all together may.
//
//   cos(a +- b) = ca cb -+ sa sb,    sin(a +- b) = sa cb +- ca sb
//
// Both are made and kept alive while one run over the net exchanges what it can for them; then they live only
// if used, and everything is as before unless the net has become cheaper. A sum that was kept is an angle for
// further sums. No new sine is taken.
#include "symbolic/simplify_angles.h"

#include "base/memory.h"

#include <string.h>

enum { ANGLES = 24 };

typedef struct angle {
  uint32_t of; // the cell whose sine and cosine they are
  limb_edge s, c;
} angle;

typedef struct angles {
  int count;
  angle at[ANGLES];
  bool tried[ANGLES][ANGLES];
} angles;

static const limb_edge NOTHING = UINT32_MAX;

static void collect(const net* s, angles* t)
{
  for (uint32_t i = 0; i < s->ordered; i++) {
    const uint32_t cell = s->order[i];
    const net_cell* c = &s->cell[cell];
    if (c->op != OP_SIN && c->op != OP_COS) continue;
    int k = 0;
    while (k < t->count && t->at[k].of != c->a) k++;
    if (k == ANGLES) continue;
    if (k == t->count) t->at[t->count++] = (angle){c->a, NOTHING, NOTHING};
    *(c->op == OP_SIN ? &t->at[k].s : &t->at[k].c) = cell << 1;
  }
}

// Which angle an edge is sine or cosine of; -1: none.
static int angle_of(const angles* t, limb_edge e)
{
  for (int k = 0; k < t->count; k++) {
    if (e >> 1 == t->at[k].s >> 1 || e >> 1 == t->at[k].c >> 1) return k;
  }
  return -1;
}

// The angle of a product with a sine or cosine, or of a term of a sum that is one.
static int angle_within(const net* s, const angles* t, limb_edge e)
{
  const net_cell* c = &s->cell[net_edge(s, e) >> 1];
  if (c->op != OP_MUL && c->op != OP_ADD) return -1;
  const limb_edge a = net_edge(s, c->a), b = net_edge(s, c->b);
  if (c->op == OP_MUL) {
    const int k = angle_of(t, a);
    return k >= 0 ? k : angle_of(t, b);
  }
  const net_cell *x = &s->cell[a >> 1], *y = &s->cell[b >> 1];
  const int k = x->op == OP_MUL ? angle_within(s, t, a) : -1;
  return k >= 0 || y->op != OP_MUL ? k : angle_within(s, t, b);
}

// Two angles that meet in some product and have not been tried.
static bool next_pair(const net* s, angles* t, int* i, int* j)
{
  for (uint32_t n = 0; n < s->ordered; n++) {
    const net_cell* c = &s->cell[s->order[n]];
    if (c->op != OP_MUL) continue;
    const limb_edge e[] = {net_edge(s, c->a), net_edge(s, c->b)};
    for (int k = 0; k < 2; k++) {
      const int x = angle_of(t, e[k]);
      const int direct = angle_of(t, e[1 - k]);
      const int y = x < 0 || direct >= 0 ? direct : angle_within(s, t, e[1 - k]);
      if (x < 0 || y < 0 || x == y || t->tried[x][y]) continue;
      t->tried[x][y] = t->tried[y][x] = true;
      *i = x, *j = y;
      if (t->at[x].s != NOTHING && t->at[x].c != NOTHING && t->at[y].s != NOTHING && t->at[y].c != NOTHING) return true;
    }
  }
  return false;
}

// x y +- z w; NOTHING when out of memory.
static limb_edge two_products(net* s, limb_edge x, limb_edge y, limb_edge z, limb_edge w)
{
  const uint32_t first = limb_net_new(s, OP_MUL, x, y);
  const uint32_t second = first == UINT32_MAX ? first : limb_net_new(s, OP_MUL, z, w);
  const uint32_t sum = second == UINT32_MAX ? second : limb_net_new(s, OP_ADD, first << 1, second << 1);
  return sum == UINT32_MAX ? NOTHING : sum << 1;
}

// The net as it was: its cells.
typedef struct copy {
  net_cell* cell;
  uint32_t count;
} copy;

static bool copy_cells(const net* s, copy* to)
{
  to->count = s->count;
  to->cell = limb_alloc(&s->alloc, s->count * sizeof *to->cell);
  if (to->cell) memcpy(to->cell, s->cell, s->count * sizeof *to->cell);
  return to->cell != NULL;
}

// One sum or difference, and whether it stays.
static bool offer(net* s, angles* t, int i, int j, bool minus, const net_match_options* options)
{
  const angle a = t->at[i], b = t->at[j];
  const limb_edge bs = b.s ^ (limb_edge)minus;
  const long before = limb_net_cost(s);
  copy old;
  if (!copy_cells(s, &old)) return false;
  const limb_edge c = two_products(s, a.c, b.c, a.s ^ 1U, bs);
  const limb_edge z = c == NOTHING ? c : two_products(s, a.s, b.c, a.c, bs);
  bool good = z != NOTHING;
  if (good) {
    long gain = 0;
    s->pinned[0] = c, s->pinned[1] = z, s->pins = 2;
    limb_net_take(s, c), limb_net_take(s, z);
    good = limb_net_sort(s, 0) && limb_net_match(s, options, &gain);
    limb_net_drop(s, c), limb_net_drop(s, z);
    s->pins = 0;
  }
  if (good && limb_net_cost(s) < before) {
    if (t->count < ANGLES) t->at[t->count++] = (angle){UINT32_MAX, z, c};
  } else {
    memcpy(s->cell, old.cell, old.count * sizeof *old.cell);
    s->count = old.count;
  }
  limb_free(&s->alloc, old.cell, old.count * sizeof *old.cell);
  return good && limb_net_sort(s, 0);
}

bool limb_net_add_angles(net* s, const net_match_options* options, int tries)
{
  angles t = {0};
  if (!limb_net_sort(s, 0)) return false;
  collect(s, &t);
  int i = 0, j = 0;
  for (int k = 0; k + 1 < tries && next_pair(s, &t, &i, &j); k += 2) {
    if (!offer(s, &t, i, j, false, options) || !offer(s, &t, i, j, true, options)) return false;
  }
  return true;
}
