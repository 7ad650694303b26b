// A robot with everything about drives: active, passive and automatic joints, a Spong motor and a full one
// with figures that need all their digits, a shaft between two joints, a lumped elastic joint.
#ifndef LIMB_TEST_ELASTIC_ARM_H
#define LIMB_TEST_ELASTIC_ARM_H

#include "limb/builder.h"

#include "support/check.h"

static inline limb_builder* elastic_arm(void)
{
  static const char* const names[] = {"first", "second", "third", "fourth", "slide"};
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  for (int i = 0; i < 5; i++) {
    limb_body_def body = limb_default_body_def(names[i]);
    limb_joint_def joint = limb_default_joint_def(names[i], i == 4 ? LIMB_PRISMATIC : LIMB_REVOLUTE, i, i + 1);
    body.inertia =
      limb_inertia_move(sp_pose_make(sp_identity3(), sp_v3(0.1, 0.02, -0.03)), limb_inertia_box(1.5, 0.1, 0.2, 0.3));
    joint.placement = sp_pose_make(sp_identity3(), sp_v3(0.3, 0, 0.1 * i));
    joint.axis = sp_v3(0, i % 2, 1 - i % 2);
    if (i == 0) joint.drive = LIMB_DRIVE_PASSIVE;
    if (i == 2) joint.drive = LIMB_DRIVE_ACTIVE;
    if (i == 4) {
      joint.drive = LIMB_DRIVE_PASSIVE;
      joint.stiffness = 350;
      joint.rest = 0.2;
      joint.viscous = 0.7;
      joint.rotor_inertia = 0.01;
    }
    assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
    assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  }
  limb_motor_def motor = limb_default_motor_def(1);
  motor.rotor_inertia = 6e-5;
  motor.ratio = -100.1;
  motor.stiffness = 5000;
  motor.damping = 0.1 + 0.2;
  motor.rest = 0.1;
  motor.effort_max = 1.5;
  assert_ok(limb_builder_add_motor(b, &motor, NULL, NULL));
  limb_shaft_def shaft = limb_default_shaft_def(0, 2); // neither stiff nor damped
  assert_ok(limb_builder_add_shaft(b, &shaft, NULL));
  motor = limb_default_motor_def(3);
  motor.coupled = 1;
  motor.rotor_inertia = 8e-5;
  motor.rotor_mass = 0.25;
  motor.axis = sp_v3(1, 2, 2);
  motor.centre = sp_v3(0, 0.04, 1.0 / 3);
  motor.ratio = 49.0 / 3;
  motor.stiffness = 1e3 / 7;
  motor.viscous = 2e-5;
  motor.coulomb = 1e-3;
  assert_ok(limb_builder_add_motor(b, &motor, NULL, NULL));
  return b;
}

#endif
