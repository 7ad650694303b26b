// MJCF in several files. <include> is replaced by what the file contains; <model> is a robot of its own, with its own
// settings and classes, that <attach> adds to a body, its names behind a prefix; <replicate> adds copies, with numbers
// behind their names.
#include "io/read_mjcf.h"

#include <stdio.h>
#include <string.h>

enum {
  MAX_INSIDE = 32 // models and copies in each other
};

// ---- <include> ------------------------------------------------------------------------------------

// What has been included so far: MuJoCo includes a file once, so there are no cycles.
typedef struct inclusion {
  const char* path[LIMB_MAX_FOLDERS * 4];
  int count;
} inclusion;

const char* limb_mjcf_find_file(const mjcf* m, limb_files* files, const char* name, const char* model, limb_rule rule,
                                const xml_node* n)
{
  limb_files silent = *files;
  silent.findings = NULL;
  const char* from = n->pos.file ? limb_findings_file(m->s->findings, n->pos.file) : model;
  const char* path = from != model ? limb_files_find(&silent, name, model, rule, n->pos, limb_mjcf_subject(n)) : NULL;
  return path ? path : limb_files_find(files, name, from, rule, n->pos, limb_mjcf_subject(n));
}

static const char* find_included(mjcf* m, const char* model, const xml_node* n)
{
  const char* name = limb_xml_get(n, "file");
  if (name && *name) return limb_mjcf_find_file(m, m->files, name, model, RULE_UNREADABLE, n);
  limb_mjcf_report(m, RULE_MISSING_KEY, n, "it has no file");
  return NULL;
}

// The root of the file that an element names; NULL after an error.
static xml_node* load_root(mjcf* m, const char* path, const xml_node* n)
{
  file_bytes bytes;
  if (!path || !limb_files_load(m->files, path, RULE_UNREADABLE, n->pos, limb_mjcf_subject(n), &bytes)) return NULL;
  return limb_xml_parse(bytes.text, bytes.size, bytes.file, NULL, m->pool, m->findings);
}

static void expand(mjcf* m, const char* model, xml_node* parent, int depth, inclusion* all);

// Puts the children of an included file in the place of `n`, which follows `before` (NULL: it is the first). Returns
// the last of them, or `before`.
static xml_node* splice(xml_node* parent, xml_node* before, xml_node* n, xml_node* root)
{
  for (xml_node* c = root ? root->first : NULL; c; c = c->next) c->parent = parent;
  xml_node* first = root && root->first ? root->first : n->next;
  xml_node* last = root && root->first ? root->last : before;
  if (root && root->first) root->last->next = n->next;
  if (before)
    before->next = first;
  else
    parent->first = first;
  if (parent->last == n) parent->last = last;
  return last;
}

// Replaces an <include>. Returns the element before what follows.
static xml_node* include(mjcf* m, const char* model, xml_node* before, xml_node* n, int depth, inclusion* all)
{
  xml_node* parent = n->parent;
  const char* path = find_included(m, model, n);
  for (int i = 0; path && i < all->count; i++) {
    if (strcmp(all->path[i], path) != 0) continue;
    limb_mjcf_report(m, RULE_BAD_VALUE, n, "the file is included already, as '%s': MuJoCo includes a file once",
                     limb_excerpt(path, NULL).text);
    path = NULL;
  }
  if (path && (all->count == COUNT(all->path) || depth >= LIMB_XML_MAX_DEPTH)) {
    limb_mjcf_report(m, RULE_TOO_MANY, n, "the model includes more than %d files, or too deep", all->count);
    path = NULL;
  }
  if (path) all->path[all->count++] = path;
  xml_node* root = load_root(m, path, n);
  if (root) expand(m, model, root, depth, all);
  return splice(parent, before, n, root);
}

// Replaces all <include> below an element.
static void expand(mjcf* m, const char* model, xml_node* parent, int depth, inclusion* all)
{
  xml_node* before = NULL;
  if (depth > LIMB_XML_MAX_DEPTH) {
    limb_mjcf_report(m, RULE_TOO_DEEP, parent, "elements are nested more than %d deep", LIMB_XML_MAX_DEPTH);
    parent->first = parent->last = NULL;
    return;
  }
  for (xml_node* c = parent->first; c;) {
    xml_node* next = c->next;
    if (strcmp(c->name, "include") == 0) {
      before = include(m, model, before, c, depth + 1, all);
    } else {
      expand(m, model, c, depth + 1, all);
      before = c;
    }
    c = next;
  }
}

// ---- models ---------------------------------------------------------------------------------------

mjcf_model* limb_mjcf_begin_model(mjcf* m, xml_node* root, const char* path)
{
  mjcf_model* x = limb_mempool_alloc(m->pool, sizeof *x);
  inclusion* all = limb_mempool_alloc(m->pool, sizeof *all);
  if (!x || !all) {
    m->no_memory = 1;
    return NULL;
  }
  *x = (mjcf_model){.path = path,
                    .root = root,
                    .angle = 3.14159265358979323846 / 180,
                    .eulerseq = "xyz",
                    .autolimits = 1,
                    .from_geom = MJCF_WHEN_NEEDED,
                    .group_max = 5,
                    .totalmass = -1,
                    .meshdir = "",
                    .main_class = -1,
                    .next = m->loaded};
  m->loaded = x;
  all->path[all->count++] = path;
  expand(m, path, root, 0, all);
  mjcf_model* outside = m->model;
  m->model = x;
  limb_mjcf_read_compiler(m, root);
  limb_mjcf_read_defaults(m);
  limb_mjcf_list_meshes(m);
  if (m->opt->shapes) limb_mjcf_list_materials(m);
  m->model = outside;
  return x;
}

