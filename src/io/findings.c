// The list of findings. Texts live in a pool; the list itself grows as arrays do.
#include "io/findings.h"

#include "base/memory.h"
#include "base/names.h"
#include "io/store.h"
#include "io/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  LONGEST_TEXT = 1000,  // of one finding, so that a hostile name cannot fill a screen
  MOST_FINDINGS = 10000 // errors, and as many others, of one list; one more says that there are others
};

typedef struct entry {
  limb_finding finding;
  int order;
} entry;

struct limb_findings {
  limb_allocator alloc;
  limb_store pool;
  entry* entry;
  int count, capacity;
  int kept[2]; // how many were added: errors apart, so that notes cannot crowd them out
  int dropped; // 1 when the last one was not added
  int suggestions;
  limb_names said; // what limb_report_once has told: names over key
  const char** key;
  int nkey, key_cap;
  size_t slots; // of said
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

// ---- life -----------------------------------------------------------------------------------------

limb_status limb_findings_create(const limb_allocator* alloc, limb_findings** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (alloc && (!alloc->alloc || !alloc->free)) return LIMB_E_ARG;
  const limb_allocator a = alloc ? *alloc : limb_default_allocator();
  limb_findings* f = limb_alloc(&a, sizeof *f);
  if (!f) return LIMB_E_NOMEM;
  *f = (limb_findings){.alloc = a, .pool = limb_store_make(&a)};
  *out = f;
  return LIMB_OK;
}

void limb_findings_destroy(limb_findings* f)
{
  if (!f) return;
  const limb_allocator a = f->alloc;
  limb_store_free(&f->pool);
  limb_free(&a, f->entry, (size_t)f->capacity * sizeof *f->entry);
  limb_free(&a, (void*)f->key, (size_t)f->key_cap * sizeof *f->key);
  limb_free(&a, f->said.slot, f->slots * sizeof *f->said.slot);
  limb_free(&a, f, sizeof *f);
}

// ---- adding ---------------------------------------------------------------------------------------

// Text by a format, in the pool, of bounded length; NULL when out of memory.
static const char* format_text(limb_findings* f, const char* format, va_list list)
{
  char text[LONGEST_TEXT + 1];
  const int n = vsnprintf(text, sizeof text, format, list);
  const size_t length = n < 0 ? 0 : n > LONGEST_TEXT ? LONGEST_TEXT : (size_t)n;
  if (n > LONGEST_TEXT) memcpy(text + LONGEST_TEXT - 3, "...", 4);
  limb_tame(text); // names come from files, and messages go to terminals and JSON
  return limb_store_text(&f->pool, text, length);
}

static const char* subject_text(limb_findings* f, limb_subject about)
{
  char where[LIMB_WHERE_SPACE];
  if (about.kind && about.name)
    (void)snprintf(where, sizeof where, "%s '%s'", about.kind, about.name);
  else
    (void)snprintf(where, sizeof where, "%s", about.kind ? about.kind : "");
  limb_tame(where);
  return limb_store_text(&f->pool, where, strlen(where));
}

static void add(limb_findings* f, limb_rule rule, limb_mark at, limb_subject about, const char* text)
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
                                .hint = ""};
  f->entry[f->count] = (entry){finding, f->count};
  f->count++;
}

static void find_list(limb_findings* f, limb_rule rule, limb_mark at, limb_subject about, const char* format,
                      va_list list)
{
  int* kept = &f->kept[rules[rule].severity == LIMB_ERROR];
  f->dropped = *kept > MOST_FINDINGS;
  if (f->dropped) return;
  if (++*kept > MOST_FINDINGS)
    add(f, rule, at, about, "... and more: only the first findings are kept");
  else
    add(f, rule, at, about, format_text(f, format, list));
}

void limb_report(limb_findings* f, limb_rule rule, limb_mark at, limb_subject about, const char* format, ...)
{
  if (!f) return;
  va_list list;
  va_start(list, format);
  find_list(f, rule, at, about, format, list);
  va_end(list);
}

