// Run files: YAML to texts with their positions. The form is checked here, that is keys and kinds of values; names and
// numbers are checked when the model is known. docs/simulation.md is the reference.
#include "limb/run.h"

#include "io/file_text.h"
#include "io/reading.h"
#include "io/yaml.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct run_reader {
  limb_reporter report;
  memory_pool* pool;
  limb_run* run;
  bool out_of_memory;
} run_reader;

// ---- values ----------------------------------------------------------------------------------------------

// "section.name" in the pool; *name points to its last part.
static const char* key_of(run_reader* r, const char* section, const char* word, const char** name)
{
  const char* dot = *section && *word ? "." : "";
  const char* key = limb_mempool_join(r->pool, section, dot, word);
  r->out_of_memory |= !key;
  *name = key ? key + strlen(section) + strlen(dot) : "";
  return key ? key : "";
}

// The text of a node, if it is one, as section.word.
static void take_as(run_reader* r, const yml_node* n, const char* section, const char* word, limb_run_value* to)
{
  const char* text = NULL;
  if (!limb_yml_text(&r->report, n, &text)) return;
  to->text = text;
  to->key = key_of(r, section, word, &to->name);
  to->line = n->pos.line, to->column = n->pos.column;
}

// The text of a node as section.key; NULL: not given.
static void take(run_reader* r, const yml_node* n, const char* section, limb_run_value* to)
{
  if (n) take_as(r, n, section, n->key ? n->key : "", to);
}

// Space for the entries of a list or mapping; NULL when it is empty or out of memory.
static void* alloc_entries(run_reader* r, const yml_node* list, size_t size)
{
  if (list->count == 0) return NULL;
  void* entries = limb_mempool_alloc(r->pool, (size_t)list->count * size);
  r->out_of_memory |= !entries;
  return entries;
}

static void append(run_reader* r, const yml_node* n, const char* section, const char* word, limb_run_values* to)
{
  limb_run_value v = {0};
  take_as(r, n, section, word, &v);
  if (v.text) to->value[to->count++] = v;
}

// A single value instead of a list or mapping; NULL after an error.
static limb_run_value* take_single(run_reader* r, const yml_node* n, const char* key, limb_run_values* to)
{
  to->value = limb_mempool_alloc(r->pool, sizeof *to->value);
  r->out_of_memory |= !to->value;
  if (to->value) append(r, n, key, "", to);
  return to->count > 0 ? to->value : NULL;
}

// Values of a mapping, with its keys as names; single: also one value, with the name "".
static void take_map(run_reader* r, const yml_node* n, const char* section, bool single, limb_run_values* to)
{
  if (!n) return;
  const char* name = NULL;
  const char* key = key_of(r, section, n->key ? n->key : "", &name);
  if (single && n->kind == YML_SCALAR) {
    limb_run_value* one = take_single(r, n, key, to);
    if (one) one->name = "";
    return;
  }
  if (!limb_yml_is(&r->report, n, YML_MAP)) return;
  to->value = alloc_entries(r, n, sizeof *to->value);
  for (const yml_node* x = to->value ? n->first : NULL; x; x = x->next) append(r, x, key, x->key, to);
}

static void report_count(run_reader* r, const yml_node* n, const char* const* names, int count)
{
  char all[120] = "", label[YML_LABEL_SPACE];
  size_t used = 0;
  for (int i = 0; i < count && used < sizeof all - 1; i++)
    used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? " " : "", names[i]);
  limb_report_error(&r->report, RULE_WRONG_COUNT, n->pos, "%s has %d entries: %s; found %d", limb_yml_label(n, label),
                    count, all, n->count);
}

