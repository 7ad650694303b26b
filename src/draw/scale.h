// Axes of drawings: values and pixels, ticks.
#ifndef LIMB_DRAW_SCALE_H
#define LIMB_DRAW_SCALE_H

#include <stddef.h>

typedef struct scale {
  double low, high;       // of the values
  double step;            // between ticks
  double at_low, at_high; // pixels
} scale;

// About `count` ticks. A range that is nothing but rounding becomes wider.
scale scale_make(double low, double high, double count, double at_low, double at_high);

// Of logarithms: ticks at whole ones, and the power of ten whose logarithm a tick is.
scale scale_decades(double low, double high, double count, double at_low, double at_high);
void scale_power_text(double x, char* text, size_t size);

double scale_pixel(const scale* s, double x);

// With a typographic minus sign, and no more digits than the step has.
void scale_tick_text(double x, double step, char* text, size_t size);

// The first tick; the ticks are the multiples of the step up to the second number.
long scale_first(const scale* s);
long scale_last(const scale* s);

#endif
