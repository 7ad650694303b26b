// The report. Slots are ns x the scalar multiply-add rate of the same run, two per multiply-add:
// they stay nearly the same when the clock or the machine changes, so targets are given in them.
#include "report.h"

#include "counts.h"
#include "targets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* const kernel_name[BENCH_KERNELS] = {
  "RNEA",    "CRBA",     "FD",        "Jacobian",  "FD ABA",   "FD M",     "Coriolis",
  "M^-1",    "dID",      "dFD",       "hybrid",    "hybrid f", "FD loops", "FD Schur",
  "FD KKT",  "FD platf", "ID loops",  "ID forces", "ID KKT",   "ID platf", "RK4 step",
  "watched", "implicit", "variation", "erk ms",    "bdf ms"};

static int is_limb(const bench_row* row) { return !strcmp(row->library->name, "limb"); }

static int is_chain(const bench_robot* robot) { return !strncmp(robot->name, "chain", 5); }

const bench_row* bench_report_find(const bench_report* r, const char* library,
                                   const bench_robot* robot, bench_kernel kernel)
{
  for (int i = 0; i < r->nrow; i++) {
    const bench_row* row = &r->rows[i];
    if (row->robot == robot && row->kernel == kernel && !strcmp(row->library->name, library)) {
      return row;
    }
  }
  return NULL;
}

// Slots that are aimed at; 0: there is no target.
static double target_of(const bench_report* r, const bench_row* row)
{
  if (!is_limb(row)) return 0;
  if (row->kernel == BENCH_STEP_RK4) {
    const bench_row* peer = bench_report_find(r, "MuJoCo", row->robot, BENCH_STEP_RK4);
    const double factor = bench_step_target(row->robot->name);
    return peer && factor > 0 ? peer->best / factor * r->fma_rate : 0;
  }
  const int ladder = row->kernel == BENCH_CLOSED_FD && bench_is_ladder(row->robot);
  const int platform = row->kernel == BENCH_PLATFORM_ID, hybrid = row->kernel == BENCH_HYBRID;
  if (!ladder && !platform && !hybrid) return bench_target(row->robot->name, row->kernel);
  const double factor = ladder   ? bench_ladder_target
                        : hybrid ? bench_hybrid_target
                                 : 1 / bench_platform_target;
  const bench_row* beside =
    bench_report_find(r, "limb", row->robot, platform ? BENCH_CLOSED_ID_KKT : BENCH_FD_ABA);
  return beside ? factor * beside->best * r->fma_rate : 0;
}

// ---- text ----------------------------------------------------------------------------------------

static void print_limb(const bench_report* r)
{
  printf("limb, one call\n"
         "%-15s %6s  %-9s %12s %12s %12s %-12s %9s\n",
         "robot", "dof", "kernel", "ns", "slots", "target", "reached", "ns/joint");
  for (int i = 0; i < r->nrow; i++) {
    const bench_row* row = &r->rows[i];
    if (!is_limb(row)) continue;
    const double slots = row->best * r->fma_rate, target = target_of(r, row);
    printf("%-15s %6d  %-9s %12.1f %12.0f ", row->robot->name, row->robot->nv,
           kernel_name[row->kernel], row->best, slots);
    if (target > 0) {
      printf("%12.0f %-3s (%.2f)   ", target, slots <= target ? "yes" : "no", slots / target);
    } else {
      printf("%12s %-12s ", "-", "");
    }
    if (is_chain(row->robot)) {
      printf("%9.2f\n", row->best / row->robot->nv);
    } else {
      printf("\n");
    }
  }
  printf(
    "reached: in brackets, slots over target. FD ABA and FD M: forward dynamics by articulated\n"
    "bodies and through the mass matrix; FD is limb's own choice of the two. dID: tau and its "
    "derivatives\n"
    "by q, v and a (M); dFD: a and its derivatives by q, v and tau (M^-1). hybrid: a and tau from "
    "forces of\n"
    "passive joints and accelerations of the others, aimed at 1.25 x FD ABA; hybrid f: from all "
    "forces.\n"
    "FD loops: with the loops closed, by limb's own choice; FD Schur, FD KKT, FD platf: in other "
    "ways. ID loops,\n"
    "ID forces, ID KKT, ID platf: torques of the motors with the loops closed; aimed at: ID KKT / "
    "3.\n"
    "RK4 step and what follows: simulation, see below.\n");
}

