// Sums and products of the equations in text, LaTeX and C.
//
// Terms are grouped as people do: gravity forces by mass, m2 g (l1 c1 + r2 c12); terms that differ in velocities
// only, -m2 l1 r2 s2 v2 (2 v1 + v2); long sums by mass.
#include "base/number.h"
#include "codegen/equations.h"
#include "codegen/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONG_SUM = 8, DIGITS = 13 }; // sums of more terms are grouped by mass; digits of a number

static bool is(const limb_equations* x, limb_notation n) { return x->options.notation == n; }

// ---- numbers and variables -----------------------------------------------------------------------------------------

// The number as written: rounded for readers, which hides rounding errors of sums; complete in C.
static double shown(const limb_equations* x, double number)
{
  char text[LIMB_NUMBER_SPACE];
  const double size = fabs(number);
  if (is(x, LIMB_NOTATION_C) || !(size > 1e-200 && size < 1e200)) return number;
  const int shift = DIGITS - 1 - (int)floor(log10(size));
  const int n = snprintf(text, sizeof text, "%.0fe%d", nearbyint(number * pow(10, shift)), -shift);
  double rounded = number;
  (void)limb_scan_number(text, text + n, &rounded);
  return rounded;
}

void limb_equations_number(const limb_equations* x, limb_text* t, double number)
{
  char text[LIMB_NUMBER_SPACE];
  limb_print_number(shown(x, number), text);
  if (is(x, LIMB_NOTATION_LATEX))
    limb_text_tex_number(t, text);
  else
    limb_text_put(t, text);
}

static void put_coordinate(const limb_equations* x, limb_text* t, int q)
{
  if (is(x, LIMB_NOTATION_C))
    limb_text_print(t, "q[%d]", q);
  else
    limb_text_print(t,
                    is(x, LIMB_NOTATION_LATEX) && q < 9 ? "q_%d"
                    : is(x, LIMB_NOTATION_LATEX)        ? "q_{%d}"
                                                        : "q%d",
                    q + 1);
}

// weight . q + offset, positive terms first
void limb_equations_angle(const limb_equations* x, limb_text* t, int angle)
{
  const limb_plane_angle* a = &x->angle[angle];
  const char* times = is(x, LIMB_NOTATION_LATEX) ? "\\, " : "*";
  bool first = true;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < x->m->nq; i++) {
      const double w = a->weight[i];
      if (w == 0 || (w < 0) != (pass == 1)) continue;
      limb_text_put(t, first ? (w < 0 ? "-" : "") : w < 0 ? " - " : " + ");
      if (shown(x, fabs(w)) != 1) {
        limb_equations_number(x, t, fabs(w));
        limb_text_put(t, times);
      }
      put_coordinate(x, t, i);
      first = false;
    }
  }
  if (a->offset == 0) return;
  limb_text_put(t, a->offset < 0 ? " - " : " + ");
  limb_equations_number(x, t, fabs(a->offset));
}

// The subscript 12 of cos(q1 + q2): for sums of coordinates with one digit each. false: it has no such name.
bool limb_equations_short_angle(const limb_equations* x, int angle, char* index, size_t size)
{
  const limb_plane_angle* a = &x->angle[angle];
  size_t n = 0;
  if (a->offset != 0 || x->m->nq > 9) return false;
  for (int i = 0; i < x->m->nq; i++) {
    if (a->weight[i] == 0) continue;
    if (a->weight[i] != 1 || n + 1 >= size) return false;
    index[n++] = (char)('1' + i);
  }
  index[n] = '\0';
  return n > 0;
}