static const char* key_of(const void* f, int i) { return ((const limb_findings*)f)->key[i]; }

// Room for one more key and its slot; 0 when out of memory.
static int reserve_key(limb_findings* f)
{
  void* keys = (void*)f->key;
  const int grown = limb_grow(&f->alloc, &keys, &f->key_cap, f->nkey, sizeof *f->key);
  f->key = keys;
  const size_t wanted = limb_names_capacity((size_t)f->nkey + 1);
  if (!grown || wanted <= f->slots) return grown;
  int* slot = limb_alloc(&f->alloc, wanted * sizeof *slot);
  if (!slot) return 0;
  limb_free(&f->alloc, f->said.slot, f->slots * sizeof *f->said.slot);
  limb_names_clear(&f->said, slot, wanted);
  f->slots = wanted;
  for (int i = 0; i < f->nkey; i++) limb_names_put(&f->said, f->key[i], i);
  return 1;
}

// 1 when this rule has been told of this name before; remembers that it is now. Of long names the beginning
// counts.
static int told_before(limb_findings* f, limb_rule rule, const char* name)
{
  char key[LIMB_WHERE_SPACE];
  (void)snprintf(key, sizeof key, "%d %s", (int)rule, name ? name : "");
  if (f->slots && limb_names_find(&f->said, key, key_of, f) >= 0) return 1;
  const char* copy = limb_store_text(&f->pool, key, strlen(key));
  if (!copy || !reserve_key(f)) {
    f->lost = 1;
    return 0;
  }
  f->key[f->nkey] = copy;
  limb_names_put(&f->said, copy, f->nkey++);
  return 0;
}

void limb_report_once(limb_findings* f, limb_rule rule, limb_mark at, limb_subject about, const char* format, ...)
{
  if (!f) return;
  f->dropped = 1; // a hint that follows is about this finding, also when it is not told again
  if (f->kept[rules[rule].severity == LIMB_ERROR] > MOST_FINDINGS || told_before(f, rule, about.name)) return;
  va_list list;
  va_start(list, format);
  find_list(f, rule, at, about, format, list);
  va_end(list);
}

void limb_report_hint(limb_findings* f, const char* format, ...)
{
  if (!f || f->count == 0 || f->dropped) return;
  va_list list;
  va_start(list, format);
  const char* text = format_text(f, format, list);
  va_end(list);
  if (text)
    f->entry[f->count - 1].finding.hint = text;
  else
    f->lost = 1;
}

void limb_report_as(limb_findings* f, limb_severity severity)
{
  if (f && f->count > 0 && !f->dropped) f->entry[f->count - 1].finding.severity = severity;
}

int limb_findings_lost(const limb_findings* f) { return f ? f->lost : 0; }

// ---- asking ---------------------------------------------------------------------------------------

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
  if ((la == 0) != (lb == 0)) return la == 0 ? 1 : -1;
  if (la != lb) return la < lb ? -1 : 1;
  if (a->finding.column != b->finding.column) return a->finding.column < b->finding.column ? -1 : 1;
  return a->order < b->order ? -1 : 1;
}

void limb_findings_sort(limb_findings* f)
{
  if (f && f->count > 1) qsort(f->entry, (size_t)f->count, sizeof *f->entry, compare);
}

// ---- suggestions ----------------------------------------------------------------------------------

const char* limb_did_you_mean(limb_findings* f, const char* wrong, int count,
                              const char* (*name)(const void* context, int i), const void* context,
                              char text[LIMB_WHERE_SPACE])
{
  enum { SUGGESTIONS = 300 };
  text[0] = 0;
  if (f && f->suggestions++ >= SUGGESTIONS) return text;
  const char* found = limb_nearest(wrong, count, name, context);
  if (found) (void)snprintf(text, LIMB_WHERE_SPACE, "; did you mean '%s'?", found);
  return text;
}
