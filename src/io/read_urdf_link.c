// URDF: <link>, of which the inertia is read.
#include "io/read_urdf_impl.h"

#include <string.h>

// The diagonal must be stated; products that are not are zero, and this is told.
static void read_moments(urdf_reader* r, limb_subject about, const xml_node* n, sp_inertia* Y)
{
  static const char* const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz", NULL};
  static const urdf_words words = {.attribute = names};
  double* const moments[] = {&Y->xx, &Y->xy, &Y->xz, &Y->yy, &Y->yz, &Y->zz};
  limb_urdf_check(r, about, n, &words);
  for (int i = 0; i < 6; i++) {
    if (limb_urdf_number(r, about, n, names[i], moments[i]) != 0) continue;
    if (names[i][1] == names[i][2])
      limb_urdf_error(r, RULE_MISSING_KEY, n->mark, about, "<inertia> needs the attribute '%s'", names[i]);
    else
      limb_report(r->findings, RULE_ASSUMED, n->mark, about, "<inertia> has no %s: zero is taken", names[i]);
  }
}

// Where the numbers stand, so that a repair can put others into their place.
static void remember_tag(urdf_reader* r, const xml_node* n, sp_mat3 R, const sp_inertia* Y)
{
  inertia_tag* t = &r->src->tag[r->src->ntag++];
  *t = (inertia_tag){.body = r->sketch->nbody - 1,
                     .byte = n->byte,
                     .bytes = n->bytes,
                     .value = {Y->xx, Y->xy, Y->xz, Y->yy, Y->yz, Y->zz}};
  memcpy(t->R, R.m, sizeof t->R);
}

static void read_mass(urdf_reader* r, limb_subject about, const xml_node* inertial, double* mass)
{
  static const char* const attributes[] = {"value", NULL};
  static const urdf_words words = {.attribute = attributes};
  const xml_node* n = limb_xml_child(inertial, "mass");
  if (!n) {
    limb_urdf_error(r, RULE_MISSING_KEY, inertial->mark, about, "<inertial> needs <mass value=>");
    return;
  }
  limb_urdf_check(r, about, n, &words);
  if (limb_urdf_number(r, about, n, "value", mass) == 0)
    limb_urdf_error(r, RULE_MISSING_KEY, n->mark, about, "<mass> needs the attribute 'value'");
}

// About the centre of mass, which <origin> places, in axes that it turns: R I R' in those of the link.
static sp_inertia read_inertial(urdf_reader* r, limb_subject about, const xml_node* inertial)
{
  static const char* const children[] = {"origin", "mass", "inertia", NULL};
  static const urdf_words words = {.child = children};
  sp_inertia Y = {0};
  limb_urdf_check(r, about, inertial, &words);
  const sp_pose X = limb_urdf_origin(r, about, inertial);
  read_mass(r, about, inertial, &Y.mass);
  const xml_node* n = limb_xml_child(inertial, "inertia");
  if (n) {
    read_moments(r, about, n, &Y);
    remember_tag(r, n, X.R, &Y);
  } else {
    limb_report(r->findings, RULE_ASSUMED, inertial->mark, about,
                "<inertial> has no <inertia>: it is taken as zero, a point mass");
    limb_report_as(r->findings, LIMB_WARNING);
  }
  return limb_inertia_move(X, Y);
}

int limb_urdf_link(urdf_reader* r, const xml_node* n)
{
  static const char* const attributes[] = {"name", NULL};
  static const char* const children[] = {"inertial", NULL};
  static const char* const ignored[] = {
    "visual",  "collision", "material", "sensor", "contact", "collision_checking", "self_collision_checking",
    "verbose", "gazebo",    NULL};
  static const urdf_words words = {.attribute = attributes, .child = children, .ignored = ignored};
  const limb_subject about = {"link", limb_xml_get(n, "name")};
  const char* name = limb_urdf_name(r, about, n, "name", 0);
  limb_urdf_check(r, about, n, &words);
  sketch_body* b = limb_sketch_body(r->sketch, name, n->mark);
  if (!b) return 0;
  const xml_node* inertial = limb_xml_child(n, "inertial");
  if (inertial)
    b->inertia = read_inertial(r, about, inertial);
  else
    limb_report(r->findings, RULE_NO_INERTIAL, n->mark, about, "it has no <inertial>: no mass");
  return 1;
}
