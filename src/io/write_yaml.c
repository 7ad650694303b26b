// A builder as limb YAML: joints placed by poses, defaults left out (but for axes), every number in the
// digits that read back to the same bits. A rotation is written as angles or a quaternion where these give
// exactly the same matrix, else as the matrix.
#include "io/writers.h"

#include "base/error.h"
#include "base/number.h"
#include "io/angles.h"
#include "io/utf8.h"
#include "io/yaml_schema.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct output {
  limb_text_fn* write;
  void* context;
} output;

static void put(const output* o, const char* text) { o->write(o->context, text); }

static bool same(const void* a, const void* b, size_t size) { return memcmp(a, b, size) == 0; }

static bool same_number(double a, double b) { return same(&a, &b, sizeof a); }

// ---- numbers ----------------------------------------------------------------------------------------

static void put_number(const output* o, double x)
{
  char text[LIMB_NUMBER_SPACE];
  (void)limb_print_number(x, text);
  put(o, isinf(x) ? x > 0 ? ".inf" : "-.inf" : text);
}

static void put_angle(const output* o, double x)
{
  static const struct {
    double angle;
    const char* text;
  } known[] = {{PI, "pi"}, {-PI, "-pi"}, {PI / 2, "pi/2"}, {-PI / 2, "-pi/2"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!same_number(x, known[i].angle)) continue;
    put(o, known[i].text);
    return;
  }
  put_number(o, x);
}

static void put_list(const output* o, int n, const double* x, void (*item)(const output*, double))
{
  put(o, "[");
  for (int i = 0; i < n; i++) {
    if (i) put(o, ", ");
    item(o, x[i]);
  }
  put(o, "]");
}

static void put_vec3(const output* o, sp_vec3 x)
{
  put_list(o, 3, (const double[3]){x.x, x.y, x.z}, put_number);
}

// ---- names ------------------------------------------------------------------------------------------

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What other readers of YAML take for a truth value or nothing, in any case of its letters.
static bool is_special(const char* text)
{
  static const char* const words[] = {"y",    "n",  "yes", "no",  "true", "false",
                                      "null", "on", "off", "inf", "nan",  NULL};
  for (int i = 0; words[i]; i++) {
    size_t k = 0;
    while (words[i][k] && (text[k] | 0x20) == words[i][k]) k++;
    if (!words[i][k] && !text[k]) return true;
  }
  return false;
}

static bool is_plain(const char* text)
{
  if (!is_letter(text[0]) || is_special(text)) return false;
  for (const char* c = text; *c; c++) {
    if (!is_letter(*c) && !is_digit(*c) && *c != '.' && *c != '-' && *c != '/') return false;
  }
  return true;
}

// In double quotes unless it is a plain word.
static void put_name(const output* o, const char* name)
{
  if (is_plain(name)) {
    put(o, name);
    return;
  }
  put(o, "\"");
  const char* end = name + strlen(name);
  for (size_t n = 1; name < end; name += n) {
    char text[16];
    uint32_t code = 0;
    n = limb_utf8(name, end, &code);
    const bool odd = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 ||
                     code == 0x2029 || code == 0xfeff || code == 0xfffe || code == 0xffff;
    if (code == '"' || code == '\\')
      (void)snprintf(text, sizeof text, "\\%c", (char)code);
    else if (odd)
      (void)snprintf(text, sizeof text, "\\u%04x", (unsigned)code);
    else
      (void)snprintf(text, sizeof text, "%.*s", (int)n, name);
    put(o, text);
  }
  put(o, "\"");
}

// ---- poses ------------------------------------------------------------------------------------------

// The same matrix, whatever the signs of its zeros.
static bool same_rotation(const sp_mat3* A, const sp_mat3* B)
{
  for (int i = 0; i < 9; i++) {
    if (A->m[i] != B->m[i]) return false;
  }
  return true;
}

// Angles that give exactly R: as they come, or in fewer digits, as somebody may have written them.
static bool find_rpy(const sp_mat3* R, double rpy[3])
{
  const sp_vec3 angles = limb_rpy_of(R);
  const double raw[3] = {angles.x, angles.y, angles.z};
  static const double grids[] = {0, 1e12, 1e6};
  for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
    for (int i = 0; i < 3; i++)
      rpy[i] = grids[k] == 0 ? raw[i] : round(raw[i] * grids[k]) / grids[k] + 0.0;
    const sp_mat3 again = limb_rot_rpy(rpy);
    if (same_rotation(R, &again)) return true;
  }
  return false;
}

static void put_rotation(const output* o, const sp_mat3* R)
{
  double rpy[3];
  const sp_quat q = sp_quat_rot(*R);
  const double xyzw[4] = {q.x, q.y, q.z, q.w};
  const sp_mat3 by_quaternion = limb_rot_quat(q.x, q.y, q.z, q.w);
  if (find_rpy(R, rpy)) {
    put(o, "rpy: ");
    put_list(o, 3, rpy, put_angle);
  } else if (same_rotation(R, &by_quaternion)) {
    put(o, "quaternion: ");
    put_list(o, 4, xyzw, put_number);
  } else {
    put(o, "matrix: ");
    put_list(o, 9, R->m, put_number);
  }
}

