// What limb needs of XLA's foreign function interface, version 0 of its C API: the structs by which XLA calls handlers.
//
// Building limb needs no JAX. jaxlib has the API in xla/ffi/api/c_api.h; python/tests/xla_layout.c holds these structs
// against it. Structs of XLA start with their size, and grow at their ends only, while the major version stays.
#ifndef LIMB_PYTHON_XLA_H
#define LIMB_PYTHON_XLA_H

#include <stddef.h>
#include <stdint.h>

enum { XLA_MAJOR = 0, XLA_METADATA = 1, XLA_BUFFER = 1, XLA_STRING = 4, XLA_F32 = 11, XLA_F64 = 12 };
typedef enum xla_stage { XLA_EXECUTE = 3 } xla_stage;
typedef enum xla_code { XLA_INVALID_ARGUMENT = 3, XLA_FAILED_PRECONDITION = 9, XLA_INTERNAL = 13 } xla_code;

typedef struct xla_extension {
  size_t size;
  int type;
  struct xla_extension* next;
} xla_extension;

typedef struct xla_version {
  size_t size;
  xla_extension* extension;
  int major, minor;
} xla_version;

typedef struct xla_metadata { // of a handler, asked for by an extension of the call
  size_t size;
  xla_version version;
  uint32_t traits;
} xla_metadata;

typedef struct xla_metadata_extension {
  xla_extension base;
  xla_metadata* metadata;
} xla_metadata_extension;

typedef struct xla_error_arguments {
  size_t size;
  xla_extension* extension;
  const char* message;
  xla_code code;
} xla_error_arguments;

typedef struct xla_error xla_error;

typedef struct xla_api {
  size_t size;
  xla_extension* extension;
  xla_version version;
  const void* internal;
  xla_error* (*create_error)(xla_error_arguments* args);
} xla_api;

typedef struct xla_buffer {
  size_t size;
  xla_extension* extension;
  int type;
  void* data;
  int64_t rank;
  int64_t* dims;
} xla_buffer;

typedef struct xla_list { // of arguments or of results
  size_t size;
  xla_extension* extension;
  int64_t count;
  int* types;
  void** items;
} xla_list;

typedef struct xla_span {
  const char* text;
  size_t length;
} xla_span;

typedef struct xla_attributes {
  size_t size;
  xla_extension* extension;
  int64_t count;
  int* types;
  xla_span** names;
  void** values;
} xla_attributes;

typedef struct xla_frame { // a call
  size_t size;
  xla_extension* extension;
  const xla_api* api;
  void* context;
  xla_stage stage;
  xla_list arguments, results;
  xla_attributes attributes;
} xla_frame;

#endif
