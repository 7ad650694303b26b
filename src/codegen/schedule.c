// Schedules (schedule.h): which nodes become statements, their names, when outputs are stored; counts of operations.
#include "codegen/schedule.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

limb_edge limb_entry_edge(const limb_function* f, uint32_t entry, int* output, uint32_t* index)
{
  int o = 0;
  for (;; o++) {
    const uint32_t n = (uint32_t)f->output[o].rows * (uint32_t)f->output[o].columns;
    if (entry < n) break;
    entry -= n;
  }
  if (output) *output = o;
  if (index) *index = entry;
  return f->output[o].entry[entry];
}

void limb_count_uses(const limb_graph* g, const limb_function* f, bool given_sines, uint32_t* uses, uint32_t nodes)
{
  for (int o = 0; o < f->noutput + f->judged; o++) {
    const int n = f->output[o].rows * f->output[o].columns;
    for (int i = 0; i < n; i++) uses[limb_edge_node(f->output[o].entry[i])]++;
  }
  for (uint32_t n = nodes; n-- > 0;) { // operands come before their users
    const limb_node* x = limb_graph_node(g, n);
    const limb_op op = (limb_op)x->op;
    if (!uses[n] || (given_sines && limb_is_sine(op))) continue;
    uint32_t of[2];
    for (int k = limb_operand_nodes(x, of); k-- > 0;) uses[of[k]]++;
  }
}

// Counts one live node.
static void count_node(const limb_node* x, limb_operations* out)
{
  switch ((limb_op)x->op) {
  case OP_NUMBER:
  case OP_SYMBOL:
  case OP_SIN:
  case OP_COS: break;
  case OP_ADD: out->add++; break;
  case OP_MUL: out->mul++; break;
  case OP_DIV: out->div++; break;
  case OP_SQRT:
  case OP_SIGN:
  case OP_TANH: out->other++; break;
  }
}

limb_operations limb_schedule_operations(const limb_schedule* l)
{
  limb_operations sum = {.sines = (long)l->nangle};
  for (uint32_t n = 0; n < l->nodes; n++) {
    if (l->uses[n]) count_node(limb_graph_node(l->g, n), &sum);
  }
  return sum;
}

bool limb_count_operations(const limb_graph* g, const limb_function* f, limb_operations* out)
{
  const limb_allocator alloc = *limb_graph_allocator(g);
  const uint32_t nodes = limb_graph_count(g);
  uint32_t* uses = limb_alloc(&alloc, 2 * (size_t)nodes * sizeof *uses);
  if (!uses) return false;
  memset(uses, 0, 2 * (size_t)nodes * sizeof *uses);
  uint32_t* turned = uses + nodes; // angles that have been counted
  limb_count_uses(g, f, false, uses, nodes);
  *out = (limb_operations){0};
  for (uint32_t n = 0; n < nodes; n++) {
    const limb_node* x = limb_graph_node(g, n);
    if (!uses[n]) continue;
    count_node(x, out);
    if (limb_is_sine((limb_op)x->op)) out->sines += !turned[limb_edge_node(x->a)]++;
  }
  limb_free(&alloc, uses, 2 * (size_t)nodes * sizeof *uses);
  return true;
}

// ---- leaves --------------------------------------------------------------------------------------------------------

static void visit_operand(const limb_schedule* l, uint32_t node, limb_leaf_fn* visit, void* context)
{
  if (l->position[node] || !limb_operands((limb_op)limb_graph_node(l->g, node)->op)) {
    visit(context, node);
  } else {
    limb_statement_leaves(l, node, visit, context);
  }
}

// The recursion is as deep as an expression has leaves.
void limb_statement_leaves(const limb_schedule* l, uint32_t node, limb_leaf_fn* visit, void* context)
{
  const limb_node* x = limb_graph_node(l->g, node);
  uint32_t of[2];
  const int operands = limb_operand_nodes(x, of);
  if (operands == 0) visit(context, node); // an input that is an output
  if (l->options.given_sines && limb_is_sine((limb_op)x->op)) return;
  for (int k = 0; k < operands; k++) visit_operand(l, of[k], visit, context);
}

// ---- which nodes become statements ---------------------------------------------------------------------------------

