// Real robots against an independent library: $LIMB_SHARED/robots/<robot>/vectors.json. Skipped,
// with a message, when there are no such files.
//
// Their conventions: linear part first; a continuous joint has two coordinates (cos, sin); the free
// joint's velocity is linear first, too; what is fixed to the world has been dropped.
#include "support/check.h"
#include "support/robots_impl.h"
#include "support/shared.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOL_ROBOTS  1e-10
#define TOL_INVERSE 1e-9 // accelerations and inverses

enum { MAX_NV = 64 };

// A robot, the file's joints, and where the file has each of our velocities.
typedef struct bench {
  json_t *file, *joints;
  limb_model* m;
  limb_data* d;
  int nv, frame;
  int theirs[MAX_NV];
} bench;

// One state in our conventions.
typedef struct state {
  json_t* s;
  double q[MAX_NV + 8], v[MAX_NV], a[MAX_NV], tau[MAX_NV];
} state;

// ---- reading ------------------------------------------------------------------------------------

static double number(const json_t* object, const char* key)
{
  const json_t* x = json_object_get(object, key);
  if (!json_is_number(x)) ck_abort_msg("no number %s", key);
  return json_number_value(x);
}

static int integer(const json_t* object, const char* key) { return (int)number(object, key); }

static void numbers(const json_t* object, const char* key, int count, double* x)
{
  const json_t* list = json_object_get(object, key);
  if ((int)json_array_size(list) != count) ck_abort_msg("%s is not a list of %d", key, count);
  for (int i = 0; i < count; i++) x[i] = json_number_value(json_array_get(list, (size_t)i));
}

static sp_vec3 vector(const json_t* object, const char* key)
{
  double x[3];
  numbers(object, key, 3, x);
  return sp_v3(x[0], x[1], x[2]);
}

static sp_pose placement(const json_t* object)
{
  sp_pose X;
  numbers(object, "placement_R", 9, X.R.m);
  X.p = vector(object, "placement_p");
  return X;
}

static sp_motion motion(const json_t* object, const char* key)
{
  double x[6];
  numbers(object, key, 6, x);
  return sp_motion_from_linear_first(x);
}

static sp_force force(const json_t* object, const char* key)
{
  double x[6];
  numbers(object, key, 6, x);
  return sp_force_from_linear_first(x);
}

// A list over velocities, in our order.
static void velocities(const bench* b, const json_t* object, const char* key, double* x)
{
  double y[MAX_NV];
  numbers(object, key, b->nv, y);
  for (int k = 0; k < b->nv; k++) x[k] = y[b->theirs[k]];
}

// A matrix over velocities, in our order.
static void matrix(const bench* b, const json_t* object, const char* key, double* x)
{
  static double y[MAX_NV * MAX_NV];
  numbers(object, key, b->nv * b->nv, y);
  for (int i = 0; i < b->nv; i++) {
    for (int j = 0; j < b->nv; j++) x[i * b->nv + j] = y[b->theirs[i] * b->nv + b->theirs[j]];
  }
}

// A 6 x nv matrix as columns in our order; each column is six numbers, linear first.
static void columns(const bench* b, const json_t* object, const char* key, double (*x)[6])
{
  static double y[6 * MAX_NV];
  numbers(object, key, 6 * b->nv, y);
  for (int k = 0; k < b->nv; k++) {
    for (int i = 0; i < 6; i++) x[k][i] = y[i * b->nv + b->theirs[k]];
  }
}

// ---- the robot ----------------------------------------------------------------------------------

static limb_joint_type type_of(const json_t* joint)
{
  const char* type = json_string_value(json_object_get(joint, "type"));
  if (!strcmp(type, "revolute") || !strcmp(type, "continuous")) return LIMB_REVOLUTE;
  if (!strcmp(type, "prismatic")) return LIMB_PRISMATIC;
  if (!strcmp(type, "spherical")) return LIMB_SPHERICAL;
  if (!strcmp(type, "free_flyer")) return LIMB_FREE;
  ck_abort_msg("unknown joint type %s", type);
}

// Body i of ours is what their joint i moves.
static limb_model* build(const json_t* file, const json_t* joints)
{
  limb_builder* b = fixture_begin(json_string_value(json_object_get(file, "robot")));
  for (size_t i = 0; i < json_array_size(joints); i++) {
    const json_t* j = json_array_get(joints, i);
    double I[9];
    numbers(j, "inertia_com", 9, I);
    const double six[6] = {I[0], I[1], I[2], I[4], I[5], I[8]};
    const sp_inertia Y = fixture_inertia(number(j, "mass"), vector(j, "com"), six);
    const char* name = json_string_value(json_object_get(j, "name"));
    const int body = fixture_body(b, name, Y);
    assert_that(body == integer(j, "index"));
    limb_joint_def def = limb_default_joint_def(name, type_of(j), integer(j, "parent"), body);
    def.placement = placement(j);
    if (def.type == LIMB_REVOLUTE || def.type == LIMB_PRISMATIC) def.axis = vector(j, "axis");
    fixture_joint(b, &def);
  }
  const json_t* frame = json_object_get(file, "frame");
  fixture_frame(b, "the end frame", integer(frame, "parent_joint"), placement(frame));
  return fixture_end(b);
}

