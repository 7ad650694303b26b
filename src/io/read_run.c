// Run files: YAML to texts with their positions. The form is checked here, that is keys and kinds of values; names and
// numbers are checked when the model is known. docs/simulation.md is the reference.
#include "limb/run.h"

#include "io/file_text.h"
#include "io/read_run.h"
#include "io/reading.h"

#include <stdio.h>
#include <string.h>

// ---- tables of keys -------------------------------------------------------------------------------

// clang-format off
#define IN(type, word, what) {.key = #word, .at = offsetof(type, word), .kind = (what)}
#define RUN(section, word, what) {.key = #word, .at = offsetof(limb_run, section.word), .kind = (what)}
#define LIST_OF(section, word, words) {#word, offsetof(limb_run, section.word), .kind = LIST, .names = (words)}
#define KEYS(word, table) {.key = (word), .kind = SECTION, .inner = (table), .single = NO_SINGLE}
#define PART(word, k) {.key = (word), .at = offsetof(limb_run_wrench, part) + (k) * sizeof(limb_run_value)}

#define XYZ "x y z"
#define MOTION "wx wy wz vx vy vz"

static const run_key model[] = {RUN(model, name, VALUE), RUN(model, base, VALUE), RUN(model, mimic, VALUE),
                                RUN(model, attach, LIST), RUN(model, root, VALUE), RUN(model, lock, LIST),
                                RUN(model, payload, LIST), RUN(model, parameters, MAP), RUN(model, args, LIST),
                                RUN(model, package_path, LIST), RUN(model, any_file, VALUE), RUN(model, srdf, VALUE),
                                RUN(model, model_name, VALUE), {0}};

static const run_key environment[] = {RUN(environment, no_friction, VALUE), RUN(environment, coulomb_width, VALUE),
                                      LIST_OF(environment, gravity, XYZ), {0}};

static const run_key start[] = {RUN(start, time, VALUE), RUN(start, file, VALUE), RUN(start, row, VALUE),
                                RUN(start, assemble, VALUE), RUN(start, tolerance, VALUE), RUN(start, q, MAP),
                                RUN(start, v, MAP), RUN(start, hold, LIST), RUN(start, target, VALUE),
                                RUN(start, pose, VALUE), {0}};

static const run_key solver[] = {
  RUN(solver, method, VALUE), RUN(solver, step, VALUE), RUN(solver, relative, VALUE), RUN(solver, absolute, VALUE),
  RUN(solver, max_step, VALUE), RUN(solver, order, VALUE), RUN(solver, max_steps, VALUE), RUN(solver, project, VALUE),
  RUN(solver, loop_method, VALUE), RUN(solver, baumgarte, VALUE), RUN(solver, stiction, VALUE),
  RUN(solver, stop, VALUE),
  RUN(solver, restitution, VALUE), RUN(solver, stop_stiffness, VALUE), RUN(solver, stop_damping, VALUE),
  RUN(solver, condition, VALUE), RUN(solver, work, VALUE), RUN(solver, max_drift, VALUE), {0}};

static const run_key table[] = {IN(limb_run_table, file, VALUE), IN(limb_run_table, interpolation, VALUE), {0}};

static const run_key wrench[] = {IN(limb_run_wrench, frame, VALUE), IN(limb_run_wrench, reference, VALUE),
                                 PART("mx", 0), PART("my", 1), PART("mz", 2),
                                 PART("fx", 3), PART("fy", 4), PART("fz", 5), {0}};

static const run_key motion[] = {
  IN(limb_run_motion, q, VALUE), IN(limb_run_motion, v, VALUE), IN(limb_run_motion, a, VALUE),
  IN(limb_run_motion, constant, VALUE), IN(limb_run_motion, rate, VALUE), IN(limb_run_motion, amplitude, VALUE),
  IN(limb_run_motion, frequency, VALUE), IN(limb_run_motion, phase, VALUE), IN(limb_run_motion, file, VALUE), {0}};

static const run_key inputs[] = {
  RUN(inputs, torques, MAP),
  {.key = "tables", .at = offsetof(limb_run, inputs.table), .kind = ITEMS, .inner = table, .needed = "file",
   .count = offsetof(limb_run, inputs.ntable), .size = sizeof(limb_run_table),
   .single = offsetof(limb_run_table, file)},
  {.key = "wrenches", .at = offsetof(limb_run, inputs.wrench), .kind = ITEMS, .inner = wrench, .needed = "frame",
   .count = offsetof(limb_run, inputs.nwrench), .size = sizeof(limb_run_wrench), .single = NO_SINGLE},
  {.key = "motion", .at = offsetof(limb_run, inputs.motion), .kind = NAMED_ITEMS, .inner = motion,
   .count = offsetof(limb_run, inputs.nmotion), .size = sizeof(limb_run_motion), .single = NO_SINGLE}, {0}};

