// The <inertia> tag of a URDF as text: where its six numbers stand.
#ifndef LIMB_INERTIA_TAG_H
#define LIMB_INERTIA_TAG_H

#include "io/reading.h"

// Slots in the order of the letters: ixx ixy ixz iyy iyz izz.
typedef struct tag_slots {
  size_t at[6], length[6]; // bytes from the "<" of the tag; length 0: the attribute is not there
} tag_slots;

extern const char* const limb_tag_names[6];

// The slots of a tag in its text, which is ASCII or a superset of it.
tag_slots limb_tag_scan(const char* text, const inertia_tag* tag);

// The numbers that a tag must hold for its body to have this inertia.
void limb_tag_from_body(const inertia_tag* tag, const sp_inertia* Y, double value[6]);

// Puts the tag of each body of a builder with nbody bodies into tag[body]; NULL where it has none.
void limb_tags_by_body(const limb_reading* r, int nbody, const inertia_tag** tag);

#endif
