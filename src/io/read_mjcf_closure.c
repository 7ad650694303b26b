// MJCF: closures between bodies. <connect> is a ball, <weld> holds all six directions; MuJoCo lets both give
// way as springs do, limb's are rigid.
//
// Bodies are closed as they stand at qpos0: the file gives the frame on one of them, that on the other
// follows (mj_setConst of MuJoCo). Sites are closed as they are.
#include "io/read_mjcf_impl.h"

#include "io/angles.h"

#include <stdio.h>
#include <string.h>

// ---- names ----------------------------------------------------------------------------------------

static const char* home_name(const void* context, int i) { return ((const mjcf*)context)->home[i].body; }

static const char* site_name(const void* context, int i) { return ((const mjcf*)context)->s->frame[i].name; }

// Each by its first.
static int enter(mjcf* m, limb_names* t, int count, const char* (*name)(const void*, int))
{
  const size_t capacity = limb_names_capacity((size_t)count);
  int* slot = limb_store_take(m->pool, capacity * sizeof *slot);
  if (!slot) {
    m->no_memory = 1;
    return 0;
  }
  limb_names_clear(t, slot, capacity);
  for (int i = 0; i < count; i++) {
    if (limb_names_find(t, name(m, i), name, m) < 0) limb_names_put(t, name(m, i), i);
  }
  return 1;
}

int limb_mjcf_enter_names(mjcf* m, mjcf_names* t)
{
  return enter(m, &t->body, m->nhome, home_name) && enter(m, &t->site, m->s->nframe, site_name);
}

sketch_loop* limb_mjcf_new_loop(mjcf* m, const xml_node* n, limb_loop_kind kind)
{
  const char* name = limb_xml_get(n, "name");
  char text[24];
  (void)snprintf(text, sizeof text, "%d", m->s->nloop + 1);
  if (!name || !*name) name = limb_mjcf_join(m, "equality", ".", text);
  sketch_loop* x = name ? limb_sketch_loop(m->s, name, kind, n->mark) : NULL;
  if (!x) m->no_memory = 1;
  return x;
}

// ---- ends -----------------------------------------------------------------------------------------

// One of the two things that are closed.
typedef struct side {
  const char* body; // NULL: the world
  sp_pose X;        // body: of it in the world, at qpos0; site: of it in the body
} side;

static int report_missing(mjcf* m, const xml_node* n, const char* attribute)
{
  limb_report(m->findings, RULE_MISSING_KEY, n->mark, limb_mjcf_subject(n), "it has no %s", attribute);
  return 0;
}

static int report_unknown(mjcf* m, const xml_node* n, const char* attribute, int count,
                          const char* (*name)(const void*, int))
{
  const char* wrong = limb_xml_get(n, attribute);
  char mean[LIMB_WHERE_SPACE];
  limb_report(m->findings, RULE_UNDEFINED_BODY, n->mark, limb_mjcf_subject(n), "its %s '%.60s' is not defined%s",
              attribute, wrong, limb_did_you_mean(m->s->findings, wrong, count, name, m, mean));
  return 0;
}

// The body that an attribute names, which is the world when there is none. 0 after an error.
static int find_body(mjcf* m, const mjcf_names* t, const xml_node* n, const char* attribute, side* s)
{
  const char* name = limb_xml_get(n, attribute);
  *s = (side){NULL, sp_pose_identity()};
  if (!name || strcmp(name, "world") == 0) return 1;
  const int i = limb_names_find(&t->body, name, home_name, m);
  if (i < 0) return report_unknown(m, n, attribute, m->nhome, home_name);
  *s = (side){m->home[i].body, m->home[i].X};
  return 1;
}

static int find_site(mjcf* m, const mjcf_names* t, const xml_node* n, const char* attribute, side* s)
{
  const char* name = limb_xml_get(n, attribute);
  if (!name) return report_missing(m, n, attribute);
  const int i = limb_names_find(&t->site, name, site_name, m);
  if (i < 0) return report_unknown(m, n, attribute, m->s->nframe, site_name);
  *s = (side){m->s->frame[i].body, m->s->frame[i].pose};
  return 1;
}

static void add(mjcf* m, const xml_node* n, limb_loop_kind kind, const side s[2], const sp_pose pose[2])
{
  sketch_loop* x = limb_mjcf_new_loop(m, n, kind);
  if (!x) return;
  for (int k = 0; k < 2; k++) {
    x->end[k].body = s[k].body;
    x->end[k].pose = pose[k];
  }
}

