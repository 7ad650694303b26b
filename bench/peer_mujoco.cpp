// MuJoCo behind the benchmark's interface.
//
// The robot goes in as URDF: the elements of MJCF are nested as deep as the robot, and MuJoCo stops
// reading at some depth. No geometry, no limits, no damping, no contacts. Instead of mj_forward and
// mj_inverse, which also look for contacts and run sensors, only the stages that the answer needs
// are called:
//   RNEA      mj_kinematics, mj_comPos, mj_comVel, mj_rne with accelerations
//   CRBA      mj_kinematics, mj_comPos, mj_makeM, mj_fullM (dense, as limb gives it)
//   FD        mj_kinematics, mj_comPos, mj_makeM, mj_factorM, mj_comVel, mj_rne, mj_solveM
//   Jacobian  mj_kinematics, mj_comPos, mj_jacBody
//   RK4 step  mj_step, everything that its flags can turn off being off
//   FD loops  as FD, and mj_makeConstraint, mj_projectConstraint, mj_referenceConstraint, mj_fwdConstraint
// Robots with loops go in as MJCF, every closure a connect; 4.0 does not read the flag `passive` there, so that it is
// left out for them. These are soft by design; they are as hard here as MuJoCo
// allows. It also leaves out what the rows accelerate by themselves, Psi' v (dPsi/dt), and is handed that ready-made,
// so that it solves the same problem.
#include "peer_coordinates.hpp"
#include "peer_library.hpp"

#include <cmath>
#include <cstring>
#include <locale>
#include <memory>
#include <mujoco/mujoco.h>
#include <sstream>
#include <string>

