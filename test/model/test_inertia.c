// Inertias: solids against stacks of thin discs, composition, shifts, parameters, null_gives_nan, and what
// counts as impossible.
#include "limb/spatial.h"

#include "support/check.h"
#include "support/rng.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static void inertia_numbers(const sp_inertia* Y, double x[10])
{
  const double all[10] = {Y->mass, Y->com.x, Y->com.y, Y->com.z, Y->xx, Y->xy, Y->xz, Y->yy, Y->yz, Y->zz};
  memcpy(x, all, sizeof all);
}

static void assert_inertia(sp_inertia got, sp_inertia want, double rtol)
{
  double g[10], w[10];
  inertia_numbers(&got, g);
  inertia_numbers(&want, w);
  assert_close(g[0], w[0], rtol, 0);
  assert_close_array(g + 1, w + 1, 3, rtol, rtol);
  assert_close_array(g + 4, w + 4, 6, rtol, rtol);
}

static sp_inertia random_body(rng* r)
{
  const double mass = rng_uniform(r, 0.1, 3), x = rng_uniform(r, 0.1, 1);
  const double y = rng_uniform(r, 0.1, 1);
  return limb_inertia_move(rng_pose(r, 1), limb_inertia_box(mass, x, y, 0.4));
}

// ---- solids -----------------------------------------------------------------------------------------

// A stack of thin discs along z, |z| < half, with the square of their radius at z.
typedef double profile_fn(double z);

static double cylinder(double z)
{
  (void)z;
  return 0.09;
}

static double sphere(double z) { return 0.09 - z * z; }

static double capsule(double z)
{
  const double over = fmax(fabs(z) - 0.25, 0);
  return 0.09 - over * over;
}

static void assert_stack(sp_inertia Y, double mass, profile_fn* square, double half)
{
  enum { N = 22000 };
  double m = 0, along = 0, across = 0;
  for (int i = 0; i < N; i++) { // a disc: m r^2 / 2 about its axis, m r^2 / 4 across
    const double z = half * (2 * i + 1 - N) / N, r2 = square(z);
    m += r2, along += r2 * r2 / 2, across += r2 * (r2 / 4 + z * z);
  }
  assert_that(Y.mass == mass && Y.com.x == 0 && Y.com.y == 0 && Y.com.z == 0);
  assert_that(Y.xy == 0 && Y.xz == 0 && Y.yz == 0 && Y.xx == Y.yy);
  assert_close(Y.xx, mass * across / m, 1e-8, 0);
  assert_close(Y.zz, mass * along / m, 1e-8, 0);
}

START_TEST(solids)
{
  assert_stack(limb_inertia_cylinder(2, 0.3, 0.5), 2, cylinder, 0.25);
  assert_stack(limb_inertia_sphere(2, 0.3), 2, sphere, 0.3);
  assert_stack(limb_inertia_capsule(2, 0.3, 0.5), 2, capsule, 0.55);

  // A box is made of points: eight at +-edge / sqrt(12) have its moments.
  sp_inertia box = {0};
  for (int i = 0; i < 8; i++) {
    const double k = 1 / sqrt(12);
    const sp_vec3 at = sp_v3(i & 1 ? 0.2 * k : -0.2 * k, i & 2 ? 0.3 * k : -0.3 * k, i & 4 ? 0.7 * k : -0.7 * k);
    box = limb_inertia_add(box, limb_inertia_point(0.5, at));
  }
  assert_inertia(limb_inertia_box(4, 0.2, 0.3, 0.7), box, 1e-14);
}
END_TEST

// Above the plane z = 0: half a sphere of radius 0.3, a cone of height 0.4 on a base of radius 0.3.
static double dome(double z) { return fmax(0.09 - z * z, 0); }

static double cone(double z) { return 0.5625 * (0.4 - z) * (0.4 - z); }

// The same stack for 0 <= z <= height; the moments are about its centre of mass.
static void assert_pile(sp_inertia Y, double volume, profile_fn* square, double height)
{
  enum { N = 20000 };
  double m = 0, first = 0, along = 0, across = 0;
  for (int i = 0; i < N; i++) {
    const double z = height * (i + 0.5) / N, r2 = square(z);
    m += r2, first += r2 * z, along += r2 * r2 / 2, across += r2 * (r2 / 4 + z * z);
  }
  const double c = first / m;
  assert_that(Y.com.x == 0 && Y.com.y == 0 && Y.xy == 0 && Y.xz == 0 && Y.yz == 0 && Y.xx == Y.yy);
  assert_close(Y.com.z, c, 1e-8, 0);
  assert_close(Y.xx, Y.mass * (across / m - c * c), 1e-7, 0);
  assert_close(Y.zz, Y.mass * along / m, 1e-8, 0);
  assert_close(volume, acos(-1) * m * height / N, 1e-8, 0);
}

