// Changes of a builder: what is locked stays where it is while all else moves as before; the same robot held by another
// link; attached robots, loads, removed parts, other names; refusals change nothing.
#include "limb/assemble.h"
#include "limb/edit.h"

#include "support/check.h"
#include "support/closed.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static limb_builder* builder_of(const limb_model* m)
{
  limb_builder* b = NULL;
  assert_ok(limb_builder_from_model(m, NULL, &b));
  return b;
}

static limb_model* build(limb_builder* b)
{
  limb_model* m = NULL;
  limb_error err = {0};
  const limb_status s = limb_builder_build(b, &m, &err);
  if (s != LIMB_OK) printf("%s: %s\n", err.where, err.text);
  assert_ok(s);
  limb_builder_destroy(b);
  return m;
}

static limb_data* data_of(const limb_model* m)
{
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  return d;
}

static double* numbers(int n)
{
  double* x = calloc((size_t)n + 1, sizeof *x);
  if (!x) abort();
  return x;
}

// ---- locking ----------------------------------------------------------------------------------------

// Numbers of a vector of `from` in the order of `to`, whose joints it has, too.
static void pick(const limb_model* from, const limb_model* to, int of_q, const double* x, double* y)
{
  for (int j = 0; j < limb_joint_count(to); j++) {
    limb_joint_info a, b;
    assert_ok(limb_get_joint(to, j, &b));
    assert_ok(limb_get_joint(from, limb_find_joint(from, b.def.name), &a));
    assert_that(b.nq == 0 || b.nq == a.nq);
    for (int k = 0; k < (of_q ? b.nq : b.nv); k++) y[(of_q ? b.q : b.v) + k] = x[(of_q ? a.q : a.v) + k];
  }
}

// Velocities and accelerations of joints that the smaller robot does not move are zero.
static void stop_what_is_held(const limb_model* from, const limb_model* to, double* v)
{
  for (int j = 0; j < limb_joint_count(from); j++) {
    limb_joint_info a, b;
    assert_ok(limb_get_joint(from, j, &a));
    assert_ok(limb_get_joint(to, limb_find_joint(to, a.def.name), &b));
    for (int k = 0; b.nv == 0 && k < a.nv; k++) v[a.v + k] = 0;
  }
}

// tau of the joints that move is that of the whole robot whose other joints rest.
static void held_joint_changes_nothing(trial* t)
{
  if (!trial_small(t) || t->nv == 0) return;
  const int j = rng_below(&t->r, limb_joint_count(t->m));
  limb_builder* b = builder_of(t->m);
  limb_joint_info held;
  limb_error err = {0};
  assert_ok(limb_get_joint(t->m, j, &held));
  double q[7] = {0};
  if (held.nq > 0) memcpy(q, t->q + held.q, (size_t)held.nq * sizeof *q);
  if (held.def.mimic >= 0) {
    limb_joint_info leader;
    assert_ok(limb_get_joint(t->m, held.def.mimic, &leader));
    if (leader.def.mimic >= 0) { // the test knows one step only
      limb_builder_destroy(b);
      return;
    }
    q[0] = held.def.multiplier * t->q[leader.q] + held.def.offset;
  }
  assert_ok(limb_builder_lock(b, j, q, &err));
  limb_model* m = build(b);
  limb_data* d = data_of(m);
  double *v = trial_doubles(t, (size_t)t->nv), *a = trial_doubles(t, (size_t)t->nv);
  double *want = trial_doubles(t, (size_t)t->nv), *got = trial_doubles(t, (size_t)t->nv);
  double *q1 = trial_doubles(t, (size_t)t->nq), *v1 = trial_doubles(t, (size_t)t->nv),
         *a1 = trial_doubles(t, (size_t)t->nv), *all = trial_doubles(t, (size_t)t->nv);
  memcpy(v, t->v, (size_t)t->nv * sizeof *v);
  memcpy(a, t->a, (size_t)t->nv * sizeof *a);
  stop_what_is_held(t->m, m, v);
  stop_what_is_held(t->m, m, a);
  pick(t->m, m, 1, t->q, q1);
  pick(t->m, m, 0, v, v1);
  pick(t->m, m, 0, a, a1);
  assert_ok(limb_inverse_dynamics(t->d, t->q, v, a, NULL, all));
  assert_ok(limb_inverse_dynamics(d, q1, v1, a1, NULL, got));
  pick(t->m, m, 0, all, want);
  double size = 0;
  for (int k = 0; k < t->nv; k++) size = fmax(size, fabs(all[k]));
  assert_close_array(got, want, limb_nv(m), 1e-11, 1e-11 * fmax(1, size));
  limb_data_destroy(d);
  limb_model_destroy(m);
}

