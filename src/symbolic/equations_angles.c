// Angles of parallel axes: whose direction is whose sum.
//
// Link i turns by theta_i about its z. If that is parallel to its parent's z (ca = 1; -1: the other way
// round), its direction in the plane of its group is
//
//   Theta_i = theta_i + ca Theta_p,     so that    cos theta_i = cos(Theta_i - ca Theta_p)
//
// which takes sums of angles out of the products of sines and cosines before there are any.
#include "symbolic/equations_impl.h"

#include <math.h>
#include <string.h>

// Angles that differ by less are the same.
static const double SAME = 1e-12;

// ---- the table ------------------------------------------------------------------------------------------

static bool turns(const limb_link* link)
{
  return link->joint_class <= CLASS_ROT_ANY || link->joint_class == CLASS_SCREW;
}

static bool is_parallel(const limb_equations* x, int i)
{
  return x->m->link[i].parent >= 0 && x->parameters.k[i].sa.x == 0;
}

// Less whole quarters of a turn; those are returned.
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

// The first weight is positive.
static double sense(const limb_equations* x, const limb_plane_angle* a)
{
  for (int i = 0; i < x->m->nq; i++)
    if (fabs(a->weight[i]) > SAME) return a->weight[i] > 0 ? 1 : -1;
  return 1;
}

// Where the table has the angle up to sign and quarters of a turn: sign and quarters. -1: nowhere.
static int find(const limb_equations* x, const limb_plane_angle* a, double* sign, int* quarters)
{
  *sign = sense(x, a);
  for (int k = 0; k < x->nown; k++) {
    const limb_plane_angle* b = &x->angle[k];
    bool same = true;
    for (int i = 0; i < x->m->nq && same; i++) same = fabs(*sign * a->weight[i] - b->weight[i]) <= SAME;
    double rest = *sign * a->offset - b->offset;
    *quarters = take_quarters(&rest);
    if (same && rest == 0) return k;
  }
  return -1;
}

// The direction of a link adds to that of its parent.
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
  limb_plane_angle* own = &x->angle[x->nown++];
  for (int j = 0; j < x->m->nq; j++) own->weight[j] = sense(x, a) * a->weight[j];
  own->offset = sense(x, a) * a->offset, own->group = a->group;
  (void)take_quarters(&own->offset);
}

// The sum (sign 1) or difference (-1) of two angles as a new one, turned round if that begins with a minus;
// its place.
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

// Differences and sums of two angles of a group.
static void add_pairs(limb_equations* x)
{
  const int n = x->nown;
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
  const size_t n = (size_t)x->m->nlink, most = n + n * n, nq = (size_t)x->m->nq;
  limb_plane_angle* of = limb_program_take(x->program, n + 1, sizeof *of);
  double* weight = limb_program_take(x->program, (n + most) * nq + 1, sizeof *weight);
  x->angle = limb_program_take(x->program, most + 1, sizeof *x->angle);
  x->difference = limb_program_take(x->program, n * n + 1, sizeof *x->difference);
  x->sum = limb_program_take(x->program, n * n + 1, sizeof *x->sum);
  if (!of || !weight || !x->angle || !x->difference || !x->sum) return LIMB_E_NOMEM;
  for (size_t i = 0; i < n; i++) of[i].weight = weight + i * nq;
  for (size_t i = 0; i < most; i++) x->angle[i].weight = weight + (n + i) * nq;
  for (int i = 0; i < x->m->nlink; i++) add_link(x, i, of);
  x->of_link_angle = of;
  add_pairs(x);
  return LIMB_OK;
}

void limb_equations_pair_angles(limb_equations* x)
{
  for (int k = 0; k < x->nown; k++) limb_ring_pair(x->ring, limb_sine(x, k), limb_cosine(x, k));
}

// ---- directions -----------------------------------------------------------------------------------------

// Turned on by quarters of a turn: (c, s) -> (-s, c) for each.
static limb_direction_poly turned(limb_equations* x, limb_direction_poly d, int quarters)
{
  for (int k = 0; k < ((quarters % 4) + 4) % 4; k++) {
    const limb_poly c = d.c;
    d.c = limb_poly_scale(x->ring, d.s, -1), d.s = c;
  }
  return d;
}

// Of an angle that the table has, or a constant.
static limb_direction_poly known(limb_equations* x, const limb_plane_angle* a)
{
  double sign;
  int quarters;
  const int k = find(x, a, &sign, &quarters);
  if (k < 0) {
    return (limb_direction_poly){limb_poly_number(x->ring, limb_direction_number(cos(a->offset))),
                                 limb_poly_number(x->ring, limb_direction_number(sin(a->offset)))};
  }
  limb_direction_poly d = {limb_poly_variable(x->ring, limb_cosine(x, k)),
                           limb_poly_variable(x->ring, limb_sine(x, k))};
  d = turned(x, d, quarters);
  d.s = limb_poly_scale(x->ring, d.s, sign);
  return d;
}

// The joint's own turn from the directions of link and parent.
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

// Whether link i turns by sign (weight . q + offset) and some quarters of a turn.
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
