// The sincos of one instruction set behind ordinary functions, so that one test reaches all.
#ifndef LIMB_TEST_SINCOS_ISA_H
#define LIMB_TEST_SINCOS_ISA_H

void test_sincos_f64_base(int n, const double* x, double* s, double* c);
void test_sincos_f32_base(int n, const float* x, float* s, float* c);

#if defined(__x86_64__)
void test_sincos_f64_v3(int n, const double* x, double* s, double* c);
void test_sincos_f32_v3(int n, const float* x, float* s, float* c);
void test_sincos_f64_v4(int n, const double* x, double* s, double* c);
void test_sincos_f32_v4(int n, const float* x, float* s, float* c);
#endif

#endif