START_TEST(lock_holds) { trial_over(_i, 20, held_joint_changes_nothing); }
END_TEST

// The Panda with a hand of two fingers, the second of which mimics the first.
static limb_model* panda_with_fingers(int fixed)
{
  limb_model* arm = robot_panda();
  limb_builder* b = builder_of(arm);
  limb_body_def hand = limb_default_body_def("hand");
  int last, body, leader = -1;
  hand.inertia = (sp_inertia){.mass = 0.73, .com = {-0.01, 0, 0.03}, .xx = 0.001, .yy = 0.0025, .zz = 0.0017};
  limb_frame_info flange;
  assert_ok(limb_builder_get_frame(b, 0, &flange));
  assert_ok(limb_builder_add_body(b, &hand, &last, NULL));
  limb_joint_def j = limb_default_joint_def("hand_joint", LIMB_FIXED, flange.body, last);
  j.placement = sp_compose(flange.pose, sp_pose_make(sp_rot_rpy(0, 0, -0.785398), sp_v3(0, 0, 0)));
  assert_ok(limb_builder_add_joint(b, &j, NULL, NULL));
  for (int k = 0; k < 2; k++) {
    limb_body_def finger = limb_default_body_def(k ? "right" : "left");
    finger.inertia = (sp_inertia){.mass = 0.015, .com = {0, 0.014, 0.02}, .xx = 2e-6, .yy = 2e-6, .zz = 1e-6};
    assert_ok(limb_builder_add_body(b, &finger, &body, NULL));
    j = limb_default_joint_def(k ? "right_joint" : "left_joint", fixed ? LIMB_FIXED : LIMB_PRISMATIC, last, body);
    const double y = k ? -1 : 1;
    j.placement.p = sp_v3(0, fixed ? y * 0.03 : 0, 0.0584);
    if (!fixed) j.axis = sp_v3(0, y, 0);
    if (!fixed && k) j.mimic = leader;
    assert_ok(limb_builder_add_joint(b, &j, &leader, NULL));
  }
  limb_model_destroy(arm);
  return build(b);
}

START_TEST(panda_with_fingers_locked)
{
  limb_model *whole = panda_with_fingers(0), *want = panda_with_fingers(1);
  limb_builder* b = builder_of(whole);
  const double open = 0.03;
  assert_that(limb_nv(whole) == 8);
  assert_ok(limb_builder_lock(b, limb_builder_find_joint(b, "right_joint"), &open, NULL));
  limb_model* got = build(b);
  limb_data *dg = data_of(got), *dw = data_of(want);
  assert_that(limb_nv(got) == 7 && limb_nq(got) == 7);
  rng r = {7};
  for (int n = 0; n < 50; n++) {
    double q[7], v[7], a[7], x[49], y[49];
    for (int k = 0; k < 7; k++)
      q[k] = rng_uniform(&r, -3, 3), v[k] = rng_uniform(&r, -2, 2), a[k] = rng_uniform(&r, -5, 5);
    assert_ok(limb_mass_matrix(dg, q, x));
    assert_ok(limb_mass_matrix(dw, q, y));
    assert_close_matrix(x, y, 7, 7, 1e-12, 1e-12);
    assert_ok(limb_inverse_dynamics(dg, q, v, a, NULL, x));
    assert_ok(limb_inverse_dynamics(dw, q, v, a, NULL, y));
    assert_close_array(x, y, 7, 1e-12, 1e-11);
    assert_ok(limb_forward_dynamics(dg, q, v, a, NULL, x));
    assert_ok(limb_forward_dynamics(dw, q, v, a, NULL, y));
    assert_close_array(x, y, 7, 1e-10, 1e-9);
  }
  limb_data_destroy(dg), limb_data_destroy(dw);
  limb_model_destroy(got), limb_model_destroy(want), limb_model_destroy(whole);
}
END_TEST

