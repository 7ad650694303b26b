// A builder as limb YAML: joints placed by poses, defaults left out (but for axes), every number in the
// digits that read back to the same bits.
#include "io/write_yaml_impl.h"
#include "io/writers.h"

#include "base/status.h"
#include "io/joints.h"
#include "io/utf8.h"
#include "io/yaml_schema.h"

#include <stdio.h>
#include <string.h>

// ---- bodies, joints, frames, shafts ---------------------------------------------------------------

static void put_body(const yaml_output* o, const limb_body_def* body)
{
  const sp_inertia* Y = &body->inertia;
  const double I[6] = {Y->xx, Y->xy, Y->xz, Y->yy, Y->yz, Y->zz}, none[6] = {0};
  const sp_vec3 origin = {0, 0, 0};
  put(o, "  - name: ");
  limb_yaml_put_name(o, body->name);
  put(o, "\n    mass: ");
  limb_yaml_put_number(o, Y->mass);
  put(o, "\n");
  if (!limb_same_bits(&Y->com, &origin, sizeof origin)) {
    put(o, "    com: ");
    limb_yaml_put_vec3(o, Y->com);
    put(o, "\n");
  }
  if (!limb_same_bits(I, none, sizeof I)) {
    put(o, "    inertia: ");
    limb_yaml_put_list(o, 6, I, limb_yaml_put_number);
    put(o, "\n");
  } else if (Y->mass != 0) {
    put(o, "    solid: point\n");
  }
}

// One section of properties with what is not the default; leader: the joint that a mimic follows.
static void put_section(const yaml_output* o, const limb_joint_def* def, const char* section, const char* leader)
{
  const limb_joint_def unset = limb_default_joint_def(NULL, def->type, 0, 0);
  char head[32];
  (void)snprintf(head, sizeof head, "    %s: {", section);
  bool begun = leader != NULL;
  if (leader) {
    put(o, head);
    put(o, "joint: ");
    limb_yaml_put_name(o, leader);
  }
  for (int i = 0; i < YAML_NPROPERTY; i++) {
    const yaml_property* p = &yaml_properties[i];
    if (strcmp(p->section, section) == 0) begun |= limb_yaml_put_property(o, begun ? ", " : head, p, def, &unset);
  }
  if (begun) put(o, "}\n");
}

static limb_status put_joint(const yaml_output* o, const limb_builder* b, const limb_joint_def* def)
{
  static const char* const sections[] = {YAML_SECTIONS};
  limb_body_def parent = limb_default_body_def(""), child = parent;
  limb_joint_def leader = limb_default_joint_def(NULL, LIMB_FIXED, 0, 0);
  const limb_joint_def unset = leader;
  const sp_vec3 zero = {0, 0, 0};
  limb_status status = limb_builder_get_body(b, def->parent, &parent);
  if (!status) status = limb_builder_get_body(b, def->child, &child);
  if (!status && def->mimic >= 0) status = limb_builder_get_joint(b, def->mimic, &leader);
  if (status) return status;
  put(o, "  - name: ");
  limb_yaml_put_name(o, def->name);
  put(o, "\n    type: ");
  put(o, yaml_joint_types[def->type]);
  put(o, "\n    parent: ");
  limb_yaml_put_name(o, parent.name);
  put(o, "\n    child: ");
  limb_yaml_put_name(o, child.name);
  put(o, "\n");
  limb_yaml_put_pose(o, "    pose: {", &def->placement, "}\n");
  if (has_axis(def->type)) {
    put(o, "    axis: ");
    limb_yaml_put_vec3(o, def->axis);
    put(o, "\n");
  }
  if (!limb_same_bits(&def->axis2, &zero, sizeof zero)) {
    put(o, "    axis2: ");
    limb_yaml_put_vec3(o, def->axis2);
    put(o, "\n");
  }
  if (def->type == LIMB_HELICAL) {
    put(o, "    pitch: ");
    limb_yaml_put_number(o, def->pitch);
    put(o, "\n");
  }
  if (def->drive != LIMB_DRIVE_AUTO) {
    put(o, "    drive: ");
    put(o, yaml_drives[def->drive]);
    put(o, "\n");
  }
  if (limb_yaml_put_property(o, "    ", &yaml_start, def, &unset)) put(o, "\n");
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    const bool mimic = strcmp(sections[i], "mimic") == 0;
    put_section(o, def, sections[i], mimic ? leader.name : NULL);
  }
  return LIMB_OK;
}

