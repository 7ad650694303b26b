// Calls on arrays: arguments, broadcasting, results.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"

enum {
  SHAPE_TEXT = 256,
  RELEASE_FROM = 64, // heaviness of all states from which other threads of Python may run
  PART = 1 << 15,    // the same, of states that are computed without listening to signals
};

// One call. Arrays count as open up to nin and nout.
typedef struct job {
  const limb_call* call;
  PyObject* input[CALL_INPUTS];
  PyObject* out;
  const surroundings* around; // NULL: the default
  int keep_failed, nin, nout, lead;
  char type; // of the results
  Py_ssize_t shape[ARRAY_DIMS];
  limb_rows rows;
  array in[CALL_INPUTS], to[CALL_OUTPUTS];
  void* copy[CALL_INPUTS];
  PyObject* result[CALL_OUTPUTS];
  void* scratch[CALL_OUTPUTS];
} job;

// ---- arguments -----------------------------------------------------------------------------------------------

static int take_threads(job* j, PyObject* value)
{
  const long n = PyLong_AsLong(value);
  if (n == -1 && PyErr_Occurred()) return -1;
  if (n < 0 || n > 4096) {
    PyErr_Format(PyExc_ValueError, "%s(): threads is %ld, expected 1 to 4096, or 0 for all processors", j->call->name,
                 n);
    return -1;
  }
  j->rows.threads = (int)n;
  return 0;
}

static int take_on_error(job* j, PyObject* value)
{
  if (PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, "raise") == 0) return 0;
  j->keep_failed = PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, "nan") == 0;
  if (j->keep_failed) return 0;
  PyErr_Format(PyExc_ValueError, "%s(): on_error is %R, expected 'raise' or 'nan'", j->call->name, value);
  return -1;
}

static int take_named(job* j, PyObject* name, PyObject* value)
{
  const limb_call* c = j->call;
  for (int k = 0; k < c->ninput; k++) {
    if (PyUnicode_CompareWithASCIIString(name, c->input[k].name) != 0) continue;
    if (j->input[k]) {
      PyErr_Format(PyExc_TypeError, "%s(): %s is given twice", c->name, c->input[k].name);
      return -1;
    }
    j->input[k] = value;
    return 0;
  }
  if (PyUnicode_CompareWithASCIIString(name, "out") == 0) {
    j->out = value == Py_None ? NULL : value;
    return 0;
  }
  if (PyUnicode_CompareWithASCIIString(name, "threads") == 0) return take_threads(j, value);
  if (PyUnicode_CompareWithASCIIString(name, "on_error") == 0) return take_on_error(j, value);
  if (PyUnicode_CompareWithASCIIString(name, "env") == 0) {
    if (value == Py_None) return 0;
    j->around = surroundings_of(value, c->robot);
    return j->around ? 0 : -1;
  }
  PyErr_Format(PyExc_TypeError, "%s(): there is no argument '%U'", c->name, name);
  return -1;
}

static int take_arguments(job* j, PyObject* const* args, Py_ssize_t nargs, PyObject* names)
{
  const limb_call* c = j->call;
  const Py_ssize_t nnames = names ? PyTuple_Size(names) : 0;
  if (nargs > c->ninput) {
    PyErr_Format(PyExc_TypeError, "%s(): %zd arguments by position, expected at most %d", c->name, nargs, c->ninput);
    return -1;
  }
  for (int k = 0; k < c->ninput; k++) j->input[k] = k < nargs ? args[k] : NULL;
  for (Py_ssize_t k = 0; k < nnames; k++)
    if (take_named(j, PyTuple_GetItem(names, k), args[nargs + k]) < 0) return -1;
  for (int k = 0; k < c->ninput; k++) {
    if (j->input[k] == Py_None) j->input[k] = NULL;
    if (j->input[k] || c->input[k].optional) continue;
    PyErr_Format(PyExc_TypeError, "%s(): %s is missing", c->name, c->input[k].name);
    return -1;
  }
  return 0;
}

// ---- shapes --------------------------------------------------------------------------------------------------

