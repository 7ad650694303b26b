// The type Simulation: limb/sim.h with callbacks in Python for forces, wrenches and conditions.
//
// While a simulation with callbacks advances, the interpreter waits. A callback that raises ends the step: the
// exception is what advance() raises.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limb/sim.h"
#include "binding.h"

typedef struct simulation simulation;

// A callback; sources live as long as the simulation.
typedef struct source {
  struct source* next;
  simulation* of;
  PyObject* call;
  int frame;
  limb_ref ref;
} source;

struct simulation {
  PyObject *robot, *env;
  limb_sim* sim;
  source* sources;
  int busy, nq, nv, watched;
  double last; // when signals were looked for
};

static simulation* data_of(PyObject* self) { return object_data(self, types.simulation); }

static const limb_field option_fields[] = {
  NUMBER(limb_sim_options, step),           NUMBER(limb_sim_options, relative),
  NUMBER(limb_sim_options, absolute),       NUMBER(limb_sim_options, max_step),
  INTEGER(limb_sim_options, order),         INTEGER(limb_sim_options, stiction),
  INTEGER(limb_sim_options, stop),          NUMBER(limb_sim_options, restitution),
  NUMBER(limb_sim_options, stop_stiffness), NUMBER(limb_sim_options, stop_damping),
  NUMBER(limb_sim_options, project),        NUMBER(limb_sim_options, condition),
  INTEGER(limb_sim_options, work),          LAST};

// ---- callbacks ---------------------------------------------------------------------------------------------------

static PyObject* copy_of(const double* x, int n)
{
  const Py_ssize_t shape[] = {n};
  char* data = NULL;
  PyObject* r = array_new('d', 1, shape, &data);
  if (r && n) memcpy(data, x, (size_t)n * sizeof *x);
  return r;
}

// What a callback answers at a state; new. NULL with an exception set, also if there was one before.
static PyObject* ask(const source* s, double t, const double* q, const double* v)
{
  if (PyErr_Occurred()) return NULL;
  PyObject *Q = copy_of(q, s->of->nq), *V = copy_of(v, s->of->nv);
  PyObject* r = Q && V ? PyObject_CallFunction(s->call, "dOO", t, Q, V) : NULL;
  Py_XDECREF(Q);
  Py_XDECREF(V);
  return r;
}

// Numbers of an answer; None is zero. Takes the answer.
static int read_answer(PyObject* answer, const char* name, int n, double* x)
{
  array a;
  memset(x, 0, (size_t)n * sizeof *x);
  if (!answer) return -1;
  int bad = 0;
  if (answer != Py_None) {
    bad = array_open(&a, answer, 1, "simulate", name) < 0;
    if (!bad && (a.ndim != 1 || a.shape[0] != n)) {
      PyErr_Format(PyExc_ValueError, "simulate(): %s does not return %d numbers", name, n);
      bad = 1;
    }
    if (!bad) array_gather(&a, 1, 0, NULL, (size_t)n, 'd', x);
    array_close(&a);
  }
  Py_DECREF(answer);
  return bad ? -1 : 0;
}

static limb_status force(void* context, double t, const double* q, const double* v, double* tau)
{
  const source* s = context;
  const int nv = s->of->nv;
  double* x = malloc(((size_t)nv + 1) * sizeof *x);
  if (!x) return LIMB_E_NOMEM;
  const int bad = read_answer(ask(s, t, q, v), "tau", nv, x) < 0;
  for (int k = 0; k < nv && !bad; k++) tau[k] += x[k];
  free(x);
  return bad ? LIMB_E_ARG : LIMB_OK;
}

static limb_status wrench(void* context, double t, const double* q, const double* v, limb_wrench* out)
{
  const source* s = context;
  double x[6];
  if (read_answer(ask(s, t, q, v), "wrench", 6, x) < 0) return LIMB_E_ARG;
  const sp_force f = {sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5])};
  *out = (limb_wrench){s->frame, s->ref, f};
  return LIMB_OK;
}

static double condition(void* context, const limb_sim_state* at)
{
  PyObject* r = ask(context, at->time, at->q, at->v);
  const double x = r ? PyFloat_AsDouble(r) : 1;
  Py_XDECREF(r);
  return PyErr_Occurred() || isnan(x) ? 1 : x;
}

// Ctrl-C ends a simulation after a step: a condition that is met when there is an exception.
static double watch(void* context, const limb_sim_state* at)
{
  simulation* s = context;
  (void)at;
  return interrupted(&s->last) ? 1 : -1;
}

// ---- making ------------------------------------------------------------------------------------------------------

