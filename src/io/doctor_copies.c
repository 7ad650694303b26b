// The doctor on placeholders: inertias that a generator, or a copy of a line, put on body after body.
#include "io/doctor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

// The same about each axis, and a single digit: 1, 0.01, 5e-4.
static int is_round(const double v[6])
{
  if (v[0] != v[3] || v[0] != v[5] || v[1] != 0 || v[2] != 0 || v[4] != 0) return 0;
  char text[LIMB_NUMBER_SPACE];
  (void)limb_print_number(v[0], text);
  int digits = 0;
  for (const char* p = text; *p && *p != 'e'; p++) digits += *p >= '1' && *p <= '9';
  return digits == 1;
}

static int is_said(const doctor* d, const copy* c)
{
  const doctor_body* head = &d->body[d->body[c->body].head];
  const double share = c->number[0] + c->number[3] + c->number[5];
  const double all = head->group.xx + head->group.yy + head->group.zz;
  return c->mass >= 0.01 * head->group.mass || share >= 0.05 * all;
}

static void say(doctor* d, const copy* c, int others, double least, double most)
{
  if (!is_said(d, c)) return;
  d->body[c->body].placeholder = 1;
  const limb_mark at = limb_doctor_body_mark(d, c->body);
  const limb_subject about = limb_doctor_body(d, c->body);
  const char* round = is_round(c->number) ? " about every axis" : "";
  if (others > 0)
    limb_report(d->f, RULE_INERTIA_PLACEHOLDER, at, about,
                "inertia %s kg m^2%s, the same as on %d other %s, with masses from %s to %s kg",
                limb_show(c->number[0]).text, round, others, others == 1 ? "body" : "bodies", limb_show(least).text,
                limb_show(most).text);
  else
    limb_report(d->f, RULE_INERTIA_PLACEHOLDER, at, about,
                "inertia %s kg m^2 about every axis with a mass of %s kg: a radius of gyration of %s m",
                limb_show(c->number[0]).text, limb_show(c->mass).text,
                limb_show_short(sqrt(c->number[0] / c->mass)).text);
}

// Bodies of one shape have one mass. Two may share round figures by chance; three do not share others.
static int is_suspicious(const copy* c, int count, double least, double most)
{
  return is_round(c->number) ? count >= 2 && most > 1.01 * least : count >= 3 && most > 1.2 * least;
}

static void check_run(doctor* d, const copy* run, int count)
{
  double least = run[0].mass, most = run[0].mass;
  for (int i = 1; i < count; i++) {
    least = fmin(least, run[i].mass);
    most = fmax(most, run[i].mass);
  }
  const int suspicious = is_suspicious(run, count, least, most);
  for (int i = 0; i < count; i++) {
    const double size = d->body[d->body[run[i].body].head].size;
    const double k = sqrt(fmax(run[i].number[0], 0) / run[i].mass);
    const int unit = run[i].mass == 1 && run[i].number[0] == 1;
    if (suspicious)
      say(d, &run[i], count - 1, least, most);
    else if (is_round(run[i].number) && size > 0 && (k > size || unit))
      say(d, &run[i], 0, least, most);
  }
}

limb_status limb_doctor_copies(doctor* d)
{
  copy* list = limb_store_take(&d->pool, (size_t)d->nbody * sizeof *list);
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
