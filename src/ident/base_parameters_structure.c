// Base parameters by the structure of the robot: which combinations leave a link for its antecedent.
//
// Reference: M. Gautier, W. Khalil, Direct calculation of minimum set of inertial parameters of serial
//            robots, IEEE Trans. Robotics and Automation 6(3), 1990; W. Khalil, E. Dombre, Modeling,
//            identification and control of robots, 2002, section 9.4; as transfers across joints, with
//            spans closed under their motion: P. Wensing, G. Niemeyer, J.-J. Slotine, A geometric
//            characterization of observability in inertial parameter identification, 2017.
// Cost:      O(n).
//
// The energy of link j is linear in its parameters: E_j = f_j theta_j / 2 + u_j theta_j, with f_j the row
// of v . I v and u_j the row of the potential. A combination of parameters has no effect on tau when its
// energy is constant (Gautier and Khalil). Take the links from the tips on. Only the energy of j depends
// on its own coordinate q and its rate, so a vector theta_j (with Ia of the rotor and the offset c of the
// actuator) belongs to such a combination only if its energy does not change with them. With S the axis,
// V the velocities that the antecedent can have and B the rate of the parameters of a body under the
// motion S (so that the row of the moving link is exp(B q)' f):
//
//   S . I S + Ia = 0          the part of q'^2
//   V . I S = 0               the part of q'                    for all V
//   (B' f) theta = 0          the part that depends on q        for all rows f of velocities
//   (B' u) theta + c = 0      the potential                     for all rows u
//
// Then theta_j might as well sit on the antecedent, as theta_j moved there: it leaves j, and the argument
// goes on with the antecedent; what the world gets has no effect. So the vectors that leave the links, each
// with its opposite on the antecedent, span all combinations without effect. The known rules are the
// special cases: m, mz and Ixx + Iyy leave a rotation (they sit on its axis), the six moments a translation,
// m a ball joint; between the first axis and the first that is not parallel to it, nearly all leaves; a
// rotor leaves with ZZ when the axis turns at its own rate only.
//
// "For all V" is a span: the rows of the antecedent, moved to the link and closed under the motion of the
// joint. The span of exp(A q) x over all q is the smallest space with x that A maps into itself: it is
// found by applying A until nothing new comes. All coordinates count as independent: with mimic joints what
// is found is true, but there may be more.

#include "ident/base_parameters_impl.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

enum { AXES = 6 };

// A space of vectors of dim numbers, by an orthonormal basis.
typedef struct space {
  int dim, count;
  double basis[LIMB_LEAVE][LIMB_LEAVE];
} space;

// How a link can move: rows and velocities in link axes, in the robot's own unit of length.
typedef struct reach {
  space velocity;             // 6: V
  space rows;                 // 10: f
  space potential;            // 10: differences of u
  double rest[LIMB_INERTIAL]; // one u
} reach;

// A joint: its axes, and the rates of a body's parameters under them.
typedef struct joint_motion {
  int count;
  sp_motion axis[AXES];
  double rate[AXES][LIMB_INERTIAL][LIMB_INERTIAL]; // rate[k][i][j] = B of axis k
} joint_motion;

// ---- spaces -------------------------------------------------------------------------------------------------

// Takes x into the space; false when it was there already.
static bool join(space* s, const double* x)
{
  double y[LIMB_LEAVE];
  const size_t dim = (size_t)s->dim;
  memcpy(y, x, dim * sizeof *y);
  const double size = sqrt(limb_dot(dim, x, x));
  if (s->count == s->dim || size <= LIMB_BASE_ZERO) return false;
  for (int pass = 0; pass < 2; pass++) { // twice is enough
    for (int k = 0; k < s->count; k++) {
      const double along = limb_dot(dim, y, s->basis[k]);
      for (int i = 0; i < s->dim; i++) y[i] -= along * s->basis[k][i];
    }
  }
  const double left = sqrt(limb_dot(dim, y, y));
  if (left <= LIMB_BASE_ZERO * fmax(1, size)) return false;
  for (int i = 0; i < s->dim; i++) s->basis[s->count][i] = y[i] / left;
  s->count++;
  return true;
}

static sp_motion motion_of(const double* x) { return sp_motion_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5])); }

static void join_motion(space* s, sp_motion v)
{
  const double x[AXES] = {v.w.x, v.w.y, v.w.z, v.v.x, v.v.y, v.v.z};
  (void)join(s, x);
}

