// Curves over time, as small multiples in SVG: a panel per series or per group of them, limits as dashed
// lines, events as upright ones. Values that are not finite are gaps.
//
// Rows are gathered in buckets that keep their least and largest value and when they were, so that no peak
// is lost; when the buckets are full, neighbours are merged. Memory does not grow with the number of rows.
#ifndef LIMB_CLI_PLOT_H
#define LIMB_CLI_PLOT_H

#include <stdint.h>
#include <stdio.h>

typedef struct plot_series {
  const char *name, *unit;
  double limit;      // of the magnitude; infinite: none. Not shown in panels of several series
  const char* panel; // series with the same name here, and the same unit, share a panel of that
                     // name; NULL: one of its own
} plot_series;

typedef struct plot_event {
  double x;
  const char* label;
} plot_event;

typedef struct plot_words {
  const char *title, *subtitle, *x_label;
  const plot_event* event; // in the order of x
  int events;
  int decades; // 1: x and values are logarithms to the base of ten, and shown as powers of it
} plot_words;

typedef struct plot_bucket plot_bucket;

typedef struct cli_plot {
  int series;
  int count;        // buckets in use
  uint64_t each;    // rows per bucket
  uint64_t in_last; // rows in the last one
  double first, last;
  plot_bucket* bucket; // bucket b of series k is at k * PLOT_BUCKETS + b
} cli_plot;

enum { PLOT_BUCKETS = 1024, PLOT_MOST = 60 }; // per series; panels on a page

// series at most PLOT_MOST. 1, or 0 when memory runs out.
int cli_plot_make(cli_plot* p, int series);
void cli_plot_free(cli_plot* p);

// One row: a value of x, which rises, and one per series; those that are not finite are left out.
void cli_plot_add(cli_plot* p, double x, const double* y);

void cli_plot_draw(const cli_plot* p, const plot_series* series, const plot_words* words, FILE* out);

#endif
