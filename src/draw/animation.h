// Frames of an animation as they are drawn: evenly spaced in time, in the axes of the view, in metres.
//
// Axes of the view of a plane: right, up, towards the viewer; of space: two level ones and up.
#ifndef LIMB_DRAW_ANIMATION_H
#define LIMB_DRAW_ANIMATION_H

#include "draw/figure.h"

enum { SVG_MARGIN = 28, SVG_TOP = 78, SVG_BOTTOM = 74 }; // of the SVG [px]

typedef struct animation_floor {
  int shown;
  double height, step;    // of the grid
  double low[2], high[2]; // multiples of step
} animation_floor;

typedef struct animation_track {
  const draw_figure* figure;
  const char *title, *subtitle;
  int width, height;
  int space;                 // 0: a plane
  int still;                 // the first frame, without words
  int frames;                // at least 1
  double first;              // time of the first frame [s]
  double length;             // from the first to the last [s]; 0: one frame
  double speed;              // simulated seconds per second
  float* at;                 // frame by frame, point by point, three coordinates
  sp_vec3 axis[3];           // of the view, in the world
  sp_vec3 low, high, target; // box around everything, and its middle
  double azimuth, elevation; // of the viewer of space [rad]
  double span[2];            // visible extent around the target, across and up [m]
  animation_floor floor;
} animation_track;

// Coordinates of a point in a frame.
static inline sp_vec3 track_at(const animation_track* r, int frame, int point)
{
  const float* x = r->at + 3 * ((size_t)frame * (size_t)r->figure->points + (size_t)point);
  return sp_v3((double)x[0], (double)x[1], (double)x[2]);
}

// Finds what depends on the whole motion: guides, box, span, floor.
void track_frame(animation_track* r);

// Components across and up in the picture of a vector in the axes of the view.
void track_project(const animation_track* r, sp_vec3 x, double out[2]);

// Axis k of the world in those of the view.
sp_vec3 track_world_axis(const animation_track* r, int k);

// Mean length of links in the first frame [m]; 0: none.
double track_link(const animation_track* r);

// 1, 2 or 5 times a power of ten, the largest that is not above x > 0.
double track_round(double x);

void animation_write_svg(const animation_track* r, FILE* out);

// Largest number of frames of a file of 4 MB.
int animation_svg_frames(const draw_figure* f);

#endif
