// The builder: its life, names, definitions of other sizes, and that a refusal or the end of memory at
// any allocation changes nothing. Joints are in test_builder_joint.c.
#include "model/builder_impl.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- an allocator that counts and fails -------------------------------------------------------------

typedef struct purse {
  int left; // allocations until one fails; negative: never
  int blocks;
  size_t bytes;
} purse;

static void* purse_alloc(void* context, size_t size, size_t align)
{
  purse* p = context;
  if (p->left == 0) return NULL;
  if (p->left > 0) p->left--;
  p->blocks++;
  p->bytes += size;
  return aligned_alloc(align, (size + align - 1) / align * align);
}

static void purse_free(void* context, void* memory, size_t size)
{
  purse* p = context;
  p->blocks--;
  p->bytes -= size;
  free(memory);
}

static limb_allocator purse_allocator(purse* p) { return (limb_allocator){purse_alloc, purse_free, p}; }

// ---- fixtures ---------------------------------------------------------------------------------------

static limb_builder* new_builder(void)
{
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  return b;
}

static int add_body(limb_builder* b, const char* name)
{
  const limb_body_def def = limb_default_body_def(name);
  int body = -1;
  assert_ok(limb_builder_add_body(b, &def, &body, NULL));
  return body;
}

// A builder with bodies "a" and "b".
static limb_builder* two_bodies(void)
{
  limb_builder* b = new_builder();
  add_body(b, "a");
  add_body(b, "b");
  return b;
}

// ---- life and names ---------------------------------------------------------------------------------

START_TEST(empty)
{
  limb_builder* b = new_builder();
  assert_that(limb_builder_body_count(b) == 1);
  assert_that(limb_builder_joint_count(b) == 0);
  assert_that(limb_builder_frame_count(b) == 0);
  assert_that(limb_builder_find_body(b, "world") == LIMB_WORLD_BODY);
  assert_that(limb_builder_find_body(b, "") == -1);
  assert_that(limb_builder_find_joint(b, "world") == -1);
  limb_builder_destroy(b);
}
END_TEST

