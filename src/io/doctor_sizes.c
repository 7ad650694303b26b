// The doctor on inertias that a body could have, but hardly one of this robot: point masses, sizes and masses out of
// proportion, units, and placeholders that a generator or a copied line put on several bodies.
#include "io/doctor.h"

#include "limb/spatial.h"

#include <math.h>
#include <stdlib.h>

double limb_gyration(const sp_inertia* Y)
{
  double I[3];
  limb_inertia_principal(Y, I, NULL);
  return sqrt(fmax(I[2], 0) / Y->mass);
}

double limb_min_density(const sp_inertia* Y)
{
  // The uniform ellipsoid with second moments s_k has half axes sqrt(5 s_k / m), and no body of its
  // density has smaller ones. The ball around it is used, so that rods and plates are accepted.
  double I[3];
  limb_inertia_principal(Y, I, NULL);
  const double s = (I[1] + I[2] - I[0]) / 2, a = sqrt(5 * fmax(s, 0) / Y->mass);
  return Y->mass / (4.18879020478639098 * a * a * a);
}

static double largest_moment(const sp_inertia* Y)
{
  double I[3];
  limb_inertia_principal(Y, I, NULL);
  return I[2];
}

static int has_rotation(const sp_inertia* Y)
{
  return Y->xx != 0 || Y->yy != 0 || Y->zz != 0 || Y->xy != 0 || Y->xz != 0 || Y->yz != 0;
}

// 1 when the numbers of the body hardly affect the robot: it is welded to the world, or to something far heavier.
static int is_negligible(const doctor* d, int body)
{
  if (limb_doctor_grounded(d, body)) return 1;
  const sp_inertia* Y = &d->body[body].def.inertia;
  const sp_inertia* group = &d->body[d->body[body].head].group;
  return Y->mass < 0.01 * group->mass && largest_moment(Y) < 0.05 * largest_moment(group);
}

// ---- rotational inertia ---------------------------------------------------------------------------

// Rotational inertia that is missing: all of it, or that about one axis, as of a rod without thickness.
typedef enum lack { COMPLETE, THIN, POINT } lack;

static lack what_lacks(const doctor* d, int body)
{
  const sp_inertia* Y = &d->body[body].def.inertia;
  double I[3];
  if (Y->mass <= 0 || limb_doctor_slides(d, body)) return COMPLETE;
  if (!has_rotation(Y)) return POINT;
  limb_inertia_principal(Y, I, NULL);
  return fabs(I[0]) <= 1e-12 * I[2] ? THIN : COMPLETE;
}

// Textbooks have robots of point masses or of rods only, which limb's own language and tables of rows may hold: for
// points this is one note. Elsewhere somebody forgot a matrix of zeros.
static void check_points(const doctor* d)
{
  int count[3] = {0}, first = 0;
  for (int i = d->nbody - 1; i > 0; i--) {
    const sp_inertia* Y = &d->body[i].def.inertia;
    const lack what = what_lacks(d, i);
    if (what == COMPLETE && (Y->mass <= 0 || limb_doctor_slides(d, i))) continue;
    count[what]++;
    if (what == POINT) first = i;
  }
  // Textbooks have robots of points and rods; a file that another program wrote has them by mistake.
  const limb_format format = d->r->format;
  const int textbook = format == LIMB_FORMAT_YAML || format == LIMB_FORMAT_PAR;
  if (count[COMPLETE] + count[THIN] == 0) {
    if (count[POINT] == 0) return;
    limb_doctor_body_report(d, RULE_INERTIA_MISSING, first, "it is a point mass, as are all bodies that rotate");
    if (textbook) limb_report_as(d->f, LIMB_NOTE);
    return;
  }
  for (int i = 1; i < d->nbody; i++) {
    const sp_inertia *Y = &d->body[i].def.inertia, *group = &d->body[d->body[i].head].group;
    const lack what = what_lacks(d, i);
    if (what == COMPLETE || (what == THIN && count[COMPLETE] == 0 && textbook)) continue;
    limb_doctor_body_report(d, RULE_INERTIA_MISSING, i, "it has a mass of %s kg, but no rotational inertia%s",
                            limb_show(Y->mass).text, what == THIN ? " about one axis: a rod without thickness" : "");
    if (Y->mass < 0.5 * group->mass) limb_report_as(d->f, LIMB_NOTE); // welded to what has inertia
  }
}

