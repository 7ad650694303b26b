// Reference dynamics with known and unknown joints: Newton-Euler in three sweeps, on a fixed or moving base.
//
// Reference: Khalil 2010: forward dynamics (32)-(43), elastic joints (72)-(82), moving base (89)-(112), with
//            these corrections of the print. ^jT_i and not its transpose carries accelerations outward; (81)
//            holds for every joint; rotors belong into (72), friction into (82); J^c, beta^c, J*, beta*
//            start as J_j, beta_j on every link and are running sums over all children; (96) is
//            beta_j + sum T'(beta_k^c - J_k^c zeta_k); (97) and (109) are the acceleration less gravity.
// Cost:      O(nbody).
//
// Khalil's three algorithms are one: with zeta_j for gamma_j + a_j q"_j of the known columns (89),
//
//   known joint    K_j = J_j*,                        alpha_j = J_j* zeta_j - beta_j*
//   unknown joint  K_j = J_j* - J_j* a H_j^-1 a' J_j*,  alpha_j = K_j zeta_j + J_j* a H_j^-1 s_j - beta_j*
//   inward         J_i* += T' K_j T,   beta_i* -= T' alpha_j
//
// With known joints only J* and beta* are those of the composite link, J^c and beta^c. Where the recursion
// ends on a moving base, f_0 = 0 gives its acceleration.
//
//   paper           code       meaning
//   i = a(j), j     i, j       bodies; frames are those of the bodies, at their origins
//   ^jT_i           in         sp_motion_in(pose of j in i); its transpose is sp_force_out
//   a_j             J.A        columns of the joint; H_j is a number for one unknown column, else a matrix
//   dV_j            dV         angular acceleration, and the classical one of the origin
//   gamma_j zeta_j  zeta       what dV_j has besides ^jT_i dV_i, without and with known accelerations
//   J_j* beta_j*    J beta     six columns by unit motions; bias force
//   J_j* a_j        U          columns of the unknown ones
//   s_j             s          tau_j + a_j' beta_j*
//   f_e             -on        wrench of the link on its environment

#include "base/memory.h"
#include "dynamics/dynamics_impl.h"
#include "dynamics/environment.h"
#include "kernel/tables.h"
#include "linalg/dense.h"
#include "verify/reference_impl.h"

#include <stdint.h>
#include <string.h>

typedef struct link {
  limb_reference_joint joint;
  sp_motion zeta, dV;
  sp_force J[6], beta, alpha;
  double rotor[6]; // Ia_j
  int n, u[6];     // unknown columns
  sp_force U[6];
  double H[36], s[6]; // H_j by its Cholesky factor, n x n
} link;

typedef struct recursion {
  const limb_model* m;
  limb_environment env;
  const double *q, *v, *x;
  unsigned char* given;
  double* resist; // nv: what friction and springs ask of the actuators
  double* tau;    // nv
  link* link;     // one per body, the world included
  sp_pose* T;     // in the world, for wrenches given there
  sp_motion* V;   // twists
  sp_force* on;   // wrenches on the bodies
} recursion;

// ---- 6 x 6 matrices by columns ------------------------------------------------------------------