START_TEST(more_solids)
{
  static const double radius[] = {0.3}, cone_lengths[] = {0.3, 0.4}, ring[] = {0.3, 0.2, 0.5}, axes[] = {0.1, 0.2, 0.3};
  assert_pile(limb_inertia_hemisphere(2, 0.3), limb_solid_volume(LIMB_SOLID_HEMISPHERE, radius), dome, 0.3);
  assert_pile(limb_inertia_cone(2, 0.3, 0.4), limb_solid_volume(LIMB_SOLID_CONE, cone_lengths), cone, 0.4);

  // A hollow cylinder is a cylinder less its core, by density.
  const double whole = acos(-1) * 0.09 * 0.5, core = acos(-1) * 0.04 * 0.5;
  const sp_inertia hollow = limb_inertia_hollow_cylinder(whole - core, 0.3, 0.2, 0.5);
  assert_inertia(limb_inertia_add(hollow, limb_inertia_cylinder(core, 0.2, 0.5)),
                 limb_inertia_cylinder(whole, 0.3, 0.5), 1e-14);
  assert_close(limb_solid_volume(LIMB_SOLID_HOLLOW_CYLINDER, ring), whole - core, 1e-15, 0);
  assert_inertia(limb_inertia_hollow_cylinder(2, 0.3, 0.3, 0.5), limb_inertia_tube(2, 0.3, 0.5), 1e-15);

  // Two half spheres are a sphere; an ellipsoid is a sphere, stretched: its second moments are m / 5 times the squares.
  const sp_inertia half = limb_inertia_hemisphere(1, 0.3);
  const sp_pose down = sp_pose_make(sp_rot_rpy(acos(-1), 0, 0), sp_v3(0, 0, 0));
  assert_inertia(limb_inertia_add(half, limb_inertia_move(down, half)), limb_inertia_sphere(2, 0.3), 1e-14);
  assert_inertia(limb_inertia_ellipsoid(2, 0.3, 0.3, 0.3), limb_inertia_sphere(2, 0.3), 1e-15);
  const sp_inertia stretched = limb_inertia_ellipsoid(5, 0.1, 0.2, 0.3);
  const double second[3] = {(stretched.yy + stretched.zz - stretched.xx) / 2,
                            (stretched.xx + stretched.zz - stretched.yy) / 2,
                            (stretched.xx + stretched.yy - stretched.zz) / 2};
  for (int k = 0; k < 3; k++) assert_close(second[k], axes[k] * axes[k], 1e-14, 0);
  assert_close(limb_solid_volume(LIMB_SOLID_ELLIPSOID, axes), 0.025132741228718346, 1e-14, 0); // 4/3 pi 0.006
}
END_TEST

// All solids by name; those without volume have none.
START_TEST(solids_by_name)
{
  static const double s[3] = {0.3, 0.2, 0.4};
  const sp_inertia each[] = {limb_inertia_box(2, 0.3, 0.2, 0.4),
                             limb_inertia_sphere(2, 0.3),
                             limb_inertia_shell(2, 0.3),
                             limb_inertia_rod(2, 0.3),
                             limb_inertia_cylinder(2, 0.3, 0.2),
                             limb_inertia_capsule(2, 0.3, 0.2),
                             limb_inertia_tube(2, 0.3, 0.2),
                             limb_inertia_hollow_cylinder(2, 0.3, 0.2, 0.4),
                             limb_inertia_cone(2, 0.3, 0.2),
                             limb_inertia_hemisphere(2, 0.3),
                             limb_inertia_ellipsoid(2, 0.3, 0.2, 0.4)};
  const int count = (int)(sizeof each / sizeof *each);
  for (int k = 0; k < count; k++) {
    const limb_solid solid = (limb_solid)k;
    assert_inertia(limb_solid_inertia(solid, 2, s), each[k], 0);
    const bool flat = solid == LIMB_SOLID_SHELL || solid == LIMB_SOLID_ROD || solid == LIMB_SOLID_TUBE;
    assert_that((limb_solid_volume(solid, s) == 0) == flat);
  }
  assert_that(limb_solid_inertia((limb_solid)count, 2, s).mass == 0 && limb_solid_volume((limb_solid)-1, s) == 0);
  assert_close(limb_solid_volume(LIMB_SOLID_CAPSULE, s), // a cylinder and a sphere
               limb_solid_volume(LIMB_SOLID_CYLINDER, s) + limb_solid_volume(LIMB_SOLID_SPHERE, s), 1e-15, 0);
}
END_TEST

