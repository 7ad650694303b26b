// Shafts and series-elastic motors in the dynamics: by hand, by energies, between all types of joints.
#include "kinematics/moving.h"
#include "support/robots.h"
#include "support/robots_impl.h"

#include "limb/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 20, JOINTS = 7 };

// ---- Spong's equations by hand --------------------------------------------------------------------------

#define MASS    2.0
#define LENGTH  0.5
#define INERTIA 0.3 // of the arm about its centre of mass
#define ROTOR   1e-3
#define RATIO   40.0
#define STIFF   150.0
#define DAMPING 0.8
#define REST    0.1
#define GRAVITY 9.81

// An arm that hangs down, turning about -y, and its motor: joints 0 and 1.
static limb_model* make_arm(double stiffness, double damping, double rest)
{
  limb_builder* b = fixture_begin("series elastic arm");
  sp_inertia Y = limb_inertia_point(MASS, sp_v3(0, 0, -LENGTH));
  Y.yy = INERTIA;
  (void)fixture_link(b, "arm", LIMB_REVOLUTE, 0, fixture_at(0, 0, 1), sp_v3(0, -1, 0), Y);
  limb_motor_def motor = limb_default_motor_def(0);
  motor.rotor_inertia = ROTOR, motor.ratio = RATIO;
  motor.stiffness = stiffness, motor.damping = damping, motor.rest = rest;
  motor.viscous = 2e-3, motor.coulomb = 5e-3;
  limb_error err;
  fixture_ok(limb_builder_add_motor(b, &motor, NULL, &err), &err);
  return fixture_end(b);
}

//   I q'' + m g l sin q = T,     J qm'' + friction + T / n = tau,     T = K (qm / n - q - rest) + D (...)'
START_TEST(springs_after_spong)
{
  moving r = moving_begin(make_arm(STIFF, DAMPING, REST), 5);
  limb_environment env = limb_default_environment(r.m);
  rng g = {17};
  for (int k = 0; k < STATES; k++) {
    double q[2], v[2], tau[2], a[2];
    rng_fill(&g, 1, 2, q), rng_fill(&g, 3, 2, v), rng_fill(&g, 5, 2, tau);
    q[1] *= RATIO, v[1] *= RATIO;
    env.friction = k % 2;
    const double T = STIFF * (q[1] / RATIO - q[0] - REST) + (env.friction ? DAMPING * (v[1] / RATIO - v[0]) : 0);
    const double I = INERTIA + MASS * LENGTH * LENGTH, sign = v[1] > 0 ? 1 : -1;
    const double felt = env.friction ? 2e-3 * v[1] + 5e-3 * sign : 0;
    const double want[2] = {(tau[0] + T - MASS * GRAVITY * LENGTH * sin(q[0])) / I,
                            (tau[1] - felt - T / RATIO) / ROTOR};
    assert_ok(limb_forward_dynamics(r.d, q, v, tau, &env, a));
    assert_close_array(a, want, 2, TOL_ALGEBRA, 0);
    double back[2];
    assert_ok(limb_inverse_dynamics(r.d, q, v, want, &env, back));
    assert_close_array(back, tau, 2, TOL_ALGEBRA, TOL_ALGEBRA * fabs(T));
    limb_energy e;
    const double x = q[1] / RATIO - q[0] - REST;
    assert_ok(limb_energies(r.d, q, v, &env, &e));
    assert_close(e.springs, STIFF * x * x / 2, TOL_ALGEBRA, 0);
    assert_close(e.kinetic, (I * v[0] * v[0] + ROTOR * v[1] * v[1]) / 2, TOL_ALGEBRA, 0);
  }
  moving_end(&r);
}
END_TEST

// ---- the coupled rotor by its energy --------------------------------------------------------------------

static const sp_vec3 ROTOR_AXIS = {0.6, 0, 0.8}, ROTOR_CENTRE = {0.1, -0.2, 0.05};