namespace
{
constexpr const char* file = "robot.urdf";

void write_vector(std::ostream& out, const char* name, sp_vec3 x)
{
  out << ' ' << name << "=\"" << x.x << ' ' << x.y << ' ' << x.z << '"';
}

// Roll, pitch, yaw of a rotation; any roll will do when pitch is a right angle.
sp_vec3 to_rpy(const sp_mat3& R)
{
  const double* m = R.m;
  const double c = std::hypot(m[0], m[3]), pitch = std::atan2(-m[6], c);
  if (c < 1e-9) return sp_v3(std::atan2(-m[5], m[4]), pitch, 0);
  return sp_v3(std::atan2(m[7], m[8]), pitch, std::atan2(m[3], m[0]));
}

void write_origin(std::ostream& out, const sp_pose& X)
{
  out << "<origin";
  write_vector(out, "xyz", X.p);
  write_vector(out, "rpy", to_rpy(X.R));
  out << "/>";
}

// Principal moments and axes (columns of the rotation) by Jacobi's method: MuJoCo's own treatment
// of full matrices is good to 1e-8 only. It takes no moment below 1e-15, thin rods get 1e-14.
void principal(const sp_inertia& Y, double moment[3], sp_mat3& axes)
{
  double A[3][3] = {{Y.xx, Y.xy, Y.xz}, {Y.xy, Y.yy, Y.yz}, {Y.xz, Y.yz, Y.zz}};
  axes = sp_identity3();
  for (int turn = 0; turn < 60; turn++) {
    const int p = turn % 3 == 2 ? 1 : 0, q = turn % 3 == 0 ? 1 : 2;
    const double angle = 0.5 * std::atan2(2 * A[p][q], A[q][q] - A[p][p]);
    const double c = std::cos(angle), s = std::sin(angle);
    for (int i = 0; i < 3; i++) { // A G
      const double x = A[i][p], y = A[i][q];
      A[i][p] = c * x - s * y, A[i][q] = s * x + c * y;
    }
    for (int i = 0; i < 3; i++) { // G' A
      const double x = A[p][i], y = A[q][i];
      A[p][i] = c * x - s * y, A[q][i] = s * x + c * y;
    }
    for (int i = 0; i < 3; i++) {
      double &x = axes.m[3 * i + p], &y = axes.m[3 * i + q];
      const double z = c * x - s * y;
      y = s * x + c * y, x = z;
    }
  }
  for (int i = 0; i < 3; i++) moment[i] = std::fmax(A[i][i], 1e-14);
}

void write_link(std::ostream& out, const bench_link& l, int i)
{
  double moment[3];
  sp_mat3 axes;
  principal(l.inertia, moment, axes);
  out << "<link name=\"l" << i << "\"><inertial><mass value=\"" << l.inertia.mass << "\"/>";
  write_origin(out, sp_pose_make(axes, l.inertia.com));
  out << "<inertia ixx=\"" << moment[0] << "\" iyy=\"" << moment[1] << "\" izz=\"" << moment[2]
      << "\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n";
}

void write_joint(std::ostream& out, const bench_link& l, int i)
{
  const char* type = l.type == LIMB_REVOLUTE ? "continuous" : "prismatic";
  out << "<joint name=\"j" << i << "\" type=\"" << (l.type == LIMB_FREE ? "floating" : type) << "\"><parent link=\"";
  if (l.parent < 0) {
    out << "world";
  } else {
    out << 'l' << l.parent;
  }
  out << "\"/><child link=\"l" << i << "\"/><axis";
  write_vector(out, "xyz", l.axis);
  out << "/>";
  write_origin(out, l.placement);
  out << "</joint>\n";
}

std::string write_urdf(const bench_robot& r)
{
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(17);
  out << "<robot name=\"robot\"><mujoco><compiler balanceinertia=\"false\"/><option";
  write_vector(out, "gravity", r.gravity);
  out << "><flag constraint=\"disable\" contact=\"disable\" passive=\"disable\"/></option></mujoco>"
         "<link name=\"world\"/>\n";
  for (int i = 0; i < r.nlink; i++) write_link(out, r.link[i], i);
  for (int i = 0; i < r.nlink; i++) write_joint(out, r.link[i], i);
  out << "</robot>";
  return out.str();
}

// Attributes of a pose; axes: the first two columns of the rotation.
void write_pose(std::ostream& out, const sp_pose& X)
{
  const double* m = X.R.m;
  write_vector(out, "pos", X.p);
  out << " xyaxes=\"" << m[0] << ' ' << m[3] << ' ' << m[6] << ' ' << m[1] << ' ' << m[4] << ' ' << m[7] << '"';
}

// Links stand in depth-first order: bodies that the next one does not hang on are closed before it.
void write_bodies(std::ostream& out, const bench_robot& r)
{
  std::vector<int> open;
  for (int i = 0; i < r.nlink; i++) {
    const bench_link& l = r.link[i];
    while (!open.empty() && open.back() != l.parent) open.pop_back(), out << "</body>\n";
    open.push_back(i);
    double moment[3];
    sp_mat3 axes;
    principal(l.inertia, moment, axes);
    out << "<body name=\"l" << i << '"';
    write_pose(out, l.placement);
    out << "><inertial mass=\"" << l.inertia.mass << '"';
    write_pose(out, sp_pose_make(axes, l.inertia.com));
    write_vector(out, "diaginertia", sp_v3(moment[0], moment[1], moment[2]));
    const char* type = l.type == LIMB_REVOLUTE ? "hinge" : "slide";
    out << "/><joint name=\"j" << i << "\" type=\"" << (l.type == LIMB_FREE ? "free" : type) << '"';
    if (l.type != LIMB_FREE) write_vector(out, "axis", l.axis);
    out << "/>\n";
  }
  for (std::size_t i = 0; i < open.size(); i++) out << "</body>\n";
}

std::string body_name(int link) { return link < 0 ? "world" : "l" + std::to_string(link); }

std::string write_mjcf(const bench_robot& r)
{
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(17);
  out << "<mujoco><compiler angle=\"radian\" balanceinertia=\"false\"/><option solver=\"Newton\"";
  write_vector(out, "gravity", r.gravity);
  out << "><flag contact=\"disable\" passive=\"disable\"/></option>\n<worldbody>";
  write_bodies(out, r);
  out << "</worldbody><equality>\n";
  for (int i = 0; i < r.nloop; i++) {
    const bench_loop& l = r.loop[i];
    out << "<connect body1=\"" << body_name(l.link_a) << "\" body2=\"" << body_name(l.link_b) << '"';
    write_vector(out, "anchor", l.a);
    out << " solimp=\"0.9999 0.9999 0.001\"/>\n";
  }
  out << "</equality></mujoco>";
  return out.str();
}

// The compiler takes the anchor on the other body from the neutral configuration, where loops are open.
void set_anchors(mjModel* m, const bench_robot& r)
{
  for (int i = 0; i < r.nloop; i++) {
    const sp_vec3 p = r.loop[i].b;
    mjtNum* anchor = m->eq_data + i * mjNEQDATA + 3;
    anchor[0] = p.x, anchor[1] = p.y, anchor[2] = p.z;
  }
}

mjModel* load(const bench_robot& r)
{
  const std::string text = r.nrow ? write_mjcf(r) : write_urdf(r);
  const auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  mj_addBufferVFS(vfs.get(), file, text.data(), int(text.size()));
  char error[256] = "";
  mjModel* m = mj_loadXML(file, vfs.get(), error, sizeof error);
  mj_deleteVFS(vfs.get());
  if (m) set_anchors(m, r);
  if (m && !r.nrow) {
    m->opt.integrator = mjINT_RK4;
    m->opt.timestep = bench_step;
    m->opt.disableflags = ((1 << mjNDISABLE) - 1) & ~mjDSBL_GRAVITY;
  }
  return m;
}

struct subject {
  subject(const bench_robot& r, const bench_states& s, mjModel* model)
      : m(model), d(mj_makeData(model)), nq(std::size_t(m->nq)), nv(std::size_t(m->nv)), mask(s.count - 1), robot(r),
        given(s), map(r, first_velocities(r, model), kind), q(nq * std::size_t(s.count)), x(nv), M(nv * nv), Jp(3 * nv),
        Jr(3 * nv)
  {
    for (int k = 0; k < s.count; k++) {
      const std::size_t n = std::size_t(k) * nv;
      const double* from = s.q + std::size_t(k) * nq;
      map.set(from);
      set_q(from, q.data() + std::size_t(k) * nq);
      append(v, map.to_peer(s.v + n));
      append(a, map.acceleration_to_peer(s.v + n, s.a + n));
      append(tau, map.to_peer(s.tau + n));
    }
    for (int k = 0; k < s.count && r.nrow; k++) add_gamma(std::size_t(k));
    tip = mj_name2id(m, mjOBJ_BODY, ("l" + std::to_string(r.tip)).c_str());
  }