// ---- closures -------------------------------------------------------------------------------------

// Between sites: their frames are those of the loop.
static void close_sites(mjcf* m, const mjcf_names* t, const xml_node* n, limb_loop_kind kind)
{
  side s[2];
  const int good = find_site(m, t, n, "site1", &s[0]) & find_site(m, t, n, "site2", &s[1]);
  const sp_pose pose[2] = {s[0].X, s[1].X};
  if (limb_xml_get(n, "body1") || limb_xml_get(n, "body2") || limb_xml_get(n, "anchor") || limb_xml_get(n, "relpose"))
    limb_report(m->findings, RULE_DUPLICATE_KEY, n->mark, limb_mjcf_subject(n),
                "it names sites, and body1, body2, anchor or relpose as well: only one can be meant");
  else if (good)
    add(m, n, kind, s, pose);
}

static sp_pose shift(const double p[3]) { return sp_pose_make(sp_identity3(), sp_v3(p[0], p[1], p[2])); }

// anchor is a point of body1.
static void connect_bodies(mjcf* m, const mjcf_item it, const side s[2])
{
  double p[3] = {0, 0, 0};
  if (!limb_mjcf_get(m, it, "anchor")) {
    (void)report_missing(m, it.node, "anchor");
    return;
  }
  if (!limb_mjcf_numbers(m, it, "anchor", 3, 3, p)) return;
  const sp_pose a = shift(p);
  const sp_pose b = sp_compose(sp_invert(s[1].X), sp_compose(s[0].X, a));
  const sp_pose pose[2] = {a, sp_pose_make(sp_identity3(), b.p)}; // a ball has no directions
  add(m, it.node, LIMB_LOOP_BALL, s, pose);
}

// anchor is a point of body2. relpose is where that point is in body1, and the rotation of body2 in body1;
// with a quaternion of zeros, the default, both are those at qpos0.
static void weld_bodies(mjcf* m, const mjcf_item it, limb_loop_kind kind, const side s[2])
{
  double p[3] = {0, 0, 0}, rel[7] = {0, 1, 0, 0, 0, 0, 0};
  if (limb_mjcf_get(m, it, "anchor") && !limb_mjcf_numbers(m, it, "anchor", 3, 3, p)) return;
  if (limb_mjcf_get(m, it, "relpose") && !limb_mjcf_numbers(m, it, "relpose", 7, 7, rel)) return;
  const int told = rel[3] != 0 || rel[4] != 0 || rel[5] != 0 || rel[6] != 0;
  const sp_pose b = shift(p);
  const sp_pose home = sp_compose(sp_invert(s[0].X), sp_compose(s[1].X, b));
  const sp_pose a =
    told ? sp_pose_make(limb_rot_quat(rel[4], rel[5], rel[6], rel[3]), sp_v3(rel[0], rel[1], rel[2])) : home;
  const sp_pose pose[2] = {a, b};
  add(m, it.node, kind, s, pose);
}

void limb_mjcf_take_closure(mjcf* m, const mjcf_names* t, mjcf_item it)
{
  const xml_node* n = it.node;
  const int weld = strcmp(n->name, "weld") == 0;
  limb_mjcf_check_attributes(m, n,
                             weld ? "name class active body1 body2 site1 site2 anchor relpose torquescale solref solimp"
                                  : "name class active body1 body2 site1 site2 anchor solref solimp",
                             NULL, 0);
  double scale = 1; // of the torques against those forces that hold a weld: rigid, or none at all
  (void)limb_mjcf_numbers(m, it, "torquescale", 1, 1, &scale);
  const limb_loop_kind kind = weld && scale != 0 ? LIMB_LOOP_WELD : LIMB_LOOP_BALL;
  if (limb_xml_get(n, "site1") || limb_xml_get(n, "site2")) {
    close_sites(m, t, n, kind);
    return;
  }
  side s[2];
  if (!limb_xml_get(n, "body1")) {
    (void)report_missing(m, n, "body1, and no site1");
    return;
  }
  if (!(find_body(m, t, n, "body1", &s[0]) & find_body(m, t, n, "body2", &s[1]))) return;
  if (weld)
    weld_bodies(m, it, kind, s);
  else
    connect_bodies(m, it, s);
}
