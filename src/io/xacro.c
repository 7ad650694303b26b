// xacro: from a tree of elements with macros to one without. The tree is walked once; what it expands to is appended to
// a new one, whose elements keep the positions of those that they come from.
//
// The rules are those of xacro 2: properties are evaluated when they are used, in the scope that defines them; a macro
// sees the scope of its caller; blocks are evaluated where they are written, and again where they are inserted.
#include "io/xacro.h"

#include "io/file_text.h"
#include "io/reading.h"

#include <string.h>

static void expand_children(xacro* x, const xml_node* from, xml_node* to, xacro_scope* macros, xacro_scope* scope);

int limb_xacro_is_needed(const char* name, const char* text, size_t size)
{
  const size_t length = strlen(name);
  if (length >= 6 && strcmp(name + length - 6, ".xacro") == 0) return 1;
  for (const char* p = text; (p = memchr(p, ':', size - (size_t)(p - text))) != NULL; p++) {
    if (p - text >= 6 && memcmp(p - 6, "<xacro", 6) == 0) return 1;
  }
  return 0;
}

// ---- elements -------------------------------------------------------------------------------------

static int is(const xml_node* n, const char* name) { return strcmp(n->name, name) == 0; }

static int is_text(const xml_node* n) { return is(n, LIMB_XML_TEXT); }

const xml_node* limb_xacro_element(const xml_node* n)
{
  while (n && is_text(n)) n = n->next;
  return n;
}

static void set_attribute(xacro* x, xml_node* n, const char* name, const char* value)
{
  if (limb_xacro_work(x, n->nattribute / 16) && !limb_xml_set(n, name, value, x->pool)) (void)limb_xacro_no_memory(x);
}

// An empty copy of an element, in a parent or on its own.
static xml_node* new_element(xacro* x, const xml_node* like, xml_node* parent)
{
  xml_node* n = limb_xacro_work(x, 1) ? limb_mempool_alloc(x->pool, sizeof *n) : NULL;
  if (!n) {
    (void)limb_xacro_no_memory(x);
    return NULL;
  }
  *n = (xml_node){.name = like->name, .pos = like->pos, .text = ""};
  if (parent) limb_xml_append(parent, n);
  return n;
}

// A required attribute; NULL after an error.
static const char* need(xacro* x, const xml_node* n, const char* name)
{
  const char* value = limb_xml_get(n, name);
  if (!value) (void)limb_xacro_fail(x, "<%s> needs the attribute '%s'", n->name, name);
  return value;
}

static void check_attributes(xacro* x, const xml_node* n, const char* known)
{
  for (int i = 0; i < n->nattribute; i++) {
    const char* name = n->attribute[i].name;
    if (limb_has_word(known, name) || strncmp(name, "xmlns", 5) == 0) continue;
    limb_report(x->findings, RULE_UNKNOWN_TAG, n->pos, (limb_subject){"element", n->name},
                "its attribute '%s' is not known and has no effect%s", name,
                limb_suggest_word(x->findings, name, known).text);
  }
}

static int condition(xacro* x, const char* text, int otherwise, xacro_scope* scope)
{
  return text ? limb_xacro_condition(x, limb_xacro_eval(x, text, scope), text) : otherwise;
}

// ---- properties -----------------------------------------------------------------------------------

// Where a property with this scope="" is stored.
static xacro_scope* target_of(xacro* x, const char* where, xacro_scope* scope)
{
  if (!where || strcmp(where, "local") == 0) return scope;
  if (strcmp(where, "global") == 0) {
    while (scope->parent) scope = scope->parent;
    return scope;
  }
  if (strcmp(where, "parent") != 0) {
    (void)limb_xacro_fail(x, "scope=\"%.60s\" must be parent or global", where);
    return scope;
  }
  xacro_scope* parent = scope->parent;
  while (parent && !scope->is_namespace && parent->is_namespace) parent = parent->parent;
  return parent ? parent : scope;
}

