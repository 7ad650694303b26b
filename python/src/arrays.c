// Numbers of Python objects: by the buffer protocol, and for arrays of NumPy without asking through it.
//
// NumPy is not needed to build this. At run time, new arrays are made by its C function for that, which is found in the
// table that it publishes (numpy.core.multiarray._ARRAY_API), and one-dimensional arrays are read where their struct
// has the numbers. Both belong to its ABI, which has been the same since 1.7 in what is used here; array_start checks
// the version and a sample, and does without if either is unknown.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"

// The beginnings of NumPy's structs.
typedef struct numpy_type {
  PyObject_HEAD PyTypeObject* scalar;
  char kind, type, byteorder, flags;
  int number;
} numpy_type;

typedef struct numpy_array {
  PyObject_HEAD char* data;
  int ndim;
  Py_ssize_t *shape, *stride;
  PyObject* base;
  numpy_type* dtype;
  int flags;
} numpy_array;

enum { NUMPY_FLOAT = 11, NUMPY_DOUBLE = 12, NUMPY_ALIGNED = 0x100, NUMPY_WRITEABLE = 0x400 };
enum { NUMPY_VERSION = 0, NUMPY_ARRAY_TYPE = 2, NUMPY_NEW = 93 }; // places in the table

typedef PyObject* numpy_new(PyTypeObject* type, int ndim, const Py_ssize_t* shape, int number,
                            const Py_ssize_t* strides, void* data, int itemsize, int flags, PyObject* object);

static struct {
  PyTypeObject* array_type;
  numpy_new* create;           // NULL: unknown ABI
  int direct;                  // 1: structs are as above
  PyObject *empty, *f32, *f64; // numpy.empty and the two types
  PyObject* convert;           // limb._arrays.as_double
} numpy;

// ---- finding NumPy -------------------------------------------------------------------------------------------

// The table of C functions; NULL, without an exception, if there is none of a known version.
static void** find_table(PyObject* module)
{
  PyObject* core = PyImport_ImportModule("numpy._core.multiarray"); // NumPy 2
  if (!core) {
    PyErr_Clear();
    core = PyImport_ImportModule("numpy.core.multiarray");
  }
  PyObject* capsule = core ? PyObject_GetAttrString(core, "_ARRAY_API") : NULL;
  void** table = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
  Py_XDECREF(core);
  PyErr_Clear();
  if (table) {
    unsigned (*version)(void) = NULL;
    memcpy(&version, &table[NUMPY_VERSION], sizeof version);
    const unsigned abi = version();
    if ((abi != 0x01000009 && abi != 0x02000000) || table[NUMPY_ARRAY_TYPE] != (void*)numpy.array_type) table = NULL;
  }
  if (capsule && PyModule_AddObjectRef(module, "_numpy", capsule) < 0) table = NULL; // stays
  Py_XDECREF(capsule);
  return table;
}

// Whether the struct of a sample says what the buffer protocol says.
static int sample_agrees(void)
{
  const Py_ssize_t shape[] = {2, 3};
  char* data = NULL;
  PyObject* sample = array_new('f', 2, shape, &data);
  Py_buffer view;
  if (!sample || PyObject_GetBuffer(sample, &view, PyBUF_STRIDED) < 0) {
    Py_XDECREF(sample);
    PyErr_Clear();
    return 0;
  }
  const numpy_array* a = (const numpy_array*)(void*)sample;
  const int agrees = a->data == view.buf && a->ndim == 2 && a->shape[0] == 2 && a->shape[1] == 3 &&
                     a->stride[0] == view.strides[0] && a->stride[1] == view.strides[1] &&
                     (a->flags & (NUMPY_ALIGNED | NUMPY_WRITEABLE)) == (NUMPY_ALIGNED | NUMPY_WRITEABLE) &&
                     a->dtype->kind == 'f' && a->dtype->type == 'f' && a->dtype->byteorder == '=' &&
                     a->dtype->number == NUMPY_FLOAT;
  PyBuffer_Release(&view);
  Py_DECREF(sample);
  return agrees;
}

