// The built-in robots: the model files of models/, embedded as text, and those made by a program.
#ifndef LIMB_ROBOTS_H
#define LIMB_ROBOTS_H

#include "io/sketch.h"

// The embedded files by name, closed by one without a name (made by cmake/LimbModels.cmake).
extern const limb_robot_info limb_robot_files[];

// Index of the built-in robot of this name; -1 when there is none.
int limb_find_robot(const char* name);

// Makes a built-in robot that has no text. LIMB_OK; LIMB_E_ARG: none of that name; LIMB_E_NOMEM.
limb_status limb_make_robot(const char* name, limb_sketch* s);

// Polyalanine. LIMB_OK or LIMB_E_NOMEM.
limb_status limb_make_protein(limb_sketch* s);

#endif
