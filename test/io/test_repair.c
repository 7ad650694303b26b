// Repairs: the nearest inertia, against many others; files that are well after it, and otherwise the
// same.
#include "limb/read.h"
#include "limb/spatial.h"

#include "support/check.h"
#include "support/page.h"
#include "support/rng.h"

#include <dirent.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- eigenvalues ----------------------------------------------------------------------------------

static sp_inertia random_inertia(rng* r, double size)
{
  const sp_inertia Y = {.mass = rng_uniform(r, 0.1, 3),
                        .com = rng_vec3(r, 1),
                        .xx = rng_uniform(r, -size, size),
                        .xy = rng_uniform(r, -size, size),
                        .xz = rng_uniform(r, -size, size),
                        .yy = rng_uniform(r, -size, size),
                        .yz = rng_uniform(r, -size, size),
                        .zz = rng_uniform(r, -size, size)};
  return Y;
}

static double distance(const sp_inertia* a, const sp_inertia* b)
{
  const double d[3] = {a->xx - b->xx, a->yy - b->yy, a->zz - b->zz};
  const double p[3] = {a->xy - b->xy, a->xz - b->xz, a->yz - b->yz};
  return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 2 * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
}

static double norm(const sp_inertia* a) { return distance(a, &(sp_inertia){0}); }

START_TEST(principal_axes)
{
  rng r = {1};
  for (int i = 0; i < 2000; i++) {
    check_at("case %d", i);
    // Any size, and now and then equal or vanishing numbers.
    sp_inertia Y = random_inertia(&r, pow(10, rng_uniform(&r, -150, 150)));
    if (i % 3 == 0) Y.yy = Y.xx;
    if (i % 4 == 0) Y.xy = Y.yz = 0;
    if (i % 5 == 0) Y.zz = Y.yy;
    double I[3];
    sp_mat3 V;
    limb_inertia_principal(&Y, I, &V);
    assert_that(I[0] <= I[1] && I[1] <= I[2]);
    const sp_mat3 one = sp_mul3(sp_transpose3(V), V), unit = sp_identity3();
    assert_close_array(one.m, unit.m, 9, 1e-14, 0);
    const sp_inertia back = limb_inertia_from_principal(Y, I, &V);
    assert_that(distance(&back, &Y) <= 1e-14 * norm(&Y));
  }
}
END_TEST

// ---- the nearest inertia --------------------------------------------------------------------------

static sp_mat3 random_axes(rng* r)
{
  const double angle = rng_uniform(r, 0, 3.1);
  return sp_rot_axis(rng_direction(r), angle);
}

// An inertia with second moments s about the given axes.
static sp_inertia solid(sp_inertia Y, const double s[3], sp_mat3 axes)
{
  const double I[3] = {s[1] + s[2], s[0] + s[2], s[0] + s[1]};
  return limb_inertia_from_principal(Y, I, &axes);
}

START_TEST(nearest_is_physical_and_stays)
{
  rng r = {2};
  for (int i = 0; i < 5000; i++) {
    check_at("case %d", i);
    const sp_inertia Y = random_inertia(&r, pow(10, rng_uniform(&r, -12, 6)));
    const sp_inertia near = limb_inertia_nearest(&Y);
    assert_that(limb_inertia_defect(&near) == NULL);
    assert_that(near.mass == Y.mass && near.com.x == Y.com.x && near.com.z == Y.com.z);
    const sp_inertia again = limb_inertia_nearest(&near);
    assert_that(distance(&again, &near) == 0);
    if (!limb_inertia_defect(&Y)) assert_that(distance(&near, &Y) == 0);
  }
}
END_TEST

