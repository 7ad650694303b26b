// Named configurations: filling them in, those of SRDF and of MJCF, and whether they fit the robot.
#include "limb/read.h"

#include "base/number.h"
#include "io/file_text.h"
#include "io/properties.h"
#include "io/read_mjcf.h"
#include "io/reading.h"

#include <math.h>
#include <string.h>

// ---- filling --------------------------------------------------------------------------------------

int limb_raw_add_pose(limb_raw_robot* s, const char* name, file_pos at)
{
  for (int i = 0; i < s->npose; i++) {
    if (strcmp(s->pose[i].name, name) != 0) continue;
    const raw_pose last = s->pose[s->npose - 1]; // the one that is filled in is the last
    s->pose[s->npose - 1] = s->pose[i], s->pose[i] = last;
    return 1;
  }
  raw_pose* all = limb_mempool_grow(s->pool, s->pose, &s->pose_cap, s->npose, sizeof *all);
  if (!all) return 0;
  s->pose = all;
  s->pose[s->npose++] = (raw_pose){.name = name, .pos = at};
  return 1;
}

int limb_raw_hold(limb_raw_robot* s, const char* joint, int count, const double* q)
{
  raw_pose* p = &s->pose[s->npose - 1];
  limb_pose_value* all = limb_mempool_grow(s->pool, p->value, &p->value_cap, p->nvalue, sizeof *all);
  if (!all) return 0;
  p->value = all;
  limb_pose_value* v = &all[p->nvalue++];
  *v = (limb_pose_value){.joint = joint, .count = count};
  for (int k = 0; k < count && k < 7; k++) v->q[k] = q[k];
  return 1;
}

// ---- whether they fit -----------------------------------------------------------------------------

// Numbers of a joint; 0 for one that is fixed or follows another, -1 for none.
static int numbers_of(const limb_builder* b, const char* joint, limb_joint_def* def)
{
  static const int nq[] = {
#define LIMB_X(name, value, text, nq, nv) [value] = (nq),
    LIMB_JOINT_LIST(LIMB_X)
#undef LIMB_X
  };
  if (limb_builder_get_joint(b, limb_builder_find_joint(b, joint), def) != LIMB_OK) return -1;
  return def->mimic >= 0 ? 0 : nq[def->type];
}

static const char* builder_joint_name(const void* b, int joint)
{
  limb_joint_def def;
  return limb_builder_get_joint(b, joint, &def) == LIMB_OK ? def.name : "";
}

static int fits(const limb_raw_robot* s, const raw_pose* p, const limb_pose_value* v, const limb_builder* b)
{
  limb_joint_def def;
  const limb_subject about = {"pose", p->name};
  const int n = numbers_of(b, v->joint, &def);
  double norm = 0;
  if (n < 0) {
    limb_report(s->findings, RULE_BAD_VALUE, p->pos, about, "the robot has no joint '%.100s', whose place it gives%s",
                v->joint,
                limb_did_you_mean(s->findings, v->joint, limb_builder_joint_count(b), builder_joint_name, b).text);
    // A SRDF file may be about more than this robot, and only a robot that may float has a base.
    if (p->pos.file || strcmp(v->joint, "base") == 0) limb_report_as(s->findings, LIMB_WARNING);
  } else if (n > 0 && n != v->count) {
    limb_report(s->findings, RULE_BAD_VALUE, p->pos, about, "joint '%.100s' has %d coordinate%s; found %d", v->joint, n,
                n == 1 ? "" : "s", v->count);
  }
  if (n <= 0 || n != v->count) return 0;
  for (int k = n - 4; n >= 4 && k < n; k++) norm += v->q[k] * v->q[k];
  if (n < 4 || fabs(sqrt(norm) - 1) <= 1e-3) return 1;
  limb_report(s->findings, RULE_BAD_VALUE, p->pos, about, "the quaternion of joint '%.100s' has norm %g instead of 1",
              v->joint, sqrt(norm));
  return 0;
}

void limb_check_poses(const limb_raw_robot* s, const limb_builder* b)
{
  for (int i = 0; i < s->npose; i++) {
    raw_pose* p = &s->pose[i];
    int kept = 0;
    for (int k = 0; k < p->nvalue; k++)
      if (fits(s, p, &p->value[k], b)) p->value[kept++] = p->value[k];
    p->nvalue = kept;
  }
}

// ---- asking ---------------------------------------------------------------------------------------

int limb_reading_pose_count(const limb_reading* r) { return r && r->builder ? r->npose : 0; }

limb_status limb_reading_get_pose(const limb_reading* r, int index, limb_named_pose* out)
{
  if (!out || index < 0 || index >= limb_reading_pose_count(r)) return LIMB_E_ARG;
  const raw_pose* p = &r->pose[index];
  *out = (limb_named_pose){.name = p->name, .count = p->nvalue, .value = p->value};
  return LIMB_OK;
}

