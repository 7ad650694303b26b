// The solution of M x = r on a tree of joins: reference_joins.c has the equations and the letters.

#include "verify/reference_joins_impl.h"

#include "kernel/tables.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef limb_joins joins;
typedef limb_joins_node node;
typedef limb_joins_link leaf;
typedef limb_joins_matrix matrix;
typedef limb_joins_six six;

// ---- six by six ---------------------------------------------------------------------------------------------

// X Y; transposed: X' Y. Adds its operations.
static matrix product(bool transposed, const matrix* X, const matrix* Y, double* ops)
{
  matrix R = {{{0}}};
  for (int i = 0; i < SIX; i++)
    for (int k = 0; k < SIX; k++)
      for (int j = 0; j < SIX; j++) R.at[i][j] += (transposed ? X->at[k][i] : X->at[i][k]) * Y->at[k][j];
  *ops += SIX * SIX * (2 * SIX - 1);
  return R;
}

// y += X x or X' x
static void times(bool transposed, const matrix* X, const six x, six y, double* ops)
{
  for (int i = 0; i < SIX; i++)
    for (int k = 0; k < SIX; k++) y[i] += (transposed ? X->at[k][i] : X->at[i][k]) * x[k];
  *ops += 2 * SIX * SIX;
}

static void add(const matrix* X, matrix* Z, double* ops)
{
  for (int i = 0; i < SIX; i++)
    for (int j = 0; j < SIX; j++) Z->at[i][j] += X->at[i][j];
  *ops += SIX * SIX;
}

// Rounding must not make an inertia lean.
static void make_even(matrix* Z, double* ops)
{
  for (int i = 0; i < SIX; i++)
    for (int j = 0; j < i; j++) Z->at[i][j] = Z->at[j][i] = (Z->at[i][j] + Z->at[j][i]) / 2;
  *ops += SIX * (SIX - 1);
}

static sp_motion motion(const six x) { return sp_motion_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5])); }
static sp_force force(const six x) { return sp_force_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5])); }

static void put(sp_vec3 a, sp_vec3 b, six x) { limb_write3(a, x), limb_write3(b, x + 3); }

static void get_column(const matrix* X, int k, six x)
{
  for (int i = 0; i < SIX; i++) x[i] = X->at[i][k];
}

static void put_column(sp_vec3 a, sp_vec3 b, int k, matrix* X)
{
  six x;
  put(a, b, x);
  for (int i = 0; i < SIX; i++) X->at[i][k] = x[i];
}

// Columns are forces: seen from the base.
static void forces_out(sp_pose X, matrix* F, double* ops)
{
  for (int k = 0; k < SIX; k++) {
    six x;
    get_column(F, k, x);
    const sp_force f = sp_force_out(X, force(x));
    put_column(f.m, f.f, k, F);
  }
  *ops += SIX * ACROSS;
}

static matrix transpose(const matrix* X)
{
  matrix R;
  for (int i = 0; i < SIX; i++)
    for (int j = 0; j < SIX; j++) R.at[i][j] = X->at[j][i];
  return R;
}

static void add_rigid(const sp_inertia* Y, double sign, matrix* I, double* ops)
{
  for (int k = 0; k < SIX; k++) {
    const sp_force f = sp_inertia_times(Y, limb_reference_unit(k));
    six y;
    put(f.m, f.f, y);
    for (int i = 0; i < SIX; i++) I->at[i][k] += sign * y[i];
  }
  *ops += SIX * SIX;
}

// ---- factors ------------------------------------------------------------------------------------------------

// D^-1 for D = S' K S + rotor. False: not positive.
static bool invert_joint(leaf* l, const matrix* K, double* ops)
{
  const int n = l->J.n;
  double D[SIX * SIX], inverse[SIX * SIX], largest = 0;
  for (int k = 0; k < n; k++) {
    six s, U = {0};
    put(l->J.A[k].w, l->J.A[k].v, s);
    times(false, K, s, U, ops);
    memcpy(l->U.at[k], U, sizeof U);
    for (int i = 0; i < n; i++) D[i * n + k] = sp_dot(l->J.A[i], force(U)) + (i == k ? l->rotor[k] : 0);
    largest = fmax(largest, l->rotor[k]);
  }
  for (int i = 0; i < SIX; i++) largest = fmax(largest, K->at[i][i]);
  for (int i = 0; i < n; i++)
    if (!(D[i * n + i] > DBL_EPSILON * largest)) return false;
  if (n > 0 && !limb_cholesky(n, D)) return false;
  if (n > 0) limb_cholesky_inverse(n, D, inverse);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) l->Dinv.at[i][k] = inverse[i * n + k];
  *ops += 11 * n * n + 3 * n * n * n;
  return true;
}

