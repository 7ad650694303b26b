// Parallel robots in series: each module stands on the platform of the one before, as in stacked platforms.
//
// Reference: the outlook of Khalil 2010 on hybrid structures. Outward motions and inward forces are those of the
//            Newton-Euler recursion, with a module in the place of a link; forward, those of the articulated-body
//            recursion, (32)-(44), with the motions N y of a platform in the place of a joint.
// Cost:      that of the modules, each once.
//
//   V_0k, V'_0k   motion of what a module stands on, in its axes: a moving base (limb_environment)
//   X_k, M_k      pose of its platform; pose of what it stands on, in the platform below
//   V_k, V'_k     motion of its platform against its base
//   W_k           wrench that it asks of its base
//
//   V = Ad_X^-1 V_0k + V_k,    V' = Ad_X^-1 V'_0k + (Ad_X^-1 V_0k) x V_k + V'_k,    V_0k+1 = Ad_M^-1 V
//
// and inward: the load of platform k is -Ad_M^* W_k+1; W_k is the sum of the wrenches through the joints on the base of
// its spanning tree, because closures push both ways.

#include "dynamics/environment.h"
#include "kinematics/kinematics_impl.h"
#include "linalg/dense.h"
#include "loops/parallel_impl.h"

#include <string.h>

// ---- what modules hand on -----------------------------------------------------------------------------------

// Twist and its derivative (spatial), of what a module stands on, in its axes.
typedef struct moved {
  sp_motion V, A;
  sp_vec3 gravity;
} moved;

// Of the platform of a module, in the platform's axes.
static moved on_platform(const moved* base, const limb_platform_motion* x)
{
  const sp_motion carried = sp_motion_in(x->pose, base->V);
  const sp_motion turned = sp_addm(sp_crm(carried, x->velocity), x->acceleration);
  return (moved){sp_addm(carried, x->velocity), sp_addm(sp_motion_in(x->pose, base->A), turned),
                 sp_tmulv(x->pose.R, base->gravity)};
}

static moved on_mount(const moved* platform, sp_pose M)
{
  return (moved){sp_motion_in(M, platform->V), sp_motion_in(M, platform->A), sp_tmulv(M.R, platform->gravity)};
}

static moved ground(const limb_environment* env)
{
  const sp_motion V = env->base_velocity, A = env->base_acceleration;
  return (moved){V, {A.w, sp_sub3(A.v, sp_cross3(V.w, V.v))}, env->gravity};
}

// The environment of a module; w: the load of its platform, or NULL.
static limb_environment around(const limb_environment* env, const moved* base, const limb_wrench* w)
{
  limb_environment e = *env;
  e.gravity = base->gravity;
  e.base_velocity = base->V;
  e.base_acceleration = sp_motion_make(base->A.w, sp_add3(base->A.v, sp_cross3(base->V.w, base->V.v)));
  e.nwrench = w != NULL, e.wrench = w;
  return e;
}

// A motion of a module's tree.
typedef struct motion_of_tree {
  const double *q, *v, *a;
} motion_of_tree;

// W of a module in a motion. F: one per joint.
static limb_status wrench_on_base(limb_parallel* p, motion_of_tree x, const limb_environment* env, sp_force* F,
                                  sp_force* W)
{
  const limb_status s = limb_joint_reactions(p->w->d, x.q, x.v, x.a, env, LIMB_WORLD, F);
  *W = (sp_force){{0, 0, 0}, {0, 0, 0}};
  for (int j = 0; j < p->m->njoint && s == LIMB_OK; j++)
    if (p->m->joint[j].def.parent == LIMB_WORLD_BODY) *W = sp_addf(*W, F[j]);
  return s;
}

static limb_status read_environment(const limb_model* m, const limb_environment* env, limb_environment* out)
{
  const limb_status s = limb_environment_read(m, env, out);
  return s == LIMB_OK && (out->nwrench > 0 || out->nlaw > 0) ? LIMB_E_UNSUPPORTED : s;
}

static int larger(int a, int b) { return a > b ? a : b; }

// ---- inverse dynamics ---------------------------------------------------------------------------------------

static limb_status solve_inward(const limb_parallel_module* module, int count, const moved* base,
                                const limb_environment* env, sp_force* F, sp_force* W)
{
  limb_status s = LIMB_OK;
  for (int k = count - 1; k >= 0 && s == LIMB_OK; k--) {
    const limb_parallel_module* x = &module[k];
    const limb_wrench load = {x->p->platform, LIMB_BODY,
                              k + 1 < count ? sp_force_out(module[k + 1].mount, sp_scalef(-1, *W)) : *W};
    const limb_environment e = around(env, &base[k], k + 1 < count ? &load : NULL);
    s = limb_parallel_inverse_dynamics(x->p, x->q, &x->motion, &e, x->tau);
    if (s == LIMB_OK) s = wrench_on_base(x->p, (motion_of_tree){x->q, x->p->v, x->p->a}, &e, F, W);
  }
  return s;
}

