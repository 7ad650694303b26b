// Programs: the functions to be written, in any language, over one expression graph.
//
// A function takes some of the inputs and returns matrices, row by row. A symbol is a component of an input, encoded
// in its number (limb_symbol_of). Angles are the arguments of sines and cosines.
#ifndef LIMB_CODEGEN_PROGRAM_H
#define LIMB_CODEGEN_PROGRAM_H

#include "codegen/graph.h"

typedef enum limb_input_kind {
  INPUT_Q,          // coordinates
  INPUT_V,          // velocities
  INPUT_A,          // accelerations
  INPUT_TAU,        // forces
  INPUT_X,          // accelerations where they are given, else forces
  INPUT_TWIST,      // of a platform: six components, its own axes
  INPUT_TWIST_RATE, // and its derivative
  INPUT_GRAVITY,    // three components, world axes
  INPUT_PARAMETER,  // numbers of the robot that stay symbols
  INPUT_KINDS
} limb_input_kind;

enum {
  LIMB_SYMBOL_BITS = 24,
  LIMB_OUTPUTS_MAX = 4,
  LIMB_HELPERS = 2,        // functions that are added later, at most: angles, parameters
  LIMB_GRAPH_MAX = 1 << 22 // nodes of a program's graph
};

static inline uint32_t limb_symbol_of(limb_input_kind kind, uint32_t index)
{
  return (uint32_t)kind << LIMB_SYMBOL_BITS | index;
}
static inline limb_input_kind limb_symbol_kind(uint32_t symbol)
{
  return (limb_input_kind)(symbol >> LIMB_SYMBOL_BITS);
}
static inline uint32_t limb_symbol_index(uint32_t symbol) { return symbol & ((1U << LIMB_SYMBOL_BITS) - 1); }

// An input with all its components.
typedef struct limb_input {
  const char* name;    // "q"
  const char* meaning; // "joint coordinates"
  int count;
  const char** label; // count: what a component is, "panda_joint1", "base.qx"; parameters: their names
  double* value;      // parameters and gravity: the robot's numbers; else NULL
} limb_input;

typedef struct limb_output {
  const char* name;    // "tau"
  const char* meaning; // "joint forces"
  int rows, columns;
  const char** label;  // rows: what a row is; NULL: no label
  const char** column; // columns: what a column is; NULL: no label
  bool unlabelled;     // rows are not joints, even if there are as many
  limb_edge* entry;    // row-major
} limb_output;

typedef struct limb_function {
  const struct limb_generated* kind; // NULL: a helper of the others: angles, parameters
  const char* name;                  // "tau"
  const char* meaning;               // "mass matrix"
  const char* note;                  // a sentence that callers must know; NULL: none
  const char** noted;                // names listed at its end
  int nnoted;
  unsigned inputs; // 1 << kind for each input it takes
  int noutput;
  // 1: one more output follows, which is local to the function: margins of pivots. Its status is whether all of them
  // are positive.
  int judged;
  limb_output output[LIMB_OUTPUTS_MAX];
} limb_function;

extern const char limb_not_judged[]; // a note instead of a status

// Number of entries of all outputs together, margins included.
static inline uint32_t limb_entry_count(const limb_function* f)
{
  uint32_t n = 0;
  for (int o = 0; o < f->noutput + f->judged; o++) n += (uint32_t)f->output[o].rows * (uint32_t)f->output[o].columns;
  return n;
}

// ---- the functions that can be generated (codegen_functions.c) -----------------------------------------------------

// Robots that have a function under a name.
enum { ROBOTS_TREES = 1, ROBOTS_LOOPS = 2, ROBOTS_ALL = 3 };

// Facts about a function, as bits.
enum {
  LIMB_WEIGHS = 1,          // depends on gravity
  LIMB_MAY_VANISH = 2,      // forces or their derivatives, which may be zero for a robot or in a state
  LIMB_OF_ACCELERATIONS = 4 // derivatives of accelerations
};

struct limb_tracer;
struct limb_reference;

// A function that can be generated: quantities of the registry that are computed together, under their names. A name
// means the same as in the registry, for all robots: tau of a robot with loops is that with the loops closed, and
// tree_tau that of its spanning tree.
typedef struct limb_generated {
  const char* name; // of ROBOTS_TREES: that for spanning trees; without "tree_" it is that for trees
  unsigned robots, facts;
  const char* of;      // names of the registry, one for each output, separated by commas; NULL: it has none
  const char* meaning; // NULL: that of the registry
  // Sets the inputs and outputs of f, which has name and meaning. LIMB_E_UNSUPPORTED with a message in t->error if
  // the robot does not have the quantity.
  limb_status (*trace)(struct limb_tracer* t, limb_function* f);
  // The outputs, one after the other, where the registry has none.
  limb_status (*reference)(struct limb_reference* x, const double* const* input, double* out);
} limb_generated;

// The functions by index, with their names and robots, those of spanning trees last; NULL beyond the last.
const limb_generated* limb_generated_at(int index, const char** name, unsigned* robots);

// The function of a name for one of these robots, and its name; NULL: there is none.
const limb_generated* limb_find_generated(const char* word, unsigned robots, const char** name);

const char* limb_generated_meaning(const limb_generated* x);

static inline bool limb_has_fact(const limb_function* f, unsigned fact) { return f->kind && f->kind->facts & fact; }

typedef struct limb_program_block limb_program_block; // program.c

typedef struct limb_program {
  limb_allocator alloc;
  limb_program_block* block;
  const char* robot;
  limb_graph* graph;
  limb_input input[INPUT_KINDS];
  int nfunction;
  limb_function* function;
} limb_program;

// A program without functions; NULL when out of memory.
limb_program* limb_program_create(const limb_allocator* alloc);
void limb_program_free(limb_program* p); // NULL is accepted

// Memory that lives as long as the program, zeroed; NULL when out of memory.
void* limb_program_alloc(limb_program* p, size_t count, size_t size);

// The parts (ended by NULL) as one string that lives as long as the program; NULL when out of memory.
const char* limb_program_text(limb_program* p, const char* const* parts);

// ---- operation counts (schedule.c) ---------------------------------------------------------------------------------

typedef struct limb_operations {
  long mul, add, div, other; // add: subtractions as well; other: roots, signs, hyperbolic tangents
  long sines;                // angles whose sine or cosine is computed
} limb_operations;

// A single cost to compare by.
static inline long limb_operations_weight(const limb_operations* x)
{
  return x->mul + x->add + 5 * (x->div + x->other) + 20 * x->sines;
}

// Operations that the outputs of a function need. false: out of memory.
bool limb_count_operations(const limb_graph* g, const limb_function* f, limb_operations* out);

// ---- evaluation (program.c) ----------------------------------------------------------------------------------------

// out: n values. input[kind][index] is the value of limb_symbol_of(kind, index); kinds without symbols may be NULL.
// false when out of memory.
bool limb_evaluate(const limb_graph* g, const limb_edge* of, size_t n, const double* const* input, double* out);

// The same with every operation rounded to float; NaN where a number is out of its range.
bool limb_evaluate_single(const limb_graph* g, const limb_edge* of, size_t n, const double* const* input, double* out);

#endif
