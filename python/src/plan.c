// Plans: quantities of the registry as calls on arrays. A plan keeps evaluators (limb/quantities.h) for the threads of
// Python that compute at the same time.
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limb/assemble.h"
#include "binding.h"

// What one caller needs.
typedef struct lane {
  struct lane* next;
  limb_evaluator* evaluator;
  limb_batch* batch;     // of floats and of derivatives; NULL: none yet
  limb_data* data;       // of derivatives; NULL: none yet
  int threads, wrenches; // wrenches: of states, in the batch
  const limb_pool* pool; // of so many threads; NULL: one
  long process;          // that started the threads
  double* x;             // all items of one state
  limb_closure* closure; // NULL: states need not close loops
} lane;

struct limb_plan {
  limb_call call;
  const limb_model* model;
  limb_evaluator_options options;
  unsigned char* marks; // given, then base
  char* names;
  int nitem;
  limb_item* item; // strings are those of `first`
  lane* first;     // stays with the plan
  lane* idle;
  atomic_flag lock; // of idle
  int derivatives;  // DERIVATIVES_...: all items come from one call
};

// ---- lanes ---------------------------------------------------------------------------------------------------

static void lane_destroy(lane* w)
{
  if (!w) return;
  limb_evaluator_destroy(w->evaluator);
  limb_batch_destroy(w->batch);
  limb_data_destroy(w->data);
  closure_destroy(w->closure);
  free(w->x);
  free(w);
}

static limb_status add_names(limb_evaluator* e, const char* names, limb_error* error)
{
  char* copy = strdup(names);
  limb_status s = copy ? LIMB_OK : LIMB_E_NOMEM;
  for (char *name = copy, *next; name && s == LIMB_OK; name = next) {
    next = strchr(name, '\n');
    if (next) *next++ = '\0';
    s = limb_evaluator_add(e, name, NULL, NULL, error);
  }
  free(copy);
  return s;
}

// For a robot with loops: what checks that states close them.
static limb_status open_closure(const limb_plan* p, lane* w, limb_error* error)
{
  const unsigned needs = limb_evaluator_needs(w->evaluator), either = LIMB_NEEDS_A_OR_TAU;
  limb_completion_options o = limb_default_completion_options();
  if (!(needs & LIMB_NEEDS_CLOSED) || p->options.tree) return LIMB_OK;
  o.velocities = (needs & LIMB_NEEDS_V) != 0;
  o.accelerations = needs & LIMB_NEEDS_A || (needs & either && p->options.known & LIMB_NEEDS_A);
  w->closure = closure_create(p->model, &o, error);
  return error->status;
}

static lane* lane_create(const limb_plan* p, int threads, const limb_pool* pool, limb_error* error)
{
  lane* w = calloc(1, sizeof *w);
  limb_evaluator_options o = p->options;
  o.pool = pool;
  limb_status s = w ? limb_evaluator_create(p->model, &o, NULL, &w->evaluator) : LIMB_E_NOMEM;
  *error = (limb_error){.status = s};
  if (s == LIMB_OK) s = add_names(w->evaluator, p->names, error);
  if (s == LIMB_OK) s = open_closure(p, w, error);
  if (s == LIMB_OK) {
    w->threads = threads, w->pool = pool, w->process = threads != 1 ? (long)getpid() : 0;
    w->x = malloc((limb_evaluator_width(w->evaluator) + 1) * sizeof *w->x);
    if (!w->x) s = LIMB_E_NOMEM;
  }
  if (s == LIMB_OK) return w;
  error->status = s;
  lane_destroy(w);
  return NULL;
}

static void lock(limb_plan* p)
{
  while (atomic_flag_test_and_set_explicit(&p->lock, memory_order_acquire)) continue;
}
static void unlock(limb_plan* p) { atomic_flag_clear_explicit(&p->lock, memory_order_release); }

static lane* lane_take(limb_plan* p, int threads)
{
  lane** at = &p->idle;
  const long process = threads != 1 ? (long)getpid() : 0;
  lock(p);
  while (*at && ((*at)->threads != threads || (*at)->process != process)) at = &(*at)->next;
  lane* w = *at;
  if (w) *at = w->next;
  unlock(p);
  return w;
}

static void lane_give(limb_plan* p, lane* w)
{
  lock(p);
  w->next = p->idle;
  p->idle = w;
  unlock(p);
}

// ---- inputs --------------------------------------------------------------------------------------------------

