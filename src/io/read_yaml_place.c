// Where a joint is, in limb YAML: by a pose, by a Denavit-Hartenberg row, by a screw, by home poses. Rows
// also place the frames of loops.
//
//   modified (Khalil 2010, eq. 1)   joint frame = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)
//   standard                        child frame = Rz(theta) Tz(d) Tx(a) Rx(alpha), moving about the first z
//   screw (Lynch and Park, ch. 8)   child frame = M_parent^-1 exp(S q) M_child,  S = (w; v)
//
// A builder wants the child's frame on the joint at q = 0. Where the axis does not pass through the child's
// origin, the joint frame is the child's, shifted to the nearest point of the axis, and the sketch keeps the
// shift back as the offset.
#include "io/read_yaml_impl.h"
#include "io/yaml_schema.h"

#include "base/number.h"
#include "io/angles.h"
#include "io/utf8.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- Denavit-Hartenberg rows ------------------------------------------------------------------------

static const char* const modified_keys[] = {"gamma", "b", "alpha", "d", "theta", "r", "sigma"};
static const char* const standard_keys[] = {"theta", "d", "a", "alpha", "sigma"};

static sp_mat3 rot_x(double angle) { return limb_rot_rpy((const double[3]){angle, 0, 0}); }
static sp_mat3 rot_z(double angle) { return limb_rot_rpy((const double[3]){0, 0, angle}); }

// Reads the numbers of a row by the names of its keys: angles are those called after Greek letters.
static int read_row(yaml_reader* r, const yml_node* n, const char* const* keys, int count, double* x)
{
  const int before = r->check.errors;
  for (int i = 0; i < count; i++) {
    const yml_node* value = limb_yml_get(n, keys[i]);
    x[i] = 0;
    if (keys[i][1] == 0)
      (void)limb_yml_number(&r->check, value, &x[i]);
    else
      (void)limb_yml_angle(&r->check, value, r->angle, &x[i]);
  }
  return r->check.errors == before;
}

static int modified_pose(yaml_reader* r, const yml_node* n, sp_pose* X)
{
  double x[6];
  if (!read_row(r, n, modified_keys, 6, x)) return 0;
  const sp_pose at_parent = sp_pose_make(rot_z(x[0]), sp_v3(0, 0, x[1]));
  const sp_pose across = sp_pose_make(rot_x(x[2]), sp_v3(x[3], 0, 0));
  const sp_pose along = sp_pose_make(rot_z(x[4]), sp_v3(0, 0, x[5]));
  *X = sp_compose(sp_compose(at_parent, across), along);
  return 1;
}

static int standard_pose(yaml_reader* r, const yml_node* n, sp_pose* X)
{
  double x[4];
  if (!read_row(r, n, standard_keys, 4, x)) return 0;
  const sp_pose turned = sp_pose_make(rot_z(x[0]), sp_v3(0, 0, x[1]));
  *X = sp_compose(turned, sp_pose_make(rot_x(x[3]), sp_v3(x[2], 0, 0)));
  return 1;
}

// The joint frame has the axes of the child's frame: Rz(theta) Tz(d) Rx(alpha), and the axis in it is
// Rx(alpha)' z; the child's frame is a further along x. A translation may have its frame there at once.
static int place_standard(yaml_reader* r, const yml_node* n, sketch_joint* j, int type)
{
  double x[4];
  if (!read_row(r, n, standard_keys, 4, x)) return 0;
  const sp_mat3 A = rot_x(x[3]);
  const sp_pose turned = sp_pose_make(rot_z(x[0]), sp_v3(0, 0, x[1]));
  j->def.placement = sp_compose(turned, sp_pose_make(A, sp_v3(0, 0, 0)));
  j->def.axis = sp_v3(A.m[6], A.m[7], A.m[8]);
  if (type == LIMB_PRISMATIC)
    j->def.placement.p = sp_point(turned, sp_v3(x[2], 0, 0));
  else
    j->offset.p = sp_v3(x[2], 0, 0);
  return 1;
}

// sigma: 0 rotation, 1 translation, 2 fixed. Must agree with the type, or is it.
static int settle_sigma(yaml_reader* r, const yml_node* n, int* type)
{
  static const int types[] = {LIMB_REVOLUTE, LIMB_PRISMATIC, LIMB_FIXED};
  static const char* const meaning[] = {"a rotation", "a translation", "fixed"};
  int sigma = 0;
  const yml_node* given = limb_yml_get(n, "sigma");
  if (!given && *type == TYPE_OPEN) {
    limb_yml_error(&r->check, RULE_MISSING_KEY, n->mark, "neither type nor sigma is given");
    return 0;
  }
  if (!given) return 1;
  if (!limb_yml_integer(&r->check, given, 0, 2, &sigma)) return 0;
  if (*type == TYPE_OPEN) *type = types[sigma];
  const bool turns = *type == LIMB_REVOLUTE || *type == LIMB_HELICAL;
  if (sigma == 0 ? turns : *type == types[sigma]) return 1;
  limb_yml_error(&r->check, RULE_BAD_JOINT, given->mark, "sigma %d means %s, but the type is %s", sigma, meaning[sigma],
                 yaml_joint_types[*type]);
  return 0;
}

