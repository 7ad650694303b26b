// Motions for identification: the gradient is that of the criterion, limits hold between samples too, the result does
// not depend on threads, and what cannot be done is named.
#include "support/check.h"

#include "limb/limb.h"
#include "limb/read.h"

#include "base/numeric.h"
#include "estimate/excite_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const robots[] = {"planar_2r", "ur5",   "scara",   "stanford",  "tree5",
                                     "hand",      "panda", "puma560", "general_6r"};

enum { ROBOTS = sizeof robots / sizeof *robots, DOFS = 16 };

static limb_model* load(const char* name)
{
  limb_model* m = NULL;
  limb_error err = {0};
  assert_status(limb_load(name, NULL, &m, &err), LIMB_OK);
  return m;
}

// A small search, for tests of what does not depend on its quality.
static limb_excite_options quick(void)
{
  limb_excite_options o = limb_default_excite_options();
  o.max_acceleration = 8, o.starts = 2, o.steps = 6, o.harmonics = 4;
  return o;
}

static limb_excitation* excite(const limb_model* m, const limb_excite_options* o)
{
  limb_excitation* x = NULL;
  limb_error err = {0};
  const limb_status s = limb_excite(m, o, &x, &err);
  check_at("%s: %s", err.where, err.text);
  assert_status(s, LIMB_OK);
  return x;
}

// ---- the gradient -----------------------------------------------------------------------------------------

// sum(G .* Y) at the state of the search.
static double product(limb_excite_search* s, const double* G)
{
  const int size = s->p->nv * s->p->n;
  double sum = 0;
  assert_ok(limb_excite_equations(s, true, s->Y));
  for (int i = 0; i < size; i++) sum += G[i] * s->Y[i];
  return sum;
}

// Central difference by one number of the state.
static double slope(limb_excite_search* s, const double* G, double* x)
{
  const double h = 1e-6, middle = *x;
  *x = middle + h;
  const double up = product(s, G);
  *x = middle - h;
  const double down = product(s, G);
  *x = middle;
  return (up - down) / (2 * h);
}

START_TEST(gradient_of_equations)
{
  if (_i >= CHECK_EFFORT(3, 6, ROBOTS)) return;
  limb_model* m = load(robots[_i]);
  limb_excite_options o = quick();
  o.harmonics = 1, o.steps = o.starts = 1, o.exclude = 0; // with springs and rotors
  limb_excitation* x = excite(m, &o);
  limb_excite_search s;
  uint64_t seed = 5;
  assert_that(limb_excite_search_make(&x->p, &s));
  const int nv = x->p.nv, size = nv * x->p.n;
  double *G = calloc((size_t)size, sizeof *G), by[3][DOFS];
  for (int k = 0; k < size; k++) G[k] = limb_random_sign(&seed);
  for (int j = 0; j < nv; j++)
    s.q[j] = limb_random_sign(&seed), s.v[j] = limb_random_sign(&seed), s.a[j] = 3 * limb_random_sign(&seed);
  for (int j = 0; j < nv; j++)
    by[0][j] = slope(&s, G, &s.q[j]), by[1][j] = slope(&s, G, &s.v[j]), by[2][j] = slope(&s, G, &s.a[j]);
  assert_ok(limb_excite_equations_gradient(&s, G));
  check_at("%s", robots[_i]);
  assert_close_array(s.gq, by[0], nv, 1e-6, 1e-6);
  assert_close_array(s.gv, by[1], nv, 1e-6, 1e-6);
  assert_close_array(s.ga, by[2], nv, 1e-6, 1e-6);
  free(G);
  limb_excite_search_free(&s);
  limb_excitation_destroy(x);
  limb_model_destroy(m);
}
END_TEST

