// A robot that nothing holds: a trunk with four swinging legs falls freely. Whatever its motors do,
// its centre of mass accelerates with gravity and its spin does not change.
#include <limb/limb.h>
#include <stdio.h>

enum { LEGS = 4, NQ = 7 + LEGS, NV = 6 + LEGS };

static limb_status describe(limb_builder* b, limb_error* err)
{
  static const char* const name[LEGS] = {"lf", "rf", "lh", "rh"};
  limb_body_def trunk = limb_default_body_def("trunk");
  trunk.inertia = limb_inertia_box(12, 0.6, 0.3, 0.2);
  int body = 0;
  limb_status s = limb_builder_add_body(b, &trunk, &body, err);
  if (s != LIMB_OK) return s;
  const limb_joint_def root = limb_default_joint_def("root", LIMB_FREE, LIMB_WORLD_BODY, body);
  s = limb_builder_add_joint(b, &root, NULL, err);
  for (int i = 0; i < LEGS && s == LIMB_OK; i++) {
    limb_body_def leg = limb_default_body_def(name[i]);
    leg.inertia = limb_inertia_capsule(1.5, 0.03, 0.3);
    leg.inertia.com = sp_v3(0, 0, -0.2);
    int child = 0;
    s = limb_builder_add_body(b, &leg, &child, err);
    if (s != LIMB_OK) break;
    limb_joint_def hip = limb_default_joint_def(name[i], LIMB_REVOLUTE, body, child);
    hip.placement.p = sp_v3(i < 2 ? 0.25 : -0.25, i % 2 ? -0.12 : 0.12, 0);
    hip.axis = sp_v3(0, 1, 0);
    s = limb_builder_add_joint(b, &hip, NULL, err);
  }
  return s;
}

static limb_status fall(limb_data* d)
{
  // position, quaternion (a quarter turn about z), hips; w and v of the trunk in its own axes, rates
  const double q[NQ] = {0, 0, 2, 0, 0, 0.70710678118654752, 0.70710678118654752, 0.3, -0.2, 0.4, 0};
  const double v[NV] = {0.5, -1, 0.2, 1, 0, 0, 2, -3, 1, 0.5};
  const double tau[NV] = {0, 0, 0, 0, 0, 0, 1.5, -0.5, 2, -1}; // nothing pushes the trunk
  double a[NV];
  sp_vec3 com;
  sp_force rate, A[NV], momentum = {{0, 0, 0}, {0, 0, 0}};
  limb_status s = limb_momentum_matrix_at(d, q, 1, A); // about the centre of mass, as below
  for (int k = 0; k < NV && s == LIMB_OK; k++) momentum = sp_addf(momentum, sp_scalef(v[k], A[k]));
  if (s == LIMB_OK) s = limb_forward_dynamics(d, q, v, tau, NULL, a);
  if (s == LIMB_OK) s = limb_kinematics(d, q, v, a);
  if (s == LIMB_OK) s = limb_center_of_mass(d, NULL, NULL, &com);
  if (s == LIMB_OK) s = limb_momentum_rate(d, 1, &rate);
  if (s != LIMB_OK) return s;
  printf("trunk:          %7.3f %7.3f %7.3f rad/s^2 in its own axes\n", a[0], a[1], a[2]);
  printf("hips:           %7.3f %7.3f %7.3f %7.3f rad/s^2\n", a[6], a[7], a[8], a[9]);
  printf("centre of mass: %7.3f m/s^2 down, %.0e sideways\n", -com.z, hypot(com.x, com.y));
  printf("spin:           %7.3f %7.3f %7.3f N m s\n", momentum.m.x, momentum.m.y, momentum.m.z);
  printf("rate of spin:   %.0e N m\n", sp_norm3(rate.m));
  const double off = sp_norm3(sp_sub3(com, sp_v3(0, 0, -9.81)));
  return off < 1e-12 && sp_norm3(rate.m) < 1e-11 ? LIMB_OK : LIMB_E_NOCONV;
}

int main(void)
{
  limb_builder* b = NULL;
  limb_model* robot = NULL;
  limb_data* d = NULL;
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  limb_status s = limb_builder_create(NULL, &b);
  if (s == LIMB_OK) s = describe(b, &err);
  if (s == LIMB_OK) s = limb_builder_build(b, &robot, &err);
  if (s == LIMB_OK) s = limb_data_create(robot, NULL, &d);
  if (s == LIMB_OK) s = fall(d);
  if (s != LIMB_OK) fprintf(stderr, "%s %s %s\n", limb_status_text(s), err.where, err.text);
  limb_data_destroy(d);
  limb_model_destroy(robot);
  limb_builder_destroy(b);
  return s == LIMB_OK ? 0 : 1;
}