  subject(const subject&) = delete;
  subject& operator=(const subject&) = delete;

  ~subject()
  {
    if (moving) mj_deleteData(moving);
    mj_deleteData(d);
    mj_deleteModel(m);
  }

  static constexpr bench::free_velocity kind = bench::free_velocity::linear_in_parent_axes;

  static int joint(const mjModel* model, int link)
  {
    return mj_name2id(model, mjOBJ_JOINT, ("j" + std::to_string(link)).c_str());
  }

  static std::vector<int> first_velocities(const bench_robot& r, const mjModel* model)
  {
    std::vector<int> first;
    for (int i = 0; i < r.nlink; i++) first.push_back(model->jnt_dofadr[joint(model, i)]);
    return first;
  }

  static void append(bench::vector& to, const bench::vector& x) { to.insert(to.end(), x.begin(), x.end()); }

  // Free joint: position in the world, quaternion w x y z.
  void set_q(const double* from, double* to) const
  {
    for (int i = 0; i < robot.nlink; i++) {
      const bench_link& l = robot.link[i];
      const double* c = from + l.q;
      double* y = to + m->jnt_qposadr[joint(m, i)];
      y[0] = c[0];
      if (l.type != LIMB_FREE) continue;
      y[1] = c[1], y[2] = c[2];
      y[3] = c[6], y[4] = c[3], y[5] = c[4], y[6] = c[5];
    }
  }

  std::size_t at(int k) const { return std::size_t(k & mask); }

  void positions(std::size_t k)
  {
    std::memcpy(d->qpos, q.data() + k * nq, nq * sizeof(double));
    mj_kinematics(m, d);
    mj_comPos(m, d);
  }

  void velocities(std::size_t k)
  {
    std::memcpy(d->qvel, v.data() + k * nv, nv * sizeof(double));
    mj_comVel(m, d);
  }

  // What the rows accelerate by in a state that is solved: Psi a.
  void add_gamma(std::size_t k)
  {
    positions(k);
    mj_makeConstraint(m, d);
    bench::vector rows(std::size_t(d->nefc));
    mj_mulJacVec(m, d, rows.data(), a.data() + k * nv);
    append(gamma, rows);
  }

  // Something that is simulated, from state k.
  void begin(std::size_t k)
  {
    if (!moving) moving = mj_makeData(m);
    mj_resetData(m, moving);
    std::memcpy(moving->qpos, q.data() + k * nq, nq * sizeof(double));
    std::memcpy(moving->qvel, v.data() + k * nv, nv * sizeof(double));
  }

