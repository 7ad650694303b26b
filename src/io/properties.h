// Properties of joints, shafts and loops: which types have them, what they are called in files, and what values
// they can take. Readers and writers share these tables.
#ifndef LIMB_IO_PROPERTIES_H
#define LIMB_IO_PROPERTIES_H

#include "limb/builder.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { LIMB_YAML_SCHEMA = 1 }; // the version of limb YAML that a file states

// ---- joints ---------------------------------------------------------------------------------------

// One coordinate: only these joints have limits, springs and mimics.
static inline int one_dof(limb_joint_type type)
{
  return type == LIMB_REVOLUTE || type == LIMB_PRISMATIC || type == LIMB_HELICAL;
}

// The coordinate is an angle.
static inline int turns(limb_joint_type type) { return type == LIMB_REVOLUTE || type == LIMB_HELICAL; }

// Limits of acceleration or jerk, which URDF has since version 1.2.
static inline int has_motion_limits(const limb_joint_def* j)
{
  return j->a_max < HUGE_VAL || j->deceleration_max < HUGE_VAL || j->jerk_max < HUGE_VAL;
}

// limb_joint_def.axis is used.
static inline int has_axis(limb_joint_type type)
{
  return type != LIMB_FIXED && type != LIMB_SPHERICAL && type != LIMB_FREE;
}

// Degrees of freedom by type.
#define LIMB_X(name, value, text, nq, nv) [value] = (nv),
static const int joint_dofs[] = {LIMB_JOINT_LIST(LIMB_X)};
#undef LIMB_X

// Joint types by value, then "continuous", a revolute joint without limits.
#define LIMB_X(name, value, text, nq, nv) [value] = (text),
static const char* const joint_type_words[] = {LIMB_JOINT_LIST(LIMB_X) "continuous"};
#undef LIMB_X

enum { JOINT_CONTINUOUS = sizeof joint_type_words / sizeof joint_type_words[0] - 1 };

// The same, for readers: words by value, separated by blanks.
#define LIMB_X(name, value, text, nq, nv) text " "
static const char joint_types[] = LIMB_JOINT_LIST(LIMB_X) "continuous";
#undef LIMB_X

// Drives by value.
static const char* const drive_words[] = {"auto", "active", "passive"};
#define DRIVES "auto active passive"

// ---- numbers --------------------------------------------------------------------------------------

// What the number of a property can be.
enum {
  ANY = 0,
  NONNEGATIVE = 1,
  NONZERO = 2,
  LIMIT = 4, // may be infinite
  ANGLE = 8, // in the file's unit of angles when the joint (of a loop: the constraint) turns
  PHASE = 16 // in the file's unit of angles, always
};

typedef struct property {
  const char *section, *key; // as in  limits: {lower: -1}
  size_t at;                 // offset of its double in the struct of the table
  int rule;
} property;

static inline double get_property(const property* p, const void* from)
{
  double x;
  memcpy(&x, (const char*)from + p->at, sizeof x);
  return x;
}

static inline void set_property(const property* p, double x, void* to) { memcpy((char*)to + p->at, &x, sizeof x); }

static inline int is_possible(const property* p, double x)
{
  return !((p->rule & NONNEGATIVE) && x < 0) && !((p->rule & NONZERO) && x == 0);
}

#define AT(member) offsetof(limb_joint_def, member)

// Of a joint. Properties of a section are adjacent.
static const property joint_properties[] = {
  {"limits", "lower", AT(q_min), LIMIT | ANGLE},
  {"limits", "upper", AT(q_max), LIMIT | ANGLE},
  {"limits", "velocity", AT(v_max), LIMIT | ANGLE | NONNEGATIVE},
  {"limits", "effort", AT(effort_max), LIMIT | NONNEGATIVE},
  {"limits", "acceleration", AT(a_max), LIMIT | ANGLE | NONNEGATIVE},
  {"limits", "deceleration", AT(deceleration_max), LIMIT | ANGLE | NONNEGATIVE},
  {"limits", "jerk", AT(jerk_max), LIMIT | ANGLE | NONNEGATIVE},
  {"rotor", "inertia", AT(rotor_inertia), NONNEGATIVE},
  {"rotor", "gear", AT(gear_ratio), NONZERO},
  {"friction", "coulomb", AT(coulomb), NONNEGATIVE},
  {"friction", "viscous", AT(viscous), NONNEGATIVE},
  {"spring", "stiffness", AT(stiffness), NONNEGATIVE},
  {"spring", "rest", AT(rest), ANGLE},
  {"mimic", "multiplier", AT(multiplier), NONZERO},
  {"mimic", "offset", AT(offset), ANGLE},
};

// Sections in the order of the table. mimic also has the key joint.
#define JOINT_SECTIONS      "limits", "rotor", "friction", "spring", "mimic"
#define JOINT_SECTION_WORDS "limits rotor friction spring mimic"

// The coordinate of a joint from which loops are closed.
static const property start_property = {"joint", "start", AT(start), ANGLE};

#undef AT

// Of a shaft, besides its joint and its motor.
static const property shaft_properties[] = {
  {"shaft", "ratio", offsetof(limb_shaft_def, ratio), NONZERO},
  {"shaft", "stiffness", offsetof(limb_shaft_def, stiffness), NONNEGATIVE},
  {"shaft", "damping", offsetof(limb_shaft_def, damping), NONNEGATIVE},
  {"shaft", "rest", offsetof(limb_shaft_def, rest), ANGLE},
};

