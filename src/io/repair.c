// The nearest inertia that a body can have, and files with it.
//
// In the frame of the principal axes a rotational inertia is physical when the second moments of mass s_k = (I_1 + I_2
// + I_3) / 2 - I_k are not negative. This set of matrices does not depend on the axes, so the nearest one in the
// Frobenius norm has the same axes, and moments that are the point nearest to (I_1, I_2, I_3) in the cone of the rays
// (0,1,1), (1,0,1), (1,1,0). With ascending moments s_1 >= s_2 >= s_3 holds before and after: the point lies inside, on
// the face s_3 = 0, on the ray s_2 = s_3 = 0, or at the tip.
#include "io/doctor.h"

#include "limb/read.h"
#include "limb/spatial.h"

#include "base/memory.h"
#include "base/status.h"
#include "io/file_text.h"
#include "io/geometry.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the nearest inertia --------------------------------------------------------------------------

// Second moments of the nearest point; I ascending.
static void project(const double I[3], double s[3])
{
  const double excess = I[2] - I[1] - I[0];
  s[0] = (I[1] + I[2] - I[0]) / 2;
  s[1] = (I[0] + I[2] - I[1]) / 2;
  s[2] = -excess / 2;
  if (excess > 0) { // the plane I_3 = I_1 + I_2, with the normal (1, 1, -1)
    s[0] = I[1] + excess / 3;
    s[1] = I[0] + excess / 3;
    s[2] = 0;
  }
  if (s[1] < 0) { // the ray (0, 1, 1)
    s[0] = fmax((I[1] + I[2]) / 2, 0);
    s[1] = s[2] = 0;
  }
}

sp_inertia limb_inertia_nearest(const sp_inertia* Y)
{
  sp_inertia near = Y ? *Y : (sp_inertia){0};
  const double sum = near.xx + near.xy + near.xz + near.yy + near.yz + near.zz;
  if (!Y || !limb_inertia_defect(Y) || !isfinite(near.mass + 0 * sum)) return near;
  double I[3], s[3] = {0, 0, 0};
  sp_mat3 axes = sp_identity3();
  if (Y->mass > 0) {
    limb_inertia_principal(Y, I, &axes);
    project(I, s);
  } else {
    near.mass = 0;
  }
  // Slightly inside, so that it remains physical when it is printed, rotated and read.
  const double margin = 1e-9 * s[0];
  for (int k = 1; k < 3; k++) s[k] = fmax(s[k], margin);
  const double moment[3] = {s[1] + s[2], s[0] + s[2], s[0] + s[1]};
  return limb_inertia_from_principal(near, moment, &axes);
}

// ---- <inertia> tags -------------------------------------------------------------------------------
//
// The tag was parsed by expat before: it is well-formed.

const char* const limb_tag_names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};

static int ends_name(char c) { return c == '=' || c == '>' || c == '/' || is_blank(c); }

static int slot_of(const char* name, size_t length)
{
  for (int k = 0; k < 6; k++) {
    if (length == 3 && memcmp(name, limb_tag_names[k], 3) == 0) return k;
  }
  return -1;
}

tag_slots limb_tag_scan(const char* text, const inertia_tag* tag)
{
  tag_slots slots = {0};
  const char *start = text + tag->byte, *end = start + tag->bytes;
  const char* p = start;
  while (p < end && !ends_name(*p)) p++; // "<inertia"
  for (;;) {
    while (p < end && is_blank(*p)) p++;
    const char* name = p;
    while (p < end && !ends_name(*p)) p++;
    const size_t length = (size_t)(p - name);
    while (p < end && *p != '"' && *p != '\'') p++;
    if (length == 0 || p >= end) return slots;
    const char quote = *p++;
    const char* value = p;
    while (p < end && *p != quote) p++;
    const int k = slot_of(name, length);
    if (k >= 0) {
      slots.at[k] = (size_t)(value - start);
      slots.length[k] = (size_t)(p - value);
    }
    if (p < end) p++;
  }
}

void limb_tag_from_body(const inertia_tag* tag, const sp_inertia* Y, double value[6])
{
  sp_pose X = sp_pose_identity();
  memcpy(X.R.m, tag->R, sizeof X.R.m);
  limb_get_moments(Y, value);
  if (limb_no_rotation(&X.R)) return;
  // I_tag = R' I_body R
  X.R = sp_transpose3(X.R);
  const sp_inertia turned = limb_inertia_move(X, *Y);
  limb_get_moments(&turned, value);
  // Rounding residues of zeros are not written.
  const double residue = 8 * DBL_EPSILON * (fabs(value[0]) + fabs(value[3]) + fabs(value[5]));
  for (int k = 0; k < 6; k++) {
    if (fabs(value[k]) < residue) value[k] = 0;
  }
}