static sp_force times(const sp_force J[6], sp_motion x)
{
  const double e[6] = {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z};
  sp_force f = {{0, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < 6; k++) f = sp_addf(f, sp_scalef(e[k], J[k]));
  return f;
}

static sp_force subf(sp_force a, sp_force b) { return sp_addf(a, sp_scalef(-1, b)); }

// J* a H^-1 x
static sp_force through_unknown(const link* l, double x[6])
{
  sp_force f = {{0, 0, 0}, {0, 0, 0}};
  limb_cholesky_solve(l->n, l->H, x);
  for (int c = 0; c < l->n; c++) f = sp_addf(f, sp_scalef(x[c], l->U[c]));
  return f;
}

// K x = J* x - J* a H^-1 a' J* x                                                         (73), (75), (104)
static sp_force K_times(const link* l, sp_motion x)
{
  double y[6];
  for (int c = 0; c < l->n; c++) y[c] = sp_dot(x, l->U[c]);
  return subf(times(l->J, x), through_unknown(l, y));
}

// ---- first sweep, outward: what needs no unknown acceleration -----------------------------------

// A joint's columns are those of its body's axes, so that its own rotation turns its own translation, and
// compound joints turn their columns: two terms that revolute, prismatic and helical joints do not have.
static sp_motion gamma_of(const limb_reference_joint* J, sp_vec3 w_i, const double* v)
{
  const sp_motion Av = limb_reference_joint_times(J, v), drift = limb_reference_joint_drift(J, v);
  const sp_vec3 w = sp_tmulv(J->T.R, w_i); // ^jw_i
  const sp_vec3 swing = sp_tmulv(J->T.R, sp_cross3(w_i, sp_cross3(w_i, J->T.p)));
  const sp_vec3 own = sp_add3(sp_cross3(Av.w, Av.v), drift.v);

  // gamma_j = (R (w_i x (w_i x P_j)) + 2 w_i x a v;  w_i x a v)                    (15), (34), (101)
  const sp_vec3 linear = sp_add3(sp_add3(swing, sp_scale3(2, sp_cross3(w, Av.v))), own);
  return sp_motion_make(sp_add3(sp_cross3(w, Av.w), drift.w), linear);
}

// beta_j = -f_e - (w x (w x MS); w x J w)                                         (33), (90), (102)
static sp_force beta_of(const sp_inertia* Y, sp_vec3 w, sp_force on)
{
  const sp_force h = sp_inertia_times(Y, sp_motion_make(w, sp_v3(0, 0, 0))); // (J w; w x MS)
  return subf(on, sp_force_make(sp_cross3(w, h.m), sp_cross3(w, h.f)));
}

static void kinematics(const recursion* r)
{
  const limb_model* m = r->m;
  const sp_motion V0 = r->env.base_velocity, a = r->env.base_acceleration;
  r->T[0] = sp_pose_identity();
  r->V[0] = V0;
  r->link[0].dV = sp_motion_make(a.w, sp_sub3(a.v, r->env.gravity)); // dV_0 = -g at rest
  for (int k = 1; k < m->nbody; k++) {
    const int j = m->body_order[k], i = m->body[j].parent;
    link* l = &r->link[j];
    l->joint = limb_reference_joint_at(&m->joint[m->body[j].joint], r->q);
    const limb_reference_joint* J = &l->joint;
    r->T[j] = sp_compose(r->T[i], J->T);

    // V_j = ^jT_i V_i + a_j v_j                                                              (13)
    r->V[j] = sp_addm(sp_motion_in(J->T, r->V[i]), limb_reference_joint_times(J, r->v));
    l->zeta = gamma_of(J, r->V[i].w, r->v);
  }
}

static limb_status loads(const recursion* r)
{
  const limb_model* m = r->m;
  const limb_status s = limb_reference_wrenches(m, r->T, r->V, &r->env, 1, r->on);
  if (s != LIMB_OK) return s;
  limb_reference_actuators(m, r->q, r->v, NULL, &r->env, r->resist);
  for (int j = 1; j < m->nbody; j++) {
    link* l = &r->link[j];
    const sp_inertia* Y = &m->body[j].inertia;
    for (int k = 0; k < l->joint.n; k++) l->rotor[k] = limb_reference_rotor(&m->joint[m->body[j].joint], k);
    // J_j* = J_j, beta_j* = beta_j
    for (int k = 0; k < 6; k++) l->J[k] = sp_inertia_times(Y, limb_reference_unit(k)); // (11)
    l->beta = beta_of(Y, r->V[j].w, r->on[j]);
  }
  return LIMB_OK;
}

// Unknown columns are noted; known ones go into zeta_j = gamma_j + a_j q"_j                    (89)
static void sort_columns(const recursion* r, link* l)
{
  const limb_reference_joint* J = &l->joint;
  l->n = 0;
  for (int k = 0; k < J->n; k++) {
    if (r->given[J->v + k] == LIMB_FORCE_GIVEN)
      l->u[l->n++] = k;
    else
      l->zeta = sp_addm(l->zeta, sp_scalem(J->multiplier * r->x[J->v + k], J->A[k]));
  }
}

// ---- second sweep, inward -----------------------------------------------------------------------

// H_j and s_j. False when H_j is not positive definite.
static bool eliminate(const recursion* r, link* l)
{
  const limb_reference_joint* J = &l->joint;
  for (int c = 0; c < l->n; c++) l->U[c] = times(l->J, J->A[l->u[c]]);
  for (int c = 0; c < l->n; c++) {
    const sp_motion a = J->A[l->u[c]];
    const int v = J->v + l->u[c];
    // H_j = a_j' J_j* a_j + Ia_j                                               (36), (72), (103)
    for (int e = 0; e < l->n; e++) l->H[c * l->n + e] = sp_dot(a, l->U[e]);
    l->H[c * l->n + c] += l->rotor[l->u[c]];
    // tau_j = Gamma_j - Fs sign(v) - Fv v - k (q - q0)                         (69), (106)
    const double tau = r->x[v] - r->resist[v];
    l->s[c] = tau + sp_dot(a, l->beta);
  }
  return limb_cholesky(l->n, l->H);
}

// From the tips to the first `roots` bodies of the order, which stay as they are.
static limb_status inward(const recursion* r, int roots)
{
  const limb_model* m = r->m;
  for (int k = m->nbody - 1; k >= roots; k--) {
    const int j = m->body_order[k], i = m->body[j].parent;
    link *l = &r->link[j], *parent = &r->link[i];
    const sp_pose T = l->joint.T;
    double s[6];
    sort_columns(r, l);
    if (!eliminate(r, l)) return LIMB_E_SINGULAR;

    // alpha_j = K_j zeta_j + J_j* a_j H_j^-1 s_j - beta_j*               (38), (74), (76), (107)
    memcpy(s, l->s, sizeof s);
    l->alpha = subf(sp_addf(K_times(l, l->zeta), through_unknown(l, s)), l->beta);

    // beta_i* -= ^jT_i' alpha_j                                          (39), (77), (96), (108)
    parent->beta = subf(parent->beta, sp_force_out(T, l->alpha));

    // J_i* += ^jT_i' K_j ^jT_i                                           (40), (78), (95), (105)
    for (int e = 0; e < 6; e++) {
      const sp_motion in = sp_motion_in(T, limb_reference_unit(e));
      parent->J[e] = sp_addf(parent->J[e], sp_force_out(T, K_times(l, in)));
    }
  }
  return LIMB_OK;
}

// ---- third sweep, outward -----------------------------------------------------------------------

static void deliver(const recursion* r, link* l, sp_motion in, double* a)
{
  const limb_reference_joint* J = &l->joint;
  double acc[6];
  const sp_motion known = sp_addm(in, l->zeta);

  // q"_j = H_j^-1 (-a_j' J_j* (^jT_i dV_i + zeta_j) + s_j)                     (41), (80), (110)
  for (int c = 0; c < l->n; c++) acc[c] = l->s[c] - sp_dot(known, l->U[c]);
  limb_cholesky_solve(l->n, l->H, acc);

  // f_j = K_j ^jT_i dV_i + alpha_j                                        (42), (79), (99), (111)
  const sp_force f = sp_addf(K_times(l, in), l->alpha);

  // dV_j = ^jT_i dV_i + zeta_j + a_j q"_j                                 (43), (81), (98), (112)
  l->dV = known;
  for (int c = 0; c < l->n; c++) l->dV = sp_addm(l->dV, sp_scalem(acc[c], J->A[l->u[c]]));

  // Gamma_j = a_j' f_j + Ia_j q"_j + Fs sign(v) + Fv v + k (q - q0); resist is there already  (82), (100)
  const double k = J->multiplier;
  for (int c = 0; c < J->n; c++) {
    const int v = J->v + c;
    if (r->given[v] == LIMB_FORCE_GIVEN) continue;
    a[v] = r->x[v];
    r->tau[v] += k * (sp_dot(J->A[c], f) + l->rotor[c] / k * r->x[v]);
  }
  for (int c = 0; c < l->n; c++) {
    const int v = J->v + l->u[c];
    a[v] = acc[c], r->tau[v] = r->x[v];
  }
}

static void outward(const recursion* r, int roots, double* a)
{
  const limb_model* m = r->m;
  memcpy(r->tau, r->resist, (size_t)m->nv * sizeof *r->tau);
  for (int k = roots; k < m->nbody; k++) {
    const int j = m->body_order[k], i = m->body[j].parent;
    link* l = &r->link[j];
    deliver(r, l, sp_motion_in(l->joint.T, r->link[i].dV), a);
  }
}

// ---- the moving base ----------------------------------------------------------------------------

// dV_0 = J_0^-1 beta_0, less gravity; then what its free joint has of it, and the true one   (97), (109)
static limb_status solve_base(const recursion* r, double* a, limb_reference_base* out)
{
  const int b = r->m->body_order[1];
  link* l = &r->link[b];
  const sp_pose T = l->joint.T;
  double A[36], x[6] = {l->beta.m.x, l->beta.m.y, l->beta.m.z, l->beta.f.x, l->beta.f.y, l->beta.f.z};
  for (int k = 0; k < 36; k++) {
    const sp_force c = l->J[k % 6];
    const double column[6] = {c.m.x, c.m.y, c.m.z, c.f.x, c.f.y, c.f.z};
    A[k] = column[k / 6];
  }
  if (!limb_cholesky(6, A)) return LIMB_E_SINGULAR;
  limb_cholesky_solve(6, A, x);
  l->dV = sp_motion_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5]));

  // (14) for the base: its columns are the unit motions
  const sp_motion rest = sp_addm(sp_motion_in(T, r->link[0].dV), l->zeta);
  const sp_motion joint = sp_addm(l->dV, sp_scalem(-1, rest));
  const double own[6] = {joint.w.x, joint.w.y, joint.w.z, joint.v.x, joint.v.y, joint.v.z};
  memcpy(a + l->joint.v, own, sizeof own);
  if (!out) return LIMB_OK;
  out->acceleration = sp_motion_make(l->dV.w, sp_add3(l->dV.v, sp_tmulv(T.R, r->env.gravity)));
  memcpy(out->J, l->J, sizeof out->J);
  out->beta = l->beta;
  return LIMB_OK;
}

