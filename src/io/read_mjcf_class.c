// MJCF: default classes. A class gives attributes to elements of a kind; what it does not say, its parent
// says, and so on up to the class main.
#include "io/read_mjcf_impl.h"

#include <string.h>

enum { DEEPEST = 64 }; // classes above a class: every attribute looks through them

static const char* const kinds[MJCF_KINDS] = {"joint", "geom", "site", "tendon", "equality", "general"};

static const char* class_name(const void* context, int i) { return ((const mjcf*)context)->class_list[i].name; }

// A new class; -1 when out of memory or too deep.
static int add_class(mjcf* m, const char* name, int parent, limb_mark at)
{
  const int depth = parent < 0 ? 0 : m->class_list[parent].depth + 1;
  if (depth > DEEPEST) {
    limb_report(m->findings, RULE_TOO_DEEP, at, (limb_subject){"default", name},
                "default classes are nested more than %d deep", DEEPEST);
    return -1;
  }
  if (m->nclass == m->class_cap) {
    const int cap = m->class_cap ? 2 * m->class_cap : 16;
    mjcf_class* more = limb_store_take(m->pool, (size_t)cap * sizeof *more);
    if (!more) {
      m->no_memory = 1;
      return -1;
    }
    if (m->nclass) memcpy(more, m->class_list, (size_t)m->nclass * sizeof *more);
    m->class_list = more;
    m->class_cap = cap;
  }
  m->class_list[m->nclass] = (mjcf_class){.name = name, .mark = at, .parent = parent, .depth = depth};
  return m->nclass++;
}

// Defaults of things that are no dynamics.
static int is_other_default(const char* name)
{
  static const char* const other[] = {
    "mesh",   "material",    "camera",   "light",  "pair",   "motor",   "position", "velocity", "cylinder",
    "muscle", "intvelocity", "adhesion", "plugin", "damper", "dcmotor", "flex",     "default",
  };
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
    if (strcmp(name, other[i]) == 0) return 1;
  }
  return 0;
}

static void take_items(mjcf* m, const xml_node* n, int index)
{
  for (const xml_node* c = n->first; c; c = c->next) {
    int kind = 0;
    while (kind < MJCF_KINDS && strcmp(c->name, kinds[kind]) != 0) kind++;
    if (kind == MJCF_KINDS) {
      if (!is_other_default(c->name))
        limb_report_once(m->findings, RULE_UNKNOWN_TAG, c->mark, (limb_subject){"default", c->name},
                         "MJCF has no defaults for <%s>", c->name);
      continue;
    }
    const xml_node** item = &m->class_list[index].item[kind];
    if (*item)
      limb_report(m->findings, RULE_DUPLICATE_KEY, c->mark, (limb_subject){"default", c->name},
                  "this class has a <%s> already, on line %d", c->name, (*item)->mark.line);
    else
      *item = c;
  }
}

// A class and those below it; parent -1: a section. Recursion is limited by the depth of XML.
static void take_class(mjcf* m, const xml_node* n, int parent)
{
  const char* name = limb_xml_get(n, "class");
  limb_mjcf_check_attributes(m, n, "class", NULL, 0);
  if (!name && m->main_class != parent) {
    limb_report(m->findings, RULE_NO_NAME, n->mark, (limb_subject){"default", NULL},
                "a default class inside another needs a class attribute");
    return;
  }
  const int index = add_class(m, name ? name : "main", parent, n->mark);
  if (index < 0) return;
  take_items(m, n, index);
  for (const xml_node* c = limb_xml_child(n, "default"); c; c = limb_xml_next(c)) take_class(m, c, index);
}

// A section adds to the class main: later sections change it, classes above keep what they inherited.
static void take_section(mjcf* m, const xml_node* n)
{
  const int before = m->nclass;
  take_class(m, n, m->main_class);
  if (m->nclass == before) return;
  m->class_list[before].section = 1;
  m->main_class = before;
}

static void enter_names(mjcf* m)
{
  const size_t capacity = limb_names_capacity((size_t)m->nclass);
  int* slot = limb_store_take(m->pool, capacity * sizeof *slot);
  if (!slot) {
    m->no_memory = 1;
    return;
  }
  limb_names_clear(&m->class_names, slot, capacity);
  if (m->main_class >= 0) limb_names_put(&m->class_names, m->class_list[m->main_class].name, m->main_class);
  for (int i = 0; i < m->nclass; i++) {
    const mjcf_class* c = &m->class_list[i];
    const int first = limb_names_find(&m->class_names, c->name, class_name, m);
    if (first < 0)
      limb_names_put(&m->class_names, c->name, i);
    else if (first != i && !(c->section && m->class_list[first].section))
      limb_report(m->findings, RULE_DUPLICATE_NAME, c->mark, (limb_subject){"default", c->name},
                  "there is a default class of this name already, on line %d", m->class_list[first].mark.line);
  }
}

void limb_mjcf_take_defaults(mjcf* m, const xml_node* root)
{
  m->main_class = -1;
  for (const xml_node* n = limb_xml_child(root, "default"); n; n = limb_xml_next(n)) take_section(m, n);
  enter_names(m);
}

int limb_mjcf_named_class(mjcf* m, const xml_node* n, const char* attribute, int inherited)
{
  const char* name = limb_xml_get(n, attribute);
  if (!name || m->no_memory) return inherited;
  const int found = limb_names_find(&m->class_names, name, class_name, m);
  if (found >= 0) return found;
  if (strcmp(name, "main") == 0) return m->main_class;
  char mean[LIMB_WHERE_SPACE];
  limb_report(m->findings, RULE_BAD_VALUE, n->mark, limb_mjcf_subject(n), "there is no default class '%s'%s", name,
              limb_did_you_mean(m->s->findings, name, m->nclass, class_name, m, mean));
  return inherited;
}

mjcf_item limb_mjcf_make_item(mjcf* m, const xml_node* n, mjcf_kind kind, int childclass)
{
  return (mjcf_item){n, kind, limb_mjcf_named_class(m, n, "class", childclass)};
}

mjcf_item limb_mjcf_plain(const xml_node* n) { return (mjcf_item){n, MJCF_PLAIN, -1}; }

const char* limb_mjcf_get(const mjcf* m, mjcf_item it, const char* name)
{
  const char* value = limb_xml_get(it.node, name);
  if (it.kind == MJCF_PLAIN) return value;
  for (int c = it.class_index; !value && c >= 0; c = m->class_list[c].parent) {
    if (m->class_list[c].item[it.kind]) value = limb_xml_get(m->class_list[c].item[it.kind], name);
  }
  return value;
}