// A cloud is the sum of its points, wherever it is; weights are relative.
START_TEST(clouds)
{
  enum { N = 200 };
  rng r = {(uint64_t)_i + 1};
  sp_vec3 at[N];
  double weight[N], total = 0;
  sp_inertia sum = {0}, equal = {0};
  for (int i = 0; i < N; i++) {
    at[i] = sp_v3(1000 + rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1), rng_uniform(&r, -0.2, 0.2));
    weight[i] = rng_uniform(&r, 0, 1), total += weight[i];
  }
  for (int i = 0; i < N; i++) {
    sum = limb_inertia_add(sum, limb_inertia_point(3 * weight[i] / total, at[i]));
    equal = limb_inertia_add(equal, limb_inertia_point(3.0 / N, at[i]));
  }
  assert_inertia(limb_inertia_points(3, N, at, weight), sum, 1e-11);
  assert_inertia(limb_inertia_points(3, N, at, NULL), equal, 1e-11);
  assert_that(limb_inertia_points(3, 0, NULL, NULL).mass == 0);
  for (int k = 0; k < 2; k++) { // sums of weights that overflow, and weights that are not normal numbers
    const double huge[2] = {k ? 1e-320 : 1e308, k ? 1e-320 : 1e308};
    const sp_vec3 ends[2] = {{0, 0, 0}, {1, 0, 0}};
    const sp_inertia rod = limb_inertia_points(2, 2, ends, huge);
    assert_inertia(rod, limb_inertia_add(limb_inertia_point(1, ends[0]), limb_inertia_point(1, ends[1])), 1e-14);
  }
}
END_TEST

START_TEST(limits_of_solids)
{
  // Shells are differences of solids: d(m r^2) with m ~ r^3, or m ~ r^2.
  const double h = 1e-5, r = 0.3;
  const sp_inertia shell = limb_inertia_shell(1, r);
  const double ball = (pow(r + h, 5) - pow(r - h, 5)) / (pow(r + h, 3) - pow(r - h, 3));
  assert_close(shell.xx, 0.4 * ball, 1e-8, 0);
  assert_that(shell.xx == shell.yy && shell.yy == shell.zz);
  const sp_inertia tube = limb_inertia_tube(1, r, 0.5);
  assert_close(tube.zz, 0.5 * (pow(r + h, 4) - pow(r - h, 4)) / (pow(r + h, 2) - pow(r - h, 2)), 1e-8, 0);
  assert_close(tube.xx, r * r / 2 + 0.25 / 12, 1e-15, 0);

  assert_inertia(limb_inertia_rod(3, 0.5), limb_inertia_cylinder(3, 0, 0.5), 1e-15);
  assert_inertia(limb_inertia_rod(3, 0.5), limb_inertia_capsule(3, 0, 0.5), 1e-15);
  assert_inertia(limb_inertia_sphere(3, 0.2), limb_inertia_capsule(3, 0.2, 0), 1e-15);
  assert_inertia(limb_inertia_point(3, sp_v3(0, 0, 0)), limb_inertia_capsule(3, 0, 0), 0);
  assert_inertia(limb_inertia_rod(3, 0.5), limb_inertia_tube(3, 0, 0.5), 1e-15);
}
END_TEST

// ---- composition ------------------------------------------------------------------------------------

START_TEST(two_half_boxes)
{
  const sp_inertia half = limb_inertia_box(1, 0.2, 0.3, 0.5);
  const sp_pose up = sp_pose_make(sp_identity3(), sp_v3(0, 0, 0.25));
  const sp_pose down = sp_pose_make(sp_identity3(), sp_v3(0, 0, -0.25));
  const sp_inertia whole = limb_inertia_add(limb_inertia_move(up, half), limb_inertia_move(down, half));
  assert_inertia(whole, limb_inertia_box(2, 0.2, 0.3, 1), 1e-15);
}
END_TEST

