// Pseudo-inertias: the ten parameters of a body as a matrix that is positive if and only if a rigid body can have them.
//
// Reference: P. Wensing, S. Kim, J.-J. Slotine, Linear matrix inequalities for physically consistent inertial parameter
//            identification, IEEE Robotics and Automation Letters 3(1), 2018; T. Lee, P. Wensing, F. Park, Geometric
//            robot dynamic identification: a convex programming approach, IEEE Trans. Robotics 36(2), 2020.
//
//   P = [Sigma h; h' m],  Sigma = tr(I) 1 / 2 - I      an inertia is physical if and only if P > 0
//   D(P, P0) = -log det(P P0^-1) + tr(P0^-1 P) - 4     entropic divergence, 0 at P0
#include "estimate/physical_impl.h"

#include <math.h>

matrix4 limb_pseudo_inertia(const double t[BODY])
{
  const double half = (t[4] + t[7] + t[9]) / 2;
  return (matrix4){{{half - t[4], -t[5], -t[6], t[1]},
                    {-t[5], half - t[7], -t[8], t[2]},
                    {-t[6], -t[8], half - t[9], t[3]},
                    {t[1], t[2], t[3], t[0]}}};
}

static matrix4 product(const matrix4* A, const matrix4* B)
{
  matrix4 C = {{{0}}};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 4; k++) C.x[i][j] += A->x[i][k] * B->x[k][j];
  return C;
}

double limb_pseudo_trace(const matrix4* A, const matrix4* B)
{
  double sum = 0;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) sum += A->x[i][k] * B->x[k][i];
  return sum;
}

// P = L L'; false unless P > 0.
static bool factor(const matrix4* P, matrix4* out)
{
  matrix4 L = {{{0}}};
  for (int j = 0; j < 4; j++) {
    for (int i = j; i < 4; i++) {
      double sum = P->x[i][j];
      for (int k = 0; k < j; k++) sum -= L.x[i][k] * L.x[j][k];
      if (i == j && !(sum > 1e-14 * fabs(P->x[j][j]))) return false;
      L.x[i][j] = i == j ? sqrt(sum) : sum / L.x[j][j];
    }
  }
  *out = L;
  return true;
}

bool limb_pseudo_invert(const matrix4* P, matrix4* inverse, double* log_det)
{
  matrix4 L, G = {{{0}}}; // G = L^-1
  if (!factor(P, &L)) return false;
  *log_det = 2 * log(L.x[0][0] * L.x[1][1] * L.x[2][2] * L.x[3][3]);
  for (int j = 0; j < 4; j++) {
    for (int i = j; i < 4; i++) {
      double sum = i == j;
      for (int k = j; k < i; k++) sum -= L.x[i][k] * G.x[k][j];
      G.x[i][j] = sum / L.x[i][i];
    }
  }
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      inverse->x[i][j] = 0;
      for (int k = i > j ? i : j; k < 4; k++) inverse->x[i][j] += G.x[k][i] * G.x[k][j];
    }
  }
  return true;
}

// dD/dk = tr((P0^-1 - P^-1) E_k),   d2D/dk dl = tr(P^-1 E_k P^-1 E_l),   E_k = dP/dk
void limb_pseudo_divergence(const matrix4* prior, const double t[BODY], double weight, double* g, double* H, int stride)
{
  const matrix4 P = limb_pseudo_inertia(t);
  matrix4 inverse, F[BODY];
  double log_det;
  if (!limb_pseudo_invert(&P, &inverse, &log_det)) return;
  for (int k = 0; k < BODY; k++) {
    double unit[BODY] = {0};
    unit[k] = 1;
    const matrix4 E = limb_pseudo_inertia(unit);
    F[k] = product(&inverse, &E);
    g[k] += weight * (limb_pseudo_trace(prior, &E) - limb_pseudo_trace(&inverse, &E));
  }
  for (int k = 0; k < BODY; k++)
    for (int l = 0; l < BODY; l++) H[k + (ptrdiff_t)l * stride] += weight * limb_pseudo_trace(&F[k], &F[l]);
}
