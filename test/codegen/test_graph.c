// Expression graphs: values are those of the arithmetic, equal values are one node, memory has an end.
#include "codegen/graph.h"

#include "random_graph.h"

#include <math.h>

static limb_graph* graph_new(void)
{
  limb_graph* g = limb_graph_create(NULL, 1U << 20);
  assert_that(g);
  return g;
}

START_TEST(arithmetic_of_numbers_is_done)
{
  limb_graph* g = graph_new();
  const limb_edge x = limb_number_edge(g, 3), y = limb_number_edge(g, -0.5);
  assert_that(limb_add_edge(g, x, y) == limb_number_edge(g, 2.5));
  assert_that(limb_mul_edge(g, x, y) == limb_number_edge(g, -1.5));
  assert_that(limb_div_edge(g, x, y) == limb_number_edge(g, -6));
  assert_that(limb_unary_edge(g, OP_COS, y) == limb_number_edge(g, cos(0.5)));
  assert_that(limb_unary_edge(g, OP_SIGN, y) == limb_number_edge(g, -1));
  assert_that(limb_add_edge(g, x, limb_edge_neg(x)) == EDGE_ZERO);
  limb_graph_free(g);
}
END_TEST

START_TEST(zeros_and_ones_vanish)
{
  limb_graph* g = graph_new();
  const limb_edge a = symbol_q(g, 0), one = limb_number_edge(g, 1);
  assert_that(limb_add_edge(g, a, EDGE_ZERO) == a && limb_add_edge(g, EDGE_ZERO, a) == a);
  assert_that(limb_mul_edge(g, a, EDGE_ZERO) == EDGE_ZERO);
  assert_that(limb_mul_edge(g, one, a) == a && limb_mul_edge(g, a, limb_edge_neg(one)) == limb_edge_neg(a));
  assert_that(limb_div_edge(g, a, one) == a && limb_div_edge(g, EDGE_ZERO, a) == EDGE_ZERO);
  assert_that(limb_div_edge(g, a, limb_edge_neg(a)) == limb_edge_neg(one));
  assert_that(limb_edge_neg(EDGE_ZERO) == EDGE_ZERO);
  limb_graph_free(g);
}
END_TEST

START_TEST(equal_values_are_one_node)
{
  limb_graph* g = graph_new();
  const limb_edge a = symbol_q(g, 0), b = symbol_q(g, 1);
  const limb_edge na = limb_edge_neg(a), nb = limb_edge_neg(b);
  assert_that(limb_add_edge(g, a, b) == limb_add_edge(g, b, a));
  assert_that(limb_add_edge(g, b, na) == limb_edge_neg(limb_add_edge(g, a, nb)));
  assert_that(limb_add_edge(g, na, nb) == limb_edge_neg(limb_add_edge(g, a, b)));
  assert_that(limb_mul_edge(g, na, b) == limb_mul_edge(g, nb, a));
  assert_that(limb_mul_edge(g, na, nb) == limb_mul_edge(g, a, b));
  assert_that(limb_unary_edge(g, OP_SIN, na) == limb_edge_neg(limb_unary_edge(g, OP_SIN, a)));
  assert_that(limb_unary_edge(g, OP_COS, na) == limb_unary_edge(g, OP_COS, a));
  const limb_edge two = limb_number_edge(g, 2), half = limb_number_edge(g, 0.5);
  assert_that(limb_mul_edge(g, two, limb_mul_edge(g, half, a)) == a);
  limb_graph_free(g);
}
END_TEST