static const char* const input_name[] = {"q", "v", "a", "tau", "v_r", "a_r", "time"};

// The arrays of a call by what they are; NULL: the call has none.
typedef struct inputs {
  const void* x[INPUTS];
} inputs;

static inputs inputs_of(const limb_call* c, const limb_rows* r)
{
  inputs in = {{NULL}};
  for (int k = 0; k < c->ninput; k++) in.x[c->input[k].what] = r->in[k];
  return in;
}

// ---- running -------------------------------------------------------------------------------------------------

static limb_status open_batch(const limb_plan* p, lane* w, int wrenches)
{
  limb_batch_options o = limb_default_batch_options();
  if (w->batch && wrenches <= w->wrenches) return LIMB_OK;
  if (wrenches > o.wrenches) o.wrenches = wrenches;
  o.pool = w->pool;
  limb_batch_destroy(w->batch);
  w->batch = NULL, w->wrenches = o.wrenches;
  return limb_batch_create(p->model, &o, NULL, &w->batch);
}

static limb_status run_f32(limb_plan* p, lane* w, limb_rows* r, limb_status* status)
{
  limb_status s = open_batch(p, w, r->nwrench);
  const inputs in = inputs_of(&p->call, r);
  for (int k = 0; k < p->nitem && s == LIMB_OK; k++) s = floats_run(w->batch, &p->item[k], in.x, r, k, status);
  return s;
}

static limb_status run_one(limb_plan* p, lane* w, limb_rows* r)
{
  const inputs in = inputs_of(&p->call, r);
  const double* time = in.x[IN_TIME];
  const limb_state state = {.q = in.x[IN_Q],
                            .v = in.x[IN_V],
                            .a = in.x[IN_A],
                            .tau = in.x[IN_TAU],
                            .v_r = in.x[IN_V_R],
                            .a_r = in.x[IN_A_R],
                            .time = time ? *time : 0,
                            .env = r->env};
  double* x = p->nitem == 1 ? r->out[0] : w->x;
  const limb_status s = limb_evaluator_run(w->evaluator, &state, x);
  for (int k = 0; k < p->nitem && p->nitem > 1; k++)
    memcpy(r->out[k], x + p->item[k].offset, p->item[k].size * sizeof *x);
  return s;
}

static limb_status run_many(limb_plan* p, lane* w, limb_rows* r, limb_status* status)
{
  const inputs in = inputs_of(&p->call, r);
  const limb_states states = {.n = r->n,
                              .q = in.x[IN_Q],
                              .v = in.x[IN_V],
                              .a = in.x[IN_A],
                              .tau = in.x[IN_TAU],
                              .v_r = in.x[IN_V_R],
                              .a_r = in.x[IN_A_R],
                              .time = in.x[IN_TIME],
                              .env = r->env,
                              .nwrench = r->nwrench,
                              .wrench = r->wrench};
  return limb_evaluator_run_many(w->evaluator, &states, (double* const*)(void*)r->out, status);
}

// First derivatives of trees by q, v and a or tau: an evaluator would compute all of them for each.
enum { DERIVATIVES_NONE, DERIVATIVES_INVERSE, DERIVATIVES_FORWARD };

static int derivatives_of(const limb_plan* p)
{
  if (p->nitem != 3 || limb_loop_count(p->model) > 0 || limb_nv(p->model) > LIMB_BATCH_MATRICES_MAX)
    return DERIVATIVES_NONE;
  if (strcmp(p->names, "dtau_dq\ndtau_dv\nM") == 0) return DERIVATIVES_INVERSE;
  return strcmp(p->names, "dacc_dq\ndacc_dv\ndacc_dtau") == 0 ? DERIVATIVES_FORWARD : DERIVATIVES_NONE;
}

