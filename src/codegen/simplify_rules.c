// Two rewritings that matching (value_match.c) does not find, because single steps do not pay.
//
// Sums of angles about parallel axes:
//
//   cos(a +- b) = ca cb -+ sa sb,    sin(a +- b) = sa cb +- ca sb
//
// Both are created and kept alive while one matching pass uses them where it can. Afterwards they live only if used,
// and the graph is restored unless it has become cheaper. A sum that was kept is an angle for further sums. No new
// sine is taken.
//
// Sums of multiples of sums of the same two values, expanded:
//
//   ka (u + v) + kb (u - v)  =  (ka + kb) u + (ka - kb) v
//
// This pays where the inner sums have hardly any other user. A moment of inertial forces is such a sum when it is
// computed from entries of U = [w'] + [w][w] that no other force of the link needs: this is Euler's equation.
#include "base/memory.h"
#include "base/numeric.h"
#include "codegen/simplify.h"

#include <math.h>
#include <string.h>

// ---- sums of angles ------------------------------------------------------------------------------------------------

enum { ANGLES_MAX = 24 };

typedef struct angle {
  uint32_t of; // the node that is the angle
  limb_edge s, c;
} angle;

typedef struct angles {
  int count;
  angle at[ANGLES_MAX];
  bool tried[ANGLES_MAX][ANGLES_MAX];
} angles;

static const limb_edge NOTHING = UINT32_MAX;

static void collect_angles(const value_graph* s, angles* t)
{
  for (uint32_t i = 0; i < s->norder; i++) {
    const uint32_t node = s->order[i];
    const value_node* c = &s->node[node];
    if (c->op != OP_SIN && c->op != OP_COS) continue;
    int k = 0;
    while (k < t->count && t->at[k].of != c->a) k++;
    if (k == ANGLES_MAX) continue;
    if (k == t->count) t->at[t->count++] = (angle){c->a, NOTHING, NOTHING};
    *(c->op == OP_SIN ? &t->at[k].s : &t->at[k].c) = node << 1;
  }
}

// The angle that an edge is the sine or cosine of; -1: none.
static int angle_of(const angles* t, limb_edge e)
{
  for (int k = 0; k < t->count; k++) {
    if (e >> 1 == t->at[k].s >> 1 || e >> 1 == t->at[k].c >> 1) return k;
  }
  return -1;
}

// The angle of a product with a sine or cosine, or of a sum with such a term; -1: none.
static int angle_within(const value_graph* s, const angles* t, limb_edge e)
{
  const value_node* c = &s->node[limb_values_find(s, e) >> 1];
  if (c->op != OP_MUL && c->op != OP_ADD) return -1;
  const limb_edge a = limb_values_find(s, c->a), b = limb_values_find(s, c->b);
  if (c->op == OP_MUL) {
    const int k = angle_of(t, a);
    return k >= 0 ? k : angle_of(t, b);
  }
  const value_node *x = &s->node[a >> 1], *y = &s->node[b >> 1];
  const int k = x->op == OP_MUL ? angle_within(s, t, a) : -1;
  return k >= 0 || y->op != OP_MUL ? k : angle_within(s, t, b);
}

