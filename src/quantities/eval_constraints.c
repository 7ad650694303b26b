// Computations of quantities: the equations of loops, mobility, what follows from the independent velocities.
#include "quantities/evaluator_impl.h"

#include <string.h>

limb_loop_options limb_lane_loop_options(const limb_lane* w)
{
  limb_loop_options o = limb_default_loop_options();
  o.time = w->time;
  return o;
}

// ---- the equations --------------------------------------------------------------------------------------

static limb_status equations(limb_lane* w, const double* v, limb_loop_equations out)
{
  const limb_loop_options o = limb_lane_loop_options(w);
  return limb_loop_equations_at(limb_data_loops(w->data), w->q, v, &o, &out);
}

limb_status limb_eval_Psi(limb_lane* w, double* x) { return equations(w, NULL, (limb_loop_equations){.Psi = x}); }

limb_status limb_eval_gamma(limb_lane* w, double* x) { return equations(w, w->v, (limb_loop_equations){.gamma = x}); }

limb_status limb_eval_loop_residual(limb_lane* w, double* x)
{
  return equations(w, NULL, (limb_loop_equations){.residual = x});
}

// Psi v - s'
limb_status limb_eval_loop_rate(limb_lane* w, double* x)
{
  const size_t nc = (size_t)w->e->nc, nv = (size_t)w->e->nv;
  double *rate = w->work, *Psi = rate + nc;
  const limb_status s = equations(w, NULL, (limb_loop_equations){.Psi = Psi, .rate = rate});
  for (size_t i = 0; i < nc && s == LIMB_OK; i++) {
    x[i] = -rate[i];
    for (size_t k = 0; k < nv; k++) x[i] += Psi[i * nv + k] * w->v[k];
  }
  return s;
}

limb_status limb_eval_mobility(limb_lane* w, double* x)
{
  const limb_loop_options o = limb_lane_loop_options(w);
  limb_mobility m = {0};
  const limb_status s = limb_mobility_at(limb_data_loops(w->data), w->q, &o, &m);
  const double all[] = {m.nv,         m.rows,       m.rank,      m.gruebler,          m.mobility,
                        m.redundant,  m.idle,       m.active,    m.passive,           m.driven,
                        m.undriven,   m.overdriven, m.condition, m.condition_passive, m.condition_active,
                        m.singularity};
  memcpy(x, all, sizeof all);
  return s;
}

// ---- what follows from what -----------------------------------------------------------------------------

limb_status limb_eval_independent(limb_lane* w, double* x)
{
  const limb_loop_options o = limb_lane_loop_options(w);
  unsigned char* marks = (unsigned char*)w->work;
  const limb_status s = limb_independent_velocities(limb_data_loops(w->data), w->q, &o, marks);
  for (int k = 0; k < w->e->nv && s == LIMB_OK; k++) x[k] = marks[k];
  return s;
}

// v and a: the independent ones of the state, and what follows from them.
limb_status limb_eval_passive(limb_lane* w, double* x)
{
  const limb_loop_options o = limb_lane_loop_options(w);
  const size_t nv = (size_t)w->e->nv;
  double *v = x, *a = x + nv;
  memcpy(v, w->v, nv * sizeof *v);
  memcpy(a, w->a, nv * sizeof *a);
  limb_status s = limb_complete_velocities(limb_data_loops(w->data), w->q, NULL, &o, v);
  if (s == LIMB_OK) s = limb_complete_accelerations(limb_data_loops(w->data), w->q, v, NULL, &o, a);
  return s == LIMB_E_SINGULAR ? limb_because(w, s, "the loops contradict each other here: evaluate mobility") : s;
}
