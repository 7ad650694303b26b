// The kernels as the entry points see them: a table of functions per scalar type and instruction set.
//
// Every kernel takes the user's vectors, checked, and works in the workspace. The same texts
// (kernel/kernel_set.h) are compiled for double and dual numbers in the library, and for other scalars
// elsewhere. A table has what its users call, and nothing else is compiled (tools/check_kernels.py).
#ifndef LIMB_KERNEL_TABLES_H
#define LIMB_KERNEL_TABLES_H

#include "kernel/numbers.h"
#include "linalg/dense.h"
#include "model/data_impl.h"
#include "model/model_impl.h"

// Which forces besides the rigid bodies' an inverse or forward dynamics counts.
typedef struct limb_terms {
  bool rotors, friction, springs;
  double width; // of the smoothed sign; 0: exact
} limb_terms;

enum { BODY_ROW = 16 }; // cells of a row of a body's terms, whole vectors

// Lane kernels, on the dof table: cells are what rows consist of. Vectors are in compiled order, matrices in the
// user's (kernel/lane_passes_kernel.h).
#define LIMB_LANE_SET(name, cell)                                                                                     \
  typedef struct name##_in {                                                                                          \
    const cell *q, *v, *a; /* ncdof each; a may be NULL: zero */                                                      \
    const double* base;    /* states of the bases (limb_ws); NULL: at rest, without gravity */                        \
    bool base_turns;                                                                                                  \
    bool keep;            /* the dof table is read afterwards */                                                      \
    const cell* slope[3]; /* forward_block: see there */                                                              \
  } name##_in;                                                                                                        \
  typedef struct name##_out {                                                                                         \
    cell *tau, *M, *dq, *dv;                                                                                          \
  } name##_out;                                                                                                       \
  /* tensors, nv x nv x nv in the user's order, NULL: not computed; and scratch */                                    \
  typedef struct name##_second {                                                                                      \
    cell *dqdq, *dqdv, *dvdv, *dqdx;                                                                                  \
    cell* work; /* limb_second_work(m) */                                                                             \
    int* path;  /* LIMB_SECOND_PLACES ncdof */                                                                        \
  } name##_second;                                                                                                    \
  typedef struct name {                                                                                               \
    int lanes; /* of a block */                                                                                       \
    bool (*inverse)(const limb_model* m, const limb_dof_table* s, const name##_in* in, const name##_out* out);        \
    /* tau and M without accelerations; then dq and dv with them */                                                   \
    bool (*bias)(const limb_model* m, const limb_dof_table* s, const name##_in* in, const name##_out* out);           \
    bool (*slopes)(const limb_model* m, const limb_dof_table* s, const cell* a, const name##_out* out);               \
    bool (*coriolis)(const limb_model* m, const limb_dof_table* s, const name##_in* in, limb_slopes kind,             \
                     const name##_out* out);                                                                          \
    /* forward dynamics of a robot of one block (see there); the smallest margin of a pivot; NULL:  */                \
    /* there is one lane only */                                                                                      \
    cell (*forward_block)(const limb_model* m, const limb_dof_table* s, const name##_in* in, const cell* tau,         \
                          const name##_out* out);                                                                     \
    /* second derivatives of rigid bodies; NULL: there is one lane only */                                            \
    bool (*second)(const limb_model* m, const limb_dof_table* s, const name##_in* in, const name##_second* out);      \
    /* Hessians of lambda' tau, nv x nv each */                                                                       \
    bool (*hessian)(const limb_model* m, const limb_dof_table* s, const name##_in* in, const cell* lambda,            \
                    const name##_second* out);                                                                        \
    /* X = M^-1 in the user's order from its factors; work: n times the lanes; list: n places */                      \
    bool (*invert)(const limb_elimination* e, int n, const cell* L, cell* X, cell* work, int* list);                  \
    /* rows of a regressor, at Y + at[k], from the axes (w; v) of dofs dof[k]; put or added; false: not finite */     \
    bool (*body_rows)(const cell* terms, const cell* X, const cell* axes, const int* dof, const ptrdiff_t* at,        \
                      int count, bool more, cell* Y);                                                                 \
    /* X = -A X, X with entries along the tree of e; NULL: anywhere; list: 2 n places */                              \
    bool (*take_product)(const limb_elimination* e, int n, const cell* A, cell* X, cell* work, int* list);            \
    /* by the runs of e, kernel/lane_tree_kernel.h; NULL: there is one lane only */                                   \
    cell (*tree_factor)(const limb_elimination* e, int n, const cell* M, const limb_dof_table* s);                    \
    void (*tree_solve)(const limb_elimination* e, int n, const limb_dof_table* s, cell* x);                           \
    bool (*tree_inverse)(const limb_elimination* e, int n, const limb_dof_table* s, bool anywhere, cell* X, cell* dq, \
                         cell* dv);                                                                                   \
    /* tensors of forward dynamics from those of inverse dynamics; first: M^-1, dacc/dq and dacc/dv; NULL as above */ \
    bool (*forward_second)(const limb_model* m, const name##_out* first, const name##_second* out);                   \
  } name

// The kernels of kernel/kernel_set.h over one scalar type: their arguments, and the type name_x_fn of every
// kernel x. A table holds those that its scalar is asked for.
//
// wrench: nlink forces (n, f) in link axes that act on the links, or NULL. X: 12 numbers a link, motions 6.
// mass_matrix, q NULL: the coordinates are in the workspace already. Kernels that return bool: false when a
// matrix they made has entries that are not finite. Kernels that return a scalar: the smallest margin of a
// pivot.
// name_motion: x is the acceleration, or the force that makes it; name_slopes: the other one, and its
// derivatives by q, v and x, nv x nv in the user's order; NULL: not computed.
#define LIMB_KERNEL_TYPES(name, real, link_const)                                                                     \
  LIMB_LANE_SET(name##_lanes, real);                                                                                  \
  typedef struct name##_load { /* a wrench of scalars (n, f) */                                                       \
    int frame;                                                                                                        \
    limb_ref ref;                                                                                                     \
    const real* F;                                                                                                    \
  } name##_load;                                                                                                      \
  typedef struct name##_motion {                                                                                      \
    const real *q, *v, *x;                                                                                            \
    const limb_terms* terms;                                                                                          \
    const limb_wrench* wrench;                                                                                        \
    int nwrench;                                                                                                      \
    const name##_load* load; /* and others */                                                                         \
    int nload;                                                                                                        \
  } name##_motion;                                                                                                    \
  typedef struct name##_slopes {                                                                                      \
    real *y, *dq, *dv, *dx;                                                                                           \
  } name##_slopes;                                                                                                    \
  typedef struct name##_hybrid {                                                                                      \
    const real *q, *v;                                                                                                \
    const unsigned char* given; /* nv: LIMB_FORCE_GIVEN or LIMB_ACCELERATION_GIVEN */                                 \
    const real* x;              /* accelerations where they are given, else forces */                                 \
    const limb_terms* terms;                                                                                          \
    const real* wrench;                                                                                               \
  } name##_hybrid;                                                                                                    \
  /* no NaN and no infinity in q (nq), v and a (nv), of which v and a may be NULL */                                  \
  typedef bool name##_finite_fn(const limb_model* m, const real* q, const real* v, const real* a);                    \
  /* the same of one vector of nv numbers, made just now */                                                           \
  typedef bool name##_finite_result_fn(const limb_model* m, const real* x);                                           \
  typedef bool name##_finite_matrix_fn(const limb_model* m, const real* A); /* of nv x nv */                          \
  /* poses; with v velocities and a_v; with a accelerations */                                                        \
  typedef void name##_link_motion_fn(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,      \
                                     const real* v, const real* a, real* X, real* vel, real* acc, real* acc_v);       \
  typedef void name##_inverse_dynamics_fn(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q, \
                                          const real* v, const real* a, const limb_terms* terms, const real* wrench,  \
                                          real* tau);                                                                 \
  /* the same with the coordinates in the workspace already */                                                        \
  typedef void name##_loaded_inverse_dynamics_fn(const limb_model* m, const link_const* k, const limb_ws* ws,         \
                                                 const real* v, const real* a, const limb_terms* terms,               \
                                                 const real* wrench, real* tau);                                      \
  /* what friction, and springs where q is not NULL, take */                                                          \
  typedef void name##_passive_fn(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,          \
                                 const real* v, const limb_terms* terms, real* tau);                                  \
  typedef void name##_mass_matrix_fn(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,      \
                                     real* M);                                                                        \
  typedef bool name##_coriolis_matrix_fn(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,  \
                                         const real* v, limb_slopes kind, real* C);                                   \
  typedef bool name##_id_derivatives_fn(const limb_model* m, const link_const* k, const limb_ws* ws,                  \
                                        const name##_motion* in, const name##_slopes* out);                           \
  /* all of out but y must be there; ws->table.finite is set */                                                       \
  typedef real name##_fd_derivatives_fn(const limb_model* m, const link_const* k, const limb_ws* ws,                  \
                                        const name##_motion* in, const name##_slopes* out);                           \
  /* rigid bodies only: no mimic joints and no wrenches; what actuators add is left out */                            \
  typedef bool name##_id_second_fn(const limb_model* m, const link_const* k, const limb_ws* ws,                       \
                                   const name##_motion* in, const name##_lanes_second* out);                          \
  /* the same, summed over tau with weights: nv x nv each */                                                          \
  typedef bool name##_id_hessian_fn(const limb_model* m, const link_const* k, const limb_ws* ws,                      \
                                    const name##_motion* in, const real* lambda, const name##_lanes_second* out);     \
  /* X = -A X, nv x nv */                                                                                             \
  typedef bool name##_take_product_fn(const limb_model* m, const limb_ws* ws, const real* A, real* X);                \
  /* of forward dynamics, from those in out; dqdx must be there; first: M^-1, dacc/dq and dacc/dv */                  \
  typedef bool name##_fd_second_fn(const limb_model* m, const name##_lanes_out* first,                                \
                                   const name##_lanes_second* out);                                                   \
  /* factors M into packed rows */                                                                                    \
  typedef real name##_factor_fn(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,           \
                                real* packed);                                                                        \
  /* the same, and M^-1 in the user's order; ws->table.finite is set */                                               \
  typedef real name##_invert_fn(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,           \
                                real* packed, real* Minv);                                                            \
  /* x = M^-1 x in the user's order, from the factors */                                                              \
  typedef void name##_solve_fn(const limb_model* m, const limb_ws* ws, const real* packed, real* x);                  \
  /* articulated bodies */                                                                                            \
  typedef real name##_aba_fn(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,              \
                             const real* v, const real* tau, const limb_terms* terms, const real* wrench, real* a);   \
  /* through M and its factors */                                                                                     \
  typedef real name##_by_mass_matrix_fn(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,   \
                                        const real* v, const real* tau, const limb_terms* terms, const real* wrench,  \
                                        real* packed, real* a);                                                       \
  /* a and tau, complete */                                                                                           \
  typedef real name##_hybrid_fn(const limb_model* m, const link_const* k, const limb_ws* ws, const name##_hybrid* in, \
                                real* a, real* tau);                                                                  \
  typedef real name##_hybrid_by_mass_matrix_fn(const limb_model* m, const link_const* k, const limb_ws* ws,           \
                                               const name##_hybrid* in, real* packed, real* a, real* tau);            \
  /* Y: nv x np, np = limb_parameter_count(), or limb_inertial_parameter_count(); in->x: */                           \
  /* accelerations; wrenches are left out */                                                                          \
  typedef bool name##_regressor_fn(const limb_model* m, const link_const* k, const limb_ws* ws,                       \
                                   const name##_motion* in, int np, real* Y);                                         \
  /* nv force columns about the centre of mass, or the world's origin, from the poses X; scratch: 10 a link */        \
  typedef void name##_momentum_matrix_fn(const limb_model* m, const link_const* k, const real* X, bool centroidal,    \
                                         real* scratch, real* A);                                                     \
  /* the same at q; X: scratch, 12 a link */                                                                          \
  typedef void name##_momentum_matrix_at_fn(const limb_model* m, const link_const* k, const limb_ws* ws,              \
                                            const real* q, bool centroidal, real* X, real* A);                        \
  /* adds a wrench (n, f) to the forces on the links, from their poses X */                                           \
  typedef void name##_add_wrench_fn(const limb_model* m, const real* X, int frame, limb_ref ref, const real* F,       \
                                    real* on);                                                                        \
  /* poses of a link and of those that carry it */                                                                    \
  typedef void name##_way_poses_fn(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,        \
                                   int link, real* X);                                                                \
  /* of a frame at in_link in a link (-1: in the world), from the poses X of the links: 12 */                         \
  /* numbers; nv columns */                                                                                           \
  typedef void name##_frame_pose_fn(const real* X, int link, const sp_pose* in_link, real* out);                      \
  typedef void name##_frame_jacobian_fn(const limb_model* m, const link_const* k, const real* X, int link,            \
                                        const sp_pose* in_link, limb_ref ref, real* J);                               \
  /* forward dynamics of a short chain (limb_is_short_chain) */                                                       \
  typedef real name##_forward_chain_fn(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,    \
                                       const real* v, const real* tau, const limb_terms* terms, const real* wrench,   \
                                       real* a)

