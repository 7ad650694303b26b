// Inverse dynamics of robots with closed loops: torques at active joints, the dynamics of the independent velocities,
// internal loads.
//
// Reference: Khalil 2010, (55)-(58), as corrected in docs/books.md: (57) with the transpose, and H_c of (58) at the
//            accelerations that the passive joints have when the active ones have none; for redundant drives Y.
//            Nakamura, M. Ghodoussi, Dynamics computation of closed-link robot mechanisms with nonredundant and
//            redundant actuators, 1989.
// Cost:      O(n), and cubes of the clusters; the matrix A_c O(n^2 ny).
//
//   paper          code     meaning
//   q_a, q_p       -        active and passive joints of the tree
//   G = dq/dq_y    r        velocities by independent ones y: 1 in the rows of y, -A_y in those of pivots
//   Gamma_tr       tree     inverse dynamics of the tree
//   Gamma_c        tau      what the motors deliver
//   lambda         -        M a + h = tau + Psi' lambda, so Psi' lambda = Gamma_tr - tau
//
// Virtual work along the independent velocities:   G_a' tau = G' Gamma_tr,   G_a: rows of G of active joints.
// Where y are the active joints, G_a is a unit matrix. Joints in no loop stand for themselves.

#include "base/numeric.h"
#include "base/status.h"
#include "dynamics/dynamics_impl.h"
#include "dynamics/environment.h"
#include "kinematics/kinematics_impl.h"
#include "linalg/dense.h"
#include "loops/loops_impl.h"

#include <math.h>
#include <string.h>

// ---- drives -------------------------------------------------------------------------------------------------

static bool bounds_make_sense(double lower, double upper)
{
  return lower <= upper && lower < HUGE_VAL && upper > -HUGE_VAL;
}

limb_actuation limb_default_actuation(void) { return (limb_actuation){.size = sizeof(limb_actuation)}; }

limb_status limb_actuation_read(const limb_loops* w, const limb_actuation* given, limb_actuation* out)
{
  *out = limb_default_actuation();
  if (!given) return LIMB_OK;
  const limb_status s = limb_sized_read(out, sizeof *out, given, offsetof(limb_actuation, upper) + sizeof out->upper);
  if (s != LIMB_OK) return s;
  for (int v = 0; v < w->m->nv; v++) {
    if (!w->active[v]) continue;
    const double lower = out->lower ? out->lower[v] : -HUGE_VAL;
    const double upper = out->upper ? out->upper[v] : HUGE_VAL;
    const double numbers[2] = {out->weight ? out->weight[v] : 1, out->preferred ? out->preferred[v] : 0};
    if (!limb_finite(2, numbers) || isnan(lower) || isnan(upper)) return LIMB_E_NONFINITE;
    if (!(numbers[0] > 0) || !bounds_make_sense(lower, upper)) return LIMB_E_ARG;
  }
  return LIMB_OK;
}

// One drive: its numbers, defaults filled in.
typedef struct drive {
  double weight, preferred, lower, upper;
} drive;

static drive drive_of(const limb_actuation* how, int v)
{
  return (drive){how->weight ? how->weight[v] : 1, how->preferred ? how->preferred[v] : 0,
                 how->lower ? how->lower[v] : -HUGE_VAL, how->upper ? how->upper[v] : HUGE_VAL};
}

// ---- torques of a cluster -----------------------------------------------------------------------------------

// Arrays for n velocities, in w->sharing.
typedef struct group {
  const limb_cluster* k;
  const limb_reduction* r;
  int ny, na;
  int* active; // na: columns of active joints
  double *E, *b, *weight, *preferred, *lower, *upper, *x;
  limb_balance_scratch scratch;
} group;

size_t limb_sharing_size(size_t n) { return n * n + 6 * n + limb_balance_work((int)n, (int)n); }

