// Robots with shafts, and smooth motions of their links with all derivatives.
#ifndef LIMB_TEST_ELASTIC_ROBOTS_H
#define LIMB_TEST_ELASTIC_ROBOTS_H

#include "limb/dynamics.h"

#include "support/check.h"
#include "support/rng.h"
#include "support/robots_impl.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- a two-joint arm ----------------------------------------------------------------------------------

typedef struct arm_options {
  double stiffness, damping, ratio, rest; // of both shafts
  bool coupled;
  int elastic;             // bit j: joint j has a motor behind a shaft
  double coulomb, viscous; // of the links' joints
} arm_options;

static const double ARM_MASS[2] = {2, 1}, ARM_LENGTH[2] = {1, 0.8}, ARM_ROTOR = 2e-3, ARM_ROTOR_MASS = 0.4,
                    ARM_GRAVITY = 9.81;

// Point masses at the tips of two rods, in the x y plane with gravity along -y (Lynch and Park 2017, section 9.1.1).
// Joints 0 and 1 are the arm's; motors come after them.
static inline limb_model* elastic_arm(const arm_options* o)
{
  limb_builder* b = fixture_begin("arm");
  fixture_gravity(b, sp_v3(0, -ARM_GRAVITY, 0));
  int parent = LIMB_WORLD_BODY;
  for (int j = 0; j < 2; j++) {
    const char* name = j == 0 ? "upper" : "lower";
    const sp_inertia tip = {.mass = ARM_MASS[j], .com = {ARM_LENGTH[j], 0, 0}};
    const int body = fixture_body(b, name, tip);
    limb_joint_def def = limb_default_joint_def(name, LIMB_REVOLUTE, parent, body);
    def.placement = fixture_at(j == 0 ? 0 : ARM_LENGTH[0], 0, 0);
    def.coulomb = o->coulomb, def.viscous = o->viscous;
    fixture_joint(b, &def);
    parent = body;
  }
  for (int j = 0; j < 2; j++) {
    if (!(o->elastic >> j & 1)) continue;
    limb_motor_def motor = limb_default_motor_def(j);
    motor.coupled = o->coupled, motor.rotor_inertia = ARM_ROTOR;
    motor.rotor_mass = o->coupled ? ARM_ROTOR_MASS : 0;
    motor.ratio = o->ratio, motor.rest = o->rest;
    motor.stiffness = o->stiffness, motor.damping = o->damping;
    limb_error err = {0};
    fixture_ok(limb_builder_add_motor(b, &motor, NULL, &err), &err);
  }
  return fixture_end(b);
}

// ---- random robots ------------------------------------------------------------------------------------

static inline sp_inertia random_inertia(rng* r)
{
  const double Ixx = rng_uniform(r, 0.02, 0.1), Iyy = rng_uniform(r, 0.02, 0.1);
  const double I[6] = {Ixx, 0.002, -0.003, Iyy, 0.001, 0.9 * (Ixx + Iyy)};
  const sp_vec3 com = rng_vec3(r, 0.2);
  return fixture_inertia(rng_uniform(r, 0.5, 2), com, I);
}

