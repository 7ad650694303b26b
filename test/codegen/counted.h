// How many operations some edges need.
#ifndef LIMB_TEST_COUNTED_H
#define LIMB_TEST_COUNTED_H

#include "codegen/program.h"

#include "support/check.h"

#include <stdlib.h>

typedef struct counts {
  long mul, add, div, all;
} counts;

static inline counts count(const limb_graph* g, const limb_edge* e, size_t n)
{
  const uint32_t size = limb_graph_count(g);
  unsigned char* live = malloc(size);
  assert_that(live);
  limb_mark_live(g, e, n, live, size);
  counts c = {0};
  for (uint32_t i = 0; i < size; i++) {
    const uint32_t op = live[i] ? limb_graph_node(g, i)->op : OP_NUMBER;
    c.mul += op == OP_MUL, c.add += op == OP_ADD, c.div += op == OP_DIV;
  }
  free(live);
  c.all = c.mul + c.add + 10 * c.div;
  return c;
}

#endif
