// The dof table: axes, motions and inertias of a whole robot in one frame, degree of freedom by degree of
// freedom.
//
// Kernels that pair every joint with all those behind it (derivatives, Coriolis matrix) work in the axes
// of the tree's root link, where nothing need be carried from link to link: a pair is a product of two
// columns. the dof table is a table with a row per component and a column per compiled dof, kept in blocks of
// LIMB_LANES_MAX columns, so that an instruction works on several of them and a row is found at a constant
// distance. What belongs to a link stands in the column of its only dof, or of its dof z (see limb_slot).
// Columns behind the last dof hold numbers, but nothing in particular.
#ifndef LIMB_DOF_TABLE_H
#define LIMB_DOF_TABLE_H

#include "limb/derivatives.h"

#include "base/memory.h"
#include "model/model_impl.h"

enum { LIMB_LANES_MAX = 8 };

enum {              // rows
  ROW_R = 0,        // 9: rotation of the link, columns x, y, z; z is the direction of the axis
  ROW_P = 9,        // 3: origin of the link
  ROW_S = 12,       // 6: axis as a motion
  ROW_V = 18,       // 6: velocity of the link
  ROW_VP = 24,      // 6: of its parent; robots with ball or free joints only, and so the other parents'
  ROW_A = 30,       // 6: spatial acceleration of the link, minus gravity
  ROW_AP = 36,      // 6: of its parent
  ROW_DA = 42,      // 6: what accelerations that came later add to A
  ROW_DAP = 48,     // 6: and to AP
  ROW_DF = 48,      // 6: and then to F, in the same place
  ROW_PSI = 54,     // 6: VP x S
  ROW_PSIDOT = 60,  // 6: AP x S + VP x PSI
  ROW_SIGMA = 66,   // 6: PSI and the rate of S together; robots with ball or free joints only
  ROW_OWN = 72,     // 9: first and second moments of the link
  ROW_H = 81,       // 3: first moments of all that it carries; so the next four
  ROW_J = 84,       // 6: second moments
  ROW_DRIFT_P = 90, // 3
  ROW_DRIFT_K = 93, // 9
  ROW_F = 102,      // 6: force
  ROW_T1 = 108,     // 6: columns, see kernel/lane_columns_kernel.h
  ROW_T2 = 114,     // 6
  ROW_T3 = 120,     // 6
  ROW_T4 = 126,     // 3: a moment only
  ROW_COUNT = 129
};

enum {               // rows of numbers of the robot, in double whatever the scalar
  GIVEN_MOMENTS = 0, // 10: m, h, J of the link, not regrouped; zero but in its slot
  GIVEN_MASS = 10,   // that the joint carries
  GIVEN_TURN = 11,   // 1 when the joint turns about its axis
  GIVEN_SLIDE = 12,  // metres along the axis per unit
  GIVEN_MULT = 13,   // joint coordinate = mult q + off
  GIVEN_OFF = 14,
  GIVEN_COS = 15, // of theta0, for joints that do not turn
  GIVEN_SIN = 16,
  GIVEN_FRAME = 17,  // 8: of a one-dof link in its parent at theta = 0: x (x, y only), y, z
  GIVEN_ORIGIN = 25, // 3: origin of the link in its parent
  GIVEN_UP = 28,     // 3: 1 when the dof 1, 2, 4 before is of the same run (limb_run)
  GIVEN_BEGIN = 31,  // first dof of the link, and the one after the last of its subtree
  GIVEN_END = 32,
  GIVEN_COUNT = 33
};

// Second derivatives work beside the table: LIMB_SECOND_CELLS rows of so many columns, and LIMB_SECOND_PLACES numbers
// of places per column (kernel/second_kernel.h).
enum { LIMB_SECOND_CELLS = 102, LIMB_SECOND_PLACES = 4 };

static inline ptrdiff_t limb_second_columns(const limb_model* m)
{
  return (m->ncdof + (ptrdiff_t)LIMB_LANES_MAX - 1) / LIMB_LANES_MAX * LIMB_LANES_MAX;
}

// Those of forward dynamics work in the same place: four matrices and a few rows of nv whole vectors, and a block of
// so many columns (kernel/second_forward_kernel.h).
enum { LIMB_SOLVE_COLUMNS = 4 * LIMB_LANES_MAX };

static inline ptrdiff_t limb_solve_width(const limb_model* m)
{
  return (m->nv + (ptrdiff_t)LIMB_LANES_MAX - 1) / LIMB_LANES_MAX * LIMB_LANES_MAX;
}

static inline size_t limb_second_work(const limb_model* m)
{
  const ptrdiff_t inverse = LIMB_SECOND_CELLS * limb_second_columns(m), n = m->nv;
  const ptrdiff_t forward = (4 * n + 3) * limb_solve_width(m) + LIMB_SOLVE_COLUMNS * n;
  return (size_t)(inverse > forward ? inverse : forward);
}

// What the products of velocities are to be: derivatives of the forces, or a Coriolis matrix. The two
// kinds of that differ for ball and free joints.
typedef enum limb_slopes {
  SLOPES_FORCE,    // d tau / d v
  SLOPES_SKEW,     // C with dM/dt - 2 C skew
  SLOPES_SYMMETRIC // C = (d C v / d v) / 2: symmetric symbols
} limb_slopes;

typedef struct limb_dof_table {
  void* cell;   // the table; NULL for robots beyond LIMB_DERIVATIVES_MAX velocities
  void* base;   // 12 numbers per root: velocity and acceleration of its base
  void* dense;  // 12 per ball or free joint: rotation by rows, and origin of the link in its parent
  void* work;   // LIMB_LANES_MAX ncdof: columns of matrices
  void* rows;   // wide rows of an elimination (limb_row_run), twice, and blocks of three matrices; of double only
  int* list;    // 2 ncdof: rows of matrices
  bool* finite; // of the matrices that forward dynamics has made last: all entries are finite
  void* q;      // ncdof: joint coordinates in compiled order, where the user's are not
} limb_dof_table;

// Column of a link's own numbers: of its dof about or along z.
static inline int limb_slot(const limb_link* link) { return link->ndof == 1 ? link->dof : link->dof + 2; }

// Where column i of a table with so many rows starts; row k is at k LIMB_LANES_MAX from there.
static inline ptrdiff_t limb_dof_table_at(int i, int rows)
{
  const size_t k = (size_t)i, block = k / LIMB_LANES_MAX, lane = k % LIMB_LANES_MAX;
  return (ptrdiff_t)(block * (size_t)rows * LIMB_LANES_MAX + lane);
}

void limb_dof_table_lay_out(limb_arena* a, const limb_model* m, size_t scalar, limb_dof_table* out);

// Zeros, once, in a fresh workspace.
void limb_dof_table_clear(const limb_model* m, size_t scalar, const limb_dof_table* s);

// The numbers of the robot: measured and laid out with the model, filled when it is compiled, with the
// runs known.
double* limb_dof_table_given(limb_arena* a, int ncdof);
void limb_dof_table_fill(limb_model* m);

#endif
