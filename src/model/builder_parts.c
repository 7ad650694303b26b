// The builder's loops (their kinds, what is required of a definition, adding and asking), its shafts, and
// series-elastic motors: a rotor, its joint and a shaft in one call.

#include "limb/builder.h"

#include "base/memory.h"
#include "base/status.h"
#include "model/builder_impl.h"
#include "model/loop_calls.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// ---- loops: kinds -------------------------------------------------------------------------------------------

const char* limb_loop_kind_name(limb_loop_kind kind)
{
  switch (kind) {
#define LIMB_X(name, value, text, locked, rows) \
  case LIMB_LOOP_##name: return text;
    LIMB_LOOP_LIST(LIMB_X)
#undef LIMB_X
  }
  return NULL;
}

static const char* direction(unsigned locked, int k)
{
  static const char* const names[] = {"turn_x", "turn_y", "turn_z", "move_x", "move_y", "move_z"};
  for (int bit = 0; bit < 6; bit++)
    if (locked >> bit & 1U && k-- == 0) return names[bit];
  return NULL;
}

const char* limb_loop_constraint_name(const limb_loop_def* def, int k)
{
  if (!def || k < 0) return NULL;
  static const char* const track[] = {"height", "along", "across"};
  switch (def->kind) {
  case LIMB_LOOP_DISTANCE: return "distance";
  case LIMB_LOOP_GEAR: return "gear";
  case LIMB_LOOP_POLYNOMIAL: return "polynomial";
  case LIMB_LOOP_KNIFE_EDGE: return "knife";
  case LIMB_LOOP_WHEEL: return k < 2 ? track[k + 1] : NULL;
  case LIMB_LOOP_ROLLING_DISC: return k < 3 ? track[k] : NULL;
  case LIMB_LOOP_LOCK: return direction(def->locked, k);
  case LIMB_LOOP_WELD:
  case LIMB_LOOP_PIN:
  case LIMB_LOOP_SLIDER:
  case LIMB_LOOP_CYLINDRICAL:
  case LIMB_LOOP_BALL:
  case LIMB_LOOP_UNIVERSAL:
  case LIMB_LOOP_PLANAR:
  case LIMB_LOOP_POINT_ON_LINE:
  case LIMB_LOOP_POINT_ON_PLANE: break;
  }
  return direction(limb_loop_kind_locked(def->kind), k);
}

unsigned limb_loop_kind_locked(limb_loop_kind kind)
{
  switch (kind) {
#define LIMB_X(name, value, text, locked, rows) \
  case LIMB_LOOP_##name: return locked;
    LIMB_LOOP_LIST(LIMB_X)
#undef LIMB_X
  }
  return 0;
}

int limb_loop_kind_constraints(limb_loop_kind kind)
{
  switch (kind) {
#define LIMB_X(name, value, text, locked, rows) \
  case LIMB_LOOP_##name: return rows;
    LIMB_LOOP_LIST(LIMB_X)
#undef LIMB_X
  }
  return 0;
}

int limb_loop_rows(const limb_loop_def* def)
{
  if (def->kind != LIMB_LOOP_LOCK) return limb_loop_kind_constraints(def->kind);
  int rows = 0;
  for (unsigned left = def->locked; left; left >>= 1) rows += (int)(left & 1);
  return rows;
}

static bool is_relation(limb_loop_kind kind) { return kind == LIMB_LOOP_GEAR || kind == LIMB_LOOP_POLYNOMIAL; }

static bool has_radius(limb_loop_kind kind) { return kind == LIMB_LOOP_WHEEL || kind == LIMB_LOOP_ROLLING_DISC; }

// ---- checks -------------------------------------------------------------------------------------------------

static limb_status not_its_own(const limb_loop_def* def, const char* member, const char* where, limb_error* err)
{
  return limb_fail(err, LIMB_E_ARG, where, "%s is set, but a loop of kind %s has none: leave it at its default", member,
                   limb_loop_kind_name(def->kind));
}