// Of a tendon, besides its joints.
static const property tendon_properties[] = {
  {"tendon", "stiffness", offsetof(limb_tendon_def, stiffness), NONNEGATIVE},
  {"tendon", "damping", offsetof(limb_tendon_def, damping), NONNEGATIVE},
  {"tendon", "rest", offsetof(limb_tendon_def, rest), ANY},
};

// Of the prescribed motion of a loop, besides its row.
static const property law_properties[] = {
  {"law", "constant", offsetof(limb_prescribed_motion, constant), ANGLE},
  {"law", "rate", offsetof(limb_prescribed_motion, rate), ANGLE},
  {"law", "amplitude", offsetof(limb_prescribed_motion, amplitude), ANGLE},
  {"law", "frequency", offsetof(limb_prescribed_motion, frequency), ANY},
  {"law", "phase", offsetof(limb_prescribed_motion, phase), PHASE},
};

enum {
  NJOINT_PROPERTY = sizeof joint_properties / sizeof joint_properties[0],
  NSHAFT_PROPERTY = sizeof shaft_properties / sizeof shaft_properties[0],
  NTENDON_PROPERTY = sizeof tendon_properties / sizeof tendon_properties[0],
  NLAW_PROPERTY = sizeof law_properties / sizeof law_properties[0]
};

// ---- loops ----------------------------------------------------------------------------------------

// Kinds by value.
#define LIMB_X(name, value, text, locked, rows) [value] = (text),
static const char* const loop_words[] = {LIMB_LOOP_LIST(LIMB_X)};
#undef LIMB_X

// The same, for readers: words by value, separated by blanks.
#define LIMB_X(name, value, text, locked, rows) text " "
static const char loop_kinds[] = LIMB_LOOP_LIST(LIMB_X);
#undef LIMB_X

// Directions: word i stands for the bit 1 << i.
static const char* const direction_words[] = {"turn_x", "turn_y", "turn_z", "move_x", "move_y", "move_z"};
#define DIRECTIONS "turn_x turn_y turn_z move_x move_y move_z"

enum {
  NLOOP_KIND = sizeof loop_words / sizeof loop_words[0],
  NDIRECTION = sizeof direction_words / sizeof direction_words[0]
};

// Single numbers of a loop; its kind decides which of them it has.
static const property loop_numbers[] = {
  {"loop", "length", offsetof(limb_loop_def, length), NONNEGATIVE | NONZERO},
  {"loop", "radius", offsetof(limb_loop_def, radius), NONNEGATIVE | NONZERO},
  {"loop", "ratio", offsetof(limb_loop_def, coefficient[1]), NONZERO},
  {"loop", "offset", offsetof(limb_loop_def, coefficient[0]), ANGLE},
};

enum { NLOOP_NUMBER = sizeof loop_numbers / sizeof loop_numbers[0] };

// What loops have besides names, ends and prescribed motions: which kinds, as bits, and whether these need it.
#define LIMB_KIND(name) (1u << LIMB_LOOP_##name)

static const struct {
  const char* name;
  unsigned kinds;
  int needed;
} loop_properties[] = {
  {"locked", LIMB_KIND(LOCK), 1},
  {"length", LIMB_KIND(DISTANCE), 1},
  {"radius", LIMB_KIND(WHEEL) | LIMB_KIND(ROLLING_DISC), 1},
  {"joint", LIMB_KIND(GEAR) | LIMB_KIND(POLYNOMIAL), 1},
  {"other", LIMB_KIND(GEAR) | LIMB_KIND(POLYNOMIAL), 1},
  {"ratio", LIMB_KIND(GEAR), 0},
  {"offset", LIMB_KIND(GEAR), 0},
  {"coefficients", LIMB_KIND(POLYNOMIAL), 1},
  {"axis2", LIMB_KIND(UNIVERSAL), 0}, // URDF only
};

#undef LIMB_KIND

enum { NLOOP_PROPERTY = sizeof loop_properties / sizeof loop_properties[0], NYAML_LOOP_PROPERTY = NLOOP_PROPERTY - 1 };

// The index of a property that exists; whether loops of a kind have it.
static inline int loop_property(const char* name)
{
  int i = 0;
  while (strcmp(loop_properties[i].name, name) != 0) i++;
  return i;
}

static inline int loop_has(int i, limb_loop_kind kind) { return (loop_properties[i].kinds & 1u << kind) != 0; }

// Between joints, not between bodies.
static inline int loop_of_joints(limb_loop_kind kind) { return kind == LIMB_LOOP_GEAR || kind == LIMB_LOOP_POLYNOMIAL; }

static inline int loop_has_radius(limb_loop_kind kind)
{
  return kind == LIMB_LOOP_WHEEL || kind == LIMB_LOOP_ROLLING_DISC;
}

// Coefficients of a polynomial up to the last that is not zero; at least one.
static inline int loop_coefficients(const limb_loop_def* def)
{
  int n = LIMB_LOOP_COEFFICIENTS;
  while (n > 1 && def->coefficient[n - 1] == 0) n--;
  return n;
}

#endif
