// The language of formulas: values compared with C's own arithmetic, units, and the message of every mistake.
#include "limb/control.h"

#include "robust/purse.h"
#include "support/check.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

static const char* const known[] = {"t",          "q.theta1", "v.elbow.wx", "lambda.loop1.fx",
                                    "q.my-joint", "energy",   "step",       "h"};
static const double values[] = {0.75, 2, -3, 1000, 0.5, -6, 7, 0.01};

enum { KNOWN = sizeof known / sizeof known[0] };

static int find(void* context, const char* name)
{
  (void)context;
  for (int i = 0; i < KNOWN; i++) {
    if (strcmp(known[i], name) == 0) return 10 + i;
  }
  return -1;
}

static const char* name_of(void* context, int i)
{
  (void)context;
  return i < KNOWN ? known[i] : NULL;
}

static const limb_formula_names names = {find, name_of, NULL};

static double value_of(const limb_formula* e)
{
  double x[KNOWN] = {0};
  for (int i = 0; i < limb_formula_symbol_count(e); i++) x[i] = values[limb_formula_symbol(e, i) - 10];
  return limb_formula_value(e, x);
}

static double eval(const char* text)
{
  limb_formula* e = NULL;
  limb_error err = {0};
  check_at("%s", text);
  const limb_status s = limb_formula_parse(text, &names, NULL, &e, &err);
  if (s != LIMB_OK) printf("%s: column %d: %s\n", text, err.column, err.text);
  assert_ok(s);
  const double x = value_of(e);
  limb_formula_destroy(e);
  return x;
}

#define assert_value(text, want) assert_close(eval(text), want, 1e-15, 0)

START_TEST(arithmetic)
{
  assert_value("1", 1);
  assert_value(" 1.5e3\n", 1500);
  assert_value(".5", 0.5);
  assert_value("2 + 3*4 - 5/2", 11.5);
  assert_value("2 - 3 - 4", -5);
  assert_value("24/2/3", 4);
  assert_value("(2 + 3)*4", 20);
  assert_value("2^3^2", 512);
  assert_value("-2^2", -4);
  assert_value("2^-1", 0.5);
  assert_value("-2^-2", -0.25);
  assert_value("- -3", 3);
  assert_value("+3 - -4", 7);
  assert_value("2*-3", -6);
  assert_value("pi*e", PI * 2.71828182845904523536);
  assert_value("t*2", 1.5);
  assert_value("q.theta1+v.elbow.wx*lambda.loop1.fx", -2998);
  assert_value("'q.my-joint' * 4", 2);
  assert_value("q.theta1-t", 1.25);
}
END_TEST

START_TEST(logic)
{
  assert_value("1 < 2", 1);
  assert_value("2 <= 2", 1);
  assert_value("2 > 2", 0);
  assert_value("2 >= 2.1", 0);
  assert_value("2 = 2", 1);
  assert_value("2 == 3", 0);
  assert_value("2 != 3", 1);
  assert_value("1 + 1 = 2 and 2 < 1 or 3 > 2", 1);
  assert_value("1 or 0 and 0", 1);
  assert_value("not 1 = 2 and 1", 1);
  assert_value("not not 5", 1);
  assert_value("5 and 3", 1);
  assert_value("0 ? 1 : 0 ? 2 : 3", 3);
  assert_value("1 ? 0 ? 4 : 5 : 6", 5);
  assert_value("if(t < 1, 2, 3)", 2);
  assert_value("(t > 1 ? 2 : 3) + 1", 4);
}
END_TEST

START_TEST(functions)
{
  assert_value("sin(0.3) + cos(0.3)*tan(0.3)", sin(0.3) + cos(0.3) * tan(0.3));
  assert_value("asin(0.3) + acos(0.3) + atan(0.3)", asin(0.3) + acos(0.3) + atan(0.3));
  assert_value("atan2(-1, -2)", atan2(-1, -2));
  assert_value("sinh(1) + cosh(1) + tanh(1)", sinh(1) + cosh(1) + tanh(1));
  assert_value("exp(1.5) + log(2) + log10(1000)", exp(1.5) + log(2) + 3);
  assert_value("sqrt(2) + cbrt(-8) + abs(-3)", sqrt(2) - 2 + 3);
  assert_value("sign(-4) + 10*sign(0) + 100*sign(2)", 99);
  assert_value("floor(-1.5) + ceil(1.2) + round(2.5)", -2 + 2 + 3);
  assert_value("mod(-1, 3)", 2);
  assert_value("mod(7, -3)", -2);
  assert_value("mod(6, 3)", 0);
  assert_value("hypot(3, 4)", 5);
  assert_value("min(3, 1, 2) + max(3, 1, 7, 2)", 8);
  assert_value("clamp(5, 0, 2) + clamp(-5, 0, 2) + clamp(1, 0, 2)", 3);
  assert_value("step(-1) + step(0)*10 + step(2)*100", 110);
  assert_value("pulse(0.5, 0.5, 1) + pulse(1, 0.5, 1) + pulse(0.2, 0.5, 1)", 1);
  assert_value("smoothstep(0.25, 0, 1)", 0.25 * 0.25 * 2.5);
  assert_value("smoothstep(-1, 0, 1) + smoothstep(9, 0, 1)", 1);
  assert_value("smoothstep(2, 2, 2)", 1);
  // a name that is also a function's; in quotes no word means anything
  assert_value("step + step(1) + 'step'", 15);
}
END_TEST

