// What a model answers about itself: sizes, names, properties, report.
#include "limb/model.h"

#include "support/check.h"

#include <stdbool.h>
#include <string.h>

static int add_body(limb_builder* b, const char* name, sp_inertia inertia)
{
  limb_body_def def = limb_default_body_def(name);
  def.inertia = inertia;
  int body = -1;
  assert_ok(limb_builder_add_body(b, &def, &body, NULL));
  return body;
}

static limb_model* build(limb_builder* b)
{
  limb_model* m = NULL;
  limb_error err = {.status = LIMB_OK};
  const limb_status s = limb_builder_build(b, &m, &err);
  ck_assert_msg(s == LIMB_OK, "%s: %s", err.where, err.text);
  limb_builder_destroy(b);
  return m;
}

// world -free- torso -revolute- arm -fixed- hand -fixed- nail;  arm -prismatic (mimic)- slide;
// stand is fixed to the world. Bodies are added in another order than they hang.
static limb_model* sample(void)
{
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  assert_ok(limb_builder_set_name(b, "sample"));
  assert_ok(limb_builder_set_gravity(b, sp_v3(0, -3.7, 0)));
  const int nail = add_body(b, "nail", limb_inertia_sphere(0.25, 0.01));
  const int arm = add_body(b, "arm", limb_inertia_rod(2, 0.5));
  const int torso = add_body(b, "torso", limb_inertia_box(8, 0.2, 0.3, 0.4));
  const int hand = add_body(b, "hand", limb_inertia_sphere(0.5, 0.05));
  const int slide = add_body(b, "slide", limb_inertia_sphere(1, 0.1));
  const int stand = add_body(b, "stand", limb_inertia_box(16, 1, 1, 1));

  limb_joint_def nailing = limb_default_joint_def("nailing", LIMB_FIXED, hand, nail);
  nailing.placement.p = sp_v3(0, 0, 0.1);
  limb_joint_def elbow = limb_default_joint_def("elbow", LIMB_REVOLUTE, torso, arm);
  elbow.axis = sp_v3(0, 3, 0);
  elbow.q_min = -1, elbow.q_max = 2, elbow.v_max = 3, elbow.effort_max = 4;
  elbow.rotor_inertia = 1e-4, elbow.gear_ratio = 100;
  elbow.coulomb = 0.1, elbow.viscous = 0.2, elbow.stiffness = 5, elbow.rest = 0.3;
  limb_joint_def slider = limb_default_joint_def("slider", LIMB_PRISMATIC, arm, slide);
  slider.mimic = 1, slider.multiplier = -0.5, slider.offset = 0.25;
  const limb_joint_def joint[] = {
    nailing,
    elbow,
    limb_default_joint_def("float", LIMB_FREE, LIMB_WORLD_BODY, torso),
    limb_default_joint_def("wrist", LIMB_FIXED, arm, hand),
    slider,
    limb_default_joint_def("bolts", LIMB_FIXED, LIMB_WORLD_BODY, stand),
  };
  for (int i = 0; i < 6; i++) assert_ok(limb_builder_add_joint(b, &joint[i], NULL, NULL));
  const sp_pose at = sp_pose_make(sp_rot_rpy(0.1, 0.2, 0.3), sp_v3(1, 2, 3));
  assert_ok(limb_builder_add_frame(b, "tip", nail, &at, NULL, NULL));
  assert_ok(limb_builder_add_frame(b, "corner", LIMB_WORLD_BODY, &at, NULL, NULL));
  return build(b);
}

// ---- sizes and names --------------------------------------------------------------------------------

START_TEST(sizes)
{
  limb_model* m = sample();
  ck_assert_str_eq(limb_model_name(m), "sample");
  assert_that(limb_nq(m) == 8 && limb_nv(m) == 7);
  assert_that(limb_body_count(m) == 7);
  assert_that(limb_joint_count(m) == 6);
  assert_that(limb_frame_count(m) == 9);
  assert_close_vec3(limb_model_gravity(m), sp_v3(0, -3.7, 0), 0, 0);
  assert_close(limb_total_mass(m), 27.75, 1e-15, 0);
  limb_model_destroy(m);
}
END_TEST

