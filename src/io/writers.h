// The writers, one per language: what a builder holds, as text.
#ifndef LIMB_WRITERS_H
#define LIMB_WRITERS_H

#include "limb/builder.h"
#include "limb/findings.h"

// LIMB_OK; LIMB_E_UNSUPPORTED: the language cannot say it, err tells what; LIMB_E_NOMEM. What the language
// can say in its own way only becomes a finding (findings may be NULL).
limb_status limb_write_yaml(const limb_builder* b, limb_text_fn* write, void* context, limb_findings* findings,
                            limb_error* err);
limb_status limb_write_urdf(const limb_builder* b, limb_text_fn* write, void* context, limb_findings* findings,
                            limb_error* err);

#endif
