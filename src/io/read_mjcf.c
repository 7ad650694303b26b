// MJCF, the language of MuJoCo: the part that is dynamics. Bodies, joints, inertia given or derived from
// geoms, armature, damping, friction, springs, default classes, equalities; sites become frames.
// Everything else is reported, once each.
#include "io/read_mjcf_impl.h"

#include "io/stray.h"

#include <string.h>

// ---- <compiler> and <option> ----------------------------------------------------------------------

static void take_eulerseq(mjcf* m, const xml_node* n)
{
  const char* text = limb_xml_get(n, "eulerseq");
  if (!text) return;
  if (strlen(text) == 3 && strspn(text, "xyzXYZ") == 3)
    m->eulerseq = text;
  else
    limb_report(m->findings, RULE_BAD_VALUE, n->mark, limb_mjcf_subject(n),
                "eulerseq=\"%.20s\" should be three letters of x, y, z, X, Y, Z", text);
}

static void take_compiler(mjcf* m, const xml_node* n)
{
  const mjcf_item it = limb_mjcf_plain(n);
  const double degree = 3.14159265358979323846 / 180;
  double range[2] = {m->group_min, m->group_max};
  limb_mjcf_check_attributes(m, n,
                             "angle coordinate eulerseq autolimits inertiafromgeom inertiagrouprange "
                             "boundmass boundinertia balanceinertia settotalmass",
                             "strippath fitaabb meshdir texturedir assetdir discardvisual convexhull "
                             "usethread fusestatic exactmeshinertia alignfree saveinertial savecompiled",
                             0);
  if (limb_xml_get(n, "angle")) m->angle = limb_mjcf_word(m, it, "angle", "radian degree", 1) ? degree : 1;
  if (limb_mjcf_word(m, it, "coordinate", "local global", 0)) {
    limb_report(m->findings, RULE_UNSUPPORTED, n->mark, limb_mjcf_subject(n),
                "coordinate=\"global\" is not read, and MuJoCo itself has given it up");
    limb_report_hint(m->findings, "MuJoCo before 2.3.4 saves such a file with local coordinates: "
                                  "compile model.xml saved.xml");
  }
  take_eulerseq(m, n);
  m->autolimits = limb_mjcf_word(m, it, "autolimits", "false true", m->autolimits);
  m->from_geom = (mjcf_from_geom)limb_mjcf_word(m, it, "inertiafromgeom", "false true auto", (int)m->from_geom);
  (void)limb_mjcf_numbers(m, it, "inertiagrouprange", 2, 2, range);
  m->group_min = range[0];
  m->group_max = range[1];
  (void)limb_mjcf_numbers(m, it, "boundmass", 1, 1, &m->boundmass);
  (void)limb_mjcf_numbers(m, it, "boundinertia", 1, 1, &m->boundinertia);
  (void)limb_mjcf_numbers(m, it, "settotalmass", 1, 1, &m->totalmass);
  m->balance = limb_mjcf_word(m, it, "balanceinertia", "false true", m->balance);
}

// Forces of the medium and switches that change passive forces.
static void note_option(mjcf* m, const xml_node* n)
{
  static const char* const medium[] = {"wind", "density", "viscosity"};
  static const char* const switches[] = {"spring", "damper", "passive", "frictionloss"};
  for (size_t i = 0; i < sizeof medium / sizeof *medium; i++) {
    double x[3] = {0, 0, 0};
    (void)limb_mjcf_numbers(m, limb_mjcf_plain(n), medium[i], 1, 3, x);
    if (x[0] != 0 || x[1] != 0 || x[2] != 0)
      limb_report(m->findings, RULE_DROPPED, n->mark, limb_mjcf_subject(n), "%s: there are no forces of a medium here",
                  medium[i]);
  }
  const xml_node* flag = limb_xml_child(n, "flag");
  if (!flag) return;
  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
    const char* value = limb_xml_get(flag, switches[i]);
    if (value && strcmp(value, "disable") == 0)
      limb_report(m->findings, RULE_DROPPED, flag->mark, limb_mjcf_subject(flag),
                  "%s=\"disable\": the figures of the joints count here all the same", switches[i]);
  }
}

