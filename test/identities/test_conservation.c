// Free flight: momentum and energy along the motion, for robots that float, roll or hang on any joint that
// nobody drives, under joint forces and under given joint motions.
//
// The integrator is a commutator-free Lie group method of fourth order (E. Celledoni, A. Marthinsen,
// B. Owren, Commutator-free Lie group methods, Future Generation Computer Systems 19, 2003): Runge-Kutta with
// steps of limb_integrate. What is conserved must drift with the fourth power of the step, and hardly at a
// fine one.
#include "support/check.h"
#include "support/rng.h"
#include "support/robots_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 48 };                          // coordinates
enum { STEPS = CHECK_SANITIZED ? 60 : 250 }; // of a coarse flight
static const double DURATION = CHECK_SANITIZED ? 0.5 : 2;

// ---- flight -------------------------------------------------------------------------------------

typedef struct flight {
  limb_model* m;
  limb_data* d;
  int nq, nv;
  limb_environment env;
  unsigned char passive[MOST]; // marks of the model
  unsigned char given[MOST];   // of this flight: all forces, or the motion of the joints with motors
  double amplitude;            // of those forces or accelerations
} flight;

typedef struct state {
  double q[MOST], v[MOST], supplied; // energy that motors have put in
} state;

typedef struct slope {
  double v[MOST], a[MOST], power;
} slope;

// Takes the model over. Motors do nothing, and there is no gravity.
static flight prepare(limb_model* m)
{
  flight f = {.m = m, .nq = limb_nq(m), .nv = limb_nv(m)};
  assert_that(f.nq <= MOST);
  assert_ok(limb_data_create(m, NULL, &f.d));
  assert_ok(limb_given_for_passive(m, f.passive));
  f.env = limb_default_environment(m);
  f.env.gravity = sp_v3(0, 0, 0);
  return f;
}

static void finish(flight* f)
{
  limb_data_destroy(f->d);
  limb_model_destroy(f->m);
}

static slope slope_at(const flight* f, double t, const state* s)
{
  slope k;
  double x[MOST], tau[MOST];
  for (int i = 0; i < f->nv; i++)
    x[i] = f->passive[i] == LIMB_FORCE_GIVEN ? 0 : f->amplitude * sin((2 + 0.1 * i) * t + i);
  assert_ok(limb_hybrid_dynamics(f->d, s->q, s->v, f->given, x, &f->env, k.a, tau));
  memcpy(k.v, s->v, sizeof k.v);
  k.power = 0;
  for (int i = 0; i < f->nv; i++) k.power += tau[i] * s->v[i];
  return k;
}

// s moved by h sum of c_i k_i.
static state moved(const flight* f, const state* s, double h, const slope k[4], const double c[4])
{
  state r = *s;
  double v[MOST] = {0};
  for (int j = 0; j < 4; j++) {
    for (int i = 0; c[j] != 0 && i < f->nv; i++) {
      v[i] += c[j] * k[j].v[i];
      r.v[i] += h * c[j] * k[j].a[i];
    }
    if (c[j] != 0) r.supplied += h * c[j] * k[j].power;
  }
  assert_ok(limb_integrate(f->m, s->q, v, h, r.q));
  return r;
}

static state step(const flight* f, double t, double h, const state* s)
{
  static const double half[4] = {0.5}, mid[4] = {0, 0.5}, late[4] = {-0.5, 0, 1};
  static const double first[4] = {3. / 12, 2. / 12, 2. / 12, -1. / 12};
  static const double last[4] = {-1. / 12, 2. / 12, 2. / 12, 3. / 12};
  slope k[4];
  k[0] = slope_at(f, t, s);
  const state two = moved(f, s, h, k, half);
  k[1] = slope_at(f, t + h / 2, &two);
  const state three = moved(f, s, h, k, mid);
  k[2] = slope_at(f, t + h / 2, &three);
  const state four = moved(f, &two, h, k, late);
  k[3] = slope_at(f, t + h, &four);
  const state between = moved(f, s, h, k, first);
  return moved(f, &between, h, k, last);
}

static state fly(const flight* f, int steps, const state* start)
{
  state s = *start;
  const double h = DURATION / steps;
  for (int i = 0; i < steps; i++) s = step(f, i * h, h, &s);
  return s;
}

// ---- what is conserved --------------------------------------------------------------------------

typedef struct balance {
  sp_force h;    // momentum about the world's origin
  double energy; // less what was supplied
  sp_vec3 com;
} balance;

