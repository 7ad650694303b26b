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

#endif