static const run_key reference[] = {
  RUN(controller, file, VALUE), RUN(controller, q, MAP), RUN(controller, v, MAP), RUN(controller, a, MAP),
  LIST_OF(controller, position, XYZ), LIST_OF(controller, orientation, XYZ " w"),
  LIST_OF(controller, velocity, MOTION), LIST_OF(controller, acceleration, MOTION), {0}};

static const run_key controller[] = {
  RUN(controller, type, VALUE), RUN(controller, rate, VALUE), RUN(controller, delay, VALUE),
  RUN(controller, saturate, VALUE), RUN(controller, frame, VALUE), RUN(controller, axes, VALUE),
  RUN(controller, kp, MAP_OR_VALUE), RUN(controller, kd, MAP_OR_VALUE), RUN(controller, inertia, MAP_OR_VALUE),
  RUN(controller, posture_kp, MAP_OR_VALUE), RUN(controller, posture_kd, MAP_OR_VALUE),
  RUN(controller, directions, LIST), KEYS("reference", reference), {0}};

static const run_key event[] = {IN(limb_run_event, name, VALUE), IN(limb_run_event, when, VALUE),
                                IN(limb_run_event, action, VALUE), {0}};

static const run_key output[] = {
  IN(limb_run_output, file, VALUE), IN(limb_run_output, plot, VALUE), IN(limb_run_output, animation, VALUE),
  IN(limb_run_output, rate, VALUE), IN(limb_run_output, interval, VALUE), IN(limb_run_output, title, VALUE),
  IN(limb_run_output, channels, LIST), IN(limb_run_output, directions, LIST), {0}};

const run_key limb_run_keys[] = {
  {.key = "schema", .kind = SKIPPED},
  IN(limb_run, title, VALUE),
  {.key = "model", .kind = SECTION, .inner = model, .needed = "name", .single = offsetof(limb_run, model.name)},
  KEYS("environment", environment), KEYS("start", start), IN(limb_run, duration, VALUE), IN(limb_run, end, VALUE),
  KEYS("solver", solver), KEYS("inputs", inputs),
  {.key = "controller", .kind = SECTION, .inner = controller, .needed = "type", .single = NO_SINGLE},
  {.key = "events", .at = offsetof(limb_run, event), .kind = ITEMS, .inner = event, .needed = "when",
   .count = offsetof(limb_run, nevent), .size = sizeof(limb_run_event), .single = offsetof(limb_run_event, when)},
  {.key = "outputs", .at = offsetof(limb_run, output), .kind = ITEMS, .inner = output,
   .count = offsetof(limb_run, noutput), .size = sizeof(limb_run_output),
   .single = offsetof(limb_run_output, file)}, {0}};
// clang-format on

// ---- values ---------------------------------------------------------------------------------------

// "section.word" in the pool; *name points to its last part.
static const char* key_of(run_reader* r, const char* section, const char* word, const char** name)
{
  const char* dot = *section && *word ? "." : "";
  const char* key = limb_mempool_join(r->pool, section, dot, word);
  r->no_memory |= !key;
  *name = key ? key + strlen(section) + strlen(dot) : "";
  return key ? key : "";
}

// The text of a node, if it is one, as section.word. 0 after an error.
int limb_run_take(run_reader* r, const yml_node* n, const char* section, const char* word, limb_run_value* to)
{
  const char* text = NULL;
  if (!limb_yml_text(&r->report, n, &text)) return 0;
  to->text = text;
  to->key = key_of(r, section, word ? word : "", &to->name);
  to->line = n->pos.line, to->column = n->pos.column;
  return 1;
}

// Space for the entries of a list or mapping; NULL when it is empty or out of memory.
static void* alloc_entries(run_reader* r, const yml_node* list, size_t size)
{
  void* entries = list->count > 0 ? limb_mempool_alloc(r->pool, (size_t)list->count * size) : NULL;
  r->no_memory |= list->count > 0 && !entries;
  return entries;
}

static int count_words(const char* words)
{
  int count = words ? 1 : 0;
  for (; words && *words; words++) count += *words == ' ';
  return count;
}

// The i-th of words that are separated by blanks, in the pool.
static const char* word_at(run_reader* r, const char* words, int i)
{
  for (; i > 0; i--) words += strcspn(words, " ") + 1;
  const char* word = limb_mempool_text(r->pool, words, strcspn(words, " "));
  r->no_memory |= !word;
  return word;
}

