// Derivatives of edges: against differences of values on random expressions, and against the library's own
// derivatives of inverse dynamics.
#include "codegen/graph.h"

#include "codegen/trace.h"

#include "random_graph.h"
#include "support/robots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES = 4, GRAPHS = 40 };

// (f(q + h) - f(q - h)) / 2 h, for all edges.
static void differences(const limb_graph* g, const limb_edge* e, int n, random_state* s, int j, double* out)
{
  const double h = 1e-5, q = s->q[j];
  double up[EDGES], down[EDGES];
  s->q[j] = q + h, edge_values(g, e, (size_t)n, s->input, up);
  s->q[j] = q - h, edge_values(g, e, (size_t)n, s->input, down);
  s->q[j] = q;
  for (int i = 0; i < n; i++) out[i] = (up[i] - down[i]) / (2 * h);
}

static void compare(limb_graph* g, const limb_edge* e, int n, int ns, random_state* s)
{
  uint32_t symbols[RANDOM_SYMBOLS];
  limb_edge d[EDGES * RANDOM_SYMBOLS];
  double got[EDGES * RANDOM_SYMBOLS], want[EDGES], size = 1;
  for (int j = 0; j < ns; j++) symbols[j] = limb_symbol_of(INPUT_Q, (uint32_t)j);
  assert_that(limb_derive(g, e, (size_t)n, symbols, (size_t)ns, d));
  edge_values(g, d, (size_t)(n * ns), s->input, got);
  for (int i = 0; i < n * ns; i++) size = fmax(size, fabs(got[i]));
  for (int j = 0; j < ns; j++) {
    differences(g, e, n, s, j, want);
    for (int i = 0; i < n; i++) assert_close(got[i * ns + j], want[i], 0, TOL_FD * size);
  }
}

START_TEST(derivatives_are_limits_of_differences)
{
  for (int k = 0; k < GRAPHS; k++) {
    rng r = {(uint64_t)(GRAPHS * _i + k + 1)};
    check_at("graph %d", GRAPHS * _i + k);
    limb_graph* g = limb_graph_create(NULL, 1U << 20);
    assert_that(g);
    limb_edge e[EDGES];
    random_state s = {0};
    random_state_draw(&s, &r);
    random_edges(g, &r, e, EDGES);
    e[1] = limb_edge_neg(e[1]);
    compare(g, e, 2, RANDOM_SYMBOLS, &s);
    compare(g, e, EDGES, 2, &s);
    limb_graph_free(g);
  }
}
END_TEST

START_TEST(what_does_not_depend_has_derivative_zero)
{
  limb_graph* g = limb_graph_create(NULL, 1U << 10);
  assert_that(g);
  const limb_edge a = symbol_q(g, 0);
  const limb_edge e[] = {limb_number_edge(g, 3), limb_unary_edge(g, OP_SIGN, a), a};
  const uint32_t symbols[] = {limb_symbol_of(INPUT_Q, 0), limb_symbol_of(INPUT_Q, 5), limb_symbol_of(INPUT_V, 0),
                              limb_symbol_of(INPUT_A, 0)};
  limb_edge d[12];
  for (size_t ns = 2; ns <= 4; ns += 2) {
    assert_that(limb_derive(g, e, 3, symbols, ns, d));
    for (size_t i = 0; i < 3 * ns; i++) {
      assert_that(d[i] == (i == 2 * ns ? limb_number_edge(g, 1) : EDGE_ZERO));
    }
  }
  limb_graph_free(g);
}
END_TEST

START_TEST(a_full_graph_is_reported)
{
  limb_graph* g = limb_graph_create(NULL, 6);
  assert_that(g);
  const limb_edge a = symbol_q(g, 0), b = symbol_q(g, 1);
  const limb_edge e[] = {limb_unary_edge(g, OP_SIN, limb_mul_edge(g, a, b))};
  const uint32_t symbols[] = {limb_symbol_of(INPUT_Q, 0)};
  limb_edge d[1];
  assert_that(!limb_derive(g, e, 1, symbols, 1, d));
  limb_graph_free(g);
}
END_TEST

// d tau / d q and d tau / d v of what was traced as inverse dynamics are what
// limb_inverse_dynamics_derivatives gives.
START_TEST(derivatives_of_inverse_dynamics_are_the_librarys)
{
  static const char* const names[] = {"planar_2r", "ur5", "panda"};
  limb_model* m = robot_find(names[_i])->make();
  limb_data* data;
  assert_ok(limb_data_create(m, NULL, &data));
  limb_program* p;
  limb_error error = {0};
  const limb_codegen_options o = limb_default_codegen_options();
  assert_ok(limb_trace(m, &o, NULL, &p, &error));
  const size_t n = (size_t)limb_nv(m);
  uint32_t symbols[14];
  limb_edge d[7 * 14];
  for (uint32_t i = 0; i < n; i++) {
    symbols[i] = limb_symbol_of(INPUT_Q, i), symbols[n + i] = limb_symbol_of(INPUT_V, i);
  }
  assert_that(limb_derive(p->graph, p->function[0].output[0].entry, n, symbols, 2 * n, d));
  rng r = {11};
  double q[7], v[7], a[7], got[7 * 14], tau[7], by_q[49], by_v[49], M[49], want[7 * 14];
  rng_fill(&r, 3, 7, q), rng_fill(&r, 2, 7, v), rng_fill(&r, 5, 7, a);
  const double* input[INPUT_KINDS] = {q, v, a};
  edge_values(p->graph, d, n * 2 * n, input, got);
  const limb_id_derivatives out = {tau, by_q, by_v, M};
  assert_ok(limb_inverse_dynamics_derivatives(data, q, v, a, NULL, &out));
  for (size_t i = 0; i < n; i++) {
    memcpy(want + 2 * n * i, by_q + n * i, n * sizeof *want);
    memcpy(want + 2 * n * i + n, by_v + n * i, n * sizeof *want);
  }
  assert_close_array(got, want, (int)(2 * n * n), TOL_ALGEBRA, 0);
  limb_program_free(p);
  limb_data_destroy(data);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("codegen/derive", 3, derivatives_are_limits_of_differences, what_does_not_depend_has_derivative_zero,
           a_full_graph_is_reported, derivatives_of_inverse_dynamics_are_the_librarys)
