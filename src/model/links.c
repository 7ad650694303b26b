// Second and third step of compiling: links in depth-first order, one elementary joint each; their frames and joint
// classes.
//
// A compound joint becomes a chain of one-dof joints with massless links between them. Each axis is
// put on z of a draft frame: joint(q) = A1 e1(q1) A1^-1 A2 e2(q2) A2^-1 ..., with A_k turning z onto
// the k-th axis.
//
// A one-dof joint leaves its link frame free to turn about and slide along its axis. Following
// Khalil (2010, section 2.1) x is laid on the common normal to the next axis, which leaves two of
// six placement numbers at zero, and twists of 0 and 90 degrees become permutations. Where the common
// normal is ill-defined (nearly parallel axes) or belongs to another child, the general classes serve.
// Nothing is rounded away but what rounding put there: a twist counts as square within 4e-15.

#include "model/compile_impl.h"

// ---- elementary joints --------------------------------------------------------------------------------------

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

sp_mat3 limb_rotation_onto(sp_vec3 n)
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
  return has_axis ? limb_rotation_onto(step->axis) : sp_identity3();
}

// Appends the links of joint j, whose parent body is carried by `parent` (a link, or -1).
static void append_joint(limb_draft* t, limb_model* m, int j, int parent)
{
  const limb_joint_def* def = &t->b->joint[j];
  limb_step steps[MAX_STEPS];
  const int n = limb_joint_steps(def, steps);
  const int carrier = t->carrier[def->parent];
  // joint frame in the draft frame of the carrier's link (or in the world)
  sp_pose joint_frame = sp_compose(t->in_carrier[def->parent], def->placement);
  if (parent >= 0) joint_frame = sp_compose(t->body_in_draft[carrier], joint_frame);

  m->joint[j].link = t->nlink;
  m->joint[j].nlink = n;
  for (int k = 0; k < n; k++) {
    const int i = t->nlink++;
    const sp_mat3 A = axis_frame(&steps[k]);
    const bool is_aux = steps[k].joint_class == CLASS_BALL || steps[k].joint_class == CLASS_FREE;
    t->link[i] = (limb_draft_link){.joint_frame = sp_compose(joint_frame, sp_pose_make(A, sp_v3(0, 0, 0))), .main = -1};
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
    joint_frame = sp_pose_make(sp_transpose3(A), sp_v3(0, 0, 0)); // A_k^-1 comes before the next axis
  }
  t->body_in_draft[def->child] = joint_frame;
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

// ---- link frames --------------------------------------------------------------------------------------------

static const double WELL_CROSSED = 0.1;      // smallest sine of a twist whose common normal is used
static const double OFFSET_ROUNDING = 4e-15; // offsets below this share of the distances are zero

static sp_vec3 column_z(sp_mat3 R) { return sp_v3(R.m[2], R.m[5], R.m[8]); }

// Z(angle, slide): turn about z and move along it.
static sp_pose screw_z(double angle, double slide)
{
  const double c = cos(angle), s = sin(angle);
  return sp_pose_make((sp_mat3){{c, -s, 0, s, c, 0, 0, 0, 1}}, sp_v3(0, 0, slide));
}

static bool has_axis(const limb_link* link) { return link->joint_class < CLASS_BALL; }

// Frame of link i from the axis of its main child (direction w through point p, both in the draft
// frame, where the own axis is z through the origin).
static void choose_frame(limb_draft* t, const limb_model* m, int i)
{
  limb_draft_link* own = &t->link[i];
  own->phi = 0;
  own->slide = m->link[i].parent >= 0 ? own->foot : 0;
  if (own->main < 0 || !has_axis(&m->link[own->main])) return;

  limb_draft_link* child = &t->link[own->main];
  const sp_vec3 w = column_z(child->joint_frame.R), p = child->joint_frame.p;
  const double sine = hypot(w.x, w.y);
  if (sine >= WELL_CROSSED) {
    // nearest points: slide z on this axis, p + s w on the other
    const double pw = sp_dot3(p, w), cosine = w.z;
    own->phi = atan2(w.x, -w.y); // x along z x w up to sign: twist in (0, pi)
    own->slide = (p.z - cosine * pw) / (sine * sine);
    child->foot = (cosine * p.z - pw) / (sine * sine);
  } else if (sine < LIMB_SQUARE) {
    if (hypot(p.x, p.y) > 0) own->phi = atan2(p.y, p.x);
    child->foot = w.z > 0 ? own->slide - p.z : p.z - own->slide;
  }
}

// T = X(alpha, a) Z(theta0, d)? Then the link is a ROT with its class.
static bool try_rot(limb_link* link, limb_link_f64* k, const sp_pose* T, double reach)
{
  const sp_vec3 z = column_z(T->R), p = T->p;
  if (fabs(z.x) > LIMB_SQUARE) return false;
  double ca = z.z, sa = -z.y;
  const bool parallel = fabs(sa) < LIMB_SQUARE && ca > 0, crossed = fabs(ca) < LIMB_SQUARE;
  if (parallel) ca = 1, sa = 0;
  if (crossed) ca = 0, sa = sa > 0 ? 1 : -1;
  const double tiny = OFFSET_ROUNDING * reach;
  if (fabs(ca * p.y + sa * p.z) > tiny) return false;
  k->ca = ca, k->sa = sa;
  k->a = fabs(p.x) > tiny ? p.x : 0;
  k->d = ca * p.z - sa * p.y;
  if (fabs(k->d) <= tiny) k->d = 0;
  k->px = k->a, k->py = -k->d * sa, k->pz = k->d * ca;
  k->off = atan2(-T->R.m[1], T->R.m[0]);
  const bool square = parallel || (crossed && sa > 0);
  link->joint_class = (uint8_t)(square ? CLASS_ROT + crossed * 4 + (k->a != 0) * 2 + (k->d != 0) : CLASS_ROT_TWIST);
  return true;
}

// T = p Z(gamma) X(alpha) Z(theta0), always possible.
static double set_general(limb_link_f64* k, const sp_pose* T)
{
  const sp_vec3 z = column_z(T->R);
  const double sa = hypot(z.x, z.y);
  k->cg = 1, k->sg = 0, k->ca = z.z < 0 ? -1 : 1, k->sa = 0;
  if (sa >= LIMB_SQUARE) k->cg = -z.y / sa, k->sg = z.x / sa, k->ca = z.z, k->sa = sa;
  k->px = T->p.x, k->py = T->p.y, k->pz = T->p.z;
  // first column of Rz(theta0) = Rx(-alpha) Rz(-gamma) T.R
  const double x = k->cg * T->R.m[0] + k->sg * T->R.m[3];
  const double y = k->cg * T->R.m[3] - k->sg * T->R.m[0];
  return atan2(k->ca * y + k->sa * T->R.m[6], x);
}

// Shape and constants of link i from the pose T of its frame in the parent's at q = 0.
static void set_shape(limb_model* m, int i, const sp_pose* T, double reach)
{
  limb_link* link = &m->link[i];
  limb_link_f64* k = &m->k64[i];
  if (!has_axis(link)) {
    m->aux_pose[link->aux] = *T;
    return;
  }
  if (link->joint_class == CLASS_ROT && try_rot(link, k, T, reach)) return;
  const double theta0 = set_general(k, T);
  if (link->joint_class == CLASS_TRANS) {
    k->ct = cos(theta0), k->st = sin(theta0);
    return;
  }
  k->off = theta0;
  if (link->joint_class == CLASS_ROT) {
    link->joint_class = CLASS_ROT_ANY;
    return;
  }
  // SCREW: the kernels advance by pitch theta, the joint by pitch (theta - theta0)
  k->px -= k->pitch * theta0 * k->sg * k->sa;
  k->py += k->pitch * theta0 * k->cg * k->sa;
  k->pz -= k->pitch * theta0 * k->ca;
}

void limb_reframe(limb_draft* t, limb_model* m)
{
  for (int i = 0; i < m->nlink; i++) {
    limb_link* link = &m->link[i];
    limb_draft_link* own = &t->link[i];
    const limb_joint* joint = &m->joint[link->joint];
    m->k64[i] = (limb_link_f64){.ca = 1, .cg = 1, .ct = 1, .mult = joint->multiplier};
    if (link->joint_class == CLASS_SCREW) m->k64[i].pitch = joint->def.pitch;
    if (has_axis(link)) choose_frame(t, m, i);

    const sp_pose shift = screw_z(own->phi, own->slide);
    if (link->parent < 0) { // the base frame takes everything but the joint
      m->base[link->root] = sp_compose(own->joint_frame, shift);
      const sp_pose none = sp_pose_identity();
      set_shape(m, i, &none, 0);
    } else {
      const limb_draft_link* parent = &t->link[link->parent];
      const sp_pose back = sp_invert(screw_z(parent->phi, parent->slide));
      const sp_pose T = sp_compose(sp_compose(back, own->joint_frame), shift);
      const double reach = sp_norm3(own->joint_frame.p) + fabs(parent->slide) + fabs(own->slide);
      set_shape(m, i, &T, reach);
    }
    m->k64[i].off += joint->offset;
  }
  for (int b = 0; b < m->nbody; b++) { // pose of every body in its link
    limb_body* body = &m->body[b];
    const int carrier = t->carrier[b];
    body->carrier = carrier;
    body->in_link = t->in_carrier[b];
    body->link = -1;
    if (carrier == LIMB_WORLD_BODY) continue;
    const limb_joint* joint = &m->joint[t->body_joint[carrier]];
    body->link = joint->link + joint->nlink - 1;
    const limb_draft_link* link = &t->link[body->link];
    const sp_pose in_draft = sp_compose(t->body_in_draft[carrier], t->in_carrier[b]);
    body->in_link = sp_compose(sp_invert(screw_z(link->phi, link->slide)), in_draft);
  }
  for (int b = 0; b < m->nbody; b++) m->body[b].parameters = m->body[b].carrier;
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint_def* def = &m->joint[j].def;
    limb_body* axis = &m->body[def->parent];
    if (axis->parameters == def->parent && limb_joint_is_auxiliary(m, j)) axis->parameters = def->child;
  }
}
