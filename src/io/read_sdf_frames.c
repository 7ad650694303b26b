// SDF: frames. Every link, joint, model and <frame> is one; its pose is relative to another, in any order, so that a
// pose in the robot's frame is found by following these relations.
//
// Rules of SDFormat 1.7 and later, to which older files conform: a link is relative to its model, a joint to its child,
// a <frame> to what it is attached to, a nested model to the one around it.
#include "io/file_text.h"
#include "io/geometry.h"
#include "io/read_sdf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NESTED = 32, MAX_CHAIN = 1000 };

// ---- the list -------------------------------------------------------------------------------------

static const char* frame_name(const void* context, int i) { return ((const sdf*)context)->frame[i].name; }

// outer::name; of things in the robot itself the name alone.
static const char* full_name(sdf* s, int model, const char* name)
{
  memory_pool* pool = s->r.src->pool;
  return model <= 0 ? name : limb_mempool_join(pool, s->frame[model].name, "::", name);
}

static int add_frame(sdf* s, sdf_kind kind, const xml_node* n, int model)
{
  static const char* const attributes[] = {NULL, NULL, NULL, "attached_to"};
  const char* name = limb_xml_get(n, "name");
  sdf_frame* grown = limb_mempool_grow(s->r.src->pool, s->frame, &s->capacity, s->nframe, sizeof *grown);
  if (!grown) return 0;
  s->frame = grown;
  sdf_frame* f = &grown[s->nframe];
  *f = (sdf_frame){.kind = kind, .node = n, .model = model, .X = sp_pose_identity(), .given = sp_pose_identity()};
  f->name = full_name(s, model, name ? name : "");
  if (!f->name) return 0;
  if (!name || !*name)
    limb_report_error(&s->r.report, RULE_NO_NAME, n->pos, "<%s> needs the attribute 'name'", n->name);
  f->given = limb_sdf_pose(s, n, &f->relative);
  if (attributes[kind]) f->attached = limb_xml_get(n, attributes[kind]);
  if (kind == SDF_JOINT) f->attached = limb_sdf_text(n, "child");
  s->nframe++;
  return 1;
}

static int list_model(sdf* s, const xml_node* model, int outer);

// An included model: that of the file, with the name and the pose that <include> gives it.
static int list_include(sdf* s, const xml_node* n, int outer)
{
  const xml_node* model = limb_sdf_include(s, n);
  const char* name = limb_sdf_text(n, "name");
  if (!model) return 1;
  xml_node* copy = limb_mempool_alloc(s->r.src->pool, sizeof *copy);
  if (!copy) return 0;
  *copy = *model;
  copy->attribute = NULL;
  copy->nattribute = 0;
  for (int i = 0; i < model->nattribute; i++) {
    const xml_attribute a = model->attribute[i];
    const int renamed = name && strcmp(a.name, "name") == 0;
    if (!limb_xml_set(copy, a.name, renamed ? name : a.value, s->r.src->pool)) return 0;
  }
  const int index = s->nframe;
  const char* relative = NULL;
  if (!list_model(s, copy, outer)) return 0;
  if (limb_xml_child(n, "pose") && index < s->nframe) { // overrides that of the model
    s->frame[index].given = limb_sdf_pose(s, n, &relative);
    s->frame[index].relative = relative;
  }
  if (limb_xml_child(n, "placement_frame"))
    limb_report_error(&s->r.report, RULE_UNSUPPORTED, n->pos, "<placement_frame> of <include> is not supported");
  return 1;
}

static int list_model(sdf* s, const xml_node* model, int outer)
{
  const int index = s->nframe;
  if (s->depth >= MAX_NESTED) {
    limb_report_error(&s->r.report, RULE_TOO_DEEP, model->pos, "models are nested more than %d deep", MAX_NESTED);
    return 1;
  }
  if (s->nframe >= LIMB_RAW_MAX) {
    limb_report_error(&s->r.report, RULE_TOO_MANY, model->pos, "the file has more than %d frames", LIMB_RAW_MAX);
    return 1;
  }
  s->depth++;
  int listed = add_frame(s, SDF_MODEL, model, outer);
  for (const xml_node* c = model->first; c && listed; c = c->next) {
    if (strcmp(c->name, "link") == 0) listed = add_frame(s, SDF_LINK, c, index);
    if (strcmp(c->name, "joint") == 0 || strcmp(c->name, "drake:joint") == 0)
      listed = add_frame(s, SDF_JOINT, c, index);
    if (strcmp(c->name, "frame") == 0) listed = add_frame(s, SDF_FRAME, c, index);
    if (strcmp(c->name, "model") == 0) listed = list_model(s, c, index);
    if (strcmp(c->name, "include") == 0) listed = list_include(s, c, index);
  }
  s->depth--;
  return listed;
}

