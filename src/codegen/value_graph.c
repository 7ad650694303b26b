// The value graph (simplify.h): loading and storing, samples, uses, orders.
#include "base/memory.h"
#include "base/numeric.h"
#include "codegen/program.h"
#include "codegen/simplify.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SPREAD = 12 };

static const uint32_t NONE = UINT32_MAX;

// ---- samples -------------------------------------------------------------------------------------------------------

// A random number from a key, in +-[0.25, 2], so that none is near zero. In the last sample magnitudes differ by up
// to 2^14: no value is negligible beside another in all samples.
static long double random_sample(uint64_t what, int sample)
{
  const uint64_t z =
    limb_mixed_bits(what * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)(sample + 1) * UINT64_C(0xd1b54a32d192ed03));
  const double x = 0.25 + 1.75 * limb_unit_number(z);
  const double size = sample == SAMPLES - 1 ? ldexp(1, (int)((z >> 1) % SPREAD) - SPREAD / 2) : 1;
  return (long double)(z & 1U ? -x * size : x * size);
}

void limb_values_operate(const value_graph* s, uint32_t op, limb_edge a, limb_edge b, long double* value, double* error)
{
  const value_node *p = &s->node[a >> 1], *r = &s->node[b >> 1];
  for (int i = 0; i < SAMPLES; i++) {
    const long double x = sample_of(s, a, i), y = sample_of(s, b, i);
    const long double z = op == OP_ADD ? x + y : op == OP_MUL ? x * y : x / y;
    const double ax = fabs((double)x), ay = fabs((double)y), az = fabs((double)z);
    value[i] = z;
    if (op == OP_ADD)
      error[i] = p->error[i] + r->error[i] + az;
    else if (op == OP_MUL)
      error[i] = ay * p->error[i] + ax * r->error[i] + az;
    else
      error[i] = (p->error[i] + az * r->error[i]) / ay + az;
  }
}

static void sample(const value_graph* s, value_node* c)
{
  for (int i = 0; i < SAMPLES; i++) {
    long double x = 0;
    double e = 0;
    switch (c->op) {
    case OP_NUMBER: break;                                                  // set_number
    case OP_SYMBOL: x = random_sample(c->a, i), e = fabs((double)x); break; // inputs carry rounding, too
    case OP_SIN:
    case OP_COS: {
      const long double angle = sample_of(s, c->a, i);
      x = c->op == OP_SIN ? sinl(angle) : cosl(angle);
      e = s->node[c->a >> 1].error[i] + fabs((double)x);
      break;
    }
    default: x = random_sample((uint64_t)c->op << 32 | c->a, i), e = fabs((double)x);
    }
    c->value[i] = x, c->error[i] = e;
  }
}

// ---- nodes ---------------------------------------------------------------------------------------------------------

static size_t stack_size(uint32_t nodes) { return ((size_t)nodes * 2 + 2) * sizeof(uint32_t); }

static bool grow(value_graph* s)
{
  const uint32_t more = s->capacity + s->capacity / 2 + 256;
  value_node* node = limb_alloc(&s->alloc, more * sizeof *node);
  uint32_t* stack = limb_alloc(&s->alloc, stack_size(more));
  const bool good = node && stack;
  if (good && s->count) memcpy(node, s->node, s->count * sizeof *node);
  limb_free(&s->alloc, good ? s->node : node, (good ? s->capacity : more) * sizeof *node);
  limb_free(&s->alloc, good ? s->stack : stack, stack_size(good ? s->capacity : more));
  if (good) s->node = node, s->stack = stack, s->capacity = more;
  return good;
}

static uint32_t new_node(value_graph* s)
{
  if (s->count == s->capacity && !grow(s)) return NONE;
  s->node[s->count] = (value_node){.same = s->count << 1};
  return s->count++;
}

uint32_t limb_values_new(value_graph* s, uint32_t op, limb_edge a, limb_edge b)
{
  const uint32_t at = new_node(s);
  if (at == NONE) return at;
  value_node* c = &s->node[at];
  c->op = op, c->a = a, c->b = b;
  c->divisors = s->node[a >> 1].divisors | s->node[b >> 1].divisors;
  limb_values_operate(s, op, a, b, c->value, c->error);
  for (int i = 0; i < SAMPLES; i++) c->allowed[i] = 2 * c->error[i];
  return at;
}

static void set_number(value_node* c, double x)
{
  for (int i = 0; i < SAMPLES; i++)
    c->value[i] = (long double)x, c->error[i] = 2 * fabs(x), c->allowed[i] = 4 * fabs(x);
}

uint32_t limb_values_new_number(value_graph* s, double x)
{
  const uint32_t at = new_node(s);
  if (at == NONE) return at;
  value_node* c = &s->node[at];
  c->op = OP_NUMBER;
  set_number(c, x);
  return at;
}

