// Formulas of base parameters: their text, evaluated, gives the values; some by the word.
#include "support/robots_impl.h"
#include "support/trial.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- a reader of formulas ---------------------------------------------------------------------------
// sum: product { (+|-) product };  product: factor { factor };  factor: number, (sum), name or name^power

typedef struct reader {
  const limb_model* m;
  const char* at;
} reader;

static double read_sum(reader* r);

static void skip_blanks(reader* r)
{
  while (*r->at == ' ') r->at++;
}

// A constant or a parameter of a link, by its name without the number.
static double value_of(const limb_model* m, const char* word, int link)
{
  static const char* const inertial[] = {"M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ"};
  limb_mdh_row row;
  limb_joint_info joint;
  assert_ok(limb_get_mdh(m, link - 1, &row));
  assert_ok(limb_get_joint(m, row.joint, &joint));
  const limb_joint_def* def = &joint.def;
  limb_shaft_def shaft = limb_default_shaft_def(-1, -1);
  if (joint.shaft >= 0) assert_ok(limb_get_shaft(m, joint.shaft, &shaft));
  const struct {
    const char* word;
    double value;
  } others[] = {{"d", row.d},
                {"r", row.r},
                {"b", row.b},
                {"Sa", sin(row.alpha)},
                {"Ca", cos(row.alpha)},
                {"Sg", sin(row.gamma)},
                {"Cg", cos(row.gamma)},
                {"St", sin(row.theta)},
                {"Ct", cos(row.theta)},
                {"Ia", def->gear_ratio * def->gear_ratio * def->rotor_inertia},
                {"Fv", def->viscous},
                {"Fs", def->coulomb},
                {"k", def->stiffness},
                {"c", -def->stiffness * def->rest},
                {"ks", shaft.stiffness},
                {"cs", -shaft.stiffness * shaft.rest},
                {"Fd", shaft.damping}};
  for (int k = 0; k < 10; k++)
    if (!strcmp(word, inertial[k])) return row.inertia[k];
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (!strcmp(word, others[k].word)) return others[k].value;
  ck_abort_msg("unknown name %s", word);
}

static double read_name(reader* r)
{
  char word[8] = "";
  size_t n = 0;
  while (isalpha((unsigned char)*r->at) && n + 1 < sizeof word) word[n++] = *r->at++;
  char* end = NULL;
  const int link = (int)strtol(r->at, &end, 10);
  assert_that(end > r->at);
  r->at = end;
  const double x = value_of(r->m, word, link);
  if (*r->at != '^') return x;
  const long power = strtol(r->at + 1, &end, 10);
  r->at = end;
  return pow(x, (double)power);
}

static double read_factor(reader* r)
{
  if (*r->at == '(') {
    r->at++;
    const double x = read_sum(r);
    assert_that(*r->at == ')');
    r->at++;
    return x;
  }
  if (isalpha((unsigned char)*r->at)) return read_name(r);
  char* end = NULL;
  const double x = strtod(r->at, &end);
  assert_that(end > r->at);
  r->at = end;
  return x;
}

static double read_product(reader* r)
{
  double x = 1;
  for (skip_blanks(r); *r->at == '(' || isalnum((unsigned char)*r->at); skip_blanks(r)) x *= read_factor(r);
  return x;
}

static double read_sum(reader* r)
{
  skip_blanks(r);
  double sign = 1, sum = 0;
  if (*r->at == '-') sign = -1, r->at++;
  for (;;) {
    sum += sign * read_product(r);
    if (*r->at != '+' && *r->at != '-') return sum;
    sign = *r->at++ == '-' ? -1 : 1;
  }
}

// ---- tests ------------------------------------------------------------------------------------------

// Sizes of numbers: of the values, and of what they were added up from.
static double size_of(const limb_model* m, const limb_base_parameters* b, int row)
{
  const int np = limb_parameter_count(m);
  double *theta = calloc((size_t)np + 1, sizeof *theta), sum = 1e-3;
  const double* K = limb_base_matrix(b) + (size_t)row * (size_t)np;
  assert_ok(limb_parameters(m, theta));
  for (int c = 0; c < np; c++) sum += fabs(K[c] * theta[c]);
  free(theta);
  return sum;
}

