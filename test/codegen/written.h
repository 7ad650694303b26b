// Reading equations back: the text that limb_equations_write writes, as lines NAME = EXPRESSION, evaluated at
// values of the symbols. Knows + - * ^ and brackets, sin, cos and sign, the left side tau1 + (Psi^T lambda)1,
// which is called tau1, and the line that stands for entries that are zero.
#ifndef LIMB_TEST_WRITTEN_H
#define LIMB_TEST_WRITTEN_H

#include "support/check.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRITTEN_MOST = 4096, WRITTEN_NAME = 24 };

typedef struct written_value {
  char name[WRITTEN_NAME];
  double x;
} written_value;

typedef struct written {
  char* text; // with lines that go on joined
  size_t size;
  int count;
  written_value value[WRITTEN_MOST];
  const char* at; // where the expression is read
} written;

// A limb_text_fn.
static void written_put(void* context, const char* piece)
{
  written* w = context;
  const size_t n = strlen(piece);
  w->text = realloc(w->text, w->size + n + 1);
  if (!w->text) abort();
  memcpy(w->text + w->size, piece, n + 1);
  w->size += n;
}

static void written_free(written* w)
{
  free(w->text);
  free(w);
}

static void written_set(written* w, const char* name, double x)
{
  int i = 0;
  while (i < w->count && strcmp(w->value[i].name, name) != 0) i++;
  ck_assert_int_lt(i, WRITTEN_MOST);
  (void)snprintf(w->value[i].name, WRITTEN_NAME, "%s", name);
  w->value[i].x = x;
  if (i == w->count) w->count++;
}

static const written_value* written_find(const written* w, const char* name)
{
  for (int i = 0; i < w->count; i++)
    if (strcmp(w->value[i].name, name) == 0) return &w->value[i];
  return NULL;
}

static double written_get(const written* w, const char* name)
{
  const written_value* value = written_find(w, name);
  ck_assert_msg(value, "nothing is called '%s'", name);
  return value->x;
}

// ---- expressions ------------------------------------------------------------------------------------

static double written_sum(written* w);

static double written_function(const char* name, double x)
{
  if (strcmp(name, "sin") == 0) return sin(x);
  if (strcmp(name, "cos") == 0) return cos(x);
  ck_assert_str_eq(name, "sign");
  return (x > 0) - (x < 0);
}

static double written_bracket(written* w)
{
  ck_assert_int_eq(*w->at++, '(');
  const double x = written_sum(w);
  ck_assert_int_eq(*w->at++, ')');
  return x;
}

static double written_factor(written* w)
{
  char name[WRITTEN_NAME];
  size_t n = 0;
  double x;
  if (*w->at == '(') {
    x = written_bracket(w);
  } else if (isalpha((unsigned char)*w->at)) {
    while ((isalnum((unsigned char)*w->at) || *w->at == '_') && n + 1 < sizeof name) name[n++] = *w->at++;
    name[n] = '\0';
    x = *w->at == '(' ? written_function(name, written_bracket(w)) : written_get(w, name);
  } else {
    char* end;
    x = strtod(w->at, &end);
    ck_assert_msg(end != w->at, "no factor: %.20s", w->at);
    w->at = end;
  }
  if (*w->at != '^') return x;
  w->at++;
  char* end;
  const long power = strtol(w->at, &end, 10);
  w->at = end;
  return pow(x, (double)power);
}

static double written_product(written* w)
{
  double x = written_factor(w);
  while (*w->at == '*') {
    w->at++;
    x *= written_factor(w);
  }
  return x;
}

static double written_sum(written* w)
{
  const double first = *w->at == '-' ? -1 : 1;
  if (*w->at == '-') w->at++;
  double x = first * written_product(w);
  while (strncmp(w->at, " + ", 3) == 0 || strncmp(w->at, " - ", 3) == 0) {
    const double sign = w->at[1] == '+' ? 1 : -1;
    w->at += 3;
    x += sign * written_product(w);
  }
  return x;
}

// ---- documents --------------------------------------------------------------------------------------

// Joins lines that go on, and takes the values of the parameters.
static void written_begin(written* w)
{
  char* to = w->text;
  for (const char* from = w->text; *from;) {
    const bool on = strncmp(from, "\n        ", 9) == 0;
    *to++ = on ? ' ' : *from;
    from += on ? 9 : 1;
  }
  *to = '\0';
  const char* where = strstr(w->text, "\nwhere\n");
  ck_assert_ptr_nonnull(where);
  for (const char* line = strchr(where + 1, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
    char name[WRITTEN_NAME];
    double x;
    if (sscanf(line + 1, " %23[A-Za-z0-9_] = %lf", name, &x) == 2) written_set(w, name, x);
  }
}

// Behind the name of an entry and its " = "; NULL: there is none.
static const char* written_name(const char* at, char* name)
{
  static const char loops[] = " + (Psi^T lambda)";
  size_t n = 0;
  for (; (isalnum((unsigned char)*at) || *at == '_') && n + 1 < WRITTEN_NAME; at++) name[n++] = *at;
  name[n] = '\0';
  if (strncmp(at, loops, sizeof loops - 1) == 0) {
    at += sizeof loops - 1;
    while (isdigit((unsigned char)*at)) at++;
  }
  return n && strncmp(at, " = ", 3) == 0 ? at + 3 : NULL;
}

// Evaluates all entries at the values that are set, and sets them.
static void written_evaluate(written* w)
{
  const char* end = strstr(w->text, "\nwhere\n");
  for (const char* line = w->text; line < end; line = strchr(line, '\n') + 1) {
    char name[2][WRITTEN_NAME];
    const char* at = written_name(line, name[0]);
    if (!at) continue;
    const char* more = written_name(at, name[1]);
    const bool both = more != NULL;
    w->at = both ? more : at;
    const double x = written_sum(w);
    ck_assert_msg(*w->at == '\n', "left over: %.40s", w->at);
    for (int k = 0; k <= both; k++) written_set(w, name[k], x);
  }
}

static void written_vector(written* w, char letter, const double* x, int n)
{
  for (int i = 0; i < n; i++) {
    char name[WRITTEN_NAME];
    (void)snprintf(name, sizeof name, "%c%d", letter, i + 1);
    written_set(w, name, x[i]);
  }
}

// Whether a line states that all other entries are zero.
static bool written_zeros(const written* w, const char* letters)
{
  char line[2][64];
  (void)snprintf(line[0], sizeof line[0], "\nall entries of %s are 0\n", letters);
  (void)snprintf(line[1], sizeof line[1], "\nall other entries of %s are 0\n", letters);
  return strstr(w->text, line[0]) || strstr(w->text, line[1]);
}

// Entries of a matrix (columns 0: a vector).
static void written_matrix(const written* w, const char* letters, int rows, int columns, double* out)
{
  const bool wide = rows > 9 || columns > 9;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < (columns ? columns : 1); j++) {
      char name[WRITTEN_NAME];
      if (columns)
        (void)snprintf(name, sizeof name, wide ? "%s%d_%d" : "%s%d%d", letters, i + 1, j + 1);
      else
        (void)snprintf(name, sizeof name, "%s%d", letters, i + 1);
      const bool zero = !written_find(w, name) && written_zeros(w, letters);
      out[i * (columns ? columns : 1) + j] = zero ? 0 : written_get(w, name);
    }
  }
}

#endif
