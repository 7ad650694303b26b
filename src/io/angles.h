// Angles of model files as rotations, and lengths of their vectors. All readers use these, so that an angle
// is the same rotation to the bit whatever language it is written in.
#ifndef LIMB_IO_ANGLES_H
#define LIMB_IO_ANGLES_H

#include "limb/spatial.h"

// An angle of more than a turn, which looks like degrees.
int limb_looks_like_degrees(double radians);

// Rz(yaw) Ry(pitch) Rx(roll), and the rotation about a unit vector. An angle within 1e-15 of a multiple of a
// right angle, as pi/2 or 90 degrees are when they are read, gives exact zeros and ones; 1.5708 stays what it
// is. No entry is a negative zero.
sp_mat3 limb_rot_rpy(const double rpy[3]);
sp_mat3 limb_rot_axis(sp_vec3 axis, double angle);

// The smallest rotation that takes one unit vector to another; half a turn about one of the axes where there
// is no smallest. from must be an axis of coordinates.
sp_mat3 limb_rot_to(sp_vec3 from, sp_vec3 to);

// Roll, pitch and yaw of a rotation, up to rounding, wherever the pitch is; none is a negative zero.
sp_vec3 limb_rpy_of(const sp_mat3* R);

// Rotation of a quaternion of any norm but zero, also without negative zeros.
sp_mat3 limb_rot_quat(double x, double y, double z, double w);

// Length of a vector whose squares may be too large or too small for a number; infinite beyond 1.8e308.
double limb_length(sp_vec3 x);

// x / |x|; x must not be zero.
sp_vec3 limb_unit(sp_vec3 x);

#endif
