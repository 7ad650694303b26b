// Inverse kinematics as a call on arrays: targets in, configurations and reports out.
#include <stdlib.h>
#include <string.h>

#include "limb/ik.h"
#include "binding.h"

enum { GOALS_MAX = 64, POSE_NUMBERS = 12, REPORT_NUMBERS = 7 };

static const limb_field option_fields[] = {NUMBER(limb_ik_options, tolerance), INTEGER(limb_ik_options, max_iterations),
                                           INTEGER(limb_ik_options, restarts), INTEGER(limb_ik_options, ignore_limits),
                                           NUMBER(limb_ik_options, time),      LAST};

typedef struct job {
  const limb_model* model;
  limb_ik_options options;
  int count;
  limb_ik_goal goal[GOALS_MAX];
  double* reference;
} job;

static limb_status solve(const job* j, limb_ik* ik, limb_rows* r, sp_pose* targets, limb_ik_report* reports)
{
  const double* x = r->in[0];
  double* out = r->out[1];
  for (size_t i = 0; i < r->n * (size_t)j->count; i++, x += POSE_NUMBERS) {
    memcpy(targets[i].R.m, x, sizeof targets[i].R.m);
    targets[i].p = sp_v3(x[9], x[10], x[11]);
  }
  limb_status s = limb_ik_solve_many(ik, r->n, targets, r->in[1], r->in[1] ? r->n : 0, r->out[0], reports, NULL);
  for (size_t i = 0; i < r->n; i++) {
    const limb_ik_report* from = &reports[i];
    const double row[REPORT_NUMBERS] = {from->reason,   from->iterations, from->starts,  from->angle,
                                        from->position, from->loops,      from->distance};
    memcpy(out + i * REPORT_NUMBERS, row, sizeof row);
  }
  return s == LIMB_E_NOCONV ? LIMB_OK : s; // the report has why
}

static limb_status run(void* context, limb_rows* r)
{
  job* j = context;
  limb_ik* ik = NULL;
  PyGILState_STATE state = PyGILState_Ensure();
  j->options.pool = pool_of(r->threads), j->options.first = r->first;
  PyGILState_Release(state);
  sp_pose* targets = calloc(r->n * (size_t)j->count + 1, sizeof *targets);
  limb_ik_report* reports = calloc(r->n + 1, sizeof *reports);
  limb_status s = targets && reports ? LIMB_OK : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = limb_ik_create(j->model, j->count, j->goal, &j->options, NULL, &ik);
  if (s == LIMB_OK) s = solve(j, ik, r, targets, reports);
  limb_ik_destroy(ik);
  free(targets);
  free(reports);
  return s;
}

static int read_goals(job* j, PyObject* list)
{
  const Py_ssize_t n = PyList_Check(list) ? PyList_Size(list) : -1;
  if (n < 1 || n > GOALS_MAX) {
    PyErr_Format(PyExc_ValueError, "ik(): expected 1 to %d goals", GOALS_MAX);
    return -1;
  }
  for (j->count = 0; j->count < n; j->count++) {
    int frame = 0, ref = 0;
    unsigned directions = 0;
    PyObject* item = PyList_GetItem(list, j->count);
    limb_ik_goal* g = &j->goal[j->count];
    if (!PyTuple_Check(item)) {
      PyErr_SetString(PyExc_TypeError, "ik(): a goal is a tuple");
      return -1;
    }
    if (!PyArg_ParseTuple(item, "iiIdd", &frame, &ref, &directions, &g->angular, &g->linear)) return -1;
    g->task = (limb_task){frame, (limb_ref)ref, directions};
  }
  return 0;
}

// _ik(goals, options, seed, held, reference, targets, start, threads=): goals are (frame, ref, directions, angular
// weight, linear weight), targets rotation and position for each. -> q and reports
PyObject* robot_ik(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names)
{
  const limb_model* m = robot_model(self);
  const int nq = limb_nq(m);
  job j = {.model = m, .options = limb_default_ik_options()};
  PyObject* r = NULL;
  if (nargs != 7 || !PyDict_Check(args[1])) return PyErr_Format(PyExc_TypeError, "use ik()");
  if (read_goals(&j, args[0]) < 0 || read_dict(option_fields, args[1], &j.options) < 0) return NULL;
  j.options.seed = PyLong_AsUnsignedLongLongMask(args[2]);
  if (PyErr_Occurred() || read_marks(args[3], limb_nv(m), "held", &j.options.held) < 0) return NULL;
  j.reference = args[4] == Py_None ? NULL : malloc(((size_t)nq + 1) * sizeof *j.reference);
  if (!j.reference && args[4] != Py_None) return PyErr_NoMemory();
  j.options.reference = j.reference;
  if (!j.reference || read_numbers(args[4], "reference", nq, j.reference) == 0) {
    const int width = j.count * POSE_NUMBERS;
    const limb_call c = {.name = "ik",
                         .robot = self,
                         .ninput = 2,
                         .noutput = 2,
                         .input = {{"targets", width, 0, 0}, {"start", nq, 1, 0}},
                         .output = {{1, {nq}, (size_t)nq}, {1, {REPORT_NUMBERS}, REPORT_NUMBERS}},
                         .heavy = 512,
                         .run = run,
                         .context = &j};
    r = call_arrays(&c, args + 5, 2, names);
  }
  free(j.reference);
  return r;
}
