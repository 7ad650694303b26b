// Derivatives of inverse, forward and hybrid dynamics along directions: the kernels over dual numbers.
//
// Cost: O(n) for each group of LIMB_TANGENTS directions; first derivatives with tangents O(n depth).
//
// A link moves along dq with the twist xi = (w; v) in its own axes, as it would with velocity dq. A wrench
// F = (n; f) on it, in link axes at its origin, then changes by
//
//   given at the world's origin, world axes     -xi x* F
//   world axes at a point c of the link         -w x f,  and n = n0 + c x f with n0' = -w x n0
//   given in axes of the link                   0

#include "limb/derivatives.h"
#include "limb/dynamics.h"

#include "base/memory.h"
#include "dynamics/dual_impl.h"
#include "dynamics/dynamics_impl.h"
#include "kernel/tables.h"
#include "kinematics/kinematics_impl.h"
#include "model/model_impl.h"

#include <math.h>
#include <string.h>

// ---- workspace ----------------------------------------------------------------------------------------------

static limb_dual_number* take(limb_arena* a, size_t n) { return limb_arena_take(a, n, sizeof(limb_dual_number)); }

static double* take_doubles(limb_arena* a, size_t n) { return limb_arena_take(a, n, sizeof(double)); }

static limb_dual* lay_out(limb_arena* a, const limb_model* m, limb_dual_use use, void** data)
{
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  limb_dual* w = limb_arena_take(a, 1, sizeof *w);
  limb_dual t = {.m = m};
  *data = limb_arena_take(a, limb_data_size(limb_spanning_tree(m)), 1);
  limb_ws_lay_out(a, m, sizeof(limb_dual_number), &t.ws);
  t.q = take(a, nq), t.v = take(a, nv), t.x = take(a, nv), t.y = take(a, nv), t.z = take(a, nv);
  t.wrench = take(a, (size_t)m->nlink * LIMB_WS_FORCE);
  t.rate = take_doubles(a, nq);
  if (use == LIMB_DUAL_MATRICES) {
    t.dq = take(a, nv * nv), t.dv = take(a, nv * nv), t.dx = take(a, nv * nv);
    t.acc = take_doubles(a, nv), t.mu = take_doubles(a, nv);
    for (int k = 0; k < LIMB_DUAL_SCRATCH; k++) t.rows[k] = take_doubles(a, LIMB_TANGENTS * nv);
    t.work = take_doubles(a, limb_second_work(m)), t.slopes = take_doubles(a, 4 * nv * nv);
    t.path = limb_arena_take(a, LIMB_SECOND_PLACES * (size_t)m->ncdof, sizeof *t.path);
  }
  if (w) *w = t;
  return w;
}

static bool use_is_known(limb_dual_use use) { return use == LIMB_DUAL_VECTORS || use == LIMB_DUAL_MATRICES; }

size_t limb_dual_size(const limb_model* m, limb_dual_use use)
{
  limb_arena a = {0};
  void* data;
  if (m && use_is_known(use)) (void)lay_out(&a, m, use, &data);
  return a.used;
}

limb_status limb_dual_init(const limb_model* m, limb_dual_use use, void* memory, size_t size, limb_dual** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (!m || !use_is_known(use) || !memory || (uintptr_t)memory % LIMB_DATA_ALIGN) return LIMB_E_ARG;
  if (size < limb_dual_size(m, use)) return LIMB_E_NOMEM;
  limb_arena a = limb_arena_over(memory, size);
  void* data;
  limb_dual* w = lay_out(&a, m, use, &data);
  const limb_status s = limb_data_init(limb_spanning_tree(m), data, limb_data_size(limb_spanning_tree(m)), &w->d);
  if (s != LIMB_OK) return s;
  limb_dof_table_clear(m, sizeof(limb_dual_number), &w->ws.table);
  memset(w->wrench, 0, (size_t)m->nlink * LIMB_WS_FORCE * sizeof *w->wrench);
  w->ws.base = w->d->ws.base;
  w->kernels = limb_kernels_dual_here();
  w->memory = (limb_memory){.block = memory, .size = size};
  *out = w;
  return LIMB_OK;
}

