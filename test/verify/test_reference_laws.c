// The reference formulations on random trees with every joint type: against each other, against
// Newton's law for particles whose motion is known by finite differences of poses alone, and
// against virtual work.
#include "limb/limb.h"
#include "limb/verify.h"

#include "support/check.h"
#include "support/rng.h"
#include "support/robots.h"

#include <math.h>

enum { MAX = 128 }; // bodies and coordinates of the random trees

// ---- random trees -------------------------------------------------------------------------------

typedef struct state {
  limb_model* m;
  int nv, nbody;
  double q[MAX], v[MAX], a[MAX];
} state;

static state random_state(int seed, int bodies)
{
  state s = {.m = robot_random_tree((uint64_t)seed, bodies, seed % 2 ? ROBOT_MIMIC : 0)};
  check_at("random tree %d with %d bodies", seed, bodies);
  s.nv = limb_nv(s.m), s.nbody = limb_body_count(s.m);
  assert_that(s.nbody <= MAX && limb_nq(s.m) <= MAX);
  uint64_t seed_q = (uint64_t)seed;
  assert_ok(limb_random(s.m, &seed_q, s.q));
  rng r = {(uint64_t)seed + 1000};
  rng_fill(&r, 1, s.nv, s.v);
  rng_fill(&r, 2, s.nv, s.a);
  return s;
}

// What springs, rotors and friction of every joint ask for at acceleration a.
static void actuators(const state* s, const double* a, double width, double* tau)
{
  for (int k = 0; k < s->nv; k++) tau[k] = 0;
  for (int j = 0; j < limb_joint_count(s->m); j++) {
    limb_joint_info i;
    assert_ok(limb_get_joint(s->m, j, &i));
    if (i.def.type < LIMB_REVOLUTE || i.def.type > LIMB_HELICAL) continue;
    const double k = i.multiplier, x = k * s->q[i.q] + i.offset, dx = k * s->v[i.v];
    double f = i.def.stiffness * (x - i.def.rest);
    f += i.def.rotor_inertia * i.def.gear_ratio * i.def.gear_ratio * k * a[i.v];
    if (width > 0) f += i.def.viscous * dx + i.def.coulomb * tanh(dx / width);
    tau[i.v] += k * f;
  }
}

START_TEST(formulations_agree)
{
  static double M[MAX * MAX];
  state s = random_state(_i, 10 + 2 * _i);
  double c[MAX], g[MAX], want[MAX], tau[MAX];
  const double rest[MAX] = {0}; // M has the rotors
  limb_environment env = limb_default_environment(s.m);
  env.coulomb_width = 0.1;
  env.gravity = sp_v3(1, -2, 9);
  env.base_velocity = (sp_motion){{0.3, -0.4, 0.5}, {1, 2, -3}};
  env.base_acceleration = (sp_motion){{-0.6, 0.7, 0.2}, {2, -1, 1.5}};
  assert_ok(limb_reference_closed_form(s.m, s.q, s.v, &env, M, c, g));
  assert_ok(limb_reference_inverse_dynamics(s.m, s.q, s.v, s.a, &env, tau, NULL));

  actuators(&s, rest, env.coulomb_width, want);
  for (int i = 0; i < s.nv; i++) {
    want[i] += c[i] + g[i];
    for (int j = 0; j < s.nv; j++) want[i] += M[i * s.nv + j] * s.a[j];
  }
  assert_close_array(tau, want, s.nv, TOL_ALGEBRA, 0);
  limb_model_destroy(s.m);
}
END_TEST

// ---- Newton's law by finite differences ---------------------------------------------------------

enum { BODIES = 14, STEPS = 5 };
static const double H = 1e-3;

// Weights of a five-point first and second derivative: error O(H^4).
static const double SLOPE[STEPS] = {1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12};
static const double CURVE[STEPS] = {-1.0 / 12, 16.0 / 12, -30.0 / 12, 16.0 / 12, -1.0 / 12};

typedef struct pose_track {
  sp_pose T[STEPS][BODIES + 1];
} pose_track;

// Poses at times -2H ... 2H of a motion that has velocity v and acceleration a at time 0.
static void track(const state* s, const double* v, const double* a, pose_track* out)
{
  for (int k = 0; k < STEPS; k++) {
    const double t = (k - 2) * H;
    double dq[MAX], q[MAX];
    for (int i = 0; i < s->nv; i++) dq[i] = v[i] * t + a[i] * t * t / 2;
    assert_ok(limb_integrate(s->m, s->q, dq, 1, q));
    assert_ok(limb_reference_poses(s->m, q, out->T[k]));
  }
}