static limb_status check_finite(const limb_loop_def* def, const char* where, limb_error* err)
{
  const double x[] = {def->length,           def->radius,           def->motion.constant, def->motion.rate,
                      def->motion.amplitude, def->motion.frequency, def->motion.phase};
  static const char* const name[] = {"length",        "radius",        "law.constant", "law.rate",
                                     "law.amplitude", "law.frequency", "law.phase"};
  for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) {
    if (!isfinite(x[i])) return limb_fail(err, LIMB_E_NONFINITE, where, "%s is not finite", name[i]);
  }
  for (int k = 0; k < LIMB_LOOP_COEFFICIENTS; k++) {
    if (!isfinite(def->coefficient[k]))
      return limb_fail(err, LIMB_E_NONFINITE, where, "coefficient[%d] is not finite", k);
  }
  return LIMB_OK;
}

static limb_status check_bodies(const limb_builder* b, limb_loop_def* def, const char* where, limb_error* err)
{
  const int body[] = {def->body_a, def->body_b};
  for (int k = 0; k < 2; k++) {
    if (body[k] < 0 || body[k] >= b->nbody)
      return limb_fail(err, LIMB_E_ARG, where, "body_%c is %d: there are bodies 0 to %d", "ab"[k], body[k],
                       b -> nbody - 1);
  }
  if (def->body_a == def->body_b)
    return limb_fail(err, LIMB_E_ARG, where, "both frames are on body '%s': a closure holds two bodies together",
                     b->body[def->body_a].name);
  const limb_status s = limb_check_pose(&def->pose_a, where, err);
  return s ? s : limb_check_pose(&def->pose_b, where, err);
}

static bool is_identity(const sp_pose* X)
{
  bool same = X->p.x == 0 && X->p.y == 0 && X->p.z == 0;
  for (int i = 0; i < 9; i++) same = same && X->R.m[i] == (i % 4 == 0 ? 1 : 0);
  return same;
}

static int highest_coefficient(const limb_loop_def* def)
{
  int k = LIMB_LOOP_COEFFICIENTS - 1;
  while (k >= 0 && def->coefficient[k] == 0) k--;
  return k;
}

static limb_status check_relation(const limb_builder* b, limb_loop_def* def, const char* where, limb_error* err)
{
  if (!is_identity(&def->pose_a)) return not_its_own(def, "pose_a", where, err);
  if (!is_identity(&def->pose_b)) return not_its_own(def, "pose_b", where, err);
  def->body_a = def->body_b = -1;
  const char* kind = limb_loop_kind_name(def->kind);
  limb_status s = limb_check_one_dof(b, def->joint, "joint", kind, where, err);
  if (!s) s = limb_check_one_dof(b, def->other, "other", kind, where, err);
  if (s) return s;
  if (def->joint == def->other)
    return limb_fail(err, LIMB_E_ARG, where, "the %s connects joint '%s' with itself", kind, b->joint[def->joint].name);
  if (def->kind == LIMB_LOOP_GEAR && def->coefficient[1] == 0)
    return limb_fail(err, LIMB_E_ARG, where, "the ratio of the gear, coefficient[1], is zero");
  const int degree = highest_coefficient(def);
  if (def->kind == LIMB_LOOP_GEAR && degree > 1)
    return limb_fail(err, LIMB_E_ARG, where,
                     "coefficient[%d] is set, but a gear has an offset and a ratio only: use kind "
                     "polynomial",
                     degree);
  if (degree < 1)
    return limb_fail(err, LIMB_E_ARG, where,
                     "the polynomial is constant: some coefficient from the first power on must "
                     "differ from zero");
  return LIMB_OK;
}

static limb_status check_closure(const limb_builder* b, limb_loop_def* def, const char* where, limb_error* err)
{
  if (def->joint != -1) return not_its_own(def, "joint", where, err);
  if (def->other != -1) return not_its_own(def, "other", where, err);
  if (highest_coefficient(def) >= 0) return not_its_own(def, "coefficient", where, err);
  return check_bodies(b, def, where, err);
}

