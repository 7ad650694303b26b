// limb YAML: what every key means, and that joints placed by rows and screws move as the formulas say.
#include "limb/read.h"

#include "io/yaml_text.h"
#include "numbers/rig.h"
#include "support/rng.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

static sp_inertia inertia_of(limb_reading* r, const char* name)
{
  limb_builder* b = limb_reading_builder(r);
  limb_body_def def;
  check_at("body %s", name);
  assert_ok(limb_builder_get_body(b, limb_builder_find_body(b, name), &def));
  return def.inertia;
}

static void assert_inertia(sp_inertia got, sp_inertia want)
{
  const double a[10] = {got.mass, got.com.x, got.com.y, got.com.z, got.xx, got.xy, got.xz, got.yy, got.yz, got.zz};
  const double b[10] = {want.mass, want.com.x, want.com.y, want.com.z, want.xx,
                        want.xy,   want.xz,    want.yy,    want.yz,    want.zz};
  assert_close_array(a, b, 10, 1e-15, 0);
}

// Number of findings of a rule.
static int count_rule(limb_reading* r, const char* rule)
{
  int count = 0;
  limb_finding f;
  for (int i = 0; limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++)
    count += strcmp(f.rule, rule) == 0;
  return count;
}

// ---- keys -------------------------------------------------------------------------------------------

static int finding_of(limb_reading* r, const char* rule)
{
  limb_finding f;
  for (int i = 0; limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++) {
    if (strcmp(f.rule, rule) == 0) return 1;
  }
  return 0;
}

