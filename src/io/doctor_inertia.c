// The doctor on inertias that no body can have, and on what went wrong with them. The principal moments of a rigid body
// are not negative, and none is larger than the sum of the other two: each is a sum of two second moments of mass, such
// as I_1 = s_2 + s_3 with s_k = sum m x_k^2 >= 0.
#include "io/doctor.h"

#include "limb/read.h"
#include "limb/spatial.h"

#include "io/file_text.h"
#include "io/geometry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double size_of(const sp_inertia* Y)
{
  return fabs(Y->xx) + fabs(Y->xy) + fabs(Y->xz) + fabs(Y->yy) + fabs(Y->yz) + fabs(Y->zz);
}

inertia_fault limb_inertia_judge(const sp_inertia* Y, double tolerance)
{
  inertia_fault fault = {.negative = 0};
  limb_inertia_principal(Y, fault.moment, NULL);
  const double* I = fault.moment;
  const double scale = fmax(fabs(I[0]), fabs(I[2]));
  if (scale == 0) return fault;
  const double negative = -I[0] / scale, excess = (I[2] / scale - I[1] / scale) - I[0] / scale;
  if (negative > tolerance) fault.negative = negative;
  if (excess > tolerance) fault.excess = excess;
  return fault;
}

void limb_doctor_written(const doctor* d, int body, double value[6])
{
  const doctor_body* b = &d->body[body];
  limb_get_moments(&b->def.inertia, value);
  if (b->tag) memcpy(value, b->tag->value, sizeof b->tag->value);
}

// ---- printed digits ---------------------------------------------------------------

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

// The possible error of the moments because the numbers were rounded when they were printed. Trailing zeros are lost
// when numbers are read, so all are assumed to have had the digits of the longest one.
static double printed_rounding(const double value[6])
{
  int max_digits = 0, finest = 999;
  double top = 0;
  for (int k = 0; k < 6; k++) {
    if (value[k] == 0) continue;
    int significant = 0, last = 0;
    digits_of(value[k], &significant, &last);
    if (significant > max_digits) max_digits = significant;
    if (last < finest) finest = last;
    top = fmax(top, fabs(value[k]));
  }
  if (top == 0) return 0;
  const int last = max_digits >= 4 ? (int)floor(log10(top)) - max_digits + 1 : finest;
  return 3 * pow(10, last); // half a digit in each of six numbers
}

// At most one percent: fewer digits would excuse everything.
static int is_printed_rounding(const doctor* d, int body, double off, double scale)
{
  double value[6];
  limb_doctor_written(d, body, value);
  return off <= 0.01 && off * scale <= printed_rounding(value);
}

// ---- causes ---------------------------------------------------------------------------------------
//
// A cause is named only if the numbers, read or corrected accordingly, belong to a possible body.

static sp_inertia of_numbers(const double v[6])
{
  const sp_inertia Y = {.mass = 1, .xx = v[0], .xy = v[1], .xz = v[2], .yy = v[3], .yz = v[4], .zz = v[5]};
  return Y;
}

// Possible within a millionth of the largest moment: plates and rods lie on the border.
static int is_physical(const double v[6])
{
  const sp_inertia Y = of_numbers(v);
  const inertia_fault fault = limb_inertia_judge(&Y, 1e-6);
  const double* I = fault.moment;
  return I[2] > 0 && I[0] + I[1] > 0 && fault.negative == 0 && fault.excess == 0;
}

// ---- numbers in the wrong slots ------------------------------------------------------------------

typedef struct order {
  int from[6]; // slots of the file that hold xx xy xz yy yz zz
  const char* name;
} order;

