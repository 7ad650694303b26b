// The changes of a robot that a run asks for, by the calls of limb/edit.h; the poses that its file names (limb/read.h).
// Each change is a text, as the option has it:
//
//   attach FILE:FRAME[:PREFIX]   root BODY   lock JOINT[=X]
//   payload MASS[@FRAME][,com=(X,Y,Z)][,inertia=(XX,YY,ZZ)]
//
// and numbers that are replaced by name (run_parameters.c).
#include "run/run_impl.h"

#include "limb/edit.h"
#include "base/names.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct change {
  limb_builder* b;
  const char* run_path;
  const limb_read_options* opt;
  limb_error* err;
} change;

// ---- names ------------------------------------------------------------------------------------------------

static const char* joint_name(const void* b, int i)
{
  limb_joint_def def;
  return limb_builder_get_joint(b, i, &def) == LIMB_OK ? def.name : "";
}

static const char* body_name(const void* b, int i)
{
  limb_body_def def;
  return limb_builder_get_body(b, i, &def) == LIMB_OK ? def.name : "";
}

// Bodies, then frames.
static const char* frame_name(const void* b, int i)
{
  limb_frame_info f;
  const int bodies = limb_builder_body_count(b);
  if (i < bodies) return body_name(b, i);
  return limb_builder_get_frame(b, i - bodies, &f) == LIMB_OK ? f.name : "";
}

// The error about a name that the robot does not have.
static limb_status unknown(const change* c, const limb_run_value* at, const char* kind, const char* wrong, int count,
                           limb_name_fn* name)
{
  const char* near = limb_nearest(wrong, count, name, c->b);
  return limb_run_wrong(c->err, at, "the model has no %s '%.64s'%s%s%s", kind, wrong, near ? "; did you mean '" : "",
                        near ? near : "", near ? "'?" : "; limb info names them");
}

static limb_status find_frame(const change* c, const limb_run_value* at, const char* name)
{
  const int count = limb_builder_body_count(c->b) + limb_builder_frame_count(c->b);
  for (int i = 0; i < count; i++)
    if (strcmp(frame_name(c->b, i), name) == 0) return LIMB_OK;
  return unknown(c, at, "body or frame", name, count, frame_name);
}

// What the library refuses is about the value at hand.
static limb_status explain(const change* c, const limb_run_value* at, limb_status s, const limb_error* why)
{
  if (s == LIMB_OK) return LIMB_OK;
  const char* text = *why->text ? why->text : limb_status_text(s);
  (void)limb_run_wrong(c->err, at, "%s%s%.300s", why->where, *why->where ? ": " : "", text);
  if (c->err) c->err->status = s;
  return s;
}

// A copy of a value's text, to be cut and freed.
static char* copy_text(const char* text)
{
  const size_t size = strlen(text) + 1;
  char* copy = malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}

// ---- changes ----------------------------------------------------------------------------------------------

// --lock JOINT[=X]
static limb_status lock(const change* c, const limb_run_value* at, char* text)
{
  limb_joint_def def;
  limb_error why = {0};
  double q = 0;
  int joint = limb_builder_find_joint(c->b, text);
  char* equals = joint < 0 ? strrchr(text, '=') : NULL;
  if (equals) *equals = '\0', joint = limb_builder_find_joint(c->b, text);
  if (limb_builder_get_joint(c->b, joint, &def) != LIMB_OK)
    return unknown(c, at, "joint", text, limb_builder_joint_count(c->b), joint_name);
  if (equals) {
    const bool turns = def.type == LIMB_REVOLUTE || def.type == LIMB_HELICAL;
    if (def.type == LIMB_FIXED)
      return limb_run_wrong(
        c->err, at, "joint '%.64s' is fixed already: in the file, or as it follows a joint that is locked", text);
    if (!turns && def.type != LIMB_PRISMATIC)
      return limb_run_wrong(c->err, at,
                            "joint '%.64s' does not have one coordinate: leave '=%.40s' out, to lock it at zero", text,
                            equals + 1);
    const limb_run_value number = {.text = equals + 1, .key = at->key, .line = at->line, .column = at->column};
    const limb_status s = limb_run_quantity(&number, LIMB_RUN_ANY, turns ? "rad" : "m", &q, c->err);
    if (s != LIMB_OK) return s;
  }
  return explain(c, at, limb_builder_lock(c->b, joint, equals ? &q : NULL, &why), &why);
}