// A shoulder with two axes and an elbow; the motor of the elbow sits on the upper arm, whose frame "seat" is
// the joint frame of the elbow moved to the rotor's centre.
static limb_model* make_coupled(int with_motor)
{
  limb_builder* b = fixture_begin("coupled");
  const double I[6] = {0.3, 0.02, -0.01, 0.4, 0.03, 0.2};
  const sp_pose elbow = {sp_rot_axis(sp_v3(0, 0.6, 0.8), 0.7), {0.2, 0.1, 0.4}};
  const int one = fixture_link(b, "1", LIMB_REVOLUTE, 0, sp_pose_identity(), sp_v3(0, 0, 1),
                               fixture_inertia(2, sp_v3(0.1, 0, 0.2), I));
  const int two = fixture_link(b, "2", LIMB_REVOLUTE, one, fixture_at(0, 0.1, 0.3), sp_v3(0, 1, 0),
                               fixture_inertia(3, sp_v3(0, 0.1, 0.2), I));
  (void)fixture_link(b, "3", LIMB_REVOLUTE, two, elbow, sp_v3(1, 0, 0), fixture_inertia(1, sp_v3(0, 0, 0.3), I));
  fixture_frame(b, "seat", two, sp_compose(elbow, sp_pose_make(sp_identity3(), ROTOR_CENTRE)));
  limb_motor_def motor = limb_default_motor_def(2);
  motor.coupled = 1, motor.rotor_mass = 0.5, motor.rotor_inertia = 0.02;
  motor.axis = ROTOR_AXIS, motor.centre = ROTOR_CENTRE, motor.ratio = 9;
  limb_error err;
  if (with_motor) fixture_ok(limb_builder_add_motor(b, &motor, NULL, &err), &err);
  return fixture_end(b);
}

//   2 T = m |c'|^2 + J (s.w + qm')^2 + J / 2 (|w|^2 - (s.w)^2),     w, c': of the carrier, at the rotor
START_TEST(energy_of_a_coupled_rotor)
{
  moving full = moving_begin(make_coupled(1), 1), bare = moving_begin(make_coupled(0), 1);
  rng g = {29};
  for (int k = 0; k < STATES; k++) {
    double q[4], v[4];
    rng_fill(&g, 3, 4, q), rng_fill(&g, 2, 4, v);
    limb_energy with, without;
    assert_ok(limb_energies(full.d, q, v, NULL, &with));
    assert_ok(limb_energies(bare.d, q, v, NULL, &without));
    sp_motion V;
    assert_ok(limb_kinematics(bare.d, q, v, NULL));
    assert_ok(limb_frame_velocity(bare.d, limb_find_frame(bare.m, "seat"), LIMB_BODY, &V));
    const double m = 0.5, J = 0.02, sw = sp_dot3(ROTOR_AXIS, V.w);
    const double spin = J * (sw + v[3]) * (sw + v[3]);
    const double rotor = m * sp_dot3(V.v, V.v) + spin + J / 2 * (sp_dot3(V.w, V.w) - sw * sw);
    assert_close(with.kinetic - without.kinetic, rotor / 2, TOL_ALGEBRA, TOL_ALGEBRA * with.kinetic);
    // the momentum of the rotor's coordinate is its spin about its axis
    double M[16], p[4] = {0};
    assert_ok(limb_mass_matrix(full.d, q, M));
    for (int i = 0; i < 4; i++) p[3] += M[12 + i] * v[i];
    assert_close(p[3], J * (sw + v[3]), TOL_ALGEBRA, TOL_ALGEBRA);
  }
  moving_end(&full);
  moving_end(&bare);
}
END_TEST

// ---- between any two joints -----------------------------------------------------------------------------

