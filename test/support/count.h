// Operations that the kernels take on a robot, counted by running them over a scalar that counts.
//
// A multiplication and an addition that the machine fuses count one each. What multiplies or is added
// to a 0 or 1 that the class of a link fixes costs nothing, as in the compiled code; nor does a value
// that is never stored and never used. Robots with friction or springs count these, too. Compilers
// execute a few percent more or less than that: they compute some values that go unused, and share some.
#ifndef LIMB_TEST_COUNT_H
#define LIMB_TEST_COUNT_H

#include "limb/model.h"

typedef struct limb_count {
  long mul, add, div, sqrt, sincos; // add: subtractions as well; sincos: pairs of one angle
} limb_count;

limb_count limb_count_rnea(const limb_model* m);
limb_count limb_count_crba(const limb_model* m);
limb_count limb_count_coriolis(const limb_model* m);
limb_count limb_count_minv(const limb_model* m);
limb_count limb_count_regressor(const limb_model* m); // columns of the bodies alone
limb_count limb_count_aba(const limb_model* m);
limb_count limb_count_forward(const limb_model* m); // by the method of limb_forward_dynamics
limb_count limb_count_hybrid(const limb_model* m,
                             int forces);                  // given of the first so many velocities
limb_count limb_count_id_derivatives(const limb_model* m); // the forces, too, and M
limb_count limb_count_fd_derivatives(const limb_model* m); // the accelerations, too, and M^-1

// The same of a given state, with the answers of the counting kernels (default environment).
limb_count limb_counted_rnea(const limb_model* m, const double* q, const double* v, const double* a, double* tau);
limb_count limb_counted_crba(const limb_model* m, const double* q, double* M);
limb_count limb_counted_coriolis(const limb_model* m, const double* q, const double* v, double* C);
limb_count limb_counted_aba(const limb_model* m, const double* q, const double* v, const double* tau, double* a);

// out: nv accelerations, then nv forces.
limb_count limb_counted_hybrid(const limb_model* m, const double* q, const double* v, const unsigned char* given,
                               const double* x, double* out);

// out: nv forces or accelerations, then their derivatives by q, by v, and by what made them, nv x nv each.
limb_count limb_counted_id_derivatives(const limb_model* m, const double* q, const double* v, const double* a,
                                       double* out);
limb_count limb_counted_fd_derivatives(const limb_model* m, const double* q, const double* v, const double* tau,
                                       double* out);

#endif
