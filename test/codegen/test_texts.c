// Generated texts: what every one of them promises, over options and languages. Compiling and running them is
// test_generated.py.
#include "limb/codegen.h"

#include "codegen/codegen_impl.h"
#include "support/check.h"
#include "support/robots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct gathered {
  char* at;
  size_t used;
} gathered;

static void gather(void* context, const char* text)
{
  gathered* g = context;
  const size_t n = strlen(text);
  g->at = realloc(g->at, g->used + n + 1);
  memcpy(g->at + g->used, text, n + 1);
  g->used += n;
}

static int occurrences(const char* text, const char* word)
{
  int n = 0;
  for (const char* s = text; (s = strstr(s, word)); s++) n++;
  return n;
}

static size_t longest_line(const char* text)
{
  size_t most = 0;
  for (const char* s = text; *s;) {
    const size_t n = strcspn(s, "\n");
    if (n > most) most = n;
    s += n + (s[n] == '\n');
  }
  return most;
}

static gathered written(limb_model* m, const limb_codegen_options* o, limb_codegen_file file)
{
  limb_codegen* c;
  limb_error err = {0};
  gathered g = {NULL, 0};
  const limb_status s = limb_codegen_create(m, o, NULL, &c, &err);
  ck_assert_msg(s == LIMB_OK, "%s: %s", err.where, err.text);
  gather(&g, "");
  assert_ok(limb_codegen_write(c, file, gather, &g));
  limb_codegen_free(c);
  return g;
}

START_TEST(texts_keep_their_promises)
{
  static const struct {
    limb_sines sines;
    int single, lanes, most, includes;
  } cases[] = {{LIMB_SINES_LIBM, 0, 1, 0, 1},
               {LIMB_SINES_OWN, 1, 1, 0, 0},
               {LIMB_SINES_GIVEN, 0, 4, 0, 0},
               {LIMB_SINES_LIBM, 1, 8, 15, 1}};
  limb_model* m = robot_scara();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    limb_codegen_options o = limb_default_codegen_options();
    o.effort = 0.05;
    o.what = "tau,M", o.sines = cases[i].sines, o.single = cases[i].single;
    o.lanes = cases[i].lanes, o.max_statements = cases[i].most;
    check_at("case %zu", i);
    const gathered source = written(m, &o, LIMB_FILE_SOURCE), again = written(m, &o, LIMB_FILE_SOURCE);
    ck_assert_str_eq(source.at, again.at);
    ck_assert_int_eq(occurrences(source.at, "#include"), cases[i].includes);
    ck_assert_uint_le(longest_line(source.at), LIMB_LINE);
    ck_assert_int_eq(occurrences(source.at, "double") > 0, !cases[i].single);
    ck_assert_int_eq(occurrences(source.at, "_PART void") > 0, cases[i].most > 0);
    assert_that(occurrences(source.at, "/* quill */") > 0);
    free(source.at);
    free(again.at);
  }
  limb_model_destroy(m);
}
END_TEST

START_TEST(every_language_is_written)
{
  static const char* const words[] = {
    "void scara_tau(",       "def scara_tau(q, v, a):", "= scara_tau(q, v, a)", "function scara_tau(q, v, a)",
    "pub fn scara_tau(q: &", "\\begin{align*}"};
  limb_model* m = robot_scara();
  for (int k = 0; k <= LIMB_LANGUAGE_LATEX; k++) {
    limb_codegen_options o = limb_default_codegen_options();
    o.effort = 0.05;
    o.what = "tau,M", o.language = (limb_language)k;
    const gathered source = written(m, &o, LIMB_FILE_SOURCE), header = written(m, &o, LIMB_FILE_HEADER);
    check_at("language %d", k);
    ck_assert_int_eq(occurrences(source.at, words[k]) > 0, 1);
    ck_assert_int_eq(header.used > 0, k == LIMB_LANGUAGE_C);
    ck_assert_uint_le(longest_line(source.at), LIMB_LINE);
    free(source.at);
    free(header.at);
  }
  limb_model_destroy(m);
}
END_TEST

// ---- what C has not ------------------------------------------------------------------------------------

