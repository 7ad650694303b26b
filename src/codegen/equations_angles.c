// Angles of parallel axes: as variables of the polynomials, and in the form that people read.
//
// Link i turns by theta_i about its z axis. If that is parallel to the z axis of its parent (ca = 1; -1: opposite),
// its direction in the plane of its group is
//
//   Theta_i = theta_i + ca Theta_p,     so that    cos theta_i = cos(Theta_i - ca Theta_p)
//
// which removes sums of angles from products of sines and cosines before there are any.
//
// For reading, pairs of terms that agree in all else are joined again:
//
//   cos a cos b + sin a sin b = cos(b - a)      cos a cos b - sin a sin b = cos(a + b)
//   cos a sin b - sin a cos b = sin(b - a)      cos a sin b + sin a cos b = sin(a + b)
//   1 - cos^2 a = sin^2 a
//
// and terms are sorted. Cost: pairs of terms times pairs of parallel angles.
#include "codegen/equations.h"

#include <math.h>
#include <string.h>

// Angles that differ by less are equal.
static const double SAME = 1e-12;

// ---- the table -----------------------------------------------------------------------------------------------------

static bool turns(const limb_link* link)
{
  return link->joint_class <= CLASS_ROT_ANY || link->joint_class == CLASS_SCREW;
}

static bool is_parallel(const limb_equations* x, int i)
{
  return x->m->link[i].parent >= 0 && x->m->link[i].joint_class < CLASS_BALL && x->parameters.k[i].sa.x == 0;
}

// Removes whole quarter turns, and returns their number.
static int take_quarters(double* offset)
{
  const double quarters = nearbyint(*offset / (acos(-1) / 2));
  *offset -= quarters * acos(-1) / 2;
  if (fabs(*offset) < SAME) *offset = 0;
  return (int)fmod(quarters, 4);
}

static bool is_constant(const limb_equations* x, const limb_plane_angle* a)
{
  for (int i = 0; i < x->m->nq; i++)
    if (fabs(a->weight[i]) > SAME) return false;
  return true;
}

// The sign that makes the first weight positive.
static double sense(const limb_equations* x, const limb_plane_angle* a)
{
  for (int i = 0; i < x->m->nq; i++)
    if (fabs(a->weight[i]) > SAME) return a->weight[i] > 0 ? 1 : -1;
  return 1;
}

// The index of an equal angle in the table, up to sign and quarter turns; -1: none.
static int find(const limb_equations* x, const limb_plane_angle* a, double* sign, int* quarters)
{
  *sign = sense(x, a);
  for (int k = 0; k < x->nlink_angle; k++) {
    const limb_plane_angle* b = &x->angle[k];
    bool same = true;
    for (int i = 0; i < x->m->nq && same; i++) same = fabs(*sign * a->weight[i] - b->weight[i]) <= SAME;
    double rest = *sign * a->offset - b->offset;
    *quarters = take_quarters(&rest);
    if (same && rest == 0) return k;
  }
  return -1;
}

// Adds the angle of a link to that of its parent, and enters it in the table.
static void add_link(limb_equations* x, int i, limb_plane_angle* of)
{
  const limb_link* link = &x->m->link[i];
  const limb_link_f64* k = &x->m->k64[i];
  limb_plane_angle* a = &of[i];
  if (is_parallel(x, i)) {
    const limb_plane_angle* p = &of[link->parent];
    const double ca = x->parameters.k[i].ca.x;
    for (int j = 0; j < x->m->nq; j++) a->weight[j] = ca * p->weight[j];
    a->offset = ca * p->offset, a->group = p->group;
  } else {
    a->group = i;
  }
  if (!turns(link)) return;
  a->weight[link->q] += k->mult, a->offset += k->off;
  double sign;
  int quarters;
  if (is_constant(x, a) || find(x, a, &sign, &quarters) >= 0) return;
  limb_plane_angle* own = &x->angle[x->nlink_angle++];
  for (int j = 0; j < x->m->nq; j++) own->weight[j] = sense(x, a) * a->weight[j];
  own->offset = sense(x, a) * a->offset, own->group = a->group;
  (void)take_quarters(&own->offset);
}

// Adds the sum (sign 1) or difference (-1) of two angles to the table, reversed if it would begin with a minus;
// returns its index.
static int add_pair(limb_equations* x, const limb_plane_angle* b, double sign, const limb_plane_angle* a)
{
  limb_plane_angle* c = &x->angle[x->nangle];
  for (int j = 0; j < x->m->nq; j++) {
    c->weight[j] = b->weight[j] + sign * a->weight[j];
    if (fabs(c->weight[j]) <= SAME) c->weight[j] = 0;
  }
  c->offset = b->offset + sign * a->offset;
  c->constant = is_constant(x, c);
  c->sense = sense(x, c);
  for (int j = 0; j < x->m->nq && c->sense < 0; j++) c->weight[j] = -c->weight[j];
  c->offset *= c->sense;
  return x->nangle++;
}