static void load_node(value_graph* s, uint32_t at, uint32_t node, const uint32_t* index)
{
  value_node* c = &s->node[at];
  const limb_node x = *limb_graph_node(s->g, node);
  c->op = x.op;
  if (limb_op_leaf(x.op)) {
    c->a = x.op == OP_SYMBOL ? x.a : 0;
    sample(s, c);
    if (x.op == OP_NUMBER) set_number(c, limb_graph_number(s->g, node));
    return;
  }
  c->a = index[limb_edge_node(x.a)] << 1 | (x.a & 1U);
  c->divisors = s->node[c->a >> 1].divisors;
  if (limb_op_binary(x.op)) {
    c->b = index[limb_edge_node(x.b)] << 1 | (x.b & 1U);
    c->divisors |= s->node[c->b >> 1].divisors;
    if (x.op == OP_DIV) c->divisors |= UINT64_C(1) << (limb_mixed_bits(c->b >> 1) & 63U);
    limb_values_operate(s, x.op, c->a, c->b, c->value, c->error);
  } else {
    sample(s, c);
  }
  for (int i = 0; i < SAMPLES; i++) c->allowed[i] = 2 * c->error[i];
}

bool limb_values_load(value_graph* s, limb_graph* g, const limb_edge* out, size_t n)
{
  const uint32_t count = limb_graph_count(g);
  *s = (value_graph){.g = g, .alloc = *limb_graph_allocator(g), .outputs = n, .add_cost = COST_MUL};
  unsigned char* live = limb_alloc(&s->alloc, count);
  uint32_t* index = limb_alloc(&s->alloc, count * sizeof *index);
  s->out = limb_alloc(&s->alloc, n * sizeof *s->out);
  bool good = live && index && s->out;
  if (good) limb_mark_live(g, out, n, live, count);
  for (uint32_t i = 0; good && i < count; i++) {
    if (!live[i]) continue;
    index[i] = new_node(s);
    good = index[i] != NONE;
    if (good) load_node(s, index[i], i, index);
  }
  for (size_t i = 0; good && i < n; i++) {
    s->out[i] = index[limb_edge_node(out[i])] << 1 | (out[i] & 1U);
    limb_values_add_use(s, s->out[i]);
  }
  limb_free(&s->alloc, live, count);
  limb_free(&s->alloc, index, count * sizeof *index);
  if (!good) limb_values_free(s);
  return good;
}

void limb_values_free(value_graph* s)
{
  limb_free(&s->alloc, s->node, s->capacity * sizeof *s->node);
  limb_free(&s->alloc, s->stack, stack_size(s->capacity));
  limb_free(&s->alloc, s->out, s->outputs * sizeof *s->out);
  limb_free(&s->alloc, s->order, s->order_capacity * sizeof *s->order);
  limb_free(&s->alloc, s->seen, s->order_capacity);
}

// ---- equality ------------------------------------------------------------------------------------------------------

enum { SLACK = 4 }; // factor on the bound of the rounding error

bool limb_values_equal(long double x, long double y, double error)
{
  const double apart = (double)fabsl(x - y);
  return apart <= SLACK * DBL_EPSILON * error && apart <= LIMB_VALUES_SAME * fabs((double)y);
}

bool limb_values_agree(const value_node* n, const long double* value, const double* error)
{
  for (int i = 0; i < SAMPLES; i++) {
    if (!limb_values_equal(value[i], n->value[i], n->error[i] + error[i])) return false;
    if (!(error[i] <= n->allowed[i])) return false;
  }
  return true;
}

// ---- uses ----------------------------------------------------------------------------------------------------------

// Adds or removes a use of an edge, and follows what becomes live or dead by it; returns its cost. on_trial: uses are
// noted for limb_values_undo, at most UNDO_MAX of them.
static inline long walk_uses(value_graph* s, limb_edge e, bool more, bool on_trial)
{
  long cost = 0;
  uint32_t depth = 0;
  s->stack[depth++] = limb_values_find(s, e) >> 1;
  while (depth) {
    if (on_trial && s->nundo == UNDO_MAX) return more ? UNDO_MAX * COST_DIV : cost;
    const uint32_t at = s->stack[--depth];
    value_node* c = &s->node[at];
    if (on_trial) s->undo[s->nundo++] = at << 1 | more;
    if (more ? c->uses++ : --c->uses) continue;
    cost += op_cost(s, c->op);
    const int n = limb_operands((limb_op)c->op);
    if (n > 0) s->stack[depth++] = limb_values_find(s, c->a) >> 1;
    if (n > 1) s->stack[depth++] = limb_values_find(s, c->b) >> 1;
  }
  return cost;
}

void limb_values_add_use(value_graph* s, limb_edge e) { (void)walk_uses(s, e, true, false); }
void limb_values_drop_use(value_graph* s, limb_edge e) { (void)walk_uses(s, e, false, false); }
long limb_values_try_use(value_graph* s, limb_edge e) { return walk_uses(s, e, true, true); }
long limb_values_try_drop(value_graph* s, limb_edge e) { return walk_uses(s, e, false, true); }

