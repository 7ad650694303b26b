// limb: robot dynamics in C. Studies: sizing of actuators, motions from positions, facts about a robot, comparison.
//
//     limb_sizing* s = NULL;
//     if (limb_sizing_create(model, &s) != LIMB_OK) return 1;
//     for (...) limb_sizing_add(s, &(limb_sizing_row){t, q, v, tau, loads, NULL}); // every row of the trajectory
//     if (limb_sizing_get_dof(s, 0, &dof) != LIMB_OK) return 1;                     // peaks, RMS, energy, margins
//
// Memory comes from malloc. Objects belong to one thread at a time; the model must outlive them.
//
// This header belongs to the library limb_study.
#ifndef LIMB_STUDY_H
#define LIMB_STUDY_H

#include "limb/assemble.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- sizing ----------------------------------------------------------------------------------------

/// The torques that each joint must deliver along a trajectory, and the loads that it must carry. Integrals over time
/// use the trapezoidal rule with the steps between the rows: of tau^2, and of the power tau v, whose positive and
/// negative parts are separated where the line between two rows crosses zero. Memory does not grow with the number of
/// rows.
typedef struct limb_sizing limb_sizing;

/// The value with the largest magnitude.
typedef struct limb_peak {
  double value; ///< with its sign
  double time;  ///< [s]
  double other; ///< for a torque the speed at that time, for a speed the torque; otherwise 0
} limb_peak;

/// One degree of freedom. "Torque" means a force [N] for prismatic joints. Limits that are not set are infinite.
typedef struct limb_sizing_dof {
  int joint;     ///< of the model
  int component; ///< of the joint
  limb_peak torque, speed, power;
  double torque_rms;
  double mean_power;       ///< mean of |tau v|
  double energy_delivered; ///< by the actuator, >= 0 [J]
  double energy_absorbed;  ///< by the actuator while braking, >= 0 [J]
  double torque_limit, speed_limit;
  int has_position; ///< 0: a component of a rotation or of a free joint; the members below are not set
  double q_min, q_min_time, q_max, q_max_time; ///< positions reached
  double q_lower, q_upper;                     ///< limits of the position
  double margin;                               ///< to the nearest limit; negative beyond it
  double moving; ///< share of the time with a speed above 1e-3 rad/s or m/s, 0 to 1: the duty cycle
  limb_peak acceleration, deceleration; ///< while it becomes faster, slower; other is the speed; 0 without row.a
  limb_peak jerk;                       ///< mean between two rows; 0 without row.a
  double acceleration_limit, deceleration_limit, jerk_limit;
} limb_sizing_dof;

/// A mimic joint: its motion is multiplier times that of its leader's coordinate, plus offset. Its torque is part of
/// the leader's.
typedef struct limb_sizing_follower {
  int leader;             ///< index of the leader's velocity
  limb_sizing_dof motion; ///< speed, accelerations, jerk (without other), positions, limits, margin
} limb_sizing_follower;

/// The wrench in a joint or a closure at its largest force and at its largest moment.
typedef struct limb_sizing_load {
  double force, force_time, moment, moment_time;
  sp_force at_force, at_moment;
} limb_sizing_load;

/// A component of the load of a bearing: the largest, and the mean that wears it as much as the whole motion does, by
/// ISO 281: the cubic mean over the travel s of the joint, Fm^3 = int F^3 |ds| / int |ds|.
typedef struct limb_sizing_wear {
  double peak, mean;
} limb_sizing_wear;

/// What the bearing of a joint with one axis carries. The driven component, along the axis of a prismatic joint or
/// about that of another, is none of it.
typedef struct limb_sizing_bearing {
  limb_sizing_wear axial;   ///< force along the axis [N]; 0 for prismatic joints
  limb_sizing_wear radial;  ///< force across the axis [N]
  limb_sizing_wear tilting; ///< moment across the axis, for prismatic joints the whole moment [N m]
  double travel;            ///< int |ds| [rad or m]; 0: the joint stands still, and means are peaks
} limb_sizing_bearing;

/// One row of the trajectory.
typedef struct limb_sizing_row {
  double time; ///< not before that of the previous row [s]
  const double *q, *v, *tau;
  const sp_force* load; ///< one per joint in its own axes at its origin: limb_joint_reactions with LIMB_BODY
  const sp_force* loop; ///< one per closure on its frame b, in the axes of a at the origin of b; NULL: none
  const double* a;      ///< for motors and limits; NULL: rotors are not accelerated
} limb_sizing_row;

