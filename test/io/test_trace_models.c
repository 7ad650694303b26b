// Built-in robots with loops, and hybrid dynamics of all the others, traced: against the library.
#include "limb/read.h"

#include "codegen/traced.h"

enum { STATES = CHECK_SANITIZED ? 1 : 4 };

START_TEST(built_in_robots)
{
  limb_robot_info info;
  limb_model* m = NULL;
  limb_error err = {0};
  assert_ok(limb_get_robot(_i, &info));
  fixture_ok(limb_load(info.name, NULL, &m, &err), &err);
  check_at("%s", info.name);
  if (limb_loop_count(m) > 0)
    compare_loops(m, STATES);
  else if (limb_nv(m) <= 100)
    compare_hybrid(m, STATES);
  limb_model_destroy(m);
}
END_TEST

START_TEST(built_in_platforms)
{
  static const char* const names[] = {"gough_stewart", "delta", "planar_3rrr"};
  if (_i >= (int)(sizeof names / sizeof names[0])) return;
  limb_model* m = NULL;
  limb_error err = {0};
  traced t;
  fixture_ok(limb_load(names[_i], NULL, &m, &err), &err);
  fixture_ok(trace_model(m, "platform_tau,platform_acc,platform_J", NULL, &t, &err), &err);
  compare_states(&t, STATES);
  traced_free(&t);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("trace_models", limb_robot_count(), built_in_robots, built_in_platforms)