limb_status limb_write_poses(const limb_reading* r, const limb_builder* b, limb_text_fn* write, void* context)
{
  if (!r || !b || !write) return LIMB_E_ARG;
  const limb_writer w = {.b = b, .write = write, .context = context, .format = LIMB_FORMAT_YAML};
  const int count = limb_reading_pose_count(r);
  limb_joint_def def;
  if (count > 0) limb_put(&w, "\nposes:\n");
  for (int i = 0; i < count; i++) {
    const raw_pose* p = &r->pose[i];
    int put = 0;
    limb_put(&w, "  %q: {", p->name);
    for (int k = 0; k < p->nvalue; k++) {
      const limb_pose_value* v = &p->value[k];
      if (numbers_of(b, v->joint, &def) != v->count) continue;
      limb_put(&w, put++ ? ", %q: " : "%q: ", v->joint);
      if (v->count == 1)
        limb_put(&w, "%g", v->q[0]);
      else
        limb_put(&w, "%l", v->count, v->q);
    }
    limb_put(&w, "}\n");
  }
  return LIMB_OK;
}

// ---- numbers in attributes ------------------------------------------------------------------------

// Reads numbers separated by blanks. Their count; -1: there is something else, or there are more than max.
static int scan_list(const char* text, int max, double* x)
{
  const char* end = text + strlen(text);
  int count = 0;
  for (;;) {
    while (is_blank(*text)) text++;
    if (text == end) return count;
    if (count == max || !(text = limb_scan_number(text, end, &x[count])) || !isfinite(x[count])) return -1;
    if (*text && !is_blank(*text)) return -1;
    count++;
  }
}

// ---- SRDF -----------------------------------------------------------------------------------------

// A joint between world and robot, which the URDF does not have.
static int is_virtual(const xml_node* state, const char* joint)
{
  const xml_node* n = limb_xml_child(state->parent, "virtual_joint");
  while (n && (!limb_xml_get(n, "name") || strcmp(limb_xml_get(n, "name"), joint) != 0)) n = limb_xml_next(n);
  return n != NULL;
}

static int read_group_state(limb_raw_robot* s, const xml_node* state)
{
  const limb_subject about = {"group_state", limb_xml_get(state, "name")};
  double x[7];
  if (!about.name || !*about.name) {
    limb_report(s->findings, RULE_MISSING_KEY, state->pos, about, "it has no name");
    return 1;
  }
  if (!limb_raw_add_pose(s, about.name, state->pos)) return 0;
  for (const xml_node* n = limb_xml_child(state, "joint"); n; n = limb_xml_next(n)) {
    const char *joint = limb_xml_get(n, "name"), *value = limb_xml_get(n, "value");
    const int count = joint && value ? scan_list(value, 7, x) : 0;
    if (count <= 0)
      limb_report(s->findings, RULE_BAD_VALUE, n->pos, about, "<joint> needs a name and a value of up to 7 numbers");
    else if (!is_virtual(state, joint) && !limb_raw_hold(s, joint, count, x))
      return 0;
  }
  return 1;
}

// <rotor_params>, as Pinocchio has it: `mass` is the inertia of the rotor about its axis.
static void read_rotor(limb_raw_robot* s, const limb_names* joints, const xml_node* n)
{
  static const char* const names[] = {"mass", "gear_ratio"};
  const char* name = limb_xml_get(n, "name");
  const limb_subject about = {"joint", name};
  const int k = name ? limb_names_find(joints, name, limb_raw_joint_name, s) : -1;
  double x[2] = {0, 1};
  for (int i = 0; i < 2; i++) {
    const char* text = limb_xml_get(n, names[i]);
    if (text && scan_list(text, 1, &x[i]) == 1 && (i == 0 ? x[0] >= 0 : x[1] != 0)) continue;
    limb_report(s->findings, RULE_BAD_VALUE, n->pos, about, "<joint> of <rotor_params> needs a %s, which is %s",
                names[i], i == 0 ? "not negative" : "not zero");
    return;
  }
  if (k < 0 || !one_dof(s->joint[k].def.type)) {
    limb_report(s->findings, RULE_DROPPED, n->pos, about, "its rotor is not used: %s",
                k < 0 ? "the robot has no such joint" : "the joint does not have exactly one degree of freedom");
    return;
  }
  s->joint[k].def.rotor_inertia = x[0], s->joint[k].def.gear_ratio = x[1];
  limb_report(s->findings, RULE_TRANSMISSION, n->pos, about,
              "its rotor inertia is %s, its gear ratio %s, by <rotor_params>", limb_show(x[0]).text,
              limb_show(x[1]).text);
}