// Any joint of a robot with loops: the rest moves as the whole robot with that joint at rest, forces as well as
// constraints. Locked at a configuration that closes the loops.
static void lock_in_loop(closed_case* c, uint64_t seed)
{
  rng r = {seed};
  const int j = rng_below(&r, limb_joint_count(c->m));
  limb_joint_info held;
  limb_error err = {0};
  assert_ok(limb_get_joint(c->m, j, &held));
  limb_builder* b = builder_of(c->m);
  const limb_status s = limb_builder_lock(b, j, held.nq > 0 ? c->q + held.q : NULL, &err);
  if (s != LIMB_OK || held.nq == 0) { // laws between what becomes rigid, mimics, polynomials backwards
    assert_that(s == LIMB_OK || s == LIMB_E_MODEL);
    assert_that(s == LIMB_OK || *err.text);
    limb_builder_destroy(b);
    return;
  }
  limb_model* m = NULL;
  assert_ok(limb_builder_build(b, &m, &err));
  limb_data *d = data_of(limb_spanning_tree(m)), *w = data_of(limb_spanning_tree(c->m));
  const int n = limb_nv(c->m);
  double *q = numbers(limb_nq(m)), *zero = numbers(n), *x = numbers(n), *y = numbers(n), *z = numbers(n);
  pick(c->m, m, 1, c->q, q);
  assert_ok(limb_inverse_dynamics(w, c->q, zero, zero, NULL, x));
  assert_ok(limb_inverse_dynamics(d, q, zero, zero, NULL, y));
  pick(c->m, m, 0, x, z);
  assert_close_array(y, z, limb_nv(m), 1e-9, 1e-9);
  limb_data* loops = limb_loop_count(m) > 0 ? data_of(m) : NULL;
  limb_loop_gap gap = {0};
  if (loops) assert_ok(limb_loop_gap_of(loops, q, NULL, NULL, &gap));
  assert_that(gap.position < 1e-9);
  limb_data_destroy(loops), limb_data_destroy(d), limb_data_destroy(w);
  free(q), free(zero), free(x), free(y), free(z);
  limb_model_destroy(m);
  limb_builder_destroy(b);
}

START_TEST(lock_in_loops)
{
  for (uint64_t seed = 1; seed <= 6; seed++) {
    closed_case c = closed_make(_i, seed);
    lock_in_loop(&c, seed);
    closed_free(&c);
  }
}
END_TEST

START_TEST(lock_of_a_whole_loop)
{
  closed_case c = closed_find("four_bar", 1);
  limb_builder* b = builder_of(c.m);
  limb_error err = {0};
  double q[3];
  memcpy(q, c.q, sizeof q);
  assert_ok(limb_builder_lock(b, 0, &q[0], &err));
  assert_ok(limb_builder_lock(b, 1, &q[1], &err));
  assert_that(limb_builder_loop_count(b) == 1);
  const double open = q[2] + 0.1;
  assert_status(limb_builder_lock(b, 2, &open, &err), LIMB_E_MODEL);
  assert_that(strstr(err.text, "open by"));
  assert_that(limb_builder_loop_count(b) == 1);
  assert_ok(limb_builder_lock(b, 2, &q[2], &err));
  assert_that(limb_builder_loop_count(b) == 0);
  limb_model* m = build(b);
  assert_that(limb_nv(m) == 0);
  limb_model_destroy(m);
  closed_free(&c);
}
END_TEST

