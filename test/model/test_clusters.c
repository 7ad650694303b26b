// Which loops share joints, and which velocities belong together: against sets made one by one, and by
// hand.
#include "model/model_impl.h"
#include "support/check.h"
#include "support/closed_impl.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// ---- sets made one by one ------------------------------------------------------------------------------

static limb_joint_info joint_of(const limb_model* m, int joint)
{
  limb_joint_info info;
  assert_ok(limb_get_joint(m, joint, &info));
  return info;
}

// Adds 1 to the count of every joint from a body to the world.
static void walk(const limb_model* m, int body, int* count)
{
  limb_body_info info;
  for (; body > 0; body = info.parent) {
    assert_ok(limb_get_body(m, body, &info));
    count[info.joint]++;
  }
}

// Joints that a loop ties: those on exactly one of the two ways to the world.
static void tied_by(const limb_model* m, int loop, int* count)
{
  limb_loop_info info;
  assert_ok(limb_get_loop(m, loop, &info));
  memset(count, 0, (size_t)limb_joint_count(m) * sizeof *count);
  if (info.def.kind != LIMB_LOOP_GEAR && info.def.kind != LIMB_LOOP_POLYNOMIAL) {
    walk(m, info.def.body_a, count);
    walk(m, info.def.body_b, count);
    return;
  }
  const int one = info.def.joint, two = info.def.other;
  walk(m, joint_of(m, one).def.parent, count);
  walk(m, joint_of(m, two).def.parent, count);
  count[one] = count[two] = 1; // themselves, too
}

// set[v]: a mark that velocities of one cluster have in common, -1: in no loop. Marks spread until nothing
// changes.
static void brute_force(const limb_model* m, int* set)
{
  const int joints = limb_joint_count(m);
  int* count = calloc((size_t)joints, sizeof *count);
  assert_that(count != NULL);
  for (int v = 0; v < limb_nv(m); v++) set[v] = -1;
  for (bool changed = true; changed;) {
    changed = false;
    for (int l = 0; l < limb_loop_count(m); l++) {
      int most = l;
      tied_by(m, l, count);
      for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < joints; j++) {
          const limb_joint_info info = joint_of(m, j);
          const int n = info.def.mimic >= 0 ? 1 : info.nv;
          for (int v = info.v; count[j] == 1 && v < info.v + n; v++) {
            if (pass == 0 && set[v] > most) most = set[v];
            if (pass == 1 && set[v] != most) set[v] = most, changed = true;
          }
        }
      }
    }
  }
  free(count);
}

static void same_sets(const limb_model* m)
{
  const int nv = limb_nv(m);
  int* set = calloc((size_t)nv, sizeof *set);
  assert_that(set != NULL);
  brute_force(m, set);
  for (int v = 0; v < nv; v++) {
    assert_that((set[v] < 0) == (m->clusters.of_v[v] < 0));
    for (int w = 0; w < v; w++) assert_that((set[v] == set[w]) == (m->clusters.of_v[v] == m->clusters.of_v[w]));
  }
  free(set);
}

// ---- the lists -----------------------------------------------------------------------------------------

static void ascending(int n, const int* x, const int* of, int cluster)
{
  for (int i = 0; i < n; i++) {
    assert_that(i == 0 || x[i] > x[i - 1]);
    assert_that(of[x[i]] == cluster);
  }
}

static void lists_agree(const limb_model* m)
{
  const limb_clusters* c = &m->clusters;
  int velocities = 0, links = 0, loops = 0, row = 0, max_nv = 0, max_nrow = 0;
  ptrdiff_t block = 0;
  for (int k = 0; k < c->count; k++) {
    const limb_cluster* s = &c->cluster[k];
    assert_that(s->nlink > 0 && s->nv > 0 && s->nloop > 0);
    ascending(s->nlink, s->link, c->of_link, k);
    ascending(s->nv, s->v, c->of_v, k);
    assert_that(k == 0 || s->link[0] > c->cluster[k - 1].link[0]);
    assert_that(s->base == m->link[s->link[0]].parent);
    assert_that(s->row == row && s->block == block);
    int local = 0;
    for (int i = 0; i < s->nloop; i++) {
      const limb_loop* loop = &m->loop[s->loop[i]];
      assert_that(loop->cluster == k && loop->local == local);
      assert_that(i == 0 || s->loop[i] > s->loop[i - 1]);
      local += loop->nrow;
    }
    assert_that(local == s->nrow);
    // a joint hangs on another of them, or on the base
    for (int i = 0; !m->has_mimic && i < s->nlink; i++) {
      const int parent = m->link[s->link[i]].parent;
      assert_that(parent == s->base || c->of_link[parent] == k);
    }
    velocities += s->nv, links += s->nlink, loops += s->nloop, row += s->nrow;
    block += (ptrdiff_t)s->nrow * s->nv;
    if (s->nv > max_nv) max_nv = s->nv;
    if (s->nrow > max_nrow) max_nrow = s->nrow;
  }
  assert_that(loops == m->nloop && row == m->nrow && block == c->entries);
  assert_that(max_nv == c->max_nv && max_nrow == c->max_nrow);
  for (int v = 0; v < m->nv; v++) velocities -= c->of_v[v] >= 0;
  for (int i = 0; i < m->nlink; i++) links -= c->of_link[i] >= 0;
  assert_that(velocities == 0 && links == 0);
}

