// What the files of physical fits share: of robots, and of payloads.
#ifndef LIMB_ESTIMATE_PHYSICAL_IMPL_H
#define LIMB_ESTIMATE_PHYSICAL_IMPL_H

#include "estimate/ident_impl.h"

enum { FOLDS = 5, BODY = LIMB_BODY_PARAMETERS };

static const double LARGEST_WEIGHT = 1e3, WEIGHT_RATIO = 10;

// ---- pseudo_inertia.c

typedef struct matrix4 {
  double x[4][4];
} matrix4;

matrix4 limb_pseudo_inertia(const double t[BODY]);
double limb_pseudo_trace(const matrix4* A, const matrix4* B); // tr A B

// log det P, and P^-1 by its Cholesky factor; false unless P > 0.
bool limb_pseudo_invert(const matrix4* P, matrix4* inverse, double* log_det);

// Adds the gradient and the Hessian (column-major) of weight D(P(t), P0) to g and H; prior: P0^-1.
void limb_pseudo_divergence(const matrix4* prior, const double t[BODY], double weight, double* g, double* H,
                            int stride);

// ---- physical.c

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
  double* gram;      // A' A
  double *H, *g, *next, *scale, *residual;
  double weight, barrier;
} physical;

void limb_physical_equations(physical* p, const limb_triangle* t);
limb_status limb_physical_minimise(physical* p);                // from p->u, by p->weight
double limb_physical_value(const physical* p, const double* u); // and p->residual; HUGE_VAL where it is not physical
double limb_physical_divergence(const physical* p);             // sum D(P, P0) at p->u

// ---- physical_weight.c

limb_status limb_physical_folds(limb_ident* x, limb_triangle* fold);
limb_status limb_physical_merge(const limb_ident* x, const limb_triangle* fold, int without, limb_triangle* out);
limb_status limb_cross_validate(physical* p, const limb_triangle* fold, double* weight);
limb_status limb_l_curve(physical* p, const limb_triangle* all, double* weight);

// ---- payload.c

// Mass, centre of mass, inertia about it and their standard deviations from phi and covariance.
void limb_payload_interpret(limb_payload_result* r);

#endif
