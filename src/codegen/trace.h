// Tracing: the kernels of a robot, run over symbols, become functions of a program.
#ifndef LIMB_TRACE_H
#define LIMB_TRACE_H

#include "limb/codegen.h"

#include "codegen/program.h"
#include "codegen/trace_kernels.h"
#include "model/model_impl.h"

// What the functions that trace a quantity share.
typedef struct limb_tracer {
  const limb_model* m;
  limb_codegen_options options;
  limb_program* program; // of which graph and inputs are ready
  limb_graph* graph;     // the program's
  limb_link_symbol* k;   // nlink
  void* memory;          // of the workspace
  size_t room;
  limb_scalar* base; // states of the base frames, which ws.base points to
  limb_ws ws;        // zeros before each quantity, but for these
  limb_terms terms;
  int frame;                        // of J and pose
  limb_scalar *q, *v, *a, *tau, *x; // the inputs as scalars: nq, and nv each
  limb_error* error;
} limb_tracer;

// A quantity that can be asked for.
typedef struct limb_quantity {
  const char* name;
  const char* meaning;
  // Fills inputs, outputs and their entries of f (name and meaning are there); LIMB_E_UNSUPPORTED with a
  // sentence in t->error when the robot has it not.
  limb_status (*trace)(limb_tracer* t, limb_function* f);
} limb_quantity;

extern const limb_quantity limb_tree_quantities[]; // ended by a NULL name (trace_tree.c)
extern const limb_quantity limb_loop_quantities[]; // likewise (trace_loops.c)

// An output of f, its rows labelled as velocities when there are as many: entries from scalars, row-major.
limb_status limb_trace_output(limb_tracer* t, limb_function* f, limb_output shape, const limb_scalar* x);

// Fails, and says that the quantity has too many operations for this robot.
limb_status limb_trace_too_large(const limb_tracer* t, const limb_function* f);

// Velocities of a robot of whose full matrices others are made, in the third power of their number; and of
// one whose matrices are written down.
enum { LIMB_TRACE_CUBE_MOST = 200, LIMB_TRACE_SQUARE_MOST = 400 };

// The inputs of f, 1 << kind each, and those that the options make of numbers.
static inline void limb_trace_takes(const limb_tracer* t, limb_function* f, unsigned kinds)
{
  f->inputs = kinds;
  if (t->options.gravity) f->inputs |= 1U << INPUT_GRAVITY;
  if (t->options.symbols != LIMB_SYMBOLS_NONE) f->inputs |= 1U << INPUT_PARAMETER;
}

// The same of what has no forces in it.
static inline void limb_trace_takes_no_gravity(const limb_tracer* t, limb_function* f, unsigned kinds)
{
  limb_trace_takes(t, f, kinds);
  f->inputs &= ~(1U << INPUT_GRAVITY);
}

// Zeros in the workspace: before a kernel that relies on them runs again.
void limb_trace_clear(limb_tracer* t);

// Scratch for kernels: zeroed scalars that live as long as the program.
limb_scalar* limb_trace_scalars(limb_tracer* t, size_t count);

// The components of an input as scalars; NULL when out of memory.
limb_scalar* limb_trace_input(limb_tracer* t, limb_input_kind kind);

// The frame of J and pose: of that name, or if NULL the last body that carries no other; -1: there is none.
int limb_trace_frame(const limb_model* m, const char* name);

// All functions that options.what asks for.
limb_status limb_trace(const limb_model* m, const limb_codegen_options* options, const limb_allocator* alloc,
                       limb_program** out, limb_error* error);

#endif
