// The type Builder, and definitions as dicts: one table of members for each struct of limb/builder.h serves to read
// them and to write them.
#include <stdlib.h>
#include <string.h>

#include "binding.h"

#define DOFS(name)                                                        \
  {                                                                       \
#name, FIELD_NUMBERS, offsetof(limb_joint_def, name), LIMB_JOINT_DOFS \
  }

const limb_field joint_fields[] = {INTEGER(limb_joint_def, parent),
                                   INTEGER(limb_joint_def, child),
                                   POSE(limb_joint_def, placement),
                                   VECTOR(limb_joint_def, axis),
                                   VECTOR(limb_joint_def, axis2),
                                   NUMBER(limb_joint_def, pitch),
                                   NUMBER(limb_joint_def, q_min),
                                   NUMBER(limb_joint_def, q_max),
                                   NUMBER(limb_joint_def, v_max),
                                   NUMBER(limb_joint_def, effort_max),
                                   NUMBER(limb_joint_def, a_max),
                                   NUMBER(limb_joint_def, deceleration_max),
                                   NUMBER(limb_joint_def, jerk_max),
                                   NUMBER(limb_joint_def, rotor_inertia),
                                   NUMBER(limb_joint_def, gear_ratio),
                                   NUMBER(limb_joint_def, coulomb),
                                   NUMBER(limb_joint_def, viscous),
                                   NUMBER(limb_joint_def, stiffness),
                                   NUMBER(limb_joint_def, rest),
                                   INTEGER(limb_joint_def, mimic),
                                   NUMBER(limb_joint_def, multiplier),
                                   NUMBER(limb_joint_def, offset),
                                   INTEGER(limb_joint_def, drive),
                                   NUMBER(limb_joint_def, start),
                                   DOFS(armature),
                                   DOFS(damping),
                                   LAST};

static const limb_field shaft_fields[] = {INTEGER(limb_shaft_def, joint),
                                          INTEGER(limb_shaft_def, motor),
                                          NUMBER(limb_shaft_def, ratio),
                                          NUMBER(limb_shaft_def, stiffness),
                                          NUMBER(limb_shaft_def, damping),
                                          NUMBER(limb_shaft_def, rest),
                                          LAST};

static const limb_field tendon_fields[] = {NUMBER(limb_tendon_def, stiffness), NUMBER(limb_tendon_def, damping),
                                           NUMBER(limb_tendon_def, rest), LAST};

static const limb_field motor_fields[] = {INTEGER(limb_motor_def, joint),        INTEGER(limb_motor_def, coupled),
                                          NUMBER(limb_motor_def, rotor_inertia), NUMBER(limb_motor_def, rotor_mass),
                                          VECTOR(limb_motor_def, axis),          VECTOR(limb_motor_def, centre),
                                          NUMBER(limb_motor_def, ratio),         NUMBER(limb_motor_def, stiffness),
                                          NUMBER(limb_motor_def, damping),       NUMBER(limb_motor_def, rest),
                                          NUMBER(limb_motor_def, coulomb),       NUMBER(limb_motor_def, viscous),
                                          NUMBER(limb_motor_def, effort_max),    LAST};

static const limb_field loop_fields[] = {
  INTEGER(limb_loop_def, body_a),
  INTEGER(limb_loop_def, body_b),
  POSE(limb_loop_def, pose_a),
  POSE(limb_loop_def, pose_b),
  INTEGER(limb_loop_def, locked),
  NUMBER(limb_loop_def, length),
  NUMBER(limb_loop_def, radius),
  INTEGER(limb_loop_def, joint),
  INTEGER(limb_loop_def, other),
  {"coefficient", FIELD_NUMBERS, offsetof(limb_loop_def, coefficient), LIMB_LOOP_COEFFICIENTS},
  {"motion_constraint", FIELD_INT, offsetof(limb_loop_def, motion.constraint), 1},
  {"motion", FIELD_NUMBERS, offsetof(limb_loop_def, motion.constant), 5},
  LAST};

const limb_field inertia_fields[] = {
  NUMBER(sp_inertia, mass), VECTOR(sp_inertia, com), {"inertia", FIELD_NUMBERS, offsetof(sp_inertia, xx), 6}, LAST};

static const limb_field frame_fields[] = {INTEGER(limb_frame_info, body), POSE(limb_frame_info, pose), LAST};

