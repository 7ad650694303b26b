// States that fail in a batch: they alone, with the status of the call for one state, wherever they stand;
// and calls that are refused.
#include "support/batch.h"

#include "support/robots_impl.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { N = 19 }; // states: more than a block of any length

static const char* const names[] = {"panda", "two_roots", "quadruped", "tree_12_mimic"};
enum { ROBOTS = sizeof names / sizeof names[0] };

// ---- states ----------------------------------------------------------------------------------------------

typedef enum poison {
  NAN_Q,
  INFINITE_Q,
  NAN_V,
  INFINITE_X,
  HUGE_Q,
  HUGE_V,
  HUGE_X,
  LONG_QUATERNION,
  ZERO_QUATERNION,
  POISONS
} poison;

// The first quaternion of a configuration; -1: the robot has none.
static int quaternion_at(const limb_model* m)
{
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info x;
    assert_ok(limb_get_joint(m, j, &x));
    if (x.nq == 4) return x.q;
    if (x.nq == 7) return x.q + 3;
  }
  return -1;
}

// One state among others, and what is done to it.
typedef struct victim {
  poison how;
  size_t state;
  double large; // a number that squares to infinity
} victim;

// Spoils a state. False: there is nothing to spoil.
static bool spoil(batch_states* s, victim x)
{
  double *q = s->q + x.state * s->nq, *v = s->v + x.state * s->nv, *a = s->a + x.state * s->nv,
         *tau = s->tau + x.state * s->nv;
  const size_t kq = (x.state + 2) % s->nq, kv = (x.state + 1) % s->nv;
  const int at = quaternion_at(s->m);
  switch (x.how) {
  case NAN_Q: q[kq] = nan(""); break;
  case INFINITE_Q: q[kq] = -HUGE_VAL; break;
  case NAN_V: v[kv] = nan(""); break;
  case INFINITE_X: a[kv] = tau[kv] = HUGE_VAL; break;
  case HUGE_Q: q[kq] = x.large; break;
  case HUGE_V: v[kv] = -x.large; break;
  case HUGE_X: a[kv] = tau[kv] = x.large; break;
  default:
    for (int i = 0; i < 4 && at >= 0; i++) q[at + i] *= x.how == ZERO_QUATERNION ? 0 : 1.002;
    return at >= 0;
  }
  return true;
}

// Floats of a state again, after it was changed or put right.
static void round_state(batch_states* s, size_t i)
{
  for (size_t k = 0; k < s->nq; k++) s->qf[i * s->nq + k] = (float)s->q[i * s->nq + k];
  for (size_t k = i * s->nv; k < (i + 1) * s->nv; k++)
    s->vf[k] = (float)s->v[k], s->af[k] = (float)s->a[k], s->tauf[k] = (float)s->tau[k];
}

// A robot, its states, and answers when all is well.
typedef struct ward {
  batch_states s;
  limb_batch* b;
  limb_data* d;
  batch_ask ask;
  void* well[BATCH_OUTS];
  size_t scalar;
} ward;

static size_t width_of(const ward* w, int k) { return batch_width(w->s.m, w->ask.what, w->ask.nframe, k); }

static void ward_make(ward* w, limb_model* m, batch_what what, bool f32)
{
  *w = (ward){.s = batch_states_make(m, N, 5), .b = batch_make(m, NULL)};
  assert_ok(limb_data_create(m, NULL, &w->d));
  w->scalar = f32 ? sizeof(float) : sizeof(double);
  w->ask = batch_ask_for(&w->s, what, f32);
  w->ask.b = w->b;
  for (int k = 0; k < BATCH_OUTS; k++) {
    if (width_of(w, k) == 0) continue;
    w->ask.out[k] = calloc(N * width_of(w, k), w->scalar);
    w->well[k] = calloc(N * width_of(w, k), w->scalar);
  }
  assert_ok(batch_answer(&w->ask));
  for (int k = 0; k < BATCH_OUTS && w->well[k]; k++) memcpy(w->well[k], w->ask.out[k], N * width_of(w, k) * w->scalar);
}

static void ward_end(ward* w)
{
  for (int k = 0; k < BATCH_OUTS; k++) free(w->ask.out[k]), free(w->well[k]);
  limb_data_destroy(w->d);
  limb_batch_destroy(w->b);
  batch_states_free(&w->s);
}

