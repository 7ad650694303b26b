// A parallel robot in a state that closes its loops: what the tests of the platform form begin with.
#ifndef LIMB_TEST_PARALLEL_BENCH_H
#define LIMB_TEST_PARALLEL_BENCH_H

#include "limb/assemble.h"
#include "limb/parallel.h"

#include "loops/parallel_robots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static inline limb_model* usual_four_bar(void) { return closed_four_bar(1, 0.35, 0.9, 0.7); }

// A leg that hangs on the platform, and is closed at its foot.
static inline limb_model* gough_upside_down(void)
{
  limb_model *m = gough_floating(), *out = NULL;
  limb_error err = {0};
  fixture_ok(limb_recut(m, limb_find_loop(m, "ball3"), limb_find_joint(m, "cross3"), NULL, &out, &err), &err);
  limb_model_destroy(m);
  return out;
}

// ---- with workspaces ------------------------------------------------------------------------------------

typedef struct bench {
  closed_case c;
  limb_data* d;
  limb_data* w;
  limb_parallel* p;
  limb_parallel_info info;
  int nq, nv;
  double *a, *tau, *tree, *x, *y, *q;
  limb_platform_motion motion; // of the state
} bench;

static inline limb_platform_motion motion_at(limb_data* d, int platform, const double* q, const double* v,
                                             const double* a)
{
  limb_platform_motion x;
  assert_ok(limb_kinematics(d, q, v, a));
  assert_ok(limb_frame_pose(d, platform, &x.pose));
  assert_ok(limb_frame_velocity(d, platform, LIMB_BODY, &x.velocity));
  assert_ok(limb_frame_acceleration(d, platform, LIMB_BODY, &x.acceleration));
  return x;
}

// A configuration near the start that closes the loops.
static inline void close_near_start(const limb_model* m, rng* r, double* q)
{
  double* step = numbers(limb_nv(m));
  int closed = 0;
  for (int k = 0; k < 50 && !closed; k++) {
    assert_ok(limb_start(m, q));
    rng_fill(r, 0.1, limb_nv(m), step);
    assert_ok(limb_integrate(m, q, step, 1, q));
    closed = closed_close(m, q);
  }
  free(step);
  assert_that(closed);
}

// The one that is cut elsewhere: closed as it was, and taken over.
static inline void close_upside_down(const limb_model* m, rng* r, double* q)
{
  limb_model* usual = gough_floating();
  limb_data* d = NULL;
  double* was = numbers(limb_nq(usual));
  close_near_start(usual, r, was);
  assert_ok(limb_data_create(usual, NULL, &d));
  assert_ok(limb_recut_state(d, m, was, NULL, q, NULL));
  assert_that(closed_close(m, q));
  limb_data_destroy(d);
  limb_model_destroy(usual);
  free(was);
}

static inline bench bench_of(limb_model* m, const char* platform, uint64_t seed)
{
  bench b = {.c = {.name = limb_model_name(m), .m = m}};
  limb_error err = {0};
  rng r = {seed};
  check_at("%s, platform %s, seed %d", b.c.name, platform ? platform : "found", (int)seed);
  b.nq = limb_nq(m), b.nv = limb_nv(m);
  b.c.q = numbers(b.nq), b.c.v = numbers(b.nv);
  b.a = numbers(b.nv), b.tau = numbers(b.nv), b.tree = numbers(b.nv), b.x = numbers(b.nv);
  b.y = numbers(b.nv), b.q = numbers(b.nq);
  if (limb_find_loop(m, "cross3") >= 0)
    close_upside_down(m, &r, b.c.q);
  else
    close_near_start(m, &r, b.c.q);
  closed_velocity(&b.c, rng_next(&r), b.c.v);
  closed_acceleration(&b.c, rng_next(&r), b.a);
  assert_ok(limb_data_create(m, NULL, &b.d));
  assert_ok(limb_data_create(m, NULL, &b.w));
  const int body = platform ? limb_find_body(m, platform) : -1;
  fixture_ok(limb_parallel_create(m, body, NULL, &b.p, &err), &err);
  assert_ok(limb_parallel_get(b.p, &b.info));
  b.motion = motion_at(b.d, b.info.platform, b.c.q, b.c.v, b.a);
  return b;
}

// The same robot with other motors: marks by joint.
static inline limb_model* closed_with_motors(limb_model* m, const char* const* active, int count)
{
  limb_builder* b = fixture_begin(limb_model_name(m));
  fixture_gravity(b, limb_model_gravity(m));
  for (int i = 1; i < limb_body_count(m); i++) {
    limb_body_info body;
    assert_ok(limb_get_body(m, i, &body));
    (void)fixture_body(b, body.name, body.inertia);
  }
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info joint;
    assert_ok(limb_get_joint(m, j, &joint));
    joint.def.drive = LIMB_DRIVE_PASSIVE;
    for (int k = 0; k < count; k++) {
      if (!strcmp(active[k], joint.def.name)) joint.def.drive = LIMB_DRIVE_ACTIVE;
    }
    fixture_joint(b, &joint.def);
  }
  for (int l = 0; l < limb_loop_count(m); l++) {
    limb_loop_info loop;
    assert_ok(limb_get_loop(m, l, &loop));
    closed_add_loop(b, &loop.def);
  }
  limb_model_destroy(m);
  return fixture_end(b);
}

static inline void bench_free(bench* b)
{
  limb_parallel_destroy(b->p);
  limb_data_destroy(b->w);
  limb_data_destroy(b->d);
  free(b->a), free(b->tau), free(b->tree), free(b->x), free(b->y), free(b->q);
  closed_free(&b->c);
}

#endif