limb_status limb_dual_create(const limb_model* m, limb_dual_use use, const limb_allocator* alloc, limb_dual** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (!m || !use_is_known(use)) return LIMB_E_ARG;
  limb_memory memory;
  limb_status s = limb_memory_take(alloc, limb_dual_size(m, use), &memory);
  if (s != LIMB_OK) return s;
  s = limb_dual_init(m, use, memory.block, memory.size, out);
  if (s == LIMB_OK)
    (*out)->memory = memory;
  else
    limb_memory_end(memory);
  return s;
}

void limb_dual_destroy(limb_dual* w)
{
  if (w) limb_memory_end(w->memory);
}

const limb_model* limb_dual_model(const limb_dual* w) { return w ? w->m : NULL; }

// ---- checks -------------------------------------------------------------------------------------------------

static bool finite_rows(limb_dual* w, int count, const double* A)
{
  for (int k = 0; A && k < count; k++) {
    if (!limb_finite_v(w->d, limb_row(A, k, w->m->nv))) return false;
  }
  return true;
}

limb_status limb_dual_check(limb_dual* w, const limb_dual_at* at, const limb_directions* along, const double* dx,
                            const double* no_dx)
{
  if (along->count < 0 || no_dx) return LIMB_E_ARG;
  const limb_status s = limb_check_state(w->d, at->q, at->v, at->x);
  if (s != LIMB_OK) return s;
  const int n = along->count;
  const bool finite = finite_rows(w, n, along->dq) && finite_rows(w, n, along->dv) && finite_rows(w, n, dx);
  return finite ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_dual_enter(limb_dual* w, const limb_dual_at* at, bool with_wrenches, limb_call_environment* x)
{
  const limb_status s = limb_enter_lawless(w->d, at->env, with_wrenches ? at->q : NULL, x);
  w->ws.base_turns = w->d->ws.base_turns;
  return s;
}

// ---- state and directions -----------------------------------------------------------------------------------

static void put_values(int n, const double* x, limb_dual_number* out)
{
  for (int i = 0; i < n; i++) out[i] = (limb_dual_number){.x = x[i]};
}

static void put_tangents(int n, const double* d, int slot, limb_dual_number* out)
{
  for (int i = 0; i < n; i++) limb_set_tangent(&out[i], slot, d ? d[i] : 0);
}

void limb_dual_point(limb_dual* w, const limb_dual_at* at)
{
  w->at = *at;
  put_values(w->m->nq, at->q, w->q);
  put_values(w->m->nv, at->v, w->v);
  put_values(w->m->nv, at->x, w->x);
}

// The direction of one slot; NULL is zero.
static void set_direction(limb_dual* w, int slot, const double* dq, const double* dv, const double* dx)
{
  const limb_model* m = w->m;
  if (dq) limb_configuration_rate(m, w->at.q, dq, w->rate);
  put_tangents(m->nq, dq ? w->rate : NULL, slot, w->q);
  put_tangents(m->nv, dv, slot, w->v);
  put_tangents(m->nv, dx, slot, w->x);
}

void limb_dual_group(limb_dual* w, const limb_directions* along, const double* dx, int first)
{
  const int used = limb_dual_used(along, first), nv = w->m->nv;
  for (int slot = 0; slot < used; slot++) {
    const int k = first + slot;
    set_direction(w, slot, limb_row(along->dq, k, nv), limb_row(along->dv, k, nv), limb_row(dx, k, nv));
  }
  for (int slot = used; slot < LIMB_TANGENTS; slot++) set_direction(w, slot, NULL, NULL, NULL);
}

// ---- wrenches -----------------------------------------------------------------------------------------------

static sp_force wrench_rate(const sp_pose* X, sp_motion xi, const limb_site* site, const limb_wrench* w)
{
  const sp_force none = {{0, 0, 0}, {0, 0, 0}};
  if (w->ref == LIMB_BODY) return none;
  if (w->ref == LIMB_WORLD) return sp_scalef(-1, sp_crf(xi, sp_force_in(*X, w->wrench)));
  const sp_vec3 df = sp_cross3(sp_tmulv(X->R, w->wrench.f), xi.w);
  const sp_vec3 dn = sp_cross3(sp_tmulv(X->R, w->wrench.m), xi.w);
  return sp_force_make(sp_add3(dn, sp_cross3(site->in_link.p, df)), df);
}

static void add_tangent(limb_dual_number* wrench, int slot, sp_force F)
{
  const double x[LIMB_WS_FORCE] = {F.m.x, F.m.y, F.m.z, F.f.x, F.f.y, F.f.z};
  for (int k = 0; k < LIMB_WS_FORCE; k++) {
    limb_set_tangent(&wrench[k], slot, limb_tangent(&wrench[k], slot) + x[k]);
  }
}

// How wrenches change while q moves along dq: sets the slot of w->wrench.
static void set_wrench_rates(limb_dual* w, const limb_call_environment* x, int slot, const double* dq)
{
  const limb_model* m = w->m;
  limb_data* d = w->d;
  put_tangents(m->nlink * LIMB_WS_FORCE, NULL, slot, w->wrench);
  if (!dq) return;
  limb_kernels_of(d)->link_motion(m, m->k64, &d->ws, w->at.q, dq, NULL, &d->own.X[0].R.m[0], &d->own.v[0].w.x, NULL,
                                  &d->own.a_v[0].w.x);
  for (int k = 0; k < x->nwrench; k++) {
    const limb_site site = limb_site_of(m, x->list[k].frame);
    if (site.link < 0) continue; // on a body that cannot move
    const sp_force F = wrench_rate(&d->own.X[site.link], d->own.v[site.link], &site, &x->list[k]);
    add_tangent(w->wrench + (ptrdiff_t)LIMB_WS_FORCE * site.link, slot, F);
  }
}

const limb_dual_number* limb_dual_wrench_group(limb_dual* w, const limb_call_environment* x,
                                               const limb_directions* along, int first)
{
  if (!x->wrench) return NULL;
  const int used = limb_dual_used(along, first);
  for (ptrdiff_t i = 0; i < (ptrdiff_t)w->m->nlink * LIMB_WS_FORCE; i++) {
    w->wrench[i].x = x->wrench[i];
  }
  for (int slot = 0; slot < LIMB_TANGENTS; slot++) {
    const bool moves = slot < used && along->dq;
    set_wrench_rates(w, x, slot, moves ? limb_row(along->dq, first + slot, w->m->nv) : NULL);
  }
  return w->wrench;
}

// ---- first derivatives with tangents ------------------------------------------------------------------------

static bool finite_matrix(const limb_dual* w, const limb_dual_number* A)
{
  for (int i = 0; i < w->m->nv; i++) {
    if (!w->kernels->finite_result(w->m, A + (ptrdiff_t)i * w->m->nv)) return false;
  }
  return true;
}

// False: M is singular.
static bool run_derivatives(limb_dual* w, limb_dual_kind kind, const limb_call_environment* x)
{
  const limb_model* m = w->m;
  const limb_kernels_dual_motion in = {w->q, w->v, w->x, &x->terms, x->given, x->ngiven, NULL, 0};
  const limb_kernels_dual_slopes out = {w->y, w->dq, w->dv, w->dx};
  if (kind == LIMB_DUAL_FORWARD) {
    return limb_regular(w->d, w->kernels->fd_derivatives(m, m->k64, &w->ws, &in, &out).x, w->at.q, NULL);
  }
  w->kernels->id_derivatives(m, m->k64, &w->ws, &in, &out);
  return true;
}

limb_status limb_dual_slopes(limb_dual* w, limb_dual_kind kind, const limb_dual_at* at, const limb_directions* along,
                             const double* dx, int first)
{
  limb_call_environment x;
  const limb_status s = limb_dual_enter(w, at, false, &x);
  if (s != LIMB_OK) return s;
  limb_dual_point(w, at);
  limb_dual_group(w, along, dx, first);
  if (!run_derivatives(w, kind, &x)) return LIMB_E_SINGULAR;
  const bool fine = w->kernels->finite_result(w->m, w->y) && finite_matrix(w, w->dq) && finite_matrix(w, w->dv) &&
                    finite_matrix(w, w->dx);
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_dual_ready(const limb_dual* w)
{
  if (!w->dq) return LIMB_E_ARG; // made for vectors
  return w->ws.table.cell ? LIMB_OK : LIMB_E_UNSUPPORTED;
}

// ---- dynamics along directions ------------------------------------------------------------------------------

// w->y from w->q, w->v, w->x; given: as in hybrid dynamics. False: M is singular.
typedef bool pass_fn(limb_dual* w, const unsigned char* given, const limb_terms* terms, const limb_dual_number* wrench);

static bool inverse_pass(limb_dual* w, const unsigned char* given, const limb_terms* terms,
                         const limb_dual_number* wrench)
{
  (void)given;
  w->kernels->inverse_dynamics(w->m, w->m->k64, &w->ws, w->q, w->v, w->x, terms, wrench, w->y);
  return true;
}

// limb_factors_positive, of dual numbers.
static bool factors_positive(const limb_dual* w)
{
  const limb_elimination* e = &w->m->elim;
  const limb_dual_number* L = w->ws.packed;
  limb_range r = {DBL_MAX, 0, true};
  for (int k = 0; k < w->m->nv; k++) r = limb_range_with(r, L[e->row[k] + e->depth[k]].x);
  return limb_range_positive(r);
}

static bool forward_pass(limb_dual* w, const unsigned char* given, const limb_terms* terms,
                         const limb_dual_number* wrench)
{
  (void)given;
  const limb_model* m = w->m;
  const limb_kernels_dual* k = w->kernels;
  double margin = HUGE_VAL;
  if (!m->has_mimic) margin = k->aba(m, m->k64, &w->ws, w->q, w->v, w->x, terms, wrench, w->y).x;
  // In doubt the factors of M keep more digits, as in limb_forward_dynamics.
  const bool factors = m->has_mimic || (!(margin > 0) && limb_ws_packed(m) > 0);
  if (factors)
    margin = fmin(margin, k->by_mass_matrix(m, m->k64, &w->ws, w->q, w->v, w->x, terms, wrench, w->ws.packed, w->y).x);
  return (!factors || factors_positive(w)) && limb_regular(w->d, margin, w->at.q, NULL);
}

static bool hybrid_pass(limb_dual* w, const unsigned char* given, const limb_terms* terms,
                        const limb_dual_number* wrench)
{
  const limb_model* m = w->m;
  const limb_kernels_dual* k = w->kernels;
  const limb_kernels_dual_hybrid in = {w->q, w->v, given, w->x, terms, wrench};
  limb_dual_number *a = w->y, *tau = w->z;
  const bool sweep = limb_given_sweeps(m, given);
  double margin = sweep ? k->hybrid(m, m->k64, &w->ws, &in, a, tau).x : HUGE_VAL;
  const bool factors = !sweep || (!(margin > 0) && limb_ws_packed(m) > 0);
  if (factors) margin = fmin(margin, k->hybrid_by_mass_matrix(m, m->k64, &w->ws, &in, w->ws.packed, a, tau).x);
  for (int i = 0; i < m->nv; i++) {
    if (given[i] == LIMB_ACCELERATION_GIVEN) w->y[i] = tau[i];
  }
  return (!factors || factors_positive(w)) && limb_regular(w->d, margin, w->at.q, given);
}

// The row that holds the change of x_i along direction k; NULL: none, no change.
static const double* mixed_row(const limb_directions* along, const unsigned char* given, int k, int i, int nv)
{
  return limb_row(given[i] == LIMB_ACCELERATION_GIVEN ? along->da : along->dtau, k, nv);
}

// Tangents of x, accelerations or forces, as given.
static void mix(limb_dual* w, const limb_directions* along, const unsigned char* given, int first)
{
  const int used = limb_dual_used(along, first), nv = w->m->nv;
  for (int slot = 0; slot < used; slot++) {
    for (int i = 0; i < nv; i++) {
      const double* row = mixed_row(along, given, first + slot, i, nv);
      limb_set_tangent(&w->x[i], slot, row ? row[i] : 0);
    }
  }
}

// dx: change of x along the directions; with given, it is taken from along instead.
static limb_status run_along(limb_dual* w, const limb_dual_at* at, const limb_directions* along, const double* dx,
                             const unsigned char* given, pass_fn* pass, double* out)
{
  limb_call_environment x;
  limb_status s = limb_dual_enter(w, at, true, &x);
  if (s != LIMB_OK) return s;
  limb_dual_point(w, at);
  for (int first = 0; first < along->count && s == LIMB_OK; first += LIMB_TANGENTS) {
    const int used = limb_dual_used(along, first);
    limb_dual_group(w, along, dx, first);
    if (given) mix(w, along, given, first);
    if (!pass(w, given, &x.terms, limb_dual_wrench_group(w, &x, along, first))) {
      s = LIMB_E_SINGULAR;
    } else if (!w->kernels->finite_result(w->m, w->y)) {
      s = LIMB_E_NONFINITE;
    }
    for (int slot = 0; slot < used; slot++) {
      double* row = out + (ptrdiff_t)(first + slot) * w->m->nv;
      for (int i = 0; i < w->m->nv; i++) row[i] = limb_tangent(&w->y[i], slot);
    }
  }
  limb_leave(w->d, &x);
  return s;
}

limb_status limb_inverse_dynamics_along(limb_dual* w, const double* q, const double* v, const double* a,
                                        const limb_environment* env, const limb_directions* along, double* dtau)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  if (!w || !q || !v || !a || !along || !dtau) return LIMB_E_ARG;
  const limb_dual_at at = {q, v, a, env};
  const limb_status s = limb_dual_check(w, &at, along, along->da, along->dtau);
  return s == LIMB_OK ? run_along(w, &at, along, along->da, NULL, inverse_pass, dtau) : s;
}

limb_status limb_forward_dynamics_along(limb_dual* w, const double* q, const double* v, const double* tau,
                                        const limb_environment* env, const limb_directions* along, double* da)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  if (!w || !q || !v || !tau || !along || !da) return LIMB_E_ARG;
  const limb_dual_at at = {q, v, tau, env};
  const limb_status s = limb_dual_check(w, &at, along, along->dtau, along->da);
  return s == LIMB_OK ? run_along(w, &at, along, along->dtau, NULL, forward_pass, da) : s;
}

static bool finite_mixed(const limb_dual* w, const limb_directions* along, const unsigned char* given)
{
  double sum = 0;
  for (int k = 0; k < along->count; k++) {
    for (int i = 0; i < w->m->nv; i++) {
      const double* row = mixed_row(along, given, k, i, w->m->nv);
      if (row) sum += 0 * row[i];
    }
  }
  return sum == 0;
}

limb_status limb_hybrid_dynamics_along(limb_dual* w, const limb_hybrid* in, const limb_directions* along, double* dy)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  if (!w || !in || !in->q || !in->v || !in->x || !along || !dy) return LIMB_E_ARG;
  const unsigned char* given = limb_read_given(w->d, in->given);
  if (!given) return LIMB_E_ARG;
  const limb_dual_at at = {in->q, in->v, in->x, in->env};
  const limb_status s = limb_dual_check(w, &at, along, NULL, NULL);
  if (s != LIMB_OK) return s;
  if (!finite_mixed(w, along, given)) return LIMB_E_NONFINITE;
  return run_along(w, &at, along, NULL, given, hybrid_pass, dy);
}