// A member of a table.
#define LIMB_KERNEL(name, x) name##_##x##_fn* x

LIMB_KERNEL_TYPES(limb_kernels, double, limb_link_f64);

typedef struct limb_kernels {
  LIMB_KERNEL(limb_kernels, finite);
  LIMB_KERNEL(limb_kernels, finite_result);
  LIMB_KERNEL(limb_kernels, finite_matrix);
  LIMB_KERNEL(limb_kernels, link_motion);
  LIMB_KERNEL(limb_kernels, inverse_dynamics);
  LIMB_KERNEL(limb_kernels, loaded_inverse_dynamics);
  LIMB_KERNEL(limb_kernels, passive);
  LIMB_KERNEL(limb_kernels, mass_matrix);
  LIMB_KERNEL(limb_kernels, coriolis_matrix);
  LIMB_KERNEL(limb_kernels, id_derivatives);
  LIMB_KERNEL(limb_kernels, fd_derivatives);
  LIMB_KERNEL(limb_kernels, id_second);
  LIMB_KERNEL(limb_kernels, factor);
  LIMB_KERNEL(limb_kernels, invert);
  LIMB_KERNEL(limb_kernels, solve);
  LIMB_KERNEL(limb_kernels, aba);
  LIMB_KERNEL(limb_kernels, by_mass_matrix);
  LIMB_KERNEL(limb_kernels, hybrid);
  LIMB_KERNEL(limb_kernels, hybrid_by_mass_matrix);
  LIMB_KERNEL(limb_kernels, regressor);
  LIMB_KERNEL(limb_kernels, momentum_matrix);
  LIMB_KERNEL(limb_kernels, add_wrench);
  LIMB_KERNEL(limb_kernels, frame_jacobian);
  LIMB_KERNEL(limb_kernels, forward_chain);
  LIMB_KERNEL(limb_kernels, momentum_matrix_at);
  LIMB_KERNEL(limb_kernels, way_poses);
  LIMB_KERNEL(limb_kernels, id_hessian);
  LIMB_KERNEL(limb_kernels, fd_second);
  LIMB_KERNEL(limb_kernels, take_product);
} limb_kernels;