// In LaTeX, with its power: c_{12}^2, \cos^2(2 q_1).
static void put_angle_latex(const limb_equations* x, limb_text* t, int angle, bool sine, int power)
{
  char index[16];
  const bool brief = limb_equations_short_angle(x, angle, index, sizeof index);
  if (brief)
    limb_text_print(t, index[1] ? "%s_{%s}" : "%s_%s", sine ? "s" : "c", index);
  else
    limb_text_put(t, sine ? "\\sin" : "\\cos");
  if (power > 1) limb_text_print(t, power < 10 ? "^%d" : "^{%d}", power);
  if (brief) return;
  limb_text_put(t, "(");
  limb_equations_angle(x, t, angle);
  limb_text_put(t, ")");
}

static void put_angle(const limb_equations* x, limb_text* t, int angle, bool sine)
{
  char index[16];
  if (is(x, LIMB_NOTATION_C)) {
    if (limb_equations_short_angle(x, angle, index, sizeof index))
      limb_text_print(t, "%c%s", sine ? 's' : 'c', index);
    else
      limb_text_print(t, "%s_%d", sine ? "sin" : "cos", angle + 1);
    return;
  }
  limb_text_put(t, sine ? "sin(" : "cos(");
  limb_equations_angle(x, t, angle);
  limb_text_put(t, ")");
}

// A parameter: letters and subscript.
static void put_parameter(const limb_equations* x, limb_text* t, const limb_parameter_symbol* p)
{
  if (!is(x, LIMB_NOTATION_LATEX)) {
    limb_text_print(t, "%s%s", p->letters, p->index);
    return;
  }
  limb_text_print(t, "%c", p->letters[0]);
  const size_t below = strlen(p->letters) - 1 + strlen(p->index);
  if (below) limb_text_print(t, below == 1 ? "_%s%s" : "_{%s%s}", p->letters + 1, p->index);
}

static void put_rate_latex(const limb_equations* x, limb_text* t, int i, bool second)
{
  if (x->spins)
    limb_text_print(t, i < 9 ? "%s_%d" : "%s_{%d}", second ? "\\dot{v}" : "v", i + 1);
  else
    limb_text_print(t, i < 9 ? "%s{q}_%d" : "%s{q}_{%d}", second ? "\\ddot" : "\\dot", i + 1);
}

// Velocities, accelerations and signs of velocities.
static void put_rate(const limb_equations* x, limb_text* t, int variable)
{
  const bool sign = variable < x->first_v, second = variable >= x->first_a;
  const int i = variable - (sign ? x->first_sign : second ? x->first_a : x->first_v);
  const bool latex = is(x, LIMB_NOTATION_LATEX);
  if (is(x, LIMB_NOTATION_C)) {
    limb_text_print(t, sign ? "sign(v[%d])" : second ? "a[%d]" : "v[%d]", i);
    return;
  }
  if (sign) limb_text_put(t, latex ? "\\operatorname{sign}(" : "sign(");
  if (latex)
    put_rate_latex(x, t, i, second);
  else
    limb_text_print(t, "%c%d", second ? 'a' : 'v', i + 1);
  if (sign) limb_text_put(t, ")");
}

static void put_name(const limb_equations* x, limb_text* t, int variable)
{
  if (variable < x->first_angle) {
    put_parameter(x, t, &x->parameters.list[variable]);
  } else if (variable < x->first_q) {
    const int k = variable - x->first_angle;
    put_angle(x, t, k / 2, k % 2);
  } else if (variable < x->first_sign) {
    put_coordinate(x, t, variable - x->first_q);
  } else {
    put_rate(x, t, variable);
  }
}

void limb_equations_variable(const limb_equations* x, limb_text* t, int variable, int power)
{
  if (is(x, LIMB_NOTATION_LATEX) && variable >= x->first_angle && variable < x->first_q) {
    const int k = variable - x->first_angle;
    put_angle_latex(x, t, k / 2, k % 2, power);
    return;
  }
  put_name(x, t, variable);
  if (power == 1) return;
  if (is(x, LIMB_NOTATION_C)) {
    for (int k = 1; k < power; k++) {
      limb_text_put(t, "*");
      put_name(x, t, variable);
    }
  } else {
    limb_text_print(t, is(x, LIMB_NOTATION_LATEX) && power > 9 ? "^{%d}" : "^%d", power);
  }
}

