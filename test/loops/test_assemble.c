// Assembly, branches, projection.
#include "loops/closed_ground.h"

#include <time.h>

// ---- over all fixtures ---------------------------------------------------------------------------------

// From near a closed configuration, and from anywhere.
static void assembles(ground* g, uint64_t seed)
{
  double* q = numbers(g->nq);
  limb_assembly_report report;
  ground_shake(g, seed, 0.2, q);
  assert_ok(limb_assemble(g->w, NULL, q, &report));
  assert_that(ground_gap(g, q) <= 1e-12 && report.residual == ground_gap(g, q));
  assert_that(report.starts == 1);
  // closed already: it stays
  double* again = numbers(g->nq);
  memcpy(again, q, (size_t)g->nq * sizeof *q);
  assert_ok(limb_assemble(g->w, NULL, again, NULL));
  assert_close_array(again, q, g->nq, 1e-11, 1e-11);
  free(again);
  free(q);
}

START_TEST(closes_from_near) { ground_over(_i, 5, assembles); }
END_TEST

static void assembles_from_anywhere(ground* g, uint64_t seed)
{
  double* q = numbers(g->nq);
  limb_assembly o = limb_default_assembly();
  o.restarts = 50, o.seed = seed;
  uint64_t random = seed;
  assert_ok(limb_random(g->c.m, &random, q));
  limb_assembly_report report;
  assert_ok(limb_assemble(g->w, &o, q, &report));
  assert_that(ground_gap(g, q) <= 1e-12);
  free(q);
}

START_TEST(closes_from_anywhere) { ground_over(_i, 4, assembles_from_anywhere); }
END_TEST

// Projected twice is projected once; velocities end up consistent; a velocity that was moved
// at right angles to what the closures allow is found again.
static void projects(ground* g, uint64_t seed)
{
  double *q = numbers(g->nq), *v = numbers(g->nv), *before = numbers(g->nv);
  rng r = {seed};
  ground_shake(g, seed, 1e-4, q);
  rng_fill(&r, 1, g->nv, v);
  limb_assembly_report report;
  assert_ok(limb_project(g->w, NULL, q, v, &report));
  limb_loop_gap gap;
  assert_ok(limb_loop_gap_of(g->w, q, v, NULL, &gap));
  assert_that(gap.position <= 1e-13 && gap.velocity <= 1e-12);
  memcpy(before, v, (size_t)g->nv * sizeof *v);
  assert_ok(limb_project(g->w, NULL, q, v, NULL));
  assert_close_array(v, before, g->nv, 1e-11, 1e-12);
  // the state of the fixture, and a velocity moved away from it at right angles
  memcpy(v, g->c.v, (size_t)g->nv * sizeof *v);
  double* Psi = numbers(g->nc * g->nv);
  assert_ok(limb_loop_equations_at(g->w, g->c.q, NULL, NULL, &(limb_loop_equations){.Psi = Psi}));
  for (int i = 0; i < g->nc; i++) {
    const double lambda = rng_uniform(&r, -1, 1);
    for (int j = 0; j < g->nv; j++) v[j] += lambda * Psi[i * g->nv + j];
  }
  memcpy(q, g->c.q, (size_t)g->nq * sizeof *q);
  assert_ok(limb_project(g->w, NULL, q, v, NULL));
  assert_close_array(q, g->c.q, g->nq, 1e-12, 1e-12);
  assert_close_array(v, g->c.v, g->nv, 1e-10, 1e-11);
  free(Psi);
  free(q);
  free(v);
  free(before);
}

START_TEST(projection) { ground_over(_i, 4, projects); }
END_TEST

// ---- branches of known mechanisms ----------------------------------------------------------------------

static double turned(double a, double b) { return fabs(remainder(a - b, 2 * acos(-1.0))); }

