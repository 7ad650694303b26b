// A stick figure of a robot: points fixed in its bodies, and shapes between them.
//
// A body is drawn between its attachments: its joint, the joints of its children, the closures of loops. Two
// attachments are a line, three or more in a plane are a plate. The last body of a chain reaches to its tool frame,
// else to twice its centre of mass. Bodies without attachments are boxes of their inertia. Bodies fixed to each other
// are one; a trunk fixed to the world is drawn like a moving one. Shapes are found at the start configuration.
#ifndef LIMB_DRAW_FIGURE_H
#define LIMB_DRAW_FIGURE_H

#include "limb/draw.h"
#include "limb/kinematics.h"

#include <stdio.h>

// ---- SVG ----------------------------------------------------------------------------------------------------

// A few shapes of SVG. Coordinates are pixels, y down. Text is escaped; what is not UTF-8 is replaced.

// Styles, line by line, closed by NULL.
extern const char* const plot_css[];
extern const char* const map_css[];
extern const char* const report_css[];
extern const char* const animation_svg_css[];
void svg_lines(FILE* out, const char* const* lines);

void svg_begin(FILE* out, double width, double height, const char* title, const char* const* style);
void svg_end(FILE* out);

// Shapes of a class of the style.
void svg_rect(FILE* out, const char* class, double x, double y, double width, double height);
void svg_line(FILE* out, const char* class, double x1, double y1, double x2, double y2);
void svg_circle(FILE* out, const char* class, double x, double y, double radius);

// Text with & < > " escaped, for XML and HTML and their attributes; longer than max characters, it ends in an ellipsis.
void svg_escape(FILE* out, const char* text, int max);

// The same as an element that begins, is centred or ends at x.
typedef enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END } svg_anchor;
void svg_text(FILE* out, const char* class, svg_anchor anchor, double x, double y, int max, const char* text);

// A path, point by point; close 1: back to the first point.
void svg_path_begin(FILE* out, const char* class);
void svg_path_to(FILE* out, int first, double x, double y);
void svg_path_end(FILE* out, int close);

// X(ENUM, points, "name"): shapes, in the order in which they are painted. Points 0: as many as it has.
#define FIGURE_LIST(X)                                                         \
  X(FRAME, 2, "frame")       /* between points of the world */                 \
  X(GUIDE, 3, "guide")       /* from, to, what slides along it on the world */ \
  X(PEDESTAL, 2, "pedestal") /* from the floor up to a joint */                \
  X(GROUND, 1, "ground")     /* fixed to the world here */                     \
  X(BOX, 4, "box")           /* centre, and centres of three faces */          \
  X(DISC, 3, "disc")         /* centre, and two points of the rim */           \
  X(PLATE, 0, "plate")       /* a polygon */                                   \
  X(LINK, 2, "link")                                                           \
  X(ROD, 2, "rod")     /* what a slide pulls out */                            \
  X(TIE, 2, "tie")     /* a distance that is held */                           \
  X(BLADE, 2, "blade") /* of a knife edge */                                   \
  X(BLOCK, 2, "block") /* a slide */                                           \
  X(PIN, 1, "pin")     /* a joint that turns, without motor */                 \
  X(MOTOR, 1, "motor") /* with one */                                          \
  X(CLOSURE, 1, "closure")                                                     \
  X(TIP, 1, "tip")

typedef enum figure_kind {
#define FIGURE_X(name, points, text) FIGURE_##name,
  FIGURE_LIST(FIGURE_X)
#undef FIGURE_X
    FIGURE_KINDS
} figure_kind;

enum {
  FIGURE_TONES = 6,   // colours along a chain
  FIGURE_CORNERS = 24 // max. of a plate; bodies with more attachments are stars
};

typedef struct figure_point {
  int body;
  sp_vec3 at; // in the body
} figure_point;

typedef struct figure_shape {
  figure_kind kind;
  int tone;         // 0 ... FIGURE_TONES - 1, from the root to the farthest body
  int first, count; // of the indices of points
} figure_shape;