// No branch, no loop, no memory, nothing that keeps a value between calls.
START_TEST(texts_run_straight_on)
{
  static const char* const words[] = {"if (", "for (", "while", "switch",  "goto",
                                      " ? ",  "alloc", "free(", "static ", "extern"};
  limb_model* m = robot_ur5();
  for (int given = 0; given < 2; given++) {
    limb_codegen_options o = limb_default_codegen_options();
    o.effort = 0.02;
    o.friction = 0; // whose signs are a function of their own
    o.what = "tau,acc,M,C,g,h,J,pose,dtau,Y", o.sines = given ? LIMB_SINES_GIVEN : LIMB_SINES_LIBM;
    const gathered source = written(m, &o, LIMB_FILE_SOURCE);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
      check_at("'%s'", words[i]);
      ck_assert_int_eq(occurrences(source.at, words[i]), 0);
    }
    free(source.at);
  }
  limb_model_destroy(m);
}
END_TEST

// ---- functions in parts --------------------------------------------------------------------------------

// Statements of the longest part, or function that has none; how many parts there are.
static int longest_part(const char* text, int* parts)
{
  int most = 0;
  *parts = 0;
  for (const char* s = text; (s = strstr(s, "void "));) {
    const bool part = s - text > 6 && strncmp(s - 6, "_PART ", 6) == 0;
    const char *body = strstr(s, ")\n{\n"), *end = strstr(s, "\n}\n");
    if (!body || !end) break;
    s += 5;
    if (memchr(s, ';', (size_t)(body - s))) continue;            // a prototype, or a word of a comment
    if (strncmp(strchr(s, '(') - 6, "_sines", 6) == 0) continue; // the same for every robot
    int statements = 0, calls = 0;
    for (const char* c = body; c < end; c++) {
      statements += *c == ';' && strncmp(c - 4, "sine;", 5) != 0;
      calls += strncmp(c, "_1(", 3) == 0 || strncmp(c, "_n1(", 4) == 0; // of the first part
    }
    if ((part || !calls) && statements > most) most = statements;
    *parts += part, s = end;
  }
  return most;
}

// At most as many statements as requested, loads and stores included.
static void check_parts(limb_model* m, const char* what)
{
  for (int k = 0; k < 9; k++) {
    limb_codegen_options o = limb_default_codegen_options();
    int parts;
    o.what = what, o.effort = 0.01, o.max_statements = 10 << k % 3, o.sines = (limb_sines)(k / 3);
    o.symbols = k == 1 ? LIMB_SYMBOLS_INERTIA : LIMB_SYMBOLS_NONE;
    const gathered source = written(m, &o, LIMB_FILE_SOURCE);
    check_at("%s, %d statements, sines %d", what, o.max_statements, k / 3);
    ck_assert_int_le(longest_part(source.at, &parts), o.max_statements);
    if (o.max_statements == 10) ck_assert_int_gt(parts, 1);
    free(source.at);
  }
  limb_model_destroy(m);
}

START_TEST(parts_are_as_short_as_asked_for)
{
  check_parts(robot_scara(), "dtau");
  check_parts(robot_ur5(), "tau");
  check_parts(robot_ur5(), "M");
  check_parts(robot_planar(9, 1), "pose"); // outputs that are sines
  check_parts(robot_scara(), "J,pose");    // outputs that are constants
}
END_TEST

// Every output is stored once, in one of the parts.
START_TEST(every_answer_is_stored)
{
  limb_model* m = robot_planar(9, 1);
  for (int k = 0; k < 6; k++) {
    limb_codegen_options o = limb_default_codegen_options();
    o.what = "pose", o.effort = 0.01, o.max_statements = k % 2 ? 10 : 0, o.sines = (limb_sines)(k / 2);
    const gathered source = written(m, &o, LIMB_FILE_SOURCE);
    check_at("split %d, sines %d", o.max_statements, k / 2);
    for (int i = 0; i < 12; i++) {
      char target[32];
      (void)snprintf(target, sizeof target, "  %s[%d] = ", i < 9 ? "rotation" : "position", i < 9 ? i : i - 9);
      ck_assert_msg(occurrences(source.at, target) == 1, "%s is there %d times", target,
                    occurrences(source.at, target));
    }
    free(source.at);
  }
  limb_model_destroy(m);
}
END_TEST

// ---- names ---------------------------------------------------------------------------------------------

// Whatever a robot is called, Python must not take it for the name of an encoding.
START_TEST(first_lines_of_python)
{
  limb_model* m = robot_pendulum();
  limb_codegen_options o = limb_default_codegen_options();
  o.language = LIMB_LANGUAGE_PYTHON;
  const gathered source = written(m, &o, LIMB_FILE_SOURCE);
  assert_that(strncmp(source.at, "# -*- coding: utf-8 -*-\n", 24) == 0);
  free(source.at);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("codegen/texts", 1, texts_keep_their_promises, every_language_is_written, texts_run_straight_on,
           parts_are_as_short_as_asked_for, every_answer_is_stored, first_lines_of_python)
