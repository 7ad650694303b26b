// Lists of numbers.
#include "io/numbers.h"

#include "base/number.h"
#include "io/blank.h"

#include <limits.h>
#include <math.h>
#include <string.h>

number_list limb_scan_list(const char* text, int most, double* x)
{
  number_list list = {0};
  const char* end = text + strlen(text);
  for (;;) {
    while (is_blank(*text)) text++;
    if (text == end || list.count == INT_MAX) return list;
    double number = 0;
    const char* next = limb_scan_number(text, end, &number);
    if (!next || !isfinite(number) || (next < end && !is_blank(*next))) {
      next = text;
      while (next < end && !is_blank(*next)) next++;
      if (!list.bad) {
        list.bad = text;
        list.bad_length = next - text < INT_MAX ? (int)(next - text) : INT_MAX;
      }
    } else if (list.count < most) {
      x[list.count] = number;
    }
    list.count++;
    text = next;
  }
}
