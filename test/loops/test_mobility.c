// Mobility of robots with loops: counted, classified, conditioned.
#include "loops/closed_ground.h"

// ---- over all fixtures ---------------------------------------------------------------------------------

// Rank by orthogonal rows: what is left of each after those before.
static int rank_of(int rows, int columns, double* A)
{
  int rank = 0;
  for (;;) {
    int best = -1;
    double most = 1e-8;
    for (int i = rank; i < rows; i++) {
      double sum = 0;
      for (int j = 0; j < columns; j++) sum += A[i * columns + j] * A[i * columns + j];
      if (sqrt(sum) > most) best = i, most = sqrt(sum);
    }
    if (best < 0) return rank;
    for (int j = 0; j < columns; j++) {
      const double t = A[best * columns + j];
      A[best * columns + j] = A[rank * columns + j];
      A[rank * columns + j] = t / most;
    }
    for (int i = rank + 1; i < rows; i++) {
      double dot = 0;
      for (int j = 0; j < columns; j++) dot += A[i * columns + j] * A[rank * columns + j];
      for (int j = 0; j < columns; j++) A[i * columns + j] -= dot * A[rank * columns + j];
    }
    rank++;
  }
}

// The columns of marked velocities only, or all.
static int rank_at(ground* g, const unsigned char* only)
{
  double* Psi = numbers(g->nc * g->nv);
  assert_ok(limb_loop_equations_at(g->w, g->c.q, NULL, NULL, &(limb_loop_equations){.Psi = Psi}));
  for (int i = 0; i < g->nc * g->nv; i++) Psi[i] = only && !only[i % g->nv] ? 0 : Psi[i];
  const int rank = rank_of(g->nc, g->nv, Psi);
  free(Psi);
  return rank;
}

static void counts(ground* g, uint64_t seed)
{
  (void)seed;
  unsigned char passive[256] = {0};
  for (int j = 0; j < limb_joint_count(g->c.m); j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(g->c.m, j, &info));
    for (int k = 0; k < info.nv; k++) passive[info.v + k] = (unsigned char)info.passive;
  }
  int passives = 0;
  for (int v = 0; v < g->nv; v++) passives += passive[v];
  const limb_mobility x = ground_mobility(g, g->c.q);
  const int rank = rank_at(g, NULL), of_passive = rank_at(g, passive);
  assert_that(x.nv == g->nv && x.constraints == g->nc && x.rank == rank);
  assert_that(x.gruebler == g->nv - g->nc && x.mobility == g->nv - rank);
  assert_that(x.redundant == g->nc - rank && x.idle >= 0 && x.idle <= x.redundant);
  assert_that(x.passive == passives && x.active == g->nv - passives);
  assert_that(x.undriven == passives - of_passive);
  assert_that(x.driven == x.mobility - x.undriven && x.overdriven == x.active - x.driven);
  assert_that(x.condition >= 1 && x.condition_passive >= 1 && x.condition_active >= 1);
  if (g->c.flags & CLOSED_REDUNDANT) assert_that(x.redundant > x.idle);
}

START_TEST(counts_agree_with_orthogonal_rows) { ground_over(_i, 4, counts); }
END_TEST

// What is left when redundant rows are taken away has the same rank, and that many rows.
static void redundant(ground* g, uint64_t seed)
{
  (void)seed;
  unsigned char* mark = calloc((size_t)g->nc + 1, 1);
  if (!mark) abort();
  assert_ok(limb_redundant_constraints(g->w, g->c.q, NULL, mark));
  double* Psi = numbers(g->nc * g->nv);
  assert_ok(limb_loop_equations_at(g->w, g->c.q, NULL, NULL, &(limb_loop_equations){.Psi = Psi}));
  int kept = 0;
  for (int i = 0; i < g->nc; i++) {
    kept += !mark[i];
    for (int j = 0; mark[i] && j < g->nv; j++) Psi[i * g->nv + j] = 0;
  }
  const limb_mobility x = ground_mobility(g, g->c.q);
  assert_that(kept == x.rank && rank_of(g->nc, g->nv, Psi) == x.rank);
  free(Psi);
  free(mark);
}

START_TEST(redundant_rows_add_nothing) { ground_over(_i, 3, redundant); }
END_TEST

// ---- known mechanisms ----------------------------------------------------------------------------------