// Crank given: the rocker's angle is psi +- acos(...) about the line from its hinge to the coupler's hinge.
START_TEST(four_bar_has_two)
{
  ground g = ground_with(closed_four_bar(1, 0.35, 0.9, 0.7));
  const unsigned char held[3] = {1, 0, 0};
  for (int k = 0; k < 12; k++) {
    double q[3] = {0.5 * k, 0, 1}, out[8 * 3];
    const double px = 0.35 * cos(q[0]) - 1, py = 0.35 * sin(q[0]), d = hypot(px, py);
    const double psi = atan2(py, px), half = acos((d * d + 0.49 - 0.81) / (2 * d * 0.7));
    limb_assembly o = limb_default_assembly();
    o.held = held, o.restarts = 40;
    int found = 0;
    check_at("crank at %g", q[0]);
    assert_ok(limb_assembly_branches(g.w, q, &o, 8, out, &found));
    assert_that(found == 2);
    int seen = 0;
    for (int i = 0; i < 2; i++) {
      assert_that(out[3 * i] == q[0] && ground_gap(&g, &out[3 * i]) <= 1e-12);
      if (turned(out[3 * i + 2], psi + half) < 1e-9) seen |= 1;
      if (turned(out[3 * i + 2], psi - half) < 1e-9) seen |= 2;
    }
    assert_that(seen == 3);
    for (int i = 0; i < 3; i++) { // a whole turn further is the same branch, 1e-3 away is none
      double p[3] = {q[0], 0, 0};
      int which = -2;
      memcpy(p, &out[3 * (i % 2)], sizeof p);
      p[2] += i < 2 ? 2 * acos(-1.0) : 1e-3;
      assert_ok(limb_branch_of(g.w, p, 2, out, &which));
      assert_that(which == (i < 2 ? i : -1));
    }
  }
  ground_end(&g);
}
END_TEST

// Both arms are bent one way or the other for a tip that is held: four; for drives that are held: two.
START_TEST(five_bar_branches)
{
  ground g = ground_with(closed_five_bar());
  const unsigned char drives[4] = {1, 0, 1, 0};
  double q[4] = {1.4, -0.4, 1.9, 0.4}, out[16 * 4];
  limb_assembly o = limb_default_assembly();
  o.held = drives, o.restarts = 60;
  int found = 0;
  assert_ok(limb_assembly_branches(g.w, q, &o, 16, out, &found));
  assert_that(found == 2);
  // a nail through the tip, and nothing held
  limb_builder* b = NULL;
  assert_ok(limb_builder_from_model(g.c.m, NULL, &b));
  closed_join(b, "nail", LIMB_LOOP_BALL, LIMB_WORLD_BODY, fixture_at(0.45, 0.8, 0), limb_builder_find_body(b, "2"),
              fixture_at(0.6, 0, 0));
  ground nailed = ground_with(fixture_end(b));
  o.held = NULL, o.restarts = 200;
  assert_ok(limb_assembly_branches(nailed.w, q, &o, 16, out, &found));
  assert_that(found == 4);
  for (int i = 0; i < found; i++) assert_that(ground_gap(&nailed, &out[4 * i]) <= 1e-12);
  // room for three
  assert_ok(limb_assembly_branches(nailed.w, q, &o, 3, out, &found));
  assert_that(found == 3);
  ground_end(&nailed);
  ground_end(&g);
}
END_TEST

// The platform held: each leg by itself, at once. The legs held: several places of the platform.
START_TEST(gough_stewart_both_ways)
{
  ground g = ground_of(closed_find("gough_stewart", 5));
  unsigned char held[24] = {1, 1, 1, 1, 1, 1};
  double* q = numbers(g.nq);
  memcpy(q, g.c.q, (size_t)g.nq * sizeof *q);
  for (int k = 7; k < g.nq; k++) q[k] = 0; // legs upright
  limb_assembly o = limb_default_assembly();
  limb_assembly_report report;
  o.held = held;
  assert_ok(limb_assemble(g.w, &o, q, &report));
  assert_that(memcmp(q, g.c.q, 7 * sizeof *q) == 0 && report.iterations < 20);
  for (int leg = 0; leg < 6; leg++) assert_close(q[7 + 3 * leg + 2], g.c.q[7 + 3 * leg + 2], 0, 1e-11);
  memset(held, 0, sizeof held);
  for (int leg = 0; leg < 6; leg++) held[6 + 3 * leg + 2] = 1;
  double* out = numbers(8 * g.nq);
  o.restarts = 60, o.seed = 3;
  int found = 0;
  assert_ok(limb_assembly_branches(g.w, g.c.q, &o, 4, out, &found));
  assert_that(found >= 2);
  assert_close_array(out, g.c.q, g.nq, 0, 1e-9);
  for (int i = 0; i < found; i++) {
    assert_that(ground_gap(&g, out + i * g.nq) <= 1e-12);
    for (int leg = 0; leg < 6; leg++) assert_that(out[i * g.nq + 7 + 3 * leg + 2] == g.c.q[7 + 3 * leg + 2]);
  }
  free(out);
  free(q);
  ground_end(&g);
}
END_TEST

