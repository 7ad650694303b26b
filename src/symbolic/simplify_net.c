// Nets: loading and storing, samples, uses.
#include "symbolic/simplify_net.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "symbolic/evaluate.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SPREAD = 12 };

static const uint32_t NONE = UINT32_MAX;

// ---- samples ----------------------------------------------------------------------------------------

// A random number from what identifies it, in +-[0.25, 2]: none is near zero. In the last sample sizes differ
// by up to 2^14, so that what is small beside something else is so only by chance.
static long double drawn(uint64_t what, int sample)
{
  const uint64_t z =
    limb_mixed_bits(what * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)(sample + 1) * UINT64_C(0xd1b54a32d192ed03));
  const double x = 0.25 + 1.75 * limb_unit_number(z);
  const double size = sample == SAMPLES - 1 ? ldexp(1, (int)((z >> 1) % SPREAD) - SPREAD / 2) : 1;
  return (long double)(z & 1U ? -x * size : x * size);
}

void limb_net_operate(const net* s, uint32_t op, limb_edge a, limb_edge b, long double* value, double* error)
{
  const net_cell *p = &s->cell[a >> 1], *r = &s->cell[b >> 1];
  for (int i = 0; i < SAMPLES; i++) {
    const long double x = net_value(s, a, i), y = net_value(s, b, i);
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

static void sample(const net* s, net_cell* c)
{
  for (int i = 0; i < SAMPLES; i++) {
    long double x = 0;
    double e = 0;
    switch (c->op) {
    case OP_NUMBER: break;                                          // set_number
    case OP_SYMBOL: x = drawn(c->a, i), e = fabs((double)x); break; // inputs are rounded as well
    case OP_SIN:
    case OP_COS: {
      const long double angle = net_value(s, c->a, i);
      x = c->op == OP_SIN ? sinl(angle) : cosl(angle);
      e = s->cell[c->a >> 1].error[i] + fabs((double)x);
      break;
    }
    default: x = drawn((uint64_t)c->op << 32 | c->a, i), e = fabs((double)x);
    }
    c->value[i] = x, c->error[i] = e;
  }
}

// ---- cells ------------------------------------------------------------------------------------------

static bool grow(net* s)
{
  const uint32_t more = s->room + s->room / 2 + 256;
  net_cell* cell = limb_alloc(&s->alloc, more * sizeof *cell);
  uint32_t* stack = limb_alloc(&s->alloc, ((size_t)more * 2 + 2) * sizeof *stack);
  if (cell && stack) {
    if (s->count) memcpy(cell, s->cell, s->count * sizeof *cell);
    limb_free(&s->alloc, s->cell, s->room * sizeof *cell);
    limb_free(&s->alloc, s->stack, ((size_t)s->room * 2 + 2) * sizeof *stack);
    s->cell = cell, s->stack = stack, s->room = more;
    return true;
  }
  limb_free(&s->alloc, cell, more * sizeof *cell);
  limb_free(&s->alloc, stack, ((size_t)more * 2 + 2) * sizeof *stack);
  return false;
}

static uint32_t fresh(net* s)
{
  if (s->count == s->room && !grow(s)) return NONE;
  s->cell[s->count] = (net_cell){.same = s->count << 1};
  return s->count++;
}

uint32_t limb_net_new(net* s, uint32_t op, limb_edge a, limb_edge b)
{
  const uint32_t at = fresh(s);
  if (at == NONE) return at;
  net_cell* c = &s->cell[at];
  c->op = op, c->a = a, c->b = b;
  c->divisors = s->cell[a >> 1].divisors | s->cell[b >> 1].divisors;
  limb_net_operate(s, op, a, b, c->value, c->error);
  for (int i = 0; i < SAMPLES; i++) c->allowed[i] = 2 * c->error[i];
  return at;
}

static void set_number(net_cell* c, double x)
{
  for (int i = 0; i < SAMPLES; i++)
    c->value[i] = (long double)x, c->error[i] = 2 * fabs(x), c->allowed[i] = 4 * fabs(x);
}

uint32_t limb_net_new_number(net* s, double x)
{
  const uint32_t at = fresh(s);
  if (at == NONE) return at;
  net_cell* c = &s->cell[at];
  c->op = OP_NUMBER;
  set_number(c, x);
  return at;
}

static void load_cell(net* s, uint32_t at, uint32_t node, const uint32_t* place)
{
  net_cell* c = &s->cell[at];
  const limb_node x = *limb_graph_node(s->g, node);
  c->op = x.op;
  if (limb_op_leaf(x.op)) {
    c->a = x.op == OP_SYMBOL ? x.a : 0;
    sample(s, c);
    if (x.op == OP_NUMBER) set_number(c, limb_graph_number(s->g, node));
    return;
  }
  c->a = place[limb_edge_node(x.a)] << 1 | (x.a & 1U);
  c->divisors = s->cell[c->a >> 1].divisors;
  if (limb_op_binary(x.op)) {
    c->b = place[limb_edge_node(x.b)] << 1 | (x.b & 1U);
    c->divisors |= s->cell[c->b >> 1].divisors;
    if (x.op == OP_DIV) c->divisors |= UINT64_C(1) << (limb_mixed_bits(c->b >> 1) & 63U);
    limb_net_operate(s, x.op, c->a, c->b, c->value, c->error);
  } else {
    sample(s, c);
  }
  for (int i = 0; i < SAMPLES; i++) c->allowed[i] = 2 * c->error[i];
}

bool limb_net_load(net* s, limb_graph* g, const limb_edge* out, size_t n)
{
  const uint32_t count = limb_graph_count(g);
  *s = (net){.g = g, .alloc = *limb_graph_allocator(g), .outputs = n, .add_cost = COST_MUL};
  unsigned char* live = limb_alloc(&s->alloc, count);
  uint32_t* place = limb_alloc(&s->alloc, count * sizeof *place);
  s->out = limb_alloc(&s->alloc, n * sizeof *s->out);
  bool good = live && place && s->out;
  if (good) limb_mark_live(g, out, n, live, count);
  for (uint32_t i = 0; good && i < count; i++) {
    if (!live[i]) continue;
    place[i] = fresh(s);
    good = place[i] != NONE;
    if (good) load_cell(s, place[i], i, place);
  }
  for (size_t i = 0; good && i < n; i++) {
    s->out[i] = place[limb_edge_node(out[i])] << 1 | (out[i] & 1U);
    limb_net_take(s, s->out[i]);
  }
  limb_free(&s->alloc, live, count);
  limb_free(&s->alloc, place, count * sizeof *place);
  if (!good) limb_net_free(s);
  return good;
}

void limb_net_free(net* s)
{
  limb_free(&s->alloc, s->cell, s->room * sizeof *s->cell);
  limb_free(&s->alloc, s->stack, ((size_t)s->room * 2 + 2) * sizeof *s->stack);
  limb_free(&s->alloc, s->out, s->outputs * sizeof *s->out);
  limb_free(&s->alloc, s->order, s->order_room * sizeof *s->order);
  limb_free(&s->alloc, s->seen, s->order_room);
}

// ---- equality ---------------------------------------------------------------------------------------

enum { SLACK = 4 }; // of equality, in bounds of the rounding error

bool limb_net_equal(long double x, long double y, double error)
{
  const double far = (double)fabsl(x - y);
  return far <= SLACK * DBL_EPSILON * error && far <= LIMB_NET_SAME * fabs((double)y);
}

bool limb_net_stands_for(const net_cell* n, const long double* value, const double* error)
{
  for (int i = 0; i < SAMPLES; i++) {
    if (!limb_net_equal(value[i], n->value[i], n->error[i] + error[i])) return false;
    if (!(error[i] <= n->allowed[i])) return false;
  }
  return true;
}

// ---- uses -------------------------------------------------------------------------------------------

static uint32_t push_operands(net* s, uint32_t cell, uint32_t depth)
{
  const net_cell* c = &s->cell[cell];
  const int n = limb_operands((limb_op)c->op);
  if (n > 0) s->stack[depth++] = net_edge(s, c->a) >> 1;
  if (n > 1) s->stack[depth++] = net_edge(s, c->b) >> 1;
  return depth;
}

void limb_net_take(net* s, limb_edge e)
{
  uint32_t depth = 0;
  s->stack[depth++] = net_edge(s, e) >> 1;
  while (depth) {
    const uint32_t at = s->stack[--depth];
    if (s->cell[at].uses++ == 0) depth = push_operands(s, at, depth);
  }
}

void limb_net_drop(net* s, limb_edge e)
{
  uint32_t depth = 0;
  s->stack[depth++] = net_edge(s, e) >> 1;
  while (depth) {
    const uint32_t at = s->stack[--depth];
    if (--s->cell[at].uses == 0) depth = push_operands(s, at, depth);
  }
}

long limb_net_try_take(net* s, limb_edge e)
{
  long cost = 0;
  uint32_t depth = 0;
  s->stack[depth++] = net_edge(s, e) >> 1;
  while (depth) {
    if (s->tried == TRAIL) return TRAIL * COST_DIV;
    const uint32_t at = s->stack[--depth];
    s->trail[s->tried++] = at << 1 | 1U;
    if (s->cell[at].uses++) continue;
    cost += op_cost(s, s->cell[at].op);
    depth = push_operands(s, at, depth);
  }
  return cost;
}

long limb_net_try_drop(net* s, limb_edge e)
{
  long cost = 0;
  uint32_t depth = 0;
  s->stack[depth++] = net_edge(s, e) >> 1;
  while (depth && s->tried < TRAIL) {
    const uint32_t at = s->stack[--depth];
    s->trail[s->tried++] = at << 1;
    if (--s->cell[at].uses) continue;
    cost += op_cost(s, s->cell[at].op);
    depth = push_operands(s, at, depth);
  }
  return cost;
}

long limb_net_try_free(net* s, uint32_t n)
{
  const net_cell* c = &s->cell[n];
  const limb_edge a = c->a, b = c->b;
  const bool two = limb_op_binary(c->op);
  long cost = op_cost(s, c->op) + limb_net_try_drop(s, a);
  if (two) cost += limb_net_try_drop(s, b);
  return cost;
}

void limb_net_undo(net* s)
{
  for (uint32_t i = 0; i < s->tried; i++) s->cell[s->trail[i] >> 1].uses += s->trail[i] & 1U ? -1U : 1U;
  s->tried = 0;
}

void limb_net_become(net* s, uint32_t n, uint32_t op, limb_edge a, limb_edge b)
{
  const net_cell old = s->cell[n];
  limb_net_take(s, a), limb_net_take(s, b);
  net_cell* c = &s->cell[n];
  c->op = op, c->a = a, c->b = b;
  limb_net_drop(s, old.a);
  if (limb_op_binary(old.op)) limb_net_drop(s, old.b);
}

long limb_net_cost(const net* s)
{
  long cost = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const uint32_t op = s->cell[i].op;
    if (s->cell[i].uses) cost += op == OP_ADD ? COST_MUL : op_cost(s, op);
  }
  return cost;
}

// ---- order ------------------------------------------------------------------------------------------

// Whether the second operand of a cell comes before the first.
static bool swaps(uint32_t cell, uint32_t turn)
{
  return turn && (cell * 0x9e3779b1U ^ turn * 0x85ebca6bU) * 0xc2b2ae35U >> 31;
}

// Cells that an edge needs and that are not there yet. A cell waits on the stack until its operands are done.
static void sort_below(net* s, limb_edge e, uint32_t turn)
{
  uint32_t depth = 0;
  s->stack[depth++] = net_edge(s, e) >> 1;
  while (depth) {
    const uint32_t at = s->stack[depth - 1];
    const net_cell* c = &s->cell[at];
    const int n = limb_operands((limb_op)c->op);
    uint32_t first = n > 0 ? net_edge(s, c->a) >> 1 : at, second = n > 1 ? net_edge(s, c->b) >> 1 : at;
    if (n > 1 && swaps(at, turn)) {
      const uint32_t third = first;
      first = second, second = third;
    }
    if (s->seen[at] == 0) {
      s->seen[at] = 1;
      if (n > 1 && !s->seen[second]) s->stack[depth++] = second;
      if (n > 0 && !s->seen[first]) s->stack[depth++] = first;
    } else {
      depth--;
      if (s->seen[at] == 1) s->seen[at] = 2, s->order[s->ordered++] = at;
    }
  }
}

bool limb_net_sort(net* s, uint32_t turn)
{
  if (s->order_room < s->count) {
    limb_free(&s->alloc, s->order, s->order_room * sizeof *s->order);
    limb_free(&s->alloc, s->seen, s->order_room);
    s->order_room = s->room;
    s->order = limb_alloc(&s->alloc, s->order_room * sizeof *s->order);
    s->seen = limb_alloc(&s->alloc, s->order_room);
    if (!s->order || !s->seen) return false;
  }
  memset(s->seen, 0, s->count);
  s->ordered = 0;
  for (int i = 0; i < s->pins; i++) sort_below(s, s->pinned[i], turn);
  for (size_t i = 0; i < s->outputs; i++) {
    const size_t at = turn & 1U ? s->outputs - 1 - i : i;
    sort_below(s, s->out[(at + (size_t)(turn / 2) * 7) % s->outputs], turn);
  }
  return true;
}

// ---- back to the graph ------------------------------------------------------------------------------

static limb_edge stored(const net* s, const limb_edge* to, limb_edge e)
{
  e = net_edge(s, e);
  return e & 1U ? limb_edge_neg(to[e >> 1]) : to[e >> 1];
}

static limb_edge store_cell(net* s, const net_cell* c, const limb_edge* to)
{
  switch (c->op) {
  case OP_NUMBER: return limb_number_edge(s->g, (double)c->value[0]);
  case OP_SYMBOL: return limb_symbol_edge(s->g, c->a);
  case OP_ADD: return limb_add_edge(s->g, stored(s, to, c->a), stored(s, to, c->b));
  case OP_MUL: return limb_mul_edge(s->g, stored(s, to, c->a), stored(s, to, c->b));
  case OP_DIV: return limb_div_edge(s->g, stored(s, to, c->a), stored(s, to, c->b));
  default: return limb_unary_edge(s->g, (limb_op)c->op, stored(s, to, c->a));
  }
}

bool limb_net_store(net* s, limb_edge* out)
{
  limb_edge* to = limb_alloc(&s->alloc, s->count * sizeof *to);
  bool good = to && limb_net_sort(s, 0);
  for (uint32_t i = 0; good && i < s->ordered; i++) {
    to[s->order[i]] = store_cell(s, &s->cell[s->order[i]], to);
  }
  good = good && !limb_graph_full(s->g);
  for (size_t i = 0; good && i < s->outputs; i++) out[i] = stored(s, to, s->out[i]);
  limb_free(&s->alloc, to, s->count * sizeof *to);
  return good;
}
