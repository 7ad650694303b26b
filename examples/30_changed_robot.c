// A robot changed in a program: the Panda with a hand, then with a load, then with a joint locked.
//
// docs/changing.md has all changes.
#include <limb/limb.h>
#include <limb/read.h>
#include <stdio.h>

// Builds the robot as it is now, and prints how many joints move and the torques that hold it.
static limb_status show(const limb_builder* b, const char* what, limb_error* err)
{
  enum { MAX_NV = 32 };
  limb_model* robot = NULL;
  limb_data* data = NULL;
  double q[MAX_NV], tau[MAX_NV];
  limb_status s = limb_builder_build(b, &robot, err);
  if (s == LIMB_OK) s = limb_data_create(robot, NULL, &data);
  if (s == LIMB_OK && limb_nv(robot) > MAX_NV) s = LIMB_E_UNSUPPORTED;
  if (s == LIMB_OK) s = limb_start(robot, q);
  if (s == LIMB_OK) s = limb_gravity_forces(data, q, NULL, tau);
  if (s == LIMB_OK)
    printf("%-28s %2d joints, %6.3f kg, shoulder %8.3f N m\n", what, limb_nv(robot), limb_total_mass(robot), tau[1]);
  limb_data_destroy(data);
  limb_model_destroy(robot);
  return s;
}

static limb_status change(limb_builder* arm, const limb_builder* hand, limb_error* err)
{
  const sp_inertia load = limb_inertia_sphere(2, 0.05);
  const double bent = -1.5;
  limb_status s = show(arm, "the arm", err);
  if (s == LIMB_OK) s = limb_builder_attach(arm, "flange", hand, "left_", err);
  if (s == LIMB_OK) s = show(arm, "with a hand", err);
  if (s == LIMB_OK) s = limb_builder_add_payload(arm, "ball", "flange", NULL, &load, err);
  if (s == LIMB_OK) s = show(arm, "with a ball of 2 kg", err);
  if (s == LIMB_OK) s = limb_builder_lock(arm, limb_builder_find_joint(arm, "joint4"), &bent, err);
  if (s == LIMB_OK) s = show(arm, "with its elbow locked", err);
  return s;
}

int main(void)
{
  limb_reading *arm = NULL, *hand = NULL;
  limb_error err = {0};
  limb_status s = limb_read("panda", NULL, &arm, &err);
  if (s == LIMB_OK) s = limb_read("hand", NULL, &hand, &err);
  if (s == LIMB_OK) s = change(limb_reading_builder(arm), limb_reading_builder(hand), &err);
  if (s != LIMB_OK) fprintf(stderr, "%s: %s\n", err.where, *err.text ? err.text : limb_status_text(s));
  limb_reading_destroy(arm);
  limb_reading_destroy(hand);
  return s != LIMB_OK;
}
