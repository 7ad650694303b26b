// Motions that show parameters, loads of grippers, kinematic calibration: arrays in, numbers out.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limb/edit.h"
#include "limb/ident.h"
#include "binding.h"

// ---- arrays --------------------------------------------------------------------------------------------------

// Rows of a contiguous array of doubles, which the package has made; width 0: one number in each. NULL with an
// exception set. *rows: their number, -1: any.
static const double* open_rows(array* a, PyObject* object, Py_ssize_t width, Py_ssize_t* rows, const char* what,
                               const char* name)
{
  if (array_open(a, object, -1, what, name) < 0) return NULL;
  const int fine = a->type == 'd' && array_is_contiguous(a) && a->ndim == (width ? 2 : 1) &&
                   (*rows < 0 || a->shape[0] == *rows) && (!width || a->shape[1] == width);
  if (fine) {
    *rows = a->shape[0];
    return (const double*)(const void*)a->data;
  }
  PyErr_Format(PyExc_ValueError, "%s(): %s needs the shape (%zd, %zd)", what, name, *rows < 0 ? 0 : *rows, width);
  array_close(a);
  return NULL;
}

typedef const char* note_fn(const void* x, int k);

static PyObject* list_texts(note_fn* note, const void* x)
{
  PyObject* list = PyList_New(0);
  const char* text;
  for (int k = 0; list && (text = note(x, k)); k++) {
    PyObject* one = PyUnicode_FromString(text);
    if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

static int read_environment(PyObject* env, PyObject* robot, const limb_environment** out)
{
  const surroundings* around = env == Py_None ? NULL : surroundings_of(env, robot);
  if (env != Py_None && !around) return -1;
  *out = around ? &around->all : NULL;
  return 0;
}

// ---- excitation ----------------------------------------------------------------------------------------------

static const limb_field excite_fields[] = {NUMBER(limb_excite_options, duration),
                                           INTEGER(limb_excite_options, harmonics),
                                           NUMBER(limb_excite_options, share),
                                           NUMBER(limb_excite_options, max_acceleration),
                                           INTEGER(limb_excite_options, starts),
                                           INTEGER(limb_excite_options, steps),
                                           LAST};

static const char* hidden_of(const void* x, int k) { return limb_excitation_hidden(x, k); }

// (time, q, v, a) at that rate.
static PyObject* sample(const limb_excitation* x, const limb_model* m, double duration, double rate)
{
  const Py_ssize_t n = (Py_ssize_t)floor(duration * rate + 1e-9) + 1, nq = limb_nq(m), nv = limb_nv(m);
  const Py_ssize_t shape[3][2] = {{n, 0}, {n, nq}, {n, nv}};
  char* at[4] = {NULL};
  PyObject *t = array_new('d', 1, shape[0], &at[0]), *q = array_new('d', 2, shape[1], &at[1]),
           *v = array_new('d', 2, shape[2], &at[2]), *a = array_new('d', 2, shape[2], &at[3]);
  double* to[4];
  for (int k = 0; k < 4; k++) to[k] = (double*)(void*)at[k];
  for (Py_ssize_t i = 0; t && q && v && a && i < n; i++) {
    to[0][i] = (double)i / rate;
    if (limb_excitation_at(x, to[0][i], to[1] + i * nq, to[2] + i * nv, to[3] + i * nv) != LIMB_OK) break;
  }
  return t && q && v && a ? Py_BuildValue("(NNNN)", t, q, v, a) : NULL;
}

static PyObject* excite_answer(const limb_excitation* x, const limb_model* m, double rate)
{
  limb_excitation_facts f;
  if (limb_excitation_get_facts(x, &f) != LIMB_OK) return raise_status(LIMB_E_ARG, NULL, NULL);
  PyObject *facts = Py_BuildValue("{s:i,s:i,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "parameters", f.parameters,
                                  "hidden", f.hidden, "duration", f.duration, "condition", f.condition, "logdet",
                                  f.logdet, "base_condition", f.base_condition, "random", f.random, "random_best",
                                  f.random_best, "position", f.position, "speed", f.speed, "acceleration",
                                  f.acceleration, "torque", f.torque),
           *hidden = list_texts(hidden_of, x), *rows = sample(x, m, f.duration, rate);
  if (facts && hidden && rows) return Py_BuildValue("(NNN)", facts, hidden, rows);
  Py_XDECREF(facts), Py_XDECREF(hidden), Py_XDECREF(rows);
  return NULL;
}

// boxes: to be freed.
static int read_boxes(PyObject* list, limb_excite_options* o, limb_keep** boxes)
{
  const Py_ssize_t n = PyList_Size(list);
  limb_keep* keep = n > 0 ? calloc((size_t)n, sizeof *keep) : NULL;
  o->keep = *boxes = keep, o->nkeep = (int)n;
  for (Py_ssize_t k = 0; k < n && keep; k++)
    if (!PyArg_ParseTuple(PyList_GetItem(list, k), "idddddd", &keep[k].frame, &keep[k].min.x, &keep[k].min.y,
                          &keep[k].min.z, &keep[k].max.x, &keep[k].max.y, &keep[k].max.z))
      return -1;
  if (n > 0 && !keep) (void)PyErr_NoMemory();
  return n < 0 || (n > 0 && !keep) ? -1 : 0;
}

// _excite(options, criterion, friction, exclude, start, keep, seed, threads, rate, env)
PyObject* robot_excite(PyObject* self, PyObject* args)
{
  const limb_model* m = robot_model(self);
  limb_excite_options o = limb_default_excite_options();
  limb_excitation* x = NULL;
  limb_keep* boxes = NULL;
  limb_error err = {0};
  array start = {0};
  PyObject *options, *from, *keep, *env, *r = NULL;
  int criterion = 0, threads = 0;
  unsigned long long seed = 0;
  double rate = 0;
  if (!PyArg_ParseTuple(args, "O!iIIOO!KidO", &PyDict_Type, &options, &criterion, &o.friction, &o.exclude, &from,
                        &PyList_Type, &keep, &seed, &threads, &rate, &env) ||
      read_dict(excite_fields, options, &o) < 0 || read_environment(env, self, &o.env) < 0)
    return NULL;
  if (!(rate > 0) || o.duration * rate > 1e8)
    return PyErr_Format(PyExc_ValueError, "excite(): the rate must be positive, with at most 1e8 rows");
  Py_ssize_t nq = limb_nq(m);
  if (from != Py_None && !(o.start = open_rows(&start, from, 0, &nq, "excite", "start"))) return NULL;
  o.criterion = (limb_excite_criterion)criterion, o.seed = seed, o.pool = pool_of(threads);
  if (!PyErr_Occurred() && read_boxes(keep, &o, &boxes) == 0) {
    limb_status s;
    Py_BEGIN_ALLOW_THREADS s = limb_excite(m, &o, &x, &err);
    Py_END_ALLOW_THREADS r = s == LIMB_OK ? excite_answer(x, m, rate) : raise_status(s, &err, NULL);
  }
  free(boxes);
  if (from != Py_None) array_close(&start);
  limb_excitation_destroy(x);
  return r;
}

// ---- loads ---------------------------------------------------------------------------------------------------

typedef struct load_estimator {
  PyObject* robot; // keeps the model
  limb_payload* x;
} load_estimator;

static load_estimator* data_of(PyObject* self) { return object_data(self, types.load_estimator); }

static const limb_field payload_fields[] = {NUMBER(limb_payload_options, gain), NUMBER(limb_payload_options, memory),
                                            LAST};

// LoadEstimator(robot, frame, friction, options, env)
static PyObject* load_new(PyTypeObject* type, PyObject* args, PyObject* kwargs)
{
  limb_payload_options o = limb_default_payload_options();
  PyObject *robot, *options, *env;
  int frame = 0;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "O!iIO!O", types.robot, &robot, &frame, &o.friction, &PyDict_Type, &options, &env) ||
      read_dict(payload_fields, options, &o) < 0 || read_environment(env, robot, &o.env) < 0)
    return NULL;
  PyObject* self = object_new(type);
  if (!self) return NULL;
  load_estimator* e = data_of(self);
  const limb_status s = limb_payload_create(robot_model(robot), frame, &o, &e->x);
  if (s == LIMB_OK) {
    e->robot = Py_NewRef(robot);
    return self;
  }
  Py_DECREF(self);
  return raise_status(s, NULL, NULL);
}