// What of the pose is not the identity, between the texts, such as {xyz: [...], rpy: [...]}; nothing for the
// identity.
static void put_pose(const output* o, const char* before, const sp_pose* X, const char* after)
{
  const sp_pose one = sp_pose_identity();
  const bool moved = !same(&X->p, &one.p, sizeof one.p), turned = !same_rotation(&X->R, &one.R);
  if (!moved && !turned) return;
  put(o, before);
  if (moved) {
    put(o, "xyz: ");
    put_vec3(o, X->p);
  }
  if (moved && turned) put(o, ", ");
  if (turned) put_rotation(o, &X->R);
  put(o, after);
}

// ---- bodies, joints, frames, shafts ---------------------------------------------------------------

static void put_body(const output* o, const limb_body_def* body)
{
  const sp_inertia* Y = &body->inertia;
  const double I[6] = {Y->xx, Y->xy, Y->xz, Y->yy, Y->yz, Y->zz}, none[6] = {0};
  const sp_vec3 origin = {0, 0, 0};
  put(o, "  - name: ");
  put_name(o, body->name);
  put(o, "\n    mass: ");
  put_number(o, Y->mass);
  put(o, "\n");
  if (!same(&Y->com, &origin, sizeof origin)) {
    put(o, "    com: ");
    put_vec3(o, Y->com);
    put(o, "\n");
  }
  if (!same(I, none, sizeof I)) {
    put(o, "    inertia: ");
    put_list(o, 6, I, put_number);
    put(o, "\n");
  } else if (Y->mass != 0) {
    put(o, "    solid: point\n");
  }
}

static double value_at(const void* def, size_t at)
{
  double x;
  memcpy(&x, (const char*)def + at, sizeof x);
  return x;
}

// One section of properties with what is not the default; leader: the joint that a mimic follows.
static void put_section(const output* o, const limb_joint_def* def, const char* section,
                        const char* leader)
{
  const limb_joint_def unset = limb_default_joint_def(NULL, def->type, 0, 0);
  const char* before = "{";
  char head[32];
  (void)snprintf(head, sizeof head, "    %s: ", section);
  if (leader) {
    put(o, head);
    put(o, "{joint: ");
    put_name(o, leader);
    before = ", ";
  }
  for (int i = 0; i < YAML_NPROPERTY; i++) {
    const yaml_property* p = &yaml_properties[i];
    const double x = value_at(def, p->at);
    if (strcmp(p->section, section) != 0 || same_number(x, value_at(&unset, p->at))) continue;
    if (before[0] == '{') put(o, head);
    put(o, before);
    put(o, p->key);
    put(o, ": ");
    put_number(o, x);
    before = ", ";
  }
  if (before[0] != '{') put(o, "}\n");
}

static limb_status put_joint(const output* o, const limb_builder* b, const limb_joint_def* def)
{
  static const char* const sections[] = {YAML_SECTIONS};
  limb_body_def parent = limb_default_body_def(""), child = parent;
  limb_joint_def leader = limb_default_joint_def(NULL, LIMB_FIXED, 0, 0);
  const sp_vec3 zero = {0, 0, 0};
  const bool has_axis =
    def->type != LIMB_FIXED && def->type != LIMB_SPHERICAL && def->type != LIMB_FREE;
  limb_status status = limb_builder_get_body(b, def->parent, &parent);
  if (!status) status = limb_builder_get_body(b, def->child, &child);
  if (!status && def->mimic >= 0) status = limb_builder_get_joint(b, def->mimic, &leader);
  if (status) return status;
  put(o, "  - name: ");
  put_name(o, def->name);
  put(o, "\n    type: ");
  put(o, yaml_joint_types[def->type]);
  put(o, "\n    parent: ");
  put_name(o, parent.name);
  put(o, "\n    child: ");
  put_name(o, child.name);
  put(o, "\n");
  put_pose(o, "    pose: {", &def->placement, "}\n");
  if (has_axis) {
    put(o, "    axis: ");
    put_vec3(o, def->axis);
    put(o, "\n");
  }
  if (!same(&def->axis2, &zero, sizeof zero)) {
    put(o, "    axis2: ");
    put_vec3(o, def->axis2);
    put(o, "\n");
  }
  if (def->type == LIMB_HELICAL) {
    put(o, "    pitch: ");
    put_number(o, def->pitch);
    put(o, "\n");
  }
  if (def->drive != LIMB_DRIVE_AUTO) {
    put(o, "    drive: ");
    put(o, yaml_drives[def->drive]);
    put(o, "\n");
  }
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    const bool mimic = strcmp(sections[i], "mimic") == 0;
    put_section(o, def, sections[i], mimic ? leader.name : NULL);
  }
  return LIMB_OK;
}