typedef struct limb_sizing_summary {
  uint64_t rows;
  double start, duration; ///< [s]
  double energy_delivered, energy_absorbed;
} limb_sizing_summary;

/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_sizing_create(const limb_model* m, limb_sizing** out);
LIMB_API void limb_sizing_add(limb_sizing* s, const limb_sizing_row* row);
LIMB_API limb_sizing_summary limb_sizing_get_summary(const limb_sizing* s);

/// Degree of freedom k of nv. For a single row, RMS and mean power are its magnitudes.
/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range), also for the calls below.
LIMB_NODISCARD LIMB_API limb_status limb_sizing_get_dof(const limb_sizing* s, int k, limb_sizing_dof* out);

/// Mimic joint k, from 0 on.
LIMB_NODISCARD LIMB_API limb_status limb_sizing_get_follower(const limb_sizing* s, int k, limb_sizing_follower* out);

LIMB_NODISCARD LIMB_API limb_status limb_sizing_get_load(const limb_sizing* s, int joint, limb_sizing_load* out);

/// @return also LIMB_E_UNSUPPORTED (a joint that is not revolute, helical or prismatic).
LIMB_NODISCARD LIMB_API limb_status limb_sizing_get_bearing(const limb_sizing* s, int joint, limb_sizing_bearing* out);

/// @return also LIMB_E_UNSUPPORTED (gears and polynomials, which act along the axes of joints).
LIMB_NODISCARD LIMB_API limb_status limb_sizing_get_loop_load(const limb_sizing* s, int loop, limb_sizing_load* out);
LIMB_API void limb_sizing_destroy(limb_sizing* s); ///< NULL is accepted

// ---- sizing: motors, foundation, limits ------------------------------------------------------------

/// A motor along the motion, and the gearbox behind it. With the ratio N, the efficiency eta, the
/// inertia J on the motor's axis, and the reflected rotor I_a of the model, whose place J takes:
///
///     w_m   = N v
///     tau_o = tau - I_a a                   at the output of the gearbox
///     tau_m = tau_o / (N eta) + J N a       where tau_o v >= 0: the motor drives, or holds
///     tau_m = tau_o eta / N   + J N a       where tau_o v < 0: the load drives the motor
///
/// Where the gearmotor has no inertia, J = I_a / N^2. Losses of the gearbox that the model has as friction count twice.
typedef struct limb_sizing_motor {
  limb_gearmotor data;
  double inertia;          ///< J
  limb_peak torque, speed; ///< of the motor, as in limb_sizing_dof
  limb_peak power;         ///< at its shaft
  double torque_rms;       ///< what warms it
  double overload;         ///< share of the time with more than the rated torque at its speed, 0 to 1
  double mean_power;       ///< mean of |tau_m w_m|
  double energy_delivered; ///< by the motor, >= 0 [J]
  double energy_absorbed;  ///< by the motor while braking, >= 0 [J]
  double mean_speed;       ///< mean of |w_m|
  limb_peak output;        ///< tau_o; other is the speed of the joint
  double output_mean;      ///< cubic mean over the travel: (int |tau_o|^3 |ds| / int |ds|)^(1/3)
  limb_peak envelope;      ///< largest |tau_m| by what the motor has at its speed for a short time; infinite: it has
                           ///< none there; 0: no peak torque
} limb_sizing_motor;

/// The torque that a motor has at a speed, for a short time (peak 1) or all the time (peak 0): that of its curve, or
/// else constant up to the rated speed and constant power beyond it. The RMS torque is judged at the mean speed.
LIMB_API double limb_gearmotor_torque(const limb_gearmotor* a, int peak, double speed);

/// Gives degree of freedom k a motor, before the first row. Names and curves must outlive the sizing.
/// @return LIMB_OK; LIMB_E_ARG (NULL, no such index, a number that is negative or not finite, efficiency above 1, a
///         curve whose speeds do not grow); LIMB_E_ORDER (after a row); LIMB_E_UNSUPPORTED (the joint has several
///         degrees of freedom).
LIMB_NODISCARD LIMB_API limb_status limb_sizing_set_gearmotor(limb_sizing* s, int k, const limb_gearmotor* a);

/// @return LIMB_OK; LIMB_E_ARG; LIMB_E_UNSUPPORTED (it has none), also for the call below.
LIMB_NODISCARD LIMB_API limb_status limb_sizing_get_motor(const limb_sizing* s, int k, limb_sizing_motor* out);