static const char* shape_text(char text[SHAPE_TEXT], int ndim, const Py_ssize_t* shape)
{
  size_t n = 0;
  text[n++] = '(';
  for (int k = 0; k < ndim && n + 32 < SHAPE_TEXT; k++)
    n += (size_t)snprintf(text + n, SHAPE_TEXT - n, k ? ", %zd" : "%zd", shape[k]);
  (void)snprintf(text + n, SHAPE_TEXT - n, ndim == 1 ? ",)" : ")");
  return text;
}

// Extends the leading shape of the call by that of an argument.
static int broadcast(job* j, int ndim, const Py_ssize_t* shape)
{
  if (ndim > j->lead) {
    memmove(j->shape + (ndim - j->lead), j->shape, (size_t)j->lead * sizeof *j->shape);
    for (int k = 0; k < ndim - j->lead; k++) j->shape[k] = 1;
    j->lead = ndim;
  }
  for (int k = 0; k < ndim; k++) {
    Py_ssize_t* to = &j->shape[j->lead - ndim + k];
    if (*to == 1)
      *to = shape[k];
    else if (shape[k] != 1 && shape[k] != *to)
      return -1;
  }
  return 0;
}

// The dimensions of a single state, while which is computed no other thread runs; -1: one may.
static int state_of(const job* j, int ndim) { return j->call->heavy < RELEASE_FROM ? ndim : -1; }

static int open_input(job* j, int k)
{
  const limb_input* about = &j->call->input[k];
  array* a = &j->in[k];
  char came[SHAPE_TEXT], all[SHAPE_TEXT];
  const int inner = about->width >= 0;
  a->owner = NULL, a->viewed = 0;
  j->copy[k] = NULL, j->rows.in[k] = NULL;
  j->nin = k + 1;
  if (!j->input[k]) return 0;
  if (array_open(a, j->input[k], state_of(j, inner), j->call->name, about->name) < 0) return -1;
  if (a->type == 'd') j->type = 'd';
  const int lead = a->ndim - inner;
  if (lead < 0 || lead > ARRAY_DIMS || (inner && a->shape[lead] != about->width)) {
    PyErr_Format(PyExc_ValueError,
                 inner ? "%s(): %s has shape %s, expected (..., %d)" : "%s(): %s has shape %s: too many", j->call->name,
                 about->name, shape_text(came, a->ndim, a->shape), about->width);
    return -1;
  }
  if (broadcast(j, lead, a->shape) == 0) return 0;
  PyErr_Format(PyExc_ValueError, "%s(): %s is for states of shape %s, which does not go with %s of the others",
               j->call->name, about->name, shape_text(came, lead, a->shape), shape_text(all, j->lead, j->shape));
  return -1;
}

// Wrenches of states are for as many as the call has, or make so many of a single one.
static int open_surroundings(job* j)
{
  const surroundings* s = j->around;
  char own[SHAPE_TEXT], all[SHAPE_TEXT];
  if (!s) return 0;
  j->rows.env = &s->all, j->rows.nwrench = s->nwrench, j->rows.wrench = s->wrench;
  if (s->nwrench == 0) return 0;
  (void)shape_text(all, j->lead, j->shape);
  if (broadcast(j, s->lead, s->shape) == 0 && j->lead == s->lead &&
      memcmp(j->shape, s->shape, (size_t)s->lead * sizeof *s->shape) == 0)
    return 0;
  PyErr_Format(PyExc_ValueError, "%s(): env has wrenches for states of shape %s, the call has states of shape %s",
               j->call->name, shape_text(own, s->lead, s->shape), all);
  return -1;
}

static int count_states(job* j)
{
  size_t n = 1;
  for (int k = 0; k < j->lead; k++)
    if (j->shape[k] == 0) n = 0;
  for (int k = 0; k < j->lead && n; k++) {
    if ((size_t)j->shape[k] > (size_t)PY_SSIZE_T_MAX / 4096 / n) {
      PyErr_Format(PyExc_ValueError, "%s(): too many states", j->call->name);
      return -1;
    }
    n *= (size_t)j->shape[k];
  }
  j->rows.n = n;
  return 0;
}

// ---- inputs --------------------------------------------------------------------------------------------------

