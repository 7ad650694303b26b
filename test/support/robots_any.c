// Any robot: trees of all joint types, with what files of users have that fixtures do not. Axes meet, coincide or
// are square as often as not; masses go from 1e-6 to 1e6 kg; bodies are points, rods or nothing; followers, shafts,
// tendons.
#include "support/closed_impl.h"

#include <math.h>
#include <stdio.h>

enum { MAX_BODIES = 9 };

// What the whole robot is like.
typedef struct character {
  double decades; // of mass, up and down
  double size;    // of offsets
  int square;     // axes along x, y, z, offsets that are often zero
  int poor;       // bodies that are points, rods, or nothing
} character;

static character any_character(rng* r)
{
  static const double decades[] = {0, 0, 1, 3, 6};
  return (character){.decades = decades[rng_below(r, 5)],
                     .size = rng_chance(r, 0.7) ? 0.4 : pow(10, rng_uniform(r, -2, 2)),
                     .square = rng_chance(r, 0.5),
                     .poor = rng_chance(r, 0.25)};
}

static sp_vec3 any_axis(rng* r, const character* c)
{
  if (!c->square || rng_chance(r, 0.2)) return rng_direction(r);
  const int k = rng_below(r, 3);
  const double sign = rng_chance(r, 0.5) ? 1 : -1;
  return sp_v3(k == 0 ? sign : 0, k == 1 ? sign : 0, k == 2 ? sign : 0);
}

static sp_pose any_place(rng* r, const character* c)
{
  sp_pose X = rng_pose(r, c->size);
  if (!c->square) return X;
  X.R = fixture_rot_x(1.57079632679489661923 * rng_below(r, 4));
  if (rng_chance(r, 0.6)) X.p.x = 0;
  if (rng_chance(r, 0.6)) X.p.y = 0;
  if (rng_chance(r, 0.6)) X.p.z = 0;
  return X;
}

static sp_inertia any_inertia(rng* r, const character* c)
{
  const double mass = pow(10, rng_uniform(r, -c->decades, c->decades)) * rng_uniform(r, 0.5, 2), s = c->size;
  const sp_pose X = any_place(r, c);
  const int poor = c->poor ? rng_below(r, 4) : 4;
  if (poor == 0) return limb_default_body_def("").inertia;
  if (poor == 1) return limb_inertia_point(mass, X.p);
  if (poor == 2) return limb_inertia_move(X, limb_inertia_rod(mass, s));
  const double x = rng_uniform(r, 0.1, 1) * s, y = rng_uniform(r, 0.1, 1) * s;
  return limb_inertia_move(X, limb_inertia_box(mass, x, y, rng_uniform(r, 0.1, 1) * s));
}

static limb_joint_type any_type(rng* r)
{
  const limb_joint_type often[] = {LIMB_REVOLUTE, LIMB_REVOLUTE, LIMB_REVOLUTE, LIMB_PRISMATIC, LIMB_HELICAL};
  const limb_joint_type seldom[] = {LIMB_FIXED,  LIMB_CYLINDRICAL, LIMB_UNIVERSAL,
                                    LIMB_PLANAR, LIMB_SPHERICAL,   LIMB_FREE};
  return rng_chance(r, 0.7) ? often[rng_below(r, 5)] : seldom[rng_below(r, 6)];
}

static int has_one(limb_joint_type t) { return t == LIMB_REVOLUTE || t == LIMB_PRISMATIC || t == LIMB_HELICAL; }

static void any_actuator(rng* r, double inertia, limb_joint_def* def)
{
  if (rng_chance(r, 0.3)) def->coulomb = rng_uniform(r, 0.05, 1), def->viscous = rng_uniform(r, 0.05, 1);
  if (rng_chance(r, 0.3)) def->rotor_inertia = rng_uniform(r, 1e-5, 2e-4) * inertia, def->gear_ratio = 50;
  if (rng_chance(r, 0.25)) def->stiffness = rng_uniform(r, 1, 50) * inertia, def->rest = rng_uniform(r, -0.5, 0.5);
}

// Rotors and friction of joints with several degrees of freedom. Own numbers are drawn, so that the rest of the robot
// of a seed stays what it was.
static void any_dofs(rng* own, double inertia, limb_joint_def* def)
{
  static const int dofs[] = {
    [LIMB_CYLINDRICAL] = 2, [LIMB_UNIVERSAL] = 2, [LIMB_PLANAR] = 3, [LIMB_SPHERICAL] = 3, [LIMB_FREE] = 6};
  if (def->type == LIMB_SPHERICAL && rng_chance(own, 0.5)) def->stiffness = rng_uniform(own, 1, 50) * inertia;
  if (has_one(def->type) || def->type == LIMB_FIXED || !rng_chance(own, 0.4)) return;
  const int turns_alike = def->type == LIMB_SPHERICAL || def->type == LIMB_FREE;
  for (int k = 0; k < dofs[def->type]; k++) {
    def->damping[k] = rng_uniform(own, 0.05, 1);
    if (k < 3) def->armature[k] = turns_alike && k > 0 ? def->armature[0] : rng_uniform(own, 0.05, 0.5) * inertia;
  }
}

