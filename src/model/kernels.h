// The kernels as the entry points see them: a table of functions per scalar type and instruction set.
//
// Every kernel takes the user's vectors, checked, and works in the workspace. The same texts
// (dynamics/kernel_set.h) are compiled for double in the library, and for other scalars elsewhere. The
// interface stands below kinematics and dynamics, which both call through it.
#ifndef LIMB_KERNELS_H
#define LIMB_KERNELS_H

#include "model/data_impl.h"

// Which forces besides the rigid bodies' an inverse or forward dynamics counts.
typedef struct limb_terms {
  bool rotors, friction, springs;
  double width; // of the smoothed sign; 0: exact
} limb_terms;

// Row kernels, on the sheet: cells are what rows consist of.
#define LIMB_ROW_SET(name, cell)                                                             \
  typedef struct name {                                                                      \
    void (*velocities)(const limb_model* m, const limb_sheet* s, limb_slopes kind);          \
    void (*accelerations)(const limb_model* m, const limb_sheet* s);                         \
    void (*bodies)(const limb_model* m, const limb_sheet* s, bool forces);                   \
    void (*forces)(const limb_model* m, const limb_sheet* s);                                \
    void (*columns_v)(const limb_model* m, const limb_sheet* s, limb_slopes kind);           \
    void (*columns_q)(const limb_model* m, const limb_sheet* s);                             \
    void (*tau)(const limb_model* m, const limb_sheet* s);                                   \
    void (*products)(const limb_model* m, const limb_sheet* s, cell* M, cell* dq, cell* dv); \
    /* inverse of a positive definite matrix in place; the least margin of a pivot */        \
    cell (*invert)(int n, cell* A, cell* diagonal);                                          \
    /* X = -A X */                                                                           \
    void (*take_product)(int n, const cell* A, cell* X, cell* work);                         \
  } name

// wrench: nlink forces (n, f) in link axes that act on the links, or NULL.
// X: 12 numbers a link, the motions 6.
// name_motion: x is the acceleration, or the force that makes it; name_slopes: the other one, and its
// derivatives by q, v and x, nv x nv in the user's order; what is NULL is not wanted.
#define LIMB_KERNEL_SET(name, real, link_const)                                                    \
  LIMB_ROW_SET(name##_rows, real);                                                                 \
  typedef struct name##_motion {                                                                   \
    const real *q, *v, *x;                                                                         \
    const limb_terms* terms;                                                                       \
    const limb_wrench* wrench;                                                                     \
    int nwrench;                                                                                   \
  } name##_motion;                                                                                 \
  typedef struct name##_slopes {                                                                   \
    real *y, *dq, *dv, *dx;                                                                        \
  } name##_slopes;                                                                                 \
  typedef struct name {                                                                            \
    /* no NaN and no infinity in q (nq), v and a (nv), of which v and a may be NULL */             \
    bool (*finite)(const limb_model* m, const real* q, const real* v, const real* a);              \
    /* the same of one vector of nv numbers, made just now */                                      \
    bool (*finite_result)(const limb_model* m, const real* x);                                     \
    bool (*finite_matrix)(const limb_model* m, const real* A); /* of nv x nv */                    \
    /* poses; with v velocities and a_v; with a accelerations */                                   \
    void (*link_motion)(const limb_model* m, const link_const* k, const limb_ws* ws,               \
                        const real* q, const real* v, const real* a, real* X, real* vel,           \
                        real* acc, real* acc_v);                                                   \
    void (*inverse_dynamics)(const limb_model* m, const link_const* k, const limb_ws* ws,          \
                             const real* q, const real* v, const real* a, const limb_terms* terms, \
                             const real* wrench, real* tau);                                       \
    void (*mass_matrix)(const limb_model* m, const link_const* k, const limb_ws* ws,               \
                        const real* q, real* M);                                                   \
    void (*coriolis_matrix)(const limb_model* m, const link_const* k, const limb_ws* ws,           \
                            const real* q, const real* v, limb_slopes kind, real* C);              \
    void (*id_derivatives)(const limb_model* m, const link_const* k, const limb_ws* ws,            \
                           const name##_motion* in, const name##_slopes* out);                     \
    /* all of out but y must be there; the least margin of a pivot */                              \
    real (*fd_derivatives)(const limb_model* m, const link_const* k, const limb_ws* ws,            \
                           const name##_motion* in, const name##_slopes* out);                     \
    /* factors M into packed rows; the least margin of a pivot */                                  \
    real (*factor)(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,     \
                   real* packed);                                                                  \
    /* x = M^-1 x in the user's order, from the factors */                                         \
    void (*solve)(const limb_model* m, const limb_ws* ws, const real* packed, real* x);            \
    /* articulated bodies; the least margin of a pivot */                                          \
    real (*aba)(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,        \
                const real* v, const real* tau, const limb_terms* terms, const real* wrench,       \
                real* a);                                                                          \
    /* through M and its factors */                                                                \
    real (*by_mass_matrix)(const limb_model* m, const link_const* k, const limb_ws* ws,            \
                           const real* q, const real* v, const real* tau, const limb_terms* terms, \
                           const real* wrench, real* packed, real* a);                             \
  } name

LIMB_KERNEL_SET(limb_kernels, double, limb_link_f64);

extern const limb_kernels_rows limb_rows_f64_base;
extern const limb_kernels_rows limb_rows_f64_v3;
extern const limb_kernels_rows limb_rows_f64_v4;

extern const limb_kernels limb_kernels_f64_base;
extern const limb_kernels limb_kernels_f64_v3;
extern const limb_kernels limb_kernels_f64_v4;

// The fastest set that this processor runs.
const limb_kernels* limb_kernels_here(void);

// The set of a workspace, chosen at the first call.
static inline const limb_kernels* limb_kernels_of(limb_data* d)
{
  if (!d->kernels) d->kernels = limb_kernels_here();
  return d->kernels;
}

#endif