// Addresses of the first and the last byte, whatever the strides.
static void extent(const array* a, uintptr_t* first, uintptr_t* last)
{
  *first = *last = (uintptr_t)a->data;
  for (int k = 0; k < a->ndim; k++) {
    const Py_ssize_t length = a->stride[k] * (a->shape[k] - 1);
    if (length > 0) *last += (uintptr_t)length;
    if (length < 0) *first -= (uintptr_t)-length;
  }
  *last += sizeof(double) - 1;
}

static int overlaps(const array* a, const array* b)
{
  uintptr_t a_first, a_last, b_first, b_last;
  extent(a, &a_first, &a_last);
  extent(b, &b_first, &b_last);
  return a_first <= b_last && b_first <= a_last;
}

// Memory for n times so many doubles.
static void* room(size_t n, size_t numbers)
{
  if (numbers > 0 && n > (size_t)PY_SSIZE_T_MAX / sizeof(double) / numbers) return NULL;
  return malloc((n * numbers + 1) * sizeof(double)); // + 1: there may be none
}

// 1 if an input can be read where it is: the whole, as the kernels read it, and not where results are written.
static int is_ready(const job* j, const array* a, int inner)
{
  const int lead = a->ndim - inner;
  if (a->type != j->rows.type || lead != j->lead || !array_is_contiguous(a)) return 0;
  for (int k = 0; k < lead; k++)
    if (a->shape[k] != j->shape[k]) return 0;
  for (int k = 0; k < j->nout && j->out; k++)
    if (!j->result[k] && overlaps(a, &j->to[k])) return 0;
  return 1;
}

static int ready_input(job* j, int k)
{
  const array* a = &j->in[k];
  const int width = j->call->input[k].width, inner = width >= 0;
  const size_t numbers = inner ? (size_t)width : 1;
  if (!j->input[k]) return 0;
  if (is_ready(j, a, inner)) {
    j->rows.in[k] = a->data;
    return 0;
  }
  j->copy[k] = room(j->rows.n, numbers);
  if (!j->copy[k]) {
    PyErr_NoMemory();
    return -1;
  }
  array_gather(a, inner, j->lead, j->shape, numbers, j->rows.type, j->copy[k]);
  j->rows.in[k] = j->copy[k];
  return 0;
}

// ---- outputs -------------------------------------------------------------------------------------------------

static int output_shape(const job* j, int k, Py_ssize_t* shape)
{
  const limb_output* about = &j->call->output[k];
  memcpy(shape, j->shape, (size_t)j->lead * sizeof *shape);
  memcpy(shape + j->lead, about->length, (size_t)about->rank * sizeof *shape);
  return j->lead + about->rank;
}

// The place for results in an array of the caller: the array, or scratch if its layout is another.
static int open_given(job* j, int k, PyObject* object)
{
  Py_ssize_t shape[ARRAY_DIMS + LIMB_QUANTITY_AXES_MAX];
  char came[SHAPE_TEXT], wanted[SHAPE_TEXT];
  const int ndim = output_shape(j, k, shape);
  array* a = &j->to[k];
  j->result[k] = NULL, j->scratch[k] = NULL;
  if (array_open_out(a, object, j->lead == 0 ? state_of(j, ndim) : -1, j->call->name) < 0) return -1;
  j->nout = k + 1;
  if (a->ndim != ndim || memcmp(a->shape, shape, (size_t)ndim * sizeof *shape) != 0) {
    PyErr_Format(PyExc_ValueError, "%s(): out has shape %s, expected %s", j->call->name,
                 shape_text(came, a->ndim, a->shape), shape_text(wanted, ndim, shape));
    return -1;
  }
  for (int other = 0; other < k; other++)
    if (!j->result[other] && overlaps(a, &j->to[other])) {
      PyErr_Format(PyExc_ValueError, "%s(): two arrays of out overlap", j->call->name);
      return -1;
    }
  if (a->type == j->rows.type && array_is_contiguous(a))
    j->rows.out[k] = a->data;
  else
    j->rows.out[k] = j->scratch[k] = room(j->rows.n, j->call->output[k].size);
  if (!j->rows.out[k]) PyErr_NoMemory();
  return j->rows.out[k] ? 0 : -1;
}

