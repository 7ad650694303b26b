// Memory: cold calls survive an allocator that fails at every place in turn, no leak; hot calls
// take no memory at all, whichever way, leave errno alone and do not look at the locale.
#include "robust/hot_calls.h"
#include "robust/purse.h"
#include "support/watch.h"

#include <errno.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- cold calls --------------------------------------------------------------------------------

// Two closures with long names.
static limb_status describe_loops(limb_builder* b)
{
  limb_loop_def pin = limb_default_loop_def("a pin with quite a long name", LIMB_LOOP_PIN, 4, 9);
  limb_loop_def gear = limb_default_loop_def("a gear with quite a long name", LIMB_LOOP_GEAR, -1, -1);
  gear.joint = 7, gear.other = 4, gear.coefficient[1] = 3;
  const limb_status s = limb_builder_add_loop(b, &pin, NULL, NULL);
  return s ? s : limb_builder_add_loop(b, &gear, NULL, NULL);
}

// A small robot with everything: fixed, compound and mimic joints, a frame, loops, long names.
static limb_status describe(limb_builder* b)
{
  static const limb_joint_type type[] = {LIMB_FREE,      LIMB_REVOLUTE, LIMB_FIXED,    LIMB_UNIVERSAL,  LIMB_PRISMATIC,
                                         LIMB_SPHERICAL, LIMB_PLANAR,   LIMB_REVOLUTE, LIMB_CYLINDRICAL};
  const int count = (int)(sizeof type / sizeof type[0]);
  limb_error err;
  limb_status s = limb_builder_set_name(b, "purse");
  for (int i = 0; i < count && !s; i++) {
    char name[64];
    snprintf(name, sizeof name, "a body or joint with quite a long name, number %d", i);
    limb_body_def body = limb_default_body_def(name);
    body.inertia = limb_inertia_box(1 + i, 0.1, 0.2, 0.3);
    s = limb_builder_add_body(b, &body, NULL, &err);
    limb_joint_def joint = limb_default_joint_def(name, type[i], i / 2, i + 1);
    joint.placement.p = sp_v3(0.1, 0.2, 0.3);
    if (type[i] == LIMB_UNIVERSAL) joint.axis2 = sp_v3(1, 0, 0);
    if (i == 7) joint.mimic = 1, joint.multiplier = -0.5;
    if (!s) s = limb_builder_add_joint(b, &joint, NULL, &err);
  }
  const sp_pose here = sp_pose_identity();
  if (!s) s = limb_builder_add_frame(b, "a frame", 3, &here, NULL, &err);
  return s ? s : describe_loops(b);
}

// The whole cold life of a model. Stops at the first failure and returns its status.
static limb_status cold_life(const limb_allocator* alloc)
{
  limb_builder *b = NULL, *again = NULL;
  limb_model* m = NULL;
  limb_data* d = NULL;
  limb_dual* w = NULL;
  limb_series* series = NULL;
  limb_base_parameters* base = NULL;
  limb_error err = {0};
  limb_status s = limb_builder_create(alloc, &b);
  if (!s) s = describe(b);
  if (!s) s = limb_builder_build(b, &m, &err);
  if (!s) s = limb_builder_from_model(m, alloc, &again);
  if (!s) s = limb_data_create(m, alloc, &d);
  if (!s) s = limb_dual_create(limb_spanning_tree(m), LIMB_DUAL_MATRICES, alloc, &w);
  if (!s) s = limb_series_create(limb_spanning_tree(m), alloc, &series);
  if (!s) s = limb_base_create(m, NULL, 0, alloc, &base);
  assert_that(s == LIMB_OK || !base);
  if (s && b && !m && err.status) assert_that(err.text[0] != 0);
  limb_base_destroy(base);
  limb_series_destroy(series);
  limb_dual_destroy(w);
  limb_data_destroy(d);
  limb_builder_destroy(again);
  limb_builder_destroy(b); // before the model: models live on
  if (m) assert_that(limb_nv(m) > 0 && limb_find_frame(m, "a frame") > 0);
  if (m) assert_that(limb_find_loop(m, "a gear with quite a long name") == 1);
  limb_model_destroy(m);
  return s;
}

