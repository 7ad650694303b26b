// Reference closed form: mass matrix, velocity terms and gravity forces by stacked matrices.
//
// Reference: Lynch and Park 2017, (9.62)-(9.84), with these corrections of the print: the terms with [ad_{A v}]
//            in (9.73), (9.78), (9.83) have a minus sign; dV_0 = (0; -g) in (9.70) and (9.84).
// Cost:      O(n^3) time, O(n^2) memory: everything is a dense row-major matrix, as on the page.
//
// limb_reference_factors hands the matrices out. There, an auxiliary body, which readers put on the axis of a joint, is
// one with the body that it carries: the columns of the joint are seen from that.
//
// For trees, block (i, p) of Gamma is Ad_{T_{i,p}} when p is the parent of i. Gamma is nilpotent, and row block i of
// L = (I - Gamma)^-1 is Ad_{T_{i,p}} times row block p, plus the identity on the diagonal. Compound joints have more
// columns in A, which may turn: (dA/dt) v joins the accelerations. A mimic joint puts multiplier
// times its column under its source's velocity: every result is in the independent velocities.
//
//   paper                    code          size
//   A, Gamma, L, G           A, W, L, G    6n x nv, 6n x 6n ...; n bodies, the world left out
//   [ad_{A v}], [ad_V]       ad_Av, ad_V   6n x 6n
//   V_base, dV_base          V_base, ...   6n: Ad_{T_{i,0}} of V_0, dV_0 for children of the world
//
//   M = A' L' G L A                                                                        (9.82)
//   c = A' L' (G L (-[ad_{A v}] (Gamma V + V_base) + (dA/dt) v + dV_base) - [ad_V]' G V)   (9.83)
//   g = A' L' G L dV_gravity                                                               (9.84)
//
// with V = L (A v + V_base). With the base at rest, V_base = dV_base = 0 and c is the print's C v.
// A moving base adds its part to c, so that c + g are the bias forces and g stays gravity alone.

#include "base/memory.h"
#include "dynamics/environment.h"
#include "kernel/tables.h"
#include "linalg/dense.h"
#include "verify/reference_impl.h"

#include <string.h>

typedef struct stacked {
  size_t n6, nv;
  int rows, columns;                // n6, nv
  const int* place;                 // of each body among those with rows; NULL: i - 1
  double *A, *S, *LA, *GLA;         // 6n x nv; in limb_reference_factors, those that are wanted
  double *W, *L, *G, *ad_Av, *ad_V; // 6n x 6n
  double *Av, *dAv;                 // 6n: A v, (dA/dt) v
  double *V_base, *dV_base, *dV_gravity;
  double *V, *dV, *F, *scratch; // 6n
} stacked;

static stacked lay_out(limb_arena* a, const limb_model* m)
{
  const size_t nb = (size_t)m->nbody, n6 = 6 * (nb - 1), nv = (size_t)m->nv;
  stacked s = {.n6 = n6, .nv = nv, .rows = (int)n6, .columns = m->nv};
  double** wide[] = {&s.A, &s.LA, &s.GLA};
  for (size_t k = 0; k < sizeof wide / sizeof *wide; k++) *wide[k] = limb_arena_take(a, n6, nv * sizeof(double));
  double** square[] = {&s.W, &s.L, &s.G, &s.ad_Av, &s.ad_V};
  for (size_t k = 0; k < sizeof square / sizeof *square; k++) *square[k] = limb_arena_take(a, n6, n6 * sizeof(double));
  double** vector[] = {&s.Av, &s.dAv, &s.V_base, &s.dV_base, &s.dV_gravity, &s.V, &s.dV, &s.F, &s.scratch};
  for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) *vector[k] = limb_arena_take(a, n6, sizeof(double));
  return s;
}

// First row of a body.
static size_t row_of(const stacked* s, int body) { return 6 * (size_t)(s->place ? s->place[body] : body - 1); }

// Column of the matrix X with the given row length, from row on: a motion. NULL: not computed.
static void put_motion(double* X, size_t length, size_t row, size_t column, sp_motion v)
{
  if (!X) return;
  const double x[6] = {v.w.x, v.w.y, v.w.z, v.v.x, v.v.y, v.v.z};
  for (size_t k = 0; k < 6; k++) X[(row + k) * length + column] = x[k];
}

