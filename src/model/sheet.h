// The sheet: axes, motions and inertias of a whole robot in one frame, degree of freedom by degree of
// freedom.
//
// Kernels that pair every joint with all those behind it (derivatives, Coriolis matrix) work in the axes
// of the tree's root link, where nothing need be carried from link to link: a pair is a product of two
// columns. The sheet is a table with a row per component and a column per compiled dof, kept in blocks of
// LIMB_LANES_MOST columns, so that an instruction works on several of them and a row is found at a constant
// distance. What belongs to a link stands in the column of its only dof, or of its dof z (see limb_slot).
// Columns behind the last dof hold numbers, but nothing in particular.
#ifndef LIMB_SHEET_H
#define LIMB_SHEET_H

#include "limb/derivatives.h"

#include "base/arena.h"
#include "model/model_impl.h"

enum { LIMB_LANES_MOST = 8 };

enum {              // rows
  ROW_R = 0,        // 9: rotation of the link, columns x, y, z; z is the direction of the axis
  ROW_P = 9,        // 3: origin of the link
  ROW_RATE = 12,    // joint velocity
  ROW_ACC = 13,     // joint acceleration
  ROW_TAU = 14,     // joint force
  ROW_S = 15,       // 6: axis as a motion
  ROW_V = 21,       // 6: velocity of the link
  ROW_VP = 27,      // 6: of its parent
  ROW_A = 33,       // 6: spatial acceleration of the link, minus gravity
  ROW_AP = 39,      // 6: of its parent
  ROW_PSI = 45,     // 6: VP x S
  ROW_PSIDOT = 51,  // 6: AP x S + VP x PSI
  ROW_SIGMA = 57,   // 6: PSI and the rate of S together
  ROW_TERM = 63,    // 6: what a joint adds to the motion of its parent
  ROW_H = 69,       // 3: first moments of the link, then of all that it carries; so the next four
  ROW_J = 72,       // 6: second moments
  ROW_DRIFT_P = 78, // 3
  ROW_DRIFT_K = 81, // 9
  ROW_F = 90,       // 6: force
  ROW_T1 = 96,      // 6: columns, see dynamics/row_kernel.h
  ROW_T2 = 102,     // 6
  ROW_T3 = 108,     // 6
  ROW_T4 = 114,     // 3: a moment only
  ROW_COUNT = 117
};

enum {               // rows of numbers of the robot, in double whatever the scalar
  GIVEN_MOMENTS = 0, // 10: m, h, J of the link, not regrouped; zero but in its slot
  GIVEN_MASS = 10,   // that the joint carries
  GIVEN_TURN = 11,   // 1 when the joint turns about its axis
  GIVEN_SLIDE = 12,  // metres along the axis per unit
  GIVEN_COUNT = 13
};

// What the products of velocities are to be: derivatives of the forces, or a Coriolis matrix. The two
// kinds of that differ for ball and free joints.
typedef enum limb_slopes {
  SLOPES_FORCE,    // d tau / d v
  SLOPES_SKEW,     // C with dM/dt - 2 C skew
  SLOPES_SYMMETRIC // C = (d C v / d v) / 2: symmetric symbols
} limb_slopes;

typedef struct limb_sheet {
  void* cell; // the table; NULL for robots beyond LIMB_DERIVATIVES_MOST velocities
  void* base; // 12 numbers per root: velocity and acceleration of its base
} limb_sheet;

// Column of a link's own numbers: of its dof about or along z.
static inline int limb_slot(const limb_link* link)
{
  return link->ndof == 1 ? link->dof : link->dof + 2;
}

// Where column i of a table with so many rows starts; row k is at k LIMB_LANES_MOST from there.
static inline ptrdiff_t limb_sheet_at(int i, int rows)
{
  const size_t k = (size_t)i, block = k / LIMB_LANES_MOST, lane = k % LIMB_LANES_MOST;
  return (ptrdiff_t)(block * (size_t)rows * LIMB_LANES_MOST + lane);
}

void limb_sheet_lay_out(limb_arena* a, const limb_model* m, size_t scalar, limb_sheet* out);

// Zeros, once, in a fresh workspace.
void limb_sheet_clear(const limb_model* m, size_t scalar, const limb_sheet* s);

// The numbers of the robot: measured and laid out with the model, filled when it is compiled.
double* limb_sheet_given(limb_arena* a, int ncdof);
void limb_sheet_fill(limb_model* m);

#endif