// Time of a kernel over those of others; empty when it was not measured.
static void print_ratio(const bench_row* x, const bench_row* a, const bench_row* b)
{
  if (x && a) {
    printf(" %14.2f", x->best / (a->best + (b ? b->best : 0)));
  } else {
    printf(" %14s", "-");
  }
}

static int measured(const bench_report* r, bench_kernel kernel)
{
  int found = 0;
  for (int i = 0; i < r->nrow; i++) found |= r->rows[i].kernel == kernel;
  return found;
}

// What derivatives cost beside the quantities themselves.
static void print_ratios(const bench_report* r)
{
  if (!measured(r, BENCH_ID_DERIVATIVES)) return;
  printf("\nderivatives beside what they are of\n%-14s %6s %14s %14s %14s %14s\n", "robot", "dof",
         "Coriolis", "M^-1", "dID", "dFD");
  printf("%-21s %14s %14s %14s %14s\n", "", "/ CRBA", "/ CRBA", "/ (RNEA+CRBA)", "/ (RNEA+CRBA)");
  for (int i = 0; i < r->nrobot; i++) {
    const bench_robot* robot = &r->robots[i];
    const bench_row* rnea = bench_report_find(r, "limb", robot, BENCH_RNEA);
    const bench_row* crba = bench_report_find(r, "limb", robot, BENCH_CRBA);
    if (!bench_report_find(r, "limb", robot, BENCH_ID_DERIVATIVES)) continue;
    printf("%-14s %6d", robot->name, robot->nv);
    print_ratio(bench_report_find(r, "limb", robot, BENCH_CORIOLIS), crba, NULL);
    print_ratio(bench_report_find(r, "limb", robot, BENCH_INVERSE), crba, NULL);
    print_ratio(bench_report_find(r, "limb", robot, BENCH_ID_DERIVATIVES), rnea, crba);
    print_ratio(bench_report_find(r, "limb", robot, BENCH_FD_DERIVATIVES), rnea, crba);
    printf("\n");
  }
}

// What hybrid dynamics costs beside articulated bodies.
static void print_hybrid(const bench_report* r)
{
  if (!measured(r, BENCH_HYBRID_FORCES)) return;
  printf("\nhybrid dynamics beside articulated bodies\n%-14s %6s %8s %14s %14s %10s\n", "robot",
         "dof", "passive", "hybrid / ABA", "all forces/ABA", "target");
  for (int i = 0; i < r->nrobot; i++) {
    const bench_robot* robot = &r->robots[i];
    const bench_row* aba = bench_report_find(r, "limb", robot, BENCH_FD_ABA);
    if (!bench_report_find(r, "limb", robot, BENCH_HYBRID_FORCES)) continue;
    printf("%-14s %6d %8d", robot->name, robot->nv, robot->npassive);
    print_ratio(bench_report_find(r, "limb", robot, BENCH_HYBRID), aba, NULL);
    print_ratio(bench_report_find(r, "limb", robot, BENCH_HYBRID_FORCES), aba, NULL);
    printf(" %10.2f\n", bench_hybrid_target);
  }
}

// One line of the comparison; none when no peer has the kernel.
static void print_comparison(const bench_report* r, const bench_robot* robot, bench_kernel kernel)
{
  const bench_row* own = bench_report_find(r, "limb", robot, kernel);
  double best = HUGE_VAL, difference = 0;
  for (int p = 0; p < r->npeer; p++) {
    const bench_row* row = bench_report_find(r, r->peers[p].name, robot, kernel);
    if (row) best = fmin(best, row->best), difference = fmax(difference, row->difference);
  }
  if (!own || best == HUGE_VAL) return;
  printf("%-15s %-9s %11.1f", robot->name, kernel_name[kernel], own->best);
  for (int p = 0; p < r->npeer; p++) {
    const bench_row* row = bench_report_find(r, r->peers[p].name, robot, kernel);
    if (row) {
      printf(" %11.1f", row->best);
    } else {
      printf(" %11s", "-");
    }
  }
  printf(" %9.1f  %9.1e\n", best / own->best, difference);
}

