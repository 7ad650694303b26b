// Robots whose mass matrix is singular: forward dynamics says so, by either way, and the report names
// the joint that moves nothing.

#include "limb/limb.h"

#include "support/check.h"

#include <string.h>

// The second of two links: an arm of 1 kg about y, then `type` with the given inertia at its end.
typedef struct tip {
  const char* what;
  limb_joint_type type;
  sp_vec3 axis;
  sp_inertia inertia;
  double rotor;
  int massless;     // a note must name it
  limb_status want; // of forward dynamics
} tip;

static const sp_inertia nothing = {0, {0, 0, 0}, 0, 0, 0, 0, 0, 0};
static const sp_inertia on_axis = {2, {0, 0, 0.3}, 0, 0, 0, 0, 0, 0};
static const sp_inertia thin_rod = {2, {0.1, 0.2, 0.3}, 0.05, 0, 0, 0.05, 0, 0}; // along z
static const sp_inertia ball = {1, {0, 0, 0}, 0.1, 0, 0, 0.1, 0, 0.1};

static limb_model* make(const tip* t)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  limb_body_def arm = limb_default_body_def("arm"), end = limb_default_body_def("end");
  arm.inertia = limb_inertia_move(sp_pose_make(sp_identity3(), sp_v3(0.5, 0, 0)), limb_inertia_box(1, 1, 0.1, 0.1));
  end.inertia = t->inertia;
  assert_ok(limb_builder_add_body(b, &arm, NULL, NULL));
  assert_ok(limb_builder_add_body(b, &end, NULL, NULL));
  limb_joint_def first = limb_default_joint_def("first", LIMB_REVOLUTE, LIMB_WORLD_BODY, 1);
  limb_joint_def second = limb_default_joint_def("second", t->type, 1, 2);
  first.axis = sp_v3(0, 1, 0);
  second.axis = t->axis;
  second.placement.p = sp_v3(1, 0, 0);
  if (t->type == LIMB_REVOLUTE) second.rotor_inertia = t->rotor;
  assert_ok(limb_builder_add_joint(b, &first, NULL, NULL));
  assert_ok(limb_builder_add_joint(b, &second, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  return m;
}

// Notes that the joint moves nothing.
static int noted(const limb_model* m, const char* subject)
{
  int found = 0;
  for (int i = 0; i < limb_model_note_count(m); i++) {
    limb_note note;
    assert_ok(limb_model_note(m, i, &note));
    found += note.kind == LIMB_NOTE_MASSLESS && strcmp(note.subject, subject) == 0;
  }
  return found;
}

START_TEST(a_joint_that_moves_nothing_is_singular)
{
  const tip tips[] = {
    {"massless", LIMB_REVOLUTE, {1, 0, 0}, nothing, 0, 1, LIMB_E_SINGULAR},
    {"massless, tilted", LIMB_REVOLUTE, {1, 2, 3}, nothing, 0, 1, LIMB_E_SINGULAR},
    {"mass on its axis", LIMB_REVOLUTE, {0, 0, 1}, on_axis, 0, 1, LIMB_E_SINGULAR},
    {"massless slide", LIMB_PRISMATIC, {0, 1, 1}, nothing, 0, 1, LIMB_E_SINGULAR},
    {"massless screw", LIMB_HELICAL, {0, 1, 1}, nothing, 0, 1, LIMB_E_SINGULAR},
    {"massless ball", LIMB_SPHERICAL, {0, 0, 1}, nothing, 0, 1, LIMB_E_SINGULAR},
    {"rod on a ball", LIMB_SPHERICAL, {0, 0, 1}, on_axis, 0, 1, LIMB_E_SINGULAR},
    {"massless and free", LIMB_FREE, {0, 0, 1}, nothing, 0, 1, LIMB_E_SINGULAR},
    {"a free rod", LIMB_FREE, {0, 0, 1}, thin_rod, 0, 1, LIMB_E_SINGULAR},
    {"massless planar", LIMB_PLANAR, {0, 1, 0}, nothing, 0, 1, LIMB_E_SINGULAR},
    {"massless with a rotor", LIMB_REVOLUTE, {1, 0, 0}, nothing, 0.01, 0, LIMB_OK},
    {"a ball", LIMB_REVOLUTE, {1, 0, 0}, ball, 0, 0, LIMB_OK},
    {"a ball on a ball joint", LIMB_SPHERICAL, {0, 0, 1}, ball, 0, 0, LIMB_OK},
    {"a free ball", LIMB_FREE, {0, 0, 1}, ball, 0, 0, LIMB_OK},
  };
  for (size_t i = 0; i < sizeof tips / sizeof *tips; i++) {
    const tip* t = &tips[i];
    limb_model* m = make(t);
    limb_data* d = NULL;
    assert_ok(limb_data_create(m, NULL, &d));
    double q[8], work[49], a[7];
    const double v[7] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
    assert_ok(limb_neutral(m, q));
    q[0] = 0.4;
    check_at("%s", t->what);
    assert_that(noted(m, "second") == t->massless);
    assert_status(limb_forward_dynamics(d, q, v, v, NULL, a), t->want);
    assert_status(limb_forward_dynamics_aba(d, q, v, v, NULL, a), t->want);
    assert_status(limb_forward_dynamics_by_mass_matrix(d, q, v, v, NULL, work, a), t->want);
    assert_status(limb_mass_matrix_inverse(d, q, work), t->want);
    assert_ok(limb_inverse_dynamics(d, q, v, v, NULL, a));
    limb_data_destroy(d);
    limb_model_destroy(m);
  }
}
END_TEST

// Two hinges on one axis with nothing between them: each moves the same body.
START_TEST(coaxial_joints_without_mass_between_are_singular)
{
  const sp_vec3 axes[2] = {{0, 0, 1}, {0.36, 0.48, 0.8}};
  for (int i = 0; i < 2; i++) {
    limb_builder* b = NULL;
    limb_model* m = NULL;
    limb_data* d = NULL;
    assert_ok(limb_builder_create(NULL, &b));
    for (int k = 0; k < 2; k++) {
      limb_body_def body = limb_default_body_def(k ? "disc" : "washer");
      if (k) body.inertia = limb_inertia_cylinder(3, 0.2, 0.01);
      assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
      limb_joint_def joint = limb_default_joint_def(k ? "outer" : "inner", LIMB_REVOLUTE, k, k + 1);
      joint.axis = axes[i];
      assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
    }
    assert_ok(limb_builder_build(b, &m, NULL));
    assert_ok(limb_data_create(m, NULL, &d));
    const double q[2] = {0.7, -0.2}, tau[2] = {1, 2};
    double work[4], a[2];
    check_at("axis %d", i);
    assert_status(limb_forward_dynamics_aba(d, q, q, tau, NULL, a), LIMB_E_SINGULAR);
    assert_status(limb_forward_dynamics_by_mass_matrix(d, q, q, tau, NULL, work, a), LIMB_E_SINGULAR);
    limb_data_destroy(d);
    limb_model_destroy(m);
    limb_builder_destroy(b);
  }
}
END_TEST

// A massless hinge that leads, or follows, one with a body: their common coordinate is loaded.
START_TEST(a_pair_with_one_body_is_regular)
{
  for (int leads = 0; leads < 2; leads++) {
    limb_builder* b = NULL;
    limb_model* m = NULL;
    limb_data* d = NULL;
    assert_ok(limb_builder_create(NULL, &b));
    for (int k = 0; k < 2; k++) {
      limb_body_def body = limb_default_body_def(k ? "second" : "first");
      if (k == leads) body.inertia = ball;
      assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
      limb_joint_def joint = limb_default_joint_def(body.name, LIMB_REVOLUTE, LIMB_WORLD_BODY, k + 1);
      if (k == 1) joint.mimic = 0, joint.multiplier = 2;
      assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
    }
    assert_ok(limb_builder_build(b, &m, NULL));
    assert_ok(limb_data_create(m, NULL, &d));
    check_at("the massless one %s", leads ? "leads" : "follows");
    ck_assert_int_eq(noted(m, "first") + noted(m, "second"), 0);
    const double q = 0.3, tau = 0.2;
    double a;
    assert_ok(limb_forward_dynamics(d, &q, &q, &tau, NULL, &a));
    assert_close(a, leads ? 0.2 / (4 * 0.1) : 0.2 / 0.1, TOL_ALGEBRA, 0);
    limb_data_destroy(d);
    limb_model_destroy(m);
    limb_builder_destroy(b);
  }
}
END_TEST

// A shaft of a millimetre about its own axis: nothing is lost against the metre of its length.
START_TEST(slender_bodies_keep_their_digits)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_data* d = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  limb_body_def shaft = limb_default_body_def("shaft");
  shaft.inertia = limb_inertia_cylinder(1, 1e-4, 1);
  assert_ok(limb_builder_add_body(b, &shaft, NULL, NULL));
  const limb_joint_def hinge = limb_default_joint_def("hinge", LIMB_REVOLUTE, LIMB_WORLD_BODY, 1);
  assert_ok(limb_builder_add_joint(b, &hinge, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  assert_ok(limb_data_create(m, NULL, &d));
  const double q = 0.4;
  double M;
  assert_ok(limb_mass_matrix(d, &q, &M));
  assert_close(M, 1e-8 / 2, TOL_ALGEBRA, 0);
  limb_data_destroy(d);
  limb_model_destroy(m);
  limb_builder_destroy(b);
}
END_TEST

// A point mass that stands on the axis of its pan: the pan moves nothing but rounding. Every way says so.
START_TEST(a_mass_on_the_axis_is_singular)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_data* d = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  for (int k = 0; k < 2; k++) {
    limb_body_def body = limb_default_body_def(k ? "tilt" : "pan");
    if (k) body.inertia = (sp_inertia){.mass = 3, .com = {0.5, 0, 0}};
    assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
    limb_joint_def joint = limb_default_joint_def(k ? "j2" : "j1", LIMB_REVOLUTE, k, k + 1);
    joint.axis = k ? sp_v3(0, 1, 0) : sp_v3(0, 0, 1);
    assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  }
  assert_ok(limb_builder_build(b, &m, NULL));
  assert_ok(limb_data_create(m, NULL, &d));
  const double pole[2] = {0.3, 1.57079632679489662}, v[2] = {0.1, 0.2}, tau[2] = {1, 2};
  double work[64], x[4], y[4], z[4];
  const limb_fd_derivatives out = {NULL, x, y, z};
  assert_status(limb_forward_dynamics(d, pole, v, tau, NULL, x), LIMB_E_SINGULAR);
  assert_status(limb_forward_dynamics_by_mass_matrix(d, pole, v, tau, NULL, work, x), LIMB_E_SINGULAR);
  assert_status(limb_mass_matrix_inverse(d, pole, x), LIMB_E_SINGULAR);
  assert_status(limb_mass_matrix_solve(d, pole, 1, tau, x), LIMB_E_SINGULAR);
  assert_status(limb_forward_dynamics_derivatives(d, pole, v, tau, NULL, &out), LIMB_E_SINGULAR);
  assert_status(limb_scalar_curvature(d, pole, work, x), LIMB_E_SINGULAR);
  const double beside[2] = {0.3, 1.57079632}, away[2] = {0.3, 1.2};
  assert_status(limb_scalar_curvature(d, beside, work, x), LIMB_E_SINGULAR);
  assert_ok(limb_scalar_curvature(d, away, work, x));
  assert_close(x[0], 2 / (3 * 0.25), 1e-12, 0); // of a sphere: twice 1 / (m r^2)
  assert_ok(limb_forward_dynamics_derivatives(d, away, v, tau, NULL, &out));
  limb_data_destroy(d);
  limb_model_destroy(m);
  limb_builder_destroy(b);
}
END_TEST

// An inertia whose cube is beyond the numbers: articulated bodies have no answer, the factors of M do.
START_TEST(inertia_beyond_the_numbers)
{
  const limb_joint_type types[] = {LIMB_SPHERICAL, LIMB_FREE};
  const double v[6] = {0}, tau[6] = {1e104, 2e104, 3e104, 4e104, 5e104, 6e104};
  for (int i = 0; i < 2; i++) {
    limb_builder* b = NULL;
    limb_model* m = NULL;
    limb_data* d = NULL;
    limb_body_def body = limb_default_body_def("heavy");
    body.inertia = (sp_inertia){1e104, {0, 0, 0}, 1e104, 0, 0, 1e104, 0, 1e104};
    const limb_joint_def joint = limb_default_joint_def("joint", types[i], LIMB_WORLD_BODY, 1);
    assert_ok(limb_builder_create(NULL, &b));
    assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
    assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
    assert_ok(limb_builder_build(b, &m, NULL));
    assert_ok(limb_data_create(m, NULL, &d));
    double q[7], a[6], work[36];
    assert_ok(limb_neutral(m, q));
    assert_ok(limb_forward_dynamics_by_mass_matrix(d, q, v, tau, NULL, work, a));
    assert_close(a[0], 1, 1e-12, 0);
    assert_ok(limb_forward_dynamics(d, q, v, tau, NULL, a));
    assert_close(a[0], 1, 1e-12, 0);
    limb_data_destroy(d);
    limb_model_destroy(m);
    limb_builder_destroy(b);
  }
}
END_TEST

CHECK_MAIN("dynamics/singular", 1, a_pair_with_one_body_is_regular, slender_bodies_keep_their_digits,
           a_joint_that_moves_nothing_is_singular, coaxial_joints_without_mass_between_are_singular,
           a_mass_on_the_axis_is_singular, inertia_beyond_the_numbers)