static limb_status run_derivatives(limb_plan* p, lane* w, limb_rows* r)
{
  const inputs in = inputs_of(&p->call, r);
  const double *q = in.x[IN_Q], *v = in.x[IN_V], *x = in.x[p->derivatives == DERIVATIVES_INVERSE ? IN_A : IN_TAU];
  const limb_id_derivatives id = {.dtau_dq = r->out[0], .dtau_dv = r->out[1], .M = r->out[2]};
  const limb_fd_derivatives fd = {.dacc_dq = r->out[0], .dacc_dv = r->out[1], .dacc_dtau = r->out[2]};
  limb_batch_environment env = limb_default_batch_environment();
  const int one = r->n == 1 && r->nwrench == 0;
  limb_status s = one ? LIMB_OK : open_batch(p, w, r->nwrench);
  if (one && !w->data) s = limb_data_create(p->model, NULL, &w->data);
  env.all = r->env, env.nwrench = r->nwrench, env.wrench = r->wrench;
  if (s != LIMB_OK) return s;
  if (p->derivatives == DERIVATIVES_INVERSE)
    return one ? limb_inverse_dynamics_derivatives(w->data, q, v, x, r->env, &id)
               : limb_batch_inverse_dynamics_derivatives(w->batch, r->n, q, v, x, &env, &id, NULL);
  return one ? limb_forward_dynamics_derivatives(w->data, q, v, x, r->env, &fd)
             : limb_batch_forward_dynamics_derivatives(w->batch, r->n, q, v, x, &env, &fd, NULL);
}

static limb_status run_rows(limb_plan* p, lane* w, limb_rows* r)
{
  limb_status* status = calloc(r->n, sizeof *status);
  if (!status) return LIMB_E_NOMEM;
  const limb_status s = r->type == 'f' ? run_f32(p, w, r, status) : run_many(p, w, r, status);
  while (s != LIMB_OK && r->failed + 1 < r->n && status[r->failed] == LIMB_OK) r->failed++;
  free(status);
  return s;
}

// States that do not close the loops have no results.
static limb_status check_closed(limb_plan* p, lane* w, limb_rows* r)
{
  const inputs in = inputs_of(&p->call, r);
  const size_t nq = (size_t)limb_nq(p->model), nv = (size_t)limb_nv(p->model);
  const double *q = in.x[IN_Q], *v = in.x[IN_V], *a = in.x[IN_A], *time = in.x[IN_TIME];
  limb_status first = LIMB_OK;
  for (size_t i = 0; i < r->n; i++) {
    limb_error e = {.status = LIMB_OK};
    const limb_status s =
      closure_check(w->closure, time ? time[i] : 0, q + i * nq, v ? v + i * nv : NULL, a ? a + i * nv : NULL, &e);
    if (s == LIMB_OK) continue;
    if (first == LIMB_OK) first = s, r->failed = i, r->error = e;
    for (int k = 0; k < p->nitem; k++) {
      double* x = (double*)r->out[k] + i * p->item[k].size;
      for (size_t j = 0; j < p->item[k].size; j++) x[j] = (double)NAN;
    }
  }
  return first;
}

static limb_status plan_run(void* context, limb_rows* r)
{
  limb_plan* p = context;
  lane* w = lane_take(p, r->threads);
  if (!w) {
    const limb_pool* pool = NULL;
    if (r->threads != 1) { // pools are made, and exceptions set, by one thread at a time
      PyGILState_STATE state = PyGILState_Ensure();
      pool = pool_of(r->threads);
      PyGILState_Release(state);
      if (!pool) return LIMB_E_NOMEM;
    }
    w = lane_create(p, r->threads, pool, &r->error);
    if (!w) return r->error.status;
  }
  if (p->derivatives && r->type == 'd' && run_derivatives(p, w, r) == LIMB_OK) {
    lane_give(p, w);
    return LIMB_OK; // otherwise the evaluator explains why not
  }
  const int one = r->n == 1 && r->type == 'd' && r->nwrench == 0;
  limb_status s = one ? run_one(p, w, r) : run_rows(p, w, r);
  if (s != LIMB_OK && r->type == 'd') (void)limb_evaluator_failure(w->evaluator, &r->error);
  if (w->closure) {
    const limb_status closed = check_closed(p, w, r);
    if (closed != LIMB_OK) s = closed;
  }
  lane_give(p, w);
  return s;
}

// ---- making --------------------------------------------------------------------------------------------------

static void add_input(limb_call* c, int name, int width, int optional)
{
  c->input[c->ninput++] = (limb_input){input_name[name], width, optional, name};
}

