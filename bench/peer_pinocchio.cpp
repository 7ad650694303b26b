// Pinocchio behind the benchmark's interface.
//
// It is all headers, and how fast it is depends on the compiler: this file becomes a module for each of gcc and clang.
// Joints about or along a main axis get Pinocchio's types for these. Of M and M^-1 it fills one triangle, and is timed
// as it comes. Calls:
//   RNEA, bias       rnea, nonLinearEffects
//   CRBA             crba in world axes, its faster convention
//   FD               aba; FD ABA in world axes; FD matrix: crba, nonLinearEffects, cholesky
//   Jacobian         computeFrameJacobian, which passes along one branch only
//   C, M^-1          computeCoriolisMatrix, computeMinverse
//   derivatives      computeRNEADerivatives, computeABADerivatives, ComputeRNEASecondOrderDerivatives
//   regressor        computeJointTorqueRegressor
//   centroidal       computeCentroidalMap
//   kinematics       forwardKinematics of positions, velocities and accelerations
//   FD loops         constraintDynamics with contacts of points, one step of the solver; of planar robots, whose points
//                    have a row too many each, up to ten
#include "peer_coordinates.hpp"
#include "peer_library.hpp"
#include "peer_pinocchio_robot.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <unsupported/Eigen/CXX11/Tensor>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

namespace
{
using bench::to_vector;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using size = std::size_t;

struct subject {
  subject(const bench_robot& r, const bench_states& s)
      : robot(r), given(s), m(bench::build(r, joint)), d(m), mask(s.count - 1), map(r, first_velocities(), kind),
        J(MatrixXd::Zero(6, m.nv)), x(m.nv)
  {
    tip = m.getFrameId("tip");
    add_contacts();
    for (int k = 0; k < s.count; k++) {
      const size n = size(k) * size(m.nv);
      const double* from = s.q + size(k) * size(m.nq);
      map.set(from);
      q.push_back(to_q(from));
      v.push_back(to_v(s.v + n)), a.push_back(to_v(s.a + n)), tau.push_back(to_v(s.tau + n));
    }
  }

  // Closures as contacts of points.
  void add_contacts()
  {
    const auto at = [](sp_vec3 p) { return pinocchio::SE3(Eigen::Matrix3d::Identity(), to_vector(p)); };
    const auto carrier = [this](int link) { return link < 0 ? pinocchio::JointIndex(0) : joint[size(link)]; };
    for (int i = 0; i < robot.nloop; i++) {
      const bench_loop& l = robot.loop[i];
      contacts.emplace_back(pinocchio::CONTACT_3D, m, carrier(l.link_a), at(l.a), carrier(l.link_b), at(l.b),
                            pinocchio::LOCAL);
    }
    for (const auto& c : contacts) contact_data.push_back(c.createData());
    if (robot.nrow != 3 * robot.nloop) settings = pinocchio::ProximalSettings(1e-12, 1e-10, 10);
    if (robot.nloop) pinocchio::initConstraintDynamics(m, d, contacts, contact_data);
  }

  static constexpr bench::free_velocity kind = bench::free_velocity::linear_first;

  std::vector<int> first_velocities() const
  {
    std::vector<int> first;
    for (const pinocchio::JointIndex j : joint) first.push_back(m.joints[j].idx_v());
    return first;
  }

  // Free joint: position and quaternion x y z w, as limb.
  VectorXd to_q(const double* from) const
  {
    VectorXd y(m.nq);
    for (int i = 0; i < robot.nlink; i++) {
      const auto& j = m.joints[joint[size(i)]];
      for (int k = 0; k < j.nq(); k++) y[j.idx_q() + k] = from[robot.link[i].q + k];
    }
    return y;
  }

  VectorXd to_v(const double* from) const
  {
    const bench::vector y = map.to_peer(from);
    return Eigen::Map<const VectorXd>(y.data(), m.nv);
  }

