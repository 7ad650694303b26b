// How exact the sines in a generated source are (emit_sines.c): test_generated.py compiles it with
//
//   SOURCE   the generated file
//   SINES    its function
//   REAL     double or float
//
// Prints the largest error over angles of all sizes up to the limit and next to multiples of pi/2, in units
// of the last place of REAL; of what is below LEAST, in units of the last place of LEAST.
#include SOURCE

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LEAST (sizeof(REAL) == sizeof(float) ? 1e-4L : 0.0L)

static double error_of(REAL is, long double right)
{
  int exponent;
  const long double size = fabsl(right) > LEAST ? fabsl(right) : LEAST;
  (void)frexpl(size, &exponent);
  const int digits = sizeof(REAL) == sizeof(float) ? FLT_MANT_DIG : DBL_MANT_DIG;
  return (double)(fabsl((long double)is - right) / ldexpl(1.0L, exponent - digits));
}

static double between(double low, double high) { return low + (high - low) * ((double)rand() / (double)RAND_MAX); }

static double angle(int i)
{
  const double multiple = floor(between(-63661, 63661)) * 1.57079632679489661923;
  switch (i % 5) {
  case 0: return between(-1e5, 1e5);
  case 1: return between(-4, 4);
  case 2: return multiple;
  case 3: return multiple * (1 + between(-1e-6, 1e-6));
  default: return between(-1, 1) * ldexp(1, -(i % 300));
  }
}

int main(void)
{
  enum { ANGLES = 1000000 };
  double most = 0;
  for (int i = 0; i < ANGLES; i++) {
    const REAL x = (REAL)angle(i);
    REAL s, c;
    SINES(1, &x, &s, &c);
    most = fmax(most, fmax(error_of(s, sinl((long double)x)), error_of(c, cosl((long double)x))));
  }
  printf("%.3f\n", most);
  return 0;
}
