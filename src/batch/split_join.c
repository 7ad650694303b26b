// Forward dynamics of parts in a row: a part and what it holds.
//
// The part has been taken through its passes with a guess I*, p* of what it holds; Phi, beta and Lambda
// belong to that (kernel/aba_kernel.h). Now the true I and p are known, seen from the part's last link,
// which accelerates by a_last. With the differences dI = I - I* and dp = p - p* the force differs by
//
//   h = dI a_last + dp,    a_last = Phi' a + beta - Lambda h
//   h = W Phi' a + h0,     W = (1 + dI Lambda)^-1 dI,    h0 = (1 + dI Lambda)^-1 (dI beta + dp)
//
// and seen from the part's base it is
//
//   I_base = I_part + Phi W Phi',    p_base = p_part + Phi h0
//
// Without a guess (zero) the part alone would answer first: under torques that were meant to carry the rest
// of the chain its accelerations are huge, and as many digits are lost when they are taken back. A guess from
// some links of the rest leaves little to take back: what is behind them hardly counts.
//
// I and I* are positive semidefinite, and so is 1 / Lambda + dI: the inverse exists, whatever the robot. Cost
// O(1): about 1600 multiplications.

#include "batch/split_impl.h"
#include "linalg/dense.h"

#include <string.h>

// Articulated inertia and bias as the kernels keep them: A, B, M and p, where n = A al + B a, f = B' al + M
// a.
enum { A = 0, B = 6, M = 15, P = 21 };

static const int symmetric[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

// Entry r, c of the inertia.
static int entry(int r, int c)
{
  if (r < 3 && c < 3) return A + symmetric[r][c];
  if (r >= 3 && c >= 3) return M + symmetric[r - 3][c - 3];
  return r < c ? B + 3 * r + c - 3 : B + 3 * c + r - 3;
}

// Row r of F is added up: sum of F[r][k] x[k].
static double row_times(const double* F, const double* x)
{
  double sum = 0;
  for (int k = 0; k < 6; k++) sum += F[k] * x[k];
  return sum;
}

// 1 + I Lambda
static void coupling(const limb_tip* t, const double* I, double* C)
{
  for (int r = 0; r < 6; r++) {
    for (int c = 0; c < 6; c++) {
      double sum = r == c;
      for (int k = 0; k < 6; k++) sum += I[entry(r, k)] * t->Lambda[k][c];
      C[6 * r + c] = sum;
    }
  }
}

// W = C^-1 d and h0 = C^-1 (p + d beta), from the factors of C.
static void solve_grip(const limb_tip* t, const double* d, const double* C, const int* pivot, limb_grip* g)
{
  for (int c = 0; c < 6; c++) {
    double column[6];
    for (int r = 0; r < 6; r++) column[r] = d[entry(r, c)];
    limb_lu_solve(6, C, pivot, column);
    for (int r = 0; r < 6; r++) g->W[r][c] = column[r];
  }
  for (int r = 0; r < 6; r++) {
    g->h0[r] = d[P + r];
    for (int k = 0; k < 6; k++) g->h0[r] += d[entry(r, k)] * t->beta[k];
  }
  limb_lu_solve(6, C, pivot, g->h0);
}

// What is held at the end, as the part before feels it: Phi W Phi' and Phi h0.
static void hand_back(const limb_tip* t, const limb_grip* g, double* kept)
{
  for (int r = 0; r < 6; r++) {
    double FW[6]; // row r of Phi W; W is symmetric but for rounding
    for (int k = 0; k < 6; k++) {
      FW[k] = 0;
      for (int l = 0; l < 6; l++) FW[k] += t->Phi[r][l] * (g->W[l][k] + g->W[k][l]) / 2;
    }
    for (int c = r; c < 6; c++) kept[entry(r, c)] += row_times(FW, t->Phi[c]);
    kept[P + r] += row_times(t->Phi[r], g->h0);
  }
}

void limb_join(limb_part* p, const double* guess, const double* next, double* kept)
{
  double d[LIMB_WS_ARTIC], C[36], scale[6];
  int pivot[6];
  for (int i = 0; i < LIMB_WS_ARTIC; i++) d[i] = next[i] - guess[i];
  coupling(&p->tip, d, C);
  p->fine = limb_lu_factor(6, C, pivot, scale);
  if (!p->fine) return;
  solve_grip(&p->tip, d, C, pivot, &p->grip);
  hand_back(&p->tip, &p->grip, kept);
}

void limb_let_go(limb_part* p, const double* base, double* last)
{
  limb_tip* t = &p->tip;
  double free[6]; // Phi' a
  for (int c = 0; c < 6; c++) {
    free[c] = 0;
    for (int r = 0; r < 6; r++) free[c] += t->Phi[r][c] * base[r];
  }
  memset(t->h, 0, sizeof t->h);
  for (int r = 0; r < 6; r++) t->h[r] = p->grip.h0[r] + row_times(p->grip.W[r], free);
  for (int r = 0; r < 6; r++) last[r] = free[r] + t->beta[r] - row_times(t->Lambda[r], t->h);
}
