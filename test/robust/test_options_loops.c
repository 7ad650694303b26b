// Options of calls about loops: sizes of other versions and of none, numbers that are not finite or make
// no sense.
#include "robust/hot_loops.h"

#include <stdint.h>

typedef union any_options {
  size_t size; // what they all begin with
  limb_loop_options loop;
  limb_assembly assembly;
  limb_loop_solver closed;
  limb_actuation actuation;
  limb_map map;
  unsigned char bytes[512];
} any_options;

static size_t fill(const loop_bed* b, option_kind kind, any_options* o)
{
  memset(o, 0, sizeof *o);
  if (kind == LOOP_OPTIONS) o->loop = limb_default_loop_options();
  if (kind == ASSEMBLY) o->assembly = limb_default_assembly();
  if (kind == CLOSED_OPTIONS) o->closed = limb_default_loop_solver();
  if (kind == ACTUATION) o->actuation = limb_default_actuation();
  if (kind == MAP) o->map = b->map;
  return o->size;
}

// Of a struct that may grow: what callers of other versions, and of none, say.
static void sizes(const loop_inputs* in, loop_fn* call, any_options* o, size_t size)
{
  assert_ok(call(in));
  static const size_t none[4] = {0, sizeof(size_t), (size_t)1 << 20, SIZE_MAX};
  for (int k = 0; k < 4; k++) {
    o->size = none[k];
    assert_status(call(in), LIMB_E_ARG);
  }
  o->size = size + 32; // newer, and says nothing
  assert_ok(call(in));
  o->bytes[size + 31] = 1;
  assert_status(call(in), LIMB_E_UNSUPPORTED);
  o->bytes[size + 31] = 0;
}

START_TEST(sizes_of_options)
{
  loop_bed b = loop_bed_gough();
  for (int i = 0; i < HOT_LOOPS; i++) {
    any_options o;
    loop_inputs in = loop_inputs_of(&b, hot_loops[i].more);
    check_at("%s", hot_loops[i].name);
    in.options = &o;
    const size_t size = fill(&b, hot_loops[i].options, &o);
    if (hot_loops[i].options != NO_OPTIONS) sizes(&in, hot_loops[i].call, &o, size);
    in = loop_inputs_of(&b, hot_loops[i].more), in.more = &o;
    const size_t more = fill(&b, hot_loops[i].more, &o);
    if (hot_loops[i].more != NO_OPTIONS) sizes(&in, hot_loops[i].call, &o, more);
    if (hot_loops[i].options != CLOSED_OPTIONS) continue;
    (void)fill(&b, CLOSED_OPTIONS, &o); // a struct in a struct
    in = loop_inputs_of(&b, NO_OPTIONS), in.options = &o;
    static const size_t none[3] = {0, sizeof o.closed.loops + 32, SIZE_MAX}; // it cannot grow
    for (int k = 0; k < 3; k++) {
      o.closed.loops.size = none[k];
      assert_status(hot_loops[i].call(&in), LIMB_E_ARG);
    }
  }
  loop_bed_free(&b);
}
END_TEST

// The time and the tolerance of whatever kind of options.
START_TEST(numbers_of_options)
{
  loop_bed b = loop_bed_gough();
  for (int i = 0; i < HOT_LOOPS; i++) {
    const option_kind kind = hot_loops[i].options;
    if (kind == NO_OPTIONS) continue;
    any_options o;
    loop_inputs in = loop_inputs_of(&b, hot_loops[i].more);
    in.options = &o;
    for (int k = 0; k < 6; k++) {
      static const double bad_tolerance[2] = {0, -1};
      (void)fill(&b, kind, &o);
      double* const time = kind == LOOP_OPTIONS ? &o.loop.time
                           : kind == ASSEMBLY   ? &o.assembly.time
                                                : &o.closed.loops.time;
      double* const tolerance = kind == LOOP_OPTIONS ? &o.loop.tolerance
                                : kind == ASSEMBLY   ? &o.assembly.tolerance
                                                     : &o.closed.loops.tolerance;
      if (k < 2)
        *time = bad_number(k);
      else if (k < 4)
        *tolerance = bad_number(k);
      else
        *tolerance = bad_tolerance[k - 4];
      check_at("%s, number %d", hot_loops[i].name, k);
      assert_status(hot_loops[i].call(&in), k < 4 ? LIMB_E_NONFINITE : LIMB_E_ARG);
    }
  }
  loop_bed_free(&b);
}
END_TEST