static void formulas_give_values(trial* t)
{
  if (!trial_small(t)) return;
  limb_base_parameters* b = NULL;
  assert_ok(limb_base_create(t->m, NULL, 0, NULL, &b));
  const int nb = limb_base_count(b);
  double* value = trial_doubles(t, (size_t)nb);
  assert_ok(limb_base_values(b, NULL, value));
  for (int i = 0; i < nb; i++) {
    reader r = {t->m, limb_base_formula(b, i)};
    check_at("robot %s: %s = %s", t->robot->name, limb_base_name(b, i), r.at);
    assert_close(read_sum(&r), value[i], 0, 1e-8 * size_of(t->m, b, i));
    assert_that(*r.at == '\0');
  }
  limb_base_destroy(b);
}

START_TEST(evaluated) { trial_over(_i, 1, formulas_give_values); }
END_TEST

static void expect(const limb_base_parameters* b, const char* name, const char* formula)
{
  for (int i = 0; i < limb_base_count(b); i++) {
    if (strcmp(limb_base_name(b, i), name) != 0) continue;
    if (strcmp(limb_base_formula(b, i), formula) != 0)
      ck_abort_msg("%s = %s, not %s", name, limb_base_formula(b, i), formula);
    return;
  }
  ck_abort_msg("there is no %s", name);
}

static limb_base_effect effect_of(const limb_model* m, const limb_base_parameters* b, const char* of,
                                  const char* symbol)
{
  for (int i = 0; i < limb_parameter_count(m); i++) {
    limb_parameter_info p;
    assert_ok(limb_get_parameter(m, i, &p));
    if (!strcmp(p.of, of) && !strcmp(p.symbol, symbol)) return limb_base_effect_of(b, i);
  }
  ck_abort_msg("there is no %s.%s", of, symbol);
}

START_TEST(planar_2r)
{
  limb_model* m = robot_planar_2r();
  limb_base_parameters* b = NULL;
  limb_environment env = limb_default_environment(m);
  env.friction = 0;
  assert_ok(limb_base_create(m, &env, LIMB_BASE_NO_SPRINGS, NULL, &b));
  expect(b, "ZZR1", "ZZ1 + d2^2 M2 + Ia1");
  expect(b, "MXR1", "MX1 + d2 M2");
  expect(b, "MY1", "MY1");
  expect(b, "ZZ2", "ZZ2");
  expect(b, "MX2", "MX2");
  expect(b, "MY2", "MY2");
  expect(b, "Ia2", "Ia2");
  assert_that(effect_of(m, b, "1", "m") == LIMB_EFFECT_NONE);
  assert_that(effect_of(m, b, "2", "Ixz") == LIMB_EFFECT_NONE);
  assert_that(effect_of(m, b, "2", "m") == LIMB_EFFECT_COMBINED);
  assert_that(effect_of(m, b, "2", "mx") == LIMB_EFFECT_ALONE);
  assert_that(effect_of(m, b, "1", "rotor") == LIMB_EFFECT_COMBINED);
  assert_that(effect_of(m, b, "1", "viscous") == LIMB_EFFECT_LEFT_OUT);
  assert_that(effect_of(m, b, "1", "offset") == LIMB_EFFECT_LEFT_OUT);
  limb_base_destroy(b);
  limb_model_destroy(m);
}
END_TEST

// Khalil's groupings of the Puma 560.
START_TEST(puma_560)
{
  limb_model* m = robot_puma560();
  limb_base_parameters* b = NULL;
  assert_ok(limb_base_create(m, NULL, LIMB_BASE_NO_SPRINGS, NULL, &b));
  expect(b, "ZZR2", "ZZ2 + d3^2 (M3 + M4 + M5 + M6) + Ia2");
  expect(b, "XXR2", "XX2 - YY2 - d3^2 (M3 + M4 + M5 + M6)");
  expect(b, "XZR2", "XZ2 - d3 r3 (M3 + M4 + M5 + M6) - d3 MZ3");
  expect(b, "XYR3", "XY3 + d4 r4 (M4 + M5 + M6) + d4 MZ4");
  expect(b, "MYR4", "MY4 - MZ5");
  expect(b, "XXR4", "XX4 - YY4 + YY5");
  expect(b, "ZZR5", "ZZ5 + YY6");
  expect(b, "Ia3", "Ia3");
  expect(b, "Fv1", "Fv1");
  limb_base_destroy(b);
  limb_model_destroy(m);
}
END_TEST

