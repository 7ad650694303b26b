// Studies: a run, what varies from case to case, what is collected. docs/scale.md is the reference.
//
// The run is read with the texts of its varying values in slots of their own: a case is written there, and the run is
// that of the case. So whatever a run file can have can vary.
#include "limb/run.h"

#include "io/file_text.h"
#include "io/read_run.h"
#include "io/reading.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// ---- tables of keys -------------------------------------------------------------------------------

enum { KINDS = LIMB_STUDY_CHOOSE + 1, NUMBER = 40 }; // bytes of a number

// One entry of vary as it is written: one of the kinds.
typedef struct written_vary {
  limb_run_values values[KINDS];
  limb_run_values limits, set;
} written_vary;

// clang-format off
#define STUDY(word) {.key = #word, .at = offsetof(limb_study, word), .kind = VALUE}
#define COLLECT(word, k) {.key = (word), .at = offsetof(limb_study, collect) + (k) * sizeof(limb_run_values), \
                          .kind = LIST}
#define KIND(word, k, entries) {.key = (word), .at = offsetof(written_vary, values) + (k) * sizeof(limb_run_values), \
                                .kind = LIST, .names = (entries)}

static const run_key collect_keys[] = {
  COLLECT("initial", LIMB_COLLECT_INITIAL), COLLECT("final", LIMB_COLLECT_FINAL), COLLECT("min", LIMB_COLLECT_MIN),
  COLLECT("max", LIMB_COLLECT_MAX), COLLECT("peak", LIMB_COLLECT_PEAK), COLLECT("mean", LIMB_COLLECT_MEAN),
  COLLECT("rms", LIMB_COLLECT_RMS), COLLECT("series", LIMB_COLLECT_SERIES), COLLECT("events", LIMB_COLLECT_EVENTS),
  STUDY(rate), STUDY(points), {0}};

static const run_key study_keys[] = {
  {.key = "study", .kind = SKIPPED}, STUDY(title), {.key = "run", .kind = SKIPPED}, STUDY(samples), STUDY(sampling),
  STUDY(seed), {.key = "vary", .kind = SKIPPED},
  {.key = "collect", .kind = SECTION, .inner = collect_keys, .single = NO_SINGLE}, STUDY(output), {0}};

static const run_key vary_keys[] = {
  KIND("list", LIMB_STUDY_LIST, NULL), KIND("grid", LIMB_STUDY_GRID, "from to count"),
  KIND("log_grid", LIMB_STUDY_LOG_GRID, "from to count"), KIND("uniform", LIMB_STUDY_UNIFORM, "low high"),
  KIND("log_uniform", LIMB_STUDY_LOG_UNIFORM, "low high"), KIND("normal", LIMB_STUDY_NORMAL, "mean deviation"),
  KIND("log_normal", LIMB_STUDY_LOG_NORMAL, "median deviation"),
  KIND("triangular", LIMB_STUDY_TRIANGULAR, "low mode high"), KIND("choose", LIMB_STUDY_CHOOSE, NULL),
  {.key = "limits", .at = offsetof(written_vary, limits), .kind = LIST, .names = "low high"},
  {.key = "set", .at = offsetof(written_vary, set), .kind = MAP}, {0}};
// clang-format on

// ---- what varies ----------------------------------------------------------------------------------

// Bytes of a template with a value, which is never empty.
static size_t size_for(const limb_study_vary* v, const char* as)
{
  const int words = v->kind == LIMB_STUDY_LIST || v->kind == LIMB_STUDY_CHOOSE;
  size_t longest = NUMBER, places = 0;
  for (int i = 0; words && i < v->values.count; i++) {
    const size_t n = strlen(v->values.value[i].text);
    if (n > longest) longest = n;
  }
  for (const char* c = as; (c = strstr(c, "{}")); c += 2) places++;
  return strlen(as) + places * longest + 2;
}

// The template with a number, whatever it is: the reader checks the form of some texts.
static void fill_with_zero(char* to, const char* as)
{
  for (; *as; as++) {
    const int place = as[0] == '{' && as[1] == '}';
    *to++ = (char)(place ? '0' : *as);
    as += place;
  }
}

