// What follows from what: velocities and accelerations of the other joints, against the equations,
// differences along the motion, and reference numbers.
#include "loops/closed_ground.h"

// ---- over all fixtures ---------------------------------------------------------------------------------

typedef struct rows {
  double *Psi, *rate, *gamma;
} rows;

static rows rows_at(ground* g)
{
  const rows x = {numbers(g->nc * g->nv), numbers(g->nc), numbers(g->nc)};
  const limb_loop_equations out = {NULL, x.Psi, x.rate, x.gamma};
  assert_ok(limb_loop_equations_at(g->w, g->c.q, g->c.v, NULL, &out));
  return x;
}

static void rows_end(rows* x)
{
  free(x->Psi);
  free(x->rate);
  free(x->gamma);
}

// |Psi x - b| against what it is the sum of.
static void assert_solves(const ground* g, const double* Psi, const double* x, const double* b)
{
  for (int i = 0; i < g->nc; i++) {
    double sum = -b[i], size = 1;
    for (int j = 0; j < g->nv; j++) {
      const double term = Psi[i * g->nv + j] * x[j];
      sum += term, size = fmax(size, fabs(term));
    }
    assert_close(sum, 0, 0, 1e-12 * size);
  }
}

// Forgets what is dependent, asks for it, and has it again. closed_velocity's is one solution; the completed
// one is the same, because the independent ones determine it.
static void completed(ground* g, uint64_t seed)
{
  unsigned char* mark = calloc((size_t)g->nv + 1, 1);
  double *v = numbers(g->nv), *a = numbers(g->nv), *want = numbers(g->nv);
  if (!mark) abort();
  assert_ok(limb_independent_velocities(g->w, g->c.q, NULL, mark));
  closed_acceleration(&g->c, seed, want);
  int count = 0;
  for (int k = 0; k < g->nv; k++) {
    count += mark[k];
    v[k] = mark[k] ? g->c.v[k] : nan(""), a[k] = mark[k] ? want[k] : nan("");
  }
  const limb_mobility x = ground_mobility(g, g->c.q);
  assert_that(count == x.mobility);
  rows e = rows_at(g);
  const double loose = fmin(1e-8, 1e-13 * x.condition_passive * x.condition_passive);
  for (int given = 0; given < 2; given++) {
    double *vv = numbers(g->nv), *aa = numbers(g->nv);
    memcpy(vv, v, (size_t)g->nv * sizeof *v), memcpy(aa, a, (size_t)g->nv * sizeof *a);
    assert_ok(limb_complete_velocities(g->w, g->c.q, given ? mark : NULL, NULL, vv));
    assert_ok(limb_complete_accelerations(g->w, g->c.q, g->c.v, given ? mark : NULL, NULL, aa));
    assert_close_array(vv, g->c.v, g->nv, fmax(1e-11, loose), 1e-11);
    assert_close_array(aa, want, g->nv, fmax(1e-10, loose), 1e-10);
    if (x.condition_passive < 1e3) assert_solves(g, e.Psi, vv, e.rate);
    if (x.condition_passive < 1e3) assert_solves(g, e.Psi, aa, e.gamma);
    free(vv);
    free(aa);
  }
  rows_end(&e);
  free(v);
  free(a);
  free(want);
  free(mark);
}

START_TEST(dependent_ones_are_found_again) { ground_over(_i, 5, completed); }
END_TEST