// (a + b - c) a / (1 + b^2), sin, cos, tanh, sqrt, sign, and a leaf, by hand.
START_TEST(values_are_those_of_the_expression)
{
  limb_graph* g = graph_new();
  rng r = {(uint64_t)_i + 1};
  random_state s = {0};
  random_state_draw(&s, &r);
  const limb_edge a = symbol_q(g, 0), b = symbol_q(g, 1), c = symbol_q(g, 2);
  const double x = s.q[0], y = s.q[1], z = s.q[2];
  const limb_edge sum = limb_add_edge(g, limb_add_edge(g, a, b), limb_edge_neg(c));
  const limb_edge above = limb_add_edge(g, limb_number_edge(g, 1), limb_mul_edge(g, b, b));
  const limb_edge e[] = {limb_div_edge(g, limb_mul_edge(g, sum, a), above),
                         limb_edge_neg(limb_unary_edge(g, OP_SIN, sum)),
                         limb_unary_edge(g, OP_COS, sum),
                         limb_unary_edge(g, OP_TANH, sum),
                         limb_unary_edge(g, OP_SQRT, above),
                         limb_unary_edge(g, OP_SIGN, limb_edge_neg(c)),
                         limb_edge_neg(b),
                         EDGE_ZERO,
                         limb_number_edge(g, -7)};
  const double u = x + y - z;
  const double want[] = {u * x / (1 + y * y), -sin(u), cos(u), tanh(u), sqrt(1 + y * y), z > 0 ? -1 : 1, -y, 0, -7};
  double got[9];
  edge_values(g, e, 9, s.input, got);
  assert_close_array(got, want, 9, 1e-15, 0);
  limb_graph_free(g);
}
END_TEST

START_TEST(nothing_has_no_values)
{
  limb_graph* g = graph_new();
  assert_that(limb_evaluate(g, NULL, 0, NULL, NULL));
  limb_graph_free(g);
}
END_TEST

// Every operation is rounded; a number beyond the range of float gives no values.
START_TEST(values_in_float)
{
  limb_graph* g = graph_new();
  const limb_edge q = symbol_q(g, 0), e[] = {limb_mul_edge(g, q, limb_number_edge(g, 3))};
  const double x[] = {0.1}, *const input[INPUT_KINDS] = {x};
  double got[1];
  assert_that(limb_evaluate_single(g, e, 1, input, got));
  assert_close(got[0], (double)(0.1F * 3.0F), 0, 0);
  const limb_edge far[] = {limb_mul_edge(g, q, limb_number_edge(g, 1e300))};
  assert_that(limb_evaluate_single(g, far, 1, input, got) && isnan(got[0]));
  limb_graph_free(g);
}
END_TEST

START_TEST(a_full_graph_says_so)
{
  limb_graph* g = limb_graph_create(NULL, 8);
  assert_that(g && !limb_graph_full(g));
  for (uint32_t i = 0; i < 7; i++) assert_that(symbol_q(g, i) != EDGE_ZERO);
  assert_that(!limb_graph_full(g));
  assert_that(symbol_q(g, 7) == EDGE_ZERO && limb_graph_full(g) && limb_graph_count(g) == 8);
  limb_graph_free(g);
  limb_graph_free(NULL);
}
END_TEST

START_TEST(a_division_by_zero_is_reported)
{
  limb_graph* g = limb_graph_create(NULL, 100);
  assert_that(g && !limb_graph_singular(g));
  const limb_edge x = symbol_q(g, 0), tiny = limb_number_edge(g, 1e-200);
  assert_that(limb_mul_edge(g, tiny, limb_mul_edge(g, tiny, x)) == EDGE_ZERO);
  assert_that(!limb_graph_singular(g));
  (void)limb_div_edge(g, x, EDGE_ZERO);
  assert_that(limb_graph_singular(g));
  limb_graph_free(g);
}
END_TEST

// Far more nodes than the first table has slots.
START_TEST(growth_keeps_every_node)
{
  enum { MANY = CHECK_SANITIZED ? 100000 : 1000000 };
  limb_graph* g = limb_graph_create(NULL, 2 * MANY);
  assert_that(g);
  for (uint32_t i = 0; i < MANY; i++) limb_symbol_edge(g, i);
  assert_that(limb_graph_count(g) == MANY + 1);
  for (uint32_t i = 0; i < MANY; i++) assert_that(limb_edge_node(limb_symbol_edge(g, i)) == i + 1);
  limb_graph_free(g);
}
END_TEST

CHECK_MAIN("codegen/graph", 3, arithmetic_of_numbers_is_done, zeros_and_ones_vanish, equal_values_are_one_node,
           values_are_those_of_the_expression, nothing_has_no_values, values_in_float, a_full_graph_says_so,
           a_division_by_zero_is_reported, growth_keeps_every_node)