static int put_target(run_reader* r, yml_node* run, const limb_study_vary* v, limb_run_value as, limb_study_target* t)
{
  const file_pos at = at_line(as.line, as.column);
  t->as = as;
  t->size = size_for(v, as.text);
  t->slot = limb_mempool_alloc(r->pool, t->size);
  r->no_memory |= !t->slot;
  if (!t->slot) return 0;
  if (!strstr(as.text, "{}"))
    limb_report_error(&r->report, RULE_BAD_VALUE, at, "'%.60s' does not vary: {} stands for the value, as in {}kg@hand",
                      as.text);
  fill_with_zero(t->slot, as.text);
  return limb_run_put(r, run, as.name, at, t->slot);
}

static void put_targets(run_reader* r, yml_node* run, const limb_run_values* set, limb_study_vary* v)
{
  const limb_run_value whole = {"{}", v->name.key, v->name.name, v->name.line, v->name.column};
  const int count = set->count > 0 ? set->count : 1;
  v->target = limb_mempool_alloc(r->pool, (size_t)count * sizeof *v->target);
  r->no_memory |= !v->target;
  for (int i = 0; v->target && i < count; i++) {
    if (put_target(r, run, v, set->count > 0 ? set->value[i] : whole, &v->target[v->ntarget]))
      v->ntarget++;
    else if (set->count == 0 && !strchr(v->name.name, '.'))
      limb_report_hint(r->report.findings,
                       "a name of your own needs set: {PATH: \"{}\"}, the keys of the run that get its value");
  }
}

// The kind that is given, and its values.
static void take_kind(run_reader* r, const yml_node* n, const written_vary* w, limb_study_vary* v)
{
  const yml_node* kind =
    limb_yml_one_of(&r->report, n, "list grid log_grid uniform log_uniform normal log_normal triangular choose");
  if (!kind && !r->report.errors)
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos,
                      "'%.60s' has no values: list, grid, log_grid, uniform, log_uniform, normal, log_normal, "
                      "triangular or choose",
                      n->key);
  for (int k = 0; kind && k < KINDS; k++)
    if (strcmp(vary_keys[k].key, kind->key) == 0) v->kind = (limb_study_kind)k, v->values = w->values[k];
  v->limits = w->limits;
  if (kind && kind->kind == YML_LIST && kind->count == 0)
    limb_report_error(&r->report, RULE_BAD_VALUE, kind->pos, "%s of '%.60s' is empty: there would be no case",
                      kind->key, n->key);
  if (v->limits.count > 0 && v->kind != LIMB_STUDY_NORMAL && v->kind != LIMB_STUDY_LOG_NORMAL)
    limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "limits are for normal and log_normal");
}

// [1, 2, 3] is short for {list: [1, 2, 3]}.
static void take_vary(run_reader* r, const yml_node* n, yml_node* run, limb_study_vary* v)
{
  written_vary w = {0};
  char* key = limb_mempool_join(r->pool, "vary.", n->key, "");
  const yml_node brief = {.kind = YML_MAP, .count = 1, .index = -1, .pos = n->pos, .first = limb_run_own(n)};
  r->no_memory |= !key;
  if (!key) return;
  v->name = (limb_run_value){n->key, key, n->key, n->key_pos.line, n->key_pos.column};
  if (n->kind == YML_LIST) {
    yml_node list = *n;
    yml_node map = brief;
    list.key = "list", list.next = NULL, map.first = &list, map.key = n->key;
    limb_run_take_keys(r, &map, key, vary_keys, &w);
    take_kind(r, &map, &w, v);
  } else {
    limb_run_take_keys(r, n, key, vary_keys, &w);
    if (n->kind == YML_MAP) take_kind(r, n, &w, v);
  }
  put_targets(r, run, &w.set, v);
}

