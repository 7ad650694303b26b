// Generated text: counts and order of statements over graphs made by hand; literals, names, refusals, and
// what every text promises, over fixtures. Compiling and running the texts is test_generated.py.
#include "limb/codegen.h"

#include "codegen/codegen_impl.h"
#include "support/budget.h"
#include "support/check.h"
#include "support/rng.h"
#include "support/robots.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- programs made by hand ------------------------------------------------------------------------------

typedef struct hand_made {
  limb_graph* g;
  limb_function f;
  limb_edge entry[8];
} hand_made;

static limb_edge coordinate(limb_graph* g, uint32_t i) { return limb_symbol_edge(g, limb_symbol_of(INPUT_Q, i)); }

static limb_edge speed(limb_graph* g, uint32_t i) { return limb_symbol_edge(g, limb_symbol_of(INPUT_V, i)); }

// y = (s1 v2 + c1 v1, s1 v2, q1, 2, -(s12 / (c1 v1)))
static void make(hand_made* x)
{
  limb_graph* g = limb_graph_create(NULL, 1000);
  const limb_edge q1 = coordinate(g, 0), q2 = coordinate(g, 1);
  const limb_edge s1 = limb_unary_edge(g, OP_SIN, q1), c1 = limb_unary_edge(g, OP_COS, q1);
  const limb_edge s12 = limb_unary_edge(g, OP_SIN, limb_add_edge(g, q1, q2));
  const limb_edge a = limb_mul_edge(g, s1, speed(g, 1)), b = limb_mul_edge(g, c1, speed(g, 0));
  const limb_edge entry[] = {limb_add_edge(g, a, b), a, q1, limb_number_edge(g, 2),
                             limb_edge_neg(limb_div_edge(g, s12, b))};
  *x = (hand_made){.g = g, .f = {.name = "y", .noutput = 1}};
  memcpy(x->entry, entry, sizeof entry);
  x->f.output[0] = (limb_output){.name = "y", .rows = 5, .columns = 1, .entry = x->entry};
}

START_TEST(counts_of_operations)
{
  hand_made x;
  limb_operations n;
  make(&x);
  assert_that(limb_count_operations(x.g, &x.f, &n));
  ck_assert_int_eq(n.mul, 2);
  ck_assert_int_eq(n.add, 2); // that of the angle as well
  ck_assert_int_eq(n.div, 1);
  ck_assert_int_eq(n.sines, 2);
  ck_assert_int_eq(n.other, 0);
  limb_graph_free(x.g);
}
END_TEST

typedef struct before {
  const limb_schedule* l;
  uint32_t at;
} before;

static void comes_before(void* context, uint32_t leaf)
{
  const before* b = context;
  if (b->l->position[leaf]) assert_that(b->l->position[leaf] - 1 < b->at);
  if (limb_graph_node(b->l->g, leaf)->op == OP_SYMBOL) assert_that(b->at <= b->l->last_read);
}

// Operands come first, every statement occurs once, and no output is stored before all inputs are read.
static void check_listing(const limb_schedule* l)
{
  uint32_t stored = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    before b = {l, i};
    ck_assert_uint_eq(l->position[l->node[i]], i + 1);
    if (limb_graph_node(l->g, l->node[i])->op != OP_SYMBOL) {
      limb_statement_leaves(l, l->node[i], comes_before, &b);
    }
    if (i < l->last_read) ck_assert_uint_eq(l->stores[i], l->stores[i + 1]);
    stored += l->stores[i + 1] - l->stores[i];
  }
  stored += l->stores[l->count + 1] - l->stores[l->count];
  ck_assert_uint_eq(stored, l->entries);
  assert_that(l->max_live <= l->count);
}

START_TEST(orders_are_orders)
{
  hand_made x;
  uint32_t live[SCHEDULE_LATENCY + 1][2];
  make(&x);
  for (int order = SCHEDULE_REGISTERS; order <= SCHEDULE_LATENCY; order++) {
    for (int given = 0; given < 2; given++) {
      limb_schedule l;
      const limb_schedule_options how = {.order = (limb_schedule_kind)order, .given_sines = given};
      assert_that(limb_schedule_create(x.g, &x.f, NULL, how, &l));
      check_listing(&l);
      ck_assert_uint_eq(l.nangle, 2);
      ck_assert_str_eq(l.angle[0].name, "1");
      ck_assert_str_eq(l.angle[1].name, "12");
      live[order][given] = l.max_live;
      limb_schedule_free(&l);
    }
  }
  for (int order = SCHEDULE_GRAPH; order <= SCHEDULE_GREEDY; order++) {
    for (int given = 0; given < 2; given++) assert_that(live[SCHEDULE_REGISTERS][given] <= live[order][given]);
  }
  limb_graph_free(x.g);
}
END_TEST

