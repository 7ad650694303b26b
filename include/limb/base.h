// limb: robot dynamics in C. Status codes, error details, allocators.
//
// Conventions used by every header are in docs/conventions.md. In short: SI units and radians;
// spatial vectors angular first; quaternions x y z w; matrices dense, row-major, full.
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

/// 0x00MMmmpp; compare with limb_version(), which answers for the library that was linked.
#define LIMB_VERSION (LIMB_VERSION_MAJOR << 16 | LIMB_VERSION_MINOR << 8 | LIMB_VERSION_PATCH)

#if defined(__GNUC__)
#define LIMB_API       __attribute__((visibility("default")))
#define LIMB_NODISCARD __attribute__((warn_unused_result))
#else
#define LIMB_API
#define LIMB_NODISCARD
#endif

/// X(name, value, text): the one list of status codes. Values are pinned and never reused.
#define LIMB_STATUS_LIST(X)                                                                  \
  X(OK, 0, "success")                                                                        \
  X(E_ARG, -1, "invalid argument")                                                           \
  X(E_NOMEM, -2, "out of memory or buffer too small")                                        \
  X(E_ORDER, -3, "a call that must come first is missing, or a workspace was made for less") \
  X(E_SYNTAX, -10, "malformed input")                                                        \
  X(E_MODEL, -11, "inconsistent model")                                                      \
  X(E_UNSUPPORTED, -12, "valid input, but not supported by this build")                      \
  X(E_IO, -13, "cannot read or write")                                                       \
  X(E_SINGULAR, -20, "matrix is singular to working precision")                              \
  X(E_NOCONV, -21, "iteration did not converge")                                             \
  X(E_NONFINITE, -22, "an input or a result is not finite")

/// What a call came to: 0 is success, negative is failure.
typedef enum limb_status {
#define LIMB_X(name, value, text) LIMB_##name = (value),
  LIMB_STATUS_LIST(LIMB_X)
#undef LIMB_X
} limb_status;

/// One sentence about a status, never NULL.
LIMB_API const char* limb_status_text(limb_status status);

/// Version of the linked library as 0x00MMmmpp; compare with LIMB_VERSION.
LIMB_API uint32_t limb_version(void);

/// Filled by cold calls (build, read, write) when they fail; NULL is accepted everywhere.
typedef struct limb_error {
  limb_status status;
  int line, column; ///< position in the input text, 1-based; 0 when there is none
  char where[96];   ///< the thing that is wrong, e.g. "joint 'elbow'"
  char text[256];   ///< one sentence: what is wrong and what to do, no trailing newline
} limb_error;

/// Where cold calls take their memory from; NULL where one is taken means malloc and free.
typedef struct limb_allocator {
  void* (*alloc)(void* context, size_t size, size_t align); ///< NULL when out of memory
  void (*free)(void* context, void* memory, size_t size);
  void* context;
} limb_allocator;

/// Takes text, piece by piece.
typedef void limb_text_fn(void* context, const char* text);

// ---- the instruction set that the kernels use -------------------------------------------------------
//
// The instruction set that the kernels use.
//
// A build from source has kernels for the processor it was built on. The build for packages (preset dist)
// has them for base, v3 and v4: the levels of x86-64 with SSE2, AVX2 and FMA, AVX-512. A process uses one
// set, the best that was built and that its processor runs, chosen when the first model is built. If the
// processor runs none of them, no model can be built (LIMB_E_UNSUPPORTED).
//
// The environment variable LIMB_ISA asks for another set. It is read once, with that choice. If that set was
// not built or does not run, the best one below it is used, or else the best there is; an unknown name
// changes nothing. limb_isa_refused() reports both. Processors other than x86-64 have base only, with the
// vectors of the compiler's target (NEON, for example). Answers of two sets differ in their last bits.

/// "base", "v3" or "v4": what this process uses.
LIMB_API const char* limb_isa_name(void);

/// The value that LIMB_ISA has now, when it is not empty and not what this process uses; else NULL. It is the
/// environment's own text: read it before the environment changes.
LIMB_API const char* limb_isa_refused(void);

#ifdef __cplusplus
}
#endif

#endif