static void take_option(mjcf* m, const xml_node* n, sp_vec3* gravity)
{
  double g[3] = {gravity->x, gravity->y, gravity->z};
  limb_mjcf_check_attributes(
    m, n, "gravity wind density viscosity",
    "timestep apirate impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance mpr_tolerance "
    "sleep_tolerance magnetic o_margin o_solref o_solimp o_friction integrator collision cone "
    "jacobian solver iterations ls_iterations noslip_iterations ccd_iterations mpr_iterations "
    "sdf_iterations sdf_initpoints actuatorgroupdisable",
    0);
  (void)limb_mjcf_numbers(m, limb_mjcf_plain(n), "gravity", 3, 3, g);
  *gravity = sp_v3(g[0], g[1], g[2]);
  const xml_node* flag = limb_xml_child(n, "flag");
  const char* off = flag ? limb_xml_get(flag, "gravity") : NULL;
  if (off && strcmp(off, "disable") == 0) {
    *gravity = sp_v3(0, 0, 0);
    limb_report(m->findings, RULE_ASSUMED, flag->mark, limb_mjcf_subject(flag),
                "gravity is switched off in the file: it is 0 0 0");
  }
  note_option(m, n);
}

static void take_settings(mjcf* m, const xml_node* root)
{
  sp_vec3* gravity = limb_store_take(m->pool, sizeof *gravity);
  if (!gravity) {
    m->no_memory = 1;
    return;
  }
  *gravity = sp_v3(0, 0, -9.81);
  for (const xml_node* n = limb_xml_child(root, "compiler"); n; n = limb_xml_next(n)) take_compiler(m, n);
  for (const xml_node* n = limb_xml_child(root, "option"); n; n = limb_xml_next(n)) take_option(m, n, gravity);
  m->s->gravity = gravity;
}

// ---- other sections -------------------------------------------------------------------------------

typedef enum section { READ, IGNORED, REFUSED, UNKNOWN } section;

static section kind_of_section(const char* name)
{
  static const struct {
    const char* name;
    section kind;
  } known[] = {{"compiler", READ},      {"option", READ},       {"default", READ},   {"worldbody", READ},
               {"equality", READ},      {"tendon", IGNORED},    {"actuator", READ},  {"contact", IGNORED},
               {"sensor", IGNORED},     {"asset", IGNORED},     {"visual", IGNORED}, {"keyframe", IGNORED},
               {"size", IGNORED},       {"statistic", IGNORED}, {"custom", IGNORED}, {"extension", IGNORED},
               {"deformable", REFUSED}, {"include", REFUSED}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(name, known[i].name) == 0) return known[i].kind;
  }
  return UNKNOWN;
}

static void note_sections(mjcf* m, const xml_node* root)
{
  for (const xml_node* n = root->first; n; n = n->next) {
    switch (kind_of_section(n->name)) {
    case READ: break;
    case IGNORED:
      limb_report_once(m->findings, RULE_IGNORED, n->mark, (limb_subject){"section", n->name},
                       "it is not part of the dynamics of the robot");
      break;
    case REFUSED:
      limb_report(m->findings, RULE_UNSUPPORTED, n->mark, (limb_subject){"section", n->name},
                  "<%s> adds to the robot what limb does not read", n->name);
      if (strcmp(n->name, "include") == 0)
        limb_report_hint(m->findings, "paste the included file here, or let MuJoCo do it: compile "
                                      "model.xml saved.xml");
      else
        limb_report_hint(m->findings, "remove the section if the rest of the robot is what you need");
      break;
    case UNKNOWN:
      limb_report_once(m->findings, RULE_UNKNOWN_TAG, n->mark, (limb_subject){"section", n->name},
                       "MJCF has no section of this name");
      break;
    }
  }
}

// ---- names ----------------------------------------------------------------------------------------

static const char* body_name(const void* context, int i) { return ((const limb_sketch*)context)->body[i].name; }