// A thousand deep and wide at random: no recursion on depth, and all orders hold.
START_TEST(orders_of_random_graphs)
{
  rng r = {7};
  enum { NODES = 3000, OUT = 40 };
  static limb_edge edge[NODES], out[OUT];
  limb_graph* g = limb_graph_create(NULL, 10 * NODES);
  for (int i = 0; i < NODES; i++) {
    const limb_edge a = i ? edge[i - 1 - rng_below(&r, i < 50 ? i : 50)] : coordinate(g, 0);
    const limb_edge b = i > 5 ? edge[rng_below(&r, i)] : speed(g, (uint32_t)i);
    edge[i] = rng_chance(&r, 0.5)    ? limb_add_edge(g, a, limb_edge_neg(b))
              : rng_chance(&r, 0.05) ? limb_unary_edge(g, OP_SIN, a)
                                     : limb_mul_edge(g, a, b);
    if (edge[i] == EDGE_ZERO) edge[i] = coordinate(g, (uint32_t)i);
  }
  for (int i = 0; i < OUT; i++) out[i] = edge[NODES - 1 - 7 * i];
  limb_function f = {.name = "y", .noutput = 1};
  f.output[0] = (limb_output){.name = "y", .rows = OUT, .columns = 1, .entry = out};
  for (int order = SCHEDULE_REGISTERS; order <= SCHEDULE_LATENCY; order++) {
    limb_schedule l;
    const limb_schedule_options how = {.order = (limb_schedule_kind)order, .named_arguments = order & 1};
    assert_that(limb_schedule_create(g, &f, NULL, how, &l));
    check_listing(&l);
    limb_schedule_free(&l);
  }
  limb_graph_free(g);
}
END_TEST

// ---- literals and names ---------------------------------------------------------------------------------

static const char* literal(limb_emitter* e, double x)
{
  limb_text_clear(&e->scratch);
  limb_emit_literal(e, x);
  return e->scratch.at;
}

START_TEST(literals_read_back)
{
  rng r = {5};
  limb_emitter e = {.syntax = &limb_syntaxes[LIMB_LANGUAGE_C]};
  e.scratch.alloc = limb_default_allocator();
  ck_assert_str_eq(literal(&e, 3), "3.0");
  ck_assert_str_eq(literal(&e, 0.1), "0.1");
  ck_assert_str_eq(literal(&e, 1e20), "1e+20");
  e.options.single = 1;
  ck_assert_str_eq(literal(&e, 3), "3.0f");
  ck_assert_str_eq(literal(&e, 0.1), "0.1f");
  ck_assert_str_eq(literal(&e, 16777216), "16777216.0f");
  for (int i = 0; i < 20000; i++) {
    const double x = exp(rng_uniform(&r, -60, 60));
    e.options.single = 0;
    ck_assert(strtod(literal(&e, x), NULL) == x);
    e.options.single = 1;
    const char* text = literal(&e, x);
    ck_assert(strtof(text, NULL) == (float)x);
    ck_assert_uint_le(strcspn(text, "ef"), 12 + (x >= 1e9 ? 30 : x < 1e-3 ? 5 : 0));
  }
  limb_text_end(&e.scratch);
}
END_TEST

START_TEST(names_in_comments_are_safe)
{
  limb_text t = {.alloc = limb_default_allocator()};
  limb_text_name(&t, "a*/b/*c\nd\\e\"f\xc3\xa4?\?/g");
  ck_assert_str_eq(t.at, "a*_b/_c_d_e_f__?_/g");
  limb_text_end(&t);
}
END_TEST

START_TEST(prefixes)
{
  static const char* const cases[][2] = {{"panda", "panda"},   {"7 dof/arm", "robot_7_dof_arm"},  {"", "robot"},
                                         {"int", "int_robot"}, {"Gr\xc3\xbc\xc3\x9f e!", "Gr_e"}, {"_x", "x"}};
  static const char* const bad[] = {"",         "7x", "int",   "a-b",  "_x",   "a b",
                                    "\xc3\xa4", "as", "match", "from", "pass", "type"};
  char prefix[96];
  limb_codegen_options o = limb_default_codegen_options();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_ok(limb_codegen_make_prefix(&o, cases[i][0], prefix, sizeof prefix, NULL));
    ck_assert_str_eq(prefix, cases[i][1]);
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    limb_error err;
    o.prefix = bad[i];
    assert_status(limb_codegen_make_prefix(&o, "x", prefix, sizeof prefix, &err), LIMB_E_ARG);
    ck_assert_str_eq(err.where, "prefix");
  }
}
END_TEST

