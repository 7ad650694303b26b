// The type Robot: a model, and a method for each row of the table below. limb.Model derives from it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"

// X(method, quantities, names of several results): what a method computes, by the names of the registry. Its arguments,
// its docstring and the shapes of its results follow from there.
#define STATE_METHODS(X)                                                                                               \
  X(inverse_dynamics, "tau", "")                                                                                       \
  X(forward_dynamics, "acc", "")                                                                                       \
  X(mass_matrix, "M", "")                                                                                              \
  X(mass_matrix_inverse, "Minv", "")                                                                                   \
  X(coriolis_matrix, "C", "")                                                                                          \
  X(bias_forces, "h", "")                                                                                              \
  X(gravity, "g", "")                                                                                                  \
  X(friction, "friction", "")                                                                                          \
  X(springs, "springs", "")                                                                                            \
  X(energies, "energy.kinetic\nenergy.potential\nenergy.gravity\nenergy.springs", "kinetic potential gravity springs") \
  X(total_energy, "total_energy", "")                                                                                  \
  X(inverse_dynamics_derivatives, "dtau_dq\ndtau_dv\nM", "dq dv da")                                                   \
  X(forward_dynamics_derivatives, "dacc_dq\ndacc_dv\ndacc_dtau", "dq dv dtau")                                         \
  X(inverse_dynamics_second_derivatives, "d2tau.dqdq\nd2tau.dqdv\nd2tau.dvdv\nd2tau.dqda", "dqdq dqdv dvdv dqda")      \
  X(forward_dynamics_second_derivatives, "d2acc.dqdq\nd2acc.dqdv\nd2acc.dvdv\nd2acc.dqdtau", "dqdq dqdv dvdv dqdtau")  \
  X(linearise, "A\nB", "A B")                                                                                          \
  X(center_of_mass, "com", "")                                                                                         \
  X(center_of_mass_velocity, "vcom", "")                                                                               \
  X(center_of_mass_acceleration, "acom", "")                                                                           \
  X(momentum, "momentum", "")                                                                                          \
  X(momentum_rate, "momentum_rate", "")                                                                                \
  X(mass_matrix_rate, "Mdot", "")                                                                                      \
  X(mass_matrix_derivative, "dM_dq", "")                                                                               \
  X(christoffel, "christoffel", "")                                                                                    \
  X(curvature, "curvature", "")                                                                                        \
  X(regressor, "Y", "")                                                                                                \
  X(reference_regressor, "Y_r", "")                                                                                    \
  X(parameters, "theta", "")                                                                                           \
  X(base_regressor, "Y_base", "")                                                                                      \
  X(base_parameters, "theta_base", "")                                                                                 \
  X(static_deflection, "deflection", "")                                                                               \
  X(independent_velocities, "independent", "")                                                                         \
  X(loop_jacobian, "Psi", "")                                                                                          \
  X(loop_acceleration, "gamma", "")                                                                                    \
  X(loop_residual, "loop_residual", "")                                                                                \
  X(loop_rate, "loop_rate", "")                                                                                        \
  X(loop_multipliers, "lambda", "")

// The same for a frame, which is the first argument.
#define FRAME_METHODS(X)                                                           \
  X(frame_position, "position", "")                                                \
  X(frame_velocity, "velocity", "")                                                \
  X(frame_acceleration, "acceleration", "")                                        \
  X(frame_jacobian, "J", "")                                                       \
  X(frame_jacobian_rate_times_v, "Jdotv", "")                                      \
  X(frame_jacobian_derivative, "dJ_dq", "")                                        \
  X(frame_velocity_derivative, "dvelocity_dq", "")                                 \
  X(frame_acceleration_derivatives, "dacceleration_dq\ndacceleration_dv", "dq dv") \
  X(frame_pose_numbers, "pose", "")                                                \
  X(task_inertia, "Lambda", "")                                                    \
  X(task_bias, "eta", "")                                                          \
  X(task_inverse, "Jbar", "")                                                      \
  X(task_projector, "N", "")                                                       \
  X(inverse_dynamics_by_wrench, "dtau_dwrench", "")                                \
  X(forward_dynamics_by_wrench, "dacc_dwrench", "")                                \
  X(generalized_jacobian, "generalized_jacobian", "")