// A mapping, or a list of count values (0: of any number)?
static int has_form_of(run_reader* r, const run_key* k, const yml_node* n, int count)
{
  char label[YML_LABEL_SPACE];
  if (!limb_yml_is(&r->report, n, k->kind != LIST ? YML_MAP : YML_LIST)) return 0;
  if (k->kind != LIST || count == 0 || n->count == count) return 1;
  limb_report_error(&r->report, RULE_WRONG_COUNT, n->pos, "%s has %d entries: %s; found %d", limb_yml_label(n, label),
                    count, k->names, n->count);
  return 0;
}

// A list or mapping of values, or a single one where the key allows it.
static void take_values(run_reader* r, const run_key* k, const yml_node* n, const char* section, limb_run_values* to)
{
  const char* name = NULL;
  const char* path = key_of(r, section, k->key, &name);
  const int map = k->kind != LIST, count = count_words(k->names);
  const int single = n->kind == YML_SCALAR && (map ? k->kind == MAP_OR_VALUE : count == 0);
  if (!single && !has_form_of(r, k, n, count)) return;
  const yml_node alone = {.count = 1};
  to->value = alloc_entries(r, single ? &alone : n, sizeof *to->value);
  if (!to->value) return;
  if (single) {
    to->count = limb_run_take(r, n, path, "", to->value);
    if (to->count) to->value->name = map ? "" : to->value->text;
    return;
  }
  for (const yml_node* x = n->first; x; x = x->next) {
    limb_run_value* v = &to->value[to->count];
    if (!limb_run_take(r, x, path, map ? x->key : "", v)) continue;
    to->count++;
    if (!map) v->name = count > 0 ? word_at(r, k->names, x->index) : v->text;
  }
}

// What a table cannot state about a section.
static void check_section(run_reader* r, const run_key* k, const yml_node* n)
{
  const yml_node *row = limb_yml_get(n, "row"), *channels = limb_yml_get(n, "channels");
  if (k->inner == start && row && !limb_yml_get(n, "file") && !r->report.errors)
    limb_report_error(&r->report, RULE_MISSING_KEY, row->key_pos, "row refers to a table: the key 'file' is missing");
  if (k->inner == motion && n->kind == YML_MAP && n->count == 0)
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "the motion of '%.64s' is empty", n->key);
  if (k->inner != output || n->kind != YML_MAP) return;
  if (!limb_yml_one_of(&r->report, n, "file plot animation"))
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "the key 'file', 'plot' or 'animation' is missing");
  (void)limb_yml_one_of(&r->report, n, "rate interval");
  if (channels && channels->count > 0 && limb_yml_get(n, "animation"))
    limb_report_error(&r->report, RULE_BAD_VALUE, channels->key_pos, "an animation has no channels");
}

// A mapping with the keys of an inner table, or the value that may stand for it.
static void take_section(run_reader* r, const run_key* k, const yml_node* n, const char* section, void* to)
{
  const char *name = NULL, *path = k->kind == NAMED_ITEMS ? n->key : key_of(r, section, k->key, &name);
  if (n->kind != YML_MAP && k->single != NO_SINGLE && (k->kind == SECTION || n->kind == YML_SCALAR)) {
    (void)limb_run_take(r, n, section, k->key, (limb_run_value*)(void*)((char*)to + k->single));
    return;
  }
  limb_run_take_keys(r, n, path, k->inner, to);
  if (k->needed) (void)limb_yml_need(&r->report, n, k->needed);
  check_section(r, k, n);
}

static void take_items(run_reader* r, const run_key* k, const yml_node* n, const char* section, void* to)
{
  int* count = (int*)(void*)((char*)to + k->count);
  if (!limb_yml_is(&r->report, n, k->kind == ITEMS ? YML_LIST : YML_MAP)) return;
  char* items = alloc_entries(r, n, k->size);
  memcpy((char*)to + k->at, &items, sizeof items);
  for (const yml_node* x = items ? n->first : NULL; x; x = x->next, items += k->size) {
    if (k->kind == NAMED_ITEMS) memcpy(items, &x->key, sizeof x->key);
    take_section(r, k, x, section, items);
    ++*count;
  }
}

// Keys of earlier versions. The error has the new name; the key counts as known then.
static void refuse_former(run_reader* r, const yml_node* map, const run_key* keys, char* known, size_t size)
{
  static const struct {
    const run_key* table;
    const char *was, *is;
  } former[] = {{solver, "closed", "loop_method"},       {start, "keep", "hold"},
                {solver, "longest", "max_step"},         {solver, "most_steps", "max_steps"},
                {solver, "stiffness", "stop_stiffness"}, {solver, "damping", "stop_damping"}};
  for (size_t i = 0; i < sizeof former / sizeof *former; i++) {
    const yml_node* n = former[i].table == keys ? limb_yml_get(map, former[i].was) : NULL;
    const size_t used = strlen(known);
    if (!n) continue;
    limb_report_error(&r->report, RULE_UNKNOWN_KEY, n->key_pos, "'%s' is now '%s'", former[i].was, former[i].is);
    (void)snprintf(known + used, size - used, " %s", former[i].was);
  }
}

