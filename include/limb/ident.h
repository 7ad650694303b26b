// limb: robot dynamics in C. Identification: from the log of a motion to the parameters of the robot.
//
//     limb_ident* x = NULL;
//     if (limb_ident_create(model, NULL, &x) != LIMB_OK) return 1;
//     for (...) // every sample of the log
//       if (limb_ident_add(x, &(limb_ident_sample){time, q, v, tau}, &err) != LIMB_OK) puts(err.text);
//     if (limb_ident_fit(x, &err) != LIMB_OK) puts(err.text);
//     limb_ident_parameter p;
//     for (int k = 0; limb_ident_get_parameter(x, k, &p) == LIMB_OK; k++)
//       printf("%s %g +- %g\n", p.name, p.value, p.std);
//
// Samples stream through a low-pass filter without phase, which also differentiates, to rows q, v, a, tau at a lower
// rate: memory grows with the rows only. Each row is nv equations tau = Y_b(q, v, a) theta_b + friction, and the
// equations of a part of every log are solved by least squares; the other part is for validation.
// docs/identification.md begins with mounting the log and ends with the validated model.
//
// Robots: trees, robots with loops, and robots whose base moves as a free joint; motors behind elastic shafts are
// joints of their own. Torques of passive joints, such as the six of a free base, are zero, or follow from measured
// wrenches (force plates): these equations count like the others. Of a robot with loops the equations are those
// along the independent velocities, G' Y theta = G' tau. Forces of the model that are not estimated, such as springs
// and tendons, are known. Memory comes from malloc. Objects belong to one thread at a time; the model must outlive
// them.
//
// This header belongs to the library limb_ident, as does the calibration in limb/edit.h.
#ifndef LIMB_IDENT_H
#define LIMB_IDENT_H

#include "limb/batch.h"
#include "limb/regressor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limb_ident limb_ident;

// ---- options -------------------------------------------------------------------------------------------

/// Friction of each joint, besides viscous (Fv v) and Coulomb (Fs sign v) friction of limb/builder.h; combined by |.
enum {
  LIMB_IDENT_OFFSET = 1,    ///< a constant torque: bias of a sensor, and Coulomb friction that depends on the direction
  LIMB_IDENT_ASYMMETRY = 2, ///< viscous friction that depends on the direction: a term |v|
  LIMB_IDENT_STRIBECK = 4   ///< more friction at low speed: sign(v) exp(-(v / v_s)^2), v_s found for each joint
};

/// How residuals are weighed. Values are pinned.
typedef enum limb_ident_method {
  LIMB_IDENT_ORDINARY = 0,    ///< all torques alike
  LIMB_IDENT_WEIGHTED = 1,    ///< each joint by the variance of its residual (Gautier 1997)
  LIMB_IDENT_ROBUST = 2,      ///< the same, and residuals beyond 1.345 standard deviations count less (Huber 1964)
  LIMB_IDENT_LIKELIHOOD = 3,  ///< maximum likelihood: by the covariance of the residuals across joints
  LIMB_IDENT_TOTAL = 4,       ///< as WEIGHTED, by total least squares: columns have errors, relative to their lengths,
                              ///< as the torques have; constant columns are exact (Van Huffel, Vandewalle 1991)
  LIMB_IDENT_INSTRUMENTAL = 5 ///< as WEIGHTED, by instrumental variables (IDIM-IV; Janot, Vandanjon, Gautier 2014):
                              ///< instruments are the regressor along the reference of the log, which the robot follows
                              ///< when it is simulated under computed torque, or else along a smoother motion
} limb_ident_method;

/// What the log has of a velocity in place of the torque. Values are pinned.
enum {
  LIMB_IDENT_TORQUE = 0,    ///< the torque of the joint
  LIMB_IDENT_CURRENT = 1,   ///< the current of its motor: the gain is a parameter, "elbow.gain". It takes logs with
                            ///< different loads (limb_ident_set_load), because all parameters could be scaled otherwise
  LIMB_IDENT_UNMEASURED = 2 ///< nothing: its equations do not count
};

