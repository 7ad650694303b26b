// Sentences about logs that are not what they should be: each names the column, the number and the likely cause.
//
//   before the fit   joints that do not move, torques that do not change, positions beyond the limits, velocities that
//                    are not the rates of positions: other units, other joints
//   after it         torques that look like those of another joint, residuals that are not white
#include "estimate/ident_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double DEGREE = 57.29577951308232;
static const double ALIKE = 0.9, UNLIKE = 0.5, CLEARLY = 0.15; // correlations
enum { MIN_SAMPLES = 50 };
static const double STILL = 1e-3; // rad or m

static const char* name_of(const limb_ident* x, int j) { return limb_get_velocity(x->dofs, j)->name; }

// ---- numbers of the log -----------------------------------------------------------------------------------

typedef struct range {
  double min, max;
} range;

static range range_of(const limb_log* log, int channel)
{
  range out = {HUGE_VAL, -HUGE_VAL};
  for (size_t i = 0; i < log->waiting; i++) {
    const double* sample = log->first.x + i * ((size_t)log->channels + 1);
    if (!isfinite(sample[0])) continue;
    out.min = fmin(out.min, sample[1 + channel]), out.max = fmax(out.max, sample[1 + channel]);
  }
  return out;
}

static void suspect_positions(limb_ident* x, int j)
{
  limb_joint_info joint;
  const limb_dof_info* dof = limb_get_velocity(x->dofs, j);
  if (x->coordinate[j] < 0) return;
  const range q = range_of(&x->log, x->coordinate[j]);
  if (limb_get_joint(x->m, dof->joint, &joint) != LIMB_OK) return;
  if (q.max - q.min < STILL)
    limb_ident_report(x,
                      "joint '%s' never moves: q.%s stays between %.6g and %.6g %s, so that its friction, its rotor "
                      "and what only it would show remain unknown",
                      dof->name, dof->name, q.min, q.max, limb_position_unit(dof));
  const double low = joint.nv == 1 ? joint.def.q_min : -HUGE_VAL, high = joint.nv == 1 ? joint.def.q_max : HUGE_VAL;
  const double span = isfinite(high - low) ? high - low : 25.13; // four turns of a joint without limits
  if (!dof->linear && q.max - q.min > 2 * span)
    limb_ident_report(x, "q.%s goes from %.4g to %.4g rad: are these degrees? Convert them to radians", dof->name,
                      q.min, q.max);
  else if (dof->linear && isfinite(span) && q.max - q.min > 20 * span)
    limb_ident_report(x, "q.%s goes from %.4g to %.4g m: are these millimetres? Convert them to metres", dof->name,
                      q.min, q.max);
  else if (q.min < low - 0.1 * span || q.max > high + 0.1 * span)
    limb_ident_report(x,
                      "q.%s goes from %.4g to %.4g %s, but the limits of the joint are %.4g and %.4g: another "
                      "column, another robot, or another zero?",
                      dof->name, q.min, q.max, limb_position_unit(dof), low, high);
}

static void suspect_torque(limb_ident* x, int j)
{
  const limb_dof_info* dof = limb_get_velocity(x->dofs, j);
  const range tau = range_of(&x->log, limb_channel_of_tau(&x->log) + j);
  if (tau.max == tau.min && x->counts[j] && !dof->passive)
    limb_ident_report(x, "tau.%s is %.6g in every sample: is its sensor connected?", name_of(x, j), tau.min);
}

// ---- velocities beside positions --------------------------------------------------------------------------