// What else the structs hold.
START_TEST(members_of_options)
{
  loop_bed b = loop_bed_gough();
  loop_inputs in = loop_inputs_of(&b, NO_OPTIONS);
  any_options o;
  in.options = &o;
  for (int k = 0; k < 9; k++) {
    (void)fill(&b, CLOSED_OPTIONS, &o);
    if (k == 0) o.closed.method = (limb_loop_method)7;
    if (k == 1) o.closed.method = (limb_loop_method)-1;
    if (k == 2) o.closed.max_iterations = 0;
    if (k == 3) o.closed.regularisation = 0;
    if (k == 4) o.closed.alpha = -1;
    if (k == 5) o.closed.beta = -1;
    if (k == 6) o.closed.alpha = bad_number(0);
    if (k == 7) o.closed.beta = bad_number(1);
    if (k == 8) o.closed.regularisation = bad_number(1);
    check_at("closed options, member %d", k);
    assert_status(closed_forward(&in), k < 6 ? LIMB_E_ARG : LIMB_E_NONFINITE);
  }
  unsigned char held[64] = {0};
  assert_that(b.nv < 64);
  for (int k = 0; k < 3; k++) {
    (void)fill(&b, ASSEMBLY, &o);
    if (k == 0) o.assembly.max_iterations = 0;
    if (k == 1) o.assembly.restarts = -1;
    if (k == 2) o.assembly.held = held, held[0] = 2;
    check_at("assembly, member %d", k);
    assert_status(assemble(&in), LIMB_E_ARG);
    assert_status(branches(&in), LIMB_E_ARG);
  }
  in = loop_inputs_of(&b, MAP), in.more = &o;
  for (int k = 0; k < 8; k++) {
    (void)fill(&b, MAP, &o);
    if (k == 0) o.map.velocity[0] = -1;
    if (k == 1) o.map.velocity[0] = b.nv;
    if (k == 2) o.map.velocity[1] = o.map.velocity[0];
    if (k == 3) o.map.count[0] = 0;
    if (k == 4) o.map.count[1] = 2; // of a line
    if (k == 5) o.map.frame = limb_frame_count(b.c.m);
    if (k == 6) o.map.lower[0] = bad_number(0);
    if (k == 7) o.map.upper[0] = bad_number(1);
    check_at("map, member %d", k);
    assert_status(map(&in), k < 6 ? LIMB_E_ARG : LIMB_E_NONFINITE);
  }
  loop_bed_free(&b);
}
END_TEST

// Arrays of the sharing of torques.
START_TEST(sharing)
{
  loop_bed b = loop_bed_gough();
  loop_inputs in = loop_inputs_of(&b, ACTUATION);
  double* x = calloc((size_t)b.nv, sizeof *x);
  int motor = -1;
  for (int j = 0; j < limb_joint_count(b.c.m) && motor < 0; j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(b.c.m, j, &info));
    if (info.nv == 1 && !info.passive) motor = info.v;
  }
  assert_that(x && motor >= 0);
  for (int k = 0; k < 8; k++) {
    limb_actuation o = limb_default_actuation();
    for (int i = 0; i < b.nv; i++) x[i] = k < 4 ? 1 : k < 6 ? -1e9 : 1e9;
    if (k < 3) o.weight = x, x[motor] = k == 0 ? 0 : k == 1 ? -1 : bad_number(0);
    if (k == 3) o.preferred = x, x[motor] = bad_number(1);
    if (k == 4 || k == 5) o.lower = x, x[motor] = k == 4 ? bad_number(0) : HUGE_VAL;
    if (k == 6 || k == 7) o.upper = x, x[motor] = k == 6 ? bad_number(0) : -HUGE_VAL;
    in.more = &o;
    check_at("sharing %d", k);
    const limb_status s = closed_inverse(&in);
    assert_that(s == LIMB_E_ARG || s == LIMB_E_NONFINITE);
    x[motor] = k < 6 ? k < 4 ? 1 : -HUGE_VAL : HUGE_VAL;
    assert_ok(closed_inverse(&in));
  }
  free(x);
  loop_bed_free(&b);
}
END_TEST

CHECK_MAIN("robust/options_loops", 1, sizes_of_options, numbers_of_options, members_of_options, sharing)
