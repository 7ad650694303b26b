// What the files of an identification share: rows of a filtered log, triangles of least squares, the object.
//
//   log.c             samples -> windows, by a filter without phase; its cut-off
//   rows.c            filtered coordinates -> rows: quaternions, closed loops, instruments; known loads, wrenches
//   equations.c       rows -> regressor -> triangle
//   least_squares.c   triangles, estimates, their covariance
//   ident.c           the object, answers, estimates as a robot
//   fit.c             the estimators, validation
//   instruments.c     instrumental variables
//   physical.c        parameters that rigid bodies can have
//   physical_weight.c the weight of the model in that fit
//   pseudo_inertia.c  its matrices; payload.c, payload_physical.c: loads of grippers, by the same
//   observer.c        torques from outside (needs none of the others)
//   suspicions.c      sentences about logs that are not what they should be
#ifndef LIMB_IDENT_IMPL_H
#define LIMB_IDENT_IMPL_H

#include "limb/ident.h"

#include <stdbool.h>
#include <stddef.h>

// ---- the log ----------------------------------------------------------------------------------------------

// Low-pass filter: a sinc with a Hann window on both sides of a sample, and its derivatives by time.
//
//   h(t) = 2 f sinc(2 f t) (1 + cos(pi t / T)) / 2,   |t| < T = 3.1 / f
//
// Half of the amplitude passes at f, all of it below 0.75 f, 0.6 % above 1.25 f.
typedef struct limb_filter {
  int half;      // taps on either side of the middle
  double dt;     // between taps
  double* h[3];  // 2 half + 1 taps: values, first and second derivative
  double passed; // variance of white noise of variance 1 after the filter
} limb_filter;

limb_status limb_filter_make(double cutoff, double dt, limb_filter* out);
int limb_filter_every(double cutoff, double dt); // how many of its results are one that is kept
void limb_filter_free(limb_filter* f);

// Grows by doubling; of numbers.
typedef struct limb_numbers {
  double* x;
  size_t count, capacity;
} limb_numbers;

bool limb_numbers_add(limb_numbers* a, const double* x, size_t count);

// A ball joint, or the turning part of a free one: a quaternion in q, and where its velocity is in v.
typedef struct limb_turn {
  int quaternion, w;
  bool moves; // three numbers of position are before the quaternion, three of velocity behind w
} limb_turn;

typedef struct limb_log {
  int nq, nv;
  int channels; // of a sample: q, tau, v where it is measured, the reference of q where it is known
  bool has_v, has_reference, begun, open;
  limb_numbers first; // samples that wait for the cut-off: time and channels; an empty window between logs
  size_t waiting;
  double dt;             // median step
  double cutoff, motion; // cutoff: of the equations
  limb_filter filter;    // of the samples
  int every;             // samples per row
  // the window of the filter: a ring whose samples are there twice, so that taps are contiguous
  double* ring;
  int head, held, phase;
  double last_time;
  double* last;      // channels
  double grid;       // time of the next tap
  double* row;       // and behind it the first two derivatives of q
  double* before;    // q and reference of the sample before: quaternions keep their side
  limb_numbers rows; // time, log, window, q, v, a, tau of each, and the q, v, a of instruments
  uint64_t samples;
  int logs, windows;
} limb_log;

static inline int limb_channel_of_tau(const limb_log* log) { return log->nq; }
static inline int limb_channel_of_v(const limb_log* log) { return log->nq + log->nv; }
static inline int limb_channel_of_reference(const limb_log* log) { return log->nq + (log->has_v ? 2 : 1) * log->nv; }

// Numbers of a row, and where they are. Rows of one window are evenly spaced.
enum { ROW_TIME = 0, ROW_LOG = 1, ROW_WINDOW = 2, ROW_Q = 3 };
static inline size_t limb_row_size(const limb_log* log)
{
  const size_t motion = (size_t)log->nq + 2 * (size_t)log->nv;
  return ROW_Q + motion + (size_t)log->nv + (log->has_reference ? motion : 0);
}

typedef struct limb_row {
  double time;
  int log, window;
  const double *q, *v, *a, *tau;
  const double *reference, *reference_v, *reference_a; // where they are known
} limb_row;

// ---- least squares ----------------------------------------------------------------------------------------

// [A b] = Q [R z; 0 rho] of equations A x = b that come block by block: memory does not grow with them. Column-major.
typedef struct limb_triangle {
  int n; // columns of A
  size_t equations;
  double* R; // (n + 1) squared
} limb_triangle;

bool limb_triangle_make(int n, limb_triangle* out);
void limb_triangle_free(limb_triangle* t);

// Adds rows equations: block is stride x (n + 1), column-major, of which the first rows count; the last column is b.
// Destroys the block.
limb_status limb_triangle_add(limb_triangle* t, int rows, int stride, double* block);

// Adds the equations of another triangle, times a weight.
limb_status limb_triangle_merge(limb_triangle* t, double weight, const limb_triangle* other);

typedef struct limb_solution {
  int n, rank;
  double condition;      // after scaling of columns
  double* x;             // n; stays in hidden columns
  unsigned char* hidden; // n
  double* covariance;    // n x n, of residuals of variance 1; zero in hidden rows
  double* combination;   // n x n: a hidden row has the coefficients by which its column is a sum of others
} limb_solution;

bool limb_solution_make(int n, limb_solution* out);
void limb_solution_free(limb_solution* s);

// min |A x - b| from x as it is; what columns do not determine stays.
limb_status limb_solve(const limb_triangle* t, limb_solution* s);

// After it, the columns that count by total least squares. exact: n marks of columns without errors.
limb_status limb_solve_total(const limb_triangle* t, const unsigned char* exact, limb_solution* s);

