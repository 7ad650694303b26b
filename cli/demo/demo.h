// What the files of `limb demo` share: the built-in robots and the sections that are shown of each.
//
// The first call of the library that fails is kept in demo_run.status; checks that fail are counted in
// demo_run.findings.
#ifndef LIMB_DEMO_H
#define LIMB_DEMO_H

#include "limb/limb.h"

enum { DEMO_ROBOTS = 4, DEMO_MAX = 24 }; // robots; coordinates of the largest, at most

typedef struct demo_robot {
  const char *name, *about; // one word; one sentence
  const char* move;         // what the trajectory is
  const char* fall;         // how the fall begins
  limb_model* model;
  limb_data* data;
  int nq, nv;
  double start[DEMO_MAX], change[DEMO_MAX]; // trajectory: start (+) change s(t), s from 0 to 1
  double fall_v[DEMO_MAX];                  // velocity at the start of the fall
  int rows;                                 // of the torque table, the rest is not shown
} demo_robot;

typedef struct demo_run {
  limb_status status;
  int findings;
} demo_run;

// ---- sections, demo_show.c -------------------------------------------------------------------------

void demo_show_compiled(demo_run* run, const demo_robot* r);
void demo_show_torques(demo_run* run, const demo_robot* r);
void demo_show_mass_matrix(demo_run* run, const demo_robot* r);
void demo_show_fall(demo_run* run, const demo_robot* r);
void demo_show_loops(demo_run* run, int number); // a robot with closed loops, the one with that number

// ---- text, demo.c --------------------------------------------------------------------------------

typedef enum demo_style { DEMO_BOLD, DEMO_GOOD, DEMO_BAD } demo_style;

// Prints text in a style, if standard output is a terminal with colours.
void demo_print(demo_style style, const char* text);

// A row of bars of rising height from the smallest to the largest of n numbers.
void demo_sparkline(int n, const double* x);

// Writes the name of the k-th velocity ("lf_hip", "trunk.wx") and the unit of the force that belongs
// to it ("N m" or "N").
void demo_velocity_name(const limb_model* m, int k, char* name, size_t size, const char** unit);

// Remembers the first failure.
void demo_keep(demo_run* run, limb_status status);

#endif
