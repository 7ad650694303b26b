// Robots whose joints can move together without moving any mass: the model names them, and every way to their
// accelerations is refused, whatever rounding makes of the pivots. Next to them, answers are right or refused.
#include "limb/limb.h"

#include "support/check.h"
#include "support/rng.h"
#include "support/robots_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NV = 6, STATES = 200 };

// A point mass behind n revolute joints; the bodies between have `light` kg. With a gear between two of them: it ties
// the second joint to the third.
static limb_model* arm(int n, int planar, double light, int geared)
{
  rng r = {7};
  limb_builder* b = fixture_begin("arm");
  for (int k = 1; k <= n; k++) {
    char name[16];
    (void)snprintf(name, sizeof name, "b%d", k);
    const sp_vec3 at = planar ? sp_v3(0.3, 0.1 * k, 0) : rng_vec3(&r, 0.4);
    (void)fixture_body(b, name, k == n ? limb_inertia_point(2, at) : limb_inertia_box(light, 0.1, 0.2, 0.3));
    (void)snprintf(name, sizeof name, "j%d", k);
    limb_joint_def def = limb_default_joint_def(name, LIMB_REVOLUTE, k - 1, k);
    def.placement = planar ? fixture_at(0.4, 0, 0) : rng_pose(&r, 0.5);
    def.axis = planar ? sp_v3(0, 0, 1) : rng_direction(&r);
    (void)fixture_joint(b, &def);
  }
  if (geared) {
    limb_loop_def gear = limb_default_loop_def("gear", LIMB_LOOP_GEAR, -1, -1);
    gear.joint = 1, gear.other = 2, gear.coefficient[1] = -2;
    limb_error err;
    fixture_ok(limb_builder_add_loop(b, &gear, NULL, &err), &err);
  }
  return fixture_end(b);
}

// Two planar joints, nothing between them.
static limb_model* sheets(void)
{
  rng r = {3};
  limb_builder* b = fixture_begin("sheets");
  for (int k = 1; k <= 2; k++) {
    (void)fixture_body(b, k == 1 ? "b1" : "b2", limb_inertia_box(k - 1, 0.1, 0.2, 0.3));
    limb_joint_def def = limb_default_joint_def(k == 1 ? "j1" : "j2", LIMB_PLANAR, k - 1, k);
    def.placement = rng_pose(&r, 0.5);
    if (k == 2) def.placement.R = sp_identity3();
    (void)fixture_joint(b, &def);
  }
  return fixture_end(b);
}

// The note that names joints.
static const char* named(const limb_model* m)
{
  static limb_note note;
  for (int i = 0; i < limb_model_note_count(m); i++) {
    assert_ok(limb_model_note(m, i, &note));
    if (note.kind == LIMB_NOTE_MASSLESS && strstr(note.text, "without moving any inertia")) return note.text;
  }
  return NULL;
}

typedef struct ways {
  limb_model* m;
  limb_data* d;
  limb_dual* dual;
  limb_batch* batch;
  int nv;
  double q[MAX_NV], v[MAX_NV], tau[MAX_NV], x[MAX_NV], work[3][MAX_NV * MAX_NV];
} ways;

static void draw(ways* w, rng* r)
{
  rng_fill(r, 3, w->nv, w->q), rng_fill(r, 1, w->nv, w->v), rng_fill(r, 10, w->nv, w->tau);
}

enum { WAYS = 7 };

// Every way to accelerations: statuses, and rows of answers.
static void try_all(ways* w, limb_status s[WAYS], double a[WAYS][MAX_NV])
{
  const limb_fd_derivatives slopes = {a[1], w->work[0], w->work[1], w->work[2]};
  const limb_directions along = {.count = 1, .dq = w->v};
  const int tree = limb_loop_count(w->m) == 0;
  limb_status many;
  s[0] = limb_forward_dynamics(w->d, w->q, w->v, w->tau, NULL, a[0]);
  assert_status(limb_batch_forward_dynamics(w->batch, 1, w->q, w->v, w->tau, NULL, a[1], &many), s[0]);
  assert_that(many == s[0]);
  for (int k = 1; k < WAYS; k++) s[k] = LIMB_E_UNSUPPORTED;
  if (!tree) return;
  s[1] = limb_forward_dynamics_derivatives(w->d, w->q, w->v, w->tau, NULL, &slopes);
  s[2] = limb_forward_dynamics_aba(w->d, w->q, w->v, w->tau, NULL, a[2]);
  s[3] = limb_forward_dynamics_by_mass_matrix(w->d, w->q, w->v, w->tau, NULL, w->work[0], a[3]);
  s[4] = limb_mass_matrix_inverse(w->d, w->q, w->work[0]);
  s[5] = limb_mass_matrix_solve(w->d, w->q, 1, w->tau, w->x);
  s[6] = limb_forward_dynamics_along(w->dual, w->q, w->v, w->tau, NULL, &along, w->x);
}