// The next two angles that meet in some product and have not been tried.
static bool next_pair(const value_graph* s, angles* t, int* i, int* j)
{
  for (uint32_t n = 0; n < s->norder; n++) {
    const value_node* c = &s->node[s->order[n]];
    if (c->op != OP_MUL) continue;
    const limb_edge e[] = {limb_values_find(s, c->a), limb_values_find(s, c->b)};
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
static limb_edge two_products(value_graph* s, limb_edge x, limb_edge y, limb_edge z, limb_edge w)
{
  const uint32_t first = limb_values_new(s, OP_MUL, x, y);
  const uint32_t second = first == UINT32_MAX ? first : limb_values_new(s, OP_MUL, z, w);
  const uint32_t sum = second == UINT32_MAX ? second : limb_values_new(s, OP_ADD, first << 1, second << 1);
  return sum == UINT32_MAX ? NOTHING : sum << 1;
}

// The nodes of the graph before a trial.
typedef struct snapshot {
  value_node* node;
  uint32_t count;
} snapshot;

static bool copy_nodes(const value_graph* s, snapshot* to)
{
  to->count = s->count;
  to->node = limb_alloc(&s->alloc, s->count * sizeof *to->node);
  if (to->node) memcpy(to->node, s->node, s->count * sizeof *to->node);
  return to->node != NULL;
}

// Tries one sum or difference of two angles, and keeps it if it pays.
static bool try_angle(value_graph* s, angles* t, int i, int j, bool minus, const match_options* options)
{
  const angle a = t->at[i], b = t->at[j];
  const limb_edge bs = b.s ^ (limb_edge)minus;
  const long before = limb_values_cost(s);
  snapshot old;
  if (!copy_nodes(s, &old)) return false;
  const limb_edge c = two_products(s, a.c, b.c, a.s ^ 1U, bs);
  const limb_edge z = c == NOTHING ? c : two_products(s, a.s, b.c, a.c, bs);
  bool good = z != NOTHING;
  if (good) {
    long gain = 0;
    s->pinned[0] = c, s->pinned[1] = z, s->pins = 2;
    limb_values_add_use(s, c), limb_values_add_use(s, z);
    good = limb_values_sort(s, 0) && limb_values_match(s, options, &gain);
    limb_values_drop_use(s, c), limb_values_drop_use(s, z);
    s->pins = 0;
  }
  if (good && limb_values_cost(s) < before) {
    if (t->count < ANGLES_MAX) t->at[t->count++] = (angle){UINT32_MAX, z, c};
  } else {
    memcpy(s->node, old.node, old.count * sizeof *old.node);
    s->count = old.count;
  }
  limb_free(&s->alloc, old.node, old.count * sizeof *old.node);
  return good && limb_values_sort(s, 0);
}

bool limb_values_add_angles(value_graph* s, const match_options* options, int max_tries)
{
  angles t = {0};
  if (!limb_values_sort(s, 0)) return false;
  collect_angles(s, &t);
  int i = 0, j = 0;
  for (int k = 0; k + 1 < max_tries && next_pair(s, &t, &i, &j); k += 2) {
    if (!try_angle(s, &t, i, j, false, options) || !try_angle(s, &t, i, j, true, options)) return false;
  }
  return true;
}

// ---- sums of multiples of sums -------------------------------------------------------------------------------------

// A multiple of a sum.
typedef struct part {
  double k;
  limb_edge sum;
} part;

static part part_of(const value_graph* s, limb_edge e)
{
  const double sign = e & 1U ? -1 : 1;
  const value_node* c = &s->node[e >> 1];
  if (c->op != OP_MUL) return (part){sign, e & ~1U};
  const limb_edge a = limb_values_find(s, c->a), b = limb_values_find(s, c->b);
  if (s->node[a >> 1].op == OP_NUMBER) return (part){sign * (double)sample_of(s, a, 0), b};
  if (s->node[b >> 1].op == OP_NUMBER) return (part){sign * (double)sample_of(s, b, 0), a};
  return (part){sign, e & ~1U};
}

// Coefficients of the nodes u and v in a part; false when it is not made of these two.
static bool coefficients(const value_graph* s, part x, uint32_t u, uint32_t v, double k[2])
{
  const value_node* c = &s->node[x.sum >> 1];
  if (c->op != OP_ADD) return false;
  const double factor = x.sum & 1U ? -x.k : x.k;
  const limb_edge e[2] = {limb_values_find(s, c->a), limb_values_find(s, c->b)};
  const bool turned = e[0] >> 1 == v;
  if (e[turned] >> 1 != u || e[!turned] >> 1 != v) return false;
  k[0] = e[turned] & 1U ? -factor : factor;
  k[1] = e[!turned] & 1U ? -factor : factor;
  return true;
}

// The expanded form of a node: k[0] u + k[1] v.
typedef struct expansion {
  uint32_t u, v;
  double k[2];
} expansion;

static bool find_expansion(const value_graph* s, uint32_t n, expansion* out)
{
  const value_node* c = &s->node[n];
  if (c->op != OP_ADD) return false;
  const part x = part_of(s, limb_values_find(s, c->a)), y = part_of(s, limb_values_find(s, c->b));
  const value_node* sum = &s->node[x.sum >> 1];
  if (sum->op != OP_ADD || x.sum >> 1 == y.sum >> 1) return false;
  double kx[2], ky[2];
  out->u = limb_values_find(s, sum->a) >> 1, out->v = limb_values_find(s, sum->b) >> 1;
  if (out->u == out->v) return false;
  if (!coefficients(s, x, out->u, out->v, kx) || !coefficients(s, y, out->u, out->v, ky)) return false;
  for (int i = 0; i < 2; i++) {
    out->k[i] = kx[i] + ky[i];
    if (fabs(out->k[i]) <= 1e-9 * fabs(kx[i])) return false; // limb_values_match finds fewer operations
  }
  return true;
}

static long priced(value_graph* s, uint32_t n, const expansion* x)
{
  long more = s->add_cost;
  more += limb_values_try_use(s, x->u << 1) + limb_values_try_use(s, x->v << 1);
  for (int i = 0; i < 2; i++) more += fabs(x->k[i]) == 1 ? 0 : COST_MUL;
  const long less = limb_values_try_free(s, n);
  limb_values_undo(s);
  return less - more;
}

// k x and its error bound; constants carry rounding, too.
static void scaled(const value_node* x, double k, int sample, long double* value, double* error)
{
  *value = (long double)k * x->value[sample];
  *error = fabs(k) * x->error[sample];
  if (fabs(k) != 1) *error += 3 * fabs((double)*value);
}

// Whether the expanded form is as accurate as the node; its error bounds.
static bool is_accurate(const value_graph* s, uint32_t n, const expansion* x, double error[SAMPLES])
{
  long double value[SAMPLES];
  for (int i = 0; i < SAMPLES; i++) {
    long double u, v;
    double eu, ev;
    scaled(&s->node[x->u], x->k[0], i, &u, &eu);
    scaled(&s->node[x->v], x->k[1], i, &v, &ev);
    value[i] = u + v, error[i] = eu + ev + fabs((double)value[i]);
  }
  return limb_values_agree(&s->node[n], value, error);
}

// k x; UINT32_MAX when out of memory.
static limb_edge multiple(value_graph* s, double k, uint32_t x)
{
  const limb_edge sign = k < 0;
  if (fabs(k) == 1) return x << 1 | sign;
  const uint32_t number = limb_values_new_number(s, fabs(k));
  const uint32_t product = number == UINT32_MAX ? number : limb_values_new(s, OP_MUL, number << 1, x << 1);
  return product == UINT32_MAX ? product : product << 1 | sign;
}

// Gives the node its expanded form. false when out of memory.
static bool expand(value_graph* s, uint32_t n, const expansion* x, const double error[SAMPLES])
{
  const limb_edge a = multiple(s, x->k[0], x->u), b = multiple(s, x->k[1], x->v);
  if (a == UINT32_MAX || b == UINT32_MAX) return false;
  limb_values_set_operation(s, n, OP_ADD, a, b);
  memcpy(s->node[n].error, error, sizeof s->node[n].error);
  return true;
}

bool limb_values_expand_sums(value_graph* s, uint64_t seed, long* gain)
{
  for (uint32_t i = 0; i < s->norder; i++) {
    const uint32_t n = s->order[i];
    expansion x;
    double error[SAMPLES];
    if (s->node[n].uses == 0 || s->node[n].same != n << 1 || !find_expansion(s, n, &x)) continue;
    const long saved = priced(s, n, &x);
    const bool heads = seed && (limb_mixed_bits(seed + n) & 1U);
    if (saved < 0 || (saved == 0 && !heads) || !is_accurate(s, n, &x, error)) continue;
    if (!expand(s, n, &x, error)) return false;
    *gain += saved;
  }
  return true;
}
