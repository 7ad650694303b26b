// URDF (wiki.ros.org/urdf/XML, and the additions of versions 1.1 and 1.2): from the tree of elements to a
// sketch.
//
// Only what bears on dynamics is read; meshes are never looked for. All that is wrong is reported, so that
// reading goes on after an error. What the whole must fulfil (names, tree, mimics) is checked on the sketch.
#include "io/read_urdf_impl.h"

#include "io/stray.h"

#include <string.h>

// ---- limb's own element of the robot --------------------------------------------------------------

static limb_base read_base(urdf_reader* r, limb_subject about, const xml_node* n)
{
  const char* base = limb_xml_get(n, "base");
  if (!base) return LIMB_BASE_AS_FILE;
  if (strcmp(base, "fixed") == 0) return LIMB_BASE_FIXED;
  if (strcmp(base, "floating") == 0) return LIMB_BASE_FLOATING;
  if (strcmp(base, "planar") == 0) return LIMB_BASE_PLANAR;
  limb_urdf_error(r, RULE_BAD_VALUE, limb_urdf_mark(r, n, "base"), about,
                  "base=\"%.60s\": it is fixed, floating or planar", base);
  return LIMB_BASE_AS_FILE;
}

static int read_extension(urdf_reader* r, limb_subject about, const xml_node* root)
{
  static const char* const attributes[] = {"gravity", "base", NULL};
  static const char* const many[] = {"shaft", NULL};
  static const urdf_words words = {.attribute = attributes, .many = many, .strict = 1};
  const xml_node* n = limb_xml_child(root, "limb");
  sp_vec3 g;
  if (!n) return 1;
  limb_urdf_check(r, about, n, &words);
  r->sketch->base = read_base(r, about, n);
  for (const xml_node* x = limb_xml_child(n, "shaft"); x; x = limb_xml_next(x)) {
    if (!limb_urdf_shaft(r, x)) return 0;
  }
  if (limb_urdf_vector(r, about, n, "gravity", &g) <= 0) return 1;
  sp_vec3* gravity = limb_store_take(r->sketch->pool, sizeof *gravity);
  if (!gravity) return 0;
  *gravity = g;
  r->sketch->gravity = gravity;
  return 1;
}

// ---- the robot ------------------------------------------------------------------------------------

static void check_version(urdf_reader* r, limb_subject about, const xml_node* root)
{
  static const char* const known[] = {"1", "1.0", "1.1", "1.2"};
  const char* version = limb_xml_get(root, "version");
  if (!version) return;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strcmp(version, known[i]) == 0) return;
  }
  limb_report(r->findings, RULE_UNSUPPORTED, limb_urdf_mark(r, root, "version"), about,
              "version '%.60s' of URDF is not known: it is read as version 1.2", version);
  limb_report_as(r->findings, LIMB_WARNING);
  limb_report_hint(r->findings, "check the number; if it is right, a newer limb may know what is new in it");
}

static size_t count_children(const xml_node* root, const char* name)
{
  size_t count = 0;
  for (const xml_node* n = limb_xml_child(root, name); n; n = limb_xml_next(n)) count++;
  return count;
}

// Room for all links and joints, and for what the <inertia> tags of links say; 0 when out of memory.
static int reserve(urdf_reader* r, const xml_node* root)
{
  limb_sketch* s = r->sketch;
  size_t links = count_children(root, "link"), joints = count_children(root, "joint");
  if (links > LIMB_SKETCH_MOST) links = LIMB_SKETCH_MOST; // the sketch refuses more
  if (joints > LIMB_SKETCH_MOST) joints = LIMB_SKETCH_MOST;
  s->body = limb_store_take(s->pool, (links + 1) * sizeof *s->body);
  s->joint = limb_store_take(s->pool, (joints + 1) * sizeof *s->joint);
  r->src->tag = limb_store_take(r->src->pool, (links + 1) * sizeof *r->src->tag);
  if (!s->body || !s->joint || !r->src->tag) return 0;
  s->body_cap = (int)links + 1;
  s->joint_cap = (int)joints + 1;
  r->src->ntag = 0;
  return 1;
}

