// Loops by what they have, and their words, which are those of the library in every language.
#ifndef LIMB_IO_LOOPS_H
#define LIMB_IO_LOOPS_H

#include "limb/builder.h"

// Kinds by value.
#define LIMB_X(name, value, text, locked, rows) [value] = (text),
static const char* const loop_words[] = {LIMB_LOOP_LIST(LIMB_X)};
#undef LIMB_X

enum { LOOP_NKIND = sizeof loop_words / sizeof loop_words[0] };

// Directions: word i is of the bit 1 << i.
static const char* const direction_words[] = {"turn_x", "turn_y", "turn_z", "move_x", "move_y", "move_z"};

enum { LOOP_NDIRECTION = sizeof direction_words / sizeof direction_words[0] };

// What loops of some kinds have beside names, ends and laws: the kinds that do, as bits, and whether they
// cannot do without.
#define LIMB_KIND(name) (1u << LIMB_LOOP_##name)

static const struct {
  const char* name;
  unsigned kinds;
  int needed;
} loop_properties[] = {
  {"locked", LIMB_KIND(LOCK), 1},
  {"length", LIMB_KIND(DISTANCE), 1},
  {"radius", LIMB_KIND(WHEEL) | LIMB_KIND(ROLLING_DISC), 1},
  {"joint", LIMB_KIND(GEAR) | LIMB_KIND(POLYNOMIAL), 1},
  {"other", LIMB_KIND(GEAR) | LIMB_KIND(POLYNOMIAL), 1},
  {"ratio", LIMB_KIND(GEAR), 0},
  {"offset", LIMB_KIND(GEAR), 0},
  {"coefficients", LIMB_KIND(POLYNOMIAL), 1},
};

#undef LIMB_KIND

enum { LOOP_NPROPERTY = sizeof loop_properties / sizeof loop_properties[0] };

// gear, polynomial: between joints, not between bodies.
static inline int loop_of_joints(limb_loop_kind kind) { return kind == LIMB_LOOP_GEAR || kind == LIMB_LOOP_POLYNOMIAL; }

// Coefficients of a polynomial up to the last that is not zero; one at least.
static inline int loop_coefficients(const limb_loop_def* def)
{
  int n = LIMB_LOOP_COEFFICIENTS;
  while (n > 1 && def->coefficient[n - 1] == 0) n--;
  return n;
}

// wheel, rolling_disc
static inline int loop_has_radius(limb_loop_kind kind)
{
  return kind == LIMB_LOOP_WHEEL || kind == LIMB_LOOP_ROLLING_DISC;
}

#endif
