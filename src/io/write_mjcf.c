// Writing MJCF: bodies in each other, joints at their origins, sites for frames, equalities for closed loops and for
// joints that follow others.
//
// A body stands where its joint holds it at q = 0, so that qpos is q. Joints with several coordinates are several
// joints of one body, which act one after the other: universal and cylindrical joints as their axes, planar ones as two
// slides and a hinge. They have the names of the coordinates. Loops connect sites, which MuJoCo takes where they are;
// bodies it would connect where they are at qpos0.
#include "base/memory.h"
#include "base/status.h"
#include "io/geometry.h"
#include "io/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = LIMB_XML_MAX_DEPTH - 6 }; // of bodies in each other: what limb reads

static const file_pos nowhere = {0, 0, 0};

typedef struct mjcf_writer {
  const limb_writer* out;
  int *joint, *child, *next; // per body: its joint; the first that it carries; the next beside it. -1: none
  int depth;
  int lost_speed, lost_start, lost_drive, reduced; // joints of which something is not written
  const char *first_speed, *first_start, *first_drive, *first_reduced;
  int lost_directions; // ball and free joints
  const char* first_directions;
  int thickened; // bodies
  const char* first_thickened;
} mjcf_writer;

static void lose(int* count, const char** first, const char* name)
{
  if ((*count)++ == 0) *first = name;
}

static void report_lost(const mjcf_writer* w, const char* kind, int count, const char* name, limb_rule rule,
                        const char* what)
{
  char others[48] = "";
  if (count > 1) (void)snprintf(others, sizeof others, "; so for %d more", count - 1);
  if (count > 0) limb_report(w->out->findings, rule, nowhere, (limb_subject){kind, name}, "%s%s", what, others);
}

static void indent(const mjcf_writer* w)
{
  for (int i = 0; i <= w->depth; i++) limb_put(w->out, "  ");
}

// pos="..." quat="w x y z", where they are not those of the identity.
static void put_place(const limb_writer* o, const sp_pose* X)
{
  if (!limb_is_zero(X->p)) limb_put(o, " pos=%v", &X->p);
  if (limb_no_rotation(&X->R)) return;
  const sp_quat q = sp_quat_rot(X->R);
  limb_put(o, " quat=%l", 4, (const double[4]){q.w, q.x, q.y, q.z});
}

// ---- bodies -----------------------------------------------------------------------------------------

// 1 when all principal moments are above x.
static int exceeds(const sp_inertia* Y, double x)
{
  const double a = Y->xx - x, b = Y->yy - x, c = Y->zz - x;
  const double minor = a * b - Y->xy * Y->xy;
  const double det = c * minor - a * Y->yz * Y->yz - b * Y->xz * Y->xz + 2 * Y->xy * Y->yz * Y->xz;
  return a > 0 && minor > 0 && det > 0;
}

// MuJoCo refuses moments below 1e-14, the largest above the sum of the others even by rounding, and moving bodies
// without mass: what is missing is added, 1e-13 of the size of the body. The density of a body along its axes has the
// moments trace / 2 - I, which are positive where the largest moment is below the sum of the others.
static sp_inertia accepted(mjcf_writer* w, const limb_body_def* body, int moves)
{
  sp_inertia Y = body->inertia;
  const double trace = Y.xx + Y.yy + Y.zz, h = trace / 2;
  const sp_inertia flat = {.xx = h - Y.xx, .yy = h - Y.yy, .zz = h - Y.zz, .xy = -Y.xy, .xz = -Y.xz, .yz = -Y.yz};
  const int light = moves && !(Y.mass > 1e-14),
            thin = (moves || Y.mass != 0) && !(exceeds(&Y, 2e-14) && exceeds(&flat, 2e-14 * trace));
  const double more = 1e-13 * (trace + Y.mass) + 4e-14;
  if (light) Y.mass += 2e-14;
  if (light || thin) Y.xx += more, Y.yy += more, Y.zz += more;
  if (light || thin) lose(&w->thickened, &w->first_thickened, body->name);
  return Y;
}

static void put_inertial(mjcf_writer* w, const limb_body_def* body, int moves)
{
  const limb_writer* o = w->out;
  const sp_inertia Y = accepted(w, body, moves), nearest = limb_inertia_nearest(&Y);
  if (!limb_has_inertia(&Y)) return;
  indent(w);
  limb_put(o, "<inertial pos=%v mass=%g fullinertia=%l/>\n", &Y.com, Y.mass, 6,
           (const double[6]){Y.xx, Y.yy, Y.zz, Y.xy, Y.xz, Y.yz});
  const double off = fabs(nearest.xx - Y.xx) + fabs(nearest.yy - Y.yy) + fabs(nearest.zz - Y.zz);
  if (off > 1e-9 * (fabs(Y.xx) + fabs(Y.yy) + fabs(Y.zz)))
    limb_report(o->findings, RULE_NOT_WRITTEN, nowhere, (limb_subject){"body", body->name},
                "MuJoCo refuses moments of inertia that no body can have, as these: limb check --repair mends them");
}