static bool is_nan_at(const ward* w, int k, size_t i)
{
  return w->ask.f32 ? isnan(((float*)w->ask.out[k])[i]) : isnan(((double*)w->ask.out[k])[i]);
}

static bool is_finite_at(const ward* w, int k, size_t i)
{
  return w->ask.f32 ? isfinite(((float*)w->ask.out[k])[i]) : isfinite(((double*)w->ask.out[k])[i]);
}

// State i has that status; NaN and others are as they should be.
static void check_ward(const ward* w, size_t i, limb_status want, const limb_status* status)
{
  for (size_t k = 0; k < N; k++) assert_status(status[k], k == i ? want : LIMB_OK);
  for (int k = 0; k < BATCH_OUTS && w->well[k]; k++) {
    const size_t width = width_of(w, k), before = i * width * w->scalar, behind = before + width * w->scalar;
    const char *got = w->ask.out[k], *well = w->well[k];
    assert_same_bytes(got, well, before);
    assert_same_bytes(got + behind, well + behind, N * width * w->scalar - behind);
    for (size_t x = i * width; x < (i + 1) * width; x++)
      assert_that(want == LIMB_OK ? is_finite_at(w, k, x) : is_nan_at(w, k, x));
  }
}

// What the call for one state says of state i.
static limb_status verdict(ward* w, size_t i)
{
  batch_ask ask = batch_ask_for(&w->s, w->ask.what, false);
  double* room[BATCH_OUTS] = {NULL};
  for (int k = 0; k < BATCH_OUTS; k++) room[k] = calloc(width_of(w, k) + 1, sizeof **room);
  batch_ask one = batch_ask_one(&w->s, &ask, i);
  for (int k = 0; k < BATCH_OUTS; k++) one.out[k] = room[k];
  const limb_status s = batch_answer_one(w->d, &one, NULL);
  for (int k = 0; k < BATCH_OUTS; k++) free(room[k]);
  return s;
}

static bool is_overflow(limb_status s) { return s == LIMB_E_NONFINITE || s == LIMB_E_SINGULAR; }

// Over float numbers end earlier: what is too large there need only be consistent. Over double, compilers order
// operations differently, a mass matrix that overflows is reported as not finite or as singular, and what overflows on
// the way of one call only, as the speed of a rotor without mass does, is finite in the other.
static void one_victim(ward* w, victim x)
{
  batch_states* s = &w->s;
  const size_t i = x.state;
  double* saved = calloc(s->nq + 3 * s->nv, sizeof *saved);
  memcpy(saved, s->q + i * s->nq, s->nq * sizeof *saved);
  memcpy(saved + s->nq, s->v + i * s->nv, s->nv * sizeof *saved);
  memcpy(saved + s->nq + s->nv, s->a + i * s->nv, s->nv * sizeof *saved);
  memcpy(saved + s->nq + 2 * s->nv, s->tau + i * s->nv, s->nv * sizeof *saved);
  if (spoil(s, x)) {
    limb_status status[N];
    for (size_t k = 0; k < N; k++) status[k] = LIMB_E_ORDER;
    round_state(s, i);
    w->ask.status = status;
    const limb_status got = batch_answer(&w->ask);
    const bool large = x.how == HUGE_Q || x.how == HUGE_V || x.how == HUGE_X;
    check_at("%s%s, poison %d in state %zu of %d", batch_name(w->ask.what), w->ask.f32 ? " over float" : "", (int)x.how,
             i, (int)N);
    const limb_status one = verdict(w, i);
    const bool either = w->ask.f32 || (is_overflow(one) && (is_overflow(got) || got == LIMB_OK));
    if (!(large && either)) assert_status(got, one);
    check_ward(w, i, got, status);
  }
  memcpy(s->q + i * s->nq, saved, s->nq * sizeof *saved);
  memcpy(s->v + i * s->nv, saved + s->nq, s->nv * sizeof *saved);
  memcpy(s->a + i * s->nv, saved + s->nq + s->nv, s->nv * sizeof *saved);
  memcpy(s->tau + i * s->nv, saved + s->nq + 2 * s->nv, s->nv * sizeof *saved);
  round_state(s, i);
  free(saved);
}