// What the items need, in the order q, v, a, tau, v_r, a_r, time.
static void find_inputs(limb_plan* p)
{
  limb_call* c = &p->call;
  const unsigned needs = limb_evaluator_needs(p->first->evaluator), known = p->options.known;
  const unsigned either = LIMB_NEEDS_A_OR_TAU, both = LIMB_NEEDS_GIVEN | LIMB_NEEDS_BASE;
  const int nq = limb_nq(p->model), nv = limb_nv(p->model);
  unsigned in = needs;
  if (needs & either) in |= known & LIMB_NEEDS_A ? LIMB_NEEDS_A : LIMB_NEEDS_TAU;
  if (needs & both) in |= known & (LIMB_NEEDS_A | LIMB_NEEDS_TAU);
  if (in & LIMB_NEEDS_Q) add_input(c, IN_Q, nq, 0);
  if (in & LIMB_NEEDS_V) add_input(c, IN_V, nv, 0);
  if (in & LIMB_NEEDS_A) add_input(c, IN_A, nv, 0);
  if (in & LIMB_NEEDS_TAU) add_input(c, IN_TAU, nv, 0);
  if (in & LIMB_NEEDS_V_R) add_input(c, IN_V_R, nv, 0);
  if (in & LIMB_NEEDS_A_R) add_input(c, IN_A_R, nv, 0);
  if (in & LIMB_NEEDS_TIME || limb_has_prescribed_motion(p->model)) add_input(c, IN_TIME, -1, !(in & LIMB_NEEDS_TIME));
}

static limb_status find_outputs(limb_plan* p)
{
  limb_call* c = &p->call;
  p->nitem = limb_evaluator_count(p->first->evaluator);
  p->item = calloc((size_t)p->nitem + 1, sizeof *p->item);
  if (!p->item) return LIMB_E_NOMEM;
  if (p->nitem > CALL_OUTPUTS) return LIMB_E_UNSUPPORTED;
  c->noutput = p->nitem;
  for (int k = 0; k < p->nitem; k++) {
    const limb_status s = limb_evaluator_get(p->first->evaluator, k, &p->item[k]);
    if (s != LIMB_OK) return s;
    c->output[k].rank = p->item[k].rank;
    c->output[k].size = p->item[k].size;
    for (int axis = 0; axis < p->item[k].rank; axis++) c->output[k].length[axis] = (Py_ssize_t)p->item[k].length[axis];
  }
  return LIMB_OK;
}

// Options with copies of what they point to.
static limb_status copy_options(limb_plan* p, const limb_evaluator_options* options)
{
  const size_t nv = (size_t)limb_nv(p->model);
  p->options = options ? *options : limb_default_evaluator_options();
  p->marks = calloc(2 * nv + 1, 1);
  if (!p->marks) return LIMB_E_NOMEM;
  if (p->options.given) p->options.given = memcpy(p->marks, p->options.given, nv);
  if (p->options.base) p->options.base = memcpy(p->marks + nv, p->options.base, nv);
  return LIMB_OK;
}

limb_plan* plan_create(PyObject* robot, const char* names, const limb_evaluator_options* options)
{
  limb_error error = {.status = LIMB_OK};
  limb_plan* p = calloc(1, sizeof *p);
  if (!p) return (limb_plan*)PyErr_NoMemory();
  p->model = robot_model(robot);
  p->names = strdup(names);
  p->lock = (atomic_flag)ATOMIC_FLAG_INIT;
  limb_status s = p->names ? copy_options(p, options) : LIMB_E_NOMEM;
  if (s == LIMB_OK && !(p->first = lane_create(p, 1, NULL, &error))) s = error.status;
  if (s == LIMB_OK) s = find_outputs(p);
  if (s == LIMB_OK) {
    find_inputs(p);
    p->idle = p->first;
    p->call.name = p->names;
    p->call.robot = robot;
    p->call.floats = limb_loop_count(p->model) == 0 && floats_take(p->model, p->nitem, p->item);
    p->call.heavy = limb_nv(p->model) > 0 ? limb_nv(p->model) : 1;
    p->derivatives = derivatives_of(p);
    p->call.run = plan_run;
    p->call.context = p;
    return p;
  }
  (void)raise_status(s, &error, NULL);
  plan_destroy(p);
  return NULL;
}

void plan_destroy(limb_plan* p)
{
  if (!p) return;
  if (!p->idle) lane_destroy(p->first);
  for (lane* w = p->idle; w;) {
    lane* next = w->next;
    lane_destroy(w);
    w = next;
  }
  free(p->item);
  free(p->marks);
  free(p->names);
  free(p);
}

limb_call* plan_call(limb_plan* p) { return &p->call; }

// ---- the type Plan -------------------------------------------------------------------------------------------

typedef struct plan_object {
  PyObject* robot;
  limb_plan* plan;
} plan_object;

static plan_object* data_of(PyObject* self) { return object_data(self, types.plan); }

