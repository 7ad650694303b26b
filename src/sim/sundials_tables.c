// Tables of embedded explicit Runge-Kutta methods. ARKODE has the same ones, but loads them without looking whether
// there is memory.
#include "sim/sundials.h"

// Rows: c, A, b, and b of the error estimate.

// Heun and Euler: 2(1).
static double heun_euler[5][2] = {
  {0, 1}, {0, 0}, {1, 0}, {1.0 / 2, 1.0 / 2}, {1, 0},
};

// P. Bogacki, L. Shampine, A 3(2) pair of Runge-Kutta formulas, Applied Mathematics Letters 2, 1989: 3(2).
static double bogacki_shampine[7][4] = {
  {0, 1.0 / 2, 3.0 / 4, 1},
  {0, 0, 0, 0},
  {1.0 / 2, 0, 0, 0},
  {0, 3.0 / 4, 0, 0},
  {2.0 / 9, 1.0 / 3, 4.0 / 9, 0},
  {2.0 / 9, 1.0 / 3, 4.0 / 9, 0},
  {7.0 / 24, 1.0 / 4, 1.0 / 3, 1.0 / 8},
};

// J. Zonneveld, Automatic integration of ordinary differential equations, Amsterdam, 1963: 4(3).
static double zonneveld[8][5] = {
  {0, 1.0 / 2, 1.0 / 2, 1, 3.0 / 4},
  {0, 0, 0, 0, 0},
  {1.0 / 2, 0, 0, 0, 0},
  {0, 1.0 / 2, 0, 0, 0},
  {0, 0, 1, 0, 0},
  {5.0 / 32, 7.0 / 32, 13.0 / 32, -1.0 / 32, 0},
  {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6, 0},
  {-1.0 / 2, 7.0 / 3, 7.0 / 3, 13.0 / 6, -16.0 / 3},
};

// J. Dormand, P. Prince, A family of embedded Runge-Kutta formulae, Journal of Computational and Applied Mathematics 6,
// 1980: 5(4).
static double dormand_prince[10][7] = {
  {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
  {0, 0, 0, 0, 0, 0, 0},
  {1.0 / 5, 0, 0, 0, 0, 0, 0},
  {3.0 / 40, 9.0 / 40, 0, 0, 0, 0, 0},
  {44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0, 0, 0},
  {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0, 0, 0},
  {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0, 0},
  {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
  {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
  {5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40},
};

// J. Verner, Explicit Runge-Kutta methods with estimates of the local truncation error, SIAM Journal on Numerical
// Analysis 15, 1978: 6(5).
static double verner[11][8] = {
  {0, 1.0 / 6, 4.0 / 15, 2.0 / 3, 5.0 / 6, 1, 1.0 / 15, 1},
  {0, 0, 0, 0, 0, 0, 0, 0},
  {1.0 / 6, 0, 0, 0, 0, 0, 0, 0},
  {4.0 / 75, 16.0 / 75, 0, 0, 0, 0, 0, 0},
  {5.0 / 6, -8.0 / 3, 5.0 / 2, 0, 0, 0, 0, 0},
  {-165.0 / 64, 55.0 / 6, -425.0 / 64, 85.0 / 96, 0, 0, 0, 0},
  {12.0 / 5, -8, 4015.0 / 612, -11.0 / 36, 88.0 / 255, 0, 0, 0},
  {-8263.0 / 15000, 124.0 / 75, -643.0 / 680, -81.0 / 250, 2484.0 / 10625, 0, 0, 0},
  {3501.0 / 1720, -300.0 / 43, 297275.0 / 52632, -319.0 / 2322, 24068.0 / 84065, 0, 3850.0 / 26703, 0},
  {3.0 / 40, 0, 875.0 / 2244, 23.0 / 72, 264.0 / 1955, 0, 125.0 / 11592, 43.0 / 616},
  {13.0 / 160, 0, 2375.0 / 5984, 5.0 / 16, 12.0 / 85, 3.0 / 44, 0, 0},
};

static const struct {
  int stages, order, embedded;
  double* rows;
} tables[] = {
  {2, 2, 1, heun_euler[0]},     {4, 3, 2, bogacki_shampine[0]}, {5, 4, 3, zonneveld[0]},
  {7, 5, 4, dormand_prince[0]}, {8, 6, 5, verner[0]},
};

ARKodeButcherTable limb_sundials_table(int order)
{
  const int k = order < 2 ? 0 : order > 6 ? 4 : order - 2, s = tables[k].stages;
  double* c = tables[k].rows;
  return ARKodeButcherTable_Create(s, tables[k].order, tables[k].embedded, c, c + s, c + s + s * s, c + 2 * s + s * s);
}