static int read_rotors(limb_raw_robot* s, const xml_node* root)
{
  limb_names joints;
  const xml_node* params = limb_xml_child(root, "rotor_params");
  if (!params) return 1;
  if (!limb_raw_joint_names(s, &joints)) return 0;
  for (; params; params = limb_xml_next(params))
    for (const xml_node* n = limb_xml_child(params, "joint"); n; n = limb_xml_next(n)) read_rotor(s, &joints, n);
  return 1;
}

limb_status limb_read_srdf(limb_source* src, const char* path, limb_raw_robot* s)
{
  static const file_pos nowhere = {0, 0, 0};
  file_bytes file;
  if (!limb_files_load(src->files, path, RULE_UNREADABLE, nowhere, (limb_subject){"SRDF", NULL}, &file))
    return limb_findings_count_from(s->findings, LIMB_ERROR) > 0 ? LIMB_E_MODEL : LIMB_E_NOMEM;
  const xml_node* root = limb_xml_parse(file.text, file.size, file.file, NULL, src->pool, s->findings);
  if (!root) return limb_findings_count_from(s->findings, LIMB_ERROR) > 0 ? LIMB_E_MODEL : LIMB_E_NOMEM;
  if (strcmp(root->name, "robot") != 0 || limb_xml_child(root, "link")) {
    limb_report(s->findings, RULE_WRONG_FORMAT, root->pos, (limb_subject){"element", root->name},
                "this is not SRDF, whose root is <robot>, with groups and states");
    return LIMB_E_MODEL;
  }
  for (const xml_node* n = limb_xml_child(root, "group_state"); n; n = limb_xml_next(n))
    if (!read_group_state(s, n)) return LIMB_E_NOMEM;
  return read_rotors(s, root) ? LIMB_OK : LIMB_E_NOMEM;
}

// ---- MJCF -----------------------------------------------------------------------------------------

// Coordinates of a joint of MJCF; 0 for one that a reader adds.
static int qpos_of(limb_joint_type type)
{
  return type == LIMB_FREE ? 7 : type == LIMB_SPHERICAL ? 4 : type == LIMB_REVOLUTE || type == LIMB_PRISMATIC;
}

// A quaternion w x y z as x y z w, normalised; zeros are no rotation, as for MuJoCo.
static void read_quaternion(mjcf* m, const xml_node* key, const char* joint, double q[4])
{
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double w = norm > 1e-15 ? q[0] / norm : 1;
  for (int k = 0; k < 3; k++) q[k] = norm > 1e-15 ? q[k + 1] / norm : 0;
  q[3] = w;
  if (fabs(norm - 1) > 1e-3)
    limb_mjcf_report(m, RULE_NORMALISED, key, "the quaternion of joint '%.100s' has norm %g instead of 1", joint, norm);
}

// qpos: the joints in the order of the file, quaternions w x y z.
static void read_key(mjcf* m, const xml_node* key, int index)
{
  enum { MAX_QPOS = 100000 };
  const char *text = limb_xml_get(key, "qpos"), *name = limb_xml_get(key, "name");
  int count = 0;
  if (!text) return; // qpos0
  if (!name) name = limb_mjcf_name(m, key, "key", "", index, 0);
  for (int j = 0; j < m->s->njoint; j++) count += qpos_of(m->s->joint[j].def.type);
  double* x = count <= MAX_QPOS ? limb_mempool_alloc(m->pool, ((size_t)count + 1) * sizeof *x) : NULL;
  if (!x || !name || !limb_raw_add_pose(m->s, name, key->pos)) {
    m->no_memory = 1;
    return;
  }
  if (scan_list(text, count, x) != count) {
    limb_mjcf_report(m, RULE_IGNORED, key, "qpos: %d numbers are expected, one for each coordinate of the joints",
                     count);
    return;
  }
  for (int j = 0; j < m->s->njoint && !m->no_memory; j++) {
    const raw_joint* joint = &m->s->joint[j];
    const int n = qpos_of(joint->def.type);
    if (n >= 4) read_quaternion(m, key, joint->name, x + n - 4);
    if (n > 0 && !limb_raw_hold(m->s, joint->name, n, x)) m->no_memory = 1;
    x += n;
  }
}

void limb_mjcf_read_keys(mjcf* m, const xml_node* root)
{
  int index = 0;
  for (const xml_node* frame = limb_xml_child(root, "keyframe"); frame; frame = limb_xml_next(frame))
    for (const xml_node* key = limb_xml_child(frame, "key"); key && !m->no_memory; key = limb_xml_next(key))
      read_key(m, key, index++);
}
