// The table of modified Denavit-Hartenberg parameters: a robot rebuilt from it is the same robot.

#include "support/check.h"
#include "support/trial.h"

#include <stdio.h>
#include <stdlib.h>

// ---- rebuilding ------------------------------------------------------------------------------------

// Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)
static sp_pose row_pose(const limb_mdh_row* row)
{
  const sp_vec3 x = sp_v3(1, 0, 0), z = sp_v3(0, 0, 1);
  const sp_pose first = {sp_rot_axis(z, row->gamma), sp_v3(0, 0, row->b)};
  const sp_pose second = {sp_rot_axis(x, row->alpha), sp_v3(row->d, 0, 0)};
  const sp_pose third = {sp_rot_axis(z, row->theta), sp_v3(0, 0, row->r)};
  return sp_compose(sp_compose(first, second), third);
}

// The first row that moves with the same coordinate and is no mimic joint of the model.
static int leader_of(const limb_model* m, const limb_mdh_row* row)
{
  limb_mdh_row other;
  limb_joint_info info;
  for (int i = 0; i < limb_mdh_count(m); i++) {
    assert_ok(limb_get_mdh(m, i, &other));
    assert_ok(limb_get_joint(m, other.joint, &info));
    if (other.q == row->q && info.def.mimic < 0) return i;
  }
  return -1;
}

static limb_joint_def rebuilt_joint(const limb_model* m, int i, const char* name)
{
  limb_mdh_row row;
  limb_joint_info info;
  assert_ok(limb_get_mdh(m, i, &row));
  assert_ok(limb_get_joint(m, row.joint, &info));
  limb_joint_def def = limb_default_joint_def(name, row.type, row.antecedent + 1, i + 1);
  def.placement = row_pose(&row);
  def.pitch = row.pitch;
  if (info.def.mimic >= 0) {
    def.mimic = leader_of(m, &row);
    def.multiplier = row.multiplier;
  }
  if (row.type == info.def.type && info.def.type <= LIMB_HELICAL) {
    def.rotor_inertia = info.def.rotor_inertia, def.gear_ratio = info.def.gear_ratio;
    def.coulomb = info.def.coulomb, def.viscous = info.def.viscous;
    def.stiffness = info.def.stiffness;
    def.rest = info.def.rest - info.offset; // the offset of a mimic joint is in theta or r
  }
  return def;
}

// The row of a joint, which has one.
static int row_of_joint(const limb_model* m, int joint)
{
  limb_mdh_row row;
  for (int i = 0; i < limb_mdh_count(m); i++) {
    assert_ok(limb_get_mdh(m, i, &row));
    if (row.joint == joint) return i;
  }
  return -1;
}

// Body i + 1 is row i; its frame is that of the compiled link.
static limb_model* rebuild(const limb_model* m)
{
  limb_builder* b = NULL;
  limb_model* out = NULL;
  limb_error err;
  char name[16];
  assert_ok(limb_builder_create(NULL, &b));
  assert_ok(limb_builder_set_gravity(b, limb_model_gravity(m)));
  for (int i = 0; i < limb_mdh_count(m); i++) {
    limb_mdh_row row;
    assert_ok(limb_get_mdh(m, i, &row));
    (void)snprintf(name, sizeof name, "%d", i);
    limb_body_def body = limb_default_body_def(name);
    body.inertia = limb_inertia_from_parameters(row.inertia);
    assert_ok(limb_builder_add_body(b, &body, NULL, &err));
  }
  for (int i = 0; i < limb_mdh_count(m); i++) {
    (void)snprintf(name, sizeof name, "%d", i);
    const limb_joint_def joint = rebuilt_joint(m, i, name);
    assert_ok(limb_builder_add_joint(b, &joint, NULL, &err));
  }
  for (int s = 0; s < limb_shaft_count(m); s++) {
    limb_shaft_def shaft;
    assert_ok(limb_get_shaft(m, s, &shaft));
    shaft.joint = row_of_joint(m, shaft.joint), shaft.motor = row_of_joint(m, shaft.motor);
    assert_ok(limb_builder_add_shaft(b, &shaft, &err));
  }
  assert_ok(limb_builder_build(b, &out, &err));
  limb_builder_destroy(b);
  return out;
}