typedef struct draw_figure {
  int points, shapes, indices; // in use
  int point_capacity, shape_capacity, index_capacity;
  figure_point* point;
  figure_shape* shape;
  int* index;
  int trace;      // point whose path is drawn; -1: none
  sp_vec3 up;     // axis of the world opposite to gravity; z without gravity
  int has_floor;  // there is gravity
  int planar;     // everything moves parallel to a plane:
  sp_vec3 normal; // its normal, towards the viewer
  double size;    // largest extent at the start configuration [m]
} draw_figure;

// trace: a frame, or one of LIMB_TRACE_. data is a workspace of the model.
// LIMB_OK; LIMB_E_ARG (no such frame), LIMB_E_NOMEM, what limb_kinematics returns. Free it in any case.
// Cost O(bodies + joints + frames + loops), and the square of the attachments of one body.
LIMB_NODISCARD limb_status draw_figure_make(draw_figure* f, const limb_model* m, limb_data* data, int trace);
void draw_figure_free(draw_figure* f);

// Adds a point or a shape with its points; -1: out of memory.
int figure_put_point(draw_figure* f, int body, sp_vec3 at);
int figure_put_shape(draw_figure* f, figure_kind kind, int tone, int count, const int* points);

// Finds planar, normal, up and has_floor; poses are those of the bodies in the world at any configuration.
void figure_find_view(draw_figure* f, const limb_model* m, const sp_pose* poses);

// Half edges of the solid box that has this inertia, as columns in body axes: principal axes times half
// lengths. 1, or 0: no mass, or a body without extent.
int figure_inertia_box(const sp_inertia* inertia, sp_vec3 half[3]);

// ---- while a figure is made ------------------------------------------------------------------------

// Bodies fixed to each other are a group, named after the body whose joint moves it, or after a trunk; 0: the world.
typedef struct figure_group {
  int depth;          // joints up to the world
  int own;            // its first attachment: its joint; -1: none, a moving base
  int head;           // list of its attachments; -1: empty
  int held;           // number of attachments, with repetitions; 1: it is the end of a chain
  int drawn;          // a disc or blade shows it already
  int slides;         // a slide begins or ends here
  int carries;        // joints on it, of what is fixed to the world
  double far;         // distance of its tool frame so far
  int tool;           // point of that; -1: none
  int named;          // it is a frame, not a body
  sp_inertia inertia; // of all its bodies, in the frame of the body it is named after
  limb_joint_type type;
} figure_group;

typedef struct figure_maker {
  draw_figure* f;
  const limb_model* m;
  int bodies, deepest;
  figure_group* group;     // one per body; those of fixed bodies are not used
  int* of;                 // body -> group
  int* trunk;              // body -> trunk; 0: none
  int* origin;             // point at the origin of a body; -1: none yet
  sp_pose* pose;           // of bodies in the world
  unsigned char* is_motor; // of joints: drives another by a shaft
  int *attachment, *next;  // lists of attachments: points, and the next entry
  int attachments, attachment_capacity, next_capacity;
  int failed;
} figure_maker;

// Grows an array; 0: out of memory.
int figure_grow(void** array, int* capacity, int needed, size_t each);

// A point of the figure in the world, at the start configuration.
sp_vec3 figure_world(const figure_maker* k, int point);

int figure_add_point(figure_maker* k, int body, sp_vec3 at); // -1: out of memory
void figure_add_shape(figure_maker* k, figure_kind kind, int in_group, int count, const int* points);
int figure_origin(figure_maker* k, int body); // point at its origin

// Adds an attachment to a group, unless it has one at this point.
void figure_attach(figure_maker* k, int to, int point);

int figure_moves_a_base(limb_joint_type type); // its child has no attachment

void figure_add_joint(figure_maker* k, int joint);
void figure_add_loop(figure_maker* k, int loop);
void figure_add_group(figure_maker* k, int in_group);
void figure_add_world(figure_maker* k);

#endif
