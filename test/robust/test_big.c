// A chain of 100,000 links: builds, answers, needs memory in proportion, does not recurse deeply:
// everything runs on a stack of 256 KiB.
#include "support/check.h"
#include "support/rng.h"
#include "support/robots.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

enum {
  LINKS = 100000,
  STACK = CHECK_SANITIZED ? 1 << 20 : 1 << 18 // a sanitizer needs stack of its own
};

typedef struct outcome {
  limb_status build, inverse, forward, hybrid, kinematics;
  int nv;
  size_t size_small, size_big;
  double error;    // of forward(inverse(a)), relative
  double residual; // of inverse(forward(tau)), relative
  double mixed;    // of inverse dynamics after hybrid dynamics, relative
  double height;   // of the last body; finite
} outcome;

// Hybrid dynamics: force and acceleration given in turn. What it finds belongs together. After a come tau,
// the accelerations, the forces, and what is given.
static void hybrid(outcome* o, limb_data* d, const double* q, const double* v, double* a)
{
  double *tau = a + LINKS, *found = tau + LINKS, *felt = found + LINKS, *x = felt + LINKS;
  unsigned char* given = (unsigned char*)(x + LINKS);
  double size = 0;
  for (int k = 0; k < LINKS; k++) given[k] = k & 1, x[k] = given[k] ? a[k] : tau[k];
  o->hybrid = limb_hybrid_dynamics(d, q, v, given, x, NULL, found, felt);
  if (!o->hybrid) o->hybrid = limb_inverse_dynamics(d, q, v, found, NULL, x);
  for (int k = 0; k < LINKS; k++) {
    o->mixed = fmax(o->mixed, fabs(x[k] - felt[k]));
    size = fmax(size, fabs(felt[k]));
  }
  o->mixed /= size;
}

// Inverse, then forward and hybrid dynamics, then kinematics of the chain.
static void round_trip(outcome* o, limb_data* d, double* q, double* v, double* a)
{
  double *tau = a + LINKS, *back = a + 2 * LINKS;
  rng r = {3};
  rng_fill(&r, 3, LINKS, q);
  rng_fill(&r, 0.1, LINKS, v);
  rng_fill(&r, 1, LINKS, a);
  o->inverse = limb_inverse_dynamics(d, q, v, a, NULL, tau);
  o->forward = limb_forward_dynamics(d, q, v, tau, NULL, back);
  double *again = v + 4 * LINKS, size = 0;
  limb_status s = limb_inverse_dynamics(d, q, v, back, NULL, again);
  if (!o->inverse) o->inverse = s;
  for (int k = 0; k < LINKS; k++) {
    o->error = fmax(o->error, fabs(back[k] - a[k]));
    o->residual = fmax(o->residual, fabs(again[k] - tau[k]));
    size = fmax(size, fabs(tau[k]));
  }
  o->residual /= size;
  hybrid(o, d, q, v, a);
  sp_pose X = sp_pose_identity();
  o->kinematics = limb_kinematics(d, q, v, a);
  if (!o->kinematics) o->kinematics = limb_frame_pose(d, LINKS, &X);
  o->height = X.p.z;
}

static void* run(void* context)
{
  outcome* o = context;
  limb_model *small = robot_chain(LINKS / 5), *big = robot_chain(LINKS);
  limb_data* d = NULL;
  double* x = calloc(8 * (size_t)LINKS, sizeof *x);
  o->size_small = limb_data_size(small), o->size_big = limb_data_size(big);
  o->nv = limb_nv(big);
  o->build = x ? limb_data_create(big, NULL, &d) : LIMB_E_NOMEM;
  if (!o->build) round_trip(o, d, x, x + LINKS, x + 2 * LINKS);
  limb_data_destroy(d);
  limb_model_destroy(small);
  limb_model_destroy(big);
  free(x);
  return NULL;
}

START_TEST(chain_of_a_hundred_thousand)
{
  check_at("chain of %d links", LINKS);
  outcome o = {0};
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  assert_that(pthread_attr_setstacksize(&attributes, STACK) == 0);
  assert_that(pthread_create(&thread, &attributes, run, &o) == 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  assert_ok(o.build);
  assert_ok(o.inverse);
  assert_ok(o.forward);
  assert_ok(o.hybrid);
  assert_ok(o.kinematics);
  assert_that(o.nv == LINKS && isfinite(o.height));
  // Both are too large for the workspace of matrices.
  assert_that(o.size_big <= 5 * o.size_small && 10 * o.size_big >= 45 * o.size_small);
  // The accelerations found explain the torques; that they are also near the ones we began with is
  // as much as the condition of so long a chain allows.
  assert_close(o.residual, 0, 0, 1e-12);
  assert_close(o.mixed, 0, 0, 1e-12);
  assert_close(o.error, 0, 0, 1e-3);
}
END_TEST

CHECK_MAIN("robust/big", 1, chain_of_a_hundred_thousand)
