// Programs: their memory, and the values of expressions for given inputs.
//
// Memory is a list of blocks that live as long as the program. Cost: evaluation is linear in the graph.
#include "codegen/program.h"

#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct limb_program_block {
  limb_program_block* next;
  size_t size, used; // bytes, this head included
};

enum { ALIGN = 64, BLOCK = 1 << 14 }; // bytes

void* limb_program_alloc(limb_program* p, size_t count, size_t size)
{
  if (size && count > (SIZE_MAX / 2 - BLOCK) / size) return NULL;
  const size_t need = (count * size + ALIGN - 1) / ALIGN * ALIGN;
  if (!p->block || p->block->size - p->block->used < need) {
    const size_t whole = ALIGN + (need > BLOCK ? need : BLOCK);
    limb_program_block* b = limb_alloc(&p->alloc, whole);
    if (!b) return NULL;
    memset(b, 0, whole);
    *b = (limb_program_block){p->block, whole, ALIGN};
    p->block = b;
  }
  char* memory = (char*)p->block + p->block->used;
  p->block->used += need;
  return memory;
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

static double signed_value(const double* value, limb_edge e)
{
  const double x = value[limb_edge_node(e)];
  return limb_edge_minus(e) ? -x : x;
}

static double node_value(const limb_graph* g, uint32_t node, const double* const* input, const double* value)
{
  const limb_node x = *limb_graph_node(g, node);
  switch (x.op) {
  case OP_NUMBER: return limb_graph_number(g, node);
  case OP_SYMBOL: return input[limb_symbol_kind(x.a)][limb_symbol_index(x.a)];
  case OP_ADD: return signed_value(value, x.a) + signed_value(value, x.b);
  case OP_MUL: return signed_value(value, x.a) * signed_value(value, x.b);
  case OP_DIV: return signed_value(value, x.a) / signed_value(value, x.b);
  default: return limb_op_value((limb_op)x.op, signed_value(value, x.a));
  }
}

// Operands come before the nodes that use them, so one pass along the graph gives all values.
static bool evaluate(const limb_graph* g, const limb_edge* of, size_t n, const double* const* input, bool single,
                     double* out)
{
  const limb_allocator* alloc = limb_graph_allocator(g);
  uint32_t count = 1;
  bool beyond = false; // some number is out of the range of float
  for (size_t i = 0; i < n; i++) count = limb_edge_node(of[i]) < count ? count : limb_edge_node(of[i]) + 1;
  const size_t size = count * (sizeof(double) + 1);
  double* value = limb_alloc(alloc, size);
  if (!value) return false;
  unsigned char* live = (unsigned char*)(value + count);
  limb_mark_live(g, of, n, live, count);
  for (uint32_t i = 0; i < count; i++) {
    if (!live[i]) continue;
    value[i] = node_value(g, i, input, value);
    if (single) value[i] = (double)(float)value[i];
    beyond = beyond || (limb_graph_node(g, i)->op == OP_NUMBER && !isfinite(value[i]));
  }
  for (size_t i = 0; i < n; i++) out[i] = beyond ? (double)NAN : signed_value(value, of[i]);
  limb_free(alloc, value, size);
  return true;
}

bool limb_evaluate(const limb_graph* g, const limb_edge* of, size_t n, const double* const* input, double* out)
{
  return evaluate(g, of, n, input, false, out);
}

bool limb_evaluate_single(const limb_graph* g, const limb_edge* of, size_t n, const double* const* input, double* out)
{
  return evaluate(g, of, n, input, true, out);
}