// Adds the differences and sums of two angles of a group.
static void add_pairs(limb_equations* x)
{
  const int n = x->nlink_angle;
  x->nangle = n;
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) {
      const limb_plane_angle *p = &x->angle[a], *q = &x->angle[b];
      const bool pair = a < b && p->group == q->group;
      x->difference[a * n + b] = pair ? add_pair(x, q, -1, p) : -1;
      x->sum[a * n + b] = pair ? add_pair(x, q, 1, p) : -1;
    }
  }
}

limb_status limb_equations_angles(limb_equations* x)
{
  const size_t n = (size_t)x->m->nlink, max_angles = n + n * n, nq = (size_t)x->m->nq;
  limb_plane_angle* of = limb_program_alloc(x->program, n + 1, sizeof *of);
  double* weight = limb_program_alloc(x->program, (n + max_angles) * nq + 1, sizeof *weight);
  x->angle = limb_program_alloc(x->program, max_angles + 1, sizeof *x->angle);
  x->difference = limb_program_alloc(x->program, n * n + 1, sizeof *x->difference);
  x->sum = limb_program_alloc(x->program, n * n + 1, sizeof *x->sum);
  if (!of || !weight || !x->angle || !x->difference || !x->sum) return LIMB_E_NOMEM;
  for (size_t i = 0; i < n; i++) of[i].weight = weight + i * nq;
  for (size_t i = 0; i < max_angles; i++) x->angle[i].weight = weight + (n + i) * nq;
  for (int i = 0; i < x->m->nlink; i++) add_link(x, i, of);
  x->of_link_angle = of;
  add_pairs(x);
  return LIMB_OK;
}

void limb_equations_pair_angles(limb_equations* x)
{
  for (int k = 0; k < x->nlink_angle; k++) limb_ring_pair(x->ring, limb_sine(x, k), limb_cosine(x, k));
}

// ---- directions ----------------------------------------------------------------------------------------------------

// Rotates by quarter turns: (c, s) -> (-s, c) for each.
static limb_direction_poly turned(limb_equations* x, limb_direction_poly d, int quarters)
{
  for (int k = 0; k < ((quarters % 4) + 4) % 4; k++) {
    const limb_poly c = d.c;
    d.c = limb_poly_scale(x->ring, d.s, -1), d.s = c;
  }
  return d;
}

// (cos, sin) of an angle in the table, or of a constant.
static limb_direction_poly known(limb_equations* x, const limb_plane_angle* a)
{
  double sign;
  int quarters;
  const int k = find(x, a, &sign, &quarters);
  if (k < 0)
    return (limb_direction_poly){limb_poly_number(x->ring, limb_clean_direction(cos(a->offset))),
                                 limb_poly_number(x->ring, limb_clean_direction(sin(a->offset)))};
  limb_direction_poly d = {limb_poly_variable(x->ring, limb_cosine(x, k)),
                           limb_poly_variable(x->ring, limb_sine(x, k))};
  d = turned(x, d, quarters);
  d.s = limb_poly_scale(x->ring, d.s, sign);
  return d;
}

// (cos, sin) of the joint's own angle, from the directions of link and parent.
static limb_direction_poly own_turn(limb_equations* x, int i)
{
  limb_ring* r = x->ring;
  const limb_plane_angle* of = x->of_link_angle;
  const limb_direction_poly a = known(x, &of[i]);
  if (!is_parallel(x, i)) return a;
  const limb_direction_poly p = known(x, &of[x->m->link[i].parent]);
  const double ca = x->parameters.k[i].ca.x;
  return (limb_direction_poly){limb_poly_sum(r, limb_poly_product(r, a.c, p.c), limb_poly_product(r, a.s, p.s), ca),
                               limb_poly_sum(r, limb_poly_product(r, a.s, p.c), limb_poly_product(r, a.c, p.s), -ca)};
}

// Whether link i turns by sign (weight . q + offset) plus quarter turns.
static bool turns_by(const limb_equations* x, int i, double sign, const double* weight, double offset, int* quarters)
{
  const limb_link* link = &x->m->link[i];
  const limb_link_f64* k = &x->m->k64[i];
  double rest = k->off - sign * offset;
  *quarters = take_quarters(&rest);
  bool same = turns(link) && rest == 0;
  for (int j = 0; j < x->m->nq && same; j++) same = fabs(sign * weight[j] - (j == link->q ? k->mult : 0)) <= SAME;
  return same;
}

