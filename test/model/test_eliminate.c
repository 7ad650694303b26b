// The elimination order of the mass matrix: every nonzero lies on a path, whatever follows what.

#include "limb/limb.h"

#include "model/model_impl.h"
#include "support/check.h"
#include "support/rng.h"

#include <stdio.h>

enum { MOST = 16 };

// A random tree of hinges without mass; a share of them follow others, before or behind them.
static limb_model* random_followers(rng* r)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_error err;
  assert_ok(limb_builder_create(NULL, &b));
  const int n = 2 + rng_below(r, MOST - 2), share = 20 + rng_below(r, 60);
  int follower[MOST];
  for (int i = 0; i < n; i++) follower[i] = rng_below(r, 100) < share;
  follower[rng_below(r, n)] = 0;
  for (int i = 0; i < n; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "%d", i);
    const limb_body_def body = limb_default_body_def(name);
    assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  }
  for (int i = 0; i < n; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "%d", i);
    const int parent = rng_below(r, 100) < 60 ? i : rng_below(r, i + 1);
    limb_joint_def joint = limb_default_joint_def(name, LIMB_REVOLUTE, parent, i + 1);
    while (follower[i] && (joint.mimic < 0 || follower[joint.mimic])) joint.mimic = rng_below(r, n);
    assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  }
  assert_ok(limb_builder_build(b, &m, &err));
  limb_builder_destroy(b);
  return m;
}

static int on_one_path(const limb_elimination* e, int high, int low)
{
  while (high > low) high = e->parent[high];
  return high == low;
}

START_TEST(rows_of_a_dof_and_its_ancestors_lie_on_one_path)
{
  rng r = {20261};
  for (int trial = 0; trial < 4000; trial++) {
    limb_model* m = random_followers(&r);
    check_at("tree %d", trial);
    for (int i = 0; i < m->nlink; i++) {
      const int row = m->elim.dof[m->link[i].dof];
      for (int p = m->link[i].parent; p >= 0; p = m->link[p].parent) {
        const int other = m->elim.dof[m->link[p].dof];
        assert_that(row > other ? on_one_path(&m->elim, row, other) : on_one_path(&m->elim, other, row));
      }
    }
    limb_model_destroy(m);
  }
}
END_TEST

// A run's path is that of its last row, and goes on from that of the run which carries it.
static void check_path_of_run(const limb_elimination* e, const limb_row_run* run)
{
  const int last = run->first + run->count - 1;
  const int above = run->up < 0 ? 0 : e->run[run->up].above + e->run[run->up].count;
  assert_that(run->count <= LIMB_RUN_ROWS && run->above == above);
  assert_that(e->depth[last] + 1 == above + run->count);
  for (int k = last, j = e->depth[last]; j >= 0; k = e->parent[k], j--) assert_that(e->path[run->path + j] == e->v[k]);
}

// Wide rows of a run are one behind the other.
static void check_rows_of_run(const limb_elimination* e, const limb_row_run* run)
{
  for (int i = 0; i < run->count; i++) {
    const int v = e->v[run->first + i];
    assert_that(&e->run[e->run_of[v]] == run);
    assert_that(e->wide_row[v] == run->place + (ptrdiff_t)i * run->width);
  }
}

START_TEST(runs_hold_every_row_once)
{
  rng r = {20262};
  int kept = 0;
  for (int trial = 0; trial < 2000; trial++) {
    limb_model* m = random_followers(&r);
    const limb_elimination* e = &m->elim;
    ptrdiff_t place = 0;
    int rows = 0;
    check_at("tree %d", trial);
    for (int b = 0; b < e->nrun; b++) {
      const limb_row_run* run = &e->run[b];
      ck_assert_int_eq(run->first, rows);
      assert_that(run->place == place);
      check_path_of_run(e, run);
      check_rows_of_run(e, run);
      rows += run->count, place += (ptrdiff_t)run->count * run->width;
    }
    ck_assert_int_eq(rows, e->nrun > 0 ? m->nv : 0);
    assert_that((size_t)place == e->wide);
    kept += e->nrun > 0;
    limb_model_destroy(m);
  }
  ck_assert_int_gt(kept, 200);
}
END_TEST

// A long chain whose second joint follows the first: compiling stays linear, and the size of the factors
// is told, not wrapped.
START_TEST(long_chains_with_a_follower_compile)
{
  enum { N = 70000 };
  limb_builder* b = NULL;
  limb_model* m = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  for (int i = 0; i < N; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "%d", i);
    limb_body_def body = limb_default_body_def(name);
    body.inertia = limb_inertia_sphere(1, 0.1);
    assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
    limb_joint_def joint = limb_default_joint_def(name, LIMB_REVOLUTE, i, i + 1);
    joint.placement.p.x = 0.1;
    if (i == 1) joint.mimic = 0;
    assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  }
  assert_ok(limb_builder_build(b, &m, NULL));
  const size_t rows = N - 1;
  assert_that(m->elim.packed == rows * (rows + 1) / 2);
  assert_that(limb_data_size(m) > rows * (rows + 1) / 2 * sizeof(double));
  limb_model_destroy(m);
  limb_builder_destroy(b);
}
END_TEST

CHECK_MAIN("model/eliminate", 1, rows_of_a_dof_and_its_ancestors_lie_on_one_path, runs_hold_every_row_once,
           long_chains_with_a_follower_compile)
