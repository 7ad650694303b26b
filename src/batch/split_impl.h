// One call on several processors: the parts of a robot.
//
// A part is a robot of its own, on a base that moves: the link that carries it. It shares the constants of
// its links with the model. What no part contains is the trunk, a robot on the model's own base. A limb is
// what hangs on one link of the trunk: one part, or several in a row, when it is a chain.
//
// Motions of a base are nine numbers: angular velocity, angular acceleration, acceleration of the origin
// (dynamics/rnea_kernel.h). Forces are moment and force at a link's origin, in its axes.
#ifndef LIMB_SPLIT_IMPL_H
#define LIMB_SPLIT_IMPL_H

#include "limb/split.h"

#include "model/kernels.h"

enum {
  LIMB_SPLIT_PARTS = LIMB_SPLIT_PROCESSORS + 1, // most of a robot
  LIMB_HELD = 8                                 // columns of a limb_held
};

// What the last link of a part does against the base: pose, velocity, and accelerations over a base at rest.
typedef struct limb_relative {
  double R[9], p[3]; // row-major
  double w[3], v[3], al[3], a[3];
} limb_relative;

// A part that holds the next one (dynamics/held_kernel.h), which it knows up to a difference: rows of
// columns.
typedef struct limb_held {
  double Phi[6][LIMB_HELD], beta[LIMB_HELD], Lambda[6][LIMB_HELD];
  double h[LIMB_HELD]; // the difference in force
  double (*share)[LIMB_HELD];
} limb_held;

// That difference: h = W a + h0, for the acceleration a that the base of the part would give its last link.
typedef struct limb_grip {
  double W[6][6], h0[6];
} limb_grip;

typedef struct limb_part {
  limb_model m; // the part
  limb_ws ws;
  limb_link* link; // of m
  limb_branch* branch;
  int begin, dof;       // its first link and compiled degree of freedom in the robot; trunk: 0
  int previous, next;   // parts of the limb; -1: none
  int hang;             // link of the trunk that carries the limb
  const double* wrench; // on its links; NULL: none
  limb_relative relative;
  limb_held held;
  limb_grip grip;
  double least; // margin of a pivot
  bool fine;    // results are finite
} limb_part;

// What a robot is cut into. Ranges of links that are all descendants of the link before the first one (but
// for the next parts of a limb); ascending.
typedef struct limb_plan {
  int count; // 0: not at all
  struct {
    int begin, end;
    int previous; // part; -1: it hangs on the trunk
  } part[LIMB_SPLIT_PARTS];
} limb_plan;

typedef struct limb_cut {
  int count;
  limb_part trunk;
  limb_link_f64* k64; // of the trunk
  limb_dof* dof;
  limb_actuator* actuator;
  sp_force* wrench;
  int* link; // of the robot, for those of the trunk
  limb_part* part;
  limb_part* view; // forward: the first links of each part's next one, for a guess of all it holds
  bool rows;       // some limb has several parts
} limb_cut;

typedef enum limb_split_way { LIMB_SPLIT_INVERSE, LIMB_SPLIT_FORWARD } limb_split_way;

// The user's vectors of a call: x and y are a and tau, or the other way round. Nothing in it is on the
// caller's stack, which the caller goes on writing to: other processors would wait for its lines.
typedef struct limb_split_call {
  const double *q, *v, *x;
  double* y;
  limb_terms terms;
} limb_split_call;

// Kernels on one part. hand: it is no trunk.
typedef struct limb_split_kernels {
  void (*load)(const limb_part* p, const limb_split_call* c);
  void (*inverse_out)(const limb_part* p, const limb_split_call* c);
  void (*inverse_back)(const limb_part* p, bool hand, const limb_split_call* c);
  bool (*inverse_end)(const limb_part* p, const limb_split_call* c); // true: results are finite
  void (*relative)(const limb_part* p, const limb_split_call* c, limb_relative* out);
  // the motion of the last link; a force on it, added to what the base transmits
  void (*advance)(const limb_relative* r, const double* base, double* last);
  void (*hand_on)(const limb_relative* r, const double* force, double* onto);
  void (*forward_out)(const limb_part* p, const limb_split_call* c);
  // holds, if not NULL, becomes what the part is without the next one
  double (*forward_back)(const limb_part* p, bool hand, limb_held* holds);
  bool (*forward_end)(const limb_part* p, const limb_split_call* c, const limb_held* holds);
} limb_split_kernels;

LIMB_DECLARE_TABLES(limb_split_kernels, limb_split_kernels_f64);

const limb_split_kernels* limb_split_kernels_here(void);

struct limb_split {
  const limb_model* m;
  const limb_pool* pool;
  limb_memory memory;
  limb_data* d; // surroundings, and plain calls
  const limb_split_kernels* kernels;
  limb_cut cut[2]; // by direction
  limb_split_call call;
  int phase;
  int order[LIMB_SPLIT_PARTS]; // parts that have something to do
};

// Where to cut; split_plan.c.
limb_plan limb_plan_cut(const limb_model* m, limb_split_way way, const limb_split_options* options);

// Lays a cut out, and fills it when there is memory (split_cut.c).
void limb_cut_lay_out(limb_arena* a, const limb_model* m, const limb_plan* plan, limb_split_way way, limb_cut* out);

// A part with its next ones, seen from its base: kept is the articulated inertia and bias of the part with
// what it was guessed to hold, then with next (split_join.c).
void limb_join(limb_part* p, const double* guess, const double* next, double* kept);

// What the part then holds, and how its last link accelerates, six numbers: from those of its base.
void limb_let_go(limb_part* p, const double* base, double* last);

#endif