// Brute force: no other physical inertia is nearer, neither anywhere, nor next to the one that was found,
// nor among those with the same axes.
START_TEST(nothing_is_nearer)
{
  enum { CASES = 150, TRIES = 600 };
  rng r = {3};
  for (int i = 0; i < CASES; i++) {
    const sp_inertia Y = random_inertia(&r, 1);
    const sp_inertia near = limb_inertia_nearest(&Y);
    const double best = distance(&near, &Y) - 3e-9 * norm(&Y); // the hair inside
    double I[3];
    sp_mat3 own, at;
    limb_inertia_principal(&Y, I, &own);
    limb_inertia_principal(&near, I, &at);
    const double s[3] = {(I[1] + I[2] - I[0]) / 2, (I[0] + I[2] - I[1]) / 2, (I[0] + I[1] - I[2]) / 2};
    for (int k = 0; k < TRIES; k++) {
      check_at("case %d, try %d", i, k);
      const double step = pow(10, rng_uniform(&r, -6, 0));
      double t[3], u[3];
      for (int j = 0; j < 3; j++) {
        t[j] = fmax(rng_uniform(&r, -0.5, 1.5), 0);
        u[j] = fmax(s[j] + step * rng_uniform(&r, -1, 1), 0);
      }
      const double angle = step * rng_uniform(&r, -1, 1);
      const sp_mat3 tilt = sp_rot_axis(rng_direction(&r), angle);
      const sp_inertia any = solid(Y, t, random_axes(&r)), same = solid(Y, t, own);
      const sp_inertia beside = solid(Y, u, sp_mul3(tilt, at));
      assert_that(distance(&any, &Y) >= best);
      assert_that(distance(&same, &Y) >= best);
      assert_that(distance(&beside, &Y) >= best);
    }
  }
}
END_TEST

// Cases that can be done by hand.
START_TEST(nearest_by_hand)
{
  // (1, 1, 4) exceeds by 2: the plane I_3 = I_1 + I_2 is 2 / sqrt(3) away.
  const sp_inertia tall = {.mass = 1, .xx = 1, .yy = 1, .zz = 4};
  sp_inertia near = limb_inertia_nearest(&tall);
  const double plane[3] = {5. / 3, 5. / 3, 10. / 3}, got[3] = {near.xx, near.yy, near.zz};
  assert_close_array(got, plane, 3, 1e-8, 0);
  // (-3, 1, 2): only the ray (0, 1, 1) is left.
  const sp_inertia rod = {.mass = 1, .xx = -3, .yy = 1, .zz = 2};
  near = limb_inertia_nearest(&rod);
  const double ray[3] = {0, 1.5, 1.5}, got_ray[3] = {near.xx, near.yy, near.zz};
  assert_close_array(got_ray, ray, 3, 1e-8, 0);
  // All negative: nothing.
  const sp_inertia none = {.mass = 1, .xx = -3, .yy = -1, .zz = -2, .xy = 0.1};
  near = limb_inertia_nearest(&none);
  assert_that(norm(&near) == 0 && near.mass == 1);
  // Without mass there is no inertia, and no mass is negative.
  const sp_inertia ghost = {.mass = 0, .xx = 1, .yy = 1, .zz = 1};
  near = limb_inertia_nearest(&ghost);
  assert_that(norm(&near) == 0 && near.mass == 0);
  const sp_inertia anti = {.mass = -2, .xx = 1, .yy = 1, .zz = 1};
  near = limb_inertia_nearest(&anti);
  assert_that(norm(&near) == 0 && near.mass == 0);
  // What is no inertia at all.
  near = limb_inertia_nearest(NULL);
  assert_that(norm(&near) == 0 && near.mass == 0);
  const sp_inertia broken = {.mass = 1, .xx = nan(""), .yy = 1, .zz = 1};
  near = limb_inertia_nearest(&broken);
  assert_that(isnan(near.xx) && near.yy == 1);
}
END_TEST

// ---- files ----------------------------------------------------------------------------------------

static page read_all(const char* path)
{
  page t = {0};
  char line[512];
  FILE* f = fopen(path, "r");
  assert_that(f != NULL);
  while (fgets(line, sizeof line, f)) page_put(&t, line);
  (void)fclose(f);
  return t;
}