// Tries the six slots of the file (xx xy xz yy yz zz) with the numbers in another order.
static int try_orders(const doctor* d, const double v[6])
{
  static const order orders[] = {{{0, 3, 4, 1, 5, 2}, "xx yy zz xy xz yz"},
                                 {{0, 5, 4, 1, 3, 2}, "xx yy zz yz xz xy"},
                                 {{0, 1, 3, 2, 4, 5}, "xx xy yy xz yz zz"},
                                 {{0, 3, 5, 1, 2, 4}, "xx xy xz yy yz zz in the slots of xx yy zz xy xz yz"}};
  char fits[256] = "";
  for (int i = 0; i < COUNT(orders); i++) {
    double read[6];
    for (int k = 0; k < 6; k++) read[k] = v[orders[i].from[k]];
    const size_t used = strlen(fits);
    if (is_physical(read)) (void)snprintf(fits + used, sizeof fits - used, "%s%s", used ? ", or " : "", orders[i].name);
  }
  if (!*fits) return 0;
  limb_report_hint(d->f, "it would be physical if the six numbers were %s: they seem to be in the wrong slots", fits);
  return 1;
}

// The first six of the nine numbers of a matrix, row by row: xx xy xz yx yy yz. The fourth repeats the second, and the
// last of the diagonal is lost.
static int try_row_major(const doctor* d, const double v[6])
{
  if (v[3] != v[1] || v[0] <= 0 || v[4] <= 0 || v[0] * v[4] <= v[1] * v[1]) return 0;
  limb_report_hint(d->f, "iyy repeats ixy: these seem to be the first six of nine numbers row by row (xx xy xz yx yy "
                         "yz), written into the slots of xx xy xz yy yz zz; the real izz is lost");
  return 1;
}

// ---- wrong formulas -------------------------------------------------------------------------------

static int try_signs(const doctor* d, const double v[6])
{
  const double flipped[6] = {v[0], -v[1], -v[2], v[3], -v[4], v[5]};
  const double turned[6] = {-v[0], -v[1], -v[2], -v[3], -v[4], -v[5]};
  if (is_physical(flipped))
    limb_report_hint(d->f, "it would be physical with opposite signs of the products of inertia: some CAD programs "
                           "print +sum m x y, but ixy = -sum m x y");
  else if (is_physical(turned))
    limb_report_hint(d->f, "it would be physical with opposite signs of all six numbers");
  else
    return 0;
  return 1;
}

// One minus sign is a typing error; two are a formula.
static int try_minus(const doctor* d, const double v[6])
{
  const double positive[6] = {fabs(v[0]), v[1], v[2], fabs(v[3]), v[4], fabs(v[5])};
  if ((v[0] < 0) + (v[3] < 0) + (v[5] < 0) != 1 || !is_physical(positive)) return 0;
  limb_report_hint(d->f, "it would be physical without the minus sign on the diagonal");
  return 1;
}

// How far the nearest physical inertia is, as a share of the largest moment.
static double nearest_share(const sp_inertia* Y)
{
  const sp_inertia near = limb_inertia_nearest(Y);
  const double x[6] = {near.xx - Y->xx, near.yy - Y->yy, near.zz - Y->zz,
                       near.xy - Y->xy, near.xz - Y->xz, near.yz - Y->yz};
  const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + 2 * (x[3] * x[3] + x[4] * x[4] + x[5] * x[5]);
  double I[3];
  limb_inertia_principal(Y, I, NULL);
  return sqrt(square) / fmax(fabs(I[0]), fabs(I[2]));
}

// With the parallel-axis term of the centre of mass added back: it was subtracted once too often. A large term makes
// any inertia physical. It explains the fault only if it is not far larger than what is missing: a term that was
// subtracted leaves moments that are wrong by about its size, noisy numbers are wrong by far less.
static int try_parallel_axis(const doctor* d, const sp_inertia* Y)
{
  const double share = nearest_share(Y), c = sp_norm3(Y->com);
  double about_origin[6], I[3];
  limb_inertia_about_origin(Y, about_origin);
  limb_inertia_principal(Y, I, NULL);
  const double term = Y->mass * c * c / fmax(fabs(I[0]), fabs(I[2]));
  if (c == 0 || !is_physical(about_origin) || share < 0.15 * term) return 0;
  limb_report_hint(
    d->f,
    "it would be physical with m (c^2 1 - c c') of the centre of mass c added: the parallel-axis term "
    "was subtracted once too often (the term is %s %% of the largest moment; the nearest physical inertia "
    "is %s %% away)",
    limb_show_rounded(100 * term).text, limb_show_rounded(100 * share).text);
  return 1;
}

