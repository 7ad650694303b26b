// Listings (order.h): which nodes become statements, what they are called, when answers are stored.
#include "symbolic/order.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

// ---- which nodes become statements --------------------------------------------------------------------

static limb_op op_at(const limb_listing* l, uint32_t node) { return (limb_op)limb_graph_node(l->g, node)->op; }

// Leaves that an operand brings into an expression.
static unsigned leaves(const limb_listing* l, const unsigned char* weight, uint32_t node)
{
  return l->place[node] || !limb_operands(op_at(l, node)) ? 1 : weight[node];
}

// The leaves of a node's expression; operands that are too heavy become statements.
static unsigned weigh(limb_listing* l, const unsigned char* weight, uint32_t node)
{
  const limb_node* x = limb_graph_node(l->g, node);
  const int operands = limb_operands((limb_op)x->op);
  const uint32_t a = limb_edge_node(x->a), b = operands > 1 ? limb_edge_node(x->b) : 0;
  if (operands == 1 && l->options.named_arguments && limb_operands(op_at(l, a))) l->place[a] = 1;
  for (;;) {
    const unsigned wa = leaves(l, weight, a), wb = operands > 1 ? leaves(l, weight, b) : 0;
    if (wa + wb <= LIMB_LEAVES) return wa + wb;
    l->place[wa > wb ? a : b] = 1;
  }
}

// Marks them by a place of 1.
static bool pick_statements(limb_listing* l)
{
  unsigned char* weight = limb_alloc(&l->alloc, l->nodes);
  if (!weight) return false;
  for (uint32_t e = 0; e < l->entries; e++) {
    const uint32_t node = limb_edge_node(limb_entry_edge(l->f, e, NULL, NULL));
    if (op_at(l, node) != OP_NUMBER) l->place[node] = 1;
  }
  for (uint32_t n = 0; n < l->nodes; n++) {
    const limb_op op = op_at(l, n);
    if (!l->uses[n] || !limb_operands(op)) continue;
    const bool given = limb_is_sine(op) && l->options.given_sines;
    weight[n] = (unsigned char)(given ? 1 : weigh(l, weight, n));
    const bool call = l->options.named_arguments && limb_operands(op) == 1;
    if (l->uses[n] > 1 || call || limb_is_sine(op)) l->place[n] = 1;
  }
  limb_free(&l->alloc, weight, l->nodes);
  for (uint32_t n = 0; n < l->nodes; n++) l->count += l->place[n] != 0;
  return true;
}

// ---- angles -------------------------------------------------------------------------------------------

// Adds the coordinates that a sum is made of to a name; numbers do not count. false for any other expression.
static bool name_sum(const limb_listing* l, limb_edge e, bool wide, char* name)
{
  const limb_node* x = limb_graph_node(l->g, limb_edge_node(e));
  if (x->op == OP_ADD) {
    return !limb_edge_minus(e) && name_sum(l, x->a, wide, name) && name_sum(l, x->b, wide, name);
  }
  if (x->op == OP_NUMBER) return true;
  if (x->op != OP_SYMBOL || limb_symbol_kind(x->a) != INPUT_Q) return false;
  const size_t used = strlen(name), room = LIMB_ANGLE_NAME - used;
  const char* sign = limb_edge_minus(e) ? "m" : wide && used ? "_" : "";
  const int n = snprintf(name + used, room, "%s%u", sign, limb_symbol_index(x->a) + 1);
  return n > 0 && (size_t)n < room;
}

// Names of angles; what is no sum, or was there before, gets a number.
static void name_angles(limb_listing* l, bool wide)
{
  for (uint32_t i = 0; i < l->nangle; i++) {
    limb_angle* x = &l->angle[i];
    bool good = name_sum(l, limb_edge_of(x->node), wide, x->name);
    for (uint32_t k = 0; k < i && good; k++) good = strcmp(l->angle[k].name, x->name) != 0;
    if (!good) (void)snprintf(x->name, sizeof x->name, "a%u", i + 1);
  }
}

// Angles of all live sines; their index + 1 becomes the number of angle and sines.
static bool find_angles(limb_listing* l)
{
  uint32_t most = 0;
  bool wide = false; // coordinates of two digits
  for (uint32_t n = 0; n < l->nodes; n++) {
    const limb_node* x = limb_graph_node(l->g, n);
    most += l->uses[n] && limb_is_sine((limb_op)x->op);
    if (x->op == OP_SYMBOL && limb_symbol_kind(x->a) == INPUT_Q) {
      wide = wide || limb_symbol_index(x->a) >= 9;
    }
  }
  l->angles_room = most + 1;
  l->angle = limb_alloc(&l->alloc, l->angles_room * sizeof *l->angle);
  if (!l->angle) return false;
  memset(l->angle, 0, l->angles_room * sizeof *l->angle);
  for (uint32_t n = 0; n < l->nodes; n++) {
    const limb_node* x = limb_graph_node(l->g, n);
    if (!l->uses[n] || !limb_is_sine((limb_op)x->op)) continue;
    const uint32_t of = limb_edge_node(x->a);
    if (!l->number[of]) {
      l->angle[l->nangle++].node = of;
      l->number[of] = l->nangle;
    }
    limb_angle* angle = &l->angle[l->number[of] - 1];
    *(x->op == OP_SIN ? &angle->sine : &angle->cosine) = n;
  }
  name_angles(l, wide);
  return true;
}