// Where coordinates and velocities of the rebuilt robot come from: places in the original's vectors.
typedef struct twin {
  limb_model* m;
  limb_data* d;
  int *q, *v;
} twin;

static twin make_twin(const limb_model* m)
{
  twin t = {.m = rebuild(m)};
  assert_ok(limb_data_create(t.m, NULL, &t.d));
  t.q = calloc((size_t)limb_nq(m) + 1, sizeof(int));
  t.v = calloc((size_t)limb_nv(m) + 1, sizeof(int));
  assert_that(limb_nq(t.m) == limb_nq(m));
  assert_that(limb_nv(t.m) == limb_nv(m));
  for (int i = 0; i < limb_mdh_count(m); i++) {
    limb_mdh_row row;
    limb_joint_info old, new;
    assert_ok(limb_get_mdh(m, i, &row));
    assert_ok(limb_get_joint(m, row.joint, &old));
    assert_ok(limb_get_joint(t.m, i, &new));
    for (int k = 0; k < new.nq; k++) t.q[new.q + k] = row.q + k;
    for (int k = 0; k < new.nv; k++) t.v[new.v + k] = old.v + (row.q - old.q) + k;
  }
  return t;
}

static void free_twin(twin* t)
{
  limb_data_destroy(t->d);
  limb_model_destroy(t->m);
  free(t->q);
  free(t->v);
}

static double* taken(trial* t, const int* from, int n, const double* x)
{
  double* y = trial_doubles(t, (size_t)n);
  for (int i = 0; i < n; i++) y[i] = x[from[i]];
  return y;
}

// ---- the same forces -------------------------------------------------------------------------------

static void rebuilt_robot_is_the_same(trial* t)
{
  if (t->state > 0 && t->nv > 100) return;
  twin other = make_twin(t->m);
  const int nv = t->nv;
  const size_t nn = (size_t)nv * (size_t)nv;
  const double *q = taken(t, other.q, t->nq, t->q), *v = taken(t, other.v, nv, t->v);
  const double* a = taken(t, other.v, nv, t->a);
  double *tau = trial_doubles(t, (size_t)nv), *tau2 = trial_doubles(t, (size_t)nv);
  double *M = trial_doubles(t, nn), *M2 = trial_doubles(t, nn), *M3 = trial_doubles(t, nn);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, NULL, tau));
  assert_ok(limb_inverse_dynamics(other.d, q, v, a, NULL, tau2));
  assert_close_array(taken(t, other.v, nv, tau), tau2, nv, 1e-12, 0);
  assert_ok(limb_mass_matrix(t->d, t->q, M));
  assert_ok(limb_mass_matrix(other.d, q, M2));
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) M3[i * nv + j] = M[other.v[i] * nv + other.v[j]];
  assert_close_matrix(M3, M2, nv, nv, 1e-12, 0);
  free_twin(&other);
}

START_TEST(robots_rebuilt_from_the_table_are_the_same) { trial_over(_i, 10, rebuilt_robot_is_the_same); }
END_TEST

// ---- grouped parameters ----------------------------------------------------------------------------

// Y v for ten parameters about the origin, which need not be a body's.
static sp_force times(const double y[10], sp_motion v)
{
  const sp_vec3 h = sp_v3(y[1], y[2], y[3]);
  const sp_mat3 A = {{y[4], y[5], y[6], y[5], y[7], y[8], y[6], y[8], y[9]}};
  const sp_vec3 m = sp_add3(sp_mulv(A, v.w), sp_cross3(h, v.v));
  const sp_vec3 f = sp_sub3(sp_scale3(y[0], v.v), sp_cross3(h, v.w));
  return sp_force_make(m, f);
}

