// Frames of an animation: thinned out evenly, at equal distances in time, refused when they make no sense;
// the shapes of robots of which the answer is known; planes and boxes.
#include "support/check.h"

#include "limb/limb.h"

#include <stdlib.h>
#include <string.h>

#include "draw/animation.c" // NOLINT(bugprone-suspicious-include)

// ---- instead of the files ----------------------------------------------------------------------------

static animation_track drawn; // the last one
static float copied[6 * 4096];

static void look(const animation_track* r)
{
  drawn = *r;
  const size_t n = 3 * (size_t)r->figure->points * (size_t)r->frames;
  memcpy(copied, r->at, (n < 6 * 4096 ? n : 6 * 4096) * sizeof *copied);
  drawn.at = copied;
}

void animation_write_svg(const animation_track* r, FILE* out) { (void)out, look(r); }
int animation_svg_frames(const draw_figure* f) { return f->points ? 100 : 0; }

// ---- robots ----------------------------------------------------------------------------------------

static int add(limb_builder* b, limb_joint_type type, int parent, sp_vec3 at, sp_vec3 axis)
{
  char name[20];
  int child = -1;
  (void)snprintf(name, sizeof name, "b%d_%d", parent, limb_builder_body_count(b));
  limb_body_def body = limb_default_body_def(name);
  body.inertia = limb_inertia_box(2, 0.1, 0.2, 0.3);
  body.inertia.com = sp_v3(0.25, 0, 0);
  assert_ok(limb_builder_add_body(b, &body, &child, NULL));
  limb_joint_def joint = limb_default_joint_def(name, type, parent, child);
  joint.placement.p = at;
  joint.axis = axis;
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  return child;
}

static limb_builder* begin(sp_vec3 gravity)
{
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  assert_ok(limb_builder_set_gravity(b, gravity));
  return b;
}

static limb_model* end(limb_builder* b)
{
  limb_model* m = NULL;
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  return m;
}

// One slide along x, so that a point of the figure moves as q does.
static limb_model* cart(void)
{
  limb_builder* b = begin(sp_v3(0, 0, -9.81));
  (void)add(b, LIMB_PRISMATIC, 0, sp_v3(0, 0, 0), sp_v3(1, 0, 0));
  return end(b);
}

static limb_model* two_joints(limb_joint_type first, sp_vec3 a, limb_joint_type second, sp_vec3 c)
{
  limb_builder* b = begin(sp_v3(0, 0, -9.81));
  (void)add(b, second, add(b, first, 0, sp_v3(0, 0, 0), a), sp_v3(0.5, 0, 0), c);
  return end(b);
}

static limb_animation_options with(int trace, double speed)
{
  limb_animation_options o = limb_default_animation();
  o.trace = trace, o.speed = speed;
  return o;
}

static limb_animation* open(const limb_model* m, const limb_animation_options* o)
{
  limb_animation* a = NULL;
  assert_ok(limb_animation_create(m, o, &a));
  return a;
}

// ---- frames ----------------------------------------------------------------------------------------

// 200000 states at uneven times; q = t^2, which is seen at every frame.
START_TEST(frames_are_even)
{
  limb_model* m = cart();
  limb_animation_options o = with(1, 1);
  o.rate = 1000;
  limb_animation* a = open(m, &o);
  double t = 0;
  for (int i = 0; i < 200000; i++) {
    t = 2.0 * (i + 0.4 * sin(i)) / 199999;
    const double q = t * t;
    assert_ok(limb_animation_add(a, t < 0 ? 0 : t, &q));
  }
  assert_that(limb_animation_count(a) > 1000 && limb_animation_count(a) <= 4096);
  for (int i = 1; i < a->count; i++) assert_that(a->time[i] - a->time[i - 1] < 4 * 2.0 / 4096);
  assert_ok(limb_animation_write(a, LIMB_PICTURE_SVG, stdout));
  assert_that(drawn.frames == 100 && drawn.space == 0);
  assert_close(drawn.length, t, 1e-12, 0);
  for (int k = 0; k < drawn.frames; k++) {
    const double at = t * k / (drawn.frames - 1);
    assert_close(track_at(&drawn, k, drawn.figure->trace).x, at * at, 0, 1e-5);
  }
  limb_animation_destroy(a);
  limb_model_destroy(m);
}
END_TEST

