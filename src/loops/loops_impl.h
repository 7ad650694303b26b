// The workspace of loops, and what the files of this layer share.
//
// Constraints and multipliers inside are in the order of the clusters (model/clusters.c): local constraint r of cluster
// c is number c.row + r, its block of Psi is nrow x nv at c.block. Idle constraints, which no joint moves, are left out
// of everything that is solved: of each cluster, live[c.row ...] lists the local constraints that are not idle.
#ifndef LIMB_LOOPS_IMPL_H
#define LIMB_LOOPS_IMPL_H

#include "limb/derivatives.h"
#include "limb/dynamics.h"
#include "limb/loops.h"

#include "base/memory.h"
#include "dynamics/dual_impl.h"
#include "dynamics/environment.h"
#include "kernel/held.h"
#include "kernel/tables.h"
#include "linalg/dense.h"
#include "loops/closed.h"
#include "model/data_impl.h"
#include "model/model_impl.h"

// The motion of links, and the constraints, with their changes along directions (loops/loop_derivatives.c).
typedef struct limb_loop_tangents {
  limb_dual_number *X, *vel, *acc, *acc_v; // 12 nlink, then 6 nlink
  limb_dual_number *Psi, *bias, *reach;    // as in the workspace
  limb_dual_number *lambda, *wrench, *tau; // nrow, 6 nlink, nv
} limb_loop_tangents;

typedef struct limb_response limb_response;

struct limb_loops {
  const limb_model* m;
  limb_data* owner; // the workspace that this is a part of
  limb_loops_use use;
  limb_data* d; // trees; its d->own holds poses, velocities and a_v of the links after limb_constraints_at
  const limb_loop_kernels* kernels;

  // the equations, in the order of the clusters
  double *Psi, *phi, *bias, *rate, *gamma;
  double* reach;         // 7 nrow
  int* user_index;       // nrow: index in the user's order
  int* live;             // nrow: local constraints of each cluster that some joint moves
  int* nlive;            // clusters
  unsigned char* wanted; // nloop: the same by bits
  bool has_prescribed, has_wheels;
  unsigned char* mixed; // clusters: 1 where constraints have units of their own (limb_even_constraints)

  // forward dynamics by clusters
  const limb_cluster_kernels* cluster_kernels;
  limb_reduction* clusters; // of every cluster, in `reductions`
  double* reductions;       // entries + LIMB_QUAD nrow
  int *pivots, *rows;       // nv, nrow
  int* column;              // ncdof: column of a compiled velocity in its cluster
  int* first;               // clusters: velocities of those before
  double pivot_ratio;       // smallest pivot over the largest, of the worst cluster; set with these:
  bool full, suspect;       // no live constraint depends on others; some pivot is small: set by the call
  bool rounded;             // forward dynamics: ranks follow from residuals (limb_rank_tolerance)
  int* weight;              // nv, cluster by cluster: loops that a velocity moves
  double *work, *kept;      // of the kernels

  // the ends of chains (loops/held.c)
  limb_held_plan held;
  const limb_held_kernels* held_kernels;
  double *closures, *share; // nloop x LIMB_HELD_CLOSURE, nlink x LIMB_HELD_COLUMNS

  // a cluster at a time: capacity of the largest one
  limb_reduction reduced;         // A: max_nrow x (max_nv + max_nrow + 1)
  double* cluster_work;           // (max_nv + max_nrow + 2)^2
  unsigned char* marks;           // nv
  unsigned char* active;          // nv: 1 where a motor is
  unsigned char *prefer, *chosen; // nv: flags of a call

  // methods of loops/forward_tree.c
  limb_response* response; // loops/tree_response.h
  double* iterate;         // 6 nrow
  double* blocks;          // 36 nloop

  // inverse dynamics (loops/inverse.c)
  double* sharing;              // limb_sharing_size(max_nv)
  int* sharing_index;           // 4 max_nv
  unsigned char* sharing_marks; // 2 max_nv
  unsigned char* passive;       // nv: 1 where no motor is
  limb_wrench* closure;         // 2 nloop: what closures do to bodies