static group group_of(limb_loops* w, int cluster, double tolerance)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  group g = {.k = k, .r = limb_reduce_cluster(w, cluster, w->passive, LIMB_CARRY_NOTHING, tolerance)};
  const size_t n = (size_t)k->nv;
  g.ny = k->nv - g.r->rank;
  g.active = w->sharing_index;
  for (int j = 0; j < k->nv; j++) {
    if (w->active[k->v[j]]) g.active[g.na++] = j;
  }
  double* at = w->sharing;
  g.E = at, at += n * n;
  g.b = at, g.weight = at + n, g.preferred = at + 2 * n, g.lower = at + 3 * n;
  g.upper = at + 4 * n, g.x = at + 5 * n;
  g.scratch = (limb_balance_scratch){at + 6 * n, w->sharing_index + n, w->sharing_marks};
  return g;
}

// E = G_a' and b = G' Gamma_tr
static void virtual_work(const group* g, const double* tree)
{
  const limb_reduction* r = g->r;
  const int *y = r->pivot + r->rank, *v = g->k->v;
  for (int i = 0; i < g->ny; i++) {
    g->b[i] = tree[v[y[i]]];
    for (int p = 0; p < r->rank; p++) g->b[i] -= r->A[(ptrdiff_t)p * r->columns + y[i]] * tree[v[r->pivot[p]]];
    for (int a = 0; a < g->na; a++) g->E[(ptrdiff_t)i * g->na + a] = y[i] == g->active[a];
  }
  for (int a = 0; a < g->na; a++) {
    for (int p = 0; p < r->rank; p++) {
      if (r->pivot[p] != g->active[a]) continue;
      for (int i = 0; i < g->ny; i++) g->E[(ptrdiff_t)i * g->na + a] = -r->A[(ptrdiff_t)p * r->columns + y[i]];
    }
  }
}

// The tolerance is a share of the largest entry of G, of which E is a part: as a share of the largest entry
// of E. An E that is all rounding becomes zero.
static double tolerance_in_E(const group* g, double tolerance)
{
  const limb_reduction* r = g->r;
  const int* y = r->pivot + r->rank;
  double in_G = 1;
  for (int i = 0; i < g->ny; i++) {
    for (int p = 0; p < r->rank; p++) in_G = fmax(in_G, fabs(r->A[(ptrdiff_t)p * r->columns + y[i]]));
  }
  const size_t entries = (size_t)g->ny * (size_t)g->na;
  const double in_E = limb_largest(entries, g->E);
  if (in_E > tolerance * in_G) return tolerance * in_G / in_E;
  for (size_t k = 0; k < entries; k++) g->E[k] = 0;
  return tolerance;
}

static limb_status share_in_cluster(limb_loops* w, int cluster, const limb_actuation* how, double tolerance,
                                    const double* tree, double* tau, limb_closed_forces* out)
{
  const group g = group_of(w, cluster, tolerance);
  w->suspect |= limb_is_suspect(g.r);
  virtual_work(&g, tree);
  if (!limb_finite(g.ny, g.b)) return LIMB_E_NONFINITE;
  for (int a = 0; a < g.na; a++) {
    const drive d = drive_of(how, g.k->v[g.active[a]]);
    g.weight[a] = d.weight, g.preferred[a] = d.preferred;
    g.lower[a] = d.lower, g.upper[a] = d.upper;
  }
  limb_balance p = {.rows = g.ny,
                    .columns = g.na,
                    .E = g.E,
                    .b = g.b,
                    .weight = g.weight,
                    .preferred = g.preferred,
                    .lower = g.lower,
                    .upper = g.upper,
                    .tolerance = tolerance_in_E(&g, tolerance),
                    .x = g.x};
  const bool solved = limb_balance_solve(&p, &g.scratch);
  for (int a = 0; a < g.na; a++) tau[g.k->v[g.active[a]]] = g.x[a];
  out->undriven += g.ny - p.rank;
  out->overdriven += g.na - p.rank;
  out->unbalanced = fmax(out->unbalanced, p.left);
  return solved ? LIMB_OK : LIMB_E_NOCONV;
}

// ---- torques of all joints ----------------------------------------------------------------------------------

