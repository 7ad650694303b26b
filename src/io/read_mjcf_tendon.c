// MJCF: tendons as springs and dampers, fixed ones on sums of joint coordinates, spatial ones between sites and over
// pulleys. What limb's tendons do not have is reported: wrapping around geoms, a range of lengths without force. The
// rest length that is not given is that at springref.
#include "io/read_mjcf.h"

#include "io/properties.h"

#include <string.h>

// Reports an attribute that has an effect; 1 if it has.
static int drop(mjcf* m, mjcf_item it, const char* name, const char* why)
{
  double x[3] = {0, 0, 0};
  (void)limb_mjcf_numbers(m, it, name, 1, 3, x);
  if (x[0] == 0 && x[1] == 0 && x[2] == 0) return 0;
  limb_mjcf_report(m, RULE_DROPPED, it.node, "%s: %s", name, why);
  return 1;
}

// The linear part of a number that may be a polynomial.
static double linear(mjcf* m, mjcf_item it, const char* name)
{
  double x[3] = {0, 0, 0};
  (void)limb_mjcf_numbers(m, it, name, 1, 3, x);
  if (x[1] != 0 || x[2] != 0) limb_mjcf_report(m, RULE_DROPPED, it.node, "%s: only its linear part is used", name);
  if (x[0] >= 0) return x[0];
  limb_mjcf_report(m, RULE_BAD_VALUE, it.node, "%s is negative", name);
  return 0;
}

// Its joints; 0 after an error.
static int read_joints(mjcf* m, const mjcf_parts* parts, const xml_node* tendon, raw_tendon* x)
{
  int count = 0;
  for (const xml_node* n = limb_xml_child(tendon, "joint"); n; n = limb_xml_next(n)) count++;
  double* coefficient = limb_mempool_alloc(m->pool, ((size_t)count + 1) * sizeof *coefficient);
  x->joint = limb_mempool_alloc(m->pool, ((size_t)count + 1) * sizeof *x->joint);
  m->no_memory |= !coefficient || !x->joint;
  if (m->no_memory) return 0;
  x->def.coefficient = coefficient;
  for (const xml_node* n = limb_xml_child(tendon, "joint"); n; n = limb_xml_next(n)) {
    const char* name = limb_mjcf_scoped(m, n, "joint");
    const int k = name ? limb_names_find(&parts->joint, name, limb_raw_joint_name, m->s) : -1;
    double c = 0;
    if (k < 0 || !one_dof(m->s->joint[k].def.type)) {
      limb_mjcf_report(m, RULE_TENDON_TARGET, tendon, "its joint '%s' is not a hinge or slide of the model",
                       name ? name : "");
      return 0;
    }
    (void)limb_mjcf_numbers(m, limb_mjcf_plain(n), "coef", 1, 1, &c);
    if (c == 0) continue;
    x->joint[x->def.count] = m->s->joint[k].name;
    coefficient[x->def.count++] = c;
    x->def.rest += c * m->s->joint[k].def.rest; // at springref
  }
  return x->def.count > 0;
}

// 0: it is not given. A range of lengths has no force inside it: limb's tendons have one.
static int read_rest(mjcf* m, mjcf_item it, limb_tendon_def* def)
{
  double x[2] = {-1, -1};
  const int count = limb_mjcf_numbers(m, it, "springlength", 1, 2, x);
  if (count == 1) x[1] = x[0];
  if (count == 0 || (x[0] == -1 && x[1] == -1)) return 0;
  def->rest = x[0];
  if (x[0] == x[1] || def->stiffness == 0) return 1;
  limb_mjcf_report(m, RULE_DROPPED, it.node, "stiffness: its springlength is a range, where limb's tendons have one");
  def->stiffness = 0;
  return 1;
}

// A point at a site; 0 after an error.
static int read_site(mjcf* m, const mjcf_parts* parts, const xml_node* tendon, const xml_node* n, raw_tendon_point* p)
{
  const char* name = limb_mjcf_scoped(m, n, "site");
  const int i = name ? limb_names_find(&parts->site, name, limb_mjcf_site_name, m) : -1;
  if (i < 0) {
    limb_mjcf_report(m, RULE_TENDON_TARGET, tendon, "its site '%s' is not defined%s", name ? name : "",
                     limb_did_you_mean(m->s->findings, name ? name : "", m->s->nframe, limb_mjcf_site_name, m).text);
    return 0;
  }
  const raw_frame* site = &m->s->frame[i];
  *p = (raw_tendon_point){.pos = n->pos, .body = site->body, .at = site->pose.p, .pulley = p->pulley};
  return 1;
}