START_TEST(units)
{
  assert_value("150deg", 150 * PI / 180);
  assert_value("30 deg/s", PI / 6);
  assert_value("1.5kN", 1500);
  assert_value("60 rpm", 2 * PI);
  assert_value("2 rev", 4 * PI);
  assert_value("12 mm + 3cm + 1km", 1000.042);
  assert_value("5 us + 5 ms + 1 min + 1 h", 3660.005005);
  assert_value("9.81m/s^2", 9.81);
  assert_value("250 g*mm^2", 250e-9);
  assert_value("4 N*s/mm", 4000);
  assert_value("7 kNm/deg", 7000 * 180 / PI);
  assert_value("3 mNm + 2 Nm", 2.003);
  assert_value("10 % * 5", 0.5);
  assert_value("10%", 0.1);
  assert_value("3 kHz + 2 Hz", 3002);
  assert_value("5 kJ/s + 5 mW", 5000.005);
  assert_value("2 m/t", 2 / 0.75); // a name, not a unit
  assert_value("2 m / t", 2 / 0.75);
  assert_value("5 mm^-1", 5000);
  assert_value("(5 mm)^2", 25e-6);
  assert_value("2 N*sin(1)", 2 * sin(1));
  assert_value("1e3 mm", 1);
  assert_value("2 s and 1", 1);
  assert_value("2^3deg", pow(2, PI / 60));
  assert_value("3 min*2", 360);
}
END_TEST

START_TEST(no_value_is_passed_on)
{
  static const char* const text[] = {"log(-1)",          "sqrt(-1) < 1", "not (0/0)", "min(1, 0/0)",
                                     "clamp(1, 0/0, 3)", "(0/0)^0",      "1^(0/0)",   "(0/0) ? 1 : 2",
                                     "hypot(1/0, 0/0)",  "1 or 0/0",     "step(0/0)", "mod(1, 0)"};
  for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) assert_that(isnan(eval(text[i])));
  assert_value("t > 0 ? 2 : log(-1)", 2);
  assert_value("if(0, 0/0, 5)", 5);
  assert_that(eval("1/0") == HUGE_VAL);
  assert_that(eval("-exp(1000)") == -HUGE_VAL);
}
END_TEST

START_TEST(symbols_come_once)
{
  limb_formula* e = NULL;
  assert_ok(limb_formula_parse("energy + t*energy - h + t", &names, NULL, &e, NULL));
  ck_assert_int_eq(limb_formula_symbol_count(e), 3);
  ck_assert_int_eq(limb_formula_symbol(e, 0), 15);
  ck_assert_int_eq(limb_formula_symbol(e, 1), 10);
  ck_assert_int_eq(limb_formula_symbol(e, 2), 17);
  ck_assert_int_eq(limb_formula_symbol(e, 3), -1);
  ck_assert_int_eq(limb_formula_symbol(e, -1), -1);
  const double x[3] = {2, 3, 5};
  errno = 77;
  assert_close(limb_formula_value(e, x), 6, 0, 0);
  assert_that(isnan(limb_formula_value(e, NULL)));
  assert_that(isnan(limb_formula_value(NULL, x)));
  limb_formula_destroy(e);
  assert_ok(limb_formula_parse("exp(1000) + log(-1)", NULL, NULL, &e, NULL));
  ck_assert_int_eq(limb_formula_symbol_count(e), 0);
  assert_that(isnan(limb_formula_value(e, NULL)));
  ck_assert_int_eq(errno, 77);
  limb_formula_destroy(e);
  limb_formula_destroy(NULL);
  ck_assert_int_eq(limb_formula_symbol_count(NULL), 0);
}
END_TEST

// ---- mistakes --------------------------------------------------------------------------------------

typedef struct mistake {
  const char* text;
  int column;
  const char* says; // part of the sentence
} mistake;