START_TEST(gears_and_polynomials_follow)
{
  limb_builder* b = NULL;
  limb_error err = {0};
  assert_ok(limb_builder_create(NULL, &b));
  for (int i = 0; i < 3; i++) {
    const char* const names[] = {"a", "b", "c"};
    limb_body_def def = limb_default_body_def(names[i]);
    def.inertia = limb_inertia_box(1, 0.1, 0.2, 0.3);
    assert_ok(limb_builder_add_body(b, &def, NULL, NULL));
    const limb_joint_def j = limb_default_joint_def(names[i], LIMB_REVOLUTE, i, i + 1);
    assert_ok(limb_builder_add_joint(b, &j, NULL, NULL));
  }
  limb_loop_def gear = limb_default_loop_def("gear", LIMB_LOOP_GEAR, 0, 0);
  gear.joint = 1, gear.other = 0, gear.coefficient[0] = 0.1, gear.coefficient[1] = 2;
  limb_loop_def curve = limb_default_loop_def("curve", LIMB_LOOP_POLYNOMIAL, 0, 0);
  curve.joint = 2, curve.other = 1, curve.coefficient[2] = 3;
  assert_ok(limb_builder_add_loop(b, &gear, NULL, NULL));
  assert_ok(limb_builder_add_loop(b, &curve, NULL, NULL));
  const double q = 0.5, nan_q = nan("");
  assert_status(limb_builder_lock(b, 2, &q, &err), LIMB_E_MODEL); // which root of 3 x^2 = 0.5?
  assert_that(strstr(err.text, "lock 'b' instead"));
  assert_status(limb_builder_lock(b, 0, &nan_q, &err), LIMB_E_ARG);
  assert_that(limb_builder_loop_count(b) == 2);
  assert_ok(limb_builder_lock(b, 0, &q, &err));
  assert_that(limb_builder_loop_count(b) == 0);
  limb_joint_def last;
  assert_ok(limb_builder_get_joint(b, 2, &last));
  const sp_mat3 want = sp_rot_axis(sp_v3(0, 0, 1), 3 * 1.1 * 1.1);
  assert_that(last.type == LIMB_FIXED);
  assert_close_array(last.placement.R.m, want.m, 9, 1e-14, 1e-14);
  limb_builder_destroy(b);
}
END_TEST

// ---- another root -----------------------------------------------------------------------------------

// The robot on a base that can move, and a state of it: a base that is new stands at the origin and rests.
typedef struct standing {
  limb_model *m, *to;
  limb_data *d, *d_to;
  double *q, *v, *q_to, *v_to, *a, *a_to;
} standing;

static int stand(const limb_model* given, const double* q, const double* v, uint64_t seed, standing* out)
{
  rng r = {seed};
  limb_builder* b = builder_of(given);
  limb_error err = {0};
  standing s = {0};
  int held = 0;
  for (int j = 0; j < limb_joint_count(given); j++) {
    limb_joint_info x;
    assert_ok(limb_get_joint(given, j, &x));
    held |= x.def.parent == LIMB_WORLD_BODY && x.def.type != LIMB_FREE;
  }
  if (held) assert_ok(limb_builder_set_base(b, LIMB_FREE, &err));
  s.m = build(b);
  s.q = numbers(limb_nq(s.m)), s.v = numbers(limb_nv(s.m));
  for (int j = 0; j < limb_joint_count(s.m); j++) {
    limb_joint_info was, is;
    assert_ok(limb_get_joint(s.m, j, &is));
    const int old = limb_get_joint(given, limb_find_joint(given, is.def.name), &was) == LIMB_OK && was.nq == is.nq;
    for (int k = 0; k < is.nq; k++) s.q[is.q + k] = old ? q[was.q + k] : k == 6;
    for (int k = 0; k < is.nv; k++) s.v[is.v + k] = old ? v[was.v + k] : 0;
  }
  limb_loop_gap gap = {0};
  limb_data* loops = limb_loop_count(s.m) > 0 ? data_of(s.m) : NULL;
  if (loops) assert_ok(limb_loop_gap_of(loops, s.q, s.v, NULL, &gap));
  limb_data_destroy(loops);
  b = builder_of(s.m);
  const int body = 1 + rng_below(&r, limb_body_count(s.m) - 1);
  const limb_status status = limb_builder_reroot(b, body, &err);
  if (status != LIMB_OK || gap.position > 1e-9 ||
      gap.velocity > 1e-9) { // a planar base that became free, and was elsewhere
    assert_ok(status);
    limb_builder_destroy(b);
    limb_model_destroy(s.m);
    free(s.q), free(s.v);
    return 0;
  }
  s.to = build(b);
  s.d = data_of(s.m), s.d_to = data_of(s.to);
  s.q_to = numbers(limb_nq(s.to)), s.v_to = numbers(limb_nv(s.to));
  s.a = numbers(limb_nv(s.m)), s.a_to = numbers(limb_nv(s.to));
  assert_ok(limb_recut_state(s.d, s.to, s.q, s.v, s.q_to, s.v_to));
  *out = s;
  return 1;
}

