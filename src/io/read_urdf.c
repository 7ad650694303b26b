// URDF (wiki.ros.org/urdf/XML, and the additions of versions 1.1 and 1.2): from the tree of elements to a raw robot.
//
// Only what affects dynamics is read; shapes on request (read_urdf_shape.c). Everything that is wrong is reported:
// reading continues after an error. Names, tree and mimics are checked on the raw robot.
#include "io/read_urdf.h"

#include "limb/spatial.h"

#include "io/file_text.h"
#include "io/geometry.h"
#include "io/xacro.h"

#include <string.h>

static size_t count_children(const xml_node* n, const char* name)
{
  size_t count = 0;
  for (const xml_node* c = limb_xml_child(n, name); c; c = limb_xml_next(c)) count++;
  return count;
}

// ---- links ----------------------------------------------------------------------------------------

// The diagonal is required; missing products are zero, which is reported.
static void read_moments(urdf_reader* r, const xml_node* n, sp_inertia* Y)
{
  static const char* const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  double I[6] = {0};
  limb_urdf_check_attributes(r, n, "ixx ixy ixz iyy iyz izz");
  for (int i = 0; i < 6; i++) {
    if (limb_urdf_number(r, n, names[i], &I[i]) != 0) continue;
    if (names[i][1] == names[i][2])
      limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "<inertia> needs the attribute '%s'", names[i]);
    else
      limb_report_note(&r->report, RULE_ASSUMED, n->pos, "<inertia> has no %s: zero is assumed", names[i]);
  }
  limb_set_moments(Y, I);
}

// Keeps the position of the numbers, so that a repair can replace them.
static void keep_tag(urdf_reader* r, const xml_node* n, sp_mat3 R, const sp_inertia* Y)
{
  inertia_tag* t = &r->src->tag[r->src->ntag++];
  *t = (inertia_tag){.body = r->raw->nbody - 1, .byte = n->byte, .bytes = n->bytes};
  limb_get_moments(Y, t->value);
  memcpy(t->R, R.m, sizeof t->R);
}

static void read_mass(urdf_reader* r, const xml_node* inertial, double* mass)
{
  const xml_node* n = limb_urdf_child(r, inertial, "mass", "value");
  if (!n)
    limb_report_error(&r->report, RULE_MISSING_KEY, inertial->pos, "<inertial> needs <mass value=>");
  else if (limb_urdf_number(r, n, "value", mass) == 0)
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "<mass> needs the attribute 'value'");
}

// About the centre of mass, which <origin> places, in axes that it rotates: R I R' in those of the link.
static sp_inertia read_inertial(urdf_reader* r, const xml_node* inertial)
{
  sp_inertia Y = {0};
  limb_urdf_check(r, inertial, &(urdf_words){.children = "origin mass inertia"});
  const sp_pose X = limb_urdf_origin(r, inertial);
  read_mass(r, inertial, &Y.mass);
  const xml_node* n = limb_xml_child(inertial, "inertia");
  if (n) {
    read_moments(r, n, &Y);
    keep_tag(r, n, X.R, &Y);
  } else {
    limb_report_note(&r->report, RULE_ASSUMED, inertial->pos, "<inertial> has no <inertia>: a point mass is assumed");
    limb_report_as(r->report.findings, LIMB_WARNING);
  }
  return limb_inertia_move(X, Y);
}

// ---- the link as a whole ----------------------------------------------------------------------------

// 0 when out of memory.
static int read_link(urdf_reader* r, const xml_node* n)
{
  const urdf_words words = {
    .attributes = "name",
    .children = "inertial",
    .many = r->opt->shapes ? "visual collision" : NULL,
    .ignored = "visual collision material sensor contact collision_checking self_collision_checking verbose gazebo"};
  r->report.about = (limb_subject){"link", limb_xml_get(n, "name")};
  const char* name = limb_urdf_name(r, n, "name", 0);
  limb_urdf_check(r, n, &words);
  raw_body* b = limb_raw_add_body(r->raw, name, n->pos);
  if (!b) return 0;
  const xml_node* inertial = limb_xml_child(n, "inertial");
  if (inertial) b->inertia = read_inertial(r, inertial);
  if (r->opt->density > 0 && !(b->inertia.mass > 0)) limb_urdf_fill_mass(r, n, &b->inertia);
  if (!inertial && !(b->inertia.mass > 0))
    limb_report_note(&r->report, RULE_NO_INERTIAL, n->pos, "it has no <inertial>: no mass");
  return !r->opt->shapes || limb_urdf_shapes(r, n, r->raw->nbody - 1);
}

// ---- transmissions --------------------------------------------------------------------------------

typedef struct gears {
  urdf_reader* r;
  limb_names joints;
  unsigned char* given; // per joint: 1 when its ratio is known
} gears;

