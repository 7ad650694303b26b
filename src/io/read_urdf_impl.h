// What the parts of the URDF reader share: elements and their words, attributes and their numbers.
#ifndef LIMB_READ_URDF_IMPL_H
#define LIMB_READ_URDF_IMPL_H

#include "io/readers.h"
#include "io/xml.h"

enum { URDF_TOLD = 64 }; // names that are told once each; more of them are not a robot any more

typedef struct urdf_reader {
  limb_source* src;
  const limb_read_options* opt;
  limb_sketch* sketch;
  limb_findings* findings;
  int errors;      // how many were reported: the list of findings has an end, this has none
  int expressions; // values with ${...} or $(...)
  size_t searched; // bytes of tags in which limb_urdf_mark looked for an attribute
  int template;    // the file has xacro and no links: it is nothing but a template
  int missing;     // elements of xacro that would have added to the robot
  struct {
    const char *element, *name; // element NULL: name is that of an element
  } told[URDF_TOLD];
  int ntold;
} urdf_reader;

// The words of an element; each list ends with NULL, a list that is NULL has none.
typedef struct urdf_words {
  const char* const* attribute;
  const char* const* child;   // elements that are read, at most one of each
  const char* const* many;    // elements that are read, any number
  const char* const* ignored; // elements that are known not to be dynamics
  int strict;                 // 1: limb's own element, an unknown word is an error
} urdf_words;

// ---- findings (read_urdf_words.c) -----------------------------------------------------------------

// An error of this file.
LIMB_PRINTF(5, 6)
void limb_urdf_error(urdf_reader* r, limb_rule rule, limb_mark at, limb_subject about, const char* format, ...);

// 1 the first time that it is asked for this name; element: the one whose attribute it is, or NULL.
int limb_urdf_first(urdf_reader* r, const char* element, const char* name);

// Reports what does not belong into an element: unknown or repeated children, unknown attributes.
void limb_urdf_check(urdf_reader* r, limb_subject about, const xml_node* n, const urdf_words* words);

// An attribute that holds a name: NULL when it is not there, which is an error if it is needed.
const char* limb_urdf_name(urdf_reader* r, limb_subject about, const xml_node* n, const char* attribute, int needed);

// ---- values (read_urdf_value.c) -------------------------------------------------------------------

// Place of an attribute in the text; that of its element once enough of the text was searched.
limb_mark limb_urdf_mark(urdf_reader* r, const xml_node* n, const char* attribute);

// The numbers of an attribute: 1 when they were read, 0 when there is no such attribute, -1 when it holds
// something else, which is reported. x changes only when they were read.
int limb_urdf_numbers(urdf_reader* r, limb_subject about, const xml_node* n, const char* attribute, int count,
                      double* x);
int limb_urdf_number(urdf_reader* r, limb_subject about, const xml_node* n, const char* attribute, double* x);
int limb_urdf_vector(urdf_reader* r, limb_subject about, const xml_node* n, const char* attribute, sp_vec3* x);

// One number, where a text such as "inf" says that there is no limit.
int limb_urdf_limit(urdf_reader* r, limb_subject about, const xml_node* n, const char* attribute, double* x);

// The pose that the attributes xyz, rpy and quat_xyzw of an element state; and that of its child <origin>,
// the identity when there is none.
sp_pose limb_urdf_pose(urdf_reader* r, limb_subject about, const xml_node* n);
sp_pose limb_urdf_origin(urdf_reader* r, limb_subject about, const xml_node* parent);

// ---- elements -------------------------------------------------------------------------------------

// 0 when out of memory.
int limb_urdf_link(urdf_reader* r, const xml_node* n);
int limb_urdf_joint(urdf_reader* r, const xml_node* n);

// Whether an element closes a loop of the robot, in one of the forms that are read; reads it.
int limb_urdf_is_loop(const xml_node* n);
int limb_urdf_loop(urdf_reader* r, const xml_node* n);

// <limb> inside a joint: what URDF has no word for.
void limb_urdf_joint_extension(urdf_reader* r, const xml_node* joint, sketch_joint* j);

// <shaft> of the robot's <limb>; 0 when out of memory.
int limb_urdf_shaft(urdf_reader* r, const xml_node* n);

// Gear ratios of all <transmission> below the root; 0 when out of memory.
int limb_urdf_transmissions(urdf_reader* r, const xml_node* root);

#endif
