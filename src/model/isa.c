// The instruction set of this process: chosen once. LIMB_HAVE_V3 and LIMB_HAVE_V4 say what was built.

#include "limb/isa.h"

#include "model/kernels.h"

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

// The set of that name, and V4, the last one, for a name that is none.
static int most(const char* name)
{
  for (int i = 0; name && i < SETS; i++) {
    if (strcmp(name, names[i]) == 0) return i;
  }
  return V4;
}

#ifdef LIMB_HAVE_V3
static bool runs_v3(void)
{
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt");
}
#endif

#ifdef LIMB_HAVE_V4
static bool runs_v4(void)
{
  return runs_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd");
}
#endif

// The best set that was built and that this processor runs, up to `last`.
static int best(int last)
{
#ifdef LIMB_HAVE_V4
  if (last >= V4 && runs_v4()) return V4;
#endif
#ifdef LIMB_HAVE_V3
  if (last >= V3 && runs_v3()) return V3;
#endif
  (void)last;
  return BASE;
}

// Several threads may choose at the same time: the first one decides.
int limb_isa_here(void)
{
  int now = atomic_load_explicit(&choice, memory_order_relaxed);
  if (now == 0) {
    const int mine = best(most(asked())) + 1;
    if (atomic_compare_exchange_strong(&choice, &now, mine)) now = mine;
  }
  return now - 1;
}

const char* limb_isa_name(void) { return names[limb_isa_here()]; }

const char* limb_isa_refused(void)
{
  const char* name = limb_isa_name();
  const char* value = asked();
  return value && strcmp(value, name) != 0 ? value : NULL;
}
