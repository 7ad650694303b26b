// Writing a robot: the public function, which chooses the language.
#include "limb/write.h"

#include "base/alloc.h"
#include "base/error.h"
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

limb_status limb_write(const limb_builder* b, limb_format format, limb_text_fn* write,
                       void* context, limb_findings* findings, limb_error* err)
{
  if (!b || !write)
    return limb_fail(err, LIMB_E_ARG, NULL, "%s is NULL", b ? "the function to write" : "builder");
  limb_status status = LIMB_E_UNSUPPORTED;
  if (format == LIMB_FORMAT_YAML || format == LIMB_FORMAT_URDF) status = check_tree(b, err);
  if (!status && format == LIMB_FORMAT_YAML)
    status = limb_write_yaml(b, write, context, findings, err);
  else if (!status)
    status = limb_write_urdf(b, write, context, findings, err);
  else if (status == LIMB_E_UNSUPPORTED)
    return limb_fail(err, status, NULL, "robots are written as urdf or yaml, and as nothing else");
  if (!status && limb_findings_lost(findings))
    return limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory for the findings");
  return status;
}
