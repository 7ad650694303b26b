// Impact: closures that begin to act.
//
// Reference: Featherstone 2008, section 11.4 (impulsive dynamics); L. Pars, A treatise on analytical
//            dynamics, 1965, chapter 14 (Carnot: the loss of energy is that of the velocity that was lost).
// Cost:      that of Schur's method.
//
//     M (v_after - v) = Psi' p,     Psi v_after = s'
//
// It is the equation of forward dynamics, with velocities in place of accelerations, and no force that acts
// for a finite time counts.

#include "loops/forward_impl.h"

#include "base/numeric.h"
#include "kernel/tables.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// Ranks that are in doubt: how far q is from the surface, and whether branches meet there.
static limb_status check_ranks(limb_loops* w, const double* q, const limb_loop_options* o, limb_closed_report* report)
{
  limb_doubt why = {-1, 0};
  limb_find_doubts(w, o->tolerance);
  limb_status s = limb_check_distance(w, o->tolerance, &why);
  if (s == LIMB_OK && !w->full) s = limb_check_redundancy(w, q, o->time, o->tolerance, &why);
  if (report && s == LIMB_E_SINGULAR) report->loop = why.loop, report->residual = why.residual;
  return s;
}

limb_status limb_closed_impulse(limb_loops* w, const double* q, const double* v, const limb_closed_options* options,
                                double* v_after, double* impulse, limb_closed_report* report)
{
  if (!w || !q || !v || !v_after) return LIMB_E_ARG;
  limb_closed_options o;
  limb_status s = limb_closed_options_read(options, &o);
  if (s != LIMB_OK) return s;
  if (report) *report = (limb_closed_report){.method = LIMB_CLOSED_SCHUR, .loop = -1};
  if (w->use != LIMB_LOOPS_DENSE) return LIMB_E_ORDER;
  if (!limb_finite_v(w->d, v)) return LIMB_E_NONFINITE;
  s = limb_loop_rows_at(w, q, NULL, o.loops.time, LIMB_ROWS_PSI);
  if (s == LIMB_OK) s = check_ranks(w, q, &o.loops, report);
  if (s != LIMB_OK) return s;
  const limb_model* m = w->m;
  double *x = w->v2, *lambda = impulse ? w->r3 : NULL;
  memcpy(x, v, (size_t)m->nv * sizeof *x);
  s = limb_schur_correct(w, q, LIMB_CARRY_RATE, o.loops.tolerance, x, lambda);
  if (s != LIMB_OK) return s;
  if (!limb_finite_v(w->d, x)) return LIMB_E_NONFINITE;
  if (impulse && !limb_finite(m->nrow, lambda)) return LIMB_E_NONFINITE;
  const double slack = LIMB_ROW_ROUNDING * fmax(1, limb_largest((size_t)m->nv, v));
  memcpy(v_after, x, (size_t)m->nv * sizeof *x);
  if (impulse) limb_rows_to_user(w, lambda, impulse);
  return limb_rows_hold(w, x, w->rate, slack, o.loops.tolerance, report) ? LIMB_OK : LIMB_E_SINGULAR;
}