// One joint on the world, and it is free of forces.
static bool on_moving_base(const limb_model* m)
{
  const limb_joint* base = m->nbody < 2 ? NULL : &m->joint[m->body[m->body_order[1]].joint];
  if (!base || base->def.type != LIMB_FREE) return false;
  for (int k = 0; k < LIMB_JOINT_DOFS; k++)
    if (base->def.armature[k] > 0 || base->def.damping[k] > 0) return false;
  for (int k = 2; k < m->nbody; k++) {
    if (m->body[m->body_order[k]].parent == 0) return false;
  }
  return true;
}

// ---- entry points -------------------------------------------------------------------------------

// What one problem is given.
typedef struct problem {
  const double *q, *v, *x;
  const unsigned char* given; // NULL: limb_given_for_passive
  const limb_environment* env;
  bool moving;     // all joints are marked alike
  limb_given mark; // the mark, then
  limb_reference_base* base;
} problem;

static recursion lay_out(limb_arena* a, const limb_model* m)
{
  const size_t n = (size_t)m->nbody, nv = (size_t)m->nv;
  recursion r = {.m = m};
  r.link = limb_arena_take(a, n, sizeof *r.link);
  r.T = limb_arena_take(a, n, sizeof *r.T);
  r.V = limb_arena_take(a, n, sizeof *r.V);
  r.on = limb_arena_take(a, n, sizeof *r.on);
  r.resist = limb_arena_take(a, nv, sizeof *r.resist);
  r.tau = limb_arena_take(a, nv, sizeof *r.tau);
  r.given = limb_arena_take(a, nv, sizeof *r.given);
  return r;
}

