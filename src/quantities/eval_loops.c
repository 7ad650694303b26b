// Computations of quantities: the equations of loops, mobility, what follows from the independent velocities; inverse
// and forward dynamics of robots with loops. The plain calls answer with the loops closed (limb/loops.h); here is
// what needs more than such a call: multipliers, loads, motions without a motor, what was met on the way.
#include "limb/assemble.h"

#include "base/memory.h"
#include "base/status.h"
#include "quantities/evaluator_impl.h"

#include <math.h>
#include <string.h>

static limb_loop_options loop_options(const limb_lane* w)
{
  limb_loop_options o = limb_default_loop_options();
  o.time = w->time;
  return o;
}

// ---- the equations --------------------------------------------------------------------------------------

static limb_status equations(limb_lane* w, const double* v, limb_loop_equations out)
{
  const limb_loop_options o = loop_options(w);
  return limb_loop_equations_at(w->data, w->q, v, &o, &out);
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
  const limb_loop_options o = loop_options(w);
  limb_mobility m = {0};
  const limb_status s = limb_mobility_at(w->data, w->q, &o, &m);
  const double all[] = {m.nv,         m.constraints, m.rank,      m.gruebler,          m.mobility,
                        m.redundant,  m.idle,        m.active,    m.passive,           m.driven,
                        m.undriven,   m.overdriven,  m.condition, m.condition_passive, m.condition_active,
                        m.singularity};
  memcpy(x, all, sizeof all);
  return s;
}

// ---- what follows from what -----------------------------------------------------------------------------

limb_status limb_eval_independent(limb_lane* w, double* x)
{
  const limb_loop_options o = loop_options(w);
  unsigned char* marks = (unsigned char*)w->work;
  const limb_status s = limb_independent_velocities(w->data, w->q, &o, marks);
  for (int k = 0; k < w->e->nv && s == LIMB_OK; k++) x[k] = marks[k];
  return s;
}

// v and a: the independent ones of the state, and what follows from them.
limb_status limb_eval_passive(limb_lane* w, double* x)
{
  const limb_loop_options o = loop_options(w);
  const size_t nv = (size_t)w->e->nv;
  double *v = x, *a = x + nv;
  memcpy(v, w->v, nv * sizeof *v);
  memcpy(a, w->a, nv * sizeof *a);
  limb_status s = limb_complete_velocities(w->data, w->q, NULL, &o, v);
  if (s == LIMB_OK) s = limb_complete_accelerations(w->data, w->q, v, NULL, &o, a);
  return s == LIMB_E_SINGULAR ? limb_because(w, s, "the loops contradict each other here: evaluate mobility") : s;
}

// ---- the independent velocities -------------------------------------------------------------------------

limb_status limb_find_independent(limb_evaluator* e, limb_error* err)
{
  enum { RESTARTS = 20 };
  limb_data* d = NULL;
  limb_assembly how = limb_default_assembly();
  how.restarts = RESTARTS;
  if (e->nindependent >= 0) return LIMB_OK;
  double* q = limb_alloc(&e->alloc, ((size_t)e->nq + 1) * sizeof *q);
  limb_status s = q ? limb_data_create(e->model, &e->alloc, &d) : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = limb_start(e->model, q);
  if (s == LIMB_OK) s = limb_assemble(d, &how, q, NULL);
  if (s == LIMB_OK) s = limb_independent_velocities(d, q, NULL, e->independent);
  limb_data_destroy(d);
  limb_free(&e->alloc, q, ((size_t)e->nq + 1) * sizeof *q);
  if (s == LIMB_E_NOMEM) return limb_fail(err, s, "workspace", "%s", limb_status_text(s));
  if (s != LIMB_OK)
    return limb_fail(err, s, "independent", "no configuration was found that closes the loops: %s",
                     limb_status_text(s));
  e->nindependent = 0;
  for (int k = 0; k < e->nv; k++) e->nindependent += e->independent[k];
  return LIMB_OK;
}

// Why the independent velocities do not do at this state.
static limb_status check_independent(limb_lane* w, limb_status s, int count)
{
  if (s == LIMB_OK && count == w->e->nindependent) return s;
  if (s != LIMB_OK && s != LIMB_E_SINGULAR) return s;
  return limb_because(w, LIMB_E_SINGULAR, "here the %d independent velocities do not determine the others",
                      w->e->nindependent);
}

limb_status limb_eval_G(limb_lane* w, double* x)
{
  const limb_loop_options o = loop_options(w);
  const size_t used = (size_t)w->e->nv * (size_t)w->e->nindependent;
  int count = 0;
  limb_status s = limb_velocity_map(w->data, w->q, w->e->independent, &o, &count, w->work);
  s = check_independent(w, s, count);
  if (s == LIMB_OK) memcpy(x, w->work, used * sizeof *x);
  return s;
}

