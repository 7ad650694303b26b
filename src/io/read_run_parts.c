// Run files: inputs, controller, events, outputs.
#include "io/read_run_impl.h"

#include <string.h>

static const char* const motion_words[] = {"wx", "wy", "wz", "vx", "vy", "vz", NULL};

// The entries of a list of mappings. 1 when there is such a list; an empty one is none.
static int is_list(run_reader* r, const yml_node* n) { return limb_yml_is(&r->check, n, YML_LIST) && n->count > 0; }

// ---- inputs ----------------------------------------------------------------------------------------------

static void read_tables(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {
    {"file", offsetof(limb_run_table, file)}, {"interpolation", offsetof(limb_run_table, interpolation)}, {NULL, 0}};
  limb_run_inputs* in = &r->run->inputs;
  if (!is_list(r, n)) return;
  in->table = limb_run_room(r, n, sizeof *in->table);
  for (const yml_node* x = in->table ? n->first : NULL; x; x = x->next) {
    limb_run_table* t = &in->table[in->ntable++];
    if (x->kind == YML_SCALAR) {
      limb_run_take(r, x, "inputs", &t->file);
      continue;
    }
    limb_run_take_keys(r, x, "inputs.tables", keys, NULL, t);
    (void)limb_yml_need(&r->check, x, "file");
  }
}

static void read_wrenches(run_reader* r, const yml_node* n)
{
#define PART(k) offsetof(limb_run_wrench, part) + (k) * sizeof(limb_run_value)
  static const run_key keys[] = {{"frame", offsetof(limb_run_wrench, frame)},
                                 {"reference", offsetof(limb_run_wrench, reference)},
                                 {"mx", PART(0)},
                                 {"my", PART(1)},
                                 {"mz", PART(2)},
                                 {"fx", PART(3)},
                                 {"fy", PART(4)},
                                 {"fz", PART(5)},
                                 {NULL, 0}};
#undef PART
  limb_run_inputs* in = &r->run->inputs;
  if (!is_list(r, n)) return;
  in->wrench = limb_run_room(r, n, sizeof *in->wrench);
  for (const yml_node* x = in->wrench ? n->first : NULL; x; x = x->next) {
    limb_run_take_keys(r, x, "inputs.wrenches", keys, NULL, &in->wrench[in->nwrench++]);
    (void)limb_yml_need(&r->check, x, "frame");
  }
}

static void read_motion(run_reader* r, const yml_node* n)
{
#define AT(member) offsetof(limb_run_motion, member)
  static const run_key keys[] = {{"q", AT(q)},
                                 {"v", AT(v)},
                                 {"a", AT(a)},
                                 {"constant", AT(constant)},
                                 {"rate", AT(rate)},
                                 {"amplitude", AT(amplitude)},
                                 {"frequency", AT(frequency)},
                                 {"phase", AT(phase)},
                                 {"file", AT(file)},
                                 {NULL, 0}};
#undef AT
  limb_run_inputs* in = &r->run->inputs;
  if (!limb_yml_is(&r->check, n, YML_MAP) || n->count == 0) return;
  in->motion = limb_run_room(r, n, sizeof *in->motion);
  for (const yml_node* x = in->motion ? n->first : NULL; x; x = x->next) {
    limb_run_motion* m = &in->motion[in->nmotion++];
    m->name = x->key;
    limb_run_take_keys(r, x, x->key, keys, NULL, m);
    if (x->kind == YML_MAP && x->count == 0)
      limb_yml_error(&r->check, RULE_MISSING_KEY, x->mark, "how '%.64s' moves is not said", x->key);
  }
}

void limb_run_inputs_of(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {{NULL, 0}};
  static const char* const more[] = {"torques", "tables", "wrenches", "motion", NULL};
  if (!n) return;
  limb_run_take_keys(r, n, "inputs", keys, more, r->run);
  limb_run_take_map(r, limb_yml_get(n, "torques"), "inputs", false, &r->run->inputs.torques);
  read_tables(r, limb_yml_get(n, "tables"));
  read_wrenches(r, limb_yml_get(n, "wrenches"));
  read_motion(r, limb_yml_get(n, "motion"));
}

// ---- controller ------------------------------------------------------------------------------------------

