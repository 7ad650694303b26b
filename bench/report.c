// The report. Slots are ns x the scalar multiply-add rate of the same run, two per multiply-add:
// they stay nearly the same when the clock or the machine changes, so targets are given in them.
#include "report.h"
#include "power.h"

#include "targets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- cells ---------------------------------------------------------------------------------------

// A number of four or more digits, or a dash.
static void print_number(int width, double x)
{
  if (isnan(x)) {
    printf(" %*s", width, "-");
  } else if (isinf(x)) {
    printf(" %*s", width, "failed");
  } else {
    printf(" %*.*f", width, x < 100 ? 2 : x < 1e4 ? 1 : 0, x);
  }
}

static void print_difference(double x)
{
  if (x == 0) {
    printf(" %8s", "0");
  } else if (isfinite(x)) {
    printf(" %8.0e", x);
  } else {
    printf(" %8s", isnan(x) ? "-" : "failed");
  }
}

void bench_print_ratio(const bench_row* x, const bench_row* y)
{
  if (x && y && isfinite(x->best) && isfinite(y->best)) {
    printf(" %10.2f", x->best / y->best);
  } else {
    printf(" %10s", "-");
  }
}

static double time_of(const bench_row* row) { return row ? row->best : (double)NAN; }

static double difference_of(const bench_row* row)
{
  return row && row->difference >= 0 ? row->difference : (double)NAN;
}

// ---- the table -----------------------------------------------------------------------------------

static void print_head(const bench* b)
{
  bench_summary s;
  bench_get_summary(b, &s);
  printf("limb %s, instruction set %s, threads %d; %s, %s, load %.2f\n", BENCH_LIMB_VERSION, s.isa, s.threads,
         s.processor, s.date, s.load);
  printf("multiply-adds of this run, two operations each: %.2f per ns scalar (the slots), %.1f in "
         "vectors of double, %.1f of float\n",
         s.slots_per_ns, s.peak_f64, s.peak_f32);
  if (s.peers) printf("other libraries are not measured: %s\n", s.peers);
  for (int p = 0; p < b->npeer; p++) {
    const bench_library* l = b->peer[p];
    printf("%s %s: %s\n", l->name, l->version, l->build);
  }
}

static void print_line(const bench* b, const bench_robot* robot, bench_kernel kernel)
{
  const bench_row* own = bench_find_limb(b, robot, kernel);
  double best = HUGE_VAL, difference = (double)NAN;
  if (!own) return;
  printf("%-15s %6d %-16s", robot->name, robot->nv, bench_quantity(kernel));
  for (int m = 0; m < BENCH_MODES; m++) {
    const bench_row* row = bench_find(b, "limb", (bench_mode)m, robot, kernel);
    print_number(11, time_of(row));
    if (m != BENCH_FLOAT) difference = fmax(difference, difference_of(row));
  }
  for (int p = 0; p < b->npeer; p++) {
    const bench_row* row = bench_find(b, b->peer[p]->name, BENCH_SINGLE, robot, kernel);
    print_number(11, time_of(row));
    if (row) best = fmin(best, row->best);
    difference = fmax(difference, difference_of(row));
  }
  if (b->npeer) print_number(9, best < HUGE_VAL ? best / own->best : (double)NAN);
  print_difference(difference);
  print_difference(difference_of(bench_find(b, "limb", BENCH_FLOAT, robot, kernel)));
  printf("\n");
}

