// What URDF cannot say at all, found before the first byte is written.
#include "io/write_urdf_impl.h"

#include "base/error.h"

#include <string.h>

// 1 when XML can hold the text: UTF-8 without control characters but blanks.
static int is_xml_text(const char* text)
{
  const unsigned char* p = (const unsigned char*)text;
  while (*p) {
    const int more = *p < 0x80 ? 0 : *p >= 0xc2 && *p < 0xe0 ? 1 : *p >> 4 == 0xe ? 2 : 3;
    if (*p < 0x20 && *p != '\t' && *p != '\n' && *p != '\r') return 0;
    if (more == 3 && (*p < 0xf0 || *p > 0xf4)) return 0;
    unsigned long code = more ? *p & (0x3fu >> more) : *p;
    p++;
    for (int i = 0; i < more; i++, p++) {
      if (*p >> 6 != 2) return 0;
      code = code << 6 | (*p & 0x3fu);
    }
    const int overlong = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
    if (overlong || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff || (code & ~1ul) == 0xfffe)
      return 0;
  }
  return 1;
}

static int has_control(const char* text)
{
  while (*text && (unsigned char)*text >= 0x20 && *text != 0x7f) text++;
  return *text != 0;
}

// Things that are addressed by name have stricter names than the robot: readers refuse line breaks in them.
static limb_status check_name(const char* kind, const char* name, limb_error* err)
{
  const int thing = strcmp(kind, "robot") != 0;
  if (is_xml_text(name) && !(thing && has_control(name))) return LIMB_OK;
  return limb_fail(
    err, LIMB_E_UNSUPPORTED, kind,
    "its name holds control characters, or bytes that are not text in UTF-8: rename it");
}

limb_status limb_urdf_can_say(const limb_builder* b, limb_error* err)
{
  limb_status status = check_name("robot", limb_builder_name(b), err);
  limb_body_def body;
  limb_joint_def joint;
  limb_frame_info frame;
  const int nbody = limb_builder_body_count(b) - 1, njoint = limb_builder_joint_count(b);
  if (!status && nbody != njoint)
    return limb_fail(err, LIMB_E_UNSUPPORTED, "robot",
                     "%d bodies and %d joints: in a URDF, one joint carries each body", nbody,
                     njoint);
  for (int i = 1; !status && i <= nbody; i++) {
    status = limb_builder_get_body(b, i, &body);
    if (!status) status = check_name("body", body.name, err);
  }
  for (int i = 0; !status && i < njoint; i++) {
    status = limb_builder_get_joint(b, i, &joint);
    if (!status) status = check_name("joint", joint.name, err);
  }
  for (int i = 0; !status && i < limb_builder_frame_count(b); i++) {
    status = limb_builder_get_frame(b, i, &frame);
    if (!status) status = check_name("frame", frame.name, err);
  }
  return status;
}