START_TEST(states_are_refused)
{
  limb_model* m = cart();
  limb_animation* a = open(m, NULL);
  const double good = 0.5, bad = nan(""), far = 1e200;
  assert_status(limb_animation_write(a, LIMB_PICTURE_SVG, stdout), LIMB_E_ARG); // nothing yet
  assert_ok(limb_animation_add(a, 1, &good));
  assert_status(limb_animation_add(a, 2, &bad), LIMB_E_NONFINITE);
  assert_status(limb_animation_add(a, 2, &far), LIMB_E_NONFINITE);
  assert_status(limb_animation_add(a, HUGE_VAL, &good), LIMB_E_NONFINITE);
  assert_status(limb_animation_add(a, nan(""), &good), LIMB_E_NONFINITE);
  assert_status(limb_animation_add(a, 0.5, &good), LIMB_E_ARG); // time goes on
  assert_status(limb_animation_add(NULL, 0.5, &good), LIMB_E_ARG);
  assert_status(limb_animation_add(a, 3, NULL), LIMB_E_ARG);
  assert_that(limb_animation_count(a) == 1);
  assert_status(limb_animation_write(a, LIMB_PICTURE_NONE, stdout), LIMB_E_ARG);
  assert_ok(limb_animation_write(a, LIMB_PICTURE_SVG, stdout));
  assert_that(drawn.frames == 1 && drawn.length == 0 && drawn.speed == 1);
  assert_that(drawn.span[0] > 0 && drawn.span[1] > 0);
  limb_animation_destroy(a);
  a = NULL;
  limb_animation_options o = with(99, 0);
  assert_status(limb_animation_create(m, &o, &a), LIMB_E_ARG);
  o = with(1, nan(""));
  assert_status(limb_animation_create(m, &o, &a), LIMB_E_ARG);
  o = with(1, 0), o.width = -1;
  assert_status(limb_animation_create(m, &o, &a), LIMB_E_ARG);
  o.width = 0, o.size = 3;
  assert_status(limb_animation_create(m, &o, &a), LIMB_E_ARG);
  assert_status(limb_animation_create(NULL, NULL, &a), LIMB_E_ARG);
  assert_status(limb_animation_create(m, NULL, NULL), LIMB_E_ARG);
  assert_that(a == NULL);
  limb_model_destroy(m);
}
END_TEST

// A state at the time of the one before takes its place: jumps at events.
START_TEST(same_time_replaces)
{
  limb_model* m = cart();
  const limb_animation_options o = with(1, 0);
  limb_animation* a = open(m, &o);
  for (int i = 0; i < 4; i++) {
    const double q = i;
    assert_ok(limb_animation_add(a, i < 3 ? i : 2, &q));
  }
  assert_that(limb_animation_count(a) == 3);
  assert_ok(limb_animation_write(a, LIMB_PICTURE_SVG, stdout));
  assert_that(drawn.frames == 3);
  assert_close(track_at(&drawn, 2, drawn.figure->trace).x, 3, 1e-6, 0);
  limb_animation_destroy(a);
  limb_model_destroy(m);
}
END_TEST

START_TEST(speed_is_chosen)
{
  static const double length[] = {0.01, 1, 5, 29, 1000, 5}, speed[] = {0.002, 0.2, 1, 1, 100, 7};
  limb_model* m = cart();
  for (int k = 0; k < 6; k++) {
    limb_animation_options o = with(LIMB_TRACE_NONE, k == 5 ? 7 : 0);
    o.frames = 50;
    const double q = 0;
    limb_animation* a = open(m, &o);
    for (int i = 0; i <= 90; i++) assert_ok(limb_animation_add(a, 7 + length[k] * i / 90, &q));
    assert_ok(limb_animation_write(a, LIMB_PICTURE_SVG, stdout));
    check_at("length %g", length[k]);
    assert_close(drawn.speed, speed[k], 1e-9, 0);
    assert_that(drawn.frames == (k == 5 ? 23 : 50) && drawn.first == 7);
    limb_animation_destroy(a);
  }
  limb_model_destroy(m);
}
END_TEST