  mjModel* m;
  mjData *d, *moving = nullptr;
  std::size_t nq, nv;
  int mask, tip = 0;
  const bench_robot& robot;
  const bench_states& given;
  bench::coordinates map;
  bench::vector q, v, a, tau, gamma, x, M, Jp, Jr;
};

void* make(const bench_library*, const bench_robot* robot, const bench_states* states)
{
  if (!robot->plain || !robot->points) return nullptr;
  // A free joint always moves in the world frame.
  const bench_link& root = robot->link[0];
  const sp_pose& P = root.placement;
  const bool at_world = P.R.m[0] == 1 && P.R.m[4] == 1 && P.R.m[8] == 1 && sp_norm3(P.p) == 0;
  if (root.type == LIMB_FREE && !at_world) return nullptr;
  for (int i = 1; i < robot->nlink; i++) {
    if (robot->link[i].type == LIMB_FREE) return nullptr;
  }
  mjModel* m = load(*robot);
  return m ? new subject(*robot, *states, m) : nullptr;
}

void destroy(void* self) { delete static_cast<subject*>(self); }

void run_rnea(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) {
    const std::size_t k = t.at(first + i);
    t.positions(k);
    t.velocities(k);
    std::memcpy(t.d->qacc, t.a.data() + k * t.nv, t.nv * sizeof(double));
    mj_rne(t.m, t.d, 1, t.x.data());
  }
}

void run_crba(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) {
    t.positions(t.at(first + i));
    mj_makeM(t.m, t.d);
    mj_fullM(t.m, t.d, t.M.data());
  }
}

// Forward dynamics of the tree; rows of loops on the way where they are wanted.
void tree(subject& t, std::size_t k, bool loops, double* a)
{
  t.positions(k);
  mj_makeM(t.m, t.d);
  mj_factorM(t.m, t.d);
  if (loops) mj_makeConstraint(t.m, t.d), mj_projectConstraint(t.m, t.d);
  t.velocities(k);
  if (loops) mj_referenceConstraint(t.m, t.d);
  mj_rne(t.m, t.d, 0, t.d->qfrc_bias);
  const double* tau = t.tau.data() + k * t.nv;
  for (std::size_t j = 0; j < t.nv; j++) t.d->qfrc_smooth[j] = tau[j] - t.d->qfrc_bias[j];
  mj_solveM(t.m, t.d, a, t.d->qfrc_smooth, 1);
}

void run_fd(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) tree(t, t.at(first + i), false, t.x.data());
}

void run_closed(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) {
    const std::size_t k = t.at(first + i);
    tree(t, k, true, t.d->qacc_smooth);
    const std::size_t rows = std::size_t(t.d->nefc);
    for (std::size_t r = 0; r < rows; r++) t.d->efc_aref[r] += t.gamma[k * rows + r];
    mj_fwdConstraint(t.m, t.d);
    std::memcpy(t.x.data(), t.d->qacc, t.nv * sizeof(double));
  }
}

void run_step(void* self, int, int count)
{
  subject& t = *static_cast<subject*>(self);
  if (!t.moving) t.begin(0);
  for (int i = 0; i < count; i++) mj_step(t.m, t.moving);
}

void run_jacobian(void* self, int first, int count)
{
  subject& t = *static_cast<subject*>(self);
  for (int i = 0; i < count; i++) {
    t.positions(t.at(first + i));
    mj_jacBody(t.m, t.d, t.Jp.data(), t.Jr.data(), t.tip);
  }
}

int answer(void* self, bench_kernel kernel, int k, double* out)
{
  subject& t = *static_cast<subject*>(self);
  const std::size_t n = std::size_t(k) * t.nv;
  t.map.set(t.given.q + std::size_t(k) * t.nq);
  if (kernel == BENCH_CRBA) {
    t.map.matrix_to_limb([&](int i, int j) { return t.M[std::size_t(i) * t.nv + std::size_t(j)]; }, out);
  } else if (kernel == BENCH_JACOBIAN) {
    const auto J = [&](int i, int j) { return (i < 3 ? t.Jr : t.Jp)[std::size_t(i % 3) * t.nv + std::size_t(j)]; };
    t.map.jacobian_to_limb(J, out);
  } else if (kernel == BENCH_STEP_RK4) {
    t.begin(std::size_t(k));
    mj_step(t.m, t.moving);
    t.map.to_limb(t.moving->qvel, out);
  } else if (kernel == BENCH_FD || kernel == BENCH_CLOSED_FD) {
    t.map.acceleration_to_limb(t.given.v + n, t.x.data(), out);
  } else {
    t.map.to_limb(t.x.data(), out);
  }
  return 0;
}
} // namespace

const bench_library* bench_mujoco(void)
{
  static const bench_library library = [] {
    bench_library l = bench::describe("MuJoCo", mj_versionString(), 1000);
    l.make = make, l.destroy = destroy, l.answer = answer, l.softness = 1e-3;
    bench::offer(l, run_rnea, run_crba, run_fd, run_jacobian);
    l.run[BENCH_CLOSED_FD] = run_closed;
    l.run[BENCH_STEP_RK4] = run_step;
    return l;
  }();
  return &library;
}
