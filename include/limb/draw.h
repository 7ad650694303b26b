// limb: robot dynamics in C. Drawings: robots in motion, curves, maps, trees of bodies; pages for reports.
//
//     limb_animation* a = NULL;
//     if (limb_animation_create(model, NULL, &a) != LIMB_OK) return 1;
//     for (...) if (limb_animation_add(a, time, q) != LIMB_OK) return 1;           // every state
//     if (limb_animation_write(a, LIMB_PICTURE_SVG, file) != LIMB_OK) return 1;
//
// Drawings are SVG, or HTML that contains the drawing; limb_picture_write makes PNG and PDF of SVG. Files are
// self-contained: they load nothing, and any browser displays them. Memory does not grow with the number of rows or
// states; it comes from malloc. Text is UTF-8; other bytes are replaced. The caller checks the stream for errors, at
// the latest when closing it.
//
// This header belongs to the library limb_study.
#ifndef LIMB_DRAW_H
#define LIMB_DRAW_H

#include "limb/assemble.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- kinds of pictures -----------------------------------------------------------------------------

typedef enum limb_picture {
  LIMB_PICTURE_NONE = 0,
  LIMB_PICTURE_SVG = 1,
  LIMB_PICTURE_HTML = 2,
  LIMB_PICTURE_PNG = 3, ///< two pixels per unit of the drawing, on white
  LIMB_PICTURE_PDF = 4
} limb_picture;

/// The kind of picture by the suffix of a path: .svg, .html or .htm, .png, .pdf; LIMB_PICTURE_NONE for others.
LIMB_API limb_picture limb_picture_of(const char* path);

/// Whether this kind can be written here. PNG and PDF need librsvg and cairo, which are loaded on demand.
/// @return LIMB_OK; LIMB_E_UNSUPPORTED (err says what to install); LIMB_E_ARG (no such kind).
LIMB_NODISCARD LIMB_API limb_status limb_picture_check(limb_picture kind, limb_error* err);

/// Writes a drawing in SVG, of length bytes, as a picture of any kind.
/// @return LIMB_OK; as limb_picture_check; LIMB_E_ARG (NULL, not SVG, larger than 16384 pixels); LIMB_E_IO;
///         LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_picture_write(const char* svg, size_t length, limb_picture kind, FILE* out,
                                                       limb_error* err);

// ---- robots in motion ------------------------------------------------------------------------------

/// An animation: a stick figure of the robot, state by state. Links are lines or plates between their joints; bodies
/// without fixed connection to others are boxes of their inertia. Robots that move in a plane are viewed perpendicular
/// to it, others obliquely from above. There is no perspective: the scale bar is valid everywhere.
typedef struct limb_animation limb_animation;

typedef enum limb_view {
  LIMB_VIEW_AUTO = 0,  ///< LIMB_VIEW_PLANE for robots that move in a plane, otherwise LIMB_VIEW_SPACE
  LIMB_VIEW_PLANE = 1, ///< perpendicular to the plane of the robot; along y if it has none
  LIMB_VIEW_SPACE = 2
} limb_view;

/// Special values of limb_animation_options.trace.
enum { LIMB_TRACE_AUTO = -2, LIMB_TRACE_NONE = -1 };

/// Start from limb_default_animation().
typedef struct limb_animation_options {
  size_t size;          ///< sizeof(limb_animation_options), set by the default function
  const char* title;    ///< NULL: name of the model. Title and subtitle must outlive the animation
  const char* subtitle; ///< NULL: none
  int width, height;    ///< [px]; default 960 x 600
  double rate;          ///< largest number of frames per second of playback; default 30
  double speed;         ///< simulated seconds per second; default 0: real time, or a duration of 3 to 30 s
  int frames;           ///< largest number of frames; default 0: as many as a file of 4 MB holds
  int trace;            ///< frame whose path is drawn; default LIMB_TRACE_AUTO: the tool, or a moving base
  limb_view view;       ///< default LIMB_VIEW_AUTO
  int still;            ///< 1: SVG shows the first state and the whole trace, without title and time; default 0
} limb_animation_options;