// The criterion by an entry of N, both of them.
START_TEST(gradient_of_criterion)
{
  if (_i > 1) return;
  limb_model* m = load("planar_2r");
  limb_excite_options o = quick();
  o.criterion = _i ? LIMB_EXCITE_LOGDET : LIMB_EXCITE_CONDITION;
  limb_excitation* x = excite(m, &o);
  limb_excite_search s;
  assert_that(limb_excite_search_make(&x->p, &s));
  const int n = x->p.n;
  memcpy(s.center, x->center, (size_t)x->p.nv * sizeof *x->center);
  memcpy(s.x, x->x, (size_t)x->p.nv * (size_t)x->p.width * sizeof *x->x);
  assert_ok(limb_excite_judge(&s, 50, true, NULL));
  const double value = limb_excite_criterion_of(&s, true);
  double* H = malloc((size_t)(n * n) * sizeof *H);
  memcpy(H, s.H, (size_t)(n * n) * sizeof *H);
  assert_that(isfinite(value));
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      const double h = 1e-6 * sqrt(s.N[i * n + i] * s.N[j * n + j]), before = s.N[i * n + j];
      double f[2];
      for (int side = 0; side < 2; side++) {
        s.N[i * n + j] = s.N[j * n + i] = before + (side ? h : -h);
        f[side] = limb_excite_criterion_of(&s, false);
      }
      s.N[i * n + j] = s.N[j * n + i] = before;
      check_at("entry %d, %d", i, j);
      assert_close((i == j ? 1 : 2) * H[i * n + j] * h, (f[1] - f[0]) / 2, 1e-3, 1e-9);
    }
  free(H);
  limb_excite_search_free(&s);
  limb_excitation_destroy(x);
  limb_model_destroy(m);
}
END_TEST

// ---- limits -----------------------------------------------------------------------------------------------

// All limits of the model at many more samples than the search has; the rates are derivatives of the positions.
static void check_motion(const limb_model* m, const limb_excitation* x, const limb_excite_options* o)
{
  double q[DOFS], v[DOFS], a[DOFS], tau[DOFS], last[DOFS], rate[DOFS];
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  const int nv = limb_nv(m), steps = 20000;
  const double dt = o->duration / steps;
  for (int i = 0; i <= steps; i++) {
    assert_ok(limb_excitation_at(x, i * dt, q, v, a));
    assert_ok(limb_inverse_dynamics(d, q, v, a, NULL, tau));
    for (int j = 0; j < nv; j++) {
      limb_joint_info joint = {0};
      for (int k = 0; k < limb_joint_count(m); k++) {
        assert_ok(limb_get_joint(m, k, &joint));
        if (joint.nv == 1 && joint.v == j) break;
      }
      check_at("joint %d at %g s: q %g v %g a %g tau %g", j, i * dt, q[j], v[j], a[j], tau[j]);
      assert_that(q[j] >= joint.def.q_min && q[j] <= joint.def.q_max && fabs(v[j]) <= joint.def.v_max);
      assert_that(fabs(tau[j]) <= joint.def.effort_max && fabs(a[j]) <= o->max_acceleration);
      if (i > 0) assert_close((q[j] - last[j]) / dt, (v[j] + rate[j]) / 2, 1e-4, 1e-4);
      if (i == 0 || i == steps) assert_that(v[j] == 0 && a[j] == 0);
      last[j] = q[j], rate[j] = v[j];
    }
  }
  limb_data_destroy(d);
}

START_TEST(keeps_limits)
{
  if (_i >= CHECK_EFFORT(1, 3, ROBOTS)) return;

  limb_model* m = load(robots[_i]);
  limb_excite_options o = quick();
  limb_excitation_facts f;
  o.seed = 3 + (uint64_t)_i;
  limb_excitation* x = excite(m, &o);
  assert_ok(limb_excitation_get_facts(x, &f));
  check_at("%s: condition %g, random %g", robots[_i], f.condition, f.random);
  assert_that(f.condition <= f.random && f.random_best <= f.random && f.base_condition <= f.condition);
  check_motion(m, x, &o);
  limb_excitation_destroy(x);
  limb_model_destroy(m);
}
END_TEST

START_TEST(keeps_boxes)
{
  if (_i) return;
  limb_model* m = load("ur5");
  limb_data* d = NULL;
  limb_excite_options o = quick();
  limb_keep box = {limb_find_frame(m, "tool0"), sp_v3(0.1, -0.7, 0.2), sp_v3(0.8, 0.7, (double)INFINITY)};
  double q[DOFS], v[DOFS], a[DOFS];
  if (box.frame < 0) box.frame = limb_body_count(m) - 1;
  o.keep = &box, o.nkeep = 1;
  limb_excitation* x = excite(m, &o);
  assert_ok(limb_data_create(m, NULL, &d));
  for (int i = 0; i <= 5000; i++) {
    sp_pose X;
    assert_ok(limb_excitation_at(x, o.duration * i / 5000, q, v, a));
    assert_ok(limb_kinematics(d, q, NULL, NULL));
    assert_ok(limb_frame_pose(d, box.frame, &X));
    check_at("sample %d: %g %g %g", i, X.p.x, X.p.y, X.p.z);
    assert_that(X.p.x >= box.min.x && X.p.x <= box.max.x && X.p.y >= box.min.y && X.p.y <= box.max.y);
    assert_that(X.p.z >= box.min.z);
  }
  limb_data_destroy(d);
  limb_excitation_destroy(x);
  limb_model_destroy(m);
}
END_TEST

