// Matching by value numbers: a node that has the value of something cheaper, made of earlier nodes, becomes that.
//
//   n = c + k t,   n = c k t,   n = k t,   with t one of   a,  a + b,  a - b,  a b
//
// where c, a, b are earlier nodes and k is a number (most often 1 or -1). The ratio of the values in two samples does
// not depend on k. A hash table of all t, keyed by that ratio, finds which t fits n, n - c, n + c or n / c.
// Candidates are compared in all samples, priced by the operations that would become dead, and taken if cheaper.
#include "base/memory.h"
#include "codegen/simplify.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  DROPPED_BITS = 17, // low bits of a ratio that are not part of its key
  ENTRIES_MAX = 8    // entries with the same key
};

typedef enum pair_kind { PAIR_ONE, PAIR_SUM, PAIR_DIFFERENCE, PAIR_PRODUCT } pair_kind;

typedef struct pair {
  uint32_t key;  // 0: free
  uint16_t a, b; // indices in the window; b is 4 index + kind
} pair;

// A node in the window, and its first two sample values.
typedef struct member {
  double x0, x1;
  uint32_t node;
  bool number;
} member;

typedef struct matcher {
  value_graph* values;
  pair* table;
  uint32_t slots;
  member* member; // the window
  uint32_t members, window;
  bool failed;
  uint64_t seed;
  bool numbers;
} matcher;

// A candidate for a node: c outer (k (a inner b)).
typedef struct form {
  uint32_t outer; // OP_ADD, OP_MUL, or OP_NUMBER: no c
  limb_edge c;
  double k, k_error; // error of k in units of 2^-53
  pair_kind kind;
  uint32_t a, b;
} form;

// ---- the table -----------------------------------------------------------------------------------------------------