/// Speed and torque of the motor in the last row.
LIMB_NODISCARD LIMB_API limb_status limb_sizing_motor_now(const limb_sizing* s, int k, double* speed, double* torque);

/// All joints with motors together: what one supply delivers, if it takes back what others absorb meanwhile. Of motors
/// that are set the power at the shaft, of others that at the joint.
typedef struct limb_sizing_total {
  limb_peak drive;            ///< largest power, other is unused; 0 if it is never above zero
  limb_peak brake;            ///< the smallest; 0 if it is never below zero
  double delivered, absorbed; ///< integrals of the positive and the negative part of the sum, >= 0 [J]
} limb_sizing_total;
LIMB_API limb_sizing_total limb_sizing_get_total(const limb_sizing* s);

/// What the robot exerts on its foundation, in world axes: the wrenches of all joints and closures on the world, at a
/// point, which is the joint on the world if there is one, or else the origin.
typedef struct limb_sizing_base {
  sp_vec3 point;
  limb_sizing_load load;
  double min[6], max[6];  ///< mx my mz fx fy fz
  double across, tilting; ///< largest force in the x-y plane, and largest moment about axes in it
} limb_sizing_base;

/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_UNSUPPORTED (nothing is on the world but a moving base); the status of
///         the kinematics of a row that failed.
LIMB_NODISCARD LIMB_API limb_status limb_sizing_get_base(const limb_sizing* s, limb_sizing_base* out);

/// Limits. X(name, value, words, kind): kind 0 torque or force of the joint, 1 speed of the joint, 2 its position,
/// 3 torque of a motor, 4 speed of a motor, 5 acceleration of the joint, 6 its jerk.
#define LIMB_SIZING_LIMITS(X)                           \
  X(TORQUE, 0, "peak torque", 0)                        \
  X(SPEED, 1, "peak speed", 1)                          \
  X(POSITION, 2, "position", 2)                         \
  X(MOTOR_PEAK, 3, "motor: peak torque", 3)             \
  X(MOTOR_RMS, 4, "motor: RMS torque", 3)               \
  X(MOTOR_ENVELOPE, 5, "motor: torque at its speed", 3) \
  X(MOTOR_SPEED, 6, "motor: peak speed", 4)             \
  X(GEARBOX_PEAK, 7, "gearbox: peak torque", 0)         \
  X(GEARBOX_MEAN, 8, "gearbox: mean torque", 0)         \
  X(GEARBOX_SPEED, 9, "gearbox: input speed", 4)        \
  X(ACCELERATION, 10, "peak acceleration", 5)           \
  X(DECELERATION, 11, "peak deceleration", 5)           \
  X(JERK, 12, "peak jerk", 6)

typedef enum limb_sizing_limit {
#define LIMB_X(name, value, words, kind) LIMB_SIZING_##name = (value),
  LIMB_SIZING_LIMITS(LIMB_X)
#undef LIMB_X
} limb_sizing_limit;

/// A limit that is known, and how much of it is used.
typedef struct limb_sizing_check {
  limb_sizing_limit limit;
  int joint;
  int dof;             ///< -1: a mimic joint
  double value, bound; ///< with its sign; what it must not exceed
  double time;         ///< when that is; NaN: of a mean
  double used;         ///< safety |value| / bound; of positions: 1 at a limit, 0 halfway between two
  int over;            ///< 1: used is above 1, but for rounding
} limb_sizing_check;

/// The factor by which torques must stay below their limits, >= 1; speeds and positions have none. Default 1.
/// @return LIMB_OK; LIMB_E_ARG.
LIMB_NODISCARD LIMB_API limb_status limb_sizing_set_safety(limb_sizing* s, double factor);

/// All limits, the most used first.
/// @param max    capacity of out
/// @param count  their number, which may exceed max: then out has any of them (output)
/// @return LIMB_OK; LIMB_E_ARG.
LIMB_NODISCARD LIMB_API limb_status limb_sizing_checks(const limb_sizing* s, int max, limb_sizing_check* out,
                                                       int* count);

LIMB_API const char* limb_sizing_limit_words(limb_sizing_limit limit); ///< "motor: RMS torque"; NULL: none
LIMB_API int limb_sizing_limit_kind(limb_sizing_limit limit);          ///< as in LIMB_SIZING_LIMITS; -1: none

// ---- the workspace at rest -------------------------------------------------------------------------

