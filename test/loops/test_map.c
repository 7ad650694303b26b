// Maps of workspaces and singularities.
#include "loops/closed_ground.h"

#define PI 3.14159265358979323846

static limb_map line_over(int velocity, double lower, double upper, int count)
{
  limb_map map = limb_default_map();
  map.velocity[0] = velocity;
  map.lower[0] = lower, map.upper[0] = upper, map.count[0] = count;
  return map;
}

// Grashof: a shortest link of 0.35 turns all the way round; one of 0.5 in 1, 0.5, 0.6, 0.7 between limits
// where coupler and rocker are in line, cos = 1 + 0.25 - 1.3^2.
START_TEST(grashof_limits)
{
  enum { N = 181 };
  limb_map_point* point = calloc(N, sizeof *point);
  double* q_out = numbers(3 * N);
  if (!point) abort();
  ground g = ground_with(closed_four_bar(1, 0.35, 0.9, 0.7));
  assert_ok(limb_assemble(g.w, NULL, g.c.q, NULL));
  limb_map map = line_over(0, -PI, PI, N);
  assert_ok(limb_map_over(g.w, g.c.q, &map, NULL, point, q_out));
  for (int i = 0; i < N; i++) {
    assert_that(point[i].closed && point[i].mobility.mobility == 1);
    assert_that(ground_gap(&g, q_out + 3 * i) <= 1e-12);
    assert_close(q_out[3 * i], -PI + 2 * PI * i / (N - 1), 0, 1e-13);
  }
  // the branch is one: the coupler never stands in line with the rocker
  for (int i = 1; i < N; i++) assert_that(fabs(q_out[3 * i + 2] - q_out[3 * i - 1]) < 0.2);
  ground_end(&g);

  g = ground_with(closed_four_bar(1, 0.5, 0.6, 0.7));
  assert_ok(limb_assemble(g.w, NULL, g.c.q, NULL));
  assert_ok(limb_map_over(g.w, g.c.q, &map, NULL, point, q_out));
  const double limit = acos(1 + 0.25 - 1.69);
  for (int i = 0; i < N; i++) {
    const double crank = -PI + 2 * PI * i / (N - 1);
    check_at("crank at %g, limit %g", crank, limit);
    assert_that(point[i].closed == (fabs(crank) < limit));
  }
  // the conditions of the passive columns tell of the limits
  double worst = 0, best = HUGE_VAL;
  for (int i = 0; i < N; i++) {
    if (!point[i].closed) continue;
    worst = fmax(worst, point[i].mobility.condition_passive);
    best = fmin(best, point[i].mobility.condition_passive);
  }
  assert_that(worst > 4 * best);
  ground_end(&g);
  free(point);
  free(q_out);
}
END_TEST

// Over both drives of the five-bar: where the tip is, and all on one branch (the forearms never in one line).
START_TEST(five_bar_workspace)
{
  enum { N = 15 };
  ground g = ground_of(closed_find("five_bar", 1));
  limb_data* d = NULL;
  assert_ok(limb_data_create(g.c.m, NULL, &d));
  limb_map map = limb_default_map();
  map.velocity[0] = 0, map.velocity[1] = 2;
  map.lower[0] = 0, map.upper[0] = PI, map.count[0] = N;
  map.lower[1] = 0, map.upper[1] = PI, map.count[1] = N;
  map.frame = limb_find_frame(g.c.m, "tip");
  limb_map_point point[N * N];
  double q_out[N * N * 4];
  assert_ok(limb_map_over(g.w, g.c.q, &map, NULL, point, q_out));
  int closed = 0;
  double sign = 0;
  for (int i = 0; i < N * N; i++) {
    const double* q = q_out + 4 * i;
    const double a = PI * (i / N) / (N - 1), b = PI * (i % N) / (N - 1);
    const double gap = hypot(1 + 0.55 * cos(b) - 0.5 * cos(a), 0.55 * sin(b) - 0.5 * sin(a));
    check_at("point %d: elbows %g apart", i, gap);
    if (fabs(gap - 1.25) > 1e-6 && fabs(gap - 0.05) > 1e-6) assert_that(point[i].closed == (gap < 1.25 && gap > 0.05));
    if (!point[i].closed) {
      assert_that(q[0] == 0 && q[1] == 0);
      continue;
    }
    closed++;
    assert_close(q[0], a, 0, 1e-13);
    assert_close(q[2], b, 0, 1e-13);
    assert_that(ground_gap(&g, q) <= 1e-12 && point[i].mobility.mobility == 2);
    sp_pose tip;
    assert_ok(limb_kinematics(d, q, NULL, NULL));
    assert_ok(limb_frame_pose(d, map.frame, &tip));
    assert_close_pose(point[i].pose, tip, 0, 0);
    const double bend = sin(q[0] + q[1] - q[2] - q[3]); // between the forearms
    if (sign == 0) sign = bend;
    assert_that(bend * sign > 0);
  }
  assert_that(closed > N * N / 3 && closed < N * N);
  limb_data_destroy(d);
  ground_end(&g);
}
END_TEST

