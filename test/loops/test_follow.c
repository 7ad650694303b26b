// Staying on a branch.
#include "loops/closed_ground.h"

#define PI 3.14159265358979323846

// The rocker of the four-bar by closed form, on the branch of that sign (test_assemble.c).
static double rocker_at(double crank, double sign)
{
  const double px = 0.35 * cos(crank) - 1, py = 0.35 * sin(crank), d = hypot(px, py);
  return atan2(py, px) + sign * acos((d * d + 0.49 - 0.81) / (2 * d * 0.7));
}

static double turned(double a, double b) { return fabs(remainder(a - b, 2 * PI)); }

// Three turns of the crank and back: the branch it started on, and the configuration.
START_TEST(crank_goes_round)
{
  ground g = ground_with(closed_four_bar(1, 0.35, 0.9, 0.7));
  assert_ok(limb_assemble(g.w, NULL, g.c.q, NULL));
  double q[3];
  memcpy(q, g.c.q, sizeof q);
  const double sign = turned(q[2], rocker_at(q[0], 1)) < 1e-9 ? 1 : -1;
  for (int k = 0; k <= 12; k++) {
    const double goal[3] = {q[0] + 0.5 * PI, 0, 0};
    assert_ok(limb_follow_branch(g.w, goal, NULL, NULL, q));
    assert_close(q[0], goal[0], 0, 1e-14);
    assert_that(ground_gap(&g, q) <= 1e-12);
    assert_that(turned(q[2], rocker_at(q[0], sign)) < 1e-11);
  }
  const double back[3] = {g.c.q[0], 0, 0};
  assert_ok(limb_follow_branch(g.w, back, NULL, NULL, q));
  assert_close_array(q, g.c.q, 3, 0, 1e-11);
  ground_end(&g);
}
END_TEST

// The rocker is driven to where coupler and crank are in line: it ends there, and says so.
START_TEST(folds_end_the_branch)
{
  ground g = ground_with(closed_four_bar(1, 0.35, 0.9, 0.7));
  assert_ok(limb_assemble(g.w, NULL, g.c.q, NULL));
  const unsigned char rocker[3] = {0, 0, 1};
  // outermost angles: the far end of the coupler is crank + coupler, or coupler - crank, away from the
  // crank's hinge
  const double far = acos((1 + 0.49 - 1.25 * 1.25) / (2 * 0.7)), close = acos((1 + 0.49 - 0.55 * 0.55) / 1.4);
  const double limit[2] = {PI - far, PI - close};
  for (int k = 0; k < 2; k++) {
    double q[3];
    memcpy(q, g.c.q, sizeof q);
    const double goal[3] = {0, 0, k == 0 ? 0 : PI};
    assert_status(limb_follow_branch(g.w, goal, rocker, NULL, q), LIMB_E_SINGULAR);
    assert_that(ground_gap(&g, q) <= 1e-12);
    check_at("%g against %g", q[2], limit[k]);
    assert_that(turned(q[2], limit[k]) < 1e-9);
  }
  ground_end(&g);
}
END_TEST

// A parallelogram does not get past the place where it may become the other one.
START_TEST(meeting_branches_halt)
{
  ground g = ground_with(closed_four_bar(1, 0.4, 1, 0.4));
  double q[3] = {0.8, -0.8, 0.8};
  const double through[3] = {-0.8, 0, 0}, near[3] = {0.01, 0, 0};
  assert_ok(limb_follow_branch(g.w, near, NULL, NULL, q));
  const double want[3] = {0.01, -0.01, 0.01};
  assert_close_array(q, want, 3, 0, 1e-12);
  assert_status(limb_follow_branch(g.w, through, NULL, NULL, q), LIMB_E_SINGULAR);
  assert_that(q[0] > 0 && q[0] < 1e-3 && fabs(q[2] - q[0]) < 1e-9);
  ground_end(&g);
}
END_TEST