START_TEST(add)
{
  rng r = {(uint64_t)_i + 1};
  const sp_inertia a = random_body(&r), b = random_body(&r), c = random_body(&r);
  const sp_inertia ab = limb_inertia_add(a, b);
  assert_inertia(limb_inertia_add(b, a), ab, 1e-14);
  assert_inertia(limb_inertia_add(ab, c), limb_inertia_add(a, limb_inertia_add(b, c)), 1e-14);

  // Parameters about a common origin simply add up.
  double A[10], B[10], AB[10];
  limb_inertia_to_parameters(&a, A);
  limb_inertia_to_parameters(&b, B);
  limb_inertia_to_parameters(&ab, AB);
  for (int i = 0; i < 10; i++) A[i] += B[i];
  assert_close_array(AB, A, 10, 1e-14, 0);

  // Taking away again; adding nothing.
  sp_inertia minus = b;
  minus.mass = -b.mass;
  minus.xx = -b.xx, minus.xy = -b.xy, minus.xz = -b.xz;
  minus.yy = -b.yy, minus.yz = -b.yz, minus.zz = -b.zz;
  assert_inertia(limb_inertia_add(ab, minus), a, 1e-11);
  assert_inertia(limb_inertia_add(b, minus), (sp_inertia){0}, 0);
  assert_inertia(limb_inertia_add(a, (sp_inertia){0}), a, 0);
  assert_inertia(limb_inertia_add((sp_inertia){0}, a), a, 0);
}
END_TEST

START_TEST(move)
{
  rng r = {(uint64_t)_i + 1};
  const sp_inertia a = random_body(&r), b = random_body(&r);
  const sp_pose X = rng_pose(&r, 1), Y = rng_pose(&r, 1);
  const sp_inertia moved = limb_inertia_move(X, a);
  assert_inertia(limb_inertia_move(sp_invert(X), moved), a, 1e-14);
  assert_inertia(limb_inertia_move(Y, moved), limb_inertia_move(sp_compose(Y, X), a), 1e-14);
  assert_inertia(limb_inertia_add(moved, limb_inertia_move(X, b)), limb_inertia_move(X, limb_inertia_add(a, b)), 1e-14);

  // The kinetic energy does not know frames.
  const sp_motion v = {rng_vec3(&r, 1), rng_vec3(&r, 1)}, w = sp_motion_out(X, v);
  assert_close(sp_dot(w, sp_inertia_times(&moved, w)), sp_dot(v, sp_inertia_times(&a, v)), 1e-14, 0);
}
END_TEST

