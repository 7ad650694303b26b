// Poses of limb YAML, and the placement of joints: by a pose, by a Denavit-Hartenberg row, by a screw, by home poses.
// Rows also place the frames of loops.
//
//   modified (Khalil 2010, eq. 1)        joint frame = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)
//   standard                             child frame = Rz(theta) Tz(d) Tx(a) Rx(alpha), moving about the first z
//   screw (Lynch and Park 2017, ch. 9)   child frame = M_parent^-1 exp(S q) M_child,  S = (w; v)
//
// screws of a file may be in the axes of the world, of the child, or of a tool, at home: S = Ad(M) B.
// A builder needs the child's frame on the joint at q = 0. Where the axis does not pass through the child's origin, the
// joint frame is the child's frame, shifted to the nearest point of the axis, and the offset of the raw joint is the
// shift back.
#include "io/read_yaml.h"

#include "io/geometry.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- poses ----------------------------------------------------------------------------------------

static const char rotation_keys[] = "rpy quaternion matrix";

int limb_yaml_vec3(yaml_reader* r, const yml_node* n, const char* unit, sp_vec3* x)
{
  double v[3];
  if (!limb_yml_quantities(&r->report, n, 3, unit, v)) return 0;
  *x = sp_v3(v[0], v[1], v[2]);
  return 1;
}

int limb_yaml_direction(yaml_reader* r, const yml_node* n, sp_vec3* x)
{
  if (!limb_yaml_vec3(r, n, NULL, x)) return 0;
  const double length = limb_length(*x);
  if (length == 0)
    limb_report_error(&r->report, RULE_BAD_AXIS, n->pos, "%s is zero", n->key);
  else if (fabs(length - 1) > 1e-6)
    limb_report_note(&r->report, RULE_NORMALISED, n->pos, "%s has length %s: only its direction is used", n->key,
                     limb_show(length).text);
  return length != 0;
}

static int read_quaternion(yaml_reader* r, const yml_node* n, sp_mat3* R)
{
  double q[4];
  if (!limb_yml_numbers(&r->report, n, 4, q)) return 0;
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(fabs(norm - 1) <= 1e-3)) {
    limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "the quaternion has norm %s instead of 1",
                      limb_show(norm).text);
    limb_report_hint(r->report.findings, "the order of its numbers is x, y, z, w");
    return 0;
  }
  *R = limb_rot_quat(q[0], q[1], q[2], q[3]);
  return 1;
}

// Largest entry of R'R - 1, or how far the determinant is from +1.
static double rotation_defect(const sp_mat3* R)
{
  const double* m = R->m;
  const sp_mat3 G = sp_mul3(sp_transpose3(*R), *R);
  const sp_vec3 a = sp_v3(m[0], m[1], m[2]), b = sp_v3(m[3], m[4], m[5]), c = sp_v3(m[6], m[7], m[8]);
  double worst = fabs(sp_dot3(a, sp_cross3(b, c)) - 1);
  for (int i = 0; i < 9; i++) worst = fmax(worst, fabs(G.m[i] - (i % 4 == 0 ? 1 : 0)));
  return worst;
}

static int read_matrix(yaml_reader* r, const yml_node* n, sp_mat3* R)
{
  sp_mat3 A;
  if (!limb_yml_numbers(&r->report, n, 9, A.m)) return 0;
  const double defect = rotation_defect(&A);
  if (!(defect <= 1e-6)) {
    limb_report_error(&r->report, RULE_BAD_VALUE, n->pos,
                      "the matrix is not a rotation: R'R = 1 or det R = 1 is violated by %s (at most 1e-6 is allowed)",
                      limb_show(defect).text);
    return 0;
  }
  *R = A;
  return 1;
}

// A bare number of more than a turn, in a file of radians, is probably in degrees.
static void check_turn(yaml_reader* r, const yml_node* n, double radians)
{
  char label[YML_LABEL_SPACE];
  if (r->angle != 1 || !limb_looks_like_degrees(radians) || !limb_yml_is_bare(n)) return;
  limb_report_note(&r->report, RULE_ANGLE_DEGREES, n->pos, "%s is %s, which is more than one turn",
                   limb_yml_label(n, label), n->text);
  limb_report_hint(r->report.findings, "write %sdeg, or state 'angles: degrees' at the top", n->text);
}

