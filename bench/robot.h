// Turns a model of limb into the neutral robot of peer.h, through the public headers only.
#ifndef BENCH_ROBOT_H
#define BENCH_ROBOT_H

#include "peer.h"

/// Describes a model; the robot keeps a pointer to it. @return 0, or -1 (out of memory).
int bench_robot_init(bench_robot* robot, const char* name, const limb_model* model);
void bench_robot_free(bench_robot* robot);

/// What of a model any library can take: its moving bodies and joints in the same order, without friction, springs,
/// rotors, and what is fixed to the world.
/// @param bend  where its rotations start, by turns in both directions [rad]
/// @return NULL after a failure
limb_model* bench_bare(const limb_model* model, double bend);

/// Uniform in [-1, 1). seed: in and out.
double bench_uniform(uint64_t* seed);

/// Draws random states, and the torques that belong to them. @return 0, or -1.
int bench_states_init(bench_states* states, const bench_robot* robot);
void bench_states_free(bench_states* states);

#endif