// Where only some letters of a name count, the names of all functions must still differ.
START_TEST(prefixes_are_short_enough)
{
  char prefix[96], letters[201];
  memset(letters, 'x', 200);
  letters[200] = '\0';
  limb_codegen_options o = limb_default_codegen_options();
  o.language = LIMB_LANGUAGE_MATLAB;
  assert_ok(limb_codegen_make_prefix(&o, letters, prefix, sizeof prefix, NULL));
  ck_assert_uint_eq(strlen(prefix) + strlen("_platform_acc"), 63);
  letters[51] = '\0', o.prefix = letters;
  assert_status(limb_codegen_make_prefix(&o, "x", prefix, sizeof prefix, NULL), LIMB_E_ARG);
  o.language = LIMB_LANGUAGE_C;
  assert_ok(limb_codegen_make_prefix(&o, "x", prefix, sizeof prefix, NULL));
}
END_TEST

// ---- refusals -------------------------------------------------------------------------------------------

typedef struct refusal {
  const char* what;
  limb_codegen_options o; // but for size and what
  const char* where;
} refusal;

START_TEST(what_does_not_go_is_refused)
{
  static const refusal cases[] = {
    {"idd", {.lanes = 1}, "what"},
    {"", {.lanes = 1}, "what"},
    {" , ", {.lanes = 1}, "what"},
    {"tau,tau", {.lanes = 1}, "what"},
    {"tau,", {.lanes = 1}, "what"},
    {"i d", {.lanes = 1}, "what"},
    {"tau", {.lanes = 3}, "lanes"},
    {"tau", {.lanes = 0}, "lanes"},
    {"tau", {.lanes = 1, .max_statements = 9}, "max_statements"},
    {"tau", {.lanes = 1, .max_statements = -1}, "max_statements"},
    {"tau", {.lanes = 1, .language = LIMB_LANGUAGE_PYTHON, .single = 1}, "single"},
    {"tau", {.lanes = 2, .language = LIMB_LANGUAGE_RUST}, "lanes"},
    {"tau", {.lanes = 1, .language = LIMB_LANGUAGE_JULIA, .sines = LIMB_SINES_OWN}, "sines"},
    {"tau", {.lanes = 1, .language = LIMB_LANGUAGE_LATEX, .max_statements = 50}, "max_statements"},
    {"tau", {.lanes = 1, .language = (limb_language)6}, "language"},
    {"tau", {.lanes = 1, .sines = (limb_sines)3}, "sines"},
    {"tau", {.lanes = 1, .symbols = (limb_symbols)3}, "symbols"},
    {"tau", {.lanes = 1, .coulomb_width = -1}, "coulomb_width"},
    {"tau", {.lanes = 1, .coulomb_width = (double)NAN}, "coulomb_width"},
    {"tau", {.lanes = 1, .prefix = "for"}, "prefix"},
    {"J", {.lanes = 1, .frame = "nowhere"}, "frame"}};
  limb_model* m = robot_planar_2r();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    limb_codegen_options o = cases[i].o;
    limb_codegen* c = (limb_codegen*)&o; // must become NULL
    limb_error err = {0};
    o.size = sizeof o, o.what = cases[i].what;
    check_at("case %zu", i);
    assert_status(limb_codegen_create(m, &o, NULL, &c, &err), LIMB_E_ARG);
    assert_that(c == NULL);
    ck_assert_str_eq(err.where, cases[i].where);
    ck_assert_uint_gt(strlen(err.text), 10);
    assert_status(limb_codegen_create(m, &o, NULL, &c, NULL), LIMB_E_ARG);
  }
  limb_codegen* c;
  assert_status(limb_codegen_create(NULL, NULL, NULL, &c, NULL), LIMB_E_ARG);
  assert_status(limb_codegen_create(m, NULL, NULL, NULL, NULL), LIMB_E_ARG);
  limb_model_destroy(m);
}
END_TEST

