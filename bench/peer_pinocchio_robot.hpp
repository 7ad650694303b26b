// A robot as a model of Pinocchio. Joints about or along a main axis get Pinocchio's types for these.
#ifndef BENCH_PEER_PINOCCHIO_ROBOT_HPP
#define BENCH_PEER_PINOCCHIO_ROBOT_HPP

#include "peer.h"

#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>
#include <string>
#include <vector>

namespace bench
{
inline Eigen::Vector3d to_vector(sp_vec3 x) { return {x.x, x.y, x.z}; }

inline pinocchio::SE3 to_se3(const sp_pose& X)
{
  Eigen::Matrix3d R;
  for (int i = 0; i < 9; i++) R(i / 3, i % 3) = X.R.m[i];
  return {R, to_vector(X.p)};
}

inline pinocchio::Inertia to_inertia(const sp_inertia& Y)
{
  Eigen::Matrix3d J;
  J << Y.xx, Y.xy, Y.xz, Y.xy, Y.yy, Y.yz, Y.xz, Y.yz, Y.zz;
  return {Y.mass, to_vector(Y.com), pinocchio::Symmetric3(J)};
}

inline pinocchio::JointModel to_joint(const bench_link& l)
{
  const Eigen::Vector3d u = to_vector(l.axis);
  const bool turns = l.type == LIMB_REVOLUTE;
  if (l.type == LIMB_FREE) return pinocchio::JointModelFreeFlyer();
  if (u == Eigen::Vector3d::UnitX())
    return turns ? pinocchio::JointModel(pinocchio::JointModelRX()) : pinocchio::JointModelPX();
  if (u == Eigen::Vector3d::UnitY())
    return turns ? pinocchio::JointModel(pinocchio::JointModelRY()) : pinocchio::JointModelPY();
  if (u == Eigen::Vector3d::UnitZ())
    return turns ? pinocchio::JointModel(pinocchio::JointModelRZ()) : pinocchio::JointModelPZ();
  if (turns) return pinocchio::JointModelRevoluteUnaligned(u);
  return pinocchio::JointModelPrismaticUnaligned(u);
}

inline pinocchio::Model build(const bench_robot& r, std::vector<pinocchio::JointIndex>& joint)
{
  pinocchio::Model m;
  m.gravity.linear() = to_vector(r.gravity);
  for (int i = 0; i < r.nlink; i++) {
    const bench_link& l = r.link[i];
    const pinocchio::JointIndex parent = l.parent < 0 ? 0 : joint[std::size_t(l.parent)];
    joint.push_back(m.addJoint(parent, to_joint(l), to_se3(l.placement), "j" + std::to_string(i)));
    m.appendBodyToJoint(joint.back(), to_inertia(l.inertia), pinocchio::SE3::Identity());
  }
  const pinocchio::JointIndex tip = joint[std::size_t(r.tip)];
  m.addFrame(pinocchio::Frame("tip", tip, 0, pinocchio::SE3::Identity(), pinocchio::OP_FRAME));
  return m;
}
} // namespace bench

#endif