static int is_name(const char* name)
{
  if (!is_letter(*name) || strncmp(name, "__", 2) == 0) return 0;
  while (is_letter(*name) || is_digit(*name)) name++;
  return *name == 0;
}

static void read_property(xacro* x, const xml_node* n, xacro_scope* scope)
{
  check_attributes(x, n, "name value default remove scope lazy_eval");
  const char* written = need(x, n, "name");
  const char* name = written ? limb_xacro_eval_text(x, written, scope) : "";
  const char *value = limb_xml_get(n, "value"), *otherwise = limb_xml_get(n, "default");
  const int removed = condition(x, limb_xml_get(n, "remove"), 0, scope);
  if (x->failed) return;
  if (!is_name(name)) {
    (void)limb_xacro_fail(x, "'%.60s' is not a name: letters, digits and _ are allowed", name);
  } else if ((value != NULL) + (otherwise != NULL) + removed > 1) {
    (void)limb_xacro_fail(x, "the property '%.60s' has more than one of value, default and remove", name);
  } else if (removed) {
    limb_xacro_remove(scope, name);
  } else if (!otherwise || !limb_xacro_knows(scope, name)) {
    if (otherwise) value = otherwise;
    const char* where = limb_xml_get(n, "scope");
    const int here = !where || strcmp(where, "local") == 0;
    const int lazy = condition(x, limb_xml_get(n, "lazy_eval"), 1, scope) && here;
    xacro_scope* target = target_of(x, where, scope);
    xacro_value v = value ? xacro_text(value) : (xacro_value){.kind = XACRO_BLOCK, .block = n};
    if (value && !lazy) v = limb_xacro_eval(x, value, scope);
    if (!value) name = limb_mempool_join(x->pool, "**", name, "");
    if (name)
      limb_xacro_define(x, target, name, v, lazy);
    else
      (void)limb_xacro_no_memory(x);
  }
}

static void read_argument(xacro* x, const xml_node* n, xacro_scope* scope)
{
  check_attributes(x, n, "name default");
  const char *name = need(x, n, "name"), *otherwise = limb_xml_get(n, "default");
  if (!name || limb_xacro_argument(x, name)) return;
  if (!otherwise) {
    (void)limb_xacro_fail(x, "the argument '%.60s' has no default", name);
    limb_report_hint(x->findings, "give it a value: --args %.60s:=VALUE", name);
    return;
  }
  limb_xacro_set_argument(x, name, limb_xacro_eval_text(x, otherwise, scope));
}

// ---- macros ---------------------------------------------------------------------------------------

static void read_macro(xacro* x, const xml_node* n, xacro_scope* macros)
{
  check_attributes(x, n, "name params");
  const char* name = need(x, n, "name");
  if (!name) return;
  if (strncmp(name, "xacro:", 6) == 0) name += 6;
  if (strcmp(name, "call") == 0 || strchr(name, '.'))
    (void)limb_xacro_fail(x, "'%.60s' cannot be the name of a macro", name);
  limb_xacro_define(x, macros, name, (xacro_value){.kind = XACRO_BLOCK, .block = n}, 0);
}

// The macro of a name, also namespace.name, with the scopes that it is called in.
static const xml_node* find_macro(xacro* x, const char* name, xacro_scope** macros, xacro_scope** scope)
{
  xacro_value v = xacro_none();
  if (limb_xacro_lookup(x, *macros, name, &v) && v.kind == XACRO_BLOCK) return v.block;
  for (const char* dot; (dot = strchr(name, '.')) != NULL; name = dot + 1) {
    const char* space = limb_xacro_cut(x, name, dot);
    xacro_value properties = xacro_none();
    if (!limb_xacro_lookup(x, *macros, space, &v) || v.kind != XACRO_NAMESPACE) return NULL;
    if (!limb_xacro_lookup(x, *scope, space, &properties) || properties.kind != XACRO_NAMESPACE) return NULL;
    *macros = v.scope;
    *scope = properties.scope;
    if (limb_xacro_lookup(x, *macros, dot + 1, &v) && v.kind == XACRO_BLOCK) return v.block;
  }
  return NULL;
}

