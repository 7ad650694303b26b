// The part of HDF5 that the tool uses. The library is loaded when a file of this format is asked for: it
// brings some thirty others along, which every command would load otherwise. Since version 1.10 its types and
// functions are as they are declared here.
#ifndef LIMB_CLI_HDF5_H
#define LIMB_CLI_HDF5_H

#include <stddef.h>
#include <stdint.h>

typedef int64_t hid_t; // negative: it failed
typedef unsigned long long hsize_t;
typedef int herr_t; // negative: it failed

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
  X(herr_t, H5Pset_obj_track_times, (hid_t list, _Bool track))                                                        \
  X(herr_t, H5Pset_create_intermediate_group, (hid_t list, unsigned create))                                          \
  X(herr_t, H5Pclose, (hid_t list))                                                                                   \
  X(hid_t, H5Screate, (int type))                                                                                     \
  X(hid_t, H5Screate_simple, (int rank, const hsize_t* size, const hsize_t* most))                                    \
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
  X(hid_t, H5Dget_space, (hid_t set))                                                                                 \
  X(herr_t, H5Dwrite, (hid_t set, hid_t memory, hid_t memory_space, hid_t file_space, hid_t how, const void* data))   \
  X(herr_t, H5Dclose, (hid_t set))

// Variables of the library, which H5open sets.
#define HDF5_VALUES(X)           \
  X(H5T_C_S1_g)                  \
  X(H5T_IEEE_F64LE_g)            \
  X(H5T_NATIVE_DOUBLE_g)         \
  X(H5P_CLS_DATASET_CREATE_ID_g) \
  X(H5P_CLS_LINK_CREATE_ID_g)

typedef struct hdf5 {
#define HDF5_MEMBER(type, name, parameters) type(*name) parameters;
  HDF5_FUNCTIONS(HDF5_MEMBER)
#undef HDF5_MEMBER
#define HDF5_MEMBER(name) hid_t name;
  HDF5_VALUES(HDF5_MEMBER)
#undef HDF5_MEMBER
} hdf5;

// The library; NULL, and why not in a few words.
const hdf5* cli_hdf5(const char** why);

#endif