START_TEST(null_arguments)
{
  const limb_allocator broken = {0};
  limb_builder* b = NULL;
  limb_error err;
  const sp_pose at = sp_pose_identity();
  assert_status(limb_builder_create(NULL, NULL), LIMB_E_ARG);
  assert_status(limb_builder_create(&broken, &b), LIMB_E_ARG);
  assert_that(b == NULL);
  limb_builder_destroy(NULL);
  assert_status(limb_builder_set_name(NULL, "x"), LIMB_E_ARG);
  assert_status(limb_builder_set_gravity(NULL, sp_v3(0, 0, 0)), LIMB_E_ARG);
  assert_that(limb_builder_body_count(NULL) == 0);
  assert_that(limb_builder_joint_count(NULL) == 0);
  assert_that(limb_builder_frame_count(NULL) == 0);
  assert_that(limb_builder_find_body(NULL, "world") == -1);
  assert_that(limb_builder_find_joint(NULL, "world") == -1);

  b = new_builder();
  const limb_body_def body = limb_default_body_def(NULL);
  const limb_joint_def joint = limb_default_joint_def(NULL, LIMB_FIXED, 0, 0);
  limb_model* m;
  assert_status(limb_builder_set_name(b, NULL), LIMB_E_ARG);
  assert_status(limb_builder_set_name(b, ""), LIMB_E_ARG);
  assert_status(limb_builder_add_body(b, NULL, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_add_body(NULL, &body, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_add_body(b, &body, NULL, &err), LIMB_E_ARG);
  ck_assert_str_eq(err.where, "body 1");
  assert_status(limb_builder_add_joint(b, NULL, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_add_joint(NULL, &joint, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_add_joint(b, &joint, NULL, &err), LIMB_E_ARG);
  ck_assert_str_eq(err.where, "joint 0");
  assert_status(limb_builder_add_frame(b, "f", 0, NULL, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_add_frame(NULL, "f", 0, &at, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_add_frame(b, "", 0, &at, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_add_frame(b, NULL, 0, &at, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_builder_build(NULL, &m, &err), LIMB_E_ARG);
  assert_status(limb_builder_build(b, NULL, &err), LIMB_E_ARG);
  assert_that(limb_builder_find_body(b, NULL) == -1);
  assert_that(limb_builder_find_joint(b, NULL) == -1);
  limb_builder_destroy(b);
}
END_TEST

START_TEST(gravity)
{
  limb_builder* b = new_builder();
  assert_that(b->gravity.x == 0 && b->gravity.y == 0 && b->gravity.z == -9.81);
  assert_status(limb_builder_set_gravity(b, sp_v3(0, nan(""), 0)), LIMB_E_NONFINITE);
  assert_status(limb_builder_set_gravity(b, sp_v3(0, 0, -HUGE_VAL)), LIMB_E_NONFINITE);
  assert_that(b->gravity.z == -9.81);
  assert_ok(limb_builder_set_gravity(b, sp_v3(1, 2, 3)));
  assert_that(b->gravity.x == 1 && b->gravity.y == 2 && b->gravity.z == 3);
  limb_builder_destroy(b);
}
END_TEST

START_TEST(names)
{
  limb_builder* b = two_bodies();
  limb_error err;
  const sp_pose at = sp_pose_identity();
  int frame = -1;
  assert_ok(limb_builder_add_frame(b, "f", 1, &at, &frame, NULL));
  assert_that(frame == 0);
  assert_ok(limb_builder_add_frame(b, "g", 0, &at, &frame, NULL));
  assert_that(frame == 1);

  // Bodies and frames share a name space, joints have their own.
  static const char* const taken[] = {"world", "a", "b", "f", "g"};
  for (int i = 0; i < 5; i++) {
    const limb_body_def def = limb_default_body_def(taken[i]);
    check_at("name %s", taken[i]);
    int body = -7;
    assert_status(limb_builder_add_body(b, &def, &body, &err), LIMB_E_ARG);
    assert_that(body == -7 && err.status == LIMB_E_ARG);
    ck_assert_str_eq(err.text,
                     i < 3 ? "there is a body of this name already" : "there is a frame of this name already");
    assert_status(limb_builder_add_frame(b, taken[i], 0, &at, NULL, &err), LIMB_E_ARG);
    limb_joint_def joint = limb_default_joint_def(taken[i], LIMB_REVOLUTE, 0, 1);
    assert_ok(limb_builder_add_joint(b, &joint, NULL, &err));
    assert_status(limb_builder_add_joint(b, &joint, NULL, &err), LIMB_E_ARG);
    ck_assert_str_eq(err.text, "there is a joint of this name already");
    assert_that(limb_builder_find_joint(b, taken[i]) == i);
  }
  assert_that(limb_builder_body_count(b) == 3);
  assert_that(limb_builder_joint_count(b) == 5);
  assert_that(limb_builder_frame_count(b) == 2);
  assert_that(limb_builder_find_body(b, "f") == -1);
  limb_builder_destroy(b);
}
END_TEST

START_TEST(names_are_copied_and_may_be_long)
{
  limb_builder* b = new_builder();
  char name[1000];
  memset(name, 'x', sizeof name);
  name[999] = 0;
  const limb_body_def def = limb_default_body_def(name);
  limb_error err;
  assert_ok(limb_builder_add_body(b, &def, NULL, &err));
  assert_status(limb_builder_add_body(b, &def, NULL, &err), LIMB_E_ARG);
  assert_that(strlen(err.where) == sizeof err.where - 1);
  name[0] = 'y';
  assert_that(limb_builder_find_body(b, name) == -1);
  name[0] = 'x';
  assert_that(limb_builder_find_body(b, name) == 1);
  assert_ok(limb_builder_set_name(b, name));
  assert_ok(limb_builder_set_name(b, "robby"));
  ck_assert_str_eq(b->name, "robby");
  limb_builder_destroy(b);
}
END_TEST

START_TEST(many_names)
{
  enum { N = 5000 };
  limb_builder* b = new_builder();
  char name[16];
  for (int i = 1; i <= N; i++) {
    (void)snprintf(name, sizeof name, "%d", i);
    assert_that(add_body(b, name) == i);
    const limb_joint_def def = limb_default_joint_def(name, LIMB_FIXED, i - 1, i);
    int joint = -1;
    assert_ok(limb_builder_add_joint(b, &def, &joint, NULL));
    assert_that(joint == i - 1);
  }
  for (int i = 1; i <= N; i++) {
    (void)snprintf(name, sizeof name, "%d", i);
    assert_that(limb_builder_find_body(b, name) == i);
    assert_that(limb_builder_find_joint(b, name) == i - 1);
  }
  assert_that(limb_builder_find_body(b, "0") == -1);
  limb_builder_destroy(b);
}
END_TEST

// ---- definitions ------------------------------------------------------------------------------------

START_TEST(sizes)
{
  limb_builder* b = two_bodies();
  limb_error err;
  limb_body_def body = limb_default_body_def("c");
  limb_joint_def joint = limb_default_joint_def("j", LIMB_REVOLUTE, LIMB_WORLD_BODY, 1);
  static const size_t wrong[] = {0, 1, sizeof(size_t), SIZE_MAX, (size_t)1 << 20};
  for (int i = 0; i < 5; i++) {
    body.size = joint.size = wrong[i];
    assert_status(limb_builder_add_body(b, &body, NULL, &err), LIMB_E_ARG);
    assert_that(strstr(err.text, "limb_default_body_def"));
    assert_status(limb_builder_add_joint(b, &joint, NULL, &err), LIMB_E_ARG);
    assert_that(strstr(err.text, "limb_default_joint_def"));
  }

  // A caller compiled with a shorter struct: what it lacks takes its default.
  joint.size = offsetof(limb_joint_def, rotor_inertia);
  joint.v_max = 3;
  joint.rotor_inertia = nan("");
  joint.gear_ratio = 0;
  joint.mimic = 0;
  joint.multiplier = 0;
  assert_ok(limb_builder_add_joint(b, &joint, NULL, &err));
  const limb_joint_def* j = &b->joint[0];
  assert_that(j->size == sizeof(limb_joint_def) && j->v_max == 3);
  assert_that(j->rotor_inertia == 0 && j->gear_ratio == 1 && j->mimic == -1 && j->multiplier == 1);

  limb_builder_destroy(b);
}
END_TEST

// A caller compiled with longer structs: taken while it says nothing that we would have to know.
START_TEST(definitions_of_newer_callers)
{
  limb_builder* b = two_bodies();
  limb_error err;
  struct {
    limb_body_def def;
    double more[4];
  } body = {.def = limb_default_body_def("c"), .more = {0, 0, 0, nan("")}};
  struct {
    limb_joint_def def;
    char more[8];
  } joint = {.def = limb_default_joint_def("j", LIMB_REVOLUTE, LIMB_WORLD_BODY, 1), .more = {1}};
  body.def.size = sizeof body, joint.def.size = sizeof joint;
  assert_status(limb_builder_add_body(b, &body.def, NULL, &err), LIMB_E_UNSUPPORTED);
  assert_that(strstr(err.text, "newer limb") && strcmp(err.where, "body") == 0);
  assert_status(limb_builder_add_joint(b, &joint.def, NULL, &err), LIMB_E_UNSUPPORTED);
  assert_that(strstr(err.text, "newer limb") && strcmp(err.where, "joint") == 0);
  assert_that(b->nbody == 3 && b->njoint == 0);
  body.more[3] = 0, joint.more[0] = 0;
  assert_ok(limb_builder_add_body(b, &body.def, NULL, &err));
  assert_ok(limb_builder_add_joint(b, &joint.def, NULL, &err));
  assert_that(b->body[3].size == sizeof(limb_body_def));
  assert_that(b->joint[0].size == sizeof(limb_joint_def));
  limb_builder_destroy(b);
}
END_TEST

START_TEST(inertias_must_be_finite)
{
  limb_builder* b = new_builder();
  for (int i = 0; i < 10; i++) {
    limb_body_def def = limb_default_body_def("c");
    double* const entry[] = {&def.inertia.mass, &def.inertia.com.x, &def.inertia.com.y, &def.inertia.com.z,
                             &def.inertia.xx,   &def.inertia.xy,    &def.inertia.xz,    &def.inertia.yy,
                             &def.inertia.yz,   &def.inertia.zz};
    limb_error err;
    *entry[i] = i % 2 ? nan("") : HUGE_VAL;
    assert_status(limb_builder_add_body(b, &def, NULL, &err), LIMB_E_NONFINITE);
    ck_assert_str_eq(err.where, "body 'c'");
  }
  assert_that(limb_builder_body_count(b) == 1);
  // What is merely impossible is for the report to say.
  limb_body_def def = limb_default_body_def("c");
  def.inertia.mass = -1;
  assert_ok(limb_builder_add_body(b, &def, NULL, NULL));
  limb_builder_destroy(b);
}
END_TEST

START_TEST(frames)
{
  limb_builder* b = two_bodies();
  limb_error err;
  sp_pose at = sp_pose_make(sp_rot_rpy(1, 2, 3), sp_v3(4, 5, 6));
  int frame = -7;
  assert_status(limb_builder_add_frame(b, "f", -1, &at, &frame, &err), LIMB_E_ARG);
  ck_assert_str_eq(err.where, "frame 'f'");
  assert_status(limb_builder_add_frame(b, "f", 3, &at, &frame, &err), LIMB_E_ARG);
  at.R.m[0] += 1e-3;
  assert_status(limb_builder_add_frame(b, "f", 2, &at, &frame, &err), LIMB_E_ARG);
  at.R.m[0] = nan("");
  assert_status(limb_builder_add_frame(b, "f", 2, &at, &frame, &err), LIMB_E_NONFINITE);
  assert_that(frame == -7 && limb_builder_frame_count(b) == 0);
  at.R = sp_rot_rpy(1, 2, 3);
  assert_ok(limb_builder_add_frame(b, "f", 2, &at, &frame, &err));
  assert_that(frame == 0);
  assert_close_pose(b->frame[0].pose, at, 0, 0);
  limb_builder_destroy(b);
}
END_TEST

// ---- out of memory ----------------------------------------------------------------------------------

enum { CHAIN = 40 }; // long enough for every array and table to grow

// Step k of describing a robot: name, then body, joint and frame in turn; in the end a motor.
static limb_status describe(limb_builder* b, int k, limb_error* err)
{
  char name[24];
  const int i = (k - 1) / 3 + 1;
  const sp_pose at = sp_pose_identity();
  if (k == 0) return limb_builder_set_name(b, "chain");
  if (k == 3 * CHAIN) {
    limb_motor_def def = limb_default_motor_def(0);
    def.rotor_inertia = 1;
    return limb_builder_add_motor(b, &def, NULL, err);
  }
  if ((k - 1) % 3 == 0) {
    (void)snprintf(name, sizeof name, "body %d", i);
    limb_body_def def = limb_default_body_def(name);
    def.inertia = limb_inertia_rod(1, 1);
    return limb_builder_add_body(b, &def, NULL, err);
  }
  if ((k - 1) % 3 == 1) {
    (void)snprintf(name, sizeof name, "joint %d", i);
    const limb_joint_def def = limb_default_joint_def(name, LIMB_REVOLUTE, i - 1, i);
    return limb_builder_add_joint(b, &def, NULL, err);
  }
  (void)snprintf(name, sizeof name, "frame %d", i);
  return limb_builder_add_frame(b, name, i, &at, NULL, err);
}

START_TEST(out_of_memory_changes_nothing)
{
  purse p = {.left = -1};
  const limb_allocator a = purse_allocator(&p);
  for (int fail = 0;; fail++) {
    limb_builder* b = NULL;
    p.left = fail;
    const limb_status s = limb_builder_create(&a, &b);
    if (s == LIMB_OK) {
      assert_that(fail > 4);
      limb_builder_destroy(b);
      break;
    }
    assert_status(s, LIMB_E_NOMEM);
    assert_that(b == NULL && p.blocks == 0 && p.bytes == 0);
  }

  p.left = -1;
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(&a, &b));
  for (int k = 0; k <= 3 * CHAIN; k++) {
    for (int fail = 0;; fail++) { // every allocation of the step fails once
      limb_error err = {.status = LIMB_OK};
      const int nbody = b->nbody, njoint = b->njoint, nframe = b->nframe;
      p.left = fail;
      const limb_status s = describe(b, k, &err);
      p.left = -1;
      if (s == LIMB_OK) {
        assert_that(fail > 0);
        break;
      }
      assert_status(s, LIMB_E_NOMEM);
      assert_that(k == 0 || err.status == LIMB_E_NOMEM);
      assert_that(b->nbody == nbody && b->njoint == njoint && b->nframe == nframe);
      assert_that(b->nshaft == 0);
      ck_assert_str_eq(b->name, k == 0 ? "robot" : "chain");
      for (int i = 0; i < nbody; i++) assert_that(limb_builder_find_body(b, b->body[i].name) == i);
      for (int i = 0; i < njoint; i++) assert_that(limb_builder_find_joint(b, b->joint[i].name) == i);
    }
  }
  assert_that(limb_builder_body_count(b) == CHAIN + 2 && limb_builder_shaft_count(b) == 1);
  limb_builder_destroy(b);
  assert_that(p.blocks == 0 && p.bytes == 0);
}
END_TEST

START_TEST(out_of_memory_while_building)
{
  purse p = {.left = -1};
  const limb_allocator a = purse_allocator(&p);
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(&a, &b));
  for (int k = 0; k < 3 * CHAIN; k++) (void)describe(b, k, NULL);
  assert_that(limb_builder_joint_count(b) == CHAIN);
  limb_model* m = NULL;
  for (int fail = 0; !m; fail++) {
    const int blocks = p.blocks;
    const size_t bytes = p.bytes;
    limb_error err = {.status = LIMB_OK};
    p.left = fail;
    const limb_status s = limb_builder_build(b, &m, &err);
    p.left = -1;
    if (s == LIMB_OK) {
      assert_that(fail > 0 && m);
    } else {
      assert_status(s, LIMB_E_NOMEM);
      assert_that(err.status == LIMB_E_NOMEM && !m && p.blocks == blocks && p.bytes == bytes);
    }
  }
  limb_builder_destroy(b);
  assert_that(limb_nv(m) == CHAIN); // the model lives on
  limb_model_destroy(m);
  assert_that(p.blocks == 0 && p.bytes == 0);
}
END_TEST

START_TEST(a_builder_can_build_again)
{
  limb_builder* b = new_builder();
  limb_model *first = NULL, *second = NULL;
  assert_ok(limb_builder_build(b, &first, NULL)); // nothing but the world
  assert_that(limb_nq(first) == 0 && limb_body_count(first) == 1);
  for (int k = 0; k < 10; k++) assert_ok(describe(b, k, NULL));
  assert_ok(limb_builder_build(b, &second, NULL));
  limb_builder_destroy(b);
  assert_that(limb_nq(first) == 0 && limb_nq(second) == 3);
  ck_assert_str_eq(limb_model_name(second), "chain");
  limb_model_destroy(first);
  limb_model_destroy(second);
}
END_TEST

CHECK_MAIN("builder", 1, empty, null_arguments, gravity, names, names_are_copied_and_may_be_long, many_names, sizes,
           definitions_of_newer_callers, inertias_must_be_finite, frames, out_of_memory_changes_nothing,
           out_of_memory_while_building, a_builder_can_build_again)