// Where velocities of a loop stand among those of its cluster.
static void columns_agree(const limb_model* m)
{
  int* count = calloc((size_t)limb_joint_count(m), sizeof *count);
  assert_that(count != NULL);
  for (int l = 0; l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    const limb_cluster* s = &m->clusters.cluster[loop->cluster];
    int axes = 0;
    tied_by(m, l, count);
    for (int j = 0; j < limb_joint_count(m); j++) axes += count[j] == 1 ? limb_type_nv(joint_of(m, j).def.type) : 0;
    if (loop->q[0] >= 0) {
      for (int e = 0; e < 2; e++) assert_that(s->v[loop->column[e]] == loop->v[e]);
      continue;
    }
    assert_that(loop->naxis == axes);
    for (int x = 0; x < loop->naxis; x++) {
      const limb_loop_axis* axis = &loop->axis[x];
      assert_that(s->v[axis->column] == m->dof[m->link[axis->link].dof + axis->k].v);
    }
  }
  free(count);
}

START_TEST(fixtures)
{
  for (int which = 0; which < closed_count(); which++) {
    closed_case c = closed_make(which, (uint64_t)_i + 1);
    check_at("%s, seed %d", c.name, _i + 1);
    same_sets(c.m);
    lists_agree(c.m);
    columns_agree(c.m);
    closed_free(&c);
  }
}
END_TEST

// More random trees than there are fixtures: they need not be closed here.
START_TEST(random_trees)
{
  for (int k = 0; k < (CHECK_SANITIZED ? 3 : 12); k++) {
    static const unsigned flags[3] = {0, CLOSED_MIMIC, CLOSED_MIMIC | CLOSED_REDUNDANT};
    const uint64_t seed = (uint64_t)(100 * _i + k);
    double* q = NULL;
    limb_model* m = closed_random(seed, 9 + 3 * k, flags[k % 3], &q);
    check_at("seed %d, %d bodies", (int)seed, 9 + 3 * k);
    if (limb_loop_count(m) > 0) {
      same_sets(m);
      lists_agree(m);
      columns_agree(m);
    }
    limb_model_destroy(m);
    free(q);
  }
}
END_TEST

// ---- by hand -------------------------------------------------------------------------------------------

static int hinge(limb_builder* b, const char* name, int parent)
{
  return fixture_link(b, name, LIMB_REVOLUTE, parent, fixture_at(0.3, 0, 0), sp_v3(0, 0, 1),
                      limb_inertia_sphere(1, 0.1));
}

static int cluster_of(const limb_model* m, const char* joint)
{
  return m->clusters.of_v[joint_of(m, limb_find_joint(m, joint)).v];
}

static void gear(limb_builder* b, const char* name, const char* joint, const char* other)
{
  limb_loop_def def = limb_default_loop_def(name, LIMB_LOOP_GEAR, -1, -1);
  def.joint = limb_builder_find_joint(b, joint), def.other = limb_builder_find_joint(b, other);
  def.coefficient[1] = 2;
  closed_add_loop(b, &def);
}

// Two chains on a trunk, a b c and d e f, closed or geared in various ways.
static limb_builder* two_chains(void)
{
  limb_builder* b = fixture_begin("two_chains");
  const int trunk = hinge(b, "trunk", LIMB_WORLD_BODY);
  static const char* const name[6] = {"a", "b", "c", "d", "e", "f"};
  int parent = trunk;
  for (int k = 0; k < 6; k++) parent = hinge(b, name[k], k == 3 ? trunk : parent);
  return b;
}