bool limb_equations_direction(limb_equations* x, const double* weight, double offset, limb_direction_poly* out)
{
  for (int i = 0; i < x->m->nlink; i++) {
    for (int sign = 1; sign >= -1; sign -= 2) {
      int quarters;
      if (!turns_by(x, i, sign, weight, offset, &quarters)) continue;
      *out = turned(x, own_turn(x, i), -quarters);
      out->s = limb_poly_scale(x->ring, out->s, sign);
      return true;
    }
  }
  return false;
}

// ---- the form for reading ------------------------------------------------------------------------------------------

typedef struct sum { // a sum of terms while it is rewritten
  limb_equations* x;
  int count;
  limb_term* term;
  unsigned char* e; // exponents of the new term
} sum;

static bool alike(double a, double b) { return fabs(a - b) <= 1e-12 * fabs(a); }

// The term with these exponents; -1: none.
static int find_term(const sum* s, const unsigned char* e)
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

// Multiplies k and the exponents by the cosine of an angle, or by its sine; false: k becomes zero.
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

// Joins term i, with cos a and (cos or sin) b, to its partner if there is one.
static bool join_pair(sum* s, int i, int a, int b)
{
  limb_equations* x = s->x;
  const int ca = limb_cosine(x, a), sa = ca + 1, cb = limb_cosine(x, b), sb = cb + 1;
  const size_t n = (size_t)limb_ring_count(x->ring);
  const int difference = x->difference[a * x->nlink_angle + b], plus = x->sum[a * x->nlink_angle + b];
  for (int odd = 0; odd < 2; odd++) { // cos a cos b; cos a sin b
    const int from = odd ? sb : cb, to = odd ? cb : sb;
    memcpy(s->e, limb_monomial(x->ring, s->term[i].monomial), n);
    if (!s->e[ca] || !s->e[from]) continue;
    swap_factor(s->e, ca, sa);
    swap_factor(s->e, from, to);
    const int j = find_term(s, s->e);
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

// Joins term i, with cos^2 a, to one without it of opposite sign.
static bool join_square(sum* s, int i, int a)
{
  limb_equations* x = s->x;
  const int c = limb_cosine(x, a);
  memcpy(s->e, limb_monomial(x->ring, s->term[i].monomial), (size_t)limb_ring_count(x->ring));
  if (s->e[c] < 2) return false;
  s->e[c] = (unsigned char)(s->e[c] - 2);
  const int j = find_term(s, s->e);
  if (j < 0 || !alike(s->term[i].k, -s->term[j].k)) return false;
  s->e[c + 1] = (unsigned char)(s->e[c + 1] + 2);
  return merge(s, i, j, s->term[j].k);
}

static bool join_at(sum* s, int i)
{
  const int n = s->x->nlink_angle;
  for (int a = 0; a < n; a++) {
    for (int b = a + 1; b < n; b++)
      if (s->x->difference[a * n + b] >= 0 && join_pair(s, i, a, b)) return true;
    if (join_square(s, i, a)) return true;
  }
  return false;
}

// One pass over all terms; whether any were joined.
static bool join_some(sum* s)
{
  bool any = false;
  for (int i = 0; i < s->count; i++)
    while (i < s->count && join_at(s, i)) any = true;
  return any;
}

// ---- order ---------------------------------------------------------------------------------------------------------

// Reading order: constants before varying terms; moments of inertia before masses; then by names. A number comes
// after coordinates: k q - k rest.
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

// Merges two sorted runs, from begin and from middle on.
static void unite(const rank* from, rank* to, int begin, int middle, int end, size_t variables)
{
  int i = begin, j = middle;
  for (int k = begin; k < end; k++) {
    const bool second = i == middle || (j < end && comes_before(&from[j], &from[i], variables));
    to[k] = second ? from[j++] : from[i++];
  }
}

static void sort_terms(const limb_equations* x, limb_term* t, int n)
{
  const size_t variables = (size_t)limb_ring_count(x->ring);
  rank* a = limb_ring_alloc(x->ring, (size_t)n, sizeof *a);
  rank* b = limb_ring_alloc(x->ring, (size_t)n, sizeof *b);
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
  s.term = limb_ring_alloc(x->ring, (size_t)a.count, sizeof *s.term);
  s.e = limb_ring_alloc(x->ring, (size_t)limb_ring_count(x->ring), 1);
  if (!s.term || !s.e) return none;
  if (a.count) memcpy(s.term, a.term, (size_t)a.count * sizeof *s.term);
  while (join_some(&s)) {
  }
  sort_terms(x, s.term, s.count);
  return (limb_poly){s.count, s.term};
}
