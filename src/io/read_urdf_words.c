// URDF: which words an element may hold. Mistyped names would change a robot silently, so that whatever is
// not known is told, once for each name.
#include "io/read_urdf_impl.h"

#include <stdio.h>
#include <string.h>

void limb_urdf_error(urdf_reader* r, limb_rule rule, limb_mark at, limb_subject about, const char* format, ...)
{
  char text[512];
  va_list list;
  va_start(list, format);
  (void)vsnprintf(text, sizeof text, format, list);
  va_end(list);
  limb_report(r->findings, rule, at, about, "%s", text);
  r->errors++;
}

int limb_urdf_first(urdf_reader* r, const char* element, const char* name)
{
  for (int i = 0; i < r->ntold; i++) {
    const char* other = r->told[i].element;
    if (strcmp(r->told[i].name, name) == 0 && (other && element ? strcmp(other, element) == 0 : other == element))
      return 0;
  }
  if (r->ntold == URDF_TOLD) return 0;
  r->told[r->ntold].element = element;
  r->told[r->ntold].name = name;
  r->ntold++;
  if (r->ntold == URDF_TOLD)
    limb_report(r->findings, RULE_UNKNOWN_TAG, (limb_mark){0, 0}, (limb_subject){NULL, NULL},
                "there are more unknown names than are listed");
  return 1;
}

// ---- lists of words -------------------------------------------------------------------------------

// Index in a list that ends with NULL; -1 when it is not there.
static int find_word(const char* const* list, const char* word)
{
  for (int i = 0; list && list[i]; i++) {
    if (list[i][0] == word[0] && strcmp(list[i], word) == 0) return i;
  }
  return -1;
}

static int count_words(const char* const* list)
{
  int n = 0;
  while (list && list[n]) n++;
  return n;
}

// Elements that are read, as one list: the candidates of a suggestion.
static const char* element_word(const void* context, int i)
{
  const urdf_words* w = context;
  const int n = count_words(w->child);
  return i < n ? w->child[i] : w->many[i - n];
}

static const char* attribute_word(const void* context, int i) { return ((const urdf_words*)context)->attribute[i]; }

// ---- attributes -----------------------------------------------------------------------------------

// iyx of a symmetric matrix is ixy. 1 when name is the mirror image of an attribute.
static int mirrored(const xml_node* n, const char* name, const urdf_words* w, char mean[LIMB_WHERE_SPACE])
{
  if (strlen(name) != 3 || name[0] != 'i') return 0;
  const char other[] = {'i', name[2], name[1], 0};
  if (find_word(w->attribute, other) < 0) return 0;
  if (limb_xml_get(n, other))
    (void)snprintf(mean, LIMB_WHERE_SPACE, ": the matrix is symmetric, and '%s' is given", other);
  else
    (void)snprintf(mean, LIMB_WHERE_SPACE, "; did you mean '%s'?", other);
  return 1;
}

// "a, b, c"
static const char* join_words(const char* const* list, char* text, size_t space)
{
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; list && list[i] && used < space; i++) {
    const int more = snprintf(text + used, space - used, "%s%s", i ? ", " : "", list[i]);
    used += more > 0 ? (size_t)more : 0;
  }
  return text;
}

static void check_attribute(urdf_reader* r, limb_subject about, const xml_node* n, const char* name,
                            const urdf_words* w)
{
  char mean[LIMB_WHERE_SPACE];
  if (find_word(w->attribute, name) >= 0 || strncmp(name, "xmlns", 5) == 0) return;
  if (!w->strict && !limb_urdf_first(r, n->name, name)) return;
  const limb_mark at = limb_urdf_mark(r, n, name);
  if (!mirrored(n, name, w, mean))
    (void)limb_did_you_mean(r->findings, name, count_words(w->attribute), attribute_word, w, mean);
  if (w->strict) {
    char all[128];
    limb_urdf_error(r, RULE_UNKNOWN_KEY, at, about, "<%s> has no attribute '%s'%s", n->name, name, mean);
    limb_report_hint(r->findings, "it has %s", join_words(w->attribute, all, sizeof all));
  } else {
    limb_report(r->findings, RULE_UNKNOWN_TAG, at, about, "attribute '%s' of <%s> is not known and has no effect%s",
                name, n->name, mean);
  }
}

// ---- elements -------------------------------------------------------------------------------------

