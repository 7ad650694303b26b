// The module limb._limb: types, exceptions, threads.
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "binding.h"

limb_types types;

void* object_data(PyObject* object, PyTypeObject* type)
{
  (void)type; // where objects are opaque, it finds the place
  return (char*)object + sizeof(PyObject);
}

PyObject* object_new(PyTypeObject* type) { return ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0); }

void object_free(PyObject* self)
{
  PyTypeObject* type = Py_TYPE(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

// ---- signals -----------------------------------------------------------------------------------------------------

int interrupted(double* last)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  const double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
  if (*last == 0) *last = now;
  if (now - *last < SIGNAL_SECONDS) return 0;
  *last = now;
  PyGILState_STATE state = PyGILState_Ensure();
  const int raised = PyErr_CheckSignals() < 0;
  PyGILState_Release(state);
  return raised;
}

// ---- exceptions --------------------------------------------------------------------------------------------------

static PyObject* raise_made(limb_status s, const char* text, const char* where, const char* file, int line, int column)
{
  if (s == LIMB_E_NOMEM && !*text) return PyErr_NoMemory();
  PyObject* module = PyImport_ImportModule("limb._errors");
  PyObject* error = module ? PyObject_CallMethod(module, "make", "isszii", (int)s, *text ? text : limb_status_text(s),
                                                 where, file, line, column)
                           : NULL;
  Py_XDECREF(module);
  if (error) PyErr_SetObject((PyObject*)Py_TYPE(error), error);
  Py_XDECREF(error);
  return NULL;
}

PyObject* raise_status(limb_status s, const limb_error* e, const char* file)
{
  if (PyErr_Occurred()) return NULL;
  return e ? raise_made(s, e->text, e->where, file, e->line, e->column) : raise_made(s, "", "", file, 0, 0);
}

PyObject* raise_state(limb_status s, const limb_error* e, size_t state, size_t n)
{
  char where[160];
  if (n == 0) return raise_status(s, e, NULL);
  (void)PyOS_snprintf(where, sizeof where, "state %zu of %zu%s%s", state, n, *e->where ? ": " : "", e->where);
  return raise_made(s, e->text, where, NULL, 0, 0);
}

// ---- threads -----------------------------------------------------------------------------------------------------

typedef struct pool_entry {
  struct pool_entry* next;
  int threads;
  long process;
  limb_threads* made;
} pool_entry;

const limb_pool* pool_of(int threads)
{
  static pool_entry* pools; // they live as long as the process; the interpreter serialises calls
  const long process = (long)getpid();
  if (threads == 1) return NULL;
  for (pool_entry* p = pools; p; p = p->next)
    if (p->threads == threads && p->process == process) return limb_threads_pool(p->made);
  pool_entry* p = calloc(1, sizeof *p);
  const limb_status s = p ? limb_threads_create(threads, NULL, &p->made) : LIMB_E_NOMEM;
  if (s != LIMB_OK) {
    free(p);
    (void)raise_status(s, NULL, NULL);
    return NULL;
  }
  p->threads = threads, p->process = process, p->next = pools;
  pools = p;
  return limb_threads_pool(p->made);
}

// ---- the module --------------------------------------------------------------------------------------------------

static PyObject* module_facts(PyObject* module, PyObject* unused)
{
  const unsigned v = limb_version();
  (void)module, (void)unused;
  return Py_BuildValue("(Nsz)", PyUnicode_FromFormat("%u.%u.%u", v >> 16, v >> 8 & 255, v & 255), limb_isa_name(),
                       limb_isa_refused());
}

static PyTypeObject* add_type(PyObject* module, PyType_Spec* spec)
{
  PyTypeObject* type = (PyTypeObject*)(void*)PyType_FromModuleAndSpec(module, spec, NULL);
  if (type && PyModule_AddType(module, type) < 0) Py_CLEAR(type);
  return type;
}

static int start(PyObject* module)
{
  if (types.robot) { // sub-interpreters would share what is above
    PyErr_SetString(PyExc_ImportError, "limb can be imported once in a process");
    return -1;
  }
  if (array_start(module) < 0 || robot_prepare(module) < 0) return -1;
  types.robot = add_type(module, &robot_spec);
  types.plan = add_type(module, &plan_spec);
  types.environment = add_type(module, &environment_spec);
  types.builder = add_type(module, &builder_spec);
  types.simulation = add_type(module, &simulation_spec);
  types.study = add_type(module, &study_spec);
  types.load_estimator = add_type(module, &load_estimator_spec);
  const limb_types* t = &types;
  const int all = t->robot && t->plan && t->environment && t->builder && t->simulation && t->study && t->load_estimator;
  return all ? 0 : -1;
}

static PyMethodDef methods[] = {
  {"load", robot_load, METH_VARARGS, NULL},   {"quantities", list_quantities, METH_NOARGS, NULL},
  {"robots", list_robots, METH_NOARGS, NULL}, {"rules", list_rules, METH_NOARGS, NULL},
  {"facts", module_facts, METH_NOARGS, NULL}, {"xla_handler", xla_handler, METH_NOARGS, NULL},
  {"xla_keep", xla_keep, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void*)start}, {0, NULL}};

static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                        .m_name = "limb._limb",
                                        .m_doc = "The C side of limb for Python. Use the package limb.",
                                        .m_methods = methods,
                                        .m_slots = slots};

PyMODINIT_FUNC PyInit__limb(void);
PyMODINIT_FUNC PyInit__limb(void) { return PyModuleDef_Init(&definition); }