enum {
#define LIMB_X(method, quantities, fields) METHOD_##method,
  STATE_METHODS(LIMB_X) STATE_COUNT,
  BEFORE_FRAMES = STATE_COUNT - 1,
  FRAME_METHODS(LIMB_X) METHOD_COUNT
#undef LIMB_X
};

enum { FIELDS_MAX = CALL_OUTPUTS, REFS = 3, DOC_MAX = 1500, NAME_SPACE = 3000 };

typedef struct method_row {
  const char *name, *quantities, *fields;
} method_row;

static const method_row rows[] = {
#define LIMB_X(method, quantities, fields) {#method, quantities, fields},
  STATE_METHODS(LIMB_X) FRAME_METHODS(LIMB_X)
#undef LIMB_X
};

static PyTypeObject* row_result[METHOD_COUNT]; // of several results

typedef struct robot {
  limb_model* model;
  limb_plan* plan[METHOD_COUNT];        // made when first asked for
  limb_plan** frame_plan[METHOD_COUNT]; // by frame and reference
} robot;

static robot* data_of(PyObject* self) { return object_data(self, types.robot); }

const limb_model* robot_model(PyObject* self) { return data_of(self)->model; }

// ---- computing -------------------------------------------------------------------------------------------------

static limb_plan* make_plan(PyObject* self, int row, const char* names)
{
  limb_evaluator_options o = limb_default_evaluator_options();
  o.known |= LIMB_NEEDS_V_R | LIMB_NEEDS_A_R;
  limb_plan* p = plan_create(self, names, &o);
  if (!p) return NULL;
  plan_call(p)->name = rows[row].name;
  plan_call(p)->result = row_result[row];
  return p;
}

static PyObject* run_state_method(int row, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names)
{
  robot* r = data_of(self);
  if (!r->plan[row]) r->plan[row] = make_plan(self, row, rows[row].quantities);
  return r->plan[row] ? call_arrays(plan_call(r->plan[row]), args, nargs, names) : NULL;
}

// "J" of frame "tool" is "J@aligned.tool"; a quantity without reference is "position.tool".
static int frame_names(char* text, int row, limb_ref ref, const char* frame)
{
  size_t n = 0;
  for (const char* at = rows[row].quantities; *at;) {
    char name[64];
    const size_t length = strcspn(at, "\n");
    (void)snprintf(name, sizeof name, "%.*s", (int)length, at);
    const limb_quantity_info* q = limb_find_quantity(name);
    const int with_ref = q && q->needs & LIMB_NEEDS_REFERENCE;
    n += (size_t)snprintf(text + n, NAME_SPACE - n, "%s%s%s%s.%s", n ? "\n" : "", name, with_ref ? "@" : "",
                          with_ref ? limb_ref_text(ref) : "", frame);
    if (n >= NAME_SPACE) return -1;
    at += length + (at[length] == '\n');
  }
  return 0;
}

static limb_plan* frame_plan(PyObject* self, int row, PyObject* frame, limb_ref ref)
{
  robot* r = data_of(self);
  Py_ssize_t length = 0;
  const char* name = PyUnicode_Check(frame) ? PyUnicode_AsUTF8AndSize(frame, &length) : NULL;
  if (!name) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "%s(): the frame is %R, expected its name", rows[row].name, frame);
    return NULL;
  }
  const int index = strlen(name) == (size_t)length ? limb_find_frame(r->model, name) : -1;
  if (index < 0) {
    PyErr_Format(PyExc_KeyError, "%s(): '%s' has no frame '%U'", rows[row].name, limb_model_name(r->model), frame);
    return NULL;
  }
  if (!r->frame_plan[row]) r->frame_plan[row] = calloc((size_t)limb_frame_count(r->model) * REFS, sizeof(limb_plan*));
  if (!r->frame_plan[row]) return (limb_plan*)PyErr_NoMemory();
  limb_plan** place = &r->frame_plan[row][index * REFS + (int)ref];
  char text[NAME_SPACE];
  if (!*place && frame_names(text, row, ref, name) == 0) *place = make_plan(self, row, text);
  if (!*place && !PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "%s(): the name is too long", rows[row].name);
  return *place;
}

