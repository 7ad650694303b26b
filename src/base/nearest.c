// Edit distances after Damerau and Levenshtein, neighbours exchanged at most once; three rows of the table.
#include "base/nearest.h"

#include <string.h>

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

static int distance(const char* a, const char* b)
{
  enum { LONGEST = 63 };
  const size_t na = strlen(a), nb = strlen(b);
  if (na > LONGEST || nb > LONGEST) return LONGEST;
  int row[3][LONGEST + 1]; // the last three rows of the table, in turn
  for (size_t j = 0; j <= nb; j++) row[0][j] = (int)j;
  for (size_t i = 1; i <= na; i++) {
    int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      const char x = lower(a[i - 1]), y = lower(b[j - 1]);
      int best = last[j - 1] + (x != y);
      if (last[j] + 1 < best) best = last[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      const int crossed = i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y;
      if (crossed && before[j - 2] + 1 < best) best = before[j - 2] + 1;
      now[j] = best;
    }
  }
  return row[na % 3][nb];
}

const char* limb_nearest(const char* wrong, int count, limb_name_fn* name, const void* context)
{
  enum { LOOK_AT = 2000 };
  const int close = (int)strlen(wrong) / 3; // of a name with two letters only the case may be wrong
  const char* found = NULL;
  int least = close + 1;
  for (int i = 0; i < count && i < LOOK_AT; i++) {
    const char* candidate = name(context, i);
    const int d = distance(wrong, candidate);
    if (d >= least) continue;
    least = d;
    found = candidate;
  }
  return found;
}