START_TEST(find)
{
  limb_model* m = sample();
  static const char* const body[] = {"world", "nail", "arm", "torso", "hand", "slide", "stand"};
  static const char* const joint[] = {"nailing", "elbow", "float", "wrist", "slider", "bolts"};
  for (int i = 0; i < 7; i++) {
    assert_that(limb_find_body(m, body[i]) == i);
    assert_that(limb_find_frame(m, body[i]) == i);
    assert_that(limb_find_joint(m, body[i]) == -1);
  }
  for (int i = 0; i < 6; i++) {
    assert_that(limb_find_joint(m, joint[i]) == i);
    assert_that(limb_find_body(m, joint[i]) == -1);
    assert_that(limb_find_frame(m, joint[i]) == -1);
  }
  assert_that(limb_find_frame(m, "tip") == 7 && limb_find_frame(m, "corner") == 8);
  assert_that(limb_find_body(m, "tip") == -1);
  assert_that(limb_find_frame(m, "") == -1);
  assert_that(limb_find_body(m, NULL) == -1);
  assert_that(limb_find_joint(m, NULL) == -1);
  assert_that(limb_find_frame(m, NULL) == -1);
  limb_model_destroy(m);
}
END_TEST

START_TEST(null_model)
{
  limb_model_destroy(NULL);
  assert_that(limb_model_name(NULL) == NULL);
  assert_that(limb_nq(NULL) == 0 && limb_nv(NULL) == 0);
  assert_that(limb_body_count(NULL) == 0);
  assert_that(limb_joint_count(NULL) == 0);
  assert_that(limb_frame_count(NULL) == 0);
  assert_that(limb_find_body(NULL, "a") == -1);
  assert_that(limb_find_joint(NULL, "a") == -1);
  assert_that(limb_find_frame(NULL, "a") == -1);
  assert_close_vec3(limb_model_gravity(NULL), sp_v3(0, 0, 0), 0, 0);
  assert_that(limb_total_mass(NULL) == 0);
  assert_that(limb_model_note_count(NULL) == 0);
}
END_TEST

// ---- properties -------------------------------------------------------------------------------------

START_TEST(bodies)
{
  limb_model* m = sample();
  //                             world nail arm torso hand slide stand
  static const int parent[] = {-1, 4, 3, 0, 2, 2, 0};
  static const int joint[] = {-1, 0, 1, 2, 3, 4, 5};
  static const int moved_by[] = {0, 2, 2, 3, 2, 5, 0};
  static const double mass[] = {0, 0.25, 2, 8, 0.5, 1, 16};
  limb_body_info info;
  for (int i = 0; i < 7; i++) {
    check_at("body %d", i);
    assert_ok(limb_get_body(m, i, &info));
    assert_that(limb_find_body(m, info.name) == i);
    assert_that(info.parent == parent[i] && info.joint == joint[i]);
    assert_that(info.moved_by == moved_by[i]);
    assert_that(info.inertia.mass == mass[i]);
  }
  assert_status(limb_get_body(m, -1, &info), LIMB_E_ARG);
  assert_status(limb_get_body(m, 7, &info), LIMB_E_ARG);
  assert_status(limb_get_body(m, 0, NULL), LIMB_E_ARG);
  assert_status(limb_get_body(NULL, 0, &info), LIMB_E_ARG);
  limb_model_destroy(m);
}
END_TEST

START_TEST(joints)
{
  limb_model* m = sample();
  limb_joint_info info;
  assert_ok(limb_get_joint(m, 1, &info));
  ck_assert_str_eq(info.def.name, "elbow");
  assert_that(info.def.type == LIMB_REVOLUTE && info.def.parent == 3 && info.def.child == 2);
  assert_close_vec3(info.def.axis, sp_v3(0, 1, 0), 0, 0);
  assert_that(info.def.q_min == -1 && info.def.q_max == 2 && info.def.v_max == 3);
  assert_that(info.def.effort_max == 4 && info.def.rotor_inertia == 1e-4);
  assert_that(info.def.gear_ratio == 100 && info.def.coulomb == 0.1 && info.def.viscous == 0.2);
  assert_that(info.def.stiffness == 5 && info.def.rest == 0.3 && info.def.mimic == -1);
  assert_that(info.q == 0 && info.nq == 1 && info.v == 0 && info.nv == 1);
  assert_that(info.multiplier == 1 && info.offset == 0);

  assert_ok(limb_get_joint(m, 2, &info)); // free: after the elbow, as they were added
  assert_that(info.q == 1 && info.nq == 7 && info.v == 1 && info.nv == 6);
  assert_ok(limb_get_joint(m, 0, &info));
  assert_that(info.def.type == LIMB_FIXED && info.nq == 0 && info.nv == 0);
  assert_that(info.def.placement.p.z == 0.1);
  assert_ok(limb_get_joint(m, 4, &info)); // follows the elbow
  assert_that(info.q == 0 && info.nq == 0 && info.v == 0 && info.nv == 0);
  assert_that(info.multiplier == -0.5 && info.offset == 0.25 && info.def.mimic == 1);

  assert_status(limb_get_joint(m, -1, &info), LIMB_E_ARG);
  assert_status(limb_get_joint(m, 6, &info), LIMB_E_ARG);
  assert_status(limb_get_joint(m, 0, NULL), LIMB_E_ARG);
  assert_status(limb_get_joint(NULL, 0, &info), LIMB_E_ARG);
  limb_model_destroy(m);
}
END_TEST

