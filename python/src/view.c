// The page of a robot and its motion (limb/view.h) as text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limb/edit.h"
#include "limb/view.h"
#include "binding.h"

// Notes of the page, as a list of texts.
static void keep_note(void* list, const char* text)
{
  PyObject* note = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  if (!note || PyList_Append(list, note) < 0) PyErr_Clear(); // a note less
  Py_XDECREF(note);
}

// Rows of numbers as bytes; NULL: there are none.
typedef struct motion {
  Py_ssize_t rows;
  const char* part[5]; // time q v a tau
  Py_ssize_t size[5];
} motion;

static limb_status add_rows(limb_view_page* page, const limb_model* m, const motion* x)
{
  const Py_ssize_t nq = limb_nq(m), nv = limb_nv(m), width[5] = {1, nq, nv, nv, nv};
  if (x->rows == 0) return LIMB_OK;
  for (int k = 0; k < 5; k++)
    if (x->part[k] && x->size[k] != x->rows * width[k] * (Py_ssize_t)sizeof(double)) return LIMB_E_ARG;
  limb_status s = limb_view_page_motion(page, (int)nq, (int)nv, 0);
  const double* p[5];
  for (int k = 0; k < 5; k++) p[k] = (const double*)(const void*)x->part[k]; // bytes of NumPy are aligned
  for (Py_ssize_t i = 0; i < x->rows && s == LIMB_OK; i++) {
    const limb_view_row row = {.time = p[0][i],
                               .q = p[1] + i * nq,
                               .v = p[2] ? p[2] + i * nv : NULL,
                               .a = p[3] ? p[3] + i * nv : NULL,
                               .tau = p[4] ? p[4] + i * nv : NULL};
    s = limb_view_page_add(page, &row);
  }
  return s;
}

static limb_status add_events(limb_view_page* page, PyObject* events)
{
  limb_status s = LIMB_OK;
  for (Py_ssize_t k = 0; k < PyList_Size(events) && s == LIMB_OK; k++) {
    double time = 0;
    const char* text = NULL;
    if (!PyArg_ParseTuple(PyList_GetItem(events, k), "ds", &time, &text)) return LIMB_E_ARG;
    s = limb_view_page_event(page, time, text);
  }
  return s;
}

static PyObject* write_page(limb_view_page* page, limb_status* s, limb_error* e)
{
  char* text = NULL;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  *s = file ? limb_view_page_write(page, file, e) : LIMB_E_NOMEM;
  if (file && fclose(file) != 0 && *s == LIMB_OK) *s = LIMB_E_NOMEM;
  PyObject* r = *s == LIMB_OK ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace") : NULL;
  free(text);
  return r;
}

// _view(html, title or None, arguments of load or None, max_bytes, rows, time, q, v, a, tau as bytes or None, events)
// -> (page, notes)
PyObject* robot_view(PyObject* self, PyObject* args)
{
  limb_view_page_options o = limb_default_view_page();
  PyObject *reading = NULL, *events = NULL, *r = NULL;
  motion x = {0};
  double max_bytes = 0;
  int check = 0;
  limb_reading* read = NULL;
  limb_builder* b = NULL;
  limb_view_page* page = NULL;
  limb_error e = {.status = LIMB_OK};
  if (!PyArg_ParseTuple(args, "szOdnz#z#z#z#z#O!", &o.html, &o.title, &reading, &max_bytes, &x.rows, &x.part[0],
                        &x.size[0], &x.part[1], &x.size[1], &x.part[2], &x.size[2], &x.part[3], &x.size[3], &x.part[4],
                        &x.size[4], &PyList_Type, &events))
    return NULL;
  PyObject* notes = PyList_New(0);
  if (!notes || (reading != Py_None && read_as(reading, 1, &read, &e, &check) < 0)) {
    Py_XDECREF(notes);
    return NULL;
  }
  o.max_bytes = max_bytes > 0 ? (size_t)max_bytes : 0;
  o.note = keep_note, o.context = notes;
  if (read && e.status == LIMB_OK) o.reading = read;
  limb_status s = limb_builder_from_model(robot_model(self), NULL, &b);
  if (s == LIMB_OK && o.reading) s = limb_builder_take_shapes(b, limb_reading_builder(read));
  if (s == LIMB_OK) s = limb_view_page_create(b, &o, &page, &e);
  if (s == LIMB_OK) s = add_rows(page, robot_model(self), &x);
  if (s == LIMB_OK) s = add_events(page, events);
  PyObject* text = s == LIMB_OK ? write_page(page, &s, &e) : NULL;
  if (text) r = Py_BuildValue("(NO)", text, notes);
  limb_view_page_destroy(page);
  limb_builder_destroy(b);
  limb_reading_destroy(read);
  Py_DECREF(notes);
  return r || PyErr_Occurred() ? r : raise_status(s, &e, NULL);
}
