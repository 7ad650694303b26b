// The list of findings. Its texts live in a pool, the list itself is a growing array.
#include "io/findings.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/number.h"
#include "io/file_text.h"
#include "io/memory_pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_TEXT = 1000,     // characters of one finding, so that a hostile name cannot fill a screen
  MAX_FINDINGS = 10000 // errors, and as many others, in one list; one more finding reports that there are more
};

typedef struct entry {
  limb_finding finding;
  int order, file;
} entry;

struct limb_findings {
  limb_allocator alloc;
  memory_pool pool;
  entry* entry;
  int count, capacity;
  int kept[2]; // how many were added: errors are counted apart, so that notes cannot crowd them out
  int dropped; // 1 when the last one was not added
  int suggestions;
  limb_names reported; // by limb_report_once: indices into key
  const char** key;
  int nkey, key_cap;
  size_t slots;      // of reported
  const char** file; // beside the source; file[0] has the number 1
  int nfile, file_cap;
  int lost;
};

// ---- rules ----------------------------------------------------------------------------------------

static const limb_rule_info rules[RULE_COUNT] = {
#define LIMB_X(id, name, severity, why, fix) {name, LIMB_##severity, why, fix},
  LIMB_RULE_LIST(LIMB_X)
#undef LIMB_X
};

int limb_rule_count(void) { return RULE_COUNT; }

limb_status limb_get_rule(int index, limb_rule_info* out)
{
  if (!out || index < 0 || index >= RULE_COUNT) return LIMB_E_ARG;
  *out = rules[index];
  return LIMB_OK;
}

int limb_find_rule(const char* name)
{
  for (int i = 0; name && i < RULE_COUNT; i++) {
    if (strcmp(rules[i].name, name) == 0) return i;
  }
  return -1;
}

const char* limb_severity_name(limb_severity severity)
{
  switch (severity) {
  case LIMB_NOTE: return "note";
  case LIMB_WARNING: return "warning";
  case LIMB_ERROR: return "error";
  }
  return NULL;
}

// ---- creation -------------------------------------------------------------------------------------

limb_status limb_findings_create(const limb_allocator* alloc, limb_findings** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (alloc && (!alloc->alloc || !alloc->free)) return LIMB_E_ARG;
  const limb_allocator a = alloc ? *alloc : limb_default_allocator();
  limb_findings* f = limb_alloc(&a, sizeof *f);
  if (!f) return LIMB_E_NOMEM;
  *f = (limb_findings){.alloc = a, .pool = limb_mempool_make(&a)};
  *out = f;
  return LIMB_OK;
}

void limb_findings_destroy(limb_findings* f)
{
  if (!f) return;
  const limb_allocator a = f->alloc;
  limb_mempool_free(&f->pool);
  limb_free(&a, f->entry, (size_t)f->capacity * sizeof *f->entry);
  limb_free(&a, (void*)f->key, (size_t)f->key_cap * sizeof *f->key);
  limb_free(&a, f->reported.slot, f->slots * sizeof *f->reported.slot);
  limb_free(&a, (void*)f->file, (size_t)f->file_cap * sizeof *f->file);
  limb_free(&a, f, sizeof *f);
}

// ---- files ----------------------------------------------------------------------------------------

int limb_findings_add_file(limb_findings* f, const char* path)
{
  if (!f) return 1; // nothing is reported
  for (int i = 0; i < f->nfile; i++) {
    if (strcmp(f->file[i], path) == 0) return i + 1;
  }
  void* files = (void*)f->file;
  const int grown = limb_grow(&f->alloc, &files, &f->file_cap, f->nfile, sizeof *f->file);
  f->file = files;
  const char* copy = grown ? limb_mempool_text(&f->pool, path, strlen(path)) : NULL;
  if (!copy) {
    f->lost = 1;
    return -1;
  }
  f->file[f->nfile++] = copy;
  return f->nfile;
}

const char* limb_findings_file(const limb_findings* f, int file)
{
  return f && file > 0 && file <= f->nfile ? f->file[file - 1] : "";
}

// ---- reports --------------------------------------------------------------------------------------

// Text by a format, in the pool, of bounded length; NULL when out of memory.
static const char* format_text(limb_findings* f, const char* format, va_list args)
{
  char text[MAX_TEXT + 1];
  const int n = vsnprintf(text, sizeof text, format, args);
  const size_t length = n < 0 ? 0 : n > MAX_TEXT ? MAX_TEXT : (size_t)n;
  if (n > MAX_TEXT) memcpy(text + MAX_TEXT - 3, "...", 4);
  limb_mask_controls(text); // names come from files, and messages go to terminals and JSON
  return limb_mempool_text(&f->pool, text, length);
}

static const char* subject_text(limb_findings* f, limb_subject about)
{
  char where[LIMB_WHERE_SPACE];
  if (about.kind && about.name) {
    const int n = snprintf(where, sizeof where, "%s '%s'", about.kind, about.name);
    if (n >= (int)sizeof where) memcpy(where + sizeof where - 5, "...'", 5);
  } else {
    (void)snprintf(where, sizeof where, "%s", about.kind ? about.kind : "");
  }
  limb_mask_controls(where);
  return limb_mempool_text(&f->pool, where, strlen(where));
}

