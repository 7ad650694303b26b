// A robot with loops and the smallest workspace, which is to do for all of geometry.
#ifndef LIMB_TEST_CLOSED_GROUND_H
#define LIMB_TEST_CLOSED_GROUND_H

#include "support/check.h"
#include "support/closed_impl.h"
#include "support/lean.h"

#include "limb/assemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ground {
  closed_case c;
  limb_data* w;
  int nq, nv, nc;
} ground;

static inline ground ground_of(closed_case c)
{
  ground g = {c, NULL, limb_nq(c.m), limb_nv(c.m), limb_constraint_count(c.m)};
  g.w = closed_lean(c.m);
  return g;
}

// A model without a state: q is where closing begins.
static inline ground ground_with(limb_model* m)
{
  closed_case c = {"by hand", m, numbers(limb_nq(m)), numbers(limb_nv(m)), 0};
  assert_ok(limb_start(m, c.q));
  return ground_of(c);
}

static inline void ground_end(ground* g)
{
  limb_data_destroy(g->w);
  closed_free(&g->c);
}

static inline double ground_gap(ground* g, const double* q)
{
  limb_loop_gap gap;
  assert_ok(limb_loop_gap_of(g->w, q, NULL, NULL, &gap));
  return gap.position;
}

static inline limb_mobility ground_mobility(ground* g, const double* q)
{
  limb_mobility x;
  assert_ok(limb_mobility_at(g->w, q, NULL, &x));
  return x;
}

// A random configuration near q, of the tree.
static inline void ground_shake(const ground* g, uint64_t seed, double size, double* q)
{
  rng r = {seed};
  double* step = numbers(g->nv);
  rng_fill(&r, size, g->nv, step);
  assert_ok(limb_integrate(g->c.m, g->c.q, step, 1, q));
  free(step);
}

typedef void ground_fn(ground* g, uint64_t seed);

static inline void ground_over(int which, int states, ground_fn* f)
{
  for (uint64_t seed = 1; seed <= (uint64_t)(CHECK_SANITIZED ? 2 : states); seed++) {
    ground g = ground_of(closed_make(which, seed));
    check_at("%s, seed %d", g.c.name, (int)seed);
    f(&g, seed);
    ground_end(&g);
  }
}

#endif