static int read_ref(PyObject* value, limb_ref* ref)
{
  for (int k = 0; k < REFS && PyUnicode_Check(value); k++)
    if (PyUnicode_CompareWithASCIIString(value, limb_ref_text((limb_ref)k)) == 0) {
      *ref = (limb_ref)k;
      return 0;
    }
  PyErr_Format(PyExc_ValueError, "ref is %R, expected 'body', 'world' or 'aligned'", value);
  return -1;
}

enum { NAMED_MAX = 16 };

// Takes `ref` out of the arguments by name. Returns the other names, new.
static PyObject* take_ref(PyObject* names, PyObject* const* values, PyObject** others, limb_ref* ref)
{
  const Py_ssize_t n = PyTuple_Size(names);
  Py_ssize_t kept = 0;
  PyObject* rest = PyList_New(0);
  for (Py_ssize_t k = 0; rest && k < n; k++) {
    PyObject* name = PyTuple_GetItem(names, k);
    const int is_ref = PyUnicode_CompareWithASCIIString(name, "ref") == 0;
    if (!is_ref && kept == NAMED_MAX) PyErr_SetString(PyExc_TypeError, "too many arguments by name");
    if (PyErr_Occurred() || (is_ref ? read_ref(values[k], ref) : PyList_Append(rest, name)) < 0) {
      Py_CLEAR(rest);
    } else if (!is_ref)
      others[kept++] = values[k];
  }
  PyObject* tuple = rest ? PyList_AsTuple(rest) : NULL;
  Py_XDECREF(rest);
  return tuple;
}

static PyObject* run_frame_method(int row, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names)
{
  limb_ref ref = LIMB_ALIGNED;
  PyObject* all[CALL_INPUTS + NAMED_MAX];
  if (nargs < 1 || nargs > CALL_INPUTS + 1)
    return PyErr_Format(PyExc_TypeError, "%s(): expected a frame and arrays", rows[row].name);
  if (names) {
    for (Py_ssize_t k = 1; k < nargs; k++) all[k - 1] = args[k];
    names = take_ref(names, args + nargs, all + nargs - 1, &ref);
    if (!names) return NULL;
  }
  limb_plan* p = frame_plan(self, row, args[0], ref);
  PyObject* r = p ? call_arrays(plan_call(p), names ? all : args + 1, nargs - 1, names) : NULL;
  Py_XDECREF(names);
  return r;
}

