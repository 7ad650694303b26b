// limb: robot dynamics in C. Write robots to files: limb YAML, URDF.
//
// limb YAML says everything that a robot can be, and reads back to the same bits. URDF cannot say
// everything: what it lacks is written in an element <limb> of the joint, which other readers skip, and
// is reported. What no reader would take is refused: robots that cannot be built, names with control
// characters.
//
// This header belongs to the library limb_io.
#ifndef LIMB_WRITE_H
#define LIMB_WRITE_H

#include "limb/builder.h"
#include "limb/findings.h"
#include "limb/read.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Writes a robot through a callback, piece by piece. A model is written through limb_builder_from_model.
/// @param format    LIMB_FORMAT_YAML or LIMB_FORMAT_URDF
/// @param findings  what the format cannot say, or other readers will not know (may be NULL)
/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_MODEL (no body, a body without joint or with two);
///         LIMB_E_UNSUPPORTED (another format, a name that cannot be written, a loop whose law is a
///         function); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_write(const limb_builder* b, limb_format format, limb_text_fn* write,
                                               void* context, limb_findings* findings, limb_error* err);

#ifdef __cplusplus
}
#endif

#endif
