// Parts of a stick figure: joints, closures of loops, bodies, the world; the plane of motion; boxes of inertias.
#include "draw/figure.h"

static void add_line(figure_maker* k, figure_kind kind, int in_group, int from, int to)
{
  figure_add_shape(k, kind, in_group, 2, (const int[]){from, to});
}

// ---- joints ----------------------------------------------------------------------------------------

int figure_moves_a_base(limb_joint_type type) { return type == LIMB_FREE || type == LIMB_PLANAR; }

static int is_slide(limb_joint_type type)
{
  return type == LIMB_PRISMATIC || type == LIMB_CYLINDRICAL || type == LIMB_HELICAL;
}

// A slide: a rod through a sleeve at the joint. On the world it is a guide, on which a block rides.
static void add_slide(figure_maker* k, const limb_joint_def* d)
{
  const int parent = k->of[d->parent], at = figure_add_point(k, d->parent, d->placement.p);
  const double half = 0.03 * k->f->size;
  k->group[parent].slides = k->group[d->child].slides = 1;
  if (parent == 0) {
    const sp_vec3 along = sp_mulv(d->placement.R, d->axis);
    const int on = figure_add_point(k, d->parent, sp_add3(d->placement.p, sp_scale3(half, along)));
    figure_add_shape(k, FIGURE_GUIDE, 0, 3, (const int[]){at, on, figure_origin(k, d->child)});
  } else {
    figure_attach(k, parent, at);
    add_line(k, FIGURE_ROD, d->child, at, figure_origin(k, d->child));
  }
  const int on = parent == 0 ? d->child : d->parent;
  const sp_vec3 axis = parent == 0 ? d->axis : sp_mulv(d->placement.R, d->axis);
  const sp_vec3 centre = parent == 0 ? sp_v3(0, 0, 0) : d->placement.p;
  add_line(k, FIGURE_BLOCK, d->child, figure_add_point(k, on, sp_sub3(centre, sp_scale3(half, axis))),
           figure_add_point(k, on, sp_add3(centre, sp_scale3(half, axis))));
}

void figure_add_joint(figure_maker* k, int joint)
{
  limb_joint_info info;
  if (limb_get_joint(k->m, joint, &info) != LIMB_OK || info.def.type == LIMB_FIXED) return;
  const limb_joint_def* d = &info.def;
  const int parent = k->of[d->parent], child = d->child;
  if (k->is_motor[joint]) {
    k->group[child].drawn = 1;
    return;
  }
  const int origin = figure_origin(k, child);
  k->group[child].type = d->type;
  k->group[child].own = figure_moves_a_base(d->type) ? -1 : origin;
  if (figure_moves_a_base(d->type)) return;
  figure_attach(k, child, origin);
  if (is_slide(d->type)) {
    add_slide(k, d);
    return;
  }
  figure_attach(k, parent, origin);
  figure_add_shape(k, info.passive && info.shaft < 0 ? FIGURE_PIN : FIGURE_MOTOR, child, 1, &origin);
}

// ---- loops -----------------------------------------------------------------------------------------

static sp_vec3 column(const sp_mat3* R, int j) { return sp_v3(R->m[j], R->m[3 + j], R->m[6 + j]); }

static void add_wheel(figure_maker* k, const limb_loop_def* d)
{
  const sp_pose* b = &d->pose_b;
  const int in_group = k->of[d->body_b];
  const int points[] = {figure_add_point(k, d->body_b, b->p),
                        figure_add_point(k, d->body_b, sp_add3(b->p, sp_scale3(d->radius, column(&b->R, 0)))),
                        figure_add_point(k, d->body_b, sp_add3(b->p, sp_scale3(d->radius, column(&b->R, 1))))};
  figure_add_shape(k, FIGURE_DISC, in_group, 3, points);
  k->group[in_group].drawn = 1;
}