static int try_without_products(const doctor* d, const double v[6])
{
  const double diagonal[6] = {v[0], 0, 0, v[3], 0, v[5]};
  if (!is_physical(diagonal)) return 0;
  limb_report_hint(d->f, "the diagonal alone would be physical: the products of inertia are too large for it");
  return 1;
}

void limb_doctor_cause(doctor* d, int body)
{
  const sp_inertia* Y = &d->body[body].def.inertia;
  double v[6];
  limb_doctor_written(d, body, v);
  if (try_row_major(d, v) || try_signs(d, v) || try_orders(d, v) || try_minus(d, v) || try_parallel_axis(d, Y) ||
      try_without_products(d, v))
    return;
  limb_report_hint(d->f,
                   "no common mistake explains it; the nearest physical inertia is %s %% of the largest moment away",
                   limb_show_rounded(100 * nearest_share(Y)).text);
}

// ---- units ----------------------------------------------------------------------------------------

typedef struct unit {
  double inertia, mass; // what it is worth in SI units
  const char* name;
} unit;

static sp_inertia in_units(const sp_inertia* Y, const unit* u)
{
  const double k = u->inertia;
  return (sp_inertia){Y->mass * u->mass, Y->com, k * Y->xx, k * Y->xy, k * Y->xz, k * Y->yy, k * Y->yz, k * Y->zz};
}

// The unit that brings radius of gyration and density closest to those of a part of this size.
void limb_doctor_unit_cause(doctor* d, int body)
{
  static const unit units[] = {{1e-9, 1, "the inertia is in g mm^2"},
                               {1e-6, 1, "the inertia is in kg mm^2"},
                               {1e-4, 1, "the inertia is in kg cm^2"},
                               {1e-9, 1e-3, "the inertia is in g mm^2 and the mass in g"},
                               {1e3, 1, "the inertia were a thousand times larger"},
                               {1e6, 1, "the inertia were a million times larger"},
                               {1, 1e-3, "the mass is in g"}};
  const sp_inertia* Y = &d->body[body].def.inertia;
  const doctor_body* head = &d->body[d->body[body].head];
  const double size = fmax(head->size, sp_norm3(Y->com));
  const unit* best = NULL;
  double distance = log(4); // of the radius of gyration from a third of the size
  for (int i = 0; size > 0 && i < COUNT(units); i++) {
    const sp_inertia scaled = in_units(Y, &units[i]);
    const double off = fabs(log(limb_gyration(&scaled) / (size / 3)));
    const double density = limb_min_density(&scaled);
    if (!(off < distance) || density > LIMB_MAX_DENSITY || scaled.mass < 1e-3) continue;
    best = &units[i];
    distance = off;
  }
  if (best) limb_report_hint(d->f, "it would be plausible if %s", best->name);
}

// ---- the rules ------------------------------------------------------------------------------------