static void read_reference(run_reader* r, const yml_node* n)
{
  static const char *const xyz[] = {"x", "y", "z", NULL}, *const xyzw[] = {"x", "y", "z", "w", NULL};
  static const run_key keys[] = {{"file", offsetof(limb_run, controller.file)}, {NULL, 0}};
  static const char* const more[] = {"q", "v", "a", "position", "orientation", "velocity", "acceleration", NULL};
  limb_run_controller* c = &r->run->controller;
  const char* at = "controller.reference";
  if (!n) return;
  limb_run_take_keys(r, n, at, keys, more, r->run);
  limb_run_take_map(r, limb_yml_get(n, "q"), at, false, &c->q);
  limb_run_take_map(r, limb_yml_get(n, "v"), at, false, &c->v);
  limb_run_take_map(r, limb_yml_get(n, "a"), at, false, &c->a);
  limb_run_take_list(r, limb_yml_get(n, "position"), at, xyz, &c->position);
  limb_run_take_list(r, limb_yml_get(n, "orientation"), at, xyzw, &c->orientation);
  limb_run_take_list(r, limb_yml_get(n, "velocity"), at, motion_words, &c->velocity);
  limb_run_take_list(r, limb_yml_get(n, "acceleration"), at, motion_words, &c->acceleration);
}

void limb_run_controller_of(run_reader* r, const yml_node* n)
{
#define AT(member) offsetof(limb_run, controller.member)
  static const run_key keys[] = {
    {"type", AT(type)}, {"rate", AT(rate)}, {"delay", AT(delay)}, {"saturate", AT(saturate)}, {"frame", AT(frame)},
    {"axes", AT(axes)}, {NULL, 0}};
#undef AT
  static const char* const more[] = {"kp",         "kd",         "inertia",   "posture_kp",
                                     "posture_kd", "directions", "reference", NULL};
  limb_run_controller* c = &r->run->controller;
  const char* at = "controller";
  if (!n) return;
  limb_run_take_keys(r, n, at, keys, more, r->run);
  (void)limb_yml_need(&r->check, n, "type");
  limb_run_take_map(r, limb_yml_get(n, "kp"), at, true, &c->kp);
  limb_run_take_map(r, limb_yml_get(n, "kd"), at, true, &c->kd);
  limb_run_take_map(r, limb_yml_get(n, "inertia"), at, true, &c->inertia);
  limb_run_take_map(r, limb_yml_get(n, "posture_kp"), at, true, &c->posture_kp);
  limb_run_take_map(r, limb_yml_get(n, "posture_kd"), at, true, &c->posture_kd);
  limb_run_take_list(r, limb_yml_get(n, "directions"), at, NULL, &c->directions);
  read_reference(r, limb_yml_get(n, "reference"));
}

// ---- events and outputs ----------------------------------------------------------------------------------

void limb_run_events_of(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {{"name", offsetof(limb_run_event, name)},
                                 {"when", offsetof(limb_run_event, when)},
                                 {"action", offsetof(limb_run_event, action)},
                                 {NULL, 0}};
  limb_run* run = r->run;
  if (!is_list(r, n)) return;
  run->event = limb_run_room(r, n, sizeof *run->event);
  for (const yml_node* x = run->event ? n->first : NULL; x; x = x->next) {
    limb_run_event* e = &run->event[run->nevent++];
    if (x->kind == YML_SCALAR) {
      limb_run_take(r, x, "", &e->when);
      continue;
    }
    limb_run_take_keys(r, x, "events", keys, NULL, e);
    (void)limb_yml_need(&r->check, x, "when");
  }
}

static void read_output(run_reader* r, const yml_node* x, limb_run_output* o)
{
#define AT(member) offsetof(limb_run_output, member)
  static const run_key keys[] = {{"file", AT(file)}, {"plot", AT(plot)},         {"animation", AT(animation)},
                                 {"rate", AT(rate)}, {"interval", AT(interval)}, {"title", AT(title)},
                                 {NULL, 0}};
#undef AT
  static const char* const more[] = {"channels", "directions", NULL};
  static const char *const kinds[] = {"file", "plot", "animation"}, *const rates[] = {"rate", "interval"};
  if (x->kind == YML_SCALAR) {
    limb_run_take(r, x, "", &o->file);
    return;
  }
  limb_run_take_keys(r, x, "outputs", keys, more, o);
  if (x->kind != YML_MAP) return;
  if (!limb_yml_one_of(&r->check, x, kinds, 3))
    limb_yml_error(&r->check, RULE_MISSING_KEY, x->mark, "file, plot or animation is missing");
  (void)limb_yml_one_of(&r->check, x, rates, 2);
  limb_run_take_list(r, limb_yml_get(x, "channels"), "outputs", NULL, &o->channels);
  limb_run_take_list(r, limb_yml_get(x, "directions"), "outputs", NULL, &o->directions);
  if (o->animation.text && o->channels.count > 0)
    limb_yml_error(&r->check, RULE_BAD_VALUE, limb_yml_get(x, "channels")->key_mark, "an animation has no channels");
}

void limb_run_outputs_of(run_reader* r, const yml_node* n)
{
  limb_run* run = r->run;
  if (!is_list(r, n)) return;
  run->output = limb_run_room(r, n, sizeof *run->output);
  for (const yml_node* x = run->output ? n->first : NULL; x; x = x->next)
    read_output(r, x, &run->output[run->noutput++]);
}
