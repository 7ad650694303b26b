// Fixture robots: the arms, and the table of all.
#include "support/robots.h"

#include "support/robots_impl.h"

#include <string.h>

#define HALF_PI 1.57079632679489661923

// ---- arms ---------------------------------------------------------------------------------------

static const sp_vec3 axis_y = {0, 1, 0}, axis_z = {0, 0, 1};

limb_model* robot_pendulum(void)
{
  limb_builder* b = fixture_begin("pendulum");
  const double I[6] = {0.02, 0.001, -0.002, 0.03, 0.0015, 0.015};
  fixture_link(b, "bob", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(0, 0, 1.5), axis_y,
               fixture_inertia(1.3, sp_v3(0.05, -0.02, -0.6), I));
  return fixture_end(b);
}

limb_model* robot_weightless(void)
{
  limb_builder* b = fixture_begin("weightless");
  fixture_link(b, "stick", LIMB_REVOLUTE, LIMB_WORLD_BODY, sp_pose_identity(), axis_z, (sp_inertia){0});
  return fixture_end(b);
}

limb_model* robot_planar(int n, double growth)
{
  limb_builder* b = fixture_begin("planar");
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  double mass = 1;
  for (int k = 0, at = LIMB_WORLD_BODY; k < n; k++, mass *= growth) {
    const char name[2] = {(char)('a' + k), 0};
    const double I[6] = {0, 0, 0, 0.01 * mass, 0, 0.01 * mass};
    at = fixture_link(b, name, LIMB_REVOLUTE, at, fixture_at(k > 0 ? 0.4 : 0, 0, 0), axis_z,
                      fixture_inertia(mass, sp_v3(0.2, 0, 0), I));
  }
  return fixture_end(b);
}

limb_model* robot_planar_2r(void)
{
  limb_builder* b = fixture_begin("planar_2r");
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  const double I[6] = {0, 0, 0, 1.042, 0, 1.042};
  const int one = fixture_link(b, "1", LIMB_REVOLUTE, LIMB_WORLD_BODY, sp_pose_identity(), axis_z,
                               fixture_inertia(12.456, sp_v3(0.773, 0, 0), I));
  const int two = fixture_link(b, "2", LIMB_REVOLUTE, one, fixture_at(1, 0, 0), axis_z,
                               fixture_inertia(12.456, sp_v3(0.583, 0, 0), I));
  fixture_frame(b, "tip", two, fixture_at(1, 0, 0));
  return fixture_end(b);
}

limb_model* robot_point_mass_2r(void)
{
  limb_builder* b = fixture_begin("point_mass_2r");
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  const int one = fixture_link(b, "1", LIMB_REVOLUTE, LIMB_WORLD_BODY, sp_pose_identity(), axis_z,
                               limb_inertia_point(2, sp_v3(1, 0, 0)));
  fixture_link(b, "2", LIMB_REVOLUTE, one, fixture_at(1, 0, 0), axis_z, limb_inertia_point(1, sp_v3(0.8, 0, 0)));
  return fixture_end(b);
}

// Body frames lie on the joint axes, parallel to the world in the home position; the book's link
// frames lie at the centres of mass. Axes and their points follow from the book's screw axes.
limb_model* robot_ur5(void)
{
  static const sp_vec3 axis[6] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 1, 0}};
  static const sp_vec3 point[6] = {{0, 0, 0},
                                   {0, 0, 0.089159},
                                   {0.425, 0, 0.089159},
                                   {0.81725, 0, 0.089159},
                                   {0.81725, 0.10915, 0},
                                   {0.81725, 0, -0.005491}};
  // The book's M_{i-1,i}; turned: rotation by 90 degrees about y, else none.
  static const struct {
    int turned;
    sp_vec3 p;
    double mass, xx, zz;
  } link[6] = {
    {0, {0, 0, 0.089159}, 3.7, 0.010267495893, 0.00666},       {1, {0.28, 0.13585, 0}, 8.393, 0.22689067591, 0.0151074},
    {0, {0, -0.1197, 0.395}, 2.275, 0.049443313556, 0.004095}, {1, {0, 0, 0.14225}, 1.219, 0.111172755531, 0.21942},
    {0, {0, 0.093, 0}, 1.219, 0.111172755531, 0.21942},        {0, {0, 0, 0.09465}, 0.1879, 0.0171364731454, 0.033822}};
  static const sp_mat3 quarter_y = {{0, 0, 1, 0, 1, 0, -1, 0, 0}};
  limb_builder* b = fixture_begin("ur5");
  sp_pose home = sp_pose_identity();
  int parent = LIMB_WORLD_BODY;
  for (int i = 0; i < 6; i++) {
    home = sp_compose(home, sp_pose_make(link[i].turned ? quarter_y : sp_identity3(), link[i].p));
    const double I[6] = {link[i].xx, 0, 0, link[i].xx, 0, link[i].zz};
    const sp_inertia at_com = fixture_inertia(link[i].mass, sp_v3(0, 0, 0), I);
    const sp_pose com_frame = sp_pose_make(home.R, sp_sub3(home.p, point[i]));
    const sp_vec3 step = i ? sp_sub3(point[i], point[i - 1]) : point[0];
    const char name[2] = {(char)('1' + i), 0};
    parent = fixture_link(b, name, LIMB_REVOLUTE, parent, sp_pose_make(sp_identity3(), step), axis[i],
                          limb_inertia_move(com_frame, at_com));
  }
  // The book's M_67, from the last link frame.
  const sp_pose tip = {{{1, 0, 0, 0, 0, 1, 0, -1, 0}}, {0, 0.0823, 0}};
  fixture_frame(b, "tip", parent, sp_compose(sp_pose_make(home.R, sp_sub3(home.p, point[5])), tip));
  return fixture_end(b);
}