START_TEST(singular_forms_are_refused)
{
  limb_model* m = robot_weightless();
  limb_codegen_options o = limb_default_codegen_options();
  limb_codegen* c;
  limb_error err = {0};
  o.what = "acc";
  assert_status(limb_codegen_create(m, &o, NULL, &c, &err), LIMB_E_UNSUPPORTED);
  assert_that(c == NULL);
  ck_assert_str_eq(err.where, "acc");
  limb_model_destroy(m);
}
END_TEST

// An expression that is not the library's is not written.
START_TEST(disagreement_is_found)
{
  hand_made x;
  double q[5 * 2], v[5 * 2], answer[5 * 5] = {0}, difference;
  limb_trial_of of[1] = {{.reference = answer, .from_library = true}};
  rng r = {3};
  rng_fill(&r, 1, 10, q);
  rng_fill(&r, 1, 10, v);
  limb_program* p = limb_program_create(NULL);
  make(&x);
  limb_graph_free(p->graph);
  p->graph = x.g, p->function = &x.f, p->nfunction = 1;
  p->input[INPUT_Q].count = p->input[INPUT_V].count = 2;
  limb_trial t = {.states = 5, .of = of};
  for (int k = 0; k < INPUT_KINDS; k++) t.input[k] = k == INPUT_Q ? q : v;
  for (int i = 0; i < 5; i++) {
    const double *a = q + 2 * i, *b = v + 2 * i;
    double* y = answer + 5 * i;
    y[1] = sin(a[0]) * b[1];
    y[0] = y[1] + cos(a[0]) * b[0];
    y[2] = a[0], y[3] = 2;
    y[4] = -sin(a[0] + a[1]) / (cos(a[0]) * b[0]);
  }
  assert_ok(limb_trial_compare(&t, p, 0, false, &difference, NULL));
  assert_that(difference < 1e-14 && of[0].tolerance >= 1e-12);
  assert_ok(limb_trial_compare(&t, p, 0, true, &difference, NULL));
  assert_that(difference > 1e-10 && difference < 1e-5 && of[0].tolerance >= 1e-5);
  answer[13] += 1e-4;
  assert_status(limb_trial_compare(&t, p, 0, false, &difference, NULL), LIMB_E_UNSUPPORTED);
  answer[13] = (double)NAN;
  assert_status(limb_trial_compare(&t, p, 0, false, &difference, NULL), LIMB_E_UNSUPPORTED);
  limb_program_free(p);
}
END_TEST

// Eight links in a row, each ten times as heavy as the last: too badly conditioned for float.
START_TEST(float_must_have_the_digits)
{
  limb_model* m = robot_planar(8, 10);
  limb_codegen_options o = limb_default_codegen_options();
  limb_codegen* c;
  limb_error err = {0};
  o.what = "Minv", o.effort = 0.01, o.single = 1;
  assert_status(limb_codegen_create(m, &o, NULL, &c, &err), LIMB_E_UNSUPPORTED);
  ck_assert_str_eq(err.where, "Minv");
  assert_that(strstr(err.text, "float") != NULL);
  o.single = 0;
  assert_ok(limb_codegen_create(m, &o, NULL, &c, &err));
  limb_codegen_free(c);
  limb_model_destroy(m);
}
END_TEST

// ---- memory ---------------------------------------------------------------------------------------------

START_TEST(no_memory_is_no_text)
{
  limb_model* m = robot_planar_2r();
  limb_codegen_options o = limb_default_codegen_options();
  o.max_statements = 10, o.what = "tau,M", o.symbols = LIMB_SYMBOLS_INERTIA, o.effort = 1e-4;
  limb_status s = LIMB_E_NOMEM;
  for (int n = 0; s != LIMB_OK; n++) {
    budget count = {limb_default_allocator(), n, 0};
    const limb_allocator alloc = {budget_alloc, budget_free, &count};
    limb_codegen* c = NULL;
    s = limb_codegen_create(m, &o, &alloc, &c, NULL);
    assert_that(s == LIMB_OK || s == LIMB_E_NOMEM);
    assert_that((c != NULL) == (s == LIMB_OK));
    limb_codegen_free(c);
    check_at("%d allocations", n);
    ck_assert_int_eq(count.live, 0);
    ck_assert_int_lt(n, 5000);
  }
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("codegen/emit", 1, counts_of_operations, orders_are_orders, orders_of_random_graphs, literals_read_back,
           names_in_comments_are_safe, prefixes, prefixes_are_short_enough, what_does_not_go_is_refused,
           singular_forms_are_refused, disagreement_is_found, float_must_have_the_digits, no_memory_is_no_text)
