// SDF (sdformat.org, 1.4 to 1.12): from the tree of elements to a raw robot. A file has models, or worlds with models;
// one model is the robot. A link without a joint floats, unless its model is static.
//
// Only what affects dynamics is read, as in URDF, whose functions for values and reports are used here, too.
#include "io/read_sdf.h"

#include "io/file_text.h"
#include "io/geometry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- values ---------------------------------------------------------------------------------------

const char* limb_sdf_text(const xml_node* n, const char* child)
{
  const xml_node* c = limb_xml_child(n, child);
  return c && *c->text ? c->text : NULL;
}

int limb_sdf_number(sdf* s, const xml_node* n, const char* child, double* x)
{
  const xml_node* c = limb_xml_child(n, child);
  double found = 0;
  if (!c) return 0;
  if (limb_has_word("inf +inf", c->text)) found = HUGE_VAL;
  if (strcmp(c->text, "-inf") == 0) found = -HUGE_VAL;
  const number_list list = limb_scan_list(c->text, 1, &found);
  if (!isinf(found) && (list.bad || list.count != 1)) {
    limb_report_error(&s->r.report, RULE_BAD_NUMBER, c->pos, "<%s> must be a number, not '%.60s'", child, c->text);
    return 0;
  }
  *x = found;
  return 1;
}

int limb_sdf_flag(const xml_node* n, const char* child, int otherwise)
{
  const char* text = limb_sdf_text(n, child);
  return text ? limb_has_word("1 true True TRUE", text) : otherwise;
}

// x y z roll pitch yaw, or x y z and a quaternion.
static sp_pose read_numbers(sdf* s, const xml_node* n)
{
  double x[7] = {0};
  const char *format = limb_xml_get(n, "rotation_format"), *degrees = limb_xml_get(n, "degrees");
  const int quaternion = format && strcmp(format, "quat_xyzw") == 0, count = quaternion ? 7 : 6;
  const number_list list = limb_scan_list(n->text, count, x);
  if (list.count == 0 && !list.bad) return sp_pose_identity();
  if (list.bad || list.count != count) {
    limb_report_error(&s->r.report, RULE_BAD_NUMBER, n->pos, "<pose> must be %d numbers, not '%.60s'", count, n->text);
    return sp_pose_identity();
  }
  if (degrees && limb_has_word("true 1", degrees)) {
    for (int i = 3; i < 6; i++) x[i] *= LIMB_PI / 180;
  }
  const sp_vec3 p = sp_v3(x[0], x[1], x[2]);
  if (!quaternion) return sp_pose_make(limb_rot_rpy(x + 3), p);
  if (x[3] == 0 && x[4] == 0 && x[5] == 0 && x[6] == 0) {
    limb_report_error(&s->r.report, RULE_BAD_VALUE, n->pos, "the quaternion of <pose> is zero");
    return sp_pose_identity();
  }
  return sp_pose_make(limb_rot_quat(x[3], x[4], x[5], x[6]), p);
}

sp_pose limb_sdf_pose(sdf* s, const xml_node* parent, const char** relative)
{
  const xml_node* n = limb_xml_child(parent, "pose");
  *relative = n ? limb_xml_get(n, "relative_to") : NULL;
  if (n && !*relative) *relative = limb_xml_get(n, "frame"); // 1.5 and 1.6
  return n ? read_numbers(s, n) : sp_pose_identity();
}

// ---- links ----------------------------------------------------------------------------------------

// Moments that are not given: ones on the diagonal, as SDF has them.
static void read_moments(sdf* s, const xml_node* inertial, sp_inertia* Y)
{
  static const char* const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  double I[6] = {1, 0, 0, 1, 0, 1};
  const xml_node* n = limb_xml_child(inertial, "inertia");
  if (!n)
    limb_report_note(&s->r.report, RULE_ASSUMED, inertial->pos,
                     "<inertial> has no <inertia>: 1 kg m^2 about each axis is assumed, the default of SDF");
  for (int i = 0; n && i < 6; i++) (void)limb_sdf_number(s, n, names[i], &I[i]);
  limb_set_moments(Y, (double[]){I[0], I[1], I[2], I[3], I[4], I[5]});
}

static sp_inertia read_inertial(sdf* s, const xml_node* link)
{
  static const urdf_words words = {.attributes = "auto", .children = "mass pose inertia density auto_inertia_params"};
  const xml_node* n = limb_xml_child(link, "inertial");
  const char* relative = NULL;
  sp_inertia Y = {.mass = 1};
  if (!n) {
    limb_report_note(&s->r.report, RULE_ASSUMED, link->pos,
                     "it has no <inertial>: 1 kg and 1 kg m^2 about each axis are assumed, the defaults of SDF");
    limb_report_as(s->r.report.findings, LIMB_WARNING);
    limb_set_moments(&Y, (double[]){1, 0, 0, 1, 0, 1});
    return Y;
  }
  limb_urdf_check(&s->r, n, &words);
  const char* automatic = limb_xml_get(n, "auto");
  if (automatic && limb_has_word("true 1", automatic)) {
    limb_report_error(&s->r.report, RULE_UNSUPPORTED, n->pos, "inertias from collision shapes are not computed");
    limb_report_hint(s->r.report.findings, "write <mass> and <inertia>");
    return Y;
  }
  const sp_pose X = limb_sdf_pose(s, n, &relative);
  if (!limb_sdf_number(s, n, "mass", &Y.mass))
    limb_report_note(&s->r.report, RULE_ASSUMED, n->pos,
                     "<inertial> has no <mass>: 1 kg is assumed, the default of SDF");
  read_moments(s, n, &Y);
  return limb_inertia_move(X, Y);
}