START_TEST(a_state_that_fails_fails_alone)
{
  const int step = CHECK_SANITIZED ? 6 : 1;
  for (batch_what what = 0; what < BATCH_WHATS; what++) {
    for (int f32 = 0; f32 < 2; f32++) {
      ward w;
      ward_make(&w, robot_find(names[_i])->make(), what, f32);
      for (poison how = 0; how < POISONS; how++) {
        for (size_t i = 0; i < N; i += (size_t)step) one_victim(&w, (victim){how, i, f32 ? 1e30 : 1e300});
      }
      ward_end(&w);
    }
  }
}
END_TEST

// ---- singular --------------------------------------------------------------------------------------------

// A point mass on two hinges: stretched, it cannot move along the arm.
static limb_model* stretchable(void)
{
  static const double none[6] = {0};
  limb_builder* b = fixture_begin("stretchable");
  const sp_vec3 axis = sp_v3(0, 0, 1), tip = sp_v3(1, 0, 0);
  const int upper =
    fixture_link(b, "upper", LIMB_REVOLUTE, 0, fixture_at(0, 0, 0), axis, fixture_inertia(0, sp_v3(0, 0, 0), none));
  fixture_link(b, "lower", LIMB_REVOLUTE, upper, fixture_at(1, 0, 0), axis, fixture_inertia(1, tip, none));
  return fixture_end(b);
}

START_TEST(singular_states)
{
  static const batch_what whats[] = {BATCH_FORWARD, BATCH_MASS_INVERSE, BATCH_FD_SLOPES};
  for (int k = 0; k < 6 && _i == 0; k++) {
    ward w;
    ward_make(&w, stretchable(), whats[k / 2], k % 2);
    for (size_t i = 0; i < N; i++) {
      limb_status status[N];
      double* bend = &w.s.q[2 * i + 1];
      const double saved = *bend;
      *bend = 0;
      round_state(&w.s, i);
      w.ask.status = status;
      check_at("%s, state %zu%s", batch_name(w.ask.what), i, k % 2 ? ", float" : "");
      assert_status(verdict(&w, i), LIMB_E_SINGULAR);
      assert_status(batch_answer(&w.ask), LIMB_E_SINGULAR);
      check_ward(&w, i, LIMB_E_SINGULAR, status);
      *bend = saved;
      round_state(&w.s, i);
    }
    ward_end(&w);
  }
}
END_TEST

// Several states fail, each in its own way: the first one is told.
START_TEST(the_first_failure_is_told)
{
  ward w;
  ward_make(&w, robot_find(names[_i])->make(), BATCH_INVERSE, false);
  limb_status status[N];
  assert_that(spoil(&w.s, (victim){NAN_V, 17, 0}));
  assert_status(batch_answer(&w.ask), LIMB_E_NONFINITE);
  if (spoil(&w.s, (victim){ZERO_QUATERNION, 11, 0})) {
    w.ask.status = status;
    assert_status(batch_answer(&w.ask), LIMB_E_ARG);
    for (size_t i = 0; i < N; i++)
      assert_status(status[i], i == 11 ? LIMB_E_ARG : i == 17 ? LIMB_E_NONFINITE : LIMB_OK);
    assert_that(spoil(&w.s, (victim){INFINITE_X, 11, 0})); // a number that is none comes first
    assert_status(batch_answer(&w.ask), verdict(&w, 11));
    assert_status(status[11], LIMB_E_NONFINITE);
  }
  ward_end(&w);
}
END_TEST

// ---- wrenches --------------------------------------------------------------------------------------------

START_TEST(a_wrench_that_is_none)
{
  static const batch_what whats[] = {BATCH_INVERSE, BATCH_FORWARD, BATCH_ID_SLOPES, BATCH_FD_SLOPES};
  for (int k = 0; k < 8; k++) {
    ward w;
    ward_make(&w, robot_find(names[_i])->make(), whats[k / 2], k % 2);
    limb_batch_environment env = limb_default_batch_environment();
    limb_status status[N];
    env.nwrench = BATCH_VARIED, env.wrench = w.s.varied;
    w.ask.env = &env, w.ask.status = status;
    assert_ok(batch_answer(&w.ask));
    for (int o = 0; o < BATCH_OUTS && w.well[o]; o++) memcpy(w.well[o], w.ask.out[o], N * width_of(&w, o) * w.scalar);
    const size_t bad = 2 * N * 6 + 7 * 6 + 5; // of the last wrench, state 7
    w.s.wrench[bad] = nan(""), w.s.wrenchf[bad] = HUGE_VALF;
    assert_status(batch_answer(&w.ask), LIMB_E_NONFINITE);
    check_ward(&w, 7, LIMB_E_NONFINITE, status);
    ward_end(&w);
  }
}
END_TEST