static limb_status put_frame(const yaml_output* o, const limb_builder* b, const limb_frame_info* frame)
{
  limb_body_def body = limb_default_body_def("");
  const limb_status status = limb_builder_get_body(b, frame->body, &body);
  if (status) return status;
  put(o, "  - {name: ");
  limb_yaml_put_name(o, frame->name);
  put(o, ", body: ");
  limb_yaml_put_name(o, body.name);
  limb_yaml_put_pose(o, ", ", &frame->pose, "");
  put(o, "}\n");
  return LIMB_OK;
}

static limb_status put_shaft(const yaml_output* o, const limb_builder* b, const limb_shaft_def* shaft)
{
  const limb_shaft_def unset = limb_default_shaft_def(0, 0);
  limb_joint_def joint = limb_default_joint_def("", LIMB_FIXED, 0, 0), motor = joint;
  limb_status status = limb_builder_get_joint(b, shaft->joint, &joint);
  if (!status) status = limb_builder_get_joint(b, shaft->motor, &motor);
  if (status) return status;
  put(o, "  - {joint: ");
  limb_yaml_put_name(o, joint.name);
  put(o, ", motor: ");
  limb_yaml_put_name(o, motor.name);
  for (int i = 0; i < YAML_NSHAFT; i++) limb_yaml_put_property(o, ", ", &yaml_shaft[i], shaft, &unset);
  put(o, "}\n");
  return LIMB_OK;
}

// ---- the robot --------------------------------------------------------------------------------------

// What a reader would refuse is not written.
static limb_status check_name(const char* kind, const char* name, limb_error* err)
{
  if (limb_is_utf8(name, name + strlen(name)) && !limb_has_control(name)) return LIMB_OK;
  return limb_fail(err, LIMB_E_UNSUPPORTED, kind,
                   "a name holds control characters, or bytes that are not UTF-8: rename the %s", kind);
}

static limb_status check_names(const limb_builder* b, limb_error* err)
{
  limb_body_def body;
  limb_joint_def joint;
  limb_frame_info frame;
  limb_loop_def loop;
  limb_status status = check_name("robot", limb_builder_name(b), err);
  for (int i = 0; !status && limb_builder_get_body(b, i, &body) == LIMB_OK; i++)
    status = check_name("body", body.name, err);
  for (int i = 0; !status && limb_builder_get_joint(b, i, &joint) == LIMB_OK; i++)
    status = check_name("joint", joint.name, err);
  for (int i = 0; !status && limb_builder_get_frame(b, i, &frame) == LIMB_OK; i++)
    status = check_name("frame", frame.name, err);
  for (int i = 0; !status && limb_builder_get_loop(b, i, &loop) == LIMB_OK; i++)
    status = check_name("loop", loop.name, err);
  return status;
}

static limb_status put_lists(const yaml_output* o, const limb_builder* b)
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
  if (!status && limb_builder_loop_count(b) > 0) put(o, "\nloops:\n");
  for (int i = 0; !status && i < limb_builder_loop_count(b); i++) status = limb_yaml_put_loop(o, b, i);
  return status;
}

limb_status limb_write_yaml(const limb_builder* b, limb_text_fn* write, void* context, limb_findings* findings,
                            limb_error* err)
{
  (void)findings; // everything can be said
  const yaml_output o = {write, context};
  const limb_status status = check_names(b, err);
  if (status) return status;
  put(&o, "# Units: m, kg, s, rad, N, N m. Inertia about the centre of mass: ixx, ixy, ixz, iyy, "
          "iyz, izz.\n");
  char schema[24];
  (void)snprintf(schema, sizeof schema, "limb: %d\nname: ", (int)YAML_SCHEMA);
  put(&o, schema);
  limb_yaml_put_name(&o, limb_builder_name(b));
  put(&o, "\ngravity: ");
  limb_yaml_put_vec3(&o, limb_builder_gravity(b));
  put(&o, "\n");
  return put_lists(&o, b);
}
