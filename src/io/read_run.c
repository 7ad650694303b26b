// Run files: YAML to texts with their places. The form is checked here, keys and kinds; names and numbers by
// whoever knows the model. docs/simulation.md is the reference.
#include "io/read_run_impl.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// ---- values ----------------------------------------------------------------------------------------------

// "section.name" in the pool; *name points to its last part.
static const char* key_of(run_reader* r, const char* section, const char* word, const char** name)
{
  const size_t first = strlen(section), second = strlen(word), dot = first && second;
  char* key = limb_store_take(r->pool, first + dot + second + 1);
  if (!key) {
    r->out_of_memory = true;
    *name = "";
    return "";
  }
  (void)snprintf(key, first + dot + second + 1, "%s%s%s", section, dot ? "." : "", word);
  *name = key + first + dot;
  return key;
}

static void take_as(run_reader* r, const yml_node* n, const char* section, const char* word, limb_run_value* to)
{
  const char* text = NULL;
  if (!limb_yml_text(&r->check, n, &text)) return;
  to->text = text;
  to->key = key_of(r, section, word, &to->name);
  to->line = n->mark.line, to->column = n->mark.column;
}

void limb_run_take(run_reader* r, const yml_node* n, const char* section, limb_run_value* to)
{
  if (n) take_as(r, n, section, n->key ? n->key : "", to);
}

void* limb_run_room(run_reader* r, const yml_node* list, size_t size)
{
  if (list->count == 0) return NULL;
  void* room = limb_store_take(r->pool, (size_t)list->count * size);
  if (!room) r->out_of_memory = true;
  return room;
}

static void add(run_reader* r, const yml_node* n, const char* section, const char* word, limb_run_values* to)
{
  limb_run_value v = {0};
  take_as(r, n, section, word, &v);
  if (v.text) to->value[to->count++] = v;
}

// One value in the place of many; NULL: there is none.
static limb_run_value* take_alone(run_reader* r, const yml_node* n, const char* key, limb_run_values* to)
{
  limb_run_value* one = limb_store_take(r->pool, sizeof *one);
  if (!one) {
    r->out_of_memory = true;
    return NULL;
  }
  to->value = one;
  add(r, n, key, "", to);
  return to->count > 0 ? one : NULL;
}

void limb_run_take_map(run_reader* r, const yml_node* n, const char* section, bool alone, limb_run_values* to)
{
  if (!n) return;
  const char* name = NULL;
  const char* key = key_of(r, section, n->key ? n->key : "", &name);
  if (alone && n->kind == YML_SCALAR) {
    limb_run_value* one = take_alone(r, n, key, to);
    if (one) one->name = "";
    return;
  }
  if (!limb_yml_is(&r->check, n, YML_MAP)) return;
  to->value = limb_run_room(r, n, sizeof *to->value);
  for (const yml_node* x = to->value ? n->first : NULL; x; x = x->next) add(r, x, key, x->key, to);
}

static void wrong_count(run_reader* r, const yml_node* n, const char* const* names)
{
  char all[120] = "", label[YML_LABEL_SPACE];
  size_t used = 0;
  int count = 0;
  for (; names[count] && used < sizeof all - 1; count++)
    used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", count ? " " : "", names[count]);
  limb_yml_error(&r->check, RULE_WRONG_COUNT, n->mark, "%s has %d entries: %s; found %d", limb_yml_label(n, label),
                 count, all, n->count);
}

void limb_run_take_list(run_reader* r, const yml_node* n, const char* section, const char* const* names,
                        limb_run_values* to)
{
  if (!n) return;
  const char* name = NULL;
  const char* key = key_of(r, section, n->key ? n->key : "", &name);
  int count = 0;
  while (names && names[count]) count++;
  if (!names && n->kind == YML_SCALAR) {
    limb_run_value* one = take_alone(r, n, key, to);
    if (one) one->name = one->text;
    return;
  }
  if (!limb_yml_is(&r->check, n, YML_LIST)) return;
  if (names && n->count != count) {
    wrong_count(r, n, names);
    return;
  }
  to->value = limb_run_room(r, n, sizeof *to->value);
  for (const yml_node* x = to->value ? n->first : NULL; x; x = x->next) {
    const int before = to->count;
    add(r, x, key, "", to);
    if (to->count > before) to->value[before].name = names ? names[x->index] : to->value[before].text;
  }
}