// Drives to new places and back: where it was. For the drives of all robots that determine the rest.
static void there_and_back(ground* g, uint64_t seed)
{
  const limb_mobility x = ground_mobility(g, g->c.q);
  if ((g->c.flags & CLOSED_NONHOLONOMIC) || x.overdriven > 0 || x.undriven > 0) return;
  rng r = {seed};
  double *q = numbers(g->nq), *goal = numbers(g->nq), *step = numbers(g->nv);
  rng_fill(&r, 0.15, g->nv, step);
  memcpy(q, g->c.q, (size_t)g->nq * sizeof *q);
  assert_ok(limb_integrate(g->c.m, q, step, 1, goal));
  const limb_status s = limb_follow_branch(g->w, goal, NULL, NULL, q);
  assert_that(s == LIMB_OK || s == LIMB_E_SINGULAR);
  assert_that(ground_gap(g, q) <= 1e-12);
  assert_ok(limb_follow_branch(g->w, g->c.q, NULL, NULL, q));
  assert_ok(limb_difference(g->c.m, g->c.q, q, step));
  for (int i = 0; i < g->nv; i++) assert_close(step[i], 0, 0, s == LIMB_OK ? 1e-9 : 1e-6);
  free(q);
  free(goal);
  free(step);
}

START_TEST(returns) { ground_over(_i, 4, there_and_back); }
END_TEST

// Goals nearer than what projecting rounds by, down to less than the last digit: they are reached.
static void hardly_at_all(ground* g, uint64_t seed)
{
  const limb_mobility x = ground_mobility(g, g->c.q);
  if ((g->c.flags & CLOSED_NONHOLONOMIC) || x.overdriven > 0 || x.undriven > 0) return;
  rng r = {seed};
  double *q = numbers(g->nq), *goal = numbers(g->nq), *step = numbers(g->nv);
  unsigned char* active = calloc((size_t)g->nv + 1, 1);
  assert_that(active != NULL);
  assert_ok(limb_given_for_passive(g->c.m, active));
  for (double size = 1e-17; size < 1e-7; size *= 10) {
    rng_fill(&r, size, g->nv, step);
    memcpy(q, g->c.q, (size_t)g->nq * sizeof *q);
    assert_ok(limb_integrate(g->c.m, q, step, 1, goal));
    check_at("%s, seed %d, goal %g away", g->c.name, (int)seed, size);
    assert_ok(limb_follow_branch(g->w, goal, NULL, NULL, q));
    assert_that(ground_gap(g, q) <= 1e-12);
    assert_ok(limb_difference(g->c.m, g->c.q, q, step));
    for (int i = 0; i < g->nv; i++) assert_close(step[i], 0, 0, 1e3 * size + 1e-10);
    assert_ok(limb_difference(g->c.m, goal, q, step));
    for (int i = 0; i < g->nv; i++)
      if (active[i]) assert_close(step[i], 0, 0, 1e-15);
  }
  free(active);
  free(q);
  free(goal);
  free(step);
}

START_TEST(arrives_where_it_is) { ground_over(_i, 4, hardly_at_all); }
END_TEST

START_TEST(bad_input)
{
  ground g = ground_of(closed_find("five_bar", 1));
  double goal[4] = {1, 1, 1, 1};
  unsigned char held[4] = {1, 1, 1, 0};
  assert_status(limb_follow_branch(NULL, goal, NULL, NULL, g.c.q), LIMB_E_ARG);
  assert_status(limb_follow_branch(g.w, NULL, NULL, NULL, g.c.q), LIMB_E_ARG);
  assert_status(limb_follow_branch(g.w, goal, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_follow_branch(g.w, goal, held, NULL, g.c.q), LIMB_E_SINGULAR); // too many
  held[1] = 7;
  assert_status(limb_follow_branch(g.w, goal, held, NULL, g.c.q), LIMB_E_ARG);
  goal[0] = nan("");
  assert_status(limb_follow_branch(g.w, goal, NULL, NULL, g.c.q), LIMB_E_NONFINITE);
  goal[0] = 1, g.c.q[1] += 3; // not closed, and cannot be with the drives as they are
  g.c.q[0] = PI, g.c.q[2] = 0;
  assert_status(limb_follow_branch(g.w, goal, NULL, NULL, g.c.q), LIMB_E_NOCONV);
  ground_end(&g);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const all[] = {returns, arrives_where_it_is, NULL};
  const TTest* const some[] = {crank_goes_round, folds_end_the_branch, meeting_branches_halt, bad_input, NULL};
  const int failed = check_run("loops/follow", closed_count(), all);
  return check_run("loops/follow: known mechanisms and edges", 1, some) | failed;
}