int limb_sdf_list(sdf* s, const xml_node* model)
{
  if (!list_model(s, model, -1)) return 0;
  if (s->nframe == 0) return 1;
  s->frame[0].given = sp_pose_identity(); // the robot's own frame
  s->frame[0].state = 2;
  return limb_mempool_index_names(s->r.src->pool, &s->names, s->nframe, frame_name, s);
}

// ---- names ----------------------------------------------------------------------------------------

int limb_sdf_find(sdf* s, int model, const char* name, const xml_node* at, const char* what)
{
  if (!name || strcmp(name, "__model__") == 0) return model;
  const char* full = full_name(s, model, name);
  const int found = full ? limb_names_find(&s->names, full, frame_name, s) : -1;
  if (found >= 0) return found;
  limb_report_error(&s->r.report, RULE_UNDEFINED_BODY, at->pos, "%s '%.60s' is not defined%s", what, name,
                    limb_did_you_mean(s->r.report.findings, full ? full : "", s->nframe, frame_name, s).text);
  return -1;
}

// What a frame is relative to by default.
static const char* default_of(const sdf_frame* f)
{
  return f->kind == SDF_JOINT || f->kind == SDF_FRAME ? f->attached : NULL;
}

// The frame that the pose of a frame is relative to; -1 after an error.
static int base_of(sdf* s, int frame)
{
  const sdf_frame* f = &s->frame[frame];
  return limb_sdf_find(s, f->model, f->relative && *f->relative ? f->relative : default_of(f), f->node, "the frame");
}

// A model with a placement frame is placed by that frame: X_model = X_given (pose of the frame in the model)^-1.
static sp_pose placed(sdf* s, int model, sp_pose X)
{
  const xml_node* n = s->frame[model].node;
  const char* name = limb_xml_get(n, "placement_frame");
  int frame = name ? limb_sdf_find(s, model, name, n, "the placement frame") : model;
  sp_pose inside = sp_pose_identity();
  for (int steps = 0; frame >= 0 && frame != model; frame = base_of(s, frame)) {
    const int nested = s->frame[frame].kind == SDF_MODEL && limb_xml_get(s->frame[frame].node, "placement_frame");
    if (nested || steps++ > MAX_CHAIN) {
      limb_report_error(&s->r.report, RULE_UNSUPPORTED, n->pos, "its placement frame '%.60s' has no simple pose", name);
      return X;
    }
    inside = sp_compose(s->frame[frame].given, inside);
  }
  return sp_compose(X, sp_invert(inside));
}

sp_pose limb_sdf_resolve(sdf* s, int frame)
{
  if (s->frame[frame].state == 2) return s->frame[frame].X;
  if (s->frame[frame].state == 1 || s->depth >= MAX_CHAIN) {
    limb_report_error(&s->r.report, RULE_CYCLE, s->frame[frame].node->pos, "the pose of '%.60s' is relative to %s",
                      s->frame[frame].name, s->depth >= MAX_CHAIN ? "too long a chain of frames" : "itself");
    s->frame[frame].state = 2;
    return sp_pose_identity();
  }
  s->frame[frame].state = 1;
  s->depth++;
  const int base = base_of(s, frame);
  sp_pose X = base < 0 ? s->frame[frame].given : sp_compose(limb_sdf_resolve(s, base), s->frame[frame].given);
  s->depth--;
  if (s->frame[frame].kind == SDF_MODEL) X = placed(s, frame, X);
  s->frame[frame].X = X;
  s->frame[frame].state = 2;
  return X;
}

// The first link of a model, or the one that it names.
static int canonical_link(sdf* s, int model)
{
  const char* name = limb_xml_get(s->frame[model].node, "canonical_link");
  if (name) return limb_sdf_find(s, model, name, s->frame[model].node, "the canonical link");
  for (int i = model + 1; i < s->nframe; i++) {
    if (s->frame[i].kind == SDF_LINK) return i;
  }
  return -1;
}

// What a frame is attached to; -1 after an error.
static int attached_to(sdf* s, int frame)
{
  const sdf_frame* f = &s->frame[frame];
  return f->kind == SDF_MODEL ? canonical_link(s, frame)
                              : limb_sdf_find(s, f->model, f->attached, f->node, "the frame");
}