// Links of the Panda: a, d, quarter turns about x; mass, centre of mass, inertia about it.
static const struct {
  double a, d;
  int quarter;
  double mass;
  sp_vec3 com;
  double I[6];
} panda[7] = {
  {0, 0.333, 0, 4.970684, {3.875e-3, 2.081e-3, -0.04762}, {0.70337, -1.39e-4, 6.772e-3, 0.70661, 1.9169e-2, 9.117e-3}},
  {0,
   0,
   -1,
   0.646926,
   {-3.141e-3, -2.872e-2, 3.495e-3},
   {7.962e-3, -3.925e-3, 1.0254e-2, 2.811e-2, 7.04e-4, 2.5995e-2}},
  {0,
   0.316,
   1,
   3.228604,
   {2.7518e-2, 3.9252e-2, -6.6502e-2},
   {3.7242e-2, -4.761e-3, -1.1396e-2, 3.6155e-2, -1.2805e-2, 1.083e-2}},
  {0.0825,
   0,
   1,
   3.587895,
   {-5.317e-2, 0.104419, 2.7454e-2},
   {2.5853e-2, 7.796e-3, -1.332e-3, 1.9552e-2, 8.641e-3, 2.8323e-2}},
  {-0.0825,
   0.384,
   -1,
   1.225946,
   {-1.1953e-2, 4.1065e-2, -3.8437e-2},
   {3.5549e-2, -2.117e-3, -4.037e-3, 2.9474e-2, 2.29e-4, 8.627e-3}},
  {0, 0, 1, 1.666555, {6.0149e-2, -1.4117e-2, -1.0517e-2}, {1.964e-3, 1.09e-4, -1.158e-3, 4.354e-3, 3.41e-4, 5.433e-3}},
  {0.088,
   0,
   1,
   0.735522,
   {1.0517e-2, -4.252e-3, 6.1597e-2},
   {1.2516e-2, -4.28e-4, -1.196e-3, 1.0027e-2, -7.41e-4, 4.815e-3}}};

static void add_panda(limb_builder* b, int base)
{
  int parent = base;
  for (int i = 0; i < 7; i++) {
    const char name[2] = {(char)('1' + i), 0};
    parent = fixture_link(b, name, LIMB_REVOLUTE, parent,
                          fixture_mdh(0, 0, panda[i].quarter * HALF_PI, panda[i].a, 0, panda[i].d), axis_z,
                          fixture_inertia(panda[i].mass, panda[i].com, panda[i].I));
  }
  fixture_frame(b, "flange", parent, fixture_at(0, 0, 0.107));
}

limb_model* robot_panda(void)
{
  limb_builder* b = fixture_begin("panda");
  add_panda(b, LIMB_WORLD_BODY);
  return fixture_end(b);
}

limb_model* robot_panda_on_base(limb_joint_type root, double mass)
{
  limb_builder* b = fixture_begin("panda_on_base");
  const sp_inertia box = limb_inertia_box(mass, 0.6, 0.5, 0.4);
  const int base = fixture_link(b, "base", root, LIMB_WORLD_BODY, sp_pose_identity(), axis_z, box);
  add_panda(b, base);
  return fixture_end(b);
}

