// Sums of multiples of sums of the same two values, written out:
//
//   ka (u + v) + kb (u - v)  =  (ka + kb) u + (ka - kb) v
//
// That pays where the sums are needed for little else. A moment of inertial forces is such, when it is
// computed from entries of U = [w'] + [w][w] that no other force of the link takes: this is Euler's equation.
#include "symbolic/simplify_blend.h"

#include "base/numeric.h"

#include <math.h>
#include <string.h>

// A multiple of a sum.
typedef struct part {
  double k;
  limb_edge sum;
} part;

static part part_of(const net* s, limb_edge e)
{
  const double sign = e & 1U ? -1 : 1;
  const net_cell* c = &s->cell[e >> 1];
  if (c->op != OP_MUL) return (part){sign, e & ~1U};
  const limb_edge a = net_edge(s, c->a), b = net_edge(s, c->b);
  if (s->cell[a >> 1].op == OP_NUMBER) return (part){sign * (double)net_value(s, a, 0), b};
  if (s->cell[b >> 1].op == OP_NUMBER) return (part){sign * (double)net_value(s, b, 0), a};
  return (part){sign, e & ~1U};
}

// Coefficients of the cells u and v in a part; false when it is not made of these two.
static bool coefficients(const net* s, part x, uint32_t u, uint32_t v, double k[2])
{
  const net_cell* c = &s->cell[x.sum >> 1];
  if (c->op != OP_ADD) return false;
  const double factor = x.sum & 1U ? -x.k : x.k;
  const limb_edge e[2] = {net_edge(s, c->a), net_edge(s, c->b)};
  const bool turned = e[0] >> 1 == v;
  if (e[turned] >> 1 != u || e[!turned] >> 1 != v) return false;
  k[0] = e[turned] & 1U ? -factor : factor;
  k[1] = e[!turned] & 1U ? -factor : factor;
  return true;
}

// What a cell is, written out: k[0] u + k[1] v.
typedef struct blend {
  uint32_t u, v;
  double k[2];
} blend;

static bool find_blend(const net* s, uint32_t n, blend* out)
{
  const net_cell* c = &s->cell[n];
  if (c->op != OP_ADD) return false;
  const part x = part_of(s, net_edge(s, c->a)), y = part_of(s, net_edge(s, c->b));
  const net_cell* sum = &s->cell[x.sum >> 1];
  if (sum->op != OP_ADD || x.sum >> 1 == y.sum >> 1) return false;
  double kx[2], ky[2];
  out->u = net_edge(s, sum->a) >> 1, out->v = net_edge(s, sum->b) >> 1;
  if (out->u == out->v) return false;
  if (!coefficients(s, x, out->u, out->v, kx) || !coefficients(s, y, out->u, out->v, ky)) return false;
  for (int i = 0; i < 2; i++) {
    out->k[i] = kx[i] + ky[i];
    if (fabs(out->k[i]) <= 1e-9 * fabs(kx[i])) return false; // fewer operations than these: limb_net_match
  }
  return true;
}

static long priced(net* s, uint32_t n, const blend* x)
{
  long more = s->add_cost;
  more += limb_net_try_take(s, x->u << 1) + limb_net_try_take(s, x->v << 1);
  for (int i = 0; i < 2; i++) more += fabs(x->k[i]) == 1 ? 0 : COST_MUL;
  const long less = limb_net_try_free(s, n);
  limb_net_undo(s);
  return less - more;
}

// k x, and its bound; numbers are rounded as well.
static void scaled(const net_cell* x, double k, int sample, long double* value, double* error)
{
  *value = (long double)k * x->value[sample];
  *error = fabs(k) * x->error[sample];
  if (fabs(k) != 1) *error += 3 * fabs((double)*value);
}

// Whether the blend is as accurate as the cell; its bounds.
static bool holds(const net* s, uint32_t n, const blend* x, double error[SAMPLES])
{
  long double value[SAMPLES];
  for (int i = 0; i < SAMPLES; i++) {
    long double u, v;
    double eu, ev;
    scaled(&s->cell[x->u], x->k[0], i, &u, &eu);
    scaled(&s->cell[x->v], x->k[1], i, &v, &ev);
    value[i] = u + v, error[i] = eu + ev + fabs((double)value[i]);
  }
  return limb_net_stands_for(&s->cell[n], value, error);
}

// k x; UINT32_MAX when out of memory.
static limb_edge multiple(net* s, double k, uint32_t x)
{
  const limb_edge sign = k < 0;
  if (fabs(k) == 1) return x << 1 | sign;
  const uint32_t number = limb_net_new_number(s, fabs(k));
  const uint32_t product = number == UINT32_MAX ? number : limb_net_new(s, OP_MUL, number << 1, x << 1);
  return product == UINT32_MAX ? product : product << 1 | sign;
}

// Lets the cell be the blend. false when out of memory.
static bool write_out(net* s, uint32_t n, const blend* x, const double error[SAMPLES])
{
  const limb_edge a = multiple(s, x->k[0], x->u), b = multiple(s, x->k[1], x->v);
  if (a == UINT32_MAX || b == UINT32_MAX) return false;
  limb_net_become(s, n, OP_ADD, a, b);
  memcpy(s->cell[n].error, error, sizeof s->cell[n].error);
  return true;
}

bool limb_net_blend(net* s, uint64_t seed, long* gain)
{
  for (uint32_t i = 0; i < s->ordered; i++) {
    const uint32_t n = s->order[i];
    blend x;
    double error[SAMPLES];
    if (s->cell[n].uses == 0 || s->cell[n].same != n << 1 || !find_blend(s, n, &x)) continue;
    const long saved = priced(s, n, &x);
    const bool lot = seed && (limb_mixed_bits(seed + n) & 1U);
    if (saved < 0 || (saved == 0 && !lot) || !holds(s, n, &x, error)) continue;
    if (!write_out(s, n, &x, error)) return false;
    *gain += saved;
  }
  return true;
}
