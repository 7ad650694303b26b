// The instruction set of this process: chosen once among those that were built.

#include "limb/base.h"

#include "model/model_impl.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BASE, V3, V4, SETS };

static const char* const names[SETS] = {"base", "v3", "v4"};

// The choice + 1, 0 before it: the one thing that limb keeps for the whole process.
static atomic_int choice;

// The value of LIMB_ISA; NULL when it asks for nothing.
static const char* asked(void)
{
  const char* value = getenv("LIMB_ISA");
  return value && *value ? value : NULL;
}

// The set of that name, and V4, the last one, for an unknown name.
static int set_named(const char* name)
{
  for (int i = 0; name && i < SETS; i++) {
    if (strcmp(name, names[i]) == 0) return i;
  }
  return V4;
}

static bool built(int set)
{
  static const bool has[SETS] = {
#ifdef LIMB_HAVE_BASE
    [BASE] = true,
#endif
#ifdef LIMB_HAVE_V3
    [V3] = true,
#endif
#ifdef LIMB_HAVE_V4
    [V4] = true,
#endif
  };
  return has[set];
}

static bool runs(int set)
{
  if (set == BASE) return true;
#if defined(LIMB_HAVE_V3) || defined(LIMB_HAVE_V4)
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd");
  return set == V3 ? v3 : v4;
#else
  return false;
#endif
}

// The best set that was built and that this processor runs, up to `last`; -1: there is none.
static int best(int last)
{
  while (last >= 0 && !(built(last) && runs(last))) last--;
  return last;
}

// The set for a process that asks for `name`: one of those built, whatever happens.
static int choose(const char* name)
{
  int set = best(set_named(name));
  if (set < 0) set = best(V4);
  for (int i = BASE; set < 0; i++) {
    if (built(i)) set = i; // none runs: limb_isa_runs
  }
  return set;
}

// Several threads may choose at the same time: the first one decides.
int limb_isa_here(void)
{
  int now = atomic_load_explicit(&choice, memory_order_relaxed);
  if (now == 0) {
    const int mine = choose(asked()) + 1;
    if (atomic_compare_exchange_strong(&choice, &now, mine)) now = mine;
  }
  return now - 1;
}

bool limb_isa_runs(void) { return runs(limb_isa_here()); }

const char* limb_isa_name(void) { return names[limb_isa_here()]; }

const char* limb_isa_refused(void)
{
  const char* name = limb_isa_name();
  const char* value = asked();
  return value && strcmp(value, name) != 0 ? value : NULL;
}
