// Uses an installed limb from C++: the headers are C++, and the symbols are found unmangled.
#include <cmath>
#include <cstdio>
#include <limb/limb.h>

int main()
{
  const sp_inertia ball = limb_inertia_sphere(2.0, 0.5);
  double theta[10];
  limb_inertia_to_parameters(&ball, theta);
  std::printf("%s: %g\n", limb_status_text(LIMB_OK), theta[9]);
  const bool right = std::fabs(theta[9] - 0.4 * 2.0 * 0.25) < 1e-15;
  return right && limb_version() == LIMB_VERSION ? 0 : 1;
}