// ---- hard starts ---------------------------------------------------------------------------------------

START_TEST(singular_start_is_left)
{
  // everything in one line, and not closed: no step of any size helps in the first order
  ground g = ground_with(closed_four_bar(1, 0.35, 0.9, 0.7));
  double q[3] = {0, 0, 0};
  const unsigned char held[3] = {0, 0, 0};
  limb_assembly o = limb_default_assembly();
  o.held = held;
  assert_ok(limb_assemble(g.w, &o, q, NULL));
  assert_that(ground_gap(&g, q) <= 1e-12);
  ground_end(&g);
}
END_TEST

// Rows of a weld vanish half a turn away, too.
START_TEST(flipped_closures_do_not_count)
{
  limb_builder* b = fixture_begin("door");
  closed_link link = {.name = "door",
                      .type = LIMB_SPHERICAL,
                      .parent = LIMB_WORLD_BODY,
                      .placement = sp_pose_identity(),
                      .inertia = limb_inertia_box(1, 0.5, 0.1, 1)};
  const int door = closed_add(b, &link);
  closed_join(b, "frame", LIMB_LOOP_WELD, LIMB_WORLD_BODY, sp_pose_identity(), door, sp_pose_identity());
  ground g = ground_with(fixture_end(b));
  for (int k = 0; k < 10; k++) {
    const double half = 1.4 + 0.03 * k; // of an angle between 160 and 191 degrees, about z
    double q[4] = {0, 0, sin(half), cos(half)};
    limb_assembly o = limb_default_assembly();
    o.restarts = 5, o.seed = (uint64_t)k;
    assert_ok(limb_assemble(g.w, &o, q, NULL));
    assert_that(ground_gap(&g, q) <= 1e-12 && fabs(fabs(q[3]) - 1) < 1e-12);
  }
  // half a turn, exactly: closed by its rows, and refused by a projection
  double q[4] = {0, 0, 1, 0};
  limb_assembly_report report;
  assert_status(limb_project(g.w, NULL, q, NULL, &report), LIMB_E_NOCONV);
  assert_that(report.residual == 2 && report.loop == 0 && q[2] == 1);
  ground_end(&g);
}
END_TEST

// An arm of two links that is to reach a point, its elbow between limits.
static limb_model* limited_arm(double q_min, double q_max, double x, double y)
{
  limb_builder* b = fixture_begin("limited");
  for (int k = 0; k < 2; k++) {
    const int body = fixture_body(b, k ? "fore" : "upper", limb_inertia_point(1, sp_v3(0.5, 0, 0)));
    limb_joint_def def = limb_default_joint_def(k ? "elbow" : "shoulder", LIMB_REVOLUTE, body - 1, body);
    def.axis = sp_v3(0, 0, 1);
    if (k) def.placement = fixture_at(0.5, 0, 0), def.q_min = q_min, def.q_max = q_max;
    fixture_joint(b, &def);
  }
  closed_join(b, "tip", LIMB_LOOP_BALL, LIMB_WORLD_BODY, fixture_at(x, y, 0), 2, fixture_at(0.5, 0, 0));
  return fixture_end(b);
}

START_TEST(limits_are_kept)
{
  ground g = ground_with(limited_arm(0.1, 3, 0.6, 0.3));
  limb_assembly o = limb_default_assembly();
  limb_assembly_report report;
  o.restarts = 20;
  double q[2] = {1.5, -1.2};
  assert_ok(limb_assemble(g.w, &o, q, NULL));
  assert_that(q[1] < 0);
  o.within_limits = 1;
  assert_ok(limb_assemble(g.w, &o, q, &report));
  assert_that(q[1] >= 0.1 && q[1] <= 3 && ground_gap(&g, q) <= 1e-12 && report.limits == 0);
  ground_end(&g);
}
END_TEST