// A hinge or slide, with what belongs to one coordinate: number k of the joint.
static void put_axis(mjcf_writer* w, const limb_joint_def* j, int k, const char* suffix, const char* type, sp_vec3 axis)
{
  const limb_writer* o = w->out;
  char name[LIMB_NAME_MAX + 8];
  (void)snprintf(name, sizeof name, "%s%s", j->name, suffix);
  indent(w);
  limb_put(o, "<joint name=%q type=%q axis=%v", name, type, &axis);
  if (isfinite(j->q_min) || isfinite(j->q_max)) {
    const double range[2] = {isfinite(j->q_min) ? j->q_min : -1e10, isfinite(j->q_max) ? j->q_max : 1e10};
    limb_put(o, " range=%l", 2, range);
  }
  if (isfinite(j->effort_max)) limb_put(o, " actuatorfrcrange=%l", 2, (const double[2]){-j->effort_max, j->effort_max});
  const double rotor = j->gear_ratio * j->gear_ratio * j->rotor_inertia;
  const double armature = rotor + j->armature[k], damping = j->viscous + j->damping[k];
  if (armature != 0) limb_put(o, " armature=%g", armature);
  if (damping != 0) limb_put(o, " damping=%g", damping);
  if (j->coulomb != 0) limb_put(o, " frictionloss=%g", j->coulomb);
  if (j->stiffness != 0) limb_put(o, " stiffness=%g springref=%g", j->stiffness, j->rest);
  limb_put(o, "/>\n");
  if (rotor != 0 && j->gear_ratio != 1) lose(&w->reduced, &w->first_reduced, j->name);
  if (isfinite(j->v_max) || has_motion_limits(j)) lose(&w->lost_speed, &w->first_speed, j->name);
  if (j->start != 0) lose(&w->lost_start, &w->first_start, j->name);
}

// 1 when the first n numbers are the same.
static int are_equal(int n, const double* x)
{
  for (int k = 1; k < n; k++)
    if (x[k] != x[0]) return 0;
  return 1;
}

// A ball or free joint, which has one armature and one damping for all of its directions.
static void put_whole(mjcf_writer* w, const limb_joint_def* j, const char* type)
{
  const int n = j->type == LIMB_FREE ? 6 : 3;
  const int damped = are_equal(n, j->damping), heavy = are_equal(n, j->armature);
  indent(w);
  limb_put(w->out, "<joint name=%q type=%q", j->name, type);
  if (damped && j->damping[0] != 0) limb_put(w->out, " damping=%g", j->damping[0]);
  if (heavy && j->armature[0] != 0) limb_put(w->out, " armature=%g", j->armature[0]);
  if (j->stiffness != 0) limb_put(w->out, " stiffness=%g", j->stiffness);
  limb_put(w->out, "/>\n");
  if (!damped || !heavy) lose(&w->lost_directions, &w->first_directions, j->name);
}

static limb_status put_joint(mjcf_writer* w, const limb_joint_def* j, limb_error* err)
{
  if (j->drive != LIMB_DRIVE_AUTO) lose(&w->lost_drive, &w->first_drive, j->name);
  switch (j->type) {
  case LIMB_FIXED: return LIMB_OK;
  case LIMB_REVOLUTE: put_axis(w, j, 0, "", "hinge", j->axis); return LIMB_OK;
  case LIMB_PRISMATIC: put_axis(w, j, 0, "", "slide", j->axis); return LIMB_OK;
  case LIMB_CYLINDRICAL:
    put_axis(w, j, 0, ".rz", "hinge", j->axis);
    put_axis(w, j, 1, ".pz", "slide", j->axis);
    return LIMB_OK;
  case LIMB_UNIVERSAL:
    put_axis(w, j, 0, ".r1", "hinge", j->axis);
    put_axis(w, j, 1, ".r2", "hinge", j->axis2);
    return LIMB_OK;
  case LIMB_PLANAR:
    put_axis(w, j, 0, ".px", "slide", j->axis2);
    put_axis(w, j, 1, ".py", "slide", sp_cross3(j->axis, j->axis2));
    put_axis(w, j, 2, ".rz", "hinge", j->axis);
    return LIMB_OK;
  case LIMB_SPHERICAL: put_whole(w, j, "ball"); return LIMB_OK;
  case LIMB_FREE:
    if (j->parent != LIMB_WORLD_BODY || !limb_is_identity(&j->placement))
      return limb_fail(err, LIMB_E_UNSUPPORTED, j->name,
                       "a free joint of MJCF begins at the origin of the world: this one does not");
    put_whole(w, j, "free");
    return LIMB_OK;
  case LIMB_HELICAL: break;
  }
  return limb_fail(err, LIMB_E_UNSUPPORTED, j->name, "MJCF has no screw joints");
}

