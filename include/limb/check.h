// limb: robot dynamics in C. The doctor: checks a robot that was read critically, and repairs inertias.
//
//     limb_reading* r = NULL;
//     if (limb_read("arm.urdf", NULL, &r, NULL) == LIMB_OK && limb_check(r, NULL) == LIMB_OK)
//       printf("%d warnings and errors\n", limb_findings_count_from(limb_reading_findings(r), LIMB_WARNING));
//
// This header belongs to the library limb_io. docs/doctor.md explains every rule.
#ifndef LIMB_CHECK_H
#define LIMB_CHECK_H

#include "limb/read.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Checks a robot and adds what it finds to the findings of the reading: inertias that no body can have, joints that
/// move no mass, placeholders, limits, units, names. Call it once per reading.
/// @return LIMB_OK; LIMB_E_ARG (NULL, a reading without builder); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_check(limb_reading* r, limb_error* err);

/// Assembles the loops of a robot (limb_assemble, 20 starts) and adds what it finds to the findings of the reading:
/// loops that cannot be closed, that leave nothing to move, that follow from others. It is not part of limb_check
/// because it may take long. Call it once per reading. A robot that does not compile is not checked.
/// @return as limb_check.
LIMB_NODISCARD LIMB_API limb_status limb_check_loops(limb_reading* r, limb_error* err);

/// Replaces every inertia that no body can have by the nearest one that a body can have: principal moments projected
/// on those that are not negative and satisfy the triangle inequality, axes kept. Each change is reported as a
/// finding of the rule "repaired", with the old and the new numbers.
/// @param changed  number of bodies changed (output, may be NULL)
/// @return LIMB_OK; LIMB_E_ARG (NULL, a reading without builder); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_repair(limb_reading* r, int* changed, limb_error* err);

/// Writes the file as it was read, with the inertias that limb_repair changed in place and every other byte kept.
/// URDF only; write other formats with limb_write.
/// @return LIMB_OK; LIMB_E_UNSUPPORTED (not a URDF, or one in UTF-16); LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_write_repaired(const limb_reading* r, limb_text_fn* write, void* context,
                                                        limb_error* err);

/// The nearest inertia that a rigid body can have, in the Frobenius norm of the rotational inertia about the centre
/// of mass. Mass and centre of mass are kept, but a negative mass becomes zero, and a body without mass has no
/// inertia. NULL gives zero; numbers that are not finite are returned unchanged.
LIMB_API sp_inertia limb_inertia_nearest(const sp_inertia* Y);

#ifdef __cplusplus
}
#endif

#endif
