// Inside of a page of the view: meshes, motion, text of its data.
#ifndef LIMB_DRAW_VIEW_PAGE_H
#define LIMB_DRAW_VIEW_PAGE_H

#include "limb/edit.h"
#include "limb/view.h"

#include "draw/view_mesh.h"

// A mesh file of the robot.
typedef struct view_file {
  char *path, *name; // where it is, and as the model names it
  view_mesh mesh;    // as read; empty once it is packed for good
  int triangles;     // of the file
  int shown;         // triangles in the page; 0: it is left out
  view_packed packed;
} view_file;

typedef struct view_shape {
  limb_shape_def def; // its texts are not used
  char* body;         // name
  int file;           // of a mesh; -1: another shape, or a mesh that could not be read
} view_shape;

// Rows of a motion: `stride` of those that were added are one row here.
typedef struct view_track {
  int nq, nv, nforce, announced;
  int has_v, has_a, has_tau;
  size_t width, rows, capacity, max_rows; // numbers of a row; rows in data, and how many there can be
  size_t stride, skipped;
  double* data; // rows x width: time q v a tau forces
  double* last; // the newest row, if it is skipped; the last row of a motion is always shown
  int has_last;
} view_track;

typedef struct view_event {
  double time;
  char* text;
} view_event;

struct limb_view_page {
  limb_view_page_options options;
  char *html, *title;
  char* model; // limb YAML
  size_t model_size, model_capacity;
  view_file* file;
  int nfile;
  view_shape* shape;
  int nshape;
  view_track track;
  view_event* event;
  int nevent;
  int out_of_memory;
};

// A sentence to whoever made the page. view_page.c
__attribute__((format(printf, 2, 3))) void view_note(const limb_view_page* p, const char* format, ...);

// ---- view_shapes.c: shapes and their meshes, small enough for the page.
limb_status view_take_shapes(limb_view_page* p, const limb_builder* robot);
limb_status view_fit_meshes(limb_view_page* p, size_t bytes); // bytes: what meshes may take in the page
size_t view_mesh_bytes(const limb_view_page* p);
void view_free_shapes(limb_view_page* p);

// ---- view_json.c: JSON within a page. No text of a robot can end the element that holds it.
void view_put_text(FILE* out, const char* text);      // with quotes
void view_put_part(FILE* out, const char* text);      // without
void view_put_bytes(FILE* out, const view_packed* p); // base 64, with quotes
void view_put_numbers(FILE* out, const double* x, int n);
void view_put_shapes(FILE* out, const limb_view_page* p);
void view_put_findings(FILE* out, const limb_reading* r);
limb_status view_put_motion(FILE* out, const limb_view_page* p);

#endif
