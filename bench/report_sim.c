// The report on simulation: steps per second beside a peer, real-time factors, other methods beside RK4.
#include "report.h"

#include "targets.h"

#include <stdio.h>

static void print_steps(const bench* b, const bench_robot* robot)
{
  const bench_row* own = bench_find_limb(b, robot, BENCH_STEP_RK4);
  const bench_row* peer = bench_find(b, "MuJoCo", BENCH_SINGLE, robot, BENCH_STEP_RK4);
  if (!own) return;
  printf("%-15s %6d %12.1f %12.0f %12.1f", robot->name, robot->nv, own->best, 1e9 / own->best,
         bench_step * 1e9 / own->best);
  if (peer) {
    printf(" %12.1f %10.2f %10.1e", peer->best, peer->best / own->best, peer->difference);
  } else {
    printf(" %12s %10s %10s", "-", "-", "-");
  }
  if (bench_step_target(robot->name) > 0) {
    printf(" %10.2f\n", bench_step_target(robot->name));
  } else {
    printf(" %10s\n", "-");
  }
}

static void print_methods(const bench* b, const bench_robot* robot)
{
  const bench_row* rk4 = bench_find_limb(b, robot, BENCH_STEP_RK4);
  if (!rk4 || !bench_find_limb(b, robot, BENCH_STEP_WATCHED)) return;
  printf("%-15s %6d", robot->name, robot->nv);
  for (int k = BENCH_STEP_WATCHED; k <= BENCH_STEP_BDF; k++) {
    const bench_row* row = bench_find_limb(b, robot, (bench_kernel)k);
    if (row) {
      printf(" %10.1f %5.2f", row->best, row->best / rk4->best);
    } else {
      printf(" %10s %5s", "-", "-");
    }
  }
  printf("\n");
}

void bench_report_sim(const bench* b)
{
  int any = 0;
  for (int i = 0; i < b->nrobot; i++) any |= bench_find_limb(b, &b->robot[i], BENCH_STEP_RK4) != NULL;
  if (!any) return;
  printf("\nsimulation: steps of %g s with RK4, free motion\n"
         "%-15s %6s %12s %12s %12s %12s %10s %10s %10s\n",
         bench_step, "robot", "dof", "ns", "steps/s", "x real time", "MuJoCo ns", "x faster", "difference", "target");
  for (int i = 0; i < b->nrobot; i++) print_steps(b, &b->robot[i]);
  printf("\nother methods: ns a step (adaptive: per %g s of motion), and beside RK4\n"
         "%-15s %6s %16s %16s %16s %16s %16s\n",
         bench_step, "robot", "dof", "RK4, watched", "implicit", "variational", "erk", "bdf");
  for (int i = 0; i < b->nrobot; i++) print_methods(b, &b->robot[i]);
}
