// limb YAML to a raw robot: the top of the file, bodies and frames. docs/model-files.md is the reference.
#include "io/read_yaml.h"

#include "io/geometry.h"

#include <stdio.h>
#include <string.h>

// ---- the top --------------------------------------------------------------------------------------

// The index of one of the words, in *index; a key that is given, but faulty, counts as reported.
static void read_form(yaml_reader* r, const yml_node* n, const char* words, yaml_form first, yaml_form* form)
{
  int i = 0;
  if (n) *form = FORM_REPORTED;
  if (limb_yml_choice(&r->report, n, words, &i)) *form = (yaml_form)((int)first + i);
}

// The home of the tool, for screws in its axes.
static void read_tool(yaml_reader* r, const yml_node* n)
{
  r->tool = sp_pose_identity();
  if (n && r->poe != FORM_TOOL && r->poe != FORM_REPORTED)
    limb_report_error(&r->report, RULE_BAD_VALUE, n->key_pos,
                      "tool is the home of the frame of screws with 'poe: tool'");
  if (n && !limb_yaml_pose_value(r, n, &r->tool)) r->poe = FORM_REPORTED;
  if (n || r->poe != FORM_TOOL) return;
  limb_report_error(
    &r->report, RULE_MISSING_KEY, at_line(1, 1),
    "with 'poe: tool' the file must state 'tool: {xyz, rpy}' at its top, the pose of the tool at q = 0");
  r->poe = FORM_REPORTED;
}

static void read_top(yaml_reader* r, const yml_node* root)
{
  static const limb_base bases[] = {LIMB_BASE_FIXED, LIMB_BASE_FLOATING, LIMB_BASE_PLANAR};
  int i = 0;
  r->report.about = (limb_subject){NULL, NULL};
  limb_yml_check_keys(
    &r->report, root,
    "limb name gravity base angles dh poe tool loop_tolerance bodies joints shafts tendons frames loops poses shapes");
  limb_yml_check_schema(&r->report, root, "limb", LIMB_YAML_SCHEMA, "limb YAML");
  if (limb_yml_choice(&r->report, limb_yml_get(root, "base"), "fixed floating planar", &i)) r->raw->base = bases[i];
  if (limb_yml_choice(&r->report, limb_yml_get(root, "angles"), "radians degrees", &i) && i == 1)
    r->angle = LIMB_PI / 180;
  read_form(r, limb_yml_get(root, "dh"), "modified standard", FORM_MODIFIED, &r->dh);
  read_form(r, limb_yml_get(root, "poe"), "space body tool", FORM_SPACE, &r->poe);
  read_tool(r, limb_yml_get(root, "tool"));
  r->raw->form = r->poe >= FORM_SPACE     ? LIMB_FORM_POE
                 : r->dh == FORM_MODIFIED ? LIMB_FORM_MDH
                 : r->dh == FORM_STANDARD ? LIMB_FORM_DH
                                          : LIMB_FORM_POSES;
  (void)limb_yml_text(&r->report, limb_yml_get(root, "name"), &r->raw->name);
  sp_vec3 g;
  if (limb_yaml_vec3(r, limb_yml_get(root, "gravity"), "m/s^2", &g))
    r->out_of_memory |= !limb_raw_set_gravity(r->raw, g);
  const yml_node* open = limb_yml_get(root, "loop_tolerance");
  if (!limb_yml_quantity(&r->report, open, "m", &r->raw->loop_tolerance)) return;
  if (r->raw->loop_tolerance > 0 && r->raw->loop_tolerance <= LIMB_LOOP_TOLERANCE_MAX) return;
  limb_report_error(&r->report, RULE_BAD_NUMBER, open->pos, "loop_tolerance must be above zero and at most %g",
                    LIMB_LOOP_TOLERANCE_MAX);
  r->raw->loop_tolerance = 0;
}

// ---- bodies ------------------------------------------------------------------------------------------

int limb_yaml_begin(yaml_reader* r, const yml_node* n, const char* kind, const char* keys, const char** name)
{
  *name = "";
  r->report.about = (limb_subject){kind, NULL};
  if (!limb_yml_is(&r->report, n, YML_MAP)) return 0;
  if (limb_yml_text(&r->report, limb_yml_get(n, "name"), name)) r->report.about.name = *name;
  limb_yml_check_keys(&r->report, n, keys);
  return 1;
}

static const char* home_name(const void* homes, int i) { return ((const yaml_home*)homes)[i].body; }

yaml_home* limb_yaml_find_home(const yaml_reader* r, const char* body)
{
  const int i = r->home ? limb_names_find(&r->home_names, body, home_name, r->home) : -1;
  return i < 0 ? NULL : &r->home[i];
}