  double *v1, *v2, *v3, *v4; // nv: scratch in the user's order
  double *r1, *r2, *r3;      // nrow: scratch
  double *q1, *q2, *q3;      // nq: scratch
  int* order;                // nv + 2 nrow: scratch
  unsigned char* dependent;  // nv: scratch
  double* dense;             // LIMB_LOOPS_DENSE: LIMB_DENSE_PARTS (nv + nrow + 1)^2 numbers; else NULL
  limb_loop_tangents along;  // LIMB_LOOPS_DENSE; else empty
  limb_dual* dual;           // LIMB_LOOPS_DENSE: of the tree; else NULL

  // of the calls of limb/dynamics.h (loops/closed.c)
  limb_loop_settings settings;
  limb_loop_details details;
  bool has_details;
  double* lambda; // nrow, the user's order
};

enum { LIMB_DENSE_PARTS = 6 }; // of dense scratch

// limb_loop_calls.size and init.
size_t limb_loops_size(const limb_model* m, limb_loops_use use);
limb_status limb_loops_init(limb_data* owner, limb_loops_use use, void* memory, limb_loops** out);

// Reads options (NULL: defaults).
limb_status limb_loop_options_read(const limb_loop_options* given, limb_loop_options* out);

// Options of the settings at the time of an environment.
limb_status limb_loop_options_at(const limb_loops* w, const limb_environment* env, limb_loop_options* out);

// What limb_get_loop_details returns after forward dynamics and impacts.
void limb_keep_details(limb_loops* w, const limb_closed_report* report, const double* lambda);

// What is left of a call on a robot without loops: is this a state? Links' poses and velocities are in d->own.
limb_status limb_check_tree_state(limb_data* d, const double* q, const double* v);

static inline bool limb_is_wheel(const limb_loop* loop)
{
  return loop->def.kind == LIMB_LOOP_WHEEL || loop->def.kind == LIMB_LOOP_ROLLING_DISC;
}

// Whether a pin, weld or the like stands turned round, where its constraints vanish, too. Needs limb_constraints_at.
bool limb_loop_is_flipped(const limb_loops* w, int loop);

// What limb_constraints_at computes.
enum {
  LIMB_NEED_PSI = 1,
  LIMB_NEED_GAMMA = 2,
  LIMB_NEED_REACH = 4,
  LIMB_NEED_LEAN = 8, // no phi; idle constraints are skipped, their gamma is that of prescribed motions
  LIMB_NEED_RAW = 16  // no check whether Psi and gamma are finite
};

// The equations at q, v (NULL: at rest), checked here: phi less s(t), rate, and what `need` requests: Psi, gamma,
// reach. Leaves the motion of the links in w->d->own. LIMB_E_NONFINITE also when a constraint is not finite;
// LIMB_E_SINGULAR when a wheel lies flat.
limb_status limb_constraints_at(limb_loops* w, const double* q, const double* v, double time, unsigned need);

#define LIMB_FAR_BELOW 1e-3 // a residual relative to the smallest pivot

// What elimination may leave of a constraint that depends on others: a share of the largest entry, and at least what is
// due to the residual where least squares leave a cluster open.
double limb_rank_tolerance(const limb_loops* w, int cluster, double tolerance);

// What least squares leave a cluster open that is rounded; 0: it is not. Points move as if their arms were wrong by
// LIMB_BENT of that.
double limb_rounded_gap(const limb_loops* w, int cluster);
#define LIMB_BENT 30

// Damping of steps of least norm, so that what is left open does not pull along the motion that the loops allow: a
// share of the largest row, squared. 0: the cluster is not rounded. Needs phi and Psi.
double limb_rounded_damping(const limb_loops* w, int cluster);

// A cluster's block of Psi, live constraints only, reduced with preferred columns (flags by the user's
// velocities; NULL: none): w->reduced. What is carried along:
typedef enum limb_carry {
  LIMB_CARRY_NOTHING,  // extra = 0
  LIMB_CARRY_RESIDUAL, // extra = 1: phi
  LIMB_CARRY_RATE,     // extra = 1: rate
  LIMB_CARRY_GAMMA,    // extra = 1: gamma
  LIMB_CARRY_STEPS     // extra = live constraints: the unit matrix
} limb_carry;
const limb_reduction* limb_reduce_cluster(limb_loops* w, int cluster, const unsigned char* prefer, limb_carry carry,
                                          double tolerance);

