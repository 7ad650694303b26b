// Axes of drawings.
#include "draw/scale.h"

#include <math.h>
#include <stdio.h>

// 1, 2 or 5 times a power of ten, about a count-th of the range.
static double nice_step(double range, double count)
{
  const double power = pow(10, floor(log10(range / count))), f = range / count / power;
  return power * (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10);
}

scale scale_make(double low, double high, double count, double at_low, double at_high)
{
  const double size = fmax(fabs(low), fabs(high));
  if (!(high - low > 1e-9 * size)) { // nothing but rounding, or one value
    const double half = size > 0 ? size / 2 : 1;
    low -= half, high += half;
  }
  const scale s = {low, high, nice_step(high - low, count), at_low, at_high};
  return s;
}

scale scale_decades(double low, double high, double count, double at_low, double at_high)
{
  scale s = scale_make(low, high, count, at_low, at_high);
  s.step = fmax(1, s.step);
  return s;
}

void scale_power_text(double x, char* text, size_t size)
{
  const int short_enough = x >= 0 && x <= 5;
  (void)snprintf(text, size, short_enough ? "%.0f" : "1e%.0f", short_enough ? pow(10, x) : x);
}

double scale_pixel(const scale* s, double x)
{
  return s->at_low + (x - s->low) / (s->high - s->low) * (s->at_high - s->at_low);
}

void scale_tick_text(double x, double step, char* text, size_t size)
{
  char digits[32];
  const double shown = fabs(x) < step / 1e3 ? 0 : fabs(x);
  const double whole = shown >= 1 && shown < 1e6 ? floor(log10(shown)) + 1 : 0; // 20000, not 2e+04
  const double count = shown > 0 ? fmax(whole, fmax(3, ceil(log10(shown / step)) + 1)) : 1;
  (void)snprintf(digits, sizeof digits, "%.*g", (int)count, shown);
  (void)snprintf(text, size, "%s%s", x < 0 && shown > 0 ? "\xe2\x88\x92" : "", digits);
}

long scale_first(const scale* s) { return (long)ceil(s->low / s->step - 1e-9); }
long scale_last(const scale* s) { return (long)floor(s->high / s->step + 1e-9); }
