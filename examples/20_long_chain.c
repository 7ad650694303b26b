// A rope of 2000 hinges let go: its accelerations on two processors, and how far they are from the plain
// call's.
#include <limb/batch.h>
#include <limb/limb.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HINGES = 2000 };

// Short rods, each hinged to the one before; hinges turn about x and y in turn.
static limb_status make_rope(limb_model** rope)
{
  limb_builder* b = NULL;
  limb_status s = limb_builder_create(NULL, &b);
  for (int i = 0; s == LIMB_OK && i < HINGES; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "%d", i);
    limb_body_def rod = limb_default_body_def(name);
    rod.inertia = limb_inertia_rod(0.01, 0.02); // along z, about its centre,
    rod.inertia.com = sp_v3(0, 0, -0.01);       // which is below the hinge
    s = limb_builder_add_body(b, &rod, NULL, NULL);
    limb_joint_def hinge = limb_default_joint_def(name, LIMB_REVOLUTE, i, i + 1);
    hinge.placement.p = sp_v3(0, 0, i > 0 ? -0.02 : 0);
    hinge.axis = i % 2 ? sp_v3(1, 0, 0) : sp_v3(0, 1, 0);
    if (s == LIMB_OK) s = limb_builder_add_joint(b, &hinge, NULL, NULL);
  }
  if (s == LIMB_OK) s = limb_builder_build(b, rope, NULL);
  limb_builder_destroy(b);
  return s;
}

int main(void)
{
  static double q[HINGES], v[HINGES], tau[HINGES], a[HINGES], plain[HINGES];
  limb_model* rope = NULL;
  limb_threads* threads = NULL;
  limb_split* split = NULL;
  limb_data* data = NULL;
  for (int i = 0; i < HINGES; i++) q[i] = 0.3 * sin(0.01 * i), v[i] = 0.1 * cos(0.02 * i);

  limb_status s = make_rope(&rope);
  if (s == LIMB_OK) s = limb_threads_create(2, NULL, &threads);
  if (s == LIMB_E_UNSUPPORTED) s = limb_threads_create(1, NULL, &threads); // a build without threads
  if (s == LIMB_OK) s = limb_split_create(rope, limb_threads_pool(threads), NULL, NULL, &split);
  if (s == LIMB_OK) s = limb_split_forward_dynamics(split, q, v, tau, NULL, a);
  if (s == LIMB_OK) s = limb_data_create(rope, NULL, &data);
  if (s == LIMB_OK) s = limb_forward_dynamics(data, q, v, tau, NULL, plain);

  double size = 0, apart = 0;
  for (int i = 0; i < HINGES; i++) {
    size = fmax(size, fabs(plain[i]));
    apart = fmax(apart, fabs(a[i] - plain[i]));
  }
  printf("%d parts; largest acceleration %.4g rad/s^2, %.1e of it apart\n", limb_split_forward_parts(split), size,
         apart / size);
  limb_data_destroy(data);
  limb_split_destroy(split);
  limb_threads_destroy(threads);
  limb_model_destroy(rope);
  if (s != LIMB_OK) (void)fprintf(stderr, "%s\n", limb_status_text(s));
  return s == LIMB_OK && apart <= 1e-6 * size ? 0 : 1;
}