// M and h: x has one of them, the other is scratch.
static limb_status reduced(limb_lane* w, const double* v, int h, double* x)
{
  const size_t ny = (size_t)w->e->nindependent, nv = (size_t)w->e->nv;
  double *A = w->work, *H = A + nv * nv;
  int count = 0;
  limb_status s = limb_lane_set_loops(w, 1);
  if (s == LIMB_OK) s = limb_reduced_dynamics(w->data, w->q, v, w->env, &count, A, H);
  const limb_status back = limb_lane_set_loops(w, 0);
  s = check_independent(w, s == LIMB_OK ? back : s, count);
  if (s == LIMB_OK) memcpy(x, h ? H : A, (h ? ny : ny * ny) * sizeof *x);
  return s;
}

limb_status limb_eval_reduced_M(limb_lane* w, double* x) { return reduced(w, w->zero, 0, x); }
limb_status limb_eval_reduced_h(limb_lane* w, double* x) { return reduced(w, w->v, 1, x); }

limb_status limb_eval_impulse(limb_lane* w, double* x)
{
  return limb_loop_impulse(w->data, w->q, w->v, w->time, w->work, x);
}

limb_status limb_eval_v_after(limb_lane* w, double* x)
{
  return limb_loop_impulse(w->data, w->q, w->v, w->time, x, NULL);
}

// ---- inverse and forward dynamics, once per state ---------------------------------------------------------

// What inverse dynamics answers where some motion has no motor: those that have none at the start either are counted,
// not refused; others are a singularity.
static limb_status judge(limb_lane* w, limb_status s)
{
  const int allowed = w->e->options.tau_is_given ? w->e->nv : w->e->undriven;
  limb_loop_details f = {0};
  if (limb_get_loop_details(w->data, &f) != LIMB_OK) return s;
  if (f.overdriven > w->facts.overdriven) w->facts.overdriven = f.overdriven;
  if (s != LIMB_E_SINGULAR) return s;
  if (f.undriven > 0 && f.undriven <= allowed) {
    w->facts.unbalanced = fmax(w->facts.unbalanced, f.unbalanced);
    return LIMB_OK;
  }
  if (f.undriven == 0) return limb_because(w, s, "no torques of the motors balance this motion");
  return limb_because(w, s, "%d motion%s here that no motor drives; %.3g of the forces is left without balance",
                      f.undriven, f.undriven == 1 ? "" : "s", f.unbalanced);
}

static void keep_multipliers(limb_lane* w, double* lambda)
{
  limb_loop_details f;
  if (limb_get_loop_details(w->data, &f) == LIMB_OK) memcpy(lambda, f.lambda, (size_t)w->e->nc * sizeof *lambda);
}

static limb_status solve_inverse(limb_lane* w)
{
  const limb_status s = limb_inverse_dynamics(w->data, w->q, w->v, w->a, w->env, w->inverse.x);
  keep_multipliers(w, w->inverse.lambda);
  return judge(w, s);
}

static limb_status solve_forward(limb_lane* w)
{
  limb_loop_details f = {.loop = -1};
  const limb_status s = limb_forward_dynamics(w->data, w->q, w->v, w->tau, w->env, w->forward.x);
  keep_multipliers(w, w->forward.lambda);
  if (limb_get_loop_details(w->data, &f) != LIMB_OK) return s;
  if (f.redundant > w->facts.redundant) w->facts.redundant = f.redundant;
  if (s == LIMB_OK || f.loop < 0) return s;
  return limb_because(w, s, "%.3g is left of the accelerations of loop '%.64s'", f.residual,
                      limb_name_of_loop(w->e->model, f.loop));
}

static limb_status once(limb_lane* w, limb_lane_answer* x, limb_status (*solve)(limb_lane*))
{
  if (!x->known) {
    x->status = solve(w);
    memcpy(x->because, w->because, sizeof w->because);
  }
  memcpy(w->because, x->because, sizeof w->because);
  x->known = 1;
  return x->status;
}

static limb_status inverse(limb_lane* w) { return once(w, &w->inverse, solve_inverse); }
static limb_status forward(limb_lane* w) { return once(w, &w->forward, solve_forward); }

limb_status limb_eval_closed_tau(limb_lane* w, double* x)
{
  if (w->e->options.tau_is_given) return limb_eval_tau(w, x);
  const limb_status s = inverse(w);
  memcpy(x, w->inverse.x, (size_t)w->e->nv * sizeof *x);
  return s;
}

limb_status limb_eval_closed_acc(limb_lane* w, double* x)
{
  const limb_status s = forward(w);
  memcpy(x, w->forward.x, (size_t)w->e->nv * sizeof *x);
  return s;
}

// ---- multipliers and loads --------------------------------------------------------------------------------

// Of the state's motion, or of the one that its forces cause. *a: its accelerations.
static limb_status multipliers(limb_lane* w, const double** lambda, const double** a)
{
  *a = w->a ? w->a : w->forward.x;
  *lambda = w->lambda ? w->lambda : w->a ? w->inverse.lambda : w->forward.lambda;
  if (w->lambda && w->a) return LIMB_OK;
  return w->a ? inverse(w) : forward(w);
}