// Sums over samples of v_i^2, (dq_k/dt)^2 and their product, over steps of a twentieth of a second.
static void compare_rates(const limb_ident* x, int i, int k, double* correlation, double* ratio)
{
  const limb_log* log = &x->log;
  const size_t size = (size_t)log->channels + 1, step = (size_t)fmax(1, 0.05 / log->dt);
  double vv = 0, rr = 0, vr = 0;
  for (size_t s = step; s + step < log->waiting; s += step) {
    const double *a = log->first.x + (s - step) * size, *b = log->first.x + (s + step) * size;
    if (!isfinite(a[0]) || !isfinite(b[0]) || b[0] <= a[0]) continue;
    const double v = log->first.x[s * size + 1 + (size_t)(limb_channel_of_v(log) + i)],
                 r = (b[1 + x->coordinate[k]] - a[1 + x->coordinate[k]]) / (b[0] - a[0]);
    if (!isfinite(v)) continue;
    vv += v * v, rr += r * r, vr += v * r;
  }
  *correlation = vv > 0 && rr > 0 ? vr / sqrt(vv * rr) : 0;
  *ratio = rr > 0 ? vr / rr : 0;
}

static void suspect_velocity(limb_ident* x, int i)
{
  double own, ratio, other, unused;
  if (x->coordinate[i] < 0) return;
  compare_rates(x, i, i, &own, &ratio);
  if (own > ALIKE) {
    if (fabs(ratio / DEGREE - 1) < 0.2 || fabs(ratio * DEGREE - 1) < 0.2)
      limb_ident_report(x, "v.%s is %.3g times the rate of q.%s: one of them is in degrees", name_of(x, i), ratio,
                        name_of(x, i));
    else if (fabs(ratio - 1) > 0.2)
      limb_ident_report(x, "v.%s is %.3g times the rate of q.%s: other units, or a wrong time column?", name_of(x, i),
                        ratio, name_of(x, i));
    return;
  }
  for (int k = 0; k < x->nv; k++) {
    if (x->coordinate[k] < 0) continue;
    compare_rates(x, i, k, &other, &unused);
    if (k == i || other < ALIKE || own > UNLIKE) continue;
    limb_ident_report(x, "v.%s is the rate of q.%s, not of q.%s: are columns exchanged or shifted?", name_of(x, i),
                      name_of(x, k), name_of(x, i));
    return;
  }
  if (own < -ALIKE)
    limb_ident_report(x, "v.%s has the opposite sign of the rate of q.%s", name_of(x, i), name_of(x, i));
}

void limb_suspect_log(limb_ident* x)
{
  if (x->log.waiting < MIN_SAMPLES) return; // nothing moves in so short a time
  for (int j = 0; j < x->nv; j++) suspect_positions(x, j);
  for (int j = 0; j < x->nv; j++) suspect_torque(x, j);
  for (int j = 0; j < x->nv && x->log.has_v; j++) suspect_velocity(x, j);
}

// ---- torques beside the model -----------------------------------------------------------------------------

typedef struct fit_of_model {
  double correlation, ratio;
} fit_of_model;

// Correlation of measured torques, without their means, with those of the model as it was, each with each; and how many
// times the latter they are. out: nv x nv.
static limb_status compare_torques(limb_ident* x, fit_of_model* out)
{
  const int nv = x->nv, n = x->n;
  double* sum = calloc((size_t)(5 * nv + nv * nv), sizeof *sum); // of tau, model, their squares, products
  if (!sum) return LIMB_E_NOMEM;
  double *tau_sum = sum, *own_sum = sum + nv, *tau_square = own_sum + nv, *own_square = tau_square + nv;
  double *product = own_square + nv, *own = product + (size_t)nv * (size_t)nv;
  limb_status s = LIMB_OK;
  for (int r = 0; r < x->count && s == LIMB_OK; r++) {
    const double* tau = limb_middle_row(x, r).tau;
    s = limb_equations_of(x, r, x->block);
    for (int j = 0; j < nv; j++) {
      own[j] = 0;
      for (int k = 0; k < n; k++) own[j] += x->block[j * (n + 1) + k] * x->parameter[k].model;
    }
    for (int j = 0; j < nv; j++) {
      tau_sum[j] += tau[j], own_sum[j] += own[j], tau_square[j] += tau[j] * tau[j], own_square[j] += own[j] * own[j];
      for (int k = 0; k < nv; k++) product[j * nv + k] += tau[j] * own[k];
    }
  }
  for (int j = 0; j < nv && s == LIMB_OK; j++) {
    for (int k = 0; k < nv; k++) {
      const double tt = tau_square[j] - tau_sum[j] * tau_sum[j] / x->count;
      const double oo = own_square[k] - own_sum[k] * own_sum[k] / x->count;
      const double to = product[j * nv + k] - tau_sum[j] * own_sum[k] / x->count;
      out[j * nv + k] = tt > 0 && oo > 0 ? (fit_of_model){to / sqrt(tt * oo), to / oo} : (fit_of_model){0, 1};
    }
  }
  free(sum);
  return s;
}

