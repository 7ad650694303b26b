// State and directions as dual numbers, and what external wrenches do along a direction.
//
// A link moves along dq with the twist xi = (w; v) in its own axes, as it would with velocity dq. A wrench
// F = (n; f) on it, in link axes at its origin, then changes by
//
//   given at the world's origin, world axes     -xi x* F
//   world axes at a point c of the link         -w x f,  and n = n0 + c x f with n0' = -w x n0
//   given in axes of the link                   0

#include "dynamics/dual_impl.h"
#include "kernel/tables.h"
#include "kinematics/kinematics_impl.h"
#include "model/manifold.h"

#include <string.h>

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

limb_status limb_dual_enter(limb_dual* w, const limb_dual_at* at, bool with_wrenches, limb_surroundings* x)
{
  const limb_status s = limb_enter_lawless(w->d, at->env, with_wrenches ? at->q : NULL, x);
  w->ws.base_turns = w->d->ws.base_turns;
  return s;
}

// ---- state and directions --------------------------------------------------------------------------

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

void limb_dual_along(limb_dual* w, int slot, const double* dq, const double* dv, const double* dx)
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
    limb_dual_along(w, slot, limb_row(along->dq, k, nv), limb_row(along->dv, k, nv), limb_row(dx, k, nv));
  }
  for (int slot = used; slot < LIMB_TANGENTS; slot++) limb_dual_along(w, slot, NULL, NULL, NULL);
}

// ---- wrenches ---------------------------------------------------------------------------------------

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

void limb_dual_wrenches(limb_dual* w, const limb_surroundings* x, int slot, const double* dq)
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

const limb_dual_number* limb_dual_wrench_group(limb_dual* w, const limb_surroundings* x, const limb_directions* along,
                                               int first)
{
  if (!x->wrench) return NULL;
  const int used = limb_dual_used(along, first);
  for (ptrdiff_t i = 0; i < (ptrdiff_t)w->m->nlink * LIMB_WS_FORCE; i++) {
    w->wrench[i].x = x->wrench[i];
  }
  for (int slot = 0; slot < LIMB_TANGENTS; slot++) {
    const bool moves = slot < used && along->dq;
    limb_dual_wrenches(w, x, slot, moves ? limb_row(along->dq, first + slot, w->m->nv) : NULL);
  }
  return w->wrench;
}
