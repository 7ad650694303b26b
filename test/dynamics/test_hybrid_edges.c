// Hybrid dynamics and its derivatives: marks, arguments and statuses; joints that move nothing.
#include "limb/derivatives.h"
#include "limb/dynamics.h"

#include "support/robots_impl.h"
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- marks ------------------------------------------------------------------------------------------

// Passive joints are force-given, all others acceleration-given; one joint is marked and no other.
static void marks_of_robots(trial* t)
{
  const size_t n = (size_t)t->nv;
  unsigned char* given = (unsigned char*)trial_doubles(t, n);
  unsigned char* one = (unsigned char*)trial_doubles(t, n);
  memset(given, 7, n);
  memset(one, 9, n);
  assert_ok(limb_given_for_passive(t->m, given));
  for (int j = 0; j < limb_joint_count(t->m); j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(t->m, j, &info));
    const limb_given mark = info.passive ? LIMB_FORCE_GIVEN : LIMB_ACCELERATION_GIVEN;
    for (int k = 0; k < info.nv; k++) assert_that(given[info.v + k] == mark);
    if (info.def.mimic >= 0) {
      assert_status(limb_set_given(t->m, j, mark, one), LIMB_E_ARG);
      continue;
    }
    assert_that(info.passive ==
                (info.def.drive == LIMB_DRIVE_PASSIVE ||
                 (info.def.drive == LIMB_DRIVE_AUTO && (info.def.type == LIMB_FREE || info.shaft >= 0))));
    for (int k = 0; k < info.nv; k++) assert_that(one[info.v + k] == 9);
    assert_ok(limb_set_given(t->m, j, mark, one));
  }
  assert_that(memcmp(given, one, n) == 0);
}

// A joint belongs to the base when no joint from it to the world, itself included, has a motor or a shaft.
static void base_of_robots(trial* t)
{
  const size_t n = (size_t)t->nv;
  unsigned char* given = (unsigned char*)trial_doubles(t, n);
  memset(given, 7, n);
  assert_ok(limb_given_for_base(t->m, given));
  int count = 0;
  for (int j = 0; j < limb_joint_count(t->m); j++) {
    limb_joint_info info;
    limb_body_info body;
    assert_ok(limb_get_joint(t->m, j, &info));
    int floats = 1;
    for (int at = info.def.child; at != LIMB_WORLD_BODY; at = body.parent) {
      limb_joint_info up;
      assert_ok(limb_get_body(t->m, at, &body));
      assert_ok(limb_get_joint(t->m, body.joint, &up));
      floats &= up.def.type == LIMB_FIXED || (up.passive && up.shaft < 0);
    }
    for (int k = 0; k < info.nv; k++) {
      assert_that(given[info.v + k] == (floats ? LIMB_FORCE_GIVEN : LIMB_ACCELERATION_GIVEN));
      count += floats;
    }
  }
  assert_that(limb_count_given(t->m, given, LIMB_FORCE_GIVEN) == count);
  assert_that(limb_count_given(t->m, given, LIMB_ACCELERATION_GIVEN) == t->nv - count);
}

START_TEST(base_follows_the_model) { trial_over(_i, 1, base_of_robots); }
END_TEST

START_TEST(marks_follow_the_model) { trial_over(_i, 1, marks_of_robots); }
END_TEST

