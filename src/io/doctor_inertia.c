// The doctor on inertias that no body can have. A rigid body's principal moments are not negative, and
// none is larger than the sum of the other two: each is a sum of two second moments of mass, as
// I_1 = s_2 + s_3 with s_k = sum m x_k^2 >= 0.
#include "io/angles.h"
#include "io/doctor.h"
#include "io/eigen3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double size_of(const sp_inertia* Y)
{
  return fabs(Y->xx) + fabs(Y->xy) + fabs(Y->xz) + fabs(Y->yy) + fabs(Y->yz) + fabs(Y->zz);
}

inertia_fault limb_inertia_judge(const sp_inertia* Y)
{
  const double rounding = 1e-9;
  inertia_fault fault = {.negative = 0};
  limb_principal(Y, fault.moment, NULL);
  const double* I = fault.moment;
  const double scale = fmax(fabs(I[0]), fabs(I[2]));
  if (scale == 0) return fault;
  const double negative = -I[0] / scale, excess = (I[2] / scale - I[1] / scale) - I[0] / scale;
  if (negative > rounding) fault.negative = negative;
  if (excess > rounding) fault.excess = excess;
  return fault;
}

void limb_doctor_written(const doctor* d, int body, double value[6])
{
  const doctor_body* b = &d->body[body];
  const sp_inertia* Y = &b->def.inertia;
  const double own[6] = {Y->xx, Y->xy, Y->xz, Y->yy, Y->yz, Y->zz};
  memcpy(value, b->tag ? b->tag->value : own, sizeof own);
}

// ---- what printed digits leave open ---------------------------------------------------------------

// Significant digits of a number in its shortest form, and the power of ten of the last one.
static void digits_of(double x, int* significant, int* last)
{
  char text[LIMB_NUMBER_SPACE];
  (void)limb_print_number(fabs(x), text);
  int count = 0, zeros = 0, behind = 0, point = 0;
  const char* p = text;
  for (; *p && *p != 'e'; p++) {
    if (*p == '.') {
      point = 1;
      continue;
    }
    behind += point;
    if (*p == '0' && count == 0) continue;
    count += 1;
    zeros = *p == '0' ? zeros + 1 : 0;
  }
  *significant = count - zeros;
  *last = (*p == 'e' ? (int)strtol(p + 1, NULL, 10) : 0) - behind + zeros;
}

// By how much the moments may be off because the numbers were rounded when they were printed. Numbers
// lose zeros at their end when they are read: all are taken to have had the digits of the longest one.
static double printed_rounding(const double value[6])
{
  int most = 0, finest = 999;
  double top = 0;
  for (int k = 0; k < 6; k++) {
    if (value[k] == 0) continue;
    int significant = 0, last = 0;
    digits_of(value[k], &significant, &last);
    if (significant > most) most = significant;
    if (last < finest) finest = last;
    top = fmax(top, fabs(value[k]));
  }
  if (top == 0) return 0;
  const int place = most >= 4 ? (int)floor(log10(top)) - most + 1 : finest;
  return 3 * pow(10, place); // half a digit in each of six numbers
}

// Fewer digits would be an excuse for everything.
static int is_printed_rounding(const doctor* d, int body, double off, double scale)
{
  double value[6];
  limb_doctor_written(d, body, value);
  return off <= 0.01 && off * scale <= printed_rounding(value);
}

// ---- the rules ------------------------------------------------------------------------------------

// 1: an error; 0: within what was printed, which is a warning.
static int say_moments(const doctor* d, int body, const inertia_fault* fault, int negative)
{
  const double* I = fault->moment;
  const double scale = fmax(fabs(I[0]), fabs(I[2]));
  const double off = negative ? fault->negative : fault->excess;
  const limb_mark at = limb_doctor_body_mark(d, body);
  const limb_subject about = limb_doctor_body(d, body);
  if (negative) {
    const int count = (I[0] < 0) + (I[1] < 0) + (I[2] < 0);
    limb_report(d->f, RULE_INERTIA_NEGATIVE, at, about, "principal moments of inertia %s, %s, %s kg m^2: %s",
                limb_show(I[0]).text, limb_show(I[1]).text, limb_show(I[2]).text,
                count == 3   ? "all are negative"
                : count == 2 ? "the first two are negative"
                             : "the first is negative");
  } else {
    limb_report(d->f, RULE_INERTIA_TRIANGLE, at, about,
                "principal moments of inertia %s, %s, %s kg m^2: the last exceeds the sum of the "
                "others by %s, which is %s %% of it",
                limb_show(I[0]).text, limb_show(I[1]).text, limb_show(I[2]).text,
                limb_show_short(fault->excess * scale).text, limb_show_short(100 * off).text);
  }
  if (!is_printed_rounding(d, body, off, scale)) return 1;
  limb_report_as(d->f, LIMB_WARNING);
  limb_report_hint(d->f, "the numbers are printed in so few digits that rounding explains it: print "
                         "more of them, or repair the file");
  return 0;
}