static void stand_free(standing* s)
{
  limb_data_destroy(s->d), limb_data_destroy(s->d_to);
  limb_model_destroy(s->m), limb_model_destroy(s->to);
  free(s->q), free(s->v), free(s->q_to), free(s->v_to), free(s->a), free(s->a_to);
}

static void same_energies(const standing* s)
{
  limb_energy x, y;
  assert_ok(limb_energies(s->d, s->q, s->v, NULL, &x));
  assert_ok(limb_energies(s->d_to, s->q_to, s->v_to, NULL, &y));
  assert_close(y.kinetic, x.kinetic, 1e-11, 1e-11);
  assert_close(y.gravity, x.gravity, 1e-11, 1e-9);
  assert_close(y.springs, x.springs, 1e-11, 1e-12);
}

// Without forces of motors the bodies accelerate alike.
static void same_motion(const standing* s)
{
  const int n = limb_nv(s->m);
  double* zero = numbers(n);
  const limb_status x = limb_forward_dynamics(s->d, s->q, s->v, zero, NULL, s->a);
  const limb_status y = limb_forward_dynamics(s->d_to, s->q_to, s->v_to, zero, NULL, s->a_to);
  free(zero);
  if (x != LIMB_OK || y != LIMB_OK) return; // singular
  assert_ok(limb_kinematics(s->d, s->q, s->v, s->a));
  assert_ok(limb_kinematics(s->d_to, s->q_to, s->v_to, s->a_to));
  double size = 1;
  for (int k = 0; k < n; k++) size = fmax(size, fabs(s->a[k]));
  for (int i = 1; i < limb_body_count(s->m); i++) {
    sp_pose P, Q;
    sp_motion A, B;
    assert_ok(limb_frame_pose(s->d, i, &P));
    assert_ok(limb_frame_pose(s->d_to, i, &Q));
    assert_close_pose(Q, P, 1e-11, 1e-11);
    assert_ok(limb_frame_acceleration(s->d, i, LIMB_ALIGNED, &A));
    assert_ok(limb_frame_acceleration(s->d_to, i, LIMB_ALIGNED, &B));
    assert_close_motion(B, A, 1e-7, 1e-7 * size);
  }
}

// M = T' M_to T, with v_to = T v.
static void same_mass_matrix(const standing* s)
{
  const int n = limb_nv(s->m);
  limb_data *d = data_of(limb_spanning_tree(s->m)), *e = data_of(limb_spanning_tree(s->to));
  double *M = numbers(n * n), *N = numbers(n * n), *T = numbers(n * n), *v = numbers(n), *u = numbers(n),
         *q = numbers(limb_nq(s->to));
  assert_ok(limb_mass_matrix(d, s->q, M));
  assert_ok(limb_mass_matrix(e, s->q_to, N));
  for (int k = 0; k < n; k++) {
    memset(v, 0, (size_t)n * sizeof *v);
    v[k] = 1;
    assert_ok(limb_recut_state(s->d, s->to, s->q, v, q, u));
    for (int i = 0; i < n; i++) T[i * n + k] = u[i];
  }
  double size = 0;
  for (int k = 0; k < n * n; k++) size = fmax(size, fabs(M[k]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = 0;
      for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) x += T[k * n + i] * N[k * n + l] * T[l * n + j];
      assert_close(x, M[i * n + j], 1e-12, 1e-12 * size);
    }
  limb_data_destroy(d), limb_data_destroy(e);
  free(M), free(N), free(T), free(v), free(u), free(q);
}

static void another_root(trial* t)
{
  standing s;
  if (!trial_small(t) || t->nv == 0 || t->nv > 60) return;
  if (!stand(t->m, t->q, t->v, rng_next(&t->r), &s)) return;
  same_energies(&s);
  same_mass_matrix(&s);
  same_motion(&s);
  stand_free(&s);
}

START_TEST(reroot_trees) { trial_over(_i, 10, another_root); }
END_TEST

START_TEST(reroot_loops)
{
  for (uint64_t seed = 1; seed <= 4; seed++) {
    closed_case c = closed_make(_i, seed);
    standing s;
    if (stand(c.m, c.q, c.v, seed, &s)) {
      limb_loop_gap gap;
      assert_ok(limb_loop_gap_of(s.d_to, s.q_to, s.v_to, NULL, &gap));
      assert_that(gap.position < 1e-9 && gap.velocity < 1e-8);
      same_energies(&s);
      if (limb_nv(s.m) <= 60) same_mass_matrix(&s);
      if (!(c.flags & CLOSED_REDUNDANT)) same_motion(&s);
      stand_free(&s);
    }
    closed_free(&c);
  }
}
END_TEST