// The only body that carries none; NULL: there are several.
static const char* end_of_robot(const limb_builder* b)
{
  const int bodies = limb_builder_body_count(b);
  unsigned char* carries = calloc((size_t)bodies, 1);
  limb_joint_def def;
  const char* end = NULL;
  int ends = 0;
  for (int j = 0; carries && limb_builder_get_joint(b, j, &def) == LIMB_OK; j++) carries[def.parent] = 1;
  for (int i = 1; carries && i < bodies; i++) {
    if (carries[i]) continue;
    end = body_name(b, i);
    ends++;
  }
  free(carries);
  return ends == 1 ? end : NULL;
}

// "(1,2,3cm)": count numbers of a dimension; the text is cut.
static limb_status numbers(const change* c, const limb_run_value* at, const char* name, char* text, const char* unit,
                           int count, double* out)
{
  const size_t length = strlen(text);
  int found = 0;
  if (length < 2 || text[0] != '(' || text[length - 1] != ')')
    return limb_run_wrong(c->err, at, "%s=%.60s: write %d numbers in parentheses", name, text, count);
  text[length - 1] = '\0';
  for (char *next, *one = text + 1; one; one = next) {
    next = strchr(one, ',');
    if (next) *next++ = '\0';
    const limb_run_value number = {.text = one, .key = at->key, .line = at->line, .column = at->column};
    if (found == count) return limb_run_wrong(c->err, at, "%s has %d numbers", name, count);
    const limb_status s = limb_run_quantity(&number, LIMB_RUN_ANY, unit, &out[found++], c->err);
    if (s != LIMB_OK) return s;
  }
  return found == count ? LIMB_OK : limb_run_wrong(c->err, at, "%s has %d numbers, found %d", name, count, found);
}

// The end of an entry: a comma outside parentheses.
static char* entry_end(char* text)
{
  int depth = 0;
  for (; *text && (depth > 0 || *text != ','); text++) depth += (*text == '(') - (*text == ')');
  return text;
}

// com=(x,y,z) in the axes of the frame; inertia=(xx,yy,zz) about it.
static limb_status extend(const change* c, const limb_run_value* at, char* text, sp_inertia* Y)
{
  double com[3] = {0}, inertia[3] = {0};
  limb_status s = LIMB_OK;
  while (s == LIMB_OK && text && *text) {
    char *entry = text, *end = entry_end(text);
    text = *end ? end + 1 : NULL;
    *end = '\0';
    while (*entry == ' ') entry++;
    if (strncmp(entry, "com=", 4) == 0)
      s = numbers(c, at, "com", entry + 4, "m", 3, com);
    else if (strncmp(entry, "inertia=", 8) == 0)
      s = numbers(c, at, "inertia", entry + 8, "kg*m^2", 3, inertia);
    else
      s = limb_run_wrong(c->err, at, "'%.60s' is neither com=(x,y,z) nor inertia=(xx,yy,zz)", entry);
  }
  Y->com = sp_v3(com[0], com[1], com[2]);
  Y->xx = inertia[0], Y->yy = inertia[1], Y->zz = inertia[2];
  const char* defect = s == LIMB_OK ? limb_inertia_defect(Y) : NULL;
  if (defect) s = limb_run_wrong(c->err, at, "no body has this mass and inertia: %s", defect);
  return s;
}

