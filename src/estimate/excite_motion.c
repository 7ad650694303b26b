// Motions of an excitation: Fourier series with polynomial ends, and the limits that they keep.
//
// Reference: J. Swevers, C. Ganseman, D. Tukel, J. De Schutter, H. Van Brussel, Optimal robot excitation and
//            identification, IEEE Trans. Robotics and Automation 13(5), 1997 (Fourier series; ends at rest by
//            polynomials).
// Cost:      inverse dynamics and its derivatives per sample where torques have limits, kinematics where boxes are.
//
//   q_j = c_j + w(t) F_j(t),   F_j = sum_l a_jl sin(l w_0 t) + b_jl cos(l w_0 t)
//   w = 10 u^3 - 15 u^4 + 6 u^5 at the ends, 1 between them
//
//   barrier = -weight sum log(1 - use),   use = |value - middle| / (share half of the range)
#include "estimate/excite_impl.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double END = 0.1; // share of the duration that either end takes

// ---- series -----------------------------------------------------------------------------------------------

// w and its derivatives by time.
static void window(double duration, double t, double w[3])
{
  const double end = END * duration, late = t > duration / 2 ? -1 : 1;
  const double u = (late > 0 ? t : duration - t) / end;
  w[0] = 1, w[1] = w[2] = 0;
  if (u >= 1) return;
  const double x = u > 0 ? u : 0;
  w[0] = x * x * x * (10 - 15 * x + 6 * x * x);
  w[1] = late * 30 * x * x * (1 - 2 * x + x * x) / end;
  w[2] = 60 * x * (1 - 3 * x + 2 * x * x) / (end * end);
}

void limb_excite_basis(double duration, int harmonics, double t, double* out)
{
  const int width = 2 * harmonics;
  double w[3];
  window(duration, t, w);
  for (int k = 0; k < width; k++) {
    const int harmonic = k / 2 + 1;
    const double rate = 2 * PI / duration * harmonic, angle = rate * t + (k % 2 ? PI / 2 : 0);
    const double f[3] = {sin(angle), rate * cos(angle), -rate * rate * sin(angle)};
    out[k] = w[0] * f[0];
    out[width + k] = w[1] * f[0] + w[0] * f[1];
    out[2 * width + k] = w[2] * f[0] + 2 * w[1] * f[1] + w[0] * f[2];
  }
}

void limb_excite_state(const limb_excite_problem* p, const double* basis, const double* center, const double* x,
                       double* q, double* v, double* a)
{
  const int width = p->width;
  for (int j = 0; j < p->nv; j++, x += width) {
    q[j] = center[j], v[j] = a[j] = 0;
    for (int k = 0; k < width; k++) {
      q[j] += basis[k] * x[k], v[j] += basis[width + k] * x[k], a[j] += basis[2 * width + k] * x[k];
    }
  }
}

// ---- limits -----------------------------------------------------------------------------------------------

static double middle_of(const limb_limits* l) { return (l->q_min + l->q_max) / 2; }

// Half of the range that may be used; a joint that cannot move has none.
static double half_of(const limb_excite_problem* p, const limb_limits* l)
{
  return p->o.share * (l->q_max - l->q_min) / 2;
}

// -weight log(1 - use), and its derivative by use; infinite where nothing is left.
static double barrier(double weight, double use, double* slope)
{
  const double left = 1 - use;
  *slope = left > 0 ? weight / left : 0;
  return left > 0 ? -weight * log(left) : HUGE_VAL;
}

// Both sides of |x| <= limit; adds the slope to g.
static double both_sides(double weight, double x, double limit, double* g)
{
  double up, down;
  if (limit == HUGE_VAL) return 0;
  const double value = barrier(weight, x / limit, &up) + barrier(weight, -x / limit, &down);
  *g += (up - down) / limit;
  return value;
}

static double simple_barriers(limb_excite_search* s, double weight)
{
  const limb_excite_problem* p = s->p;
  double value = 0;
  for (int j = 0; j < p->nv; j++) {
    const limb_limits* l = &p->limit[j];
    if (l->q_max <= l->q_min) continue;
    value += both_sides(weight, s->q[j] - middle_of(l), half_of(p, l), &s->gq[j]);
    value += both_sides(weight, s->v[j], p->o.share * l->v, &s->gv[j]);
    value += both_sides(weight, s->a[j], p->o.share * l->a, &s->ga[j]);
  }
  return value;
}

static limb_status torque_barriers(limb_excite_search* s, double weight, bool gradient, double* value)
{
  const limb_excite_problem* p = s->p;
  const int nv = p->nv;
  const size_t square = (size_t)nv * (size_t)nv;
  double *dq = s->dtau, *dv = dq + square, *M = dv + square;
  const limb_id_derivatives out = {s->tau, dq, dv, M};
  const limb_status status = gradient ? limb_inverse_dynamics_derivatives(s->d, s->q, s->v, s->a, &p->smooth, &out)
                                      : limb_inverse_dynamics(s->d, s->q, s->v, s->a, &p->smooth, s->tau);
  for (int i = 0; i < nv && status == LIMB_OK; i++) {
    double slope = 0;
    *value += both_sides(weight, s->tau[i], p->o.share * p->limit[i].tau, &slope);
    for (int j = 0; j < nv && gradient && slope != 0; j++) {
      s->gq[j] += slope * dq[i * nv + j], s->gv[j] += slope * dv[i * nv + j], s->ga[j] += slope * M[i * nv + j];
    }
  }
  return status;
}

