// `limb demo`: what limb computes, for a few built-in robots, and how well it agrees with itself.
#include "demo/demo.h"
#include "base/cli.h"
#include "base/table.h"
#include "robot/robot.h"

#include "limb/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// ---- text ------------------------------------------------------------------------------------------

void demo_print(demo_style style, const char* text)
{
  static const cli_colour colours[] = {CLI_BOLD, CLI_GREEN, CLI_RED};
  printf("%s%s%s", cli_on(stdout, colours[style]), text, cli_off(stdout, colours[style]));
}

void demo_sparkline(int n, const double* x)
{
  static const char* const bar[8] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double min = x[0], max = x[0];
  for (int i = 1; i < n; i++) min = fmin(min, x[i]), max = fmax(max, x[i]);
  const double range = max - min;
  const int flat = !(range > 1e-9 * fmax(fabs(min), fabs(max))); // nothing but rounding
  for (int i = 0; i < n; i++) {
    printf("%s", bar[flat ? 0 : (int)(7.999 * (x[i] - min) / range)]);
  }
}

void demo_velocity_name(const limb_model* m, int k, char* name, size_t size, const char** unit)
{
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    if (limb_get_joint(m, j, &info) != LIMB_OK || k < info.v || k >= info.v + info.nv) continue;
    const char* suffix = limb_v_suffix(info.def.type, k - info.v);
    (void)snprintf(name, size, "%s%s", info.def.name, suffix);
    const int linear = info.def.type == LIMB_PRISMATIC || (suffix[0] && suffix[1] == 'v');
    *unit = linear ? "N" : "N m";
    return;
  }
}

void demo_keep(demo_run* run, limb_status status)
{
  if (run->status == LIMB_OK) run->status = status;
}

static void print_robot_names(const demo_robot robots[DEMO_ROBOTS])
{
  printf("  %-44s", "");
  for (int i = 0; i < DEMO_ROBOTS; i++) printf(" %10s", robots[i].name);
  puts("");
}

// ---- the robots ------------------------------------------------------------------------------------

static const demo_robot robot_table[DEMO_ROBOTS] = {
  {.name = "planar_2r",
   .about = "two links in a vertical plane",
   .move = "lift from hanging to level",
   .fall = "let go at rest at the end of that move",
   .start = {-1.5707963267948966, 0},
   .change = {1.5707963267948966, -0.5},
   .rows = 2},
  {.name = "ur5",
   .about = "arm with six joints",
   .move = "reach out and turn",
   .fall = "let go at rest at the end of that move",
   .start = {0.1, -1.2, 1.4, -0.6, 0.9, -0.3},
   .change = {1.4, 0.9, -0.8, 0.7, -1, 1.5},
   .rows = 6},
  {.name = "quadruped",
   .about = "four legs on a free base",
   .move = "swing the legs as in a trot while a hoist holds the trunk",
   .fall = "thrown up, tumbling, with moving legs",
   .start = {[6] = 1, [8] = 0.6, -1.2, 0, 0.6, -1.2, 0, 0.6, -1.2, 0, 0.6, -1.2},
   .change = {[7] = -0.7, 0.9, 0, 0.5, -0.3, 0, 0.5, -0.3, 0, -0.7, 0.9},
   .fall_v = {0.8, 2, 0.5, 1, 0, 3, 0.5, -2, 3, -0.5, 2, -3, 0, 1, -1, 0, -1, 1},
   .rows = 9},
  {.name = "hand",
   .about = "five fingers with three phalanges each, of which two follow",
   .move = "bend the wrist and close the fingers",
   .fall = "let go: the wrist swings freely, springs open the fingers, friction brakes them",
   .change = {0.5, 0.3, 0.9, 0.9, 0.9, 0.9, 0.2, 0.7},
   .rows = 8},
};

static limb_status make_robot(int i, demo_robot* r)
{
  limb_error err = {.status = LIMB_OK};
  *r = robot_table[i];
  limb_status s = cli_load_built_in(r->name, &r->model, &err);
  if (s == LIMB_OK) s = limb_data_create(limb_spanning_tree(r->model), NULL, &r->data);
  if (s != LIMB_OK) {
    (void)fprintf(stderr, "limb: robot '%s': %s %s %s\n", r->name, limb_status_text(s), err.where, err.text);
    return s;
  }
  r->nq = limb_nq(r->model), r->nv = limb_nv(r->model);
  return r->nq <= DEMO_MAX ? LIMB_OK : LIMB_E_MODEL;
}

