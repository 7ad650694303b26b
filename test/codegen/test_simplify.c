// Simplification: the same values for fewer operations. Identities that a person would use, all fixtures,
// random expressions.
#include "codegen/simplify.h"

#include "codegen/program.h"
#include "codegen/trace.h"

#include "counted.h"
#include "random_graph.h"
#include "support/robots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES = 4, GRAPHS = CHECK_SANITIZED ? 5 : 40, STATES = 3, LESS_WORK = 100000 };

// ---- identities -----------------------------------------------------------------------------------------

typedef struct sheet {
  limb_graph* g;
  limb_edge x[8]; // symbols
} sheet;

static sheet sheet_new(void)
{
  sheet s = {limb_graph_create(NULL, 1U << 16), {0}};
  assert_that(s.g);
  for (uint32_t i = 0; i < 8; i++) s.x[i] = symbol_q(s.g, i);
  return s;
}

static limb_edge sum_of(const sheet* s, limb_edge a, limb_edge b) { return limb_add_edge(s->g, a, b); }
static limb_edge difference_of(const sheet* s, limb_edge a, limb_edge b)
{
  return limb_add_edge(s->g, a, limb_edge_neg(b));
}
static limb_edge product_of(const sheet* s, limb_edge a, limb_edge b) { return limb_mul_edge(s->g, a, b); }

// That what it comes to needs no more than this.
static void comes_to(sheet* s, limb_edge* e, size_t n, long mul, long add)
{
  assert_that(limb_simplify(s->g, e, n, LIMB_SIMPLIFY_WORK));
  const counts c = count(s->g, e, n);
  check_at("%ld multiplications, %ld additions", c.mul, c.add);
  assert_that(c.mul <= mul && c.add <= add && c.div == 0);
  limb_graph_free(s->g);
}

START_TEST(what_cancels_goes)
{
  sheet s = sheet_new();
  limb_edge e[] = {difference_of(&s, sum_of(&s, s.x[0], s.x[1]), s.x[0])};
  const limb_edge want = s.x[1];
  comes_to(&s, e, 1, 0, 0);
  assert_that(e[0] == want);
}
END_TEST

// (n - o F) + o (F + x) = n + o x, where F + x is needed as well
START_TEST(forces_carried_along_an_offset_cancel)
{
  sheet s = sheet_new();
  const limb_edge n = s.x[0], o = s.x[1], F = s.x[2], x = s.x[3], sum = sum_of(&s, F, x);
  limb_edge e[] = {sum_of(&s, difference_of(&s, n, product_of(&s, o, F)), product_of(&s, o, sum)), sum};
  comes_to(&s, e, 2, 1, 2);
}
END_TEST

START_TEST(common_factors_come_out)
{
  sheet s = sheet_new();
  const limb_edge kx = product_of(&s, limb_number_edge(s.g, 3.7), s.x[0]);
  const limb_edge kxy = product_of(&s, kx, s.x[1]),
                  kxz = product_of(&s, product_of(&s, s.x[2], s.x[0]), limb_number_edge(s.g, 3.7));
  limb_edge e[] = {sum_of(&s, kxy, kxz)};
  comes_to(&s, e, 1, 2, 1);
}
END_TEST

START_TEST(like_terms_are_one)
{
  sheet s = sheet_new();
  const limb_edge a = product_of(&s, limb_number_edge(s.g, 0.3), s.x[0]);
  const limb_edge b = product_of(&s, limb_number_edge(s.g, 0.4), s.x[0]);
  limb_edge e[] = {sum_of(&s, sum_of(&s, a, s.x[1]), b)};
  comes_to(&s, e, 1, 1, 1);
}
END_TEST