static const mistake mistakes[] = {
  {"", 1, "empty"},
  {"  ", 1, "empty"},
  {"q.teta1 + 1", 1, "did you mean 'q.theta1'?"},
  {"1 + foo_bar", 5, "unknown name 'foo_bar'"},
  {"'q.my_joint'", 1, "did you mean 'q.my-joint'?"},
  {"'sin'", 1, "unknown name 'sin'"},
  {"sn(1)", 1, "unknown function 'sn'"},
  {"flor(1)", 1, "did you mean 'floor'?"},
  {"1 + sin", 5, "write sin(...)"},
  {"2*(3 + 4", 3, "')' is missing"},
  {"sin(1", 6, "')' is missing"},
  {"2*(3 + 4))", 10, "unmatched ')'"},
  {"atan2(1)", 1, "atan2 takes 2 arguments, not 1"},
  {"sin()", 1, "sin takes 1 argument, not 0"},
  {"sin(1, 2)", 1, "sin takes 1 argument, not 2"},
  {"min(1)", 1, "min takes 2 to 64 arguments"},
  {"3 dog", 3, "unknown unit 'dog'; did you mean 'deg'?"},
  {"3 foobar", 3, "unknown unit 'foobar'; known are"},
  {"3 t", 3, "operator is missing"},
  {"3 sin(1)", 3, "operator is missing"},
  {"3 m^2.5", 4, "whole number"},
  {"3 m^x", 4, "whole number"},
  {"3 m ^2", 5, "brackets"},
  {"3 m/h", 5, "unit and a name"},
  {"4 / s", 5, "a unit needs a number"},
  {"1 +", 4, "missing at the end"},
  {"* 3", 1, "expected before '*'"},
  {"1 + ) ", 5, "expected before ')'"},
  {"1 2", 3, "operator is missing before '2'"},
  {"2 (3)", 3, "operator is missing before '('"},
  {"t t", 3, "operator is missing before 't'"},
  {"1, 2", 2, "outside a function"},
  {"1 < 2 < 3", 7, "cannot be chained"},
  {"1 && 2", 3, "'and' or 'or'"},
  {"1 ? 2", 3, "without ':'"},
  {"1 ? 2 3", 7, "operator is missing"},
  {"1 # 2", 3, "unexpected '#'"},
  {"1 \x80", 3, "byte 128"},
  {"\x01", 1, "byte 1"},
  {"'abc", 1, "quote is not closed"},
  {"'' + 1", 1, "1 to 127 characters"},
  {"1e999", 1, "too large"},
  {"1e308 km", 1, "too large"},
  {"and 1", 1, "missing before 'and'"},
  {"1 + not 2", 5, "brackets around it"},
  {"1 + 5 %3", 8, "operator is missing"},
};

static void check_mistake(const mistake* m, limb_status s, const limb_error* err)
{
  check_at("%s", m->text);
  assert_status(s, LIMB_E_SYNTAX);
  if (err->column != m->column || !strstr(err->text, m->says))
    printf("%s: column %d: %s\n", m->text, err->column, err->text);
  ck_assert_int_eq(err->status, LIMB_E_SYNTAX);
  ck_assert_int_eq(err->line, 1);
  ck_assert_int_eq(err->column, m->column);
  assert_that(strstr(err->text, m->says));
}

START_TEST(mistakes_are_named)
{
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    limb_error err = {0};
    limb_formula* e = (limb_formula*)(void*)&err; // must become NULL
    const limb_status s = limb_formula_parse(mistakes[i].text, &names, NULL, &e, &err);
    check_mistake(&mistakes[i], s, &err);
    assert_that(e == NULL);
    assert_status(limb_formula_parse(mistakes[i].text, &names, NULL, &e, NULL), LIMB_E_SYNTAX);
  }
  limb_error err = {0};
  limb_formula* e = NULL;
  assert_status(limb_formula_parse("1 +\n 2 +\n  x", NULL, NULL, &e, &err), LIMB_E_SYNTAX);
  ck_assert_int_eq(err.line, 3);
  ck_assert_int_eq(err.column, 3);
}
END_TEST

// Text that repeats a piece, between a head and a tail.
static limb_status repeated(const char* piece, int count, const char* tail, limb_error* err)
{
  static char text[40000];
  size_t n = 0;
  for (int i = 0; i < count; i++) n += (size_t)snprintf(text + n, sizeof text - n, "%s", piece);
  (void)snprintf(text + n, sizeof text - n, "%s", tail);
  limb_formula* e = NULL;
  const limb_status s = limb_formula_parse(text, &names, NULL, &e, err);
  if (s == LIMB_OK) (void)value_of(e);
  limb_formula_destroy(e);
  return s;
}

