// limb in XLA: the handler of the custom calls of limb.jax. A call names its plan by an attribute; threads of XLA run
// it on their buffers, without the interpreter.
//
// Names are made of what the plan computes (limb/jax.py). So a program that was compiled elsewhere, or read from a
// cache, finds the same plan or none. Plans stay for the life of the process, as programs do that use them.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"
#include "xla.h"

typedef struct named_plan {
  struct named_plan* next;
  const limb_call* call;
  int threads, keep_failed;
  char name[];
} named_plan;

static _Atomic(named_plan*) plans; // entries do not change, and are not removed

static const named_plan* find_plan(const char* name, size_t length)
{
  const named_plan* p = atomic_load_explicit(&plans, memory_order_acquire);
  while (p && (strlen(p->name) != length || memcmp(p->name, name, length) != 0)) p = p->next;
  return p;
}

// ---- calls -------------------------------------------------------------------------------------------------------

static xla_error* fail(const xla_frame* f, xla_code code, const char* message)
{
  xla_error_arguments args = {.size = sizeof args, .message = message, .code = code};
  return f->api->create_error(&args);
}

static const named_plan* plan_of(const xla_frame* f)
{
  for (int64_t k = 0; k < f->attributes.count; k++) {
    const xla_span* value = f->attributes.values[k];
    if (f->attributes.types[k] == XLA_STRING) return find_plan(value->text, value->length);
  }
  return NULL;
}

// A buffer of n rows of so many numbers, of type 'd' or 'f'; NULL if it is another. Zero: *n and *type are set.
static void* rows_of(const xla_list* list, int k, size_t width, size_t* n, char* type)
{
  const xla_buffer* b = list->items[k];
  size_t numbers = 1;
  if (list->types[k] != XLA_BUFFER || (b->type != XLA_F64 && b->type != XLA_F32)) return NULL;
  for (int64_t i = 0; i < b->rank; i++) numbers *= (size_t)b->dims[i];
  const char its = b->type == XLA_F64 ? 'd' : 'f';
  if (!*type) *type = its, *n = width ? numbers / width : 0;
  return its == *type && numbers == *n * width ? b->data : NULL;
}

static int take_buffers(const limb_call* c, const xla_frame* f, limb_rows* r)
{
  if (f->arguments.count != c->ninput || f->results.count != c->noutput) return 0;
  for (int k = 0; k < c->ninput; k++) {
    r->in[k] = rows_of(&f->arguments, k, (size_t)c->input[k].width, &r->n, &r->type);
    if (!r->in[k] && r->n) return 0;
  }
  for (int k = 0; k < c->noutput; k++) {
    r->out[k] = rows_of(&f->results, k, c->output[k].size, &r->n, &r->type);
    if (!r->out[k] && r->n) return 0;
  }
  return r->type != 0;
}

// Floats of a call that computes doubles: inputs and results by way of one block of memory.
static limb_status run_converted(const limb_call* c, const limb_rows* floats)
{
  limb_rows r = *floats;
  size_t width = 0;
  for (int k = 0; k < c->ninput; k++) width += (size_t)c->input[k].width;
  for (int k = 0; k < c->noutput; k++) width += c->output[k].size;
  double* room = malloc(r.n * width * sizeof *room);
  double* at = room;
  if (!room) return LIMB_E_NOMEM;
  for (int k = 0; k < c->ninput; k++) {
    const float* x = floats->in[k];
    r.in[k] = at;
    for (size_t i = 0; i < r.n * (size_t)c->input[k].width; i++) *at++ = (double)x[i];
  }
  r.type = 'd';
  for (int k = 0; k < c->noutput; k++) r.out[k] = at, at += r.n * c->output[k].size;
  const limb_status s = c->run(c->context, &r);
  for (int k = 0; k < c->noutput; k++)
    for (size_t i = 0; i < r.n * c->output[k].size; i++)
      ((float*)floats->out[k])[i] = (float)((const double*)r.out[k])[i];
  free(room);
  return s;
}