// <mechanicalReduction> of the actuator, of the joint or of the transmission: tools differ.
static const xml_node* find_reduction(const xml_node* t)
{
  static const char* const owners[] = {"actuator", "joint"};
  for (int i = 0; i < 2; i++) {
    for (const xml_node* c = limb_xml_child(t, owners[i]); c; c = limb_xml_next(c)) {
      const xml_node* found = limb_xml_child(c, "mechanicalReduction");
      if (found) return found;
    }
  }
  return limb_xml_child(t, "mechanicalReduction");
}

// The joint that a transmission connects with one actuator; NULL and the reason when it has none.
static limb_joint_def* transmission_joint(const gears* g, const xml_node* t, int* k, const char** fault)
{
  limb_raw_robot* s = g->r->raw;
  *fault = "it does not connect one actuator with one joint";
  if (count_children(t, "joint") != 1 || count_children(t, "actuator") > 1) return NULL;
  const char* name = limb_xml_get(limb_xml_child(t, "joint"), "name");
  *k = name ? limb_names_find(&g->joints, name, limb_raw_joint_name, s) : -1;
  *fault = "its joint is not defined";
  if (*k < 0) return NULL;
  *fault = one_dof(s->joint[*k].def.type) ? NULL : "its joint does not have exactly one degree of freedom";
  return *fault ? NULL : &s->joint[*k].def;
}

// Uses the ratio of a transmission. Returns why it cannot be used, or NULL.
static const char* use_ratio(const gears* g, const xml_node* t, const xml_node* reduction)
{
  double ratio = 1;
  int k = 0;
  const char* fault = NULL;
  const number_list list = limb_scan_list(reduction->text, 1, &ratio);
  if (list.bad || list.count != 1) return "it is not a number";
  if (ratio == 1) return NULL;
  if (ratio == 0) return "it is zero";
  limb_joint_def* def = transmission_joint(g, t, &k, &fault);
  if (!def) return fault;
  if (g->given[k] && def->gear_ratio != ratio) return "its joint already has another gear ratio";
  def->gear_ratio = ratio;
  g->given[k] = 1;
  limb_report(g->r->report.findings, RULE_TRANSMISSION, reduction->pos,
              (limb_subject){"joint", g->r->raw->joint[k].name}, "its gear ratio is %.60s%s", reduction->text,
              def->rotor_inertia > 0 ? "" : ", which has no effect without a rotor inertia");
  return NULL;
}

// Drake's rotor inertia and gear ratio, in the <actuator> of a transmission.
static void use_drake(gears* g, const xml_node* t)
{
  static const property numbers[] = {
    {"actuator", "drake:rotor_inertia", offsetof(limb_joint_def, rotor_inertia), NONNEGATIVE},
    {"actuator", "drake:gear_ratio", offsetof(limb_joint_def, gear_ratio), NONZERO}};
  urdf_reader* r = g->r;
  const limb_subject robot = r->report.about;
  const xml_node* actuator = limb_xml_child(t, "actuator");
  for (int i = 0; actuator && i < COUNT(numbers); i++) {
    const xml_node* n = limb_xml_child(actuator, numbers[i].key);
    const char* fault = NULL;
    double x = 0;
    int k = 0;
    r->report.about = (limb_subject){"transmission", limb_xml_get(t, "name")};
    const int given = n ? limb_urdf_number(r, n, "value", &x) : -1;
    if (given == 0)
      limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "<%s> needs the attribute 'value'", n->name);
    limb_joint_def* def = given > 0 ? transmission_joint(g, t, &k, &fault) : NULL;
    if (given > 0 && !is_possible(&numbers[i], x))
      limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "value of <%s> is %s", n->name,
                        x < 0 ? "negative" : "zero");
    else if (fault)
      limb_report_note(&r->report, RULE_DROPPED, n->pos, "its <%s> is not used: %s", n->name, fault);
    else if (def) {
      set_property(&numbers[i], x, def);
      g->given[k] = 1;
      limb_report(r->report.findings, RULE_TRANSMISSION, n->pos, (limb_subject){"joint", r->raw->joint[k].name},
                  "its %s is %s", i == 0 ? "rotor inertia" : "gear ratio", limb_show(x).text);
    }
  }
  r->report.about = robot;
}

