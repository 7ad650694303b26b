// The equations of a calibration and their solution.
//
// Reference: J. Hollerbach, C. Wampler, The calibration index and taxonomy for robot kinematic calibration methods,
//            Int. J. Robotics Research 15(6), 1996; G. Golub, C. Van Loan, Matrix computations, 4th edition, section
//            5.5.6 (basic solutions by QR with column pivoting).
// Cost:      per iteration 2 rows n^2 and the derivatives of the poses.
//
//   measured = D T C,   T = P_1 J_1(q + offset) P_2 J_2(q + offset) ...,   D: the world in the device, C: the target in
//   its frame, P: placements of joints, which change by small motions in their own axes, J: what joints do
//
// With X = D T C, a parameter that moves the frame with (w, v) in world axes moves the target with D.R (w, v + w x
// T.R C.p). The error of a rotation is the vector of the turn from X to what was measured.
//
// Columns, weighed by the noise of each kind and of length 1, are taken one by one, the one with the largest rest
// first: of device and target, then of joint offsets, then of placements. The rest of a column that is a combination
// of those taken is rounding.
#include "estimate/calibrate_impl.h"

#include "base/status.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DEPENDENT = 1e-6; // rest of a column of length 1

enum { ITERATIONS = 40, HALVINGS = 20, ROUNDS = 3, CLASSES = 4 };

static const int kind_of[MEASURED] = {0, 0, 0, 1, 1, 1, 2};

// ---- errors of a measurement ------------------------------------------------------------------------------

// Vector of a rotation, of angles below pi.
static sp_vec3 rotation_vector(sp_mat3 R)
{
  const sp_vec3 axis = sp_v3((R.m[7] - R.m[5]) / 2, (R.m[2] - R.m[6]) / 2, (R.m[3] - R.m[1]) / 2); // sin times axis
  const double sine = sp_norm3(axis), cosine = (R.m[0] + R.m[4] + R.m[8] - 1) / 2;
  if (sine > 1e-9) return sp_scale3(atan2(sine, cosine) / sine, axis);
  if (cosine > 0) return axis;
  // a half turn: R = 2 a a' - 1
  const double a[3] = {sqrt(fmax(0, (R.m[0] + 1) / 2)), sqrt(fmax(0, (R.m[4] + 1) / 2)),
                       sqrt(fmax(0, (R.m[8] + 1) / 2))};
  return sp_scale3(3.14159265358979323846, sp_v3(a[0], R.m[1] < 0 ? -a[1] : a[1], R.m[2] < 0 ? -a[2] : a[2]));
}

typedef struct sight { // of one measurement
  const limb_calibration* x;
  sp_pose T, X; // frame in the world, target in the device
  double* A;
} sight;

// The column of a parameter that moves the target with (w, v) in axes of the device.
static void put(const sight* s, int column, sp_vec3 w, sp_vec3 v)
{
  const double length = sp_norm3(s->X.p), along = length > 0 ? sp_dot3(s->X.p, v) / length : 0;
  const double entry[MEASURED] = {v.x, v.y, v.z, w.x, w.y, w.z, along};
  for (int i = 0; i < MEASURED; i++) s->A[i * s->x->n + column] = entry[i];
}

// The same for a motion of the frame in world axes, at its origin.
static void put_motion(const sight* s, int column, sp_motion m)
{
  const sp_mat3 D = s->x->now.device.R;
  const sp_vec3 lever = sp_mulv(s->T.R, s->x->now.target.p);
  put(s, column, sp_mulv(D, m.w), sp_mulv(D, sp_add3(m.v, sp_cross3(m.w, lever))));
}

// Motion of the frame per unit of an axis of a joint that stands at X in the world: a turn, or a shift.
static sp_motion about(const sight* s, sp_pose X, sp_vec3 axis, bool turns)
{
  const sp_vec3 a = sp_mulv(X.R, axis), none = {0, 0, 0};
  return turns ? sp_motion_make(a, sp_cross3(a, sp_sub3(s->T.p, X.p))) : sp_motion_make(none, a);
}