// Tree of that many moving bodies with all joint types; most joints with one degree of freedom are elastic,
// in both models, damped or not; joints and motors have friction, some joints rotors and springs, and the
// last follows another.
static inline limb_model* elastic_random(uint64_t seed, int bodies)
{
  rng r = {seed};
  limb_builder* b = fixture_begin("random");
  int body[16] = {LIMB_WORLD_BODY}, first = -1;
  for (int i = 0; i < bodies; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "j%d", i);
    const bool plain = rng_chance(&r, 0.7);
    const limb_joint_type type =
      (limb_joint_type)(plain ? LIMB_REVOLUTE + rng_below(&r, 3) : LIMB_CYLINDRICAL + rng_below(&r, 5));
    const int parent = body[rng_chance(&r, 0.7) ? i : rng_below(&r, i + 1)];
    body[i + 1] = fixture_body(b, name, random_inertia(&r));
    limb_joint_def def = limb_default_joint_def(name, type, parent, body[i + 1]);
    def.placement = rng_pose(&r, 0.4), def.axis = rng_direction(&r);
    if (type == LIMB_UNIVERSAL) def.axis2 = sp_cross3(def.axis, rng_direction(&r));
    if (type == LIMB_HELICAL) def.pitch = rng_uniform(&r, -0.2, 0.2);
    if (plain) {
      def.coulomb = rng_uniform(&r, 0, 0.5), def.viscous = rng_uniform(&r, 0, 0.5);
      def.rotor_inertia = rng_chance(&r, 0.3) ? 0.01 : 0;
      def.stiffness = rng_chance(&r, 0.3) ? 5 : 0, def.rest = 0.2;
    }
    if (plain && i == bodies - 1 && first >= 0) def.mimic = first, def.multiplier = -0.7, def.offset = 0.1;
    const int joint = fixture_joint(b, &def);
    if (!plain || def.mimic >= 0) continue;
    if (first < 0) first = joint;
    if (rng_chance(&r, 0.2)) continue;
    limb_motor_def motor = limb_default_motor_def(joint);
    motor.coupled = rng_chance(&r, 0.5);
    motor.rotor_inertia = rng_uniform(&r, 5e-3, 2e-2);
    motor.rotor_mass = motor.coupled ? rng_uniform(&r, 0.1, 0.5) : 0;
    if (rng_chance(&r, 0.5)) motor.axis = rng_direction(&r), motor.centre = rng_vec3(&r, 0.1);
    motor.ratio = (rng_chance(&r, 0.5) ? 1 : -1) * rng_uniform(&r, 1, 20);
    motor.stiffness = rng_uniform(&r, 50, 300), motor.rest = rng_uniform(&r, -0.2, 0.2);
    motor.damping = rng_chance(&r, 0.4) ? rng_uniform(&r, 1, 10) : 0;
    motor.coulomb = 0.01, motor.viscous = 0.002;
    limb_error err = {0};
    fixture_ok(limb_builder_add_motor(b, &motor, NULL, &err), &err);
  }
  return fixture_end(b);
}

// ---- motions ------------------------------------------------------------------------------------------

enum { MOST_V = 96 };

// v_k(t) = size_k cos(rate_k t + phase_k), and where it starts.
typedef struct motion {
  const limb_model* m;
  double q0[MOST_V], size[MOST_V], rate[MOST_V], phase[MOST_V];
} motion;

static inline void motion_random(const limb_model* m, uint64_t seed, motion* out)
{
  rng r = {seed};
  uint64_t state = seed;
  ck_assert_int_le(limb_nq(m), MOST_V);
  out->m = m;
  assert_ok(limb_random(m, &state, out->q0));
  for (int k = 0; k < limb_nv(m); k++) {
    out->size[k] = rng_uniform(&r, 0.3, 1), out->rate[k] = rng_uniform(&r, 0.5, 1.5);
    out->phase[k] = rng_uniform(&r, -3, 3);
  }
}

// The n-th derivative of v_k.
static inline double motion_rate(const motion* x, int k, int n, double t)
{
  const double quarter = 1.57079632679489661923;
  return x->size[k] * pow(x->rate[k], n) * cos(x->rate[k] * t + x->phase[k] + n * quarter);
}

static inline void motion_velocity(const motion* x, double t, double* v)
{
  for (int k = 0; k < limb_nv(x->m); k++) v[k] = motion_rate(x, k, 0, t);
}

// Where the links are at time t: by midpoint steps, of an error of some 1e-13 for the short times of finite
// differences.
static inline void motion_place(const motion* x, double t, double* q)
{
  enum { STEPS = 100 };
  double v[MOST_V];
  memcpy(q, x->q0, (size_t)limb_nq(x->m) * sizeof *q);
  for (int i = 0; i < STEPS && t != 0; i++) {
    motion_velocity(x, t * (i + 0.5) / STEPS, v);
    assert_ok(limb_integrate(x->m, q, v, t / STEPS, q));
  }
}

// Rows of derivatives for limb_trajectory.
static inline void motion_rows(const motion* x, double t, int order, double* d)
{
  const int nv = limb_nv(x->m);
  for (int n = 0; n < order; n++) {
    for (int k = 0; k < nv; k++) d[n * nv + k] = motion_rate(x, k, n, t);
  }
}

typedef struct state {
  double q[MOST_V], v[MOST_V], a[MOST_V], tau[MOST_V];
} state;

#endif