static void load_dealloc(PyObject* self)
{
  load_estimator* e = data_of(self);
  limb_payload_destroy(e->x);
  Py_XDECREF(e->robot);
  object_free(self);
}

// add(dt, q, v, tau): samples in order; dt of each.
static PyObject* load_add(PyObject* self, PyObject* args)
{
  const load_estimator* e = data_of(self);
  const limb_model* m = robot_model(e->robot);
  static const char* const name[4] = {"dt", "q", "v", "tau"};
  const Py_ssize_t width[4] = {0, limb_nq(m), limb_nv(m), limb_nv(m)};
  PyObject* given[4];
  array a[4] = {{0}};
  const double* x[4];
  Py_ssize_t rows = -1;
  int open = 0;
  limb_status s = LIMB_OK;
  if (!PyArg_ParseTuple(args, "OOOO", &given[0], &given[1], &given[2], &given[3])) return NULL;
  while (open < 4 && (x[open] = open_rows(&a[open], given[open], width[open], &rows, "add", name[open]))) open++;
  for (Py_ssize_t i = 0; open == 4 && i < rows && s == LIMB_OK; i++)
    s = limb_payload_step(e->x, x[0][i], x[1] + i * width[1], x[2] + i * width[2], x[3] + i * width[3]);
  const int failed = open < 4;
  while (open > 0) array_close(&a[--open]);
  if (failed) return NULL;
  return s == LIMB_OK ? Py_NewRef(Py_None) : raise_status(s, NULL, NULL);
}