START_TEST(parameters)
{
  rng r = {(uint64_t)_i + 1};
  const sp_inertia a = random_body(&r);
  double theta[10], O[6];
  limb_inertia_to_parameters(&a, theta);
  limb_inertia_about_origin(&a, O);
  assert_inertia(limb_inertia_from_parameters(theta), a, 1e-13);
  assert_close_array(theta + 4, O, 6, 0, 0);

  // Turning about the origin only: the momentum's moment is the inertia times w.
  const sp_vec3 w = rng_vec3(&r, 1);
  const sp_force f = sp_inertia_times(&a, sp_motion_make(w, sp_v3(0, 0, 0)));
  const sp_mat3 I = {{O[0], O[1], O[2], O[1], O[3], O[4], O[2], O[4], O[5]}};
  assert_close_vec3(f.m, sp_mulv(I, w), 1e-14, 0);
  assert_close_vec3(f.f, sp_cross3(w, sp_v3(theta[1], theta[2], theta[3])), 1e-14, 0);

  const double massless[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const sp_inertia m = limb_inertia_from_parameters(massless);
  assert_that(m.mass == 0 && m.com.x == 0 && m.com.y == 0 && m.com.z == 0);
  assert_that(m.xx == 4 && m.xy == 5 && m.xz == 6 && m.yy == 7 && m.yz == 8 && m.zz == 9);
}
END_TEST

// They have no status to return: NULL gives what cannot be taken for an answer.
START_TEST(null_gives_nan)
{
  double theta[10] = {0}, O[6] = {0};
  limb_inertia_to_parameters(NULL, theta);
  limb_inertia_about_origin(NULL, O);
  for (int k = 0; k < 10; k++) assert_that(isnan(theta[k]) && (k > 5 || isnan(O[k])));
  const sp_inertia Y = limb_inertia_from_parameters(NULL), one = limb_inertia_point(1, sp_v3(1, 0, 0));
  assert_that(isnan(Y.mass) && isnan(Y.com.x) && isnan(Y.zz));
  limb_inertia_to_parameters(&one, NULL);
  limb_inertia_about_origin(&one, NULL);
}
END_TEST

// ---- what a rigid body can have ---------------------------------------------------------------------

static void assert_defect(sp_inertia Y, const char* words)
{
  const char* defect = limb_inertia_defect(&Y);
  ck_assert_msg(defect && strstr(defect, words), "'%s' lacks '%s'", defect ? defect : "(none)", words);
}

START_TEST(borderline_bodies_pass)
{
  rng r = {(uint64_t)_i + 1};
  const double size = pow(10, rng_uniform(&r, -6, 3)), mass = pow(10, rng_uniform(&r, -6, 3));
  sp_inertia pair = limb_inertia_point(mass, rng_vec3(&r, size));
  pair = limb_inertia_add(pair, limb_inertia_point(2 * mass, rng_vec3(&r, size)));
  const sp_inertia border[] = {limb_inertia_rod(mass, size),
                               limb_inertia_cylinder(mass, size, 0),
                               limb_inertia_box(mass, size, 0.3 * size, 0),
                               limb_inertia_tube(mass, size, 0),
                               limb_inertia_point(mass, rng_vec3(&r, size)),
                               pair,
                               limb_inertia_point(0, sp_v3(0, 0, 0))};
  for (size_t i = 0; i < sizeof border / sizeof border[0]; i++) {
    check_at("body %zu, seed %d", i, _i);
    assert_that(!limb_inertia_defect(&border[i]));
    const sp_inertia turned = limb_inertia_move(rng_pose(&r, size), border[i]);
    assert_that(!limb_inertia_defect(&turned));
  }
}
END_TEST

START_TEST(beyond_the_border)
{
  // A hair beyond the border is found, however the body is turned.
  rng r = {(uint64_t)_i + 1};
  const sp_pose X = rng_pose(&r, 1);
  const double hair = 1e-12;
  const sp_inertia wide = {.mass = 1, .xx = 1, .yy = 2, .zz = 3 + hair};
  assert_defect(limb_inertia_move(X, wide), "larger than the sum");
  const sp_inertia negative = {.mass = 1, .xx = -hair, .yy = 1, .zz = 1};
  assert_defect(limb_inertia_move(X, negative), "negative");
  const sp_inertia fine = {.mass = 1, .xx = 1, .yy = 2, .zz = 3 - hair};
  const sp_inertia turned = limb_inertia_move(X, fine);
  assert_that(!limb_inertia_defect(&turned));
}
END_TEST

START_TEST(defects)
{
  assert_that(limb_inertia_defect(NULL));
  assert_defect((sp_inertia){.mass = -1}, "mass is negative");
  assert_defect((sp_inertia){.xx = 1, .yy = 1, .zz = 1}, "no mass");
  assert_defect((sp_inertia){.mass = 1, .xx = 1, .yy = 1, .zz = 2.001}, "larger than the sum");
  assert_defect((sp_inertia){.mass = 1, .xy = 1}, "negative");
  assert_defect((sp_inertia){.mass = 1, .xx = 1, .yy = 1, .zz = 1, .xy = 1.01}, "negative");
  assert_defect((sp_inertia){.mass = nan("")}, "finite");
  assert_defect((sp_inertia){.mass = 1, .com = {0, HUGE_VAL, 0}}, "finite");
  assert_defect((sp_inertia){.mass = 1, .yz = nan("")}, "finite");
  const sp_inertia tiny = {.mass = 1e-300, .xx = 1e-300, .yy = 1e-300, .zz = 1e-300};
  assert_that(!limb_inertia_defect(&tiny));
  const sp_inertia huge = {.mass = 1, .xx = 1e300, .xy = 1e299, .yy = 1e300, .zz = 1e300};
  assert_that(!limb_inertia_defect(&huge));
}
END_TEST

CHECK_MAIN("inertia", 50, solids, more_solids, solids_by_name, clouds, limits_of_solids, two_half_boxes, add, move,
           parameters, null_gives_nan, borderline_bodies_pass, beyond_the_border, defects)
