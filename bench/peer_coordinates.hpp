// Coordinates of a peer against those of limb.
//
// With one-dof and free joints the velocities are related by v_peer = T(q) v_limb with T
// orthogonal: joints may stand in another order, and the six velocities of a free joint may be
// taken in other axes. Hence tau_peer = T tau_limb, M_limb = T^t M_peer T, and a_peer = T a_limb +
// dT/dt v_limb, where the last term is R (w x v) in the linear part, or zero when velocities are in
// body axes.
#ifndef BENCH_PEER_COORDINATES_HPP
#define BENCH_PEER_COORDINATES_HPP

#include "peer.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace bench
{
using vector = std::vector<double>;

/// How a library counts the velocity of a free joint.
enum class free_velocity {
  body_axes,            ///< (w; v) in body axes, as limb
  linear_first,         ///< (v; w) in body axes
  parent_axes,          ///< (w; v) in parent axes
  linear_in_parent_axes ///< linear first and in parent axes, angular in body axes
};

class coordinates
{
public:
  /// @param first  for each link, its first velocity coordinate in the peer
  coordinates(const bench_robot& robot, std::vector<int> first, free_velocity kind)
      : robot_(robot), first_(std::move(first)), kind_(kind), row_(std::size_t(robot.nv))
  {
  }

  /// Takes the orientations of the free joints from a configuration of limb.
  void set(const double* q)
  {
    for (int i = 0; i < robot_.nlink; i++) {
      const bench_link& l = robot_.link[i];
      if (l.type == LIMB_FREE) {
        set_free(l, first_[std::size_t(i)], q);
      } else {
        row_[std::size_t(l.v)] = {{{first_[std::size_t(i)], 1.0}, {0, 0.0}, {0, 0.0}}};
      }
    }
  }

  /// T x
  vector to_peer(const double* x) const
  {
    vector y(row_.size(), 0.0);
    for (std::size_t i = 0; i < row_.size(); i++) {
      for (const entry& e : row_[i]) y[std::size_t(e.index)] += e.value * x[i];
    }
    return y;
  }

  /// T a + dT/dt v
  vector acceleration_to_peer(const double* v, const double* a) const
  {
    const vector b = rate_times_v(v);
    vector y = to_peer(a);
    for (std::size_t i = 0; i < y.size(); i++) y[i] += b[i];
    return y;
  }

  /// T^-1 y = T^t y
  void to_limb(const double* y, double* x) const
  {
    for (std::size_t i = 0; i < row_.size(); i++) {
      x[i] = 0;
      for (const entry& e : row_[i]) x[i] += e.value * y[e.index];
    }
  }

  /// T^-1 (y - dT/dt v)
  void acceleration_to_limb(const double* v, const double* y, double* x) const
  {
    vector z = rate_times_v(v);
    for (std::size_t i = 0; i < z.size(); i++) z[i] = y[i] - z[i];
    to_limb(z.data(), x);
  }

  /// T^t M T; M(i, j) gives the entries of the peer's matrix.
  template <class matrix> void matrix_to_limb(const matrix& M, double* out) const
  {
    const std::size_t n = row_.size();
    for (std::size_t i = 0; i < n; i++) {
      for (std::size_t j = 0; j < n; j++) {
        double sum = 0;
        for (const entry& a : row_[i]) {
          for (const entry& b : row_[j]) {
            if (a.value != 0 && b.value != 0) sum += a.value * b.value * M(a.index, b.index);
          }
        }
        out[n * i + j] = sum;
      }
    }
  }

  /// T of velocities that stay in body axes: where a coordinate of limb is in the peer.
  std::size_t index_in_peer(std::size_t i) const
  {
    for (const entry& e : row_[i]) {
      if (e.value == 1) return std::size_t(e.index);
    }
    return i;
  }

  /// J T, 6 x nv, column after column; J(i, j) gives the entries of the peer's, angular first.
  template <class matrix> void jacobian_to_limb(const matrix& J, double* out) const
  {
    for (std::size_t j = 0; j < row_.size(); j++) {
      for (int i = 0; i < 6; i++) {
        double sum = 0;
        for (const entry& e : row_[j]) {
          if (e.value != 0) sum += e.value * J(i, e.index);
        }
        out[6 * j + std::size_t(i)] = sum;
      }
    }
  }

private:
  // One nonzero of column i of T.
  struct entry {
    int index;
    double value;
  };
  using column = std::array<entry, 3>;

  static sp_mat3 rotation(const bench_link& l, const double* q)
  {
    const double* x = q + l.q + 3;
    return sp_rot_quat(sp_quat{x[0], x[1], x[2], x[3]});
  }

  bool linear_is_first() const
  {
    return kind_ == free_velocity::linear_first || kind_ == free_velocity::linear_in_parent_axes;
  }

  void set_free(const bench_link& l, int first, const double* q)
  {
    const sp_mat3 R = rotation(l, q);
    for (int k = 0; k < 6; k++) {
      const bool linear = k >= 3;
      const int j = k % 3, block = linear_is_first() ? !linear : linear;
      const bool turned =
        kind_ == free_velocity::parent_axes || (kind_ == free_velocity::linear_in_parent_axes && linear);
      column& c = row_[std::size_t(l.v + k)];
      for (int i = 0; i < 3; i++) {
        c[std::size_t(i)] = {first + 3 * block + i, turned ? R.m[3 * i + j] : double(i == j)};
      }
    }
  }

  vector rate_times_v(const double* v) const
  {
    vector y(row_.size(), 0.0);
    if (kind_ == free_velocity::body_axes || kind_ == free_velocity::linear_first) return y;
    for (int i = 0; i < robot_.nlink; i++) {
      const bench_link& l = robot_.link[i];
      if (l.type != LIMB_FREE) continue;
      const double* x = v + l.v;
      const sp_vec3 wv = sp_cross3(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5]));
      const double rate[3] = {wv.x, wv.y, wv.z};
      for (int k = 0; k < 3; k++) {
        for (const entry& e : row_[std::size_t(l.v + 3 + k)]) {
          y[std::size_t(e.index)] += e.value * rate[k];
        }
      }
    }
    return y;
  }

  const bench_robot& robot_;
  std::vector<int> first_;
  free_velocity kind_;
  std::vector<column> row_;
};

/// A rotation whose z axis (or, for slide, x axis) is the given unit vector.
inline sp_mat3 frame_on_axis(sp_vec3 axis, bool on_x = false)
{
  const sp_vec3 other = axis.x * axis.x < 0.5 ? sp_v3(1, 0, 0) : sp_v3(0, 1, 0);
  sp_vec3 u = sp_sub3(other, sp_scale3(sp_dot3(axis, other), axis));
  u = sp_scale3(1 / sp_norm3(u), u);
  const sp_vec3 w = sp_cross3(axis, u);
  // columns (u, w, axis) or (axis, u, w)
  if (on_x) return sp_mat3{{axis.x, u.x, w.x, axis.y, u.y, w.y, axis.z, u.z, w.z}};
  return sp_mat3{{u.x, w.x, axis.x, u.y, w.y, axis.y, u.z, w.z, axis.z}};
}

} // namespace bench

#endif