START_TEST(frames)
{
  limb_model* m = sample();
  limb_frame_info info;
  for (int i = 0; i < limb_frame_count(m); i++) {
    assert_ok(limb_get_frame(m, i, &info));
    assert_that(limb_find_frame(m, info.name) == i);
    if (i < limb_body_count(m)) {
      assert_that(info.body == i);
      assert_close_pose(info.pose, sp_pose_identity(), 0, 0);
    }
  }
  const sp_pose at = sp_pose_make(sp_rot_rpy(0.1, 0.2, 0.3), sp_v3(1, 2, 3));
  assert_ok(limb_get_frame(m, 7, &info));
  assert_that(info.body == 1);
  assert_close_pose(info.pose, at, 0, 0);
  assert_ok(limb_get_frame(m, 8, &info));
  assert_that(info.body == LIMB_WORLD_BODY);
  assert_status(limb_get_frame(m, -1, &info), LIMB_E_ARG);
  assert_status(limb_get_frame(m, 9, &info), LIMB_E_ARG);
  assert_status(limb_get_frame(m, 0, NULL), LIMB_E_ARG);
  assert_status(limb_get_frame(NULL, 0, &info), LIMB_E_ARG);
  limb_model_destroy(m);
}
END_TEST

START_TEST(a_description_can_be_built_again)
{
  // What the queries return, fed to a new builder, gives the same answers.
  limb_model* m = sample();
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  for (int i = 1; i < limb_body_count(m); i++) {
    limb_body_info body;
    assert_ok(limb_get_body(m, i, &body));
    assert_that(add_body(b, body.name, body.inertia) == i);
  }
  limb_joint_info was, is;
  for (int i = 0; i < limb_joint_count(m); i++) {
    assert_ok(limb_get_joint(m, i, &was));
    assert_ok(limb_builder_add_joint(b, &was.def, NULL, NULL));
  }
  limb_model* copy = build(b);
  for (int i = 0; i < limb_joint_count(m); i++) {
    assert_ok(limb_get_joint(m, i, &was));
    assert_ok(limb_get_joint(copy, i, &is));
    ck_assert_str_eq(was.def.name, is.def.name);
    assert_close_pose(is.def.placement, was.def.placement, 0, 0);
    assert_close_vec3(is.def.axis, was.def.axis, 0, 0);
    assert_that(was.q == is.q && was.v == is.v && was.multiplier == is.multiplier);
  }
  limb_model_destroy(copy);
  limb_model_destroy(m);
}
END_TEST

// ---- joint types ------------------------------------------------------------------------------------