const char* const* limb_sdf_not_read(const limb_read_options* opt)
{
  static const char *const shapes[] = {"visual", "collision", "plugin", NULL}, *const others[] = {"plugin", NULL};
  return opt->shapes ? others : shapes;
}

static int read_link(sdf* s, int frame)
{
  const sdf_frame* f = &s->frame[frame];
  const urdf_words words = {
    .attributes = "name",
    .children = "inertial pose",
    .many = s->r.opt->shapes ? "visual collision" : NULL,
    .ignored =
      "visual collision sensor light self_collide kinematic gravity enable_wind velocity_decay must_be_base_link "
      "projector audio_source audio_sink battery particle_emitter gazebo plugin"};
  s->r.report.about = (limb_subject){"link", f->name};
  limb_urdf_check(&s->r, f->node, &words);
  raw_body* b = limb_raw_add_body(s->r.raw, f->name, f->node->pos);
  if (b) b->inertia = read_inertial(s, f->node);
  return b && (!s->r.opt->shapes || limb_sdf_shapes(s, frame, s->r.raw->nbody - 1));
}

// ---- the robot ------------------------------------------------------------------------------------

static int add_frames(sdf* s)
{
  for (int i = 1; i < s->nframe; i++) {
    if (s->frame[i].kind != SDF_FRAME) continue;
    s->r.report.about = (limb_subject){"frame", s->frame[i].name};
    const sp_pose X = limb_sdf_resolve(s, i);
    const int link = limb_sdf_link_of(s, i);
    if (link < 0) continue;
    raw_frame* f = limb_raw_add_frame(s->r.raw, s->frame[i].name, s->frame[i].node->pos);
    if (!f) return 0;
    f->body = s->frame[link].name;
    f->pose = sp_compose(sp_invert(limb_sdf_resolve(s, link)), X);
  }
  return 1;
}

// With several links that nothing carries, each floats on its own; one of them is the base.
static int free_roots(sdf* s, int is_static)
{
  limb_raw_robot* raw = s->r.raw;
  int roots = 0;
  unsigned char* carried = limb_mempool_alloc(s->r.src->pool, (size_t)raw->nbody + 1);
  limb_names names;
  if (!carried || !limb_mempool_index_names(s->r.src->pool, &names, raw->nbody, limb_raw_body_name, raw)) return 0;
  for (int k = 0; k < raw->njoint; k++) {
    const int body = limb_names_find(&names, raw->joint[k].child, limb_raw_body_name, raw);
    if (body >= 0) carried[body] = 1;
  }
  for (int i = 0; i < raw->nbody; i++) roots += !carried[i];
  raw->base = roots == 1 && !is_static ? LIMB_BASE_FLOATING : LIMB_BASE_AS_FILE;
  for (int i = 0; i < raw->nbody && (roots > 1 || is_static); i++) {
    if (carried[i]) continue;
    const char* name = limb_mempool_join(s->r.src->pool, raw->body[i].name, ".joint", "");
    raw_joint* j = name ? limb_raw_add_joint(raw, name, raw->body[i].pos) : NULL;
    if (!j) return 0;
    const int frame = limb_sdf_find(s, 0, raw->body[i].name, s->frame[0].node, "the link");
    j->child = raw->body[i].name;
    j->def.type = is_static ? LIMB_FIXED : LIMB_FREE;
    if (is_static && frame >= 0) j->def.placement = sp_compose(s->world, limb_sdf_resolve(s, frame));
  }
  return 1;
}

static int read_model(sdf* s, const xml_node* model)
{
  static const urdf_words words = {
    .attributes = "name canonical_link placement_frame",
    .children = "pose static",
    .many = "link joint frame model include drake:joint drake:ball_constraint",
    .ignored = "self_collide allow_auto_disable enable_wind plugin gripper transmission drake:linear_bushing_rpy "
               "drake:collision_filter_group drake:ignore_collision_filter_groups"};
  const char* relative = NULL;
  int balls = 0;
  s->r.report.about = (limb_subject){"model", limb_xml_get(model, "name")};
  s->r.raw->name = limb_urdf_name(&s->r, model, "name", 0);
  limb_urdf_check(&s->r, model, &words);
  s->world = limb_sdf_pose(s, model, &relative);
  if (!limb_sdf_list(s, model)) return 0;
  for (int i = 0; i < s->nframe; i++) {
    if (s->frame[i].kind == SDF_LINK && !read_link(s, i)) return 0;
  }
  for (int i = 0; i < s->nframe; i++) {
    if (s->frame[i].kind == SDF_JOINT && !limb_sdf_joint(s, i)) return 0;
  }
  for (const xml_node* n = limb_xml_child(model, "drake:ball_constraint"); n; n = limb_xml_next(n)) {
    if (!limb_sdf_ball(s, n, ++balls)) return 0;
  }
  return s->nframe == 0 || (add_frames(s) && free_roots(s, limb_sdf_flag(model, "static", 0)));
}