// 0.3 (x0 + x1) - 0.47 (x0 - x1), where neither sum is needed elsewhere
START_TEST(multiples_of_sums_are_written_out)
{
  sheet s = sheet_new();
  const limb_edge sum = sum_of(&s, s.x[0], s.x[1]), difference = sum_of(&s, s.x[0], limb_edge_neg(s.x[1]));
  limb_edge e[] = {sum_of(&s, product_of(&s, limb_number_edge(s.g, 0.3), sum),
                          limb_edge_neg(product_of(&s, limb_number_edge(s.g, 0.47), difference)))};
  comes_to(&s, e, 1, 2, 1);
}
END_TEST

START_TEST(sums_share_their_parts)
{
  sheet s = sheet_new();
  limb_edge e[4];
  for (int i = 0; i < 4; i++) { // (x0 + x[4+i]) + x1: x0 + x1 is common
    e[i] = sum_of(&s, sum_of(&s, s.x[0], s.x[4 + i]), s.x[1]);
  }
  comes_to(&s, e, 4, 0, 5);
}
END_TEST

START_TEST(squares_of_sine_and_cosine_add_up_to_one)
{
  sheet s = sheet_new();
  const limb_edge c = limb_unary_edge(s.g, OP_COS, s.x[0]), z = limb_unary_edge(s.g, OP_SIN, s.x[0]);
  limb_edge e[] = {
    sum_of(&s, product_of(&s, c, product_of(&s, c, s.x[1])), product_of(&s, product_of(&s, z, s.x[1]), z))};
  const limb_edge want = s.x[1];
  comes_to(&s, e, 1, 0, 0);
  assert_that(e[0] == want);
}
END_TEST

// c3 (c2 w) - s3 (s2 w) and c3 (s2 w) + s3 (c2 w), for three w: cosine and sine of the sum once for all
START_TEST(angles_about_parallel_axes_are_added_once)
{
  sheet s = sheet_new();
  const limb_edge c2 = limb_unary_edge(s.g, OP_COS, s.x[0]), s2 = limb_unary_edge(s.g, OP_SIN, s.x[0]);
  const limb_edge c3 = limb_unary_edge(s.g, OP_COS, s.x[1]), s3 = limb_unary_edge(s.g, OP_SIN, s.x[1]);
  limb_edge e[6];
  for (int i = 0; i < 3; i++) {
    const limb_edge cw = product_of(&s, c2, s.x[2 + i]), sw = product_of(&s, s2, s.x[2 + i]);
    e[2 * i] = difference_of(&s, product_of(&s, c3, cw), product_of(&s, s3, sw));
    e[2 * i + 1] = sum_of(&s, product_of(&s, c3, sw), product_of(&s, s3, cw));
  }
  comes_to(&s, e, 6, 4 + 6, 2);
}
END_TEST

// Signs, roots and hyperbolic tangents: nothing is assumed of them.
START_TEST(opaque_functions_stay)
{
  sheet s = sheet_new();
  const limb_edge a = limb_unary_edge(s.g, OP_SIGN, s.x[0]);
  const limb_edge above = sum_of(&s, limb_number_edge(s.g, 20), s.x[1]);
  limb_edge e[] = {product_of(&s, a, s.x[1]), limb_unary_edge(s.g, OP_SIGN, above)};
  const limb_edge kept[] = {e[0], e[1]};
  assert_that(limb_simplify(s.g, e, 2, LIMB_SIMPLIFY_WORK));
  assert_that(e[0] == kept[0] && e[1] == kept[1]);
  limb_graph_free(s.g);
}
END_TEST

// ---- the same values ------------------------------------------------------------------------------------

