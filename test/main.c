// The main of all C tests: runs the one that is named. CHECK_LIST is a file of the build with a line
// TEST(name) for each test of this program.
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST(name) int name(void);
#include CHECK_LIST
#undef TEST

static const struct {
  const char* name;
  int (*run)(void);
} tests[] = {
#define TEST(name) {#name, name},
#include CHECK_LIST
};

enum { TESTS = sizeof tests / sizeof *tests };

int main(int argc, char** argv)
{
  check_arguments = argv;
  for (int i = 0; i < TESTS && argc > 1; i++) {
    if (strcmp(tests[i].name, argv[1]) == 0) return tests[i].run();
  }
  fprintf(stderr, "usage: %s <test>, one of\n", argv[0]);
  for (int i = 0; i < TESTS; i++) fprintf(stderr, "  %s\n", tests[i].name);
  return EXIT_FAILURE;
}