void limb_run_take_keys(run_reader* r, const yml_node* map, const char* section, const run_key* keys,
                        const char* const* more, void* to)
{
  enum { MOST = 40 };
  const char* known[MOST];
  int count = 0;
  if (!limb_yml_is(&r->check, map, YML_MAP)) return;
  for (const run_key* k = keys; k->key; k++) {
    known[count++] = k->key;
    limb_run_take(r, limb_yml_get(map, k->key), section, (limb_run_value*)(void*)((char*)to + k->at));
  }
  for (; more && *more && count < MOST; more++) known[count++] = *more;
  limb_yml_check_keys(&r->check, map, known, count);
}

// ---- sections --------------------------------------------------------------------------------------------

#define AT(member) offsetof(limb_run, member)

static void read_model(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {
    {"name", AT(model.name)}, {"base", AT(model.base)}, {"mimic", AT(model.mimic)}, {NULL, 0}};
  if (!n || n->kind != YML_MAP) {
    limb_run_take(r, n, "", &r->run->model.name);
    return;
  }
  limb_run_take_keys(r, n, "model", keys, NULL, r->run);
  (void)limb_yml_need(&r->check, n, "name");
}

static void read_environment(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {
    {"no_friction", AT(environment.no_friction)}, {"coulomb_width", AT(environment.coulomb_width)}, {NULL, 0}};
  static const char *const more[] = {"gravity", NULL}, *const axes[] = {"x", "y", "z", NULL};
  if (!n) return;
  limb_run_take_keys(r, n, "environment", keys, more, r->run);
  limb_run_take_list(r, limb_yml_get(n, "gravity"), "environment", axes, &r->run->environment.gravity);
}

static void read_start(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {{"time", AT(start.time)},
                                 {"file", AT(start.file)},
                                 {"row", AT(start.row)},
                                 {"assemble", AT(start.assemble)},
                                 {NULL, 0}};
  static const char* const more[] = {"q", "v", "keep", NULL};
  limb_run_start* start = &r->run->start;
  if (!n) return;
  limb_run_take_keys(r, n, "start", keys, more, r->run);
  limb_run_take_map(r, limb_yml_get(n, "q"), "start", false, &start->q);
  limb_run_take_map(r, limb_yml_get(n, "v"), "start", false, &start->v);
  limb_run_take_list(r, limb_yml_get(n, "keep"), "start", NULL, &start->keep);
  if (start->row.text && !start->file.text && !r->check.errors)
    limb_yml_error(&r->check, RULE_MISSING_KEY, limb_yml_get(n, "row")->key_mark, "row is of a table: file is missing");
}

static void read_solver(run_reader* r, const yml_node* n)
{
  static const run_key keys[] = {{"method", AT(solver.method)},
                                 {"step", AT(solver.step)},
                                 {"relative", AT(solver.relative)},
                                 {"absolute", AT(solver.absolute)},
                                 {"max_step", AT(solver.longest)},
                                 {"order", AT(solver.order)},
                                 {"max_steps", AT(solver.most_steps)},
                                 {"project", AT(solver.project)},
                                 {"closed", AT(solver.closed)},
                                 {"baumgarte", AT(solver.baumgarte)},
                                 {"stiction", AT(solver.stiction)},
                                 {"stop", AT(solver.stop)},
                                 {"restitution", AT(solver.restitution)},
                                 {"stiffness", AT(solver.stiffness)},
                                 {"damping", AT(solver.damping)},
                                 {"condition", AT(solver.condition)},
                                 {"work", AT(solver.work)},
                                 {"longest", AT(solver.longest)}, // old names, until 0.3
                                 {"most_steps", AT(solver.most_steps)},
                                 {NULL, 0}};
  if (n) limb_run_take_keys(r, n, "solver", keys, NULL, r->run);
}