// Values of a list with one entry per name (closed by NULL). names NULL: any number of entries, or a single value; the
// name of each is its text.
static void take_list(run_reader* r, const yml_node* n, const char* section, const char* const* names,
                      limb_run_values* to)
{
  if (!n) return;
  const char* name = NULL;
  const char* key = key_of(r, section, n->key ? n->key : "", &name);
  int count = 0;
  while (names && names[count]) count++;
  if (!names && n->kind == YML_SCALAR) {
    limb_run_value* one = take_single(r, n, key, to);
    if (one) one->name = one->text;
    return;
  }
  if (!limb_yml_is(&r->report, n, YML_LIST)) return;
  if (names && n->count != count) {
    report_count(r, n, names, count);
    return;
  }
  to->value = alloc_entries(r, n, sizeof *to->value);
  for (const yml_node* x = to->value ? n->first : NULL; x; x = x->next) {
    const int before = to->count;
    append(r, x, key, "", to);
    if (to->count > before) to->value[before].name = names ? names[x->index] : to->value[before].text;
  }
}

// ---- tables of keys --------------------------------------------------------------------------------------

typedef enum key_kind { VALUE, MAP, MAP_OR_VALUE, LIST, SECTION } key_kind; // SECTION: has a function of its own

typedef struct run_key {
  const char* key;
  size_t at; // of its limb_run_value, or limb_run_values
  key_kind kind;
  const char* const* names; // LIST
} run_key;

#define IN(type, word, kind)                \
  {                                         \
#word, offsetof(type, word), kind, NULL \
  }
#define IN_RUN(section, word, kind, names)               \
  {                                                      \
#word, offsetof(limb_run, section.word), kind, names \
  }

// Reads the keys of a table into a struct; all other keys are errors. 0 when the node is no mapping.
static int take_keys(run_reader* r, const yml_node* map, const char* section, const run_key* keys, int count, void* to)
{
  enum { MAX_KEYS = 24 };
  const char* known[MAX_KEYS];
  if (!limb_yml_is(&r->report, map, YML_MAP)) return 0;
  for (int i = 0; i < count && i < MAX_KEYS; i++) {
    const run_key* k = &keys[i];
    const yml_node* n = limb_yml_get(map, k->key);
    void* value = (char*)to + k->at;
    known[i] = k->key;
    switch (k->kind) {
    case VALUE: take(r, n, section, value); break;
    case MAP: take_map(r, n, section, false, value); break;
    case MAP_OR_VALUE: take_map(r, n, section, true, value); break;
    case LIST: take_list(r, n, section, k->names, value); break;
    case SECTION: break;
    }
  }
  limb_yml_check_keys(&r->report, map, known, count);
  return 1;
}

// The entries of a list; NULL when there is no list, or an empty one.
static void* begin_list(run_reader* r, const yml_node* n, size_t size)
{
  return limb_yml_is(&r->report, n, YML_LIST) ? alloc_entries(r, n, size) : NULL;
}

static const char* const xyz[] = {"x", "y", "z", NULL};
static const char* const xyzw[] = {"x", "y", "z", "w", NULL};
static const char* const motion[] = {"wx", "wy", "wz", "vx", "vy", "vz", NULL};

// ---- model, environment, start, solver -------------------------------------------------------------------

static void read_model(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {IN_RUN(model, name, VALUE, NULL), IN_RUN(model, base, VALUE, NULL),
                                 IN_RUN(model, mimic, VALUE, NULL)};
  if (!n || n->kind != YML_MAP) {
    take(r, n, "", &r->run->model.name);
    return;
  }
  (void)take_keys(r, n, "model", keys, COUNT(keys), r->run);
  (void)limb_yml_need(&r->report, n, "name");
}

static void read_environment(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {IN_RUN(environment, no_friction, VALUE, NULL),
                                 IN_RUN(environment, coulomb_width, VALUE, NULL),
                                 IN_RUN(environment, gravity, LIST, xyz)};
  if (n) (void)take_keys(r, n, "environment", keys, COUNT(keys), r->run);
}

static void read_start(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {IN_RUN(start, time, VALUE, NULL), IN_RUN(start, file, VALUE, NULL),
                                 IN_RUN(start, row, VALUE, NULL),  IN_RUN(start, assemble, VALUE, NULL),
                                 IN_RUN(start, q, MAP, NULL),      IN_RUN(start, v, MAP, NULL),
                                 IN_RUN(start, keep, LIST, NULL)};
  const limb_run_start* start = &r->run->start;
  if (!n) return;
  (void)take_keys(r, n, "start", keys, COUNT(keys), r->run);
  if (start->row.text && !start->file.text && !r->report.errors)
    limb_report_error(&r->report, RULE_MISSING_KEY, limb_yml_get(n, "row")->key_pos,
                      "row refers to a table: the key 'file' is missing");
}

