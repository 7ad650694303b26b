// limb: robot dynamics in C. Signals: numbers over time, given by samples.
//
// Inputs of a simulation from a table: m columns at n times that rise. Between samples
//
//     hold     the value of the sample before (zero-order hold)
//     linear   straight lines
//     spline   a quintic spline through all samples, continuous up to its fourth derivative, so that
//              accelerations come out smooth. At the ends it is "not a knot": the first three intervals share
//              one polynomial, and so do the last three; polynomials of degree 5 are reproduced. Of 4 and 5
//              samples: a cubic spline; of fewer: the polynomial through them
//
// and before the first and after the last sample their values, with derivatives zero. At a sample the curve
// is that of the interval after it, at the last one of the interval before it (hold: its own value).
//
// Columns are interpolated one by one. That is right for forces and for coordinates with one degree of
// freedom; it is not for the quaternions of ball and free joints, whose interpolated components are no
// rotation: such joints need another way to be told their motion.
// Signals cannot change, and threads may share them. Link limb_sim.
//
// This header belongs to the library limb_sim.
#ifndef LIMB_SIGNAL_H
#define LIMB_SIGNAL_H

#include "limb/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limb_signal limb_signal;

/// X(name, value, text): what is between samples. Values are pinned.
#define LIMB_SIGNAL_LIST(X) \
  X(HOLD, 0, "hold")        \
  X(LINEAR, 1, "linear")    \
  X(SPLINE, 2, "spline")

typedef enum limb_signal_kind {
#define LIMB_X(name, value, text) LIMB_SIGNAL_##name = (value),
  LIMB_SIGNAL_LIST(LIMB_X)
#undef LIMB_X
} limb_signal_kind;

LIMB_API const char* limb_signal_kind_name(limb_signal_kind kind); ///< NULL: there is no such

/// Samples, row by row. They are copied.
typedef struct limb_samples {
  size_t count;        ///< n >= 1
  const double* time;  ///< n, each above the one before
  int columns;         ///< m >= 0
  const double* value; ///< n rows of m
  size_t stride;       ///< from the start of one row to that of the next; 0: m
} limb_samples;

/// @param out  (output)
/// @param err  says which sample is wrong; its line is that of the sample, counted from 1. NULL: not wanted
/// @return LIMB_OK; LIMB_E_ARG (NULL, no samples, times that do not rise, a stride below m, no such kind,
///         half an allocator); LIMB_E_NONFINITE (in the samples, or a spline that overflows); LIMB_E_NOMEM.
/// O(n m). Memory: 8 n (m + 1) bytes; of a spline 8 n (m + 2), and 88 n more while it is made.
LIMB_NODISCARD LIMB_API limb_status limb_signal_create(limb_signal_kind kind, const limb_samples* samples,
                                                       const limb_allocator* alloc, limb_signal** out, limb_error* err);
LIMB_API void limb_signal_destroy(limb_signal* s); ///< NULL is accepted

LIMB_API int limb_signal_columns(const limb_signal* s); ///< m; 0 for NULL

/// Values and derivatives at any time. Allocates nothing.
/// @param x   m: values (output; NULL: not wanted)
/// @param x1  m: first derivatives (output; NULL: not wanted)
/// @param x2  m: second derivatives (output; NULL: not wanted)
/// @return LIMB_OK, LIMB_E_ARG (s is NULL), LIMB_E_NONFINITE (t, or a result).
/// O(log n + m).
LIMB_NODISCARD LIMB_API limb_status limb_signal_at(const limb_signal* s, double t, double* x, double* x1, double* x2);

/// The first time after t at which the signal may jump or bend: the next sample, of a spline the first or the
/// last one; HUGE_VAL: none, nor for NULL or a t that is NaN. Just before a jump of a held signal is any time
/// below the sample's.
LIMB_API double limb_signal_next_break(const limb_signal* s, double t);

#ifdef __cplusplus
}
#endif

#endif