START_TEST(marks_are_checked)
{
  limb_model* m = robot_planar_2r();
  unsigned char given[2] = {5, 5};
  assert_status(limb_given_for_passive(NULL, given), LIMB_E_ARG);
  assert_status(limb_given_for_passive(m, NULL), LIMB_E_ARG);
  assert_status(limb_given_for_base(NULL, given), LIMB_E_ARG);
  assert_status(limb_given_for_base(m, NULL), LIMB_E_ARG);
  assert_that(limb_count_given(NULL, given, LIMB_FORCE_GIVEN) == -1);
  assert_that(limb_count_given(m, NULL, LIMB_FORCE_GIVEN) == -1);
  assert_status(limb_set_given(NULL, 0, LIMB_FORCE_GIVEN, given), LIMB_E_ARG);
  assert_status(limb_set_given(m, 0, LIMB_FORCE_GIVEN, NULL), LIMB_E_ARG);
  assert_status(limb_set_given(m, -1, LIMB_FORCE_GIVEN, given), LIMB_E_ARG);
  assert_status(limb_set_given(m, limb_joint_count(m), LIMB_FORCE_GIVEN, given), LIMB_E_ARG);
  assert_status(limb_set_given(m, 0, (limb_given)2, given), LIMB_E_ARG);
  assert_that(given[0] == 5 && given[1] == 5);
  limb_model_destroy(m);
}
END_TEST

// ---- arguments --------------------------------------------------------------------------------------

enum { NV = 18, NQ = 19 };

// The quadruped, whose base is passive, with room for everything.
typedef struct bed {
  limb_model* m;
  limb_data* d;
  limb_dual* w;
  double q[NQ], v[NV], x[NV], a[NV], tau[NV], work[NV * NV], A[3][NV * NV], out[6 * NV];
  unsigned char given[NV];
  limb_hybrid in;
  limb_hybrid_derivatives slopes;
} bed;

static void bed_make(bed* b)
{
  *b = (bed){.m = robot_quadruped()};
  assert_that(limb_nv(b->m) == NV && limb_nq(b->m) == NQ);
  assert_ok(limb_data_create(b->m, NULL, &b->d));
  assert_ok(limb_dual_create(b->m, LIMB_DUAL_VECTORS, NULL, &b->w));
  uint64_t seed = 4;
  rng r = {4};
  assert_ok(limb_random(b->m, &seed, b->q));
  rng_fill(&r, 1, NV, b->v);
  rng_fill(&r, 5, NV, b->x);
  assert_ok(limb_given_for_passive(b->m, b->given));
  b->in = (limb_hybrid){b->q, b->v, b->given, b->x, NULL};
  b->slopes = (limb_hybrid_derivatives){b->a, b->A[0], b->A[1], b->A[2]};
}

static void bed_free(bed* b)
{
  limb_dual_destroy(b->w);
  limb_data_destroy(b->d);
  limb_model_destroy(b->m);
}

// Every call of the header answers the inputs in b->in as it should.
static void all_answer(bed* b, limb_status want)
{
  const limb_hybrid* in = &b->in;
  const limb_directions along = {.count = 1, .dq = b->v, .da = b->v, .dtau = b->v};
  assert_status(limb_hybrid_dynamics(b->d, in->q, in->v, in->given, in->x, in->env, b->a, b->tau), want);
  assert_status(limb_hybrid_dynamics_by_mass_matrix(b->d, in, b->work, b->a, b->tau), want);
  assert_status(limb_hybrid_dynamics_derivatives(b->d, in, &b->slopes), want);
  assert_status(limb_hybrid_dynamics_along(b->w, in, &along, b->out), want);
}

// The same of those that know no velocity.
static void outside_answer(bed* b, const double* q, limb_status want)
{
  assert_status(limb_hybrid_dynamics_by_wrench(b->d, q, b->in.given, 2, LIMB_BODY, b->work, b->out), want);
  assert_status(limb_hybrid_dynamics_by_gravity(b->d, q, b->in.given, b->work, b->out), want);
}