static void print_peers(const bench_report* r)
{
  int installed = 0;
  printf("\nbeside other libraries, the same robots and states, ns\n");
  for (int p = 0; p < r->npeer; p++) {
    const bench_library* l = r->peers[p].library;
    printf("  %-8s %s\n", r->peers[p].name, l ? l->version : "not installed");
    installed += l != NULL;
  }
  if (!installed) return;
  printf("%-15s %-9s %11s", "robot", "kernel", "limb");
  for (int p = 0; p < r->npeer; p++) printf(" %11s", r->peers[p].name);
  printf(" %9s  %9s\n", "x faster", "difference");
  for (int i = 0; i < r->nrobot; i++) {
    for (int k = 0; k <= BENCH_JACOBIAN; k++) {
      print_comparison(r, &r->robots[i], (bench_kernel)k);
    }
    print_comparison(r, &r->robots[i], BENCH_CLOSED_FD);
  }
  printf("x faster: best peer over limb. difference: the largest, relative to the largest entry.\n"
         "-: the library cannot do it, or only far too slowly. Loops are soft in MuJoCo, as hard "
         "here as it "
         "allows.\n");
}

static void print_text(const bench_report* r)
{
  printf("yardstick: %.2f slots per ns (scalar double multiply-add, two operations each)\n\n",
         r->fma_rate);
  print_limb(r);
  print_ratios(r);
  print_hybrid(r);
  bench_report_closed(r);
  bench_report_sim(r);
  if (r->npeer) print_peers(r);
  bench_counts_print(r->robots, r->nrobot, BENCH_TEXT);
}

// ---- for programs --------------------------------------------------------------------------------

// A number, or nothing (CSV) or null (JSON) where there is none.
static void print_value(double x, int there, const char* none)
{
  if (there) {
    printf("%.10g", x);
  } else {
    printf("%s", none);
  }
}

static void print_csv(const bench_report* r)
{
  printf("library,version,robot,dof,kernel,ns,median_ns,slots,slots_per_ns,target_slots,reached,"
         "difference\n");
  for (int i = 0; i < r->nrow; i++) {
    const bench_row* row = &r->rows[i];
    const double slots = row->best * r->fma_rate;
    const double target = target_of(r, row);
    printf("%s,%s,%s,%d,%s,%.2f,%.2f,%.0f,%.3f,", row->library->name, row->library->version,
           row->robot->name, row->robot->nv, kernel_name[row->kernel], row->best, row->median,
           slots, r->fma_rate);
    print_value(target, target > 0, "");
    printf(",%s,", target > 0 ? slots <= target ? "yes" : "no" : "");
    print_value(row->difference, row->difference >= 0, "");
    printf("\n");
  }
}

static void print_json(const bench_report* r)
{
  printf("{\n  \"schema\": 1,\n  \"slots_per_ns\": %.3f,\n  \"rows\": [", r->fma_rate);
  for (int i = 0; i < r->nrow; i++) {
    const bench_row* row = &r->rows[i];
    const double slots = row->best * r->fma_rate;
    const double target = target_of(r, row);
    printf("%s\n    {\"library\": \"%s\", \"version\": \"%s\", \"robot\": \"%s\", \"dof\": %d, "
           "\"kernel\": \"%s\", \"ns\": %.2f, \"median_ns\": %.2f, \"slots\": %.0f",
           i ? "," : "", row->library->name, row->library->version, row->robot->name,
           row->robot->nv, kernel_name[row->kernel], row->best, row->median, slots);
    printf(", \"target_slots\": ");
    print_value(target, target > 0, "null");
    printf(", \"reached\": %s", target > 0 ? slots <= target ? "true" : "false" : "null");
    printf(", \"difference\": ");
    print_value(row->difference, row->difference >= 0, "null");
    printf("}");
  }
  printf("\n  ],\n  \"operations\": [");
  bench_counts_print(r->robots, r->nrobot, BENCH_JSON);
  printf("\n  ]\n}\n");
}

void bench_report_print(const bench_report* r, bench_format format)
{
  if (format == BENCH_CSV) {
    print_csv(r);
  } else if (format == BENCH_JSON) {
    print_json(r);
  } else {
    print_text(r);
  }
}