static uint64_t bits_of(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static uint64_t mixed(uint64_t z)
{
  z *= 0x9e3779b97f4a7c15U;
  return z ^ z >> 32;
}

static void clear(matcher* m)
{
  memset(m->table, 0, m->slots * sizeof *m->table);
  m->members = 0;
}

static void enter(matcher* m, double v0, double v1, uint32_t a, uint32_t b, pair_kind kind)
{
  const double ratio = v1 / v0;
  if (!(fabs(ratio) > 1e-30 && fabs(ratio) < 1e30)) return;
  const uint64_t h = mixed(bits_of(ratio) >> DROPPED_BITS);
  const uint32_t key = (uint32_t)(h >> 32) | 1U;
  uint32_t at = (uint32_t)h & (m->slots - 1);
  for (int same = 0; m->table[at].key; at = (at + 1) & (m->slots - 1)) {
    if (m->table[at].key == key && ++same >= ENTRIES_MAX) return;
  }
  m->table[at] = (pair){key, (uint16_t)a, (uint16_t)(b << 2 | (uint32_t)kind)};
}

// Enters all combinations of a node with the nodes of the window.
static void enter_node(matcher* m, uint32_t n)
{
  const value_node* c = &m->values->node[n];
  const member x = {(double)c->value[0], (double)c->value[1], n, c->op == OP_NUMBER};
  if (!(fabs(x.x0) > 1e-30 && fabs(x.x0) < 1e30 && fabs(x.x1) > 1e-30 && fabs(x.x1) < 1e30)) return;
  const uint32_t at = m->members++;
  m->member[at] = x;
  enter(m, x.x0, x.x1, at, at, PAIR_ONE);
  for (uint32_t i = 0; i < at; i++) {
    const member y = m->member[i];
    if (x.number && y.number) continue;
    enter(m, x.x0 + y.x0, x.x1 + y.x1, at, i, PAIR_SUM);
    enter(m, x.x0 - y.x0, x.x1 - y.x1, at, i, PAIR_DIFFERENCE);
    if (!x.number && !y.number) enter(m, x.x0 * y.x0, x.x1 * y.x1, at, i, PAIR_PRODUCT);
  }
  if (!x.number) enter(m, x.x0 * x.x0, x.x1 * x.x1, at, at, PAIR_PRODUCT);
}

// Drops the older half of the window when it is full.
static void move_window(matcher* m)
{
  const uint32_t keep = m->window / 2, from = m->members - keep;
  clear(m);
  for (uint32_t i = 0; i < keep; i++) enter_node(m, m->member[from + i].node);
}

// ---- forms ---------------------------------------------------------------------------------------------------------

// y becomes x op y, with its error bound.
static void combine(uint32_t op, const long double* x, const double* ex, long double* y, double* ey)
{
  for (int i = 0; i < SAMPLES; i++) {
    if (op == OP_ADD) {
      y[i] += x[i], ey[i] += ex[i] + fabs((double)y[i]);
    } else {
      ey[i] = ey[i] * fabs((double)x[i]) + fabs((double)y[i]) * ex[i];
      y[i] *= x[i], ey[i] += fabs((double)y[i]);
    }
  }
}

static uint32_t inner_op(const form* f) { return f->kind == PAIR_PRODUCT ? OP_MUL : OP_ADD; }

static void inner_value(const value_graph* s, const form* f, long double* value, double* error)
{
  const value_node* a = &s->node[f->a];
  if (f->kind == PAIR_ONE) {
    memcpy(value, a->value, sizeof a->value), memcpy(error, a->error, sizeof a->error);
    return;
  }
  const limb_edge b = f->b << 1 | (f->kind == PAIR_DIFFERENCE);
  limb_values_operate(s, inner_op(f), f->a << 1, b, value, error);
}

// Whether the form agrees with the node in all samples, and is as accurate.
static bool holds(const value_graph* s, uint32_t n, const form* f)
{
  long double value[SAMPLES];
  double error[SAMPLES];
  inner_value(s, f, value, error);
  if (fabs(f->k) != 1) {
    long double k[SAMPLES];
    double ek[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) k[i] = (long double)f->k, ek[i] = f->k_error;
    combine(OP_MUL, k, ek, value, error);
  } else {
    for (int i = 0; i < SAMPLES; i++) value[i] *= (long double)f->k;
  }
  if (f->outer != OP_NUMBER) {
    const value_node* c = &s->node[f->c >> 1];
    long double x[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) x[i] = sample_of(s, f->c, i);
    combine(f->outer, x, c->error, value, error);
  }
  return limb_values_agree(&s->node[n], value, error);
}

static long cost_of(value_graph* s, uint32_t n)
{
  const long cost = limb_values_try_free(s, n);
  limb_values_undo(s);
  return cost;
}

// Cost saved if n took this form.
static long priced(value_graph* s, uint32_t n, const form* f)
{
  long more = limb_values_try_use(s, f->a << 1);
  if (f->kind != PAIR_ONE) more += limb_values_try_use(s, f->b << 1) + op_cost(s, inner_op(f));
  if (f->outer != OP_NUMBER) more += limb_values_try_use(s, f->c) + op_cost(s, f->outer);
  if (fabs(f->k) != 1) more += COST_MUL;
  const long less = limb_values_try_free(s, n);
  limb_values_undo(s);
  return less - more;
}

// ---- exchange ------------------------------------------------------------------------------------------------------

static limb_edge new_operation(matcher* m, uint32_t op, limb_edge a, limb_edge b)
{
  const uint32_t at = limb_values_new(m->values, op, a, b);
  if (at == UINT32_MAX) {
    m->failed = true;
    return EDGE_ZERO;
  }
  return at << 1;
}

// Lets another node represent n: one value number.
static void replace(value_graph* s, uint32_t n, limb_edge by)
{
  const uint32_t uses = s->node[n].uses;
  limb_values_add_use(s, by);
  s->node[by >> 1].uses += uses - 1;
  const value_node old = s->node[n];
  s->node[n].uses = 0;
  limb_values_drop_use(s, old.a);
  if (limb_op_binary(old.op)) limb_values_drop_use(s, old.b);
  s->node[n].same = by;
}

static void exchange(matcher* m, uint32_t n, const form* f)
{
  value_graph* s = m->values;
  limb_edge sign = f->k < 0;
  const double k = fabs(f->k);
  const limb_edge b = f->b << 1 | (f->kind == PAIR_DIFFERENCE);
  const uint32_t inner = inner_op(f);
  const bool pure = f->kind == PAIR_ONE;
  if (f->outer == OP_NUMBER && k == 1) {
    if (pure) {
      replace(s, n, f->a << 1 | sign);
    } else if (inner == OP_ADD) {
      limb_values_set_operation(s, n, OP_ADD, f->a << 1 ^ sign, b ^ sign);
    } else {
      limb_values_set_operation(s, n, OP_MUL, f->a << 1 ^ sign, b);
    }
    return;
  }
  limb_edge t = pure ? f->a << 1 : new_operation(m, inner, f->a << 1, b);
  if (k != 1) {
    const uint32_t number = limb_values_new_number(s, k);
    m->failed = m->failed || number == UINT32_MAX;
    if (m->failed) return;
    if (f->outer == OP_NUMBER) {
      limb_values_set_operation(s, n, OP_MUL, number << 1, t ^ sign);
      return;
    }
    t = new_operation(m, OP_MUL, number << 1, t);
  }
  if (!m->failed) limb_values_set_operation(s, n, f->outer, f->c, t ^ sign);
}

// ---- search --------------------------------------------------------------------------------------------------------

typedef struct search {
  uint32_t n;
  long gain;
  uint32_t ties;
  form best;
} search;

// Whether the node has this operation already.
static bool is_same_operation(const value_graph* s, uint32_t n, const form* f)
{
  const value_node* c = &s->node[n];
  if (f->outer != OP_NUMBER || f->kind == PAIR_ONE) return false;
  const uint32_t x = c->a >> 1, y = c->b >> 1;
  return (f->a == x && f->b == y) || (f->a == y && f->b == x);
}

static bool keep_tie(matcher* m, search* r)
{
  m->seed = mixed(m->seed + 0x9e3779b97f4a7c15U);
  return m->seed % ++r->ties == 0;
}

// The factor k with n = c outer (k t), from the sample that determines it best.
static void find_factor(const value_graph* s, uint32_t n, form* f)
{
  const value_node *x = &s->node[n], *c = &s->node[f->c >> 1];
  long double value[SAMPLES];
  double error[SAMPLES], best = HUGE_VAL;
  inner_value(s, f, value, error);
  for (int i = 0; i < SAMPLES; i++) {
    long double left = x->value[i];
    double unsure = x->error[i];
    if (f->outer == OP_ADD) left -= sample_of(s, f->c, i), unsure += c->error[i];
    unsure /= fabs((double)left);
    if (f->outer == OP_MUL) left /= sample_of(s, f->c, i), unsure += c->error[i] / fabs((double)c->value[i]);
    unsure += error[i] / fabs((double)value[i]);
    if (!(unsure < best)) continue;
    best = unsure;
    f->k = (double)(left / value[i]);
  }
  f->k_error = (2 + best * (double)LDBL_EPSILON / DBL_EPSILON) * fabs(f->k);
  if (fabs(fabs(f->k) - 1) < 1e-9) f->k = f->k < 0 ? -1 : 1;
}

// Whether a form divides by something that the node does not divide by.
static bool divides_by_more(const value_graph* s, uint32_t n, const form* f)
{
  uint64_t by = s->node[f->a].divisors | s->node[f->b].divisors;
  if (f->outer != OP_NUMBER) by |= s->node[f->c >> 1].divisors;
  return (by & ~s->node[n].divisors) != 0;
}

// Keeps a form if it is the cheapest so far; at equal cost, where that is allowed, at random.
static void consider(matcher* m, search* r, form f)
{
  if (limb_values_find(m->values, f.a << 1) != f.a << 1 || limb_values_find(m->values, f.b << 1) != f.b << 1) return;
  if (divides_by_more(m->values, r->n, &f)) return;
  find_factor(m->values, r->n, &f);
  if (!holds(m->values, r->n, &f)) return;
  const long gain = priced(m->values, r->n, &f);
  if (gain > r->gain) r->gain = gain, r->best = f, r->ties = 0;
  if (m->seed && gain == 0 && r->gain == 0 && (m->numbers || fabs(f.k) == 1) &&
      !is_same_operation(m->values, r->n, &f) && keep_tie(m, r))
    r->best = f;
}

// Considers all t of the table that fit the remainder of n beside c in two samples.
static void look_up(matcher* m, search* r, uint32_t outer, limb_edge c, double v0, double v1)
{
  const double ratio = v1 / v0;
  if (!(fabs(ratio) > 1e-30 && fabs(ratio) < 1e30)) return;
  const uint64_t bits = bits_of(ratio), edge = 1U << 8;
  const uint64_t low = bits & ((1U << DROPPED_BITS) - 1);
  const int keys = low < edge || low > (1U << DROPPED_BITS) - edge ? 2 : 1;
  for (int key_turn = 0; key_turn < keys; key_turn++) {
    const uint64_t near = (bits >> DROPPED_BITS) + (key_turn == 0 ? 0 : low < edge ? UINT64_MAX : 1);
    const uint64_t h = mixed(near);
    const uint32_t key = (uint32_t)(h >> 32) | 1U;
    for (uint32_t at = (uint32_t)h & (m->slots - 1); m->table[at].key; at = (at + 1) & (m->slots - 1)) {
      const pair p = m->table[at];
      if (p.key != key) continue;
      consider(m, r, (form){outer, c, 1, 0, (pair_kind)(p.b & 3U), m->member[p.a].node, m->member[p.b >> 2].node});
    }
  }
}

static void match_node(matcher* m, uint32_t n, long* gain)
{
  value_graph* s = m->values;
  search r = {.n = n};
  const long own = cost_of(s, n);
  const double v[] = {(double)s->node[n].value[0], (double)s->node[n].value[1]};
  look_up(m, &r, OP_NUMBER, 0, v[0], v[1]);
  for (uint32_t i = 0; own + (m->seed != 0) > 2 * COST_MUL + r.gain && i < m->members; i++) {
    const member x = m->member[i];
    const uint32_t c = x.node;
    if (s->node[c].same != c << 1) continue;
    look_up(m, &r, OP_ADD, c << 1, v[0] - x.x0, v[1] - x.x1);
    look_up(m, &r, OP_ADD, c << 1 | 1, v[0] + x.x0, v[1] + x.x1);
    if (!x.number) look_up(m, &r, OP_MUL, c << 1, v[0] / x.x0, v[1] / x.x1);
  }
  if (r.gain <= 0 && r.ties < 1) return;
  exchange(m, n, &r.best);
  *gain += r.gain;
}

// Whether a sum cancels to zero in all samples.
static bool cancels(const value_graph* s, const value_node* c)
{
  for (int i = 0; i < SAMPLES; i++) {
    const double part = fabs((double)sample_of(s, c->a, i));
    if (c->op != OP_ADD || !(fabs((double)c->value[i]) <= LIMB_VALUES_SAME * part)) return false;
  }
  return true;
}

// Constant folding: a node with the same value in all samples is a number.
static bool fold_constant(matcher* m, uint32_t n, long* gain)
{
  value_graph* s = m->values;
  const value_node* c = &s->node[n];
  const double x = (double)c->value[0];
  const bool zero = cancels(s, c);
  for (int i = 0; i < SAMPLES && !zero; i++) {
    if (!limb_values_equal(c->value[i], (long double)x, c->error[i])) return false;
  }
  const long own = cost_of(s, n);
  const uint32_t number = limb_values_new_number(s, zero ? 0 : x);
  m->failed = number == UINT32_MAX;
  if (!m->failed) replace(s, n, number << 1), *gain += own;
  return true;
}

// Replaces operands by their representatives, and updates the error bound.
static void update_node(value_graph* s, uint32_t n)
{
  value_node* c = &s->node[n];
  if (limb_op_leaf(c->op)) return;
  c->a = limb_values_find(s, c->a);
  if (!limb_op_binary(c->op)) return;
  c->b = limb_values_find(s, c->b);
  long double value[SAMPLES];
  limb_values_operate(s, c->op, c->a, c->b, value, c->error);
}

static bool prepare(matcher* m)
{
  const uint64_t pairs = (uint64_t)m->window * m->window * 3 / 2 + 64;
  for (m->slots = 1024; m->slots < pairs * 5 / 2; m->slots *= 2) continue;
  m->table = limb_alloc(&m->values->alloc, m->slots * sizeof *m->table);
  m->member = limb_alloc(&m->values->alloc, (m->window + 4) * sizeof *m->member);
  if (!m->table || !m->member) return false;
  clear(m);
  return true;
}

bool limb_values_match(value_graph* s, const match_options* options, long* gain)
{
  matcher m = {.values = s, .seed = options->seed, .numbers = options->numbers};
  const uint32_t all = 2 * s->norder + 16; // including nodes created in this pass
  m.window = options->window < all ? options->window : all;
  const bool good = prepare(&m);
  for (uint32_t i = 0; good && !m.failed && i < s->norder; i++) {
    const uint32_t n = s->order[i], before = s->count;
    if (s->node[n].uses == 0 || s->node[n].same != n << 1) continue;
    update_node(s, n);
    if (limb_op_binary(s->node[n].op) && !fold_constant(&m, n, gain)) match_node(&m, n, gain);
    update_node(s, n);
    for (uint32_t t = before; t <= s->count; t++) {
      const uint32_t x = t < s->count ? t : n;
      if (s->node[x].same != x << 1) continue;
      if (m.members >= m.window) move_window(&m);
      enter_node(&m, x);
    }
  }
  limb_free(&s->alloc, m.table, m.slots * sizeof *m.table);
  limb_free(&s->alloc, m.member, (m.window + 4) * sizeof *m.member);
  return good && !m.failed;
}