static void put_force(double* X, size_t length, size_t row, size_t column, sp_force f)
{
  put_motion(X, length, row, column, sp_motion_make(f.m, f.f));
}

// ---- the stacked matrices -----------------------------------------------------------------------

// L_i = Gamma_ip L_p besides the identity                                                  (9.76)
static void fill_row_of_L(const stacked* s, int i, int p, sp_pose T)
{
  const size_t n6 = s->n6;
  for (size_t j = 0; j < n6; j++) {
    double x[6];
    for (size_t k = 0; k < 6; k++) x[k] = s->L[(row_of(s, p) + k) * n6 + j];
    const sp_motion above = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    const sp_motion in = sp_motion_in(T, above);
    const double y[6] = {in.w.x, in.w.y, in.w.z, in.v.x, in.v.y, in.v.z};
    for (size_t k = 0; k < 6; k++) s->L[(row_of(s, i) + k) * n6 + j] += y[k];
  }
}

// Rows of A, Gamma, G, A v, (dA/dt) v of body i, which follows p, and its part of L given that of p. v NULL: at rest.
static void fill_body(const limb_model* m, const stacked* s, int i, int p, const limb_reference_joint* J,
                      const double* v)
{
  const size_t n6 = s->n6, row = row_of(s, i);
  const sp_motion none = {{0, 0, 0}, {0, 0, 0}}, Av = v ? limb_reference_joint_times(J, v) : none;
  for (int k = 0; k < J->n; k++)
    put_motion(s->A, s->nv, row, (size_t)(J->v + k), sp_scalem(J->multiplier, J->A[k])); // (9.64)

  for (int k = 0; k < 6; k++) { // matrices by columns: their effect on unit motions
    const size_t column = row + (size_t)k;
    const sp_motion e = limb_reference_unit(k);
    put_force(s->G, n6, row, column, sp_inertia_times(&m->body[i].inertia, e)); // (9.65)
    put_motion(s->ad_Av, n6, row, column, sp_crm(Av, e));                       // (9.67)
    put_motion(s->L, n6, row, column, e);
    if (p > 0) put_motion(s->W, n6, row, row_of(s, p) + (size_t)k, sp_motion_in(J->T, e)); // (9.68)
  }
  put_motion(s->Av, 1, row, 0, Av);
  put_motion(s->dAv, 1, row, 0, v ? limb_reference_joint_drift(J, v) : none);
  if (p > 0 && s->L) fill_row_of_L(s, i, p, J->T);
}

static void fill(const limb_model* m, const stacked* s, const double* q, const double* v, const limb_environment* env)
{
  // the base's twist, and its derivative from the classical acceleration: v' = a - w x v
  const sp_motion V0 = env->base_velocity, a = env->base_acceleration;
  const sp_motion dV0 = {a.w, sp_sub3(a.v, sp_cross3(V0.w, V0.v))};
  const sp_motion up = {{0, 0, 0}, sp_scale3(-1, env->gravity)};

  for (int k = 1; k < m->nbody; k++) {
    const int i = m->body_order[k];
    const limb_reference_joint J = limb_reference_joint_at(&m->joint[m->body[i].joint], q);
    fill_body(m, s, i, m->body[i].parent, &J, v);
    if (m->body[i].parent != 0) continue;
    put_motion(s->V_base, 1, row_of(s, i), 0, sp_motion_in(J.T, V0));     // (9.69)
    put_motion(s->dV_base, 1, row_of(s, i), 0, sp_motion_in(J.T, dV0));   // (9.70)
    put_motion(s->dV_gravity, 1, row_of(s, i), 0, sp_motion_in(J.T, up)); // (9.70), V_0' = -g
  }
}

static void fill_ad_V(const stacked* s)
{
  for (size_t row = 0; row < s->n6; row += 6) {
    const double* x = s->V + row;
    const sp_motion V = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    for (int k = 0; k < 6; k++)
      put_motion(s->ad_V, s->n6, row, row + (size_t)k, sp_crm(V, limb_reference_unit(k))); // (9.66)
  }
}