void limb_tags_by_body(const limb_reading* r, int nbody, const inertia_tag** tag)
{
  for (int i = 0; i < nbody; i++) tag[i] = NULL;
  for (int i = 0; r->positions.of_raw && i < r->source.ntag; i++) {
    const int body = r->positions.of_raw[r->source.tag[i].body];
    if (body > LIMB_WORLD_BODY && body < nbody) tag[body] = &r->source.tag[i];
  }
}

// ---- repair ------------------------------------------------------------------------------------

// The numbers as they are, or will be, in the file.
static void numbers_of(const inertia_tag* tag, const sp_inertia* Y, double value[6])
{
  static const inertia_tag plain = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  limb_tag_from_body(tag ? tag : &plain, Y, value);
}

// "ixx ixy ixz iyy iyz izz"
static const char* print_moments(const double x[6], char text[6 * LIMB_NUMBER_SPACE])
{
  size_t used = 0;
  for (int k = 0; k < 6; k++) {
    const int n = snprintf(text + used, 6 * LIMB_NUMBER_SPACE - used, "%s%s", k > 0 ? " " : "", limb_show(x[k]).text);
    used += n > 0 ? (size_t)n : 0;
  }
  return text;
}

static void report_change(const limb_reading* r, file_pos at, limb_subject about, const sp_inertia* Y,
                          const sp_inertia* near, const inertia_tag* tag)
{
  char before[6 * LIMB_NUMBER_SPACE], after[6 * LIMB_NUMBER_SPACE];
  double old[6], new[6];
  numbers_of(tag, Y, old);
  numbers_of(tag, near, new);
  if (tag) memcpy(old, tag->value, sizeof old);
  limb_report(r->findings, RULE_REPAIRED, at, about, "inertia (ixx ixy ixz iyy iyz izz) was %s and is now %s",
              print_moments(old, before), print_moments(new, after));
}

static int needs_repair(const sp_inertia* Y)
{
  if (!limb_inertia_defect(Y)) return 0;
  const inertia_fault fault = limb_inertia_judge(Y, LIMB_INERTIA_ROUNDING);
  return Y->mass <= 0 || fault.negative > 0 || fault.excess > 0;
}

// *changed: 1 when the body has a new inertia.
static limb_status repair_body(limb_reading* r, int body, const inertia_tag* tag, int* changed)
{
  limb_body_def def;
  limb_status status = limb_builder_get_body(r->builder, body, &def);
  *changed = 0;
  if (status || !needs_repair(&def.inertia)) return status;
  const file_pos at = body < r->positions.nbody ? r->positions.body[body] : (file_pos){0};
  const limb_subject about = {r->format == LIMB_FORMAT_URDF ? "link" : "body", def.name};
  if (def.inertia.mass < 0) {
    limb_report(r->findings, RULE_NOT_REPAIRED, at, about, "its mass of %s kg is not changed",
                limb_show(def.inertia.mass).text);
    return LIMB_OK;
  }
  const sp_inertia near = limb_inertia_nearest(&def.inertia);
  report_change(r, at, about, &def.inertia, &near, tag);
  *changed = 1;
  return limb_builder_set_inertia(r->builder, body, &near);
}

static limb_status repair_all(limb_reading* r, int nbody, const inertia_tag** tag, int* changed)
{
  limb_tags_by_body(r, nbody, tag);
  for (int i = 1; i < nbody; i++) {
    int done = 0;
    const limb_status status = repair_body(r, i, tag[i], &done);
    if (status) return status;
    *changed += done;
  }
  return limb_findings_lost(r->findings) ? LIMB_E_NOMEM : LIMB_OK;
}