static const char* macro_name(const void* scope, int i) { return ((const xacro_scope*)scope)->item[i].name; }

static void unknown_macro(xacro* x, const char* name)
{
  const limb_phrase mean = limb_did_you_mean(x->findings, name, x->macro.count, macro_name, &x->macro);
  (void)limb_xacro_fail(x, "<xacro:%.60s>: there is no macro of this name%s", name, mean.text);
}

static void call_macro(xacro* x, const xml_node* n, xml_node* to, xacro_scope* macros, xacro_scope* scope)
{
  const int dynamic = is(n, "xacro:call");
  const char* written = dynamic ? need(x, n, "macro") : n->name + 6;
  const char* name = dynamic && written ? limb_xacro_eval_text(x, written, scope) : written;
  xacro_scope *inner_macros = macros, *inner = scope;
  if (x->failed) return;
  const xml_node* macro = find_macro(x, name, &inner_macros, &inner);
  if (!macro) {
    unknown_macro(x, name);
    return;
  }
  const char* params = limb_xml_get(macro, "params");
  if (!params) params = "";
  xacro_scope own_macros = {.parent = inner_macros}, own = {.parent = inner};
  limb_xacro_pass_attributes(x, n, params, scope, &own);
  xml_node* blocks = new_element(x, n, NULL);
  if (blocks) expand_children(x, n, blocks, macros, scope);
  x->at = n->pos;
  if (!x->failed) limb_xacro_pass_rest(x, n, blocks, params, scope, &own);
  if (!x->failed) expand_children(x, macro, to, &own_macros, &own);
}

// ---- blocks ---------------------------------------------------------------------------------------

static void expand_element(xacro* x, const xml_node* n, xml_node* to, xacro_scope* macros, xacro_scope* scope);

static void insert_block(xacro* x, const xml_node* n, xml_node* to, xacro_scope* macros, xacro_scope* scope)
{
  xacro_value v = xacro_none();
  check_attributes(x, n, "name");
  const char* name = need(x, n, "name");
  const char* content = name ? limb_mempool_join(x->pool, "**", name, "") : NULL;
  if (!content) {
    (void)limb_xacro_no_memory(x);
  } else if (limb_xacro_lookup(x, scope, content, &v) && v.kind == XACRO_BLOCK && v.block) {
    expand_children(x, v.block, to, macros, scope);
  } else if (limb_xacro_lookup(x, scope, content + 1, &v) && v.kind == XACRO_BLOCK && v.block) {
    expand_element(x, v.block, to, macros, scope);
  } else {
    (void)limb_xacro_fail(x, "there is no block '%.60s'", name);
  }
}

// ---- inclusions -----------------------------------------------------------------------------------

// Prefixes that the included file declares are declared for the whole.
static void take_prefixes(xacro* x, const xml_node* from)
{
  for (int i = 0; i < from->nattribute; i++) {
    const xml_attribute a = from->attribute[i];
    if (strncmp(a.name, "xmlns:", 6) == 0 && strcmp(a.name, "xmlns:xacro") != 0 && !limb_xml_get(x->root, a.name))
      set_attribute(x, x->root, a.name, a.value);
  }
}

static void begin_namespace(xacro* x, const char* name, xacro_scope** macros, xacro_scope** scope)
{
  xacro_scope *own_macros = limb_mempool_alloc(x->pool, sizeof **macros),
              *own = limb_mempool_alloc(x->pool, sizeof **scope);
  if (!own_macros || !own) {
    (void)limb_xacro_no_memory(x);
    return;
  }
  *own_macros = (xacro_scope){.is_namespace = 1};
  *own = (xacro_scope){.parent = *scope, .is_namespace = 1};
  limb_xacro_define(x, *macros, name, (xacro_value){.kind = XACRO_NAMESPACE, .scope = own_macros}, 0);
  limb_xacro_define(x, *scope, name, (xacro_value){.kind = XACRO_NAMESPACE, .scope = own}, 0);
  *macros = own_macros;
  *scope = own;
}