const limb_call* plan_of_object(PyObject* plan) { return plan_call(data_of(plan)->plan); }

static PyObject* plan_new(PyTypeObject* type, PyObject* args, PyObject* kwargs)
{
  static char* words[] = {"robot", "names", "known", "tree", "directions", "damping", "dt", "given", "base", NULL};
  PyObject *robot = NULL, *given = Py_None, *base = Py_None;
  const char* names = NULL;
  limb_evaluator_options o = limb_default_evaluator_options();
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!s|IpIddOO", words, types.robot, &robot, &names, &o.known, &o.tree,
                                   &o.directions, &o.damping, &o.dt, &given, &base))
    return NULL;
  const int nv = limb_nv(robot_model(robot));
  if (read_marks(given, nv, "given", &o.given) < 0 || read_marks(base, nv, "base", &o.base) < 0) return NULL;
  limb_plan* p = plan_create(robot, names, &o);
  if (!p) return NULL;
  PyObject* self = object_new(type);
  if (!self) {
    plan_destroy(p);
    return NULL;
  }
  *data_of(self) = (plan_object){Py_NewRef(robot), p};
  return self;
}

static int plan_traverse(PyObject* self, visitproc visit, void* arg)
{
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(data_of(self)->robot);
  return 0;
}

static void plan_dealloc(PyObject* self)
{
  PyObject_GC_UnTrack(self);
  plan_destroy(data_of(self)->plan);
  Py_CLEAR(data_of(self)->robot);
  object_free(self);
}

static PyObject* plan_compute(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names)
{
  return call_arrays(plan_call(data_of(self)->plan), args, nargs, names);
}

static PyObject* plan_inputs(PyObject* self, void* unused)
{
  const limb_call* c = plan_call(data_of(self)->plan);
  PyObject* r = unused ? NULL : PyTuple_New(c->ninput);
  for (int k = 0; r && k < c->ninput; k++)
    if (PyTuple_SetItem(r, k, PyUnicode_FromString(c->input[k].name)) < 0) Py_CLEAR(r);
  return r;
}

// Labels along the axes of an item: a list of lists.
static PyObject* labels_of(const limb_plan* p, int item)
{
  PyObject* axes = PyList_New(0);
  for (int axis = 0; axes && axis < p->item[item].rank; axis++) {
    PyObject* labels = PyList_New(0);
    for (size_t k = 0; labels && k < p->item[item].length[axis]; k++) {
      PyObject* text = PyUnicode_FromString(limb_evaluator_label(p->first->evaluator, item, axis, k));
      if (!text || PyList_Append(labels, text) < 0) Py_CLEAR(labels);
      Py_XDECREF(text);
    }
    if (!labels || PyList_Append(axes, labels) < 0) Py_CLEAR(axes);
    Py_XDECREF(labels);
  }
  return axes;
}

static PyObject* plan_items(PyObject* self, void* unused)
{
  const limb_plan* p = data_of(self)->plan;
  PyObject* r = unused ? NULL : PyTuple_New(p->nitem);
  for (int k = 0; r && k < p->nitem; k++) {
    const limb_item* x = &p->item[k];
    PyObject* about = Py_BuildValue("(sssN)", x->name, x->quantity->name, x->quantity->unit, labels_of(p, k));
    if (!about || PyTuple_SetItem(r, k, about) < 0) Py_CLEAR(r);
  }
  return r;
}

static PyMethodDef plan_methods[] = {
  {"compute", (PyCFunction)(void (*)(void))plan_compute, METH_FASTCALL | METH_KEYWORDS,
   "Computes the quantities from the inputs, in the order of `inputs`; options as for methods of robots."},
  {NULL, NULL, 0, NULL}};

static PyGetSetDef plan_members[] = {
  {"inputs", plan_inputs, NULL, "names of the inputs", NULL},
  {"items", plan_items, NULL, "for each result its name, quantity, unit, and labels along its axes", NULL},
  {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot plan_slots[] = {{Py_tp_new, (void*)plan_new},           {Py_tp_dealloc, (void*)plan_dealloc},
                                   {Py_tp_traverse, (void*)plan_traverse}, {Py_tp_methods, plan_methods},
                                   {Py_tp_getset, plan_members},           {0, NULL}};

PyType_Spec plan_spec = {.name = "limb._limb.Plan",
                         .basicsize = sizeof(PyObject) + sizeof(plan_object),
                         .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
                         .slots = plan_slots};