static void read_solver(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {IN_RUN(solver, method, VALUE, NULL),
                                 IN_RUN(solver, step, VALUE, NULL),
                                 IN_RUN(solver, relative, VALUE, NULL),
                                 IN_RUN(solver, absolute, VALUE, NULL),
                                 IN_RUN(solver, max_step, VALUE, NULL),
                                 IN_RUN(solver, order, VALUE, NULL),
                                 IN_RUN(solver, max_steps, VALUE, NULL),
                                 IN_RUN(solver, project, VALUE, NULL),
                                 IN_RUN(solver, closed, VALUE, NULL),
                                 IN_RUN(solver, baumgarte, VALUE, NULL),
                                 IN_RUN(solver, stiction, VALUE, NULL),
                                 IN_RUN(solver, stop, VALUE, NULL),
                                 IN_RUN(solver, restitution, VALUE, NULL),
                                 IN_RUN(solver, stiffness, VALUE, NULL),
                                 IN_RUN(solver, damping, VALUE, NULL),
                                 IN_RUN(solver, condition, VALUE, NULL),
                                 IN_RUN(solver, work, VALUE, NULL),
                                 {"longest", offsetof(limb_run, solver.max_step), VALUE, NULL}, // old names, until 0.3
                                 {"most_steps", offsetof(limb_run, solver.max_steps), VALUE, NULL}};
  if (n) (void)take_keys(r, n, "solver", keys, COUNT(keys), r->run);
}

// ---- inputs ----------------------------------------------------------------------------------------------

static void read_tables(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {IN(limb_run_table, file, VALUE), IN(limb_run_table, interpolation, VALUE)};
  limb_run_inputs* in = &r->run->inputs;
  in->table = begin_list(r, n, sizeof *in->table);
  for (const yml_node* x = in->table ? n->first : NULL; x; x = x->next) {
    limb_run_table* t = &in->table[in->ntable++];
    if (x->kind == YML_SCALAR) {
      take(r, x, "inputs", &t->file);
      continue;
    }
    (void)take_keys(r, x, "inputs.tables", keys, COUNT(keys), t);
    (void)limb_yml_need(&r->report, x, "file");
  }
}

static void read_wrenches(run_reader* r, const yml_node* n)
{
#define PART(k) offsetof(limb_run_wrench, part) + (k) * sizeof(limb_run_value)
  static const run_key keys[] = {IN(limb_run_wrench, frame, VALUE), IN(limb_run_wrench, reference, VALUE),
                                 {"mx", PART(0), VALUE, NULL},      {"my", PART(1), VALUE, NULL},
                                 {"mz", PART(2), VALUE, NULL},      {"fx", PART(3), VALUE, NULL},
                                 {"fy", PART(4), VALUE, NULL},      {"fz", PART(5), VALUE, NULL}};
#undef PART
  limb_run_inputs* in = &r->run->inputs;
  in->wrench = begin_list(r, n, sizeof *in->wrench);
  for (const yml_node* x = in->wrench ? n->first : NULL; x; x = x->next) {
    (void)take_keys(r, x, "inputs.wrenches", keys, COUNT(keys), &in->wrench[in->nwrench++]);
    (void)limb_yml_need(&r->report, x, "frame");
  }
}

static void read_motion(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {
    IN(limb_run_motion, q, VALUE),         IN(limb_run_motion, v, VALUE),     IN(limb_run_motion, a, VALUE),
    IN(limb_run_motion, constant, VALUE),  IN(limb_run_motion, rate, VALUE),  IN(limb_run_motion, amplitude, VALUE),
    IN(limb_run_motion, frequency, VALUE), IN(limb_run_motion, phase, VALUE), IN(limb_run_motion, file, VALUE)};
  limb_run_inputs* in = &r->run->inputs;
  if (!limb_yml_is(&r->report, n, YML_MAP)) return;
  in->motion = alloc_entries(r, n, sizeof *in->motion);
  for (const yml_node* x = in->motion ? n->first : NULL; x; x = x->next) {
    limb_run_motion* m = &in->motion[in->nmotion++];
    m->name = x->key;
    if (take_keys(r, x, x->key, keys, COUNT(keys), m) && x->count == 0)
      limb_report_error(&r->report, RULE_MISSING_KEY, x->pos, "the motion of '%.64s' is empty", x->key);
  }
}