// Gear ratios of all <transmission> below the root; 0 when out of memory.
static int read_transmissions(urdf_reader* r, const xml_node* root)
{
  gears g = {.r = r};
  const limb_raw_robot* s = r->raw;
  const xml_node* t = limb_xml_child(root, "transmission");
  if (!t) return 1;
  limb_report(r->report.findings, RULE_IGNORED, t->pos, (limb_subject){"element", t->name},
              "of <transmission> only gear ratios and Drake's rotor inertia are read, here and anywhere else");
  g.given = limb_mempool_alloc(s->pool, (size_t)s->njoint + 1);
  if (!g.given || !limb_raw_joint_names(s, &g.joints)) return 0;
  for (int i = 0; i < s->njoint; i++) g.given[i] = s->joint[i].def.gear_ratio != 1; // by <limb>
  for (; t; t = limb_xml_next(t)) {
    use_drake(&g, t);
    const xml_node* reduction = find_reduction(t);
    const char* fault = reduction && *reduction->text ? use_ratio(&g, t, reduction) : NULL;
    if (fault)
      limb_report(r->report.findings, RULE_DROPPED, t->pos, (limb_subject){"transmission", limb_xml_get(t, "name")},
                  "its reduction is not used: %s", fault);
  }
  return 1;
}

// ---- <limb> of the robot --------------------------------------------------------------------------

static limb_base read_base(urdf_reader* r, const xml_node* n)
{
  static const limb_base bases[] = {LIMB_BASE_FIXED, LIMB_BASE_FLOATING, LIMB_BASE_PLANAR};
  const char* base = limb_xml_get(n, "base");
  if (!base) return LIMB_BASE_AS_FILE;
  const int i = limb_find_word("fixed floating planar", base, strlen(base));
  if (i >= 0) return bases[i];
  limb_report_error(&r->report, RULE_BAD_VALUE, limb_urdf_attribute_pos(r, n, "base"),
                    "base=\"%.60s\" must be fixed, floating or planar", base);
  return LIMB_BASE_AS_FILE;
}

static int read_extension(urdf_reader* r, const xml_node* root)
{
  const xml_node* n = limb_xml_child(root, "limb");
  const limb_subject robot = r->report.about;
  sp_vec3 g;
  if (!n) return 1;
  limb_urdf_check(r, n, &(urdf_words){.attributes = "gravity base loop_tolerance", .many = "shaft", .strict = 1});
  r->raw->base = read_base(r, n);
  for (const xml_node* x = limb_xml_child(n, "shaft"); x; x = limb_xml_next(x)) {
    if (!limb_urdf_shaft(r, x)) return 0;
  }
  r->report.about = robot;
  double* open = &r->raw->loop_tolerance;
  if (limb_urdf_number(r, n, "loop_tolerance", open) > 0 && !(*open > 0 && *open <= LIMB_LOOP_TOLERANCE_MAX)) {
    limb_report_error(&r->report, RULE_BAD_NUMBER, limb_urdf_attribute_pos(r, n, "loop_tolerance"),
                      "loop_tolerance must be above zero and at most %g", LIMB_LOOP_TOLERANCE_MAX);
    *open = 0;
  }
  return limb_urdf_vector(r, n, "gravity", &g) <= 0 || limb_raw_set_gravity(r->raw, g);
}

// ---- the robot ------------------------------------------------------------------------------------

static void check_version(urdf_reader* r, const xml_node* root)
{
  const char* version = limb_xml_get(root, "version");
  if (!version || limb_has_word("1 1.0 1.1 1.2", version)) return;
  limb_report_note(&r->report, RULE_UNSUPPORTED, limb_urdf_attribute_pos(r, root, "version"),
                   "URDF version '%.60s' is not known: the file is read as version 1.2", version);
  limb_report_as(r->report.findings, LIMB_WARNING);
  limb_report_hint(r->report.findings, "check the number; if it is right, a newer limb may support this version");
}

// Space for all links and joints, and for the numbers of their <inertia> tags; 0 when out of memory.
static int reserve(urdf_reader* r, const xml_node* root)
{
  limb_raw_robot* s = r->raw;
  size_t links = count_children(root, "link"), joints = count_children(root, "joint");
  if (links > LIMB_RAW_MAX) links = LIMB_RAW_MAX; // more are refused
  if (joints > LIMB_RAW_MAX) joints = LIMB_RAW_MAX;
  s->body = limb_mempool_alloc(s->pool, (links + 1) * sizeof *s->body);
  s->joint = limb_mempool_alloc(s->pool, (joints + 1) * sizeof *s->joint);
  r->src->tag = limb_mempool_alloc(r->src->pool, (links + 1) * sizeof *r->src->tag);
  if (!s->body || !s->joint || !r->src->tag) return 0;
  s->body_cap = (int)links + 1;
  s->joint_cap = (int)joints + 1;
  r->src->ntag = 0;
  return 1;
}

// 0 when out of memory.
static int read_elements(urdf_reader* r, const xml_node* root)
{
  for (const xml_node* n = root->first; n; n = n->next) {
    if (strcmp(n->name, "link") == 0 && !read_link(r, n)) return 0;
    if (strcmp(n->name, "joint") == 0 && !limb_urdf_joint(r, n)) return 0;
    if (limb_urdf_is_loop(n) && !limb_urdf_loop(r, n)) return 0;
  }
  return 1;
}