static void check_moments(doctor* d, int body)
{
  const inertia_fault fault = limb_inertia_judge(&d->body[body].def.inertia);
  if (fault.negative == 0 && fault.excess == 0) return;
  if (say_moments(d, body, &fault, fault.negative > 0)) limb_doctor_cause(d, body);
}

// A figure beyond 1e15: a mass of a small planet, a length beyond the solar system. Squares and products of
// such figures overflow.
static int is_beyond(double x) { return !(fabs(x) <= 1e15); }

static int inertia_beyond(const sp_inertia* Y, const char** what, double* x)
{
  const double moment = fmax(fabs(Y->xx), fmax(fabs(Y->yy), fabs(Y->zz)));
  const double product = fmax(fabs(Y->xy), fmax(fabs(Y->xz), fabs(Y->yz)));
  *x = fabs(Y->mass);
  *what = "a mass";
  if (is_beyond(*x)) return 1;
  *x = fmax(moment, product);
  *what = "a moment of inertia";
  if (is_beyond(*x)) return 1;
  *x = limb_length(Y->com);
  *what = "a distance of its centre of mass";
  return is_beyond(*x);
}

void limb_doctor_beyond(doctor* d)
{
  const char* what;
  double x;
  for (int i = 1; i < d->nbody; i++) {
    if (!inertia_beyond(&d->body[i].def.inertia, &what, &x)) continue;
    limb_report(d->f, RULE_NOT_CREDIBLE, limb_doctor_body_mark(d, i), limb_doctor_body(d, i),
                "it has %s of %s, which is not credible", what, limb_show(x).text);
    d->beyond++;
  }
  for (int k = 0; k < d->njoint; k++) {
    x = limb_length(d->joint[k].placement.p);
    if (!is_beyond(x)) continue;
    limb_report(d->f, RULE_NOT_CREDIBLE, limb_doctor_joint_mark(d, k), limb_doctor_joint(d, k),
                "it is %s m away from the joint before it, which is not credible", limb_show(x).text);
    d->beyond++;
  }
}

static void check_inertia(doctor* d, int body)
{
  const sp_inertia* Y = &d->body[body].def.inertia;
  const limb_mark at = limb_doctor_body_mark(d, body);
  const limb_subject about = limb_doctor_body(d, body);
  const double size = size_of(Y);
  if (Y->mass < 0) {
    limb_report(d->f, RULE_NEGATIVE_MASS, at, about, "the mass is %s kg", limb_show(Y->mass).text);
    const sp_inertia turned = {
      .mass = -Y->mass, .com = Y->com, .xx = Y->xx, .xy = Y->xy, .xz = Y->xz, .yy = Y->yy, .yz = Y->yz, .zz = Y->zz};
    const inertia_fault fault = limb_inertia_judge(&turned);
    if (size > 0 && fault.negative == 0 && fault.excess == 0)
      limb_report_hint(d->f, "the inertia belongs to a positive mass: a sign slipped in");
  } else if (Y->mass == 0) {
    if (size == 0) return;
    limb_report(d->f, RULE_INERTIA_WITHOUT_MASS, at, about,
                "the mass is zero, but moments of inertia %s, %s, %s kg m^2 are given", limb_show(Y->xx).text,
                limb_show(Y->yy).text, limb_show(Y->zz).text);
  } else {
    check_moments(d, body);
  }
}

void limb_doctor_inertia(doctor* d)
{
  const char* what;
  double x;
  for (int i = 1; i < d->nbody; i++) {
    if (!inertia_beyond(&d->body[i].def.inertia, &what, &x)) check_inertia(d, i);
  }
}
