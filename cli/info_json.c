// What `limb info` tells, as JSON. Numbers that are not finite (no limit) are null.
#include "info.h"
#include "json_findings.h"

static json_t* joint_json(const limb_model* m, const limb_joint_info* x, const double* diagonal)
{
  const limb_joint_def* def = &x->def;
  limb_body_info parent = {0}, child = {0};
  limb_joint_info leader = {0};
  (void)!limb_get_body(m, def->parent, &parent);
  (void)!limb_get_body(m, def->child, &child);
  json_t* r = json_object();
  (void)json_object_set_new(r, "name", cli_json_text(def->name));
  (void)json_object_set_new(r, "type", cli_json_text(limb_joint_type_name(def->type)));
  (void)json_object_set_new(r, "parent", cli_json_text(parent.name));
  (void)json_object_set_new(r, "child", cli_json_text(child.name));
  (void)json_object_set_new(r, "placement", cli_json_pose(def->placement));
  (void)json_object_set_new(r, "axis", cli_json_vec3(def->axis));
  const int places[] = {x->q, x->nq, x->v, x->nv};
  static const char* const place_names[] = {"q", "nq", "v", "nv"};
  for (int k = 0; k < 4; k++) (void)json_object_set_new(r, place_names[k], json_integer(places[k]));
  const struct {
    const char* name;
    double value;
  } numbers[] = {{"q_min", def->q_min},
                 {"q_max", def->q_max},
                 {"v_max", def->v_max},
                 {"effort_max", def->effort_max},
                 {"rotor_inertia", def->rotor_inertia},
                 {"gear_ratio", def->gear_ratio},
                 {"coulomb", def->coulomb},
                 {"viscous", def->viscous},
                 {"stiffness", def->stiffness},
                 {"rest", def->rest},
                 {"start", def->start}};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    (void)json_object_set_new(r, numbers[k].name, cli_json_number(numbers[k].value));
  if (def->mimic >= 0 && limb_get_joint(m, def->mimic, &leader) == LIMB_OK) {
    json_t* mimic = json_object();
    (void)json_object_set_new(mimic, "joint", cli_json_text(leader.def.name));
    (void)json_object_set_new(mimic, "multiplier", cli_json_number(def->multiplier));
    (void)json_object_set_new(mimic, "offset", cli_json_number(def->offset));
    (void)json_object_set_new(r, "mimic", mimic);
  }
  (void)json_object_set_new(r, "passive", json_boolean(x->passive));
  json_t* elastic = info_json_elastic(m, x, diagonal);
  if (elastic) (void)json_object_set_new(r, "elastic", elastic);
  return r;
}

static json_t* joints_json(const limb_model* m, const double* diagonal)
{
  json_t* r = json_array();
  limb_joint_info x;
  for (int j = 0; j < limb_joint_count(m); j++)
    if (limb_get_joint(m, j, &x) == LIMB_OK) (void)json_array_append_new(r, joint_json(m, &x, diagonal));
  return r;
}

static json_t* bodies_json(const limb_model* m)
{
  json_t* r = json_array();
  for (int b = 1; b < limb_body_count(m); b++) {
    limb_body_info x, parent = {0};
    if (limb_get_body(m, b, &x) != LIMB_OK) continue;
    (void)!limb_get_body(m, x.parent, &parent);
    json_t* body = cli_json_inertia(&x.inertia);
    (void)json_object_set_new(body, "name", cli_json_text(x.name));
    (void)json_object_set_new(body, "parent", cli_json_text(parent.name));
    (void)json_array_append_new(r, body);
  }
  return r;
}

static json_t* frames_json(const limb_model* m)
{
  json_t* r = json_array();
  for (int f = limb_body_count(m); f < limb_frame_count(m); f++) {
    limb_frame_info x;
    limb_body_info body = {0};
    if (limb_get_frame(m, f, &x) != LIMB_OK) continue;
    (void)!limb_get_body(m, x.body, &body);
    json_t* frame = cli_json_pose(x.pose);
    (void)json_object_set_new(frame, "name", cli_json_text(x.name));
    (void)json_object_set_new(frame, "body", cli_json_text(body.name));
    (void)json_array_append_new(r, frame);
  }
  return r;
}

static json_t* notes_json(const limb_model* m)
{
  json_t* r = json_array();
  limb_note x;
  for (int i = 0; i < limb_model_note_count(m); i++) {
    if (limb_model_note(m, i, &x) != LIMB_OK || !info_tells(x.kind)) continue;
    json_t* note = json_object();
    (void)json_object_set_new(note, "kind", cli_json_text(limb_note_kind_name(x.kind)));
    (void)json_object_set_new(note, "subject", cli_json_text(x.subject));
    (void)json_object_set_new(note, "text", cli_json_text(x.text));
    (void)json_array_append_new(r, note);
  }
  return r;
}

static json_t* findings_json(const cli_robot* r)
{
  json_t* list = json_array();
  limb_finding x;
  for (int i = 0; i < limb_findings_count(limb_reading_findings(r->reading)); i++)
    if (cli_robot_finding(r, i, &x)) (void)json_array_append_new(list, cli_json_finding(&x));
  return list;
}

json_t* info_json(const cli_robot* r, const info_facts* facts)
{
  const limb_model* m = r->model;
  const int passive = info_passive(m);
  json_t* out = cli_json_answer();
  (void)json_object_set_new(out, "model", cli_json_text(limb_model_name(m)));
  (void)json_object_set_new(out, "source", cli_json_text(limb_reading_source(r->reading)));
  (void)json_object_set_new(out, "format", cli_json_text(limb_format_name(limb_reading_format(r->reading))));
  (void)json_object_set_new(out, "nq", json_integer(limb_nq(m)));
  (void)json_object_set_new(out, "nv", json_integer(limb_nv(m)));
  (void)json_object_set_new(out, "gravity", cli_json_vec3(limb_model_gravity(m)));
  (void)json_object_set_new(out, "mass", cli_json_number(facts->mass));
  (void)json_object_set_new(out, "reach", cli_json_number(facts->reach));
  if (facts->has_com) (void)json_object_set_new(out, "whole", cli_json_inertia(&facts->whole));
  (void)json_object_set_new(out, "base", info_json_base(m));
  (void)json_object_set_new(out, "active", json_integer(limb_nv(m) - passive));
  (void)json_object_set_new(out, "passive", json_integer(passive));
  (void)json_object_set_new(out, "joints", joints_json(m, facts->diagonal));
  (void)json_object_set_new(out, "bodies", bodies_json(m));
  (void)json_object_set_new(out, "frames", frames_json(m));
  (void)json_object_set_new(out, "loops", info_json_loops(m));
  if (limb_loop_count(m) > 0) (void)json_object_set_new(out, "mobility", info_json_mobility(&facts->closure));
  (void)json_object_set_new(out, "findings", findings_json(r));
  (void)json_object_set_new(out, "notes", notes_json(m));
  return out;
}
