// MJCF, the language of MuJoCo: the part that describes dynamics. Bodies, joints, inertia given or derived from geoms,
// armature, damping, friction, springs, default classes, equalities; sites become frames. Everything else is reported,
// once each. This file reads settings, sections and actuators.
#include "io/read_mjcf.h"

#include "io/geometry.h"
#include "io/properties.h"

#include <stdio.h>
#include <string.h>

// ---- <compiler> and <option> ----------------------------------------------------------------------

static void read_eulerseq(mjcf* m, const xml_node* n)
{
  const char* text = limb_xml_get(n, "eulerseq");
  if (!text) return;
  if (strlen(text) == 3 && strspn(text, "xyzXYZ") == 3)
    m->model->eulerseq = text;
  else
    limb_mjcf_report(m, RULE_BAD_VALUE, n, "eulerseq=\"%.20s\" must be three letters out of x, y, z, X, Y, Z", text);
}

static void read_compiler_element(mjcf* m, const xml_node* n)
{
  const mjcf_item it = limb_mjcf_plain(n);
  const double degree = LIMB_PI / 180;
  double range[2] = {m->model->group_min, m->model->group_max};
  limb_mjcf_check_attributes(m, n,
                             "angle coordinate eulerseq autolimits inertiafromgeom inertiagrouprange boundmass "
                             "boundinertia balanceinertia settotalmass strippath meshdir assetdir fitaabb alignfree",
                             "texturedir discardvisual convexhull usethread fusestatic exactmeshinertia saveinertial "
                             "savecompiled conflict",
                             1);
  if (limb_xml_get(n, "angle")) m->model->angle = limb_mjcf_word(m, it, "angle", "radian degree", 1) ? degree : 1;
  if (limb_mjcf_word(m, it, "coordinate", "local global", 0)) {
    limb_mjcf_report(m, RULE_UNSUPPORTED, n, "coordinate=\"global\" is not supported, and no longer by MuJoCo itself");
    limb_report_hint(m->findings,
                     "MuJoCo before 2.3.4 saves such a file with local coordinates: compile model.xml saved.xml");
  }
  read_eulerseq(m, n);
  m->model->autolimits = limb_mjcf_word(m, it, "autolimits", "false true", m->model->autolimits);
  m->model->from_geom =
    (mjcf_from_geom)limb_mjcf_word(m, it, "inertiafromgeom", "false true auto", (int)m->model->from_geom);
  (void)limb_mjcf_numbers(m, it, "inertiagrouprange", 2, 2, range);
  m->model->group_min = range[0];
  m->model->group_max = range[1];
  (void)limb_mjcf_numbers(m, it, "boundmass", 1, 1, &m->model->boundmass);
  (void)limb_mjcf_numbers(m, it, "boundinertia", 1, 1, &m->model->boundinertia);
  (void)limb_mjcf_numbers(m, it, "settotalmass", 1, 1, &m->model->totalmass);
  m->model->balance = limb_mjcf_word(m, it, "balanceinertia", "false true", m->model->balance);
  m->model->strip_path = limb_mjcf_word(m, it, "strippath", "false true", m->model->strip_path);
  m->model->fit_box = limb_mjcf_word(m, it, "fitaabb", "false true", m->model->fit_box);
  m->model->align_free = limb_mjcf_word(m, it, "alignfree", "false true", m->model->align_free);
  if (limb_xml_get(n, "assetdir")) m->model->meshdir = limb_xml_get(n, "assetdir");
  if (limb_xml_get(n, "meshdir")) m->model->meshdir = limb_xml_get(n, "meshdir");
}

void limb_mjcf_read_compiler(mjcf* m, const xml_node* root)
{
  for (const xml_node* n = limb_xml_child(root, "compiler"); n; n = limb_xml_next(n)) read_compiler_element(m, n);
}

