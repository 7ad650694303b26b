// The library's kernels over other scalars than double, and workspaces for them.
//
// The kernels are written once (src/kernel/kernel_set.h). Here they are compiled over float, and over
// complex numbers, with which a derivative is exact to rounding: Im f(x + i h) / h with a tiny h
// (Squire and Trapp, SIAM Review 40, 1998). The counting scalar has a header of its own, count.h.
#ifndef LIMB_TEST_SCALARS_H
#define LIMB_TEST_SCALARS_H

#include "kernel/tables.h"

#include <complex.h>
#undef I // it is an inertia in the kernels

LIMB_KERNEL_TYPES(limb_kernel_set_f32, float, limb_link_f32);
LIMB_KERNEL_TYPES(limb_kernel_set_c64, double complex, limb_link_f64);

typedef struct limb_kernel_set_f32 {
  LIMB_KERNEL(limb_kernel_set_f32, finite);
  LIMB_KERNEL(limb_kernel_set_f32, link_motion);
  LIMB_KERNEL(limb_kernel_set_f32, inverse_dynamics);
  LIMB_KERNEL(limb_kernel_set_f32, mass_matrix);
  LIMB_KERNEL(limb_kernel_set_f32, coriolis_matrix);
  LIMB_KERNEL(limb_kernel_set_f32, id_derivatives);
  LIMB_KERNEL(limb_kernel_set_f32, fd_derivatives);
  LIMB_KERNEL(limb_kernel_set_f32, aba);
  LIMB_KERNEL(limb_kernel_set_f32, by_mass_matrix);
  LIMB_KERNEL(limb_kernel_set_f32, hybrid);
  LIMB_KERNEL(limb_kernel_set_f32, hybrid_by_mass_matrix);
} limb_kernel_set_f32;

typedef struct limb_kernel_set_c64 {
  LIMB_KERNEL(limb_kernel_set_c64, link_motion);
  LIMB_KERNEL(limb_kernel_set_c64, inverse_dynamics);
  LIMB_KERNEL(limb_kernel_set_c64, mass_matrix);
  LIMB_KERNEL(limb_kernel_set_c64, coriolis_matrix);
  LIMB_KERNEL(limb_kernel_set_c64, id_derivatives);
  LIMB_KERNEL(limb_kernel_set_c64, fd_derivatives);
  LIMB_KERNEL(limb_kernel_set_c64, aba);
  LIMB_KERNEL(limb_kernel_set_c64, by_mass_matrix);
  LIMB_KERNEL(limb_kernel_set_c64, hybrid);
  LIMB_KERNEL(limb_kernel_set_c64, hybrid_by_mass_matrix);
} limb_kernel_set_c64;

extern const limb_kernel_set_f32 limb_kernels_f32;
extern const limb_kernel_set_c64 limb_kernels_c64;

// Workspace of a model's kernels over a scalar of any size.
typedef struct scalar_space {
  limb_ws ws;
  void* block;
  size_t size;
} scalar_space;

// Of a base at rest in the model's gravity. Aborts when out of memory.
scalar_space scalar_space_make(const limb_model* m, size_t scalar);
void scalar_space_free(scalar_space* s);

// d q / d t for velocities v: a step along it is what a derivative with respect to q means.
void configuration_rate(const limb_model* m, const double* q, const double* v, double* dq);

// The constants of all links in float; the caller frees them. Aborts when out of memory.
limb_link_f32* link_constants_f32(const limb_model* m);

#endif
