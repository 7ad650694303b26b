// Fixture robots, described through the public builder. Used by tests and benchmarks: no test
// framework in here. A robot that cannot be built is a broken fixture: message and abort().
#ifndef LIMB_TEST_ROBOTS_H
#define LIMB_TEST_ROBOTS_H

#include "limb/limb.h"

enum {
  ROBOT_FREE_BASE = 1, // the root joint is free
  ROBOT_MIMIC = 2,     // has mimic joints
  ROBOT_LONG = 4,      // a chain of a thousand: few states, wider tolerances, nothing cubic
  ROBOT_ACTUATED = 8,  // has friction, rotors or springs
  ROBOT_SHAFTS = 16    // has elastic shafts
};

typedef struct robot {
  const char* name;
  limb_model* (*make)(void);
  unsigned flags;
  int nv;
} robot;

// The fixtures, simplest first.
const robot* robot_table(int* count);

// The fixture of that name; NULL when there is none.
const robot* robot_find(const char* name);

// ---- arms (robots.c) ----------------------------------------------------------------------------

limb_model* robot_pendulum(void);
limb_model* robot_weightless(void);             // one hinge that moves no mass: M = 0
limb_model* robot_planar(int n, double growth); // n rotations in a plane, link k of growth^k kg
limb_model* robot_planar_2r(void);              // table of Ghosal 2010, gravity along -y; frame "tip"
limb_model* robot_point_mass_2r(void);          // Lynch and Park 2017, 9.1.1: m 2, 1; L 1, 0.8; gravity along -y
limb_model* robot_ur5(void);                    // Modern Robotics data; frame "tip"
limb_model* robot_panda(void);                  // seven joints, modified Denavit-Hartenberg; frame "flange"
limb_model* robot_puma560(void);                // Armstrong, Khatib, Burdick 1986 as tabulated by Corke
limb_model* robot_scara(void);
limb_model* robot_tree5(void); // five-joint tree in the notation of Khalil 2010; bodies "1" ... "5"

// ---- with a base or with fingers (robots_legged.c) ----------------------------------------------

limb_model* robot_quadruped(void); // free base, 12 joints: 18 degrees of freedom
limb_model* robot_humanoid(void);  // free base, 29 joints: 35 degrees of freedom
limb_model* robot_hand(void);      // wrist, five fingers, mimic chains, springs and friction

// The Panda on a base body of the given mass (joint 0, LIMB_FIXED or LIMB_FREE, at the world
// frame).
limb_model* robot_panda_on_base(limb_joint_type root, double mass);

// ---- with elastic joints (robots_elastic.c) -----------------------------------------------------

// Five joints: one driven directly; a rotation and a slide by series-elastic motors after Spong, a rotation
// by one with a coupled rotor; the last one is a spring, lumped elasticity. Frame "tip".
limb_model* robot_elastic_arm(void);

// Two roots that nobody drives: a planar one with a series-elastic pendulum and its follower, and a free
// one with an arm. Frame "palm".
limb_model* robot_two_roots(void);

// ---- random robots (robots_random.c) ------------------------------------------------------------

// Tree of the given number of bodies (up to some hundreds) with every joint type, also free joints
// away from the root, massless bodies, fixed children, actuators, frames "f0" ... "f3"; bodies and
// joints are added in shuffled order. options: 0 or ROBOT_MIMIC.
limb_model* robot_random_tree(uint64_t seed, int bodies, unsigned options);

// What a stranger's file may hold (robots_any.c): up to nine bodies on joints of any type, square or not, masses over
// up to twelve decades, followers, springs, an elastic shaft, and with 3 of 10 loops, which some configuration closes.
// Its mass matrix may be singular.
limb_model* robot_any(uint64_t seed);

// Tree of rotations (and a few translations) whose axes are parallel or at right angles, with zero
// offsets: every class of link that the compiler distinguishes. slide: the body frames lie anywhere
// along and about their axes, so that what was exactly zero is zero up to rounding.
limb_model* robot_right_angles(uint64_t seed, int slide);

// Chain of n rotations at random angles; short links, so that a chain of any length stays compact.
limb_model* robot_chain(int n);

limb_model* robot_chain30(void);
limb_model* robot_chain1000(void);

#endif
