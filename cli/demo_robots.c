// The robots of `limb demo`: built-in ones, and a move and a fall for each.
#include "demo.h"

#include "robot.h"

#include <stdio.h>
#include <string.h>

static const demo_robot table[DEMO_ROBOTS] = {
  {.name = "planar_2r",
   .about = "two links in a vertical plane",
   .move = "lift from hanging to level",
   .fall = "let go at rest at the end of that move",
   .start = {-1.5707963267948966, 0},
   .change = {1.5707963267948966, -0.5},
   .rows = 2},
  {.name = "ur5",
   .about = "arm with six joints",
   .move = "reach out and turn",
   .fall = "let go at rest at the end of that move",
   .start = {0.1, -1.2, 1.4, -0.6, 0.9, -0.3},
   .change = {1.4, 0.9, -0.8, 0.7, -1, 1.5},
   .rows = 6},
  {.name = "quadruped",
   .about = "four legs on a free base",
   .move = "swing the legs as in a trot while a hoist holds the trunk",
   .fall = "thrown up, tumbling, with moving legs",
   .start = {[6] = 1, [8] = 0.6, -1.2, 0, 0.6, -1.2, 0, 0.6, -1.2, 0, 0.6, -1.2},
   .change = {[7] = -0.7, 0.9, 0, 0.5, -0.3, 0, 0.5, -0.3, 0, -0.7, 0.9},
   .fall_v = {0.8, 2, 0.5, 1, 0, 3, 0.5, -2, 3, -0.5, 2, -3, 0, 1, -1, 0, -1, 1},
   .rows = 9},
  {.name = "hand",
   .about = "five fingers with three phalanges each, of which two follow",
   .move = "bend the wrist and close the fingers",
   .fall = "let go: the wrist swings freely, springs open the fingers, friction brakes them",
   .change = {0.5, 0.3, 0.9, 0.9, 0.9, 0.9, 0.2, 0.7},
   .rows = 8},
};

static limb_status make(int i, demo_robot* r)
{
  limb_error err = {.status = LIMB_OK};
  *r = table[i];
  limb_status s = cli_load_built_in(r->name, &r->model, &err);
  if (s == LIMB_OK) s = limb_data_create(limb_spanning_tree(r->model), NULL, &r->data);
  if (s != LIMB_OK) {
    (void)fprintf(stderr, "limb: robot '%s': %s %s %s\n", r->name, limb_status_text(s), err.where, err.text);
    return s;
  }
  r->nq = limb_nq(r->model), r->nv = limb_nv(r->model);
  return r->nq <= DEMO_MOST ? LIMB_OK : LIMB_E_MODEL;
}

limb_status demo_robots_make(demo_robot robots[DEMO_ROBOTS])
{
  memset(robots, 0, DEMO_ROBOTS * sizeof *robots);
  for (int i = 0; i < DEMO_ROBOTS; i++) {
    const limb_status s = make(i, &robots[i]);
    if (s != LIMB_OK) return s;
  }
  return LIMB_OK;
}

void demo_robots_free(demo_robot robots[DEMO_ROBOTS])
{
  for (int i = 0; i < DEMO_ROBOTS; i++) {
    limb_data_destroy(robots[i].data);
    limb_model_destroy(robots[i].model);
  }
}
