// Robots with loops for the benchmark, and states that close the loops.
#ifndef BENCH_CLOSED_H
#define BENCH_CLOSED_H

#include "peer.h"

/// The fixtures of the tests: a four-bar and a five-bar, both planar, a Gough-Stewart platform with six
/// legs, and a ladder of four-bar cells, each on the coupler of the one before.
limb_model* bench_four_bar(int unused);
limb_model* bench_five_bar(int unused);
limb_model* bench_gough_stewart(int unused);
limb_model* bench_ladder(int cells);

/// The humanoid with parallel ankles: two linear drives each between shank and foot, as in the model
/// ankle_leg. Four loops; 47 velocities, 18 of them passive, six of these the base.
limb_model* bench_humanoid_ankles(int unused);

/// A robot with a free base stands where it starts: the links at the ends of its legs, those that are lowest, are held
/// at their centres of mass by balls on the ground, three equations each.
/// @param bare  frees it
/// @return NULL after a failure
limb_model* bench_on_feet(limb_model* bare);

/// Whether a robot is also taken as a platform: its legs carry it, and it has no base of its own.
int bench_is_platform(const bench_robot* r);

/// Mobility where assembly starts, loops closed.
limb_status bench_closed_mobility(const limb_model* m, limb_mobility* out);

/// Draws random states that close the loops, velocities and accelerations included.
/// @param states  with room for count of them
/// @return 0, or -1: one could not be closed
int bench_closed_draw(bench_states* states, const bench_robot* r);

#endif