static balance balance_of(const flight* f, const state* s)
{
  balance b;
  limb_energy e;
  assert_ok(limb_kinematics(f->d, s->q, s->v, NULL));
  assert_ok(limb_momentum(f->d, 0, &b.h));
  assert_ok(limb_center_of_mass(f->d, &b.com, NULL, NULL));
  assert_ok(limb_energies(f->d, s->q, s->v, &f->env, &e));
  b.energy = e.kinetic + e.gravity + e.springs - s->supplied;
  return b;
}

// What the momentum must have become: weight pulls at the centre of mass, which flies along a parabola.
//   p = p0 + m g t,   L = L0 + (c0 t + p0 t^2 / 2 m) x m g
static sp_force expected(const flight* f, const balance* start)
{
  const double t = DURATION, mass = limb_total_mass(f->m);
  const sp_vec3 weight = sp_scale3(mass, f->env.gravity);
  const sp_vec3 fallen = sp_scale3(t * t / (2 * mass), start->h.f);
  const sp_vec3 arm = sp_add3(sp_scale3(t, start->com), fallen);
  return sp_force_make(sp_add3(start->h.m, sp_cross3(arm, weight)), sp_add3(start->h.f, sp_scale3(t, weight)));
}

enum { ANGULAR_X = 1, ANGULAR_Y = 2, ANGULAR_Z = 4, LINEAR_X = 8, LINEAR_Y = 16, LINEAR_Z = 32 };
enum { ANGULAR = 7, ALL = 63 };

typedef struct drift {
  double momentum, energy;
} drift;

// How far momentum (the components of the mask) and energy are off after a flight, of their sizes.
static drift drift_after(const flight* f, int steps, const state* start, unsigned mask)
{
  const balance before = balance_of(f, start);
  const state end = fly(f, steps, start);
  const balance after = balance_of(f, &end);
  const sp_force want = expected(f, &before), off = sp_addf(after.h, sp_scalef(-1, want));
  const double size = 1 + sp_norm3(want.m) + sp_norm3(want.f);
  const double x[6] = {off.m.x, off.m.y, off.m.z, off.f.x, off.f.y, off.f.z};
  drift r = {0, fabs(after.energy - before.energy) / (1 + fabs(before.energy))};
  for (int i = 0; i < 6; i++) {
    if (mask >> i & 1) r.momentum = fmax(r.momentum, fabs(x[i]) / size);
  }
  return r;
}

// Falls with the fourth power of the step (by 16 when it is halved; more is welcome, as is rounding), and is
// below 1e-10 at the fine one.
static void is_conserved(const char* what, const flight* f, const state* start, unsigned mask, int steps)
{
  check_at("%s of %s", what, limb_model_name(f->m));
  const drift coarse = drift_after(f, steps, start, mask);
  const drift half = drift_after(f, 2 * steps, start, mask);
  const drift fine = drift_after(f, 8 * steps, start, mask);
  assert_that(half.momentum < coarse.momentum / 10 + 1e-13);
  assert_that(half.energy < coarse.energy / 10 + 1e-13);
  assert_that(fine.momentum < 1e-10);
  assert_that(fine.energy < 1e-10);
}

// ---- robots and their drives --------------------------------------------------------------------

static state start_of(const flight* f, uint64_t seed, double speed)
{
  state s = {.supplied = 0};
  rng r = {seed};
  assert_ok(limb_neutral(f->m, s.q));
  rng_fill(&r, 0.5, f->nv, s.v);
  assert_ok(limb_integrate(f->m, s.q, s.v, 1, s.q)); // somewhere near
  rng_fill(&r, speed, f->nv, s.v);
  return s;
}

static int add_arm(limb_builder* b, const char* const names[3], int parent, double size)
{
  static const sp_vec3 axis[3] = {{0, 0, 1}, {0, 1, 0}, {0.6, 0.8, 0}};
  for (int i = 0; i < 3; i++) {
    const sp_pose at = i ? fixture_at(size, 0, 0) : fixture_at(0.3, 0.1, 0.2);
    const sp_inertia rod =
      limb_inertia_move(fixture_at(size / 2, 0.02, 0), limb_inertia_box(2 - 0.5 * i, size, 0.1, 0.1));
    parent = fixture_link(b, names[i], LIMB_REVOLUTE, parent, at, axis[i], rod);
  }
  return parent;
}