// --payload MASS[@FRAME][,com=...][,inertia=...]: what a program adds by limb_builder_add_payload
static limb_status carry(const change* c, const limb_run_value* at, char* text)
{
  char name[32] = "payload", joint[48] = "payload_joint";
  limb_error why = {0};
  sp_inertia Y = {0};
  char *more = strchr(text, ','), *frame;
  if (more) *more++ = '\0';
  frame = strchr(text, '@');
  if (frame) *frame++ = '\0';
  const char* to = frame ? frame : end_of_robot(c->b);
  if (!to)
    return limb_run_wrong(c->err, at, "the robot has several ends: name the body or frame, as in %.40s@hand", text);
  const limb_run_value number = {.text = text, .key = at->key, .line = at->line, .column = at->column};
  limb_status s = limb_run_quantity(&number, LIMB_RUN_NOT_NEGATIVE, "kg", &Y.mass, c->err);
  if (s == LIMB_OK) s = find_frame(c, at, to);
  if (s == LIMB_OK) s = extend(c, at, more, &Y);
  if (s != LIMB_OK) return s;
  for (int k = 2; limb_builder_find_body(c->b, name) >= 0 || limb_builder_find_joint(c->b, joint) >= 0; k++) {
    (void)snprintf(name, sizeof name, "payload%d", k);
    (void)snprintf(joint, sizeof joint, "payload%d_joint", k);
  }
  return explain(c, at, limb_builder_add_payload(c->b, name, to, NULL, &Y, &why), &why);
}

// --attach FILE:FRAME[:PREFIX]
static limb_status attach(const change* c, const limb_run_value* at, char* text)
{
  limb_error why = {0};
  limb_reading* r = NULL;
  char *frame = strchr(text, ':'), *prefix = frame ? strchr(frame + 1, ':') : NULL;
  if (!frame || !frame[1] || frame == text || (prefix && prefix == frame + 1))
    return limb_run_wrong(c->err, at, "'%.100s' is not of the form FILE:FRAME or FILE:FRAME:PREFIX", text);
  *frame++ = '\0';
  if (prefix) *prefix++ = '\0';
  limb_status s = find_frame(c, at, frame);
  if (s != LIMB_OK) return s;
  const limb_run_value file = {.text = text, .key = at->key, .line = at->line, .column = at->column};
  const size_t size = limb_run_path(c->run_path, &file, NULL, 0) + 1;
  char* path = malloc(size);
  if (!path) return limb_fail(c->err, LIMB_E_NOMEM, "", "out of memory");
  (void)limb_run_path(c->run_path, &file, path, size);
  limb_read_options opt = limb_default_read_options();
  if (c->opt)
    opt.package_path = c->opt->package_path, opt.any_file = c->opt->any_file, opt.max_bytes = c->opt->max_bytes;
  s = limb_read(path, &opt, &r, &why);
  if (s != LIMB_OK) {
    char line[LIMB_ERROR_LINE];
    (void)limb_run_wrong(c->err, at, "%.300s", limb_error_line(path, &why, line));
    if (c->err) c->err->status = s;
  } else {
    s = explain(c, at, limb_builder_attach(c->b, frame, limb_reading_builder(r), prefix, &why), &why);
    if (s == LIMB_E_ARG && (!prefix || !*prefix) && c->err && strstr(c->err->text, "already"))
      (void)limb_run_wrong(c->err, at, "%s%s%.160s: add a prefix, as in %.40s:%.40s:hand_", why.where,
                           *why.where ? ": " : "", why.text, text, frame);
  }
  limb_reading_destroy(r);
  free(path);
  return s;
}

// --root BODY
static limb_status take_root(const change* c, const limb_run_value* at, char* text)
{
  limb_error why = {0};
  const int body = limb_builder_find_body(c->b, text);
  if (body < 0) return unknown(c, at, "body", text, limb_builder_body_count(c->b), body_name);
  if (body == LIMB_WORLD_BODY) return limb_run_wrong(c->err, at, "the world is no body of the robot");
  return explain(c, at, limb_builder_reroot(c->b, body, &why), &why);
}

