// Whether the mass matrix is regular to working precision, judged by what its inverse makes of it.
//
// Kernels return how far the pivots are above what may be rounding (LIMB_DOUBT). Nearly all states of nearly all
// robots are above it. What is not may still be right: a light body behind a heavy one, a slender one. A state in doubt
// is judged by its own condition, the same for all methods: accelerations at random, without units, must come back,
// through the factors, or by articulated bodies where the workspace has no memory for factors,
//
//   a -> tau = M(q) a -> M(q')^-1 tau = a        to three digits
//
// although q' differs from q by what rounding does to coordinates: an inertia that is the square of a cosine next to
// zero is computed well, and means nothing.
//
// Cost: two calls each of inverse and of forward dynamics.

#include "base/numeric.h"
#include "dynamics/dynamics_impl.h"
#include "linalg/dense.h"

#include <math.h>

#define DIGITS 1e-3 // of the largest acceleration

enum { PROBES = 2 };

static void round_coordinates(const limb_model* m, const double* q, uint64_t* seed, double* rounded)
{
  for (int i = 0; i < m->nq; i++) rounded[i] = q[i] + copysign(DBL_EPSILON * (1 + fabs(q[i])), limb_random_sign(seed));
}

// Accelerations from what is given, by articulated bodies or through the factors of M. False: there are none.
static bool accelerate(limb_data* d, const limb_ws* ws, const unsigned char* given, bool sweep, double* a)
{
  const limb_model* m = d->m;
  const limb_kernels* k = limb_kernels_of(d);
  const limb_terms rotors = {.rotors = true};
  const double *q = d->probe_q, *x = d->probe_x;
  double *packed = ws->packed, *tau = d->probe_tau;
  const limb_kernels_hybrid in = {q, d->zeros, given, x, &rotors, NULL};
  if (given && sweep)
    (void)k->hybrid(m, m->k64, ws, &in, a, tau);
  else if (given)
    (void)k->hybrid_by_mass_matrix(m, m->k64, ws, &in, packed, a, tau);
  else if (sweep)
    (void)k->aba(m, m->k64, ws, q, d->zeros, x, &rotors, NULL, a);
  else
    (void)k->by_mass_matrix(m, m->k64, ws, q, d->zeros, x, &rotors, NULL, packed, a);
  return limb_finite(m->nv, a);
}

static bool comes_back(limb_data* d, const limb_ws* ws, const unsigned char* given, bool sweep)
{
  double off = 0;
  if (!accelerate(d, ws, given, sweep, d->probe_a)) return false;
  for (int i = 0; i < d->m->nv; i++) off = fmax(off, fabs(d->probe_a[i] - d->probe[i]));
  return off <= DIGITS;
}

bool limb_is_regular(limb_data* d, const double* q, const unsigned char* given)
{
  const limb_model* m = d->m;
  if (m->singular && !given) return false;
  const limb_terms rotors = {.rotors = true};
  const bool sweep = limb_ws_packed(m) == 0;
  double *want = d->probe, *x = d->probe_x;
  uint64_t seed = 1;
  bool regular = true;
  limb_ws ws = d->ws;
  ws.base = d->probe_base, ws.base_turns = 0; // the caller's may be needed again
  for (int p = 0; p < PROBES && regular; p++) {
    for (int i = 0; i < m->nv; i++) want[i] = limb_random_sign(&seed);
    round_coordinates(m, q, &seed, d->probe_q);
    limb_kernels_of(d)->inverse_dynamics(m, m->k64, &ws, q, d->zeros, want, &rotors, NULL, x);
    for (int i = 0; given && i < m->nv; i++)
      if (given[i] == LIMB_ACCELERATION_GIVEN) x[i] = want[i];
    regular = comes_back(d, &ws, given, sweep);
  }
  return regular;
}