static void differentiate(const limb_calibration* x, const sight* s)
{
  const sp_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, none = {0, 0, 0};
  memset(s->A, 0, (size_t)MEASURED * (size_t)x->n * sizeof *s->A);
  for (int i = 0; i < 3; i++) {
    const sp_vec3 turned = sp_mulv(s->X.R, axis[i]);
    put(s, i, none, axis[i]);
    put(s, 3 + i, axis[i], sp_cross3(axis[i], s->X.p));
    put(s, limb_first_target() + i, none, turned);
    put(s, limb_first_target() + 3 + i, turned, none);
  }
  for (int j = 0; j < x->joints; j++) {
    const limb_joint_info own = limb_calibration_joint(x, j);
    const int first = limb_first_placement(x) + j * PLACEMENT;
    for (int i = 0; i < PLACEMENT; i++) put_motion(s, first + i, about(s, x->at[j], axis[i % 3], i >= 3));
    const limb_joint_type type = own.def.type;
    if (type != LIMB_REVOLUTE && type != LIMB_PRISMATIC && type != LIMB_HELICAL) continue;
    sp_motion m = about(s, x->at[j], own.def.axis, type != LIMB_PRISMATIC);
    if (type == LIMB_HELICAL) m = sp_addm(m, sp_scalem(own.def.pitch, about(s, x->at[j], own.def.axis, false)));
    put_motion(s, limb_first_offset() + own.v, sp_scalem(own.multiplier, m));
  }
}

// Pose of the frame in the world; x->at. The model has what joints do, (P_parent P)^-1 P_child.
static limb_status find_frame(limb_calibration* x, const double* q, sp_pose* T)
{
  limb_status s = limb_integrate(x->m, q, x->now.offset, 1, x->shifted);
  if (s == LIMB_OK) s = limb_kinematics(x->d, x->shifted, NULL, NULL);
  *T = sp_pose_identity();
  for (int j = 0; j < x->joints && s == LIMB_OK; j++) {
    const limb_joint_info own = limb_calibration_joint(x, j);
    sp_pose parent, child;
    s = limb_frame_pose(x->d, own.def.parent, &parent);
    if (s == LIMB_OK) s = limb_frame_pose(x->d, own.def.child, &child);
    if (s != LIMB_OK) return s;
    x->at[j] = sp_compose(*T, x->now.placement[j]);
    *T = sp_compose(x->at[j], sp_compose(sp_invert(sp_compose(parent, own.def.placement)), child));
  }
  *T = sp_compose(*T, x->in_body);
  return s;
}

limb_status limb_calibration_errors(limb_calibration* x, int k, double e[MEASURED], double* A)
{
  const double *pose = x->pose + (size_t)k * 13, *q = x->q + (size_t)k * (size_t)x->nq;
  sight s = {.x = x, .A = A};
  const limb_status status = find_frame(x, q, &s.T);
  if (status != LIMB_OK) return status;
  s.X = sp_compose(sp_compose(x->now.device, s.T), x->now.target);
  sp_mat3 R;
  memcpy(R.m, pose + 4, sizeof R.m);
  limb_write3(sp_sub3(limb_read3(pose + 1), s.X.p), e);
  limb_write3(rotation_vector(sp_mul3(R, sp_transpose3(s.X.R))), e + 3);
  e[6] = pose[0] - sp_norm3(s.X.p);
  if (A) differentiate(x, &s);
  for (int i = 0; i < MEASURED; i++) {
    if (x->what[k] & 1U << kind_of[i]) continue;
    e[i] = 0;
    if (A) memset(A + (size_t)i * (size_t)x->n, 0, (size_t)x->n * sizeof *A);
  }
  return status;
}

// ---- all equations ----------------------------------------------------------------------------------------

// Columns after each other, weighed: rows x n and b. Also the sum of squares.
typedef struct equations {
  int rows, n;
  double *A, *b, *length, *R; // R: n x n
  int* order;                 // pivots
} equations;

static bool equations_make(const limb_calibration* x, equations* e)
{
  const size_t rows = (size_t)MEASURED * (size_t)x->fitted, n = (size_t)x->n;
  *e = (equations){.rows = (int)rows, .n = x->n, .A = calloc(rows * (n + 1) + n * n + n + 1, sizeof *e->A)};
  e->order = calloc(n + 1, sizeof *e->order);
  if (!e->A || !e->order) return false;
  e->b = e->A + rows * n, e->length = e->b + rows, e->R = e->length + n;
  return true;
}