static limb_status check_sizes(const limb_loop_def* def, const char* where, limb_error* err)
{
  const unsigned all = LIMB_TURN_X | LIMB_TURN_Y | LIMB_TURN_Z | LIMB_MOVE_X | LIMB_MOVE_Y | LIMB_MOVE_Z;
  const bool lock = def->kind == LIMB_LOOP_LOCK, distance = def->kind == LIMB_LOOP_DISTANCE;
  if (!lock && def->locked != 0)
    return limb_fail(err, LIMB_E_ARG, where, "locked is set, but what a loop of kind %s locks is known: use kind lock",
                     limb_loop_kind_name(def->kind));
  if (lock && (def->locked == 0 || def->locked > all))
    return limb_fail(err, LIMB_E_ARG, where,
                     "locked is %u: it is a set of limb_direction with one member at least, 1 to %u", def->locked, all);
  if (!distance && def->length != 0) return not_its_own(def, "length", where, err);
  if (distance && def->length <= 0)
    return limb_fail(err, LIMB_E_ARG, where, "length is %.6g: it must be positive; for origins that meet use kind ball",
                     def->length);
  if (!has_radius(def->kind) && def->radius != 0) return not_its_own(def, "radius", where, err);
  if (has_radius(def->kind) && def->radius <= 0)
    return limb_fail(err, LIMB_E_ARG, where, "radius is %.6g: it must be positive", def->radius);
  return LIMB_OK;
}

static limb_status check_loop(const limb_builder* b, limb_loop_def* def, const char* where, limb_error* err)
{
  if (!limb_loop_kind_name(def->kind))
    return limb_fail(err, LIMB_E_ARG, where, "there is no loop kind %d", (int)def->kind);
  limb_status s = check_finite(def, where, err);
  if (!s) s = check_sizes(def, where, err);
  if (s) return s;
  s = is_relation(def->kind) ? check_relation(b, def, where, err) : check_closure(b, def, where, err);
  if (s) return s;
  const int rows = limb_loop_rows(def);
  if (def->motion.constraint < 0 || def->motion.constraint >= rows)
    return limb_fail(err, LIMB_E_ARG, where, "law.row is %d: the loop has rows 0 to %d", def->motion.constraint,
                     rows - 1);
  return LIMB_OK;
}

limb_loop_def limb_default_loop_def(const char* name, limb_loop_kind kind, int body_a, int body_b)
{
  return (limb_loop_def){.size = sizeof(limb_loop_def),
                         .name = name,
                         .kind = kind,
                         .body_a = body_a,
                         .body_b = body_b,
                         .pose_a = sp_pose_identity(),
                         .pose_b = sp_pose_identity(),
                         .joint = -1,
                         .other = -1};
}

limb_shaft_def limb_default_shaft_def(int joint, int motor)
{
  return (limb_shaft_def){.size = sizeof(limb_shaft_def), .joint = joint, .motor = motor, .ratio = 1};
}

limb_motor_def limb_default_motor_def(int joint)
{
  return (limb_motor_def){.size = sizeof(limb_motor_def), .joint = joint, .ratio = 1, .effort_max = HUGE_VAL};
}

// ---- adding and asking --------------------------------------------------------------------------------------

const char* limb_builder_loop_name(const void* b, int i) { return ((const limb_builder*)b)->loop[i].name; }

limb_status limb_builder_add_loop(limb_builder* b, const limb_loop_def* def, int* loop, limb_error* err)
{
  if (!b || !def) return limb_fail(err, LIMB_E_ARG, "loop", "builder or definition is NULL");
  limb_loop_def own = limb_default_loop_def(NULL, LIMB_LOOP_LOCK, -1, -1);
  char where[sizeof err->where];
  limb_status s = limb_read_def(&own, def, sizeof own, offsetof(limb_loop_def, pose_a), "loop", err);
  if (!s) s = limb_check_name(own.name, "loop", b->nloop, where, err);
  if (s) return s;
  if (limb_builder_find_loop(b, own.name) >= 0)
    return limb_fail(err, LIMB_E_ARG, where, "there is a loop of this name already");
  s = check_loop(b, &own, where, err);
  if (s) return s;

  void* items = b->loop;
  const int grown = limb_grow(&b->alloc, &items, &b->loop_cap, b->nloop, sizeof own);
  b->loop = items;
  if (grown && limb_reserve_name(b, &b->loop_names, b->nloop, limb_builder_loop_name))
    own.name = limb_copy_name(&b->alloc, own.name);
  else
    own.name = NULL;
  if (!own.name) return limb_fail(err, LIMB_E_NOMEM, where, "out of memory");

  b->loop[b->nloop] = own;
  b->loop_calls = &limb_loop_calls_closed;
  limb_names_put(&b->loop_names.table, own.name, b->nloop);
  if (loop) *loop = b->nloop;
  b->nloop++;
  return LIMB_OK;
}