static double largest(const double* x, size_t n)
{
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

START_TEST(random_expressions_keep_their_values)
{
  for (int k = 0; k < GRAPHS; k++) {
    rng r = {(uint64_t)(GRAPHS * _i + k + 1)};
    check_at("graph %d", GRAPHS * _i + k);
    limb_graph* g = limb_graph_create(NULL, 1U << 20);
    assert_that(g);
    limb_edge before[EDGES], after[EDGES];
    random_edges(g, &r, before, EDGES);
    memcpy(after, before, sizeof after);
    assert_that(limb_simplify(g, after, EDGES, LESS_WORK));
    assert_that(count(g, after, EDGES).all <= count(g, before, EDGES).all);
    for (int i = 0; i < STATES; i++) {
      random_state s = {0};
      random_state_draw(&s, &r);
      double want[EDGES], got[EDGES];
      edge_values(g, before, EDGES, s.input, want), edge_values(g, after, EDGES, s.input, got);
      assert_close_array(got, want, EDGES, 1e-12, 0);
    }
    limb_graph_free(g);
  }
}
END_TEST

typedef struct inputs {
  double* x[INPUT_KINDS];
} inputs;

static inputs inputs_draw(const limb_program* p, rng* r)
{
  inputs in;
  for (int k = 0; k < INPUT_KINDS; k++) {
    const limb_input* from = &p->input[k];
    in.x[k] = calloc((size_t)from->count + 1, sizeof *in.x[k]);
    assert_that(in.x[k]);
    rng_fill(r, 2, from->count, in.x[k]);
    if (from->value) memcpy(in.x[k], from->value, (size_t)from->count * sizeof *in.x[k]);
  }
  return in;
}

static void inputs_free(inputs* in)
{
  for (int k = 0; k < INPUT_KINDS; k++) free(in->x[k]);
}

static void output_keeps_values(const limb_program* p, const limb_output* o, double tolerance)
{
  const size_t n = (size_t)o->rows * (size_t)o->columns;
  limb_edge* after = malloc(n * sizeof *after);
  double *want = malloc(n * sizeof *want), *got = malloc(n * sizeof *got);
  assert_that(after && want && got);
  memcpy(after, o->entry, n * sizeof *after);
  assert_that(limb_simplify(p->graph, after, n, LESS_WORK));
  assert_that(count(p->graph, after, n).all <= count(p->graph, o->entry, n).all);
  rng r = {5};
  for (int i = 0; i < STATES; i++) {
    inputs in = inputs_draw(p, &r);
    const double* const* x = (const double* const*)in.x;
    edge_values(p->graph, o->entry, n, x, want), edge_values(p->graph, after, n, x, got);
    assert_close_array(got, want, (int)n, tolerance, tolerance * 1e-3 * largest(want, n));
    inputs_free(&in);
  }
  free(after), free(want), free(got);
}

// Larger ones have more than a test has time for.
START_TEST(robots_keep_their_values)
{
  int robots;
  const robot* table = robot_table(&robots);
  for (int i = _i; i < robots; i += 3) {
    if (table[i].nv > 40) continue;
    limb_model* m = table[i].make();
    limb_codegen_options o = limb_default_codegen_options();
    o.what = table[i].nv <= 7 ? "tau,M,acc,C,dtau,dacc" : "tau,M,acc";
    limb_program* p;
    limb_error error = {0};
    check_at("robot %s", table[i].name);
    if (limb_trace(m, &o, NULL, &p, &error) == LIMB_OK) {
      for (int f = 0; f < p->nfunction; f++) {
        const limb_function* x = &p->function[f];
        const int solves = strcmp(x->name, "acc") == 0 || strcmp(x->name, "dacc") == 0;
        check_at("robot %s, %s", table[i].name, x->name);
        for (int k = 0; k < x->noutput; k++) {
          output_keeps_values(p, &x->output[k], solves ? 1e-11 : 1e-14);
        }
      }
      limb_program_free(p);
    } else {
      assert_that(table[i].nv == 0 || strstr(table[i].name, "weightless"));
    }
    limb_model_destroy(m);
  }
}
END_TEST

// ---- edges ----------------------------------------------------------------------------------------------

START_TEST(the_same_comes_out_again)
{
  limb_edge e[2][EDGES];
  uint32_t nodes[2];
  for (int k = 0; k < 2; k++) {
    rng r = {99};
    limb_graph* g = limb_graph_create(NULL, 1U << 20);
    assert_that(g);
    random_edges(g, &r, e[k], EDGES);
    assert_that(limb_simplify(g, e[k], EDGES, LESS_WORK));
    nodes[k] = limb_graph_count(g);
    limb_graph_free(g);
  }
  assert_that(nodes[0] == nodes[1] && memcmp(e[0], e[1], sizeof e[0]) == 0);
}
END_TEST

// Four sums that would share a new one, in a graph without room for it.
START_TEST(without_room_edges_stay)
{
  limb_graph* g = limb_graph_create(NULL, 1 + 6 + 8);
  assert_that(g);
  limb_edge e[4], kept[4];
  for (uint32_t i = 0; i < 4; i++) {
    const limb_edge first = limb_add_edge(g, symbol_q(g, 0), symbol_q(g, 2 + i));
    e[i] = limb_add_edge(g, first, symbol_q(g, 1));
  }
  assert_that(!limb_graph_full(g));
  memcpy(kept, e, sizeof e);
  assert_that(!limb_simplify(g, e, 4, LIMB_SIMPLIFY_WORK));
  assert_that(memcmp(kept, e, sizeof e) == 0);
  assert_that(limb_simplify(g, NULL, 0, LIMB_SIMPLIFY_WORK));
  limb_graph_free(g);
}
END_TEST

// A chain of tens of thousands of operations: no recursion.
START_TEST(deep_graphs_are_no_matter)
{
  enum { DEEP = CHECK_SANITIZED ? 3000 : 30000 };
  sheet s = sheet_new();
  limb_graph_free(s.g);
  s.g = limb_graph_create(NULL, 8 * DEEP);
  assert_that(s.g);
  limb_edge e = symbol_q(s.g, 0);
  const limb_edge x = symbol_q(s.g, 1), half = limb_number_edge(s.g, 0.5);
  for (int i = 0; i < DEEP / 2; i++) e = sum_of(&s, product_of(&s, half, e), i % 3 ? x : symbol_q(s.g, 2));
  const counts before = count(s.g, &e, 1);
  assert_that(before.all >= DEEP - 2 && limb_simplify(s.g, &e, 1, 0));
  assert_that(count(s.g, &e, 1).all <= before.all);
  limb_graph_free(s.g);
}
END_TEST

// u z never becomes (u/w) (w z), whatever that saves: where w is zero, u z is a number.
START_TEST(no_divisors_are_gained)
{
  for (int k = 0; k < GRAPHS; k++) {
    sheet s = sheet_new();
    const limb_edge u = s.x[0], z = s.x[1], y = s.x[2], w = limb_unary_edge(s.g, OP_SIN, s.x[3]);
    const limb_edge more = limb_add_edge(s.g, s.x[4 + k % 3], limb_number_edge(s.g, k));
    limb_edge e[] = {limb_div_edge(s.g, u, w), product_of(&s, w, z), product_of(&s, u, z),
                     product_of(&s, product_of(&s, w, y), more),
                     sum_of(&s, product_of(&s, u, y), product_of(&s, more, z))};
    double q[8] = {0.3, -0.7, 1.1, 0, 0.4, 0.9, -1.3, 0.2}, out[5];
    const double* input[INPUT_KINDS] = {[INPUT_Q] = q};
    assert_that(limb_simplify(s.g, e, 5, LIMB_SIMPLIFY_WORK));
    assert_that(limb_evaluate(s.g, e, 5, input, out));
    check_at("graph %d", k);
    for (int i = 1; i < 5; i++) assert_that(isfinite(out[i]));
    limb_graph_free(s.g);
  }
}
END_TEST

CHECK_MAIN("codegen/simplify", 3, what_cancels_goes, forces_carried_along_an_offset_cancel, common_factors_come_out,
           like_terms_are_one, multiples_of_sums_are_written_out, sums_share_their_parts,
           squares_of_sine_and_cosine_add_up_to_one, angles_about_parallel_axes_are_added_once, opaque_functions_stay,
           random_expressions_keep_their_values, robots_keep_their_values, the_same_comes_out_again,
           without_room_edges_stay, deep_graphs_are_no_matter, no_divisors_are_gained)
