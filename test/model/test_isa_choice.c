// The instruction set of a process is chosen once, by the processor and by LIMB_ISA; a wish that is not
// fulfilled is told. A process has one choice: every case asks others, this test with the word "tell".
// LIMB_HAVE_... say what was built.
#include "limb/base.h"

#include "kernel/tables.h"
#include "support/check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const sets[] = {"base", "v3", "v4"};
enum { SETS = 3 };
static const int built[SETS] = {
#ifdef LIMB_HAVE_BASE
  [0] = 1,
#endif
#ifdef LIMB_HAVE_V3
  [1] = 1,
#endif
#ifdef LIMB_HAVE_V4
  [2] = 1,
#endif
};

// ---- the process that is asked --------------------------------------------------------------------------

static void* choose(void* context)
{
  *(int*)context = limb_isa_here();
  return NULL;
}

// Threads that choose at the same time agree, and a later change of the variable is not honoured, but told.
static int tell(void)
{
  enum { THREADS = 4 };
  pthread_t thread[THREADS];
  int got[THREADS], stays = 1;
  for (int i = 0; i < THREADS; i++) {
    if (pthread_create(&thread[i], NULL, choose, &got[i])) return EXIT_FAILURE;
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(thread[i], NULL);
    stays &= got[i] == got[0];
  }
  const char* refused = limb_isa_refused();
  printf("%s %d %s ", limb_isa_name(), got[0], refused ? refused : "-");
  const char* other = sets[got[0] == 0];
  setenv("LIMB_ISA", other, 1);
  refused = limb_isa_refused();
  stays &= limb_isa_here() == got[0] && refused && strcmp(refused, other) == 0;
  printf("%s\n", stays ? "stays" : "changes");
  return EXIT_SUCCESS;
}

// ---- the questions --------------------------------------------------------------------------------------

typedef struct answer {
  char name[16], refused[32], stays[16];
  int index;
} answer;

// What a process with that LIMB_ISA says; NULL: without it.
static answer ask(const char* value)
{
  answer a = {.index = -1};
  char line[512];
  check_at("LIMB_ISA %s", value ? value : "not set");
  const char *program = check_arguments[0], *test = check_arguments[1];
  if (value)
    snprintf(line, sizeof line, "LIMB_ISA='%s' '%s' %s tell", value, program, test);
  else
    snprintf(line, sizeof line, "unset LIMB_ISA; '%s' %s tell", program, test);
  FILE* out = popen(line, "r");
  assert_that(out && fgets(line, sizeof line, out));
  assert_that(pclose(out) == 0);
  assert_that(sscanf(line, "%15s %d %31s %15s", a.name, &a.index, a.refused, a.stays) == 4);
  assert_that(a.index >= 0 && a.index < SETS && built[a.index] && strcmp(a.name, sets[a.index]) == 0);
  assert_that(strcmp(a.stays, "stays") == 0);
  return a;
}

static int runs(int set)
{
  if (set == 0) return 1;
#if defined(LIMB_HAVE_V3) || defined(LIMB_HAVE_V4)
  const int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return v3 && (set == 1 || (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")));
#else
  return 0;
#endif
}

START_TEST(the_best_set_by_itself)
{
  const answer here = ask(NULL), empty = ask("");
  assert_that(strcmp(here.refused, "-") == 0 && strcmp(empty.refused, "-") == 0);
  assert_that(empty.index == here.index);
  int want = SETS - 1;
  while (want > 0 && !(built[want] && runs(want))) want--;
  assert_that(here.index == want);
}
END_TEST

// A set that is not there or does not run: the next one below, and if there is none, the best.
START_TEST(every_set_up_to_the_best_by_name)
{
  const int best = ask(NULL).index;
  for (int i = 0; i < SETS; i++) {
    const answer a = ask(sets[i]);
    int want = i < best ? i : best;
    while (want >= 0 && !built[want]) want--;
    if (want < 0) want = best;
    assert_that(a.index == want);
    assert_that(strcmp(a.refused, i == want ? "-" : sets[i]) == 0);
  }
}
END_TEST

START_TEST(a_name_that_is_none)
{
  static const char* const none[] = {"v5", "avx2", "V3", "bas", "base2", "v33"};
  const int best = ask(NULL).index;
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    const answer a = ask(none[i]);
    assert_that(a.index == best && strcmp(a.refused, none[i]) == 0);
  }
}
END_TEST

int CHECK_NAME(void)
{
  if (check_arguments[2]) return tell();
  const TTest* const tests[] = {the_best_set_by_itself, every_set_up_to_the_best_by_name, a_name_that_is_none, NULL};
  return check_run("model/isa_choice", 1, tests);
}
