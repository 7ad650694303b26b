// Shorthand for describing fixtures: like the builder, but a failure ends the program.
#ifndef LIMB_TEST_ROBOTS_IMPL_H
#define LIMB_TEST_ROBOTS_IMPL_H

#include "support/robots.h"

limb_builder* fixture_begin(const char* name);
int fixture_body(limb_builder* b, const char* name, sp_inertia inertia);
int fixture_joint(limb_builder* b, const limb_joint_def* def);
void fixture_frame(limb_builder* b, const char* name, int body, sp_pose pose);
void fixture_gravity(limb_builder* b, sp_vec3 gravity);

// A body and the joint that carries it, both called name. Returns the body.
int fixture_link(limb_builder* b, const char* name, limb_joint_type type, int parent, sp_pose placement, sp_vec3 axis,
                 sp_inertia inertia);

// Compiles and frees the builder.
limb_model* fixture_end(limb_builder* b);

// Ends the program unless status is LIMB_OK.
void fixture_ok(limb_status status, const limb_error* err);

// Mass, centre of mass, and (xx xy xz yy yz zz) about it.
sp_inertia fixture_inertia(double mass, sp_vec3 com, const double I[6]);

// Z(gamma, b) X(alpha, d) Z(theta, r): Khalil 2010, (1). Right angles come out exact.
sp_pose fixture_mdh(double gamma, double b, double alpha, double d, double theta, double r);

// Rotation about x or z with exact zeros and ones at multiples of a right angle.
sp_mat3 fixture_rot_x(double angle);
sp_mat3 fixture_rot_z(double angle);

static inline sp_pose fixture_at(double x, double y, double z) { return sp_pose_make(sp_identity3(), sp_v3(x, y, z)); }

#endif