/// The largest of a quantity over all configurations within the limits of the joints. Joints that turn without limits
/// turn once; slides without limits and joints of other types stay at the start.
typedef struct limb_extreme {
  double value; ///< with its sign
  int frame;    ///< of a distance: which frame
  double* q;    ///< nq: where (output); NULL: not needed
} limb_extreme;

/// Largest gravity torque of each velocity, and largest distance of any frame from the origin of the world. Random
/// configurations first; from the best of them each coordinate in turn goes to its best value: torque and squared
/// distance depend on the angle of one joint by A cos q + B sin q + C. What is found is reached; that there is more
/// elsewhere is unlikely, but not excluded.
/// @param env     NULL: the default environment of the model
/// @param torque  nv; NULL: not computed (output)
/// @param reach   NULL: not computed (output)
/// @return LIMB_OK; LIMB_E_ARG; LIMB_E_UNSUPPORTED (loops, more than 200 velocities); LIMB_E_NOMEM; the statuses of
///         limb_gravity_forces.
LIMB_NODISCARD LIMB_API limb_status limb_rest_extremes(const limb_model* m, const limb_environment* env,
                                                       limb_extreme* torque, limb_extreme* reach);

// ---- velocities and accelerations from positions ---------------------------------------------------

/// Positions over time, differentiated. Each coordinate is a quintic spline (limb/control.h). The four components of a
/// quaternion are interpolated separately, with signs made continuous, and then normalised; angular velocity and
/// acceleration are those of one smooth rotation through all samples. All rows are kept: 16 bytes per coordinate, and
/// another 120 during limb_track_fit.
typedef struct limb_track limb_track;

enum { LIMB_TRACK_MIN_ROWS = 6 };

/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_track_create(const limb_model* m, limb_track** out);

/// Adds a row.
/// @param q    nq
/// @param err  names the coordinate; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_NOMEM; LIMB_E_ARG (NULL; between two rows an angle jumps by more than half a turn, which may
///         be due to wrapping, or a rotation by more than 90 degrees).
LIMB_NODISCARD LIMB_API limb_status limb_track_add(limb_track* t, double time, const double* q, limb_error* err);

/// Fits the splines. No rows can be added afterwards.
/// @return LIMB_OK; LIMB_E_ARG (fewer than LIMB_TRACK_MIN_ROWS rows, times that do not increase); LIMB_E_NONFINITE;
///         LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_track_fit(limb_track* t, limb_error* err);

LIMB_API size_t limb_track_rows(const limb_track* t);

/// A row with its derivatives. Call limb_track_fit first.
/// @param time,q,v,a  [s], nq, nv, nv (output)
/// @return LIMB_OK; LIMB_E_ARG (no such row); LIMB_E_ORDER (before limb_track_fit); LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_track_get(limb_track* t, size_t row, double* time, double* q, double* v,
                                                   double* a);
LIMB_API void limb_track_destroy(limb_track* t); ///< NULL is accepted

// ---- facts -----------------------------------------------------------------------------------------

/// The robot as a whole, at the neutral configuration.
typedef struct limb_facts {
  int bodies, joints, frames; ///< as described: without the world and auxiliary bodies and joints; added frames
  int passive;                ///< degrees of freedom without a motor
  double mass;                ///< [kg]
  int has_inertia;            ///< 1: mass is positive, and inertia is set
  sp_inertia inertia;         ///< of all bodies, in world axes; its centre of mass is in the world
  double reach;               ///< upper bound of the distance of any frame from the base [m], without the travel of
  int unlimited;              ///< joints without limits: their number,
  int unlimited_joint;        ///< and the first one; -1: none
} limb_facts;

/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_facts_of(const limb_model* m, limb_facts* out);

/// An elastic joint (limb/dynamics.h). Lumped: a passive joint with a spring; series: a joint with a shaft.
typedef struct limb_elastic_joint {
  int joint;
  int series; ///< 0: lumped
  double stiffness, rest, damping;
  double rotor_inertia; ///< about the motor's axis; lumped: reflected to the joint
  double frequency;     ///< sqrt(k / M_jj) / (2 pi) with all other joints and the motor fixed [Hz]; NaN: unknown
  double ratio;         ///< series only, as the members below
  int motor;            ///< joint; -1: lumped
  int rotor_has_mass;   ///< 1: the rotor is a body with mass; 0: Spong's model
} limb_elastic_joint;

/// All elastic joints, at the neutral configuration.
/// @param max    capacity of out
/// @param count  number of elastic joints, which may exceed max (output)
/// @return LIMB_OK; LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_elastic_joints(const limb_model* m, int max, limb_elastic_joint* out,
                                                        int* count);