// Its sites and pulleys; 0 after an error, and where it wraps around a geom, which is reported if it has forces.
static int read_sites(mjcf* m, const mjcf_parts* parts, const xml_node* tendon, raw_tendon* x)
{
  int count = 0;
  for (const xml_node* n = tendon->first; n; n = n->next) count++;
  x->point = limb_mempool_alloc(m->pool, ((size_t)count + 1) * sizeof *x->point);
  m->no_memory |= !x->point;
  if (m->no_memory) return 0;
  x->point[0] = (raw_tendon_point){.pulley = 0};
  for (const xml_node* n = tendon->first; n; n = n->next) {
    raw_tendon_point* p = &x->point[x->def.points];
    if (strcmp(n->name, "pulley") == 0) {
      if (limb_mjcf_numbers(m, limb_mjcf_plain(n), "divisor", 1, 1, &p->pulley) && !(p->pulley > 0))
        limb_mjcf_report(m, RULE_BAD_VALUE, n, "divisor is not above zero");
    } else if (strcmp(n->name, "site") == 0) {
      if (!read_site(m, parts, tendon, n, p)) return 0;
      x->point[++x->def.points] = (raw_tendon_point){.pulley = 0};
    } else {
      limb_mjcf_report(m, RULE_DROPPED, tendon,
                       "it wraps around a geom, where limb's tendons are straight between sites: its spring and its "
                       "damper are missing");
      return 0;
    }
  }
  return x->def.points > 0;
}

static void add(mjcf* m, const mjcf_parts* parts, mjcf_item it, double stiffness, double damping)
{
  const char* name = limb_mjcf_name(m, it.node, "tendon", ".", m->s->ntendon + 1, 0);
  raw_tendon x = {.name = name, .pos = it.node->pos, .def = limb_default_tendon_def(NULL)};
  x.def.stiffness = stiffness, x.def.damping = damping;
  const int fixed = strcmp(it.node->name, "fixed") == 0;
  if (!name || !(fixed ? read_joints(m, parts, it.node, &x) : read_sites(m, parts, it.node, &x))) return;
  const int slack = !read_rest(m, it, &x.def) && !fixed && x.def.stiffness > 0;
  raw_tendon* own = limb_raw_add_tendon(m->s, name, x.pos);
  int* all = slack ? limb_mjcf_grow(m, m->slack, &m->slack_cap, m->nslack, sizeof *all) : m->slack;
  m->no_memory |= !own;
  if (own) *own = x;
  if (all) m->slack = all;
  if (slack && all) all[m->nslack++] = m->s->ntendon - 1;
}

static void read_tendon(mjcf* m, const mjcf_parts* parts, const xml_node* n)
{
  const mjcf_item it = limb_mjcf_make_item(m, n, MJCF_TENDON, m->model->main_class);
  (void)drop(m, it, "frictionloss", "limb's tendons have no friction but damping");
  (void)drop(m, it, "armature", "limb's tendons have no inertia");
  const double stiffness = linear(m, it, "stiffness"), damping = linear(m, it, "damping");
  if (stiffness > 0 || damping > 0) add(m, parts, it, stiffness, damping);
}

void limb_mjcf_damp_tendon(mjcf* m, const mjcf_parts* parts, const xml_node* tendon, double damping)
{
  add(m, parts, limb_mjcf_make_item(m, tendon, MJCF_TENDON, m->model->main_class), 0, damping);
}

const xml_node* limb_mjcf_find_tendon(mjcf* m, const char* name)
{
  for (const xml_node* s = limb_xml_child(m->model->root, "tendon"); s && name; s = limb_xml_next(s)) {
    for (const xml_node* n = s->first; n; n = n->next) {
      const char* own = limb_xml_get(n, "name");
      if (own && strcmp(own, name) == 0) return n;
    }
  }
  return NULL;
}

void limb_mjcf_read_tendons(mjcf* m, const mjcf_parts* parts)
{
  for (const xml_node* s = limb_xml_child(m->model->root, "tendon"); s; s = limb_xml_next(s))
    for (const xml_node* n = s->first; n && !m->no_memory; n = n->next) read_tendon(m, parts, n);
}
