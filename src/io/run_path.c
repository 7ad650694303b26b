// Paths in the tree of a run, "controller.kp.elbow", by the tables of its keys: what a study varies is put there.
#include "io/read_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct path_walk {
  run_reader* r;
  const char* path; // the whole, for messages
  file_pos at;
  const char* text;
} path_walk;

static int put_in(path_walk* w, yml_node* map, const run_key* keys, const char* path);

static int wrong(path_walk* w, const char* what, const char* about)
{
  limb_report_error(&w->r->report, RULE_BAD_VALUE, w->at, "'%.100s' %s%.60s", w->path, what, about);
  return 0;
}

// ---- nodes ------------------------------------------------------------------------------------------------

yml_node* limb_run_own(const yml_node* n)
{
  yml_node* own;
  memcpy((void*)&own, (const void*)&n, sizeof(void*));
  return own;
}

static yml_node* find(const yml_node* map, const char* key, size_t length)
{
  for (yml_node* n = map->first; n; n = n->next)
    if (strlen(n->key) == length && memcmp(n->key, key, length) == 0) return n;
  return NULL;
}

// A new entry at the end of a mapping; NULL: out of memory.
static yml_node* append(path_walk* w, yml_node* map, yml_kind kind, const char* key, size_t length)
{
  yml_node* n = limb_mempool_alloc(w->r->pool, sizeof *n);
  char* own = limb_mempool_text(w->r->pool, key, length);
  yml_node** end = &map->first;
  w->r->no_memory |= !n || !own;
  if (!n || !own) return NULL;
  *n = (yml_node){.kind = kind, .index = -1, .pos = w->at, .key_pos = w->at, .key = own};
  while (*end) end = &(*end)->next;
  *end = n;
  map->count++;
  return n;
}

static int put_text(path_walk* w, yml_node* n)
{
  if (!n) return 0;
  n->kind = YML_SCALAR, n->quoted = 0, n->count = 0, n->first = NULL;
  n->pos = w->at, n->text = w->text;
  return 1;
}

// Gives a mapping the text under a key.
static int put_key(path_walk* w, yml_node* map, const char* key)
{
  yml_node* n = find(map, key, strlen(key));
  return put_text(w, n ? n : append(w, map, YML_SCALAR, key, strlen(key)));
}

// ---- keys -------------------------------------------------------------------------------------------------

// The key that a path begins with, and what follows it.
static const run_key* key_at(const run_key* keys, const char* path, const char** rest)
{
  for (; keys->key; keys++) {
    const size_t n = strlen(keys->key);
    if (strncmp(keys->key, path, n) != 0 || (path[n] != '\0' && path[n] != '.')) continue;
    *rest = path[n] ? path + n + 1 : path + n;
    return keys;
  }
  return NULL;
}

static int unknown(path_walk* w, const run_key* keys, const char* path)
{
  char word[96], known[256] = "";
  size_t used = 0;
  (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(path, "."), path);
  for (; keys->key && used < sizeof known; keys++)
    if (keys->kind != SKIPPED)
      used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? " " : "", keys->key);
  limb_report_error(&w->r->report, RULE_UNKNOWN_KEY, w->at, "a run has no '%.100s': unknown key '%.60s'%s", w->path,
                    word, limb_suggest_word(w->r->report.findings, word, known).text);
  limb_report_hint(w->r->report.findings, "the keys here are: %s", known);
  return 0;
}

// The key that a single value of a section stands for: `model: panda` is its name.
static const char* key_of_single(const run_key* k)
{
  for (const run_key* in = k->inner; in->key; in++)
    if (in->kind == VALUE && in->at == k->single) return in->key;
  return NULL;
}

// A section as a mapping, whatever it was.
static yml_node* as_map(path_walk* w, const run_key* k, yml_node* n)
{
  const char* single = k->single != NO_SINGLE ? key_of_single(k) : NULL;
  if (n->kind == YML_MAP) return n;
  if (n->kind != YML_SCALAR || !single) return wrong(w, "is below what is not a mapping", ""), NULL;
  yml_node whole = *n;
  n->kind = YML_MAP, n->count = 0, n->first = NULL;
  yml_node* in = append(w, n, YML_SCALAR, single, strlen(single));
  if (!in) return NULL;
  in->text = whole.text, in->quoted = whole.quoted, in->pos = whole.pos;
  return n;
}