static void add_blade(figure_maker* k, const limb_loop_def* d)
{
  const sp_vec3 x = sp_scale3(0.2 * k->f->size, column(&d->pose_b.R, 0));
  add_line(k, FIGURE_BLADE, k->of[d->body_b], figure_add_point(k, d->body_b, sp_sub3(d->pose_b.p, x)),
           figure_add_point(k, d->body_b, sp_add3(d->pose_b.p, x)));
}

void figure_add_loop(figure_maker* k, int loop)
{
  limb_loop_info info;
  if (limb_get_loop(k->m, loop, &info) != LIMB_OK) return;
  const limb_loop_def* d = &info.def;
  if (d->kind == LIMB_LOOP_GEAR || d->kind == LIMB_LOOP_POLYNOMIAL) return;
  if (d->kind == LIMB_LOOP_WHEEL || d->kind == LIMB_LOOP_ROLLING_DISC) {
    add_wheel(k, d);
    return;
  }
  if (d->kind == LIMB_LOOP_KNIFE_EDGE) {
    add_blade(k, d);
    return;
  }
  const int a = figure_add_point(k, d->body_a, d->pose_a.p), b = figure_add_point(k, d->body_b, d->pose_b.p);
  const int on_plane = d->kind == LIMB_LOOP_PLANAR || d->kind == LIMB_LOOP_POINT_ON_PLANE;
  if (!on_plane) figure_attach(k, k->of[d->body_a], a);
  figure_attach(k, k->of[d->body_b], b);
  if (d->kind == LIMB_LOOP_DISTANCE) {
    add_line(k, FIGURE_TIE, k->of[d->body_b], a, b);
    if (!k->failed) figure_add_shape(k, FIGURE_CLOSURE, k->of[d->body_a], 1, &a);
  }
  if (!k->failed) figure_add_shape(k, FIGURE_CLOSURE, k->of[d->body_b], 1, &b);
}

// ---- bodies ----------------------------------------------------------------------------------------

// Sorts attachments in a plane around their centre; 0 if they are not in a plane, or on a line.
static int go_around(const figure_maker* k, int count, int* points)
{
  sp_vec3 centre = {0, 0, 0}, normal = {0, 0, 0}, at[FIGURE_CORNERS];
  double angle[FIGURE_CORNERS], radius = 0;
  for (int i = 0; i < count; i++) {
    at[i] = figure_world(k, points[i]);
    centre = sp_add3(centre, sp_scale3(1.0 / count, at[i]));
  }
  for (int i = 0; i < count; i++) {
    at[i] = sp_sub3(at[i], centre);
    radius = fmax(radius, sp_norm3(at[i]));
  }
  const sp_vec3 u = at[0];
  for (int i = 1; i < count; i++) {
    const sp_vec3 n = sp_cross3(u, at[i]);
    if (sp_norm3(n) > sp_norm3(normal)) normal = n;
  }
  if (sp_norm3(normal) < 1e-3 * radius * radius) return 0;
  normal = sp_scale3(1 / sp_norm3(normal), normal);
  for (int i = 0; i < count; i++) {
    if (fabs(sp_dot3(normal, at[i])) > 0.15 * radius) return 0;
    angle[i] = atan2(sp_dot3(normal, sp_cross3(u, at[i])), sp_dot3(u, at[i]));
  }
  for (int i = 1; i < count; i++) {
    for (int j = i; j > 0 && angle[j] < angle[j - 1]; j--) {
      const double turn = angle[j];
      const int point = points[j];
      angle[j] = angle[j - 1], points[j] = points[j - 1];
      angle[j - 1] = turn, points[j - 1] = point;
    }
  }
  return 1;
}

// Lines from the joint, or from an attachment of a moving base, to all other attachments.
static void add_star(figure_maker* k, int in_group)
{
  const figure_group* g = &k->group[in_group];
  const int centre = g->own >= 0 ? g->own : k->attachment[g->head];
  for (int at = g->head; at >= 0; at = k->next[at])
    if (k->attachment[at] != centre) add_line(k, FIGURE_LINK, in_group, centre, k->attachment[at]);
}