// K - U D^-1 U', Phi = 1 - U D^-1 S', Lambda = S D^-1 S'
static void across_joint(const leaf* l, matrix* K, matrix* Phi, matrix* Lambda)
{
  *Lambda = *Phi = (matrix){{{0}}};
  for (int i = 0; i < SIX; i++) Phi->at[i][i] = 1;
  for (int ab = 0; ab < l->J.n * l->J.n; ab++) {
    const int a = ab / l->J.n, b = ab % l->J.n;
    const double share = l->Dinv.at[a][b];
    six s, t;
    put(l->J.A[a].w, l->J.A[a].v, s), put(l->J.A[b].w, l->J.A[b].v, t);
    for (int i = 0; i < SIX; i++) {
      for (int j = 0; j < SIX; j++) {
        K->at[i][j] -= l->U.at[a][i] * share * l->U.at[b][j];
        Phi->at[i][j] -= l->U.at[a][i] * share * t[j];
        Lambda->at[i][j] += s[i] * share * t[j];
      }
    }
  }
}

// The same with I and Phi at the base.
static double factor_link(joins* x, node* n)
{
  leaf* l = &x->leaf[n->body];
  double ops = 0;
  matrix K = {{{0}}};
  add_rigid(&x->m->body[n->body].inertia, 1, &K, &ops);
  if (!n->is_tip) add_rigid(&x->guess, 1, &K, &ops);
  for (int s = l->side; s >= 0; s = x->node[s].next) add(&x->node[s].I, &K, &ops);
  if (!invert_joint(l, &K, &ops)) return -1;
  across_joint(l, &K, &n->Phi, &n->Lambda);
  ops += l->J.n * l->J.n * (3 * 6 + 3 * 72);
  forces_out(n->X, &K, &ops);
  K = transpose(&K);
  forces_out(n->X, &K, &ops);
  n->I = K;
  make_even(&n->I, &ops);
  forces_out(n->X, &n->Phi, &ops);
  return ops;
}

// C^-1 for C = 1 + d Lambda_A
static bool invert_coupling(const matrix* d, const matrix* Lambda, matrix* inverse, double* ops)
{
  matrix C = product(false, d, Lambda, ops);
  double scale[SIX];
  int pivot[SIX];
  for (int i = 0; i < SIX; i++) C.at[i][i] += 1;
  if (!limb_lu_factor(SIX, C.at[0], pivot, scale)) return false;
  for (int k = 0; k < SIX; k++) {
    six e = {0};
    e[k] = 1;
    limb_lu_solve(SIX, C.at[0], pivot, e);
    for (int i = 0; i < SIX; i++) inverse->at[i][k] = e[i];
  }
  *ops += SIX + 145 + SIX * 66;
  return true;
}

static double factor_join(joins* x, node* n)
{
  const node *A = &x->node[n->left], *B = &x->node[n->right];
  double ops = 0;
  matrix d = B->I, P;
  add_rigid(&x->guess, -1, &d, &ops);
  if (!invert_coupling(&d, &A->Lambda, &n->C, &ops)) return -1;
  n->W = product(false, &n->C, &d, &ops);
  make_even(&n->W, &ops);

  // I = I_A + Phi_A W Phi_A'
  P = product(false, &A->Phi, &n->W, &ops);
  const matrix t = transpose(&A->Phi);
  n->I = product(false, &P, &t, &ops);
  add(&A->I, &n->I, &ops);
  make_even(&n->I, &ops);

  // Phi = Phi_A C^-1 Phi_B
  P = product(false, &n->C, &B->Phi, &ops);
  n->Phi = product(false, &A->Phi, &P, &ops);

  // Lambda = Lambda_B + Phi_B' Lambda_A C^-1 Phi_B
  P = product(false, &A->Lambda, &P, &ops);
  n->Lambda = product(true, &B->Phi, &P, &ops);
  add(&B->Lambda, &n->Lambda, &ops);
  make_even(&n->Lambda, &ops);
  return ops;
}

double limb_joins_factor(joins* x, node* n) { return limb_joins_is_link(n) ? factor_link(x, n) : factor_join(x, n); }

// ---- solution -----------------------------------------------------------------------------------------------