static int put_in_list(path_walk* w, const run_key* k, yml_node* n, const char* rest)
{
  const char* words = k->names ? k->names : "";
  int index = 0, here = *rest == '\0';
  if (here && k->names) return wrong(w, "is a list: name one of ", k->names);
  if (here) return put_text(w, n);
  if (k->names)
    for (; *words && !(strncmp(words, rest, strlen(rest)) == 0 && strchr(" ", words[strlen(rest)])); index++)
      words += strcspn(words, " "), words += *words == ' ';
  else
    index = (int)strtol(rest, NULL, 10) - 1;
  yml_node* x = n->kind == YML_LIST && index >= 0 ? n->first : NULL;
  for (; x && index > 0; index--) x = x->next;
  if (x) return put_text(w, x);
  return k->names ? wrong(w, "is an entry that the run does not have: give it all of ", k->names)
                  : wrong(w, "is an entry that the run does not have: entries count from 1", "");
}

static int put_in_item(path_walk* w, const run_key* k, const yml_node* list, const char* rest)
{
  char* end = NULL;
  long index = strtol(rest, &end, 10);
  yml_node* x = list && list->kind == YML_LIST && index > 0 ? list->first : NULL;
  for (; x && index > 1; index--) x = x->next;
  if (!x || end == rest || *end != '.')
    return wrong(w, "must have the number of an entry of the run, from 1: ", k->key);
  x = as_map(w, k, x);
  return x && put_in(w, x, k->inner, end + 1);
}

static int put_in_named(path_walk* w, const run_key* k, yml_node* map, const char* rest)
{
  const char* dot = strrchr(rest, '.');
  if (!dot) return wrong(w, "lacks its last part, as in crank.rate: ", k->key);
  const size_t length = (size_t)(dot - rest);
  yml_node* n = find(map, rest, length);
  if (!n) n = append(w, map, YML_MAP, rest, length);
  return n && n->kind == YML_MAP && put_in(w, n, k->inner, dot + 1);
}

// Values by name, or one for all.
static int put_in_map(path_walk* w, const run_key* k, yml_node* n, const char* rest)
{
  if (!*rest) return k->kind == MAP ? wrong(w, "lacks a name, as in q.elbow", "") : put_text(w, n);
  if (n->kind == YML_MAP) return put_key(w, n, rest);
  return wrong(w, "is below one value for all: give the run one by name", "");
}

static int put_in(path_walk* w, yml_node* map, const run_key* keys, const char* path)
{
  const char* rest = NULL;
  const run_key* k = key_at(keys, path, &rest);
  if (!k || k->kind == SKIPPED) return unknown(w, keys, path);
  if (k->kind == VALUE) return *rest ? wrong(w, "goes on after a value", "") : put_key(w, map, k->key);
  const size_t length = strlen(k->key);
  yml_node* n = find(map, k->key, length);
  if (k->kind == ITEMS) return put_in_item(w, k, n, rest);
  if (!n) n = append(w, map, k->kind == LIST ? YML_LIST : YML_MAP, k->key, length);
  if (!n) return 0;
  switch (k->kind) {
  case LIST: return put_in_list(w, k, n, rest);
  case NAMED_ITEMS: return n->kind == YML_MAP && put_in_named(w, k, n, rest);
  case SECTION:
    if (!*rest && k->single == NO_SINGLE) return wrong(w, "is a section: name a key of it", "");
    n = as_map(w, k, n);
    return n && (*rest ? put_in(w, n, k->inner, rest) : put_key(w, n, key_of_single(k)));
  case MAP:
  case MAP_OR_VALUE:
  default: return put_in_map(w, k, n, rest);
  }
}

int limb_run_put(run_reader* r, yml_node* root, const char* path, file_pos at, const char* text)
{
  path_walk w = {r, path, at, text};
  if (root->kind != YML_MAP) return 1; // which is reported when the run is read
  if (strncmp(path, "outputs", 7) == 0) return wrong(&w, "is no part of a case: a sweep writes what it collects", "");
  if (strncmp(path, "model.package_path", 18) == 0 || strncmp(path, "model.srdf", 10) == 0)
    return wrong(&w, "is a place of files, which cannot vary", "");
  return put_in(&w, root, limb_run_keys, path);
}