// The rotation in the keys of a mapping; the identity when there is none.
static int read_rotation(yaml_reader* r, const yml_node* map, sp_mat3* R)
{
  *R = sp_identity3();
  const yml_node* n = limb_yml_one_of(&r->report, map, rotation_keys);
  if (!n) return 1;
  double rpy[3];
  switch (n->key[0]) {
  case 'q': return read_quaternion(r, n, R);
  case 'm': return read_matrix(r, n, R);
  default: break;
  }
  if (!limb_yml_angles(&r->report, n, 3, r->angle, rpy)) return 0;
  int i = 0;
  for (const yml_node* x = n->first; x; x = x->next) check_turn(r, x, rpy[i++]);
  *R = limb_rot_rpy(rpy);
  return 1;
}

int limb_yaml_pose(yaml_reader* r, const yml_node* map, sp_pose* X)
{
  *X = sp_pose_identity();
  const yml_node* xyz = limb_yml_get(map, "xyz");
  const int placed = xyz ? limb_yaml_vec3(r, xyz, "m", &X->p) : 1;
  return read_rotation(r, map, &X->R) && placed;
}

int limb_yaml_pose_value(yaml_reader* r, const yml_node* n, sp_pose* X)
{
  if (!limb_yml_is(&r->report, n, YML_MAP)) return 0;
  limb_yml_check_keys(&r->report, n, YAML_POSE_KEYS);
  return limb_yaml_pose(r, n, X);
}

int limb_yaml_rotation_value(yaml_reader* r, const yml_node* n, sp_mat3* R)
{
  if (!limb_yml_is(&r->report, n, YML_MAP)) return 0;
  limb_yml_check_keys(&r->report, n, rotation_keys);
  return read_rotation(r, n, R);
}

// ---- Denavit-Hartenberg rows ------------------------------------------------------------------------

static const char modified_keys[] = "gamma b alpha d theta r", standard_keys[] = "theta d a alpha";

// The numbers of a row in the order of its keys: those with the names of Greek letters are angles.
static int read_row(yaml_reader* r, const yml_node* row, const char* keys, double x[6])
{
  const int before = r->report.errors;
  for (int i = 0; i < 6; i++) x[i] = 0;
  for (const yml_node* n = row->first; n; n = n->next) {
    const int i = limb_find_word(keys, n->key, strlen(n->key));
    if (i >= 0 && n->key[1] == 0)
      (void)limb_yml_quantity(&r->report, n, "m", &x[i]);
    else if (i >= 0 && limb_yml_angle(&r->report, n, r->angle, &x[i]))
      check_turn(r, n, x[i]);
  }
  return r->report.errors == before;
}

// The frame that a row leads to.
static int row_pose(yaml_reader* r, const yml_node* n, sp_pose* X)
{
  double x[6];
  const bool modified = r->dh == FORM_MODIFIED;
  if (!read_row(r, n, modified ? modified_keys : standard_keys, x)) return 0;
  *X = modified ? sp_compose(sp_compose(limb_screw_z(x[0], x[1]), limb_screw_x(x[2], x[3])), limb_screw_z(x[4], x[5]))
                : sp_compose(limb_screw_z(x[0], x[1]), limb_screw_x(x[3], x[2]));
  return 1;
}

// The joint frame has the axes of the child's frame: Rz(theta) Tz(d) Rx(alpha); the axis in it is Rx(alpha)' z. The
// child's frame is a further along x, which a translation can have in its placement.
static int place_standard(yaml_reader* r, const yml_node* n, raw_joint* j, int type)
{
  double x[6];
  if (!read_row(r, n, standard_keys, x)) return 0;
  const sp_pose turned = limb_screw_z(x[0], x[1]), A = limb_screw_x(x[3], 0);
  j->def.placement = sp_compose(turned, A);
  j->def.axis = sp_v3(A.R.m[6], A.R.m[7], A.R.m[8]);
  if (type == LIMB_PRISMATIC)
    j->def.placement.p = sp_point(turned, sp_v3(x[2], 0, 0));
  else
    j->offset.p = sp_v3(x[2], 0, 0);
  return 1;
}

// sigma: 0 rotation, 1 translation, 2 fixed. It must agree with the type, or determines it.
static int settle_sigma(yaml_reader* r, const yml_node* n, int* type)
{
  static const int types[] = {LIMB_REVOLUTE, LIMB_PRISMATIC, LIMB_FIXED};
  static const char* const meaning[] = {"a rotation", "a translation", "fixed"};
  int sigma = 0;
  const yml_node* given = limb_yml_get(n, "sigma");
  if (!given && *type == TYPE_OPEN) {
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "neither type nor sigma is given");
    return 0;
  }
  if (!given) return 1;
  if (!limb_yml_integer(&r->report, given, 0, 2, &sigma)) return 0;
  if (*type == TYPE_OPEN) *type = types[sigma];
  const bool rotates = *type == LIMB_REVOLUTE || *type == LIMB_HELICAL;
  if (sigma == 0 ? rotates : *type == types[sigma]) return 1;
  limb_report_error(&r->report, RULE_BAD_JOINT, given->pos, "sigma %d means %s, but the type is %s", sigma,
                    meaning[sigma], joint_type_words[*type]);
  return 0;
}

