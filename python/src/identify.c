// Identification: logs as arrays in, parameters and a robot with them out.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limb/edit.h"
#include "limb/ident.h"
#include "binding.h"

static const limb_field option_fields[] = {NUMBER(limb_ident_options, cutoff), NUMBER(limb_ident_options, train),
                                           NUMBER(limb_ident_options, min_speed), LAST};

enum { ARRAYS = 5 }; // of a log: time, q, v, tau, reference

typedef struct log_arrays {
  array of[ARRAYS];
  int open;
  const double* number[ARRAYS]; // NULL: None
  Py_ssize_t rows;
} log_arrays;

static void close_log(log_arrays* log)
{
  while (log->open > 0) array_close(&log->of[--log->open]);
}

// Contiguous arrays of doubles, which the package has made; rows of each as many as there are times.
static int open_log(log_arrays* log, PyObject* item, const limb_model* m)
{
  static const char* const names[ARRAYS] = {"time", "q", "v", "tau", "reference"};
  const Py_ssize_t width[ARRAYS] = {1, limb_nq(m), limb_nv(m), limb_nv(m), limb_nq(m)};
  for (int k = 0; k < ARRAYS; k++) {
    PyObject* object = PyTuple_GetItem(item, k);
    array* a = &log->of[log->open];
    log->number[k] = NULL;
    if (!object) return -1;
    if (object == Py_None) continue;
    if (array_open(a, object, -1, "identify", names[k]) < 0) return -1;
    log->open++;
    if (k == 0) log->rows = a->shape[0];
    if (a->type != 'd' || !array_is_contiguous(a) || a->ndim != (k ? 2 : 1) || a->shape[0] != log->rows ||
        (k && a->shape[1] != width[k])) {
      PyErr_Format(PyExc_ValueError, "identify(): %s needs the shape (%zd, %zd)", names[k], log->rows, width[k]);
      return -1;
    }
    log->number[k] = (const double*)(const void*)a->data;
  }
  return 0;
}

static limb_status add_rows(limb_ident* x, const log_arrays* log, int nq, int nv, limb_error* err)
{
  limb_status s = LIMB_OK;
  const double* const* n = log->number;
  double last = 0;
  for (Py_ssize_t i = 0; i < log->rows && s == LIMB_OK; i++) {
    const limb_ident_sample sample = {.time = n[0][i],
                                      .q = n[1] + i * nq,
                                      .v = n[2] ? n[2] + i * nv : NULL,
                                      .tau = n[3] + i * nv,
                                      .reference = n[4] ? n[4] + i * nq : NULL,
                                      .nwrench = 0,
                                      .wrench = NULL};
    s = limb_ident_add(x, &sample, err);
    if (i % 1024 == 0 && interrupted(&last)) return LIMB_E_IO;
  }
  return s == LIMB_OK ? limb_ident_end_log(x, err) : s;
}

// (time, q, v, tau, reference, load): load None, or (frame, mass, com and inertia about it).
static int add_log(limb_ident* x, PyObject* item, const limb_model* m)
{
  log_arrays log = {0};
  limb_error err = {0};
  sp_inertia Y = {0};
  const char* frame = NULL;
  limb_status s = LIMB_E_ARG;
  PyObject* load = PyTuple_GetItem(item, ARRAYS);
  if (!load) return -1;
  if (load != Py_None && !PyArg_ParseTuple(load, "sdddddddddd", &frame, &Y.mass, &Y.com.x, &Y.com.y, &Y.com.z, &Y.xx,
                                           &Y.xy, &Y.xz, &Y.yy, &Y.yz, &Y.zz))
    return -1;
  int failed = open_log(&log, item, m);
  if (failed == 0) {
    s = limb_ident_set_load(x, frame, NULL, &Y, &err);
    Py_BEGIN_ALLOW_THREADS if (s == LIMB_OK) s = add_rows(x, &log, limb_nq(m), limb_nv(m), &err);
    Py_END_ALLOW_THREADS if (s != LIMB_OK && !PyErr_Occurred())(void) raise_status(s, &err, NULL);
    failed = s == LIMB_OK ? 0 : -1;
  }
  close_log(&log);
  return failed;
}

