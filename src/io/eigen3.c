// The symmetric 3x3 eigenproblem by Jacobi's method, which gets small moments right to the rounding of
// the large ones, where the characteristic polynomial loses half of the digits.
#include "io/eigen3.h"

typedef struct problem {
  double A[3][3]; // becomes diagonal
  double V[3][3]; // the product of the rotations: columns are axes
} problem;

// One rotation that makes entry (i, j) zero; k is the third index.
static void rotate(problem* p, int i, int j, int k)
{
  if (p->A[i][j] == 0) return;
  const double h = (p->A[j][j] - p->A[i][i]) / (2 * p->A[i][j]);
  const double t = copysign(1, h) / (fabs(h) + sqrt(1 + h * h));
  const double c = 1 / sqrt(1 + t * t), s = t * c;
  const double ik = p->A[i][k], jk = p->A[j][k];
  p->A[i][i] -= t * p->A[i][j];
  p->A[j][j] += t * p->A[i][j];
  p->A[i][j] = p->A[j][i] = 0;
  p->A[i][k] = p->A[k][i] = c * ik - s * jk;
  p->A[j][k] = p->A[k][j] = s * ik + c * jk;
  for (int row = 0; row < 3; row++) {
    const double vi = p->V[row][i], vj = p->V[row][j];
    p->V[row][i] = c * vi - s * vj;
    p->V[row][j] = s * vi + c * vj;
  }
}

void limb_principal(const sp_inertia* Y, double moment[3], sp_mat3* axes)
{
  enum { SWEEPS = 12 }; // it converges quadratically: six are enough
  problem p = {{{Y->xx, Y->xy, Y->xz}, {Y->xy, Y->yy, Y->yz}, {Y->xz, Y->yz, Y->zz}},
               {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  // A power of two takes huge and tiny numbers away from the ends of the range, without rounding.
  double size = 0;
  for (int i = 0; i < 9; i++) size = fmax(size, fabs(p.A[i / 3][i % 3]));
  const int exponent = size > 0 ? ilogb(size) : 0;
  for (int i = 0; i < 9; i++) p.A[i / 3][i % 3] = ldexp(p.A[i / 3][i % 3], -exponent);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    rotate(&p, 0, 1, 2);
    rotate(&p, 0, 2, 1);
    rotate(&p, 1, 2, 0);
  }
  int order[3] = {0, 1, 2};
  for (int pass = 0; pass < 3; pass++) {
    const int k = pass % 2;
    if (p.A[order[k]][order[k]] <= p.A[order[k + 1]][order[k + 1]]) continue;
    const int swap = order[k];
    order[k] = order[k + 1];
    order[k + 1] = swap;
  }
  for (int k = 0; k < 3; k++) {
    moment[k] = ldexp(p.A[order[k]][order[k]], exponent);
    for (int row = 0; axes && row < 3; row++) axes->m[3 * row + k] = p.V[row][order[k]];
  }
}

sp_inertia limb_from_principal(sp_inertia Y, const double moment[3], const sp_mat3* axes)
{
  Y.xx = Y.xy = Y.xz = Y.yy = Y.yz = Y.zz = 0;
  for (int k = 0; k < 3; k++) {
    const double x = axes->m[k], y = axes->m[3 + k], z = axes->m[6 + k];
    Y.xx += moment[k] * x * x;
    Y.xy += moment[k] * x * y;
    Y.xz += moment[k] * x * z;
    Y.yy += moment[k] * y * y;
    Y.yz += moment[k] * y * z;
    Y.zz += moment[k] * z * z;
  }
  return Y;
}