// Simulation(robot, method, options, env or None)
static PyObject* simulation_new(PyTypeObject* type, PyObject* args, PyObject* kwargs)
{
  PyObject *robot = NULL, *options = NULL, *env = NULL;
  const char* method = NULL;
  int k = 0;
  limb_error e = {.status = LIMB_OK};
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "O!sO!O", types.robot, &robot, &method, &PyDict_Type, &options, &env)) return NULL;
  const limb_model* m = robot_model(robot);
  limb_sim_options o = limb_default_sim_options(m);
  while (limb_sim_method_name((limb_sim_method)k) && strcmp(limb_sim_method_name((limb_sim_method)k), method) != 0) k++;
  if (!limb_sim_method_name((limb_sim_method)k)) return PyErr_Format(PyExc_ValueError, "no method '%s'", method);
  o.method = (limb_sim_method)k;
  if (read_dict(option_fields, options, &o) < 0) return NULL;
  if (env != Py_None) {
    const surroundings* given = surroundings_of(env, robot);
    if (given && given->nwrench > 0)
      PyErr_SetString(PyExc_ValueError, "simulate(): env has wrenches of many states; give a function by wrenches=");
    if (!given || given->nwrench > 0) return NULL;
    o.env = given->all;
  }
  PyObject* self = object_new(type);
  if (!self) return NULL;
  simulation* s = data_of(self);
  s->robot = Py_NewRef(robot), s->env = Py_NewRef(env);
  s->nq = limb_nq(m), s->nv = limb_nv(m);
  const limb_status status = limb_sim_create(m, &o, NULL, &s->sim, &e);
  if (status == LIMB_OK) return self;
  Py_DECREF(self);
  return raise_status(status, &e, NULL);
}

static int simulation_traverse(PyObject* self, visitproc visit, void* arg)
{
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(data_of(self)->robot);
  Py_VISIT(data_of(self)->env);
  for (source* s = data_of(self)->sources; s; s = s->next) Py_VISIT(s->call);
  return 0;
}

static int simulation_clear(PyObject* self)
{
  simulation* x = data_of(self);
  limb_sim_destroy(x->sim); // it would call what is gone
  x->sim = NULL;
  while (x->sources) {
    source* s = x->sources;
    x->sources = s->next;
    Py_CLEAR(s->call);
    free(s);
  }
  return 0;
}

static void simulation_dealloc(PyObject* self)
{
  PyObject_GC_UnTrack(self);
  (void)simulation_clear(self);
  Py_CLEAR(data_of(self)->robot);
  Py_CLEAR(data_of(self)->env);
  object_free(self);
}

// The simulation, if it may be used now; NULL with an exception set.
static simulation* idle(PyObject* self)
{
  simulation* s = data_of(self);
  if (s->busy || !s->sim) {
    PyErr_SetString(PyExc_RuntimeError, "a callback must not use its own simulation");
    return NULL;
  }
  return s;
}

static PyObject* finish(simulation* s, limb_status status)
{
  s->busy = 0;
  if (PyErr_Occurred()) return NULL;
  if (status == LIMB_OK) Py_RETURN_NONE;
  limb_error e = {.status = status};
  (void)PyOS_snprintf(e.text, sizeof e.text, "%s", limb_sim_error(s->sim));
  return raise_status(status, &e, NULL);
}

// ---- inputs ------------------------------------------------------------------------------------------------------

static source* add_source(simulation* s, PyObject* call)
{
  if (!PyCallable_Check(call)) {
    PyErr_Format(PyExc_TypeError, "%R cannot be called", call);
    return NULL;
  }
  source* x = calloc(1, sizeof *x);
  if (!x) return (source*)PyErr_NoMemory();
  *x = (source){s->sources, s, Py_NewRef(call), 0, LIMB_ALIGNED};
  s->sources = x;
  return x;
}

static PyObject* simulation_force(PyObject* self, PyObject* args)
{
  PyObject* call = NULL;
  limb_sim_force f = {.force = force};
  simulation* s = idle(self);
  if (!s || !PyArg_ParseTuple(args, "Odd", &call, &f.period, &f.delay)) return NULL;
  f.context = add_source(s, call);
  return f.context ? finish(s, limb_sim_add_force(s->sim, &f)) : NULL;
}

static PyObject* simulation_wrench(PyObject* self, PyObject* args)
{
  PyObject* call = NULL;
  int frame = 0, ref = 0;
  simulation* s = idle(self);
  if (!s || !PyArg_ParseTuple(args, "Oii", &call, &frame, &ref)) return NULL;
  source* x = add_source(s, call);
  if (!x) return NULL;
  x->frame = frame, x->ref = (limb_ref)ref;
  return finish(s, limb_sim_add_wrenches(s->sim, 1, wrench, x, NULL));
}

static PyObject* simulation_condition(PyObject* self, PyObject* args)
{
  PyObject* call = NULL;
  limb_sim_condition c = {.value = condition};
  simulation* s = idle(self);
  if (!s || !PyArg_ParseTuple(args, "Oip", &call, &c.direction, &c.ends)) return NULL;
  c.context = add_source(s, call);
  return c.context ? finish(s, limb_sim_add_condition(s->sim, &c, NULL)) : NULL;
}

// ---- running -----------------------------------------------------------------------------------------------------