// Reads the keys of a table into a struct; all other keys are errors.
void limb_run_take_keys(run_reader* r, const yml_node* map, const char* section, const run_key* keys, void* to)
{
  char known[256] = "";
  size_t used = 0;
  if (!limb_yml_is(&r->report, map, YML_MAP)) return;
  for (const run_key* k = keys; k->key; k++) {
    const yml_node* n = limb_yml_get(map, k->key);
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? " " : "", k->key);
    if (!n || k->kind == SKIPPED) continue;
    if (k->kind == VALUE)
      (void)limb_run_take(r, n, section, k->key, (limb_run_value*)(void*)((char*)to + k->at));
    else if (k->kind == SECTION)
      take_section(r, k, n, section, to);
    else if (k->kind == ITEMS || k->kind == NAMED_ITEMS)
      take_items(r, k, n, section, to);
    else
      take_values(r, k, n, section, (limb_run_values*)(void*)((char*)to + k->at));
  }
  refuse_former(r, map, keys, known, sizeof known);
  limb_yml_check_keys(&r->report, map, known);
}

// ---- how the model is read -------------------------------------------------------------------------

// A path as the run states it, seen from where the run was opened.
static const char* path_from(run_reader* r, const char* path)
{
  const char* slash = strrchr(r->name, '/');
  if (*path == '/' || !slash) return path;
  const char* folder = limb_mempool_text(r->pool, r->name, (size_t)(slash - r->name) + 1);
  const char* full = folder ? limb_mempool_join(r->pool, folder, path, "") : NULL;
  r->no_memory |= !full;
  return full ? full : "";
}

// Arguments and folders in the form of limb_read_options.
static void prepare_options(run_reader* r, limb_run_model* m)
{
  const char** arguments = limb_mempool_alloc(r->pool, ((size_t)m->args.count + 1) * sizeof *arguments);
  r->no_memory |= !arguments;
  for (int i = 0; i < m->args.count && arguments; i++) {
    const limb_run_value* v = &m->args.value[i];
    arguments[i] = v->text;
    if (!strstr(v->text, ":="))
      limb_report_error(&r->report, RULE_BAD_VALUE, at_line(v->line, v->column),
                        "model.args: '%.60s' is not name:=value", v->text);
  }
  m->arguments = m->args.count > 0 ? arguments : NULL;
  for (int i = 0; i < m->package_path.count && !r->no_memory; i++) {
    const char* folder = path_from(r, m->package_path.value[i].text);
    m->packages = i ? limb_mempool_join(r->pool, m->packages, ":", folder) : folder;
    r->no_memory |= !m->packages;
  }
  if (m->srdf.text) m->srdf_path = path_from(r, m->srdf.text);
}

// ---- the file -------------------------------------------------------------------------------------

limb_status limb_run_take_root(run_reader* r, const yml_node* root, const limb_run** out)
{
  limb_run* run = limb_mempool_alloc(r->pool, sizeof *run);
  if (!run) return LIMB_E_NOMEM;
  limb_run_take_keys(r, root, "", limb_run_keys, run);
  (void)limb_yml_need(&r->report, root, "model");
  (void)limb_yml_one_of(&r->report, root, "duration end");
  if (!r->no_memory) prepare_options(r, &run->model);
  if (r->no_memory) return LIMB_E_NOMEM;
  *out = run;
  return r->report.errors ? LIMB_E_MODEL : LIMB_OK;
}

limb_status limb_read_run_yaml(limb_source* src, limb_findings* findings, const limb_run** out)
{
  run_reader r = {.report = {.findings = findings}, .pool = src->pool, .name = src->name};
  const yml_node* root = NULL;
  const limb_status status = limb_yaml_parse(src->text, src->size, src->pool, &r.report, &root);
  if (status) return status;
  if (root->kind != YML_MAP) {
    limb_report_error(&r.report, RULE_WRONG_FORMAT, root->pos,
                      "this is not a run: a run file is a mapping that begins with 'schema: %d'", LIMB_RUN_SCHEMA);
    return LIMB_E_SYNTAX;
  }
  limb_yml_check_schema(&r.report, root, "schema", LIMB_RUN_SCHEMA, "run");
  return limb_run_take_root(&r, root, out);
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