START_TEST(joints)
{
  limb_reading* r =
    read_text("limb: 1\nname: all keys\ngravity: [1, 2, 3]\nbodies:\n"
              "  - {name: a, mass: 1, solid: point}\n  - {name: b, mass: 0}\n  - {name: c, mass: 0}\n"
              "  - {name: d, mass: 0}\n  - {name: e, mass: 0}\n  - {name: f, mass: 0}\n  - {name: g, mass: "
              "0}\n"
              "  - {name: h, mass: 0}\n  - {name: i, mass: 0}\n  - {name: k, mass: 0}\n"
              "joints:\n"
              "  - name: turn\n    type: revolute\n    parent: world\n    child: a\n"
              "    pose: {xyz: [1, 2, 3], rpy: [pi/2, 0, 0]}\n    axis: [0, 1, 0]\n"
              "    limits: {lower: -2, upper: pi, velocity: 3, effort: 40}\n"
              "    rotor: {inertia: 1e-4, gear: -100}\n    friction: {coulomb: 0.1, viscous: 0.2}\n"
              "    spring: {stiffness: 5, rest: 0.5}\n"
              "  - {name: slide, type: prismatic, antecedent: a, child: b, mimic: {joint: turn, multiplier: "
              "2, offset: 1}}\n"
              "  - {name: bolt, type: helical, parent: b, child: c, pitch: 0.01, limits: {upper: .inf, "
              "lower: -.inf}}\n"
              "  - {name: tube, type: cylindrical, parent: c, child: d}\n"
              "  - {name: cross, type: universal, parent: d, child: e, axis: [1, 0, 0], axis2: [0, 1, 0]}\n"
              "  - {name: plane, type: planar, parent: e, child: f, axis2: [0, 1, 0]}\n"
              "  - {name: ball, type: spherical, parent: f, child: g, pose: {quaternion: [0, 0, 1, 0]}}\n"
              "  - {name: flight, type: free, parent: g, child: h, pose: {matrix: [0, -1, 0, 1, 0, 0, 0, 0, "
              "1]}}\n"
              "  - {name: weld, type: fixed, parent: h, child: i}\n"
              "  - {name: wheel, type: continuous, parent: i, child: k, limits: {velocity: 9}}\n"
              "frames:\n  - {name: tip, body: a, xyz: [0, 0, 1], rpy: [0, 0, pi]}\n  - {name: post, body: "
              "world}\n");
  limb_builder* b = limb_reading_builder(r);
  ck_assert_str_eq(limb_builder_name(b), "all keys");
  assert_close_vec3(limb_builder_gravity(b), sp_v3(1, 2, 3), 0, 0);
  const limb_joint_def turn = joint_of(r, "turn");
  const sp_pose placement = {{{1, 0, 0, 0, 0, -1, 0, 1, 0}}, {1, 2, 3}};
  assert_close_pose(turn.placement, placement, 0, 0);
  assert_close_vec3(turn.axis, sp_v3(0, 1, 0), 0, 0);
  const double got[] = {turn.q_min,      turn.q_max,   turn.v_max,   turn.effort_max, turn.rotor_inertia,
                        turn.gear_ratio, turn.coulomb, turn.viscous, turn.stiffness,  turn.rest};
  const double want[] = {-2, PI, 3, 40, 1e-4, -100, 0.1, 0.2, 5, 0.5};
  assert_that(memcmp(got, want, sizeof want) == 0);
  const limb_joint_def slide = joint_of(r, "slide");
  assert_that(slide.type == LIMB_PRISMATIC && slide.parent == 1 && slide.child == 2 && slide.mimic == 0);
  assert_that(slide.multiplier == 2 && slide.offset == 1 && slide.axis.z == 1);
  assert_that(joint_of(r, "bolt").type == LIMB_HELICAL && joint_of(r, "bolt").pitch == 0.01);
  assert_that(joint_of(r, "bolt").q_max == HUGE_VAL && joint_of(r, "bolt").q_min == -HUGE_VAL);
  assert_that(joint_of(r, "tube").type == LIMB_CYLINDRICAL);
  assert_that(joint_of(r, "cross").type == LIMB_UNIVERSAL && joint_of(r, "cross").axis2.y == 1);
  assert_that(joint_of(r, "plane").type == LIMB_PLANAR && joint_of(r, "plane").axis2.y == 1);
  assert_that(joint_of(r, "ball").type == LIMB_SPHERICAL && joint_of(r, "ball").placement.R.m[0] == -1);
  assert_that(joint_of(r, "flight").type == LIMB_FREE && joint_of(r, "flight").placement.R.m[1] == -1);
  assert_that(joint_of(r, "weld").type == LIMB_FIXED);
  assert_that(joint_of(r, "wheel").type == LIMB_REVOLUTE && joint_of(r, "wheel").v_max == 9);
  limb_frame_info tip, post;
  assert_ok(limb_builder_get_frame(b, 0, &tip));
  assert_ok(limb_builder_get_frame(b, 1, &post));
  assert_that(strcmp(tip.name, "tip") == 0 && tip.body == 1 && tip.pose.R.m[0] == -1 && tip.pose.p.z == 1);
  assert_that(strcmp(post.name, "post") == 0 && post.body == LIMB_WORLD_BODY);
  limb_finding f; // the only one: axes that are left out are told once
  ck_assert_int_eq(limb_findings_count(limb_reading_findings(r)), 1);
  assert_ok(limb_findings_get(limb_reading_findings(r), 0, &f));
  ck_assert_str_eq(f.where, "joint 'slide'");
  ck_assert_str_eq(f.text, "it has no axis: 0 0 1 is assumed, the default of limb YAML; so for 4 more");
  assert_that(f.severity == LIMB_NOTE && f.line == 26);
  ck_assert_int_eq(limb_reading_body_line(r, 1), 5);
  ck_assert_int_eq(limb_reading_joint_line(r, 0), 16);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(bodies)
{
  limb_reading* r = read_text("limb: 1\nbase: floating\nbodies:\n"
                              "  - {name: a, mass: 2, com: [1, 2, 3], inertia: [4, 0.1, 0.2, 5, 0.3, 6]}\n"
                              "  - {name: b, mass: 2, inertia: {xx: 4, yy: 5, zz: 6, yz: 0.3}}\n"
                              "  - {name: c, parameters: [2, 1, 0, 0, 3, 0, 0, 4, 0, 5]}\n"
                              "  - {name: box, mass: 2, com: [1, 0, 0], solid: {box: [1, 2, 3]}}\n"
                              "  - {name: cylinder, mass: 2, solid: {cylinder: [1, 2]}}\n"
                              "  - {name: sphere, mass: 2, solid: {sphere: 1}}\n"
                              "  - {name: capsule, mass: 2, solid: {capsule: [1, 2]}}\n"
                              "  - {name: shell, mass: 2, solid: {shell: 1}}\n"
                              "  - {name: tube, mass: 2, solid: {tube: [1, 2]}}\n"
                              "  - {name: rod, mass: 2, solid: {rod: 3}}\n"
                              "  - {name: point, mass: 2, com: [0, 0, 1], solid: point}\n"
                              "  - name: turned\n    mass: 2\n    com: [1, 2, 3]\n"
                              "    solid: {box: [1, 2, 3]}\n    inertia_axes: {rpy: [0.1, 0.2, 0.3]}\n"
                              "  - {name: last, mass: 0}\n"
                              "joints:\n"
                              "  - {name: 1, type: fixed, parent: a, child: b}\n"
                              "  - {name: 2, type: fixed, parent: a, child: c}\n"
                              "  - {name: 3, type: fixed, parent: a, child: box}\n"
                              "  - {name: 4, type: fixed, parent: a, child: cylinder}\n"
                              "  - {name: 5, type: fixed, parent: a, child: sphere}\n"
                              "  - {name: 6, type: fixed, parent: a, child: capsule}\n"
                              "  - {name: 7, type: fixed, parent: a, child: shell}\n"
                              "  - {name: 8, type: fixed, parent: a, child: tube}\n"
                              "  - {name: 9, type: fixed, parent: a, child: rod}\n"
                              "  - {name: 10, type: fixed, parent: a, child: point}\n"
                              "  - {name: 11, type: fixed, parent: a, child: turned}\n"
                              "  - {name: 12, type: fixed, parent: a, child: last}\n");
  assert_inertia(inertia_of(r, "a"), (sp_inertia){2, {1, 2, 3}, 4, 0.1, 0.2, 5, 0.3, 6});
  assert_inertia(inertia_of(r, "b"), (sp_inertia){2, {0, 0, 0}, 4, 0, 0, 5, 0.3, 6});
  const double theta[10] = {2, 1, 0, 0, 3, 0, 0, 4, 0, 5};
  assert_inertia(inertia_of(r, "c"), limb_inertia_from_parameters(theta));
  const sp_pose right = {sp_identity3(), {1, 0, 0}};
  assert_inertia(inertia_of(r, "box"), limb_inertia_move(right, limb_inertia_box(2, 1, 2, 3)));
  assert_inertia(inertia_of(r, "cylinder"), limb_inertia_cylinder(2, 1, 2));
  assert_inertia(inertia_of(r, "sphere"), limb_inertia_sphere(2, 1));
  assert_inertia(inertia_of(r, "capsule"), limb_inertia_capsule(2, 1, 2));
  assert_inertia(inertia_of(r, "shell"), limb_inertia_shell(2, 1));
  assert_inertia(inertia_of(r, "tube"), limb_inertia_tube(2, 1, 2));
  assert_inertia(inertia_of(r, "rod"), limb_inertia_rod(2, 3));
  assert_inertia(inertia_of(r, "point"), limb_inertia_point(2, sp_v3(0, 0, 1)));
  const sp_pose turned = {sp_rot_rpy(0.1, 0.2, 0.3), {1, 2, 3}};
  assert_inertia(inertia_of(r, "turned"), limb_inertia_move(turned, limb_inertia_box(2, 1, 2, 3)));
  const limb_joint_def base = joint_of(r, "base");
  assert_that(base.type == LIMB_FREE && base.parent == LIMB_WORLD_BODY && base.child == 1);
  ck_assert_int_eq(limb_findings_count(limb_reading_findings(r)), 0);
  limb_reading_destroy(r);
}
END_TEST

// Several solids, densities, points.
START_TEST(solids)
{
  limb_reading* r = read_text("limb: 1\nbase: floating\nbodies:\n"
                              "  - {name: ball, com: [1, 2, 3], solid: {sphere: 0.1}, density: 2700}\n"
                              "  - name: link\n    density: 7850\n    solids:\n"
                              "      - {hollow_cylinder: [0.05, 0.04, 0.3], density: 2700, xyz: [0, 0, 0.15]}\n"
                              "      - {cone: [0.05, 0.1], xyz: [0, 0, 0.3], rpy: [0.1, 0.2, 0.3]}\n"
                              "      - {hemisphere: 0.05, mass: 0.7, rpy: [pi, 0, 0]}\n"
                              "      - {ellipsoid: [0.1, 0.2, 0.3], mass: 2}\n"
                              "      - {points: [[0.1, 1, 0, 0], [0.3, 0, 1, 0]]}\n"
                              "      - {points: [[1, 1, 0, 0], [3, 0, 1, 0]], mass: 0.8, xyz: [0, 0, 1]}\n"
                              "joints:\n  - {name: 1, type: fixed, parent: ball, child: link}\n");
  const double pi = acos(-1);
  const sp_inertia ball = limb_inertia_sphere(2700 * 4 * pi / 3 * 0.001, 0.1);
  assert_inertia(inertia_of(r, "ball"), limb_inertia_move(sp_pose_make(sp_identity3(), sp_v3(1, 2, 3)), ball));
  const sp_vec3 at[2] = {{1, 0, 0}, {0, 1, 0}};
  const double weight[2] = {1, 3};
  const sp_pose pose[] = {sp_pose_make(sp_identity3(), sp_v3(0, 0, 0.15)),
                          sp_pose_make(sp_rot_rpy(0.1, 0.2, 0.3), sp_v3(0, 0, 0.3)),
                          sp_pose_make(sp_rot_rpy(pi, 0, 0), sp_v3(0, 0, 0)),
                          sp_pose_identity(),
                          sp_pose_identity(),
                          sp_pose_make(sp_identity3(), sp_v3(0, 0, 1))};
  const sp_inertia part[] = {limb_inertia_hollow_cylinder(2700 * pi * (0.0025 - 0.0016) * 0.3, 0.05, 0.04, 0.3),
                             limb_inertia_cone(7850 * pi / 3 * 0.0025 * 0.1, 0.05, 0.1),
                             limb_inertia_hemisphere(0.7, 0.05),
                             limb_inertia_ellipsoid(2, 0.1, 0.2, 0.3),
                             limb_inertia_points(0.4, 2, at, weight),
                             limb_inertia_points(0.8, 2, at, weight)};
  sp_inertia sum = {0};
  for (int k = 0; k < 6; k++) sum = limb_inertia_add(sum, limb_inertia_move(pose[k], part[k]));
  assert_inertia(inertia_of(r, "link"), sum);
  ck_assert_int_eq(limb_findings_count(limb_reading_findings(r)), 0);
  limb_reading_destroy(r);
}
END_TEST

// What is assumed is said.
START_TEST(notes)
{
  limb_reading* r = read_text("limb: 1\nbase: planar\npoe: body\nbodies:\n  - {name: a, mass: 1}\n  - name: b\n"
                              "    home: {xyz: [1, 0, 0]}\n  - {name: c, mass: 0}\n"
                              "joints:\n  - {name: x, type: revolute, parent: a, child: c, axis: [1, 1, 0]}\n"
                              "  - {name: y, parent: world, child: b, screw: [0, 0, 1, 0, 0, 0.5]}\n");
  ck_assert_int_eq(count_rule(r, "assumed"), 2); // a point mass; a helical joint
  ck_assert_int_eq(count_rule(r, "no-inertial"), 1);
  ck_assert_int_eq(count_rule(r, "normalised"), 1);
  assert_that(joint_of(r, "y").type == LIMB_HELICAL && joint_of(r, "y").pitch == 0.5);
  assert_that(joint_of(r, "base").type == LIMB_PLANAR);
  limb_reading_destroy(r);
}
END_TEST

// Home poses place joints of any type, and must then be there.
START_TEST(homes)
{
  limb_reading* r = read_text("limb: 1\nbodies:\n  - {name: a, mass: 0, home: {xyz: [1, 0, 0], rpy: [0, 0, pi/2]}}\n"
                              "  - {name: b, mass: 0, home: {xyz: [1, 2, 0]}}\n"
                              "joints:\n  - {name: x, type: fixed, parent: world, child: a}\n"
                              "  - {name: y, type: spherical, parent: a, child: b}\n");
  const sp_pose first = {{{0, -1, 0, 1, 0, 0, 0, 0, 1}}, {1, 0, 0}};
  const sp_pose second = {{{0, 1, 0, -1, 0, 0, 0, 0, 1}}, {2, 0, 0}};
  assert_close_pose(joint_of(r, "x").placement, first, 0, 0);
  assert_close_pose(joint_of(r, "y").placement, second, 0, 1e-16);
  limb_reading_destroy(r);
}
END_TEST

// Everything that is an angle, and nothing else.
START_TEST(degrees)
{
  static const char* const form =
    "limb: 1\nangles: %s\ndh: modified\nbodies:\n  - {name: a, mass: 0}\n  - {name: b, mass: 0}\n"
    "  - {name: c, mass: 0}\njoints:\n"
    "  - name: x\n    type: revolute\n    parent: world\n    child: a\n    dh: {gamma: %s, b: 2, "
    "alpha: %s, r: 3}\n"
    "    limits: {lower: %s, upper: %s, velocity: %s, effort: 7}\n    spring: {stiffness: 3, rest: "
    "%s}\n"
    "    rotor: {inertia: 2, gear: 30}\n    friction: {coulomb: 4, viscous: 5}\n"
    "  - {name: y, type: helical, parent: a, child: b, pose: {rpy: [%s, 0, 0]}, pitch: 2,"
    " mimic: {joint: x, multiplier: 3, offset: %s}}\n"
    "  - {name: z, type: prismatic, parent: b, child: c, limits: {lower: 1, upper: 2, velocity: 3},"
    " spring: {stiffness: 1, rest: 5}}\n";
  char text[2][2048];
  snprintf(text[0], sizeof text[0], form, "degrees", "90", "-180", "-45", "60", "18", "36", "90", "-90");
  snprintf(text[1], sizeof text[1], form, "radians", "1.5707963267948966", "-pi", "-pi/4", "pi/3", "pi/10", "0.2*pi",
           "pi/2", "-pi/2");
  limb_reading* r[2] = {read_text(text[0]), read_text(text[1])};
  for (int i = 0; i < 3; i++) {
    const char name[2] = {(char)('x' + i), 0};
    const limb_joint_def a = joint_of(r[0], name), b = joint_of(r[1], name);
    assert_close_pose(a.placement, b.placement, 0, 0); // right angles are exact
    const size_t first = offsetof(limb_joint_def, pitch), last = offsetof(limb_joint_def, mimic);
    double u[20], v[20];
    const int n = (int)((last - first) / sizeof(double));
    memcpy(u, (const char*)&a + first, last - first);
    memcpy(v, (const char*)&b + first, last - first);
    for (int k = 0; k < n; k++) assert_that(u[k] == v[k] || fabs(u[k] - v[k]) <= 1e-15 * fabs(v[k]));
    assert_close(a.offset, b.offset, 1e-15, 0);
    assert_that(a.multiplier == b.multiplier);
  }
  limb_reading_destroy(r[0]);
  limb_reading_destroy(r[1]);
}
END_TEST

// ---- placements against the formulas ----------------------------------------------------------------

enum { SEEDS = 40, LINKS = 8, STATES = 5 };

typedef struct writer {
  char text[8192];
  size_t used;
} writer;

__attribute__((format(printf, 2, 3))) static void add(writer* w, const char* format, ...)
{
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(w->text + w->used, sizeof w->text - w->used, format, list);
  va_end(list);
  w->used += (size_t)n;
  assert_that(w->used < sizeof w->text);
}

static void add_numbers(writer* w, const char* key, int n, const double* x)
{
  add(w, "%s: [", key);
  for (int i = 0; i < n; i++) add(w, "%s%.17g", i ? ", " : "", x[i]);
  add(w, "]");
}

static rig build(const writer* w)
{
  limb_reading* r = read_text(w->text);
  limb_model* m = NULL;
  limb_error err = {0};
  const limb_status status = limb_builder_build(limb_reading_builder(r), &m, &err);
  check_at("%s: %s\n%s", err.where, err.text, w->text);
  assert_ok(status);
  limb_reading_destroy(r);
  return rig_of(m);
}

// Compares the poses of bodies b0, b1, ... at q.
static void compare_poses(const rig* r, const double* q, const sp_pose* want)
{
  assert_ok(limb_kinematics(r->d, q, NULL, NULL));
  for (int i = 0; i < LINKS; i++) {
    const char name[3] = {'b', (char)('0' + i), 0};
    sp_pose got;
    assert_ok(limb_frame_pose(r->d, limb_find_frame(r->m, name), &got));
    assert_close_pose(got, want[i], 1e-13, 1e-13);
  }
}

static sp_pose turn_z(double angle, double along)
{
  return sp_pose_make(sp_rot_axis(sp_v3(0, 0, 1), angle), sp_v3(0, 0, along));
}

static sp_pose turn_x(double angle, double along)
{
  return sp_pose_make(sp_rot_axis(sp_v3(1, 0, 0), angle), sp_v3(along, 0, 0));
}

// Rows of both forms: joint i is a rotation or a translation, the parent any body before.
static void rows_of(int seed)
{
  rng g = {(uint64_t)seed};
  const int standard = seed % 2;
  double x[LINKS][6];
  int parent[LINKS], sigma[LINKS];
  writer w = {.used = 0};
  add(&w, "limb: 1\ndh: %s\nbodies:\n", standard ? "standard" : "modified");
  for (int i = 0; i < LINKS; i++) add(&w, "- {name: b%d, mass: 1, solid: point}\n", i);
  add(&w, "joints:\n");
  for (int i = 0; i < LINKS; i++) {
    rng_fill(&g, 2, 6, x[i]);
    sigma[i] = rng_below(&g, 2);
    parent[i] = rng_below(&g, i + 1) - 1;
    if (rng_chance(&g, 0.3)) x[i][3] = 0;
    add(&w, "- {name: j%d, child: b%d, antecedent: ", i, i);
    if (parent[i] < 0)
      add(&w, "world, ");
    else
      add(&w, "b%d, ", parent[i]);
    if (standard)
      add(&w, "dh: {theta: %.17g, d: %.17g, a: %.17g, alpha: %.17g, sigma: %d}}\n", x[i][0], x[i][1], x[i][3], x[i][2],
          sigma[i]);
    else
      add(&w,
          "dh: {gamma: %.17g, b: %.17g, alpha: %.17g, d: %.17g, theta: %.17g, r: %.17g, sigma: "
          "%d}}\n",
          x[i][0], x[i][1], x[i][2], x[i][3], x[i][4], x[i][5], sigma[i]);
  }
  rig r = build(&w);
  for (int s = 0; s < STATES; s++) {
    double q[LINKS];
    sp_pose want[LINKS];
    rng_fill(&g, 3, LINKS, q);
    for (int i = 0; i < LINKS; i++) {
      const double angle = sigma[i] ? 0 : q[i], along = sigma[i] ? q[i] : 0;
      sp_pose T;
      if (standard)
        T = sp_compose(turn_z(x[i][0] + angle, x[i][1] + along), turn_x(x[i][2], x[i][3]));
      else
        T = sp_compose(sp_compose(turn_z(x[i][0], x[i][1]), turn_x(x[i][2], x[i][3])),
                       turn_z(x[i][4] + angle, x[i][5] + along));
      want[i] = parent[i] < 0 ? T : sp_compose(want[parent[i]], T);
    }
    compare_poses(&r, q, want);
  }
  rig_free(&r);
}

START_TEST(rows)
{
  for (int seed = 0; seed < SEEDS; seed++) rows_of(seed);
}
END_TEST

// exp(S q) of a unit screw.
static sp_pose exponential(sp_motion S, double q)
{
  if (S.w.x == 0 && S.w.y == 0 && S.w.z == 0) return sp_pose_make(sp_identity3(), sp_scale3(q, S.v));
  const sp_mat3 R = sp_rot_axis(S.w, q);
  const sp_vec3 c = sp_cross3(S.w, S.v);
  const sp_vec3 p = sp_add3(sp_sub3(c, sp_mulv(R, c)), sp_scale3(q * sp_dot3(S.w, S.v), S.w));
  return sp_pose_make(R, p);
}

// Screws of all pitches, in both forms, in trees:
//   T_i(q) = product of exp(S_k q_k) from the root to i, times M_i
static void screws_of(int seed)
{
  rng g = {(uint64_t)(100 + seed)};
  const int body_form = seed % 2;
  sp_pose M[LINKS];
  sp_motion S[LINKS];
  int parent[LINKS];
  writer w = {.used = 0};
  add(&w, "limb: 1\npoe: %s\nbodies:\n", body_form ? "body" : "space");
  for (int i = 0; i < LINKS; i++) {
    M[i] = rng_pose(&g, 1);
    add(&w, "- {name: b%d, mass: 1, solid: point, home: {", i);
    add_numbers(&w, "xyz", 3, (const double[3]){M[i].p.x, M[i].p.y, M[i].p.z});
    add_numbers(&w, ", matrix", 9, M[i].R.m);
    add(&w, "}}\n");
  }
  add(&w, "joints:\n");
  for (int i = 0; i < LINKS; i++) {
    const sp_vec3 axis = rng_direction(&g);
    const sp_vec3 point = rng_chance(&g, 0.3) ? M[i].p : rng_vec3(&g, 1);
    const int kind = rng_below(&g, 3);
    const double pitch = kind == 2 ? rng_uniform(&g, -0.2, 0.2) : 0;
    S[i] = kind == 0 ? sp_motion_make(sp_v3(0, 0, 0), axis)
                     : sp_motion_make(axis, sp_add3(sp_cross3(point, axis), sp_scale3(pitch, axis)));
    parent[i] = rng_below(&g, i + 1) - 1;
    const sp_motion A = body_form ? sp_motion_in(M[i], S[i]) : S[i];
    add(&w, "- {name: j%d, child: b%d, parent: ", i, i);
    if (parent[i] < 0)
      add(&w, "world, ");
    else
      add(&w, "b%d, ", parent[i]);
    add_numbers(&w, "screw", 6, (const double[6]){A.w.x, A.w.y, A.w.z, A.v.x, A.v.y, A.v.z});
    add(&w, "}\n");
  }
  rig r = build(&w);
  for (int s = 0; s < STATES; s++) {
    double q[LINKS];
    sp_pose product[LINKS], want[LINKS];
    rng_fill(&g, 3, LINKS, q);
    for (int i = 0; i < LINKS; i++) {
      const sp_pose e = exponential(S[i], q[i]);
      product[i] = parent[i] < 0 ? e : sp_compose(product[parent[i]], e);
      want[i] = sp_compose(product[i], M[i]);
    }
    compare_poses(&r, q, want);
  }
  rig_free(&r);
}

START_TEST(screws)
{
  for (int seed = 0; seed < SEEDS; seed++) screws_of(seed);
}
END_TEST

// A body between joint and child is made only where the axis misses the child's origin.
START_TEST(bodies_between)
{
  limb_reading* r = read_text("limb: 1\npoe: space\ndh: standard\nbodies:\n"
                              "  - {name: a, mass: 0, home: {xyz: [0.3, 0.1, 0.7]}}\n"
                              "  - {name: b, mass: 0, home: {xyz: [0.3, 0.1, 0.9]}}\n"
                              "  - {name: c, mass: 0}\n  - {name: d, mass: 0}\n  - {name: e, mass: 0}\n"
                              "joints:\n"
                              "  - {name: 1, parent: world, child: a, screw: [0, 1, 0, -0.7, 0, 0.3]}\n"
                              "  - {name: 2, parent: a, child: b, screw: [0, 1, 0, -0.7, 0, 0.3]}\n"
                              "  - {name: 3, parent: b, child: c, dh: {alpha: pi/2, d: 1, sigma: 0}}\n"
                              "  - {name: 4, parent: c, child: d, dh: {a: 0.5, d: 1, sigma: 0}}\n"
                              "  - {name: 5, parent: d, child: e, dh: {a: 0.5, d: 1, sigma: 1}}\n");
  limb_builder* b = limb_reading_builder(r);
  assert_that(limb_builder_find_body(b, "a.axis") < 0);
  assert_that(limb_builder_find_body(b, "b.axis") > 0 && limb_builder_find_joint(b, "b.offset") > 0);
  assert_that(limb_builder_find_body(b, "c.axis") < 0);
  assert_that(limb_builder_find_body(b, "d.axis") > 0);
  assert_that(limb_builder_find_body(b, "e.axis") < 0);
  limb_reading_destroy(r);
}
END_TEST

// The files of the guide: every indented block that begins with the version.
START_TEST(guide)
{
  FILE* f = fopen(LIMB_TEST_DIR "/../docs/model-files.md", "r");
  ck_assert_ptr_nonnull(f);
  char line[512];
  writer w = {.used = 0};
  int robots = 0, inside = 0;
  while (fgets(line, sizeof line, f)) {
    if (strncmp(line, "    limb: 1", 11) == 0) inside = 1;
    if (inside && strncmp(line, "    ", 4) == 0) {
      add(&w, "%s", line + 4);
      continue;
    }
    if (inside) {
      rig r = build(&w);
      assert_that(limb_nv(r.m) > 0);
      rig_free(&r);
      robots++;
    }
    inside = 0;
    w = (writer){.used = 0};
  }
  fclose(f);
  ck_assert_int_eq(robots, 12);
}
END_TEST

// The same robot with units and without.
START_TEST(units)
{
  static const char* const texts[] = {
    "limb: 1\nangles: degrees\nbodies: [{name: a, mass: 500g, com: [12mm, 0, 30 cm], inertia: [50 g*cm^2, 0, 0, "
    "50 g*cm^2, 0, 1e-5]}]\njoints: [{name: j, type: revolute, parent: world, child: a, axis: [0, 0, 1], pose: {rpy: "
    "[0, 90deg, 0.25rev]}, limits: {lower: -90, upper: 0.5rev, velocity: 180deg/s, effort: 2kNm}, start: 30deg}]\n",
    "limb: 1\nbodies: [{name: a, mass: 0.5, com: [0.012, 0, 0.3], inertia: [5e-6, 0, 0, 5e-6, 0, 1e-5]}]\n"
    "joints: [{name: j, type: revolute, parent: world, child: a, axis: [0, 0, 1], pose: {rpy: [0, pi/2, pi/2]}, "
    "limits: {lower: -pi/2, upper: pi, velocity: pi, effort: 2000}, start: pi/6}]\n"};
  limb_joint_def j[2];
  limb_body_def body[2];
  limb_reading* r[2];
  for (int i = 0; i < 2; i++) {
    r[i] = read_text(texts[i]);
    j[i] = joint_of(r[i], "j");
    assert_ok(limb_builder_get_body(limb_reading_builder(r[i]), 1, &body[i]));
    assert_that(!finding_of(r[i], "angle-degrees"));
  }
  const double* x[2] = {&body[0].inertia.mass, &body[1].inertia.mass};
  for (int k = 0; k < 10; k++) assert_that(fabs(x[0][k] - x[1][k]) <= 1e-15 * fabs(x[1][k]));
  for (int k = 0; k < 9; k++) assert_that(j[0].placement.R.m[k] == j[1].placement.R.m[k]);
  assert_that(j[0].q_min == j[1].q_min && j[0].q_max == j[1].q_max && j[0].v_max == j[1].v_max);
  assert_that(j[0].effort_max == 2000 && fabs(j[0].start - j[1].start) < 1e-16);
  for (int i = 0; i < 2; i++) limb_reading_destroy(r[i]);
}
END_TEST

// 90 without a unit, in radians: suspicious in poses and rows; what belongs to another quantity is refused.
START_TEST(suspicious_angles)
{
  static const char head[] =
    "limb: 1\ndh: modified\nbodies: [{name: a, mass: 1, solid: point}]\njoints: [{name: j, type: "
    "revolute, parent: world, child: a, ";
  static const struct {
    const char *tail, *rule;
  } cases[] = {{"pose: {rpy: [0, 90, 0]}}]\n", "angle-degrees"},
               {"dh: {alpha: 90}}]\n", "angle-degrees"},
               {"dh: {alpha: 90deg}}]\n", NULL},
               {"dh: {alpha: 4*pi}}]\n", NULL},
               {"dh: {alpha: 12mm}}]\n", "bad-number"},
               {"dh: {d: 90deg}}]\n", "bad-number"},
               {"dh: {d: 2 parsec}}]\n", "bad-number"},
               {"dh: {d: 12 mm}}]\n", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[400];
    (void)snprintf(text, sizeof text, "%s%s", head, cases[i].tail);
    limb_read_options opt = limb_default_read_options();
    opt.format = LIMB_FORMAT_YAML;
    limb_reading* r = NULL;
    (void)!limb_read_text(text, strlen(text), "text", &opt, &r, NULL);
    check_at("%s", cases[i].tail);
    assert_that(finding_of(r, "angle-degrees") == (i < 2) && finding_of(r, "bad-number") == (i >= 4 && i < 7));
    limb_reading_destroy(r);
  }
}
END_TEST

// Masses, lengths, moments and densities: a unit of another dimension is refused.
START_TEST(units_that_fit)
{
  static const struct {
    const char *body, *text; // text NULL: it is fine
  } cases[] = {
    {"mass: 3g, com: [12mm, 0, 1 km], solid: point", NULL},
    {"mass: 3deg, solid: point", "mass must be a mass: kg, g, found '3deg'"},
    {"mass: 3 mm, solid: point", "mass must be a mass: kg, g, found '3 mm'"},
    {"mass: 1, com: [0, 3kg, 0], solid: point", "entry 2 of com must be a length: m, cm, mm, found '3kg'"},
    {"mass: 1, solid: {sphere: 3s}", "sphere must be a length: m, cm, mm, found '3s'"},
    {"density: 2.7g/cm^3, solid: {sphere: 3cm}", NULL},
    {"density: 2.7kg, solid: {sphere: 3cm}", "density must be a density: kg/m^3, g/cm^3, found '2.7kg'"},
    {"mass: 1, inertia: {xx: 1kg, yy: 1, zz: 1}", "xx must be a moment of inertia: kg*m^2, g*cm^2, found '1kg'"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[300];
    (void)snprintf(text, sizeof text,
                   "limb: 1\nbodies: [{name: a, %s}]\njoints: [{name: j, type: fixed, parent: world,"
                   " child: a}]\n",
                   cases[i].body);
    limb_read_options opt = limb_default_read_options();
    opt.format = LIMB_FORMAT_YAML;
    limb_reading* r = NULL;
    (void)!limb_read_text(text, strlen(text), "text", &opt, &r, NULL);
    check_at("%s", cases[i].body);
    limb_finding f;
    int count = 0;
    for (int k = 0; limb_findings_get(limb_reading_findings(r), k, &f) == LIMB_OK; k++) {
      if (strcmp(f.rule, "bad-number") != 0) continue;
      count++;
      ck_assert_int_eq(f.line, 2);
      ck_assert_str_eq(f.text, cases[i].text ? cases[i].text : "");
    }
    ck_assert_int_eq(count, cases[i].text != NULL);
    limb_reading_destroy(r);
  }
}
END_TEST

CHECK_MAIN("yaml reader", 1, units, units_that_fit, suspicious_angles, joints, bodies, solids, notes, homes, degrees,
           rows, screws, bodies_between, guide)