/// Start from limb_default_ident_options(); NULL: these defaults.
typedef struct limb_ident_options {
  size_t size;                 ///< sizeof(limb_ident_options), set by the default function
  limb_ident_method method;    ///< default WEIGHTED
  unsigned friction;           ///< LIMB_IDENT_OFFSET, ...; default OFFSET
  unsigned exclude;            ///< LIMB_BASE_NO_ROTORS, LIMB_BASE_NO_SPRINGS: those of the model are known and not
                               ///< estimated; default NO_SPRINGS
  double cutoff;               ///< of the filter [Hz]; default 0: chosen from the data
  double train;                ///< share of each log that is fitted, in (0, 1]; the rest validates; default 0.7
  double min_speed;            ///< rows with a slower joint do not count for that joint [rad/s or m/s]; default 0
  const unsigned char* source; ///< nv: LIMB_IDENT_TORQUE, ...; NULL: torques. Copied
  const limb_environment* env; ///< gravity, friction; NULL: the default environment. Copied; wrenches have no effect
} limb_ident_options;

LIMB_API limb_ident_options limb_default_ident_options(void);

// ---- samples -------------------------------------------------------------------------------------------

/// @return LIMB_OK; LIMB_E_ARG (NULL, options out of range); LIMB_E_UNSUPPORTED (no joint that moves, prescribed
///         motions of loops, unmeasured torques of a robot with loops, a newer options struct); LIMB_E_NOMEM; as
///         limb_base_create.
LIMB_NODISCARD LIMB_API limb_status limb_ident_create(const limb_model* m, const limb_ident_options* options,
                                                      limb_ident** out);
LIMB_API void limb_ident_destroy(limb_ident* x); ///< NULL is accepted

/// One sample of a log.
typedef struct limb_ident_sample {
  double time;             ///< greater than that of the sample before [s]
  const double* q;         ///< nq; robots with loops: all of them, closed but for noise
  const double* v;         ///< nv; NULL: not measured, in all samples alike; then derived from q
  const double* tau;       ///< nv: torques of the joints, or what limb_ident_options.source states
  const double* reference; ///< nq: commanded positions, in all samples or in none; NULL: unknown
  int nwrench;             ///< measured wrenches on the robot: force plates, sensors
  const limb_wrench* wrench;
} limb_ident_sample;

/// Adds a sample. Uneven steps are interpolated; a gap of more than LIMB_IDENT_GAP steps ends a window of the filter.
/// @param err  names the coordinate; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL; a time that does not increase; a quaternion whose norm is not 1);
///         LIMB_E_NONFINITE; LIMB_E_ORDER (after limb_ident_fit); LIMB_E_NOCONV (loops that do not close);
///         LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_ident_add(limb_ident* x, const limb_ident_sample* sample, limb_error* err);

/// Ends a log: the next sample begins another one, whose time is independent.
LIMB_NODISCARD LIMB_API limb_status limb_ident_end_log(limb_ident* x, limb_error* err);

/// What the robot carries in the logs from here on: known, and not among the parameters. Between logs.
/// @param frame  body or frame by name; NULL: nothing
/// @param pose   of the load's axes in that frame; NULL: the same
/// @return LIMB_OK; LIMB_E_ARG (NULL, no such frame, an inertia that is not finite); LIMB_E_ORDER (in the middle of a
///         log, after limb_ident_fit); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_ident_set_load(limb_ident* x, const char* frame, const sp_pose* pose,
                                                        const sp_inertia* load, limb_error* err);

enum {
  LIMB_IDENT_GAP = 10,       ///< steps
  LIMB_IDENT_FIRST = 1 << 16 ///< samples from whose motion the cut-off is chosen
};

// ---- the fit -------------------------------------------------------------------------------------------

/// Solves for the parameters. No samples can be added afterwards.
/// @return LIMB_OK; LIMB_E_ARG (NULL; too few samples: err states how many are needed); LIMB_E_SINGULAR (the motion
///         shows no parameter); LIMB_E_ORDER (a second call); LIMB_E_NONFINITE; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_ident_fit(limb_ident* x, limb_error* err);