// ---- answers ------------------------------------------------------------------------------------------------

static PyObject* list_parameters(const limb_ident* x)
{
  PyObject* list = PyList_New(0);
  limb_ident_parameter p;
  for (int k = 0; list && limb_ident_get_parameter(x, k, &p) == LIMB_OK; k++) {
    PyObject* row = Py_BuildValue("(ssdddiiids)", p.name, p.formula, p.model, p.value, p.std, (int)p.verdict,
                                  p.essential, p.partner, p.correlation, p.why);
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

static PyObject* list_residuals(const limb_ident* x, int nv)
{
  PyObject* list = PyList_New(0);
  limb_ident_residual r;
  for (int part = 0; list && part < 4; part++) {
    for (int j = 0; list && j <= nv; j++) {
      if (limb_ident_get_residual(x, j < nv ? j : -1, (limb_ident_part)part, &r) != LIMB_OK) continue;
      PyObject* row = Py_BuildValue("(iiiddddi)", part, j < nv ? j : -1, r.rows, r.rms, r.torque, r.r_squared,
                                    r.correlation, r.white);
      if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
      Py_XDECREF(row);
    }
  }
  return list;
}

static PyObject* list_notes(const limb_ident* x)
{
  PyObject* list = PyList_New(0);
  const char* note;
  for (int k = 0; list && (note = limb_ident_note(x, k)); k++) {
    PyObject* text = PyUnicode_FromString(note);
    if (!text || PyList_Append(list, text) < 0) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  return list;
}

// time, measured and predicted torques, whether it was fitted: of each row.
static PyObject* make_curves(limb_ident* x, int rows, int nv)
{
  char *numbers = NULL, *both = NULL;
  const Py_ssize_t one[2] = {rows, 2}, two[3] = {2, rows, nv};
  PyObject *a = array_new('d', 2, one, &numbers), *b = array_new('d', 3, two, &both);
  limb_ident_row r = {0};
  for (int k = 0; a && b && k < rows; k++) {
    double *at = (double*)(void*)numbers + 2 * (ptrdiff_t)k, *tau = (double*)(void*)both + (ptrdiff_t)k * nv;
    r.tau = tau, r.predicted = tau + (ptrdiff_t)rows * nv;
    if (limb_ident_get_row(x, k, &r) != LIMB_OK) break;
    at[0] = r.time, at[1] = r.fitted;
  }
  return a && b ? Py_BuildValue("(NN)", a, b) : NULL;
}

static PyObject* make_matrix(int rows, int columns, const double* x)
{
  const Py_ssize_t shape[2] = {rows, columns};
  char* data = NULL;
  PyObject* r = array_new('d', columns ? 2 : 1, shape, &data);
  const size_t count = (size_t)rows * (size_t)(columns ? columns : 1);
  if (r && count) memcpy(data, x, count * sizeof *x);
  return r;
}

// What a Model is made of, with the parameters of the physical fit.
static PyObject* make_robot(const limb_ident* x, const limb_model* m)
{
  limb_builder* b = NULL;
  limb_model* made = NULL;
  limb_error err = {0};
  limb_status s = limb_builder_from_model(m, NULL, &b);
  if (s == LIMB_OK) s = limb_ident_apply(x, b, &err);
  if (s == LIMB_OK) s = limb_builder_build(b, &made, &err);
  limb_builder_destroy(b);
  return s == LIMB_OK ? robot_capsule(made) : raise_status(s, &err, NULL);
}

static PyObject* answer(limb_ident* x, const limb_model* m)
{
  limb_ident_facts f;
  if (limb_ident_get_facts(x, &f) != LIMB_OK) return raise_status(LIMB_E_ORDER, NULL, NULL);
  const int n = limb_ident_count(x), nv = limb_nv(m);
  const double* theta = limb_ident_theta(x);
  PyObject* facts =
    Py_BuildValue("{s:K,s:i,s:i,s:i,s:i,s:d,s:d,s:d,s:d,s:d,s:d}", "samples", (unsigned long long)f.samples, "logs",
                  f.logs, "windows", f.windows, "rows", f.rows, "fitted", f.fitted, "rate", f.rate, "row_rate",
                  f.row_rate, "cutoff", f.cutoff, "motion", f.motion, "condition", f.condition, "weight", f.weight);
  PyObject* part[] = {facts,
                      list_parameters(x),
                      make_matrix(n, n, limb_ident_covariance(x)),
                      list_residuals(x, nv),
                      list_notes(x),
                      make_curves(x, f.rows, nv),
                      theta ? make_matrix(limb_parameter_count(m), 0, theta) : Py_NewRef(Py_None),
                      theta ? make_robot(x, m) : Py_NewRef(Py_None)};
  enum { PARTS = sizeof part / sizeof *part };
  PyObject* r = PyTuple_New(PARTS);
  for (int k = 0; k < PARTS; k++) {
    if (!part[k]) Py_CLEAR(r);
    if (!r || PyTuple_SetItem(r, k, part[k]) < 0) Py_CLEAR(r);
  }
  return r;
}

// ---- the call -----------------------------------------------------------------------------------------------

// {body: (min_mass, max_mass, min_com, max_com)} as a list of tuples of numbers.
static int set_bounds(limb_ident* x, PyObject* list)
{
  for (Py_ssize_t k = 0; k < PyList_Size(list); k++) {
    limb_ident_bounds b = limb_default_ident_bounds();
    limb_error err = {0};
    int body = 0;
    if (!PyArg_ParseTuple(PyList_GetItem(list, k), "idddddddd", &body, &b.min_mass, &b.max_mass, &b.min_com[0],
                          &b.min_com[1], &b.min_com[2], &b.max_com[0], &b.max_com[1], &b.max_com[2]))
      return -1;
    const limb_status s = limb_ident_set_bounds(x, body, &b, &err);
    if (s != LIMB_OK) return (void)raise_status(s, &err, NULL), -1;
  }
  return 0;
}

static PyObject* identify(limb_ident* x, const limb_model* m, PyObject* logs, PyObject* bounds, double weight)
{
  limb_error err = {0};
  for (Py_ssize_t k = 0; k < PyList_Size(logs); k++)
    if (add_log(x, PyList_GetItem(logs, k), m) < 0) return NULL;
  limb_status s;
  Py_BEGIN_ALLOW_THREADS s = limb_ident_fit(x, &err);
  Py_END_ALLOW_THREADS if (s != LIMB_OK) return raise_status(s, &err, NULL);
  if (set_bounds(x, bounds) < 0) return NULL;
  if (isfinite(weight)) {
    Py_BEGIN_ALLOW_THREADS s = limb_ident_fit_physical(x, weight, &err);
    Py_END_ALLOW_THREADS
  }
  return s == LIMB_OK ? answer(x, m) : raise_status(s, &err, NULL);
}

// _identify(logs, options, method, friction, exclude, source, bounds, weight, env): weight NaN for no physical fit.
PyObject* robot_identify(PyObject* self, PyObject* args)
{
  const limb_model* m = robot_model(self);
  limb_ident_options o = limb_default_ident_options();
  limb_ident* x = NULL;
  PyObject *logs, *options, *source, *bounds, *env;
  int method = 0;
  double weight = 0;
  if (!PyArg_ParseTuple(args, "OOiIIOOdO", &logs, &options, &method, &o.friction, &o.exclude, &source, &bounds, &weight,
                        &env))
    return NULL;
  if (!PyList_Check(logs) || !PyDict_Check(options) || !PyList_Check(bounds))
    return PyErr_Format(PyExc_TypeError, "use limb.identify()");
  if (read_dict(option_fields, options, &o) < 0 || read_marks(source, limb_nv(m), "source", &o.source) < 0) return NULL;
  o.method = (limb_ident_method)method;
  const surroundings* around = env == Py_None ? NULL : surroundings_of(env, self);
  if (env != Py_None && !around) return NULL;
  if (around) o.env = &around->all;
  const limb_status s = limb_ident_create(m, &o, &x);
  if (s != LIMB_OK) return raise_status(s, NULL, NULL);
  PyObject* r = identify(x, m, logs, bounds, weight);
  limb_ident_destroy(x);
  return r;
}
