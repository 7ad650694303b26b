// limb YAML with joints placed by modified Denavit-Hartenberg rows, or by screws and homes. Numbers are computed from
// poses: what is within rounding of a short number, or of a simple fraction of pi, is written as that.
//
//   row    placement = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r),  the joint about or along z
//   screw  S = Ad(home of the joint frame) s,  s = (axis; pitch axis) or (0; axis)
//   home   M_child = M_parent placement offset
#include "base/memory.h"
#include "io/file_text.h"
#include "io/geometry.h"
#include "io/reading.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct limb_homes {
  sp_pose* home;         // per body, at q = 0
  int* joint;            // per body: the joint that carries it
  int* behind;           // per body: the body that it stands for; -1: none
  unsigned char* hidden; // per joint: between such bodies
};

// ---- numbers --------------------------------------------------------------------------------------

static int close_to(double x, double y, double scale) { return fabs(x - y) <= 4 * DBL_EPSILON * (fabs(x) + scale); }

// With twelve decimals, if these are all that it has up to rounding of numbers of this size.
static double short_number(double x, double scale)
{
  const double rounded = round(x * 1e12) / 1e12 + 0.0;
  return close_to(x, rounded, scale) ? rounded : x;
}

static void put_angle(const limb_writer* w, const char* key, double x)
{
  static const int parts[] = {1, 2, 3, 4, 6, 12};
  for (int k = 0; k < COUNT(parts); k++) {
    const int n = (int)round(x / LIMB_PI * parts[k]);
    if (n == 0 || !close_to(x, n * LIMB_PI / parts[k], 1)) continue;
    char text[48], times[16] = "", over[16] = "";
    if (n != 1 && n != -1) (void)snprintf(times, sizeof times, "%d*", n);
    if (parts[k] > 1) (void)snprintf(over, sizeof over, "/%d", parts[k]);
    (void)snprintf(text, sizeof text, "%s%spi%s", n == -1 ? "-" : "", times, over);
    limb_put(w, "%s: %s", key, text);
    return;
  }
  limb_put(w, "%s: %g", key, short_number(x, 1));
}

static int is_rounding(double x, double scale) { return fabs(x) <= 4 * DBL_EPSILON * scale; }

// ---- rows -----------------------------------------------------------------------------------------

static int about_z(const limb_joint_def* def)
{
  return !has_axis(def->type) || (def->axis.x == 0 && def->axis.y == 0 && def->axis.z > 0);
}

static int put_row(const limb_writer* w, const limb_joint_def* def)
{
  static const char* const keys[] = {"gamma", "b", "alpha", "d", "theta", "r"};
  if (!about_z(def)) return 0;
  const limb_mdh k = limb_mdh_of_pose(def->placement);
  const double number[] = {k.gamma, k.b, k.alpha, k.d, k.theta, k.r};
  const double scale = limb_length(def->placement.p) + fabs(k.b) + fabs(k.r);
  const int sigma = def->type == LIMB_FIXED ? 2 : def->type == LIMB_PRISMATIC ? 1 : def->type == LIMB_REVOLUTE ? 0 : -1;
  if (sigma < 0) limb_put(w, "\n    type: %s", joint_type_words[def->type]);
  limb_put(w, "\n    antecedent: %B\n    child: %B\n    dh: {", def->parent, def->child);
  int count = 0;
  if (sigma >= 0) limb_put(w, "sigma: %d", sigma), count++;
  for (int i = 0; i < COUNT(keys); i++) {
    const int angle = i % 2 == 0 && i != 0 ? 1 : i == 0;
    if (is_rounding(number[i], angle ? 1 : scale)) continue;
    if (count++) limb_put(w, ", ");
    if (angle)
      put_angle(w, keys[i], number[i]);
    else
      limb_put(w, "%s: %g", keys[i], short_number(number[i], scale));
  }
  limb_put(w, "}");
  if (def->type == LIMB_HELICAL) limb_put(w, "\n    pitch: %g", def->pitch);
  return 1;
}

// ---- screws ---------------------------------------------------------------------------------------

static int has_screw(limb_joint_type type) { return one_dof(type) || type == LIMB_CYLINDRICAL; }

static void put_screw(const limb_writer* w, const limb_joint_def* def)
{
  const sp_pose frame = sp_compose(w->homes->home[def->parent], def->placement);
  const sp_vec3 n = def->axis, none = sp_v3(0, 0, 0);
  const int slides = def->type == LIMB_PRISMATIC;
  const double pitch = def->type == LIMB_HELICAL ? def->pitch : 0;
  const sp_motion S = sp_motion_out(frame, sp_motion_make(slides ? none : n, slides ? n : sp_scale3(pitch, n)));
  const double scale = 1 + limb_length(frame.p) + fabs(pitch);
  double number[6] = {S.w.x, S.w.y, S.w.z, S.v.x, S.v.y, S.v.z};
  for (int k = 0; k < 6; k++) number[k] = is_rounding(number[k], scale) ? 0 : short_number(number[k], scale);
  limb_put(w, "\n    screw: %l", 6, number);
}

static void put_by_homes(const limb_writer* w, const limb_joint_def* def)
{
  const int behind = w->homes->behind[def->child];
  limb_put(w, "\n    type: %s\n    parent: %B\n    child: %B", joint_type_words[def->type], def->parent,
           behind >= 0 ? behind : def->child);
  if (has_screw(def->type))
    put_screw(w, def);
  else if (has_axis(def->type))
    limb_put(w, "\n    axis: %v", &def->axis);
}

int limb_put_in_form(const limb_writer* w, const limb_joint_def* def)
{
  if (w->form == LIMB_FORM_MDH) return put_row(w, def);
  if (w->homes) put_by_homes(w, def);
  return w->homes != NULL;
}