static void pin(limb_builder* b, const char* name, const char* one, const char* two)
{
  closed_join(b, name, LIMB_LOOP_PIN, limb_builder_find_body(b, one), fixture_at(0.3, 0, 0),
              limb_builder_find_body(b, two), fixture_at(0.2, 0, 0));
}

START_TEST(loops_apart)
{
  limb_builder* b = two_chains();
  pin(b, "first", "trunk", "b");
  pin(b, "second", "f", "trunk");
  limb_model* m = fixture_end(b);
  assert_that(m->clusters.count == 2);
  assert_that(cluster_of(m, "trunk") == -1 && cluster_of(m, "c") == -1);
  assert_that(cluster_of(m, "a") == 0 && cluster_of(m, "b") == 0);
  for (int k = 0; k < 3; k++) {
    static const char* const name[3] = {"d", "e", "f"};
    assert_that(cluster_of(m, name[k]) == 1);
  }
  for (int k = 0; k < 2; k++) assert_that(m->clusters.cluster[k].base == m->body[limb_find_body(m, "trunk")].link);
  assert_that(m->loop[0].cluster == 0 && m->loop[1].cluster == 1);
  limb_model_destroy(m);
}
END_TEST

// One joint in common is enough; the base is what carries both then.
START_TEST(loops_that_share_a_joint)
{
  limb_builder* b = two_chains();
  pin(b, "first", "trunk", "b");
  pin(b, "second", "a", "c"); // b and c
  pin(b, "third", "d", "f");
  limb_model* m = fixture_end(b);
  assert_that(m->clusters.count == 2);
  assert_that(m->loop[0].cluster == 0 && m->loop[1].cluster == 0 && m->loop[2].cluster == 1);
  assert_that(cluster_of(m, "a") == 0 && cluster_of(m, "b") == 0 && cluster_of(m, "c") == 0);
  assert_that(cluster_of(m, "d") == -1 && cluster_of(m, "e") == 1 && cluster_of(m, "f") == 1);
  assert_that(m->clusters.cluster[0].nrow == 10 && m->clusters.cluster[1].nrow == 5);
  assert_that(m->clusters.cluster[1].base == m->body[limb_find_body(m, "d")].link);
  limb_model_destroy(m);
}
END_TEST

// Neighbours on one base share no joint: b with c, then c's child with nobody.
START_TEST(one_behind_the_other)
{
  limb_builder* b = two_chains();
  pin(b, "near", "trunk", "a");
  pin(b, "far", "a", "c");
  limb_model* m = fixture_end(b);
  assert_that(m->clusters.count == 2 && cluster_of(m, "a") == 0 && cluster_of(m, "b") == 1);
  assert_that(m->clusters.cluster[1].base == m->body[limb_find_body(m, "a")].link);
  limb_model_destroy(m);
}
END_TEST

// A closure with the world ties all that carries it.
START_TEST(closed_to_the_world)
{
  limb_builder* b = two_chains();
  closed_join(b, "ground", LIMB_LOOP_PIN, LIMB_WORLD_BODY, sp_pose_identity(), limb_builder_find_body(b, "b"),
              sp_pose_identity());
  limb_model* m = fixture_end(b);
  assert_that(m->clusters.count == 1 && m->clusters.cluster[0].base == -1);
  assert_that(m->clusters.cluster[0].nv == 3 && cluster_of(m, "trunk") == 0);
  assert_that(cluster_of(m, "c") == -1 && cluster_of(m, "d") == -1);
  limb_model_destroy(m);
}
END_TEST

// Gears between neighbours tie two joints; across chains, and along one, those between them as well.
START_TEST(gears)
{
  limb_builder* b = two_chains();
  gear(b, "siblings", "a", "d");
  gear(b, "along", "b", "c");
  limb_model* m = fixture_end(b);
  assert_that(m->clusters.count == 2 && m->clusters.cluster[0].nv == 2);
  assert_that(cluster_of(m, "a") == 0 && cluster_of(m, "d") == 0);
  assert_that(cluster_of(m, "b") == 1 && cluster_of(m, "c") == 1 && cluster_of(m, "e") == -1);
  limb_model_destroy(m);
  b = two_chains();
  gear(b, "ends", "f", "b");
  m = fixture_end(b);
  assert_that(m->clusters.count == 1 && m->clusters.cluster[0].nv == 5);
  assert_that(cluster_of(m, "trunk") == -1 && cluster_of(m, "c") == -1);
  limb_model_destroy(m);
  b = two_chains();
  gear(b, "along", "trunk", "b");
  m = fixture_end(b);
  assert_that(m->clusters.count == 1 && m->clusters.cluster[0].nv == 3);
  assert_that(m->clusters.cluster[0].base == -1);
  limb_model_destroy(m);
}
END_TEST

