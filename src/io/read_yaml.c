// limb YAML to a sketch: the top of the file, its lists, its frames. docs/model-files.md is the reference of
// the schema.
#include "io/read_yaml_impl.h"
#include "io/yaml_schema.h"

#include <limits.h>
#include <stdio.h>

#define PI 3.14159265358979323846

static const char* const top_keys[] = {"limb", "name",   "gravity", "base",   "angles", "dh",
                                       "poe",  "bodies", "joints",  "shafts", "frames", "loops"};

// ---- the top ----------------------------------------------------------------------------------------

static void read_version(yaml_reader* r, const yml_node* root)
{
  const yml_node* n = limb_yml_get(root, "limb");
  int version = 0;
  if (!n || n != root->first) {
    limb_yml_error(&r->check, RULE_MISSING_KEY, root->first ? root->first->key_mark : root->mark,
                   "the first line of a limb YAML file is 'limb: %d'", YAML_SCHEMA);
    if (!n) return;
  }
  if (limb_yml_integer(&r->check, n, 1, INT_MAX, &version) && version != YAML_SCHEMA) {
    limb_yml_error(&r->check, RULE_UNSUPPORTED, n->mark, "the file is of schema %d, this program knows %d", version,
                   YAML_SCHEMA);
    limb_report_hint(r->check.findings, "use a newer limb");
  }
}

static void read_base(yaml_reader* r, const yml_node* n)
{
  static const char* const words[] = {"fixed", "floating", "planar"};
  static const limb_base bases[] = {LIMB_BASE_FIXED, LIMB_BASE_FLOATING, LIMB_BASE_PLANAR};
  int base = 0;
  if (limb_yml_choice(&r->check, n, words, COUNT(words), &base)) r->sketch->base = bases[base];
}

static void read_forms(yaml_reader* r, const yml_node* root)
{
  static const char* const units[] = {"radians", "degrees"};
  static const char* const rows[] = {"modified", "standard"};
  static const char* const screws[] = {"space", "body"};
  const yml_node *angles = limb_yml_get(root, "angles"), *dh = limb_yml_get(root, "dh"),
                 *poe = limb_yml_get(root, "poe");
  int i = 0;
  if (limb_yml_choice(&r->check, angles, units, COUNT(units), &i) && i == 1) r->angle = PI / 180;
  if (dh) r->dh = FORM_REPORTED;
  if (limb_yml_choice(&r->check, dh, rows, COUNT(rows), &i)) r->dh = i == 0 ? FORM_MODIFIED : FORM_STANDARD;
  if (poe) r->poe = FORM_REPORTED;
  if (limb_yml_choice(&r->check, poe, screws, COUNT(screws), &i)) r->poe = i == 0 ? FORM_SPACE : FORM_BODY;
}

static void read_top(yaml_reader* r, const yml_node* root)
{
  r->check.about = (limb_subject){NULL, NULL};
  limb_yml_check_keys(&r->check, root, top_keys, COUNT(top_keys));
  read_version(r, root);
  read_base(r, limb_yml_get(root, "base"));
  read_forms(r, root);
  (void)limb_yml_text(&r->check, limb_yml_get(root, "name"), &r->sketch->name);
  sp_vec3 g;
  if (limb_yaml_vec3(r, limb_yml_get(root, "gravity"), &g)) {
    sp_vec3* kept = limb_store_take(r->pool, sizeof *kept);
    if (kept) *kept = g;
    r->sketch->gravity = kept;
    r->out_of_memory |= !kept;
  }
}

// ---- frames -----------------------------------------------------------------------------------------

