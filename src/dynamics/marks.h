// The marks of one call, as the entry points that take marks read them.
#ifndef LIMB_MARKS_H
#define LIMB_MARKS_H

#include "limb/hybrid.h"

#include "model/data_impl.h"

// Whether these are nv marks.
bool limb_marks_valid(const limb_model* m, const unsigned char* given);

// The marks of hybrid dynamics: given, or those of the inverse problem for NULL. NULL when one of them is
// none.
const unsigned char* limb_marks(const limb_data* d, const unsigned char* given);

// Whether articulated bodies will do: no joint follows one whose force is given.
bool limb_marks_sweep(const limb_model* m, const unsigned char* given);

#endif