static bench bench_of(json_t* file)
{
  bench b = {0};
  b.file = file, b.joints = json_object_get(file, "joints");
  b.m = build(file, b.joints);
  b.nv = limb_nv(b.m);
  assert_that(b.nv == integer(file, "nv") && b.nv <= MAX_NV);
  for (size_t i = 0; i < json_array_size(b.joints); i++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(b.m, (int)i, &info));
    const int first = integer(json_array_get(b.joints, i), "idx_v"), free = info.nv == 6;
    for (int k = 0; k < info.nv; k++) b.theirs[info.v + k] = first + (free ? (k + 3) % 6 : k);
  }
  b.frame = limb_find_frame(b.m, "the end frame");
  assert_ok(limb_data_create(b.m, NULL, &b.d));
  return b;
}

static void read_state(const bench* b, json_t* s, state* x)
{
  double q[MAX_NV + 16];
  numbers(s, "q", integer(b->file, "nq"), q);
  for (size_t i = 0; i < json_array_size(b->joints); i++) {
    const json_t* j = json_array_get(b->joints, i);
    const double* from = q + integer(j, "idx_q");
    limb_joint_info info;
    assert_ok(limb_get_joint(b->m, (int)i, &info));
    const int continuous = !strcmp(json_string_value(json_object_get(j, "type")), "continuous");
    if (continuous)
      x->q[info.q] = atan2(from[1], from[0]);
    else
      memcpy(x->q + info.q, from, (size_t)info.nq * sizeof *from);
  }
  x->s = s;
  velocities(b, s, "v", x->v);
  velocities(b, s, "a", x->a);
  velocities(b, s, "tau", x->tau);
}

// ---- comparing ----------------------------------------------------------------------------------

static void compare_dynamics(const bench* b, const state* x)
{
  static double M[MAX_NV * MAX_NV], want_M[MAX_NV * MAX_NV];
  double got[MAX_NV], want[MAX_NV];
  velocities(b, x->s, "tau_rnea", want);
  assert_ok(limb_inverse_dynamics(b->d, x->q, x->v, x->a, NULL, got));
  assert_close_array(got, want, b->nv, TOL_ROBOTS, 0);
  velocities(b, x->s, "nle", want);
  assert_ok(limb_bias_forces(b->d, x->q, x->v, NULL, got));
  assert_close_array(got, want, b->nv, TOL_ROBOTS, 0);
  velocities(b, x->s, "gravity", want);
  assert_ok(limb_gravity_forces(b->d, x->q, NULL, got));
  assert_close_array(got, want, b->nv, TOL_ROBOTS, 0);
  matrix(b, x->s, "M", want_M);
  assert_ok(limb_mass_matrix(b->d, x->q, M));
  assert_close_matrix(M, want_M, b->nv, b->nv, TOL_ROBOTS, 0);
  matrix(b, x->s, "C", want_M);
  assert_ok(limb_coriolis_matrix(b->d, x->q, x->v, M));
  assert_close_matrix(M, want_M, b->nv, b->nv, TOL_ROBOTS, 0);
  matrix(b, x->s, "Minv", want_M);
  assert_ok(limb_mass_matrix_inverse(b->d, x->q, M));
  assert_close_matrix(M, want_M, b->nv, b->nv, TOL_INVERSE, 0);
  velocities(b, x->s, "ddq_aba", want);
  assert_ok(limb_forward_dynamics(b->d, x->q, x->v, x->tau, NULL, got));
  assert_close_array(got, want, b->nv, TOL_INVERSE, 0);
  assert_ok(limb_forward_dynamics_aba(b->d, x->q, x->v, x->tau, NULL, got));
  assert_close_array(got, want, b->nv, TOL_INVERSE, 0);
  assert_ok(limb_forward_dynamics_by_mass_matrix(b->d, x->q, x->v, x->tau, NULL, M, got));
  assert_close_array(got, want, b->nv, TOL_INVERSE, 0);
}

// Wrenches on some bodies, as the file gives them in the body's axes and in the world's.
static void compare_wrenches(const bench* b, const state* x)
{
  const json_t* fext = json_object_get(x->s, "rnea_fext");
  const json_t* list = json_object_get(fext, "forces");
  limb_wrench w[MAX_NV];
  double got[MAX_NV], want[MAX_NV];
  limb_environment env = limb_default_environment(b->m);
  env.nwrench = (int)json_array_size(list), env.wrench = w;
  for (int aligned = 0; aligned < 2; aligned++) {
    for (int i = 0; i < env.nwrench; i++) {
      const json_t* f = json_array_get(list, (size_t)i);
      w[i].frame = integer(f, "joint");
      w[i].ref = aligned ? LIMB_ALIGNED : LIMB_BODY;
      w[i].wrench = force(f, aligned ? "f_world_aligned_at_joint_origin" : "f_local");
    }
    velocities(b, fext, "tau_rnea", want);
    assert_ok(limb_inverse_dynamics(b->d, x->q, x->v, x->a, &env, got));
    assert_close_array(got, want, b->nv, TOL_ROBOTS, 0);
    velocities(b, fext, "ddq_aba", want);
    assert_ok(limb_forward_dynamics(b->d, x->q, x->v, x->tau, &env, got));
    assert_close_array(got, want, b->nv, TOL_INVERSE, 0);
  }
}