static limb_op op_at(const limb_schedule* l, uint32_t node) { return (limb_op)limb_graph_node(l->g, node)->op; }

// Leaves that an operand adds to an expression.
static unsigned leaves_of(const limb_schedule* l, const unsigned char* leaf_count, uint32_t node)
{
  return l->position[node] || !limb_operands(op_at(l, node)) ? 1 : leaf_count[node];
}

// The number of leaves of a node's expression; operands with too many become statements.
static unsigned count_leaves(limb_schedule* l, const unsigned char* leaf_count, uint32_t node)
{
  const limb_node* x = limb_graph_node(l->g, node);
  const int operands = limb_operands((limb_op)x->op);
  const uint32_t a = limb_edge_node(x->a), b = operands > 1 ? limb_edge_node(x->b) : 0;
  if (operands == 1 && l->options.named_arguments && limb_operands(op_at(l, a))) l->position[a] = 1;
  for (;;) {
    const unsigned wa = leaves_of(l, leaf_count, a), wb = operands > 1 ? leaves_of(l, leaf_count, b) : 0;
    if (wa + wb <= LIMB_LEAVES_MAX) return wa + wb;
    l->position[wa > wb ? a : b] = 1;
  }
}

// Marks the nodes that become statements by position 1.
static bool pick_statements(limb_schedule* l)
{
  unsigned char* leaf_count = limb_alloc(&l->alloc, l->nodes);
  if (!leaf_count) return false;
  for (uint32_t e = 0; e < l->entries; e++) {
    const uint32_t node = limb_edge_node(limb_entry_edge(l->f, e, NULL, NULL));
    if (op_at(l, node) != OP_NUMBER) l->position[node] = 1;
  }
  for (uint32_t n = 0; n < l->nodes; n++) {
    const limb_op op = op_at(l, n);
    if (!l->uses[n] || !limb_operands(op)) continue;
    const bool given = limb_is_sine(op) && l->options.given_sines;
    leaf_count[n] = (unsigned char)(given ? 1 : count_leaves(l, leaf_count, n));
    const bool call = l->options.named_arguments && limb_operands(op) == 1;
    if (l->uses[n] > 1 || call || limb_is_sine(op)) l->position[n] = 1;
  }
  limb_free(&l->alloc, leaf_count, l->nodes);
  for (uint32_t n = 0; n < l->nodes; n++) l->count += l->position[n] != 0;
  return true;
}

// ---- angles --------------------------------------------------------------------------------------------------------

// Appends the coordinates of a sum to a name, ignoring numbers. false if it is not a sum of coordinates.
static bool name_sum(const limb_schedule* l, limb_edge e, bool wide, char* name)
{
  const limb_node* x = limb_graph_node(l->g, limb_edge_node(e));
  if (x->op == OP_ADD) return !limb_edge_minus(e) && name_sum(l, x->a, wide, name) && name_sum(l, x->b, wide, name);
  if (x->op == OP_NUMBER) return true;
  if (x->op != OP_SYMBOL || limb_symbol_kind(x->a) != INPUT_Q) return false;
  const size_t used = strlen(name), capacity = LIMB_ANGLE_NAME - used;
  const char* sign = limb_edge_minus(e) ? "m" : wide && used ? "_" : "";
  const int n = snprintf(name + used, capacity, "%s%u", sign, limb_symbol_index(x->a) + 1);
  return n > 0 && (size_t)n < capacity;
}

// Names the angles. Those that are not sums of coordinates, or whose name is taken, get a number.
static void name_angles(limb_schedule* l, bool wide)
{
  for (uint32_t i = 0; i < l->nangle; i++) {
    limb_angle* x = &l->angle[i];
    bool good = name_sum(l, limb_edge_of(x->node), wide, x->name);
    for (uint32_t k = 0; k < i && good; k++) good = strcmp(l->angle[k].name, x->name) != 0;
    if (!good) (void)snprintf(x->name, sizeof x->name, "a%u", i + 1);
  }
}

