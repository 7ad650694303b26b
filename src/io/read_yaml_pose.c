// Poses of limb YAML: a position, and a rotation as angles, quaternion or matrix.
#include "io/read_yaml_impl.h"
#include "io/yaml_schema.h"

#include "base/number.h"
#include "io/angles.h"

#include <math.h>

static const char* const pose_keys[] = {YAML_POSE_KEYS};
static const char* const rotation_keys[] = {"rpy", "quaternion", "matrix"};

int limb_yaml_vec3(yaml_reader* r, const yml_node* n, sp_vec3* x)
{
  double v[3];
  if (!limb_yml_numbers(&r->check, n, 3, v)) return 0;
  *x = sp_v3(v[0], v[1], v[2]);
  return 1;
}

int limb_yaml_direction(yaml_reader* r, const yml_node* n, sp_vec3* x)
{
  if (!limb_yaml_vec3(r, n, x)) return 0;
  if (x->x == 0 && x->y == 0 && x->z == 0) {
    limb_yml_error(&r->check, RULE_BAD_AXIS, n->mark, "%s is zero", n->key);
    return 0;
  }
  const double length = limb_length(*x);
  if (fabs(length - 1) > 1e-6) {
    char text[LIMB_NUMBER_SPACE];
    (void)limb_print_number(length, text);
    limb_report(r->check.findings, RULE_NORMALISED, n->mark, r->check.about,
                "%s has length %s; only its direction counts", n->key, text);
  }
  return 1;
}

static int read_quaternion(yaml_reader* r, const yml_node* n, sp_mat3* R)
{
  double q[4];
  if (!limb_yml_numbers(&r->check, n, 4, q)) return 0;
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(fabs(norm - 1) <= 1e-3)) {
    char text[LIMB_NUMBER_SPACE];
    (void)limb_print_number(norm, text);
    limb_yml_error(&r->check, RULE_BAD_VALUE, n->mark, "the quaternion has norm %s instead of 1", text);
    limb_report_hint(r->check.findings, "the order is x, y, z, w");
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
  if (!limb_yml_numbers(&r->check, n, 9, A.m)) return 0;
  const double defect = rotation_defect(&A);
  if (!(defect <= 1e-6)) {
    char text[LIMB_NUMBER_SPACE];
    (void)limb_print_number(defect, text);
    limb_yml_error(&r->check, RULE_BAD_VALUE, n->mark,
                   "the matrix is not a rotation: R'R = 1 or det R = 1 is missed by %s (at most 1e-6)", text);
    return 0;
  }
  *R = A;
  return 1;
}

// The rotation whose key stands in this mapping; the identity when there is none.
static int read_rotation(yaml_reader* r, const yml_node* map, sp_mat3* R)
{
  *R = sp_identity3();
  const yml_node* n = limb_yml_one_of(&r->check, map, rotation_keys, COUNT(rotation_keys));
  if (!n) return 1;
  double rpy[3];
  switch (n->key[0]) {
  case 'q': return read_quaternion(r, n, R);
  case 'm': return read_matrix(r, n, R);
  default: break;
  }
  if (!limb_yml_angles(&r->check, n, 3, r->angle, rpy)) return 0;
  *R = limb_rot_rpy(rpy);
  return 1;
}

int limb_yaml_pose(yaml_reader* r, const yml_node* map, sp_pose* X)
{
  *X = sp_pose_identity();
  const yml_node* xyz = limb_yml_get(map, "xyz");
  const int placed = xyz ? limb_yaml_vec3(r, xyz, &X->p) : 1;
  return read_rotation(r, map, &X->R) && placed;
}

int limb_yaml_pose_value(yaml_reader* r, const yml_node* n, sp_pose* X)
{
  if (!limb_yml_is(&r->check, n, YML_MAP)) return 0;
  limb_yml_check_keys(&r->check, n, pose_keys, COUNT(pose_keys));
  return limb_yaml_pose(r, n, X);
}

int limb_yaml_rotation_value(yaml_reader* r, const yml_node* n, sp_mat3* R)
{
  if (!limb_yml_is(&r->check, n, YML_MAP)) return 0;
  limb_yml_check_keys(&r->check, n, rotation_keys, COUNT(rotation_keys));
  return read_rotation(r, n, R);
}
