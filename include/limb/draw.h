// limb: robot dynamics in C. Drawings: curves, robots in motion, maps. It belongs to the library limb_study.
//
//     limb_animation* a = NULL;
//     status = limb_animation_create(model, NULL, &a);             // then, for every state:
//     status = limb_animation_add(a, time, q);                     // and at the end:
//     status = limb_animation_write(a, LIMB_PICTURE_HTML, file);
//
// Drawings are SVG, or HTML with the drawing in it. A file stands alone: it loads nothing, and any browser shows
// it. Memory does not grow with the number of rows or states. Text is UTF-8; other bytes are replaced. Errors of
// the stream show when it is closed. Memory comes from malloc.
#ifndef LIMB_DRAW_H
#define LIMB_DRAW_H

#include "limb/assemble.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- robots in motion ------------------------------------------------------------------------------

/// An animation: a stick figure of the robot, state by state. Links are lines or plates between their joints;
/// bodies that nothing holds are boxes of their inertia. Robots that move in a plane are seen at right angles
/// to it, others from above at an angle, both without perspective: the scale bar holds everywhere.
typedef struct limb_animation limb_animation;

typedef enum limb_picture {
  LIMB_PICTURE_NONE = 0,
  LIMB_PICTURE_SVG = 1, ///< moves by itself
  LIMB_PICTURE_HTML = 2 ///< with a slider, speeds, and a view that turns
} limb_picture;

/// The kind of picture that a file name ends in: .svg, .html or .htm; LIMB_PICTURE_NONE for others.
LIMB_API limb_picture limb_picture_of(const char* path);

typedef enum limb_view {
  LIMB_VIEW_AUTO = 0,  ///< a plane for robots that move in one
  LIMB_VIEW_PLANE = 1, ///< for all: seen along y unless the robot has a plane
  LIMB_VIEW_SPACE = 2
} limb_view;

/// Instead of a frame whose path is drawn.
enum { LIMB_TRACE_AUTO = -2, LIMB_TRACE_NONE = -1 };

/// Start from limb_default_animation().
typedef struct limb_animation_options {
  size_t size;          ///< sizeof(limb_animation_options), set by the default function
  const char* title;    ///< NULL: name of the model. Must outlive the animation, as must
  const char* subtitle; ///< this; NULL: none
  int width, height;    ///< [px]; default 960 x 600
  double rate;          ///< frames per second of playing, at most; default 30
  double speed;         ///< simulated seconds per second; default 0: real time, or what takes 3 to 30 s to watch
  int frames;           ///< at most; default 0: as many as a file of 4 MB holds
  int trace;            ///< frame whose path is drawn; default LIMB_TRACE_AUTO: the tool, or a base that moves
  limb_view view;       ///< default LIMB_VIEW_AUTO
} limb_animation_options;

LIMB_API limb_animation_options limb_default_animation(void);

/// @param options  NULL: the defaults
/// @param out      NULL on failure (output). The model must outlive it
/// @return LIMB_OK, LIMB_E_NOMEM, LIMB_E_ARG (no such frame, negative sizes).
LIMB_NODISCARD LIMB_API limb_status limb_animation_create(const limb_model* m, const limb_animation_options* options,
                                                          limb_animation** out);

/// Adds a state. Times must not decrease; a state at the time of the one before replaces it. Frames are thinned
/// out evenly as more arrive.
/// @return LIMB_OK; LIMB_E_ARG (time, norm of a quaternion); LIMB_E_NONFINITE (time, q, or a point farther away
///         than 1e15 m). A state that is refused is left out; the animation stays usable.
LIMB_NODISCARD LIMB_API limb_status limb_animation_add(limb_animation* a, double time, const double* q);

/// Number of states kept so far; 0: nothing to draw.
LIMB_API int limb_animation_count(const limb_animation* a);

/// Writes a file of at most 5 MB.
/// @return LIMB_OK; LIMB_E_ARG (no state yet, LIMB_PICTURE_NONE), LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_animation_write(const limb_animation* a, limb_picture kind, FILE* out);

LIMB_API void limb_animation_destroy(limb_animation* a); ///< NULL is fine

// ---- curves ----------------------------------------------------------------------------------------

/// Curves over time as small multiples: a panel per series or per group of series, limits as dashed lines,
/// events as upright ones. Values that are not finite are gaps. No peak is lost, however many rows there are.
typedef struct limb_plot limb_plot;

enum { LIMB_PLOT_MAX = 60 }; ///< series of a plot

typedef struct limb_plot_series {
  const char *name, *unit;
  double limit;      ///< of the magnitude; HUGE_VAL: none. Not shown in panels of several series
  const char* panel; ///< series with the same name here and the same unit share a panel of that name; NULL: own panel
} limb_plot_series;

typedef struct limb_plot_event {
  double x;
  const char* label;
} limb_plot_event;

typedef struct limb_plot_labels {
  const char *title, *subtitle, *x_label;
  const limb_plot_event* event; ///< in the order of x
  int events;
  int decades; ///< 1: x and all values are logarithms to the base of ten, labelled as powers of it
} limb_plot_labels;

/// @param series  1 ... LIMB_PLOT_MAX
/// @return LIMB_OK, LIMB_E_ARG, LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_plot_create(int series, limb_plot** out);

/// Adds a row: x, which must not decrease, and a value per series. NULL is ignored, here and below.
LIMB_API void limb_plot_add(limb_plot* p, double x, const double* y);

LIMB_API void limb_plot_write(const limb_plot* p, const limb_plot_series* series, const limb_plot_labels* labels,
                              FILE* out); ///< SVG

LIMB_API void limb_plot_destroy(limb_plot* p); ///< NULL is fine

// ---- maps ------------------------------------------------------------------------------------------

/// A map that limb_map_over (limb/assemble.h) computed, with what it does not know: names.
typedef struct limb_map_drawing {
  const char* title;
  const limb_map* map;
  const limb_map_point* point; ///< as limb_map_over filled it
  const char* name[2];         ///< of the coordinates; the second is not read for a line
} limb_map_drawing;

/// SVG: cells of the grid, darker where the condition is worse; singular points in red; points where the loops do
/// not close are left empty. With a frame, also the positions of its origin.
LIMB_API void limb_map_write(const limb_map_drawing* drawing, FILE* out);

#ifdef __cplusplus
}
#endif

#endif