// A condition is a formula, and as deep at most.
START_TEST(conditions_are_as_deep)
{
  for (int signs = 60; signs < 68; signs++) {
    char text[100] = "-8=";
    for (int i = 0; i < signs; i++) (void)strcat(text, "-");
    (void)strcat(text, "04");
    limb_formula *formula = NULL, *condition = NULL;
    int direction;
    const limb_status s = limb_formula_parse(text, &names, NULL, &formula, NULL);
    check_at("%d signs", signs);
    assert_status(limb_formula_parse_condition(text, &names, NULL, &condition, &direction, NULL), s);
    limb_formula_destroy(formula);
    limb_formula_destroy(condition);
  }
}
END_TEST

START_TEST(too_long_and_too_deep)
{
  limb_error err = {0};
  assert_ok(repeated("1+", 2047, "1", &err));
  assert_ok(repeated("t-", 2047, "1", &err));
  assert_status(repeated("1+", 2048, "1", &err), LIMB_E_SYNTAX);
  assert_that(strstr(err.text, "too long"));
  static const char* const deep[] = {"(", "-", "2^", "not ", "1 ? ", "sin(", "1+(", "1?1:"};
  for (size_t i = 0; i < sizeof deep / sizeof deep[0]; i++) {
    check_at("%s", deep[i]);
    assert_status(repeated(deep[i], 500, "1", &err), LIMB_E_SYNTAX);
    assert_that(strstr(err.text, "too deep"));
  }
  // 63 values wait, and the last one
  assert_ok(repeated("1+(", 30, "1))))))))))))))))))))))))))))))", &err));
  assert_ok(repeated("2^", 50, "1", &err));
  static char many[800] = "min(0";
  for (int i = 0; i < 100; i++) (void)strcat(many, ",1");
  (void)strcat(many, ")");
  limb_formula* e = NULL;
  assert_status(limb_formula_parse(many, NULL, NULL, &e, &err), LIMB_E_SYNTAX);
  assert_that(strstr(err.text, "on the stack"));
  assert_status(repeated("abcdefgh", 16, " + 1", &err), LIMB_E_SYNTAX);
  assert_that(strstr(err.text, "longer than 127"));
}
END_TEST

// ---- conditions ------------------------------------------------------------------------------------

START_TEST(conditions)
{
  static const struct {
    const char* text;
    int direction;
    double value;
  } good[] = {{"q.theta1 = 150deg", 0, 2 - 150 * PI / 180},
              {"lambda.loop1.fx > 1000", 1, 0},
              {"energy < -5", -1, -1},
              {"t >= 1", 1, -0.25},
              {"t <= 1 + 1", -1, -1.25},
              {"t == (2 > 1)", 0, -0.25},
              {"if(t > 1, 1, 2) > 3 m/s", 1, -1}};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    limb_formula* e = NULL;
    int direction = 7;
    check_at("%s", good[i].text);
    assert_ok(limb_formula_parse_condition(good[i].text, &names, NULL, &e, &direction, NULL));
    ck_assert_int_eq(direction, good[i].direction);
    assert_close(value_of(e), good[i].value, 1e-15, 0);
    limb_formula_destroy(e);
  }
}
END_TEST

