// Polynomials in normal form: the table of monomials, and sums and products that combine like terms.
//
// Cost: a sum is linear in its terms, a product in the product of both numbers of terms; a monomial takes one byte
// for each variable.
#include "codegen/simplify.h"

#include <math.h>
#include <string.h>

struct limb_ring {
  limb_program* program; // whose memory it uses
  int nvar, max_terms;
  int* cosine;             // nvar: the cosine of a sine; -1: not a sine
  unsigned char* exponent; // of all monomials
  int* slot;               // hash table of monomials; 0: free, else monomial + 1
  int count, capacity, slots;
  double *sum, *size; // per monomial: sum of its terms, and of their magnitudes
  int* collected_monomials;
  int ncollected;
  unsigned char* product; // exponents of the current product
  double work;            // products of terms so far
  bool no_memory, large;
};

enum { WORK_PER_TERM = 20000 }; // limit of multiplied powers, for each of max_terms

// Sums below this share of the magnitudes of their terms are zero.
static const double ROUNDING = 1e-13;

// ---- memory --------------------------------------------------------------------------------------------------------

void* limb_ring_alloc(limb_ring* r, size_t count, size_t size)
{
  void* memory = limb_program_alloc(r->program, count + 1, size);
  r->no_memory = r->no_memory || !memory;
  return memory;
}

// ---- monomials -----------------------------------------------------------------------------------------------------

const unsigned char* limb_monomial(const limb_ring* r, int monomial)
{
  return r->exponent + (size_t)monomial * (size_t)r->nvar;
}

static int find(const limb_ring* r, const unsigned char* exponent)
{
  uint64_t h = 1469598103934665603U;
  for (int i = 0; i < r->nvar; i++) h = (h ^ exponent[i]) * 1099511628211U;
  unsigned at = (unsigned)(h >> 32);
  for (;; at++) {
    at &= (unsigned)r->slots - 1;
    if (!r->slot[at]) return (int)at;
    if (memcmp(limb_monomial(r, r->slot[at] - 1), exponent, (size_t)r->nvar) == 0) return (int)at;
  }
}

// A longer copy of an array. The old one stays in the ring's memory.
static void* longer(limb_ring* r, const void* from, size_t had, size_t capacity, size_t size)
{
  void* to = limb_ring_alloc(r, capacity, size);
  if (to && had) memcpy(to, from, had * size);
  return to;
}

// Doubles the capacity for monomials. false when out of memory; then nothing has changed.
static bool grow(limb_ring* r)
{
  const int capacity = r->capacity ? 2 * r->capacity : 512;
  const size_t n = (size_t)capacity, had = (size_t)r->count;
  unsigned char* exponent = longer(r, r->exponent, had, n, (size_t)r->nvar);
  double* sum = longer(r, r->sum, had, n, sizeof *sum);
  double* size = longer(r, r->size, had, n, sizeof *size);
  int* collected_monomials = longer(r, r->collected_monomials, had, n, sizeof *collected_monomials);
  int* slot = limb_ring_alloc(r, 2 * n, sizeof *slot);
  if (r->no_memory) return false;
  r->exponent = exponent, r->sum = sum, r->size = size, r->collected_monomials = collected_monomials, r->slot = slot;
  r->capacity = capacity, r->slots = 2 * capacity;
  for (int i = 0; i < r->count; i++) r->slot[find(r, limb_monomial(r, i))] = i + 1;
  return true;
}

int limb_monomial_of(limb_ring* r, const unsigned char* exponent)
{
  if (r->no_memory) return -1;
  int at = find(r, exponent);
  if (r->slot[at]) return r->slot[at] - 1;
  if (r->count == r->capacity) {
    if (!grow(r)) return -1;
    at = find(r, exponent);
  }
  memcpy(r->exponent + (size_t)r->count * (size_t)r->nvar, exponent, (size_t)r->nvar);
  r->slot[at] = ++r->count;
  return r->count - 1;
}

limb_ring* limb_ring_create(limb_program* program, int count, int max_terms)
{
  limb_ring* r = limb_program_alloc(program, 1, sizeof *r);
  if (!r) return NULL;
  *r = (limb_ring){.program = program, .nvar = count, .max_terms = max_terms};
  r->cosine = limb_ring_alloc(r, (size_t)count, sizeof *r->cosine);
  r->product = limb_ring_alloc(r, (size_t)count, 1);
  if (r->no_memory || !grow(r)) return NULL;
  for (int i = 0; i < count; i++) r->cosine[i] = -1;
  return r;
}

limb_status limb_ring_status(const limb_ring* r)
{
  return r->no_memory ? LIMB_E_NOMEM : r->large ? LIMB_E_UNSUPPORTED : LIMB_OK;
}

int limb_ring_count(const limb_ring* r) { return r->nvar; }

void limb_ring_pair(limb_ring* r, int sine, int cosine) { r->cosine[sine] = cosine; }

