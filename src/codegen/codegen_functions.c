// The functions that can be generated: which quantities of the registry (limb/quantities.h) each one computes, how it
// is traced, and its value in the library where the registry has none.
#include "codegen/codegen_impl.h"
#include "codegen/trace.h"

#include <string.h>

#define TREES ROBOTS_TREES
#define LOOPS ROBOTS_LOOPS

enum { TREE = sizeof "tree_" - 1 }; // letters

// clang-format off
static const limb_generated functions[] = {
  {"tree_tau", TREES, LIMB_WEIGHS, "tau", NULL, limb_trace_inverse_dynamics, NULL},
  {"tree_acc", TREES, LIMB_WEIGHS, "acc", NULL, limb_trace_forward_dynamics, NULL},
  {"tree_M", TREES, 0, "M", NULL, limb_trace_mass_matrix, NULL},
  {"tree_Minv", TREES, 0, "Minv", NULL, limb_trace_inverse_mass_matrix, NULL},
  {"tree_C", TREES, LIMB_MAY_VANISH, "C", NULL, limb_trace_coriolis, NULL},
  {"tree_g", TREES, LIMB_WEIGHS | LIMB_MAY_VANISH, "g", NULL, limb_trace_gravity, NULL},
  {"tree_h", TREES, LIMB_WEIGHS | LIMB_MAY_VANISH, "h", NULL, limb_trace_bias, NULL},
  {"tree_J", TREES, 0, "J", NULL, limb_trace_jacobian, NULL},
  {"pose", ROBOTS_ALL, 0, "pose.rotation,pose.position", NULL, limb_trace_pose, NULL},
  {"tree_dtau", TREES, LIMB_WEIGHS | LIMB_MAY_VANISH, "dtau_dq,dtau_dv", "derivatives of tau by q and v",
   limb_trace_id_derivatives, NULL},
  {"tree_dacc", TREES, LIMB_WEIGHS | LIMB_OF_ACCELERATIONS, "dacc_dq,dacc_dv,dacc_dtau",
   "derivatives of acc by q, v and tau", limb_trace_fd_derivatives, NULL},
  {"tree_Y", TREES, LIMB_WEIGHS, "Y", NULL, limb_trace_regressor, NULL},
  {"tree_hybrid", TREES, LIMB_WEIGHS, "hybrid", NULL, limb_trace_hybrid, NULL},
  {"tau", LOOPS, LIMB_WEIGHS, "tau", NULL, limb_trace_closed_inverse, NULL},
  {"acc", LOOPS, LIMB_WEIGHS, "acc", NULL, limb_trace_closed_forward, NULL},
  {"reduced_M", LOOPS, 0, NULL, "mass matrix of the independent coordinates, G' M G", limb_trace_closed_mass,
   limb_reference_reduced_mass},
  {"reduced_h", LOOPS, LIMB_WEIGHS | LIMB_MAY_VANISH, NULL,
   "bias forces of the independent coordinates, with friction and springs", limb_trace_closed_bias,
   limb_reference_reduced_bias},
  {"Psi", LOOPS, 0, "Psi", NULL, limb_trace_psi, NULL},
  {"gamma", LOOPS, 0, "gamma", NULL, limb_trace_gamma, NULL},
  {"G", LOOPS, 0, NULL, "velocities of all joints per independent one", limb_trace_velocity_map,
   limb_reference_velocity_map},
  {"passive", LOOPS, 0, "passive", NULL, limb_trace_passive, NULL},
  {"acc_lambda", LOOPS, LIMB_WEIGHS, "acc,lambda", "acc, and the forces of the closures", limb_trace_lambda, NULL},
  {"platform_tau", LOOPS, LIMB_WEIGHS, NULL, "inverse dynamics of a parallel robot, from the motion of its platform",
   limb_trace_platform_inverse, limb_reference_platform_tau},
  {"platform_acc", LOOPS, LIMB_WEIGHS, NULL,
   "forward dynamics of a parallel robot, and the acceleration of its platform", limb_trace_platform_forward,
   limb_reference_platform_acc},
  {"platform_J", LOOPS, 0, NULL, "twist of the platform of a parallel robot per velocity of its motors",
   limb_trace_platform_jacobian, limb_reference_platform_jacobian},
};
// clang-format on

enum { FUNCTIONS = sizeof functions / sizeof *functions };

const limb_generated* limb_generated_at(int index, const char** name, unsigned* robots)
{
  const bool again = index >= FUNCTIONS; // of spanning trees
  int k = again ? 0 : index, left = index - FUNCTIONS;
  for (; again && k < FUNCTIONS; k++)
    if (functions[k].robots == TREES && left-- == 0) break;
  if (index < 0 || k >= FUNCTIONS) return NULL;
  const limb_generated* x = &functions[k];
  *name = x->name + (x->robots == TREES && !again ? TREE : 0);
  *robots = again ? LOOPS : x->robots;
  return x;
}

const limb_generated* limb_find_generated(const char* word, unsigned robots, const char** name)
{
  const limb_generated* x;
  unsigned of;
  for (int k = 0; (x = limb_generated_at(k, name, &of)); k++)
    if (strcmp(*name, word) == 0 && of & robots) return x;
  return NULL;
}

const char* limb_generated_meaning(const limb_generated* x)
{
  char word[40];
  if (x->meaning) return x->meaning;
  (void)limb_next_word(x->of, word, sizeof word);
  word[strcspn(word, ".")] = '\0';
  return limb_find_quantity(word)->meaning;
}

// ---- the list ------------------------------------------------------------------------------------------------------

// The function at an index of the names, each of which counts once; robots: all that have the name.
static const limb_generated* listed(int index, const char** name, unsigned* robots)
{
  const limb_generated* x;
  for (int k = 0; (x = limb_generated_at(k, name, robots)); k++) {
    const char* other;
    unsigned more;
    bool repeated = false;
    for (int i = 0; limb_generated_at(i, &other, &more); i++) {
      if (strcmp(other, *name) != 0) continue;
      repeated = repeated || i < k;
      *robots |= more;
    }
    if (!repeated && index-- == 0) return x;
  }
  return NULL;
}

const char* limb_codegen_quantity_name(int index)
{
  const char* name;
  unsigned robots;
  return listed(index, &name, &robots) ? name : NULL;
}

const char* limb_codegen_quantity_meaning(int index)
{
  const char* name;
  unsigned robots;
  const limb_generated* x = listed(index, &name, &robots);
  return x ? limb_generated_meaning(x) : NULL;
}

const char* limb_codegen_quantity_robots(int index)
{
  static const char* const texts[] = {"", "without loops", "with loops", "all"};
  const char* name;
  unsigned robots;
  return listed(index, &name, &robots) ? texts[robots] : NULL;
}
