// YAML to a tree. Depth and size are limited while libyaml delivers its events one by one; the open lists and mappings
// are a stack, so that nothing recurses.
#include "io/yaml.h"

#include "base/names.h"
#include "io/file_text.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

typedef struct parse {
  yaml_parser_t parser;
  memory_pool* pool;
  limb_reporter* report;
  yml_node* root;
  yml_node* open[LIMB_YAML_MAX_DEPTH]; // lists and mappings that are not closed yet
  yml_node* last[LIMB_YAML_MAX_DEPTH]; // their newest entries
  int depth;
  int nodes;
  const char* key; // of the innermost mapping, waiting for its value
  file_pos key_pos;
  bool done;
} parse;

// ---- the text itself --------------------------------------------------------------------------------

// Length of the character at s when YAML allows it, else 0.
static size_t character(const char* s, const char* end)
{
  uint32_t code = 0;
  const size_t n = limb_utf8(s, end, &code);
  const bool allowed = code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code < 0x7f) || code == 0x85 ||
                       (code >= 0xa0 && code != 0xfeff && code != 0xfffe && code != 0xffff);
  return allowed ? n : 0;
}

// Tags are refused anyway, and libyaml compares each of their handles with all others, which takes long.
static bool is_tag_directive(const char* s, const char* end, file_pos at)
{
  return at.column == 1 && end - s >= 4 && memcmp(s, "%TAG", 4) == 0;
}

