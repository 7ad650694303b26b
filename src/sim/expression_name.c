// Expressions: the words that are known, and what to say about others.
#include "sim/expression_impl.h"

#include "base/names.h"

#include <string.h>

static const expression_function functions[] = {
#define LIMB_X(name, text, least, most, value) {text, OP_##name, least, most},
  LIMB_FUNCTION_LIST(LIMB_X)
#undef LIMB_X
};

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

const expression_function* limb_find_function(const char* name)
{
  for (int i = 0; i < FUNCTIONS; i++) {
    if (strcmp(functions[i].name, name) == 0) return &functions[i];
  }
  return NULL;
}

int limb_find_symbol(const expression_parser* p, const char* name)
{
  return p->names.find ? p->names.find(p->names.context, name) : -1;
}

bool limb_is_keyword(const char* name)
{
  return strcmp(name, "and") == 0 || strcmp(name, "or") == 0 || strcmp(name, "not") == 0;
}

static const char* function_name(const void* context, int i)
{
  (void)context;
  return functions[i].name;
}

static const char* symbol_name(const void* context, int i)
{
  const limb_expression_names* names = context;
  return names->name(names->context, i);
}

static int symbol_names(const limb_expression_names* names)
{
  enum { ENOUGH = 2000 };
  int n = 0;
  while (names->name && n < ENOUGH && names->name(names->context, n)) n++;
  return n;
}

bool limb_no_such_symbol(const expression_parser* p, const char* at, const char* name)
{
  const char* near = limb_nearest(name, symbol_names(&p->names), symbol_name, &p->names);
  if (near) return limb_expression_fail(p, at, "unknown name '%.80s'; did you mean '%.80s'?", name, near);
  return limb_expression_fail(p, at, "unknown name '%.80s'", name);
}

bool limb_no_such_word(const expression_parser* p, const char* at, const char* name)
{
  if (limb_find_function(name)) return limb_expression_fail(p, at, "'%s' is a function: write %s(...)", name, name);
  if (limb_is_keyword(name))
    return limb_expression_fail(p, at, "a value was expected before '%s', or brackets around it", name);
  if (limb_is_unit(name, strlen(name)))
    return limb_expression_fail(p, at, "unknown name '%s'; a unit needs a number before it", name);
  return limb_no_such_symbol(p, at, name);
}

bool limb_no_such_function(const expression_parser* p, const char* at, const char* name)
{
  const char* near = limb_nearest(name, FUNCTIONS, function_name, NULL);
  if (near) return limb_expression_fail(p, at, "unknown function '%.80s'; did you mean '%s'?", name, near);
  return limb_expression_fail(p, at, "unknown function '%.80s'", name);
}