// A random tree, or chain, of one-dof joints of all types and places, so that link frames have zeros of
// their own. Joint k > 0 is driven by joint k - 1 or, every third one, by an end of the list.
static limb_model* make_shafts(uint64_t seed, int joints, int shafts, int chain)
{
  static const limb_joint_type types[] = {LIMB_REVOLUTE, LIMB_PRISMATIC, LIMB_HELICAL};
  limb_builder* b = fixture_begin("shafts");
  rng r = {seed};
  for (int k = 0; k < joints; k++) {
    const char name[2] = {(char)('a' + k), 0};
    const double I[6] = {0.3, 0.02, -0.01, 0.4, 0.03, 0.2};
    const int body = fixture_body(b, name, fixture_inertia(1, rng_vec3(&r, 0.3), I));
    const int parent = chain ? k : rng_below(&r, k + 1);
    limb_joint_def def = limb_default_joint_def(name, types[k % 3], parent, body);
    def.placement = rng_pose(&r, 0.5);
    def.axis = rng_direction(&r);
    if (def.type == LIMB_HELICAL) def.pitch = 0.1;
    (void)fixture_joint(b, &def);
  }
  for (int k = 1; k < joints; k++) {
    const int end = k == joints - 1 ? 0 : joints - 1;
    limb_shaft_def def = limb_default_shaft_def(k, k % 3 ? k - 1 : end);
    def.ratio = rng_uniform(&r, 0.5, 3) * (rng_chance(&r, 0.5) ? -1 : 1);
    def.stiffness = rng_uniform(&r, 5, 50), def.damping = rng_uniform(&r, 1, 5);
    def.rest = rng_uniform(&r, -1, 1);
    limb_error err;
    if (shafts) fixture_ok(limb_builder_add_shaft(b, &def, &err), &err);
  }
  return fixture_end(b);
}

// Inverse dynamics with and without them differ by what limb_spring_forces and limb_friction_forces say.
START_TEST(shafts_between_all_types)
{
  for (uint64_t seed = 1; seed <= STATES; seed++) {
    check_at("seed %d", (int)seed);
    moving with = moving_begin(make_shafts(seed, JOINTS, 1, 0), seed);
    moving bare = moving_begin(make_shafts(seed, JOINTS, 0, 0), seed);
    double tau[2][MOVING_MAX], springs[MOVING_MAX], friction[MOVING_MAX], a[MOVING_MAX];
    double work[MOVING_MAX];
    assert_ok(limb_inverse_dynamics(with.d, with.q, with.v, with.a, NULL, tau[0]));
    assert_ok(limb_inverse_dynamics(bare.d, with.q, with.v, with.a, NULL, tau[1]));
    assert_ok(limb_spring_forces(with.d, with.q, springs));
    assert_ok(limb_friction_forces(with.d, with.v, NULL, friction));
    for (int k = 0; k < with.nv; k++) tau[1][k] += springs[k] + friction[k];
    assert_close_array(tau[0], tau[1], with.nv, TOL_ALGEBRA, 0);
    assert_ok(limb_forward_dynamics(with.d, with.q, with.v, tau[0], NULL, a));
    assert_close_array(a, with.a, with.nv, TOL_SOLVE, 0);
    assert_ok(limb_forward_dynamics_by_mass_matrix(with.d, with.q, with.v, tau[0], NULL, work, a));
    assert_close_array(a, with.a, with.nv, TOL_SOLVE, 0);
    assert_ok(limb_reference_inverse_dynamics(with.m, with.q, with.v, with.a, NULL, tau[1], NULL));
    assert_close_array(tau[0], tau[1], with.nv, TOL_ALGEBRA, 0);
    moving_end(&with);
    moving_end(&bare);
  }
}
END_TEST

// On a chain, which has a shortcut without them when it is short: da/dx = -M^-1 d tau / dx.
static void derivatives_of_chain(int n)
{
  enum { MOST = JOINTS * JOINTS };
  moving r = moving_begin(make_shafts(4, n, 1, 1), 4);
  double tau[JOINTS], a[JOINTS], dq[2][MOST], dv[2][MOST], M[MOST], inverse[MOST], want[MOST];
  const limb_fd_derivatives fd = {a, dq[0], dv[0], inverse};
  const limb_id_derivatives id = {NULL, dq[1], dv[1], M};
  rng_fill(&(rng){3}, 2, n, tau);
  check_at("%d joints", n);
  assert_that(r.nv == n);
  assert_ok(limb_forward_dynamics_derivatives(r.d, r.q, r.v, tau, NULL, &fd));
  assert_ok(limb_inverse_dynamics_derivatives(r.d, r.q, r.v, a, NULL, &id));
  for (int which = 0; which < 2; which++) {
    const double *slope = which ? dv[1] : dq[1], *got = which ? dv[0] : dq[0];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        want[n * i + j] = 0;
        for (int k = 0; k < n; k++) want[n * i + j] -= inverse[n * i + k] * slope[n * k + j];
      }
    }
    assert_close_matrix(got, want, n, n, TOL_SOLVE, 0);
  }
  moving_end(&r);
}