// An arm on the world, held by its hand: the base hangs below.
START_TEST(reroot_of_a_fixed_arm)
{
  limb_model* panda = robot_panda_on_base(LIMB_FIXED, 3);
  limb_builder* b = builder_of(panda);
  limb_error err = {0};
  const int hand = limb_builder_body_count(b) - 1;
  assert_ok(limb_builder_reroot(b, hand, &err));
  limb_model* m = build(b);
  limb_data* d = data_of(m);
  double q[7] = {0.1, 0.2, 0.3, -0.4, 0.5, 0.6, 0.7};
  sp_pose X;
  assert_that(limb_nv(m) == 7);
  assert_ok(limb_kinematics(d, q, NULL, NULL));
  assert_ok(limb_frame_pose(d, hand, &X));
  assert_close_pose(X, sp_pose_identity(), 1e-15, 1e-15);
  limb_data_destroy(d);
  limb_model_destroy(m), limb_model_destroy(panda);
}
END_TEST

// ---- parts ------------------------------------------------------------------------------------------

START_TEST(attach_and_remove)
{
  limb_model *panda = robot_panda(), *hand = robot_hand();
  limb_builder *b = builder_of(panda), *h = builder_of(hand);
  limb_error err = {0};
  limb_body_def third;
  assert_ok(limb_builder_get_body(b, 3, &third));
  char link[64];
  (void)snprintf(link, sizeof link, "%s", third.name);
  assert_status(limb_builder_attach(b, "no such", h, NULL, &err), LIMB_E_ARG);
  assert_ok(limb_builder_attach(b, "flange", h, "left_", &err));
  assert_ok(limb_builder_attach(b, link, h, "right_", &err));
  assert_status(limb_builder_attach(b, "flange", h, "left_", &err), LIMB_E_ARG); // names exist
  limb_model* both = NULL;
  assert_ok(limb_builder_build(b, &both, &err));
  assert_that(limb_nv(both) == limb_nv(panda) + 2 * limb_nv(hand));
  assert_close(limb_total_mass(both), limb_total_mass(panda) + 2 * limb_total_mass(hand), 1e-14, 0);
  // each hand goes again with what it stands on
  for (int j = limb_builder_joint_count(b) - 1; j >= 0; j--) {
    limb_joint_def def;
    assert_ok(limb_builder_get_joint(b, j, &def));
    limb_body_def parent;
    assert_ok(limb_builder_get_body(b, def.parent, &parent));
    if (strncmp(def.name, "left_", 5) != 0 && strncmp(def.name, "right_", 6) != 0) continue;
    if (strncmp(parent.name, "left_", 5) == 0 || strncmp(parent.name, "right_", 6) == 0) continue;
    assert_ok(limb_builder_remove(b, def.child, &err));
    j = limb_builder_joint_count(b);
  }
  limb_model* again = build(b);
  double q[7] = {0.1, 0.2, 0.3, -0.4, 0.5, 0.6, 0.7}, x[49], y[49];
  limb_data *d = data_of(again), *e = data_of(panda);
  assert_that(limb_nv(again) == 7);
  assert_ok(limb_mass_matrix(d, q, x));
  assert_ok(limb_mass_matrix(e, q, y));
  for (int k = 0; k < 49; k++) assert_that(x[k] == y[k]);
  limb_data_destroy(d), limb_data_destroy(e);
  limb_model_destroy(both), limb_model_destroy(again), limb_model_destroy(panda), limb_model_destroy(hand);
  limb_builder_destroy(h);
}
END_TEST