static void add(limb_findings* f, limb_rule rule, file_pos at, limb_subject about, const char* text)
{
  void* items = f->entry;
  const int grown = limb_grow(&f->alloc, &items, &f->capacity, f->count, sizeof *f->entry);
  f->entry = items;
  const char* where = subject_text(f, about);
  if (!grown || !text || !where) {
    f->lost = 1;
    return;
  }
  const limb_finding finding = {.rule = rules[rule].name,
                                .severity = rules[rule].severity,
                                .line = at.line,
                                .column = at.column,
                                .where = where,
                                .text = text,
                                .hint = "",
                                .file = limb_findings_file(f, at.file)};
  f->entry[f->count] = (entry){finding, f->count, at.file};
  f->count++;
}

void limb_report_args(limb_findings* f, limb_rule rule, file_pos at, limb_subject about, const char* format,
                      va_list args)
{
  if (!f) return;
  int* kept = &f->kept[rules[rule].severity == LIMB_ERROR];
  f->dropped = *kept > MAX_FINDINGS;
  if (f->dropped) return;
  if (++*kept > MAX_FINDINGS) {
    add(f, rule, at, about, "... and more: only the first findings are kept");
    f->dropped = 1; // it stands for others, and keeps its severity: an error may be among them
  } else {
    add(f, rule, at, about, format_text(f, format, args));
  }
}

void limb_report(limb_findings* f, limb_rule rule, file_pos at, limb_subject about, const char* format, ...)
{
  va_list args;
  va_start(args, format);
  limb_report_args(f, rule, at, about, format, args);
  va_end(args);
}

void limb_report_note(const limb_reporter* r, limb_rule rule, file_pos at, const char* format, ...)
{
  va_list args;
  va_start(args, format);
  limb_report_args(r->findings, rule, at, r->about, format, args);
  va_end(args);
}

void limb_report_error(limb_reporter* r, limb_rule rule, file_pos at, const char* format, ...)
{
  va_list args;
  if (at.file == 0) at.file = r->file;
  va_start(args, format);
  limb_report_args(r->findings, rule, at, r->about, format, args);
  va_end(args);
  r->errors++;
}

static const char* key_of(const void* f, int i) { return ((const limb_findings*)f)->key[i]; }

// Space for one more key and its slot; 0 when out of memory.
static int reserve_key(limb_findings* f)
{
  void* keys = (void*)f->key;
  const int grown = limb_grow(&f->alloc, &keys, &f->key_cap, f->nkey, sizeof *f->key);
  f->key = keys;
  const size_t needed = limb_names_capacity((size_t)f->nkey + 1);
  if (!grown || needed <= f->slots) return grown;
  int* slot = limb_alloc(&f->alloc, needed * sizeof *slot);
  if (!slot) return 0;
  limb_free(&f->alloc, f->reported.slot, f->slots * sizeof *f->reported.slot);
  limb_names_clear(&f->reported, slot, needed);
  f->slots = needed;
  for (int i = 0; i < f->nkey; i++) limb_names_put(&f->reported, f->key[i], i);
  return 1;
}

// 1 when limb_report_once has reported this rule for this name before. Of long names the beginning counts.
static int reported_before(limb_findings* f, limb_rule rule, const char* name)
{
  char key[LIMB_WHERE_SPACE];
  (void)snprintf(key, sizeof key, "%d %s", (int)rule, name ? name : "");
  if (f->slots && limb_names_find(&f->reported, key, key_of, f) >= 0) return 1;
  const char* copy = limb_mempool_text(&f->pool, key, strlen(key));
  if (!copy || !reserve_key(f)) {
    f->lost = 1;
    return 0;
  }
  f->key[f->nkey] = copy;
  limb_names_put(&f->reported, copy, f->nkey++);
  return 0;
}

void limb_report_once(limb_findings* f, limb_rule rule, file_pos at, limb_subject about, const char* format, ...)
{
  if (!f) return;
  f->dropped = 1; // a hint that follows belongs to this finding, also when it is not reported again
  if (f->kept[rules[rule].severity == LIMB_ERROR] > MAX_FINDINGS || reported_before(f, rule, about.name)) return;
  va_list args;
  va_start(args, format);
  limb_report_args(f, rule, at, about, format, args);
  va_end(args);
}

void limb_report_hint(limb_findings* f, const char* format, ...)
{
  if (!f || f->count == 0 || f->dropped) return;
  va_list args;
  va_start(args, format);
  const char* text = format_text(f, format, args);
  va_end(args);
  if (text)
    f->entry[f->count - 1].finding.hint = text;
  else
    f->lost = 1;
}

void limb_report_as(limb_findings* f, limb_severity severity)
{
  if (f && f->count > 0 && !f->dropped) f->entry[f->count - 1].finding.severity = severity;
}

void limb_report_mildly(limb_findings* f, int first)
{
  for (int i = first; f && i < f->count; i++)
    if (f->entry[i].finding.severity == LIMB_ERROR) f->entry[i].finding.severity = LIMB_WARNING;
}