START_TEST(inputs_are_checked)
{
  bed b;
  bed_make(&b);
  all_answer(&b, LIMB_OK);
  outside_answer(&b, b.q, LIMB_OK);
  const limb_hybrid good = b.in;
  b.in.q = NULL, all_answer(&b, LIMB_E_ARG), b.in = good;
  b.in.v = NULL, all_answer(&b, LIMB_E_ARG), b.in = good;
  b.in.x = NULL, all_answer(&b, LIMB_E_ARG), b.in = good;
  outside_answer(&b, NULL, LIMB_E_ARG);
  b.in.given = NULL, all_answer(&b, LIMB_OK), outside_answer(&b, b.q, LIMB_OK), b.in = good;
  for (int k = 0; k < NV; k++) {
    check_at("position %d", k);
    b.given[k] ^= (unsigned char)(k % 2 ? 2 : 254);
    all_answer(&b, LIMB_E_ARG), outside_answer(&b, b.q, LIMB_E_ARG);
    b.given[k] ^= (unsigned char)(k % 2 ? 2 : 254);
    double* const number[] = {&b.q[k], &b.v[k], &b.x[k]};
    for (int i = 0; i < 3; i++) {
      const double kept = *number[i];
      *number[i] = k % 2 ? nan("") : -HUGE_VAL;
      all_answer(&b, LIMB_E_NONFINITE);
      if (i == 0) outside_answer(&b, b.q, LIMB_E_NONFINITE);
      *number[i] = kept;
    }
  }
  limb_environment env = limb_default_environment(b.m);
  b.in.env = &env;
  env.gravity.y = nan(""), all_answer(&b, LIMB_E_NONFINITE);
  env = limb_default_environment(b.m), env.nwrench = 1, all_answer(&b, LIMB_E_ARG);
  bed_free(&b);
}
END_TEST