// Chains by vectors of columns (kernel/kernels_chain_f64.c).
typedef struct limb_chain_kernels {
  void (*mass_matrix)(const limb_model* m, const limb_link_f64* k, const limb_ws* ws, const double* q, double* M);
  double (*forward)(const limb_model* m, const limb_link_f64* k, const limb_ws* ws, const double* q, const double* v,
                    const double* tau, const limb_terms* terms, const double* wrench, double* a);
} limb_chain_kernels;

// One chain of rotations whose dofs are the user's, and one so short that forward dynamics goes through its
// mass matrix. Slides are left out: compilers round their columns differently in vectors.
static inline bool limb_is_chain(const limb_model* m) { return m->nrun == 1 && !m->mixed && m->identity; }

static inline bool limb_is_short_chain(const limb_model* m) { return limb_is_chain(m) && m->nv >= 4 && m->nv <= 7; }

// ---- instruction sets ------------------------------------------------------------------------------

// The table `name` of every instruction set: name_base, name_v3, name_v4, as far as they were built.
#define LIMB_DECLARE_TABLES(type, name) extern const type name##_base, name##_v3, name##_v4

LIMB_DECLARE_TABLES(limb_chain_kernels, limb_chain_f64); // where vectors have eight lanes
LIMB_DECLARE_TABLES(limb_kernels_lanes, limb_lanes_f64);
LIMB_DECLARE_TABLES(limb_kernels, limb_kernels_f64);