// A joint in no loop.
static void share_alone(const limb_loops* w, int v, const limb_actuation* how, const double* tree, double* tau,
                        limb_closed_forces* out)
{
  const drive d = drive_of(how, v);
  if (w->active[v] || out->as_tree) tau[v] = fmin(fmax(tree[v], d.lower), d.upper);
  out->undriven += !w->active[v];
  out->unbalanced = fmax(out->unbalanced, fabs(tree[v] - tau[v]));
}

// Torques reach a bound up to rounding.
static bool is_at(double tau, double bound) { return isfinite(bound) && fabs(tau - bound) <= 1e-12 * fabs(bound); }

limb_status limb_share_torques(limb_loops* w, const limb_actuation* how, double tolerance, const double* tree,
                               double* tau, limb_closed_forces* out)
{
  const limb_model* m = w->m;
  limb_status s = LIMB_OK;
  w->suspect = false;
  out->unbalanced = 0;
  out->undriven = out->overdriven = out->bounded = 0;
  for (int v = 0; v < m->nv; v++) tau[v] = 0;
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_status of = share_in_cluster(w, c, how, tolerance, tree, tau, out);
    if (of != LIMB_OK) s = of;
  }
  for (int v = 0; v < m->nv; v++) {
    if (m->nloop == 0 || m->clusters.of_v[v] < 0) share_alone(w, v, how, tree, tau, out);
    const drive d = drive_of(how, v);
    out->bounded += w->active[v] && (is_at(tau[v], d.lower) || is_at(tau[v], d.upper));
  }
  return s;
}

static bool motion_complete(const limb_closed_motion* in) { return in && in->q && in->v && in->a; }

// ---- inverse dynamics ---------------------------------------------------------------------------------------

static double largest_wrench(const limb_environment* env)
{
  double largest = 0;
  for (int k = 0; k < env->nwrench; k++) {
    const sp_force* f = &env->wrench[k].wrench;
    const double x[6] = {f->m.x, f->m.y, f->m.z, f->f.x, f->f.y, f->f.z};
    largest = fmax(largest, limb_largest(6, x));
  }
  return largest;
}

// The size of the forces that cancel in a motion, against which rounding is measured: the weight and the
// wrenches at an arm of a metre, twice the kinetic energy, Coriolis forces, springs. work: nv
static limb_status force_scale(limb_loops* w, const limb_closed_motion* in, double* work, double* scale)
{
  const size_t nv = (size_t)w->m->nv;
  limb_environment e;
  limb_energy energy;
  limb_status s = limb_environment_read(w->m, in->env, &e);
  if (s == LIMB_OK) s = limb_energies(w->d, in->q, in->v, &e, &energy);
  if (s != LIMB_OK) return s;
  const sp_vec3 g = sp_sub3(e.gravity, e.base_acceleration.v);
  *scale = fmax(w->m->total_mass * sp_norm3(g), fmax(2 * energy.kinetic, largest_wrench(&e)));
  s = limb_bias_forces(w->d, in->q, in->v, &e, work);
  if (s != LIMB_OK) return s;
  *scale = fmax(*scale, limb_largest(nv, work));
  s = limb_spring_forces(w->d, in->q, work);
  *scale = fmax(*scale, limb_largest(nv, work));
  return s;
}

// Share of the forces' size that counts as rounding.
#define ROUNDING 1e-9

// Whether what is left of the balance is rounding.
static limb_status judge(limb_loops* w, const limb_closed_motion* in, const double* tree, double unbalanced)
{
  if (unbalanced <= ROUNDING * limb_largest((size_t)w->m->nv, tree)) return LIMB_OK;
  double scale;
  const limb_status s = force_scale(w, in, w->v3, &scale);
  if (s != LIMB_OK) return s;
  return unbalanced <= ROUNDING * scale ? LIMB_OK : LIMB_E_SINGULAR;
}