int limb_builder_loop_count(const limb_builder* b) { return b ? b->nloop : 0; }

int limb_builder_find_loop(const limb_builder* b, const char* name)
{
  return b && name ? limb_names_find(&b->loop_names.table, name, limb_builder_loop_name, b) : -1;
}

limb_status limb_builder_get_loop(const limb_builder* b, int loop, limb_loop_def* out)
{
  if (!b || !out || loop < 0 || loop >= b->nloop) return LIMB_E_ARG;
  *out = b->loop[loop];
  return LIMB_OK;
}

// ---- shafts -------------------------------------------------------------------------------------------------

// A shaft is called after the joint it drives.
static void name_shaft(const limb_builder* b, const char* kind, int joint, size_t size, char* where)
{
  if (joint >= 0 && joint < b->njoint)
    (void)snprintf(where, size, "%.10s of joint '%.60s'", kind, b->joint[joint].name);
  else
    (void)snprintf(where, size, "%s", kind);
}

// Capacity for one more shaft, and for the flag of the joint it drives.
static bool reserve_shaft(limb_builder* b, int joint)
{
  void* items = b->shaft;
  const int grown = limb_grow(&b->alloc, &items, &b->shaft_cap, b->nshaft, sizeof *b->shaft);
  b->shaft = items;
  if (!grown) return false;
  while (b->driven_cap <= joint) {
    const int before = b->driven_cap;
    void* flags = b->driven;
    if (!limb_grow(&b->alloc, &flags, &b->driven_cap, before, 1)) return false;
    b->driven = flags;
    memset(b->driven + before, 0, (size_t)(b->driven_cap - before));
  }
  return true;
}

limb_status limb_builder_add_shaft(limb_builder* b, const limb_shaft_def* def, limb_error* err)
{
  if (!b || !def) return limb_fail(err, LIMB_E_ARG, "shaft", "builder or definition is NULL");
  limb_shaft_def own = limb_default_shaft_def(-1, -1);
  limb_status s = limb_read_def(&own, def, sizeof own, offsetof(limb_shaft_def, ratio), "shaft", err);
  if (s) return s;
  char where[sizeof err->where];
  name_shaft(b, "shaft", own.joint, sizeof where, where);
  s = limb_check_shaft(b, &own, where, err);
  if (s) return s;
  if (!reserve_shaft(b, own.joint)) return limb_fail(err, LIMB_E_NOMEM, where, "out of memory");
  b->driven[own.joint] = 1;
  b->shaft[b->nshaft++] = own;
  return LIMB_OK;
}

int limb_builder_shaft_count(const limb_builder* b) { return b ? b->nshaft : 0; }

limb_status limb_builder_get_shaft(const limb_builder* b, int shaft, limb_shaft_def* out)
{
  if (!b || !out || shaft < 0 || shaft >= b->nshaft) return LIMB_E_ARG;
  *out = b->shaft[shaft];
  return LIMB_OK;
}

// ---- motors -------------------------------------------------------------------------------------------------

// What the parts of a motor do not ask themselves.
static limb_status check_motor(const limb_builder* b, const limb_motor_def* def, const char* where, limb_error* err)
{
  if (def->joint < 0 || def->joint >= b->njoint)
    return limb_fail(err, LIMB_E_ARG, where, "joint is %d: there are %d joints so far", def->joint, b->njoint);
  if (!isfinite(def->rotor_inertia) || !isfinite(def->rotor_mass))
    return limb_fail(err, LIMB_E_NONFINITE, where, "%s is not finite",
                     isfinite(def->rotor_mass) ? "rotor_inertia" : "rotor_mass");
  if (def->rotor_inertia <= 0)
    return limb_fail(err, LIMB_E_ARG, where, "rotor_inertia is %.6g: without inertia the motor's angle has no equation",
                     def->rotor_inertia);
  if (def->coupled != 0 && def->coupled != 1)
    return limb_fail(err, LIMB_E_ARG, where, "coupled is %d instead of 0 or 1", def->coupled);
  if (def->coupled && def->rotor_mass <= 0)
    return limb_fail(err, LIMB_E_ARG, where, "rotor_mass is %.6g: a coupled rotor has a mass", def->rotor_mass);
  if (!def->coupled && def->rotor_mass != 0)
    return limb_fail(err, LIMB_E_ARG, where,
                     "rotor_mass is set, but the rotor is not coupled: its mass belongs to the "
                     "parent's inertia");
  return LIMB_OK;
}