// The same with velocity k alone.
static void track_one(const state* s, int k, pose_track* out)
{
  double e[MAX] = {0};
  const double none[MAX] = {0};
  e[k] = 1;
  track(s, e, none, out);
}

static sp_vec3 differentiate(const pose_track* track, int body, sp_vec3 at, const double* weights)
{
  sp_vec3 r = {0, 0, 0};
  for (int k = 0; k < STEPS; k++) r = sp_add3(r, sp_scale3(weights[k], sp_point(track->T[k][body], at)));
  return r;
}

// Six particles of a sixth of the mass each with the same centre of mass and inertia as the body:
// com +- sqrt(3/m) times the columns of the Cholesky factor of sum m x x' = tr(I)/2 - I.
static void particles(const sp_inertia* Y, sp_vec3 at[6])
{
  const double xx = (Y->yy + Y->zz - Y->xx) / 2, yy = (Y->zz + Y->xx - Y->yy) / 2;
  const double zz = (Y->xx + Y->yy - Y->zz) / 2, k = sqrt(3 / Y->mass);
  double L[6] = {sqrt(xx)};
  L[1] = -Y->xy / L[0], L[2] = -Y->xz / L[0];
  L[3] = sqrt(yy - L[1] * L[1]), L[4] = (-Y->yz - L[1] * L[2]) / L[3];
  L[5] = sqrt(zz - L[2] * L[2] - L[4] * L[4]);
  const sp_vec3 column[3] = {{L[0], L[1], L[2]}, {0, L[3], L[4]}, {0, 0, L[5]}};
  for (int i = 0; i < 6; i++) at[i] = sp_add3(Y->com, sp_scale3(i % 2 ? k : -k, column[i / 2]));
}

// The particles of every body, and the force m (acceleration - gravity) that each needs.
typedef struct swarm {
  sp_vec3 at[BODIES + 1][6], force[BODIES + 1][6];
} swarm;

static void make_swarm(const limb_model* m, const pose_track* track, swarm* w)
{
  *w = (swarm){0};
  for (int b = 1; b < limb_body_count(m); b++) {
    limb_body_info info;
    assert_ok(limb_get_body(m, b, &info));
    const double mass = info.inertia.mass;
    if (mass > 0) particles(&info.inertia, w->at[b]);
    for (int i = 0; i < 6; i++) {
      const sp_vec3 a = sp_scale3(1 / (H * H), differentiate(track, b, w->at[b][i], CURVE));
      w->force[b][i] = sp_scale3(mass / 6, sp_sub3(a, limb_model_gravity(m)));
    }
  }
}

// The reaction of a joint, about the world's origin: the forces on all particles it carries.
static void swarm_reactions(const limb_model* m, const pose_track* track, const swarm* w, sp_force* sum)
{
  for (int b = 0; b <= BODIES; b++) sum[b] = (sp_force){{0, 0, 0}, {0, 0, 0}};
  for (int b = 1; b < limb_body_count(m); b++) {
    limb_body_info info = {.parent = -1};
    for (int up = b; up > 0; up = info.parent) {
      assert_ok(limb_get_body(m, up, &info));
      for (int i = 0; i < 6; i++) {
        const sp_vec3 f = w->force[b][i];
        sum[up] = sp_addf(sum[up], sp_force_make(sp_cross3(sp_point(track->T[2][b], w->at[b][i]), f), f));
      }
    }
  }
}

// tau_k = sum of force . dp/dq_k over all particles, besides what the actuators take.
START_TEST(particles_agree)
{
  static pose_track T, D;
  static swarm w;
  state s = random_state(_i, BODIES);
  sp_force want[BODIES + 1], got[BODIES + 1];
  double tau[MAX], sum[MAX];
  track(&s, s.v, s.a, &T);
  make_swarm(s.m, &T, &w);
  actuators(&s, s.a, 0, sum);
  for (int k = 0; k < s.nv; k++) {
    track_one(&s, k, &D);
    for (int b = 1; b < s.nbody; b++)
      for (int i = 0; i < 6; i++) sum[k] += sp_dot3(w.force[b][i], differentiate(&D, b, w.at[b][i], SLOPE)) / H;
  }
  limb_environment env = limb_default_environment(s.m);
  env.friction = 0;
  assert_ok(limb_reference_inverse_dynamics(s.m, s.q, s.v, s.a, &env, tau, got));
  assert_close_array(tau, sum, s.nv, TOL_FD, 0);

  swarm_reactions(s.m, &T, &w, want);
  for (int b = 0; b < s.nbody; b++) got[b] = sp_force_out(T.T[2][b], got[b]);
  assert_close_forces(got, want, s.nbody, TOL_FD, 0);
  limb_model_destroy(s.m);
}
END_TEST