// Over a passive coordinate: the slider between its dead points, 0.5 and 1.1 from the crank, 0.05 above it.
START_TEST(passive_coordinate)
{
  enum { N = 41 };
  ground g = ground_with(closed_slider_crank());
  assert_ok(limb_assemble(g.w, NULL, g.c.q, NULL));
  limb_map_point point[N];
  double q_out[3 * N];
  limb_map map = line_over(2, 0.4, 1.2, N);
  assert_ok(limb_map_over(g.w, g.c.q, &map, NULL, point, q_out));
  for (int i = 0; i < N; i++) {
    const double x = 0.4 + 0.02 * i, reach = hypot(x, 0.05);
    check_at("slider at %g", x);
    if (fabs(reach - 0.5) > 1e-6 && fabs(reach - 1.1) > 1e-6)
      assert_that(point[i].closed == (reach > 0.5 && reach < 1.1));
  }
  ground_end(&g);
}
END_TEST

START_TEST(bad_input)
{
  ground g = ground_of(closed_find("gough_stewart", 1));
  limb_map_point point[4];
  double* q_out = numbers(4 * g.nq);
  limb_map map = line_over(8, -0.1, 0.1, 2);
  assert_status(limb_map_over(NULL, g.c.q, &map, NULL, point, q_out), LIMB_E_ARG);
  assert_status(limb_map_over(g.w, g.c.q, NULL, NULL, point, q_out), LIMB_E_ARG);
  assert_status(limb_map_over(g.w, NULL, &map, NULL, point, q_out), LIMB_E_ARG);
  assert_status(limb_map_over(g.w, g.c.q, &map, NULL, NULL, q_out), LIMB_E_ARG);
  assert_status(limb_map_over(g.w, g.c.q, &map, NULL, point, NULL), LIMB_E_ARG);
  map.velocity[0] = 3; // of a free joint: no coordinate
  assert_status(limb_map_over(g.w, g.c.q, &map, NULL, point, q_out), LIMB_E_ARG);
  map = line_over(8, -0.1, 0.1, 0);
  assert_status(limb_map_over(g.w, g.c.q, &map, NULL, point, q_out), LIMB_E_ARG);
  map = line_over(24, -0.1, 0.1, 2);
  assert_status(limb_map_over(g.w, g.c.q, &map, NULL, point, q_out), LIMB_E_ARG);
  map = line_over(8, -0.1, HUGE_VAL, 2);
  assert_status(limb_map_over(g.w, g.c.q, &map, NULL, point, q_out), LIMB_E_NONFINITE);
  map = line_over(8, -0.1, 0.1, 2);
  map.frame = 1000;
  assert_status(limb_map_over(g.w, g.c.q, &map, NULL, point, q_out), LIMB_E_ARG);
  map.frame = -1, map.velocity[1] = 8;
  assert_status(limb_map_over(g.w, g.c.q, &map, NULL, point, q_out), LIMB_E_ARG);
  free(q_out);
  ground_end(&g);
}
END_TEST

CHECK_MAIN("loops/map", 1, grashof_limits, five_bar_workspace, passive_coordinate, bad_input)