// Definitions, which add nothing by themselves: old tools leave them in files that they have expanded.
static int is_definition(const char* name)
{
  static const char* const definitions[] = {"xacro:property", "xacro:arg", "xacro:macro", NULL};
  return find_word(definitions, name) >= 0;
}

// Instructions for xacro. A call, an inclusion or a condition stands where a part of the robot should be.
static void report_xacro(urdf_reader* r, const xml_node* n)
{
  const limb_subject about = {"element", n->name};
  const int first = limb_urdf_first(r, NULL, n->name);
  if (is_definition(n->name) && !r->template) {
    if (!first) return;
    limb_report(r->findings, RULE_XACRO, n->mark, about,
                "<%s> defines something for xacro, and adds nothing to the robot by itself", n->name);
    limb_report_as(r->findings, LIMB_WARNING);
    limb_report_hint(r->findings, "remove it, if the file has been expanded");
    return;
  }
  if (r->missing++ > 0 && !first) return; // the first is told in any case: there must be an error
  limb_urdf_error(r, RULE_XACRO, n->mark, about,
                  "<%s> is an instruction for xacro, which was not carried out: what it would have "
                  "added is missing",
                  n->name);
}

// Closed loops, in words of other tools whose meaning is not read.
static int is_loop(const char* name)
{
  static const char* const loops[] = {"coupling", "closed_loop", NULL};
  return find_word(loops, name) >= 0;
}

static void check_child(urdf_reader* r, limb_subject about, const xml_node* n, const urdf_words* w)
{
  char mean[LIMB_WHERE_SPACE];
  const limb_subject element = {"element", n->name};
  const int include = strcmp(n->name, "include") == 0; // xacro's, before it had a prefix
  if (include || strncmp(n->name, "xacro:", 6) == 0) {
    report_xacro(r, n);
  } else if (find_word(w->ignored, n->name) >= 0) {
    if (limb_urdf_first(r, NULL, n->name))
      limb_report(r->findings, RULE_IGNORED, n->mark, element, "<%s> is not read, here and wherever else it occurs",
                  n->name);
  } else if (is_loop(n->name)) {
    limb_urdf_error(r, RULE_UNSUPPORTED, n->mark, element, "<%s> closes a kinematic loop in a way that is not read",
                    n->name);
    limb_report_hint(r->findings, "say it as a <loop_joint>, or leave it out: the file is the tree "
                                  "without its loop then");
  } else if (w->strict || limb_urdf_first(r, NULL, n->name)) {
    const int count = count_words(w->child) + count_words(w->many);
    limb_report(r->findings, RULE_UNKNOWN_TAG, n->mark, element, "<%s> in %s%s%s%s is not known and has no effect%s",
                n->name, about.kind, about.name ? " '" : "", about.name ? about.name : "", about.name ? "'" : "",
                limb_did_you_mean(r->findings, n->name, count, element_word, w, mean));
  }
}

void limb_urdf_check(urdf_reader* r, limb_subject about, const xml_node* n, const urdf_words* w)
{
  enum { MOST = 16 }; // longer lists of children there are none
  const xml_node* seen[MOST] = {NULL};
  for (int i = 0; i < n->nattribute; i++) check_attribute(r, about, n, n->attribute[i].name, w);
  for (const xml_node* c = n->first; c; c = c->next) {
    const int word = find_word(w->child, c->name);
    if (word < 0) {
      if (find_word(w->many, c->name) < 0) check_child(r, about, c, w);
      continue;
    }
    if (seen[word])
      limb_urdf_error(r, RULE_DUPLICATE_KEY, c->mark, about, "a second <%s>: the first stands on line %d", c->name,
                      seen[word]->mark.line);
    else
      seen[word] = c;
  }
}

const char* limb_urdf_name(urdf_reader* r, limb_subject about, const xml_node* n, const char* attribute, int needed)
{
  const char* name = limb_xml_get(n, attribute);
  if (!name || !*name) {
    if (needed)
      limb_urdf_error(r, RULE_MISSING_KEY, n->mark, about, "<%s> needs the attribute '%s'", n->name, attribute);
    return NULL;
  }
  if ((strstr(name, "${") || strstr(name, "$(")) && r->expressions++ == 0)
    limb_urdf_error(r, RULE_XACRO, limb_urdf_mark(r, n, attribute), about,
                    "%s=\"%.60s\" of <%s> holds an expression of xacro, which was not evaluated", attribute, name,
                    n->name);
  return name;
}
