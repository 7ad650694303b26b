// The report on robots with loops: everything as ratios of the same run.
#include "report.h"

#include "targets.h"

#include <math.h>
#include <stdio.h>

static void print_beside_tree(const bench* b, const bench_robot* robot)
{
  const bench_row *own = bench_find_limb(b, robot, BENCH_CLOSED_FD), *aba = bench_find_limb(b, robot, BENCH_FD_ABA);
  if (!own || !aba) return;
  printf("%-15s %6d %6d %12.1f %12.1f", robot->name, robot->nv, robot->nrow, own->best, aba->best);
  bench_print_ratio(own, aba);
  if (bench_is_ladder(robot)) {
    printf(" %10.2f", bench_ladder_target);
  } else {
    printf(" %10s", "-");
  }
  bench_print_ratio(bench_find_limb(b, robot, BENCH_CLOSED_SCHUR), aba);
  bench_print_ratio(bench_find_limb(b, robot, BENCH_CLOSED_KKT), aba);
  printf("\n");
}

static void print_trees(const bench* b)
{
  printf("\nforward dynamics with loops beside ABA of the tree without them\n"
         "%-15s %6s %6s %12s %12s %10s %10s %10s %10s\n",
         "robot", "dof", "rows", "loops ns", "ABA ns", "/ ABA", "target", "Schur/ABA", "KKT/ABA");
  for (int i = 0; i < b->nrobot; i++) print_beside_tree(b, &b->robot[i]);
}

// Slope of time over size, both in logarithms, from one ladder to another.
static double slope(const bench* b, const bench_robot* from, const bench_robot* to, bench_kernel kernel)
{
  const bench_row *x = bench_find_limb(b, from, kernel), *y = bench_find_limb(b, to, kernel);
  return x && y ? log(y->best / x->best) / log((double)to->nv / from->nv) : 0;
}

static void print_slopes(const bench* b)
{
  const bench_robot* before = NULL;
  for (int i = 0; i < b->nrobot; i++) {
    const bench_robot* robot = &b->robot[i];
    if (!bench_is_ladder(robot)) continue;
    if (before)
      printf("%s to %s: slope of time over size in logarithms %.2f, of ABA %.2f\n", before->name, robot->name,
             slope(b, before, robot, BENCH_CLOSED_FD), slope(b, before, robot, BENCH_FD_ABA));
    before = robot;
  }
  if (before) printf("aimed at: 1.0 +- 0.1 from 100 to 1000 cells\n");
}

static void print_platforms(const bench* b)
{
  int first = 1;
  for (int i = 0; i < b->nrobot; i++) {
    const bench_robot* robot = &b->robot[i];
    const bench_row *id = bench_find_limb(b, robot, BENCH_PLATFORM_ID),
                    *fd = bench_find_limb(b, robot, BENCH_PLATFORM_FD);
    if (!id || !fd) continue;
    if (first)
      printf("\nthe platform form, and how much faster it is than generic ones\n"
             "%-15s %12s %10s %10s %10s %10s %12s %10s %10s %10s\n",
             "robot", "ID platf ns", "ID loops", "ID forces", "ID KKT", "target", "FD platf ns", "FD loops", "FD Schur",
             "FD KKT");
    first = 0;
    printf("%-15s %12.1f", robot->name, id->best);
    bench_print_ratio(bench_find_limb(b, robot, BENCH_CLOSED_ID), id);
    bench_print_ratio(bench_find_limb(b, robot, BENCH_CLOSED_ID_FORCES), id);
    bench_print_ratio(bench_find_limb(b, robot, BENCH_CLOSED_ID_KKT), id);
    printf(" %10.2f %12.1f", bench_platform_target, fd->best);
    bench_print_ratio(bench_find_limb(b, robot, BENCH_CLOSED_FD), fd);
    bench_print_ratio(bench_find_limb(b, robot, BENCH_CLOSED_SCHUR), fd);
    bench_print_ratio(bench_find_limb(b, robot, BENCH_CLOSED_KKT), fd);
    printf("\n");
  }
}

void bench_report_closed(const bench* b)
{
  int loops = 0;
  for (int i = 0; i < b->nrobot; i++) loops += b->robot[i].nrow;
  if (!loops) return;
  print_trees(b);
  print_slopes(b);
  print_platforms(b);
}