// The <model> of the current model with a name; NULL when there is none.
static const xml_node* find_asset(const mjcf* m, const char* name)
{
  for (const xml_node* a = limb_xml_child(m->model->root, "asset"); a; a = limb_xml_next(a)) {
    for (const xml_node* n = limb_xml_child(a, "model"); n; n = limb_xml_next(n)) {
      const char* own = limb_xml_get(n, "name");
      if (own && strcmp(own, name) == 0) return n;
    }
  }
  return NULL;
}

// The model of an asset, loaded when it is attached for the first time. NULL after an error.
static mjcf_model* load_model(mjcf* m, const xml_node* asset)
{
  const char* path = find_included(m, m->model->path, asset);
  for (mjcf_model* x = m->loaded; path && x; x = x->next) {
    if (strcmp(x->path, path) == 0) return x;
  }
  xml_node* root = load_root(m, path, asset);
  if (!root || strcmp(root->name, "mujoco") == 0) return root ? limb_mjcf_begin_model(m, root, path) : NULL;
  limb_mjcf_report(m, RULE_WRONG_FORMAT, asset, "the root element of '%s' is not <mujoco>",
                   limb_excerpt(path, NULL).text);
  return NULL;
}

// ---- scopes ---------------------------------------------------------------------------------------

const mjcf_scope* limb_mjcf_enter(mjcf* m, const mjcf_scope* scope)
{
  const mjcf_scope* outside = m->scope;
  m->scope = scope;
  m->model = scope->model;
  return outside;
}

const char* limb_mjcf_scoped(mjcf* m, const xml_node* n, const char* attribute)
{
  const char* name = limb_xml_get(n, attribute);
  if (!name || !*name || (!*m->scope->prefix && !*m->scope->suffix)) return name;
  return limb_mjcf_join(m, m->scope->prefix, name, m->scope->suffix);
}

static mjcf_scope* new_scope(mjcf* m, const xml_node* n, mjcf_model* model, const char* prefix, const char* suffix)
{
  if (m->scope->depth >= MAX_INSIDE) {
    limb_mjcf_report(m, RULE_TOO_DEEP, n, "models and copies are nested more than %d deep", MAX_INSIDE);
    return NULL;
  }
  mjcf_scope* x = limb_mempool_alloc(m->pool, sizeof *x);
  if (!x || !prefix || !suffix) {
    m->no_memory = 1;
    return NULL;
  }
  *x = (mjcf_scope){model, prefix, suffix, m->scope->depth + 1, NULL, m->scope, m->attached};
  return x;
}

// The body or frame of a name, without its attributes; NULL when there is none.
static const xml_node* find_named(const xml_node* n, const char* kind, const char* name)
{
  for (const xml_node* c = n->first; c; c = c->next) {
    const char* own = strcmp(c->name, kind) == 0 ? limb_xml_get(c, "name") : NULL;
    if (own && strcmp(own, name) == 0) return c;
    const xml_node* inside = c->first ? find_named(c, kind, name) : NULL;
    if (inside) return inside;
  }
  return NULL;
}

// What an <attach> adds.
static const xml_node* find_source(mjcf* m, const xml_node* n, const mjcf_model* model)
{
  const char *body = limb_xml_get(n, "body"), *frame = limb_xml_get(n, "frame");
  if (!body && !frame) return limb_xml_child(model->root, "worldbody");
  for (const xml_node* w = limb_xml_child(model->root, "worldbody"); w; w = limb_xml_next(w)) {
    const xml_node* found = find_named(w, body ? "body" : "frame", body ? body : frame);
    if (found) return found;
  }
  limb_mjcf_report(m, body ? RULE_UNDEFINED_BODY : RULE_BAD_VALUE, n, "the model has no %s '%.60s'",
                   body ? "body" : "frame", body ? body : frame);
  return NULL;
}

// What is attached inside itself would never end.
static int is_inside(const mjcf_scope* s, const xml_node* source)
{
  for (; s; s = s->outside)
    if (s->source == source) return 1;
  return 0;
}

const mjcf_scope* limb_mjcf_attach(mjcf* m, const xml_node* n, int keep, const xml_node** source)
{
  const char *name = limb_xml_get(n, "model"), *prefix = limb_xml_get(n, "prefix");
  const xml_node* asset = name ? find_asset(m, name) : NULL;
  if (name && !asset) limb_mjcf_report(m, RULE_BAD_VALUE, n, "there is no model '%.60s' among the assets", name);
  mjcf_model* model = asset ? load_model(m, asset) : name ? NULL : m->model;
  *source = model ? find_source(m, n, model) : NULL;
  if (!*source) return NULL;
  if (is_inside(m->scope, *source)) {
    limb_mjcf_report(m, RULE_BAD_VALUE, n, "what is attached here has this element inside: it would never end");
    return NULL;
  }
  mjcf_scope* x =
    new_scope(m, n, model, limb_mjcf_join(m, m->scope->prefix, prefix ? prefix : "", ""), m->scope->suffix);
  if (x) x->source = *source;
  if (x && keep) m->attached = x;
  return x;
}

const mjcf_scope* limb_mjcf_copy(mjcf* m, const xml_node* n, int i, int count)
{
  const char* separator = limb_xml_get(n, "sep");
  char digits[24];
  int width = 1;
  for (int k = count; k >= 10; k /= 10) width++;
  (void)snprintf(digits, sizeof digits, "%0*d", width, i);
  const char* suffix = limb_mjcf_join(m, separator ? separator : "", digits, m->scope->suffix);
  return new_scope(m, n, m->model, m->scope->prefix, suffix);
}
