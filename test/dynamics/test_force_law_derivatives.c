// Force laws have no slopes: every derivative that wrenches enter refuses them, and does not ask them.
#include "kinematics/moving.h"
#include "support/robots.h"

enum { NV = 7 };

// A Panda in a random state, with a law that counts how often it is asked.
typedef struct bench {
  moving r;
  int calls;
  limb_force_law law;
  limb_environment env;
} bench;

static sp_force counted(void* context, const limb_frame_state* at)
{
  (void)at;
  ++*(int*)context;
  return (sp_force){{1, 2, 3}, {4, 5, 6}};
}

static void begin(bench* b)
{
  b->r = moving_begin(robot_panda(), 12);
  assert_that(b->r.nv == NV);
  b->calls = 0;
  b->law = (limb_force_law){5, LIMB_ALIGNED, counted, &b->calls};
  b->env = limb_default_environment(b->r.m);
  b->env.nlaw = 1, b->env.law = &b->law;
}

START_TEST(first_derivatives_are_refused)
{
  bench b;
  begin(&b);
  const moving* r = &b.r;
  double m[4][NV * NV], A[4 * NV * NV], B[2 * NV * (NV + 1)];
  const limb_id_derivatives id = {NULL, m[0], m[1], m[2]};
  const limb_fd_derivatives fd = {NULL, m[0], m[1], m[2]};
  const limb_hybrid in = {r->q, r->v, NULL, r->a, &b.env};
  const limb_hybrid_derivatives slopes = {NULL, m[0], m[1], m[2]};
  const limb_status no = LIMB_E_UNSUPPORTED;
  assert_status(limb_inverse_dynamics_derivatives(r->d, r->q, r->v, r->a, &b.env, &id), no);
  assert_status(limb_forward_dynamics_derivatives(r->d, r->q, r->v, r->a, &b.env, &fd), no);
  assert_status(limb_hybrid_dynamics_derivatives(r->d, &in, &slopes), no);
  assert_status(limb_linearise(r->d, r->q, r->v, r->a, &b.env, A, B), no);
  assert_status(limb_linearise_affine(r->d, r->q, r->v, r->a, &b.env, A, B), no);
  assert_status(limb_linearise_trajectory(r->d, 1, r->q, r->v, r->a, &b.env, A, B), no);
  assert_that(b.calls == 0);
  b.law.force = NULL; // what cannot be is said first
  assert_status(limb_inverse_dynamics_derivatives(r->d, r->q, r->v, r->a, &b.env, &id), LIMB_E_ARG);
  moving_end(&b.r);
}
END_TEST

START_TEST(derivatives_along_are_refused)
{
  bench b;
  begin(&b);
  const moving* r = &b.r;
  const limb_environment* env = &b.env;
  limb_dual* w = NULL;
  assert_ok(limb_dual_create(r->m, LIMB_DUAL_MATRICES, NULL, &w));
  double x[NV], *T = calloc((size_t)NV * NV * NV, sizeof *T), *m = calloc(NV * NV, sizeof *m);
  assert_that(T && m);
  const limb_directions along = {1, r->a, NULL, NULL, NULL};
  const limb_id_derivatives id = {NULL, m, NULL, NULL};
  const limb_fd_derivatives fd = {NULL, m, NULL, NULL};
  const limb_gradients g = {x, NULL, NULL};
  const limb_second_derivatives second = {m, NULL, NULL, NULL}, tensor = {T, NULL, NULL, NULL};
  const limb_hybrid in = {r->q, r->v, NULL, r->a, env};
  const limb_status s[] = {limb_inverse_dynamics_along(w, r->q, r->v, r->a, env, &along, x),
                           limb_forward_dynamics_along(w, r->q, r->v, r->a, env, &along, x),
                           limb_hybrid_dynamics_along(w, &in, &along, x),
                           limb_inverse_dynamics_derivatives_along(w, r->q, r->v, r->a, env, &along, &id),
                           limb_forward_dynamics_derivatives_along(w, r->q, r->v, r->a, env, &along, &fd),
                           limb_inverse_dynamics_along_twice(w, r->q, r->v, r->a, env, &along, &along, x),
                           limb_forward_dynamics_along_twice(w, r->q, r->v, r->a, env, &along, &along, x),
                           limb_inverse_dynamics_hessian_along(w, r->q, r->v, r->a, env, r->v, &along, &g),
                           limb_forward_dynamics_hessian_along(w, r->q, r->v, r->a, env, r->v, &along, &g),
                           limb_inverse_dynamics_hessian(w, r->q, r->v, r->a, env, r->v, &second),
                           limb_forward_dynamics_hessian(w, r->q, r->v, r->a, env, r->v, &second),
                           limb_inverse_dynamics_second_derivatives(w, r->q, r->v, r->a, env, &tensor),
                           limb_forward_dynamics_second_derivatives(w, r->q, r->v, r->a, env, &tensor)};
  for (size_t k = 0; k < sizeof s / sizeof s[0]; k++) {
    check_at("call %d", (int)k);
    assert_status(s[k], LIMB_E_UNSUPPORTED);
  }
  assert_that(b.calls == 0);
  free(T);
  free(m);
  limb_dual_destroy(w);
  moving_end(&b.r);
}
END_TEST

CHECK_MAIN("force laws: derivatives", 1, first_derivatives_are_refused, derivatives_along_are_refused)