// Forces of the medium, and switches that change passive forces.
static void report_option(mjcf* m, const xml_node* n)
{
  static const char* const medium[] = {"wind", "density", "viscosity"};
  static const char* const switches[] = {"spring", "damper", "passive", "frictionloss"};
  for (int i = 0; i < COUNT(medium); i++) {
    double x[3] = {0, 0, 0};
    (void)limb_mjcf_numbers(m, limb_mjcf_plain(n), medium[i], 1, 3, x);
    if (x[0] != 0 || x[1] != 0 || x[2] != 0)
      limb_mjcf_report(m, RULE_DROPPED, n, "%s: limb has no forces of a medium", medium[i]);
  }
  const xml_node* flag = limb_xml_child(n, "flag");
  if (!flag) return;
  for (int i = 0; i < COUNT(switches); i++) {
    const char* value = limb_xml_get(flag, switches[i]);
    if (value && strcmp(value, "disable") == 0)
      limb_mjcf_report(m, RULE_DROPPED, flag, "%s=\"disable\" has no effect: the values of the joints are used",
                       switches[i]);
  }
}

static void read_option(mjcf* m, const xml_node* n, sp_vec3* gravity)
{
  double g[3] = {gravity->x, gravity->y, gravity->z};
  limb_mjcf_check_attributes(
    m, n, "gravity wind density viscosity",
    "timestep apirate impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance mpr_tolerance sleep_tolerance "
    "magnetic o_margin o_solref o_solimp o_friction integrator collision cone jacobian solver iterations ls_iterations "
    "noslip_iterations ccd_iterations mpr_iterations sdf_iterations sdf_initpoints actuatorgroupdisable",
    0);
  (void)limb_mjcf_numbers(m, limb_mjcf_plain(n), "gravity", 3, 3, g);
  *gravity = sp_v3(g[0], g[1], g[2]);
  const xml_node* flag = limb_xml_child(n, "flag");
  const char* off = flag ? limb_xml_get(flag, "gravity") : NULL;
  if (off && strcmp(off, "disable") == 0) {
    *gravity = sp_v3(0, 0, 0);
    limb_mjcf_report(m, RULE_ASSUMED, flag, "gravity is disabled in the file: 0 0 0 is used");
  }
  report_option(m, n);
}

static void read_options(mjcf* m, const xml_node* root)
{
  sp_vec3 gravity = sp_v3(0, 0, -9.81);
  for (const xml_node* n = limb_xml_child(root, "option"); n; n = limb_xml_next(n)) read_option(m, n, &gravity);
  m->no_memory |= !limb_raw_set_gravity(m->s, gravity);
}

// ---- other sections -------------------------------------------------------------------------------

// Sections that are read, not part of dynamics, refused because they change the robot.
static const char read_sections[] = "compiler option default worldbody equality actuator tendon keyframe";
static const char ignored_sections[] = "contact sensor asset visual size statistic custom extension";
static const char refused_sections[] = "deformable";

// Counts elements in the sections of a name, but assets that are used, and appends them to a list. 0: there are none.
static int append_count(const xml_node* first, const char* used_assets, char* list, size_t size)
{
  int count = 0;
  for (const xml_node* n = first; n; n = limb_xml_next(n)) {
    count += !n->first; // itself, with its attributes
    for (const xml_node* c = n->first; c; c = c->next) count += !limb_has_word(used_assets, c->name);
  }
  const size_t used = strlen(list);
  if (count > 0) (void)snprintf(list + used, size - used, "%s%d in <%s>", used ? ", " : "", count, first->name);
  return count;
}

// One note for all sections that are not part of dynamics.
static void report_ignored(mjcf* m, const xml_node* root)
{
  char list[400] = "";
  const xml_node* first = NULL;
  for (const char* word = ignored_sections; *word;) {
    char name[24];
    const size_t n = strcspn(word, " ");
    (void)snprintf(name, sizeof name, "%.*s", (int)n, word);
    const xml_node* section = limb_xml_child(root, name);
    const int counted =
      section &&
      append_count(section, m->opt->shapes ? "mesh model hfield material" : "mesh model hfield", list, sizeof list) > 0;
    if (counted && !first) first = section;
    word += n + (word[n] == ' ');
  }
  if (first)
    limb_report(m->findings, RULE_IGNORED, first->pos, (limb_subject){"section", first->name},
                "elements that do not affect dynamics are ignored: %s", list);
}

