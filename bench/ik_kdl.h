// Inverse kinematics of KDL on the chains of limb: one try from one start.
#ifndef BENCH_IK_KDL_H
#define BENCH_IK_KDL_H

#include "peer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_ik_kdl_method {
  BENCH_KDL_LMA,  ///< ChainIkSolverPos_LMA. Takes no notice of limits: answers are moved within them by whole turns
  BENCH_KDL_NR_JL ///< ChainIkSolverPos_NR_JL with ChainIkSolverVel_pinv, which keeps within the limits
} bench_ik_kdl_method;

typedef struct bench_ik_kdl bench_ik_kdl;

/// @param robot     serial
/// @param q, frame  a configuration, and the pose there of the frame that is led to the targets
bench_ik_kdl* bench_ik_kdl_create(const bench_robot* robot, const double* q, const sp_pose* frame, const double* q_min,
                                  const double* q_max, bench_ik_kdl_method method);
void bench_ik_kdl_destroy(bench_ik_kdl* self);

/// @param q  may be start (output). @return whether the solver reports success
int bench_ik_kdl_solve(bench_ik_kdl* self, const sp_pose* target, const double* start, double* q);

#ifdef __cplusplus
}
#endif

#endif
