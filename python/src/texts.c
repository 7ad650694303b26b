// Generated code, equations and pictures as text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limb/codegen.h"
#include "limb/draw.h"
#include "binding.h"

void text_append(void* context, const char* text)
{
  text_buffer* b = context;
  const size_t n = strlen(text);
  if (b->failed) return;
  if (b->length + n + 1 > b->capacity) {
    const size_t capacity = 2 * (b->length + n + 1);
    char* more = realloc(b->text, capacity);
    if (!more) {
      b->failed = 1;
      return;
    }
    b->text = more, b->capacity = capacity;
  }
  memcpy(b->text + b->length, text, n + 1);
  b->length += n;
}

PyObject* text_finish(text_buffer* b)
{
  PyObject* r =
    b->failed ? PyErr_NoMemory() : PyUnicode_DecodeUTF8(b->text ? b->text : "", (Py_ssize_t)b->length, "replace");
  free(b->text);
  *b = (text_buffer){0};
  return r;
}

static PyObject* codegen_file(const limb_codegen* c, limb_codegen_file file)
{
  text_buffer b = {0};
  const limb_status s = limb_codegen_write(c, file, text_append, &b);
  PyObject* r = text_finish(&b);
  if (s == LIMB_OK) return r;
  Py_XDECREF(r);
  return raise_status(s, NULL, NULL);
}

static PyObject* codegen_facts(const limb_codegen* c)
{
  PyObject* list = PyList_New(0);
  for (int k = 0; list && k < limb_codegen_count(c); k++) {
    limb_codegen_facts f;
    if (limb_codegen_get(c, k, &f) != LIMB_OK) break;
    PyObject* item = Py_BuildValue("(ssllllllld)", f.name, f.quantity, f.mul, f.add, f.div, f.sines, f.other,
                                   f.statements, f.stack, f.difference);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

// ---- Ctrl-C ----------------------------------------------------------------------------------------------------
//
// Generators ask for memory all the time: an allocator that refuses it after Ctrl-C ends them. The exception is set.

typedef struct watch {
  double last;
  int raised;
} watch;

static void* watched_alloc(void* context, size_t size, size_t align)
{
  watch* w = context;
  void* block = NULL;
  if (!w->raised) w->raised = interrupted(&w->last);
  if (w->raised || posix_memalign(&block, align < sizeof block ? sizeof block : align, size ? size : 1) != 0)
    return NULL;
  return block;
}

static void watched_free(void* context, void* block, size_t size)
{
  (void)context, (void)size;
  free(block);
}

// _codegen(what, language, sines, symbols, prefix, frame, single, lanes, gravity_argument, friction, order, effort,
// coulomb_width) -> (prefix, source, header, test, facts)
PyObject* robot_codegen(PyObject* self, PyObject* args)
{
  limb_codegen_options o = limb_default_codegen_options();
  int language = 0, sines = 0, symbols = 0, order = 0;
  limb_error e = {.status = LIMB_OK};
  limb_codegen* c = NULL;
  if (!PyArg_ParseTuple(args, "siiizzpippidd", &o.what, &language, &sines, &symbols, &o.prefix, &o.frame, &o.single,
                        &o.lanes, &o.gravity_argument, &o.friction, &order, &o.effort, &o.coulomb_width))
    return NULL;
  o.language = (limb_language)language, o.sines = (limb_sines)sines;
  o.symbols = (limb_symbols)symbols, o.order = (limb_statement_order)order;
  watch w = {0};
  const limb_allocator watched = {watched_alloc, watched_free, &w};
  PyThreadState* state = PyEval_SaveThread(); // a search may take a second
  const limb_status s = limb_codegen_create(robot_model(self), &o, &watched, &c, &e);
  PyEval_RestoreThread(state);
  if (s != LIMB_OK) return w.raised ? NULL : raise_status(s, &e, NULL);
  PyObject* r = Py_BuildValue("(sNNNN)", limb_codegen_prefix(c), codegen_file(c, LIMB_FILE_SOURCE),
                              codegen_file(c, LIMB_FILE_HEADER), codegen_file(c, LIMB_FILE_TEST), codegen_facts(c));
  limb_codegen_free(c);
  return r;
}

// _equations(what or None, notation, numbers, max_terms) -> text
PyObject* robot_equations(PyObject* self, PyObject* args)
{
  limb_equation_options o = limb_default_equation_options();
  limb_error e = {.status = LIMB_OK};
  int notation = 0;
  text_buffer b = {0};
  if (!PyArg_ParseTuple(args, "zipi", &o.what, &notation, &o.numbers, &o.max_terms)) return NULL;
  o.notation = (limb_notation)notation;
  watch w = {0};
  const limb_allocator watched = {watched_alloc, watched_free, &w};
  PyThreadState* state = PyEval_SaveThread();
  const limb_status s = limb_equations_write(robot_model(self), &o, &watched, text_append, &b, &e);
  PyEval_RestoreThread(state);
  PyObject* r = text_finish(&b);
  if (s == LIMB_OK) return r;
  Py_XDECREF(r);
  return raise_status(s, &e, NULL);
}

// _animate(times, rows of q, width, height) -> SVG
PyObject* robot_animate(PyObject* self, PyObject* args)
{
  const limb_model* m = robot_model(self);
  limb_animation_options o = limb_default_animation();
  PyObject *times = NULL, *rows = NULL, *r = NULL;
  limb_animation* a = NULL;
  char* text = NULL;
  size_t size = 0;
  if (!PyArg_ParseTuple(args, "OOii", &times, &rows, &o.width, &o.height)) return NULL;
  const Py_ssize_t n = PySequence_Size(times);
  double* q = malloc(((size_t)limb_nq(m) + 1) * sizeof *q);
  if (n < 0 || !q) {
    free(q);
    return n < 0 ? NULL : PyErr_NoMemory();
  }
  limb_status s = limb_animation_create(m, &o, &a);
  for (Py_ssize_t k = 0; k < n && s == LIMB_OK && !PyErr_Occurred(); k++) {
    PyObject *time = PySequence_GetItem(times, k), *row = PySequence_GetItem(rows, k);
    const double t = time ? PyFloat_AsDouble(time) : 0;
    if (!PyErr_Occurred() && row && read_numbers(row, "q", limb_nq(m), q) == 0) s = limb_animation_add(a, t, q);
    Py_XDECREF(time);
    Py_XDECREF(row);
  }
  FILE* file = s == LIMB_OK && !PyErr_Occurred() ? open_memstream(&text, &size) : NULL;
  if (file) {
    s = limb_animation_write(a, LIMB_PICTURE_SVG, file);
    if (fclose(file) != 0) s = LIMB_E_NOMEM;
    r = s == LIMB_OK ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace") : NULL;
  }
  free(text);
  free(q);
  limb_animation_destroy(a);
  return r || PyErr_Occurred() ? r : raise_status(s == LIMB_OK ? LIMB_E_NOMEM : s, NULL, NULL);
}
