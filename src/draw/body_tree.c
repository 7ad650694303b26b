// The bodies of a robot as a tree of text.
//
// Box characters. A chain stands in one column, so that long ones stay readable; where a robot branches,
// every body is indented below the one that carries it.

#include "limb/draw.h"

#include <stdlib.h>

enum { DEEPEST = 60 }; // levels that are drawn; deeper ones are only counted

typedef struct body_tree {
  const limb_tree_drawing* drawing;
  const limb_model* m;
  FILE* out;
  int *first, *next; // first child, next sibling of a body; -1: none
  int *stack, *level;
  int branched;             // some body carries several
  char closed[DEEPEST + 1]; // per level: the last branch has begun
} body_tree;

// The body as a user sees it, its parent and its joint: across an auxiliary one.
static limb_status seen_body(const body_tree* t, int b, limb_body_info* out)
{
  limb_body_info parent;
  const limb_status s = limb_get_body(t->m, b, out);
  if (s != LIMB_OK || t->drawing->auxiliary || limb_stands_for(t->m, out->parent) != b) return s;
  if (limb_get_body(t->m, out->parent, &parent) != LIMB_OK) return s;
  out->parent = parent.parent, out->joint = parent.joint;
  return s;
}

static void print_branch(const body_tree* t, int level, int branches, int last)
{
  const int drawn = level < DEEPEST ? level : DEEPEST;
  for (int k = 0; k + 1 < drawn; k++) (void)fputs(t->closed[k + 1] ? "   " : "│  ", t->out);
  if (level > DEEPEST) {
    (void)fprintf(t->out, "(level %d) ", level);
  } else if (drawn > 0 && branches) {
    (void)fputs(last ? "└─ " : "├─ ", t->out);
  } else if (drawn > 0) {
    (void)fputs(t->closed[level] ? "   " : "│  ", t->out);
  }
}

static void print_body(const body_tree* t, int b)
{
  limb_body_info body;
  limb_joint_info joint;
  if (seen_body(t, b, &body) != LIMB_OK) return;
  (void)fputs(body.name, t->out);
  if (body.inertia.mass != 0) (void)fprintf(t->out, ", %.6g kg", body.inertia.mass);
  if (body.joint >= 0 && limb_get_joint(t->m, body.joint, &joint) == LIMB_OK) {
    (void)fprintf(t->out, "   %s(%s %s%s)%s", t->drawing->joint_on, limb_joint_type_name(joint.def.type),
                  joint.def.name, joint.def.mimic >= 0 ? ", mimic" : "", t->drawing->joint_off);
  }
  (void)fputs("\n", t->out);
}

// Children are pushed last to first, so that the first is printed next.
static int push_children(body_tree* t, int b, int level, int top)
{
  int n = 0;
  for (int c = t->first[b]; c >= 0; c = t->next[c]) n++;
  const int below = n > 1 || (t->branched && b != LIMB_WORLD_BODY) ? level + 1 : level;
  int at = top + n;
  for (int c = t->first[b]; c >= 0; c = t->next[c]) {
    t->stack[--at] = c;
    t->level[at] = below;
  }
  return top + n;
}

static void print_all(body_tree* t)
{
  int top = 1;
  t->stack[0] = LIMB_WORLD_BODY, t->level[0] = 0;
  while (top > 0) {
    const int b = t->stack[--top], level = t->level[top];
    limb_body_info body;
    if (seen_body(t, b, &body) != LIMB_OK) return;
    const int branches =
      body.parent >= 0 && (t->next[t->first[body.parent]] >= 0 || (t->branched && body.parent != LIMB_WORLD_BODY));
    const int last = t->next[b] < 0;
    print_branch(t, level, branches, last);
    if (branches && level <= DEEPEST) t->closed[level] = (char)last;
    print_body(t, b);
    top = push_children(t, b, level, top);
  }
}

// In the order of the bodies: from the last on, each is put at the front of its parent's list.
static int link_bodies(body_tree* t, int n)
{
  for (int b = 0; b < n; b++) t->first[b] = t->next[b] = -1;
  for (int b = n - 1; b > 0; b--) {
    limb_body_info body;
    if (seen_body(t, b, &body) != LIMB_OK) return 0;
    if (!t->drawing->auxiliary && limb_stands_for(t->m, b) >= 0) continue;
    t->next[b] = t->first[body.parent];
    t->first[body.parent] = b;
    t->branched |= t->next[b] >= 0;
  }
  return 1;
}

limb_status limb_tree_write(const limb_tree_drawing* drawing, FILE* out)
{
  if (!drawing || !drawing->model || !drawing->joint_on || !drawing->joint_off || !out) return LIMB_E_ARG;
  const limb_model* m = drawing->model;
  const int n = limb_body_count(m);
  int* memory = calloc(4 * (size_t)n, sizeof *memory);
  if (!memory) return LIMB_E_NOMEM;
  body_tree t = {.drawing = drawing, .m = m, .out = out, .first = memory, .next = memory + n};
  t.stack = memory + 2 * (size_t)n;
  t.level = memory + 3 * (size_t)n;
  if (link_bodies(&t, n)) print_all(&t);
  free(memory);
  return LIMB_OK;
}