// ---- dicts from structs ------------------------------------------------------------------------------------------

PyObject* tuple_of(const double* x, int n)
{
  PyObject* r = PyTuple_New(n);
  for (int k = 0; r && k < n; k++) {
    PyObject* number = PyFloat_FromDouble(x[k]);
    if (!number || PyTuple_SetItem(r, k, number) < 0) Py_CLEAR(r);
  }
  return r;
}

static PyObject* pose_of(const sp_pose* X)
{
  PyObject* position = tuple_of(&X->p.x, 3);
  PyObject* rotation = PyTuple_New(3);
  for (int k = 0; rotation && k < 3; k++)
    if (PyTuple_SetItem(rotation, k, tuple_of(X->R.m + (size_t)(3 * k), 3)) < 0) Py_CLEAR(rotation);
  return position && rotation ? Py_BuildValue("(NN)", position, rotation) : NULL;
}

static PyObject* field_value(const limb_field* f, const void* from)
{
  const char* at = (const char*)from + f->offset;
  switch (f->kind) {
  case FIELD_INT: return PyLong_FromLong(*(const int*)(const void*)at);
  case FIELD_NUMBER: return PyFloat_FromDouble(*(const double*)(const void*)at);
  case FIELD_POSE: return pose_of((const sp_pose*)(const void*)at);
  default: return tuple_of((const double*)(const void*)at, f->count);
  }
}

static PyObject* dict_of(const limb_field* fields, const char* name, const void* from)
{
  PyObject* r = name ? Py_BuildValue("{ss}", "name", name) : PyDict_New();
  for (const limb_field* f = fields; r && f->name; f++) {
    PyObject* value = field_value(f, from);
    if (!value || PyDict_SetItemString(r, f->name, value) < 0) Py_CLEAR(r);
    Py_XDECREF(value);
  }
  return r;
}

static PyObject* with_type(PyObject* dict, const char* type)
{
  PyObject* text = dict ? PyUnicode_FromString(type ? type : "?") : NULL;
  if (dict && (!text || PyDict_SetItemString(dict, "type", text) < 0)) Py_CLEAR(dict);
  Py_XDECREF(text);
  return dict;
}

PyObject* joint_dict(const limb_joint_def* d)
{
  return with_type(dict_of(joint_fields, d->name, d), limb_joint_type_name(d->type));
}
PyObject* loop_dict(const limb_loop_def* d)
{
  return with_type(dict_of(loop_fields, d->name, d), limb_loop_kind_name(d->kind));
}
PyObject* shaft_dict(const limb_shaft_def* d) { return dict_of(shaft_fields, NULL, d); }

// With "joints", pairs of a joint and its coefficient, and "points": body, position, pulley.
PyObject* tendon_dict(const limb_tendon_def* d)
{
  PyObject* dict = dict_of(tendon_fields, d->name, d);
  PyObject *joints = dict ? PyTuple_New(d->count) : NULL, *points = dict ? PyTuple_New(d->points) : NULL;
  for (int k = 0; joints && k < d->count; k++) {
    PyObject* pair = Py_BuildValue("(id)", d->joint[k], d->coefficient[k]);
    if (!pair || PyTuple_SetItem(joints, k, pair) < 0) Py_CLEAR(joints);
  }
  for (int k = 0; points && k < d->points; k++) {
    const limb_tendon_point* p = &d->point[k];
    PyObject* point = Py_BuildValue("(i(ddd)d)", p->body, p->at.x, p->at.y, p->at.z, p->pulley);
    if (!point || PyTuple_SetItem(points, k, point) < 0) Py_CLEAR(points);
  }
  if (dict && (!joints || !points || PyDict_SetItemString(dict, "joints", joints) < 0 ||
               PyDict_SetItemString(dict, "points", points) < 0))
    Py_CLEAR(dict);
  Py_XDECREF(joints), Py_XDECREF(points);
  return dict;
}
PyObject* body_dict(const char* name, const sp_inertia* Y) { return dict_of(inertia_fields, name, Y); }
PyObject* frame_dict(const limb_frame_info* f) { return dict_of(frame_fields, f->name, f); }

// ---- structs from dicts ------------------------------------------------------------------------------------------