static void take_all(run_reader* r, const yml_node* map, yml_node* run, limb_study* s)
{
  if (!map || !limb_yml_is(&r->report, map, YML_MAP) || map->count == 0) return;
  s->vary = limb_mempool_alloc(r->pool, (size_t)map->count * sizeof *s->vary);
  r->no_memory |= !s->vary;
  for (const yml_node* n = s->vary ? map->first : NULL; n; n = n->next) take_vary(r, n, run, &s->vary[s->nvary++]);
}

// ---- the run --------------------------------------------------------------------------------------

static void mark_file(yml_node* n, int file)
{
  n->pos.file = n->key_pos.file = file;
  for (yml_node* x = n->first; x; x = x->next) mark_file(x, file);
}

// The tree of the run file that a study names; NULL: an error.
static yml_node* load_run(run_reader* r, limb_source* src, const yml_node* at, limb_study* s)
{
  const char* slash = src->files->source && *at->text != '/' ? strrchr(src->files->source, '/') : NULL;
  const char* folder =
    slash ? limb_mempool_text(r->pool, src->files->source, (size_t)(slash - src->files->source) + 1) : "";
  const char* path = folder ? limb_mempool_join(r->pool, folder, at->text, "") : NULL;
  const yml_node* root = NULL;
  file_bytes file = {0};
  r->no_memory |= !path;
  if (!path || !limb_files_load(src->files, path, RULE_UNREADABLE, at->pos, (limb_subject){"run", NULL}, &file)) {
    r->report.errors++;
    return NULL;
  }
  s->run_path = path;
  limb_reporter own = {.findings = r->report.findings, .file = file.file};
  const limb_status status = limb_yaml_parse(file.text, file.size, r->pool, &own, &root);
  r->no_memory |= status == LIMB_E_NOMEM;
  if (status == LIMB_OK && root->kind != YML_MAP)
    limb_report_error(&own, RULE_WRONG_FORMAT, root->pos, "this is not a run: it must begin with 'schema: %d'",
                      LIMB_RUN_SCHEMA);
  else if (status == LIMB_OK)
    limb_yml_check_schema(&own, root, "schema", LIMB_RUN_SCHEMA, "run");
  r->report.errors += own.errors + (status != LIMB_OK);
  if (status != LIMB_OK || root->kind != YML_MAP) return NULL;
  yml_node* tree = limb_run_own(root);
  mark_file(tree, file.file);
  return tree;
}

static yml_node* find_run(run_reader* r, limb_source* src, const yml_node* root, limb_study* s)
{
  const yml_node* n = limb_yml_need(&r->report, root, "run");
  if (!n) return NULL;
  if (n->kind == YML_MAP) return limb_run_own(n);
  const char* text = NULL;
  return limb_yml_text(&r->report, n, &text) ? load_run(r, src, n, s) : NULL;
}

// ---- the file -------------------------------------------------------------------------------------

limb_status limb_read_study_yaml(limb_source* src, limb_findings* findings, const limb_study** out,
                                 const limb_run** run)
{
  run_reader r = {.report = {.findings = findings}, .pool = src->pool, .name = src->name};
  const yml_node* root = NULL;
  const limb_status status = limb_yaml_parse(src->text, src->size, src->pool, &r.report, &root);
  if (status) return status;
  if (root->kind != YML_MAP) {
    limb_report_error(&r.report, RULE_WRONG_FORMAT, root->pos,
                      "this is not a study: a study is a mapping that begins with 'study: %d'", LIMB_STUDY_SCHEMA);
    return LIMB_E_SYNTAX;
  }
  limb_study* s = limb_mempool_alloc(src->pool, sizeof *s);
  if (!s) return LIMB_E_NOMEM;
  limb_yml_check_schema(&r.report, root, "study", LIMB_STUDY_SCHEMA, "study");
  limb_run_take_keys(&r, root, "", study_keys, s);
  (void)limb_yml_need(&r.report, root, "collect");
  yml_node* tree = find_run(&r, src, root, s);
  if (tree) take_all(&r, limb_yml_get(root, "vary"), tree, s);
  if (r.no_memory) return LIMB_E_NOMEM;
  if (!tree) return LIMB_E_MODEL;
  *out = s;
  return limb_run_take_root(&r, tree, run);
}
