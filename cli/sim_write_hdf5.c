// Rows of a simulation as HDF5: a dataset of 8-byte floats per column, named like it, with its unit as an
// attribute.
#include "cli.h"
#include "hdf5.h"
#include "sim_writer.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 512 }; // that wait in memory

typedef struct h5 {
  const hdf5* to;
  hid_t file;
  hid_t* set;      // one per column, time first
  double* waiting; // columns x ROWS
  int count;       // rows in it
  hsize_t written;
} h5;

static int columns_of(const sim_writer* w) { return w->probe->count + 1; }

static int failed(const sim_writer* w) { return cli_usage(w->job->plan.args, "%s: HDF5 could not write it", w->path); }

static void set_unit(const hdf5* to, hid_t set, const char* unit)
{
  if (!*unit) return;
  const hid_t type = to->H5Tcopy(to->H5T_C_S1_g), space = to->H5Screate(H5S_SCALAR);
  (void)to->H5Tset_size(type, strlen(unit));
  const hid_t a = to->H5Acreate2(set, "unit", type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (a >= 0) (void)to->H5Awrite(a, type, unit), (void)to->H5Aclose(a);
  (void)to->H5Tclose(type);
  (void)to->H5Sclose(space);
}

static hid_t make_set(const h5* h, const char* name, const char* unit)
{
  const hdf5* to = h->to;
  const hsize_t none = 0, any = (hsize_t)-1, chunk = ROWS;
  const hid_t space = to->H5Screate_simple(1, &none, &any), how = to->H5Pcreate(to->H5P_CLS_DATASET_CREATE_ID_g);
  const hid_t link = to->H5Pcreate(to->H5P_CLS_LINK_CREATE_ID_g);
  (void)to->H5Pset_chunk(how, 1, &chunk);
  (void)to->H5Pset_obj_track_times(how, 0); // the same run, the same bytes
  (void)to->H5Pset_create_intermediate_group(link, 1);
  const hid_t set = to->H5Dcreate2(h->file, name, to->H5T_IEEE_F64LE_g, space, link, how, H5P_DEFAULT);
  if (set >= 0) set_unit(to, set, unit);
  (void)to->H5Pclose(link);
  (void)to->H5Pclose(how);
  (void)to->H5Sclose(space);
  return set;
}

static int hdf5_open(sim_writer* w)
{
  const int n = columns_of(w);
  const char* why;
  const hdf5* to = cli_hdf5(&why);
  if (!to)
    return sim_wrong(&w->job->plan, &w->run->file, "%s: HDF5 cannot be loaded: %s; .csv and .npy need nothing", w->path,
                     why);
  h5* h = calloc(1, sizeof *h);
  char name[SIM_NAME_SPACE] = "time";
  if (!h) return sim_out_of_memory(&w->job->plan);
  w->own = h;
  h->to = to;
  h->file = -1;
  h->set = calloc((size_t)n, sizeof *h->set);
  h->waiting = sim_zeros(n * ROWS);
  if (!h->set || !h->waiting) return sim_out_of_memory(&w->job->plan);
  for (int k = 0; k < n; k++) h->set[k] = -1;
  (void)h->to->H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  h->file = h->to->H5Fcreate(w->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (h->file < 0) return failed(w);
  for (int k = 0; k < n; k++) {
    if (k > 0) sim_probe_name(w->probe, k - 1, name, sizeof name);
    h->set[k] = make_set(h, name, k > 0 ? sim_probe_unit(w->probe, k - 1) : "s");
    if (h->set[k] < 0) return failed(w);
  }
  return EXIT_FINE;
}

static int append(const h5* h, int k)
{
  const hdf5* to = h->to;
  const hsize_t count = (hsize_t)h->count, size = h->written + count;
  if (to->H5Dset_extent(h->set[k], &size) < 0) return 0;
  const hid_t all = to->H5Dget_space(h->set[k]), some = to->H5Screate_simple(1, &count, NULL);
  int fine = to->H5Sselect_hyperslab(all, H5S_SELECT_SET, &h->written, NULL, &count, NULL) >= 0;
  fine = fine &&
         to->H5Dwrite(h->set[k], to->H5T_NATIVE_DOUBLE_g, some, all, H5P_DEFAULT, h->waiting + (size_t)k * ROWS) >= 0;
  (void)to->H5Sclose(some);
  (void)to->H5Sclose(all);
  return fine;
}

static int hdf5_flush(sim_writer* w)
{
  h5* h = w->own;
  int fine = 1;
  for (int k = 0; k < columns_of(w) && fine && h->count > 0; k++) fine = append(h, k);
  h->written += (hsize_t)h->count;
  h->count = 0;
  return fine && h->to->H5Fflush(h->file, H5F_SCOPE_GLOBAL) >= 0 ? EXIT_FINE : failed(w);
}

static int hdf5_row(sim_writer* w, const double* x)
{
  h5* h = w->own;
  for (int k = 0; k < columns_of(w); k++) h->waiting[(size_t)k * ROWS + (size_t)h->count] = x[k];
  return ++h->count == ROWS ? hdf5_flush(w) : EXIT_FINE;
}

static void hdf5_free(sim_writer* w)
{
  h5* h = w->own;
  if (!h) return;
  for (int k = 0; k < columns_of(w) && h->set; k++)
    if (h->set[k] >= 0) (void)h->to->H5Dclose(h->set[k]);
  if (h->file >= 0) (void)h->to->H5Fclose(h->file);
  free(h->set);
  free(h->waiting);
  free(h);
}

const sim_format sim_hdf5 = {"HDF5", 1, hdf5_open, hdf5_row, hdf5_flush, hdf5_flush, hdf5_free};