// v = G v_y + v0, and Psi G = 0; unit rows where v is independent.
static void map_of_velocities(ground* g, uint64_t seed)
{
  (void)seed;
  unsigned char* mark = calloc((size_t)g->nv + 1, 1);
  if (!mark) abort();
  double* G = numbers(g->nv * g->nv);
  int ny = -1;
  assert_ok(limb_independent_velocities(g->w, g->c.q, NULL, mark));
  assert_ok(limb_velocity_map(g->w, g->c.q, NULL, NULL, &ny, G));
  rows e = rows_at(g);
  double* zero = numbers(g->nc);
  for (int y = 0, v = 0; y < ny; y++, v++) {
    while (!mark[v]) v++;
    double* column = numbers(g->nv);
    for (int i = 0; i < g->nv; i++) column[i] = G[i * ny + y];
    assert_solves(g, e.Psi, column, zero);
    for (int i = 0; i < g->nv; i++) {
      if (mark[i]) assert_that(column[i] == (i == v));
    }
    free(column);
  }
  int count = 0;
  for (int i = 0; i < g->nv; i++) count += mark[i];
  assert_that(count == ny);
  double* again = numbers(g->nv * g->nv);
  assert_ok(limb_velocity_map(g->w, g->c.q, mark, NULL, &count, again));
  assert_that(count == ny);
  assert_close_array(again, G, g->nv * ny, 1e-12, 0);
  free(again);
  free(zero);
  rows_end(&e);
  free(G);
  free(mark);
}

START_TEST(map_solves_the_closures) { ground_over(_i, 4, map_of_velocities); }
END_TEST

// G is the derivative of the assembled configuration by the held coordinates, where nothing is non-holonomic.
static void map_by_differences(ground* g, uint64_t seed)
{
  (void)seed;
  // of a free joint all or none may be held
  if (g->c.flags & (CLOSED_NONHOLONOMIC | CLOSED_FREE_BASE)) return;
  unsigned char mark[256] = {0};
  double* G = numbers(g->nv * g->nv);
  double *step = numbers(g->nv), *difference = numbers(g->nv);
  double* q[2] = {numbers(g->nq), numbers(g->nq)};
  int ny = 0;
  assert_ok(limb_independent_velocities(g->w, g->c.q, NULL, mark));
  assert_ok(limb_velocity_map(g->w, g->c.q, NULL, NULL, &ny, G));
  limb_assembly o = limb_default_assembly();
  o.tolerance = 1e-13, o.held = mark;
  for (int y = 0, v = 0; y < ny; y++, v++) {
    while (!mark[v]) v++;
    const double h = 1e-5;
    for (int side = 0; side < 2; side++) {
      memset(step, 0, (size_t)g->nv * sizeof *step);
      step[v] = side ? h : -h;
      assert_ok(limb_integrate(g->c.m, g->c.q, step, 1, q[side]));
      assert_ok(limb_assemble(g->w, &o, q[side], NULL));
    }
    assert_ok(limb_difference(g->c.m, q[0], q[1], difference));
    for (int i = 0; i < g->nv; i++) assert_close(difference[i] / (2 * h), G[i * ny + y], 1e-6, 1e-6);
  }
  free(q[0]);
  free(q[1]);
  free(step);
  free(difference);
  free(G);
}

START_TEST(map_is_the_slope_of_assembly) { ground_over(_i, 2, map_by_differences); }
END_TEST

// ---- reference numbers ---------------------------------------------------------------------------------

// v, a and G from the independent velocities.
static void assert_follows(ground* g, const double* q, const double* v, const double* a, int ny, const double* G)
{
  enum { MOST = 4 };
  unsigned char y[MOST];
  double x[MOST], map[MOST * MOST];
  int count;
  assert_ok(limb_independent_velocities(g->w, q, NULL, y));
  for (int i = 0; i < g->nv; i++) x[i] = y[i] ? v[i] : 0;
  assert_ok(limb_complete_velocities(g->w, q, NULL, NULL, x));
  assert_close_array(x, v, g->nv, 1e-12, 0);
  for (int i = 0; i < g->nv; i++) x[i] = y[i] ? a[i] : 0;
  assert_ok(limb_complete_accelerations(g->w, q, v, NULL, NULL, x));
  assert_close_array(x, a, g->nv, 1e-12, 0);
  assert_ok(limb_velocity_map(g->w, q, NULL, NULL, &count, map));
  assert_that(count == ny);
  assert_close_array(map, G, g->nv * ny, 1e-12, 0);
}

