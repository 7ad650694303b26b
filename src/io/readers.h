// The readers, one per language: text to sketch. What cannot be honoured is a finding; errors among the
// findings mean that no robot comes of it.
#ifndef LIMB_READERS_H
#define LIMB_READERS_H

#include "limb/run.h"

#include "io/sketch.h"

// The tag that states a body's rotational inertia in a URDF, for repairs in place.
typedef struct inertia_tag {
  int body;           // index in the sketch
  size_t byte, bytes; // of the tag in the text
  double value[6];    // ixx ixy ixz iyy iyz izz as it states them; 0 where it is silent
  double R[9];        // axes of the tag's numbers in body axes, row-major
} inertia_tag;

typedef struct limb_source {
  const char* text;
  size_t size;
  const char* name; // of the file, for messages and as the name of a nameless robot
  limb_store* pool;
  inertia_tag* tag; // URDF: one per <inertia>, in the pool (output)
  int ntag;
} limb_source;

// LIMB_OK; LIMB_E_SYNTAX: not this language; LIMB_E_MODEL: errors among the findings; LIMB_E_NOMEM.
limb_status limb_read_urdf(limb_source* src, const limb_read_options* opt, limb_sketch* s);
limb_status limb_read_yaml(limb_source* src, const limb_read_options* opt, limb_sketch* s);
limb_status limb_read_par(limb_source* src, const limb_read_options* opt, limb_sketch* s);
limb_status limb_read_mjcf(limb_source* src, const limb_read_options* opt, limb_sketch* s);

// A run file; out lives in the pool. Statuses as above.
limb_status limb_read_run_yaml(limb_source* src, limb_findings* findings, const limb_run** out);

#endif