static limb_status make_robots(demo_robot robots[DEMO_ROBOTS])
{
  memset(robots, 0, DEMO_ROBOTS * sizeof *robots);
  for (int i = 0; i < DEMO_ROBOTS; i++) {
    const limb_status s = make_robot(i, &robots[i]);
    if (s != LIMB_OK) return s;
  }
  return LIMB_OK;
}

static void free_robots(demo_robot robots[DEMO_ROBOTS])
{
  for (int i = 0; i < DEMO_ROBOTS; i++) {
    limb_data_destroy(robots[i].data);
    limb_model_destroy(robots[i].model);
  }
}

// ---- agreement of independent formulations --------------------------------------------------------

enum { STATES = 100 };

// Largest differences of one check, robot by robot.
static int show_check(limb_verification* const v[DEMO_ROBOTS], int k)
{
  int failed = 0;
  limb_verify_result r;
  char text[64];
  if (limb_verification_get(v[0], k, &r) != LIMB_OK) return -1;
  (void)snprintf(text, sizeof text, "%s: %s, %s", r.quantity, r.first, r.second);
  printf("  %-44s", text);
  for (int i = 0; i < DEMO_ROBOTS; i++) {
    const int known = limb_verification_get(v[i], k, &r) == LIMB_OK;
    const int bad = !known || r.verdict == LIMB_VERDICT_FAILED;
    (void)snprintf(text, sizeof text, "%11s", "-");
    if (known && !*r.reason) (void)snprintf(text, sizeof text, r.difference == 0 ? "%11.0f" : "%11.1e", r.difference);
    failed += bad;
    demo_print(bad ? DEMO_BAD : DEMO_GOOD, text);
  }
  puts("");
  return failed;
}

static void show_agreement(demo_run* run, const demo_robot robots[DEMO_ROBOTS])
{
  static const char* const quantities[] = {"tau", "M", "acc", "C", NULL};
  limb_verification* v[DEMO_ROBOTS] = {NULL};
  limb_verify_options o = limb_default_verify();
  o.states = STATES, o.tolerance = 1e-10, o.quantities = quantities;
  demo_print(DEMO_BOLD, "Agreement");
  printf(" of independent formulations, %d random states each: largest relative difference\n\n", (int)STATES);
  for (int i = 0; i < DEMO_ROBOTS; i++) demo_keep(run, limb_verify(robots[i].model, &o, &v[i], NULL));
  print_robot_names(robots);
  int failed = 0;
  for (int k = 0, here = 0; run->status == LIMB_OK && here >= 0; k++) {
    here = show_check(v, k);
    failed += here > 0 ? here : 0;
  }
  run->findings += failed;
  printf("\n  tolerances of limb verify, from %.0e on: ", o.tolerance);
  demo_print(failed ? DEMO_BAD : DEMO_GOOD, failed ? "NOT kept" : "kept everywhere");
  puts(" (-: not for this robot)\n\n");
  for (int i = 0; i < DEMO_ROBOTS; i++) limb_verification_destroy(v[i]);
}

// ---- speed: how long one call takes here; bench/ measures with care ---------------------------------

enum { RING = 64, CALLS = 256, SLICES = 80 };

typedef struct ring { // states that change from call to call
  double q[RING][DEMO_MAX], v[RING][DEMO_MAX], a[RING][DEMO_MAX], tau[RING][DEMO_MAX];
} ring;

typedef limb_status call(const demo_robot* r, const ring* x, int i, double* out);

static limb_status inverse(const demo_robot* r, const ring* x, int i, double* out)
{
  return limb_inverse_dynamics(r->data, x->q[i], x->v[i], x->a[i], NULL, out);
}

static limb_status matrix(const demo_robot* r, const ring* x, int i, double* out)
{
  return limb_mass_matrix(r->data, x->q[i], out);
}

static limb_status forward(const demo_robot* r, const ring* x, int i, double* out)
{
  return limb_forward_dynamics(r->data, x->q[i], x->v[i], x->tau[i], NULL, out);
}

