// Inverse kinematics: the problem, the workspace of one thread, and the steps that the files of src/ik share.
#ifndef LIMB_IK_IMPL_H
#define LIMB_IK_IMPL_H

#include "limb/ik.h"

#include "base/memory.h"

#include <stdbool.h>

// Weight of the equations of loops: an unreachable target opens them by 1e-4 of its error, before they are closed.
#define IK_LOOP_WEIGHT 100.0

// Errors of one goal: in its axes, and how large the selected ones are.
typedef struct limb_ik_error {
  sp_motion error; // selected directions, without weights
  double angle, position;
} limb_ik_error;

// e of a goal at a pose of its frame.
limb_ik_error limb_ik_goal_error(const limb_ik_goal* g, const sp_pose* target, const sp_pose* at);

// The weighted rows of a goal: its errors, and their derivatives by the velocities v along the manifold.
// J: nv columns, LIMB_ALIGNED. Returns how many rows.
int limb_ik_goal_rows(const limb_ik_goal* g, const sp_pose* target, const sp_pose* at, int nv, const sp_motion* J,
                      double* e, double* A);

// Workspace of one thread.
typedef struct limb_ik_space {
  limb_data* d;     // of the spanning tree
  limb_data* loops; // NULL: none
  const sp_pose* target;
  uint64_t seed;
  double *q, *q_try, *q_best, *q_start; // nq
  double *e, *e_try;                    // rows: goals, then loops
  double *A, *A_try, *Af;               // rows x nv; Af: with the columns of fixed velocities zero
  double *B, *y;                        // rows x rows; rows
  double *step, *pull;                  // nv; pull: towards the reference
  sp_motion* J;                         // nv
  unsigned char* fixed;                 // nv
  signed char* limits;                  // nv: the limits that hold the last solve back
  double angle, position, gap;          // largest errors at q_try, then at q
  int iterations, starts;
  limb_status failed; // the first failure of a share of many targets
} limb_ik_space;

struct limb_ik {
  const limb_model* m;
  limb_ik_options options; // held, reference: the copies below, or NULL
  int ngoal, nq, nv, nc, rows;
  bool flat; // q (+) v is a sum
  bool limited;
  limb_ik_goal* goal;
  unsigned char* held;    // nv
  unsigned char* turns;   // nv: angles, which whole turns do not change
  int* angle;             // nv: the coordinate of such an angle that may be turned alone, or -1
  unsigned char* kept;    // nq: coordinates that restarts leave at the start
  unsigned char* closes;  // nc: constraints on positions, not only on velocities
  double* reference;      // nq
  int* coordinate;        // nv: the coordinate that has limits, or -1
  double *lower, *upper;  // nv
  limb_ik_result* result; // goals, of the last limb_ik_solve
  bool has_result;
  int nspace;
  limb_ik_space* space;
  limb_memory memory;
};

// What a descent may do.
typedef struct limb_ik_descent {
  int max_iterations;
  bool patient; // false: ends when it does not look promising
  bool limited;
} limb_ik_descent;

// How a descent ended.
typedef enum limb_ik_end { IK_SOLVED, IK_STATIONARY, IK_HOPELESS, IK_EXHAUSTED } limb_ik_end;

// Descends from s->q until the errors are within the tolerance, or an end. s->q is the best, s->e, s->A
// are of it.
limb_ik_end limb_ik_descend(const limb_ik* ik, limb_ik_space* s, const limb_ik_descent* how);

// From a solution in s->q, by self-motion to the one nearest to the reference.
void limb_ik_approach(const limb_ik* ik, limb_ik_space* s);

// Moves q between the limits.
void limb_ik_clamp(const limb_ik* ik, double* q);

// |a (-) b|; step: scratch.
double limb_ik_distance(const limb_ik* ik, limb_ik_space* s, const double* a, const double* b);

// Sum of the squares of s->e.
double limb_ik_cost(const limb_ik* ik, const double* e);

// From s->q_start and then at random: s->q has the solution, or the nearest configuration.
limb_ik_end limb_ik_search(const limb_ik* ik, limb_ik_space* s, bool limited);

// Start number k, of s->q_start and s->seed, in s->q.
void limb_ik_place(const limb_ik* ik, limb_ik_space* s, int k);

// Whether the loops at s->q are closed the right way round.
bool limb_ik_closed(const limb_ik* ik, limb_ik_space* s);

// Checks what limb_ik_solve is given, and makes the space ready for it: s->target, s->q_start.
limb_status limb_ik_begin(const limb_ik* ik, limb_ik_space* s, const sp_pose* targets, const double* start);

// limb_ik_solve in one space, for target number i, but for the results that are kept.
limb_status limb_ik_solve_in(const limb_ik* ik, limb_ik_space* s, uint64_t i, const sp_pose* targets,
                             const double* start, double* q, limb_ik_report* report);

#endif