/// How well a parameter is known. Values are pinned.
typedef enum limb_ident_verdict {
  LIMB_IDENT_KNOWN = 0,     ///< its standard deviation is below 30 % of its value
  LIMB_IDENT_UNCERTAIN = 1, ///< it is above
  LIMB_IDENT_HIDDEN = 2     ///< the motion does not show it: it keeps the value of the model
} limb_ident_verdict;

/// An estimated parameter: a base parameter of limb_base_create, then terms of friction, named "elbow.offset".
typedef struct limb_ident_parameter {
  const char* name;
  const char* formula; ///< of a base parameter; "" of others
  double model;        ///< value by the model
  double value;        ///< estimate
  double std;          ///< its standard deviation, with regard to the correlation of residuals in time
  limb_ident_verdict verdict;
  int essential;      ///< 0: left out, the fit would not be significantly worse
  int partner;        ///< the parameter with which its error is correlated most; -1: none
  double correlation; ///< with that one
  const char* why;    ///< why it is hidden: "no torque depends on it", or of which parameters its effect is a sum; ""
} limb_ident_parameter;

/// Number of parameters; 0 before limb_ident_fit.
LIMB_API int limb_ident_count(const limb_ident* x);

/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range); LIMB_E_ORDER (before limb_ident_fit).
LIMB_NODISCARD LIMB_API limb_status limb_ident_get_parameter(const limb_ident* x, int k, limb_ident_parameter* out);

/// Covariance of the estimates, limb_ident_count() squared; zero in rows of hidden parameters. NULL before
/// limb_ident_fit.
LIMB_API const double* limb_ident_covariance(const limb_ident* x);

/// Residuals tau - Y theta of one joint, in rows that were fitted or in rows that validate.
typedef struct limb_ident_residual {
  int rows;
  double rms;         ///< of the residual [N m] or [N]
  double torque;      ///< rms of the torque
  double r_squared;   ///< 1 - (residual / torque about its mean)^2
  double correlation; ///< of the residual with the one of the row before; white: near 0
  int white;          ///< 1: that correlation may be chance (95 %)
} limb_ident_residual;

/// Which residuals. Values are pinned.
typedef enum limb_ident_part {
  LIMB_IDENT_FITTED = 0,          ///< of the rows that were fitted
  LIMB_IDENT_VALIDATION = 1,      ///< of the others
  LIMB_IDENT_PHYSICAL_FITTED = 2, ///< the same of limb_ident_fit_physical
  LIMB_IDENT_PHYSICAL_VALIDATION = 3
} limb_ident_part;

/// @param joint  velocity 0 ... nv-1; -1: all together, without correlation
/// @return LIMB_OK; LIMB_E_ARG (NULL, no such joint or part); LIMB_E_ORDER (before the fit).
LIMB_NODISCARD LIMB_API limb_status limb_ident_get_residual(const limb_ident* x, int joint, limb_ident_part part,
                                                            limb_ident_residual* out);

typedef struct limb_ident_facts {
  uint64_t samples;
  int logs, windows;                       ///< a window is a part of a log without gaps
  int rows, fitted;                        ///< all, and those that were fitted
  double rate, row_rate;                   ///< median rate of the samples; of the rows [Hz]
  double cutoff;                           ///< of the filter [Hz]
  double motion;                           ///< 99 % of the power of the velocities lies below this frequency [Hz]
  double condition;                        ///< of the equations after scaling of columns
  double weight;                           ///< of the divergence in limb_ident_fit_physical; 0 before it
  int known, uncertain, hidden, essential; ///< numbers of parameters
} limb_ident_facts;

/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_ORDER (before limb_ident_fit).
LIMB_NODISCARD LIMB_API limb_status limb_ident_get_facts(const limb_ident* x, limb_ident_facts* out);