limb_status limb_repair(limb_reading* r, int* changed, limb_error* err)
{
  if (changed) *changed = 0;
  if (!r || !r->builder) return limb_fail(err, LIMB_E_ARG, "reading", "there is no robot to repair");
  const int nbody = limb_builder_body_count(r->builder);
  const size_t size = (size_t)nbody * sizeof(inertia_tag*);
  const inertia_tag** tag = limb_alloc(&r->alloc, size);
  int count = 0;
  const limb_status status = tag ? repair_all(r, nbody, tag, &count) : LIMB_E_NOMEM;
  limb_free(&r->alloc, (void*)tag, size);
  if (changed) *changed = count;
  if (status) return limb_fail(err, status, r->source.name, "%s", limb_status_text(status));
  return LIMB_OK;
}

// ---- the file -------------------------------------------------------------------------------------

typedef struct copier {
  limb_text_fn* write;
  void* context;
  const char* text;
  size_t done; // bytes of the text that were written
} copier;

// The text up to a byte.
static void copy_to(copier* c, size_t end)
{
  char piece[2048];
  while (c->done < end) {
    const size_t n = end - c->done < sizeof piece - 1 ? end - c->done : sizeof piece - 1;
    memcpy(piece, c->text + c->done, n);
    piece[n] = 0;
    c->write(c->context, piece);
    c->done += n;
  }
}

// The inertia of a tag and that of its body are the same within rounding.
static int is_unchanged(const double a[6], const double b[6])
{
  double size = 0, off = 0;
  for (int k = 0; k < 6; k++) {
    size = fmax(size, fabs(a[k]));
    off = fmax(off, fabs(a[k] - b[k]));
  }
  return off <= 1e-12 * size;
}

// Attributes that the tag lacks are zero; others are added before its end.
static void write_missing(copier* c, const inertia_tag* tag, const tag_slots* slots, const double value[6])
{
  size_t end = tag->byte + tag->bytes;
  while (end > c->done && strchr("/> \t\r\n", c->text[end - 1])) end--;
  copy_to(c, end);
  for (int k = 0; k < 6; k++) {
    if (slots->length[k] > 0 || value[k] == 0) continue;
    c->write(c->context, " ");
    c->write(c->context, limb_tag_names[k]);
    c->write(c->context, "=\"");
    c->write(c->context, limb_show(value[k]).text);
    c->write(c->context, "\"");
  }
}

static void write_tag(copier* c, const inertia_tag* tag, const double value[6])
{
  const tag_slots found = limb_tag_scan(c->text, tag), *slots = &found;
  size_t last = 0; // attributes can be in any order
  for (int written = 0; written < 6; written++) {
    int k = -1;
    for (int i = 0; i < 6; i++) {
      if (slots->length[i] > 0 && slots->at[i] > last && (k < 0 || slots->at[i] < slots->at[k])) k = i;
    }
    if (k < 0) break;
    last = slots->at[k];
    copy_to(c, tag->byte + last);
    c->write(c->context, limb_show(value[k]).text);
    c->done += slots->length[k];
  }
  write_missing(c, tag, slots, value);
}

// UTF-16, which expat reads as well: only there does XML contain zeros. Numbers would need two bytes per digit.
static int is_utf16(const limb_source* src) { return memchr(src->text, 0, src->size) != NULL; }

limb_status limb_write_repaired(const limb_reading* r, limb_text_fn* write, void* context, limb_error* err)
{
  if (!r || !r->builder || !write) return limb_fail(err, LIMB_E_ARG, "reading", "there is no robot to write");
  if (r->format != LIMB_FORMAT_URDF)
    return limb_fail(err, LIMB_E_UNSUPPORTED, r->source.name,
                     "only a URDF can be repaired in place: write another file with limb_write");
  if (r->source.expanded)
    return limb_fail(err, LIMB_E_UNSUPPORTED, r->source.name,
                     "a xacro file cannot be repaired in place: expand it first (limb xacro)");
  if (is_utf16(&r->source))
    return limb_fail(err, LIMB_E_UNSUPPORTED, r->source.name,
                     "a file in UTF-16 cannot be repaired in place: save it as UTF-8 first");
  copier c = {write, context, r->source.text, 0};
  for (int i = 0; i < r->source.ntag; i++) {
    const inertia_tag* tag = &r->source.tag[i];
    const int body = r->positions.of_raw[tag->body];
    limb_body_def def;
    if (body <= 0 || tag->byte < c.done) continue;
    if (limb_builder_get_body(r->builder, body, &def) != LIMB_OK) continue;
    double value[6];
    numbers_of(tag, &def.inertia, value);
    if (!is_unchanged(tag->value, value)) write_tag(&c, tag, value);
  }
  copy_to(&c, r->source.size);
  return LIMB_OK;
}