// LIMB_HAVE_BASE, LIMB_HAVE_V3 and LIMB_HAVE_V4 say which sets were built.
#ifdef LIMB_HAVE_BASE
#define LIMB_IF_BASE(table) &(table)
#else
#define LIMB_IF_BASE(table) NULL
#endif
#ifdef LIMB_HAVE_V3
#define LIMB_IF_V3(table) &(table)
#else
#define LIMB_IF_V3(table) NULL
#endif
#ifdef LIMB_HAVE_V4
#define LIMB_IF_V4(table) &(table)
#else
#define LIMB_IF_V4(table) NULL
#endif

// All tables of a name, in the order of limb_isa_here().
#define LIMB_TABLES(name)                                                   \
  {                                                                         \
    LIMB_IF_BASE(name##_base), LIMB_IF_V3(name##_v3), LIMB_IF_V4(name##_v4) \
  }

// The definition of `const type* choose(void)`, which returns the table for this process.
#define LIMB_DEFINE_CHOICE(type, choose, name)     \
  const type* choose(void)                         \
  {                                                \
    const type* const table[] = LIMB_TABLES(name); \
    return table[limb_isa_here()];                 \
  }

// The table for this process.
const limb_kernels* limb_kernels_here(void);

// The set of a workspace, chosen at the first call.
static inline const limb_kernels* limb_kernels_of(limb_data* d)
{
  if (!d->kernels) d->kernels = limb_kernels_here();
  return d->kernels;
}

// ---- kernels over dual numbers: derivatives along directions ---------------------------------------

LIMB_KERNEL_TYPES(limb_kernels_dual, limb_dual_number, limb_link_f64);

typedef struct limb_kernels_dual {
  LIMB_KERNEL(limb_kernels_dual, finite_result);
  LIMB_KERNEL(limb_kernels_dual, link_motion);
  LIMB_KERNEL(limb_kernels_dual, inverse_dynamics);
  LIMB_KERNEL(limb_kernels_dual, id_derivatives);
  LIMB_KERNEL(limb_kernels_dual, fd_derivatives);
  LIMB_KERNEL(limb_kernels_dual, aba);
  LIMB_KERNEL(limb_kernels_dual, by_mass_matrix);
  LIMB_KERNEL(limb_kernels_dual, hybrid);
  LIMB_KERNEL(limb_kernels_dual, hybrid_by_mass_matrix);
} limb_kernels_dual;

LIMB_DECLARE_TABLES(limb_kernels_dual, limb_kernels_dual);

// The fastest set that this processor runs.
const limb_kernels_dual* limb_kernels_dual_here(void);

// ---- kernels of loops ------------------------------------------------------------------------------

// Constraint equations and multipliers are in the order of the clusters: local row r of cluster c is number
// c.row + r.
//
// name_in: q, v and a are the user's (gears and polynomials read them; a NULL: zero); X, vel and acc those
// of the links (limb_link_motion), vel and acc NULL: at rest. name_out: NULL: not computed.
#define LIMB_LOOP_KERNEL_TYPES(name, real, link_const)                                                               \
  typedef struct name##_in {                                                                                         \
    const real *q, *v, *a;                                                                                           \
    const real *X, *vel, *acc;                                                                                       \
    const unsigned char* wanted; /* nloop: rows, by bits, the others stay as they are; NULL: all */                  \
  } name##_in;                                                                                                       \
  typedef struct name##_out {                                                                                        \
    real* Psi;   /* blocks of the clusters */                                                                        \
    real* phi;   /* nrow */                                                                                          \
    real* bias;  /* nrow: derivative of the rows' velocities, with acc and a */                                      \
    real* reach; /* 6 nrow: moment and force, world axes, of a unit multiplier at the origin */                      \
    /* of b; of gears the slopes by the two velocities */                                                            \
  } name##_out;                                                                                                      \
  typedef void name##_rows_fn(const limb_model* m, const link_const* k, const name##_in* in, const name##_out* out); \
  /* adds to wrench, 6 a link in link axes, and to tau, the user's */                                                \
  typedef void name##_forces_fn(const limb_model* m, const real* X, const real* reach, const real* lambda,           \
                                real* wrench, real* tau)