// A call that is refused touches nothing.
static void refused(const ward* w, const batch_ask* ask, limb_status want)
{
  limb_status status[N];
  batch_ask a = *ask;
  for (size_t i = 0; i < N; i++) status[i] = LIMB_E_ORDER;
  a.status = status;
  assert_status(batch_answer(&a), want);
  for (size_t i = 0; i < N; i++) assert_status(status[i], LIMB_E_ORDER);
  for (int k = 0; k < BATCH_OUTS && w->well[k]; k++)
    assert_same_bytes(w->ask.out[k], w->well[k], N * width_of(w, k) * w->scalar);
}

static sp_force no_force(void* context, const limb_frame_state* at)
{
  (void)context, (void)at;
  return (sp_force){{0, 0, 0}, {0, 0, 0}};
}

static void bad_wrenches(const ward* w)
{
  batch_ask ask = w->ask;
  limb_batch_environment env = limb_default_batch_environment();
  limb_batch_wrench x[9];
  for (int k = 0; k < 9; k++) x[k] = w->s.varied[0];
  ask.env = &env;
  env.nwrench = 9, env.wrench = x;
  refused(w, &ask, LIMB_E_ARG);
  env.nwrench = -1;
  refused(w, &ask, LIMB_E_ARG);
  env.nwrench = 1, env.wrench = NULL;
  refused(w, &ask, LIMB_E_ARG);
  env.nwrench = 8, env.wrench = x;
  x[7].frame = limb_frame_count(w->s.m);
  refused(w, &ask, LIMB_E_ARG);
  x[7].frame = -1;
  refused(w, &ask, LIMB_E_ARG);
  x[7].frame = 0, x[7].ref = (limb_ref)3;
  refused(w, &ask, LIMB_E_ARG);
  x[7].ref = LIMB_BODY;
  if (ask.f32)
    x[7].f32 = NULL;
  else
    x[7].f64 = NULL;
  refused(w, &ask, LIMB_E_ARG);
  x[7] = w->s.varied[0], env.size = 0;
  refused(w, &ask, LIMB_E_ARG);
  env.size = sizeof env - 1;
  refused(w, &ask, LIMB_E_ARG);
}

static void bad_surroundings(const ward* w)
{
  const limb_environment standard = limb_default_environment(w->s.m);
  limb_environment all = standard;
  limb_batch_environment env = limb_default_batch_environment();
  limb_force_law law = {0, LIMB_WORLD, no_force, NULL};
  limb_wrench wrench = w->s.fixed[0];
  batch_ask ask = w->ask;
  ask.env = &env, env.all = &all;
  all.size = 0;
  refused(w, &ask, LIMB_E_ARG);
  all = standard, all.gravity.y = nan("");
  refused(w, &ask, LIMB_E_ARG);
  all = standard, all.coulomb_width = -1;
  refused(w, &ask, LIMB_E_ARG);
  all = standard, all.nwrench = 1, all.wrench = NULL;
  refused(w, &ask, LIMB_E_ARG);
  all.wrench = &wrench, wrench.frame = -1;
  refused(w, &ask, LIMB_E_ARG);
  wrench.frame = 0, wrench.wrench.f.z = HUGE_VAL;
  refused(w, &ask, LIMB_E_ARG);
  if (ask.what == BATCH_GRAVITY) return; // laws do not enter there
  all = standard, all.nlaw = 1, all.law = &law;
  refused(w, &ask, LIMB_E_UNSUPPORTED);
}

static bool has_surroundings(batch_what what)
{
  return (batch_moves(what) && what != BATCH_CORIOLIS) || what == BATCH_GRAVITY;
}