// Scales constraints of gears and polynomials, which have units of their own. r: live constraints of a cluster, with
// what is carried. The largest entry of each of these becomes that of the geometric constraints; with `apart`, those
// of rotations and those of positions get a largest entry of 1 each, too.
void limb_even_constraints(const limb_loops* w, int cluster, bool apart, limb_reduction* r);

// ---- whether a rank can be trusted (loops/reduce.c) ---------------------------------------------------------

// Smallest pivots, relative to the largest, that may be there only because loops are not quite closed: in any
// cluster, and where other constraints depend on each other as they are.
#define LIMB_THIN    1e-4
#define LIMB_SLENDER 1e-2

static inline bool limb_is_suspect(const limb_reduction* r)
{
  const double share = r->rank < r->rows ? LIMB_SLENDER : LIMB_THIN;
  return r->min_pivot < share * r->max_pivot;
}

static inline void limb_note_rank(limb_loops* w, const limb_reduction* r)
{
  w->full &= r->rank == r->rows;
  w->suspect |= limb_is_suspect(r);
  if (r->rank > 0 && r->min_pivot < w->pivot_ratio * r->max_pivot) w->pivot_ratio = r->min_pivot / r->max_pivot;
}

// The loop of live constraint i of a cluster.
int limb_loop_of_constraint(const limb_loops* w, int cluster, int i);

typedef struct limb_suspect { // where a rank is suspect, and by how much
  int loop;
  double residual;
} limb_suspect;

// From the constraints that are there: w->full and w->suspect.
void limb_find_suspect_ranks(limb_loops* w, double tolerance);

// LIMB_E_SINGULAR when dependent constraints cannot be distinguished from independent ones so far from the surface of
// the constraints. Needs phi and Psi. out may be NULL.
limb_status limb_check_distance(limb_loops* w, double tolerance, limb_suspect* out);

// LIMB_E_SINGULAR when constraints depend on each other here only: branches of motion meet, or a structure is
// shaky. Needs Psi at q; leaves other biases, and uses v1. out may be NULL.
limb_status limb_check_redundancy(limb_loops* w, const double* q, double time, double tolerance, limb_suspect* out);

// ---- along the independent velocities (loops/reduce.c); all need Psi ----------------------------------------
// The independent velocities are those of w->settings, or chosen; w->chosen flags them afterwards.

// x = Ghat' x for nv rows of `columns` numbers. LIMB_E_SINGULAR as limb_velocity_map.
limb_status limb_to_independent(limb_loops* w, int columns, double* x);

// x = Ghat x: the dependent velocities of x follow from the others.
limb_status limb_from_independent(limb_loops* w, double* x);

// In count vectors x (rows of nv), the dependent velocities such that Psi x = -right (rows of nrow, in the order of the
// clusters); the others, those marked in w->chosen, stay.
limb_status limb_follow_constraints(limb_loops* w, int count, double tolerance, const double* right, double* x);

// ---- orders, products, multipliers --------------------------------------------------------------------------

// From the order of the clusters to the user's, and back.
void limb_constraints_to_user(const limb_loops* w, const double* x, double* user);
void limb_constraints_from_user(const limb_loops* w, const double* user, double* x);

// y = Psi x, by blocks; y in the order of the clusters.
void limb_psi_times(const limb_loops* w, const double* x, double* y);

// Row r of Psi, of nv numbers.
void limb_psi_row(const limb_loops* w, int row, double* out);

// Multipliers of least norm with Psi' lambda = f for f in the span of Psi', cluster by cluster: those that
// balance f where they can. f: nv. lambda: nrow, in the order of the clusters; zero in idle constraints.
void limb_min_norm_multipliers(limb_loops* w, const double* f, double tolerance, double* lambda);

// ---- inverse dynamics ---------------------------------------------------------------------------------------

// Numbers of scratch for sharing torques in a cluster of n velocities.
size_t limb_sharing_size(size_t n);

// Checks the options of active joints, and copies them (NULL: defaults). Bounds may be infinite.
limb_status limb_actuation_read(const limb_loops* w, const limb_actuation* given, limb_actuation* out);

