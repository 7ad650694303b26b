// limb: robot dynamics in C. The doctor: what is doubtful in a model that could be read, and its cure.
//
// This header belongs to the library limb_io.
#ifndef LIMB_CHECK_H
#define LIMB_CHECK_H

#include "limb/read.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Examines a robot that was read and adds what it finds to the reading's findings: inertias that no
/// body can have, joints that move no mass, placeholders, limits, units, names. Once per reading.
/// @return LIMB_OK; LIMB_E_ARG (NULL, a reading without builder); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_check(limb_reading* r, limb_error* err);

/// Assembles the loops of a robot that was read (limb_assemble, 20 starts), and adds what it finds to the
/// reading's findings: loops that cannot be closed, that leave nothing to move, that others imply. Apart from
/// limb_check, for it may take long. Once per reading. A robot that does not compile is not looked at.
/// @return as limb_check.
LIMB_NODISCARD LIMB_API limb_status limb_check_loops(limb_reading* r, limb_error* err);

/// Replaces every inertia that no body can have by the nearest one that a body can: principal moments
/// projected on those that are not negative and fulfil the triangle inequality, axes kept. Each change
/// becomes a finding of rule "repaired", with the old and the new figures.
/// @param changed  number of bodies changed (output, may be NULL)
/// @return LIMB_OK; LIMB_E_ARG (NULL, a reading without builder); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_repair(limb_reading* r, int* changed, limb_error* err);

/// The nearest inertia (in the Frobenius norm of the rotational inertia about the centre of mass) that a
/// rigid body can have; mass and centre of mass are kept, but a negative mass becomes zero, and no mass
/// means no inertia. NULL gives none; what is not finite comes back as it is.
LIMB_API sp_inertia limb_inertia_nearest(const sp_inertia* Y);

/// Writes the file as it was read, with the inertias that limb_repair changed in place and every other
/// byte kept. URDF only; write other formats with limb_write.
/// @return LIMB_OK; LIMB_E_UNSUPPORTED (not a URDF, or one in UTF-16); LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_write_repaired(const limb_reading* r, limb_text_fn* write, void* context,
                                                        limb_error* err);

#ifdef __cplusplus
}
#endif

#endif
