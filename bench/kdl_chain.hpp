// Serial robots as chains of KDL.
//
// Joints are given as RotZ and TransZ, with the fixed rotations in the segment tips: the axis-angle joints that a URDF
// import makes would be slower.
#ifndef BENCH_KDL_CHAIN_HPP
#define BENCH_KDL_CHAIN_HPP

#include "peer_coordinates.hpp"

#include <kdl/chain.hpp>

namespace bench
{
inline KDL::Rotation to_kdl(const sp_mat3& R)
{
  const double* m = R.m;
  return KDL::Rotation(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]);
}

inline KDL::Vector to_kdl(sp_vec3 p) { return KDL::Vector(p.x, p.y, p.z); }

inline KDL::Frame to_kdl(const sp_pose& X) { return KDL::Frame(to_kdl(X.R), to_kdl(X.p)); }

// Inertia of a link, seen from a frame; X is the pose of the link frame in it.
inline KDL::RigidBodyInertia to_kdl(const sp_inertia& Y, const sp_pose& X)
{
  const KDL::RotationalInertia about_com(Y.xx, Y.yy, Y.zz, Y.xy, Y.xz, Y.yz);
  const KDL::RigidBodyInertia at_com(Y.mass, KDL::Vector::Zero(), about_com);
  return to_kdl(X) * KDL::Frame(to_kdl(Y.com)) * at_com;
}

// Pose that puts z on the axis of a joint.
inline sp_pose turn(const bench_link& l) { return sp_pose_make(bench::frame_on_axis(l.axis), sp_v3(0, 0, 0)); }

inline sp_pose base(const bench_robot& r) { return sp_compose(r.link[0].placement, turn(r.link[0])); }

inline KDL::Vector gravity(const bench_robot& r) { return to_kdl(sp_tmulv(base(r).R, r.gravity)); }

// Segment i: the joint about z, then the way to the z axis of the next joint.
inline KDL::Chain make_chain(const bench_robot& r, bool with_base)
{
  KDL::Chain chain;
  if (with_base) {
    chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::None), to_kdl(base(r))));
  }
  for (int i = 0; i < r.nlink; i++) {
    const bench_link& l = r.link[i];
    const sp_pose link = sp_invert(turn(l)); // the link frame behind the joint
    sp_pose tip = link;
    if (i + 1 < r.nlink) {
      const bench_link& next = r.link[i + 1];
      tip = sp_compose(link, sp_compose(next.placement, turn(next)));
    }
    const KDL::Joint joint(l.type == LIMB_REVOLUTE ? KDL::Joint::RotZ : KDL::Joint::TransZ);
    const sp_pose link_in_tip = sp_compose(sp_invert(tip), link);
    chain.addSegment(KDL::Segment(joint, to_kdl(tip), to_kdl(l.inertia, link_in_tip)));
  }
  return chain;
}
} // namespace bench

#endif