// tau at active joints that balances tree, what the tree needs, with the loops closed; Psi must be there.
// Counts and `unbalanced` of out are set, and w->suspect. LIMB_E_NONFINITE; LIMB_E_NOCONV: the active
// sets of the bounds did not converge (linalg/dense.h).
limb_status limb_share_torques(limb_loops* w, const limb_actuation* how, double tolerance, const double* tree,
                               double* tau, limb_closed_forces* out);

// ---- forward dynamics ---------------------------------------------------------------------------------------

// All methods are called with the constraints of the workspace found (limb_constraints_at, Psi and gamma) and
// Baumgarte's terms in gamma. They leave the constraints as they are, except for what limb_reduce_cluster works
// in. Multipliers are nrow numbers in the order of the clusters; NULL: not requested.

// The state, and what acts: checked, but for the environment.
typedef struct limb_forward_in {
  const double *q, *v, *tau;
  const limb_environment* env;
} limb_forward_in;

// Reads options (NULL: defaults). LIMB_E_ARG, LIMB_E_NONFINITE, LIMB_E_UNSUPPORTED.
limb_status limb_loop_solver_read(const limb_loop_solver* given, limb_loop_solver* out);

// limb_forward_dynamics by the settings of the workspace.
limb_status limb_forward_dynamics_closed(limb_loops* w, const double* q, const double* v, const double* tau,
                                         const limb_environment* env, double* a);

// Those that need LIMB_LOOPS_DENSE.
limb_status limb_forward_by_schur(limb_loops* w, const limb_forward_in* in, double tolerance, double* a,
                                  double* lambda);
limb_status limb_forward_by_kkt(limb_loops* w, const limb_forward_in* in, double tolerance, double* a, double* lambda);

// iterations: how many there were (output)
limb_status limb_forward_by_proximal(limb_loops* w, const limb_forward_in* in, const limb_loop_solver* o, double* a,
                                     double* lambda, int* iterations);

// Those that are linear in the number of links (loops/forward_tree.c): by MEXX, which needs LIMB_LOOPS_DENSE, and by
// sequential regularisation. Both need reach, and no mimic joints.
limb_status limb_forward_by_mexx(limb_loops* w, const limb_forward_in* in, double tolerance, double* a, double* lambda);
limb_status limb_forward_by_sequence(limb_loops* w, const limb_forward_in* in, const limb_loop_solver* o, double* a,
                                     double* lambda, int* iterations);

// Loops that hold the ends of chains (loops/held.c): whether the robot is like that (held.count), found with Psi, and
// the call, without multipliers and Baumgarte's terms. done: false: this state is not for it.
limb_held_plan limb_held_lay_out(limb_arena* a, const limb_model* m);
void limb_plan_held(limb_loops* w);
limb_status limb_forward_held(limb_loops* w, const limb_forward_in* in, const limb_loop_solver* o, double* a,
                              bool* done);

// The parts of dense scratch, (nv + nrow + 1)^2 numbers each.
typedef struct limb_dense {
  double* part[LIMB_DENSE_PARTS];
} limb_dense;

limb_dense limb_dense_parts(const limb_loops* w);

// Independent equations R x = b that are equivalent to the constraints (loops/forward_methods.c).
typedef struct limb_schur {
  int n, rank;
  double *R, *X; // rank x n: the equations, M^-1 R' transposed
  double* A;     // rank x rank: R M^-1 R', its Cholesky factor
} limb_schur;

// A from R and X. False when it is not positive definite.
bool limb_schur_factor(const limb_schur* k);

// x += M^-1 f with R x = b, f = R' mu (output). mu: scratch, rank numbers.
void limb_schur_solve(const limb_schur* k, const double* b, double* mu, double* x, double* f);

// x += M^-1 Psi' lambda, such that Psi x equals what carry selects. Constraints that depend on others are left
// to these, and lambda has the least norm. x holds on entry what it would be without the closures.
limb_status limb_schur_correct(limb_loops* w, const double* q, limb_carry carry, double tolerance, double* x,
                               double* lambda);