int read_numbers(PyObject* sequence, const char* name, int n, double* x)
{
  const Py_ssize_t size = PySequence_Size(sequence);
  if (size != n) {
    if (size >= 0) PyErr_Format(PyExc_ValueError, "%s has %zd numbers, expected %d", name, size, n);
    return -1;
  }
  for (int k = 0; k < n; k++) {
    PyObject* item = PySequence_GetItem(sequence, k);
    x[k] = item ? PyFloat_AsDouble(item) : -1;
    Py_XDECREF(item);
    if (PyErr_Occurred()) return -1;
  }
  return 0;
}

static int read_pose(PyObject* value, const char* name, sp_pose* X)
{
  PyObject *p = NULL, *R = NULL;
  if (!PyTuple_Check(value) || PyTuple_Size(value) != 2) {
    PyErr_Format(PyExc_TypeError, "%s is no pair of a position and a rotation matrix", name);
    return -1;
  }
  p = PyTuple_GetItem(value, 0), R = PyTuple_GetItem(value, 1);
  if (read_numbers(p, name, 3, &X->p.x) < 0) return -1;
  for (int k = 0; k < 3; k++) {
    PyObject* row = PySequence_GetItem(R, k);
    const int bad = !row || read_numbers(row, name, 3, X->R.m + (size_t)(3 * k)) < 0;
    Py_XDECREF(row);
    if (bad) return -1;
  }
  return 0;
}

static int read_field(const limb_field* f, PyObject* value, void* to)
{
  char* at = (char*)to + f->offset;
  long n = 0;
  switch (f->kind) {
  case FIELD_INT:
    n = PyLong_AsLong(value);
    if (n < -1 || n > 1000000000) PyErr_Format(PyExc_ValueError, "%s is %ld", f->name, n);
    *(int*)(void*)at = (int)n;
    return PyErr_Occurred() ? -1 : 0;
  case FIELD_NUMBER: *(double*)(void*)at = PyFloat_AsDouble(value); return PyErr_Occurred() ? -1 : 0;
  case FIELD_POSE: return read_pose(value, f->name, (sp_pose*)(void*)at);
  default: return read_numbers(value, f->name, f->count, (double*)(void*)at);
  }
}

int read_dict(const limb_field* fields, PyObject* dict, void* to)
{
  PyObject *key = NULL, *value = NULL;
  Py_ssize_t place = 0;
  while (dict && PyDict_Next(dict, &place, &key, &value)) {
    const limb_field* f = fields;
    while (f->name && PyUnicode_CompareWithASCIIString(key, f->name) != 0) f++;
    if (!f->name) {
      PyErr_Format(PyExc_TypeError, "there is no argument '%U'", key);
      return -1;
    }
    if (read_field(f, value, to) < 0) return -1;
  }
  return 0;
}

// ---- the type ------------------------------------------------------------------------------------------------------

typedef struct builder {
  limb_builder* b;
} builder;

limb_builder* builder_of(PyObject* self) { return ((builder*)object_data(self, types.builder))->b; }

// Builder(name), or Builder(robot): its description, to be changed.
static PyObject* builder_new(PyTypeObject* type, PyObject* args, PyObject* kwargs)
{
  PyObject* from = NULL;
  limb_builder* b = NULL;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "O", &from)) return NULL;
  const int copies = PyObject_TypeCheck(from, types.robot);
  const char* name = copies ? NULL : PyUnicode_AsUTF8AndSize(from, NULL);
  if (!copies && !name) return NULL;
  limb_status s = copies ? limb_builder_from_model(robot_model(from), NULL, &b) : limb_builder_create(NULL, &b);
  if (s == LIMB_OK && name) s = limb_builder_set_name(b, name);
  PyObject* self = s == LIMB_OK ? object_new(type) : raise_status(s, NULL, NULL);
  if (self)
    ((builder*)object_data(self, types.builder))->b = b;
  else
    limb_builder_destroy(b);
  return self;
}

static void builder_dealloc(PyObject* self)
{
  limb_builder_destroy(builder_of(self));
  object_free(self);
}

limb_joint_type find_joint_type(const char* name)
{
  int k = 0;
  while (limb_joint_type_name((limb_joint_type)k) && strcmp(limb_joint_type_name((limb_joint_type)k), name) != 0) k++;
  return (limb_joint_type)k;
}

PyObject* builder_done(limb_status s, const limb_error* e, int index)
{
  return s == LIMB_OK ? PyLong_FromLong(index) : raise_status(s, e, NULL);
}