// ---- names and stores ---------------------------------------------------------------------------------

static bool is_direct(const limb_listing* l, uint32_t at)
{
  return l->last[at] == at && l->uses[l->node[at]] == 1 && at > l->reads;
}

static void number_names(limb_listing* l)
{
  uint32_t k = 0;
  for (uint32_t n = 0; n < l->nodes; n++) l->number[n] = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    const uint32_t n = l->node[i];
    if (!limb_is_sine(op_at(l, n)) && !is_direct(l, i)) l->number[n] = ++k;
  }
  for (uint32_t i = 0; i < l->nangle; i++) {
    if (l->angle[i].sine) l->number[l->angle[i].sine] = i;
    if (l->angle[i].cosine) l->number[l->angle[i].cosine] = i;
  }
}

// After which statement an entry is stored; numbers come after all.
static uint32_t store_place(const limb_listing* l, uint32_t entry)
{
  const uint32_t node = limb_edge_node(limb_entry_edge(l->f, entry, NULL, NULL));
  if (!l->place[node]) return l->count;
  const uint32_t at = l->place[node] - 1;
  return at > l->reads ? at : l->reads;
}

static void sort_stores(limb_listing* l)
{
  for (uint32_t e = 0; e < l->entries; e++) l->stores[store_place(l, e) + 1]++;
  for (uint32_t i = 0; i <= l->count; i++) l->stores[i + 1] += l->stores[i];
  // fill each group from its end, the last entries first
  for (uint32_t e = l->entries; e-- > 0;) l->store[--l->stores[store_place(l, e) + 1]] = e;
  for (uint32_t i = 0; i <= l->count; i++) l->stores[i] = l->stores[i + 1];
  l->stores[l->count + 1] = l->entries;
}

uint32_t limb_statement_at(const limb_listing* l, uint32_t line)
{
  uint32_t low = 0, high = l->count; // the line is from low on, and before high
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    *(limb_line_of(l, middle) <= line ? &low : &high) = middle;
  }
  return low;
}

// ---- life ---------------------------------------------------------------------------------------------

static uint32_t* words(limb_listing* l, size_t n)
{
  uint32_t* x = limb_alloc(&l->alloc, (n + 2) * sizeof *x);
  if (x) memset(x, 0, (n + 2) * sizeof *x);
  return x;
}

static void end_words(limb_listing* l, uint32_t* x, size_t n) { limb_free(&l->alloc, x, (n + 2) * sizeof *x); }

static bool build(limb_listing* l)
{
  l->uses = words(l, l->nodes), l->place = words(l, l->nodes), l->number = words(l, l->nodes);
  if (!l->uses || !l->place || !l->number) return false;
  limb_count_uses(l->g, l->f, l->options.given_sines, l->uses, l->nodes);
  if (!find_angles(l) || !pick_statements(l)) return false;
  l->node = words(l, l->count), l->last = words(l, l->count);
  l->store = words(l, l->entries), l->stores = words(l, l->count);
  if (!l->node || !l->last || !l->store || !l->stores || !limb_order_statements(l)) return false;
  number_names(l);
  sort_stores(l);
  return true;
}

bool limb_listing_create(const limb_graph* g, const limb_function* f, const limb_allocator* alloc,
                         limb_listing_options options, limb_listing* out)
{
  *out = (limb_listing){.g = g, .f = f, .options = options};
  out->alloc = alloc ? *alloc : limb_default_allocator();
  out->nodes = limb_graph_count(g);
  out->entries = limb_entries_of(f);
  if (build(out)) return true;
  limb_listing_free(out);
  return false;
}

void limb_listing_free(limb_listing* l)
{
  end_words(l, l->uses, l->nodes);
  end_words(l, l->place, l->nodes);
  end_words(l, l->number, l->nodes);
  end_words(l, l->node, l->count);
  end_words(l, l->last, l->count);
  end_words(l, l->store, l->entries);
  end_words(l, l->stores, l->count);
  limb_free(&l->alloc, l->angle, l->angles_room * sizeof *l->angle);
  *l = (limb_listing){.alloc = l->alloc};
}