int array_start(PyObject* module)
{
  PyObject* package = PyImport_ImportModule("numpy");
  PyObject* own = package ? PyImport_ImportModule("limb._arrays") : NULL;
  PyObject* type = own ? PyObject_GetAttrString(package, "ndarray") : NULL;
  if (type) {
    numpy.array_type = (PyTypeObject*)(void*)type;
    numpy.empty = PyObject_GetAttrString(package, "empty");
    numpy.f32 = PyObject_GetAttrString(package, "float32");
    numpy.f64 = PyObject_GetAttrString(package, "float64");
    numpy.convert = PyObject_GetAttrString(own, "as_double");
  }
  Py_XDECREF(package);
  Py_XDECREF(own);
  if (!numpy.empty || !numpy.f32 || !numpy.f64 || !numpy.convert) return -1;
  void** table = find_table(module);
  if (table) {
    memcpy(&numpy.create, &table[NUMPY_NEW], sizeof numpy.create);
    numpy.direct = sample_agrees();
    if (!numpy.direct) numpy.create = NULL;
  }
  return 0;
}

// ---- opening -------------------------------------------------------------------------------------------------

static int type_of_format(const char* format, Py_ssize_t itemsize)
{
  const uint16_t one = 1;
  const int little = *(const unsigned char*)&one;
  if (!format) return 0;
  if (*format == '@' || *format == '=' || (little && *format == '<')) format++;
  if (format[0] == 'd' && !format[1] && itemsize == sizeof(double)) return 'd';
  if (format[0] == 'f' && !format[1] && itemsize == sizeof(float)) return 'f';
  return 0;
}

// ctypes leaves them out, though asked: rows follow each other.
static int fill_strides(array* a)
{
  Py_ssize_t step = a->view.itemsize;
  if (a->ndim > ARRAY_DIMS) {
    PyErr_SetString(PyExc_ValueError, "too many dimensions");
    return -1;
  }
  for (int k = a->ndim - 1; k >= 0; k--) {
    a->dense[k] = step;
    step *= a->shape[k];
  }
  a->stride = a->dense;
  return 0;
}

static int open_view(array* a, PyObject* object, int flags)
{
  if (PyObject_GetBuffer(object, &a->view, flags | PyBUF_FORMAT) < 0) return -1;
  a->viewed = 1;
  a->data = a->view.buf;
  a->type = (char)type_of_format(a->view.format, a->view.itemsize);
  a->ndim = a->view.ndim;
  a->shape = a->view.shape, a->stride = a->view.strides;
  return a->stride ? 0 : fill_strides(a);
}

// One state in an array of NumPy, of so many dimensions: no other thread runs until the call is over, which could give
// the array another shape.
static int open_direct(array* a, PyObject* object, int ndim, int flags)
{
  if (!numpy.direct || Py_TYPE(object) != numpy.array_type) return 0;
  const numpy_array* x = (const numpy_array*)(void*)object;
  const int number = x->dtype->number;
  if (x->ndim != ndim || (x->flags & flags) != flags || x->dtype->byteorder == '>' ||
      (number != NUMPY_DOUBLE && number != NUMPY_FLOAT))
    return 0;
  a->data = x->data;
  a->type = number == NUMPY_DOUBLE ? 'd' : 'f';
  a->ndim = ndim;
  a->shape = x->shape, a->stride = x->stride;
  return 1;
}

int array_open(array* a, PyObject* object, int state, const char* what, const char* name)
{
  a->owner = NULL, a->viewed = 0;
  if (open_direct(a, object, state, NUMPY_ALIGNED)) return 0;
  if (PyObject_CheckBuffer(object)) {
    if (open_view(a, object, PyBUF_STRIDED_RO) == 0) {
      if (a->type) return 0;
      array_close(a);
    } else {
      array_close(a);
      PyErr_Clear(); // such as a view that is not strided
    }
  }
  a->owner = PyObject_CallFunction(numpy.convert, "Oss", object, what, name);
  if (!a->owner) return -1;
  if (open_view(a, a->owner, PyBUF_STRIDED_RO) == 0 && a->type) return 0;
  if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s(): %s is not an array of numbers", what, name);
  array_close(a);
  return -1;
}

int array_open_out(array* a, PyObject* object, int state, const char* what)
{
  a->owner = NULL, a->viewed = 0;
  if (open_direct(a, object, state, NUMPY_ALIGNED | NUMPY_WRITEABLE)) return 0;
  if (!PyObject_CheckBuffer(object)) {
    PyErr_Format(PyExc_TypeError, "%s(): out is not an array that can be written", what);
    return -1;
  }
  if (open_view(a, object, PyBUF_STRIDED) < 0) {
    array_close(a);
    return -1;
  }
  if (a->type) return 0;
  array_close(a);
  PyErr_Format(PyExc_TypeError, "%s(): out has neither float64 nor float32 numbers", what);
  return -1;
}