START_TEST(derivatives_of_chains_with_shafts)
{
  for (int n = 2; n <= JOINTS; n++) derivatives_of_chain(n);
}
END_TEST

START_TEST(numbers_that_are_too_large)
{
  moving r = moving_begin(make_arm(1e200, 1e200, 0), 2);
  double q[2] = {1e150, 0}, v[2] = {0, 0}, a[2] = {0, 0}, tau[2];
  limb_energy e;
  assert_status(limb_inverse_dynamics(r.d, q, v, a, NULL, tau), LIMB_E_NONFINITE);
  assert_status(limb_forward_dynamics(r.d, q, v, a, NULL, tau), LIMB_E_NONFINITE);
  assert_status(limb_spring_forces(r.d, q, tau), LIMB_E_NONFINITE);
  assert_status(limb_energies(r.d, q, v, NULL, &e), LIMB_E_NONFINITE);
  q[0] = 0, v[0] = 1e150;
  assert_status(limb_friction_forces(r.d, v, NULL, tau), LIMB_E_NONFINITE);
  moving_end(&r);
}
END_TEST

// ---- parameters -----------------------------------------------------------------------------------------

START_TEST(names_and_values)
{
  limb_model* m = make_arm(STIFF, DAMPING, REST);
  static const struct {
    limb_parameter_kind kind;
    const char *symbol, *unit;
    double value;
  } want[LIMB_SHAFT_PARAMETERS] = {{LIMB_PARAMETER_SHAFT_STIFFNESS, "shaft_stiffness", "N m/rad", STIFF},
                                   {LIMB_PARAMETER_SHAFT_DAMPING, "shaft_damping", "N m s/rad", DAMPING},
                                   {LIMB_PARAMETER_SHAFT_OFFSET, "shaft_offset", "N m", -STIFF * REST}};
  const int first = 2 * LIMB_BODY_PARAMETERS + 2 * LIMB_JOINT_PARAMETERS;
  double theta[64];
  limb_parameter_info p;
  assert_that(limb_parameter_count(m) == first + LIMB_SHAFT_PARAMETERS);
  assert_ok(limb_parameters(m, theta));
  for (int k = 0; k < LIMB_SHAFT_PARAMETERS; k++) {
    assert_ok(limb_get_parameter(m, first + k, &p));
    assert_that(p.kind == want[k].kind && p.joint == 0 && p.body == -1);
    ck_assert_str_eq(p.of, "arm");
    ck_assert_str_eq(p.symbol, want[k].symbol);
    ck_assert_str_eq(p.unit, want[k].unit);
    assert_close(theta[first + k], want[k].value, 0, 0);
  }
  assert_status(limb_get_parameter(m, first + LIMB_SHAFT_PARAMETERS, &p), LIMB_E_ARG);
  limb_model_destroy(m);
  // a slide: its shaft is in newtons
  m = robot_elastic_arm();
  int found = 0;
  for (int k = 0; k < limb_parameter_count(m); k++) {
    assert_ok(limb_get_parameter(m, k, &p));
    if (strcmp(p.of, "slide") != 0 || p.kind < LIMB_PARAMETER_SHAFT_STIFFNESS) continue;
    const char* const unit[] = {"N/m", "N s/m", "N"};
    ck_assert_str_eq(p.unit, unit[p.kind - LIMB_PARAMETER_SHAFT_STIFFNESS]);
    found++;
  }
  assert_that(found == 3);
  limb_model_destroy(m);
}
END_TEST