START_TEST(every_allocation_may_fail)
{
  purse p = {.budget = -1};
  const limb_allocator alloc = {purse_alloc, purse_free, &p};
  assert_ok(cold_life(&alloc));
  assert_that(p.alive == 0 && p.bytes == 0 && !p.misused);
  const long needed = p.granted;
  assert_that(needed > 4);
  for (long n = 0; n < needed; n++) {
    check_at("allocation %ld of %ld fails", n + 1, needed);
    p = (purse){.budget = n};
    assert_status(cold_life(&alloc), LIMB_E_NOMEM);
    assert_that(p.alive == 0 && p.bytes == 0 && !p.misused);
  }
}
END_TEST

// A builder that ran out of memory in the middle is as it was: the same call succeeds later.
START_TEST(a_failed_call_can_be_repeated)
{
  purse p = {.budget = -1};
  const limb_allocator alloc = {purse_alloc, purse_free, &p};
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(&alloc, &b));
  for (int i = 0; i < 40; i++) {
    char name[16];
    snprintf(name, sizeof name, "%d", i);
    const limb_body_def body = limb_default_body_def(name);
    const limb_joint_def joint = limb_default_joint_def(name, LIMB_REVOLUTE, i, i + 1);
    limb_status s;
    long n = 0;
    do {
      p.budget = n++;
      s = limb_builder_add_body(b, &body, NULL, NULL);
      assert_that(limb_builder_body_count(b) == i + 1 + (s == LIMB_OK));
    } while (s == LIMB_E_NOMEM);
    assert_ok(s);
    n = 0;
    do {
      p.budget = n++;
      s = limb_builder_add_joint(b, &joint, NULL, NULL);
      assert_that(limb_builder_joint_count(b) == i + (s == LIMB_OK));
    } while (s == LIMB_E_NOMEM);
    assert_ok(s);
    const limb_loop_def loop = limb_default_loop_def(name, LIMB_LOOP_BALL, i, i + 1);
    n = 0;
    do {
      p.budget = n++;
      s = limb_builder_add_loop(b, &loop, NULL, NULL);
      assert_that(limb_builder_loop_count(b) == i + (s == LIMB_OK));
      assert_that(limb_builder_find_loop(b, name) == (s ? -1 : i));
    } while (s == LIMB_E_NOMEM);
    assert_ok(s);
  }
  p.budget = -1;
  limb_model* m = NULL;
  assert_ok(limb_builder_build(b, &m, NULL));
  assert_that(limb_nv(m) == 40 && limb_constraint_count(m) == 120);
  limb_model_destroy(m);
  limb_builder_destroy(b);
  assert_that(p.alive == 0 && p.bytes == 0 && !p.misused);
}
END_TEST

// ---- hot calls ----------------------------------------------------------------------------------

// All arrays a robot of this size needs, taken before anybody watches.
typedef struct room {
  double *q, *v, *a, *tau, *x, *M, *work;
  sp_motion* J;
  sp_force* f;
  sp_vec3* c;
} room;

static room room_make(const limb_model* m)
{
  const size_t nq = (size_t)limb_nq(m), nv = (size_t)limb_nv(m);
  const size_t nf = nv + (size_t)limb_joint_count(m);
  room r = {calloc(nq, 8),           calloc(nv, 8),          calloc(nv, 8),      calloc(nv, 8),
            calloc(nv, 8),           calloc(nv * nv, 8),     calloc(nv * nv, 8), calloc(nv, sizeof *r.J),
            calloc(nf, sizeof *r.f), calloc(nv, sizeof *r.c)};
  uint64_t seed = 3;
  assert_ok(limb_random(m, &seed, r.q));
  for (size_t k = 0; k < nv; k++) r.v[k] = 0.3 * (double)(k % 5) - 0.5, r.a[k] = 1 - r.v[k];
  return r;
}

static void room_free(room* r)
{
  void* const all[] = {r->q, r->v, r->a, r->tau, r->x, r->M, r->work, r->J, r->f, r->c};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
}

