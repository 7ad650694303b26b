// Random fixture robots: trees with every joint type, right-angled trees, long chains.
#include "support/rng.h"
#include "support/robots_impl.h"

#include <stdio.h>
#include <stdlib.h>

#define HALF_PI 1.57079632679489661923

// A full inertia: principal second moments in random directions, off-centre.
static sp_inertia random_inertia(rng* r, double mass, double size)
{
  const double J[3] = {rng_uniform(r, 0.2, 1), rng_uniform(r, 0.2, 1), rng_uniform(r, 0.2, 1)};
  const double k = mass * size * size;
  const double I[6] = {k * (J[1] + J[2]), 0, 0, k * (J[0] + J[2]), 0, k * (J[0] + J[1])};
  const sp_pose X = rng_pose(r, size);
  return limb_inertia_move(X, fixture_inertia(mass, sp_v3(0, 0, 0), I));
}

static void shuffle(rng* r, int n, int* x)
{
  for (int i = n - 1; i > 0; i--) {
    const int j = rng_below(r, i + 1), t = x[i];
    x[i] = x[j], x[j] = t;
  }
}

static int* shuffled(rng* r, int n)
{
  int* x = malloc((size_t)n * sizeof *x);
  if (!x) abort();
  for (int i = 0; i < n; i++) x[i] = i;
  shuffle(r, n, x);
  return x;
}

// ---- trees with every joint type ----------------------------------------------------------------

enum { MAX_BODIES = 256 };

// The plan of a tree: node k (1 ... n) hangs on node parent[k] < k; node 0 is the world.
typedef struct plan {
  int n;
  int parent[MAX_BODIES];
  limb_joint_type type[MAX_BODIES];
  int massless[MAX_BODIES];
  int body[MAX_BODIES]; // the builder's body of a node
} plan;

static int one_dof(limb_joint_type t) { return t == LIMB_REVOLUTE || t == LIMB_PRISMATIC || t == LIMB_HELICAL; }

static limb_joint_type random_type(rng* r)
{
  const double x = rng_uniform(r, 0, 1);
  if (x < 0.45) return LIMB_REVOLUTE;
  if (x < 0.58) return LIMB_PRISMATIC;
  if (x < 0.66) return LIMB_HELICAL;
  if (x < 0.78) return LIMB_FIXED;
  static const limb_joint_type rest[5] = {LIMB_CYLINDRICAL, LIMB_UNIVERSAL, LIMB_PLANAR, LIMB_SPHERICAL, LIMB_FREE};
  return rest[rng_below(r, 5)];
}

// A body may be without mass when it is fixed to another, or when its next child, by a fixed or a
// revolute joint, has one: the mass matrix stays regular.
static void make_plan(rng* r, int n, plan* p)
{
  p->n = n;
  int* first = shuffled(r, 9); // every type comes at least once
  for (int k = 1; k <= n; k++) {
    const int bound = k > 1 && p->massless[k - 1] && p->type[k - 1] != LIMB_FIXED;
    const int chained = rng_chance(r, 0.55), any = rng_below(r, k);
    p->parent[k] = chained || bound ? k - 1 : any;
    p->type[k] = k <= 9 ? (limb_joint_type)first[k - 1] : random_type(r);
    if (bound) {
      p->type[k] = rng_chance(r, 0.5) ? LIMB_FIXED : LIMB_REVOLUTE;
    } else if (p->type[k] == LIMB_FIXED) {
      p->massless[k] = rng_chance(r, 0.3);
    } else if (one_dof(p->type[k]) && k > 9 && k < n) {
      p->massless[k] = rng_chance(r, 0.25);
    }
  }
  free(first);
}

