// Any text as an expression and as a condition. What is refused must say where and why; what is accepted
// must have a value, the same each time, whatever its names are worth.
#include "limb/control.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void require(int holds)
{
  if (!holds) abort();
}

static const char* const names[] = {"t", "q.theta1", "v.elbow.wx", "lambda.loop1.fx", "pos.tool.x", "e", "m"};

enum { NAMES = sizeof names / sizeof names[0] };

static int find(void* context, const char* name)
{
  (void)context;
  for (int i = 0; i < NAMES; i++) {
    if (strcmp(names[i], name) == 0) return i;
  }
  return -1;
}

static const char* name_of(void* context, int i)
{
  (void)context;
  return i < NAMES ? names[i] : NULL;
}

static void check(limb_status s, const limb_formula* e, const limb_error* err)
{
  if (s != LIMB_OK) {
    require(s == LIMB_E_SYNTAX && err->status == s && !e);
    require(err->line >= 1 && err->column >= 1 && err->text[0] != 0);
    require(memchr(err->text, 0, sizeof err->text) != NULL);
    return;
  }
  double x[NAMES];
  const int count = limb_formula_symbol_count(e);
  require(count <= NAMES);
  for (int i = 0; i < count; i++) {
    require(limb_formula_symbol(e, i) >= 0 && limb_formula_symbol(e, i) < NAMES);
    x[i] = 0.5 * i - 1;
  }
  const double a = limb_formula_value(e, x), b = limb_formula_value(e, x);
  require(memcmp(&a, &b, sizeof a) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  char* text = calloc(size + 1, 1);
  if (!text) return 0;
  if (size) memcpy(text, data, size);
  const limb_formula_names known = {find, name_of, NULL};
  limb_formula* e = NULL;
  limb_error err = {0};
  int direction = 2;
  const limb_status s = limb_formula_parse(text, &known, NULL, &e, &err);
  check(s, e, &err);
  limb_formula_destroy(e);
  const limb_status c = limb_formula_parse_condition(text, &known, NULL, &e, &direction, &err);
  check(c, e, &err);
  require(!e || s == LIMB_OK); // a condition is an expression
  require(direction >= -1 && direction <= 1);
  limb_formula_destroy(e);
  free(text);
  return 0;
}