static void print_times(const bench* b)
{
  printf("\nns per state%*s%s\n%-15s %6s %-16s", 27, "", "limb", "robot", "dof", "quantity");
  for (int m = 0; m < BENCH_MODES; m++) printf(" %11s", bench_mode_name((bench_mode)m));
  for (int p = 0; p < b->npeer; p++) printf(" %11s", b->peer[p]->name);
  if (b->npeer) printf(" %9s", "x faster");
  printf(" %8s %8s\n", "differ", "of float");
  for (int i = 0; i < b->nrobot; i++)
    for (int k = 0; k < BENCH_KERNELS; k++) print_line(b, &b->robot[i], (bench_kernel)k);
  printf("x faster: the best peer over limb's single call. differ: largest difference to limb's single "
         "call, relative to\n"
         "the largest entry, of everything over double; beside it, of float. -: not offered, too slow "
         "or too large.\n"
         "fd: limb's own choice of fd_aba (articulated bodies) and fd_matrix (through the mass matrix). "
         "id_derivatives: tau,\n"
         "by q, v and a; fd_derivatives: a, by q, v and tau. hybrid: from forces of passive joints and "
         "accelerations of\n"
         "the others; hybrid_forces: from all forces. fd_loops: with the loops closed, limb's own "
         "choice; "
         "fd_schur, fd_kkt,\n"
         "fd_platform: other ways. id_loops, id_forces, id_kkt, id_platform: torques of the motors, "
         "loops "
         "closed. rk4_step to\n"
         "bdf_ms: simulation. Loops are soft in MuJoCo, as hard here as it allows.\n");
}

// ---- limb beside what the machine can do ---------------------------------------------------------

static void print_effort(const bench_result* r)
{
  const char* layout = r->layout && !strcmp(r->layout, "lanes") ? " lanes" : "";
  char mode[24];
  (void)snprintf(mode, sizeof mode, "%s%s", r->mode, layout);
  printf("%-15s %-16s %-12s", r->robot, r->quantity, mode);
  print_number(11, r->ns);
  printf(" %11.0f", r->slots);
  if (isfinite(r->target)) {
    printf(" %11.0f %-6s (%.3f)", r->target, r->slots <= r->target ? "yes" : "missed", r->slots / r->target);
  } else {
    printf(" %11s %14s", "-", "");
  }
  if (isfinite(r->gflops)) printf(" %9.0f %9.0f %8.2f %6.0f%%", r->mul, r->add, r->gflops, 100 * r->peak);
  printf("\n");
}

static void print_efforts(const bench* b)
{
  printf("\nlimb: slots, targets, operations\n%-15s %-16s %-12s %11s %11s %11s %-14s %9s %9s %8s %7s\n", "robot",
         "quantity", "mode", "ns", "slots", "target", "reached", "mul", "add", "GFLOP/s", "of peak");
  for (int i = 0; i < b->nrow; i++) {
    bench_result r;
    bench_get_result(b, i, &r);
    if (isfinite(r.target) || isfinite(r.gflops)) print_effort(&r);
  }
  printf("reached: in brackets, slots over target. lanes: arrays in the layout that the kernels work "
         "on.\n"
         "GFLOP/s: multiplications and additions as the counting scalar finds them, 39 for a sine and "
         "cosine; divisions and roots are not counted.\n"
         "of peak: GFLOP/s over the measured multiply-adds, scalar for single calls, in vectors for the "
         "others, times threads.\n"
         "Single calls that work on several joints in one vector can be above the scalar peak.\n");
}

// ---- one quantity beside another -----------------------------------------------------------------

static int measured(const bench* b, bench_kernel kernel)
{
  int found = 0;
  for (int i = 0; i < b->nrow; i++) found |= b->row[i].kernel == kernel;
  return found;
}

// What derivatives cost beside the quantities themselves.
static void print_ratios(const bench* b)
{
  if (!measured(b, BENCH_ID_DERIVATIVES)) return;
  printf("\nderivatives beside what they are of, single calls\n%-15s %6s %10s %10s %10s %10s\n", "robot", "dof",
         "coriolis", "minv", "id_deriv.", "fd_deriv.");
  printf("%-22s %10s %10s %10s %10s\n", "", "/ crba", "/ crba", "/ rnea+", "/ rnea+");
  printf("%-22s %10s %10s %10s %10s\n", "", "", "", "crba", "crba");
  for (int i = 0; i < b->nrobot; i++) {
    const bench_robot* robot = &b->robot[i];
    const bench_row *rnea = bench_find_limb(b, robot, BENCH_RNEA), *crba = bench_find_limb(b, robot, BENCH_CRBA);
    if (!rnea || !crba || !bench_find_limb(b, robot, BENCH_ID_DERIVATIVES)) continue;
    const bench_row both = {.best = rnea->best + crba->best};
    printf("%-15s %6d", robot->name, robot->nv);
    bench_print_ratio(bench_find_limb(b, robot, BENCH_CORIOLIS), crba);
    bench_print_ratio(bench_find_limb(b, robot, BENCH_INVERSE), crba);
    bench_print_ratio(bench_find_limb(b, robot, BENCH_ID_DERIVATIVES), &both);
    bench_print_ratio(bench_find_limb(b, robot, BENCH_FD_DERIVATIVES), &both);
    printf("\n");
  }
}

