// The marks of one call, as the entry points of hybrid dynamics read them.
#ifndef LIMB_MARKS_H
#define LIMB_MARKS_H

#include "limb/hybrid.h"

#include "model/data_impl.h"

// The marks to go by: given, or those of the model for NULL. NULL when one of them is none.
const unsigned char* limb_marks(const limb_data* d, const unsigned char* given);

// Whether articulated bodies will do: no joint follows one whose force is given.
bool limb_marks_sweep(const limb_model* m, const unsigned char* given);

#endif
