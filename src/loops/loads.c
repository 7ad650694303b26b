// Internal loads: what every joint and every closure transmits.
//
// Reference: Khalil 2010, (29)-(30) with the closures' wrenches among the external ones; dynamics/reactions.c.
// Cost:      O(n + rows + wrenches).
//
// A closure pushes its frame b with F = sum of lambda times what its rows reach, at the origin of b, and
// frame a with -F at the same point. Gears and polynomials act between joints' own two sides, along their
// axes: no wrench of theirs on a body is left, and what a joint transmits along its axis contains them as
// it does motor and friction.

#include "base/numeric.h"
#include "dynamics/reactions.h"
#include "kinematics/kinematics_impl.h"
#include "kinematics/whole_body.h"
#include "loops/closed_impl.h"

static sp_pose pose_of(const limb_model* m, const sp_pose* X, int body)
{
  const limb_site site = limb_site_of(m, body);
  return limb_site_pose(&site, X);
}

// F of a loop, world axes at the origin of b.
static sp_force closure_force(const limb_loops* w, const limb_loop* loop, const double* lambda)
{
  sp_force F = {{0, 0, 0}, {0, 0, 0}};
  const int first = w->m->clusters.cluster[loop->cluster].row + loop->local;
  for (int r = 0; r < loop->nrow; r++) {
    const double* x = w->reach + (ptrdiff_t)6 * (first + r);
    const sp_force reach = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    F = sp_addf(F, sp_scalef(lambda[loop->row + r], reach));
  }
  return F;
}

static limb_wrench wrench_on(const limb_model* m, const sp_pose* X, int body, sp_force F, sp_vec3 at)
{
  return (limb_wrench){body, LIMB_ALIGNED, limb_force_at(F, at, pose_of(m, X, body).p)};
}

// Wrenches of the closures on bodies, two each, in w->closure: how many. loop: those on frames b; NULL: not
// wanted.
static int gather(limb_loops* w, const double* lambda, sp_force* loop)
{
  const limb_model* m = w->m;
  const sp_pose* X = w->d->own.X;
  int count = 0;
  for (int l = 0; l < m->nloop; l++) {
    const limb_loop* of = &m->loop[l];
    if (loop) loop[l] = (sp_force){{0, 0, 0}, {0, 0, 0}};
    if (limb_between_joints(of)) continue;
    const limb_loop_def* def = &of->def;
    const sp_pose a = sp_compose(pose_of(m, X, def->body_a), def->pose_a);
    const sp_pose b = sp_compose(pose_of(m, X, def->body_b), def->pose_b);
    const sp_force F = closure_force(w, of, lambda);
    if (loop) loop[l] = sp_force_make(sp_tmulv(a.R, F.m), sp_tmulv(a.R, F.f));
    w->closure[count++] = wrench_on(m, X, def->body_b, F, b.p);
    w->closure[count++] = wrench_on(m, X, def->body_a, sp_scalef(-1, F), b.p);
  }
  return count;
}

limb_status limb_closed_loads(limb_loops* w, const limb_closed_motion* in, const double* lambda, limb_ref ref,
                              const limb_loop_options* options, sp_force* joint, sp_force* loop)
{
  if (!w || !in || !in->q || !in->v || !in->a || !lambda || !limb_ref_valid(ref)) return LIMB_E_ARG;
  const limb_model* m = w->m;
  if (!limb_finite(m->nrow, lambda)) return LIMB_E_NONFINITE;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (s == LIMB_OK) s = limb_loop_rows_at(w, in->q, NULL, o.time, LIMB_ROWS_REACH);
  if (s != LIMB_OK) return s;
  const limb_wrench_list closures = {gather(w, lambda, loop), w->closure};
  for (int l = 0; loop && l < m->nloop; l++) {
    if (!limb_finite3(loop[l].m) || !limb_finite3(loop[l].f)) return LIMB_E_NONFINITE;
  }
  if (!joint) return LIMB_OK;
  return limb_reactions_under(w->d, in->q, in->v, in->a, in->env, &closures, ref, joint);
}
