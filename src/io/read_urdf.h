// What the files of the URDF reader share: the words of elements, attributes and their numbers.
#ifndef LIMB_IO_READ_URDF_H
#define LIMB_IO_READ_URDF_H

#include "io/properties.h"
#include "io/reading.h"
#include "io/xml.h"

enum { URDF_MAX_REPORTED = 64 }; // names that are reported once each

typedef struct urdf_reader {
  limb_source* src;
  const limb_read_options* opt;
  limb_raw_robot* raw;
  limb_reporter report; // about: the link, joint or loop being read
  int expressions;      // values with ${...} or $(...)
  size_t searched;      // bytes of tags in which limb_urdf_attribute_pos looked for an attribute
  struct {
    const char *element, *name; // element NULL: name is that of an element
  } reported[URDF_MAX_REPORTED];
  int nreported;
  const xml_node** material; // those that state a color or a texture
  int nmaterial;
  limb_names material_names;
} urdf_reader;

// The words of an element, separated by blanks (limb_find_word); NULL: none.
typedef struct urdf_words {
  const char* attributes;
  const char* children; // elements that are read, at most one of each
  const char* many;     // elements that are read, any number
  const char* ignored;  // elements that are known not to affect dynamics
  int strict;           // 1: limb's own element, an unknown attribute is an error
} urdf_words;

// ---- words and values (read_urdf_value.c) ---------------------------------------------------------

// 1 the first time that it is called for this name; element: the one whose attribute it is, or NULL.
int limb_urdf_first(urdf_reader* r, const char* element, const char* name);

// Reports what does not belong in an element: unknown or repeated children, unknown attributes.
void limb_urdf_check(urdf_reader* r, const xml_node* n, const urdf_words* words);

// The same for an element with attributes only.
void limb_urdf_check_attributes(urdf_reader* r, const xml_node* n, const char* attributes);

// The first child of that name, its attributes checked; NULL when there is none.
const xml_node* limb_urdf_child(urdf_reader* r, const xml_node* parent, const char* name, const char* attributes);

// An attribute that holds a name: NULL when it is not given, which is an error if it is needed.
const char* limb_urdf_name(urdf_reader* r, const xml_node* n, const char* attribute, int needed);

// Position of an attribute in the text; that of its element once enough of the text was searched.
file_pos limb_urdf_attribute_pos(urdf_reader* r, const xml_node* n, const char* attribute);

// The numbers of an attribute: 1 when they were read, 0 when there is no such attribute, -1 after an error. x only
// changes when they were read.
int limb_urdf_numbers(urdf_reader* r, const xml_node* n, const char* attribute, int count, double* x);
int limb_urdf_number(urdf_reader* r, const xml_node* n, const char* attribute, double* x);
int limb_urdf_vector(urdf_reader* r, const xml_node* n, const char* attribute, sp_vec3* x);

// One number, where a text such as "inf" means that there is no limit.
int limb_urdf_limit(urdf_reader* r, const xml_node* n, const char* attribute, double* x);

// The number of a property, if it is given and possible. Returns whether it was set in `to`.
int limb_urdf_property(urdf_reader* r, const xml_node* n, const property* p, void* to);

// The pose in the attributes xyz, rpy and quat_xyzw of an element; and that of its child <origin>, the identity when
// there is none.
#define URDF_POSE_WORDS "xyz rpy quat_xyzw"
sp_pose limb_urdf_pose(urdf_reader* r, const xml_node* n);
sp_pose limb_urdf_origin(urdf_reader* r, const xml_node* parent);

// ---- elements -------------------------------------------------------------------------------------

// 0 when out of memory.
int limb_urdf_joint(urdf_reader* r, const xml_node* n);
int limb_urdf_shaft(urdf_reader* r, const xml_node* n); // <shaft> in <limb> of the robot

// Shapes of a link, which is a body of the raw robot; before the first of them, the materials of the file. 0 when out
// of memory (read_urdf_shape.c).
int limb_urdf_materials(urdf_reader* r, const xml_node* root);
int limb_urdf_shapes(urdf_reader* r, const xml_node* link, int body);

// Mass, centre and inertia of all <collision> shapes of a link, or of its <visual> ones if there are none, by the
// density of the options.
void limb_urdf_fill_mass(urdf_reader* r, const xml_node* link, sp_inertia* Y);

// Whether an element closes a loop of the robot, in one of the supported forms; reads it (0 when out of memory).
int limb_urdf_is_loop(const xml_node* n);
int limb_urdf_loop(urdf_reader* r, const xml_node* n);

#endif