static PyObject* load_gap(PyObject* self, PyObject* unused)
{
  (void)unused;
  limb_payload_gap(data_of(self)->x);
  return Py_NewRef(Py_None);
}

static PyObject* load_reset(PyObject* self, PyObject* unused)
{
  (void)unused;
  limb_payload_reset(data_of(self)->x);
  return Py_NewRef(Py_None);
}

// (mass, com, inertia, stds as 10 numbers, phi, covariance) of one result.
static PyObject* describe_load(const limb_payload_result* r)
{
  const sp_inertia* Y = &r->load;
  const double value[10] = {Y->mass, Y->com.x, Y->com.y, Y->com.z, Y->xx, Y->xy, Y->xz, Y->yy, Y->yz, Y->zz};
  double std[10] = {r->mass_std};
  memcpy(std + 1, r->com_std, sizeof r->com_std), memcpy(std + 4, r->inertia_std, sizeof r->inertia_std);
  return Py_BuildValue("(NNNN)", tuple_of(value, 10), tuple_of(std, 10), tuple_of(r->phi, 10),
                       tuple_of(r->covariance, 100));
}

// estimate(empty or None): (samples, equations, residual, before, hidden, physical, distance, estimate, rigid body)
static PyObject* load_estimate(PyObject* self, PyObject* other)
{
  limb_payload_result r, empty, body;
  double distance = 0;
  limb_status s = limb_payload_estimate(data_of(self)->x, &r);
  if (s == LIMB_OK && other != Py_None) {
    if (!PyObject_TypeCheck(other, types.load_estimator)) return PyErr_Format(PyExc_TypeError, "empty is no estimator");
    s = limb_payload_estimate(data_of(other)->x, &empty);
    if (s == LIMB_OK) s = limb_payload_subtract(&r, &empty, &r);
  }
  if (s == LIMB_OK) s = limb_payload_physical(&r, &body, &distance);
  if (s != LIMB_OK) return raise_status(s, NULL, NULL);
  return Py_BuildValue("(KiddIidNN)", (unsigned long long)r.samples, r.equations, r.residual, r.before, r.hidden,
                       r.physical, distance, describe_load(&r), describe_load(&body));
}

static PyMethodDef load_methods[] = {{"add", load_add, METH_VARARGS, NULL},
                                     {"gap", load_gap, METH_NOARGS, NULL},
                                     {"reset", load_reset, METH_NOARGS, NULL},
                                     {"estimate", load_estimate, METH_O, NULL},
                                     {NULL, NULL, 0, NULL}};

static PyType_Slot load_slots[] = {{Py_tp_new, (void*)load_new},
                                   {Py_tp_dealloc, (void*)load_dealloc},
                                   {Py_tp_methods, load_methods},
                                   {Py_tp_doc, "A load of the library. limb.LoadEstimator is its face."},
                                   {0, NULL}};

PyType_Spec load_estimator_spec = {.name = "limb._limb.LoadEstimator",
                                   .basicsize = sizeof(PyObject) + sizeof(load_estimator),
                                   .flags = Py_TPFLAGS_DEFAULT,
                                   .slots = load_slots};

// ---- calibration ---------------------------------------------------------------------------------------------

static const char* calibration_note(const void* x, int k) { return limb_calibration_note(x, k); }

