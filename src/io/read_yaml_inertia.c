// Inertia of a body in limb YAML: its moments, its ten parameters, one solid, or several solids and points, by mass or
// by density.
#include "io/read_yaml.h"

#include "io/geometry.h"

#include <string.h>

// ---- moments and parameters -------------------------------------------------------------------------

static void read_moments(yaml_reader* r, const yml_node* n, sp_inertia* Y)
{
  static const char* const keys[] = {"xx", "xy", "xz", "yy", "yz", "zz"};
  double I[6] = {0};
  if (n->kind != YML_MAP) {
    if (limb_yml_quantities(&r->report, n, 6, "kg*m^2", I)) limb_set_moments(Y, I);
    return;
  }
  limb_yml_check_keys(&r->report, n, "xx xy xz yy yz zz");
  for (int i = 0; i < 6; i++) {
    const bool moment = keys[i][0] == keys[i][1]; // products may be left out: zero
    const yml_node* entry = moment ? limb_yml_need(&r->report, n, keys[i]) : limb_yml_get(n, keys[i]);
    (void)limb_yml_quantity(&r->report, entry, "kg*m^2", &I[i]);
  }
  limb_set_moments(Y, I);
}

// Turns moments that are given in axes R: R I R'.
static void turn_moments(sp_inertia* Y, sp_mat3 R)
{
  double I[6];
  sp_inertia centred = *Y;
  centred.com = sp_v3(0, 0, 0);
  centred = limb_inertia_move(sp_pose_make(R, sp_v3(0, 0, 0)), centred);
  limb_get_moments(&centred, I);
  limb_set_moments(Y, I);
}

// A key that gives the whole inertia excludes all others of the list.
static void exclude(yaml_reader* r, const yml_node* map, const char* others, const char* key, const char* why)
{
  for (const yml_node* other = map->first; other; other = other->next) {
    if (limb_has_word(others, other->key))
      limb_report_error(&r->report, RULE_BAD_VALUE, other->key_pos, "%s and %s exclude each other: %s", other->key, key,
                        why);
  }
}

static void read_parameters(yaml_reader* r, const yml_node* map, const yml_node* n, sp_inertia* Y)
{
  exclude(r, map, "mass com inertia solid solids density inertia_axes", "parameters",
          "the ten parameters are complete");
  double theta[10];
  if (limb_yml_numbers(&r->report, n, 10, theta)) *Y = limb_inertia_from_parameters(theta);
}

// ---- one solid ----------------------------------------------------------------------------------------

#define LIMB_X(name, value, text, lengths) " " text
static const char shapes[] = "points" LIMB_SOLID_LIST(LIMB_X); // the word after "points" is solid 0
static const char entry_keys[] = YAML_POSE_KEYS " mass density points" LIMB_SOLID_LIST(LIMB_X);
#undef LIMB_X

// A shape with its lengths. 0 after an error.
static int read_shape(yaml_reader* r, const yml_node* n, limb_solid* type, double s[3])
{
#define LIMB_X(name, value, text, lengths) lengths,
  static const int lengths[] = {LIMB_SOLID_LIST(LIMB_X)};
#undef LIMB_X
  *type = (limb_solid)(limb_find_word(shapes, n->key, strlen(n->key)) - 1);
  const int count = lengths[*type];
  const int good =
    count == 1 ? limb_yml_quantity(&r->report, n, "m", s) : limb_yml_quantities(&r->report, n, count, "m", s);
  if (!good) return 0;
  for (int i = 0; i < count; i++) {
    if (s[i] >= 0) continue;
    limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "a length of the %s is negative", n->key);
    return 0;
  }
  if (*type != LIMB_SOLID_HOLLOW_CYLINDER || s[1] < s[0]) return 1;
  limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "the inner radius is not less than the outer one");
  limb_report_hint(r->report.findings, "a hollow_cylinder is [outer radius, inner radius, length]");
  return 0;
}

