// YAML for xacro.load_yaml: as PyYAML reads it (YAML 1.1), with xacro's units (!degrees, !millimeters).
#include "base/number.h"
#include "io/file_text.h"
#include "io/xacro.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

static const struct {
  const char* tag;
  double factor;
} units[] = {{"!radians", 1},   {"!degrees", 3.14159265358979323846 / 180},
             {"!meters", 1},    {"!millimeters", 0.001},
             {"!foot", 0.3048}, {"!inches", 0.0254}};

// Digits in another base, with underscores. 0 when the text is none.
static int scan_base(const char* text, int base, long long* i)
{
  const int minus = *text == '-';
  text += *text == '-' || *text == '+';
  char* end = NULL;
  *i = *text ? strtoll(text, &end, base) : 0;
  if (minus) *i = -*i;
  return end && *end == 0 && *i != LLONG_MAX;
}

static int scan_yaml_int(const char* text, long long* i)
{
  const char* digits = text + (*text == '-' || *text == '+');
  if (digits[0] == '0' && digits[1] == 'x') return scan_base(text, 16, i);
  if (digits[0] == '0' && digits[1] && digits[strspn(digits, "01234567")] == 0) return scan_base(text, 8, i);
  return is_digit(*digits) && digits[strspn(digits, "0123456789")] == 0 && limb_xacro_scan_int(text, i);
}

// A number with a point: 1e5 is a text in YAML 1.1.
static int scan_yaml_float(const char* text, double* value)
{
  static const char* const infinite[] = {".inf", ".Inf", ".INF"};
  const char* digits = text + (*text == '-' || *text == '+');
  for (int i = 0; i < COUNT(infinite); i++) {
    if (strcmp(digits, infinite[i]) != 0) continue;
    *value = *text == '-' ? -(double)INFINITY : (double)INFINITY;
    return 1;
  }
  if (limb_has_word(".nan .NaN .NAN", text)) {
    *value = (double)NAN;
    return 1;
  }
  return strchr(text, '.') && limb_scan_number(text, text + strlen(text), value) == text + strlen(text);
}

static xacro_value with_unit(xacro* x, const char* tag, const char* text)
{
  for (int i = 0; i < COUNT(units); i++) {
    if (strcmp(tag, units[i].tag) != 0) continue;
    const xacro_value v = limb_xacro_expression(x, text, NULL);
    if (!x->failed && !xacro_is_number(v)) return limb_xacro_fail(x, "%s needs a number, not '%.60s'", tag, text);
    return x->failed ? v : xacro_float(limb_xacro_number(v) * units[i].factor);
  }
  return limb_xacro_fail(x, "the tag '%.60s' of YAML is not known", tag);
}

static xacro_value scalar(xacro* x, const yaml_node_t* n)
{
  const char *text = (const char*)n->data.scalar.value, *tag = (const char*)n->tag;
  long long i = 0;
  double value = 0;
  if (tag && *tag == '!') return with_unit(x, tag, text);
  const xacro_value copy = limb_xacro_text_n(x, text, n->data.scalar.length);
  if (n->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) return copy;
  if (limb_has_word("null Null NULL ~", text) || !*text) return xacro_none();
  if (limb_has_word("true True TRUE yes Yes YES on On ON", text)) return xacro_bool(1);
  if (limb_has_word("false False FALSE no No NO off Off OFF", text)) return xacro_bool(0);
  if (scan_yaml_int(text, &i)) return xacro_int(i);
  if (scan_yaml_float(text, &value)) return xacro_float(value);
  return copy;
}

// Aliases make a node the child of several: work is counted for each.
static xacro_value convert(xacro* x, yaml_document_t* doc, int index)
{
  const yaml_node_t* n = yaml_document_get_node(doc, index);
  xacro_value v = xacro_none();
  if (++x->depth > XACRO_MAX_DEPTH) return limb_xacro_fail(x, "the YAML file is nested too deep");
  if (!n || !limb_xacro_work(x, 1)) return v;
  if (n->type == YAML_SCALAR_NODE) {
    v = scalar(x, n);
  } else if (n->type == YAML_SEQUENCE_NODE) {
    v = limb_xacro_new_list(x, 0);
    for (const yaml_node_item_t* p = n->data.sequence.items.start; p < n->data.sequence.items.top && !x->failed; p++)
      limb_xacro_append(x, v, convert(x, doc, *p));
  } else if (n->type == YAML_MAPPING_NODE) {
    v = limb_xacro_new_dict(x);
    for (const yaml_node_pair_t* p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top && !x->failed; p++) {
      const xacro_value key = convert(x, doc, p->key);
      limb_xacro_put(x, v, key, convert(x, doc, p->value));
    }
  }
  x->depth--;
  return v;
}

static xacro_value load(xacro* x, const file_bytes* file)
{
  yaml_parser_t parser;
  yaml_document_t doc;
  if (!yaml_parser_initialize(&parser)) return limb_xacro_no_memory(x);
  yaml_parser_set_input_string(&parser, (const unsigned char*)file->text, file->size);
  xacro_value v = xacro_none();
  if (!yaml_parser_load(&parser, &doc)) {
    const file_pos at = {(int)parser.problem_mark.line + 1, (int)parser.problem_mark.column + 1, file->file};
    limb_report(x->findings, RULE_SYNTAX, at, (limb_subject){NULL, NULL}, "this is not YAML: %s",
                parser.problem ? parser.problem : "out of memory");
    x->failed = 1;
  } else {
    if (yaml_document_get_root_node(&doc)) v = convert(x, &doc, 1);
    yaml_document_delete(&doc);
  }
  yaml_parser_delete(&parser);
  return v;
}

xacro_value limb_xacro_load_yaml(xacro* x, const char* name)
{
  const limb_subject about = {"YAML file", NULL};
  file_bytes file;
  const char* path = limb_files_find(x->files, name, x->path ? x->path : "", RULE_XACRO, x->at, about);
  if (!path || !limb_files_load(x->files, path, RULE_XACRO, x->at, about, &file)) return limb_xacro_no_memory(x);
  const int depth = x->depth;
  const xacro_value v = load(x, &file);
  x->depth = depth;
  return x->failed ? xacro_none() : v;
}
