// Random expressions for the tests of graphs.
#ifndef LIMB_TEST_RANDOM_GRAPH_H
#define LIMB_TEST_RANDOM_GRAPH_H

#include "codegen/program.h"

#include "support/check.h"
#include "support/rng.h"

enum { RANDOM_SYMBOLS = 6, RANDOM_STEPS = 60 };

// Values of q that keep random expressions tame.
typedef struct random_state {
  double q[RANDOM_SYMBOLS];
  const double* input[INPUT_KINDS];
} random_state;

static inline void random_state_draw(random_state* s, rng* r)
{
  rng_fill(r, 2, RANDOM_SYMBOLS, s->q);
  s->input[INPUT_Q] = s->q;
}

static inline limb_edge symbol_q(limb_graph* g, uint32_t i) { return limb_symbol_edge(g, limb_symbol_of(INPUT_Q, i)); }

// Some operation on earlier values. Roots are of numbers above one, divisors as well; tanh keeps sizes.
static inline limb_edge random_step(limb_graph* g, rng* r, const limb_edge* e, int n)
{
  const limb_edge a = e[rng_below(r, n)], b = e[rng_below(r, n)];
  const limb_edge above = limb_add_edge(g, limb_number_edge(g, 1.5), limb_mul_edge(g, b, b));
  switch (rng_below(r, 9)) {
  case 0: return limb_unary_edge(g, OP_SIN, a);
  case 1: return limb_unary_edge(g, OP_COS, a);
  case 2: return limb_unary_edge(g, OP_TANH, limb_mul_edge(g, a, b));
  case 3: return limb_unary_edge(g, OP_SQRT, above);
  case 4: return limb_div_edge(g, a, above);
  case 5: return limb_mul_edge(g, limb_number_edge(g, rng_uniform(r, -1, 1)), a);
  case 6: return limb_mul_edge(g, a, b);
  case 7: return limb_add_edge(g, a, limb_edge_neg(b));
  default: return limb_add_edge(g, a, b);
  }
}

// The last n of them, each squeezed by a hyperbolic tangent.
static inline void random_edges(limb_graph* g, rng* r, limb_edge* out, int n)
{
  limb_edge e[RANDOM_SYMBOLS + RANDOM_STEPS];
  int count = 0;
  for (uint32_t i = 0; i < RANDOM_SYMBOLS; i++) e[count++] = symbol_q(g, i);
  while (count < RANDOM_SYMBOLS + RANDOM_STEPS) e[count] = random_step(g, r, e, count), count++;
  for (int i = 0; i < n; i++) out[i] = limb_unary_edge(g, OP_TANH, e[count - 1 - i]);
}

static inline void edge_values(const limb_graph* g, const limb_edge* e, size_t n, const double* const* input,
                               double* out)
{
  assert_that(limb_evaluate(g, e, n, input, out));
}

#endif
