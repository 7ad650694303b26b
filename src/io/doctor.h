// The doctor: the robot as its rules need it. limb_check prepares it, and runs the groups of rules one after the other.
#ifndef LIMB_IO_DOCTOR_H
#define LIMB_IO_DOCTOR_H

#include "base/number.h"
#include "io/reading.h"

// Bodies that fixed joints weld together are a group; its head is the body that a moving joint carries, or the world.
typedef struct doctor_body {
  limb_body_def def;
  const inertia_tag* tag; // of a URDF; NULL: none
  int joint;              // that carries it; -1: the world, or a body without a joint
  int head;               // of its group
  sp_pose in_head;        // its pose in the head's frame
  sp_pose in_world;       // at q = 0
  int placeholder;        // reported as one
  // Of heads only:
  sp_inertia group; // inertia of all bodies of the group, in the head's frame
  double span;      // largest distance from the head's origin to a joint or body of the group
  double size;      // the largest span of this group and its neighbours
  double behind;    // mass of the group and of everything that it carries
  int turns;        // whether it ever rotates
  int carries;      // whether joints move something relative to it
  int rotational;   // whether it, or what it carries, has rotational inertia
} doctor_body;

typedef struct doctor {
  limb_reading* r;
  limb_findings* f;
  const char* body_word; // what this language calls a body: "link"
  memory_pool pool;
  doctor_body* body;
  limb_joint_def* joint;
  int* order;             // bodies from the world outward
  unsigned char* in_loop; // per joint: 1 when a loop constrains its motion relative to the rest
  int nbody, njoint, norder;
  double extent;    // of the robot at q = 0: diagonal of the box around its joints [m]
  double mass;      // of everything that moves [kg]
  int not_credible; // number of values that are not credible: others cannot be compared with them
} doctor;

// The groups of rules.
void limb_doctor_not_credible(doctor* d);  // what no robot can have; first
void limb_doctor_inertia(doctor* d);       // what no body can have
limb_status limb_doctor_copies(doctor* d); // the same numbers on several bodies
void limb_doctor_sizes(doctor* d);         // what is unlikely for a body of this robot; after the copies
limb_status limb_doctor_joints(doctor* d); // after limb_doctor_loops
limb_status limb_doctor_loops(doctor* d);

// How far an inertia is from what a body can have, relative to the largest moment: negative is how far the smallest
// moment is below zero, excess how far the largest is above the sum of the others. Both are 0 within a tolerance.
typedef struct inertia_fault {
  double moment[3]; // ascending
  double negative, excess;
} inertia_fault;

inertia_fault limb_inertia_judge(const sp_inertia* Y, double tolerance);
#define LIMB_INERTIA_ROUNDING 1e-9

// The likely cause, found by trial, as a hint of the last finding.
void limb_doctor_cause(doctor* d, int body);
void limb_doctor_unit_cause(doctor* d, int body);

// The six numbers as in the file: of the tag, or of the body.
void limb_doctor_written(const doctor* d, int body, double value[6]);

// Largest radius of gyration.
double limb_gyration(const sp_inertia* Y);

// Density of a ball with the mass and the largest extension of an inertia [kg/m^3], below which no body with this
// inertia can be. And that of osmium, the densest solid.
double limb_min_density(const sp_inertia* Y);
#define LIMB_MAX_DENSITY 22590.0

// Reports a finding about a body or a joint.
LIMB_PRINTF(4, 5) void limb_doctor_body_report(const doctor* d, limb_rule rule, int body, const char* format, ...);
LIMB_PRINTF(4, 5) void limb_doctor_joint_report(const doctor* d, limb_rule rule, int joint, const char* format, ...);

// The position of a loop in the file.
file_pos limb_doctor_loop_pos(const limb_reading* r, int loop);

// 1 when the body's group is welded to the world: nothing depends on its mass. 1 when it never turns: nothing depends
// on its rotational inertia.
int limb_doctor_grounded(const doctor* d, int body);
int limb_doctor_slides(const doctor* d, int body);

// ---- <inertia> tags of a URDF (repair.c) ----------------------------------------------------------

// Where the six numbers are, in the order ixx ixy ixz iyy iyz izz.
typedef struct tag_slots {
  size_t at[6], length[6]; // bytes from the "<" of the tag; length 0: the attribute is not there
} tag_slots;

extern const char* const limb_tag_names[6];

// The slots of a tag in its text, which is ASCII or a superset of ASCII.
tag_slots limb_tag_scan(const char* text, const inertia_tag* tag);

// The numbers that a tag must have for its body to have this inertia.
void limb_tag_from_body(const inertia_tag* tag, const sp_inertia* Y, double value[6]);

// Sets tag[body] for each of the nbody bodies of a builder; NULL where it has none.
void limb_tags_by_body(const limb_reading* r, int nbody, const inertia_tag** tag);

#endif
