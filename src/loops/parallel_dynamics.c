// Velocities, Jacobian and dynamics of parallel robots in the space of the platform.
//
// Reference: Khalil 2010, (59)-(66), with J_p for the J_r of (62).
// Cost:      two motions of the links and one recursion of Newton and Euler, all O(n), the legs
//            (parallel_constraints.c), and the cube of the mobility; forward O(n^2) for B' M B.
//
// All velocities follow from the platform's, and that is free in N only, which holds what the legs forbid:
//
//     v = B V,   V = N y        a = B V' + a_0,   V' = N y' + V_0       (V' as in parallel_impl.h)
//
// With tree = M a + h the forces of legs and platform as if there were no closures,
//
//     (66)      F = F_p + sum J_vi' J_i^-T tau_i = B' tree,        N' B_a' tau = N' F
//     forward   N' (B' M B) N y' = N' B' (tau - h - M (B V_0 + a_0))
//
// B_a: rows of the active joints; (N' B_a')^-1 N' is J_p' where there are as many drives as motions.

#include "base/numeric.h"
#include "dynamics/environment.h"
#include "linalg/dense.h"
#include "loops/parallel_impl.h"

#include <math.h>
#include <string.h>

// How far a state may be from the loops, the pose or the motions that the legs allow [m, rad, or relative].
#define TOLERATED 1e-6

static void write_motion(sp_motion x, double* to)
{
  to[0] = x.w.x, to[1] = x.w.y, to[2] = x.w.z, to[3] = x.v.x, to[4] = x.v.y, to[5] = x.v.z;
}