// ---- wrenches and a moving base -----------------------------------------------------------------

// tau changes by -(f . dp/dq_k + m . dphi/dq_k), whatever axes the wrench is given in.
START_TEST(wrenches_do_virtual_work)
{
  static pose_track D;
  state s = random_state(_i, BODIES);
  rng r = {(uint64_t)_i};
  const int frame = rng_below(&r, limb_frame_count(s.m));
  const sp_vec3 moment = rng_vec3(&r, 5), force = rng_vec3(&r, 5);
  limb_frame_info info;
  assert_ok(limb_get_frame(s.m, frame, &info));
  sp_pose T[BODIES + 1];
  assert_ok(limb_reference_poses(s.m, s.q, T));
  const sp_pose X = sp_compose(T[info.body], info.pose);

  double want[MAX], without[MAX], tau[MAX];
  assert_ok(limb_reference_inverse_dynamics(s.m, s.q, s.v, s.a, NULL, without, NULL));
  for (int k = 0; k < s.nv; k++) {
    track_one(&s, k, &D);
    // the moment as a couple: forces moment x e / 2 at the ends of the three unit vectors e
    want[k] = -sp_dot3(force, differentiate(&D, info.body, info.pose.p, SLOPE)) / H;
    const sp_vec3 e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++) {
      const sp_vec3 end = sp_add3(info.pose.p, e[i]);
      const sp_vec3 arm =
        sp_sub3(differentiate(&D, info.body, end, SLOPE), differentiate(&D, info.body, info.pose.p, SLOPE));
      want[k] -= sp_dot3(sp_cross3(moment, sp_mulv(T[info.body].R, e[i])), arm) / (2 * H);
    }
    want[k] += without[k];
  }

  const limb_wrench same[3] = {{frame, LIMB_ALIGNED, {moment, force}},
                               {frame, LIMB_BODY, {sp_tmulv(X.R, moment), sp_tmulv(X.R, force)}},
                               {frame, LIMB_WORLD, {sp_add3(moment, sp_cross3(X.p, force)), force}}};
  limb_environment env = limb_default_environment(s.m);
  env.nwrench = 1;
  for (int i = 0; i < 3; i++) {
    env.wrench = &same[i];
    assert_ok(limb_reference_inverse_dynamics(s.m, s.q, s.v, s.a, &env, tau, NULL));
    assert_close_array(tau, want, s.nv, TOL_FD, 0);
    if (i > 0) assert_close_array(tau, without, s.nv, TOL_ALGEBRA, 0);
    for (int k = 0; k < s.nv; k++) without[k] = tau[k];
  }
  limb_model_destroy(s.m);
}
END_TEST

// An arm welded to a moving base is an arm on a free joint that moves in the same way; what the
// free joint would have to deliver is the reaction of the weld.
START_TEST(moving_base_is_a_free_joint)
{
  limb_model* welded = robot_panda_on_base(LIMB_FIXED, 5);
  limb_model* floating = robot_panda_on_base(LIMB_FREE, 5);
  rng r = {(uint64_t)_i};
  double q[14] = {0, 0, 0, 0, 0, 0, 1}, v[13], a[13], tau[7], want[13];
  rng_fill(&r, 2, 7, q + 7), rng_fill(&r, 2, 13, v), rng_fill(&r, 2, 13, a);

  limb_environment env = limb_default_environment(welded);
  env.base_velocity = (sp_motion){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
  env.base_acceleration = (sp_motion){{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
  env.base_acceleration.v = sp_add3(env.base_acceleration.v, sp_cross3(env.base_velocity.w, env.base_velocity.v));
  sp_force reactions[MAX];
  assert_ok(limb_reference_inverse_dynamics(floating, q, v, a, NULL, want, NULL));
  assert_ok(limb_reference_inverse_dynamics(welded, q + 7, v + 6, a + 6, &env, tau, reactions));
  assert_close_array(tau, want + 6, 7, TOL_ALGEBRA, 0);
  limb_joint_info root;
  assert_ok(limb_get_joint(welded, 0, &root));
  const sp_force F = {{want[0], want[1], want[2]}, {want[3], want[4], want[5]}};
  assert_close_force(reactions[root.def.child], F, TOL_ALGEBRA, 0);
  assert_close_force(reactions[0], sp_scalef(0, F), 0, 0);
  limb_model_destroy(welded), limb_model_destroy(floating);
}
END_TEST

CHECK_MAIN("reference_laws", 20, formulations_agree, particles_agree, wrenches_do_virtual_work,
           moving_base_is_a_free_joint)