static void random_actuator(rng* r, limb_joint_def* def)
{
  if (rng_chance(r, 0.3)) {
    def->coulomb = rng_uniform(r, 0.05, 1), def->viscous = rng_uniform(r, 0.05, 1);
  }
  if (rng_chance(r, 0.3)) {
    def->rotor_inertia = rng_uniform(r, 1e-5, 2e-4), def->gear_ratio = rng_uniform(r, 20, 100);
  }
  if (rng_chance(r, 0.25)) {
    def->stiffness = rng_uniform(r, 1, 50), def->rest = rng_uniform(r, -0.5, 0.5);
  }
  if (rng_chance(r, 0.4)) {
    def->q_min = rng_uniform(r, -2, -0.5), def->q_max = rng_uniform(r, 0.5, 2);
    def->v_max = 3, def->effort_max = 200;
  }
}

static limb_joint_def random_joint(rng* r, const plan* p, int k, const char* name)
{
  limb_joint_def def = limb_default_joint_def(name, p->type[k], p->body[p->parent[k]], p->body[k]);
  def.placement = rng_pose(r, 0.3);
  const sp_vec3 direction = rng_direction(r);
  def.axis = sp_scale3(rng_uniform(r, 0.5, 2), direction);
  if (def.type == LIMB_HELICAL) def.pitch = rng_uniform(r, -0.2, 0.2);
  if (def.type == LIMB_UNIVERSAL || (def.type == LIMB_PLANAR && rng_chance(r, 0.5))) {
    // Not at a right angle to the axis, but far from parallel.
    sp_vec3 other = rng_direction(r);
    while (sp_norm3(sp_cross3(def.axis, other)) < 0.5 * sp_norm3(def.axis)) other = rng_direction(r);
    def.axis2 = other;
  }
  if (one_dof(def.type)) random_actuator(r, &def);
  return def;
}

// Adds the joints in shuffled order; joint_of is the number that a node's joint gets.
static void add_joints(rng* r, limb_builder* b, const plan* p, unsigned options)
{
  int* order = shuffled(r, p->n);
  int* rank = shuffled(r, p->n); // a joint follows only joints of lower rank: no cycles
  int joint_of[MAX_BODIES] = {0};
  for (int i = 0; i < p->n; i++) joint_of[order[i] + 1] = i;
  for (int i = 0; i < p->n; i++) {
    const int k = order[i] + 1;
    char name[24];
    snprintf(name, sizeof name, "j%d", k);
    limb_joint_def def = random_joint(r, p, k, name);
    const int source = 1 + rng_below(r, p->n);
    if ((options & ROBOT_MIMIC) && one_dof(def.type) && one_dof(p->type[source]) && rank[source - 1] < rank[k - 1]) {
      def.mimic = joint_of[source];
      def.multiplier = rng_uniform(r, 0.3, 1.5) * (rng_chance(r, 0.5) ? 1 : -1);
      def.offset = rng_uniform(r, -0.3, 0.3);
    }
    fixture_joint(b, &def);
  }
  free(order);
  free(rank);
}

limb_model* robot_random_tree(uint64_t seed, int bodies, unsigned options)
{
  if (bodies < 9 || bodies >= MAX_BODIES) abort();
  rng r = {seed};
  static const plan empty;
  plan p = empty;
  make_plan(&r, bodies, &p);
  char name[32];
  snprintf(name, sizeof name, "tree_%d%s", bodies, options & ROBOT_MIMIC ? "_mimic" : "");
  limb_builder* b = fixture_begin(name);
  fixture_gravity(b, sp_v3(0.4, -0.7, -9.6));
  int* order = shuffled(&r, bodies);
  for (int i = 0; i < bodies; i++) {
    const int k = order[i] + 1;
    snprintf(name, sizeof name, "b%d", k);
    sp_inertia Y = random_inertia(&r, rng_uniform(&r, 0.5, 3), 0.2);
    if (p.massless[k]) Y = limb_default_body_def("").inertia;
    p.body[k] = fixture_body(b, name, Y);
  }
  free(order);
  add_joints(&r, b, &p, options);
  for (int i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "f%d", i);
    const sp_pose X = rng_pose(&r, 0.3);
    fixture_frame(b, name, i == 3 ? LIMB_WORLD_BODY : 1 + rng_below(&r, bodies), X);
  }
  return fixture_end(b);
}

// ---- right angles -------------------------------------------------------------------------------

