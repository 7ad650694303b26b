// The doctor: prepares the robot for the rules, runs them, and checks names and references. O(n log n).
#include "io/doctor.h"

#include "limb/read.h"
#include "limb/spatial.h"

#include "base/status.h"
#include "io/file_text.h"
#include "io/xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- reports --------------------------------------------------------------------------------------

void limb_doctor_body_report(const doctor* d, limb_rule rule, int body, const char* format, ...)
{
  const raw_positions* p = &d->r->positions;
  const file_pos at = p->body && body < p->nbody ? p->body[body] : (file_pos){0};
  va_list args;
  va_start(args, format);
  limb_report_args(d->f, rule, at, (limb_subject){d->body_word, d->body[body].def.name}, format, args);
  va_end(args);
}

void limb_doctor_joint_report(const doctor* d, limb_rule rule, int joint, const char* format, ...)
{
  const raw_positions* p = &d->r->positions;
  const file_pos at = p->joint && joint < p->njoint ? p->joint[joint] : (file_pos){0};
  va_list args;
  va_start(args, format);
  limb_report_args(d->f, rule, at, (limb_subject){"joint", d->joint[joint].name}, format, args);
  va_end(args);
}

file_pos limb_doctor_loop_pos(const limb_reading* r, int loop)
{
  return r->positions.loop && loop < r->positions.nloop ? r->positions.loop[loop] : (file_pos){0};
}

int limb_doctor_grounded(const doctor* d, int body) { return d->body[body].head == LIMB_WORLD_BODY; }

int limb_doctor_slides(const doctor* d, int body) { return !d->body[d->body[body].head].turns; }

// ---- the robot ------------------------------------------------------------------------------------

static int alloc_arrays(doctor* d)
{
  const size_t nbody = (size_t)d->nbody, njoint = (size_t)d->njoint;
  d->body = limb_mempool_alloc(&d->pool, nbody * sizeof *d->body);
  d->joint = limb_mempool_alloc(&d->pool, (njoint + 1) * sizeof *d->joint);
  d->order = limb_mempool_alloc(&d->pool, nbody * sizeof *d->order);
  d->in_loop = limb_mempool_alloc(&d->pool, njoint + 1);
  return d->body && d->joint && d->order && d->in_loop;
}

static limb_status copy_robot(doctor* d)
{
  for (int i = 0; i < d->nbody; i++) {
    d->body[i].joint = -1;
    d->body[i].head = i;
    d->body[i].in_head = d->body[i].in_world = sp_pose_identity();
    const limb_status status = limb_builder_get_body(d->r->builder, i, &d->body[i].def);
    if (status) return status;
  }
  for (int k = 0; k < d->njoint; k++) {
    const limb_status status = limb_builder_get_joint(d->r->builder, k, &d->joint[k]);
    if (status) return status;
  }
  const inertia_tag** tag = limb_mempool_alloc(&d->pool, (size_t)d->nbody * sizeof(inertia_tag*));
  if (!tag) return LIMB_E_NOMEM;
  limb_tags_by_body(d->r, d->nbody, tag);
  for (int i = 0; i < d->nbody; i++) d->body[i].tag = tag[i];
  return LIMB_OK;
}

// Bodies from the world outward, breadth first. A body without a joint is not among them.
static limb_status sort_bodies(doctor* d)
{
  int* first = limb_mempool_alloc(&d->pool, (size_t)d->nbody * sizeof *first);
  int* next = limb_mempool_alloc(&d->pool, ((size_t)d->njoint + 1) * sizeof *next);
  if (!first || !next) return LIMB_E_NOMEM;
  for (int i = 0; i < d->nbody; i++) first[i] = -1;
  for (int k = d->njoint - 1; k >= 0; k--) {
    next[k] = first[d->joint[k].parent];
    first[d->joint[k].parent] = k;
  }
  d->order[d->norder++] = LIMB_WORLD_BODY;
  for (int n = 0; n < d->norder; n++) {
    for (int k = first[d->order[n]]; k >= 0; k = next[k]) {
      doctor_body* child = &d->body[d->joint[k].child];
      if (child->joint >= 0) continue;
      child->joint = k;
      d->order[d->norder++] = d->joint[k].child;
    }
  }
  return LIMB_OK;
}

