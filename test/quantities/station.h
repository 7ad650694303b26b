// A built-in robot at a state, with an evaluator: of a robot with loops the state closes them.
#ifndef LIMB_TEST_STATION_H
#define LIMB_TEST_STATION_H

#include "limb/assemble.h"
#include "limb/dynamics.h"
#include "limb/model.h"
#include "limb/quantities.h"
#include "limb/read.h"

#include "support/check.h"
#include "support/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATION_NV = 64, STATION_NUMBERS = 400000 };

typedef struct station {
  limb_model* m;
  limb_data *d, *tree; // of the robot, and of its spanning tree
  limb_data* loops;    // NULL: a tree
  limb_environment env;
  limb_wrench wrench;
  limb_state s;
  limb_evaluator* e;
  int nq, nv, nc, frame;
  double q[STATION_NV], v[STATION_NV], a[STATION_NV], tau[STATION_NV];
  double *x, *y; // STATION_NUMBERS each: answers, and what is expected
} station;

static inline void station_close(station* t)
{
  limb_assembly how = limb_default_assembly();
  how.restarts = 20;
  assert_ok(limb_data_create(t->m, NULL, &t->loops));
  assert_ok(limb_start(t->m, t->q));
  assert_ok(limb_assemble(t->loops, &how, t->q, NULL));
  assert_ok(limb_complete_velocities(t->loops, t->q, NULL, NULL, t->v));
  assert_ok(limb_integrate(t->m, t->q, t->v, 0.05, t->q));
  assert_ok(limb_project(t->loops, NULL, t->q, NULL, NULL));
  assert_ok(limb_complete_velocities(t->loops, t->q, NULL, NULL, t->v));
  assert_ok(limb_complete_accelerations(t->loops, t->q, t->v, NULL, NULL, t->a));
}

static inline void station_open(station* t, const char* robot, const limb_evaluator_options* options)
{
  rng r = {7};
  uint64_t seed = 11;
  *t = (station){.nq = 0};
  check_at("%s", robot);
  assert_ok(limb_load(robot, NULL, &t->m, NULL));
  assert_ok(limb_data_create(t->m, NULL, &t->d));
  assert_ok(limb_data_create(limb_spanning_tree(t->m), NULL, &t->tree));
  t->nq = limb_nq(t->m), t->nv = limb_nv(t->m), t->nc = limb_constraint_count(t->m);
  assert_that(t->nq <= STATION_NV);
  assert_ok(limb_random(t->m, &seed, t->q));
  rng_fill(&r, 1, t->nv, t->v);
  rng_fill(&r, 1, t->nv, t->a);
  rng_fill(&r, 1, t->nv, t->tau);
  if (t->nc > 0) station_close(t);
  t->frame = limb_frame_count(t->m) - 1;
  t->wrench = (limb_wrench){t->frame, LIMB_ALIGNED, {{0.1, -0.2, 0.3}, {1, 2, -3}}};
  t->env = limb_default_environment(t->m);
  t->env.nwrench = 1, t->env.wrench = &t->wrench;
  t->s = (limb_state){.q = t->q, .v = t->v, .a = t->a, .tau = t->tau, .env = &t->env};
  t->x = calloc(STATION_NUMBERS, sizeof *t->x);
  t->y = calloc(STATION_NUMBERS, sizeof *t->y);
  assert_that(t->x && t->y);
  limb_evaluator_options o = options ? *options : limb_default_evaluator_options();
  o.frame = t->frame;
  if (o.dt == 0) o.dt = 0.01;
  assert_ok(limb_evaluator_create(t->m, &o, NULL, &t->e));
}

static inline void station_end(station* t)
{
  limb_evaluator_destroy(t->e);
  limb_data_destroy(t->loops);
  limb_data_destroy(t->d);
  limb_data_destroy(t->tree);
  limb_model_destroy(t->m);
  free(t->x);
  free(t->y);
}

// Adds one name, and evaluates it alone.
static inline limb_item station_ask(station* t, const char* name)
{
  limb_error err = {0};
  limb_item item;
  int first = 0, count = 0;
  limb_evaluator_keep(t->e, 0);
  const limb_status s = limb_evaluator_add(t->e, name, &first, &count, &err);
  check_at("%s: %s: %s", limb_model_name(t->m), name, err.text);
  assert_ok(s);
  assert_that(count == 1);
  assert_ok(limb_evaluator_get(t->e, first, &item));
  assert_that(item.size == limb_evaluator_width(t->e) && item.size < STATION_NUMBERS);
  const limb_status done = limb_evaluator_run(t->e, &t->s, t->x);
  (void)limb_evaluator_failure(t->e, &err);
  check_at("%s: %s: %s", limb_model_name(t->m), name, err.text);
  assert_ok(done);
  return item;
}

#endif
