// A stick figure of a robot: points fixed in its bodies, and shapes between them.
//
// What stands for a body is drawn between the places where others hold it: its joint, the joints of its
// children, the closures of loops. Two places are a line, three or more in a plane are a plate. The last body
// of a chain reaches to its tool frame, else to twice its centre of mass. Bodies that nothing holds are boxes
// of their inertia. Bodies fixed to each other are one. The shape is found at the start configuration.
#ifndef LIMB_CLI_FIGURE_H
#define LIMB_CLI_FIGURE_H

#include "limb/limb.h"

// X(ENUM, points, "name"): shapes, in the order in which they are painted. Points 0: as many as it has.
#define FIGURE_LIST(X)                                                        \
  X(FRAME, 2, "frame")       /* between places on the world */                \
  X(GUIDE, 3, "guide")       /* from, to, who slides along it on the world */ \
  X(PEDESTAL, 2, "pedestal") /* from the floor up to a joint */               \
  X(GROUND, 1, "ground")     /* held by the world here */                     \
  X(BOX, 4, "box")           /* centre, and centres of three faces */         \
  X(DISC, 3, "disc")         /* centre, and two points of the rim */          \
  X(PLATE, 0, "plate")       /* a polygon */                                  \
  X(LINK, 2, "link")                                                          \
  X(ROD, 2, "rod")     /* what a slide pulls out */                           \
  X(TIE, 2, "tie")     /* a distance that is held */                          \
  X(BLADE, 2, "blade") /* of a knife edge */                                  \
  X(BLOCK, 2, "block") /* a slide */                                          \
  X(PIN, 1, "pin")     /* a joint that turns, without motor */                \
  X(MOTOR, 1, "motor") /* with one */                                         \
  X(CLOSURE, 1, "closure")                                                    \
  X(TIP, 1, "tip")

typedef enum figure_kind {
#define FIGURE_X(name, points, text) FIGURE_##name,
  FIGURE_LIST(FIGURE_X)
#undef FIGURE_X
    FIGURE_KINDS
} figure_kind;

enum {
  FIGURE_TONES = 6,   // colours along a chain
  FIGURE_CORNERS = 24 // of a plate, at most; bodies held in more places are stars
};

enum { FIGURE_TRACE_AUTO = -2, FIGURE_TRACE_NONE = -1 }; // instead of a frame

typedef struct figure_point {
  int body;
  sp_vec3 at; // in the body
} figure_point;

typedef struct figure_shape {
  figure_kind kind;
  int tone;         // 0 ... FIGURE_TONES - 1, from the root to the farthest body
  int first, count; // of the indices of points
} figure_shape;

typedef struct cli_figure {
  int points, shapes, indices; // in use
  int point_room, shape_room, index_room;
  figure_point* point;
  figure_shape* shape;
  int* index;
  int trace;      // point whose path is drawn; -1: none
  sp_vec3 up;     // axis of the world that gravity points away from; z when there is none
  int has_floor;  // there is gravity
  int planar;     // everything moves parallel to a plane:
  sp_vec3 normal; // its normal, towards who looks at it
  double size;    // largest extent at the start configuration [m]
} cli_figure;

// trace: a frame, or one of FIGURE_TRACE_. data is a workspace of the model.
// LIMB_OK; LIMB_E_ARG (no such frame), LIMB_E_NOMEM, what limb_kinematics says. Free it in any case.
// Cost O(bodies + joints + frames + loops), and the square of how often one body is held.
LIMB_NODISCARD limb_status cli_figure_make(cli_figure* f, const limb_model* m, limb_data* data, int trace);
void cli_figure_free(cli_figure* f);

// Adds a point or a shape with its points; -1 when memory runs out.
int cli_figure_point(cli_figure* f, int body, sp_vec3 at);
int cli_figure_shape(cli_figure* f, figure_kind kind, int tone, int count, const int* points);

// Finds planar, normal, up and has_floor; poses are those of the bodies in the world at any configuration.
void cli_figure_look(cli_figure* f, const limb_model* m, const sp_pose* poses);

// Half edges of the solid box that has this inertia, as columns in body axes: principal axes times half
// lengths. 1, or 0 when there is none: no mass, or a body without extent.
int cli_inertia_box(const sp_inertia* inertia, sp_vec3 half[3]);

#endif