// ---- the closed form ----------------------------------------------------------------------------

// M = (L A)' G (L A), and the rotors on its diagonal
static void mass_matrix(const limb_model* m, const stacked* s, double* M)
{
  limb_matrix_product(s->rows, s->rows, s->columns, s->G, s->LA, s->GLA);
  limb_transposed_product(s->columns, s->rows, s->columns, s->LA, s->GLA, M);
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    for (int k = 0; k < limb_type_nv(joint->def.type); k++)
      M[(size_t)(joint->v + k) * (s->nv + 1)] += limb_reference_rotor(joint, k);
  }
}

static void velocity_forces(const stacked* s, double* c)
{
  const size_t n6 = s->n6;
  double *x = s->scratch, *F = s->F;

  // V = L (A v + V_base)                                                                   (9.77)
  for (size_t k = 0; k < n6; k++) x[k] = s->Av[k] + s->V_base[k];
  limb_matrix_product(s->rows, s->rows, 1, s->L, x, s->V);

  // dV = L (-[ad_{A v}] (Gamma V + V_base) + (dA/dt) v + dV_base)                          (9.78)
  limb_matrix_product(s->rows, s->rows, 1, s->W, s->V, x);
  for (size_t k = 0; k < n6; k++) x[k] += s->V_base[k];
  limb_matrix_product(s->rows, s->rows, 1, s->ad_Av, x, F);
  for (size_t k = 0; k < n6; k++) x[k] = -F[k] + s->dAv[k] + s->dV_base[k];
  limb_matrix_product(s->rows, s->rows, 1, s->L, x, s->dV);

  // F = G dV - [ad_V]' G V, and c = (L A)' F                                               (9.79)
  fill_ad_V(s);
  limb_matrix_product(s->rows, s->rows, 1, s->G, s->V, x);
  limb_transposed_product(s->rows, s->rows, 1, s->ad_V, x, F);
  limb_matrix_product(s->rows, s->rows, 1, s->G, s->dV, x);
  for (size_t k = 0; k < n6; k++) x[k] -= F[k];
  limb_transposed_product(s->columns, s->rows, 1, s->LA, x, c);
}

// g = (L A)' G L dV_gravity                                                                (9.84)
static void gravity_forces(const stacked* s, double* g)
{
  limb_matrix_product(s->rows, s->rows, 1, s->L, s->dV_gravity, s->scratch);
  limb_matrix_product(s->rows, s->rows, 1, s->G, s->scratch, s->F);
  limb_transposed_product(s->columns, s->rows, 1, s->LA, s->F, g);
}

limb_status limb_reference_closed_form(const limb_model* m, const double* q, const double* v,
                                       const limb_environment* env, double* M, double* c, double* g)
{
  if (!m || !q || !v) return LIMB_E_ARG;
  limb_environment e;
  limb_memory memory;
  limb_arena count = {0};
  (void)lay_out(&count, m);
  limb_status status = limb_reference_open(m, q, v, v, env, count.used + 1, &e, &memory);
  if (status) return status;
  limb_arena arena = limb_arena_over(memory.block, memory.size);
  const stacked s = lay_out(&arena, m);

  fill(m, &s, q, v, &e);
  limb_matrix_product(s.rows, s.rows, s.columns, s.L, s.A, s.LA);
  if (M) mass_matrix(m, &s, M);
  if (c) velocity_forces(&s, c);
  if (g) gravity_forces(&s, g);
  const ptrdiff_t nv = m->nv;
  if ((M && !limb_finite(nv * nv, M)) || (c && !limb_finite(nv, c)) || (g && !limb_finite(nv, g)))
    status = LIMB_E_NONFINITE;
  limb_memory_end(memory);
  return status;
}

// ---- the matrices themselves ----------------------------------------------------------------------

size_t limb_reference_factors_work(const limb_model* m) { return m ? 19 * (size_t)m->nbody : 0; }

