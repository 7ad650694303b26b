// A robot with its workspace, for comparisons with published numbers.
#ifndef LIMB_TEST_RIG_H
#define LIMB_TEST_RIG_H

#include "support/check.h"
#include "support/robots.h"

#define TOL_NUMBERS 1e-12

typedef struct rig {
  limb_model* m;
  limb_data* d;
} rig;

// Takes the model over.
static inline rig rig_of(limb_model* m)
{
  rig r = {m, NULL};
  check_at("%s", limb_model_name(m));
  assert_ok(limb_data_create(limb_spanning_tree(m), NULL, &r.d));
  return r;
}

static inline void rig_free(rig* r)
{
  limb_data_destroy(r->d);
  limb_model_destroy(r->m);
}

static inline limb_environment rig_weightless(const rig* r)
{
  limb_environment env = limb_default_environment(r->m);
  env.gravity = sp_v3(0, 0, 0);
  return env;
}

#endif
