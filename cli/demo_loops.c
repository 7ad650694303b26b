// A robot with closed loops in `limb demo`: a platform on six legs. What moves, which forces hold it, and how
// it falls when they stop: by five ways to the same answer.
#include "demo.h"

#include "robot.h"

#include <stdio.h>

enum { MOST = 32, LEGS = 6 }; // room for coordinates

static const double AGREED = 1e-9;

typedef struct closed_robot {
  limb_model* model;
  limb_loops* loops;
  limb_parallel* parallel;
  double q[MOST];
} closed_robot;

static void make(demo_run* run, const char* name, closed_robot* r)
{
  limb_error err = {.status = LIMB_OK};
  const limb_assembly how = limb_default_assembly();
  limb_status s = cli_load_built_in(name, &r->model, &err);
  if (s == LIMB_OK) s = limb_loops_create(r->model, LIMB_LOOPS_DENSE, NULL, &r->loops);
  if (s == LIMB_OK) s = limb_parallel_create(r->model, -1, NULL, &r->parallel, &err);
  if (s == LIMB_OK && limb_nq(r->model) > MOST) s = LIMB_E_MODEL;
  if (s == LIMB_OK) s = limb_start(r->model, r->q);
  if (s == LIMB_OK) s = limb_assemble(r->loops, &how, r->q, NULL);
  demo_keep(run, s);
}

static void show_mobility(demo_run* run, closed_robot* r)
{
  limb_mobility x = {.mobility = 0};
  limb_loop_gap gap = {.place = 0};
  demo_keep(run, limb_mobility_at(r->loops, r->q, NULL, &x));
  demo_keep(run, limb_loop_gap_of(r->loops, r->q, NULL, NULL, &gap));
  demo_print(DEMO_BOLD, "\n  Loops");
  printf(": %d velocities less %d equations: %d motions, %d motors; closed to %.1e m\n", x.nv, x.rows, x.mobility,
         x.active, gap.place);
}

// Forces of the legs that hold the platform still.
static void show_forces(demo_run* run, closed_robot* r)
{
  static const double none[MOST] = {0};
  double tau[MOST] = {0};
  limb_closed_forces out = {.tau = tau};
  const limb_closed_motion rest = {r->q, none, none, NULL};
  demo_keep(run, limb_closed_inverse_dynamics(r->loops, &rest, NULL, NULL, &out));
  demo_print(DEMO_BOLD, "\n  Hold");
  printf(": the motors of the legs give");
  for (int v = 0, shown = 0; v < limb_nv(r->model) && shown < LEGS; v++) {
    if (tau[v] != 0) printf("%s %.2f", shown++ ? "," : "", tau[v]);
  }
  puts(" N");
}

// Ways to the accelerations; auto stands for platform and legs, solved one by one.
static const struct {
  const char* name;
  limb_closed_method method;
} ways[] = {
  {"articulated bodies, loops as joints", LIMB_CLOSED_CLUSTERS},
  {"Schur complement", LIMB_CLOSED_SCHUR},
  {"all equations at once", LIMB_CLOSED_KKT},
  {"proximal iteration", LIMB_CLOSED_PROXIMAL},
  {"platform and legs", LIMB_CLOSED_AUTO},
};

// All accelerations at rest without motors.
static limb_status fall_by(closed_robot* r, limb_closed_method method, double* a)
{
  static const double none[MOST] = {0};
  const limb_closed_motion rest = {.q = r->q, .v = none};
  limb_closed_options how = limb_default_closed_options();
  how.method = method;
  if (method == LIMB_CLOSED_AUTO) return limb_parallel_forward_dynamics(r->parallel, r->q, none, none, NULL, NULL, a);
  return limb_closed_forward_dynamics(r->loops, &rest, none, &how, a, NULL, NULL);
}

static void show_methods(demo_run* run, closed_robot* r)
{
  double first[MOST] = {0}, a[MOST] = {0};
  demo_print(DEMO_BOLD, "\n  Let go");
  puts(": how fast the platform falls");
  demo_keep(run, fall_by(r, ways[0].method, first));
  for (size_t k = 0; k < sizeof ways / sizeof *ways && run->status == LIMB_OK; k++) {
    double off = 0;
    demo_keep(run, fall_by(r, ways[k].method, a));
    for (int v = 0; v < limb_nv(r->model); v++) off = fmax(off, fabs(a[v] - first[v]));
    printf("    %-36s %16.12f m/s^2", ways[k].name,
           -a[5]); // down; the platform's joint comes first
    if (k > 0) printf("   all accelerations within %.1e", off);
    puts("");
    if (!(off <= AGREED)) run->findings++;
  }
}

void demo_show_loops(demo_run* run, int number)
{
  char heading[96];
  closed_robot r = {.model = NULL};
  make(run, "gough_stewart", &r);
  (void)snprintf(heading, sizeof heading, "%d. gough_stewart: a platform on six driven legs", number);
  demo_print(DEMO_BOLD, heading);
  puts("");
  if (run->status == LIMB_OK) show_mobility(run, &r);
  if (run->status == LIMB_OK) show_forces(run, &r);
  if (run->status == LIMB_OK) show_methods(run, &r);
  puts("\n");
  limb_parallel_destroy(r.parallel);
  limb_loops_destroy(r.loops);
  limb_model_destroy(r.model);
}