static double now(void) // [ns]
{
  struct timespec t = {0, 0};
  (void)timespec_get(&t, TIME_UTC);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void fill(demo_run* run, const demo_robot* r, ring* x)
{
  uint64_t seed = 7;
  for (int i = 0; i < RING; i++) {
    demo_keep(run, limb_random(r->model, &seed, x->q[i]));
    for (int k = 0; k < r->nv; k++) {
      x->v[i][k] = sin(1.0 + i + 3 * k), x->a[i][k] = 5 * cos(2.0 + 2 * i + k);
    }
    demo_keep(run, limb_inverse_dynamics(r->data, x->q[i], x->v[i], x->a[i], NULL, x->tau[i]));
  }
}

// The best of the slices: slower ones were disturbed.
static double best_time(demo_run* run, const demo_robot* r, const ring* x, call* one)
{
  double out[DEMO_MAX * DEMO_MAX], best = HUGE_VAL;
  for (int s = 0; s < SLICES; s++) {
    const double start = now();
    for (int i = 0; i < CALLS; i++) demo_keep(run, one(r, x, i % RING, out));
    const double time = (now() - start) / CALLS;
    if (time > 0) best = fmin(best, time);
  }
  return best;
}

static void show_speed(demo_run* run, const demo_robot robots[DEMO_ROBOTS])
{
  static const struct {
    const char* text;
    call* one;
  } table[] = {{"inverse dynamics (RNEA)", inverse}, {"mass matrix (CRBA)", matrix}, {"forward dynamics", forward}};
  demo_print(DEMO_BOLD, "Speed");
  puts(" on this machine, one call, sines and cosines included; `make bench` measures with care\n");
  print_robot_names(robots);
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    printf("  %-44s", table[k].text);
    for (int i = 0; i < DEMO_ROBOTS; i++) {
      ring x;
      fill(run, &robots[i], &x);
      printf(" %7.0f ns", best_time(run, &robots[i], &x, table[k].one));
    }
    puts("");
  }
}

// ---- the demonstration -----------------------------------------------------------------------------

static void show_robot(demo_run* run, int number, const demo_robot* r)
{
  char heading[96];
  (void)snprintf(heading, sizeof heading, "%d. %s: %s", number, r->name, r->about);
  demo_print(DEMO_BOLD, heading);
  puts("");
  demo_show_compiled(run, r);
  demo_show_torques(run, r);
  demo_show_mass_matrix(run, r);
  demo_show_fall(run, r);
  puts("\n");
}

static void show_verdict(const demo_run* run)
{
  puts("");
  if (run->findings == 0) demo_print(DEMO_GOOD, "Every check passed.");
  if (run->findings > 0) demo_print(DEMO_BAD, "A CHECK FAILED: see above.");
  puts(" How to do this in C: README.md, examples/. Signs, orders: limb --conventions.");
  puts("Robots in motion: docs/gallery.md; limb sim planar_2r --duration 10s --animate fall.html");
}

static int finish(const demo_run* run)
{
  if (run->status != LIMB_OK) {
    (void)fprintf(stderr, "limb demo: %s\n", limb_status_text(run->status));
    return EXIT_NUMERICAL;
  }
  if (limb_cli_close_output("limb demo") != EXIT_FINE) return EXIT_USAGE;
  return run->findings == 0 ? EXIT_FINE : EXIT_FINDINGS;
}

int limb_cmd_demo(void)
{
  demo_robot robots[DEMO_ROBOTS];
  demo_run run = {.status = make_robots(robots)};
  const uint32_t v = limb_version();
  if (run.status == LIMB_OK) {
    printf("limb %u.%u.%u, robot dynamics in C. SI units, radians; gravity 9.81 m/s^2.\n\n", v >> 16, v >> 8 & 0xff,
           v & 0xff);
    for (int i = 0; i < DEMO_ROBOTS && run.status == LIMB_OK; i++) show_robot(&run, i + 1, &robots[i]);
  }
  if (run.status == LIMB_OK) demo_show_loops(&run, DEMO_ROBOTS + 1);
  if (run.status == LIMB_OK) show_agreement(&run, robots);
  if (run.status == LIMB_OK) show_speed(&run, robots);
  if (run.status == LIMB_OK) show_verdict(&run);
  free_robots(robots);
  return finish(&run);
}