  const bench_robot& robot;
  const bench_states& given;
  std::vector<pinocchio::JointIndex> joint;
  pinocchio::Model m;
  pinocchio::Data d;
  int mask;
  bench::coordinates map;
  pinocchio::FrameIndex tip = 0;
  std::vector<VectorXd> q, v, a, tau;
  pinocchio::Data::Matrix6x J;
  VectorXd x;
  std::vector<pinocchio::RigidConstraintModel, Eigen::aligned_allocator<pinocchio::RigidConstraintModel>> contacts;
  std::vector<pinocchio::RigidConstraintData, Eigen::aligned_allocator<pinocchio::RigidConstraintData>> contact_data;
  pinocchio::ProximalSettings settings{1e-12, 0, 1};
};

void* make(const bench_library*, const bench_robot* robot, const bench_states* states)
{
  return robot->plain && (!robot->nrow || robot->points) ? new subject(*robot, *states) : nullptr;
}

void destroy(void* self) { delete static_cast<subject*>(self); }

// A call on every state of a slice.
template <void (*call)(subject&, size)> void run(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) call(t, size((first + i) & t.mask));
}

void rnea(subject& t, size k) { t.x = pinocchio::rnea(t.m, t.d, t.q[k], t.v[k], t.a[k]); }
void bias(subject& t, size k) { t.x = pinocchio::nonLinearEffects(t.m, t.d, t.q[k], t.v[k]); }
void crba(subject& t, size k) { pinocchio::crba(t.m, t.d, t.q[k], pinocchio::Convention::WORLD); }
void aba(subject& t, size k) { t.x = pinocchio::aba(t.m, t.d, t.q[k], t.v[k], t.tau[k]); }

void aba_in_world(subject& t, size k)
{
  t.x = pinocchio::aba(t.m, t.d, t.q[k], t.v[k], t.tau[k], pinocchio::Convention::WORLD);
}

void by_matrix(subject& t, size k)
{
  crba(t, k);
  t.x = t.tau[k] - pinocchio::nonLinearEffects(t.m, t.d, t.q[k], t.v[k]);
  pinocchio::cholesky::decompose(t.m, t.d);
  pinocchio::cholesky::solve(t.m, t.d, t.x);
}

void jacobian(subject& t, size k)
{
  pinocchio::computeFrameJacobian(t.m, t.d, t.q[k], t.tip, pinocchio::LOCAL_WORLD_ALIGNED, t.J);
}

void coriolis(subject& t, size k) { pinocchio::computeCoriolisMatrix(t.m, t.d, t.q[k], t.v[k]); }
void inverse(subject& t, size k) { pinocchio::computeMinverse(t.m, t.d, t.q[k]); }

void id_derivatives(subject& t, size k) { pinocchio::computeRNEADerivatives(t.m, t.d, t.q[k], t.v[k], t.a[k]); }
void fd_derivatives(subject& t, size k) { pinocchio::computeABADerivatives(t.m, t.d, t.q[k], t.v[k], t.tau[k]); }
void regressor(subject& t, size k) { pinocchio::computeJointTorqueRegressor(t.m, t.d, t.q[k], t.v[k], t.a[k]); }

void id_second(subject& t, size k) { pinocchio::ComputeRNEASecondOrderDerivatives(t.m, t.d, t.q[k], t.v[k], t.a[k]); }

void closed(subject& t, size k)
{
  t.x = pinocchio::constraintDynamics(t.m, t.d, t.q[k], t.v[k], t.tau[k], t.contacts, t.contact_data, t.settings);
}

void centroidal(subject& t, size k) { pinocchio::computeCentroidalMap(t.m, t.d, t.q[k]); }
void kinematics(subject& t, size k) { pinocchio::forwardKinematics(t.m, t.d, t.q[k], t.v[k], t.a[k]); }

// ---- answers -------------------------------------------------------------------------------------

// Of links that are no longer in the order of limb's bodies: which one stands where.
std::vector<int> links_by_body(const bench_robot& r)
{
  std::vector<int> order;
  for (int i = 0; i < r.nlink; i++) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](int i, int j) { return r.link[i].body < r.link[j].body; });
  return order;
}