// The number of the first call that fails; 0 when none does. No test macro in here: those allocate.
static int hot_dynamics(limb_data* d, room* r, const limb_environment* env, int mimic)
{
  limb_energy e;
  limb_power p;
  if (limb_inverse_dynamics(d, r->q, r->v, r->a, env, r->tau)) return 1;
  if (limb_bias_forces(d, r->q, r->v, env, r->x)) return 2;
  if (limb_gravity_forces(d, r->q, env, r->x)) return 3;
  if (limb_friction_forces(d, r->v, env, r->x)) return 4;
  if (limb_spring_forces(d, r->q, r->x)) return 5;
  if (limb_mass_matrix(d, r->q, r->M)) return 6;
  if (limb_coriolis_matrix(d, r->q, r->v, r->M)) return 15;
  if (limb_forward_dynamics(d, r->q, r->v, r->tau, env, r->x)) return 7;
  const limb_status aba = limb_forward_dynamics_aba(d, r->q, r->v, r->tau, env, r->x);
  if (aba != (mimic ? LIMB_E_UNSUPPORTED : LIMB_OK)) return 8;
  if (limb_forward_dynamics_by_mass_matrix(d, r->q, r->v, r->tau, env, r->work, r->x)) return 9;
  if (limb_mass_matrix_inverse(d, r->q, r->M)) return 10;
  if (limb_mass_matrix_solve(d, r->q, 1, r->tau, r->x)) return 11;
  if (limb_energies(d, r->q, r->v, env, &e)) return 12;
  if (limb_power_balance(d, r->q, r->v, r->a, env, &p)) return 13;
  if (limb_joint_reactions(d, r->q, r->v, r->a, env, LIMB_ALIGNED, r->f)) return 14;
  return 0;
}

static int hot_kinematics(limb_data* d, room* r)
{
  const limb_model* m = limb_data_model(d);
  const int frame = limb_frame_count(m) - 1;
  sp_pose X;
  sp_motion v;
  sp_force h;
  uint64_t seed = 1;
  if (limb_kinematics(d, r->q, r->v, r->a)) return 21;
  if (limb_frame_pose(d, frame, &X)) return 22;
  if (limb_frame_velocity(d, frame, LIMB_WORLD, &v)) return 23;
  if (limb_frame_acceleration(d, frame, LIMB_BODY, &v)) return 24;
  if (limb_frame_classical_acceleration(d, frame, LIMB_ALIGNED, &v)) return 25;
  if (limb_frame_jacobian(d, frame, LIMB_ALIGNED, r->J)) return 26;
  if (limb_frame_jacobian_rate(d, frame, LIMB_BODY, r->J)) return 27;
  if (limb_frame_jacobian_rate_times_v(d, frame, LIMB_WORLD, &v)) return 28;
  if (limb_center_of_mass(d, r->c, r->c, r->c)) return 29;
  if (limb_center_of_mass_jacobian(d, r->c)) return 30;
  if (limb_momentum(d, 1, &h)) return 31;
  if (limb_momentum_rate(d, 1, &h)) return 32;
  if (limb_momentum_matrix(d, 1, r->f)) return 33;
  if (limb_integrate(m, r->q, r->v, 1e-3, r->q)) return 34;
  if (limb_difference(m, r->q, r->q, r->x)) return 35;
  if (limb_normalize(m, r->q)) return 36;
  if (limb_random(m, &seed, r->q)) return 37;
  if (limb_neutral(m, r->q)) return 38;
  return 0;
}

static void no_memory_for(const robot* which)
{
  check_at("robot %s", which->name);
  limb_model* m = which->make();
  room r = room_make(m);
  const limb_wrench w = {limb_frame_count(m) - 1, LIMB_WORLD, {{1, 0, 2}, {3, 4, 5}}};
  limb_environment env = limb_default_environment(m);
  env.nwrench = 1, env.wrench = &w;
  const size_t size = limb_data_size(m);
  void* block = aligned_alloc(LIMB_DATA_ALIGN, (size + 63) / 64 * 64);
  limb_data* d = NULL;
  errno = EXDEV;
  calls = 0, watching = 1;
  const limb_status init = limb_data_init(m, block, size, &d);
  const int failed_dynamics = init ? -1 : hot_dynamics(d, &r, &env, !!(which->flags & ROBOT_MIMIC));
  const int failed_kinematics = init ? -1 : hot_kinematics(d, &r);
  watching = 0;
  const int error = errno;
  assert_ok(init);
  check_at("robot %s, calls that failed: %d, %d", which->name, failed_dynamics, failed_kinematics);
  assert_that(failed_dynamics == 0 && failed_kinematics == 0);
  assert_that(error == EXDEV);
  assert_that(calls == 0);
  room_free(&r);
  limb_model_destroy(m);
  free(block);
}