static void check_gyration(doctor* d, int body)
{
  const sp_inertia* Y = &d->body[body].def.inertia;
  const double size = d->body[d->body[body].head].size;
  const double k = limb_gyration(Y), density = limb_min_density(Y);
  if (size > 0 ? k > 2.5 * size && k > 0.2 * d->extent : k > 100) {
    limb_doctor_body_report(d, RULE_INERTIA_TOO_LARGE, body,
                            "the radius of gyration is %s m, but the joints around it are at most %s m apart",
                            limb_show_rounded(k).text, limb_show_rounded(size).text);
    limb_doctor_unit_cause(d, body);
  } else if (density > LIMB_MAX_DENSITY) {
    limb_doctor_body_report(d, RULE_INERTIA_TOO_SMALL, body,
                            "%s kg with a radius of gyration of %s m: at least %s times as dense as the densest metal",
                            limb_show(Y->mass).text, limb_show_rounded(k).text,
                            limb_show_rounded(density / LIMB_MAX_DENSITY).text);
    limb_doctor_unit_cause(d, body);
  }
}

// ---- centre of mass -------------------------------------------------------------------------------

static void check_com(const doctor* d, int body)
{
  const doctor_body* b = &d->body[body];
  const sp_inertia* Y = &b->def.inertia;
  const double away = sp_norm3(Y->com), k = limb_gyration(Y);
  const double size = fmax(d->body[b->head].size, k);
  const sp_vec3 from_world = sp_point(sp_invert(b->in_world), Y->com);
  const int in_world = k > 0 && away > 5 * size && sp_norm3(from_world) < 1.5 * size;
  if (size == 0 || (away <= 20 * size && !in_world)) return;
  limb_doctor_body_report(
    d, RULE_COM_FAR, body,
    "the centre of mass is %s m from the origin of the body, but the joints around it are at most %s m apart",
    limb_show_rounded(away).text, limb_show_rounded(size).text);
  if (in_world)
    limb_report_hint(d->f, "it would lie in the body if it were given in the frame of the root");
  else if (1e-3 * away < 3 * size)
    limb_report_hint(d->f, "it would be plausible in millimetres");
}

// ---- masses and lengths of the robot --------------------------------------------------------------

static void check_masses(const doctor* d)
{
  int moving = 0;
  for (int k = 0; k < d->njoint; k++) moving += d->joint[k].type != LIMB_FIXED;
  if (moving < 3) return; // a pendulum may be like that
  for (int i = 1; i < d->nbody; i++) {
    if (d->body[i].joint < 0) continue;
    const double mass = d->body[i].def.inertia.mass;
    const int on_world = d->body[d->joint[d->body[i].joint].parent].head == LIMB_WORLD_BODY;
    // Bodies without mass are helpers, such as those of several joints at one place: there is nothing to compare with.
    if (mass <= 0 || on_world || mass == d->mass || mass < 1000 * (d->mass - mass)) continue;
    limb_doctor_body_report(d, RULE_MASS_HUGE, i,
                            "its mass of %s kg is more than a thousand times that of all other moving bodies",
                            limb_show(mass).text);
  }
}

static void check_lengths(const doctor* d)
{
  double longest = 0, sum = 0;
  int at = -1;
  for (int k = 0; k < d->njoint; k++) {
    const double length = sp_norm3(d->joint[k].placement.p);
    sum += length;
    if (length <= longest) continue;
    longest = length;
    at = k;
  }
  // Robots that large are heavy: a link of 300 m that weighs 3 kg is one of 300 mm.
  if (longest <= 10 || (d->mass > 0.2 * sum && longest <= 1000)) return;
  limb_doctor_joint_report(d, RULE_LENGTHS_LARGE, at,
                           "it is %s m from the previous joint, but everything that moves weighs %s kg",
                           limb_show_rounded(longest).text, limb_show_rounded(d->mass).text);
  limb_report_hint(d->f, "the lengths seem to be in millimetres");
}

void limb_doctor_sizes(doctor* d)
{
  check_points(d);
  for (int i = 1; i < d->nbody; i++) {
    const sp_inertia* Y = &d->body[i].def.inertia;
    if (d->body[i].joint < 0 || Y->mass <= 0 || is_negligible(d, i)) continue;
    const inertia_fault fault = limb_inertia_judge(Y, LIMB_INERTIA_ROUNDING);
    const int possible = has_rotation(Y) && !limb_doctor_slides(d, i) && fault.negative == 0 && fault.excess == 0;
    if (possible && !d->body[i].placeholder) check_gyration(d, i);
    check_com(d, i);
  }
  check_masses(d);
  check_lengths(d);
}

