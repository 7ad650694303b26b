// Parameters of xacro macros: what params="" declares, and what a call passes.
#include "io/file_text.h"
#include "io/xacro.h"

#include <string.h>

// A parameter: name, name:=default, name:=^ (the property of the caller), name:=^|default; *name, **name (blocks).
typedef struct parameter {
  const char *name, *otherwise; // otherwise NULL: none
  int forward, has_default;
} parameter;

// The end of a default value that begins at p: one ${...} or $(...), or blanks only inside quotes.
static const char* end_of_default(const char* p)
{
  for (const char* close = p; *p == '$' && (p[1] == '{' || p[1] == '(');) {
    close = strchr(close, p[1] == '{' ? '}' : ')');
    if (!close) break;
    close++;
    if (!*close || is_blank(*close)) return close;
  }
  while (*p && !is_blank(*p)) {
    const char* close = *p == '\'' || *p == '"' ? strchr(p + 1, *p) : NULL;
    p = close ? close + 1 : p + 1;
  }
  return p;
}

const char* limb_xacro_cut(xacro* x, const char* begin, const char* end)
{
  const xacro_value v = limb_xacro_text_n(x, begin, (size_t)(end - begin));
  return v.kind == XACRO_TEXT ? v.text : "";
}

// The next parameter of params=""; 0 at the end.
static int next_parameter(xacro* x, const char** text, parameter* p)
{
  const char* s = *text;
  while (is_blank(*s)) s++;
  *p = (parameter){NULL, NULL, 0, 0};
  if (!*s || x->failed) return 0;
  const char* end = s;
  while (*end && !is_blank(*end) && *end != ':' && *end != '=') end++;
  p->name = limb_xacro_cut(x, s, end);
  for (s = end; is_blank(*s);) s++;
  if (*s == ':' && s[1] == '=') s++;
  if (*s != '=' || end == *text) {
    *text = end > *text ? end + (*end == ':') : end + 1;
    return 1;
  }
  for (s++; is_blank(*s);) s++;
  p->has_default = 1;
  if (*s == '^') {
    p->forward = 1;
    s += s[1] == '|' ? 2 : 1;
  }
  end = end_of_default(s);
  if (end > s) p->otherwise = limb_xacro_cut(x, s, end);
  *text = end;
  return 1;
}

// Gives a parameter without an attribute its default; 0 if it has none.
static int use_default(xacro* x, const parameter* p, xacro_scope* caller, xacro_scope* inner)
{
  xacro_value v = xacro_none();
  if (!p->has_default || (!p->forward && !p->otherwise)) return 0;
  if (!p->forward || !limb_xacro_lookup(x, caller, p->name, &v)) {
    if (!p->otherwise) return 0;
    v = limb_xacro_eval(x, p->otherwise, caller);
  }
  limb_xacro_define(x, inner, p->name, v, 0);
  return 1;
}

// ---- calls ----------------------------------------------------------------------------------------

// The attributes of a call, except the name of the macro in <xacro:call macro="">, in the scope of the macro.
void limb_xacro_pass_attributes(xacro* x, const xml_node* n, const char* params, xacro_scope* caller,
                                xacro_scope* inner)
{
  for (int i = 0; i < n->nattribute && !x->failed; i++) {
    const xml_attribute a = n->attribute[i];
    const char* rest = params;
    parameter p;
    int known =
      strncmp(a.name, "xmlns", 5) == 0 || (strcmp(n->name, "xacro:call") == 0 && strcmp(a.name, "macro") == 0);
    if (known) continue;
    while (!known && next_parameter(x, &rest, &p)) known = strcmp(p.name, a.name) == 0;
    if (known)
      limb_xacro_define(x, inner, a.name, limb_xacro_eval(x, a.value, caller), 0);
    else
      (void)limb_xacro_fail(x, "<%s> has no parameter '%.60s'", n->name, a.name);
  }
}

// The elements inside a call for its parameters *name and **name, and defaults for the others.
void limb_xacro_pass_rest(xacro* x, const xml_node* n, const xml_node* blocks, const char* params, xacro_scope* caller,
                          xacro_scope* inner)
{
  const xml_node* block = limb_xacro_element(blocks->first);
  parameter p;
  while (next_parameter(x, &params, &p)) {
    if (*p.name == '*') {
      if (!block) (void)limb_xacro_fail(x, "<%s> needs an element for '%.60s'", n->name, p.name);
      limb_xacro_define(x, inner, p.name, (xacro_value){.kind = XACRO_BLOCK, .block = block}, 0);
      block = block ? limb_xacro_element(block->next) : NULL;
    } else if (!limb_xml_get(n, p.name) && !use_default(x, &p, caller, inner)) {
      (void)limb_xacro_fail(x, "<%s> needs the parameter '%.60s'", n->name, p.name);
    }
  }
  if (block) (void)limb_xacro_fail(x, "<%s> has no use for its element <%.60s>", n->name, block->name);
}