LIMB_LOOP_KERNEL_TYPES(limb_loop_kernels, double, limb_link_f64);

typedef struct limb_loop_kernels {
  LIMB_KERNEL(limb_loop_kernels, rows);
} limb_loop_kernels;

// Forward dynamics with clusters as joints (kernel/cluster_kernel.h). v, tau and a are the user's. Needs
// the coordinates in the workspace, and poses. Not for mimic joints.
enum { LIMB_CLUSTER_DOF = 8 }; // numbers kept of a velocity, one of them for padding

// Numbers of scratch for a cluster of n velocities.
static inline size_t limb_cluster_scratch(size_t n) { return 4 * n * (n + 4) + 30 * n + 64; }

typedef struct limb_cluster_in {
  const limb_kernels* kernels;
  const double *v, *tau;
  const limb_terms* terms;
  const double* wrench;
  const double* X;
  const limb_reduction* reduced; // of every cluster, gamma carried along
  const int* column;             // ncdof: column in the cluster's block
  const int* first;              // clusters: velocities of those before
  double* scratch;               // limb_cluster_scratch of the largest
  double* kept;                  // LIMB_CLUSTER_DOF times the velocities of all
} limb_cluster_in;

typedef struct limb_cluster_kernels {
  // limb_row_reduce_weighted; columns + extra: fastest as a multiple of LIMB_QUAD
  void (*reduce)(limb_reduction* r, const int* weight, double tolerance);
  // a; the smallest margin of a pivot
  double (*forward)(const limb_model* m, const limb_link_f64* k, const limb_ws* ws, const limb_cluster_in* in,
                    double* a);
  // the same for a robot that is one cluster on the world
  double (*forward_single)(const limb_model* m, const limb_link_f64* k, const limb_ws* ws, const limb_cluster_in* in,
                           double* a);
} limb_cluster_kernels;