// Whether it is the limits that keep loops from closing is said.
START_TEST(limits_are_blamed)
{
  const double x[2] = {0.6, 1.6}; // in reach, but for the limits; out of reach
  for (int k = 0; k < 2; k++) {
    ground g = ground_with(limited_arm(2.8, 3, x[k], 0.3));
    limb_assembly o = limb_default_assembly();
    limb_assembly_report report;
    o.restarts = 20, o.within_limits = 1;
    double q[2] = {1.5, -1.2};
    assert_status(limb_assemble(g.w, &o, q, &report), LIMB_E_NOCONV);
    assert_that(report.limits == (k == 0) && report.loop == 0);
    assert_that(k == 0 ? report.residual <= 1e-12 : report.residual > 0.1);
    ground_end(&g);
  }
}
END_TEST

// Places far from the world's origin have larger rounding: loops close to that.
START_TEST(far_away)
{
  limb_builder* b = fixture_begin("far");
  const sp_inertia mass = limb_inertia_point(1, sp_v3(0.2, 0, 0));
  const sp_vec3 axis = {0, 0, 1};
  const double x = 1e6;
  const int one = fixture_link(b, "crank", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(x, x, 0), axis, mass);
  const int two = fixture_link(b, "coupler", LIMB_REVOLUTE, one, fixture_at(0.3, 0, 0), axis, mass);
  const int three = fixture_link(b, "rocker", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(x + 1, x, 0), axis, mass);
  closed_join(b, "pin", LIMB_LOOP_PIN, two, fixture_at(0.9, 0, 0), three, fixture_at(0.7, 0, 0));
  ground g = ground_with(fixture_end(b));
  double q[3] = {0.7, -0.3, 1.2}, v[3] = {1, 1, 1};
  assert_ok(limb_assemble(g.w, NULL, q, NULL));
  for (int k = 0; k < 20; k++) {
    q[0] += 0.01;
    assert_ok(limb_project(g.w, NULL, q, v, NULL));
    assert_that(ground_gap(&g, q) < 2e-9);
  }
  const double goal[3] = {q[0] + 0.3, 0, 0};
  const unsigned char held[3] = {1, 0, 0};
  assert_ok(limb_follow_branch(g.w, goal, held, NULL, q));
  assert_close(q[0], goal[0], 1e-14, 0);
  assert_that(ground_mobility(&g, q).singularity == LIMB_REGULAR);
  ground_end(&g);
}
END_TEST

static double seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// From all joints shaken; the time per cell does not grow.
static double time_of_ladder(int cells)
{
  ground g = ground_with(closed_ladder(cells));
  double* q = numbers(g.nq);
  double best = HUGE_VAL;
  for (int k = 0; k < 5; k++) {
    ground_shake(&g, 7, 0.3, q);
    const double start = seconds();
    limb_assembly_report report;
    assert_ok(limb_assemble(g.w, NULL, q, &report));
    best = fmin(best, seconds() - start);
    assert_that(ground_gap(&g, q) <= 1e-12 && report.iterations < 100);
  }
  free(q);
  ground_end(&g);
  return best;
}

START_TEST(ladders_in_linear_time)
{
  const double few = time_of_ladder(CHECK_SANITIZED ? 10 : 30);
  const double many = time_of_ladder(CHECK_SANITIZED ? 100 : 300);
  assert_that(many < 30 * few); // 10 times the cells; quadratic would be 100
}
END_TEST

// ---- what cannot be ------------------------------------------------------------------------------------

START_TEST(impossible_loops_are_named)
{
  // ground longer than all the rest together: apart by 0.25 at best
  ground g = ground_with(closed_four_bar(2.2, 0.35, 0.9, 0.7));
  limb_assembly o = limb_default_assembly();
  o.restarts = 9;
  limb_assembly_report report;
  assert_status(limb_assemble(g.w, &o, g.c.q, &report), LIMB_E_NOCONV);
  assert_that(report.loop == 0 && report.starts == 10);
  assert_close(report.residual, 0.25, 0.02, 0);
  double out[3];
  int found = -1;
  assert_status(limb_assembly_branches(g.w, g.c.q, &o, 1, out, &found), LIMB_E_NOCONV);
  assert_that(found == 0);
  assert_status(limb_project(g.w, NULL, g.c.q, g.c.v, &report), LIMB_E_NOCONV);
  ground_end(&g);
}
END_TEST

