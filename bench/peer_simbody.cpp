// Simbody behind the benchmark's interface. The operator form of its matter subsystem, with gravity
// as body forces, so that nothing but the rigid bodies is computed. Calls, after setting the state:
//   RNEA      realize velocity, calcResidualForceIgnoringConstraints
//   CRBA      realize position, calcM
//   FD        realize dynamics, calcAccelerationIgnoringConstraints (articulated bodies)
//   Jacobian  realize position, calcFrameJacobian
//   FD loops  realize dynamics, calcAcceleration; every closure is a Constraint::Ball
#include "peer_coordinates.hpp"
#include "peer_library.hpp"

#include <Simbody.h>

namespace
{
using namespace SimTK;

Vec3 to_simbody(sp_vec3 x) { return Vec3(x.x, x.y, x.z); }

Rotation to_simbody(const sp_mat3& R)
{
  const double* m = R.m;
  return Rotation(Mat33(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]), true);
}

Transform to_simbody(const sp_pose& X) { return Transform(to_simbody(X.R), to_simbody(X.p)); }

MassProperties to_simbody(const sp_inertia& Y)
{
  const Inertia about_com(Y.xx, Y.yy, Y.zz, Y.xy, Y.xz, Y.yz);
  const Vec3 com = to_simbody(Y.com);
  return MassProperties(Y.mass, com, about_com.shiftFromMassCenter(com, Y.mass));
}

// Pin turns about z, Slider moves along x of the frames on both sides.
MobilizedBody add_link(MobilizedBody& parent, const bench_link& l)
{
  const Body::Rigid body(to_simbody(l.inertia));
  if (l.type == LIMB_FREE) {
    return MobilizedBody::Free(parent, to_simbody(l.placement), body, Transform());
  }
  const bool slide = l.type == LIMB_PRISMATIC;
  const sp_pose turn = sp_pose_make(bench::frame_on_axis(l.axis, slide), sp_v3(0, 0, 0));
  const Transform inboard = to_simbody(sp_compose(l.placement, turn)), outboard = to_simbody(turn);
  if (slide) return MobilizedBody::Slider(parent, inboard, body, outboard);
  return MobilizedBody::Pin(parent, inboard, body, outboard);
}

struct state {
  Vector q, v, a, tau;
};

struct subject {
  subject(const bench_robot& r, const bench_states& s)
      : matter(system), forces(system), gravity(forces, matter, to_simbody(r.gravity)), robot(r), given(s),
        mask(s.count - 1), current(build()), map(r, first_velocities(), bench::free_velocity::parent_axes),
        none(r.nv, 0.0)
  {
    tip = body[std::size_t(r.tip)].getMobilizedBodyIndex();
    for (int k = 0; k < s.count; k++) {
      const std::size_t n = std::size_t(k) * std::size_t(r.nv);
      const double* q = s.q + std::size_t(k) * std::size_t(r.nq);
      map.set(q);
      states.push_back({positions(q), vector(map.to_peer(s.v + n)), vector(map.acceleration_to_peer(s.v + n, s.a + n)),
                        vector(map.to_peer(s.tau + n))});
    }
  }

  MobilizedBody carrier(int link) { return link < 0 ? MobilizedBody(matter.Ground()) : body[std::size_t(link)]; }

  State build()
  {
    for (int i = 0; i < robot.nlink; i++) {
      MobilizedBody parent = carrier(robot.link[i].parent);
      body.push_back(add_link(parent, robot.link[i]));
    }
    for (int i = 0; i < robot.nloop; i++) {
      const bench_loop& l = robot.loop[i];
      MobilizedBody a = carrier(l.link_a), b = carrier(l.link_b);
      Constraint::Ball(a, to_simbody(l.a), b, to_simbody(l.b));
    }
    State s = system.realizeTopology();
    system.realizeModel(s);
    return s;
  }

  std::vector<int> first_velocities() const
  {
    std::vector<int> first;
    for (const MobilizedBody& b : body) first.push_back(b.getFirstUIndex(current));
    return first;
  }

  static Vector vector(const bench::vector& x) { return Vector(int(x.size()), x.data()); }

