// How long one call takes here: a glimpse. The careful measurement is bench/.
#include "demo.h"

#include <stdio.h>
#include <time.h>

enum { RING = 64, CALLS = 256, SLICES = 80 };

typedef struct ring { // states that change from call to call
  double q[RING][DEMO_MOST], v[RING][DEMO_MOST], a[RING][DEMO_MOST], tau[RING][DEMO_MOST];
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

// Best of the slices: what is slower was disturbed.
static double best_time(demo_run* run, const demo_robot* r, const ring* x, call* one)
{
  double out[DEMO_MOST * DEMO_MOST], best = HUGE_VAL;
  for (int s = 0; s < SLICES; s++) {
    const double start = now();
    for (int i = 0; i < CALLS; i++) demo_keep(run, one(r, x, i % RING, out));
    const double time = (now() - start) / CALLS;
    if (time > 0) best = fmin(best, time);
  }
  return best;
}

void demo_show_speed(demo_run* run, const demo_robot robots[DEMO_ROBOTS])
{
  static const struct {
    const char* text;
    call* one;
  } table[] = {{"inverse dynamics (RNEA)", inverse}, {"mass matrix (CRBA)", matrix}, {"forward dynamics", forward}};
  demo_print(DEMO_BOLD, "Speed");
  puts(" on this machine, one call, sines and cosines included; `make bench` measures with care\n");
  printf("  %-44s", "");
  for (int i = 0; i < DEMO_ROBOTS; i++) printf(" %10s", robots[i].name);
  puts("");
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
