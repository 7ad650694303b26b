// Every question that a batch answers, under one name: asked of a batch, over double or float, or of the call
// for one state. And random states to ask about.
#ifndef LIMB_TEST_BATCH_H
#define LIMB_TEST_BATCH_H

#include "limb/batch.h"

#include "support/check.h"
#include "support/rng.h"
#include "support/robots.h"

#include <stdbool.h>

typedef enum batch_what {
  BATCH_INVERSE,
  BATCH_FORWARD,
  BATCH_BIAS,
  BATCH_GRAVITY,
  BATCH_MASS,
  BATCH_MASS_INVERSE,
  BATCH_CORIOLIS,
  BATCH_ID_SLOPES, // forces, then three matrices
  BATCH_FD_SLOPES, // accelerations, then three matrices
  BATCH_POSES,
  BATCH_JACOBIAN,
  BATCH_REGRESSOR,
  BATCH_INERTIAL,
  BATCH_WHATS
} batch_what;

enum { BATCH_OUTS = 4, BATCH_VARIED = 3 };

const char* batch_name(batch_what what);

bool batch_solves(batch_what what);     // M is inverted
bool batch_has_forces(batch_what what); // reads forces, not accelerations
bool batch_moves(batch_what what);      // reads velocities
bool batch_has_x(batch_what what);      // reads accelerations or forces

// One question. Arrays are of double, or of float with f32.
typedef struct batch_ask {
  limb_batch* b;
  batch_what what;
  bool f32;
  size_t n;
  const void *q, *v, *x; // x: accelerations, or forces
  const limb_batch_environment* env;
  int nframe; // of poses; a Jacobian is that of the first
  const int* frame;
  limb_ref ref;
  void* out[BATCH_OUTS]; // most questions have one answer
  limb_status* status;
} batch_ask;

limb_status batch_answer(const batch_ask* a);

// The same by the call for one state; q, v, x are those of one, n and b are not read.
limb_status batch_answer_one(limb_data* d, const batch_ask* a, const limb_environment* env);

// Numbers of answer k for a state; 0: there is none.
size_t batch_width(const limb_model* m, batch_what what, int nframe, int k);

// Random states of a robot, in rows.
typedef struct batch_states {
  limb_model* m; // owned
  size_t n, nq, nv;
  double *q, *v, *a, *tau;
  float *qf, *vf, *af, *tauf;             // the same, rounded
  double* wrench;                         // BATCH_VARIED times n of 6
  float* wrenchf;                         // rounded
  limb_batch_wrench varied[BATCH_VARIED]; // these, in BODY, WORLD and ALIGNED, on random frames
  limb_wrench fixed[BATCH_VARIED];        // the same for all states
  int frame[BATCH_VARIED];                // the world's, and random ones
  rng r;
} batch_states;

batch_states batch_states_make(limb_model* m, size_t n, uint64_t seed);
void batch_states_free(batch_states* s);

// Doubles become what they are in float.
void batch_states_round(batch_states* s);

// A question about the states, in rows: everything but b, env and answers.
batch_ask batch_ask_for(const batch_states* s, batch_what what, bool f32);

// The surroundings that state i has in `env`: those of all, and its own wrenches over double. room: as many
// as both have.
limb_environment batch_env_of(const limb_model* m, const limb_batch_environment* env, size_t i, limb_wrench* room);

// The question about state i alone.
batch_ask batch_ask_one(const batch_states* s, const batch_ask* a, size_t i);

limb_batch* batch_make(const limb_model* m, const limb_batch_options* options);

// Memory at an address that no vector is aligned to, and not a byte more; zeros. Free with
// batch_unaligned_free.
void* batch_unaligned(size_t bytes, size_t off);
void batch_unaligned_free(void* x, size_t off);

// Memory for lanes.
void* batch_aligned(size_t bytes);

// Unit of the last place of the largest of n numbers.
double batch_unit(const double* x, size_t n);

// Equal, -0 and 0 being the same.
#define assert_same(got, want, n) check_same(CHECK_SITE(#got), got, want, n)
void check_same(check_site site, const double* got, const double* want, size_t n);

// Every byte.
#define assert_same_bytes(got, want, bytes) check_same_bytes(CHECK_SITE(#got), got, want, bytes)
void check_same_bytes(check_site site, const void* got, const void* want, size_t bytes);

#endif