// 0 when out of memory.
static int read_robot(urdf_reader* r, const xml_node* root)
{
  const urdf_words words = {.attributes = "name version",
                            .children = "limb",
                            .many = r->opt->shapes ? "link joint transmission loop_joint loop constraint material"
                                                   : "link joint transmission loop_joint loop constraint",
                            .ignored =
                              "gazebo material sensor ros2_control mujoco group group_state self_collide plugin"};
  r->report.about = (limb_subject){"robot", limb_xml_get(root, "name")};
  r->raw->name = limb_urdf_name(r, root, "name", 0);
  if (!r->raw->name)
    limb_report(r->report.findings, RULE_ASSUMED, root->pos, (limb_subject){"robot", NULL}, "the robot has no name");
  if (!limb_xml_child(root, "link") && (limb_xml_child(root, "disable_collisions") || limb_xml_child(root, "group") ||
                                        limb_xml_child(root, "group_state") || limb_xml_child(root, "end_effector"))) {
    limb_report_error(&r->report, RULE_WRONG_FORMAT, root->pos,
                      "this is SRDF, which names groups and states of a robot; the robot itself is in a URDF");
    return 1;
  }
  check_version(r, root);
  limb_urdf_check(r, root, &words);
  if (r->opt->shapes && !limb_urdf_materials(r, root)) return 0;
  return read_extension(r, root) && reserve(r, root) && read_elements(r, root) && read_transmissions(r, root);
}

static void report_root(urdf_reader* r, const xml_node* root)
{
  r->report.about = (limb_subject){"element", root->name};
  if (strcmp(root->name, "mujoco") == 0) {
    limb_report_error(&r->report, RULE_WRONG_FORMAT, root->pos, "the root element is <mujoco>: this is MJCF, not URDF");
    limb_report_hint(r->report.findings, "name the file *.xml or *.mjcf, or use --from mjcf");
  } else if (strcmp(root->name, "sdf") == 0 || strcmp(root->name, "gazebo") == 0) {
    limb_report_error(&r->report, RULE_WRONG_FORMAT, root->pos, "the root element is <%s>: this is SDF, not URDF",
                      root->name);
    limb_report_hint(r->report.findings, "name the file *.sdf, or use --from sdf");
  } else {
    limb_report_error(&r->report, RULE_WRONG_FORMAT, root->pos,
                      "the root element is <%.60s>, but that of a URDF is <robot>", root->name);
    limb_report_hint(
      r->report.findings,
      "this is another kind of XML: a robot file begins with <robot name=...> (URDF) or <mujoco> (MJCF)");
  }
}

// The file after xacro, without texts between elements; the reading keeps it with them.
static const xml_node* expand(limb_source* src, const limb_read_options* opt, limb_findings* f)
{
  src->expanded = limb_xacro_expand(src, opt->xacro_arguments, f);
  return src->expanded ? limb_xml_without_texts(src->expanded, src->pool) : NULL;
}

limb_status limb_read_urdf(limb_source* src, const limb_read_options* opt, limb_raw_robot* s)
{
  static const char *const not_read[] = {"gazebo", "visual", "collision", NULL}, *const gazebo[] = {"gazebo", NULL};
  const char* const* not_dynamics = opt->density > 0 || opt->shapes ? gazebo : not_read;
  urdf_reader r = {.src = src, .opt = opt, .raw = s, .report = {.findings = s->findings}};
  const int before = limb_findings_count(s->findings);
  if (limb_report_not_xml(s->findings, src->text, src->size, "URDF")) return LIMB_E_SYNTAX;
  s->own_world = 1;
  const xml_node* root = limb_xacro_is_needed(src->name, src->text, src->size)
                           ? expand(src, opt, s->findings)
                           : limb_xml_parse(src->text, src->size, 0, not_dynamics, src->pool, s->findings);
  if (!root) return limb_findings_count(s->findings) > before ? LIMB_E_SYNTAX : LIMB_E_NOMEM;
  if (strcmp(root->name, "robot") != 0) {
    report_root(&r, root);
    return LIMB_E_SYNTAX;
  }
  if (!read_robot(&r, root)) return LIMB_E_NOMEM;
  r.report.about = (limb_subject){NULL, NULL};
  if (r.expressions > 1)
    limb_report_error(&r.report, RULE_XACRO, (file_pos){0}, "%d more value%s xacro expressions", r.expressions - 1,
                      r.expressions == 2 ? " contains" : "s contain");
  return r.report.errors ? LIMB_E_MODEL : LIMB_OK;
}