static void read_frame(yaml_reader* r, const yml_node* n)
{
  static const char* const keys[] = {"name", "body", YAML_POSE_KEYS};
  const char* name = "";
  r->check.about = (limb_subject){r->sketch->words.frame, NULL};
  if (!limb_yml_is(&r->check, n, YML_MAP)) return;
  if (limb_yml_text(&r->check, limb_yml_get(n, "name"), &name)) r->check.about.name = name;
  limb_yml_check_keys(&r->check, n, keys, COUNT(keys));
  sketch_frame* f = limb_sketch_frame(r->sketch, name, n->mark);
  if (!f) {
    r->out_of_memory = true;
    return;
  }
  f->body = "world"; // nothing more is said when an error was
  (void)limb_yml_text(&r->check, limb_yml_need(&r->check, n, "body"), &f->body);
  (void)limb_yaml_pose(r, n, &f->pose);
}

// ---- lists ------------------------------------------------------------------------------------------

// Every entry of a list; NULL is an empty one. A key without a value says the same.
static void read_list(yaml_reader* r, const yml_node* n, void (*read)(yaml_reader*, const yml_node*))
{
  r->check.about = (limb_subject){NULL, NULL};
  if (!n || (n->kind == YML_SCALAR && !*n->text && !n->quoted)) return;
  if (!limb_yml_is(&r->check, n, YML_LIST)) return;
  for (const yml_node* entry = n->first; entry && !r->out_of_memory; entry = entry->next) read(r, entry);
}

// Room for the homes, if there are any.
static void make_homes(yaml_reader* r, const yml_node* bodies)
{
  size_t count = 0;
  for (const yml_node* n = bodies && bodies->kind == YML_LIST ? bodies->first : NULL; n; n = n->next)
    count += limb_yml_get(n, "home") != NULL;
  if (count == 0) return;
  const size_t capacity = limb_names_capacity(count);
  int* slot = limb_store_take(r->pool, capacity * sizeof *slot);
  r->home = limb_store_take(r->pool, count * sizeof *r->home);
  r->out_of_memory = !slot || !r->home;
  if (!r->out_of_memory) limb_names_clear(&r->home_names, slot, capacity);
}

// Shafts and loops, which ask for joints by name.
static void read_connections(yaml_reader* r, const yml_node* shafts, const yml_node* loops)
{
  if (!shafts && !loops) return;
  r->out_of_memory |= !limb_sketch_joint_names(r->sketch, &r->joint_names);
  if (!r->out_of_memory) read_list(r, shafts, limb_yaml_shaft);
  if (!r->out_of_memory) read_list(r, loops, limb_yaml_loop);
}

// ---- the robot as a whole -----------------------------------------------------------------------------

static bool is_identity(const sp_pose* X)
{
  const sp_mat3 one = sp_identity3();
  bool same = X->p.x == 0 && X->p.y == 0 && X->p.z == 0;
  for (int i = 0; i < 9; i++) same = same && X->R.m[i] == one.m[i];
  return same;
}

// A body that no joint places lies at the world's origin, whatever its home says.
static void check_homes(yaml_reader* r)
{
  for (int i = 0; i < r->nhome; i++) {
    const yaml_home* home = &r->home[i];
    if (home->carried || is_identity(&home->pose)) continue;
    r->check.about = (limb_subject){r->sketch->words.body, home->body};
    limb_yml_error(&r->check, RULE_BAD_VALUE, home->mark,
                   "no joint carries this body: it lies at the origin of the world, and its home is elsewhere");
    limb_report_hint(r->check.findings, "add a joint with parent world, such as {type: fixed}");
  }
}

static const char* child_of(const void* s, int k) { return ((const limb_sketch*)s)->joint[k].child; }

// A body that is no joint's child.
static bool has_root(yaml_reader* r)
{
  const limb_sketch* s = r->sketch;
  const size_t capacity = limb_names_capacity((size_t)s->njoint);
  int* slot = limb_store_take(r->pool, capacity * sizeof *slot);
  r->out_of_memory |= !slot;
  if (!slot) return true;
  limb_names children;
  limb_names_clear(&children, slot, capacity);
  for (int k = 0; k < s->njoint; k++) {
    if (limb_names_find(&children, s->joint[k].child, child_of, s) < 0) limb_names_put(&children, s->joint[k].child, k);
  }
  for (int i = 0; i < s->nbody; i++) {
    if (limb_names_find(&children, s->body[i].name, child_of, s) < 0) return true;
  }
  return false;
}

