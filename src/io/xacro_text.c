// Texts of xacro: ${expressions}, $(substitutions), and the scopes in which names are looked up.
#include "io/file_text.h"
#include "io/xacro.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- failing --------------------------------------------------------------------------------------

xacro_value limb_xacro_fail(xacro* x, const char* format, ...)
{
  va_list args;
  va_start(args, format);
  if (!x->failed) limb_report_args(x->findings, RULE_XACRO, x->at, (limb_subject){NULL, NULL}, format, args);
  va_end(args);
  if (!x->failed && x->expression)
    limb_report_hint(x->findings, "in the expression ${%s}", limb_excerpt(x->expression, NULL).text);
  x->failed = 1;
  return xacro_none();
}

xacro_value limb_xacro_no_memory(xacro* x)
{
  x->failed = 1;
  return xacro_none();
}

int limb_xacro_work(xacro* x, long long amount)
{
  x->work += amount + 1;
  if (x->work > XACRO_MAX_WORK) (void)limb_xacro_fail(x, "the file expands to too much: it may never end");
  return !x->failed;
}

// ---- scopes ---------------------------------------------------------------------------------------

static xacro_property* find(const xacro_scope* scope, const char* name)
{
  for (int i = 0; i < scope->count; i++) {
    if (strcmp(scope->item[i].name, name) == 0) return &scope->item[i];
  }
  return NULL;
}

int limb_xacro_knows(const xacro_scope* scope, const char* name)
{
  for (; scope; scope = scope->parent) {
    if (find(scope, name)) return 1;
  }
  return 0;
}

void limb_xacro_define(xacro* x, xacro_scope* scope, const char* name, xacro_value value, int lazy)
{
  if (!limb_xacro_work(x, 1 + scope->count / 16)) return;
  xacro_property* p = find(scope, name);
  const xacro_value literal = limb_xacro_literal(x, value);
  if (!p) {
    xacro_property* grown = limb_mempool_grow(x->pool, scope->item, &scope->capacity, scope->count, sizeof *p);
    if (!grown) {
      (void)limb_xacro_no_memory(x);
      return;
    }
    scope->item = grown;
    p = &scope->item[scope->count++];
  }
  *p = (xacro_property){.name = name, .value = literal, .lazy = lazy && literal.kind == XACRO_TEXT};
}

void limb_xacro_remove(xacro_scope* scope, const char* name)
{
  for (; scope; scope = scope->parent) {
    xacro_property* p = find(scope, name);
    if (p) *p = scope->item[--scope->count];
  }
}

// The value of a property, in the scope that defines it. Scopes may grow meanwhile, so the property is found again.
static void evaluate(xacro* x, xacro_scope* scope, const char* name)
{
  xacro_property* p = find(scope, name);
  if (p->evaluating) {
    (void)limb_xacro_fail(x, "the property '%.60s' is defined by itself", name);
    return;
  }
  p->evaluating = 1;
  const xacro_value v = limb_xacro_literal(x, limb_xacro_eval(x, p->value.text, scope));
  p = find(scope, name);
  if (!p) return;
  p->value = v;
  p->lazy = p->evaluating = 0;
}

int limb_xacro_lookup(xacro* x, xacro_scope* scope, const char* name, xacro_value* out)
{
  for (; scope; scope = scope->parent) {
    if (!limb_xacro_work(x, 1 + scope->count / 16)) return 0;
    const xacro_property* p = find(scope, name);
    if (!p) continue;
    if (p->lazy) {
      evaluate(x, scope, name);
      p = x->failed ? NULL : find(scope, name);
    }
    if (p) *out = p->value;
    return p != NULL;
  }
  return 0;
}

// ---- arguments ------------------------------------------------------------------------------------

const char* limb_xacro_argument(xacro* x, const char* name)
{
  for (int i = 0; i < x->narguments; i++) {
    if (strcmp(x->argument[i].name, name) != 0) continue;
    x->argument[i].used = 1;
    return x->argument[i].value;
  }
  return NULL;
}

void limb_xacro_set_argument(xacro* x, const char* name, const char* value)
{
  xacro_argument* grown =
    limb_mempool_grow(x->pool, x->argument, &x->argument_capacity, x->narguments, sizeof *x->argument);
  if (!grown) {
    (void)limb_xacro_no_memory(x);
    return;
  }
  x->argument = grown;
  x->argument[x->narguments++] = (xacro_argument){name, value, 0};
}

// ---- $(substitutions) -----------------------------------------------------------------------------

static xacro_value current_folder(xacro* x)
{
  char path[PATH_MAX];
  return getcwd(path, sizeof path) ? limb_xacro_text_n(x, path, strlen(path))
                                   : limb_xacro_fail(x, "the current folder is not known");
}

// The folder of the file, absolute.
static xacro_value own_folder(xacro* x)
{
  char path[PATH_MAX];
  const char* slash = x->path ? strrchr(x->path, '/') : NULL;
  if (!x->path) return limb_xacro_fail(x, "$(dirname): the text is not in a file");
  const xacro_value folder = slash ? limb_xacro_text_n(x, x->path, (size_t)(slash - x->path) + 1) : xacro_text(".");
  if (folder.kind != XACRO_TEXT || !realpath(folder.text, path)) return limb_xacro_fail(x, "the folder is not known");
  return limb_xacro_text_n(x, path, strlen(path));
}