START_TEST(five_bar_of_khalil)
{
  ground g = ground_with(closed_five_bar());
  const double q[4] = {1.4, -0.3669975550819706, 1.9, 0.3933809588313926};
  const double v[4] = {0.8, -1.7514444468319623, -1.1, 2.077117927543181};
  const double a[4] = {0.5, -2.029505051078203, 0.9, -1.0067353005129003};
  const double G[8] = {1, 0, -1.6819211514377572, 0.3690068415288695, 0, 1, 0.2898649869500863, -1.6774781254391924};
  assert_that(ground_gap(&g, q) < 1e-15);
  assert_follows(&g, q, v, a, 2, G);
  ground_end(&g);
}
END_TEST

START_TEST(four_bar_of_khalil)
{
  ground g = ground_with(closed_four_bar(1, 0.35, 0.9, 0.7));
  const double q[3] = {0.7, -0.145652786822976, 1.5237581508621456};
  const double v[3] = {1.3, -1.7498541677143962, 0.11441346611865466};
  const double a[3] = {-0.6, 1.475717900419038, 1.2677095240767216};
  const double G[3] = {1, -1.3460416674726123, 0.08801035855281128};
  assert_follows(&g, q, v, a, 1, G);
  ground_end(&g);
}
END_TEST

// Wheels of radius r at w to both sides turn by a and b: forward r (a + b) / 2, turning r (b - a) / 2 w.
START_TEST(differential_drive)
{
  ground g = ground_with(closed_diff_drive());
  const double r = 0.1, w = 0.2, a = 1.5, b = 2.3, angle = 0.6;
  const double q[5] = {0.3, -0.4, angle, 0.2, 0.1};
  double v[5] = {0, 0, 0, a, b};
  assert_ok(limb_complete_velocities(g.w, q, NULL, NULL, v));
  const double forward = r * (a + b) / 2;
  const double want[5] = {forward * cos(angle), forward * sin(angle), r * (b - a) / (2 * w), a, b};
  assert_close_array(v, want, 5, 1e-13, 0);
  ground_end(&g);
}
END_TEST

// An upright disc that rolls along x with turning rate w moves on at r w.
START_TEST(rolling_disc)
{
  ground g = ground_with(closed_rolling_disc());
  double v[6] = {0, 2, 0, 0, 0, 0};
  const unsigned char turning[6] = {1, 1, 1, 0, 0, 0};
  assert_ok(limb_complete_velocities(g.w, g.c.q, turning, NULL, v));
  const double want[6] = {0, 2, 0, 0.6, 0, 0};
  assert_close_array(v, want, 6, 1e-14, 1e-15);
  ground_end(&g);
}
END_TEST

// ---- edges ---------------------------------------------------------------------------------------------

START_TEST(wrong_choices_are_singular)
{
  ground g = ground_of(closed_find("five_bar", 2));
  double v[4] = {1, 1, 1, 1};
  const double before[4] = {1, 1, 1, 1};
  double G[16];
  int ny;
  const unsigned char few[4] = {1, 0, 0, 0}, many[4] = {1, 1, 1, 0}, wrong[4] = {1, 0, 2, 0};
  assert_status(limb_complete_velocities(g.w, g.c.q, few, NULL, v), LIMB_E_SINGULAR);
  assert_status(limb_complete_velocities(g.w, g.c.q, many, NULL, v), LIMB_E_SINGULAR);
  assert_status(limb_complete_accelerations(g.w, g.c.q, g.c.v, many, NULL, v), LIMB_E_SINGULAR);
  assert_status(limb_velocity_map(g.w, g.c.q, few, NULL, &ny, G), LIMB_E_SINGULAR);
  assert_status(limb_complete_velocities(g.w, g.c.q, wrong, NULL, v), LIMB_E_ARG);
  assert_status(limb_velocity_map(g.w, g.c.q, wrong, NULL, &ny, G), LIMB_E_ARG);
  assert_close_array(v, before, 4, 0, 0);
  ground_end(&g);
  // a tree: a joint that is not marked follows from nothing
  ground tree = ground_with(robot_ur5());
  double u[6] = {0};
  const unsigned char five[6] = {1, 1, 1, 1, 1, 0};
  assert_status(limb_complete_velocities(tree.w, tree.c.q, five, NULL, u), LIMB_E_SINGULAR);
  assert_ok(limb_complete_velocities(tree.w, tree.c.q, NULL, NULL, u));
  ground_end(&tree);
}
END_TEST

