// Filling a sketch.
#include "io/sketch.h"

#include "base/memory.h"

#include <string.h>

limb_sketch limb_sketch_make(limb_store* pool, limb_findings* f, sketch_words words)
{
  return (limb_sketch){.pool = pool, .findings = f, .words = words, .base = LIMB_BASE_AS_FILE};
}

// Room for one more item in an array that lives in the pool: outgrown arrays stay there until the end,
// together not more than the last.
static void* one_more(limb_sketch* s, void* items, int* capacity, int count, size_t size)
{
  if (count == LIMB_SKETCH_MOST) {
    limb_report(s->findings, RULE_TOO_LARGE, (limb_mark){0, 0}, (limb_subject){NULL, NULL},
                "the robot has more than %d parts of a kind", LIMB_SKETCH_MOST);
    limb_report_hint(s->findings, "this limit cannot be raised: is the file what it should be?");
    s->too_large = 1;
    return NULL;
  }
  if (count < *capacity) return items;
  const int wanted = *capacity ? 2 * *capacity : 32;
  void* bigger = limb_store_take(s->pool, (size_t)wanted * size);
  if (!bigger) return NULL;
  if (count) memcpy(bigger, items, (size_t)count * size);
  *capacity = wanted;
  return bigger;
}

sketch_body* limb_sketch_body(limb_sketch* s, const char* name, limb_mark at)
{
  sketch_body* items = one_more(s, s->body, &s->body_cap, s->nbody, sizeof *items);
  if (!items) return NULL;
  s->body = items;
  sketch_body* b = &s->body[s->nbody++];
  *b = (sketch_body){.name = name ? name : "", .mark = at};
  return b;
}

sketch_joint* limb_sketch_joint(limb_sketch* s, const char* name, limb_mark at)
{
  sketch_joint* items = one_more(s, s->joint, &s->joint_cap, s->njoint, sizeof *items);
  if (!items) return NULL;
  s->joint = items;
  sketch_joint* j = &s->joint[s->njoint++];
  *j = (sketch_joint){.name = name ? name : "",
                      .mark = at,
                      .offset = sp_pose_identity(),
                      .def = limb_default_joint_def(NULL, LIMB_FIXED, 0, 0)};
  return j;
}

sketch_frame* limb_sketch_frame(limb_sketch* s, const char* name, limb_mark at)
{
  sketch_frame* items = one_more(s, s->frame, &s->frame_cap, s->nframe, sizeof *items);
  if (!items) return NULL;
  s->frame = items;
  sketch_frame* f = &s->frame[s->nframe++];
  *f = (sketch_frame){.name = name ? name : "", .mark = at, .pose = sp_pose_identity()};
  return f;
}

sketch_shaft* limb_sketch_shaft(limb_sketch* s, limb_mark at)
{
  sketch_shaft* items = one_more(s, s->shaft, &s->shaft_cap, s->nshaft, sizeof *items);
  if (!items) return NULL;
  s->shaft = items;
  sketch_shaft* x = &s->shaft[s->nshaft++];
  *x = (sketch_shaft){.mark = at, .joint = "", .motor = "", .def = limb_default_shaft_def(0, 0)};
  return x;
}

sketch_loop* limb_sketch_loop(limb_sketch* s, const char* name, limb_loop_kind kind, limb_mark at)
{
  sketch_loop* items = one_more(s, s->loop, &s->loop_cap, s->nloop, sizeof *items);
  if (!items) return NULL;
  s->loop = items;
  sketch_loop* x = &s->loop[s->nloop++];
  const sketch_end end = {.mark = at, .body = "", .pose = sp_pose_identity()};
  *x = (sketch_loop){.name = name ? name : "",
                     .mark = at,
                     .end = {end, end},
                     .joint = "",
                     .other = "",
                     .def = limb_default_loop_def(NULL, kind, 0, 0)};
  return x;
}

const char* limb_sketch_joint_name(const void* sketch, int i) { return ((const limb_sketch*)sketch)->joint[i].name; }

int limb_sketch_joint_names(const limb_sketch* s, limb_names* t)
{
  const size_t capacity = limb_names_capacity((size_t)s->njoint);
  int* slot = limb_store_take(s->pool, capacity * sizeof *slot);
  if (!slot) return 0;
  limb_names_clear(t, slot, capacity);
  for (int i = 0; i < s->njoint; i++) {
    if (limb_names_find(t, s->joint[i].name, limb_sketch_joint_name, s) < 0) limb_names_put(t, s->joint[i].name, i);
  }
  return 1;
}

const char* limb_sketch_suffixed(const limb_sketch* s, const char* name, const char* suffix)
{
  const size_t n = strlen(name), m = strlen(suffix);
  char* text = limb_store_take(s->pool, n + m + 1);
  if (!text) return NULL;
  for (size_t i = 0; i < n; i++) text[i] = name[i];
  for (size_t i = 0; i < m; i++) text[n + i] = suffix[i];
  return text; // closed by the zeros of the pool
}
