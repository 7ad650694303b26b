// Numbers of the robot as symbols: what was traced and simplified for one robot answers for another one of
// the same structure, given its numbers.
#include "codegen/traced.h"

#include "codegen/simplify.h"
#include "support/rng.h"
#include "support/robots_impl.h"

#include <stdio.h>

enum { JOINTS = 6, STATES = 4 };

#define QUARTER 1.5707963267948966 // of a turn

static double some_length(rng* r, int is_there)
{
  const double x = rng_uniform(r, 0.1, 0.5);
  return is_there ? x : 0;
}

static sp_inertia some_inertia(rng* r)
{
  const double I[6] = {rng_uniform(r, 0.5, 1), rng_uniform(r, 0.01, 0.1), rng_uniform(r, 0.01, 0.1),
                       rng_uniform(r, 0.5, 1), rng_uniform(r, 0.01, 0.1), rng_uniform(r, 0.5, 1)};
  const sp_vec3 com = {rng_uniform(r, 0.1, 0.2), rng_uniform(r, 0.1, 0.2), rng_uniform(r, 0.1, 0.2)};
  return fixture_inertia(rng_uniform(r, 1, 5), com, I);
}

// A tree with links of all classes: the angles between axes and what is zero are those of the structure, all
// other numbers are those of the robot.
static limb_model* robot_of(uint64_t seed)
{
  static const struct {
    int parent;
    limb_joint_type type;
    double alpha;
    int d, r; // whether there is a length
  } row[JOINTS] = {{-1, LIMB_REVOLUTE, 0, 0, 1},  {0, LIMB_REVOLUTE, QUARTER, 1, 0},
                   {1, LIMB_REVOLUTE, 0, 1, 1},   {2, LIMB_PRISMATIC, -QUARTER, 0, 1},
                   {3, LIMB_REVOLUTE, 0.7, 1, 1}, {1, LIMB_REVOLUTE, QUARTER, 1, 1}};
  rng r = {seed};
  limb_builder* b = fixture_begin("arm");
  int body[JOINTS];
  const double z = rng_uniform(&r, -9, -5), y = rng_uniform(&r, -5, 5);
  fixture_gravity(b, sp_v3(rng_uniform(&r, -5, 5), y, z));
  for (int i = 0; i < JOINTS; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "%d", i + 1);
    const double d = some_length(&r, row[i].d), along = some_length(&r, row[i].r);
    const sp_pose at = fixture_mdh(0, 0, row[i].alpha, d, 0, along);
    body[i] = fixture_link(b, name, row[i].type, row[i].parent < 0 ? LIMB_WORLD_BODY : body[row[i].parent], at,
                           sp_v3(0, 0, 1), some_inertia(&r));
  }
  return fixture_end(b);
}

static void simplify_all(const traced* t)
{
  for (int k = 0; k < t->p->nfunction; k++) {
    const limb_function* f = &t->p->function[k];
    for (int o = 0; o < f->noutput; o++) {
      const limb_output* x = &f->output[o];
      assert_that(limb_simplify(t->p->graph, x->entry, (size_t)x->rows * (size_t)x->columns, 200000));
    }
  }
}

// The text of one robot with the numbers, states and values of the other.
static void compare_with(const traced* one, const traced* other)
{
  const limb_input *p = &one->p->input[INPUT_PARAMETER], *q = &other->p->input[INPUT_PARAMETER];
  ck_assert_int_eq(p->count, q->count);
  for (int i = 0; i < p->count; i++) {
    ck_assert_str_eq(p->label[i], q->label[i]);
    assert_that(p->value[i] != q->value[i]);
  }
  traced mixed = *other;
  mixed.p = one->p;
  compare_states(&mixed, STATES);
}

static void one_for_another(const char* what, limb_symbols symbols)
{
  limb_error err = {0};
  limb_codegen_options o = limb_default_codegen_options();
  limb_model *a = robot_of(1), *b = robot_of(2);
  traced one, other;
  o.what = what, o.symbols = symbols, o.gravity_argument = 1;
  fixture_ok(trace_with(a, o, &one, &err), &err);
  fixture_ok(trace_with(b, o, &other, &err), &err);
  assert_that(one.p->input[INPUT_PARAMETER].count > JOINTS);
  simplify_all(&one);
  compare_with(&one, &other);
  traced_free(&one), traced_free(&other);
  limb_model_destroy(a), limb_model_destroy(b);
}

// Not J and pose: places of frames are inserted.
START_TEST(lengths_and_inertias) { one_for_another("tau,acc,M,Minv,C,g,h,dtau,hybrid", LIMB_SYMBOLS_ALL); }
END_TEST

int CHECK_NAME(void)
{
  const TTest* const once[] = {lengths_and_inertias, NULL};
  return check_run("symbols", 1, once);
}
