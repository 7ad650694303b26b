// Writing a robot: the public function, which chooses the language.
#include "limb/write.h"

#include "base/error.h"
#include "io/writers.h"

limb_status limb_write(const limb_builder* b, limb_format format, limb_text_fn* write,
                       void* context, limb_findings* findings, limb_error* err)
{
  if (!b || !write)
    return limb_fail(err, LIMB_E_ARG, NULL, "%s is NULL", b ? "the function to write" : "builder");
  if (format == LIMB_FORMAT_YAML) return limb_write_yaml(b, write, context, findings, err);
  if (format == LIMB_FORMAT_URDF) return limb_write_urdf(b, write, context, findings, err);
  const char* name = limb_format_name(format);
  return limb_fail(err, LIMB_E_UNSUPPORTED, NULL,
                   "robots are written as urdf or yaml, not as %s: read-only formats have no "
                   "writer",
                   name ? name : "an unknown format");
}
