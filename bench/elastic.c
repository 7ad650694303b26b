// A robot with elastic joints made of one without: springs in place of motors, all else the same.
#include "elastic.h"

static limb_status copy_bodies(const limb_builder* from, limb_builder* to)
{
  limb_status s = LIMB_OK;
  for (int i = 1; i < limb_builder_body_count(from) && s == LIMB_OK; i++) {
    limb_body_def body;
    s = limb_builder_get_body(from, i, &body);
    if (s == LIMB_OK) s = limb_builder_add_body(to, &body, NULL, NULL);
  }
  return s;
}

static limb_status copy_joints(const limb_builder* from, limb_builder* to, unsigned elastic, double stiffness)
{
  limb_status s = LIMB_OK;
  for (int j = 0; j < limb_builder_joint_count(from) && s == LIMB_OK; j++) {
    limb_joint_def joint;
    s = limb_builder_get_joint(from, j, &joint);
    if (elastic >> j & 1U) joint.stiffness = stiffness, joint.drive = LIMB_DRIVE_PASSIVE;
    if (s == LIMB_OK) s = limb_builder_add_joint(to, &joint, NULL, NULL);
  }
  return s;
}

limb_model* bench_elastic(limb_model* rigid, unsigned elastic, double stiffness)
{
  limb_builder *from = NULL, *to = NULL;
  limb_model* m = NULL;
  limb_status s = limb_builder_from_model(rigid, NULL, &from);
  if (s == LIMB_OK) s = limb_builder_create(NULL, &to);
  if (s == LIMB_OK) s = limb_builder_set_gravity(to, limb_builder_gravity(from));
  if (s == LIMB_OK) s = copy_bodies(from, to);
  if (s == LIMB_OK) s = copy_joints(from, to, elastic, stiffness);
  if (s == LIMB_OK) s = limb_builder_build(to, &m, NULL);
  limb_builder_destroy(from);
  limb_builder_destroy(to);
  limb_model_destroy(rigid);
  return s == LIMB_OK ? m : NULL;
}