// Finds the angles of all live sines. number[angle] is the index + 1.
static bool find_angles(limb_schedule* l)
{
  uint32_t max_angles = 0;
  bool wide = false; // coordinate numbers have two digits
  for (uint32_t n = 0; n < l->nodes; n++) {
    const limb_node* x = limb_graph_node(l->g, n);
    max_angles += l->uses[n] && limb_is_sine((limb_op)x->op);
    if (x->op == OP_SYMBOL && limb_symbol_kind(x->a) == INPUT_Q) wide = wide || limb_symbol_index(x->a) >= 9;
  }
  l->angles_capacity = max_angles + 1;
  l->angle = limb_alloc(&l->alloc, l->angles_capacity * sizeof *l->angle);
  if (!l->angle) return false;
  memset(l->angle, 0, l->angles_capacity * sizeof *l->angle);
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

// ---- names and stores ----------------------------------------------------------------------------------------------

static bool is_direct(const limb_schedule* l, uint32_t at)
{
  return l->last[at] == at && l->uses[l->node[at]] == 1 && at > l->last_read;
}

static void number_names(limb_schedule* l)
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

// The statement after which an entry is stored; constants come after all.
static uint32_t store_place(const limb_schedule* l, uint32_t entry)
{
  const uint32_t node = limb_edge_node(limb_entry_edge(l->f, entry, NULL, NULL));
  if (!l->position[node]) return l->count;
  const uint32_t at = l->position[node] - 1;
  return at > l->last_read ? at : l->last_read;
}

static void sort_stores(limb_schedule* l)
{
  for (uint32_t e = 0; e < l->entries; e++) l->stores[store_place(l, e) + 1]++;
  for (uint32_t i = 0; i <= l->count; i++) l->stores[i + 1] += l->stores[i];
  // each group is filled from its end
  for (uint32_t e = l->entries; e-- > 0;) l->store[--l->stores[store_place(l, e) + 1]] = e;
  for (uint32_t i = 0; i <= l->count; i++) l->stores[i] = l->stores[i + 1];
  l->stores[l->count + 1] = l->entries;
}

uint32_t limb_statement_at(const limb_schedule* l, uint32_t line)
{
  uint32_t low = 0, high = l->count; // invariant: line(low) <= line < line(high)
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    *(limb_line_of(l, middle) <= line ? &low : &high) = middle;
  }
  return low;
}

// ---- creation ------------------------------------------------------------------------------------------------------

static uint32_t* uint_array(limb_schedule* l, size_t n)
{
  uint32_t* x = limb_alloc(&l->alloc, (n + 2) * sizeof *x);
  if (x) memset(x, 0, (n + 2) * sizeof *x);
  return x;
}

static void free_array(limb_schedule* l, uint32_t* x, size_t n) { limb_free(&l->alloc, x, (n + 2) * sizeof *x); }

static bool build(limb_schedule* l)
{
  l->uses = uint_array(l, l->nodes), l->position = uint_array(l, l->nodes), l->number = uint_array(l, l->nodes);
  if (!l->uses || !l->position || !l->number) return false;
  limb_count_uses(l->g, l->f, l->options.given_sines, l->uses, l->nodes);
  if (!find_angles(l) || !pick_statements(l)) return false;
  l->node = uint_array(l, l->count), l->last = uint_array(l, l->count);
  l->store = uint_array(l, l->entries), l->stores = uint_array(l, l->count);
  if (!l->node || !l->last || !l->store || !l->stores || !limb_schedule_statements(l)) return false;
  number_names(l);
  sort_stores(l);
  return true;
}

bool limb_schedule_create(const limb_graph* g, const limb_function* f, const limb_allocator* alloc,
                          limb_schedule_options options, limb_schedule* out)
{
  *out = (limb_schedule){.g = g, .f = f, .options = options};
  out->alloc = alloc ? *alloc : limb_default_allocator();
  out->nodes = limb_graph_count(g);
  out->entries = limb_entry_count(f);
  if (build(out)) return true;
  limb_schedule_free(out);
  return false;
}

void limb_schedule_free(limb_schedule* l)
{
  free_array(l, l->uses, l->nodes);
  free_array(l, l->position, l->nodes);
  free_array(l, l->number, l->nodes);
  free_array(l, l->node, l->count);
  free_array(l, l->last, l->count);
  free_array(l, l->store, l->entries);
  free_array(l, l->stores, l->count);
  limb_free(&l->alloc, l->angle, l->angles_capacity * sizeof *l->angle);
  *l = (limb_schedule){.alloc = l->alloc};
}