// g = -sum J' Y (0; gravity), M = sum J' Y J over the links, with the grouped parameters.
static void grouped_parameters_do_the_same(trial* t)
{
  if (!trial_small(t)) return;
  twin other = make_twin(t->m);
  const int nv = t->nv;
  const size_t nn = (size_t)nv * (size_t)nv;
  const double* q = taken(t, other.q, t->nq, t->q);
  double *M = trial_doubles(t, nn), *sum = trial_doubles(t, nn);
  double *g = trial_doubles(t, (size_t)nv), *sum_g = trial_doubles(t, (size_t)nv);
  sp_motion* J = trial_motions(t, (size_t)nv);
  assert_ok(limb_mass_matrix(other.d, q, M));
  assert_ok(limb_gravity_forces(other.d, q, NULL, g));
  assert_ok(limb_kinematics(other.d, q, NULL, NULL));
  for (int i = 0; i < limb_mdh_count(t->m); i++) {
    limb_mdh_row row;
    limb_joint_info info;
    sp_pose X;
    assert_ok(limb_get_mdh(t->m, i, &row));
    assert_ok(limb_frame_jacobian(other.d, i + 1, LIMB_BODY, J));
    assert_ok(limb_frame_pose(other.d, i + 1, &X));
    const sp_vec3 down = sp_tmulv(X.R, limb_model_gravity(t->m));
    const sp_force weight = times(row.grouped, sp_motion_make(sp_v3(0, 0, 0), down));
    for (int k = 0; k < nv; k++) {
      const sp_force p = times(row.grouped, J[k]);
      sum_g[k] -= sp_dot(J[k], weight);
      for (int j = 0; j < nv; j++) sum[j * nv + k] += sp_dot(J[j], p);
    }
    assert_ok(limb_get_joint(other.m, i, &info));
    const double gear = info.def.gear_ratio;
    if (info.def.rotor_inertia > 0)
      sum[info.v * nv + info.v] += info.multiplier * info.multiplier * gear * gear * info.def.rotor_inertia;
  }
  assert_close_matrix(sum, M, nv, nv, 1e-11, 0);
  assert_close_array(sum_g, g, nv, 1e-11, 0);
  free_twin(&other);
}

START_TEST(grouped_parameters_give_the_same_forces) { trial_over(_i, 3, grouped_parameters_do_the_same); }
END_TEST

START_TEST(rotations_keep_no_parameter_of_their_axis)
{
  limb_model* m = robot_panda();
  limb_mdh_row row;
  assert_that(limb_mdh_count(m) == 7);
  for (int i = 0; i < 7; i++) {
    assert_ok(limb_get_mdh(m, i, &row));
    assert_that(row.type == LIMB_REVOLUTE);
    assert_that(row.antecedent == i - 1);
    assert_that(row.joint == i);
    assert_that(row.q == i);
    assert_that(row.grouped[0] == 0 && row.grouped[3] == 0);
    assert_that(row.inertia[0] > 0);
  }
  limb_model_destroy(m);
}
END_TEST

// ---- arguments -------------------------------------------------------------------------------------

START_TEST(arguments_are_checked)
{
  limb_model* m = robot_planar_2r();
  limb_mdh_row row;
  assert_that(limb_mdh_count(NULL) == 0);
  assert_status(limb_get_mdh(NULL, 0, &row), LIMB_E_ARG);
  assert_status(limb_get_mdh(m, 0, NULL), LIMB_E_ARG);
  assert_status(limb_get_mdh(m, -1, &row), LIMB_E_ARG);
  assert_status(limb_get_mdh(m, limb_mdh_count(m), &row), LIMB_E_ARG);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("mdh", trial_robots(), robots_rebuilt_from_the_table_are_the_same, grouped_parameters_give_the_same_forces,
           rotations_keep_no_parameter_of_their_axis, arguments_are_checked)