// A good loop, and two pins that hold one point in different places: the second cluster is named, the first
// closes.
START_TEST(contradictory_closures_are_named)
{
  limb_builder* b = fixture_begin("contradiction");
  const sp_inertia rod = limb_inertia_point(1, sp_v3(0.5, 0, 0));
  const int good = closed_hinge(b, "good", LIMB_WORLD_BODY, sp_pose_identity(), rod, 1, 0);
  const int one = closed_hinge(b, "one", LIMB_WORLD_BODY, sp_pose_identity(), rod, 1, 0);
  const int two = closed_hinge(b, "two", one, fixture_at(0.5, 0, 0), rod, 1, 0);
  closed_join(b, "stop", LIMB_LOOP_POINT_ON_PLANE, LIMB_WORLD_BODY,
              sp_pose_make(sp_rot_rpy(1.57079632679489661923, 0, 0), sp_v3(0, 0.2, 0)), good, fixture_at(0.5, 0, 0));
  for (int k = 0; k < 2; k++)
    closed_join(b, k ? "there" : "here", LIMB_LOOP_PIN, LIMB_WORLD_BODY, fixture_at(0.6, k ? 0.1 : 0, 0), two,
                fixture_at(0.5, 0, 0));
  ground g = ground_with(fixture_end(b));
  double q[3] = {0.1, 0.5, -1};
  limb_assembly_report report;
  assert_status(limb_assemble(g.w, NULL, q, &report), LIMB_E_NOCONV);
  assert_that(report.loop == 1 || report.loop == 2);
  assert_close(report.residual, 0.05, 0.05, 0); // in the middle
  assert_close(0.5 * sin(q[0]), 0.2, 1e-11, 0);
  ground_end(&g);
}
END_TEST

// A planar arm cannot reach a nail above its plane; a row that nothing moves says so.
START_TEST(out_of_the_plane)
{
  limb_builder* b = fixture_begin("above");
  fixture_link(b, "arm", LIMB_REVOLUTE, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1),
               limb_inertia_point(1, sp_v3(1, 0, 0)));
  closed_join(b, "nail", LIMB_LOOP_BALL, LIMB_WORLD_BODY, fixture_at(0, 1, 0.3), 1, fixture_at(1, 0, 0));
  ground g = ground_with(fixture_end(b));
  limb_assembly_report report;
  assert_status(limb_assemble(g.w, NULL, g.c.q, &report), LIMB_E_NOCONV);
  assert_close(report.residual, 0.3, 1e-12, 0);
  ground_end(&g);
}
END_TEST

// Poses with few digits: a pin that holds a planar four-bar out of its plane. It stays open by that, next to where it
// started, and one that is open by more than the tolerance is refused.
START_TEST(rounded_poses)
{
  const sp_vec3 z = sp_v3(0, 0, 1);
  static const struct {
    double out_of_plane, tolerance;
  } of[] = {{1.2e-8, 1e-7}, {1.2e-6, 1e-7}, {1.2e-6, 2e-6}, {8e-5, 1e-4}, {1.1e-4, 1e-4}};
  for (int k = 0; k < 5; k++) {
    limb_builder* b = fixture_begin("rounded");
    const double out_of_plane = of[k].out_of_plane, tolerance = of[k].tolerance;
    const bool refused = out_of_plane > tolerance;
    assert_ok(limb_builder_set_loop_tolerance(b, tolerance));
    const int crank =
      fixture_link(b, "crank", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(0, 0, 0), z, limb_inertia_point(1, z));
    const int coupler =
      fixture_link(b, "coupler", LIMB_REVOLUTE, crank, fixture_at(0.35, 0, 0), z, limb_inertia_point(1, z));
    const int rocker =
      fixture_link(b, "rocker", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(1, 0, 0), z, limb_inertia_point(1, z));
    closed_join(b, "pin", LIMB_LOOP_PIN, rocker, fixture_at(0.7, 0, 0), coupler, fixture_at(0.9, 0, out_of_plane));
    limb_model* m = fixture_end(b);
    limb_data* w;
    limb_assembly_report report;
    double q[3] = {0.7, -0.1456, 1.5238}, v[3] = {0};
    assert_ok(limb_data_create(m, NULL, &w));
    const limb_status s = limb_assemble(w, NULL, q, &report);
    assert_close(limb_model_loop_tolerance(m), tolerance, 0, 0);
    assert_status(s, refused ? LIMB_E_NOCONV : LIMB_OK);
    assert_close(report.residual, out_of_plane, 1e-6, 0);
    if (!refused) {
      assert_close(q[0], 0.7, 0, 1e-3);
      q[0] += 1e-5;
      assert_ok(limb_project(w, NULL, q, v, &report));
      assert_close(report.residual, out_of_plane, 1e-6, 0);
    }
    limb_data_destroy(w);
    limb_model_destroy(m);
  }
}
END_TEST