// Use of an interval by x; 0 where it has no end.
static double use_of_side(double x, double min, double max, int side)
{
  const double end = side ? max : min, other = side ? min : max;
  if (!isfinite(end)) return 0;
  const double half = isfinite(other) ? (max - min) / 2 : fmax(1, fabs(end));
  const double depth = side ? end - x : x - end; // inside
  return 1 - depth / half;
}

// The barrier of one side of a box, and how hard it pushes.
static double side_barrier(double weight, double x, double min, double max, int side, double* push)
{
  const double end = side ? max : min;
  double slope;
  const double value = barrier(weight, use_of_side(x, min, max, side), &slope);
  const double half = isfinite(min) && isfinite(max) ? (max - min) / 2 : fmax(1, fabs(end));
  if (isfinite(end)) *push += (side ? slope : -slope) / half;
  return value;
}

static limb_status keep_barriers(limb_excite_search* s, double weight, bool gradient, double* value)
{
  const limb_excite_problem* p = s->p;
  limb_status status = limb_kinematics(s->d, s->q, NULL, NULL);
  for (int k = 0; k < p->o.nkeep && status == LIMB_OK; k++) {
    const limb_keep* keep = &p->o.keep[k];
    double push[3] = {0};
    sp_pose X;
    status = limb_frame_pose(s->d, keep->frame, &X);
    if (status == LIMB_OK && gradient) status = limb_frame_jacobian(s->d, keep->frame, LIMB_ALIGNED, s->J);
    if (status != LIMB_OK) return status;
    for (int axis = 0; axis < 3; axis++)
      for (int side = 0; side < 2; side++)
        *value += side_barrier(weight, (&X.p.x)[axis], (&keep->min.x)[axis], (&keep->max.x)[axis], side, &push[axis]);
    for (int j = 0; j < p->nv && gradient; j++) s->gq[j] += sp_dot3(s->J[j].v, sp_v3(push[0], push[1], push[2]));
  }
  return status;
}

static bool torques_have_limits(const limb_excite_problem* p)
{
  for (int j = 0; j < p->nv; j++)
    if (p->limit[j].tau < HUGE_VAL) return true;
  return false;
}

limb_status limb_excite_barrier(limb_excite_search* s, double weight, bool gradient, double* value)
{
  limb_status status = LIMB_OK;
  *value += simple_barriers(s, weight);
  if (*value < HUGE_VAL && s->p->o.nkeep > 0) status = keep_barriers(s, weight, gradient, value);
  if (*value < HUGE_VAL && status == LIMB_OK && torques_have_limits(s->p))
    status = torque_barriers(s, weight, gradient, value);
  return status;
}

// ---- use --------------------------------------------------------------------------------------------------

static void note_use(limb_limit_use* u, int kind, int at, double use)
{
  if (use > u->use[kind]) u->use[kind] = use, u->at[kind] = at;
}

limb_status limb_excite_use(limb_excite_search* s, limb_limit_use* u)
{
  const limb_excite_problem* p = s->p;
  limb_status status = limb_kinematics(s->d, s->q, NULL, NULL);
  if (status == LIMB_OK) status = limb_inverse_dynamics(s->d, s->q, s->v, s->a, &p->env, s->tau);
  for (int j = 0; j < p->nv && status == LIMB_OK; j++) {
    const limb_limits* l = &p->limit[j];
    if (l->q_max > l->q_min) note_use(u, USE_POSITION, j, fabs(s->q[j] - middle_of(l)) / half_of(p, l));
    note_use(u, USE_SPEED, j, fabs(s->v[j]) / (p->o.share * l->v));
    note_use(u, USE_ACCELERATION, j, fabs(s->a[j]) / (p->o.share * l->a));
    note_use(u, USE_TORQUE, j, fabs(s->tau[j]) / (p->o.share * l->tau));
  }
  for (int k = 0; k < p->o.nkeep && status == LIMB_OK; k++) {
    const limb_keep* keep = &p->o.keep[k];
    sp_pose X;
    status = limb_frame_pose(s->d, keep->frame, &X);
    for (int i = 0; i < 6 && status == LIMB_OK; i++)
      note_use(u, USE_KEEP, k, use_of_side((&X.p.x)[i / 2], (&keep->min.x)[i / 2], (&keep->max.x)[i / 2], i % 2));
  }
  return status;
}

void limb_excite_describe(const limb_excite_problem* p, const limb_limit_use* u, const char* where, limb_error* err,
                          limb_status status)
{
  static const char* const word[] = {"position", "speed", "acceleration", "torque"};
  int worst = 0;
  for (int k = 1; k < USES; k++)
    if (u->use[k] > u->use[worst]) worst = k;
  limb_frame_info frame;
  if (worst == USE_KEEP) {
    const bool known = limb_get_frame(p->m, p->o.keep[u->at[worst]].frame, &frame) == LIMB_OK;
    (void)limb_fail(
      err, status, where,
      "frame '%.200s' is outside its box where the motion starts: enlarge or move the box, or start at another pose",
      known ? frame.name : "");
  } else {
    const double used = u->use[worst] * p->o.share;
    (void)limb_fail(err, status, where, "the %s of '%.200s' is %.4g of its limit, and %.4g may be used", word[worst],
                    limb_get_velocity(p->dofs, u->at[worst])->name, used, p->o.share);
  }
}
