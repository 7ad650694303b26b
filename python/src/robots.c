// Robots as Python reads them: from files and texts, with findings; the parts of a model; the lists of the library.
#include <stdlib.h>
#include <string.h>

#include "binding.h"

// ---- small things ------------------------------------------------------------------------------------------------

// Adds a new object to a list or dict; takes the object. 0, or -1 with an exception set.
static int append(PyObject* list, PyObject* item)
{
  const int r = list && item ? PyList_Append(list, item) : -1;
  Py_XDECREF(item);
  return r;
}

static int set(PyObject* dict, const char* key, PyObject* value)
{
  const int r = dict && value ? PyDict_SetItemString(dict, key, value) : -1;
  Py_XDECREF(value);
  return r;
}

static PyObject* text_of(const char* text)
{
  if (!text) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject* vector(sp_vec3 v) { return Py_BuildValue("(ddd)", v.x, v.y, v.z); }

// ---- findings, loading -----------------------------------------------------------------------------------------

PyObject* findings_list(const limb_findings* f)
{
  PyObject* list = PyList_New(0);
  for (int k = 0; list && k < limb_findings_count(f); k++) {
    limb_finding x;
    if (limb_findings_get(f, k, &x) != LIMB_OK) break;
    PyObject* item = Py_BuildValue("(NsNiiNNN)", text_of(x.rule), limb_severity_name(x.severity), text_of(x.file),
                                   x.line, x.column, text_of(x.where), text_of(x.text), text_of(x.hint));
    if (append(list, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* error_tuple(limb_status s, const limb_error* e)
{
  if (s == LIMB_OK) Py_RETURN_NONE;
  return Py_BuildValue("(iNNii)", (int)s, text_of(*e->text ? e->text : limb_status_text(s)), text_of(e->where), e->line,
                       e->column);
}

// A format by its name. 0, or -1 with an exception set.
static int find_format(const char* name, limb_format* out)
{
  const char* known = NULL;
  for (int k = 0; (known = limb_format_name((limb_format)k)); k++)
    if (strcmp(known, name) == 0) {
      *out = (limb_format)k;
      return 0;
    }
  PyErr_Format(PyExc_ValueError, "there is no format '%s'", name);
  return -1;
}

// The strings of a list, closed by NULL, as long as the list lives; to be freed. NULL with an exception set.
static const char** strings_of(PyObject* list)
{
  const Py_ssize_t n = PyList_Size(list);
  const char** all = calloc((size_t)n + 1, sizeof *all);
  if (!all) return (const char**)PyErr_NoMemory();
  for (Py_ssize_t k = 0; k < n; k++)
    if (!(all[k] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, k), NULL))) {
      free(all);
      return NULL;
    }
  return all;
}

int read_as(PyObject* args, int shapes, limb_reading** r, limb_error* e, int* check)
{
  const char *source = NULL, *text = NULL, *name = NULL, *format = NULL;
  Py_ssize_t size = 0;
  int base = 0;
  PyObject* arguments = NULL;
  limb_read_options o = limb_default_read_options();
  if (!PyArg_ParseTuple(args, "zz#ssippO!zzpd", &source, &text, &size, &name, &format, &base, &o.no_mimic, check,
                        &PyList_Type, &arguments, &o.package_path, &o.model_name, &o.any_file, &o.loop_tolerance))
    return -1;
  const char** xacro = strings_of(arguments);
  if (!xacro || find_format(format, &o.format) < 0) {
    free(xacro);
    return -1;
  }
  o.base = (limb_base)base, o.xacro_arguments = xacro, o.shapes = shapes;
  e->status = text ? limb_read_text(text, (size_t)size, name, &o, r, e) : limb_read(source, &o, r, e);
  free(xacro);
  return 0;
}

// load(source, text, name, format, base, no_mimic, check, xacro arguments, package path or None, model or None,
// any_file, loop_tolerance) -> (capsule or None, findings, error or None, source, format). Either source or text is
// None.
PyObject* robot_load(PyObject* module, PyObject* args)
{
  int check = 1;
  limb_error e = {.status = LIMB_OK};
  limb_reading* r = NULL;
  limb_model* m = NULL;
  (void)module;
  if (read_as(args, 0, &r, &e, &check) < 0) return NULL;
  limb_status s = e.status;
  if (s == LIMB_OK && check) s = limb_check(r, &e);
  if (s == LIMB_OK) s = limb_builder_build(limb_reading_builder(r), &m, &e);
  if (r) limb_findings_sort(limb_reading_findings(r));
  PyObject* findings = r ? findings_list(limb_reading_findings(r)) : PyList_New(0);
  PyObject* capsule = m ? robot_capsule(m) : Py_NewRef(Py_None);
  PyObject* from = r ? text_of(limb_reading_source(r)) : Py_NewRef(PyTuple_GetItem(args, 0));
  const char* language = r ? limb_format_name(limb_reading_format(r)) : NULL;
  PyObject* all = findings && capsule && from
                    ? Py_BuildValue("(OONOs)", capsule, findings, error_tuple(s, &e), from, language ? language : "")
                    : NULL;
  Py_XDECREF(findings);
  Py_XDECREF(capsule);
  Py_XDECREF(from);
  limb_reading_destroy(r);
  return all;
}

// ---- the parts of a model ----------------------------------------------------------------------------------------

static PyObject* joint(const limb_model* m, int k)
{
  limb_joint_info j;
  if (limb_get_joint(m, k, &j) != LIMB_OK) return PyErr_Format(PyExc_RuntimeError, "joint %d", k);
  return Py_BuildValue("(N(ii)(ii)N)", joint_dict(&j.def), j.q, j.q + j.nq, j.v, j.v + j.nv,
                       PyBool_FromLong(j.passive));
}

static PyObject* body(const limb_model* m, int k)
{
  limb_body_info b;
  if (limb_get_body(m, k, &b) != LIMB_OK) return PyErr_Format(PyExc_RuntimeError, "body %d", k);
  return Py_BuildValue("(Nii)", body_dict(b.name, &b.inertia), b.parent, b.joint);
}

static PyObject* frame(const limb_model* m, int k)
{
  limb_frame_info f;
  if (limb_get_frame(m, k, &f) != LIMB_OK) return PyErr_Format(PyExc_RuntimeError, "frame %d", k);
  return frame_dict(&f);
}

static PyObject* loop(const limb_model* m, int k)
{
  limb_loop_info l;
  if (limb_get_loop(m, k, &l) != LIMB_OK) return PyErr_Format(PyExc_RuntimeError, "loop %d", k);
  if (l.def.motion.fn) return PyErr_Format(PyExc_NotImplementedError, "loop '%s' has a function", l.def.name);
  return Py_BuildValue("(Nii)", loop_dict(&l.def), l.constraint, l.nconstraint);
}

static PyObject* shaft(const limb_model* m, int k)
{
  limb_shaft_def d;
  if (limb_get_shaft(m, k, &d) != LIMB_OK) return PyErr_Format(PyExc_RuntimeError, "shaft %d", k);
  return shaft_dict(&d);
}

static PyObject* tendon(const limb_model* m, int k)
{
  limb_tendon_def d;
  if (limb_get_tendon(m, k, &d) != LIMB_OK) return PyErr_Format(PyExc_RuntimeError, "tendon %d", k);
  return tendon_dict(&d);
}

static PyObject* parameter(const limb_model* m, int k)
{
  limb_parameter_info p;
  if (limb_get_parameter(m, k, &p) != LIMB_OK) return PyErr_Format(PyExc_RuntimeError, "parameter %d", k);
  return Py_BuildValue("(Nss)", text_of(p.of), p.symbol, p.unit);
}

static PyObject* note(const limb_model* m, int k)
{
  limb_note n;
  if (limb_model_note(m, k, &n) != LIMB_OK) return PyErr_Format(PyExc_RuntimeError, "note %d", k);
  return Py_BuildValue("(sNN)", limb_note_kind_name(n.kind), text_of(n.subject), text_of(n.text));
}

static PyObject* list_of(const limb_model* m, int count, PyObject* (*one)(const limb_model* m, int k))
{
  PyObject* list = PyList_New(0);
  for (int k = 0; list && k < count; k++)
    if (append(list, one(m, k)) < 0) Py_CLEAR(list);
  return list;
}

// Names and units of the components of q, or of v.
static PyObject* components(const limb_dofs* d, int velocity)
{
  PyObject* list = PyList_New(0);
  const limb_dof_info* x = NULL;
  for (int k = 0; list && (x = velocity ? limb_get_velocity(d, k) : limb_get_coordinate(d, k)); k++) {
    PyObject* item = velocity ? Py_BuildValue("(Nsssi)", text_of(x->name), limb_velocity_unit(x),
                                              limb_acceleration_unit(x), limb_force_unit(x), x->joint)
                              : Py_BuildValue("(Nsi)", text_of(x->name), limb_position_unit(x), x->joint);
    if (append(list, item) < 0) Py_CLEAR(list);
  }
  return list;
}

PyObject* robot_describe(PyObject* self, PyObject* unused)
{
  const limb_model* m = robot_model(self);
  limb_dofs* dofs = NULL;
  (void)unused;
  const limb_status s = limb_dofs_create(m, NULL, &dofs);
  if (s != LIMB_OK) return raise_status(s, NULL, NULL);
  PyObject* r = PyDict_New();
  const int bad = set(r, "name", text_of(limb_model_name(m))) < 0 || set(r, "nq", PyLong_FromLong(limb_nq(m))) < 0 ||
                  set(r, "nv", PyLong_FromLong(limb_nv(m))) < 0 ||
                  set(r, "gravity", vector(limb_model_gravity(m))) < 0 ||
                  set(r, "mass", PyFloat_FromDouble(limb_total_mass(m))) < 0 ||
                  set(r, "loop_tolerance", PyFloat_FromDouble(limb_model_loop_tolerance(m))) < 0 ||
                  set(r, "constraints", PyLong_FromLong(limb_constraint_count(m))) < 0 ||
                  set(r, "shafts", list_of(m, limb_shaft_count(m), shaft)) < 0 ||
                  set(r, "tendons", list_of(m, limb_tendon_count(m), tendon)) < 0 ||
                  set(r, "joints", list_of(m, limb_joint_count(m), joint)) < 0 ||
                  set(r, "bodies", list_of(m, limb_body_count(m), body)) < 0 ||
                  set(r, "frames", list_of(m, limb_frame_count(m), frame)) < 0 ||
                  set(r, "loops", list_of(m, limb_loop_count(m), loop)) < 0 ||
                  set(r, "parameters", list_of(m, limb_parameter_count(m), parameter)) < 0 ||
                  set(r, "notes", list_of(m, limb_model_note_count(m), note)) < 0 ||
                  set(r, "coordinates", components(dofs, 0)) < 0 || set(r, "velocities", components(dofs, 1)) < 0;
  limb_dofs_destroy(dofs);
  if (bad) Py_CLEAR(r);
  return r;
}

// ---- writing -------------------------------------------------------------------------------------------------------

// _write(format) -> (text, findings)
PyObject* robot_write(PyObject* self, PyObject* args)
{
  const char* name = NULL;
  limb_format format = LIMB_FORMAT_AUTO;
  limb_builder* b = NULL;
  limb_findings* f = NULL;
  limb_error e = {.status = LIMB_OK};
  text_buffer out = {0};
  if (!PyArg_ParseTuple(args, "s", &name) || find_format(name, &format) < 0) return NULL;
  limb_status s = limb_builder_from_model(robot_model(self), NULL, &b);
  if (s == LIMB_OK) s = limb_findings_create(NULL, &f);
  if (s == LIMB_OK) s = limb_write(b, format, text_append, &out, f, &e);
  limb_builder_destroy(b);
  PyObject* text = text_finish(&out);
  PyObject* findings = s == LIMB_OK ? findings_list(f) : NULL;
  limb_findings_destroy(f);
  if (text && findings) return Py_BuildValue("(NN)", text, findings);
  Py_XDECREF(text);
  Py_XDECREF(findings);
  return s == LIMB_OK ? NULL : raise_status(s, &e, NULL);
}

// Springs belong to the set when the robot has some, as for the quantities of base parameters.
static unsigned base_flags(const limb_model* m)
{
  limb_joint_info j;
  for (int k = 0; limb_get_joint(m, k, &j) == LIMB_OK; k++)
    if (j.def.stiffness != 0 || j.shaft >= 0) return 0;
  return LIMB_BASE_NO_SPRINGS;
}

// _base_formulas() -> list of (name, formula, row of K)
PyObject* robot_base_formulas(PyObject* self, PyObject* unused)
{
  limb_base_parameters* b = NULL;
  (void)unused;
  const limb_status s = limb_base_create(robot_model(self), NULL, base_flags(robot_model(self)), NULL, &b);
  if (s != LIMB_OK) return raise_status(s, NULL, NULL);
  const int np = limb_parameter_count(robot_model(self));
  PyObject* list = PyList_New(0);
  for (int k = 0; list && k < limb_base_count(b); k++) {
    PyObject* item = Py_BuildValue("(ssN)", limb_base_name(b, k), limb_base_formula(b, k),
                                   tuple_of(limb_base_matrix(b) + (size_t)k * (size_t)np, np));
    if (append(list, item) < 0) Py_CLEAR(list);
  }
  limb_base_destroy(b);
  return list;
}

// ---- lists of the library ------------------------------------------------------------------------------------------

PyObject* list_quantities(PyObject* module, PyObject* unused)
{
  (void)module, (void)unused;
  PyObject* list = PyList_New(0);
  for (int k = 0; list && k < limb_quantity_count(); k++) {
    const limb_quantity_info* q = limb_get_quantity(k);
    PyObject *shape = PyList_New(0), *fields = PyList_New(0);
    int bad = !shape || !fields;
    for (int axis = 0; !bad && q->axis[axis] != LIMB_AXIS_NONE; axis++)
      bad = append(shape, text_of(limb_axis_length_text(q->axis[axis]))) < 0;
    for (int i = 0; !bad && q->fields && q->fields[i]; i++) bad = append(fields, text_of(q->fields[i])) < 0;
    PyObject* item = bad ? NULL
                         : Py_BuildValue("(ssssOOsIsss)", q->name, q->group, q->equation, q->meaning, shape, fields,
                                         q->unit, q->needs, limb_robots_text(q->robots), q->functions, q->note);
    Py_XDECREF(shape);
    Py_XDECREF(fields);
    if (append(list, item) < 0) Py_CLEAR(list);
  }
  return list;
}

PyObject* list_robots(PyObject* module, PyObject* unused)
{
  (void)module, (void)unused;
  PyObject* list = PyList_New(0);
  limb_robot_info x;
  for (int k = 0; list && limb_get_robot(k, &x) == LIMB_OK; k++)
    if (append(list, Py_BuildValue("(NNNN)", text_of(x.name), text_of(x.title), text_of(x.origin), text_of(x.text))) <
        0)
      Py_CLEAR(list);
  return list;
}

PyObject* list_rules(PyObject* module, PyObject* unused)
{
  (void)module, (void)unused;
  PyObject* list = PyList_New(0);
  limb_rule_info x;
  for (int k = 0; list && limb_get_rule(k, &x) == LIMB_OK; k++)
    if (append(list, Py_BuildValue("(ssss)", x.name, limb_severity_name(x.severity), x.why, x.fix)) < 0) Py_CLEAR(list);
  return list;
}