// A tolerance is for constraints that contradict each other: a loop that can close is closed to rounding, also from the
// singular start of an extended four-bar, and one that lacks length is refused, however little.
START_TEST(tolerance_is_for_contradictions)
{
  const sp_vec3 z = sp_v3(0, 0, 1);
  static const double lacking[] = {0, 5e-5};
  for (int k = 0; k < 2; k++) {
    limb_builder* b = fixture_begin("four_bar");
    assert_ok(limb_builder_set_loop_tolerance(b, 1e-3));
    const int crank =
      fixture_link(b, "crank", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(0, 0, 0), z, limb_inertia_point(1, z));
    const int coupler =
      fixture_link(b, "coupler", LIMB_REVOLUTE, crank, fixture_at(0.35, 0, 0), z, limb_inertia_point(1, z));
    const int rocker =
      fixture_link(b, "rocker", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(1, 0, 0), z, limb_inertia_point(1, z));
    const sp_pose on_rocker = fixture_at(lacking[k] > 0 ? 0.23903 - lacking[k] : 0.3, 0, 0);
    closed_join(b, "pin", LIMB_LOOP_POINT_ON_LINE, rocker, on_rocker, coupler, fixture_at(0.95, 0, 0));
    limb_model* m = fixture_end(b);
    limb_data* w;
    limb_assembly_report report;
    limb_assembly how = limb_default_assembly();
    const unsigned char held[3] = {1, 0, 0};
    double q[3] = {lacking[k] > 0 ? 2.0 : 1e-3, 0, 0};
    how.held = lacking[k] > 0 ? held : NULL;
    assert_ok(limb_data_create(m, NULL, &w));
    const limb_status s = limb_assemble(w, &how, q, &report);
    assert_status(s, lacking[k] > 0 ? LIMB_E_NOCONV : LIMB_OK);
    if (lacking[k] == 0) assert_that(report.residual <= 1e-12);
    limb_data_destroy(w);
    limb_model_destroy(m);
  }
}
END_TEST

START_TEST(laws_and_times)
{
  ground g = ground_of(closed_find("driven_arm", 4));
  limb_assembly o = limb_default_assembly();
  limb_loop_options at = limb_default_loop_options();
  o.time = at.time = 0.4;
  assert_ok(limb_assemble(g.w, &o, g.c.q, NULL));
  limb_loop_gap gap;
  assert_ok(limb_loop_gap_of(g.w, g.c.q, NULL, &at, &gap));
  assert_that(gap.position <= 1e-12);
  assert_ok(limb_project(g.w, &at, g.c.q, g.c.v, NULL));
  assert_ok(limb_loop_gap_of(g.w, g.c.q, g.c.v, &at, &gap));
  assert_that(gap.position <= 1e-12 && gap.velocity <= 1e-13);
  ground_end(&g);
}
END_TEST

