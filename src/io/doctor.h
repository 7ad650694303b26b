// The doctor at work: the robot as the rules look at it. limb_check prepares it, and runs the groups of
// rules one after the other.
#ifndef LIMB_DOCTOR_H
#define LIMB_DOCTOR_H

#include "base/number.h"
#include "io/inertia_tag.h"
#include "io/reading.h"

// Bodies that fixed joints weld together are one group; its head is the body that a moving joint
// carries, or the world.
typedef struct doctor_body {
  limb_body_def def;
  const inertia_tag* tag; // of a URDF; NULL: none
  int joint;              // that carries it; -1: the world, or a body that hangs on nothing
  int head;               // of its group
  sp_pose in_head;        // its pose in the head's frame
  sp_pose in_world;       // at q = 0
  int placeholder;        // said to be one
  // Of heads only:
  sp_inertia group; // inertia of all bodies of the group, in the head's frame
  double span;      // largest distance from the head's origin to a joint or body of the group
  double size;      // the largest span of this group and those that it is jointed to
  double behind;    // mass of the group and of all that it carries
  int turns;        // whether it ever rotates
  int carries;      // whether joints move something against it
  int bears;        // whether it, or what it carries, has rotational inertia
} doctor_body;

typedef struct doctor {
  limb_reading* r;
  limb_findings* f;
  const char* body_word; // what this language calls a body: "link"
  limb_store pool;
  doctor_body* body;
  limb_joint_def* joint;
  int* order; // bodies from the world outward
  int nbody, njoint, norder;
  double extent; // of the robot at q = 0: diagonal of the box around its joints [m]
  double mass;   // of all that moves [kg]
  int beyond;    // figures that are not credible: others cannot be compared with them
} doctor;

// The groups of rules.
void limb_doctor_beyond(doctor* d);        // what no robot can have; first of all
void limb_doctor_inertia(doctor* d);       // what no body can have
limb_status limb_doctor_copies(doctor* d); // figures that stand on body after body
void limb_doctor_sizes(doctor* d);         // what hardly a body of this robot has; after the copies
limb_status limb_doctor_joints(doctor* d);
limb_status limb_doctor_loops(doctor* d);
limb_status limb_doctor_names(doctor* d);

// How far an inertia with mass is from what a body can have, relative to the largest moment: negative is
// how far the least moment is below zero, excess how far the largest is above the sum of the others.
// Both are 0 for what is good to 1e-9, which is rounding.
typedef struct inertia_fault {
  double moment[3]; // ascending
  double negative, excess;
} inertia_fault;

inertia_fault limb_inertia_judge(const sp_inertia* Y);

// The likely cause, found by trying, as a hint to the last finding.
void limb_doctor_cause(doctor* d, int body);
void limb_doctor_unit_cause(doctor* d, int body);

// The six numbers as the file has them: of the tag, or of the body.
void limb_doctor_written(const doctor* d, int body, double value[6]);

// Largest radius of gyration.
double limb_gyration(const sp_inertia* Y);

// Density of a ball of the mass and the largest extension of an inertia [kg/m^3]; a body of these
// figures is at least as dense. And that of osmium, the densest of solids.
double limb_least_density(const sp_inertia* Y);
#define LIMB_DENSEST 22590.0

// Where findings point to.
limb_mark limb_doctor_body_mark(const doctor* d, int body);
limb_mark limb_doctor_joint_mark(const doctor* d, int joint);
limb_subject limb_doctor_body(const doctor* d, int body);
limb_subject limb_doctor_joint(const doctor* d, int joint);

// 1 when the body's group is welded to the world: nothing depends on its mass. 1 when it never turns:
// nothing depends on its rotational inertia.
int limb_doctor_grounded(const doctor* d, int body);
int limb_doctor_slides(const doctor* d, int body);

// A figure in a message: all digits; three of them.
typedef struct doctor_figure {
  char text[LIMB_NUMBER_SPACE];
} doctor_figure;

doctor_figure limb_show(double x);
doctor_figure limb_show_short(double x);

#endif
