// Bodies of limb YAML: mass, centre of mass, and inertia as numbers, as the ten parameters, or as a solid.
#include "io/read_yaml_impl.h"

#include "base/number.h"

#include <string.h>

static const char* const body_keys[] = {"name",       "mass",  "com",          "inertia",
                                        "parameters", "solid", "inertia_axes", "home"};

// ---- inertia in numbers -----------------------------------------------------------------------------

static void set_moments(sp_inertia* Y, const double I[6])
{
  Y->xx = I[0], Y->xy = I[1], Y->xz = I[2], Y->yy = I[3], Y->yz = I[4], Y->zz = I[5];
}

static void read_moments(yaml_reader* r, const yml_node* n, sp_inertia* Y)
{
  static const char* const keys[] = {"xx", "xy", "xz", "yy", "yz", "zz"};
  double I[6] = {0};
  if (n->kind != YML_MAP) {
    if (limb_yml_numbers(&r->check, n, 6, I)) set_moments(Y, I);
    return;
  }
  limb_yml_check_keys(&r->check, n, keys, COUNT(keys));
  for (int i = 0; i < 6; i++) {
    const bool moment = keys[i][0] == keys[i][1]; // products may be left out: zero
    (void)limb_yml_number(&r->check, moment ? limb_yml_need(&r->check, n, keys[i]) : limb_yml_get(n, keys[i]), &I[i]);
  }
  set_moments(Y, I);
}

// The moments of a body whose inertia is given in axes R: R I R'.
static void turn_moments(sp_inertia* Y, sp_mat3 R)
{
  sp_inertia centred = *Y;
  centred.com = sp_v3(0, 0, 0);
  centred = limb_inertia_move(sp_pose_make(R, sp_v3(0, 0, 0)), centred);
  const double I[6] = {centred.xx, centred.xy, centred.xz, centred.yy, centred.yz, centred.zz};
  set_moments(Y, I);
}

static void read_parameters(yaml_reader* r, const yml_node* map, const yml_node* n, sp_inertia* Y)
{
  static const char* const others[] = {"mass", "com", "inertia", "solid", "inertia_axes"};
  for (int i = 0; i < COUNT(others); i++) {
    const yml_node* other = limb_yml_get(map, others[i]);
    if (other)
      limb_yml_error(&r->check, RULE_BAD_VALUE, other->key_mark,
                     "%s and parameters exclude each other: the ten parameters say everything", others[i]);
  }
  double theta[10];
  if (limb_yml_numbers(&r->check, n, 10, theta)) *Y = limb_inertia_from_parameters(theta);
}

// ---- solids -----------------------------------------------------------------------------------------

typedef enum solid { BOX, CYLINDER, SPHERE, CAPSULE, SHELL, TUBE, ROD } solid;

static const char* const solids[] = {"box", "cylinder", "sphere", "capsule", "shell", "tube", "rod"};

static int read_sizes(yaml_reader* r, const yml_node* n, int count, double size[3])
{
  if (!(count == 1 ? limb_yml_number(&r->check, n, size) : limb_yml_numbers(&r->check, n, count, size))) return 0;
  for (int i = 0; i < count; i++) {
    if (size[i] >= 0) continue;
    limb_yml_error(&r->check, RULE_BAD_VALUE, n->mark, "a length of the %s is negative", n->key);
    return 0;
  }
  return 1;
}

// The inertia of a solid about its own centre.
static int read_shape(yaml_reader* r, const yml_node* n, double mass, sp_inertia* Y)
{
  double s[3] = {0};
  int which = 0;
  while (strcmp(solids[which], n->key) != 0) which++;
  switch ((solid)which) {
  case BOX:
    if (!read_sizes(r, n, 3, s)) return 0;
    *Y = limb_inertia_box(mass, s[0], s[1], s[2]);
    return 1;
  case SPHERE:
  case SHELL:
  case ROD:
    if (!read_sizes(r, n, 1, s)) return 0;
    *Y = which == SPHERE  ? limb_inertia_sphere(mass, s[0])
         : which == SHELL ? limb_inertia_shell(mass, s[0])
                          : limb_inertia_rod(mass, s[0]);
    return 1;
  case CYLINDER:
  case CAPSULE:
  case TUBE:
    if (!read_sizes(r, n, 2, s)) return 0;
    *Y = which == CYLINDER  ? limb_inertia_cylinder(mass, s[0], s[1])
         : which == CAPSULE ? limb_inertia_capsule(mass, s[0], s[1])
                            : limb_inertia_tube(mass, s[0], s[1]);
    return 1;
  }
  return 0;
}

