// DART behind the benchmark's interface. A skeleton alone, without a world. Calls, each after
// setting the state:
//   RNEA      Skeleton::computeInverseDynamics
//   CRBA      Skeleton::getMassMatrix
//   FD        Skeleton::computeForwardDynamics (articulated bodies)
//   Jacobian  BodyNode::getJacobian in world axes, at the origin of the body
#include "peer_coordinates.hpp"
#include "peer_library.hpp"

#include <dart/config.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

namespace
{
using dart::dynamics::BodyNode;
using dart::dynamics::BodyNodePtr;
using dart::dynamics::FreeJoint;
using dart::dynamics::Joint;
using dart::dynamics::Skeleton;
using dart::dynamics::SkeletonPtr;

Eigen::Vector3d to_eigen(sp_vec3 x) { return Eigen::Vector3d(x.x, x.y, x.z); }

Eigen::Isometry3d to_eigen(const sp_pose& X)
{
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  for (int i = 0; i < 9; i++) T.linear()(i / 3, i % 3) = X.R.m[i];
  T.translation() = to_eigen(X.p);
  return T;
}

BodyNode::Properties body_properties(const bench_link& l, int i)
{
  const sp_inertia& Y = l.inertia;
  Eigen::Matrix3d I;
  I << Y.xx, Y.xy, Y.xz, Y.xy, Y.yy, Y.yz, Y.xz, Y.yz, Y.zz;
  I.diagonal() = I.diagonal().cwiseMax(1e-14); // DART warns about thin rods
  return BodyNode::AspectProperties("l" + std::to_string(i), dart::dynamics::Inertia(Y.mass, to_eigen(Y.com), I));
}

template <class joint> BodyNode* add_axis_joint(Skeleton& s, BodyNode* parent, const bench_link& l, int i)
{
  typename joint::Properties p;
  p.mName = "j" + std::to_string(i);
  p.mAxis = to_eigen(l.axis);
  p.mT_ParentBodyToJoint = to_eigen(l.placement);
  return s.createJointAndBodyNodePair<joint>(parent, p, body_properties(l, i)).second;
}

BodyNode* add_link(Skeleton& s, BodyNode* parent, const bench_link& l, int i)
{
  if (l.type == LIMB_REVOLUTE) {
    return add_axis_joint<dart::dynamics::RevoluteJoint>(s, parent, l, i);
  }
  if (l.type == LIMB_PRISMATIC) {
    return add_axis_joint<dart::dynamics::PrismaticJoint>(s, parent, l, i);
  }
  FreeJoint::Properties p;
  p.mName = "j" + std::to_string(i);
  p.mT_ParentBodyToJoint = to_eigen(l.placement);
  return s.createJointAndBodyNodePair<FreeJoint>(parent, p, body_properties(l, i)).second;
}

SkeletonPtr make_skeleton(const bench_robot& r, std::vector<BodyNode*>& body)
{
  SkeletonPtr s = Skeleton::create(r.name);
  s->setGravity(to_eigen(r.gravity));
  for (int i = 0; i < r.nlink; i++) {
    const int p = r.link[i].parent;
    body.push_back(add_link(*s, p < 0 ? nullptr : body[std::size_t(p)], r.link[i], i));
  }
  return s;
}

struct state {
  Eigen::VectorXd q, v, a, tau;
};

struct subject {
  subject(const bench_robot& r, const bench_states& s)
      : skeleton(make_skeleton(r, body)), robot(r), mask(s.count - 1), tip(body[std::size_t(r.tip)]),
        map(r, first_velocities(), bench::free_velocity::body_axes)
  {
    for (int k = 0; k < s.count; k++) {
      const std::size_t n = std::size_t(k) * std::size_t(r.nv);
      const double* q = s.q + std::size_t(k) * std::size_t(r.nq);
      map.set(q);
      states.push_back(
        {positions(q), eigen(map.to_peer(s.v + n)), eigen(map.to_peer(s.a + n)), eigen(map.to_peer(s.tau + n))});
    }
  }