// ---- collecting terms ----------------------------------------------------------------------------------------------

static const limb_poly nothing = {0, NULL};

static void collect(limb_ring* r, double k, int monomial)
{
  if (monomial < 0 || k == 0) return; // products may underflow
  if (r->size[monomial] == 0) r->collected_monomials[r->ncollected++] = monomial;
  r->sum[monomial] += k;
  r->size[monomial] += fabs(k);
}

// Collects k times the monomial in r->product, with squares of sines replaced:  s^2 = 1 - c^2
static void collect_product(limb_ring* r, double k, int from)
{
  unsigned char* e = r->product;
  for (int i = from; i < r->nvar; i++) {
    const int c = r->cosine[i];
    if (c < 0 || e[i] < 2) continue;
    e[i] = (unsigned char)(e[i] - 2);
    collect_product(r, k, i);
    e[c] = (unsigned char)(e[c] + 2);
    collect_product(r, -k, i);
    e[c] = (unsigned char)(e[c] - 2), e[i] = (unsigned char)(e[i] + 2);
    return;
  }
  collect(r, k, limb_monomial_of(r, e));
}

// The polynomial of all collected terms.
static limb_poly collected(limb_ring* r)
{
  int count = 0;
  limb_term* term = limb_ring_alloc(r, (size_t)r->ncollected, sizeof *term);
  for (int i = 0; i < r->ncollected; i++) {
    const int m = r->collected_monomials[i];
    if (term && fabs(r->sum[m]) > ROUNDING * r->size[m]) term[count++] = (limb_term){r->sum[m], m};
    r->sum[m] = r->size[m] = 0;
  }
  r->ncollected = 0;
  if (count > r->max_terms) r->large = true;
  return limb_ring_status(r) == LIMB_OK ? (limb_poly){count, term} : nothing;
}

// ---- arithmetic ----------------------------------------------------------------------------------------------------

// As it is: squares of sines are not replaced.
static limb_poly poly_of(limb_ring* r, limb_term term)
{
  collect(r, term.k, term.monomial);
  return collected(r);
}

limb_poly limb_poly_number(limb_ring* r, double x)
{
  memset(r->product, 0, (size_t)r->nvar);
  return x == 0 ? nothing : poly_of(r, (limb_term){x, limb_monomial_of(r, r->product)});
}

limb_poly limb_poly_variable(limb_ring* r, int variable)
{
  memset(r->product, 0, (size_t)r->nvar);
  r->product[variable] = 1;
  return poly_of(r, (limb_term){1, limb_monomial_of(r, r->product)});
}

limb_poly limb_poly_sum(limb_ring* r, limb_poly a, limb_poly b, double x)
{
  for (int i = 0; i < a.count; i++) collect(r, a.term[i].k, a.term[i].monomial);
  for (int i = 0; i < b.count && x != 0; i++) collect(r, x * b.term[i].k, b.term[i].monomial);
  return collected(r);
}

limb_poly limb_poly_scale(limb_ring* r, limb_poly a, double x) { return limb_poly_sum(r, nothing, a, x); }

limb_poly limb_poly_product(limb_ring* r, limb_poly a, limb_poly b)
{
  r->work += (double)a.count * (double)b.count * r->nvar;
  if (r->work > (double)WORK_PER_TERM * r->max_terms) r->large = true;
  if (r->large) return nothing;
  for (int i = 0; i < a.count; i++) {
    for (int j = 0; j < b.count; j++) {
      const unsigned char* x = limb_monomial(r, a.term[i].monomial);
      const unsigned char* y = limb_monomial(r, b.term[j].monomial);
      for (int v = 0; v < r->nvar; v++) {
        if (x[v] + y[v] > LIMB_EXPONENT_MAX - 2) r->large = true;
        r->product[v] = (unsigned char)(x[v] + y[v]);
      }
      if (!r->large) collect_product(r, a.term[i].k * b.term[j].k, 0);
    }
  }
  return collected(r);
}

limb_poly limb_poly_derivative(limb_ring* r, limb_poly a, int variable)
{
  for (int i = 0; i < a.count; i++) {
    memcpy(r->product, limb_monomial(r, a.term[i].monomial), (size_t)r->nvar);
    const int e = r->product[variable];
    if (e == 0) continue;
    r->product[variable] = (unsigned char)(e - 1);
    collect(r, e * a.term[i].k, limb_monomial_of(r, r->product));
  }
  return collected(r);
}

double limb_poly_value(const limb_ring* r, limb_poly a, const double* x)
{
  double sum = 0;
  for (int i = 0; i < a.count; i++) {
    const unsigned char* e = limb_monomial(r, a.term[i].monomial);
    double product = a.term[i].k;
    for (int v = 0; v < r->nvar; v++) {
      for (int p = 0; p < e[v]; p++) product *= x[v];
    }
    sum += product;
  }
  return sum;
}