#define LIMB_X(method, quantities, fields)                                                                  \
  static PyObject* state_##method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) \
  {                                                                                                         \
    return run_state_method(METHOD_##method, self, args, nargs, names);                                     \
  }
STATE_METHODS(LIMB_X)
#undef LIMB_X
#define LIMB_X(method, quantities, fields)                                                                  \
  static PyObject* frame_##method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) \
  {                                                                                                         \
    return run_frame_method(METHOD_##method, self, args, nargs, names);                                     \
  }
FRAME_METHODS(LIMB_X)
#undef LIMB_X

// ---- docstrings ------------------------------------------------------------------------------------------------

static const char* const state_inputs[] = {"q", "v", "a", "tau", "v_r", "a_r"};
static const unsigned state_needs[] = {LIMB_NEEDS_Q,   LIMB_NEEDS_V,   LIMB_NEEDS_A | LIMB_NEEDS_A_OR_TAU,
                                       LIMB_NEEDS_TAU, LIMB_NEEDS_V_R, LIMB_NEEDS_A_R};

// The quantity of one of the names in a row.
static const limb_quantity_info* quantity_at(const char* names, size_t* length)
{
  char name[64];
  *length = strcspn(names, "\n");
  (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(names, "\n."), names);
  return limb_find_quantity(name);
}

static void describe(text_buffer* b, const char* field, const limb_quantity_info* q)
{
  char line[DOC_MAX], shape[128] = "";
  const int skip = q->axis[0] == LIMB_AXIS_FIELD;
  for (int k = skip; q->axis[k] != LIMB_AXIS_NONE; k++) {
    const size_t n = strlen(shape);
    (void)snprintf(shape + n, sizeof shape - n, ", %s", limb_axis_length_text(q->axis[k]));
  }
  (void)snprintf(line, sizeof line, "\n\n%s%s%s.\n\n    %s\n\nShape (...%s), unit %s.", field, *field ? ": " : "",
                 q->meaning, q->equation, shape, q->unit);
  text_append(b, line);
  if (*q->note) {
    (void)snprintf(line, sizeof line, " Note: %s.", q->note);
    text_append(b, line);
  }
}

// Signature and docstring of a row; NULL: no memory.
static char* document(const method_row* row, int with_frame)
{
  text_buffer b = {0};
  char head[256];
  unsigned needs = 0;
  size_t length = 0;
  for (const char* at = row->quantities; *at; at += length + (at[length] == '\n')) {
    const limb_quantity_info* q = quantity_at(at, &length);
    needs |= q ? q->needs : 0;
  }
  (void)snprintf(head, sizeof head, "%s($self, %s", row->name, with_frame ? "frame, /, " : "");
  text_append(&b, head);
  for (int k = 0; k < 6; k++)
    if (needs & state_needs[k]) text_append(&b, state_inputs[k]), text_append(&b, ", ");
  text_append(&b, with_frame && needs & LIMB_NEEDS_REFERENCE ? "*, ref='aligned', " : "*, ");
  text_append(&b, "out=None, threads=1, env=None, on_error='raise')\n--");
  const char *field = row->fields, *of = "";
  for (const char* at = row->quantities; *at; at += length + (at[length] == '\n')) {
    char name[64];
    const limb_quantity_info* q = quantity_at(at, &length);
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(field, " "), field);
    field += strlen(name) + (field[strlen(name)] == ' ');
    if (q && strcmp(of, q->name) != 0) describe(&b, strchr(at, '.') == at + strlen(q->name) ? row->fields : name, q);
    if (q) of = q->name;
  }
  if (b.failed) free(b.text);
  return b.failed ? NULL : b.text;
}

static void class_name(char* text, size_t size, const char* method)
{
  size_t n = (size_t)snprintf(text, size, "limb._limb.");
  for (int up = 1; *method && n + 1 < size; method++) {
    if (*method != '_') text[n++] = (char)(up && *method >= 'a' ? *method - 'a' + 'A' : *method);
    up = *method == '_';
  }
  text[n] = '\0';
}

// The type of several results, with their names.
static PyTypeObject* result_type(const method_row* row)
{
  static char names[METHOD_COUNT][64], fields[METHOD_COUNT][FIELDS_MAX][16]; // the type refers to them
  const size_t at = (size_t)(row - rows);
  PyStructSequence_Field field[FIELDS_MAX + 1] = {{NULL, NULL}};
  PyStructSequence_Desc desc = {names[at], NULL, field, 0};
  for (const char* word = row->fields; *word; desc.n_in_sequence++) {
    const size_t n = strcspn(word, " ");
    (void)snprintf(fields[at][desc.n_in_sequence], sizeof fields[0][0], "%.*s", (int)n, word);
    field[desc.n_in_sequence].name = fields[at][desc.n_in_sequence];
    word += n + (word[n] == ' ');
  }
  class_name(names[at], sizeof names[0], row->name);
  return PyStructSequence_NewType(&desc);
}

// ---- the type ----------------------------------------------------------------------------------------------------

static void destroy_model(PyObject* capsule) { limb_model_destroy(PyCapsule_GetPointer(capsule, "limb_model")); }

static PyObject* robot_new(PyTypeObject* type, PyObject* args, PyObject* kwargs)
{
  PyObject* capsule = NULL;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "O;use limb.load() or limb.build()", &capsule)) return NULL;
  if (!PyCapsule_IsValid(capsule, "limb_model"))
    return PyErr_Format(PyExc_TypeError, "robots are made by limb.load() and limb.build()");
  PyObject* self = object_new(type);
  if (!self) return NULL;
  data_of(self)->model = PyCapsule_GetPointer(capsule, "limb_model");
  PyCapsule_SetDestructor(capsule, NULL); // it is the robot's now
  PyCapsule_SetName(capsule, "limb_model, taken");
  return self;
}