// Sites and bodies have name spaces of their own in MJCF, not in limb: a site that is called like a body
// gets "_site" behind its name.
static void rename_sites(mjcf* m)
{
  limb_sketch* s = m->s;
  limb_names t;
  const size_t capacity = limb_names_capacity((size_t)s->nbody);
  int* slot = limb_store_take(m->pool, capacity * sizeof *slot);
  if (!slot) {
    m->no_memory = 1;
    return;
  }
  limb_names_clear(&t, slot, capacity);
  for (int i = 0; i < s->nbody; i++) {
    if (limb_names_find(&t, s->body[i].name, body_name, s) < 0) limb_names_put(&t, s->body[i].name, i);
  }
  for (int i = 0; i < s->nframe && !m->no_memory; i++) {
    const char* name = s->frame[i].name;
    if (strcmp(name, "world") != 0 && limb_names_find(&t, name, body_name, s) < 0) continue;
    const char* other = limb_mjcf_join(m, name, "_", "site");
    if (!other) return;
    s->frame[i].name = other;
    limb_report(m->findings, RULE_ASSUMED, s->frame[i].mark, (limb_subject){"site", name},
                "there is a body of this name: the site is called '%s' here", other);
  }
}

static void note_names(mjcf* m)
{
  if (m->unnamed > 0)
    limb_report(m->findings, RULE_ASSUMED, m->first_unnamed, (limb_subject){NULL, NULL},
                "%d bodies and joints have no name, and are called like '%s'", m->unnamed, m->first_given);
}

// ---- the file -------------------------------------------------------------------------------------

static void take_robot(mjcf* m, const xml_node* root)
{
  int bodies = 0;
  m->s->name = limb_xml_get(root, "model");
  limb_mjcf_check_attributes(m, root, "model", "xmlns:xsi xsi:noNamespaceSchemaLocation", 1);
  take_settings(m, root);
  limb_mjcf_take_defaults(m, root);
  note_sections(m, root);
  for (const xml_node* n = limb_xml_child(root, "worldbody"); n && !m->no_memory; n = limb_xml_next(n))
    limb_mjcf_take_world(m, n, &bodies);
  if (!m->no_memory) limb_mjcf_take_equalities(m, root);
  for (const xml_node* n = limb_xml_child(root, "tendon"); n; n = limb_xml_next(n)) limb_mjcf_take_tendons(m, n);
  for (const xml_node* n = limb_xml_child(root, "actuator"); n; n = limb_xml_next(n)) limb_mjcf_take_actuators(m, n);
  limb_mjcf_mark_drives(m, root);
  limb_mjcf_scale_mass(m);
  rename_sites(m);
  note_names(m);
}

limb_status limb_read_mjcf(limb_source* src, const limb_read_options* opt, limb_sketch* s)
{
  if (limb_report_not_xml(s->findings, src->text, src->size, "MJCF")) return LIMB_E_SYNTAX;
  const xml_node* root = limb_xml_parse(src->text, src->size, NULL, src->pool, s->findings);
  if (!root) return limb_findings_count_from(s->findings, LIMB_ERROR) > 0 ? LIMB_E_SYNTAX : LIMB_E_NOMEM;
  if (strcmp(root->name, "mujoco") != 0) {
    limb_report(s->findings, RULE_WRONG_FORMAT, root->mark, (limb_subject){"element", root->name},
                "the root of an MJCF file is <mujoco>");
    limb_report_hint(s->findings, strcmp(root->name, "robot") == 0
                                    ? "this is URDF: name the file *.urdf, or give --from urdf"
                                    : "this is XML of another kind, and not the file of a robot");
    return LIMB_E_SYNTAX;
  }
  mjcf m = {.pool = src->pool,
            .findings = s->findings,
            .opt = opt,
            .s = s,
            .angle = 3.14159265358979323846 / 180,
            .eulerseq = "xyz",
            .autolimits = 1,
            .from_geom = MJCF_WHEN_NEEDED,
            .group_max = 5,
            .totalmass = -1};
  take_robot(&m, root);
  if (m.no_memory) return LIMB_E_NOMEM;
  return limb_findings_count_from(s->findings, LIMB_ERROR) > 0 ? LIMB_E_MODEL : LIMB_OK;
}