START_TEST(what_is_no_condition)
{
  static const mistake bad[] = {{"t", 2, "single comparison"},
                                {"t > 1 and energy < 2", 7, "single comparison"},
                                {"(t > 1)", 8, "single comparison"},
                                {"t != 1", 3, "single comparison"},
                                {"1 < t < 2", 7, "single comparison"},
                                {"not t > 1", 1, "single comparison"},
                                {"t > 1 ? 2 : 3", 7, "single comparison"},
                                {"t or 1", 3, "single comparison"},
                                {"t > ", 5, "missing at the end"},
                                {"t > 1 2", 7, "operator is missing"},
                                {"t 2 > 1", 3, "operator is missing"},
                                {"t > qq", 5, "unknown name"},
                                {"", 1, "empty"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    limb_formula* e = NULL;
    int direction = 0;
    limb_error err = {0};
    check_mistake(&bad[i], limb_formula_parse_condition(bad[i].text, &names, NULL, &e, &direction, &err), &err);
    assert_that(e == NULL);
    ck_assert_str_eq(err.where, "condition");
  }
}
END_TEST

START_TEST(bad_arguments)
{
  limb_formula* e = NULL;
  limb_error err = {0};
  int direction;
  const limb_formula_names none = {NULL, name_of, NULL};
  const limb_allocator half = {NULL, purse_free, NULL};
  assert_status(limb_formula_parse(NULL, &names, NULL, &e, &err), LIMB_E_ARG);
  assert_that(err.text[0] != 0);
  assert_status(limb_formula_parse("1", &names, NULL, NULL, &err), LIMB_E_ARG);
  assert_status(limb_formula_parse("1", &none, NULL, &e, &err), LIMB_E_ARG);
  assert_status(limb_formula_parse("1", &names, &half, &e, &err), LIMB_E_ARG);
  assert_status(limb_formula_parse_condition("t>1", &names, NULL, NULL, &direction, &err), LIMB_E_ARG);
  assert_status(limb_formula_parse_condition("t>1", &names, NULL, &e, NULL, &err), LIMB_E_ARG);
  purse p = {.budget = 0};
  const limb_allocator poor = {purse_alloc, purse_free, &p};
  assert_status(limb_formula_parse("1", &names, &poor, &e, &err), LIMB_E_NOMEM);
  p.budget = 1;
  assert_ok(limb_formula_parse("t^2 + 1", &names, &poor, &e, &err));
  ck_assert_int_eq((int)p.alive, 1);
  limb_formula_destroy(e);
  p.budget = 1;
  assert_status(limb_formula_parse("t^2 + ", &names, &poor, &e, &err), LIMB_E_SYNTAX);
  ck_assert_int_eq((int)p.alive, 0);
  assert_that(!p.misused);
}
END_TEST

// A unit of another dimension is refused where the formula is a sum of literals.
START_TEST(units_that_fit)
{
  static const struct {
    const char *text, *unit;
    double value;
    int column; // of the unit that does not fit; 0: all fit
  } cases[] = {{"180deg", "rad", 3.14159265358979323846, 0},
               {"1rad", "rad", 1, 0},
               {"12mm", "m", 0.012, 0},
               {"3g", "kg", 0.003, 0},
               {"3 deg", "kg", 0, 3},
               {"1kg", "rad", 0, 2},
               {"-(2mm + 1)", "rad", 0, 4},
               {"30rpm", "rad/s", 3.14159265358979323846, 0},
               {"2Hz", "rad/s", 0, 2},
               {"2 N*m", "Nm", 2, 0},
               {"2 kg*m^2/s^2", "Nm", 2, 0},
               {"2 m*s^-2", "m/s^2", 2, 0},
               {"2 m/s", "m/s^2", 0, 3},
               {"1 m - 2", "m", -1, 0},
               {"1 m + 2deg - 1kg", "m", 0, 8},
               {"50%", "rad", 0, 3},
               {"50%", "", 0.5, 0},
               {"1m", "", 0, 2},
               {"1kg", NULL, 1, 0},
               {"2*3kg", "rad", 6, 0},
               {"4 m / 2 s", "m/s", 2, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double x = 77;
    limb_error err = {0};
    check_at("%s", cases[i].text);
    const limb_status s = limb_formula_number(cases[i].text, cases[i].unit, &x, &err);
    assert_status(s, cases[i].column ? LIMB_E_SYNTAX : LIMB_OK);
    assert_close(x, cases[i].column ? 77 : cases[i].value, 1e-15, 0);
    ck_assert_int_eq(err.column, cases[i].column);
  }
  double x = 77;
  limb_error err = {0};
  assert_status(limb_formula_number("1kg", "rad", &x, &err), LIMB_E_SYNTAX);
  ck_assert_str_eq(err.text, "the unit 'kg' does not fit; expected is an angle: rad, deg, rev");
  assert_status(limb_formula_number("1kg", "N*s/m", &x, &err), LIMB_E_SYNTAX);
  ck_assert_str_eq(err.text, "the unit 'kg' does not fit; expected is a value in N*s/m");
  assert_status(limb_formula_number("1 +", "rad", &x, &err), LIMB_E_SYNTAX);
  assert_status(limb_formula_number("1", "parsec", &x, &err), LIMB_E_ARG);
  assert_status(limb_formula_number(NULL, "rad", &x, &err), LIMB_E_ARG);
  assert_status(limb_formula_number("1", "rad", NULL, NULL), LIMB_E_ARG);
  assert_status(limb_formula_number("1kg", "rad", &x, NULL), LIMB_E_SYNTAX);
  assert_close(x, 77, 0, 0);
}
END_TEST

CHECK_MAIN("formula", 1, arithmetic, logic, functions, units, units_that_fit, no_value_is_passed_on, symbols_come_once,
           mistakes_are_named, too_long_and_too_deep, conditions_are_as_deep, conditions, what_is_no_condition,
           bad_arguments)