static void bad_frames(const ward* w)
{
  const int frames = limb_frame_count(w->s.m), below[] = {0, -1}, above[] = {0, frames};
  batch_ask ask = w->ask;
  ask.nframe = -1;
  if (ask.what == BATCH_POSES) refused(w, &ask, LIMB_E_ARG);
  ask.nframe = 2, ask.frame = NULL;
  if (ask.what == BATCH_POSES) refused(w, &ask, LIMB_E_ARG);
  const int jacobian = ask.what == BATCH_JACOBIAN;
  ask.frame = below + jacobian;
  refused(w, &ask, LIMB_E_ARG);
  ask.frame = above + jacobian;
  refused(w, &ask, LIMB_E_ARG);
  ask.frame = w->s.frame, ask.ref = (limb_ref)3;
  if (jacobian) refused(w, &ask, LIMB_E_ARG);
}

static void bad_arrays(const ward* w)
{
  const batch_what what = w->ask.what;
  batch_ask ask = w->ask;
  ask.b = NULL;
  refused(w, &ask, LIMB_E_ARG);
  ask = w->ask, ask.q = NULL;
  refused(w, &ask, LIMB_E_ARG);
  ask = w->ask, ask.v = NULL;
  if (batch_moves(what)) refused(w, &ask, LIMB_E_ARG);
  ask = w->ask, ask.x = NULL;
  if (batch_has_x(what)) refused(w, &ask, LIMB_E_ARG);
  ask = w->ask, ask.out[0] = NULL;
  if (what != BATCH_ID_SLOPES && what != BATCH_FD_SLOPES) refused(w, &ask, LIMB_E_ARG);
  for (int k = 1; k < BATCH_OUTS && what == BATCH_FD_SLOPES; k++) {
    ask = w->ask, ask.out[k] = NULL;
    refused(w, &ask, LIMB_E_ARG);
  }
  ask = w->ask, ask.n = SIZE_MAX;
  refused(w, &ask, LIMB_E_ARG);
}

START_TEST(what_is_refused)
{
  for (batch_what what = 0; what < BATCH_WHATS; what++) {
    for (int f32 = 0; f32 < 2; f32++) {
      ward w;
      ward_make(&w, robot_find(names[_i])->make(), what, f32);
      check_at("%s, %s%s", names[_i], batch_name(what), f32 ? " over float" : "");
      bad_arrays(&w);
      if (what == BATCH_POSES || what == BATCH_JACOBIAN) bad_frames(&w);
      if (has_surroundings(what)) bad_wrenches(&w), bad_surroundings(&w);
      ward_end(&w);
    }
  }
}
END_TEST

static double number_at(const void* x, bool f32, size_t i)
{
  return f32 ? (double)((const float*)x)[i] : ((const double*)x)[i];
}

// Equal but for rounding: what is computed with what is not alike everywhere.
static void check_alike(const ward* w, int k)
{
  const size_t width = width_of(w, k);
  double* x = calloc(2 * width, sizeof *x);
  for (size_t i = 0; i < N; i++) {
    for (size_t j = 0; j < width; j++) {
      x[j] = number_at(w->ask.out[k], w->ask.f32, i * width + j);
      x[width + j] = number_at(w->well[k], w->ask.f32, i * width + j);
    }
    assert_close_array(x, x + width, (int)width, w->ask.f32 ? 1e-4 : TOL_SOLVE, 0);
  }
  free(x);
}

// Answers that are not wanted are not given; the others are.
START_TEST(what_is_not_wanted)
{
  static const batch_what whats[] = {BATCH_ID_SLOPES, BATCH_FD_SLOPES};
  for (int x = 0; x < 4; x++) {
    ward w;
    ward_make(&w, robot_find(names[_i])->make(), whats[x / 2], x % 2);
    for (unsigned left = 0; left < 16; left++) {
      batch_ask ask = w.ask;
      if (ask.what == BATCH_FD_SLOPES && (left & ~1u)) continue;
      for (int k = 0; k < BATCH_OUTS; k++) {
        memset(w.ask.out[k], 1, N * width_of(&w, k) * w.scalar);
        if (left >> k & 1) ask.out[k] = NULL;
      }
      check_at("%s without %u", batch_name(ask.what), left);
      assert_ok(batch_answer(&ask));
      for (int k = 0; k < BATCH_OUTS; k++)
        if (ask.out[k]) check_alike(&w, k);
    }
    ward_end(&w);
  }
}
END_TEST

CHECK_MAIN("batch/fail", ROBOTS, a_state_that_fails_fails_alone, singular_states, the_first_failure_is_told,
           a_wrench_that_is_none, what_is_refused, what_is_not_wanted)
