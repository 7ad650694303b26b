// Parts of a stick figure: joints, closures of loops, bodies between what holds them, the world.
#include "figure_parts.h"

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

// Places in a plane, in the order in which one goes around them; 0 when they are not in one, or on a line.
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

// Lines from the joint, or from some place of a moving base, to all other places.
static void add_star(figure_maker* k, int in_group)
{
  const figure_group* g = &k->group[in_group];
  const int centre = g->own >= 0 ? g->own : k->place[g->head];
  for (int at = g->head; at >= 0; at = k->next[at])
    if (k->place[at] != centre) add_line(k, FIGURE_LINK, in_group, centre, k->place[at]);
}

static void add_box(figure_maker* k, int in_group)
{
  const sp_inertia* Y = &k->group[in_group].inertia;
  sp_vec3 half[3];
  int points[4];
  if (!cli_inertia_box(Y, half)) return;
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
    if (!more) points[count++] = k->place[at];
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

// Where the world holds the robot: marks, dashed lines between them, and pedestals below what is high up.
void figure_add_world(figure_maker* k)
{
  const figure_group* g = &k->group[0];
  int last = -1;
  for (int at = g->head; at >= 0 && !k->failed; at = k->next[at]) {
    const int point = k->place[at];
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