limb_status limb_eval_lambda(limb_lane* w, double* x)
{
  const double *lambda = NULL, *a = NULL;
  const limb_status s = multipliers(w, &lambda, &a);
  memcpy(x, lambda, (size_t)w->e->nc * sizeof *x);
  return s;
}

// Of the joints, or of the loops: count of them.
static limb_status loads(limb_lane* w, int of_joints, int count, double* x)
{
  const double *lambda = NULL, *a = NULL;
  sp_force* f = (sp_force*)(void*)w->work;
  limb_status s = multipliers(w, &lambda, &a);
  const limb_loop_motion motion = {w->q, w->v, a, w->env, lambda};
  if (s == LIMB_OK) s = limb_loop_loads(w->data, &motion, w->ref, of_joints ? f : NULL, of_joints ? NULL : f);
  return limb_put_forces(s, f, count, x);
}

limb_status limb_eval_closed_reactions(limb_lane* w, double* x)
{
  return loads(w, 1, limb_joint_count(w->e->model), x);
}

limb_status limb_eval_loop_loads(limb_lane* w, double* x) { return loads(w, 0, limb_loop_count(w->e->model), x); }

// ---- Psi in other axes --------------------------------------------------------------------------------------

// A motion of frame b relative to a, in the axes of a at the origin of b, in the reference of the block.
static sp_motion in_reference(limb_ref ref, const sp_pose* a, const sp_pose* b, sp_motion s)
{
  if (ref == LIMB_BODY) return s;
  const sp_vec3 turn = sp_mulv(a->R, s.w), shift = sp_mulv(a->R, s.v);
  return sp_motion_make(turn, ref == LIMB_WORLD ? sp_add3(shift, sp_cross3(b->p, turn)) : shift);
}

// The constraints of a geometric closure are its locked directions, in their order.
static limb_status spread_loop(limb_lane* w, const limb_loop_info* loop, double* x)
{
  const size_t nv = (size_t)w->e->nv;
  const limb_loop_def* def = &loop->def;
  const unsigned locked = def->kind == LIMB_LOOP_LOCK ? def->locked : limb_loop_kind_locked(def->kind);
  sp_pose a = sp_pose_identity(), b = a;
  if (locked == 0) return LIMB_OK;
  limb_status s = limb_frame_pose(w->data, def->body_a, &a);
  if (s == LIMB_OK) s = limb_frame_pose(w->data, def->body_b, &b);
  if (s != LIMB_OK) return s;
  a = sp_compose(a, def->pose_a), b = sp_compose(b, def->pose_b);
  for (size_t k = 0; k < nv; k++) {
    const double* row = w->work + (size_t)loop->constraint * nv + k;
    double own[6] = {0};
    for (int bit = 0; bit < 6; bit++)
      if (locked >> bit & 1U) own[bit] = *row, row += nv;
    const sp_motion m = {{own[0], own[1], own[2]}, {own[3], own[4], own[5]}};
    const sp_motion out = in_reference(w->ref, &a, &b, m);
    const double put[] = {out.w.x, out.w.y, out.w.z, out.v.x, out.v.y, out.v.z};
    for (size_t i = 0; i < 6; i++) x[i * nv + k] = put[i];
  }
  return LIMB_OK;
}

limb_status limb_eval_loop_J(limb_lane* w, double* x)
{
  limb_loop_info loop;
  const size_t size = 6 * (size_t)w->e->nv;
  limb_status s = equations(w, NULL, (limb_loop_equations){.Psi = w->work});
  for (int i = 0; i < limb_loop_count(w->e->model) && s == LIMB_OK; i++, x += size) {
    memset(x, 0, size * sizeof *x);
    s = limb_get_loop(w->e->model, i, &loop);
    if (s == LIMB_OK) s = spread_loop(w, &loop, x);
  }
  return s;
}

// ---- derivatives ----------------------------------------------------------------------------------------

// G (G' M G)^-1 G': of all joints, by forces at all joints.
limb_status limb_eval_closed_dacc_dtau(limb_lane* w, double* x)
{
  const size_t nn = (size_t)w->e->nv * (size_t)w->e->nv;
  limb_fd_derivatives out = {.dacc_dq = w->work, .dacc_dv = w->work + nn};
  out.dacc_dtau = x;
  return limb_forward_dynamics_derivatives(w->data, w->q, w->v ? w->v : w->zero, w->tau ? w->tau : w->zero, w->env,
                                           &out);
}

// ---- the start ------------------------------------------------------------------------------------------

limb_status limb_count_undriven(limb_evaluator* e, double* q)
{
  enum { RESTARTS = 20 };
  limb_data* loops = e->lane[0].data;
  limb_assembly how = limb_default_assembly();
  limb_mobility m = {0};
  how.restarts = RESTARTS;
  limb_status s = limb_start(e->model, q);
  if (s == LIMB_OK) s = limb_assemble(loops, &how, q, NULL);
  if (s == LIMB_OK) s = limb_mobility_at(loops, q, NULL, &m);
  e->undriven = s == LIMB_OK ? m.undriven : 0;
  return s == LIMB_E_NOCONV || s == LIMB_E_SINGULAR ? LIMB_OK : s;
}