static int open_new(job* j, int k)
{
  Py_ssize_t shape[ARRAY_DIMS + LIMB_QUANTITY_AXES_MAX];
  const int ndim = output_shape(j, k, shape);
  array* a = &j->to[k];
  char* data = NULL;
  a->owner = NULL, a->viewed = 0;
  j->scratch[k] = NULL;
  j->result[k] = array_new(j->type, ndim, shape, &data);
  j->nout = k + 1;
  if (!j->result[k]) return -1;
  j->rows.out[k] = data;
  if (j->type == j->rows.type) return 0;
  j->rows.out[k] = j->scratch[k] = room(j->rows.n, j->call->output[k].size);
  if (!j->scratch[k]) PyErr_NoMemory();
  return j->scratch[k] ? 0 : -1;
}

static int open_outputs(job* j)
{
  const int n = j->call->noutput;
  if (!j->out) {
    for (int k = 0; k < n; k++)
      if (open_new(j, k) < 0) return -1;
    return 0;
  }
  if (n == 1 && !PyTuple_Check(j->out)) return open_given(j, 0, j->out);
  if (!PyTuple_Check(j->out) || PyTuple_Size(j->out) != n) {
    PyErr_Format(PyExc_TypeError, "%s(): out must be a tuple of %d arrays", j->call->name, n);
    return -1;
  }
  for (int k = 0; k < n; k++) {
    PyObject* item = PyTuple_GetItem(j->out, k);
    if ((item == Py_None ? open_new(j, k) : open_given(j, k, item)) < 0) return -1;
  }
  return 0;
}

// What was computed elsewhere goes where it belongs.
static int deliver(job* j)
{
  for (int k = 0; k < j->nout; k++) {
    if (!j->scratch[k] || j->rows.n == 0 || j->call->output[k].size == 0) continue;
    array fresh;
    array* to = &j->to[k];
    if (j->result[k]) {
      if (array_open_out(&fresh, j->result[k], -1, j->call->name) < 0) return -1;
      to = &fresh;
    }
    array_scatter(to, j->rows.type, j->scratch[k]);
    if (to == &fresh) array_close(&fresh);
  }
  return 0;
}

// The object of one result; new.
static PyObject* result_of(job* j, int k)
{
  PyObject* r = j->result[k];
  if (!r) {
    PyObject* given = PyTuple_Check(j->out) ? PyTuple_GetItem(j->out, k) : j->out;
    return Py_NewRef(given);
  }
  j->result[k] = NULL;
  if (j->lead > 0 || j->call->output[k].rank > 0) return r;
  const void* x = j->rows.out[k];
  PyObject* number = PyFloat_FromDouble(j->rows.type == 'd' ? *(const double*)x : (double)*(const float*)x);
  Py_DECREF(r);
  return number;
}

static PyObject* results(job* j)
{
  const limb_call* c = j->call;
  if (c->noutput == 1) return result_of(j, 0);
  PyObject* all = c->result ? PyStructSequence_New(c->result) : PyTuple_New(c->noutput);
  for (int k = 0; all && k < c->noutput; k++) {
    PyObject* x = result_of(j, k);
    if (!x) {
      Py_DECREF(all);
      return NULL;
    }
    if (c->result)
      PyStructSequence_SetItem(all, k, x);
    else
      PyTuple_SetItem(all, k, x);
  }
  return all;
}

// ---- all -----------------------------------------------------------------------------------------------------

int status_of_state(limb_status s)
{
  return s == LIMB_E_ARG || s == LIMB_E_SINGULAR || s == LIMB_E_NOCONV || s == LIMB_E_NONFINITE;
}

// States from..from + n of a call; `wrench` is room for theirs.
static limb_rows part_of(const job* j, size_t from, size_t n, limb_batch_wrench* wrench)
{
  const limb_call* c = j->call;
  const size_t number = j->rows.type == 'd' ? sizeof(double) : sizeof(float);
  limb_rows r = j->rows;
  r.n = n, r.first = from, r.wrench = wrench;
  for (int k = 0; k < r.nwrench; k++) {
    wrench[k] = j->rows.wrench[k];
    wrench[k].f64 += 6 * from, wrench[k].f32 += 6 * from;
  }
  for (int k = 0; k < c->ninput; k++) {
    const size_t width = c->input[k].width < 0 ? 1 : (size_t)c->input[k].width;
    if (r.in[k]) r.in[k] = (const char*)r.in[k] + from * width * number;
  }
  for (int k = 0; k < c->noutput; k++) r.out[k] = (char*)r.out[k] + from * c->output[k].size * number;
  return r;
}

