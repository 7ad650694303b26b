// Decimal text to double and back, exact and without the locale.
#ifndef LIMB_NUMBER_H
#define LIMB_NUMBER_H

#include <stddef.h>

enum {
  LIMB_NUMBER_SPACE = 32 // what limb_print_number needs
};

// Scans a number at the start of [text, end): optional sign, digits with at most one point, optional
// exponent. The nearest double, ties to even; too large gives an infinity, too small a zero.
// Returns behind the number, or NULL when there is none. "nan", "inf" and hexadecimals are none.
const char* limb_scan_number(const char* text, const char* end, double* x);

// Writes x in the fewest digits (at most 17) that read back to x, like 0.1, -3, 1.5e-07, 1e+20; for what
// is not finite: nan, inf, -inf. Closed by a zero; returns the length.
size_t limb_print_number(double x, char text[LIMB_NUMBER_SPACE]);

// ---- units ----------------------------------------------------------------------------------------

// Exponents of m, kg, s and rad: radians count here, so that Hz is not rad/s.
typedef struct limb_dimension {
  int m, kg, s, rad;
} limb_dimension;

typedef struct limb_si_unit {
  const char* name;
  double factor; // to SI
  limb_dimension of;
} limb_si_unit;

// A unit by its name, such as mm or Nm; NULL when there is none.
const limb_si_unit* limb_find_unit(const char* word, size_t length);

// The i-th name, for limb_nearest; NULL behind the last.
const char* limb_unit_name(const void* context, int i);

// Adds those of a unit, times an exponent.
void limb_add_dimension(limb_dimension* sum, limb_dimension of, int exponent);

int limb_same_dimension(limb_dimension a, limb_dimension b);

// What has these units, as in "an angle: rad, deg"; NULL: nothing that has a name here.
const char* limb_dimension_text(limb_dimension of);

// Units in text < end, unit {("*" | "/") unit} with unit = word ["^" digit]: their factor and dimension. Returns the
// end; NULL when there is no such unit.
const char* limb_scan_units(const char* text, const char* end, double* factor, limb_dimension* of);

#endif