// The joint that carries body k; first: the joints there are, of one degree of freedom or none.
static void add_joint(rng* r, rng* own, limb_builder* b, const character* c, int k, const limb_joint_type* type)
{
  char name[24];
  (void)snprintf(name, sizeof name, "j%d", k);
  const int parent = rng_chance(r, 0.6) ? k - 1 : rng_below(r, k);
  limb_joint_def def = limb_default_joint_def(name, type[k], parent, k);
  def.placement = any_place(r, c);
  if (type[k] != LIMB_SPHERICAL && type[k] != LIMB_FREE && type[k] != LIMB_FIXED) def.axis = any_axis(r, c);
  if (type[k] == LIMB_HELICAL) def.pitch = c->size * rng_uniform(r, -1, 1);
  if (type[k] == LIMB_UNIVERSAL) do
      def.axis2 = any_axis(r, c);
    while (sp_norm3(sp_cross3(def.axis, def.axis2)) < 0.3);
  const int source = 1 + rng_below(r, k);
  if (has_one(type[k])) any_actuator(r, c->size * c->size, &def);
  any_dofs(own, c->size * c->size, &def);
  if (has_one(type[k]) && source < k && has_one(type[source]) && rng_chance(r, 0.2)) {
    def.mimic = source - 1;
    def.multiplier = rng_uniform(r, 0.3, 1.5) * (rng_chance(r, 0.5) ? 1 : -1);
    def.offset = rng_uniform(r, -0.3, 0.3);
  }
  (void)fixture_joint(b, &def);
}

// A series-elastic motor on some joint that can have one.
static void add_motor(rng* r, limb_builder* b, const character* c, int bodies, const limb_joint_type* type)
{
  const int k = 1 + rng_below(r, bodies);
  if (!has_one(type[k])) return;
  limb_motor_def motor = limb_default_motor_def(k - 1);
  motor.coupled = rng_chance(r, 0.3);
  motor.rotor_inertia = rng_uniform(r, 1e-4, 1e-3) * c->size * c->size, motor.rotor_mass = motor.coupled ? 0.3 : 0;
  motor.axis = rng_direction(r), motor.centre = rng_vec3(r, 0.1 * c->size);
  motor.ratio = rng_uniform(r, 5, 100) * (rng_chance(r, 0.5) ? 1 : -1);
  motor.stiffness = rng_uniform(r, 10, 1000), motor.damping = rng_uniform(r, 0, 3);
  (void)!limb_builder_add_motor(b, &motor, NULL, NULL); // followers have none
}

// Tendons over some of the joints that can have one.
static void add_tendons(rng* own, limb_builder* b, int bodies, const limb_joint_type* type)
{
  for (int k = 0; k < 3 && rng_chance(own, 0.3); k++) {
    limb_tendon_def def = limb_default_tendon_def("tendon");
    int joint[MAX_BODIES];
    double coefficient[MAX_BODIES];
    for (int i = 1; i <= bodies; i++) {
      if (!has_one(type[i]) || !rng_chance(own, 0.6)) continue;
      joint[def.count] = i - 1;
      coefficient[def.count++] = rng_uniform(own, -2, 2);
    }
    def.joint = joint, def.coefficient = coefficient;
    def.stiffness = rng_uniform(own, 1, 50), def.damping = rng_uniform(own, 0, 1), def.rest = rng_uniform(own, -1, 1);
    if (def.count > 0) fixture_ok(limb_builder_add_tendon(b, &def, NULL, NULL), NULL);
  }
}

// Tendons through points of the bodies and of the world, some over pulleys.
static void add_cords(rng* own, limb_builder* b, const character* c, int bodies)
{
  enum { POINTS = 4 };
  limb_tendon_point point[POINTS];
  limb_tendon_def def = limb_default_tendon_def("cord");
  def.points = 2 + 2 * rng_below(own, 2), def.point = point;
  for (int k = 0; k < POINTS; k++) {
    const double pulley = k == 2 && rng_chance(own, 0.5) ? rng_uniform(own, 1, 3) : 0;
    point[k] = (limb_tendon_point){rng_below(own, bodies + 1), rng_vec3(own, c->size), pulley};
  }
  def.stiffness = rng_uniform(own, 1, 50), def.damping = rng_uniform(own, 0, 1);
  def.rest = rng_uniform(own, 0, 1) * c->size;
  fixture_ok(limb_builder_add_tendon(b, &def, NULL, NULL), NULL);
}

limb_model* robot_any(uint64_t seed)
{
  rng r = {seed}, own = {~seed};
  const character c = any_character(&r);
  const int bodies = 1 + rng_below(&r, MAX_BODIES);
  limb_joint_type type[MAX_BODIES + 1];
  char name[32];
  (void)snprintf(name, sizeof name, "any_%llu", (unsigned long long)seed);
  limb_builder* b = fixture_begin(name);
  fixture_gravity(b, rng_vec3(&r, 10));
  for (int k = 1; k <= bodies; k++) {
    type[k] = any_type(&r);
    (void)snprintf(name, sizeof name, "b%d", k);
    (void)fixture_body(b, name, any_inertia(&r, &c));
  }
  for (int k = 1; k <= bodies; k++) add_joint(&r, &own, b, &c, k, type);
  add_tendons(&own, b, bodies, type);
  if (rng_chance(&own, 0.3)) add_cords(&own, b, &c, bodies);
  if (rng_chance(&r, 0.2)) add_motor(&r, b, &c, bodies, type);
  fixture_frame(b, "tip", bodies, any_place(&r, &c));
  limb_model* tree = fixture_end(b);
  if (limb_nv(tree) < 4 || !rng_chance(&r, 0.3)) return tree;
  double* q;
  limb_model* m = closed_around(tree, seed, 0, &q);
  free(q);
  return m;
}