// p and beta of one link: u = r - S' p, p += U D^-1 u, beta = S D^-1 u.
static double gather_link(joins* x, node* n)
{
  leaf* l = &x->leaf[n->body];
  double ops = ACROSS + l->J.n * (12 + 2 * l->J.n + 24);
  six p = {0}, beta = {0};
  for (int s = l->side; s >= 0; s = x->node[s].next) {
    for (int i = 0; i < SIX; i++) p[i] += x->node[s].p[i];
    ops += SIX;
  }
  for (int k = 0; k < l->J.n; k++) l->u[k] = l->r[k] - sp_dot(l->J.A[k], force(p));
  for (int a = 0; a < l->J.n; a++) {
    const double share = limb_dot((size_t)l->J.n, l->Dinv.at[a], l->u);
    six s;
    put(l->J.A[a].w, l->J.A[a].v, s);
    for (int i = 0; i < SIX; i++) p[i] += l->U.at[a][i] * share, beta[i] += s[i] * share;
  }
  const sp_force f = sp_force_out(n->X, force(p));
  put(f.m, f.f, n->p);
  memcpy(n->beta, beta, sizeof beta);
  return ops;
}

// h0 = C^-1 (d beta_A + p_B), p = p_A + Phi_A h0, beta = beta_B + Phi_B' (beta_A - Lambda_A h0)
double limb_joins_gather(joins* x, node* n)
{
  if (limb_joins_is_link(n)) return gather_link(x, n);
  const node *A = &x->node[n->left], *B = &x->node[n->right];
  double ops = SIX;
  six rhs, free = {0}, rest = {0};
  matrix d = B->I;
  add_rigid(&x->guess, -1, &d, &ops);
  memcpy(rhs, B->p, sizeof rhs);
  times(false, &d, A->beta, rhs, &ops);
  memset(n->h0, 0, sizeof n->h0);
  times(false, &n->C, rhs, n->h0, &ops);
  memcpy(n->p, A->p, sizeof n->p);
  times(false, &A->Phi, n->h0, n->p, &ops);
  times(false, &A->Lambda, n->h0, rest, &ops);
  for (int i = 0; i < SIX; i++) free[i] = A->beta[i] - rest[i];
  memcpy(n->beta, B->beta, sizeof n->beta);
  times(true, &B->Phi, free, n->beta, &ops);
  return ops;
}

// q'' = D^-1 (u - U' a - S' h)
static double spread_link(joins* x, node* n)
{
  leaf* l = &x->leaf[n->body];
  sp_motion a = sp_motion_in(n->X, motion(n->acc));
  six base, left;
  put(a.w, a.v, base);
  for (int k = 0; k < l->J.n; k++) left[k] = l->u[k] - limb_dot(SIX, l->U.at[k], base) - sp_dot(l->J.A[k], force(n->h));
  for (int k = 0; k < l->J.n; k++) {
    const double qdd = limb_dot((size_t)l->J.n, l->Dinv.at[k], left);
    x->a[l->J.v + k] += qdd;
    a = sp_addm(a, sp_scalem(qdd, l->J.A[k]));
  }
  l->link = a;
  return ACROSS + l->J.n * (24 + 2 * l->J.n + 13);
}

// h_A = W Phi_A' a + h0 + C^-1 Phi_B h; the base of B accelerates by Phi_A' a + beta_A - Lambda_A h_A.
double limb_joins_spread(joins* x, node* n)
{
  if (n->carrier >= 0) {
    memset(n->acc, 0, sizeof n->acc);
    memset(n->h, 0, sizeof n->h);
    if (n->carrier > 0) put(x->leaf[n->carrier].link.w, x->leaf[n->carrier].link.v, n->acc);
  }
  if (limb_joins_is_link(n)) return spread_link(x, n);
  node *A = &x->node[n->left], *B = &x->node[n->right];
  double ops = 2 * SIX;
  six free = {0}, F = {0}, held = {0};
  times(true, &A->Phi, n->acc, free, &ops);
  times(false, &B->Phi, n->h, F, &ops);
  memcpy(A->h, n->h0, sizeof A->h);
  times(false, &n->W, free, A->h, &ops);
  times(false, &n->C, F, A->h, &ops);
  times(false, &A->Lambda, A->h, held, &ops);
  memcpy(A->acc, n->acc, sizeof A->acc);
  memcpy(B->h, n->h, sizeof B->h);
  for (int i = 0; i < SIX; i++) B->acc[i] = free[i] + A->beta[i] - held[i];
  return ops;
}