START_TEST(textbook_mobilities)
{
  static const struct {
    const char* name;
    int gruebler, mobility, idle, undriven, overdriven;
  } want[] = {{"four_bar", -2, 1, 3, 0, 0},    {"four_bar_tilted", -2, 1, 3, 0, 0},
              {"five_bar", -1, 2, 3, 0, 0},    {"slider_crank", -2, 1, 3, 0, 0},
              {"3rrr", -3, 3, 6, 0, 0},        {"gear_pair", 2, 2, 0, 0, 0},
              {"bennett", -2, 1, 0, 0, 0},     {"gough_stewart", 6, 6, 0, 0, 0},
              {"ladder", -10, 5, 15, 0, 0},    {"floating", 7, 10, 3, 6, 0},
              {"rolling_disc", 3, 3, 0, 3, 0}, {"sled", 2, 2, 0, 2, 0},
              {"diff_drive", 1, 2, 0, 0, 0},   {"driven_arm", 2, 2, 0, 0, 1}};
  for (size_t k = 0; k < sizeof want / sizeof want[0]; k++) {
    ground g = ground_of(closed_find(want[k].name, 3));
    const limb_mobility x = ground_mobility(&g, g.c.q);
    check_at("%s: %d %d %d %d %d", g.c.name, x.gruebler, x.mobility, x.idle, x.undriven, x.overdriven);
    assert_that(x.gruebler == want[k].gruebler && x.mobility == want[k].mobility);
    assert_that(x.idle == want[k].idle && x.undriven == want[k].undriven);
    assert_that(x.overdriven == want[k].overdriven);
    assert_that(x.singularity == LIMB_REGULAR);
    ground_end(&g);
  }
}
END_TEST

START_TEST(no_loops_all_free)
{
  ground g = ground_with(robot_ur5());
  const limb_mobility x = ground_mobility(&g, g.c.q);
  assert_that(x.mobility == 6 && x.constraints == 0 && x.gruebler == 6 && x.driven == 6);
  assert_that(x.condition == 1 && x.singularity == LIMB_REGULAR);
  ground_end(&g);
}
END_TEST

// Two pins on a body between two hinges of one: nothing moves.
START_TEST(locked_mechanism)
{
  limb_builder* b = fixture_begin("locked");
  const int lever =
    closed_hinge(b, "lever", LIMB_WORLD_BODY, sp_pose_identity(), limb_inertia_point(1, sp_v3(1, 0, 0)), 1, 0);
  closed_join(b, "nail", LIMB_LOOP_BALL, LIMB_WORLD_BODY, fixture_at(1, 0, 0), lever, fixture_at(1, 0, 0));
  ground g = ground_with(fixture_end(b));
  const limb_mobility x = ground_mobility(&g, g.c.q);
  assert_that(x.mobility == 0 && x.rank == 1 && x.driven == 0 && x.overdriven == 1);
  assert_that(x.singularity == LIMB_REGULAR);
  ground_end(&g);
}
END_TEST

// ---- singular poses ------------------------------------------------------------------------------------

static double angle_of(sp_vec3 from, sp_vec3 to) { return atan2(to.y - from.y, to.x - from.x); }

// Where circles about a and b meet: the one to the left of the way from a to b, or to the right.
static sp_vec3 meet(sp_vec3 a, double ra, sp_vec3 b, double rb, double side)
{
  const sp_vec3 d = sp_sub3(b, a);
  const double l = sp_norm3(d), x = (l * l + ra * ra - rb * rb) / (2 * l);
  const double y = side * sqrt(fmax(0, ra * ra - x * x));
  return sp_v3(a.x + (x * d.x - y * d.y) / l, a.y + (x * d.y + y * d.x) / l, 0);
}

// q of the five-bar from the places of its elbows and its tip.
static void five_bar_at(sp_vec3 elbow1, sp_vec3 elbow2, sp_vec3 tip, double q[4])
{
  const sp_vec3 A = {0, 0, 0}, B = {1, 0, 0};
  q[0] = angle_of(A, elbow1), q[1] = angle_of(elbow1, tip) - q[0];
  q[2] = angle_of(B, elbow2), q[3] = angle_of(elbow2, tip) - q[2];
}

START_TEST(five_bar_singular_poses)
{
  ground g = ground_with(closed_five_bar());
  const sp_vec3 A = {0, 0, 0}, B = {1, 0, 0};
  double q[4];
  // first kind: the left arm is stretched out
  const sp_vec3 elbow1 = sp_v3(0.5 * cos(1.1), 0.5 * sin(1.1), 0);
  sp_vec3 tip = sp_scale3(1.1 / 0.5, elbow1);
  five_bar_at(elbow1, meet(B, 0.55, tip, 0.65, -1), tip, q);
  assert_that(ground_gap(&g, q) < 1e-14);
  limb_mobility x = ground_mobility(&g, q);
  assert_that(x.singularity == LIMB_SINGULAR_DRIVES);
  assert_that(x.mobility == 2 && x.undriven == 0);
  assert_that(x.condition_active > 1e12 && x.condition_passive < 1e3 && x.condition < 1e3);
  // second kind: both forearms in one line
  const sp_vec3 left = sp_v3(0.5 * cos(2.2), 0.5 * sin(2.2), 0);
  const sp_vec3 right = meet(left, 1.25, B, 0.55, -1);
  tip = sp_add3(left, sp_scale3(0.6 / 1.25, sp_sub3(right, left)));
  five_bar_at(left, right, tip, q);
  assert_that(ground_gap(&g, q) < 1e-14);
  x = ground_mobility(&g, q);
  assert_that(x.singularity == LIMB_SINGULAR_PLATFORM);
  assert_that(x.mobility == 2 && x.undriven == 1 && x.driven == 1 && x.overdriven == 1);
  assert_that(x.condition_passive > 1e12 && x.condition_active < 1e3 && x.condition < 1e3);
  // between the two
  const sp_vec3 some = meet(A, 0.5, sp_v3(0.5, 0.8, 0), 0.6, 1);
  tip = sp_v3(0.5, 0.8, 0);
  five_bar_at(some, meet(B, 0.55, tip, 0.65, -1), tip, q);
  assert_that(ground_mobility(&g, q).singularity == LIMB_REGULAR);
  ground_end(&g);
}
END_TEST