START_TEST(payload)
{
  limb_model* panda = robot_panda();
  limb_builder* b = builder_of(panda);
  const sp_inertia Y = {.mass = 2, .com = {0.1, 0, 0.05}, .xx = 0.01, .yy = 0.02, .zz = 0.015};
  const sp_pose at = sp_pose_make(sp_rot_rpy(0.1, 0.2, 0.3), sp_v3(0, 0, 0.1));
  limb_error err = {0};
  assert_ok(limb_builder_add_payload(b, "load", "flange", &at, &Y, &err));
  assert_status(limb_builder_add_payload(b, "load", "flange", NULL, &Y, &err), LIMB_E_ARG);
  limb_model* m = build(b);
  limb_data *d = data_of(m), *e = data_of(panda);
  double q[7] = {0.1, 0.2, 0.3, -0.4, 0.5, 0.6, 0.7}, x[7], y[7];
  sp_motion J[7];
  sp_pose X;
  // g grows by the weight: -J' (m g) at the centre of mass
  assert_ok(limb_gravity_forces(d, q, NULL, x));
  assert_ok(limb_gravity_forces(e, q, NULL, y));
  assert_ok(limb_kinematics(d, q, NULL, NULL));
  assert_ok(limb_frame_pose(d, limb_find_frame(m, "load"), &X));
  assert_ok(limb_frame_jacobian(d, limb_find_frame(m, "load"), LIMB_ALIGNED, J));
  for (int k = 0; k < 7; k++) {
    const sp_vec3 v = sp_add3(J[k].v, sp_cross3(J[k].w, sp_mulv(X.R, Y.com)));
    assert_close(x[k] - y[k], Y.mass * 9.81 * v.z, 1e-12, 1e-12);
  }
  limb_data_destroy(d), limb_data_destroy(e);
  limb_model_destroy(m), limb_model_destroy(panda);
}
END_TEST

START_TEST(names_and_definitions)
{
  limb_model* panda = robot_panda();
  limb_builder* b = builder_of(panda);
  limb_error err = {0};
  limb_joint_def j;
  limb_body_def body;
  assert_ok(limb_builder_rename(b, LIMB_PART_JOINT, 2, "elbow", &err));
  assert_that(limb_builder_find_joint(b, "elbow") == 2);
  assert_status(limb_builder_rename(b, LIMB_PART_JOINT, 3, "elbow", &err), LIMB_E_ARG);
  assert_status(limb_builder_rename(b, LIMB_PART_BODY, 0, "ground", &err), LIMB_E_ARG);
  assert_status(limb_builder_rename(b, LIMB_PART_BODY, 1, "", &err), LIMB_E_ARG);
  assert_ok(limb_builder_rename(b, LIMB_PART_BODY, 1, "shoulder", &err));
  assert_ok(limb_builder_rename(b, LIMB_PART_FRAME, 0, "end", &err));
  assert_ok(limb_builder_get_joint(b, 2, &j));
  j.viscous = 0.5;
  assert_ok(limb_builder_set_joint(b, 2, &j, &err));
  assert_ok(limb_builder_get_joint(b, 2, &j)); // its name was that of the builder before
  j.viscous = -1;
  assert_status(limb_builder_set_joint(b, 2, &j, &err), LIMB_E_ARG);
  j.viscous = 0, j.child = 100;
  assert_status(limb_builder_set_joint(b, 2, &j, &err), LIMB_E_ARG);
  assert_ok(limb_builder_get_joint(b, 2, &j));
  assert_that(j.viscous == 0.5);
  assert_ok(limb_builder_get_body(b, 1, &body));
  body.inertia.mass = 5;
  assert_ok(limb_builder_set_body(b, 1, &body, &err));
  assert_ok(limb_builder_get_body(b, 1, &body));
  assert_that(body.inertia.mass == 5);
  assert_that(strcmp(body.name, "shoulder") == 0);
  assert_status(limb_builder_set_body(b, 0, &body, &err), LIMB_E_ARG);
  limb_model_destroy(build(b));
  limb_model_destroy(panda);
}
END_TEST

START_TEST(weld)
{
  limb_model* hand = robot_hand();
  limb_builder* b = builder_of(hand);
  limb_error err = {0};
  int welded = 0, refused = 0;
  for (int j = 0; j < limb_builder_joint_count(b); j++) {
    const limb_status s = limb_builder_weld(b, j, sp_pose_identity(), &err);
    assert_that(s == LIMB_OK || s == LIMB_E_MODEL);
    welded += s == LIMB_OK, refused += s == LIMB_E_MODEL;
  }
  assert_that(welded > 0 && refused > 0); // mimics are not welded
  limb_model_destroy(build(b));
  limb_model_destroy(hand);
}
END_TEST