// 1 when the file states the form of its rows, and this one has its keys and no others; sigma: 1 when it may have it.
static int check_row(yaml_reader* r, const yml_node* n, int sigma)
{
  if (!limb_yml_is(&r->report, n, YML_MAP)) return 0;
  if (r->dh == FORM_UNSTATED) {
    limb_report_error(&r->report, RULE_MISSING_KEY, n->key_pos,
                      "the file must state 'dh: modified' or 'dh: standard' at its top, because rows differ");
    r->dh = FORM_REPORTED;
  }
  if (r->dh == FORM_REPORTED) return 0;
  const int before = r->report.errors;
  const bool modified = r->dh == FORM_MODIFIED;
  limb_yml_check_keys(&r->report, n,
                      sigma      ? modified ? "gamma b alpha d theta r sigma" : "theta d a alpha sigma"
                      : modified ? modified_keys
                                 : standard_keys);
  if (r->report.errors == before) return 1;
  limb_report_hint(r->report.findings, "a %s row has %s%s", modified ? "modified" : "standard",
                   modified ? "gamma, b, alpha, d, theta, r" : "theta, d, a, alpha", sigma ? ", sigma" : "");
  return 0;
}

static int place_dh(yaml_reader* r, const yml_node* n, raw_joint* j, int* type)
{
  const int good = check_row(r, n, 1);
  if (r->dh == FORM_REPORTED || n->kind != YML_MAP) return 0;
  if (!settle_sigma(r, n, type)) return 0;
  const bool placed = r->dh == FORM_MODIFIED ? row_pose(r, n, &j->def.placement) : place_standard(r, n, j, *type);
  return placed && good;
}

int limb_yaml_row_pose(yaml_reader* r, const yml_node* n, sp_pose* X)
{
  return check_row(r, n, 0) && row_pose(r, n, X);
}

// ---- homes -------------------------------------------------------------------------------------

// Pose of the child in the parent at q = 0.
static int home_of_child(yaml_reader* r, const raw_joint* j, file_pos at, sp_pose* T, sp_pose* M)
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
    if (!*body[i]) continue; // reported
    limb_report_error(&r->report, RULE_MISSING_KEY, at, "its %s '%s' has no home, which is needed to place the joint",
                      role[i], limb_excerpt(body[i], NULL).text);
  }
  *M = *pose[0];
  *T = sp_compose(sp_invert(*pose[1]), *pose[0]);
  return good;
}

// ---- screws -----------------------------------------------------------------------------------------

// Scales a screw to unit length: of w, or of v for a translation.
static int normalise_screw(yaml_reader* r, const yml_node* n, sp_motion* S)
{
  const bool rotates = !limb_is_zero(S->w);
  const double length = limb_length(rotates ? S->w : S->v), off = fabs(length - 1);
  const number_text text = limb_show(length);
  if (off <= 4 * DBL_EPSILON) return 1;
  if (!(off <= 1e-3)) {
    limb_report_error(&r->report, RULE_BAD_AXIS, n->pos, "the %s part of the screw has length %s instead of 1",
                      rotates ? "angular" : "linear", text.text);
    limb_report_hint(r->report.findings, "a screw is wx, wy, wz, vx, vy, vz with |w| = 1, or w = 0 and |v| = 1");
    return 0;
  }
  if (off > 1e-6)
    limb_report_note(&r->report, RULE_NORMALISED, n->pos,
                     "the %s part of the screw has length %s; the screw is divided by it",
                     rotates ? "angular" : "linear", text.text);
  *S = sp_scalem(1 / length, *S);
  return 1;
}