// The joint of body i; if that is the fixed one to an auxiliary body, with the joint of the latter. *on: the joint that
// moves, *p: the body it is on.
static limb_reference_joint joint_of(const limb_model* m, const stacked* s, int i, const double* q, int* on, int* p)
{
  limb_reference_joint J = limb_reference_joint_at(&m->joint[m->body[i].joint], q);
  *on = m->body[i].joint, *p = m->body[i].parent;
  if (*p == 0 || s->place[*p] >= 0) return J;
  *on = m->body[*p].joint;
  limb_reference_joint K = limb_reference_joint_at(&m->joint[*on], q);
  for (int k = 0; k < K.n; k++) K.A[k] = sp_motion_in(J.T, K.A[k]);
  K.T = sp_compose(K.T, J.T);
  *p = m->body[*p].parent;
  return K;
}

// Columns of the joint in the world, at home.
static void fill_screws(const limb_model* m, const stacked* s, int i, int joint, const sp_pose* M)
{
  const limb_joint* on = &m->joint[joint];
  sp_motion S[6];
  const int n = limb_reference_screws(on, M[on->def.child], S);
  const double multiplier = n == 1 ? on->multiplier : 1;
  for (int k = 0; k < n; k++) put_motion(s->S, s->nv, row_of(s, i), (size_t)(on->v + k), sp_scalem(multiplier, S[k]));
}

static void clear(const stacked* s)
{
  double* const wide[] = {s->A, s->S};
  double* const square[] = {s->W, s->L, s->G, s->ad_Av, s->ad_V};
  for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
    if (wide[k]) memset(wide[k], 0, s->n6 * s->nv * sizeof(double));
  for (size_t k = 0; k < sizeof square / sizeof *square; k++)
    if (square[k]) memset(square[k], 0, s->n6 * s->n6 * sizeof(double));
}

// The rows of body i. M: home poses, V: twists.
static void fill_rows(const limb_model* m, const stacked* s, int i, const double* q, const double* v, const sp_pose* M,
                      sp_motion* V)
{
  int on, p;
  const limb_reference_joint J = joint_of(m, s, i, q, &on, &p);
  fill_body(m, s, i, p, &J, v);
  fill_screws(m, s, i, on, M);
  if (!v) return;
  // V_i = Ad_(T_(i,p)) V_p + A_i v_i                                                        (9.54)
  V[i] = sp_addm(sp_motion_in(J.T, V[p]), limb_reference_joint_times(&J, v));
  for (int k = 0; k < 6; k++)
    put_motion(s->ad_V, s->n6, row_of(s, i), row_of(s, i) + (size_t)k, sp_crm(V[i], limb_reference_unit(k)));
}

// body holds the described ones, and becomes the place of each; -1: auxiliary. From the end, so that none is lost.
static void find_places(const limb_model* m, int n, int* body)
{
  for (int i = m->nbody - 1, k = n - 1; i > 0; i--) {
    const bool described = k >= 0 && body[k] == i;
    body[i] = described ? k : -1;
    k -= described;
  }
}

limb_status limb_reference_factors(const limb_model* m, const double* q, const double* v, const limb_environment* env,
                                   double* work, const limb_factors* out)
{
  if (!m || !q || !work || !out || (!v && (out->ad_Av || out->ad_V))) return LIMB_E_ARG;
  limb_environment e;
  const limb_status status = limb_reference_check(m, q, v, NULL, env, &e);
  if (status != LIMB_OK) return status;
  sp_motion* V = (sp_motion*)(void*)work;
  sp_pose* M = (sp_pose*)(void*)(V + m->nbody);
  int* place = (int*)(void*)(M + m->nbody);
  const int n = limb_described_bodies(m, place);
  find_places(m, n, place);
  const stacked s = {.n6 = 6 * (size_t)n,
                     .nv = (size_t)m->nv,
                     .place = place,
                     .A = out->A,
                     .S = out->S,
                     .W = out->Gamma,
                     .L = out->L,
                     .G = out->G,
                     .ad_Av = out->ad_Av,
                     .ad_V = out->ad_V};
  clear(&s);
  V[0] = e.base_velocity, M[0] = sp_pose_identity();
  for (int k = 1; k < m->nbody; k++) {
    const int i = m->body_order[k];
    M[i] = sp_compose(M[m->body[i].parent], m->joint[m->body[i].joint].def.placement); // (9.38)
    if (place[i] >= 0) fill_rows(m, &s, i, q, v, M, V);
  }
  return LIMB_OK;
}