// y = A' x
static void transposed_times(double A[LIMB_INERTIAL][LIMB_INERTIAL], const double* x, double* y)
{
  for (int j = 0; j < LIMB_INERTIAL; j++) {
    y[j] = 0;
    for (int i = 0; i < LIMB_INERTIAL; i++) y[j] += A[i][j] * x[i];
  }
}

// Closes a space of rows under the motion of a joint: x -> B' x.
static void close_rows(space* s, joint_motion* joint)
{
  double y[LIMB_INERTIAL];
  for (int k = 0; k < s->count; k++) { // grows meanwhile
    for (int a = 0; a < joint->count; a++) {
      transposed_times(joint->rate[a], s->basis[k], y);
      (void)join(s, y);
    }
  }
}

// The same for velocities: x -> S x x.
static void close_velocities(space* s, const joint_motion* joint)
{
  for (int k = 0; k < s->count; k++) {
    for (int a = 0; a < joint->count; a++) join_motion(s, sp_crm(joint->axis[a], motion_of(s->basis[k])));
  }
}

// ---- joints -------------------------------------------------------------------------------------------------

// Rate of ten parameters of a body that moves with S: h' = w x h + m v, I' = w x I - I x w + 2 (v.h) 1 - v h'
// - h v'
static void parameters_rate(sp_motion S, const double* x, double* out)
{
  const sp_vec3 w = S.w, v = S.v, h = sp_v3(x[1], x[2], x[3]);
  const sp_vec3 dh = sp_add3(sp_cross3(w, h), sp_scale3(x[0], v));
  const sp_mat3 W = {{0, -w.z, w.y, w.z, 0, -w.x, -w.y, w.x, 0}};
  const sp_mat3 I = {{x[4], x[5], x[6], x[5], x[7], x[8], x[6], x[8], x[9]}};
  const sp_mat3 T = sp_mul3(W, I); // w x I - I x w = T + T'
  const double t = 2 * sp_dot3(v, h);
  out[0] = 0;
  out[1] = dh.x, out[2] = dh.y, out[3] = dh.z;
  out[4] = 2 * T.m[0] + t - 2 * v.x * h.x;
  out[5] = T.m[1] + T.m[3] - v.x * h.y - v.y * h.x;
  out[6] = T.m[2] + T.m[6] - v.x * h.z - v.z * h.x;
  out[7] = 2 * T.m[4] + t - 2 * v.y * h.y;
  out[8] = T.m[5] + T.m[7] - v.y * h.z - v.z * h.y;
  out[9] = 2 * T.m[8] + t - 2 * v.z * h.z;
}

static void columns_of(double A[LIMB_INERTIAL][LIMB_INERTIAL], int j, const double* column)
{
  for (int i = 0; i < LIMB_INERTIAL; i++) A[i][j] = column[i];
}

static sp_motion axis_of(const limb_grouping* g, int link, int k)
{
  const limb_link* l = &g->m->link[link];
  const double pitch = g->m->k64[link].pitch / g->length;
  double x[AXES] = {0};
  if (l->ndof > 1) {
    x[k] = 1;
  } else {
    x[2] = l->joint_class != CLASS_TRANS;
    x[5] = l->joint_class == CLASS_TRANS ? 1 : l->joint_class == CLASS_SCREW ? pitch : 0;
  }
  return motion_of(x);
}

static joint_motion joint_of(const limb_grouping* g, int link)
{
  joint_motion joint = {.count = g->m->link[link].ndof};
  for (int k = 0; k < joint.count; k++) {
    joint.axis[k] = axis_of(g, link, k);
    for (int j = 0; j < LIMB_INERTIAL; j++) {
      double unit[LIMB_INERTIAL] = {0}, column[LIMB_INERTIAL];
      unit[j] = 1;
      parameters_rate(joint.axis[k], unit, column);
      columns_of(joint.rate[k], j, column);
    }
  }
  return joint;
}