// A flat disc: J about the unit axis a, J / 2 across it, that is J (1 + a a') / 2.
static sp_inertia disc(double mass, double J, sp_vec3 a)
{
  const double h = J / 2;
  return (sp_inertia){.mass = mass,
                      .xx = h * (1 + a.x * a.x),
                      .xy = h * a.x * a.y,
                      .xz = h * a.x * a.z,
                      .yy = h * (1 + a.y * a.y),
                      .yz = h * a.y * a.z,
                      .zz = h * (1 + a.z * a.z)};
}

// The joint of the motor: beside the driven one, about its own axis.
static limb_joint_def motor_joint(const limb_joint_def* driven, const limb_motor_def* def, const char* name, int rotor)
{
  const sp_vec3 a = def->axis;
  limb_joint_def joint = limb_default_joint_def(name, LIMB_REVOLUTE, driven->parent, rotor);
  joint.placement = driven->placement;
  joint.placement.p = sp_add3(driven->placement.p, sp_mulv(driven->placement.R, def->centre));
  joint.axis = a.x == 0 && a.y == 0 && a.z == 0 ? driven->axis : a;
  joint.rotor_inertia = def->coupled ? 0 : def->rotor_inertia;
  joint.coulomb = def->coulomb;
  joint.viscous = def->viscous;
  joint.effort_max = def->effort_max;
  return joint;
}

// Rotor, joint and shaft, one after the other; what was added is taken back when the next one fails.
static limb_status add_parts(limb_builder* b, const limb_motor_def* def, const char* rotor_name, const char* motor_name,
                             limb_error* err)
{
  const limb_body_def rotor = limb_default_body_def(rotor_name);
  int body, motor;
  limb_status s = limb_builder_add_body(b, &rotor, &body, err);
  if (s) return s;
  const limb_joint_def joint = motor_joint(&b->joint[def->joint], def, motor_name, body);
  s = limb_builder_add_joint(b, &joint, &motor, err);
  if (s) {
    limb_drop_body(b);
    return s;
  }
  limb_shaft_def shaft = limb_default_shaft_def(def->joint, motor);
  shaft.ratio = def->ratio;
  shaft.stiffness = def->stiffness;
  shaft.damping = def->damping;
  shaft.rest = def->rest;
  s = limb_builder_add_shaft(b, &shaft, err);
  if (s) {
    limb_drop_joint(b);
    limb_drop_body(b);
    return s;
  }
  if (def->coupled) b->body[body].inertia = disc(def->rotor_mass, def->rotor_inertia, b->joint[motor].axis);
  return LIMB_OK;
}

limb_status limb_builder_add_motor(limb_builder* b, const limb_motor_def* def, int* motor, limb_error* err)
{
  if (!b || !def) return limb_fail(err, LIMB_E_ARG, "motor", "builder or definition is NULL");
  limb_motor_def own = limb_default_motor_def(-1);
  limb_status s = limb_read_def(&own, def, sizeof own, offsetof(limb_motor_def, coupled), "motor", err);
  if (s) return s;
  char where[sizeof err->where];
  name_shaft(b, "motor", own.joint, sizeof where, where);
  s = check_motor(b, &own, where, err);
  if (s) return s;

  const char* driven = b->joint[own.joint].name;
  const size_t size = strlen(driven) + sizeof "_rotor";
  char* names = limb_alloc(&b->alloc, 2 * size);
  if (!names) return limb_fail(err, LIMB_E_NOMEM, where, "out of memory");
  (void)snprintf(names, size, "%s_rotor", driven);
  (void)snprintf(names + size, size, "%s_motor", driven);
  s = add_parts(b, &own, names, names + size, err);
  limb_free(&b->alloc, names, 2 * size);
  if (!s && motor) *motor = b->njoint - 1;
  return s;
}