static void add_box(figure_maker* k, int in_group)
{
  const sp_inertia* Y = &k->group[in_group].inertia;
  sp_vec3 half[3];
  int points[4];
  if (!figure_inertia_box(Y, half)) return;
  points[0] = figure_add_point(k, in_group, Y->com);
  for (int i = 0; i < 3; i++) points[i + 1] = figure_add_point(k, in_group, sp_add3(Y->com, half[i]));
  figure_add_shape(k, FIGURE_BOX, in_group, 4, points);
  k->group[in_group].drawn = 1;
}

// The last body of a chain: to its tool, else twice as far as its centre of mass.
static void add_end(figure_maker* k, int in_group)
{
  figure_group* g = &k->group[in_group];
  const double reach = sp_norm3(g->inertia.com);
  if (g->own < 0 || (g->drawn && g->tool < 0)) return;
  int end = g->tool;
  if (end < 0 && g->inertia.mass > 0 && reach > 1e-4 * k->f->size)
    end = figure_add_point(k, in_group, sp_scale3(2, g->inertia.com));
  if (end < 0) return;
  g->tool = end;
  add_line(k, FIGURE_LINK, in_group, g->own, end);
}

void figure_add_group(figure_maker* k, int in_group)
{
  figure_group* g = &k->group[in_group];
  int points[FIGURE_CORNERS], count = 0, more = 0;
  for (int at = g->head; at >= 0; at = k->next[at]) {
    more = count == FIGURE_CORNERS;
    if (!more) points[count++] = k->attachment[at];
  }
  if (count >= 3 && !more && go_around(k, count, points)) {
    figure_add_shape(k, FIGURE_PLATE, in_group, count, points);
    g->drawn = 1;
  } else if (count >= 2) {
    add_star(k, in_group);
  }
  const int on_world = g->type == LIMB_PRISMATIC && g->own >= 0;
  limb_body_info body;
  if (limb_get_body(k->m, in_group, &body) != LIMB_OK) return;
  if (!g->drawn && (g->own < 0 || (on_world && k->of[body.parent] == 0))) add_box(k, in_group);
  if (count <= 1 && (g->held <= 1 || g->slides)) add_end(k, in_group);
}

// Attachments of the world: supports, dashed lines between them, and pedestals below those high up.
void figure_add_world(figure_maker* k)
{
  const figure_group* g = &k->group[0];
  int last = -1;
  for (int at = g->head; at >= 0 && !k->failed; at = k->next[at]) {
    const int point = k->attachment[at];
    const sp_vec3 p = figure_world(k, point), up = k->f->up;
    const double height = sp_dot3(p, up);
    int stands = point;
    if (!k->f->planar && k->f->has_floor && height > 0.02 * k->f->size) {
      stands = figure_add_point(k, 0, sp_sub3(p, sp_scale3(height, up)));
      add_line(k, FIGURE_PEDESTAL, 0, stands, point);
    }
    figure_add_shape(k, FIGURE_GROUND, 0, 1, &stands);
    if (last >= 0 && k->f->planar) add_line(k, FIGURE_FRAME, 0, last, point);
    last = point;
  }
}

// ---- the plane of motion ---------------------------------------------------------------------------

static const sp_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// The axis of the world, with its sign, that is nearest to a direction.
static sp_vec3 nearest_axis(sp_vec3 d)
{
  sp_vec3 best = unit[2];
  for (int k = 0; k < 6; k++) {
    const sp_vec3 axis = sp_scale3(k < 3 ? 1 : -1, unit[k % 3]);
    if (sp_dot3(axis, d) > sp_dot3(best, d)) best = axis;
  }
  return best;
}

// Directions of the joints: the one about which all turn, and up to two along which bodies slide.
typedef struct directions {
  int turns, slides;
  sp_vec3 turn, slide[2];
  int spatial; // no plane can hold the motion
} directions;

