// What the files of the closed fixtures share.
#ifndef LIMB_TEST_CLOSED_IMPL_H
#define LIMB_TEST_CLOSED_IMPL_H

#include "support/closed.h"
#include "support/rng.h"
#include "support/robots_impl.h"

#include <stdlib.h>

// A link as fixture_link makes it, with a motor or without, and where closing begins.
typedef struct closed_link {
  const char* name;
  limb_joint_type type;
  int parent;
  sp_pose placement;
  sp_vec3 axis, axis2;
  sp_inertia inertia;
  int active;
  double start;
} closed_link;

int closed_add(limb_builder* b, const closed_link* link);

// The same for a hinge about z.
int closed_hinge(limb_builder* b, const char* name, int parent, sp_pose at, sp_inertia inertia, int active,
                 double start);

// n zeros; free them.
static inline double* numbers(int n)
{
  double* x = calloc((size_t)n + 1, sizeof *x);
  if (!x) abort();
  return x;
}

// A closure between two bodies, with the places of its frames.
void closed_join(limb_builder* b, const char* name, limb_loop_kind kind, int body_a, sp_pose a, int body_b, sp_pose bb);

void closed_add_loop(limb_builder* b, const limb_loop_def* def);

limb_model* closed_four_bar_tilted(void);
limb_model* closed_slider_crank(void);
limb_model* closed_3rrr(void);
limb_model* closed_gear_pair(void);
limb_model* closed_ladder5(void);

limb_model* closed_bennett(void);
limb_model* closed_gough_stewart(void);
limb_model* closed_floating(void);
limb_model* closed_rolling_disc(void);
limb_model* closed_sled(void);
limb_model* closed_diff_drive(void);
limb_model* closed_driven_arm(void);

// The robot of a tree, which it takes, with closures in random places that hold at q, which the caller frees. flags:
// CLOSED_REDUNDANT.
limb_model* closed_around(limb_model* tree, uint64_t seed, unsigned flags, double** q);

// The same around a random tree. flags: CLOSED_MIMIC, too.
limb_model* closed_random(uint64_t seed, int bodies, unsigned flags, double** q);

#endif