void limb_report_in_full(limb_findings* f, limb_rule rule)
{
  for (int i = 0; f && i < f->count; i++) {
    if (f->entry[i].finding.rule == rules[rule].name) f->entry[i].finding.severity = rules[rule].severity;
  }
}

int limb_findings_lost(const limb_findings* f) { return f ? f->lost : 0; }

// ---- access ---------------------------------------------------------------------------------------

int limb_findings_count(const limb_findings* f) { return f ? f->count : 0; }

int limb_findings_count_from(const limb_findings* f, limb_severity severity)
{
  int count = 0;
  for (int i = 0; f && i < f->count; i++) count += f->entry[i].finding.severity >= severity;
  return count;
}

limb_status limb_findings_get(const limb_findings* f, int index, limb_finding* out)
{
  if (!f || !out || index < 0 || index >= f->count) return LIMB_E_ARG;
  *out = f->entry[index].finding;
  return LIMB_OK;
}

static int compare(const void* left, const void* right)
{
  const entry *a = left, *b = right;
  const int la = a->finding.line, lb = b->finding.line;
  if (a->file != b->file) return a->file < b->file ? -1 : 1;
  if ((la == 0) != (lb == 0)) return la == 0 ? 1 : -1;
  if (la != lb) return la < lb ? -1 : 1;
  if (a->finding.column != b->finding.column) return a->finding.column < b->finding.column ? -1 : 1;
  return a->order < b->order ? -1 : 1;
}

void limb_findings_sort(limb_findings* f)
{
  if (f && f->count > 1) qsort(f->entry, (size_t)f->count, sizeof *f->entry, compare);
}

// ---- errors ---------------------------------------------------------------------------------------

const char* limb_error_line(const char* file, const limb_error* err, char line[LIMB_ERROR_LINE])
{
  char at[32] = "";
  if (!line) return "";
  line[0] = 0;
  if (!file || !err) return line;
  if (err->line > 0) (void)snprintf(at, sizeof at, ":%d", err->line);
  if (err->line > 0 && err->column > 0) (void)snprintf(at, sizeof at, ":%d:%d", err->line, err->column);
  const int about = *err->where && strcmp(err->where, file) != 0; // the file is named already
  (void)snprintf(line, LIMB_ERROR_LINE, "%s%s: %s%s%s", file, at, about ? err->where : "", about ? ": " : "",
                 err->text);
  return line;
}

limb_phrase limb_show_line(const limb_findings* f, file_pos at, file_pos spoken_of)
{
  limb_phrase phrase;
  if (at.file == spoken_of.file)
    (void)snprintf(phrase.text, sizeof phrase.text, "line %d", at.line);
  else
    (void)snprintf(phrase.text, sizeof phrase.text, "line %d of '%s'", at.line,
                   at.file ? limb_excerpt(limb_findings_file(f, at.file), NULL).text : "the model");
  return phrase;
}

// ---- suggestions ----------------------------------------------------------------------------------

limb_phrase limb_did_you_mean(limb_findings* f, const char* wrong, int count, limb_name_fn* name, const void* context)
{
  enum { MAX_SUGGESTIONS = 300 };
  limb_phrase mean = {""};
  if (f && f->suggestions++ >= MAX_SUGGESTIONS) return mean;
  const char* found = limb_nearest(wrong, count, name, context);
  if (found) (void)snprintf(mean.text, sizeof mean.text, "; did you mean '%s'?", found);
  return mean;
}

static const char* word_of(const void* words, int i) { return ((const char* const*)words)[i]; }

limb_phrase limb_suggest_word(limb_findings* f, const char* wrong, const char* words)
{
  enum { LENGTH = 512, MAX_WORDS = 64 };
  char copy[LENGTH];
  const char* list[MAX_WORDS];
  int count = 0;
  (void)snprintf(copy, sizeof copy, "%s", words ? words : "");
  for (char* w = copy; *w && count < MAX_WORDS;) {
    list[count++] = w;
    w += strcspn(w, " ");
    if (*w) *w++ = 0;
  }
  return limb_did_you_mean(f, wrong, count, word_of, list);
}

// ---- numbers in messages --------------------------------------------------------------------------

number_text limb_show(double x)
{
  number_text t;
  (void)limb_print_number(x, t.text);
  return t;
}

number_text limb_show_rounded(double x)
{
  if (x == 0 || !isfinite(x)) return limb_show(x);
  const int digits = 2 - (int)floor(log10(fabs(x))); // powers of ten up to 22 are exact
  if (digits < -20 || digits > 20) return limb_show(x);
  const double scale = pow(10, abs(digits));
  return limb_show(digits > 0 ? round(x * scale) / scale : round(x / scale) * scale);
}

number_text limb_show_beside(double x, double largest)
{
  const double digits = 12 - floor(log10(fabs(largest)));
  if (!(fabs(digits) <= 300)) return limb_show(x);
  const double scale = pow(10, fabs(digits)), last = digits > 0 ? round(x * scale) / scale : round(x / scale) * scale;
  return limb_show(isfinite(last) ? last + 0.0 : x); // no -0
}