static void read_body(yaml_reader* r, const yml_node* n)
{
  const char* name;
  if (!limb_yaml_begin(r, n, r->raw->words.body, "name " YAML_INERTIA_KEYS " home", &name)) return;
  if (strcmp(name, "world") == 0) {
    limb_report_error(&r->report, RULE_DUPLICATE_NAME, n->pos,
                      "'world' is the ground, which always exists: remove this body");
    return;
  }
  raw_body* b = limb_raw_add_body(r->raw, name, n->pos);
  r->out_of_memory |= !b;
  if (!b) return;
  limb_yaml_inertia(r, n, &b->inertia);
  const yml_node* home = limb_yml_get(n, "home");
  yaml_home* homes = r->home;
  sp_pose M;
  if (limb_yaml_pose_value(r, home, &M) && homes && *name && !limb_yaml_find_home(r, name)) {
    homes[r->nhome] = (yaml_home){name, home->pos, M, false};
    limb_names_put(&r->home_names, name, r->nhome++);
  }
}

// ---- frames -----------------------------------------------------------------------------------------

static void read_frame(yaml_reader* r, const yml_node* n)
{
  const char* name;
  if (!limb_yaml_begin(r, n, r->raw->words.frame, "name body " YAML_POSE_KEYS, &name)) return;
  raw_frame* f = limb_raw_add_frame(r->raw, name, n->pos);
  r->out_of_memory |= !f;
  if (!f) return;
  f->body = "world"; // reports nothing more after an error
  (void)limb_yml_text(&r->report, limb_yml_need(&r->report, n, "body"), &f->body);
  (void)limb_yaml_pose(r, n, &f->pose);
}

// ---- lists ------------------------------------------------------------------------------------------

// Every entry of a list; NULL and a key without a value are empty lists.
static void read_list(yaml_reader* r, const yml_node* n, void (*read)(yaml_reader*, const yml_node*))
{
  r->report.about = (limb_subject){NULL, NULL};
  if (!n || (n->kind == YML_SCALAR && !*n->text && !n->quoted)) return;
  if (!limb_yml_is(&r->report, n, YML_LIST)) return;
  for (const yml_node* entry = n->first; entry && !r->out_of_memory; entry = entry->next) read(r, entry);
}

// Space for the homes.
static void make_homes(yaml_reader* r, const yml_node* bodies)
{
  int count = 0;
  for (const yml_node* n = bodies && bodies->kind == YML_LIST ? bodies->first : NULL; n; n = n->next)
    count += limb_yml_get(n, "home") != NULL;
  if (count == 0) return;
  r->home = limb_mempool_alloc(r->pool, (size_t)count * sizeof *r->home);
  r->out_of_memory = !r->home || !limb_mempool_new_names(r->pool, &r->home_names, count);
}

// A joint of a pose: a number, or the list of its coordinates.
static void read_held(yaml_reader* r, const yml_node* n)
{
  const int k = limb_names_find(&r->joint_names, n->key, limb_raw_joint_name, r->raw), list = n->kind == YML_LIST;
  const limb_joint_type type = k < 0 ? LIMB_REVOLUTE : r->raw->joint[k].def.type;
  double q[7] = {0};
  if (list && (n->count > 7 || !limb_yml_numbers(&r->report, n, n->count, q))) return;
  if (!list && turns(type) && !limb_yml_angle(&r->report, n, r->angle, q)) return;
  if (!list && !turns(type) && !limb_yml_quantity(&r->report, n, "m", q)) return;
  if (!limb_raw_hold(r->raw, n->key, list ? n->count : 1, q)) r->out_of_memory = true;
}

// poses: {home: {elbow: 90deg}}
static void read_poses(yaml_reader* r, const yml_node* poses)
{
  r->report.about = (limb_subject){"poses", NULL};
  if (!poses || !limb_yml_is(&r->report, poses, YML_MAP)) return;
  for (const yml_node* pose = poses->first; pose && !r->out_of_memory; pose = pose->next) {
    r->report.about = (limb_subject){"pose", pose->key};
    if (!limb_yml_is(&r->report, pose, YML_MAP)) continue;
    if (!limb_raw_add_pose(r->raw, pose->key, pose->key_pos)) r->out_of_memory = true;
    for (const yml_node* n = pose->first; n && !r->out_of_memory; n = n->next) read_held(r, n);
  }
}

// Shafts, tendons, loops and poses, which refer to joints by name.
static void read_connections(yaml_reader* r, const yml_node* root)
{
  const yml_node *shafts = limb_yml_get(root, "shafts"), *loops = limb_yml_get(root, "loops");
  const yml_node *tendons = limb_yml_get(root, "tendons"), *poses = limb_yml_get(root, "poses");
  if (!shafts && !loops && !tendons && !poses) return;
  r->out_of_memory |= !limb_raw_joint_names(r->raw, &r->joint_names);
  if (!r->out_of_memory) read_list(r, shafts, limb_yaml_shaft);
  if (!r->out_of_memory) read_list(r, tendons, limb_yaml_tendon);
  if (!r->out_of_memory) read_list(r, loops, limb_yaml_loop);
  if (!r->out_of_memory) read_poses(r, poses);
}

// What is wrong with shapes does not affect the robot.
static void read_shapes(yaml_reader* r, const yml_node* shapes)
{
  const int before = limb_findings_count(r->report.findings), errors = r->report.errors;
  r->out_of_memory |= !limb_mempool_index_names(r->pool, &r->body_names, r->raw->nbody, limb_raw_body_name, r->raw);
  if (!r->out_of_memory) read_list(r, shapes, limb_yaml_shape);
  limb_report_mildly(r->report.findings, before);
  r->report.errors = errors;
}

