// Text of the demonstration: styles, sparklines, names of coordinates.
#define _POSIX_C_SOURCE 200809L // isatty, fileno

#include "demo.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Colour is for terminals; NO_COLOR (no-color.org) and TERM=dumb switch it off.
static bool has_colour(void)
{
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  if (no && *no) return false;
  return term && strcmp(term, "dumb") != 0 && isatty(fileno(stdout));
}

void demo_print(demo_style style, const char* text)
{
  static const char* const code[] = {"1", "32", "1;31"};
  if (has_colour()) {
    printf("\033[%sm%s\033[0m", code[style], text);
  } else {
    printf("%s", text);
  }
}

void demo_sparkline(int n, const double* x)
{
  static const char* const bar[8] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double least = x[0], most = x[0];
  for (int i = 1; i < n; i++) least = fmin(least, x[i]), most = fmax(most, x[i]);
  const double range = most - least;
  const bool flat = !(range > 1e-9 * fmax(fabs(least), fabs(most))); // nothing but rounding
  for (int i = 0; i < n; i++) {
    printf("%s", bar[flat ? 0 : (int)(7.999 * (x[i] - least) / range)]);
  }
}

void demo_velocity_name(const limb_model* m, int k, char* name, size_t size, const char** unit)
{
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    if (limb_get_joint(m, j, &info) != LIMB_OK || k < info.v || k >= info.v + info.nv) continue;
    const char* suffix = limb_v_suffix(info.def.type, k - info.v);
    (void)snprintf(name, size, "%s%s", info.def.name, suffix);
    const bool linear = info.def.type == LIMB_PRISMATIC || (suffix[0] && suffix[1] == 'v');
    *unit = linear ? "N" : "N m";
    return;
  }
}

void demo_keep(demo_run* run, limb_status status)
{
  if (run->status == LIMB_OK) run->status = status;
}