/// What was measured and what the parameters predict, at one row.
typedef struct limb_ident_row {
  double time;
  int log, fitted;         ///< which log, from 0; 1: it was fitted
  const double *q, *v, *a; ///< filtered
  double* tau;             ///< nv: filtered torque, gain times current, without that of known loads; set by the caller;
                           ///< NULL: not needed. Of robots with loops along the independent velocities (output)
  double* predicted;       ///< nv: by the last fit, physical or not; as tau (output)
} limb_ident_row;

/// @param k    0 ... rows-1 of limb_ident_facts
/// @param out  tau and predicted are read; pointers are valid until the next call for x (in and out)
/// @return LIMB_OK; LIMB_E_ARG (NULL, no such row); LIMB_E_ORDER (before the fit).
LIMB_NODISCARD LIMB_API limb_status limb_ident_get_row(limb_ident* x, int k, limb_ident_row* out);

// ---- a robot -----------------------------------------------------------------------------------------------

/// Fits all standard parameters (limb_parameters), such that every body with mass has an inertia that a rigid body can
/// have, and rotors and friction are positive. What the motion does not determine stays near the model: the squares
/// of the residuals, in units of the noise, plus weight times twice the sum of the entropic divergences of the
/// pseudo-inertias are least (Lee, Wensing, Park 2020; Newton's method). Bodies without mass stay so.
/// @param weight  > 0; 0: of 0.01, 0.1, ... 1000 the one with the smallest error in cross-validation, five folds;
///                LIMB_IDENT_L_CURVE: of these the one at the corner of the L-curve
/// @return LIMB_OK; LIMB_E_ARG; LIMB_E_ORDER (before limb_ident_fit, a second call); LIMB_E_NOCONV; LIMB_E_SINGULAR;
///         LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_ident_fit_physical(limb_ident* x, double weight, limb_error* err);

enum { LIMB_IDENT_L_CURVE = -1 }; ///< Hansen, O'Leary 1993: divergence against residual, both as logarithms

/// Bounds of a body with all that is fixed to it. Start from limb_default_ident_bounds().
typedef struct limb_ident_bounds {
  size_t size;                   ///< sizeof(limb_ident_bounds), set by the default function
  double min_mass, max_mass;     ///< [kg]; default 0, infinite
  double min_com[3], max_com[3]; ///< a box around the centre of mass, in the body [m]; default infinite
} limb_ident_bounds;

LIMB_API limb_ident_bounds limb_default_ident_bounds(void);

/// Bounds for limb_ident_fit_physical, before it.
/// @param body  that limb_get_parameter names
/// @return LIMB_OK; LIMB_E_ARG (NULL, a body without parameters of its own, bounds that cross or are NaN); LIMB_E_ORDER
///         (after limb_ident_fit_physical); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_ident_set_bounds(limb_ident* x, int body, const limb_ident_bounds* bounds,
                                                          limb_error* err);

/// These parameters, limb_parameter_count() numbers; NULL before that call. Offsets and other friction than viscous and
/// Coulomb are not among them.
LIMB_API const double* limb_ident_theta(const limb_ident* x);

/// Gives a robot the parameters of limb_ident_fit_physical: the builder that the model was built from, or
/// limb_builder_from_model. A body takes the difference between theta and what it has with all that is fixed to it;
/// where that is not physical it takes all, and what is fixed to it loses its mass.
/// @return LIMB_OK; LIMB_E_ARG (NULL, another robot); LIMB_E_ORDER (before that call); as limb_builder_set_joint.
LIMB_NODISCARD LIMB_API limb_status limb_ident_apply(const limb_ident* x, limb_builder* b, limb_error* err);

/// Sentences about what is suspicious in log and fit: units, exchanged columns, joints that do not move. NULL: no more.
LIMB_API const char* limb_ident_note(const limb_ident* x, int k);