static PyObject* list_changes(const limb_calibration* x)
{
  PyObject* list = PyList_New(0);
  limb_calibration_parameter p;
  for (int k = 0; list && limb_calibration_get_parameter(x, k, &p) == LIMB_OK; k++) {
    PyObject* row = Py_BuildValue("(siidd)", p.name, p.angle, p.found, p.change, p.std);
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

static PyObject* error_tuple(const limb_calibration_error* e)
{
  return Py_BuildValue("(dddd)", e->position, e->rotation, e->distance, e->largest);
}

static PyObject* pose_tuple(const sp_pose* X)
{
  double x[12];
  memcpy(x, X->R.m, sizeof X->R.m);
  x[9] = X->p.x, x[10] = X->p.y, x[11] = X->p.z;
  return tuple_of(x, 12);
}

// What a Model is made of, calibrated.
static PyObject* calibrated_robot(const limb_calibration* x, const limb_model* m)
{
  limb_builder* b = NULL;
  limb_model* made = NULL;
  limb_error err = {0};
  limb_status s = limb_builder_from_model(m, NULL, &b);
  if (s == LIMB_OK) s = limb_calibration_apply(x, b, &err);
  if (s == LIMB_OK) s = limb_builder_build(b, &made, &err);
  limb_builder_destroy(b);
  return s == LIMB_OK ? robot_capsule(made) : raise_status(s, &err, NULL);
}

static PyObject* calibrate_answer(const limb_calibration* x, const limb_model* m)
{
  limb_calibration_facts f;
  if (limb_calibration_get_facts(x, &f) != LIMB_OK) return raise_status(LIMB_E_ORDER, NULL, NULL);
  PyObject* robot = calibrated_robot(x, m);
  if (!robot) return NULL;
  return Py_BuildValue("(iiiiNNNNNNNNN)", f.measurements, f.fitted, f.parameters, f.found, error_tuple(&f.before[0]),
                       error_tuple(&f.before[1]), error_tuple(&f.after[0]), error_tuple(&f.after[1]),
                       pose_tuple(&f.device), pose_tuple(&f.target), list_changes(x), list_texts(calibration_note, x),
                       robot);
}

// Measurements: q, position, rotation by rows, distance; NULL: not measured.
static limb_status add_measurements(limb_calibration* x, Py_ssize_t rows, int nq, const double* const y[4],
                                    limb_error* err)
{
  limb_status s = LIMB_OK;
  for (Py_ssize_t i = 0; i < rows && s == LIMB_OK; i++) {
    limb_measurement k = {y[0] + i * nq, 0, sp_pose_identity(), 0};
    if (y[1]) k.what |= LIMB_MEASURE_POSITION, memcpy(&k.pose.p, y[1] + 3 * i, sizeof k.pose.p);
    if (y[2]) k.what |= LIMB_MEASURE_ROTATION, memcpy(k.pose.R.m, y[2] + 9 * i, sizeof k.pose.R.m);
    if (y[3]) k.what |= LIMB_MEASURE_DISTANCE, k.distance = y[3][i];
    s = limb_calibration_add(x, &k, err);
  }
  return s;
}

static int read_pose12(PyObject* sequence, const char* name, sp_pose* out)
{
  double x[12];
  if (sequence == Py_None) return 0;
  if (read_numbers(sequence, name, 12, x) < 0) return -1;
  memcpy(out->R.m, x, sizeof out->R.m);
  out->p = sp_v3(x[9], x[10], x[11]);
  return 0;
}

// _calibrate(q, position, rotation, distance, frame, unknown, offsets_only, train, device, target)
PyObject* robot_calibrate(PyObject* self, PyObject* args)
{
  const limb_model* m = robot_model(self);
  static const char* const name[4] = {"q", "position", "rotation", "distance"};
  const Py_ssize_t width[4] = {limb_nq(m), 3, 9, 0};
  limb_calibration_options o = limb_default_calibration_options(0);
  limb_calibration* x = NULL;
  limb_error err = {0};
  PyObject *given[4], *device, *target, *r = NULL;
  array a[4] = {{0}};
  const double* y[4] = {NULL};
  Py_ssize_t rows = -1;
  int open = 0;
  if (!PyArg_ParseTuple(args, "OOOOiIidOO", &given[0], &given[1], &given[2], &given[3], &o.frame, &o.unknown,
                        &o.offsets_only, &o.train, &device, &target) ||
      read_pose12(device, "device", &o.device) < 0 || read_pose12(target, "target", &o.target) < 0)
    return NULL;
  for (; open < 4; open++)
    if (given[open] != Py_None &&
        !(y[open] = open_rows(&a[open], given[open], width[open], &rows, "calibrate", name[open])))
      break;
  if (open == 4) {
    limb_status s = limb_calibration_create(m, &o, &x, &err);
    Py_BEGIN_ALLOW_THREADS if (s == LIMB_OK) s = add_measurements(x, rows, limb_nq(m), y, &err);
    if (s == LIMB_OK) s = limb_calibration_fit(x, &err);
    Py_END_ALLOW_THREADS r = s == LIMB_OK ? calibrate_answer(x, m) : raise_status(s, &err, NULL);
  }
  while (open > 0)
    if (y[--open]) array_close(&a[open]);
  limb_calibration_destroy(x);
  return r;
}