  // Free joint: quaternion w x y z, then position.
  Vector positions(const double* q) const
  {
    Vector y(current.getNQ(), 0.0);
    for (int i = 0; i < robot.nlink; i++) {
      const bench_link& l = robot.link[i];
      const double* c = q + l.q;
      const int at = body[std::size_t(i)].getFirstQIndex(current);
      y[at] = c[0];
      if (l.type != LIMB_FREE) continue;
      y[at] = c[6];
      for (int k = 0; k < 3; k++) y[at + 1 + k] = c[3 + k], y[at + 4 + k] = c[k];
    }
    return y;
  }

  const state& at(int k) const { return states[std::size_t(k & mask)]; }

  void move_to(const state& s, Stage stage)
  {
    current.updQ() = s.q;
    current.updU() = s.v;
    system.realize(current, stage);
  }

  MultibodySystem system;
  SimbodyMatterSubsystem matter;
  GeneralForceSubsystem forces;
  Force::Gravity gravity;
  const bench_robot& robot;
  const bench_states& given;
  int mask;
  std::vector<MobilizedBody> body;
  State current;
  bench::coordinates map;
  std::vector<state> states;
  MobilizedBodyIndex tip;
  Vector none, x;
  Vector_<SpatialVec> body_acceleration;
  Matrix M;
  RowVector_<SpatialVec> J;
};

void* make(const bench_library*, const bench_robot* robot, const bench_states* states)
{
  return robot->plain && robot->points ? new subject(*robot, *states) : nullptr;
}

void destroy(void* self) { delete static_cast<subject*>(self); }

void run_rnea(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) {
    const state& s = t.at(first + i);
    t.move_to(s, Stage::Velocity);
    t.matter.calcResidualForceIgnoringConstraints(t.current, t.none, t.gravity.getBodyForces(t.current), s.a, t.x);
  }
}

void run_crba(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) {
    t.current.updQ() = t.at(first + i).q;
    t.system.realize(t.current, Stage::Position);
    t.matter.calcM(t.current, t.M);
  }
}

void run_fd(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) {
    const state& s = t.at(first + i);
    t.move_to(s, Stage::Dynamics);
    t.matter.calcAccelerationIgnoringConstraints(t.current, s.tau, t.gravity.getBodyForces(t.current), t.x,
                                                 t.body_acceleration);
  }
}

void run_closed(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) {
    const state& s = t.at(first + i);
    t.move_to(s, Stage::Dynamics);
    t.matter.calcAcceleration(t.current, s.tau, t.gravity.getBodyForces(t.current), t.x, t.body_acceleration);
  }
}

void run_jacobian(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) {
    t.current.updQ() = t.at(first + i).q;
    t.system.realize(t.current, Stage::Position);
    t.matter.calcFrameJacobian(t.current, t.tip, Vec3(0), t.J);
  }
}

int answer(void* self, bench_kernel kernel, int k, double* out)
{
  subject& t = *static_cast<subject*>(self);
  const std::size_t n = std::size_t(k) * std::size_t(t.robot.nv);
  t.map.set(t.given.q + std::size_t(k) * std::size_t(t.robot.nq));
  if (kernel == BENCH_CRBA) {
    t.map.matrix_to_limb([&](int i, int j) { return t.M(i, j); }, out);
  } else if (kernel == BENCH_JACOBIAN) {
    t.map.jacobian_to_limb([&](int i, int j) { return t.J[j][i / 3][i % 3]; }, out);
  } else if (kernel == BENCH_FD || kernel == BENCH_CLOSED_FD) {
    t.map.acceleration_to_limb(t.given.v + n, &t.x[0], out);
  } else {
    t.map.to_limb(&t.x[0], out);
  }
  return 0;
}
} // namespace

const bench_library* bench_simbody(void)
{
  static const bench_library library = [] {
    bench_library l = bench::describe("Simbody", BENCH_SIMBODY_VERSION, 1000);
    l.make = make, l.destroy = destroy, l.answer = answer;
    bench::offer(l, run_rnea, run_crba, run_fd, run_jacobian);
    l.run[BENCH_CLOSED_FD] = run_closed;
    return l;
  }();
  return &library;
}
