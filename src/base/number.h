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

// A unit by its name, such as mm or Nm; NULL when there is none.
typedef struct limb_si_unit {
  const char* name;
  double factor; // to SI
  int of;        // LIMB_UNIT_ANGLE, LIMB_UNIT_TIME, 0: something else
} limb_si_unit;

enum { LIMB_UNIT_ANGLE = 1, LIMB_UNIT_TIME = 2 };

const limb_si_unit* limb_find_unit(const char* word, size_t length);

// The i-th name, for limb_nearest; NULL behind the last.
const char* limb_unit_name(const void* context, int i);

// Units in text < end, unit {("*" | "/") unit} with unit = word ["^" digit]: their factor, and whether they are those
// of an angle or its rates. Returns the end; NULL when there is no such unit.
const char* limb_scan_units(const char* text, const char* end, double* factor, int* angle);

#endif
