// limb: robot dynamics in C. Closed loops: their equations, what moves freely, what follows from what.
//
// A robot with loops is a tree of joints and a list of closures (limb_loop_def). The closures are equations,
// or rows, on the coordinates of the tree, limb_row_count of them in the order of the loops:
//
//     phi(q) = s(t)      Psi(q) v = s'(t)      Psi a = s''(t) - Psi' v = gamma       (Psi' here: dPsi/dt)
//
// s is zero but for the rows with a law. Non-holonomic rows (rolling, knife edges) begin with the second
// equation. Forces of the closures, the multipliers, enter as
//
//     M a + h + friction + springs = tau + sum J' wrench + Psi^T lambda
//
// so lambda is what a closure does to its frame b, along the row, and the opposite to its frame a.
//
// Calls work in a workspace of one thread. They never allocate, lock, print or read the locale. Sizes: q nq,
// v a tau nv, rows nc = limb_row_count(), Psi nc x nv row-major. Statuses are those of limb/dynamics.h, and
// LIMB_E_ORDER where a workspace was made for less (LIMB_LOOPS_LINEAR). All calls accept robots without
// loops: nc is 0 then.
//
// All calls that look at the rows return LIMB_E_SINGULAR where a wheel or disc lies flat (limb/builder.h).
// Calls that decide which rows depend on others (mobility, redundant rows, independent velocities and what
// follows from them, dynamics) return it also when that cannot be told: so near a singularity, or rows that
// agree on the surface of the constraints only (Bennett's), with q so far from closing the loops that what
// is left of a row may be due to that. Project first (limb_project), or widen the tolerance. In figures: the
// least pivot of a group of loops that share joints is below 1e-4 of the greatest (1e-2 where other rows of
// it depend on each other), and some residual is above 1e-3 of it; rows of turns, of places, and of each
// gear or polynomial have units of their own.
// Places that close the loops only because a pin or weld is turned round (limb_loop_gap) are taken as they
// are: none of the calls but limb_loop_gap_of and those of limb/assemble.h looks for that.
// Reference: Khalil 2010, sections 2.2 and 4; Ghosal 2010, (12)-(20); docs/loops.md.
#ifndef LIMB_LOOPS_H
#define LIMB_LOOPS_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Workspace of one thread for robots with loops.
typedef struct limb_loops limb_loops;

/// What a workspace is for. Values are pinned.
typedef enum limb_loops_use {
  LIMB_LOOPS_LINEAR = 0, ///< memory linear in the robot, quadratic only in the largest group of loops that
                         ///< share joints: everything but what is said to need LIMB_LOOPS_DENSE
  LIMB_LOOPS_DENSE = 1   ///< also what needs matrices of the whole robot: 8 (nv + nc)^2 bytes, some times
} limb_loops_use;

/// Bytes that limb_loops_init needs. 0 for NULL or a use that is none.
LIMB_API size_t limb_loops_size(const limb_model* m, limb_loops_use use);

/// Lays a workspace out in caller memory, as limb_data_init does.
/// @return LIMB_OK; LIMB_E_ARG (NULL, memory not aligned to LIMB_DATA_ALIGN, no such use);
///         LIMB_E_NOMEM (size too small); LIMB_E_SINGULAR (a wheel or disc that lies flat wherever the
///         joints are); LIMB_E_NONFINITE (rows that overflow).
/// Which rows no joint moves anywhere is found here, at configurations taken at random.
LIMB_NODISCARD LIMB_API limb_status limb_loops_init(const limb_model* m, limb_loops_use use, void* memory, size_t size,
                                                    limb_loops** out);

/// Convenience: allocates (alloc NULL: malloc) and initialises. Free with limb_loops_destroy.
/// @return LIMB_OK; LIMB_E_ARG (NULL, half an allocator, no such use); LIMB_E_NOMEM; LIMB_E_SINGULAR and
///         LIMB_E_NONFINITE as limb_loops_init.
LIMB_NODISCARD LIMB_API limb_status limb_loops_create(const limb_model* m, limb_loops_use use,
                                                      const limb_allocator* alloc, limb_loops** out);

/// Ends a workspace, as limb_data_destroy does. NULL is accepted.
LIMB_API void limb_loops_destroy(limb_loops* w);

LIMB_API const limb_model* limb_loops_model(const limb_loops* w); ///< NULL for NULL

/// How a call goes about constraints. Start from limb_default_loop_options(); NULL stands for the defaults.
typedef struct limb_loop_options {
  size_t size;               ///< sizeof(limb_loop_options), set by the default function
  double time;               ///< of the laws s(t) [s]; default 0
  double tolerance;          ///< rows count as dependent when no more is left of them than this share of the largest
                             ///< entry; default 1e-9. Gears and polynomials are scaled to the others before
  const unsigned char* held; ///< nv marks: what limb_project leaves as it is; NULL: nothing
} limb_loop_options;

static inline limb_loop_options limb_default_loop_options(void)
{
  const limb_loop_options o = {sizeof(limb_loop_options), 0, 1e-9, NULL};
  return o;
}

// ---- the equations --------------------------------------------------------------------------------

/// Where the equations go; NULL: not wanted.
typedef struct limb_loop_equations {
  double* residual; ///< nc: phi - s(t); zero for non-holonomic rows
  double* Psi;      ///< nc x nv
  double* rate;     ///< nc: s'(t), what Psi v has to be
  double* gamma;    ///< nc: what Psi a has to be at this v
} limb_loop_equations;