  std::vector<int> first_velocities() const
  {
    std::vector<int> first;
    for (const BodyNode* b : body) {
      first.push_back(int(b->getParentJoint()->getIndexInSkeleton(0)));
    }
    return first;
  }

  static Eigen::VectorXd eigen(const bench::vector& x)
  {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), Eigen::Index(x.size()));
  }

  // Free joint: rotation vector and position.
  Eigen::VectorXd positions(const double* q) const
  {
    Eigen::VectorXd y(robot.nv);
    for (int i = 0; i < robot.nlink; i++) {
      const bench_link& l = robot.link[i];
      const double* c = q + l.q;
      const Joint* joint = body[std::size_t(i)]->getParentJoint();
      const auto at = Eigen::Index(joint->getIndexInSkeleton(0));
      if (l.type != LIMB_FREE) {
        y[at] = c[0];
        continue;
      }
      const sp_pose X = {sp_rot_quat(sp_quat{c[3], c[4], c[5], c[6]}), sp_v3(c[0], c[1], c[2])};
      y.segment<6>(at) = FreeJoint::convertToPositions(to_eigen(X));
    }
    return y;
  }

  const state& at(int k) const { return states[std::size_t(k & mask)]; }

  std::vector<BodyNode*> body;
  SkeletonPtr skeleton;
  const bench_robot& robot;
  int mask;
  BodyNode* tip;
  bench::coordinates map;
  std::vector<state> states;
  Eigen::VectorXd x;
  Eigen::MatrixXd M;
  dart::math::Jacobian J;
};

void* make(const bench_library*, const bench_robot* robot, const bench_states* states)
{
  return robot->plain ? new subject(*robot, *states) : nullptr;
}

void destroy(void* self) { delete static_cast<subject*>(self); }

void run_rnea(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) {
    const state& s = t.at(first + i);
    t.skeleton->setPositions(s.q);
    t.skeleton->setVelocities(s.v);
    t.skeleton->setAccelerations(s.a);
    t.skeleton->computeInverseDynamics();
    t.x = t.skeleton->getForces();
  }
}

void run_crba(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) {
    t.skeleton->setPositions(t.at(first + i).q);
    t.M = t.skeleton->getMassMatrix();
  }
}

void run_fd(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) {
    const state& s = t.at(first + i);
    t.skeleton->setPositions(s.q);
    t.skeleton->setVelocities(s.v);
    t.skeleton->setForces(s.tau);
    t.skeleton->computeForwardDynamics();
    t.x = t.skeleton->getAccelerations();
  }
}

void run_jacobian(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) {
    t.skeleton->setPositions(t.at(first + i).q);
    t.J = t.tip->getJacobian(dart::dynamics::Frame::World());
  }
}

int answer(void* self, bench_kernel kernel, int, double* out)
{
  subject& t = *static_cast<subject*>(self);
  if (kernel == BENCH_CRBA) {
    t.map.matrix_to_limb(t.M, out);
  } else if (kernel == BENCH_JACOBIAN) { // only the columns of joints that move the body
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, t.robot.nv);
    const std::vector<std::size_t>& columns = t.tip->getDependentGenCoordIndices();
    for (std::size_t j = 0; j < columns.size(); j++) {
      J.col(Eigen::Index(columns[j])) = t.J.col(Eigen::Index(j));
    }
    t.map.jacobian_to_limb(J, out);
  } else {
    t.map.to_limb(t.x.data(), out);
  }
  return 0;
}
} // namespace

const bench_library* bench_dart(void)
{
  static const bench_library library = [] {
    bench_library l = bench::describe("DART", DART_VERSION, 100);
    l.make = make, l.destroy = destroy, l.answer = answer;
    bench::offer(l, run_rnea, run_crba, run_fd, run_jacobian);
    return l;
  }();
  return &library;
}
