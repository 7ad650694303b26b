// Values of edges for given values of the symbols: one step for each node that is needed.
//
// Operands come before what is made of them, so one run down the nodes finds what is needed, and one run up
// gives the values. Cost: time and memory of the largest node for a tape, of the needed nodes for a run.
#include "symbolic/evaluate.h"

#include "base/memory.h"
#include "symbolic/program.h"

#include <string.h>

struct limb_tape {
  const limb_graph* g;
  limb_allocator alloc;
  size_t length, outputs;
  limb_node* step; // length: operands are edges into the tape itself
  limb_edge* out;  // outputs: edges into the tape
  double* value;   // length
};

void limb_mark_live(const limb_graph* g, const limb_edge* of, size_t n, unsigned char* marks, uint32_t count)
{
  memset(marks, 0, count);
  for (size_t i = 0; i < n; i++) marks[limb_edge_node(of[i])] = 1;
  for (uint32_t i = count; i-- > 0;) {
    const limb_node* x = limb_graph_node(g, i);
    if (!marks[i] || limb_op_leaf(x->op)) continue;
    marks[limb_edge_node(x->a)] = 1;
    if (limb_op_binary(x->op)) marks[limb_edge_node(x->b)] = 1;
  }
}

static uint32_t count_needed(const limb_edge* of, size_t n)
{
  uint32_t count = 0;
  for (size_t i = 0; i < n; i++) {
    if (limb_edge_node(of[i]) >= count) count = limb_edge_node(of[i]) + 1;
  }
  return count;
}

static limb_edge moved(const uint32_t* place, limb_edge e) { return place[limb_edge_node(e)] << 1 | (e & 1U); }

// Numbers get their value once and for all.
static void write_steps(limb_tape* t, const unsigned char* marks, uint32_t* place, uint32_t count)
{
  uint32_t at = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!marks[i]) continue;
    limb_node x = *limb_graph_node(t->g, i);
    if (x.op == OP_NUMBER) t->value[at] = limb_graph_number(t->g, i);
    if (!limb_op_leaf(x.op)) x.a = moved(place, x.a);
    if (limb_op_binary(x.op)) x.b = moved(place, x.b);
    t->step[at] = x;
    place[i] = at++;
  }
}

static bool fill(limb_tape* t, const limb_edge* of, uint32_t count)
{
  const size_t n = t->outputs;
  unsigned char* marks = limb_alloc(&t->alloc, count);
  uint32_t* place = limb_alloc(&t->alloc, count * sizeof *place);
  bool done = marks && place;
  if (done) {
    limb_mark_live(t->g, of, n, marks, count);
    for (uint32_t i = 0; i < count; i++) t->length += marks[i];
    t->step = limb_alloc(&t->alloc, t->length * sizeof *t->step);
    t->value = limb_alloc(&t->alloc, t->length * sizeof *t->value);
    t->out = limb_alloc(&t->alloc, n * sizeof *t->out);
    done = t->step && t->value && t->out;
  }
  if (done) {
    write_steps(t, marks, place, count);
    for (size_t i = 0; i < n; i++) t->out[i] = moved(place, of[i]);
  }
  limb_free(&t->alloc, marks, count);
  limb_free(&t->alloc, place, count * sizeof *place);
  return done;
}

limb_tape* limb_tape_create(const limb_graph* g, const limb_edge* of, size_t n)
{
  const limb_allocator* alloc = limb_graph_allocator(g);
  limb_tape* t = limb_alloc(alloc, sizeof *t);
  if (!t) return NULL;
  *t = (limb_tape){.g = g, .alloc = *alloc, .outputs = n};
  if (n == 0 || fill(t, of, count_needed(of, n))) return t;
  limb_tape_free(t);
  return NULL;
}

void limb_tape_free(limb_tape* t)
{
  if (!t) return;
  const limb_allocator use = t->alloc;
  limb_free(&use, t->step, t->length * sizeof *t->step);
  limb_free(&use, t->value, t->length * sizeof *t->value);
  limb_free(&use, t->out, t->outputs * sizeof *t->out);
  limb_free(&use, t, sizeof *t);
}

size_t limb_tape_length(const limb_tape* t) { return t->length; }

static double signed_value(const double* value, limb_edge e)
{
  const double x = value[limb_edge_node(e)];
  return limb_edge_minus(e) ? -x : x;
}

void limb_tape_run(limb_tape* t, const double* const* input, double* out)
{
  double* x = t->value;
  for (size_t i = 0; i < t->length; i++) {
    const limb_node s = t->step[i];
    switch (s.op) {
    case OP_NUMBER: break;
    case OP_SYMBOL: x[i] = input[limb_symbol_kind(s.a)][limb_symbol_index(s.a)]; break;
    case OP_ADD: x[i] = signed_value(x, s.a) + signed_value(x, s.b); break;
    case OP_MUL: x[i] = signed_value(x, s.a) * signed_value(x, s.b); break;
    case OP_DIV: x[i] = signed_value(x, s.a) / signed_value(x, s.b); break;
    default: x[i] = limb_op_value((limb_op)s.op, signed_value(x, s.a));
    }
  }
  for (size_t i = 0; i < t->outputs; i++) out[i] = signed_value(x, t->out[i]);
}

bool limb_evaluate(const limb_graph* g, const limb_edge* of, size_t n, const double* const* input, double* out)
{
  limb_tape* t = limb_tape_create(g, of, n);
  if (!t) return false;
  limb_tape_run(t, input, out);
  limb_tape_free(t);
  return true;
}
