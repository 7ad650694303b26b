// The six numbers of an <inertia> tag. The tag went through expat before: it is well-formed.
#include "io/inertia_tag.h"

#include "limb/inertia.h"

#include "base/number.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char* const limb_tag_names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static int ends_name(char c) { return c == '=' || c == '>' || c == '/' || is_blank(c); }

static int slot_of(const char* name, size_t length)
{
  for (int k = 0; k < 6; k++) {
    if (length == 3 && memcmp(name, limb_tag_names[k], 3) == 0) return k;
  }
  return -1;
}

// One number, blanks around it, nothing else.
static int scan_value(const char* text, const char* end, double* value)
{
  while (text < end && is_blank(*text)) text++;
  while (text < end && is_blank(end[-1])) end--;
  return limb_scan_number(text, end, value) == end && text < end;
}

int limb_tag_scan(const char* text, const inertia_tag* tag, tag_slots* out)
{
  *out = (tag_slots){0};
  const char *start = text + tag->byte, *end = start + tag->bytes;
  const char* p = start;
  int plain = 1;
  while (p < end && !ends_name(*p)) p++; // "<inertia"
  for (;;) {
    while (p < end && is_blank(*p)) p++;
    const char* name = p;
    while (p < end && !ends_name(*p)) p++;
    const size_t length = (size_t)(p - name);
    while (p < end && *p != '"' && *p != '\'') p++;
    if (length == 0 || p >= end) return plain;
    const char quote = *p++;
    const char* value = p;
    while (p < end && *p != quote) p++;
    const int k = slot_of(name, length);
    if (k >= 0) {
      out->at[k] = (size_t)(value - start);
      out->length[k] = (size_t)(p - value);
      plain &= scan_value(value, p, &out->value[k]);
    }
    if (p < end) p++;
  }
}

static int is_identity(const double R[9])
{
  for (int i = 0; i < 9; i++) {
    if (R[i] != (i % 4 == 0 ? 1 : 0)) return 0;
  }
  return 1;
}

static sp_inertia with_moments(sp_inertia Y, const double v[6])
{
  Y.xx = v[0], Y.xy = v[1], Y.xz = v[2], Y.yy = v[3], Y.yz = v[4], Y.zz = v[5];
  return Y;
}

static void moments_of(const sp_inertia* Y, double v[6])
{
  v[0] = Y->xx, v[1] = Y->xy, v[2] = Y->xz, v[3] = Y->yy, v[4] = Y->yz, v[5] = Y->zz;
}

// I_A = R I_B R'
static void turn(const double R[9], int back, double v[6])
{
  sp_pose X = sp_pose_identity();
  memcpy(X.R.m, R, sizeof X.R.m);
  if (back) X.R = sp_transpose3(X.R);
  const sp_inertia Y = limb_inertia_move(X, with_moments((sp_inertia){0}, v));
  moments_of(&Y, v);
  // What turning leaves of a zero is no figure to be written down.
  const double dust = 8 * DBL_EPSILON * (fabs(v[0]) + fabs(v[3]) + fabs(v[5]));
  for (int k = 0; k < 6; k++) {
    if (fabs(v[k]) < dust) v[k] = 0;
  }
}

sp_inertia limb_tag_to_body(const inertia_tag* tag, sp_inertia Y, const double value[6])
{
  double v[6];
  memcpy(v, value, sizeof v);
  if (!is_identity(tag->R)) turn(tag->R, 0, v);
  return with_moments(Y, v);
}

void limb_tag_from_body(const inertia_tag* tag, const sp_inertia* Y, double value[6])
{
  moments_of(Y, value);
  if (!is_identity(tag->R)) turn(tag->R, 1, value);
}

void limb_tags_by_body(const limb_reading* r, int nbody, const inertia_tag** tag)
{
  for (int i = 0; i < nbody; i++) tag[i] = NULL;
  for (int i = 0; r->marks.of_sketch && i < r->source.ntag; i++) {
    const int body = r->marks.of_sketch[r->source.tag[i].body];
    if (body > LIMB_WORLD_BODY && body < nbody) tag[body] = &r->source.tag[i];
  }
}