static limb_status put_frame(const output* o, const limb_builder* b, const limb_frame_info* frame)
{
  limb_body_def body = limb_default_body_def("");
  const limb_status status = limb_builder_get_body(b, frame->body, &body);
  if (status) return status;
  put(o, "  - {name: ");
  put_name(o, frame->name);
  put(o, ", body: ");
  put_name(o, body.name);
  put_pose(o, ", ", &frame->pose, "");
  put(o, "}\n");
  return LIMB_OK;
}

static limb_status put_shaft(const output* o, const limb_builder* b, const limb_shaft_def* shaft)
{
  const limb_shaft_def unset = limb_default_shaft_def(0, 0);
  limb_joint_def joint = limb_default_joint_def("", LIMB_FIXED, 0, 0), motor = joint;
  limb_status status = limb_builder_get_joint(b, shaft->joint, &joint);
  if (!status) status = limb_builder_get_joint(b, shaft->motor, &motor);
  if (status) return status;
  put(o, "  - {joint: ");
  put_name(o, joint.name);
  put(o, ", motor: ");
  put_name(o, motor.name);
  for (int i = 0; i < YAML_NSHAFT; i++) {
    const double x = value_at(shaft, yaml_shaft[i].at);
    if (same_number(x, value_at(&unset, yaml_shaft[i].at))) continue;
    put(o, ", ");
    put(o, yaml_shaft[i].key);
    put(o, ": ");
    put_number(o, x);
  }
  put(o, "}\n");
  return LIMB_OK;
}

// ---- the robot --------------------------------------------------------------------------------------

// What a reader would refuse is not written.
static limb_status check_name(const char* kind, const char* name, limb_error* err)
{
  if (limb_is_utf8(name, name + strlen(name)) && !limb_has_control(name)) return LIMB_OK;
  return limb_fail(err, LIMB_E_UNSUPPORTED, kind,
                   "a name holds control characters, or bytes that are not UTF-8: rename the %s",
                   kind);
}

static limb_status check_names(const limb_builder* b, limb_error* err)
{
  limb_body_def body;
  limb_joint_def joint;
  limb_frame_info frame;
  limb_status status = check_name("robot", limb_builder_name(b), err);
  for (int i = 0; !status && limb_builder_get_body(b, i, &body) == LIMB_OK; i++)
    status = check_name("body", body.name, err);
  for (int i = 0; !status && limb_builder_get_joint(b, i, &joint) == LIMB_OK; i++)
    status = check_name("joint", joint.name, err);
  for (int i = 0; !status && limb_builder_get_frame(b, i, &frame) == LIMB_OK; i++)
    status = check_name("frame", frame.name, err);
  return status;
}

static limb_status put_lists(const output* o, const limb_builder* b)
{
  limb_body_def body = limb_default_body_def("");
  limb_joint_def joint = limb_default_joint_def("", LIMB_FIXED, 0, 0);
  limb_frame_info frame = {0};
  limb_shaft_def shaft = limb_default_shaft_def(0, 0);
  limb_status status = LIMB_OK;
  put(o, "\nbodies:\n");
  for (int i = 1; !status && i < limb_builder_body_count(b); i++) {
    status = limb_builder_get_body(b, i, &body);
    if (!status) put_body(o, &body);
  }
  if (limb_builder_joint_count(b) > 0) put(o, "\njoints:\n");
  for (int i = 0; !status && i < limb_builder_joint_count(b); i++) {
    status = limb_builder_get_joint(b, i, &joint);
    if (!status) status = put_joint(o, b, &joint);
  }
  if (limb_builder_shaft_count(b) > 0) put(o, "\nshafts:\n");
  for (int i = 0; !status && i < limb_builder_shaft_count(b); i++) {
    status = limb_builder_get_shaft(b, i, &shaft);
    if (!status) status = put_shaft(o, b, &shaft);
  }
  if (limb_builder_frame_count(b) > 0) put(o, "\nframes:\n");
  for (int i = 0; !status && i < limb_builder_frame_count(b); i++) {
    status = limb_builder_get_frame(b, i, &frame);
    if (!status) status = put_frame(o, b, &frame);
  }
  return status;
}

limb_status limb_write_yaml(const limb_builder* b, limb_text_fn* write, void* context,
                            limb_findings* findings, limb_error* err)
{
  (void)findings; // everything can be said
  const output o = {write, context};
  const limb_status status = check_names(b, err);
  if (status) return status;
  put(&o, "# Units: m, kg, s, rad, N, N m. Inertia about the centre of mass: ixx, ixy, ixz, iyy, "
          "iyz, izz.\n");
  char schema[24];
  (void)snprintf(schema, sizeof schema, "limb: %d\nname: ", (int)YAML_SCHEMA);
  put(&o, schema);
  put_name(&o, limb_builder_name(b));
  put(&o, "\ngravity: ");
  put_vec3(&o, limb_builder_gravity(b));
  put(&o, "\n");
  return put_lists(&o, b);
}