// ---- placeholders ---------------------------------------------------------------------------------

typedef struct copy {
  double number[6];
  double mass;
  int body;
} copy;

static int compare(const void* left, const void* right)
{
  const copy *a = left, *b = right;
  for (int k = 0; k < 6; k++) {
    if (a->number[k] != b->number[k]) return a->number[k] < b->number[k] ? -1 : 1;
  }
  return a->body < b->body ? -1 : a->body > b->body;
}

static int is_same(const copy* a, const copy* b)
{
  for (int k = 0; k < 6; k++) {
    if (a->number[k] != b->number[k]) return 0;
  }
  return 1;
}

// The same about each axis, with a single digit: 1, 0.01, 5e-4.
static int is_round(const double v[6])
{
  if (v[0] != v[3] || v[0] != v[5] || v[1] != 0 || v[2] != 0 || v[4] != 0) return 0;
  char text[LIMB_NUMBER_SPACE];
  (void)limb_print_number(v[0], text);
  int digits = 0;
  for (const char* p = text; *p && *p != 'e'; p++) digits += *p >= '1' && *p <= '9';
  return digits == 1;
}

static int is_relevant(const doctor* d, const copy* c)
{
  const doctor_body* head = &d->body[d->body[c->body].head];
  const double share = c->number[0] + c->number[3] + c->number[5];
  const double all = head->group.xx + head->group.yy + head->group.zz;
  return c->mass >= 0.01 * head->group.mass || share >= 0.05 * all;
}

static void report_copy(doctor* d, const copy* c, int others, double min, double max)
{
  if (!is_relevant(d, c)) return;
  d->body[c->body].placeholder = 1;
  const char* round = is_round(c->number) ? " about every axis" : "";
  if (others > 0)
    limb_doctor_body_report(d, RULE_INERTIA_PLACEHOLDER, c->body,
                            "inertia %s kg m^2%s, the same as on %d other %s, but with masses from %s to %s kg",
                            limb_show(c->number[0]).text, round, others, others == 1 ? "body" : "bodies",
                            limb_show(min).text, limb_show(max).text);
  else
    limb_doctor_body_report(d, RULE_INERTIA_PLACEHOLDER, c->body,
                            "inertia %s kg m^2 about every axis with a mass of %s kg: a radius of gyration of %s m",
                            limb_show(c->number[0]).text, limb_show(c->mass).text,
                            limb_show_rounded(sqrt(c->number[0] / c->mass)).text);
}

// Bodies of the same shape have the same mass. Two may share round numbers by chance; three do not share others.
static int is_suspicious(const copy* c, int count, double min, double max)
{
  return is_round(c->number) ? count >= 2 && max > 1.01 * min : count >= 3 && max > 1.2 * min;
}

static void check_run(doctor* d, const copy* run, int count)
{
  double min = run[0].mass, max = run[0].mass;
  for (int i = 1; i < count; i++) {
    min = fmin(min, run[i].mass);
    max = fmax(max, run[i].mass);
  }
  const int suspicious = is_suspicious(run, count, min, max);
  for (int i = 0; i < count; i++) {
    const double size = d->body[d->body[run[i].body].head].size;
    const double k = sqrt(fmax(run[i].number[0], 0) / run[i].mass);
    const int unit = run[i].mass == 1 && run[i].number[0] == 1;
    if (suspicious)
      report_copy(d, &run[i], count - 1, min, max);
    else if (is_round(run[i].number) && size > 0 && (k > size || unit))
      report_copy(d, &run[i], 0, min, max);
  }
}

limb_status limb_doctor_copies(doctor* d)
{
  copy* list = limb_mempool_alloc(&d->pool, (size_t)d->nbody * sizeof *list);
  if (!list) return LIMB_E_NOMEM;
  int n = 0;
  for (int i = 1; i < d->nbody; i++) {
    const sp_inertia* Y = &d->body[i].def.inertia;
    if (Y->mass <= 0 || (Y->xx == 0 && Y->yy == 0 && Y->zz == 0)) continue;
    if (limb_doctor_slides(d, i)) continue;
    copy* c = &list[n++];
    c->mass = Y->mass;
    c->body = i;
    limb_doctor_written(d, i, c->number);
  }
  qsort(list, (size_t)n, sizeof *list, compare);
  for (int i = 0, count; i < n; i += count) {
    for (count = 1; i + count < n && is_same(&list[i], &list[i + count]);) count++;
    check_run(d, &list[i], count);
  }
  return LIMB_OK;
}