static void put_sites(const mjcf_writer* w, int body)
{
  const limb_builder* b = w->out->b;
  limb_frame_info f;
  for (int i = 0; limb_builder_get_frame(b, i, &f) == LIMB_OK; i++) {
    if (f.body != body) continue;
    indent(w);
    limb_put(w->out, "<site name=%q", f.name);
    put_place(w->out, &f.pose);
    limb_put(w->out, "/>\n");
  }
}

// The points of tendons are sites "TENDON.0", "TENDON.1" and so on.
static void put_points(const mjcf_writer* w, int body)
{
  limb_tendon_def def;
  for (int i = 0; limb_builder_get_tendon(w->out->b, i, &def) == LIMB_OK; i++) {
    for (int k = 0; k < def.points; k++) {
      char name[LIMB_NAME_MAX + 16];
      if (def.point[k].body != body) continue;
      (void)snprintf(name, sizeof name, "%s.%d", def.name, k);
      indent(w);
      limb_put(w->out, "<site name=%q pos=%v/>\n", name, &def.point[k].at);
    }
  }
}

// The ends of loops are sites "LOOP.a" and "LOOP.b".
static void put_ends(const mjcf_writer* w, int body)
{
  const limb_builder* b = w->out->b;
  limb_loop_def def;
  for (int i = 0; limb_builder_get_loop(b, i, &def) == LIMB_OK; i++) {
    for (int k = 0; k < 2 && (def.kind == LIMB_LOOP_BALL || def.kind == LIMB_LOOP_WELD); k++) {
      char name[LIMB_NAME_MAX + 4];
      if ((k ? def.body_b : def.body_a) != body) continue;
      (void)snprintf(name, sizeof name, "%s.%c", def.name, "ab"[k]);
      indent(w);
      limb_put(w->out, "<site name=%q", name);
      put_place(w->out, k ? &def.pose_b : &def.pose_a);
      limb_put(w->out, "/>\n");
    }
  }
}

// The tag of a body, its joints, its mass and its sites. A chain of fixed bodies on the world does not move.
static limb_status open_body(mjcf_writer* w, int body, limb_error* err)
{
  limb_body_def def = limb_default_body_def("");
  limb_joint_def j = limb_default_joint_def("", LIMB_FIXED, 0, 0);
  (void)!limb_builder_get_body(w->out->b, body, &def);
  (void)!limb_builder_get_joint(w->out->b, w->joint[body], &j);
  indent(w);
  limb_put(w->out, "<body name=%q", def.name);
  put_place(w->out, &j.placement);
  limb_put(w->out, ">\n");
  if (++w->depth > MAX_DEPTH)
    return limb_fail(err, LIMB_E_UNSUPPORTED, def.name, "MJCF nests bodies, and readers allow about %d in each other",
                     (int)MAX_DEPTH);
  const limb_status s = put_joint(w, &j, err);
  if (s != LIMB_OK) return s;
  put_inertial(w, &def, j.type != LIMB_FIXED);
  limb_put_mjcf_geoms(w->out, body, w->depth);
  put_sites(w, body);
  put_ends(w, body);
  put_points(w, body);
  return LIMB_OK;
}

static void close_body(mjcf_writer* w)
{
  w->depth--;
  indent(w);
  limb_put(w->out, "</body>\n");
}

static void list_children(mjcf_writer* w, int bodies)
{
  limb_joint_def j;
  for (int i = 0; i < bodies; i++) w->joint[i] = w->child[i] = w->next[i] = -1;
  for (int k = limb_builder_joint_count(w->out->b) - 1; k >= 0; k--) { // so that the first is first
    if (limb_builder_get_joint(w->out->b, k, &j) != LIMB_OK) continue;
    w->joint[j.child] = k;
    w->next[j.child] = w->child[j.parent];
    w->child[j.parent] = j.child;
  }
}