START_TEST(bases)
{
  limb_model* panda = robot_panda();
  limb_builder* b = builder_of(panda);
  limb_error err = {0};
  assert_status(limb_builder_set_base(b, LIMB_REVOLUTE, &err), LIMB_E_ARG);
  assert_ok(limb_builder_set_base(b, LIMB_FREE, &err));
  assert_that(limb_builder_find_body(b, "ground") > 0);
  assert_ok(limb_builder_set_base(b, LIMB_PLANAR, &err));
  assert_status(limb_builder_reroot(b, 3, &err), LIMB_E_MODEL);
  assert_ok(limb_builder_set_base(b, LIMB_FIXED, &err));
  limb_model* m = build(b);
  assert_that(limb_nv(m) == 7);
  limb_model_destroy(m), limb_model_destroy(panda);
}
END_TEST

// ---- refusals ---------------------------------------------------------------------------------------

START_TEST(null_arguments)
{
  limb_error err = {0};
  const sp_inertia Y = {0};
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  assert_status(limb_builder_lock(NULL, 0, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_lock(b, 0, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_builder_weld(NULL, 0, sp_pose_identity(), NULL), LIMB_E_ARG);
  assert_status(limb_builder_remove(NULL, 1, NULL), LIMB_E_ARG);
  assert_status(limb_builder_remove(b, 0, NULL), LIMB_E_ARG);
  assert_status(limb_builder_rename(NULL, LIMB_PART_BODY, 1, "x", NULL), LIMB_E_ARG);
  assert_status(limb_builder_rename(b, (limb_part_kind)9, 1, "x", NULL), LIMB_E_ARG);
  assert_status(limb_builder_set_base(NULL, LIMB_FREE, NULL), LIMB_E_ARG);
  assert_status(limb_builder_reroot(NULL, 1, NULL), LIMB_E_ARG);
  assert_status(limb_builder_reroot(b, 1, NULL), LIMB_E_ARG);
  assert_status(limb_builder_attach(NULL, "world", b, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_builder_attach(b, "world", NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_builder_attach(b, NULL, b, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_builder_add_payload(b, "x", "world", NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_builder_add_payload(b, "x", "nowhere", NULL, &Y, NULL), LIMB_E_ARG);
  assert_status(limb_builder_set_joint(b, 0, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_builder_set_loop(b, 0, NULL, NULL), LIMB_E_ARG);
  limb_builder_destroy(b);
}
END_TEST

// A body without joint, and bodies in a circle, which cannot be built, can be changed.
START_TEST(unfinished_robots)
{
  limb_builder* b = NULL;
  limb_error err = {0};
  assert_ok(limb_builder_create(NULL, &b));
  const char* const names[] = {"a", "b", "c"};
  for (int i = 0; i < 3; i++) {
    const limb_body_def def = limb_default_body_def(names[i]);
    assert_ok(limb_builder_add_body(b, &def, NULL, NULL));
  }
  const limb_joint_def one = limb_default_joint_def("ab", LIMB_REVOLUTE, 1, 2),
                       two = limb_default_joint_def("ba", LIMB_FIXED, 2, 1);
  assert_ok(limb_builder_add_joint(b, &one, NULL, NULL));
  assert_ok(limb_builder_add_joint(b, &two, NULL, NULL));
  assert_status(limb_builder_reroot(b, 1, &err), LIMB_E_MODEL);
  assert_status(limb_builder_reroot(b, 3, &err), LIMB_E_MODEL);
  assert_ok(limb_builder_lock(b, 0, NULL, &err));
  assert_ok(limb_builder_remove(b, 3, &err));
  assert_ok(limb_builder_remove(b, 1, &err));
  limb_builder_destroy(b);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const trees[] = {lock_holds, reroot_trees, NULL};
  const TTest* const closed[] = {lock_in_loops, reroot_loops, NULL};
  const TTest* const once[] = {panda_with_fingers_locked,
                               lock_of_a_whole_loop,
                               gears_and_polynomials_follow,
                               reroot_of_a_fixed_arm,
                               attach_and_remove,
                               payload,
                               names_and_definitions,
                               weld,
                               bases,
                               null_arguments,
                               unfinished_robots,
                               NULL};
  int failed = check_run("edit_trees", trial_robots(), trees);
  failed |= check_run("edit_loops", closed_count(), closed);
  return check_run("edit", 1, once) | failed;
}
