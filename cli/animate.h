// A moving picture of a robot: states are added one by one, a self-contained SVG or HTML file comes out,
// which plays in any browser and loads nothing.
//
// Memory does not grow with the number of states: frames are thinned out evenly as more arrive, and files
// stay below 5 MB. Robots that move in a plane are seen at right angles to it, others from above at an
// angle, both without perspective, so that the scale bar holds everywhere.
//
//     cli_animation* a = NULL;
//     cli_animation_options o = {.title = "fall", .trace = FIGURE_TRACE_AUTO};
//     status = cli_animation_open(&a, model, &o);
//     status = cli_animation_add(a, t, q); // for every state
//     code = cli_output_open(&file, command, path);
//     status = cli_animation_draw(a, cli_picture_of(path), file.stream);
//     code = cli_output_commit(&file, command);
//     cli_animation_free(a);
#ifndef LIMB_CLI_ANIMATE_H
#define LIMB_CLI_ANIMATE_H

#include "limb/limb.h"

#include "command.h"
#include "figure.h"

#include <stdio.h>

typedef enum cli_view {
  CLI_VIEW_AUTO,  // as the robot moves: in a plane or not
  CLI_VIEW_PLANE, // also when it does not: seen from the front, along y
  CLI_VIEW_SPACE
} cli_view;

// Zero stands for the default; a trace of zero, the world, is none.
typedef struct cli_animation_options {
  const char *title, *subtitle; // NULL: name of the model; nothing. They must outlive the animation
  int width, height;            // pixels; default 960 x 600
  double rate;                  // frames per second of playing, at most; default 30
  double speed;                 // simulated seconds per second; default 1, or slower or faster for what is over in
                                // no time or takes long
  int frames;                   // at most; default: as many as a file may hold
  int trace;                    // frame whose path is drawn, or FIGURE_TRACE_AUTO
  cli_view view;
} cli_animation_options;

typedef struct cli_animation cli_animation;

typedef enum cli_picture { CLI_PICTURE_NONE, CLI_PICTURE_SVG, CLI_PICTURE_HTML } cli_picture;

// By the end of its name: .svg, .html or .htm; CLI_PICTURE_NONE for others.
cli_picture cli_picture_of(const char* path);

// Of an option that names such a file: EXIT_FINE when it is absent or one of these; else a message and
// EXIT_USAGE.
int cli_animation_option(const cli_args* args, const char* option);

// options NULL: the defaults, with FIGURE_TRACE_AUTO. The model must outlive the animation.
// LIMB_OK, LIMB_E_NOMEM, LIMB_E_ARG (no such frame, negative sizes).
LIMB_NODISCARD limb_status cli_animation_open(cli_animation** out, const limb_model* model,
                                              const cli_animation_options* options);

// The state at a time, which may not be below the one before; at the same time it takes its place.
// LIMB_OK; LIMB_E_ARG (time, quaternion norm); LIMB_E_NONFINITE (time, q, or places beyond all measure). A
// state that is refused is not part of the animation, which can be drawn all the same.
LIMB_NODISCARD limb_status cli_animation_add(cli_animation* a, double time, const double* q);

// States that are part of it so far, at most; 0: nothing to draw.
int cli_animation_count(const cli_animation* a);

// LIMB_OK; LIMB_E_ARG (no state, no such picture), LIMB_E_NOMEM. What the stream thinks of it is seen when it
// is closed.
LIMB_NODISCARD limb_status cli_animation_draw(const cli_animation* a, cli_picture kind, FILE* out);

void cli_animation_free(cli_animation* a); // NULL is fine

#endif