START_TEST(four_bar_dead_points)
{
  ground g = ground_with(closed_four_bar(1, 0.35, 0.9, 0.7));
  // crank and coupler in line: the rocker stands still
  const sp_vec3 A = {0, 0, 0}, B = {1, 0, 0};
  const sp_vec3 end = meet(A, 1.25, B, 0.7, 1);
  const double q[3] = {angle_of(A, end), 0, angle_of(B, end)};
  assert_that(ground_gap(&g, q) < 1e-14);
  const limb_mobility x = ground_mobility(&g, q);
  assert_that(x.singularity == LIMB_SINGULAR_DRIVES && x.mobility == 1);
  ground_end(&g);
}
END_TEST

START_TEST(flat_parallelogram_branches)
{
  ground g = ground_with(closed_four_bar(1, 0.4, 1, 0.4));
  const double flat[3] = {0, 0, 0}, bent[3] = {0.8, -0.8, 0.8};
  limb_mobility x = ground_mobility(&g, flat);
  assert_that(x.singularity == LIMB_SINGULAR_CLOSURE);
  assert_that(x.mobility == 2 && x.rank == 1 && x.condition > 1e12);
  x = ground_mobility(&g, bent);
  assert_that(x.singularity == LIMB_REGULAR && x.mobility == 1);
  ground_end(&g);
}
END_TEST

// Two rods between nails, in one line: moves in the first order, and no further.
START_TEST(shaky_structure)
{
  limb_builder* b = fixture_begin("shaky");
  const sp_inertia rod = limb_inertia_point(1, sp_v3(0.5, 0, 0));
  const int left = closed_hinge(b, "left", LIMB_WORLD_BODY, sp_pose_identity(), rod, 1, 0);
  const int right = closed_hinge(b, "right", left, fixture_at(0.5, 0, 0), rod, 1, 0);
  closed_join(b, "nail", LIMB_LOOP_PIN, LIMB_WORLD_BODY, fixture_at(1, 0, 0), right, fixture_at(0.5, 0, 0));
  ground g = ground_with(fixture_end(b));
  const limb_mobility x = ground_mobility(&g, g.c.q);
  assert_that(x.mobility == 1 && x.singularity == LIMB_SINGULAR_CLOSURE);
  ground_end(&g);
}
END_TEST

// ---- bad input -----------------------------------------------------------------------------------------

START_TEST(bad_input)
{
  ground g = ground_of(closed_find("five_bar", 1));
  limb_mobility x;
  unsigned char rows[8];
  assert_status(limb_mobility_at(NULL, g.c.q, NULL, &x), LIMB_E_ARG);
  assert_status(limb_mobility_at(g.w, NULL, NULL, &x), LIMB_E_ARG);
  assert_status(limb_mobility_at(g.w, g.c.q, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_redundant_constraints(NULL, g.c.q, NULL, rows), LIMB_E_ARG);
  assert_status(limb_redundant_constraints(g.w, NULL, NULL, rows), LIMB_E_ARG);
  assert_status(limb_redundant_constraints(g.w, g.c.q, NULL, NULL), LIMB_E_ARG);
  limb_loop_options o = limb_default_loop_options();
  o.tolerance = 0;
  assert_status(limb_mobility_at(g.w, g.c.q, &o, &x), LIMB_E_ARG);
  o = limb_default_loop_options();
  o.time = nan("");
  assert_status(limb_redundant_constraints(g.w, g.c.q, &o, rows), LIMB_E_NONFINITE);
  g.c.q[2] = nan("");
  assert_status(limb_mobility_at(g.w, g.c.q, NULL, &x), LIMB_E_NONFINITE);
  assert_status(limb_redundant_constraints(g.w, g.c.q, NULL, rows), LIMB_E_NONFINITE);
  ground_end(&g);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const all[] = {counts_agree_with_orthogonal_rows, redundant_rows_add_nothing, NULL};
  const TTest* const some[] = {textbook_mobilities,
                               no_loops_all_free,
                               locked_mechanism,
                               five_bar_singular_poses,
                               four_bar_dead_points,
                               flat_parallelogram_branches,
                               shaky_structure,
                               bad_input,
                               NULL};
  const int failed = check_run("loops/mobility", closed_count(), all);
  return check_run("loops/mobility of known mechanisms", 1, some) | failed;
}
