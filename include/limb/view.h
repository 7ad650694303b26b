// limb: robot dynamics in C. The view: a robot as a page for browsers, with its motion; and poses of a running program.
//
//     limb_view_page* page = NULL;
//     if (limb_view_page_create(limb_reading_builder(reading), NULL, &page, &err) != LIMB_OK) return 1;
//     for (...) if (limb_view_page_add(page, &(limb_view_row){time, q, v, a, tau}) != LIMB_OK) return 1;   // a motion
//     if (limb_view_page_write(page, file, &err) != LIMB_OK) return 1;
//
// The page is one file: it needs neither a server nor the network (docs/view.md). It is made from limb-view.html, which
// `make web` builds.
//
//     limb_live* live = NULL;                                           // limb view arm.urdf --serve shows the robot
//     if (limb_live_open(nq, NULL, &live, &err) != LIMB_OK) return 1;
//     for (;;) {
//       ...                                                             // 1 kHz
//       limb_live_send(live, time, q);                                  // about 60 times a second it is sent
//     }
//
// This header belongs to the library limb_study.
#ifndef LIMB_VIEW_H
#define LIMB_VIEW_H

#include "limb/read.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- pages -----------------------------------------------------------------------------------------

typedef struct limb_view_page limb_view_page;

/// Start from limb_default_view_page(). What pointers point to must outlive the page.
typedef struct limb_view_page_options {
  size_t size;                 ///< sizeof(limb_view_page_options), set by the default function
  const char* html;            ///< path of limb-view.html; NULL: limb_view_page_find()
  const char* title;           ///< NULL: the name of the robot
  const limb_reading* reading; ///< whose findings and named poses are shown; NULL: none
  size_t max_bytes;            ///< of the page: meshes are simplified until it fits; default 10e6, at least 3e6
  int live;                    ///< 1: the page follows the server of `limb view --serve`, which it comes from
  limb_text_fn* note;          ///< is passed one sentence per call about what is not shown as it is; NULL: none
  void* context;
} limb_view_page_options;

LIMB_API limb_view_page_options limb_default_view_page(void);

/// The path of limb-view.html: the environment variable LIMB_VIEW_PAGE, or beside the program, or in ../share/limb of
/// its folder. If it is nowhere, the path where it was looked for first.
/// @return 1, or 0 if there is no such file.
LIMB_API int limb_view_page_find(char* path, size_t size);

/// Takes the robot of a builder as it is now, with its shapes (limb/edit.h); their meshes are opened now.
/// @param options  NULL: the defaults
/// @return LIMB_OK; LIMB_E_ARG (NULL, a builder that is not a robot, size); LIMB_E_IO (limb-view.html is not there);
///         LIMB_E_SYNTAX (it belongs to another version); LIMB_E_NOMEM. Meshes that cannot be read are notes.
LIMB_NODISCARD LIMB_API limb_status limb_view_page_create(const limb_builder* robot,
                                                          const limb_view_page_options* options, limb_view_page** out,
                                                          limb_error* err);

/// Where a force acts, in the world.
typedef struct limb_view_force {
  double at[3], force[3]; ///< [m, N]
} limb_view_force;

/// A state of a motion. v, a, tau and forces may be NULL, in all rows or in none.
typedef struct limb_view_row {
  double time;
  const double *q, *v, *a, *tau;
  const limb_view_force* forces; ///< nforce of limb_view_page_motion
} limb_view_row;

/// Before the first row: sizes of the robot, and how many forces from outside each row has.
/// @return LIMB_OK; LIMB_E_ARG (NULL, negative sizes); LIMB_E_ORDER (there are rows).
LIMB_NODISCARD LIMB_API limb_status limb_view_page_motion(limb_view_page* page, int nq, int nv, int nforce);

/// Adds a state. Times must not decrease. If there are too many rows for the page, every second one is dropped: memory
/// does not grow with their number.
/// @return LIMB_OK; LIMB_E_ARG (NULL, time, other arrays than in the first row); LIMB_E_ORDER (no motion was
///         announced); LIMB_E_NONFINITE; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_view_page_add(limb_view_page* page, const limb_view_row* row);

/// Adds an event on the time line; 1000 at most, others are ignored.
/// @return LIMB_OK; LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_view_page_event(limb_view_page* page, double time, const char* text);

/// Writes the page. The caller checks the stream for errors.
/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_IO (limb-view.html cannot be read any more); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_view_page_write(limb_view_page* page, FILE* out, limb_error* err);

LIMB_API void limb_view_page_destroy(limb_view_page* page); ///< NULL is accepted

// ---- live ------------------------------------------------------------------------------------------
//
// `limb view MODEL --serve` shows what a program on the same machine sends. A pose is one datagram (UDP) to the
// loopback address, little-endian:
//
//     bytes 0-7    "limbpose"
//     bytes 8-15   time [s], double
//     bytes 16-    q, nq doubles, in the order of the model
//
// Nobody waits for anybody: without a viewer datagrams are lost, and the program goes on.

enum { LIMB_LIVE_PORT = 8417 }; ///< where limb view --serve listens unless told otherwise

typedef struct limb_live limb_live;

/// Start from limb_default_live().
typedef struct limb_live_options {
  size_t size;  ///< sizeof(limb_live_options), set by the default function
  int port;     ///< default LIMB_LIVE_PORT
  double every; ///< least time between two poses that are sent, by the times that are passed [s]; default 1/60
} limb_live_options;

LIMB_API limb_live_options limb_default_live(void);

/// @param options  NULL: the defaults
/// @return LIMB_OK; LIMB_E_ARG (nq < 1 or > 8000, port, every, size); LIMB_E_IO (no socket); LIMB_E_UNSUPPORTED (a
///         system without sockets); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_live_open(int nq, const limb_live_options* options, limb_live** out,
                                                   limb_error* err);

/// Sends a pose if one is due: most calls only compare times. It does not wait, allocate or fail: what cannot be sent
/// is dropped. NULL is ignored.
LIMB_API void limb_live_send(limb_live* live, double time, const double* q);

LIMB_API void limb_live_close(limb_live* live); ///< NULL is accepted

#ifdef __cplusplus
}
#endif

#endif
