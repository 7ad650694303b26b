// Loops of a sketch: which bodies, frames and joints they name. O(n).
#include "io/sketch_impl.h"

#include "io/joints.h"
#include "io/loops.h"

#include <math.h>
#include <string.h>

// A body that is meant by the name of its frame.
static int find_body_frame(const limb_sketch* s, const sketch_tables* t, const sketch_end* e, int end,
                           limb_subject about)
{
  const int body = limb_names_find(&t->body, e->frame, limb_sketch_body_name, s);
  if (body >= 0) return body;
  if (strcmp(e->frame, "world") == 0) return SKETCH_WORLD;
  char mean[LIMB_WHERE_SPACE];
  limb_report(s->findings, RULE_UNDEFINED_BODY, e->mark, about, "its frame %c '%s' is not defined%s", "ab"[end],
              e -> frame, limb_did_you_mean(s->findings, e->frame, s->nframe, limb_sketch_frame_name, s, mean));
  return SKETCH_NONE;
}

// The body of an end, and the pose of the closure's frame in it.
static int find_end(const limb_sketch* s, const sketch_tables* t, const sketch_loop* x, int end, sp_pose* pose)
{
  static const char* const role[] = {"body a", "body b"};
  const sketch_end* e = &x->end[end];
  const limb_subject about = {"loop", x->name};
  *pose = e->pose;
  if (!e->frame) return limb_sketch_find_body(s, t, e->body, role[end], e->mark, about);
  if (!*e->frame) return SKETCH_NONE; // the reader has told why
  const int i = limb_names_find(&t->frame, e->frame, limb_sketch_frame_name, s);
  if (i < 0) return find_body_frame(s, t, e, end, about);
  const sketch_frame* f = &s->frame[i];
  *pose = sp_compose(f->pose, e->pose);
  // a frame whose body is not there was reported as such
  const int body = f->body ? limb_names_find(&t->body, f->body, limb_sketch_body_name, s) : -1;
  return body >= 0 ? body : SKETCH_WORLD;
}

// A joint that a loop relates to another; SKETCH_NONE and a finding when it cannot be one.
static int find_joint(const limb_sketch* s, const sketch_tables* t, const sketch_links* l, const sketch_loop* x,
                      const char* name, const char* role)
{
  if (!name || !*name) return SKETCH_NONE; // the reader has told why
  const limb_subject about = {"loop", x->name};
  const int k = limb_names_find(&t->joint, name, limb_sketch_joint_name, s);
  char mean[LIMB_WHERE_SPACE];
  if (k < 0)
    limb_report(s->findings, RULE_BAD_LOOP, x->mark, about, "its %s '%s' is not defined%s", role, name,
                limb_did_you_mean(s->findings, name, s->njoint, limb_sketch_joint_name, s, mean));
  else if (!one_dof(s->joint[k].def.type))
    limb_report(s->findings, RULE_BAD_LOOP, x->mark, about, "its %s '%s' has not exactly one degree of freedom", role,
                name);
  else if (!isnan(l->frozen[k]))
    limb_report(s->findings, RULE_BAD_LOOP, x->mark, about, "its %s '%s' follows '%s', and never moves", role, name,
                s->joint[k].mimic);
  else
    return k;
  return SKETCH_NONE;
}

void limb_sketch_resolve_loops(const limb_sketch* s, const sketch_tables* t, sketch_links* l)
{
  for (int i = 0; i < s->nloop; i++) {
    const sketch_loop* x = &s->loop[i];
    sketch_closure* c = &l->loop[i];
    *c = (sketch_closure){.body = {SKETCH_NONE, SKETCH_NONE}, .joint = {SKETCH_NONE, SKETCH_NONE}};
    if (loop_of_joints(x->def.kind)) {
      c->joint[0] = find_joint(s, t, l, x, x->joint, "joint");
      c->joint[1] = find_joint(s, t, l, x, x->other, "other joint");
      continue;
    }
    for (int k = 0; k < 2; k++) c->body[k] = find_end(s, t, x, k, &c->pose[k]);
  }
}
