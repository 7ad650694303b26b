// The binding of limb to Python, over the limited API of 3.11: what its files share.
//
// Every call on arrays is a limb_call: names and widths of its inputs, shapes of its outputs, and a function that
// computes n states from contiguous arrays. calls.c turns Python objects into those arrays (any leading shape,
// broadcasting, float or double, `out`), once for all calls. Methods of robots are rows of a table (robot.c); their
// calls are made from the registry of quantities (plan.c).
#ifndef LIMB_PYTHON_BINDING_H
#define LIMB_PYTHON_BINDING_H

#include <Python.h>
#include <stddef.h>

#include "limb/limb.h"
#include "limb/quantities.h"
#include "limb/read.h"

// ---- arrays: numbers of a Python object -------------------------------------------------------------------

enum {
  ARRAY_DIMS = 32,  // leading dimensions of an argument
  CALL_INPUTS = 8,  // arguments of a call
  CALL_OUTPUTS = 8, // results of a call
};

// A view of an object's numbers. shape and stride belong to the object.
typedef struct array {
  char* data;
  char type; // 'd' or 'f'
  int ndim;
  const Py_ssize_t *shape, *stride; // strides in bytes
  PyObject* owner;                  // NULL: none
  int viewed;
  Py_buffer view;
  Py_ssize_t dense[ARRAY_DIMS]; // strides, if the object does not tell them
} array;

// Opens an object for reading: directly if it has the buffer protocol and double or float numbers, otherwise as a copy
// made by NumPy. `state`: the dimensions of one state, if no other thread can run while the array is open; otherwise
// -1. `what` and `name` are for messages. 0, or -1 with an exception set.
int array_open(array* a, PyObject* object, int state, const char* what, const char* name);
// Opens an object for writing: only what has the buffer protocol, double or float numbers and may be written.
int array_open_out(array* a, PyObject* object, int state, const char* what);
void array_close(array* a);

// A new NumPy array without initial values, and its numbers. NULL with an exception set.
PyObject* array_new(char type, int ndim, const Py_ssize_t* shape, char** data);

// Copies rows of `width` numbers, the last `inner` dimensions (0 or 1), to contiguous memory, broadcast over a leading
// shape; and contiguous numbers to an array of any strides.
void array_gather(const array* a, int inner, int lead, const Py_ssize_t* shape, size_t width, char type, void* to);
void array_scatter(const array* a, char type, const void* from);
int array_is_contiguous(const array* a);

int array_start(PyObject* module); // finds NumPy

// ---- calls -------------------------------------------------------------------------------------------------

typedef struct limb_input {
  const char* name;
  int width;    // numbers of one state along the last axis; -1: one number, without an axis
  int optional; // 1: may be None or absent, in.p is NULL then
  int what;     // of a plan: IN_...
} limb_input;

typedef struct limb_output {
  int rank;
  Py_ssize_t length[LIMB_QUANTITY_AXES_MAX];
  size_t size;
} limb_output;

// n states in contiguous arrays, and what came of them.
typedef struct limb_rows {
  size_t n, first; // number of the first of them in the call
  char type;       // of all numbers: 'd', or 'f' if the call takes floats
  int threads;
  const void* in[CALL_INPUTS];
  void* out[CALL_OUTPUTS];
  const limb_environment* env; // NULL: the default
  int nwrench;                 // of different values in each state, in addition to env
  const limb_batch_wrench* wrench;
  size_t failed; // the first state that failed
  limb_error error;
} limb_rows;

typedef struct limb_call {
  const char* name;
  PyObject* robot; // for messages and environments
  int ninput, noutput;
  limb_input input[CALL_INPUTS];
  limb_output output[CALL_OUTPUTS];
  PyTypeObject* result; // of several outputs, a structseq; NULL: a tuple
  int floats;           // 1: computes floats, too; 0: they are converted
  int heavy;            // how long a state takes, at least 1: roughly, the number of its velocities
  limb_status (*run)(void* context, limb_rows* rows);
  void* context;
} limb_call;