// ---- homes ----------------------------------------------------------------------------------------

void limb_put_home(const limb_writer* w, int body)
{
  if (!w->homes) return;
  sp_pose M = w->homes->home[body];
  const double scale = 1 + limb_length(M.p);
  double* const p[] = {&M.p.x, &M.p.y, &M.p.z};
  for (int k = 0; k < 9; k++)
    if (is_rounding(M.R.m[k], 2) || is_rounding(fabs(M.R.m[k]) - 1, 2)) M.R.m[k] = round(M.R.m[k]) + 0.0;
  for (int k = 0; k < 3; k++) *p[k] = is_rounding(*p[k], scale) ? 0 : short_number(*p[k], scale);
  if (limb_is_identity(&M))
    limb_put(w, "\n    home: {xyz: [0, 0, 0]}");
  else
    limb_write_pose_keys(w, "\n    home: {", &M, "}");
}

int limb_hides_body(const limb_writer* w, int body) { return w->homes && w->homes->behind[body] >= 0; }
int limb_hides_joint(const limb_writer* w, int joint) { return w->homes && w->homes->hidden[joint]; }

// 1 if text is name with the suffix.
static int is_suffixed(const char* text, const char* name, const char* suffix)
{
  const size_t n = strlen(name);
  return strncmp(text, name, n) == 0 && strcmp(text + n, suffix) == 0;
}

// The bodies "NAME.axis" and joints "NAME.offset" that a reader of screws adds, unless something else refers to them.
static void find_hidden(const limb_builder* b, struct limb_homes* h)
{
  limb_joint_def def, moving;
  limb_body_def axis, body;
  limb_frame_info frame;
  limb_loop_def loop;
  for (int k = 0; limb_builder_get_joint(b, k, &def) == LIMB_OK; k++) {
    if (def.type != LIMB_FIXED || limb_builder_get_body(b, def.parent, &axis) != LIMB_OK ||
        limb_builder_get_body(b, def.child, &body) != LIMB_OK || limb_has_inertia(&axis.inertia) ||
        !is_suffixed(axis.name, body.name, ".axis") || !is_suffixed(def.name, body.name, ".offset"))
      continue;
    const int carrier = h->joint[def.parent];
    if (limb_builder_get_joint(b, carrier, &moving) != LIMB_OK || !has_screw(moving.type)) continue;
    h->behind[def.parent] = def.child, h->hidden[k] = 1;
  }
  for (int k = 0; limb_builder_get_joint(b, k, &def) == LIMB_OK; k++)
    if (!h->hidden[k]) h->behind[def.parent] = -1;
  for (int k = 0; limb_builder_get_frame(b, k, &frame) == LIMB_OK; k++) h->behind[frame.body] = -1;
  for (int k = 0; limb_builder_get_loop(b, k, &loop) == LIMB_OK; k++) {
    if (loop.body_a >= 0) h->behind[loop.body_a] = -1;
    if (loop.body_b >= 0) h->behind[loop.body_b] = -1;
  }
  for (int k = 0; limb_builder_get_joint(b, k, &def) == LIMB_OK; k++)
    if (h->hidden[k]) h->hidden[k] = h->behind[def.parent] >= 0;
}

// Joints in any order: from each body up to one whose home is known, and back. known: per body, scratch; joints of a
// cycle, which cannot be built, end at themselves.
static void find_homes(const limb_builder* b, struct limb_homes* h, unsigned char* known, int* path)
{
  const int count = limb_builder_body_count(b);
  limb_joint_def def;
  h->home[LIMB_WORLD_BODY] = sp_pose_identity();
  known[LIMB_WORLD_BODY] = 1;
  for (int i = 1; i < count; i++) {
    int top = 0;
    for (int at = i; !known[at] && top < count; at = def.parent) {
      path[top++] = at;
      if (limb_builder_get_joint(b, h->joint[at], &def) != LIMB_OK) return;
    }
    while (top > 0) {
      const int at = path[--top];
      if (limb_builder_get_joint(b, h->joint[at], &def) != LIMB_OK) return;
      h->home[at] = sp_compose(h->home[def.parent], def.placement);
      known[at] = 1;
    }
  }
}

static limb_status write_screws(limb_writer* w)
{
  const limb_allocator a = limb_default_allocator();
  const size_t bodies = (size_t)limb_builder_body_count(w->b), joints = (size_t)limb_builder_joint_count(w->b) + 1;
  const size_t size = bodies * (sizeof(sp_pose) + 3 * sizeof(int) + 1) + joints;
  struct limb_homes h = {.home = limb_alloc(&a, size)};
  if (!h.home) return LIMB_E_NOMEM;
  memset(h.home, 0, size);
  h.joint = (int*)(h.home + bodies);
  h.behind = h.joint + bodies;
  int* path = h.behind + bodies;
  h.hidden = (unsigned char*)(path + bodies);
  limb_joint_def def;
  for (size_t i = 0; i < bodies; i++) h.behind[i] = -1;
  for (int k = 0; limb_builder_get_joint(w->b, k, &def) == LIMB_OK; k++) h.joint[def.child] = k;
  find_homes(w->b, &h, h.hidden + joints, path);
  find_hidden(w->b, &h);
  w->homes = &h;
  limb_write_yaml(w);
  w->homes = NULL;
  limb_free(&a, h.home, size);
  return LIMB_OK;
}

limb_status limb_write_yaml_in(limb_writer* w, limb_form form)
{
  w->form = form;
  if (form == LIMB_FORM_POE) return write_screws(w);
  limb_write_yaml(w);
  return LIMB_OK;
}