static void check_base(yaml_reader* r, const yml_node* base)
{
  r->check.about = (limb_subject){NULL, NULL};
  if (!base || r->sketch->nbody == 0 || has_root(r)) return;
  if (r->sketch->base == LIMB_BASE_FIXED) {
    limb_report(r->check.findings, RULE_IGNORED, base->key_mark, r->check.about,
                "base says how a body without joint hangs on the world, and every body has a joint");
    return;
  }
  if (r->sketch->base == LIMB_BASE_AS_FILE) return; // it was reported
  limb_yml_error(&r->check, RULE_BAD_VALUE, base->key_mark,
                 "base says how a body without joint hangs on the world, but every body has a joint");
  limb_report_hint(r->check.findings, "remove the key, or the joint of the root");
  r->sketch->base = LIMB_BASE_AS_FILE; // said once
}

static void note_axes(const yaml_reader* r)
{
  if (r->axisless == 0) return;
  char others[48] = "";
  if (r->axisless > 1) (void)snprintf(others, sizeof others, "; so it is for %d more", r->axisless - 1);
  limb_report(r->check.findings, RULE_ASSUMED, r->first_axisless.mark,
              (limb_subject){r->sketch->words.joint, r->first_axisless.joint},
              "it states no axis: 0 0 1 is taken, the default of limb YAML%s", others);
}

// Numbers can be cut off without a trace; a missing end of line is one.
static void check_end(const yaml_reader* r, const limb_source* src)
{
  if (src->size == 0 || src->text[src->size - 1] == '\n') return;
  int line = 1;
  for (size_t i = 0; i < src->size; i++) line += src->text[i] == '\n';
  limb_report(r->check.findings, RULE_ASSUMED, (limb_mark){line, 1}, (limb_subject){NULL, NULL},
              "the last line does not end: the file is taken as complete");
  limb_report_hint(r->check.findings, "end the file with a new line, if it is not cut off");
}

limb_status limb_read_yaml(limb_source* src, const limb_read_options* opt, limb_sketch* s)
{
  (void)opt; // all of them are the sketch's
  yaml_reader r = {.check = {.findings = s->findings}, .pool = src->pool, .sketch = s, .angle = 1};
  const yml_node* root = NULL;
  const limb_status status = limb_yaml_parse(src->text, src->size, src->pool, &r.check, &root);
  if (status) return status;
  if (root->kind != YML_MAP) {
    limb_yml_error(&r.check, RULE_WRONG_FORMAT, root->mark,
                   "this is no robot: a limb YAML file is a mapping that begins with 'limb: %d'", YAML_SCHEMA);
    return LIMB_E_SYNTAX;
  }
  const int before = r.check.errors;
  read_top(&r, root);
  const yml_node* bodies = limb_yml_get(root, "bodies");
  if (!bodies && r.check.errors == before) // else it may be the key that is mistyped
    (void)limb_yml_need(&r.check, root, "bodies");
  make_homes(&r, bodies);
  read_list(&r, bodies, limb_yaml_body);
  if (bodies && bodies->count == 0 && r.check.errors == before)
    limb_yml_error(&r.check, RULE_NO_BODY, bodies->mark, "the list of bodies is empty");
  read_list(&r, limb_yml_get(root, "joints"), limb_yaml_joint);
  read_connections(&r, limb_yml_get(root, "shafts"), limb_yml_get(root, "loops"));
  read_list(&r, limb_yml_get(root, "frames"), read_frame);
  check_homes(&r);
  check_base(&r, limb_yml_get(root, "base"));
  note_axes(&r);
  check_end(&r, src);
  if (r.out_of_memory) return LIMB_E_NOMEM;
  return r.check.errors ? LIMB_E_MODEL : LIMB_OK;
}