limb_status limb_closed_inverse_dynamics(limb_data* d, const limb_closed_motion* in, const limb_actuation* actuation,
                                         const limb_loop_options* options, limb_closed_forces* out)
{
  limb_loops* w = limb_data_loops(d);
  if (!w || !motion_complete(in) || !out) return LIMB_E_ARG;
  const limb_model* m = w->m;
  const size_t size = (size_t)m->nv * sizeof(double);
  limb_loop_options o;
  limb_actuation how;
  limb_status s = limb_loop_options_read(options, &o);
  if (s == LIMB_OK) s = limb_actuation_read(w, actuation, &how);
  // Gamma_tr
  if (s == LIMB_OK) s = limb_inverse_dynamics(w->d, in->q, in->v, in->a, in->env, w->v1);
  if (s == LIMB_OK) s = limb_constraints_at(w, in->q, NULL, o.time, LIMB_NEED_PSI);
  if (s != LIMB_OK) return s;
  // G_a' tau = G' Gamma_tr
  const limb_status shared = limb_share_torques(w, &how, o.tolerance, w->v1, w->v2, out);
  s = w->suspect ? limb_check_distance(w, o.tolerance, NULL) : LIMB_OK;
  if (s != LIMB_OK) return s;
  // Psi' lambda = Gamma_tr - tau
  for (int v = 0; v < m->nv; v++) w->v3[v] = w->v1[v] - w->v2[v];
  if (out->lambda) limb_min_norm_multipliers(w, w->v3, o.tolerance, w->r1);
  if (!limb_finite(m->nv, w->v2) || (out->lambda && !limb_finite(m->nrow, w->r1))) return LIMB_E_NONFINITE;
  if (out->lambda) limb_constraints_to_user(w, w->r1, out->lambda);
  if (out->tau && m->nv > 0) memcpy(out->tau, w->v2, size);
  if (out->tree && m->nv > 0) memcpy(out->tree, w->v1, size);
  return shared == LIMB_OK ? judge(w, in, w->v1, out->unbalanced) : shared;
}

// ---- reduced dynamics ---------------------------------------------------------------------------------------

limb_status limb_closed_reduced_dynamics(limb_data* d, const limb_closed_motion* in, const unsigned char* independent,
                                         const limb_loop_options* options, int* count, double* A, double* H)
{
  limb_loops* w = limb_data_loops(d);
  if (!w || !in || !in->q || !in->v || !count || !A || !H) return LIMB_E_ARG;
  if (w->use != LIMB_LOOPS_DENSE) return LIMB_E_ORDER;
  const int nv = w->m->nv;
  const ptrdiff_t square = (ptrdiff_t)(nv + 1) * (nv + 1);
  double *G = w->dense, *M = G + square, *MG = M + square;
  double *a = MG, *tau = MG + nv; // before MG is needed
  limb_status s = limb_velocity_map(w->owner, in->q, independent, options, count, G);
  // g: accelerations when the independent ones are zero
  for (int v = 0; v < nv; v++) a[v] = 0;
  if (s == LIMB_OK) s = limb_complete_accelerations(w->owner, in->q, in->v, independent, options, a);
  if (s == LIMB_OK) s = limb_inverse_dynamics(w->d, in->q, in->v, a, in->env, tau);
  if (s == LIMB_OK) s = limb_mass_matrix(w->d, in->q, M);
  if (s != LIMB_OK) return s;
  const int ny = *count;
  // H = G' (M g + h)
  for (int j = 0; j < ny; j++) {
    H[j] = 0;
    for (ptrdiff_t v = 0; v < nv; v++) H[j] += G[v * ny + j] * tau[v];
  }
  // A = G' M G
  limb_matrix_product(nv, nv, ny, M, G, MG);
  limb_transposed_product(ny, nv, ny, G, MG, A);
  return limb_finite(ny, H) && limb_finite((ptrdiff_t)ny * ny, A) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_reduced_dynamics(limb_data* d, const double* q, const double* v, const limb_environment* env,
                                  int* count, double* A, double* H)
{
  if (!d || !q || !v || !count || !A || !H) return LIMB_E_ARG;
  if (!d->loops) {
    *count = d->m->nv;
    const limb_status s = limb_mass_matrix(d, q, A);
    return s == LIMB_OK ? limb_inverse_dynamics(d, q, v, d->zeros, env, H) : s;
  }
  limb_loops* w = d->loops;
  const limb_closed_motion in = {.q = q, .v = v, .env = env};
  limb_loop_options o;
  const limb_status s = limb_loop_options_at(w, env, &o);
  return s == LIMB_OK ? limb_closed_reduced_dynamics(w->owner, &in, w->settings.independent, &o, count, A, H) : s;
}

// ---- multipliers ------------------------------------------------------------------------------------------

void limb_min_norm_multipliers(limb_loops* w, const double* f, double tolerance, double* lambda)
{
  const limb_model* m = w->m;
  for (int i = 0; i < m->nrow; i++) lambda[i] = 0;
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    const limb_reduction* r = limb_reduce_cluster(w, c, NULL, LIMB_CARRY_STEPS, tolerance);
    const ptrdiff_t wide = r->columns + r->extra;
    double *x = w->cluster_work, *work = x + r->rows;
    for (int j = 0; j < r->rows; j++) {
      x[j] = 0;
      for (int i = 0; i < r->rank; i++) x[j] += f[k->v[r->pivot[i]]] * r->A[i * wide + r->columns + j];
    }
    if (r->rank < r->rows) limb_remove_dependent(r, work, x);
    for (int j = 0; j < r->rows; j++) lambda[k->row + w->live[k->row + j]] = x[j];
  }
}