START_TEST(places_are_checked)
{
  bed b;
  bed_make(&b);
  const limb_hybrid* in = &b.in;
  const limb_directions along = {.count = 1, .dq = b.v};
  assert_status(limb_hybrid_dynamics(NULL, b.q, b.v, NULL, b.x, NULL, b.a, b.tau), LIMB_E_ARG);
  assert_status(limb_hybrid_dynamics(b.d, b.q, b.v, NULL, b.x, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_hybrid_dynamics_by_mass_matrix(NULL, in, b.work, b.a, b.tau), LIMB_E_ARG);
  assert_status(limb_hybrid_dynamics_by_mass_matrix(b.d, NULL, b.work, b.a, b.tau), LIMB_E_ARG);
  assert_status(limb_hybrid_dynamics_by_mass_matrix(b.d, in, NULL, b.a, b.tau), LIMB_E_ARG);
  assert_status(limb_hybrid_dynamics_by_mass_matrix(b.d, in, b.work, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_hybrid_dynamics_derivatives(NULL, in, &b.slopes), LIMB_E_ARG);
  assert_status(limb_hybrid_dynamics_derivatives(b.d, NULL, &b.slopes), LIMB_E_ARG);
  assert_status(limb_hybrid_dynamics_derivatives(b.d, in, NULL), LIMB_E_ARG);
  double** const matrix[] = {&b.slopes.dy_dq, &b.slopes.dy_dv, &b.slopes.dy_dx};
  for (int k = 0; k < 3; k++) {
    *matrix[k] = NULL;
    assert_status(limb_hybrid_dynamics_derivatives(b.d, in, &b.slopes), LIMB_E_ARG);
    *matrix[k] = b.A[k];
  }
  assert_status(limb_hybrid_dynamics_along(NULL, in, &along, b.out), LIMB_E_ARG);
  assert_status(limb_hybrid_dynamics_along(b.w, NULL, &along, b.out), LIMB_E_ARG);
  assert_status(limb_hybrid_dynamics_along(b.w, in, NULL, b.out), LIMB_E_ARG);
  assert_status(limb_hybrid_dynamics_along(b.w, in, &along, NULL), LIMB_E_ARG);
  const limb_directions less = {.count = -1};
  assert_status(limb_hybrid_dynamics_along(b.w, in, &less, b.out), LIMB_E_ARG);
#define BY_WRENCH limb_hybrid_dynamics_by_wrench
  assert_status(BY_WRENCH(NULL, b.q, NULL, 2, LIMB_BODY, b.work, b.out), LIMB_E_ARG);
  assert_status(BY_WRENCH(b.d, b.q, NULL, 2, LIMB_BODY, NULL, b.out), LIMB_E_ARG);
  assert_status(BY_WRENCH(b.d, b.q, NULL, 2, LIMB_BODY, b.work, NULL), LIMB_E_ARG);
  assert_status(BY_WRENCH(b.d, b.q, NULL, -1, LIMB_BODY, b.work, b.out), LIMB_E_ARG);
  assert_status(BY_WRENCH(b.d, b.q, NULL, limb_frame_count(b.m), LIMB_BODY, b.work, b.out), LIMB_E_ARG);
  assert_status(BY_WRENCH(b.d, b.q, NULL, 2, (limb_ref)3, b.work, b.out), LIMB_E_ARG);
  assert_status(limb_hybrid_dynamics_by_gravity(NULL, b.q, NULL, b.work, b.out), LIMB_E_ARG);
  assert_status(limb_hybrid_dynamics_by_gravity(b.d, b.q, NULL, NULL, b.out), LIMB_E_ARG);
  assert_status(limb_hybrid_dynamics_by_gravity(b.d, b.q, NULL, b.work, NULL), LIMB_E_ARG);
  bed_free(&b);
}
END_TEST

// Entries of da and dtau that the marks do not ask for are not looked at; rows that are missing are zero; y
// need not be wanted.
START_TEST(what_is_not_asked_for_does_not_matter)
{
  bed b;
  bed_make(&b);
  double da[NV], dtau[NV], none[NV] = {0}, want[NV];
  for (int k = 0; k < NV; k++) {
    da[k] = b.given[k] ? b.v[k] : nan("");
    dtau[k] = b.given[k] ? HUGE_VAL : b.v[k];
  }
  limb_directions along = {.count = 1, .da = da, .dtau = dtau}, same = {1, none, none, b.v, b.v};
  assert_ok(limb_hybrid_dynamics_along(b.w, &b.in, &along, b.out));
  assert_ok(limb_hybrid_dynamics_along(b.w, &b.in, &same, want));
  assert_close_array(b.out, want, NV, 0, 0);
  assert_ok(limb_hybrid_dynamics_derivatives(b.d, &b.in, &b.slopes));
  trial_times(b.A[2], b.v, NV, NV, b.tau); // dy/dx v
  assert_close_array(b.out, b.tau, NV, TOL_SOLVE, 0);
  along.dtau = NULL; // of the base
  assert_ok(limb_hybrid_dynamics_along(b.w, &b.in, &along, b.out));
  for (int k = 0; k < NV; k++) dtau[k] = 0;
  along.dtau = dtau;
  assert_ok(limb_hybrid_dynamics_along(b.w, &b.in, &along, want));
  assert_close_array(b.out, want, NV, 0, 0);
  da[NV - 1] = nan("");
  assert_status(limb_hybrid_dynamics_along(b.w, &b.in, &along, b.out), LIMB_E_NONFINITE);
  memcpy(want, b.A[0], sizeof want);
  b.slopes.y = NULL;
  assert_ok(limb_hybrid_dynamics_derivatives(b.d, &b.in, &b.slopes));
  assert_close_array(b.A[0], want, NV, 0, 0);
  along.count = 0;
  assert_ok(limb_hybrid_dynamics_along(b.w, &b.in, &along, b.out));
  bed_free(&b);
}
END_TEST

static sp_force push(void* context, const limb_frame_state* at)
{
  (void)at;
  return *(const sp_force*)context;
}

// A law that always gives the same is a wrench; derivatives do not take laws.
START_TEST(force_laws)
{
  bed b;
  bed_make(&b);
  sp_force F = {{1, 2, 3}, {4, 5, 6}};
  const limb_force_law law = {3, LIMB_ALIGNED, push, &F};
  const limb_wrench wrench = {3, LIMB_ALIGNED, F};
  limb_environment env = limb_default_environment(b.m), fixed = env;
  double a[NV], tau[NV];
  env.nlaw = 1, env.law = &law, fixed.nwrench = 1, fixed.wrench = &wrench;
  assert_ok(limb_hybrid_dynamics(b.d, b.q, b.v, b.given, b.x, &fixed, a, tau));
  assert_ok(limb_hybrid_dynamics(b.d, b.q, b.v, b.given, b.x, &env, b.a, b.tau));
  assert_close_array(b.a, a, NV, TOL_SOLVE, 0);
  assert_close_array(b.tau, tau, NV, TOL_SOLVE, 0);
  b.in.env = &env;
  const limb_directions along = {.count = 1, .dq = b.v};
  assert_status(limb_hybrid_dynamics_derivatives(b.d, &b.in, &b.slopes), LIMB_E_UNSUPPORTED);
  assert_status(limb_hybrid_dynamics_along(b.w, &b.in, &along, b.out), LIMB_E_UNSUPPORTED);
  bed_free(&b);
}
END_TEST

// Dynamics of another state leaves the user's kinematics alone.
START_TEST(kinematics_is_left_alone)
{
  bed b;
  bed_make(&b);
  sp_pose X, Y;
  sp_motion v, w;
  double other[NQ];
  uint64_t seed = 8;
  assert_ok(limb_random(b.m, &seed, other));
  assert_ok(limb_kinematics(b.d, other, b.x, NULL));
  assert_ok(limb_frame_pose(b.d, 5, &X));
  assert_ok(limb_frame_velocity(b.d, 5, LIMB_BODY, &v));
  all_answer(&b, LIMB_OK);
  outside_answer(&b, b.q, LIMB_OK);
  assert_ok(limb_frame_pose(b.d, 5, &Y));
  assert_ok(limb_frame_velocity(b.d, 5, LIMB_BODY, &w));
  assert_that(memcmp(&X, &Y, sizeof X) == 0 && memcmp(&v, &w, sizeof v) == 0);
  bed_free(&b);
}
END_TEST

// ---- robots that are hard to move -------------------------------------------------------------------

static const sp_inertia nothing = {0, {0, 0, 0}, 0, 0, 0, 0, 0, 0};
static const sp_inertia on_axis = {2, {0, 0, 0.3}, 0, 0, 0, 0, 0, 0};
static const sp_inertia rod = {2, {0.1, 0.2, 0.3}, 0.05, 0, 0, 0.05, 0, 0}; // along z
static const sp_inertia other_rod = {1.651, {0.44, -0.106, -0.412}, 0.03, 0, 0, 0.03, 0, 0};
static const sp_inertia ball = {1, {0, 0, 0}, 0.1, 0, 0, 0.1, 0, 0.1};

// An arm of 1 kg about y, then a joint with a tip at its end. Components of that joint, as bits, which cannot
// be force-given because nothing would answer: none of `idle`, and not all of `together`.
typedef struct tip {
  const char* what;
  limb_joint_type type;
  sp_vec3 axis;
  sp_inertia inertia;
  int nv;
  unsigned idle, together;
} tip;

static limb_model* make(const tip* t)
{
  limb_builder* b = fixture_begin("tip");
  const sp_inertia arm = limb_inertia_move(fixture_at(0.5, 0, 0), limb_inertia_box(1, 1, 0.1, 0.1));
  const int first = fixture_link(b, "first", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(0, 0, 0), sp_v3(0, 1, 0), arm);
  fixture_link(b, "second", t->type, first, fixture_at(1, 0, 0), t->axis, t->inertia);
  return fixture_end(b);
}

static limb_data* data_of(limb_model* m)
{
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  return d;
}

// Every call says the same of these marks.
static void all_say(limb_data* d, const double* q, const unsigned char* given, limb_status want)
{
  enum { MOST = 7 };
  double a[MOST], tau[MOST], work[MOST * MOST], A[3][MOST * MOST];
  const double v[MOST] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
  const limb_hybrid_derivatives out = {a, A[0], A[1], A[2]};
  const limb_directions along = {.count = 1, .dq = v};
  const limb_hybrid in = {q, v, given, v, NULL};
  limb_dual* w = NULL;
  assert_ok(limb_dual_create(limb_data_model(d), LIMB_DUAL_VECTORS, NULL, &w));
  assert_status(limb_hybrid_dynamics(d, q, v, given, v, NULL, a, tau), want);
  assert_status(limb_hybrid_dynamics_by_mass_matrix(d, &in, work, a, tau), want);
  assert_status(limb_hybrid_dynamics_derivatives(d, &in, &out), want);
  assert_status(limb_hybrid_dynamics_along(w, &in, &along, a), want);
  assert_status(limb_hybrid_dynamics_by_gravity(d, q, given, work, A[0]), want);
  limb_dual_destroy(w);
}

START_TEST(joints_that_move_nothing)
{
  const tip tips[] = {
    {"massless", LIMB_REVOLUTE, {1, 0, 0}, nothing, 1, 1, 0},
    {"massless, tilted", LIMB_REVOLUTE, {1, 2, 3}, nothing, 1, 1, 0},
    {"mass on its axis", LIMB_REVOLUTE, {0, 0, 1}, on_axis, 1, 1, 0},
    {"massless slide", LIMB_PRISMATIC, {0, 1, 1}, nothing, 1, 1, 0},
    {"massless screw", LIMB_HELICAL, {0, 1, 1}, nothing, 1, 1, 0},
    {"massless ball", LIMB_SPHERICAL, {0, 0, 1}, nothing, 3, 7, 0},
    {"point on a ball", LIMB_SPHERICAL, {0, 0, 1}, on_axis, 3, 4, 0},
    {"massless and free", LIMB_FREE, {0, 0, 1}, nothing, 6, 63, 0},
    {"a free rod", LIMB_FREE, {0, 0, 1}, rod, 6, 0, 28},
    {"another free rod", LIMB_FREE, {0, 0, 1}, other_rod, 6, 0, 28},
    {"a ball", LIMB_REVOLUTE, {1, 0, 0}, ball, 1, 0, 0},
    {"a ball on a ball joint", LIMB_SPHERICAL, {0, 0, 1}, ball, 3, 0, 0},
    {"a free ball", LIMB_FREE, {0, 0, 1}, ball, 6, 0, 0},
  };
  for (size_t i = 0; i < sizeof tips / sizeof *tips; i++) {
    const tip* t = &tips[i];
    limb_model* m = make(t);
    limb_data* d = data_of(m);
    double q[8];
    unsigned char given[7];
    assert_ok(limb_neutral(m, q));
    q[0] = 0.4;
    for (unsigned set = 0; set < 2u << t->nv; set++) {
      for (int k = 0; k <= t->nv; k++) given[k] = set >> k & 1;
      const unsigned forces = ~(set >> 1); // of the second joint
      const int stuck = forces & t->idle || (t->together && (forces & t->together) == t->together);
      check_at("%s, marks %x", t->what, set);
      all_say(d, q, given, stuck ? LIMB_E_SINGULAR : LIMB_OK);
    }
    limb_data_destroy(d);
    limb_model_destroy(m);
  }
}
END_TEST

// Two hinges on one axis with nothing between them: one of both may be given, and must. A point mass on the
// axis of its pan: the pan's own inertia is rounding, whether the tilt is given or not, and whether or not a
// joint that moves nothing follows it.
START_TEST(inertia_that_is_rounding)
{
  const sp_vec3 axes[4] = {{0, 0, 1}, {0.36, 0.48, 0.8}, {0, 0, 1}, {0, 0, 1}};
  const sp_inertia disc = limb_inertia_cylinder(3, 0.2, 0.01), point = {3000, {0.5, 0, 0}, 0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 4; i++) {
    const int pan = i >= 2;
    const double q[2] = {0.7, pan ? 1.57079632679489662 : -0.2};
    limb_builder* b = fixture_begin("pair");
    const int washer = fixture_link(b, "1", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(0, 0, 0), axes[i], nothing);
    fixture_link(b, "2", LIMB_REVOLUTE, washer, fixture_at(0, 0, 0), pan ? sp_v3(0, 1, 0) : axes[i],
                 pan ? point : disc);
    limb_joint_def follower = limb_default_joint_def("3", LIMB_REVOLUTE, LIMB_WORLD_BODY, 3);
    follower.mimic = 0;
    if (i == 3) fixture_body(b, "3", nothing), fixture_joint(b, &follower);
    limb_model* m = fixture_end(b);
    limb_data* d = data_of(m);
    for (unsigned set = 0; set < 4; set++) {
      const unsigned char given[2] = {set & 1, set >> 1 & 1};
      const int stuck = pan ? !given[0] : set == 0;
      check_at("pair %d, marks %u", i, set);
      all_say(d, q, given, stuck ? LIMB_E_SINGULAR : LIMB_OK);
    }
    limb_data_destroy(d);
    limb_model_destroy(m);
  }
}
END_TEST

// A robot that cannot move, and one whose matrices would be too large.
START_TEST(none_and_too_many)
{
  limb_builder* b = fixture_begin("post");
  fixture_link(b, "post", LIMB_FIXED, LIMB_WORLD_BODY, fixture_at(0, 0, 1), sp_v3(0, 0, 1), ball);
  limb_model* m = fixture_end(b);
  limb_data* d = NULL;
  limb_dual* w = NULL;
  double x = 0;
  unsigned char given = 7;
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_dual_create(m, LIMB_DUAL_VECTORS, NULL, &w));
  const limb_hybrid in = {&x, &x, &given, &x, NULL};
  const limb_hybrid_derivatives out = {&x, &x, &x, &x};
  const limb_directions along = {.count = 1};
  assert_ok(limb_given_for_passive(m, &given));
  assert_that(given == 7);
  assert_ok(limb_hybrid_dynamics(d, &x, &x, &given, &x, NULL, &x, &x));
  assert_ok(limb_hybrid_dynamics_by_mass_matrix(d, &in, &x, &x, &x));
  assert_ok(limb_hybrid_dynamics_derivatives(d, &in, &out));
  assert_ok(limb_hybrid_dynamics_along(w, &in, &along, &x));
  assert_ok(limb_hybrid_dynamics_by_wrench(d, &x, NULL, 1, LIMB_WORLD, &x, &x));
  assert_ok(limb_hybrid_dynamics_by_gravity(d, &x, NULL, &x, &x));
  limb_dual_destroy(w);
  limb_data_destroy(d);
  limb_model_destroy(m);

  m = robot_chain(LIMB_DERIVATIVES_MAX + 1);
  assert_ok(limb_data_create(m, NULL, &d));
  double* zeros = calloc(LIMB_DERIVATIVES_MAX + 1, sizeof *zeros);
  assert_that(zeros);
  const limb_hybrid many = {zeros, zeros, NULL, zeros, NULL};
  assert_status(limb_hybrid_dynamics_derivatives(d, &many, &out), LIMB_E_UNSUPPORTED);
  free(zeros);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// Finite input, answers that are not.
START_TEST(answers_beyond_the_numbers)
{
  bed b;
  bed_make(&b);
  for (int k = 0; k < NV; k++) b.v[k] = 1e200;
  all_answer(&b, LIMB_E_NONFINITE);
  bed_free(&b);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const robots[] = {marks_follow_the_model, base_follows_the_model, NULL};
  const TTest* const edges[] = {marks_are_checked,
                                inputs_are_checked,
                                places_are_checked,
                                what_is_not_asked_for_does_not_matter,
                                force_laws,
                                kinematics_is_left_alone,
                                joints_that_move_nothing,
                                inertia_that_is_rounding,
                                none_and_too_many,
                                answers_beyond_the_numbers,
                                NULL};
  const int failed = check_run("dynamics/hybrid: marks", trial_robots(), robots);
  return check_run("dynamics/hybrid: edges", 1, edges) | failed;
}