// ---- planes ----------------------------------------------------------------------------------------

typedef struct plane {
  limb_joint_type first, second;
  sp_vec3 a, c;
  int planar;
  sp_vec3 normal, up; // of the picture; of those in space: up
} plane;

static const plane planes[] = {
  {LIMB_REVOLUTE, LIMB_REVOLUTE, {0, 0, 1}, {0, 0, -1}, 1, {0, 0, 1}, {0, 1, 0}},
  {LIMB_REVOLUTE, LIMB_REVOLUTE, {0, 1, 0}, {0, 1, 0}, 1, {0, -1, 0}, {0, 0, 1}},
  {LIMB_REVOLUTE, LIMB_REVOLUTE, {-1, 0, 0}, {1, 0, 0}, 1, {1, 0, 0}, {0, 0, 1}},
  {LIMB_REVOLUTE, LIMB_REVOLUTE, {0, 1, 0}, {0, 0, 1}, 0, {0, 0, 1}, {0, 1, 0}},
  {LIMB_PRISMATIC, LIMB_REVOLUTE, {1, 0, 0}, {0, 1, 0}, 1, {0, -1, 0}, {0, 0, 1}},
  {LIMB_PRISMATIC, LIMB_REVOLUTE, {0, 1, 0}, {0, 1, 0}, 0, {0, 0, 1}, {0, 1, 0}},
  {LIMB_PRISMATIC, LIMB_PRISMATIC, {1, 0, 0}, {0, 1, 0}, 1, {0, 0, 1}, {0, 1, 0}},
  {LIMB_PRISMATIC, LIMB_PRISMATIC, {1, 0, 0}, {1, 0, 0}, 1, {0, -1, 0}, {0, 0, 1}},
  {LIMB_PRISMATIC, LIMB_PRISMATIC, {0, 0, 1}, {0, 0, 1}, 1, {0, -1, 0}, {0, 0, 1}},
  {LIMB_PLANAR, LIMB_REVOLUTE, {0, 0, 1}, {0, 0, 1}, 1, {0, 0, 1}, {0, 1, 0}},
  {LIMB_REVOLUTE, LIMB_SPHERICAL, {0, 0, 1}, {0, 0, 1}, 0, {0, 0, 1}, {0, 1, 0}},
  {LIMB_REVOLUTE, LIMB_CYLINDRICAL, {0, 0, 1}, {0, 0, 1}, 0, {0, 0, 1}, {0, 1, 0}},
};

enum { PLANES = sizeof planes / sizeof *planes };

START_TEST(planes_are_found)
{
  for (int k = 0; k < PLANES; k++) {
    const plane* p = &planes[k];
    limb_model* m = two_joints(p->first, p->a, p->second, p->c);
    limb_animation* a = open(m, NULL);
    double q[10] = {0};
    check_at("plane %d", k);
    assert_ok(limb_neutral(m, q));
    assert_ok(limb_animation_add(a, 0, q));
    assert_ok(limb_animation_write(a, LIMB_PICTURE_SVG, stdout));
    assert_that(drawn.space == !p->planar);
    assert_close_vec3(drawn.axis[2], p->normal, 0, 1e-12);
    assert_close_vec3(drawn.axis[1], p->up, 0, 1e-12);
    assert_close_vec3(drawn.axis[0], sp_cross3(p->up, p->normal), 0, 1e-12);
    limb_animation_destroy(a);
    limb_model_destroy(m);
  }
}
END_TEST

// ---- shapes ----------------------------------------------------------------------------------------