// Frames on the way remember the link, so that long chains of them take no more than one pass.
int limb_sdf_link_of(sdf* s, int frame)
{
  int at = frame, steps = 0;
  while (at >= 0 && steps <= s->nframe && s->frame[at].kind != SDF_LINK && s->frame[at].link == 0)
    at = attached_to(s, at), steps++;
  if (at < 0 || steps > s->nframe) return -1;
  const int link = s->frame[at].kind == SDF_LINK ? at : s->frame[at].link - 1;
  for (; steps > 1; steps--) s->frame[frame].link = link + 1, frame = attached_to(s, frame);
  return link;
}

// ---- inclusions -----------------------------------------------------------------------------------

// The file of a model's folder: model.config names it, otherwise it is model.sdf.
static const char* file_in(sdf* s, const char* folder, const xml_node* at, limb_subject about)
{
  limb_source* src = s->r.src;
  const char* config = limb_mempool_join(src->pool, folder, "/model.config", "");
  const char* name = "model.sdf";
  file_bytes file;
  if (config && limb_files_exists(src->files, config, "")) {
    if (!limb_files_load(src->files, config, RULE_UNREADABLE, at->pos, about, &file)) return NULL;
    const xml_node* root = limb_xml_parse(file.text, file.size, file.file, NULL, src->pool, s->r.report.findings);
    for (const xml_node* n = root ? limb_xml_child(root, "sdf") : NULL; n; n = limb_xml_next(n))
      if (*n->text) name = n->text;
  }
  return limb_mempool_join(src->pool, folder, "/", name);
}

static const char* path_of(sdf* s, const char* uri, const xml_node* at, limb_subject about)
{
  limb_source* src = s->r.src;
  const char* own = at->pos.file ? limb_findings_file(s->r.report.findings, at->pos.file) : src->files->source;
  if (strncmp(uri, "model://", 8) != 0 && !strstr(uri, ".")) { // the folder of a model
    const char* inside = limb_mempool_join(src->pool, uri, "/model.sdf", "");
    return inside ? limb_files_find(src->files, inside, own ? own : "", RULE_UNREADABLE, at->pos, about) : NULL;
  }
  if (strncmp(uri, "model://", 8) != 0)
    return limb_files_find(src->files, uri, own ? own : "", RULE_UNREADABLE, at->pos, about);
  const char *name = uri + 8, *rest = name + strcspn(name, "/");
  const char* folder = limb_files_package(src->files, name, (size_t)(rest - name));
  if (!folder) {
    limb_report_error(&s->r.report, RULE_UNREADABLE, at->pos, "the model '%.60s' is not found", uri);
    limb_report_hint(s->r.report.findings, "name the folder that contains it: --package-path FOLDER");
    return NULL;
  }
  const char* path = *rest && rest[1] ? limb_mempool_join(src->pool, folder, rest, "") : file_in(s, folder, at, about);
  return path ? limb_files_find(src->files, path, "", RULE_UNREADABLE, at->pos, about) : NULL;
}

const xml_node* limb_sdf_include(sdf* s, const xml_node* n)
{
  limb_source* src = s->r.src;
  const char* uri = limb_sdf_text(n, "uri");
  const limb_subject about = {"include", uri};
  file_bytes file;
  if (!uri) {
    limb_report_error(&s->r.report, RULE_MISSING_KEY, n->pos, "<include> needs <uri>");
    return NULL;
  }
  const char* merge = limb_xml_get(n, "merge");
  if (merge && (strcmp(merge, "true") == 0 || strcmp(merge, "1") == 0)) {
    limb_report_error(&s->r.report, RULE_UNSUPPORTED, n->pos, "<include merge=\"true\"> is not supported");
    return NULL;
  }
  const char* path = path_of(s, uri, n, about);
  if (!path || !limb_files_load(src->files, path, RULE_UNREADABLE, n->pos, about, &file)) {
    s->r.report.errors++;
    return NULL;
  }
  const xml_node* root =
    limb_xml_parse(file.text, file.size, file.file, limb_sdf_not_read(s->r.opt), src->pool, s->r.report.findings);
  const xml_node* model = root ? limb_xml_child(root, "model") : NULL;
  if (!model) limb_report_error(&s->r.report, RULE_WRONG_FORMAT, n->pos, "the file '%.60s' has no <model>", uri);
  return model;
}