long limb_values_try_free(value_graph* s, uint32_t n)
{
  const value_node* c = &s->node[n];
  const limb_edge a = c->a, b = c->b;
  const bool two = limb_op_binary(c->op);
  long cost = op_cost(s, c->op) + limb_values_try_drop(s, a);
  if (two) cost += limb_values_try_drop(s, b);
  return cost;
}

void limb_values_undo(value_graph* s)
{
  for (uint32_t i = 0; i < s->nundo; i++) s->node[s->undo[i] >> 1].uses += s->undo[i] & 1U ? -1U : 1U;
  s->nundo = 0;
}

void limb_values_set_operation(value_graph* s, uint32_t n, uint32_t op, limb_edge a, limb_edge b)
{
  const value_node old = s->node[n];
  limb_values_add_use(s, a), limb_values_add_use(s, b);
  value_node* c = &s->node[n];
  c->op = op, c->a = a, c->b = b;
  limb_values_drop_use(s, old.a);
  if (limb_op_binary(old.op)) limb_values_drop_use(s, old.b);
}

long limb_values_cost(const value_graph* s)
{
  long cost = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const uint32_t op = s->node[i].op;
    if (s->node[i].uses) cost += op == OP_ADD ? COST_MUL : op_cost(s, op);
  }
  return cost;
}

// ---- order ---------------------------------------------------------------------------------------------------------

// Whether the second operand of a node comes before the first.
static bool operands_swapped(uint32_t node, uint32_t variant)
{
  return variant && (node * 0x9e3779b1U ^ variant * 0x85ebca6bU) * 0xc2b2ae35U >> 31;
}

// Appends the nodes that an edge needs and that are not in the order yet. A node waits on the stack until its
// operands are done.
static void sort_below(value_graph* s, limb_edge e, uint32_t variant)
{
  uint32_t depth = 0;
  s->stack[depth++] = limb_values_find(s, e) >> 1;
  while (depth) {
    const uint32_t at = s->stack[depth - 1];
    const value_node* c = &s->node[at];
    const int n = limb_operands((limb_op)c->op);
    uint32_t first = n > 0 ? limb_values_find(s, c->a) >> 1 : at, second = n > 1 ? limb_values_find(s, c->b) >> 1 : at;
    if (n > 1 && operands_swapped(at, variant)) {
      const uint32_t third = first;
      first = second, second = third;
    }
    if (s->seen[at] == 0) {
      s->seen[at] = 1;
      if (n > 1 && !s->seen[second]) s->stack[depth++] = second;
      if (n > 0 && !s->seen[first]) s->stack[depth++] = first;
    } else {
      depth--;
      if (s->seen[at] == 1) s->seen[at] = 2, s->order[s->norder++] = at;
    }
  }
}

bool limb_values_sort(value_graph* s, uint32_t variant)
{
  if (s->order_capacity < s->count) {
    limb_free(&s->alloc, s->order, s->order_capacity * sizeof *s->order);
    limb_free(&s->alloc, s->seen, s->order_capacity);
    s->order_capacity = s->capacity;
    s->order = limb_alloc(&s->alloc, s->order_capacity * sizeof *s->order);
    s->seen = limb_alloc(&s->alloc, s->order_capacity);
    if (!s->order || !s->seen) return false;
  }
  memset(s->seen, 0, s->count);
  s->norder = 0;
  for (int i = 0; i < s->pins; i++) sort_below(s, s->pinned[i], variant);
  for (size_t i = 0; i < s->outputs; i++) {
    const size_t at = variant & 1U ? s->outputs - 1 - i : i;
    sort_below(s, s->out[(at + (size_t)(variant / 2) * 7) % s->outputs], variant);
  }
  return true;
}

// ---- back to the graph ---------------------------------------------------------------------------------------------

static limb_edge stored(const value_graph* s, const limb_edge* to, limb_edge e)
{
  e = limb_values_find(s, e);
  return e & 1U ? limb_edge_neg(to[e >> 1]) : to[e >> 1];
}

static limb_edge store_node(value_graph* s, const value_node* c, const limb_edge* to)
{
  if (c->op == OP_NUMBER) return limb_number_edge(s->g, (double)c->value[0]);
  if (c->op == OP_SYMBOL) return limb_symbol_edge(s->g, c->a);
  const limb_edge b = limb_op_binary(c->op) ? stored(s, to, c->b) : EDGE_ZERO;
  return limb_operation_edge(s->g, (limb_op)c->op, stored(s, to, c->a), b);
}

bool limb_values_store(value_graph* s, limb_edge* out)
{
  limb_edge* to = limb_alloc(&s->alloc, s->count * sizeof *to);
  bool good = to && limb_values_sort(s, 0);
  for (uint32_t i = 0; good && i < s->norder; i++) to[s->order[i]] = store_node(s, &s->node[s->order[i]], to);
  good = good && !limb_graph_full(s->g);
  for (size_t i = 0; good && i < s->outputs; i++) out[i] = stored(s, to, s->out[i]);
  limb_free(&s->alloc, to, s->count * sizeof *to);
  return good;
}