PyObject* robot_capsule(limb_model* m)
{
  PyObject* r = PyCapsule_New(m, "limb_model", destroy_model);
  if (!r) limb_model_destroy(m);
  return r;
}

static void robot_dealloc(PyObject* self)
{
  robot* r = data_of(self);
  const int frames = limb_frame_count(r->model) * REFS;
  for (int row = 0; row < METHOD_COUNT; row++) {
    plan_destroy(r->plan[row]);
    for (int k = 0; r->frame_plan[row] && k < frames; k++) plan_destroy(r->frame_plan[row][k]);
    free(r->frame_plan[row]);
  }
  limb_model_destroy(r->model);
  object_free(self);
}

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS

static const PyMethodDef other_methods[] = {
  {"integrate", FAST(robot_integrate),
   "integrate($self, q, v, dt=1.0, *, out=None, on_error='raise')\n--\n\n"
   "q (+) v dt: the configuration after a motion with constant v. Shape (..., nq)."},
  {"difference", FAST(robot_difference),
   "difference($self, q0, q1, *, out=None, on_error='raise')\n--\n\n"
   "The smallest v with q1 = q0 (+) v. Shape (..., nv)."},
  {"normalize", FAST(robot_normalize),
   "normalize($self, q, *, out=None, on_error='raise')\n--\n\nScales quaternions to unit norm. Shape (..., nq)."},
  {"_close", FAST(robot_close), NULL},
  {"_ik", FAST(robot_ik), NULL},
  {"_animate", robot_animate, METH_VARARGS, NULL},
  {"_view", robot_view, METH_VARARGS, NULL},
  {"_configurations", robot_configurations, METH_VARARGS, NULL},
  {"_describe", robot_describe, METH_NOARGS, NULL},
  {"_write", robot_write, METH_VARARGS, NULL},
  {"_codegen", robot_codegen, METH_VARARGS, NULL},
  {"_equations", robot_equations, METH_VARARGS, NULL},
  {"_base_formulas", robot_base_formulas, METH_NOARGS, NULL},
  {"_identify", robot_identify, METH_VARARGS, NULL},
  {"_excite", robot_excite, METH_VARARGS, NULL},
  {"_calibrate", robot_calibrate, METH_VARARGS, NULL},
};

enum { OTHERS = sizeof other_methods / sizeof *other_methods };

static PyMethodDef methods[METHOD_COUNT + OTHERS + 1] = {
#define LIMB_X(method, quantities, fields) {#method, FAST(state_##method), NULL},
  STATE_METHODS(LIMB_X)
#undef LIMB_X
#define LIMB_X(method, quantities, fields) {#method, FAST(frame_##method), NULL},
    FRAME_METHODS(LIMB_X)
#undef LIMB_X
};

int robot_prepare(PyObject* module)
{
  for (int k = 0; k < METHOD_COUNT; k++) {
    methods[k].ml_doc = document(&rows[k], k >= STATE_COUNT);
    row_result[k] = *rows[k].fields ? result_type(&rows[k]) : NULL;
    if (!methods[k].ml_doc || (*rows[k].fields && !row_result[k])) return -1;
    if (row_result[k] && PyModule_AddType(module, row_result[k]) < 0) return -1;
  }
  for (int k = 0; k < OTHERS; k++) methods[METHOD_COUNT + k] = other_methods[k];
  return 0;
}

static PyType_Slot slots[] = {{Py_tp_new, (void*)robot_new},
                              {Py_tp_dealloc, (void*)robot_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "A compiled robot. limb.load() makes it."},
                              {0, NULL}};

PyType_Spec robot_spec = {.name = "limb._limb.Robot",
                          .basicsize = sizeof(PyObject) + sizeof(robot),
                          .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                          .slots = slots};