// 1 when the file states the form of its rows and this one has no other keys; sigma: 1 when it may have that.
static int check_row(yaml_reader* r, const yml_node* n, int sigma)
{
  if (!limb_yml_is(&r->check, n, YML_MAP)) return 0;
  if (r->dh == FORM_UNSTATED) {
    limb_yml_error(&r->check, RULE_MISSING_KEY, n->key_mark,
                   "the file must state 'dh: modified' or 'dh: standard' at its top: rows differ");
    r->dh = FORM_REPORTED;
  }
  if (r->dh == FORM_REPORTED) return 0;
  const int before = r->check.errors;
  const bool modified = r->dh == FORM_MODIFIED;
  if (modified)
    limb_yml_check_keys(&r->check, n, modified_keys, COUNT(modified_keys) - !sigma);
  else
    limb_yml_check_keys(&r->check, n, standard_keys, COUNT(standard_keys) - !sigma);
  if (r->check.errors == before) return 1;
  limb_report_hint(r->check.findings, "a %s row has %s%s", modified ? "modified" : "standard",
                   modified ? "gamma, b, alpha, d, theta, r" : "theta, d, a, alpha", sigma ? ", sigma" : "");
  return 0;
}

static int place_dh(yaml_reader* r, const yml_node* n, sketch_joint* j, int* type)
{
  const int good = check_row(r, n, 1);
  if (r->dh == FORM_REPORTED || n->kind != YML_MAP) return 0;
  if (!settle_sigma(r, n, type)) return 0;
  const bool placed = r->dh == FORM_MODIFIED ? modified_pose(r, n, &j->def.placement) : place_standard(r, n, j, *type);
  return placed && good;
}

int limb_yaml_row_pose(yaml_reader* r, const yml_node* n, sp_pose* X)
{
  if (!check_row(r, n, 0)) return 0;
  return r->dh == FORM_MODIFIED ? modified_pose(r, n, X) : standard_pose(r, n, X);
}

// ---- home poses -------------------------------------------------------------------------------------

// Pose of the child in the parent at q = 0.
static int home_of_child(yaml_reader* r, const sketch_joint* j, limb_mark at, sp_pose* T, sp_pose* M)
{
  static const char* const role[] = {"child", "parent"};
  const char* const body[] = {j->child, j->parent};
  const sp_pose* pose[2] = {NULL, NULL};
  const sp_pose world = sp_pose_identity();
  int good = 1;
  for (int i = 0; i < 2; i++) {
    const bool ground = i == 1 && strcmp(body[i], "world") == 0;
    const yaml_home* home = ground ? NULL : limb_yaml_find_home(r, body[i]);
    pose[i] = home ? &home->pose : &world;
    if (home || ground) continue;
    good = 0;
    if (!*body[i]) continue; // it was reported
    char name[LIMB_SHOWN_SPACE];
    limb_yml_error(&r->check, RULE_MISSING_KEY, at, "its %s '%s' has no home, which places the joint", role[i],
                   limb_shown(body[i], body[i] + strlen(body[i]), name));
  }
  *M = *pose[0];
  *T = sp_compose(sp_invert(*pose[1]), *pose[0]);
  return good;
}

// ---- screws -----------------------------------------------------------------------------------------

// Brings a screw to unit length: of w, or of v for a translation.
static int normalise_screw(yaml_reader* r, const yml_node* n, sp_motion* S)
{
  const bool turns = S->w.x != 0 || S->w.y != 0 || S->w.z != 0;
  const double length = limb_length(turns ? S->w : S->v), off = fabs(length - 1);
  char text[LIMB_NUMBER_SPACE];
  if (off <= 4 * DBL_EPSILON) return 1;
  (void)limb_print_number(length, text);
  if (!(off <= 1e-3)) {
    limb_yml_error(&r->check, RULE_BAD_AXIS, n->mark, "the %s part of the screw has length %s instead of 1",
                   turns ? "angular" : "linear", text);
    limb_report_hint(r->check.findings, "a screw is wx, wy, wz, vx, vy, vz with |w| = 1, or w = 0 and |v| = 1");
    return 0;
  }
  if (off > 1e-6)
    limb_report(r->check.findings, RULE_NORMALISED, n->mark, r->check.about,
                "the %s part of the screw has length %s; the screw is divided by it", turns ? "angular" : "linear",
                text);
  *S = sp_scalem(1 / length, *S);
  return 1;
}