// ---- the document ---------------------------------------------------------------------------------

static void check_version(sdf* s, const xml_node* root)
{
  const char* version = limb_xml_get(root, "version");
  char* end = NULL;
  long minor = 12;
  if (version && strncmp(version, "1.", 2) == 0) minor = strtol(version + 2, &end, 10);
  if (!end || *end || minor < 0) minor = 12;
  if (!end || *end || minor < 4 || minor > 12)
    limb_report_note(&s->r.report, RULE_UNSUPPORTED, root->pos,
                     "the version '%.20s' is not one from 1.4 to 1.12: the file is read as 1.12",
                     version ? version : "");
  s->minor = (int)minor;
}

static void list_names(sdf* s, const xml_node* world, const char* what, const char* wanted)
{
  char names[300] = "";
  size_t used = 0;
  for (const xml_node* m = limb_xml_child(world, "model"); m; m = limb_xml_next(m)) {
    const char* name = limb_xml_get(m, "name");
    if (!name || used + strlen(name) + 3 > sizeof names) continue;
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
  }
  limb_report_error(&s->r.report, RULE_NO_BODY, world->pos, what, wanted ? wanted : "");
  if (*names) limb_report_hint(s->r.report.findings, "choose one with --model-name: %s", names);
}

// The model of a file: the one that was asked for, the only one, or the only one that is not static.
static const xml_node* choose_model(sdf* s, const xml_node* world, const char* wanted)
{
  const xml_node *found = NULL, *fallback = NULL;
  int count = 0, all = 0;
  for (const xml_node* n = world->first; n; n = n->next) {
    const int included = strcmp(n->name, "include") == 0;
    const xml_node* m = included ? limb_sdf_include(s, n) : strcmp(n->name, "model") == 0 ? n : NULL;
    if (!m) continue;
    const char *given = included ? limb_sdf_text(n, "name") : NULL, *name = given ? given : limb_xml_get(m, "name");
    if (wanted ? name && strcmp(name, wanted) == 0 : !limb_sdf_flag(m, "static", 0)) {
      found = m;
      count++;
    }
    fallback = m;
    all++;
  }
  if (count == 1) return found;
  if (!wanted && all == 1) return fallback;
  list_names(s, world,
             wanted  ? "it has no model '%.60s'"
             : count ? "it has several models%s"
                     : "it has no model%s",
             wanted);
  return NULL;
}

static int read_gravity(sdf* s, const xml_node* world)
{
  double g[3] = {0, 0, -9.8};
  const xml_node* n = limb_xml_child(world, "gravity");
  if (n) {
    const number_list list = limb_scan_list(n->text, 3, g);
    if (list.bad || list.count != 3)
      limb_report_error(&s->r.report, RULE_BAD_NUMBER, n->pos, "<gravity> must be three numbers");
  }
  return limb_raw_set_gravity(s->r.raw, sp_v3(g[0], g[1], g[2]));
}

limb_status limb_read_sdf(limb_source* src, const limb_read_options* opt, limb_raw_robot* robot)
{
  sdf s = {.r = {.src = src, .opt = opt, .raw = robot, .report = {.findings = robot->findings}}};
  const int before = limb_findings_count(robot->findings);
  if (limb_report_not_xml(robot->findings, src->text, src->size, "SDF")) return LIMB_E_SYNTAX;
  const xml_node* root = limb_xml_parse(src->text, src->size, 0, limb_sdf_not_read(opt), src->pool, robot->findings);
  if (!root) return limb_findings_count(robot->findings) > before ? LIMB_E_SYNTAX : LIMB_E_NOMEM;
  if (strcmp(root->name, "sdf") != 0 && strcmp(root->name, "gazebo") != 0) {
    limb_report_error(&s.r.report, RULE_WRONG_FORMAT, root->pos,
                      "the root element is <%.60s>, but that of SDF is <sdf>", root->name);
    return LIMB_E_SYNTAX;
  }
  check_version(&s, root);
  const xml_node* world = limb_xml_child(root, "world");
  if (world && !read_gravity(&s, world)) return LIMB_E_NOMEM;
  const xml_node* model = choose_model(&s, world ? world : root, opt->model_name);
  if (model && !read_model(&s, model)) return LIMB_E_NOMEM;
  return s.r.report.errors ? LIMB_E_MODEL : LIMB_OK;
}
