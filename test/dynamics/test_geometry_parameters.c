// Derivatives by the parameters of the geometry, against the complex step through forward kinematics and Newton's and
// Euler's equations in world axes, written down from the definitions of the forms; and robots with other values.
#include "limb/derivatives.h"
#include "limb/read.h"

#include "support/check.h"
#include "support/rng.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#undef I // an inertia here

typedef double complex cx;

enum { JOINTS = 24 }; // at most

static const double H = 1e-40; // of the step

// ---- complex poses -----------------------------------------------------------------------------------

typedef struct vec {
  cx x[3];
} vec;

typedef struct pose {
  cx R[9];
  vec p;
} pose;

static cx imaginary(double x)
{
  const double parts[2] = {0, x};
  cx z;
  memcpy(&z, parts, sizeof z);
  return z;
}

static vec cross(vec a, vec b)
{
  return (vec){
    {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static vec sum(vec a, cx k, vec b) { return (vec){{a.x[0] + k * b.x[0], a.x[1] + k * b.x[1], a.x[2] + k * b.x[2]}}; }
static cx dot(vec a, vec b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }

static vec turned(const pose* X, vec v)
{
  vec y;
  for (int i = 0; i < 3; i++) y.x[i] = X->R[3 * i] * v.x[0] + X->R[3 * i + 1] * v.x[1] + X->R[3 * i + 2] * v.x[2];
  return y;
}

static pose times(pose X, pose Y)
{
  pose Z;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      Z.R[3 * i + j] = X.R[3 * i] * Y.R[j] + X.R[3 * i + 1] * Y.R[3 + j] + X.R[3 * i + 2] * Y.R[6 + j];
  Z.p = sum(X.p, 1, turned(&X, Y.p));
  return Z;
}

static pose inverse(pose X)
{
  pose Z;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) Z.R[3 * i + j] = X.R[3 * j + i];
  Z.p = (vec){{0, 0, 0}};
  Z.p = sum(Z.p, -1, turned(&Z, X.p));
  return Z;
}

static pose of(sp_pose X)
{
  pose Z = {.p = {{X.p.x, X.p.y, X.p.z}}};
  for (int k = 0; k < 9; k++) Z.R[k] = X.R.m[k];
  return Z;
}

static vec vec_of(sp_vec3 v) { return (vec){{v.x, v.y, v.z}}; }

// About or along a unit vector: motions 0 to 2 turn about x, y, z, 3 to 5 shift.
static pose about(vec n, cx angle)
{
  const cx c = ccos(angle), s = csin(angle), x = n.x[0], y = n.x[1], z = n.x[2], t = 1 - c;
  return (pose){{t * x * x + c, t * x * y - s * z, t * x * z + s * y, t * x * y + s * z, t * y * y + c,
                 t * y * z - s * x, t * x * z - s * y, t * y * z + s * x, t * z * z + c},
                {{0, 0, 0}}};
}

static pose step(int motion, cx x)
{
  vec n = {{0, 0, 0}};
  n.x[motion % 3] = 1;
  if (motion < 3) return about(n, x);
  const vec none = {{0, 0, 0}};
  pose Z = about(n, 0);
  Z.p = sum(none, x, n);
  return Z;
}

// ---- the robot by the definition of its form -----------------------------------------------------------

typedef struct chain {
  const limb_model* m;
  limb_form form;
  limb_geometry* g;
  cx* value; // of the parameters
  const double* q;
  int first[JOINTS];
  pose frame[JOINTS];                       // joint frames in the world, not moved by their joints
  vec axis[JOINTS];                         // in the world
  pose body[2 * JOINTS], moved[2 * JOINTS]; // POE: exp(S q) ... of the bodies
  int far[JOINTS];
} chain;

static pose product(const int* motion, const cx* x, int n)
{
  pose P = step(3, 0);
  for (int k = 0; k < n; k++) P = times(P, step(motion[k], x[k]));
  return P;
}

static pose home(const limb_model* m, int body)
{
  sp_pose M;
  assert_ok(limb_frame_home(m, body, &M));
  return of(M);
}

static const int all[] = {0, 1, 2, 3, 4, 5}, mdh_motion[] = {2, 5, 0, 3, 2, 5}, pose_motion[] = {3, 4, 5, 2, 1, 0};

// The frame of the joint in its parent with the values x.
static pose placed(const chain* c, const limb_joint_info* j, const cx* x, const double* nominal)
{
  cx v[6], v0[6];
  const int* motion = c->form == LIMB_FORM_MDH ? mdh_motion : pose_motion;
  for (int k = 0; k < 6; k++) { // roll pitch yaw are turned about last to first
    const int at = c->form == LIMB_FORM_MDH || k < 3 ? k : 8 - k;
    v[k] = x[at], v0[k] = nominal[at];
  }
  // what the row leads to, and from there to the joint frame as described
  return times(product(motion, v, 6), times(inverse(product(motion, v0, 6)), of(j->def.placement)));
}

static void move_joint(chain* c, int k, const limb_joint_info* j, const double* nominal)
{
  const limb_model* m = c->m;
  const cx* x = c->value + c->first[k];
  const double q = j->def.type == LIMB_FIXED ? 0 : c->q[j->q];
  const int parent = j->def.parent, child = c->far[k];
  vec n = j->def.type == LIMB_FIXED ? (vec){{0, 0, 1}} : vec_of(j->def.axis);
  pose behind = step(3, 0);
  if (c->form == LIMB_FORM_DH && j->def.type != LIMB_FIXED) {
    n = (vec){{0, 0, 1}};
    c->frame[k] = times(c->body[parent], times(step(2, x[0]), step(5, x[1])));
    behind = times(step(3, x[2]), step(0, x[3]));
  } else if (c->form == LIMB_FORM_POE && j->def.type != LIMB_FIXED) {
    const pose above = times(home(m, parent), of(j->def.placement));
    c->frame[k] = times(c->moved[parent], times(product(all, x, 6), above));
  } else if (c->form == LIMB_FORM_POE) {
    c->moved[child] = c->moved[parent];
    c->frame[k] = c->body[child] = times(c->moved[child], times(home(m, child), product(all, x, 6)));
    return;
  } else {
    c->frame[k] = times(c->body[parent], placed(c, j, x, nominal));
  }
  const vec none = {{0, 0, 0}};
  pose moved = j->def.type == LIMB_REVOLUTE ? about(n, q) : step(3, 0);
  if (j->def.type == LIMB_PRISMATIC) moved.p = sum(none, q, n);
  c->axis[k] = turned(&c->frame[k], n);
  if (c->form == LIMB_FORM_POE) {
    const pose above = times(home(m, parent), of(j->def.placement));
    c->moved[child] = times(times(c->frame[k], moved), times(inverse(above), inverse(product(all, x, 6))));
    c->body[child] = times(c->moved[child], times(home(m, child), product(all, x + 6, 6)));
  } else {
    c->body[child] = times(times(c->frame[k], moved), behind);
  }
}

static int skipped(const chain* c, int joint)
{
  return (c->form == LIMB_FORM_DH || c->form == LIMB_FORM_POE) && limb_joint_is_auxiliary(c->m, joint);
}

static void move_all(chain* c)
{
  double nominal[13 * JOINTS];
  limb_geometry_info info;
  c->body[0] = c->moved[0] = step(3, 0);
  for (int p = 0; p < limb_geometry_count(c->g); p++) {
    assert_ok(limb_geometry_get(c->g, p, &info));
    nominal[p] = info.value;
  }
  for (int k = 0; k < limb_joint_count(c->m); k++) {
    limb_joint_info j;
    assert_ok(limb_get_joint(c->m, k, &j));
    if (!skipped(c, k)) move_joint(c, k, &j, nominal + c->first[k]);
  }
}

static void find_first(chain* c)
{
  limb_geometry_info info;
  for (int k = 0; k < JOINTS; k++) c->first[k] = 0;
  for (int p = limb_geometry_count(c->g) - 1; p >= 0; p--) {
    assert_ok(limb_geometry_get(c->g, p, &info));
    c->first[info.joint] = p;
  }
  for (int k = 0; k < limb_joint_count(c->m); k++) {
    limb_joint_info j;
    assert_ok(limb_get_joint(c->m, k, &j));
    const int behind = skipped(c, k) ? -1 : limb_stands_for(c->m, j.def.child);
    const int across = c->form == LIMB_FORM_DH || c->form == LIMB_FORM_POE;
    c->far[k] = across && behind >= 0 ? behind : j.def.child;
  }
}

// ---- Newton and Euler, in world axes -------------------------------------------------------------------

typedef struct motion {
  vec w, al, a; // angular velocity, acceleration, acceleration of the origin
} motion;

static vec rigid(const motion* x, vec r) { return sum(sum(x->a, 1, cross(x->al, r)), 1, cross(x->w, cross(x->w, r))); }

static motion across(const chain* c, int k, const limb_joint_info* j, const motion* from, double qd, double qdd)
{
  const int turns = j->def.type == LIMB_REVOLUTE, slides = j->def.type == LIMB_PRISMATIC;
  const vec z = c->axis[k], r = sum(c->body[c->far[k]].p, -1, c->body[j->def.parent].p);
  const vec joint = sum(c->frame[k].p, -1, c->body[j->def.parent].p);
  motion to = *from;
  if (turns) {
    to.al = sum(sum(from->al, qdd, z), qd, cross(from->w, z));
    to.w = sum(from->w, qd, z);
  }
  // to the joint with the parent, from there with the child
  const motion at_joint = {to.w, to.al, rigid(from, joint)};
  to.a = turns ? rigid(&at_joint, sum(r, -1, joint)) : rigid(from, r);
  if (slides) to.a = sum(sum(to.a, qdd, z), 2 * qd, cross(from->w, z));
  return to;
}

static void add_forces(const chain* c, int body, const motion* x, cx* tau)
{
  limb_body_info info;
  limb_joint_info j;
  assert_ok(limb_get_body(c->m, body, &info));
  const sp_inertia* Y = &info.inertia;
  const pose* X = &c->body[body];
  const vec arm = turned(X, vec_of(Y->com)), g = vec_of(limb_model_gravity(c->m)), none = {{0, 0, 0}};
  const double I[9] = {Y->xx, Y->xy, Y->xz, Y->xy, Y->yy, Y->yz, Y->xz, Y->yz, Y->zz};
  const vec F = sum(none, Y->mass, sum(rigid(x, arm), -1, g)), at = sum(X->p, 1, arm);
  pose Ib = {.p = none}, world = *X;
  for (int k = 0; k < 9; k++) Ib.R[k] = I[k];
  world.p = none;
  const pose Iw = times(times(world, Ib), inverse(world));
  const vec N = sum(turned(&Iw, x->al), 1, cross(x->w, turned(&Iw, x->w)));
  for (int b = body; b > 0; b = info.parent) {
    assert_ok(limb_get_body(c->m, b, &info));
    int k = info.joint;
    if (skipped(c, k)) assert_ok(limb_get_body(c->m, info.parent, &info)), k = info.joint;
    assert_ok(limb_get_joint(c->m, k, &j));
    if (j.nv == 0) continue;
    const vec moment = sum(N, 1, cross(sum(at, -1, c->frame[k].p), F));
    tau[j.v] += dot(c->axis[k], j.def.type == LIMB_REVOLUTE ? moment : F);
  }
}

static void newton_euler(const chain* c, const double* v, const double* a, cx* tau)
{
  motion x[2 * JOINTS];
  memset(x, 0, sizeof x);
  for (int k = 0; k < limb_nv(c->m); k++) tau[k] = 0;
  for (int k = 0; k < limb_joint_count(c->m); k++) {
    limb_joint_info j;
    assert_ok(limb_get_joint(c->m, k, &j));
    if (skipped(c, k)) continue;
    x[c->far[k]] = across(c, k, &j, &x[j.def.parent], j.nv ? v[j.v] : 0, j.nv ? a[j.v] : 0);
    add_forces(c, c->far[k], &x[c->far[k]], tau);
  }
}

// ---- comparison ------------------------------------------------------------------------------------------

typedef struct rig {
  chain c;
  limb_model* m;
  limb_environment env;
  int np, nv, frame;
  double q[JOINTS], v[JOINTS], a[JOINTS];
  cx* value;
} rig;

// Frame: the last body, which is at the end of an arm.
static int open_rig(rig* r, const char* name, limb_form form, uint64_t seed)
{
  rng random = {seed};
  limb_error err;
  *r = (rig){.np = 0};
  assert_ok(limb_load(name, NULL, &r->m, &err));
  r->c = (chain){.m = r->m, .form = form, .q = r->q};
  const limb_status s = limb_geometry_create(r->m, form, NULL, &r->c.g, &err);
  check_at("%s, form %d: %s", name, (int)form, err.text);
  if (s == LIMB_E_UNSUPPORTED) return 0;
  assert_ok(s);
  r->env = limb_default_environment(r->m);
  r->env.friction = 0;
  r->np = limb_geometry_count(r->c.g), r->nv = limb_nv(r->m);
  assert_that(r->nv <= JOINTS && limb_joint_count(r->m) <= JOINTS && r->np > 0 && r->np <= 13 * JOINTS);
  for (int k = 0; k < r->nv; k++) {
    r->q[k] = rng_uniform(&random, -2, 2), r->v[k] = rng_uniform(&random, -2, 2);
    r->a[k] = rng_uniform(&random, -2, 2);
  }
  find_first(&r->c);
  r->frame = r->c.far[limb_joint_count(r->m) - 1];
  r->value = calloc((size_t)r->np, sizeof *r->value);
  r->c.value = r->value;
  for (int p = 0; p < r->np; p++) {
    limb_geometry_info info;
    assert_ok(limb_geometry_get(r->c.g, p, &info));
    r->value[p] = info.value;
  }
  return 1;
}

static void close_rig(rig* r)
{
  limb_geometry_destroy(r->c.g);
  limb_model_destroy(r->m);
  free(r->value);
}

// Im f / H of the pose, as a velocity with world axes at the origin of the frame.
static sp_motion rate(const pose* X)
{
  double W[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      W[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) W[3 * i + j] += cimag(X->R[3 * i + k]) / H * creal(X->R[3 * j + k]);
    }
  return sp_motion_make(sp_v3(W[7], W[2], W[3]),
                        sp_v3(cimag(X->p.x[0]) / H, cimag(X->p.x[1]) / H, cimag(X->p.x[2]) / H));
}

static int carries(const limb_model* m, int joint, int body)
{
  limb_body_info x;
  for (; body > 0; body = x.parent) {
    assert_ok(limb_get_body(m, body, &x));
    if (x.joint == joint) return 1;
  }
  return 0;
}

// Column of the Jacobian of the frame, its rate along the step.
static sp_motion column_rate(const rig* r, int k, const limb_joint_info* j)
{
  const vec z = r->c.axis[k], arm = sum(r->c.body[r->frame].p, -1, r->c.frame[k].p), none = {{0, 0, 0}};
  const int turns = j->def.type == LIMB_REVOLUTE;
  const vec w = turns ? z : none, v = turns ? cross(z, arm) : z;
  return sp_motion_make(sp_v3(cimag(w.x[0]) / H, cimag(w.x[1]) / H, cimag(w.x[2]) / H),
                        sp_v3(cimag(v.x[0]) / H, cimag(v.x[1]) / H, cimag(v.x[2]) / H));
}

static void compare_derivatives(rig* r)
{
  const size_t np = (size_t)r->np, nv = (size_t)r->nv;
  sp_motion *dX = calloc(np, sizeof *dX), *dJ = calloc(np * nv, sizeof *dJ);
  double *dtau = calloc(np * nv, sizeof *dtau), want[JOINTS], got[JOINTS];
  cx tau[JOINTS];
  assert_ok(limb_geometry_pose_derivative(r->c.g, r->q, r->frame, LIMB_ALIGNED, dX));
  assert_ok(limb_geometry_jacobian_derivative(r->c.g, r->q, r->frame, LIMB_ALIGNED, dJ));
  assert_ok(limb_geometry_torque_derivative(r->c.g, r->q, r->v, r->a, &r->env, dtau));
  for (int p = 0; p < r->np; p++) {
    limb_geometry_info info;
    assert_ok(limb_geometry_get(r->c.g, p, &info));
    check_at("%s", info.name);
    r->value[p] += imaginary(H);
    move_all(&r->c);
    newton_euler(&r->c, r->v, r->a, tau);
    assert_close_motion(dX[p], rate(&r->c.body[r->frame]), 1e-11, 1e-12);
    for (int k = 0; k < limb_joint_count(r->m); k++) {
      limb_joint_info j;
      assert_ok(limb_get_joint(r->m, k, &j));
      if (j.nv > 0 && carries(r->m, k, r->frame))
        assert_close_motion(dJ[(size_t)p * nv + (size_t)j.v], column_rate(r, k, &j), 1e-11, 1e-11);
    }
    for (size_t k = 0; k < nv; k++) want[k] = cimag(tau[k]) / H, got[k] = dtau[k * np + (size_t)p];
    assert_close_array(got, want, r->nv, 1e-10, 1e-10);
    r->value[p] = creal(r->value[p]);
  }
  free(dX), free(dJ), free(dtau);
}

// All parameters changed at once: the robot that is built is that of the definitions, its torques included.
static void compare_values(rig* r, uint64_t seed)
{
  rng random = {seed};
  double value[13 * JOINTS], want[JOINTS], got[JOINTS], zero[JOINTS] = {0};
  limb_model* m = NULL;
  limb_data* d[2] = {NULL, NULL};
  limb_error err;
  sp_pose X;
  cx tau[JOINTS], tau0[JOINTS];
  assert_ok(limb_data_create(r->m, NULL, &d[0]));
  move_all(&r->c);
  newton_euler(&r->c, r->v, r->a, tau0);
  assert_ok(limb_inverse_dynamics(d[0], r->q, r->v, r->a, &r->env, zero)); // with rotors
  for (int p = 0; p < r->np; p++) r->value[p] += value[p] = rng_uniform(&random, -0.02, 0.02);
  for (int p = 0; p < r->np; p++) value[p] = creal(r->value[p]);
  assert_ok(limb_geometry_build(r->c.g, value, &m, &err));
  assert_ok(limb_data_create(m, NULL, &d[1]));
  move_all(&r->c);
  newton_euler(&r->c, r->v, r->a, tau);
  assert_ok(limb_kinematics(d[1], r->q, NULL, NULL));
  limb_body_info body;
  assert_ok(limb_get_body(r->m, r->frame, &body));
  assert_ok(limb_frame_pose(d[1], limb_find_frame(m, body.name), &X));
  const vec p = r->c.body[r->frame].p;
  assert_close_vec3(X.p, sp_v3(creal(p.x[0]), creal(p.x[1]), creal(p.x[2])), 1e-12, 1e-12);
  for (int k = 0; k < 9; k++) assert_close(X.R.m[k], creal(r->c.body[r->frame].R[k]), 0, 1e-12);
  assert_ok(limb_inverse_dynamics(d[1], r->q, r->v, r->a, &r->env, got));
  for (int k = 0; k < r->nv; k++) want[k] = zero[k] + creal(tau[k]) - creal(tau0[k]);
  assert_close_array(got, want, r->nv, 1e-11, 1e-11);
  for (int i = 0; i < 2; i++) limb_data_destroy(d[i]);
  limb_model_destroy(m);
}

static const char* const robots[] = {"panda", "puma560", "ur5", "stanford", "tree5", "iiwa"};

START_TEST(derivatives)
{
  int done = 0;
  for (int form = LIMB_FORM_POSES; form <= LIMB_FORM_POE; form++) {
    rig r;
    if (open_rig(&r, robots[_i], (limb_form)form, (uint64_t)(form + 10 * _i + 1))) {
      compare_derivatives(&r);
      compare_values(&r, 5);
      done++;
    }
    close_rig(&r);
  }
  assert_that(done >= 3);
}
END_TEST

// Of robots with ball and free joints, mimic joints and loops: a parameter changes the pose as the same robot, built
// with another value.
START_TEST(other_joints)
{
  static const char* const names[] = {"hand", "quadruped", "humanoid", "gough_stewart", "elastic2r", "space_arm"};
  for (int form = LIMB_FORM_POSES; form <= LIMB_FORM_POE; form++) {
    limb_model *m = NULL, *near[2] = {NULL, NULL};
    limb_geometry* g = NULL;
    limb_error err;
    double q[128], value[1024];
    sp_motion dX[1024];
    uint64_t seed = 3;
    assert_ok(limb_load(names[_i], NULL, &m, &err));
    if (limb_geometry_create(m, (limb_form)form, NULL, &g, &err) == LIMB_OK) {
      const int np = limb_geometry_count(g), frame = limb_body_count(m) - 1, p = np * 2 / 3;
      assert_that(np <= 1024 && limb_nq(m) <= 128);
      assert_ok(limb_random(m, &seed, q));
      assert_ok(limb_geometry_pose_derivative(g, q, frame, LIMB_ALIGNED, dX));
      sp_pose X[2];
      for (int i = 0; i < 2; i++) {
        limb_data* d = NULL;
        limb_geometry_info info;
        limb_body_info body;
        for (int k = 0; k < np; k++) assert_ok(limb_geometry_get(g, k, &info)), value[k] = info.value;
        value[p] += i ? 1e-6 : -1e-6;
        assert_ok(limb_geometry_build(g, value, &near[i], &err));
        assert_ok(limb_get_body(m, frame, &body));
        assert_ok(limb_data_create(limb_spanning_tree(near[i]), NULL, &d));
        assert_ok(limb_kinematics(d, q, NULL, NULL));
        assert_ok(limb_frame_pose(d, limb_find_frame(near[i], body.name), &X[i]));
        limb_data_destroy(d);
        limb_model_destroy(near[i]);
      }
      check_at("%s, form %d", names[_i], form);
      assert_close_vec3(sp_scale3(5e5, sp_sub3(X[1].p, X[0].p)), dX[p].v, 1e-6, 1e-8);
    }
    limb_geometry_destroy(g);
    limb_model_destroy(m);
  }
}
END_TEST

START_TEST(arguments_are_checked)
{
  limb_model *m = NULL, *out = NULL;
  limb_geometry* g = NULL;
  limb_geometry_info info;
  limb_error err;
  sp_motion x[64];
  double q[7] = {0}, value[64] = {0}, tau[7 * 64];
  assert_ok(limb_load("panda", NULL, &m, &err));
  assert_status(limb_geometry_create(NULL, LIMB_FORM_MDH, NULL, &g, &err), LIMB_E_ARG);
  assert_status(limb_geometry_create(m, (limb_form)7, NULL, &g, &err), LIMB_E_ARG);
  assert_status(limb_geometry_create(m, LIMB_FORM_DH, NULL, &g, &err), LIMB_E_UNSUPPORTED);
  assert_that(g == NULL && limb_geometry_count(NULL) == 0);
  assert_ok(limb_geometry_create(m, LIMB_FORM_MDH, NULL, &g, &err));
  ck_assert_int_eq(limb_geometry_count(g), 42);
  assert_ok(limb_geometry_get(g, 8, &info));
  ck_assert_str_eq(info.name, "joint2.alpha");
  assert_that(info.joint == 1 && info.angle == 1 && fabs(info.value + 1.5707963267948966) < 1e-15);
  assert_status(limb_geometry_get(g, 42, &info), LIMB_E_ARG);
  assert_status(limb_geometry_pose_derivative(g, q, 99, LIMB_BODY, x), LIMB_E_ARG);
  assert_status(limb_geometry_pose_derivative(g, NULL, 1, LIMB_BODY, x), LIMB_E_ARG);
  assert_status(limb_geometry_jacobian_derivative(g, q, 1, LIMB_BODY, NULL), LIMB_E_ARG);
  assert_status(limb_geometry_torque_derivative(NULL, q, q, q, NULL, tau), LIMB_E_ARG);
  assert_ok(limb_geometry_torque_derivative(g, q, q, q, NULL, tau));
  value[3] = (double)NAN;
  assert_status(limb_geometry_build(g, value, &out, &err), LIMB_E_NONFINITE);
  ck_assert_str_eq(err.where, "joint1.d");
  q[2] = (double)INFINITY;
  assert_status(limb_geometry_pose_derivative(g, q, 1, LIMB_BODY, x), LIMB_E_NONFINITE);
  limb_geometry_destroy(g);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("geometry parameters", 6, derivatives, other_joints, arguments_are_checked)