// ---- threads and bad input --------------------------------------------------------------------------------

// Reports come one at a time: plain memory.
typedef struct reports {
  uint64_t calls, last, total;
} reports;

static void report(void* context, uint64_t done, uint64_t total)
{
  reports* r = context;
  r->calls++, r->last = done, r->total = total;
}

START_TEST(same_for_all_threads)
{
  if (_i) return;
  limb_model* m = load("planar_2r");
  limb_excite_options o = quick();
  limb_threads* threads = NULL;
  assert_ok(limb_threads_create(3, NULL, &threads));
  o.starts = 5;
  limb_excitation* one = excite(m, &o);
  reports told = {0};
  o.pool = limb_threads_pool(threads), o.progress = report, o.context = &told;
  limb_excitation* several = excite(m, &o);
  assert_that(told.calls > 0 && told.last <= told.total && told.total == 5 * (uint64_t)o.steps);
  o.seed++;
  limb_excitation* other = excite(m, &o);
  double q[3][DOFS], v[DOFS], a[DOFS];
  for (int i = 1; i < 10; i++) {
    assert_ok(limb_excitation_at(one, i, q[0], v, a));
    assert_ok(limb_excitation_at(several, i, q[1], v, a));
    assert_ok(limb_excitation_at(other, i, q[2], v, a));
    assert_that(memcmp(q[0], q[1], (size_t)limb_nv(m) * sizeof **q) == 0);
    assert_that(memcmp(q[0], q[2], (size_t)limb_nv(m) * sizeof **q) != 0);
  }
  limb_excitation_destroy(one), limb_excitation_destroy(several), limb_excitation_destroy(other);
  limb_threads_destroy(threads);
  limb_model_destroy(m);
}
END_TEST

static void refused(const char* robot, const limb_excite_options* o, limb_status status, const char* word)
{
  limb_model* m = load(robot);
  limb_excitation* x = NULL;
  limb_error err = {0};
  const limb_status s = limb_excite(m, o, &x, &err);
  check_at("%s: %s: %s", robot, err.where, err.text);
  assert_status(s, status);
  assert_that(!x && (strstr(err.text, word) || strstr(err.where, word)));
  limb_model_destroy(m);
}

START_TEST(bad_input_is_named)
{
  if (_i) return;
  const limb_excite_options fine = quick();
  double start[DOFS] = {0, 100};
  limb_excite_options o = fine;
  refused("four_bar", &o, LIMB_E_UNSUPPORTED, "loops");
  refused("humanoid", &o, LIMB_E_UNSUPPORTED, "three revolute joints");
  o.start = start;
  refused("ur5", &o, LIMB_E_ARG, "shoulder_lift");
  start[1] = (double)NAN;
  refused("ur5", &o, LIMB_E_ARG, "range");
  limb_keep box = {7, sp_v3(5, 5, 5), sp_v3(6, 6, 6)};
  o = fine, o.keep = &box, o.nkeep = 1;
  refused("ur5", &o, LIMB_E_NOCONV, "box");
  box.max.z = 5;
  refused("ur5", &o, LIMB_E_ARG, "along z");
  box.frame = 1000;
  refused("ur5", &o, LIMB_E_ARG, "frame 1000");
  o = fine, o.duration = (double)NAN;
  refused("ur5", &o, LIMB_E_ARG, "range");
  o = fine, o.harmonics = 0;
  refused("ur5", &o, LIMB_E_ARG, "range");
  assert_status(limb_excite(NULL, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_excitation_at(NULL, 0, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_excitation_get_facts(NULL, NULL), LIMB_E_ARG);
  assert_that(!limb_excitation_hidden(NULL, 0));
  limb_excitation_destroy(NULL);
}
END_TEST

CHECK_MAIN("excite", ROBOTS, gradient_of_equations, gradient_of_criterion, keeps_limits, keeps_boxes,
           same_for_all_threads, bad_input_is_named)