// ---- a motion that shows the parameters --------------------------------------------------------------------
//
//     if (limb_excite(model, NULL, &x, &err) != LIMB_OK) puts(err.text);
//     for (double t = 0; t <= 10; t += 0.01)
//       if (limb_excitation_at(x, t, q, v, a) == LIMB_OK) send(q);
//
// Fourier series with polynomial ends, q_j(t) = c_j + w(t) sum over l of (a_jl sin(l w_0 t) + b_jl cos(l w_0 t)), whose
// coefficients make the parameters easy to tell apart, within the limits of the robot. w rises from 0 to 1 and back by
// polynomials of degree 5, so that the motion starts and ends at rest at c, and can be repeated.

typedef struct limb_excitation limb_excitation;

/// What is made small. Values are pinned.
typedef enum limb_excite_criterion {
  LIMB_EXCITE_CONDITION = 0, ///< condition number of the equations after scaling of columns (by a smooth bound)
  LIMB_EXCITE_LOGDET = 1     ///< minus the log-determinant of their information matrix after scaling of columns
} limb_excite_criterion;

/// A frame whose origin stays in a box, in world axes [m]. -INFINITY, INFINITY: no limit.
typedef struct limb_keep {
  int frame;
  sp_vec3 min, max;
} limb_keep;

/// Start from limb_default_excite_options(); NULL: these defaults.
typedef struct limb_excite_options {
  size_t size;                     ///< sizeof(limb_excite_options), set by the default function
  limb_excite_criterion criterion; ///< default CONDITION
  unsigned friction;       ///< 0 or LIMB_IDENT_OFFSET: a constant torque per joint is sought, too; default OFFSET
  unsigned exclude;        ///< LIMB_BASE_NO_ROTORS, LIMB_BASE_NO_SPRINGS; default NO_SPRINGS
  double duration;         ///< [s]; default 10
  int harmonics;           ///< of the series, 1 ... 64; default 5
  double share;            ///< of all limits that is used, in (0, 1]; default 0.9
  double max_acceleration; ///< of every joint, beside those of the model [rad/s^2 or m/s^2]; default 0: none.
                           ///< Limits of jerk are not kept
  const double* start;     ///< nq: where it starts and ends; default NULL: found
  int nkeep;
  const limb_keep* keep;       ///< nkeep boxes
  int starts;                  ///< random motions from which the search begins, 1 ... 10000; default 8
  int steps;                   ///< of each search; default 120
  uint64_t seed;               ///< default 1. The same seed gives the same motion for any number of threads
  const limb_pool* pool;       ///< default NULL: the caller's thread only
  const limb_environment* env; ///< gravity, friction; NULL: the default environment; wrenches have no effect
  /// Called after steps, from threads of the pool, but by one at a time; total: if no search ends early. Default NULL
  void (*progress)(void* context, uint64_t done, uint64_t total);
  void* context; ///< of progress
} limb_excite_options;

LIMB_API limb_excite_options limb_default_excite_options(void);

/// Searches a motion. Limits of position, speed and torque are those of the model (without limits of position: one turn
/// or 2 m); between samples, too, they are kept. From each start L-BFGS descends, with analytic gradients and a
/// logarithmic barrier along the limits; the best result is taken (Swevers and others 1997).
/// @return LIMB_OK; LIMB_E_ARG (NULL, options out of range, a start or a box that breaks limits: err names them);
///         LIMB_E_UNSUPPORTED (loops, ball and free joints, shafts, joints without motor); LIMB_E_NOCONV (no pose
///         within all limits was found); LIMB_E_SINGULAR (no motion shows the parameters); LIMB_E_NOMEM; as
///         limb_base_create.
LIMB_NODISCARD LIMB_API limb_status limb_excite(const limb_model* m, const limb_excite_options* options,
                                                limb_excitation** out, limb_error* err);
LIMB_API void limb_excitation_destroy(limb_excitation* x); ///< NULL is accepted

/// The motion at time t in [0, duration]; outside it is at rest. Any thread.
/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_excitation_at(const limb_excitation* x, double t, double* q, double* v,
                                                       double* a);

