// A spatial 2R in the notation of Park, Bobrow, Ploen 1995: axes z through the origin and (0.6, 0, 0.8) through
// (0.4, 0.1, 0.2), frames at the centres of mass.
#ifndef LIMB_TEST_SPATIAL_2R_H
#define LIMB_TEST_SPATIAL_2R_H

#include "support/robots_impl.h"

static inline limb_model* spatial_2r_make(void)
{
  static const sp_pose home[2] = {
    {{{0.9553364891256061, -0.2896294776255156, 0.05871080169382654, 0.2955202066613396, 0.9362933635841995,
       -0.18979606097868745, 0, 0.19866933079506124, 0.9800665778412417}},
     {0.2, 0.05, 0.1}},
    {{{0.8083070667743448, -0.4415801631371557, -0.3894183423086505, 0.47942553860420295, 0.8775825618903725, 0,
       0.3417467464903276, -0.18669709850368066, 0.921060994002885}},
     {0.55, -0.05, 0.25}}};
  static const double inertia[2][6] = {{0.04, 0, 0, 0.05, 0, 0.03}, {0.02, 0, 0, 0.03, 0, 0.025}};
  static const sp_vec3 point[2] = {{0, 0, 0}, {0.4, 0.1, 0.2}};
  static const sp_vec3 axis[2] = {{0, 0, 1}, {0.6, 0, 0.8}};
  static const double mass[2] = {3, 2};
  limb_builder* b = fixture_begin("spatial_2r");
  int parent = LIMB_WORLD_BODY;
  for (int i = 0; i < 2; i++) {
    const char name[2] = {(char)('1' + i), 0};
    const sp_pose com = sp_pose_make(home[i].R, sp_sub3(home[i].p, point[i]));
    parent = fixture_link(b, name, LIMB_REVOLUTE, parent,
                          sp_pose_make(sp_identity3(), i ? sp_sub3(point[1], point[0]) : point[0]), axis[i],
                          limb_inertia_move(com, fixture_inertia(mass[i], sp_v3(0, 0, 0), inertia[i])));
  }
  return fixture_end(b);
}

#endif
