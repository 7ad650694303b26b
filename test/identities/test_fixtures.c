// The fixture robots are what their table says, and together they reach every class of link, every
// joint type and every kind of actuator: what the identities do not try is not tested.
#include "model/model_impl.h"
#include "support/trial.h"

#include <string.h>

START_TEST(table_tells_the_truth)
{
  int count;
  const robot* table = robot_table(&count);
  for (int i = 0; i < count; i++) {
    check_at("robot %s", table[i].name);
    limb_model* m = table[i].make();
    unsigned flags = limb_nv(m) >= 1000 ? ROBOT_LONG : 0;
    for (int j = 0; j < limb_joint_count(m); j++) {
      limb_joint_info info;
      assert_ok(limb_get_joint(m, j, &info));
      const limb_joint_def* def = &info.def;
      if (def->mimic >= 0) flags |= ROBOT_MIMIC;
      if (def->type == LIMB_FREE && j == 0 && def->parent == 0) flags |= ROBOT_FREE_BASE;
      if (def->rotor_inertia + def->coulomb + def->viscous + def->stiffness > 0) flags |= ROBOT_ACTUATED;
      if (info.shaft >= 0) flags |= ROBOT_SHAFTS;
    }
    ck_assert_int_eq(limb_nv(m), table[i].nv);
    ck_assert_uint_eq(flags, table[i].flags);
    assert_that(robot_find(table[i].name) == &table[i]);
    limb_model_destroy(m);
  }
  assert_that(robot_find("no such robot") == NULL);
}
END_TEST

START_TEST(every_class_and_type_occurs)
{
  int count, shapes[CLASS_FREE + 1] = {0}, types[LIMB_FREE + 1] = {0}, mimics[LIMB_FREE + 1] = {0};
  const robot* table = robot_table(&count);
  for (int i = 0; i < count; i++) {
    limb_model* m = table[i].make();
    for (int k = 0; k < m->nlink; k++) shapes[m->link[k].joint_class]++;
    for (int j = 0; j < limb_joint_count(m); j++) {
      limb_joint_info info;
      assert_ok(limb_get_joint(m, j, &info));
      types[info.def.type]++;
      mimics[info.def.type] += info.def.mimic >= 0;
    }
    limb_model_destroy(m);
  }
  for (int k = 0; k <= CLASS_FREE; k++) {
    check_at("class of link %d", k);
    assert_that(shapes[k] > 0);
  }
  for (int k = LIMB_FIXED; k <= LIMB_FREE; k++) {
    check_at("joint type %d", k);
    assert_that(types[k] > 0);
  }
  assert_that(mimics[LIMB_REVOLUTE] && mimics[LIMB_PRISMATIC] && mimics[LIMB_HELICAL]);
}
END_TEST

CHECK_MAIN("identities/fixtures", 1, table_tells_the_truth, every_class_and_type_occurs)
