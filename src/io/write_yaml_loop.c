// Loops of a builder as limb YAML: one entry of the list loops: each.
#include "io/write_yaml_impl.h"

#include "io/loops.h"

#include <stdio.h>

static limb_status put_end(const yaml_output* o, const limb_builder* b, const char* key, int body, const sp_pose* pose)
{
  limb_body_def def = limb_default_body_def("");
  const limb_status status = limb_builder_get_body(b, body, &def);
  if (status) return status;
  put(o, "    ");
  put(o, key);
  put(o, ": {body: ");
  limb_yaml_put_name(o, def.name);
  limb_yaml_put_pose(o, ", ", pose, "");
  put(o, "}\n");
  return LIMB_OK;
}

static limb_status put_joint(const yaml_output* o, const limb_builder* b, const char* key, int joint)
{
  limb_joint_def def = limb_default_joint_def("", LIMB_FIXED, 0, 0);
  const limb_status status = limb_builder_get_joint(b, joint, &def);
  if (status) return status;
  put(o, "    ");
  put(o, key);
  put(o, ": ");
  limb_yaml_put_name(o, def.name);
  put(o, "\n");
  return LIMB_OK;
}

static void put_locked(const yaml_output* o, unsigned locked)
{
  const char* before = "    locked: [";
  for (int i = 0; i < LOOP_NDIRECTION; i++) {
    if (!(locked & 1u << i)) continue;
    put(o, before);
    put(o, direction_words[i]);
    before = ", ";
  }
  put(o, "]\n");
}

static void put_coefficients(const yaml_output* o, const limb_loop_def* def)
{
  put(o, "    coefficients: ");
  limb_yaml_put_list(o, loop_coefficients(def), def->coefficient, limb_yaml_put_number);
  put(o, "\n");
}

static void put_law(const yaml_output* o, const limb_time_law* law)
{
  const limb_time_law unset = {0};
  char before[32];
  (void)snprintf(before, sizeof before, "    law: {row: %d", law->row);
  bool begun = law->row != 0;
  if (begun) put(o, before);
  (void)snprintf(before + strlen(before), sizeof before - strlen(before), ", ");
  for (int i = 0; i < YAML_NLAW; i++)
    begun |= limb_yaml_put_property(o, begun ? ", " : before, &yaml_law[i], law, &unset);
  if (begun) put(o, "}\n");
}

static void put_sizes(const yaml_output* o, const limb_loop_def* def)
{
  const limb_loop_def unset = limb_default_loop_def(NULL, def->kind, 0, 0);
  const yaml_property* const sizes[] = {&yaml_length, &yaml_radius};
  if (def->kind == LIMB_LOOP_LOCK) put_locked(o, def->locked);
  for (int i = 0; i < 2; i++) {
    if (limb_yaml_put_property(o, "    ", sizes[i], def, &unset)) put(o, "\n");
  }
}

static void put_relation(const yaml_output* o, const limb_loop_def* def)
{
  const limb_loop_def unset = limb_default_loop_def(NULL, def->kind, 0, 0);
  if (def->kind == LIMB_LOOP_POLYNOMIAL) {
    put_coefficients(o, def);
    return;
  }
  if (limb_yaml_put_property(o, "    ", &yaml_ratio, def, &unset)) put(o, "\n"); // never zero
  if (limb_yaml_put_property(o, "    ", &yaml_offset, def, &unset)) put(o, "\n");
}

limb_status limb_yaml_put_loop(const yaml_output* o, const limb_builder* b, int loop)
{
  limb_loop_def def = limb_default_loop_def("", LIMB_LOOP_LOCK, 0, 0);
  limb_status status = limb_builder_get_loop(b, loop, &def);
  if (status) return status;
  put(o, "  - name: ");
  limb_yaml_put_name(o, def.name);
  put(o, "\n    type: ");
  put(o, loop_words[def.kind]);
  put(o, "\n");
  if (loop_of_joints(def.kind)) {
    status = put_joint(o, b, "joint", def.joint);
    if (!status) status = put_joint(o, b, "other", def.other);
    put_relation(o, &def);
  } else {
    status = put_end(o, b, "a", def.body_a, &def.pose_a);
    if (!status) status = put_end(o, b, "b", def.body_b, &def.pose_b);
    put_sizes(o, &def);
  }
  put_law(o, &def.law);
  return status;
}