// The mass of a shape of this density. 0 after an error.
static int read_density(yaml_reader* r, const yml_node* density, limb_solid type, const double s[3], double* mass)
{
  double rho;
  if (!limb_yml_quantity(&r->report, density, "kg/m^3", &rho)) return 0;
  const double volume = limb_solid_volume(type, s);
  *mass = rho * volume;
  if (rho > 0 && volume > 0) return 1;
  if (!(rho > 0))
    limb_report_error(&r->report, RULE_BAD_VALUE, density->pos, "the density must be greater than 0");
  else
    limb_report_error(&r->report, RULE_BAD_VALUE, density->key_pos, "the solid has no volume: give its mass instead");
  return 0;
}

// solid: point, or solid: {box: [1, 2, 3]}. Only its moments are used, and its volume for the density.
static void read_solid(yaml_reader* r, const yml_node* map, const yml_node* n, sp_inertia* Y)
{
  const yml_node* density = limb_yml_get(map, "density");
  if (!density) (void)limb_yml_need(&r->report, map, "mass");
  const bool point = n->kind == YML_SCALAR && strcmp(n->text, "point") == 0;
  if (point && density)
    limb_report_error(&r->report, RULE_BAD_VALUE, density->key_pos, "a point has no volume: give its mass instead");
  if (point) return;
  if (n->kind != YML_MAP || n->count != 1) {
    if (n->kind != YML_REFUSED)
      limb_report_error(&r->report, RULE_BAD_VALUE, n->pos,
                        "solid must be point, or one shape with its lengths, such as {box: [0.1, 0.2, 0.3]}");
    return;
  }
  const int before = r->report.errors;
  limb_solid type;
  double I[6], s[3] = {0};
  limb_yml_check_keys(&r->report, n, shapes + sizeof "points");
  if (r->report.errors > before || !read_shape(r, n->first, &type, s)) return;
  if (density && !read_density(r, density, type, s, &Y->mass)) return;
  const sp_inertia shape = limb_solid_inertia(type, Y->mass, s);
  limb_get_moments(&shape, I);
  limb_set_moments(Y, I);
}

// ---- several solids -----------------------------------------------------------------------------------

// points: [[m, x, y, z], ...]: masses, or weights if the entry has a mass.
static int read_points(yaml_reader* r, const yml_node* n, const yml_node* mass, sp_inertia* Y)
{
  if (!limb_yml_is(&r->report, n, YML_LIST)) return 0;
  if (n->count == 0) {
    limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "points is an empty list: write [[m, x, y, z], ...]");
    return 0;
  }
  sp_vec3* at = limb_mempool_alloc(r->pool, (size_t)n->count * sizeof *at);
  double *weight = limb_mempool_alloc(r->pool, (size_t)n->count * sizeof *weight), total = 0, x[4];
  r->out_of_memory |= !at || !weight;
  if (!at || !weight) return 0;
  int i = 0;
  for (const yml_node* point = n->first; point; point = point->next, i++) {
    if (!limb_yml_numbers(&r->report, point, 4, x)) return 0;
    if (!(x[0] >= 0)) {
      limb_report_error(&r->report, RULE_BAD_VALUE, point->pos, "the mass of a point is negative");
      return 0;
    }
    weight[i] = x[0], at[i] = sp_v3(x[1], x[2], x[3]);
    total += x[0];
  }
  if (!(total > 0)) {
    limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "no point has a mass");
    return 0;
  }
  double all = total;
  if (mass && !limb_yml_quantity(&r->report, mass, "kg", &all)) return 0;
  *Y = limb_inertia_points(all, n->count, at, weight);
  return 1;
}

// A shape with its mass, or a density.
static int read_weighted(yaml_reader* r, const yml_node* shape, const yml_node* mass, const yml_node* density,
                         sp_inertia* Y)
{
  limb_solid type;
  double m = 0, s[3] = {0};
  if (!read_shape(r, shape, &type, s)) return 0;
  if (mass && !limb_yml_quantity(&r->report, mass, "kg", &m)) return 0;
  if (mass && m < 0) limb_report_error(&r->report, RULE_BAD_VALUE, mass->pos, "the mass of a solid is negative");
  if (density && !read_density(r, density, type, s, &m)) return 0;
  *Y = limb_solid_inertia(type, m, s);
  return 1;
}