static int find_base(const limb_base_parameters* b, const char* name)
{
  for (int i = 0; i < limb_base_count(b); i++)
    if (strcmp(limb_base_name(b, i), name) == 0) return i;
  return -1;
}

// Stiffness and damping can be told from all others; the offset only with those of joint and motor.
START_TEST(base_parameters_of_a_shaft)
{
  limb_model* m = make_arm(STIFF, DAMPING, REST);
  limb_base_parameters* b = NULL;
  limb_base_facts facts;
  double value[64];
  assert_ok(limb_base_create(m, NULL, 0, NULL, &b));
  assert_ok(limb_base_get_facts(b, &facts));
  assert_that(facts.agree);
  assert_ok(limb_base_values(b, NULL, value));
  // link 1 is the arm, link 2 the rotor
  static const struct {
    const char *name, *formula;
    double value;
  } want[] = {{"ks1", "ks1", STIFF},
              {"Fd1", "Fd1", DAMPING},
              {"cR1", "c1 - cs1", STIFF * REST},
              {"cR2", "c2 + 0.025 cs1", -STIFF * REST / RATIO}};
  for (size_t k = 0; k < sizeof want / sizeof want[0]; k++) {
    check_at("%s", want[k].name);
    const int i = find_base(b, want[k].name);
    assert_that(i >= 0);
    ck_assert_str_eq(limb_base_formula(b, i), want[k].formula);
    assert_close(value[i], want[k].value, TOL_ALGEBRA, 0);
  }
  assert_that(find_base(b, "cs1") == -1);
  limb_base_destroy(b);
  assert_ok(limb_base_create(m, NULL, LIMB_BASE_NO_SPRINGS, NULL, &b));
  assert_that(find_base(b, "ks1") == -1 && find_base(b, "Fd1") >= 0);
  limb_base_destroy(b);
  limb_environment env = limb_default_environment(m);
  env.friction = 0;
  assert_ok(limb_base_create(m, &env, 0, NULL, &b));
  assert_that(find_base(b, "ks1") >= 0 && find_base(b, "Fd1") == -1);
  limb_base_destroy(b);
  limb_model_destroy(m);
}
END_TEST

// Two vertical slides on a third, tied together: the ways of the offset meet in the mass of the carrier.
START_TEST(an_offset_that_goes_two_ways)
{
  limb_builder* b = fixture_begin("slides");
  const sp_vec3 up = {0, 0, 1};
  const int carrier =
    fixture_link(b, "carrier", LIMB_PRISMATIC, 0, sp_pose_identity(), up, limb_inertia_box(3, 1, 1, 1));
  const char* const name[] = {"left", "right"};
  for (int k = 0; k < 2; k++)
    (void)fixture_link(b, name[k], LIMB_PRISMATIC, carrier, fixture_at(k, 0, 0), up, limb_inertia_box(1, 1, 1, 1));
  limb_shaft_def def = limb_default_shaft_def(1, 2);
  def.ratio = -2, def.stiffness = 10, def.rest = 0.3;
  limb_error err;
  fixture_ok(limb_builder_add_shaft(b, &def, &err), &err);
  limb_model* m = fixture_end(b);
  limb_base_parameters* base = NULL;
  limb_base_facts facts;
  assert_ok(limb_base_create(m, NULL, 0, NULL, &base));
  assert_ok(limb_base_get_facts(base, &facts));
  assert_that(facts.agree);
  for (int i = 0; i < limb_base_count(base); i++) {
    const char* first = strstr(limb_base_formula(base, i), "cs2");
    check_at("%s = %s", limb_base_name(base, i), limb_base_formula(base, i));
    assert_that(!first || !strstr(first + 1, "cs2"));
  }
  limb_base_destroy(base);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("dynamics/shafts", 1, springs_after_spong, energy_of_a_coupled_rotor, shafts_between_all_types,
           derivatives_of_chains_with_shafts, numbers_that_are_too_large, names_and_values, base_parameters_of_a_shaft,
           an_offset_that_goes_two_ways)
