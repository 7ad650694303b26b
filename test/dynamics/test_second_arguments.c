// Second derivatives asked for with arguments that cannot be, and of robots that have none.
#include "limb/derivatives.h"

#include "dynamics/along.h"

// Calls of every kind, with one argument at a time that may be wrong.
typedef struct arguments {
  limb_dual* w;
  const double *q, *v, *x, *lambda;
  const limb_environment* env;
  const limb_directions* along;
  double* out;
} arguments;

enum { CALLS = 10 };

static limb_status call(int which, const arguments* a)
{
  double* o = a->out;
  const limb_id_derivatives id = {o, NULL, NULL, NULL};
  const limb_fd_derivatives fd = {o, NULL, NULL, NULL};
  const limb_gradients g = {o, NULL, NULL};
  const limb_second_derivatives T = {.dvdv = o};
  limb_dual* w = a->w;
  const limb_directions* d = a->along;
  switch (which) {
  case 0: return limb_inverse_dynamics_along_twice(w, a->q, a->v, a->x, a->env, d, d, o);
  case 1: return limb_forward_dynamics_along_twice(w, a->q, a->v, a->x, a->env, d, d, o);
  case 2: return limb_inverse_dynamics_derivatives_along(w, a->q, a->v, a->x, a->env, d, o ? &id : NULL);
  case 3: return limb_forward_dynamics_derivatives_along(w, a->q, a->v, a->x, a->env, d, o ? &fd : NULL);
  case 4: return limb_inverse_dynamics_hessian_along(w, a->q, a->v, a->x, a->env, a->lambda, d, o ? &g : NULL);
  case 5: return limb_forward_dynamics_hessian_along(w, a->q, a->v, a->x, a->env, a->lambda, d, o ? &g : NULL);
  case 6: return limb_inverse_dynamics_hessian(w, a->q, a->v, a->x, a->env, a->lambda, o ? &T : NULL);
  case 7: return limb_forward_dynamics_hessian(w, a->q, a->v, a->x, a->env, a->lambda, o ? &T : NULL);
  case 8: return limb_inverse_dynamics_second_derivatives(w, a->q, a->v, a->x, a->env, o ? &T : NULL);
  default: return limb_forward_dynamics_second_derivatives(w, a->q, a->v, a->x, a->env, o ? &T : NULL);
  }
}

static int has_directions(int which) { return which < 6; }
static int has_lambda(int which) { return which >= 4 && which < 8; }

static void refused(int which, const arguments* good, const trial* t)
{
  arguments a = *good;
  assert_ok(call(which, &a));
#define WRONG(member, value, want)      \
  a.member = value;                     \
  assert_status(call(which, &a), want); \
  a.member = good->member;
  WRONG(w, NULL, LIMB_E_ARG)
  WRONG(q, NULL, LIMB_E_ARG)
  WRONG(v, NULL, LIMB_E_ARG)
  WRONG(x, NULL, LIMB_E_ARG)
  WRONG(out, NULL, LIMB_E_ARG)
  limb_dual* of_vectors;
  assert_ok(limb_dual_create(t->m, LIMB_DUAL_VECTORS, NULL, &of_vectors));
  WRONG(w, of_vectors, LIMB_E_ARG)
  limb_dual_destroy(of_vectors);
  double bad[128] = {0};
  bad[0] = nan("");
  WRONG(q, bad, LIMB_E_NONFINITE)
  WRONG(v, bad, LIMB_E_NONFINITE)
  WRONG(x, bad, LIMB_E_NONFINITE)
  limb_environment env = limb_default_environment(t->m);
  env.coulomb_width = -1;
  WRONG(env, &env, LIMB_E_ARG)
  if (has_directions(which)) {
    const limb_directions negative = {.count = -1}, nans = {.count = 1, .dq = bad};
    const limb_directions both = {.count = 1, .da = good->v, .dtau = good->v};
    WRONG(along, NULL, LIMB_E_ARG)
    WRONG(along, &negative, LIMB_E_ARG)
    WRONG(along, &nans, LIMB_E_NONFINITE)
    WRONG(along, &both, LIMB_E_ARG)
  }
  if (has_lambda(which)) {
    WRONG(lambda, NULL, LIMB_E_ARG)
    WRONG(lambda, bad, LIMB_E_NONFINITE)
  }
#undef WRONG
}

static void bad_calls(trial* t)
{
  if (!trial_small(t)) return;
  const size_t n = (size_t)t->nv;
  const limb_directions along = {.count = 1, .dq = along_directions(t, 1)};
  const limb_directions two = {.count = 2, .dq = along_directions(t, 2)};
  arguments a = {.q = t->q, .v = t->v, .x = t->a, .lambda = t->v, .along = &along};
  a.out = trial_doubles(t, n * n * n);
  assert_ok(limb_dual_create(t->m, LIMB_DUAL_MATRICES, NULL, &a.w));
  for (int which = 0; which < CALLS; which++) refused(which, &a, t);
  assert_status(limb_inverse_dynamics_along_twice(a.w, t->q, t->v, t->a, NULL, &along, &two, a.out), LIMB_E_ARG);
  limb_dual_destroy(a.w);
}

START_TEST(what_cannot_be_computed_is_refused) { trial_over(_i, 1, bad_calls); }
END_TEST

// A joint that moves nothing: accelerations have no derivatives, forces have.
START_TEST(singular_robots_are_told)
{
  if (_i > 0) return;
  limb_builder* b;
  limb_model* m;
  limb_body_def body = limb_default_body_def("dust");
  assert_ok(limb_builder_create(NULL, &b));
  body.inertia = (sp_inertia){0};
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  const limb_joint_def joint = limb_default_joint_def("joint", LIMB_REVOLUTE, LIMB_WORLD_BODY, 1);
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  const double q = 0.3, one = 1;
  double out;
  const limb_directions along = {.count = 1, .dq = &one};
  arguments a = {.q = &q, .v = &one, .x = &one, .lambda = &one, .along = &along, .out = &out};
  assert_ok(limb_dual_create(m, LIMB_DUAL_MATRICES, NULL, &a.w));
  for (int which = 0; which < CALLS; which++) {
    assert_status(call(which, &a), which % 2 == 1 ? LIMB_E_SINGULAR : LIMB_OK);
  }
  assert_status(limb_forward_dynamics_along(a.w, &q, &one, &one, NULL, &along, &out), LIMB_E_SINGULAR);
  limb_dual_destroy(a.w);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("dynamics/second_arguments", trial_robots(), what_cannot_be_computed_is_refused, singular_robots_are_told)