// Each takes a name (and a type), and members by name; each returns an index.
static PyObject* builder_body(PyObject* self, PyObject* args)
{
  const char* name = NULL;
  PyObject* members = NULL;
  int index = 0;
  limb_error e = {.status = LIMB_OK};
  if (!PyArg_ParseTuple(args, "sO!", &name, &PyDict_Type, &members)) return NULL;
  limb_body_def def = limb_default_body_def(name);
  if (read_dict(inertia_fields, members, &def.inertia) < 0) return NULL;
  const limb_status s = limb_builder_add_body(builder_of(self), &def, &index, &e);
  return builder_done(s, &e, index);
}

static PyObject* builder_joint(PyObject* self, PyObject* args)
{
  const char *name = NULL, *word = NULL;
  PyObject* members = NULL;
  int index = 0;
  limb_error e = {.status = LIMB_OK};
  if (!PyArg_ParseTuple(args, "ssO!", &name, &word, &PyDict_Type, &members)) return NULL;
  const limb_joint_type type = find_joint_type(word);
  if (!limb_joint_type_name(type)) return PyErr_Format(PyExc_ValueError, "no joint type '%s'", word);
  limb_joint_def def = limb_default_joint_def(name, type, 0, 0);
  if (read_dict(joint_fields, members, &def) < 0) return NULL;
  const limb_status s = limb_builder_add_joint(builder_of(self), &def, &index, &e);
  return builder_done(s, &e, index);
}

static PyObject* builder_loop(PyObject* self, PyObject* args)
{
  const char *name = NULL, *type = NULL;
  PyObject* members = NULL;
  int index = 0, k = 0;
  limb_error e = {.status = LIMB_OK};
  if (!PyArg_ParseTuple(args, "ssO!", &name, &type, &PyDict_Type, &members)) return NULL;
  while (limb_loop_kind_name((limb_loop_kind)k) && strcmp(limb_loop_kind_name((limb_loop_kind)k), type) != 0) k++;
  if (!limb_loop_kind_name((limb_loop_kind)k)) return PyErr_Format(PyExc_ValueError, "no kind of loop '%s'", type);
  limb_loop_def def = limb_default_loop_def(name, (limb_loop_kind)k, 0, 0);
  if (read_dict(loop_fields, members, &def) < 0) return NULL;
  const limb_status s = limb_builder_add_loop(builder_of(self), &def, &index, &e);
  return builder_done(s, &e, index);
}

static PyObject* builder_frame(PyObject* self, PyObject* args)
{
  limb_frame_info f = {.pose = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {0, 0, 0}}};
  PyObject* members = NULL;
  int index = 0;
  limb_error e = {.status = LIMB_OK};
  if (!PyArg_ParseTuple(args, "sO!", &f.name, &PyDict_Type, &members)) return NULL;
  if (read_dict(frame_fields, members, &f) < 0) return NULL;
  const limb_status s = limb_builder_add_frame(builder_of(self), f.name, f.body, &f.pose, &index, &e);
  return builder_done(s, &e, index);
}

static PyObject* builder_shaft(PyObject* self, PyObject* members)
{
  limb_error e = {.status = LIMB_OK};
  limb_shaft_def def = limb_default_shaft_def(-1, -1);
  if (!PyDict_Check(members)) return PyErr_Format(PyExc_TypeError, "expected a dict");
  if (read_dict(shaft_fields, members, &def) < 0) return NULL;
  const limb_status s = limb_builder_add_shaft(builder_of(self), &def, &e);
  return builder_done(s, &e, limb_builder_shaft_count(builder_of(self)) - 1);
}