// Depth first: down to the first child, or on to the next body beside this one or beside one around it.
static limb_status put_tree(mjcf_writer* w, limb_error* err)
{
  limb_joint_def j = {0};
  limb_status s = LIMB_OK;
  int body = w->child[LIMB_WORLD_BODY], opened = 0;
  while (body >= 0 && s == LIMB_OK) {
    s = open_body(w, body, err);
    opened++;
    if (w->child[body] >= 0) {
      body = w->child[body];
      continue;
    }
    while (body > LIMB_WORLD_BODY && s == LIMB_OK) {
      close_body(w);
      if (w->next[body] >= 0) break;
      if (limb_builder_get_joint(w->out->b, w->joint[body], &j) != LIMB_OK) return LIMB_E_ARG;
      body = j.parent;
    }
    body = body > LIMB_WORLD_BODY ? w->next[body] : -1;
  }
  if (s == LIMB_OK && opened + 1 < limb_builder_body_count(w->out->b))
    return limb_fail(err, LIMB_E_MODEL, "robot", "some bodies are not connected to the world");
  return s;
}

// ---- equalities ---------------------------------------------------------------------------------------

static int is_followed(const limb_builder* b)
{
  limb_joint_def j;
  for (int i = 0; limb_builder_get_joint(b, i, &j) == LIMB_OK; i++)
    if (j.mimic >= 0) return 1;
  return 0;
}

static void put_loop(const mjcf_writer* w, const limb_loop_def* def)
{
  const limb_writer* o = w->out;
  const limb_subject about = {"loop", def->name};
  double law = fabs((double)def->motion.constraint);
  for (int i = 0; i < NLAW_PROPERTY; i++) law += fabs(get_property(&law_properties[i], &def->motion));
  const double* c = def->coefficient;
  if (law != 0) limb_report(o->findings, RULE_NOT_WRITTEN, nowhere, about, "its prescribed motion");
  if (def->kind == LIMB_LOOP_BALL || def->kind == LIMB_LOOP_WELD) {
    char a[LIMB_NAME_MAX + 4], b[LIMB_NAME_MAX + 4];
    (void)snprintf(a, sizeof a, "%s.a", def->name);
    (void)snprintf(b, sizeof b, "%s.b", def->name);
    limb_put(o, "    <%s name=%q site1=%q site2=%q/>\n", def->kind == LIMB_LOOP_BALL ? "connect" : "weld", def->name, a,
             b);
  } else if (loop_of_joints(def->kind) && c[LIMB_LOOP_COEFFICIENTS - 1] == 0) {
    limb_put(o, "    <joint name=%q joint1=%J joint2=%J polycoef=%l/>\n", def->name, def->joint, def->other, 5, c);
  } else {
    limb_report(o->findings, RULE_NOT_WRITTEN, nowhere, about, "MJCF has no loops of the kind %s",
                loop_words[def->kind]);
  }
}

static void put_equalities(const mjcf_writer* w)
{
  const limb_builder* b = w->out->b;
  limb_joint_def j;
  limb_loop_def loop;
  if (limb_builder_loop_count(b) == 0 && !is_followed(b)) return;
  limb_put(w->out, "  <equality>\n");
  for (int i = 0; limb_builder_get_joint(b, i, &j) == LIMB_OK; i++)
    if (j.mimic >= 0)
      limb_put(w->out, "    <joint joint1=%q joint2=%J polycoef=%l/>\n", j.name, j.mimic, 5,
               (const double[5]){j.offset, j.multiplier, 0, 0, 0});
  for (int i = 0; limb_builder_get_loop(b, i, &loop) == LIMB_OK; i++) put_loop(w, &loop);
  limb_put(w->out, "  </equality>\n");
}

// MuJoCo takes a length of -1 as the length at qpos0.
static double relaxed(double rest) { return rest == -1 ? nextafter(rest, 0) : rest; }

// Over joints, or through the sites of put_points.
static void put_tendon(const limb_writer* o, const limb_tendon_def* t)
{
  const char* kind = t->points > 0 ? "spatial" : "fixed";
  limb_put(o, "    <%s name=%q stiffness=%g springlength=%g damping=%g>\n", kind, t->name, t->stiffness,
           relaxed(t->rest), t->damping);
  for (int k = 0; k < t->count; k++) limb_put(o, "      <joint joint=%J coef=%g/>\n", t->joint[k], t->coefficient[k]);
  for (int k = 0; k < t->points; k++) {
    char name[LIMB_NAME_MAX + 16];
    (void)snprintf(name, sizeof name, "%s.%d", t->name, k);
    if (t->point[k].pulley > 0) limb_put(o, "      <pulley divisor=%g/>\n", t->point[k].pulley);
    limb_put(o, "      <site site=%q/>\n", name);
  }
  limb_put(o, "    </%s>\n", kind);
}