// An entry of solids: one shape or points, its mass or density (or the density of the body), its pose.
static int read_entry(yaml_reader* r, const yml_node* n, const yml_node* body_density, sp_inertia* Y)
{
  const int before = r->report.errors;
  sp_pose X;
  if (!limb_yml_is(&r->report, n, YML_MAP)) return 0;
  limb_yml_check_keys(&r->report, n, entry_keys);
  const yml_node *shape = limb_yml_one_of(&r->report, n, shapes),
                 *given = limb_yml_one_of(&r->report, n, "mass density");
  if (!shape && r->report.errors == before)
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "a solid needs a shape, such as box: [0.1, 0.2, 0.3]");
  if (!limb_yaml_pose(r, n, &X) || !shape || r->report.errors > before) return 0;
  const yml_node* mass = given && given->key[0] == 'm' ? given : NULL;
  if (strcmp(shape->key, "points") == 0) {
    if (given && !mass)
      limb_report_error(&r->report, RULE_BAD_VALUE, given->key_pos, "points have no volume: give their mass instead");
    if (!read_points(r, shape, mass, Y)) return 0;
  } else {
    const yml_node* density = mass ? NULL : given ? given : body_density;
    if (!mass && !density)
      limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "the solid needs a mass or a density");
    if (!read_weighted(r, shape, mass, density, Y)) return 0;
  }
  *Y = limb_inertia_move(X, *Y);
  return r->report.errors == before;
}

static void read_solids(yaml_reader* r, const yml_node* map, const yml_node* n, sp_inertia* Y)
{
  exclude(r, map, "mass com inertia_axes", "solids", "each solid has its own");
  if (!limb_yml_is(&r->report, n, YML_LIST)) return;
  if (n->count == 0) limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "the list of solids is empty");
  for (const yml_node* entry = n->first; entry && !r->out_of_memory; entry = entry->next) {
    sp_inertia part;
    if (read_entry(r, entry, limb_yml_get(map, "density"), &part)) *Y = limb_inertia_add(*Y, part);
  }
}

// ---- the body -----------------------------------------------------------------------------------------

void limb_yaml_inertia(yaml_reader* r, const yml_node* n, sp_inertia* Y)
{
  const yml_node* parameters = limb_yml_get(n, "parameters");
  if (parameters) {
    read_parameters(r, n, parameters, Y);
    return;
  }
  const yml_node *axes = limb_yml_get(n, "inertia_axes"),
                 *moments = limb_yml_one_of(&r->report, n, "inertia solid solids");
  const yml_node *mass = limb_yml_one_of(&r->report, n, "mass density"), *density = limb_yml_get(n, "density");
  if (moments && strcmp(moments->key, "solids") == 0) {
    read_solids(r, n, moments, Y);
    return;
  }
  if (density && (!moments || moments->key[0] == 'i'))
    limb_report_error(&r->report, RULE_BAD_VALUE, density->key_pos,
                      "density needs solid or solids, which have a volume");
  if (mass != density) (void)limb_yml_quantity(&r->report, mass, "kg", &Y->mass);
  (void)limb_yaml_vec3(r, limb_yml_get(n, "com"), "m", &Y->com);
  if (moments && moments->key[0] == 'i') read_moments(r, moments, Y);
  if (moments && moments->key[0] == 's') read_solid(r, n, moments, Y);
  sp_mat3 R;
  if (axes && !moments)
    limb_report_error(&r->report, RULE_MISSING_KEY, axes->key_pos, "inertia_axes needs inertia or solid");
  if (limb_yaml_rotation_value(r, axes, &R)) turn_moments(Y, R);
  if (!mass && !moments)
    limb_report_note(&r->report, RULE_NO_INERTIAL, n->pos, "it has no mass");
  else if (!moments && Y->mass != 0) {
    limb_report_note(&r->report, RULE_ASSUMED, n->pos, "it has no inertia: a point mass is assumed");
    limb_report_hint(r->report.findings, "write 'solid: point' if this is intended");
  }
}