static xacro_value find_package(xacro* x, const char* name)
{
  char path[PATH_MAX];
  const char* folder = limb_files_package(x->files, name, strlen(name));
  if (folder && realpath(folder, path)) return limb_xacro_text_n(x, path, strlen(path));
  if (x->failed) return xacro_none();
  (void)limb_xacro_fail(x, "the package '%.100s' is not found", name);
  limb_report_hint(x->findings, "name the folder that contains it: --package-path FOLDER, or ROS_PACKAGE_PATH");
  return xacro_none();
}

// $(env NAME) must be set, $(optenv NAME text) need not be.
static xacro_value environment(xacro* x, const char* command, const char* name, const char* otherwise)
{
  const char* value = getenv(name);
  if (value) return limb_xacro_text_n(x, value, strlen(value));
  if (strcmp(command, "optenv") == 0) return xacro_text(otherwise);
  return limb_xacro_fail(x, "$(env %.60s): this environment variable is not set", name);
}

// command, name and rest of "command name rest"
static xacro_value substitute(xacro* x, const char* text, xacro_scope* scope)
{
  char* command = limb_mempool_text(x->pool, text, strlen(text));
  if (!command) return limb_xacro_no_memory(x);
  while (is_blank(*command)) command++;
  char* name = command + strcspn(command, " \t\n");
  if (*name) *name++ = 0;
  while (is_blank(*name)) name++;
  if (strcmp(command, "eval") == 0) { // names are arguments, too
    xacro_scope arguments = {.parent = scope};
    for (int i = 0; i < x->narguments; i++)
      limb_xacro_define(x, &arguments, x->argument[i].name, xacro_text(x->argument[i].value), 0);
    return xacro_text(limb_xacro_str(x, limb_xacro_expression(x, name, &arguments)));
  }
  char* rest = name + strcspn(name, " \t\n");
  if (*rest) *rest++ = 0;
  while (is_blank(*rest)) rest++;
  if (strcmp(command, "arg") == 0 && *name) {
    const char* value = limb_xacro_argument(x, name);
    if (value) return xacro_text(value);
    (void)limb_xacro_fail(x, "$(arg %.60s): there is no argument of this name", name);
    limb_report_hint(x->findings, "give it a value: --args %.60s:=VALUE", name);
    return xacro_none();
  }
  if (strcmp(command, "find") == 0 && *name) return find_package(x, name);
  if ((strcmp(command, "env") == 0 || strcmp(command, "optenv") == 0) && *name)
    return environment(x, command, name, rest);
  if (strcmp(command, "dirname") == 0) return own_folder(x);
  if (strcmp(command, "cwd") == 0) return current_folder(x);
  return limb_xacro_fail(x, "$(%.60s): only arg, find, env, optenv, dirname, cwd and eval are known", text);
}

// ---- texts ----------------------------------------------------------------------------------------

// One part of a text: ${...}, $(...), $${ or $$( (one $ less), or anything else up to the next of these.
static xacro_value next_part(xacro* x, const char** text, xacro_scope* scope)
{
  const char* p = *text;
  const size_t dollars = strspn(p, "$");
  if (dollars == 1 && (p[1] == '{' || p[1] == '(')) {
    const char* close = strchr(p, p[1] == '{' ? '}' : ')');
    if (!close) return limb_xacro_fail(x, "'%s' is not closed", limb_excerpt(p, NULL).text);
    const xacro_value inner = limb_xacro_text_n(x, p + 2, (size_t)(close - p) - 2);
    const char* resolved = inner.kind == XACRO_TEXT ? limb_xacro_eval_text(x, inner.text, scope) : "";
    *text = close + 1;
    if (x->failed) return xacro_none();
    return p[1] == '{' ? limb_xacro_expression(x, resolved, scope) : substitute(x, resolved, scope);
  }
  if (dollars > 1 && (p[dollars] == '{' || p[dollars] == '(')) {
    *text = p + dollars + 1;
    return limb_xacro_text_n(x, p + 1, dollars);
  }
  const char* end = p + (dollars ? dollars : 1);
  end += strcspn(end, "$");
  *text = end;
  return limb_xacro_text_n(x, p, (size_t)(end - p));
}

xacro_value limb_xacro_eval(xacro* x, const char* text, xacro_scope* scope)
{
  if (!strchr(text, '$')) return xacro_text(text);
  if (++x->depth > XACRO_MAX_DEPTH) return limb_xacro_fail(x, "texts refer to each other too deep");
  xacro_value v = next_part(x, &text, scope);
  while (*text && !x->failed) {
    const xacro_value more = next_part(x, &text, scope);
    const char* all = limb_mempool_join(x->pool, limb_xacro_str(x, v), limb_xacro_str(x, more), "");
    if (!all || !limb_xacro_work(x, (long long)(strlen(all) / 64))) return limb_xacro_no_memory(x);
    v = xacro_text(all);
  }
  x->depth--;
  return v;
}

const char* limb_xacro_eval_text(xacro* x, const char* text, xacro_scope* scope)
{
  const char* value = limb_xacro_str(x, limb_xacro_eval(x, text, scope));
  return x->failed ? "" : value;
}

int limb_xacro_condition(xacro* x, xacro_value v, const char* what)
{
  long long i = 0;
  if (v.kind != XACRO_TEXT) return limb_xacro_truth(v);
  if (limb_has_word("true True", v.text)) return 1;
  if (limb_has_word("false False", v.text)) return 0;
  if (limb_xacro_scan_int(v.text, &i)) return i != 0;
  (void)limb_xacro_fail(x, "the condition \"%s\" is '%s', which is neither true nor false",
                        limb_excerpt(what, NULL).text, limb_excerpt(v.text, NULL).text);
  return 0;
}