static int parallel(sp_vec3 a, sp_vec3 b) { return sp_norm3(sp_cross3(a, b)) < 1e-6; }

static void note_turn(directions* d, sp_vec3 axis)
{
  if (d->turns && !parallel(d->turn, axis)) d->spatial = 1;
  d->turn = axis;
  d->turns = 1;
}

static void note_slide(directions* d, sp_vec3 axis)
{
  for (int k = 0; k < d->slides; k++)
    if (parallel(d->slide[k], axis)) return;
  if (d->slides < 2)
    d->slide[d->slides++] = axis;
  else if (fabs(sp_dot3(sp_cross3(d->slide[0], d->slide[1]), axis)) > 1e-6)
    d->spatial = 1;
}

static void note_joint(directions* d, const limb_joint_def* joint, const sp_pose* poses)
{
  const sp_mat3 R = sp_mul3(poses[joint->parent].R, joint->placement.R);
  const sp_vec3 axis = sp_mulv(R, joint->axis);
  if (joint->type == LIMB_REVOLUTE || joint->type == LIMB_PLANAR)
    note_turn(d, axis);
  else if (joint->type == LIMB_PRISMATIC)
    note_slide(d, axis);
  else if (joint->type != LIMB_FIXED)
    d->spatial = 1;
}

// A normal of the plane, if there is one. With slides alone, the upright plane is chosen.
static int find_normal(const directions* d, sp_vec3 up, sp_vec3* normal)
{
  if (d->spatial || (!d->turns && d->slides == 0)) return 0;
  if (d->turns) {
    *normal = d->turn;
  } else if (d->slides == 2) {
    *normal = sp_cross3(d->slide[0], d->slide[1]);
  } else {
    *normal = sp_cross3(d->slide[0], up);
    if (sp_norm3(*normal) < 1e-3) *normal = sp_cross3(d->slide[0], nearest_axis(d->slide[0]));
    if (sp_norm3(*normal) < 1e-3) *normal = parallel(d->slide[0], unit[1]) ? unit[0] : unit[1];
  }
  *normal = sp_scale3(1 / sp_norm3(*normal), *normal);
  for (int k = 0; k < d->slides; k++)
    if (fabs(sp_dot3(*normal, d->slide[k])) > 1e-6) return 0;
  return 1;
}

void figure_find_view(draw_figure* f, const limb_model* m, const sp_pose* poses)
{
  directions d = {0};
  const sp_vec3 g = limb_model_gravity(m);
  f->has_floor = sp_norm3(g) > 0;
  f->up = f->has_floor ? nearest_axis(sp_scale3(-1, g)) : unit[2];
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    if (limb_get_joint(m, j, &info) == LIMB_OK) note_joint(&d, &info.def, poses);
  }
  f->planar = find_normal(&d, f->up, &f->normal);
  if (!f->planar) f->normal = sp_v3(0, 0, 0);
  // From above, from the front (x to the right, z up), from the right: whichever side it is.
  const sp_vec3 n = f->normal;
  const int turned = fabs(n.z) > 0.1 ? n.z < 0 : fabs(n.y) > 0.1 ? n.y > 0 : n.x < 0;
  if (turned) f->normal = sp_scale3(-1, n);
}

// ---- boxes -----------------------------------------------------------------------------------------

int figure_inertia_box(const sp_inertia* inertia, sp_vec3 half[3])
{
  double I[3];
  sp_mat3 axes;
  int extended = 0;
  limb_inertia_principal(inertia, I, &axes);
  for (int i = 0; i < 3; i++) {
    // I_j + I_k - I_i = m l_i^2 / 6
    const double square = 6 * (I[0] + I[1] + I[2] - 2 * I[i]) / inertia->mass;
    const double length = inertia->mass > 0 && square > 0 ? sqrt(square) : 0;
    half[i] = sp_scale3(length / 2, column(&axes, i));
    extended += length > 0;
  }
  return extended >= 2;
}
