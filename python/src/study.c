// The type Study: a study (limb/runner.h) and its cases.
#include <stdlib.h>
#include <string.h>

#include "limb/runner.h"
#include "binding.h"

typedef struct study {
  limb_sweep* sweep;
  int busy;
  double last; // when signals were looked for
} study;

static study* data_of(PyObject* self) { return object_data(self, types.study); }

// ---- making ------------------------------------------------------------------------------------------------------

static int stop(void* context) { return interrupted(&((study*)context)->last); }

// Study(path)
static PyObject* study_new(PyTypeObject* type, PyObject* args, PyObject* kwargs)
{
  PyObject* path = NULL;
  limb_error e = {.status = LIMB_OK};
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
  PyObject* self = object_new(type);
  if (self) {
    study* s = data_of(self);
    const limb_status status = limb_sweep_open(PyBytes_AsString(path), NULL, &s->sweep, &e);
    e.line = e.column = 0, *e.where = '\0'; // which the text begins with
    if (status == LIMB_OK) {
      limb_sweep_set_stop(s->sweep, stop, s);
    } else {
      Py_CLEAR(self);
      (void)raise_status(status, &e, NULL);
    }
  }
  Py_DECREF(path);
  return self;
}

static void study_dealloc(PyObject* self)
{
  limb_sweep_close(data_of(self)->sweep);
  object_free(self);
}

// ---- questions ---------------------------------------------------------------------------------------------------

// (cases, hash, [(name, unit, words or None)], varied)
static PyObject* study_facts(PyObject* self, PyObject* unused)
{
  const limb_sweep* s = data_of(self)->sweep;
  const int n = limb_sweep_columns(s), varied = limb_sweep_varied(s);
  PyObject* list = PyList_New(n);
  (void)unused;
  for (int k = 0; list && k < n; k++) {
    const int words = k < varied && limb_sweep_word(s, k, 0) != NULL;
    PyObject* column =
      Py_BuildValue("(ssO)", limb_sweep_column(s, k), limb_sweep_column_unit(s, k), words ? Py_True : Py_False);
    if (!column || PyList_SetItem(list, k, column) < 0) Py_CLEAR(list);
  }
  return list ? Py_BuildValue("(KsNi)", (unsigned long long)limb_sweep_cases(s), limb_sweep_hash(s), list, varied)
              : NULL;
}

// word(column, value)
static PyObject* study_word(PyObject* self, PyObject* args)
{
  int column = 0;
  double value = 0;
  if (!PyArg_ParseTuple(args, "id", &column, &value)) return NULL;
  return Py_BuildValue("z", limb_sweep_word(data_of(self)->sweep, column, value));
}

// ---- running -----------------------------------------------------------------------------------------------------

typedef struct failure {
  Py_ssize_t row;
  limb_status status;
  char text[256];
} failure;

// [(row, status, reason)]
static PyObject* list_failures(const failure* f, Py_ssize_t count)
{
  PyObject* list = PyList_New(count);
  for (Py_ssize_t i = 0; list && i < count; i++) {
    PyObject* one = Py_BuildValue("(nis)", f[i].row, (int)f[i].status, f[i].text);
    if (!one || PyList_SetItem(list, i, one) < 0) Py_CLEAR(list);
  }
  return list;
}

// run(first, count, step): the rows of these cases, and what failed
static PyObject* study_run(PyObject* self, PyObject* args)
{
  study* s = data_of(self);
  unsigned long long first = 0, step = 1;
  Py_ssize_t n = 0, failed = 0, done = 0;
  if (!PyArg_ParseTuple(args, "KnK", &first, &n, &step)) return NULL;
  const uint64_t cases = limb_sweep_cases(s->sweep);
  if (n < 0 || step < 1 || (n > 0 && (first >= cases || (uint64_t)(n - 1) > (cases - 1 - first) / step)))
    return PyErr_Format(PyExc_IndexError, "the study has %llu cases", (unsigned long long)cases);
  if (s->busy) return PyErr_Format(PyExc_RuntimeError, "another thread is running this study");
  const Py_ssize_t shape[] = {n, limb_sweep_columns(s->sweep)};
  char* data = NULL;
  PyObject* rows = array_new('d', 2, shape, &data);
  failure* f = calloc((size_t)n + 1, sizeof *f);
  if (!rows || !f) {
    Py_XDECREF(rows);
    free(f);
    return PyErr_Occurred() ? NULL : PyErr_NoMemory();
  }
  double* x = (double*)(void*)data;
  s->busy = 1;
  Py_BEGIN_ALLOW_THREADS for (; done < n && !interrupted(&s->last); done++, x += shape[1])
  {
    limb_error e = {.status = LIMB_OK};
    const limb_status status = limb_sweep_case(s->sweep, first + (uint64_t)done * step, x, &e);
    if (status == LIMB_OK) continue;
    f[failed] = (failure){.row = done, .status = status};
    memcpy(f[failed++].text, e.text, sizeof e.text);
  }
  Py_END_ALLOW_THREADS s->busy = 0;
  PyObject* list = PyErr_Occurred() ? NULL : list_failures(f, failed);
  free(f);
  if (!list) Py_DECREF(rows);
  return list ? Py_BuildValue("(NN)", rows, list) : NULL;
}

static PyMethodDef methods[] = {{"facts", study_facts, METH_NOARGS, NULL},
                                {"word", study_word, METH_VARARGS, NULL},
                                {"run", study_run, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, (void*)study_new},
                              {Py_tp_dealloc, (void*)study_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "A study of the library. limb.Study is its face."},
                              {0, NULL}};

PyType_Spec study_spec = {.name = "limb._limb.Study",
                          .basicsize = sizeof(PyObject) + sizeof(study),
                          .flags = Py_TPFLAGS_DEFAULT,
                          .slots = slots};