typedef struct limb_excitation_facts {
  int parameters;             ///< those that motions within the limits can show, of base parameters and offsets
  int hidden;                 ///< the others: limb_excitation_hidden names them
  double duration;            ///< [s]
  double condition, logdet;   ///< of the equations of 1000 samples, after scaling of columns
  double base_condition;      ///< the same of Y_b alone, without offsets
  double random, random_best; ///< median and smallest condition of the random motions from which searches began
  double position, speed, acceleration, torque; ///< largest use of the limits, 1: all of it; 0: there is no limit
} limb_excitation_facts;

/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_excitation_get_facts(const limb_excitation* x, limb_excitation_facts* out);

/// Sentence k about a parameter that no motion within the limits shows; NULL: no more.
LIMB_API const char* limb_excitation_hidden(const limb_excitation* x, int k);

// ---- torques from outside --------------------------------------------------------------------------------
//
//     limb_observer o = {d, NULL, 50, integral, r, work};
//     if (limb_observer_start(&o, q, v) != LIMB_OK) return 1;
//     for (...) // every millisecond
//       if (limb_observer_step(&o, 1e-3, q, v, tau) == LIMB_OK && fabs(r[2]) > 5) stop();
//
// The first use of an identified model: collisions and contacts, without a sensor and without accelerations. r follows
// the torques J' f of all forces that are not in the environment, with a delay of 1 / gain. Whatever the model lacks is
// in r as well: its threshold is some times the residual of the identification. Neither call allocates.

/// Momentum observer (De Luca 2006). Set all members; the arrays are the caller's.
typedef struct limb_observer {
  limb_data* d;                ///< of a tree, at most LIMB_DERIVATIVES_MAX velocities
  const limb_environment* env; ///< gravity, friction; NULL: the default environment. Base at rest
  double gain;                 ///< bandwidth > 0 [1/s]
  double* integral;            ///< nv: state of the observer
  double* r;                   ///< nv: torques from outside [N m] or [N] (output)
  double* work;                ///< limb_observer_work() numbers of scratch
} limb_observer;

/// nv nv + 3 nv. 0 if m is NULL.
LIMB_API size_t limb_observer_work(const limb_model* m);

/// Begins at a state, with r = 0.
/// @return LIMB_OK; LIMB_E_ARG (NULL, a gain that is not positive); LIMB_E_UNSUPPORTED (loops); as limb_mass_matrix.
LIMB_NODISCARD LIMB_API limb_status limb_observer_start(limb_observer* o, const double* q, const double* v);

/// One step: state at its end, torques of the motors during it. Stable for every dt.
/// @param dt  > 0 [s]
/// @return LIMB_OK; LIMB_E_ARG (NULL, dt); LIMB_E_NONFINITE (tau); as limb_coriolis_matrix. The observer is unchanged
///         after a failure.
LIMB_NODISCARD LIMB_API limb_status limb_observer_step(limb_observer* o, double dt, const double* q, const double* v,
                                                       const double* tau);

// ---- what a gripper holds ------------------------------------------------------------------------------------
//
//     if (limb_payload_create(model, flange, NULL, &x) != LIMB_OK) return 1;
//     for (...) // every millisecond
//       if (limb_payload_step(x, 1e-3, q, v, tau) != LIMB_OK) return 1;
//     if (limb_payload_estimate(x, &r) == LIMB_OK) printf("%g +- %g kg\n", r.load.mass, r.mass_std);
//
// The load adds Y_p phi to the torques of the robot, phi its ten parameters in the axes of a frame (Atkeson, An,
// Hollerbach 1986). The momentum observer sees -F Y_p phi, with its filter F; F Y_p follows without accelerations from
// the momentum of the load. Sums of squares of these equations are kept for each joint: recursive least squares in
// their information form, of constant memory. Friction that the model may lack is sought, too. Neither step nor
// estimate allocates.

typedef struct limb_payload limb_payload;

enum { LIMB_PAYLOAD_FRICTION = 8 }; ///< beside LIMB_IDENT_OFFSET: viscous and Coulomb friction differ from the model's

