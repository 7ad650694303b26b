// Tables as HDF5: a dataset of 8-byte floats per column, with its unit as an attribute.
//
// libhdf5 is loaded at run time: it brings some thirty other libraries along, which every program would load otherwise.
// The types and functions below are those of version 1.10 and later.
#include "io/table.h"

#include "base/status.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// ---- the library -----------------------------------------------------------------------------------------

typedef int64_t hid_t; // negative: failure
typedef unsigned long long hsize_t;
typedef int herr_t; // negative: failure

enum { H5P_DEFAULT = 0, H5E_DEFAULT = 0, H5S_SCALAR = 0, H5S_SELECT_SET = 0 };
enum { H5F_SCOPE_GLOBAL = 1, H5F_ACC_TRUNC = 2 };

#define HDF5_FUNCTIONS(X)                                                                                             \
  X(herr_t, H5open, (void))                                                                                           \
  X(herr_t, H5get_libversion, (unsigned* major, unsigned* minor, unsigned* release))                                  \
  X(herr_t, H5Eset_auto2, (hid_t stack, void* function, void* data))                                                  \
  X(hid_t, H5Fcreate, (const char* name, unsigned flags, hid_t create, hid_t access))                                 \
  X(herr_t, H5Fflush, (hid_t object, int scope))                                                                      \
  X(herr_t, H5Fclose, (hid_t file))                                                                                   \
  X(hid_t, H5Pcreate, (hid_t type))                                                                                   \
  X(herr_t, H5Pset_chunk, (hid_t list, int rank, const hsize_t* size))                                                \
  X(herr_t, H5Pset_chunk_cache, (hid_t list, size_t slots, size_t bytes, double preemption))                          \
  X(herr_t, H5Pset_obj_track_times, (hid_t list, _Bool track))                                                        \
  X(herr_t, H5Pset_create_intermediate_group, (hid_t list, unsigned create))                                          \
  X(herr_t, H5Pclose, (hid_t list))                                                                                   \
  X(hid_t, H5Screate, (int type))                                                                                     \
  X(hid_t, H5Screate_simple, (int rank, const hsize_t* size, const hsize_t* max))                                     \
  X(herr_t, H5Sselect_hyperslab,                                                                                      \
    (hid_t space, int op, const hsize_t* start, const hsize_t* stride, const hsize_t* count, const hsize_t* block))   \
  X(herr_t, H5Sclose, (hid_t space))                                                                                  \
  X(hid_t, H5Tcopy, (hid_t type))                                                                                     \
  X(herr_t, H5Tset_size, (hid_t type, size_t size))                                                                   \
  X(herr_t, H5Tclose, (hid_t type))                                                                                   \
  X(hid_t, H5Acreate2, (hid_t at, const char* name, hid_t type, hid_t space, hid_t create, hid_t access))             \
  X(herr_t, H5Awrite, (hid_t attribute, hid_t type, const void* data))                                                \
  X(herr_t, H5Aclose, (hid_t attribute))                                                                              \
  X(hid_t, H5Dcreate2, (hid_t at, const char* name, hid_t type, hid_t space, hid_t link, hid_t create, hid_t access)) \
  X(herr_t, H5Dset_extent, (hid_t set, const hsize_t* size))                                                          \
  X(herr_t, H5Dflush, (hid_t set))                                                                                    \
  X(hid_t, H5Dget_space, (hid_t set))                                                                                 \
  X(herr_t, H5Dwrite, (hid_t set, hid_t memory, hid_t memory_space, hid_t file_space, hid_t how, const void* data))   \
  X(herr_t, H5Dclose, (hid_t set))

// Variables of the library, which H5open sets.
#define HDF5_VALUES(X)           \
  X(H5T_C_S1_g)                  \
  X(H5T_IEEE_F64LE_g)            \
  X(H5T_NATIVE_DOUBLE_g)         \
  X(H5P_CLS_DATASET_CREATE_ID_g) \
  X(H5P_CLS_DATASET_ACCESS_ID_g) \
  X(H5P_CLS_LINK_CREATE_ID_g)

typedef struct hdf5 {
#define HDF5_MEMBER(type, name, parameters) type(*name) parameters;
  HDF5_FUNCTIONS(HDF5_MEMBER)
#undef HDF5_MEMBER
#define HDF5_MEMBER(name) hid_t name;
  HDF5_VALUES(HDF5_MEMBER)
#undef HDF5_MEMBER
} hdf5;

