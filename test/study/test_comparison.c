// Would `limb convert` see that a robot with loops came back as another one? limb_compare against robots that
// differ in one thing.
#include "support/check.h"

#include "limb/limb.h"
#include "limb/study.h"

#include <string.h>

// What differs from the first robot.
typedef struct change {
  const char* what; // as the comparison says it; "": nothing differs
  double start, arm, rate, ratio;
  int loops; // 2: pin and gear, in this order; -2: the other way round; 1: the pin alone
  const char* name;
  limb_loop_kind kind;
} change;

static const change changes[] = {
  {"", 0.7, 0.9, 0.1, -1, 2, "pin", LIMB_LOOP_PIN},
  {"", 0.7, 0.9, 0.1, -1, -2, "pin", LIMB_LOOP_PIN},
  {"joint 'crank' starts elsewhere", 0.8, 0.9, 0.1, -1, 2, "pin", LIMB_LOOP_PIN},
  {"loop 'pin' has other equations", 0.7, 0.9001, 0.1, -1, 2, "pin", LIMB_LOOP_PIN},
  {"loop 'pin' has other equations", 0.7, 0.9, 0.2, -1, 2, "pin", LIMB_LOOP_PIN},
  {"loop 'gear' has other equations", 0.7, 0.9, 0.1, -1.001, 2, "pin", LIMB_LOOP_PIN},
  {"loop 'pin' has other equations", 0.7, 0.9, 0.1, -1, 2, "pin", LIMB_LOOP_BALL},
  {"loop 'pin' has other equations", 0.7, 0.9, 0.1, -1, 2, "pin", LIMB_LOOP_SLIDER},
  {"loop 'bolt' is new", 0.7, 0.9, 0.1, -1, 2, "bolt", LIMB_LOOP_PIN},
  {"1 loops instead of 2", 0.7, 0.9, 0.1, -1, 1, "pin", LIMB_LOOP_PIN},
};

enum { CHANGES = sizeof changes / sizeof *changes };

static int add_bar(limb_builder* b, const char* body, const char* joint, int parent, double x, double start)
{
  limb_body_def bar = limb_default_body_def(body);
  bar.inertia = (sp_inertia){.mass = 1, .com = {0.2, 0, 0}, .xx = 0.1, .yy = 0.1, .zz = 0.1};
  int child = -1;
  assert_ok(limb_builder_add_body(b, &bar, &child, NULL));
  limb_joint_def hinge = limb_default_joint_def(joint, LIMB_REVOLUTE, parent, child);
  hinge.placement.p.x = x;
  hinge.start = start;
  assert_ok(limb_builder_add_joint(b, &hinge, NULL, NULL));
  return child;
}

static limb_model* make(const change* c)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  (void)add_bar(b, "crank", "crank", LIMB_WORLD_BODY, 0, c->start);
  const int coupler = add_bar(b, "coupler", "coupler", limb_builder_find_body(b, "crank"), 0.35, 0);
  const int rocker = add_bar(b, "rocker", "rocker", LIMB_WORLD_BODY, 1, 0);
  limb_loop_def pin = limb_default_loop_def(c->name, c->kind, rocker, coupler);
  pin.pose_a.p.x = 0.7;
  pin.pose_b.p.x = c->arm;
  pin.motion = (limb_prescribed_motion){.rate = c->rate};
  limb_loop_def gear = limb_default_loop_def("gear", LIMB_LOOP_GEAR, -1, -1);
  gear.joint = 0, gear.other = 2;
  gear.coefficient[1] = c->ratio;
  if (c->loops < 0) assert_ok(limb_builder_add_loop(b, &gear, NULL, NULL));
  assert_ok(limb_builder_add_loop(b, &pin, NULL, NULL));
  if (c->loops == 2) assert_ok(limb_builder_add_loop(b, &gear, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  return m;
}

START_TEST(differences_are_seen)
{
  limb_model *a = make(&changes[0]), *b = make(&changes[_i]);
  limb_comparison r;
  check_at("change %d: %s", _i, changes[_i].what);
  assert_ok(limb_compare(a, b, 3, &r));
  assert_that(strcmp(r.why, changes[_i].what) == 0);
  if (!*changes[_i].what) assert_that(r.tau == 0 && r.M == 0);
  limb_model_destroy(a);
  limb_model_destroy(b);
}
END_TEST

CHECK_MAIN("same", CHANGES, differences_are_seen)