// What hybrid dynamics costs beside articulated bodies.
static void print_hybrid(const bench* b)
{
  if (!measured(b, BENCH_HYBRID_FORCES)) return;
  printf("\nhybrid dynamics beside articulated bodies, single calls\n%-15s %6s %8s %10s %10s %10s\n", "robot", "dof",
         "passive", "hybrid", "all forces", "target");
  for (int i = 0; i < b->nrobot; i++) {
    const bench_robot* robot = &b->robot[i];
    const bench_row* aba = bench_find_limb(b, robot, BENCH_FD_ABA);
    if (!bench_find_limb(b, robot, BENCH_HYBRID_FORCES)) continue;
    printf("%-15s %6d %8d", robot->name, robot->nv, robot->npassive);
    bench_print_ratio(bench_find_limb(b, robot, BENCH_HYBRID), aba);
    bench_print_ratio(bench_find_limb(b, robot, BENCH_HYBRID_FORCES), aba);
    printf(" %10.2f\n", bench_hybrid_target);
  }
}

// How much faster batches are than single calls, float and threads than batches.
static void print_batches(const bench* b)
{
  printf("\nhow much faster many states at once are\n%-15s %6s %-16s %10s %10s %10s\n", "robot", "dof", "quantity",
         "batch", "float", "threads");
  printf("%-39s %10s %10s %10s\n", "", "/ single", "/ batch", "/ batch");
  for (int i = 0; i < b->nrow; i++) {
    const bench_row* batch = &b->row[i];
    const bench_robot* robot = batch->robot;
    if (batch->library->mode != BENCH_BATCH || batch->library->lanes) continue;
    printf("%-15s %6d %-16s", robot->name, robot->nv, bench_quantity(batch->kernel));
    bench_print_ratio(bench_find_limb(b, robot, batch->kernel), batch);
    bench_print_ratio(batch, bench_find(b, "limb", BENCH_FLOAT, robot, batch->kernel));
    bench_print_ratio(batch, bench_find(b, "limb", BENCH_THREADED, robot, batch->kernel));
    printf("\n");
  }
}

// States per second of the whole machine: what a sweep can expect.
static void print_throughput(const bench* b)
{
  const int threads = b->threads ? limb_threads_pool(b->threads)->threads : 1;
  const char* no_power = bench_no_power();
  printf("\nmillions of states per second, all %d processors\n%-15s %6s %-16s %10s %10s %10s\n", threads, "robot",
         "dof", "quantity", "together", "per core", "per watt");
  for (int i = 0; i < b->nrow; i++) {
    const bench_row* r = &b->row[i];
    if (r->library->mode != BENCH_THREADED) continue;
    const double rate = 1e3 / r->best;
    printf("%-15s %6d %-16s %10.4g %10.4g ", r->robot->name, r->robot->nv, bench_quantity(r->kernel), rate,
           rate / threads);
    if (r->watts > 0)
      printf("%10.4g\n", rate / r->watts);
    else
      printf("%10s\n", "-");
  }
  if (*no_power) printf("no watts: %s\n", no_power);
}

void bench_print(const bench* b)
{
  print_head(b);
  print_times(b);
  print_efforts(b);
  print_batches(b);
  print_throughput(b);
  print_ratios(b);
  print_hybrid(b);
  bench_report_closed(b);
  bench_report_sim(b);
}