START_TEST(hot_calls_take_no_memory_and_leave_errno)
{
  int count;
  const robot* table = robot_table(&count);
  for (int i = 0; i < count; i++) no_memory_for(&table[i]);
}
END_TEST

// All calls of the table, whatever robot: no memory, and a status that such a robot may give.
static void table_takes_no_memory(const robot* which)
{
  limb_model* m = which->make();
  const size_t nv = (size_t)limb_nv(m);
  if (nv > NV) { // tensors grow fast
    limb_model_destroy(m);
    return;
  }
  room r = room_make(m);
  const size_t size = hot_room(m);
  inputs in = {.q = r.q, .v = r.v, .third = r.a, .block = (ptrdiff_t)(nv * (nv * nv + 12))};
  limb_base_parameters* base = NULL;
  in.frame = limb_frame_count(m) - 1;
  in.out = calloc(size, sizeof(double)), in.work = calloc(size, sizeof(double));
  assert_ok(limb_data_create(m, NULL, &in.d));
  assert_ok(limb_dual_create(m, LIMB_DUAL_MATRICES, NULL, &in.w));
  assert_ok(limb_series_create(m, NULL, &in.series));
  assert_ok(limb_base_create(m, NULL, LIMB_BASE_STRUCTURE_ONLY, NULL, &base));
  in.base = base;
  for (int i = 0; i < HOT; i++) {
    errno = EXDEV;
    calls = 0, watching = 1;
    const limb_status s = hot[i].call(&in);
    watching = 0;
    const int error = errno;
    check_at("robot %s, %s: %s", which->name, hot[i].name, limb_status_text(s));
    assert_that(s == LIMB_OK || s == LIMB_E_SINGULAR || s == LIMB_E_UNSUPPORTED || s == LIMB_E_NOCONV);
    assert_that(calls == 0 && error == EXDEV);
  }
  limb_base_destroy(base);
  limb_series_destroy(in.series);
  limb_dual_destroy(in.w);
  limb_data_destroy(in.d);
  free(in.out);
  free(in.work);
  room_free(&r);
  limb_model_destroy(m);
}

START_TEST(derivatives_take_no_memory_and_leave_errno)
{
  int count;
  const robot* table = robot_table(&count);
  for (int i = 0; i < count; i++) table_takes_no_memory(&table[i]);
}
END_TEST

START_TEST(the_watch_works)
{
  if (!CAN_WATCH) return;
  calls = 0, watching = 1;
  char* volatile p = malloc(10);
  free(p);
  watching = 0;
  assert_that(calls == 2);
}
END_TEST

// A locale with a decimal comma, if there is one, changes neither answers nor texts.
START_TEST(the_locale_does_not_matter)
{
  limb_model* m = robot_tree5();
  room r = room_make(m);
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  double want[5];
  assert_ok(limb_inverse_dynamics(d, r.q, r.v, r.a, NULL, want));
  static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
  const char* set = NULL;
  for (int i = 0; i < 4 && !set; i++) set = setlocale(LC_ALL, names[i]);
  if (!set) printf("no locale with a decimal comma here\n");
  assert_ok(limb_inverse_dynamics(d, r.q, r.v, r.a, NULL, r.x));
  assert_that(memcmp(r.x, want, sizeof want) == 0);
  setlocale(LC_ALL, "C");
  limb_data_destroy(d);
  room_free(&r);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("robust/memory", 1, every_allocation_may_fail, a_failed_call_can_be_repeated, the_watch_works,
           hot_calls_take_no_memory_and_leave_errno, derivatives_take_no_memory_and_leave_errno,
           the_locale_does_not_matter)