// ---- the object -------------------------------------------------------------------------------------------

typedef struct limb_terms_of_joint {
  int offset, asymmetry, stribeck, gain; // columns; -1: none
  double speed;                          // v_s of Stribeck's term
} limb_terms_of_joint;

enum { TERMS = 4 };

// Equations of single rows: A and tau, the last ones that were asked for.
typedef struct limb_ring {
  double* single; // as many as the filter has taps
  int* row;       // of which rows; -1: none
} limb_ring;

struct limb_ident {
  const limb_model* m;
  limb_ident_options o;
  limb_environment env;
  limb_dofs* dofs;
  limb_data* d;
  limb_data* tree; // the same, or of the spanning tree
  limb_base_parameters* base;
  int nq, nv, nb, n;          // coordinates, velocities, base parameters, all columns
  unsigned char* source;      // nv: LIMB_IDENT_TORQUE, ...
  unsigned char* counts;      // nv: 1 where equations count
  unsigned char* independent; // nv, of a robot with loops; NULL: it has none, or they were not chosen yet
  int* coordinate;            // nv: which q is the integral of v; -1: none
  limb_turn* turn;
  int turns;
  double* G;      // nv x nv scratch, of a robot with loops
  bool has_known; // the model has forces that no column stands for
  double* known;  // nv of scratch: these

  // known loads: what they add to base parameters, nb numbers each; the first is none
  double* load;
  int loads, carried;  // their number, and which one the robot carries now
  int *load_of, ended; // of each log that ended
  limb_terms_of_joint* term;
  limb_log log;
  bool fitted;

  // the equations: rows of the log through a second filter
  limb_filter filter;
  int every;   // rows per equation
  int* middle; // per equation: the row in its middle
  limb_ring measured, instruments;
  double* smooth; // per row q, v, a of instruments, of logs without reference

  // the fit
  int count, train;     // equations of nv lines; train: those that are fitted
  unsigned char* role;  // per equation: 1 if it is fitted
  double* noise;        // nv x nv, L of L L' = covariance of residuals; lower
  double* residual;     // count x nv
  limb_triangle* joint; // nv: the equations of each, not weighed: enough where joints are weighed one by one
  limb_solution best;
  limb_ident_parameter* parameter;
  char (*name)[96];
  char (*why)[160];             // of hidden parameters
  unsigned char* exact;         // n: columns without errors
  limb_ident_residual* summary; // 4 (nv + 1): fitted, validation, the same of the physical fit
  double* theta;                // of the physical fit; NULL: there is none
  double* estimate;             // of the physical fit: n
  limb_ident_bounds* bounds;    // of each body, in the order of parameters; NULL: none
  double* block;                // of equations
  double* Y;                    // nv x nb, and scratch of the regressor
  char** note;
  int notes;
  limb_ident_facts facts;
};

// equations.c: the rows of one kind as a triangle. x: NULL, or estimates from which robust weights follow.
typedef enum limb_whitening { BY_NOTHING, BY_NOISE, BY_ROBUST, TIMES_NOISE } limb_whitening;
limb_status limb_gather_joints(limb_ident* x); // x->joint, of what is fitted
limb_status limb_gather(limb_ident* x, limb_whitening how, const double* estimate, limb_triangle* out);
limb_status limb_equations_make(limb_ident* x);
limb_status limb_equations_of(limb_ident* x, int k, double* A); // nv x (n + 1), row-major; the last column is tau
void limb_whiten(const limb_ident* x, bool inverse, size_t step, double* u); // L^-1 u or L' u, numbers step apart

// The same along the instruments; the columns of currents by the estimate.
limb_status limb_instruments_of(limb_ident* x, int k, const double* estimate, double* Z);
void limb_forget_instruments(limb_ident* x); // before another estimate
limb_status limb_solve_instrumental(limb_ident* x);
limb_status limb_residuals(limb_ident* x, const double* estimate);
bool limb_counts(const limb_ident* x, int k, int joint);    // it is measured there, and not too slow
size_t limb_equations_work(const limb_ident* x);            // numbers of limb_ident.block
void limb_leave_out(const limb_ident* x, int k, double* A); // zero lines for what does not count

limb_status limb_log_add(limb_ident* x, const limb_ident_sample* sample, limb_error* err);
limb_status limb_log_end(limb_ident* x, limb_error* err);
limb_status limb_log_flush(limb_ident* x, limb_error* err);
void limb_log_free(limb_log* log);
limb_row limb_log_row(const limb_ident* x, int row);
int limb_log_rows(const limb_ident* x);

// The row in the middle of an equation.
limb_row limb_middle_row(const limb_ident* x, int k);

// rows.c
limb_status limb_rows_make(limb_ident* x);
limb_status limb_find_known(limb_ident* x);
limb_status limb_row_finish(limb_ident* x);  // the row at hand, whose coordinates are filtered
limb_status limb_smooth_rows(limb_ident* x); // instruments of logs without reference
limb_status limb_check_quaternions(const limb_ident* x, const double* q, double time, limb_error* err);
void limb_keep_side(const limb_ident* x, const double* before, double* q);

const double* limb_load_of(const limb_ident* x, int log); // nb numbers; NULL: none
limb_status limb_add_wrenches(limb_ident* x, const limb_ident_sample* sample, double* tau);
bool limb_end_load(limb_ident* x);

// fit.c: residuals of fitted rows, then of the others: 2 (nv + 1).
void limb_summarise(const limb_ident* x, limb_ident_residual* out);

// suspicions.c
void limb_suspect_log(limb_ident* x);
void limb_suspect_fit(limb_ident* x);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void limb_ident_report(limb_ident* x, const char* format, ...);

#endif
