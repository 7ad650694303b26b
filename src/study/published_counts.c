// Published operation counts of inverse dynamics, and our counts of a published method.
//
//   130n - 68, 101n - 56    recursive Newton-Euler in spatial notation, nothing customised: R. Featherstone,
//                           Robot Dynamics Algorithms, 1987, quoted by Park, Bobrow, Ploen, 1995
//   92n - 127, 81n - 117    Khalil's customised symbolic Newton-Euler with base parameters, general chain, quoted
//                           from secondary sources: the method is W. Khalil, J.-F. Kleinfinger, Minimum Operations and
//                           Minimum Parameters of the Dynamic Models of Tree Structure Robots, 1987
//   for single robots       that method as in Khalil 2010, (18)-(31), which is SYMORO's, counted for limb's
//                           models by tools/count_customised.py, which also compares its results with limb's
#include "limb/study.h"

#include "limb/read.h"

#include <string.h>

typedef struct formula {
  limb_published_count per_joint; // mul and add: multiplied by n
  long mul, add;                  // subtracted
  int min_joints;
} formula;

static const formula formulas[] = {
  {{"Newton-Euler, nothing customised: 130n-68, 101n-56", "Featherstone 1987", 130, 101}, 68, 56, 1},
  {{"customised, general chain: 92n-127, 81n-117", "Khalil's method, from secondary sources", 92, 81}, 127, 117, 2},
};
enum { FORMULAS = sizeof formulas / sizeof *formulas };

static const struct {
  const char* robot;
  long mul, add;
} counted[] = {{"puma560", 178, 142}, {"stanford", 126, 87}, {"general_6r", 420, 357}};

// Number of joints when they have one velocity each and the base is fixed; 0 for other robots.
static int chain_length(const limb_model* m)
{
  const int n = limb_nv(m);
  if (limb_nq(m) != n || limb_loop_count(m) > 0 || limb_shaft_count(m) > 0) return 0;
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info joint;
    if (limb_get_joint(m, j, &joint) != LIMB_OK || joint.nv > 1) return 0;
    if (joint.nv == 0 && joint.def.type != LIMB_FIXED) return 0; // a mimic joint
  }
  return n;
}

static int by_formula(int n, int index, limb_published_count* out)
{
  const formula* f = &formulas[index];
  if (n < f->min_joints) return 0;
  *out = f->per_joint;
  out->mul = out->mul * n - f->mul;
  out->add = out->add * n - f->add;
  return 1;
}

// Whether the robot is the built-in one of that name, and not another one with the same name.
static int is_built_in(const limb_model* m, const char* name)
{
  limb_reading* r = NULL;
  limb_model* own = NULL;
  limb_comparison same;
  if (strcmp(limb_model_name(m), name) != 0) return 0;
  limb_status s = limb_read_robot(name, NULL, &r, NULL);
  if (s == LIMB_OK) s = limb_builder_build(limb_reading_builder(r), &own, NULL);
  if (s == LIMB_OK) s = limb_compare(m, own, 2, &same);
  limb_reading_destroy(r);
  limb_model_destroy(own);
  return s == LIMB_OK && !*same.why && same.M < 1e-9 && same.tau < 1e-9;
}

static int by_name(const limb_model* m, limb_published_count* out)
{
  for (size_t k = 0; k < sizeof counted / sizeof *counted; k++) {
    if (!is_built_in(m, counted[k].robot)) continue;
    *out = (limb_published_count){
      "SYMORO's method, this robot, no rotors and friction",
      "Khalil's equations with base parameters, without zeros and ones, counted by limb's authors", counted[k].mul,
      counted[k].add};
    return 1;
  }
  return 0;
}

int limb_get_published_count(const limb_model* m, const char* quantity, int index, limb_published_count* out)
{
  const int n = m && quantity && out && strcmp(quantity, "tau") == 0 ? chain_length(m) : 0;
  if (n == 0 || index < 0 || index > FORMULAS) return 0;
  return index < FORMULAS ? by_formula(n, index, out) : by_name(m, out);
}
