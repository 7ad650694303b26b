// The surroundings of one call, read, checked, and brought to the links.
#ifndef LIMB_ENVIRONMENT_H
#define LIMB_ENVIRONMENT_H

#include "kernel/tables.h"
#include "model/data_impl.h"

// Copy of env with defaults for what it does not have (NULL: all defaults). LIMB_E_ARG for a bad size,
// frame index, reference, list of wrenches or force laws, LIMB_E_UNSUPPORTED for a newer one that says more
// than is known here, LIMB_E_NONFINITE for numbers that are not.
limb_status limb_environment_read(const limb_model* m, const limb_environment* env, limb_environment* out);

// What the kernels need to know of the surroundings.
typedef struct limb_surroundings {
  limb_terms terms;     // rotors and springs on, friction as the environment says
  const double* wrench; // external wrenches and those of laws, link axes; NULL when there are none
  int nwrench, nlaw;    // what limb_leave must clear
  const limb_wrench* list;
  const limb_force_law* law;
  double law_power; // of the laws' wrenches, against inertial space
  int ngiven;       // all wrenches of the environment, as given
  const limb_wrench* given;
} limb_surroundings;

// Reads and checks env, and sets the base frames' states: gravity as an acceleration, and the base's own
// motion. q and v, if given, have been checked, and bring the wrenches to the links, with those of the force
// laws, each asked once; limb_leave must follow unless this fails. Leaves poses in d->own, with laws also
// velocities. q NULL, and then v: the links are left alone.
limb_status limb_enter(limb_data* d, const limb_environment* env, const double* q, const double* v,
                       limb_surroundings* out);

// The same for derivatives: LIMB_E_UNSUPPORTED with force laws, whose slopes are not known.
limb_status limb_enter_lawless(limb_data* d, const limb_environment* env, const double* q, limb_surroundings* out);

void limb_leave(limb_data* d, const limb_surroundings* s);

// Base frames at rest without gravity.
void limb_enter_void(limb_data* d);

// What a force law is told, from the poses and velocities of the links against the world body, which env
// moves.
limb_frame_state limb_law_state(const limb_model* m, const limb_environment* env, const limb_force_law* law,
                                const limb_link_motion* s);

// Asks a force law. LIMB_E_NONFINITE when place, velocity or answer are not finite.
limb_status limb_ask_law(const limb_force_law* law, const limb_frame_state* at, limb_wrench* out);

#endif