static void include_file(xacro* x, const xml_node* n, const char* name, xml_node* to, xacro_scope* macros,
                         xacro_scope* scope)
{
  const limb_subject about = {"element", n->name};
  file_bytes file;
  const char* path = limb_files_find(x->files, name, x->path ? x->path : "", RULE_XACRO, n->pos, about);
  if (!path || !limb_files_load(x->files, path, RULE_XACRO, n->pos, about, &file)) {
    (void)limb_xacro_no_memory(x);
    return;
  }
  const xml_node* root = limb_xml_parse_texts(file.text, file.size, file.file, x->pool, x->findings);
  if (!root) {
    (void)limb_xacro_no_memory(x);
    return;
  }
  const char* before = x->path;
  x->path = file.path;
  take_prefixes(x, root);
  expand_children(x, root, to, macros, scope);
  x->path = before;
}

static void include(xacro* x, const xml_node* n, xml_node* to, xacro_scope* macros, xacro_scope* scope)
{
  check_attributes(x, n, "filename ns optional");
  const char *written = need(x, n, "filename"), *space = limb_xml_get(n, "ns");
  const char* name = written ? limb_xacro_eval_text(x, written, scope) : NULL;
  const int optional = condition(x, limb_xml_get(n, "optional"), 0, scope);
  if (space) space = limb_xacro_eval_text(x, space, scope);
  if (x->failed) return;
  if (optional && !limb_files_exists(x->files, name, x->path ? x->path : "")) return;
  if (strpbrk(name, "*?[")) {
    (void)limb_xacro_fail(x, "patterns in names of files are not supported: '%.100s'", name);
    return;
  }
  if (space) begin_namespace(x, space, &macros, &scope);
  if (!x->failed) include_file(x, n, name, to, macros, scope);
}

// ---- the walk -------------------------------------------------------------------------------------

static void expand_attributes(xacro* x, const xml_node* n, xml_node* to, xacro_scope* scope)
{
  for (int i = 0; i < n->nattribute && !x->failed; i++) {
    const xml_attribute a = n->attribute[i];
    if (strncmp(a.name, "xacro:", 6) == 0 || strcmp(a.name, "xmlns:xacro") == 0) continue;
    set_attribute(x, to, a.name, limb_xacro_eval_text(x, a.value, scope));
  }
}

static void expand_plain(xacro* x, const xml_node* n, const char* name, xml_node* to, xacro_scope* macros,
                         xacro_scope* scope)
{
  xml_node* copy = new_element(x, n, to);
  if (!copy) return;
  copy->name = name;
  expand_attributes(x, n, copy, scope);
  expand_children(x, n, copy, macros, scope);
}

// <xacro:element xacro:name="...">: an element, or an instruction, whose name is computed.
static void expand_named(xacro* x, const xml_node* n, xml_node* to, xacro_scope* macros, xacro_scope* scope)
{
  const char* written = need(x, n, "xacro:name");
  const char* name = written ? limb_xacro_eval_text(x, written, scope) : "";
  if (!x->failed && !*name) (void)limb_xacro_fail(x, "<xacro:element> has an empty name");
  if (x->failed) return;
  xml_node renamed = *n;
  renamed.name = name;
  if (strncmp(name, "xacro:", 6) == 0 && strcmp(name, "xacro:element") != 0)
    expand_element(x, &renamed, to, macros, scope);
  else
    expand_plain(x, n, name, to, macros, scope);
}

static void add_attribute(xacro* x, const xml_node* n, xml_node* to, xacro_scope* scope)
{
  const char *name = need(x, n, "name"), *value = need(x, n, "value");
  if (!name || !value) return;
  name = limb_xacro_eval_text(x, name, scope);
  value = limb_xacro_eval_text(x, value, scope);
  if (!x->failed && !*name) (void)limb_xacro_fail(x, "<xacro:attribute> has an empty name");
  if (!x->failed) set_attribute(x, to, name, value);
}