// ---- products ------------------------------------------------------------------------------------------------------

static const unsigned char* exponents(const limb_equations* x, limb_term t)
{
  return limb_monomial(x->ring, t.monomial);
}

static void put_sign(limb_text* t, bool minus, bool first)
{
  limb_text_put(t, first ? (minus ? "-" : "") : minus ? " - " : " + ");
}

// Whether e has powers beyond `without` (NULL: none).
static bool has_powers(const limb_equations* x, const unsigned char* e, const unsigned char* without)
{
  for (int v = 0; v < limb_ring_count(x->ring); v++)
    if (e[v] > (without ? without[v] : 0)) return true;
  return false;
}

// |k| times the powers of e without those of `without` (NULL: none). more: a factor follows.
static void put_product(const limb_equations* x, limb_text* t, double k, const unsigned char* e,
                        const unsigned char* without, bool more)
{
  const char* times = is(x, LIMB_NOTATION_LATEX) ? " " : "*";
  const double size = shown(x, fabs(k));
  bool put = size != 1 || (!more && !has_powers(x, e, without));
  if (put && size == 0.5 && is(x, LIMB_NOTATION_LATEX))
    limb_text_put(t, "\\tfrac{1}{2}");
  else if (put)
    limb_equations_number(x, t, size);
  for (int v = 0; v < limb_ring_count(x->ring); v++) {
    const int power = e[v] - (without ? without[v] : 0);
    if (power <= 0) continue;
    if (put) limb_text_put(t, times);
    limb_equations_variable(x, t, v, power);
    put = true;
  }
  if (more && put) limb_text_put(t, times);
}

// ---- sums ----------------------------------------------------------------------------------------------------------

typedef enum level { BY_MASS, BY_VELOCITY, ONE_BY_ONE } level;

static int mass_of(const limb_equations* x, limb_term t)
{
  const unsigned char* e = exponents(x, t);
  for (int v = 0; v < x->parameters.count; v++)
    if (e[v] && x->parameters.list[v].kind == PARAMETER_MASS) return v;
  return -1;
}

static bool moves(const limb_equations* x, const unsigned char* e)
{
  for (int v = x->first_v; v < limb_ring_count(x->ring); v++)
    if (e[v]) return true;
  return false;
}

// Whether two terms belong to one group.
static bool together(const limb_equations* x, level by, limb_term s, limb_term t)
{
  if (by == BY_MASS) return mass_of(x, s) >= 0 && mass_of(x, s) == mass_of(x, t);
  const unsigned char *e = exponents(x, s), *f = exponents(x, t);
  return by == BY_VELOCITY && moves(x, e) && moves(x, f) && memcmp(e, f, (size_t)x->first_v) == 0;
}

// The number of which all coefficients are small multiples; 1: none.
static double common_number(const limb_term* t, int n)
{
  double smallest = fabs(t[0].k);
  for (int i = 1; i < n; i++) smallest = fmin(smallest, fabs(t[i].k));
  for (int i = 0; i < n; i++) {
    const double ratio = fabs(t[i].k) / smallest;
    if (ratio > 8.5 || fabs(ratio - nearbyint(ratio)) > 1e-12 * ratio) return 1;
  }
  return smallest;
}

// Multiples of a common factor are integers; their rounding would show in C.
static double whole(double ratio)
{
  const double nearest = nearbyint(ratio);
  return fabs(ratio - nearest) <= 1e-14 * fabs(ratio) ? nearest : ratio;
}

static void put_sum(const limb_equations* x, limb_text* t, limb_term* term, int n, level by,
                    const unsigned char* without, bool first);

static bool all_together(const limb_equations* x, level by, const limb_term* term, int n)
{
  for (int i = 1; i < n; i++)
    if (!together(x, by, term[0], term[i])) return false;
  return true;
}