LIMB_API limb_animation_options limb_default_animation(void);

/// Creates an animation. The model must outlive it.
/// @param options  NULL: the defaults
/// @param out      NULL on failure (output)
/// @return LIMB_OK; LIMB_E_ARG (no such frame, negative sizes); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_animation_create(const limb_model* m, const limb_animation_options* options,
                                                          limb_animation** out);

/// Adds a state. Times must not decrease; a state at the time of the previous one replaces it. Frames are thinned out
/// evenly if there are too many. On failure the state is not added, and the animation remains usable.
/// @return LIMB_OK; LIMB_E_ARG (time, norm of a quaternion); LIMB_E_NONFINITE (time, q, or a point more than 1e15 m
///         away).
LIMB_NODISCARD LIMB_API limb_status limb_animation_add(limb_animation* a, double time, const double* q);

/// Number of states kept; 0: there is nothing to draw.
LIMB_API int limb_animation_count(const limb_animation* a);

/// Writes a file of at most 5 MB, which plays automatically. kind: LIMB_PICTURE_SVG; limb/view.h writes pages.
/// @return LIMB_OK; LIMB_E_ARG (no state, another kind); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_animation_write(const limb_animation* a, limb_picture kind, FILE* out);

LIMB_API void limb_animation_destroy(limb_animation* a); ///< NULL is accepted

// ---- curves ----------------------------------------------------------------------------------------

/// Curves over time: one panel per series or group of series, limits as dashed horizontal lines, events as vertical
/// lines. Values that are not finite are gaps. Peaks are preserved for any number of rows.
typedef struct limb_plot limb_plot;

enum { LIMB_PLOT_MAX = 60 }; ///< series of a plot

typedef struct limb_plot_series {
  const char *name, *unit;
  double limit;      ///< of the magnitude; HUGE_VAL: none. Not drawn in panels with several series
  const char* panel; ///< series with the same panel and unit share a panel with this title; NULL: a panel of its own
  double rms;        ///< a dotted line at this magnitude; 0: none. Not drawn in panels with several series
  double zero;       ///< magnitudes up to this are rounding, drawn as zero
} limb_plot_series;

typedef struct limb_plot_event {
  double x;
  const char* label;
} limb_plot_event;

typedef struct limb_plot_labels {
  const char *title, *subtitle, *x_label; ///< a title "" takes no space
  const limb_plot_event* event;           ///< in increasing order of x
  int events;
  int decades;            ///< 1: x and all values are logarithms to base 10, labelled as powers of ten
  int width;              ///< [px], one column below 700; default 0: 960
  const limb_plot* other; ///< the same series of another motion, drawn behind; NULL: none
  const char* name[2];    ///< with other: of both motions
} limb_plot_labels;

/// @param series  1 ... LIMB_PLOT_MAX
/// @return LIMB_OK; LIMB_E_ARG (NULL, number of series); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_plot_create(int series, limb_plot** out);

/// Adds a row: x, which must not decrease, and one value per series. Here and below a NULL plot is ignored.
LIMB_API void limb_plot_add(limb_plot* p, double x, const double* y);

LIMB_API void limb_plot_write(const limb_plot* p, const limb_plot_series* series, const limb_plot_labels* labels,
                              FILE* out); ///< SVG

LIMB_API void limb_plot_destroy(limb_plot* p); ///< NULL is accepted

// ---- torque over speed -----------------------------------------------------------------------------

/// Torque over speed, magnitudes of both, of a motion: driving and braking in two colours, with what the motor can
/// deliver (limb_gearmotor_torque in limb/study.h) for a short time and all the time.
typedef struct limb_envelope limb_envelope;

/// Zero: not known, and not drawn.
typedef struct limb_envelope_labels {
  const char *x_label, *y_label; ///< "speed [rpm]", "torque [N m]"
  limb_gearmotor motor;          ///< its torques and speeds; what else it has is not used
  double speed_unit;             ///< the motor's speeds times this are those of the diagram; 0: 1
  double rms, mean_speed;        ///< a point of the whole motion, in units of the diagram
  double zero;                   ///< torques up to this are rounding, drawn as zero
} limb_envelope_labels;

