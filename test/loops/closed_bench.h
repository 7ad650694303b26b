// A robot with loops on the bench: workspaces, and room for the forces of a motion.
#ifndef LIMB_TEST_CLOSED_BENCH_H
#define LIMB_TEST_CLOSED_BENCH_H

#include "loops/closed.h"
#include "support/check.h"
#include "support/closed_impl.h"
#include "support/lean.h"

#include "limb/loops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
  closed_case c;
  limb_data* w;
  limb_data *d, *closed; // of the spanning tree, and of the robot
  int nv, nc;
  double *a, *tau, *tree, *lambda;
} bench;

static inline bench bench_of(closed_case c)
{
  bench b = {.c = c, .nv = limb_nv(c.m), .nc = limb_constraint_count(c.m)};
  assert_ok(limb_data_create(c.m, NULL, &b.w));
  assert_ok(limb_data_create(limb_spanning_tree(c.m), NULL, &b.d));
  assert_ok(limb_data_create(c.m, NULL, &b.closed));
  b.a = numbers(b.nv), b.tau = numbers(b.nv), b.tree = numbers(b.nv), b.lambda = numbers(b.nc);
  return b;
}

// A model and a motion by hand, which may be NULL.
static inline bench bench_with(limb_model* m, const double* q, const double* v, const double* a)
{
  const size_t nq = (size_t)limb_nq(m), nv = (size_t)limb_nv(m);
  bench b = bench_of((closed_case){"by hand", m, numbers((int)nq), numbers((int)nv), 0});
  if (q) memcpy(b.c.q, q, nq * sizeof *q);
  if (v) memcpy(b.c.v, v, nv * sizeof *v);
  if (a) memcpy(b.a, a, nv * sizeof *a);
  return b;
}

// The same robot beside a loop that it has nothing to do with: two wheels, the first with a motor, and a gear between
// them. Their coordinates are the last two.
static inline limb_model* bench_beside_loop(limb_model* m)
{
  limb_builder* b = NULL;
  int wheel[2];
  assert_ok(limb_builder_from_model(m, NULL, &b));
  for (int k = 0; k < 2; k++) {
    closed_link link = {.name = k ? "second wheel" : "first wheel",
                        .type = LIMB_REVOLUTE,
                        .parent = LIMB_WORLD_BODY,
                        .placement = sp_pose_identity(),
                        .axis = {0, 0, 1},
                        .inertia = limb_inertia_sphere(1, 0.1),
                        .active = k == 0};
    closed_add(b, &link);
    wheel[k] = limb_builder_find_joint(b, link.name);
  }
  limb_loop_def gear = limb_default_loop_def("gear", LIMB_LOOP_GEAR, -1, -1);
  gear.joint = wheel[1], gear.other = wheel[0], gear.coefficient[1] = 2;
  closed_add_loop(b, &gear);
  limb_model_destroy(m);
  return fixture_end(b);
}

static inline void bench_end(bench* b)
{
  limb_data_destroy(b->w);
  limb_data_destroy(b->d);
  limb_data_destroy(b->closed);
  double* const block[4] = {b->a, b->tau, b->tree, b->lambda};
  for (int k = 0; k < 4; k++) free(block[k]);
  closed_free(&b->c);
}

static inline limb_closed_motion bench_motion(const bench* b)
{
  return (limb_closed_motion){b->c.q, b->c.v, b->a, NULL};
}

static inline limb_closed_forces bench_forces(const bench* b)
{
  return (limb_closed_forces){.tau = b->tau, .tree = b->tree, .lambda = b->lambda};
}

static inline double bench_largest(int n, const double* x)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

typedef void bench_fn(bench* b, rng* r);

enum { BENCH_STATES = CHECK_SANITIZED ? 2 : 5 };

// Some closed states and motions of the fixture of that number.
static inline void bench_over(int which, bench_fn* f)
{
  for (uint64_t seed = 1; seed <= BENCH_STATES; seed++) {
    bench b = bench_of(closed_make(which, seed));
    check_at("%s, seed %d", b.c.name, (int)seed);
    rng r = {seed};
    closed_acceleration(&b.c, seed, b.a);
    f(&b, &r);
    bench_end(&b);
  }
}

// The four-bar of the figures. drives: bits 0, 1, 2 for motors at crank, rocker, coupler. cut: where the
// loop is open: the coupler hangs on the crank (0) or on the rocker (1). Joints are added in the order
// crank, rocker, coupler, and so are q.
static inline limb_model* bench_four_bar(unsigned drives, int cut)
{
  const double crank = 0.35, coupler = 0.9, rocker = 0.7;
  const double I[3][6] = {{0.002, 0, 0, 0.02, 0, 0.02}, {0.015, 0, 0, 0.15, 0, 0.15}, {0.007, 0, 0, 0.07, 0, 0.07}};
  limb_builder* b = fixture_begin("four_bar");
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  closed_link link = {.type = LIMB_REVOLUTE, .axis = {0, 0, 1}};
  link.name = "crank", link.parent = LIMB_WORLD_BODY, link.placement = sp_pose_identity();
  link.inertia = fixture_inertia(1.2, sp_v3(0.16, 0, 0), I[0]), link.active = drives & 1;
  const int one = closed_add(b, &link);
  link.name = "rocker", link.placement = fixture_at(1, 0, 0);
  link.inertia = fixture_inertia(1.6, sp_v3(0.33, 0, 0), I[2]), link.active = drives >> 2 & 1;
  const int three = closed_add(b, &link);
  // on the rocker the coupler's origin is at its far end
  link.name = "coupler", link.parent = cut ? three : one;
  link.placement = fixture_at(cut ? rocker : crank, 0, 0);
  link.inertia = fixture_inertia(2.1, sp_v3(cut ? 0.44 - coupler : 0.44, 0, 0), I[1]);
  link.active = drives >> 2 & 1;
  const int two = closed_add(b, &link);
  closed_join(b, "closure", LIMB_LOOP_PIN, two, fixture_at(cut ? -coupler : coupler, 0, 0), cut ? one : three,
              fixture_at(cut ? crank : rocker, 0, 0));
  return fixture_end(b);
}

// Methods that correct multipliers step by step.
static inline int bench_iterates(int method)
{
  return method == LIMB_LOOP_METHOD_PROXIMAL || method == LIMB_LOOP_METHOD_SEQUENTIAL;
}

// The defaults, with a method.
static inline limb_loop_solver bench_options(limb_loop_method method)
{
  limb_loop_solver o = limb_default_loop_solver();
  o.method = method;
  return o;
}

// A body of a planar mechanism: its centre of mass on the x axis, inertia about it.
static inline sp_inertia bench_flat(double mass, double x, double inertia)
{
  const double moments[6] = {inertia, 0, 0, inertia, 0, inertia};
  return fixture_inertia(mass, sp_v3(x, 0, 0), moments);
}

#endif