static void equations_free(equations* e) { free(e->A), free(e->order); }

static limb_status gather(limb_calibration* x, equations* e)
{
  limb_status s = LIMB_OK;
  for (int k = 0; k < x->fitted && s == LIMB_OK; k++) {
    double error[MEASURED];
    s = limb_calibration_errors(x, k, error, x->scratch);
    for (int i = 0; i < MEASURED && s == LIMB_OK; i++) {
      const int row = k * MEASURED + i;
      const double weight = 1 / x->sigma[kind_of[i]];
      e->b[row] = weight * error[i];
      for (int c = 0; c < x->n; c++)
        e->A[(size_t)c * (size_t)e->rows + (size_t)row] = weight * x->scratch[i * x->n + c];
    }
  }
  return s;
}

static limb_status cost(limb_calibration* x, double* sum)
{
  limb_status s = LIMB_OK;
  *sum = 0;
  for (int k = 0; k < x->fitted && s == LIMB_OK; k++) {
    double e[MEASURED];
    s = limb_calibration_errors(x, k, e, NULL);
    for (int i = 0; i < MEASURED && s == LIMB_OK; i++)
      *sum += e[i] * e[i] / (x->sigma[kind_of[i]] * x->sigma[kind_of[i]]);
  }
  return s;
}

static double* column_of(const equations* e, int c) { return e->A + (size_t)c * (size_t)e->rows; }

// Takes a column as the next one: what others have of it goes into R. Twice, against rounding.
static void take(equations* e, int taken, int c, const unsigned char* used)
{
  const size_t rows = (size_t)e->rows;
  double* q = column_of(e, c);
  const double norm = sqrt(limb_dot(rows, q, q));
  for (size_t i = 0; i < rows; i++) q[i] /= norm;
  e->R[taken * e->n + c] = norm;
  e->order[taken] = c;
  for (int k = 0; k < e->n; k++) {
    if (used[k] || k == c) continue;
    double* a = column_of(e, k);
    for (int twice = 0; twice < 2; twice++) {
      const double part = limb_dot(rows, q, a);
      for (size_t i = 0; i < rows; i++) a[i] -= part * q[i];
      e->R[taken * e->n + k] += part;
    }
  }
}

// Parameters are classes: 0 of device and target, 1 of offsets, 2 and 3 of joints that move and of fixed ones; -1: not
// sought.
static int class_of(const limb_calibration* x, int c)
{
  if (c < limb_first_target()) return x->o.unknown & LIMB_UNKNOWN_DEVICE ? 0 : -1;
  if (c < limb_first_offset()) return x->o.unknown & LIMB_UNKNOWN_TARGET ? 0 : -1;
  if (c < limb_first_placement(x)) return 1;
  if (x->o.offsets_only) return -1;
  return limb_calibration_joint(x, (c - limb_first_placement(x)) / PLACEMENT).def.type == LIMB_FIXED ? 3 : 2;
}

// The largest rest among columns of a class.
static int largest_rest(const equations* e, const limb_calibration* x, int class, const unsigned char* used,
                        double* rest)
{
  int best = -1;
  *rest = 0;
  for (int c = 0; c < e->n; c++) {
    if (used[c] || class_of(x, c) != class || e->length[c] == 0) continue;
    const double norm = sqrt(limb_dot((size_t)e->rows, column_of(e, c), column_of(e, c)));
    if (norm > *rest) *rest = norm, best = c;
  }
  return best;
}

