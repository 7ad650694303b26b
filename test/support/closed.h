// Fixture robots with loops, each in a state that closes them. No test framework in here: a robot that
// cannot be built or closed is a broken fixture, message and abort().
#ifndef LIMB_TEST_CLOSED_H
#define LIMB_TEST_CLOSED_H

#include "limb/loops.h"

enum {
  CLOSED_NONHOLONOMIC = 1, // has rows without residual
  CLOSED_REDUNDANT = 2,    // rows depend on each other, beside those that no joint moves
  CLOSED_LAW = 4,          // has a law s(t)
  CLOSED_RANDOM = 8,       // a random tree: free and ball joints, actuators, rigid bodies in between
  CLOSED_MIMIC = 16,
  CLOSED_FREE_BASE = 32
};

typedef struct closed_case {
  const char* name;
  limb_model* m;
  double* q; // closed to 1e-13, at time 0
  double* v; // consistent to 1e-13, at time 0; random otherwise
  unsigned flags;
} closed_case;

// How many there are, simplest first, and the one of that number: another state, and another tree where it
// is random, for every seed.
int closed_count(void);
closed_case closed_make(int which, uint64_t seed);
void closed_free(closed_case* c);

// The one of that name.
closed_case closed_find(const char* name, uint64_t seed);

// Another random velocity, and a random acceleration that fits to c->v: Psi v = s' and Psi a = gamma at
// time 0.
void closed_velocity(const closed_case* c, uint64_t seed, double* v);
void closed_acceleration(const closed_case* c, uint64_t seed, double* a);

// Newton's iteration on q, holonomic rows only: 1 when all are below 1e-13. Steps of least norm, by
// orthogonal rows; no other method than the library's equations.
int closed_close(const limb_model* m, double* q);

// ---- planar (closed_planar.c) -----------------------------------------------------------------------

// Crank, coupler, rocker; a pin between the ends of coupler and rocker. q as in Ghosal 2010: angle of the
// crank, of the coupler against it, of the rocker. Only the crank is active. Gravity along -y.
limb_model* closed_four_bar(double ground, double crank, double coupler, double rocker);

// The five-bar of Khalil 2010, section 4: 1 and 3 are active. q: left arm, right arm, two joints each.
limb_model* closed_five_bar(void);

// Four-bar cells, each on the coupler of the one before; three joints and one pin a cell. Almost closed at
// q = 0.
limb_model* closed_ladder(int cells);

#endif
