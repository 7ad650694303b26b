// Polynomials: arithmetic against numbers, equal ones have equal terms, limits.
#include "codegen/simplify.h"

#include "base/memory.h"

#include "support/budget.h"
#include "support/check.h"
#include "support/rng.h"

#include <math.h>

enum { VARIABLES = 6, SINE = 4, COSINE = 5, TERMS = 6, CASES = 200, TERMS_MAX = 10000 };

static limb_poly random_poly(limb_ring* r, rng* g)
{
  limb_poly sum = {0, NULL};
  for (int i = rng_below(g, TERMS); i >= 0; i--) {
    limb_poly product = limb_poly_number(r, rng_uniform(g, -2, 2));
    for (int k = rng_below(g, 4); k > 0; k--)
      product = limb_poly_product(r, product, limb_poly_variable(r, rng_below(g, VARIABLES)));
    sum = limb_poly_sum(r, sum, product, 1);
  }
  return sum;
}

// One variable is the sine, another the cosine of an angle.
static void random_values(rng* g, double* x)
{
  rng_fill(g, 2, VARIABLES, x);
  const double angle = rng_uniform(g, -3, 3);
  x[SINE] = sin(angle), x[COSINE] = cos(angle);
}

static limb_ring* make_ring(limb_program** p, int max_terms)
{
  *p = limb_program_create(NULL);
  assert_that(*p);
  limb_ring* r = limb_ring_create(*p, VARIABLES, max_terms);
  ck_assert_ptr_nonnull(r);
  if (max_terms == TERMS_MAX) limb_ring_pair(r, SINE, COSINE);
  return r;
}

START_TEST(values)
{
  limb_program* p;
  limb_ring* r = make_ring(&p, TERMS_MAX);
  rng g = {1};
  for (int k = 0; k < CASES; k++) {
    double x[VARIABLES];
    const limb_poly a = random_poly(r, &g), b = random_poly(r, &g);
    random_values(&g, x);
    const double va = limb_poly_value(r, a, x), vb = limb_poly_value(r, b, x);
    assert_close(limb_poly_value(r, limb_poly_sum(r, a, b, -0.5), x), va - 0.5 * vb, 1e-12, 1e-12);
    assert_close(limb_poly_value(r, limb_poly_product(r, a, b), x), va * vb, 1e-12, 1e-11);
    assert_close(limb_poly_value(r, limb_poly_scale(r, a, 3), x), 3 * va, 1e-12, 1e-12);
  }
  assert_status(limb_ring_status(r), LIMB_OK);
  limb_program_free(p);
}
END_TEST

START_TEST(slopes)
{
  limb_program* p;
  limb_ring* r = make_ring(&p, TERMS_MAX);
  rng g = {2};
  for (int k = 0; k < CASES; k++) {
    double x[VARIABLES];
    const limb_poly a = random_poly(r, &g);
    const int v = rng_below(&g, VARIABLES);
    random_values(&g, x);
    const double slope = limb_poly_value(r, limb_poly_derivative(r, a, v), x), h = 1e-5;
    x[v] += h;
    const double above = limb_poly_value(r, a, x);
    x[v] -= 2 * h;
    assert_close(slope, (above - limb_poly_value(r, a, x)) / (2 * h), 1e-6, 1e-6);
  }
  limb_program_free(p);
}
END_TEST

// (a + b)^2 - (a - b)^2 - 4 a b = 0, and s^2 + c^2 = 1, term by term.
START_TEST(equal_polynomials_have_equal_terms)
{
  limb_program* p;
  limb_ring* r = make_ring(&p, TERMS_MAX);
  rng g = {3};
  for (int k = 0; k < CASES; k++) {
    const limb_poly a = random_poly(r, &g), b = random_poly(r, &g);
    const limb_poly plus = limb_poly_sum(r, a, b, 1), minus = limb_poly_sum(r, a, b, -1);
    limb_poly x = limb_poly_product(r, plus, plus);
    x = limb_poly_sum(r, x, limb_poly_product(r, minus, minus), -1);
    x = limb_poly_sum(r, x, limb_poly_product(r, a, b), -4);
    for (int i = 0; i < x.count; i++) assert_close(x.term[i].k, 0, 0, 1e-11);
  }
  const limb_poly s = limb_poly_variable(r, SINE), c = limb_poly_variable(r, COSINE);
  const limb_poly one = limb_poly_sum(r, limb_poly_product(r, s, s), limb_poly_product(r, c, c), 1);
  ck_assert_int_eq(one.count, 1);
  assert_close(one.term[0].k, 1, 0, 0);
  assert_that(limb_poly_sum(r, one, limb_poly_number(r, 1), -1).count == 0);
  limb_program_free(p);
}
END_TEST

START_TEST(limits)
{
  limb_program* p;
  limb_ring* r = make_ring(&p, 3);
  limb_poly sum = {0, NULL};
  for (int v = 0; v < 3; v++) sum = limb_poly_sum(r, sum, limb_poly_variable(r, v), 1);
  assert_status(limb_ring_status(r), LIMB_OK);
  sum = limb_poly_sum(r, sum, limb_poly_variable(r, 3), 1);
  assert_status(limb_ring_status(r), LIMB_E_UNSUPPORTED);
  ck_assert_int_eq(sum.count, 0);
  limb_program_free(p);
  r = make_ring(&p, TERMS_MAX);
  limb_poly x = limb_poly_variable(r, 0);
  for (int k = 0; k < 8; k++) x = limb_poly_product(r, x, x); // x^256
  assert_status(limb_ring_status(r), LIMB_E_UNSUPPORTED);
  limb_program_free(p);
}
END_TEST

// Coefficients whose products are too small for a number are gone.
START_TEST(products_too_small)
{
  limb_program* p;
  limb_ring* r = make_ring(&p, 100000);
  limb_poly power = limb_poly_number(r, 1e-200), sum = {0, NULL};
  for (int k = 0; k <= 100; k++) {
    sum = limb_poly_sum(r, sum, power, 1);
    power = limb_poly_product(r, power, limb_poly_variable(r, 0));
  }
  ck_assert_int_eq(limb_poly_product(r, sum, sum).count, 0);
  assert_ok(limb_ring_status(r));
  limb_program_free(p);
}
END_TEST

START_TEST(no_memory)
{
  for (int left = 0; left < 40; left++) {
    budget b = {limb_default_allocator(), left, 0};
    const limb_allocator alloc = {budget_alloc, budget_free, &b};
    limb_program* p = limb_program_create(&alloc);
    limb_ring* r = p ? limb_ring_create(p, VARIABLES, 100000) : NULL;
    rng g = {4};
    limb_poly x = {0, NULL};
    for (int k = 0; r && k < 6; k++) {
      const limb_poly summand = random_poly(r, &g);
      x = limb_poly_sum(r, limb_poly_product(r, x, random_poly(r, &g)), summand, 1);
    }
    if (r && limb_ring_status(r) != LIMB_OK) {
      assert_status(limb_ring_status(r), LIMB_E_NOMEM);
      ck_assert_int_eq(x.count, 0);
    }
    limb_program_free(p);
    ck_assert_int_eq(b.live, 0);
  }
}
END_TEST

CHECK_MAIN("codegen/polynomial", 1, values, slopes, equal_polynomials_have_equal_terms, limits, products_too_small,
           no_memory)