// A mass that hangs on a vertical slide: with an offset in the torque, gravity cannot tell it from the rotor.
START_TEST(vertical_slide)
{
  limb_model* m = robot_scara();
  limb_base_parameters* b = NULL;
  assert_ok(limb_base_create(m, NULL, 0, NULL, &b));
  expect(b, "IaR3", "M3 + M4 + Ia3");
  expect(b, "cR3", "-9.81 (M3 + M4) + c3");
  limb_base_destroy(b);
  limb_model_destroy(m);
}
END_TEST

// A joint that follows another: its friction is the other's.
START_TEST(mimic_joint)
{
  limb_builder* f = fixture_begin("pair");
  limb_model* m = NULL;
  limb_base_parameters* b = NULL;
  int joint[2];
  for (int k = 0; k < 2; k++) {
    const char name[2] = {(char)('a' + k), 0};
    const int body = fixture_body(f, name, limb_inertia_point(1 + k, sp_v3(1, 0, 0)));
    limb_joint_def def = limb_default_joint_def(name, LIMB_REVOLUTE, 0, body);
    def.axis = sp_v3(k, 1, 0);
    if (k) def.mimic = joint[0], def.multiplier = -2, def.offset = 0.5;
    joint[k] = fixture_joint(f, &def);
  }
  m = fixture_end(f);
  assert_ok(limb_base_create(m, NULL, 0, NULL, &b));
  expect(b, "FvR1", "Fv1 + 4 Fv2");
  expect(b, "FsR1", "Fs1 + 2 Fs2");
  expect(b, "kR1", "k1 + 4 k2");
  expect(b, "cR1", "c1 - k2 - 2 c2");
  limb_base_destroy(b);
  limb_model_destroy(m);
}
END_TEST

// A right angle in twelve digits is one in the formulas, and K has what is missing.
START_TEST(angles_of_files)
{
  limb_builder* f = fixture_begin("file");
  limb_base_parameters* b = NULL;
  int parent = LIMB_WORLD_BODY;
  for (int i = 0; i < 3; i++) {
    const char digit[2] = {(char)('1' + i), 0};
    const sp_pose X = i ? fixture_mdh(0, 0, 1.57079632679, 0.4, 0, 0.3) : fixture_at(0, 0, 0);
    parent = fixture_link(f, digit, LIMB_REVOLUTE, parent, X, sp_v3(0, 0, 1), limb_inertia_box(2, 0.3, 0.4, 0.5));
  }
  limb_model* m = fixture_end(f);
  assert_ok(limb_base_create(m, NULL, LIMB_BASE_NO_SPRINGS | LIMB_BASE_NO_ROTORS, NULL, &b));
  expect(b, "MXR2", "MX2 + d3 M3");
  expect(b, "MYR2", "MY2 - MZ3");
  expect(b, "YZ2", "YZ2");
  assert_that(effect_of(m, b, "2", "Iyz") == LIMB_EFFECT_ALONE);
  const double* K = limb_base_matrix(b);
  int kept = 0;
  for (int i = 0; i < limb_base_count(b) * limb_parameter_count(m); i++) kept += K[i] != 0 && fabs(K[i]) < 1e-10;
  assert_that(kept > 0);
  limb_base_destroy(b);
  limb_model_destroy(m);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const once[] = {planar_2r, puma_560, vertical_slide, mimic_joint, angles_of_files, NULL};
  const TTest* const robots[] = {evaluated, NULL};
  const int failed = check_run("dynamics/base_formulas", 1, once);
  return check_run("dynamics/base_formulas, robots", trial_robots(), robots) | failed;
}
