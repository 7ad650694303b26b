// The six numbers of an <inertia> tag. The tag went through expat before: it is well-formed.
#include "io/inertia_tag.h"

#include "limb/inertia.h"

#include "io/blank.h"

#include <float.h>
#include <math.h>
#include <string.h>

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

static int is_identity(const double R[9])
{
  for (int i = 0; i < 9; i++) {
    if (R[i] != (i % 4 == 0 ? 1 : 0)) return 0;
  }
  return 1;
}

static void moments_of(const sp_inertia* Y, double v[6])
{
  v[0] = Y->xx, v[1] = Y->xy, v[2] = Y->xz, v[3] = Y->yy, v[4] = Y->yz, v[5] = Y->zz;
}

void limb_tag_from_body(const inertia_tag* tag, const sp_inertia* Y, double value[6])
{
  moments_of(Y, value);
  if (is_identity(tag->R)) return;
  // I_tag = R' I_body R
  sp_pose X = sp_pose_identity();
  memcpy(X.R.m, tag->R, sizeof X.R.m);
  X.R = sp_transpose3(X.R);
  const sp_inertia turned = limb_inertia_move(X, *Y);
  moments_of(&turned, value);
  // What turning leaves of a zero is no figure to be written down.
  const double dust = 8 * DBL_EPSILON * (fabs(value[0]) + fabs(value[3]) + fabs(value[5]));
  for (int k = 0; k < 6; k++) {
    if (fabs(value[k]) < dust) value[k] = 0;
  }
}

void limb_tags_by_body(const limb_reading* r, int nbody, const inertia_tag** tag)
{
  for (int i = 0; i < nbody; i++) tag[i] = NULL;
  for (int i = 0; r->marks.of_sketch && i < r->source.ntag; i++) {
    const int body = r->marks.of_sketch[r->source.tag[i].body];
    if (body > LIMB_WORLD_BODY && body < nbody) tag[body] = &r->source.tag[i];
  }
}
