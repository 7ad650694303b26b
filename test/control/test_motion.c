// Prescribed motion: values of its three forms, contradictions between formulas.
#include "limb/control.h"

#include "support/check.h"

#include <math.h>
#include <string.h>

static int find_time(void* context, const char* name)
{
  (void)context;
  return strcmp(name, "t") == 0 ? 0 : -1;
}

static limb_joint_motion formulas(const char* q, const char* v, const char* a, limb_formula* own[3])
{
  const limb_formula_names names = {.find = find_time};
  const char* const text[3] = {q, v, a};
  limb_joint_motion m = {0};
  for (int k = 0; k < 3; k++) {
    assert_ok(limb_formula_parse(text[k], &names, NULL, &own[k], NULL));
    m.formula[k] = own[k];
  }
  return m;
}

static void destroy(limb_formula* own[3])
{
  for (int k = 0; k < 3; k++) limb_formula_destroy(own[k]);
}

// All three forms of 1 + 2 t + 3 sin(4 t).
START_TEST(three_forms_agree)
{
  enum { SAMPLES = 401 };
  static double time[SAMPLES], value[SAMPLES];
  limb_formula* own[3];
  for (int i = 0; i < SAMPLES; i++) {
    time[i] = 0.005 * i;
    value[i] = 1 + 2 * time[i] + 3 * sin(4 * time[i]);
  }
  const limb_samples samples = {.count = SAMPLES, .time = time, .columns = 1, .value = value};
  limb_signal* signal = NULL;
  assert_ok(limb_signal_create(LIMB_SIGNAL_SPLINE, &samples, NULL, &signal, NULL));
  const limb_joint_motion form[3] = {
    formulas("1 + 2*t + 3*sin(4*t)", "2 + 12*cos(4*t)", "-48*sin(4*t)", own),
    {.signal = signal},
    {.constant = 1, .rate = 2, .amplitude = 3, .frequency = 2 / acos(-1.0)},
  };
  for (int i = 0; i < 27; i++) {
    const double t = 0.5 + 0.0371 * i;
    double x[3][3];
    for (int k = 0; k < 3; k++) assert_ok(limb_joint_motion_at(&form[k], t, x[k]));
    assert_close_array(x[2], x[0], 3, 1e-12, 1e-12);
    assert_close_array(x[1], x[0], 3, 1e-6, 1e-6);
  }
  assert_that(limb_joint_motion_next_break(&form[0], 0.5) == HUGE_VAL);
  assert_that(limb_joint_motion_next_break(&form[1], 0.5) == time[SAMPLES - 1]);
  assert_that(limb_joint_motion_next_break(&form[2], 0.5) == HUGE_VAL);
  destroy(own);
  limb_signal_destroy(signal);
}
END_TEST

START_TEST(contradictions)
{
  static const struct {
    const char *q, *v, *a;
    int wrong;
  } cases[] = {
    {"t^3", "3*t^2", "6*t", 0},
    {"t^3", "3*t", "3", 1},
    {"t^3", "3*t^2", "6", 2},
    {"step(t - 0.5)", "0", "0", 0},                       // a jump
    {"log(t - 0.5)", "1/(t - 0.5)", "-1/(t - 0.5)^2", 0}, // without a value at first
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    limb_formula* own[3];
    const limb_joint_motion m = formulas(cases[k].q, cases[k].v, cases[k].a, own);
    check_at("%s", cases[k].q);
    ck_assert_int_eq(limb_joint_motion_contradiction(&m, 0, 1), cases[k].wrong);
    destroy(own);
  }
}
END_TEST

START_TEST(motion_arguments)
{
  double x[3];
  limb_formula* own[3];
  limb_joint_motion m = formulas("log(t)", "1/t", "-1/t^2", own);
  assert_status(limb_joint_motion_at(&m, -1, x), LIMB_E_NONFINITE);
  assert_status(limb_joint_motion_at(NULL, 1, x), LIMB_E_ARG);
  assert_status(limb_joint_motion_at(&m, 1, NULL), LIMB_E_ARG);
  m.formula[1] = NULL;
  assert_status(limb_joint_motion_at(&m, 1, x), LIMB_E_ARG);
  ck_assert_int_eq(limb_joint_motion_contradiction(NULL, 0, 1), 0);
  assert_that(limb_joint_motion_next_break(NULL, 0) == HUGE_VAL);
  destroy(own);
}
END_TEST

CHECK_MAIN("control/motion", 1, three_forms_agree, contradictions, motion_arguments)