limb_status limb_parallel_series_inverse_dynamics(const limb_parallel_module* module, int count,
                                                  const limb_environment* env, sp_force* on_base)
{
  if (!module || count < 1) return LIMB_E_ARG;
  int joints = 0;
  for (int k = 0; k < count; k++) {
    if (!module[k].p || !module[k].q || !module[k].tau) return LIMB_E_ARG;
    if (!limb_finite(9, module[k].mount.R.m) || !limb_finite3(module[k].mount.p)) return LIMB_E_NONFINITE;
    joints = larger(joints, module[k].p->m->njoint);
  }
  limb_environment e;
  limb_status s = read_environment(module[0].p->m, env, &e);
  if (s != LIMB_OK) return s;
  limb_memory memory;
  const size_t size = (size_t)count * sizeof(moved) + (size_t)joints * sizeof(sp_force);
  s = limb_memory_take(&module[0].p->m->alloc, size, &memory);
  if (s != LIMB_OK) return s;
  moved* base = memory.block;
  sp_force W = {{0, 0, 0}, {0, 0, 0}}, *F = (sp_force*)(base + count);
  base[0] = ground(&e);
  base[0] = on_mount(&base[0], module[0].mount);
  for (int k = 0; k + 1 < count; k++) {
    const moved platform = on_platform(&base[k], &module[k].motion);
    base[k + 1] = on_mount(&platform, module[k + 1].mount);
  }
  s = solve_inward(module, count, base, &e, F, &W);
  if (on_base && s == LIMB_OK) *on_base = sp_force_out(module[0].mount, W);
  limb_memory_end(memory);
  return s;
}

// ---- forward dynamics ---------------------------------------------------------------------------------------

// Articulated modules. What module k does, as V'_0 of its base and y' of its platform (parallel_dynamics.c) determine,
// with W = I^A V'_0 + p^A asked by the module above, both in the axes of the platform:
//
//     N' (B' M B + I^A) N y' = r - U V'_0         U = N' (B' P' + I^A Ad_X^-1)
//     r = N' (B' (tau - tree) - (I^A A + p^A))    tree, A: forces of the tree, V' of the platform at y' = V'_0 = 0
//     W_k = (I_k + Ad_X^-T I^A Ad_X^-1) V'_0 + Ad_X^-T (I^A A + p^A) + W(tree) + U' y'
//
// so that with H = N' (B' M B + I^A) N the module, y' eliminated, asks W_k = I^A_k V'_0 + p^A_k of its base:
//
//     I^A_k = I_k + Ad_X^-T I^A Ad_X^-1 - U' H^-1 U,    p^A_k = Ad_X^-T (I^A A + p^A) + W(tree) + U' H^-1 r
//
// P = [... A_j ...] is the momentum matrix about the origin of the module, I_k its inertia there with all joints held.

enum { BASE = 6 }; // velocities of what a module stands on

typedef struct articulated {
  double I[BASE * BASE];
  sp_force p;
} articulated;

typedef struct stage {
  moved base;                                        // A is known in the last pass only
  sp_pose X;                                         // of the platform
  sp_motion A;                                       // V' of the platform at y' = 0 and V'_0 = 0
  double V[PLATFORM], bias[PLATFORM];                // limb_platform_prepare
  double H[PLATFORM * PLATFORM], U[PLATFORM * BASE]; // H: its Cholesky factor; U: free x 6
  double r[PLATFORM];
} stage;

static sp_motion unit_motion(int c)
{
  double x[BASE] = {0};
  x[c] = 1;
  return limb_motion_read(x);
}

static void write_force(sp_force f, double* to)
{
  to[0] = f.m.x, to[1] = f.m.y, to[2] = f.m.z, to[3] = f.f.x, to[4] = f.f.y, to[5] = f.f.z;
}