// The powers that all terms have in common.
static unsigned char* common_powers(const limb_equations* x, const limb_term* term, int n)
{
  const int nvar = limb_ring_count(x->ring);
  unsigned char* common = limb_ring_alloc(x->ring, (size_t)nvar, 1);
  if (!common) return NULL;
  memset(common, LIMB_EXPONENT_MAX, (size_t)nvar);
  for (int i = 0; i < n; i++) {
    const unsigned char* e = exponents(x, term[i]);
    for (int v = 0; v < nvar; v++) common[v] = e[v] < common[v] ? e[v] : common[v];
  }
  return common;
}

// A group of terms: common factor (sum of the rest). without: powers written outside already.
static void put_together(const limb_equations* x, limb_text* t, limb_term* term, int n, level by,
                         const unsigned char* without, bool first)
{
  const bool minus = term[0].k < 0;
  if (n == 1) {
    put_sign(t, minus, first);
    put_product(x, t, term[0].k, exponents(x, term[0]), without, false);
    return;
  }
  if (by == BY_MASS && all_together(x, BY_VELOCITY, term, n)) by = BY_VELOCITY;
  const double k = common_number(term, n);
  const unsigned char* common = common_powers(x, term, n);
  limb_term* rest = limb_ring_alloc(x->ring, (size_t)n, sizeof *rest);
  if (!common || !rest) {
    t->failed = true;
    return;
  }
  if (k == 1 && !has_powers(x, common, without)) { // no common factor: no bracket
    put_sum(x, t, term, n, ONE_BY_ONE, without, first);
    return;
  }
  for (int i = 0; i < n; i++) rest[i] = (limb_term){whole(term[i].k / (minus ? -k : k)), term[i].monomial};
  put_sign(t, minus, first);
  put_product(x, t, k, common, without, true);
  limb_text_put(t, "(");
  put_sum(x, t, rest, n, (level)(by + 1), common, true);
  limb_text_put(t, ")");
}

static void put_sum(const limb_equations* x, limb_text* t, limb_term* term, int n, level by,
                    const unsigned char* without, bool first)
{
  limb_term* some = limb_ring_alloc(x->ring, (size_t)n, sizeof *some);
  bool* done = limb_ring_alloc(x->ring, (size_t)n, sizeof *done);
  if (!some || !done) {
    t->failed = true;
    return;
  }
  for (int i = 0; i < n; i++) {
    if (done[i]) continue;
    int count = 0;
    for (int j = i; j < n; j++) {
      if (done[j] || (j != i && !together(x, by, term[i], term[j]))) continue;
      some[count++] = term[j];
      done[j] = true;
    }
    put_together(x, t, some, count, by, without, first);
    first = false;
  }
}

static bool has_variables(const limb_equations* x, limb_poly a, int begin, int end)
{
  for (int i = 0; i < a.count; i++) {
    const unsigned char* e = exponents(x, a.term[i]);
    for (int v = begin; v < end; v++)
      if (e[v]) return true;
  }
  return false;
}

static int gravity_variable(const limb_equations* x)
{
  int v = 0;
  while (v < x->parameters.count && x->parameters.list[v].kind != PARAMETER_GRAVITY) v++;
  return v;
}

void limb_equations_sum(const limb_equations* x, limb_text* t, limb_poly a, bool first)
{
  if (a.count == 0) {
    limb_text_put(t, first ? "0" : "");
    return;
  }
  const int g = gravity_variable(x);
  const bool weighs = g < x->parameters.count && has_variables(x, a, g, g + 1);
  const bool rates = has_variables(x, a, x->first_sign, limb_ring_count(x->ring));
  const level by = weighs || a.count > LONG_SUM ? BY_MASS : rates ? BY_VELOCITY : ONE_BY_ONE;
  put_sum(x, t, a.term, a.count, by, NULL, first);
}