static void read_inputs(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {IN_RUN(inputs, torques, MAP, NULL),
                                 {"tables", 0, SECTION, NULL},
                                 {"wrenches", 0, SECTION, NULL},
                                 {"motion", 0, SECTION, NULL}};
  if (!n) return;
  (void)take_keys(r, n, "inputs", keys, COUNT(keys), r->run);
  read_tables(r, limb_yml_get(n, "tables"));
  read_wrenches(r, limb_yml_get(n, "wrenches"));
  read_motion(r, limb_yml_get(n, "motion"));
}

// ---- controller ------------------------------------------------------------------------------------------

static void read_controller(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {IN_RUN(controller, type, VALUE, NULL),
                                 IN_RUN(controller, rate, VALUE, NULL),
                                 IN_RUN(controller, delay, VALUE, NULL),
                                 IN_RUN(controller, saturate, VALUE, NULL),
                                 IN_RUN(controller, frame, VALUE, NULL),
                                 IN_RUN(controller, axes, VALUE, NULL),
                                 IN_RUN(controller, kp, MAP_OR_VALUE, NULL),
                                 IN_RUN(controller, kd, MAP_OR_VALUE, NULL),
                                 IN_RUN(controller, inertia, MAP_OR_VALUE, NULL),
                                 IN_RUN(controller, posture_kp, MAP_OR_VALUE, NULL),
                                 IN_RUN(controller, posture_kd, MAP_OR_VALUE, NULL),
                                 IN_RUN(controller, directions, LIST, NULL),
                                 {"reference", 0, SECTION, NULL}};
  static const run_key reference[] = {
    IN_RUN(controller, file, VALUE, NULL),      IN_RUN(controller, q, MAP, NULL),
    IN_RUN(controller, v, MAP, NULL),           IN_RUN(controller, a, MAP, NULL),
    IN_RUN(controller, position, LIST, xyz),    IN_RUN(controller, orientation, LIST, xyzw),
    IN_RUN(controller, velocity, LIST, motion), IN_RUN(controller, acceleration, LIST, motion)};
  if (!n) return;
  (void)take_keys(r, n, "controller", keys, COUNT(keys), r->run);
  (void)limb_yml_need(&r->report, n, "type");
  const yml_node* given = limb_yml_get(n, "reference");
  if (given) (void)take_keys(r, given, "controller.reference", reference, COUNT(reference), r->run);
}

// ---- events and outputs ----------------------------------------------------------------------------------

static void read_events(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {IN(limb_run_event, name, VALUE), IN(limb_run_event, when, VALUE),
                                 IN(limb_run_event, action, VALUE)};
  limb_run* run = r->run;
  run->event = begin_list(r, n, sizeof *run->event);
  for (const yml_node* x = run->event ? n->first : NULL; x; x = x->next) {
    limb_run_event* e = &run->event[run->nevent++];
    if (x->kind == YML_SCALAR) {
      take(r, x, "", &e->when);
      continue;
    }
    (void)take_keys(r, x, "events", keys, COUNT(keys), e);
    (void)limb_yml_need(&r->report, x, "when");
  }
}

