// The tree of bodies in box characters. What hangs on one body alone stands right below it; branches are
// indented, so that long chains stay readable.
#include "info.h"

#include <stdlib.h>

enum { DEEPEST = 60 }; // levels that are drawn; deeper ones are only counted

typedef struct tree {
  const limb_model* m;
  int *first, *next; // first child, next sibling of a body; -1: none
  int *stack, *level;
  char closed[DEEPEST + 1]; // per level: the last branch has begun
} tree;

static void print_place(const tree* t, int level, int branches, int last)
{
  const int drawn = level < DEEPEST ? level : DEEPEST;
  for (int k = 0; k + 1 < drawn; k++) printf("%s", t->closed[k + 1] ? "   " : "│  ");
  if (level > DEEPEST) {
    printf("(level %d) ", level);
  } else if (drawn > 0 && branches) {
    printf("%s", last ? "└─ " : "├─ ");
  } else if (drawn > 0) {
    printf("%s", t->closed[level] ? "   " : "│  ");
  }
}

static void print_body(const tree* t, int b)
{
  limb_body_info body;
  limb_joint_info joint;
  if (limb_get_body(t->m, b, &body) != LIMB_OK) return;
  printf("%s", body.name);
  if (body.inertia.mass != 0) printf(", %.6g kg", body.inertia.mass);
  if (body.joint >= 0 && limb_get_joint(t->m, body.joint, &joint) == LIMB_OK) {
    printf("   %s(%s %s%s)%s", cli_on(stdout, CLI_FAINT), limb_joint_type_name(joint.def.type), joint.def.name,
           joint.def.mimic >= 0 ? ", mimic" : "", cli_off(stdout, CLI_FAINT));
  }
  printf("\n");
}

// Children are pushed last to first, so that the first comes next.
static int push_children(tree* t, int b, int level, int top)
{
  int n = 0;
  for (int c = t->first[b]; c >= 0; c = t->next[c]) n++;
  const int below = n > 1 ? level + 1 : level;
  int at = top + n;
  for (int c = t->first[b]; c >= 0; c = t->next[c]) {
    t->stack[--at] = c;
    t->level[at] = below;
  }
  return top + n;
}

static void print_all(tree* t)
{
  int top = 1;
  t->stack[0] = LIMB_WORLD_BODY, t->level[0] = 0;
  while (top > 0) {
    const int b = t->stack[--top], level = t->level[top];
    limb_body_info body;
    if (limb_get_body(t->m, b, &body) != LIMB_OK) return;
    const int branches = body.parent >= 0 && t->next[t->first[body.parent]] >= 0;
    const int last = t->next[b] < 0;
    print_place(t, level, branches, last);
    if (branches && level <= DEEPEST) t->closed[level] = (char)last;
    print_body(t, b);
    top = push_children(t, b, level, top);
  }
}

// In the order of the bodies: from the last on, each goes to the front of its parent's list.
static int link_bodies(tree* t, int n)
{
  for (int b = 0; b < n; b++) t->first[b] = t->next[b] = -1;
  for (int b = n - 1; b > 0; b--) {
    limb_body_info body;
    if (limb_get_body(t->m, b, &body) != LIMB_OK) return 0;
    t->next[b] = t->first[body.parent];
    t->first[body.parent] = b;
  }
  return 1;
}

void info_print_tree(const limb_model* m)
{
  const int n = limb_body_count(m);
  int* memory = calloc(4 * (size_t)n, sizeof *memory);
  if (!memory) {
    printf("(not enough memory for the tree)\n");
    return;
  }
  tree t = {.m = m, .first = memory, .next = memory + n};
  t.stack = memory + 2 * (size_t)n;
  t.level = memory + 3 * (size_t)n;
  if (link_bodies(&t, n)) print_all(&t);
  free(memory);
}