// Without the interpreter, in parts that grow until one takes a while: between them signals are heard.
static limb_status run_parts(job* j)
{
  const limb_call* c = j->call;
  limb_status first = LIMB_OK;
  double last = 0, before = 0;
  size_t part = (PART / (size_t)c->heavy | 7) + 1; // whole vectors of states
  if (j->rows.n <= part) return c->run(c->context, &j->rows);
  limb_batch_wrench* wrench = malloc(((size_t)j->rows.nwrench + 1) * sizeof *wrench);
  if (!wrench) return LIMB_E_NOMEM;
  for (size_t from = 0; from < j->rows.n;) {
    const size_t rest = j->rows.n - from;
    limb_rows r = part_of(j, from, part < rest ? part : rest, wrench);
    const limb_status s = c->run(c->context, &r);
    const int ends = s != LIMB_OK && !(j->keep_failed && status_of_state(s));
    if (ends || (s != LIMB_OK && first == LIMB_OK))
      first = s, j->rows.failed = from + r.failed, j->rows.error = r.error;
    if (ends) break;
    from += r.n;
    if (interrupted(&last)) first = LIMB_E_ARG, from = j->rows.n; // the exception is set
    if (last == before) part *= 2;                                // no look was due
    before = last;
  }
  free(wrench);
  return first;
}

static int compute(job* j)
{
  const limb_call* c = j->call;
  limb_status s = LIMB_OK;
  if (j->rows.n == 0) return 0;
  j->rows.error = (limb_error){.status = LIMB_OK};
  j->rows.failed = j->rows.first = 0;
  if (j->rows.n * (size_t)c->heavy >= RELEASE_FROM) {
    PyThreadState* state = PyEval_SaveThread();
    s = run_parts(j);
    PyEval_RestoreThread(state);
  } else
    s = c->run(c->context, &j->rows);
  if (PyErr_Occurred()) return -1; // of a callback
  if (s == LIMB_OK || (j->keep_failed && status_of_state(s))) return 0;
  (void)raise_state(s, &j->rows.error, j->rows.failed, j->lead > 0 ? j->rows.n : 0);
  return -1;
}

static int prepare(job* j)
{
  const limb_call* c = j->call;
  j->type = 'f';
  int any = 0;
  for (int k = 0; k < c->ninput; k++) {
    if (open_input(j, k) < 0) return -1;
    any |= j->input[k] != NULL;
  }
  if (!any) j->type = 'd';
  if (open_surroundings(j) < 0 || count_states(j) < 0) return -1;
  j->rows.type = c->floats ? j->type : 'd';
  if (open_outputs(j) < 0) return -1;
  for (int k = 0; k < c->ninput; k++)
    if (j->rows.n > 0 && ready_input(j, k) < 0) return -1;
  return 0;
}

PyObject* call_arrays(const limb_call* call, PyObject* const* args, Py_ssize_t nargs, PyObject* names)
{
  job j;
  PyObject* r = NULL;
  j.call = call;
  j.out = NULL;
  j.around = NULL;
  j.keep_failed = j.nin = j.nout = j.lead = 0;
  j.rows.threads = 1;
  j.rows.env = NULL;
  j.rows.nwrench = 0;
  if (take_arguments(&j, args, nargs, names) < 0) return NULL;
  if (prepare(&j) == 0 && compute(&j) == 0 && deliver(&j) == 0) r = results(&j);
  for (int k = 0; k < j.nin; k++) {
    array_close(&j.in[k]);
    free(j.copy[k]);
  }
  for (int k = 0; k < j.nout; k++) {
    array_close(&j.to[k]);
    Py_XDECREF(j.result[k]);
    free(j.scratch[k]);
  }
  return r;
}