// ---- the robot as a whole -----------------------------------------------------------------------------

// A body without a joint lies at the origin of the world, whatever its home is.
static void check_homes(yaml_reader* r)
{
  for (int i = 0; i < r->nhome; i++) {
    const yaml_home* home = &r->home[i];
    if (home->carried || limb_is_identity(&home->pose)) continue;
    r->report.about = (limb_subject){r->raw->words.body, home->body};
    limb_report_error(&r->report, RULE_BAD_VALUE, home->pos,
                      "no joint carries this body: it lies at the origin of the world, but its home is elsewhere");
    limb_report_hint(r->report.findings, "add a joint with parent world, such as {type: fixed}");
  }
}

static const char* child_of(const void* s, int k) { return ((const limb_raw_robot*)s)->joint[k].child; }

// 1 when a body is not the child of a joint.
static bool has_root(yaml_reader* r)
{
  const limb_raw_robot* s = r->raw;
  limb_names children;
  if (!limb_mempool_index_names(r->pool, &children, s->njoint, child_of, s)) {
    r->out_of_memory = true;
    return true;
  }
  for (int i = 0; i < s->nbody; i++) {
    if (limb_names_find(&children, s->body[i].name, child_of, s) < 0) return true;
  }
  return false;
}

static void check_base(yaml_reader* r, const yml_node* base)
{
  static const char text[] = "base attaches a body without joint to the world, but every body has a joint";
  r->report.about = (limb_subject){NULL, NULL};
  if (!base || r->raw->nbody == 0 || has_root(r) || r->raw->base == LIMB_BASE_AS_FILE) return; // AS_FILE: reported
  if (r->raw->base == LIMB_BASE_FIXED) {
    limb_report_note(&r->report, RULE_IGNORED, base->key_pos, "%s", text);
    return;
  }
  limb_report_error(&r->report, RULE_BAD_VALUE, base->key_pos, "%s", text);
  limb_report_hint(r->report.findings, "remove the key, or the joint of the root");
  r->raw->base = LIMB_BASE_AS_FILE; // report it once
}

static void note_axes(const yaml_reader* r)
{
  if (r->axisless == 0) return;
  char others[48] = "";
  if (r->axisless > 1) (void)snprintf(others, sizeof others, "; so for %d more", r->axisless - 1);
  limb_report(r->report.findings, RULE_ASSUMED, r->first_axisless.pos,
              (limb_subject){r->raw->words.joint, r->first_axisless.joint},
              "it has no axis: 0 0 1 is assumed, the default of limb YAML%s", others);
}

// A number may be cut off without a trace, except that the end of the line is missing.
static void check_end(const yaml_reader* r, const limb_source* src)
{
  if (src->size == 0 || src->text[src->size - 1] == '\n') return;
  int line = 1;
  for (size_t i = 0; i < src->size; i++) line += src->text[i] == '\n';
  limb_report(r->report.findings, RULE_ASSUMED, at_line(line, 1), (limb_subject){NULL, NULL},
              "the last line does not end: the file is assumed to be complete");
  limb_report_hint(r->report.findings, "end the file with a newline, if it is not cut off");
}

limb_status limb_read_yaml(limb_source* src, const limb_read_options* opt, limb_raw_robot* s)
{
  yaml_reader r = {.report = {.findings = s->findings}, .pool = src->pool, .raw = s, .angle = 1, .src = src};
  const yml_node* root = NULL;
  const limb_status status = limb_yaml_parse(src->text, src->size, src->pool, &r.report, &root);
  if (status) return status;
  if (root->kind != YML_MAP) {
    limb_report_error(&r.report, RULE_WRONG_FORMAT, root->pos,
                      "this is not a robot: a limb YAML file is a mapping that begins with 'limb: %d'",
                      LIMB_YAML_SCHEMA);
    return LIMB_E_SYNTAX;
  }
  const int before = r.report.errors;
  read_top(&r, root);
  const yml_node* bodies = limb_yml_get(root, "bodies");
  if (!bodies && r.report.errors == before) // otherwise the key may be mistyped
    (void)limb_yml_need(&r.report, root, "bodies");
  make_homes(&r, bodies);
  read_list(&r, bodies, read_body);
  if (bodies && bodies->count == 0 && r.report.errors == before)
    limb_report_error(&r.report, RULE_NO_BODY, bodies->pos, "the list of bodies is empty");
  read_list(&r, limb_yml_get(root, "joints"), limb_yaml_joint);
  read_connections(&r, root);
  read_list(&r, limb_yml_get(root, "frames"), read_frame);
  if (opt->shapes) read_shapes(&r, limb_yml_get(root, "shapes"));
  check_homes(&r);
  check_base(&r, limb_yml_get(root, "base"));
  note_axes(&r);
  check_end(&r, src);
  if (r.out_of_memory) return LIMB_E_NOMEM;
  return r.report.errors ? LIMB_E_MODEL : LIMB_OK;
}