// A body that nobody drives on a joint of the given type, with an arm of three joints.
static limb_model* arm_on(limb_joint_type root, sp_vec3 axis)
{
  static const char* const names[3] = {"one", "two", "three"};
  limb_builder* b = fixture_begin(limb_joint_type_name(root));
  limb_joint_def def = limb_default_joint_def(
    "root", root, LIMB_WORLD_BODY,
    fixture_body(b, "base", limb_inertia_move(fixture_at(0.1, 0, 0), limb_inertia_box(6, 1, 1, 1))));
  def.axis = axis, def.drive = LIMB_DRIVE_PASSIVE;
  if (root == LIMB_UNIVERSAL) def.axis2 = sp_v3(1, 0, 0);
  fixture_joint(b, &def);
  fixture_frame(b, "tip", add_arm(b, names, def.child, 0.5), fixture_at(0.5, 0, 0));
  return fixture_end(b);
}

static limb_model* floating_arm(void) { return arm_on(LIMB_FREE, sp_v3(0, 0, 1)); }

// Two robots that know nothing of each other.
static limb_model* two_floating_arms(void)
{
  static const char* const names[2][3] = {{"a1", "a2", "a3"}, {"b1", "b2", "b3"}};
  limb_builder* b = fixture_begin("two");
  for (int i = 0; i < 2; i++) {
    const int base = fixture_link(b, i ? "b" : "a", LIMB_FREE, LIMB_WORLD_BODY, fixture_at(2 * i, 0, 0.3),
                                  sp_v3(0, 0, 1), limb_inertia_box(5 + 3 * i, 1, 0.8, 0.6));
    add_arm(b, names[i], base, 0.4 + 0.1 * i);
  }
  return fixture_end(b);
}

enum { ROBOTS = 4 };
static limb_model* (*const floating[ROBOTS])(void) = {floating_arm, robot_quadruped, robot_humanoid, two_floating_arms};
static const double speed[ROBOTS] = {1, 0.8, 0.5, 1}, push[ROBOTS] = {0.2, 0.1, 0.01, 0.2};

// ---- free flight --------------------------------------------------------------------------------

START_TEST(coasting)
{
  flight f = prepare(floating[_i]());
  const state start = start_of(&f, 1, speed[_i]);
  is_conserved("coasting", &f, &start, ALL, STEPS);
  finish(&f);
}
END_TEST

START_TEST(falling)
{
  flight f = prepare(floating[_i]());
  f.env.gravity = limb_model_gravity(f.m);
  const state start = start_of(&f, 2, speed[_i]);
  is_conserved("falling", &f, &start, ALL, STEPS);
  finish(&f);
}
END_TEST

// Joint forces act between bodies: they change the energy, by their work, and not the momentum.
START_TEST(under_joint_forces)
{
  flight f = prepare(floating[_i]());
  f.amplitude = push[_i];
  const state start = start_of(&f, 3, speed[_i]);
  is_conserved("pushing", &f, &start, ALL, STEPS);
  finish(&f);
}
END_TEST

// The joints move as they are told, in spite of gravity.
START_TEST(under_given_joint_motion)
{
  flight f = prepare(floating[_i]());
  f.amplitude = 0.8;
  f.env.gravity = limb_model_gravity(f.m);
  memcpy(f.given, f.passive, sizeof f.given);
  const state start = start_of(&f, 4, speed[_i]);
  is_conserved("swinging", &f, &start, ALL, STEPS);
  finish(&f);
}
END_TEST

// ---- other bases --------------------------------------------------------------------------------

// The joint sits at the world's origin: what it lets through is conserved there.
START_TEST(bases_of_every_kind)
{
  static const struct {
    sp_vec3 axis;
    limb_joint_type type;
    unsigned mask;
  } base[] = {{{0, 0, 1}, LIMB_PLANAR, ANGULAR_Z | LINEAR_X | LINEAR_Y},
              {{0, 0, 1}, LIMB_SPHERICAL, ANGULAR},
              {{1, 0, 0}, LIMB_PRISMATIC, LINEAR_X},
              {{0, 0, 1}, LIMB_CYLINDRICAL, ANGULAR_Z | LINEAR_Z},
              {{0, 1, 0}, LIMB_REVOLUTE, ANGULAR_Y},
              {{0, 0, 1}, LIMB_UNIVERSAL, ANGULAR_Z}};
  for (size_t i = 0; i < sizeof base / sizeof base[0]; i++) {
    for (int motion = 0; motion < 2; motion++) {
      flight f = prepare(arm_on(base[i].type, base[i].axis));
      f.amplitude = 0.1;
      if (motion) memcpy(f.given, f.passive, sizeof f.given);
      const state start = start_of(&f, 5 + i, 0.8);
      is_conserved(motion ? "swinging" : "pushing", &f, &start, base[i].mask, STEPS);
      finish(&f);
    }
  }
}
END_TEST

