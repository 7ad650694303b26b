// Sums in the order in which their terms are ready: the same sum, of any length, with a shorter path.
#include "codegen/program.h"
#include "codegen/schedule.h"
#include "support/check.h"

#include <math.h>

enum { MOST = 300 };

// x0 + x1 x2 - x3 + x4 x5 - ..., one after the other: as deep as it is long.
static limb_edge long_sum(limb_graph* g, int terms)
{
  limb_edge sum = EDGE_ZERO;
  for (int i = 0; i < terms; i++) {
    limb_edge x = limb_symbol_edge(g, limb_symbol_of(INPUT_Q, (uint32_t)i));
    if (i % 2) x = limb_mul_edge(g, x, limb_symbol_edge(g, limb_symbol_of(INPUT_V, (uint32_t)i)));
    sum = limb_add_edge(g, sum, i % 3 ? x : limb_edge_neg(x));
  }
  return sum;
}

static double value_of(const limb_graph* g, limb_edge e, const double* q, const double* v)
{
  const double* input[INPUT_KINDS] = {[INPUT_Q] = q, [INPUT_V] = v};
  double out = 0;
  assert_that(limb_evaluate(g, &e, 1, input, &out));
  return out;
}

START_TEST(sums_of_any_length_stay_what_they_are)
{
  static const int lengths[] = {1, 2, 3, 63, 64, 65, 66, 128, 129, MOST};
  double q[MOST], v[MOST];
  for (int i = 0; i < MOST; i++) q[i] = sin(i + 1), v[i] = cos(3 * i);
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    limb_graph* g = limb_graph_create(NULL, 1 << 20);
    assert_that(g);
    const limb_edge before = long_sum(g, lengths[k]);
    limb_edge after = before;
    assert_that(limb_balance_sums(g, &after, 1));
    check_at("%d terms", lengths[k]);
    assert_that(fabs(value_of(g, after, q, v) - value_of(g, before, q, v)) < 1e-12);
    limb_graph_free(g);
  }
}
END_TEST

// (x0 + ... + x63) - (x64 + ... + x127), and so on: each part is as long as a sum may be.
START_TEST(sums_of_sums)
{
  double q[MOST], v[MOST];
  for (int i = 0; i < MOST; i++) q[i] = sin(i + 1), v[i] = cos(3 * i);
  for (int length = 60; length <= 70; length++) {
    for (int shared = 0; shared < 2; shared++) {
      limb_graph* g = limb_graph_create(NULL, 1 << 20);
      limb_edge part[4], out[3];
      assert_that(g);
      for (int k = 0; k < 4; k++) {
        part[k] = EDGE_ZERO;
        for (int i = k * length; i < (k + 1) * length; i++)
          part[k] = limb_add_edge(g, part[k], limb_symbol_edge(g, limb_symbol_of(INPUT_Q, (uint32_t)(i % MOST))));
      }
      const limb_edge left = limb_add_edge(g, part[0], limb_edge_neg(part[1]));
      const limb_edge right = limb_add_edge(g, part[2], part[3]);
      out[0] = limb_add_edge(g, left, right);
      out[1] = shared ? limb_mul_edge(g, left, right) : part[0];
      out[2] = shared ? part[3] : EDGE_ZERO;
      const limb_edge before[3] = {out[0], out[1], out[2]};
      assert_that(limb_balance_sums(g, out, 3));
      check_at("%d terms, shared %d", length, shared);
      for (int k = 0; k < 3; k++) assert_that(fabs(value_of(g, out[k], q, v) - value_of(g, before[k], q, v)) < 1e-11);
      limb_graph_free(g);
    }
  }
}
END_TEST

CHECK_MAIN("codegen/balance_sums", 1, sums_of_any_length_stay_what_they_are, sums_of_sums)
