// What the files of the physical fit share.
#ifndef LIMB_ESTIMATE_PHYSICAL_IMPL_H
#define LIMB_ESTIMATE_PHYSICAL_IMPL_H

#include "estimate/ident_impl.h"

enum { FOLDS = 5, BODY = LIMB_BODY_PARAMETERS };

static const double LARGEST_WEIGHT = 1e3, WEIGHT_RATIO = 10;

typedef struct matrix4 {
  double x[4][4];
} matrix4;

// a . (m, mx, my, mz) + c of a body is positive.
typedef struct half_space {
  int first; // of the body's parameters
  double a[4], c;
} half_space;

typedef struct physical {
  limb_ident* x;
  int np, nu, bodies;  // u: theta, then friction beyond it
  unsigned char* free; // nu: it is a variable
  unsigned char* sign; // nu: it is positive
  matrix4* prior;      // P0^-1 of each body
  half_space* wall;    // of bounds
  int walls;
  double *start, *u; // nu
  double *A, *z;     // R M (n x nu, column-major), z
  double *H, *g, *next, *scale, *residual;
  double weight, barrier;
} physical;

void limb_physical_equations(physical* p, const limb_triangle* t);
limb_status limb_physical_minimise(physical* p);                // from p->u, by p->weight
double limb_physical_value(const physical* p, const double* u); // and p->residual; HUGE_VAL where it is not physical
double limb_physical_divergence(const physical* p);             // sum D(P, P0) at p->u

// physical_weight.c
limb_status limb_physical_folds(limb_ident* x, limb_triangle* fold);
limb_status limb_physical_merge(const limb_ident* x, const limb_triangle* fold, int without, limb_triangle* out);
limb_status limb_cross_validate(physical* p, const limb_triangle* fold, double* weight);
limb_status limb_l_curve(physical* p, const limb_triangle* all, double* weight);

#endif