// solid: point, or solid: {box: [1, 2, 3]}. Only the moments are taken from it.
static void read_solid(yaml_reader* r, const yml_node* map, const yml_node* n, sp_inertia* Y)
{
  (void)limb_yml_need(&r->check, map, "mass");
  if (n->kind == YML_SCALAR && strcmp(n->text, "point") == 0) return;
  if (n->kind != YML_MAP || n->count != 1) {
    if (n->kind != YML_REFUSED)
      limb_yml_error(&r->check, RULE_BAD_VALUE, n->mark,
                     "solid must be point or one shape with its lengths, such as {box: [0.1, 0.2, 0.3]}");
    return;
  }
  const int before = r->check.errors;
  limb_yml_check_keys(&r->check, n, solids, COUNT(solids));
  sp_inertia shape;
  if (r->check.errors > before || !read_shape(r, n->first, Y->mass, &shape)) return;
  const double I[6] = {shape.xx, shape.xy, shape.xz, shape.yy, shape.yz, shape.zz};
  set_moments(Y, I);
}

// ---- the body ---------------------------------------------------------------------------------------

static void read_inertia(yaml_reader* r, const yml_node* n, sp_inertia* Y)
{
  static const char* const ways[] = {"inertia", "solid"};
  const yml_node* parameters = limb_yml_get(n, "parameters");
  if (parameters) {
    read_parameters(r, n, parameters, Y);
    return;
  }
  const yml_node *mass = limb_yml_get(n, "mass"), *axes = limb_yml_get(n, "inertia_axes");
  const yml_node* moments = limb_yml_one_of(&r->check, n, ways, COUNT(ways));
  (void)limb_yml_number(&r->check, mass, &Y->mass);
  (void)limb_yaml_vec3(r, limb_yml_get(n, "com"), &Y->com);
  if (moments && moments->key[0] == 'i') read_moments(r, moments, Y);
  if (moments && moments->key[0] == 's') read_solid(r, n, moments, Y);
  sp_mat3 R;
  if (axes && !moments)
    limb_yml_error(&r->check, RULE_MISSING_KEY, axes->key_mark, "inertia_axes without inertia or solid");
  if (limb_yaml_rotation_value(r, axes, &R)) turn_moments(Y, R);
  if (!mass && !moments)
    limb_report(r->check.findings, RULE_NO_INERTIAL, n->mark, r->check.about, "no mass is given");
  else if (!moments && Y->mass != 0) {
    limb_report(r->check.findings, RULE_ASSUMED, n->mark, r->check.about,
                "no inertia is given: it is taken as a point mass");
    limb_report_hint(r->check.findings, "write 'solid: point' if that is meant");
  }
}

static const char* home_name(const void* homes, int i) { return ((const yaml_home*)homes)[i].body; }

yaml_home* limb_yaml_find_home(const yaml_reader* r, const char* body)
{
  const int i = r->home ? limb_names_find(&r->home_names, body, home_name, r->home) : -1;
  return i < 0 ? NULL : &r->home[i];
}

void limb_yaml_body(yaml_reader* r, const yml_node* n)
{
  const char* name = "";
  r->check.about = (limb_subject){r->sketch->words.body, NULL};
  if (!limb_yml_is(&r->check, n, YML_MAP)) return;
  if (limb_yml_text(&r->check, limb_yml_get(n, "name"), &name)) r->check.about.name = name;
  limb_yml_check_keys(&r->check, n, body_keys, COUNT(body_keys));
  if (strcmp(name, "world") == 0) {
    limb_yml_error(&r->check, RULE_DUPLICATE_NAME, n->mark, "'world' is the ground, which is always there: remove it");
    return;
  }
  sketch_body* b = limb_sketch_body(r->sketch, name, n->mark);
  if (!b) {
    r->out_of_memory = true;
    return;
  }
  read_inertia(r, n, &b->inertia);
  const yml_node* home = limb_yml_get(n, "home");
  yaml_home* homes = r->home;
  sp_pose M;
  if (limb_yaml_pose_value(r, home, &M) && homes && *name && !limb_yaml_find_home(r, name)) {
    homes[r->nhome] = (yaml_home){name, home->mark, M, false};
    limb_names_put(&r->home_names, name, r->nhome++);
  }
}