// Returns 1 for an error; 0 if the printed digits explain it, which is a warning.
static int report_moments(const doctor* d, int body, const inertia_fault* fault, int negative)
{
  const double* I = fault->moment;
  const double scale = fmax(fabs(I[0]), fabs(I[2]));
  const double off = negative ? fault->negative : fault->excess;
  const number_text show[3] = {limb_show_beside(I[0], scale), limb_show_beside(I[1], scale),
                               limb_show_beside(I[2], scale)};
  if (negative) {
    const double zero = -LIMB_INERTIA_ROUNDING * scale;
    const int count = (I[0] < 0) + (I[1] < zero) + (I[2] < zero);
    limb_doctor_body_report(d, RULE_INERTIA_NEGATIVE, body, "principal moments of inertia %s, %s, %s kg m^2: %s",
                            show[0].text, show[1].text, show[2].text,
                            count == 3   ? "all are negative"
                            : count == 2 ? "the first two are negative"
                                         : "the first is negative");
  } else {
    limb_doctor_body_report(d, RULE_INERTIA_TRIANGLE, body,
                            "principal moments of inertia %s, %s, %s kg m^2: the last exceeds the sum of the others by "
                            "%s, which is %s %% of it",
                            show[0].text, show[1].text, show[2].text, limb_show_rounded(fault->excess * scale).text,
                            limb_show_rounded(100 * off).text);
  }
  if (!is_printed_rounding(d, body, off, scale)) return 1;
  limb_report_as(d->f, LIMB_WARNING);
  limb_report_hint(d->f, "rounding to the few printed digits explains it: print more of them, or repair the file");
  return 0;
}

static void check_moments(doctor* d, int body)
{
  const inertia_fault fault = limb_inertia_judge(&d->body[body].def.inertia, LIMB_INERTIA_ROUNDING);
  if (fault.negative == 0 && fault.excess == 0) return;
  if (report_moments(d, body, &fault, fault.negative > 0)) limb_doctor_cause(d, body);
}

// A number beyond 1e15: the mass of a small planet, a length beyond the solar system. Squares and products of such
// numbers overflow.
static int is_not_credible(double x) { return !(fabs(x) <= 1e15); }

static int inertia_not_credible(const sp_inertia* Y, const char** what, double* x)
{
  const double moment = fmax(fabs(Y->xx), fmax(fabs(Y->yy), fabs(Y->zz)));
  const double product = fmax(fabs(Y->xy), fmax(fabs(Y->xz), fabs(Y->yz)));
  *x = fabs(Y->mass);
  *what = "a mass";
  if (is_not_credible(*x)) return 1;
  *x = fmax(moment, product);
  *what = "a moment of inertia";
  if (is_not_credible(*x)) return 1;
  *x = limb_length(Y->com);
  *what = "a distance of its centre of mass";
  return is_not_credible(*x);
}

void limb_doctor_not_credible(doctor* d)
{
  const char* what;
  double x;
  for (int i = 1; i < d->nbody; i++) {
    if (!inertia_not_credible(&d->body[i].def.inertia, &what, &x)) continue;
    limb_doctor_body_report(d, RULE_NOT_CREDIBLE, i, "it has %s of %s, which is not credible", what, limb_show(x).text);
    d->not_credible++;
  }
  for (int k = 0; k < d->njoint; k++) {
    x = limb_length(d->joint[k].placement.p);
    if (!is_not_credible(x)) continue;
    limb_doctor_joint_report(d, RULE_NOT_CREDIBLE, k, "it is %s m away from the joint before it, which is not credible",
                             limb_show(x).text);
    d->not_credible++;
  }
}

static void check_inertia(doctor* d, int body)
{
  const sp_inertia* Y = &d->body[body].def.inertia;
  const double size = size_of(Y);
  if (Y->mass < 0) {
    limb_doctor_body_report(d, RULE_NEGATIVE_MASS, body, "the mass is %s kg", limb_show(Y->mass).text);
    sp_inertia turned = *Y;
    turned.mass = -Y->mass;
    const inertia_fault fault = limb_inertia_judge(&turned, LIMB_INERTIA_ROUNDING);
    if (size > 0 && fault.negative == 0 && fault.excess == 0)
      limb_report_hint(d->f, "the inertia belongs to a positive mass: the sign seems to be a mistake");
  } else if (Y->mass == 0) {
    if (size == 0) return;
    limb_doctor_body_report(d, RULE_INERTIA_WITHOUT_MASS, body,
                            "the mass is zero, but the moments of inertia are %s, %s, %s kg m^2", limb_show(Y->xx).text,
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
    if (!inertia_not_credible(&d->body[i].def.inertia, &what, &x)) check_inertia(d, i);
  }
}