// The frames of loops extend the span of their groups, as joints do.
static void reach_loops(doctor* d)
{
  limb_loop_def x;
  for (int i = 0; limb_builder_get_loop(d->r->builder, i, &x) == LIMB_OK; i++) {
    if (x.body_a < 0) continue;
    const int body[] = {x.body_a, x.body_b};
    const sp_vec3 point[] = {x.pose_a.p, x.pose_b.p};
    for (int k = 0; k < 2; k++) {
      const doctor_body* b = &d->body[body[k]];
      doctor_body* head = &d->body[b->head];
      head->span = fmax(head->span, sp_norm3(sp_point(b->in_head, point[k])));
    }
  }
}

// Poses, groups, and the spans of groups.
static void weld(doctor* d)
{
  for (int n = 1; n < d->norder; n++) {
    doctor_body* b = &d->body[d->order[n]];
    const limb_joint_def* j = &d->joint[b->joint];
    const doctor_body* parent = &d->body[j->parent];
    doctor_body* head = &d->body[parent->head];
    const sp_pose X = sp_compose(parent->in_head, j->placement);
    b->in_world = sp_compose(parent->in_world, j->placement);
    head->span = fmax(head->span, sp_norm3(X.p));
    if (j->type != LIMB_FIXED) {
      head->carries = 1;
      b->turns = head->turns || j->type != LIMB_PRISMATIC;
      continue;
    }
    b->head = parent->head;
    b->in_head = X;
  }
  for (int n = 0; n < d->norder; n++) {
    const doctor_body* b = &d->body[d->order[n]];
    doctor_body* head = &d->body[b->head];
    head->group = limb_inertia_add(head->group, limb_inertia_move(b->in_head, b->def.inertia));
  }
}

// The stroke of a prismatic joint.
static double stroke(const limb_joint_def* j)
{
  if (j->type != LIMB_PRISMATIC || !isfinite(j->q_min) || !isfinite(j->q_max)) return 0;
  return fmin(fmax(fabs(j->q_min), fabs(j->q_max)), 10);
}

// The mass that each group carries, and the size of its surroundings.
static void measure(doctor* d)
{
  sp_vec3 low = sp_v3(0, 0, 0), high = low;
  for (int n = d->norder - 1; n > 0; n--) {
    doctor_body* b = &d->body[d->order[n]];
    const limb_joint_def* j = &d->joint[b->joint];
    const sp_vec3 p = b->in_world.p;
    if (n == d->norder - 1) low = high = p;
    low = sp_v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    high = sp_v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    doctor_body* parent = &d->body[j->parent];
    const double size = fabs(b->def.inertia.xx) + fabs(b->def.inertia.yy) + fabs(b->def.inertia.zz);
    b->behind += b->def.inertia.mass;
    b->rotational |= size > 0;
    parent->behind += b->behind;
    parent->rotational |= b->rotational;
    if (!limb_doctor_grounded(d, d->order[n])) d->mass += fmax(b->def.inertia.mass, 0);
    if (j->type == LIMB_FIXED) continue;
    doctor_body* head = &d->body[parent->head];
    b->size = fmax(b->size, fmax(b->span, fmax(head->span, stroke(j))));
    head->size = fmax(head->size, fmax(b->span, fmax(head->span, stroke(j))));
  }
  d->extent = sp_norm3(sp_sub3(high, low));
}

// ---- names that differ by case --------------------------------------------------------------------

typedef struct name_entry {
  const char* name;
  int index;
} name_entry;

static int compare_folded(const char* a, const char* b)
{
  while (*a && lower_case(*a) == lower_case(*b)) {
    a++;
    b++;
  }
  return lower_case(*a) - lower_case(*b);
}

static int compare(const void* left, const void* right)
{
  const name_entry *a = left, *b = right;
  const int folded = compare_folded(a->name, b->name);
  return folded ? folded : a->index < b->index ? -1 : a->index > b->index;
}

