// What the page calls. Functions with WEB_EXPORT are exports of limb.wasm; index.js of web/limb-wasm calls them, and
// its declarations (index.d.ts) are the interface that users see. Texts are UTF-8, closed by a zero; structures are
// returned as JSON, numbers of states in arrays.
#ifndef LIMB_WASM_WEB_H
#define LIMB_WASM_WEB_H

#include "limb/assemble.h"
#include "limb/kinematics.h"
#include "limb/limb.h"
#include "limb/read.h"
#include "limb/runner.h"

#include "json.h"

#define WEB_EXPORT(name) __attribute__((export_name(#name)))

// A robot, also one that could not be read: `failed` then says why.
typedef struct web_robot {
  limb_reading* reading;
  limb_model* model; // NULL: faulty
  limb_data* data;
  limb_dofs* dofs;
  limb_error failed;
  json text; // of the last description
} web_robot;

typedef struct web_evaluator {
  limb_evaluator* own;
  limb_environment env;
  limb_error failed;
  json text;
} web_evaluator;

typedef struct web_sim web_sim;
typedef struct web_motion web_motion;
typedef struct web_mesh web_mesh;

// "error": {"status", "line", "column", "where", "text"}, or null with LIMB_OK.
void web_put_error(json* j, const limb_error* err);

// Sets an error of calls that do not describe theirs: the text of the status. Returns the status.
limb_status web_fail(limb_error* err, limb_status s);

// ---- robots (robot.c, describe.c) --------------------------------------------------------------------------

WEB_EXPORT(web_robots) const char* web_robots(void);

// How to read: a format and a base as in limb/read.h; texts may be NULL. doctor: 1: the findings of the doctor as well;
// shapes: 1: the shapes of the robot.
typedef struct web_reading_options {
  int format, base, no_mimic, doctor, shapes;
  const char* packages;
  const char* const* xacro_arguments;
} web_reading_options;

limb_read_options web_read_options(const web_reading_options* how);

// "findings": those of the reading from index `from` on.
void web_put_findings(json* j, limb_reading* reading, int from);

WEB_EXPORT(web_open) web_robot* web_open(const char* source, const web_reading_options* how); // NULL: out of memory
WEB_EXPORT(web_close) void web_close(web_robot* r);
WEB_EXPORT(web_describe) const char* web_describe(web_robot* r);
WEB_EXPORT(web_error) const char* web_error(web_robot* r);

// The start configuration, with closed loops if they close.
WEB_EXPORT(web_start) int web_start(web_robot* r, double* q);

// Moves velocity index k to a position, others of closed loops with it; where the branch ends, q stays on it.
WEB_EXPORT(web_move) int web_move(web_robot* r, int k, double position, double* q);

// Poses of all bodies in the world: 12 numbers each, rotation row by row and position.
WEB_EXPORT(web_poses) int web_poses(web_robot* r, const double* q, double* x);

// The configuration of a named pose of the model's files, with closed loops if they close.
WEB_EXPORT(web_named_pose) int web_named_pose(web_robot* r, int index, double* q);

// ---- inverse kinematics (ik.c) -----------------------------------------------------------------------------

typedef struct web_ik web_ik;

// A frame whose position, with rotation: whose pose, is to be reached; free joints stay. NULL: out of memory.
WEB_EXPORT(web_ik_open) web_ik* web_ik_open(const web_robot* r, int frame, int rotation);
WEB_EXPORT(web_ik_close) void web_ik_close(web_ik* ik);
// pose: as of web_poses. q: the start, and the configuration that comes nearest.
WEB_EXPORT(web_ik_solve) int web_ik_solve(web_ik* ik, const double* pose, double* q);
// Of the last solve: reason, reached, distance; or why the frame cannot be moved.
WEB_EXPORT(web_ik_describe) const char* web_ik_describe(web_ik* ik);

// ---- quantities (evaluate.c) -------------------------------------------------------------------------------