static limb_status set_marks(const recursion* r, const problem* p)
{
  const size_t nv = (size_t)r->m->nv;
  if (!p->moving && !p->given) return limb_given_for_passive(r->m, r->given);
  if (p->moving)
    memset(r->given, (int)p->mark, nv);
  else
    memcpy(r->given, p->given, nv);
  return LIMB_OK;
}

// What is given, and x at the joints; that of a moving base is not read.
static limb_status check_marks(const recursion* r, const problem* p)
{
  const limb_model* m = r->m;
  const int base = p->moving ? m->joint[m->body[m->body_order[1]].joint].v : m->nv;
  for (int k = 0; k < m->nv; k++) {
    if (r->given[k] > LIMB_ACCELERATION_GIVEN) return LIMB_E_ARG;
    const bool joint = k < base || k >= base + 6;
    if (joint && !limb_finite(1, &p->x[k])) return LIMB_E_NONFINITE;
  }
  return limb_given_sweeps(m, r->given) ? LIMB_OK : LIMB_E_UNSUPPORTED;
}

// tau may be NULL.
static limb_status sweep(const recursion* r, const problem* p, double* a, double* tau)
{
  const limb_model* m = r->m;
  const int roots = p->moving ? 2 : 1;
  limb_status s = set_marks(r, p);
  if (s == LIMB_OK) s = check_marks(r, p);
  if (s != LIMB_OK) return s;
  kinematics(r);
  s = loads(r);
  if (s == LIMB_OK) s = inward(r, roots);
  if (s == LIMB_OK && p->moving) s = solve_base(r, a, p->base);
  if (s != LIMB_OK) return s;
  outward(r, roots, a);
  if (tau) memcpy(tau, r->tau, (size_t)m->nv * sizeof *tau);
  const bool finite = limb_finite(m->nv, a) && limb_finite(m->nv, r->tau);
  return finite ? LIMB_OK : LIMB_E_NONFINITE;
}