// Two gears between the same joints with laws of different speed.
START_TEST(contradictory_rates)
{
  limb_builder* b = fixture_begin("contradiction");
  for (int k = 0; k < 2; k++)
    fixture_link(b, k ? "two" : "one", LIMB_REVOLUTE, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1),
                 limb_inertia_sphere(1, 0.1));
  limb_loop_def gear = limb_default_loop_def("gear", LIMB_LOOP_GEAR, -1, -1);
  gear.joint = 0, gear.other = 1, gear.coefficient[1] = 1;
  closed_add_loop(b, &gear);
  gear.name = "other", gear.motion.rate = 0.5;
  closed_add_loop(b, &gear);
  ground g = ground_with(fixture_end(b));
  double v[2] = {1, 1};
  assert_status(limb_complete_velocities(g.w, g.c.q, NULL, NULL, v), LIMB_E_SINGULAR);
  ground_end(&g);
}
END_TEST

START_TEST(bad_input)
{
  ground g = ground_of(closed_find("five_bar", 1));
  unsigned char mark[4];
  double x[4] = {0}, G[16];
  int n;
  assert_status(limb_independent_velocities(NULL, g.c.q, NULL, mark), LIMB_E_ARG);
  assert_status(limb_independent_velocities(g.w, NULL, NULL, mark), LIMB_E_ARG);
  assert_status(limb_independent_velocities(g.w, g.c.q, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_complete_velocities(NULL, g.c.q, NULL, NULL, x), LIMB_E_ARG);
  assert_status(limb_complete_velocities(g.w, g.c.q, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_complete_accelerations(g.w, g.c.q, NULL, NULL, NULL, x), LIMB_E_ARG);
  assert_status(limb_complete_accelerations(g.w, g.c.q, g.c.v, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_velocity_map(g.w, g.c.q, NULL, NULL, NULL, G), LIMB_E_ARG);
  assert_status(limb_velocity_map(g.w, g.c.q, NULL, NULL, &n, NULL), LIMB_E_ARG);
  x[0] = HUGE_VAL;
  assert_status(limb_complete_velocities(g.w, g.c.q, NULL, NULL, x), LIMB_E_NONFINITE);
  x[0] = 0, g.c.v[1] = nan("");
  assert_status(limb_complete_accelerations(g.w, g.c.q, g.c.v, NULL, NULL, x), LIMB_E_NONFINITE);
  g.c.q[1] = nan("");
  assert_status(limb_complete_velocities(g.w, g.c.q, NULL, NULL, x), LIMB_E_NONFINITE);
  assert_status(limb_velocity_map(g.w, g.c.q, NULL, NULL, &n, G), LIMB_E_NONFINITE);
  ground_end(&g);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const all[] = {dependent_ones_are_found_again, map_solves_the_closures, map_is_the_slope_of_assembly,
                              NULL};
  const TTest* const some[] = {five_bar_of_khalil,         four_bar_of_khalil,  differential_drive, rolling_disc,
                               wrong_choices_are_singular, contradictory_rates, bad_input,          NULL};
  const int failed = check_run("loops/complete", closed_count(), all);
  return check_run("loops/complete: numbers and edges", 1, some) | failed;
}
