// A robot as JSON: what index.d.ts calls RobotDescription.
#include "web.h"

#include <math.h>

static void put_vector(json* j, const char* key, sp_vec3 a) { json_numbers(j, key, 3, (double[]){a.x, a.y, a.z}); }

static void put_pose(json* j, const char* key, const sp_pose* pose)
{
  json_begin(j, key, '{');
  put_vector(j, "p", pose->p);
  json_numbers(j, "R", 9, pose->R.m);
  json_end(j, '}');
}

static void put_inertia(json* j, const sp_inertia* Y)
{
  json_number(j, "mass", Y->mass);
  put_vector(j, "com", Y->com);
  json_numbers(j, "inertia", 6, (double[]){Y->xx, Y->xy, Y->xz, Y->yy, Y->yz, Y->zz});
}

static const char* body_name(const limb_model* m, int body)
{
  limb_body_info about;
  return limb_get_body(m, body, &about) == LIMB_OK ? about.name : NULL;
}

static void put_joints(json* j, const limb_model* m)
{
  json_begin(j, "joints", '[');
  for (int i = 0; i < limb_joint_count(m); i++) {
    limb_joint_info about;
    if (limb_get_joint(m, i, &about) != LIMB_OK) continue;
    const limb_joint_def* def = &about.def;
    json_begin(j, "", '{');
    json_text(j, "name", def->name);
    json_text(j, "type", limb_joint_type_name(def->type));
    json_number(j, "parent", def->parent);
    json_number(j, "child", def->child);
    put_pose(j, "placement", &def->placement);
    put_vector(j, "axis", def->axis);
    json_number(j, "q", about.q);
    json_number(j, "nq", about.nq);
    json_number(j, "v", about.v);
    json_number(j, "nv", about.nv);
    json_number(j, "min", def->q_min);
    json_number(j, "max", def->q_max);
    json_number(j, "maxVelocity", def->v_max);
    json_number(j, "maxEffort", def->effort_max);
    json_number(j, "maxAcceleration", def->a_max);
    json_number(j, "maxDeceleration", def->deceleration_max);
    json_number(j, "maxJerk", def->jerk_max);
    json_number(j, "passive", about.passive);
    json_number(j, "mimic", def->mimic);
    json_number(j, "auxiliary", limb_joint_is_auxiliary(m, i));
    json_end(j, '}');
  }
  json_end(j, ']');
}

static void put_bodies(json* j, const web_robot* r)
{
  json_begin(j, "bodies", '[');
  for (int i = 0; i < limb_body_count(r->model); i++) {
    limb_body_info about;
    if (limb_get_body(r->model, i, &about) != LIMB_OK) continue;
    json_begin(j, "", '{');
    json_text(j, "name", about.name);
    json_number(j, "parent", about.parent);
    json_number(j, "joint", about.joint);
    json_number(j, "standsFor", limb_stands_for(r->model, i));
    json_number(j, "line", limb_reading_body_line(r->reading, i));
    put_inertia(j, &about.inertia);
    json_end(j, '}');
  }
  json_end(j, ']');
}

static void put_frames(json* j, const limb_model* m)
{
  json_begin(j, "frames", '[');
  for (int i = limb_body_count(m); i < limb_frame_count(m); i++) {
    limb_frame_info about;
    if (limb_get_frame(m, i, &about) != LIMB_OK) continue;
    json_begin(j, "", '{');
    json_text(j, "name", about.name);
    json_number(j, "body", about.body);
    put_pose(j, "pose", &about.pose);
    json_end(j, '}');
  }
  json_end(j, ']');
}

static void put_loops(json* j, const limb_model* m)
{
  json_begin(j, "loops", '[');
  for (int i = 0; i < limb_loop_count(m); i++) {
    limb_loop_info about;
    if (limb_get_loop(m, i, &about) != LIMB_OK) continue;
    json_begin(j, "", '{');
    json_text(j, "name", about.def.name);
    json_text(j, "bodyA", body_name(m, about.def.body_a));
    json_text(j, "bodyB", body_name(m, about.def.body_b));
    put_pose(j, "poseA", &about.def.pose_a);
    put_pose(j, "poseB", &about.def.pose_b);
    json_end(j, '}');
  }
  json_end(j, ']');
}

static void put_dofs(json* j, const char* key, int count, const web_robot* r, int of_q)
{
  json_begin(j, key, '[');
  for (int k = 0; k < count; k++) {
    const limb_dof_info* about = of_q ? limb_get_coordinate(r->dofs, k) : limb_get_velocity(r->dofs, k);
    json_begin(j, "", '{');
    json_text(j, "name", about->name);
    json_number(j, "joint", about->joint);
    json_text(j, "unit", of_q ? limb_position_unit(about) : limb_velocity_unit(about));
    if (!of_q) json_text(j, "forceUnit", limb_force_unit(about));
    json_end(j, '}');
  }
  json_end(j, ']');
}

void web_put_findings(json* j, limb_reading* reading, int from)
{
  const limb_findings* list = limb_reading_findings(reading);
  json_begin(j, "findings", '[');
  for (int i = from; i < limb_findings_count(list); i++) {
    limb_finding f;
    limb_rule_info rule = {.why = "", .fix = ""};
    if (limb_findings_get(list, i, &f) != LIMB_OK) continue;
    const int k = limb_find_rule(f.rule);
    if (k >= 0) (void)!limb_get_rule(k, &rule);
    json_begin(j, "", '{');
    json_text(j, "rule", f.rule);
    json_text(j, "severity", limb_severity_name(f.severity));
    json_text(j, "file", *f.file ? f.file : limb_reading_source(reading));
    json_number(j, "line", f.line);
    json_number(j, "column", f.column);
    json_text(j, "where", f.where);
    json_text(j, "text", f.text);
    json_text(j, "hint", f.hint);
    json_text(j, "why", rule.why);
    json_text(j, "fix", rule.fix);
    json_end(j, '}');
  }
  json_end(j, ']');
}

const char* web_describe(web_robot* r)
{
  json* j = &r->text;
  json_clear(j);
  json_begin(j, "", '{');
  web_put_error(j, &r->failed);
  if (r->reading) {
    json_text(j, "source", limb_reading_source(r->reading));
    json_text(j, "format", limb_format_name(limb_reading_format(r->reading)));
    limb_findings_sort(limb_reading_findings(r->reading));
    web_put_findings(j, r->reading, 0);
  }
  if (r->dofs) {
    const limb_model* m = r->model;
    json_text(j, "name", limb_model_name(m));
    json_number(j, "mass", limb_total_mass(m));
    put_vector(j, "gravity", limb_model_gravity(m));
    put_dofs(j, "coordinates", limb_nq(m), r, 1);
    put_dofs(j, "velocities", limb_nv(m), r, 0);
    put_bodies(j, r);
    put_joints(j, m);
    put_frames(j, m);
    put_loops(j, m);
    web_put_shapes(j, r->reading);
    json_begin(j, "namedPoses", '[');
    for (int i = 0; i < limb_reading_pose_count(r->reading); i++) {
      limb_named_pose pose;
      if (limb_reading_get_pose(r->reading, i, &pose) == LIMB_OK) json_text(j, "", pose.name);
    }
    json_end(j, ']');
  }
  json_end(j, '}');
  return json_done(j);
}