// What the antecedent's motion makes of a link whose joint moves, too, but for its rate.
static reach carried(const reach* from, const sp_pose* X, joint_motion* joint)
{
  reach r = {.velocity = {.dim = AXES}, .rows = {.dim = LIMB_INERTIAL}};
  r.potential = (space){.dim = LIMB_INERTIAL};
  double move[LIMB_INERTIAL][LIMB_INERTIAL], y[LIMB_INERTIAL];
  for (int j = 0; j < LIMB_INERTIAL; j++) {
    double unit[LIMB_INERTIAL] = {0};
    unit[j] = 1;
    limb_parameters_move(X, unit, y);
    columns_of(move, j, y);
  }
  for (int k = 0; k < from->velocity.count; k++)
    join_motion(&r.velocity, sp_motion_in(*X, motion_of(from->velocity.basis[k])));
  for (int k = 0; k < from->rows.count; k++) {
    transposed_times(move, from->rows.basis[k], y);
    (void)join(&r.rows, y);
  }
  for (int k = 0; k < from->potential.count; k++) {
    transposed_times(move, from->potential.basis[k], y);
    (void)join(&r.potential, y);
  }
  transposed_times(move, from->rest, r.rest);
  for (int a = 0; a < joint->count; a++) {
    transposed_times(joint->rate[a], r.rest, y);
    (void)join(&r.potential, y);
  }
  close_velocities(&r.velocity, joint);
  close_rows(&r.rows, joint);
  close_rows(&r.potential, joint);
  return r;
}

// ---- what leaves --------------------------------------------------------------------------------------------

// One condition on (theta, Ia, c).
static void demand(space* conditions, const double* row, double rotor, double offset)
{
  double x[LIMB_LEAVE];
  memcpy(x, row, LIMB_INERTIAL * sizeof *x);
  x[LIMB_LEAVE_ROTOR] = rotor, x[LIMB_LEAVE_OFFSET] = offset;
  (void)join(conditions, x);
}

static void demand_still(space* conditions, joint_motion* joint, const space* rows)
{
  double y[LIMB_INERTIAL];
  for (int k = 0; k < rows->count; k++) {
    for (int a = 0; a < joint->count; a++) {
      transposed_times(joint->rate[a], rows->basis[k], y);
      demand(conditions, y, 0, 0);
    }
  }
}

// The four conditions of the head of this file.
static space conditions_of(const limb_grouping* g, int link, joint_motion* joint, const reach* r)
{
  space c = {.dim = LIMB_LEAVE};
  const double none[LIMB_INERTIAL] = {0};
  const bool single = joint->count == 1, actuated = limb_grouping_actuator(g, link) >= 0;
  for (int a = 0; a < joint->count; a++) {
    for (int b = 0; b <= a; b++) {
      double row[LIMB_INERTIAL] = {0};
      limb_add_inertia_row(1, joint->axis[a], joint->axis[b], row);
      demand(&c, row, single, 0);
    }
    for (int k = 0; k < r->velocity.count; k++) {
      double row[LIMB_INERTIAL] = {0};
      limb_add_inertia_row(1, motion_of(r->velocity.basis[k]), joint->axis[a], row);
      demand(&c, row, 0, 0);
    }
    double force[LIMB_INERTIAL];
    transposed_times(joint->rate[a], r->rest, force);
    demand(&c, force, 0, single);
  }
  demand_still(&c, joint, &r->rows);
  demand_still(&c, joint, &r->potential);
  if (!actuated || limb_grouping_leaves_out(g, LIMB_PARAMETER_ROTOR)) demand(&c, none, 1, 0);
  if (!actuated || limb_grouping_leaves_out(g, LIMB_PARAMETER_OFFSET)) demand(&c, none, 0, 1);
  return c;
}

// Entries in the order in which they are made to leave, as in the literature: rotors before all, m, mz and
// Iyy before the others. A rotor stays when gravity ties it to the offset: the mass leaves then.
static const int* preference(const space* leaving)
{
  static const int rotor_first[LIMB_LEAVE] = {10, 0, 3, 2, 1, 7, 4, 5, 6, 8, 9, 11};
  static const int mass_first[LIMB_LEAVE] = {0, 3, 2, 1, 7, 4, 5, 6, 8, 9, 10, 11};
  for (int k = 0; k < leaving->count; k++)
    if (fabs(leaving->basis[k][LIMB_LEAVE_OFFSET]) > LIMB_BASE_ZERO) return mass_first;
  return rotor_first;
}

static void swap_rows(double* x, double* y)
{
  for (int i = 0; i < LIMB_LEAVE; i++) {
    const double kept = x[i];
    x[i] = y[i], y[i] = kept;
  }
}

