#include "compare.h"

#include <math.h>

double cli_draw(uint64_t* seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

double cli_differ(size_t n, const double* x, const double* y, double size)
{
  double off = 0;
  for (size_t i = 0; i < n; i++) {
    const double d = fabs(x[i] - y[i]);
    if (!isfinite(d)) return HUGE_VAL; // fmax would forget it
    off = fmax(off, d);
    size = fmax(size, fmax(fabs(x[i]), fabs(y[i])));
  }
  return size > 0 ? off / size : 0;
}
