// States of robots with loops: completed from given numbers, and checked.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limb/assemble.h"
#include "binding.h"

struct limb_closure {
  limb_completion* completion;
  size_t nq, nv;
  double *q, *v, *a; // one state; v and a may be NULL
};

limb_closure* closure_create(const limb_model* m, const limb_completion_options* o, limb_error* error)
{
  limb_closure* c = calloc(1, sizeof *c);
  const limb_status s = c ? limb_completion_create(m, o, NULL, &c->completion, error) : LIMB_E_NOMEM;
  error->status = s;
  if (s != LIMB_OK) {
    free(c);
    return NULL;
  }
  c->nq = (size_t)limb_nq(m), c->nv = (size_t)limb_nv(m);
  c->q = calloc(c->nq + 2 * c->nv + 1, sizeof *c->q);
  if (c->q) {
    c->v = o->velocities ? c->q + c->nq : NULL;
    c->a = o->accelerations ? c->q + c->nq + c->nv : NULL;
    return c;
  }
  error->status = LIMB_E_NOMEM;
  closure_destroy(c);
  return NULL;
}

void closure_destroy(limb_closure* c)
{
  if (!c) return;
  limb_completion_destroy(c->completion);
  free(c->q);
  free(c);
}

static limb_status complete(limb_closure* c, double time, const double* q, const double* v, const double* a,
                            limb_error* error)
{
  memcpy(c->q, q, c->nq * sizeof *q);
  if (c->v && v) memcpy(c->v, v, c->nv * sizeof *v);
  if (c->a && a) memcpy(c->a, a, c->nv * sizeof *a);
  return limb_complete_state(c->completion, time, c->q, c->v, c->a, error);
}

limb_status closure_check(limb_closure* c, double time, const double* q, const double* v, const double* a,
                          limb_error* error)
{
  return complete(c, time, q, v, a, error);
}

// ---- _close(given_q, given_v, given_a, q, v, a, time) ------------------------------------------------------------

typedef struct job {
  limb_closure* closure;
  int with_v, with_a;
} job;

static void deliver(double* out, size_t i, size_t width, const double* x)
{
  for (size_t k = 0; k < width; k++) out[i * width + k] = x ? x[k] : (double)NAN;
}

static limb_status run(void* context, limb_rows* r)
{
  const job* j = context;
  limb_closure* c = j->closure;
  const double *q = r->in[0], *v = r->in[1], *a = r->in[2], *time = r->in[3];
  limb_status first = LIMB_OK;
  for (size_t i = 0; i < r->n; i++) {
    limb_error e = {.status = LIMB_OK};
    const limb_status s =
      complete(c, time ? time[i] : 0, q + i * c->nq, v ? v + i * c->nv : NULL, a ? a + i * c->nv : NULL, &e);
    if (s != LIMB_OK && first == LIMB_OK) first = s, r->failed = i, r->error = e;
    deliver(r->out[0], i, c->nq, s == LIMB_OK ? c->q : NULL);
    if (j->with_v) deliver(r->out[1], i, c->nv, s == LIMB_OK ? c->v : NULL);
    if (j->with_a) deliver(r->out[1 + j->with_v], i, c->nv, s == LIMB_OK ? c->a : NULL);
  }
  return first;
}

int read_marks(PyObject* object, int count, const char* name, const unsigned char** out)
{
  char* bytes = NULL;
  Py_ssize_t n = 0;
  *out = NULL;
  if (object == Py_None) return 0;
  if (PyBytes_AsStringAndSize(object, &bytes, &n) < 0) return -1;
  if (n != count) {
    PyErr_Format(PyExc_ValueError, "%s has %zd marks, expected %d", name, n, count);
    return -1;
  }
  *out = (const unsigned char*)bytes;
  return 0;
}

PyObject* robot_close(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names)
{
  const limb_model* m = robot_model(self);
  const int nq = limb_nq(m), nv = limb_nv(m);
  limb_completion_options o = limb_default_completion_options();
  limb_error e = {.status = LIMB_OK};
  if (nargs != 7) return PyErr_Format(PyExc_TypeError, "use close()");
  if (read_marks(args[0], nq, "q", &o.given_q) < 0 || read_marks(args[1], nv, "v", &o.given_v) < 0 ||
      read_marks(args[2], nv, "a", &o.given_a) < 0)
    return NULL;
  job j = {.with_v = args[4] != Py_None, .with_a = args[5] != Py_None};
  o.velocities = j.with_v, o.accelerations = j.with_a;
  j.closure = closure_create(m, &o, &e);
  if (!j.closure) return raise_status(e.status, &e, NULL);
  limb_call c = {.name = "close",
                 .robot = self,
                 .ninput = 4,
                 .noutput = 1 + j.with_v + j.with_a,
                 .input = {{"q", nq, 0, 0}, {"v", nv, 1, 0}, {"a", nv, 1, 0}, {"time", -1, 1, 0}},
                 .output = {{1, {nq}, (size_t)nq}, {1, {nv}, (size_t)nv}, {1, {nv}, (size_t)nv}},
                 .heavy = 512,
                 .run = run,
                 .context = &j};
  PyObject* r = call_arrays(&c, args + 3, 4, names);
  closure_destroy(j.closure);
  return r;
}