static void expand_element(xacro* x, const xml_node* n, xml_node* to, xacro_scope* macros, xacro_scope* scope)
{
  x->at = n->pos;
  if (strncmp(n->name, "xacro:", 6) != 0) {
    expand_plain(x, n, n->name, to, macros, scope);
  } else if (is(n, "xacro:property")) {
    read_property(x, n, scope);
  } else if (is(n, "xacro:macro")) {
    read_macro(x, n, macros);
  } else if (is(n, "xacro:arg")) {
    read_argument(x, n, scope);
  } else if (is(n, "xacro:include")) {
    include(x, n, to, macros, scope);
  } else if (is(n, "xacro:insert_block")) {
    insert_block(x, n, to, macros, scope);
  } else if (is(n, "xacro:if") || is(n, "xacro:unless")) {
    check_attributes(x, n, "value");
    const char* value = need(x, n, "value");
    const int keep = value && condition(x, value, 0, scope) == is(n, "xacro:if");
    if (keep && !x->failed) expand_children(x, n, to, macros, scope);
  } else if (is(n, "xacro:element")) {
    expand_named(x, n, to, macros, scope);
  } else if (is(n, "xacro:attribute")) {
    add_attribute(x, n, to, scope);
  } else {
    call_macro(x, n, to, macros, scope);
  }
}

static void expand_text(xacro* x, const xml_node* n, xml_node* to, xacro_scope* scope)
{
  xml_node* copy = new_element(x, n, to);
  x->at = n->pos;
  if (copy) copy->text = limb_xacro_eval_text(x, n->text, scope);
}

static void expand_children(xacro* x, const xml_node* from, xml_node* to, xacro_scope* macros, xacro_scope* scope)
{
  if (++x->depth > XACRO_MAX_DEPTH)
    (void)limb_xacro_fail(x, "macros, inclusions and elements are nested too deep: one may contain itself");
  for (const xml_node* n = from->first; n && !x->failed; n = n->next) {
    if (is_text(n))
      expand_text(x, n, to, scope);
    else
      expand_element(x, n, to, macros, scope);
  }
  x->depth--;
}

// name:=value, closed by NULL.
static void take_arguments(xacro* x, const char* const* list)
{
  for (; list && *list && !x->failed; list++) {
    const char* sign = strstr(*list, ":=");
    if (sign)
      limb_xacro_set_argument(x, limb_xacro_cut(x, *list, sign), sign + 2);
    else
      (void)limb_xacro_fail(x, "the argument '%.60s' is not of the form name:=value", *list);
  }
}

// A mistyped name would leave the argument at its default. Those that are given come first.
static void report_unused(const xacro* x, const char* const* list)
{
  for (int i = 0; list && list[i]; i++)
    if (!x->argument[i].used)
      limb_report(x->findings, RULE_UNKNOWN_TAG, (file_pos){0}, (limb_subject){NULL, NULL},
                  "the argument '%.60s' is given, but the file has none of this name", x->argument[i].name);
}

xml_node* limb_xacro_expand(limb_source* src, const char* const* arguments, limb_findings* f)
{
  xacro x = {.pool = src->pool, .files = src->files, .findings = f, .path = src->files->source};
  const xml_node* root = limb_xml_parse_texts(src->text, src->size, 0, src->pool, f);
  xml_node* out = root ? new_element(&x, root, NULL) : NULL;
  if (!out) return NULL;
  x.root = out;
  x.at = root->pos;
  take_arguments(&x, arguments);
  expand_attributes(&x, root, out, &x.top);
  if (!x.failed) expand_children(&x, root, out, &x.macro, &x.top);
  if (!x.failed) report_unused(&x, arguments);
  return x.failed ? NULL : out;
}
