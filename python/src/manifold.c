// The configuration manifold: motions, differences, unit quaternions, and configurations to begin with.
#include <math.h>
#include <string.h>

#include "binding.h"

enum { INTEGRATE, DIFFERENCE, NORMALIZE };

typedef struct manifold_call {
  const limb_model* model;
  int what;
} manifold_call;

static limb_status manifold_state(const manifold_call* c, const limb_rows* r, size_t i, double* out)
{
  const size_t nq = (size_t)limb_nq(c->model), nv = (size_t)limb_nv(c->model);
  const double *x = r->in[0], *y = r->in[1], *dt = r->in[2];
  if (c->what == INTEGRATE) return limb_integrate(c->model, x + i * nq, y + i * nv, dt ? dt[i] : 1, out);
  if (c->what == DIFFERENCE) return limb_difference(c->model, x + i * nq, y + i * nq, out);
  memcpy(out, x + i * nq, nq * sizeof *out);
  return limb_normalize(c->model, out);
}

static limb_status run_manifold(void* context, limb_rows* r)
{
  const manifold_call* c = context;
  const size_t width = (size_t)(c->what == DIFFERENCE ? limb_nv(c->model) : limb_nq(c->model));
  limb_status first = LIMB_OK;
  for (size_t i = 0; i < r->n; i++) {
    double* out = (double*)r->out[0] + i * width;
    const limb_status s = manifold_state(c, r, i, out);
    if (s == LIMB_OK) continue;
    for (size_t k = 0; k < width; k++) out[k] = (double)NAN;
    if (first == LIMB_OK) first = s, r->failed = i;
  }
  return first;
}

static PyObject* manifold(PyObject* self, int what, PyObject* const* args, Py_ssize_t nargs, PyObject* names)
{
  manifold_call context = {robot_model(self), what};
  const int nq = limb_nq(context.model), nv = limb_nv(context.model);
  limb_call c = {.robot = self, .noutput = 1, .heavy = 1, .run = run_manifold, .context = &context};
  if (what == INTEGRATE)
    c.name = "integrate", c.ninput = 3, c.input[1] = (limb_input){"v", nv, 0, 0},
    c.input[2] = (limb_input){"dt", -1, 1, 0};
  else if (what == DIFFERENCE)
    c.name = "difference", c.ninput = 2, c.input[1] = (limb_input){"q1", nq, 0, 0};
  else
    c.name = "normalize", c.ninput = 1;
  c.input[0] = (limb_input){what == DIFFERENCE ? "q0" : "q", nq, 0, 0};
  const int width = what == DIFFERENCE ? nv : nq;
  c.output[0] = (limb_output){1, {width}, (size_t)width};
  return call_arrays(&c, args, nargs, names);
}

PyObject* robot_integrate(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names)
{
  return manifold(self, INTEGRATE, args, nargs, names);
}
PyObject* robot_difference(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names)
{
  return manifold(self, DIFFERENCE, args, nargs, names);
}
PyObject* robot_normalize(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names)
{
  return manifold(self, NORMALIZE, args, nargs, names);
}

// configurations(what, seed, n): n rows, neutral (0), start (1) or random (2).
PyObject* robot_configurations(PyObject* self, PyObject* args)
{
  const limb_model* m = robot_model(self);
  int what = 0;
  unsigned long long given = 0;
  Py_ssize_t n = 1;
  char* data = NULL;
  if (!PyArg_ParseTuple(args, "iKn", &what, &given, &n)) return NULL;
  if (n < 0 || n > PY_SSIZE_T_MAX / 8 / (limb_nq(m) + 1))
    return PyErr_Format(PyExc_ValueError, "%zd configurations", n);
  const Py_ssize_t shape[] = {n, limb_nq(m)};
  PyObject* r = array_new('d', 2, shape, &data);
  uint64_t seed = given;
  limb_status s = LIMB_OK;
  if (!r) return NULL;
  double last = 0;
  PyThreadState* state = PyEval_SaveThread();
  for (Py_ssize_t i = 0; i < n && s == LIMB_OK; i++) {
    double* q = (double*)(void*)data + i * limb_nq(m);
    s = what == 0 ? limb_neutral(m, q) : what == 1 ? limb_start(m, q) : limb_random(m, &seed, q);
    if (i % 4096 == 4095 && interrupted(&last)) s = LIMB_E_ARG; // the exception is set
  }
  PyEval_RestoreThread(state);
  if (s == LIMB_OK) return r;
  Py_XDECREF(r);
  return raise_status(s, NULL, NULL);
}