LIMB_DECLARE_TABLES(limb_cluster_kernels, limb_cluster_kernels_f64);
LIMB_DECLARE_TABLES(limb_loop_kernels, limb_loop_kernels_f64);

// The fastest sets that this processor runs.
const limb_loop_kernels* limb_loop_kernels_here(void);
const limb_cluster_kernels* limb_cluster_kernels_here(void);

LIMB_LOOP_KERNEL_TYPES(limb_loop_kernels_dual, limb_dual_number, limb_link_f64);

typedef struct limb_loop_kernels_dual {
  LIMB_KERNEL(limb_loop_kernels_dual, rows);
  LIMB_KERNEL(limb_loop_kernels_dual, forces);
} limb_loop_kernels_dual;

LIMB_DECLARE_TABLES(limb_loop_kernels_dual, limb_loop_kernels_dual);

// The fastest set that this processor runs.
const limb_loop_kernels_dual* limb_loop_kernels_dual_here(void);

// Pivots below this share of the largest one count as zero.
#define LIMB_ZERO_PIVOT 1e-30

// ---- checks of the user's vectors by the kernels ---------------------------------------------------

// No NaN and no infinity in a vector of nv numbers in the user's order.
static inline bool limb_finite_v(limb_data* d, const double* v) { return limb_kernels_of(d)->finite_result(d->m, v); }

// The state a kernel is to work on: LIMB_OK, LIMB_E_NONFINITE or LIMB_E_ARG (a quaternion); v and a may be NULL.
static inline limb_status limb_check_state(limb_data* d, const double* q, const double* v, const double* a)
{
  if (!limb_kernels_of(d)->finite(d->m, q, v, a)) return LIMB_E_NONFINITE;
  return limb_unit_quaternions(d->m, q) ? LIMB_OK : LIMB_E_ARG;
}

#endif
