// What is known while a figure is made, and its parts: joints, loops, bodies, the world.
#ifndef LIMB_CLI_FIGURE_PARTS_H
#define LIMB_CLI_FIGURE_PARTS_H

#include "figure.h"

// Bodies fixed to each other are a group, named after the body whose joint moves it; 0: the world.
typedef struct figure_group {
  int depth;          // joints up to the world
  int own;            // the first place that holds it: its joint; -1: none, a moving base
  int head;           // list of places that hold it; -1: empty
  int held;           // how often it is held; once: it is the end of a chain
  int drawn;          // a disc or blade shows it already
  int slides;         // a slide begins or ends here
  double far;         // distance of its tool frame so far
  int tool;           // point of that; -1: none
  int named;          // it is a frame, not a body
  sp_inertia inertia; // of all its bodies, in the frame of the body it is named after
  limb_joint_type type;
} figure_group;

typedef struct figure_maker {
  cli_figure* f;
  const limb_model* m;
  int bodies, deepest;
  figure_group* group;     // one per body; those of fixed bodies are not used
  int* of;                 // body -> group
  int* origin;             // point at the origin of a body; -1: none yet
  sp_pose* pose;           // of bodies in the world
  unsigned char* is_motor; // of joints: drives another by a shaft
  int *place, *next;       // lists of places: points, and where the list goes on
  int places, place_room, next_room;
  int failed;
} figure_maker;

// Room for more entries of an array; 0 when memory runs out.
int figure_grow(void** array, int* room, int needed, size_t each);

// A point of the figure in the world, at the start configuration.
sp_vec3 figure_world(const figure_maker* k, int point);

int figure_add_point(figure_maker* k, int body, sp_vec3 at); // -1 when memory runs out
void figure_add_shape(figure_maker* k, figure_kind kind, int in_group, int count, const int* points);
int figure_origin(figure_maker* k, int body); // point at its origin

// A place that holds a group, unless it has one there already.
void figure_attach(figure_maker* k, int to, int point);

int figure_moves_a_base(limb_joint_type type); // nothing holds what it moves

void figure_add_joint(figure_maker* k, int joint);
void figure_add_loop(figure_maker* k, int loop);
void figure_add_group(figure_maker* k, int in_group);
void figure_add_world(figure_maker* k);

#endif