static int read_vector(PyObject* object, const char* name, int n, double* x)
{
  return read_answer(Py_NewRef(object), name, n, x);
}

static PyObject* simulation_start(PyObject* self, PyObject* args)
{
  PyObject *q = NULL, *v = NULL, *r = NULL;
  double t = 0;
  limb_error e = {.status = LIMB_OK};
  simulation* s = idle(self);
  if (!s || !PyArg_ParseTuple(args, "dOO", &t, &q, &v)) return NULL;
  double* x = malloc(((size_t)s->nq + (size_t)s->nv + 1) * sizeof *x);
  if (!x) return PyErr_NoMemory();
  if (read_vector(q, "q", s->nq, x) == 0 && read_vector(v, "v", s->nv, x + s->nq) == 0) {
    const limb_sim_condition c = {.value = watch, .context = s, .ends = 1, .polled = 1}; // behind those of the user
    s->busy = 1;
    limb_status status = s->watched ? LIMB_OK : limb_sim_add_condition(s->sim, &c, NULL);
    s->watched = 1, s->last = 0;
    if (status == LIMB_OK) status = limb_sim_start(s->sim, t, x, x + s->nq, &e);
    s->busy = 0;
    if (!PyErr_Occurred()) r = status == LIMB_OK ? Py_NewRef(Py_None) : raise_status(status, &e, NULL);
  }
  free(x);
  return r;
}

// advance(t_end) -> None, or an event: kind, time, condition, joint, side, ends, before, after
static PyObject* simulation_advance(PyObject* self, PyObject* args)
{
  double t = 0;
  limb_sim_event e = {0};
  simulation* s = idle(self);
  limb_status status = LIMB_OK;
  if (!s || !PyArg_ParseTuple(args, "d", &t)) return NULL;
  s->busy = 1;
  if (s->sources)
    status = limb_sim_advance(s->sim, t, &e);
  else {
    PyThreadState* state = PyEval_SaveThread();
    status = limb_sim_advance(s->sim, t, &e);
    PyEval_RestoreThread(state);
  }
  PyObject* r = finish(s, status);
  if (!r || e.kind == LIMB_EVENT_NONE) return r;
  Py_DECREF(r);
  return Py_BuildValue("(sdiiiidd)", limb_event_kind_name(e.kind), e.time, e.condition, e.joint, e.side, e.ends,
                       e.before, e.after);
}

static PyObject* simulation_now(PyObject* self, PyObject* unused)
{
  limb_sim_state x;
  simulation* s = idle(self);
  (void)unused;
  if (!s) return NULL;
  s->busy = 1;
  PyObject* r = finish(s, limb_sim_now(s->sim, &x));
  if (!r) return NULL;
  Py_DECREF(r);
  return Py_BuildValue("(dNNNN)", x.time, copy_of(x.q, s->nq), copy_of(x.v, s->nv), copy_of(x.a, s->nv),
                       copy_of(x.tau, s->nv));
}

static PyObject* simulation_over(PyObject* self, PyObject* unused)
{
  (void)unused;
  return PyBool_FromLong(limb_sim_over(data_of(self)->sim));
}

static PyObject* simulation_summary(PyObject* self, PyObject* unused)
{
  limb_sim_summary x = {0};
  simulation* s = idle(self);
  (void)unused;
  if (!s) return NULL;
  PyObject* r = finish(s, limb_sim_summary_of(s->sim, &x));
  if (!r) return NULL;
  Py_DECREF(r);
  return Py_BuildValue("{ss ss sK sK sK sK sd sd sd sd sd}", "method", limb_sim_method_name(x.method), "because",
                       x.because ? x.because : "", "steps", (unsigned long long)x.steps, "rejected",
                       (unsigned long long)x.rejected, "evaluations", (unsigned long long)x.evaluations, "events",
                       (unsigned long long)x.events, "min_step", x.min_step, "max_step", x.max_step, "energy_start",
                       x.energy_start, "energy", x.energy, "work", x.work);
}

static PyMethodDef methods[] = {{"force", simulation_force, METH_VARARGS, NULL},
                                {"wrench", simulation_wrench, METH_VARARGS, NULL},
                                {"condition", simulation_condition, METH_VARARGS, NULL},
                                {"start", simulation_start, METH_VARARGS, NULL},
                                {"advance", simulation_advance, METH_VARARGS, NULL},
                                {"now", simulation_now, METH_NOARGS, NULL},
                                {"over", simulation_over, METH_NOARGS, NULL},
                                {"summary", simulation_summary, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, (void*)simulation_new},
                              {Py_tp_dealloc, (void*)simulation_dealloc},
                              {Py_tp_traverse, (void*)simulation_traverse},
                              {Py_tp_clear, (void*)simulation_clear},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "A simulation of the library. Model.simulate() runs one."},
                              {0, NULL}};

PyType_Spec simulation_spec = {.name = "limb._limb.Simulation",
                               .basicsize = sizeof(PyObject) + sizeof(simulation),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                               .slots = slots};
