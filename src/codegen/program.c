// Programs: their memory, and the values of expressions for given inputs.
//
// Memory is a list of blocks that live as long as the program. A tape holds the live nodes in order: operands come
// before the nodes that use them, so one run along the tape gives all values. Cost: creating a tape takes time and
// memory linear in the graph, running it is linear in the live nodes.
#include "codegen/program.h"

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

struct limb_program_block {
  limb_program_block* next;
  size_t size;
};

enum { HEAD = 64 }; // bytes before a block's memory, which keeps it aligned

void* limb_program_alloc(limb_program* p, size_t count, size_t size)
{
  if (size && count > (SIZE_MAX / 2 - HEAD) / size) return NULL;
  const size_t whole = HEAD + count * size;
  limb_program_block* b = limb_alloc(&p->alloc, whole);
  if (!b) return NULL;
  memset(b, 0, whole);
  *b = (limb_program_block){p->block, whole};
  p->block = b;
  return (char*)b + HEAD;
}

limb_program* limb_program_create(const limb_allocator* alloc)
{
  const limb_allocator use = alloc ? *alloc : limb_default_allocator();
  limb_program* p = limb_alloc(&use, sizeof *p);
  if (!p) return NULL;
  *p = (limb_program){.alloc = use};
  p->graph = limb_graph_create(&use, LIMB_GRAPH_MAX);
  if (p->graph) return p;
  limb_program_free(p);
  return NULL;
}

void limb_program_free(limb_program* p)
{
  if (!p) return;
  const limb_allocator use = p->alloc;
  limb_graph_free(p->graph);
  while (p->block) {
    limb_program_block* b = p->block;
    p->block = b->next;
    limb_free(&use, b, b->size);
  }
  limb_free(&use, p, sizeof *p);
}

const char* limb_program_text(limb_program* p, const char* const* parts)
{
  size_t size = 1;
  for (const char* const* x = parts; *x; x++) size += strlen(*x);
  char* text = limb_program_alloc(p, size, 1);
  char* at = text;
  for (const char* const* x = parts; text && *x; x++) {
    const size_t n = strlen(*x);
    memcpy(at, *x, n);
    at += n;
  }
  return text;
}

// ---- evaluation ----------------------------------------------------------------------------------------------------

struct limb_tape {
  const limb_graph* g;
  limb_allocator alloc;
  size_t length, outputs;
  limb_node* step; // length: operands are edges into the tape itself
  limb_edge* out;  // outputs: edges into the tape
  double* value;   // length
};

static uint32_t count_needed(const limb_edge* of, size_t n)
{
  uint32_t count = 0;
  for (size_t i = 0; i < n; i++) {
    if (limb_edge_node(of[i]) >= count) count = limb_edge_node(of[i]) + 1;
  }
  return count;
}

static limb_edge tape_edge(const uint32_t* index, limb_edge e) { return index[limb_edge_node(e)] << 1 | (e & 1U); }

// Numbers get their value here, once.
static void write_steps(limb_tape* t, const unsigned char* marks, uint32_t* index, uint32_t count)
{
  uint32_t at = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!marks[i]) continue;
    limb_node x = *limb_graph_node(t->g, i);
    if (x.op == OP_NUMBER) t->value[at] = limb_graph_number(t->g, i);
    if (!limb_op_leaf(x.op)) x.a = tape_edge(index, x.a);
    if (limb_op_binary(x.op)) x.b = tape_edge(index, x.b);
    t->step[at] = x;
    index[i] = at++;
  }
}

static bool fill_tape(limb_tape* t, const limb_edge* of, uint32_t count)
{
  const size_t n = t->outputs;
  unsigned char* marks = limb_alloc(&t->alloc, count);
  uint32_t* index = limb_alloc(&t->alloc, count * sizeof *index);
  bool done = marks && index;
  if (done) {
    limb_mark_live(t->g, of, n, marks, count);
    for (uint32_t i = 0; i < count; i++) t->length += marks[i];
    t->step = limb_alloc(&t->alloc, t->length * sizeof *t->step);
    t->value = limb_alloc(&t->alloc, t->length * sizeof *t->value);
    t->out = limb_alloc(&t->alloc, n * sizeof *t->out);
    done = t->step && t->value && t->out;
  }
  if (done) {
    write_steps(t, marks, index, count);
    for (size_t i = 0; i < n; i++) t->out[i] = tape_edge(index, of[i]);
  }
  limb_free(&t->alloc, marks, count);
  limb_free(&t->alloc, index, count * sizeof *index);
  return done;
}

limb_tape* limb_tape_create(const limb_graph* g, const limb_edge* of, size_t n)
{
  const limb_allocator* alloc = limb_graph_allocator(g);
  limb_tape* t = limb_alloc(alloc, sizeof *t);
  if (!t) return NULL;
  *t = (limb_tape){.g = g, .alloc = *alloc, .outputs = n};
  if (n == 0 || fill_tape(t, of, count_needed(of, n))) return t;
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
