// Reference closed form: mass matrix, velocity terms and gravity forces by stacked matrices.
//
// Reference: Lynch and Park 2017, (9.62)-(9.84), with these corrections of the print: the terms with [ad_{A v}]
//            in (9.73), (9.78), (9.83) have a minus sign; dV_0 = (0; -g) in (9.70) and (9.84).
// Cost:      O(n^3) time, O(n^2) memory: everything is a dense row-major matrix, as on the page.
//
// For trees, block (i, p) of Gamma is Ad_{T_{i,p}} when p is the parent of i. With parents numbered
// first, Gamma is strictly lower triangular, hence nilpotent, and row block i of L = (I - Gamma)^-1
// is Ad_{T_{i,p}} times row block p, plus the identity on the diagonal. Compound joints have more
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
  size_t* at;                       // first row of each body
  double *A, *LA, *GLA;             // 6n x nv
  double *W, *L, *G, *ad_Av, *ad_V; // 6n x 6n
  double *Av, *dAv;                 // 6n: A v, (dA/dt) v
  double *V_base, *dV_base, *dV_gravity;
  double *V, *dV, *F, *scratch; // 6n
} stacked;

static stacked lay_out(limb_arena* a, const limb_model* m)
{
  const size_t nb = (size_t)m->nbody, n6 = 6 * (nb - 1), nv = (size_t)m->nv;
  stacked s = {.n6 = n6, .nv = nv, .rows = (int)n6, .columns = m->nv};
  s.at = limb_arena_take(a, nb, sizeof *s.at);
  double** wide[] = {&s.A, &s.LA, &s.GLA};
  for (size_t k = 0; k < sizeof wide / sizeof *wide; k++) *wide[k] = limb_arena_take(a, n6, nv * sizeof(double));
  double** square[] = {&s.W, &s.L, &s.G, &s.ad_Av, &s.ad_V};
  for (size_t k = 0; k < sizeof square / sizeof *square; k++) *square[k] = limb_arena_take(a, n6, n6 * sizeof(double));
  double** vector[] = {&s.Av, &s.dAv, &s.V_base, &s.dV_base, &s.dV_gravity, &s.V, &s.dV, &s.F, &s.scratch};
  for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) *vector[k] = limb_arena_take(a, n6, sizeof(double));
  return s;
}

// Column of the matrix X with the given row length, from row on: a motion.
static void put_motion(double* X, size_t length, size_t row, size_t column, sp_motion v)
{
  const double x[6] = {v.w.x, v.w.y, v.w.z, v.v.x, v.v.y, v.v.z};
  for (size_t k = 0; k < 6; k++) X[(row + k) * length + column] = x[k];
}

static void put_force(double* X, size_t length, size_t row, size_t column, sp_force f)
{
  put_motion(X, length, row, column, sp_motion_make(f.m, f.f));
}

// ---- the stacked matrices -----------------------------------------------------------------------

// Rows of A, Gamma, G, A v, (dA/dt) v of body i, and its part of L given its parent's.
static void fill_body(const limb_model* m, const stacked* s, int i, const limb_reference_joint* J, const double* v)
{
  const size_t n6 = s->n6, row = s->at[i];
  for (int k = 0; k < J->n; k++)
    put_motion(s->A, s->nv, row, (size_t)(J->v + k), sp_scalem(J->multiplier, J->A[k])); // (9.64)

  for (int k = 0; k < 6; k++) { // matrices by columns: their effect on unit motions
    const size_t column = row + (size_t)k;
    const sp_motion e = limb_reference_unit(k);
    put_force(s->G, n6, row, column, sp_inertia_times(&m->body[i].inertia, e));         // (9.65)
    put_motion(s->ad_Av, n6, row, column, sp_crm(limb_reference_joint_times(J, v), e)); // (9.67)
    put_motion(s->L, n6, row, column, e);
  }
  put_motion(s->Av, 1, row, 0, limb_reference_joint_times(J, v));
  put_motion(s->dAv, 1, row, 0, limb_reference_joint_drift(J, v));

  const int p = m->body[i].parent;
  if (p == 0) return;
  for (int k = 0; k < 6; k++)
    put_motion(s->W, n6, row, s->at[p] + (size_t)k, sp_motion_in(J->T, limb_reference_unit(k))); // (9.68)

  // L_i = Gamma_ip L_p besides the identity                                               (9.76)
  for (size_t j = 0; j < s->at[p] + 6; j++)
    for (size_t k = 0; k < 6; k++)
      for (size_t l = 0; l < 6; l++)
        s->L[(row + k) * n6 + j] += s->W[(row + k) * n6 + s->at[p] + l] * s->L[(s->at[p] + l) * n6 + j];
}

static void fill(const limb_model* m, const stacked* s, const double* q, const double* v, const limb_environment* env)
{
  // the base's twist, and its derivative from the classical acceleration: v' = a - w x v
  const sp_motion V0 = env->base_velocity, a = env->base_acceleration;
  const sp_motion dV0 = {a.w, sp_sub3(a.v, sp_cross3(V0.w, V0.v))};
  const sp_motion up = {{0, 0, 0}, sp_scale3(-1, env->gravity)};

  for (int k = 1; k < m->nbody; k++) s->at[m->body_order[k]] = 6 * (size_t)(k - 1);
  for (int k = 1; k < m->nbody; k++) {
    const int i = m->body_order[k];
    const limb_reference_joint J = limb_reference_joint_at(&m->joint[m->body[i].joint], q);
    fill_body(m, s, i, &J, v);
    if (m->body[i].parent != 0) continue;
    put_motion(s->V_base, 1, s->at[i], 0, sp_motion_in(J.T, V0));     // (9.69)
    put_motion(s->dV_base, 1, s->at[i], 0, sp_motion_in(J.T, dV0));   // (9.70)
    put_motion(s->dV_gravity, 1, s->at[i], 0, sp_motion_in(J.T, up)); // (9.70), V_0' = -g
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
    if (limb_type_nv(joint->def.type) != 1) continue;
    const double rate = joint->def.gear_ratio * joint->multiplier; // rotor turns per unit of v
    M[(size_t)joint->v * (s->nv + 1)] += rate * rate * joint->def.rotor_inertia;
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
  limb_status status = limb_reference_open(m, q, v, v, env, count.used, &e, &memory);
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