// ---- loads --------------------------------------------------------------------------------------------------

// Internal loads: what every joint and every closure transmits. Reference: Khalil 2010, (29)-(30) with the closures'
// wrenches among the external ones; dynamics/reactions.c. Cost: O(n + constraints + wrenches).
//
// A closure pushes its frame b with F = sum of lambda times the reach of its constraints, at the origin of b, and
// frame a with -F at the same point. Gears and polynomials act between joints' own two sides, along their
// axes: no wrench of theirs on a body is left, and what a joint transmits along its axis contains them as
// it does motor and friction.

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

// A force in world axes at p: there as it is, in the axes of a, or at the world's origin.
static sp_force seen_from(limb_ref ref, const sp_pose* a, sp_vec3 p, sp_force F)
{
  if (ref == LIMB_BODY) return sp_force_make(sp_tmulv(a->R, F.m), sp_tmulv(a->R, F.f));
  return ref == LIMB_WORLD ? limb_force_at(F, p, sp_v3(0, 0, 0)) : F;
}

// Wrenches of the closures on bodies, two each, in w->closure: how many. loop: those on frames b, by ref; NULL: not
// computed.
static int gather(limb_loops* w, const double* lambda, limb_ref ref, sp_force* loop)
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
    if (loop) loop[l] = seen_from(ref, &a, b.p, F);
    w->closure[count++] = wrench_on(m, X, def->body_b, F, b.p);
    w->closure[count++] = wrench_on(m, X, def->body_a, sp_scalef(-1, F), b.p);
  }
  return count;
}

limb_status limb_closed_loads(limb_data* d, const limb_closed_motion* in, const double* lambda, limb_ref ref,
                              const limb_loop_options* options, sp_force* joint, sp_force* loop)
{
  limb_loops* w = limb_data_loops(d);
  if (!w || !in || !in->q || !in->v || !in->a || !lambda || !limb_ref_valid(ref)) return LIMB_E_ARG;
  const limb_model* m = w->m;
  if (!limb_finite(m->nrow, lambda)) return LIMB_E_NONFINITE;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (s == LIMB_OK) s = limb_constraints_at(w, in->q, NULL, o.time, LIMB_NEED_REACH);
  if (s != LIMB_OK) return s;
  const limb_wrench_list closures = {gather(w, lambda, ref, loop), w->closure};
  for (int l = 0; loop && l < m->nloop; l++) {
    if (!limb_finite3(loop[l].m) || !limb_finite3(loop[l].f)) return LIMB_E_NONFINITE;
  }
  if (!joint) return LIMB_OK;
  return limb_reactions_under(w->d, in->q, in->v, in->a, in->env, &closures, ref, joint);
}