static int count_rule(limb_reading* r, const char* rule)
{
  int count = 0;
  limb_finding f;
  for (int i = 0; limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++)
    count += strcmp(f.rule, rule) == 0;
  return count;
}

// Lines of two texts that differ; all of them must be <inertia> tags.
static int changed_lines(const char* a, const char* b)
{
  int count = 0;
  while (*a && *b) {
    const size_t na = strcspn(a, "\n"), nb = strcspn(b, "\n");
    if (na != nb || memcmp(a, b, na) != 0) {
      const char* tag = strstr(a, "<inertia ");
      assert_that(tag != NULL && tag < a + na);
      count++;
    }
    a += na + (a[na] == '\n');
    b += nb + (b[nb] == '\n');
  }
  assert_that(!*a && !*b);
  return count;
}

static void repair_file(const char* path)
{
  const page before = read_all(path);
  page after = {0};
  limb_reading* r = NULL;
  int changed = -1;
  check_at("%s", path);
  assert_ok(limb_read(path, NULL, &r, NULL));
  assert_ok(limb_repair(r, &changed, NULL));
  ck_assert_int_eq(count_rule(r, "repaired"), changed);
  assert_ok(limb_write_repaired(r, page_put, &after, NULL));
  ck_assert_int_eq(changed_lines(before.text, after.text), changed);
  limb_reading_destroy(r);

  assert_ok(limb_read_text(after.text, after.size, path, NULL, &r, NULL));
  assert_ok(limb_check(r, NULL));
  ck_assert_int_eq(count_rule(r, "inertia-triangle"), 0);
  ck_assert_int_eq(count_rule(r, "inertia-negative"), 0);
  ck_assert_int_eq(count_rule(r, "inertia-without-mass"), 0);
  const limb_builder* b = limb_reading_builder(r);
  for (int i = 1; i < limb_builder_body_count(b); i++) {
    limb_body_def def;
    assert_ok(limb_builder_get_body(b, i, &def));
    assert_that(def.inertia.mass < 0 || limb_inertia_defect(&def.inertia) == NULL);
  }
  limb_reading_destroy(r);
  free(before.text);
  free(after.text);
}

