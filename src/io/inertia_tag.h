// The <inertia> tag of a URDF as text: where its six numbers stand.
#ifndef LIMB_INERTIA_TAG_H
#define LIMB_INERTIA_TAG_H

#include "io/reading.h"

// Slots in the order of the letters: ixx ixy ixz iyy iyz izz.
typedef struct tag_slots {
  size_t at[6], length[6]; // bytes from the "<" of the tag; length 0: the attribute is not there
  double value[6];         // 0 when it is not there
} tag_slots;

extern const char* const limb_tag_names[6];

// The slots of a tag in its text; 1, or 0 when one of them is not a plain number (it may be written with
// character references): its value is 0 then, its place is told.
int limb_tag_scan(const char* text, const inertia_tag* tag, tag_slots* out);

// Of the numbers of a tag and the body's inertia: one made of the other.
sp_inertia limb_tag_to_body(const inertia_tag* tag, sp_inertia Y, const double value[6]);
void limb_tag_from_body(const inertia_tag* tag, const sp_inertia* Y, double value[6]);

// Puts the tag of each body of a builder with nbody bodies into tag[body]; NULL where it has none.
void limb_tags_by_body(const limb_reading* r, int nbody, const inertia_tag** tag);

#endif
