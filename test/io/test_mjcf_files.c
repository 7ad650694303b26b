// MJCF in several files: parts, models and meshes, and files that would lead outside, in circles, or out of memory.
#include "io/built.h"
#include "io/faults.h"

#include <math.h>

#define PARTS LIMB_TEST_DIR "/io/mjcf/parts/"

static limb_reading* read_file(const char* path, limb_status want)
{
  limb_reading* r = NULL;
  check_at("%s", path);
  const limb_status status = limb_read(path, NULL, &r, NULL);
  if (status != want) print_findings(r);
  assert_status(status, want);
  return r;
}

// The file that a finding of a rule names, and its line.
static int finding_in(limb_reading* r, const char* rule, const char* file, int line)
{
  limb_finding f;
  for (int i = 0; limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++) {
    if (strcmp(f.rule, rule) == 0 && strstr(f.file, file) && f.line == line) return 1;
  }
  print_findings(r);
  return 0;
}

static limb_body_def body_of(limb_reading* r, const char* name)
{
  limb_body_def def = limb_default_body_def(NULL);
  const limb_builder* b = limb_reading_builder(r);
  check_at("body %s", name);
  assert_ok(limb_builder_get_body(b, limb_builder_find_body(b, name), &def));
  return def;
}

START_TEST(models_are_attached_with_what_they_include)
{
  limb_reading* r = read_file(PARTS "hand.xml", LIMB_OK);
  const limb_builder* b = limb_reading_builder(r);
  limb_joint_def def;
  assert_close(body_of(r, "palm").inertia.mass, 6000, 1e-14, 0);
  assert_close_vec3(body_of(r, "palm").inertia.com, sp_v3(0.5, 1, 1.5), 1e-14, 0);
  assert_close(body_of(r, "left_base").inertia.mass, 3, 0, 0);
  assert_ok(limb_builder_get_joint(b, limb_builder_find_joint(b, "right_bend"), &def));
  assert_close(def.rotor_inertia, 0.5, 0, 0);      // by the default of its own file
  assert_close(def.placement.R.m[2], 1, 0, 1e-15); // degrees, unlike the hand
  assert_ok(limb_builder_get_joint(b, limb_builder_find_joint(b, "left_tip"), &def));
  assert_that(def.mimic == limb_builder_find_joint(b, "left_bend"));
  assert_close(def.multiplier, 2, 0, 0);
  assert_that(limb_builder_find_body(b, "right_tip") > limb_builder_find_body(b, "left_tip"));
  assert_that(has_finding(r, "bad-mesh", 0, NULL)); // of the post, which does not move
  limb_reading_destroy(r);
}
END_TEST

// Geoms of a frame that is attached: densities and angles are those of their own model. Mass by MuJoCo.
START_TEST(attached_parts_of_a_body_keep_their_defaults)
{
  limb_reading* r = read_file(PARTS "holder.xml", LIMB_OK);
  const limb_body_def arm = body_of(r, "arm");
  assert_close(arm.inertia.mass, 240.02932153143354, 1e-14, 0);
  assert_close_array(((double[]){arm.inertia.xx, arm.inertia.yy, arm.inertia.zz}),
                     ((double[]){10.781250630539049, 6.234897737225703, 6.205106078579588}), 3, 1e-10, 0);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(nothing_leads_outside_or_in_circles)
{
  limb_reading* r = read_file(PARTS "cycle.xml", LIMB_E_MODEL);
  assert_that(finding_in(r, "bad-value", "cycle_part.xml", 3));
  limb_reading_destroy(r);
  r = read_file(PARTS "outside.xml", LIMB_E_MODEL);
  assert_that(has_finding(r, "unreadable", 2, "element 'include'"));
  limb_reading_destroy(r);
  limb_read_options opt = limb_default_read_options();
  opt.any_file = 1;
  assert_ok(limb_read(PARTS "outside.xml", &opt, &r, NULL));
  limb_reading_destroy(r);
  r = read_file(PARTS "itself.xml", LIMB_E_MODEL);
  assert_that(finding_in(r, "bad-value", "", 9));
  assert_that(finding_in(r, "bad-value", "", 10));
  limb_reading_destroy(r);
}
END_TEST

START_TEST(copies_are_counted)
{
  static const char bomb[] = "<mujoco><worldbody><replicate count='1000000000'><replicate count='1000000000'>"
                             "<geom size='1'/></replicate></replicate></worldbody></mujoco>";
  static const char bodies[] = "<mujoco><worldbody><replicate count='2000000'><body><joint/><geom size='1'/></body>"
                               "</replicate></worldbody></mujoco>";
  if (!CHECK_SANITIZED) expect_text(LIMB_FORMAT_MJCF, bomb, sizeof bomb - 1, LIMB_E_MODEL, "too-many");
  expect_text(LIMB_FORMAT_MJCF, bodies, sizeof bodies - 1, LIMB_E_MODEL, "too-many");
}
END_TEST

START_TEST(meshes_that_lie_are_refused)
{
  limb_reading* r = read_file(PARTS "lying.xml", LIMB_E_MODEL);
  assert_that(has_finding(r, "bad-mesh", 3, "element 'mesh'"));
  assert_that(has_finding(r, "bad-mesh", 4, "mesh 'nan'"));
  limb_reading_destroy(r);
}
END_TEST

CHECK_MAIN("mjcf files", 1, models_are_attached_with_what_they_include, attached_parts_of_a_body_keep_their_defaults,
           nothing_leads_outside_or_in_circles, copies_are_counted, meshes_that_lie_are_refused)
