// Sums that are zero without looking so.
#include "codegen/simplify.h"
#include "support/check.h"

static limb_edge square(limb_graph* g, limb_edge x) { return limb_mul_edge(g, x, x); }

static limb_edge minus(limb_graph* g, limb_edge a, limb_edge b) { return limb_add_edge(g, a, limb_edge_neg(b)); }

// (x + y)^2 - x^2 - 2 x y - y^2, plus a rest
static limb_edge detour(limb_graph* g, limb_edge x, limb_edge y)
{
  const limb_edge two = limb_number_edge(g, 2);
  limb_edge sum = square(g, limb_add_edge(g, x, y));
  sum = minus(g, sum, square(g, x));
  sum = minus(g, sum, limb_mul_edge(g, two, limb_mul_edge(g, x, y)));
  return minus(g, sum, square(g, y));
}

START_TEST(zeros_go)
{
  limb_graph* g = limb_graph_create(NULL, 1000);
  assert_that(g);
  const limb_edge x = limb_symbol_edge(g, 0), y = limb_symbol_edge(g, 1);
  const limb_edge zero = detour(g, x, y), sine = limb_unary_edge(g, OP_SIN, x);
  limb_edge out[5] = {zero, limb_add_edge(g, sine, limb_mul_edge(g, zero, y)),
                      limb_edge_neg(limb_add_edge(g, sine, zero)), limb_unary_edge(g, OP_COS, zero),
                      minus(g, x, limb_mul_edge(g, limb_number_edge(g, 1 + 1e-9), x))};
  const limb_edge small = out[4];
  assert_that(zero != EDGE_ZERO);
  assert_that(limb_fold_zeros(g, out, 5));
  ck_assert_uint_eq(out[0], EDGE_ZERO);
  ck_assert_uint_eq(out[1], sine);
  ck_assert_uint_eq(out[2], limb_edge_neg(sine));
  ck_assert_uint_eq(out[3], limb_number_edge(g, 1));
  ck_assert_uint_eq(out[4], small); // a billionth is something
  limb_graph_free(g);
}
END_TEST

// What is zero for some values of the symbols only.
START_TEST(what_is_zero_sometimes_stays)
{
  limb_graph* g = limb_graph_create(NULL, 1000);
  assert_that(g);
  const limb_edge x = limb_symbol_edge(g, 0), y = limb_symbol_edge(g, 1);
  const limb_edge one = limb_number_edge(g, 1), sign = limb_unary_edge(g, OP_SIGN, x);
  const limb_edge steep = limb_mul_edge(g, limb_number_edge(g, 1000), x);
  limb_edge out[] = {minus(g, sign, limb_unary_edge(g, OP_SIGN, y)), minus(g, sign, one),
                     minus(g, limb_unary_edge(g, OP_SQRT, square(g, x)), x),
                     minus(g, one, square(g, limb_unary_edge(g, OP_TANH, steep))),
                     minus(g, limb_mul_edge(g, sign, y), limb_mul_edge(g, y, sign))};
  limb_edge before[5];
  for (int i = 0; i < 5; i++) before[i] = out[i];
  assert_that(limb_fold_zeros(g, out, 5));
  for (int i = 0; i < 4; i++) ck_assert_uint_eq(out[i], before[i]);
  ck_assert_uint_eq(out[4], EDGE_ZERO);
  limb_graph_free(g);
}
END_TEST

CHECK_MAIN("codegen/fold_zeros", 1, zeros_go, what_is_zero_sometimes_stays)