static sp_motion read_motion(const double* x) { return (sp_motion){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

// ---- states -------------------------------------------------------------------------------------------------

static bool loops_are_closed(const limb_parallel* p)
{
  for (int i = 0; i < p->ngroup; i++) {
    if (limb_leg_gap(p, &p->leg[i]) > TOLERATED) return false;
  }
  return true;
}

static bool is_at(const limb_parallel* p, const sp_pose* pose)
{
  const sp_pose X = limb_platform_pose(p);
  double largest = sp_norm3(sp_sub3(X.p, pose->p)) / fmax(1, sp_norm3(X.p));
  for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(X.R.m[i] - pose->R.m[i]));
  return largest <= TOLERATED;
}

// Legs at q, which closes the loops; g is zero.
static limb_status stand(limb_parallel* p, const double* q)
{
  static const double none[PLATFORM] = {0};
  const limb_status s = limb_legs_at(p, q, NULL);
  if (s != LIMB_OK) return s;
  if (!loops_are_closed(p)) return LIMB_E_ARG;
  limb_legs_set(p, 0, p->w->phi, none);
  return LIMB_OK;
}

// g for accelerations at v, and what V' has without those of joints.
static limb_status set_gamma(limb_parallel* p, const double* q, const double* v, double* bias)
{
  static const double none[PLATFORM] = {0};
  const limb_status s = limb_constraints_at(p->w, q, v, 0, LIMB_NEED_GAMMA);
  if (s != LIMB_OK) return s;
  write_motion(sp_motion_in(p->in_link, p->w->d->own.a_v[p->link]), bias);
  limb_legs_set(p, 1, p->w->gamma, none);
  return LIMB_OK;
}

// p->v, and with accelerations p->a, for a motion of the platform. B and g are left for it.
static limb_status move(limb_parallel* p, const double* q, const limb_platform_motion* motion, bool accelerate)
{
  double V[PLATFORM], A[PLATFORM], bias[PLATFORM];
  write_motion(motion->velocity, V);
  write_motion(motion->acceleration, A);
  if (!limb_finite(9, motion->pose.R.m) || !limb_finite(3, &motion->pose.p.x) || !limb_finite(PLATFORM, V) ||
      (accelerate && !limb_finite(PLATFORM, A)))
    return LIMB_E_NONFINITE;
  limb_status s = stand(p, q);
  if (s != LIMB_OK) return s;
  if (!is_at(p, &motion->pose) || limb_legs_resist(p, V) > TOLERATED) return LIMB_E_ARG;
  limb_legs_follow(p, V, p->v);
  if (!accelerate) return LIMB_OK;
  s = set_gamma(p, q, p->v, bias);
  if (s != LIMB_OK) return s;
  for (int c = 0; c < PLATFORM; c++) A[c] -= bias[c];
  if (limb_legs_resist(p, A) > TOLERATED) return LIMB_E_ARG;
  limb_legs_follow(p, A, p->a);
  return LIMB_OK;
}

static limb_status give(const limb_parallel* p, const double* x, double* out)
{
  memcpy(out, x, (size_t)p->m->nv * sizeof *out);
  return limb_finite(p->m->nv, out) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_parallel_motion(limb_parallel* p, const double* q, const limb_platform_motion* motion, double* v,
                                 double* a)
{
  if (!p || !q || !motion || !v) return LIMB_E_ARG;
  limb_status s = move(p, q, motion, a != NULL);
  if (s == LIMB_OK) s = give(p, p->v, v);
  if (s == LIMB_OK && a) s = give(p, p->a, a);
  return s;
}

// ---- drives -------------------------------------------------------------------------------------------------

// p->rates = B_a N: velocity of drive k for motion t. Returns the least pivot that counts in it: a share of
// what the entries are sums of, not of what is left of them.
static double set_drive_rates(limb_parallel* p)
{
  double terms = 0;
  for (int t = 0; t < p->free; t++) {
    double size = 0;
    for (int c = 0; c < PLATFORM; c++) size += fabs(p->N[c * PLATFORM + t]);
    for (int k = 0; k < p->nactive; k++) {
      const double* B = p->B + (ptrdiff_t)p->active[k] * PLATFORM;
      double sum = 0;
      for (int c = 0; c < PLATFORM; c++) sum += B[c] * p->N[c * PLATFORM + t];
      p->rates[k * PLATFORM + t] = sum;
      terms = fmax(terms, size * p->terms[p->active[k]]);
    }
  }
  return LIMB_DEPENDENT * terms;
}

limb_status limb_parallel_jacobian(limb_parallel* p, const double* q, sp_motion* J)
{
  if (!p || !q || !J) return LIMB_E_ARG;
  limb_status s = stand(p, q);
  if (s != LIMB_OK) return s;
  limb_legs_restrict(p);
  const int n = p->nactive, free = p->free;
  if (n > free) return LIMB_E_UNSUPPORTED;
  if (n < free) return LIMB_E_SINGULAR;
  const double min_pivot = set_drive_rates(p);
  limb_reduction* r = &p->drives;
  r->rows = n, r->columns = free, r->extra = n;
  for (int k = 0; k < n; k++) {
    double* A = r->A + (ptrdiff_t)k * (free + n);
    for (int t = 0; t < free; t++) A[t] = p->rates[k * PLATFORM + t];
    for (int j = 0; j < n; j++) A[free + j] = j == k ? 1 : 0;
  }
  limb_row_reduce(r, NULL, LIMB_DEPENDENT);
  if (r->rank < free || !(r->min_pivot > min_pivot)) return LIMB_E_SINGULAR;
  for (int j = 0; j < n; j++) { // V = N (B_a N)^-1 v_a
    double V[PLATFORM] = {0};
    for (int k = 0; k < free; k++) {
      const double y = r->A[(ptrdiff_t)k * (free + n) + free + j];
      for (int c = 0; c < PLATFORM; c++) V[c] += p->N[c * PLATFORM + r->pivot[k]] * y;
    }
    J[j] = read_motion(V);
  }
  return LIMB_OK;
}

// Least norm of x with x_p + A_y x_y = b: x_y = (1 + A_y' A_y)^-1 A_y' b. By pivot order, in x.
static bool share_out(const limb_reduction* r, double* work, double* x)
{
  const int rank = r->rank, more = r->columns - rank;
  const ptrdiff_t wide = r->columns + r->extra;
  for (int i = 0; i < more; i++) {
    const int ci = r->pivot[rank + i];
    double sum = 0;
    for (int k = 0; k < rank; k++) sum += r->A[k * wide + ci] * r->A[k * wide + r->columns];
    x[rank + i] = sum;
    for (int j = 0; j <= i; j++) {
      const int cj = r->pivot[rank + j];
      double a = i == j ? 1 : 0;
      for (int k = 0; k < rank; k++) a += r->A[k * wide + ci] * r->A[k * wide + cj];
      work[i * more + j] = a;
    }
  }
  if (more > 0 && !limb_cholesky(more, work)) return false;
  if (more > 0) limb_cholesky_solve(more, work, x + rank);
  for (int k = 0; k < rank; k++) {
    x[k] = r->A[k * wide + r->columns];
    for (int i = 0; i < more; i++) x[k] -= r->A[k * wide + r->pivot[rank + i]] * x[rank + i];
  }
  return true;
}

// tau at active joints, zero elsewhere, with N' B_a' tau = N' F.
static limb_status drive(limb_parallel* p, const double* F, double* tau)
{
  const int n = p->nactive;
  const double min_pivot = set_drive_rates(p);
  limb_reduction* r = &p->drives;
  r->rows = p->free, r->columns = n, r->extra = 1;
  for (int t = 0; t < p->free; t++) {
    double* A = r->A + (ptrdiff_t)t * (n + 1);
    for (int k = 0; k < n; k++) A[k] = p->rates[k * PLATFORM + t];
    A[n] = 0;
    for (int c = 0; c < PLATFORM; c++) A[n] += p->N[c * PLATFORM + t] * F[c];
  }
  limb_row_reduce(r, NULL, LIMB_DEPENDENT);
  double* x = p->step; // as many as drives
  if (r->rank < p->free || !(r->min_pivot > min_pivot) || !share_out(r, p->share, x)) return LIMB_E_SINGULAR;
  for (int i = 0; i < p->m->nv; i++) tau[i] = 0;
  for (int k = 0; k < n; k++) tau[p->active[r->pivot[k]]] = x[k];
  return limb_finite(p->m->nv, tau) ? LIMB_OK : LIMB_E_NONFINITE;
}

// F = B' f
static void to_platform(const limb_parallel* p, const double* f, double* F)
{
  for (int c = 0; c < PLATFORM; c++) F[c] = 0;
  for (int i = 0; i < p->m->nv; i++) {
    const double* B = p->B + (ptrdiff_t)i * PLATFORM;
    for (int c = 0; c < PLATFORM; c++) F[c] += B[c] * f[i];
  }
}

limb_status limb_parallel_inverse_dynamics(limb_parallel* p, const double* q, const limb_platform_motion* motion,
                                           const limb_environment* env, double* tau)
{
  if (!p || !q || !motion || !tau) return LIMB_E_ARG;
  limb_status s = move(p, q, motion, true);
  if (s == LIMB_OK) s = limb_inverse_dynamics(p->w->d, q, p->v, p->a, env, p->tree);
  if (s != LIMB_OK) return s;
  double F[PLATFORM];
  to_platform(p, p->tree, F);
  limb_legs_restrict(p);
  return drive(p, F, tau);
}

// ---- forward dynamics ---------------------------------------------------------------------------------------

// V_0: the dependent components, the others zero
static void smallest_acceleration(const limb_parallel* p, double* V)
{
  const limb_reduction* r = &p->allowed;
  for (int c = 0; c < PLATFORM; c++) V[c] = 0;
  for (int k = 0; k < r->rank; k++) V[r->pivot[k]] = r->A[k * (PLATFORM + 1) + PLATFORM];
}

// N' (B' M B) N, free x free
static void platform_inertia(const limb_parallel* p, double* L)
{
  const int nv = p->m->nv, free = p->free;
  double MB[PLATFORM], Lambda[PLATFORM * PLATFORM] = {0};
  for (int i = 0; i < nv; i++) {
    for (int c = 0; c < PLATFORM; c++) MB[c] = 0;
    for (int j = 0; j < nv; j++) {
      const double x = p->M[(ptrdiff_t)i * nv + j];
      const double* B = p->B + (ptrdiff_t)j * PLATFORM;
      for (int c = 0; x != 0 && c < PLATFORM; c++) MB[c] += x * B[c];
    }
    for (int r = 0; r < PLATFORM; r++) {
      const double b = p->B[(ptrdiff_t)i * PLATFORM + r];
      for (int c = 0; c < PLATFORM; c++) Lambda[r * PLATFORM + c] += b * MB[c];
    }
  }
  for (int s = 0; s < free; s++) {
    for (int t = 0; t < free; t++) {
      double sum = 0;
      for (int r = 0; r < PLATFORM; r++) {
        for (int c = 0; c < PLATFORM; c++)
          sum += p->N[r * PLATFORM + s] * Lambda[r * PLATFORM + c] * p->N[c * PLATFORM + t];
      }
      L[s * free + t] = sum;
    }
  }
}

static bool is_consistent(limb_parallel* p, const double* v)
{
  double fastest = 0;
  for (int i = 0; i < p->m->nv; i++) fastest = fmax(fastest, fabs(v[i]));
  limb_psi_times(p->w, v, p->w->r1);
  for (int r = 0; r < p->m->nrow; r++) {
    if (fabs(p->w->r1[r]) > TOLERATED * fastest) return false;
  }
  return true;
}

// V += N (N' Lambda N)^-1 N' F: what the forces do, along the motions that the legs leave.
static limb_status accelerate_platform(limb_parallel* p, const double* F, double* V)
{
  double L[PLATFORM * PLATFORM], y[PLATFORM];
  platform_inertia(p, L);
  for (int t = 0; t < p->free; t++) {
    y[t] = 0;
    for (int c = 0; c < PLATFORM; c++) y[t] += p->N[c * PLATFORM + t] * F[c];
  }
  if (!limb_cholesky(p->free, L)) return LIMB_E_SINGULAR;
  limb_cholesky_solve(p->free, L, y);
  for (int t = 0; t < p->free; t++) {
    for (int c = 0; c < PLATFORM; c++) V[c] += p->N[c * PLATFORM + t] * y[t];
  }
  return limb_finite(PLATFORM, V) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_parallel_forward_dynamics(limb_parallel* p, const double* q, const double* v, const double* tau,
                                           const limb_environment* env, sp_motion* acceleration, double* a)
{
  if (!p || !q || !v || !tau) return LIMB_E_ARG;
  const int nv = p->m->nv;
  if (!limb_finite(nv, v) || !limb_finite(nv, tau)) return LIMB_E_NONFINITE;
  limb_status s = stand(p, q);
  if (s != LIMB_OK) return s;
  if (!is_consistent(p, v)) return LIMB_E_ARG;
  double bias[PLATFORM];
  s = set_gamma(p, q, v, bias);
  if (s != LIMB_OK) return s;
  limb_legs_restrict(p);
  double V[PLATFORM], F[PLATFORM];
  smallest_acceleration(p, V);
  if (limb_legs_resist(p, V) > TOLERATED) return LIMB_E_SINGULAR;
  limb_legs_follow(p, V, p->a);
  s = limb_inverse_dynamics(p->w->d, q, v, p->a, env, p->tree);
  if (s == LIMB_OK) s = limb_mass_matrix(p->w->d, q, p->M);
  if (s != LIMB_OK) return s;
  for (int i = 0; i < nv; i++) p->tree[i] = tau[i] - p->tree[i];
  to_platform(p, p->tree, F);
  s = accelerate_platform(p, F, V);
  if (s != LIMB_OK) return s;
  limb_legs_follow(p, V, p->a);
  if (acceleration) *acceleration = sp_addm(read_motion(V), read_motion(bias));
  return a ? give(p, p->a, a) : LIMB_OK;
}

// ---- modules in series --------------------------------------------------------------------------------------

// Each module stands on the platform of the one before.
//
// Reference: the outlook of Khalil 2010 on hybrid structures. Outward motions and inward forces are those of the
//            Newton-Euler recursion, with a module in the place of a link.
// Cost:      that of the modules, each once.
//
//   V_0k, V'_0k   motion of what a module stands on, in its axes: a moving base (limb_environment)
//   X_k, M_k      pose of its platform; pose of what it stands on, in the platform below
//   V_k, V'_k     motion of its platform against its base, given
//   W_k           wrench that it asks of its base
//
//   V = Ad_X^-1 V_0k + V_k,    V' = Ad_X^-1 V'_0k + (Ad_X^-1 V_0k) x V_k + V'_k,    V_0k+1 = Ad_M^-1 V
//
// and inward: the load of platform k is -Ad_M^* W_k+1; W_k is the sum of the wrenches through the joints on the base of
// its spanning tree, because closures push both ways.

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

// W of a module in the motion that limb_parallel_inverse_dynamics has left in it. F: one per joint.
static limb_status wrench_on_base(limb_parallel* p, const double* q, const limb_environment* env, sp_force* F,
                                  sp_force* W)
{
  const limb_status s = limb_joint_reactions(p->w->d, q, p->v, p->a, env, LIMB_WORLD, F);
  *W = (sp_force){{0, 0, 0}, {0, 0, 0}};
  for (int j = 0; j < p->m->njoint && s == LIMB_OK; j++)
    if (p->m->joint[j].def.parent == LIMB_WORLD_BODY) *W = sp_addf(*W, F[j]);
  return s;
}

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
    if (s == LIMB_OK) s = wrench_on_base(x->p, x->q, &e, F, W);
  }
  return s;
}

limb_status limb_parallel_series_inverse_dynamics(const limb_parallel_module* module, int count,
                                                  const limb_environment* env, sp_force* on_base)
{
  if (!module || count < 1) return LIMB_E_ARG;
  size_t joints = 0;
  for (int k = 0; k < count; k++) {
    if (!module[k].p || !module[k].q || !module[k].tau) return LIMB_E_ARG;
    if (!limb_finite(9, module[k].mount.R.m) || !limb_finite3(module[k].mount.p)) return LIMB_E_NONFINITE;
    if ((size_t)module[k].p->m->njoint > joints) joints = (size_t)module[k].p->m->njoint;
  }
  limb_environment e;
  limb_status s = limb_environment_read(module[0].p->m, env, &e);
  if (s != LIMB_OK) return s;
  if (e.nwrench > 0 || e.nlaw > 0) return LIMB_E_UNSUPPORTED;
  limb_memory memory;
  const size_t size = (size_t)count * sizeof(moved) + joints * sizeof(sp_force);
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