#undef AT

// ---- the file --------------------------------------------------------------------------------------------

static void read_schema(run_reader* r, const yml_node* root)
{
  const yml_node* n = limb_yml_get(root, "schema");
  int version = 0;
  if (!n || n != root->first) {
    limb_yml_error(&r->check, RULE_MISSING_KEY, root->first ? root->first->key_mark : root->mark,
                   "the first line of a run file is 'schema: %d'", LIMB_RUN_SCHEMA);
    if (!n) return;
  }
  if (limb_yml_integer(&r->check, n, 1, INT_MAX, &version) && version != LIMB_RUN_SCHEMA)
    limb_yml_error(&r->check, RULE_UNSUPPORTED, n->mark, "the file is of schema %d, this program knows %d", version,
                   LIMB_RUN_SCHEMA);
}

static void read_top(run_reader* r, const yml_node* root)
{
  static const char* const keys[] = {"schema", "title",      "model",    "environment", "start",  "end",
                                     "inputs", "controller", "duration", "solver",      "events", "outputs"};
  static const char* const lengths[] = {"duration", "end"};
  limb_run* run = r->run;
  read_schema(r, root);
  limb_yml_check_keys(&r->check, root, keys, (int)(sizeof keys / sizeof *keys));
  limb_run_take(r, limb_yml_get(root, "title"), "", &run->title);
  read_model(r, limb_yml_need(&r->check, root, "model"));
  read_environment(r, limb_yml_get(root, "environment"));
  read_start(r, limb_yml_get(root, "start"));
  (void)limb_yml_one_of(&r->check, root, lengths, 2);
  limb_run_take(r, limb_yml_get(root, "duration"), "", &run->duration);
  limb_run_take(r, limb_yml_get(root, "end"), "", &run->end);
  read_solver(r, limb_yml_get(root, "solver"));
  limb_run_inputs_of(r, limb_yml_get(root, "inputs"));
  limb_run_controller_of(r, limb_yml_get(root, "controller"));
  limb_run_events_of(r, limb_yml_get(root, "events"));
  limb_run_outputs_of(r, limb_yml_get(root, "outputs"));
}

limb_status limb_read_run_yaml(limb_source* src, limb_findings* findings, const limb_run** out)
{
  run_reader r = {.check = {.findings = findings}, .pool = src->pool};
  const yml_node* root = NULL;
  const limb_status status = limb_yaml_parse(src->text, src->size, src->pool, &r.check, &root);
  if (status) return status;
  if (root->kind != YML_MAP) {
    limb_yml_error(&r.check, RULE_WRONG_FORMAT, root->mark,
                   "this is no run: a run file is a mapping that begins with 'schema: %d'", LIMB_RUN_SCHEMA);
    return LIMB_E_SYNTAX;
  }
  r.run = limb_store_take(src->pool, sizeof *r.run);
  if (!r.run) return LIMB_E_NOMEM;
  read_top(&r, root);
  if (r.out_of_memory) return LIMB_E_NOMEM;
  *out = r.run;
  return r.check.errors ? LIMB_E_MODEL : LIMB_OK;
}

int limb_is_run_file(const char* path)
{
  char line[256];
  int run = 0, told = 0;
  FILE* stream = path ? fopen(path, "rb") : NULL;
  if (!stream) return 0;
  for (int lines = 0; lines < 1000 && !told && fgets(line, sizeof line, stream); lines++) {
    const char* at = strncmp(line, "\xEF\xBB\xBF", 3) == 0 ? line + 3 : line;
    if (strchr("#\r\n%", *at) || strncmp(at, "---", 3) == 0) continue;
    run = strncmp(at, "schema:", 7) == 0 || strncmp(at, "model:", 6) == 0;
    told = 1;
  }
  (void)fclose(stream);
  return run;
}