// Where a body frame lies in its link frame: there, or slid along and turned about the axis.
static sp_pose slid_frame(rng* r, int slide)
{
  if (!slide) return sp_pose_identity();
  const sp_mat3 R = sp_rot_axis(sp_v3(0, 0, 1), rng_uniform(r, -3, 3));
  return sp_pose_make(R, sp_v3(0, 0, rng_uniform(r, -0.2, 0.2)));
}

// Modified Denavit-Hartenberg placement of a class: twist * 4 + (a != 0) * 2 + (d != 0).
static sp_pose placement_of_class(rng* r, int class, double turn)
{
  static const double twist[4] = {0, HALF_PI, -HALF_PI, 0.7};
  return fixture_mdh(0, 0, turn * twist[class / 4], class & 2 ? 0.25 : 0, 0, class & 1 ? rng_uniform(r, 0.05, 0.2) : 0);
}

// A chain through all sixteen combinations of twist (0, 90, -90 degrees, any) and offsets (zero or
// not). Where the twist is a right angle, a twin bends the other way from the same body: in the
// frame that the compiler gives the body for the first of them, the second has the opposite sign.
// Then short branches, on a body of the chain and on the world, with translations among them.
limb_model* robot_right_angles(uint64_t seed, int slide)
{
  rng r = {seed};
  limb_builder* b = fixture_begin(slide ? "right_angles_slid" : "right_angles");
  int* order = shuffled(&r, 16);
  const int count = 22;
  int parent = LIMB_WORLD_BODY, fifth = LIMB_WORLD_BODY;
  sp_pose at = sp_pose_identity(), at_fifth = at; // of the parent's body frame in its link frame
  for (int i = 0; i < count; i++) {
    const int class = i < 16 ? order[i] : rng_below(&r, 12);
    const sp_pose own = slid_frame(&r, slide), back = sp_invert(at);
    char name[24];
    snprintf(name, sizeof name, "%d", i);
    const int body = fixture_link(b, name, i == 17 || i == 20 ? LIMB_PRISMATIC : LIMB_REVOLUTE, parent,
                                  sp_compose(back, sp_compose(placement_of_class(&r, class, 1), own)),
                                  sp_v3(0, 0, class == 6 ? -1 : 1), random_inertia(&r, rng_uniform(&r, 0.5, 2), 0.15));
    if (i < 16 && class >= 4 && class < 12) {
      snprintf(name, sizeof name, "%d twin", i);
      const sp_pose twin = sp_compose(placement_of_class(&r, class, -1), slid_frame(&r, slide));
      fixture_link(b, name, LIMB_REVOLUTE, parent, sp_compose(back, twin), sp_v3(0, 0, 1),
                   random_inertia(&r, rng_uniform(&r, 0.5, 2), 0.15));
    }
    if (i == 4) fifth = body, at_fifth = own;
    parent = body, at = own;
    if (i == 15) parent = fifth, at = at_fifth;
    if (i > 16 && i % 2) parent = LIMB_WORLD_BODY, at = sp_pose_identity();
  }
  free(order);
  return fixture_end(b);
}

// ---- chains -------------------------------------------------------------------------------------

limb_model* robot_chain(int n)
{
  rng r = {7};
  limb_builder* b = fixture_begin("chain");
  int parent = LIMB_WORLD_BODY;
  for (int i = 0; i < n; i++) {
    char name[24];
    snprintf(name, sizeof name, "%d", i + 1);
    const double alpha = rng_uniform(&r, -3.1, 3.1), a = rng_uniform(&r, 0.02, 0.06);
    const sp_pose placement = fixture_mdh(0, 0, alpha, a, 0, rng_uniform(&r, -0.05, 0.05));
    parent = fixture_link(b, name, LIMB_REVOLUTE, parent, placement, sp_v3(0, 0, 1),
                          random_inertia(&r, rng_uniform(&r, 0.5, 1.5), 0.1));
  }
  return fixture_end(b);
}

limb_model* robot_chain30(void) { return robot_chain(30); }

limb_model* robot_chain1000(void) { return robot_chain(1000); }
