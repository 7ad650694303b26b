// Changes of a robot (limb/edit.h): methods of the type Builder, by names. Each returns 0.
#include "limb/edit.h"
#include "binding.h"

typedef int find_fn(const limb_builder* b, const char* name);

// The index of a body or joint. -1: there is none, an exception is set.
static int find(PyObject* self, find_fn* by_name, const char* what, const char* name)
{
  const int index = by_name(builder_of(self), name);
  if (index < 0) PyErr_Format(PyExc_KeyError, "'%s' has no %s '%s'", limb_builder_name(builder_of(self)), what, name);
  return index;
}

PyObject* builder_name(PyObject* self, PyObject* args)
{
  const char* name = NULL;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  return builder_done(limb_builder_set_name(builder_of(self), name), NULL, 0);
}

// ---- numbers -----------------------------------------------------------------------------------------------------

// set_body(name, members)
PyObject* builder_set_body(PyObject* self, PyObject* args)
{
  const char* name = NULL;
  PyObject* members = NULL;
  limb_body_def def;
  limb_error e = {.status = LIMB_OK};
  if (!PyArg_ParseTuple(args, "sO!", &name, &PyDict_Type, &members)) return NULL;
  const int body = find(self, limb_builder_find_body, "body", name);
  if (body < 0) return NULL;
  limb_status s = limb_builder_get_body(builder_of(self), body, &def);
  if (s == LIMB_OK && read_dict(inertia_fields, members, &def.inertia) < 0) return NULL;
  if (s == LIMB_OK) s = limb_builder_set_body(builder_of(self), body, &def, &e);
  return builder_done(s, &e, 0);
}

// set_joint(name, members)
PyObject* builder_set_joint(PyObject* self, PyObject* args)
{
  const char* name = NULL;
  PyObject* members = NULL;
  limb_joint_def def;
  limb_error e = {.status = LIMB_OK};
  if (!PyArg_ParseTuple(args, "sO!", &name, &PyDict_Type, &members)) return NULL;
  const int joint = find(self, limb_builder_find_joint, "joint", name);
  if (joint < 0) return NULL;
  limb_status s = limb_builder_get_joint(builder_of(self), joint, &def);
  if (s == LIMB_OK && read_dict(joint_fields, members, &def) < 0) return NULL;
  if (s == LIMB_OK) s = limb_builder_set_joint(builder_of(self), joint, &def, &e);
  return builder_done(s, &e, 0);
}

// ---- parts -------------------------------------------------------------------------------------------------------

enum { JOINT_NUMBERS = 7 }; // at most, of a free joint

// Numbers of a joint of this kind. 0, or -1 with an exception set.
static int read_configuration(PyObject* self, int joint, PyObject* numbers, double* q)
{
  limb_joint_def def;
  int n = 0;
  if (limb_builder_get_joint(builder_of(self), joint, &def) != LIMB_OK) return -1;
  while (n < JOINT_NUMBERS && limb_q_suffix(def.type, n)) n++;
  return read_numbers(numbers, def.name, n, q);
}

// lock(joint, q): its numbers, or None where it starts.
PyObject* builder_lock(PyObject* self, PyObject* args)
{
  const char* name = NULL;
  PyObject* numbers = NULL;
  double q[JOINT_NUMBERS];
  limb_error e = {.status = LIMB_OK};
  if (!PyArg_ParseTuple(args, "sO", &name, &numbers)) return NULL;
  const int joint = find(self, limb_builder_find_joint, "joint", name), at_start = numbers == Py_None;
  if (joint < 0 || (!at_start && read_configuration(self, joint, numbers, q) < 0)) return NULL;
  return builder_done(limb_builder_lock(builder_of(self), joint, at_start ? NULL : q, &e), &e, 0);
}

PyObject* builder_remove(PyObject* self, PyObject* args)
{
  const char* name = NULL;
  limb_error e = {.status = LIMB_OK};
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  const int body = find(self, limb_builder_find_body, "body", name);
  return body < 0 ? NULL : builder_done(limb_builder_remove(builder_of(self), body, &e), &e, 0);
}

// rename(old, new): a body, or else a joint.
PyObject* builder_rename(PyObject* self, PyObject* args)
{
  const char *old = NULL, *name = NULL;
  limb_error e = {.status = LIMB_OK};
  if (!PyArg_ParseTuple(args, "ss", &old, &name)) return NULL;
  int index = limb_builder_find_body(builder_of(self), old);
  const limb_part_kind part = index < 0 ? LIMB_PART_JOINT : LIMB_PART_BODY;
  if (index < 0) index = find(self, limb_builder_find_joint, "body or joint", old);
  return index < 0 ? NULL : builder_done(limb_builder_rename(builder_of(self), part, index, name, &e), &e, 0);
}

// base(type): that of a joint.
PyObject* builder_base(PyObject* self, PyObject* args)
{
  const char* type = NULL;
  limb_error e = {.status = LIMB_OK};
  if (!PyArg_ParseTuple(args, "s", &type)) return NULL;
  return builder_done(limb_builder_set_base(builder_of(self), find_joint_type(type), &e), &e, 0);
}

PyObject* builder_root(PyObject* self, PyObject* args)
{
  const char* name = NULL;
  limb_error e = {.status = LIMB_OK};
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  const int body = find(self, limb_builder_find_body, "body", name);
  return body < 0 ? NULL : builder_done(limb_builder_reroot(builder_of(self), body, &e), &e, 0);
}

// attach(frame, robot, prefix)
PyObject* builder_attach(PyObject* self, PyObject* args)
{
  const char *frame = NULL, *prefix = NULL;
  PyObject* robot = NULL;
  limb_builder* other = NULL;
  limb_error e = {.status = LIMB_OK};
  if (!PyArg_ParseTuple(args, "sO!s", &frame, types.robot, &robot, &prefix)) return NULL;
  limb_status s = limb_builder_from_model(robot_model(robot), NULL, &other);
  if (s == LIMB_OK) s = limb_builder_attach(builder_of(self), frame, other, prefix, &e);
  limb_builder_destroy(other);
  return builder_done(s, &e, 0);
}

// payload(name, frame, members of its inertia)
PyObject* builder_payload(PyObject* self, PyObject* args)
{
  const char *name = NULL, *frame = NULL;
  PyObject* members = NULL;
  limb_error e = {.status = LIMB_OK};
  if (!PyArg_ParseTuple(args, "ssO!", &name, &frame, &PyDict_Type, &members)) return NULL;
  limb_body_def def = limb_default_body_def(name);
  if (read_dict(inertia_fields, members, &def.inertia) < 0) return NULL;
  return builder_done(limb_builder_add_payload(builder_of(self), name, frame, NULL, &def.inertia, &e), &e, 0);
}
