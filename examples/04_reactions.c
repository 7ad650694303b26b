// What bolts and bearings must carry: a column bolted to the floor, a swinging arm on it, and a payload
// bolted to the arm. The six-axis loads of all three joints, fixed ones included, over one swing.
#include <limb/limb.h>
#include <stdio.h>

enum { BOLTS, BEARING, GRIP, JOINTS };

static limb_status add(limb_builder* b, const char* name, limb_joint_type type, sp_vec3 at, sp_inertia inertia)
{
  const int parent = limb_builder_body_count(b) - 1; // each part sits on the one before
  limb_body_def part = limb_default_body_def(name);
  part.inertia = inertia;
  int body = 0;
  const limb_status s = limb_builder_add_body(b, &part, &body, NULL);
  if (s != LIMB_OK) return s;
  limb_joint_def joint = limb_default_joint_def(name, type, parent, body);
  joint.placement.p = at;
  return limb_builder_add_joint(b, &joint, NULL, NULL);
}

static limb_status make_crane(limb_model** robot)
{
  sp_inertia column = limb_inertia_cylinder(80, 0.15, 1.2), arm = limb_inertia_box(20, 1, 0.1, 0.1);
  column.com = sp_v3(0, 0, 0.6);
  arm.com = sp_v3(0.5, 0, 0);
  limb_builder* b = NULL;
  limb_status s = limb_builder_create(NULL, &b);
  if (s == LIMB_OK) s = add(b, "column", LIMB_FIXED, sp_v3(0, 0, 0), column);
  if (s == LIMB_OK) s = add(b, "arm", LIMB_REVOLUTE, sp_v3(0, 0, 1.2), arm);
  if (s == LIMB_OK) s = add(b, "payload", LIMB_FIXED, sp_v3(1, 0, 0), limb_inertia_sphere(10, 0.1));
  if (s == LIMB_OK) s = limb_builder_build(b, robot, NULL);
  limb_builder_destroy(b);
  return s;
}

int main(void)
{
  static const char* const what[JOINTS] = {"floor bolts", "bearing", "payload bolts"};
  limb_model* robot = NULL;
  limb_data* d = NULL;
  double radial[JOINTS] = {0}, axial[JOINTS] = {0}, tilting[JOINTS] = {0}, torque[JOINTS] = {0};
  limb_status s = make_crane(&robot);
  if (s == LIMB_OK) s = limb_data_create(robot, NULL, &d);
  for (int k = 0; k <= 200 && s == LIMB_OK; k++) { // swing by +-1 rad at 4 rad/s
    const double t = 0.01 * k, q = sin(4 * t), v = 4 * cos(4 * t), a = -16 * sin(4 * t);
    sp_force f[JOINTS];
    s = limb_joint_reactions(d, &q, &v, &a, NULL, LIMB_BODY, f);
    for (int j = 0; j < JOINTS && s == LIMB_OK; j++) {
      radial[j] = fmax(radial[j], hypot(f[j].f.x, f[j].f.y));
      axial[j] = fmax(axial[j], fabs(f[j].f.z));
      tilting[j] = fmax(tilting[j], hypot(f[j].m.x, f[j].m.y));
      torque[j] = fmax(torque[j], fabs(f[j].m.z));
    }
  }
  if (s != LIMB_OK) fprintf(stderr, "%s\n", limb_status_text(s));
  printf("largest load    radial     axial   tilting    about z\n");
  for (int j = 0; j < JOINTS; j++)
    printf("%-13s %6.1f N  %6.1f N %6.1f N m %6.1f N m\n", what[j], radial[j], axial[j], tilting[j], torque[j]);
  limb_data_destroy(d);
  limb_model_destroy(robot);
  // Weights by hand; in mid-swing 10 kg go round at 1 m with 4 rad/s, so do 20 kg at 0.5 m.
  const int right = fabs(axial[BOLTS] - 110 * 9.81) < 1e-9 && fabs(axial[GRIP] - 98.1) < 1e-9 &&
                    fabs(radial[BEARING] - 320) < 1 && radial[GRIP] >= 160 - 1e-9;
  return s == LIMB_OK && right ? 0 : 1;
}
