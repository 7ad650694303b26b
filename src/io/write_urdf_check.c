// What URDF cannot say at all, found before the first byte is written.
#include "io/write_urdf_impl.h"

#include "base/status.h"
#include "io/utf8.h"

#include <string.h>

// 1 when XML can hold the text, which has no control characters: UTF-8 without the codes that mean nothing.
static int is_xml_text(const char* text)
{
  const char* end = text + strlen(text);
  while (text < end) {
    uint32_t code = 0;
    const size_t n = limb_utf8(text, end, &code);
    if (n == 0 || code == 0xfffe || code == 0xffff) return 0;
    text += n;
  }
  return 1;
}

// What a reader would refuse is not written.
static limb_status check_name(const char* kind, const char* name, limb_error* err)
{
  if (!limb_has_control(name) && is_xml_text(name)) return LIMB_OK;
  return limb_fail(err, LIMB_E_UNSUPPORTED, kind,
                   "its name holds control characters, or bytes that are not text in UTF-8: rename it");
}

limb_status limb_urdf_can_say(const limb_builder* b, limb_error* err)
{
  limb_status status = check_name("robot", limb_builder_name(b), err);
  limb_body_def body;
  limb_joint_def joint;
  limb_frame_info frame;
  limb_loop_def loop;
  const int nbody = limb_builder_body_count(b) - 1, njoint = limb_builder_joint_count(b);
  if (!status && nbody != njoint)
    return limb_fail(err, LIMB_E_UNSUPPORTED, "robot",
                     "%d bodies and %d joints: in a URDF, one joint carries each body", nbody, njoint);
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
  for (int i = 0; !status && i < limb_builder_loop_count(b); i++) {
    status = limb_builder_get_loop(b, i, &loop);
    if (!status) status = check_name("loop", loop.name, err);
  }
  return status;
}