static sp_force read_force(const double* x) { return (sp_force){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

static sp_force times(const double* I, sp_motion V)
{
  double x[BASE], f[BASE];
  limb_motion_write(V, x);
  for (int i = 0; i < BASE; i++) f[i] = limb_dot(BASE, I + (ptrdiff_t)i * BASE, x);
  return read_force(f);
}

// From the axes of B to those of A, X being the pose of B in A: Ad_X^-T I Ad_X^-1, Ad_X^-T p.
static articulated carry(sp_pose X, const articulated* x)
{
  articulated out = {.p = sp_force_out(X, x->p)};
  for (int c = 0; c < BASE; c++) {
    double column[BASE];
    write_force(sp_force_out(X, times(x->I, sp_motion_in(X, unit_motion(c)))), column);
    for (int i = 0; i < BASE; i++) out.I[i * BASE + c] = column[i];
  }
  return out;
}

// I += inertia of all links at the origin of the module, joints held.
static void add_inertia(const limb_model* m, const sp_pose* X, double* I)
{
  for (int c = 0; c < BASE; c++) {
    const sp_motion e = unit_motion(c);
    sp_force sum = limb_moments_times(&m->fixed, e);
    for (int i = 0; i < m->nlink; i++)
      sum = sp_addf(sum, sp_force_out(X[i], limb_moments_times(&m->inertia[i], sp_motion_in(X[i], e))));
    double column[BASE];
    write_force(sum, column);
    for (int i = 0; i < BASE; i++) I[i * BASE + c] += column[i];
  }
}

// Outward: states and velocities, and A.
static limb_status set_out(const limb_parallel_driven_module* module, int count, const limb_environment* env,
                           stage* stages)
{
  moved below = ground(env);
  for (int k = 0; k < count; k++) {
    const limb_parallel_driven_module* x = &module[k];
    stage* at = &stages[k];
    at->base = on_mount(&below, x->mount);
    const limb_status s = limb_platform_prepare(x->p, x->q, x->v, at->V, at->bias);
    if (s != LIMB_OK) return s;
    at->X = limb_platform_pose(x->p);
    const limb_platform_motion platform = {at->X, sp_motion_in(x->p->in_link, x->p->w->d->own.v[x->p->link]),
                                           sp_addm(limb_motion_read(at->V), limb_motion_read(at->bias))};
    if (k > 0) at->base.A = (sp_motion){{0, 0, 0}, {0, 0, 0}};
    moved still = at->base;
    still.A = (sp_motion){{0, 0, 0}, {0, 0, 0}};
    below = on_platform(&still, &platform);
    at->A = below.A;
  }
  return LIMB_OK;
}

// H, U and r of a module with `load` on its platform, in the platform's axes.
static limb_status eliminate(const limb_parallel_driven_module* x, const articulated* load, const sp_force* P,
                             stage* at)
{
  limb_parallel* p = x->p;
  const int nv = p->m->nv;
  double Lambda[PLATFORM * PLATFORM], F[PLATFORM], asked[PLATFORM];
  limb_platform_inertia(p, Lambda);
  for (int k = 0; k < PLATFORM * PLATFORM; k++) Lambda[k] += load->I[k];
  if (!limb_platform_factor(p, Lambda, at->H)) return LIMB_E_SINGULAR;
  for (int i = 0; i < nv; i++) p->step[i] = x->tau[i] - p->tree[i];
  limb_platform_gather(p, p->step, F);
  write_force(sp_addf(times(load->I, at->A), load->p), asked);
  for (int c = 0; c < PLATFORM; c++) F[c] -= asked[c];
  limb_platform_restrict(p, F, at->r);
  for (int c = 0; c < BASE; c++) { // column c of U
    const sp_motion e = unit_motion(c);
    double y[PLATFORM];
    for (int i = 0; i < nv; i++) p->step[i] = sp_dot(e, P[i]);
    limb_platform_gather(p, p->step, F);
    write_force(times(load->I, sp_motion_in(at->X, e)), asked);
    for (int i = 0; i < PLATFORM; i++) F[i] += asked[i];
    limb_platform_restrict(p, F, y);
    for (int t = 0; t < p->free; t++) at->U[t * BASE + c] = y[t];
  }
  return LIMB_OK;
}

// out -= U' H^-1 [U -r]: what is left of a module, its platform free to move.
static void release(const limb_parallel* p, const stage* at, articulated* out)
{
  double give[BASE];
  write_force(out->p, give);
  for (int c = 0; c <= BASE; c++) {
    double y[PLATFORM];
    for (int t = 0; t < p->free; t++) y[t] = c < BASE ? at->U[t * BASE + c] : -at->r[t];
    limb_cholesky_solve(p->free, at->H, y);
    for (int i = 0; i < BASE; i++) {
      double* to = c < BASE ? &out->I[i * BASE + c] : &give[i];
      for (int t = 0; t < p->free; t++) *to -= at->U[t * BASE + i] * y[t];
    }
  }
  out->p = read_force(give);
}

// Inward over all modules: at the end `out` is that of the first, in its axes. scratch: one per joint or velocity.
static limb_status articulate(const limb_parallel_driven_module* module, int count, const limb_environment* env,
                              stage* stages, sp_force* scratch, articulated* out)
{
  articulated above = {.p = {{0, 0, 0}, {0, 0, 0}}};
  for (int k = count - 1; k >= 0; k--) {
    const limb_parallel_driven_module* x = &module[k];
    limb_data* d = x->p->w->d;
    stage* at = &stages[k];
    moved still = at->base;
    still.A = (sp_motion){{0, 0, 0}, {0, 0, 0}};
    const limb_environment e = around(env, &still, NULL);
    sp_force W;
    limb_status s = limb_inverse_dynamics(d, x->q, x->v, x->p->a, &e, x->p->tree);
    if (s == LIMB_OK) s = wrench_on_base(x->p, (motion_of_tree){x->q, x->v, x->p->a}, &e, scratch, &W);
    if (s == LIMB_OK) s = limb_mass_matrix(d, x->q, x->p->M);
    if (s == LIMB_OK) s = limb_kinematics(d, x->q, NULL, NULL);
    if (s == LIMB_OK) s = limb_momentum_matrix(d, 0, scratch);
    if (s == LIMB_OK) s = eliminate(x, &above, scratch, at);
    if (s != LIMB_OK) return s;
    *out = above;
    out->p = sp_addf(times(above.I, at->A), above.p);
    *out = carry(at->X, out);
    add_inertia(x->p->m, d->motion.X, out->I);
    out->p = sp_addf(out->p, W);
    release(x->p, at, out);
    if (k > 0) above = carry(x->mount, out);
  }
  return LIMB_OK;
}

// Outward again, with the accelerations.
static limb_status move_out(limb_parallel_driven_module* module, int count, stage* stages)
{
  for (int k = 0; k < count; k++) {
    limb_parallel_driven_module* x = &module[k];
    stage* at = &stages[k];
    double y[PLATFORM], V_0[BASE];
    limb_motion_write(at->base.A, V_0);
    for (int t = 0; t < x->p->free; t++) y[t] = at->r[t] - limb_dot(BASE, at->U + (ptrdiff_t)t * BASE, V_0);
    limb_cholesky_solve(x->p->free, at->H, y);
    double moves[PLATFORM] = {0};
    limb_platform_expand(x->p, y, moves);
    for (int c = 0; c < PLATFORM; c++) at->V[c] += moves[c];
    limb_legs_follow(x->p, at->V, x->p->a);
    const limb_status s = limb_platform_give(x->p, x->p->a, x->a);
    if (s != LIMB_OK) return s;
    x->acceleration = sp_addm(limb_motion_read(at->V), limb_motion_read(at->bias));
    const sp_motion free = sp_addm(at->A, limb_motion_read(moves));
    if (k + 1 < count)
      stages[k + 1].base.A = sp_motion_in(module[k + 1].mount, sp_addm(sp_motion_in(at->X, at->base.A), free));
  }
  return LIMB_OK;
}

// Every module has a decomposition of its own: it holds what the passes leave for the next.
static limb_status check_driven(const limb_parallel_driven_module* module, int count, int* wrenches)
{
  *wrenches = 0;
  for (int k = 0; k < count; k++) {
    const limb_parallel_driven_module* x = &module[k];
    if (!x->p || !x->q || !x->v || !x->tau || !x->a) return LIMB_E_ARG;
    for (int i = 0; i < k; i++)
      if (module[i].p == x->p) return LIMB_E_ARG;
    const int nv = x->p->m->nv;
    if (!limb_finite(9, x->mount.R.m) || !limb_finite3(x->mount.p) || !limb_finite(nv, x->v) ||
        !limb_finite(nv, x->tau))
      return LIMB_E_NONFINITE;
    *wrenches = larger(*wrenches, larger(nv, x->p->m->njoint));
  }
  return LIMB_OK;
}

limb_status limb_parallel_series_forward_dynamics(limb_parallel_driven_module* module, int count,
                                                  const limb_environment* env, sp_force* on_base)
{
  if (!module || count < 1) return LIMB_E_ARG;
  int wrenches;
  limb_environment e;
  limb_status s = check_driven(module, count, &wrenches);
  if (s == LIMB_OK) s = read_environment(module[0].p->m, env, &e);
  if (s != LIMB_OK) return s;
  limb_memory memory;
  const size_t size = (size_t)count * sizeof(stage) + (size_t)wrenches * sizeof(sp_force);
  s = limb_memory_take(&module[0].p->m->alloc, size, &memory);
  if (s != LIMB_OK) return s;
  stage* stages = memory.block;
  articulated whole;
  s = set_out(module, count, &e, stages);
  if (s == LIMB_OK) s = articulate(module, count, &e, stages, (sp_force*)(stages + count), &whole);
  if (s == LIMB_OK && on_base)
    *on_base = sp_force_out(module[0].mount, sp_addf(times(whole.I, stages[0].base.A), whole.p));
  if (s == LIMB_OK) s = move_out(module, count, stages);
  limb_memory_end(memory);
  return s;
}