static ways begin(limb_model* m)
{
  ways w = {.m = m, .nv = limb_nv(m)};
  assert_ok(limb_data_create(m, NULL, &w.d));
  assert_ok(limb_dual_create(limb_spanning_tree(m), LIMB_DUAL_VECTORS, NULL, &w.dual));
  assert_ok(limb_batch_create(m, NULL, NULL, &w.batch));
  return w;
}

static void end(ways* w)
{
  limb_batch_destroy(w->batch), limb_dual_destroy(w->dual), limb_data_destroy(w->d), limb_model_destroy(w->m);
}

START_TEST(structure_is_refused_everywhere)
{
  limb_model* const robots[] = {arm(4, 0, 0, 0), arm(3, 1, 0, 0), sheets()};
  static const char* const names[] = {"'j1', 'j2', 'j3', 'j4' can move together", "'j1', 'j2', 'j3' can move together",
                                      "'j1', 'j2' can move together"};
  for (int k = 0; k < 3; k++) {
    ways w = begin(robots[k]);
    rng r = {(uint64_t)k};
    limb_status s[WAYS];
    double a[WAYS][MAX_NV];
    check_at("robot %d", k);
    assert_that(named(w.m) && strncmp(named(w.m), names[k], strlen(names[k])) == 0);
    for (int i = 0; i < STATES; i++) {
      draw(&w, &r);
      try_all(&w, s, a);
      for (int c = 0; c < WAYS; c++) assert_that(s[c] == LIMB_E_SINGULAR);
      assert_ok(limb_inverse_dynamics(w.d, w.q, w.v, w.tau, NULL, w.x));
    }
    end(&w);
  }
}
END_TEST

// A gear ties two of the four joints of a point mass: three are left.
START_TEST(loops_make_it_regular)
{
  ways w = begin(arm(4, 0, 0, 1)), tree = begin(arm(4, 0, 0, 0));
  rng r = {5};
  limb_status s[WAYS];
  double a[WAYS][MAX_NV];
  assert_that(!named(w.m));
  for (int i = 0; i < STATES; i++) {
    draw(&w, &r);
    w.q[1] = -2 * w.q[2], w.v[1] = -2 * w.v[2];
    try_all(&w, s, a);
    assert_ok(s[0]);
    assert_ok(limb_inverse_dynamics(w.d, w.q, w.v, a[0], NULL, w.x));
    assert_close(w.x[0], w.tau[0], 1e-7, 1e-7);
    assert_close(w.x[3], w.tau[3], 1e-7, 1e-7);
  }
  limb_data* d = NULL; // the tree of the geared arm is singular as ever
  assert_ok(limb_data_create(limb_spanning_tree(w.m), NULL, &d));
  assert_status(limb_forward_dynamics(d, w.q, w.v, w.tau, NULL, w.x), LIMB_E_SINGULAR);
  limb_data_destroy(d);
  end(&tree), end(&w);
}
END_TEST

static double largest_bias(ways* w)
{
  double force = 0;
  assert_ok(limb_bias_forces(w->d, w->q, w->v, NULL, w->x));
  for (int c = 0; c < w->nv; c++) force = fmax(force, fabs(w->x[c]));
  return force;
}