// Gauss and Jordan, pivots in the order of preference.
static void reduce(const space* leaving, limb_leaving* out)
{
  const int* order = preference(leaving);
  out->count = 0;
  memcpy(out->basis, leaving->basis, sizeof out->basis);
  for (int o = 0; o < LIMB_LEAVE && out->count < leaving->count; o++) {
    const int column = order[o], row = out->count;
    int best = row;
    for (int k = row + 1; k < leaving->count; k++)
      if (fabs(out->basis[k][column]) > fabs(out->basis[best][column])) best = k;
    if (fabs(out->basis[best][column]) <= LIMB_BASE_ZERO) continue;
    swap_rows(out->basis[row], out->basis[best]);
    const double pivot = out->basis[row][column];
    for (int i = 0; i < LIMB_LEAVE; i++) out->basis[row][i] /= pivot;
    for (int k = 0; k < leaving->count; k++) {
      const double factor = k == row ? 0 : out->basis[k][column];
      for (int i = 0; i < LIMB_LEAVE; i++) out->basis[k][i] -= factor * out->basis[row][i];
    }
    out->leaver[out->count++] = column;
  }
}

// Numbers next to a half or a whole are that: rounding of 0, 1, 1/2.
static double cleaned(double x)
{
  const double near = round(2 * x) / 2;
  return fabs(x - near) < LIMB_BASE_ZERO ? near : x;
}

static double leave_unit(const limb_grouping* g, int link, int entry)
{
  return limb_grouping_unit(g, limb_leave_kind(entry), limb_grouping_turns(g->m, link));
}

// All vectors that fulfil the conditions, reduced, in SI units.
static void leave_of(const limb_grouping* g, int link, const space* conditions, limb_leaving* out)
{
  space all = *conditions, leaving = {.dim = LIMB_LEAVE};
  for (int i = 0; i < LIMB_LEAVE; i++) {
    double unit[LIMB_LEAVE] = {0};
    unit[i] = 1;
    const int before = all.count;
    if (join(&all, unit)) memcpy(leaving.basis[leaving.count++], all.basis[before], sizeof unit);
  }
  reduce(&leaving, out);
  for (int k = 0; k < out->count; k++) {
    for (int i = 0; i < LIMB_LEAVE; i++) {
      const double unit = leave_unit(g, link, i) / leave_unit(g, link, out->leaver[k]);
      out->basis[k][i] = cleaned(out->basis[k][i]) * unit;
    }
  }
}

limb_status limb_grouping_structure(limb_grouping* g, limb_blocks* scratch)
{
  const limb_model* m = g->m;
  reach* all = limb_blocks_take(scratch, (size_t)m->nlink, sizeof *all);
  if (!all) return LIMB_E_NOMEM;
  const sp_vec3 gravity = sp_scale3(1 / g->length, g->env.gravity);
  // The world: it cannot move, and the potential there is -g . h.
  const reach world = {.velocity = {.dim = AXES},
                       .rows = {.dim = LIMB_INERTIAL},
                       .potential = {.dim = LIMB_INERTIAL},
                       .rest = {0, -gravity.x, -gravity.y, -gravity.z}};
  for (int i = 0; i < m->nlink; i++) {
    const int p = m->link[i].parent;
    joint_motion joint = joint_of(g, i);
    sp_pose X = g->joint_pose[i];
    X.p = sp_scale3(1 / g->length, X.p);
    reach* r = &all[i];
    *r = carried(p < 0 ? &world : &all[p], &X, &joint);
    const space conditions = conditions_of(g, i, &joint, r);
    leave_of(g, i, &conditions, &g->leave[i]);
    // now with the joint's own rate
    for (int a = 0; a < joint.count; a++) {
      double row[LIMB_INERTIAL];
      for (int k = 0; k < r->velocity.count; k++) {
        memset(row, 0, sizeof row);
        limb_add_inertia_row(1, motion_of(r->velocity.basis[k]), joint.axis[a], row);
        (void)join(&r->rows, row);
      }
      for (int b = 0; b <= a; b++) {
        memset(row, 0, sizeof row);
        limb_add_inertia_row(1, joint.axis[a], joint.axis[b], row);
        (void)join(&r->rows, row);
      }
    }
    for (int a = 0; a < joint.count; a++) join_motion(&r->velocity, joint.axis[a]);
  }
  return LIMB_OK;
}
