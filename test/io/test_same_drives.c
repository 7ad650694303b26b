// Would `limb convert` see that a joint lost its motor, or its shaft became another? Its comparison is
// compiled here, and given robots that differ in one figure.
#include "limb/read.h"

#include "support/check.h"

#include <stdio.h>
#include <string.h>

#include "limb/study.h"

static limb_model* arm(const char* hinge, const char* shaft)
{
  char text[1024];
  (void)snprintf(text, sizeof text,
                 "limb: 1\nbase: fixed\nbodies:\n  - {name: o, mass: 0}\n"
                 "  - {name: a, mass: 1, solid: {sphere: 0.1}}\n"
                 "  - {name: b, mass: 1, solid: {sphere: 0.1}}\n"
                 "  - {name: c, mass: 1, solid: {sphere: 0.1}}\n"
                 "joints:\n  - {name: a, type: revolute, parent: o, child: a, axis: [0, 0, 1]%s}\n"
                 "  - {name: b, type: revolute, parent: a, child: b, axis: [0, 0, 1]}\n"
                 "  - {name: c, type: revolute, parent: a, child: c, axis: [0, 0, 1]}\n%s",
                 hinge, shaft);
  limb_read_options opt = limb_default_read_options();
  opt.format = LIMB_FORMAT_YAML;
  limb_reading* r = NULL;
  limb_model* m = NULL;
  assert_ok(limb_read_text(text, strlen(text), "text", &opt, &r, NULL));
  assert_ok(limb_builder_build(limb_reading_builder(r), &m, NULL));
  limb_reading_destroy(r);
  return m;
}

#define SHAFT(words) "shafts:\n  - {joint: b, " words "}\n"

START_TEST(differences_are_seen)
{
  static const char given[] = SHAFT("motor: c, ratio: 2, stiffness: 3, damping: 4, rest: 5");
  static const struct {
    const char *hinge, *shaft, *why;
  } cases[] = {
    {"", given, ""},
    {", drive: active", given, ""}, // as it is without the word
    {", drive: passive", given, "joint 'a' is passive"},
    {"", "", "joint 'b' is driven"},
    {"", SHAFT("motor: a, ratio: 2, stiffness: 3, damping: 4, rest: 5"), "shaft"},
    {"", SHAFT("motor: c, ratio: 1, stiffness: 3, damping: 4, rest: 5"), "shaft"},
    {"", SHAFT("motor: c, ratio: 2, stiffness: 2, damping: 4, rest: 5"), "shaft"},
    {"", SHAFT("motor: c, ratio: 2, stiffness: 3, damping: 3, rest: 5"), "shaft"},
    {"", SHAFT("motor: c, ratio: 2, stiffness: 3, damping: 4, rest: 4"), "shaft"},
  };
  limb_model* a = arm("", given);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    limb_model* b = arm(cases[i].hinge, cases[i].shaft);
    limb_comparison same;
    assert_ok(limb_compare(a, b, 2, &same));
    check_at("case %zu: '%s'", i, same.why);
    assert_that(*cases[i].why ? strstr(same.why, cases[i].why) != NULL : !*same.why);
    limb_model_destroy(b);
  }
  limb_model_destroy(a);
}
END_TEST

CHECK_MAIN("same drives", 1, differences_are_seen)
