// Writing a robot: the public function, which chooses the language.
#include "limb/write.h"

#include "base/memory.h"
#include "base/status.h"
#include "io/findings.h"
#include "io/writers.h"

#include <string.h>

// A robot that no reader would take is not written: each body hangs on one joint.
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

// A function cannot be written.
static limb_status check_laws(const limb_builder* b, limb_error* err)
{
  limb_loop_def loop;
  for (int i = 0; limb_builder_get_loop(b, i, &loop) == LIMB_OK; i++) {
    if (loop.law.fn)
      return limb_fail(err, LIMB_E_UNSUPPORTED, loop.name,
                       "the law of this loop is a function of the program, which no file can hold");
  }
  return LIMB_OK;
}

limb_status limb_write(const limb_builder* b, limb_format format, limb_text_fn* write, void* context,
                       limb_findings* findings, limb_error* err)
{
  if (!b || !write) return limb_fail(err, LIMB_E_ARG, NULL, "%s is NULL", b ? "the function to write" : "builder");
  if (format != LIMB_FORMAT_YAML && format != LIMB_FORMAT_URDF)
    return limb_fail(err, LIMB_E_UNSUPPORTED, NULL, "robots are written as urdf or yaml, and as nothing else");
  limb_status status = check_tree(b, err);
  if (!status) status = check_laws(b, err);
  if (status) return status;
  status = format == LIMB_FORMAT_YAML ? limb_write_yaml(b, write, context, findings, err)
                                      : limb_write_urdf(b, write, context, findings, err);
  if (!status && limb_findings_lost(findings))
    return limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory for the findings");
  return status;
}