// Factors; the columns found are x->column, in this order. On later calls the same ones again.
static limb_status factor(limb_calibration* x, equations* e)
{
  unsigned char* used = calloc((size_t)e->n + 1, 1);
  if (!used) return LIMB_E_NOMEM;
  memset(e->R, 0, (size_t)e->n * (size_t)e->n * sizeof *e->R);
  for (int c = 0; c < e->n; c++) {
    double* a = column_of(e, c);
    e->length[c] = sqrt(limb_dot((size_t)e->rows, a, a));
    for (int i = 0; i < e->rows && e->length[c] > 0; i++) a[i] /= e->length[c];
  }
  const bool again = x->found > 0;
  int taken = 0;
  for (; again && taken < x->found; taken++) used[x->column[taken]] = 1, take(e, taken, x->column[taken], used);
  x->facts.kept = again ? x->facts.kept : 1;
  for (int class = 0; class < CLASSES && !again; class ++) {
    double rest;
    int c;
    while ((c = largest_rest(e, x, class, used, &rest)) >= 0 && rest > DEPENDENT) {
      used[c] = 1, x->column[taken] = c;
      x->facts.kept = fmin(x->facts.kept, rest);
      take(e, taken++, c, used);
    }
    x->facts.dropped = fmax(x->facts.dropped, c >= 0 ? rest : 0);
  }
  free(used);
  x->found = taken;
  return taken > 0 ? LIMB_OK : LIMB_E_SINGULAR;
}

// R y = Q' b, then the change of each parameter.
static void back_substitute(const limb_calibration* x, const equations* e, double* change)
{
  memset(change, 0, (size_t)x->n * sizeof *change);
  for (int i = x->found - 1; i >= 0; i--) {
    const int c = x->column[i];
    double y = limb_dot((size_t)e->rows, column_of(e, c), e->b);
    for (int k = i + 1; k < x->found; k++) y -= e->R[i * e->n + x->column[k]] * change[x->column[k]];
    change[c] = y / e->R[i * e->n + c];
  }
  for (int c = 0; c < x->n; c++) change[c] /= e->length[c] > 0 ? e->length[c] : 1;
}

// Roots of the diagonal of (A'A)^-1: rows of R^-1.
static limb_status deviations(limb_calibration* x, const equations* e)
{
  double* y = calloc((size_t)x->found + 1, sizeof *y);
  if (!y) return LIMB_E_NOMEM;
  memset(x->std, 0, (size_t)x->n * sizeof *x->std);
  for (int k = 0; k < x->found; k++) { // column k of R^-1
    for (int i = x->found - 1; i >= 0; i--) {
      double sum = i == k;
      for (int j = i + 1; j < x->found; j++) sum -= e->R[i * e->n + x->column[j]] * y[j];
      y[i] = sum / e->R[i * e->n + x->column[i]];
      x->std[x->column[i]] += y[i] * y[i];
    }
  }
  for (int c = 0; c < x->n; c++) x->std[c] = e->length[c] > 0 ? sqrt(x->std[c]) / e->length[c] : 0;
  free(y);
  return LIMB_OK;
}

// ---- steps ------------------------------------------------------------------------------------------------

static sp_pose small_motion(const double* d)
{
  const sp_vec3 turn = limb_read3(d + 3);
  const double angle = sp_norm3(turn);
  const sp_mat3 R = angle > 0 ? sp_rot_axis(sp_scale3(1 / angle, turn), angle) : sp_identity3();
  return sp_pose_make(R, limb_read3(d));
}

// The state after a step of these lengths, times a factor.
static bool advance(const limb_calibration* x, const double* change, double factor, limb_calibration_state* out)
{
  double d[PLACEMENT];
  if (!limb_calibration_copy(x, &x->now, out)) return false;
  for (int block = 0; block < 2 + x->joints; block++) {
    const double* from = change + (block < 2 ? block * PLACEMENT : limb_first_placement(x) + (block - 2) * PLACEMENT);
    for (int k = 0; k < PLACEMENT; k++) d[k] = factor * from[k];
    if (block == 0)
      out->device = sp_compose(small_motion(d), x->now.device);
    else if (block == 1)
      out->target = sp_compose(x->now.target, small_motion(d));
    else
      out->placement[block - 2] = sp_compose(x->now.placement[block - 2], small_motion(d));
  }
  for (int j = 0; j < x->nv; j++) out->offset[j] += factor * change[limb_first_offset() + j];
  return true;
}