static void report_sections(mjcf* m, const xml_node* root)
{
  report_ignored(m, root);
  for (const xml_node* n = root->first; n; n = n->next) {
    const limb_subject about = {"section", n->name};
    if (limb_has_word(read_sections, n->name) || limb_has_word(ignored_sections, n->name)) continue;
    if (limb_has_word(refused_sections, n->name)) {
      limb_report(m->findings, RULE_UNSUPPORTED, n->pos, about, "<%s> adds parts to the robot that limb does not read",
                  n->name);
      limb_report_hint(m->findings, "remove the section if you need the rest of the robot only");
    } else {
      limb_report_once(m->findings, RULE_UNKNOWN_TAG, n->pos, about, "MJCF has no section of this name");
    }
  }
}

// ---- actuators ------------------------------------------------------------------------------------
//
// A motor is an input: its torque is computed or given. Other actuators respond to the motion of the robot like springs
// and dampers, and these forces are missing in results.

// How an actuator acts besides being an input; NULL: it is an input only.
static const char* passive_force(const mjcf* m, mjcf_item it)
{
  static const struct {
    const char *name, *like;
  } known[] = {
    {"position", "a spring, because of its kp"},      {"velocity", "a damper, because of its kv"},
    {"intvelocity", "a spring, because of its kp"},   {"damper", "a damper, because of its kv"},
    {"dcmotor", "a damper, because of its back EMF"}, {"muscle", "a muscle, which resists when it is stretched"}};
  for (int i = 0; i < COUNT(known); i++) {
    if (strcmp(it.node->name, known[i].name) == 0) return known[i].like;
  }
  if (strcmp(it.node->name, "cylinder") == 0 && limb_xml_get(it.node, "bias"))
    return "a spring and a damper, because of its bias";
  if (strcmp(it.node->name, "general") != 0) return NULL;
  const char *bias = limb_mjcf_get(m, it, "biastype"), *gain = limb_mjcf_get(m, it, "gaintype");
  if (bias && strcmp(bias, "none") != 0) return "a spring and a damper, because of its biastype";
  return gain && strcmp(gain, "fixed") != 0 ? "a spring and a damper, because of its gaintype" : NULL;
}

// The rotor and the damper of an actuator, which its joint feels by the square of the gear.
static void add_rotor(mjcf* m, const mjcf_parts* parts, mjcf_item it)
{
  double gear[6] = {1}, armature = 0, damping[3] = {0, 0, 0};
  (void)limb_mjcf_numbers(m, it, "gear", 1, 6, gear);
  (void)limb_mjcf_numbers(m, it, "armature", 1, 1, &armature);
  (void)limb_mjcf_numbers(m, it, "damping", 1, 3, damping);
  if (armature == 0 && damping[0] == 0 && damping[1] == 0 && damping[2] == 0) return;
  const char* name = limb_mjcf_scoped(m, it.node, "joint");
  const xml_node* tendon = limb_mjcf_find_tendon(m, limb_xml_get(it.node, "tendon"));
  const int k = name ? limb_names_find(&parts->joint, name, limb_raw_joint_name, m->s) : -1;
  raw_joint* j = k >= 0 ? &m->s->joint[k] : NULL;
  if (armature < 0 || damping[0] < 0) {
    limb_mjcf_report(m, RULE_BAD_VALUE, it.node, "its armature or damping is negative");
  } else if (tendon) {
    limb_mjcf_damp_tendon(m, parts, tendon, gear[0] * gear[0] * damping[0]);
    if (armature > 0) limb_mjcf_report(m, RULE_DROPPED, it.node, "armature: limb's tendons have no inertia");
  } else if (!j || !one_dof(j->def.type)) {
    limb_mjcf_report(m, RULE_DROPPED, it.node, "armature and damping: it acts on no hinge, slide or tendon");
  } else {
    j->def.rotor_inertia += gear[0] * gear[0] * armature;
    j->def.viscous += gear[0] * gear[0] * damping[0];
  }
  if (damping[1] != 0 || damping[2] != 0)
    limb_mjcf_report(m, RULE_DROPPED, it.node, "damping: only its linear part is used");
}

