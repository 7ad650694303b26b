// The type Environment: gravity, wrenches, motion of the base, friction, bound to a robot.
#include <stdlib.h>
#include <string.h>

#include "binding.h"

typedef struct environment {
  PyObject* robot;
  limb_environment env;
  limb_wrench* wrench;
} environment;

static environment* data_of(PyObject* self) { return object_data(self, types.environment); }

const limb_environment* environment_of(PyObject* object, PyObject* robot)
{
  if (!PyObject_TypeCheck(object, types.environment)) {
    PyErr_Format(PyExc_TypeError, "env is %R, expected what environment() of the robot returns", object);
    return NULL;
  }
  const environment* e = data_of(object);
  if (e->robot == robot) return &e->env;
  PyErr_SetString(PyExc_ValueError, "env is the environment of another robot");
  return NULL;
}

static sp_motion motion(const double* x)
{
  const sp_motion r = {sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5])};
  return r;
}

static int read_wrench(environment* e, PyObject* item, int k)
{
  int frame = 0, ref = 0;
  PyObject* numbers = NULL;
  double f[6];
  if (!PyArg_ParseTuple(item, "iiO", &frame, &ref, &numbers)) return -1;
  if (read_numbers(numbers, "wrench", 6, f) < 0) return -1;
  e->wrench[k] = (limb_wrench){frame, (limb_ref)ref, {sp_v3(f[0], f[1], f[2]), sp_v3(f[3], f[4], f[5])}};
  return 0;
}

static int read_wrenches(environment* e, PyObject* list)
{
  const Py_ssize_t n = PyList_Size(list);
  if (n < 0 || n > 100000) {
    if (n >= 0) PyErr_SetString(PyExc_ValueError, "too many wrenches");
    return -1;
  }
  e->wrench = calloc((size_t)n + 1, sizeof *e->wrench);
  if (!e->wrench) return PyErr_NoMemory() ? 0 : -1;
  for (Py_ssize_t k = 0; k < n; k++) {
    PyObject* item = PyList_GetItem(list, k);
    if (!item || !PyTuple_Check(item)) {
      PyErr_SetString(PyExc_TypeError, "wrenches are tuples (frame, ref, numbers)");
      return -1;
    }
    if (read_wrench(e, item, (int)k) < 0) return -1;
  }
  e->env.wrench = e->wrench;
  e->env.nwrench = (int)n;
  return 0;
}

// Environment(robot, gravity, base_velocity, base_acceleration, wrenches, friction, coulomb_width)
static PyObject* environment_new(PyTypeObject* type, PyObject* args, PyObject* kwargs)
{
  PyObject *robot = NULL, *gravity = NULL, *velocity = NULL, *acceleration = NULL, *wrenches = NULL;
  int friction = 1;
  double width = 0, g[3], v[6], a[6];
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "O!OOOO!pd", types.robot, &robot, &gravity, &velocity, &acceleration, &PyList_Type,
                        &wrenches, &friction, &width))
    return NULL;
  if (read_numbers(gravity, "gravity", 3, g) < 0 || read_numbers(velocity, "base_velocity", 6, v) < 0 ||
      read_numbers(acceleration, "base_acceleration", 6, a) < 0)
    return NULL;
  PyObject* self = object_new(type);
  if (!self) return NULL;
  environment* e = data_of(self);
  e->robot = Py_NewRef(robot);
  e->env = limb_default_environment(robot_model(robot));
  e->env.gravity = sp_v3(g[0], g[1], g[2]);
  e->env.base_velocity = motion(v), e->env.base_acceleration = motion(a);
  e->env.friction = friction, e->env.coulomb_width = width;
  if (read_wrenches(e, wrenches) == 0) return self;
  Py_DECREF(self);
  return NULL;
}

static int environment_traverse(PyObject* self, visitproc visit, void* arg)
{
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(data_of(self)->robot);
  return 0;
}

static void environment_dealloc(PyObject* self)
{
  PyObject_GC_UnTrack(self);
  free(data_of(self)->wrench);
  Py_CLEAR(data_of(self)->robot);
  object_free(self);
}

static PyType_Slot slots[] = {{Py_tp_new, (void*)environment_new},
                              {Py_tp_dealloc, (void*)environment_dealloc},
                              {Py_tp_traverse, (void*)environment_traverse},
                              {Py_tp_doc, "The surroundings of a robot. Model.environment() makes it."},
                              {0, NULL}};

PyType_Spec environment_spec = {.name = "limb._limb.Environment",
                                .basicsize = sizeof(PyObject) + sizeof(environment),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                .slots = slots};
