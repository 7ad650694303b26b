// From where a robot is looked at, and boxes of inertias.
#include "figure.h"

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
  if (d->slides < 2) {
    d->slide[d->slides++] = axis;
  } else if (fabs(sp_dot3(sp_cross3(d->slide[0], d->slide[1]), axis)) > 1e-6) {
    d->spatial = 1;
  }
}

static void note_joint(directions* d, const limb_joint_def* joint, const sp_pose* poses)
{
  const sp_mat3 R = sp_mul3(poses[joint->parent].R, joint->placement.R);
  const sp_vec3 axis = sp_mulv(R, joint->axis);
  if (joint->type == LIMB_REVOLUTE || joint->type == LIMB_PLANAR) {
    note_turn(d, axis);
  } else if (joint->type == LIMB_PRISMATIC) {
    note_slide(d, axis);
  } else if (joint->type != LIMB_FIXED) {
    d->spatial = 1;
  }
}

// A normal of the plane, when there is one. Slides alone leave a choice: the plane is upright then.
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

void cli_figure_look(cli_figure* f, const limb_model* m, const sp_pose* poses)
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

// One rotation of Jacobi's method: A := J' A J with A_pq = 0, V := V J.
static void rotate(double A[3][3], double V[3][3], int p, int q)
{
  if (A[p][q] == 0) return;
  const double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
  const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
  const double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < 3; k++) {
    const double x = A[k][p], y = A[k][q];
    A[k][p] = c * x - s * y, A[k][q] = s * x + c * y;
  }
  for (int k = 0; k < 3; k++) {
    const double x = A[p][k], y = A[q][k];
    A[p][k] = c * x - s * y, A[q][k] = s * x + c * y;
  }
  for (int k = 0; k < 3; k++) {
    const double x = V[k][p], y = V[k][q];
    V[k][p] = c * x - s * y, V[k][q] = s * x + c * y;
  }
}

int cli_inertia_box(const sp_inertia* inertia, sp_vec3 half[3])
{
  const sp_inertia* Y = inertia;
  double A[3][3] = {{Y->xx, Y->xy, Y->xz}, {Y->xy, Y->yy, Y->yz}, {Y->xz, Y->yz, Y->zz}};
  double V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int extended = 0;
  for (int sweep = 0; sweep < 12; sweep++) {
    rotate(A, V, 0, 1);
    rotate(A, V, 0, 2);
    rotate(A, V, 1, 2);
  }
  for (int i = 0; i < 3; i++) {
    // I_j + I_k - I_i = m l_i^2 / 6
    const double square = 6 * (A[0][0] + A[1][1] + A[2][2] - 2 * A[i][i]) / Y->mass;
    const double length = Y->mass > 0 && square > 0 ? sqrt(square) : 0;
    half[i] = sp_scale3(length / 2, sp_v3(V[0][i], V[1][i], V[2][i]));
    extended += length > 0;
  }
  return extended >= 2;
}
