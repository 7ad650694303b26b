#include "linalg/singular_values.h"

#include "linalg/dot.h"

#include <float.h>
#include <math.h>

enum { SWEEPS = 60 };

// Turns rows x and y in their plane by the smaller angle that makes them orthogonal; false when they are
// already, or when one of them is rounding (its square below floor).
//   cot 2phi = (y.y - x.x) / (2 x.y) = zeta,   t = tan phi = sign(zeta) / (|zeta| + sqrt(1 + zeta^2))
static bool turn(size_t n, double floor, double* x, double* y)
{
  const double xx = limb_dot(n, x, x), yy = limb_dot(n, y, y), xy = limb_dot(n, x, y);
  if (xx <= floor || yy <= floor) return false;
  if (fabs(xy) <= 4 * DBL_EPSILON * sqrt(xx) * sqrt(yy)) return false;
  const double zeta = (yy - xx) / (2 * xy);
  const double t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  const double c = 1 / sqrt(1 + t * t), s = c * t;
  for (size_t k = 0; k < n; k++) {
    const double u = x[k];
    x[k] = c * u - s * y[k];
    y[k] = s * u + c * y[k];
  }
  return true;
}

static void sort_down(int n, double* x)
{
  for (int i = 1; i < n; i++) {
    const double key = x[i];
    int j = i;
    for (; j > 0 && x[j - 1] < key; j--) x[j] = x[j - 1];
    x[j] = key;
  }
}

bool limb_singular_values(int rows, int columns, double* A, double* sigma)
{
  const size_t m = (size_t)rows, n = (size_t)columns;
  double most = 0;
  for (size_t i = 0; i < m; i++) most = fmax(most, limb_dot(n, A + i * n, A + i * n));
  const double floor = most * DBL_EPSILON * DBL_EPSILON;
  bool turned = true;
  for (int sweep = 0; turned; sweep++) {
    if (sweep == SWEEPS) return false;
    turned = false;
    for (size_t i = 0; i < m; i++) {
      for (size_t j = i + 1; j < m; j++) turned |= turn(n, floor, A + i * n, A + j * n);
    }
  }
  for (size_t i = 0; i < m; i++) sigma[i] = sqrt(limb_dot(n, A + i * n, A + i * n));
  sort_down(rows, sigma);
  return true;
}
