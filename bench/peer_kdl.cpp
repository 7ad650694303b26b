// KDL (Orocos kinematics and dynamics library) behind the benchmark's interface.
//
// Only serial robots with a fixed base: its dynamics solvers are for chains (kdl_chain.hpp). For the dynamics the chain
// starts at the first joint axis, with gravity turned into that frame, which spares KDL a fixed segment. Calls:
//   RNEA      ChainIdSolver_RNE::CartToJnt, no external wrenches
//   CRBA      ChainDynParam::JntToMass
//   FD        ChainFdSolver_RNE (mass matrix and its factors) up to FD_BY_MATRIX joints, where that
//             is the faster way, otherwise ChainHdSolver_Vereshchagin, its O(n) recursion, with one
//             constraint of zero direction
//   Jacobian  ChainJntToJacSolver::JntToJac
#include "kdl_chain.hpp"
#include "peer_library.hpp"

#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <memory>

namespace
{
using bench::gravity, bench::make_chain;

constexpr int FD_BY_MATRIX = 14;

struct state {
  KDL::JntArray q, v, a, tau;
};

struct subject {
  subject(const bench_robot& r, const bench_states& s)
      : chain(make_chain(r, false)), placed(make_chain(r, true)), n(unsigned(r.nlink)), mask(s.count - 1),
        wrenches(chain.getNrOfSegments(), KDL::Wrench::Zero()), coordinates(r, order(r), kind), rnea(chain, gravity(r)),
        dynamics(chain, gravity(r)), jacobian(placed), x(n), M(n), J(n)
  {
    for (int k = 0; k < s.count; k++) {
      const std::size_t at = std::size_t(k) * n;
      coordinates.set(s.q + at);
      states.push_back({array(coordinates.to_peer(s.q + at)), array(coordinates.to_peer(s.v + at)),
                        array(coordinates.to_peer(s.a + at)), array(coordinates.to_peer(s.tau + at))});
    }
    if (r.nlink <= FD_BY_MATRIX) {
      by_matrix = std::make_unique<KDL::ChainFdSolver_RNE>(chain, gravity(r));
    } else {
      const KDL::Twist root(-gravity(r), KDL::Vector::Zero());
      linear = std::make_unique<KDL::ChainHdSolver_Vereshchagin>(chain, root, 1);
    }
  }

  static constexpr bench::free_velocity kind = bench::free_velocity::body_axes;

  static std::vector<int> order(const bench_robot& r)
  {
    std::vector<int> first;
    for (int i = 0; i < r.nlink; i++) first.push_back(i);
    return first;
  }

  static KDL::JntArray array(const bench::vector& x)
  {
    KDL::JntArray y(unsigned(x.size()));
    for (unsigned i = 0; i < y.rows(); i++) y(i) = x[i];
    return y;
  }

  const state& at(int k) const { return states[std::size_t(k & mask)]; }

  KDL::Chain chain, placed;
  unsigned n;
  int mask;
  KDL::Wrenches wrenches;
  bench::coordinates coordinates;
  KDL::ChainIdSolver_RNE rnea;
  KDL::ChainDynParam dynamics;
  KDL::ChainJntToJacSolver jacobian;
  std::unique_ptr<KDL::ChainFdSolver_RNE> by_matrix;
  std::unique_ptr<KDL::ChainHdSolver_Vereshchagin> linear;
  std::vector<state> states;
  KDL::JntArray x;
  KDL::JntSpaceInertiaMatrix M;
  KDL::Jacobian J;
  int status = 0;
};

void* make(const bench_library*, const bench_robot* robot, const bench_states* states)
{
  return robot->serial ? new subject(*robot, *states) : nullptr;
}

void destroy(void* self) { delete static_cast<subject*>(self); }

void run_rnea(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) {
    const state& s = t.at(first + i);
    t.status |= t.rnea.CartToJnt(s.q, s.v, s.a, t.wrenches, t.x);
  }
}

void run_crba(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) t.status |= t.dynamics.JntToMass(t.at(first + i).q, t.M);
}

void run_fd(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  if (t.by_matrix) {
    for (int i = 0; i < count; i++) {
      const state& s = t.at(first + i);
      t.status |= t.by_matrix->CartToJnt(s.q, s.v, s.tau, t.wrenches, t.x);
    }
    return;
  }
  KDL::Jacobian alpha(1);
  KDL::SetToZero(alpha);
  const KDL::JntArray beta(1);
  KDL::JntArray constraint(t.n);
  for (int i = 0; i < count; i++) {
    const state& s = t.at(first + i);
    t.status |= t.linear->CartToJnt(s.q, s.v, t.x, alpha, beta, t.wrenches, s.tau, constraint);
  }
}

void run_jacobian(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) t.status |= t.jacobian.JntToJac(t.at(first + i).q, t.J);
}

int answer(void* self, bench_kernel kernel, int, double* out)
{
  const subject& t = *static_cast<subject*>(self);
  if (t.status != 0) return -1;
  if (kernel == BENCH_CRBA) {
    t.coordinates.matrix_to_limb(t.M.data, out);
  } else if (kernel == BENCH_JACOBIAN) { // KDL: linear first
    t.coordinates.jacobian_to_limb([&](int i, int j) { return t.J.data((i + 3) % 6, j); }, out);
  } else {
    t.coordinates.to_limb(t.x.data.data(), out);
  }
  return 0;
}
} // namespace

const bench_library* bench_kdl(void)
{
  static const bench_library library = [] {
    bench_library l = bench::describe("KDL", BENCH_KDL_VERSION, 1000);
    l.make = make, l.destroy = destroy, l.answer = answer;
    bench::offer(l, run_rnea, run_crba, run_fd, run_jacobian);
    return l;
  }();
  return &library;
}