// The lengths of six legs and their rates stay as they are to the last bit; the platform follows.
START_TEST(held_is_left_alone)
{
  enum { LEGS = 6, Q = 9, V = 8 }; // where the first slide is; then every third
  ground g = ground_of(closed_find("gough_stewart", 3));
  unsigned char held[24] = {0};
  limb_loop_options o = limb_default_loop_options();
  double q[25], v[24];
  o.held = held;
  for (int i = 0; i < LEGS; i++) held[V + 3 * i] = 1;
  for (int i = 0; i < LEGS; i++) g.c.q[Q + 3 * i] += 0.01 * (i - 2), g.c.v[V + 3 * i] += 0.1 * i;
  memcpy(q, g.c.q, sizeof q);
  memcpy(v, g.c.v, sizeof v);
  assert_ok(limb_project(g.w, &o, q, v, NULL));
  limb_loop_gap gap;
  assert_ok(limb_loop_gap_of(g.w, q, v, NULL, &gap));
  assert_that(gap.position <= 1e-12 && gap.velocity <= 1e-11);
  for (int i = 0; i < LEGS; i++) {
    assert_that(q[Q + 3 * i] == g.c.q[Q + 3 * i]);
    assert_that(v[V + 3 * i] == g.c.v[V + 3 * i]);
  }
  held[V] = 2;
  assert_status(limb_project(g.w, &o, q, v, NULL), LIMB_E_ARG);
  held[V] = 1, held[2] = 1; // of a free joint all or none
  assert_status(limb_project(g.w, &o, q, v, NULL), LIMB_E_ARG);
  ground_end(&g);
}
END_TEST

START_TEST(bad_input)
{
  ground g = ground_of(closed_find("gough_stewart", 1));
  double* out = numbers(g.nq);
  int found;
  limb_assembly o = limb_default_assembly();
  assert_status(limb_assemble(NULL, &o, g.c.q, NULL), LIMB_E_ARG);
  assert_status(limb_assemble(g.w, &o, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_assembly_branches(g.w, g.c.q, &o, 0, out, &found), LIMB_E_ARG);
  assert_status(limb_assembly_branches(g.w, g.c.q, &o, 1, NULL, &found), LIMB_E_ARG);
  assert_status(limb_assembly_branches(g.w, g.c.q, &o, 1, out, NULL), LIMB_E_ARG);
  assert_status(limb_project(NULL, NULL, g.c.q, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_project(g.w, NULL, NULL, NULL, NULL), LIMB_E_ARG);
  unsigned char held[24] = {0};
  o.held = held, held[2] = 1; // of a free joint all or none
  assert_status(limb_assemble(g.w, &o, g.c.q, NULL), LIMB_E_ARG);
  held[2] = 0, held[8] = 2;
  assert_status(limb_assemble(g.w, &o, g.c.q, NULL), LIMB_E_ARG);
  o = limb_default_assembly();
  o.restarts = -1;
  assert_status(limb_assemble(g.w, &o, g.c.q, NULL), LIMB_E_ARG);
  o = limb_default_assembly();
  o.tolerance = nan("");
  assert_status(limb_assemble(g.w, &o, g.c.q, NULL), LIMB_E_NONFINITE);
  o = limb_default_assembly();
  o.size = 3;
  assert_status(limb_assemble(g.w, &o, g.c.q, NULL), LIMB_E_ARG);
  g.c.v[0] = nan("");
  assert_status(limb_project(g.w, NULL, g.c.q, g.c.v, NULL), LIMB_E_NONFINITE);
  g.c.q[9] = HUGE_VAL;
  assert_status(limb_assemble(g.w, NULL, g.c.q, NULL), LIMB_E_NONFINITE);
  assert_status(limb_project(g.w, NULL, g.c.q, NULL, NULL), LIMB_E_NONFINITE);
  g.c.q[9] = 0, g.c.q[6] = 3; // a quaternion that is none
  assert_status(limb_assemble(g.w, NULL, g.c.q, NULL), LIMB_E_ARG);
  free(out);
  ground_end(&g);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const all[] = {closes_from_near, closes_from_anywhere, projection, NULL};
  const TTest* const some[] = {four_bar_has_two,
                               five_bar_branches,
                               gough_stewart_both_ways,
                               singular_start_is_left,
                               flipped_closures_do_not_count,
                               limits_are_kept,
                               limits_are_blamed,
                               far_away,
                               ladders_in_linear_time,
                               impossible_loops_are_named,
                               contradictory_closures_are_named,
                               out_of_the_plane,
                               rounded_poses,
                               tolerance_is_for_contradictions,
                               laws_and_times,
                               held_is_left_alone,
                               bad_input,
                               NULL};
  const int failed = check_run("loops/assemble", closed_count(), all);
  return check_run("loops/assemble: known mechanisms and edges", 1, some) | failed;
}
