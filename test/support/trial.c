// A fixture robot in a random state.
#include "support/trial.h"

#include <stdlib.h>

int trial_robots(void)
{
  int count;
  (void)robot_table(&count);
  return count;
}

static void* zeros(trial* t, size_t n, size_t size)
{
  void* p = calloc(n ? n : 1, size);
  if (!p || t->nblock == (int)(sizeof t->block / sizeof t->block[0])) abort();
  t->block[t->nblock++] = p;
  return p;
}

double* trial_doubles(trial* t, size_t n) { return zeros(t, n, sizeof(double)); }

sp_motion* trial_motions(trial* t, size_t n) { return zeros(t, n, sizeof(sp_motion)); }

sp_force* trial_forces(trial* t, size_t n) { return zeros(t, n, sizeof(sp_force)); }

sp_vec3* trial_vec3s(trial* t, size_t n) { return zeros(t, n, sizeof(sp_vec3)); }

sp_pose* trial_poses(trial* t, size_t n) { return zeros(t, n, sizeof(sp_pose)); }

int trial_small(const trial* t) { return !(t->robot->flags & ROBOT_LONG); }

int trial_enough(const trial* t) { return !trial_small(t) && t->state >= TRIAL_FEW; }

void trial_times(const double* A, const double* x, int rows, int columns, double* y)
{
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int j = 0; j < columns; j++) sum += A[(size_t)i * (size_t)columns + (size_t)j] * x[j];
    y[i] = sum;
  }
}

limb_environment trial_moving_base(trial* t)
{
  limb_environment env = t->env;
  env.base_velocity.w = rng_vec3(&t->r, 1), env.base_velocity.v = rng_vec3(&t->r, 1);
  env.base_acceleration.w = rng_vec3(&t->r, 2), env.base_acceleration.v = rng_vec3(&t->r, 2);
  return env;
}

static void draw_state(trial* t, uint64_t seed)
{
  t->r.state = seed;
  uint64_t manifold = seed;
  assert_ok(limb_random(t->m, &manifold, t->q));
  rng_fill(&t->r, 2, t->nv, t->v);
  rng_fill(&t->r, 5, t->nv, t->a);
  static const limb_ref refs[TRIAL_WRENCHES] = {LIMB_BODY, LIMB_WORLD, LIMB_ALIGNED};
  for (int i = 0; i < TRIAL_WRENCHES; i++) {
    t->wrench[i].frame = rng_below(&t->r, t->nframe);
    t->wrench[i].ref = refs[i];
    t->wrench[i].wrench.m = rng_vec3(&t->r, 5), t->wrench[i].wrench.f = rng_vec3(&t->r, 20);
  }
  t->env = limb_default_environment(t->m);
  t->env.nwrench = TRIAL_WRENCHES, t->env.wrench = t->wrench;
}

static void begin(trial* t, const robot* r)
{
  t->robot = r;
  t->m = r->make();
  t->nq = limb_nq(t->m), t->nv = limb_nv(t->m);
  t->nbody = limb_body_count(t->m), t->nframe = limb_frame_count(t->m);
  t->solve = r->flags & ROBOT_LONG ? TOL_LONG : TOL_SOLVE;
  assert_ok(limb_data_create(limb_spanning_tree(t->m), NULL, &t->d));
  t->q = calloc((size_t)t->nq + 1, sizeof *t->q);
  t->v = calloc((size_t)t->nv + 1, sizeof *t->v);
  t->a = calloc((size_t)t->nv + 1, sizeof *t->a);
  if (!t->q || !t->v || !t->a) abort();
}

static void finish(trial* t)
{
  free(t->q);
  free(t->v);
  free(t->a);
  limb_data_destroy(t->d);
  limb_model_destroy(t->m);
}

void trial_over(int index, int states, trial_fn* f)
{
  int count;
  const robot* r = &robot_table(&count)[index];
  trial t = {0};
  begin(&t, r);
  const int most = r->flags & ROBOT_LONG ? CHECK_EFFORT(TRIAL_FEW, TRIAL_LONG, states) : states;
  const int n = states < most ? states : most;
  for (int i = 0; i < n; i++) {
    const uint64_t seed = (uint64_t)index * 1000003u + (uint64_t)i;
    check_at("robot %s, state %d, seed %llu", r->name, i, (unsigned long long)seed);
    t.state = i;
    draw_state(&t, seed);
    f(&t);
    while (t.nblock > 0) free(t.block[--t.nblock]);
  }
  finish(&t);
}
