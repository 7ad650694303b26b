#include "ik_kdl.h"

#include "kdl_chain.hpp"

#include <cmath>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <kdl/utilities/utility.h>
#include <memory>

namespace
{
// LMA compares the norm of all six errors, NR_JL each of them: their three together stay below 1e-9.
constexpr double TOLERANCE = 5e-10;
constexpr double SMALLEST_ANGLE = 1e-12;
constexpr int LMA_ITERATIONS = 500, NR_ITERATIONS = 100; // KDL's defaults

KDL::JntArray array(const double* x, unsigned n)
{
  KDL::JntArray y(n);
  for (unsigned i = 0; i < n; i++) y(i) = x[i];
  return y;
}

// The chain up to the frame.
KDL::Chain reach(const bench_robot& r, const double* q, const sp_pose& frame)
{
  KDL::Chain chain = bench::make_chain(r, true);
  KDL::Frame tip;
  KDL::ChainFkSolverPos_recursive(chain).JntToCart(array(q, unsigned(r.nq)), tip);
  chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::None), tip.Inverse() * bench::to_kdl(frame)));
  return chain;
}
} // namespace

struct bench_ik_kdl {
  bench_ik_kdl(const bench_robot& r, const double* q, const sp_pose& frame, const double* lowest, const double* highest,
               bench_ik_kdl_method method)
      : chain(reach(r, q, frame)), n(unsigned(r.nq)), q_min(array(lowest, n)), q_max(array(highest, n)), start(n),
        answer(n), position(chain), velocity(chain)
  {
    for (int i = 0; i < r.nlink; i++) turns.push_back(method == BENCH_KDL_LMA && r.link[i].type == LIMB_REVOLUTE);
    if (method == BENCH_KDL_LMA) {
      const Eigen::Matrix<double, 6, 1> weights = Eigen::Matrix<double, 6, 1>::Ones();
      solver = std::make_unique<KDL::ChainIkSolverPos_LMA>(chain, weights, TOLERANCE, LMA_ITERATIONS);
    } else {
      solver = std::make_unique<KDL::ChainIkSolverPos_NR_JL>(chain, q_min, q_max, position, velocity, NR_ITERATIONS,
                                                             TOLERANCE);
    }
  }

  KDL::Chain chain;
  unsigned n;
  KDL::JntArray q_min, q_max, start, answer;
  KDL::ChainFkSolverPos_recursive position;
  KDL::ChainIkSolverVel_pinv velocity;
  std::unique_ptr<KDL::ChainIkSolverPos> solver;
  std::vector<bool> turns; // by joint: whether whole turns are taken off
};

bench_ik_kdl* bench_ik_kdl_create(const bench_robot* robot, const double* q, const sp_pose* frame, const double* q_min,
                                  const double* q_max, bench_ik_kdl_method method)
{
  KDL::epsilon = SMALLEST_ANGLE; // rotations by less are none to KDL; its default, 1e-6, makes both solvers stop there
  return new bench_ik_kdl(*robot, q, *frame, q_min, q_max, method);
}

void bench_ik_kdl_destroy(bench_ik_kdl* self) { delete self; }

int bench_ik_kdl_solve(bench_ik_kdl* self, const sp_pose* target, const double* start, double* q)
{
  bench_ik_kdl& t = *self;
  for (unsigned i = 0; i < t.n; i++) t.start(i) = start[i];
  const int status = t.solver->CartToJnt(t.start, bench::to_kdl(*target), t.answer);
  for (unsigned i = 0; i < t.n; i++) {
    const double turn = 2 * M_PI, middle = (t.q_min(i) + t.q_max(i)) / 2;
    q[i] = t.answer(i);
    if (t.turns[i] && std::isfinite(middle)) q[i] = middle + std::remainder(q[i] - middle, turn);
  }
  return status >= 0;
}