// The type of a screw with this pitch, or whether the stated type is possible.
static int settle_screw_type(yaml_reader* r, const yml_node* n, const sp_motion* S, double pitch, int* type)
{
  const bool rotates = !limb_is_zero(S->w);
  const double size = sp_norm3(S->v), slope = fabs(pitch);
  const number_text text = limb_show(pitch);
  if (*type == TYPE_OPEN) {
    *type = !rotates ? LIMB_PRISMATIC : slope > 1e-9 * size ? LIMB_HELICAL : LIMB_REVOLUTE;
    if (*type != LIMB_HELICAL) return 1;
    limb_report_note(&r->report, RULE_ASSUMED, n->pos, "w.v of the screw is %s m/rad: a helical joint is assumed",
                     text.text);
    limb_report_hint(r->report.findings, "write 'type: revolute' if w and v should be perpendicular");
    return 1;
  }
  const bool needs_turn = *type == LIMB_REVOLUTE || *type == LIMB_HELICAL || *type == LIMB_CYLINDRICAL;
  if (!needs_turn && *type != LIMB_PRISMATIC)
    limb_report_error(&r->report, RULE_BAD_JOINT, n->key_pos, "a screw cannot place a %s joint",
                      joint_type_words[*type]);
  else if (needs_turn != rotates)
    limb_report_error(&r->report, RULE_BAD_JOINT, n->pos,
                      "the joint is %s, but the angular part of its screw is %szero", joint_type_words[*type],
                      rotates ? "not " : "");
  else if (rotates && *type != LIMB_HELICAL && slope > 1e-6 * size)
    limb_report_error(&r->report, RULE_BAD_JOINT, n->pos, "the joint is %s, but its screw has the pitch %s m/rad",
                      joint_type_words[*type], text.text);
  else
    return 1;
  return 0;
}

// S in the child's frame, w.v = pitch:  v = r x w + pitch w,  so that  w x v  is the point of the axis that
// is nearest to the child's origin.
static void place_screw(raw_joint* j, const sp_pose* T, const sp_motion* S, double scale)
{
  j->def.placement = *T;
  if (j->def.type == LIMB_PRISMATIC) {
    j->def.axis = S->v;
    return;
  }
  j->def.axis = S->w;
  const sp_vec3 point = sp_cross3(S->w, S->v);
  if (sp_norm3(point) <= 64 * DBL_EPSILON * scale) return; // within rounding, the axis passes through the origin
  j->def.placement.p = sp_point(*T, point);
  j->offset.p = sp_sub3(sp_v3(0, 0, 0), point);
}

static int place_by_screw(yaml_reader* r, const yml_node* n, raw_joint* j, int* type)
{
  double x[6];
  sp_pose T, M;
  const int homes = home_of_child(r, j, n->key_pos, &T, &M);
  if (r->poe == FORM_UNSTATED) {
    limb_report_error(&r->report, RULE_MISSING_KEY, n->key_pos,
                      "the file must state 'poe: space', 'body' or 'tool' at its top, the frame of the screws");
    r->poe = FORM_REPORTED;
  }
  if (!limb_yml_numbers(&r->report, n, 6, x)) return 0;
  sp_motion S = sp_motion_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5]));
  if (!normalise_screw(r, n, &S)) return 0;
  const double pitch = sp_dot3(S.w, S.v);
  if (!settle_screw_type(r, n, &S, pitch, type) || !homes || r->poe == FORM_REPORTED) return 0;
  const double scale = sp_norm3(S.v) + sp_norm3(M.p) + sp_norm3(r->tool.p);
  if (r->poe == FORM_TOOL) S = sp_motion_out(r->tool, S);
  if (r->poe != FORM_BODY) S = sp_motion_in(M, S);
  j->def.type = (limb_joint_type)*type;
  if (*type == LIMB_HELICAL) j->def.pitch = pitch;
  place_screw(j, &T, &S, scale);
  return 1;
}

// ---- placement ----------------------------------------------------------------------------------

int limb_yaml_place(yaml_reader* r, const yml_node* n, raw_joint* j, int* type)
{
  const yml_node* way = limb_yml_one_of(&r->report, n, "pose dh screw");
  const yaml_home* home = limb_yaml_find_home(r, j->child);
  sp_pose M;
  if (home && way && way->key[0] != 's') {
    limb_report_error(&r->report, RULE_BAD_VALUE, way->key_pos,
                      "the joint is placed twice, by its %s and by the home of its child on line %d", way->key,
                      home->pos.line);
    return 0;
  }
  if (way && way->key[0] == 'd') return place_dh(r, way, j, type);
  if (way && way->key[0] == 's') return place_by_screw(r, way, j, type);
  if (way) return limb_yaml_pose_value(r, way, &j->def.placement);
  return home ? home_of_child(r, j, n->pos, &j->def.placement, &M) : 1;
}