START_TEST(boxes_of_inertias)
{
  const sp_pose X = sp_pose_make(sp_rot_rpy(0.3, -0.8, 1.1), sp_v3(1, 2, 3));
  const sp_inertia box = limb_inertia_move(X, limb_inertia_box(3, 0.2, 0.5, 0.9));
  sp_vec3 half[3];
  double sum = 0;
  assert_that(figure_inertia_box(&box, half));
  for (int k = 0; k < 3; k++) sum += sp_norm3(half[k]);
  assert_close(sum, 0.8, 1e-9, 0);
  assert_close(fabs(sp_dot3(half[0], sp_cross3(half[1], half[2]))), 0.2 * 0.5 * 0.9 / 8, 1e-9, 0);
  assert_that(!figure_inertia_box(&(sp_inertia){.mass = 1}, half));
  assert_that(!figure_inertia_box(&(sp_inertia){0}, half));
}
END_TEST

static int shapes_of(const draw_figure* f, figure_kind kind)
{
  int n = 0;
  for (int k = 0; k < f->shapes; k++) n += f->shape[k].kind == kind;
  return n;
}

// A free body that three arms hold on to: a plate of three corners, three ends, no ground.
START_TEST(plates_and_ends)
{
  limb_builder* b = begin(sp_v3(0, 0, 0));
  const int base = add(b, LIMB_FREE, 0, sp_v3(0, 0, 0), sp_v3(0, 0, 1));
  for (int k = 0; k < 3; k++) (void)add(b, LIMB_REVOLUTE, base, sp_v3(k == 1, k == 2, 0), sp_v3(0, 0, 1));
  limb_model* m = end(b);
  limb_animation* a = open(m, NULL);
  const draw_figure* f = &a->figure;
  assert_that(shapes_of(f, FIGURE_PLATE) == 1 && shapes_of(f, FIGURE_LINK) == 3);
  assert_that(shapes_of(f, FIGURE_MOTOR) == 3 && shapes_of(f, FIGURE_PIN) == 0);
  assert_that(shapes_of(f, FIGURE_GROUND) == 0 && shapes_of(f, FIGURE_BOX) == 0);
  assert_that(!f->planar && !f->has_floor && f->point[f->trace].body == base);
  limb_animation_destroy(a);
  limb_model_destroy(m);
}
END_TEST

// The same trunk fixed to the world, by a body between: the plate stays, and stands on a pedestal.
START_TEST(fixed_trunks)
{
  limb_builder* b = begin(sp_v3(0, 0, -9.81));
  const int stand = add(b, LIMB_FIXED, 0, sp_v3(0, 0, 0.4), sp_v3(0, 0, 1));
  const int trunk = add(b, LIMB_FIXED, stand, sp_v3(0, 0, 0.1), sp_v3(0, 0, 1));
  const sp_vec3 axes[] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
  for (int k = 0; k < 3; k++) (void)add(b, LIMB_REVOLUTE, trunk, sp_v3(k == 1, k == 2, 0), axes[k]);
  limb_model* m = end(b);
  limb_animation* a = open(m, NULL);
  const draw_figure* f = &a->figure;
  assert_that(!f->planar && shapes_of(f, FIGURE_PLATE) == 1);
  assert_that(shapes_of(f, FIGURE_GROUND) == 1 && shapes_of(f, FIGURE_PEDESTAL) == 1);
  assert_that(shapes_of(f, FIGURE_MOTOR) == 3);
  limb_animation_destroy(a);
  limb_model_destroy(m);
}
END_TEST

START_TEST(names_of_files)
{
  assert_that(limb_picture_of("a.svg") == LIMB_PICTURE_SVG);
  assert_that(limb_picture_of("dir.x/a.html") == LIMB_PICTURE_HTML);
  assert_that(limb_picture_of("a.htm") == LIMB_PICTURE_HTML);
  assert_that(limb_picture_of(".svg") == LIMB_PICTURE_NONE && !limb_picture_of("a.gif"));
  assert_that(!limb_picture_of("-") && !limb_picture_of(""));
}
END_TEST

CHECK_MAIN("animation", 1, frames_are_even, states_are_refused, same_time_replaces, speed_is_chosen, planes_are_found,
           boxes_of_inertias, plates_and_ends, fixed_trunks, names_of_files)
