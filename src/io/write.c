// Writing a robot: checks that a reader will accept it, then calls the writer of the language.
#include "limb/read.h"

#include "base/memory.h"
#include "base/status.h"
#include "io/file_text.h"
#include "io/reading.h"

#include <string.h>

// Each body needs exactly one joint.
static limb_status check_tree(const limb_builder* b, limb_error* err)
{
  const limb_allocator a = limb_default_allocator();
  const int bodies = limb_builder_body_count(b);
  if (bodies < 2) return limb_fail(err, LIMB_E_MODEL, "robot", "it has no body");
  int* joints = limb_alloc(&a, (size_t)bodies * sizeof *joints);
  if (!joints) return limb_fail(err, LIMB_E_NOMEM, "robot", "out of memory");
  memset(joints, 0, (size_t)bodies * sizeof *joints);
  limb_joint_def joint;
  for (int i = 0; limb_builder_get_joint(b, i, &joint) == LIMB_OK; i++) joints[joint.child]++;
  int wrong = 1;
  while (wrong < bodies && joints[wrong] == 1) wrong++;
  const int count = wrong < bodies ? joints[wrong] : 1;
  limb_free(&a, joints, (size_t)bodies * sizeof *joints);
  if (wrong == bodies) return LIMB_OK;
  limb_body_def body = limb_default_body_def("");
  (void)!limb_builder_get_body(b, wrong, &body);
  return limb_fail(err, LIMB_E_MODEL, body.name, "%s",
                   count ? "more than one joint carries this body" : "no joint carries this body");
}

static limb_status check_laws(const limb_builder* b, limb_error* err)
{
  limb_loop_def loop;
  for (int i = 0; limb_builder_get_loop(b, i, &loop) == LIMB_OK; i++) {
    if (loop.law.fn)
      return limb_fail(err, LIMB_E_UNSUPPORTED, loop.name,
                       "the prescribed motion of this loop is a function of the program, which cannot be written");
  }
  return LIMB_OK;
}

// 1 when a file can contain the text: UTF-8 without control characters, for XML without two codes that are none.
static int is_writable(const char* text, limb_format format)
{
  if (limb_has_control(text)) return 0;
  for (const char* end = text + strlen(text); text < end;) {
    uint32_t code = 0;
    const size_t n = limb_utf8(text, end, &code);
    if (n == 0 || (format == LIMB_FORMAT_URDF && (code == 0xfffe || code == 0xffff))) return 0;
    text += n;
  }
  return 1;
}

// A reader would refuse these names.
static limb_status check_name(const char* kind, const char* name, limb_format format, limb_error* err)
{
  if (is_writable(name, format)) return LIMB_OK;
  return limb_fail(err, LIMB_E_UNSUPPORTED, kind,
                   "its name contains control characters, or bytes that are not UTF-8: rename the %s", kind);
}

static limb_status check_names(const limb_builder* b, limb_format format, limb_error* err)
{
  limb_body_def body;
  limb_joint_def joint;
  limb_frame_info frame;
  limb_loop_def loop;
  limb_status status = check_name("robot", limb_builder_name(b), format, err);
  for (int i = 0; !status && limb_builder_get_body(b, i, &body) == LIMB_OK; i++)
    status = check_name("body", body.name, format, err);
  for (int i = 0; !status && limb_builder_get_joint(b, i, &joint) == LIMB_OK; i++)
    status = check_name("joint", joint.name, format, err);
  for (int i = 0; !status && limb_builder_get_frame(b, i, &frame) == LIMB_OK; i++)
    status = check_name("frame", frame.name, format, err);
  for (int i = 0; !status && limb_builder_get_loop(b, i, &loop) == LIMB_OK; i++)
    status = check_name("loop", loop.name, format, err);
  return status;
}

limb_status limb_write(const limb_builder* b, limb_format format, limb_text_fn* write, void* context,
                       limb_findings* findings, limb_error* err)
{
  if (!b || !write) return limb_fail(err, LIMB_E_ARG, NULL, "%s is NULL", b ? "the function to write" : "builder");
  if (format != LIMB_FORMAT_YAML && format != LIMB_FORMAT_URDF)
    return limb_fail(err, LIMB_E_UNSUPPORTED, NULL, "only urdf and yaml can be written");
  limb_status status = check_tree(b, err);
  if (!status) status = check_laws(b, err);
  if (!status) status = check_names(b, format, err);
  if (status) return status;
  status = format == LIMB_FORMAT_YAML ? limb_write_yaml(b, write, context, findings)
                                      : limb_write_urdf(b, write, context, findings);
  if (!status && limb_findings_lost(findings))
    return limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory for the findings");
  return status;
}