void put_regressor(const subject& t, double* out)
{
  static const int column[BENCH_INERTIAL] = {0, 1, 2, 3, 4, 5, 7, 6, 8, 9}; // yy before xz there
  const std::vector<int> order = links_by_body(t.robot);
  for (size i = 0; i < size(t.m.nv); i++) {
    for (const int link : order) {
      const Eigen::Index from = BENCH_INERTIAL * Eigen::Index(t.joint[size(link)] - 1);
      for (const int k : column) *out++ = t.d.jointTorqueRegressor(Eigen::Index(t.map.index_in_peer(i)), from + k);
    }
  }
}

void put_tensor(const subject& t, double* out)
{
  const size n = size(t.m.nv);
  std::vector<Eigen::Index> at;
  for (size i = 0; i < n; i++) at.push_back(Eigen::Index(t.map.index_in_peer(i)));
  for (size i = 0; i < n * n * n; i++) out[i] = t.d.d2tau_dvdv(at[i / n / n], at[i / n % n], at[i % n]);
}

// The part of the matrix that is filled, and its mirror image.
template <class matrix> void put_upper(const subject& t, const matrix& A, double* out)
{
  t.map.matrix_to_limb([&](int i, int j) { return i < j ? A(i, j) : A(j, i); }, out);
}

// Columns of 6 x nv, linear part first.
template <class matrix> void put_columns(const subject& t, const matrix& A, double* out)
{
  t.map.jacobian_to_limb([&](int i, int j) { return A((i + 3) % 6, j); }, out);
}

void put_acceleration(subject& t, double* out)
{
  const pinocchio::Motion a = pinocchio::getFrameAcceleration(t.m, t.d, t.tip, pinocchio::LOCAL_WORLD_ALIGNED);
  for (int i = 0; i < 3; i++) out[i] = a.angular()[i], out[3 + i] = a.linear()[i];
}

int answer(void* self, bench_kernel kernel, int k, double* out)
{
  subject& t = *static_cast<subject*>(self);
  t.map.set(t.given.q + size(k) * size(t.m.nq));
  const auto full = [&](const auto& A) { t.map.matrix_to_limb([&](int i, int j) { return A(i, j); }, out); };
  switch (kernel) {
  case BENCH_CRBA: put_upper(t, t.d.M, out); break;
  case BENCH_INVERSE: put_upper(t, t.d.Minv, out); break;
  case BENCH_CORIOLIS: full(t.d.C); break;
  case BENCH_ID_DERIVATIVES: full(t.d.dtau_dq); break;
  case BENCH_FD_DERIVATIVES: full(t.d.ddq_dq); break;
  case BENCH_REGRESSOR: put_regressor(t, out); break;
  case BENCH_ID_SECOND: put_tensor(t, out); break;
  case BENCH_JACOBIAN: put_columns(t, t.J, out); break;
  case BENCH_CENTROIDAL: put_columns(t, t.d.Ag, out); break;
  case BENCH_KINEMATICS: put_acceleration(t, out); break;
  default: t.map.to_limb(t.x.data(), out);
  }
  return 0;
}
} // namespace

const bench_library* bench_pinocchio(void)
{
  static const bench_library library = [] {
    bench_library l = bench::describe("Pin. " BENCH_COMPILER, PINOCCHIO_VERSION, 300);
    l.make = make, l.destroy = destroy, l.answer = answer;
    bench::offer(l, run<rnea>, run<crba>, run<aba>, run<jacobian>);
    l.run[BENCH_FD_ABA] = run<aba_in_world>, l.run[BENCH_FD_MATRIX] = run<by_matrix>;
    l.run[BENCH_CORIOLIS] = run<coriolis>, l.run[BENCH_INVERSE] = run<inverse>;
    l.run[BENCH_ID_DERIVATIVES] = run<id_derivatives>, l.run[BENCH_FD_DERIVATIVES] = run<fd_derivatives>;
    l.run[BENCH_REGRESSOR] = run<regressor>, l.run[BENCH_ID_SECOND] = run<id_second>;
    l.run[BENCH_CENTROIDAL] = run<centroidal>, l.run[BENCH_BIAS] = run<bias>;
    l.run[BENCH_KINEMATICS] = run<kinematics>, l.run[BENCH_CLOSED_FD] = run<closed>;
    return l;
  }();
  return &library;
}