START_TEST(repaired_files_are_well)
{
  static const char folder[] = LIMB_TEST_DIR "/io/sick";
  DIR* d = opendir(folder);
  assert_that(d != NULL);
  int count = 0;
  for (const struct dirent* e = readdir(d); e; e = readdir(d)) {
    char path[1024];
    if (!strstr(e->d_name, ".urdf")) continue;
    (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    repair_file(path);
    count++;
  }
  (void)closedir(d);
  ck_assert_int_ge(count, 60);
}
END_TEST

// Attributes in any order, absent ones, odd spaces, single quotes, a tag that is not empty, a turned
// frame, a root that is the world: only numbers change.
static const char odd[] = "<robot name='odd'>\n"
                          "<link name='world'/>\n"
                          "<link name='a'><inertial><mass value='1'/>\n"
                          "  <inertia  izz = \"4\"\n    ixx='1' iyy=\" 1 \"></inertia></inertial></link>\n"
                          "<link name='b'><inertial><origin rpy='0.3 0.4 0.5'/><mass value='1'/>\n"
                          "  <inertia ixx='1' iyy='1' izz='0'/></inertial></link>\n"
                          "<link name='c'><inertial><mass value='1'/><inertia ixx='1' ixy='&#51;' iyy='1' "
                          "izz='1'/></inertial>"
                          "</link>\n"
                          "<joint name='j' type='continuous'><parent link='world'/><child link='a'/></joint>\n"
                          "<joint name='k' type='continuous'><parent link='a'/><child link='b'/></joint>\n"
                          "<joint name='l' type='continuous'><parent link='b'/><child link='c'/></joint>\n"
                          "</robot>\n";

START_TEST(odd_tags)
{
  limb_reading *r = NULL, *again = NULL;
  limb_error err = {0};
  page t = {0};
  int changed = 0;
  const limb_status status = limb_read_text(odd, strlen(odd), "odd.urdf", NULL, &r, &err);
  check_at("line %d: %s: %s", err.line, err.where, err.text);
  assert_ok(status);
  assert_ok(limb_repair(r, &changed, NULL));
  ck_assert_int_eq(changed, 2); // b is a rod: it is well
  assert_ok(limb_write_repaired(r, page_put, &t, NULL));
  check_at("%s", t.text);
  assert_that(strstr(t.text, "<inertia ixx='1' iyy='1' izz='0'/></inertial></link>\n<link name='c'>") != NULL);
  assert_that(strstr(t.text, "<inertia  izz = \"3.33") != NULL);
  assert_that(strstr(t.text, "\n    ixx='1.66") != NULL);
  assert_that(strstr(t.text, "iyy=\"1.66") != NULL);
  assert_that(strstr(t.text, "\"></inertia></inertial></link>\n<link name='b'>") != NULL);
  assert_ok(limb_read_text(t.text, t.size, "odd.urdf", NULL, &again, NULL));
  for (int i = 1; i < 4; i++) {
    limb_body_def was, is;
    assert_ok(limb_builder_get_body(limb_reading_builder(r), i, &was));
    assert_ok(limb_builder_get_body(limb_reading_builder(again), i, &is));
    assert_that(limb_inertia_defect(&is.inertia) == NULL);
    assert_that(distance(&was.inertia, &is.inertia) <= 1e-14);
  }
  limb_reading_destroy(r);
  limb_reading_destroy(again);
  free(t.text);
}
END_TEST

// A number that the tag does not have is added when it is needed.
START_TEST(missing_attribute)
{
  static const char file[] = "<robot name='x'><link name='a'/><link name='b'><inertial><origin rpy='0 0.5 0'/>"
                             "<mass value='1'/><inertia ixx='1' ixz='2' izz='1' iyy='1' /></inertial></link>"
                             "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";
  limb_reading* r = NULL;
  page t = {0};
  sp_inertia Y = {0};
  assert_ok(limb_read_text(file, strlen(file), "x.urdf", NULL, &r, NULL));
  const int b = limb_builder_find_body(limb_reading_builder(r), "b");
  assert_ok(limb_repair(r, NULL, NULL));
  limb_body_def def;
  assert_ok(limb_builder_get_body(limb_reading_builder(r), b, &def));
  Y = def.inertia;
  Y.xy = 0.01; // as if the axes were turned
  Y.yz = -0.02;
  assert_ok(limb_builder_set_inertia(limb_reading_builder(r), b, &Y));
  assert_ok(limb_write_repaired(r, page_put, &t, NULL));
  limb_reading_destroy(r);
  check_at("%s", t.text);
  assert_that(strstr(t.text, "' ixy=\"0.0") != NULL && strstr(t.text, "\" />") != NULL);
  assert_ok(limb_read_text(t.text, t.size, "x.urdf", NULL, &r, NULL));
  assert_ok(limb_builder_get_body(limb_reading_builder(r), b, &def));
  assert_that(distance(&def.inertia, &Y) < 1e-14);
  limb_reading_destroy(r);
  free(t.text);
}
END_TEST

// Numbers may be written with character references: they are numbers, and stay as they are.
START_TEST(references_stay)
{
  static const char file[] =
    "<robot name='x'><link name='a'/><link name='b'><inertial><mass value='1'/>"
    "<inertia ixx='&#x31;' iyy='1&#46;5' izz='1' ixy='0' ixz='&#48;' iyz='0'/></inertial></link>"
    "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";
  limb_reading* r = NULL;
  page t = {0};
  int changed = -1;
  assert_ok(limb_read_text(file, strlen(file), "x.urdf", NULL, &r, NULL));
  assert_ok(limb_repair(r, &changed, NULL));
  ck_assert_int_eq(changed, 0);
  assert_ok(limb_write_repaired(r, page_put, &t, NULL));
  ck_assert_str_eq(t.text, file);
  limb_reading_destroy(r);
  free(t.text);
}
END_TEST

// expat reads UTF-16, in which no number can be replaced byte by byte.
START_TEST(utf16_is_refused)
{
  static const char file[] = "<robot name='x'><link name='a'/><link name='b'><inertial><mass value='1'/>"
                             "<inertia ixx='1' iyy='1' izz='4'/></inertial></link>"
                             "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";
  for (size_t high = 0; high < 2; high++) { // where the zeros stand: big-endian has them first
    char wide[2 * sizeof file] = {0};
    for (size_t i = 1; i < sizeof file; i++) wide[2 * i + 1 - high] = file[i - 1];
    wide[1 - high] = (char)0xff;
    wide[high] = (char)0xfe;
    limb_reading* r = NULL;
    limb_error err = {0};
    page t = {0};
    int changed = 0;
    limb_read_options opt = limb_default_read_options();
    opt.format = LIMB_FORMAT_URDF;
    const limb_status status = limb_read_text(wide, 2 * sizeof file, "x.urdf", &opt, &r, &err);
    check_at("%s", err.text);
    assert_ok(status);
    assert_ok(limb_repair(r, &changed, NULL));
    ck_assert_int_eq(changed, 1);
    assert_status(limb_write_repaired(r, page_put, &t, &err), LIMB_E_UNSUPPORTED);
    assert_that(strstr(err.text, "UTF-16") != NULL && t.size == 0);
    limb_reading_destroy(r);
  }
}
END_TEST

// ---- what is said and refused ---------------------------------------------------------------------

START_TEST(figures_and_refusals)
{
  limb_reading* r = NULL;
  limb_finding f;
  int changed = -1;
  assert_ok(limb_read(LIMB_TEST_DIR "/io/sick/inertia-triangle.urdf", NULL, &r, NULL));
  assert_ok(limb_repair(r, &changed, NULL));
  ck_assert_int_eq(changed, 1);
  const int last = limb_findings_count(limb_reading_findings(r)) - 1;
  assert_ok(limb_findings_get(limb_reading_findings(r), last, &f));
  ck_assert_str_eq(f.rule, "repaired");
  ck_assert_str_eq(f.where, "link 'upper'");
  assert_that(strstr(f.text, "was 0.021 0 0 0.0025 0 0.0042 and is now 0.0162333333") != NULL);
  assert_ok(limb_repair(r, &changed, NULL));
  ck_assert_int_eq(changed, 0);
  limb_reading_destroy(r);

  assert_ok(limb_read(LIMB_TEST_DIR "/io/sick/not-repaired.urdf", NULL, &r, NULL));
  assert_ok(limb_repair(r, &changed, NULL));
  ck_assert_int_eq(changed, 0);
  ck_assert_int_eq(count_rule(r, "not-repaired"), 1);
  limb_reading_destroy(r);

  page t = {0};
  limb_error err;
  assert_ok(limb_read(LIMB_TEST_DIR "/io/sick/body.limb.yaml", NULL, &r, NULL));
  assert_ok(limb_repair(r, &changed, NULL));
  ck_assert_int_eq(changed, 1);
  assert_status(limb_write_repaired(r, page_put, &t, &err), LIMB_E_UNSUPPORTED);
  assert_status(limb_write_repaired(r, NULL, &t, &err), LIMB_E_ARG);
  assert_status(limb_write_repaired(NULL, page_put, &t, &err), LIMB_E_ARG);
  assert_status(limb_repair(NULL, &changed, NULL), LIMB_E_ARG);
  limb_reading_destroy(r);
  assert_that(t.size == 0);
}
END_TEST

CHECK_MAIN("repair", 1, principal_axes, nearest_is_physical_and_stays, nothing_is_nearer, nearest_by_hand,
           repaired_files_are_well, odd_tags, missing_attribute, references_stay, utf16_is_refused,
           figures_and_refusals)