// Calls with the arguments of METH_FASTCALL | METH_KEYWORDS: inputs by position or name, and by name out, threads,
// env, on_error.
PyObject* call_arrays(const limb_call* call, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
// Whether a failure is that of some states, whose results are NaN: on_error="nan" keeps the others.
int status_of_state(limb_status s);

// ---- plans: a selection of quantities, ready to be computed ----------------------------------------------------

typedef struct limb_plan limb_plan;

// One name in each line. NULL with an exception set.
limb_plan* plan_create(PyObject* robot, const char* names, const limb_evaluator_options* options);
void plan_destroy(limb_plan* p);
limb_call* plan_call(limb_plan* p); // the result type may be set

// Inputs of a state.
enum { IN_Q, IN_V, IN_A, IN_TAU, IN_V_R, IN_A_R, IN_TIME, INPUTS };

// Kernels over floats: whether all items of a robot without loops have one, and item k of a call by it (floats.c).
int floats_take(const limb_model* m, int count, const limb_item* item);
limb_status floats_run(limb_batch* b, const limb_item* item, const void* const in[INPUTS], const limb_rows* r, int k,
                       limb_status* status);
extern PyType_Spec plan_spec; // the type Plan: a plan that Python holds
const limb_call* plan_of_object(PyObject* plan);
PyObject* xla_handler(PyObject* module, PyObject* unused); // xla.c
PyObject* xla_keep(PyObject* module, PyObject* args);

// ---- states of robots with loops (closure.c) ---------------------------------------------------------------------

typedef struct limb_closure limb_closure;
struct limb_completion_options;

// NULL, with error->status set, if it fails.
limb_closure* closure_create(const limb_model* m, const struct limb_completion_options* o, limb_error* error);
void closure_destroy(limb_closure* c);
// Whether a state closes the loops; v and a as in the options.
limb_status closure_check(limb_closure* c, double time, const double* q, const double* v, const double* a,
                          limb_error* error);
PyObject* robot_close(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);

// Marks as bytes; None is NULL. 0, or -1 with an exception set that names them.
int read_marks(PyObject* object, int count, const char* name, const unsigned char** out);

// ---- robots --------------------------------------------------------------------------------------------------

const limb_model* robot_model(PyObject* robot);
extern PyType_Spec robot_spec;
int robot_prepare(PyObject* module);    // makes the methods, their docstrings and the types of their results
PyObject* robot_capsule(limb_model* m); // what a Robot is made of; takes the model, also when it fails
PyObject* robot_load(PyObject* module, PyObject* args);
// Reads as the arguments of load() tell; shapes: 1: with them. 0 with e->status, or -1 with an exception set.
int read_as(PyObject* args, int shapes, limb_reading** r, limb_error* e, int* check);
PyObject* robot_view(PyObject* self, PyObject* args); // view.c
PyObject* robot_describe(PyObject* self, PyObject* unused);
PyObject* robot_write(PyObject* self, PyObject* args);
PyObject* robot_codegen(PyObject* self, PyObject* args);
PyObject* robot_equations(PyObject* self, PyObject* args);
PyObject* robot_animate(PyObject* self, PyObject* args);
PyObject* robot_ik(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
PyObject* robot_base_formulas(PyObject* self, PyObject* unused);
PyObject* robot_identify(PyObject* self, PyObject* args);
PyObject* robot_excite(PyObject* self, PyObject* args); // estimate.c
PyObject* robot_calibrate(PyObject* self, PyObject* args);
extern PyType_Spec load_estimator_spec;
PyObject* robot_integrate(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names); // manifold.c
PyObject* robot_difference(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
PyObject* robot_normalize(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
PyObject* robot_configurations(PyObject* self, PyObject* args);
PyObject* list_quantities(PyObject* module, PyObject* unused);
PyObject* list_robots(PyObject* module, PyObject* unused);
PyObject* list_rules(PyObject* module, PyObject* unused);
PyObject* findings_list(const limb_findings* f); // list of tuples

// A member of a struct, by name. Tables end with a row without name.
enum { FIELD_NUMBER, FIELD_INT, FIELD_VECTOR, FIELD_POSE, FIELD_NUMBERS };
typedef struct limb_field {
  const char* name;
  int kind;
  size_t offset;
  int count; // of FIELD_NUMBERS
} limb_field;

// clang-format off
#define NUMBER(type, name) {#name, FIELD_NUMBER, offsetof(type, name), 1}
#define INTEGER(type, name) {#name, FIELD_INT, offsetof(type, name), 1}
#define VECTOR(type, name) {#name, FIELD_VECTOR, offsetof(type, name), 3}
#define POSE(type, name) {#name, FIELD_POSE, offsetof(type, name), 12}
#define LAST {NULL, 0, 0, 0}
// clang-format on
// Sets members by the names of a dict; a name that no member has is an error. 0, or -1 with an exception set.
int read_dict(const limb_field* fields, PyObject* dict, void* to);

// Definitions as dicts of their members (builder.c).
PyObject* joint_dict(const limb_joint_def* d);
PyObject* loop_dict(const limb_loop_def* d);
PyObject* shaft_dict(const limb_shaft_def* d);
PyObject* tendon_dict(const limb_tendon_def* d);
PyObject* body_dict(const char* name, const sp_inertia* Y);
PyObject* frame_dict(const limb_frame_info* f);
extern const limb_field joint_fields[], inertia_fields[];
extern PyType_Spec builder_spec;
limb_builder* builder_of(PyObject* self);
PyObject* builder_done(limb_status s, const limb_error* e, int index); // the index, or NULL with an exception set
limb_joint_type find_joint_type(const char* name);                     // one without name: none

// Changes of a robot (changes.c).
#define LIMB_X(name) PyObject* builder_##name(PyObject* self, PyObject* args);
LIMB_X(name)
LIMB_X(set_body)
LIMB_X(set_joint)
LIMB_X(lock)
LIMB_X(remove)
LIMB_X(rename)
LIMB_X(base)
LIMB_X(root)
LIMB_X(attach)
LIMB_X(payload)
#undef LIMB_X
PyObject* tuple_of(const double* x, int n);
// So many numbers of a sequence. 0, or -1 with an exception set that names it.
int read_numbers(PyObject* sequence, const char* name, int n, double* x);

extern PyType_Spec environment_spec;
// The surroundings behind an object: what is the same for all states, and wrenches for states of a leading shape. NULL
// with an exception set if it has none, or those of another robot.
typedef struct surroundings {
  limb_environment all;
  int nwrench; // with a value for each state
  limb_batch_wrench* wrench;
  int lead;
  Py_ssize_t shape[ARRAY_DIMS];
} surroundings;
const surroundings* surroundings_of(PyObject* object, PyObject* robot);

extern PyType_Spec simulation_spec;

// ---- studies (study.c) -------------------------------------------------------------------------------------------

extern PyType_Spec study_spec;

// ---- the module ------------------------------------------------------------------------------------------------

// Types of the module, made at import.
typedef struct limb_types {
  PyTypeObject *robot, *plan, *environment, *builder, *simulation, *study, *load_estimator;
} limb_types;
extern limb_types types;

// The C struct of an object, which follows its header.
void* object_data(PyObject* object, PyTypeObject* type);
PyObject* object_new(PyTypeObject* type); // zeros; NULL with an exception set
void object_free(PyObject* self);         // at the end of a dealloc

// A pool of so many threads, made when first asked for and again after a fork; NULL for one thread, or with an
// exception set.
const limb_pool* pool_of(int threads);

// Whether Ctrl-C, or another signal, has raised an exception: for long calls, with the interpreter or without. Looks
// once in SIGNAL_SECONDS; *last is the time of the last look, 0 at first.
#define SIGNAL_SECONDS 0.05
int interrupted(double* last);

// Sets an exception for a status: a subclass of limb.Error with the library's sentence. Returns NULL.
PyObject* raise_status(limb_status s, const limb_error* error, const char* file);
PyObject* raise_state(limb_status s, const limb_error* error, size_t state, size_t n);

// Collects text of the library.
typedef struct text_buffer {
  char* text;
  size_t length, capacity;
  int failed;
} text_buffer;
void text_append(void* context, const char* text); // a limb_text_fn
PyObject* text_finish(text_buffer* b);             // a str; frees the buffer

#endif