// The names of Debian and of others; without development packages they end in a number.
static void* open_library(void)
{
  static const char* const names[] = {"libhdf5_serial.so", "libhdf5.so"};
  static const char* const numbers[] = {"", ".320", ".310", ".200", ".103", ".101", ".100"};
  void* library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers && !library; k++) {
      char name[32];
      (void)snprintf(name, sizeof name, "%s%s", names[i], numbers[k]);
      library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
  }
  return library;
}

// 1 if all functions exist. POSIX allows this conversion to function pointers.
static int find_functions(void* library, hdf5* h)
{
  int found = 1;
#define FIND(type, name, parameters) found &= (*(void**)& h->name = dlsym(library, #name)) != NULL;
  HDF5_FUNCTIONS(FIND)
#undef FIND
  return found;
}

static int find_values(void* library, hdf5* h)
{
  int found = 1;
#define FIND(name)                              \
  {                                             \
    const hid_t* value = dlsym(library, #name); \
    if (value) h->name = *value;                \
    found &= value != NULL;                     \
  }
  HDF5_VALUES(FIND)
#undef FIND
  return found;
}

// NULL, or why libhdf5 cannot be used.
static const char* load(hdf5* h)
{
  unsigned version[3] = {0};
  void* library = open_library();
  if (!library) return "libhdf5 is not installed";
  if (!find_functions(library, h)) return "this libhdf5 lacks a function";
  if (h->H5get_libversion(&version[0], &version[1], &version[2]) < 0 || (version[0] == 1 && version[1] < 10))
    return "this libhdf5 is older than 1.10";
  if (h->H5open() < 0 || !find_values(library, h)) return "this libhdf5 does not start";
  return NULL;
}

// ---- writing ---------------------------------------------------------------------------------------------

enum { ROWS = 512 }; // buffered

typedef struct h5 {
  hdf5 lib;
  hid_t file;
  hid_t* set;     // one per column
  double* buffer; // columns x ROWS
  int count;      // rows in it
  hsize_t written;
  bool failed;
} h5;

static void set_unit(const hdf5* lib, hid_t set, const char* unit)
{
  if (!unit || !*unit) return;
  const hid_t type = lib->H5Tcopy(lib->H5T_C_S1_g), space = lib->H5Screate(H5S_SCALAR);
  (void)lib->H5Tset_size(type, strlen(unit));
  const hid_t a = lib->H5Acreate2(set, "unit", type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (a >= 0) (void)lib->H5Awrite(a, type, unit), (void)lib->H5Aclose(a);
  (void)lib->H5Tclose(type);
  (void)lib->H5Sclose(space);
}

static hid_t make_set(const h5* h, const limb_table_column* column)
{
  const hdf5* lib = &h->lib;
  const hsize_t none = 0, any = (hsize_t)-1, chunk = ROWS;
  const hid_t space = lib->H5Screate_simple(1, &none, &any), how = lib->H5Pcreate(lib->H5P_CLS_DATASET_CREATE_ID_g);
  const hid_t link = lib->H5Pcreate(lib->H5P_CLS_LINK_CREATE_ID_g);
  const hid_t access = lib->H5Pcreate(lib->H5P_CLS_DATASET_ACCESS_ID_g);
  (void)lib->H5Pset_chunk_cache(access, 0, 0, 1); // what cannot be written fails at once
  (void)lib->H5Pset_chunk(how, 1, &chunk);
  (void)lib->H5Pset_obj_track_times(how, 0); // the same run gives the same bytes
  (void)lib->H5Pset_create_intermediate_group(link, 1);
  const hid_t set = lib->H5Dcreate2(h->file, column->name, lib->H5T_IEEE_F64LE_g, space, link, how, access);
  if (set >= 0) set_unit(lib, set, column->unit);
  (void)lib->H5Pclose(link);
  (void)lib->H5Pclose(access);
  (void)lib->H5Pclose(how);
  (void)lib->H5Sclose(space);
  return set;
}

static limb_status hdf5_open(limb_table_writer* w, const limb_table_column* column, limb_error* err)
{
  const size_t n = (size_t)w->columns;
  h5* h = calloc(1, sizeof *h);
  w->own = h;
  if (!h) return LIMB_E_NOMEM;
  h->file = -1;
  for (int k = 0; k < w->columns; k++)
    if (column[k].kind == LIMB_TABLE_TEXT)
      return limb_fail(err, LIMB_E_UNSUPPORTED, "table",
                       "'%.80s' is a text, which HDF5 files here cannot have: use "
                       ".arrow or .csv",
                       column[k].name);
  const char* why = load(&h->lib);
  if (why)
    return limb_fail(err, LIMB_E_UNSUPPORTED, "table", "HDF5 cannot be loaded: %s; .csv and .npy need nothing", why);
  h->set = calloc(n, sizeof *h->set);
  h->buffer = calloc(n * ROWS, sizeof *h->buffer);
  if (!h->set || !h->buffer) return LIMB_E_NOMEM;
  for (size_t k = 0; k < n; k++) h->set[k] = -1;
  (void)h->lib.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  h->file = h->lib.H5Fcreate(w->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  for (size_t k = 0; k < n && h->file >= 0; k++) {
    h->set[k] = make_set(h, &column[k]);
    if (h->set[k] < 0) return LIMB_E_IO;
  }
  return h->file < 0 ? LIMB_E_IO : LIMB_OK;
}

// Sets the number of rows of all columns.
static bool set_rows(const h5* h, int columns, hsize_t rows)
{
  bool fine = true;
  for (int k = 0; k < columns; k++) fine = h->lib.H5Dset_extent(h->set[k], &rows) >= 0 && fine;
  return fine;
}

// Appends the buffered rows of a column, whose size includes them.
static bool append(const h5* h, int k)
{
  const hdf5* lib = &h->lib;
  const hsize_t count = (hsize_t)h->count;
  const hid_t all = lib->H5Dget_space(h->set[k]), some = lib->H5Screate_simple(1, &count, NULL);
  bool fine = lib->H5Sselect_hyperslab(all, H5S_SELECT_SET, &h->written, NULL, &count, NULL) >= 0;
  fine = fine &&
         lib->H5Dwrite(h->set[k], lib->H5T_NATIVE_DOUBLE_g, some, all, H5P_DEFAULT, h->buffer + (size_t)k * ROWS) >= 0;
  (void)lib->H5Sclose(some);
  (void)lib->H5Sclose(all);
  return fine;
}

// After a failure, such as a full disk, the columns keep the rows that were flushed before: HDF5 would fill the others
// with zeros.
static limb_status hdf5_flush(limb_table_writer* w)
{
  h5* h = w->own;
  if (h->failed) return LIMB_E_IO;
  const hsize_t rows = h->written + (hsize_t)h->count;
  bool fine = h->count == 0 || set_rows(h, w->columns, rows);
  for (int k = 0; k < w->columns && fine && h->count > 0; k++) fine = append(h, k);
  fine = fine && h->lib.H5Fflush(h->file, H5F_SCOPE_GLOBAL) >= 0;
  h->failed = !fine;
  h->count = 0;
  if (fine) {
    h->written = rows;
    return LIMB_OK;
  }
  (void)set_rows(h, w->columns, h->written);
  for (int k = 0; k < w->columns; k++) (void)h->lib.H5Dflush(h->set[k]); // one may fail, the others need not
  return LIMB_E_IO;
}

static limb_status hdf5_row(limb_table_writer* w, const double* x, const char* const* text)
{
  (void)text;
  h5* h = w->own;
  if (h->failed) return LIMB_E_IO;
  for (int k = 0; k < w->columns; k++) h->buffer[(size_t)k * ROWS + (size_t)h->count] = x[k];
  return ++h->count == ROWS ? hdf5_flush(w) : LIMB_OK;
}

// A second time it does nothing.
static bool close_file(h5* h, int columns)
{
  bool fine = true;
  for (int k = 0; k < columns && h->set; k++) {
    if (h->set[k] >= 0) fine = h->lib.H5Dclose(h->set[k]) >= 0 && fine;
    h->set[k] = -1;
  }
  if (h->file >= 0) fine = h->lib.H5Fclose(h->file) >= 0 && fine;
  h->file = -1;
  return fine;
}

static limb_status hdf5_end(limb_table_writer* w)
{
  h5* h = w->own;
  const limb_status s = hdf5_flush(w);
  h->failed = true; // nothing more is written
  return close_file(h, w->columns) || s != LIMB_OK ? s : LIMB_E_IO;
}

static void hdf5_free(limb_table_writer* w)
{
  h5* h = w->own;
  if (!h) return;
  (void)close_file(h, w->columns);
  free(h->set);
  free(h->buffer);
  free(h);
}

const table_format limb_table_hdf5 = {hdf5_open, hdf5_row, hdf5_flush, hdf5_end, hdf5_free};