// Standard Denavit-Hartenberg: the link frame follows the link, the joint turns about z of the one
// before. The body frame lies at the joint; inertias are given in the link frame and moved.
// Friction and rotor inertia are given at the motor.
limb_model* robot_puma560(void)
{
  static const struct {
    double d, a;
    int quarter;
    double mass;
    sp_vec3 com;
    double xx, yy, zz;
    double Jm, gear, B, coulomb;
  } link[6] = {
    {0, 0, 1, 0, {0, 0, 0}, 0, 0.35, 0, 200e-6, -62.6111, 1.48e-3, 0.415},
    {0, 0.4318, 0, 17.4, {-0.3638, 0.006, 0.2275}, 0.13, 0.524, 0.539, 200e-6, 107.815, 0.817e-3, 0.0985},
    {0.15005, 0.0203, -1, 4.8, {-0.0203, -0.0141, 0.070}, 0.066, 0.086, 0.0125, 200e-6, -53.7063, 1.38e-3, 0.1185},
    {0.4318, 0, 1, 0.82, {0, 0.019, 0}, 1.8e-3, 1.3e-3, 1.8e-3, 33e-6, 76.0364, 71.2e-6, 14.05e-3},
    {0, 0, -1, 0.34, {0, 0, 0}, 0.3e-3, 0.4e-3, 0.3e-3, 33e-6, 71.923, 82.6e-6, 11.88e-3},
    {0, 0, 0, 0.09, {0, 0, 0.032}, 0.15e-3, 0.15e-3, 0.04e-3, 33e-6, 76.686, 36.7e-6, 7.23e-3}};
  limb_builder* b = fixture_begin("puma560");
  int parent = LIMB_WORLD_BODY;
  sp_pose placement = sp_pose_identity();
  for (int i = 0; i < 6; i++) {
    const sp_pose end = sp_pose_make(fixture_rot_x(link[i].quarter * HALF_PI), sp_v3(link[i].a, 0, link[i].d));
    const double I[6] = {link[i].xx, 0, 0, link[i].yy, 0, link[i].zz};
    const char name[2] = {(char)('1' + i), 0};
    const int body = fixture_body(b, name, limb_inertia_move(end, fixture_inertia(link[i].mass, link[i].com, I)));
    limb_joint_def def = limb_default_joint_def(name, LIMB_REVOLUTE, parent, body);
    def.placement = placement;
    def.rotor_inertia = link[i].Jm, def.gear_ratio = link[i].gear;
    def.viscous = link[i].B * link[i].gear * link[i].gear;
    def.coulomb = link[i].coulomb * fabs(link[i].gear);
    fixture_joint(b, &def);
    parent = body, placement = end;
  }
  return fixture_end(b);
}

limb_model* robot_scara(void)
{
  limb_builder* b = fixture_begin("scara");
  const int upper = fixture_link(b, "upper", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(0, 0, 0.4), axis_z,
                                 limb_inertia_move(fixture_at(0.16, 0, 0.05), limb_inertia_box(6.5, 0.36, 0.12, 0.1)));
  const int fore = fixture_link(b, "fore", LIMB_REVOLUTE, upper, fixture_at(0.325, 0, 0), axis_z,
                                limb_inertia_move(fixture_at(0.12, 0, 0.1), limb_inertia_box(5.2, 0.3, 0.12, 0.2)));
  const int quill = fixture_link(b, "quill", LIMB_PRISMATIC, fore, fixture_at(0.275, 0, 0.05), sp_v3(0, 0, -1),
                                 limb_inertia_cylinder(0.9, 0.012, 0.35));
  const int tool = fixture_link(b, "tool", LIMB_REVOLUTE, quill, fixture_at(0, 0, -0.18), axis_z,
                                limb_inertia_move(fixture_at(0.03, 0, -0.05), limb_inertia_box(1.1, 0.1, 0.06, 0.08)));
  fixture_frame(b, "tip", tool, fixture_at(0.05, 0, -0.1));
  return fixture_end(b);
}

limb_model* robot_tree5(void)
{
  static const struct {
    int ant, prismatic;
    double gamma, b, alpha, d, theta, r, mass;
    sp_vec3 com;
    double xx, yy, zz, xy, xz, yz, Ia, Fs, Fv;
  } link[5] = {{0,
                0,
                -0.52,
                0.71,
                0,
                0.5,
                0.73,
                -0.61,
                1.18,
                {0.281, 0.128, 0.159},
                0.096,
                0.107,
                0.097,
                -0.012,
                -0.001,
                -0.003,
                0.087,
                0.22,
                0.16},
               {1,
                0,
                -0.46,
                0.58,
                -0.05,
                0.79,
                -0.42,
                0.39,
                2.92,
                {0.199, 0.2, -0.069},
                0.12,
                0.102,
                0.078,
                0.021,
                0.004,
                0.033,
                0.116,
                0.25,
                0.28},
               {2,
                1,
                0.94,
                0.48,
                -0.24,
                0.97,
                -0.61,
                0.93,
                2.35,
                {0.065, 0.271, -0.24},
                0.111,
                0.091,
                0.098,
                0.007,
                0.016,
                0.018,
                0.126,
                0.21,
                0.27},
               {1,
                0,
                0.55,
                -0.92,
                -0.73,
                -0.15,
                0.1,
                0.68,
                2.82,
                {-0.026, 0.116, 0.009},
                0.105,
                0.082,
                0.113,
                0.005,
                0.001,
                0.037,
                0.061,
                0.14,
                0.18},
               {4,
                0,
                -0.96,
                0.36,
                0.54,
                -0.22,
                -0.11,
                -0.49,
                1.98,
                {-0.181, 0.194, -0.156},
                0.075,
                0.108,
                0.117,
                -0.017,
                -0.013,
                -0.017,
                0.178,
                0.16,
                0.29}};
  limb_builder* b = fixture_begin("tree5");
  fixture_gravity(b, sp_v3(0.3, -0.5, -9.7));
  for (int i = 0; i < 5; i++) {
    const char name[2] = {(char)('1' + i), 0};
    const double I[6] = {link[i].xx, link[i].xy, link[i].xz, link[i].yy, link[i].yz, link[i].zz};
    const int body = fixture_body(b, name, fixture_inertia(link[i].mass, link[i].com, I));
    limb_joint_def def =
      limb_default_joint_def(name, link[i].prismatic ? LIMB_PRISMATIC : LIMB_REVOLUTE, link[i].ant, body);
    def.placement = fixture_mdh(link[i].gamma, link[i].b, link[i].alpha, link[i].d, link[i].theta, link[i].r);
    def.rotor_inertia = link[i].Ia, def.coulomb = link[i].Fs, def.viscous = link[i].Fv;
    fixture_joint(b, &def);
  }
  return fixture_end(b);
}