/// The equations at q, and at v for gamma. O(n + size of what is asked for).
/// @param v  nv; NULL: at rest
LIMB_NODISCARD LIMB_API limb_status limb_loop_equations_at(limb_loops* w, const double* q, const double* v,
                                                           const limb_loop_options* options,
                                                           const limb_loop_equations* out);

/// How far a state is from closing the loops: the largest |phi - s|, the largest |Psi v - s'|, and the loop
/// that each belongs to (-1: no loops). A pin or weld that is turned the wrong way round (its rows vanish
/// there, too) counts with a residual of 2.
typedef struct limb_loop_gap {
  double place, velocity;
  int place_loop, velocity_loop;
} limb_loop_gap;

/// @param v  nv; NULL: places only
LIMB_NODISCARD LIMB_API limb_status limb_loop_gap_of(limb_loops* w, const double* q, const double* v,
                                                     const limb_loop_options* options, limb_loop_gap* out);

// ---- what moves ----------------------------------------------------------------------------------------

/// Where a robot stands still against its own construction: less rank here than next to here, where the loops
/// close as well. Values are pinned. Gosselin and Angeles, 1990, speak of the first and the second kind;
/// their output, without which the first kind has no meaning, is the frames of the closures here.
typedef enum limb_singularity {
  LIMB_REGULAR = 0,
  LIMB_SINGULAR_DRIVES = 1,   ///< serial, first kind: some drive moves while the frames of the closures stand
                              ///< still, and they resist any load in some direction
  LIMB_SINGULAR_PLATFORM = 2, ///< parallel, second kind: something moves though the active joints are held, and
                              ///< some motion of the drives is impossible
  LIMB_SINGULAR_BOTH = 3,
  LIMB_SINGULAR_CLOSURE = 4 ///< Psi has less rank: branches of motion meet, or a structure is shaky
} limb_singularity;

/// Mobility of a robot at a configuration.
typedef struct limb_mobility {
  int nv, rows;
  int rank;                 ///< of Psi
  int gruebler;             ///< nv - rows: what counting says (Gruebler, Kutzbach)
  int mobility;             ///< nv - rank: what moves
  int redundant;            ///< rows - rank
  int idle;                 ///< rows that no joint moves, anywhere: redundant ones of planar mechanisms, say
  int active, passive;      ///< velocities of joints with and without motor
  int driven;               ///< how many of the motions the active joints determine
  int undriven;             ///< mobility - driven: motions left when all active joints are held
  int overdriven;           ///< active - driven: more motors than motions
  double condition;         ///< of Psi: largest singular value over the last that counts next to here: how near
                            ///< LIMB_SINGULAR_CLOSURE; infinite there, or nearly so
  double condition_passive; ///< of its columns of the passive joints: LIMB_SINGULAR_PLATFORM
  double condition_active;  ///< of Psi with the rows of both sides of a closure apart: LIMB_SINGULAR_DRIVES
  limb_singularity singularity;
} limb_mobility;

/// Mobility and conditioning at q, which should close the loops, and no pin or weld turned round
/// (limb_loop_gap_of): neither is looked at here. Angles and lengths are taken as they are.
/// @return also LIMB_E_SINGULAR: see the head of this file.
/// Cost O(sum of cubes of the groups of loops that share joints).
LIMB_NODISCARD LIMB_API limb_status limb_mobility_at(limb_loops* w, const double* q, const limb_loop_options* options,
                                                     limb_mobility* out);

/// Which rows are redundant at q, in terms of the others: 1 where elimination found nothing left of a row.
/// @param redundant  nc (output)
LIMB_NODISCARD LIMB_API limb_status limb_redundant_rows(limb_loops* w, const double* q,
                                                        const limb_loop_options* options, unsigned char* redundant);

// ---- what follows from what --------------------------------------------------------------------------

/// Independent velocities at q: as many as the mobility, chosen among active joints first, then where the
/// equations are solved best. The same choice is used by the calls below, with `independent` NULL.
/// @param independent  nv marks: 1 for an independent velocity (output)
LIMB_NODISCARD LIMB_API limb_status limb_independent_velocities(limb_loops* w, const double* q,
                                                                const limb_loop_options* options,
                                                                unsigned char* independent);

/// All velocities from the independent ones: v = G v_i + what laws add. (Khalil 2010, (56).)
/// @param v    nv: the independent ones are read, the others written (in and out)
/// @param independent  nv marks; NULL: limb_independent_velocities
/// @return also LIMB_E_SINGULAR when the marked ones do not determine the others, or not freely, or when rows
///         contradict each other. v is left as it was then.
LIMB_NODISCARD LIMB_API limb_status limb_complete_velocities(limb_loops* w, const double* q,
                                                             const unsigned char* independent,
                                                             const limb_loop_options* options, double* v);

/// The same for accelerations, at consistent velocities: a = G a_i + g, Psi a = gamma.
LIMB_NODISCARD LIMB_API limb_status limb_complete_accelerations(limb_loops* w, const double* q, const double* v,
                                                                const unsigned char* independent,
                                                                const limb_loop_options* options, double* a);

/// The matrix G itself.
/// @param count  number of independent velocities, ny (output)
/// @param G      nv x ny, ny in the order of v (output); room for nv x nv
LIMB_NODISCARD LIMB_API limb_status limb_velocity_map(limb_loops* w, const double* q, const unsigned char* independent,
                                                      const limb_loop_options* options, int* count, double* G);

#ifdef __cplusplus
}
#endif

#endif