static void suspect_exchange(limb_ident* x, int j, const fit_of_model* with)
{
  const fit_of_model own = with[j * x->nv + j];
  if (!x->counts[j] || limb_get_velocity(x->dofs, j)->passive) return;
  if (fabs(own.correlation) > ALIKE) {
    if (own.correlation < 0)
      limb_ident_report(x, "tau.%s has the opposite sign of what the model predicts", name_of(x, j));
    else if (x->term[j].gain < 0 && (own.ratio > 20 || own.ratio < 0.05))
      limb_ident_report(x,
                        "tau.%s is %.3g times what the model predicts: N mm, motor currents, or torques before the "
                        "gear?",
                        name_of(x, j), own.ratio);
    return;
  }
  int best = j;
  for (int k = 0; k < x->nv; k++)
    if (with[j * x->nv + k].correlation > with[j * x->nv + best].correlation) best = k;
  if (best != j && with[j * x->nv + best].correlation > fmax(ALIKE, own.correlation + CLEARLY))
    limb_ident_report(x,
                      "tau.%s looks like the torque that the model predicts for joint '%s' (correlation %.2f, with "
                      "its own %.2f): are columns exchanged or shifted?",
                      name_of(x, j), name_of(x, best), with[j * x->nv + best].correlation, own.correlation);
}

// One sentence for all joints whose residual is not white, unless it is too small to matter.
static void suspect_colour(limb_ident* x)
{
  char names[300] = "";
  size_t used = 0;
  for (int j = 0; j < x->nv; j++) {
    const limb_ident_residual* r = &x->summary[j];
    if (!x->counts[j] || r->white || r->rms < 1e-3 * r->torque) continue;
    const int n = snprintf(names + used, sizeof names - used, "%s'%s'", used ? ", " : "", name_of(x, j));
    if (n > 0 && used + (size_t)n < sizeof names) used += (size_t)n;
  }
  if (used)
    limb_ident_report(x,
                      "the residuals of %s are not white: something is not in the model, such as friction at low "
                      "speed (--stribeck, --asymmetry) or elasticity; standard deviations account for it",
                      names);
}

void limb_suspect_fit(limb_ident* x)
{
  const int nv = x->nv;
  fit_of_model* with = malloc((size_t)nv * (size_t)nv * sizeof *with);
  if (with && compare_torques(x, with) == LIMB_OK)
    for (int j = 0; j < nv; j++) suspect_exchange(x, j, with);
  free(with);
  const limb_ident_residual *fitted = &x->summary[nv], *other = &x->summary[2 * nv + 1];
  if (other->rms > 3 * fitted->rms && other->rows > 0)
    limb_ident_report(x,
                      "the residual of the validation is %.3g times that of the fit: the fitted part of the log does "
                      "not show what the rest does; log a longer motion",
                      other->rms / fitted->rms);
  for (int j = 0; j < nv; j++) {
    const limb_ident_residual* r = &x->summary[j];
    if (r->r_squared < 0.5 && r->torque > 0 && !limb_get_velocity(x->dofs, j)->passive)
      limb_ident_report(x, "joint '%s': the fit explains only %.0f %% of tau.%s: check its columns", name_of(x, j),
                        100 * fmax(r->r_squared, 0), name_of(x, j));
  }
  suspect_colour(x);
}