// Reports the first byte that is not text, and tags.
static bool is_text(limb_reporter* c, const char* text, size_t size)
{
  const char *s = text, *end = s + size;
  file_pos at = at_line(1, 1);
  while (s < end) {
    const size_t n = character(s, end);
    if (n == 0) break;
    if (is_tag_directive(s, end, at)) {
      limb_report_error(c, RULE_UNSUPPORTED, at, "tags (%%TAG) are not supported");
      limb_report_hint(c->findings, "remove the line");
      return false;
    }
    const bool line = *s == '\n' || (*s == '\r' && !(s + 1 < end && s[1] == '\n'));
    at = line ? at_line(at.line + 1, 1) : at_line(at.line, at.column + 1);
    s += n;
  }
  if (s == end) return true;
  limb_report_error(c, RULE_NOT_TEXT, at, "the byte 0x%02x is not UTF-8 text", (unsigned char)*s);
  if (size > 1 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
    limb_report_hint(c->findings, "the file seems to be UTF-16: save it as UTF-8");
  return false;
}

static int one_based(size_t x) { return x < INT_MAX ? (int)x + 1 : INT_MAX; }

static file_pos pos_of(yaml_mark_t m) { return at_line(one_based(m.line), one_based(m.column)); }

// The text from a position on; NULL when there is no such line.
static const char* text_at(const char* text, const char* end, yaml_mark_t at)
{
  for (size_t line = 0; line < at.line; line++) {
    const char* next = memchr(text, '\n', (size_t)(end - text));
    if (!next) return NULL;
    text = next + 1;
  }
  for (size_t i = 0; i < at.column && text < end; i++) {
    const size_t n = character(text, end);
    text += n ? n : 1;
  }
  return text;
}

static limb_status report_syntax(const parse* p, const char* text, size_t size)
{
  const yaml_parser_t* y = &p->parser;
  if (y->error == YAML_MEMORY_ERROR) return LIMB_E_NOMEM;
  const char* problem = y->problem ? y->problem : "this is not YAML";
  const file_pos at = pos_of(y->problem_mark);
  if (y->context && y->context_mark.line != y->problem_mark.line)
    limb_report_error(p->report, RULE_SYNTAX, at, "%s, %s that begins on line %d", problem, y->context,
                      pos_of(y->context_mark).line);
  else
    limb_report_error(p->report, RULE_SYNTAX, at, "%s%s%s", problem, y->context ? ", " : "",
                      y->context ? y->context : "");
  const char* rest = text_at(text, text + size, y->problem_mark);
  if (!rest) return LIMB_E_SYNTAX;
  if (rest == text + size)
    limb_report_hint(p->report->findings, "the text ends here: the file may be cut off");
  else if (*rest == '\t')
    limb_report_hint(p->report->findings, "YAML is indented with blanks, not with tabs");
  else if (y->context && strstr(y->problem ? y->problem : "", "did not find expected"))
    limb_report_hint(p->report->findings,
                     "check the indentation and the brackets: the entries of a list or mapping begin "
                     "in one column, and what belongs to an entry further right");
  else if (strchr("@`%&*!|>", *rest))
    limb_report_hint(p->report->findings, "put a text that begins with %c in quotes", *rest);
  return LIMB_E_SYNTAX;
}

// ---- nodes ------------------------------------------------------------------------------------------

static bool in_map(const parse* p) { return p->depth > 0 && p->open[p->depth - 1]->kind == YML_MAP; }

// The next value: the root, an entry of the innermost list, or the value of a key.
static limb_status add_node(parse* p, yml_kind kind, file_pos at, yml_node** out)
{
  if (p->nodes == LIMB_YAML_MAX_NODES) {
    limb_report_error(p->report, RULE_TOO_MANY, at, "the file has more than %d values", LIMB_YAML_MAX_NODES);
    return LIMB_E_SYNTAX;
  }
  yml_node* n = limb_mempool_alloc(p->pool, sizeof *n);
  if (!n) return LIMB_E_NOMEM;
  p->nodes++;
  n->kind = kind;
  n->pos = at;
  n->index = -1;
  *out = n;
  if (p->depth == 0) {
    p->root = n;
    return LIMB_OK;
  }
  yml_node* parent = p->open[p->depth - 1];
  if (parent->kind == YML_MAP) {
    n->key = p->key;
    n->key_pos = p->key_pos;
    p->key = NULL;
  } else {
    n->key = parent->key;
    n->index = parent->count;
  }
  if (p->last[p->depth - 1])
    p->last[p->depth - 1]->next = n;
  else
    parent->first = n;
  p->last[p->depth - 1] = n;
  parent->count++;
  return LIMB_OK;
}

// Anchors and tags would change the meaning of a value: neither is supported.
static void refuse_properties(const parse* p, const yaml_event_t* e, const unsigned char* anchor,
                              const unsigned char* tag)
{
  const file_pos at = pos_of(e->start_mark);
  if (anchor) {
    limb_report_error(p->report, RULE_UNSUPPORTED, at, "anchors (&name) are not supported");
    limb_report_hint(p->report->findings, "repeat the value where it is needed");
  }
  if (tag) {
    limb_report_error(p->report, RULE_UNSUPPORTED, at, "tags (!name) are not supported");
    limb_report_hint(p->report->findings, "remove the tag");
  }
}

static limb_status take_scalar(parse* p, const yaml_event_t* e)
{
  const char* value = (const char*)e->data.scalar.value;
  const size_t length = e->data.scalar.length;
  const file_pos at = pos_of(e->start_mark);
  refuse_properties(p, e, e->data.scalar.anchor, e->data.scalar.tag);
  const char* text = limb_mempool_text(p->pool, value, length);
  if (!text) return LIMB_E_NOMEM;
  const bool whole = strlen(text) == length;
  if (!whole) limb_report_error(p->report, RULE_BAD_VALUE, at, "the text contains a zero character");
  if (in_map(p) && !p->key) {
    p->key = text;
    p->key_pos = at;
    return LIMB_OK;
  }
  yml_node* n = NULL;
  const limb_status status = add_node(p, whole ? YML_SCALAR : YML_REFUSED, at, &n);
  if (status) return status;
  n->text = text;
  n->quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  return LIMB_OK;
}

static limb_status take_alias(parse* p, const yaml_event_t* e)
{
  const file_pos at = pos_of(e->start_mark);
  limb_report_error(p->report, RULE_UNSUPPORTED, at, "aliases (*name) are not supported");
  limb_report_hint(p->report->findings, "write the value itself");
  if (in_map(p) && !p->key) return LIMB_E_SYNTAX; // a mapping cannot continue without its key
  yml_node* n = NULL;
  return add_node(p, YML_REFUSED, at, &n);
}

static limb_status open_node(parse* p, const yaml_event_t* e, yml_kind kind)
{
  const file_pos at = pos_of(e->start_mark);
  if (kind == YML_MAP)
    refuse_properties(p, e, e->data.mapping_start.anchor, e->data.mapping_start.tag);
  else
    refuse_properties(p, e, e->data.sequence_start.anchor, e->data.sequence_start.tag);
  if (in_map(p) && !p->key) {
    limb_report_error(p->report, RULE_SYNTAX, at, "a key is a word, not a %s", kind == YML_MAP ? "mapping" : "list");
    return LIMB_E_SYNTAX;
  }
  if (p->depth == LIMB_YAML_MAX_DEPTH) {
    limb_report_error(p->report, RULE_TOO_DEEP, at, "lists and mappings are nested more than %d deep",
                      LIMB_YAML_MAX_DEPTH);
    return LIMB_E_SYNTAX;
  }
  yml_node* n = NULL;
  const limb_status status = add_node(p, kind, at, &n);
  if (status) return status;
  p->last[p->depth] = NULL;
  p->open[p->depth++] = n;
  return LIMB_OK;
}

// ---- keys are unique --------------------------------------------------------------------------------

static const char* key_of(const void* entries, int i) { return ((const yml_node* const*)entries)[i]->key; }

static limb_status check_unique(const parse* p, const yml_node* map)
{
  if (map->count < 2) return LIMB_OK;
  const yml_node** entry = limb_mempool_alloc(p->pool, (size_t)map->count * sizeof(const yml_node*));
  limb_names names;
  if (!entry || !limb_mempool_new_names(p->pool, &names, map->count)) return LIMB_E_NOMEM;
  int i = 0;
  for (const yml_node* n = map->first; n; n = n->next, i++) {
    entry[i] = n;
    const int first = limb_names_find(&names, n->key, key_of, entry);
    if (first < 0) {
      limb_names_put(&names, n->key, i);
      continue;
    }
    limb_report_error(p->report, RULE_DUPLICATE_KEY, n->key_pos, "the key '%s' was already given on line %d",
                      limb_excerpt(n->key, NULL).text, entry[first]->key_pos.line);
  }
  return LIMB_OK;
}

// ---- events -----------------------------------------------------------------------------------------

static limb_status take_event(parse* p, const yaml_event_t* e)
{
  switch (e->type) {
  case YAML_SCALAR_EVENT: return take_scalar(p, e);
  case YAML_ALIAS_EVENT: return take_alias(p, e);
  case YAML_SEQUENCE_START_EVENT: return open_node(p, e, YML_LIST);
  case YAML_MAPPING_START_EVENT: return open_node(p, e, YML_MAP);
  case YAML_SEQUENCE_END_EVENT: p->depth--; return LIMB_OK;
  case YAML_MAPPING_END_EVENT: return check_unique(p, p->open[--p->depth]);
  case YAML_DOCUMENT_START_EVENT:
    if (!p->root) return LIMB_OK;
    limb_report_error(p->report, RULE_UNSUPPORTED, pos_of(e->start_mark),
                      "a second document begins here: a file can only contain one");
    limb_report_hint(p->report->findings, "put each document in its own file");
    p->done = true;
    return LIMB_OK;
  case YAML_STREAM_END_EVENT: p->done = true; return LIMB_OK;
  case YAML_NO_EVENT:
  case YAML_STREAM_START_EVENT:
  case YAML_DOCUMENT_END_EVENT: break;
  }
  return LIMB_OK;
}

static limb_status take_events(parse* p, const char* text, size_t size)
{
  limb_status status = LIMB_OK;
  while (!status && !p->done) {
    yaml_event_t e;
    if (!yaml_parser_parse(&p->parser, &e)) return report_syntax(p, text, size);
    status = take_event(p, &e);
    yaml_event_delete(&e);
  }
  return status;
}

limb_status limb_yaml_parse(const char* text, size_t size, memory_pool* pool, limb_reporter* c, const yml_node** root)
{
  *root = NULL;
  const char *start = limb_skip_byte_order_mark(text, text + size), *end = text + size;
  text = start;
  size = (size_t)(end - start);
  if (!is_text(c, text, size)) return LIMB_E_SYNTAX;
  parse p = {.pool = pool, .report = c};
  if (!yaml_parser_initialize(&p.parser)) return LIMB_E_NOMEM;
  yaml_parser_set_encoding(&p.parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&p.parser, (const unsigned char*)text, size);
  limb_status status = take_events(&p, text, size);
  yaml_parser_delete(&p.parser);
  if (!status && !p.root) {
    limb_report_error(c, RULE_EMPTY, at_line(1, 1), "the file contains nothing but comments");
    status = LIMB_E_SYNTAX;
  }
  if (!status) *root = p.root;
  return status;
}
