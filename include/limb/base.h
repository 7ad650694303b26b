// limb: robot dynamics in C. Statuses, error details, allocators, version.
//
//     limb_error error;
//     if (limb_load("arm.urdf", NULL, &robot, &error) != LIMB_OK)
//       printf("%s: %s: %s\n", limb_status_text(error.status), error.where, error.text);
//
// docs/conventions.md has the conventions of all headers. In short: SI units and radians; spatial vectors with the
// angular part first; quaternions x y z w; matrices dense, row-major, full.
#ifndef LIMB_BASE_H
#define LIMB_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIMB_VERSION_MAJOR 0
#define LIMB_VERSION_MINOR 2
#define LIMB_VERSION_PATCH 0

/// 0x00MMmmpp, the version of these headers; limb_version() returns that of the linked library.
#define LIMB_VERSION (LIMB_VERSION_MAJOR << 16 | LIMB_VERSION_MINOR << 8 | LIMB_VERSION_PATCH)

#if defined(__GNUC__)
#define LIMB_API       __attribute__((visibility("default")))
#define LIMB_NODISCARD __attribute__((warn_unused_result))
#else
#define LIMB_API
#define LIMB_NODISCARD
#endif

/// X(name, value, text): all statuses. Values are pinned and never reused.
#define LIMB_STATUS_LIST(X)                                                                        \
  X(OK, 0, "success")                                                                              \
  X(E_ARG, -1, "invalid argument")                                                                 \
  X(E_NOMEM, -2, "out of memory or buffer too small")                                              \
  X(E_ORDER, -3, "a required earlier call is missing, or the workspace lacks what the call needs") \
  X(E_SYNTAX, -10, "malformed input")                                                              \
  X(E_MODEL, -11, "inconsistent model")                                                            \
  X(E_UNSUPPORTED, -12, "valid input, but not supported")                                          \
  X(E_IO, -13, "cannot read or write")                                                             \
  X(E_SINGULAR, -20, "matrix is singular to working precision")                                    \
  X(E_NOCONV, -21, "iteration did not converge")                                                   \
  X(E_NONFINITE, -22, "an input or a result is not finite")

/// Status of a call: 0 is success, negative is failure.
typedef enum limb_status {
#define LIMB_X(name, value, text) LIMB_##name = (value),
  LIMB_STATUS_LIST(LIMB_X)
#undef LIMB_X
} limb_status;

/// The text of a status, such as "invalid argument"; never NULL.
LIMB_API const char* limb_status_text(limb_status status);

/// The name of a list, ended by NULL, that was probably meant by a wrong one: the nearest one in which at most a third
/// of the letters, and at most four, are inserted, deleted, replaced or exchanged, or else one that begins with it.
/// Case does not count. The first 2000 names are compared, up to 63 letters. NULL: none, or an argument is NULL.
LIMB_API const char* limb_nearest_name(const char* wrong, const char* const* names);

/// Version of the linked library as 0x00MMmmpp; compare with LIMB_VERSION.
LIMB_API uint32_t limb_version(void);

/// Details of a failure, set by calls that are not time-critical (build, read, write). NULL is accepted everywhere.
typedef struct limb_error {
  limb_status status;
  int line, column; ///< position in the input text, 1-based; 0: none
  char where[96];   ///< what the error is about, such as "joint 'elbow'"
  char text[256];   ///< one sentence: what is wrong and what to do, without a newline at the end
} limb_error;

/// Source of memory. Where a call takes an allocator, NULL means malloc and free; an incomplete one (alloc or free is
/// NULL) is LIMB_E_ARG.
typedef struct limb_allocator {
  void* (*alloc)(void* context, size_t size, size_t align); ///< returns NULL if out of memory
  void (*free)(void* context, void* memory, size_t size);
  void* context;
} limb_allocator;

/// Receives text piece by piece.
typedef void limb_text_fn(void* context, const char* text);

// ---- the instruction set of the kernels -----------------------------------------------------------------
//
// A build from source has kernels for the processor it was built on. The build for packages (preset dist) has them
// for base, v3 and v4: the levels of x86-64 with SSE2, with AVX2 and FMA, and with AVX-512. A process uses one set:
// the best one built that its processor supports, chosen when the first model is built. If the processor supports
// none of them, no model can be built (LIMB_E_UNSUPPORTED). Processors other than x86-64 have base only, with the
// vectors of the compiler's target, such as NEON. Results of two sets differ in their last bits.
//
// The environment variable LIMB_ISA requests another set. It is read once, when the set is chosen. If the requested
// set was not built or is not supported by the processor, the best set below it is used, or else the best one
// available; an unknown name changes nothing. limb_isa_refused() reports both cases.

/// "base", "v3" or "v4": the set that this process uses.
LIMB_API const char* limb_isa_name(void);

/// The current value of LIMB_ISA if it is not empty and differs from the set in use; otherwise NULL. The string is
/// that of the environment: use it before the environment changes.
LIMB_API const char* limb_isa_refused(void);

#ifdef __cplusplus
}
#endif

#endif