static xla_error* run(const named_plan* p, const xla_frame* f)
{
  limb_rows r = {.threads = p->threads, .error = {.status = LIMB_OK}};
  char message[700];
  if (!take_buffers(p->call, f, &r)) return fail(f, XLA_INTERNAL, "limb: buffers are not those of the plan");
  if (r.n == 0) return NULL;
  const int converted = r.type == 'f' && !p->call->floats;
  const limb_status s = converted ? run_converted(p->call, &r) : p->call->run(p->call->context, &r);
  if (s == LIMB_OK || (p->keep_failed && status_of_state(s))) return NULL;
  (void)snprintf(message, sizeof message, "limb: %s: state %zu of %zu: %s", p->call->name, r.failed, r.n,
                 *r.error.text ? r.error.text : limb_status_text(s));
  for (char* c = message; *c; c++)
    if (*c == '\n') *c = ' ';
  return fail(f, XLA_INVALID_ARGUMENT, message);
}

// XLA asks for the version of the API first: it is that of XLA, as long as the major one is known.
static void describe(const xla_frame* f, const xla_metadata_extension* e)
{
  e->metadata->version.major = XLA_MAJOR;
  e->metadata->version.minor = f->api && f->api->version.major == XLA_MAJOR ? f->api->version.minor : 0;
  e->metadata->traits = 0;
}

static xla_error* handle(xla_frame* f)
{
  for (const xla_extension* e = f->extension; e; e = e->next)
    if (e->type == XLA_METADATA) {
      describe(f, (const xla_metadata_extension*)(const void*)e);
      return NULL;
    }
  if (f->stage != XLA_EXECUTE) return NULL;
  if (f->size < sizeof *f)
    return fail(f, XLA_FAILED_PRECONDITION, "limb: the calls of this XLA are of another version");
  const named_plan* p = plan_of(f);
  if (p) return run(p, f);
  return fail(f, XLA_FAILED_PRECONDITION,
              "limb: the program was compiled in another process; make its limb.jax.Dynamics in this one first, "
              "and call its functions once");
}

// ---- the module --------------------------------------------------------------------------------------------------

PyObject* xla_handler(PyObject* module, PyObject* unused)
{
  void* pointer = NULL;
  xla_error* (*function)(xla_frame*) = handle;
  (void)module, (void)unused;
  memcpy(&pointer, &function, sizeof pointer);
  return PyCapsule_New(pointer, NULL, NULL);
}

// xla_keep(name, plan, threads, keep_failed): a plan for calls of XLA.
PyObject* xla_keep(PyObject* module, PyObject* args)
{
  const char* name = NULL;
  Py_ssize_t length = 0;
  PyObject* plan = NULL;
  int threads = 1, keep_failed = 0;
  (void)module;
  if (!PyArg_ParseTuple(args, "s#O!ip", &name, &length, types.plan, &plan, &threads, &keep_failed)) return NULL;
  if (threads < 0 || threads > 4096)
    return PyErr_Format(PyExc_ValueError, "threads is %d, expected 0 to 4096", threads);
  if (find_plan(name, (size_t)length)) return Py_NewRef(Py_None);
  const limb_call* c = plan_of_object(plan);
  for (int k = 0; k < c->ninput; k++)
    if (c->input[k].width < 0)
      return PyErr_Format(PyExc_ValueError, "%s(): motion is prescribed over time, which XLA has none of", c->name);
  named_plan* p = malloc(sizeof *p + (size_t)length + 1);
  if (!p) return PyErr_NoMemory();
  p->call = c, p->threads = threads, p->keep_failed = keep_failed;
  memcpy(p->name, name, (size_t)length + 1);
  Py_INCREF(plan);
  p->next = atomic_load_explicit(&plans, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&plans, &p->next, p, memory_order_release, memory_order_relaxed))
    continue;
  return Py_NewRef(Py_None);
}