// tendon(name, ((joint, coefficient), ...), ((body, position, pulley), ...), members)
static PyObject* builder_tendon(PyObject* self, PyObject* args)
{
  limb_error e = {.status = LIMB_OK};
  limb_tendon_def def = limb_default_tendon_def(NULL);
  PyObject *joints = NULL, *points = NULL, *members = NULL;
  if (!PyArg_ParseTuple(args, "sO!O!O!", &def.name, &PyTuple_Type, &joints, &PyTuple_Type, &points, &PyDict_Type,
                        &members))
    return NULL;
  def.count = (int)PyTuple_Size(joints), def.points = (int)PyTuple_Size(points);
  limb_tendon_point* point = calloc((size_t)def.points + 1, sizeof *point);
  double* coefficient = calloc((size_t)def.count + 1, sizeof *coefficient + sizeof(int));
  int* joint = coefficient ? (int*)(coefficient + def.count) : NULL;
  int good = point && coefficient && read_dict(tendon_fields, members, &def) >= 0, index = 0;
  if (!point || !coefficient) PyErr_NoMemory();
  for (int k = 0; good && k < def.count; k++)
    good = PyArg_ParseTuple(PyTuple_GetItem(joints, k), "id", &joint[k], &coefficient[k]);
  for (int k = 0; good && k < def.points; k++)
    good = PyArg_ParseTuple(PyTuple_GetItem(points, k), "i(ddd)d", &point[k].body, &point[k].at.x, &point[k].at.y,
                            &point[k].at.z, &point[k].pulley);
  def.joint = joint, def.coefficient = coefficient, def.point = point;
  const limb_status s = good ? limb_builder_add_tendon(builder_of(self), &def, &index, &e) : LIMB_OK;
  free(coefficient), free(point);
  return good ? builder_done(s, &e, index) : NULL;
}

static PyObject* builder_motor(PyObject* self, PyObject* members)
{
  int index = 0;
  limb_error e = {.status = LIMB_OK};
  limb_motor_def def = limb_default_motor_def(-1);
  if (!PyDict_Check(members)) return PyErr_Format(PyExc_TypeError, "expected a dict");
  if (read_dict(motor_fields, members, &def) < 0) return NULL;
  const limb_status s = limb_builder_add_motor(builder_of(self), &def, &index, &e);
  return builder_done(s, &e, index);
}

static PyObject* builder_gravity(PyObject* self, PyObject* args)
{
  sp_vec3 g;
  if (!PyArg_ParseTuple(args, "ddd", &g.x, &g.y, &g.z)) return NULL;
  return builder_done(limb_builder_set_gravity(builder_of(self), g), NULL, 0);
}

static PyObject* builder_loop_tolerance(PyObject* self, PyObject* args)
{
  double tolerance = 0;
  if (!PyArg_ParseTuple(args, "d", &tolerance)) return NULL;
  return builder_done(limb_builder_set_loop_tolerance(builder_of(self), tolerance), NULL, 0);
}

static PyObject* builder_build(PyObject* self, PyObject* unused)
{
  limb_model* m = NULL;
  limb_error e = {.status = LIMB_OK};
  (void)unused;
  const limb_status s = limb_builder_build(builder_of(self), &m, &e);
  return s == LIMB_OK ? robot_capsule(m) : raise_status(s, &e, NULL);
}

static PyMethodDef methods[] = {{"body", builder_body, METH_VARARGS, NULL},
                                {"joint", builder_joint, METH_VARARGS, NULL},
                                {"loop", builder_loop, METH_VARARGS, NULL},
                                {"frame", builder_frame, METH_VARARGS, NULL},
                                {"shaft", builder_shaft, METH_O, NULL},
                                {"tendon", builder_tendon, METH_VARARGS, NULL},
                                {"motor", builder_motor, METH_O, NULL},
                                {"gravity", builder_gravity, METH_VARARGS, NULL},
                                {"loop_tolerance", builder_loop_tolerance, METH_VARARGS, NULL},
                                {"name", builder_name, METH_VARARGS, NULL},
                                {"set_body", builder_set_body, METH_VARARGS, NULL},
                                {"set_joint", builder_set_joint, METH_VARARGS, NULL},
                                {"lock", builder_lock, METH_VARARGS, NULL},
                                {"remove", builder_remove, METH_VARARGS, NULL},
                                {"rename", builder_rename, METH_VARARGS, NULL},
                                {"base", builder_base, METH_VARARGS, NULL},
                                {"root", builder_root, METH_VARARGS, NULL},
                                {"attach", builder_attach, METH_VARARGS, NULL},
                                {"payload", builder_payload, METH_VARARGS, NULL},
                                {"build", builder_build, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, (void*)builder_new},
                              {Py_tp_dealloc, (void*)builder_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "The builder of the library; limb.Builder has names instead of indices."},
                              {0, NULL}};

PyType_Spec builder_spec = {.name = "limb._limb.Builder",
                            .basicsize = sizeof(PyObject) + sizeof(builder),
                            .flags = Py_TPFLAGS_DEFAULT,
                            .slots = slots};
