// The type Environment: gravity, wrenches, motion of the base, friction, bound to a robot.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"

typedef struct environment {
  PyObject* robot;
  surroundings around;
  limb_wrench* wrench; // the same for all states
} environment;

static environment* data_of(PyObject* self) { return object_data(self, types.environment); }

const surroundings* surroundings_of(PyObject* object, PyObject* robot)
{
  if (!PyObject_TypeCheck(object, types.environment)) {
    PyErr_Format(PyExc_TypeError, "env is %R, expected what environment() of the robot returns", object);
    return NULL;
  }
  const environment* e = data_of(object);
  if (e->robot == robot) return &e->around;
  PyErr_SetString(PyExc_ValueError, "env is the environment of another robot");
  return NULL;
}

static sp_motion motion(const double* x)
{
  const sp_motion r = {sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5])};
  return r;
}

static int read_wrench(environment* e, int frame, int ref, PyObject* numbers)
{
  double f[6];
  if (read_numbers(numbers, "wrench", 6, f) < 0) return -1;
  e->wrench[e->around.all.nwrench++] =
    (limb_wrench){frame, (limb_ref)ref, {sp_v3(f[0], f[1], f[2]), sp_v3(f[3], f[4], f[5])}};
  return 0;
}

// A wrench for each state: copies of an array (..., 6), all of one shape, over doubles and over floats.
static int read_wrenches_of_states(environment* e, int frame, int ref, PyObject* numbers)
{
  surroundings* s = &e->around;
  array a;
  if (array_open(&a, numbers, -1, "environment", "wrench") < 0) return -1;
  const int lead = a.ndim - 1;
  size_t n = 1;
  int fits = lead >= 0 && lead <= ARRAY_DIMS && a.shape[lead] == 6;
  if (fits && s->nwrench == 0) memcpy(s->shape, a.shape, (size_t)lead * sizeof *s->shape), s->lead = lead;
  fits = fits && lead == s->lead && memcmp(s->shape, a.shape, (size_t)lead * sizeof *s->shape) == 0;
  for (int k = 0; fits && k < lead; k++) n *= (size_t)a.shape[k];
  double* f64 = fits ? malloc((6 * n + 1) * sizeof *f64) : NULL;
  float* f32 = f64 ? malloc((6 * n + 1) * sizeof *f32) : NULL;
  if (!fits) PyErr_SetString(PyExc_ValueError, "environment(): wrenches of states are not of one shape (..., 6)");
  if (fits && !f32) (void)PyErr_NoMemory();
  if (f32 && n > 0) {
    array_gather(&a, 1, lead, a.shape, 6, 'd', f64);
    array_gather(&a, 1, lead, a.shape, 6, 'f', f32);
  }
  array_close(&a);
  if (f32)
    s->wrench[s->nwrench++] = (limb_batch_wrench){frame, (limb_ref)ref, f64, f32};
  else
    free(f64);
  return f32 ? 0 : -1;
}

static int read_wrenches(environment* e, PyObject* list)
{
  const Py_ssize_t n = PyList_Size(list);
  if (n < 0 || n > 100000) {
    if (n >= 0) PyErr_SetString(PyExc_ValueError, "too many wrenches");
    return -1;
  }
  e->wrench = calloc((size_t)n + 1, sizeof *e->wrench);
  e->around.wrench = calloc((size_t)n + 1, sizeof *e->around.wrench);
  if (!e->wrench || !e->around.wrench) return PyErr_NoMemory() ? 0 : -1;
  e->around.all.wrench = e->wrench;
  for (Py_ssize_t k = 0; k < n; k++) {
    PyObject *item = PyList_GetItem(list, k), *numbers = NULL;
    int frame = 0, ref = 0;
    if (!item || !PyTuple_Check(item)) {
      PyErr_SetString(PyExc_TypeError, "wrenches are tuples (frame, ref, numbers)");
      return -1;
    }
    if (!PyArg_ParseTuple(item, "iiO", &frame, &ref, &numbers)) return -1;
    const int same = PyTuple_Check(numbers);
    if ((same ? read_wrench(e, frame, ref, numbers) : read_wrenches_of_states(e, frame, ref, numbers)) < 0) return -1;
  }
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
  limb_environment* env = &e->around.all;
  *env = limb_default_environment(robot_model(robot));
  env->gravity = sp_v3(g[0], g[1], g[2]);
  env->base_velocity = motion(v), env->base_acceleration = motion(a);
  env->friction = friction, env->coulomb_width = width;
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
  const surroundings* s = &data_of(self)->around;
  PyObject_GC_UnTrack(self);
  for (int k = 0; k < s->nwrench; k++) {
    free((void*)(uintptr_t)s->wrench[k].f64);
    free((void*)(uintptr_t)s->wrench[k].f32);
  }
  free(s->wrench);
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
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
                                .slots = slots};