// One step of Gauss-Newton, halved until the errors fall. *gain: relative.
static limb_status iterate(limb_calibration* x, equations* e, double* change, double* gain)
{
  double before, after = HUGE_VAL;
  limb_status s = gather(x, e);
  if (s == LIMB_OK) s = cost(x, &before);
  if (s == LIMB_OK) s = factor(x, e);
  if (s != LIMB_OK) return s;
  back_substitute(x, e, change);
  double factor = 1;
  *gain = 0;
  for (int halving = 0; halving < HALVINGS; halving++) {
    limb_calibration_state next, old = x->now;
    if (!advance(x, change, factor, &next)) {
      limb_calibration_state_free(&next);
      return LIMB_E_NOMEM;
    }
    x->now = next;
    s = cost(x, &after);
    if (s == LIMB_OK && after < before) {
      limb_calibration_state_free(&old);
      for (int c = 0; c < x->n; c++) x->change[c] += factor * change[c];
      *gain = (before - after) / before;
      return s;
    }
    x->now = old;
    limb_calibration_state_free(&next);
    if (s != LIMB_OK) return s;
    factor /= 2;
  }
  return LIMB_OK; // no step is better: converged
}

// Variances of the kinds of measurements, from the residuals.
static limb_status judge_noise(limb_calibration* x)
{
  double sum[KINDS] = {0}, rows[KINDS] = {0}, all = 0;
  for (int k = 0; k < x->fitted; k++) {
    double e[MEASURED];
    const limb_status s = limb_calibration_errors(x, k, e, NULL);
    if (s != LIMB_OK) return s;
    for (int i = 0; i < MEASURED; i++)
      if (x->what[k] & 1U << kind_of[i]) sum[kind_of[i]] += e[i] * e[i], rows[kind_of[i]]++, all++;
  }
  const double left = fmax(1 - x->found / all, 1 / all); // degrees of freedom per equation
  for (int i = 0; i < KINDS; i++)
    if (rows[i] > 0) x->sigma[i] = fmax(sqrt(sum[i] / (rows[i] * left)), 1e-12);
  return LIMB_OK;
}

static int count_equations(const limb_calibration* x)
{
  int count = 0;
  for (int k = 0; k < x->fitted; k++)
    for (int i = 0; i < MEASURED; i++) count += (x->what[k] & 1U << kind_of[i]) != 0;
  return count;
}

// Device and target stay as found, the robot is as in the model again: what can be told apart is decided here, for at
// the first guess of a target special cases are likely, such as a target on the last axis.
static void begin_again(limb_calibration* x)
{
  x->found = 0, x->facts.dropped = 0;
  memset(x->now.offset, 0, (size_t)x->nv * sizeof *x->now.offset);
  for (int j = 0; j < x->joints; j++) x->now.placement[j] = limb_calibration_joint(x, j).def.placement;
  for (int c = limb_first_offset(); c < x->n; c++) x->change[c] = 0;
}

limb_status limb_calibration_solve(limb_calibration* x, limb_error* err)
{
  equations e = {0};
  double *change = calloc((size_t)x->n + 1, sizeof *change), gain = 1;
  limb_status s = change && equations_make(x, &e) ? LIMB_OK : LIMB_E_NOMEM;
  const int count = count_equations(x);
  for (int round = 0; round < ROUNDS && s == LIMB_OK; round++) {
    gain = 1;
    if (round == 1) begin_again(x);
    for (int i = 0; i < ITERATIONS && s == LIMB_OK && gain > 1e-10; i++) {
      if (round == 0) x->found = 0;
      s = iterate(x, &e, change, &gain);
      x->facts.iterations++;
      if (s == LIMB_OK && count <= x->found)
        s = limb_fail(
          err, LIMB_E_ARG, "measurements",
          "%d numbers (%d poses that are fitted) are too few for %d parameters: measure more poses, or estimate "
          "joint offsets only",
          count, x->fitted, x->found);
    }
    if (s == LIMB_OK && gain > 1e-3) s = limb_fail(err, LIMB_E_NOCONV, "measurements", "the errors do not settle");
    if (s == LIMB_OK) s = judge_noise(x);
  }
  if (s == LIMB_OK) s = gather(x, &e);
  if (s == LIMB_OK) s = factor(x, &e);
  if (s == LIMB_OK) s = deviations(x, &e);
  if (s == LIMB_E_SINGULAR)
    s = limb_fail(err, s, "measurements", "they show no parameter: no joint that carries the frame moves");
  equations_free(&e);
  free(change);
  return s;
}