// Bodies between, lighter and lighter: inverse dynamics returns the forces of an answer, or it is refused; in the end
// all are.
START_TEST(next_to_it_answers_are_right_or_refused)
{
  int answered = 0, refused = 0;
  for (int k = 0; k <= 20; k++) {
    ways w = begin(arm(4, 0, pow(10, -k), 0));
    rng r = {(uint64_t)k};
    check_at("%d", k);
    assert_that(!named(w.m));
    for (int i = 0; i < STATES; i++) {
      draw(&w, &r);
      double a[WAYS][MAX_NV], want[MAX_NV];
      limb_status s[WAYS];
      rng_fill(&r, 1, w.nv, want);
      const double force = largest_bias(&w);
      assert_ok(limb_inverse_dynamics(w.d, w.q, w.v, want, NULL, w.tau));
      try_all(&w, s, a);
      for (int c = 0; c < WAYS; c++) {
        assert_that(s[c] == LIMB_OK || (s[c] == LIMB_E_SINGULAR && k >= 6));
        assert_that(k < 16 || s[c] == LIMB_E_SINGULAR);
        answered += s[c] == LIMB_OK, refused += s[c] != LIMB_OK;
        if (c >= 4 || s[c] != LIMB_OK) continue;
        if (k < 8) assert_close_array(a[c], want, w.nv, 1e-4, 0);
        assert_ok(limb_inverse_dynamics(w.d, w.q, w.v, a[c], NULL, w.x));
        const double digits = c == 1 ? 1e-4 : 1e-8; // derivatives multiply by M^-1: its condition enters
        assert_close_array(w.x, w.tau, w.nv, digits, digits * force);
      }
    }
    end(&w);
  }
  assert_that(answered > 9 * WAYS * STATES && refused > 5 * WAYS * STATES);
}
END_TEST

#define ROUNDED 3e-4 // of floats: forces of an answer

// What rounding of a changes in tau, which is in x again.
static void check_rounded(ways* w, const double* a, double force)
{
  assert_ok(limb_mass_matrix(w->d, w->q, w->work[0]));
  for (int c = 0; c < w->nv; c++) {
    double sum = force + fabs(w->tau[c]);
    for (int j = 0; j < w->nv; j++) sum += fabs(w->work[0][c * w->nv + j] * a[j]);
    assert_close(w->x[c], w->tau[c], 0, ROUNDED * sum);
  }
}

// States in doubt are computed in double.
START_TEST(floats_are_right_or_refused)
{
  int answered = 0, refused = 0;
  for (int k = 0; k <= 20; k++) {
    ways w = begin(arm(4, 0, pow(10, -k), 0));
    rng r = {(uint64_t)k};
    check_at("%d", k);
    for (int i = 0; i < STATES; i++) {
      float q[MAX_NV], v[MAX_NV], tau[MAX_NV], a[MAX_NV];
      double wide[MAX_NV];
      limb_status s;
      draw(&w, &r);
      for (int c = 0; c < w.nv; c++) q[c] = (float)w.q[c], v[c] = (float)w.v[c];
      for (int c = 0; c < w.nv; c++) w.q[c] = (double)q[c], w.v[c] = (double)v[c];
      rng_fill(&r, 1, w.nv, wide);
      const double force = largest_bias(&w);
      assert_ok(limb_inverse_dynamics(w.d, w.q, w.v, wide, NULL, w.tau));
      for (int c = 0; c < w.nv; c++) tau[c] = (float)w.tau[c];
      const limb_status all = limb_batch_forward_dynamics_f32(w.batch, 1, q, v, tau, NULL, a, &s);
      assert_that(all == s && (s == LIMB_OK || s == LIMB_E_SINGULAR));
      answered += s == LIMB_OK, refused += s != LIMB_OK;
      assert_that(s == LIMB_OK || k >= 3);
      if (s != LIMB_OK) continue;
      for (int c = 0; c < w.nv; c++) wide[c] = (double)a[c];
      assert_ok(limb_inverse_dynamics(w.d, w.q, w.v, wide, NULL, w.x));
      check_rounded(&w, wide, force);
    }
    end(&w);
  }
  assert_that(answered > 2 * STATES && refused > 2 * STATES);
}
END_TEST

CHECK_MAIN("dynamics/weightless", 1, structure_is_refused_everywhere, loops_make_it_regular,
           next_to_it_answers_are_right_or_refused, floats_are_right_or_refused)