// ---- the table ----------------------------------------------------------------------------------

static limb_model* tree_9(void) { return robot_random_tree(11, 9, 0); }
static limb_model* tree_16(void) { return robot_random_tree(12, 16, 0); }
static limb_model* tree_25(void) { return robot_random_tree(13, 25, 0); }
static limb_model* tree_40(void) { return robot_random_tree(14, 40, 0); }
static limb_model* tree_60(void) { return robot_random_tree(15, 60, 0); }
static limb_model* tree_12_mimic(void) { return robot_random_tree(21, 12, ROBOT_MIMIC); }
static limb_model* tree_30_mimic(void) { return robot_random_tree(22, 30, ROBOT_MIMIC); }
static limb_model* tree_50_mimic(void) { return robot_random_tree(23, 50, ROBOT_MIMIC); }
static limb_model* right_angles(void) { return robot_right_angles(31, 0); }
static limb_model* right_angles_slid(void) { return robot_right_angles(32, 1); }

const robot* robot_table(int* count)
{
  static const robot table[] = {
    {"pendulum", robot_pendulum, 0, 1},
    {"planar_2r", robot_planar_2r, 0, 2},
    {"point_mass_2r", robot_point_mass_2r, 0, 2},
    {"scara", robot_scara, 0, 4},
    {"tree5", robot_tree5, ROBOT_ACTUATED, 5},
    {"ur5", robot_ur5, 0, 6},
    {"puma560", robot_puma560, ROBOT_ACTUATED, 6},
    {"panda", robot_panda, 0, 7},
    {"elastic_arm", robot_elastic_arm, ROBOT_ACTUATED | ROBOT_SHAFTS, 8},
    {"two_roots", robot_two_roots, ROBOT_MIMIC | ROBOT_ACTUATED | ROBOT_SHAFTS, 13},
    {"hand", robot_hand, ROBOT_MIMIC | ROBOT_ACTUATED, 9},
    {"quadruped", robot_quadruped, ROBOT_FREE_BASE, 18},
    {"humanoid", robot_humanoid, ROBOT_FREE_BASE, 35},
    {"tree_9", tree_9, ROBOT_ACTUATED, 19},
    {"tree_16", tree_16, ROBOT_ACTUATED, 26},
    {"tree_25", tree_25, ROBOT_ACTUATED, 52},
    {"tree_40", tree_40, ROBOT_ACTUATED, 73},
    {"tree_60", tree_60, ROBOT_ACTUATED, 85},
    {"tree_12_mimic", tree_12_mimic, ROBOT_MIMIC | ROBOT_ACTUATED, 20},
    {"tree_30_mimic", tree_30_mimic, ROBOT_MIMIC | ROBOT_ACTUATED, 47},
    {"tree_50_mimic", tree_50_mimic, ROBOT_MIMIC | ROBOT_ACTUATED, 54},
    {"right_angles", right_angles, 0, 30},
    {"right_angles_slid", right_angles_slid, 0, 30},
    {"chain30", robot_chain30, 0, 30},
    {"chain1000", robot_chain1000, ROBOT_LONG, 1000},
  };
  *count = (int)(sizeof table / sizeof table[0]);
  return table;
}

const robot* robot_find(const char* name)
{
  int count;
  const robot* table = robot_table(&count);
  for (int i = 0; i < count; i++) {
    if (strcmp(table[i].name, name) == 0) return &table[i];
  }
  return NULL;
}