/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_envelope_create(limb_envelope** out);
LIMB_API void limb_envelope_add(limb_envelope* e, double speed, double torque); ///< with signs; others are ignored
LIMB_API void limb_envelope_write(const limb_envelope* e, const limb_envelope_labels* labels, FILE* out); ///< SVG
LIMB_API void limb_envelope_destroy(limb_envelope* e); ///< NULL is accepted

// ---- maps ------------------------------------------------------------------------------------------

/// A map computed by limb_map_over (limb/assemble.h), with title and names.
typedef struct limb_map_drawing {
  const char* title;
  const limb_map* map;
  const limb_map_point* point; ///< as set by limb_map_over
  const char* name[2];         ///< of the coordinates; the second is ignored for a line
} limb_map_drawing;

/// Writes SVG: cells of the grid, darker for a worse condition; singular points in red; points at which the loops do
/// not close are empty. With a frame also the positions of its origin.
LIMB_API void limb_map_write(const limb_map_drawing* drawing, FILE* out);

// ---- pages -----------------------------------------------------------------------------------------
//
//     limb_page_begin(file, "panda", "along pick_and_place.csv");
//     limb_page_heading(file, 2, "Torques");
//     limb_page_table_write(file, &table);
//     limb_page_end(file, NULL);
//
// Reports in HTML: they load nothing, run no script, and print on A4 without cutting tables' rows and pictures. Calls
// write to the stream in their order. Text is escaped. NULL for the stream or a text is ignored.

typedef enum limb_page_style {
  LIMB_PAGE_PLAIN = 0,
  LIMB_PAGE_NOTE = 1, ///< small
  LIMB_PAGE_GOOD = 2, ///< a verdict: green
  LIMB_PAGE_BAD = 3   ///< a verdict: red
} limb_page_style;

/// Marks of cells.
enum { LIMB_PAGE_OVER = 1, /* red */ LIMB_PAGE_FAIR = 2 /* grey */ };

typedef struct limb_page_table {
  int columns, rows;
  const char* const* heading; ///< one per column; NULL: none
  const unsigned char* left;  ///< one per column: 1 left-aligned; NULL: all are right-aligned
  const char* const* cell;    ///< row by row
  const unsigned char* mark;  ///< row by row; NULL: none
} limb_page_table;

LIMB_API void limb_page_begin(FILE* out, const char* title, const char* subtitle);
LIMB_API void limb_page_end(FILE* out, const char* footer);
LIMB_API void limb_page_heading(FILE* out, int level, const char* text); ///< level 2, 3 or 4
LIMB_API void limb_page_text(FILE* out, limb_page_style style, const char* text);
LIMB_API void limb_page_table_write(FILE* out, const limb_page_table* t);

/// Numbers in large print: count pairs of a label and a value.
LIMB_API void limb_page_tiles(FILE* out, int count, const char* const* text);

/// A drawing in SVG, of length bytes, as wide as the place; words describe it to those who do not see it.
LIMB_API void limb_page_picture(FILE* out, const char* svg, size_t length, const char* words);

/// Opens a place that is not cut by the end of a page; left > 0: two places side by side, the first left times as wide
/// as the second, which limb_page_next begins. Close it with the same number.
LIMB_API void limb_page_open(FILE* out, double left);
LIMB_API void limb_page_next(FILE* out);
LIMB_API void limb_page_close(FILE* out, double left);

// ---- trees -----------------------------------------------------------------------------------------

/// The bodies of a robot, each with its mass and its joint.
typedef struct limb_tree_drawing {
  const limb_model* model;
  int auxiliary;                    ///< 1: the bodies that readers add are drawn as well (limb_stands_for)
  const char *joint_on, *joint_off; ///< written around joints, to switch a colour on and off; "": nothing
} limb_tree_drawing;

/// Writes text with box characters. A chain is one column; where a robot branches, every body is indented below the one
/// that carries it.
/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_tree_write(const limb_tree_drawing* drawing, FILE* out);

#ifdef __cplusplus
}
#endif

#endif