static limb_status solve(const limb_model* m, const problem* p, double* a, double* tau)
{
  limb_environment env;
  limb_memory memory;
  limb_arena count = {0};
  (void)lay_out(&count, m);
  limb_status s = limb_reference_open(m, p->q, p->v, p->v, p->env, count.used, &env, &memory);
  if (s != LIMB_OK) return s;
  limb_arena arena = limb_arena_over(memory.block, memory.size);
  recursion r = lay_out(&arena, m);
  r.env = env, r.q = p->q, r.v = p->v, r.x = p->x;
  s = sweep(&r, p, a, tau);
  limb_memory_end(memory);
  return s;
}

limb_status limb_reference_hybrid(const limb_model* m, const double* q, const double* v, const unsigned char* given,
                                  const double* x, const limb_environment* env, double* a, double* tau)
{
  if (!m || !q || !v || !x || !a || !tau) return LIMB_E_ARG;
  const problem p = {q, v, x, given, env, false, LIMB_FORCE_GIVEN, NULL};
  return solve(m, &p, a, tau);
}

limb_status limb_reference_moving_base_inverse(const limb_model* m, const double* q, const double* v, double* a,
                                               const limb_environment* env, double* tau, limb_reference_base* base)
{
  if (!m || !q || !v || !a || !tau) return LIMB_E_ARG;
  if (!on_moving_base(m)) return LIMB_E_UNSUPPORTED;
  const problem p = {q, v, a, NULL, env, true, LIMB_ACCELERATION_GIVEN, base};
  return solve(m, &p, a, tau);
}

limb_status limb_reference_moving_base_forward(const limb_model* m, const double* q, const double* v, const double* tau,
                                               const limb_environment* env, double* a, limb_reference_base* base)
{
  if (!m || !q || !v || !tau || !a) return LIMB_E_ARG;
  if (!on_moving_base(m)) return LIMB_E_UNSUPPORTED;
  const problem p = {q, v, tau, NULL, env, true, LIMB_FORCE_GIVEN, base};
  return solve(m, &p, a, NULL);
}

// ---- articulated bodies -----------------------------------------------------------------------------

enum { BLOCK = 64 }; // bytes that memory is aligned to

size_t limb_reference_articulated_work(const limb_model* m)
{
  limb_arena count = {0};
  if (!m) return 0;
  (void)lay_out(&count, m);
  return (count.used + 2 * BLOCK) / sizeof(double); // one to begin at, one for what is left of the division
}

// p = J* (0; w x v) - beta*: dV = a + (0; w x v) is the classical acceleration for the spatial one.
static sp_force articulated_bias(const recursion* r, int body)
{
  const link* l = &r->link[body];
  const sp_motion V = r->V[body], centripetal = sp_motion_make(sp_v3(0, 0, 0), sp_cross3(V.w, V.v));
  return subf(times(l->J, centripetal), l->beta);
}

static limb_status deliver_articulated(const recursion* r, double* I, sp_force* p)
{
  for (int i = 0; i < r->m->nbody; i++) {
    const sp_force bias = articulated_bias(r, i);
    if (!limb_finite3(bias.m) || !limb_finite3(bias.f)) return LIMB_E_NONFINITE;
    if (p) p[i] = bias;
    for (int k = 0; k < 6 && I; k++) {
      const sp_force c = r->link[i].J[k];
      const double x[6] = {c.m.x, c.m.y, c.m.z, c.f.x, c.f.y, c.f.z};
      for (int e = 0; e < 6; e++) I[36 * (size_t)i + 6 * (size_t)e + (size_t)k] = x[e];
    }
  }
  return LIMB_OK;
}

limb_status limb_reference_articulated(const limb_model* m, const double* q, const double* v, const double* tau,
                                       const limb_environment* env, double* work, double* I, sp_force* p)
{
  if (!m || !q || !v || !tau || !work) return LIMB_E_ARG;
  limb_environment e;
  limb_status s = limb_reference_check(m, q, v, tau, env, &e);
  if (s != LIMB_OK) return s;
  char* block = (char*)work + (BLOCK - (uintptr_t)work % BLOCK) % BLOCK;
  const size_t size = limb_reference_articulated_work(m) * sizeof(double) - BLOCK;
  memset(block, 0, size);
  limb_arena arena = limb_arena_over(block, size);
  recursion r = lay_out(&arena, m);
  r.env = e, r.q = q, r.v = v, r.x = tau;
  memset(r.given, LIMB_FORCE_GIVEN, (size_t)m->nv);
  s = limb_given_sweeps(m, r.given) ? LIMB_OK : LIMB_E_UNSUPPORTED;
  if (s == LIMB_OK) kinematics(&r), s = loads(&r);
  if (s == LIMB_OK) s = inward(&r, 1);
  if (s == LIMB_OK) s = deliver_articulated(&r, I, p);
  limb_arena_release(block, size);
  return s;
}