// A shaft is a tendon of length q_motor / ratio - q_joint, relaxed at `rest`.
static void put_tendons(const mjcf_writer* w)
{
  const limb_builder* b = w->out->b;
  limb_shaft_def s;
  limb_tendon_def t;
  if (limb_builder_shaft_count(b) == 0 && limb_builder_tendon_count(b) == 0) return;
  limb_put(w->out, "  <tendon>\n");
  for (int i = 0; limb_builder_get_tendon(b, i, &t) == LIMB_OK; i++) {
    put_tendon(w->out, &t);
  }
  for (int i = 0; limb_builder_get_shaft(b, i, &s) == LIMB_OK; i++) {
    limb_put(w->out, "    <fixed stiffness=%g springlength=%g damping=%g>\n", s.stiffness, relaxed(s.rest), s.damping);
    limb_put(w->out, "      <joint joint=%J coef=%g/>\n      <joint joint=%J coef=%g/>\n    </fixed>\n", s.motor,
             1 / s.ratio, s.joint, -1.0);
  }
  limb_put(w->out, "  </tendon>\n");
}

static void put_motors(const mjcf_writer* w)
{
  const limb_builder* b = w->out->b;
  limb_joint_def j;
  limb_put(w->out, "  <actuator>\n");
  for (int i = 0; limb_builder_get_joint(b, i, &j) == LIMB_OK; i++) {
    const int driven = one_dof(j.type) && j.mimic < 0 && j.drive != LIMB_DRIVE_PASSIVE;
    if (driven) limb_put(w->out, "    <motor name=%q joint=%q/>\n", j.name, j.name);
  }
  limb_put(w->out, "  </actuator>\n");
}

// ---- the robot ------------------------------------------------------------------------------------------

static limb_status write_robot(mjcf_writer* w, limb_error* err)
{
  const limb_writer* o = w->out;
  const sp_vec3 g = limb_builder_gravity(o->b);
  limb_put(o, "<mujoco model=%q>\n  <compiler angle=\"radian\" autolimits=\"true\"%s/>\n", limb_builder_name(o->b),
           limb_builder_shape_count(o->b) > 0 ? " inertiafromgeom=\"false\"" : "");
  limb_put(o, "  <option gravity=%v/>\n", &g);
  limb_put_mjcf_assets(o);
  limb_put(o, "  <worldbody>\n");
  w->depth = 1;
  limb_put_mjcf_geoms(o, LIMB_WORLD_BODY, w->depth);
  put_sites(w, LIMB_WORLD_BODY);
  put_ends(w, LIMB_WORLD_BODY);
  put_points(w, LIMB_WORLD_BODY);
  const limb_status s = put_tree(w, err);
  limb_put(o, "  </worldbody>\n");
  put_equalities(w);
  put_tendons(w);
  put_motors(w);
  limb_put(o, "</mujoco>\n");
  report_lost(w, "joint", w->lost_speed, w->first_speed, RULE_NOT_WRITTEN,
              "its limits of velocity, acceleration and jerk");
  report_lost(w, "joint", w->lost_directions, w->first_directions, RULE_NOT_WRITTEN,
              "its armature or damping, which differs between directions");
  report_lost(w, "joint", w->lost_start, w->first_start, RULE_NOT_WRITTEN, "its starting value for closing loops");
  report_lost(w, "joint", w->lost_drive, w->first_drive, RULE_NOT_WRITTEN,
              "whether a motor drives it, but for an actuator");
  report_lost(w, "joint", w->reduced, w->first_reduced, RULE_REPHRASED,
              "rotor and gear ratio are written as the armature they make");
  report_lost(w, "body", w->thickened, w->first_thickened, RULE_REPHRASED,
              "MuJoCo refuses masses and moments of zero: 1e-13 of its size is added");
  limb_report_shapes(o);
  return s;
}

limb_status limb_write_mjcf(const limb_writer* o, limb_error* err)
{
  const limb_allocator a = limb_default_allocator();
  const int bodies = limb_builder_body_count(o->b);
  const size_t size = 3 * (size_t)bodies * sizeof(int);
  mjcf_writer w = {.out = o, .joint = limb_alloc(&a, size)};
  if (!w.joint) return LIMB_E_NOMEM;
  w.child = w.joint + bodies, w.next = w.child + bodies;
  list_children(&w, bodies);
  const limb_status s = write_robot(&w, err);
  limb_free(&a, w.joint, size);
  return s;
}