static void read_actuators(mjcf* m, const mjcf_parts* parts, const xml_node* section)
{
  int inputs = 0;
  for (const xml_node* n = section->first; n; n = n->next) {
    const mjcf_item it = limb_mjcf_make_item(m, n, MJCF_GENERAL, m->model->main_class);
    add_rotor(m, parts, it);
    const char* like = passive_force(m, it);
    inputs += !like;
    if (like)
      limb_report_once(m->findings, RULE_DROPPED, n->pos, (limb_subject){"actuator", n->name},
                       "it acts like %s: these forces are not part of the model", like);
  }
  if (inputs > 0)
    limb_report_once(m->findings, RULE_IGNORED, section->pos, (limb_subject){"section", "actuator"},
                     "motors are inputs: their torques are computed or given, not part of the model");
}

// Tendons and actuators of the model, and of the models that are attached.
static void read_joint_forces(mjcf* m)
{
  const mjcf_scope* own = m->scope;
  mjcf_parts parts;
  if (!limb_mjcf_enter_parts(m, &parts)) return;
  for (const mjcf_scope* s = own; s && !m->no_memory; s = s == own ? m->attached : s->next) {
    (void)limb_mjcf_enter(m, s);
    limb_mjcf_read_tendons(m, &parts);
    for (const xml_node* n = limb_xml_child(s->model->root, "actuator"); n; n = limb_xml_next(n))
      read_actuators(m, &parts, n);
  }
  (void)limb_mjcf_enter(m, own);
}

// Makes the joint of an actuator active. 0 when it acts on something else.
static int set_driven(mjcf* m, const limb_names* t, const xml_node* n)
{
  static const char* const attributes[] = {"joint", "jointinparent"};
  for (int i = 0; i < 2; i++) {
    const char* name = limb_mjcf_scoped(m, n, attributes[i]);
    if (!name) continue;
    const int k = limb_names_find(t, name, limb_raw_joint_name, m->s);
    if (k >= 0) m->s->joint[k].def.drive = LIMB_DRIVE_ACTIVE;
    return 1;
  }
  return 0;
}

// Sets the drive of all joints that move, are no mimics and have no actuator.
static void set_rest(mjcf* m, limb_drive drive)
{
  for (int k = 0; k < m->s->njoint; k++) {
    raw_joint* j = &m->s->joint[k];
    const int own = j->def.type != LIMB_FIXED && !j->mimic;
    if (!own)
      j->def.drive = LIMB_DRIVE_AUTO;
    else if (j->def.drive == LIMB_DRIVE_AUTO)
      j->def.drive = drive;
  }
}

// In a robot with loops, joints with an actuator are active, the others passive.
static void read_drives(mjcf* m, const xml_node* root)
{
  const xml_node* section = limb_xml_child(root, "actuator");
  const xml_node* other = NULL; // an actuator that does not act on a joint
  limb_names t;
  if (m->s->nloop == 0 || !section) return;
  if (!limb_raw_joint_names(m->s, &t)) {
    m->no_memory = 1;
    return;
  }
  for (; section; section = limb_xml_next(section)) {
    for (const xml_node* n = section->first; n; n = n->next) {
      if (!set_driven(m, &t, n) && !other) other = n;
    }
  }
  set_rest(m, other ? LIMB_DRIVE_AUTO : LIMB_DRIVE_PASSIVE);
  if (other)
    limb_mjcf_report(m, RULE_ASSUMED, other,
                     "it does not act on one joint: which joints of the loops are passive is unknown");
}

// ---- names ----------------------------------------------------------------------------------------