// Rounding of a constraint, relative to accelerations and squares of velocities of 1, or velocities of 1: the
// constraints of parts that cannot move contain nothing else.
#define LIMB_CONSTRAINT_ROUNDING 1e-12

// That for accelerations at v.
double limb_rounding_at(const limb_model* m, const double* v);

// Tolerances that may be left of a constraint that depends on others.
#define LIMB_CONTRADICTION 10

// Whether the constraints hold, Psi x = target, up to rounding and slack, and where they hold worst: residual and loop
// of the report, and its redundant constraints. out NULL: not requested.
bool limb_constraints_hold(limb_loops* w, const double* x, const double* target, double slack, double tolerance,
                           limb_closed_report* out);

// ---- derivatives --------------------------------------------------------------------------------------------

// Where derivatives are taken, and what is held: the motion, and the multipliers in the order of the
// clusters.
typedef struct limb_loop_point {
  limb_dual_at at; // x: accelerations
  const double* lambda;
} limb_loop_point;

// Along directions of q, v and a, what changes in
//   F = inverse dynamics of the tree - Psi' lambda        dF: count x nv
//   c = Psi a + Psi' v                                    dc: count x nrow, in the order of the clusters
// and in Psi itself, times z (nv; with dPsi_z NULL: not requested): count x nrow. Rows of directions are
// those of along.
typedef struct limb_loop_changes {
  double *dF, *dc, *dPsi_z; // NULL: not requested
  const double* z;
} limb_loop_changes;

limb_status limb_loop_along(limb_loops* w, limb_dual* u, const limb_loop_point* point, const limb_directions* along,
                            const limb_loop_changes* out);

// ---- closing ------------------------------------------------------------------------------------------------

// Closing loops, cluster by cluster: steps of least norm, and Levenberg and Marquardt's iteration on the
// manifold.
//
// What a closure asks for depends on the joints between its frames only, so that clusters are problems of
// their own.
// They are solved side by side: one pass over the tree serves all of them, and each has its own damping.

typedef enum limb_constraint_set { LIMB_CONSTRAINTS_ALL, LIMB_CONSTRAINTS_HOLONOMIC } limb_constraint_set;

// x = A' (A A' + mu)^-1 b: the velocities of a cluster, of least norm but for mu, by which its constraints change
// by b. A: the live rows of Psi in that set, without the columns of held velocities (marks; NULL: none).
// mu is damping times the largest row, squared, and never below what rounding needs. b in the order of the
// clusters. x: nv, of which only those of the cluster are written.
void limb_min_norm_step(limb_loops* w, int cluster, limb_constraint_set rows, const unsigned char* held, double damping,
                        const double* b, double* x);

typedef struct limb_closing {
  double time, tolerance;
  int iterations;
  double damping;            // to begin with
  const unsigned char* held; // NULL: none
  int kicks;                 // random steps away from where an iteration is stuck
  bool within_limits;
  uint64_t* seed; // of the kicks; NULL: there are none
} limb_closing;

// Of a cluster, in w->order.
enum { LIMB_CLUSTER_OPEN, LIMB_CLUSTER_CLOSED, LIMB_CLUSTER_STUCK };

// Closes the clusters that are marked as open, and marks them as closed or stuck. Uses v1, v4, q1, r1
// ... r3. Leaves the constraints at q, sines of turns beyond a right angle excepted. iterations: how many it took
// is added (may be NULL).
limb_status limb_close(limb_loops* w, const limb_closing* given, double* q, int* iterations);

// The tolerance of residuals, no less than what rounding leaves of positions so far from the world's origin.
// Needs the poses.
double limb_closing_tolerance(const limb_loops* w, double tolerance);

// All clusters get that state.
void limb_set_clusters(limb_loops* w, int state);

// Coordinates of the clusters in that state, held ones excepted, from one configuration to another.
void limb_copy_clusters(const limb_loops* w, int state, const unsigned char* held, const double* from, double* to);

// Largest |phi| of a cluster, in all its constraints. Needs limb_constraints_at.
double limb_cluster_residual(const limb_loops* w, int cluster);

// Held marks: of ball and free joints all or none. LIMB_OK or LIMB_E_ARG.
limb_status limb_check_held(const limb_model* m, const unsigned char* held);

#endif