// A joint that follows one in a loop moves with the loop, wherever it is.
START_TEST(mimic)
{
  limb_builder* b = two_chains();
  const int tail = fixture_body(b, "tail", limb_inertia_sphere(1, 0.1));
  limb_joint_def def = limb_default_joint_def("tail", LIMB_REVOLUTE, limb_builder_find_body(b, "f"), tail);
  def.mimic = limb_builder_find_joint(b, "b"), def.multiplier = 2;
  (void)fixture_joint(b, &def);
  pin(b, "first", "trunk", "b");
  pin(b, "second", "tail", "e"); // f and the tail
  limb_model* m = fixture_end(b);
  assert_that(m->clusters.count == 1 && m->clusters.cluster[0].nv == 3);
  assert_that(m->clusters.cluster[0].nlink == 4);
  assert_that(cluster_of(m, "a") == 0 && cluster_of(m, "f") == 0 && cluster_of(m, "e") == -1);
  limb_model_destroy(m);
}
END_TEST

// The same when it is the first link of the robot, and on no way itself.
START_TEST(mimic_in_front)
{
  limb_builder* b = fixture_begin("mimic_in_front");
  const int nose = fixture_body(b, "nose", limb_inertia_sphere(1, 0.1));
  limb_joint_def def = limb_default_joint_def("nose", LIMB_REVOLUTE, LIMB_WORLD_BODY, nose);
  def.mimic = 2; // joint two
  (void)fixture_joint(b, &def);
  const int one = hinge(b, "one", LIMB_WORLD_BODY);
  const int two = hinge(b, "two", one);
  closed_join(b, "loop", LIMB_LOOP_PIN, one, sp_pose_identity(), two, sp_pose_identity());
  limb_model* m = fixture_end(b);
  const limb_clusters* c = &m->clusters;
  assert_that(m->body[nose].link < m->body[two].link);
  assert_that(c->count == 1 && c->cluster[0].nv == 1 && c->cluster[0].nlink == 2);
  assert_that(c->of_link[m->body[nose].link] == 0 && c->of_link[m->body[one].link] == -1);
  lists_agree(m);
  limb_model_destroy(m);
}
END_TEST

// A free base carries a loop without being in it; a loop with the ground takes it in.
START_TEST(free_base)
{
  for (int grounded = 0; grounded < 2; grounded++) {
    limb_builder* b = fixture_begin("free_base");
    const int hull = fixture_link(b, "hull", LIMB_FREE, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1),
                                  limb_inertia_sphere(2, 0.2));
    const int ball =
      fixture_link(b, "ball", LIMB_SPHERICAL, hull, fixture_at(0.1, 0, 0), sp_v3(0, 0, 1), limb_inertia_sphere(1, 0.1));
    const int arm = hinge(b, "arm", ball);
    closed_join(b, "loop", LIMB_LOOP_BALL, grounded ? LIMB_WORLD_BODY : hull, sp_pose_identity(), arm,
                sp_pose_identity());
    limb_model* m = fixture_end(b);
    assert_that(m->clusters.count == 1 && m->clusters.cluster[0].nv == (grounded ? 10 : 4));
    assert_that(cluster_of(m, "hull") == (grounded ? 0 : -1));
    assert_that(m->clusters.cluster[0].base == (grounded ? -1 : m->body[hull].link));
    limb_model_destroy(m);
  }
}
END_TEST

START_TEST(ladders)
{
  enum { CELLS = 20 };
  limb_model* m = closed_ladder(CELLS);
  assert_that(m->clusters.count == CELLS && m->clusters.max_nv == 3);
  for (int k = 0; k < CELLS; k++) {
    const limb_cluster* s = &m->clusters.cluster[k];
    assert_that(s->nv == 3 && s->nloop == 1 && s->nrow == 5);
    assert_that((k == 0) == (s->base < 0));
    assert_that(k == 0 || m->clusters.of_link[s->base] == k - 1);
  }
  limb_model_destroy(m);
}
END_TEST

START_TEST(no_loops)
{
  limb_model* m = fixture_end(two_chains());
  assert_that(m->clusters.count == 0 && m->clusters.entries == 0 && !m->clusters.memory);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("model/clusters", CHECK_SANITIZED ? 1 : 4, fixtures, random_trees, loops_apart, loops_that_share_a_joint,
           one_behind_the_other, closed_to_the_world, gears, mimic, mimic_in_front, free_base, ladders, no_loops)
