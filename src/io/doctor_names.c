// The doctor on names and structure: names that are easily mixed up, definitions that nothing uses,
// references to what is not there, mass that is welded to the world.
#include "io/doctor.h"
#include "io/xml.h"

#include <stdlib.h>
#include <string.h>

// ---- names that differ by case --------------------------------------------------------------------

typedef struct name_entry {
  const char* name;
  int index;
} name_entry;

// ASCII letters alone: no locale.
static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c; }

static int compare_folded(const char* a, const char* b)
{
  while (*a && lower(*a) == lower(*b)) {
    a++;
    b++;
  }
  return lower(*a) - lower(*b);
}

static int compare(const void* left, const void* right)
{
  const name_entry *a = left, *b = right;
  const int folded = compare_folded(a->name, b->name);
  return folded ? folded : a->index < b->index ? -1 : a->index > b->index;
}

static limb_status check_case(doctor* d, int count, int joints)
{
  name_entry* list = limb_store_take(&d->pool, ((size_t)count + 1) * sizeof *list);
  if (!list) return LIMB_E_NOMEM;
  for (int i = 0; i < count; i++) {
    list[i].name = joints ? d->joint[i].name : d->body[i].def.name;
    list[i].index = i;
  }
  qsort(list, (size_t)count, sizeof *list, compare);
  for (int i = 1; i < count; i++) {
    if (compare_folded(list[i - 1].name, list[i].name) != 0) continue;
    const int k = list[i].index;
    limb_report(d->f, RULE_NAME_CLASH, joints ? limb_doctor_joint_mark(d, k) : limb_doctor_body_mark(d, k),
                joints ? limb_doctor_joint(d, k) : limb_doctor_body(d, k), "its name differs from '%s' by case only",
                list[i - 1].name);
  }
  return LIMB_OK;
}

// ---- references in a URDF -------------------------------------------------------------------------

static int compare_names(const void* left, const void* right)
{
  return strcmp(*(const char* const*)left, *(const char* const*)right);
}

// Names of materials that links use, sorted. NULL when out of memory.
static const char** used_materials(doctor* d, const xml_node* root, size_t* count)
{
  const char** list = NULL;
  for (int pass = 0; pass < 2; pass++) {
    size_t n = 0;
    for (const xml_node* l = limb_xml_child(root, "link"); l; l = limb_xml_next(l)) {
      for (const xml_node* v = limb_xml_child(l, "visual"); v; v = limb_xml_next(v)) {
        const xml_node* m = limb_xml_child(v, "material");
        const char* name = m ? limb_xml_get(m, "name") : NULL;
        if (!name) continue;
        if (list) list[n] = name;
        n++;
      }
    }
    *count = n;
    if (!list) list = limb_store_take(&d->pool, (n + 1) * sizeof *list);
    if (!list) return NULL;
  }
  qsort(list, *count, sizeof *list, compare_names);
  return list;
}

static limb_status check_materials(doctor* d, const xml_node* root)
{
  if (!limb_xml_child(root, "material")) return LIMB_OK;
  size_t count = 0;
  const char** used = used_materials(d, root, &count);
  if (!used) return LIMB_E_NOMEM;
  for (const xml_node* m = limb_xml_child(root, "material"); m; m = limb_xml_next(m)) {
    const char* name = limb_xml_get(m, "name");
    if (!name || bsearch(&name, used, count, sizeof *used, compare_names)) continue;
    limb_report(d->f, RULE_UNUSED, m->mark, (limb_subject){"material", name}, "no link uses it");
  }
  return LIMB_OK;
}

static int is_known(const doctor* d, const char* name)
{
  return limb_builder_find_body(d->r->builder, name) >= 0 || limb_builder_find_joint(d->r->builder, name) >= 0;
}

static void check_reference(const doctor* d, const xml_node* n, const char* name)
{
  if (!name || is_known(d, name)) return;
  limb_report(d->f, RULE_DANGLING, n->mark, (limb_subject){n->name, NULL},
              "it refers to '%s', which is neither a link nor a joint", name);
}

static limb_status check_references(doctor* d)
{
  const limb_source* src = &d->r->source;
  const xml_node* root = limb_xml_parse(src->text, src->size, NULL, &d->pool, NULL);
  if (!root) return LIMB_E_NOMEM; // it could be read before
  for (const xml_node* g = limb_xml_child(root, "gazebo"); g; g = limb_xml_next(g))
    check_reference(d, g, limb_xml_get(g, "reference"));
  for (const xml_node* t = limb_xml_child(root, "transmission"); t; t = limb_xml_next(t)) {
    for (const xml_node* j = limb_xml_child(t, "joint"); j; j = limb_xml_next(j))
      check_reference(d, j, limb_xml_get(j, "name"));
  }
  return check_materials(d, root);
}

// ---- mass at rest ---------------------------------------------------------------------------------

static void check_root(const doctor* d)
{
  double mass = 0;
  int first = 0, count = 0;
  for (int i = 1; i < d->nbody; i++) {
    if (!limb_doctor_grounded(d, i) || d->body[i].def.inertia.mass <= 0) continue;
    mass += d->body[i].def.inertia.mass;
    if (count++ == 0) first = i;
  }
  if (count == 0) return;
  const limb_mark at = limb_doctor_body_mark(d, first);
  const limb_subject about = limb_doctor_body(d, first);
  if (count == 1)
    limb_report(d->f, RULE_ROOT_MASS, at, about, "its %s kg are welded to the world", limb_show_short(mass).text);
  else
    limb_report(d->f, RULE_ROOT_MASS, at, about,
                "its mass is welded to the world, with that of %d more: %s kg together", count - 1,
                limb_show_short(mass).text);
}

limb_status limb_doctor_names(doctor* d)
{
  check_root(d);
  limb_status status = check_case(d, d->nbody, 0);
  if (!status) status = check_case(d, d->njoint, 1);
  if (!status && d->r->format == LIMB_FORMAT_URDF) status = check_references(d);
  return status;
}
