// The doctor's guess at what went wrong with an inertia. Nothing is guessed that was not tried: a cause
// is named when the figures, read or corrected accordingly, belong to a body that can be.
#include "io/doctor.h"
#include "io/eigen3.h"

#include "limb/check.h"
#include "limb/inertia.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static sp_inertia of_numbers(const double v[6])
{
  const sp_inertia Y = {.mass = 1, .xx = v[0], .xy = v[1], .xz = v[2], .yy = v[3], .yz = v[4], .zz = v[5]};
  return Y;
}

// Strictly possible, but for a millionth of the largest moment: plates and rods lie on the border.
static int is_physical(const double v[6])
{
  const sp_inertia Y = of_numbers(v);
  double I[3];
  limb_principal(&Y, I, NULL);
  const double room = 1e-6 * I[2];
  return I[2] > 0 && I[0] > -room && I[2] - I[1] - I[0] < room && I[0] + I[1] > 0;
}

// ---- numbers in the wrong places ------------------------------------------------------------------

typedef struct order {
  int from[6]; // slot of the file in which xx xy xz yy yz zz stands
  const char* name;
} order;

// Read as if the file's six slots (xx xy xz yy yz zz) held the numbers in another order.
static int try_orders(const doctor* d, const double v[6])
{
  static const order orders[] = {{{0, 3, 4, 1, 5, 2}, "xx yy zz xy xz yz"},
                                 {{0, 5, 4, 1, 3, 2}, "xx yy zz yz xz xy"},
                                 {{0, 1, 3, 2, 4, 5}, "xx xy yy xz yz zz"},
                                 {{0, 3, 5, 1, 2, 4}, "xx xy xz yy yz zz in the slots of xx yy zz xy xz yz"}};
  char fits[256] = "";
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    double read[6];
    for (int k = 0; k < 6; k++) read[k] = v[orders[i].from[k]];
    const size_t used = strlen(fits);
    if (is_physical(read)) (void)snprintf(fits + used, sizeof fits - used, "%s%s", used ? ", or " : "", orders[i].name);
  }
  if (!*fits) return 0;
  limb_report_hint(d->f,
                   "it would be physical if the six numbers are %s: they seem to stand in the wrong "
                   "slots",
                   fits);
  return 1;
}

// The first six of the nine numbers of a matrix, row by row: xx xy xz yx yy yz. The fourth repeats the
// second, and the last of the diagonal is lost.
static int try_row_major(const doctor* d, const double v[6])
{
  if (v[3] != v[1] || v[0] <= 0 || v[4] <= 0 || v[0] * v[4] <= v[1] * v[1]) return 0;
  limb_report_hint(d->f, "iyy repeats ixy: these seem to be the first six of nine numbers row by row "
                         "(xx xy xz yx yy yz), written into the slots of xx xy xz yy yz zz; the real "
                         "izz is lost");
  return 1;
}

// ---- wrong formulas -------------------------------------------------------------------------------

static int try_signs(const doctor* d, const double v[6])
{
  const double flipped[6] = {v[0], -v[1], -v[2], v[3], -v[4], v[5]};
  const double turned[6] = {-v[0], -v[1], -v[2], -v[3], -v[4], -v[5]};
  if (is_physical(flipped))
    limb_report_hint(d->f, "it would be physical with the signs of the products of inertia turned: "
                           "CAD programs that print them as +sum m x y mean the opposite of "
                           "ixy = -sum m x y");
  else if (is_physical(turned))
    limb_report_hint(d->f, "it would be physical with the signs of all six numbers turned");
  else
    return 0;
  return 1;
}

// One minus sign is a slip of the pen; two are a formula.
static int try_minus(const doctor* d, const double v[6])
{
  const double positive[6] = {fabs(v[0]), v[1], v[2], fabs(v[3]), v[4], fabs(v[5])};
  if ((v[0] < 0) + (v[3] < 0) + (v[5] < 0) != 1 || !is_physical(positive)) return 0;
  limb_report_hint(d->f, "it would be physical if the diagonal had no minus sign");
  return 1;
}

// With the parallel-axis term of the centre of mass added back: it was subtracted once too often.
static int try_parallel_axis(const doctor* d, const sp_inertia* Y)
{
  if (sp_norm3(Y->com) == 0) return 0;
  double about_origin[6];
  limb_inertia_about_origin(Y, about_origin);
  if (!is_physical(about_origin)) return 0;
  limb_report_hint(d->f, "it would be physical with m (c^2 1 - c c') of the centre of mass c added: the "
                         "parallel-axis term was subtracted once too often");
  return 1;
}

static int try_without_products(const doctor* d, const double v[6])
{
  const double diagonal[6] = {v[0], 0, 0, v[3], 0, v[5]};
  if (!is_physical(diagonal)) return 0;
  limb_report_hint(d->f, "the diagonal alone would be physical: the products of inertia are too large "
                         "for it");
  return 1;
}

static void say_nearest(const doctor* d, const sp_inertia* Y)
{
  const sp_inertia near = limb_inertia_nearest(Y);
  const double x[6] = {near.xx - Y->xx, near.yy - Y->yy, near.zz - Y->zz,
                       near.xy - Y->xy, near.xz - Y->xz, near.yz - Y->yz};
  const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + 2 * (x[3] * x[3] + x[4] * x[4] + x[5] * x[5]);
  double I[3];
  limb_principal(Y, I, NULL);
  const double share = sqrt(square) / fmax(fabs(I[0]), fabs(I[2]));
  limb_report_hint(d->f,
                   "no usual slip explains it; the nearest physical inertia is %s %% of the largest "
                   "moment away",
                   limb_show_short(100 * share).text);
}

void limb_doctor_cause(doctor* d, int body)
{
  const sp_inertia* Y = &d->body[body].def.inertia;
  double v[6];
  limb_doctor_written(d, body, v);
  if (try_row_major(d, v) || try_signs(d, v) || try_orders(d, v) || try_minus(d, v) || try_parallel_axis(d, Y) ||
      try_without_products(d, v))
    return;
  say_nearest(d, Y);
}

// ---- units ----------------------------------------------------------------------------------------

typedef struct unit {
  double inertia, mass; // what it is worth in SI units
  const char* name;
} unit;

static sp_inertia in_units(const sp_inertia* Y, const unit* u)
{
  const double k = u->inertia;
  const sp_inertia scaled = {.mass = Y->mass * u->mass,
                             .com = Y->com,
                             .xx = k * Y->xx,
                             .xy = k * Y->xy,
                             .xz = k * Y->xz,
                             .yy = k * Y->yy,
                             .yz = k * Y->yz,
                             .zz = k * Y->zz};
  return scaled;
}

// What brings radius of gyration and density closest to those of a part of this size.
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
  for (size_t i = 0; size > 0 && i < sizeof units / sizeof *units; i++) {
    const sp_inertia scaled = in_units(Y, &units[i]);
    const double off = fabs(log(limb_gyration(&scaled) / (size / 3)));
    const double density = limb_least_density(&scaled);
    if (!(off < distance) || density > LIMB_DENSEST || scaled.mass < 1e-3) continue;
    best = &units[i];
    distance = off;
  }
  if (best) limb_report_hint(d->f, "it would fit if %s", best->name);
}
