// What reader and writer of limb YAML agree on: the properties of joints, shafts and loops, by section
// and key.
#ifndef LIMB_YAML_SCHEMA_H
#define LIMB_YAML_SCHEMA_H

#include "limb/builder.h"

enum { YAML_SCHEMA = 1 }; // the version that a file states

// What the number of a property can be.
enum {
  NONNEGATIVE = 1,
  NONZERO = 2,
  LIMIT = 4, // may be infinite
  ANGLE = 8, // in the file's unit of angles, when the joint (of a loop: the row) turns
  PHASE = 16 // in the file's unit of angles, always
};

typedef struct yaml_property {
  const char *section, *key; // as in  limits: {lower: -1}
  size_t at;                 // of its double in limb_joint_def, or in the struct that a table names
  int rule;
} yaml_property;

#define AT(member) offsetof(limb_joint_def, member)

// Properties of a section stand together.
static const yaml_property yaml_properties[] = {
  {"limits", "lower", AT(q_min), LIMIT | ANGLE},
  {"limits", "upper", AT(q_max), LIMIT | ANGLE},
  {"limits", "velocity", AT(v_max), LIMIT | ANGLE | NONNEGATIVE},
  {"limits", "effort", AT(effort_max), LIMIT | NONNEGATIVE},
  {"rotor", "inertia", AT(rotor_inertia), NONNEGATIVE},
  {"rotor", "gear", AT(gear_ratio), NONZERO},
  {"friction", "coulomb", AT(coulomb), NONNEGATIVE},
  {"friction", "viscous", AT(viscous), NONNEGATIVE},
  {"spring", "stiffness", AT(stiffness), NONNEGATIVE},
  {"spring", "rest", AT(rest), ANGLE},
  {"mimic", "multiplier", AT(multiplier), NONZERO},
  {"mimic", "offset", AT(offset), ANGLE},
};

#undef AT

// Of a limb_shaft_def, beside its joint and its motor.
static const yaml_property yaml_shaft[] = {
  {"shaft", "ratio", offsetof(limb_shaft_def, ratio), NONZERO},
  {"shaft", "stiffness", offsetof(limb_shaft_def, stiffness), NONNEGATIVE},
  {"shaft", "damping", offsetof(limb_shaft_def, damping), NONNEGATIVE},
  {"shaft", "rest", offsetof(limb_shaft_def, rest), ANGLE},
};

enum { YAML_NSHAFT = sizeof yaml_shaft / sizeof yaml_shaft[0] };

// The coordinate of a joint from which loops are closed.
static const yaml_property yaml_start = {"joint", "start", offsetof(limb_joint_def, start), ANGLE};

// Of a limb_loop_def: what single kinds have, beside names and lists.
static const yaml_property yaml_length = {"loop", "length", offsetof(limb_loop_def, length), NONNEGATIVE | NONZERO};
static const yaml_property yaml_radius = {"loop", "radius", offsetof(limb_loop_def, radius), NONNEGATIVE | NONZERO};
static const yaml_property yaml_ratio = {"loop", "ratio", offsetof(limb_loop_def, coefficient[1]), NONZERO};
static const yaml_property yaml_offset = {"loop", "offset", offsetof(limb_loop_def, coefficient[0]), ANGLE};

// Of a limb_time_law, beside its row.
static const yaml_property yaml_law[] = {
  {"law", "constant", offsetof(limb_time_law, constant), ANGLE},
  {"law", "rate", offsetof(limb_time_law, rate), ANGLE},
  {"law", "amplitude", offsetof(limb_time_law, amplitude), ANGLE},
  {"law", "frequency", offsetof(limb_time_law, frequency), 0},
  {"law", "phase", offsetof(limb_time_law, phase), PHASE},
};

enum { YAML_NLAW = sizeof yaml_law / sizeof yaml_law[0] };

// Drives by value.
static const char* const yaml_drives[] = {"auto", "active", "passive"};

enum { YAML_NDRIVE = sizeof yaml_drives / sizeof yaml_drives[0] };

enum { YAML_NPROPERTY = sizeof yaml_properties / sizeof yaml_properties[0] };

// Sections in the order of the table. mimic has the key joint, too.
#define YAML_SECTIONS "limits", "rotor", "friction", "spring", "mimic"

// Joint types by value; "continuous" is a revolute joint that says that it has no limits.
#define LIMB_X(name, value, text, nq, nv) [value] = (text),
static const char* const yaml_joint_types[] = {LIMB_JOINT_LIST(LIMB_X) "continuous"};
#undef LIMB_X

enum { YAML_NTYPE = sizeof yaml_joint_types / sizeof yaml_joint_types[0] };

#endif
