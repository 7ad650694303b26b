// Operation counts. The kernels are compiled once more over a scalar that counts instead of
// computing, so that the numbers are those of the code that is timed: a multiply-add is one
// multiplication and one addition, and what a kernel skips for the class of a joint is not counted.
// Beside them the published count of the recursive Newton-Euler algorithm for n revolute joints,
// 130 n - 68 multiplications and 101 n - 56 additions (seed 004).
#include "counts.h"

#include "support/count.h"

#include <stdio.h>

enum { COUNTED_LINKS = 100 }; // longer chains only repeat themselves; and trees only

typedef limb_count count_fn(const limb_model* model);

static const struct {
  const char* name;
  count_fn* count;
} kernels[] = {{"RNEA", limb_count_rnea},
               {"CRBA", limb_count_crba},
               {"ABA", limb_count_aba},
               {"Coriolis", limb_count_coriolis},
               {"dID", limb_count_id_derivatives},
               {"dFD", limb_count_fd_derivatives}};

enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static void print_text(const bench_robot* r)
{
  for (int k = 0; k < KERNELS; k++) {
    const limb_count c = kernels[k].count(r->model);
    printf("%-14s %6d  %-8s %9ld %9ld %7ld %7ld %7ld", r->name, r->nv, kernels[k].name, c.mul,
           c.add, c.div, c.sqrt, c.sincos);
    if (k == 0 && r->serial) printf("   %d %d", 130 * r->nv - 68, 101 * r->nv - 56);
    printf("\n");
  }
}

static void print_json(const bench_robot* r, int first)
{
  for (int k = 0; k < KERNELS; k++) {
    const limb_count c = kernels[k].count(r->model);
    printf(
      "%s\n    {\"robot\": \"%s\", \"dof\": %d, \"kernel\": \"%s\", \"mul\": %ld, \"add\": %ld, "
      "\"div\": %ld, \"sqrt\": %ld, \"sincos\": %ld}",
      first && k == 0 ? "" : ",", r->name, r->nv, kernels[k].name, c.mul, c.add, c.div, c.sqrt,
      c.sincos);
  }
}

static int is_counted(const bench_robot* r) { return r->nlink <= COUNTED_LINKS && !r->nrow; }

void bench_counts_print(const bench_robot* robots, int n, bench_format format)
{
  int first = 1;
  int counted = 0;
  for (int i = 0; i < n; i++) counted += is_counted(&robots[i]);
  if (format == BENCH_TEXT && counted) {
    printf("\noperations of one call\n%-14s %6s  %-8s %9s %9s %7s %7s %7s   %s\n", "robot", "dof",
           "kernel", "mul", "add", "div", "sqrt", "sincos", "published mul, add");
  }
  for (int i = 0; i < n; i++) {
    if (!is_counted(&robots[i])) continue;
    if (format == BENCH_JSON) print_json(&robots[i], first);
    if (format == BENCH_TEXT) print_text(&robots[i]);
    first = 0;
  }
}