START_TEST(joint_types)
{
#define LIMB_X(name, value, text, nq, nv)                                               \
  {                                                                                     \
    ck_assert_str_eq(limb_joint_type_name(LIMB_##name), text);                          \
    for (int k = 0; k < (nq); k++) {                                                    \
      assert_that(limb_q_suffix(LIMB_##name, k));                                       \
      for (int i = 0; i < k; i++) {                                                     \
        ck_assert_str_ne(limb_q_suffix(LIMB_##name, i), limb_q_suffix(LIMB_##name, k)); \
      }                                                                                 \
    }                                                                                   \
    for (int k = 0; k < (nv); k++) {                                                    \
      assert_that(limb_v_suffix(LIMB_##name, k));                                       \
      for (int i = 0; i < k; i++) {                                                     \
        ck_assert_str_ne(limb_v_suffix(LIMB_##name, i), limb_v_suffix(LIMB_##name, k)); \
      }                                                                                 \
    }                                                                                   \
    assert_that(!limb_q_suffix(LIMB_##name, nq));                                       \
    assert_that(!limb_v_suffix(LIMB_##name, nv));                                       \
    assert_that(!limb_q_suffix(LIMB_##name, -1));                                       \
    assert_that(!limb_v_suffix(LIMB_##name, 100));                                      \
  }
  LIMB_JOINT_LIST(LIMB_X)
#undef LIMB_X
  ck_assert_str_eq(limb_q_suffix(LIMB_HELICAL, 0), "");
  ck_assert_str_eq(limb_q_suffix(LIMB_FREE, 0), ".px");
  ck_assert_str_eq(limb_q_suffix(LIMB_FREE, 6), ".qw");
  ck_assert_str_eq(limb_v_suffix(LIMB_FREE, 0), ".wx");
  ck_assert_str_eq(limb_v_suffix(LIMB_FREE, 5), ".vz");
  ck_assert_str_eq(limb_q_suffix(LIMB_SPHERICAL, 3), ".qw");
  limb_joint_type none;
  memcpy(&none, &(int){99}, sizeof none);
  assert_that(!limb_joint_type_name(none) && !limb_q_suffix(none, 0) && !limb_v_suffix(none, 0));
}
END_TEST

// ---- report -----------------------------------------------------------------------------------------

typedef struct text {
  char all[4096];
} text;

static void append(void* context, const char* more)
{
  text* t = context;
  const size_t used = strlen(t->all), n = strlen(more);
  assert_that(used + n < sizeof t->all);
  memcpy(t->all + used, more, n + 1);
}

// A note of that kind about that subject.
static bool noted(const limb_model* m, limb_note_kind kind, const char* subject)
{
  for (int i = 0; i < limb_model_note_count(m); i++) {
    limb_note note;
    assert_ok(limb_model_note(m, i, &note));
    if (note.kind == kind && strcmp(note.subject, subject) == 0) return true;
  }
  return false;
}

START_TEST(note_kinds)
{
  static const char* const name[] = {"merged",       "lowered", "regrouped",     "massless",
                                     "non-physical", "mimic",   "nearly square", "unlisted"};
  int k = 0;
  for (; limb_note_kind_name((limb_note_kind)k); k++) {
    assert_that(k < 8);
    ck_assert_str_eq(limb_note_kind_name((limb_note_kind)k), name[k]);
  }
  assert_that(k == 8);
}
END_TEST

START_TEST(report)
{
  limb_model* m = sample();
  assert_that(noted(m, LIMB_NOTE_MERGED, "nail"));
  assert_that(noted(m, LIMB_NOTE_MERGED, "hand"));
  assert_that(noted(m, LIMB_NOTE_MERGED, "stand"));
  assert_that(!noted(m, LIMB_NOTE_MERGED, "arm"));
  assert_that(noted(m, LIMB_NOTE_MIMIC, "slider"));

  limb_note note;
  const int n = limb_model_note_count(m);
  assert_status(limb_model_note(m, -1, &note), LIMB_E_ARG);
  assert_status(limb_model_note(m, n, &note), LIMB_E_ARG);
  assert_status(limb_model_note(m, 0, NULL), LIMB_E_ARG);
  assert_status(limb_model_note(NULL, 0, &note), LIMB_E_ARG);

  text t = {{0}};
  assert_ok(limb_model_report(m, append, &t));
  int lines = 0;
  for (const char* c = t.all; *c; c++) lines += *c == '\n';
  assert_that(lines == n);
  assert_that(strstr(t.all, "merged: nail: "));
  for (int i = 0; i < n; i++) {
    assert_ok(limb_model_note(m, i, &note));
    assert_that(strstr(t.all, note.subject) && strstr(t.all, note.text));
  }
  assert_status(limb_model_report(NULL, append, &t), LIMB_E_ARG);
  assert_status(limb_model_report(m, NULL, &t), LIMB_E_ARG);
  limb_model_destroy(m);
}
END_TEST

START_TEST(report_of_doubtful_robots)
{
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  const int odd = add_body(b, "odd", (sp_inertia){.mass = 1, .xx = 1, .yy = 1, .zz = 3});
  const int ghost = add_body(b, "ghost", (sp_inertia){0});
  limb_joint_def joint = limb_default_joint_def("cardan", LIMB_UNIVERSAL, LIMB_WORLD_BODY, odd);
  joint.axis2 = sp_v3(1, 0, 0);
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  joint = limb_default_joint_def("idle", LIMB_REVOLUTE, odd, ghost);
  joint.placement.R = sp_rot_rpy(0, 1.5708, 0);
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  limb_model* m = build(b);
  assert_that(noted(m, LIMB_NOTE_NONPHYSICAL, "odd"));
  assert_that(!noted(m, LIMB_NOTE_NONPHYSICAL, "ghost"));
  assert_that(noted(m, LIMB_NOTE_LOWERED, "cardan"));
  assert_that(noted(m, LIMB_NOTE_MASSLESS, "idle"));
  assert_that(noted(m, LIMB_NOTE_NEARLY_SQUARE, "idle"));
  text t = {{0}};
  assert_ok(limb_model_report(m, append, &t));
  assert_that(strstr(t.all, "non-physical: odd: "));
  assert_that(strstr(t.all, "lowered: cardan: "));
  assert_that(strstr(t.all, "massless: idle: "));
  assert_that(strstr(t.all, "nearly square: idle: "));
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("model", 1, sizes, find, null_model, bodies, joints, frames, a_description_can_be_built_again, joint_types,
           note_kinds, report, report_of_doubtful_robots)