/// A joint outside its limits.
typedef struct limb_limit_violation {
  int joint;
  double position, lower, upper;
} limb_limit_violation;

/// Joints with one coordinate, mimic joints included, that are outside their limits at q.
/// @param q      nq
/// @param max    capacity of out
/// @param count  number of such joints, which may exceed max (output)
/// @return LIMB_OK; LIMB_E_ARG.
LIMB_NODISCARD LIMB_API limb_status limb_outside_limits(const limb_model* m, const double* q, int max,
                                                        limb_limit_violation* out, int* count);

// ---- loops -----------------------------------------------------------------------------------------
//
//     limb_loop_facts* f = NULL;
//     limb_loop_facts_create(m, &f);
//     if (limb_close_loops(f, NULL) == LIMB_OK && f->closed && limb_examine_loops(f, NULL) == LIMB_OK)
//       printf("%d motions\n", f->mobility.mobility);

/// A robot with its loops closed, and what they leave to move. Members are set by the calls below, except q, where
/// limb_close_loops begins.
typedef struct limb_loop_facts {
  const limb_model* model;
  limb_data* data;
  double* q;                   ///< nq: at first the start; after limb_close_loops closed, or the best that was found
  limb_assembly_report report; ///< of limb_close_loops
  int closed;                  ///< 1: q closes the loops
  limb_mobility mobility;      ///< at q, as all below: set by limb_examine_loops
  unsigned char* redundant;    ///< nc: 1 where other constraints imply one
  int* still;                  ///< velocities that no motion changes,
  int still_count;             ///< and their number; -1: nv + nc is above 3000, and they are not determined
} limb_loop_facts;

/// @return LIMB_OK; LIMB_E_ARG (NULL); the statuses of limb_data_create.
LIMB_NODISCARD LIMB_API limb_status limb_loop_facts_create(const limb_model* m, limb_loop_facts** out);
LIMB_API void limb_loop_facts_destroy(limb_loop_facts* f); ///< NULL is accepted

/// Closes the loops from q on.
/// @param how  NULL: the defaults, with 20 starts
/// @return LIMB_OK, also if they cannot be closed; the other statuses of limb_assemble.
LIMB_NODISCARD LIMB_API limb_status limb_close_loops(limb_loop_facts* f, const limb_assembly* how);

/// Mobility, redundant constraints and joints that cannot move, at a closed q.
LIMB_NODISCARD LIMB_API limb_status limb_examine_loops(limb_loop_facts* f, const limb_loop_options* options);

LIMB_API int limb_redundant_of(const limb_loop_facts* f, int loop); ///< number of redundant constraints of a loop
LIMB_API int limb_is_locked(const limb_loop_facts* f); ///< 1: nothing can move, and no motion is prescribed

/// The start configuration of a model with its loops closed; the best that was found if they cannot be closed.
/// @param q  nq (output)
LIMB_NODISCARD LIMB_API limb_status limb_closed_start(const limb_model* m, double* q);

// ---- comparison ------------------------------------------------------------------------------------

/// Differences between two models.
typedef struct limb_comparison {
  double M, tau; ///< largest relative differences; M is -1 above 2000 velocities
  int states;
  char why[128]; ///< what could not be compared, such as a missing joint; "": nothing
} limb_comparison;

/// Compares mass matrix, torques, drives, start configurations and loop equations of two models at random states.
/// Joints and loops are matched by name, in any order.
/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_NOMEM; the status of a computation that failed.
LIMB_NODISCARD LIMB_API limb_status limb_compare(const limb_model* a, const limb_model* b, int states,
                                                 limb_comparison* out);

// ---- published operation counts --------------------------------------------------------------------

/// Operations of inverse dynamics that a paper states, for comparison with generated code.
typedef struct limb_published_count {
  const char* method; ///< in a few words
  const char* source; ///< paper
  long mul, add;
} limb_published_count;

/// Count index, 0, 1 ..., for a quantity of a robot with n joints of one velocity each on a fixed base. The formulas
/// are for chains of n revolute joints without friction and rotors.
/// @return 1; 0 beyond the last, for other quantities and robots, and for NULL.
LIMB_NODISCARD LIMB_API int limb_get_published_count(const limb_model* m, const char* quantity, int index,
                                                     limb_published_count* out);

#ifdef __cplusplus
}
#endif

#endif