WEB_EXPORT(web_quantities) const char* web_quantities(web_robot* r);
// known: the inputs that states will have, LIMB_NEEDS_...; 0: the default. gravity: NULL: the model's.
WEB_EXPORT(web_evaluator_open)
web_evaluator* web_evaluator_open(const web_robot* r, unsigned known, const double* gravity, int tree, int given_tau);
WEB_EXPORT(web_evaluator_close) void web_evaluator_close(web_evaluator* e);
WEB_EXPORT(web_evaluator_add) int web_evaluator_add(web_evaluator* e, const char* name);
WEB_EXPORT(web_evaluator_describe) const char* web_evaluator_describe(web_evaluator* e);
WEB_EXPORT(web_evaluator_run)
int web_evaluator_run(web_evaluator* e, const double* q, const double* v, const double* a, const double* tau,
                      double time, double* x);
WEB_EXPORT(web_evaluator_error) const char* web_evaluator_error(web_evaluator* e);

// ---- simulation (simulate.c) -------------------------------------------------------------------------------

// run: the path of a run file; NULL: none. settings: put over it, names and texts of limb_run_setting in turn, closed
// by NULL.
WEB_EXPORT(web_sim_open)
web_sim* web_sim_open(const web_robot* r, const char* run, const char* const* settings);
WEB_EXPORT(web_sim_close) void web_sim_close(web_sim* s);
WEB_EXPORT(web_sim_next) const double* web_sim_next(web_sim* s); // the next row; NULL: the run is over
WEB_EXPORT(web_sim_describe) const char* web_sim_describe(web_sim* s);

// The title and the model of a run file, or its findings.
WEB_EXPORT(web_run) const char* web_run(const char* path);

// ---- motions (motion.c) ------------------------------------------------------------------------------------

// Inverse dynamics along a table of states. differentiate: 1: velocities and accelerations from the positions.
WEB_EXPORT(web_motion_open)
web_motion* web_motion_open(const web_robot* r, const char* path, int differentiate);
WEB_EXPORT(web_motion_close) void web_motion_close(web_motion* m);
WEB_EXPORT(web_motion_describe) const char* web_motion_describe(web_motion* m);
WEB_EXPORT(web_motion_numbers) const double* web_motion_numbers(const web_motion* m); // rows of time, q, v, a, tau

// ---- shapes (shapes.c) -------------------------------------------------------------------------------------

// "shapes": those of the builder of a reading; what is seen and collides is there twice.
void web_put_shapes(json* j, limb_reading* reading);

WEB_EXPORT(web_mesh_open) web_mesh* web_mesh_open(const char* path);
WEB_EXPORT(web_mesh_close) void web_mesh_close(web_mesh* m);
WEB_EXPORT(web_mesh_describe) const char* web_mesh_describe(web_mesh* m);
WEB_EXPORT(web_mesh_vertices) const double* web_mesh_vertices(const web_mesh* m); // three numbers each
WEB_EXPORT(web_mesh_triangles) const int* web_mesh_triangles(const web_mesh* m);  // three vertices each

// ---- texts (write.c) ---------------------------------------------------------------------------------------

// The file with the nearest inertias that bodies can have, whether or not it is a robot that can be built.
WEB_EXPORT(web_repair) const char* web_repair(const char* source, const web_reading_options* how);

// what: NULL: the default; max_terms: 0: the default.
WEB_EXPORT(web_equations)
const char* web_equations(web_robot* r, const char* what, int notation, int numbers, int max_terms);

// As limb_codegen_options; texts may be NULL.
typedef struct web_codegen_options {
  const char *what, *prefix, *frame;
  int language, sines, symbols, order;
  int single, lanes, max_statements, gravity_argument, friction;
  double effort;
} web_codegen_options;

WEB_EXPORT(web_codegen) const char* web_codegen(web_robot* r, const web_codegen_options* how);
WEB_EXPORT(web_codegen_quantities) const char* web_codegen_quantities(void);

#endif