static limb_status check_case(doctor* d, int count, int joints)
{
  name_entry* list = limb_mempool_alloc(&d->pool, ((size_t)count + 1) * sizeof *list);
  if (!list) return LIMB_E_NOMEM;
  for (int i = 0; i < count; i++) list[i] = (name_entry){joints ? d->joint[i].name : d->body[i].def.name, i};
  qsort(list, (size_t)count, sizeof *list, compare);
  for (int i = 1; i < count; i++) {
    static const char text[] = "its name differs from '%s' by case only";
    if (compare_folded(list[i - 1].name, list[i].name) != 0) continue;
    if (joints)
      limb_doctor_joint_report(d, RULE_NAME_CLASH, list[i].index, text, list[i - 1].name);
    else
      limb_doctor_body_report(d, RULE_NAME_CLASH, list[i].index, text, list[i - 1].name);
  }
  return LIMB_OK;
}

// ---- references in a URDF -------------------------------------------------------------------------

static int compare_names(const void* left, const void* right)
{
  return strcmp(*(const char* const*)left, *(const char* const*)right);
}

// Names of the materials that links use, sorted. NULL when out of memory.
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
    if (!list) list = limb_mempool_alloc(&d->pool, (n + 1) * sizeof *list);
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
    limb_report(d->f, RULE_UNUSED, m->pos, (limb_subject){"material", name}, "no link uses it");
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
  limb_report(d->f, RULE_DANGLING, n->pos, (limb_subject){n->name, NULL},
              "it refers to '%s', which is neither a link nor a joint", name);
}

static limb_status check_references(doctor* d)
{
  const limb_source* src = &d->r->source;
  const xml_node* root = src->expanded ? src->expanded : limb_xml_parse(src->text, src->size, 0, NULL, &d->pool, NULL);
  if (!root) return LIMB_E_NOMEM; // it was read before
  for (const xml_node* g = limb_xml_child(root, "gazebo"); g; g = limb_xml_next(g))
    check_reference(d, g, limb_xml_get(g, "reference"));
  for (const xml_node* t = limb_xml_child(root, "transmission"); t; t = limb_xml_next(t)) {
    for (const xml_node* j = limb_xml_child(t, "joint"); j; j = limb_xml_next(j))
      check_reference(d, j, limb_xml_get(j, "name"));
  }
  return check_materials(d, root);
}

// ---- mass on the ground ---------------------------------------------------------------------------------

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
  if (count == 1)
    limb_doctor_body_report(d, RULE_ROOT_MASS, first, "its %s kg are welded to the world",
                            limb_show_rounded(mass).text);
  else
    limb_doctor_body_report(d, RULE_ROOT_MASS, first,
                            "its mass and that of %d more bodies are welded to the world, %s kg together", count - 1,
                            limb_show_rounded(mass).text);
}

static limb_status check_names(doctor* d)
{
  check_root(d);
  limb_status status = check_case(d, d->nbody, 0);
  if (!status) status = check_case(d, d->njoint, 1);
  if (!status && d->r->format == LIMB_FORMAT_URDF) status = check_references(d);
  return status;
}

// ---- all checks ------------------------------------------------------------------------------

static limb_status run_checks(doctor* d)
{
  if (!alloc_arrays(d)) return LIMB_E_NOMEM;
  limb_status status = copy_robot(d);
  if (!status) status = sort_bodies(d);
  if (status) return status;
  weld(d);
  reach_loops(d);
  measure(d);
  limb_doctor_not_credible(d);
  limb_doctor_inertia(d);
  if (!d->not_credible) {
    status = limb_doctor_copies(d);
    limb_doctor_sizes(d);
  }
  if (!status) status = limb_doctor_loops(d);
  if (!status) status = limb_doctor_joints(d);
  limb_report_in_full(d->f, RULE_LIMIT_SWAPPED);
  if (!status) status = check_names(d);
  return !status && limb_findings_lost(d->f) ? LIMB_E_NOMEM : status;
}

limb_status limb_check(limb_reading* r, limb_error* err)
{
  if (!r || !r->builder) return limb_fail(err, LIMB_E_ARG, "reading", "there is no robot to check");
  doctor d = {.r = r,
              .f = r->findings,
              .body_word = r->format == LIMB_FORMAT_URDF ? "link" : "body",
              .pool = limb_mempool_make(&r->alloc),
              .nbody = limb_builder_body_count(r->builder),
              .njoint = limb_builder_joint_count(r->builder)};
  const limb_status status = run_checks(&d);
  limb_mempool_free(&d.pool);
  if (status) return limb_fail(err, status, r->source.name, "out of memory during the check");
  return LIMB_OK;
}