// ---- all of them ------------------------------------------------------------------------------------------

typedef limb_status change_fn(const change* c, const limb_run_value* at, char* text);

static limb_status each(const change* c, const limb_run_value* value, int count, change_fn* f)
{
  limb_status s = LIMB_OK;
  for (int i = 0; s == LIMB_OK && i < count; i++) {
    char* text = copy_text(value[i].text);
    s = text ? f(c, &value[i], text) : limb_fail(c->err, LIMB_E_NOMEM, "", "out of memory");
    free(text);
  }
  return s;
}

limb_status limb_run_change_model(const limb_run* run, const char* run_path, const limb_read_options* opt,
                                  limb_builder* b, limb_error* err)
{
  if (!run || !b) return limb_fail(err, LIMB_E_ARG, "model", "run or builder is NULL");
  const change c = {b, run_path, opt, err};
  const limb_run_model* m = &run->model;
  limb_status s = each(&c, m->attach.value, m->attach.count, attach);
  for (int i = 0; s == LIMB_OK && i < m->parameters.count; i++)
    s = limb_run_replace_number(&m->parameters.value[i], b, err);
  if (s == LIMB_OK) s = each(&c, &m->root, m->root.text != NULL, take_root);
  if (s == LIMB_OK) s = each(&c, m->lock.value, m->lock.count, lock);
  return s == LIMB_OK ? each(&c, m->payload.value, m->payload.count, carry) : s;
}

// ---- named poses ------------------------------------------------------------------------------------------

static const char* pose_name(const void* reading, int i)
{
  limb_named_pose p;
  return limb_reading_get_pose(reading, i, &p) == LIMB_OK ? p.name : "";
}

// "there are home, folded", or none.
static limb_status no_such_pose(const limb_reading* r, const char* name, limb_error* err)
{
  char all[120] = "";
  const int count = limb_reading_pose_count(r);
  const char* near = limb_nearest(name, count, pose_name, r);
  size_t used = 0;
  if (strchr(name, '='))
    return limb_fail(err, LIMB_E_ARG, "pose", "'%.60s' is no name of a pose: a frame is placed by target", name);
  if (near)
    return limb_fail(err, LIMB_E_ARG, "pose", "the model has no pose '%.60s'; did you mean '%.60s'?", name, near);
  for (int i = 0; i < count && used < sizeof all - 1; i++)
    used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", pose_name(r, i));
  if (count == 0)
    return limb_fail(
      err, LIMB_E_ARG, "pose",
      "the model has no named poses, and so no '%.60s': they are in poses of limb YAML, <key> of MJCF and "
      "SRDF (--srdf)",
      name);
  return limb_fail(err, LIMB_E_ARG, "pose", "the model has no pose '%.60s'; it has %s", name, all);
}

limb_status limb_run_take_pose(const limb_reading* r, const char* name, const limb_model* m, double* q,
                               unsigned char* held, limb_error* err)
{
  if (!r || !name || !m || !q) return limb_fail(err, LIMB_E_ARG, "pose", "an argument is NULL");
  limb_named_pose p = {0};
  int i = 0;
  while (limb_reading_get_pose(r, i, &p) == LIMB_OK && strcmp(p.name, name) != 0) i++;
  if (i >= limb_reading_pose_count(r)) return no_such_pose(r, name, err);
  if (held) memset(held, 0, (size_t)limb_nq(m));
  for (int k = 0; k < p.count; k++) {
    limb_joint_info x;
    const limb_pose_value* v = &p.value[k];
    if (limb_get_joint(m, limb_find_joint(m, v->joint), &x) != LIMB_OK || x.nq != v->count) continue;
    memcpy(q + x.q, v->q, (size_t)x.nq * sizeof *q);
    if (held) memset(held + x.q, 1, (size_t)x.nq);
  }
  return LIMB_OK;
}
