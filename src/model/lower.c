// Second step of compiling: links in depth-first order, one elementary joint each.
//
// A compound joint becomes a chain of one-dof joints with massless links between them. Each axis is
// put on z of a draft frame: joint(q) = A1 e1(q1) A1^-1 A2 e2(q2) A2^-1 ..., with A_k turning z onto
// the k-th axis.

#include "model/compile_impl.h"

int limb_joint_steps(const limb_joint_def* def, limb_step steps[MAX_STEPS])
{
  const sp_vec3 n = def->axis, e1 = def->axis2;
  switch (def->type) {
  case LIMB_FIXED: return 0;
  case LIMB_REVOLUTE: steps[0] = (limb_step){CLASS_ROT, n}; return 1;
  case LIMB_PRISMATIC: steps[0] = (limb_step){CLASS_TRANS, n}; return 1;
  case LIMB_HELICAL: steps[0] = (limb_step){CLASS_SCREW, n}; return 1;
  case LIMB_CYLINDRICAL:
    steps[0] = (limb_step){CLASS_ROT, n};
    steps[1] = (limb_step){CLASS_TRANS, n};
    return 2;
  case LIMB_UNIVERSAL:
    steps[0] = (limb_step){CLASS_ROT, n};
    steps[1] = (limb_step){CLASS_ROT, e1};
    return 2;
  case LIMB_PLANAR:
    steps[0] = (limb_step){CLASS_TRANS, e1};
    steps[1] = (limb_step){CLASS_TRANS, sp_cross3(n, e1)};
    steps[2] = (limb_step){CLASS_ROT, n};
    return 3;
  case LIMB_SPHERICAL: steps[0] = (limb_step){CLASS_BALL, n}; return 1;
  case LIMB_FREE: steps[0] = (limb_step){CLASS_FREE, n}; return 1;
  }
  return 0;
}

// A rotation with the given unit vector as third column; a signed permutation, free of rounding, when
// the vector is along an axis.
static sp_mat3 rotation_onto(sp_vec3 n)
{
  sp_vec3 x;
  if (n.x == 0 && n.y == 0) {
    x = sp_v3(1, 0, 0);
  } else if (n.y == 0 && n.z == 0) {
    x = sp_v3(0, n.x > 0 ? 1 : -1, 0);
  } else if (n.x == 0 && n.z == 0) {
    x = sp_v3(0, 0, n.y > 0 ? 1 : -1);
  } else {
    const sp_vec3 e = fabs(n.x) < fabs(n.y) ? sp_v3(1, 0, 0) : sp_v3(0, 1, 0);
    x = sp_cross3(e, n);
    x = sp_scale3(1 / sp_norm3(x), x);
  }
  const sp_vec3 y = sp_cross3(n, x);
  return (sp_mat3){{x.x, y.x, n.x, x.y, y.y, n.y, x.z, y.z, n.z}};
}

static sp_mat3 axis_frame(const limb_step* step)
{
  const bool has_axis = step->joint_class != CLASS_BALL && step->joint_class != CLASS_FREE;
  return has_axis ? rotation_onto(step->axis) : sp_identity3();
}

// Appends the links of joint j, whose parent body is carried by `parent` (a link, or -1).
static void append_joint(limb_draft* t, limb_model* m, int j, int parent)
{
  const limb_joint_def* def = &t->b->joint[j];
  limb_step steps[MAX_STEPS];
  const int n = limb_joint_steps(def, steps);
  const int carrier = t->carrier[def->parent];
  // joint frame in the draft frame of the carrier's link (or in the world)
  sp_pose place = sp_compose(t->in_carrier[def->parent], def->placement);
  if (parent >= 0) place = sp_compose(t->body_in_draft[carrier], place);

  m->joint[j].link = t->nlink;
  m->joint[j].nlink = n;
  for (int k = 0; k < n; k++) {
    const int i = t->nlink++;
    const sp_mat3 A = axis_frame(&steps[k]);
    const bool is_aux = steps[k].joint_class == CLASS_BALL || steps[k].joint_class == CLASS_FREE;
    t->link[i] = (limb_draft_link){.place = sp_compose(place, sp_pose_make(A, sp_v3(0, 0, 0))), .main = -1};
    m->link[i] = (limb_link){.parent = parent,
                             .end = i + 1,
                             .dof = t->ncdof,
                             .q = m->joint[j].q + k,
                             .aux = is_aux ? t->naux++ : -1,
                             .root = parent < 0 ? t->nroot++ : -1,
                             .joint = j,
                             .joint_class = steps[k].joint_class,
                             .ndof = (uint8_t)(steps[k].joint_class == CLASS_FREE   ? 6
                                               : steps[k].joint_class == CLASS_BALL ? 3
                                                                                    : 1)};
    for (int c = 0; c < m->link[i].ndof; c++) {
      m->dof[t->ncdof++] = (limb_dof){m->joint[j].v + k + c, m->joint[j].multiplier};
    }
    parent = i;
    place = sp_pose_make(sp_transpose3(A), sp_v3(0, 0, 0)); // A_k^-1 comes before the next axis
  }
  t->body_in_draft[def->child] = place;
}

// Depth first with a stack of joints; a carrier's children are pushed in reverse, so the first is
// taken next.
static void append_links(limb_draft* t, limb_model* m)
{
  int top = 0, body = LIMB_WORLD_BODY;
  for (;;) {
    for (int k = t->child_start[body + 1] - 1; k >= t->child_start[body]; k--) {
      t->stack[top++] = t->child[k];
    }
    if (top == 0) return;
    const int j = t->stack[--top];
    const int carrier = t->carrier[t->b->joint[j].parent];
    const limb_joint* moving = carrier ? &m->joint[t->body_joint[carrier]] : NULL;
    append_joint(t, m, j, moving ? moving->link + moving->nlink - 1 : -1);
    body = t->b->joint[j].child;
  }
}

void limb_lower(limb_draft* t, limb_model* m)
{
  t->nlink = t->ncdof = t->naux = t->nroot = 0; // counted before, numbered now
  append_links(t, m);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const int p = m->link[i].parent;
    if (p < 0) continue;
    if (m->link[p].end < m->link[i].end) m->link[p].end = m->link[i].end;
    if (p == i - 1) {
      t->link[p].main = i;
    } else {
      m->link[i].last = !m->link[p].keep; // links are visited from the last on
      m->link[p].keep = 1;
    }
  }
}