// The type that a screw of this pitch has, or whether the stated one can be.
static int settle_screw_type(yaml_reader* r, const yml_node* n, const sp_motion* S, double pitch, int* type)
{
  const bool turns = S->w.x != 0 || S->w.y != 0 || S->w.z != 0;
  const double size = sp_norm3(S->v), slope = fabs(pitch);
  char text[LIMB_NUMBER_SPACE];
  (void)limb_print_number(pitch, text);
  if (*type == TYPE_OPEN) {
    *type = !turns ? LIMB_PRISMATIC : slope > 1e-9 * size ? LIMB_HELICAL : LIMB_REVOLUTE;
    if (*type != LIMB_HELICAL) return 1;
    limb_report(r->check.findings, RULE_ASSUMED, n->mark, r->check.about,
                "w.v of the screw is %s m/rad: the joint is helical", text);
    limb_report_hint(r->check.findings, "state 'type: revolute' if w and v should be at right angles");
    return 1;
  }
  const bool needs_turn = *type == LIMB_REVOLUTE || *type == LIMB_HELICAL || *type == LIMB_CYLINDRICAL;
  if (!needs_turn && *type != LIMB_PRISMATIC)
    limb_yml_error(&r->check, RULE_BAD_JOINT, n->key_mark, "a screw cannot place a %s joint", yaml_joint_types[*type]);
  else if (needs_turn != turns)
    limb_yml_error(&r->check, RULE_BAD_JOINT, n->mark, "the joint is %s, but the angular part of its screw is %szero",
                   yaml_joint_types[*type], turns ? "not " : "");
  else if (turns && *type != LIMB_HELICAL && slope > 1e-6 * size)
    limb_yml_error(&r->check, RULE_BAD_JOINT, n->mark, "the joint is %s, but its screw has the pitch %s m/rad",
                   yaml_joint_types[*type], text);
  else
    return 1;
  return 0;
}

// S in the child's frame, w.v = pitch:  v = r x w + pitch w,  so that  w x v  is the point of the axis that
// is nearest to the child's origin.
static void place_screw(sketch_joint* j, const sp_pose* T, const sp_motion* S, double scale)
{
  j->def.placement = *T;
  if (j->def.type == LIMB_PRISMATIC) {
    j->def.axis = S->v;
    return;
  }
  j->def.axis = S->w;
  const sp_vec3 point = sp_cross3(S->w, S->v);
  if (sp_norm3(point) <= 64 * DBL_EPSILON * scale) return; // rounding: the axis passes through the origin
  j->def.placement.p = sp_point(*T, point);
  j->offset.p = sp_sub3(sp_v3(0, 0, 0), point);
}

static int place_by_screw(yaml_reader* r, const yml_node* n, sketch_joint* j, int* type)
{
  double x[6];
  sp_pose T, M;
  const int homes = home_of_child(r, j, n->key_mark, &T, &M);
  if (r->poe == FORM_UNSTATED) {
    limb_yml_error(&r->check, RULE_MISSING_KEY, n->key_mark,
                   "the file must state 'poe: space' or 'poe: body' at its top: the frame of the screws");
    r->poe = FORM_REPORTED;
  }
  if (!limb_yml_numbers(&r->check, n, 6, x)) return 0;
  sp_motion S = sp_motion_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5]));
  if (!normalise_screw(r, n, &S)) return 0;
  const double pitch = sp_dot3(S.w, S.v);
  if (!settle_screw_type(r, n, &S, pitch, type) || !homes || r->poe == FORM_REPORTED) return 0;
  const double scale = sp_norm3(S.v) + sp_norm3(M.p);
  if (r->poe == FORM_SPACE) S = sp_motion_in(M, S);
  j->def.type = (limb_joint_type)*type;
  if (*type == LIMB_HELICAL) j->def.pitch = pitch;
  place_screw(j, &T, &S, scale);
  return 1;
}

// ---- which of them ----------------------------------------------------------------------------------

int limb_yaml_place(yaml_reader* r, const yml_node* n, sketch_joint* j, int* type)
{
  static const char* const ways[] = {"pose", "dh", "screw"};
  const yml_node* way = limb_yml_one_of(&r->check, n, ways, COUNT(ways));
  const yaml_home* home = limb_yaml_find_home(r, j->child);
  sp_pose M;
  if (home && way && way->key[0] != 's') {
    limb_yml_error(&r->check, RULE_BAD_VALUE, way->key_mark,
                   "the joint is placed twice: by its %s, and by the home of its child on line %d", way->key,
                   home->mark.line);
    return 0;
  }
  if (way && way->key[0] == 'd') return place_dh(r, way, j, type);
  if (way && way->key[0] == 's') return place_by_screw(r, way, j, type);
  if (way) return limb_yaml_pose_value(r, way, &j->def.placement);
  return home ? home_of_child(r, j, n->mark, &j->def.placement, &M) : 1;
}