static void read_output(run_reader* r, const yml_node* x, limb_run_output* o)
{
  static const run_key keys[] = {IN(limb_run_output, file, VALUE),      IN(limb_run_output, plot, VALUE),
                                 IN(limb_run_output, animation, VALUE), IN(limb_run_output, rate, VALUE),
                                 IN(limb_run_output, interval, VALUE),  IN(limb_run_output, title, VALUE),
                                 IN(limb_run_output, channels, LIST),   IN(limb_run_output, directions, LIST)};
  static const char *const kinds[] = {"file", "plot", "animation"}, *const rates[] = {"rate", "interval"};
  if (x->kind == YML_SCALAR) {
    take(r, x, "", &o->file);
    return;
  }
  if (!take_keys(r, x, "outputs", keys, COUNT(keys), o)) return;
  if (!limb_yml_one_of(&r->report, x, kinds, 3))
    limb_report_error(&r->report, RULE_MISSING_KEY, x->pos, "the key 'file', 'plot' or 'animation' is missing");
  (void)limb_yml_one_of(&r->report, x, rates, 2);
  if (o->animation.text && o->channels.count > 0)
    limb_report_error(&r->report, RULE_BAD_VALUE, limb_yml_get(x, "channels")->key_pos, "an animation has no channels");
}

static void read_outputs(run_reader* r, const yml_node* n)
{
  limb_run* run = r->run;
  run->output = begin_list(r, n, sizeof *run->output);
  for (const yml_node* x = run->output ? n->first : NULL; x; x = x->next)
    read_output(r, x, &run->output[run->noutput++]);
}

// ---- the file --------------------------------------------------------------------------------------------

static void read_top(run_reader* r, const yml_node* root)
{
  static const char* const keys[] = {"schema", "title",      "model",    "environment", "start",  "end",
                                     "inputs", "controller", "duration", "solver",      "events", "outputs"};
  static const char* const lengths[] = {"duration", "end"};
  limb_run* run = r->run;
  limb_yml_check_schema(&r->report, root, "schema", LIMB_RUN_SCHEMA, "run");
  limb_yml_check_keys(&r->report, root, keys, COUNT(keys));
  take(r, limb_yml_get(root, "title"), "", &run->title);
  read_model(r, limb_yml_need(&r->report, root, "model"));
  read_environment(r, limb_yml_get(root, "environment"));
  read_start(r, limb_yml_get(root, "start"));
  (void)limb_yml_one_of(&r->report, root, lengths, 2);
  take(r, limb_yml_get(root, "duration"), "", &run->duration);
  take(r, limb_yml_get(root, "end"), "", &run->end);
  read_solver(r, limb_yml_get(root, "solver"));
  read_inputs(r, limb_yml_get(root, "inputs"));
  read_controller(r, limb_yml_get(root, "controller"));
  read_events(r, limb_yml_get(root, "events"));
  read_outputs(r, limb_yml_get(root, "outputs"));
}

limb_status limb_read_run_yaml(limb_source* src, limb_findings* findings, const limb_run** out)
{
  run_reader r = {.report = {.findings = findings}, .pool = src->pool};
  const yml_node* root = NULL;
  const limb_status status = limb_yaml_parse(src->text, src->size, src->pool, &r.report, &root);
  if (status) return status;
  if (root->kind != YML_MAP) {
    limb_report_error(&r.report, RULE_WRONG_FORMAT, root->pos,
                      "this is not a run: a run file is a mapping that begins with 'schema: %d'", LIMB_RUN_SCHEMA);
    return LIMB_E_SYNTAX;
  }
  r.run = limb_mempool_alloc(src->pool, sizeof *r.run);
  if (!r.run) return LIMB_E_NOMEM;
  read_top(&r, root);
  if (r.out_of_memory) return LIMB_E_NOMEM;
  *out = r.run;
  return r.report.errors ? LIMB_E_MODEL : LIMB_OK;
}

int limb_is_run_file(const char* path)
{
  char line[256];
  int run = 0, found = 0;
  FILE* stream = path ? fopen(path, "rb") : NULL;
  if (!stream) return 0;
  for (int lines = 0; lines < 1000 && !found && fgets(line, sizeof line, stream); lines++) {
    const char* at = limb_skip_byte_order_mark(line, line + strlen(line));
    if (strchr("#\r\n%", *at) || strncmp(at, "---", 3) == 0) continue;
    run = strncmp(at, "schema:", 7) == 0 || strncmp(at, "model:", 6) == 0;
    found = 1;
  }
  (void)fclose(stream);
  return run;
}
