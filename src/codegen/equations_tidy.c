// Polynomials as people write them: sums of angles again, squares of sines, and an order of terms.
//
// Two terms that agree in all else become one:
//
//   cos a cos b + sin a sin b = cos(b - a)      cos a cos b - sin a sin b = cos(a + b)
//   cos a sin b - sin a cos b = sin(b - a)      cos a sin b + sin a cos b = sin(a + b)
//   1 - cos^2 a = sin^2 a
//
// Cost: pairs of terms times pairs of angles that are parallel.
#include "codegen/equations_impl.h"

#include <math.h>
#include <string.h>

typedef struct sum { // of terms, in the making
  limb_equations* x;
  int count;
  limb_term* term;
  unsigned char* e; // exponents in the making
} sum;

static bool alike(double a, double b) { return fabs(a - b) <= 1e-12 * fabs(a); }

// The term with these exponents; -1: none.
static int find(const sum* s, const unsigned char* e)
{
  const int monomial = limb_monomial_of(s->x->ring, e);
  for (int i = 0; i < s->count; i++)
    if (s->term[i].monomial == monomial) return i;
  return -1;
}

// Replaces terms i and j by k times the exponents in s->e.
static bool merge(sum* s, int i, int j, double k)
{
  const int monomial = limb_monomial_of(s->x->ring, s->e);
  if (monomial < 0) return false;
  s->term[i] = (limb_term){k, monomial};
  s->term[j] = s->term[--s->count];
  return true;
}

// Moves one power from a factor to another.
static void swap_factor(unsigned char* e, int from, int to) { e[from]--, e[to]++; }

// Multiplies k and the exponents by the cosine of an angle, or by its sine; false: k vanishes.
static bool put_angle(sum* s, const limb_plane_angle* a, int cosine, int odd, double* k)
{
  if (odd) *k *= a->sense;
  if (a->constant) {
    *k *= odd ? sin(a->offset) : cos(a->offset);
  } else {
    s->e[cosine + odd]++;
  }
  return *k != 0;
}

// Term i with cos a and (cos or sin) b, if it has a partner.
static bool join_pair(sum* s, int i, int a, int b)
{
  limb_equations* x = s->x;
  const int ca = limb_cosine(x, a), sa = ca + 1, cb = limb_cosine(x, b), sb = cb + 1;
  const size_t n = (size_t)limb_ring_count(x->ring);
  const int difference = x->difference[a * x->nown + b], plus = x->sum[a * x->nown + b];
  for (int odd = 0; odd < 2; odd++) { // cos a cos b; cos a sin b
    const int from = odd ? sb : cb, to = odd ? cb : sb;
    memcpy(s->e, limb_monomial(x->ring, s->term[i].monomial), n);
    if (!s->e[ca] || !s->e[from]) continue;
    swap_factor(s->e, ca, sa);
    swap_factor(s->e, from, to);
    const int j = find(s, s->e);
    if (j < 0) continue;
    const double l = s->term[j].k;
    double k = s->term[i].k;
    const bool same = alike(k, l);
    if (!same && !alike(k, -l)) continue;
    const int angle = same == (odd == 0) ? difference : plus;
    s->e[sa]--, s->e[to]--;
    return put_angle(s, &x->angle[angle], limb_cosine(x, angle), odd, &k) && merge(s, i, j, k);
  }
  return false;
}

// Term i with cos^2 a, less one without.
static bool join_square(sum* s, int i, int a)
{
  limb_equations* x = s->x;
  const int c = limb_cosine(x, a);
  memcpy(s->e, limb_monomial(x->ring, s->term[i].monomial), (size_t)limb_ring_count(x->ring));
  if (s->e[c] < 2) return false;
  s->e[c] = (unsigned char)(s->e[c] - 2);
  const int j = find(s, s->e);
  if (j < 0 || !alike(s->term[i].k, -s->term[j].k)) return false;
  s->e[c + 1] = (unsigned char)(s->e[c + 1] + 2);
  return merge(s, i, j, s->term[j].k);
}