// In MJCF sites and bodies may have the same name, in limb they may not: such a site gets the suffix "_site".
static void rename_sites(mjcf* m)
{
  limb_raw_robot* s = m->s;
  limb_names t;
  if (!limb_mempool_index_names(m->pool, &t, s->nbody, limb_raw_body_name, s)) {
    m->no_memory = 1;
    return;
  }
  for (int i = 0; i < s->nframe && !m->no_memory; i++) {
    const char* name = s->frame[i].name;
    if (strcmp(name, "world") != 0 && limb_names_find(&t, name, limb_raw_body_name, s) < 0) continue;
    const char* other = limb_mjcf_join(m, name, "_", "site");
    if (!other) return;
    s->frame[i].name = other;
    limb_report(m->findings, RULE_ASSUMED, s->frame[i].pos, (limb_subject){"site", name},
                "a body has the same name: the site is called '%s'", other);
  }
}

static void report_names(mjcf* m)
{
  if (m->unnamed > 0)
    limb_report(m->findings, RULE_ASSUMED, m->first_unnamed, (limb_subject){NULL, NULL},
                "%d bodies and joints have no name, and get names like '%s'", m->unnamed, m->first_given);
}

// ---- the file -------------------------------------------------------------------------------------

static void read_robot(mjcf* m, const xml_node* root)
{
  int bodies = 0;
  m->s->name = limb_xml_get(root, "model");
  limb_mjcf_check_attributes(m, root, "model", "xmlns:xsi xsi:noNamespaceSchemaLocation", 1);
  m->s->may_be_empty = limb_xml_child(root, "worldbody") != NULL;
  read_options(m, root);
  report_sections(m, root);
  for (const xml_node* n = limb_xml_child(root, "worldbody"); n && !m->no_memory; n = limb_xml_next(n))
    limb_mjcf_read_world(m, n, &bodies);
  if (!m->no_memory) limb_mjcf_read_equalities(m);
  read_joint_forces(m);
  read_drives(m, root);
  limb_mjcf_report_meshes(m);
  limb_mjcf_scale_mass(m);
  limb_mjcf_read_keys(m, root);
  rename_sites(m);
  limb_mjcf_settle_springs(m);
  report_names(m);
}

limb_status limb_read_mjcf(limb_source* src, const limb_read_options* opt, limb_raw_robot* s)
{
  if (limb_report_not_xml(s->findings, src->text, src->size, "MJCF")) return LIMB_E_SYNTAX;
  xml_node* root = limb_xml_parse(src->text, src->size, 0, NULL, src->pool, s->findings);
  if (!root) return limb_findings_count_from(s->findings, LIMB_ERROR) > 0 ? LIMB_E_SYNTAX : LIMB_E_NOMEM;
  if (strcmp(root->name, "mujoco") != 0) {
    limb_report(s->findings, RULE_WRONG_FORMAT, root->pos, (limb_subject){"element", root->name},
                "the root element of an MJCF file must be <mujoco>");
    limb_report_hint(s->findings, strcmp(root->name, "robot") == 0
                                    ? "this is URDF: name the file *.urdf, or use --from urdf"
                                  : strcmp(root->name, "mujocoinclude") == 0
                                    ? "this is a part of a model: read the file that has it in an <include>"
                                    : "this is another kind of XML, not a robot file");
    return LIMB_E_SYNTAX;
  }
  mjcf m = {.pool = src->pool, .findings = s->findings, .opt = opt, .files = src->files, .s = s};
  const mjcf_scope start = {.prefix = "", .suffix = ""};
  m.scope = &start;
  mjcf_model* model = limb_mjcf_begin_model(&m, root, src->files->source ? src->files->source : src->name);
  const mjcf_scope own = {.model = model, .prefix = "", .suffix = ""};
  if (model) {
    (void)limb_mjcf_enter(&m, &own);
    read_robot(&m, root);
  }
  if (m.no_memory) return LIMB_E_NOMEM;
  return limb_findings_count_from(s->findings, LIMB_ERROR) > 0 ? LIMB_E_MODEL : LIMB_OK;
}