void array_close(array* a)
{
  if (a->viewed) PyBuffer_Release(&a->view);
  a->viewed = 0;
  Py_CLEAR(a->owner);
}

// ---- making --------------------------------------------------------------------------------------------------

static PyObject* new_by_name(char type, int ndim, const Py_ssize_t* shape, char** data)
{
  PyObject* tuple = PyTuple_New(ndim);
  for (int k = 0; tuple && k < ndim; k++) {
    PyObject* length = PyLong_FromSsize_t(shape[k]);
    if (!length || PyTuple_SetItem(tuple, k, length) < 0) Py_CLEAR(tuple);
  }
  if (!tuple) return NULL;
  PyObject* r = PyObject_CallFunctionObjArgs(numpy.empty, tuple, type == 'd' ? numpy.f64 : numpy.f32, NULL);
  Py_DECREF(tuple);
  Py_buffer view;
  if (r && PyObject_GetBuffer(r, &view, PyBUF_STRIDED) < 0) Py_CLEAR(r);
  if (!r) return NULL;
  *data = view.buf;
  PyBuffer_Release(&view); // nobody else has the array
  return r;
}

PyObject* array_new(char type, int ndim, const Py_ssize_t* shape, char** data)
{
  if (!numpy.create) return new_by_name(type, ndim, shape, data);
  PyObject* r =
    numpy.create(numpy.array_type, ndim, shape, type == 'd' ? NUMPY_DOUBLE : NUMPY_FLOAT, NULL, NULL, 0, 0, NULL);
  if (r) *data = ((const numpy_array*)(void*)r)->data;
  return r;
}

// ---- copying -------------------------------------------------------------------------------------------------

static size_t size_of(char type) { return type == 'd' ? sizeof(double) : sizeof(float); }

int array_is_contiguous(const array* a)
{
  Py_ssize_t step = (Py_ssize_t)size_of(a->type);
  if ((uintptr_t)a->data % size_of(a->type)) return 0;
  for (int k = a->ndim - 1; k >= 0; k--) {
    if (a->shape[k] == 0) return 1;
    if (a->shape[k] != 1 && a->stride[k] != step) return 0;
    step *= a->shape[k];
  }
  return 1;
}

// Numbers need not be aligned.
static void copy_number(char to_type, char* to, char from_type, const char* from)
{
  double x = 0;
  float f = 0;
  if (from_type == 'd')
    memcpy(&x, from, sizeof x);
  else {
    memcpy(&f, from, sizeof f);
    x = (double)f;
  }
  f = (float)x;
  memcpy(to, to_type == 'd' ? (const void*)&x : (const void*)&f, size_of(to_type));
}

// The next index of a shape, the last axis fastest, with its place in bytes. 0: it was the last.
static int next_index(int ndim, const Py_ssize_t* shape, const Py_ssize_t* stride, Py_ssize_t* index, Py_ssize_t* place)
{
  for (int k = ndim - 1; k >= 0; k--) {
    *place += stride[k];
    if (++index[k] < shape[k]) return 1;
    *place -= index[k] * stride[k];
    index[k] = 0;
  }
  return 0;
}

void array_gather(const array* a, int inner, int lead, const Py_ssize_t* shape, size_t width, char type, void* to)
{
  Py_ssize_t stride[ARRAY_DIMS], index[ARRAY_DIMS] = {0}, place = 0;
  const int own = a->ndim - inner; // the last leading dimensions
  const Py_ssize_t step = inner ? a->stride[own] : 0;
  char* x = to;
  for (int k = 0; k < lead; k++) {
    const int of = k - (lead - own);
    stride[k] = of < 0 || a->shape[of] == 1 ? 0 : a->stride[of];
  }
  do {
    for (size_t i = 0; i < width; i++, x += size_of(type))
      copy_number(type, x, a->type, a->data + place + (Py_ssize_t)i * step);
  } while (next_index(lead, shape, stride, index, &place));
}

void array_scatter(const array* a, char type, const void* from)
{
  Py_ssize_t index[ARRAY_DIMS + LIMB_QUANTITY_AXES_MAX] = {0}, place = 0;
  const char* x = from;
  do {
    copy_number(a->type, a->data + place, type, x);
    x += size_of(type);
  } while (next_index(a->ndim, a->shape, a->stride, index, &place));
}