// ---- momentum tells the base's velocity ---------------------------------------------------------

// The momentum h, which is about the world's origin, in the coordinates of the free joint of body 1.
static void momentum_of_base(const flight* f, const state* s, sp_force h, double p[6])
{
  sp_pose X;
  assert_ok(limb_kinematics(f->d, s->q, NULL, NULL));
  assert_ok(limb_frame_pose(f->d, 1, &X));
  const sp_force own = sp_force_in(X, h);
  const double x[6] = {own.m.x, own.m.y, own.m.z, own.f.x, own.f.y, own.f.z};
  memcpy(p, x, sizeof x);
}

// The momentum at the start and the joints' velocities at the end make the base's velocity at the end; the
// generalised Jacobian makes the hand's, when there was no momentum.
START_TEST(base_velocity_along_a_flight)
{
  for (int rest = 0; rest < 2; rest++) {
    flight f = prepare(floating_arm());
    double *work = calloc(limb_moving_base_work(f.m), sizeof *work), p[6];
    check_at(rest ? "from rest" : "with momentum");
    f.amplitude = 3;
    memcpy(f.given, f.passive, sizeof f.given);
    state start = start_of(&f, 6, 1);
    if (rest) assert_ok(limb_velocity_from_momentum(f.d, start.q, NULL, NULL, work, start.v));
    const balance before = balance_of(&f, &start);
    const state end = fly(&f, 8 * STEPS, &start);
    double v[MOST];
    memcpy(v, end.v, sizeof v);
    for (int i = 0; i < 6; i++) v[i] = nan("");
    momentum_of_base(&f, &end, before.h, p);
    assert_ok(limb_velocity_from_momentum(f.d, end.q, NULL, rest ? NULL : p, work, v));
    assert_close_array(v, end.v, f.nv, 0, 1e-9);

    sp_motion J[3], want, got = {{0, 0, 0}, {0, 0, 0}};
    const int tip = limb_find_frame(f.m, "tip");
    assert_ok(limb_kinematics(f.d, end.q, end.v, NULL));
    assert_ok(limb_frame_velocity(f.d, tip, LIMB_ALIGNED, &want));
    assert_ok(limb_generalized_jacobian(f.d, end.q, NULL, tip, LIMB_ALIGNED, work, J));
    for (int i = 0; i < 3; i++) got = sp_addm(got, sp_scalem(end.v[6 + i], J[i]));
    if (rest) assert_close_motion(got, want, 0, 1e-9);
    free(work);
    finish(&f);
  }
}
END_TEST

// Twelve joints can do six motions that the trunk does not feel.
START_TEST(reaction_null_space_motion)
{
  flight f = prepare(robot_quadruped());
  double* work = calloc(limb_moving_base_work(f.m), sizeof *work);
  double P[12 * 12], travelled = 0;
  state s = start_of(&f, 7, 1);
  const state start = s;
  const double dt = 0.01;
  for (int k = 0; k < DURATION / dt; k++) {
    const double t = k * dt;
    int rank;
    assert_ok(limb_reaction_null_space(f.d, s.q, NULL, work, P, &rank));
    assert_that(rank == 6);
    memset(s.v, 0, sizeof s.v);
    for (int i = 0; i < 12; i++) {
      for (int j = 0; j < 12; j++) s.v[6 + i] += P[12 * i + j] * sin(3 * t + j);
      travelled += dt * fabs(s.v[6 + i]);
    }
    sp_force h;
    assert_ok(limb_velocity_from_momentum(f.d, s.q, NULL, NULL, work, s.v));
    for (int i = 0; i < 6; i++) assert_close(s.v[i], 0, 0, 1e-13);
    assert_ok(limb_kinematics(f.d, s.q, s.v, NULL));
    assert_ok(limb_momentum(f.d, 0, &h));
    assert_that(sp_norm3(h.m) < 1e-13 && sp_norm3(h.f) < 1e-13);
    assert_ok(limb_integrate(f.m, s.q, s.v, dt, s.q));
  }
  assert_close_array(s.q, start.q, 7, 0, 1e-12); // the trunk is where it was
  assert_that(travelled > 1);                    // the legs are not
  free(work);
  finish(&f);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const over_robots[] = {coasting, falling, under_joint_forces, under_given_joint_motion, NULL};
  const TTest* const once[] = {bases_of_every_kind, base_velocity_along_a_flight, reaction_null_space_motion, NULL};
  const int failed = check_run("identities/conservation", ROBOTS, over_robots);
  return check_run("identities/conservation of other bases", 1, once) | failed;
}