static void compare_jacobian(const bench* b, const state* x, limb_ref ref, const char* key)
{
  static double want[MAX_NV][6];
  sp_motion J[MAX_NV], expected[MAX_NV];
  columns(b, x->s, key, want);
  for (int k = 0; k < b->nv; k++) expected[k] = sp_motion_from_linear_first(want[k]);
  assert_ok(limb_frame_jacobian(b->d, b->frame, ref, J));
  assert_close_motions(J, expected, b->nv, TOL_ROBOTS, 0);
}

static void compare_kinematics(const bench* b, const state* x)
{
  sp_pose X, want;
  sp_motion v;
  assert_ok(limb_kinematics(b->d, x->q, x->v, x->a));
  assert_ok(limb_frame_pose(b->d, b->frame, &X));
  numbers(x->s, "frame_R", 9, want.R.m);
  want.p = vector(x->s, "frame_p");
  assert_close_pose(X, want, TOL_ROBOTS, 0);
  compare_jacobian(b, x, LIMB_BODY, "frame_J_LOCAL");
  compare_jacobian(b, x, LIMB_ALIGNED, "frame_J_LWA");
  assert_ok(limb_frame_jacobian_rate_times_v(b->d, b->frame, LIMB_BODY, &v));
  assert_close_motion(v, motion(x->s, "frame_dJ_LOCAL_v"), TOL_ROBOTS, 0);
  assert_ok(limb_frame_jacobian_rate_times_v(b->d, b->frame, LIMB_ALIGNED, &v));
  assert_close_motion(v, motion(x->s, "frame_dJ_LWA_v"), TOL_ROBOTS, 0);
  assert_ok(limb_frame_velocity(b->d, b->frame, LIMB_BODY, &v));
  assert_close_motion(v, motion(x->s, "frame_v_LOCAL"), TOL_ROBOTS, 0);
  assert_ok(limb_frame_acceleration(b->d, b->frame, LIMB_BODY, &v));
  assert_close_motion(v, motion(x->s, "frame_a_spatial_LOCAL"), TOL_ROBOTS, 0);
  assert_ok(limb_frame_classical_acceleration(b->d, b->frame, LIMB_ALIGNED, &v));
  assert_close_motion(v, motion(x->s, "frame_a_classical_LWA"), TOL_ROBOTS, 0);
}

static void compare_whole(const bench* b, const state* x)
{
  static double want[MAX_NV][6];
  sp_force h, A[MAX_NV], expected[MAX_NV];
  sp_vec3 com, velocity, acceleration;
  limb_energy e;
  assert_ok(limb_energies(b->d, x->q, x->v, NULL, &e));
  assert_close(e.kinetic, number(x->s, "kinetic_energy"), TOL_ROBOTS, 0);
  assert_close(e.gravity, number(x->s, "potential_energy"), TOL_ROBOTS, 0);
  assert_ok(limb_center_of_mass(b->d, &com, &velocity, &acceleration));
  assert_close_vec3(com, vector(x->s, "com"), TOL_ROBOTS, 0);
  assert_close_vec3(velocity, vector(x->s, "vcom"), TOL_ROBOTS, 0);
  assert_close_vec3(acceleration, vector(x->s, "acom"), TOL_ROBOTS, 0);
  assert_ok(limb_momentum(b->d, 1, &h));
  assert_close_force(h, force(x->s, "centroidal_momentum"), TOL_ROBOTS, 0);
  assert_ok(limb_momentum_rate(b->d, 1, &h));
  assert_close_force(h, force(x->s, "centroidal_momentum_rate"), TOL_ROBOTS, 0);
  columns(b, x->s, "Ag", want);
  for (int k = 0; k < b->nv; k++) expected[k] = sp_force_from_linear_first(want[k]);
  assert_ok(limb_momentum_matrix(b->d, 1, A));
  assert_close_forces(A, expected, b->nv, TOL_ROBOTS, 0);
}

START_TEST(agrees_with_another_library)
{
  json_t* file = shared_vectors(shared_robots[_i]);
  if (!file) return;
  bench b = bench_of(file);
  const json_t* states = json_object_get(file, "states");
  for (size_t i = 0; i < json_array_size(states); i++) {
    check_at("robot %s, state %d of the file", shared_robots[_i], (int)i);
    state x = {0};
    read_state(&b, json_array_get(states, i), &x);
    compare_dynamics(&b, &x);
    compare_wrenches(&b, &x);
    compare_kinematics(&b, &x);
    compare_whole(&b, &x);
  }
  limb_data_destroy(b.d);
  limb_model_destroy(b.m);
  json_decref(file);
}
END_TEST

CHECK_MAIN("numbers/robots", SHARED_ROBOTS, agrees_with_another_library)