/// Start from limb_default_payload_options(); NULL: these defaults.
typedef struct limb_payload_options {
  size_t size;                 ///< sizeof(limb_payload_options), set by the default function
  unsigned friction;           ///< what is sought per joint; default LIMB_IDENT_OFFSET | LIMB_PAYLOAD_FRICTION
  double gain;                 ///< bandwidth of the filter [1/s]; default 20
  double memory;               ///< [s] samples of that age count 1/e, above 30 / gain; default 0: all count alike
  const limb_environment* env; ///< gravity, friction; NULL: the default environment. Copied; wrenches have no effect
} limb_payload_options;

LIMB_API limb_payload_options limb_default_payload_options(void);

/// @param frame  to which the load is fixed
/// @return LIMB_OK; LIMB_E_ARG (NULL, no such frame, a frame that does not move, options); LIMB_E_UNSUPPORTED (loops,
///         more than LIMB_DERIVATIVES_MAX velocities); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_payload_create(const limb_model* m, int frame,
                                                        const limb_payload_options* options, limb_payload** out);
LIMB_API void limb_payload_destroy(limb_payload* x); ///< NULL is accepted
LIMB_API void limb_payload_reset(limb_payload* x);   ///< forgets everything: the load has changed
LIMB_API void limb_payload_gap(limb_payload* x);     ///< the next sample begins anew; what was seen remains

/// A sample: state at the end of dt, torques of the motors during it. The first one begins.
/// @param dt  > 0 [s]; 1 / dt well above the gain
/// @return LIMB_OK; LIMB_E_ARG (NULL, dt); LIMB_E_NONFINITE; as limb_observer_step. Nothing changes after a failure.
LIMB_NODISCARD LIMB_API limb_status limb_payload_step(limb_payload* x, double dt, const double* q, const double* v,
                                                      const double* tau);

typedef struct limb_payload_result {
  uint64_t samples;
  int equations;                               ///< per joint
  sp_inertia load;                             ///< mass, centre of mass, inertia about it, in the axes of the frame
  double mass_std, com_std[3], inertia_std[6]; ///< standard deviations; xx xy xz yy yz zz
  unsigned hidden;         ///< bit k: the motion does not show parameter k of m mx ... Izz; it counts as zero
  int physical;            ///< 1: a rigid body can have this mass, centre of mass and inertia
  double residual, before; ///< rms of the filtered torques that the load leaves, and without a load [N m] or [N]
  double phi[10], covariance[100]; ///< m mx my mz Ixx Ixy Ixz Iyy Iyz Izz about the origin of the frame
} limb_payload_result;

/// The estimate so far. O(nv).
/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_ORDER (too few samples: less than 30 / gain seconds); LIMB_E_SINGULAR
///         (the motion shows nothing of the load).
LIMB_NODISCARD LIMB_API limb_status limb_payload_estimate(const limb_payload* x, limb_payload_result* out);

/// The difference of two loads, of which the second was found by the same robot without the load: what the model gets
/// wrong in both cancels. out may be either of them.
/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_payload_subtract(const limb_payload_result* loaded,
                                                          const limb_payload_result* empty, limb_payload_result* out);

/// The most likely load that a rigid body can have: least squares of the distance from an estimate, in its own standard
/// deviations, and the entropic divergence from a ball of water of that mass, which counts where the motion shows
/// little (Lee, Wensing, Park 2020; Newton's method on the log-determinant). Hidden parameters are those of the ball.
/// Nothing is allocated.
/// @param r         an estimate, physical or not
/// @param out       phi, covariance, load and its standard deviations are those of the physical load; may be r
/// @param distance  how many standard deviations it is away from r: above 4 noise does not explain it; NULL: not needed
///                  (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_SINGULAR (an estimate without covariance); LIMB_E_NOCONV.
LIMB_NODISCARD LIMB_API limb_status limb_payload_physical(const limb_payload_result* r, limb_payload_result* out,
                                                          double* distance);

#ifdef __cplusplus
}
#endif

#endif