static bool join_at(sum* s, int i)
{
  const int n = s->x->nown;
  for (int a = 0; a < n; a++) {
    for (int b = a + 1; b < n; b++)
      if (s->x->difference[a * n + b] >= 0 && join_pair(s, i, a, b)) return true;
    if (join_square(s, i, a)) return true;
  }
  return false;
}

// Once over all terms; whether any were joined.
static bool join_some(sum* s)
{
  bool any = false;
  for (int i = 0; i < s->count; i++)
    while (i < s->count && join_at(s, i)) any = true;
  return any;
}

// ---- order ----------------------------------------------------------------------------------------------

// What a reader expects first: moments of inertia, then masses; constants before what varies; then by names.
// A number after coordinates: k q - k rest.
typedef struct rank {
  limb_term term;
  const unsigned char* e;
  int varying; // powers of sines, cosines and coordinates
  int first;   // 0: rotor or moment of inertia
  bool number, coordinate;
} rank;

static rank rank_of(const limb_equations* x, limb_term t)
{
  rank r = {.term = t, .e = limb_monomial(x->ring, t.monomial), .first = 1};
  int all = 0, of_q = 0;
  for (int v = 0; v < limb_ring_count(x->ring); v++) all += r.e[v];
  for (int v = x->first_q; v < x->first_sign; v++) of_q += r.e[v];
  for (int v = x->first_angle; v < x->first_sign; v++) r.varying += r.e[v];
  for (int v = 0; v < x->parameters.count; v++) {
    const limb_parameter_kind kind = x->parameters.list[v].kind;
    if (r.e[v] && (kind == PARAMETER_INERTIA || kind == PARAMETER_ROTOR)) r.first = 0;
  }
  r.number = all == 0, r.coordinate = all == 1 && of_q == 1;
  return r;
}

static bool comes_before(const rank* a, const rank* b, size_t variables)
{
  if (a->number && b->coordinate) return false;
  if (a->coordinate && b->number) return true;
  if (a->varying != b->varying) return a->varying < b->varying;
  if (a->first != b->first) return a->first < b->first;
  return memcmp(a->e, b->e, variables) > 0;
}

// Two sorted neighbours, from begin and from middle on, become one.
static void unite(const rank* from, rank* to, int begin, int middle, int end, size_t variables)
{
  int i = begin, j = middle;
  for (int k = begin; k < end; k++) {
    const bool second = i == middle || (j < end && comes_before(&from[j], &from[i], variables));
    to[k] = second ? from[j++] : from[i++];
  }
}

static void sort(const limb_equations* x, limb_term* t, int n)
{
  const size_t variables = (size_t)limb_ring_count(x->ring);
  rank* a = limb_ring_take(x->ring, (size_t)n, sizeof *a);
  rank* b = limb_ring_take(x->ring, (size_t)n, sizeof *b);
  if (!a || !b) return;
  for (int i = 0; i < n; i++) a[i] = rank_of(x, t[i]);
  for (int width = 1; width < n; width *= 2) {
    for (int i = 0; i < n; i += 2 * width) {
      const int middle = i + width < n ? i + width : n;
      unite(a, b, i, middle, middle + width < n ? middle + width : n, variables);
    }
    rank* c = a;
    a = b, b = c;
  }
  for (int i = 0; i < n; i++) t[i] = a[i].term;
}

limb_poly limb_equations_tidy(limb_equations* x, limb_poly a)
{
  const limb_poly none = {0, NULL};
  sum s = {.x = x, .count = a.count};
  s.term = limb_ring_take(x->ring, (size_t)a.count, sizeof *s.term);
  s.e = limb_ring_take(x->ring, (size_t)limb_ring_count(x->ring), 1);
  if (!s.term || !s.e) return none;
  if (a.count) memcpy(s.term, a.term, (size_t)a.count * sizeof *s.term);
  while (join_some(&s)) {
  }
  sort(x, s.term, s.count);
  return (limb_poly){s.count, s.term};
}