static int read_elements(urdf_reader* r, const xml_node* root)
{
  for (const xml_node* n = root->first; n; n = n->next) {
    if (strcmp(n->name, "link") == 0 && !limb_urdf_link(r, n)) return 0;
    if (strcmp(n->name, "joint") == 0 && !limb_urdf_joint(r, n)) return 0;
    if (limb_urdf_is_loop(n) && !limb_urdf_loop(r, n)) return 0;
  }
  return 1;
}

// 0 when out of memory.
static int read_robot(urdf_reader* r, const xml_node* root)
{
  static const char* const attributes[] = {"name", "version", NULL};
  static const char* const children[] = {"limb", NULL};
  static const char* const many[] = {"link", "joint", "transmission", "loop_joint", "loop", "constraint", NULL};
  static const char* const ignored[] = {"gazebo", "material",    "sensor",       "ros2_control", "mujoco",
                                        "group",  "group_state", "self_collide", "plugin",       NULL};
  static const urdf_words words = {.attribute = attributes, .child = children, .many = many, .ignored = ignored};
  const limb_subject about = {"robot", limb_xml_get(root, "name")};
  r->sketch->name = limb_urdf_name(r, about, root, "name", 0);
  if (!r->sketch->name)
    limb_report(r->findings, RULE_ASSUMED, root->mark, (limb_subject){"robot", NULL}, "the robot has no name");
  check_version(r, about, root);
  limb_urdf_check(r, about, root, &words);
  return read_extension(r, about, root) && reserve(r, root) && read_elements(r, root) &&
         limb_urdf_transmissions(r, root);
}

// ---- the file -------------------------------------------------------------------------------------

static void report_root(urdf_reader* r, const xml_node* root)
{
  const limb_subject about = {"element", root->name};
  if (strcmp(root->name, "mujoco") == 0) {
    limb_urdf_error(r, RULE_WRONG_FORMAT, root->mark, about, "the root element is <mujoco>: this is MJCF, not URDF");
    limb_report_hint(r->findings, "name the file *.xml or *.mjcf, or give --from mjcf");
  } else if (strcmp(root->name, "sdf") == 0 || strcmp(root->name, "gazebo") == 0) {
    limb_urdf_error(r, RULE_UNSUPPORTED, root->mark, about, "the root element is <%s>: this is SDF, which is not read",
                    root->name);
    limb_report_hint(r->findings, "convert it to URDF first, or take the URDF that it was made from");
  } else {
    limb_urdf_error(r, RULE_WRONG_FORMAT, root->mark, about,
                    "the root element is <%.60s>, and that of a URDF is <robot>", root->name);
    limb_report_hint(r->findings, "this is XML of another kind: the file of the robot begins with "
                                  "<robot name=...> (URDF) or <mujoco> (MJCF)");
  }
}

limb_status limb_read_urdf(limb_source* src, const limb_read_options* opt, limb_sketch* s)
{
  urdf_reader r = {.src = src, .opt = opt, .sketch = s, .findings = s->findings};
  const int before = limb_findings_count(s->findings);
  if (limb_report_not_xml(s->findings, src->text, src->size, "URDF")) return LIMB_E_SYNTAX;
  s->own_world = 1;
  static const char* const not_dynamics[] = {"visual", "collision", "gazebo", NULL};
  const xml_node* root = limb_xml_parse(src->text, src->size, not_dynamics, src->pool, s->findings);
  if (!root) return limb_findings_count(s->findings) > before ? LIMB_E_SYNTAX : LIMB_E_NOMEM;
  if (strcmp(root->name, "robot") != 0) {
    report_root(&r, root);
    return LIMB_E_SYNTAX;
  }
  r.template = !limb_xml_child(root, "link");
  if (!read_robot(&r, root)) return LIMB_E_NOMEM;
  if (r.expressions > 1)
    limb_urdf_error(&r, RULE_XACRO, (limb_mark){0, 0}, (limb_subject){NULL, NULL},
                    "%d more value%s expressions of xacro", r.expressions - 1,
                    r.expressions == 2 ? " holds" : "s hold");
  return r.errors ? LIMB_E_MODEL : LIMB_OK;
}
